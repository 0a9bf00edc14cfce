// Penalties and step sizes that a scenario leaves to the program, computed from what is
// public of the problem: docs/mathematics.md §3.14.

package algorithms

import (
	"fmt"
	"math"
	"reflect"
	"strconv"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/problem"
	"overhear/sim"
	"overhear/theory"
)

// Computed is a parameter that the scenario left to the program.
type Computed struct {
	Key   string  // in `algorithm`
	Value float64 // what it became
	Why   string  // the formula, in words
}

// steps is an option struct with parameters that may be [parameter.Auto]; settle gives
// them values.
type steps interface{ settle(s Setting) []Computed }

// Settle returns option parameters in which nothing is [parameter.Auto], and what was
// computed for that. Those it is given stay as they are. What it computes depends on
// the row counts, the number of columns, the graph, the number of rounds, the objective's
// weights, and the noise or the target that it is chosen for, which are public. Of the
// data it sees a bound of the rows' norms only, and takes 1 for anything less: where a
// claim's condition holds, that bound is 1 whatever the data are, so the value says nothing
// about them.
func Settle(params any, s Setting) (any, []Computed) {
	if params == nil {
		return nil, nil
	}
	own := reflect.New(reflect.TypeOf(params).Elem())
	own.Elem().Set(reflect.ValueOf(params).Elem())
	p, ok := own.Interface().(steps)
	if !ok {
		return params, nil
	}
	computed := p.settle(s)
	if computed == nil {
		return params, nil
	}
	return own.Interface(), computed
}

// Suggest is what would be computed for every penalty and step of option parameters if
// the scenario left it to the program.
func Suggest(params any, s Setting) []Computed {
	if params == nil {
		return nil
	}
	open := reflect.New(reflect.TypeOf(params).Elem())
	open.Elem().Set(reflect.ValueOf(params).Elem())
	leaveOpen(open.Elem())
	_, computed := Settle(open.Interface(), s)
	return computed
}

// leaveOpen makes parameters Auto whose default that is.
func leaveOpen(v reflect.Value) {
	for k := range v.NumField() {
		switch f := v.Type().Field(k); {
		case f.Tag.Get("default") == "auto" && f.Type.Kind() == reflect.Float64:
			v.Field(k).SetFloat(parameter.Auto)
		case f.Tag.Get("default") == "auto":
			v.Field(k).Set(reflect.ValueOf(parameter.Constant(parameter.Auto)))
		case f.Anonymous:
			leaveOpen(v.Field(k))
		}
	}
}

// Noisy says whether a method with those parameters adds noise.
func Noisy(params any) bool {
	p, ok := params.(interface{ off() bool })
	return ok && !p.off()
}

// Steady says whether penalties and steps of option parameters, in which nothing is
// [parameter.Auto], are the same in all rounds of a run.
func Steady(params any, s Setting) bool {
	if params == nil {
		return true
	}
	if p, ok := params.(interface{ decays() bool }); ok && p.decays() {
		return false
	}
	return constant(reflect.ValueOf(params).Elem(), s)
}

func constant(v reflect.Value, s Setting) bool {
	for k := range v.NumField() {
		f, t := v.Field(k), v.Type().Field(k)
		if schedule, ok := f.Interface().(parameter.Schedule); ok && t.Tag.Get("default") == "auto" {
			for i := range max(1, len(schedule.Nodes)) {
				for k := 2; k <= s.Rounds; k++ {
					if schedule.At(i, k) != schedule.At(i, 1) {
						return false
					}
				}
			}
		} else if t.Anonymous && f.Kind() == reflect.Struct && !constant(f, s) {
			return false
		}
	}
	return true
}

func (p *DGD) decays() bool { return p.Decay != "none" }

func (p *DPADMM) decays() bool { return true }

func (p *FDML) decays() bool { return p.Decay != "none" }

// fill replaces a parameter that is left to the program.
func fill(key string, to *float64, value func() (float64, string)) []Computed {
	if *to != parameter.Auto {
		return nil
	}
	v, why := value()
	*to = round(v)
	return []Computed{{key, *to, why}}
}

// fillSchedule replaces the first values of a schedule that are left to the program.
func fillSchedule(key string, to *parameter.Schedule, value func() (float64, string)) []Computed {
	if !to.Auto() {
		return nil
	}
	v, why := value()
	v = round(v)
	*to = to.Starting(v)
	return []Computed{{key, v, why}}
}

// round keeps two significant digits: what is computed is a rule, which knows no more,
// and can be copied into a scenario.
func round(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	if err != nil {
		return v // out of range, which the methods report
	}
	return short
}

// norms is the largest ‖x‖², or 1 if that is more.
func norms(rows ...*problem.Rows) float64 {
	most := 1.0
	for _, u := range rows {
		for k := range u.Len() {
			_, row := u.Row(k)
			most = max(most, num.Dot(row, row))
		}
	}
	const rounding = 1e-9 // of rows that were scaled to norm 1
	if most <= 1+rounding {
		return 1
	}
	return most
}

// bounds are m and M: the least and the greatest curvature that an objective O_i may
// have, r and C c₁ max‖x‖² + r.
func bounds(p *problem.Problem) (least, most float64) {
	least = math.Inf(1)
	ridge := 0.0
	rows := make([]*problem.Rows, len(p.Shards))
	for i := range p.Shards {
		least, ridge = min(least, p.R[i]), max(ridge, p.R[i])
		rows[i] = p.Shards[i].U
	}
	return least, float64(p.C*p.Loss.Bound()*norms(rows...)) + ridge
}

// flattest is the least share of M that penalty takes for m: of the data that it was
// measured on, none is flatter at the optimum in a direction that decides the distance.
const flattest = 2e-6

// penalty is η of the methods with one dual a node, √(mM)/((2V)^{3/4} ℓ₂^{1/4}), V the
// mean degree. Of a loss that is flatter at the optimum than its bound, M is M^{4/5}m^{1/5}.
func penalty(s Setting) (float64, string) {
	least, most := bounds(s.Problem)
	least = max(least, flattest*most)
	if problem.Bounded(s.Problem.Loss) { // whose slope levels off, as its curvature falls to 0
		most *= num.Pow(least/most, 0.2)
	}
	v, l := meanDegree(s.Graph), connectivity(s.Graph)
	return math.Sqrt(float64(least*most)) / (math.Sqrt(float64(2*v)) * math.Sqrt(math.Sqrt(float64(2*v*l)))),
		fmt.Sprintf("from curvatures %.3g to %.3g, mean degree %.3g and connectivity %.3g", least, most, v, l)
}

// far is how far from the start balance takes the optimum to be, where the ridge does not
// hold it nearer: margins of at most 7. It is measured, and between what is best for the
// objective and for the test error.
const far = 7

// balance is the curvature κ = 2ηV with which slowness and noise together are expected to
// cost least, docs/mathematics.md §3.14:
//
//	D²κ/2T + h S/2κ²,   least at   κ³ = 2h S T/D²,   h = c₁C/d + r
//
// The first is the most that T steps of length 1/κ leave of the objective, D from the
// start to the optimum, and D ≤ C|L′(0)|/r, or C max|L′|/r of residuals, which are not 0 at
// the start. The second is what noise adds that has moved a
// node's iterate by √S/κ: h is the most that curvatures can be in the mean over all
// directions, as those of the data add up to c₁C‖x‖² of the mean row at most, in each of several models.
func balance(s Setting, steps, drift float64) float64 {
	p := s.Problem
	ridge, most := bounds(p)
	start := p.Loss.Steepest()
	if !p.HasTargets() && p.K == 0 {
		slope := []float64{0}
		p.Loss.Slopes(slope, slope)
		start = math.Abs(slope[0])
	}
	d := min(far, p.C*start/ridge)
	mean := (most-ridge)/float64(p.D/p.Models()) + ridge
	return min(mostStep, num.Pow(2*mean*drift*steps/(d*d), 1.0/3))
}

// amid is η of a method with noise, κ₀/2V + κ/2V with the κ of balance, but not below
// penalty; lost is κ₀/2V of the node where it is most.
func amid(s Setting, lost, kappa float64) (float64, string) {
	eta, why := penalty(s)
	v := meanDegree(s.Graph)
	if loud := min(mostStep, lost+kappa/(2*v)); loud > eta {
		return loud, fmt.Sprintf("noise and the slowness of %d rounds are expected to cost least with it: curvature "+
			"%.3g, %d columns, mean degree %.3g", s.Rounds, s.Problem.C*s.Problem.Loss.Bound(), s.Problem.D, v)
	}
	return eta, why
}

// allotted are, by node, the mean of a budget over its uses and the mean of its inverse
// square. If there is a target, the budget is scaled to meet it: the sum of budgets, or of the
// α²/2-zCDP of Gaussian noise.
func allotted(s Setting, alpha *parameter.Schedule, uses int, gaussian bool) (mean, inverse []float64) {
	uses = max(uses, 1)
	at := func(i, k int) float64 {
		if alpha.Nodes != nil {
			i = min(i, len(alpha.Nodes)-1) // New says that they do not fit
		}
		return alpha.At(i, k)
	}
	n, scale := len(s.Problem.Shards), 1.0
	if s.Target.Epsilon > 0 && gaussian {
		unit, most := 0.0, 0.0 // most is in units of ½ unit²
		for i := range n {
			for k := 1; k <= uses; k++ {
				unit = max(unit, at(i, k))
			}
		}
		for i := range n {
			sum := 0.0
			for k := 1; k <= uses; k++ {
				share := at(i, k) / unit
				sum += float64(share * share)
			}
			most = max(most, sum)
		}
		if s.Target.EachRound {
			most = 1
		}
		scale = math.Sqrt(2*s.Target.concentrated()/most) / unit
	} else if target := s.Target.ofUse(uses); target > 0 {
		most := 0.0
		for i := range n {
			sum := 0.0
			for k := 1; k <= uses; k++ {
				if sum += at(i, k); s.Target.EachRound {
					most = max(most, at(i, k))
				}
			}
			most = max(most, sum/float64(uses))
		}
		scale = target / most
	}
	mean, inverse = make([]float64, n), make([]float64, n)
	for i := range n {
		for k := 1; k <= uses; k++ {
			a := at(i, k) * scale
			mean[i] += a / float64(uses)
			inverse[i] += 1 / a / a / float64(uses)
		}
	}
	return mean, inverse
}

// wander is S of noise of density ∝ exp(−ζ‖ε‖), or N(0, I/ζ²), that a node adds to its gradient
// afresh in every use and steps along so many times: of the average of N nodes it leaves 1/N in
// each of U uses, and of the last use a node has all. square is 1/ζ², by node.
func wander(s Setting, uses, times int, square []float64, gaussian bool) float64 {
	n, d := float64(len(square)), float64(s.Problem.D)
	length := d * (d + 1)
	if gaussian {
		length = d
	}
	sum := 0.0
	for _, v := range square {
		sum += v / n
	}
	return float64(times*times) * length * sum * (float64(max(uses, 1))/n + 1)
}

// spare is the least η with which a share c·C/(ηV_iB_i) of every use is at most β_i.
func spare(s Setting, c float64, beta func(i int) float64) float64 {
	most := 0.0
	for i := range s.Problem.Shards {
		most = max(most, c*s.Problem.C/(float64(s.Graph.Degree(i))*samples(s.Problem, i)*beta(i)))
	}
	if math.IsInf(most, 1) || math.IsNaN(most) { // a node without links or rows, about which New says more
		return 0
	}
	return most
}

// quiet is η of noise of density ∝ exp(−ζ‖ε‖), or N(0, I/ζ²), ζ = B(α − α₀)/2C, in the gradient,
// where α₀ = 2cC/Bκ of a budget α is spent whatever the noise is. Then √S is in proportion to
// κ/(κ − κ₀), κ₀ = 2cC/Bα, and what balance minimises has its minimum κ₀ higher. Noise ε/(r + κ)
// on the minimiser is that of ε in the gradient.
func quiet(s Setting, c float64, alpha *parameter.Schedule, uses, times int, gaussian bool) (float64, float64) {
	mean, square := allotted(s, alpha, uses, gaussian)
	for i := range square {
		unit := 2 * s.Problem.C / samples(s.Problem, i)
		square[i] *= unit * unit
	}
	return spare(s, c, func(i int) float64 { return mean[i] }),
		balance(s, float64(uses*times), wander(s, uses, times, square, gaussian))
}

// frugal is η of a method that spends 1.4c₁C/(ηV_iB_i) on every use whatever its noise
// is: at least that with which this comes to no more over all uses at any node than half
// the target that noise is chosen for, or 1 if there is none.
func frugal(s Setting, uses int, eta float64, why string) (float64, string) {
	room := s.Target.room(uses)
	need := spare(s, curvature(s.Problem), func(int) float64 { return room / float64(uses) })
	if need <= eta {
		return eta, why
	}
	return need, fmt.Sprintf("the part of the claim that no noise lowers is at most %.3g in %d uses", room, uses)
}

// descent is the first step of a gradient method of T rounds: 1/M if it stays, and
// √T/2M if the step of round t is divided by √t, where the gradient of the loss is
// bounded so that the first steps cannot run away.
func descent(most float64, loss problem.Loss, rounds int, decay bool) (float64, string) {
	if !decay || !problem.Bounded(loss) {
		return 1 / most, fmt.Sprintf("1/M, M = %.3g the greatest curvature", most)
	}
	return sqrtK(rounds) / (2 * most),
		fmt.Sprintf("√T/2M, M = %.3g the greatest curvature, T = %d rounds", most, rounds)
}

// meanDegree is V̄, at least 1.
func meanDegree(g *sim.Graph) float64 {
	return max(1, float64(2*g.Size())/float64(g.Order()))
}

// connectivity is ℓ₂, the least nonzero eigenvalue of the Laplacian D − A of a connected
// graph, found from above by Lanczos' method: within a per cent or two on graphs of some hundred nodes,
// and too great by a factor on long paths, of which penalty takes the fourth root.
func connectivity(g *sim.Graph) float64 {
	n := g.Order()
	if n < 2 {
		return 1
	}
	centre := func(x []float64) { // off the constant vector, which D − A maps to 0
		mean := 0.0
		for _, v := range x {
			mean += v
		}
		mean /= float64(n)
		for i := range x {
			x[i] -= mean
		}
	}
	const most = 80
	q, before, w := make([]float64, n), make([]float64, n), make([]float64, n)
	s := sim.NewStream(0, "connectivity")
	for i := range q {
		q[i] = s.Normal()
	}
	centre(q)
	num.Scale(1/num.Norm(q), q)
	var diagonal, beside []float64
	beta := 0.0
	for k := 0; k < min(most, n-1); k++ {
		for i := range w {
			sum := float64(float64(g.Degree(i)) * q[i])
			for _, j := range g.Neighbours(i) {
				sum -= q[j]
			}
			w[i] = sum
		}
		alpha := num.Dot(w, q)
		num.Axpy(-alpha, q, w)
		num.Axpy(-beta, before, w)
		centre(w)
		diagonal = append(diagonal, alpha)
		if beta = num.Norm(w); !(beta > 1e-9) {
			break
		}
		beside = append(beside, beta)
		num.Scale(1/beta, w)
		before, q, w = q, w, before
	}
	return lowestOf(diagonal, beside)
}

// lowestOf is the least eigenvalue of a positive tridiagonal matrix, by bisection on the
// signs of its pivots (Sturm's count).
func lowestOf(diagonal, beside []float64) float64 {
	below := func(x float64) bool { // whether there is an eigenvalue below x
		pivot := 1.0
		for k, d := range diagonal {
			off := 0.0
			if k > 0 {
				off = float64(beside[k-1]*beside[k-1]) / pivot
			}
			if pivot = d - x - off; pivot < 0 {
				return true
			}
			if pivot == 0 {
				pivot = 1e-300
			}
		}
		return false
	}
	low, high := 0.0, diagonal[0]
	for _, d := range diagonal {
		high = min(high, d)
	}
	for range 60 {
		if mid := float64((low + high) / 2); below(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

func (p *ADMM) settle(s Setting) []Computed {
	return fill("eta", &p.Eta, func() (float64, string) { return penalty(s) })
}

// settle counts with what α spends on the Jacobian, 2 ln(1 + c₁C/Bκ).
func (p *DVP) settle(s Setting) []Computed {
	return p.settleAmid(s, p.off(), func() (float64, float64) {
		return quiet(s, s.Problem.Loss.Bound(), &p.Alpha, s.Rounds, 1, false)
	})
}

func (p *PVP) settle(s Setting) []Computed {
	return p.settleAmid(s, p.off(), func() (float64, float64) {
		return quiet(s, 0, &p.Alpha, s.Rounds, 1, p.Law == gaussianLaw)
	})
}

// settleAmid is settle of a method that adds noise unless it is off; noise are κ₀/2V and κ
// of amid.
func (p *ADMM) settleAmid(s Setting, off bool, noise func() (lost, kappa float64)) []Computed {
	return fill("eta", &p.Eta, func() (float64, string) {
		if off {
			return penalty(s)
		}
		lost, kappa := noise()
		return amid(s, lost, kappa)
	})
}

// settle looks at the noise that stays and moves the iterate in all steps alike. That of the
// iterates does not depend on η.
func (p *PDML) settle(s Setting) []Computed {
	return p.settleAmid(s, p.off(), func() (lost, kappa float64) {
		t := float64(s.Rounds)
		return 0, balance(s, t, t*t*p.astray(s))
	})
}

// astray is the mean square of what stays in the nodes' mean gradient: the noise of the objective, with a mean square
// of R²d/(d+2) in the ball and R²d/3 in the cube, of which a node has 1/N; and that of randomised labels, of rows of
// norm 1, which is δ(1 + δ) of a user, δ = 1/(e^ε − 1), in the mean over a node's.
func (p *PDML) astray(s Setting) float64 {
	n, d := float64(len(s.Problem.Shards)), float64(s.Problem.D)
	epsilon, alike := p.Epsilon.Alike()
	flips := 0.0
	if p.Labels != "true" {
		flips = float64(s.Problem.C*s.Problem.C) * flipped(epsilon)
	}
	square := 0.0
	for i := range s.Problem.Shards {
		if !alike && p.Labels != "true" {
			mean := 0.0
			for k := range s.Problem.Shards[i].Y {
				mean += flipped(p.Epsilon.At(s.Seed, i, k)) / samples(s.Problem, i)
			}
			flips = float64(s.Problem.C*s.Problem.C) * mean
		}
		noise := float64(p.Bound*p.Bound) * d / ((d + 2) * n * n * n * n)
		if p.Norm == "max" {
			noise = float64(p.Bound*p.Bound) * d / (3 * n * n * n * n)
		}
		square += flips/(samples(s.Problem, i)*n*n) + noise
	}
	return square
}

// flipped is δ(1 + δ), the variance of a randomised label's pull.
func flipped(epsilon float64) float64 { return debias(epsilon) * (1 + debias(epsilon)) }

// settle divides κ = 2ηV + τ.
func (p *ProximalADMM) settle(s Setting) []Computed {
	computed := fill("eta", &p.Eta, func() (float64, string) {
		if p.off() {
			return penalty(s)
		}
		_, kappa := quiet(s, 0, &p.Alpha, s.Rounds, 1, p.Law == gaussianLaw)
		v := 2 * meanDegree(s.Graph)
		if p.Tau == parameter.Auto {
			kappa *= v / (v + 1)
		} else {
			kappa = max(0, kappa-p.Tau)
		}
		return amid(s, 0, kappa)
	})
	return append(computed, fill("tau", &p.Tau, func() (float64, string) {
		return p.Eta, "as eta: it slows a node down less than the pull of one neighbour"
	})...)
}

// settle takes twice the penalty of one dual a node: a node's weight here is ηV, and
// 2ηV there.
func (p *EdgeADMM) settle(s Setting) []Computed {
	return fill("eta", &p.Eta, func() (float64, string) {
		eta, why := penalty(s)
		return 2 * eta, why
	})
}

func (p *MADMM) settle(s Setting) []Computed {
	return p.settlePenalties(s, func() (float64, string) { return penalty(s) })
}

// settlePenalties keeps η ≥ θ, as ZKL18 Theorem 3.1 needs: the one that is not given
// follows the other.
func (p *MADMM) settlePenalties(s Setting, eta func() (float64, string)) []Computed {
	if p.Theta.Auto() || p.variesTheta() {
		computed := fillSchedule("eta", &p.Eta, eta)
		return append(computed, fillSchedule("theta", &p.Theta, func() (float64, string) {
			least := math.Inf(1)
			for i := range s.Graph.Order() {
				if p.Eta.Nodes == nil || i < len(p.Eta.Nodes) {
					least = min(least, p.Eta.Least(i, max(s.Rounds, 1)))
				}
			}
			return least, "the least eta of the run, as ZKL18 Theorem 3.1 needs"
		})...)
	}
	return fillSchedule("eta", &p.Eta, func() (float64, string) { return p.Theta.At(0, 1), "as theta" })
}

func (p *PenaltyPerturbation) settle(s Setting) []Computed {
	if p.off() {
		return p.MADMM.settle(s)
	}
	return p.settlePenalties(s, func() (float64, string) {
		eta, why := penalty(s)
		if s.Target.Epsilon > 0 { // α alone is noise that no η makes less
			lost, kappa := quiet(s, curvature(s.Problem), &p.Alpha, s.Rounds, 1, false)
			if p.Law == gaussianLaw { // μ√(2/π) of a budget, not a rate: 2/π(d+1) of the noise's square
				kappa *= num.Pow(2/(math.Pi*float64(s.Problem.D+1)), 1.0/3)
			}
			eta, why = amid(s, lost, kappa)
		}
		return frugal(s, s.Rounds, eta, why)
	})
}

func (p *MRADMM) settle(s Setting) []Computed {
	return fillSchedule("eta", &p.Eta, func() (float64, string) { return penalty(s) })
}

// penaltyFor is η of RA19's private methods, which spend on odd rounds, and step along that noise in
// even ones, too. On the minimiser noise is all that is spent.
func (p *Perturbed) penaltyFor(s Setting, alpha *parameter.Schedule, off bool) (float64, string) {
	if off {
		return penalty(s)
	}
	uses, gaussian, c := use(s.Rounds), p.Perturbation == gaussianLaw, curvature(s.Problem)
	if p.onOutput() {
		c = 0
	}
	lost, kappa := quiet(s, c, alpha, uses, 2, gaussian)
	if s.Target.Epsilon == 0 { // α is the noise's rate, not a budget
		_, square := allotted(s, alpha, uses, gaussian)
		lost, kappa = 0, balance(s, float64(2*uses), wander(s, uses, 2, square, gaussian))
	}
	eta, why := amid(s, lost, kappa)
	if p.onOutput() {
		return eta, why
	}
	return frugal(s, uses, eta, why)
}

func (p *PrivateRADMM) settle(s Setting) []Computed {
	return fill("eta", &p.Eta, func() (float64, string) { return p.penaltyFor(s, &p.Alpha, p.off()) })
}

func (p *PrivateMRADMM) settle(s Setting) []Computed {
	return fillSchedule("eta", &p.Eta, func() (float64, string) { return p.penaltyFor(s, &p.Alpha, p.off()) })
}

func (p *DGD) settle(s Setting) []Computed {
	return fillSchedule("step", &p.Step, func() (float64, string) {
		_, most := bounds(s.Problem)
		return descent(most, s.Problem.Loss, s.Rounds, p.Decay != "none")
	})
}

// settle is DGD's with M or, if that is greater, the curvature κ of balance: the noise of a
// step of length a is a times one that does not depend on a.
func (p *PrivateDGD) settle(s Setting) []Computed {
	if p.off() {
		return p.DGD.settle(s)
	}
	return fillSchedule("step", &p.Step, func() (float64, string) {
		_, most := bounds(s.Problem)
		_, kappa := quiet(s, 0, &p.Alpha, s.Rounds, 1, p.Law == gaussianLaw)
		if !(kappa > most) {
			return descent(most, s.Problem.Loss, s.Rounds, p.Decay != "none")
		}
		step, _ := descent(kappa, s.Problem.Loss, s.Rounds, p.Decay != "none")
		return step, fmt.Sprintf("noise and the slowness of %d rounds are expected to cost least with it: curvature "+
			"%.3g, %d columns", s.Rounds, s.Problem.C*s.Problem.Loss.Bound(), s.Problem.D)
	})
}

func (p *DPADMM) settle(s Setting) []Computed {
	least, most := bounds(s.Problem)
	if least == 0 {
		least = flattest * most
	}
	computed := fill("eta", &p.Eta, func() (float64, string) {
		return math.Sqrt(float64(least * most)),
			fmt.Sprintf("the mean of curvatures %.3g and %.3g", least, most)
	})
	return append(computed, fill("step", &p.Step, func() (float64, string) {
		return descent(most, s.Problem.Loss, s.Rounds, true)
	})...)
}

// penaltyOfColumns is ρ of ADMM sharing: in the averaged form K√(c c₁ λ/NX), which is
// between the curvatures of the hub's loss and of the parties' ridge, or without a ridge of the rows' losses where they
// are flattest, unless what they are is secret; in the paper's form 2M c c₁, above which parties that step at once do
// not overshoot. Of a loss that is not convex it is a quarter above what its convergence is proved from, at least.
func (p *Sharing) penaltyOfColumns(s Setting, secret bool) (float64, string) {
	eta, why := p.penaltyOfConvex(s, secret)
	if problem.Convex(s.Split.Loss) {
		return eta, why
	}
	m := &sharing{Sharing: *p, Setting: s}
	least := m.share() * m.conditions().Least()
	if eta > 1.25*least {
		return eta, why
	}
	return 1.25 * least, fmt.Sprintf("a quarter above %.3g, from which on runs with a loss that is not convex are "+
		"proved to come to a stationary point", least)
}

func (p *Sharing) penaltyOfConvex(s Setting, secret bool) (float64, string) {
	v := s.Split
	parties := float64(len(v.Blocks))
	bend := v.Weight * v.Loss.Bound()
	if p.Form == "averaged" || parties == 1 {
		reach := 0.0
		for _, block := range v.Blocks {
			reach += norms(block)
		}
		flat, what := v.Ridge, "the ridge"
		if flat == 0 { // the least curvature is that of the rows' losses, in the direction that says least of them
			if flat = math.NaN(); !secret {
				flat, what = bend*theory.Flattest(v.Blocks), "without a ridge the least curvature of all rows'"
			}
			if math.IsNaN(flat) {
				return parties * bend, fmt.Sprintf("from the curvature %.3g of a row's loss, without a ridge", bend)
			}
		}
		return parties * math.Sqrt(bend*flat/(float64(v.N)*reach/parties)),
			fmt.Sprintf("from the curvature %.3g of a row's loss, %s %.3g and %d rows", bend, what, flat, v.N)
	}
	return 2 * parties * bend,
		fmt.Sprintf("twice the curvature %.3g of a row's loss, for each of %d parties that step at once", bend,
			len(v.Blocks))
}

func (p *Sharing) settle(s Setting) []Computed {
	return fill("eta", &p.Eta, func() (float64, string) { return p.penaltyOfColumns(s, false) })
}

// settle goes above (λ + b₁)/Mb₁ where the noise depends on ρ: from there on σ of SH19
// Lemma 1 does not fall by more than half.
func (p *PrivateSharing) settle(s Setting) []Computed {
	return fill("eta", &p.Eta, func() (float64, string) {
		eta, why := p.penaltyOfColumns(s, p.Cover != "off")
		quiet := (s.Split.Ridge + p.Bound) / (float64(len(s.Split.Blocks)) * p.Bound)
		if p.Cover == "off" || p.Sigma > 0 || quiet <= eta {
			return eta, why
		}
		return quiet, "from here on the noise of SH19 Lemma 1 does not fall by more than half"
	})
}

func (p *FDML) settle(s Setting) []Computed {
	return fill("step", &p.Step, func() (float64, string) {
		v := s.Split
		most := float64(v.Weight*v.Loss.Bound()*float64(v.N)*norms(v.Blocks...)) + v.Ridge
		return descent(most, v.Loss, s.Rounds, p.Decay != "none")
	})
}

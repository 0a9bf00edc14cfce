// The equations for the one sample that the informed adversary lacks, shared by the
// attacks that invert optimality conditions.

package adversary

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"overhear/adversary/model"

	"overhear/internal/num"
	"overhear/problem"
)

// condition is what a round says about the unknown sample u = y·x, in units of
// C/B:
//
//	P r = P (s(f·u) u + o + noise),  s = −L′
//
// where r is −B/C times what the known samples leave of the gradient, P takes
// hidden directions out, and o is an unknown vector that rounds share.
type condition struct {
	round  int
	at     []float64   // f
	target []float64   // P r
	hidden [][]float64 // orthonormal; P projects on their complement
	group  int         // which o; −1: none
	weight float64     // of Laplace: the rate of the noise's density; of Gaussian: 1/σ²; else 1
	free   *free       // a hidden penalty where there is noise; nil: none
	ridge  float64     // r + κ where the noise is a function of f, else 0

	// kernel is the factor of the known samples' ∇² + ridge·I, nil where the
	// determinant is left out.
	kernel *num.Cholesky
}

// free is a hidden penalty η that multiplies a vector which noise has moved: with
// it the condition is
//
//	P(r + η q) = P (s(f·u) u + o + noise)
//
// q contains the f that this round's noise has moved, so that q and the noise are
// correlated: projecting q out takes most of the noise with it and biases u, the
// more the nearer the nodes agree. It is right without noise only. The
// log-likelihood of η and u is
//
//	−w η^(−p) ‖rest‖ − p d log η + log det(∇² + (r + 2Vη)I),
//
// p = 1 where the noise is multiplied by η. All eigenvalues of the known samples'
// ∇² are taken for their mean, which in a penalty's presence they are next to.
// Of gradient descent 1/a takes the place of η, and det is (1/a)^d.
type free struct {
	q      []float64
	power  float64 // p
	start  float64 // r + mean eigenvalue
	growth float64 // 2V
}

// inversion is all conditions of a view. Minus the logarithm of their likelihood is
//
//	Σ_t ρ_t(‖P(r − s(f·u) u − o)‖) − Σ_t log(1 + (C/B) L″(f·u) uᵀA_t⁻¹u),
//
// where ρ(x) is w x for noise of density ∝ exp(−w‖ε‖) and ½w x² for Gaussian
// noise or none. The last sum is log det(∇² + (r+κ)I) less what does not depend
// on u: by the matrix determinant lemma, because u adds a matrix of rank one to
// A_t, that of the known samples. Where numbers are hidden it is the likelihood at
// their best values.
type inversion struct {
	d         int
	share     float64 // C/B
	loss      problem.Loss
	kind      model.Kind
	equations []condition
	memo      *Memo // nil: none
}

// informed sets up the equations for the sample that is not in Others. Its second
// result is what was not seen.
func informed(v *View) (*inversion, []string, error) {
	p, k := v.Public, v.Knows
	switch {
	case p.Targets:
		return nil, nil, errTargets
	case p.Classes > 0:
		return nil, nil, errClasses
	case k.Others == nil:
		return nil, nil, blocked("no samples of node %d are known; all but one are needed", k.Victim)
	case k.Size != len(k.Others.Y)+1:
		return nil, nil, blocked("%d samples of node %d are known, of %d; all but one are needed", len(k.Others.Y),
			k.Victim, k.Size)
	case debias(p) != 0:
		return nil, nil, blocked("the labels that enter are the reported ones, so that true samples do not tell what " +
			"the known ones contribute")
	}
	gradients, unseen := v.Gradients(k.Victim, k.Size)
	s := &inversion{d: p.D, share: p.C / float64(k.Size), loss: p.Loss, memo: v.memo}
	for _, g := range gradients {
		e := condition{round: g.Round, at: g.At, group: g.Offset - 1, weight: 1}
		nuisance := g.Nuisance
		if g.Noise.Kind != model.Silent {
			s.kind = g.Noise.Kind
			level := v.freed(&g, &e)
			if e.free != nil {
				nuisance = slices.Delete(slices.Clone(nuisance), g.Unknown.Nuisance, g.Unknown.Nuisance+1)
			}
			switch {
			case level == 0: // of unknown scale: every round weighs alike
			case s.kind == model.Gaussian:
				e.weight = num.Power(s.share/level, 2)
			default:
				e.weight = level * s.share
			}
			if g.Implicit() && g.Nuisance == nil {
				e.ridge = g.Ridge
			}
		}
		e.hidden = orthonormal(nuisance)
		if e.free != nil {
			num.Scale(1/s.share, e.free.q)
			e.project(e.free.q)
		}
		e.target = dataGradient(k.Others.U, s.share, p.Loss, g.At)
		num.Axpy(-1, g.Value, e.target)
		num.Scale(1/s.share, e.target)
		e.project(e.target)
		s.equations = append(s.equations, e)
	}
	return s, unseen, nil
}

// freed sets up the hidden penalty of a condition, if it has one and a law of
// noise for which it is worked out, and returns the noise's level, of η = 1 where it
// depends on η; 0: not known.
func (v *View) freed(g *model.Gradient, e *condition) (level float64) {
	p, k := v.Public, v.Knows
	switch {
	case g.Unknown == nil:
		return g.Noise.Level
	case g.Noise.Kind == model.Gaussian:
		return 0
	}
	e.free = &free{q: slices.Clone(g.Nuisance[g.Unknown.Nuisance]), growth: g.Unknown.Growth, power: g.Noise.Power}
	if !g.Unknown.Explicit {
		e.free.start = p.R[k.Victim] + meanCurvature(k.Others.U, p.C/float64(k.Size), p.Loss, g.At)
	}
	return g.Noise.Level
}

// meanCurvature is the mean eigenvalue of share·Σ_n L″(u_n·f) u_n u_nᵀ.
func meanCurvature(u *problem.Rows, share float64, loss problem.Loss, f []float64) float64 {
	if u == nil {
		return 0
	}
	z := make([]float64, u.Len())
	for n := range z {
		z[n] = u.Dot(n, f)
	}
	loss.Curvatures(z, z)
	sum := 0.0
	for n, bend := range z {
		_, vals := u.Row(n)
		sum += float64(share * bend * num.Dot(vals, vals))
	}
	return sum / float64(len(f))
}

// best is the likeliest η and its part of minus the logarithm of the likelihood,
// where ‖rest‖² = c₀ + 2c₁η + c₂η² in d dimensions.
func (f *free) best(weight, c0, c1, c2 float64, d int) (eta, cost float64) {
	at := func(log float64) float64 {
		eta := num.Exp(log)
		length := math.Sqrt(max(0, c0+float64(eta*(float64(2*c1)+float64(eta*c2)))))
		return float64(weight*num.Exp(-f.power*log)*length) +
			float64(float64(d)*(float64(f.power*log)-num.Log(f.start+float64(f.growth*eta))))
	}
	const from, to, points = -10.0, 10.0, 40
	const step = (to - from) / points
	middle := 0.0
	least := math.Inf(1)
	for k := range points + 1 {
		x := from + float64(step*float64(k))
		if c := at(x); c < least {
			middle, least = x, c
		}
	}
	const golden = 0.6180339887498949
	a, b := middle-step, middle+step
	x, y := b-float64(golden*(b-a)), a+float64(golden*(b-a))
	fx, fy := at(x), at(y)
	for range 40 {
		if fx < fy {
			b, y, fy = y, x, fx
			x = b - float64(golden*(b-a))
			fx = at(x)
		} else {
			a, x, fx = x, y, fy
			y = a + float64(golden*(b-a))
			fy = at(y)
		}
	}
	eta = num.Exp((a + b) / 2)
	return eta, float64(d) * (float64(f.power*num.Log(eta)) - num.Log(f.start+float64(f.growth*eta)))
}

// removed are the directions in which, and how much, a condition's part of the
// Gauss–Newton matrix is less than pull·I, its hidden numbers having been
// eliminated: pull·I − Σ weight·vector vectorᵀ.
func (p *point) removed(e *condition, t int) (vectors [][]float64, weights []float64) {
	for _, h := range e.hidden {
		vectors, weights = append(vectors, h), append(weights, p.pull[t])
	}
	if f := e.free; f != nil {
		w, eta, d := p.pull[t], p.eta[t], float64(len(f.q))
		if f.power == 0 {
			bend := num.Power(f.growth/(f.start+float64(f.growth*eta)), 2)
			return append(vectors, f.q), append(weights, w*w/(float64(w*num.Dot(f.q, f.q))+float64(d*bend)))
		}
		// In 1/η, of which the rest over η is linear.
		base := append([]float64(nil), p.rest[t]...)
		num.Axpy(-eta, f.q, base)
		bend := num.Power(f.start/(f.start/eta+f.growth), 2)
		w *= float64(eta * eta)
		return append(vectors, base), append(weights, w*p.pull[t]/(float64(w*num.Dot(base, base))+float64(d*bend)))
	}
	return vectors, weights
}

// dataGradient is share·Σ_n L′(u_n·f) u_n.
func dataGradient(u *problem.Rows, share float64, loss problem.Loss, f []float64) []float64 {
	g := make([]float64, len(f))
	if u == nil {
		return g
	}
	z := make([]float64, u.Len())
	for n := range z {
		z[n] = u.Dot(n, f)
	}
	loss.Slopes(z, z)
	for n, slope := range z {
		cols, vals := u.Row(n)
		for k, c := range cols {
			g[c] += float64(share * slope * vals[k])
		}
	}
	return g
}

// rankTolerance is the part of a hidden direction, relative to its length, that
// must be outside the span of those before it. What is dropped by mistake stays
// in the equations at this relative size; what is kept by mistake costs one
// equation.
const rankTolerance = 1e-12

// orthonormal is a basis of the span of vectors, by Gram and Schmidt, twice.
func orthonormal(vectors [][]float64) (basis [][]float64) {
	for _, v := range vectors {
		w := append([]float64(nil), v...)
		for range 2 {
			for _, b := range basis {
				num.Axpy(-num.Dot(b, w), b, w)
			}
		}
		if n := num.Norm(w); n > rankTolerance*num.Norm(v) {
			num.Scale(1/n, w)
			basis = append(basis, w)
		}
	}
	return basis
}

// project replaces x by P x.
func (e *condition) project(x []float64) {
	for _, b := range e.hidden {
		num.Axpy(-num.Dot(b, x), b, x)
	}
}

// maxKernel is the number of columns above which the determinants cost more than
// they tell and are left out.
const maxKernel = 256

// addKernels brings the determinants in. A_t = (C/B)Σ L″ u_n u_nᵀ + ridge·I.
func (s *inversion) addKernels(others *problem.Rows) error {
	if s.kind == model.Silent || s.d > maxKernel {
		return nil
	}
	for t := range s.equations {
		e := &s.equations[t]
		if e.ridge == 0 {
			continue
		}
		var key [sha256.Size]byte
		if s.memo != nil {
			key = sha256.Sum256(keyed(nil).number(s.share, e.ridge).vectors(e.at))
			if e.kernel = s.memo.kernels[key]; e.kernel != nil {
				continue
			}
		}
		h := make([]float64, num.Packed(s.d))
		for k := range s.d {
			h[num.Packed(k)+k] = e.ridge
		}
		if others != nil {
			z := make([]float64, others.Len())
			for n := range z {
				z[n] = others.Dot(n, e.at)
			}
			s.loss.Curvatures(z, z)
			for n, bend := range z {
				cols, vals := others.Row(n)
				for i, ci := range cols {
					row, x := h[num.Packed(int(ci)):], s.share*bend*vals[i]
					for j, cj := range cols[:i+1] {
						row[cj] += float64(x * vals[j])
					}
				}
			}
		}
		e.kernel = new(num.Cholesky)
		if err := e.kernel.Factor(h, s.d); err != nil {
			return fmt.Errorf("factoring the Hessian of the known samples in round %d: %w", e.round, err)
		}
		if s.memo != nil {
			s.memo.kernels[key] = e.kernel
			s.memo.keep(key, num.Packed(s.d))
		}
	}
	return nil
}

// only is the system of those equations that keep says.
func (s *inversion) only(keep func(*condition) bool) *inversion {
	out := *s
	out.equations = nil
	for _, e := range s.equations {
		if keep(&e) {
			out.equations = append(out.equations, e)
		}
	}
	return &out
}

// first is the system of the first n equations, but for those whose unknown
// vector no other of them shares: they say nothing.
func (s *inversion) first(n int) *inversion {
	out := *s
	out.equations = s.equations[:n]
	count := map[int]int{}
	for _, e := range out.equations {
		count[e.group]++
	}
	return out.only(func(e *condition) bool { return e.group < 0 || count[e.group] > 1 })
}

// unknown is how many hidden numbers are in a condition.
func (e *condition) unknown() int {
	if e.free != nil {
		return len(e.hidden) + 1
	}
	return len(e.hidden)
}

// surplus is how many scalar equations there are more than unknown numbers.
func (s *inversion) surplus() int {
	n := -s.d
	groups := map[int]bool{}
	for _, e := range s.equations {
		n += s.d - e.unknown()
		if e.group >= 0 && !groups[e.group] {
			groups[e.group] = true
			n -= s.d
		}
	}
	return n
}

// sample is the sample of u = y x. The label is the sign of the columns that are
// never negative, the intercept among them; without such columns, or where the
// sign of u is not determined and there are none, Y is 0 and X is ±x.
func (k *Knowledge) sample(u []float64, signed bool) (x []float64, y float64) {
	x = append([]float64(nil), u...)
	sum := 0.0
	if k.Schema != nil {
		for c, sign := range k.Schema.Sign {
			if sign {
				sum += u[c]
			}
		}
		if c := k.Schema.Intercept; c >= 0 && c < len(u) && !(c < len(k.Schema.Sign) && k.Schema.Sign[c]) {
			sum += u[c]
		}
	}
	if sum == 0 {
		return x, 0
	}
	y = math.Copysign(1, sum)
	num.Scale(y, x)
	if !signed {
		y = 0
	}
	return x, y
}

// labelled says in words how the label came about.
func (k *Knowledge) labelled(y float64, signed bool) string {
	switch {
	case !signed:
		return "; the label is not determined, because −u fits as well as u"
	case y == 0:
		return "; no column tells the label, so that the sample is known up to its sign"
	}
	return fmt.Sprintf("; columns that are never negative give the label %+.0f", y)
}

// intoBall scales u to the unit ball, where all rows are.
func intoBall(u []float64) {
	if n := num.Norm(u); n > 1 {
		num.Scale(1/n, u)
	}
}

// The equations for the one sample that the informed adversary lacks, and their
// solution: shared by the attacks that invert optimality conditions.

package adversary

import (
	"fmt"
	"math"

	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
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
	weight float64     // of Norm: the rate of the noise's density; of Gauss: 1/σ²; else 1
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
	kind      NoiseKind
	equations []condition
}

// informed sets up the equations for the sample that is not in Others. Its second
// result is what was not seen.
func informed(v *View) (*inversion, []string, error) {
	p, k := v.Public, v.Knows
	switch {
	case k.Others == nil:
		return nil, nil, blocked("no samples of node %d are known; all but one are needed", k.Victim)
	case k.Size != len(k.Others.Y)+1:
		return nil, nil, blocked("%d samples of node %d are known, of %d; all but one are needed", len(k.Others.Y), k.Victim, k.Size)
	case p.Method == "pdml" && p.Words["labels"] != "true":
		return nil, nil, blocked("the labels that enter are the reported ones, so that true samples do not tell what the known ones contribute")
	}
	gradients, unseen := v.Gradients(k.Victim, k.Size)
	s := &inversion{d: p.D, share: p.C / float64(k.Size), loss: p.Loss}
	for _, g := range gradients {
		e := condition{round: g.Round, at: g.At, group: g.Offset - 1, weight: 1}
		nuisance := g.Nuisance
		if g.Noise.Kind != Silent {
			s.kind = g.Noise.Kind
			level, err := v.freed(&g, &e)
			if err != nil {
				return nil, nil, err
			}
			if e.free != nil {
				nuisance = nuisance[1:]
			}
			switch {
			case level == 0: // of unknown scale: every round weighs alike
			case s.kind == Gauss:
				e.weight = math.Pow(s.share/level, 2)
			default:
				e.weight = level * s.share
			}
			if g.Implicit && g.Nuisance == nil {
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
func (v *View) freed(g *Gradient, e *condition) (level float64, err error) {
	p, k := v.Public, v.Knows
	hidden, _ := p.hides()
	switch {
	case p.Method == "private-dgd" && p.Hidden["step"]:
		e.free = &free{growth: 1}
	case !hidden || !nodeDual(p.Method):
		return g.Noise.Level, nil
	case g.Noise.Kind == Gauss:
		return 0, nil
	default:
		e.free = &free{start: p.R[k.Victim] + meanCurvature(k.Others.U, p.C/float64(k.Size), p.Loss, g.At), growth: 2 * float64(p.Graph.Degree(k.Victim))}
	}
	e.free.q = append([]float64(nil), g.Nuisance[0]...)
	switch p.Method {
	case "private-dgd": // the multiplier of the vector is 1/a, not −η
		num.Scale(-1, e.free.q)
	case "penalty-perturbation": // α/(2Vη)
		e.free.power = 1
		level, err = p.at("alpha", k.Victim, g.Round)
		return level / e.free.growth, err
	case "dvp": // as if α̂ were α, from which it differs by a logarithm that depends on η
		level, err = p.at("alpha", k.Victim, g.Round)
		if p.Words["calibration"] != "listing" {
			level /= 2
		}
		return level * float64(k.Size) / p.C, err
	}
	return g.Noise.Level, nil
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
		sum += share * bend * num.Dot(vals, vals)
	}
	return sum / float64(len(f))
}

// best is the likeliest η and its part of minus the logarithm of the likelihood,
// where ‖rest‖² = c₀ + 2c₁η + c₂η² in d dimensions.
func (f *free) best(weight, c0, c1, c2 float64, d int) (eta, cost float64) {
	at := func(log float64) float64 {
		eta := math.Exp(log)
		length := math.Sqrt(max(0, c0+eta*(2*c1+eta*c2)))
		return weight*math.Exp(-f.power*log)*length + float64(d)*(f.power*log-math.Log(f.start+f.growth*eta))
	}
	const from, to, points = -10.0, 10.0, 40
	const step = (to - from) / points
	middle := 0.0
	least := math.Inf(1)
	for k := range points + 1 {
		if c := at(from + step*float64(k)); c < least {
			middle, least = from+step*float64(k), c
		}
	}
	const golden = 0.6180339887498949
	a, b := middle-step, middle+step
	x, y := b-golden*(b-a), a+golden*(b-a)
	fx, fy := at(x), at(y)
	for range 40 {
		if fx < fy {
			b, y, fy = y, x, fx
			x = b - golden*(b-a)
			fx = at(x)
		} else {
			a, x, fx = x, y, fy
			y = a + golden*(b-a)
			fy = at(y)
		}
	}
	eta = math.Exp((a + b) / 2)
	return eta, float64(d) * (f.power*math.Log(eta) - math.Log(f.start+f.growth*eta))
}

// removed are the directions in which, and how much, a condition's part of the
// Gauss-Newton matrix is less than pull·I, its hidden numbers having been
// eliminated: pull·I − Σ weight·vector vectorᵀ.
func (p *point) removed(e *condition, t int) (vectors [][]float64, weights []float64) {
	for _, h := range e.hidden {
		vectors, weights = append(vectors, h), append(weights, p.pull[t])
	}
	if f := e.free; f != nil {
		w, eta, d := p.pull[t], p.eta[t], float64(len(f.q))
		if f.power == 0 {
			bend := math.Pow(f.growth/(f.start+f.growth*eta), 2)
			return append(vectors, f.q), append(weights, w*w/(w*num.Dot(f.q, f.q)+d*bend))
		}
		// In 1/η, of which the rest over η is linear.
		base := append([]float64(nil), p.rest[t]...)
		num.Axpy(-eta, f.q, base)
		bend := math.Pow(f.start/(f.start/eta+f.growth), 2)
		return append(vectors, base), append(weights, w*w*eta*eta/(w*eta*eta*num.Dot(base, base)+d*bend))
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
			g[c] += share * slope * vals[k]
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
	if s.kind == Silent || s.d > maxKernel {
		return nil
	}
	for t := range s.equations {
		e := &s.equations[t]
		if e.ridge == 0 {
			continue
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
						row[cj] += x * vals[j]
					}
				}
			}
		}
		e.kernel = new(num.Cholesky)
		if err := e.kernel.Factor(h, s.d); err != nil {
			return fmt.Errorf("factoring the Hessian of the known samples in round %d: %w", e.round, err)
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

// point is a u, with all that follows from it.
type point struct {
	u    []float64
	o    map[int][]float64 // by group
	cost float64

	s, bend []float64   // s and L″ by equation
	rest    [][]float64 // P(r − s u − o) by equation
	pull    []float64   // ρ′(x)/x by equation
	eta     []float64   // the likeliest hidden penalty by equation
	det     []float64   // (C/B)uᵀA⁻¹u by equation
	inverse [][]float64 // A⁻¹u
	fence   float64     // weight of the penalty outside the unit ball
}

// smoothing keeps ‖·‖ differentiable at 0: √(x² + δ²) − δ takes its place.
const smoothing = 1e-9

// at evaluates the likelihood.
func (s *inversion) at(u []float64, o map[int][]float64, fence float64) *point {
	n := len(s.equations)
	p := &point{
		u: u, o: o, fence: fence, s: make([]float64, n), bend: make([]float64, n), pull: make([]float64, n), eta: make([]float64, n),
		det: make([]float64, n), rest: make([][]float64, n), inverse: make([][]float64, n),
	}
	z := make([]float64, n)
	for t := range s.equations {
		z[t] = num.Dot(s.equations[t].at, u)
	}
	s.loss.Slopes(p.s, z)
	s.loss.Curvatures(p.bend, z)
	for t := range s.equations {
		e := &s.equations[t]
		p.s[t] = -p.s[t]
		rest := append([]float64(nil), e.target...)
		num.Axpy(-p.s[t], u, rest)
		if e.group >= 0 {
			num.Axpy(-1, o[e.group], rest)
		}
		e.project(rest)
		p.rest[t] = rest
		weight := e.weight
		if f := e.free; f != nil {
			eta, cost := f.best(weight, num.Dot(rest, rest), num.Dot(rest, f.q), num.Dot(f.q, f.q), s.d)
			num.Axpy(eta, f.q, rest)
			weight *= math.Pow(eta, -f.power)
			p.eta[t] = eta
			p.cost += cost
		}
		square := num.Dot(rest, rest)
		if s.kind == Norm {
			smooth := math.Sqrt(square + smoothing*smoothing)
			p.cost += weight * (smooth - smoothing)
			p.pull[t] = weight / smooth
		} else {
			p.cost += 0.5 * e.weight * square
			p.pull[t] = e.weight
		}
		if e.kernel != nil {
			p.inverse[t] = append([]float64(nil), u...)
			e.kernel.Solve(p.inverse[t])
			p.det[t] = s.share * num.Dot(u, p.inverse[t])
			p.cost -= math.Log1p(p.bend[t] * p.det[t])
		}
	}
	if out := num.Norm(u) - 1; out > 0 {
		p.cost += 0.5 * fence * out * out
	}
	return p
}

// tangent is a point's gradient and Gauss–Newton matrix.
type tangent struct {
	slope  []float64 // of the cost, by u
	matrix []float64 // of u, packed; unknown vectors eliminated
	groups []*offsets
}

// offsets is an unknown vector's part of the tangent.
type offsets struct {
	group int
	slope []float64

	// Where nothing is hidden its matrix is mass·I and what couples it to u is
	// a I + p uᵀ.
	mass, a float64
	p       []float64

	factor *num.Cholesky // of its matrix where directions are hidden
	couple [][]float64   // rows by u, columns by o
}

// outer adds a·x xᵀ to a packed lower triangle.
func outer(a float64, x, packed []float64) {
	for i, v := range x {
		if v != 0 {
			num.Axpy(a*v, x[:i+1], packed[num.Packed(i):num.Packed(i)+i+1])
		}
	}
}

// pair adds x yᵀ + y xᵀ to a packed lower triangle.
func pair(x, y, packed []float64) {
	for i := range x {
		row := packed[num.Packed(i) : num.Packed(i)+i+1]
		num.Axpy(x[i], y[:i+1], row)
		num.Axpy(y[i], x[:i+1], row)
	}
}

// tangent linearises: the rest of an equation changes by −P J du − P do, with
// J = s I − L″ u fᵀ.
func (s *inversion) tangent(p *point) (*tangent, error) {
	d, u := s.d, p.u
	m := &tangent{slope: make([]float64, d), matrix: make([]float64, num.Packed(d))}
	mixed := make([]float64, d) // Σ ω s s′ f
	square := num.Dot(u, u)
	diagonal := 0.0
	byGroup := map[int]*offsets{}
	column := make([]float64, d)
	for t := range s.equations {
		e := &s.equations[t]
		w, sl, b := p.pull[t], p.s[t], -p.bend[t]
		num.Axpy(-w*sl, p.rest[t], m.slope)
		num.Axpy(-w*b*num.Dot(u, p.rest[t]), e.at, m.slope)
		diagonal += w * sl * sl
		num.Axpy(w*sl*b, e.at, mixed)
		outer(w*b*b*square, e.at, m.matrix)
		vectors, weights := p.removed(e, t)
		for i, h := range vectors {
			for k := range column {
				column[k] = sl * h[k]
			}
			num.Axpy(b*num.Dot(u, h), e.at, column)
			outer(-weights[i], column, m.matrix)
		}
		if e.kernel != nil {
			const h = 1e-5
			ends := [2]float64{num.Dot(e.at, u) - h, num.Dot(e.at, u) + h}
			s.loss.Curvatures(ends[:], ends[:])
			scale := 1 / (1 + p.bend[t]*p.det[t])
			num.Axpy(-scale*p.det[t]*(ends[1]-ends[0])/(2*h), e.at, m.slope)
			num.Axpy(-2*scale*s.share*p.bend[t], p.inverse[t], m.slope)
		}
		if e.group >= 0 {
			g := byGroup[e.group]
			if g == nil {
				g = &offsets{group: e.group, slope: make([]float64, d), p: make([]float64, d)}
				byGroup[e.group] = g
				m.groups = append(m.groups, g)
			}
			num.Axpy(-w, p.rest[t], g.slope)
			g.mass += w
			g.a += w * sl
			num.Axpy(w*b, e.at, g.p)
			if e.unknown() > 0 {
				g.couple = make([][]float64, d)
			}
		}
	}
	pair(u, mixed, m.matrix)
	if n := math.Sqrt(square); n > 1 {
		num.Axpy(p.fence*(n-1)/n, u, m.slope)
		outer(p.fence/square, u, m.matrix)
	}
	for _, g := range m.groups {
		if g.couple != nil {
			if err := s.eliminate(p, m, g); err != nil {
				return nil, err
			}
			continue
		}
		diagonal -= g.a * g.a / g.mass
		scaled := append([]float64(nil), g.p...)
		num.Scale(-g.a/g.mass, scaled)
		pair(u, scaled, m.matrix)
		outer(-square/g.mass, g.p, m.matrix)
	}
	for k := range d {
		m.matrix[num.Packed(k)+k] += diagonal
	}
	return m, nil
}

// eliminate takes an unknown vector out where directions are hidden.
func (s *inversion) eliminate(p *point, m *tangent, g *offsets) error {
	d := s.d
	own := make([]float64, num.Packed(d))
	for k := range d {
		own[num.Packed(k)+k] = g.mass * (1 + 1e-12) // two rounds may hide the same direction
		g.couple[k] = make([]float64, d)
		g.couple[k][k] = g.a
	}
	for t := range s.equations {
		e := &s.equations[t]
		if e.group != g.group {
			continue
		}
		left := append([]float64(nil), p.u...)
		num.Scale(p.pull[t], left)
		vectors, weights := p.removed(e, t)
		for i, h := range vectors {
			num.Axpy(-weights[i]*num.Dot(h, p.u), h, left)
			outer(-weights[i], h, own)
			for k, x := range h {
				num.Axpy(-weights[i]*p.s[t]*x, h, g.couple[k])
			}
		}
		for k, f := range e.at {
			num.Axpy(-p.bend[t]*f, left, g.couple[k])
		}
	}
	g.factor = new(num.Cholesky)
	if err := g.factor.Factor(own, d); err != nil {
		return fmt.Errorf("eliminating an unknown vector: %w", err)
	}
	solved := make([]float64, d)
	for i := range d {
		copy(solved, g.couple[i])
		g.factor.Solve(solved)
		row := m.matrix[num.Packed(i) : num.Packed(i)+i+1]
		for j := range row {
			row[j] -= num.Dot(g.couple[j], solved)
		}
	}
	return nil
}

// step solves for the damped Gauss–Newton step.
func (m *tangent) step(u []float64, damping float64) (du []float64, do map[int][]float64, err error) {
	d := len(u)
	matrix := append([]float64(nil), m.matrix...)
	for k := range d {
		matrix[num.Packed(k)+k] += damping
	}
	var factor num.Cholesky
	if err := factor.Factor(matrix, d); err != nil {
		return nil, nil, err
	}
	du = make([]float64, d)
	num.Axpy(-1, m.slope, du)
	for _, g := range m.groups {
		if g.couple == nil {
			num.Axpy(g.a/g.mass, g.slope, du)
			num.Axpy(num.Dot(u, g.slope)/g.mass, g.p, du)
			continue
		}
		solved := append([]float64(nil), g.slope...)
		g.factor.Solve(solved)
		for k := range du {
			du[k] += num.Dot(g.couple[k], solved)
		}
	}
	factor.Solve(du)
	do = map[int][]float64{}
	for _, g := range m.groups {
		x := make([]float64, d)
		num.Axpy(-1, g.slope, x)
		if g.couple == nil {
			num.Axpy(-g.a, du, x)
			num.Axpy(-num.Dot(g.p, du), u, x)
			num.Scale(1/g.mass, x)
		} else {
			for k := range du {
				num.Axpy(-du[k], g.couple[k], x)
			}
			g.factor.Solve(x)
		}
		do[g.group] = x
	}
	return du, do, nil
}

// means are the unknown vectors that fit u in the mean, a start.
func (s *inversion) means(u []float64) map[int][]float64 {
	o := map[int][]float64{}
	count := map[int]float64{}
	for _, e := range s.equations {
		if e.group < 0 {
			continue
		}
		if o[e.group] == nil {
			o[e.group] = make([]float64, s.d)
		}
		slope := []float64{num.Dot(e.at, u)}
		s.loss.Slopes(slope, slope)
		num.Axpy(1, e.target, o[e.group])
		num.Axpy(slope[0], u, o[e.group])
		count[e.group]++
	}
	for g, x := range o {
		num.Scale(1/count[g], x)
	}
	return o
}

// enough is a gain of log-likelihood below which a search ends where there is
// noise.
const enough = 1e-7

// descend is Levenberg's and Marquardt's method from u, with the weights of
// iteratively reweighted least squares where ρ is a norm. u stays in the unit
// ball, where all rows are, by a penalty.
func (s *inversion) descend(u []float64, steps int) (*point, error) {
	u = append([]float64(nil), u...)
	o := s.means(u)
	p := s.at(u, o, 0)
	fence := 0.0
	for _, w := range p.pull {
		fence += 100 * w
	}
	p = s.at(u, o, fence)
	scale, damping := 0.0, 0.0
	for range steps {
		m, err := s.tangent(p)
		if err != nil {
			return nil, err
		}
		if damping == 0 {
			for k := range s.d {
				scale = max(scale, m.matrix[num.Packed(k)+k])
			}
			if scale == 0 {
				scale = 1
			}
			damping = 1e-3 * scale
		}
		better := false
		var moved, gained float64
		for ; damping < 1e8*scale; damping *= 10 {
			du, do, err := m.step(p.u, damping)
			if err != nil {
				continue // not positive definite to rounding: damp more
			}
			next := append([]float64(nil), p.u...)
			num.Axpy(1, du, next)
			offsets := map[int][]float64{}
			for g, x := range do {
				num.Axpy(1, p.o[g], x)
				offsets[g] = x
			}
			if q := s.at(next, offsets, fence); q.cost < p.cost {
				moved, gained = num.Norm(du), p.cost-q.cost
				p, better = q, true
				break
			}
		}
		if !better || moved <= 1e-15*num.Norm(p.u) || s.kind != Silent && gained < enough {
			break
		}
		damping = max(damping/10, 1e-14*scale)
	}
	return p, nil
}

// residual is what an estimate leaves, relative to what there was to explain.
func (s *inversion) residual(p *point) float64 {
	left, all := 0.0, 0.0
	for t, e := range s.equations {
		left += num.Dot(p.rest[t], p.rest[t])
		given := e.target
		if e.free != nil {
			given = append([]float64(nil), given...)
			num.Axpy(p.eta[t], e.free.q, given)
		}
		all += num.Dot(given, given)
	}
	return math.Sqrt(left / all)
}

// rank is how many directions of u the equations determine at a point.
func (s *inversion) rank(p *point) (int, error) {
	m, err := s.tangent(p)
	if err != nil {
		return 0, err
	}
	full := make([]float64, s.d*s.d)
	for i := range s.d {
		copy(full[i*s.d:], m.matrix[num.Packed(i):num.Packed(i)+i+1])
	}
	var pivoted num.Pivoted
	if err := pivoted.Factor(full, s.d, 1e-11); err != nil {
		return 0, fmt.Errorf("finding what the equations determine: %w", err)
	}
	return pivoted.Rank, nil
}

// estimate is a point as a finding reports it.
func (s *inversion) estimate(k *Knowledge, p *point, signed bool) record.Estimate {
	u := append([]float64(nil), p.u...)
	intoBall(u)
	x, y := k.sample(u, signed)
	return record.Estimate{Rounds: len(s.equations), X: x, Y: y, Residual: record.Number(s.residual(p))}
}

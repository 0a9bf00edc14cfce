// PDML's objective noise is the same in every round and cancels in differences;
// what is left decays.

package adversary

import (
	"fmt"
	"math"

	"overhear/adversary/model"

	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/record"
)

func init() {
	register(&Attack{
		Name:  "gradient-differencing",
		Title: "differences of perturbed gradients",
		Equation: "∇J̃(t) − ∇J̃(t−1) = ∇(w̃(t)) − ∇(w̃(t−1)) − (∇² + r + 2ηV)(θ(t) − θ(t−1)), θ(t) ~ N(0, " +
			"decay^{t−1} v² I)",
		About: `PDML's server adds one vector η_i/N to its objective, drawn once: it cancels in differences of what
rounds say of the gradient. What is left is the noise of the iterates, whose variance falls by the factor decay
in every round.
Who knows the reports of all users but one fits that user's u = y′x to all rounds, each weighted by 1/variance,
with the vector η_i/N free. The linear term of the debiased loss is the same in all rounds and drops out with
it. u and −u have the same differences, as s(z) + s(−z) = 1; but they need vectors η_i/N that are (C/B)(e^ε +
1)/(e^ε − 1)u apart, and where only one of the two is in the ball of radius R/N, the reported label y′ is known
too.`,
		Needs: "PDML's messages of two rounds or more, public penalties; for a user's report, those of all the " +
			"server's other users",
		Run: differencing,
	})
}

// useless is the expected error of u, whose length is at most 1, from which on an
// estimate says next to nothing.
const useless = 0.5

func differencing(v *View, f *record.Finding) error {
	p, k := v.Public, v.Knows
	if _, ok := p.Method.(model.FixedNoise); !ok {
		return blocked("method %s adds no vector to its objective that all rounds share", p.Name)
	}
	if projects(p) {
		return blocked("iterates are projected on a ball, where the optimality condition does not hold")
	}
	all, unseen, hidden := v.differences(f.Victim, max(k.Size, 1))
	f.Unseen = unseen
	switch {
	case hidden:
		return blocked("penalties are hidden, so that differences are not known")
	case len(all) == 0:
		return blocked("no two rounds of node %d were seen that miss the same vector", f.Victim)
	}
	clear, root := 0, math.Sqrt(float64(p.D))
	expected := make([]float64, len(all))
	for n, d := range all {
		f.Facts = append(f.Facts, record.Fact{Kind: record.GradientDifference, Node: f.Victim, Round: d.to.Round,
			Since: d.from.Round, Values: d.values, Relative: notKnown, Terms: d.from.Size + d.to.Size})
		expected[n] = root * num.Hypot(d.from.Noise.Level, d.to.Noise.Level)
		size := num.Norm(d.values)
		if expected[n] <= size/2 {
			clear++
		}
		if p.Method.Noisy() {
			f.Checks = append(f.Checks, record.Check{
				Kind: record.DifferenceNoise, Of: d.to.Round,
				Measured: record.Number(expected[n]), Bound: record.Number(size), Holds: expected[n] <= size,
			})
		}
	}
	known := plural.With(len(all), "difference", "of gradients is", "of gradients are")
	if p.Method.Noisy() {
		f.Conclusion = fmt.Sprintf("%s free of the objective's noise; the iterates' "+
			"leaves about %.2g in the first and %.2g in the last, less than half of the difference in %d of them",
			known, expected[0], expected[len(all)-1], clear)
	} else {
		f.Conclusion = known + " known, without noise"
	}
	switch {
	case k.Others == nil:
		return nil
	case k.Size != len(k.Others.Y)+1:
		f.Conclusion += fmt.Sprintf("; the reports of %d of %d users are known, and all but one would be needed to "+
			"find a user's", len(k.Others.Y), k.Size)
		return nil
	}
	return v.unknownReport(f)
}

// unknownReport fits the one report that is not known.
func (v *View) unknownReport(f *record.Finding) error {
	p, k := v.Public, v.Knows
	gradients, _ := v.Gradients(f.Victim, k.Size)
	s := &inversion{d: p.D, share: p.C / float64(k.Size), loss: p.Loss, kind: model.Gaussian}
	for i := range gradients {
		g := &gradients[i]
		e := condition{round: g.Round, at: g.At, target: gradientOver(p, k.Others, k.Size, g.At), group: g.Offset}
		num.Axpy(-1, g.Value, e.target)
		num.Scale(1/s.share, e.target)
		level := num.Hypot(g.Noise.Level, solverError(p, num.Norm(g.Value), g.Ridge,
			num.Norm(g.At))/math.Sqrt(float64(p.D)))
		e.weight = num.Power(s.share/level, 2)
		s.equations = append(s.equations, e)
	}
	var previous []float64
	var u []float64
	signed, uncertain := false, math.Inf(1)
	for _, n := range counts(len(s.equations)) {
		part := s.first(n)
		if len(part.equations) < 2 || part.surplus() < 0 {
			continue
		}
		found, err := part.solve(f.Victim, previous)
		if err != nil {
			return err
		}
		previous = found.u
		u = append([]float64(nil), found.u...)
		intoBall(u)
		uncertain = part.uncertainty(u)
		signed = v.orient(u, found.o[1], uncertain, part)
		x, y := k.sample(u, signed)
		f.Estimates = append(f.Estimates, record.Estimate{Rounds: len(part.equations), X: x, Y: y,
			Residual: record.Number(part.residual(found.point))})
	}
	if u == nil {
		f.Conclusion += "; the rounds leave fewer equations than unknown numbers of a report"
		return nil
	}
	if uncertain > useless {
		f.Succeeded = record.Failed
		f.Conclusion += fmt.Sprintf("; the unknown user's (x, y′) is hidden: the noise leaves an error of %.2g where "+
			"‖x‖ ≤ 1", uncertain)
		return nil
	}
	f.Conclusion += fmt.Sprintf("; the unknown user's x follows with an expected error of %.2g, where ‖x‖ ≤ 1",
		uncertain)
	switch {
	case signed:
		f.Conclusion += ", and the sign of y′x with it, because with the other one the objective's noise would be " +
			"out of its ball"
	default:
		f.Conclusion += ", but for the sign of y′x: −y′x fits with another objective noise"
	}
	return nil
}

// orient says whether the sign of u is determined, and turns u if it is the other
// one: η_i/N = (C/B)(δu − o), and −u needs it (C/B)(1 + 2δ)u less, where the ball
// is of radius R/N. o, the vector that the fit found, is nil where other vectors
// are missing too, and the user's δ is not known where users have ε of their own.
func (v *View) orient(u, o []float64, uncertain float64, s *inversion) bool {
	p := v.Public
	fixed, ok := p.Method.(model.FixedNoise)
	delta, share := debias(p), s.share
	if o == nil || !ok || fixed.FixedRadius(p) == 0 || math.IsNaN(delta) {
		return false
	}
	here, mirrored := make([]float64, len(u)), make([]float64, len(u))
	for k := range u {
		here[k] = float64(share * (float64(delta*u[k]) - o[k]))
		mirrored[k] = here[k] - float64(share*(1+float64(2*delta))*u[k])
	}
	slack := float64(3 * share * (1 + delta) * uncertain)
	radius := fixed.FixedRadius(p)
	a, b := num.Norm(here) <= radius+slack, num.Norm(mirrored) <= radius+slack
	if b && !a {
		num.Scale(-1, u)
	}
	return a != b
}

// uncertainty is the expected ‖û − u‖ of weighted least squares with the groups'
// vectors free: √tr of the inverse of Σ w JᵀJ, J the derivative of s(f·u)u less
// its mean over the group.
func (s *inversion) uncertainty(u []float64) float64 {
	d, n := s.d, len(s.equations)
	z, slopes, bends := make([]float64, n), make([]float64, n), make([]float64, n)
	for t := range z {
		z[t] = num.Dot(s.equations[t].at, u)
	}
	s.loss.Slopes(slopes, z)
	s.loss.Curvatures(bends, z)
	type mean struct {
		weight, slope float64
		along         []float64
	}
	means := map[int]*mean{}
	for t, e := range s.equations {
		m := means[e.group]
		if m == nil {
			m = &mean{along: make([]float64, d)}
			means[e.group] = m
		}
		m.weight += e.weight
		m.slope += float64(e.weight * -slopes[t])
		num.Axpy(e.weight*-bends[t], e.at, m.along)
	}
	a := make([]float64, num.Packed(d))
	length := num.Dot(u, u)
	for t, e := range s.equations { // JᵀJ = α²I + α(ugᵀ + guᵀ) + ‖u‖²ggᵀ
		m := means[e.group]
		alpha := -slopes[t] - m.slope/m.weight
		g := append([]float64(nil), e.at...)
		num.Scale(-bends[t], g)
		num.Axpy(-1/m.weight, m.along, g)
		for i := range d {
			for j := range i + 1 {
				x := float64(alpha*(float64(u[i]*g[j])+float64(g[i]*u[j]))) + float64(length*g[i]*g[j])
				if i == j {
					x += float64(alpha * alpha)
				}
				a[num.Packed(i)+j] += float64(e.weight * x)
			}
		}
	}
	var c num.Cholesky
	if err := c.Factor(a, d); err != nil {
		return math.Inf(1)
	}
	trace, column := 0.0, make([]float64, d)
	for k := range d {
		clear(column)
		column[k] = 1
		c.Solve(column)
		trace += column[k]
	}
	return math.Sqrt(trace)
}

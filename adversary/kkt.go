// Inversion of the optimality condition of one round.

package adversary

import (
	"fmt"
	"math"

	"overhear/adversary/model"

	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
)

func init() {
	register(&Attack{
		Name:     "kkt-inversion",
		Title:    "KKT inversion of one round",
		Equation: "r = (B/C)(a + ηb) = σ(−f·u) u; u = k r with k = 1 + exp(k f·r)",
		About: `The minimiser that a node publishes makes the gradient of its step zero. Take from that equation the
terms of the penalty and those of the known samples, and what remains is one sample's: r = σ(−f·u) u, which has
the direction of u. Its length follows from one scalar equation. Noise, if there is any, is taken for none.`,
		Needs: "one whole round of the victim and its neighbours and all rounds before it, all of the victim's " +
			"samples but one, public penalties",
		Run: runKKT,
	})
}

// roots are the k for which k s(kτ) = 1, s = −L′, |k| ≤ most, in order of size:
// with τ = f·r, u = k r has s(f·u)u = r exactly for those.
//
// For the logistic loss s(z) = 1/(1 + e^z), so that φ(k) = k − 1 − e^{kτ} = 0.
//
// For τ ≤ 0, φ increases, φ(1) < 0 and φ(2) ≥ 0: there is one root, in (1, 2].
//
// For τ > 0, φ is concave and greatest at k* = −ln(τ)/τ, where it is
// (−ln τ − 1 − τ)/τ. There are two roots, on both sides of k*, if that is
// positive, which is τe^τ < 1/e, τ < W(1/e) = 0.27846; one, k*, in equality; none
// beyond: as f·r = z s(z) has its greatest value W(1/e) at z = 1.2785, no sample
// leaves such an r. The lower root is right if the sample's margin z is
// below 1.2785. Near the double root errors in r are enlarged without bound.
//
// ‖u‖ ≤ 1, |k| ≤ 1/‖r‖, often leaves one of the two; a second round decides
// otherwise. Where |τ| is small the lower root is stable: dk/dτ = k e^{kτ}/(1 − τe^{kτ}).
//
// Of the squared loss, s(z) = 1 − z, the roots are those of τk² − k + 1 = 0, and
// may be negative. Losses in general are searched for changes of sign and for
// tangents. If there is no root, near is the k that misses least.
func roots(loss problem.Loss, tau, most float64) (all []float64, near float64) {
	miss := func(k float64) float64 {
		z := []float64{k * tau}
		loss.Slopes(z, z)
		return float64(-k*z[0]) - 1
	}
	const points, least = 800, 1e-4
	ratio := num.Pow(max(most, 2)/least, 1.0/points)
	grid := make([]float64, 0, 2*points+2)
	for k := points; k >= 0; k-- {
		grid = append(grid, -least*num.Pow(ratio, float64(k)))
	}
	for k := 0; k <= points; k++ {
		grid = append(grid, least*num.Pow(ratio, float64(k)))
	}
	bisect := func(a, b float64) {
		sign := miss(a) > 0
		for range 200 {
			c := a + float64((b-a)/2)
			if c == a || c == b {
				break
			}
			if miss(c) > 0 == sign {
				a = c
			} else {
				b = c
			}
		}
		if math.Abs(miss(a)) < math.Abs(miss(b)) {
			b = a
		}
		if math.Abs(b) <= most {
			all = append(all, b)
		}
	}
	// nearest approaches zero between a and b, where |miss| has one minimum.
	nearest := func(a, b float64) float64 {
		const golden = 0.6180339887498949
		for range 100 {
			c, d := b-float64(golden*(b-a)), a+float64(golden*(b-a))
			if math.Abs(miss(c)) < math.Abs(miss(d)) {
				b = d
			} else {
				a = c
			}
		}
		return (a + b) / 2
	}
	best := math.Inf(1)
	for i, k := range grid {
		here := miss(k)
		if m := math.Abs(here); m < best && math.Abs(k) <= most {
			near, best = k, m
		}
		if i == 0 {
			continue
		}
		before := miss(grid[i-1])
		if before > 0 != (here > 0) {
			bisect(grid[i-1], k)
			continue
		}
		if i+1 == len(grid) {
			continue
		}
		after := miss(grid[i+1])
		if after > 0 != (here > 0) || math.Abs(here) > math.Abs(before) || math.Abs(here) > math.Abs(after) {
			continue
		}
		// |miss| has a minimum here: a tangent, two roots close together, or none.
		k = nearest(grid[i-1], grid[i+1])
		switch m := miss(k); {
		case m > 0 != (here > 0):
			bisect(grid[i-1], k)
			bisect(k, grid[i+1])
		case math.Abs(m) < 1e-13 && math.Abs(k) <= most:
			all = append(all, k)
		case math.Abs(m) < best && math.Abs(k) <= most:
			near, best = k, math.Abs(m)
		}
	}
	for i := 1; i < len(all); i++ { // by size: the least extreme margin first
		for j := i; j > 0 && math.Abs(all[j]) < math.Abs(all[j-1]); j-- {
			all[j], all[j-1] = all[j-1], all[j]
		}
	}
	return all, near
}

// insignificant is the length of r below which a round says nothing: a sample
// far from the margin leaves no gradient.
const insignificant = 1e-7

// invert is what one equation says of u: one vector for each root; exact says
// whether there was a root.
func (s *inversion) invert(e *condition) (all [][]float64, exact bool) {
	norm := num.Norm(e.target)
	if norm < insignificant {
		return nil, false
	}
	ks, near := roots(s.loss, num.Dot(e.at, e.target), (1+1e-6)/norm)
	exact = len(ks) > 0
	if !exact {
		ks = []float64{near}
	}
	for _, k := range ks {
		u := append([]float64(nil), e.target...)
		num.Scale(k, u)
		intoBall(u)
		all = append(all, u)
	}
	return all, exact
}

func runKKT(v *View, f *record.Finding) error {
	all, unseen, err := informed(v)
	if err != nil {
		return err
	}
	f.Unseen = unseen
	s := all.only(func(e *condition) bool { return e.group < 0 && e.unknown() == 0 })
	for t := range s.equations {
		candidates, exact := s.invert(&s.equations[t])
		if candidates == nil {
			continue
		}
		rest := s.only(func(e *condition) bool { return e.round > s.equations[t].round })
		alone := ""
		if len(all.equations) > len(s.equations) { // kkt-rounds takes them together
			alone = " by itself"
		}
		s.conclude(v, f, &s.equations[t], rest, candidates, exact, alone)
		return nil
	}
	switch {
	case len(all.equations) == 0:
		return untold(f.Unseen, "no round of node %d was seen whole", v.Knows.Victim)
	case len(s.equations) == 0:
		return blocked("no round's gradient is known up to noise: penalties are hidden, or earlier rounds, which the " +
			"dual depends on, were not seen")
	}
	return blocked("in no round does the unknown sample leave a gradient")
}

// conclude reports the estimates from one round and, if that leaves several, the
// one that a later round chooses. alone is said where none does, of rounds that may do so together.
func (s *inversion) conclude(v *View, f *record.Finding, e *condition, rest *inversion, candidates [][]float64,
	exact bool, alone string) {
	report := func(u []float64, used *inversion) {
		f.Estimates = append(f.Estimates, used.estimate(v.Knows, used.at(u, nil, 0), true))
	}
	one := s.only(func(other *condition) bool { return other.round == e.round })
	report(candidates[0], one)
	chosen := candidates[0]
	how := "the only root gives u"
	switch {
	case !exact:
		how = "the equation for its length has no root, which noise explains; the nearest gives u"
	case len(candidates) > 1:
		how = fmt.Sprintf("of %d roots, between which no other round decides%s, the least gives u", len(candidates),
			alone)
		u, round := rest.choose(candidates)
		if u == nil {
			f.Doubt = fmt.Sprintf("%d vectors fit", len(candidates))
		} else {
			chosen = u
			report(chosen, s.only(func(c *condition) bool { return c.round == e.round || c.round == round }))
			how = fmt.Sprintf("of %d roots the one that fits round %d gives u", len(candidates), round)
		}
	}
	noise := ""
	if s.kind != model.Silent {
		noise = "; the noise in it was taken for none"
	}
	f.Conclusion = fmt.Sprintf("round %d leaves σ(−f·u)u of length %.4g; %s of length %.4g%s%s",
		e.round, num.Norm(e.target), how, num.Norm(chosen), v.Knows.labelled(f.Estimates[0].Y, true), noise)
}

// choose is which of several roots fits a later round, and that round: the first that tells them apart, as one may say
// what the round of the roots said. With noise it is the first. nil: there is none.
func (s *inversion) choose(roots [][]float64) (chosen []float64, round int) {
	const apart, rounding = 1e4, 1e-22 // squares of what is left, and of it relative to what the round says
	for k := range s.equations {
		one := s.only(func(e *condition) bool { return e.round == s.equations[k].round })
		least, next := math.Inf(1), math.Inf(1)
		var best []float64
		for _, u := range roots {
			switch left := one.at(u, nil, 0).cost; {
			case left < least:
				best, least, next = u, left, least
			default:
				next = min(next, left)
			}
		}
		e := &s.equations[k]
		if said := num.Norm(e.target); s.kind != model.Silent || next > apart*max(least, float64(rounding*said*said)) {
			return best, e.round
		}
	}
	return nil, 0
}

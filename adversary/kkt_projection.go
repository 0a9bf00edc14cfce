// Inversion of optimality conditions in which penalties are hidden.

package adversary

import (
	"fmt"

	"overhear/internal/plural"
	"overhear/record"
)

func init() {
	register(&Attack{
		Name:     "kkt-projection",
		Title:    "KKT inversion with hidden penalties",
		Equation: "minimise Σ_t w_t‖P(t)(r(t) − σ(−f(t)·u) u)‖ over ‖u‖ ≤ 1, P(t) b(t) = 0",
		About: `A penalty that a node keeps to itself is one unknown number that multiplies a vector everybody sees:
at right angles to it the equation holds without the penalty. A hidden dual step adds one such vector for each
round before. Each round keeps as many equations as there are columns less hidden numbers, so that two rounds or
more are needed, and late rounds with more hidden numbers than columns say nothing. Where there are no more
equations than unknown numbers, other vectors may fit as well as the sample: it is searched from more starts, and
what is found is told with that doubt.`,
		Needs: "two or more rounds of the victim and its neighbours, all of the victim's samples but one",
		Run:   runProjection,
	})
}

func runProjection(v *View, f *record.Finding) error {
	all, unseen, err := informed(v)
	if err != nil {
		return err
	}
	f.Unseen = unseen
	most := 0
	s := all.only(func(e *condition) bool {
		if e.unknown() >= all.d {
			f.Unseen = append(f.Unseen, fmt.Sprintf("round %d: it has %d hidden numbers for %d columns", e.round,
				e.unknown(), all.d))
			return false
		}
		most = max(most, e.unknown())
		return true
	})
	if err := s.report(v, f); err != nil {
		return err
	}
	switch most {
	case 0:
		f.Conclusion += "; nothing was hidden"
	case 1:
		f.Conclusion += "; one hidden number a round was eliminated"
	default:
		f.Conclusion += fmt.Sprintf("; up to %d hidden numbers a round were eliminated", most)
	}
	if n := len(all.equations) - len(s.equations); n > 0 {
		f.Conclusion += fmt.Sprintf(", and %s with more hidden numbers than columns left out", plural.Of(n, "round"))
	}
	return nil
}

// The noise scale that spends a given total.

package privacy

import "fmt"

const (
	leastScale   = 1e-12   // below it, Solve says that the target is out of reach
	largestScale = 0x1p100 // above it, that no scale reaches it
)

// Solve returns the largest scale with spent(scale) ≤ target, to a relative
// precision of 10^−12, from below, for a spent that does not decrease with
// the scale: a total loss as a function of a factor on all budgets, say. With
// a slack it is content with the first scale that spends at least
// (1 − slack)·target. It calls spent at most 200 times. It fails if even a scale
// of 10^−12 spends more than the target, because part of the loss does not depend
// on the scale, and if a scale of 2^100 spends no more than it.
func Solve(target, slack float64, spent func(scale float64) float64) (scale float64, err error) {
	enough := false
	within := func(scale float64) bool { // a NaN is not
		v := spent(scale)
		enough = slack > 0 && v <= target && v >= float64((1-slack)*target)
		return v <= target
	}
	lo, hi := 1.0, 1.0
	if within(1) {
		for hi = 2; !enough && within(hi); hi *= 2 {
			if hi >= largestScale {
				return 0, fmt.Errorf("the loss never exceeds the target %v: even at a scale of %.1g it is %v",
					target, hi, spent(hi))
			}
			lo = hi
		}
	} else {
		for lo = 0.5; !within(lo); lo /= 2 {
			if lo < leastScale {
				least := spent(lo)
				return 0, fmt.Errorf("even a scale of %.1g spends %v, which is %v more than the target %v",
					lo, least, least-target, target)
			}
			hi = lo
		}
	}
	for !enough && hi-lo > 1e-12*lo {
		mid := lo + float64((hi-lo)/2)
		if within(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, nil
}

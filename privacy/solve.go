// The noise scale that spends a given total.

package privacy

import (
	"fmt"
	"math"

	"overhear/internal/num"
)

const (
	leastScale   = 1e-12   // below it, Solve says that the target is out of reach
	largestScale = 0x1p100 // above it, that no scale reaches it
)

// Solve returns the largest scale with spent(scale) ≤ target, to a relative
// precision of 10^−12, from below, for a spent that does not decrease with
// the scale: a total loss as a function of a factor on all budgets, say. With
// a slack it is content with a scale that spends at least (1 − slack)·target,
// which a smooth loss comes to in a few calls of spent. It calls spent at most
// 200 times. It fails if even a scale of 10^−12 spends more than the target,
// because part of the loss does not depend on the scale, and if a scale of 2^100
// spends no more than it.
func Solve(target, slack float64, spent func(scale float64) float64) (scale float64, err error) {
	if slack > 0 {
		return approach(target, slack, spent)
	}
	lo, hi := 1.0, 1.0
	within := func(scale float64) bool { return spent(scale) <= target } // a NaN is not
	if within(1) {
		for hi = 2; within(hi); hi *= 2 {
			if hi >= largestScale {
				return 0, unlimited(target, hi, spent)
			}
			lo = hi
		}
	} else {
		for lo = 0.5; !within(lo); lo /= 2 {
			if lo < leastScale {
				return 0, unreachable(target, lo, spent)
			}
			hi = lo
		}
	}
	for hi-lo > 1e-12*lo {
		mid := lo + float64((hi-lo)/2)
		if within(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, nil
}

func unlimited(target, scale float64, spent func(float64) float64) error {
	return fmt.Errorf("the loss never exceeds the target %v: even at a scale of %.1g it is %v", target, scale,
		spent(scale))
}

func unreachable(target, scale float64, spent func(float64) float64) error {
	least := spent(scale)
	return fmt.Errorf("even a scale of %.1g spends %v, which is %v more than the target %v", scale, least, least-target,
		target)
}

// approach is Solve with a slack. The loss is taken for a power of the scale through the last points on either side
// of the target, and where that does not halve the bracket, whose ends are lo and hi, that is halved.
func approach(target, slack float64, spent func(scale float64) float64) (float64, error) {
	lo, hi := 0.0, math.Inf(1)
	var atLo, atHi float64
	aim := float64((1 - float64(slack/2)) * target)
	scale, before := 1.0, math.Inf(1)
	for range 190 {
		v := spent(scale)
		if v <= target { // a NaN is not
			lo, atLo = scale, v
		} else {
			hi, atHi = scale, v
		}
		switch {
		case v <= target && v >= float64((1-slack)*target) || lo > 0 && hi-lo <= 1e-12*lo:
			return lo, nil
		case math.IsInf(hi, 1) && lo >= largestScale:
			return 0, unlimited(target, lo, spent)
		case lo == 0 && hi < leastScale:
			return 0, unreachable(target, hi, spent)
		case math.IsInf(hi, 1):
			scale = min(largestScale, float64(lo*min(1e3, max(2, aim/atLo))))
			continue
		case lo == 0:
			scale = float64(hi * max(1e-3, min(0.5, aim/atHi)))
			if !(scale > 0) { // the loss there is not a number
				scale = hi / 2
			}
			continue
		}
		width := num.Log(hi / lo)
		part := num.Log(aim/atLo) / num.Log(atHi/atLo)
		if !(part > 0 && part < 1) || !(width <= before/2) {
			part = 0.5
		}
		before = width
		if scale = float64(lo * num.Exp(float64(part*width))); !(scale > lo && scale < hi) {
			scale = lo + float64((hi-lo)/2)
		}
	}
	return lo, nil
}

// How well a statistic tells two worlds apart: the receiver operating
// characteristic of its samples.

package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"overhear/internal/num"
	"overhear/record"
)

// Curve compares samples of a statistic, one value a run, of which large ones
// speak for world A. A run is held to be of A if its value is at least the
// threshold; TPR is the share of a's runs for which that is so, FPR of b's.
//
// The curve is the staircase over all thresholds, with runs of equal value on
// the same step, which is then a slope. Every point has Clopper–Pearson bounds of
// its TPR, each by itself at Confidence. Points on a line between others are left
// out, and of more than 400 those that a picture with either linear or
// logarithmic axes misses least. It ascends from (0, 0) to (1, 1).
//
// Of the power it fills in, from the whole staircase:
//
//   - AUC, the area below: P(A > B) + P(A = B)/2 over all pairs of runs, the
//     statistic of Mann & Whitney (1947);
//   - Advantage, the largest TPR − FPR (Yeom et al. 2018);
//   - TPR1, TPR01 and TPR0, the largest TPR at thresholds whose FPR is at most
//     1 %, 0.1 % and 0 (Carlini et al. 2022), with nothing between thresholds.
//
// These are shares of the runs given, without a margin. Values may be ±Inf; NaN,
// or no values at all, is an error.
func Curve(a, b []float64) ([]record.ROC, record.Power, error) {
	tallies, err := tally(a, b)
	if err != nil {
		return nil, record.Power{}, err
	}
	na, nb := len(a), len(b)
	share := func(k, n int) float64 { return float64(k) / float64(n) }

	var p record.Power
	area := 0.0 // in pairs of runs
	best, lowest := 0, [3]int{}
	stairs := make([]stair, 1, len(tallies)+1)
	for _, t := range tallies {
		last := stairs[len(stairs)-1]
		s := stair{last.tp + t.a, last.fp + t.b}
		area += float64(float64(t.b) * (float64(last.tp) + float64(0.5*float64(t.a))))
		stairs = append(stairs, s)
		if d := share(s.tp, na) - share(s.fp, nb); d > float64(p.Advantage) {
			p.Advantage, best = record.Number(d), len(stairs)-1
		}
		for k, most := range []int{nb / 100, nb / 1000, 0} {
			if s.fp <= most {
				lowest[k] = len(stairs) - 1
			}
		}
	}
	p.AUC = record.Number(area / float64(na) / float64(nb))
	for k, to := range []*record.Number{&p.TPR1, &p.TPR01, &p.TPR0} {
		*to = record.Number(share(stairs[lowest[k]].tp, na))
	}

	var curve []record.ROC
	for _, k := range pick(stairs, 400, best, lowest[0], lowest[1], lowest[2]) {
		s := stairs[k]
		low, high := ClopperPearson(s.tp, na, Confidence)
		curve = append(curve, record.ROC{FPR: share(s.fp, nb), TPR: share(s.tp, na), Low: low, High: high})
	}
	return curve, p, nil
}

// tallied is how many runs of each world have a value.
type tallied struct {
	value float64
	a, b  int
}

// tally counts values, greatest first.
func tally(a, b []float64) ([]tallied, error) {
	if len(a) == 0 || len(b) == 0 {
		return nil, fmt.Errorf("a statistic has %d values in world A and %d in world B: both need one", len(a), len(b))
	}
	all := make([]tallied, 0, len(a)+len(b))
	for _, v := range a {
		all = append(all, tallied{v, 1, 0})
	}
	for _, v := range b {
		all = append(all, tallied{v, 0, 1})
	}
	for k, t := range all {
		if math.IsNaN(t.value) {
			if k < len(a) {
				return nil, fmt.Errorf("the statistic of run %d in world A is not a number", k)
			}
			return nil, fmt.Errorf("the statistic of run %d in world B is not a number", k-len(a))
		}
	}
	slices.SortFunc(all, func(x, y tallied) int { return cmp.Compare(y.value, x.value) })
	merged := all[:1]
	for _, t := range all[1:] {
		if last := &merged[len(merged)-1]; last.value == t.value {
			last.a, last.b = last.a+t.a, last.b+t.b
		} else {
			merged = append(merged, t)
		}
	}
	return merged, nil
}

// stair is true and false positives at a threshold.
type stair struct{ tp, fp int }

// pick returns the indices, ascending, of at most so many stairs: the ends, those
// to keep, corners along a logarithmic scale of FPR and corners along the curve.
func pick(stairs []stair, most int, keep ...int) []int {
	last := len(stairs) - 1
	corners := []int{0}
	for k := 1; k < last; k++ {
		p, q, r := stairs[corners[len(corners)-1]], stairs[k], stairs[k+1]
		if (q.tp-p.tp)*(r.fp-q.fp) != (r.tp-q.tp)*(q.fp-p.fp) {
			corners = append(corners, k)
		}
	}
	corners = append(corners, last)

	chosen := append([]int{0, last}, keep...)
	if len(corners)+len(keep) <= most {
		chosen = append(chosen, corners...)
	} else {
		end, steps := stairs[last], (most-len(chosen))/2
		along := func(of func(s stair) float64, target func(x float64) float64) {
			k := 0
			for i := range steps {
				to := target(float64(i) / float64(steps-1))
				for k+1 < len(corners) && of(stairs[corners[k+1]]) <= to {
					k++
				}
				chosen = append(chosen, corners[k])
			}
		}
		along(func(s stair) float64 { return float64(s.fp) }, func(x float64) float64 {
			return num.Pow(float64(end.fp),
				x)
		})
		along(func(s stair) float64 { return float64(s.tp)/float64(end.tp) + float64(s.fp)/float64(end.fp) },
			func(x float64) float64 { return 2 * x })
	}
	slices.Sort(chosen)
	return slices.Compact(chosen)
}

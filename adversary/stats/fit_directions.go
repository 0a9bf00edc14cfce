// Directions that a mean and second moments do not tell from uniform ones: with zeros among the coordinates, with
// octants that are empty, or that go with the length.

package stats

import (
	"math"
	"slices"

	"overhear/internal/num"
	"overhear/record"
)

// axes collects, of unit vectors, the law along some directions and the octants.
type axes struct {
	d       int
	edges   []float64   // of |u_k|, between shares of 1/classes each
	tilted  [][]float64 // directions besides the coordinates' own
	along   [][]int     // by direction, how many draws are in each class of the law of u along it
	octants [][]int     // by window, how many draws have these signs, and are long
	parity  [2]int      // how many draws have an even number of negative coordinates, of short and long ones
	long    [2]int
	partial int // draws with a coordinate that is next to nothing
}

const (
	classes = 16 // of |u_k|
	window  = 8  // coordinates whose signs are looked at together
	skewed  = 8  // directions
)

func newAxes(d int) *axes {
	a := &axes{d: d}
	for range (d + window - 1) / window {
		a.octants = append(a.octants, make([]int, 2<<min(d, window)))
	}
	if d == 1 {
		return a
	}
	for k := 1; k < classes; k++ { // u² is Beta(1/2, (d−1)/2)
		low, high := 0.0, 1.0
		for range 60 {
			if mid := (low + high) / 2; num.BetaShare(0.5, float64(d-1)/2, float64(mid*mid)) < float64(k)/classes {
				low = mid
			} else {
				high = mid
			}
		}
		a.edges = append(a.edges, high)
	}
	for j := range skewed { // no axis, and no two alike: any will do
		w := make([]float64, d)
		for k := range w {
			w[k] = math.Mod(math.Sqrt2*float64((j+2)*(k+1)*(k+j+3)), 1) - 0.5
		}
		num.Scale(1/num.Norm(w), w)
		a.tilted = append(a.tilted, w)
	}
	a.along = make([][]int, d+skewed)
	for k := range a.along {
		a.along[k] = make([]int, 2*classes)
	}
	return a
}

// add takes in a direction, of noise that is longer than half of its law is, or not.
func (a *axes) add(u []float64, isLong bool) {
	long := 0
	if isLong {
		long = 1
	}
	odd := 0
	for k, v := range u {
		if math.Signbit(v) {
			odd ^= 1
		}
		if a.d > 1 {
			a.along[k][a.class(v)]++
		}
	}
	a.long[long]++
	a.parity[long] += 1 - odd
	for j := range a.octants {
		start := min(j*window, max(0, a.d-window)) // the last looks at some coordinates again
		signs := long
		for k := range min(a.d, window) {
			signs <<= 1
			if math.Signbit(u[start+k]) {
				signs |= 1
			}
		}
		a.octants[j][signs]++
	}
	if a.d == 1 {
		return
	}
	for j, w := range a.tilted {
		a.along[a.d+j][a.class(num.Dot(w, u))]++
	}
	if slices.ContainsFunc(u, func(v float64) bool { return math.Abs(v) <= alike }) {
		a.partial++
	}
}

// class is where a number is in the law of u_k, in order.
func (a *axes) class(v float64) int {
	k, _ := slices.BinarySearch(a.edges, math.Abs(v))
	if math.Signbit(v) {
		return classes - 1 - k
	}
	return classes + k
}

// check tests that directions are uniform where moments do not show it. Of n draws one along an axis has a known law,
// from which shares at fixed places differ by more than t for one of m axes with probability 2me^{−2nt²} at most, as
// for the law of sizes. A product of signs is a fair coin, and so it is times the sign of how long the noise is: of M
// products one has a mean above t with probability 2Me^{−nt²/2} at most (Hoeffding 1963). A coordinate is next to
// nothing by chance as often as |u_k| ≤ alike.
func (a *axes) check(add adder) {
	n := float64(a.long[0] + a.long[1])
	worst, products := 0.0, 0
	mean := func(sum int) {
		worst = max(worst, math.Abs(float64(sum))/n)
		products++
	}
	for _, counts := range a.octants {
		sums := slices.Clone(counts) // of the products of signs, by the set of their factors (Walsh & Hadamard)
		for step := 1; step < len(sums); step *= 2 {
			for k := range sums {
				if k&step == 0 {
					sums[k], sums[k+step] = sums[k]+sums[k+step], sums[k]-sums[k+step]
				}
			}
		}
		for set, sum := range sums {
			if set&(len(sums)/2-1) != 0 { // sizes alone have checks of their own
				mean(sum)
			}
		}
	}
	mean(2*a.parity[0] - a.long[0] + 2*a.parity[1] - a.long[1])
	mean(2*a.parity[0] - a.long[0] - (2*a.parity[1] - a.long[1]))
	bound := math.Sqrt(2 * num.Log(2*float64(products)/Chance) / n)
	add(record.NoiseSigns, worst, bound, above(1, bound+math.Sqrt(2*missed/n)),
		"of %d products of signs of its coordinates, and of its length, the mean farthest from 0 is %.3f", products,
		worst)
	if a.d == 1 {
		return
	}

	distance, where := 0.0, 0
	for k, counts := range a.along {
		below := 0
		for c, count := range counts {
			below += count
			if off := math.Abs(float64(below)/n - float64(float64(c+1)/(2*classes))); off > distance {
				distance, where = off, k
			}
		}
	}
	axis := "a direction that is no axis"
	if where < a.d {
		axis = "one axis"
	}
	bound = math.Sqrt(num.Log(2*float64(len(a.along))/Chance) / (2 * n))
	add(record.NoiseShares, distance, bound, above(1, bound+math.Sqrt(missed/(2*n))),
		"along %s, %.1f %% of its directions are not where they should be", axis, 100*distance)

	chance := min(1, float64(a.d)*num.BetaShare(0.5, float64(a.d-1)/2, alike*alike))
	allowed := allowedOf(n * chance)
	add(record.NoiseWhole, float64(a.partial), float64(allowed), Seldom(int(n), allowed),
		"%d of %.0f vectors of noise have a coordinate that is next to nothing", a.partial, n)
}

// allowedOf is how many events of which so many are expected, each by itself, happen but with the probability Chance:
// that k do has one of expected^k/k! at most.
func allowedOf(expected float64) int {
	allowed, tail := 0, expected
	for tail > Chance {
		allowed++
		tail *= expected / float64(allowed+1)
	}
	return allowed
}

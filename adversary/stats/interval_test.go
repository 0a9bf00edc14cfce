// Clopper–Pearson bounds against closed forms and sums of binomial probabilities.

package stats

import (
	"math"
	"testing"
)

// binomialTerm is P(X = k) of n trials.
func binomialTerm(k, n int, p float64) float64 {
	switch {
	case p == 0 || p == 1:
		if (p == 0) == (k == 0) && (p == 1) == (k == n) {
			return 1
		}
		return 0
	}
	lf := func(m int) float64 { v, _ := math.Lgamma(float64(m) + 1); return v }
	return math.Exp(lf(n) - lf(k) - lf(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

func TestClopperPearson_ClosedForms(t *testing.T) {
	for _, n := range []int{1, 2, 10, 500, 100000} {
		for _, confidence := range []float64{0.9, 0.95, 0.999} {
			tail := math.Pow((1-confidence)/2, 1/float64(n))
			low, high := ClopperPearson(0, n, confidence)
			if low != 0 || !(math.Abs(high/(1-tail)-1) <= 1e-9) {
				t.Errorf("0 of %d: [%v, %v], want [0, %v]", n, low, high, 1-tail)
			}
			low, high = ClopperPearson(n, n, confidence)
			if high != 1 || !(math.Abs(low/tail-1) <= 1e-12) {
				t.Errorf("%d of %d: [%v, %v], want [%v, 1]", n, n, low, high, tail)
			}
		}
	}
	if low, high := ClopperPearson(0, 0, 0.95); low != 0 || high != 1 {
		t.Errorf("without trials: [%v, %v]", low, high)
	}
}

// At the ends the tail that was seen has probability α/2, by definition.
func TestClopperPearson_TailsAtTheEnds(t *testing.T) {
	for _, n := range []int{3, 17, 100, 1000} {
		for _, k := range []int{1, n / 3, n / 2, n - 1} {
			low, high := ClopperPearson(k, n, 0.95)
			above, below := 0.0, 0.0
			for j := range n + 1 {
				if j >= k {
					above += binomialTerm(j, n, low)
				}
				if j <= k {
					below += binomialTerm(j, n, high)
				}
			}
			if !(math.Abs(above-0.025) <= 1e-10) || !(math.Abs(below-0.025) <= 1e-10) {
				t.Errorf("%d of %d: tails %v and %v, want 0.025", k, n, above, below)
			}
		}
	}
}

// The probability that the bounds are right, summed exactly.
func TestClopperPearson_Coverage(t *testing.T) {
	for _, confidence := range []float64{0.8, 0.95} {
		for _, n := range []int{1, 2, 7, 30, 200} {
			lows, highs := make([]float64, n+1), make([]float64, n+1)
			for k := range n + 1 {
				lows[k], highs[k] = ClopperPearson(k, n, confidence)
			}
			for i := range 201 {
				p := float64(i) / 200
				both, low, high := 0.0, 0.0, 0.0
				for k := range n + 1 {
					q := binomialTerm(k, n, p)
					if lows[k] <= p {
						low += q
					}
					if p <= highs[k] {
						high += q
					}
					if lows[k] <= p && p <= highs[k] {
						both += q
					}
				}
				if one := (1 + confidence) / 2; !(both >= confidence-1e-9) || !(low >= one-1e-9) ||
					!(high >= one-1e-9) {
					t.Errorf("n = %d, p = %v, confidence %v: both bounds hold with %v, the lower with %v, the upper "+
						"with %v", n, p, confidence, both, low, high)
				}
			}
		}
	}
}

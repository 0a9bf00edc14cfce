// Facts about the laws of times: what is drawn has the distribution function of the textbook, and the span that a time
// at random is in has the one that renewal theory says.

package sim

import (
	"math"
	"slices"
	"testing"
)

// textbook has laws with their distribution functions and means.
var textbook = []struct {
	law  Latency
	mean float64 // ns
	cdf  func(x float64) float64
}{
	{Latency{Kind: "uniform", Low: 2 * ms, High: 8 * ms}, 5e6, func(x float64) float64 { return (x - 2e6) / 6e6 }},
	{Latency{Kind: "exponential", Mean: 5 * ms}, 5e6, func(x float64) float64 { return -math.Expm1(-x / 5e6) }},
	{Latency{Kind: "lognormal", Median: 9 * ms, Sigma: 0.8}, 9e6 * math.Exp(0.32), func(x float64) float64 {
		return 0.5 * math.Erfc(-math.Log(x/9e6)/0.8/math.Sqrt2)
	}},
	{Latency{Kind: "pareto", Scale: 3 * ms, Shape: 2.5}, 5e6, func(x float64) float64 {
		return 1 - math.Pow(3e6/x, 2.5)
	}},
	{Latency{Kind: "weibull", Scale: 4 * ms, Shape: 0.61511}, 4e6 * math.Gamma(1+1/0.61511), func(x float64) float64 {
		return -math.Expm1(-math.Pow(x/4e6, 0.61511))
	}},
	{Latency{Kind: "weibull", Scale: 4 * ms, Shape: 2}, 2e6 * math.Sqrt(math.Pi), func(x float64) float64 {
		return -math.Expm1(-x * x / 16e12)
	}},
}

// A sample of n is farther from its law than this with a probability of 2·exp(−2·2.2²) = 1e-4.
func most(n int) float64 { return 2.2 / math.Sqrt(float64(n)) }

func TestLaws_DrawTheirDistributionFunction(t *testing.T) {
	const n = 20000
	for _, c := range textbook {
		s := NewStream(1, "test")
		sample := make([]float64, n)
		for k := range sample {
			sample[k] = float64(c.law.Draw(s))
		}
		if far := kolmogorov(sample, c.cdf); !(far <= most(n)) {
			t.Errorf("%s: a sample is %.4f from its law, at most %.4f are likely", c.law.Words(), far, most(n))
		}
		if got := c.law.law().mean(&c.law); !(math.Abs(got/c.mean-1) <= 1e-9) {
			t.Errorf("%s: mean %v, want %v", c.law.Words(), got, c.mean)
		}
	}
	p := Latency{Kind: "pareto", Scale: 1, Shape: 1}
	if m := p.law().mean(&p); !math.IsInf(m, 1) {
		t.Errorf("a Pareto law of shape 1 has a mean of %v", m)
	}
}

// The span that a time at random is in has the distribution function ∫₀ˣ u dF(u) / mean, here by the trapezoid rule
// over quantiles of F.
func TestLaws_InspectedSpansAreLengthBiased(t *testing.T) {
	const n, steps = 20000, 20000
	for _, c := range textbook {
		s := NewStream(2, "test")
		sample := make([]float64, n)
		for k := range sample {
			sample[k] = c.law.law().inspected(&c.law, s)
		}
		slices.Sort(sample)
		quantile := func(u float64) float64 { // of F, by bisection
			low, high := 1e-3, 1e13
			for range 80 {
				if middle := math.Sqrt(low * high); c.cdf(middle) < u {
					low = middle
				} else {
					high = middle
				}
			}
			return high
		}
		far, sum, k := 0.0, 0.0, 0
		for i := range steps {
			x := quantile((float64(i) + 0.5) / steps)
			sum += x / steps
			for k < n && sample[k] <= x {
				k++
			}
			far = max(far, math.Abs(sum/c.mean-float64(k)/n))
		}
		if !(far <= most(n)+0.01) { // the rule's own error is below 0.01
			t.Errorf("%s: a sample is %.4f from what renewal theory says", c.law.Words(), far)
		}
	}
}

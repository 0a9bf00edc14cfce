// Exact confidence bounds of a proportion.

package stats

import (
	"fmt"
	"math"
	"sort"

	"overhear/internal/num"
)

// Confidence is that of every bound of an audit that does not say otherwise.
const Confidence = 0.95

// ClopperPearson returns bounds on the probability of an event that happened k
// times in n independent trials. Whatever the probability is, it lies between
// them with at least that confidence, 1 − α (Clopper & Pearson 1934):
//
//	low = I⁻¹(α/2; k, n−k+1),  high = 1 − I⁻¹(α/2; n−k, k+1)
//
// with I⁻¹ the inverse of the regularised incomplete beta function; low is 0 for
// k = 0 and high is 1 for k = n. Each bound alone holds with confidence 1 − α/2.
// Without trials they are 0 and 1. It panics unless 0 ≤ k ≤ n and the confidence
// is inside (0, 1).
func ClopperPearson(k, n int, confidence float64) (low, high float64) {
	if k < 0 || k > n || !(confidence > 0 && confidence < 1) {
		panic(fmt.Sprintf("adversary: bounds for %d of %d at confidence %v", k, n, confidence))
	}
	alpha := (1 - confidence) / 2
	return leastShare(k, n, alpha), 1 - leastShare(n-k, n, alpha)
}

// leastShare is the p for which k or more of n trials have probability alpha: a
// lower bound on the probability of the event with confidence 1 − alpha.
func leastShare(k, n int, alpha float64) float64 {
	switch k {
	case 0:
		return 0
	case n:
		return num.Pow(alpha, 1/float64(n)) // I(x; n, 1) = x^n
	}
	return num.BetaQuantile(float64(k), float64(n-k+1), alpha)
}

// Counts are the counts of n events that each happen by themselves, with a probability of p on average, outside which
// the count is with a probability of at most Chance/2 at either end. The tails are those of the binomial law, which
// has the heaviest if probabilities differ (Hoeffding 1956). A probability that is greater or less than p by finds
// brings a count outside with the probability Power; NaN: none does at one end, or at either.
func Counts(n int, p float64) (low, high int, finds float64) {
	middle := float64(n) * p
	least, most := int(middle), min(n, int(math.Ceil(middle)))
	high = most + sort.Search(n-most, func(k int) bool { // P(K > high)
		return num.BetaShare(float64(most+k+1), float64(n-most-k), p) <= Chance/2
	})
	low = least - sort.Search(least, func(k int) bool { // P(K < low)
		return num.BetaShare(float64(n-least+k+1), float64(least-k), 1-p) <= Chance/2
	})
	return low, high, Outside(n, p, low, high)
}

// Outside is by how much a probability must be greater or less than p for it to bring a count of n events outside of
// low to high with the probability Power; NaN: none does at one end, or at either.
func Outside(n int, p float64, low, high int) float64 {
	up, down := math.NaN(), math.NaN()
	if high < n {
		up = leastShare(high+1, n, Power) - p
	}
	if low > 0 {
		down = p - (1 - leastShare(n-low+1, n, Power))
	}
	return max(up, down)
}

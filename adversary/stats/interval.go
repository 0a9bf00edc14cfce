// Exact confidence bounds of a proportion.

package stats

import (
	"fmt"

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

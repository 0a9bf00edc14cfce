// Private selection: what the best of a random number of runs loses.

package loss

import (
	"math"

	"overhear/internal/num"
)

// Profile is what a mechanism loses: δ for every ε, in either order of the worlds.
type Profile interface {
	Delta(epsilon float64) float64
	Epsilon(delta float64) float64
}

// Mixture is a mechanism that draws one of some, all equally likely, and says which.
type Mixture []*Total

// Delta is the mean of those of the mechanisms.
func (m Mixture) Delta(epsilon float64) float64 {
	sum := 0.0
	for _, t := range m {
		sum += t.Delta(epsilon)
	}
	return sum / float64(len(m))
}

// Epsilon is the least ε ≥ 0 at which Delta is at most δ; +Inf if there is none.
func (m Mixture) Epsilon(delta float64) float64 {
	pure := 0.0
	for _, t := range m {
		pure = max(pure, t.Pure())
	}
	return invert(m.Delta, delta, pure)
}

// Stopping is random stopping (Liu & Talwar, STOC 2019): a mechanism is run K times, and of what comes out only the
// best is published, by any order that does not look at the data. K is geometric, P(K = k) = γ(1−γ)^(k−1), of the mean
// 1/γ, which is the truncated negative binomial law with η = 1 (Papernot & Steinke, ICLR 2022), and is not published.
type Stopping struct {
	Mean float64 // of K, at least 1
}

// Repeats is K where a uniform draw from [0, 1) is that.
func (s Stopping) Repeats(draw float64) int {
	if s.Mean <= 1 {
		return 1
	}
	return 1 + int(math.Floor(num.Log1p(-draw)/num.Log1p(-1/s.Mean)))
}

// Epsilon is ε at δ of what is published (Koskela, Redberg & Wang, Privacy profiles for private selection, ICML 2024;
// docs/mathematics.md §6.2):
//
//	ε(δ/m) + 2ε₁,    ε(·) of one run, m = 1/γ and e^ε₁ ≥ 1 + (m − 1)δ(ε₁)
//
// At δ = 0 it is three times that of one run, as Liu & Talwar have it.
func (s Stopping) Epsilon(one Profile, delta float64) float64 {
	more := s.Mean - 1
	short := func(e float64) float64 { return float64(more*one.Delta(e)) - num.Expm1(e) }
	return one.Epsilon(delta/s.Mean) + float64(2*invert(short, 0, math.Inf(1)))
}

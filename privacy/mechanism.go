// What one invocation of a mechanism costs, in three currencies.

package privacy

import (
	"math"

	"overhear/internal/num"
)

// Mechanism is one invocation of a mechanism, known by upper bounds of its
// privacy loss. All are in nats, at least 0, and +Inf if there is no bound.
type Mechanism interface {
	// Pure is ε of pure differential privacy.
	Pure() float64
	// Renyi is ε of Rényi differential privacy of that order > 1 (Mironov 2017).
	Renyi(order float64) float64
	// Concentrated is ρ of zero-concentrated differential privacy (Bun & Steinke
	// 2016): Renyi(a) ≤ ρa for every a > 1.
	Concentrated() float64
	// Group is the same invocation, with a bound of what k units that change together lose.
	Group(k int) Mechanism
}

// PureDP is any ε-differentially private mechanism, such as Laplace noise or
// randomised response. An Epsilon that is negative or NaN counts as +Inf.
type PureDP struct{ Epsilon float64 }

// Pure is ε.
func (m PureDP) Pure() float64 {
	if !(m.Epsilon >= 0) {
		return math.Inf(1)
	}
	return m.Epsilon
}

// Renyi is the Rényi divergence of randomised response with that ε (Mironov
// 2017, Proposition 5). It bounds every ε-DP mechanism and is attained, since
// on a pair of neighbours each is a post-processing of randomised response
// (Kairouz, Oh & Viswanath 2015). With order a it equals
//
//	ln(cosh((a−½)ε) / cosh(ε/2)) / (a−1).
func (m PureDP) Renyi(order float64) float64 {
	e := m.Pure()
	if e == 0 || math.IsInf(e, 1) || math.IsInf(order, 1) {
		return e
	}
	a1 := order - 1
	if order*e > 60 {
		lost := num.Log1p(num.Exp(-e)) - num.Log1p(num.Exp(-float64(e*(float64(2*order)-1))))
		return min(e, e-lost/a1)
	}
	// cosh x − cosh y = 2 sinh((x+y)/2) sinh((x−y)/2), which does not cancel.
	ratio := 2 * sinh(order*e/2) * sinh(a1*e/2) / cosh(e/2)
	return min(e, num.Log1p(ratio)/a1)
}

// Concentrated is ε tanh(ε/2) ≤ ε²/2, the least ρ that holds for every ε-DP
// mechanism. With u = (a−½)²ε² and v = ε²/4, Renyi(a)/a is ε² times the slope of
// the chord of ln cosh √· from v to u; that function is concave, so the slope
// is largest as a → 1. (Bun & Steinke 2016, Proposition 3.3, has ε²/2; Steinke,
// "Tight RDP & zCDP bounds from pure DP", 2024, has this.)
func (m PureDP) Concentrated() float64 {
	e := m.Pure()
	return float64(e * tanh(e/2))
}

// Group has k times the ε (Dwork & Roth 2014, Theorem 2.2).
func (m PureDP) Group(k int) Mechanism { return PureDP{float64(k) * m.Epsilon} }

// GaussianDP is a Gaussian mechanism: noise of standard deviation Sigma in each
// coordinate on a value whose Euclidean norm of change between neighbours is at
// most Sensitivity, both in the same unit. Without sensitivity it costs nothing;
// with it and without noise, everything.
type GaussianDP struct{ Sensitivity, Sigma float64 }

// Pure is +Inf, or 0 without sensitivity.
func (m GaussianDP) Pure() float64 {
	if m.Sensitivity == 0 {
		return 0
	}
	return math.Inf(1)
}

// Renyi is order·Δ²/(2σ²) (Mironov 2017, Proposition 7).
func (m GaussianDP) Renyi(order float64) float64 {
	return float64(order * m.Concentrated())
}

// Concentrated is Δ²/(2σ²) (Bun & Steinke 2016, Proposition 1.6).
func (m GaussianDP) Concentrated() float64 {
	if m.Sensitivity == 0 {
		return 0
	}
	ratio := m.Sensitivity / m.Sigma
	if !(m.Sensitivity > 0) || !(m.Sigma > 0) || math.IsNaN(ratio) {
		return math.Inf(1)
	}
	return float64(ratio * ratio / 2)
}

// Group has k times the sensitivity.
func (m GaussianDP) Group(k int) Mechanism { return GaussianDP{float64(k) * m.Sensitivity, m.Sigma} }

// PerturbedObjective is a minimiser f of an objective to which b·f was added, b ~ N(0, σ² I): objective perturbation
// with Gaussian noise (Kifer, Smith & Thakurta 2012). Between neighbours the objective's gradient changes at every
// point by at most Sensitivity, half of it along each of two vectors, and Jacobian bounds |ln det ∇²/det ∇²′|. The
// change varies with f, and so with b: this is not the Gaussian mechanism, which has a fixed one.
type PerturbedObjective struct{ Sensitivity, Sigma, Jacobian float64 }

// Pure is +Inf, or the Jacobian's part without sensitivity.
func (m PerturbedObjective) Pure() float64 {
	if m.Sensitivity == 0 {
		return orInf(m.Jacobian)
	}
	return math.Inf(1)
}

// Renyi is J + aμ²/2 + min(μ√(2/π), ln 2/(a−1)) with μ = Δ/σ and a the order: the privacy loss is at most
// J + μ²/2 + (μ/2)(|g| + |h|) with standard normal g and h, of which Hölder's inequality makes E e^{v|g|},
// v = (a−1)μ, and that is 2Φ(v)e^{v²/2}; its logarithm is at most v²/2 and the less of ln 2 and v√(2/π)
// (docs/mathematics.md §3.5; Redberg, Koskela & Wang 2023 have 2Φ(v) itself for neighbours with one row more).
func (m PerturbedObjective) Renyi(order float64) float64 {
	mu := m.shift()
	if mu == 0 {
		return orInf(m.Jacobian)
	}
	return orInf(m.Jacobian + float64(order*mu*mu/2) + min(float64(mu*meanLength), math.Ln2/(order-1)))
}

// Concentrated is J + μ√(2/π) + μ²/2: Renyi(a)/a falls as a grows from 1.
func (m PerturbedObjective) Concentrated() float64 {
	mu := m.shift()
	return orInf(m.Jacobian + float64(mu*meanLength) + float64(mu*mu/2))
}

// Group has k times the change and the Jacobian's part. The loss has 2k normal numbers in place of g and h, each a half
// of a unit's; by Hölder's inequality for all of them they count as one that is 2k times as great.
func (m PerturbedObjective) Group(k int) Mechanism {
	n := float64(k)
	return PerturbedObjective{n * m.Sensitivity, m.Sigma, n * m.Jacobian}
}

// meanLength is √(2/π), the mean of |g|.
const meanLength = 0.7978845608028654

// shift is μ.
func (m PerturbedObjective) shift() float64 {
	switch {
	case m.Sensitivity == 0:
		return 0
	case !(m.Sensitivity > 0) || !(m.Sigma > 0):
		return math.Inf(1)
	}
	return m.Sensitivity / m.Sigma
}

// FlipProbability is p = 1/(1+e^ε), with which randomised response flips a bit
// to make it ε-differentially private (Warner 1965): ½ at ε = 0, exactly 0 at
// +Inf. It is on the digest path.
func FlipProbability(epsilon float64) float64 {
	if epsilon < 0 {
		return 1 / (1 + num.Exp(epsilon))
	}
	e := num.Exp(-epsilon)
	return e / (1 + e)
}

// sinh is the hyperbolic sine, without cancellation near 0.
func sinh(x float64) float64 {
	if math.Abs(x) >= 1 {
		return (num.Exp(x) - num.Exp(-x)) / 2
	}
	square, sum := float64(x*x), 1.0
	for k := 9; k >= 1; k-- { // Taylor: the next term is below 10^−19
		sum = 1 + square*sum/float64(2*k*(2*k+1))
	}
	return float64(x * sum)
}

// cosh is the hyperbolic cosine.
func cosh(x float64) float64 { return (num.Exp(x) + num.Exp(-x)) / 2 }

// tanh is the hyperbolic tangent of x ≥ 0.
func tanh(x float64) float64 {
	if x < 1 {
		return sinh(x) / cosh(x)
	}
	e := num.Exp(-2 * x)
	return (1 - e) / (1 + e)
}

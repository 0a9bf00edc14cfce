package loss

import (
	"math"

	"overhear/internal/num"
)

// NormalDelta is δ(ε) of N(shift, 1) against N(0, 1) (Balle & Wang 2018), with φ(x − shift) for e^ε φ(x), which may be
// beyond all numbers.
func NormalDelta(shift, epsilon float64) float64 {
	if shift == 0 {
		return 0
	}
	near := epsilon/shift - float64(shift/2)
	density := num.Exp(-float64(near*near)/2) / math.Sqrt(2*math.Pi)
	return max(0, num.NormalTail(near)-float64(density*mills(near+shift)))
}

// mills is P(X > x)/φ(x) of a standard normal variable, of x ≥ 0.
func mills(x float64) float64 {
	if x < 5 {
		return num.NormalTail(x) * math.Sqrt(2*math.Pi) * num.Exp(float64(x*x)/2)
	}
	below := x
	for k := 60.0; k > 0; k-- { // Laplace's continued fraction
		below = x + k/below
	}
	return 1 / below
}

// NormalEpsilon is the least ε ≥ 0 with NormalDelta(shift, ε) ≤ delta; +Inf for a delta of 0, NaN for a shift that is.
func NormalEpsilon(shift, delta float64) float64 {
	low, high := 0.0, 1.0
	switch {
	case math.IsNaN(shift):
		return shift
	case NormalDelta(shift, 0) <= delta:
		return 0
	case !(delta > 0) || math.IsInf(shift, 1):
		return math.Inf(1)
	}
	for NormalDelta(shift, high) > delta {
		low, high = high, 2*high
	}
	for range 100 {
		if mid := float64((low + high) / 2); NormalDelta(shift, mid) > delta {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

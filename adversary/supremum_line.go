// The supremum with one column, where rows lie on a line (docs/mathematics.md §5.10).

package adversary

import (
	"math"

	"overhear/internal/num"
	"overhear/problem"
)

// onLine is the most that a round loses of rows u and u′ of one column, whatever else the round's step has: with
// h(u) = |L′(uf)u| and a(u) = L″(uf)u², rows of one sign differ by less than opposed ones, whose losses add up,
//
//	sup_f max_u [ρh(u) ± ln(1 + b·a(u))] + max_u′ [ρh(u′) ∓ ln(1 + b·a(u′))]
//
// of which one row is on the wrong side of f and the other on the right one. Without the logarithms it is the
// supremum where other rows' curvature is great.
func onLine(loss problem.Loss, h shape) float64 {
	at := func(f float64) float64 {
		wrong, right := sides(loss, h, -f), sides(loss, h, f)
		return max(wrong[0]+right[0], wrong[1]+right[2], wrong[2]+right[1])
	}
	const steps = 400 // of a logarithmic grid from 10⁻⁴ to 10⁴
	best, most := 0.0, math.Inf(-1)
	for k := range steps + 1 {
		x := float64(float64(k)/steps*8) - 4
		if v := at(num.Exp(x * math.Ln10)); v > most {
			best, most = x, v
		}
	}
	return golden(func(x float64) float64 { return at(num.Exp(x * math.Ln10)) }, best-8.0/steps, best+8.0/steps, most)
}

// sides are the greatest of ρh(u) + s·ln(1 + b·a(u)) over u in [0, 1], of s = 0, 1 and −1, at a point f of either sign.
func sides(loss problem.Loss, h shape, f float64) (most [3]float64) {
	z, slope, curve := []float64{0}, []float64{0}, []float64{0}
	for k, sign := range []float64{0, 1, -1} {
		at := func(u float64) float64 {
			z[0] = u * f
			loss.Slopes(slope, z)
			v := float64(h.rate * u * math.Abs(slope[0]))
			if sign != 0 && h.bend > 0 {
				loss.Curvatures(curve, z)
				v += float64(sign * num.Log1p(float64(h.bend*u*u*curve[0])))
			}
			return v
		}
		const steps = 64
		best, top := 0.0, 0.0
		for j := range steps + 1 {
			if v := at(float64(j) / steps); v > top {
				best, top = float64(j)/steps, v
			}
		}
		if h.bend == 0 && sign != 0 {
			most[k] = most[0]
			continue
		}
		most[k] = golden(at, max(0, best-1.0/steps), min(1, best+1.0/steps), top)
	}
	return most
}

// golden is the greatest value between two points, by the golden section, and no less than one that is known.
func golden(value func(float64) float64, low, high, known float64) float64 {
	const ratio = 0.6180339887498949
	a, b := high-float64(ratio*(high-low)), low+float64(ratio*(high-low))
	va, vb := value(a), value(b)
	for high-low > 1e-9*(math.Abs(high)+1e-9) && a < b {
		if va > vb {
			high, b, vb = b, a, va
			a = high - float64(ratio*(high-low))
			va = value(a)
		} else {
			low, a, va = a, b, vb
			b = low + float64(ratio*(high-low))
			vb = value(b)
		}
	}
	return max(known, va, vb)
}

// Losses that are smooth and not convex, for methods whose theory asks for no more than a Lipschitz gradient.

package problem

import (
	"math"

	"overhear/internal/num"
)

// NonConvex is a Loss whose L″ may be negative, and whose |L′| has a bound. An objective of such a loss may have
// several minimisers, and points where its gradient is zero that are none.
type NonConvex interface {
	Loss
	Concavity() float64 // the least upper bound of −L″, > 0
}

// Concavity is the least upper bound of −L″; 0 of convex losses.
func Concavity(l Loss) float64 {
	if n, ok := l.(NonConvex); ok {
		return n.Concavity()
	}
	return 0
}

// Convex says whether a loss is.
func Convex(l Loss) bool { return Concavity(l) == 0 }

// SlopeBound is the Lipschitz constant of L′: the least upper bound of |L″|.
func SlopeBound(l Loss) float64 { return math.Max(l.Bound(), Concavity(l)) }

// Sigmoid is 1/(1 + e^z) of the margin, a smooth 0-1 loss (Mason, Baxter, Bartlett & Frean 2000); |L″| ≤ 1/6√3.
var Sigmoid Loss = sigmoid{}

// Savage is 1/(1 + e^2z)² of the margin (Masnadi-Shirazi & Vasconcelos 2008).
var Savage Loss = savage{}

// Welsch is ½h²(1 − e^−(z/h)²) of the residual, of a width h > 0 (Dennis & Welsch 1978): ½z² near zero, and never more
// than ½h²; −2e^−3/2 ≤ L″ ≤ 1.
type Welsch struct{ Width float64 }

// GemanMcClure is ½z²/(1 + (z/h)²) of the residual, of a width h > 0 (Geman & McClure 1985): ½z² near zero, and never
// more than ½h²; −¼ ≤ L″ ≤ 1.
type GemanMcClure struct{ Width float64 }

type sigmoid struct{}

// falling is e^−|z|/(1 + e^−|z|), which is σ(−|z|), and e^−|z|.
func falling(z float64) (s, e float64) {
	e = num.Exp(-math.Abs(z))
	return e / (1 + e), e
}

func (sigmoid) Total(z, _ []float64) float64 {
	sum := 0.0
	for _, v := range z {
		s, e := falling(v)
		if v < 0 {
			s = 1 / (1 + e)
		}
		sum += s
	}
	return sum
}

// Slopes has −s(1 − s), s = σ(−z).
func (sigmoid) Slopes(dst, z []float64) {
	for k, v := range z {
		s, e := falling(v)
		dst[k] = -s / (1 + e)
	}
}

// Curvatures has s(1 − s)(1 − 2s), s = σ(−z).
func (sigmoid) Curvatures(dst, z []float64) {
	for k, v := range z {
		s, e := falling(v)
		dst[k] = math.Copysign(s/(1+e)*((1-e)/(1+e)), v)
	}
}

func (sigmoid) Bound() float64 { return 1 / (6 * math.Sqrt(3)) }

func (sigmoid) Concavity() float64 { return 1 / (6 * math.Sqrt(3)) }

func (sigmoid) Steepest() float64 { return 0.25 }

type savage struct{}

// halves are s = σ(−2z) and 1 − s, neither of which is lost in rounding.
func (savage) halves(z float64) (s, rest float64) {
	s, e := falling(2 * z)
	rest = 1 / (1 + e)
	if z < 0 {
		s, rest = rest, s
	}
	return s, rest
}

func (l savage) Total(z, _ []float64) float64 {
	sum := 0.0
	for _, v := range z {
		s, _ := l.halves(v)
		sum += float64(s * s)
	}
	return sum
}

// Slopes has −4s²(1 − s), s = σ(−2z).
func (l savage) Slopes(dst, z []float64) {
	for k, v := range z {
		s, rest := l.halves(v)
		dst[k] = -4 * s * s * rest
	}
}

// Curvatures has 8s²(1 − s)(2 − 3s), s = σ(−2z).
func (l savage) Curvatures(dst, z []float64) {
	for k, v := range z {
		s, rest := l.halves(v)
		dst[k] = 8 * s * s * rest * (2 - float64(3*s))
	}
}

// extreme is |L″| at the s where it is extreme, (15 ∓ √33)/24.
func (savage) extreme(sign float64) float64 {
	s := (15 + float64(sign*math.Sqrt(33))) / 24
	return math.Abs(8 * s * s * (1 - s) * (2 - float64(3*s)))
}

func (l savage) Bound() float64 { return l.extreme(-1) }

func (l savage) Concavity() float64 { return l.extreme(1) }

func (savage) Steepest() float64 { return 16.0 / 27 }

// share is z/h, and t = (z/h)².
func share(z, width float64) (ratio, t float64) {
	ratio = z / width
	return ratio, float64(ratio * ratio)
}

// Total is Σ_k L(z_k).
func (w Welsch) Total(z, _ []float64) float64 {
	sum := 0.0
	for _, v := range z {
		_, t := share(v, w.Width)
		rest := 1 - num.Exp(-t)
		if t < 1e-3 { // of which rounding leaves little then
			rest = t * (1 - float64(t/2*(1-float64(t/3*(1-float64(t/4))))))
		}
		sum += float64(0.5 * w.Width * w.Width * rest)
	}
	return sum
}

// Slopes is L′ = z e^−(z/h)².
func (w Welsch) Slopes(dst, z []float64) {
	for k, v := range z {
		_, t := share(v, w.Width)
		dst[k] = v * num.Exp(-t)
	}
}

// Curvatures is L″ = (1 − 2(z/h)²)e^−(z/h)².
func (w Welsch) Curvatures(dst, z []float64) {
	for k, v := range z {
		_, t := share(v, w.Width)
		e := num.Exp(-t)
		if dst[k] = e; e > 0 {
			dst[k] = float64((1 - float64(2*t)) * e)
		}
	}
}

// Bound is c₁.
func (w Welsch) Bound() float64 { return 1 }

// Concavity is 2e^−3/2, −L″ at (z/h)² = 3/2.
func (w Welsch) Concavity() float64 { return 2 * num.Exp(-1.5) }

// Steepest is h/√2e, |L′| at (z/h)² = ½.
func (w Welsch) Steepest() float64 { return w.Width * math.Sqrt(0.5) * num.Exp(-0.5) }

// Total is Σ_k L(z_k).
func (g GemanMcClure) Total(z, _ []float64) float64 {
	sum := 0.0
	for _, v := range z {
		q, t := share(v, g.Width)
		if t > 1 { // so that no square of z leaves the range of numbers
			sum += float64(0.5 * g.Width * g.Width / (1/q/q + 1))
		} else {
			sum += float64(float64(0.5*v*v) / (1 + t))
		}
	}
	return sum
}

// Slopes is L′ = z/(1 + (z/h)²)².
func (g GemanMcClure) Slopes(dst, z []float64) {
	for k, v := range z {
		_, t := share(v, g.Width)
		dst[k] = v / (1 + t) / (1 + t)
	}
}

// Curvatures is L″ = (1 − 3(z/h)²)/(1 + (z/h)²)³.
func (g GemanMcClure) Curvatures(dst, z []float64) {
	for k, v := range z {
		_, t := share(v, g.Width)
		if dst[k] = 0; t <= math.MaxFloat64/4 {
			dst[k] = (1 - float64(3*t)) / (1 + t) / (1 + t) / (1 + t)
		}
	}
}

// Bound is c₁.
func (g GemanMcClure) Bound() float64 { return 1 }

// Concavity is ¼, −L″ at z = ±h.
func (g GemanMcClure) Concavity() float64 { return 0.25 }

// Steepest is 3√3h/16, |L′| at (z/h)² = ⅓.
func (g GemanMcClure) Steepest() float64 { return g.Width * 3 * math.Sqrt(3) / 16 }

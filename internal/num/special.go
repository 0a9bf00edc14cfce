// Special functions with the same bits on every machine: powers, lengths, and the laws
// that tests and confidence bounds need.

package num

import "math"

// Expm1 is e^x − 1, to a few units in the last place also for small x.
func Expm1(x float64) float64 {
	if math.Abs(x) > 0.5*math.Ln2 {
		return Exp(x) - 1
	}
	c := expRemainder(x)
	return x + float64(x*c)/(2-c)
}

// Pow is x^y for x ≥ 0, as e^(y log x): its relative error is about |y log x| units in
// the last place.
func Pow(x, y float64) float64 {
	if y == 0 {
		return 1
	}
	return Exp(y * Log(x))
}

// Hypot is √(x² + y²), without overflow on the way.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	most, least := max(x, y), min(x, y)
	if most == 0 || math.IsInf(most, 1) {
		return most
	}
	r := least / most
	return most * math.Sqrt(1+float64(r*r))
}

// halfLog2Pi is ½ log 2π.
const halfLog2Pi = 0.918938533204672741780329736406

// LogGamma is log Γ(x) for x > 0, to 10⁻¹⁴ of max(1, its size): Stirling's series
// from 10 on, below that Γ(x) = Γ(x+n)/(x(x+1)…(x+n−1)).
func LogGamma(x float64) float64 {
	product := 1.0
	for x < 10 {
		product *= x
		x++
	}
	z := 1 / float64(x*x)
	series := 1.0 / 156 // B₂ₖ/(2k(2k−1)), k from 7 down to 1
	for _, b := range [...]float64{-691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12} {
		series = b + float64(series*z)
	}
	return float64((x-0.5)*Log(x)) - x + halfLog2Pi + series/x - Log(product)
}

// shareDigits is where series and continued fractions end.
const shareDigits = 0x1p-53

// GammaShares are the probabilities that a Gamma variable of that shape and scale 1 is
// below x and above it; the smaller of them keeps its digits. A series is summed where
// x < shape + 1, beyond that a continued fraction (Lentz 1976).
func GammaShares(shape, x float64) (below, above float64) {
	switch {
	case x <= 0:
		return 0, 1
	case math.IsInf(x, 1):
		return 1, 0
	}
	front := Exp(float64(shape*Log(x)) - x - LogGamma(shape))
	if x < shape+1 {
		term := 1 / shape
		sum := term
		for a := shape + 1; term > sum*shareDigits; a++ {
			term = float64(term * (x / a))
			sum += term
		}
		below = min(1, front*sum)
		return below, 1 - below
	}
	b := x + 1 - shape
	c, d := math.MaxFloat64, 1/b
	f := d
	for i := 1.0; ; i++ {
		a := -i * (i - shape)
		b += 2
		d = 1 / nonzero(float64(a*d)+b)
		c = nonzero(b + a/c)
		step := float64(d * c)
		f *= step
		if !(math.Abs(step-1) > shareDigits*2) {
			break
		}
	}
	above = min(1, front*f)
	return 1 - above, above
}

// nonzero keeps a denominator of Lentz's recursion from being zero.
func nonzero(x float64) float64 {
	if math.Abs(x) < 1e-300 {
		return 1e-300
	}
	return x
}

// BetaShare is the probability that a Beta(a, b) variable is below x, the regularised
// incomplete beta function, by its continued fraction (Lentz 1976).
func BetaShare(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - betaBelow(b, a, 1-x, betaFront(a, b, x))
	}
	return betaBelow(a, b, x, betaFront(a, b, x))
}

// betaFront is x^a (1−x)^b/B(a, b).
func betaFront(a, b, x float64) float64 {
	return Exp(LogGamma(a+b) - LogGamma(a) - LogGamma(b) + float64(a*Log(x)) + float64(b*Log1p(-x)))
}

func betaBelow(a, b, x, front float64) float64 {
	c := 1.0
	d := 1 / nonzero(1-float64((a+b)*x)/(a+1))
	f := d
	for m := 1.0; ; m++ {
		even := m * (b - m) * x / ((a + float64(2*m) - 1) * (a + float64(2*m)))
		d = 1 / nonzero(1+float64(even*d))
		c = nonzero(1 + even/c)
		f *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + float64(2*m)) * (a + float64(2*m) + 1))
		d = 1 / nonzero(1+float64(odd*d))
		c = nonzero(1 + odd/c)
		step := float64(d * c)
		f *= step
		if !(math.Abs(step-1) > shareDigits*2) {
			return front * f / a
		}
	}
}

// BetaQuantile is the x below which a Beta(a, b) variable is with that probability:
// Newton's steps, or bisection where they leave the interval that holds x.
func BetaQuantile(a, b, probability float64) float64 {
	if probability <= 0 || probability >= 1 {
		return max(0, min(1, probability))
	}
	low, high, x := 0.0, 1.0, a/(a+b)
	for range 200 {
		off := BetaShare(a, b, x) - probability
		if off > 0 {
			high = x
		} else {
			low = x
		}
		next := x - float64(off*x*(1-x))/betaFront(a, b, x)
		if !(next > low && next < high) {
			next = low + float64((high-low)/2)
		}
		if math.Abs(next-x) <= 0x1p-52*x {
			return next
		}
		x = next
	}
	return x
}

// quantilePart is a rational function of Wichura's: the upper coefficients are of the
// numerator, the lower ones of the denominator, from the constant on.
type quantilePart [2][8]float64

// The normal law's quantiles near the middle, in the tails, and far out (Wichura 1988,
// algorithm AS 241).
var (
	quantileMiddle = quantilePart{
		{3.3871328727963666080, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
			4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3},
		{1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
			2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3},
	}
	quantileTail = quantilePart{
		{1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
			1.27045825245236838258, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
		{1, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1,
			1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9},
	}
	quantileFar = quantilePart{
		{6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 2.96560571828504891230e-1,
			2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
		{1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
			7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
			2.04426310338993978564e-15},
	}
)

func (q *quantilePart) at(r float64) float64 {
	var v [2]float64
	for side, coefficients := range q {
		for k := 7; k >= 0; k-- {
			v[side] = coefficients[k] + float64(v[side]*r)
		}
	}
	return v[0] / v[1]
}

// NormalQuantile is the x below which a standard normal variable is with that
// probability, to about 10⁻¹⁵ of it.
func NormalQuantile(probability float64) float64 {
	off := probability - 0.5
	if math.Abs(off) <= 0.425 {
		return off * quantileMiddle.at(0.180625-float64(off*off))
	}
	tail := math.Sqrt(-Log(min(probability, 1-probability)))
	x := 0.0
	switch {
	case math.IsInf(tail, 1):
		x = tail
	case tail <= 5:
		x = quantileTail.at(tail - 1.6)
	default:
		x = quantileFar.at(tail - 5)
	}
	return math.Copysign(x, off)
}

// NormalTail is the probability that a standard normal variable is above x.
func NormalTail(x float64) float64 {
	below, above := GammaShares(0.5, float64(x*x)/2)
	if x < 0 {
		return 0.5 + float64(below/2)
	}
	return above / 2
}

// Exponential and logarithms with the same bits on every machine.

package num

import "math"

const (
	ln2Hi = 6.93147180369123816490e-01 // high part of ln 2: its last 32 bits are zero
	ln2Lo = 1.90821492927058770002e-10 // ln 2 − ln2Hi
	log2e = 1.44269504088896338700e+00

	expOverflow  = 7.09782712893383973096e+02  // above it e^x is +Inf
	expUnderflow = -7.45133219101941108420e+02 // below it e^x rounds to zero
)

// Exp returns e^x with an error below one unit in the last place.
//
// x = k ln2 + r with |r| ≤ ln2/2; on that interval e^r = 1 + 2r/(R − r), where
// R(r²) = r(e^r+1)/(e^r−1) is a polynomial in r² to within 2^−59 (Remez; the
// coefficients are those published with Sun's fdlibm).
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > expOverflow:
		return math.Inf(1)
	case x < expUnderflow:
		return 0
	}
	k := int(float64(log2e*x) + math.Copysign(0.5, x)) // no branch: signs are often random
	hi := x - float64(float64(k)*ln2Hi)
	lo := float64(float64(k) * ln2Lo)
	return scaled(expReduced(hi, lo), k)
}

// expReduced is e^(hi−lo) for |hi−lo| ≤ ln2/2.
func expReduced(hi, lo float64) float64 {
	r := hi - lo
	c := expRemainder(r)
	return 1 - ((lo - float64(r*c)/(2-c)) - hi)
}

// expRemainder is c with e^r = 1 + r + rc/(2−c).
func expRemainder(r float64) float64 {
	const (
		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	t := float64(r * r)
	return r - float64(t*(p1+float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))
}

// powers are 2^(j/64).
var powers = func() (all [64]float64) {
	for j := range all {
		all[j] = Exp(float64(j) / 64 * math.Ln2)
	}
	return all
}()

// Exp2 returns 2^x with an error below four units in the last place. It is faster than [Exp], as it divides nothing and
// has few operations that wait for one another.
//
// x = j/64 + r with |r| ≤ 1/128, which is exact, and 2^r = e^(r ln2) is five terms of its series to within 2^−54.
func Exp2(x float64) float64 {
	if !(math.Abs(x) < 1000) { // overflow, underflow or NaN
		return Exp(float64(x * math.Ln2))
	}
	const (
		toWhole = 3 << 51 // a sum with it has no fraction
		c1      = math.Ln2
		c2      = c1 * math.Ln2 / 2
		c3      = c2 * math.Ln2 / 3
		c4      = c3 * math.Ln2 / 4
		c5      = c4 * math.Ln2 / 5
	)
	whole := float64(64*x) + toWhole
	j := int64(math.Float64bits(whole)<<13) >> 13
	r := x - float64((whole-toWhole)/64)
	t := float64(r * r)
	p := float64(c1*r) + float64(t*((c2+float64(c3*r))+float64(t*(c4+float64(c5*r)))))
	y := math.Float64frombits(math.Float64bits(powers[j&63]) + uint64(j>>6)<<52)
	return y + float64(y*p)
}

// scaled is y·2^k for y in [1/2, 2], through subnormals.
func scaled(y float64, k int) float64 {
	if k > -1022 && k < 1023 {
		return y * math.Float64frombits(uint64(1023+k)<<52)
	}
	half := k / 2
	y *= math.Float64frombits(uint64(1023+half) << 52)
	return y * math.Float64frombits(uint64(1023+k-half)<<52)
}

// Coefficients of (log(1+s) − log(1−s))/s − 2 in s², on |s| ≤ 0.1716 (fdlibm).
const (
	l1 = 6.666666666666735130e-01
	l2 = 3.999999999940941908e-01
	l3 = 2.857142874366239149e-01
	l4 = 2.222219843214978396e-01
	l5 = 1.818357216161805012e-01
	l6 = 1.531383769920937332e-01
	l7 = 1.479819860511658591e-01
)

// Log returns the natural logarithm of x with an error below one unit in the
// last place; NaN for x < 0, −Inf for zero.
func Log(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	k := 0
	if x < 0x1p-1022 { // subnormal
		x *= 0x1p54
		k = -54
	}
	bits := math.Float64bits(x)
	k += int(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52) // in [1, 2)
	if m > math.Sqrt2 {
		m /= 2
		k++
	}
	return logReduced(m-1, 0, k)
}

// Log1p returns log(1+x), exact to the last place also for small x.
func Log1p(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x < -1:
		return math.NaN()
	case x == -1:
		return math.Inf(-1)
	case math.Abs(x) < 0x1p-54:
		return x
	case x > -0.2928 && x < 0.4142:
		return logReduced(x, 0, 0)
	}
	u := 1 + x
	var c float64 // what rounding u lost, relative to u
	if x >= 1 {
		c = 1 - (u - x)
	} else {
		c = x - (u - 1)
	}
	c /= u
	bits := math.Float64bits(u)
	k := int(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m /= 2
		k++
	}
	return logReduced(m-1, c, k)
}

// logReduced is log(1+f) + c + k ln 2 for 1+f in [√½, √2] and a tiny c.
func logReduced(f, c float64, k int) float64 {
	s := f / (2 + f)
	z := float64(s * s)
	high := l4 + float64(z*(l5+float64(z*(l6+float64(z*l7)))))
	r := float64(z * (l1 + float64(z*(l2+float64(z*(l3+float64(z*high)))))))
	hfsq := float64(0.5 * float64(f*f))
	e := float64(k)
	return float64(e*ln2Hi) - ((hfsq - (float64(s*(hfsq+r)) + (float64(e*ln2Lo) + c))) - f)
}

// The logistic loss over many margins.

package num

// LogisticSlopes sets dst_k = −1/(1 + e^z_k), the slope of log(1 + e^−z).
//
// With e^z = 2^k N/D, where N/D is the rational function of Exp, the slope is
// −D/(D + 2^k N): one division instead of two, to within a few units in the
// last place.
func LogisticSlopes(dst, z []float64) {
	dst = dst[:len(z)]
	if n := len(z) &^ 7; wide && n > 0 {
		slopesAVX512(&dst[0], &z[0], n)
		dst, z = dst[n:], z[n:]
	}
	if n := len(z) &^ 3; vectors && n > 0 {
		slopesAVX2(&dst[0], &z[0], n)
		dst, z = dst[n:], z[n:]
	}
	logisticSlopes(dst, z)
}

func logisticSlopes(dst, z []float64) {
	for i, v := range z {
		// Beyond ±700 the slope is 0 or −1 to all digits.
		if !(v < 700) {
			v = 700
		} else if v < -700 {
			v = -700
		}
		var k int
		if v < 0 {
			k = int(float64(log2e*v) - 0.5)
		} else {
			k = int(float64(log2e*v) + 0.5)
		}
		hi := v - float64(float64(k)*ln2Hi)
		r := hi - float64(float64(k)*ln2Lo)
		c := expRemainder(r)
		d := 2 - c
		n := float64(d*(1+r)) + float64(r*c)
		dst[i] = -d / (d + scaled(n, k))
	}
}

// LogisticTotal is Σ_k log(1 + e^−z_k), given the slopes s_k = −1/(1 + e^z_k):
// log(1 + e^−z) is −log(1+s) for z ≥ 0 and −z − log(−s) for z < 0, which is
// −min(z, 0) − log max(−s, 1+s). The logarithms of a block of factors, each in
// [½, 1], are one of their product. Sums and products have four chains.
func LogisticTotal(z, slope []float64) float64 {
	const block = 512
	slope = slope[:len(z)]
	sum := 0.0
	for len(z) > 0 {
		n := min(block, len(z))
		low, product := totals(z[:n], slope[:n])
		sum -= low + Log(product)
		z, slope = z[n:], slope[n:]
	}
	return sum
}

// totals are Σ min(z, 0) and Π max(−s, 1+s); a rest of up to three terms is in the chains' first.
func totals(z, slope []float64) (low, product float64) {
	s := [8]float64{0, 0, 0, 0, 1, 1, 1, 1}
	n := len(z) &^ 3
	if vectors && n > 0 {
		totalAVX2(&s, &z[0], &slope[0], n)
	} else {
		fourTotals(&s, z[:n], slope[:n])
	}
	for k, v := range z[n:] {
		addTotal(&s[0], &s[4], v, slope[n+k])
	}
	return (s[0] + s[2]) + (s[1] + s[3]), (s[4] * s[6]) * (s[5] * s[7])
}

func fourTotals(s *[8]float64, z, slope []float64) {
	for ; len(z) >= 4 && len(slope) >= 4; z, slope = z[4:], slope[4:] {
		addTotal(&s[0], &s[4], z[0], slope[0])
		addTotal(&s[1], &s[5], z[1], slope[1])
		addTotal(&s[2], &s[6], z[2], slope[2])
		addTotal(&s[3], &s[7], z[3], slope[3])
	}
}

func addTotal(low, product *float64, z, slope float64) {
	if !(z > 0) {
		*low += z
	}
	factor := -slope
	if 1+slope > factor {
		factor = 1 + slope
	}
	*product *= factor
}

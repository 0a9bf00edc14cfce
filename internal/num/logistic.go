// The logistic loss over many margins.

package num

// LogisticSlopes sets dst_k = −1/(1 + e^z_k), the slope of log(1 + e^−z).
//
// With e^z = 2^k N/D, where N/D is the rational function of Exp, the slope is
// −D/(D + 2^k N): one division instead of two, to within a few units in the
// last place.
func LogisticSlopes(dst, z []float64) {
	dst = dst[:len(z)]
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
// log(1 + e^−z) is −log(1+s) for z ≥ 0 and −z − log(−s) for z < 0, and the
// logarithms of a block of factors, each in [½, 1], are one of their product.
func LogisticTotal(z, slope []float64) float64 {
	const block = 512
	slope = slope[:len(z)]
	sum := 0.0
	for len(z) > 0 {
		n := min(block, len(z))
		product := 1.0
		for k, v := range z[:n] {
			if v < 0 {
				sum -= v
				product *= -slope[k]
			} else {
				product *= 1 + slope[k]
			}
		}
		sum -= Log(product)
		z, slope = z[n:], slope[n:]
	}
	return sum
}

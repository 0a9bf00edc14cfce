// The logistic loss's slope over many margins.

package num

// LogisticSlopes sets dst_k = −1/(1 + e^z_k), the slope of log(1 + e^−z).
func LogisticSlopes(dst, z []float64) {
	dst = dst[:len(z)]
	for k, v := range z {
		// Beyond ±700 the slope is 0 or −1 to all digits.
		if !(v < 700) {
			v = 700
		} else if v < -700 {
			v = -700
		}
		dst[k] = -1 / (1 + Exp(v))
	}
}

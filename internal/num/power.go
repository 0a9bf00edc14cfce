// Whole powers.

package num

// Power is xⁿ by squaring, the same bits everywhere.
func Power(x float64, n int) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			p *= x
		}
		x *= x
	}
	return p
}

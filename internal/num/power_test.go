package num

import (
	"math"
	"testing"
)

// Powers by squaring against the standard library's.
func TestPower_IsMathPow(t *testing.T) {
	for _, x := range []float64{0, 0.5, 0.9, 0.999, 1, 1.01, 1.7, 3} {
		for n := range 300 {
			want := math.Pow(x, float64(n))
			if got := Power(x, n); !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("%v to the %d is %v, want %v", x, n, got, want)
			}
		}
	}
}

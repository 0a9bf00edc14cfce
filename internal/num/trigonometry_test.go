// Sine and cosine are those of the standard library, but for rounding.

package num

import (
	"math"
	"testing"
)

func TestSinCosDegrees(t *testing.T) {
	for x := -1000.0; x <= 1000; x += 0.37 {
		sin, cos := SinCosDegrees(x)
		wantSin, wantCos := math.Sincos(x * math.Pi / 180)
		if !(math.Abs(sin-wantSin) <= 4e-15 && math.Abs(cos-wantCos) <= 4e-15) {
			t.Errorf("%v°: %v and %v, want %v and %v", x, sin, cos, wantSin, wantCos)
		}
	}
	for k, want := range [][2]float64{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
		if sin, cos := SinCosDegrees(float64(90*k - 720)); sin != want[0] || cos != want[1] {
			t.Errorf("%d°: %v and %v", 90*k, sin, cos)
		}
	}
}

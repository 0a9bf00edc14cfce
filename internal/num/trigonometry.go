// Sine and cosine, for positions on the globe.

package num

import "math"

// SinCosDegrees are the sine and the cosine of an angle in degrees, exact to about 1e-15 up to 10⁶ degrees, and of
// multiples of 90 degrees exactly.
func SinCosDegrees(x float64) (sin, cos float64) {
	quarter := math.Round(x / 90)
	r := float64((x - float64(90*quarter)) * (math.Pi / 180)) // in [−π/4, π/4]
	square := float64(r * r)
	sin, cos = 1, 1
	for k := 8; k >= 1; k-- { // the series, from its last term
		sin = 1 - float64(square*sin)/float64(2*k*(2*k+1))
		cos = 1 - float64(square*cos)/float64(2*k*(2*k-1))
	}
	sin = float64(r * sin)
	switch int64(quarter) & 3 {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}

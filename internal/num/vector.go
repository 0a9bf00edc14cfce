// Vector kernels with a fixed order of summation.

package num

import "math"

// Dot returns Σ x_k y_k, summed in four interleaved chains so that additions
// overlap. The vectors have equal length.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	k := 0
	for ; k+4 <= len(x); k += 4 {
		u, v := x[k:k+4:k+4], y[k:k+4:k+4]
		a += float64(u[0] * v[0])
		b += float64(u[1] * v[1])
		c += float64(u[2] * v[2])
		d += float64(u[3] * v[3])
	}
	for ; k < len(x); k++ {
		a += float64(x[k] * y[k])
	}
	return (a + b) + (c + d)
}

// Axpy adds a·x to y.
func Axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	k := 0
	for ; k+4 <= len(x); k += 4 {
		u, v := x[k:k+4:k+4], y[k:k+4:k+4]
		v[0] += float64(a * u[0])
		v[1] += float64(a * u[1])
		v[2] += float64(a * u[2])
		v[3] += float64(a * u[3])
	}
	for ; k < len(x); k++ {
		y[k] += float64(a * x[k])
	}
}

// Scale multiplies x by a.
func Scale(a float64, x []float64) {
	for k := range x {
		x[k] *= a
	}
}

// Norm is the Euclidean norm.
func Norm(x []float64) float64 { return math.Sqrt(Dot(x, x)) }

// Vector kernels with a fixed order of summation.

package num

import "math"

// Dot returns Σ x_k y_k, summed in eight interleaved chains, term k in chain k mod 8, so that additions overlap; the
// chains a_0 … a_7 are then added as ((a_0+a_4) + (a_2+a_6)) + ((a_1+a_5) + (a_3+a_7)). The vectors have equal length.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	if vectors && len(x) > 0 {
		return dotAVX2(&x[0], &y[0], len(x))
	}
	return dot(x, y)
}

func dot(x, y []float64) float64 {
	var a, b, c, d, e, f, g, h float64
	for ; len(x) >= 8 && len(y) >= 8; x, y = x[8:], y[8:] {
		a += float64(x[0] * y[0])
		b += float64(x[1] * y[1])
		c += float64(x[2] * y[2])
		d += float64(x[3] * y[3])
		e += float64(x[4] * y[4])
		f += float64(x[5] * y[5])
		g += float64(x[6] * y[6])
		h += float64(x[7] * y[7])
	}
	for k, u := range x {
		p := float64(u * y[k])
		switch k {
		case 0:
			a += p
		case 1:
			b += p
		case 2:
			c += p
		case 3:
			d += p
		case 4:
			e += p
		case 5:
			f += p
		case 6:
			g += p
		}
	}
	return ((a + e) + (c + g)) + ((b + f) + (d + h))
}

// Axpy adds a·x to y.
func Axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	if vectors && len(x) > 0 {
		axpyAVX2(a, &x[0], &y[0], len(x))
		return
	}
	axpy(a, x, y)
}

func axpy(a float64, x, y []float64) {
	for k, u := range x {
		y[k] += float64(a * u)
	}
}

// Dots sets out_k to Dot(rows_k, x), each row as long as x.
func Dots(out *[4]float64, a, b, c, d, x []float64) {
	n := len(x)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	switch {
	case n == 0:
	case wide:
		dot4AVX512(out, &a[0], &b[0], &c[0], &d[0], &x[0], n)
		return
	case vectors:
		dot4AVX2(out, &a[0], &b[0], &c[0], &d[0], &x[0], n)
		return
	}
	out[0], out[1], out[2], out[3] = dot(a, x), dot(b, x), dot(c, x), dot(d, x)
}

// Axpys adds k_0·a, k_1·b, k_2·c and k_3·d to y, one after the other.
func Axpys(k *[4]float64, a, b, c, d, y []float64) {
	n := len(y)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	switch {
	case n == 0:
	case wide:
		axpy4AVX512(k, &a[0], &b[0], &c[0], &d[0], &y[0], n)
		return
	case vectors:
		axpy4AVX2(k, &a[0], &b[0], &c[0], &d[0], &y[0], n)
		return
	}
	axpy(k[0], a, y)
	axpy(k[1], b, y)
	axpy(k[2], c, y)
	axpy(k[3], d, y)
}

// Scale multiplies x by a.
func Scale(a float64, x []float64) {
	for k := range x {
		x[k] *= a
	}
}

// Norm is the Euclidean norm.
func Norm(x []float64) float64 { return math.Sqrt(Dot(x, x)) }

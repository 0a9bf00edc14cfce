// The discrete Fourier transform, with the same bits on every machine. A library's would be fused where the compiler
// fuses, and digits of certificates would differ between machines.

package loss

import (
	"math"
	"math/bits"
)

// turn is the cosine and the sine of that share of a full turn, 0 ≤ share ≤ 1, to a unit in the last place: the angle
// is brought to an eighth, where Taylor's series ends after nine terms.
func turn(share float64) (cos, sin float64) {
	quarter := float64(4 * share)
	whole := math.Floor(quarter + 0.5)
	x := float64((quarter - whole) * (math.Pi / 2))
	square := float64(x * x)
	c, s := 1.0, 1.0
	for k := 10; k >= 1; k-- {
		c = 1 - float64(square*c)/float64(2*k*(2*k-1))
		s = 1 - float64(square*s)/float64(2*k*(2*k+1))
	}
	s *= x
	switch int(whole) % 4 {
	case 1:
		return -s, c
	case 2:
		return -c, -s
	case 3:
		return s, -c
	}
	return c, s
}

// fourier transforms vectors of n numbers, n a power of two.
type fourier struct {
	n     int
	roots [][2]float64 // e^(−2πik/n), k < n/2
}

func newFourier(n int) *fourier {
	f := &fourier{n: n, roots: make([][2]float64, n/2)}
	for k := range f.roots {
		c, s := turn(float64(k) / float64(n))
		f.roots[k] = [2]float64{c, -s}
	}
	return f
}

// forward transforms re + i im in place.
func (f *fourier) forward(re, im []float64) {
	shift := 64 - bits.TrailingZeros(uint(f.n))
	for i := range f.n {
		if j := int(bits.Reverse64(uint64(i)) >> shift); j > i {
			re[i], re[j] = re[j], re[i]
			im[i], im[j] = im[j], im[i]
		}
	}
	for half := 1; half < f.n; half *= 2 {
		stride := f.n / (2 * half)
		for start := 0; start < f.n; start += 2 * half {
			ar, ai := re[start:start+half], im[start:start+half]
			br, bi := re[start+half:start+2*half], im[start+half:start+2*half]
			for k := range ar {
				w := &f.roots[k*stride]
				x := float64(br[k]*w[0]) - float64(bi[k]*w[1])
				y := float64(br[k]*w[1]) + float64(bi[k]*w[0])
				br[k], bi[k] = ar[k]-x, ai[k]-y
				ar[k], ai[k] = ar[k]+x, ai[k]+y
			}
		}
	}
}

// backward is the inverse of forward.
func (f *fourier) backward(re, im []float64) {
	f.forward(im, re) // parts exchanged: the conjugate's transform
	for k := range re {
		re[k] /= float64(f.n)
		im[k] /= float64(f.n)
	}
}

// times is (a + ib)(c + id).
func times(a, b, c, d float64) (re, im float64) {
	return float64(a*c) - float64(b*d), float64(a*d) + float64(b*c)
}

// power is (a + ib)^n by squaring.
func power(a, b float64, n int) (re, im float64) {
	re, im = 1, 0
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			re, im = times(re, im, a, b)
		}
		a, b = times(a, b, a, b)
	}
	return re, im
}

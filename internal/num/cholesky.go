// Cholesky factorisation of symmetric positive definite matrices.

package num

import (
	"errors"
	"math"
)

// ErrNotPositiveDefinite is returned for a matrix that has no Cholesky factor.
var ErrNotPositiveDefinite = errors.New("matrix is not positive definite")

// Cholesky is a lower triangular factor L with A = L Lᵀ, packed by rows: L_ij
// is at i(i+1)/2 + j, the diagonal holds 1/L_ii.
type Cholesky struct{ packed []float64 }

// Packed is the length of a packed triangle of order n.
func Packed(n int) int { return n * (n + 1) / 2 }

// choleskyBlock is the number of columns after which the rest of the matrix is brought up to date; choleskyRows that of
// rows which one goroutine takes at a time.
const (
	choleskyBlock = 128
	choleskyRows  = 32
)

// Factor factors a packed lower triangle in place and keeps it.
func (c *Cholesky) Factor(a []float64, n int) error {
	c.packed = a
	var left panel
	for from := 0; from < n; from += choleskyBlock {
		to := min(from+choleskyBlock, n)
		for i := from; i < to; i += 4 {
			end := min(i+4, to)
			c.columns(i, end, from, from, i)
			for k := i; k < end; k++ {
				c.columns(k, k+1, from, i, k)
				r := c.row(k)
				pivot := r[k] - Dot(r[from:k], r[from:k])
				if !(pivot > 0) || math.IsInf(pivot, 1) {
					return ErrNotPositiveDefinite
				}
				r[k] = 1 / math.Sqrt(pivot)
			}
		}
		if to == n {
			break
		}
		left.reset(n-to, to-from)
		parallel((n-to+choleskyRows-1)/choleskyRows, func(k int) {
			first := to + k*choleskyRows
			last := min(first+choleskyRows, n)
			c.columns(first, last, from, from, to)
			for i := first; i < last; i++ {
				for k, l := range c.row(i)[from:to] {
					left.set(i-to, k, l)
				}
			}
		})
		left.addTo(-1, func(i int) []float64 { return c.row(to + i)[to:] })
	}
	return nil
}

// row is the i-th of L.
func (c *Cholesky) row(i int) []float64 { return c.packed[Packed(i) : Packed(i)+i+1] }

// columns makes the columns from…to−1 of the rows first…last−1, given those of the rows above and the columns before,
// of which the ones before begin are in the matrix already.
func (c *Cholesky) columns(first, last, begin, from, to int) {
	var k [4]float64
	for j := from; j < to; j++ {
		above := c.row(j)
		i := first
		for ; i+4 <= last; i += 4 {
			p, q, r, s := c.row(i), c.row(i+1), c.row(i+2), c.row(i+3)
			Dots(&k, p[begin:], q[begin:], r[begin:], s[begin:], above[begin:j])
			p[j] = (p[j] - k[0]) * above[j]
			q[j] = (q[j] - k[1]) * above[j]
			r[j] = (r[j] - k[2]) * above[j]
			s[j] = (s[j] - k[3]) * above[j]
		}
		for ; i < last; i++ {
			r := c.row(i)
			r[j] = (r[j] - Dot(above[begin:j], r[begin:j])) * above[j]
		}
	}
}

// Solve replaces b by A⁻¹ b.
func (c *Cholesky) Solve(b []float64) {
	fours := len(b) &^ 3
	c.forward(b[:fours])
	for i := fours; i < len(b); i++ {
		p := c.row(i)
		b[i] = (b[i] - Dot(p[:i], b[:i])) * p[i]
	}
	for i := len(b) - 1; i >= fours; i-- {
		p := c.row(i)
		b[i] *= p[i]
		Axpy(-b[i], p[:i], b[:i])
	}
	c.backward(b[:fours])
}

// forward replaces b, the first numbers of a right-hand side, by those of L⁻¹ b; they are a multiple of four.
func (c *Cholesky) forward(b []float64) {
	if vectors && len(b) > 0 {
		forwardAVX2(&c.packed[:Packed(len(b))][0], &b[0], len(b))
		return
	}
	c.forwardRows(b)
}

// forwardRows takes four rows of L at a time: what the other rows contribute, then the triangle among the four.
func (c *Cholesky) forwardRows(b []float64) {
	var k [4]float64
	for i := 0; i < len(b); i += 4 {
		p, q, r, s := c.row(i), c.row(i+1), c.row(i+2), c.row(i+3)
		Dots(&k, p, q, r, s, b[:i])
		v := b[i : i+4 : i+4]
		v[0] = (v[0] - k[0]) * p[i]
		v[1] = (v[1] - k[1] - float64(q[i]*v[0])) * q[i+1]
		v[2] = (v[2] - k[2] - float64(r[i]*v[0]) - float64(r[i+1]*v[1])) * r[i+2]
		v[3] = (v[3] - k[3] - float64(s[i]*v[0]) - float64(s[i+1]*v[1]) - float64(s[i+2]*v[2])) * s[i+3]
	}
}

// backward does the same with the columns of L, which are the rows of Lᵀ, from the last one.
func (c *Cholesky) backward(b []float64) {
	if vectors && len(b) > 0 {
		backwardAVX2(&c.packed[:Packed(len(b))][0], &b[0], len(b))
		return
	}
	c.backwardRows(b)
}

func (c *Cholesky) backwardRows(b []float64) {
	var k [4]float64
	for i := len(b) - 4; i >= 0; i -= 4 {
		p, q, r, s := c.row(i), c.row(i+1), c.row(i+2), c.row(i+3)
		v := b[i : i+4 : i+4]
		v[3] *= s[i+3]
		v[2] = (v[2] - float64(s[i+2]*v[3])) * r[i+2]
		v[1] = (v[1] - float64(s[i+1]*v[3]) - float64(r[i+1]*v[2])) * q[i+1]
		v[0] = (v[0] - float64(s[i]*v[3]) - float64(r[i]*v[2]) - float64(q[i]*v[1])) * p[i]
		k[0], k[1], k[2], k[3] = -v[3], -v[2], -v[1], -v[0]
		Axpys(&k, s, r, q, p, b[:i])
	}
}

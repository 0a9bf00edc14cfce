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

// Factor factors a packed lower triangle in place and keeps it.
func (c *Cholesky) Factor(a []float64, n int) error {
	for i := range n {
		ri := a[Packed(i) : Packed(i)+i+1]
		for j := range i {
			rj := a[Packed(j) : Packed(j)+j+1]
			ri[j] = (ri[j] - Dot(rj[:j], ri[:j])) * rj[j]
		}
		pivot := ri[i] - Dot(ri[:i], ri[:i])
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return ErrNotPositiveDefinite
		}
		ri[i] = 1 / math.Sqrt(pivot)
	}
	c.packed = a
	return nil
}

// Solve replaces b by A⁻¹ b. It takes four rows of L at a time: what the other rows contribute, then the triangle
// among the four.
func (c *Cholesky) Solve(b []float64) {
	row := func(i int) []float64 { return c.packed[Packed(i) : Packed(i)+i+1] }
	var k [4]float64
	i := 0
	for ; i+4 <= len(b); i += 4 {
		p, q, r, s := row(i), row(i+1), row(i+2), row(i+3)
		Dots(&k, p, q, r, s, b[:i])
		v := b[i : i+4 : i+4]
		v[0] = (v[0] - k[0]) * p[i]
		v[1] = (v[1] - k[1] - float64(q[i]*v[0])) * q[i+1]
		v[2] = (v[2] - k[2] - float64(r[i]*v[0]) - float64(r[i+1]*v[1])) * r[i+2]
		v[3] = (v[3] - k[3] - float64(s[i]*v[0]) - float64(s[i+1]*v[1]) - float64(s[i+2]*v[2])) * s[i+3]
	}
	last := i
	for ; i < len(b); i++ {
		p := row(i)
		b[i] = (b[i] - Dot(p[:i], b[:i])) * p[i]
	}
	for i--; i >= last; i-- {
		p := row(i)
		b[i] *= p[i]
		Axpy(-b[i], p[:i], b[:i])
	}
	for i = last - 4; i >= 0; i -= 4 {
		p, q, r, s := row(i), row(i+1), row(i+2), row(i+3)
		v := b[i : i+4 : i+4]
		v[3] *= s[i+3]
		v[2] = (v[2] - float64(s[i+2]*v[3])) * r[i+2]
		v[1] = (v[1] - float64(s[i+1]*v[3]) - float64(r[i+1]*v[2])) * q[i+1]
		v[0] = (v[0] - float64(s[i]*v[3]) - float64(r[i]*v[2]) - float64(q[i]*v[1])) * p[i]
		k[0], k[1], k[2], k[3] = -v[3], -v[2], -v[1], -v[0]
		Axpys(&k, s, r, q, p, b[:i])
	}
}

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

// Solve replaces b by A⁻¹ b.
func (c *Cholesky) Solve(b []float64) {
	a := c.packed
	for i := range b {
		row := a[Packed(i) : Packed(i)+i+1]
		b[i] = (b[i] - Dot(row[:i], b[:i])) * row[i]
	}
	for i := len(b) - 1; i >= 0; i-- {
		row := a[Packed(i) : Packed(i)+i+1]
		b[i] *= row[i]
		Axpy(-b[i], row[:i], b[:i])
	}
}

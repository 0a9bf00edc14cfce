// Rank-revealing Cholesky factorisation of positive semidefinite matrices.

package num

import (
	"errors"
	"math"
)

// ErrNotFinite is returned for a matrix with an infinite entry or a NaN.
var ErrNotFinite = errors.New("matrix has an entry that is not finite")

// Pivoted is a Cholesky factorisation with diagonal pivoting of a symmetric
// positive semidefinite n×n matrix A: P A Pᵀ = L Lᵀ, where L has n rows and as
// many columns as A has rank. The methods use working memory of the value, so
// one goroutine at a time may call them.
type Pivoted struct {
	Rank  int   // columns of L
	Pivot []int // row k of L belongs to row Pivot[k] of A; the first Rank of them are independent

	n    int
	a    []float64 // L by rows, n×n, of which the first Rank columns count
	work []float64 // n
}

// PivotedTolerance is the default tolerance for order n: ten times what
// rounding may leave on the diagonal, relative to the largest element.
func PivotedTolerance(n int) float64 { return 10 * float64(n) * 0x1p-52 }

// pivotedBlock is the number of columns after which the rest of the matrix is
// brought up to date.
const pivotedBlock = 64

// Factor factors a matrix of order n, stored by rows in full, of which only the
// lower triangle is read; a is overwritten and kept. It stops when the largest
// diagonal element that is left is at most tolerance times the largest of A;
// zero is PivotedTolerance(n). Of equal pivots the first is taken.
//
// The error is ErrNotFinite, or ErrNotPositiveDefinite if what is left of the
// diagonal is negative by more than rounding explains. An indefinite matrix
// need not be noticed.
func (p *Pivoted) Factor(a []float64, n int, tolerance float64) error {
	if tolerance == 0 {
		tolerance = PivotedTolerance(n)
	}
	p.n, p.a, p.Rank = n, a, 0
	p.Pivot, p.work = make([]int, n), make([]float64, n)
	largest := 0.0
	for i := range n {
		p.Pivot[i] = i
		largest = math.Max(largest, a[i*n+i])
	}
	limit, negative := tolerance*largest, -math.Max(tolerance, PivotedTolerance(n))*largest

	// done[i] is Σ L_ij² over the columns of the present block; the part of A
	// beyond the block is up to date with all blocks before.
	done := p.work
	var left panel
	for from := 0; from < n; from += pivotedBlock {
		clear(done)
		to := min(from+pivotedBlock, n)
		for k := from; k < to; k++ {
			best, most := k, math.Inf(-1)
			for i := k; i < n; i++ {
				d := a[i*n+i] - done[i]
				if d > most {
					best, most = i, d
				}
				if d != d || math.IsInf(d, 0) {
					return ErrNotFinite
				}
				if d < negative {
					return ErrNotPositiveDefinite
				}
			}
			if most <= limit {
				return nil
			}
			p.swap(k, best)
			done[k], done[best] = done[best], done[k]
			root := math.Sqrt(most)
			a[k*n+k] = root
			own := a[k*n+from : k*n+k]
			for i := k + 1; i < n; i++ {
				row := a[i*n : i*n+k+1]
				l := (row[k] - Dot(own, row[from:k])) / root
				row[k] = l
				done[i] += float64(l * l)
			}
			p.Rank++
		}
		if to < n {
			left.reset(n-to, to-from)
			for i := to; i < n; i++ {
				for k, l := range a[i*n+from : i*n+to] {
					left.set(i-to, k, l)
				}
			}
			left.addTo(-1, func(i int) []float64 {
				return a[(to+i)*n+to : (to+i)*n+to+i+1]
			})
		}
	}
	return nil
}

// swap exchanges rows and columns k < b of what is left, in the lower triangle,
// and the rows of L.
func (p *Pivoted) swap(k, b int) {
	if k == b {
		return
	}
	a, n := p.a, p.n
	p.Pivot[k], p.Pivot[b] = p.Pivot[b], p.Pivot[k]
	for j := range k {
		a[k*n+j], a[b*n+j] = a[b*n+j], a[k*n+j]
	}
	a[k*n+k], a[b*n+b] = a[b*n+b], a[k*n+k]
	for i := k + 1; i < b; i++ {
		a[i*n+k], a[b*n+i] = a[b*n+i], a[i*n+k]
	}
	for i := b + 1; i < n; i++ {
		a[i*n+k], a[i*n+b] = a[i*n+b], a[i*n+k]
	}
}

// Solve replaces b, an n-vector, by the solution x of A x = b that is zero
// outside the first Rank pivots. At full rank it is the only one; below, it
// solves the system if b is in the range of A, as Dᵀv is for A = DᵀD.
func (p *Pivoted) Solve(b []float64) {
	a, n, x := p.a, p.n, p.work[:p.Rank]
	for k := range x {
		row := a[k*n : k*n+k+1]
		x[k] = (b[p.Pivot[k]] - Dot(row[:k], x[:k])) / row[k]
	}
	p.back(x)
	p.spread(b)
}

// SolveT sets x, an n-vector, to L_r⁻ᵀ z on the first Rank pivots and to zero
// elsewhere, for z of length Rank and L_r the first Rank rows of L. If A = DᵀD
// then D x has the length of z, and for z standard normal its covariance is the
// orthogonal projector onto the range of D.
func (p *Pivoted) SolveT(x, z []float64) {
	copy(p.work[:p.Rank], z)
	p.back(p.work[:p.Rank])
	p.spread(x)
}

// back replaces x by L_r⁻ᵀ x.
func (p *Pivoted) back(x []float64) {
	for k := len(x) - 1; k >= 0; k-- {
		row := p.a[k*p.n : k*p.n+k+1]
		x[k] /= row[k]
		Axpy(-x[k], row[:k], x[:k])
	}
}

// spread writes the working memory to the pivots' places in x.
func (p *Pivoted) spread(x []float64) {
	clear(x)
	for k, v := range p.work[:p.Rank] {
		x[p.Pivot[k]] = v
	}
}

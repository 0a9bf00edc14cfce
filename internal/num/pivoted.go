// Rank-revealing Cholesky factorisation of positive semidefinite matrices, and
// the Gram matrices it is used on.

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
	var panel []float64
	for from := 0; from < n; from += pivotedBlock {
		clear(done)
		to := min(from+pivotedBlock, n)
		for k := from; k < to; k++ {
			best, left := k, math.Inf(-1)
			for i := k; i < n; i++ {
				d := a[i*n+i] - done[i]
				if d > left {
					best, left = i, d
				}
				if d != d || math.IsInf(d, 0) {
					return ErrNotFinite
				}
				if d < negative {
					return ErrNotPositiveDefinite
				}
			}
			if left <= limit {
				return nil
			}
			p.swap(k, best)
			done[k], done[best] = done[best], done[k]
			root := math.Sqrt(left)
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
			width := to - from
			panel = panel[:0]
			for i := to; i < n; i++ {
				panel = append(panel, a[i*n+from:i*n+to]...)
			}
			products(panel, n-to, width, -1, func(i int) []float64 {
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

// AddGram adds the inner products of count vectors of length n, stored one
// after the other in v, to a packed lower triangle g of that order.
func AddGram(g, v []float64, count, n int) {
	products(v, count, n, 1, func(i int) []float64 {
		return g[Packed(i) : Packed(i)+i+1]
	})
}

// productTile is how many vectors are kept in the innermost cache; it is even,
// so that only the last tile can end with a vector that has no neighbour.
const productTile = 16

// products adds sign times the inner products of vectors i and j ≤ i, of length
// n, to element j of row(i). They are taken two by two, which loads each number
// half as often.
func products(v []float64, count, n int, sign float64, row func(i int) []float64) {
	at := func(i int) []float64 { return v[i*n : i*n+n] }
	for tile := 0; tile < count; tile += productTile {
		end := min(tile+productTile, count)
		for i := tile; i+1 < count; i += 2 {
			first, second := row(i), row(i+1)
			for j := tile; j < end && j <= i; j += 2 {
				a, b, c, d := dot2x2(at(i), at(i+1), at(j), at(j+1))
				first[j] += float64(sign * a)
				if j < i {
					first[j+1] += float64(sign * b)
				}
				second[j] += float64(sign * c)
				second[j+1] += float64(sign * d)
			}
		}
		if (count-tile)%2 == 1 {
			last := row(count - 1)
			for j := tile; j < end; j++ {
				last[j] += float64(sign * Dot(at(count-1), at(j)))
			}
		}
	}
}

// dot2x2 returns u·a, u·b, w·a and w·b.
func dot2x2(u, w, a, b []float64) (ua, ub, wa, wb float64) {
	n := len(u)
	w, a, b = w[:n], a[:n], b[:n]
	for k, x := range u {
		y, p, q := w[k], a[k], b[k]
		ua += float64(x * p)
		ub += float64(x * q)
		wa += float64(y * p)
		wb += float64(y * q)
	}
	return ua, ub, wa, wb
}

// The matrices of the theorems and what is asked of them.

package theory

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"overhear/sim"
)

// laplacians are D−A and D+A.
func laplacians(g *sim.Graph) (minus, plus *mat.SymDense) {
	n := g.Order()
	minus, plus = mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	for i := range n {
		minus.SetSym(i, i, float64(g.Degree(i)))
		plus.SetSym(i, i, float64(g.Degree(i)))
		for _, j := range g.Neighbours(i) {
			minus.SetSym(i, int(j), -1)
			plus.SetSym(i, int(j), 1)
		}
	}
	return minus, plus
}

// bipartite says whether the nodes of a connected graph take two colours, that
// is, whether D+A is singular.
func bipartite(g *sim.Graph) bool {
	colour := make([]int, g.Order())
	colour[0] = 1
	queue := []int{0}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, j := range g.Neighbours(i) {
			switch colour[j] {
			case 0:
				colour[j] = -colour[i]
				queue = append(queue, int(j))
			case colour[i]:
				return false
			}
		}
	}
	return true
}

// eigenvalues of a symmetric matrix, ascending.
func eigenvalues(s *mat.SymDense) []float64 {
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		values := make([]float64, s.SymmetricDim()) // NaN makes every condition fail
		for k := range values {
			values[k] = math.NaN()
		}
		return values
	}
	return e.Values(nil)
}

func largest(s *mat.SymDense) float64 {
	values := eigenvalues(s)
	return values[len(values)-1]
}

// diagonal is the matrix with f(0), …, f(n−1) on its diagonal.
func diagonal(n int, f func(i int) float64) *mat.DiagDense {
	d := mat.NewDiagDense(n, nil)
	for i := range n {
		d.SetDiag(i, f(i))
	}
	return d
}

// parts splits a square matrix into its symmetric and antisymmetric parts.
func parts(x mat.Matrix) (sym *mat.SymDense, anti *mat.Dense) {
	n, _ := x.Dims()
	sym, anti = mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a, b := x.At(i, j), x.At(j, i)
			sym.SetSym(i, j, (a+b)/2)
			anti.Set(i, j, (a-b)/2)
		}
	}
	return sym, anti
}

// product multiplies matrices.
func product(first mat.Matrix, others ...mat.Matrix) *mat.Dense {
	all := mat.DenseCopyOf(first)
	for _, x := range others {
		var next mat.Dense
		next.Mul(all, x)
		all = &next
	}
	return all
}

// whitener is the inverse of the lower Cholesky factor of a, or nil if a is not
// positive definite.
func whitener(a *mat.SymDense) *mat.TriDense {
	var c mat.Cholesky
	if !c.Factorize(a) {
		return nil
	}
	var l, inverse mat.TriDense
	c.LTo(&l)
	if err := inverse.InverseTri(&l); err != nil {
		if _, poor := err.(mat.Condition); !poor {
			return nil
		}
	}
	return &inverse
}

// whitened is w b wᵀ: its eigenvalues are those of b relative to the matrix that
// w whitens.
func whitened(w *mat.TriDense, b mat.Matrix) *mat.SymDense {
	s, _ := parts(product(w, b, w.T()))
	return s
}

// pseudoInverse of a square matrix of rank n−1.
func pseudoInverse(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	var svd mat.SVD
	svd.Factorize(x, mat.SVDFull)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	inverse := diagonal(n, func(i int) float64 {
		if i == n-1 {
			return 0
		}
		return 1 / values[i]
	})
	return product(&v, inverse, u.T())
}

// lowest finds where a function that first falls and then rises is lowest
// between a and b, to 1e−6, by golden section; it returns the place and value.
func lowest(a, b float64, h func(x float64) float64) (x, value float64) {
	const golden = 0.6180339887498949
	c, d := b-float64(golden*(b-a)), a+float64(golden*(b-a))
	hc, hd := h(c), h(d)
	for b-a > 1e-6 {
		if hc <= hd {
			b, d, hd = d, c, hc
			c = b - float64(golden*(b-a))
			hc = h(c)
		} else {
			a, c, hc = c, d, hd
			d = a + float64(golden*(b-a))
			hd = h(d)
		}
	}
	if hc <= hd {
		return c, hc
	}
	return d, hd
}

// alike says whether all numbers are equal.
func alike(x []float64) bool {
	for _, v := range x {
		if v != x[0] {
			return false
		}
	}
	return true
}

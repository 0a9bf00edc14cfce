// How curved the nodes' objectives are.

package theory

import (
	"gonum.org/v1/gonum/mat"

	"overhear/internal/num"
	"overhear/problem"
)

// largestGram is the largest Gram matrix whose eigenvalues are computed.
const largestGram = 1500

// Constants returns, for each node, the strong convexity m_i and the Lipschitz
// constant M_i of ∇O_i (ZKL18 (20); RA19 (28) has M_i only):
//
//	m_i = r_i,   M_i = C c₁ λ_max((1/B_i) Σ_n x_n x_nᵀ) + r_i
//
// Both are valid bounds: the loss may add to m_i, and its curvature may stay
// below c₁. Of a node with more than 1500 rows and as many columns, the mean
// ‖x_n‖² is taken for λ_max, which it bounds.
func Constants(p *problem.Problem) (strong, smooth []float64) {
	strong, smooth = make([]float64, len(p.Shards)), make([]float64, len(p.Shards))
	for i := range p.Shards {
		u := p.Shards[i].U // rows y_n x_n: y² = 1, so UᵀU = XᵀX
		strong[i], smooth[i] = p.R[i], p.R[i]
		if u.Len() > 0 {
			smooth[i] += p.C * p.Loss.Bound() * stretch(u) / float64(u.Len())
		}
	}
	return strong, smooth
}

// Cost is about how many multiplications Constants takes: of each node those of the smaller of its two Gram matrices,
// and several times the cube of its order for the eigenvalues.
func Cost(p *problem.Problem) (all float64) {
	const eigenvalues = 4
	for i := range p.Shards {
		u := p.Shards[i].U
		side, long := float64(min(u.D, u.Len())), float64(max(u.D, u.Len()))
		if side > largestGram {
			side = 1
		}
		all += float64(side * side * (float64(long/2) + float64(eigenvalues*side)))
	}
	return all
}

// stretch is λ_max(UᵀU), from the smaller of UᵀU and UUᵀ, or a bound on it.
func stretch(u *problem.Rows) float64 {
	if min(u.D, u.Len()) > largestGram {
		sum := 0.0
		for _, v := range u.Val {
			sum += float64(v * v)
		}
		return sum
	}
	side := min(u.D, u.Len())
	sum := num.NewGram(side)
	if u.D <= u.Len() {
		for n := range u.Len() {
			sum.Add(u.Row(n))
		}
	} else {
		rows, vals := make([][]int32, u.D), make([][]float64, u.D) // of each column
		for n := range u.Len() {
			in, v := u.Row(n)
			for k, c := range in {
				rows[c], vals[c] = append(rows[c], int32(n)), append(vals[c], v[k])
			}
		}
		for c := range rows {
			sum.Add(rows[c], vals[c])
		}
	}
	packed := sum.Packed()
	gram := mat.NewSymDense(side, nil)
	for i := range side {
		for j, v := range packed[num.Packed(i):][:i+1] {
			gram.SetSym(i, j, v)
		}
	}
	values := eigenvalues(gram)
	return max(0, values[len(values)-1])
}

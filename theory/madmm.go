// The convergence of M-ADMM: ZKL18, Theorems 3.1 and 3.2.

package theory

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overhear/sim"
)

// Theorem31 checks the condition of ZKL18 Theorem 3.1, η_i(t+1) ≥ η_i(t) ≥ θ > 0
// and η_i(t) < +∞, on rounds 1 to rounds; schedule is η_node(round), nodes are
// numbered from 0. It returns nil, or names the first round, and in it the first
// node, where the condition fails. Convergence moreover needs a bound on η that
// holds for all rounds, which no finite number of them shows: the caller knows the law.
func Theorem31(schedule func(node, k int) float64, nodes, rounds int, theta float64) error {
	if !(theta > 0) || math.IsInf(theta, 1) {
		return fmt.Errorf("the dual step θ must be positive and finite, is %v", theta)
	}
	last := make([]float64, nodes)
	for k := 1; k <= rounds; k++ {
		for i := range last {
			eta := schedule(i, k)
			switch {
			case math.IsNaN(eta) || math.IsInf(eta, 0):
				return fmt.Errorf("the penalty of node %d in round %d is %v", i, k, eta)
			case eta < theta:
				return fmt.Errorf("the penalty of node %d in round %d, %v, is below the dual step θ = %v", i, k, eta,
					theta)
			case k > 1 && eta < last[i]:
				return fmt.Errorf("the penalty of node %d falls in round %d, from %v to %v", i, k, last[i], eta)
			}
			last[i] = eta
		}
	}
	return nil
}

// Rate is what ZKL18 Theorem 3.2 guarantees of one round.
type Rate struct {
	Applies bool
	Reason  string // a sentence that begins with `applies` or `does not apply`

	Delta float64 // the largest δ(t) that satisfies the theorem for some μ; 0 if none
	Mu    float64 // the μ > 1 at which it does

	Bound   float64 // (23), corrected, at its best μ: at most Delta; 0 unless all penalties are equal
	BoundMu float64
}

// Factor is 1/√(1+δ): what a round multiplies ‖Z(t) − Z*‖_J by, at most, and,
// while the penalties stay as they are, the factor per round at which
// ‖f(t) − f*‖ vanishes in the long run.
func (r Rate) Factor() float64 { return 1 / math.Sqrt(1+r.Delta) }

// The range of μ−1 that is searched.
const smallestMu, largestMu = 1e-9, 1e6

// MADMM computes the best δ(t) that ZKL18 Theorem 3.2 proves for the round from
// t−1 to t of M-ADMM (10)-(11). before and after are η_i(t−1) and η_i(t), strong
// and smooth m_i and M_i of (20), all N numbers; theta is the dual step θ.
//
// With D_m = diag(m_i), D_M = diag(M_i²), 2Λ = √(D−A) Y, Z = [Y; f], J(t) =
// diag(I/θ, W(t)(D+A)), ‖X‖_J² = ⟨X, JX⟩, σ̃ = σ_max(W(t)(D+A)) and σ̄ =
// σ_max((W(t)−θI)(D−A)), the theorem is: if for some μ > 1
//
//	δ μ² σ̃ / (θ σ_min(D−A)) ≤ 1                                           (21)
//	δ ((μ σ̄² I + μ² D_M) / (θ σ_min(D−A)(μ−1)) + W(t)(D+A))
//	    ≤ 2(W(t)−θI)(D−A) + 2D_m                                          (22)
//
// then (1+δ) ‖Z(t) − Z*‖²_J(t) ≤ ‖Z(t−1) − Z*‖²_J(t). Delta is the largest δ of
// any μ: 1/δ is a convex function of μ, so the search misses nothing.
//
// Bound is the largest value over μ of the closed form that implies both,
//
//	min{θσ_min(D−A)/(μ²σ̃),
//	    2m_o / ((μ²M_O² + μσ̄²)/(θσ_min(D−A)(μ−1)) + σ̃)}                  (23)
//
// m_o the least m_i, M_O the largest M_i. The paper adds 2σ̄_min to 2m_o; the
// package comment says why that cannot stand.
//
// If the η_i(t) differ, K = W(D+A) is not symmetric and (21)-(22) do not imply
// the conclusion. What does, with S and N the symmetric and antisymmetric parts
// of K, is S ⪰ 0 (else J is no norm) and the 2N×2N inequality
//
//	[2 sym((W−θI)(D−A)) + 2D_m − δ(S + (μσ̄²I + μ²D_M)/(θσ_min(D−A)(μ−1)))   N
//	 Nᵀ                                       S − δμ²KᵀK/(θσ_min(D−A))]  ⪰ 0
//
// on [f(t)−f*; f(t)−f(t−1)]; the norm then has S for W(D+A). It is the paper's
// proof with the term 2⟨f(t)−f*, N(f(t)−f(t−1))⟩ kept, and with N = 0 it is
// (21)-(22).
func MADMM(g *sim.Graph, strong, smooth []float64, theta float64, before, after []float64) Rate {
	if why := madmmRefuses(g, strong, smooth, theta, before, after); why != "" {
		return Rate{Reason: "does not apply: " + why}
	}
	n := g.Order()
	minus, plus := laplacians(g)
	c := 1 / (theta * eigenvalues(minus)[1])
	pull := product(diagonal(n, func(i int) float64 { return after[i] - theta }), minus)
	k := product(diagonal(n, func(i int) float64 { return after[i] }), plus)
	squares, _ := parts(product(pull.T(), pull))
	bar2 := max(0, largest(squares)) // σ̄²
	d2 := diagonal(n, func(i int) float64 { return smooth[i] * smooth[i] })
	one := diagonal(n, func(int) float64 { return 1 })
	s, skew := parts(k)
	left, _ := parts(pull)
	left.ScaleSym(2, left)
	for i := range n {
		left.SetSym(i, i, left.At(i, i)+2*strong[i])
	}
	corner := func(x mat.Matrix) mat.Matrix { return x }
	gram, floor := mat.NewSymDense(n, nil), 0.0
	equal := alike(after)
	if equal {
		floor = largest(s) // σ̃: (21) is a condition of its own
	} else {
		if w := whitener(s); w == nil {
			return Rate{Reason: "does not apply: the penalties differ so much between nodes that J(t) is no " +
				"norm" + ifBipartite(g)}
		}
		left = blocks(left, skew, s)
		corner = func(x mat.Matrix) mat.Matrix { return blocks(x, nil, nil) }
		square := product(k.T(), k)
		gram = blocks(mat.NewDense(n, n, nil), nil, square)
	}
	w := whitener(left)
	if w == nil {
		if equal {
			return Rate{Reason: "does not apply: the strong convexity is lost in rounding"}
		}
		return Rate{Reason: "does not apply: the penalties differ so much between nodes that no δ > 0 satisfies the " +
			"corrected (22)"}
	}
	unit, lipschitz := whitened(w, corner(one)), whitened(w, corner(d2))
	norm, moved := whitened(w, corner(s)), whitened(w, gram)
	inverse := func(x float64) float64 { // 1/δ at μ = 1 + e^x
		excess := math.Exp(x)
		mu := 1 + excess
		var sum, term mat.SymDense
		sum.ScaleSym(c*bar2*mu/excess, unit)
		term.ScaleSym(c*mu*mu/excess, lipschitz)
		sum.AddSym(&sum, &term)
		sum.AddSym(&sum, norm)
		if !equal {
			term.ScaleSym(c*mu*mu, moved)
			sum.AddSym(&sum, &term)
		}
		return max(largest(&sum), c*mu*mu*floor)
	}
	low, high := math.Log(smallestMu), math.Log(largestMu)
	x, value := lowest(low, high, inverse)
	rate := Rate{Applies: true, Reason: "applies", Delta: 1 / value, Mu: 1 + math.Exp(x)}
	if !(rate.Delta > 0) {
		return Rate{Reason: "does not apply: no δ > 0 can be told from rounding"}
	}
	if !equal {
		rate.Reason = "applies as corrected for penalties that differ between nodes"
		return rate
	}
	least, most := strong[0], smooth[0]
	for i := range n {
		least, most = min(least, strong[i]), max(most, smooth[i])
	}
	x, value = lowest(low, high, func(x float64) float64 {
		excess := math.Exp(x)
		mu := 1 + excess
		second := (float64(c*(float64(mu*mu*most*most)+float64(mu*bar2))/excess) + floor) / (2 * least)
		return max(c*mu*mu*floor, second)
	})
	rate.Bound, rate.BoundMu = 1/value, 1+math.Exp(x)
	return rate
}

// madmmRefuses says which assumption of Theorem 3.2 fails, if one does.
func madmmRefuses(g *sim.Graph, strong, smooth []float64, theta float64, before, after []float64) string {
	n := g.Order()
	if why := refuses(g, map[string]int{"strong convexity constants": len(strong), "Lipschitz constants": len(smooth),
		"old penalties": len(before), "new penalties": len(after)}); why != "" {
		return why
	}
	for i := range n {
		if !(strong[i] > 0) {
			return fmt.Sprintf("the objective of node %d is not strongly convex (m = %v)", i, strong[i])
		}
		if !(smooth[i] >= strong[i]) || math.IsInf(smooth[i], 1) {
			return fmt.Sprintf("the Lipschitz constant of node %d, %v, must be finite and at least its strong "+
				"convexity, %v", i, smooth[i], strong[i])
		}
	}
	if !(theta > 0) || math.IsInf(theta, 1) {
		return fmt.Sprintf("the dual step θ must be positive and finite, is %v", theta)
	}
	for i := range n {
		switch {
		case !(before[i] >= theta):
			return fmt.Sprintf("the penalty of node %d, %v, is below the dual step θ = %v", i, before[i], theta)
		case !(after[i] >= before[i]) || math.IsInf(after[i], 1):
			return fmt.Sprintf("the penalty of node %d falls, or is not finite: from %v to %v", i, before[i], after[i])
		}
	}
	return ""
}

// refuses says what makes both papers' theorems void: a graph in pieces or
// without links, or lists that are not of one number a node.
func refuses(g *sim.Graph, lengths map[string]int) string {
	for _, name := range []string{"strong convexity constants", "Lipschitz constants", "old penalties",
		"new penalties"} {
		if k, given := lengths[name]; given && k != g.Order() {
			return fmt.Sprintf("there are %d %s for %d nodes", k, name, g.Order())
		}
	}
	if g.Order() < 2 {
		return "there is only one node"
	}
	if parts := len(g.Components()); parts > 1 {
		return fmt.Sprintf("the graph is in %d pieces", parts)
	}
	return ""
}

func ifBipartite(g *sim.Graph) string {
	if bipartite(g) {
		return " (on a bipartite graph any difference is too much)"
	}
	return ""
}

// blocks is [a b; bᵀ c] for symmetric n×n matrices a and c; nil is zero.
func blocks(a, b, c mat.Matrix) *mat.SymDense {
	n, _ := a.Dims()
	all := mat.NewSymDense(2*n, nil)
	for i := range n {
		for j := range n {
			all.SetSym(i, j, a.At(i, j))
			if b != nil {
				all.SetSym(i, n+j, b.At(i, j))
			}
			if c != nil {
				all.SetSym(n+i, n+j, c.At(i, j))
			}
		}
	}
	return all
}

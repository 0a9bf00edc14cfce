// The convergence of R-ADMM and MR-ADMM: RA19, Theorem 1.

package theory

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overhear/sim"
)

// Recycled is what RA19 Theorem 1 says of two consecutive odd rounds. The
// theorem is about convergence only: it gives no rate.
type Recycled struct {
	Applies bool   // Satisfied, and equal penalties
	Reason  string // a sentence that begins with `applies` or `does not apply`

	Satisfied bool    // some L > 0 and μ > 1 satisfy conditions (i) and (ii)
	L, Mu     float64 // such a pair; 0 if there is none
	Load      float64 // there is a pair if all M_i are divided by more than √Load; +Inf if for no M_i
}

// RADMM looks for constants L > 0 and μ > 1 that satisfy the two conditions of
// RA19 Theorem 1 for the odd rounds t and t+1 (2k−3 and 2k−1 in (24)-(25)):
//
//	(i)  I + W(t+1)(D+A)D̃(t)⁻¹ ≻ (Lμ / 2σ_min(D̃(t))) (W(t+1)(D−A))⁺ D_M
//	(ii) W(t+1)(D+A) ≻ W(t+1)(D+A)D̃(t)⁻¹ (W(t)(D−A) + (2/L) W(t+1)(D+A))
//	                  + (Lμ / (2σ_min(D̃(t))(μ−1))) D_M
//
// where D̃(t) = diag(2η_i(t)V_i + γ) and D_M = diag(M_i²), RA19 (28). before and
// after are η_i(t) and η_i(t+1), N numbers each; smooth is M_i; gamma is γ ≥ 0.
// R-ADMM is before = after, all equal: conditions (iii) and (iv) are its case
// L = μ = 2, with (D−A) + (D+A) = 2D.
//
// The order ≻ is that of symmetric parts. With 1/c the largest eigenvalue of the
// right side of (i), without its factor, relative to the left, and b(L) the
// largest factor of D_M that (ii) allows, a pair with this L exists if and only
// if b(L) > 0 and
//
//	Load(L) = (L / 2σ_min(D̃)) (1/c + 1/b(L)) < 1
//
// and then any μ with μ < 2σ_min(D̃)c/L and μ/(μ−1) < 2σ_min(D̃)b(L)/L will do. So
// only L is searched, on a logarithmic grid that is then refined; with equal
// penalties Load is convex in 1/L and the search misses nothing. Condition (i) is
// taken to fail if its left side is not positive definite.
func RADMM(g *sim.Graph, smooth []float64, gamma float64, before, after []float64) Recycled {
	if why := radmmRefuses(g, smooth, gamma, before, after); why != "" {
		return Recycled{Reason: "does not apply: " + why, Load: math.Inf(1)}
	}
	n := g.Order()
	minus, plus := laplacians(g)
	step := func(i int) float64 { return float64(2*before[i]*float64(g.Degree(i))) + gamma }
	least := step(0) // σ_min(D̃)
	for i := range n {
		least = min(least, step(i))
	}
	inverse := diagonal(n, func(i int) float64 { return 1 / step(i) })
	d2 := diagonal(n, func(i int) float64 { return smooth[i] * smooth[i] })
	old := diagonal(n, func(i int) float64 { return before[i] })
	next := diagonal(n, func(i int) float64 { return after[i] })
	k := product(next, plus)

	first, _ := parts(product(k, inverse))
	for i := range n {
		first.SetSym(i, i, first.At(i, i)+1)
	}
	w := whitener(first)
	if w == nil {
		return Recycled{Reason: "does not apply: the left side of condition (i) is not positive definite; a larger γ " +
			"makes it so", Load: math.Inf(1)}
	}
	right, _ := parts(product(pseudoInverse(product(next, minus)), d2))
	perC := largest(whitened(w, right)) // 1/c

	// (ii) times D_M^−½ on both sides: fixed − (2/L) twice ≻ factor I.
	root := diagonal(n, func(i int) float64 { return 1 / smooth[i] })
	fixed := product(k, inverse, old, minus)
	fixed.Sub(k, fixed)
	constant, _ := parts(product(root, fixed, root))
	twice, _ := parts(product(root, k, inverse, k, root))
	allowed := func(l float64) float64 { // b(L)
		var m mat.SymDense
		m.ScaleSym(-2/l, twice)
		m.AddSym(constant, &m)
		return eigenvalues(&m)[0]
	}
	load := func(x float64) float64 {
		l := math.Exp(x)
		b := allowed(l)
		if !(b > 0) {
			return math.Inf(1)
		}
		return l / (2 * least) * (perC + 1/b)
	}
	const points, decades, beyond = 72, 12, 4
	width := decades * math.Ln10 / points
	top := math.Log(2*least/perC) + beyond*math.Ln10 // where Load ≥ 10⁴
	best, lowestLoad := top, math.Inf(1)
	for p := range points + 1 {
		x := top - float64(float64(p)*width)
		if v := load(x); v < lowestLoad {
			best, lowestLoad = x, v
		}
	}
	if !math.IsInf(lowestLoad, 1) {
		if x, v := lowest(best-width, best+width, load); v < lowestLoad {
			best, lowestLoad = x, v
		}
	}
	r := Recycled{Load: lowestLoad}
	switch {
	case !(lowestLoad < 1) && bipartite(g) && alike(after):
		r.Reason = "does not apply: the graph is bipartite, so D+A is singular and condition (ii) cannot hold, " +
			"whatever γ"
	case math.IsInf(lowestLoad, 1):
		r.Reason = "does not apply: condition (ii) fails even without its term in D_M, for every L; a larger γ may help"
	case !(lowestLoad < 1):
		r.Reason = fmt.Sprintf("does not apply: no L and μ satisfy both conditions; they would if the Lipschitz "+
			"constants were smaller by a factor of %.3g; a larger γ helps", math.Sqrt(lowestLoad))
	default:
		r.Satisfied = true
		r.L = math.Exp(best)
		p, q := 2*least/(r.L*perC), 2*least*allowed(r.L)/r.L
		r.Mu = 1 + math.Sqrt((p-1)/(q-1)) // between q/(q−1) and p
		r.Applies = alike(before) && alike(after)
		r.Reason = "applies"
		if !r.Applies {
			r.Reason = "does not apply: conditions (i) and (ii) hold, but the penalties differ between nodes, so the " +
				"duals leave the range of the Laplacian and the limit is not the optimum"
		}
	}
	return r
}

// radmmRefuses says which assumption of Theorem 1 fails, if one does.
func radmmRefuses(g *sim.Graph, smooth []float64, gamma float64, before, after []float64) string {
	if why := refuses(g, map[string]int{"Lipschitz constants": len(smooth), "old penalties": len(before),
		"new penalties": len(after)}); why != "" {
		return why
	}
	if !(gamma >= 0) || math.IsInf(gamma, 1) {
		return fmt.Sprintf("γ must be finite and not negative, is %v", gamma)
	}
	for i := range smooth {
		switch {
		case !(smooth[i] > 0) || math.IsInf(smooth[i], 1):
			return fmt.Sprintf("the Lipschitz constant of node %d must be positive and finite, is %v", i, smooth[i])
		case !(before[i] > 0):
			return fmt.Sprintf("the penalty of node %d must be positive, is %v", i, before[i])
		case !(after[i] >= before[i]) || math.IsInf(after[i], 1):
			return fmt.Sprintf("the penalty of node %d falls, or is not finite: from %v to %v", i, before[i], after[i])
		}
	}
	return ""
}

// The excess risk of PDML: Theorems 1 and 2, Corollaries 1 and 2, with Lemma 5.

package theory

import (
	"errors"
	"fmt"
	"math"

	"overhear/sim"
)

// Learning is what PDML's bounds on the excess risk are about: n servers on a graph that learn a logistic classifier
// from rows of norm at most 1, drawn independently from one distribution P, whose labels their users have flipped.
// The risk of a classifier w is J_P(w) = E_P[log(1 + e^(−y w·x))] + (r/2)‖w‖², PDML (18) with r = a/n; its excess
// ΔJ_P(w) is how far it is above the least. Every bound below is of the mean over the servers, in units of the loss,
// and holds with probability 1−δ over rows and flips.
type Learning struct {
	Graph   *sim.Graph
	Rows    []int     // m_i, by server
	Squares []float64 // Σ_j ‖x_ij‖², by server
	Smooth  []float64 // the Lipschitz constants of the servers' gradients, of [Constants]
	Ridge   float64   // r = a/n; κ = 1
	Epsilon float64   // ε of the flips; +Inf: labels are as they are
	Spreads []Spreads // by server, where users have ε of their own; nil: all have Epsilon
	Bound   float64   // R: ‖η_i‖₂ ≤ R
	Penalty float64   // β
	Start   []float64 // ‖w_i(0)‖, by server; duals start at zero
	Columns int       // d
	Rounds  int       // t
	Failure float64   // δ

	// Variance is that of a component of θ_i(k), V_i² ρ^(k−1) in the paper; nil: none.
	Variance func(server, round int) float64
}

// Excess is a bound on the excess risk, and the parts of which it is the sum.
type Excess struct {
	Rademacher float64 // (4/n) (e^ε+1)/(e^ε−1) c₂ Σ Rad_i(W)
	Sampling   float64 // (8/n) (e^ε+1)/(e^ε−1) c₁ Σ √(2 ln(4/δ)/m_i)
	Objective  float64 // R²/(nκa): the noise in the objective moves the optimum
	Drift      float64 // the noise in the objective, while the iterates are not yet at its optimum
	Start      float64 // β(‖w(0)−w*‖² in the norm of L₊/2 + ‖r(0)‖²)/(nt)
	Noise      float64 // β Σ_k Σ_i N_i d V_i² ρ^(k−1)/(nt): the noise on the iterates
}

// Sum is the bound.
func (e Excess) Sum() float64 {
	return e.Rademacher + e.Sampling + e.Objective + e.Drift + e.Start + e.Noise
}

// Spread is (e^ε+1)/(e^ε−1), by which flipped labels make the loss larger and steeper, PDML (19) and (21); 1 if ε
// is +Inf.
func Spread(epsilon float64) float64 { return 1 / math.Tanh(epsilon/2) }

// Spreads are what the users of a server, each with an S = [Spread] of its own, come to. The paper has one ε; where
// users differ, a user's loss (19) is S times as large and steep, and is unbiased as before, (20). So each step of (28)
// has S in its own term: the contraction lemma gives Rad_i ≤ (1/m_i) E sup Σ_j ν_j S_j w·x_ij, and McDiarmid's
// inequality √(Σ_j S_j²)/m_i in place of S/√m_i.
type Spreads struct {
	Users    int
	Sum      float64 // Σ_j S_j
	Squares  float64 // Σ_j S_j²
	Weighted float64 // Σ_j S_j²‖x_ij‖²
}

// Add enters a user by its ε and ‖x‖².
func (s *Spreads) Add(epsilon, square float64) {
	own := Spread(epsilon)
	s.Users++
	s.Sum += own
	s.Squares += float64(own * own)
	s.Weighted += float64(own * own * square)
}

// mean is that of S over a server's users, and over the servers.
func (l *Learning) mean() float64 {
	if l.Spreads == nil {
		return Spread(l.Epsilon)
	}
	sum := 0.0
	for i := range l.Spreads {
		sum += l.Spreads[i].Sum / float64(l.Spreads[i].Users) / float64(len(l.Spreads))
	}
	return sum
}

// steepestMean is the largest over the servers of the mean of S.
func (l *Learning) steepestMean() float64 {
	if l.Spreads == nil {
		return Spread(l.Epsilon)
	}
	most := 0.0
	for i := range l.Spreads {
		most = max(most, l.Spreads[i].Sum/float64(l.Spreads[i].Users))
	}
	return most
}

// Radius is that of the class W = {‖w‖ ≤ Radius}, the least ball around zero that has the optima of Problems 2 and 3
// and the ideal classifier for all data: ‖∇‖ of the mean objective at zero is at most ½(e^ε+1)/(e^ε−1) + R/n, and the
// objective is r-strongly convex.
func (l *Learning) Radius() float64 {
	return (float64(l.mean()/2) + l.Bound/float64(len(l.Rows))) / l.Ridge
}

// LargestLoss is c₁ of Assumption 1: the largest logistic loss over W, log(1 + e^Radius).
func (l *Learning) LargestLoss() float64 {
	w := l.Radius()
	return w + math.Log1p(math.Exp(-w))
}

// steepest is c₂ of Assumption 1, which bounds |∂ℓ/∂z| and, with rows of norm 1, ‖∂ℓ/∂w‖.
const steepest = 1

// Complexity is Rad_i(W) = (1/m_i) E_ν sup_{w ∈ W} Σ_j ν_j w·x_ij, which over a ball is (Radius/m_i) E‖Σ_j ν_j x_ij‖.
// It is bounded by Jensen's inequality, and at most √2 times as large as it is.
func (l *Learning) Complexity(i int) float64 {
	return l.Radius() * math.Sqrt(l.Squares[i]) / float64(l.Rows[i])
}

// concentration is PDML (28): with probability 1−δ the risks of all w in W are near what the servers see of them. The
// paper applies Theorem 26.5 of [40] to each server, which by itself gives 1−nδ; the bounded differences of the sum
// over servers give 1−δ with constants that are no larger.
func (l *Learning) concentration() (e Excess) {
	n := float64(len(l.Rows))
	for i, m := range l.Rows {
		if l.Spreads != nil {
			own := &l.Spreads[i]
			e.Rademacher += 4 / n * steepest * l.Radius() * math.Sqrt(own.Weighted) / float64(m)
			e.Sampling += 8 / n * l.LargestLoss() * math.Sqrt(2*math.Log(4/l.Failure)*own.Squares) / float64(m)
			continue
		}
		e.Rademacher += float64(4 / n * Spread(l.Epsilon) * steepest * l.Complexity(i))
		e.Sampling += float64(8 / n * Spread(l.Epsilon) * l.LargestLoss() *
			math.Sqrt(2*math.Log(4/l.Failure)/float64(m)))
	}
	return e
}

// Corollary2 bounds ΔJ_P(ŵ_opt), ŵ_opt the optimum of Problem 2: PDML (37).
func (l *Learning) Corollary2() Excess { return l.concentration() }

// Corollary1 bounds ΔJ_P(w̃_opt), w̃_opt the optimum of Problem 3, which has the noise η_i: PDML (35).
func (l *Learning) Corollary1() Excess {
	e := l.concentration()
	e.Objective = l.displaced()
	return e
}

// displaced is by how much, a server, the optimum of Problem 3 is above that of Problem 2: PDML (32), R²/(aκ) over n.
// The paper takes the sum of the servers' objectives to be aκ-strongly convex in all classifiers (Lemma 1); it is so
// where they are equal, which is where both optima are, and there ‖Σ_i η_i‖/n ≤ R.
func (l *Learning) displaced() float64 {
	n := float64(len(l.Rows))
	a := n * l.Ridge
	return l.Bound * l.Bound / (n * a)
}

// Theorem2 bounds the mean of ΔJ_P(w̄_i(t)) without the noise of Phase 2: PDML (36).
func (l *Learning) Theorem2() Excess {
	e := l.concentration()
	e.Start = l.Penalty * l.farthest() / (float64(len(l.Rows)) * float64(l.Rounds))
	return e
}

// farthest bounds ‖w(0)−w*‖² in the norm of L₊/2, a sum over links of ½‖(w_i(0)−w*) + (w_l(0)−w*)‖², for an optimum
// in W. r(0) is zero, since duals start at zero.
func (l *Learning) farthest() float64 {
	sum := 0.0
	for _, link := range l.Graph.Pairs() {
		d := l.Start[link[0]] + l.Start[link[1]] + 2*l.Radius()
		sum += float64(d * d / 2)
	}
	return sum
}

// Theorem1 bounds the mean of ΔJ_P(w̄_i(t)) in expectation over the noise of the iterates: PDML (27), with [Lemma5]
// where the paper has its own, and with two terms as the proof gives them:
//
//   - the noise of the iterates enters (31) as Σ_k E θ(k)ᵀDθ(k). The paper's factor of Σ dV_i²/(1−ρ),
//     σ²_max(L₊)/(2σ_max(L₋)) + 2σ²_max(Q), is never smaller.
//   - (34) bounds ηᵀ(w̃* − w̄(t)), of which (24) has 1/n, by ½‖η‖² + ½‖·‖², which does not vanish with t. The
//     Cauchy-Schwarz inequality gives (R/√n)‖w̃* − w̄(t)‖, which does.
func (l *Learning) Theorem1() (Excess, error) {
	e := l.Theorem2()
	n, t := float64(len(l.Rows)), float64(l.Rounds)
	e.Objective = l.displaced()
	for k := 1; k < l.Rounds; k++ { // w(t) is before the noise of round t
		e.Noise += l.Penalty * l.shake(k) / (n * t)
	}
	if l.Bound == 0 {
		return e, nil
	}
	lemma, err := l.Lemma5()
	if err != nil {
		return e, err
	}
	squares, v := 0.0, lemma.First
	for k := range l.Rounds {
		if k > 0 {
			v = float64(lemma.C*v) + l.shake(k)
		}
		squares += lemma.Scale * v / t
	}
	e.Drift = l.Bound / math.Sqrt(n) * math.Sqrt(squares) / n
	return e, nil
}

// shake is E θ(k)ᵀDθ(k) = Σ_i N_i d V_i² ρ^(k−1).
func (l *Learning) shake(k int) float64 {
	if l.Variance == nil {
		return 0
	}
	sum := 0.0
	for i := range l.Rows {
		sum += float64(float64(l.Graph.Degree(i)) * float64(l.Columns) * l.Variance(i, k))
	}
	return sum
}

// Given are the constants of a bound.
type Given struct {
	Contraction float64 // C of [Learning.Lemma5]; NaN where the bound does not use it
	Penalty     float64 // β
	Convexity   float64 // aκ, of the sum of the servers' objectives where all classifiers are equal
	Radius      float64 // of W
	LargestLoss float64 // c₁
}

// Given are the constants of the bounds; drifting says that it is of one with the term Drift.
func (l *Learning) Given(drifting bool) Given {
	g := Given{Contraction: math.NaN(), Penalty: l.Penalty, Convexity: float64(len(l.Rows)) * l.Ridge,
		Radius: l.Radius(), LargestLoss: l.LargestLoss()}
	if drifting {
		if c, err := l.Lemma5(); err == nil {
			g.Contraction = c.C
		}
	}
	return g
}

// Contraction is what [Learning.Lemma5] finds: with V(k) = ‖r(k)−r*‖² + ½‖w̃(k)−w*‖² in the norm of L₊,
//
//	E V(k+1) ≤ C E V(k) + E θ(k+1)ᵀDθ(k+1),      E‖w(k+1)−w*‖² ≤ Scale · E V(k)
type Contraction struct {
	C     float64
	Scale float64
	First float64 // a bound on V(0) for all data
}

// Lemma5 is what can be proved in place of PDML Lemma 5, which bounds ‖w(t)−w*‖² by C^t(H₁ + Σ C^(−k) H₂‖θ(k)‖²) if
//
//	(1−b)(1+φ)σ²_min(L₊) > σ²_max(L₊)                                                                  (25)
//
// for some b > 0. φ is the rate at which V contracts without noise, which is below 1, so that (25) holds for no graph
// of three servers or more: σ_max(L₊) is at least twice the mean degree, and σ_min(L₊) below the least degree. But a
// round with noise is a round without, after which θ moves (r, w̃) by (Qθ, θ), and ‖(Qθ, θ)‖² is θᵀDθ in the norm of V,
// as L₊ + L₋ = 2D. θ is independent of what went before, with mean zero, so
//
//	E V(k+1) = E V°(k+1) + E θ(k+1)ᵀDθ(k+1),      V°(k+1) ≤ C V(k),      C = 1/(1+φ)
//
// with V° without the round's noise and φ of ZKL18 Theorem 3.2 ([MADMM]), whose norm is 2β V. It needs neither (25) nor
// ρ < C. Of the step itself, (16), whose objective is (r + 2βN_i)-strongly convex,
//
//	Σ_i (r + 2βN_i)‖w_i(k+1)−w*‖² ≤ max_i 4β²N_i/(r + 2βN_i) · V(k)
func (l *Learning) Lemma5() (Contraction, error) {
	n := len(l.Rows)
	strong := make([]float64, n)
	for i := range n {
		strong[i] = l.Ridge
	}
	c, err := contraction(l.Graph, strong, l.Smooth, l.Penalty)
	// Qr* = −∇J̃(w*)/2β, and Q² = L₋/2.
	minus, _ := laplacians(l.Graph)
	slope := float64(l.steepestMean()*steepest) + float64(l.Ridge*l.Radius()) + l.Bound/float64(n)
	duals := float64(n) * slope * slope / (2 * l.Penalty * l.Penalty * eigenvalues(minus)[1])
	c.First = duals + l.farthest()
	return c, err
}

// PrintedLemma5 are (1+φ)σ²_min(L₊) and σ²_max(L₊) of the condition (25) that the paper's Lemma 5 asks for, of a graph
// and of C = 1/(1+φ); σ_min is the least that is not zero. The condition holds for some b > 0 if the first is greater.
func PrintedLemma5(g *sim.Graph, contraction float64) (left, right float64) {
	_, plus := laplacians(g)
	values := eigenvalues(plus)
	least, most := math.Inf(1), values[len(values)-1]
	for _, v := range values {
		if v > 1e-9*most {
			least = min(least, v)
		}
	}
	return least * least / contraction, most * most
}

// contraction is C and Scale of servers with these constants of convexity and smoothness.
func contraction(g *sim.Graph, strong, smooth []float64, beta float64) (Contraction, error) {
	penalties := make([]float64, g.Order())
	for i := range penalties {
		penalties[i] = beta
	}
	rate := MADMM(g, strong, smooth, beta, penalties, penalties)
	if !rate.Applies {
		return Contraction{}, errors.New(rate.Reason)
	}
	most, least := 0.0, math.Inf(1)
	for i := range penalties {
		pull := float64(2 * beta * float64(g.Degree(i)))
		most = max(most, 2*beta*pull/(strong[i]+pull))
		least = min(least, strong[i]+pull)
	}
	return Contraction{C: 1 / (1 + rate.Delta), Scale: most / least}, nil
}

// Check says which assumption fails, if one does.
func (l *Learning) Check() error {
	if why := refuses(l.Graph, nil); why != "" {
		return errors.New(why)
	}
	for i, m := range l.Rows {
		if m == 0 {
			return fmt.Errorf("server %d has no rows", i)
		}
	}
	switch {
	case !(l.Ridge > 0):
		return fmt.Errorf("the regulariser must be strongly convex (problem.rho); its weight at a server is %v",
			l.Ridge)
	case !(l.Penalty > 0):
		return fmt.Errorf("the penalty must be positive, is %v", l.Penalty)
	}
	return nil
}

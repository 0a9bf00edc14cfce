// The state of one node, as methods see it.

package algorithms

import (
	"errors"
	"fmt"
	"math"

	"overhear/internal/num"
	"overhear/problem"
	"overhear/sim"
)

// Node is what one node holds between rounds. Vectors are d-vectors, d the number of columns.
type Node struct {
	ID     int
	F      []float64 // f_i, the iterate, as published
	Dual   []float64 // λ_i
	Memory []float64 // a method's own, of any length; nil until it makes it
	*Work

	seed   uint64
	degree int
	solver *problem.Solver
	stats  problem.Stats
}

// Work is what a node has at hand during a call only: its inputs, and the room of the worker that steps it.
type Work struct {
	Heard [][]float64 // what the neighbours sent, by position
	Fresh []bool      // which of them are new since the last call; nil: all
	Sum   []float64   // s_i = Σ_j of that
	Q     []float64   // room for the linear term q of (★)
	Room  []float64   // more room
	spare []float64   // for the iterate; nil: it has to be made

	probe   *probe // a step that is tried out draws from it; nil: it is a run's
	fault   error  // why the step under way fails, found where there is no error to return
	scratch *problem.Scratch
}

// newWork makes the room of so many workers.
func newWork(workers int, p *problem.Problem) []Work {
	work := make([]Work, workers)
	for w := range work {
		work[w] = Work{
			Sum: make([]float64, p.D), Q: make([]float64, p.D), Room: make([]float64, p.D), scratch: p.NewScratch(),
		}
	}
	return work
}

// Fail ends the run with an error that a step without one, such as a dual's, has found; of several the first counts.
func (n *Node) Fail(err error) {
	if n.fault == nil {
		n.fault = err
	}
}

// Degree is V_i, the number of neighbours.
func (n *Node) Degree() int { return n.degree }

// Stream is the node's random stream for a purpose and round: the same whatever
// else is drawn. The noise of a private method is the first that is drawn for the
// purpose "noise": an audit draws it again and compares.
func (n *Node) Stream(purpose string, t int) *sim.Stream {
	return sim.NewStream(n.seed, purpose, uint64(n.ID), uint64(t))
}

// Minimise replaces n.F, its warm start, by the minimiser of the subproblem
// (★) of docs/mathematics.md §2 with linear term n.Q and quadratic term kappa ≥ 0:
//
//	(C/B) Σ_n L(y_n f·x_n) + ½(r_i + κ)‖f‖² + q·f
//
// A solve that misses its tolerance is an error: privacy proofs assume an exact
// minimiser.
func (n *Node) Minimise(kappa float64) error {
	if n.fault != nil {
		return n.fault
	}
	if norm := num.Norm(n.Q); !(norm <= mostNorm) {
		return fmt.Errorf("the linear term of the step has norm %.3g, and up to %.0e can be computed with: messages, "+
			"duals or noise are too large (docs/mathematics.md §2)", norm, mostNorm)
	}
	stats, err := n.solver.Solve(n.scratch, n.F, n.Q, kappa)
	stats.Evaluations += n.stats.Evaluations // gradients of this step before
	n.stats = stats
	if err == nil {
		return nil
	}
	missed := new(problem.ResidualError)
	if errors.As(err, &missed) && missed.Tolerance > 0 && missed.Attained() <= coarsest {
		return fmt.Errorf("%w: solver.tolerance: %.0e would do", err, missed.Attained())
	}
	return err
}

// coarsest is the greatest tolerance that is advised.
const coarsest = 1e-6

// Gradient writes ∇O_i(f), of a d-vector f, into out.
func (n *Node) Gradient(f, out []float64) {
	n.stats.Evaluations++
	n.solver.Gradient(n.scratch, f, out)
}

// Pull writes into n.Q what the neighbours' last values and the dual contribute
// to a primal step with penalty eta: 2λ_i − η(V_i f_i + s_i), ZKL18 (8).
func (n *Node) Pull(eta float64) {
	v := float64(n.degree)
	for k := range n.Q {
		pull := float64(v*n.F[k]) + n.Sum[k]
		n.Q[k] = float64(2*n.Dual[k]) - float64(eta*pull)
	}
}

// Ascend is ADMM's dual step of size theta, ZKL18 (11): λ ← λ + (θ/2)(V f − s).
func (n *Node) Ascend(theta float64) {
	n.Disagreement(n.Q)
	num.Axpy(theta/2, n.Q, n.Dual)
}

// Disagreement writes V_i f_i − s_i into out: what ADMM's dual step follows.
func (n *Node) Disagreement(out []float64) {
	v := float64(n.degree)
	for k, f := range n.F {
		out[k] = float64(v*f) - n.Sum[k]
	}
}

// hear takes the neighbours' values of a round for the step after it.
func (n *Node) hear(m RowMethod, neighbours [][]float64) {
	n.Heard = neighbours
	n.fault = nil
	if _, ok := m.(Addressing); !ok {
		clear(n.Sum)
		for _, f := range neighbours {
			num.Axpy(1, f, n.Sum)
		}
	}
}

// next is a node's step: of which round, with which values of its neighbours.
type next struct {
	*Node
	t      int
	values [][]float64
}

// join has a Foreign method compute the first part of steps, on worker 0.
func (r *rowRun) join(all []next) {
	foreign := r.method.(Foreign)
	for _, s := range all {
		s.Work = &r.work[0]
		s.hear(r.method, s.values)
		s.stats = problem.Stats{}
		foreign.Gather(s.Node, s.t)
	}
	foreign.Join()
	for _, s := range all {
		s.Work = nil
	}
}

// step carries the node from round t−1 to round t: its dual first, now that the
// neighbours' values of round t−1 are known, then its iterate.
func (n *Node) step(m RowMethod, t, last int, neighbours [][]float64) error {
	_, foreign := m.(Foreign)
	if !foreign { // which has heard them
		n.hear(m, neighbours)
	}
	if t > 1 {
		m.Dual(n, t-1)
	}
	if n.fault != nil || t > last {
		return n.fault
	}
	if n.spare == nil {
		n.spare = make([]float64, 0, len(n.F))
	}
	n.F, n.spare = append(n.spare[:0], n.F...), nil // the published one stays as it is
	if !foreign {
		n.stats = problem.Stats{}
	}
	if err := m.Update(n, t); err != nil {
		return err
	}
	if n.fault != nil {
		return n.fault
	}
	for k, f := range n.F {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%w: the iterate's component %d is %v", problem.ErrDiverges, k, f)
		}
	}
	return nil
}

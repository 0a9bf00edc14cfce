// What a method is, and what it is told about the run it belongs to.

package algorithms

import (
	"overhear/problem"
	"overhear/sim"
)

// Method is what a published algorithm adds to the round protocol. One Method
// serves all nodes of a run at once, from several goroutines, so it holds
// parameters only; all state is in the [Node] it is handed.
type Method interface {
	// Update computes the node's iterate of round t ≥ 1, in place, from its
	// iterate of round t−1 (n.F), its dual (n.Dual) and the sum of its
	// neighbours' iterates of round t−1 (n.Sum). What it leaves in n.F is
	// published, so a method that perturbs its iterate perturbs n.F.
	Update(n *Node, t int) error

	// Dual updates n.Dual once n.F and n.Sum are both of round t ≥ 1.
	Dual(n *Node, t int)
}

// Setting is what a method may know of the run when it is made.
type Setting struct {
	Problem *problem.Problem
	Graph   *sim.Graph
	Rounds  int // the number of updates T; the last one is round T
}

// Observer follows a run. Its calls come from the engine's goroutine, in the
// order of events.
type Observer interface {
	// Published is called when a node publishes its iterate of a round, round 0
	// included. The values, a d-vector, never change afterwards. The loss is
	// the node's (1/B) Σ L at them; stats are those of the round's solve, zero
	// where the round had none.
	Published(node, round int, at sim.Time, values []float64, loss float64, stats problem.Stats)

	// Concluded is called when a node has heard every neighbour's iterate of a
	// round t ≥ 1 and has updated its dual, a d-vector that is valid during the
	// call only.
	Concluded(node, round int, dual []float64)
}

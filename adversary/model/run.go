// What is public of a run besides its method.

package model

import (
	"overhear/parameter"
	"overhear/problem"
	"overhear/sim"
)

// Run is what is public of a run besides its method.
type Run struct {
	Graph     *sim.Graph // of the nodes; users who register are not in it
	D         int        // columns
	Rounds    int
	Loss      problem.Loss
	Targets   bool               // rows have targets, and not classes
	Classes   int                // of rows with one of several, each with a block of the model; else 0
	C         float64            // weight of the loss
	R         []float64          // r_i by node; of a star's hub it means nothing
	NonSmooth *problem.NonSmooth // h of every node's objective; nil: none
	Tolerance float64            // of the nodes' solves; 0: problem.DefaultTolerance
	Hub       bool               // node 0 is a hub without data
	Zero      bool               // every node starts at zero
	Timing    Timing

	// Of a run over split columns.
	Rows   int     // N
	Widths []int   // columns of each party
	Ridge  float64 // λ
}

// Timing is when nodes go on, as far as that is public.
type Timing struct {
	Lockstep bool              // an update of round t uses the neighbours' values of round t−1
	Barrier  bool              // or, where they came too late, the latest that came
	Deadline sim.Duration      // with a barrier: how long a node waits
	Slowest  sim.Duration      // an update takes no longer; where rounds are not in lockstep
	Faulty   bool              // nodes may be down, or slower than Slowest says
	Trigger  parameter.Trigger // when a node goes on; where there is neither lockstep nor barrier
	Shuffled bool              // of events of one instant any may have been the first

	Fastest []sim.Duration // by node: an update that touches data takes no less, faults or not; nil: that is not known
	Transit []sim.Duration // by link of the graph: a packet takes no less, faults or not; nil: that is not known
	Unasked sim.Duration   // before this time nobody asks for a value again, but who has lost its memory
}

// degree is V_i.
func (r *Run) degree(node int) float64 { return float64(r.Graph.Degree(node)) }

// SolverTolerance is that of the nodes' solves.
func (r *Run) SolverTolerance() float64 {
	if r.Tolerance > 0 {
		return r.Tolerance
	}
	return problem.DefaultTolerance
}

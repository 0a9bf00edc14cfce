// How much memory a run takes, before it does.

package experiment

import (
	"fmt"

	"overhear/algorithms"
	"overhear/internal/memory"
)

// accountFits is an error for an account that memory does not hold.
func (e *Experiment) accountFits(a *Assembly) error {
	const perMechanism = 64
	return memory.Check(fmt.Sprintf("an account of %d rounds of %d nodes", a.Rounds, a.parts()),
		perMechanism*float64(a.Rounds)*float64(a.parts()))
}

// fits is an error for nodes that memory does not hold. Where it does, the garbage collector is told of them.
func (e *Experiment) fits(a *Assembly) error {
	need := 0.0
	var what string
	if a.Split != nil {
		const vectors = 12 // of a party: iterate, dual, messages of two rounds, work
		need = 8 * vectors * float64(a.Split.N) * float64(a.parts())
		what = fmt.Sprintf("%d parties with %d rows and their factors", a.parts(), a.Split.N)
		for _, block := range a.Split.Blocks {
			need += float64(8 * float64(block.D) * float64(block.D))
		}
	} else {
		need = e.footprint(a)
		what = fmt.Sprintf("%d nodes with vectors of %d numbers", a.parts(), a.Columns())
	}
	if err := memory.Check(what, need); err != nil {
		return err
	}
	memory.Expect(need)
	return nil
}

// footprint is about how many bytes a run over split rows holds: nodes with their rows and solvers, and what is under
// way between them.
func (e *Experiment) footprint(a *Assembly) float64 {
	const (
		perNode  = 1000 // of the node itself, of the engine and of the metrics
		perLink  = 80   // of what a node knows of a neighbour, and of the engine
		perEvent = 33
		perSlot  = 53 // of a message under way
		underWay = 3  // messages of a link, where a node does not wait for its slowest neighbour
		timers   = 16 // of a node at most, where it has them
	)
	nodes, links, vector := float64(a.parts()), float64(a.Graph.Links()), 8*float64(a.Columns())
	need := a.Problem.Footprint() + nodes*perNode + links*perLink
	// The iterate, the one that is computed or measured meanwhile, and the dual.
	vectors := 3 * nodes
	messages, again := 2*links, 2*links // under way; heard, or to be sent again: of two rounds in lockstep
	if e.Rounds.Mode == "asynchronous" {
		messages, again = underWay*links, links/2
		if e.Rounds.Timeout > 0 {
			need += float64(perEvent * min(timers, float64(a.Rounds)) * nodes)
		}
	}
	need += messages * perEvent
	if _, ok := a.Method.(algorithms.Addressing); ok {
		vectors += links + messages + again - 2*nodes // states too, but no duals
		need += messages * perSlot
	} else {
		vectors += nodes // iterates that are heard late
		need += messages / links * nodes * perSlot
	}
	return need + vectors*vector
}

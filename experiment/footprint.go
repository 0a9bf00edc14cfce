// How much memory a run takes, before it does.

package experiment

import (
	"context"
	"fmt"
	"time"

	"overhear/algorithms"
	"overhear/internal/memory"
	"overhear/problem"
	"overhear/scenarios"
	"overhear/sim"
)

// perRound is how many bytes a round takes: a row of metrics, in a table that is copied as it grows, and what collects
// it.
const perRound = 1500

// perNode is how many bytes a node takes by itself, in the engine and in the metrics.
const perNode = 1000

// accountFits is an error for an account that memory does not hold.
func (e *Experiment) accountFits(a *Assembly) error {
	what := fmt.Sprintf("an account of %d rounds (rounds.count) of %d nodes (network.topology)", a.Rounds, a.parts())
	return memory.Check(what, perMechanism*float64(a.Rounds)*float64(a.parts()))
}

// perMechanism is how many bytes of an account a node's round takes, and of the certificate that is made of it.
const perMechanism = 64 + 120

// preparedFits is an error for a set that memory does not hold as often as it is there when the nodes get their rows.
func (e *Experiment) preparedFits(set *problem.Set) error {
	copies := 2 // before scaling and after, or after and at the nodes
	if e.Problem.Scale.OfTraining(e.Problem.Data) && !e.Problem.Data.Generated() {
		copies++ // as it was read, for other seeds
	}
	if e.Problem.Columns != nil && e.Problem.Order == "file" {
		copies-- // parties have parts of it
	}
	what := fmt.Sprintf("preparing %d rows of %d columns (problem.data)", set.X.Len(), set.X.D)
	memory.Room(set.Bytes())
	return memory.Check(what, memory.Resident(float64(copies)*set.Bytes()))
}

// rowsKept is how many bytes the rows take that stay besides the nodes': as they were read, for other seeds, and
// prepared, if an adversary is to know them or parties have parts of them.
func (e *Experiment) rowsKept(a *Assembly) (all float64) {
	from := e
	for from.shares != nil {
		from = from.shares
	}
	from.mu.Lock()
	defer from.mu.Unlock()
	if from.set != nil {
		all += from.set.Bytes()
	}
	if a.Set != from.set {
		all += a.Set.Bytes()
	}
	return all
}

// fits is an error for nodes that memory does not hold. Where it does, the garbage collector is told of them.
func (e *Experiment) fits(a *Assembly) error {
	need, what := e.need(a)
	if err := memory.Check(what, memory.Resident(need)); err != nil {
		return err
	}
	memory.Expect(need)
	return nil
}

// AtOnce is how many seeds, at most so many, memory holds at the same time. The seed is run next and stands for all.
func (e *Experiment) AtOnce(ctx context.Context, seed uint64, most int) int {
	if most < 2 {
		return most
	}
	start := time.Now()
	defer func() { e.spent.Add(int64(time.Since(start))) }()
	a, err := e.Assemble(ctx, seed)
	if err != nil {
		return 1 // and its run says so
	}
	e.ready.Store(a)
	const headroom = 2 // of the garbage collector
	need, _ := e.need(a)
	return int(max(1, min(float64(most), float64(memory.Limit())/(headroom*need))))
}

// need is about how many bytes a run holds, and of what.
func (e *Experiment) need(a *Assembly) (bytes float64, what string) {
	numbers := a.Numbers() // of an iterate
	if a.Split != nil {
		numbers = a.Split.N
	}
	policy := e.policy()
	iterates := float64(a.Rounds) + 1
	if policy.Every > 0 {
		iterates /= float64(policy.Every)
	}
	bytes = float64(perRound*float64(a.Rounds)) + e.rowsKept(a) +
		policy.Footprint(float64(iterates*float64(a.parts())), numbers)
	if e.traceLevel() == sim.TraceFingerprints { // of messages, and of steps that begin and end
		const each = 2 * 4 // a fingerprint, in a list that grows
		bytes += float64(each * float64(a.Rounds) * float64(a.Graph.Links()+2*a.Graph.Order()))
	}
	if a.Account != nil {
		const certificate = 8e6 // its law, transformed
		bytes += certificate + float64(perMechanism*float64(a.Rounds)*float64(a.parts()))
	}
	if a.Split == nil {
		what = fmt.Sprintf("%d rounds (rounds.count) of %d nodes (network.topology) with %d rows and vectors of %d "+
			"numbers (problem.data)", a.Rounds, a.parts(), a.Problem.Rows(), a.Numbers())
		rows := a.Problem.Test.U.Bytes()
		for i := range a.Problem.Shards {
			rows += a.Problem.Shards[i].U.Bytes()
		}
		// The optimum is computed before there are solvers and messages.
		return bytes + max(e.footprint(a), rows+a.Problem.PooledFootprint()), what
	}
	const vectors = 12 // of a party: iterate, dual, messages of two rounds, work
	bytes += float64(8 * vectors * float64(a.Split.N) * float64(a.parts()))
	bytes += float64(2 * a.Split.Copied) // once more side by side, for the optimum
	for _, block := range a.Split.Blocks {
		bytes += float64(2 * 8 * float64(block.D) * float64(block.D)) // a Gram matrix and its factor
	}
	return bytes, fmt.Sprintf("%d rounds (rounds.count) of %d parties (network.topology) with %d rows and their "+
		"factors (problem.data)", a.Rounds, a.parts(), a.Split.N)
}

// footprint is about how many bytes a run over split rows holds: nodes with their rows and solvers, and what is under
// way between them.
func (e *Experiment) footprint(a *Assembly) (most float64) {
	for _, p := range e.Phases() {
		most = max(most, footprintOf(a, p.Scenario))
	}
	return most
}

// footprintOf is footprint in a phase.
func footprintOf(a *Assembly, e *scenarios.Scenario) float64 {
	const (
		perLink  = 48 // of what a node knows of a neighbour, and of the engine
		perEvent = 33
		perSlot  = 53 // of a message under way
		underWay = 3  // messages of a link, where a node waits for some neighbours
		timers   = 16 // of a node at most, where it has them
	)
	nodes, links, vector := float64(a.parts()), float64(a.Graph.Links()), 8*float64(a.Numbers())
	need := a.Problem.Footprint() + float64(nodes*perNode) + float64(links*perLink)
	// The iterate, the one that is computed or measured meanwhile, and the dual.
	vectors := float64(3 * nodes)
	each := 2.0                    // messages of a link under way: of two rounds in lockstep
	again := float64(each * links) // heard, or to be sent again
	if e.Rounds.Mode == "asynchronous" {
		each, again = underWay+unawaited(a, e), 0
		if e.Rounds.Staleness > 0 || e.EverLossy() {
			again = links
		}
		if e.Rounds.Timeout > 0 {
			need += float64(perEvent * min(timers, float64(a.Rounds)) * nodes)
		}
	}
	messages := float64(each * links)
	need += float64(messages * perEvent)
	if _, ok := a.Method.(algorithms.Addressing); ok {
		vectors += links + messages + again - float64(2*nodes) // states too, but no duals
		need += float64(messages * perSlot)
	} else {
		vectors += nodes // iterates that are heard late
		need += float64(each * nodes * perSlot)
	}
	return need + float64(vectors*vector)
}

// unawaited is how many more messages of a link are under way where a node goes on after a timeout, and those of its
// neighbours take longer: those of a latency, and as each that comes may complete a quorum, of more rounds with time.
// They are no more than there are rounds. (A bound on the staleness is none here: who waits for it asks again.)
func unawaited(a *Assembly, e *scenarios.Scenario) float64 {
	r := &e.Rounds
	rows := float64(a.Problem.Rows()) / float64(a.parts())
	latency := e.Network.On(a.Sites).Latency
	ahead := 1e9 * latency.MedianSeconds() / (float64(r.Timeout) + e.Compute.Usual(rows))
	if r.Timeout == 0 || !(ahead > 1) {
		return 0
	}
	rounds := float64(a.Rounds)
	return min(rounds, ahead+float64((1-r.Quorum)*rounds))
}

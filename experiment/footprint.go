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
	return memory.Check(what, accountTakes(float64(a.Rounds), float64(a.parts())))
}

// accountTakes is how many bytes an account takes.
func accountTakes(rounds, parts float64) float64 { return float64(perMechanism * rounds * parts) }

// perMechanism is how many bytes of an account a node's round takes, and of the certificate that is made of it.
const perMechanism = 64 + 120

// preparedFits is an error for a set that memory does not hold as often as it is there when the nodes get their rows.
func (e *Experiment) preparedFits(set *problem.Set) error {
	what := fmt.Sprintf("preparing %d rows of %d columns (problem.data)", set.X.Len(), set.X.D)
	memory.Room(set.Bytes())
	return memory.Check(what, e.preparing(set.Bytes()))
}

// preparing is how much memory it takes to prepare rows of so many bytes.
func (e *Experiment) preparing(bytes float64) float64 {
	copies := 2 // before scaling and after, or after and at the nodes
	if e.Problem.Scale.OfTraining(e.Problem.Data) && !e.Problem.Data.Generated() {
		copies++ // as it was read, for other seeds
	}
	if e.Problem.Columns != nil && e.Problem.Order == "file" {
		copies-- // parties have parts of it
	}
	return memory.Resident(float64(copies) * bytes)
}

// rowsKept is how many bytes the rows take that stay besides the nodes': as they were read, for other seeds, and
// prepared, if an adversary is to know them or parties have parts of them.
func (e *Experiment) rowsKept(a *Assembly) (all float64) {
	from := e.owner()
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

// owner is the experiment whose data this one's are.
func (e *Experiment) owner() *Experiment {
	for e.shares != nil {
		e = e.shares
	}
	return e
}

// fits is an error for nodes that memory does not hold. Where it does, the garbage collector is told of them.
func (e *Experiment) fits(a *Assembly) error {
	need, what := e.need(a)
	if err := memory.Check(what, memory.Resident(need)); err != nil {
		return &wholeRefused{err}
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
	bytes = e.needs(e.sizes(a))
	if a.Split == nil {
		return bytes, fmt.Sprintf("%d rounds (rounds.count) of %d nodes (network.topology) with %d rows and vectors "+
			"of %d numbers (problem.data)", a.Rounds, a.parts(), a.Problem.Rows(), a.Numbers())
	}
	return bytes, fmt.Sprintf("%d rounds (rounds.count) of %d parties (network.topology) with %d rows and their "+
		"factors (problem.data)", a.Rounds, a.parts(), a.Split.N)
}

// sizes are what decides how much memory a run takes.
type sizes struct {
	parts, order, links float64 // of the network: nodes with data, and all; directed
	sites               *sim.Placed
	rounds, rows        float64 // for training
	numbers             int     // of a vector
	addressing          bool    // messages differ by neighbour
	account             bool

	// In bytes:
	kept    float64 // rows besides the nodes'
	data    float64 // the nodes' rows and those for the test
	solvers float64 // these, and solvers
	pooled  float64 // the pooled rows and their solver
	columns float64 // copies of parties' columns, and factors
	split   bool    // parties have columns
}

// sizes are those of an assembly.
func (e *Experiment) sizes(a *Assembly) sizes {
	z := sizes{parts: float64(a.parts()), order: float64(a.Graph.Order()), links: float64(a.Graph.Links()),
		sites: a.Sites, rounds: float64(a.Rounds), rows: float64(a.TrainRows()), numbers: a.Numbers(),
		account: a.Account != nil, kept: e.rowsKept(a), split: a.Split != nil}
	_, z.addressing = a.Method.(algorithms.Addressing)
	if z.split {
		z.columns = columnsTake(a.Split.Copied, e.Problem.Columns)
		return z
	}
	z.data = a.Problem.Test.U.Bytes()
	for i := range a.Problem.Shards {
		z.data += a.Problem.Shards[i].U.Bytes()
	}
	z.solvers, z.pooled = a.Problem.Footprint(), a.Problem.PooledFootprint()
	return z
}

// columnsTake is how many bytes parties' columns take.
func columnsTake(copied float64, widths []int) float64 {
	bytes := float64(2 * copied) // once more side by side, for the optimum
	for _, d := range widths {
		bytes += float64(2 * 8 * float64(d) * float64(d)) // a Gram matrix and its factor
	}
	return bytes
}

// needs is about how many bytes a run of such sizes holds.
func (e *Experiment) needs(z sizes) float64 {
	numbers, rounds := z.numbers, z.rounds // of an iterate
	if z.split {
		numbers = int(z.rows)
	}
	policy := e.policy()
	iterates := rounds + 1
	if policy.Every > 0 {
		iterates /= float64(policy.Every)
	}
	bytes := float64(perRound*rounds) + z.kept + policy.Footprint(float64(iterates*z.parts), numbers)
	if e.traceLevel() == sim.TraceFingerprints { // of messages, and of steps that begin and end
		const each = 2 * 4 // a fingerprint, in a list that grows
		bytes += float64(each * rounds * (z.links + 2*z.order))
	}
	if z.account {
		const certificate = 8e6 // its law, transformed
		bytes += certificate + float64(perMechanism*rounds*z.parts)
	}
	if z.split {
		const vectors = 12 // of a party: iterate, dual, messages of two rounds, work
		return bytes + float64(8*vectors*z.rows*z.parts) + z.columns
	}
	// The optimum is computed before there are solvers and messages.
	return bytes + max(e.footprint(z), z.data+z.pooled)
}

// footprint is about how many bytes a run over split rows holds: nodes with their rows and solvers, and what is under
// way between them.
func (e *Experiment) footprint(z sizes) (most float64) {
	for _, p := range e.Phases() {
		most = max(most, z.footprint(p.Scenario))
	}
	return most
}

// footprint is that of a phase.
func (z sizes) footprint(e *scenarios.Scenario) float64 {
	const (
		perLink  = 48 // of what a node knows of a neighbour, and of the engine
		perEvent = 33
		perSlot  = 53 // of a message under way
		underWay = 3  // messages of a link, where a node waits for some neighbours
		timers   = 16 // of a node at most, where it has them
	)
	nodes, links, vector := z.parts, z.links, 8*float64(z.numbers)
	need := z.solvers + float64(nodes*perNode) + float64(links*perLink)
	// The iterate, the one that is computed or measured meanwhile, and the dual.
	vectors := float64(3 * nodes)
	each := 2.0                    // messages of a link under way: of two rounds in lockstep
	again := float64(each * links) // heard, or to be sent again
	if e.Rounds.Mode == "asynchronous" {
		each, again = underWay+z.unawaited(e), 0
		if e.Rounds.Staleness > 0 || e.EverLossy() {
			again = links
		}
		if e.Rounds.Timeout > 0 {
			need += float64(perEvent * min(timers, z.rounds) * nodes)
		}
	}
	messages := float64(each * links)
	need += float64(messages * perEvent)
	if z.addressing {
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
func (z sizes) unawaited(e *scenarios.Scenario) float64 {
	r := &e.Rounds
	latency := e.Network.On(z.sites).Latency
	ahead := 1e9 * latency.MedianSeconds() / (float64(r.Timeout) + e.Compute.Usual(z.rows/z.parts))
	if r.Timeout == 0 || !(ahead > 1) {
		return 0
	}
	return min(z.rounds, ahead+float64((1-r.Quorum)*z.rounds))
}

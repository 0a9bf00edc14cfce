// Package sim is a deterministic discrete-event simulator of networks of nodes.
// It knows nothing of learning.
//
// # Overview
//
// A [Node] is a state machine. It is started, receives messages and is woken by
// timers. It acts through an [Env]: it sends, broadcasts, sets timers and hands
// computations to a worker pool. An [Engine] runs the nodes of a [Graph] through
// virtual time, in this order:
//
//	e, err := sim.New(sim.Config{Seed: 1, Graph: g, Link: link, Faults: plan})
//	for i := range nodes {
//		e.Attach(i, nodes[i])
//	}
//	err = e.Run(ctx)
//
// A [Topology] builds the graph. A [Link] says what happens to a packet:
// latency, bandwidth, loss and duplication. A [FaultPlan] says what goes wrong
// besides, and when. A [Trace] identifies the run.
//
// # Invariants
//
//   - Events happen in order of (time, tie key). The key depends on the node that
//     caused an event and on how many it had caused before, not on the queue.
//   - Every random choice is drawn from a [Stream] with a name, or belongs to the
//     k-th packet of a link. No generator is shared.
//   - A computation begins and ends at virtual times that do not depend on how
//     long it takes, nor on how many workers there are.
//   - A payload never changes once it is sent, or as long as somebody holds it if
//     it was composed in memory of the engine ([Env.Compose]).
//   - The digest of a run is the same for every queue, number of workers,
//     observer and machine.
//
// # Where to add
//
// A kind of fault is a type that implements [FaultKind], in a file of its own,
// fault_*.go, which registers it. Its struct tags are its keys in a scenario. The
// language, its schema and explanations, and the search for broken invariants
// enumerate [FaultKinds]; [RandomFault] draws from them.
//
// A law of latency is a type in latency.go, which checks, draws, sums up and
// describes itself, with its parameters in [Latency].
package sim

// Package sim is a deterministic discrete-event simulator of networks of nodes.
// It knows nothing of learning.
//
// # Overview
//
// A [Node] is a state machine that is started, receives messages and is woken by
// timers; it acts through an [Env]: it sends, broadcasts, sets timers and hands
// computations to a worker pool. [Engine] runs the nodes of a [Graph] through
// virtual time over links with latency, bandwidth, loss and duplication.
//
// # Invariants
//
//   - Events happen in order of (time, tie key); the key depends on who caused
//     an event and how many it had caused before, not on the queue.
//   - All randomness is a [Stream] with a name, or the fate of the k-th packet
//     of a link; no generator is shared.
//   - A computation begins and ends at virtual times that do not depend on how
//     long it takes or on how many workers there are.
//   - A payload never changes once sent.
//   - The digest of a run is the same for every queue, number of workers,
//     observer and machine.
package sim

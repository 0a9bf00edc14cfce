// Package fuzz searches for faults and networks under which a method misbehaves.
//
// # Overview
//
// [Run] runs a scenario many times, each run with a seed that draws its conditions:
// latency, loss and duplication of links, and a fault plan of crashes, partitions,
// slow nodes, bad links and late joiners. Invariants that no run may break are
// checked while the run goes and when it has ended: it ends, no message comes from
// the future, no round is computed twice, memory is bounded, loss-tolerant methods converge
// once the faults are over, and a repeat with other workers and another queue is the
// same. A run that breaks one becomes a [Trouble]: faults are taken away one by one
// while the invariant still breaks, and what is left is given as path=value, so that
// simulate run repeats it.
//
// [Trouble.Write] keeps a trouble as a scenario file in a corpus, and [Check] checks
// such a file again. testdata/corpus holds the failures of this project's past, which
// a test replays.
//
// # Invariants
//
//   - The search is deterministic: the same scenario, first seed and number of runs
//     find the same, in order of seed, whatever the number of workers.
//   - Faults are over before a quarter of the virtual time that the scenario takes
//     without any, so that a method has time to recover.
package fuzz

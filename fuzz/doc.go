// Package fuzz searches for faults and networks under which a method misbehaves.
//
// # Overview
//
// [Run] runs a scenario many times, each run with a seed that draws its conditions:
// latency, bandwidth, loss and duplication of links, links of their own, and a fault plan of
// crashes, partitions, slow nodes, bad links, late joiners, nodes that leave, and nodes that come
// and go by traces, sessions and the time of day. [RunWild] draws the whole
// scenario too. What must always hold is checked while the run goes and when it has ended. A
// run that breaks an invariant becomes a [Trouble]: faults are taken away one by one
// while the invariant still breaks, and what is left is given as path=value, so that
// simulate run repeats it.
//
// # The second account
//
// A checker follows the first of a seed's two runs. It shares no bookkeeping with the engine
// and the protocols: it sees events, packets and publications, reads the fault plan itself,
// and stands between protocol and method, so that it knows what a method is really handed.
// From these it computes anew
//
//   - what a partition lets through; whether each packet is lost or sent on twice and when its
//     copies are due, exactly, from the seed, the link and the packet's number on it, a
//     log-normal delay aside; and by tests of all packets of a run the shares that are lost or
//     sent on twice, the laws of delays, and that these are independent;
//   - in which order messages of one instant come;
//   - when each node is down, exactly, from the plan and the seed, whether it has its memory,
//     and that a run waits for it; whether crashes by rate are as often and as long as the rate
//     says;
//   - which values each node has heard, when it must begin a step, which of them must enter
//     it and how long it takes;
//   - from which iterate, dual and memory the method must go on;
//   - what a node must send, and when its timers fire; that a user's report is one, however often
//     it is asked for;
//   - what the run says of itself: losses, what is behind an iterate, rounds over columns,
//     traffic, when nodes computed, were down and finished, how late values were;
//   - by the formulas of adversary/model, the duals, the states of edges, and whether
//     each iterate of a method without noise is where its objective is least.
//
// Besides, a run ends, within a limit of real time if one is given; time does not go back;
// no round is computed twice; memory is bounded; a loss-tolerant method converges once the
// faults are over, if the run has the rounds for it; and a repeat with other workers and
// another queue is the same.
//
// Each of the tests fails once in 10¹⁵ runs of a right network, however many packets these
// send.
//
// A node whose outages leave open if it has its memory is not followed any further.
//
// [Trouble.Write] keeps a trouble as a scenario file in a corpus, and [Check] checks
// such a file again. testdata/corpus holds the failures of this project's past, which
// a test replays.
//
// # Invariants
//
//   - The search is deterministic: the same scenario, first seed and number of runs
//     find the same, in order of seed, whatever the number of workers.
//   - Faults are over before the virtual time that the scenario takes without any; before a
//     quarter of it if the method is to converge, so that it has time to.
package fuzz

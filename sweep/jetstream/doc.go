// Package jetstream makes a sweep on several machines, with NATS JetStream
// between them.
//
// # Overview
//
// A Coordinator is a sweep.Dispatcher: it hands out runs, takes their results into
// the sweep's store, and says when the sweep is finished. It brings a server
// with it, or uses one that is there. Work is the other side, any number of
// processes on any machine: it needs the address and nothing else, for the plan
// comes through the server.
//
// Three streams, named after the plan's hash, hold all that is between them:
//
//	PLAN     the plan; the end, once the sweep has ended
//	TASKS    a work queue of ranges of numbers of runs, and of ranges that workers
//	         hand back; what is acknowledged goes
//	RESULTS  a subject for each run, with its encoded result
//
// # Trust
//
// Workers are not trusted. On the server that a coordinator brings they have
// rights of their own: see guard. Tasks carry the coordinator's signature, results
// that of their worker together with the task's, so that nothing counts but
// results of tasks that were handed out: see statement. A share of the results is
// computed again: see court. Everything else, on any subject, is dropped and
// counted. docs/security.md says what a malicious worker can do all the same.
//
// # Invariants
//
// A result is written with the condition that its subject has none, and the
// server refuses the second. So a run is stored once, however late, often or
// far apart it was delivered: no window of time is involved, as there is when
// servers drop messages by their identifier. A writer that was refused reads
// what is there; if those are other bytes than its own, it writes its own on a
// subject of its own, and the coordinator computes the run and decides.
//
// A task is acknowledged when all its results are stored or handed back, and
// never before. A worker that dies leaves its tasks to others.
//
// The coordinator keeps nothing in memory that it needs after its death, but for
// its key, which is in a file. When it begins it reads all of RESULTS, and it
// publishes tasks for what is in neither RESULTS nor TASKS. It does not remember
// how far it had read, because a loss of power may take results out of the
// sweep's store that it had noted as read.
//
// The server that a coordinator brings writes to the disk before it confirms.
// The server of someone else does so if it is configured to (sync_interval:
// always).
//
// Every request, acknowledgements included, has its own time to succeed, and is
// repeated after that.
package jetstream

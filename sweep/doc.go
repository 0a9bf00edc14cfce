// Package sweep makes many runs of one scenario: every combination of a grid of
// values, with every one of several seeds.
//
// # Overview
//
// A Plan says which runs there are and numbers them. A Runner computes one of
// them and returns a Result as bytes. A Store keeps results; Journal is the one
// on a disk. A Dispatcher computes the runs that are not stored yet; Local is the
// one in this process. A Dir is a sweep's directory: plan.json, the journal, and
// the tables that are made of it. Merge joins the directories of shards.
//
// # Invariants
//
// A result is a function of the plan and the number of the run: no time, host,
// version of Go or order of runs is in it, so the bytes are the same whichever
// dispatcher computed it. Tables are a function of the stored results, in order of
// number.
//
// A finished run is stored before it is reported and never computed again. The
// journal is written with one write a record, so a process may be killed at any
// point: what the kill cut off is the last record, which belongs to a run that
// was not reported. It is synchronised with the disk about once a second; a loss
// of power costs at most the runs of that second, which are computed again.
//
// A run that fails is a result like any other and stops nothing.
//
// Memory does not grow with the number of runs, but for a few words a run.
package sweep

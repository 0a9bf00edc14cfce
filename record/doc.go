// Package record writes and reads run directories, `<out>/<name>/<seed>/`:
//
//	run.json          what was run, what came out, and the digests of the rest
//	metrics.csv       a row a round
//	iterates.parquet  node, round, time_ns, values: what each node published
//	messages.parquet  id, src, dst, round, sent_ns, received_ns, bytes, kind
//	steps.parquet     node, round, began_ns, ended_ns: when each iterate was computed
//	trace.bin         checkpoints and event fingerprints, for verify
//	plots/            figures
//
// A directory is written under a temporary name beside its place and renamed
// when it is complete, so that a run that is killed leaves no half result. A run
// that takes the place of another removes what the program wrote of that one and
// nothing else.
//
// run.json has the SHA-256 of the other files, and a [Run] reads none that differs
// from it. One process at a time writes `<out>/<name>`: see [OpenDirectory].
package record

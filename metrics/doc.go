// Package metrics measures a run while it goes: a [Row] a round, which metrics.csv keeps.
//
// # Overview
//
// A collector is told what the nodes of a run publish and send, and makes rows of it. There is one for each way to run:
//
//   - [Collector] for rounds in lockstep: a row is measured when the last node has published its iterate of the round;
//   - [Rolling] for runs without lockstep, where nodes are in rounds of their own: a row is measured whenever as many
//     iterates have been published as there are nodes, of the latest of each;
//   - [Split] for runs over split columns, whose hub ends the rounds. It also ends a run that diverges.
//
// The first two take the same calls: Published with an iterate, Concluded with a dual, Sent with a packet. The example
// of Collector measures two nodes on their way to the optimum.
//
// # Metrics
//
// A [Metric] is declared once, in the table of metric.go: its column, what it means with its formula and source, its
// unit, when it is absent and how a table prints it. From that table are made [Columns], the absent values of a new
// row, [Row.Values], the texts of `simulate explain` and `simulate list metrics`, the tables of a run and the table in
// docs/formats.md.
//
// To add a metric, add a field to Row and its declaration to the table, and measure it where the others are: in gauge
// for iterates over split rows, in Split for those over split columns.
//
// # Invariants
//
//   - A value that is absent is NaN in a row and empty in the file, never 0.
//   - Sums run in order of node, so a row does not depend on the order in which nodes publish within a round.
//   - A collector reads what it is told and changes none of it. Whatever it keeps of a dual, it copies.
//   - Rows may be asked for at any time. Messages and bytes count from the start, up to the moment of asking.
//   - Nothing here enters the digest of a run.
package metrics

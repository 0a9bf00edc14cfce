// Package experiment goes from a scenario to finished runs, and repeats them.
//
// # Overview
//
// [New] makes an [Experiment] of a scenario. A run has one seed and four steps:
//
//   - [Experiment.Assemble] builds the [Assembly]: graph, data, problem and method.
//   - Observers are made: of iterates for the metrics, of packets for the traffic.
//   - [Experiment.Execute] runs the assembly through the engine.
//   - What the observers saw is written into a run directory.
//
// [Experiment.Run] does all four, [Experiment.Measure] does the first three and
// returns the tables, and [Verify] repeats a recorded run and names all that differs.
//
//	e := experiment.New(s, "")
//	run, err := e.Run(ctx, 1, experiment.Options{Out: "results/runs"})
//
// Who wants to see something else of a run calls Assemble and Execute with observers
// of their own. Package evaluation does so for audits, which also change the problem
// of an assembly and [Experiment.Equip] it anew; package fuzz does so for its checks.
// To try an implementation of a method that is not registered, set Experiment.Entry.
//
// # Invariants
//
//   - Execute is the only place that makes an engine, so that every run has all
//     options of the scenario's network, compute and rounds.
//   - A seed determines its run. [Options] and [Execution] say how to run, never
//     what: workers, queue, observers and the trace's level change no number.
//   - Each random part draws from a stream of its own, so that another topology
//     leaves the partition of the data as it was.
//   - A run directory is there as a whole or not at all. A run that was stopped leaves a
//     checkpoint beside it, which changes no bit of the run that goes on from it. Runs of
//     different scenarios do not share a directory, and a seed is finished only for an
//     experiment with the same [Experiment.Inputs].
//   - A scenario that is well formed and yet cannot be run is a [SetupError].
package experiment

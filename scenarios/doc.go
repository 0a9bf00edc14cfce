// Package scenarios is the scenario language, and the way from a scenario file
// to a finished run.
//
// # Overview
//
// [Load] reads a YAML file strictly into a [Scenario]: every mistake is reported
// with its place, all of them at once. Option structs live in the packages they
// configure; their tags (yaml, doc, default, enum, and of for a
// parameter of one kind only) are the only description of
// the language, from which [Schema], [Explain] and [Template] follow too.
// [Experiment] runs the seeds of a scenario into run directories, and [Verify]
// repeats a run.
package scenarios

// Package scenarios is the scenario language, and the scenario files that come with
// the program. Nothing runs here: package experiment runs a [Scenario].
//
// # Overview
//
// A scenario file is YAML and describes one experiment: data, network, method,
// rounds, what is recorded, and who overhears it. [Load] reads a file, [Parse] a
// text, [LoadShipped] a file that comes with the program. Each of them takes
// assignments path=value, such as algorithm.eta=0.3, that override the file;
// [Assign] writes one.
//
//	s, err := scenarios.Load("quickstart.yaml", "network.topology.nodes=20")
//
// The language is described once, by the tags of its option structs: yaml (the key),
// doc, default, enum, and of, for a parameter of one kind only. The structs live in
// the packages that they configure, and those of a method in its file in algorithms.
// From the tags follow reading and checking, [Schema], [Explain] and [Template]; a
// new key is a new field with tags and needs nothing else.
//
// # Invariants
//
//   - Reading is strict. An unknown key, a wrong type or an impossible value is a
//     [Mistake] with file, line and column; [Mistakes] reports all of them at once.
//   - What [Scenario.Resolved] writes reads back as the same scenario. A run keeps
//     that text, so it can be repeated when defaults have changed.
//   - [Scenario.Hash] covers everything that determines a seed's run and nothing
//     else.
package scenarios

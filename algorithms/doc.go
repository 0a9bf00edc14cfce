// Package algorithms holds the behaviour of simulated nodes: the round
// protocol, written once, and one small file per published method.
//
// # Overview
//
// A [Method] says what nodes compute in a round. It is a [RowMethod], whose nodes exchange
// iterates with their neighbours; a [Central] one, whose nodes exchange them with a hub;
// or a [ColumnMethod], whose parties hold columns of the same rows. [NewProtocol] makes of
// it the [Protocol] that says when they compute: in synchronous rounds, in which a node
// starts round t+1 once it holds the values of round t of all its neighbours, or, with a
// trigger, without lockstep. Traits such as [Addressing] and [Registering] change what a
// protocol does; one that it does not support is an error.
//
//	m, err := entry.New(params, setting)
//	p, err := algorithms.NewProtocol(algorithms.Config{Setting: setting, Method: m})
//	engine, err := sim.New(sim.Config{Graph: p.Graph()})
//	p.Attach(engine)
//	err = errors.Join(engine.Run(ctx), p.Unfinished())
//
// A new method is one file that defines the type and registers an [Entry]; its model, for
// attacks and audits, is one file in adversary/model. A method that claims privacy is
// [Private], its parameters are [Tunable] and embed [NoiseSwitch], and its noise comes from
// the stream "noise" of node and round, from which an audit draws it again. If it is
// [Certified], certificate.go says which law its noise has in every use of data, and runs have
// a certificate. proximal.go is one with all of it.
//
// # Invariants
//
//   - A value is immutable once published; round 0 is the starting point and
//     the first update is round 1.
//   - What a node computes in a round depends on its own state and on its
//     neighbours' values only, summed in ascending order of neighbour, never on
//     the order or the time of their arrival.
//   - Every random draw of a method is keyed by node and round.
package algorithms

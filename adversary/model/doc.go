// Package model holds what is public of every method: which parameters it has,
// what its messages say about the data of their sender, which noise enters where,
// and what a node keeps to itself. Attacks and audits know methods by it, and by
// nothing else.
//
// # Overview
//
// A [Method] is a struct of typed parameters with the same keys as the method's
// own; [New] copies the values of a run into it and returns a [Public]. What a
// method's messages give away it says by the interfaces that it satisfies:
//
//   - [NodeDual]: ADMM with one dual a node. It returns a [Step] for each round,
//     and the package follows the dual and solves the optimality condition.
//   - [Follower]: any other method whose messages tell gradients of rows.
//   - [Recycling]: some rounds touch no data.
//   - [Registering]: users report rows with randomised labels.
//   - [Sharing]: columns are split, and parties send numbers by row.
//
// Audits compute what a node sends again, to the last bit: a [Step] says for that what is Drawn, by the method's own
// operations in its own order, and a method that is no [NodeDual] is [Repeating].
//
// A method that satisfies none of them can be run and says nothing that an attack
// here knows how to use.
//
// To add a method, write one file: the struct, Noisy, one of the interfaces, and an
// [Entry] registered by init. pvp.go is a short one with noise.
//
// # Invariants
//
//   - The package imports no method. Its formulas come from the papers, so that an
//     error in a method's code is not repeated here.
//   - A hidden parameter is removed: what a node keeps to itself is NaN, and no
//     attack can read it by mistake.
package model

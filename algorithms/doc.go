// Package algorithms holds the behaviour of simulated nodes: the round
// protocol, written once, and one small file per published method.
//
// # Overview
//
// A [Method] says what one node computes in one round; [Synchronous] says when:
// a node starts round t+1 once it holds the values of round t of every
// neighbour. A method is one file that defines a type with the two functions
// of [Method] and registers an [Entry]; nothing else changes.
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

// Package adversary is an observer of a run: what it sees, what it knows
// besides, and what it works out from both.
//
// # Overview
//
// A [Recording] is a run as it was recorded. [Observe] takes from it what a
// [Vantage] lets an observer see and returns a [View]; attacks receive a View and
// nothing else, so that none can read a node's data or state. What the observer
// knew before, other samples of the victim for instance, is declared as
// [Knowledge].
//
// Nearly every attack starts from [View.Gradients]: the optimality condition of
// a node's step says what the gradient of its data was at the point that it
// published, up to noise and to terms with hidden penalties.
//
// The audit ([Likelihood]) knows two worlds that differ in one sample and
// computes how much likelier a trace is in the one than in the other.
//
// # Invariants
//
// The package imports no methods: it knows their published formulas, not their
// code, so that an error in a method is not repeated here.
package adversary

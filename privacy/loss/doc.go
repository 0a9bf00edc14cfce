// Package loss computes certificates of privacy: what is lost over a run, as a whole curve δ(ε), by the law of the
// noise and not by its worst case (docs/mathematics.md §6.1, whose theorem and proof this package is the arithmetic
// of).
//
// A Mechanism is one use of data. It bounds, for every e^t, the hockey-stick divergence between the laws of what is
// published in two worlds that differ in one unit, given any past. Compose puts uses together:
//
//   - each bound becomes a privacy-loss distribution (PLD) on a grid, never below it: the points of the curve are
//     joined by straight lines in e^t, and a convex curve is below its chords;
//   - distributions are convolved by the fast Fourier transform; equal uses are one transform and a power;
//   - what the grid leaves out, and what rounding may hide, is added to δ (Total.Slack).
//
// It is on the digest path: own transform, no fused multiply-add, the same bits on every machine.
package loss

// Package marginal computes what an observer of a run learns where all that it sees is normally distributed.
//
// # Overview
//
// A method whose rounds are affine ([overhear/algorithms.Affine]: squared loss, Gaussian noise) publishes values that
// are jointly normal. Worlds that differ in one label differ in the mean and in nothing else, so that whatever an
// observer sees, the best test between them is that of N(0, 1) against N(μ, 1), with
//
//	μ² = Δᵀ Σ⁻¹ Δ
//
// Δ the difference of the means of what is seen and Σ its covariance (docs/mathematics.md §5.12). A [Filter] takes
// values one after the other and keeps what is not yet known of those that will enter others; a [Map] does so for every
// node as observer at once, in rounds that are in lockstep.
//
// # Invariants
//
//   - Neither forms Σ, or inverts more than one value's part of it.
//   - What is seen twice says nothing the second time; a value without noise that differs between the worlds tells them
//     apart: μ = ∞.
package marginal

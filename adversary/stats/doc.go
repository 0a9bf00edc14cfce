// Package stats measures what two worlds can be told apart by: log-likelihood ratios
// sampled in both, the noise in traces, and how sure a number of runs makes.
//
// # Overview
//
// [Distinguish] turns ratios of two worlds into a ROC curve and the figures read off it;
// [LowerEpsilon] and [Refutes] bound the privacy loss from below with stated
// confidence; [LargestLoss] bounds it without any, where ratios are exact and δ = 0;
// [Calibrated] and [Fit] test that ratios and noise are what they are said to be.
//
// # Invariants
//
//   - A bound with confidence 1 − α is wrong with probability at most α, for every
//     number of runs: no bound is asymptotic.
//   - NaN is an error, and an infinite ratio is a ratio.
package stats

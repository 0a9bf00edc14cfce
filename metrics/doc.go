// Package metrics measures a run while it goes: a [Row] a round, as in
// metrics.csv. The definitions are those of ZKL18 §5 and RA19 §VIII.
package metrics

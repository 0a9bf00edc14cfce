// What the run's adversary has worked out by growing times.

package view

// Attack is the adversary's view of a run.
type Attack struct{}

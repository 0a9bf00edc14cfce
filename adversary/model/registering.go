package model

// Registering is a Method whose nodes are servers: users send each a report of one
// row, whose label is randomised, before round 0.
type Registering interface {
	Method

	// LabelEpsilon is ε of the label of a report: it is flipped with probability 1/(1 + e^ε). It is +Inf where labels
	// are reported as they are, and NaN of a report that is nil where users have ε of their own.
	LabelEpsilon(report []float64) float64

	// Budget is ε of the label of row k of server i in a run of that seed; +Inf where labels are reported as they are.
	Budget(seed uint64, i, k int) float64

	// Debias is δ of the loss of that reported label, L(y′z) − δ y′z.
	Debias(report []float64) float64
}

package model

// Registering is a Method whose nodes are servers: users send each a report of one
// row, whose label is randomised, before round 0.
type Registering interface {
	Method

	// LabelEpsilon is ε of the labels: one is flipped with probability 1/(1 + e^ε). It is
	// +Inf where labels are reported as they are.
	LabelEpsilon() float64

	// Debias is δ of the loss of reported labels, L(y′z) − δ y′z.
	Debias() float64
}

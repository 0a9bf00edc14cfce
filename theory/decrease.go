// The measured rate at which an error falls.

package theory

import "overhear/internal/num"

// Floor is the error, relative to what it is an error of, at or below which iterates of solves to a tolerance are
// rounding.
func Floor(tolerance float64) float64 { return 1e3 * tolerance }

// A Decrease is the mean factor a round by which an error falls from a round to another.
type Decrease struct {
	Factor   float64
	From, To int
}

// Measure is the decrease of an error, given by round from 0 on, to the last round in which it is above the floor.
// It leaves out the share skip of the rounds up to there, and round 0 always; ok is false where that is not
// round 2 or a later one.
func Measure(errors []float64, floor, skip float64) (d Decrease, ok bool) {
	d.To = len(errors) - 1
	for d.To > 0 && errors[d.To] <= floor {
		d.To--
	}
	if d.To < 2 {
		return Decrease{}, false
	}
	d.From = max(1, int(skip*float64(d.To)))
	d.Factor = num.Pow(errors[d.To]/errors[d.From], 1/float64(d.To-d.From))
	return d, true
}

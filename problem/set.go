// Data sets, as read and as prepared.

package problem

// Set is a data set: n rows of D numbers with labels.
type Set struct {
	Name    string
	X       *Rows
	Y       []float64 // ±1
	Columns []string  // names, D of them
	Dropped int       // rows left out because a value was missing
	Source  string    // where it was read from, or how it was made
	Reading *Reading  // what was done to read a user's file; nil for built-in sets
}

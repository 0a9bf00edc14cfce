// Data sets, as read and as prepared.

package problem

// Set is a data set: n rows of D numbers, each with its class or with a target, a number to be predicted.
type Set struct {
	Name    string
	X       *Rows
	Y       []float64 // classes, ±1; 1 of rows with targets, and of rows with one of K classes
	Class   []int32   // 0 to K−1, where every value of the label is a class (data.classes: all); else nil
	Classes []string  // their names, K of them
	Targets []float64 // nil if rows have classes
	Unit    float64   // what targets were divided by; 0: nothing, or rows have classes
	Columns []string  // names, D of them
	Dropped int       // rows left out because a value was missing
	Source  string    // where it was read from, or how it was made
	Reading *Reading  // what was done to read a user's file; nil for built-in sets
}

// What an observer knew before it overheard anything.

package adversary

import (
	"maps"
	"slices"

	"overhear/problem"
)

// Knowledge is declared side knowledge; what is not known is zero.
type Knowledge struct {
	Victim int // the node whose data are wanted

	// Size is B, how many samples the victim has; 0: not known.
	Size int

	// Others are samples of the victim that the observer knows: all but one, for
	// the informed adversary of ZKL18 §6.2.
	Others *Samples

	// Candidates are samples among which may be the victim's.
	Candidates *Samples

	// Attribute is one of which the observer does not know the value in the sample that Others lacks, knowing the rest.
	Attribute *Attribute

	// Data are whole data sets of nodes, of colluders for instance.
	Data map[int]*Samples

	// Blocks are matrices, N rows each, one of which may be the victim's where
	// columns are split; Others and Candidates mean nothing there.
	Blocks []*problem.Rows

	Schema *Schema
}

// Attribute is a column of classes, or the label, of one sample.
type Attribute struct {
	Name    string   `json:"name"`
	Values  []string `json:"values"`
	Columns []int    `json:"columns,omitempty"` // one a value; none: the label, −1 and 1
	Samples *Samples `json:"samples"`           // the sample with each value, in their order
}

// value is which value a sample has, −1 if none.
func (a *Attribute) value(s Sample) int {
	if a.Columns == nil {
		return bit(s.Y > 0)
	}
	return slices.Index(a.Columns, active(s.X, a.Columns))
}

// prior is how often values are among rows that are known, each counted once more, so that none has probability zero.
func (a *Attribute) prior(k *Knowledge) []float64 {
	counts, all := make([]float64, len(a.Values)), 0.0
	add := func(s *Samples) {
		for n := range s.Y {
			if at := a.value(s.At(n)); at >= 0 {
				counts[at]++
				all++
			}
		}
	}
	add(k.Others)
	for _, node := range slices.Sorted(maps.Keys(k.Data)) {
		add(k.Data[node])
	}
	for at := range counts {
		counts[at] = (counts[at] + 1) / (all + float64(len(counts)))
	}
	return counts
}

// Samples are rows with their classes, or with targets.
type Samples struct {
	U       *problem.Rows // row n is y_n x_n
	Y       []float64     // ±1; 1 of rows with targets
	Targets []float64     `json:",omitempty"` // t_n, if they are known; nil of classes
	Class   []int32       `json:",omitempty"` // of rows with one of several classes, if they are known; Y is 1 then
	Debias  []float64     `json:",omitempty"` // of reports of users who have ε of their own: δ of each one's loss
}

// Sample is one row, dense.
type Sample struct {
	X []float64
	Y float64
}

// At is sample n.
func (s *Samples) At(n int) Sample {
	x := make([]float64, s.U.D)
	cols, vals := s.U.Row(n)
	for k, c := range cols {
		x[c] = s.Y[n] * vals[k]
	}
	return Sample{x, s.Y[n]}
}

// Add appends a sample.
func (s *Samples) Add(a Sample) {
	if s.U == nil {
		s.U = problem.NewRows(len(a.X))
	}
	var cols []int32
	var vals []float64
	for k, x := range a.X {
		if x != 0 {
			cols, vals = append(cols, int32(k)), append(vals, a.Y*x)
		}
	}
	s.U.Append(cols, vals)
	s.Y = append(s.Y, a.Y)
}

// Schema is what is known of the columns: their published description.
type Schema struct {
	Names     []string `json:"names"`
	Sign      []bool   `json:"sign"`      // by column: its values are never negative
	Groups    [][]int  `json:"groups"`    // columns of which exactly one is not zero: the values of a categorical one
	Intercept int      `json:"intercept"` // a column of ones before rows were scaled; −1: none
}

// Preparation: scaling of columns and rows, and the intercept.

package problem

import (
	"fmt"
	"math"
	"slices"

	"overhear/internal/num"
)

// Scale prepares a set, `problem.scale` in a scenario, in this order: columns,
// intercept, rows.
type Scale struct {
	Columns   string `yaml:"columns" default:"max" enum:"max,none" doc:"max divides every column by its largest absolute value over the rows that fit names"`
	Fit       string `yaml:"fit" enum:"training,all" doc:"the rows whose largest values columns are divided by; default training, so that no test row has a part in it, for a file of one's own, and all for a built-in set, as the papers have it"`
	Rows      string `yaml:"rows" default:"clip" enum:"clip,unit,none" doc:"clip divides every row by max(1, its norm), unit by its norm; the privacy proofs need norms of at most 1"`
	Intercept bool   `yaml:"intercept" default:"true" doc:"append a column of ones, regularised like the others"`
}

// OfTraining says whether the scaling of a source's columns depends on which rows are for training.
func (s Scale) OfTraining(source Source) bool {
	return s.Columns == "max" && (s.Fit == "training" || s.Fit == "" && source.Own())
}

// Apply returns the prepared set; the original is not changed. The rows in fit, or all if it is nil, say what columns
// are divided by; a column that is zero in all of them stays as it is, and so does a row of zeros.
func (s Scale) Apply(set *Set, fit []int) *Set { return s.apply(set, fit, false) }

// InPlace is Apply to a set that is not used afterwards: its memory may be that of the prepared one.
func (s Scale) InPlace(set *Set, fit []int) *Set { return s.apply(set, fit, !s.Intercept) }

func (s Scale) apply(set *Set, fit []int, overwrite bool) *Set {
	x := set.X
	out := *set
	divisor := make([]float64, x.D)
	take := func(cols []int32, vals []float64) {
		for k, c := range cols {
			divisor[c] = math.Max(divisor[c], math.Abs(vals[k]))
		}
	}
	switch {
	case s.Columns != "max":
	case fit == nil:
		for i := range x.Len() {
			take(x.Row(i))
		}
	default:
		for _, i := range fit {
			take(x.Row(i))
		}
	}
	for k := range divisor {
		if divisor[k] == 0 {
			divisor[k] = 1
		}
	}
	if set.Reading != nil {
		reading := *set.Reading
		reading.ScaledBy, reading.Scaling = s.Says(fit, x.Len())
		out.Reading = &reading
	}
	d, entries := x.D, x.Entries()
	if s.Intercept {
		d, entries = d+1, entries+x.Len()
		out.Columns = append(slices.Clone(set.Columns), "intercept")
	}
	if !overwrite {
		out.X = newRows(d, x.Len(), entries)
	}
	var cols []int32
	var row []float64
	for i := range x.Len() {
		all, vals := x.Row(i)
		cols, row = append(cols[:0], all...), row[:0]
		for k, c := range cols {
			row = append(row, vals[k]/divisor[c])
		}
		if s.Intercept {
			cols, row = append(cols, int32(x.D)), append(row, 1)
		}
		norm := num.Norm(row)
		if norm > 0 && (s.Rows == "unit" || (s.Rows == "clip" && norm > 1)) {
			for k := range row {
				row[k] /= norm
			}
		}
		if overwrite {
			copy(vals, row)
		} else {
			out.X.Append(cols, row)
		}
	}
	return &out
}

// Says is which rows have said what columns are divided by, and what was done in words.
func (s Scale) Says(fit []int, rows int) (by, words string) {
	switch {
	case s.Columns != "max":
		by, words = "none", "columns as they are in the file"
	case fit == nil:
		by, words = "all", fmt.Sprintf("columns divided by their largest values in all %s, test rows too",
			Counted(rows, "row"))
	case len(fit) == rows:
		by, words = "training", fmt.Sprintf("columns divided by their largest values in the %s; there are no "+
			"test rows", Counted(rows, "training row"))
	default:
		by, words = "training", fmt.Sprintf("columns divided by their largest values in the %s, none of the %s",
			Counted(len(fit), "training row"), Counted(rows-len(fit), "test row"))
	}
	switch s.Rows {
	case "clip":
		words += "; rows clipped to length 1"
	case "unit":
		words += "; rows scaled to length 1"
	}
	return by, words
}

// Uncovered is what an ε does not cover: what preparation computes of the rows without noise.
const Uncovered = "ε covers the messages, not what preparation takes from the rows without noise: the columns' " +
	"largest values, the categories (docs/mathematics.md §8)"

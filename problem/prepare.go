// Preparation: scaling of columns and rows, and the intercept.

package problem

import (
	"math"
	"slices"

	"overhear/internal/num"
)

// Scale prepares a set, `problem.scale` in a scenario, in this order: columns,
// intercept, rows.
type Scale struct {
	Columns   string `yaml:"columns" default:"max" enum:"max,none" doc:"max divides every column by its largest absolute value over the whole set"`
	Rows      string `yaml:"rows" default:"clip" enum:"clip,unit,none" doc:"clip divides every row by max(1, its norm), unit by its norm; the privacy proofs need norms of at most 1"`
	Intercept bool   `yaml:"intercept" default:"true" doc:"append a column of ones, regularised like the others"`
}

// Apply returns the prepared set; the original is not changed. A row of zeros
// stays as it is.
func (s Scale) Apply(set *Set) *Set {
	x := set.X
	out := *set
	out.X = &Rows{D: x.D, Start: make([]int32, 1, len(x.Start)), Col: make([]int32, 0, len(x.Col)+x.Len()),
		Val: make([]float64, 0, len(x.Val)+x.Len())}
	divisor := make([]float64, x.D)
	for k, c := range x.Col {
		divisor[c] = math.Max(divisor[c], math.Abs(x.Val[k]))
	}
	if s.Columns != "max" {
		for k := range divisor {
			divisor[k] = 1
		}
	}
	if s.Intercept {
		out.X.D++
		out.Columns = append(slices.Clone(set.Columns), "intercept")
	}
	for i := range x.Len() {
		cols, vals := x.Row(i)
		begin := len(out.X.Val)
		for k, c := range cols {
			out.X.Col = append(out.X.Col, c)
			out.X.Val = append(out.X.Val, vals[k]/divisor[c])
		}
		if s.Intercept {
			out.X.Col = append(out.X.Col, int32(x.D))
			out.X.Val = append(out.X.Val, 1)
		}
		row := out.X.Val[begin:]
		norm := num.Norm(row)
		if norm > 0 && (s.Rows == "unit" || (s.Rows == "clip" && norm > 1)) {
			for k := range row {
				row[k] /= norm
			}
		}
		out.X.Start = append(out.X.Start, int32(len(out.X.Val)))
	}
	return &out
}

// Preparation: scaling of columns and rows, and the intercept.

package problem

import (
	"fmt"
	"math"
	"slices"

	"overhear/internal/num"
)

// Scale prepares a set, `problem.scale` in a scenario, in this order: columns,
// intercept, rows, targets.
type Scale struct {
	Columns   string `yaml:"columns" default:"max" enum:"max,none" doc:"max divides every column by its largest absolute value over the rows that fit names"`
	Fit       string `yaml:"fit" enum:"training,all" doc:"the rows whose largest values are divided by; default training, so that no test row has a part in it, for a file of one's own, and all for a built-in set, as the papers have it"`
	Rows      string `yaml:"rows" default:"clip" enum:"clip,unit,unit-per-party,max,none" doc:"clip divides every row by max(1, its norm), unit by its norm, unit-per-party the part of it that each party holds by that part's norm (split columns), max all rows by the largest norm of those that fit names, which keeps what is linear linear; the privacy proofs need norms of at most 1"`
	Intercept bool   `yaml:"intercept" default:"true" doc:"append a column of ones, regularised like the others"`
	Target    string `yaml:"target" default:"max" enum:"max,none" doc:"max divides targets by their largest absolute value over the rows that fit names; errors are told in units of the file all the same"`
}

// OfTraining says whether the scaling of a source's rows depends on which of them are for training.
func (s Scale) OfTraining(source Source) bool {
	return s.ofRows(source.HasTargets()) && (s.Fit == "training" || s.Fit == "" && source.Own())
}

// ofRows says whether the rows say what is divided by what.
func (s Scale) ofRows(targets bool) bool {
	return s.Columns == "max" || s.Rows == "max" || s.Target == "max" && targets
}

// Apply returns the prepared set; the original is not changed. The rows in fit, or all if it is nil, say what columns
// and targets are divided by; what is zero in all of them stays as it is, and so does a row of zeros.
func (s Scale) Apply(set *Set, fit []int) *Set { return s.apply(set, fit, false) }

// interceptName is the name of the column of ones that preparation appends.
const interceptName = "intercept"

// InPlace is Apply to a set that is not used afterwards: its memory may be that of the prepared one.
func (s Scale) InPlace(set *Set, fit []int) *Set { return s.apply(set, fit, !s.Intercept) }

func (s Scale) apply(set *Set, fit []int, overwrite bool) *Set {
	x := set.X
	out := *set
	each := func(take func(i int)) {
		if fit == nil {
			for i := range x.Len() {
				take(i)
			}
		}
		for _, i := range fit {
			take(i)
		}
	}
	divisor := s.Divisors(set, fit)
	d, entries := x.D, x.Entries()
	if s.Intercept {
		d, entries = d+1, entries+x.Len()
		out.Columns = append(slices.Clone(set.Columns), interceptName)
	}
	var cols []int32
	var row []float64
	prepare := func(i int) {
		all, vals := x.Row(i)
		cols, row = append(cols[:0], all...), row[:0]
		for k, c := range cols {
			row = append(row, vals[k]/divisor[c])
		}
		if s.Intercept {
			cols, row = append(cols, int32(x.D)), append(row, 1)
		}
	}
	longest := size{1, 0}
	if s.Rows == "max" {
		each(func(i int) {
			prepare(i)
			if n := sizeOf(row); n.above(longest) {
				longest = n
			}
		})
	}
	if !overwrite {
		out.X = newRows(d, x.Len(), entries)
	}
	for i := range x.Len() {
		prepare(i)
		switch own := sizeOf(row); {
		case s.Rows == "max":
			longest.divide(row)
		case s.Rows == "unit" || s.Rows == "clip" && own.above(size{1, 1}):
			own.divide(row)
		}
		if overwrite {
			_, vals := x.Row(i)
			copy(vals, row)
		} else {
			out.X.Append(cols, row)
		}
	}
	if set.Targets != nil {
		out.Unit = 1
	}
	if s.Target == "max" && set.Targets != nil {
		largest := 0.0
		each(func(i int) { largest = math.Max(largest, math.Abs(set.Targets[i])) })
		if largest > 0 {
			out.Unit = largest
		}
		out.Targets = slices.Clone(set.Targets)
		for i := range out.Targets {
			out.Targets[i] /= out.Unit
		}
	}
	if set.Reading != nil {
		reading := *set.Reading
		reading.ScaledBy, reading.Scaling = s.Says(&out, fit)
		if reading.Target != nil {
			reading.Target = &Target{Least: reading.Target.Least, Greatest: reading.Target.Greatest, Unit: out.Unit}
		}
		out.Reading = &reading
	}
	return &out
}

// Divisors are what Apply divides the columns of a set by.
func (s Scale) Divisors(set *Set, fit []int) []float64 {
	divisor := make([]float64, set.X.D)
	take := func(i int) {
		cols, vals := set.X.Row(i)
		for k, c := range cols {
			divisor[c] = math.Max(divisor[c], math.Abs(vals[k]))
		}
	}
	switch {
	case s.Columns != "max":
	case fit == nil:
		for i := range set.X.Len() {
			take(i)
		}
	default:
		for _, i := range fit {
			take(i)
		}
	}
	for k := range divisor {
		if divisor[k] == 0 {
			divisor[k] = 1
		}
	}
	return divisor
}

// Parties does what rows: unit-per-party says to a prepared set, in place: of every row, the columns that each party
// holds, as many in turn as widths says, get the norm 1. Columns that are all zero in a row stay so.
func (s Scale) Parties(set *Set, widths []int) {
	if s.Rows != "unit-per-party" {
		return
	}
	for i := range set.X.Len() {
		cols, vals := set.X.Row(i)
		end := int32(0)
		for _, w := range widths {
			end += int32(w)
			n, _ := slices.BinarySearch(cols, end)
			sizeOf(vals[:n]).divide(vals[:n])
			cols, vals = cols[n:], vals[n:]
		}
	}
}

// Says is which rows of a prepared set have said what is divided by what, and what was done in words.
func (s Scale) Says(set *Set, fit []int) (by, words string) {
	rows, targets := set.X.Len(), set.Targets != nil
	var of string
	switch {
	case fit == nil:
		by, of = "all", fmt.Sprintf("all %s, test rows too", Counted(rows, "row"))
	case len(fit) == rows:
		by, of = "training", fmt.Sprintf("the %s; there are no test rows", Counted(rows, "training row"))
	default:
		by, of = "training", fmt.Sprintf("the %s, none of the %s", Counted(len(fit), "training row"),
			Counted(rows-len(fit), "test row"))
	}
	words = "columns as they are in the file"
	if s.Columns == "max" {
		words, of = "columns divided by their largest values in "+of, "these rows"
	}
	switch s.Rows {
	case "clip":
		words += "; rows clipped to length 1"
	case "unit":
		words += "; rows scaled to length 1"
	case "unit-per-party":
		words += "; rows scaled to length 1 within the columns of each party"
	case "max":
		words, of = words+"; all rows divided by the largest length in "+of, "these rows"
	}
	if targets && s.Rows != "max" && s.Rows != "none" {
		words += ", so that a target that is linear in the columns is not so in what is learned from (rows: max " +
			"keeps that)"
	}
	switch {
	case !targets:
	case s.Target == "max":
		words += fmt.Sprintf("; targets divided by %v, their largest absolute value in %s", set.Unit, of)
	default:
		words += "; targets as they are in the file"
	}
	if !s.ofRows(targets) {
		by = "none"
	}
	return by, words
}

// Uncovered is what an ε does not cover: what preparation computes of the rows, with targets or classes, without noise.
func Uncovered(targets bool) string {
	of := "the columns' largest values"
	if targets {
		of = "the columns' and the targets' largest values, the largest length of a row"
	}
	return "ε covers the messages, not what preparation takes from the rows without noise: " + of +
		", the categories (docs/mathematics.md §8)"
}

// size is the norm of a vector, unit·norm, of which the unit is 1 but where squares would overflow or vanish.
type size struct{ unit, norm float64 }

func sizeOf(v []float64) size {
	const least, most = 1e-140, 1e150
	if n := num.Norm(v); n >= least && n <= most {
		return size{1, n}
	}
	unit := 0.0
	for _, x := range v {
		unit = max(unit, math.Abs(x))
	}
	if unit == 0 {
		return size{1, 0}
	}
	sum := 0.0
	for _, x := range v {
		sum += float64((x / unit) * (x / unit))
	}
	return size{unit, math.Sqrt(sum)}
}

// above says whether it is greater than another.
func (n size) above(m size) bool { return n.norm*(n.unit/m.unit) > m.norm }

// divide divides a vector by it, unless it is zero.
func (n size) divide(v []float64) {
	if n.norm == 0 || n.unit == 1 && n.norm == 1 {
		return
	}
	for k := range v {
		if n.unit != 1 {
			v[k] /= n.unit
		}
		v[k] /= n.norm
	}
}

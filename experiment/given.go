// What a certificate takes as given: what is taken from the rows without noise before a method sees them.

package experiment

import (
	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
)

// taken is what preparation or partition takes from the rows.
type taken struct {
	record.Taken
	labels string // the rows whose flipped label is covered nevertheless; empty: no label changes what is taken
}

// givenOf is what the certificate of a unit takes as given. A flipped label is of a row that stays at its node with
// its columns as they are.
func givenOf(all []taken, unit privacy.Unit) (of []record.Taken) {
	for _, t := range all {
		if unit == privacy.Label {
			if t.labels == "" {
				continue
			}
			t.Covers = t.labels
		}
		of = append(of, t.Taken)
	}
	return of
}

// ofFile is what is taken from the rows of a file of one's own as it is read: reading is nil of a known set, whose
// description has it.
func ofFile(source *problem.Source, reading *problem.Reading) (all []taken) {
	if reading == nil {
		return nil
	}
	add := func(what, covers, labels string) {
		all = append(all, taken{record.Taken{Key: "problem.data", What: what, Covers: covers}, labels})
	}
	if reading.RowsDropped > 0 {
		add("rows without a value are left out", "rows that have all values", "")
	}
	if len(reading.Expanded) > 0 {
		add("columns of categories have an indicator for each value that occurs",
			"rows each of whose categories another row has", "")
	}
	if source.LIBSVM != "" && source.Dimension == 0 {
		add("there are as many columns as the largest index says",
			"rows that are not alone in having the largest index", "")
	}
	// Which class +1 is, is said, or is told from all labels.
	const covers = "rows whose label other rows have"
	switch {
	case reading.Target != nil:
	case source.Positive == "" || source.ManyClasses():
		add("the classes are the labels that occur", covers, covers)
	default: // there is no run where all labels are alike
		add("there are labels of both classes", covers, covers)
	}
	return all
}

// given is what preparation and partition take from the rows, and which rows a certificate covers nevertheless: the
// theorem is of worlds that differ in one row of one node, and in nothing else (docs/mathematics.md §6.1, §8).
func (e *Experiment) given() (all []taken) {
	p := &e.Problem
	targets := p.Data.HasTargets()
	add := func(key, what, covers, labels string) {
		all = append(all, taken{record.Taken{Key: key, What: what, Covers: covers}, labels})
	}
	if p.Repeated == "drop" {
		// Rows with the same columns and another class are no repetition.
		add("problem.repeated", "rows that repeat others are left out", "rows that repeat no other",
			"rows whose columns no other row has")
	}
	if p.Scale.Columns == "max" {
		add("problem.scale.columns", "columns are divided by their largest values",
			"rows that hold no column's largest value", "")
	}
	if p.Scale.Rows == "max" {
		add("problem.scale.rows", "all rows are divided by the largest length", "rows that are not the longest", "")
	}
	if p.Scale.Target == "max" && targets {
		const covers = "rows that do not hold the largest target"
		add("problem.scale.target", "targets are divided by the largest", covers, covers)
	}
	if p.Rho == 0 { // there is no run if there is not
		const covers = "rows that leave it so: columns that are independent, and classes that no model tells apart"
		add("problem.rho", "without a ridge there is one optimum", covers, covers)
	}
	// Of targets there is one class.
	if k := p.Partition.Kind; (k == "label-skew" || k == "dirichlet") && !targets {
		add("problem.partition", k+" says by the rows' classes which node holds which",
			"a row in place of another of its class, and of any class where nodes have collected their own rows",
			"the label of a row that stays where it is, as where nodes have collected their own rows")
	}
	return all
}

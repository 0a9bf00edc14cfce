// What a certificate takes as given: what is taken from the rows without noise before a method sees them.

package experiment

import (
	"slices"

	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
)

// givenOf is what the certificate of a unit takes as given. A flipped label is of a row that stays at its node: who
// holds which rows is given, and no row is replaced.
func givenOf(all []record.Taken, unit privacy.Unit) []record.Taken {
	if unit != privacy.Label {
		return all
	}
	all = slices.Clone(all)
	for k := range all {
		if all[k].Key == "problem.partition" {
			all[k].Covers = "the label of a row that stays where it is, as where nodes have collected their own rows"
		}
	}
	return all
}

// categories are taken from a file of one's own: its rows say which indicators a column becomes. Known sets have those
// of their descriptions.
func categories(set *problem.Set) []record.Taken {
	if set == nil || set.Reading == nil || len(set.Reading.Expanded) == 0 {
		return nil
	}
	return []record.Taken{{Key: "problem.data", What: "columns of categories have an indicator for each value that " +
		"occurs", Covers: "rows in whose columns are no values that no other row has"}}
}

// given is what preparation and partition take from the rows, and which rows a certificate covers nevertheless: the
// theorem is of worlds that differ in one row of one node, and in nothing else (docs/mathematics.md §6.1, §8).
func (e *Experiment) given() (all []record.Taken) {
	p := &e.Problem
	targets := p.Data.HasTargets()
	if p.Repeated == "drop" {
		all = append(all, record.Taken{Key: "problem.repeated",
			What: "rows that repeat others are left out", Covers: "rows that repeat no other"})
	}
	if p.Scale.Columns == "max" {
		all = append(all, record.Taken{Key: "problem.scale.columns",
			What: "columns are divided by their largest values", Covers: "rows that hold no column's largest value"})
	}
	if p.Scale.Rows == "max" {
		all = append(all, record.Taken{Key: "problem.scale.rows",
			What: "all rows are divided by the largest length", Covers: "rows that are not the longest"})
	}
	if p.Scale.Target == "max" && targets {
		all = append(all, record.Taken{Key: "problem.scale.target",
			What: "targets are divided by the largest", Covers: "rows that do not hold the largest target"})
	}
	// Of targets there is one class.
	if k := p.Partition.Kind; (k == "label-skew" || k == "dirichlet") && !targets {
		all = append(all, record.Taken{Key: "problem.partition",
			What: k + " says by the rows' classes which node holds which",
			Covers: "a row in place of another of its class, and of any class where nodes have collected their own " +
				"rows"})
	}
	return all
}

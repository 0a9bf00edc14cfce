// How many times as long nodes of several classes take for what they compute.

package sim

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// Factors multiply the times of nodes by their class.
type Factors struct {
	File      string             `yaml:"file" doc:"CSV of lines class,factor, with a line of names above them or without: how many times as long nodes of a class take"`
	Factors   map[string]float64 `yaml:"factors" doc:"instead of file: {phone: 8, server: 0.5}"`
	Placement *Placement         `yaml:"placement" doc:"of which class each node is; default: the classes take turns, in the order of their names, as in a fault of kind availability"`
}

// Check reports what is missing or contradicts itself; what is in a file is for [Factors.Of].
func (f Factors) Check(report func(field, problem string)) {
	switch {
	case (f.File == "") == (f.Factors == nil):
		report("file", "must stand, or else factors: exactly one of them")
	case f.Factors != nil && len(f.Factors) == 0:
		report("factors", "must have a class at least")
	}
	for _, name := range slices.Sorted(maps.Keys(f.Factors)) {
		if x := f.Factors[name]; !rightFactor(x) {
			report("factors", fmt.Sprintf("%s must have a positive factor, up to %.0e, has %v", name, mostFactor, x))
			break
		}
	}
	if f.Placement != nil {
		f.Placement.Check(func(field, problem string) { report("placement."+field, problem) })
	}
}

// mostFactor is the greatest factor: a nanosecond becomes a quarter of an hour.
const mostFactor = 1e12

func rightFactor(x float64) bool { return x > 0 && x <= mostFactor }

// Of are the factors of n nodes, by the seed where the placement is random.
func (f *Factors) Of(seed uint64, n int) ([]float64, error) {
	factors := f.Factors
	if f.File != "" {
		var err error
		if factors, err = f.read(); err != nil {
			return nil, err
		}
	}
	names := inOrder(slices.Collect(maps.Keys(factors)))
	if err := f.Placement.checkOrder(aClass, n); err != nil {
		return nil, err
	}
	class, err := f.Placement.classify(names, n, seed)
	if err != nil {
		return nil, err
	}
	all := make([]float64, n)
	for i := range all {
		all[i] = factors[names[class[i]]]
	}
	return all, nil
}

func (f *Factors) read() (map[string]float64, error) {
	t := &table{file: f.File}
	factors, first := map[string]float64{}, map[string]cell{}
	err := t.open(func(in io.Reader) {
		_, rows := t.rows(in, 1, 2, "class,factor")
		for _, row := range rows {
			name := row[0].text
			before, twice := first[name]
			x, said := t.number(row[1], "the factor")
			switch {
			case name == "":
				t.report(row[0], "a class has no name")
			case twice:
				t.report(row[0], "%s is given twice, first%s", name, onLine(before))
			case said && !rightFactor(x) && x > 0:
				t.report(row[1], "the factor must be at most %.0e, is %s", mostFactor, row[1].text)
			case said && !rightFactor(x):
				t.report(row[1], "the factor must be positive, is %s", row[1].text)
			case said:
				factors[name], first[name] = x, row[0]
			}
		}
	})
	return factors, err
}

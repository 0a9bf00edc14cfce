// Times that were measured, of which each draw takes one.

package sim

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
)

// Measured is a list of times; a draw is any of them, all alike, and may come again.
type Measured struct {
	File   string     `yaml:"file" doc:"CSV with a time on each line, with a line that names the column above them or without"`
	Values []Duration `yaml:"values" doc:"instead of file: the times, [12ms, 15ms, 40ms]"`
	Unit   Duration   `yaml:"unit" doc:"what 1 is in the file; 1s if not given"`
}

// Check reports what is missing or contradicts itself; what is in a file is for [Measured.Read].
func (m Measured) Check(report func(field, problem string)) {
	switch {
	case (m.File == "") == (m.Values == nil):
		report("file", "must stand, or else values: exactly one of them")
	case m.Values != nil && len(m.Values) == 0:
		report("values", "must have a time at least")
	case m.Values != nil && m.Unit != 0:
		report("unit", "is of a file; values have their own")
	}
	if m.Unit < 0 {
		report("unit", fmt.Sprintf("must be a positive duration, what 1 is in the file, is %v", m.Unit))
	}
	if k := slices.IndexFunc(m.Values, func(d Duration) bool { return d < 0 || d > century }); k >= 0 {
		report("values", fmt.Sprintf("must be from 0s to a century; the one at %d is %v", k, m.Values[k]))
	}
}

// Read are the times in ascending order.
func (m *Measured) Read() ([]Duration, error) {
	if m.File == "" {
		return slices.Sorted(slices.Values(m.Values)), nil
	}
	t := &table{file: m.File}
	unit := float64(cmp.Or(m.Unit, 1e9))
	var times []Duration
	err := t.open(func(in io.Reader) {
		header, rows := t.rows(in, 0, 1, "time")
		t.unit(header, 0, cmp.Or(m.Unit, 1e9))
		for _, row := range rows {
			x, said := t.number(row[0], "the time")
			switch {
			case !said:
			case x < 0 || float64(x*unit) > century:
				t.report(row[0], "the time must be from 0 to a century in units of %v, is %s", Duration(unit),
					row[0].text)
			default:
				times = append(times, nanoseconds(math.Round(float64(x*unit))))
			}
		}
	})
	slices.Sort(times)
	return times, err
}

// Words says where the times are from.
func (m *Measured) Words() string {
	if m.File != "" {
		return "one of those in " + m.File
	}
	return fmt.Sprintf("one of %d measured", len(m.Values))
}

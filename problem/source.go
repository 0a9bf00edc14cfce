// Where the data of a problem come from: `problem.data` in a scenario.

package problem

import (
	"fmt"
	"slices"
	"strings"

	"overhear/internal/memory"
	"overhear/sim"
)

// Source names a built-in set or a file. A bare name is a set.
type Source struct {
	Set     string `yaml:"set" enum:"wdbc,adult,a9a,german,splice,image,banana,twonorm,ringnorm,waveform,census,wide" doc:"a built-in set; see simulate data list"`
	CSV     string `yaml:"csv" doc:"path of a CSV file, plain or gzip, relative to the scenario"`
	LIBSVM  string `yaml:"libsvm" doc:"path of a LIBSVM file, plain or gzip"`
	Raetsch string `yaml:"raetsch" doc:"path of a file of rows 'label value value …', plain or gzip"`

	Rows      int      `yaml:"rows" doc:"rows to generate (twonorm, ringnorm, waveform, census, wide); default as published"`
	Label     string   `yaml:"label" doc:"label column of a CSV file: a name, or a number from 0; default the last"`
	Positive  string   `yaml:"positive" doc:"label that becomes +1; default the greater of the two"`
	Header    *bool    `yaml:"header" doc:"whether a CSV file begins with column names; default: if no field of its first line is a number"`
	Missing   []string `yaml:"missing" doc:"CSV values that mean missing, besides the empty one; rows with one are dropped; default [?, NA]"`
	Dimension int      `yaml:"dimension" doc:"number of columns: of a LIBSVM file, default the largest index; of twonorm and ringnorm, default as published"`
}

// UnmarshalText reads the name of a set.
func (s *Source) UnmarshalText(text []byte) error {
	*s = Source{Set: string(text)}
	if _, ok := FindSet(s.Set); !ok {
		return fmt.Errorf("must be a built-in set (%s) or a mapping with csv, libsvm or raetsch, is %q",
			strings.Join(SetNames(), ", "), text)
	}
	return nil
}

// Check reports a source that names nothing, or two things.
func (s Source) Check(report func(field, problem string)) {
	given := 0
	for _, p := range []string{s.Set, s.CSV, s.LIBSVM, s.Raetsch} {
		if p != "" {
			given++
		}
	}
	if given != 1 {
		report("", "must have exactly one of set, csv, libsvm and raetsch")
	}
	if s.Rows < 0 {
		report("rows", fmt.Sprintf("must be positive, is %d", s.Rows))
	}
	if s.Rows > 0 && !s.Generated() {
		report("rows", "is for generated sets: twonorm, ringnorm, waveform, census, wide")
	}
	if s.Dimension < 0 {
		report("dimension", fmt.Sprintf("must be positive, is %d", s.Dimension))
	}
	for field, is := range map[string]struct{ given, read bool }{
		"label":     {s.Label != "", s.CSV != ""},
		"header":    {s.Header != nil, s.CSV != ""},
		"missing":   {s.Missing != nil, s.CSV != ""},
		"dimension": {s.Dimension != 0, s.LIBSVM != "" || s.anyWidth()},
		"positive":  {s.Positive != "", s.Set == ""},
	} {
		if is.given && !is.read {
			report(field, "is not read for this source; simulate explain problem.data says which is for what")
		}
	}
}

// Generated says whether the data are drawn from the seed.
func (s Source) Generated() bool {
	e, ok := FindSet(s.Set)
	return ok && e.generate != nil
}

// anyWidth says whether the set is generated in any number of columns.
func (s Source) anyWidth() bool {
	e, ok := FindSet(s.Set)
	return ok && e.anyWidth
}

// Load reads the set, or draws it from the stream. Built-in files are sought in
// dir, or where DataDirs says if that is empty.
func (s Source) Load(dir string, stream *sim.Stream) (*Set, error) {
	switch {
	case s.CSV != "":
		return readFile(s.CSV, s.readCSV)
	case s.LIBSVM != "":
		return readFile(s.LIBSVM, s.readLIBSVM)
	case s.Raetsch != "":
		return readFile(s.Raetsch, s.readRaetsch)
	}
	e, ok := FindSet(s.Set)
	if !ok {
		return nil, fmt.Errorf("there is no built-in set %q; there are %s", s.Set, strings.Join(SetNames(), ", "))
	}
	var set *Set
	var err error
	if e.generate != nil {
		rows := s.Rows
		if rows == 0 {
			rows = e.Rows
		}
		columns := s.Dimension
		if columns == 0 {
			columns = e.Columns
		}
		// A number has its column beside it, and scaling makes a second copy of both.
		const perRow, perNumber = 500, 24
		if err := memory.Check(fmt.Sprintf("generating %d rows of %d columns", rows, columns),
			float64(rows)*(perRow+perNumber*float64(columns))); err != nil {
			return nil, err
		}
		set, err = e.generate(rows, columns, stream)
	} else {
		set, err = e.load(dir)
	}
	if err != nil {
		return nil, err
	}
	set.Name = s.Set
	return set, nil
}

// builder collects labelled rows whose labels are text.
type builder struct {
	set    *Set
	labels []string // of the rows
	cols   []int32
	vals   []float64
}

func newBuilder(d int) *builder { return &builder{set: &Set{X: NewRows(d)}} }

// put adds a value to the row under construction; zeros are left out.
func (b *builder) put(col int, v float64) {
	if v != 0 {
		b.cols = append(b.cols, int32(col))
		b.vals = append(b.vals, v)
	}
}

func (b *builder) end(label string) {
	b.set.X.Append(b.cols, b.vals)
	b.labels = append(b.labels, label)
	b.cols, b.vals = b.cols[:0], b.vals[:0]
}

// finish turns the two labels into ±1: the positive one, or the greater one
// (as numbers if both are, else as text), is +1.
func (b *builder) finish(name, positive string) (*Set, error) {
	distinct := slices.Compact(slices.Sorted(slices.Values(b.labels)))
	if len(distinct) == 0 {
		return nil, fmt.Errorf("%s: there are no rows", name)
	}
	if positive == "" {
		positive = slices.MaxFunc(distinct, compareLabels)
	}
	if i := slices.Index(distinct, positive); i < 0 || len(distinct) != 2 {
		return nil, fmt.Errorf("%s: a label must take two values, one of them %q; it takes %d: %.60q", name, positive,
			len(distinct), distinct)
	}
	b.set.Source = name
	b.set.Y = make([]float64, len(b.labels))
	for i, l := range b.labels {
		b.set.Y[i] = -1
		if l == positive {
			b.set.Y[i] = 1
		}
	}
	return b.set, nil
}

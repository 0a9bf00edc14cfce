// Where the data of a problem come from: `problem.data` in a scenario.

package problem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"overhear/internal/memory"
	"overhear/sim"
)

// Source names a built-in set or a file. A bare name is a set.
type Source struct {
	Set     string `yaml:"set" enum:"wdbc,adult,a9a,german,splice,image,banana,twonorm,ringnorm,waveform,census,wide,linear" doc:"a built-in set; see simulate data list"`
	CSV     string `yaml:"csv" doc:"path of a CSV file, plain or gzip, relative to the scenario; see simulate data info"`
	Parquet string `yaml:"parquet" doc:"path of a Parquet file"`
	Arrow   string `yaml:"arrow" doc:"path of an Arrow file (IPC, Feather), as file or stream"`
	LIBSVM  string `yaml:"libsvm" doc:"path of a LIBSVM file, plain or gzip"`
	Raetsch string `yaml:"raetsch" doc:"path of a file of rows 'label value value …', plain or gzip"`

	Rows        int                 `yaml:"rows" doc:"rows to generate (twonorm, ringnorm, waveform, census, wide, linear); default as published"`
	Label       string              `yaml:"label" doc:"label column of a table (csv, parquet, arrow): a name, or a number from 0; default the last"`
	Target      string              `yaml:"target" doc:"in place of a label: the column of a table that is a number to be predicted, a name or a number from 0; of libsvm and raetsch: first, the field before the columns"`
	Classes     string              `yaml:"classes" enum:"two,all" doc:"two: the label takes two values, or is made to; all: every value of the label is a class of its own, for the losses softmax and one-vs-rest; default two"`
	Positive    string              `yaml:"positive" doc:"label that becomes +1; default the greater of the two"`
	ID          string              `yaml:"id" doc:"column of a table that names the rows; it is left out, and it is said if a name stands in several rows"`
	Drop        []string            `yaml:"drop" doc:"columns of a table that are left out"`
	Categorical []string            `yaml:"categorical" doc:"columns of a table that become an indicator for each value, numbers or not, however many they are"`
	Numeric     []string            `yaml:"numeric" doc:"columns of a table that are numbers, whatever they look like; a value that is none is an error"`
	Missing     []string            `yaml:"missing" doc:"values of a table that mean missing, besides the empty one, numbers such as -999 too; rows with one are dropped; default ?, and in capitals or not NA, N/A, NaN, null, <NA>, \\N, and errors of spreadsheets such as #N/A and #DIV/0!"`
	MissingIn   map[string][]string `yaml:"missing-in" doc:"values that mean missing in one column of a table alone, by the column's name, as in {q1: [99]}, besides those of missing"`
	Separator   string              `yaml:"separator" doc:"what is between the fields of a CSV file: one character, tab or space; default: found among tab ; | , and space"`
	Decimal     string              `yaml:"decimal" doc:"decimal sign of a CSV file: . or , (1,5 is one and a half); default ."`
	Comment     string              `yaml:"comment" doc:"sign with which lines of a CSV file begin that are no rows, such as #; default: none"`
	Header      *bool               `yaml:"header" doc:"whether a CSV file begins with column names; default: if no field of its first line is a number"`
	Dimension   int                 `yaml:"dimension" doc:"number of columns: of a LIBSVM file, default the largest index; of twonorm, ringnorm and linear, default as published"`
}

// UnmarshalText reads the name of a set.
func (s *Source) UnmarshalText(text []byte) error {
	*s = Source{Set: string(text)}
	if _, ok := FindSet(s.Set); !ok {
		return fmt.Errorf("must be a built-in set (%s) or a mapping with csv, parquet, arrow, libsvm or raetsch, is %q",
			strings.Join(SetNames(), ", "), text)
	}
	return nil
}

// Check reports a source that names nothing, or two things.
func (s Source) Check(report func(field, problem string)) {
	given := 0
	for _, p := range []string{s.Set, s.CSV, s.Parquet, s.Arrow, s.LIBSVM, s.Raetsch} {
		if p != "" {
			given++
		}
	}
	if given != 1 {
		report("", "must have exactly one of set, csv, parquet, arrow, libsvm and raetsch")
	}
	if s.Rows < 0 {
		report("rows", fmt.Sprintf("must be positive, is %d", s.Rows))
	}
	if s.Rows > 0 && !s.Generated() {
		report("rows", "is for generated sets: twonorm, ringnorm, waveform, census, wide, linear")
	}
	if s.Dimension < 0 {
		report("dimension", fmt.Sprintf("must be positive, is %d", s.Dimension))
	}
	switch {
	case s.Target == "":
	case s.Label != "":
		report("target", "is what is predicted, and so is label: give one of them")
	case s.Positive != "":
		report("positive", "is one of two classes, and target a number: give one of them")
	case (s.LIBSVM != "" || s.Raetsch != "") && s.Target != firstField:
		report("target", fmt.Sprintf("must be %s, the field before the columns, is %q", firstField, s.Target))
	}
	if s.ManyClasses() {
		switch {
		case s.Positive != "":
			report("positive", "is one of two classes, and with classes: all there is no such: leave one of them out")
		case s.HasTargets():
			report("classes", "is of labels, and these data have targets, which are numbers")
		}
	}
	if s.Separator != "" {
		if sign, err := s.separatorSign(); err != nil {
			report("separator", err.Error())
		} else if string(sign) == s.Decimal {
			report("separator", "is the decimal sign, too")
		}
	}
	if s.Comment != "" {
		sign, size := utf8.DecodeRuneInString(s.Comment)
		switch {
		case size != len(s.Comment) || strings.ContainsRune("\"\r\n\ufeff\ufffd", sign):
			report("comment", fmt.Sprintf("must be one character, is %q", s.Comment))
		case s.Comment == s.Separator || s.Separator == "" && strings.ContainsRune("\t;|, ", sign):
			report("comment", fmt.Sprintf("%q separates fields", s.Comment))
		}
	}
	if s.Decimal != "" && s.Decimal != "." && s.Decimal != "," {
		report("decimal", fmt.Sprintf("must be . or , and is %q", s.Decimal))
	}
	for _, name := range slices.Sorted(maps.Keys(s.MissingIn)) {
		if len(s.MissingIn[name]) == 0 {
			report("missing-in", fmt.Sprintf("names no value of column %s", name))
		}
	}
	table := s.CSV != "" || s.Parquet != "" || s.Arrow != ""
	for field, is := range map[string]struct{ given, read bool }{
		"label":       {s.Label != "", table},
		"target":      {s.Target != "", s.Own()},
		"id":          {s.ID != "", table},
		"drop":        {s.Drop != nil, table},
		"categorical": {s.Categorical != nil, table},
		"numeric":     {s.Numeric != nil, table},
		"missing":     {s.Missing != nil, table},
		"missing-in":  {s.MissingIn != nil, table},
		"separator":   {s.Separator != "", s.CSV != ""},
		"decimal":     {s.Decimal != "", s.CSV != ""},
		"comment":     {s.Comment != "", s.CSV != ""},
		"header":      {s.Header != nil, s.CSV != ""},
		"dimension":   {s.Dimension != 0, s.LIBSVM != "" || s.anyWidth()},
		"positive":    {s.Positive != "", s.Own()},
	} {
		if is.given && !is.read {
			report(field, "is not read for this source; simulate explain problem.data says which is for what")
		}
	}
}

// firstField is what the target is called in files whose columns have no names.
const firstField = "first"

// HasTargets says whether rows have targets, numbers to be predicted, and not classes.
func (s Source) HasTargets() bool {
	e, ok := FindSet(s.Set)
	return s.Target != "" || ok && e.targets
}

// ManyClasses says whether every value of the label is a class of its own, and not one of two.
func (s Source) ManyClasses() bool { return s.Classes == "all" }

// Generated says whether the data are drawn from the seed.
func (s Source) Generated() bool {
	e, ok := FindSet(s.Set)
	return ok && e.generate != nil
}

// Count is how many rows there are at most, before any is dropped; 0: it is known once they are read.
func (s Source) Count() int {
	e, ok := FindSet(s.Set)
	switch {
	case !ok:
		return 0
	case e.generate != nil && s.Rows > 0:
		return s.Rows
	}
	return e.Rows
}

// anyWidth says whether the set is generated in any number of columns.
func (s Source) anyWidth() bool {
	e, ok := FindSet(s.Set)
	return ok && e.anyWidth
}

// Own says whether the data are a file of the user's, not a built-in set.
func (s Source) Own() bool { return s.Set == "" }

// Load reads the set, or draws it from the stream. Built-in files are sought in
// dir, or where DataDirs says if that is empty.
func (s Source) Load(ctx context.Context, dir string, stream *sim.Stream) (*Set, error) {
	if s.Own() {
		set, _, err := s.Read(ctx)
		return set, err
	}
	e, ok := FindSet(s.Set)
	if !ok {
		return nil, fmt.Errorf("there is no built-in set %q; there are %s", s.Set, strings.Join(SetNames(), ", "))
	}
	var set *Set
	var err error
	if e.generate != nil {
		rows, columns := s.generates(e)
		if err := memory.Check(fmt.Sprintf("generating %d rows of %d columns", rows, columns),
			e.generating(rows, columns)); err != nil {
			return nil, err
		}
		set, err = e.generate(rows, columns, stream)
	} else {
		set, err = e.load(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	set.Name, set.Reading, set.Names = s.Set, nil, e.Names
	s.classify(set)
	return set, nil
}

// generates is how many rows and columns are generated.
func (s Source) generates(e *BuiltIn) (rows, columns int) {
	return cmp.Or(s.Rows, e.Rows), cmp.Or(s.Dimension, e.Columns)
}

// generating is how many bytes rows take as they are drawn; what becomes of them is checked when they are there. Sparse
// ones are drawn as texts.
func (b *BuiltIn) generating(rows, columns int) float64 {
	const perNumber = 8
	perRow := 32.0 // labels, classes, targets
	if b.Entries > 0 {
		perRow = 500
	}
	return float64(rows) * (perRow + float64(perNumber*float64(columns)))
}

// classify leaves a built-in set the classes that the source asks for: two, or all that it has.
func (s Source) classify(set *Set) {
	if !s.ManyClasses() {
		set.Class, set.Classes = nil, nil
		return
	}
	if set.Class == nil {
		set.Class, set.Classes = make([]int32, len(set.Y)), []string{"−1", "+1"}
		for i, y := range set.Y {
			if y > 0 {
				set.Class[i] = 1
			}
		}
	}
	set.Y = ones(len(set.Y))
}

// ones are the signs of rows that no sign is multiplied into.
func ones(n int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = 1
	}
	return y
}

// Read reads a user's file. It says what it has found even if that is no set.
func (s Source) Read(ctx context.Context) (*Set, *Reading, error) {
	for _, file := range []struct {
		path string
		read func(ctx context.Context, name string, text []byte) (*Set, *Reading, error)
	}{
		{s.CSV, s.readCSV}, {s.Parquet, s.readParquet}, {s.Arrow, s.readArrow}, {s.LIBSVM, s.readLIBSVM},
		{s.Raetsch, s.readRaetsch},
	} {
		if file.path == "" {
			continue
		}
		each := float64(memory.Rows)
		if file.path == s.CSV {
			each = 1 // its rows are checked where they are known
		}
		text, err := readFile(file.path, each)
		if err != nil {
			return nil, nil, err
		}
		return file.read(ctx, file.path, text)
	}
	return nil, nil, errors.New("no file is named")
}

// builder collects labelled rows whose labels are text, or rows with targets.
type builder struct {
	set     *Set
	targets bool
	all     bool    // every label is a class of its own
	rows    []int32 // class of each row
	classes []string
	count   []int // rows of each class
	sign    []int // of each class, as it is learned; 0: not
	number  map[string]int32
	cols    []int32
	vals    []float64
	most    int // rows that there will be at most; 0: not known

	counts  bool // it keeps no rows, but how many there were
	n       int  // of these
	entries int  // theirs
	partial bool // one of them has not all columns
}

func (s Source) newBuilder(d int) *builder {
	return &builder{set: &Set{X: NewRows(d)}, targets: s.Target != "", all: s.ManyClasses(),
		number: map[string]int32{}}
}

// put adds a value to the row under construction; zeros are left out.
func (b *builder) put(col int, v float64) {
	if v != 0 {
		b.cols = append(b.cols, int32(col))
		b.vals = append(b.vals, v)
	}
}

// end ends a row with a label.
func (b *builder) end(label string) error {
	if err := b.row(); err != nil {
		return err
	}
	k, ok := b.number[label]
	if !ok {
		k = int32(len(b.classes))
		label = strings.Clone(label) // it is part of the file's text
		b.number[label] = k
		b.classes, b.count, b.sign = append(b.classes, label), append(b.count, 0), append(b.sign, 0)
	}
	if !b.counts {
		b.rows = append(b.rows, k)
	}
	b.count[k]++
	return nil
}

// predict ends a row with a target.
func (b *builder) predict(target float64) error {
	if !b.counts {
		b.set.Targets = append(b.set.Targets, target)
	}
	return b.row()
}

// row enters the row under construction.
func (b *builder) row() error {
	if b.counts {
		b.n, b.entries, b.partial = b.n+1, b.entries+len(b.vals), b.partial || len(b.vals) < b.set.X.D
		b.cols, b.vals = b.cols[:0], b.vals[:0]
		return nil
	}
	if b.set.X.Entries()+len(b.cols) > math.MaxInt32 {
		return fmt.Errorf("there are more than %d values that are not zero", math.MaxInt32)
	}
	if x := b.set.X; x.Len() == 0 && len(b.vals) == x.D {
		x.Val = make([]float64, 0, b.most*x.D) // all columns: likely of all rows
	}
	b.set.X.Append(b.cols, b.vals)
	b.cols, b.vals = b.cols[:0], b.vals[:0]
	return nil
}

// read is how many entries the rows have, and whether each has all columns.
func (b *builder) read() (entries int, full bool) {
	if b.counts {
		return b.entries, !b.partial
	}
	return b.set.X.Entries(), b.set.X.full()
}

// finish turns the two labels into ±1: the positive one, or the greater one
// (as numbers if both are, else as text), is +1.
func (b *builder) finish(name, positive string) (*Set, error) {
	if b.targets {
		return b.predicted(name)
	}
	if len(b.classes) == 0 {
		return nil, fmt.Errorf("%s: there are no rows", name)
	}
	b.sortClasses(positive)
	if b.all {
		return b.several(name)
	}
	if positive == "" {
		positive = b.classes[len(b.classes)-1]
	}
	plus := slices.Index(b.classes, positive)
	switch {
	case len(b.classes) != 2:
		return nil, fmt.Errorf("%s: %s", name, b.notTwo())
	case alike(b.classes[0], b.classes[1]):
		return nil, fmt.Errorf("%s: the labels %q (%s) and %q (%s) are the same but for how they are written; write "+
			"them in one way", name, b.classes[0], Counted(b.count[0], "row"), b.classes[1],
			Counted(b.count[1], "row"))
	case plus < 0:
		return nil, fmt.Errorf("%s: positive: there is no label %q; the label takes two values, %s", name, positive,
			strings.Join(b.classes, " and "))
	}
	b.sign[plus], b.sign[1-plus] = 1, -1
	b.set.Name, b.set.Source = name, name
	b.set.Y = make([]float64, len(b.rows))
	for i, k := range b.rows {
		b.set.Y[i] = float64(b.sign[k])
	}
	return b.set, nil
}

// several is the set of rows with one of K classes.
func (b *builder) several(name string) (*Set, error) {
	real := 0
	for _, c := range b.classes {
		if x, class := (Source{}).parse(c); class == finite && x != math.Trunc(x) {
			real++
		}
	}
	switch n := len(b.classes); {
	case n == 1:
		return nil, fmt.Errorf("%s: %s", name, b.notTwo())
	case n > 2 && 2*real > n:
		return nil, fmt.Errorf("%s: the label takes %d values from %s to %s, which are no whole numbers: classes are "+
			"learned here, not real values; name another column with label, or if a number is to be predicted name "+
			"its column with target", name, n, b.classes[0], b.classes[n-1])
	case n > mostCategories:
		return nil, fmt.Errorf("%s: the label takes %d values, such as %q and %q; more than %d classes are not "+
			"learned: name another column with label, join some in the file, or if a number is to be predicted name "+
			"its column with target", name, n, b.classes[0], b.classes[n-1], mostCategories)
	}
	for k, c := range b.classes {
		for l, other := range b.classes[:k] {
			if alike(other, c) {
				return nil, fmt.Errorf("%s: the labels %q (%s) and %q (%s) are the same but for how they are written; "+
					"write them in one way", name, other, Counted(b.count[l], "row"), c, Counted(b.count[k], "row"))
			}
		}
	}
	b.set.Name, b.set.Source = name, name
	b.set.Y, b.set.Class, b.set.Classes = ones(len(b.rows)), b.rows, b.classes
	return b.set, nil
}

// predicted is the set of rows with targets.
func (b *builder) predicted(name string) (*Set, error) {
	t := b.set.Targets
	switch {
	case len(t) == 0:
		return nil, fmt.Errorf("%s: there are no rows", name)
	case slices.Min(t) == slices.Max(t):
		return nil, fmt.Errorf("%s: the target is %v in all of %s: there is nothing to be learned; is another column "+
			"the target?", name, t[0], Counted(len(t), "row"))
	}
	b.set.Name, b.set.Source = name, name
	b.set.Y = ones(len(t))
	return b.set, nil
}

// alike says whether two texts are the same number, or the same word but for capitals.
func alike(a, b string) bool {
	x, is := (Source{}).parse(a)
	y, too := (Source{}).parse(b)
	return strings.EqualFold(a, b) || is == finite && too == finite && x == y
}

// sortClasses puts the classes in order, the positive one last.
func (b *builder) sortClasses(positive string) {
	order := make([]int, len(b.classes))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(i, j int) int {
		if b.classes[i] == positive || b.classes[j] == positive {
			return cmp.Compare(btoi(b.classes[i] == positive), btoi(b.classes[j] == positive))
		}
		return compareLabels(b.classes[i], b.classes[j])
	})
	classes, count, now := make([]string, len(order)), make([]int, len(order)), make([]int32, len(order))
	for to, from := range order {
		classes[to], count[to], now[from] = b.classes[from], b.count[from], int32(to)
	}
	b.classes, b.count = classes, count
	for i, k := range b.rows {
		b.rows[i] = now[k]
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// notTwo says what can be done with labels that are not of two classes.
func (b *builder) notTwo() string {
	var each []string
	real, whole := true, len(b.classes) <= 10
	for k, c := range b.classes {
		each = append(each, fmt.Sprintf("%q (%s)", c, Counted(b.count[k], "row")))
		x, class := (Source{}).parse(c)
		real, whole = real && class == finite, whole && x == math.Trunc(x)
	}
	switch {
	case len(b.classes) == 1:
		return fmt.Sprintf("the label takes two values where something is to be learned; here it takes one, %s; is "+
			"another column the label?", each[0])
	case real && !whole:
		return fmt.Sprintf("the label must take two values; it takes %d numbers from %s to %s: classes are learned "+
			"here, not real values; name another column with label, or if a number is to be predicted name its column "+
			"with target", len(b.classes), b.classes[0], b.classes[len(b.classes)-1])
	}
	return fmt.Sprintf("the label must take two values; it takes %d: %s; two classes are learned here: name another "+
		"column with label, or add one that says whether a row is of one class or of the rest, or keep the rows of "+
		"two classes, or make each a class of its own with classes: all and the loss softmax or one-vs-rest; "+
		"if one means that there is no label name it in missing-in",
		len(b.classes), listed(each, 12))
}

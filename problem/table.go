// Tables: rows of text in named columns, and how their columns become numbers.

package problem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"overhear/internal/memory"
	"overhear/internal/stage"
)

// table is a file, or a generator's rows, before its columns are made numbers.
type table struct {
	name     string
	form     string // in words: separator, header, what was repaired
	columns  []string
	nameless []int        // columns that the file has no name for, though it has names
	types    []columnType // that the file declares; nil: it declares none
	guessed  bool         // whether the first line has names is not said, but found by whether a field is a number
	named    bool         // the first line has names
	known    [][]string   // categories that have an indicator even if no row has them; may be nil
	size     int64        // of what is read, in a unit of its own; 0: not known
	rows     int          // there are no more; 0: not known
	text     int64        // bytes of text that are held as long as it is read; 0: they were checked

	// each goes through the rows in order, and again when it is called again.
	each func(row func(r record) error) error

	// Of CSV: from goes through rows that are written like those of begin, the text itself.
	from  func(text io.Reader, row func(r record) error) error
	begin []byte
}

// record is a row. Its fields are valid until the next one.
type record struct {
	fields []string
	place  func(k int) string // of field k, to stand after the file's name in messages
	at     int64              // how much of the table was read when it was
}

// columnType is what the values of a column are.
type columnType int

const (
	undeclared columnType = iota
	numbers
	words
	unusable // such as times and lists
)

// mostCategories is how many a column may have without being declared categorical.
const mostCategories = 100

// fewestNumbered is the number of rows from which a column of whole numbers that all
// differ is taken for a numbering of the rows: among fewer, a measurement's may differ by chance.
const fewestNumbered = 20

// role is what a column is used for.
type role int

const (
	feature role = iota
	label
	target
	leftOut
	identity
)

// column is what the rows say about a column.
type column struct {
	name     string
	nameless bool // the file has no name for it
	role     role
	declared columnType // by the scenario, else by the file
	asked    bool       // the scenario says what it is
	unusable bool
	known    []string
	absent   []string // values that mean missing in this column, besides the table's

	missing  int            // rows in which it has no value
	unmissed map[string]int // how often each text for a missing value occurs

	// Values in all rows, by class.
	count  [classes]int
	first  [classes]seen
	words  []*seen // the first of them, each once
	ranges bool    // a word is a range, such as 20-29
	padded seen    // the first number that begins with a zero, as codes do
	small  int     // whole numbers below 1,000, in digits alone
	points int     // other numbers
	thirds int     // of these, how many would be whole numbers in thousands, were the point between them
	dates  int     // numbers that read as days, such as 20210314
	tiny   seen    // a number that is 0 only because it is too small
	exact  seen    // a whole number that is rounded because it has too many digits

	// Of the rows that are kept.
	least, most extreme
	codes       map[float64]int // how often a number occurs that often means that there is none
	lower       float64         // the least number of the others
	upper       float64         // the greatest
	whole       bool
	values      map[string]int // how often a category occurs
	integers    map[float64]struct{}
	repeats     bool

	at     int            // index of the first column it becomes
	offset map[string]int // of a category's indicator
}

// seen is a value, where it occurs first, and in how many rows, if that is counted.
type seen struct {
	place, text string
	row, times  int
}

// mostWords is how many different words of a column are told apart where it should have none.
const mostWords = 20

// extreme is the least or greatest number of a column and the one next to it.
type extreme struct {
	value, next float64
	times       int
}

// take takes in a number; sign is 1 where the greatest is sought and −1 where the least is.
func (e *extreme) take(x, sign float64) {
	switch {
	case x == e.value:
		e.times++
	case sign*x > sign*e.value:
		e.value, e.next, e.times = x, e.value, 1
	case sign*x > sign*e.next:
		e.next = x
	}
}

// numbers is how many values are numbers.
func (c *column) numbers() int { return c.count[finite] + c.count[percent] }

// total is how many values there are.
func (c *column) total() int {
	n := 0
	for _, k := range c.count {
		n += k
	}
	return n
}

// numeric says whether the column becomes one of numbers; it is decided when all rows have been seen.
func (c *column) numeric() bool {
	if c.declared != undeclared {
		return c.declared == numbers
	}
	return c.numbers() > 0
}

// survey is what a first pass over a table finds.
type survey struct {
	source   Source
	table    *table
	columns  []*column
	label    int
	read     int
	complete int
	lead     string   // label of the first row
	look     int      // after how many complete rows it is looked whether all fit
	draft    *builder // the rows, if their features have all been numbers; else nil

	ahead   bool    // rows are counted and not kept, to tell how large the set will be
	entries int     // of the rows so far, if they are counted
	perRow  float64 // bytes that a row of the table takes, by what the look said that said most
}

// survey goes through a table once. It returns what it has found with the error, if there is one; there is one if it
// has found no row.
func (s Source) survey(ctx context.Context, t *table) (*survey, error) {
	return s.surveyed(ctx, t, &survey{source: s, table: t, look: sampled})
}

// prospect is a survey that keeps no rows.
func (s Source) prospect(ctx context.Context, t *table) (*survey, error) {
	return s.surveyed(ctx, t, &survey{source: s, table: t, look: sampled, ahead: true})
}

func (s Source) surveyed(ctx context.Context, t *table, v *survey) (*survey, error) {
	for k, name := range t.columns {
		c := &column{name: name, whole: true, values: map[string]int{}, integers: map[float64]struct{}{},
			unmissed: map[string]int{}, codes: map[float64]int{}, lower: math.Inf(1), upper: math.Inf(-1)}
		c.least.value, c.least.next = math.Inf(1), math.Inf(1)
		c.most.value, c.most.next = math.Inf(-1), math.Inf(-1)
		c.nameless = slices.Contains(t.nameless, k)
		if t.types != nil {
			c.declared, c.unusable = t.types[k], t.types[k] == unusable
		}
		if t.known != nil {
			c.known = t.known[k]
		}
		v.columns = append(v.columns, c)
	}
	if err := v.assign(); err != nil {
		return v, err
	}
	v.draft = v.numbersAlone()
	values := make([]value, len(t.columns))
	err := t.through(ctx, "reading", func(r record) error {
		if v.read++; v.read == 1 {
			v.lead = strings.Clone(r.fields[v.label])
		}
		complete := true
		for k, text := range r.fields {
			c := v.columns[k]
			if c.role == leftOut || c.unusable {
				continue
			}
			values[k] = value{}
			if c.learned() {
				values[k].x, values[k].is = s.parse(text)
			}
			plain := values[k].isNumber() && s.Missing == nil && c.absent == nil // no text for a missing value is one
			if !plain && v.isMissing(c, text) {
				c.missing++
				c.unmissed[text]++
				complete = complete && c.role == identity
				continue
			}
			if c.learned() {
				c.note(s, r, v.read, k, text, values[k])
			}
		}
		if !complete {
			return nil
		}
		v.complete++
		for k, text := range r.fields {
			v.columns[k].keep(text, values[k])
		}
		v.enter(r, values)
		if v.complete == v.look { // again and again, as later rows may have more
			v.look *= 2
			return v.fits()
		}
		return nil
	})
	if err != nil {
		return v, err
	}
	if v.ahead && v.complete > 0 {
		_ = v.fits()
	}
	return v, v.judge()
}

// value is a field, read as a number.
type value struct {
	x  float64
	is class
}

func (v value) isNumber() bool { return v.is == finite || v.is == percent }

// learned says whether values are read as numbers: those of a feature or a target that is not said to be of words.
func (c *column) learned() bool {
	return (c.role == feature || c.role == target) && !(c.declared == words && c.asked)
}

// through goes through the rows and tells how far it is, until it is to stop.
func (t *table) through(ctx context.Context, doing string, row func(r record) error) error {
	const often = 1 << 16 // fields
	doing += " " + t.name
	since := often
	return t.each(func(r record) error {
		if since += len(r.fields); since >= often {
			since = 0
			if err := stage.At(ctx, doing, r.at, t.size); err != nil {
				return err
			}
		}
		return row(r)
	})
}

// numbersAlone is for rows whose features are all numbers, which are entered as they are read; nil: some are not.
func (v *survey) numbersAlone() *builder {
	b := v.source.newBuilder(0)
	for _, c := range v.columns {
		if c.role != feature {
			continue
		}
		if c.declared == words || c.known != nil {
			return nil
		}
		c.at = len(b.set.Columns)
		b.set.Columns = append(b.set.Columns, c.name)
	}
	b.set.X.D, b.most, b.counts = len(b.set.Columns), v.table.rows, v.ahead
	return b
}

// fits is an error for a text whose rows memory does not hold beside it, if all are as those so far.
func (v *survey) fits() error {
	t := v.table
	if t.text == 0 && !v.ahead {
		return nil
	}
	entries := 0 // of a row
	each := 12.0 // bytes
	for _, c := range v.columns {
		if c.role == feature {
			entries++
		}
	}
	if b := v.draft; b != nil {
		all, full := b.read()
		if full {
			each = 8
		}
		entries = all / v.complete
	}
	if v.ahead {
		v.perRow = max(v.perRow, each*float64(entries)*float64(v.complete)/float64(v.read))
		return nil
	}
	rows := float64(t.rows) * float64(v.complete) / float64(v.read)
	return memory.Check(fmt.Sprintf("%s, %s of text with about %.0f rows of %d values that are not 0,", t.name,
		memory.Text(float64(t.text)), rows, entries),
		memory.Resident(float64(t.text)+float64(each*rows*float64(entries))))
}

// enter enters a row that is kept, as long as all features were numbers.
func (v *survey) enter(r record, values []value) {
	if v.ahead {
		for k, c := range v.columns {
			if c.role == feature && !(values[k].isNumber() && values[k].x == 0) {
				v.entries++
			}
		}
	}
	b := v.draft
	if b == nil {
		return
	}
	for k, c := range v.columns {
		if c.role != feature {
			continue
		}
		if !values[k].isNumber() {
			v.draft = nil
			return
		}
		b.put(c.at, values[k].x)
	}
	if v.end(b, r.fields[v.label], values[v.label].x) != nil {
		v.draft = nil // as expanding will say
	}
}

// end ends a row with its label, or its target.
func (v *survey) end(b *builder, label string, target float64) error {
	if b.targets {
		return b.predict(target)
	}
	return b.end(label)
}

// isMissing says whether a text means that a column has no value. A column that names the rows has no codes: its 99 is
// a row's.
func (v *survey) isMissing(c *column, text string) bool {
	if c.role == identity {
		return text == ""
	}
	return v.source.isMissing(text) || v.source.isAmong(c.absent, text)
}

// assign finds the columns that the source names.
func (v *survey) assign() error {
	s, t := v.source, v.table
	given := map[int]string{}
	claim := func(key, name string, use func(c *column)) error {
		k, err := t.find(key, name)
		if err != nil {
			return err
		}
		if before, ok := given[k]; ok {
			return fmt.Errorf("%s: column %s is named by %s and by %s", t.name, t.columns[k], before, key)
		}
		given[k] = key
		use(v.columns[k])
		return nil
	}
	v.label = len(t.columns) - 1
	var problems error
	what, key, name := label, "label", s.Label
	if s.Target != "" {
		what, key, name = target, "target", s.Target
	}
	if name != "" {
		problems = claim(key, name, func(c *column) { v.label = slices.Index(v.columns, c) })
	}
	if s.ID != "" {
		problems = errors.Join(problems, claim("id", s.ID, func(c *column) { c.role = identity }))
	}
	for _, group := range []struct {
		key   string
		names []string
		use   func(c *column)
	}{
		{"drop", s.Drop, func(c *column) { c.role = leftOut }},
		{"categorical", s.Categorical, func(c *column) { c.declared, c.asked = words, true }},
		{"numeric", s.Numeric, func(c *column) { c.declared, c.asked = numbers, true }},
	} {
		for _, name := range group.names {
			problems = errors.Join(problems, claim(group.key, name, group.use))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.MissingIn)) {
		k, err := t.find("missing-in", name)
		switch {
		case err != nil:
			problems = errors.Join(problems, err)
		case v.columns[k].role == leftOut, v.columns[k].role == identity:
			problems = errors.Join(problems, fmt.Errorf("%s: missing-in: column %s is left out by %s, and needs no "+
				"value", t.name, v.columns[k].name, given[k]))
		default:
			v.columns[k].absent = append(v.columns[k].absent, s.MissingIn[name]...)
		}
	}
	if problems != nil {
		return problems
	}
	if c := v.columns[v.label]; c.role != feature || c.asked {
		return fmt.Errorf("%s: column %s is the label, the last column being that by default, and is named by %s; say "+
			"label: NAME", t.name, c.name, given[v.label])
	}
	v.columns[v.label].role = what
	if what == target {
		v.columns[v.label].declared, v.columns[v.label].asked = numbers, true
	}
	features := 0
	for _, c := range v.columns {
		if c.role == feature {
			features++
		}
	}
	if features == 0 {
		return fmt.Errorf("%s: no column is left to learn from", t.name)
	}
	return nil
}

// find is the index of a column, given its name or its number from 0.
func (t *table) find(key, name string) (int, error) {
	if k := slices.Index(t.columns, name); k >= 0 {
		return k, nil
	}
	if k, err := strconv.Atoi(name); err == nil && k >= 0 && k < len(t.columns) {
		return k, nil
	}
	return -1, fmt.Errorf("%s: %s: there is no column %q; there are %s", t.name, key, name, listed(t.columns, 50))
}

// listed are names, at most so many of them.
func listed(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// note counts a value of a row, kept or not, as what it is.
func (c *column) note(s Source, r record, row, k int, text string, v value) {
	x, is := v.x, v.is
	if is == word {
		is = s.shape(text)
	}
	here := func() seen { return seen{place: r.place(k), text: strings.Clone(text), row: row} }
	if c.count[is]++; c.count[is] == 1 {
		c.first[is] = here()
	}
	switch is {
	case finite:
		if c.padded.text == "" && isPadded(text) {
			c.padded = here()
		}
		if c.tiny.text == "" && isTiny(text, x) {
			c.tiny = here()
		}
		if c.exact.text == "" && math.Abs(x) >= mostExact && isRounded(text, x) {
			c.exact = here()
		}
		if isDay(text) {
			c.dates++
		}
		if !isWhole(text) {
			c.points++
			if isThirds(text) {
				c.thirds++
			}
		} else if len(strings.TrimPrefix(text, "-")) <= 3 {
			c.small++
		}
	case word:
		c.ranges = c.ranges || rangeForm.MatchString(text)
		if i := slices.IndexFunc(c.words, func(w *seen) bool { return w.text == text }); i >= 0 {
			c.words[i].times++
		} else if len(c.words) < mostWords {
			w := here()
			w.times = 1
			c.words = append(c.words, &w)
		}
	}
}

// isTiny says whether a number is 0 only because it is too small.
func isTiny(text string, x float64) bool {
	if x != 0 {
		return false
	}
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	return strings.ContainsAny(mantissa, "123456789")
}

// mostExact is the number up to which all whole numbers are floating-point numbers.
const mostExact = 1 << 53

// isRounded says whether a whole number is not the one that it is read as.
func isRounded(text string, x float64) bool {
	digits := strings.TrimLeft(text, "+-0")
	return strings.Trim(digits, "0123456789") == "" && digits != strconv.FormatFloat(math.Abs(x), 'f', 0, 64)
}

// isDay says whether a number reads as year, month and day.
func isDay(text string) bool {
	if len(text) != len("20060102") || text < "1900" || text >= "2101" {
		return false
	}
	_, err := time.Parse("20060102", text)
	return err == nil
}

// keep takes in a value of a row that is kept.
func (c *column) keep(text string, v value) {
	switch c.role {
	case leftOut:
		return
	case feature, target:
		if !c.learned() || !v.isNumber() {
			break
		}
		x := v.x
		c.least.take(x, -1)
		c.most.take(x, 1)
		if isCode(x) {
			c.codes[x]++
		} else {
			c.lower, c.upper = min(c.lower, x), max(c.upper, x)
		}
		if c.whole = c.whole && x == math.Trunc(x); !c.whole {
			c.integers = nil
		}
		if c.integers != nil {
			if _, ok := c.integers[x]; ok {
				c.integers, c.repeats = nil, true
			} else {
				c.integers[x] = struct{}{}
			}
		}
		if c.declared != words {
			return
		}
	}
	if n, ok := c.values[text]; ok {
		c.values[text] = n + 1
	} else {
		c.values[strings.Clone(text)] = 1 // the text is part of the file's
	}
}

// expand makes numbers of the columns, in a second pass if some are categorical: such a one becomes an indicator for
// each value that occurs, in order of name.
func (v *survey) expand(ctx context.Context) (*builder, error) {
	if b := v.draft; b != nil {
		b.set.Dropped = v.read - v.complete
		return b, nil
	}
	b := v.source.newBuilder(0)
	for _, c := range v.columns {
		c.at = len(b.set.Columns)
		switch {
		case c.role != feature:
		case c.numeric():
			b.set.Columns = append(b.set.Columns, c.name)
		default:
			for _, name := range c.categories() {
				c.offset[name] = len(b.set.Columns) - c.at
				b.set.Columns = append(b.set.Columns, c.name+"="+name)
			}
		}
	}
	b.set.X.D = len(b.set.Columns)
	err := v.table.through(ctx, "expanding the categories of", func(r record) error {
		for k, text := range r.fields {
			if c := v.columns[k]; c.role != leftOut && c.role != identity && v.isMissing(c, text) {
				return nil
			}
		}
		for k, text := range r.fields {
			switch c := v.columns[k]; {
			case c.role != feature:
			case c.numeric():
				x, _ := v.source.parse(text)
				b.put(c.at, x)
			default:
				b.put(c.at+c.offset[text], 1)
			}
		}
		var target float64
		if b.targets {
			target, _ = v.source.parse(r.fields[v.label])
		}
		return v.end(b, r.fields[v.label], target)
	})
	b.set.Dropped = v.read - v.complete
	return b, err
}

// categories are the values of a categorical column in order.
func (c *column) categories() []string {
	c.offset = map[string]int{}
	var names []string
	for name := range c.values {
		names = append(names, name)
	}
	names = append(names, c.known...)
	slices.Sort(names)
	return slices.Compact(names)
}

// fromTable makes a set of a table, and says how, even if it fails.
func (s Source) fromTable(ctx context.Context, t *table) (*Set, *Reading, error) {
	v, err := s.survey(ctx, t)
	if v.read == 0 {
		return nil, nil, err
	}
	reading := v.reading()
	if err != nil {
		return nil, reading, err
	}
	b, err := v.expand(ctx)
	if err != nil {
		return nil, reading, err
	}
	set, err := b.finish(t.name, s.Positive)
	reading.classes(b)
	reading.codes()
	if k := slices.Index(b.classes, v.lead); err != nil && t.guessed && !t.named && k >= 0 && b.count[k] == 1 {
		err = fmt.Errorf("%w; the first line was taken for a row, as it has a number; if it has names say "+
			"problem.data.header: true", err)
	}
	if err != nil {
		return nil, reading, err
	}
	set.Reading = reading
	return set, reading, nil
}

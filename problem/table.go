// Tables: rows of text in named columns, and how their columns become numbers.

package problem

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// table is a file, or a generator's rows, before its columns are made numbers.
type table struct {
	name    string
	form    string // in words: separator, header, what was repaired
	columns []string
	types   []columnType // that the file declares; nil: it declares none
	guessed bool         // the first line is taken for names because none of its fields is a number
	known   [][]string   // categories that have an indicator even if no row has them; may be nil

	// each goes through the rows in order, and again when it is called again.
	each func(row func(r record) error) error
}

// record is a row. Its fields are valid until the next one.
type record struct {
	fields []string
	place  func(k int) string // of field k, to stand after the file's name in messages
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
	leftOut
	identity
)

// column is what the rows say about a column.
type column struct {
	name     string
	role     role
	declared columnType // by the scenario, else by the file
	asked    bool       // the scenario says what it is
	unusable bool
	known    []string

	missing               int // rows in which it has no value
	numbers, words, wilds int // values in all rows; wild: not finite
	commas                int // words that are numbers with a decimal comma
	number, word, wild    seen
	unmissed              map[string]int // how often each text for a missing value occurs

	// Of the rows that are kept.
	least, most float64
	whole       bool
	values      map[string]int // how often a category occurs
	integers    map[float64]struct{}
	repeats     bool

	first  int            // index of the first column it becomes
	offset map[string]int // of a category's indicator
}

// seen is where a kind of value occurs first.
type seen struct{ place, text string }

// numeric says whether the column becomes one of numbers; it is decided when all rows have been seen.
func (c *column) numeric() bool {
	if c.declared != undeclared {
		return c.declared == numbers
	}
	return c.numbers > 0
}

// survey is what a first pass over a table finds.
type survey struct {
	source   Source
	table    *table
	columns  []*column
	label    int
	read     int
	complete int
}

// survey goes through a table once. It returns what it has found with the error, if there is one; there is one if it
// has found no row.
func (s Source) survey(t *table) (*survey, error) {
	v := &survey{source: s, table: t}
	for k, name := range t.columns {
		c := &column{name: name, whole: true, least: math.Inf(1), most: math.Inf(-1), values: map[string]int{},
			integers: map[float64]struct{}{}, unmissed: map[string]int{}}
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
	err := t.each(func(r record) error {
		v.read++
		complete := true
		for k, text := range r.fields {
			c := v.columns[k]
			if c.role == leftOut || c.unusable {
				continue
			}
			if s.isMissing(text) {
				c.missing++
				c.unmissed[text]++
				complete = complete && c.role == identity
				continue
			}
			if c.role == feature {
				c.note(s, r, k, text)
			}
		}
		if !complete {
			return nil
		}
		v.complete++
		for k, text := range r.fields {
			v.columns[k].keep(s, text)
		}
		return nil
	})
	if err != nil {
		return v, err
	}
	return v, v.judge()
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
	if s.Label != "" {
		problems = claim("label", s.Label, func(c *column) { v.label = slices.Index(v.columns, c) })
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
	if problems != nil {
		return problems
	}
	if c := v.columns[v.label]; c.role != feature || c.asked {
		return fmt.Errorf("%s: column %s is the label, the last column being that by default, and is named by %s; say "+
			"label: NAME", t.name, c.name, given[v.label])
	}
	v.columns[v.label].role = label
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

// note counts a value of a row, kept or not, as the type that it is of.
func (c *column) note(s Source, r record, k int, text string) {
	if c.declared == words && c.asked {
		return
	}
	_, class := s.parse(text)
	first := func(n *int, at *seen) {
		if *n++; *n == 1 {
			*at = seen{r.place(k), strings.Clone(text)}
		}
	}
	switch class {
	case finite:
		first(&c.numbers, &c.number)
	case wild:
		first(&c.wilds, &c.wild)
	default:
		first(&c.words, &c.word)
		if (Source{Decimal: ","}).isNumber(text) {
			c.commas++
		}
	}
}

// keep takes in a value of a row that is kept.
func (c *column) keep(s Source, text string) {
	switch c.role {
	case leftOut:
		return
	case feature:
		if c.declared == words && c.asked {
			break
		}
		x, class := s.parse(text)
		if class != finite {
			break
		}
		c.least, c.most = math.Min(c.least, x), math.Max(c.most, x)
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

// class is what a text is, read as a number.
type class int

const (
	word class = iota
	finite
	wild // infinite, not a number, or too large
)

// parse reads a number with the source's decimal sign.
func (s Source) parse(text string) (float64, class) {
	if s.Decimal == "," {
		if strings.Contains(text, ".") {
			return 0, word
		}
		text = strings.Replace(text, ",", ".", 1)
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && (math.IsNaN(x) || math.IsInf(x, 0)):
		return 0, wild
	case err != nil, strings.ContainsAny(text, "xX_"): // 0x1p4 and the like are Go's
		return 0, word
	}
	return x, finite
}

func (s Source) isNumber(text string) bool {
	_, class := s.parse(text)
	return class == finite
}

// missingValues mean that there is none, in capitals or not, unless a source has its own.
var missingValues = []string{"?", "na", "n/a", "nan", "-nan", "null", "<na>", "#n/a", "#na", `\n`}

func (s Source) isMissing(text string) bool {
	if text == "" {
		return true
	}
	if s.Missing != nil {
		return slices.Contains(s.Missing, text)
	}
	if len(text) > 4 {
		return false
	}
	return slices.ContainsFunc(missingValues, func(m string) bool { return strings.EqualFold(m, text) })
}

// judge says what keeps the table from being a set, all of it at once.
func (v *survey) judge() error {
	var problems []string
	if v.read == 0 {
		return fmt.Errorf("%s: there are no rows", v.table.name)
	}
	for _, c := range v.columns {
		if c.role != leftOut && c.role != identity && c.missing == v.read {
			problems = append(problems, fmt.Sprintf("%s: column %s has no value in any row; leave it out with drop: %s",
				v.table.name, c.name, list(c.name)))
			continue
		}
		if problem := v.question(c); problem != "" {
			problems = append(problems, v.table.name+problem)
		}
	}
	if problems != nil {
		if v.table.guessed && !slices.ContainsFunc(v.columns, func(c *column) bool { return c.numbers > 0 }) {
			problems = append(problems, v.table.name+": the first line was taken for names; if it is a row say "+
				"header: false")
		}
		return errors.New(strings.Join(problems, "\n"))
	}
	if v.complete == 0 {
		return fmt.Errorf("%s: there are no rows without missing values among %d; missing are %s", v.table.name, v.read,
			strings.Join(v.holes(), ", "))
	}
	return nil
}

// list is a YAML list of names.
func list(names ...string) string {
	var quoted []string
	for _, n := range names {
		if n == "" || n != strings.TrimSpace(n) || strings.ContainsAny(n, ",:[]{}#&*!|>'\"%@`\n\t\\?") ||
			slices.Contains([]string{"yes", "no", "true", "false", "null", "on", "off", "~"}, strings.ToLower(n)) {
			n = strconv.Quote(n)
		}
		quoted = append(quoted, n)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// holes says how often which column is missing.
func (v *survey) holes() []string {
	var all []string
	for _, c := range v.columns {
		if c.missing > 0 && c.role != identity {
			all = append(all, fmt.Sprintf("%s in %d", c.name, c.missing))
		}
	}
	return all
}

// question is what is to be asked about a feature before it can be used; "" if nothing is. It begins with the
// place in the file.
func (v *survey) question(c *column) string {
	if c.role == leftOut || !c.unusable && (c.role != feature || c.declared == words && c.asked) {
		return ""
	}
	total := c.numbers + c.words + c.wilds
	choose := fmt.Sprintf("categorical: %[1]s or drop: %[1]s", list(c.name))
	switch {
	case c.unusable:
		return fmt.Sprintf(": column %s holds values that are neither numbers nor words, such as times or lists; make "+
			"numbers of them, or leave it out with drop: %s", c.name, list(c.name))
	case c.asked && c.words > 0:
		return fmt.Sprintf("%s: %.40q is not a number, and column %s is declared numeric%s", c.word.place, c.word.text,
			c.name, v.commaHint(c))
	case c.wilds > 0 && c.numeric():
		return fmt.Sprintf("%s: %.40q is not a finite number (column %s)", c.wild.place, c.wild.text, c.name)
	case c.declared == words && c.words == 0 && c.numbers > 0:
		return fmt.Sprintf(": column %s is text in the file, though all of its %d values are numbers; say numeric: %s "+
			"or %s",
			c.name, total, list(c.name), choose)
	case c.commas > 0 && c.commas == c.words:
		return fmt.Sprintf("%s: %.40q in column %s reads as a number with a decimal comma%s; if its commas "+
			"are between thousands, take them out", c.word.place, c.word.text, c.name, v.commaHint(c))
	case c.declared == undeclared && c.numbers > 0 && c.words > 0 && c.numbers >= c.words:
		return fmt.Sprintf("%s: %.40q is not a number, but %d of the %d values of column %s are; if it means that "+
			"there is none, say missing: %s, else correct it or say %s", c.word.place, c.word.text, c.numbers, total,
			c.name,
			list(v.missingWith(c.word.text)...), choose)
	case c.declared == undeclared && c.numbers > 0 && c.words > 0:
		return fmt.Sprintf("%s: %.40q is a number, but %d of the %d values of column %s are words; say %s",
			c.number.place,
			c.number.text, c.words, total, c.name, choose)
	case c.asked:
		return ""
	case c.numeric():
		if len(c.integers) == v.complete && v.complete >= fewestNumbered {
			return fmt.Sprintf(": column %s has as many values as rows, %d whole numbers from %v to %v: if they "+
				"number the rows say id: %s, if they measure something numeric: %s", c.name, v.complete, c.least,
				c.most, c.name,
				list(c.name))
		}
	case len(c.values) == v.complete && v.complete > 2:
		return fmt.Sprintf(": column %s has as many values as rows, %d, such as %.40q; if they name the rows say id: "+
			"%s, else %s; expanding it would make %d columns", c.name, v.complete, c.word.text, c.name, choose,
			v.complete)
	case len(c.values) > mostCategories:
		return fmt.Sprintf(": column %s has %d categories in %d rows, such as %.40q; more than %d are not expanded "+
			"unasked: say %s, or join some in the file", c.name, len(c.values), v.complete, c.word.text,
			mostCategories, choose)
	}
	return ""
}

func (v *survey) commaHint(c *column) string {
	if c.commas == 0 || v.source.Decimal == "," {
		return ""
	}
	return `; say decimal: ","`
}

// missingWith are the texts for missing values that occur, and one more.
func (v *survey) missingWith(text string) []string {
	all := []string{text}
	for _, c := range v.columns {
		for m := range c.unmissed {
			if m != "" {
				all = append(all, m)
			}
		}
	}
	slices.Sort(all[1:])
	return slices.Compact(all)
}

// expand makes numbers of the columns in a second pass: a categorical one becomes an indicator for each value that
// occurs, in order of name.
func (v *survey) expand() (*builder, error) {
	b := newBuilder(0)
	for _, c := range v.columns {
		c.first = len(b.set.Columns)
		switch {
		case c.role != feature:
		case c.numeric():
			b.set.Columns = append(b.set.Columns, c.name)
		default:
			for _, name := range c.categories() {
				c.offset[name] = len(b.set.Columns) - c.first
				b.set.Columns = append(b.set.Columns, c.name+"="+name)
			}
		}
	}
	b.set.X.D = len(b.set.Columns)
	err := v.table.each(func(r record) error {
		for k, text := range r.fields {
			if role := v.columns[k].role; (role == feature || role == label) && v.source.isMissing(text) {
				return nil
			}
		}
		for k, text := range r.fields {
			switch c := v.columns[k]; {
			case c.role != feature:
			case c.numeric():
				x, _ := v.source.parse(text)
				b.put(c.first, x)
			default:
				b.put(c.first+c.offset[text], 1)
			}
		}
		return b.end(r.fields[v.label])
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
func (s Source) fromTable(t *table) (*Set, *Reading, error) {
	v, err := s.survey(t)
	if v.read == 0 {
		return nil, nil, err
	}
	reading := v.reading()
	if err != nil {
		return nil, reading, err
	}
	b, err := v.expand()
	if err != nil {
		return nil, reading, err
	}
	set, err := b.finish(t.name, s.Positive)
	reading.classes(b)
	if err != nil {
		return nil, reading, err
	}
	set.Reading = reading
	return set, reading, nil
}

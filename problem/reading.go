// What reading did: rows, columns, classes and scaling, in words and for run.json.

package problem

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Reading says how a user's file became a set.
type Reading struct {
	File        string         `json:"file"`
	Form        string         `json:"form"`         // how it is written, in words
	RowsRead    int            `json:"rows_read"`    // without the line of names
	RowsDropped int            `json:"rows_dropped"` // because a value was missing
	Missing     map[string]int `json:"missing"`      // rows without a value, by column
	LeftOut     []string       `json:"left_out"`     // columns that are not learned from
	Expanded    map[string]int `json:"expanded"`     // categorical columns: number of indicators
	Constant    []string       `json:"constant"`     // columns of one value
	Columns     int            `json:"columns"`      // that the others became
	Label       string         `json:"label"`        // or target
	Classes     []Class        `json:"classes"`      // −1 first; of a target none
	Target      *Target        `json:"target"`       // null: rows have classes
	ScaledBy    string         `json:"scaled_by"`    // the rows that say what is divided by what: training, all or none
	Scaling     string         `json:"scaling"`      // preparation in words
	Notes       []string       `json:"notes"`

	about []about
}

// Class is one value of the label.
type Class struct {
	Label string `json:"label"`
	Sign  int    `json:"sign"` // as it is learned; 0: not
	Rows  int    `json:"rows"`
}

// Target is what is known of a number to be predicted, as it is in the file.
type Target struct {
	Least    float64 `json:"least"`
	Greatest float64 `json:"greatest"`
	Unit     float64 `json:"unit"` // what it is divided by; 1: nothing
}

// about is a line on a column of the file.
type about struct{ name, use, values, missing string }

// reading is what the survey can tell, so far as it went.
func (v *survey) reading() *Reading {
	r := &Reading{File: v.table.name, Form: v.table.form, RowsRead: v.read, RowsDropped: v.read - v.complete,
		Missing: map[string]int{}, LeftOut: []string{}, Expanded: map[string]int{}, Constant: []string{},
		Classes: []Class{}, Notes: []string{}, Label: v.table.columns[v.label]}
	if note := v.guess(); note != "" {
		r.Notes = append(r.Notes, v.table.name+": "+note)
	}
	if dropped := v.read - v.complete; 2*dropped > v.read {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %d of %s are dropped for a missing value; missing are %s; leave "+
			"such columns out with drop to keep more", v.table.name, dropped, Counted(v.read, "row"),
			listed(v.holes(), 12)))
	}
	for _, c := range v.columns {
		line := about{name: c.name, missing: fmt.Sprint(c.missing)}
		if c.missing > 0 {
			r.Missing[c.name] = c.missing
		}
		switch {
		case c.role == leftOut:
			line.use, line.missing = "left out", "not read"
			r.LeftOut = append(r.LeftOut, c.name)
		case c.role == identity:
			line.use, line.values = "names the rows; left out", Counted(len(c.values), "value")
			r.LeftOut = append(r.LeftOut, c.name)
			if v.complete > len(c.values) {
				r.Notes = append(r.Notes, fmt.Sprintf("%s: some values of %s stand in several rows; what a method "+
					"claims for a row it does not claim for all the rows of one %s, and training and test rows may "+
					"share one",
					v.table.name, c.name, c.name))
			}
		case c.role == label:
			line.use, line.values = "label", Counted(len(c.values), "class")
		case c.role == target && v.question(c) == "":
			line.use = "target"
			if v.complete > 0 {
				line.values = fmt.Sprintf("from %v to %v", c.least.value, c.most.value)
			}
			for _, note := range v.notes(c) {
				r.Notes = append(r.Notes, fmt.Sprintf("%s: target %s: %s", v.table.name, c.name, note))
			}
		case v.question(c) != "":
			line.use, line.values = "to be decided", c.mix()
		case c.numeric():
			line.use = "numbers"
			if c.count[percent] > 0 {
				line.use = "numbers, in percent"
			}
			for _, note := range v.notes(c) {
				r.Notes = append(r.Notes, fmt.Sprintf("%s: column %s: %s", v.table.name, c.name, note))
			}
			if v.complete > 0 {
				line.values = fmt.Sprintf("from %v to %v", c.least.value, c.most.value)
			}
			if c.least.value == c.most.value {
				line.use += ", constant"
				r.Constant = append(r.Constant, c.name)
			}
			r.Columns++
		default:
			n := len(c.categories())
			line.use, line.values = "categories", Counted(n, "indicator")
			r.Expanded[c.name] = n
			r.Columns += n
			if n == 1 {
				line.use = "categories, constant"
				r.Constant = append(r.Constant, c.name)
			}
			if a, b := c.alike(); a != "" {
				r.Notes = append(r.Notes, fmt.Sprintf("%s: column %s: %q and %q differ in how they are written "+
					"only, and are two categories", v.table.name, c.name, a, b))
			}
		}
		r.about = append(r.about, line)
	}
	return r
}

// mix says how many values are numbers and how many are not.
func (c *column) mix() string {
	others := c.total() - c.numbers()
	switch {
	case others == 0:
		return Counted(c.numbers(), "number")
	case c.numbers() == 0:
		return Counted(others, "value") + ", no numbers"
	}
	return fmt.Sprintf("%s, %s", Counted(c.numbers(), "number"), Counted(others, "other value"))
}

// guess says what was guessed of the first line, where the guess may well be wrong.
func (v *survey) guess() string {
	switch {
	case !v.table.guessed:
	case !v.table.named:
		return fmt.Sprintf("the first line has a number and was taken for a row; the columns are called %s; say "+
			"header: false if that is so, header: true if it has names", listed(v.table.columns, 3))
	case !slices.ContainsFunc(v.columns, (*column).reads):
		return "no column has numbers, and the first line was taken for names; say problem.data.header: true if that " +
			"is so, header: false if it is a row"
	}
	return ""
}

// isCode says whether a number is used in many files where there is no value: 9, 99, … 99999, the same of 8 and of 7,
// and their negatives.
func isCode(x float64) bool {
	x = math.Abs(x)
	if x < 7 || x > 99999 || x != math.Trunc(x) {
		return false
	}
	digits := strconv.Itoa(int(x))
	return digits[0] >= '7' && strings.Trim(digits, digits[:1]) == ""
}

// notes are what may be wrong with a column of numbers, and is not asked about.
func (v *survey) notes(c *column) []string {
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if codes := c.farCodes(); codes != nil {
		say("%s", c.aboutCodes(codes))
	} else if e, from, to := c.giant(); e.times > 0 {
		say("%v, in %s, is more than a million times as large as all other values, which are from %v to %v; scaling "+
			"makes these next to nothing; if it is wrong correct it", e.value, Counted(e.times, "row"), from, to)
	}
	if c.tiny.text != "" {
		say("%.40q (%s) is too small for a floating-point number, and is read as 0", c.tiny.text,
			strings.TrimLeft(c.tiny.place, ": "))
	}
	if c.exact.text != "" {
		x, _ := v.source.parse(c.exact.text)
		say("%.40q (%s) has more digits than a floating-point number keeps, and is read as %s; if it is a name or a "+
			"code say id: %s, or %s", c.exact.text, strings.TrimLeft(c.exact.place, ": "),
			strconv.FormatFloat(x, 'f', 0, 64), scalar(c.name), c.choose())
	}
	if c.declared == numbers && c.asked {
		return all
	}
	if c.dates == c.total() {
		say("all values are days written as numbers, such as %s, and are learned from as numbers: from the end of a "+
			"month to the next day is far; make an age of them, or the days since the first; if they are no days say "+
			"numeric: %s", c.first[finite].text, list(c.name))
	}
	if v.source.Decimal == "" && v.table.types == nil && c.points >= 3 && c.thirds == c.total() {
		say("all values have three digits after the point, such as %s; if it stands between thousands take it out in "+
			"the file, if it is the decimal sign say numeric: %s", c.first[finite].text, list(c.name))
	}
	return all
}

// aboutCodes says where the values of a column are that may mean that there is none.
func (c *column) aboutCodes(codes []float64) string {
	var each, numerals []string
	for _, x := range codes {
		each = append(each, fmt.Sprintf("%v, in %s,", x, Counted(c.codes[x], "row")))
		numerals = append(numerals, fmt.Sprint(x))
	}
	is, means := "is", "it means"
	if len(codes) > 1 {
		is, means = "are", "they mean"
	}
	from, to := c.lower, c.upper
	for x := range c.codes {
		if !slices.Contains(codes, x) {
			from, to = min(from, x), max(to, x)
		}
	}
	return fmt.Sprintf("%s %s far from all other values, which are from %v to %v; if %s that there is none say "+
		"missing-in: {%s: [%s]}", strings.Join(each, " and "), is, from, to, means, scalar(c.name),
		strings.Join(numerals, ", "))
}

// farCodes are the numbers of a column that often mean that there is no value, and are far from the others: farther
// than these are from each other, or half as far and in several rows. Those of one digit must be in several rows.
func (c *column) farCodes() []float64 {
	if math.IsInf(c.lower, 0) {
		return nil // there are no others
	}
	byDistance := slices.SortedFunc(maps.Keys(c.codes), func(a, b float64) int {
		return cmp.Compare(math.Abs(a), math.Abs(b))
	})
	var all []float64
	for _, sign := range []float64{-1, 1} {
		near, other := c.lower, c.upper
		if sign > 0 {
			near, other = other, near
		}
		found := false
		for _, x := range byDistance {
			if float64(sign*x) <= float64(sign*near) {
				continue
			}
			gap, width := math.Abs(x-near), math.Abs(near-other)
			found = found || math.Abs(x) > 9 && gap > width || c.codes[x] > 1 && gap >= 2 && gap >= width/2
			if found {
				all = append(all, x)
			} else {
				near = x // a value like the others
			}
		}
	}
	return all
}

// giant is a value beside which all others are next to nothing, and from where to where these are.
func (c *column) giant() (e extreme, from, to float64) {
	for _, side := range []struct{ extreme, other extreme }{{c.least, c.most}, {c.most, c.least}} {
		near, other := side.extreme.next, side.other.value
		size := max(math.Abs(near), math.Abs(other))
		if !math.IsInf(near, 0) && size > 0 && math.Abs(side.extreme.value)/1e6 > size {
			return side.extreme, min(near, other), max(near, other)
		}
	}
	return extreme{}, 0, 0
}

// alike are two categories that are the same but for how they are written.
func (c *column) alike() (string, string) {
	byFold := map[string]string{}
	for _, name := range c.categories() {
		key := strings.ToLower(strings.Join(strings.Fields(name), " "))
		if x, is := (Source{}).parse(name); is == finite {
			key = fmt.Sprint(x)
		}
		if before, ok := byFold[key]; ok {
			return before, name
		}
		byFold[key] = name
	}
	return "", ""
}

// reading is what there is to tell of a file whose columns are numbers and have no names.
func (b *builder) reading(file, form string) *Reading {
	r := &Reading{File: file, Form: form, RowsRead: b.set.X.Len(), Missing: map[string]int{}, LeftOut: []string{},
		Expanded: map[string]int{}, Constant: []string{}, Notes: []string{}, Columns: b.set.X.D,
		Label: "the first field"}
	r.classes(b)
	return r
}

// classes counts the labels, or says from where to where the targets are.
func (r *Reading) classes(b *builder) {
	r.Classes = []Class{}
	if t := b.set.Targets; len(t) > 0 {
		r.Target = &Target{Least: slices.Min(t), Greatest: slices.Max(t), Unit: 1}
	}
	for k, label := range b.classes {
		r.Classes = append(r.Classes, Class{Label: label, Sign: b.sign[k], Rows: b.count[k]})
	}
}

// codes notes a class whose label is a number that often means that there is no value; of one digit only if it is
// negative.
func (r *Reading) codes() {
	for _, c := range r.Classes {
		x, is := (Source{}).parse(c.Label)
		if is != finite || c.Sign == 0 || !isCode(x) || 0 < x && x < 10 {
			continue
		}
		r.Notes = append(r.Notes, fmt.Sprintf("%s: label %s: %s, in %s, is learned as %s; if it means that there is "+
			"no label say missing-in: {%s: [%v]}", r.File, r.Label, c.Label, Counted(c.Rows, "row"),
			map[int]string{1: "+1", -1: "−1"}[c.Sign], scalar(r.Label), x))
	}
}

// Summary is one line on the rows and one on the classes, or on the target.
func (r *Reading) Summary() (rows, labels string) {
	rows = Counted(r.RowsRead, "row") + " read, none dropped"
	if r.RowsDropped > 0 {
		rows = fmt.Sprintf("%s read, %d dropped for a missing value", Counted(r.RowsRead, "row"), r.RowsDropped)
	}
	if t := r.Target; t != nil {
		return rows, fmt.Sprintf("%s from %v to %v", r.Label, t.Least, t.Greatest)
	}
	return rows, r.balance()
}

func (r *Reading) balance() string {
	var each []string
	asIs := !slices.ContainsFunc(r.Classes, func(c Class) bool { // they are what they are learned as
		x, is := (Source{}).parse(c.Label)
		return is != finite || c.Sign == 0 || x != float64(c.Sign)
	})
	for _, c := range r.Classes {
		name, sign := c.Label, map[int]string{1: "+1", -1: "−1"}[c.Sign]
		switch {
		case asIs:
			name = sign
		case sign != "":
			name += " (" + sign + ")"
		}
		each = append(each, fmt.Sprintf("%s %d", name, c.Rows))
	}
	return strings.Join(each, ", ")
}

// Fit says in a few words which rows say what columns are divided by.
func (r *Reading) Fit() string {
	switch r.ScaledBy {
	case "training":
		return "by training rows only"
	case "all":
		return "by all rows"
	}
	return "none of columns"
}

// Indicator is the categorical column, and its value, of which a column is the indicator. A number's name may
// have a sign of equality in it, and a categorical column's may.
func (s *Set) Indicator(column int) (of, value string, ok bool) {
	name := s.Columns[column]
	if s.Reading == nil {
		return strings.Cut(name, "=")
	}
	for c := range s.Reading.Expanded {
		if v, is := strings.CutPrefix(name, c+"="); is && len(c) >= len(of) {
			of, value, ok = c, v, true
		}
	}
	return of, value, ok
}

// FromRows says whether preparation has taken something from the rows that a release of the model would tell.
func (r *Reading) FromRows() bool { return r.ScaledBy != "none" || len(r.Expanded) > 0 }

// Uncovered is what an ε does not cover of what was read.
func (r *Reading) Uncovered() string { return Uncovered(r.Target != nil) }

// Write tells everything about the file, of many columns unless all are asked for only the first.
func (r *Reading) Write(w io.Writer, all bool) error {
	fmt.Fprintf(w, "%s: %s\n", r.File, r.Form)
	rows, classes := r.Summary()
	fmt.Fprintf(w, "%s; %s to learn from, besides the intercept\n", rows, Counted(r.Columns, "column"))
	if r.Target != nil {
		fmt.Fprintf(w, "target %s\n", classes)
	}
	if len(r.Classes) > 0 {
		fmt.Fprintf(w, "label %s: %s\n", r.Label, listed(strings.Split(classes, ", "), 12))
	}
	if len(r.about) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "\ncolumn\tuse\tvalues\trows without")
		first, more := r.about, []about(nil)
		if !all && len(first) > mostColumns {
			first, more = first[:fewColumns], first[fewColumns:]
		}
		for _, a := range first {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", a.name, a.use, a.values, a.missing)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		if more != nil {
			last := more[len(more)-1].name
			fmt.Fprintf(w, "and %d more, up to %s: %s; --all shows them\n", len(more), last, uses(more))
		}
	}
	if r.Scaling != "" {
		fmt.Fprintf(w, "\nscaling: %s\n", r.Scaling)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	return nil
}

// mostColumns are how many columns are shown one by one; of more than that, fewColumns are.
const mostColumns, fewColumns = 100, 20

// uses says how many columns have which use, and how many are without a value in some row.
func uses(all []about) string {
	var names []string
	count, without := map[string]int{}, 0
	for _, a := range all {
		if count[a.use]++; count[a.use] == 1 {
			names = append(names, a.use)
		}
		if a.missing != "0" && a.missing != "" {
			without++
		}
	}
	for k, name := range names {
		names[k] = fmt.Sprintf("%d %s", count[name], name)
	}
	if without > 0 {
		names = append(names, fmt.Sprintf("%d without a value in some rows", without))
	}
	return strings.Join(names, ", ")
}

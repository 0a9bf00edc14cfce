// What reading did: rows, columns, classes and scaling, in words and for run.json.

package problem

import (
	"fmt"
	"io"
	"math"
	"slices"
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
	Label       string         `json:"label"`
	Classes     []Class        `json:"classes"`   // −1 first
	ScaledBy    string         `json:"scaled_by"` // the rows that say what columns are divided by: training, all or none
	Scaling     string         `json:"scaling"`   // preparation in words
	Notes       []string       `json:"notes"`

	about []about
}

// Class is one value of the label.
type Class struct {
	Label string `json:"label"`
	Sign  int    `json:"sign"` // as it is learned; 0: not
	Rows  int    `json:"rows"`
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
		case v.question(c) != "":
			line.use, line.values = "to be decided", c.mix()
		case c.numeric():
			line.use = "numbers"
			if c.count[percent] > 0 {
				line.use = "numbers, in percent"
			}
			if note := c.outlier(); note != "" {
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
		return "no column has numbers, and the first line was taken for names; say header: true if that is so, " +
			"header: false if it is a row"
	}
	return ""
}

// missingNumbers are used in many files where there is no value.
var missingNumbers = []float64{-99, -999, -9999, -99999, 999, 9999, 99999}

// outlier says that a number which often means that there is no value is far from all others.
func (c *column) outlier() string {
	for _, e := range []struct{ extreme, other extreme }{{c.least, c.most}, {c.most, c.least}} {
		x := e.extreme.value
		if slices.Contains(missingNumbers, x) && !math.IsInf(e.extreme.next, 0) &&
			math.Abs(x-e.extreme.next) > math.Abs(e.extreme.next-e.other.value) {
			return fmt.Sprintf("%v, in %s, is far from all other values, which are from %v to %v; if it means that "+
				"there is none name it in missing", x, Counted(e.extreme.times, "row"),
				math.Min(e.extreme.next, e.other.value), math.Max(e.extreme.next, e.other.value))
		}
	}
	return ""
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
	r := &Reading{File: file, Form: form, RowsRead: len(b.rows), Missing: map[string]int{}, LeftOut: []string{},
		Expanded: map[string]int{}, Constant: []string{}, Notes: []string{}, Columns: b.set.X.D,
		Label: "the first field"}
	r.classes(b)
	return r
}

// classes counts the labels.
func (r *Reading) classes(b *builder) {
	r.Classes = []Class{}
	for k, label := range b.classes {
		r.Classes = append(r.Classes, Class{Label: label, Sign: b.sign[k], Rows: b.count[k]})
	}
}

// Summary is one line on the rows and one on the classes.
func (r *Reading) Summary() (rows, classes string) {
	rows = Counted(r.RowsRead, "row") + " read, none dropped"
	if r.RowsDropped > 0 {
		rows = fmt.Sprintf("%s read, %d dropped for a missing value", Counted(r.RowsRead, "row"), r.RowsDropped)
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

// FromRows says whether preparation has taken something from the rows that a release of the model would tell.
func (r *Reading) FromRows() bool { return r.ScaledBy != "none" || len(r.Expanded) > 0 }

// Write tells everything about the file.
func (r *Reading) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s\n", r.File, r.Form)
	rows, classes := r.Summary()
	fmt.Fprintf(w, "%s; %s to learn from, besides the intercept\n", rows, Counted(r.Columns, "column"))
	if len(r.Classes) > 0 {
		fmt.Fprintf(w, "label %s: %s\n", r.Label, listed(strings.Split(classes, ", "), 12))
	}
	if len(r.about) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "\ncolumn\tuse\tvalues\trows without")
		for _, a := range r.about {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", a.name, a.use, a.values, a.missing)
		}
		if err := t.Flush(); err != nil {
			return err
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

// Tables of classes with numbers, as CSV: what is wrong with them, and where.

package sim

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"overhear/internal/memory"
)

// table reads a file and collects what is wrong with it.
type table struct {
	file     string
	problems []error
	more     int // of them, not listed
}

const mostProblems = 10

// report notes what is wrong with a cell; one without a line stands for the whole file.
func (t *table) report(c cell, format string, args ...any) {
	if len(t.problems) == mostProblems {
		t.more++
		return
	}
	place := ""
	switch {
	case c.line > 0:
		place = fmt.Sprintf("%s:%d:%d: ", t.file, c.line, c.column)
	case t.file != "":
		place = t.file + ": "
	}
	t.problems = append(t.problems, errors.New(place+fmt.Sprintf(format, args...)))
}

func (t *table) result() error {
	if t.more > 0 {
		t.problems = append(t.problems, fmt.Errorf("and %d more", t.more))
	}
	return errors.Join(t.problems...)
}

// rows are the lines of a table with so many columns of which the first so many are words and the rest numbers, with
// the line that names them, if there is one, apart. Form says what a line is, for the errors.
func (t *table) rows(in io.Reader, words, width int, form string) (header []cell, rows [][]cell) {
	rows, err := readTable(t.file, in)
	switch {
	case err != nil:
		t.problems = append(t.problems, err)
		return nil, nil
	case len(rows) == 0:
		t.report(cell{}, "the file is empty; it must have lines %s", form)
		return nil, nil
	}
	if first := rows[0]; width == 1 && len(first) > 1 && !numeric(first[0].text) { // a name with blanks: time (ms)
		for _, c := range first[1:] {
			first[0].text += " " + c.text
		}
		rows[0] = first[:1]
	}
	named := len(rows[0]) >= width
	for _, c := range rows[0][min(words, len(rows[0])):] {
		named = named && strings.IndexFunc(c.text, unicode.IsLetter) == 0 && !numeric(c.text)
	}
	if named {
		header, rows = rows[0], rows[1:]
		if len(rows) == 0 {
			t.report(header[0], "there are no lines below the names of the columns; they must be %s", form)
		}
	}
	for _, row := range rows {
		if len(row) != width {
			hint := ""
			if header != nil && header[0].text == "" {
				hint = "; the first column is an index: write the file without it (pandas: index=False)"
			}
			t.report(row[0], "has %d fields; a line is %s, with numbers like 1.5, not 1,5%s", len(row), form, hint)
		}
	}
	if t.problems == nil && header != nil {
		header, rows = t.byName(header, rows, strings.Split(form, ","))
	}
	if t.problems != nil {
		return nil, nil
	}
	return header, rows
}

// byName puts columns whose names are those of a form, but in another order, into the form's.
func (t *table) byName(header []cell, rows [][]cell, form []string) ([]cell, [][]cell) {
	at := make([]int, len(form)) // in the file
	found, moved := 0, false
	for k, name := range form {
		at[k] = slices.IndexFunc(header, func(c cell) bool { return firstWord(c.text) == name })
		if at[k] >= 0 {
			found++
			moved = moved || at[k] != k
		}
	}
	switch {
	case !moved:
		return header, rows
	case found < len(form):
		t.report(header[0], "the columns are named %s, some as in %s and in other places: give them these names, or "+
			"put them in this order", namesOf(header), strings.Join(form, ","))
		return nil, nil
	}
	in := func(row []cell) []cell {
		put := make([]cell, len(at))
		for k, from := range at {
			put[k] = row[from]
		}
		return put
	}
	for k, row := range rows {
		rows[k] = in(row)
	}
	return in(header), rows
}

// firstWord is a name's, in small letters: from of "From (s)" and from_s.
func firstWord(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return !unicode.IsLetter(c) })
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// namesOf are those of columns, as a line.
func namesOf(header []cell) string {
	var names []string
	for _, c := range header {
		names = append(names, c.text)
	}
	return strings.Join(names, ",")
}

// number reads one; said is false where it is none, of which is told.
func (t *table) number(c cell, what string) (x float64, said bool) {
	x, err := strconv.ParseFloat(c.text, 64)
	switch {
	case c.text == "":
		t.report(c, "%s is missing", what)
	case (err != nil && !errors.Is(err, strconv.ErrRange)) || math.IsNaN(x):
		hint := ""
		if strings.ContainsAny(c.text, ",") {
			hint = ": write 1.5, not 1,5"
		} else if strings.ContainsAny(c.text, ":TZ") || strings.Count(c.text, "-") == 2 {
			hint = ": dates and times of day are to be made numbers"
		}
		t.report(c, "%s must be a number, is %q%s", what, c.text, hint)
	case math.IsInf(x, 0):
		t.report(c, "%s must be finite, is %s", what, c.text)
	default:
		return x, true
	}
	return 0, false
}

// unit checks that a column's name, if it says one, says the same unit as its key does.
func (t *table) unit(header []cell, column int, unit Duration) {
	if header == nil {
		return
	}
	name, one := unitOf(header[column].text)
	if one != 0 && one != unit {
		t.report(header[column], "the column %q says %s, and unit, what 1 is in the file, is %v: say unit: %v",
			header[column].text, name, unit, one)
	}
}

// units are those of time that a column's name may say.
var units = []struct {
	name      string
	one       Duration
	spellings []string
}{
	{"nanoseconds", 1, []string{"ns", "nsec", "nanosecond", "nanoseconds", "nanos"}},
	{"microseconds", 1e3, []string{"us", "µs", "μs", "usec", "usecs", "microsecond", "microseconds", "micros"}},
	{"milliseconds", 1e6, []string{"ms", "msec", "msecs", "millisecond", "milliseconds", "millis"}},
	{"seconds", 1e9, []string{"s", "sec", "secs", "second", "seconds"}},
	{"minutes", 60e9, []string{"min", "mins", "minute", "minutes"}},
	{"hours", 3600e9, []string{"h", "hr", "hrs", "hour", "hours"}},
}

// unitOf is the unit of time that the last word of a column's name says: rtt_us, "delay (s)"; 0: none.
func unitOf(name string) (string, Duration) {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return !unicode.IsLetter(c) })
	for _, u := range units {
		if len(words) > 0 && slices.Contains(u.spellings, words[len(words)-1]) {
			return u.name, u.one
		}
	}
	return "", 0
}

// reading opens a file for what reads it.
func (t *table) open(read func(in io.Reader)) error {
	f, err := os.Open(t.file)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := memory.CheckFile(f, memory.Rows); err != nil {
		return err
	}
	read(f)
	return t.result()
}

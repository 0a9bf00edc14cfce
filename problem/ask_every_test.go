// Columns in which every row has the same unusual form: none becomes other numbers, or categories, in silence.

package problem

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A column in which every row holds a number that is written otherwise is asked about, as one is that has some.
func TestCSV_EveryRowOtherwise(t *testing.T) {
	for form, c := range map[string]struct{ all, want string }{
		"bounds":              {"<N", "reads as a bound"},
		"bounds with a blank": {"> N", "reads as a bound"},
		"at least":            {"≥N", "reads as a bound"},
		"or more":             {"N+", "reads as a bound"},
		"in brackets":         {"(N)", "reads as a negative number"},
		"a minus behind":      {"N-", "reads as a negative number"},
		"about":               {"~N", "reads as a number with a sign beside it"},
		"a star":              {"N*", "reads as a number with a sign beside it"},
		"an uncertainty":      {"N±1", "an uncertainty"},
		"an uncertainty, too": {"N.5 +/- 0.1", "an uncertainty"},
		"halves":              {"N½", "reads as a number with a fraction"},
		"fractions":           {"N 1/2", "reads as a number with a fraction"},
		"powers":              {"N*10^3", "a power of ten"},
		"powers in print":     {"N.2×10⁻³", "a power of ten"},
		"U+2212":              {"−N", "is a number with other signs"},
		"not seen":            {"\u200bN", "with signs that are not seen"},
		"wide":                {"１N", "is a number with other signs"},
		"hexadecimal":         {"0xNp3", "is not written in decimal"},
		"months":              {"N-Mar-2021", "reads as a date"},
		"months, written":     {"N. März 2021", "reads as a date"},
		"months first":        {"Mar N, 2021", "reads as a date"},
		"fractions or pairs":  {"1/N", "if it is a fraction or a ratio"},
	} {
		var values []string
		for i := range 9 {
			values = append(values, strings.ReplaceAll(c.all, "N", fmt.Sprint(1+i)))
		}
		set, _, err := Source{}.readCSV(t.Context(), "f", []byte(one(values...)))
		if err == nil {
			t.Errorf("%s: %s became %q", form, c.all, set.Columns)
		} else if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "f:2:1: column x has") {
			t.Errorf("%s: %v, want %s", form, err, c.want)
		}
		set, _, err = Source{Categorical: []string{"x"}}.readCSV(t.Context(), "f", []byte(one(values...)))
		if err != nil || len(set.Columns) != 10 {
			t.Errorf("%s, answered: %v, %v", form, set, err)
		}
	}
	arabic := []string{"١٢", "٣٫٥", "٤"}
	if _, _, err := (Source{}).readCSV(t.Context(), "f", []byte(one(arabic...))); err == nil ||
		!strings.Contains(err.Error(), `"١٢" is a number with other signs`) {
		t.Errorf("Arabic digits: %v", err)
	}
}

// Ranges are categories however they are written, with their open ends, and so are words that have a sign or two.
func TestCSV_RangesAreCategories(t *testing.T) {
	for _, values := range [][]string{{"20-29", "30-39", "40-49"}, {"1–6", "7–12", "13–18"}, {"1 to 6", "7 to 12"},
		{"<18", "18-64", "65+", "≥80"}, {"0..4", "5..9"}, {"5*", "none", "few", "many"}, {"A+", "A-", "0-"},
		{"(20, 29]", "(30, 39]"}, {"(a)", "(b)"}, {"#1 choice", "other"}, {"m²", "m³"}} {
		set, reading, err := Source{}.readCSV(t.Context(), "f", []byte(one(values...)))
		if err != nil || reading.Expanded["x"] != len(slices.Compact(slices.Sorted(slices.Values(values)))) {
			t.Errorf("%q: %v, %v", values, set, err)
		}
	}
}

// noted reads a table and returns its set and its notes.
func noted(t *testing.T, name string, s Source, text string) (*Set, string) {
	t.Helper()
	set, reading, err := s.readCSV(t.Context(), "f", []byte(text))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil, ""
	}
	return set, strings.Join(reading.Notes, "\n")
}

// Errors of a spreadsheet are no values, in a column of words or of numbers.
func TestCSV_SpreadsheetErrors(t *testing.T) {
	for _, code := range []string{"#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#N/A", "#ref!"} {
		for _, values := range [][]string{{"north", "south", code}, {"1", "2", code}} {
			set, reading, err := Source{}.readCSV(t.Context(), "f", []byte(one(values...)))
			if err != nil || set.X.Len() != 40 || reading.Missing["x"] != 20 {
				t.Errorf("%s beside %s: %v, %v", code, values[0], set, err)
			}
		}
	}
}

// What is read as a number that may not be meant is noted, with what to do.
func TestCSV_NotesOnNumbers(t *testing.T) {
	survey := func(others ...string) []string { // two answers of each of 1 to 5, and others
		return append([]string{"1", "2", "3", "4", "5", "1", "2", "3", "4", "5"}, others...)
	}
	for name, c := range map[string]struct {
		values       []string
		source       Source
		want, absent string // of the notes
	}{
		"99": {survey("99"), Source{},
			"from 1 to 5; if it means that there is none say missing-in: {x: [99]}", ""},
		"9": {survey("9"), Source{},
			"column x: 9, in 5 rows, is far from all other values, which are from 1 to 5", ""},
		"-9": {survey("-9"), Source{}, "missing-in: {x: [-9]}", ""},
		"88 and 77": {survey("88", "77"), Source{},
			"77, in 5 rows, and 88, in 5 rows, are far from all other values, " +
				"which are from 1 to 5; if they mean that there is none say missing-in: {x: [77, 88]}", ""},
		"8 and 9":    {survey("8", "9"), Source{}, "missing-in: {x: [8, 9]}", ""},
		"both sides": {survey("-99", "99"), Source{}, "missing-in: {x: [-99, 99]}", ""},
		"to 7":       {[]string{"1", "2", "3", "4", "5", "6", "7"}, Source{}, "", "far"},
		"to 9":       {[]string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, Source{}, "", "far"},
		"ages":       {[]string{"20", "35", "60", "77", "88", "99"}, Source{}, "", "far"},
		"said":       {survey("99"), Source{MissingIn: map[string][]string{"x": {"99"}}}, "", "far"},
		"days": {[]string{"20210314", "20200229", "19991231"}, Source{},
			"all values are days written as numbers, such as 20210314", ""},
		"days, said": {[]string{"20210314", "20200229"}, Source{Numeric: []string{"x"}}, "", "days"},
		"no days":    {[]string{"20210314", "20210229"}, Source{}, "", "days"},
		"no years":   {[]string{"21020314", "18990201"}, Source{}, "", "days"},
		"thousands": {[]string{"12.500", "1.234"}, Source{},
			"all values have three digits after the point, such as 12.500", ""},
		"thousands, said": {[]string{"12.500", "1.234"}, Source{Decimal: "."}, "", "three digits"},
		"thousandths":     {[]string{"12.500", "0.234"}, Source{}, "", "three digits"},
		"one giant": {survey(append(survey(), "1e308")...), Source{},
			"1e+308, in 2 rows, is more than a million times as large as all other values, which are from 1 to 5", ""},
		"a negative one":  {survey("-1e9"), Source{}, "-1e+09, in 5 rows, is more than a million times", ""},
		"a wide column":   {[]string{"1", "10", "100", "1e6", "1e9"}, Source{}, "", "million"},
		"zeros and a one": {[]string{"0", "5e7"}, Source{}, "", "million"},
		"too small": {[]string{"1", "1e-400", "2"}, Source{},
			`"1e-400" (3:1) is too small for a floating-point number, and is read as 0`, ""},
		"zero": {[]string{"1", "0e-400", "2", "0.00"}, Source{}, "", "too small"},
		"too long": {[]string{"9007199254740993", "1"}, Source{},
			`"9007199254740993" (2:1) has more digits than a floating-point number keeps, and is read ` +
				`as 9007199254740992`, ""},
		"long": {[]string{"9007199254740994", "+0009007199254740992"}, Source{Numeric: []string{"x"}}, "", "digits"},
	} {
		_, notes := noted(t, name, c.source, one(c.values...))
		if !strings.Contains(notes, c.want) || c.absent != "" && strings.Contains(notes, c.absent) {
			t.Errorf("%s: notes %q, want %q and not %q", name, notes, c.want, c.absent)
		}
	}
	_, notes := noted(t, "label", Source{}, "x,y\n1,1\n2,-9\n3,1\n")
	if !strings.Contains(notes, "label y: -9, in 1 row, is learned as −1; if it means that there is no label say "+
		"missing-in: {y: [-9]}") {
		t.Errorf("label: notes %q", notes)
	}
	if _, notes = noted(t, "digits", Source{}, "x,y\n1,7\n2,9\n3,7\n"); strings.Contains(notes, "label") {
		t.Errorf("digits: notes %q", notes)
	}
}

// What means missing in one column is a value of the others, and no code is sought in a column that names the rows.
func TestCSV_MissingInOneColumn(t *testing.T) {
	text := "id,age,q1,y\n98,99,1,0\n99,40,2,1\n3,41,99,0\n4,99,4,1\n5,60,99.0,1\n6,70,?,0\n"
	s := Source{ID: "id", MissingIn: map[string][]string{"q1": {"99"}}}
	set, reading, err := s.readCSV(t.Context(), "f", []byte(text))
	if err != nil || set.X.Len() != 3 || reading.Missing["q1"] != 3 || len(reading.Missing) != 1 ||
		!slices.Equal(set.X.Val, []float64{99, 1, 40, 2, 99, 4}) {
		t.Errorf("in one column: %v, %+v, %v", set, reading, err)
	}
	_, reading, _ = Source{ID: "id", Missing: []string{"99", "?"}}.readCSV(t.Context(), "f", []byte(text))
	if reading.Missing["id"] != 0 || reading.Missing["age"] != 2 {
		t.Errorf("names of rows: %+v", reading)
	}
	for want, s := range map[string]Source{
		`missing-in: there is no column "q7"; there are id, age, q1, y`: {
			MissingIn: map[string][]string{"q7": {"99"}}},
		"missing-in: column id is left out by id": {ID: "id", MissingIn: map[string][]string{"id": {"99"}}},
		"missing-in: column q1 is left out by drop": {Drop: []string{"q1"},
			MissingIn: map[string][]string{"q1": {"99"}}},
	} {
		if _, _, err := s.readCSV(t.Context(), "f", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

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
		set, _, err := Source{}.readCSV("f", []byte(one(values...)))
		if err == nil {
			t.Errorf("%s: %s became %q", form, c.all, set.Columns)
		} else if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "f:2:1: column x has") {
			t.Errorf("%s: %v, want %s", form, err, c.want)
		}
		set, _, err = Source{Categorical: []string{"x"}}.readCSV("f", []byte(one(values...)))
		if err != nil || len(set.Columns) != 10 {
			t.Errorf("%s, answered: %v, %v", form, set, err)
		}
	}
	arabic := []string{"١٢", "٣٫٥", "٤"}
	if _, _, err := (Source{}).readCSV("f", []byte(one(arabic...))); err == nil ||
		!strings.Contains(err.Error(), `"١٢" is a number with other signs`) {
		t.Errorf("Arabic digits: %v", err)
	}
}

// Ranges are categories however they are written, with their open ends, and so are words that have a sign or two.
func TestCSV_RangesAreCategories(t *testing.T) {
	for _, values := range [][]string{{"20-29", "30-39", "40-49"}, {"1–6", "7–12", "13–18"}, {"1 to 6", "7 to 12"},
		{"<18", "18-64", "65+", "≥80"}, {"0..4", "5..9"}, {"5*", "none", "few", "many"}, {"A+", "A-", "0-"},
		{"(20, 29]", "(30, 39]"}, {"(a)", "(b)"}, {"#1 choice", "other"}, {"m²", "m³"}} {
		set, reading, err := Source{}.readCSV("f", []byte(one(values...)))
		if err != nil || reading.Expanded["x"] != len(slices.Compact(slices.Sorted(slices.Values(values)))) {
			t.Errorf("%q: %v, %v", values, set, err)
		}
	}
}

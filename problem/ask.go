// What is asked about a table before it is made a set: whatever would be guessed, with the keys that answer.

package problem

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// judge says what keeps the table from being a set, all of it at once.
func (v *survey) judge() error {
	if v.read == 0 {
		return fmt.Errorf("%s: there are no rows", v.table.name)
	}
	var problems []string
	for _, c := range v.columns {
		if problem := v.question(c); problem != "" {
			problems = append(problems, v.table.name+problem)
		}
	}
	if doubt := v.firstLine(problems != nil); doubt != "" {
		problems = append(problems, v.table.name+": "+doubt)
	}
	if problems != nil {
		return errors.New(strings.Join(problems, "\n"))
	}
	if v.complete == 0 {
		return fmt.Errorf("%s: there are no rows without missing values among %d; missing are %s", v.table.name, v.read,
			strings.Join(v.holes(), ", "))
	}
	return nil
}

// firstLine says why the guess whether the first line has names may be wrong; asked says that there are other
// questions, which it may be the cause of.
func (v *survey) firstLine(asked bool) string {
	switch {
	case !v.table.guessed:
	case !v.table.named:
		for _, c := range v.columns {
			for is := range c.first {
				if first := c.first[is]; asked && class(is) != finite && class(is) != percent && first.row == 1 {
					return "the first line was taken for a row, as it has a number; if it has names say " +
						"problem.data.header: true"
				}
			}
		}
	default:
		for _, c := range v.columns {
			if c.name != "" && v.source.isMissing(c.name) {
				return fmt.Sprintf("the first line was taken for names, but its %.40q means that there is no value; "+
					"say problem.data.header: false if the line is a row and true if it has names", c.name)
			}
			if n := c.values[c.name]; n > 0 {
				return fmt.Sprintf("the first line was taken for names, but its %.40q is a value of this column, "+
					"too, in %s; say problem.data.header: false if the line is a row and true if it has names; if it "+
					"stands in the file again take it out there", c.name, Counted(n, "row"))
			}
		}
		if asked && !slices.ContainsFunc(v.columns, (*column).reads) {
			return "the first line was taken for names; if it is a row say problem.data.header: false"
		}
	}
	return ""
}

// reads says whether any value reads as a number, a date or a time.
func (c *column) reads() bool { return c.total() > c.count[word] }

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

// question is what is to be asked about a column before it can be used; "" if nothing is. It begins with the
// place in the file.
func (v *survey) question(c *column) string {
	if c.role == leftOut || c.role == identity {
		return ""
	}
	if c.missing == v.read && c.role != feature {
		is := map[role]string{label: "label", target: "target"}[c.role]
		return fmt.Sprintf(": column %s, the %s, has no value in any row; say %[2]s: NAME and drop: %[3]s", c.name, is,
			list(c.name))
	}
	if c.missing == v.read {
		return fmt.Sprintf(": column %s has no value in any row; leave it out with drop: %[2]s", c.name, list(c.name))
	}
	if c.unusable {
		return fmt.Sprintf(": column %s holds values that are neither numbers nor words, such as times or lists; make "+
			"numbers of them, or leave it out with drop: %s", c.name, list(c.name))
	}
	if c.role == label || c.declared == words && c.asked {
		return ""
	}
	if problem := v.mixture(c); problem != "" || c.asked {
		return problem
	}
	if c.numbers() == c.total() && c.total() > 0 {
		return v.ofNumbers(c)
	}
	return v.ofWords(c)
}

// choose are the keys by which a column is something else than numbers.
func (c *column) choose() string {
	return fmt.Sprintf("categorical: %[1]s or drop: %[1]s", list(c.name))
}

// mixture is what is to be asked about a column whose values are not all of one kind, or are numbers that are not
// written as such.
func (v *survey) mixture(c *column) string {
	total, plain := c.total(), c.numbers()
	strict := 0
	for _, is := range []class{comma, grouped, unit, based, quoted, date, clock, twofold, worked, foreign} {
		strict += c.count[is]
	}
	// Words may look like these, too: codes such as 2a, stars of hotels, and the ends of a list of ranges.
	loose := c.count[coded] + c.count[minus] + c.count[marked]
	if !c.ranges {
		loose += c.count[limit]
	}
	like := strict + c.count[coded] + c.count[limit] + c.count[minus] + c.count[marked]
	numeric := c.declared == numbers
	switch {
	case c.count[wild] > 0 && (numeric || plain > 0):
		return fmt.Sprintf("%s: %.40q is not a finite number (column %s)", c.first[wild].place, c.first[wild].text,
			c.name)
	case c.count[percent] > 0 && c.count[finite] > 0:
		few := percent
		if c.count[finite] < c.count[percent] {
			few = finite
		}
		return fmt.Sprintf("%s: column %s has %s with a percent sign and %d without, such as %.40q; write all in one "+
			"way, or say drop: %s", c.first[few].place, c.name, Counted(c.count[percent], "value"),
			c.count[finite], c.first[few].text, list(c.name))
	case plain == total, !numeric && plain == 0 && strict == 0 && 2*loose <= total:
		return ""
	case !numeric && plain+like < c.count[word]:
		return v.fewNumbers(c)
	}

	// The column is of numbers, but for some of its values.
	var first *seen
	lead := word
	for is := range class(classes) {
		if here := &c.first[is]; c.count[is] > 0 && is != finite && is != percent {
			if first == nil || here.row < first.row {
				first = here
			}
			if is != word && (lead == word || c.count[is] > c.count[lead]) {
				lead = is
			}
		}
	}
	var text string
	switch {
	case numeric:
		is := "declared numeric"
		if c.role == target {
			is = "the target"
		}
		text = fmt.Sprintf("%s: %.40q is not a number, and column %s is %s", first.place, first.text, c.name, is)
		if c.role == target && plain == 0 {
			return text + "; no value of it is one: is another column the target?"
		}
	case plain > 0:
		text = fmt.Sprintf("%s: %.40q is not a number, but %d of the %d values of column %s are", first.place,
			first.text, plain, total, c.name)
	default:
		text = fmt.Sprintf("%s: column %s has values that are not written as numbers", first.place, c.name)
	}
	for pass := range 2 { // what is most frequent first
		for is := range class(classes) {
			if n := c.count[is]; n > 0 && is > wild && (is == lead) == (pass == 0) {
				reads, remedy := v.source.readsAs(is)
				text += fmt.Sprintf("; %.40q %s (%s): %s", c.first[is].text, reads, Counted(n, "row"), remedy)
			}
		}
	}
	if c.count[word] > 0 {
		text += "; " + v.wordsOf(c)
	}
	if numeric {
		return text
	}
	return text + "; or say " + c.choose()
}

// wordsOf says what words a column of numbers has, and what would be right.
func (v *survey) wordsOf(c *column) string {
	var each []string
	own := false
	for _, w := range c.words {
		each = append(each, fmt.Sprintf("%.40q in %s", w.text, Counted(w.times, "row")))
		own = own || w.text == c.name
	}
	switch {
	case own:
		return fmt.Sprintf("%q is the column's own name: does the line of names stand in the file again? if so take "+
			"it out there", c.name)
	case len(each) == mostWords:
		return fmt.Sprintf("there are %s of many words, such as %s: correct them", Counted(c.count[word], "row"),
			strings.Join(each[:3], ", "))
	case len(each) == 1:
		return fmt.Sprintf("%s: if it means that there is no value say missing: %s, else correct it", each[0],
			list(v.codes(c)...))
	}
	return fmt.Sprintf("%s: if these mean that there is no value say missing: %s, else correct them",
		strings.Join(each, ", "), list(v.codes(c)...))
}

// codes are what may be said to be missing: what is taken for it already, as a list takes that one's place, and the
// words of a column and of all others that are numbers but for their words.
func (v *survey) codes(of *column) []string {
	var all []string
	for _, c := range v.columns {
		for m := range c.unmissed {
			if m != "" {
				all = append(all, m)
			}
		}
		proper := c.numbers() + c.count[comma] + c.count[grouped]
		if c == of || c.role == feature && !(c.declared == words && c.asked) && len(c.words) < mostWords &&
			proper+c.count[word] == c.total() && proper >= c.count[word] {
			for _, w := range c.words {
				if w.text != c.name {
					all = append(all, w.text)
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// fewNumbers is what is to be asked about a column of words of which some read as numbers.
func (v *survey) fewNumbers(c *column) string {
	var first *seen
	for is := range class(classes) {
		if c.count[is] > 0 && is != word && is != limit && (first == nil || c.first[is].row < first.row) {
			first = &c.first[is]
		}
	}
	is := "is a number"
	if !v.source.isNumber(first.text) {
		is, _ = v.source.readsAs(v.source.shape(first.text))
	}
	text := fmt.Sprintf("%s: %.40q %s, but %d of the %d values of column %s are words; say %s", first.place, first.text,
		is, c.count[word], c.total(), c.name, c.choose())
	if len(c.words) == 1 {
		text += fmt.Sprintf(", or if %.40q means that there is no value missing: %s", c.words[0].text,
			list(v.codes(c)...))
	}
	return text
}

// ofNumbers is what is to be asked about a column of numbers that may be none.
func (v *survey) ofNumbers(c *column) string {
	names := list(c.name)
	switch {
	case c.declared == words:
		return fmt.Sprintf(": column %s is text in the file, though all of its %d values are numbers; say numeric: %s "+
			"or %s", c.name, c.total(), names, c.choose())
	case c.nameless && c.whole:
		return fmt.Sprintf(": column %s has no name in the file and %s from %v to %v: if they number the rows say "+
			"id: %s, if they measure something numeric: %s", c.name, Counted(c.total(), "whole number"),
			c.least.value, c.most.value, c.name, names)
	case c.integers != nil && len(c.integers) == v.complete && v.complete >= fewestNumbered:
		return fmt.Sprintf(": column %s has as many values as rows, %d whole numbers from %v to %v: if they "+
			"number the rows say id: %s, if they measure something numeric: %s", c.name, v.complete,
			c.least.value, c.most.value, c.name, names)
	case c.padded.text != "":
		return fmt.Sprintf("%s: %.40q in column %s begins with a zero; if it is a code say %s, if it is a number "+
			"numeric: %s", c.padded.place, c.padded.text, c.name, c.choose(), names)
	case v.source.Decimal == "" && v.table.types == nil && c.points >= 3 && c.points == c.thirds && c.small > 0 &&
		c.small+c.points == c.total():
		return fmt.Sprintf("%s: column %s has whole numbers below 1000 and numbers like %v, with three digits after "+
			"the point: if it stands between thousands take it out in the file, if it is the decimal sign say "+
			"numeric: %s",
			c.first[finite].place, c.name, c.most.value, names)
	}
	return ""
}

// ofWords is what is to be asked about a column of words that is not to be expanded unasked.
func (v *survey) ofWords(c *column) string {
	switch {
	case len(c.values) == v.complete && v.complete > 2:
		return fmt.Sprintf(": column %s has as many values as rows, %d, such as %.40q; if they name the rows say id: "+
			"%s, else %s; expanding it would make %d columns", c.name, v.complete, c.example(), c.name,
			c.choose(), v.complete)
	case len(c.values) > mostCategories:
		return fmt.Sprintf(": column %s has %d categories in %d rows, such as %.40q; more than %d are not expanded "+
			"unasked: say %s, or join some in the file", c.name, len(c.values), v.complete, c.example(),
			mostCategories, c.choose())
	}
	return ""
}

// example is a value of a column of words.
func (c *column) example() string {
	example := seen{}
	for is := range class(classes) {
		if here := c.first[is]; c.count[is] > 0 && (example.text == "" || here.row < example.row) {
			example = here
		}
	}
	return example.text
}

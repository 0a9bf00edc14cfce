// What a report's page is made of, before it is HTML or Markdown.

package attack

import (
	"math"
	"strconv"
	"strings"

	"overhear/record"
	"overhear/report/plot"
)

// page is a report.
type page struct {
	Title    string
	Warnings []string
	Counts   []count
	Sections []*section
}

// count is a headline number.
type count struct{ Number, What, Class string }

// section is a heading and what is under it; one without blocks is left out.
type section struct {
	ID, Title string
	Blocks    []block
}

// block is one of its parts; the others are nil or empty.
type block struct {
	Fold    string // not empty: folded, with this in sight
	Heading string
	Text    string
	Card    *card
	Table   *table
	Figures []*drawing
	List    *list
}

// card is a list of names and values.
type card struct {
	Title   string
	Pairs   []pair
	Sources []source
}

type pair struct {
	Name, Value string
	Code        bool
}

// source is text as it stands in a file.
type source struct{ Summary, Text string }

// table has its first rows in sight and the rest to unfold.
type table struct {
	Head  []string
	Rows  [][]cell
	Shown int // 0: all
}

type cell struct {
	Text   string
	Class  string // of a badge
	Number bool
	Code   bool
	Long   bool // a sentence
}

// list is what was found in words; folded, only its summary is in sight.
type list struct {
	Summary string
	Items   []string
	Folded  bool
}

// drawing is a figure, what it shows in words and its numbers.
type drawing struct {
	Title, Text string
	SVG         string
	Wide        bool
	Numbers     *table
}

func (s *section) add(b block) { s.Blocks = append(s.Blocks, b) }

// fold leaves only headings in sight.
func fold(blocks []block) {
	for k := range blocks {
		blocks[k].Fold, blocks[k].Heading = blocks[k].Heading, ""
	}
}

func (s *section) text(text string) { s.add(block{Text: text}) }

func word(s string) cell     { return cell{Text: s} }
func sentence(s string) cell { return cell{Text: s, Long: true} }
func value(v float64) cell   { return cell{Text: plot.Number(v), Number: true} }
func measured(v record.Number) cell {
	return value(float64(v))
}

// none stands where there is no number.
func none() cell { return cell{Text: "–", Number: true} }

func whole(n int) cell { return cell{Text: strconv.Itoa(n), Number: true} }

// yes is a tick or a cross with a word.
func yes(ok bool, good, bad string) cell {
	if ok {
		return cell{Text: "✓\u00a0" + good, Class: "good"}
	}
	return cell{Text: "✗\u00a0" + bad, Class: "bad"}
}

// Columns are the heads of the columns; over numbers they stand on the right.
func (t *table) Columns() []cell {
	var all []cell
	for k, h := range t.Head {
		all = append(all, cell{Text: h, Number: len(t.Rows) > 0 && t.Rows[0][k].Number})
	}
	return all
}

// InSight are the rows that need no unfolding.
func (t *table) InSight() [][]cell {
	if t.Shown > 0 && len(t.Rows) > t.Shown+3 {
		return t.Rows[:t.Shown]
	}
	return t.Rows
}

// Rest are the rows to unfold.
func (t *table) Rest() [][]cell { return t.Rows[len(t.InSight()):] }

// thin keeps at most n rows, evenly spread, with the first and the last.
func (t *table) thin(n int) *table {
	if len(t.Rows) <= n {
		return t
	}
	var kept [][]cell
	for k := range n {
		kept = append(kept, t.Rows[k*(len(t.Rows)-1)/(n-1)])
	}
	t.Rows = kept
	return t
}

// level writes a number that somebody chose, without filling it up with zeros.
func level(v float64) string {
	if !finite(v) {
		return plot.Number(v)
	}
	return plot.Typeset(strconv.FormatFloat(v, 'g', 4, 64))
}

// vector writes the first entries of a vector.
func vector(v []float64, most int) string {
	if len(v) == 0 {
		return "–"
	}
	var words []string
	for k, x := range v {
		if k == most {
			words = append(words, "…")
			break
		}
		words = append(words, plot.Number(x))
	}
	text := "(" + strings.Join(words, ", ") + ")"
	if len(v) > most {
		text += ", " + strconv.Itoa(len(v)) + " entries"
	}
	return text
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

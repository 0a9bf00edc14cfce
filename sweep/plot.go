// Figures of a sweep's table: one column against another.

package sweep

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overhear/metrics"
	"overhear/record"
	"overhear/report/plot"
	"overhear/scenarios"
)

// Plot says what to draw: the mean of Y over the runs with equal X, and the
// range from least to greatest.
type Plot struct {
	X, Y       string   // columns of numbers
	Colour     string   // a column with a line for each value; "": one line
	Facet      string   // a column with a figure for each value; "": one figure
	Where      []string // column=value, all of which a row must meet
	LogX, LogY bool

	LabelX, LabelY string // "": from the columns
	plot.Style            // Title "": from the column

	method string    // of the runs, if all have the same: its keys have words of their own
	names  *[]string // of the categories along X, which are told by gather; nil: numbers
}

// title is what a figure says of a column: a metric's title, what a key of the scenario is, or the name in words.
func (p *Plot) title(column string) string {
	if m, ok := metrics.Lookup(column); ok && m.Title != "" {
		return m.Title
	}
	if words := scenarios.Words(column, p.method); words != "" {
		return words
	}
	return strings.ReplaceAll(column, "_", " ")
}

// spread is what is known of Y at one X.
type spread struct {
	n              int
	sum, low, high float64
}

// lines are the points of a figure's lines by label, then by X.
type lines map[string]map[float64]*spread

// Draw reads the table of a sweep's directory, writes figures as SVG and PNG to
// out and returns their paths. The table is read row by row.
func (p Plot) Draw(dir, out string) ([]string, error) {
	path := filepath.Join(dir, csvFile)
	if Is(dir) { // a table by itself has nothing to be held against
		d, err := ReadDir(dir)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(d.checkTable(), d.Close()); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading a sweep's table: %w", err)
	}
	defer f.Close()
	facets, err := p.gather(f)
	if errors.Is(err, errCategories) && !p.LogX {
		p.names = new([]string)
		if _, err = f.Seek(0, io.SeekStart); err == nil {
			facets, err = p.gather(f)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(facets) == 0 {
		return nil, fmt.Errorf("%s: no row has %s and %s%s", path, p.X, p.Y, where(p.Where))
	}
	type figure struct {
		name  string
		chart plot.Chart
	}
	var figures []figure
	var words []plot.Words
	for k, facet := range sortedKeys(facets) {
		name := fileName(p.Y + "-" + p.X)
		title := cmp.Or(p.Title, p.title(p.Y))
		if p.Facet != "" {
			name += fmt.Sprintf("-%d-%s", k+1, fileName(facet))
			title += ", " + p.title(p.Facet) + " = " + facet
		}
		chart, err := p.chart(title, facets[facet])
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure{name, chart})
		words = append(words, chart.Words(p.X, p.Y)...)
	}
	style, err := p.Named(words)
	if err != nil {
		return nil, fmt.Errorf("--label: %w", err)
	}
	var files []string
	for _, f := range figures {
		written, err := style.Save(f.chart, out, f.name)
		if err != nil {
			return nil, err
		}
		files = append(files, written...)
	}
	return files, nil
}

func where(conditions []string) string {
	if conditions == nil {
		return ""
	}
	return " where " + strings.Join(conditions, " and ")
}

// errCategories is of a column along X that is not of numbers.
var errCategories = errors.New("a logarithmic axis needs a column of numbers")

// gather reads the table's rows into figures by facet.
func (p Plot) gather(from io.Reader) (map[string]lines, error) {
	r := csv.NewReader(from)
	r.ReuseRecord = true
	first, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("the table is empty: %w", err)
	}
	header := slices.Clone(first)
	find := func(name string) (int, error) {
		k := slices.Index(header, name)
		if k < 0 {
			return 0, fmt.Errorf("there is no column %q; there are %s", name, strings.Join(header, ", "))
		}
		return k, nil
	}
	type condition struct {
		column int
		value  string
	}
	var conditions []condition
	var problems error
	for _, w := range p.Where {
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			problems = errors.Join(problems, fmt.Errorf("a condition is column=value, not %q", w))
			continue
		}
		k, err := find(name)
		problems = errors.Join(problems, err)
		conditions = append(conditions, condition{k, value})
	}
	at := map[string]int{}
	for _, name := range []string{p.X, p.Y, p.Colour, p.Facet} {
		if name == "" {
			continue
		}
		k, err := find(name)
		problems = errors.Join(problems, err)
		at[name] = k
	}
	if problems != nil {
		return nil, problems
	}
	facets := map[string]lines{}
rows:
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return facets, nil
		}
		if err != nil {
			return nil, err
		}
		for _, c := range conditions {
			if !sameValue(row[c.column], c.value) {
				continue rows
			}
		}
		x, y := row[at[p.X]], row[at[p.Y]]
		if x == "" || y == "" {
			continue
		}
		xy := [2]float64{}
		for k, name := range []string{p.X, p.Y} {
			text := []string{x, y}[k]
			if k == 0 && p.names != nil {
				at := slices.Index(*p.names, text)
				if at < 0 {
					at = len(*p.names)
					*p.names = append(*p.names, strings.Clone(text))
				}
				xy[0] = float64(at)
				continue
			}
			if xy[k], err = strconv.ParseFloat(text, 64); err != nil {
				line, _ := r.FieldPos(at[name])
				if k == 0 {
					return nil, fmt.Errorf("line %d: %s is %q: %w", line, name, text, errCategories)
				}
				return nil, fmt.Errorf("line %d: %s is %q; the vertical axis needs a column of numbers (--x, --colour "+
					"and --facet take any)", line, name, text)
			}
		}
		facet, label := "", p.Y
		if p.Facet != "" {
			facet = row[at[p.Facet]]
		}
		if p.Colour != "" {
			label = row[at[p.Colour]]
		}
		if facets[facet] == nil {
			facets[strings.Clone(facet)] = lines{}
		}
		l := facets[facet][label]
		if l == nil {
			l = map[float64]*spread{}
			facets[facet][strings.Clone(label)] = l
		}
		s := l[xy[0]]
		if s == nil {
			s = &spread{low: math.Inf(1), high: math.Inf(-1)}
			l[xy[0]] = s
		}
		s.n++
		s.sum += xy[1]
		s.low, s.high = min(s.low, xy[1]), max(s.high, xy[1])
	}
}

// sameValue compares as numbers where both are.
func sameValue(a, b string) bool {
	x, ok := finiteNumber(a)
	y, ok2 := finiteNumber(b)
	return a == b || ok && ok2 && x == y
}

// chart turns the lines of a figure into one.
func (p Plot) chart(heading string, all lines) (plot.Chart, error) {
	if len(all) > plot.MostLines {
		return plot.Chart{}, fmt.Errorf("%s has %d values, more than the %d lines that can be told apart; choose "+
			"some with "+
			"--where, or use it for --facet", p.Colour, len(all), plot.MostLines)
	}
	c := plot.Chart{Title: heading,
		X: plot.Axis{Label: cmp.Or(p.LabelX, p.title(p.X)), Log: p.LogX},
		Y: plot.Axis{Label: cmp.Or(p.LabelY, p.title(p.Y)), Log: p.LogY}}
	if p.names != nil {
		c.X.Names = *p.names
	}
	runs := span{math.Inf(1), math.Inf(-1)}
	for _, label := range sortedKeys(all) {
		points := all[label]
		var xs []float64
		for x := range points {
			xs = append(xs, x)
		}
		slices.Sort(xs)
		l := plot.Line{Label: p.title(label), X: xs}
		if p.Colour != "" {
			// A method's name says what it is.
			if l.Label = label; p.Colour != "method" && p.Colour != "algorithm.kind" {
				l.Label = p.title(p.Colour) + " = " + label
			}
		}
		if p.names != nil {
			l.Look = plot.Scatter
		}
		for _, x := range xs {
			s := points[x]
			runs.take(record.Number(s.n))
			l.Y, l.Low, l.High = append(l.Y, s.sum/float64(s.n)), append(l.Low, s.low), append(l.High, s.high)
		}
		c.Lines = append(c.Lines, l)
	}
	if runs.high > 1 && p.Title == "" {
		c.Title += ": mean and range of " + runs.text(func(n float64) string { return fmt.Sprint(n) })
	}
	return c, nil
}

// sortedKeys are the keys, as numbers if all are, else as text.
func sortedKeys[T any](m map[string]T) []string {
	var keys []string
	numbers := true
	for k := range m {
		keys = append(keys, k)
		_, ok := finiteNumber(k)
		numbers = numbers && ok
	}
	slices.SortFunc(keys, func(a, b string) int {
		if numbers {
			x, _ := finiteNumber(a)
			y, _ := finiteNumber(b)
			if x != y {
				if x < y {
					return -1
				}
				return 1
			}
		}
		return strings.Compare(a, b)
	})
	return keys
}

// fileName keeps what every file system takes.
func fileName(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, text)
}

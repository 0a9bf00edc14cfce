// Writing a figure's pictures, its numbers and its page.

package reproduce

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overhear/internal/files"
	"overhear/report/plot"
)

// Write writes dir/<name>/: charts as SVG and PNG, data.csv, and README.md.
func (r *Results) Write(dir string) (string, error) {
	dir = filepath.Join(dir, r.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("writing %s: %w", r.Name, err)
	}
	for _, c := range r.Charts {
		if _, err := r.Style.With("svg").Save(r.chart(c), dir, c.Name); err != nil {
			return "", fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	if err := r.writeCSV(filepath.Join(dir, "data.csv")); err != nil {
		return "", fmt.Errorf("writing %s: %w", r.Name, err)
	}
	path := filepath.Join(dir, "README.md")
	if err := files.WriteBytes(path, []byte(r.page())); err != nil {
		return "", fmt.Errorf("writing %s: %w", r.Name, err)
	}
	return dir, nil
}

// Words is what stands at the axes and lines of the figures.
func (r *Results) Words() (all []plot.Words) {
	for _, c := range r.Charts {
		chart := r.chart(c)
		all = append(all, chart.Words("", "")...)
	}
	return all
}

// chart collects the lines of a chart.
func (r *Results) chart(c Chart) plot.Chart {
	chart := plot.Chart{
		Title: c.Title, X: plot.Axis{Label: c.XLabel, Log: c.LogX}, Y: plot.Axis{Label: c.YLabel, Log: c.LogY},
	}
	for k := range r.Runs {
		switch runs := &r.Runs[k]; {
		case !c.draws(runs.Curve):
		case c.X == "":
			chart.Lines = runs.addTo(chart.Lines, c)
		default:
			chart.Lines = append(chart.Lines, runs.line(c))
		}
	}
	return chart
}

// line is a curve against rounds.
func (r *Runs) line(c Chart) plot.Line {
	l := plot.Line{Label: r.Curve.Label}
	epoch := max(1, r.Curve.Epoch)
	for t := 0; t < r.Rounds(); t += epoch {
		if c.Rounds == nil || c.Rounds(t) {
			r.point(&l, r.At(c.X, t)/float64(epoch), c.Y, t)
		}
	}
	return l
}

// addTo adds a curve to the lines against a parameter that it is a point of, which are made where there are none yet.
func (r *Runs) addTo(lines []plot.Line, c Chart) []plot.Line {
	rounds := c.Points
	if rounds == nil {
		rounds = []int{-1}
	}
	for _, t := range rounds {
		label := r.Curve.Group
		if c.Points != nil {
			label = strings.TrimSpace(fmt.Sprintf("%s t = %d", label, t))
		}
		at := slices.IndexFunc(lines, func(l plot.Line) bool { return l.Label == label })
		if at < 0 {
			at = len(lines)
			lines = append(lines, plot.Line{Label: label})
		}
		r.point(&lines[at], r.Curve.X, c.Y, t)
	}
	return lines
}

// point adds mean and range of a column at a round to a line.
func (r *Runs) point(l *plot.Line, x float64, column string, t int) {
	mean, low, high := r.Range(column, t)
	l.X, l.Y = append(l.X, x), append(l.Y, mean)
	l.Low, l.High = append(l.Low, low), append(l.High, high)
}

// columns are those that the charts use.
func (r *Results) columns() []string {
	var all []string
	for _, c := range r.Charts {
		if !slices.Contains(all, c.Y) {
			all = append(all, c.Y)
		}
	}
	return all
}

// drawn says whether a chart shows a round of a curve.
func (r *Results) drawn(runs *Runs, t int) bool {
	if t%max(1, runs.Curve.Epoch) != 0 {
		return false
	}
	return t == runs.Rounds()-1 ||
		slices.ContainsFunc(r.Charts, func(c Chart) bool { return c.X != "" || slices.Contains(c.Points, t) })
}

// writeCSV writes mean, least and greatest over the seeds of the charts' columns, a row a curve and round that charts
// show.
func (r *Results) writeCSV(path string) error {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	columns := r.columns()
	header := []string{"curve", "round"}
	for _, c := range columns {
		header = append(header, c+"_mean", c+"_min", c+"_max")
	}
	_ = w.Write(header) // Flush reports
	number := func(v float64) string {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', 8, 64)
	}
	for k := range r.Runs {
		runs := &r.Runs[k]
		for t := range runs.Rounds() {
			if !r.drawn(runs, t) {
				continue
			}
			row := []string{runs.Curve.Label, strconv.Itoa(t)}
			for _, c := range columns {
				mean, low, high := runs.Range(c, t)
				row = append(row, number(mean), number(low), number(high))
			}
			_ = w.Write(row)
		}
	}
	w.Flush()
	return files.WriteBytes(path, text.Bytes())
}

// page is README.md.
func (r *Results) page() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# %s: %s\n", r.Paper, r.Title)
	p("The paper's setting: %s\n", r.Stated)
	p("Taken here, where it is silent or differs: %s\n", r.Chosen)
	p("%s. `simulate reproduce %s` computes this page; the charts' numbers are in [data.csv](data.csv).\n",
		seedsPhrase(r.Seeds), r.Name)
	p("| the paper states | measured | |\n|---|---|---|")
	for _, s := range r.Statements(r) {
		p("%s", s.row())
	}
	p("")
	if r.Extra != nil {
		p("%s", r.Extra(r))
	}
	for _, c := range r.Charts {
		p("![%s](%s.svg)\n", c.Title, c.Name)
	}
	p("Curves, as changes to `scenarios/%s`:\n", r.Scenario)
	for _, runs := range r.Runs {
		p("- %s: `%s`", runs.Curve.Label, strings.Join(runs.Curve.Set, "` `"))
	}
	warned := map[string]bool{}
	for _, runs := range r.Runs {
		for _, w := range runs.Infos[0].Warnings {
			if !warned[w] {
				if len(warned) == 0 {
					p("\nWarnings of the runs:\n")
				}
				warned[w] = true
				p("- %s: %s", runs.Curve.Label, w)
			}
		}
	}
	return b.String()
}

func seedsPhrase(n int) string {
	if n == 1 {
		return "One run"
	}
	return fmt.Sprintf("Mean and range of %d runs, seeds 1 to %d", n, n)
}

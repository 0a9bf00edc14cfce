// Writing a figure's pictures, its numbers and its page.

package reproduce

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overhear/report/plot"
)

// Write writes dir/<name>/: charts as SVG and PNG, data.csv, and README.md.
func (r *Results) Write(dir string) (string, error) {
	dir = filepath.Join(dir, r.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("writing %s: %w", r.Name, err)
	}
	for _, c := range r.Charts {
		if err := r.chart(c).Save(dir, c.Name); err != nil {
			return "", fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	if err := r.writeCSV(filepath.Join(dir, "data.csv")); err != nil {
		return "", fmt.Errorf("writing %s: %w", r.Name, err)
	}
	path := filepath.Join(dir, "README.md")
	if err := os.WriteFile(path, []byte(r.page()), 0o644); err != nil {
		return "", fmt.Errorf("writing %s: %w", r.Name, err)
	}
	return dir, nil
}

// chart collects the lines of a chart.
func (r *Results) chart(c Chart) plot.Chart {
	chart := plot.Chart{
		Title: c.Title, X: plot.Axis{Label: c.XLabel, Log: c.LogX}, Y: plot.Axis{Label: c.YLabel, Log: c.LogY},
	}
	points := c.Points
	if points == nil {
		points = []int{-1}
	}
	for k := range r.Runs {
		runs := &r.Runs[k]
		if c.Curves != nil && !c.Curves(runs.Curve.Label) {
			continue
		}
		if c.X != "" {
			l := plot.Line{Label: runs.Curve.Label}
			for t := range runs.rounds() {
				if c.Rounds != nil && !c.Rounds(t) {
					continue
				}
				if e := runs.Curve.Epoch; e > 0 && t%e != 0 {
					continue
				}
				x, _, _ := runs.at(c.X, t)
				x /= float64(max(1, runs.Curve.Epoch))
				mean, low, high := runs.at(c.Y, t)
				l.X, l.Y, l.Low, l.High = append(l.X, x), append(l.Y, mean), append(l.Low, low), append(l.High, high)
			}
			chart.Lines = append(chart.Lines, l)
			continue
		}
		for _, t := range points {
			label := runs.Curve.Group
			if c.Points != nil {
				label = strings.TrimSpace(fmt.Sprintf("%s t = %d", label, t))
			}
			at := slices.IndexFunc(chart.Lines, func(l plot.Line) bool { return l.Label == label })
			if at < 0 {
				at = len(chart.Lines)
				chart.Lines = append(chart.Lines, plot.Line{Label: label})
			}
			l := &chart.Lines[at]
			mean, low, high := runs.at(c.Y, t)
			l.X, l.Y, l.Low, l.High = append(l.X, runs.Curve.X), append(l.Y, mean), append(l.Low, low), append(l.High, high)
		}
	}
	return chart
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

// writeCSV writes mean, least and greatest over the seeds of the charts'
// columns, a row a curve and round; curves of charts against a parameter have
// the rounds drawn only.
func (r *Results) writeCSV(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
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
	series := slices.ContainsFunc(r.Charts, func(c Chart) bool { return c.X != "" })
	for k := range r.Runs {
		runs := &r.Runs[k]
		for t := range runs.rounds() {
			if e := runs.Curve.Epoch; e > 0 && t%e != 0 {
				continue
			}
			if !series && t < runs.rounds()-1 && !slices.ContainsFunc(r.Charts, func(c Chart) bool { return slices.Contains(c.Points, t) }) {
				continue
			}
			row := []string{runs.Curve.Label, strconv.Itoa(t)}
			for _, c := range columns {
				mean, low, high := runs.at(c, t)
				row = append(row, number(mean), number(low), number(high))
			}
			_ = w.Write(row)
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// page is README.md.
func (r *Results) page() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# %s: %s\n", r.Paper, r.Title)
	p("The paper's setting: %s\n", r.Stated)
	p("Taken here, where it is silent or differs: %s\n", r.Chosen)
	p("%s. `simulate reproduce %s` computes this page; the charts' numbers are in [data.csv](data.csv).\n", seedsPhrase(r.Seeds), r.Name)
	p("| the paper states | measured | |\n|---|---|---|")
	for _, c := range r.Claims(r) {
		p("| %s | %s | **%s** |", c.States, c.Measured, c.Holds)
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

// WriteIndex writes dir/papers.md, which gathers the claims of the figures whose
// pages are in dir.
func WriteIndex(dir string) error {
	var b strings.Builder
	b.WriteString("# What the papers state, and what was measured\n\n`simulate reproduce all` computes these pages.\n")
	counts := map[Verdict]int{}
	var body strings.Builder
	for _, f := range Figures() {
		text, err := os.ReadFile(filepath.Join(dir, f.Name, "README.md"))
		if err != nil {
			continue // not computed in this directory
		}
		fmt.Fprintf(&body, "\n## [%s: %s](%s/README.md)\n\n| the paper states | measured | |\n|---|---|---|\n", f.Paper, f.Title, f.Name)
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			for _, v := range []Verdict{Holds, Partly, Fails, NotTested} {
				if strings.HasPrefix(line, "| ") && strings.HasSuffix(line, fmt.Sprintf("| **%s** |", v)) {
					counts[v]++
					body.WriteString(line + "\n")
				}
			}
		}
	}
	fmt.Fprintf(&b, "Of the claims, %d hold, %d hold in part, %d do not hold, %d cannot be tested.\n", counts[Holds], counts[Partly], counts[Fails], counts[NotTested])
	b.WriteString(body.String())
	if err := os.WriteFile(filepath.Join(dir, "papers.md"), []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("writing the index: %w", err)
	}
	return nil
}

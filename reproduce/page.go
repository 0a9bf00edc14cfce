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

// Write writes dir/<name>/: charts as SVG and PNG, data.csv, and README.md. If the claims were judged over the open
// settings before, by [Figure.Judge], the page has what they came to.
func (r *Results) Write(dir string) (string, error) {
	dir = filepath.Join(dir, r.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("writing %s: %w", r.Name, err)
	}
	p, err := r.paged(dir)
	if err != nil {
		return "", err
	}
	r.Claims = p.claims
	for _, c := range append(r.pictures(), p.charts...) {
		if _, err := r.Style.With("svg").Save(c.chart, dir, c.name); err != nil {
			return "", fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	if err := r.writeCSV(filepath.Join(dir, "data.csv")); err != nil {
		return "", fmt.Errorf("writing %s: %w", r.Name, err)
	}
	path := filepath.Join(dir, "README.md")
	if err := files.WriteBytes(path, []byte(r.page(p))); err != nil {
		return "", fmt.Errorf("writing %s: %w", r.Name, err)
	}
	return dir, nil
}

// Words is what stands at the axes and lines of the figures.
func (r *Results) Words() (all []plot.Words) {
	for _, c := range r.pictures() {
		all = append(all, c.chart.Words("", "")...)
	}
	return all
}

// pictures are the charts of columns and the drawings.
func (r *Results) pictures() (all []namedChart) {
	for _, c := range r.Charts {
		all = append(all, namedChart{name: c.Name, chart: r.chart(c)})
	}
	return append(all, r.drawings()...)
}

// drawings are the pictures that are not of a column.
func (r *Results) drawings() (all []namedChart) {
	if r.Drawings != nil {
		r.Drawings(r, func(name string, c plot.Chart) { all = append(all, namedChart{name: name, chart: c}) })
	}
	return all
}

// paged is what a page says of its claims.
type paged struct {
	claims []Claim
	judged *Judged // nil: not over the open settings
	absent string  // why not; "": the figure leaves none open
	charts []namedChart
}

// paged judges the claims, with what is in the figure's directory.
func (r *Results) paged(dir string) (*paged, error) {
	p := new(paged)
	all := r.Statements(r)
	for _, s := range all {
		p.claims = append(p.claims, Claim{Statement: s})
	}
	var err error
	if p.judged, p.absent, err = r.readJudged(dir, claims(all)); err != nil || p.judged == nil {
		return p, err
	}
	number := 0 // of the claim in settings.json, which has no statements for comparison
	for k := range p.claims {
		c := &p.claims[k]
		if c.Assessment == ForComparison {
			continue
		}
		c.Share = p.judged.share(r.Grid, number, r.Seeds)
		if c.Share.Splits != nil {
			name := fmt.Sprintf("settings-%d", k+1)
			p.charts = append(p.charts, namedChart{name: name, chart: p.judged.chart(r.Grid, number, k+1, c.Share)})
		}
		number++
	}
	return p, nil
}

// chart shows where a claim holds and where not, over the two settings that part the points best.
func (j *Judged) chart(g *Grid, claim, number int, share *Share) plot.Chart {
	chart := plot.Chart{Title: fmt.Sprintf("Claim %d over the open settings", number)}
	verdicts := []Assessment{Holds, HoldsInPart, Fails}
	x := share.Splits[0].Setting
	chart.X = g.Settings[x].axis()
	y := -1
	if len(share.Splits) > 1 {
		y = share.Splits[1].Setting
		chart.Y = g.Settings[y].axis()
	} else {
		chart.Y = plot.Axis{Label: "the claim"}
		for _, v := range verdicts {
			chart.Y.Names = append(chart.Y.Names, string(v))
		}
	}
	for k, v := range verdicts {
		line := plot.Line{Label: string(v), Look: plot.Scatter}
		for _, p := range j.Points {
			if p.Assessments[claim] != v {
				continue
			}
			line.X = append(line.X, g.Settings[x].place(p.Values[x]))
			if y >= 0 {
				line.Y = append(line.Y, g.Settings[y].place(p.Values[y]))
			} else {
				line.Y = append(line.Y, float64(k))
			}
		}
		if line.X != nil {
			chart.Lines = append(chart.Lines, line)
		}
	}
	return chart
}

// axis is one of the setting's values.
func (s *Setting) axis() plot.Axis {
	a := plot.Axis{Label: s.Name, Log: s.Log}
	if _, ordered := s.numeric(s.Values); !ordered {
		for _, v := range s.Values {
			a.Names = append(a.Names, s.word(v))
		}
	}
	return a
}

// place is where a value stands on the axis.
func (s *Setting) place(value string) float64 {
	if numbers, ordered := s.numeric([]string{value}); ordered {
		return numbers[0]
	}
	return float64(slices.Index(s.Values, value))
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
func (r *Results) page(of *paged) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# %s: %s\n", r.Paper, r.Title)
	p("The paper's setting: %s\n", r.Stated)
	p("Taken here, where it is silent or differs: %s\n", r.Chosen)
	p("%s. `simulate reproduce %s` computes this page; the charts' numbers are in [data.csv](data.csv).\n",
		seedsPhrase(r.Seeds), r.Name)
	p("| the paper states | measured | |\n|---|---|---|")
	for _, c := range of.claims {
		p("%s", c.row())
	}
	p("")
	if of.absent != "" {
		p("%s\n", of.absent)
	}
	if r.Extra != nil {
		p("%s", r.Extra(r))
	}
	for _, c := range r.Charts {
		p("![%s](%s.svg)\n", c.Title, c.Name)
	}
	for _, c := range r.drawings() {
		p("![%s](%s.svg)\n", c.chart.Title, c.name)
	}
	if of.judged != nil {
		b.WriteString(of.settings(r.Figure))
	}
	p("Curves, as changes to `scenarios/%s`:\n", r.Scenario)
	for _, runs := range r.Runs {
		p("- %s: `%s`", runs.Curve.Label, strings.Join(runs.Curve.Set, "` `"))
	}
	if all := r.warnings(); all != nil {
		p("\nWarnings of the runs with the first seed:\n")
		for _, w := range all {
			p("- %s", w)
		}
	}
	return b.String()
}

// warnings are those of the runs with the first seed, each once, with the curves that have it.
func (r *Results) warnings() (all []string) {
	var texts []string
	curves := map[string][]string{} // by text
	for _, runs := range r.Runs {
		for _, w := range runs.Infos[0].Warnings {
			if curves[w] == nil {
				texts = append(texts, w)
			}
			if !slices.Contains(curves[w], runs.Curve.Label) {
				curves[w] = append(curves[w], runs.Curve.Label)
			}
		}
	}
	for _, w := range texts {
		of := strings.Join(curves[w], "; ")
		if n := len(curves[w]); n == len(r.Runs) && n > 1 {
			of = fmt.Sprintf("all %d curves", n)
		}
		all = append(all, of+": "+w)
	}
	return all
}

// settings is the part of a page on the open settings: what they are, and what the claims came to at every point.
func (of *paged) settings(f *Figure) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	j := of.judged
	p("## Over the settings that the paper leaves open\n")
	p("The claims are judged by the same words at %d points of a Latin hypercube, %d seeds each. `simulate reproduce "+
		"--settings %s` computes them; what was measured at each point is in [%s](%s).\n", len(j.Points), j.Seeds,
		f.Name, judgedFile, judgedFile)
	if j.Set != nil {
		p("Its runs are made with `%s`: %s.\n", strings.Join(j.Set, "` `"), f.Grid.Why)
	}
	p("| setting | changes | may be | on this page |\n|---|---|---|---|")
	for _, s := range j.Settings {
		p("| %s | `%s` | %s | %s |", s.Name, strings.Join(s.Paths, "`, `"), s.Range, s.Taken)
	}
	p("\nClaims by their number in the table above: ✓ holds, ◐ holds in part, ✗ does not hold, – nothing to " +
		"judge.\n")
	head, rule := "|", "|"
	for _, s := range j.Settings {
		head, rule = head+" "+s.Name+" |", rule+"---|"
	}
	for k, c := range of.claims {
		if c.Share != nil {
			head, rule = head+fmt.Sprintf(" %d |", k+1), rule+"---|"
		}
	}
	p("%s\n%s", head, rule)
	var failures []string
	for i, point := range j.Points {
		row := "|"
		for k, v := range point.Values {
			row += " " + f.Grid.Settings[k].word(v) + " |"
		}
		if point.Failed != "" {
			failures = append(failures, fmt.Sprintf("- point %d: %s", i+1, point.Failed))
		}
		for k := range j.Claims {
			row += " " + map[Assessment]string{Holds: "✓", HoldsInPart: "◐", Fails: "✗", NotTested: "–",
				Void: ""}[point.Assessments[k]] + " |"
		}
		p("%s", row)
	}
	p("")
	if failures != nil {
		p("At these points runs failed, and claims that they have a part in are not judged:\n\n%s\n",
			strings.Join(failures, "\n"))
	}
	for _, c := range of.charts {
		p("![%s](%s.svg)\n", c.chart.Title, c.name)
	}
	return b.String()
}

func seedsPhrase(n int) string {
	if n == 1 {
		return "One run"
	}
	return fmt.Sprintf("Mean and range of %d runs, seeds 1 to %d", n, n)
}

// row is the statement in a page's table.
func (s Statement) row() string { return Claim{Statement: s}.row() }

// row is the claim in a page's table: what was measured on the page and over the settings, and its one verdict.
func (c Claim) row() string {
	verdict, why := c.judged()
	measured := c.Measured
	if why != "" {
		measured += "; " + why
	}
	return fmt.Sprintf("| %s | %s %s", c.Text, measured, verdict.cell())
}

// cell is the last cell of a row, with the marks around it.
func (a Assessment) cell() string { return fmt.Sprintf("| **%s** |", a) }

// statementRow is a row of a page's table of statements.
type statementRow struct {
	text       string
	assessment Assessment
}

// statementRows reads the rows that [Statement.row] wrote on a page.
func statementRows(page string) (rows []statementRow) {
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		for _, a := range append(slices.Clone(assessments), ForComparison) {
			if strings.HasPrefix(line, "| ") && strings.HasSuffix(line, a.cell()) {
				rows = append(rows, statementRow{line, a})
			}
		}
	}
	return rows
}

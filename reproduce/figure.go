// What a paper's figure is made of, and the register of figures.

package reproduce

import (
	"slices"
	"strings"

	"overhear/report/plot"
)

// Figure is one figure or table of a paper.
type Figure struct {
	Name       string // as on the command line
	Paper      string // its short name, and where in it
	Title      string
	Scenario   string // file of the shipped scenario that all curves change
	Seeds      int    // of a curve: 1, 2, …
	Stated     string // what the paper says of its setting
	Chosen     string // what the paper leaves open, and what is taken here
	Curves     []*Curve
	Charts     []Chart
	Statements func(r *Results) []Statement // what the paper states, assessed by the results
	Extra      func(r *Results) string      // more for the page, Markdown; may be nil
	Drawings   func(r *Results, draw Draw)  // pictures that are not of a column; may be nil
	Grid       *Grid                        // the settings that the paper leaves open; nil: none that matters
}

// Draw takes a picture; name is that of its file.
type Draw func(name string, c plot.Chart)

// Curve is a change to the figure's scenario. Charts and statements name a curve by its pointer.
type Curve struct {
	Label string   // in legends, on the page and in data.csv; unique in a figure
	Set   []string // `path=value`, as for --set
	Group string   // in charts against a parameter: the line that the curve is a point of
	X     float64  // in charts against a parameter: the parameter
	Epoch int      // rounds of an epoch, where charts against rounds count epochs; 0: one
}

// Chart is a picture of one column of metrics.csv.
type Chart struct {
	Name, Title string // the file, without its ending; the heading
	X, Y        string // columns; X "" is a chart against the curves' X
	XLabel      string
	YLabel      string
	LogX, LogY  bool
	Curves      []*Curve         // nil: all
	Rounds      func(t int) bool // charts against rounds: which are drawn; nil: all
	Points      []int            // charts against a parameter: the rounds, a line each; nil: the last
}

// draws says whether a curve is in the chart.
func (c *Chart) draws(curve *Curve) bool { return c.Curves == nil || slices.Contains(c.Curves, curve) }

var figures []*Figure

// Register adds figures to those of [Figures]. A paper's file calls it from init.
func Register(f ...*Figure) { figures = append(figures, f...) }

// Figures are all registered figures, by name.
func Figures() []*Figure {
	return slices.SortedFunc(slices.Values(figures), func(a, b *Figure) int { return strings.Compare(a.Name, b.Name) })
}

// FindFigure returns the figure of that name.
func FindFigure(name string) (*Figure, bool) {
	k := slices.IndexFunc(figures, func(f *Figure) bool { return f.Name == name })
	if k < 0 {
		return nil, false
	}
	return figures[k], true
}

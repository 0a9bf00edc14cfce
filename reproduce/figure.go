// What a figure is made of.

package reproduce

import (
	"slices"
	"strings"
)

// Figure is one figure or table of a paper.
type Figure struct {
	Name     string // as on the command line
	Paper    string // short name, and where in it
	Title    string
	Scenario string // file of the scenario that all curves change
	Seeds    int    // seeds 1, 2, …
	Stated   string // what the paper says of its setting
	Chosen   string // what it leaves open, and what was taken
	Curves   []Curve
	Charts   []Chart
	Claims   func(r *Results) []Claim
	Extra    func(r *Results) string // more for the page, Markdown; may be nil
}

// Curve is a change to the figure's scenario.
type Curve struct {
	Label string
	Set   []string // `path=value`
	Group string   // in charts against a parameter: the line it is a point of
	X     float64  // and its place
	Epoch int      // rounds of an epoch, where charts against rounds count epochs; 0: one
}

// Chart is a picture of some columns of metrics.csv.
type Chart struct {
	Name, Title string
	X, Y        string // columns; X "" is the curves' own X, at their last round
	XLabel      string
	YLabel      string
	LogX, LogY  bool
	Curves      func(label string) bool // nil: all
	Rounds      func(t int) bool        // nil: all
	Points      []int                   // X "": these rounds instead of the last, a line each
}

// Claim is what a paper states beside what was measured.
type Claim struct {
	States   string
	Measured string
	Holds    Verdict
}

// Verdict of a claim.
type Verdict string

// Verdicts.
const (
	Holds     Verdict = "holds"
	Fails     Verdict = "does not hold"
	Partly    Verdict = "holds in part"
	NotTested Verdict = "cannot be tested"
)

// verdict is Holds or Fails.
func verdict(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Fails
}

var figures []*Figure

// register adds figures; each paper's file calls it from init.
func register(f ...*Figure) { figures = append(figures, f...) }

// Figures are all figures, by name.
func Figures() []*Figure {
	all := slices.Clone(figures)
	slices.SortFunc(all, func(a, b *Figure) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Find returns the figure of that name.
func Find(name string) (*Figure, bool) {
	for _, f := range figures {
		if f.Name == name {
			return f, true
		}
	}
	return nil, false
}

// prefix selects curves by the beginning of their labels.
func prefix(p string) func(string) bool {
	return func(label string) bool { return strings.HasPrefix(label, p) }
}

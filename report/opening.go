// How an audit's table and its page in a report begin, in the same words.

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"overhear/internal/plural"
	"overhear/privacy"
	"overhear/record"
	"overhear/report/plot"
)

// Opening is what an audit comes to, in ten lines at most: a title, a table with a row for each claim and one for the
// certificate, the worst first, and notes. A terminal and a report say it in the same words.
type Opening struct {
	Title string
	Head  []string
	Rows  [][]string // the verdict first
	Notes [][2]string
}

// The columns of an opening's table.
const (
	ofVerdict = iota
	ofClaim
	ofClaimed
	ofCertified
	ofMeasured
	ofShare
	ofSearched
	ofReason
)

// NewOpening opens an audit.
func NewOpening(a *record.Audit) *Opening {
	o := &Opening{
		Title: fmt.Sprintf("%s: %s of %s, %s in each of two worlds", a.Name, kindOf(a), a.Algorithm,
			plural.Of(max(1, a.Runs), "run")),
		Head: []string{ofVerdict: "verdict", ofClaim: "of", ofClaimed: "claimed ε (δ)", ofCertified: "certified ε (δ)",
			ofMeasured: "measured ε (δ)", ofShare: "share", ofSearched: "searched ε", ofReason: "why"},
	}
	certified := "–"
	failed := slices.ContainsFunc(a.Checks, func(c record.Check) bool { return !c.Holds })
	if c := a.Certificate; c != nil && c.Reason == "" && !failed { // else it is of another method than the one that ran
		certified = AtDelta(c.Epsilon, c.Delta)
	}
	add := func(v *record.Verdict, claimed, certified string) {
		o.Rows = append(o.Rows, []string{
			ofVerdict: v.Verdict, ofClaim: v.Claim + ", " + v.Where(), ofClaimed: claimed, ofCertified: certified,
			ofMeasured: AtDelta(v.Measured, v.Delta), ofShare: percent(v.Share), ofSearched: Searched(v.Searched,
				v.Bound),
			ofReason: v.Reason,
		})
	}
	for k := range a.Verdicts {
		v := &a.Verdicts[k]
		of := certified
		if v.Scope == record.WorstRound {
			of = "–" // it is of the run
		}
		add(v, AtDelta(v.Epsilon, v.Delta), of)
	}
	if a.Certified != nil {
		add(a.Certified, "–", certified)
	}
	slices.SortStableFunc(o.Rows, func(a, b []string) int { return cmp.Compare(Rank(a[0]), Rank(b[0])) })
	note := func(name, text string) { o.Notes = append(o.Notes, [2]string{name, text}) }
	if a.View != nil || a.BlackBox != nil && a.BlackBox.Why != "" {
		note("view", a.Threat.Sees)
	}
	if a.Threat.Acts != "" {
		note("acts", a.Threat.Acts)
	}
	if a.BlackBox != nil && a.BlackBox.Why != "" {
		note("bound", "what is measured is a lower bound, by packets: "+a.BlackBox.Why+
			"; what is certified is an upper bound, of one who sees all")
	}
	if len(a.Checks) > 0 {
		note("checks", checksOf(a.Checks))
	}
	switch c := a.Certificate; {
	case c == nil && a.BlackBox != nil:
		note(certificateTitle, "none: it is by the law of a method's noise, and a black-box audit takes no method at "+
			"its word; simulate audit has it")
	case c == nil:
	case c.Reason != "":
		note(certificateTitle, "NOT CERTIFIED: "+c.Reason)
	case a.Certified != nil:
		note("tightness", fmt.Sprintf("measured ÷ certificate is %s for the worst pair: %s", percent(a.Certified.Share),
			a.Pair.What))
		if c.Covers != "" {
			note("covered", c.Covers)
		}
	}
	if e := a.Elsewhere; e != nil {
		note("elsewhere", fmt.Sprintf("node %d is certified %s, the most; adversary.audit.node: %d audits it",
			e.Node, AtDelta(e.Epsilon, e.Delta), e.Node))
	}
	if c := a.Certificate; c != nil { // worlds differ in a prepared row
		if given := givenOf(c); len(given) > 0 {
			note("given", "no claim, certificate or measurement is of what is taken from the rows without noise: "+
				strings.Join(given, "; "))
		}
	}
	switch s := a.Search; {
	case s == nil:
	case s.Why != "":
		note("searched", "the worst trace is not searched: "+s.Why)
	case s.Bound > 0 && a.Pair.Unit == privacy.Sample && !record.Met(a.Condition):
		note("searched", "over all traces of the method's law and all pairs of rows of norm at most 1")
	}
	return o
}

// kindOf names an audit.
func kindOf(a *record.Audit) string {
	switch {
	case a.BlackBox != nil:
		return "black-box audit"
	case a.View != nil:
		return "exact audit of a view"
	}
	return "audit"
}

// Rank orders verdicts: what is refuted first.
func Rank(verdict string) int {
	return slices.Index([]string{record.Consistent, record.NotEstablished, record.Violated}, verdict) * -1
}

// checksOf says how many checks hold, which of these could not have failed, and which do not.
func checksOf(checks []record.Check) string {
	var failed, blind []string
	for i := range checks {
		switch c := &checks[i]; {
		case !c.Holds:
			failed = append(failed, string(c.Kind))
		case c.Finding() == "":
			blind = append(blind, string(c.Kind))
		}
	}
	text := fmt.Sprintf("%d of %d hold", len(checks)-len(failed), len(checks))
	if len(blind) > 0 {
		text += "; unable to find any deviation with 99 %: " + strings.Join(blind, ", ")
	}
	if len(failed) > 0 {
		text += "; FAILED: " + strings.Join(failed, ", ")
	}
	return text
}

// AtDelta is a loss and its δ as text.
func AtDelta(epsilonOf, delta record.Number) string {
	text := epsilon(epsilonOf)
	if text == "–" || math.IsNaN(float64(delta)) {
		return text
	}
	return text + " (" + Delta(delta) + ")"
}

// Delta is a δ as text.
func Delta(delta record.Number) string {
	return plot.Typeset(strconv.FormatFloat(float64(delta), 'g', 3, 64))
}

// percent is a share as text.
func percent(share record.Number) string {
	switch v := float64(share); {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "∞"
	default:
		return fmt.Sprintf("%.3g %%", 100*v)
	}
}

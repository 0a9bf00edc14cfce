// The report opens with the verdicts, in the words of the audit's table.

package attack

import (
	"bytes"
	"html"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overhear/record"
	"overhear/report"
	"overhear/report/plot"
)

// certifiedAudit is an audit with a certificate of ε = 2 at 10⁻⁵ and what was measured beside it.
func certifiedAudit(name string) *record.Audit {
	a := exampleAudit(name, 0.9, 3)
	a.Verdicts = a.Verdicts[1:2]
	a.Verdicts[0].Share, a.Verdicts[0].Searched, a.Verdicts[0].Bound = 0.25, 1.1, 1.4
	a.Verdicts[0].Tests = []record.Test{{Method: "exact ratios", Epsilon: 3, Measured: 0.75},
		{Method: "threshold test", Epsilon: 3, Measured: 0.125}}
	a.Certificate = &record.Certificate{Unit: "sample", Node: 2, Epsilon: 2, Delta: 1e-5}
	for k := range 33 {
		e, alarms := float64(k)/12, float64(k*k)/(32*32)
		a.Certificate.Curve = append(a.Certificate.Curve, record.LossPoint{Epsilon: record.Number(e),
			Delta: record.Number(0.6 * math.Exp(-e*e*2.75))})
		a.Certificate.TradeOff = append(a.Certificate.TradeOff, record.ErrorPoint{Alarms: record.Number(alarms),
			Missed: record.Number(math.Pow(1-math.Sqrt(alarms), 2))})
	}
	for k := range 33 {
		e := float64(k) / 20
		d := 0.4 * math.Exp(-e*e*3)
		a.Curve = append(a.Curve, record.MeasuredDelta{Epsilon: record.Number(e), Delta: record.Number(d),
			Low: record.Number(0.9 * d), High: record.Number(1.1*d + 0.001)})
	}
	a.Certified = &record.Verdict{Claim: "certificate of one sample of node 2", Scope: record.WholeRun, Node: 2,
		Epsilon: 2,
		Delta:   1e-5, Measured: 1.5, Share: 0.75, Method: "exact ratios", Verdict: record.Consistent,
		Reason: "the measured loss is 75 % of the certificate", Tests: []record.Test{{Method: "exact ratios",
			Epsilon:  2,
			Measured: 1.5}}}
	return a
}

var tags = regexp.MustCompile(`(?s)<[^>]*>`)

// words are what a part of a page says, the texts between its tags, in order.
func words(page string) (all []string) {
	for _, text := range tags.Split(page, -1) {
		if text = strings.TrimSpace(html.UnescapeString(text)); text != "" {
			all = append(all, strings.TrimLeft(text, "✓✗? "))
		}
	}
	return all
}

// The first lines of an audit's table, at most ten, are the first section of its page, word for word.
func TestOpening_TerminalAndReportSayTheSame(t *testing.T) {
	failing := certifiedAudit("failing")
	failing.Verdicts[0].Verdict, failing.Verdicts[0].Reason = record.Violated,
		"the measured loss exceeds the claim by 1"
	failing.Search = &record.Search{Why: "nothing is known of it"}
	uncertified := certifiedAudit("uncertified")
	uncertified.Certified, uncertified.Certificate = nil, &record.Certificate{Reason: "nothing is proved"}
	for _, a := range []*record.Audit{certifiedAudit("whole"), failing, uncertified, exampleAudit("plain", 0.9, 1.5)} {
		var b bytes.Buffer
		if err := report.AuditTable(&b, a, "out"); err != nil {
			t.Fatal(err)
		}
		first, _, found := strings.Cut(b.String(), "\nclaim ")
		lines := strings.Split(first, "\n")
		if !found || len(lines) > 10 {
			t.Fatalf("%s: %d lines before the claim in\n%s", a.Name, len(lines), b.String())
		}
		var terminal []string
		for _, l := range lines {
			terminal = append(terminal, regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(l), -1)...)
		}
		e := &Evaluation{Audits: []*record.Audit{a}, Command: "simulate report out"}
		_, section, found := strings.Cut(write(t, e.HTML), `<section id="verdicts">`)
		section, _, closed := strings.Cut(section, "</section>")
		if !found || !closed {
			t.Fatal("no section of verdicts")
		}
		if got := words(section)[1:]; !slices.Equal(got, terminal) { // after the section's title
			t.Errorf("%s: the page says\n%q\nthe terminal\n%q", a.Name, got, terminal)
		}
		whole := strings.Join(terminal, "\n")
		for _, v := range a.Judged() {
			if !strings.Contains(whole, v.Verdict) || !strings.Contains(whole, v.Reason) {
				t.Errorf("%s: the opening lacks %+v", a.Name, v)
			}
		}
		for _, want := range []string{"claimed ε (δ)", "certified ε (δ)", "measured ε (δ)", "searched ε",
			"1 of 2 hold"} {
			if !strings.Contains(whole, want) {
				t.Errorf("%s: the opening lacks %q:\n%s", a.Name, want, first)
			}
		}
		markdown := write(t, e.Markdown)
		for _, text := range []string{"## Verdicts", "## Claim, certificate", "## Checks", "repeat it with",
			"simulate report"} {
			at := strings.Index(markdown, text)
			if at < 0 && text != "## Claim, certificate" {
				t.Errorf("%s: the page lacks %q", a.Name, text)
			}
			if at >= 0 && at < strings.Index(markdown, "## Verdicts") {
				t.Errorf("%s: %q stands before the verdicts", a.Name, text)
			}
		}
		if last := markdown[strings.LastIndex(markdown, "\n## "):]; !strings.Contains(last, "repeat it with") ||
			!strings.Contains(last, "simulate report out") {
			t.Errorf("%s: provenance is not the last section:\n%s", a.Name, last)
		}
	}
	sound := certifiedAudit("whole")
	if of := report.NewOpening(sound); slices.ContainsFunc(of.Rows, func(row []string) bool {
		return slices.Contains(row, "2 (10⁻⁵)")
	}) {
		t.Errorf("a certificate stands beside a check that fails: %q", of.Rows)
	}
	for k := range sound.Checks {
		sound.Checks[k].Holds = true
	}
	whole := report.NewOpening(sound)
	for _, want := range []string{"3 (10⁻⁵)", "2 (10⁻⁵)", "1.5 (10⁻⁵)", "25 %", "75 %", "1.1 to 1.4"} {
		if !slices.ContainsFunc(whole.Rows, func(row []string) bool { return slices.Contains(row, want) }) {
			t.Errorf("no cell is %q: %q", want, whole.Rows)
		}
	}
	if n := whole.Notes[1]; n[0] != "tightness" || !strings.Contains(n[1], "75 %") ||
		!strings.Contains(n[1], "row 17 is replaced by its opposite") {
		t.Errorf("tightness: %q", n)
	}
	given := certifiedAudit("given")
	given.Certificate.Given = []record.Taken{{Key: "problem.repeated", What: "rows that repeat others are left out",
		Covers: "rows that repeat no other"}}
	for range 2 {
		n := report.NewOpening(given).Notes
		last := n[len(n)-1]
		if last[0] != "given" || !strings.HasSuffix(last[1], "covered: rows that repeat no other") {
			t.Errorf("what a certificate takes as given: %q", n)
		}
		given.Certificate.Reason, given.Certified = "none is proved", nil // nor is a claim of it
	}
}

// What is claimed, certified and measured is drawn with its band, and what is outside of the figure is told.
func TestCurves_ClaimCertificateAndMeasurement(t *testing.T) {
	a := certifiedAudit("whole")
	page := write(t, (&Evaluation{Audits: []*record.Audit{a}}).HTML)
	section := page[strings.Index(page, `<section id="curves">`):]
	section = section[:strings.Index(section, "</section>")]
	drawn := svgs.FindAllString(section, -1)
	if len(drawn) != 2 {
		t.Fatalf("%d figures", len(drawn))
	}
	for _, svg := range drawn {
		checkDrawing(t, svg)
	}
	for _, want := range []string{"claimed", "certified", "measured, with 95 % confidence",
		"least that the claim allows", "least that the certificate allows", "guessing"} {
		if !strings.Contains(section, want) {
			t.Errorf("the figures lack %q", want)
		}
	}
	if strings.Contains(section, "outside of the figure") {
		t.Error("a claim of 3 beside curves up to 2.7 is said to be outside of the figure")
	}
	a.Verdicts[0].Epsilon = 50
	if page := write(t, (&Evaluation{Audits: []*record.Audit{a}}).HTML); !strings.Contains(page,
		"The claimed ε of 50 is outside of the figure") {
		t.Error("a claim of 50 beside curves up to 2.7 is not said to be outside of the figure")
	}
	// A run has a claim and a certificate, and nothing that was measured.
	run := &Evaluation{Accounts: []Account{{Name: "run", Seed: 3, Privacy: &record.Privacy{
		Claims:       []record.Claim{{Node: 2, Unit: "sample", Epsilon: 3, Delta: 0}, {Unit: "label", Epsilon: 9}},
		Certificates: []record.Certificate{*a.Certificate, {Unit: "label", Epsilon: nan, Reason: "no proof"}}}}}}
	text := write(t, run.Markdown)
	for _, want := range []string{"| run, seed 3 | row | 3 (0) | 2 (10⁻⁵) |",
		"| run, seed 3 | row's label | 9 (0) | NOT CERTIFIED | no proof |",
		"### δ(ε): claim, certificate and measurement"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page of a run lacks %q:\n%s", want, text)
		}
	}
}

// What is computed from a law has neither intervals nor a confidence.
func TestCurves_OfAnExactLaw(t *testing.T) {
	a := certifiedAudit("exact")
	a.View = &record.Sighting{Mu: 0.5, All: 1}
	a.Power.AUC, a.Power.Confidence, a.Power.Counts = 0.7, 0, [4]int{}
	text := write(t, (&Evaluation{Audits: []*record.Audit{a}}).Markdown)
	for _, want := range []string{"| claimed | certified | exact |", "By the exact law it is what the pair of worlds"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	for _, not := range []string{"| measured, with 95 % confidence |", "0 % confidence", "of the other half",
		"interval of each"} {
		if strings.Contains(text, not) {
			t.Errorf("the page says %q", not)
		}
	}
}

// A report has what the runs of a sweep lose together, and the best of a selection.
func TestEvaluation_HasWhatTuningLoses(t *testing.T) {
	of := func(claim, certificate record.Figure) record.Lost {
		return record.Lost{Claim: claim, Certificate: certificate}
	}
	none := record.Figure{Reason: "run 1 claims nothing of a row"}
	one := of(record.Figure{Epsilon: 2}, record.Figure{Epsilon: 1, Delta: 1e-5})
	best := of(none, record.Figure{Epsilon: 1.5, Delta: 1e-5})
	e := &Evaluation{Tunings: []Tuning{
		{"grid", &record.Tuning{Runs: 3, Units: []record.Protected{{Unit: "sample", One: one, All: best}}}},
		{"chosen", &record.Tuning{Units: []record.Protected{{Unit: "sample", One: one, Best: &best}},
			Selection: &record.Selection{Mean: 4}}},
	}}
	text := write(t, e.Markdown)
	for _, want := range []string{
		"| grid | row | one run, the one that loses most | 2 | 1 at δ = 1e-05 |",
		"| grid | row | all 3 runs | none: run 1 claims nothing of a row | 1.5 at δ = 1e-05 |",
		"| chosen | row | the best of a geometric number of runs of mean 4 | none: run 1 claims nothing of a row |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

// The δ(ε) that follows from (ε₀, δ₀) is that of the two worlds with which it is met with equality: their trade-off has
// the corner of both inequalities. It is δ₀ from ε₀ on, and never above 1.
func TestAllows_IsTheCurveOfTheRegion(t *testing.T) {
	for _, c := range []struct{ epsilon, delta float64 }{{0, 0.1}, {0.5, 0}, {2, 0.01}, {50, 1e-5}} {
		for _, at := range []float64{0, 0.3, 0.5, 1.7, 2, 40, 60} {
			// δ(ε) = max over tests of TPR − e^ε FPR, at the corner of the region
			want := c.delta
			for k := range 100001 {
				fpr := float64(k) / 100000
				if k > 0 && c.epsilon > 5 {
					fpr = math.Exp(-60 * float64(k) / 100000)
				}
				if v := region(c.epsilon, c.delta, fpr) - math.Exp(at)*fpr; v > want {
					want = v
				}
			}
			if got := allows(c.epsilon, c.delta, at); !(math.Abs(got-want) <= 2e-3) {
				t.Errorf("(%v, %v) at %v: %v, want %v", c.epsilon, c.delta, at, got, want)
			}
		}
	}
	if got := allows(1000, 0, 60); !(math.Abs(got-1) <= 1e-12) {
		t.Errorf("(1000, 0) at 60: %v, want 1", got)
	}
}

// A falling line ends on the floor of the figure: where a straight line on the logarithmic axis meets it.
func TestDown_EndsOnTheFloor(t *testing.T) {
	g := ofAudit(certifiedAudit("x"))
	a := new(album)
	if a.delta(&g) == nil || a.tradeOff(&g) == nil {
		t.Fatal("nothing is drawn")
	}
	l := down(lineOf([]float64{0, 1, 2}, []float64{1, 1e-2, 1e-10}), 1e-4)
	if len(l.X) != 3 || !(math.Abs(l.X[2]-1.25) <= 1e-12) || l.Y[2] != 1e-4 {
		t.Errorf("%v %v", l.X, l.Y)
	}
	if l := down(lineOf([]float64{0, 1}, []float64{1, 0}), 1e-4); l.X[1] != 1 || l.Y[1] != 1e-4 {
		t.Errorf("%v %v", l.X, l.Y)
	}
}

func lineOf(x, y []float64) plot.Line { return plot.Line{X: x, Y: y} }

// What is claimed, certified and measured, as whole curves: δ(ε), and false against missed alarms.

package attack

import (
	"fmt"
	"math"
	"slices"

	"overhear/internal/plural"
	"overhear/privacy"
	"overhear/record"
	"overhear/report"
	"overhear/report/plot"
)

// Account is what a run claims, and what is certified of it.
type Account struct {
	Name    string          `json:"name"`
	Seed    uint64          `json:"seed"`
	Privacy *record.Privacy `json:"privacy"`
}

// guarantee is an (ε, δ) that is claimed, and certificate and measurement to set beside it; each may be missing.
type guarantee struct {
	epsilon, delta float64 // NaN: nothing is claimed
	certificate    *record.Certificate
	measured       []record.MeasuredDelta
	roc            []record.ROC
	by             string // name of the measured curves
}

// ofAudit is what an audit is of.
func ofAudit(a *record.Audit) guarantee {
	g := guarantee{epsilon: math.NaN(), certificate: a.Certificate, measured: a.Curve, by: measuredBy(a)}
	for _, v := range claims(a)[:min(1, len(claims(a)))] {
		g.epsilon, g.delta = float64(v.Epsilon), float64(v.Delta)
	}
	if a.Curve != nil { // else the ratios are of no known law
		g.roc = a.ROC
	}
	return g
}

// ofRun is what a run claims at the node that claims most, beside a certificate.
func ofRun(p *record.Privacy, c *record.Certificate) guarantee {
	g := guarantee{epsilon: math.NaN(), certificate: c, by: lineMeasured}
	unit := c.Unit
	if !slices.ContainsFunc(p.Claims, func(claim record.Claim) bool { return claim.Unit == unit }) {
		unit = privacy.Sample // a row is protected with its label
	}
	for _, claim := range p.Claims {
		if e := float64(claim.Epsilon); claim.Unit == unit && finite(e) && !(e <= g.epsilon) {
			g.epsilon, g.delta = e, float64(claim.Delta)
		}
	}
	return g
}

func (g *guarantee) certified() bool { return g.certificate != nil && len(g.certificate.Curve) > 0 }

// allows is the least δ at ε that follows from (ε₀, δ₀)-differential privacy alone.
func allows(epsilon, delta, at float64) float64 {
	if at >= epsilon {
		return delta
	}
	// (1+e^ε)/(1+e^ε₀) without an overflow
	return 1 - (1-delta)*(math.Exp(at-epsilon)+math.Exp(-epsilon))/(1+math.Exp(-epsilon))
}

// The names of the curves, which the tables of numbers have too.
const (
	lineClaimed   = "claimed"
	lineCertified = "certified"
	lineMeasured  = "measured, with 95 % confidence"
	lineExact     = "exact"
)

// measuredBy names what an audit measured: by runs, or by the law itself.
func measuredBy(a *record.Audit) string {
	if a.View != nil {
		return lineExact
	}
	return lineMeasured
}

// Places of lines in the palette, the same in every chart of a report.
const (
	placeClaimed = iota + 1
	placeCertified
	placeMeasured
)

// shown is how far a claim may be beyond the other curves, as a multiple, to be in the figure with them.
const shown = 2.0

// delta draws δ(ε); nil if there is nothing to set beside a claim.
func (a *album) delta(g *guarantee) *drawing {
	if !g.certified() && len(g.measured) == 0 {
		return nil
	}
	end := 0.0
	p := &plot.Chart{Title: "δ(ε): claim, certificate and measurement", X: plot.Linear("ε"), Y: plot.Log("δ")}
	numbers := &table{Head: []string{"ε", lineClaimed, lineCertified, g.by, "from", "to"}}
	var certified, measured plot.Line
	if g.certified() {
		certified = plot.Line{Label: lineCertified, Look: plot.Plain, Place: placeCertified}
		for _, c := range g.certificate.Curve {
			certified.X = append(certified.X, float64(c.Epsilon))
			certified.Y = append(certified.Y, float64(c.Delta))
			end = math.Max(end, float64(c.Epsilon))
		}
		certified = chords(certified)
	}
	if len(g.measured) > 0 {
		measured = plot.Line{Label: g.by, Look: plot.Plain, Place: placeMeasured}
		for _, m := range g.measured {
			measured.X, measured.Y = append(measured.X, float64(m.Epsilon)), append(measured.Y, float64(m.Delta))
			measured.Low, measured.High = append(measured.Low, float64(m.Low)), append(measured.High, float64(m.High))
			end = math.Max(end, float64(m.Epsilon))
		}
	}
	text := ""
	var claimed plot.Line
	if !math.IsNaN(g.epsilon) {
		if g.epsilon > shown*end {
			text = fmt.Sprintf("The claimed ε of %s is outside of the figure. ", plot.Number(g.epsilon))
		} else {
			end = math.Max(end, g.epsilon)
		}
		claimed = plot.Line{Label: lineClaimed, Look: plot.Plain, Place: placeClaimed}
		var grid []float64
		for k := range 65 {
			grid = append(grid, float64(k)/64*end)
		}
		for k := range 40 { // it falls to its δ ever faster
			if at := g.epsilon * (1 - math.Exp2(-float64(k)/2)); at <= end {
				grid = append(grid, at)
			}
		}
		if g.epsilon <= end {
			grid = append(grid, g.epsilon)
		}
		slices.Sort(grid)
		for _, at := range grid {
			claimed.X, claimed.Y = append(claimed.X, at), append(claimed.Y, allows(g.epsilon, g.delta, at))
		}
	}
	floor := 1e-6
	if g.certified() && g.certificate.Delta > 0 {
		floor = math.Min(floor, float64(g.certificate.Delta)/10)
	}
	p.X.Low, p.X.High, p.Y.Low, p.Y.High = 0, end, floor, 1
	for _, l := range []plot.Line{claimed, certified, measured} {
		if l.Label != "" {
			p.Lines = append(p.Lines, down(l, floor))
		}
	}
	const rows = 16
	for k := range rows + 1 {
		at := float64(k) / rows * end
		row := []cell{value(at), value(math.NaN())}
		if !math.IsNaN(g.epsilon) {
			row[1] = value(allows(g.epsilon, g.delta, at))
		}
		row = append(row, value(between(certified.X, certified.Y, at)), value(between(measured.X, measured.Y, at)),
			value(between(measured.X, measured.Low, at)), value(between(measured.X, measured.High, at)))
		numbers.Rows = append(numbers.Rows, row)
	}
	text += "A point (ε, δ) on the curve of a certificate, or of a claim that holds, is one of (ε, δ)-" +
		"differential privacy; what is measured is a pair of worlds' own, and none. A claim says no more of other ε " +
		"than follows from its own."
	p.About = "δ against ε. " + text
	return a.chart(p, text, numbers)
}

// chords adds points where a line of δ falls by more than half between two: there δ is at most the chord's in e^ε, of
// which a straight line on a logarithmic axis is far below.
func chords(l plot.Line) plot.Line {
	const more = 40
	out := l
	out.X, out.Y = nil, nil
	for k := range l.X {
		if k > 0 && l.Y[k] < l.Y[k-1]/2 {
			from, to := l.X[k-1], l.X[k]
			for i := 1; i < more; i++ { // ever nearer to the end, where it falls fastest
				at := to - (to-from)*math.Exp2(-float64(i)/2)
				share := math.Expm1(at-from) / math.Expm1(to-from)
				out.X, out.Y = append(out.X, at), append(out.Y, l.Y[k-1]+(l.Y[k]-l.Y[k-1])*share)
			}
		}
		out.X, out.Y = append(out.X, l.X[k]), append(out.Y, l.Y[k])
	}
	return out
}

// down ends a falling line where it leaves the figure, and not at its last point before.
func down(l plot.Line, floor float64) plot.Line {
	k := slices.IndexFunc(l.Y, func(y float64) bool { return y < floor })
	if k < 1 {
		return l
	}
	at := l.X[k]
	if l.Y[k] > 0 { // on a logarithmic axis
		at = l.X[k-1] + (l.X[k]-l.X[k-1])*math.Log(l.Y[k-1]/floor)/math.Log(l.Y[k-1]/l.Y[k])
	}
	l.X, l.Y = append(slices.Clone(l.X[:k]), at), append(slices.Clone(l.Y[:k]), floor)
	if l.Low != nil {
		l.Low, l.High = l.Low[:k+1], l.High[:k+1]
	}
	return l
}

// between is a curve at a place between its points; NaN outside.
func between(x, y []float64, at float64) float64 {
	for k := 1; k < len(x); k++ {
		if at >= x[k-1] && at <= x[k] && x[k] > x[k-1] {
			return y[k-1] + (y[k]-y[k-1])*(at-x[k-1])/(x[k]-x[k-1])
		}
	}
	return math.NaN()
}

// tradeOff draws false against missed alarms; nil as delta.
func (a *album) tradeOff(g *guarantee) *drawing {
	if !g.certified() && len(g.roc) < 2 {
		return nil
	}
	p := &plot.Chart{
		Title: "False against missed alarms", Square: true,
		X: plot.Axis{Label: "share of false alarms", Low: 0, High: 1},
		Y: plot.Axis{Label: "share of missed alarms", Low: 0, High: 1},
	}
	numbers := &table{Head: []string{"false alarms", lineClaimed, lineCertified, g.by, "from", "to"}}
	claimed := !math.IsNaN(g.epsilon)
	var certified, measured plot.Line
	if claimed {
		line := plot.Line{Label: "least that the claim allows", Look: plot.Plain, Place: placeClaimed,
			X: bends(g.epsilon, g.delta)}
		for _, at := range line.X {
			line.Y = append(line.Y, 1-region(g.epsilon, g.delta, at))
		}
		p.Lines = append(p.Lines, line)
	}
	if g.certified() {
		certified = plot.Line{Label: "least that the certificate allows", Look: plot.Plain, Place: placeCertified}
		for _, c := range g.certificate.TradeOff {
			certified.X, certified.Y = append(certified.X, float64(c.Alarms)), append(certified.Y, float64(c.Missed))
		}
		p.Lines = append(p.Lines, certified)
	}
	if len(g.roc) > 1 {
		measured = plot.Line{Label: g.by, Look: plot.Plain, Place: placeMeasured}
		for _, r := range g.roc {
			measured.X, measured.Y = append(measured.X, r.FPR), append(measured.Y, 1-r.TPR)
			measured.Low, measured.High = append(measured.Low, 1-r.High), append(measured.High, 1-r.Low)
		}
		p.Lines = append(p.Lines, measured)
	}
	p.Lines = append(p.Lines, plot.Line{
		Label: "guessing", Look: plot.Reference, X: []float64{0, 1}, Y: []float64{1, 0},
	})
	for k := range 17 {
		at := float64(k*k) / 256
		row := []cell{value(at), value(math.NaN())}
		if claimed {
			row[1] = value(1 - region(g.epsilon, g.delta, at))
		}
		row = append(row, value(between(certified.X, certified.Y, at)), value(between(measured.X, measured.Y, at)),
			value(between(measured.X, measured.Low, at)), value(between(measured.X, measured.High, at)))
		numbers.Rows = append(numbers.Rows, row)
	}
	text := "If the claim, or the certificate, holds, no test has fewer missed alarms at a share of false ones than " +
		"it allows; what was measured may lie below one that does not."
	p.About = "Missed against false alarms of telling the two worlds apart. " + text
	return a.chart(p, text, numbers)
}

// curves are both charts.
func (a *album) curves(g guarantee) (drawn []*drawing) {
	for _, d := range []*drawing{a.delta(&g), a.tradeOff(&g)} {
		if d != nil {
			drawn = append(drawn, d)
		}
	}
	return drawn
}

// tuningSection is what the runs of sweeps lose together, or the best of a selection.
func (e *Evaluation) tuningSection() *section {
	s := &section{ID: "tuning", Title: "Privacy of tuning"}
	t := &table{Head: []string{"sweep", "protects", "who sees", "claimed", "certified"}}
	for _, tuning := range e.Tunings {
		for _, u := range tuning.Tuning.Units {
			add := func(who string, l record.Lost) {
				t.Rows = append(t.Rows, []cell{word(tuning.Name), word(report.UnitName(u.Unit)), word(who),
					sentence(l.Claim.String()), sentence(l.Certificate.String())})
			}
			add("one run, the one that loses most", u.One)
			if x := tuning.Tuning.Selection; x != nil && u.Best != nil {
				add(fmt.Sprintf("the best of a geometric number of runs of mean %.4g", x.Mean), *u.Best)
			} else {
				add(fmt.Sprintf("all %s", plural.Of(tuning.Tuning.Runs, "run")), u.All)
			}
		}
	}
	if len(t.Rows) > 0 {
		s.add(block{Text: "Who sees several runs on the same rows, or a choice among them, sees more than one run's " +
			"ε covers. A choice by what is computed from training rows without noise is not counted.", Table: t})
	}
	return s
}

// curveSection draws what is claimed, certified and measured, of audits and of runs; runs whose seeds claim the same
// are drawn once.
func (e *Evaluation) curveSection(a *album) *section {
	s := &section{ID: "curves", Title: "Claim, certificate and measurement"}
	audits, others := e.drawn()
	if others != "" {
		s.add(block{Text: others})
	}
	for _, k := range audits {
		if drawn := a.curves(ofAudit(e.Audits[k])); drawn != nil {
			s.add(block{Heading: e.heading(k), Figures: drawn})
		}
	}
	t := &table{Head: []string{"run", "protects", "claimed ε (δ)", "certified ε (δ)", "not certified, or not covered"},
		Shown: 24}
	drawn := map[string]bool{}
	for _, account := range e.Accounts {
		for k := range account.Privacy.Certificates {
			c := &account.Privacy.Certificates[k]
			g := ofRun(account.Privacy, c)
			name := fmt.Sprintf("%s, seed %d", account.Name, account.Seed)
			why := c.Reason
			if why == "" {
				why = report.Limits(c)
			}
			claimed, certified := report.AtDelta(record.Number(g.epsilon), record.Number(g.delta)), "NOT CERTIFIED"
			if c.Reason == "" {
				certified = report.AtDelta(c.Epsilon, c.Delta)
			}
			of := report.UnitName(c.Unit)
			t.Rows = append(t.Rows, []cell{word(name), word(of), {Text: claimed, Number: true},
				{Text: certified, Number: true}, sentence(why)})
			key := fmt.Sprint(account.Name, c.Unit, claimed, certified)
			if drawn[key] {
				continue
			}
			drawn[key] = true
			if figures := a.curves(g); figures != nil {
				s.add(block{Heading: fmt.Sprintf("Run %s: one %s", name, of), Figures: figures})
			}
		}
	}
	if len(t.Rows) > 0 {
		s.add(block{Text: "What runs claim and what is certified of them; a run is not measured, an audit does that.",
			Table: t})
	}
	return s
}

// The figures of an audit: claimed and measured loss, ROC, and the ratios' distributions, each with the table of its
// numbers.

package attack

import (
	"fmt"
	"math"
	"slices"

	"overhear/adversary/stats"
	"overhear/internal/plural"
	"overhear/record"
	"overhear/report/plot"
)

// album numbers the figures of a page.
type album struct{ n int }

// chart makes a figure of a chart; nil if it would be empty.
func (a *album) chart(c *plot.Chart, text string, numbers *table) *drawing {
	return a.add(c.Picture(), text, numbers)
}

// add gives a picture its number on the page; nil if there is none.
func (a *album) add(p *plot.Picture, text string, numbers *table) *drawing {
	if p == nil {
		return nil
	}
	a.n++
	return &drawing{Title: p.Title, Text: text, SVG: p.Element(a.n), Numbers: numbers}
}

// row counts for the tables of figures.
const figureRows = 24

// wide says whether values need a logarithmic axis.
func wide(decades float64, values ...[]float64) bool {
	low, high := math.Inf(1), 0.0
	for _, all := range values {
		for _, v := range all {
			if finite(v) && v > 0 {
				low, high = math.Min(low, v), math.Max(high, v)
			}
		}
	}
	return high > 0 && high/low > math.Pow(10, decades)
}

func anyFinite(v []float64) bool { return slices.ContainsFunc(v, finite) }

// losses draws claimed and measured loss, in each round and up to it.
func (a *album) losses(audit *record.Audit) []*drawing {
	var all []*drawing
	for _, total := range []bool{false, true} {
		p := &plot.Chart{
			Title: "Privacy loss in each round", X: plot.Axis{Label: "round", Whole: true},
			Y: plot.Linear("privacy loss ε of the round"),
		}
		if total {
			p.Title, p.Y.Label = "Privacy loss up to and with each round", "privacy loss ε so far"
		}
		var rounds, claimed, largest, mean, bound []float64
		numbers := &table{Head: []string{"round", "claimed ε", "largest |log-likelihood ratio|",
			"mean |log-likelihood ratio|", "bound of the search"}}
		beyond, compared := 0, 0
		for _, l := range audit.ByRound {
			c, m, average := float64(l.Claimed), float64(l.Largest), float64(l.Mean)
			if total {
				c, m, average = float64(l.ClaimedTotal), float64(l.LargestTotal), float64(l.MeanTotal)
			}
			rounds, claimed = append(rounds, float64(l.Round)), append(claimed, c)
			largest, mean = append(largest, m), append(mean, average)
			most := math.NaN()
			if l.Bound > 0 && !total {
				most = float64(l.Bound)
			}
			bound = append(bound, most)
			numbers.Rows = append(numbers.Rows, []cell{whole(l.Round), value(c), value(m), value(average), value(most)})
			if finite(c) && !math.IsNaN(m) {
				compared++
				if m > c*(1+1e-9) {
					beyond++
				}
			}
		}
		p.Y.Log = wide(2.5, claimed, largest, mean)
		if anyFinite(claimed) {
			p.Lines = append(p.Lines, plot.Line{Label: "claimed", Look: plot.Plain, X: rounds, Y: claimed})
		}
		if anyFinite(largest) {
			p.Lines = append(p.Lines, plot.Line{Label: "measured, largest of all runs", X: rounds, Y: largest})
		}
		if anyFinite(mean) {
			p.Lines = append(p.Lines, plot.Line{Label: "measured, mean of all runs", X: rounds, Y: mean})
		}
		if anyFinite(bound) {
			p.Lines = append(p.Lines, plot.Line{Label: "searched, of any trace and pair", X: rounds, Y: bound})
		}
		text := "No loss is claimed, or the claim is not established."
		switch {
		case compared > 0 && beyond == 0:
			text = fmt.Sprintf("The largest log-likelihood ratio of any run is within the claim in all %d rounds "+
				"where there is a claim.", compared)
		case compared > 0:
			text = fmt.Sprintf("The largest log-likelihood ratio of any run exceeds the claimed ε in %d of %d "+
				"rounds. Where a δ > 0 is claimed too, a rare excess is allowed.", beyond, compared)
		}
		p.About = fmt.Sprintf("Claimed and measured privacy loss against the round, %d rounds. %s", len(rounds), text)
		if d := a.chart(p, text, numbers.thin(figureRows)); d != nil {
			all = append(all, d)
		}
	}
	return all
}

// above counts the points of a curve that lie above what (ε, δ)-differential privacy allows, with the intervals of both
// rates: what is allowed rises with the false positive rate, which the runs know no better than the true positive rate.
func above(audit *record.Audit, epsilon, delta float64) (n int) {
	for _, r := range audit.ROC {
		highest := r.FPR
		if audit.View == nil {
			_, highest = stats.ClopperPearson(int(math.Round(r.FPR*float64(audit.Runs))), audit.Runs, stats.Confidence)
		}
		if r.Low > region(epsilon, delta, highest)+1e-12 {
			n++
		}
	}
	return n
}

// region is the most true positives that (ε, δ)-differential privacy allows.
func region(epsilon, delta, fpr float64) float64 {
	up, down := math.Exp(math.Min(epsilon, 700)), math.Exp(-epsilon)
	return math.Max(0, math.Min(1, math.Min(up*fpr+delta, 1-down*(1-delta-fpr))))
}

// bends are the places between which region is straight, 0 and 1 included.
func bends(epsilon, delta float64) []float64 {
	// Where e^ε·x + δ = 1 − e^−ε·(1 − δ − x): both are symmetric, so that x is the share of either error.
	return []float64{0, (1 - delta) / (1 + math.Exp(math.Min(epsilon, 700))), 1 - delta, 1}
}

// claims are the claims on whole runs, each once.
func claims(audit *record.Audit) []record.Verdict {
	var all []record.Verdict
	for _, v := range audit.Verdicts {
		e, d := float64(v.Epsilon), float64(v.Delta)
		if v.Scope != record.WholeRun || !finite(e) || e < 0 {
			continue
		}
		if math.IsNaN(d) {
			v.Delta = 0
		}
		if !slices.ContainsFunc(all, func(o record.Verdict) bool {
			return o.Epsilon == v.Epsilon &&
				o.Delta == v.Delta
		}) {
			all = append(all, v)
		}
	}
	return all[:min(len(all), 3)]
}

func epsilonDelta(v record.Verdict) string {
	text := "ε = " + plot.Number(float64(v.Epsilon))
	if v.Delta > 0 {
		text += ", δ = " + plot.Number(float64(v.Delta))
	}
	return text
}

// roc draws the curve on logarithmic axes, where few false alarms are seen, with what the claims allow; on linear ones
// it is the figure of false against missed alarms.
func (a *album) roc(audit *record.Audit) *drawing {
	if len(audit.ROC) < 2 {
		return nil
	}
	var x, y, low, high []float64
	least := 1.0
	numbers := &table{Head: []string{"FPR", "TPR", "95 % from", "to"}}
	bounds := claims(audit)
	for _, b := range bounds {
		numbers.Head = append(numbers.Head, "allowed at "+epsilonDelta(b))
	}
	for _, r := range audit.ROC {
		x, y = append(x, r.FPR), append(y, r.TPR)
		low, high = append(low, r.Low), append(high, r.High)
		for _, v := range []float64{r.FPR, r.TPR} {
			if v > 0 {
				least = math.Min(least, v)
			}
		}
		row := []cell{value(r.FPR), value(r.TPR), value(r.Low), value(r.High)}
		for _, b := range bounds {
			row = append(row, value(region(float64(b.Epsilon), float64(b.Delta), r.FPR)))
		}
		numbers.Rows = append(numbers.Rows, row)
	}
	numbers.thin(figureRows)
	text := "The band is the 95 % interval of each point's true positive rate."
	intervals := ", with the intervals of rates"
	if audit.View != nil {
		text, intervals = "Both laws are normal and known, so that the best test's rates are computed.", ""
	}
	for _, b := range bounds {
		if n := above(audit, float64(b.Epsilon), float64(b.Delta)); n == 0 {
			text += fmt.Sprintf(" No point lies above what %s allows%s.", epsilonDelta(b), intervals)
		} else {
			text += fmt.Sprintf(" Of %s, %d lie above what %s allows%s.", plural.Of(len(x), "point"), n,
				epsilonDelta(b), intervals)
		}
	}
	floor := math.Max(1e-6, math.Min(0.1, math.Pow(10, math.Floor(math.Log10(least)+1e-9))))
	p := &plot.Chart{
		Title: "ROC on logarithmic axes", Square: true,
		X: plot.Axis{Label: "false positive rate", Log: true, Low: floor, High: 1},
		Y: plot.Axis{Label: "true positive rate", Log: true, Low: floor, High: 1},
	}
	var grid []float64
	for k := range 201 {
		grid = append(grid, math.Pow(floor, 1-float64(k)/200))
	}
	p.Lines = append(p.Lines,
		plot.Line{Label: measuredBy(audit), Look: plot.Plain, X: x, Y: y, Low: low, High: high},
		plot.Line{Label: "guessing", Look: plot.Reference, X: []float64{floor, 1}, Y: []float64{floor, 1}})
	for _, b := range bounds {
		c := plot.Line{Label: "most that " + epsilonDelta(b) + " allows", Look: plot.Plain, X: grid}
		for _, at := range grid {
			c.Y = append(c.Y, region(float64(b.Epsilon), float64(b.Delta), at))
		}
		p.Lines = append(p.Lines, c)
	}
	p.About = fmt.Sprintf("True against false positive rate of telling the two worlds apart, %d points. %s", len(x),
		text)
	return a.chart(p, text, numbers)
}

// spread is the part of a distribution that is finite: quantiles and their
// levels.
func spread(s record.Distribution) (quantiles, levels []float64) {
	for k, q := range s.Quantiles {
		if finite(float64(q)) && len(s.Quantiles) > 1 {
			quantiles = append(quantiles, float64(q))
			levels = append(levels, float64(k)/float64(len(s.Quantiles)-1))
		}
	}
	return quantiles, levels
}

// below is the share of a distribution below a value.
func below(quantiles, levels []float64, v float64) float64 {
	k, _ := slices.BinarySearch(quantiles, v)
	switch {
	case k == 0:
		return levels[0]
	case k == len(quantiles):
		return levels[k-1]
	}
	part := 1.0
	if quantiles[k] > quantiles[k-1] {
		part = (v - quantiles[k-1]) / (quantiles[k] - quantiles[k-1])
	}
	return levels[k-1] + part*(levels[k]-levels[k-1])
}

// worlds are the names of an audit's two worlds.
var worlds = [2]string{"first world", "second world"}

// ratios draws how the log-likelihood ratio of a whole run is distributed in the
// two worlds, as shares of runs in bins, from its percentiles.
func (a *album) ratios(audit *record.Audit) *drawing {
	const bins = 30
	var quantiles, levels [2][]float64
	low, high := math.Inf(1), math.Inf(-1)
	lost := 0
	for w, s := range audit.Ratios {
		quantiles[w], levels[w] = spread(s)
		if len(quantiles[w]) == 0 {
			continue
		}
		lost += len(s.Quantiles) - len(quantiles[w])
		low, high = math.Min(low, quantiles[w][0]), math.Max(high, quantiles[w][len(quantiles[w])-1])
	}
	if low > high {
		return nil
	}
	if high-low < 1e-9*math.Max(1, math.Abs(high)) {
		low, high = low-1, high+1
	}
	p := &plot.Chart{
		Title: "Log-likelihood ratio of whole runs in the two worlds",
		X:     plot.Linear("log-likelihood ratio (nats)"),
		Y:     plot.Linear("share of runs in a bin (%)"),
	}
	numbers := &table{Head: []string{"world", "mean", "least", "1 %", "10 %", "50 %", "90 %", "99 %", "greatest"}}
	for w := range worlds {
		if len(quantiles[w]) == 0 {
			continue
		}
		c := plot.Line{Label: worlds[w], Look: plot.Plain}
		width := (high - low) / bins
		// One empty bin on either side closes the outline.
		last := 0.0
		for k := -1; k <= bins; k++ {
			from, to := low+float64(k)*width, low+float64(k+1)*width
			share := 0.0
			if k >= 0 && k < bins {
				end := 1.0
				if k < bins-1 {
					end = below(quantiles[w], levels[w], to)
				}
				share = 100 * math.Max(0, end-last)
				last = math.Max(last, end)
			}
			c.X, c.Y = append(c.X, from, to), append(c.Y, share, share)
		}
		c.Low, c.High = make([]float64, len(c.X)), c.Y
		p.Lines = append(p.Lines, c)
		row := []cell{word(worlds[w]), measured(audit.Ratios[w].Mean)}
		for _, level := range []int{0, 1, 10, 50, 90, 99, 100} {
			all := audit.Ratios[w].Quantiles
			row = append(row, measured(all[level*(len(all)-1)/100]))
		}
		numbers.Rows = append(numbers.Rows, row)
	}
	text := "Shares of runs in 30 bins, from percentiles. The further the two outlines lie apart, the better the " +
		"worlds can be told apart."
	for _, b := range claims(audit) {
		e := float64(b.Epsilon)
		if reach := math.Max(math.Abs(low), math.Abs(high)); e > 4*reach {
			text += fmt.Sprintf(" The claimed ±ε of %s is far outside of the figure.", plot.Number(e))
			continue
		}
		p.Lines = append(p.Lines, plot.Line{Label: "±ε, ε = " + plot.Number(e), Look: plot.Upright,
			X: []float64{-e, e}})
	}
	if lost > 0 {
		text += " Percentiles that are not finite are left out."
	}
	p.About = fmt.Sprintf("Two histograms, one for each world, of the log-likelihood ratio from %s to %s. %s",
		plot.Number(low), plot.Number(high), text)
	return a.chart(p, text, numbers)
}

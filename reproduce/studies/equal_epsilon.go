// Private methods at the same claimed loss, and at the same measured one.

package studies

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"overhear/report/plot"
	"overhear/reproduce"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "attacks/equal-epsilon",
		Title: "Equal claims against equal measured losses",
		About: "Papers compare private methods at the same claimed ε. Claims are upper bounds, and not equally " +
			"tight: what an observer can tell at the same claim differs. " +
			"Here seven methods are given noise for the same claimed loss of a run, and audited; then noise is added " +
			"until all let out as little as the one that lets out least, and accuracy is compared again. (Taking " +
			"noise away until all let out as much as the leakiest would bring every error near the one " +
			"without noise, and hide differences.)\n\n" +
			"twonorm in five columns, 100 rows at each of five nodes, 2,000 test rows, 20 rounds; DP-ADMM has a hub " +
			"instead. Its claim is (ε, 10⁻⁵), the others' are pure. " +
			"The measured loss is what |log-likelihood ratio| of a run exceeds in one of 100 runs, of two worlds " +
			"that the audit finds hardest to hide; its greatest value would do as well, " +
			"but that of Gaussian noise has no bound. Errors are means over 40 seeds, each with its own data.",
		Compute: equalEpsilon,
	})
}

// noisyMethod is a method whose noise is scaled.
type noisyMethod struct {
	name, algorithm string // with %g for the noise level
	sets            []string

	points      []*operatingPoint // by claimedLosses
	fair, equal *operatingPoint   // at the common claim, and at the common measured loss
}

// operatingPoint is a method at a level of noise, and what was measured there.
type operatingPoint struct {
	epsilon                 float64 // claimed over the run
	level                   float64
	measured, largest, auc  float64
	error, low, high, train float64
	errors                  []float64 // by seed
	stands                  bool
}

// claimedLosses are those of the charts.
var claimedLosses = []float64{0.5, 1, 2}

const (
	claimedLoss  = 1.0 // of a run
	accuracyRuns = 40
	auditedRuns  = 400
	methodsFile  = "audit-methods.yaml"
)

func equalEpsilon(b *reproduce.Workbench) error {
	methods := []*noisyMethod{
		{name: "DVP", algorithm: "{kind: dvp, eta: 0.5, alpha: %g}"},
		{name: "PVP", algorithm: "{kind: pvp, eta: 0.5, alpha: %g}"},
		{
			name:      "M-ADMM (PP)",
			algorithm: "{kind: penalty-perturbation, eta: {initial: 0.5, ratio: 1.02}, theta: 0.5, alpha: %g}",
		},
		{name: "R-ADMM", algorithm: "{kind: private-r-admm, eta: 0.5, gamma: 0.5, alpha: %g}"},
		{
			name:      "MR-ADMM",
			algorithm: "{kind: private-mr-admm, eta: {initial: 0.5, ratio: 1.02}, gamma: 0.5, alpha: %g}",
		},
		{name: "gradient descent", algorithm: "{kind: private-dgd, step: 1, alpha: %g}"},
		{name: "DP-ADMM", algorithm: "{kind: dp-admm, eta: 0.5, step: 1, epsilon: %g}",
			sets: []string{"network.topology={kind: star, nodes: 6}"}},
	}
	most, fewest := 0.0, math.Inf(1)
	for _, m := range methods {
		for _, epsilon := range claimedLosses {
			g := &operatingPoint{epsilon: epsilon}
			if err := m.measure(b, g, epsilon == claimedLoss); err != nil {
				return err
			}
			m.points = append(m.points, g)
			if epsilon == claimedLoss {
				m.fair = g
			}
		}
		most, fewest = max(most, m.fair.measured), min(fewest, m.fair.measured)
	}
	for _, m := range methods {
		near := *m.fair
		m.equal = &near
		// The loss grows about as the claim does.
		for range 6 {
			if math.Abs(near.measured/fewest-1) < 0.02 {
				break
			}
			near.epsilon *= fewest / near.measured
			if err := m.probe(b, &near, false); err != nil {
				return err
			}
		}
		if near.epsilon != m.fair.epsilon {
			if err := m.accuracy(b, &near); err != nil {
				return err
			}
		}
	}
	stands, alike := true, true
	least, highest := methods[0], methods[0]
	var measured, largest []string
	for _, m := range methods {
		stands = stands && m.equal.stands
		for _, g := range m.points {
			stands = stands && g.stands
		}
		alike = alike && m.fair.measured > 0.9*most
		if m.fair.measured < least.fair.measured {
			least = m
		}
		if m.fair.measured > highest.fair.measured {
			highest = m
		}
		measured = append(measured, fmt.Sprintf("%s %.3g", m.name, m.fair.measured))
		largest = append(largest, fmt.Sprintf("%s %.3g", m.name, m.fair.largest))
	}
	b.State("methods of the same claimed ε protect as well", reproduce.Assess(alike),
		"claimed ε = %g over the run; measured: %s: %s lets out %.3g times as much as %s",
		claimedLoss, strings.Join(measured, ", "), highest.name, highest.fair.measured/least.fair.measured, least.name)
	first := func(m *noisyMethod) *operatingPoint { return m.fair }
	second := func(m *noisyMethod) *operatingPoint { return m.equal }
	before, wide := ranking(methods, first)
	after, narrow := ranking(methods, second)
	leader := slices.MinFunc(methods, func(a, b *noisyMethod) int { return cmp.Compare(a.fair.error, b.fair.error) })
	claimedLead, measuredLead := 0, 0
	for _, m := range methods {
		if better(leader.fair, m.fair) < 0 {
			claimedLead++
		}
		if better(leader.equal, m.equal) < 0 {
			measuredLead++
		}
	}
	b.State("the most accurate method at an equal claim is the most accurate at an equal measured loss",
		reproduce.Assess(measuredLead == len(methods)-1),
		"%s has less error than %d of %d others at equal claims, than %d at equal measured losses, by more than two "+
			"standard errors of %d seeds", leader.name, claimedLead, len(methods)-1, measuredLead, accuracyRuns)
	b.State("differences in accuracy at an equal claim are differences between the methods, and not between their "+
		"proofs", reproduce.AssessParts(narrow > 0.8*wide, narrow > 0.5*wide),
		"test error, best to worst: %.2f points apart at equal claims: %s; %.2f points at equal measured losses: %s",
		100*wide, strings.Join(before, ", "), 100*narrow, strings.Join(after, ", "))
	swaps, pairs := swapped(methods), "none"
	if swaps != nil {
		pairs = strings.Join(swaps, ", ")
	}
	b.State("no two methods change places in accuracy when losses are measured instead of claimed",
		reproduce.Assess(swaps == nil), "pairs that change places, each difference being more than two standard "+
			"errors of %d seeds: %s", accuracyRuns, pairs)
	b.State("no method lets out more than it claims", reproduce.Assess(stands),
		"claims of %g to %g, all checks passed; greatest loss of %d runs at a claim of %g: %s",
		claimedLosses[0], claimedLosses[len(claimedLosses)-1], 2*auditedRuns, claimedLoss, strings.Join(largest, ", "))
	table(b, methods)
	b.Say("The pure claims add up the worst of every round (basic composition). Over %d rounds the worst never "+
		"happens every time, and it has different signs. DP-ADMM's claim, composed by Rényi divergence and stated at "+
		"δ = 10⁻⁵, counts that in, and is nearer to what is let out. "+
		"R-ADMM and MR-ADMM touch the data in every second round only, so that their budget is divided by half as "+
		"many rounds.", 20)
	charts(b, methods)
	return nil
}

// ranking is the methods by test error, with it, and how far the best is from the
// worst.
func ranking(methods []*noisyMethod, of func(*noisyMethod) *operatingPoint) (words []string, apart float64) {
	order := slices.Clone(methods)
	slices.SortStableFunc(order, func(a, b *noisyMethod) int { return cmp.Compare(of(a).error, of(b).error) })
	for _, m := range order {
		words = append(words, fmt.Sprintf("%s %.2f %%", m.name, 100*of(m).error))
	}
	return words, of(order[len(order)-1]).error - of(order[0]).error
}

// swapped are the pairs of methods of which one is better at equal claims and the
// other at equal measured losses.
func swapped(methods []*noisyMethod) (pairs []string) {
	for k, a := range methods {
		for _, b := range methods[:k] {
			if better(a.fair, b.fair)*better(a.equal, b.equal) < 0 {
				pairs = append(pairs, b.name+" and "+a.name)
			}
		}
	}
	return pairs
}

// better is −1 if a has less error than b by more than two standard errors, 1 if
// it has more, otherwise 0. Seeds share data, so that differences are taken by
// seed.
func better(a, b *operatingPoint) int {
	mean, square, n := 0.0, 0.0, float64(len(a.errors))
	for k := range a.errors {
		d := a.errors[k] - b.errors[k]
		mean, square = mean+d/n, square+d*d/n
	}
	if deviation := math.Sqrt(max(square-mean*mean, 0) / (n - 1)); math.Abs(mean) <= 2*deviation {
		return 0
	}
	return cmp.Compare(mean, 0)
}

// charts draws losses and accuracies by claim and by measured loss.
func charts(b *reproduce.Workbench, methods []*noisyMethod) {
	var losses, claimed, shown []plot.Line
	for _, m := range methods {
		loss, byClaim, byLoss := plot.Line{Label: m.name}, plot.Line{Label: m.name}, plot.Line{Label: m.name}
		for _, g := range m.points {
			loss.X, loss.Y = append(loss.X, g.epsilon), append(loss.Y, g.measured)
			byClaim.X, byClaim.Y = append(byClaim.X, g.epsilon), append(byClaim.Y, g.error)
			byLoss.X, byLoss.Y = append(byLoss.X, g.measured), append(byLoss.Y, g.error)
		}
		losses, claimed, shown = append(losses, loss), append(claimed, byClaim), append(shown, byLoss)
	}
	losses = append(losses, plot.Line{Label: "as claimed", X: claimedLosses, Y: claimedLosses})
	b.Draw("error-measured", plot.Chart{Title: "accuracy against what was measured",
		X: plot.Log("measured loss of a run"), Y: plot.Log("fraction of wrong labels"), Lines: shown})
	b.Draw("error-claimed", plot.Chart{Title: "accuracy against what is claimed", X: plot.Log("claimed ε of a run"),
		Y: plot.Log("fraction of wrong labels"), Lines: claimed})
	b.Draw("loss", plot.Chart{Title: "measured loss against the claim", X: plot.Log("claimed ε of a run"),
		Y: plot.Log("measured loss of a run"), Lines: losses})
}

// measure audits a method and measures its accuracy.
func (m *noisyMethod) measure(b *reproduce.Workbench, g *operatingPoint, keep bool) error {
	if err := m.probe(b, g, keep); err != nil {
		return err
	}
	return m.accuracy(b, g)
}

// probe finds the noise for a claim and what it lets out.
func (m *noisyMethod) probe(b *reproduce.Workbench, g *operatingPoint, keep bool) error {
	unit := append([]string{"algorithm=" + fmt.Sprintf(m.algorithm, 1.0),
		fmt.Sprintf("privacy={epsilon: %g, over: run}", g.epsilon)}, m.sets...)
	info, _, err := b.Measure(methodsFile, unit...)
	if err != nil {
		return err
	}
	// Five digits, for commands that can be read; what is claimed changes as little.
	if g.level, err = strconv.ParseFloat(strconv.FormatFloat(info.Privacy.Chosen.Scale, 'g', 5, 64), 64); err != nil {
		return err
	}
	a, err := b.Audit(keep, methodsFile, auditedRuns, m.at(g)...)
	if err != nil {
		return err
	}
	g.measured, g.largest, g.stands = 0, float64(a.ByRound[len(a.ByRound)-1].LargestTotal), a.Stands()
	for _, s := range a.Ratios {
		q := s.Quantiles
		g.measured = max(g.measured, math.Abs(float64(q[1])), math.Abs(float64(q[len(q)-2])))
	}
	g.auc = float64(a.Power.AUC)
	return nil
}

// at sets a scenario to the method at a level of noise.
func (m *noisyMethod) at(g *operatingPoint) []string {
	return append([]string{"algorithm=" + fmt.Sprintf(m.algorithm, g.level)}, m.sets...)
}

// accuracy runs several seeds.
func (m *noisyMethod) accuracy(b *reproduce.Workbench, g *operatingPoint) error {
	g.error, g.train, g.low, g.high, g.errors = 0, 0, math.Inf(1), 0, nil
	for seed := range accuracyRuns {
		_, t, err := b.Measure(methodsFile, append(m.at(g), fmt.Sprintf("seeds.first=%d", seed+1))...)
		if err != nil {
			return err
		}
		wrong, loss := t.Column("test_error"), t.Column("loss")
		e := wrong[len(wrong)-1]
		g.error += e / accuracyRuns
		g.errors = append(g.errors, e)
		g.train += loss[len(loss)-1] / accuracyRuns
		g.low, g.high = min(g.low, e), max(g.high, e)
	}
	return nil
}

// table is a row a method: at the common claim, and at the common measured loss.
func table(b *reproduce.Workbench, methods []*noisyMethod) {
	var rows []string
	for _, m := range methods {
		f, e := m.fair, m.equal
		rows = append(rows,
			fmt.Sprintf("| %s | %.3g | %.3g | %.3f | %.2f (%.2f–%.2f) | %.3f ",
				m.name, f.measured, f.largest, f.auc, 100*f.error, 100*f.low, 100*f.high, f.train)+
				fmt.Sprintf("| %.3g | %.3g | %.2f (%.2f–%.2f) | %.3f |",
					e.epsilon, e.measured, 100*e.error, 100*e.low, 100*e.high, e.train))
	}
	b.Say("| method | at claim %g: measured | largest | AUC | test error %% (range) | training loss "+
		"| claim at equal measured loss | measured | test error %% (range) | training loss |\n"+
		"|---|---|---|---|---|---|---|---|---|---|\n%s", claimedLoss, strings.Join(rows, "\n"))
}

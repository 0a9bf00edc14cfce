// Private methods at the same claimed, certified and measured loss.

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
		Title: "Equal claims, equal certificates and equal measured losses",
		About: "Papers compare private methods at the same claimed ε. Claims are upper bounds, and not equally " +
			"tight; some are pure, others are of an (ε, δ). Here all losses are of a whole run and at one δ, 10⁻⁵. " +
			"Seven methods are given noise so that what they claim is ε = 1, by the composition that gives the " +
			"least; so that their certificate is ε = 1 (docs/mathematics.md §6.1); and, more noise, so that all let " +
			"out as little as the one that lets out least at equal certificates. Accuracy is compared at each.\n\n" +
			"twonorm in five columns, 100 rows at each of five nodes, 2,000 test rows, 20 rounds; DP-ADMM has a hub " +
			"instead. Of each method the pair of rows is audited that pilot runs find hardest to hide. " + lostAbout +
			" Errors are means over 40 seeds, each with its own data.",
		Compute: equalEpsilon,
	})
}

// noisyMethod is a method whose noise is scaled.
type noisyMethod struct {
	name, algorithm string // with %g for the noise level
	sets            []string

	points                     []*operatingPoint // by claim and by certificate, by loss
	claimed, certified, lowest *operatingPoint   // at the common claim, certificate and measured loss
}

// operatingPoint is a method at a level of noise, and what was measured there.
type operatingPoint struct {
	level                   float64
	claim, certificate      float64 // of a run, at the common δ
	measured                lost
	auc                     float64
	error, low, high, train float64
	errors                  []float64 // by seed
	stands                  bool
}

// commonLosses are those of the charts.
var commonLosses = []float64{0.5, 1, 2}

const (
	commonLoss   = 1.0 // of a run
	accuracyRuns = 40
	auditedRuns  = 200
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
	least := math.Inf(1)
	for _, m := range methods {
		for _, epsilon := range commonLosses {
			g := &operatingPoint{}
			if err := m.claiming(b, g, epsilon); err != nil {
				return err
			}
			if err := m.measure(b, g, epsilon == commonLoss); err != nil {
				return err
			}
			h := &operatingPoint{}
			if err := m.level(b, h, epsilon, ", by: certificate"); err != nil {
				return err
			}
			if err := m.measure(b, h, epsilon == commonLoss); err != nil {
				return err
			}
			m.points = append(m.points, g, h)
			if epsilon == commonLoss {
				m.claimed, m.certified = g, h
			}
		}
		least = min(least, m.certified.measured.epsilon)
	}
	for _, m := range methods {
		near := *m.certified
		m.lowest = &near
		for range 6 { // the loss grows about as the budgets do
			if math.Abs(near.measured.epsilon/least-1) < 0.02 {
				break
			}
			near.level *= least / near.measured.epsilon
			if err := m.probe(b, &near, false); err != nil {
				return err
			}
		}
		if near.level != m.certified.level {
			if err := m.accuracy(b, &near); err != nil {
				return err
			}
		}
	}
	compare(b, methods)
	table(b, methods)
	b.Say("A paper's claim adds up, or composes by Rényi divergences, what any mechanism of the ε of a round may "+
		"lose. Over %d rounds the worst never happens every time, and it has different signs: certificates count "+
		"that in. R-ADMM and MR-ADMM touch the data in every second round only, so that their budget is divided by "+
		"half as many rounds.", 20)
	charts(b, methods)
	return nil
}

// compare states what comes of the three ways to make methods equal.
func compare(b *reproduce.Workbench, methods []*noisyMethod) {
	ways := []struct {
		name string
		of   func(*noisyMethod) *operatingPoint
	}{
		{"claims", func(m *noisyMethod) *operatingPoint { return m.claimed }},
		{"certificates", func(m *noisyMethod) *operatingPoint { return m.certified }},
		{"measured losses", func(m *noisyMethod) *operatingPoint { return m.lowest }},
	}
	for _, w := range ways[:2] {
		least, most := methods[0], methods[0]
		var words []string
		for _, m := range methods {
			if w.of(m).measured.epsilon < w.of(least).measured.epsilon {
				least = m
			}
			if w.of(m).measured.epsilon > w.of(most).measured.epsilon {
				most = m
			}
			words = append(words, fmt.Sprintf("%s %s", m.name, w.of(m).measured))
		}
		ratio := w.of(most).measured.epsilon / w.of(least).measured.epsilon
		b.State("methods with equal "+w.name+" protect as well", reproduce.AssessParts(ratio < 1.1, ratio < 1.5),
			"ε = %g over the run; measured, with two standard errors either way: %s: %s lets out %.3g times as much "+
				"as %s", commonLoss, strings.Join(words, ", "), most.name, ratio, least.name)
	}
	var spreads []float64
	var orders []string
	var leads []string
	leader := slices.MinFunc(methods, func(a, b *noisyMethod) int {
		return cmp.Compare(a.claimed.error, b.claimed.error)
	})
	first, least := true, true // by more than errors, and at all
	for _, w := range ways {
		order, apart := ranking(methods, w.of)
		spreads = append(spreads, apart)
		orders = append(orders, fmt.Sprintf("%.2f points apart at equal %s: %s", 100*apart, w.name,
			strings.Join(order, ", ")))
		before := 0
		for _, m := range methods {
			if better(w.of(leader), w.of(m)) < 0 {
				before++
			}
		}
		first = first && before == len(methods)-1
		for _, m := range methods {
			least = least && w.of(leader).error <= w.of(m).error
		}
		leads = append(leads, fmt.Sprintf("than %d at equal %s", before, w.name))
	}
	b.State("the most accurate method at equal claims is the most accurate at equal certificates and at equal "+
		"measured losses", reproduce.AssessParts(first, least),
		"%s has less error, by more than two standard errors of %d seeds, than how many of %d others: %s",
		leader.name, accuracyRuns, len(methods)-1, strings.Join(leads, ", "))
	b.State("differences in accuracy at equal claims are differences between the methods, and not between their "+
		"proofs", reproduce.AssessParts(spreads[2] > 0.8*spreads[0], spreads[2] > 0.5*spreads[0]),
		"test error, best to worst: %s", strings.Join(orders, "; "))
	for _, w := range ways[1:] {
		swaps, pairs := swapped(methods, w.of), "none"
		if swaps != nil {
			pairs = strings.Join(swaps, ", ")
		}
		b.State("no two methods change places in accuracy when "+w.name+" are equal instead of claims",
			reproduce.Assess(swaps == nil), "pairs that change places, each difference being more than two standard "+
				"errors of %d seeds: %s", accuracyRuns, pairs)
	}
	stands, ordered := true, true
	var words []string
	for _, m := range methods {
		stands = stands && m.lowest.stands
		for _, g := range m.points {
			stands = stands && g.stands
			ordered = ordered && g.certificate <= g.claim*(1+1e-3) && g.measured.epsilon <= g.certificate
		}
		words = append(words, fmt.Sprintf("%s %.3g ≥ %.3g ≥ %.3g", m.name, m.claimed.claim, m.claimed.certificate,
			m.claimed.measured.epsilon))
	}
	b.State("what is claimed ≥ what is certified ≥ what is measured", reproduce.AssessParts(ordered && stands, stands),
		"at %d settings of each method, all checks of the audits passed; at equal claims: %s", 2*len(commonLosses),
		strings.Join(words, ", "))
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
// other where they are made equal otherwise.
func swapped(methods []*noisyMethod, of func(*noisyMethod) *operatingPoint) (pairs []string) {
	for k, a := range methods {
		for _, b := range methods[:k] {
			if better(a.claimed, b.claimed)*better(of(a), of(b)) < 0 {
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

// charts draws losses and accuracies by claim, certificate and measured loss.
func charts(b *reproduce.Workbench, methods []*noisyMethod) {
	ways := []struct {
		name, title, label string
		of                 func(*operatingPoint) float64
	}{
		{"error-measured", "accuracy against what was measured", "measured ε of a run",
			func(g *operatingPoint) float64 { return g.measured.epsilon }},
		{"error-certified", "accuracy against what is certified", "certified ε of a run",
			func(g *operatingPoint) float64 { return g.certificate }},
		{"error-claimed", "accuracy against what is claimed", "claimed ε of a run",
			func(g *operatingPoint) float64 { return g.claim }},
	}
	for _, w := range ways {
		b.Draw(w.name, plot.Chart{Title: w.title + ", δ = 10⁻⁵", X: plot.Log(w.label),
			Y: plot.Log("fraction of wrong labels"), Lines: lines(methods, w.of,
				func(g *operatingPoint) float64 { return g.error })})
	}
	measured := func(g *operatingPoint) float64 { return g.measured.epsilon }
	for _, w := range ways[1:] {
		all := lines(methods, w.of, measured)
		ends := []float64{all[0].X[0], all[0].X[len(all[0].X)-1]}
		all = append(all, plot.Line{Label: "equal", Look: plot.Reference, X: ends, Y: ends})
		b.Draw(strings.Replace(w.name, "error", "loss", 1), plot.Chart{
			Title: strings.Replace(w.title, "accuracy", "measured loss", 1) + ", δ = 10⁻⁵", X: plot.Log(w.label),
			Y: plot.Log("measured ε of a run"), Lines: all})
	}
}

// lines are those of the methods' points, from left to right.
func lines(methods []*noisyMethod, x, y func(*operatingPoint) float64) (all []plot.Line) {
	for _, m := range methods {
		l := plot.Line{Label: m.name}
		for _, g := range slices.SortedStableFunc(slices.Values(m.points), func(a, b *operatingPoint) int {
			return cmp.Compare(x(a), x(b))
		}) {
			l.X, l.Y = append(l.X, x(g)), append(l.Y, y(g))
		}
		all = append(all, l)
	}
	return all
}

// measure audits a method and measures its accuracy.
func (m *noisyMethod) measure(b *reproduce.Workbench, g *operatingPoint, keep bool) error {
	if err := m.probe(b, g, keep); err != nil {
		return err
	}
	return m.accuracy(b, g)
}

// claiming finds the noise at which the method's claim, by the composition that gives the least, is that at the common
// δ. A target of privacy is for the claim as the method composes it, of which the least grows and never is more.
func (m *noisyMethod) claiming(b *reproduce.Workbench, g *operatingPoint, epsilon float64) error {
	low, high := epsilon, epsilon
	at := func(target float64) error { return m.level(b, g, target, "") }
	if err := at(high); err != nil {
		return err
	}
	for g.claim < epsilon {
		low, high = high, 2*high
		if err := at(high); err != nil {
			return err
		}
	}
	for math.Abs(g.claim/epsilon-1) > 1e-3 {
		middle := (low + high) / 2
		if err := at(middle); err != nil {
			return err
		}
		if g.claim < epsilon {
			low = middle
		} else {
			high = middle
		}
	}
	return nil
}

// level finds the noise that meets a target of privacy, and what is then claimed and certified.
func (m *noisyMethod) level(b *reproduce.Workbench, g *operatingPoint, target float64, by string) error {
	unit := append([]string{"algorithm=" + fmt.Sprintf(m.algorithm, 1.0),
		fmt.Sprintf("privacy={epsilon: %.10g, over: run%s}", target, by)}, m.sets...)
	info, _, err := b.Measure(methodsFile, unit...)
	if err != nil {
		return err
	}
	g.claim, g.certificate = claimAt(info.Privacy), certificateOf(info.Privacy)
	// Five digits, for commands that can be read; what is claimed changes as little.
	g.level, err = strconv.ParseFloat(strconv.FormatFloat(info.Privacy.Chosen.Scale, 'g', 5, 64), 64)
	return err
}

// probe finds what is let out at a level of noise.
func (m *noisyMethod) probe(b *reproduce.Workbench, g *operatingPoint, keep bool) error {
	a, err := b.Audit(keep, methodsFile, auditedRuns, append(m.at(g), "adversary.audit.pilots=8")...)
	if err != nil {
		return err
	}
	g.stands, g.auc = a.Stands(), float64(a.Power.AUC)
	g.measured, err = lossAt(a, currency)
	return err
}

// at sets a scenario to the method at a level of noise.
func (m *noisyMethod) at(g *operatingPoint) []string {
	return append([]string{"algorithm=" + fmt.Sprintf(m.algorithm, g.level)}, m.sets...)
}

// accuracy runs several seeds, and keeps what is claimed and certified.
func (m *noisyMethod) accuracy(b *reproduce.Workbench, g *operatingPoint) error {
	g.error, g.train, g.low, g.high, g.errors = 0, 0, math.Inf(1), 0, nil
	for seed := range accuracyRuns {
		info, t, err := b.Measure(methodsFile, append(m.at(g), fmt.Sprintf("seeds.first=%d", seed+1))...)
		if err != nil {
			return err
		}
		g.claim, g.certificate = claimAt(info.Privacy), certificateOf(info.Privacy)
		wrong, loss := t.Column("test_error"), t.Column("loss")
		e := wrong[len(wrong)-1]
		g.error += e / accuracyRuns
		g.errors = append(g.errors, e)
		g.train += loss[len(loss)-1] / accuracyRuns
		g.low, g.high = min(g.low, e), max(g.high, e)
	}
	return nil
}

// table is a row a method and way to make methods equal.
func table(b *reproduce.Workbench, methods []*noisyMethod) {
	var rows []string
	for _, m := range methods {
		for k, g := range []*operatingPoint{m.claimed, m.certified, m.lowest} {
			_, off := meanOf(g.errors)
			rows = append(rows, fmt.Sprintf("| %s | %s | %.3g | %.3g | %s | %.3f | %.2f ± %.2f (%.2f–%.2f) | %.3f |",
				m.name, []string{"claims", "certificates", "measured losses"}[k], g.claim, g.certificate, g.measured,
				g.auc, 100*g.error, 100*off, 100*g.low, 100*g.high, g.train))
		}
	}
	b.Say("| method | equal | claim | certificate | measured | AUC | test error %% ± standard error (range) "+
		"| training loss |\n|---|---|---|---|---|---|---|---|\n%s", strings.Join(rows, "\n"))
}

// Noise chosen by what papers claim against noise chosen by what the law of the noise proves.

package studies

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/metrics"
	"overhear/privacy"
	"overhear/record"
	"overhear/report/plot"
	"overhear/reproduce"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "attacks/certificates",
		Title: "Certificates: the same guarantee with less noise",
		About: "Papers add up the worst of every round. A certificate (docs/mathematics.md §6.1) bounds what a run " +
			"loses by the law of its noise, at δ = 10⁻⁵, and is as much of a guarantee. Here each private method " +
			"gets noise for a guaranteed ε of the whole run twice: so that its own claim is ε, and so that its " +
			"certificate is. Audits measure what each lets out.\n\n" +
			"Adult: 40,000 rows of 105 columns, 100 nodes on a random 4-regular graph, 50 rounds, four seeds; " +
			"wdbc: 455 rows of 31 columns, ten nodes on a ring with three chords, 50 rounds, ten seeds. Penalties " +
			"and steps are those that the program computes for the noise. DP-ADMM has a hub. Its claim is (ε, " +
			"10⁻⁵); that of the others is pure, and so more than is asked for. PDML is not here: what it protects " +
			"are labels, by randomised response, whose certificate is its claim. Errors are of the mean " +
			"classifier on unseen rows; the excess is over the test error of the optimum of the same seed. Audits " +
			"of Adult are of two nodes with 400 rows each. The two worlds have unit samples ±60° " +
			"around the direction opposite to where iterates go. " + lostAbout,
		Compute: certificates,
	})
}

// bed is a data set with its network, in which methods are compared.
type bed struct {
	name, file string
	sets       []string
	star       string // in place of the topology, for methods with a hub
	seeds      int    // of accuracies
	optimum    []float64
	audit      []string // what is audited differs in
	starAudit  string
	runs       int // of an audit, in each world
}

// guarantee is a method with noise for an ε, by its claim or by its certificate.
type guarantee struct {
	epsilon       float64
	by            string
	errors        []float64 // test errors, by seed
	excess        []float64 // over the optimum of the seed
	claimed       float64
	certificate   float64
	scale         float64 // of the budgets
	measured      lost
	meanExcess    float64
	standardError float64 // of meanExcess
}

// guaranteed is a private method that is given noise.
type guaranteed struct {
	name, algorithm string
	hub             bool
	points          []*guarantee // claim and certificate in turn, by ε
}

// what guarantees are chosen by.
var byClaim, byCertificate = "claim", "certificate"

// guaranteedLosses are those of the page.
var guaranteedLosses = []float64{1, 2, 5}

func guaranteedMethods() []*guaranteed {
	return []*guaranteed{
		{name: "DVP", algorithm: "{kind: dvp}"},
		{name: "PP", algorithm: "{kind: penalty-perturbation}"},
		{name: "PVP", algorithm: "{kind: pvp}"},
		{name: "proximal", algorithm: "{kind: proximal-admm}"},
		{name: "R-ADMM", algorithm: "{kind: private-r-admm}"},
		{name: "MR-ADMM", algorithm: "{kind: private-mr-admm}"},
		{name: "DGD", algorithm: "{kind: private-dgd}"},
		{name: "DP-ADMM", algorithm: "{kind: dp-admm}", hub: true},
	}
}

// The goal is a certificate of at most mostCertified where rounds add up to claimedFifty.
const claimedFifty, mostCertified = 50.0, 4.0

func certificates(b *reproduce.Workbench) error {
	adult := &bed{name: "Adult", file: "adult.yaml", sets: []string{"rounds.count=50"}, seeds: 4, runs: 30,
		star: "network.topology={kind: star, nodes: 101}",
		audit: []string{"problem={data: adult, train: 800, rho: 0.0044}",
			"network.topology={kind: complete, nodes: 2}"},
		starAudit: "network.topology={kind: star, nodes: 3}"}
	wdbc := &bed{name: "wdbc", file: "wdbc-ring.yaml", sets: []string{"rounds.count=50", "problem.train=0.8"},
		seeds: 10, runs: 40, star: "network.topology={kind: star, nodes: 11}"}
	wdbc.starAudit = wdbc.star
	if err := claimedAsFifty(b, adult); err != nil {
		return err
	}
	hidden, err := worstPair(b)
	if err != nil {
		return err
	}
	for _, d := range []*bed{adult, wdbc} {
		if err := d.optima(b); err != nil {
			return err
		}
		methods := guaranteedMethods()
		for _, m := range methods {
			if err := m.measure(b, d); err != nil {
				return err
			}
		}
		d.state(b, methods)
		d.show(b, methods)
		hidden.add(methods)
	}
	hidden.state(b)
	return nil
}

// claimedAsFifty states what is certified where a run's rounds add up to 50.
func claimedAsFifty(b *reproduce.Workbench, d *bed) error {
	all, some := true, false
	var words []string
	for _, m := range guaranteedMethods() {
		if m.hub { // its claim is no sum
			continue
		}
		g := &guarantee{}
		one := &bed{file: d.file, sets: d.sets, seeds: 1, optimum: []float64{0}}
		if err := g.learn(b, one, append(m.sets(d), fmt.Sprintf("privacy={epsilon: %g, over: run}",
			claimedFifty))); err != nil {
			return err
		}
		c := g.certificate
		all, some = all && c <= mostCertified, some || c <= mostCertified
		words = append(words, fmt.Sprintf("%s %.3g", m.name, c))
	}
	b.State(fmt.Sprintf("where rounds add up to a claim of %g, at most %g is certified (50 rounds, 105 columns)",
		claimedFifty, mostCertified), reproduce.AssessParts(all, some),
		"certificates at δ = 10⁻⁵: %s. Recycled ADMM uses its data in 25 of the rounds, each with a claim of 2: a "+
			"certificate of fewer and greater uses is nearer to the sum", strings.Join(words, ", "))
	return nil
}

// claimedSum is the greatest of what nodes claim over the run as the method composes it.
func claimedSum(p *record.Privacy) float64 {
	most := 0.0
	for _, c := range p.Claims {
		if c.Unit == privacy.Sample {
			most = math.Max(most, float64(c.Epsilon))
		}
	}
	return most
}

// tightness is how much of certificates audits found.
type tightness struct {
	searched, shown float64 // of the worst pair, as measured and as shown whatever the law
	words           string
	least, greatest float64 // of the pairs that are taken where noise is by the certificate
	settings        int
}

// add enters what was measured of methods.
func (t *tightness) add(methods []*guaranteed) {
	for _, m := range methods {
		for _, epsilon := range guaranteedLosses {
			g := m.at(epsilon, byCertificate)
			share := g.measured.epsilon / g.certificate
			t.least, t.greatest = min(t.least, share), max(t.greatest, share)
			t.settings++
		}
	}
}

// state says whether the worst pair loses half, where it was looked for and where one pair was taken.
func (t *tightness) state(b *reproduce.Workbench) {
	b.State("the worst pair that is found loses at least half of the certificate",
		reproduce.AssessParts(min(t.shown, t.least) >= 0.5, max(t.searched, t.greatest) >= 0.5),
		"%s; in the %d settings of the tables with noise by the certificate, where one pair is taken and not looked "+
			"for, %.0f to %.0f %%", t.words, t.settings, 100*t.least, 100*t.greatest)
}

// worstPair finds how much of a certificate an audit finds where iterates go far.
func worstPair(b *reproduce.Workbench) (*tightness, error) {
	const runs = 120
	sets := []string{"rounds.count=50", "algorithm={kind: dvp, eta: 0.005, alpha: 1}",
		"problem={data: adult, train: 4000, rho: 0.0002}", "network.topology={kind: complete, nodes: 2}"}
	info, _, err := b.Measure("adult.yaml", sets...)
	if err != nil {
		return nil, err
	}
	a, err := b.Audit(true, "adult.yaml", runs, append(sets, "adversary.audit.pilots=2")...)
	if err != nil {
		return nil, err
	}
	l, err := lossAt(a, currency)
	if err != nil {
		return nil, err
	}
	c := certificateOf(info.Privacy)
	words := fmt.Sprintf("DVP, two nodes with 2,000 rows of Adult each, 50 rounds, claim %.4g, certificate %.4g; "+
		"measured %s, %.0f %% of the certificate; shown with 95 %% confidence by %d runs, whatever the law: %.3g, "+
		"%.0f %%; pair: %s",
		claimedSum(info.Privacy), c, l, 100*l.epsilon/c, 2*runs, l.shown, 100*l.shown/c, a.Pair.What)
	return &tightness{l.epsilon / c, l.shown / c, words, math.Inf(1), 0, 0}, nil
}

// sets are a method's changes to a bed's scenario.
func (m *guaranteed) sets(d *bed) []string {
	sets := []string{"algorithm=" + m.algorithm}
	if m.hub {
		sets = append(sets, d.star)
	}
	return sets
}

// measure fills the points of a method.
func (m *guaranteed) measure(b *reproduce.Workbench, d *bed) error {
	for _, epsilon := range guaranteedLosses {
		for _, by := range []string{byClaim, byCertificate} {
			g := &guarantee{epsilon: epsilon, by: by}
			m.points = append(m.points, g)
			target := fmt.Sprintf("privacy={epsilon: %g, over: run, by: %s}", epsilon, by)
			if err := g.learn(b, d, append(m.sets(d), target)); err != nil {
				return err
			}
			sets := append(slices.Concat(d.sets, m.sets(d), d.audit), target)
			if m.hub {
				sets = append(sets, d.starAudit)
			}
			if err := g.audit(b, d, m.hub, sets); err != nil {
				return err
			}
		}
	}
	return nil
}

// learn measures accuracies, and keeps what is claimed and certified.
func (g *guarantee) learn(b *reproduce.Workbench, d *bed, sets []string) error {
	runs, err := b.Learn(d.seeds, d.file, slices.Concat(d.sets, sets)...)
	if err != nil {
		return err
	}
	for k, l := range runs {
		mean := make([]float64, l.Problem.D)
		for node := range l.Path {
			num.Axpy(1/float64(len(l.Path)), l.Last(node), mean)
		}
		e := metrics.TestError(&l.Problem.Test, mean)
		g.errors = append(g.errors, e)
		g.excess = append(g.excess, e-d.optimum[k])
		uses, err := algorithms.Certify(l.Method.(algorithms.Private))
		if err != nil {
			return err
		}
		g.claimed = math.Max(g.claimed, l.Account.Bound[l.Rounds])
		g.certificate = math.Max(g.certificate, uses.Worst(privacy.Sample, l.Rounds, currency).Epsilon)
		g.scale = l.Account.Chosen.Scale
	}
	g.meanExcess, g.standardError = meanOf(g.excess)
	return nil
}

// optima finds the test errors of the optima.
func (d *bed) optima(b *reproduce.Workbench) error {
	for seed := range d.seeds {
		info, _, err := b.Measure(d.file, slices.Concat(d.sets, []string{"algorithm={kind: local}", "rounds.count=1",
			fmt.Sprintf("seeds.first=%d", seed+1)})...)
		if err != nil {
			return err
		}
		d.optimum = append(d.optimum, float64(info.Reference.TestError))
	}
	return nil
}

// audit measures what is let out.
func (g *guarantee) audit(b *reproduce.Workbench, d *bed, hub bool, sets []string) error {
	pair, err := against(b, d.file, sets)
	if err != nil {
		return err
	}
	if sets = append(sets, pair); hub {
		sets = append(sets, "adversary.audit.node=1")
	}
	a, err := b.Audit(false, d.file, d.runs, sets...)
	if err != nil {
		return err
	}
	g.measured, err = lossAt(a, currency)
	return err
}

// against is a pair of unit samples ±60° around the direction opposite to where the first part's iterates go, as they
// would be proposed to an audit: pilot runs of all proposals would cost more than the audit.
func against(b *reproduce.Workbench, file string, sets []string) (string, error) {
	runs, err := b.Learn(1, file, sets...)
	if err != nil {
		return "", err
	}
	path := runs[0].Path[0]
	mean := make([]float64, len(path[0]))
	for _, f := range path {
		num.Axpy(1, f, mean)
	}
	length := num.Norm(mean)
	if !(length > 0) {
		return "", fmt.Errorf("%s: the iterates do not go anywhere", file)
	}
	num.Scale(1/length, mean)
	least := 0 // the column that has least to do with it
	for k := range mean {
		if math.Abs(mean[k]) < math.Abs(mean[least]) {
			least = k
		}
	}
	other := make([]float64, len(mean))
	other[least] = 1
	num.Axpy(-mean[least], mean, other)
	num.Scale(1/num.Norm(other), other)
	sample := func(side float64) string {
		words := make([]string, len(mean))
		for k := range mean {
			x := (1 - 1e-6) * (-0.5*mean[k] + side*math.Sqrt(0.75)*other[k]) // a norm of 1 in seven digits
			words[k] = strconv.FormatFloat(x, 'g', 7, 64)
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	return fmt.Sprintf("adversary.audit.pair={a: %s, b: %s}", sample(1), sample(-1)), nil
}

// state adds the statements about a data set.
func (d *bed) state(b *reproduce.Workbench, methods []*guaranteed) {
	most := guaranteedLosses[len(guaranteedLosses)-1]
	some, named := false, true
	var words []string
	for _, m := range methods {
		claim, certificate := m.at(most, byClaim), m.at(most, byCertificate)
		halved := certificate.meanExcess <= claim.meanExcess/2
		some = some || halved
		if m.name == "DVP" || m.name == "PP" || m.name == "MR-ADMM" {
			named = named && halved
		}
		words = append(words, fmt.Sprintf("%s %.2f ± %.2f to %.2f ± %.2f", m.name, 100*claim.meanExcess,
			100*claim.standardError, 100*certificate.meanExcess, 100*certificate.standardError))
	}
	b.State(fmt.Sprintf("%s: with noise chosen by the certificate the excess test error of DVP, PP and MR-ADMM falls "+
		"by half or more, ε = %g guaranteed", d.name, most), reproduce.AssessParts(named, some),
		"points over the optimum's test error, by claim and by certificate, ± one standard error of %d seeds: %s",
		d.seeds, strings.Join(words, ", "))
	least, greatest := math.Inf(1), 0.0
	ordered, surely := true, true
	var above []string
	words = nil
	for _, m := range methods {
		for _, epsilon := range guaranteedLosses {
			factor := m.at(epsilon, byCertificate).scale / m.at(epsilon, byClaim).scale
			if !m.hub {
				least, greatest = min(least, factor), max(greatest, factor)
			} else {
				words = append(words, fmt.Sprintf("%.3g", factor))
			}
		}
		for _, g := range m.points {
			ordered = ordered && g.certificate <= g.claimed && g.measured.epsilon <= g.certificate
			surely = surely && g.certificate <= g.claimed && g.measured.shown <= g.certificate
			if g.measured.epsilon > g.certificate {
				above = append(above, fmt.Sprintf("%s, ε = %g by %s: %s", m.name, g.epsilon, g.by, g.measured))
			}
		}
	}
	b.State(d.name+": equal guarantees need a tenth of the noise", reproduce.AssessParts(least >= 10, greatest >= 10),
		"budgets for a certificate are %.3g to %.3g times those for a claim of the same ε, of methods whose claim is "+
			"a sum; of DP-ADMM %s times", least, greatest, strings.Join(words, ", "))
	if above == nil {
		above = []string{"none"}
	}
	b.State(d.name+": what is claimed ≥ what is certified ≥ what is measured", reproduce.AssessParts(ordered, surely),
		"%d settings of %d methods; measured above the certificate: %s",
		len(methods)*2*len(guaranteedLosses), len(methods), strings.Join(above, "; "))
}

// at is the point of a method with that guarantee.
func (m *guaranteed) at(epsilon float64, by string) *guarantee {
	k := slices.IndexFunc(m.points, func(g *guarantee) bool { return g.epsilon == epsilon && g.by == by })
	return m.points[k]
}

// show adds a data set's table and charts.
func (d *bed) show(b *reproduce.Workbench, methods []*guaranteed) {
	var rows, names []string
	for _, m := range methods {
		names = append(names, m.name)
		for _, epsilon := range guaranteedLosses {
			row := fmt.Sprintf("| %s | %g ", m.name, epsilon)
			for _, by := range []string{byClaim, byCertificate} {
				g := m.at(epsilon, by)
				mean, off := meanOf(g.errors)
				row += fmt.Sprintf("| %.4g | %.3g | %s | %.2f ± %.2f | %.2f ± %.2f ", g.claimed, g.certificate,
					g.measured, 100*mean, 100*off, 100*g.meanExcess, 100*g.standardError)
			}
			rows = append(rows, row+"|")
		}
	}
	b.Say("%s. Left, noise so that the claim is ε; right, so that the certificate is. Measured with two standard "+
		"errors either way, test error and excess in %% with one.\n\n"+
		"| method | ε | claim | certificate | measured | test error | excess | claim | certificate | measured "+
		"| test error | excess |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n%s", d.name,
		strings.Join(rows, "\n"))
	var lines []plot.Line
	for _, by := range []string{byClaim, byCertificate} {
		for _, epsilon := range guaranteedLosses {
			l := plot.Line{Label: fmt.Sprintf("ε = %g by %s", epsilon, by), Look: plot.Scatter}
			side := 0.13 * (float64(len(lines)) - 2.5) // that ranges do not hide each other
			for k, m := range methods {
				g := m.at(epsilon, by)
				l.X, l.Y = append(l.X, float64(k)+side), append(l.Y, 100*g.meanExcess)
				l.Low = append(l.Low, 100*(g.meanExcess-g.standardError))
				l.High = append(l.High, 100*(g.meanExcess+g.standardError))
			}
			lines = append(lines, l)
		}
	}
	file := strings.ToLower(d.name)
	b.Draw("excess-"+file, plot.Chart{Title: d.name + ": excess test error at equal guarantees",
		X: plot.Axis{Label: "method", Names: names}, Y: plot.Linear("test error over the optimum's, points, ± 1 SE"),
		Lines: lines, Width: 640})
	lines = nil
	for _, by := range []string{byClaim, byCertificate} {
		l := plot.Line{Label: "noise by " + by, Look: plot.Scatter}
		for _, m := range methods {
			for _, epsilon := range guaranteedLosses {
				l.X, l.Y = append(l.X, epsilon), append(l.Y, m.at(epsilon, by).measured.epsilon)
			}
		}
		lines = append(lines, l)
	}
	lines = append(lines, plot.Line{Label: "as guaranteed", Look: plot.Reference, X: guaranteedLosses,
		Y: guaranteedLosses})
	b.Draw("measured-"+file, plot.Chart{Title: d.name + ": measured loss of every method against its guarantee",
		X: plot.Log("guaranteed ε of a run"), Y: plot.Log("measured ε of a run"), Lines: lines})
}

// Zhang, Khalili & Liu 2018: M-ADMM and penalty perturbation.

package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/reproduce"
)

const fiveNodes = "five nodes with six links (a ring and one chord), 9,044 or 9,045 rows each (UCI's files have " +
	"45,222 complete rows, the paper says 45,223), C = 1750, ρ = 0.22 (as RA19), start N(0, 0.01)"

// growing is penalty perturbation with η(t) = 0.5·q₁^{t−1}, α(t) = first·q₂^{t−1}; more are further changes.
func growing(label string, q1, first, q2 float64, more ...string) *reproduce.Curve {
	return &reproduce.Curve{Label: label, Set: append([]string{
		fmt.Sprintf("algorithm.eta={initial: 0.5, ratio: %g}", q1),
		fmt.Sprintf("algorithm.alpha={initial: %g, ratio: %g}", first, q2),
	}, more...)}
}

func init() { reproduce.Register(zkl18Fig1(), zkl18Fig2(), zkl18Fig3(), zkl18Fig4()) }

// openFive are the settings that Figs. 1 and 2 leave open.
func openFive() []reproduce.Setting {
	return []reproduce.Setting{
		{Name: "graph", Paths: []string{"network.topology"}, Values: []string{
			"{nodes: 5, edges: [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [0, 2]]}", "{kind: ring, nodes: 5}",
			"{kind: complete, nodes: 5}", "{kind: path, nodes: 5}",
		}, Words: []string{"ring and chord", "ring", "complete", "path"}, Taken: "ring and chord"},
		{Name: "C", Paths: []string{"problem.C"}, Low: 200, High: 1750, Log: true, Taken: "1750"},
		{Name: "ρ", Paths: []string{"problem.rho"}, Low: 0.02, High: 2, Log: true, Taken: "0.22"},
		{Name: "start σ₀", Paths: []string{"algorithm.init.normal"}, Low: 0.01, High: 1, Log: true, Taken: "0.1"},
	}
}

// fewer are changes that make the runs of five nodes affordable, and why they may be made.
const (
	fewer    = "problem.train=10000"
	fewerWhy = "a node's loss is a mean over its rows, and 2,000 of them have it within some per cent; every bound " +
		"has 1/B_i as a factor, so that who is ahead does not depend on it"
)

func zkl18Fig1() *reproduce.Figure {
	const (
		// The paper's penalties, kept from growing without bound.
		bounded = "algorithm.eta={nodes: [{initial: 0.55, ratio: 1.01, max: 2}, {initial: 0.65, ratio: 1.03, max: " +
			"2}, {initial: 0.6, ratio: 1.1, max: 2}, {initial: 0.55, ratio: 1.2, max: 2}, {initial: 0.6, ratio: " +
			"1.02, max: 2}]}"
		byTime = "algorithm.theta={initial: 0.5, ratio: 1.005, max: 0.55}"
		byNode = "algorithm.theta={nodes: [0.5, 0.45, 0.4, 0.5, 0.35]}"
		long   = "rounds.count=300"
	)
	fixed := &reproduce.Curve{Label: "(a) θ = 0.5", Set: []string{"algorithm.theta=0.5", long}}
	varying := &reproduce.Curve{Label: "(a) θ varies with t", Set: []string{byTime, long}}
	differing := &reproduce.Curve{Label: "(a) θ differs by node", Set: []string{byNode, long}}
	boundedFixed := &reproduce.Curve{Label: "(a) η ≤ 2", Set: []string{bounded, long}}
	boundedVarying := &reproduce.Curve{Label: "(a) η ≤ 2, θ varies with t", Set: []string{bounded, byTime, long}}
	boundedDiffering := &reproduce.Curve{Label: "(a) η ≤ 2, θ differs by node", Set: []string{bounded, byNode, long}}
	partA := []*reproduce.Curve{fixed, varying, differing, boundedFixed, boundedVarying, boundedDiffering}
	var partB []*reproduce.Curve
	for _, q := range []float64{1, 1.01, 1.03, 1.1} {
		partB = append(partB, &reproduce.Curve{Label: fmt.Sprintf("q₁ = %g", q),
			Set: []string{fmt.Sprintf("algorithm.eta={initial: 0.5, ratio: %g}", q)}})
	}
	const titleA, titleB, distance = "M-ADMM, penalties that differ by node", "M-ADMM, one growing penalty",
		"distance to the optimum, relative"
	f := &reproduce.Figure{
		Name: "zkl18-fig1", Paper: "ZKL18 Fig. 1", Title: "convergence of M-ADMM", Scenario: "zkl18-fig1.yaml",
		Seeds: 10,
		Stated: "five nodes, η_i(1) = 0.55, 0.65, 0.6, 0.55, 0.6, growing by q_i = 1.01, 1.03, 1.1, 1.2, 1.02; (a) θ " +
			"= 0.5, or varying, or different by node; (b) η(t) = 0.5·q₁^{t−1} for several q₁. Graph, C, ρ, the other " +
			"θ and the q₁ are not given.",
		Chosen: fiveNodes + "; θ(t) = 0.5·1.005^{t−1}, at most 0.55; θ_i = 0.5, 0.45, 0.4, 0.5, 0.35; q₁ = 1 to 1.1; " +
			"300 rounds.",
		Curves: slices.Concat(partA, partB),
		Charts: []reproduce.Chart{
			byRound("loss-a", titleA, "loss", "loss L(t)", partA...),
			logY(byRound("distance-a", titleA, "distance", distance, partA...)),
			byRound("loss-b", titleB, "loss", "loss L(t)", partB...),
			logY(byRound("distance-b", titleB, "distance", distance, partB...)),
		},
		Grid: &reproduce.Grid{Settings: openFive(), Set: []string{fewer}, Why: fewerWhy},
	}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		third := func(c *reproduce.Curve) int { return (r.Of(c).Rounds() - 1) / 3 }
		two := func(c *reproduce.Curve) string {
			runs := r.Of(c)
			return fmt.Sprintf("%s: %.3g after %d rounds, %.3g after %d", c.Label, runs.At("distance", third(c)),
				third(c), runs.Last("distance"), runs.Rounds()-1)
		}
		// A curve converges if its distance, with every seed, halves after the first third of the rounds.
		converges := func(c *reproduce.Curve) bool {
			for _, table := range r.Of(c).Tables {
				distance := table.Column("distance")
				if !(distance[len(distance)-1] < 0.5*distance[third(c)]) {
					return false
				}
			}
			return true
		}
		var slow []string
		slower, pairs := 0, len(partB)-1
		for k, c := range partB[1:] {
			lower := r.Of(partB[k]).Against(r.Of(c), "distance", nil)
			slow = append(slow, fmt.Sprintf("%s against %s: %.3g against %.3g after the last round, %s", partB[k].Label,
				c.Label, r.Of(partB[k]).Last("distance"), r.Of(c).Last("distance"), lower))
			if lower.Most() && r.Of(partB[k]).Last("distance") < r.Of(c).Last("distance") {
				slower++
			}
		}
		return []reproduce.Statement{
			reproduce.State("(a) M-ADMM converges under these parameters, “consistent with Theorem 3.1”",
				reproduce.AssessParts(converges(fixed) && converges(boundedFixed),
					converges(fixed) || converges(boundedFixed)),
				"distance to the optimum: %s; %s; it halves after the first third with every seed: %s and %s. The "+
					"theorem needs η_i bounded for all t; at q₄ = 1.2 the fourth node's penalty comes to %.0g in "+
					"round 100",
				two(fixed), two(boundedFixed), yes(converges(fixed)), yes(converges(boundedFixed)),
				0.55*math.Pow(1.2, 99)),
			reproduce.State("“this step size can also be non-fixed (black) and different (red) for different nodes”",
				reproduce.AssessParts(converges(varying) && converges(differing),
					converges(boundedVarying) || converges(boundedDiffering)),
				"distance: %s; %s; with η kept below 2, %s; %s. The duals of the optimum sum to zero; in the last "+
					"round, with η below 2, ‖Σλ_i‖ = %.3g where θ differs by node and %.1g where it varies with t only",
				two(varying), two(differing), two(boundedVarying), two(boundedDiffering),
				r.Of(boundedDiffering).Last("dual_sum"), r.Of(boundedVarying).Last("dual_sum")),
			reproduce.State("(b) “increasing penalty slows down the convergence, and larger increase in q₁ slows it "+
				"down even more”", reproduce.AssessParts(slower == pairs, slower > 0),
				"distance of %s", strings.Join(slow, "; ")),
		}
	}
	return f
}

// yes says whether something is so.
func yes(so bool) string {
	if so {
		return "yes"
	}
	return "no"
}

// claimedLoss is the bound on a run's loss of privacy.
func claimedLoss(r *reproduce.Results, c *reproduce.Curve) float64 {
	return r.Of(c).Last("privacy_loss")
}

// duel is a curve of penalty perturbation against one of dual variable perturbation.
type duel struct{ pp, dvp *reproduce.Curve }

// wins says where penalty perturbation is ahead: its loss is lower at the end, in the mean and with every seed; the
// bound on its loss of privacy is lower after the last round.
func (d duel) wins(r *reproduce.Results) (accuracy, privacy bool) {
	pp, dvp := r.Of(d.pp), r.Of(d.dvp)
	accuracy = pp.End("loss") < dvp.End("loss") && pp.LowerAtEnd(dvp, "loss") == len(pp.Tables)
	return accuracy, pp.Last("privacy_loss") < dvp.Last("privacy_loss")
}

// both says whether penalty perturbation is ahead on both counts.
func (d duel) both(r *reproduce.Results) bool {
	accuracy, privacy := d.wins(r)
	return accuracy && privacy
}

// words are the numbers of both, and who is ahead.
func (d duel) words(r *reproduce.Results) string {
	pp, dvp := r.Of(d.pp), r.Of(d.dvp)
	accuracy, privacy := d.wins(r)
	ahead := map[[2]bool]string{{true, true}: "ahead on both", {true, false}: "on accuracy only",
		{false, true}: "on privacy only, by its account", {}: "on neither"}[[2]bool{accuracy, privacy}]
	return fmt.Sprintf("%s against %s: loss at the end %.4f against %.4f (lower with %d of %d seeds; of all rounds "+
		"%s), bound %.2f against %.2f: **%s**", d.pp.Label, d.dvp.Label, pp.End("loss"), dvp.End("loss"),
		pp.LowerAtEnd(dvp, "loss"), len(pp.Tables), pp.Against(dvp, "loss", nil), pp.Last("privacy_loss"),
		dvp.Last("privacy_loss"), ahead)
}

// outperforms is a claim that there are q₁, q₂ with which penalty perturbation wins: it holds if for every curve of
// dual variable perturbation one of the tried pairs does, and in part if for one of them.
func outperforms(r *reproduce.Results, text string, duels ...duel) reproduce.Statement {
	beaten := map[*reproduce.Curve]bool{}
	wins := 0
	var all []string
	for _, d := range duels {
		won := d.both(r)
		beaten[d.dvp] = beaten[d.dvp] || won
		if won {
			wins++
		}
		all = append(all, d.words(r))
	}
	every := true
	for _, d := range duels {
		every = every && beaten[d.dvp]
	}
	return reproduce.StateExists(text, reproduce.AssessParts(every, wins > 0), "%d of %d tried pairs win on both "+
		"counts, the loss with every seed and the bound; graded: holds if every curve of DVP loses to some pair, in "+
		"part if one does: %s", wins, len(duels), strings.Join(all, "; "))
}

const canOutperform = "“with suitable choices of q₁, q₂, PP can outperform DVP significantly both in accuracy and in " +
	"privacy”"

// against are charts of loss and of the claim of some curves.
func against(name, title string, curves ...*reproduce.Curve) []reproduce.Chart {
	return []reproduce.Chart{
		byRound("loss"+name, title+": loss", "loss", "loss L(t), mean and range", curves...),
		byRound("privacy"+name, title+": claimed loss of privacy", "privacy_loss", "bound P(t)", curves...),
	}
}

func zkl18Fig2() *reproduce.Figure {
	dvp3, dvpGrowing3 := growing("DVP, α = 3", 1, 3, 1), growing("DVP, α = 3·1.01^t", 1, 3, 1.01)
	dvp5, dvpGrowing5 := growing("DVP, α = 5", 1, 5, 1), growing("DVP, α = 5·1.01^t", 1, 5, 1.01)
	steady3 := growing("PP, α = 3, q₁ 1.03, q₂ 1.03", 1.03, 3, 1.03)
	fading3 := growing("PP, α = 3, q₁ 1.02, q₂ 1.0245", 1.02, 3, 1.0245)
	loud3 := growing("PP, α = 3, q₁ 1.03, q₂ 1.01", 1.03, 3, 1.01)
	fast3 := growing("PP, α = 3, q₁ 1.05, q₂ 1.05", 1.05, 3, 1.05)
	steady5 := growing("PP, α = 5, q₁ 1.03, q₂ 1.03", 1.03, 5, 1.03)
	fading5 := growing("PP, α = 5, q₁ 1.02, q₂ 1.0245", 1.02, 5, 1.0245)
	byNode := &reproduce.Curve{Label: "PP, α_i, η_i differ by node", Set: []string{
		"algorithm.eta={nodes: [{initial: 0.5, ratio: 1.02}, {initial: 0.52, ratio: 1.03}, {initial: 0.6, ratio: " +
			"1.025}, {initial: 0.5, ratio: 1.035}, {initial: 0.55, ratio: 1.03}]}",
		"algorithm.alpha={nodes: [{initial: 3.2, ratio: 1.03}, {initial: 3, ratio: 1.03}, {initial: 3, ratio: 1.03}, " +
			"{initial: 2.9, ratio: 1.035}, {initial: 3.1, ratio: 1.032}]}",
	}}
	// Gaussian noise with the mean square d/α² of the gamma law's d(d + 1)/α², d = 105.
	const law = "algorithm.law=gaussian"
	first := math.Round(3/math.Sqrt(106)*1e4) / 1e4
	dvpNormal, dvpNormalGrowing := growing("Gaussian DVP, constant", 1, first, 1, law),
		growing("Gaussian DVP, growing by 1.01", 1, first, 1.01, law)
	steadyNormal := growing("Gaussian PP, q₁ 1.03, q₂ 1.03", 1.03, first, 1.03, law)
	fadingNormal := growing("Gaussian PP, q₁ 1.02, q₂ 1.0245", 1.02, first, 1.0245, law)
	const title = "PP against DVP, five nodes"
	three := []*reproduce.Curve{dvp3, dvpGrowing3, steady3, fading3, loud3, fast3}
	five := []*reproduce.Curve{dvp5, dvpGrowing5, steady5, fading5}
	normal := []*reproduce.Curve{dvpNormal, dvpNormalGrowing, steadyNormal, fadingNormal}
	f := &reproduce.Figure{
		Name: "zkl18-fig2", Paper: "ZKL18 Fig. 2", Title: title, Scenario: "zkl18-fig2.yaml", Seeds: 10,
		Stated: "θ = 0.5, η(t) = 0.5·q₁^{t−1}, α(t) = α(1)·q₂^{t−1}, α(1) = 3 in (a), (c) and 5 in (b), (d), random " +
			"start, ten runs; q₁ and q₂ are not given. §5.2 speaks of η_i, α_i that differ by node, §6.3 of Gaussian " +
			"noise, both without a figure.",
		Chosen: fiveNodes + "; q₁ and q₂ as in the curves' names. DVP is PP with η = θ = 0.5 constant (the same " +
			"method in another scale), so that both have the bound (26). Gaussian noise has the mean square of the " +
			"other at α = 3, and its bound is ε at δ = 10⁻⁵. The end of a run is the last fifth of its rounds.",
		Curves: slices.Concat(three, five, []*reproduce.Curve{byNode}, normal),
		Charts: slices.Concat(against("-3", title+", α(1) = 3", three...), against("-5", title+", α(1) = 5", five...),
			against("-nodes", "Rates and penalties that differ by node", dvp3, dvpGrowing3, steady3, byNode),
			against("-gaussian", "Gaussian noise", normal...)),
		// q₁ and q₂ of PP are those of the tried pairs at every point: the claim is that some do.
		Grid: &reproduce.Grid{Set: []string{fewer}, Why: fewerWhy, Settings: append(openFive(), reproduce.Setting{
			Name: "q₂ of DVP", Paths: []string{"algorithm.alpha.ratio"}, Low: 1.003, High: 1.02, Taken: "1.01",
			Curves: []*reproduce.Curve{dvpGrowing3, dvpGrowing5, dvpNormalGrowing},
		})},
	}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		loss := func(c *reproduce.Curve) float64 { return r.Of(c).End("loss") }
		claimed := func(c *reproduce.Curve) float64 { return claimedLoss(r, c) }
		dearer := func(a, b *reproduce.Curve) bool { return loss(b) < loss(a) && claimed(b) > claimed(a) }
		width := func(c *reproduce.Curve) float64 { return r.Of(c).EndWidth("loss") }
		var widths []string
		for _, c := range []*reproduce.Curve{dvp3, steady3, dvp5, steady5} {
			widths = append(widths, fmt.Sprintf("%s: %.4f", c.Label, width(c)))
		}
		narrow3, narrow5 := width(steady3) < width(dvp3), width(steady5) < width(dvp5)
		own, common := duel{byNode, dvp3}, duel{steady3, dvp3}
		ownGrowing, commonGrowing := duel{byNode, dvpGrowing3}, duel{steady3, dvpGrowing3}
		apart := loss(byNode)/loss(steady3) - 1
		alike := own.both(r) == common.both(r) && ownGrowing.both(r) == commonGrowing.both(r)
		louder := r.Of(loud3).Against(r.Of(dvp3), "privacy_loss", nil)
		tighter := []reproduce.Comparison{r.Of(steadyNormal).Against(r.Of(steady3), "privacy_loss", nil),
			r.Of(fadingNormal).Against(r.Of(fading3), "privacy_loss", nil)}
		return []reproduce.Statement{
			reproduce.State("“improved accuracy comes at the expense of higher privacy loss” (from magenta to black "+
				"under DVP, from red to blue under PP)",
				reproduce.AssessParts(dearer(dvp3, dvpGrowing3) && dearer(steady3, fading3),
					dearer(dvp3, dvpGrowing3) || dearer(steady3, fading3)),
				"loss at the end and bound: %s %.4f and %.2f, %s %.4f and %.2f; %s %.4f and %.2f, %s %.4f and %.2f",
				dvp3.Label, loss(dvp3), claimed(dvp3), dvpGrowing3.Label, loss(dvpGrowing3), claimed(dvpGrowing3),
				steady3.Label, loss(steady3), claimed(steady3), fading3.Label, loss(fading3), claimed(fading3)),
			outperforms(r, canOutperform, duel{steady3, dvp3}, duel{fast3, dvp3}, duel{loud3, dvp3},
				duel{fading3, dvpGrowing3}, duel{fast3, dvpGrowing3}, duel{steady5, dvp5}, duel{fading5, dvpGrowing5}),
			reproduce.State("larger η stabilises the algorithm (smaller L_range)",
				reproduce.AssessParts(narrow3 && narrow5, narrow3 || narrow5),
				"mean range over seeds at the end: %s. With q₁ = q₂ the noise stays the same while η grows",
				strings.Join(widths, ", ")),
			reproduce.State("“increasing η_i(t) and α_i(t) in such a way that the overall perturbation is increasing "+
				"leads to less privacy loss” (§6.2)", reproduce.Assess(louder.Most()),
				"bound P(t) of %s against %s: %.2f against %.2f in the end; "+
					"%s", loud3.Label, dvp3.Label, claimed(loud3),
				claimed(dvp3), louder).On(reproduce.OnAccount),
			reproduce.State("“we observe similar results when η_i(t) and α_i(t) vary from node to node”",
				reproduce.AssessParts(alike && math.Abs(apart) < 0.05, alike || math.Abs(apart) < 0.05),
				"the loss at the end is %+.1f %% off that of one η and α for all (limit 5 %%), and against DVP the "+
					"verdict is the same with both as with one: %s; %s; of the common pair: %s; "+
					"%s", 100*apart, own.words(r),
				ownGrowing.words(r), common.words(r), commonGrowing.words(r)),
			reproduce.State("“by adding Gaussian noise to achieve tighter bounds on privacy loss” (§6.3)",
				reproduce.AssessParts(tighter[0].Most() && tighter[1].Most(), tighter[0].Most() || tighter[1].Most()),
				"ε at δ = 10⁻⁵ against the bound (26) with noise of the same mean square: %s %.2f against %.2f, %s; "+
					"%s %.2f against %.2f, %s", steadyNormal.Label, claimed(steadyNormal), claimed(steady3), tighter[0],
				fadingNormal.Label, claimed(fadingNormal), claimed(fading3), tighter[1]).On(reproduce.OnAccount),
			outperforms(r, "with Gaussian noise “the same conclusion can be reached that both privacy and accuracy "+
				"can be improved” (§6.3)", duel{steadyNormal, dvpNormal}, duel{fadingNormal, dvpNormalGrowing}),
		}
	}
	return f
}

// large are the curves of a network of so many nodes.
type large struct {
	nodes                                   int
	dvp, dvpGrowing, slower, steady, fading *reproduce.Curve
}

// rows is how many the data set has.
const rows = 45222

// unevenly are sizes of nodes from 0.29 to 1.71 of the mean.
func unevenly(nodes int) string {
	sizes, left := make([]int, nodes), rows
	for i := range sizes {
		sizes[i] = int(float64(rows) / float64(nodes) * (0.29 + float64(1.42*float64(i)/float64(nodes-1))))
		left -= sizes[i]
	}
	for i := range left {
		sizes[nodes-1-i%nodes]++
	}
	return strings.ReplaceAll(fmt.Sprint(sizes), " ", ", ")
}

// newLarge are all curves at a hundred nodes, and some in smaller networks.
func newLarge(uneven bool) (all []large) {
	for _, n := range []int{100, 50, 10} {
		var more []string
		of := ""
		if n < 100 {
			more, of = []string{fmt.Sprintf("network.topology.nodes=%d", n)}, fmt.Sprintf("%d nodes: ", n)
			if uneven {
				more = append(more, "problem.partition={kind: sizes, sizes: "+unevenly(n)+"}")
			}
		}
		l := large{
			nodes: n, dvp: growing(of+"DVP, α = 3", 1, 3, 1, more...),
			steady: growing(of+"PP, q₁ 1.03, q₂ 1.03", 1.03, 3, 1.03, more...),
		}
		if n == 100 {
			l.dvpGrowing = growing("DVP, α = 3·1.02^t", 1, 3, 1.02)
			l.slower = growing("PP, q₁ 1.03, q₂ 1.01", 1.03, 3, 1.01)
			l.fading = growing("PP, q₁ 1.02, q₂ 1.04", 1.02, 3, 1.04)
		}
		all = append(all, l)
	}
	return all
}

const largeChosen = "a random 4-regular graph, C = 100 (C may not exceed B_i), ρ = 0.22, 45,222 rows in all, start " +
	"N(0, 0.01); “tens” of nodes are 10 and 50, of which the paper has no figure. The end of a run is the last fifth " +
	"of its rounds"

// curves are those of a network.
func (l large) curves() []*reproduce.Curve {
	return slices.DeleteFunc([]*reproduce.Curve{l.dvp, l.dvpGrowing, l.slower, l.steady, l.fading},
		func(c *reproduce.Curve) bool { return c == nil })
}

// largeCharts are those of all networks.
func largeCharts(title string, all []large) (charts []reproduce.Chart) {
	var tens []*reproduce.Curve
	for _, l := range all[1:] {
		tens = append(tens, l.curves()...)
	}
	return append(against("", title, all[0].curves()...), against("-tens", title+", 10 and 50 nodes", tens...)...)
}

// settled is how a curve's loss settles: its means over the first, third and last fifth of the rounds, and how far it
// falls from the first to the last, with the standard error over the seeds.
type settled struct{ early, middle, end, fall, off float64 }

func settlingOf(runs *reproduce.Runs) settled {
	last := runs.Rounds() - 1
	fifth := max(1, last/5)
	s := settled{
		early: runs.Mean("loss", 1, fifth), end: runs.End("loss"),
		middle: runs.Mean("loss", min(2*fifth+1, last), min(3*fifth, last)),
	}
	var falls []float64
	for k := range runs.Tables {
		one := reproduce.Runs{Curve: runs.Curve, Tables: runs.Tables[k : k+1]}
		falls = append(falls, one.Mean("loss", 1, fifth)-one.End("loss"))
	}
	s.fall = mean(falls)
	if n := float64(len(falls)); n > 1 {
		squares := 0.0
		for _, f := range falls {
			squares += (f - s.fall) * (f - s.fall)
		}
		s.off = math.Sqrt(squares / (n - 1) / n)
	}
	return s
}

// converges says whether the loss falls clearly and then stays about where it is: noise alone does not decide it.
func (s settled) converges() bool {
	return s.fall > 2*s.off && math.Abs(s.end-s.middle) <= 0.25*(s.early-s.middle)
}

// largeStatements are those of both figures.
func largeStatements(r *reproduce.Results, all []large) []reproduce.Statement {
	hundred := all[0]
	converged := 0
	var falls []string
	for _, l := range all {
		s := settlingOf(r.Of(l.steady))
		if s.converges() {
			converged++
		}
		falls = append(falls, fmt.Sprintf("%d nodes: %.4f, %.4f, %.4f (fall %.4f ± %.2g)", l.nodes, s.early, s.middle,
			s.end, s.fall, s.off))
	}
	duels := []duel{{hundred.slower, hundred.dvp}, {hundred.steady, hundred.dvp}, {hundred.fading, hundred.dvpGrowing}}
	for _, l := range all[1:] {
		duels = append(duels, duel{l.steady, l.dvp})
	}
	return []reproduce.Statement{
		reproduce.State("“larger networks with tens and hundreds of nodes … convergence is attained”: the loss falls "+
			"by more than twice its standard error over the runs, and after the third fifth of the rounds moves by "+
			"at most a quarter of what it moved before",
			reproduce.AssessParts(converged == len(all), converged > 0),
			"PP with q₁ = q₂ = 1.03, mean loss of the first, third and last fifth of the rounds: %s",
			strings.Join(falls, "; ")),
		outperforms(r, "“our algorithm continues to outperform” DVP in a large network", duels...),
	}
}

func largeCurves(all []large) (curves []*reproduce.Curve) {
	for _, l := range all {
		curves = append(curves, l.curves()...)
	}
	return curves
}

// openLarge are the settings that Figs. 3 and 4 leave open; C may not exceed the rows of a node.
func openLarge(most float64) []reproduce.Setting {
	return []reproduce.Setting{
		{Name: "degree", Paths: []string{"network.topology.degree"}, Values: []string{"3", "4", "6", "8"}, Taken: "4"},
		{Name: "C", Paths: []string{"problem.C"}, Low: 30, High: most, Log: true, Taken: "100"},
		{Name: "ρ", Paths: []string{"problem.rho"}, Low: 0.02, High: 2, Log: true, Taken: "0.22"},
		{Name: "start σ₀", Paths: []string{"algorithm.init.normal"}, Low: 0.01, High: 1, Log: true, Taken: "0.1"},
	}
}

func zkl18Fig3() *reproduce.Figure {
	const title = "PP against DVP, 100 nodes, even data"
	all := newLarge(false)
	return &reproduce.Figure{
		Name: "zkl18-fig3", Paper: "ZKL18 Fig. 3", Title: title, Scenario: "zkl18-fig3.yaml", Seeds: 10,
		Stated: "100 nodes, evenly spread data, η(t) = 0.5·q₁^{t−1}, α(t) = 3·q₂^{t−1}, random start; graph, C, ρ, " +
			"q₁, q₂ are not given.",
		Chosen: largeChosen + ", 452 or 453 rows a node.",
		Curves: largeCurves(all), Charts: largeCharts(title, all),
		Statements: func(r *reproduce.Results) []reproduce.Statement { return largeStatements(r, all) },
		Grid: &reproduce.Grid{Settings: openLarge(220), Set: []string{"problem.train=22600"}, Why: "a node's loss is " +
			"a mean over its rows, and every bound has 1/B_i as a factor, so that who is ahead does not depend on it"},
	}
}

func zkl18Fig4() *reproduce.Figure {
	const title = "PP against DVP, 100 nodes, uneven data"
	all := newLarge(true)
	even := growing("even data: PP, q₁ 1.03, q₂ 1.03", 1.03, 3, 1.03, "problem.partition=even")
	return &reproduce.Figure{
		Name: "zkl18-fig4", Paper: "ZKL18 Fig. 4", Title: title, Scenario: "zkl18-fig4.yaml", Seeds: 10,
		Stated: "as Fig. 3 with unevenly spread data; how unevenly is not given.",
		Chosen: largeChosen + ", a node has 0.29 to 1.71 of the mean: 131 to 774 rows of 100 nodes. One curve has " +
			"the even spread of Fig. 3.",
		Curves: append(largeCurves(all), even), Charts: largeCharts(title, all),
		Grid: &reproduce.Grid{Settings: openLarge(130)},
		Statements: func(r *reproduce.Results) []reproduce.Statement {
			uneven, spread := r.Of(all[0].steady), r.Of(even)
			less := spread.Against(uneven, "privacy_loss", nil)
			return append(largeStatements(r, all), reproduce.State(
				"“the loss of privacy in a network with uneven sample size distributions is higher”",
				reproduce.Assess(less.Most() && spread.Last("privacy_loss") < uneven.Last("privacy_loss")),
				"bound P(t) of q₁ = q₂ = 1.03: %.2f with 131 to 774 rows a node, %.2f with 452 or 453 each, which "+
					"is %s",
				uneven.Last("privacy_loss"), spread.Last("privacy_loss"), less).On(reproduce.OnAccount))
		},
	}
}

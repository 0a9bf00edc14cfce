// Zhang, Khalili & Liu 2019: recycled ADMM.

package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/record"
	"overhear/reproduce"
)

const ra19Chosen = "random connected graphs (Erdős–Rényi, probability 0.6 for 5 nodes, 0.2 for 20 where there are " +
	"any, one for each seed), 40,000 rows divided evenly, C = 1750, ρ = 0.22 unless " +
	"it varies, start at zero unless said"

// ra19Settings are what all five figures leave open and what their claims may depend on: the graph of five nodes, and
// how the rows are made as long as 1 at most. Values of C are for the figures that do not give it.
func ra19Settings(graph string, curves []*reproduce.Curve, more ...reproduce.Setting) []reproduce.Setting {
	return append([]reproduce.Setting{
		{
			Name: "graph", Paths: []string{"network.topology"}, Taken: graph, Curves: curves,
			Values: []string{
				"{kind: path, nodes: 5}", "{kind: star, nodes: 5}", "{kind: ring, nodes: 5}",
				"{kind: erdos-renyi, nodes: 5, probability: 0.6}", "{kind: complete, nodes: 5}",
			},
			Words: []string{"path", "star", "ring", "random, 0.6", "complete"},
		},
		{
			Name: "rows of norm", Paths: []string{"problem.scale.rows"}, Taken: "at most 1",
			Values: []string{"clip", "unit"}, Words: []string{"at most 1", "1"},
		},
	}, more...)
}

// ra19C is the weight of the loss. At most 8,000, the rows of a node, is allowed.
var ra19C = reproduce.Setting{Name: "C", Paths: []string{"problem.C"}, Low: 100, High: 8000, Log: true, Taken: "1750"}

// ra19Start is where the nodes begin, which the algorithms draw “randomly”.
func ra19Start(taken string) reproduce.Setting {
	return reproduce.Setting{Name: "start", Paths: []string{"algorithm.init"}, Taken: taken,
		Values: []string{"zeros", "{normal: 0.1}", "{normal: 1}"}, Words: []string{"0", "N(0, 0.01)", "N(0, 1)"}}
}

func init() {
	reproduce.Register(ra19Fig1(), ra19Fig2(), ra19Fig3(), ra19Fig4(), ra19Fig5())
}

// ra19Network are Fig. 1 (a)'s curves of one network.
type ra19Network struct {
	admm    *reproduce.Curve
	byGamma []*reproduce.Curve
}

func newRA19Network(nodes int, gammas []float64, sets ...string) (n ra19Network) {
	curve := func(name, algorithm string) *reproduce.Curve {
		return &reproduce.Curve{Label: fmt.Sprintf("(a) N = %d, %s", nodes, name),
			Set: append([]string{"algorithm=" + algorithm}, sets...)}
	}
	n.admm = curve("ADMM", "{kind: admm, eta: 0.5, init: {normal: 0.1}}")
	for _, g := range gammas {
		n.byGamma = append(n.byGamma, curve(fmt.Sprintf("γ = %g", g),
			fmt.Sprintf("{kind: r-admm, eta: 0.5, gamma: %g, init: {normal: 0.1}}", g)))
	}
	return n
}

func (n ra19Network) curves() []*reproduce.Curve {
	return append([]*reproduce.Curve{n.admm}, n.byGamma...)
}

// differing is MR-ADMM with penalties η̂_i·q_i^k, q_i = 1 + j·(0.01, 0.005, …), for 400 rounds.
func differing(label string, j float64) *reproduce.Curve {
	first := []float64{1, 1.03, 1.02, 0.8, 1.01}
	growth := []float64{0.01, 0.005, 0.003, 0.015, 0.01}
	var nodes []string
	for i := range first {
		q := 1 + j*growth[i]
		nodes = append(nodes, fmt.Sprintf("{initial: %.6g, ratio: %.6g}", first[i]*q, q))
	}
	return mrADMM(label, "{nodes: ["+strings.Join(nodes, ", ")+"]}", "rounds.count=400")
}

// mrADMM is MR-ADMM without noise.
func mrADMM(label, eta string, sets ...string) *reproduce.Curve {
	algorithm := "algorithm={kind: mr-admm, gamma: 0.5, init: {normal: 0.1}, eta: " + eta + "}"
	return &reproduce.Curve{Label: label, Set: append([]string{algorithm}, sets...)}
}

// computes compares the computation of R-ADMM with γ = 0 and ADMM over as many rounds.
func (n ra19Network) computes(r *reproduce.Results) (cheap bool, words string) {
	recycled, admm := r.Of(n.byGamma[0]), r.Of(n.admm)
	var all []string
	cheap = true
	for _, c := range []struct {
		what  string
		of    func(*record.Activity) float64
		limit float64
	}{
		{"minimisations", func(a *record.Activity) float64 { return float64(a.Solves) }, 0.5},
		{"passes", func(a *record.Activity) float64 { return float64(a.Passes) }, 2.0 / 3},
		{"factorisations", func(a *record.Activity) float64 { return float64(a.Factorisations) }, math.Inf(1)},
		{"virtual seconds of a node's computing", func(a *record.Activity) float64 { return a.BusySeconds }, 2.0 / 3},
	} {
		few, many := recycled.Activity(c.of), admm.Activity(c.of)
		cheap = cheap && few <= c.limit*many
		all = append(all, fmt.Sprintf("%.4g and %.4g %s", few, many, c.what))
	}
	return cheap, strings.Join(all, ", ")
}

func ra19Fig1() *reproduce.Figure {
	gammas := []float64{0, 0.5, 2, 10}
	five := newRA19Network(5, gammas)
	twenty := newRA19Network(20, gammas, "network.topology={kind: erdos-renyi, nodes: 20, probability: 0.2}")
	one := &reproduce.Curve{Label: "(b) R-ADMM, η = 1", Set: []string{
		"algorithm={kind: r-admm, eta: 1, gamma: 0.5, init: {normal: 0.1}}", "rounds.count=400",
	}}
	var grown []*reproduce.Curve
	for j := 1; j <= 5; j++ {
		grown = append(grown, differing(fmt.Sprintf("(b) j = %d", j), float64(j)))
	}
	constant := differing("(b) j = 0, constant", 0)
	unequal := mrADMM("(b) constant 0.5 and 2", "{nodes: [0.5, 2, 0.5, 2, 0.5]}", "rounds.count=400")
	partB := append([]*reproduce.Curve{one}, append(grown, constant, unequal)...)
	var partC []*reproduce.Curve
	for _, q := range []float64{1, 1.01, 1.03, 1.05} {
		partC = append(partC, mrADMM(fmt.Sprintf("(c) q₁ = %g", q), fmt.Sprintf("{initial: %g, ratio: %g}", q, q)))
	}
	f := &reproduce.Figure{
		Name: "ra19-fig1", Paper: "RA19 Fig. 1", Title: "R-ADMM and MR-ADMM without noise", Scenario: "ra19-fig1.yaml",
		Seeds: 10,
		Stated: "random networks of 5 and 20 nodes; (a) η = 0.5, several γ; (b) η_i(2k−1) = η̂_i·q_i^k with η̂ = (1, " +
			"1.03, 1.02, 0.8, 1.01) and q_i = 1 + j·(0.01, 0.005, 0.003, 0.015, 0.01), j = 1…5; (c) one penalty " +
			"q₁^k; black: R-ADMM with η = 1. Edges, γ, q₁, rounds are not given.",
		Chosen: ra19Chosen + ", start N(0, 0.01).",
		Curves: slices.Concat(five.curves(), twenty.curves(), partB, partC),
	}
	f.Grid = &reproduce.Grid{Settings: ra19Settings("random, 0.6", slices.Concat(five.curves(), partB, partC),
		ra19C, ra19Start("N(0, 0.01)"),
		reproduce.Setting{Name: "graph of 20", Paths: []string{"network.topology.probability"}, Low: 0.15, High: 0.6,
			Taken: "0.2", Curves: twenty.curves()},
		reproduce.Setting{Name: "γ of (b), (c)", Paths: []string{"algorithm.gamma"}, Low: 0.05, High: 5, Log: true,
			Taken: "0.5", Curves: slices.Concat(partB, partC)})}
	const distance = "distance to the optimum, relative"
	f.Charts = []reproduce.Chart{
		logY(byRound("loss-a", "R-ADMM, several γ", "loss", "loss L(t)", five.curves()...)),
		logY(byOddRound("distance-odd", "R-ADMM, odd rounds", "distance", distance,
			slices.Concat(five.curves(), twenty.curves())...)),
		logY(byOddRound("distance-b", "MR-ADMM, penalties that differ by node, odd rounds", "distance", distance,
			partB...)),
		logY(byOddRound("consensus-b", "MR-ADMM, penalties that differ by node, odd rounds", "consensus",
			"disagreement", partB...)),
		logY(byOddRound("distance-c", "MR-ADMM, one growing penalty, odd rounds", "distance", distance, partC...)),
	}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		at := func(c *reproduce.Curve, t int) float64 { return r.Of(c).At("distance", t) }
		rises, compensated, both := 0, 0, true
		for t := 2; t+1 <= 99; t += 2 {
			runs := r.Of(five.byGamma[1])
			before, even, after := runs.At("objective", t-1), runs.At("objective", t), runs.At("objective", t+1)
			if even > before {
				if rises++; after <= before {
					compensated++
				}
			}
			both = both && after <= math.Max(before, even)
		}
		compensation := ", so that there is nothing to compensate"
		if rises > 0 {
			compensation = fmt.Sprintf(", and %d times the next odd round is not above where it was before; an odd "+
				"round is never above both rounds before it (graded: in part): %s", compensated, yes(both))
		}
		// The largest relative rise of the loss in an even round.
		jump := func(c *reproduce.Curve) float64 {
			worst := 0.0
			for t := 10; t+1 < 100; t += 2 {
				before := r.Of(c).At("loss", t-1)
				worst = math.Max(worst, (r.Of(c).At("loss", t)-before)/before)
			}
			return worst
		}
		var jumps, slows []string
		calmer, slower, oscillates := true, true, false
		for k, c := range five.byGamma {
			jumps = append(jumps, fmt.Sprintf("γ = %g: %.2g", gammas[k], jump(c)))
			oscillates = oscillates || jump(c) > 0
			slows = append(slows, fmt.Sprintf("γ = %g: %.3g", gammas[k], at(c, 99)))
			if k > 0 {
				previous := five.byGamma[k-1]
				calmer = calmer && (jump(c) < jump(previous) || jump(c) == 0)
				slower = slower && at(c, 99) > at(previous, 99)
			}
		}
		var cs []string
		ordered := true
		for k, c := range partC {
			cs = append(cs, fmt.Sprintf("%s: %.3g", c.Label, at(c, 99)))
			ordered = ordered && (k == 0 || at(c, 99) > at(partC[k-1], 99))
		}
		var ends []string
		reached, agreed := true, true
		for _, c := range grown {
			reached = reached && at(c, 399) <= 0.5*at(c, 199)
			agreed = agreed && r.Of(c).At("consensus", 399) <= 0.01*r.Of(c).At("consensus", 1)
		}
		for _, c := range partB {
			ends = append(ends, fmt.Sprintf("%s: distance %.3g, %.3g, disagreement %.2g", c.Label, at(c, 199),
				at(c, 399), r.Of(c).At("consensus", 399)))
		}
		recycled5, recycled20 := five.byGamma[0], twenty.byGamma[0]
		cheap5, words5 := five.computes(r)
		cheap20, words20 := twenty.computes(r)
		return []reproduce.Statement{
			reproduce.State("even rounds can raise the loss, and “the odd iterations will always compensate this "+
				"increase”", reproduce.AssessWhere(rises > 0, reproduce.AssessParts(compensated == rises, both)),
				"N = 5, γ = 0.5: the objective rises in %d of 49 even rounds%s", rises, compensation),
			reproduce.State("odd rounds of R-ADMM converge about as fast as ADMM",
				reproduce.AssessParts(at(recycled5, 99) < 1.5*at(five.admm, 99) &&
					at(recycled20, 99) < 1.5*at(twenty.admm, 99), at(recycled5, 99) < at(five.admm, 50) &&
					at(recycled20, 99) < at(twenty.admm, 50)),
				"graded: with both N at most half as far again; in part, if nearer than ADMM after half the rounds. "+
					"Distance in round 99: N = 5: R-ADMM (γ = 0) %.3g, ADMM %.3g, ADMM after 50 rounds, with as "+
					"many solves, %.3g; N = 20: %.3g, %.3g, %.3g",
				at(recycled5, 99), at(five.admm, 99), at(five.admm, 50), at(recycled20, 99), at(twenty.admm, 99),
				at(twenty.admm, 50)),
			reproduce.State("R-ADMM takes “much less computation compared to the conventional ADMM” (graded: half the "+
				"minimisations, and at most two thirds of the passes over the data and of the time, in as many rounds)",
				reproduce.AssessParts(cheap5 && cheap20, cheap5 || cheap20),
				"100 rounds, R-ADMM (γ = 0) and ADMM: N = 5: %s; N = 20: %s. A pass computes a gradient; the even "+
					"rounds make none, and the minimisations of the odd ones start further away", words5, words20),
			reproduce.State("“larger γ can result in smaller oscillation”",
				reproduce.AssessWhere(oscillates, reproduce.Assess(calmer)),
				"largest relative rise of the loss in an even round after the tenth (where it is 0 for every γ there "+
					"is no oscillation to judge): %s", strings.Join(jumps, ", ")),
			reproduce.State("larger γ lowers the rate of convergence", reproduce.Assess(slower),
				"distance in round 99: %s", strings.Join(slows, ", ")),
			reproduce.State("(b) “the convergence is attained” with penalties that differ by node",
				reproduce.AssessParts(reached, agreed),
				"graded: to the optimum, if for every j the distance halves from round 199 to 399; in part, if the "+
					"nodes agree to 1 %% of what they differ in round 1. In rounds 199 and 399: %s; without growth, "+
					"%s (the last case is ours). Where the duals no longer sum to zero, nodes agree on another point",
				strings.Join(ends[:6], "; "), strings.Join(ends[6:], "; ")),
			reproduce.State("(c) “increasing penalty slows down the convergence, and larger increase … slows it down "+
				"more”", reproduce.Assess(ordered),
				"distance in round 99: %s", strings.Join(cs, ", ")),
		}
	}
	return f
}

func ra19Fig2() *reproduce.Figure {
	grid := []float64{0.002, 0.01, 0.05, 0.22, 1, 5, 20, 100, 500}
	const stated = 3 // of the grid: 0.22
	f := &reproduce.Figure{
		Name: "ra19-fig2", Paper: "RA19 Fig. 2", Title: "test error against ρ", Scenario: "ra19-fig2.yaml", Seeds: 10,
		Stated: "conventional ADMM, 50 rounds, C = 1750; network, η and the values of ρ are not given.",
		Chosen: ra19Chosen + ", 5 nodes, η = 0.5. The test set has 5,222 rows: one row is 0.02 %.",
		Charts: []reproduce.Chart{logX(byParameter("error", "ADMM after 50 rounds", "test_error", "ρ",
			"fraction of wrong labels"))},
	}
	for _, rho := range grid {
		f.Curves = append(f.Curves, &reproduce.Curve{Label: fmt.Sprintf("ρ = %g", rho),
			Set: []string{fmt.Sprintf("problem.rho=%g", rho)}, Group: "ADMM, 50 rounds", X: rho})
	}
	f.Grid = &reproduce.Grid{Settings: ra19Settings("random, 0.6", nil, ra19Start("0"),
		reproduce.Setting{Name: "η", Paths: []string{"algorithm.eta"}, Low: 0.05, High: 5, Log: true, Taken: "0.5"})}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		errs := finals(r, "test_error", f.Curves)
		best, ties := 0, 0
		for k, e := range errs {
			if e < errs[best] {
				best, ties = k, 0
			}
			if e == errs[best] {
				ties++
			}
		}
		_, low, high := r.Of(f.Curves[stated]).Range("test_error", -1)
		return []reproduce.Statement{
			reproduce.State("“the classification error rate is minimized at ρ ≈ 0.22”",
				reproduce.AssessParts(best == stated && ties == 1, errs[stated] == errs[best]), // in part: with others
				"least at ρ = %g; %s. At 0.22 the seeds, each with a test set of its own, range from %.4f to %.4f",
				grid[best], pairs(grid, errs, "%.4f"), low, high),
		}
	}
	return f
}

// privateMR is private MR-ADMM with η(2k−1) = q^k.
func privateMR(label string, q, alpha, gamma float64) *reproduce.Curve {
	return &reproduce.Curve{Label: label, Group: fmt.Sprintf("α = %g,", alpha), Set: []string{
		fmt.Sprintf("algorithm={kind: private-mr-admm, eta: {initial: %g, ratio: %g}, alpha: %g, gamma: %g}",
			q, q, alpha, gamma),
	}}
}

// plainADMM is the method without privacy.
var plainADMM = &reproduce.Curve{Label: "ADMM, no privacy", Set: []string{"algorithm={kind: admm, eta: 0.5}"}}

// oddMean is the mean of a column over the odd rounds of the last fifth.
func oddMean(r *reproduce.Results, c *reproduce.Curve, column string) float64 {
	sum, n := 0.0, 0.0
	for t := 81; t <= 99; t += 2 {
		sum, n = sum+r.Of(c).At(column, t), n+1
	}
	return sum / n
}

func ra19Fig3() *reproduce.Figure {
	gammas := []float64{0.1, 0.5, 1, 2}
	byGamma := func(alpha float64) (curves []*reproduce.Curve) {
		for _, g := range gammas {
			c := privateMR(fmt.Sprintf("α = %g, γ = %g", alpha, g), 1.01, alpha, g)
			c.X = g
			curves = append(curves, c)
		}
		return curves
	}
	alphas := []float64{1, 2}
	private := [][]*reproduce.Curve{byGamma(alphas[0]), byGamma(alphas[1])}
	f := &reproduce.Figure{
		Name: "ra19-fig3", Paper: "RA19 Fig. 3", Title: "private MR-ADMM, several γ", Scenario: "ra19-fig3.yaml",
		Seeds:  10,
		Stated: "η(2k−1) = 1.01^k, α = 1 in (a), 2 in (b), ρ = 0.22, ten runs; γ, network and C are not given.",
		Chosen: ra19Chosen + ", 5 nodes.",
		Curves: append(slices.Concat(private...), plainADMM),
		Charts: []reproduce.Chart{
			byOddRound("loss-1", "private MR-ADMM, α = 1, odd rounds", "loss", "loss L(t)", private[0]...),
			byOddRound("loss-2", "private MR-ADMM, α = 2, odd rounds", "loss", "loss L(t)", private[1]...),
			inRounds(byParameter("error", "private MR-ADMM, round 99", "test_error", "γ", "fraction of wrong labels",
				slices.Concat(private...)...), 99),
		},
	}
	f.Grid = &reproduce.Grid{Settings: ra19Settings("random, 0.6", nil, ra19C, ra19Start("0"))}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		var losses, bounds []string
		within, same := true, true
		for k, alpha := range alphas {
			low, high, bound := math.Inf(1), 0.0, math.NaN()
			for _, c := range private[k] {
				loss, b := r.Of(c).At("loss", 99), claimedLoss(r, c)
				losses = append(losses, fmt.Sprintf("%s: %.4f", c.Label, loss))
				low, high = math.Min(low, loss), math.Max(high, loss)
				same = same && (math.IsNaN(bound) || b == bound)
				bound = b
			}
			bounds = append(bounds, fmt.Sprintf("α = %g: %.2f", alpha, bound))
			within = within && high < 1.05*low
		}
		return []reproduce.Statement{
			reproduce.State("“varying γ (within a certain range) does not [a]ffect performance significantly”",
				reproduce.Assess(within),
				"graded: the losses of round 99 are within 5 %% of each other; %s", strings.Join(losses, ", ")),
			reproduce.State("the loss of privacy is the same for every γ", reproduce.Assess(same), "%s",
				strings.Join(bounds, ", ")).On(reproduce.OnAccount),
		}
	}
	return f
}

func ra19Fig4() *reproduce.Figure {
	growths := []float64{1, 1.01, 1.02, 1.03, 1.04, 1.05}
	byGrowth := func(alpha float64) (curves []*reproduce.Curve) {
		for _, q := range growths {
			c := privateMR(fmt.Sprintf("α = %g, q₁ = %g", alpha, q), q, alpha, 0.5)
			c.X = q
			curves = append(curves, c)
		}
		return curves
	}
	little, much := byGrowth(2), byGrowth(1) // noise
	f := &reproduce.Figure{
		Name: "ra19-fig4", Paper: "RA19 Fig. 4", Title: "private MR-ADMM, several growths of the penalty",
		Scenario: "ra19-fig4.yaml", Seeds: 10,
		Stated: "γ = 0.5, ρ = 0.22, η(2k−1) = q₁^k, q₁ = 1.01 to 1.05; α = 2 (“low privacy requirement”) and 1 " +
			"(“high”), ten runs; network and C are not given.",
		Chosen: ra19Chosen + ", 5 nodes; q₁ = 1 added for comparison.",
		Curves: append(slices.Concat(little, much), plainADMM),
		Charts: []reproduce.Chart{
			byOddRound("loss-2", "private MR-ADMM, α = 2, odd rounds", "loss", "loss L(t)", little...),
			byOddRound("loss-1", "private MR-ADMM, α = 1, odd rounds", "loss", "loss L(t)", much...),
			byRound("privacy-2", "claimed loss of privacy, α = 2", "privacy_loss", "bound P(t)", little...),
			byRound("privacy-1", "claimed loss of privacy, α = 1", "privacy_loss", "bound P(t)", much...),
			inRounds(byParameter("error", "private MR-ADMM, round 99", "test_error", "q₁", "fraction of wrong labels",
				slices.Concat(little, much)...), 99),
		},
	}
	f.Grid = &reproduce.Grid{Settings: ra19Settings("random, 0.6", nil, ra19C, ra19Start("0"))}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		var losses []string
		// ends are the curves of one α with q₁ = 1 and 1.05, and whether the loss falls with every q₁ between them.
		type ends struct {
			first, last *reproduce.Curve
			better      bool
		}
		compare := func(curves []*reproduce.Curve) ends {
			var values []float64
			for _, c := range curves {
				values = append(values, oddMean(r, c, "loss"))
				losses = append(losses, fmt.Sprintf("%s: %.4f", c.Label, oddMean(r, c, "loss")))
			}
			return ends{curves[0], curves[len(curves)-1], falling(values)}
		}
		two, one := compare(little), compare(much)
		gain := func(e ends) float64 { return oddMean(r, e.first, "loss") - oddMean(r, e.last, "loss") }
		width := func(c *reproduce.Curve) float64 { return r.Of(c).Width("loss", 81, 100) }
		return []reproduce.Statement{
			reproduce.State("a growing η improves accuracy under noise",
				reproduce.AssessParts(one.better && two.better, one.better || two.better || gain(one) > 0),
				"mean loss of odd rounds 81–99: %s", strings.Join(losses, ", ")),
			reproduce.State("“while maintain[ing] the privacy guarantee”",
				reproduce.Assess(claimedLoss(r, two.last) <= claimedLoss(r, two.first) &&
					claimedLoss(r, one.last) <= claimedLoss(r, one.first)),
				"bound with q₁ = 1 and 1.05: α = 2: %.2f and %.2f; α = 1: %.2f and %.2f",
				claimedLoss(r, two.first), claimedLoss(r, two.last), claimedLoss(r, one.first),
				claimedLoss(r, one.last)).On(reproduce.OnAccount),
			reproduce.State("it stabilises the algorithm",
				reproduce.AssessWhere(len(r.Of(two.first).Infos) > 1, // one seed has no range
					reproduce.Assess(width(two.last) < width(two.first) && width(one.last) < width(one.first))),
				"mean range of the loss over seeds, rounds 81–100, q₁ = 1 and 1.05: α = 2: %.4f and %.4f; α = 1: "+
					"%.4f and %.4f",
				width(two.first), width(two.last), width(one.first), width(one.last)),
			reproduce.State("“the improvement is more significant when [the] algorithm is under higher perturbation”",
				reproduce.Assess(gain(one) > gain(two)),
				"loss at q₁ = 1 minus loss at 1.05: α = 1: %.4f, α = 2: %.4f", gain(one), gain(two)),
		}
	}
	return f
}

// useful says whether two losses are below the zero classifier's.
func useful(first, second float64) string {
	switch zero := math.Ln2; {
	case first < zero && second < zero:
		return "MR-ADMM and R-ADMM are below"
	case first < zero:
		return "MR-ADMM is below, R-ADMM is not"
	case second < zero:
		return "R-ADMM is below, MR-ADMM is not"
	}
	return "neither MR-ADMM nor R-ADMM is below"
}

// beatADMM says whether the first two curves, MR-ADMM and R-ADMM, both end below the third, and whether the first does.
func beatADMM(r *reproduce.Results, curves []*reproduce.Curve) (both, first bool) {
	admm := oddMean(r, curves[2], "loss")
	first = oddMean(r, curves[0], "loss") < admm
	return first && oddMean(r, curves[1], "loss") < admm, first
}

// lossesOf are the final losses of curves, in words.
func lossesOf(r *reproduce.Results, curves []*reproduce.Curve) string {
	var all []string
	for _, c := range curves {
		all = append(all, fmt.Sprintf("%s: %.4f", c.Label, oddMean(r, c, "loss")))
	}
	return strings.Join(all, ", ")
}

// ra19Method is one of the methods that Fig. 5 compares.
type ra19Method struct {
	name, algorithm string
	recycles        bool
	byBudget        []*reproduce.Curve
}

func ra19Fig5() *reproduce.Figure {
	budgets := []float64{6, 12, 48}
	const twelve = 1 // of budgets
	mr := &ra19Method{
		name: "MR-ADMM", recycles: true,
		algorithm: "{kind: private-mr-admm, eta: {initial: 1.04, ratio: 1.04}, alpha: 1, gamma: 0.5}",
	}
	recycled := &ra19Method{
		name: "R-ADMM", recycles: true,
		algorithm: "{kind: private-r-admm, eta: 1, alpha: 1, gamma: 0.5}",
	}
	mADMM := &ra19Method{
		name:      "M-ADMM (PP)",
		algorithm: "{kind: penalty-perturbation, eta: {initial: 1, ratio: 1.02}, theta: 1, alpha: 3}",
	}
	admm := &ra19Method{
		name:      "ADMM (PP, η = θ)",
		algorithm: "{kind: penalty-perturbation, eta: 1, theta: 1, alpha: 3}",
	}
	methods := []*ra19Method{mr, recycled, mADMM, admm, {name: "DVP", algorithm: "{kind: dvp, eta: 1, alpha: 1}"}}
	f := &reproduce.Figure{
		Name: "ra19-fig5", Paper: "RA19 Fig. 5", Title: "private methods at equal total privacy loss",
		Scenario: "ra19-fig5.yaml", Seeds: 10,
		Stated: "MR-ADMM with η(2k−1) = 1.04^k, R-ADMM and ADMM with η = 1, M-ADMM with a varying penalty; γ = 0.5, " +
			"ρ = 0.22, ten runs; noise such that all have about the same total bound. Network, the α and M-ADMM's " +
			"schedule are not given.",
		Chosen: "five nodes with six links, C = 1750; every method's noise is chosen by the accountant for a total " +
			"of 6, 12 or 48 over 100 rounds (`privacy: {epsilon: …, over: run}`), each by its own paper's bound. " +
			"ADMM appears twice: as PP with η = θ = 1 (bound (26)) and as DVP with ZZ16's own account. M-ADMM " +
			"has η(t) = 1.02^{t−1}, θ = 1. A total of 3 would be out of reach of ADMM with bound (26): its " +
			"part 1.4c₁C/(ηVB), which no noise lowers, adds up to 3.8 over 100 rounds of η = 1.",
	}
	var byBudget [][]*reproduce.Curve
	for _, b := range budgets {
		var equal []*reproduce.Curve
		for _, m := range methods {
			c := &reproduce.Curve{
				Label: fmt.Sprintf("β = %g, %s", b, m.name), Group: m.name + ",", X: b,
				Set: []string{"algorithm=" + m.algorithm, fmt.Sprintf("privacy={epsilon: %g, over: run}", b)},
			}
			m.byBudget, equal = append(m.byBudget, c), append(equal, c)
		}
		byBudget = append(byBudget, equal)
		f.Charts = append(f.Charts, logY(byOddRound(fmt.Sprintf("loss-%g", b),
			fmt.Sprintf("total bound %g, odd rounds", b), "loss", "loss L(t)", equal...)))
	}
	// RA19 §VII-B: noise on what is sent, at β = 12, and Gaussian noise there.
	onOutput := func(privacy string, law string, perturbation string) (curves []*reproduce.Curve) {
		for _, c := range []struct{ name, algorithm string }{
			{"MR-ADMM", "{kind: private-mr-admm, eta: {initial: 1.04, ratio: 1.04}, alpha: 1, gamma: 0.5, " +
				"perturbation: " + perturbation + "}"},
			{"R-ADMM", "{kind: private-r-admm, eta: 1, alpha: 1, gamma: 0.5, perturbation: " + perturbation + "}"},
			{"PVP", "{kind: pvp, eta: 1, alpha: 1, law: " + law + "}"},
		} {
			curves = append(curves, &reproduce.Curve{Label: c.name + ", " + law + " on what is sent",
				Set: []string{"algorithm=" + c.algorithm, "privacy=" + privacy}})
		}
		return curves
	}
	output := onOutput("{epsilon: 12, over: run}", "laplace", "output")
	gaussian := onOutput("{epsilon: 2, over: run, delta: 1e-5}", "gaussian", "gaussian")
	private := slices.Concat(byBudget...)
	f.Curves = slices.Concat(private, output, gaussian, []*reproduce.Curve{plainADMM})
	f.Charts = append(f.Charts,
		logY(byOddRound("loss-output", "Laplace noise on what is sent, total bound 12, odd rounds", "loss", "loss L(t)",
			output...)),
		logY(byOddRound("loss-gaussian", "Gaussian noise on what is sent, (2, 10⁻⁵), odd rounds", "loss", "loss L(t)",
			gaussian...)),
		byRound("privacy", "claimed loss of privacy, total 12", "privacy_loss", "bound P(t)", byBudget[twelve]...),
		inRounds(logX(byParameter("error", "test error in round 99", "test_error", "total bound β",
			"fraction of wrong labels", private...)), 99))
	f.Grid = &reproduce.Grid{Settings: ra19Settings("five nodes with six links", nil, ra19C, ra19Start("0"),
		reproduce.Setting{Name: "M-ADMM's growth", Paths: []string{"algorithm.eta.ratio"}, Low: 1.005, High: 1.06,
			Taken: "1.02", Curves: mADMM.byBudget})}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		value := func(m *ra19Method, budget int, column string) float64 {
			return oddMean(r, m.byBudget[budget], column)
		}
		// below counts the odd rounds in which a method's mean loss is below another's.
		below := func(a, b *reproduce.Curve) (n int) {
			for t := 1; t <= 99; t += 2 {
				if r.Of(a).At("loss", t) < r.Of(b).At("loss", t) {
					n++
				}
			}
			return n
		}
		const odd = 50
		base := r.Of(plainADMM).Base()
		var all []reproduce.Statement
		for k, b := range budgets {
			var losses, errs, crossings []string
			wins, always, best := true, true, true
			first, second := value(mr, k, "loss"), value(recycled, k, "loss")
			leastError, least := "", math.Inf(1)
			for _, m := range methods {
				loss, e := value(m, k, "loss"), value(m, k, "test_error")
				losses = append(losses, fmt.Sprintf("%s %.4f", m.name, loss))
				errs = append(errs, fmt.Sprintf("%s %.4f", m.name, e))
				if e < least {
					leastError, least = m.name, e
				}
				if m.recycles {
					continue
				}
				wins = wins && first < loss && second < loss
				best = best && first < loss
				ofMR, ofR := below(m.byBudget[k], mr.byBudget[k]), below(m.byBudget[k], recycled.byBudget[k])
				always = always && ofMR+ofR == 0
				crossings = append(crossings, fmt.Sprintf("%s is below MR-ADMM in %d and below R-ADMM in %d",
					m.name, ofMR, ofR))
			}
			all = append(all,
				reproduce.State(fmt.Sprintf("R-ADMM and MR-ADMM beat M-ADMM and ADMM at equal bound (β = %g)", b),
					reproduce.AssessParts(wins && always, wins),
					"graded: lower mean loss of odd rounds 81–99, and in part if curves cross before. Loss: %s (the "+
						"zero classifier has %.4f: %s); test error: %s (always the larger class: %.4f). Of %d odd "+
						"rounds, %s",
					strings.Join(losses, ", "), math.Ln2, useful(first, second), strings.Join(errs, ", "), base, odd,
					strings.Join(crossings, "; ")),
				reproduce.State(fmt.Sprintf("MR-ADMM has the highest accuracy of all (β = %g)", b),
					reproduce.AssessParts(best && first < second &&
						below(recycled.byBudget[k], mr.byBudget[k]) == 0, best && first < second),
					"graded by the loss, which is what the paper measures accuracy by (§VIII): MR-ADMM %.4f, R-ADMM "+
						"%.4f, which is below MR-ADMM in %d of %d odd rounds. The test error is least with %s",
					first, second, below(recycled.byBudget[k], mr.byBudget[k]), odd, leastError))
		}
		var gains []float64
		for k := range budgets {
			gains = append(gains, value(admm, k, "loss")-value(mr, k, "loss"))
		}
		plain := r.Of(plainADMM)
		return append(all,
			reproduce.State("“the improvement is more significant with smaller total privacy loss”",
				reproduce.Assess(falling(gains)),
				"ADMM's loss minus MR-ADMM's: β = 6: %.4f, 12: %.4f, 48: %.4f; 6 and 48 are the edges of what is "+
					"tried, and nothing is said of totals beyond", gains[0], gains[1], gains[2]),
			reproduce.State("“other perturbation methods such as output perturbation … our conclusion would still "+
				"hold” (§VII-B)",
				reproduce.AssessParts(beatADMM(r, output)),
				"Laplace noise on what is sent, mean loss of odd rounds 81–99: %s; PVP is ADMM with such noise",
				lossesOf(r, output)),
			reproduce.State("with “the (ε, δ)-differential privacy” and zero-concentrated composition “the conclusion "+
				"remains valid” (§VII-B)",
				reproduce.AssessParts(beatADMM(r, gaussian)),
				"Gaussian noise on what is sent, ε = 2 at δ = 10⁻⁵ over the run by Rényi divergences, which are those "+
					"of zCDP here, mean loss of odd rounds 81–99: %s", lossesOf(r, gaussian)),
			reproduce.State("without noise, for comparison", reproduce.ForComparison,
				"loss %.4f, test error %.4f; the centralised optimum's test error %.4f", plain.Last("loss"),
				plain.Last("test_error"),
				plain.Reference(func(o *record.Reference) record.Number { return o.TestError })))
	}
	return f
}

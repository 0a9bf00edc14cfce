// Zhang & Zhu 2016: dual variable perturbation.

package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/report/plot"
	"overhear/reproduce"
	"overhear/theory"
)

const zz16Chosen = "20 nodes of 2,000 rows on a random 4-regular graph, η = 5 (in units of C = 1750), start N(0, " +
	"0.01), ρ as stated. C̄ in the paper carries the factor C/B; the loss here is the mean over rows"

// dvpRidge and plainRidge are ρ of the paper for dual variable perturbation and for the method without privacy.
const (
	dvpRidge   = 0.00316227766 // 10^−2.5, which the scenarios have
	plainRidge = 1e-10
)

// dvp is DVP at each of some budgets; more are further changes.
func dvp(group string, alphas []float64, more ...string) (curves []*reproduce.Curve) {
	for _, a := range alphas {
		label := fmt.Sprintf("α = %g", a)
		if group != "" {
			label = group + ", " + label
		}
		curves = append(curves, &reproduce.Curve{
			Label: label, Set: append([]string{fmt.Sprintf("algorithm.alpha=%g", a)}, more...), Group: group, X: a,
		})
	}
	return curves
}

func init() { reproduce.Register(zz16Fig2(), zz16Fig3()) }

// openZZ16 are the settings that both figures leave open.
func openZZ16() []reproduce.Setting {
	return []reproduce.Setting{
		{Name: "nodes", Paths: []string{"network.topology.nodes"}, Values: []string{"4", "6", "8", "10"}, Taken: "20"},
		{Name: "graph", Paths: []string{"network.topology.degree"}, Values: []string{"2", "3"}, Words: []string{"ring",
			"3-regular"}, Taken: "4-regular"},
		{Name: "start σ₀", Paths: []string{"algorithm.init.normal"}, Low: 0.01, High: 1, Log: true, Taken: "0.1"},
	}
}

// briefZZ16 are changes that make the grid's runs affordable, and why they may be made: C = 1750 may not exceed a
// node's rows, so that fewer rows are of fewer nodes.
var briefZZ16 = []string{"problem.train=18000", "rounds.count=60"}

const briefZZ16Why = "ten nodes have 1,800 rows then, more than C, and a node's loss is a mean over its rows; with a " +
	"constant α the loss wanders about its level well before round 60"

// ridged are a curve at some ρ, points of one line.
func ridged(group string, ridges []float64, set string) (curves []*reproduce.Curve) {
	for _, r := range ridges {
		curves = append(curves, &reproduce.Curve{Label: fmt.Sprintf("%s, ρ = %.3g", group, r), Group: group, X: r,
			Set: []string{set, fmt.Sprintf("problem.rho=%g", r)}})
	}
	return curves
}

func zz16Fig2() *reproduce.Figure {
	alphas := []float64{0.1, 0.3, 0.5, 1, 3}
	private := dvp("", alphas)
	ridges := []float64{plainRidge, 1e-5, dvpRidge, 0.1, 1, 10, 100}
	noisy, quiet := ridged("DVP, α = 0.3", ridges, "algorithm.alpha=0.3"),
		ridged("no privacy", ridges, "algorithm.noise=off")
	plain := quiet[0]
	f := &reproduce.Figure{
		Name: "zz16-fig2", Paper: "ZZ16 Fig. 2", Title: "convergence of DVP", Scenario: "zz16-fig2.yaml", Seeds: 5,
		Stated: "Adult, C = 1750, 100 rounds, random start; ρ is chosen as the one of “a few fixed values” with the " +
			"least loss at α = 0.3: 10^−2.5, and 10^−10 for the method without privacy. Nodes, graph, η, the values " +
			"of α and of ρ are not given.",
		Chosen: zz16Chosen + ". ρ is tried from 10⁻¹⁰ to 100. Five runs.",
		Curves: slices.Concat(private, noisy, quiet),
		Charts: []reproduce.Chart{
			logY(byRound("loss", "DVP: training loss, mean and range", "loss", "loss L(t)",
				append(slices.Clone(private), plain)...)),
			byRound("privacy", "DVP: claimed loss of privacy", "privacy_loss", "sum of α", private...),
			logX(byParameter("ridge", "Training loss of the last round by ρ", "loss", "ρ", "loss",
				slices.Concat(noisy, quiet)...)),
		},
		Grid: &reproduce.Grid{Set: briefZZ16, Why: briefZZ16Why, Settings: append(openZZ16(), reproduce.Setting{
			Name: "η", Paths: []string{"algorithm.eta"}, Low: 1, High: 200, Log: true, Taken: "5",
		})},
	}
	// best is the ρ with the least loss at the end, and by how much that of a given ρ is above it.
	best := func(r *reproduce.Results, curves []*reproduce.Curve, ridge float64) (least, above float64) {
		low, given := math.Inf(1), 0.0
		for _, c := range curves {
			loss := r.Of(c).End("loss")
			if loss < low {
				least, low = c.X, loss
			}
			if c.X == ridge {
				given = loss
			}
		}
		return least, given/low - 1
	}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		final := func(c *reproduce.Curve) float64 { return r.Of(c).End("loss") }
		end := final(plain)
		var losses, reached []string
		near, accurate := 0, true
		for k, c := range private {
			losses = append(losses, fmt.Sprintf("%s: %.3f", c.Label, final(c)))
			var rounds []string
			for _, d := range distances {
				if t := r.Of(c).Reaches("loss", (1+d)*end); t >= 0 {
					rounds = append(rounds, fmt.Sprint(t))
				} else {
					rounds = append(rounds, "never")
				}
			}
			reached = append(reached, fmt.Sprintf("%s: %s", c.Label, strings.Join(rounds, ", ")))
			if final(c) < 1.1*end {
				near++
			}
			accurate = accurate && (k == 0 || final(c) < final(private[k-1]) &&
				claimedLoss(r, c) > claimedLoss(r, private[k-1]))
		}
		sooner, pairs := speeds(r, private, end)
		first, last := private[0], private[len(private)-1]
		noisyBest, noisyAbove := best(r, noisy, dvpRidge)
		plainBest, plainAbove := best(r, quiet, plainRidge)
		one, all := r.Of(private[1]).At("privacy_loss", 1), claimedLoss(r, private[1])
		return []reproduce.Statement{
			reproduce.State("larger α converges faster (“Larger values of α_p yield better convergence”)",
				reproduce.AssessWhere(pairs > 0, reproduce.AssessParts(sooner == pairs, sooner > 0)),
				"first round in which the mean loss is at most 5 %%, 25 %% and 100 %% above that without privacy: "+
					"%s. Of %d pairs of neighbours, each judged at the first of these that one of both reaches and "+
					"that the start is not within, the larger α is there sooner in %d of %d",
				strings.Join(reached, "; "), len(private)-1, sooner, pairs),
			reproduce.State("“When α_p(t) is small, the model is more private but less accurate”",
				reproduce.AssessParts(accurate, final(last) < final(first)),
				"mean loss of the last fifth of the rounds: %s; without privacy %.3f; claimed over the run %.3g to "+
					"%.3g",
				strings.Join(losses, ", "), end, claimedLoss(r, first), claimedLoss(r, last)),
			reproduce.State("“while keeping a good convergence performance” (§6)",
				reproduce.AssessParts(near == len(private), near > 0),
				"the loss of the last fifth of the rounds is within 10 %% of that without privacy (%.3f) for %d of %d "+
					"α. With a constant α the noise does not fade: the iterates wander around the optimum at a "+
					"distance set by α", end, near, len(private)),
			reproduce.State("at α = 0.3 ρ = 10^−2.5 “minimizes the empirical loss”",
				reproduce.AssessParts(noisyBest == dvpRidge, noisyAbove < 0.01),
				"of %d values of ρ it is %.3g; the loss at 10^−2.5 is %.2f %% above its (limit for “in part”: 1 %%)",
				len(ridges), noisyBest, 100*noisyAbove),
			reproduce.State("without privacy ρ = 10^−10 does",
				reproduce.AssessParts(plainBest == plainRidge, plainAbove < 0.01),
				"of %d values of ρ it is %.3g; the loss at 10^−10 is %.2f %% above its. It is the least ρ tried, and "+
					"without noise the loss of the data can only rise with ρ", len(ridges), plainBest,
				100*plainAbove).On(reproduce.OnConstruction),
			reproduce.State("“our dynamic privacy is also independent of the number of iterations” (§2.2)",
				reproduce.Assess(all <= 1.01*one),
				"α = 0.3 claims %.3g after one round and %.3g after all: Theorem 1 bounds each round by itself, and "+
					"the rounds are of the same rows. What an observer of more rounds learns is measured by `simulate "+
					"reproduce attacks/dvp-rounds`", one, all).On(reproduce.OnAccount),
		}
	}
	return f
}

// distances are how far above the loss without privacy a curve may be to have come near it.
var distances = []float64{0.05, 0.25, 1}

// speeds says in how many pairs of neighbours the second curve comes near a loss in an earlier round: at the first of
// the distances that one of both reaches and that the start, which they share, is not within. A pair of which none
// reaches any says nothing.
func speeds(r *reproduce.Results, curves []*reproduce.Curve, loss float64) (sooner, pairs int) {
	for k := 1; k < len(curves); k++ {
		for _, d := range distances {
			slow, fast := r.Of(curves[k-1]).Reaches("loss", (1+d)*loss), r.Of(curves[k]).Reaches("loss", (1+d)*loss)
			if slow <= 0 && fast <= 0 {
				continue
			}
			if pairs++; fast >= 0 && (slow < 0 || fast < slow) {
				sooner++
			}
			break
		}
	}
	return sooner, pairs
}

// zz16Utility is U(α) of ZZ16 Fig. 3.
var zz16Utility = theory.Utility{Form: "zz16", Weights: []float64{0.02, 6, 9, 1}}

// printed are the constants (c₄, c₅) that ZZ16 fits.
var printed = [][2]float64{{0.2, 25}, {20, 20}}

// byPenalty is DVP at one η over all budgets.
type byPenalty struct {
	eta    float64
	curves []*reproduce.Curve
}

// fit is L_acc at a round, t < 0 the last; its constants are no numbers where there is none.
func (p byPenalty) fit(r *reproduce.Results, alphas []float64, t int) theory.Accuracy {
	var loss []float64
	for _, c := range p.curves {
		loss = append(loss, r.Of(c).At("loss", t))
	}
	fit, err := theory.FitAccuracy(alphas, loss)
	if err != nil {
		nan := math.NaN()
		return theory.Accuracy{C4: nan, C5: nan, C6: nan, Miss: nan}
	}
	return fit
}

// apart is by what factor the constants of a fit are off a printed pair, the greater of the two; +Inf for none.
func apart(fit theory.Accuracy, pair [2]float64) float64 {
	off := max(math.Abs(math.Log(fit.C4/pair[0])), math.Abs(math.Log(fit.C5/pair[1])))
	if math.IsNaN(off) {
		return math.Inf(1)
	}
	return math.Exp(off)
}

// atEdge says where the closest η is the least or the greatest tried, so that one beyond may be closer.
func atEdge(all []byPenalty, eta float64) string {
	switch eta {
	case all[0].eta:
		return " or less, as it is the least tried"
	case all[len(all)-1].eta:
		return " or more, as it is the greatest tried"
	}
	return ""
}

// between is the η at which the constants, taken as powers of η between the fits, are closest to a printed pair.
func between(all []byPenalty, fits []theory.Accuracy, pair [2]float64) (eta, off float64) {
	eta, off = all[0].eta, apart(fits[0], pair)
	mean := func(a, b, share float64) float64 { return math.Exp((1-share)*math.Log(a) + share*math.Log(b)) }
	const steps = 100
	for k := range len(fits) - 1 {
		for i := range steps + 1 {
			share := float64(i) / steps
			at := theory.Accuracy{C4: mean(fits[k].C4, fits[k+1].C4, share), C5: mean(fits[k].C5, fits[k+1].C5, share)}
			if o := apart(at, pair); o < off {
				eta, off = mean(all[k].eta, all[k+1].eta, share), o
			}
		}
	}
	return eta, off
}

func zz16Fig3() *reproduce.Figure {
	alphas := []float64{0.05, 0.1, 0.2, 0.3, 0.5, 1, 2}
	var all []byPenalty
	var curves []*reproduce.Curve
	for _, eta := range []float64{5, 20, 50, 100, 200} {
		p := byPenalty{eta, dvp(fmt.Sprintf("η = %g", eta), alphas, fmt.Sprintf("algorithm.eta=%g", eta))}
		all, curves = append(all, p), append(curves, p.curves...)
	}
	const page = 0 // η = 5, which Fig. 2 has
	private := all[page].curves
	// lasts are the fits of the last round, by η.
	lasts := func(r *reproduce.Results) (fits []theory.Accuracy) {
		for _, p := range all {
			fits = append(fits, p.fit(r, alphas, -1))
		}
		return fits
	}
	// closest is the number of the η whose fit is closest to a printed pair.
	closest := func(fits []theory.Accuracy, pair [2]float64) (k int) {
		for i := range fits {
			if apart(fits[i], pair) < apart(fits[k], pair) {
				k = i
			}
		}
		return k
	}
	f := &reproduce.Figure{
		Name: "zz16-fig3", Paper: "ZZ16 Fig. 3", Title: "privacy against accuracy, and the choice of α",
		Scenario: "zz16-fig3.yaml", Seeds: 3,
		Stated: "as Fig. 2; privacy utility U(α) = ω₁ ln(ω₂/(ω₃α + ω₄α²)) with ω = (0.02, 6, 9, 1); the fit L_acc(α) " +
			"= c₄e^{−c₅α} + c₆ with (c₄, c₅) = (0.2, 25) “at all iterations” and (20, 20) “for t > 1”.",
		Chosen: zz16Chosen + ". The fit depends on η and is made for η from 5 to 200, at α from 0.05 to 2. Three runs.",
		Curves: curves,
		Charts: []reproduce.Chart{
			inRounds(logX(logY(byParameter("rounds", "DVP: training loss at several rounds", "loss", "α", "loss L(t)",
				private...))), 5, 20, 50, 100),
			logX(logY(byParameter("final", "DVP: training loss of the last round", "loss", "α", "loss", curves...))),
			logX(byParameter("error", "DVP: test error of the last round", "test_error", "α",
				"fraction of wrong labels", curves...)),
		},
		Grid: &reproduce.Grid{Set: briefZZ16, Why: briefZZ16Why, Settings: openZZ16()}, // η is in the curves
	}
	f.Drawings = func(r *reproduce.Results, draw reproduce.Draw) {
		fits := lasts(r)
		k := closest(fits, printed[0])
		at, fit := all[k], fits[k]
		measured := plot.Line{Label: "measured, mean and range", Look: plot.Scatter}
		for k, c := range at.curves {
			mean, low, high := r.Of(c).Range("loss", -1)
			measured.X, measured.Y = append(measured.X, alphas[k]), append(measured.Y, mean)
			measured.Low, measured.High = append(measured.Low, low), append(measured.High, high)
		}
		line := func(label string, y func(alpha float64) float64) plot.Line {
			l := plot.Line{Label: label, Look: plot.Plain}
			const points = 200
			for k := range points + 1 {
				x := alphas[0] * math.Pow(alphas[len(alphas)-1]/alphas[0], float64(k)/points)
				l.X, l.Y = append(l.X, x), append(l.Y, y(x))
			}
			return l
		}
		paper := theory.Accuracy{C4: printed[0][0], C5: printed[0][1], C6: fit.C6}
		lines := []plot.Line{
			measured, line("L_acc(α), fitted", fit.At), line("L_acc(α) with the paper's c₄, c₅", paper.At),
			line("U(α)", zz16Utility.At),
			line("U(α) − L_acc(α)", func(x float64) float64 { return zz16Utility.At(x) - fit.At(x) }),
		}
		if c, err := theory.Choose(fit, zz16Utility, alphas[0], alphas[len(alphas)-1]); err == nil {
			lines = append(lines, plot.Line{Label: fmt.Sprintf("best α = %.3g", c.Alpha), Look: plot.Upright,
				X: []float64{c.Alpha}})
		}
		draw("utility", plot.Chart{Title: fmt.Sprintf("What privacy and accuracy are worth, η = %g", at.eta),
			X: plot.Log("α"), Y: plot.Linear("loss, utility"), Lines: lines})
	}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		loss, errs := finals(r, "loss", private), finals(r, "test_error", private)
		var fits, chosen []string
		made := lasts(r)
		inner, here := 0, true
		const close = 2
		near := closest(made, printed[0])
		for k, p := range all {
			fit := made[k]
			fits = append(fits, fmt.Sprintf("η = %g: (%.3g, %.3g)", p.eta, fit.C4, fit.C5))
			c, err := theory.Choose(fit, zz16Utility, alphas[0], alphas[len(alphas)-1])
			if err == nil && c.Edge == 0 {
				inner++
				chosen = append(chosen, fmt.Sprintf("η = %g: %.3f", p.eta, c.Alpha))
			} else {
				chosen = append(chosen, fmt.Sprintf("η = %g: at an end", p.eta))
				here = here && k != page && k != near
			}
		}
		// fitted judges a printed pair from a round on: in every round, or in part in the last one, with one η.
		fitted := func(pair [2]float64, from int) (a reproduce.Assessment, words string) {
			k := closest(made, pair)
			at, fit := all[k], made[k]
			last := r.Of(at.curves[0]).Rounds() - 1
			var rounds, within []string
			for _, share := range []int{20, 5, 2} {
				t := max(1, last/share)
				one := at.fit(r, alphas, t)
				rounds = append(rounds, fmt.Sprintf("(%.3g, %.3g) in round %d", one.C4, one.C5, t))
			}
			always := false
			for k, p := range all {
				if !(apart(made[k], pair) < close) {
					continue
				}
				n := 0
				for t := from; t <= last; t++ {
					if apart(p.fit(r, alphas, t), pair) < close {
						n++
					}
				}
				always = always || n == last-from+1
				within = append(within, fmt.Sprintf("at η = %g in %d", p.eta, n))
			}
			said := "at no η in the last round"
			if within != nil {
				said = fmt.Sprintf("%s of rounds %d to %d", strings.Join(within, ", "), from, last)
			}
			eta, off := between(all, made, pair)
			return reproduce.AssessParts(always, within != nil), fmt.Sprintf("closest to (%g, %g) in the last "+
				"round is η = %g%s: c₄ = %.3g, c₅ = %.3g, c₆ = %.3g, off by factors of at most %.2f, largest miss "+
				"%.3f (between these η, %.3g would be off by %.2f); %s. Within a factor of %d, which is graded in "+
				"every round, and as in part in the last: %s",
				pair[0], pair[1], at.eta, atEdge(all, at.eta), fit.C4, fit.C5, fit.C6, apart(fit, pair), fit.Miss, eta,
				off, strings.Join(rounds, ", "), close, said)
		}
		small, smallWords := fitted(printed[0], 1)
		great, greatWords := fitted(printed[1], 2)
		return []reproduce.Statement{
			reproduce.State("“the accuracy of the algorithm increases as α_p(t) becomes larger” (final loss)",
				reproduce.AssessParts(falling(loss), loss[len(loss)-1] < loss[0]), "η = 5: %s",
				pairs(alphas, loss, "%.3f")),
			reproduce.State("the misclassification rate falls with α", reproduce.AssessParts(falling(errs),
				errs[len(errs)-1] < errs[0]), "η = 5: %s", pairs(alphas, errs, "%.4f")),
			reproduce.State("L_acc(α) = c₄e^{−c₅α} + c₆ has (c₄, c₅) = (0.2, 25) “at all iterations”",
				small, "the constants depend on η, least squares on the last round: %s. %s",
				strings.Join(fits, ", "), smallWords),
			reproduce.State("“for iteration t > 1, c₄ = 20, c₅ = 20”", great, "%s", greatWords),
			reproduce.State("there is a best α, which maximises U(α) − L_acc(α)",
				reproduce.AssessParts(here, inner > 0),
				"between α = %g and %g the maximum is inside for %d of %d η: %s. U grows without bound as α → 0, so "+
					"that the maximum over all α > 0 is at 0; with the paper's two fits the inner maxima are at α = "+
					"%.3f and %.3f. It is judged at η = 5 and at the η closest to the paper's first "+
					"fit", alphas[0], alphas[len(alphas)-1], inner, len(all), strings.Join(chosen, ", "),
				designStep(0.2, 25, 0, 0.05, 2), designStep(20, 20, 0, 0.2, 2)),
		}
	}
	return f
}

// finals are the means of a column in the last round, a number a curve.
func finals(r *reproduce.Results, column string, curves []*reproduce.Curve) (values []float64) {
	for _, c := range curves {
		values = append(values, r.Of(c).Last(column))
	}
	return values
}

func pairs(x, y []float64, format string) string {
	var all []string
	for k := range x {
		all = append(all, fmt.Sprintf("%g: "+format, x[k], y[k]))
	}
	return strings.Join(all, ", ")
}

// designStep is the α in [low, high] that maximises ZZ16's privacy utility minus
// the fitted loss.
func designStep(c4, c5, c6, low, high float64) float64 {
	best, err := theory.Choose(theory.Accuracy{C4: c4, C5: c5, C6: c6}, zz16Utility, low, high)
	if err != nil {
		return math.NaN()
	}
	return best.Alpha
}

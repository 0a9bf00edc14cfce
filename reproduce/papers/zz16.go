// Zhang & Zhu 2016: dual variable perturbation.

package papers

import (
	"fmt"
	"math"
	"strings"

	"overhear/reproduce"
	"overhear/theory"
)

const zz16Chosen = "20 nodes of 2,000 rows on a random 4-regular graph, η = 5 (in units of C = 1750), " +
	"ridge ρ = 10^−2.5 for the private and the plain method (the paper has 10^−10 for the plain one), start at zero " +
	"(the paper: random), ten runs. " +
	"C̄ in the paper carries the factor C/B; the loss here is the mean over rows."

// dvp is DVP at each of some budgets.
func dvp(alphas ...float64) (curves []*reproduce.Curve) {
	for _, a := range alphas {
		curves = append(curves, &reproduce.Curve{
			Label: fmt.Sprintf("α = %g", a), Set: []string{fmt.Sprintf("algorithm.alpha=%g", a)}, Group: "DVP", X: a,
		})
	}
	return curves
}

// dvpWithoutNoise is the method without privacy.
var dvpWithoutNoise = &reproduce.Curve{Label: "no privacy", Set: []string{"algorithm.noise=off"}}

func init() { reproduce.Register(zz16Fig2(), zz16Fig3()) }

func zz16Fig2() *reproduce.Figure {
	private, plain := dvp(0.1, 0.3, 0.5, 1, 3), dvpWithoutNoise
	least, most := private[0], private[len(private)-1]
	f := &reproduce.Figure{
		Name: "zz16-fig2", Paper: "ZZ16 Fig. 2", Title: "convergence of DVP", Scenario: "zz16-fig2.yaml", Seeds: 10,
		Stated: "Adult, C = 1750, ρ = 10^−2.5 (10^−10 for the method without privacy), 100 rounds; nodes, graph, η " +
			"and the values of α are not given.",
		Chosen: zz16Chosen,
		Curves: append(private, plain),
		Charts: []reproduce.Chart{
			logY(byRound("loss", "DVP: training loss, mean and range", "loss", "loss L(t)")),
			byRound("privacy", "DVP: claimed loss of privacy", "privacy_loss", "sum of α", private...),
		},
	}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		final := func(c *reproduce.Curve) float64 { return r.Of(c).Mean("loss", 81, 100) }
		early := func(c *reproduce.Curve) float64 { return r.Of(c).Mean("loss", 21, 40) }
		end := final(plain)
		var losses, reached []string
		ordered := true
		for k, c := range private {
			losses = append(losses, fmt.Sprintf("%s: %.3f", c.Label, final(c)))
			ordered = ordered && (k == 0 || final(c) < final(private[k-1]))
		}
		for _, c := range r.Curves {
			if t := r.Of(c).Reaches("loss", 1.05*end); t >= 0 {
				reached = append(reached, fmt.Sprintf("%s in round %d", c.Label, t))
			} else {
				reached = append(reached, c.Label+" never")
			}
		}
		return []reproduce.Statement{
			reproduce.State("larger α converges faster (“Larger values of α_p yield better convergence”)",
				reproduce.Assess(ordered),
				"within 5 %% of the loss without privacy: %s", strings.Join(reached, ", ")),
			reproduce.State("“When α_p(t) is small, the model is more private but less accurate”",
				reproduce.Assess(ordered),
				"mean loss of rounds 81–100: %s; without privacy %.3f", strings.Join(losses, ", "), end),
			reproduce.State("“while keeping a good convergence performance” (§6)",
				reproduce.AssessParts(final(least) < 1.1*end, final(most) < 1.1*end),
				"mean loss of rounds 21–40 and 81–100: α = 0.1: %.3f and %.3f; α = 3: %.3f and %.3f. With a constant "+
					"α the noise does not fade: the iterates wander around the optimum at a distance set by α",
				early(least), final(least), early(most), final(most)),
		}
	}
	return f
}

func zz16Fig3() *reproduce.Figure {
	alphas := []float64{0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 4}
	private := dvp(alphas...)
	f := &reproduce.Figure{
		Name: "zz16-fig3", Paper: "ZZ16 Fig. 3", Title: "privacy against accuracy, and the choice of α",
		Scenario: "zz16-fig3.yaml", Seeds: 10,
		Stated: "as Fig. 2; privacy utility U(α) = ω₁ ln(ω₂/(ω₃α + ω₄α²)) with ω = (0.02, 6, 9, 1); the fit L_acc(α) " +
			"= c₄e^{−c₅α} + c₆ with (0.2, 25) “at all iterations” and (20, 20) “for t > 1”.",
		Chosen: zz16Chosen,
		Curves: append(private, dvpWithoutNoise),
		Charts: []reproduce.Chart{
			inRounds(logX(logY(byParameter("rounds", "DVP: training loss at several rounds", "loss", "α", "loss L(t)",
				private...))), 5, 20, 50, 100),
			logX(byParameter("final", "DVP: training loss of the last round", "loss", "α", "loss", private...)),
			logX(byParameter("error", "DVP: test error of round 100", "test_error", "α", "fraction of wrong labels",
				private...)),
		},
	}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		loss, errs := finals(r, "loss", private), finals(r, "test_error", private)
		c4, c5, c6, worst := fitLoss(alphas, loss)
		best := designStep(c4, c5, c6, 0.02, 1)
		return []reproduce.Statement{
			reproduce.State("“the accuracy of the algorithm increases as α_p(t) becomes larger” (final loss)",
				reproduce.Assess(falling(loss)),
				"%s", pairs(alphas, loss, "%.3f")),
			reproduce.State("the misclassification rate falls with α", reproduce.AssessParts(falling(errs),
				errs[0] > errs[len(errs)-1]),
				"%s", pairs(alphas, errs, "%.4f")),
			reproduce.State("L_acc(α) = c₄e^{−c₅α} + c₆ fits, with (c₄, c₅) = (0.2, 25) or (20, 20)",
				reproduce.AssessParts(worst < 0.05*c6 && math.Abs(c5-25) < 10, worst < 0.05*c6),
				"least squares on the last round give c₄ = %.3g, c₅ = %.3g, c₆ = %.3g; largest miss %.3f", c4, c5, c6,
				worst),
			reproduce.State("there is a best α, which maximises U(α) − L_acc(α)", reproduce.HoldsInPart,
				"with the fit above and α in [0.02, 1]: α = %.3f. U grows without bound as α → 0, so that without a "+
					"least α the maximum is at 0; with the paper's two fits the inner maxima are at α = %.3f and %.3f",
				best, designStep(0.2, 25, 0, 0.05, 2), designStep(20, 20, 0, 0.2, 2)),
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

func falling(v []float64) bool {
	for k := 1; k < len(v); k++ {
		if !(v[k] < v[k-1]) {
			return false
		}
	}
	return true
}

func pairs(x, y []float64, format string) string {
	var all []string
	for k := range x {
		all = append(all, fmt.Sprintf("%g: "+format, x[k], y[k]))
	}
	return strings.Join(all, ", ")
}

// fitLoss is the fit of c₄e^{−c₅α} + c₆, and its largest miss; not numbers where there is none.
func fitLoss(alpha, loss []float64) (c4, c5, c6, worst float64) {
	fit, err := theory.FitAccuracy(alpha, loss)
	if err != nil {
		return math.NaN(), math.NaN(), math.NaN(), math.NaN()
	}
	return fit.C4, fit.C5, fit.C6, fit.Miss
}

// designStep is the α in [low, high] that maximises ZZ16's privacy utility minus
// the fitted loss.
func designStep(c4, c5, c6, low, high float64) float64 {
	utility := theory.Utility{Form: "zz16", Weights: []float64{0.02, 6, 9, 1}}
	best, err := theory.Choose(theory.Accuracy{C4: c4, C5: c5, C6: c6}, utility, low, high)
	if err != nil {
		return math.NaN()
	}
	return best.Alpha
}

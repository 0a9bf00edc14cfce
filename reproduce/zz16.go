// Zhang & Zhu 2016: dual variable perturbation.

package reproduce

import (
	"fmt"
	"math"
	"strings"
)

const zz16Chosen = "20 nodes of 2,000 rows on a random 4-regular graph, η = 5 (in units of C = 1750), " +
	"ridge ρ = 10^−2.5 for the private and the plain method (the paper has 10^−10 for the plain one), start at zero (the paper: random), ten runs. " +
	"C̄ in the paper carries the factor C/B; the loss here is the mean over rows."

// dvpCurve is DVP at one budget.
func dvpCurve(alpha float64) Curve {
	return Curve{
		Label: fmt.Sprintf("α = %g", alpha), Set: []string{fmt.Sprintf("algorithm.alpha=%g", alpha)},
		Group: "DVP", X: alpha,
	}
}

var zz16Alphas = []float64{0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 4}

func init() {
	plain := Curve{Label: "no privacy", Set: []string{"algorithm.noise=off"}}
	fig2 := &Figure{
		Name: "zz16-fig2", Paper: "ZZ16 Fig. 2", Title: "convergence of DVP", Scenario: "zz16-fig2.yaml", Seeds: 10,
		Stated: "Adult, C = 1750, ρ = 10^−2.5 (10^−10 for the method without privacy), 100 rounds; nodes, graph, η and the values of α are not given.",
		Chosen: zz16Chosen,
		Curves: []Curve{dvpCurve(0.1), dvpCurve(0.3), dvpCurve(0.5), dvpCurve(1), dvpCurve(3), plain},
		Charts: []Chart{
			{Name: "loss", Title: "DVP: training loss, mean and range", X: "round", Y: "loss", XLabel: "round", YLabel: "loss L(t)", LogY: true},
			{Name: "privacy", Title: "DVP: claimed loss of privacy", X: "round", Y: "privacy_loss", XLabel: "round", YLabel: "sum of α", Curves: prefix("α")},
		},
	}
	fig2.Claims = func(r *Results) []Claim {
		var losses, orders []string
		ordered := true
		for k, c := range r.Curves[:5] {
			now := r.runs(c.Label).over("loss", 81, 100)
			losses = append(losses, fmt.Sprintf("%s: %.3f", c.Label, now))
			if k > 0 && now >= r.runs(r.Curves[k-1].Label).over("loss", 81, 100) {
				ordered = false
			}
		}
		end := r.runs("no privacy").over("loss", 81, 100)
		level := 1.05 * end
		for _, c := range r.Curves {
			if t := r.runs(c.Label).reaches("loss", level); t >= 0 {
				orders = append(orders, fmt.Sprintf("%s in round %d", c.Label, t))
			} else {
				orders = append(orders, c.Label+" never")
			}
		}
		one, ten := r.runs("α = 0.1"), r.runs("α = 3")
		return []Claim{
			{"larger α converges faster (“Larger values of α_p yield better convergence”)",
				fmt.Sprintf("within 5 %% of the loss without privacy: %s", strings.Join(orders, ", ")), verdict(ordered)},
			{"“When α_p(t) is small, the model is more private but less accurate”",
				fmt.Sprintf("mean loss of rounds 81–100: %s; without privacy %.3f", strings.Join(losses, ", "), end), verdict(ordered)},
			{"“while keeping a good convergence performance” (§6)",
				fmt.Sprintf("mean loss of rounds 21–40 and 81–100: α = 0.1: %.3f and %.3f; α = 3: %.3f and %.3f. With a constant α the noise does not fade: the iterates wander around the optimum at a distance set by α",
					one.over("loss", 21, 40), one.over("loss", 81, 100), ten.over("loss", 21, 40), ten.over("loss", 81, 100)),
				judge(one.over("loss", 81, 100) < 1.1*end, ten.over("loss", 81, 100) < 1.1*end)},
		}
	}

	var curves []Curve
	for _, a := range zz16Alphas {
		curves = append(curves, dvpCurve(a))
	}
	fig3 := &Figure{
		Name: "zz16-fig3", Paper: "ZZ16 Fig. 3", Title: "privacy against accuracy, and the choice of α", Scenario: "zz16-fig3.yaml", Seeds: 10,
		Stated: "as Fig. 2; privacy utility U(α) = ω₁ ln(ω₂/(ω₃α + ω₄α²)) with ω = (0.02, 6, 9, 1); the fit L_acc(α) = c₄e^{−c₅α} + c₆ with (0.2, 25) “at all iterations” and (20, 20) “for t > 1”.",
		Chosen: zz16Chosen,
		Curves: append(curves, plain),
		Charts: []Chart{
			{Name: "rounds", Title: "DVP: training loss at several rounds", Y: "loss", XLabel: "α", YLabel: "loss L(t)", LogX: true, LogY: true, Curves: prefix("α"), Points: []int{5, 20, 50, 100}},
			{Name: "final", Title: "DVP: training loss of the last round", Y: "loss", XLabel: "α", YLabel: "loss", LogX: true, Curves: prefix("α")},
			{Name: "error", Title: "DVP: test error of round 100", Y: "test_error", XLabel: "α", YLabel: "fraction of wrong labels", LogX: true, Curves: prefix("α")},
		},
	}
	fig3.Claims = func(r *Results) []Claim {
		loss, errs := r.grid("loss"), r.grid("test_error")
		c4, c5, c6, worst := fitLoss(zz16Alphas, loss)
		best := designStep(c4, c5, c6, 0.02, 1)
		return []Claim{
			{"“the accuracy of the algorithm increases as α_p(t) becomes larger” (final loss)", pairs(zz16Alphas, loss, "%.3f"), verdict(falling(loss))},
			{"the misclassification rate falls with α", pairs(zz16Alphas, errs, "%.4f"), judge(falling(errs), errs[0] > errs[len(errs)-1])},
			{"L_acc(α) = c₄e^{−c₅α} + c₆ fits, with (c₄, c₅) = (0.2, 25) or (20, 20)",
				fmt.Sprintf("least squares on the last round give c₄ = %.3g, c₅ = %.3g, c₆ = %.3g; largest miss %.3f", c4, c5, c6, worst),
				judge(worst < 0.05*c6 && math.Abs(c5-25) < 10, worst < 0.05*c6)},
			{"there is a best α, which maximises U(α) − L_acc(α)",
				fmt.Sprintf("with the fit above and α in [0.02, 1]: α = %.3f. U grows without bound as α → 0, so that without a least α the maximum is at 0; with the paper's two fits the inner maxima are at α = %.3f and %.3f",
					best, designStep(0.2, 25, 0, 0.05, 2), designStep(20, 20, 0, 0.2, 2)), Partly},
		}
	}
	register(fig2, fig3)
}

// judge is Holds if all is true, Partly if some, Fails if nothing.
func judge(all, some bool) Verdict {
	switch {
	case all:
		return Holds
	case some:
		return Partly
	}
	return Fails
}

// grid is the mean of a column in the last round of the curves that have an X.
func (r *Results) grid(column string) []float64 {
	var v []float64
	for k := range r.Runs {
		if r.Runs[k].Curve.Group != "" {
			v = append(v, r.Runs[k].last(column))
		}
	}
	return v
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

// fitLoss is the least-squares fit of c₄e^{−c₅α} + c₆, and its largest miss. For
// a given c₅ it is linear regression; c₅ is searched.
func fitLoss(alpha, loss []float64) (c4, c5, c6, worst float64) {
	best := math.Inf(1)
	for k := range 4000 {
		rate := 0.01 * math.Exp(float64(k)*math.Log(1e4)/4000)
		var n, sx, sy, sxx, sxy float64
		for i, a := range alpha {
			x := math.Exp(-rate * a)
			n, sx, sy, sxx, sxy = n+1, sx+x, sy+loss[i], sxx+x*x, sxy+x*loss[i]
		}
		slope := (n*sxy - sx*sy) / (n*sxx - sx*sx)
		level := (sy - slope*sx) / n
		squares, miss := 0.0, 0.0
		for i, a := range alpha {
			d := slope*math.Exp(-rate*a) + level - loss[i]
			squares += d * d
			miss = math.Max(miss, math.Abs(d))
		}
		if squares < best {
			best, c4, c5, c6, worst = squares, slope, rate, level, miss
		}
	}
	return c4, c5, c6, worst
}

// designStep is the α in [low, high] that maximises ZZ16's privacy utility minus
// the fitted loss.
func designStep(c4, c5, c6, low, high float64) float64 {
	best, at := math.Inf(-1), low
	for k := range 20001 {
		a := low + (high-low)*float64(k)/20000
		v := 0.02*math.Log(6/(9*a+a*a)) - (c4*math.Exp(-c5*a) + c6)
		if v > best {
			best, at = v, a
		}
	}
	return at
}

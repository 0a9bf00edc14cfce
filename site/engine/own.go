// Figures that are of no paper: what methods do on the data that come with the program, with the parameters that change
// it most.

package engine

import (
	"fmt"
	"strings"

	"overhear/reproduce"
)

// hospitals are ten hospitals that agree on a model.
func hospitals() *reproduce.Figure {
	var curves []*reproduce.Curve
	for _, m := range []struct{ label, set string }{
		{"ADMM", "algorithm.kind=admm"},
		{"gradient descent", "algorithm={kind: dgd, step: 0.5}"},
		{"each by itself", "algorithm={kind: local}"},
	} {
		curves = append(curves, &reproduce.Curve{Label: m.label, Set: []string{m.set}})
	}
	admm, dgd, alone := curves[0], curves[1], curves[2]
	f := &reproduce.Figure{
		Name: "quickstart", Title: "ten hospitals agree on a model without pooling their patients",
		Scenario: "quickstart.yaml", Seeds: 1, Curves: curves,
		Stated: "Ten hospitals on a small-world network learn to tell malignant from benign tumours. By ADMM they " +
			"reach the model that one who has all patients would compute; gradient descent has farther to go.",
		Charts: []reproduce.Chart{
			{Name: "distance", Title: "distance of the worst hospital from the centralised optimum", X: "round",
				Y: "distance", XLabel: "round", YLabel: "relative distance", LogY: true, Curves: curves},
			{Name: "loss", Title: "training loss", X: "round", Y: "loss", XLabel: "round", YLabel: "loss L(t)",
				Curves: curves},
		},
	}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		end := func(c *reproduce.Curve) float64 { return r.Of(c).Last("distance") }
		half := r.Of(admm).At("distance", (r.Of(admm).Rounds()-1)/2)
		return []reproduce.Statement{
			reproduce.State("ADMM reaches the optimum of all patients, to 0.1 %",
				reproduce.AssessParts(end(admm) <= 0.001, end(admm) < half/2),
				"relative distance of the worst hospital: %.3g half-way, %.3g after the last round; in part: it at "+
					"least halves in the second half", half, end(admm)),
			reproduce.State("ADMM is nearer to it than gradient descent in most rounds",
				reproduce.Assess(r.Of(admm).Against(r.Of(dgd), "distance", nil).Most()),
				"%v; at the end %.3g against %.3g", r.Of(admm).Against(r.Of(dgd), "distance", nil), end(admm),
				end(dgd)),
			reproduce.State("a hospital by itself does not reach it", reproduce.Assess(end(alone) > 0.01),
				"relative distance of the worst one %.3g", end(alone)),
		}
	}
	return f
}

// budgets are private methods at one budget.
func budgets() *reproduce.Figure {
	plain := &reproduce.Curve{Label: "no noise", Set: []string{"algorithm.noise=off"}}
	private := []*reproduce.Curve{
		{Label: "DVP (noise in the objective)"},
		{Label: "PVP (noise on what is sent)", Set: []string{"algorithm.kind=pvp"}},
	}
	curves := append([]*reproduce.Curve{plain}, private...)
	f := &reproduce.Figure{
		Name: "budget", Title: "what a budget of privacy costs", Scenario: "audit-methods.yaml", Seeds: 3,
		Curves: curves,
		Stated: "Two private methods at one budget α of each node and round, and the same without noise. The claimed " +
			"loss of privacy adds up over the rounds, whatever the noise does to the model.",
		Charts: []reproduce.Chart{
			{Name: "loss", Title: "training loss, mean and range", X: "round", Y: "loss", XLabel: "round",
				YLabel: "loss L(t)", Curves: curves},
			{Name: "claimed", Title: "claimed loss of privacy", X: "round", Y: "privacy_loss", XLabel: "round",
				YLabel: "sum of α", Curves: private},
		},
	}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		base := r.Of(plain).End("loss")
		dearer, near := 0, 0
		var words []string
		for _, c := range private {
			loss := r.Of(c).End("loss")
			words = append(words, fmt.Sprintf("%s %.4f", c.Label, loss))
			if loss > base {
				dearer++
			}
			if loss < 1.1*base {
				near++
			}
		}
		found := fmt.Sprintf("mean loss of the last fifth of the rounds: no noise %.4f, %s", base,
			strings.Join(words, ", "))
		first, last := r.Of(private[0]).At("privacy_loss", 1), r.Of(private[0]).Last("privacy_loss")
		return []reproduce.Statement{
			reproduce.State("privacy costs accuracy", reproduce.AssessParts(dearer == len(private), dearer > 0), "%s",
				found),
			reproduce.State("at this budget the loss is within 10 % of that without noise",
				reproduce.AssessParts(near == len(private), near > 0), "%s", found),
			reproduce.State("the claim of a run is no greater than that of one round", reproduce.Assess(last <= first),
				"DVP claims %.3g after one round and %.3g after all", first, last).On(reproduce.OnAccount),
		}
	}
	return f
}

// unreliable are methods on a network that loses packets and does not wait.
func unreliable() *reproduce.Figure {
	edge := &reproduce.Curve{Label: "edge ADMM", Set: []string{"algorithm={kind: edge-admm, eta: 0.05}"}}
	node := []*reproduce.Curve{
		{Label: "ADMM", Set: []string{"algorithm={kind: admm, eta: 0.02}"}},
		{Label: "R-ADMM", Set: []string{"algorithm={kind: r-admm, eta: 0.02, gamma: 0.1}"}},
	}
	curves := append([]*reproduce.Curve{edge}, node...)
	f := &reproduce.Figure{
		Name: "lost-packets", Title: "asynchronous updates over a network that loses packets",
		Scenario: "edge-under-loss.yaml", Seeds: 1, Curves: curves,
		Stated: "Twelve hospitals update asynchronously, and nothing that is lost is sent again. Edge ADMM keeps one " +
			"vector for each end of a link, which a lost message only delays. Methods with one dual a node agree on " +
			"a point that is not the optimum.",
		Charts: []reproduce.Chart{
			{Name: "distance", Title: "distance of the worst node from the optimum", X: "time_s", Y: "distance",
				XLabel: "virtual time (s)", YLabel: "relative distance", LogY: true, Curves: curves},
			{Name: "disagreement", Title: "largest distance of a node from the average", X: "time_s", Y: "consensus",
				XLabel: "virtual time (s)", YLabel: "disagreement", LogY: true, Curves: curves},
		},
	}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		distance, agreed := r.Of(edge).Last("distance"), 0
		wrong := 0
		var words []string
		for _, c := range node {
			runs := r.Of(c)
			words = append(words, fmt.Sprintf("%s: distance %.2g, disagreement %.1g", c.Label, runs.Last("distance"),
				runs.Last("consensus")))
			if runs.Last("distance") > 0.01 {
				wrong++
			}
			if runs.Last("consensus") < 0.01*runs.At("consensus", runs.Rounds()/10) {
				agreed++
			}
		}
		return []reproduce.Statement{
			reproduce.State("edge ADMM reaches the centralised optimum", reproduce.AssessParts(distance < 1e-4,
				distance < 0.01), "relative distance after the last round: %.2g; in part: below 1 %%", distance),
			reproduce.State("methods with one dual a node end at a wrong point",
				reproduce.AssessParts(wrong == len(node), wrong > 0), "after the last round: %s",
				strings.Join(words, "; ")),
			reproduce.State("and agree on it: their disagreement falls to a hundredth of what it is after a tenth of "+
				"the rounds", reproduce.AssessParts(agreed == len(node), agreed > 0), "%d of %d do: %s", agreed,
				len(node), strings.Join(words, "; ")),
		}
	}
	return f
}

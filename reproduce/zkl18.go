// Zhang, Khalili & Liu 2018: M-ADMM and penalty perturbation.

package reproduce

import (
	"fmt"
	"strings"
)

// growth is penalty perturbation with η(t) = 0.5·q₁^{t−1}, α(t) = first·q₂^{t−1}.
func growth(label string, q1, first, q2 float64) Curve {
	return Curve{Label: label, Set: []string{
		fmt.Sprintf("algorithm.eta={initial: 0.5, ratio: %g}", q1),
		fmt.Sprintf("algorithm.alpha={initial: %g, ratio: %g}", first, q2),
	}}
}

func init() {
	const five = "five nodes with six links (a ring and one chord), 8,000 rows each, C = 1750, ρ = 0.22 (as RA19), start N(0, 0.01) in Fig. 1, zero in Fig. 2"
	// The paper's penalties, kept from growing without bound.
	const bounded = "algorithm.eta={nodes: [{initial: 0.55, ratio: 1.01, max: 2}, {initial: 0.65, ratio: 1.03, max: 2}, {initial: 0.6, ratio: 1.1, max: 2}, {initial: 0.55, ratio: 1.2, max: 2}, {initial: 0.6, ratio: 1.02, max: 2}]}"
	uniform := func(q float64) Curve {
		return Curve{Label: fmt.Sprintf("q₁ = %g", q), Set: []string{fmt.Sprintf("algorithm.eta={initial: 0.5, ratio: %g}", q)}}
	}
	fig1 := &Figure{
		Name: "zkl18-fig1", Paper: "ZKL18 Fig. 1", Title: "convergence of M-ADMM", Scenario: "zkl18-fig1.yaml", Seeds: 10,
		Stated: "five nodes, η_i(1) = 0.55, 0.65, 0.6, 0.55, 0.6, growing by q_i = 1.01, 1.03, 1.1, 1.2, 1.02; (a) θ = 0.5, or varying, or different by node; (b) η(t) = 0.5·q₁^{t−1} for several q₁. Graph, C, ρ, the other θ and the q₁ are not given.",
		Chosen: five + "; θ(t) = 0.5·1.005^{t−1}, at most 0.55; θ_i = 0.5, 0.45, 0.4, 0.5, 0.35; q₁ = 1 to 1.1; 300 rounds.",
		Curves: []Curve{
			{Label: "(a) θ = 0.5", Set: []string{"algorithm.theta=0.5", "rounds.count=300"}},
			{Label: "(a) θ varies with t", Set: []string{"algorithm.theta={initial: 0.5, ratio: 1.005, max: 0.55}", "rounds.count=300"}},
			{Label: "(a) θ differs by node", Set: []string{"algorithm.theta={nodes: [0.5, 0.45, 0.4, 0.5, 0.35]}", "rounds.count=300"}},
			{Label: "(a) η ≤ 2", Set: []string{bounded, "rounds.count=300"}},
			{Label: "(a) η ≤ 2, θ varies with t", Set: []string{bounded, "algorithm.theta={initial: 0.5, ratio: 1.005, max: 0.55}", "rounds.count=300"}},
			{Label: "(a) η ≤ 2, θ differs by node", Set: []string{bounded, "algorithm.theta={nodes: [0.5, 0.45, 0.4, 0.5, 0.35]}", "rounds.count=300"}},
			uniform(1), uniform(1.01), uniform(1.03), uniform(1.1),
		},
		Charts: []Chart{
			{Name: "loss-a", Title: "M-ADMM, penalties that differ by node", X: "round", Y: "loss", XLabel: "round", YLabel: "loss L(t)", Curves: prefix("(a)")},
			{Name: "distance-a", Title: "M-ADMM, penalties that differ by node", X: "round", Y: "distance", XLabel: "round", YLabel: "distance to the optimum, relative", LogY: true, Curves: prefix("(a)")},
			{Name: "loss-b", Title: "M-ADMM, one growing penalty", X: "round", Y: "loss", XLabel: "round", YLabel: "loss L(t)", Curves: prefix("q")},
			{Name: "distance-b", Title: "M-ADMM, one growing penalty", X: "round", Y: "distance", XLabel: "round", YLabel: "distance to the optimum, relative", LogY: true, Curves: prefix("q")},
		},
	}
	fig1.Claims = func(r *Results) []Claim {
		two := func(label string) string {
			runs := r.runs(label)
			mid, _, _ := runs.at("distance", 100)
			return fmt.Sprintf("%s: %.3g after 100 rounds, %.3g after %d", label, mid, runs.last("distance"), runs.rounds()-1)
		}
		falls := func(label string) bool {
			runs := r.runs(label)
			mid, _, _ := runs.at("distance", 100)
			return runs.last("distance") < 0.5*mid
		}
		var slow []string
		ordered := true
		for k, c := range r.Curves[6:] {
			d := r.runs(c.Label).last("distance")
			slow = append(slow, fmt.Sprintf("%s: %.3g", c.Label, d))
			if k > 0 && d < r.runs(r.Curves[5+k].Label).last("distance") {
				ordered = false
			}
		}
		return []Claim{
			{"(a) M-ADMM converges under these parameters, “consistent with Theorem 3.1”",
				"distance to the optimum: " + two("(a) θ = 0.5") + "; " + two("(a) η ≤ 2") + ". The theorem needs η_i bounded for all t: at q₄ = 1.2 the fourth node's penalty is 4·10⁷ after 100 rounds, it stands still, and the others cannot go past it",
				judge(falls("(a) θ = 0.5"), falls("(a) η ≤ 2"))},
			{"“this step size can also be non-fixed (black) and different (red) for different nodes”",
				"distance: " + two("(a) θ varies with t") + "; " + two("(a) θ differs by node") + "; with η kept below 2, " + two("(a) η ≤ 2, θ varies with t") + "; " + two("(a) η ≤ 2, θ differs by node") +
					fmt.Sprintf(". Where θ differs by node the duals no longer sum to zero (‖Σλ_i‖ = %.3g in the last round, %.1g where it varies with t only), so the limit is not exactly the optimum",
						r.runs("(a) η ≤ 2, θ differs by node").last("dual_sum"), r.runs("(a) η ≤ 2, θ varies with t").last("dual_sum")),
				judge(falls("(a) θ varies with t") && falls("(a) θ differs by node"), falls("(a) η ≤ 2, θ varies with t"))},
			{"(b) “increasing penalty slows down the convergence, and larger increase in q₁ slows it down even more”",
				"distance after 100 rounds: " + strings.Join(slow, ", "), verdict(ordered)},
		}
	}

	pp := func(name string, claims func(*Results) []Claim, title, scenario, chosen string, curves []Curve) *Figure {
		return &Figure{
			Name: name, Paper: "ZKL18 Fig. " + name[len(name)-1:], Title: title, Scenario: scenario, Seeds: 10, Chosen: chosen, Curves: curves, Claims: claims,
			Charts: []Chart{
				{Name: "loss", Title: title + ": loss", X: "round", Y: "loss", XLabel: "round", YLabel: "loss L(t), mean and range"},
				{Name: "privacy", Title: title + ": claimed loss of privacy", X: "round", Y: "privacy_loss", XLabel: "round", YLabel: "bound P(t)"},
			},
		}
	}
	// beats compares the last twenty rounds: a single round is mostly noise.
	accuracy := func(r *Results, label string) float64 { return r.runs(label).over("loss", 81, 100) }
	beats := func(r *Results, a, b string) Claim {
		la, lb := accuracy(r, a), accuracy(r, b)
		pa, pb := r.runs(a).last("privacy_loss"), r.runs(b).last("privacy_loss")
		return Claim{
			States:   fmt.Sprintf("“with suitable choices of q₁, q₂, PP can outperform DVP significantly both in accuracy and in privacy”; tried: %s against %s", a, b),
			Measured: fmt.Sprintf("mean loss of rounds 81–100: %.4f against %.4f; bound on privacy loss: %.2f against %.2f", la, lb, pa, pb),
			Holds:    judge(la < lb && pa < pb, la < lb || pa < pb),
		}
	}
	fig2 := pp("zkl18-fig2", nil, "PP against DVP, five nodes", "zkl18-fig2.yaml",
		five+"; q₁ and q₂ as in the curves' names. DVP is PP with η = θ = 0.5 constant (the same method in another scale), so that both have the bound (26).",
		[]Curve{
			growth("DVP, α = 3", 1, 3, 1), growth("DVP, α = 3·1.02^t", 1, 3, 1.02),
			growth("PP, α = 3, q₁ 1.03, q₂ 1.01", 1.03, 3, 1.01), growth("PP, α = 3, q₁ 1.05, q₂ 1.04", 1.05, 3, 1.04),
			growth("PP, α = 3, q₁ 1.03, q₂ 1.03", 1.03, 3, 1.03), growth("PP, α = 3, q₁ 1.02, q₂ 1.04", 1.02, 3, 1.04),
			growth("DVP, α = 5", 1, 5, 1), growth("PP, α = 5, q₁ 1.03, q₂ 1.03", 1.03, 5, 1.03),
		})
	fig2.Stated = "θ = 0.5, η(t) = 0.5·q₁^{t−1}, α(t) = α(1)·q₂^{t−1}, α(1) = 3 in (a), (c) and 5 in (b), (d), ten runs; q₁ and q₂ are not given."
	fig2.Claims = func(r *Results) []Claim {
		var ranges []string
		for _, c := range r.Curves {
			ranges = append(ranges, fmt.Sprintf("%s: %.4f", c.Label, r.runs(c.Label).spread("loss", 81, 100)))
		}
		same := func(pp, dvp string) bool {
			return r.runs(pp).spread("loss", 81, 100) < r.runs(dvp).spread("loss", 81, 100)
		}
		dvp, grown := accuracy(r, "DVP, α = 3"), accuracy(r, "DVP, α = 3·1.02^t")
		return []Claim{
			{"“improved accuracy comes at the expense of higher privacy loss” (DVP, α constant against growing)",
				fmt.Sprintf("mean loss of rounds 81–100: %.4f and %.4f; bound: %.1f and %.1f", dvp, grown, r.runs("DVP, α = 3").last("privacy_loss"), r.runs("DVP, α = 3·1.02^t").last("privacy_loss")),
				verdict(grown < dvp && r.runs("DVP, α = 3·1.02^t").last("privacy_loss") > r.runs("DVP, α = 3").last("privacy_loss"))},
			beats(r, "PP, α = 3, q₁ 1.03, q₂ 1.01", "DVP, α = 3"),
			beats(r, "PP, α = 3, q₁ 1.05, q₂ 1.04", "DVP, α = 3·1.02^t"),
			beats(r, "PP, α = 3, q₁ 1.03, q₂ 1.03", "DVP, α = 3"),
			beats(r, "PP, α = 3, q₁ 1.02, q₂ 1.04", "DVP, α = 3·1.02^t"),
			beats(r, "PP, α = 5, q₁ 1.03, q₂ 1.03", "DVP, α = 5"),
			{"larger η stabilises the algorithm (smaller L_range)", "mean range over seeds, rounds 81–100: " + strings.Join(ranges, ", ") + ". With q₁ = q₂ the noise stays the same while η grows",
				verdict(same("PP, α = 3, q₁ 1.03, q₂ 1.03", "DVP, α = 3") && same("PP, α = 5, q₁ 1.03, q₂ 1.03", "DVP, α = 5"))},
		}
	}
	hundred := []Curve{
		growth("DVP, α = 3", 1, 3, 1), growth("DVP, α = 3·1.02^t", 1, 3, 1.02),
		growth("PP, q₁ 1.03, q₂ 1.01", 1.03, 3, 1.01), growth("PP, q₁ 1.03, q₂ 1.03", 1.03, 3, 1.03), growth("PP, q₁ 1.02, q₂ 1.04", 1.02, 3, 1.04),
	}
	const chosen100 = "a random 4-regular graph, C = 100 (C may not exceed B_i), ρ = 0.22, start at zero (the paper: random)"
	large := func(r *Results) []Claim {
		const steady, fading = "PP, q₁ 1.03, q₂ 1.03", "PP, q₁ 1.02, q₂ 1.04"
		final := accuracy(r, fading)
		mid := r.runs(fading).over("loss", 41, 60)
		return []Claim{
			{"“convergence is attained” in a large network", fmt.Sprintf("%s: mean loss of rounds 1–20 %.4f, 41–60 %.4f, 81–100 %.4f; %s: %.4f, %.4f, %.4f", fading,
				r.runs(fading).over("loss", 1, 20), mid, final, steady, r.runs(steady).over("loss", 1, 20), r.runs(steady).over("loss", 41, 60), accuracy(r, steady)),
				verdict(final < mid)},
			beats(r, "PP, q₁ 1.03, q₂ 1.01", "DVP, α = 3"),
			beats(r, steady, "DVP, α = 3"),
			beats(r, fading, "DVP, α = 3·1.02^t"),
		}
	}
	fig3 := pp("zkl18-fig3", large, "PP against DVP, 100 nodes, even data", "zkl18-fig3.yaml", chosen100+", 400 rows a node.", hundred)
	fig3.Stated = "100 nodes, evenly spread data, η(t) = 0.5·q₁^{t−1}, α(t) = 3·q₂^{t−1}; graph, C, ρ, q₁, q₂ are not given."
	fig4 := pp("zkl18-fig4", nil, "PP against DVP, 100 nodes, uneven data", "zkl18-fig4.yaml", chosen100+", 130 to 670 rows a node. One curve has the even spread of Fig. 3.",
		append(hundred[:len(hundred):len(hundred)], Curve{Label: "even data: PP, q₁ 1.03, q₂ 1.01", Set: append(growth("", 1.03, 3, 1.01).Set, "problem.partition=even")}))
	fig4.Stated = "as Fig. 3 with unevenly spread data; how unevenly is not given."
	fig4.Claims = func(r *Results) []Claim {
		uneven, even := r.runs("PP, q₁ 1.03, q₂ 1.01").last("privacy_loss"), r.runs("even data: PP, q₁ 1.03, q₂ 1.01").last("privacy_loss")
		return append(large(r), Claim{
			"“the loss of privacy in a network with uneven sample size distributions is higher”",
			fmt.Sprintf("bound %.2f with 130 to 670 rows a node, %.2f with 400 each", uneven, even), verdict(uneven > even),
		})
	}
	register(fig1, fig2, fig3, fig4)
}

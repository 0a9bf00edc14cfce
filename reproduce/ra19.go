// Zhang, Khalili & Liu 2019: recycled ADMM.

package reproduce

import (
	"fmt"
	"math"
	"strings"

	"overhear/record"
)

const ra19Chosen = "random connected graphs (Erdős–Rényi, probability 0.6 for 5 nodes, 0.2 for 20 where there are any, one for each seed), 40,000 rows divided evenly, C = 1750, ρ = 0.22 unless it varies, start at zero unless said"

func odd(t int) bool { return t%2 == 1 }

func init() {
	register(ra19Fig1(), ra19Fig2(), ra19Fig3(), ra19Fig4(), ra19Fig5())
}

func ra19Fig1() *Figure {
	const twenty = "network.topology={kind: erdos-renyi, nodes: 20, probability: 0.2}"
	curve := func(n int, name, algorithm string) Curve {
		c := Curve{Label: fmt.Sprintf("(a) N = %d, %s", n, name), Set: []string{"algorithm=" + algorithm}}
		if n == 20 {
			c.Set = append(c.Set, twenty)
		}
		return c
	}
	f := &Figure{
		Name: "ra19-fig1", Paper: "RA19 Fig. 1", Title: "R-ADMM and MR-ADMM without noise", Scenario: "ra19-fig1.yaml", Seeds: 10,
		Stated: "random networks of 5 and 20 nodes; (a) η = 0.5, several γ; (b) η_i(2k−1) = η̂_i·q_i^k with η̂ = (1, 1.03, 1.02, 0.8, 1.01) and q_i = 1 + j·(0.01, 0.005, 0.003, 0.015, 0.01), j = 1…5; (c) one penalty q₁^k; black: R-ADMM with η = 1. Edges, γ, q₁, rounds are not given.",
		Chosen: ra19Chosen + ", start N(0, 0.01).",
		Charts: []Chart{
			{Name: "loss-a", Title: "R-ADMM, several γ", X: "round", Y: "loss", XLabel: "round", YLabel: "loss L(t)", LogY: true, Curves: prefix("(a) N = 5")},
			{Name: "distance-odd", Title: "R-ADMM, odd rounds", X: "round", Y: "distance", XLabel: "round (odd ones)", YLabel: "distance to the optimum, relative", LogY: true, Curves: prefix("(a)"), Rounds: odd},
			{Name: "distance-b", Title: "MR-ADMM, penalties that differ by node, odd rounds", X: "round", Y: "distance", XLabel: "round (odd ones)", YLabel: "distance to the optimum, relative", LogY: true, Curves: prefix("(b)"), Rounds: odd},
			{Name: "consensus-b", Title: "MR-ADMM, penalties that differ by node, odd rounds", X: "round", Y: "consensus", XLabel: "round (odd ones)", YLabel: "disagreement", LogY: true, Curves: prefix("(b)"), Rounds: odd},
			{Name: "distance-c", Title: "MR-ADMM, one growing penalty, odd rounds", X: "round", Y: "distance", XLabel: "round (odd ones)", YLabel: "distance to the optimum, relative", LogY: true, Curves: prefix("(c)"), Rounds: odd},
		},
	}
	gammas := []float64{0, 0.5, 2, 10}
	for _, n := range []int{5, 20} {
		f.Curves = append(f.Curves, curve(n, "ADMM", "{kind: admm, eta: 0.5, init: {normal: 0.1}}"))
		for _, g := range gammas {
			f.Curves = append(f.Curves, curve(n, fmt.Sprintf("γ = %g", g), fmt.Sprintf("{kind: r-admm, eta: 0.5, gamma: %g, init: {normal: 0.1}}", g)))
		}
	}
	const long = "rounds.count=400"
	f.Curves = append(f.Curves, Curve{Label: "(b) R-ADMM, η = 1", Set: []string{"algorithm={kind: r-admm, eta: 1, gamma: 0.5, init: {normal: 0.1}}", long}})
	first := []float64{1, 1.03, 1.02, 0.8, 1.01}
	growth := []float64{0.01, 0.005, 0.003, 0.015, 0.01}
	differing := func(label string, j float64, extra string) Curve {
		var nodes []string
		for i := range first {
			q := 1 + j*growth[i]
			nodes = append(nodes, fmt.Sprintf("{initial: %.6g, ratio: %.6g%s}", first[i]*q, q, extra))
		}
		return Curve{Label: label, Set: []string{"algorithm={kind: mr-admm, gamma: 0.5, init: {normal: 0.1}, eta: {nodes: [" + strings.Join(nodes, ", ") + "]}}", long}}
	}
	for j := 1; j <= 5; j += 2 {
		f.Curves = append(f.Curves, differing(fmt.Sprintf("(b) j = %d", j), float64(j), ""))
	}
	f.Curves = append(f.Curves,
		differing("(b) j = 0, constant", 0, ""),
		Curve{Label: "(b) constant 0.5 and 2", Set: []string{"algorithm={kind: mr-admm, gamma: 0.5, init: {normal: 0.1}, eta: {nodes: [0.5, 2, 0.5, 2, 0.5]}}", long}})
	for _, q := range []float64{1, 1.01, 1.03, 1.05} {
		f.Curves = append(f.Curves, Curve{Label: fmt.Sprintf("(c) q₁ = %g", q), Set: []string{fmt.Sprintf("algorithm={kind: mr-admm, gamma: 0.5, init: {normal: 0.1}, eta: {initial: %g, ratio: %g}}", q, q)}})
	}
	f.Claims = func(r *Results) []Claim {
		at := func(label string, t int) float64 { v, _, _ := r.runs(label).at("distance", t); return v }
		// How far an even round leaves the line between its neighbours, relative.
		jump := func(label string) float64 {
			worst := 0.0
			for t := 10; t+1 < 100; t += 2 {
				a, _, _ := r.runs(label).at("loss", t-1)
				b, _, _ := r.runs(label).at("loss", t)
				worst = math.Max(worst, (b-a)/a)
			}
			return worst
		}
		rises, compensated := 0, true
		for t := 2; t+1 <= 99; t += 2 {
			before, _, _ := r.runs("(a) N = 5, γ = 0.5").at("objective", t-1)
			even, _, _ := r.runs("(a) N = 5, γ = 0.5").at("objective", t)
			after, _, _ := r.runs("(a) N = 5, γ = 0.5").at("objective", t+1)
			if even > before {
				rises++
			}
			compensated = compensated && after <= math.Max(before, even)
		}
		var jumps, slows []string
		calmer, slower := true, true
		for k, g := range gammas {
			label := fmt.Sprintf("(a) N = 5, γ = %g", g)
			jumps = append(jumps, fmt.Sprintf("γ = %g: %.2g", g, jump(label)))
			slows = append(slows, fmt.Sprintf("γ = %g: %.3g", g, at(label, 99)))
			if k > 0 {
				previous := fmt.Sprintf("(a) N = 5, γ = %g", gammas[k-1])
				calmer = calmer && jump(label) <= jump(previous)
				slower = slower && at(label, 99) >= at(previous, 99)
			}
		}
		var cs []string
		ordered := true
		labels := []string{"(c) q₁ = 1", "(c) q₁ = 1.01", "(c) q₁ = 1.03", "(c) q₁ = 1.05"}
		for k, l := range labels {
			cs = append(cs, fmt.Sprintf("%s: %.3g", l, at(l, 99)))
			ordered = ordered && (k == 0 || at(l, 99) >= at(labels[k-1], 99))
		}
		end := func(label string) string {
			runs := r.runs(label)
			mid, _, _ := runs.at("distance", 199)
			last, _, _ := runs.at("distance", 399)
			agree, _, _ := runs.at("consensus", 399)
			return fmt.Sprintf("%s: distance %.3g, %.3g, disagreement %.2g", label, mid, last, agree)
		}
		stalls := func(label string) bool { return at(label, 399) > 0.5*at(label, 199) }
		return []Claim{
			{"even rounds can raise the loss, and “the odd iterations will always compensate this increase”",
				fmt.Sprintf("N = 5, γ = 0.5: the objective rises in %d of 49 even rounds; the next odd round is never above both", rises), verdict(compensated)},
			{"odd rounds of R-ADMM converge about as fast as ADMM",
				fmt.Sprintf("distance in round 99: N = 5: R-ADMM (γ = 0) %.3g, ADMM %.3g, ADMM after 50 rounds, with as many solves, %.3g; N = 20: %.3g, %.3g, %.3g",
					at("(a) N = 5, γ = 0", 99), at("(a) N = 5, ADMM", 99), at("(a) N = 5, ADMM", 50), at("(a) N = 20, γ = 0", 99), at("(a) N = 20, ADMM", 99), at("(a) N = 20, ADMM", 50)),
				judge(at("(a) N = 5, γ = 0", 99) < 1.5*at("(a) N = 5, ADMM", 99), at("(a) N = 5, γ = 0", 99) < at("(a) N = 5, ADMM", 50))},
			{"“larger γ can result in smaller oscillation”", "largest relative rise of the loss in an even round after the tenth: " + strings.Join(jumps, ", "), verdict(calmer)},
			{"larger γ lowers the rate of convergence", "distance in round 99: " + strings.Join(slows, ", "), verdict(slower)},
			{"(b) “the convergence is attained” with penalties that differ by node",
				"in rounds 199 and 399: " + end("(b) R-ADMM, η = 1") + "; " + end("(b) j = 1") + "; " + end("(b) j = 3") + "; " + end("(b) j = 5") + "; without growth, " + end("(b) j = 0, constant") + "; " + end("(b) constant 0.5 and 2") +
					". They converge, but not to the optimum: the duals no longer sum to zero (the last case, which does not grow, is ours)",
				judge(!stalls("(b) j = 3") && !stalls("(b) constant 0.5 and 2"), true)},
			{"(c) “increasing penalty slows down the convergence, and larger increase … slows it down more”", "distance in round 99: " + strings.Join(cs, ", "), verdict(ordered)},
		}
	}
	return f
}

func ra19Fig2() *Figure {
	grid := []float64{0.002, 0.01, 0.05, 0.22, 1, 5, 20, 100, 500}
	f := &Figure{
		Name: "ra19-fig2", Paper: "RA19 Fig. 2", Title: "test error against ρ", Scenario: "ra19-fig2.yaml", Seeds: 10,
		Stated: "conventional ADMM, 50 rounds, C = 1750; network, η and the values of ρ are not given.",
		Chosen: ra19Chosen + ", 5 nodes, η = 0.5. The test set has 5,222 rows: one row is 0.02 %.",
		Charts: []Chart{{Name: "error", Title: "ADMM after 50 rounds", Y: "test_error", XLabel: "ρ", YLabel: "fraction of wrong labels", LogX: true}},
	}
	for _, rho := range grid {
		f.Curves = append(f.Curves, Curve{Label: fmt.Sprintf("ρ = %g", rho), Set: []string{fmt.Sprintf("problem.rho=%g", rho)}, Group: "ADMM, 50 rounds", X: rho})
	}
	f.Claims = func(r *Results) []Claim {
		errs := r.grid("test_error")
		best := 0
		for k, e := range errs {
			if e < errs[best] {
				best = k
			}
		}
		_, low, high := r.runs("ρ = 0.22").at("test_error", -1)
		return []Claim{{"“the classification error rate is minimized at ρ ≈ 0.22”",
			fmt.Sprintf("least at ρ = %g; %s. At 0.22 the seeds, each with a test set of its own, range from %.4f to %.4f", grid[best], pairs(grid, errs, "%.4f"), low, high),
			verdict(grid[best] == 0.22)}}
	}
	return f
}

// privateMR is private MR-ADMM with η(2k−1) = q^k.
func privateMR(label string, q, alpha, gamma float64) Curve {
	return Curve{Label: label, Set: []string{fmt.Sprintf("algorithm={kind: private-mr-admm, eta: {initial: %g, ratio: %g}, alpha: %g, gamma: %g}", q, q, alpha, gamma)}}
}

var plainADMM = Curve{Label: "ADMM, no privacy", Set: []string{"algorithm={kind: admm, eta: 0.5}"}}

func ra19Fig3() *Figure {
	f := &Figure{
		Name: "ra19-fig3", Paper: "RA19 Fig. 3", Title: "private MR-ADMM, several γ", Scenario: "ra19-fig3.yaml", Seeds: 10,
		Stated: "η(2k−1) = 1.01^k, α = 1 in (a), 2 in (b), ρ = 0.22, ten runs; γ, network and C are not given.",
		Chosen: ra19Chosen + ", 5 nodes.",
		Charts: []Chart{
			{Name: "loss-1", Title: "private MR-ADMM, α = 1, odd rounds", X: "round", Y: "loss", XLabel: "round (odd ones)", YLabel: "loss L(t)", Rounds: odd, Curves: prefix("α = 1")},
			{Name: "loss-2", Title: "private MR-ADMM, α = 2, odd rounds", X: "round", Y: "loss", XLabel: "round (odd ones)", YLabel: "loss L(t)", Rounds: odd, Curves: prefix("α = 2")},
			{Name: "error", Title: "private MR-ADMM, round 99", Y: "test_error", XLabel: "γ", YLabel: "fraction of wrong labels", Points: []int{99}, Curves: prefix("α")},
		},
	}
	gammas := []float64{0.1, 0.5, 1, 2}
	for _, alpha := range []float64{1, 2} {
		for _, g := range gammas {
			c := privateMR(fmt.Sprintf("α = %g, γ = %g", alpha, g), 1.01, alpha, g)
			c.Group, c.X = fmt.Sprintf("α = %g,", alpha), g
			f.Curves = append(f.Curves, c)
		}
	}
	f.Curves = append(f.Curves, plainADMM)
	f.Claims = func(r *Results) []Claim {
		var losses, bounds []string
		within, same := true, true
		for _, alpha := range []float64{1, 2} {
			low, high, bound := math.Inf(1), 0.0, math.NaN()
			for _, g := range gammas {
				runs := r.runs(fmt.Sprintf("α = %g, γ = %g", alpha, g))
				v, _, _ := runs.at("loss", 99)
				losses = append(losses, fmt.Sprintf("α = %g, γ = %g: %.4f", alpha, g, v))
				low, high = math.Min(low, v), math.Max(high, v)
				b := runs.last("privacy_loss")
				same = same && (math.IsNaN(bound) || b == bound)
				bound = b
			}
			bounds = append(bounds, fmt.Sprintf("α = %g: %.2f", alpha, bound))
			within = within && high < 1.05*low
		}
		return []Claim{
			{"“varying γ (within a certain range) does not [a]ffect performance significantly”", "loss in round 99: " + strings.Join(losses, ", "), verdict(within)},
			{"the loss of privacy is the same for every γ", strings.Join(bounds, ", "), verdict(same)},
		}
	}
	return f
}

func ra19Fig4() *Figure {
	growths := []float64{1, 1.01, 1.02, 1.03, 1.04, 1.05}
	f := &Figure{
		Name: "ra19-fig4", Paper: "RA19 Fig. 4", Title: "private MR-ADMM, several growths of the penalty", Scenario: "ra19-fig4.yaml", Seeds: 10,
		Stated: "γ = 0.5, ρ = 0.22, η(2k−1) = q₁^k, q₁ = 1.01 to 1.05; α = 2 (“low privacy requirement”) and 1 (“high”), ten runs; network and C are not given.",
		Chosen: ra19Chosen + ", 5 nodes; q₁ = 1 added for comparison.",
		Charts: []Chart{
			{Name: "loss-2", Title: "private MR-ADMM, α = 2, odd rounds", X: "round", Y: "loss", XLabel: "round (odd ones)", YLabel: "loss L(t)", Rounds: odd, Curves: prefix("α = 2")},
			{Name: "loss-1", Title: "private MR-ADMM, α = 1, odd rounds", X: "round", Y: "loss", XLabel: "round (odd ones)", YLabel: "loss L(t)", Rounds: odd, Curves: prefix("α = 1")},
			{Name: "privacy-2", Title: "claimed loss of privacy, α = 2", X: "round", Y: "privacy_loss", XLabel: "round", YLabel: "bound P(t)", Curves: prefix("α = 2")},
			{Name: "privacy-1", Title: "claimed loss of privacy, α = 1", X: "round", Y: "privacy_loss", XLabel: "round", YLabel: "bound P(t)", Curves: prefix("α = 1")},
			{Name: "error", Title: "private MR-ADMM, round 99", Y: "test_error", XLabel: "q₁", YLabel: "fraction of wrong labels", Points: []int{99}, Curves: prefix("α")},
		},
	}
	for _, alpha := range []float64{2, 1} {
		for _, q := range growths {
			c := privateMR(fmt.Sprintf("α = %g, q₁ = %g", alpha, q), q, alpha, 0.5)
			c.Group, c.X = fmt.Sprintf("α = %g,", alpha), q
			f.Curves = append(f.Curves, c)
		}
	}
	f.Curves = append(f.Curves, plainADMM)
	f.Claims = func(r *Results) []Claim {
		// Odd rounds of the last fifth.
		mean := func(alpha, q float64, column string) float64 {
			sum, n := 0.0, 0.0
			for t := 81; t <= 99; t += 2 {
				v, _, _ := r.runs(fmt.Sprintf("α = %g, q₁ = %g", alpha, q)).at(column, t)
				sum, n = sum+v, n+1
			}
			return sum / n
		}
		var losses []string
		better := map[float64]bool{1: true, 2: true}
		for _, alpha := range []float64{2, 1} {
			for k, q := range growths {
				losses = append(losses, fmt.Sprintf("α = %g, q₁ = %g: %.4f", alpha, q, mean(alpha, q, "loss")))
				better[alpha] = better[alpha] && (k == 0 || mean(alpha, q, "loss") < mean(alpha, growths[k-1], "loss"))
			}
		}
		gain := func(alpha float64) float64 { return mean(alpha, 1, "loss") - mean(alpha, 1.05, "loss") }
		b := func(alpha, q float64) float64 {
			return r.runs(fmt.Sprintf("α = %g, q₁ = %g", alpha, q)).last("privacy_loss")
		}
		s := func(alpha, q float64) float64 {
			return r.runs(fmt.Sprintf("α = %g, q₁ = %g", alpha, q)).spread("loss", 81, 100)
		}
		return []Claim{
			{"a growing η improves accuracy under noise", "mean loss of odd rounds 81–99: " + strings.Join(losses, ", "), judge(better[1] && better[2], better[1] || better[2] || gain(1) > 0)},
			{"“while maintain[ing] the privacy guarantee”", fmt.Sprintf("bound with q₁ = 1 and 1.05: α = 2: %.2f and %.2f; α = 1: %.2f and %.2f", b(2, 1), b(2, 1.05), b(1, 1), b(1, 1.05)), verdict(b(2, 1.05) <= b(2, 1) && b(1, 1.05) <= b(1, 1))},
			{"it stabilises the algorithm", fmt.Sprintf("mean range of the loss over seeds, rounds 81–100, q₁ = 1 and 1.05: α = 2: %.4f and %.4f; α = 1: %.4f and %.4f", s(2, 1), s(2, 1.05), s(1, 1), s(1, 1.05)), verdict(s(2, 1.05) < s(2, 1) && s(1, 1.05) < s(1, 1))},
			{"“the improvement is more significant when [the] algorithm is under higher perturbation”", fmt.Sprintf("loss at q₁ = 1 minus loss at 1.05: α = 1: %.4f, α = 2: %.4f", gain(1), gain(2)), verdict(gain(1) > gain(2))},
		}
	}
	return f
}

func ra19Fig5() *Figure {
	budgets := []float64{6, 12, 48}
	f := &Figure{
		Name: "ra19-fig5", Paper: "RA19 Fig. 5", Title: "private methods at equal total privacy loss", Scenario: "ra19-fig5.yaml", Seeds: 10,
		Stated: "MR-ADMM with η(2k−1) = 1.04^k, R-ADMM and ADMM with η = 1, M-ADMM with a varying penalty; γ = 0.5, ρ = 0.22, ten runs; noise such that all have about the same total bound. Network, the α and M-ADMM's schedule are not given.",
		Chosen: "five nodes with six links, C = 1750; every method's noise is chosen by the accountant for a total of 6, 12 or 48 over 100 rounds (`privacy: {epsilon: …, over: run}`), each by its own paper's bound. ADMM appears twice: as PP with η = θ = 1 (bound (26)) and as DVP with ZZ16's own account. M-ADMM has η(t) = 1.02^{t−1}, θ = 1. A total of 3 would be out of reach of ADMM with bound (26): its part 1.4c₁C/(ηVB), which no noise lowers, adds up to 3.8 over 100 rounds of η = 1.",
	}
	methods := [][2]string{
		{"MR-ADMM", "{kind: private-mr-admm, eta: {initial: 1.04, ratio: 1.04}, alpha: 1, gamma: 0.5}"},
		{"R-ADMM", "{kind: private-r-admm, eta: 1, alpha: 1, gamma: 0.5}"},
		{"M-ADMM (PP)", "{kind: penalty-perturbation, eta: {initial: 1, ratio: 1.02}, theta: 1, alpha: 3}"},
		{"ADMM (PP, η = θ)", "{kind: penalty-perturbation, eta: 1, theta: 1, alpha: 3}"},
		{"DVP", "{kind: dvp, eta: 1, alpha: 1}"},
	}
	for _, b := range budgets {
		for _, m := range methods {
			f.Curves = append(f.Curves, Curve{Label: fmt.Sprintf("β = %g, %s", b, m[0]), Set: []string{"algorithm=" + m[1], fmt.Sprintf("privacy={epsilon: %g, over: run}", b)}, Group: m[0] + ",", X: b})
		}
		f.Charts = append(f.Charts, Chart{Name: fmt.Sprintf("loss-%g", b), Title: fmt.Sprintf("total bound %g, odd rounds", b), X: "round", Y: "loss", XLabel: "round (odd ones)", YLabel: "loss L(t)", LogY: true, Rounds: odd, Curves: prefix(fmt.Sprintf("β = %g,", b))})
	}
	f.Charts = append(f.Charts,
		Chart{Name: "privacy", Title: "claimed loss of privacy, total 12", X: "round", Y: "privacy_loss", XLabel: "round", YLabel: "bound P(t)", Curves: prefix("β = 12,")},
		Chart{Name: "error", Title: "test error in round 99", Y: "test_error", XLabel: "total bound β", YLabel: "fraction of wrong labels", LogX: true, Points: []int{99}})
	f.Curves = append(f.Curves, Curve{Label: "ADMM, no privacy", Set: []string{"algorithm={kind: admm, eta: 0.5}"}})
	f.Charts[len(f.Charts)-1].Curves = prefix("β")
	f.Claims = func(r *Results) []Claim {
		value := func(b float64, m, column string) float64 {
			sum, n := 0.0, 0.0
			for t := 81; t <= 99; t += 2 {
				v, _, _ := r.runs(fmt.Sprintf("β = %g, %s", b, m)).at(column, t)
				sum, n = sum+v, n+1
			}
			return sum / n
		}
		var claims []Claim
		for _, b := range budgets {
			var losses, errs []string
			wins, best := true, true
			for _, m := range methods {
				losses = append(losses, fmt.Sprintf("%s %.4f", m[0], value(b, m[0], "loss")))
				errs = append(errs, fmt.Sprintf("%s %.4f", m[0], value(b, m[0], "test_error")))
			}
			for _, m := range methods[2:] {
				wins = wins && value(b, "MR-ADMM", "loss") < value(b, m[0], "loss") && value(b, "R-ADMM", "loss") < value(b, m[0], "loss")
			}
			best = value(b, "MR-ADMM", "loss") < value(b, "R-ADMM", "loss")
			claims = append(claims,
				Claim{fmt.Sprintf("R-ADMM and MR-ADMM beat M-ADMM and ADMM at equal bound (β = %g)", b),
					"mean of odd rounds 81–99: loss: " + strings.Join(losses, ", ") + "; test error: " + strings.Join(errs, ", "), verdict(wins)},
				Claim{fmt.Sprintf("MR-ADMM has the highest accuracy of all (β = %g)", b), fmt.Sprintf("MR-ADMM %.4f, R-ADMM %.4f", value(b, "MR-ADMM", "loss"), value(b, "R-ADMM", "loss")), verdict(wins && best)})
		}
		gain := func(b float64) float64 {
			return value(b, "ADMM (PP, η = θ)", "loss") - value(b, "MR-ADMM", "loss")
		}
		return append(claims,
			Claim{"“the improvement is more significant with smaller total privacy loss”", fmt.Sprintf("ADMM's loss minus MR-ADMM's: β = 6: %.4f, 12: %.4f, 48: %.4f", gain(6), gain(12), gain(48)), verdict(gain(6) > gain(12) && gain(12) > gain(48))},
			Claim{"without noise, for comparison", fmt.Sprintf("loss %.4f, test error %.4f; the centralised optimum's test error %.4f", r.runs("ADMM, no privacy").last("loss"), r.runs("ADMM, no privacy").last("test_error"),
				r.runs("ADMM, no privacy").optimum(func(o *record.Reference) record.Number { return o.TestError })), "reference"})
	}
	return f
}

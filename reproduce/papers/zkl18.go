// Zhang, Khalili & Liu 2018: M-ADMM and penalty perturbation.

package papers

import (
	"fmt"
	"slices"
	"strings"

	"overhear/reproduce"
)

const fiveNodes = "five nodes with six links (a ring and one chord), 8,000 rows each, C = 1750, ρ = 0.22 (as RA19), " +
	"start N(0, 0.01) in Fig. 1, zero in Fig. 2"

// growing is penalty perturbation with η(t) = 0.5·q₁^{t−1}, α(t) = first·q₂^{t−1}.
func growing(label string, q1, first, q2 float64) *reproduce.Curve {
	return &reproduce.Curve{Label: label, Set: []string{
		fmt.Sprintf("algorithm.eta={initial: 0.5, ratio: %g}", q1),
		fmt.Sprintf("algorithm.alpha={initial: %g, ratio: %g}", first, q2),
	}}
}

func init() { reproduce.Register(zkl18Fig1(), zkl18Fig2(), zkl18Fig3(), zkl18Fig4()) }

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
	}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		two := func(c *reproduce.Curve) string {
			runs := r.Of(c)
			return fmt.Sprintf("%s: %.3g after 100 rounds, %.3g after %d", c.Label, runs.At("distance", 100),
				runs.Last("distance"), runs.Rounds()-1)
		}
		falls := func(c *reproduce.Curve) bool { return r.Of(c).Last("distance") < 0.5*r.Of(c).At("distance", 100) }
		var slow []string
		ordered := true
		for k, c := range partB {
			d := r.Of(c).Last("distance")
			slow = append(slow, fmt.Sprintf("%s: %.3g", c.Label, d))
			ordered = ordered && (k == 0 || d >= r.Of(partB[k-1]).Last("distance"))
		}
		return []reproduce.Statement{
			reproduce.State("(a) M-ADMM converges under these parameters, “consistent with Theorem 3.1”",
				reproduce.AssessParts(falls(fixed), falls(boundedFixed)),
				"distance to the optimum: %s; %s. The theorem needs η_i bounded for all t: at q₄ = 1.2 the fourth "+
					"node's penalty is 4·10⁷ after 100 rounds, it stands still, and the others cannot go past it",
				two(fixed), two(boundedFixed)),
			reproduce.State("“this step size can also be non-fixed (black) and different (red) for different nodes”",
				reproduce.AssessParts(falls(varying) && falls(differing), falls(boundedVarying)),
				"distance: %s; %s; with η kept below 2, %s; %s. Where θ differs by node the duals no longer sum to "+
					"zero (‖Σλ_i‖ = %.3g in the last round, %.1g where it varies with t only), so the limit is not "+
					"exactly the optimum",
				two(varying), two(differing), two(boundedVarying), two(boundedDiffering),
				r.Of(boundedDiffering).Last("dual_sum"), r.Of(boundedVarying).Last("dual_sum")),
			reproduce.State("(b) “increasing penalty slows down the convergence, and larger increase in q₁ slows it "+
				"down even more”", reproduce.Assess(ordered),
				"distance after 100 rounds: %s", strings.Join(slow, ", ")),
		}
	}
	return f
}

// penaltyPerturbation are the charts of Figs. 2 to 4.
func penaltyPerturbation(title string) []reproduce.Chart {
	return []reproduce.Chart{
		byRound("loss", title+": loss", "loss", "loss L(t), mean and range"),
		byRound("privacy", title+": claimed loss of privacy", "privacy_loss", "bound P(t)"),
	}
}

// finalLoss is the mean over the last twenty rounds: a single round is mostly noise.
func finalLoss(r *reproduce.Results, c *reproduce.Curve) float64 {
	return r.Of(c).Mean("loss", 81, 100)
}

// claimedLoss is the bound on a run's loss of privacy.
func claimedLoss(r *reproduce.Results, c *reproduce.Curve) float64 {
	return r.Of(c).Last("privacy_loss")
}

// beats compares penalty perturbation with dual variable perturbation.
func beats(r *reproduce.Results, pp, dvp *reproduce.Curve) reproduce.Statement {
	la, lb := finalLoss(r, pp), finalLoss(r, dvp)
	pa, pb := claimedLoss(r, pp), claimedLoss(r, dvp)
	return reproduce.State(
		fmt.Sprintf("“with suitable choices of q₁, q₂, PP can outperform DVP significantly both in accuracy and in "+
			"privacy”; tried: %s against %s", pp.Label, dvp.Label),
		reproduce.AssessParts(la < lb && pa < pb, la < lb || pa < pb),
		"mean loss of rounds 81–100: %.4f against %.4f; bound on privacy loss: %.2f against %.2f", la, lb, pa, pb)
}

func zkl18Fig2() *reproduce.Figure {
	dvp3, dvpGrowing := growing("DVP, α = 3", 1, 3, 1), growing("DVP, α = 3·1.02^t", 1, 3, 1.02)
	slower, faster := growing("PP, α = 3, q₁ 1.03, q₂ 1.01", 1.03, 3, 1.01),
		growing("PP, α = 3, q₁ 1.05, q₂ 1.04", 1.05, 3, 1.04)
	steady3, fading := growing("PP, α = 3, q₁ 1.03, q₂ 1.03", 1.03, 3, 1.03),
		growing("PP, α = 3, q₁ 1.02, q₂ 1.04", 1.02, 3, 1.04)
	dvp5, steady5 := growing("DVP, α = 5", 1, 5, 1), growing("PP, α = 5, q₁ 1.03, q₂ 1.03", 1.03, 5, 1.03)
	const title = "PP against DVP, five nodes"
	f := &reproduce.Figure{
		Name: "zkl18-fig2", Paper: "ZKL18 Fig. 2", Title: title, Scenario: "zkl18-fig2.yaml", Seeds: 10,
		Stated: "θ = 0.5, η(t) = 0.5·q₁^{t−1}, α(t) = α(1)·q₂^{t−1}, α(1) = 3 in (a), (c) and 5 in (b), (d), ten " +
			"runs; q₁ and q₂ are not given.",
		Chosen: fiveNodes + "; q₁ and q₂ as in the curves' names. DVP is PP with η = θ = 0.5 constant (the same " +
			"method in another scale), so that both have the bound (26).",
		Curves: []*reproduce.Curve{dvp3, dvpGrowing, slower, faster, steady3, fading, dvp5, steady5},
		Charts: penaltyPerturbation(title),
	}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		width := func(c *reproduce.Curve) float64 { return r.Of(c).Width("loss", 81, 100) }
		var widths []string
		for _, c := range r.Curves {
			widths = append(widths, fmt.Sprintf("%s: %.4f", c.Label, width(c)))
		}
		return []reproduce.Statement{
			reproduce.State("“improved accuracy comes at the expense of higher privacy loss” (DVP, α constant "+
				"against growing)",
				reproduce.Assess(finalLoss(r, dvpGrowing) < finalLoss(r, dvp3) &&
					claimedLoss(r, dvpGrowing) > claimedLoss(r, dvp3)),
				"mean loss of rounds 81–100: %.4f and %.4f; bound: %.1f and %.1f", finalLoss(r, dvp3),
				finalLoss(r, dvpGrowing), claimedLoss(r, dvp3), claimedLoss(r, dvpGrowing)),
			beats(r, slower, dvp3),
			beats(r, faster, dvpGrowing),
			beats(r, steady3, dvp3),
			beats(r, fading, dvpGrowing),
			beats(r, steady5, dvp5),
			reproduce.State("larger η stabilises the algorithm (smaller L_range)",
				reproduce.Assess(width(steady3) < width(dvp3) && width(steady5) < width(dvp5)),
				"mean range over seeds, rounds 81–100: %s. With q₁ = q₂ the noise stays the same while η grows",
				strings.Join(widths, ", ")),
		}
	}
	return f
}

// hundred are the curves of the networks of 100 nodes.
type hundred struct{ dvp, dvpGrowing, slower, steady, fading *reproduce.Curve }

func newHundred() hundred {
	return hundred{
		dvp: growing("DVP, α = 3", 1, 3, 1), dvpGrowing: growing("DVP, α = 3·1.02^t", 1, 3, 1.02),
		slower: growing("PP, q₁ 1.03, q₂ 1.01", 1.03, 3, 1.01), steady: growing("PP, q₁ 1.03, q₂ 1.03", 1.03, 3, 1.03),
		fading: growing("PP, q₁ 1.02, q₂ 1.04", 1.02, 3, 1.04),
	}
}

const hundredChosen = "a random 4-regular graph, C = 100 (C may not exceed B_i), ρ = " +
	"0.22, start at zero (the paper: random)"

func (h hundred) curves() []*reproduce.Curve {
	return []*reproduce.Curve{h.dvp, h.dvpGrowing, h.slower, h.steady, h.fading}
}

// statements are those of both figures.
func (h hundred) statements(r *reproduce.Results) []reproduce.Statement {
	mean := func(c *reproduce.Curve, from, to int) float64 { return r.Of(c).Mean("loss", from, to) }
	return []reproduce.Statement{
		reproduce.State("“convergence is attained” in a large network",
			reproduce.Assess(mean(h.fading, 81, 100) < mean(h.fading, 41, 60)),
			"%s: mean loss of rounds 1–20 %.4f, 41–60 %.4f, 81–100 %.4f; %s: %.4f, %.4f, %.4f",
			h.fading.Label, mean(h.fading, 1, 20), mean(h.fading, 41, 60), mean(h.fading, 81, 100), h.steady.Label,
			mean(h.steady, 1, 20), mean(h.steady, 41, 60), mean(h.steady, 81, 100)),
		beats(r, h.slower, h.dvp),
		beats(r, h.steady, h.dvp),
		beats(r, h.fading, h.dvpGrowing),
	}
}

func zkl18Fig3() *reproduce.Figure {
	const title = "PP against DVP, 100 nodes, even data"
	h := newHundred()
	return &reproduce.Figure{
		Name: "zkl18-fig3", Paper: "ZKL18 Fig. 3", Title: title, Scenario: "zkl18-fig3.yaml", Seeds: 10,
		Stated: "100 nodes, evenly spread data, η(t) = 0.5·q₁^{t−1}, α(t) = 3·q₂^{t−1}; graph, C, ρ, q₁, q₂ are not " +
			"given.",
		Chosen: hundredChosen + ", 400 rows a node.",
		Curves: h.curves(), Charts: penaltyPerturbation(title), Statements: h.statements,
	}
}

func zkl18Fig4() *reproduce.Figure {
	const title = "PP against DVP, 100 nodes, uneven data"
	h := newHundred()
	even := growing("even data: PP, q₁ 1.03, q₂ 1.01", 1.03, 3, 1.01)
	even.Set = append(even.Set, "problem.partition=even")
	return &reproduce.Figure{
		Name: "zkl18-fig4", Paper: "ZKL18 Fig. 4", Title: title, Scenario: "zkl18-fig4.yaml", Seeds: 10,
		Stated: "as Fig. 3 with unevenly spread data; how unevenly is not given.",
		Chosen: hundredChosen + ", 130 to 670 rows a node. One curve has the even spread of Fig. 3.",
		Curves: append(h.curves(), even), Charts: penaltyPerturbation(title),
		Statements: func(r *reproduce.Results) []reproduce.Statement {
			return append(h.statements(r), reproduce.State(
				"“the loss of privacy in a network with uneven sample size distributions is higher”",
				reproduce.Assess(claimedLoss(r, h.slower) > claimedLoss(r, even)),
				"bound %.2f with 130 to 670 rows a node, %.2f with 400 each", claimedLoss(r, h.slower),
				claimedLoss(r, even)))
		},
	}
}

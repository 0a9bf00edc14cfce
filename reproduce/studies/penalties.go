// Attack study: penalties that nodes keep to themselves, against ZKL18 §6.2.

package studies

import (
	"fmt"
	"math"
	"strings"

	"overhear/record"
	"overhear/report/plot"
	"overhear/reproduce"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "attacks/private-penalties",
		Title: "Private penalties hide nothing",
		About: "ZKL18 §6.2: “An attacker knows {(xᵢⁿ, yᵢⁿ)}, n = 2 … Bᵢ, and {f_j(t)}, j ∈ 𝒱ᵢ ∪ i, for all t … if " +
			"the penalty parameters {ηᵢ(t)} are private to each\n" +
			"node, then it is impossible for the attacker to infer the unknown data.” The optimality condition of a " +
			"round is d equations, and a private penalty is one\n" +
			"unknown number in them, which multiplies a vector that everybody sees. At right angles to that vector d " +
			"− 1 equations are left\n" +
			"for the d unknowns of the sample; two rounds are more than enough.\n\n" +
			"Adult (40,000 rows, 105 columns), 100 nodes with 400 rows each on a random 4-regular graph, C = 1, ρ = " +
			"0.22, ηᵢ(t) = 0.5·1.02^{t−1}, θ = 0.5. The\n" +
			"attacker knows what §6.2 says and does not know η. With noise, medians and ranges are over five seeds.",
		Compute: privatePenalties,
	})
}

func privatePenalties(b *reproduce.Workbench) error {
	const file = "private-penalties.yaml"
	const everyone, hiddenStep = "adversary.knows.victim=all", "adversary.knows.dual-steps=private"
	if _, err := b.Attack(true, file); err != nil {
		return err
	}
	plain, err := b.Attack(false, file, everyone)
	if err != nil {
		return err
	}
	own := "algorithm={kind: m-admm, theta: 0.5, " + ownPenalties(100) + "}"
	differing, err := b.Attack(false, file, everyone, own)
	if err != nil {
		return err
	}
	if _, err := b.Attack(true, file, hiddenStep); err != nil {
		return err
	}
	steps, err := b.Attack(false, file, everyone, hiddenStep)
	if err != nil {
		return err
	}
	f, other, both := findings("kkt-projection", plain), findings("kkt-projection", differing),
		findings("kkt-projection", steps)
	t, two, each, theta := count(f, everyRound), count(f, 2), count(other, everyRound), count(both, everyRound)
	alone := 0
	for _, one := range f {
		if estimateFrom(one, 1) != nil {
			alone++
		}
	}
	nodes := len(t.errors)
	exact := func(t tally) bool { return t.exact == nodes && t.labels == nodes && t.right == t.groups }
	b.State("ZKL18 §6.2: “if the penalty parameters {ηᵢ(t)} are private to each node, then it is impossible for the "+
		"attacker to infer the unknown data”",
		reproduce.Assess(t.exact+each.exact == 0), "each of %d nodes in turn, 10 rounds, no noise: error %.2g "+
			"(median), %.2g (largest), labels right %s, categorical attributes right %s; with another schedule at "+
			"every node: %.2g, %.2g, %s, %s",
		nodes, t.median, t.largest, of(t.labels, nodes), of(t.right, t.groups), each.median, each.largest,
		of(each.labels, nodes), of(each.right, each.groups))
	b.State("two rounds are enough", reproduce.Assess(two.exact == nodes && two.labels == nodes),
		"error from two rounds: %.2g (median), %.2g (largest), up to 1e-6 for %s nodes; one round, which has fewer "+
			"equations than unknowns, gives %d estimates",
		two.median, two.largest, of(two.exact, nodes), alone)
	b.State("a private dual step θ does not help either, for fewer rounds than columns", reproduce.Assess(exact(theta)),
		"η and θ private, 10 rounds for 105 columns, each of %d nodes: error %.2g (median), %.2g (largest), labels "+
			"right %s",
		nodes, theta.median, theta.largest, of(theta.labels, nodes))
	if err := laterRounds(b, file, hiddenStep); err != nil {
		return err
	}
	return penaltiesWithNoise(b, file)
}

// laterRounds hides dual steps for more rounds than there are columns.
func laterRounds(b *reproduce.Workbench, file, hiddenStep string) error {
	sets := []string{hiddenStep, "problem={data: wdbc, train: 0.8, C: 1, rho: 0.22}", "network.topology.nodes=10",
		"rounds.count=60"}
	a, err := b.Attack(false, file, sets...)
	if err != nil {
		return err
	}
	f := firstFinding(a, "kkt-projection")
	used := 0
	if e := estimateFrom(f, everyRound); e != nil {
		used = e.Rounds
	}
	b.State("rounds in which more numbers are hidden than there are columns say nothing",
		reproduce.Assess(used > 0 && used < len(f.Estimates[0].X)),
		"WDBC, %d columns, ten nodes, 60 rounds, η and θ private: %d rounds are used, error %.2g, and %d are left out",
		len(f.Estimates[0].X), used, relativeError(f), len(f.Unseen))
	return nil
}

// penaltiesWithNoise compares hidden with known penalties at equal noise.
func penaltiesWithNoise(b *reproduce.Workbench, file string) error {
	const seeds, rounds = 5, 50
	lines := [2]plot.Line{{Label: "penalties known"}, {Label: "penalties private"}}
	worst, single := 0.0, 0.0 // ratios of medians and of single runs, where known penalties leave less than ½
	var words []string
	var last [2]tally
	var limit float64
	for _, loss := range []float64{100000, 32000, 10000, 3200} {
		var t [2]tally
		var f [2][]*record.Finding
		for k, knows := range []string{"public", "private"} {
			all, err := eachSeed(b, loss == 10000, seeds, file, "rounds.count=50", "adversary.knows.penalties="+knows,
				fmt.Sprintf("algorithm={kind: penalty-perturbation, eta: 0.5, theta: 0.5, alpha: %.10g}",
					ppAlpha(loss, rounds)))
			if err != nil {
				return err
			}
			f[k] = findings("kkt-projection", all...)
			t[k], limit = count(f[k], everyRound), claimedLossUpTo(all[0], rounds)
			point(&lines[k], limit, t[k])
		}
		last = t
		if t[0].median >= 0.5 {
			continue
		}
		words = append(words, fmt.Sprintf("β = %.5g: %.3g and %.3g, of a guess without messages %.3g", limit,
			t[0].median, t[1].median, t[0].guess))
		worst = math.Max(worst, t[1].median/t[0].median)
		for seed := range seeds {
			single = math.Max(single, relativeError(f[1][seed])/relativeError(f[0][seed]))
		}
	}
	b.State("with noise, too, private penalties change little where anything can be inferred",
		reproduce.Assess(worst < 1.1),
		"median error of known and of private penalties at the same noise, 50 rounds: %s: at most %.3g times as "+
			"much; in single runs at most %.3g times", strings.Join(words, ", "), worst, single)
	b.State("they blur the attack where noise is about to stop it",
		reproduce.Assess(last[1].median > 1.1*last[0].median),
		"β = %.5g: %.3g (%.3g to %.3g) and %.3g (%.3g to %.3g); labels right %s and %s; known penalties: %s", limit,
		last[0].median, last[0].errors[0], last[0].largest,
		last[1].median, last[1].errors[0], last[1].largest, of(last[0].labels, seeds), of(last[1].labels, seeds),
		last[0].beside())
	b.Draw("noise", plot.Chart{Title: "known and private penalties at equal noise, 50 rounds",
		X: plot.Log("claimed loss β"), Y: plot.Log("error of the estimate, relative"),
		Lines: append(lines[:], last[0].guessing(lines[0].X[0], limit))})
	return nil
}

// ownPenalties is eta with a schedule of its own at each node, none of which the attack knows.
func ownPenalties(nodes int) string {
	var all []string
	for i := range nodes {
		all = append(all, fmt.Sprintf("{initial: %.4g, ratio: %.4g}", 0.5+0.005*float64(i), 1+0.001*float64((37*i)%50)))
	}
	return "eta: {nodes: [" + strings.Join(all, ", ") + "]}"
}

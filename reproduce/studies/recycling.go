// Attack study: what even rounds of recycled ADMM say.

package studies

import (
	"fmt"
	"math"

	"overhear/record"
	"overhear/report/plot"
	"overhear/reproduce"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "attacks/recycling",
		Title: "What recycled rounds reveal",
		About: "In R-ADMM (RA19) every even round is computed from what the odd round before it left, without the " +
			"data: “given the private results in odd\n" +
			"iterations, outputting private results in the even iterations does not release more information about " +
			"the input data” (Lemma 2). An observer can\n" +
			"check that: it predicts even iterates from the messages before them. In MR-ADMM each node has a penalty " +
			"η of its own, “the entity's own private information” (§I). Is it?\n\n" +
			"Adult (40,000 rows, 105 columns), 100 nodes with 400 rows each on a random 4-regular graph, C = 1, ρ = " +
			"0.22, γ = 0.5. The noise of\n" +
			"a round is the same in all methods that are compared; errors are medians and ranges over six seeds.",
		Compute: recyclingStudy,
	})
}

func recyclingStudy(b *reproduce.Workbench) error {
	const file = "recycling.yaml"
	const seeds, rounds = 6, 50
	// deviation is the largest of even rounds from what messages before them give.
	deviation := func(a *record.Attacks) (worst float64, held bool) {
		f := firstFinding(a, "recycling")
		held = len(f.Checks) > 0
		for _, c := range f.Checks {
			worst, held = math.Max(worst, float64(c.Measured)), held && c.Holds
		}
		return worst, held
	}
	check := "adversary.attacks=[recycling]"
	quiet, err := b.Attack(false, file, check, "algorithm={kind: r-admm, eta: 0.5, gamma: 0.5}")
	if err != nil {
		return err
	}
	noisy, err := b.Attack(false, file, check, "algorithm.alpha=1")
	if err != nil {
		return err
	}
	plain, ok := deviation(quiet)
	perturbed, also := deviation(noisy)
	b.State("RA19 Lemma 2: “outputting private results in the even iterations does not release more information "+
		"about the input data”", reproduce.Assess(ok && also),
		"even iterates of 100 nodes predicted from messages that were there before, 50 rounds: largest relative "+
			"deviation %.2g without noise, %.2g with α = 1: they say nothing that odd rounds had not said", plain,
		perturbed)

	// Equal noise: its rate in units of a sample's gradient is αC/B in R-ADMM and αC/(2ηVB) in PP.
	type method struct{ label, algorithm string }
	methods := []method{
		{"R-ADMM with noise", "{kind: private-r-admm, eta: 0.5, gamma: 0.5, alpha: %.10g}"},
		{"penalty perturbation", "{kind: penalty-perturbation, eta: 0.5, theta: 0.5, alpha: %.10g}"},
	}
	byRound := make([]plot.Line, len(methods))
	byLook := make([]plot.Line, len(methods))
	var t [2]tally
	var half tally
	var looks [2]int
	var claimed [2]float64
	for k, m := range methods {
		alpha := 40000.0
		if k == 1 {
			alpha *= 2 * 0.5 * 4
		}
		runs, err := eachSeed(b, k == 0, seeds, file, "adversary.attacks=[kkt-rounds]",
			"adversary.knows.penalties=public", "algorithm="+fmt.Sprintf(m.algorithm, alpha))
		if err != nil {
			return err
		}
		f := findings("kkt-rounds", runs...)
		t[k], claimed[k] = count(f, everyRound), claimedLossUpTo(runs[0], rounds)
		looks[k] = estimateFrom(f[0], everyRound).Rounds
		byRound[k].Label, byLook[k].Label = m.label, m.label
		for _, e := range f[0].Estimates {
			at := count(f, e.Rounds)
			round := e.Rounds
			if k == 0 {
				round = 2*e.Rounds - 1 // the odd round that gave the last look
			}
			point(&byRound[k], float64(round), at)
			point(&byLook[k], float64(e.Rounds), at)
		}
		if k == 1 { // as many looks as R-ADMM's rounds give
			short, err := eachSeed(b, false, seeds, file, "adversary.attacks=[kkt-rounds]",
				"adversary.knows.penalties=public", "algorithm="+fmt.Sprintf(m.algorithm, alpha), "rounds.count=25")
			if err != nil {
				return err
			}
			half = count(findings("kkt-rounds", short...), everyRound)
		}
	}
	same := math.Abs(math.Log(t[0].median/half.median)) < math.Log(1.15)
	fewer := 2*looks[0] == looks[1] && t[0].median > t[1].median
	b.State("at equal noise and as many rounds, recycling gives the observer half the looks: its error is that of a "+
		"method that ran half as long", reproduce.AssessParts(fewer && same, fewer),
		"50 rounds: R-ADMM %d looks, claimed loss %.4g, error %.3g (%.3g to %.3g); penalty perturbation %d looks, "+
			"%.4g, %.3g (%.3g to %.3g), %.2f times less; in 25 rounds, %.3g (%.3g to %.3g); a guess without "+
			"messages: %.3g",
		looks[0], claimed[0], t[0].median, t[0].errors[0], t[0].largest, looks[1], claimed[1], t[1].median,
		t[1].errors[0], t[1].largest, t[0].median/t[1].median, half.median, half.errors[0], half.largest,
		half.guess)
	b.Draw("rounds", plot.Chart{Title: "error against rounds, equal noise in each", X: plot.Log("round"),
		Y: plot.Log("error of the estimate, relative"), Lines: byRound})
	b.Draw("looks", plot.Chart{Title: "error against rounds that touch data, equal noise in each",
		X: plot.Log("rounds that touch data"), Y: plot.Log("error of the estimate, relative"), Lines: byLook})
	return recycledPenalties(b, file)
}

// recycledPenalties takes private penalties from even rounds.
func recycledPenalties(b *reproduce.Workbench, file string) error {
	own := ownPenalties(100)
	const few, check = "rounds.count=10", "adversary.attacks=[recycling]"
	revealed := func(a *record.Attacks) (n int, worst float64) {
		for _, f := range firstFinding(a, "recycling").Facts {
			if f.Kind == record.PrivatePenalty {
				n++
				worst = math.Max(worst, float64(f.Relative))
			}
		}
		return n, worst
	}
	quiet, err := b.Attack(false, file, few, check, "algorithm={kind: mr-admm, gamma: 0.5, "+own+"}")
	if err != nil {
		return err
	}
	noisy, err := b.Attack(false, file, few, check, "algorithm={kind: private-mr-admm, gamma: 0.5, alpha: 1, "+own+"}")
	if err != nil {
		return err
	}
	free, err := b.Attack(false, file, few, check, "algorithm={kind: private-mr-admm, gamma: 0, alpha: 1, "+own+"}")
	if err != nil {
		return err
	}
	// A short one for the report.
	if _, err := b.Attack(true, file, "rounds.count=2", check,
		"algorithm={kind: private-mr-admm, gamma: 0.5, alpha: 1, eta: {initial: 0.5, ratio: 1.02}}"); err != nil {
		return err
	}
	all := 100 * 5
	n, worst := revealed(quiet)
	m, also := revealed(noisy)
	none, _ := revealed(free)
	b.State("RA19 §I: penalties of MR-ADMM are “entity's own private information”", reproduce.Assess(n+m == 0),
		"γ = 0.5, 10 rounds, a schedule of its own at each of 100 nodes: each even round gives the sender's η: %s, "+
			"largest relative error %.2g; with noise, α = 1: %s, %.2g: noise is recycled with the rest and cancels",
		of(n, all), worst, of(m, all), also)
	b.State("with γ = 0 even rounds do not give penalties away", reproduce.Assess(none == 0),
		"%s: an even iterate is then the same for every η", of(none, all))
	return recycledInversion(b, file, "algorithm={kind: mr-admm, gamma: 0.5, "+own+"}")
}

// recycledInversion uses penalties that even rounds gave away.
func recycledInversion(b *reproduce.Workbench, file, algorithm string) error {
	a, err := b.Attack(false, file, "rounds.count=10", "adversary.knows.victim=all",
		"adversary.knows.penalties=private", "adversary.attacks=[kkt-projection]", algorithm)
	if err != nil {
		return err
	}
	t := count(findings("kkt-projection", a), everyRound)
	nodes := len(t.errors)
	b.State("MR-ADMM's private penalties do not keep the informed adversary from the unknown sample",
		reproduce.Assess(t.exact == nodes), "no noise, 10 rounds, each of %d nodes: error %.2g (median), %.2g "+
			"(largest), labels right %s",
		nodes, t.median, t.largest, of(t.labels, nodes))
	return nil
}

// Attack study: the sample that the informed adversary lacks, from the optimality
// conditions that messages reveal.

package studies

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/record"
	"overhear/report/plot"
	"overhear/reproduce"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "attacks/kkt-inversion",
		Title: "The last sample, from what a node sends",
		About: "ZKL18 §6.2 describes an attacker who knows all samples of a node but one, the iterates of the node " +
			"and its neighbours, and every\n" +
			"parameter. How exact is what it infers of the sample that it lacks, how many rounds does it need, and " +
			"how much noise stops it?\n\n" +
			"Adult (40,000 rows, 105 columns), 100 nodes with 400 rows each on a random 4-regular graph, C = 1, ρ = " +
			"0.22. An eavesdropper sees every packet; the unknown\n" +
			"sample is the victim's first. Errors are ‖x̂ − x‖/‖x‖: guessing zero has error 1, a wrong unit vector " +
			"up to √2. With noise, medians and ranges\n" +
			"are over five seeds, each with data, graph and noise of its own, and 100 candidates, one of which is " +
			"the sample, rank the estimates; the\n" +
			"attack does not use them.",
		Compute: kktInversion,
	})
}

// ppAlpha is penalty perturbation's α for a claimed loss over rounds, ZKL18 (26),
// with nodes of 400 rows and degree 4, C = 1 and η = 0.5.
func ppAlpha(loss float64, rounds int) float64 {
	const unit = 0.5 * 4 * 400
	return loss/float64(rounds)*unit - 1.4*0.25
}

func kktInversion(b *reproduce.Workbench) error {
	const file = "kkt-inversion.yaml"
	const everyone = "adversary.knows.victim=all"
	// The report has one victim; claims are over all.
	if _, err := b.Attack(true, file); err != nil {
		return err
	}
	plain, err := b.Attack(false, file, everyone)
	if err != nil {
		return err
	}
	quiet, err := b.Attack(false, file, everyone, "adversary.knows.penalties=public",
		"algorithm={kind: penalty-perturbation, eta: {initial: 0.5, ratio: 1.02}, theta: 0.5, noise: off}")
	if err != nil {
		return err
	}
	lateness := []string{"adversary.view.from-round=5", "adversary.attacks=[kkt-rounds]"}
	if _, err := b.Attack(true, file, lateness...); err != nil {
		return err
	}
	late, err := b.Attack(false, file, append(lateness, everyone)...)
	if err != nil {
		return err
	}
	admm, pp, joiner := count(findings("kkt-inversion", plain), everyRound),
		count(findings("kkt-inversion", quiet), everyRound), count(findings("kkt-rounds", late), everyRound)
	few := count(findings("kkt-rounds", late), 2)
	nodes := len(admm.errors)
	all := func(t tally) bool { return t.exact == nodes && t.right == t.groups }
	b.State("without noise, one round of one node's messages gives its unknown sample exactly, label and attributes",
		reproduce.Assess(all(admm) && admm.labels == nodes && all(pp) && pp.labels == nodes),
		"each of %d nodes in turn, from round 1: ADMM: largest error %.2g, labels right %s, categorical attributes "+
			"right %s; M-ADMM with known penalties: %.2g, %s, %s",
		nodes, admm.largest, of(admm.labels, nodes), of(admm.right, admm.groups), pp.largest, of(pp.labels, nodes),
		of(pp.right, pp.groups))
	b.State("an observer who comes late, and does not know the duals, loses the label only",
		reproduce.AssessParts(all(joiner) && joiner.labels == 0, all(joiner)),
		"from round 5 on, each of %d nodes: largest error %.2g, from two rounds %.2g, attributes right %s; labels "+
			"determined %d: differences of gradients are the same for u and −u",
		nodes, joiner.largest, few.largest, of(joiner.right, joiner.groups), joiner.labels)
	return kktNoise(b, file)
}

// kktNoise sweeps the noise of penalty perturbation.
func kktNoise(b *reproduce.Workbench, file string) error {
	const seeds, rounds = 5, 50
	losses := []float64{320000, 100000, 32000, 10000, 3200, 1000, 100, 10}
	budgets := []int{1, 10, rounds}
	byRounds := make([]plot.Line, len(budgets))
	for k, n := range budgets {
		byRounds[k].Label = fmt.Sprintf("%d rounds", n)
		if n == 1 {
			byRounds[k].Label = "1 round"
		}
	}
	first, attributes, labels := plot.Line{Label: "sample nearest of 100 candidates"},
		plot.Line{Label: "categorical attributes right"}, plot.Line{Label: "labels right"}
	var byUse []plot.Line
	type level struct {
		loss  float64
		all   []*record.Finding
		tally tally
	}
	var levels []level
	fits := []float64{}
	columns := 0
	for _, loss := range losses {
		runs, err := eachSeed(b, loss == 10000 || loss == 3200 || loss == 10, seeds, file,
			"rounds.count=50", fmt.Sprintf("algorithm={kind: penalty-perturbation, eta: 0.5, theta: 0.5, alpha: %.10g}",
				ppAlpha(loss, rounds)),
			"adversary.knows.penalties=public", "adversary.knows.candidates=99", "adversary.attacks=[kkt-rounds]")
		if err != nil {
			return err
		}
		f := findings("kkt-rounds", runs...)
		l := level{claimedLossUpTo(runs[0], rounds), f, count(f, rounds)}
		levels = append(levels, l)
		columns = len(f[0].Estimates[0].X)
		for k, n := range budgets {
			claimed, t := claimedLossUpTo(runs[0], n), count(f, n)
			point(&byRounds[k], claimed, t)
			// Noise of mean norm 2dT/β is in every round's σu, and σ is ½ as long as the
			// sample is not yet classified.
			if law := 4 * float64(columns) * math.Sqrt(float64(n)) / claimed; law < 0.3 {
				fits = append(fits, t.median/law)
			}
		}
		add := func(line *plot.Line, n, all int) {
			line.X, line.Y = append(line.X, l.loss), append(line.Y, float64(n)/float64(all))
		}
		add(&first, l.tally.first, seeds)
		add(&attributes, l.tally.right, l.tally.groups)
		add(&labels, l.tally.labels, seeds)
		if slices.Contains([]float64{100000, 10000, 3200, 1000}, loss) {
			line := plot.Line{Label: fmt.Sprintf("claimed loss %.4g a round", l.loss/rounds)}
			for _, e := range f[0].Estimates {
				point(&line, float64(e.Rounds), count(f, e.Rounds))
			}
			byUse = append(byUse, line)
		}
	}
	guess, of8, err := commonest(b, file, seeds)
	if err != nil {
		return err
	}
	at := func(loss float64) *level { // of those swept, the nearest
		best := &levels[0]
		for k := range levels {
			if math.Abs(math.Log(levels[k].loss/loss)) < math.Abs(math.Log(best.loss/loss)) {
				best = &levels[k]
			}
		}
		return best
	}
	one := func(loss float64) tally { // one round that claims about so much
		return count(at(loss*rounds).all, 1)
	}
	big, middle := one(6400), one(640)
	b.State("a claimed loss in the thousands, spent in one round, protects nothing",
		reproduce.Assess(big.largest < 0.2),
		"β = 6,400 spent in one round: error %.2g (%.2g to %.2g); β = 640: %.2g (%.2g to %.2g); median and range "+
			"over %d seeds",
		big.median, big.errors[0], big.largest, middle.median, middle.errors[0], middle.largest, seeds)
	if len(fits) > 0 {
		b.State("for a loss β claimed over T rounds in d columns the error is 4d√T/β to within a factor of 1.25: at "+
			"equal β fewer rounds leak more",
			reproduce.Assess(slices.Min(fits) > 1/1.25 && slices.Max(fits) < 1.25),
			"d = %d, T = 1, 10, 50, where the formula gives less than 0.3: measured medians are %.2f to %.2f "+
				"times that", columns, slices.Min(fits), slices.Max(fits))
	}
	vague := at(3200)
	b.State("an error as large as that of guessing zero can still give the sample away",
		reproduce.Assess(vague.tally.median > 0.9 && vague.tally.first == seeds),
		"β = %.4g over %d rounds: error %.2f (%.2f to %.2f), where %s, yet the true sample is the nearest of 100 "+
			"candidates in %s seeds, and %s categorical attributes are right; guessing the commonest value "+
			"of each among the known samples: %d",
		vague.loss, rounds, vague.tally.median, vague.tally.errors[0], vague.tally.largest,
		vague.tally.beside(), of(vague.tally.first, seeds), of(vague.tally.right, vague.tally.groups), guess)
	ten := at(10)
	b.State("at a claimed loss of 10 nothing of the sample is left", reproduce.Assess(ten.tally.errors[0] > 0.9 &&
		ten.tally.first <= 1 && ten.tally.right <= guess),
		"β = %.4g over %d rounds: error %.2f (%.2f to %.2f), nearest of 100 candidates in %s seeds, attributes right "+
			"%s; guessing each attribute's commonest value among the known samples: %s",
		ten.loss, rounds, ten.tally.median, ten.tally.errors[0], ten.tally.largest, of(ten.tally.first, seeds),
		of(ten.tally.right, ten.tally.groups), of(guess, of8))
	b.Draw("loss", plot.Chart{Title: "error against the loss claimed for the rounds used",
		X: plot.Log("claimed loss β of the rounds used"), Y: plot.Log("error of the estimate, relative"),
		Lines: byRounds})
	b.Draw("rounds", plot.Chart{Title: "error against the number of rounds used", X: plot.Log("rounds used"),
		Y: plot.Log("error of the estimate, relative"), Lines: byUse})
	b.Draw("attributes", plot.Chart{Title: "what an estimate from 50 rounds gives away",
		X: plot.Log("claimed loss β of 50 rounds"), Y: plot.Linear("share"),
		Lines: []plot.Line{first, attributes, labels}})
	b.Say("Noise is scaled, not redrawn, from one level to the next: the same seed has the same directions. Labels " +
		"are told by columns that are never negative.")
	return nil
}

// commonest is how many categorical attributes of the unknown samples are guessed
// by each one's commonest value among the victim's known samples.
func commonest(b *reproduce.Workbench, file string, seeds int) (right, groups int, err error) {
	e, err := b.Experiment(file)
	if err != nil {
		return 0, 0, err
	}
	for seed := 1; seed <= seeds; seed++ {
		a, err := e.Assemble(context.Background(), uint64(seed))
		if err != nil {
			return 0, 0, err
		}
		rows := a.Problem.Shards[0].U
		seen := make([]int, rows.D) // known samples in which a column is not zero
		own := map[int]bool{}
		for n := range rows.Len() {
			cols, vals := rows.Row(n)
			for k, c := range cols {
				switch {
				case vals[k] == 0:
				case n == 0:
					own[int(c)] = true
				default:
					seen[c]++
				}
			}
		}
		best := map[string]int{} // by attribute, its commonest column
		for c, name := range a.Set.Columns {
			if attribute, _, ok := strings.Cut(name, "="); ok {
				if k, known := best[attribute]; !known || seen[c] > seen[k] {
					best[attribute] = c
				}
			}
		}
		groups += len(best)
		for _, c := range best {
			if own[c] {
				right++
			}
		}
	}
	return right, groups, nil
}

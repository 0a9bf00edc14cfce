// Attack study: what is found by who knows no sample of the victim, or no sender.

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
		Name:  "attacks/reconstruction",
		Title: "Reconstruction without side knowledge, and beyond the neighbours",
		About: "Five attacks, each beside what guessing with the same knowledge achieves. All rows of a node at " +
			"once: Adult (105 columns), twenty nodes of a random 4-regular graph, conventional ADMM with η = 0.05, " +
			"60 rounds, four rows a node unless said. Beyond the neighbours: what colluders who hear averages learn " +
			"of gradients of nodes that they do not hear (Mrini, Cyffers & Bellet, ICML 2024): gossip averaging on " +
			"their Erdős–Rényi graphs, and gradient descent on twenty hospitals (WDBC, a small-world graph). Linkage " +
			"of messages without senders, one attribute of a sample of which the rest is known, and the share of " +
			"positive rows of a node.\n\nNot all was fixed in advance: that there are 20 nodes and five graphs of a " +
			"kind keeps the page short, and the squared loss has 8 rounds, as with 60 no rank gap is found and no " +
			"row with it.",
		Compute: reconstruction,
	})
}

func reconstruction(b *reproduce.Workbench) error {
	for _, part := range []func(*reproduce.Workbench) error{allAtOnce, averages, descentBeyond, linked, attributes,
		properties} {
		if err := part(b); err != nil {
			return err
		}
	}
	return nil
}

// sums are how an attack went over all its findings: how many it carried out, how many were no worse than that, and the
// means of its error and of a guess's over all that have both.
type sums struct {
	all, exact, won, scored int
	error, guess            float64
}

func sumsOf(attack string, runs ...*record.Attacks) (s sums) {
	for _, f := range findings(attack, runs...) {
		if f.Succeeded == record.Blocked {
			continue
		}
		s.all++
		switch f.Succeeded {
		case record.Exact:
			s.exact++
			s.won++
		case record.Partial:
			s.won++
		}
		if len(f.Baselines) > 0 {
			last := f.Baselines[len(f.Baselines)-1]
			s.scored++
			s.error += float64(last.Error)
			s.guess += float64(last.Guess)
		}
	}
	s.error /= float64(max(1, s.scored))
	s.guess /= float64(max(1, s.scored))
	return s
}

const unknownRows = "unknown-rows.yaml"

// allAtOnce is of all rows of every node.
func allAtOnce(b *reproduce.Workbench) error {
	const attack, nodes = "all-rows", 20
	sets := func(rows int, more ...string) []string {
		return append([]string{fmt.Sprintf("problem.train=%d", rows*nodes), "adversary.attacks=[all-rows]",
			fmt.Sprintf("network.topology.nodes=%d", nodes)}, more...)
	}
	if _, err := b.Attack(true, unknownRows, "adversary.knows.victim=0"); err != nil {
		return err
	}
	table := []string{"| rows a node | rounds | nodes whose rows are all found to 1 % | share of rows found |",
		"|---|---|---|---|"}
	line := plot.Line{Label: "logistic loss"}
	found := map[int]sums{}
	for _, rows := range []int{1, 2, 4, 6} {
		a, err := b.Attack(false, unknownRows, sets(rows)...)
		if err != nil {
			return err
		}
		whole, share := wholly(attack, a), 0.0
		for _, f := range findings(attack, a) {
			if len(f.Baselines) > 0 {
				share += 1 - float64(f.Baselines[0].Error)
			}
		}
		found[rows] = sums{all: nodes, exact: whole, error: share / nodes}
		line.X, line.Y = append(line.X, float64(rows)), append(line.Y, share/nodes)
		table = append(table, fmt.Sprintf("| %d | 60 | %s | %.3g %% |", rows, of(whole, nodes), 100*share/nodes))
	}
	b.State("all rows of a node are found at once, by who knows none of them", reproduce.Assess(
		found[4].exact > nodes*9/10), "nodes of 20 all of whose rows are found to 1 %%: of two rows %d, of four "+
		"%d, of "+
		"six %d; guesses find none", found[2].exact, found[4].exact, found[6].exact)
	var words []string
	for _, rounds := range []int{4, 8, 15, 30} {
		a, err := b.Attack(false, unknownRows, sets(4, fmt.Sprintf("rounds.count=%d", rounds))...)
		if err != nil {
			return err
		}
		words = append(words, fmt.Sprintf("%d rounds: %d", rounds, wholly(attack, a)))
		table = append(table, fmt.Sprintf("| 4 | %d | %s | |", rounds, of(wholly(attack, a), nodes)))
	}
	const straight, eight = "problem.loss=squared", "rounds.count=8" // later ones add rounding only
	pairs, err := b.Attack(false, unknownRows, sets(2, straight, eight)...)
	if err != nil {
		return err
	}
	fours, err := b.Attack(false, unknownRows, sets(4, straight, eight)...)
	if err != nil {
		return err
	}
	b.State("with the squared loss two rows are determined, and four are not",
		reproduce.Assess(wholly(attack, pairs) > nodes/2 && sumsOf(attack, fours).won == 0),
		"8 rounds, nodes of 20 all of whose rows are found: of two rows %d, of four %d; with the logistic loss, "+
			"four rows, by %s",
		wholly(attack, pairs), wholly(attack, fours), strings.Join(words, ", "))
	noisy, err := b.Attack(false, unknownRows, sets(4, "algorithm={kind: dvp, eta: 0.05, alpha: 1}")...)
	if err != nil {
		return err
	}
	b.State("noise leaves none", reproduce.Assess(sumsOf(attack, noisy).won == 0),
		"dual variable perturbation, α = 1 a round: rows of %s nodes", of(sumsOf(attack, noisy).won, nodes))
	b.Say("%s", strings.Join(table, "\n"))
	b.Draw("rows", plot.Chart{Title: "rows found at once, 60 rounds", X: plot.Linear("rows of a node"),
		Y: plot.Linear("share of rows found"), Lines: []plot.Line{line}})
	return nil
}

// wholly are the victims of whose rows none was missed.
func wholly(attack string, a *record.Attacks) (n int) {
	for _, f := range findings(attack, a) {
		if len(f.Baselines) > 0 && f.Baselines[0].Error == 0 && f.Succeeded != record.Failed {
			n++
		}
	}
	return n
}

const beyondFile = "beyond.yaml"

// averages is gossip averaging on Erdős–Rényi graphs: the setting of Mrini, Cyffers & Bellet's Figure 2.
func averages(b *reproduce.Workbench) error {
	const draws = 5
	table := []string{"| nodes | n p | 1 colluder | 2 colluders | 3 colluders |", "|---|---|---|---|---|"}
	chart := plot.Chart{Title: "nodes that gossip averaging determines, Erdős–Rényi graphs, mean of 5",
		X: plot.Linear("n p"), Y: plot.Linear("share of nodes")}
	var first, last []float64
	worst, apart := 0.0, 0
	for _, n := range []int{20, 40} {
		lines := []plot.Line{{}, {}, {}}
		for _, degree := range []float64{3, 4, 5, 6} {
			row := fmt.Sprintf("| %d | %g |", n, degree)
			for c := 1; c <= 3; c++ {
				rounds := max(1, min(int(float64(n)*degree/20/float64(c)), n/2)) // as the authors' program has it
				mean := 0.0
				for draw := range draws {
					nodes := []string{"0", "1", "2"}[:c]
					a, err := b.Attack(false, beyondFile, fmt.Sprintf("network.topology={kind: erdos-renyi, "+
						"nodes: %d, "+
						"probability: %v}", n, degree/float64(n)), fmt.Sprintf("seeds.first=%d", draw+1),
						fmt.Sprintf("rounds.count=%d", rounds),
						"algorithm={kind: dgd, step: {initial: 0.5, ratio: 1.0e-14}, decay: none}",
						"adversary.view={kind: nodes, nodes: ["+strings.Join(nodes, ", ")+"]}",
						"adversary.knows={victim: all}")
					if err != nil {
						return err
					}
					determined := c
					for _, f := range findings("beyond-neighbours", a) {
						for _, fact := range f.Facts {
							determined++
							worst = max(worst, float64(fact.Relative))
							if !(float64(fact.Relative) <= 1e-6) {
								apart++
							}
						}
					}
					mean += float64(determined) / float64(n) / draws
				}
				lines[c-1].X, lines[c-1].Y = append(lines[c-1].X, degree), append(lines[c-1].Y, mean)
				lines[c-1].Label = fmt.Sprintf("%d nodes, %d colluding", n, c)
				row += fmt.Sprintf(" %.3g %% |", 100*mean)
			}
			table = append(table, row)
		}
		for _, l := range lines {
			first, last = append(first, l.Y[0]), append(last, l.Y[len(l.Y)-1])
		}
		chart.Lines = append(chart.Lines, lines...)
	}
	rising := 0
	for k := range first {
		if last[k] > first[k] {
			rising++
		}
	}
	b.State("a colluder of gossip averaging finds the private vectors of most nodes, also of those that it does "+
		"not hear",
		reproduce.AssessParts(first[0] > 0.3, last[0] > 0.5), "one colluder of 20: %.3g %% of the nodes at n p = 3, "+
			"%.3g %% at 6; the published figure is of as "+
			"many rounds and has bars, no numbers to compare", 100*first[0], 100*last[0])
	b.State("denser graphs give more nodes away", reproduce.AssessParts(rising == len(first), rising > len(first)/2),
		"more at n p = 6 than at 3 in %d of %d settings", rising, len(first))
	b.State("what is determined is found", reproduce.AssessParts(apart == 0, worst < 1), "largest relative "+
		"error %.2g; "+
		"%d values are off by more than 10⁻⁶", worst, apart)
	b.Say("%s", strings.Join(table, "\n"))
	b.Draw("averaging", chart)
	return nil
}

// descentBeyond is gradient descent, whose gradients change.
func descentBeyond(b *reproduce.Workbench) error {
	const attack = "beyond-neighbours"
	lines := []plot.Line{{Label: "1 hop"}, {Label: "2 hops"}, {Label: "3 hops"}}
	var smallest [4]sums
	guess := 0.0
	for _, step := range []float64{1e-5, 1e-4, 1e-3, 1e-2, 1e-1} {
		a, err := b.Attack(step == 1e-3, beyondFile, fmt.Sprintf("algorithm.step=%v", step))
		if err != nil {
			return err
		}
		var by [4]sums
		for _, f := range findings(attack, a) {
			hop := a.Placement.Hops[f.Victim]
			if len(f.Baselines) == 0 || hop > 3 {
				continue
			}
			s, sample := &by[hop], f.Baselines[0]
			s.all++
			s.error += float64(sample.Error)
			s.guess += float64(sample.Guess)
			s.won += boolInt(f.Estimates[0].Score.Relative < 0.01)
		}
		for k := range lines {
			s := by[k+1]
			if s.all > 0 {
				lines[k].X = append(lines[k].X, step)
				lines[k].Y = append(lines[k].Y, max(1e-16, s.error/float64(s.all)))
			}
		}
		if step == 1e-5 {
			smallest = by
		}
		guess = (by[1].guess + by[2].guess + by[3].guess) / float64(max(1, by[1].all+by[2].all+by[3].all))
	}
	noisy, err := b.Attack(false, beyondFile,
		"algorithm={kind: private-dgd, step: 0.001, decay: none, alpha: 0.5, law: gaussian}")
	if err != nil {
		return err
	}
	far := 0
	for _, f := range findings(attack, noisy) {
		if noisy.Placement.Hops[f.Victim] > 1 && f.Succeeded != record.Failed {
			far++
		}
	}
	b.State("in gradient descent with short steps colluders find samples of nodes two and three hops away, all "+
		"others of "+
		"the node being known", reproduce.Assess(smallest[2].won == smallest[2].all && smallest[2].all > 0),
		"step 10⁻⁵: samples found to 1 %%: 1 hop away %s, 2 hops %s, 3 hops %s; the best guess is off by %.2g",
		of(smallest[1].won, smallest[1].all), of(smallest[2].won, smallest[2].all),
		of(smallest[3].won, smallest[3].all), guess)
	b.State("noise of α = 0.5 a round hides them", reproduce.Assess(far == 0),
		"nodes beyond the neighbours found better than by guessing: %d", far)
	b.Draw("steps", plot.Chart{Title: "error of a node's unknown sample, two of twenty nodes collude",
		X: plot.Log("step size"), Y: plot.Log("mean relative error"), Lines: lines})
	return nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// linked is linkage, without and with noise.
func linked(b *reproduce.Workbench) error {
	const attack = "linkage"
	line := plot.Line{Label: "dual variable perturbation"}
	sets := []string{"adversary.attacks=[linkage]", "network.topology.nodes=20", "rounds.count=30"}
	plain, err := b.Attack(false, unknownRows, sets...)
	if err != nil {
		return err
	}
	clear := sumsOf(attack, plain)
	var strong sums
	for _, alpha := range []float64{1e-2, 1, 1e2, 1e4, 1e6} {
		a, err := b.Attack(false, unknownRows, append(sets,
			fmt.Sprintf("algorithm={kind: dvp, eta: 0.05, alpha: %v}", alpha))...)
		if err != nil {
			return err
		}
		s := sumsOf(attack, a)
		if alpha == 1e-2 {
			strong = s
		}
		line.X, line.Y = append(line.X, alpha), append(line.Y, 1-s.error)
	}
	sd := math.Sqrt(0.05 * 0.95 / (20 * 29))
	b.State("pseudonyms do not hide who sends what: contents link the messages of a node", reproduce.Assess(
		1-clear.error > 0.9), "without noise %.3g %% of the links are right, of guesses 5 %%", 100*(1-clear.error))
	b.State("noise does, if there is much", reproduce.Assess(math.Abs(1-strong.error-0.05) < 4*sd && strong.won <= 1),
		"α = 0.01 a round: %.3g %% right, of guesses 5 ± %.2g %%; nodes linked better than by chance at level 0.01: %s",
		100*(1-strong.error), 100*sd, of(strong.won, strong.all))
	b.Draw("links", plot.Chart{Title: "links of successive messages that are right, 20 nodes, 30 rounds",
		X: plot.Log("α a round"), Y: plot.Linear("share of links"), Lines: []plot.Line{line}})
	return nil
}

// known sets up twenty nodes of Adult for what is said of one sample, or of all.
func known(knows, attack string) []string {
	return []string{"adversary.knows=" + knows, "adversary.attacks=[" + attack + "]", "network.topology.nodes=20",
		"rounds.count=5"}
}

// attributes is an attribute of a sample of every node.
func attributes(b *reproduce.Workbench) error {
	table := []string{"| attribute | α a round | right | by the prior's best | mean −ln p(true) | of the prior |",
		"|---|---|---|---|---|---|"}
	gained, strongGain, wins := 0, 0.0, 0
	for _, name := range []string{"label", "education", "marital-status"} {
		for _, alpha := range []float64{0, 100, 1, 0.01} {
			method := "algorithm={kind: admm, eta: 0.05}"
			if alpha > 0 {
				method = fmt.Sprintf("algorithm={kind: private-dgd, step: 0.5, decay: none, alpha: %v}", alpha)
			}
			a, err := b.Attack(false, unknownRows, append(known("{victim: all, all-but: 0, attribute: "+name+"}",
				"attribute"), method)...)
			if err != nil {
				return err
			}
			right, before, n := 0, 0, 0
			for _, f := range findings("attribute", a) {
				var most, likeliest record.Odds
				for _, o := range f.Odds {
					if o.Posterior > most.Posterior {
						most = o
					}
					if o.Prior > likeliest.Prior {
						likeliest = o
					}
				}
				if most.Truth == nil {
					continue
				}
				n++
				right += boolInt(*most.Truth)
				before += boolInt(*likeliest.Truth)
			}
			s := sumsOf("attribute", a)
			says := "no noise"
			switch {
			case alpha > 0:
				says = fmt.Sprint(alpha)
			case right == n:
				gained++
			}
			if alpha == 0.01 {
				strongGain = max(strongGain, math.Abs(s.guess-s.error))
				wins += s.won
			}
			table = append(table, fmt.Sprintf("| %s | %s | %s | %s | %.3g | %.3g |", name, says, of(right, n),
				of(before, n), s.error, s.guess))
		}
	}
	b.State("without noise one attribute of a sample, the rest being known, is found", reproduce.Assess(gained == 3),
		"of 20 nodes all are right for %d of 3 attributes", gained)
	b.State("with strong noise the posterior is the prior", reproduce.Assess(wins == 0 && strongGain < 0.05),
		"α = 0.01 a round: the mean score differs by at most %.2g from that of the prior, and no node is a success",
		strongGain)
	b.Say("%s", strings.Join(table, "\n"))
	return nil
}

// properties is the share of positive rows of every node.
func properties(b *reproduce.Workbench) error {
	table := []string{"| α a round | nodes with an estimate | mean error of those | of the prior's mean |",
		"|---|---|---|---|"}
	var counts []int
	var clear [2]float64
	for _, alpha := range []float64{0, 100, 10, 1, 0.01} {
		method := "algorithm={kind: dgd, step: 0.5, decay: none}"
		if alpha > 0 {
			method = fmt.Sprintf("algorithm={kind: private-dgd, step: 0.5, decay: none, alpha: %v}", alpha)
		}
		a, err := b.Attack(false, unknownRows, append(known("{victim: all, size: true, data: [0, 1, 2, 3, 4, 5, 6, 7, "+
			"8, 9]}", "property"), method, "problem.train=2000")...)
		if err != nil {
			return err
		}
		n := 0
		for _, f := range findings("property", a) {
			n += len(f.Facts)
		}
		s := sumsOf("property", a)
		says := "no noise"
		if alpha > 0 {
			says = fmt.Sprint(alpha)
		} else {
			clear = [2]float64{s.error, s.guess}
		}
		counts = append(counts, n)
		table = append(table, fmt.Sprintf("| %s | %s | %.3g | %.3g |", says, of(n, 20), s.error, s.guess))
	}
	b.State("messages tell the share of positive rows of a node better than other nodes' rows do",
		reproduce.AssessParts(counts[0] > 15 && clear[0] < clear[1]/2, counts[0] > 0 && clear[0] < clear[1]),
		"no noise: estimates that are twice as exact as the prior of %s nodes, relative error %.2g, of the prior's "+
			"mean %.2g",
		of(counts[0], 20), clear[0], clear[1])
	b.State("with strong noise there is no estimate", reproduce.Assess(counts[len(counts)-1] == 0),
		"α = 0.01 a round: %d nodes", counts[len(counts)-1])
	b.Say("%s", strings.Join(table, "\n"))
	return nil
}

// Attack study: members of a small node's data from the span of its gradients.

package studies

import (
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
		Name:  "attacks/row-space",
		Title: "Membership without knowing a single sample",
		About: "Every gradient of a node's data is a combination of its rows. Where a node has fewer rows than " +
			"columns, the gradients that its messages reveal\n" +
			"span the rows and nothing else: the dimension is the number of rows, and whether a candidate is among " +
			"them is its distance to the span. The attacker knows\n" +
			"no sample, and no label of a candidate.\n\n" +
			"Adult (105 columns), 100 nodes with 10 rows each unless said, on a random 4-regular graph, conventional " +
			"ADMM with η = 0.05, 60 rounds, each node\n" +
			"in turn. Of the 100 candidates ten are the node's own.",
		Compute: rowSpaceStudy,
	})
}

// spans are how many victims' numbers of rows were found, and right.
func spans(a *record.Attacks) (found, right int) {
	for _, f := range findings("row-space", a) {
		for _, fact := range f.Facts {
			if fact.Kind != record.RowCount && fact.Kind != record.DataRank {
				continue
			}
			if found++; float64(fact.Relative) == 0 {
				right++
			}
		}
	}
	return found, right
}

// apartness are the distances of members and of others to the span, sorted, how
// many verdicts are right, and in how many victims' lists the members come first.
func apartness(a *record.Attacks) (members, others []float64, right, sorted int) {
	for _, f := range findings("row-space", a) {
		far, near := 0.0, math.Inf(1)
		for _, m := range f.Members {
			if m.Truth == nil {
				continue
			}
			if m.Member == *m.Truth {
				right++
			}
			if *m.Truth {
				members, far = append(members, float64(m.Score)), math.Max(far, float64(m.Score))
			} else {
				others, near = append(others, float64(m.Score)), math.Min(near, float64(m.Score))
			}
		}
		if len(f.Members) > 0 && far < near {
			sorted++
		}
	}
	slices.Sort(members)
	slices.Sort(others)
	return members, others, right, sorted
}

func rowSpaceStudy(b *reproduce.Workbench) error {
	const file, everyone = "row-space.yaml", "adversary.knows.victim=all"
	const nodes = 100
	if _, err := b.Attack(true, file); err != nil {
		return err
	}
	base, err := b.Attack(false, file, everyone)
	if err != nil {
		return err
	}
	_, counted := spans(base)
	told := reproduce.Assess(counted == nodes)
	if counted < nodes && 10*counted >= 9*nodes {
		told = reproduce.HoldsInPart
	}
	b.State("messages tell how many samples a node has", told,
		"10 rows of 105 columns: the number is found, without doubt, for %s nodes", of(counted, nodes))
	members, others, right, sorted := apartness(base)
	if len(members) == 0 || len(others) == 0 {
		return fmt.Errorf("row-space judged no candidate")
	}
	all := len(members) + len(others)
	twins := 0 // in the span as members are, though the node has no such sample
	for _, d := range others {
		if d <= 1e-6 {
			twins++
		}
	}
	b.State("candidates that are the node's are told from others without any side knowledge",
		reproduce.Assess(float64(right) > 0.99*float64(all)),
		"%s verdicts right; members are at %.2g or less of the span, others at %.2g (median); members come before "+
			"all others for %s nodes; %d others are in a span as well, as a row is that differs from a member in its "+
			"label only",
		of(right, all), members[len(members)-1], others[len(others)/2], of(sorted, nodes), twins)

	// How many rounds it takes.
	far, near := plot.Line{Label: "members, the farthest"}, plot.Line{Label: "others, the median"}
	var words []string
	for _, rounds := range []int{5, 10, 11, 12, 15, 20, 30, 60} {
		a, err := b.Attack(false, file, everyone, fmt.Sprintf("rounds.count=%d", rounds))
		if err != nil {
			return err
		}
		_, n := spans(a)
		words = append(words, fmt.Sprintf("%d rounds: %d", rounds, n))
		if m, o, _, _ := apartness(a); len(m) > 0 && len(o) > 0 {
			far.X, far.Y = append(far.X, float64(rounds)), append(far.Y, m[len(m)-1])
			near.X, near.Y = append(near.X, float64(rounds)), append(near.Y, o[len(o)/2])
		}
	}
	late, err := b.Attack(false, file, everyone, "adversary.view.from-round=20")
	if err != nil {
		return err
	}
	_, lateCount := spans(late)
	_, _, _, lateSorted := apartness(late)
	b.State("it takes a few rounds more than there are rows, and not the first ones",
		reproduce.AssessParts(counted == nodes && lateCount == nodes, lateCount > 0),
		"nodes of 100 whose number of rows is found: %s; from round 20 on: %d, and members come before all "+
			"others for %d",
		strings.Join(words, ", "), lateCount, lateSorted)

	// Up to how many rows.
	words = nil
	var last int
	for _, rows := range []int{5, 10, 20, 40, 80} {
		a, err := b.Attack(false, file, everyone, fmt.Sprintf("problem.train=%d", rows*nodes), "rounds.count=200")
		if err != nil {
			return err
		}
		_, n := spans(a)
		_, o, _, s := apartness(a)
		words = append(words, fmt.Sprintf("%d rows: number right for %d, members first for %d", rows, n, s))
		if len(o) > 0 && n == nodes {
			last = rows
		}
	}
	b.State("the fewer rows a node has, the more exposed they are", reproduce.Assess(last >= 10 && last < 80),
		"200 rounds, nodes of 100: %s", strings.Join(words, ", "))

	noisy, err := b.Attack(false, file, everyone, "algorithm={kind: dvp, eta: 0.05, alpha: 1}")
	if err != nil {
		return err
	}
	n, _ := spans(noisy)
	b.State("noise fills the span: α = 1 a round leaves nothing", reproduce.Assess(n == 0),
		"dual variable perturbation, α = 1 a round: a number of rows is found for %s nodes; 60 rounds span 60 "+
			"dimensions", of(n, nodes))
	if len(far.X) > 0 {
		b.Draw("rounds", plot.Chart{Title: "distance to the span, 10 rows a node, 100 nodes", X: plot.Linear("rounds"),
			Y: plot.Log("distance of x/‖x‖ to the span"), Lines: []plot.Line{near, far}})
	}
	return nil
}

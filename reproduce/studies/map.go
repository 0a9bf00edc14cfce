// Attack study: what every node learns about every other, exactly.

package studies

import (
	"fmt"
	"strings"

	"overhear/record"
	"overhear/report/plot"
	"overhear/reproduce"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "attacks/map",
		Title: "What nodes learn about nodes that they do not hear",
		About: "That an attack on nodes two hops away fails (attacks/colluders) does not say that they lose nothing. " +
			"With the squared loss and Gaussian\n" +
			"noise all that is published is jointly normal, and what an observer learns about a label is exact: its " +
			"best test is that of N(0, 1)\n" +
			"against N(μ, 1) (docs/mathematics.md §5.12). Twenty hospitals (WDBC, 455 rows, 30 columns) on a " +
			"small-world graph, ten rounds; each node is\n" +
			"observer and victim. Mrini, Cyffers & Bellet (ICML 2024) reconstruct rows beyond the neighbours in " +
			"gossip gradient descent; Cyffers, Even,\n" +
			"Bellet & Massoulié (NeurIPS 2022) bound what a node learns by what each message that it hears says by " +
			"itself, where noise is drawn once\n" +
			"and then averaged. Muffliato-GD, theirs, has four rounds of averaging after each noisy step; with nine " +
			"there is one step in ten rounds:\nnoise once.",
		Compute: mapped,
	})
}

func mapped(b *reproduce.Workbench) error {
	const file, onceName = "map.yaml", "noise once"
	const descent = "algorithm={kind: private-dgd, step: 0.5, decay: none, alpha: 0.5, law: gaussian"
	methods := []struct{ name, set string }{
		{"gradient descent", descent + "}"},
		{"PVP", "algorithm={kind: pvp, eta: 0.3, alpha: 0.5, law: gaussian}"},
		{"proximal ADMM", "algorithm={kind: proximal-admm, eta: 0.3, tau: 0.3, alpha: 0.5, law: gaussian}"},
		{"R-ADMM", "algorithm={kind: private-r-admm, eta: 0.3, gamma: 0.3, alpha: 0.5, perturbation: gaussian}"},
		{"Muffliato-GD", descent + ", averaging: 4}"},
		{onceName, descent + ", averaging: 9}"},
	}
	chart := plot.Chart{
		Title: "what a node learns about a label, as a share of what one who sees everything learns",
		X:     plot.Linear("distance between observer and victim, hops"), Y: plot.Log("share of μ"),
	}
	var shares, falls, above []string
	nothing, falling, bounded, less, once, onces, factor := 0, 0, 0, 0, 0, 0, 0.0
	var farthest record.Number
	const hidden, rounding = 0.1, 1e-6 // shares of μ
	table := []string{"| method | distance | pairs | μ, mean (least–most) | ε at 10⁻⁵, most | share of all | " +
		"messages, each by itself | pairs above that |", "|---|---|---|---|---|---|---|---|"}
	for _, m := range methods {
		all, pairs, err := b.Map(file, m.set)
		if err != nil {
			return err
		}
		line := plot.Line{Label: m.name}
		var share []string
		monotone, beyond, greater, total := true, 0, 0, 0
		for k, d := range all.ByDistance {
			table = append(table, fmt.Sprintf("| %s | %d | %d | %.3g (%.3g–%.3g) | %.3g | %.3g %% | %.3g | %d |",
				m.name, d.Distance, d.Pairs, float64(d.Mean), float64(d.Least), float64(d.Most), float64(d.Epsilon),
				100*float64(d.Share), float64(d.Messages), d.Above))
			line.X, line.Y = append(line.X, float64(d.Distance)), append(line.Y, float64(d.Share))
			monotone = monotone && (k == 0 || d.Share < all.ByDistance[k-1].Share)
			if d.Distance > 1 {
				share = append(share, fmt.Sprintf("%d hops: %.3g %%", d.Distance, 100*float64(d.Share)))
			}
			beyond, total = beyond+d.Above, total+d.Pairs
		}
		for j := range pairs.Mu {
			for i, mu := range pairs.Mu[j] {
				if i != j && mu > float64(all.All[i])*(1+rounding) {
					greater++
				}
			}
		}
		chart.Lines = append(chart.Lines, line)
		if m.name == onceName {
			once, onces, farthest = beyond, total, all.ByDistance[len(all.ByDistance)-1].Share
			for j := range pairs.Mu {
				for i, mu := range pairs.Mu[j] {
					if i != j && mu > 0 {
						factor = max(factor, mu*mu/(pairs.Messages[j][i]*pairs.Messages[j][i]))
					}
				}
			}
		}
		shares = append(shares, m.name+" "+strings.Join(share, ", "))
		if !monotone {
			falls = append(falls, m.name)
		}
		if m.name != onceName {
			above = append(above, fmt.Sprintf("%s %d of %d", m.name, beyond, total))
		}
		if leastBeyond(all) > 0 {
			nothing++
		}
		if monotone {
			falling++
		}
		if beyond == 0 {
			bounded++
		}
		if greater == 0 {
			less++
		}
	}
	n := len(methods)
	b.State("nodes learn nothing about labels of nodes that are not their neighbours",
		reproduce.Assess(nothing == 0), "mean μ as a share of that of one who sees everything: %s; no pair of "+
			"connected nodes has μ = 0", strings.Join(shares, "; "))
	b.State("the further away a node is, the less is learnt about it, on average over pairs",
		reproduce.Assess(falling == n), "the mean share falls with each hop in %d of %d methods%s", falling, n,
		but(falls))
	b.State("no node learns more than one who sees everything", reproduce.Assess(less == n),
		"in %d of %d methods, over all pairs", less, n)
	b.State("a node learns at most what the messages that it hears say each by itself, summed (Cyffers et al. 2022, "+
		"Theorem 1, of noise that is drawn once and averaged)", reproduce.Assess(once == 0),
		"noise once: %d of %d pairs are above it, by a factor of up to %.3g in μ²: messages that share their noise "+
			"say more together (by hand, on a path of three nodes: docs/mathematics.md §5.12)", once, onces, factor)
	b.State("the same where noise is drawn more than once, for which it is not stated",
		reproduce.Assess(bounded == n),
		"pairs above it: %s", strings.Join(above, ", "))
	b.State("averaging without noise hides a node from those further away",
		reproduce.Assess(float64(farthest) < hidden),
		"noise once, ten rounds: the share of μ at the greatest distance is %.3g %%; a node that hears enough "+
			"averages solves for every noisy value", 100*float64(farthest))
	b.Say("%s", strings.Join(table, "\n"))
	b.Draw("share", chart)
	return nil
}

// but names exceptions.
func but(names []string) string {
	if names == nil {
		return ""
	}
	return ", but not in " + strings.Join(names, ", ")
}

// leastBeyond is the least μ of connected nodes that are not neighbours.
func leastBeyond(m *record.Map) record.Number {
	least := record.Number(1)
	for _, d := range m.ByDistance {
		if d.Distance > 1 {
			least = min(least, d.Least)
		}
	}
	return least
}

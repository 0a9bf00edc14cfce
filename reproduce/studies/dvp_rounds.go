// What an observer of dual variable perturbation learns from more rounds.

package studies

import (
	"fmt"
	"strings"

	"overhear/report/plot"
	"overhear/reproduce"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "attacks/dvp-rounds",
		Title: "Dual variable perturbation: is its privacy independent of the number of iterations?",
		About: "Zhang & Zhu 2016 (ZZ16) bound the privacy loss of each round by α, and conclude (§2.2): “our dynamic " +
			"privacy is also independent of the number of iterations. As a result, the adversaries cannot obtain " +
			"additional information from each iteration”. Every round computes on the same rows with noise of its " +
			"own, so that an observer of all rounds has as many looks at them.\n\n" +
			"The audit of `scenarios/audit-dvp.yaml` with 1 to 20 rounds, α = 1 a round: two worlds that differ in " +
			"one row, 300 runs in each, the exact likelihood of everything published in both. By Neyman and Pearson " +
			"no test is better. Its area under the ROC curve is ½ if the worlds cannot be told apart.",
		Compute: dvpRounds,
	})
}

func dvpRounds(b *reproduce.Workbench) error {
	const alpha, runs = 1.0, 300
	counts := []int{1, 2, 5, 10, 20}
	loss, claimed, area := plot.Line{Label: "measured, run"}, plot.Line{Label: "claimed, sum over rounds"},
		plot.Line{Label: "best test"}
	one := plot.Line{Label: "claimed, a round"}
	var said []string
	for _, n := range counts {
		a, err := b.Audit(n == counts[len(counts)-1], "audit-dvp.yaml", runs, fmt.Sprintf("rounds.count=%d", n))
		if err != nil {
			return err
		}
		run := a.Verdicts[1]
		x := float64(n)
		loss.X, loss.Y = append(loss.X, x), append(loss.Y, float64(run.Measured))
		claimed.X, claimed.Y = append(claimed.X, x), append(claimed.Y, float64(run.Epsilon))
		one.X, one.Y = append(one.X, x), append(one.Y, alpha)
		area.X, area.Y = append(area.X, x), append(area.Y, float64(a.Power.AUC))
		said = append(said, fmt.Sprintf("%d rounds: loss %.3g, area "+
			"%.3f", n, float64(run.Measured), float64(a.Power.AUC)))
	}
	last := len(counts) - 1
	b.State("ZZ16 §2.2: “our dynamic privacy is also independent of the number of iterations … the adversaries cannot "+
		"obtain additional information from each iteration”",
		reproduce.AssessParts(loss.Y[last] <= 1.1*loss.Y[0] && area.Y[last] <= area.Y[0]+0.02, loss.Y[last] <= alpha),
		"greatest privacy loss of a run and area under the ROC curve of the best test: %s. Limits: 1.1 times the loss "+
			"of one round, an area 0.02 greater", strings.Join(said, "; "))
	b.State("the sum of α over the rounds bounds what is lost",
		reproduce.Assess(func() bool {
			for k := range counts {
				if !(loss.Y[k] <= claimed.Y[k]) {
					return false
				}
			}
			return true
		}()), "%.3g of %.3g after %d rounds", loss.Y[last], claimed.Y[last], counts[last])
	b.Draw("loss", plot.Chart{Title: "Privacy loss of a run by its rounds", X: plot.Log("rounds"),
		Y: plot.Log("greatest |log-likelihood ratio|"), Lines: []plot.Line{claimed, one, loss}})
	b.Draw("area", plot.Chart{Title: "Telling the two worlds apart", X: plot.Log("rounds"),
		Y: plot.Linear("area under the ROC curve"), Lines: []plot.Line{area}})
	return nil
}

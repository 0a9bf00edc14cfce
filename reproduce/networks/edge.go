// Which methods survive lost and late messages.

package networks

import (
	"fmt"
	"math"
	"strings"

	"overhear/report/plot"
	"overhear/reproduce"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "networks/edge-admm",
		Title: "Asynchronous updates under loss: edge ADMM reaches the optimum, node-dual methods a wrong point",
		About: "Twelve hospitals (Breast Cancer Wisconsin) update asynchronously: a node steps when it has heard " +
			"half of its neighbours since its last step, or\n" +
			"after 100 ms, with the last values it has. Nothing that is lost is sent again. ADMM with one dual a " +
			"node keeps λ_i as the running sum of V_i f_i − s_i; once two ends\n" +
			"of a link disagree about what was said, Σ_i λ_i is no longer zero and never becomes so again, and the " +
			"nodes agree on a point that is not the centralised optimum. Edge ADMM\n" +
			"keeps one vector for each end of a link, which a message replaces in part: a lost one only delays it " +
			"(Bastianello, Carli, Schenato & Todescato 2021).",
		Compute: edgeStudy,
	})
}

func edgeStudy(b *reproduce.Workbench) error {
	methods := []struct {
		name, set string
		nodeDual  bool // has one dual a node
	}{
		{"edge-admm", "algorithm={kind: edge-admm, eta: 0.05}", false},
		{"admm", "algorithm={kind: admm, eta: 0.02}", true},
		{"m-admm", "algorithm={kind: m-admm, eta: 0.02, theta: 0.02}", true},
		{"r-admm", "algorithm={kind: r-admm, eta: 0.02, gamma: 0.1}", true},
		{"dgd", "algorithm={kind: dgd, step: 0.5}", false},
	}
	losses := []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5}
	time := plot.Chart{Title: "Distance to the optimum, 30 % of packets lost", X: plot.Linear("virtual time (s)"),
		Y: plot.Log("relative distance of the worst node")}
	sums := plot.Chart{Title: "Sum of the duals, 30 % of packets lost", X: plot.Linear("virtual time (s)"),
		Y: plot.Log("‖Σ λ_i‖")}
	against := plot.Chart{Title: "Distance after 500 rounds against loss", X: plot.Linear("share of packets lost"),
		Y: plot.Log("relative distance of the worst node")}
	final := map[string]map[float64]float64{}
	dual := map[string]float64{}
	apart := map[string]float64{}
	rounds := 0
	for _, m := range methods {
		final[m.name] = map[float64]float64{}
		l := plot.Line{Label: m.name}
		for _, loss := range losses {
			info, table, err := b.Measure("edge-under-loss.yaml", m.set, fmt.Sprintf("network.loss=%v", loss))
			if err != nil {
				return err
			}
			d := float64(info.Final.Distance)
			rounds = info.Rounds
			final[m.name][loss] = d
			l.X, l.Y, l.Low, l.High = append(l.X, loss), append(l.Y, d), append(l.Low, d), append(l.High, d)
			if loss != 0.3 {
				continue
			}
			dual[m.name], apart[m.name] = float64(info.Final.DualSum), float64(info.Final.Consensus)
			at, distance, sum := table.Column("time_s"), table.Column("distance"), table.Column("dual_sum")
			time.Lines = append(time.Lines, plot.Line{Label: m.name, X: at, Y: distance, Low: distance, High: distance})
			if m.nodeDual {
				sums.Lines = append(sums.Lines, plot.Line{Label: m.name, X: at[1:], Y: sum[1:], Low: sum[1:],
					High: sum[1:]})
			}
		}
		against.Lines = append(against.Lines, l)
	}
	worst := 0.0
	for _, loss := range losses[:4] {
		worst = math.Max(worst, final["edge-admm"][loss])
	}
	b.State("edge ADMM reaches the centralised optimum under up to 30 % loss", reproduce.Assess(worst < 1e-6),
		"relative distance after %d rounds: 0: %.2g, 10 %%: %.2g, 20 %%: %.2g, 30 %%: %.2g", rounds,
		final["edge-admm"][0], final["edge-admm"][0.1], final["edge-admm"][0.2], final["edge-admm"][0.3])
	var drift []string
	drifts := true
	for _, m := range methods {
		if !m.nodeDual {
			continue
		}
		distance := final[m.name][0.3]
		drift = append(drift, fmt.Sprintf("%s: distance %.2g, disagreement %.1g, ‖Σλ‖ %.2g",
			m.name, distance, apart[m.name], dual[m.name]))
		drifts = drifts && distance > 0.01 && dual[m.name] > 1e-3
	}
	b.State("methods with one dual a node agree on a wrong point under the same loss, and their duals do not sum to "+
		"zero", reproduce.Assess(drifts), "at 30 %%: %s", strings.Join(drift, "; "))
	b.State("loss is not needed for that: updating asynchronously is enough", reproduce.Assess(final["admm"][0] > 0.01),
		"without loss admm ends at a distance of %.2g", final["admm"][0])
	b.State("gradient descent has no dual to corrupt, and is slow",
		reproduce.Assess(math.Abs(math.Log(final["dgd"][0.3]/final["dgd"][0])) < math.Log(2)),
		"dgd: %.2g without loss, %.2g at 30 %%", final["dgd"][0], final["dgd"][0.3])
	b.Draw("distance", time)
	b.Draw("loss", against)
	b.Draw("duals", sums)
	b.Say("`simulate run scenarios/edge-under-loss.yaml` runs one of these; `--set 'algorithm={kind: admm, eta: " +
		"0.02}'` another. In synchronous rounds nodes ask again for what was lost, and every method behaves as " +
		"without loss (`simulate run scenarios/lossy.yaml`).")
	return nil
}

// PDML 2020: users who flip labels, servers who perturb.

package reproduce

import (
	"fmt"
	"math"
	"strings"
)

const pdmlChosen = "a ring of ten servers with three chords (13 links), C = 1, η = β = 0.02, v = 1; start at zero, ten runs"

// with is pdml with other parameters; the rest is the figure's scenario's.
func with(label string, sets ...string) Curve {
	c := Curve{Label: label}
	for _, s := range sets {
		c.Set = append(c.Set, "algorithm."+s)
	}
	return c
}

// plainPDML is general ADMM on the labels as they are.
var plainPDML = with("original data, no noise", "labels=true", "noise=off", "bound=0")

func init() { register(pdmlFig3(), pdmlFig4(), pdmlTable()) }

func pdmlFig3() *Figure {
	f := &Figure{
		Name: "pdml-fig3", Paper: "PDML Fig. 3", Title: "convergence with and without the servers' noise", Scenario: "pdml-fig3.yaml", Seeds: 10,
		Stated: "Adult, 45,000 rows, 10 servers of 4,500 users, 13 links, R = 1; ε, v, the decay, a, β and the links are not given.",
		Chosen: pdmlChosen + ", a = 0.01, ε = 1, decay 0.8, 40,000 rows, so that there is a test set.",
		Curves: []Curve{with("both phases", "bound=1"), with("phase 2 removed", "noise=off"), plainPDML},
		Charts: []Chart{
			{Name: "distance", Title: "largest distance between two servers' w", X: "round", Y: "spread", XLabel: "round", YLabel: "max ‖w_i − w_l‖", LogY: true},
			{Name: "risk", Title: "empirical risk of the averaged classifiers, true labels", X: "round", Y: "averaged_risk", XLabel: "round", YLabel: "Σ_i O_i(w̄) on true labels"},
		},
	}
	f.Claims = func(r *Results) []Claim {
		s := func(label string, t int) float64 { v, _, _ := r.runs(label).at("spread", t); return v }
		risk := func(label string) float64 { return r.runs(label).last("averaged_risk") }
		both, one, plain := risk("both phases"), risk("phase 2 removed"), risk("original data, no noise")
		// The round from which on the risk stays within 2 % of its last value.
		settled := func(label string) int {
			runs, from := r.runs(label), 0
			for t := range runs.rounds() {
				if v, _, _ := runs.at("averaged_risk", t); !(math.Abs(v-risk(label)) <= 0.02*risk(label)) {
					from = t + 1
				}
			}
			return from
		}
		return []Claim{
			{"(a) “both distances converge to 0”",
				fmt.Sprintf("largest distance in rounds 20, 50, 100: both phases %.3g, %.3g, %.3g; phase 2 removed %.3g, %.3g, %.3g",
					s("both phases", 20), s("both phases", 50), s("both phases", 100), s("phase 2 removed", 20), s("phase 2 removed", 50), s("phase 2 removed", 100)),
				verdict(s("both phases", 100) < 0.5*s("both phases", 50) && s("phase 2 removed", 100) < 0.5*s("phase 2 removed", 50))},
			{"(b) “Due to the noise perturbations in Phase 2, the convergence time becomes longer”",
				fmt.Sprintf("rounds until the risk stays within 2 %% of its own value in round 100: with phase 2 %d, without %d", settled("both phases"), settled("phase 2 removed")),
				verdict(settled("both phases") > settled("phase 2 removed"))},
			{"(b) both “cannot achieve the same final empirical risks” as ADMM on the original data",
				fmt.Sprintf("final risk: both phases %.4f, phase 2 removed %.4f, original data %.4f", both, one, plain), verdict(both > plain && one > plain)},
		}
	}
	return f
}

func pdmlFig4() *Figure {
	bounds, decays := []float64{0, 1, 3, 9}, []float64{0.5, 0.8, 0.9, 0.95}
	budgets := []float64{0.1, 0.2, 0.4, 0.6, 1, 2, 4}
	f := &Figure{
		Name: "pdml-fig4", Paper: "PDML Fig. 4", Title: "noise bound R, noise decay ρ and label budget ε", Scenario: "pdml-fig4.yaml", Seeds: 10,
		Stated: "as Fig. 3; (a) several R at ρ = 0.8, R = 9 among them; (b) several ρ at R = 1; (c) final risk against ε with and without phase 2. Most values are not given.",
		Chosen: pdmlChosen + ", a = 0.01; ε = 1 in (a) and (b), R = 1 and ρ = 0.8 in (c), 40,000 rows.",
		Charts: []Chart{
			{Name: "risk-a", Title: "averaged classifiers, several R", X: "round", Y: "averaged_risk", XLabel: "round", YLabel: "empirical risk, true labels", Curves: func(l string) bool { return strings.HasPrefix(l, "R =") || strings.HasPrefix(l, "orig") }},
			{Name: "risk-b", Title: "averaged classifiers, several decays", X: "round", Y: "averaged_risk", XLabel: "round", YLabel: "empirical risk, true labels", Curves: prefix("decay")},
			{Name: "risk-c", Title: "final risk of the averaged classifiers", Y: "averaged_risk", XLabel: "ε", YLabel: "empirical risk, true labels", LogX: true, Points: []int{100}, Curves: prefix("ε")},
		},
	}
	for _, b := range bounds {
		f.Curves = append(f.Curves, with(fmt.Sprintf("R = %g", b), fmt.Sprintf("bound=%g", b)))
	}
	for _, d := range decays {
		f.Curves = append(f.Curves, with(fmt.Sprintf("decay %g", d), fmt.Sprintf("decay=%g", d)))
	}
	for _, phase2 := range []bool{true, false} {
		for _, e := range budgets {
			c := with(fmt.Sprintf("ε = %g, both phases", e), fmt.Sprintf("epsilon=%g", e))
			c.Group = "both phases,"
			if !phase2 {
				c = with(fmt.Sprintf("ε = %g, phase 2 removed", e), fmt.Sprintf("epsilon=%g", e), "noise=off")
				c.Group = "phase 2 removed,"
			}
			c.X = e
			f.Curves = append(f.Curves, c)
		}
	}
	f.Curves = append(f.Curves, plainPDML)
	f.Claims = func(r *Results) []Claim {
		risk := func(label string) float64 { return r.runs(label).last("averaged_risk") }
		plain := risk("original data, no noise")
		gap := func(label string) float64 { return risk(label) - plain }
		var as, bs, with2, without []string
		wider, later, fallingC, extra := true, true, true, true
		for k, b := range bounds {
			l := fmt.Sprintf("R = %g", b)
			as = append(as, fmt.Sprintf("%s: %.4f", l, gap(l)))
			wider = wider && (k == 0 || gap(l) > gap(fmt.Sprintf("R = %g", bounds[k-1])))
		}
		level := 1.02 * risk(fmt.Sprintf("decay %g", decays[0]))
		previous := 0
		for _, d := range decays {
			l := fmt.Sprintf("decay %g", d)
			t := r.runs(l).reaches("averaged_risk", level)
			if t < 0 {
				bs = append(bs, l+" not within 100")
				t = r.runs(l).rounds()
			} else {
				bs = append(bs, fmt.Sprintf("%s in round %d", l, t))
			}
			later = later && t >= previous
			previous = t
		}
		for k, e := range budgets {
			a, b := fmt.Sprintf("ε = %g, both phases", e), fmt.Sprintf("ε = %g, phase 2 removed", e)
			with2 = append(with2, fmt.Sprintf("%g: %.4f", e, gap(a)))
			without = append(without, fmt.Sprintf("%g: %.4f", e, gap(b)))
			extra = extra && gap(a) > gap(b)
			if k > 0 {
				fallingC = fallingC && gap(a) < gap(fmt.Sprintf("ε = %g, both phases", budgets[k-1])) && gap(b) < gap(fmt.Sprintf("ε = %g, phase 2 removed", budgets[k-1]))
			}
		}
		small, large := gap("ε = 0.6, both phases"), gap("ε = 4, both phases")
		flips := gap("ε = 0.6, phase 2 removed")
		return []Claim{
			{"(a) “The larger the noise bound, the greater the gap” to the reference risk", fmt.Sprintf("risk in round 100 minus the reference (%.4f): %s; for R of 1 and more it is still rising there", plain, strings.Join(as, ", ")), verdict(wider)},
			{"(b) larger ρ: “more iterations are needed to obtain the same final empirical risk”", fmt.Sprintf("first within 2 %% of what decay %g has in round 100: %s. The risks fall lower and rise again, so that this orders beginnings, not limits", decays[0], strings.Join(bs, ", ")), judge(false, later)},
			{"(c) “final empirical risks decrease with larger” ε", "gap to the reference: both phases " + strings.Join(with2, ", ") + "; phase 2 removed " + strings.Join(without, ", "), verdict(fallingC)},
			{"(c) phase 2 leads to larger risks at every ε", "the figures above", verdict(extra)},
			{"(c) for ε > 0.6 the risks are close to the reference and change little", fmt.Sprintf("of a risk of %.4f the gap at 0.6 and at 4 is %.4f and %.4f with both phases, %.4f and %.4f with phase 2 removed: beyond 0.6 the servers' noise is most of what is left", plain, small, large, flips, gap("ε = 4, phase 2 removed")),
				judge(small < 0.02*plain, flips < 0.02*plain || small-large < 0.02*plain)},
		}
	}
	return f
}

// pdmlPaper is Table I: accuracy in per cent without privacy, then (ε, R) = (0.4,
// 0), (1, 0), (0.4, 1), (0.4, 9), (1, 1), (1, 9).
var pdmlPaper = []struct {
	set   string
	cells [7]float64
}{
	{"german", [7]float64{75.00, 71.00, 74.00, 69.67, 64.00, 74.33, 67.67}},
	{"image", [7]float64{75.56, 70.13, 72.84, 69.33, 63.10, 70.45, 65.50}},
	{"ringnorm", [7]float64{77.38, 73.44, 76.82, 73.74, 66.18, 75.77, 70.23}},
	{"banana", [7]float64{58.22, 54.33, 56.06, 54.28, 43.11, 55.89, 54.44}},
	{"splice", [7]float64{56.60, 46.84, 56.60, 54.94, 46.39, 55.83, 52.50}},
	{"twonorm", [7]float64{97.90, 96.59, 97.38, 96.51, 92.28, 97.41, 94.77}},
	{"waveform", [7]float64{88.93, 84.60, 87.93, 84.07, 80.47, 87.67, 81.73}},
}

var pdmlCells = []struct{ epsilon, bound float64 }{{0, 0}, {0.4, 0}, {1, 0}, {0.4, 1}, {0.4, 9}, {1, 1}, {1, 9}}

func cellName(k int) string {
	if k == 0 {
		return "no privacy"
	}
	return fmt.Sprintf("ε = %g, R = %g", pdmlCells[k].epsilon, pdmlCells[k].bound)
}

func pdmlTable() *Figure {
	f := &Figure{
		Name: "pdml-table1", Paper: "PDML Table I", Title: "accuracy on seven data sets", Scenario: "pdml-table1.yaml", Seeds: 10,
		Stated: "10 servers, 13 links, about 70 % of the rows for training; the columns R = 0 have the modified loss only; v, the decay, a, β, the number of rounds and the preparation of the sets are not given.",
		Chosen: pdmlChosen + ", a = 0.05 (0.01 changes little; at 0.3 splice falls to the paper's 57 %, but ringnorm to 68 and waveform to 75), decay 0.8, 100 rounds; columns scaled to at most 1, rows clipped to norm 1, an intercept; accuracy of the averaged classifiers w̄_i, mean over the servers. R = 0 is phase 1 alone.",
	}
	label := func(set string, k int) string { return set + ", " + cellName(k) }
	for _, row := range pdmlPaper {
		for k, c := range pdmlCells {
			sets := []string{"problem.data=" + row.set}
			switch {
			case k == 0:
				sets = append(sets, plainPDML.Set...)
			case c.bound == 0:
				sets = append(sets, fmt.Sprintf("algorithm.epsilon=%g", c.epsilon), "algorithm.noise=off")
			default:
				sets = append(sets, fmt.Sprintf("algorithm.epsilon=%g", c.epsilon), fmt.Sprintf("algorithm.bound=%g", c.bound))
			}
			f.Curves = append(f.Curves, Curve{Label: label(row.set, k), Set: sets, Group: row.set + ",", X: float64(k)})
		}
	}
	f.Charts = []Chart{{Name: "error", Title: "test error; columns as in Table I", Y: "averaged_error", XLabel: "column: 0 no privacy, 1, 2 R = 0, 3–6 R = 1, 9, 1, 9", YLabel: "fraction of wrong labels", Points: []int{100}}}
	accuracy := func(r *Results, set string, k int) (mean, low, high float64) {
		m, l, h := r.runs(label(set, k)).at("averaged_error", -1)
		return 100 * (1 - m), 100 * (1 - h), 100 * (1 - l)
	}
	f.Extra = func(r *Results) string {
		var b strings.Builder
		b.WriteString("Accuracy in per cent, paper | measured mean (least–greatest):\n\n| set |")
		for k := range pdmlCells {
			b.WriteString(" " + cellName(k) + " |")
		}
		b.WriteString("\n|---|" + strings.Repeat("---|", len(pdmlCells)) + "\n")
		for _, row := range pdmlPaper {
			b.WriteString("| " + row.set + " |")
			for k := range pdmlCells {
				mean, low, high := accuracy(r, row.set, k)
				fmt.Fprintf(&b, " %.2f \\| **%.2f** (%.1f–%.1f) |", row.cells[k], mean, low, high)
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	f.Claims = func(r *Results) []Claim {
		inside, cells := 0, 0
		epsilonUp, boundDown, strongest := 0, 0, 0
		var drops, mild, apart []string
		for _, row := range pdmlPaper {
			for k := range pdmlCells {
				mean, low, high := accuracy(r, row.set, k)
				cells++
				if row.cells[k] >= low-1 && row.cells[k] <= high+1 {
					inside++
				} else if k == 0 {
					apart = append(apart, fmt.Sprintf("%s %.1f against %.1f", row.set, row.cells[k], mean))
				}
			}
			at := func(k int) float64 { m, _, _ := accuracy(r, row.set, k); return m }
			for _, p := range [][2]int{{1, 2}, {3, 5}, {4, 6}} { // ε 0.4 against 1
				if at(p[1]) > at(p[0]) {
					epsilonUp++
				}
			}
			for _, p := range [][2]int{{1, 3}, {3, 4}, {2, 5}, {5, 6}} { // R 0, 1, 9
				if at(p[1]) <= at(p[0]) {
					boundDown++
				}
			}
			drops = append(drops, fmt.Sprintf("%s %.1f", row.set, at(0)-at(4)))
			mild = append(mild, fmt.Sprintf("%s %.1f", row.set, at(0)-at(5)))
			if at(0)-at(4) < 5 {
				strongest++
			}
		}
		n := len(pdmlPaper)
		banana, _, _ := accuracy(r, "banana", 0)
		splice, _, _ := accuracy(r, "splice", 0)
		return []Claim{
			{"the cells", fmt.Sprintf("%d of %d of the paper's cells are within one point of the range of ten runs; without privacy outside it: %s", inside, cells, strings.Join(apart, ", ")), judge(inside == cells, inside > 0)},
			{"larger ε gives better accuracy", fmt.Sprintf("in %d of %d pairs of cells", epsilonUp, 3*n), judge(epsilonUp == 3*n, epsilonUp > 2*n)},
			{"smaller R gives better accuracy", fmt.Sprintf("in %d of %d pairs of cells", boundDown, 4*n), judge(boundDown == 4*n, boundDown > 3*n)},
			{"“even under the strongest privacy setting (ε = 0.4, R = 9), the proposed framework achieves comparable classification accuracy”",
				"points lost: " + strings.Join(drops, ", ") + " (the paper's own cells lose 5.6 to 15.1). At ε = 1, R = 1 they are " + strings.Join(mild, ", "), judge(strongest == n, strongest > 0)},
			{"Banana and Splice have “inferior accuracy in all settings”, perhaps because logistic regression does not suit them",
				fmt.Sprintf("without privacy: banana %.1f %%, splice %.1f %%", banana, splice), judge(banana < 65 && splice < 65, banana < 65 || splice < 65)},
		}
	}
	return f
}

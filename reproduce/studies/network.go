// Attack study: noise, latency, loss and an observer that packets escape.

package studies

import (
	"fmt"
	"math"
	"slices"

	"overhear/record"
	"overhear/report/plot"
	"overhear/reproduce"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "attacks/network",
		Title: "Noise, a bad network, a bad observer",
		About: "What stops the informed adversary: noise, latencies that vary, packets that the network loses, " +
			"packets that escape it? Ten hospitals\n" +
			"(WDBC, 455 rows, 31 columns with the intercept) on a random 4-regular graph run 50 synchronous rounds " +
			"of penalty perturbation, η = θ = 0.5 and\n" +
			"known. Latencies are log-normal with median 20 ms. A node whose round misses a value asks for it again. " +
			"The attack is the inversion of many rounds; medians and\n" +
			"ranges are over all ten nodes as victims in turn. The report has the sweep " +
			"over escaping packets for one victim.",
		Compute: networkStudy,
	})
}

// attackEach attacks one setting after another and draws errors over x.
func attackEach(b *reproduce.Workbench, label, file string, values []float64, sets func(v float64) []string,
	attack string) (line plot.Line, runs []*record.Attacks, err error) {
	line.Label = label
	for _, v := range values {
		a, err := b.Attack(false, file, sets(v)...)
		if err != nil {
			return line, nil, err
		}
		runs = append(runs, a)
		point(&line, v, count(findings(attack, a), everyRound))
	}
	return line, runs, nil
}

// used is the mean number of rounds that went into the estimates of all victims.
func used(f []*record.Finding) float64 {
	sum := 0
	for _, one := range f {
		if e := estimateFrom(one, everyRound); e != nil {
			sum += e.Rounds
		}
	}
	return float64(sum) / float64(len(f))
}

// sameEstimates says whether attacks on several runs found the same to the bit.
func sameEstimates(attack string, runs []*record.Attacks) bool {
	first := findings(attack, runs[0])
	for _, a := range runs[1:] {
		f := findings(attack, a)
		if len(f) != len(first) {
			return false
		}
		for k := range f {
			same := func(a, b record.Estimate) bool {
				return a.Rounds == b.Rounds && a.Y == b.Y &&
					slices.Equal(a.X, b.X)
			}
			if !slices.EqualFunc(f[k].Estimates, first[k].Estimates, same) {
				return false
			}
		}
	}
	return true
}

// tellingLaw is the share of rounds that tell something where a share m of packets escapes, mean over the nodes, and
// its formula. After a gap the dual is not known, and a round by itself, between two gaps, then tells nothing: it takes
// its two own values and one of each neighbour, and those that the round before or the one after adds, one own and
// again one of each. A value is seen with q = 1 − m^V, V being the neighbours that it is sent to.
func tellingLaw(n *record.Placement) (words string, share func(m float64) float64) {
	near := make([][]int, n.Nodes)
	for _, e := range n.Edges {
		near[e[0]], near[e[1]] = append(near[e[0]], e[1]), append(near[e[1]], e[0])
	}
	words = "2q_i³s² − q_i⁴s³, s the product of the neighbours' q, q = 1 − m^V for V neighbours, mean over the nodes"
	if v := len(near[0]); !slices.ContainsFunc(near, func(of []int) bool { return len(of) != v }) && v == 4 {
		words = "2q¹¹ − q¹⁶, q = 1 − m⁴"
	}
	return words, func(m float64) (mean float64) {
		seen := func(i int) float64 { return 1 - math.Pow(m, float64(len(near[i]))) }
		for i, of := range near {
			q, s := seen(i), 1.0
			for _, j := range of {
				s *= seen(j)
			}
			mean += (2*q*q*q*s*s - q*q*q*q*s*s*s) / float64(len(near))
		}
		return mean
	}
}

func networkStudy(b *reproduce.Workbench) error { return overheard(b, "network.latency.sigma=%g") }

// overheard is the study with a change that makes latencies vary, by σ.
func overheard(b *reproduce.Workbench, jitter string) error {
	const file, attack = "attacked-network.yaml", "kkt-rounds"
	const everyone = "adversary.knows.victim=all"
	setting := func(format string) func(v float64) []string {
		return func(v float64) []string { return []string{everyone, fmt.Sprintf(format, v)} }
	}
	sigmas, losses := []float64{0, 0.5, 1, 2}, []float64{0, 0.1, 0.2, 0.3, 0.4}
	_, jittered, err := attackEach(b, "jitter of latencies", file, sigmas, setting(jitter), attack)
	if err != nil {
		return err
	}
	lossLine, lossy, err := attackEach(b, "packets that the network loses", file, losses, setting("network.loss=%g"),
		attack)
	if err != nil {
		return err
	}
	base := count(findings(attack, lossy[0]), everyRound)
	final := len(losses) - 1
	b.State("in synchronous rounds neither latency nor loss on the network changes anything for an eavesdropper",
		reproduce.Assess(sameEstimates(attack, append(slices.Clone(jittered), lossy...))),
		"log-normal σ = 0 … 2 and loss 0 … 40 %%: the estimates for %d nodes are the same to the bit, error %.3g "+
			"(%.3g to %.3g): a node waits for every value, and what was lost is sent again (%d packets arrive, of %d "+
			"sent, in place of %d)",
		len(base.errors), base.median, base.errors[0], base.largest, lossy[final].Sight.Packets, lossy[final].Sight.Of,
		lossy[0].Sight.Packets)

	misses := []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}
	missLine, missed, err := attackEach(b, "packets that escape the observer", file, misses,
		setting("adversary.view.miss=%g"), attack)
	if err != nil {
		return err
	}
	words, told := tellingLaw(&lossy[0].Placement)
	whole, law := plot.Line{Label: "rounds that tell"}, plot.Line{Label: "50 (" + words + ")"}
	// One value of which all copies escape costs six rounds of ten nodes in turn, so that a single run tells little.
	const seeds = 5
	far := 0.0
	for k, m := range misses {
		n, expected := used(findings(attack, missed[k]))/seeds, 50*told(m)
		for seed := 2; seed <= seeds; seed++ {
			a, err := b.Attack(false, file, everyone, fmt.Sprintf("adversary.view.miss=%g", m),
				fmt.Sprintf("seeds.first=%d", seed))
			if err != nil {
				return err
			}
			n += used(findings(attack, a)) / seeds
		}
		whole.X, whole.Y = append(whole.X, m), append(whole.Y, n)
		law.X, law.Y = append(law.X, m), append(law.Y, expected)
		far = math.Max(far, math.Abs(n-expected))
	}
	half, most := slices.Index(misses, 0.5), len(misses)-1
	at := func(k int) tally { return count(findings(attack, missed[k]), everyRound) }
	b.State("packets that escape the observer cost it rounds, but few: a round is lost where every copy of one of "+
		"its values, a node's two and one a neighbour, escapes, or where that is so of the rounds before and after it",
		reproduce.Assess(far < 2),
		"rounds of 50 that tell something, mean over %d victims and five seeds: a tenth of the packets escape: %.1f, "+
			"half: %.1f, 70 %%: %.1f; %s of 50 is at most %.2g rounds off",
		len(base.errors), whole.Y[1], whole.Y[half], whole.Y[most], words, far)
	one := used(findings(attack, missed[half])) // of the run of which errors are given
	b.State("a missed round costs more than itself: the dual is not known from then on",
		reproduce.Assess(at(half).median > base.median*1.1*math.Sqrt(50/one)),
		"half of the packets escape: error %.3g (%.3g to %.3g) from %.1f rounds, in place of %.3g; from as many "+
			"rounds without a gap it would be about %.3g",
		at(half).median, at(half).errors[0], at(half).largest, one, base.median,
		base.median*math.Sqrt(50/one))
	still := at(half)
	b.State("what the observer works out is worth something as long as it beats a guess from the rows that it knows "+
		"anyway: where half of the packets escape it does not",
		reproduce.Assess(base.better == len(base.errors) && still.median > still.guess),
		"all packets: %s; half of them escape, error %.3g: %s", base.beside(), still.median, still.beside())
	retold, err := b.Attack(false, file, everyone, "adversary.view.miss=0.5", "network.loss=0.4")
	if err != nil {
		return err
	}
	again := count(findings(attack, retold), everyRound)
	b.State("loss on the network does not protect from an observer that packets escape either",
		reproduce.Assess(used(findings(attack, retold)) >= one),
		"loss 40 %%, half of the packets escape: %.1f rounds, error %.3g (%.3g to %.3g); without loss %.1f, %.3g",
		used(findings(attack, retold)), again.median, again.errors[0], again.largest, one, at(half).median)

	silent := func(v float64) []string {
		return []string{everyone, "algorithm.noise=off", fmt.Sprintf("adversary.view.miss=%g", v)}
	}
	_, quiet, err := attackEach(b, "no noise", file, misses, silent, attack)
	if err != nil {
		return err
	}
	worst, victims, exact := 0.0, 0, 0
	for _, a := range quiet {
		t := count(findings(attack, a), everyRound)
		worst, victims, exact = math.Max(worst, t.largest), victims+len(t.errors), exact+t.exact
	}
	b.State("without noise escaping packets do not help: one round seen whole is enough",
		reproduce.Assess(exact == victims), "up to 70 %% of the packets escape: exact for %s victims, largest error "+
			"%.2g", of(exact, victims), worst)

	alphas := []float64{100000, 30000, 10000, 3000, 1000, 300, 100, 10}
	noise, noisy, err := attackEach(b, "noise", file, alphas, setting("algorithm.alpha=%g"), attack)
	if err != nil {
		return err
	}
	noise.Label = "all packets"
	half5 := plot.Line{Label: "half of the packets escape"}
	for k, alpha := range alphas {
		a, err := b.Attack(false, file, everyone, fmt.Sprintf("algorithm.alpha=%g", alpha), "adversary.view.miss=0.5")
		if err != nil {
			return err
		}
		claimed := claimedLossUpTo(noisy[k], 50)
		noise.X[k] = claimed
		point(&half5, claimed, count(findings(attack, a), everyRound))
	}
	n := len(alphas)
	b.State("noise is what stops it", reproduce.Assess(noise.Y[0] < 0.1 && noise.Y[n-1] > 0.9),
		"median error at a claimed loss of %.3g: %.3g; %.3g: %.3g; %.3g: %.3g; %.3g: %.3g; of a guess without "+
			"messages %.3g", noise.X[0], noise.Y[0], noise.X[2], noise.Y[2], noise.X[4], noise.Y[4], noise.X[n-1],
		noise.Y[n-1], base.guess)

	b.Draw("noise", plot.Chart{Title: "error against noise", X: plot.Log("claimed loss β of 50 rounds"),
		Y: plot.Log("error of the estimate, relative"), Lines: []plot.Line{noise, half5,
			base.guessing(noise.X[0], noise.X[n-1])}})
	b.Draw("packets", plot.Chart{Title: "packets lost by the network, and by the observer",
		X: plot.Linear("share of packets"), Y: plot.Linear("error of the estimate, relative"),
		Lines: []plot.Line{missLine, lossLine, base.guessing(0, misses[most])}})
	b.Draw("rounds", plot.Chart{Title: "rounds of which the observer saw all that it needs",
		X: plot.Linear("share m of packets that escape"), Y: plot.Linear("rounds, mean over victims"),
		Lines: []plot.Line{whole, law}})

	// The report: one victim, by the share that escapes.
	b.Vary("share of packets that escape", misses)
	for _, m := range misses {
		if _, err := b.Attack(true, file, fmt.Sprintf("adversary.view.miss=%g", m)); err != nil {
			return err
		}
	}
	return nil
}

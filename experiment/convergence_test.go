// Runs say whether they came to the optimum, defaults bring them there, and a run that
// diverges is kept and named.

package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
)

// shipped is a scenario that comes with the program, changed.
func shipped(t *testing.T, file string, sets ...string) *experiment.Experiment {
	t.Helper()
	s, err := scenarios.LoadShipped(file, sets...)
	if err != nil {
		t.Fatal(err)
	}
	return experiment.New(s, "")
}

func measured(t *testing.T, e *experiment.Experiment) *record.Info {
	t.Helper()
	info, _, err := e.Measure(context.Background(), 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// With no penalty given, ADMM's test error is within 2 points of the least over a grid of
// seven penalties, and its distance below 0.02 or within 4 times the least.
func TestComputedPenalty_IsNearTheBestOfAGrid(t *testing.T) {
	if testing.Short() {
		t.Skip("runs 100 scenarios")
	}
	small := "network.topology={kind: watts-strogatz, nodes: 10, nearest: 4, rewire: 0.2}"
	cases := [][]string{{small}, {small, "problem.rho=0.22"}, {small, "problem.loss=huber-hinge"},
		{small, "problem.loss=squared"}, {"network.topology={kind: ring, nodes: 10}"},
		{"network.topology={kind: ring, nodes: 30}"}, {"network.topology={kind: complete, nodes: 10}"},
		{"network.topology={kind: star, nodes: 12}"}, {"network.topology={kind: path, nodes: 8}"},
		{"network.topology={kind: random-regular, nodes: 20, degree: 4}"},
		{small, "problem.data={set: twonorm, rows: 900}"}, {small, "problem.data={set: waveform, rows: 900}"},
		{small, "problem.data={set: census, rows: 900}"},
		{small, "problem.data=german"}, {small, "problem.data=splice"}, {small, "problem.data=image"}}
	ran := 0
	for _, sets := range cases {
		ending := func(eta string) *record.Info {
			info, _, err := shipped(t, "quickstart.yaml", append(sets, "algorithm.eta="+eta)...).Measure(
				context.Background(), 1, 2)
			if err != nil && strings.Contains(err.Error(), "is not in") {
				return nil // the data are not at hand
			}
			if err != nil {
				t.Fatal(err)
			}
			return info
		}
		own := ending("auto")
		if own == nil {
			continue
		}
		ran++
		if len(own.Computed) != 1 || own.Computed[0].Key != "eta" {
			t.Errorf("%v: computed %v", sets, own.Computed)
		}
		least, closest := math.Inf(1), math.Inf(1)
		for _, eta := range []string{"0.0003", "0.001", "0.003", "0.01", "0.03", "0.1", "0.5"} {
			i := ending(eta)
			least = math.Min(least, float64(i.Final.TestError))
			closest = math.Min(closest, float64(i.Final.Distance))
		}
		if got := float64(own.Final.TestError); !(got <= least+0.02) {
			t.Errorf("%v: eta %v ends at a test error of %.3g, the best of the grid at %.3g", sets,
				own.Computed[0].Value, got, least)
		}
		if got := float64(own.Final.Distance); !(got <= math.Max(0.02, 4*closest)) {
			t.Errorf("%v: eta %v ends at a distance of %.3g, the best of the grid at %.3g", sets, own.Computed[0].Value,
				got, closest)
		}
	}
	if ran < 13 {
		t.Errorf("only %d cases", ran)
	}
}

// However small the ridge, and before the run is at its end, the computed penalty is near the
// best: its distance is at most 5 times the least over a grid of penalties, where that is not
// converged anyhow.
func TestComputedPenalty_OfSmallRidges(t *testing.T) {
	if testing.Short() {
		t.Skip("runs 160 scenarios")
	}
	const converged = 1e-3
	for _, c := range []struct{ data, topology, algorithm string }{
		{"wdbc", "{kind: ring, nodes: 20}", "admm"},
		{"{set: twonorm, rows: 600}", "{kind: ring, nodes: 5}", "dvp, noise: off"},
		{"{set: twonorm, rows: 600}", "{kind: complete, nodes: 20}", "penalty-perturbation, noise: off"},
		{"{set: twonorm, rows: 600}", "{kind: random-regular, nodes: 20, degree: 4}", "edge-admm"},
	} {
		for _, rho := range []string{"1e-2", "1e-4", "1e-5", "1e-8"} {
			distance := func(eta string) float64 {
				i := measured(t, shipped(t, "quickstart.yaml", "problem.data="+c.data, "problem.rho="+rho,
					"network.topology="+c.topology, "rounds.count=100", "record.rates=off",
					"algorithm={kind: "+c.algorithm+", eta: "+eta+"}"))
				return math.Max(converged, float64(i.Final.Distance))
			}
			own, best := distance("auto"), math.Inf(1)
			for _, eta := range []string{"3e-6", "1e-5", "3e-5", "1e-4", "3e-4", "1e-3", "3e-3", "1e-2", "3e-2"} {
				best = math.Min(best, distance(eta))
			}
			if !(own <= 5*best) {
				t.Errorf("%v, rho %s: ends at a distance of %.3g, the best of the grid at %.3g", c, rho, own, best)
			}
		}
	}
}

// Amid noise, too, the computed penalty is near the best of a grid over five decades: what
// the run ends above the optimum by is at most 3 times the least and 1.4 times in the mean,
// and its test error at most 7 points above the least and 3 points in the mean. A rule that
// does not know how great the noise is ended hundreds of times above the least.
func TestComputedPenalty_AmidNoiseIsNearTheBestOfAGrid(t *testing.T) {
	if testing.Short() {
		t.Skip("runs 300 scenarios")
	}
	ring, regular := "{kind: ring, nodes: 5}", "{kind: random-regular, nodes: 20, degree: 4}"
	complete := "{kind: complete, nodes: 10}"
	cases := []struct {
		algorithm, data, topology, rho, epsilon string // no epsilon: the noise is given
		rounds                                  int
	}{
		{"dvp", "{set: twonorm, rows: 400, dimension: 10}", ring, "0.01", "5", 20},
		{"dvp, alpha: {initial: 1, ratio: 1.1}", "{set: ringnorm, rows: 4000}", ring, "0.01", "20", 20},
		{"dvp, alpha: 5", "wdbc", ring, "0.02", "", 20},
		{"pvp", "{set: twonorm, rows: 4000}", regular, "0.1", "5", 20},
		{"pvp", "{set: census, rows: 2000}", ring, "0.01", "20", 20},
		{"proximal-admm", "wdbc", ring, "0.02", "100", 100},
		{"proximal-admm, tau: 0.1", "{set: twonorm, rows: 900}", complete, "0.05", "30", 40},
		{"penalty-perturbation", "{set: waveform, rows: 4000}", regular, "0.05", "100", 100},
		{"penalty-perturbation", "{set: twonorm, rows: 400}", ring, "0.01", "10", 50},
		{"private-r-admm", "{set: twonorm, rows: 400, dimension: 10}", ring, "0.01", "20", 20},
		{"private-r-admm, alpha: 30", "{set: waveform, rows: 1000}", ring, "0.05", "", 20},
		{"private-mr-admm", "{set: census, rows: 4000}", ring, "0.01", "20", 40},
		{"pdml, deviation: 0.1", "{set: twonorm, rows: 400}", ring, "0.01", "", 100},
		{"pdml, deviation: 0.1", "{set: ringnorm, rows: 4000}", ring, "0.01", "", 20},
	}
	moreTotal, timesTotal := 0.0, 0.0
	for _, c := range cases {
		sets := []string{"problem.data=" + c.data, "problem.rho=" + c.rho, "problem.train=0.5",
			"network.topology=" + c.topology, fmt.Sprintf("rounds.count=%d", c.rounds), "record.rates=off"}
		if c.epsilon != "" {
			sets = append(sets, "privacy.epsilon="+c.epsilon)
		}
		const seeds = 2
		ending := func(eta string) (excess, testError, used float64, ok bool) {
			for seed := range uint64(seeds) {
				info, _, err := shipped(t, "quickstart.yaml", append(sets, "algorithm={kind: "+c.algorithm+", eta: "+
					eta+"}")...).Measure(context.Background(), seed+1, 2)
				if err != nil && eta != "auto" &&
					(strings.Contains(err.Error(), "algorithm.eta grows") || strings.Contains(err.Error(), "2c₁ <")) {
					return 0, 0, 0, false // no noise brings the claim to the target with this penalty
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, computed := range info.Computed {
					if computed.Key == "eta" {
						used = computed.Value
					}
				}
				excess += float64(info.Final.Objective-info.Reference.Objective) / seeds
				testError += float64(info.Final.TestError) / seeds
			}
			return excess, testError, used, true
		}
		excess, testError, used, _ := ending("auto")
		least, lowest := math.Inf(1), math.Inf(1)
		for _, eta := range []string{"0.0003", "0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1", "3", "10", "30"} {
			if e, te, _, ok := ending(eta); ok {
				least, lowest = math.Min(least, e), math.Min(lowest, te)
			}
		}
		if !(excess <= 3*least) || !(testError <= lowest+0.07) {
			t.Errorf("%v: eta %v ends %.3g above the optimum at a test error of %.3g, the best of the grid at %.3g "+
				"and %.3g", c, used, excess, testError, least, lowest)
		}
		t.Logf("%v: eta %v: %.3g of %.3g, %.3g of %.3g", c, used, excess, least, testError, lowest)
		moreTotal += (testError - lowest) / float64(len(cases))
		timesTotal += excess / least / float64(len(cases))
	}
	if !(moreTotal <= 0.03) || !(timesTotal <= 1.4) {
		t.Errorf("in the mean %.2f times the least above the optimum, and %.3g more test error", timesTotal, moreTotal)
	}
}

// Ten columns, 400 rows, ε = 5 over 20 rounds: what noise takes of the test error is what it
// takes with the best penalty, and not a hundred times that of a penalty which is too small.
func TestComputedPenalty_OfFewRowsAmidNoise(t *testing.T) {
	mean := func(eta string) (testError, excess float64) {
		const seeds = 10
		for seed := range uint64(seeds) {
			i, _, err := shipped(t, "quickstart.yaml", "problem.data={set: twonorm, rows: 400, dimension: 10}",
				"problem.rho=0.01", "network.topology={kind: ring, nodes: 5}", "rounds.count=20", "record.rates=off",
				"privacy.epsilon=5", "algorithm={kind: dvp, eta: "+eta+"}").Measure(context.Background(), seed+1, 2)
			if err != nil {
				t.Fatal(err)
			}
			testError += float64(i.Final.TestError) / seeds
			excess += float64(i.Final.Objective-i.Reference.Objective) / seeds
		}
		return testError, excess
	}
	testError, excess := mean("auto")
	bestError, _ := mean("1")
	_, bestExcess := mean("0.2")
	t.Logf("%.3g of %.3g, %.3g of %.3g", testError, bestError, excess, bestExcess)
	if !(testError <= bestError+0.03) || !(excess <= 1.2*bestExcess) {
		t.Errorf("test error %.3g and %.3g above the optimum, with the best penalties %.3g and %.3g", testError, excess,
			bestError, bestExcess)
	}
}

// The other methods with nothing given: none diverges, and each learns more than to say
// the more frequent class.
func TestComputedSteps_OfEveryMethodLearn(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		sets      []string
		most      float64 // test error
	}{
		{"m-admm", nil, 0.09}, {"r-admm", nil, 0.09}, {"mr-admm", nil, 0.09}, {"edge-admm", nil, 0.09},
		{"proximal-admm, noise: off", nil, 0.09}, {"dgd", nil, 0.1}, {"dgd, decay: none", nil, 0.1},
		{"dvp", nil, 0.15}, {"pvp", nil, 0.15}, {"proximal-admm", nil, 0.15}, {"pdml", nil, 0.15},
		{"private-dgd", nil, 0.15},
		{"dp-admm, noise: off", []string{"network.topology={kind: star, nodes: 11}"}, 0.1},
		{"dp-admm", []string{"network.topology={kind: star, nodes: 11}"}, 0.15},
		{"admm-sharing, loss: sum", []string{"network.topology={kind: star, nodes: 4}",
			"problem.columns=[11, 10, 10]"}, 0.06},
		{"admm-sharing, form: averaged, loss: sum", []string{"network.topology={kind: star, nodes: 4}",
			"problem.columns=[11, 10, 10]"}, 0.06},
		{"fdml-sgd, loss: sum", []string{"network.topology={kind: star, nodes: 4}", "problem.columns=[11, 10, 10]"},
			0.1},
	} {
		i := measured(t, shipped(t, "quickstart.yaml", append(c.sets, "algorithm={kind: "+c.algorithm+"}")...))
		if i.Convergence.State == record.Diverging || !(float64(i.Final.TestError) <= c.most) || len(i.Computed) == 0 {
			t.Errorf("%s, %v: %s, test error %.3g (always the larger class: %.3g)", c.algorithm, i.Computed,
				i.Convergence.State, float64(i.Final.TestError), float64(i.BaseError))
		}
	}
}

// The quickstart with the penalty that used to be the default says what is wrong and what
// to change; with the computed one it has converged.
func TestConvergence_IsSaidWithWhatToChange(t *testing.T) {
	slow := measured(t, shipped(t, "quickstart.yaml", "algorithm.eta=0.5"))
	if c := slow.Convergence; c.State != record.Moving || c.More < 1000 ||
		!strings.Contains(c.Advice, "eta: auto, which is 0.0024 here (it is 0.5)") {
		t.Errorf("%+v", c)
	}
	if good := measured(t, shipped(t, "quickstart.yaml", "algorithm.eta=auto")); good.Convergence.State !=
		record.Converged || good.Convergence.Advice != "" {
		t.Errorf("%+v", good.Convergence)
	}
	if elsewhere := measured(t, shipped(t, "mr-admm-drift.yaml")); elsewhere.Convergence.State != record.AtRest {
		t.Errorf("%+v", elsewhere.Convergence)
	}
	i := slow
	if got := float64(i.BaseError); !(math.Abs(got-44.0/114) <= 1e-12) {
		t.Errorf("always the larger class errs at %v", got)
	}
	if r := i.Ridge; r == nil || r.Weight != 0.02 || !(r.SmallerLoss < r.Loss) ||
		!(float64(r.SmallerTestError) < float64(i.Reference.TestError)) || !(math.Abs(float64(r.Loss)-0.2863) <= 1e-3) {
		t.Errorf("%+v", r)
	}
}

// Without a ridge the computed penalty can be slower than the one at hand, by these runs: it is not what to change
// then.
func TestConvergence_RecommendsNoComputedPenaltyWithoutARidge(t *testing.T) {
	rows := []string{"problem.data={set: twonorm, rows: 600, dimension: 6}", "problem.train=300", "problem.rho=0",
		"rounds.count=300"}
	columns := append(slices.Clone(rows), "problem.columns=[2, 2, 2]", "problem.scale.intercept=false",
		"network.topology={kind: star, nodes: 4}")
	for _, c := range []struct {
		sets   []string
		loss   string
		method string // with an eta that is faster than the computed one
		eta    string
	}{
		{rows, "logistic", "kind: proximal-admm, noise: off", "0.0001"},
		{rows, "huber-hinge", "kind: proximal-admm, noise: off", "0.001"},
		{rows, "squared", "kind: proximal-admm, noise: off", "1"},
		{columns, "logistic", "kind: admm-sharing, form: jacobi", "0.0003"},
		{columns, "huber-hinge", "kind: admm-sharing, form: averaged", "0.0003"},
	} {
		run := func(eta string) *record.Info {
			return measured(t, shipped(t, "wdbc-ring.yaml", append(slices.Clone(c.sets), "problem.loss="+c.loss,
				"algorithm={"+c.method+", eta: "+eta+"}")...))
		}
		own, auto := run(c.eta), run("auto")
		if !(own.Final.Distance < auto.Final.Distance) {
			t.Errorf("%s, %s: distance %v, with the computed penalty %v", c.loss, c.method, own.Final.Distance,
				auto.Final.Distance)
		}
		for _, i := range []*record.Info{own, auto} {
			if i.Convergence.State == record.Moving && (strings.Contains(i.Convergence.Advice, "eta: auto") ||
				!strings.Contains(i.Convergence.Advice, "another eta, ten times as great and a tenth")) {
				t.Errorf("%s, %s: %s", c.loss, c.method, i.Convergence.Advice)
			}
		}
	}
}

// No number of rounds is said where the trend does not go on: amid noise, with steps that
// fall, with penalties that grow or are longer in a longer run, or where the limit is not
// the optimum. Where it does, it is said, and no fewer are enough.
func TestConvergence_CountsRoundsOnlyOfATrendThatGoesOn(t *testing.T) {
	const asynchronous = "rounds={mode: asynchronous, count: 40}"
	for _, c := range []struct {
		algorithm string
		sets      []string
		counted   bool
	}{
		{"admm, eta: 0.01", nil, true},
		{"edge-admm, eta: 0.03", nil, true},
		{"admm, eta: 0.03", []string{asynchronous}, false},
		{"dgd", nil, false},
		{"dvp, eta: 0.5, alpha: 100", nil, false},
		{"m-admm, eta: {initial: 0.01, ratio: 1.02}, theta: 0.01", nil, false},
		{"pdml, noise: off, eta: 0.03", nil, false},
	} {
		sets := append([]string{"rounds.count=60", "algorithm={kind: " + c.algorithm + "}"}, c.sets...)
		i := measured(t, shipped(t, "quickstart.yaml", sets...))
		got := i.Convergence
		said := strings.Contains(got.Advice, "rounds more")
		if said != c.counted || (got.More > 0) != c.counted {
			t.Errorf("%v: %+v", sets, got)
		}
		if c.counted {
			before := measured(t, shipped(t, "quickstart.yaml", append(sets, fmt.Sprintf("rounds.count=%d",
				60+got.More-got.More/10))...))
			if before.Convergence.State != record.Moving {
				t.Errorf("%v: %d rounds more, but before that %+v", sets, got.More, before.Convergence)
			}
		}
	}
}

// A ridge under which the optimum says the larger class always is warned of, with what a
// smaller one gives; one that is small enough is not.
func TestRidge_ThatOutweighsTheDataIsWarnedOf(t *testing.T) {
	for _, c := range []struct {
		sets []string
		want string
	}{
		{[]string{"problem.rho=2"}, "the ridge outweighs the data (problem.rho: 2), try a smaller one: with 0.02 the " +
			"optimum errs in 7.89 %"},
		{[]string{"problem.rho=0.02"}, ""},
		{[]string{"problem.data={set: twonorm, rows: 100}", "problem.rho=0.02"}, ""},
		{[]string{"problem.rho=0.4", "problem.columns=[11, 10, 10]", "network.topology={kind: star, nodes: 4}",
			"algorithm={kind: admm-sharing, form: averaged}"}, "the ridge outweighs the data (problem.rho: 0.4)"},
		{[]string{"problem.rho=0.0001", "problem.l1=20"}, "; nor has it with a ridge of 1e-06: the ridge " +
			"(problem.rho: 0.0001) or the ℓ1 norm (problem.l1: 20) may outweigh the data"},
		{[]string{"problem.rho=0.0001", "problem.set={kind: box, lower: 5, upper: 6}"}, "the ridge (problem.rho: " +
			"0.0001) or the box (problem.set) may outweigh the data"},
	} {
		i := measured(t, shipped(t, "quickstart.yaml", append(c.sets, "rounds.count=3")...))
		said := strings.Join(i.Warnings, "\n")
		if c.want == "" && strings.Contains(said, "learned nothing") || !strings.Contains(said, c.want) {
			t.Errorf("%v: optimum errs in %v, the larger class in %v: %q", c.sets, i.Reference.TestError, i.BaseError,
				said)
		}
	}
}

// A high quantile lies far from the mean, which is no sign that nothing was learnt.
func TestWarnings_QuantilesAreNotHeldAgainstTheMean(t *testing.T) {
	i := measured(t, shipped(t, "regression.yaml", "problem.data.rows=2000", "problem.scale.intercept=true",
		"problem.rho=0.001", "rounds.count=3", "problem.loss={kind: quantile, width: 0.05, level: 0.99}",
		"algorithm={kind: admm}", "privacy={}"))
	if r := float64(i.Reference.Fit.TestR2); !(r < 0) {
		t.Fatalf("the optimum has R² %v", r)
	}
	if said := strings.Join(i.Warnings, "\n"); strings.Contains(said, "mean of their targets") {
		t.Error(said)
	}
}

// The computed step of gradient descent falls as noise grows, so that more rounds that share a target do not drive the
// run away: its objective ends at most 3 times as far above the optimum as with the best step of a grid, and no
// farther than 1.5 times the zero vector is.
// A quantile's own width predicts it; one that is wide against the spread of the targets does not, and is warned of
// with the share that is below, as is a ridge. With the width that is advised it is predicted.
func TestWarnings_OfOptimaThatAreNotTheQuantile(t *testing.T) {
	const loss = "problem.loss={kind: quantile, level: 0.9"
	for _, c := range []struct {
		sets []string
		want string
	}{
		{[]string{loss + "}"}, ""},
		{[]string{loss + ", width: 2}"}, "its width, 2 of the scaled target, is not small"},
		{[]string{loss + ", width: 0.03}"}, ""},
		{[]string{loss + "}", "problem.rho=5"}, "the ridge (problem.rho: 5) may outweigh the data"},
	} {
		sets := append([]string{"problem.data.rows=2000", "problem.train=1000", "problem.rho=0.001", "rounds.count=3",
			"problem.scale.intercept=true", "algorithm={kind: admm}", "privacy={}"}, c.sets...)
		i := measured(t, shipped(t, "regression.yaml", sets...))
		fit := i.Reference.Fit
		if near := math.Abs(float64(fit.Covered)-0.9) <= 0.02 && math.Abs(float64(fit.TestCovered)-0.9) <= 0.04; near !=
			(c.want == "") || i.Level != 0.9 {
			t.Errorf("%v: %+v", c.sets, fit)
		}
		said := strings.Join(i.Warnings, "\n")
		if !strings.Contains(said, c.want) || strings.Contains(said, "is not the 0.9 quantile") != (c.want != "") {
			t.Errorf("%v: %q", c.sets, said)
		}
	}
}

func TestComputedStep_AmidNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and other tests run the same code")
	}
	for _, data := range []string{"{set: twonorm, rows: 400, dimension: 10}", "wdbc"} {
		for _, rounds := range []int{20, 320} {
			excess := func(step string) float64 {
				sum := 0.0
				for seed := range uint64(2) {
					info, _, err := shipped(t, "quickstart.yaml", "problem.data="+data, "problem.rho=0.01",
						"network.topology={kind: ring, nodes: 5}", fmt.Sprintf("rounds.count=%d", rounds),
						"record.rates=off", "privacy.epsilon=5", "algorithm={kind: private-dgd, step: "+step+
							"}").Measure(context.Background(), seed+1, 2)
					if err != nil {
						t.Fatal(err)
					}
					sum += float64(info.Final.Objective-info.Reference.Objective) / 2
				}
				return sum
			}
			least := math.Inf(1)
			for _, step := range []string{"0.01", "0.03", "0.1", "0.3", "1", "3", "10", "30"} {
				least = min(least, excess(step))
			}
			zero := 5 * math.Ln2
			if got := excess("auto"); !(got <= 3*least) || !(got <= 1.5*zero) {
				t.Errorf("%s, %d rounds: %.3g above the optimum, the best of the grid %.3g, the zero vector at most "+
					"%.3g", data, rounds, got, least, zero)
			}
		}
	}
}

// With more rounds, noise that is chosen for a target over the run grows in each: they are not advised, as they are
// where the target is one of every round.
func TestConvergence_AdvisesNoRoundsThatShareATarget(t *testing.T) {
	for target, want := range map[string]bool{"{epsilon: 2000}": false, "{epsilon: 50, over: round}": true} {
		i := measured(t, shipped(t, "quickstart.yaml", "algorithm={kind: dvp, eta: 2}", "rounds.count=40",
			"privacy="+target))
		c := i.Convergence
		if c.State != record.Moving || strings.Contains(c.Advice, "more rounds (rounds.count)") != want ||
			strings.Contains(c.Advice, "less noise (privacy.epsilon)") == want {
			t.Errorf("%s: %s, try %q", target, c.State, c.Advice)
		}
	}
}

// Amid noise the penalty that would be computed may be worse than the one that is given, so
// it is not advised; without noise it is.
func TestConvergence_AdvisesNoComputedPenaltyAmidNoise(t *testing.T) {
	for noise, want := range map[string]bool{"on": false, "off": true} {
		for _, sets := range [][]string{
			{"algorithm={kind: dvp, eta: 2, alpha: 50, noise: " + noise + "}", "rounds.count=40"},
			{"algorithm={kind: penalty-perturbation, eta: 2, alpha: 5000, noise: " + noise + "}", "rounds.count=40"},
		} {
			i := measured(t, shipped(t, "quickstart.yaml", sets...))
			c := i.Convergence
			if c.State != record.Moving || strings.Contains(c.Advice, "auto") != want {
				t.Errorf("%v: %s, try %q", sets, c.State, c.Advice)
			}
		}
	}
}

func TestWarnings_OfRunsWorseThanNoModel(t *testing.T) {
	const text = "the run ends worse than no model: "
	for _, c := range []struct {
		sets []string
		want []string // nothing: the run is not warned of
	}{
		{[]string{"algorithm={kind: dvp, eta: 0.05, alpha: 0.001}"}, []string{"its training loss is ",
			"zero vector 0.693", "it errs in ", "saying the larger class always in ", "its noise is too much"}},
		{[]string{"algorithm={kind: admm, eta: 0.01}"}, nil},
		{[]string{"problem.columns=[11, 10, 10]", "network.topology={kind: star, nodes: 4}",
			"algorithm={kind: admm-sharing, form: averaged}"}, nil},
		{[]string{"problem.columns=[11, 10, 10]", "network.topology={kind: star, nodes: 4}",
			"algorithm={kind: private-admm-sharing, form: averaged, noise: ambient, sigma: 1000}"},
			[]string{"its training loss is ", "zero vector 0.693"}},
	} {
		i := measured(t, shipped(t, "quickstart.yaml", append(c.sets, "rounds.count=20")...))
		said := strings.Join(i.Warnings, "\n")
		if strings.Contains(said, text) != (c.want != nil) {
			t.Errorf("%v: loss %v, test error %v: %q", c.sets, i.Final.Loss, i.Final.TestError, i.Warnings)
		}
		for _, want := range c.want {
			if !strings.Contains(said, want) {
				t.Errorf("%v: no %q in %q", c.sets, want, i.Warnings)
			}
		}
	}
}

// Where all test rows are of one class, test error says nothing, and that is said.
func TestWarnings_OfTestRowsOfOneClass(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("a,b,class\n")
	for k := range 400 {
		class := "no"
		if k%60 == 0 && k < 300 {
			class = "yes"
		}
		fmt.Fprintf(&rows, "%v,%v,%s\n", float64(k*k%97), float64(k*31%89), class)
	}
	file := filepath.Join(t.TempDir(), "rare.csv")
	if err := os.WriteFile(file, []byte(rows.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for train, warned := range map[int]bool{310: true, 200: false} { // the last row of class yes is the 241st
		i := measured(t, shipped(t, "quickstart.yaml", "rounds.count=2", "problem.order=file",
			fmt.Sprintf("problem.train=%d", train), "problem.data={csv: "+file+", label: class, positive: \"yes\"}"))
		said := strings.Join(i.Warnings, "\n")
		want := fmt.Sprintf("all %d test rows are of class -1: test error says nothing", 400-train)
		if (i.BaseError == 0) != warned || strings.Contains(said, want) != warned {
			t.Errorf("%d training rows, base error %v: %q", train, i.BaseError, i.Warnings)
		}
	}
}

// A run that diverges, with rows or columns split, stopped or not: its directory is
// complete up to there, repeats, and says so.
func TestDiverged_RunIsKept(t *testing.T) {
	for _, c := range []struct {
		name    string
		e       *experiment.Experiment
		stopped bool
	}{
		{"columns", shipped(t, "sharing-diverges.yaml"), true},
		{"rows, to overflow", shipped(t, "quickstart.yaml", "algorithm={kind: dgd, step: 1e99, decay: none}",
			"problem.loss=squared"), true},
		{"rows", shipped(t, "quickstart.yaml", "algorithm={kind: m-admm, eta: 0.001, theta: 0.02}",
			"rounds.count=60"), false},
	} {
		r := run(t, c.e, experiment.Options{})
		got := r.Info.Convergence
		if got.State != record.Diverging || (got.Stopped != "") != c.stopped || got.Advice == "" {
			t.Errorf("%s: %+v", c.name, got)
		}
		if c.stopped && !strings.Contains(got.Stopped, problem.ErrDiverges.Error()) {
			t.Errorf("%s: %q", c.name, got.Stopped)
		}
		table, err := r.Metrics()
		if err != nil || len(table.Rows) != r.Info.Rounds+1 || len(table.Rows) < 2 {
			t.Errorf("%s: %v, %d rounds and %d rows", c.name, err, r.Info.Rounds, len(table.Rows))
		}
		if _, err := experiment.Verify(context.Background(), r, "", experiment.Options{Workers: 2}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if entries, err := os.ReadDir(r.Dir); err != nil || len(entries) < 5 {
			t.Errorf("%s: %v %v", c.name, entries, err)
		}
		if _, _, err := c.e.Measure(context.Background(), 1, 1); c.stopped != errors.Is(err, problem.ErrDiverges) {
			t.Errorf("%s: Measure says %v", c.name, err)
		}
	}
}

// Where duals do not sum to zero the nodes rest away from the optimum, and the warning
// says so; where they do, or there are none, they come to it and nothing is said.
func TestOtherLimits_AreThereWhereTheyAreWarnedOf(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and other tests run the same code")
	}
	const asynchronous = "rounds={mode: asynchronous, count: 1500, quorum: 0.5}"
	const amnesia = "network.faults=[{at: 2s, crash: 3, until: 3s, memory: lost}]"
	// Before the first dual step.
	const early = "network.faults=[{at: 1ms, crash: 3, until: 2ms, memory: lost}]"
	const kept = "network.faults=[{at: 2s, crash: 3, until: 3s, memory: kept}]"
	const star = "network.topology={kind: star, nodes: 11}"
	const gone = "network.faults=[{at: 300ms, leave: 3}]"
	stale := []string{"rounds={count: 600, missing: last, deadline: 100ms, retry: 50ms}", "network.loss=0.1"}
	for _, c := range []struct {
		algorithm string
		sets      []string
		warned    bool
	}{
		{"admm", []string{asynchronous, "compute.speed-spread=0.5"}, true},
		{"admm", []string{amnesia, "rounds.count=1000"}, true},
		{"admm", stale, true},
		{"admm", []string{early, "rounds.count=600"}, false},
		{"m-admm", []string{amnesia, "rounds.count=1000"}, true},
		{"r-admm", []string{asynchronous, "compute.speed-spread=0.5"}, true},
		{"proximal-admm, noise: off", []string{amnesia, "rounds.count=1000"}, true},
		{"admm", []string{kept, "rounds.count=600"}, false},
		{"admm", []string{"network.loss=0.1", "rounds.count=600"}, false},
		{"dp-admm, noise: off", []string{star, asynchronous, "compute.speed-spread=0.5"}, true},
		{"dp-admm, noise: off", []string{star, amnesia, "rounds.count=1000"}, true},
		{"dp-admm, noise: off", []string{star, "rounds.count=1000"}, false},
		{"dgd, decay: none", []string{"rounds.count=1000"}, true},
		{"pdml, noise: off", []string{"rounds.count=1000"}, true},
		{"pdml, noise: off, labels: true", []string{"rounds.count=1000"}, false},
		{"admm", []string{gone, "rounds={count: 600, missing: last, deadline: 100ms}"}, true},
		{"edge-admm", []string{gone, "rounds={count: 600, missing: last, deadline: 100ms}"}, true},
		{"edge-admm", []string{asynchronous, "compute.speed-spread=0.5"}, false},
		{"edge-admm", []string{amnesia, "rounds.count=1000"}, false},
	} {
		i := measured(t, shipped(t, "quickstart.yaml", append(c.sets, "algorithm={kind: "+c.algorithm+"}")...))
		said := strings.Contains(strings.Join(i.Warnings, "\n"), "the limit is not the optimum")
		if strings.Contains(i.Convergence.Advice, "rounds more") && c.warned {
			t.Errorf("%s, %v: a number of rounds to where it does not go: %+v", c.algorithm, c.sets, i.Convergence)
		}
		if elsewhere := float64(i.Final.Distance) > 0.01; said != c.warned || elsewhere != c.warned {
			t.Errorf("%s, %v: warned %v, ends at a distance of %.3g (%s)", c.algorithm, c.sets, said,
				float64(i.Final.Distance), i.Convergence.State)
		}
	}
}

// The least of the compositions is the bound, and it says which that is; all of them are
// there for who asks.
func TestClaim_TheLeastOfAllIsTheBound(t *testing.T) {
	worst := func(alpha string, rounds int) record.Claim {
		i := measured(t, shipped(t, "quickstart.yaml", "algorithm={kind: dvp, eta: 0.03, alpha: "+alpha+"}",
			fmt.Sprintf("rounds.count=%d", rounds)))
		return i.Privacy.Claims[0]
	}
	few, many := worst("1", 5), worst("0.01", 150)
	if few.Bound.By != record.BySum || few.Bound.Delta != 0 || few.Bound.Epsilon != few.Epsilon {
		t.Errorf("%+v", few)
	}
	if many.Bound.By == record.BySum || many.Bound.Delta != many.AtDelta || !(many.Bound.Epsilon < many.Epsilon) {
		t.Errorf("%+v", many)
	}
	for _, c := range []record.Claim{few, many} {
		for _, other := range []record.Number{c.Epsilon, c.Advanced, c.ZCDP, c.RDP} {
			if math.IsNaN(float64(other)) || !(other >= 0.99*c.Bound.Epsilon) {
				t.Errorf("%v is less than the bound %v, or missing", other, c.Bound)
			}
		}
	}
	gaussian := measured(t, shipped(t, "quickstart.yaml", "network.topology={kind: star, nodes: 11}",
		"algorithm={kind: dp-admm}")).Privacy.Claims[0]
	if gaussian.Bound.By != record.ByRenyi || !math.IsNaN(float64(gaussian.Advanced)) {
		t.Errorf("%+v", gaussian)
	}
}

// Numbers beyond what can be computed with are mistakes in words, with a place where there
// is one, and never a trace.
func TestExtremes_AreErrorsInWords(t *testing.T) {
	for _, c := range []struct{ algorithm, want string }{
		{"penalty-perturbation, alpha: 1e-300", "the noise overflows"},
		{"private-r-admm, alpha: 1e-300", "the noise overflows"},
		{"dvp, alpha: 1e-300", "the noise overflows"},
		{"pvp, alpha: 1e-300", "the noise overflows"},
		{"private-dgd, alpha: 1e-300", "the noise overflows"},
		{"pvp, eta: 0.03, alpha: 5e-324", "the noise"},
		{"pvp, eta: 0.03, law: gaussian, alpha: 5e-324", "the noise overflows"},
		{"proximal-admm, eta: 0.03, law: gaussian, alpha: 5e-324", "the noise overflows"},
		{"penalty-perturbation, eta: 0.03, law: gaussian, alpha: 5e-324", "the noise overflows"},
		{"private-r-admm, eta: 0.03, perturbation: gaussian, alpha: 5e-324", "the noise overflows"},
		{"private-r-admm, eta: 0.03, perturbation: output, alpha: 5e-324", "the noise"},
		{"private-mr-admm, eta: 0.03, perturbation: gaussian, alpha: 5e-324", "the noise overflows"},
		{"private-dgd, step: 1, alpha: 5e-324", "the noise"},
		{"dvp, eta: 0.03, alpha: 5e-324", "the noise"},
		{"pdml, eta: 0.03, deviation: 1.7e308", "the noise overflows"},
		{"dp-admm, epsilon: 5e-324", "the noise overflows"},
		{"pdml, deviation: 1e300", "the noise overflows"},
		{"pdml, epsilon: 1e-17", "algorithm.epsilon must be positive, and at least 1e-12"},
		{"admm, eta: 1e-300", "algorithm.eta must be between 1e-100 and 1e+100"},
		{"admm, eta: 5e-324", "algorithm.eta must be between 1e-100 and 1e+100"},
		{"m-admm, eta: 5e-324", "algorithm.eta must be between 1e-100 and 1e+100"},
		{"edge-admm, eta: 1e300", "algorithm.eta must be between 1e-100 and 1e+100"},
		{"dgd, step: 1e300", "algorithm.step must be between 1e-100 and 1e+100"},
		{"admm, eta: 0", "algorithm.eta must be positive, is 0"},
		{"dvp, alpha: auto", "algorithm.alpha must be given; auto is for penalties and steps"},
		{"pdml, decay: auto", "algorithm.decay must be a number, is \"auto\""},
		{"m-admm, eta: {initial: 1e-90, ratio: 0.1}", ""}, // falls out of range: no theorem applies
	} {
		topology := "network.topology.nodes=10"
		if strings.HasPrefix(c.algorithm, "dp-admm") {
			topology = "network.topology={kind: star, nodes: 11}"
		}
		s, err := scenarios.LoadShipped("quickstart.yaml", "rounds.count=30", topology,
			"algorithm={kind: "+c.algorithm+"}")
		if err == nil {
			_, _, err = experiment.New(s, "").Measure(context.Background(), 1, 1)
		}
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || c.want == "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.algorithm, err, c.want)
		}
	}
}

// No step mends a limit that is not the optimum, and none is advised.
func TestConvergence_AdvisesNoStepWhereTheLimitIsElsewhere(t *testing.T) {
	i := measured(t, shipped(t, "mr-admm-drift.yaml", "rounds.count=300",
		"algorithm.eta={nodes: [5, 6, 7, 5, 6, 7, 5, 6, 7, 6]}"))
	if c := i.Convergence; strings.Contains(c.Advice, "auto") || i.Warnings == nil {
		t.Errorf("%+v %q", c, i.Warnings)
	}
	for _, c := range []struct{ rounds, eta, want string }{
		{"{mode: asynchronous, quorum: 0.5, timeout: 100ms, count: 600}", "0.05", "what the warnings say"},
		{"{count: 60}", "0.3", "eta: auto, which is "},
	} {
		i := measured(t, shipped(t, "quickstart.yaml", "rounds="+c.rounds, "algorithm.eta="+c.eta))
		if got := i.Convergence; strings.Contains(c.rounds, "mode") && got.State != record.AtRest ||
			!strings.Contains(got.Advice, c.want) {
			t.Errorf("%s: %+v", c.rounds, got)
		}
	}
}

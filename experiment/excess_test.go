// The excess risk: which runs a bound is stated for, that it holds, and what is measured beside it.

package experiment

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/metrics"
	"overhear/privacy"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

const ofUsers = `name: users
problem: {data: {set: twonorm, rows: 1200, dimension: 3}, train: 400, rho: 2, scale: {rows: clip}}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 30}
algorithm: {kind: pdml, eta: 0.3, epsilon: 2, bound: 0.5, deviation: 0.3}
`

func learnOfUsers(t *testing.T, seed uint64, sets ...string) (*Experiment, *outcome, []record.Excess) {
	t.Helper()
	s, err := scenarios.Parse("users.yaml", []byte(ofUsers), sets...)
	if err != nil {
		t.Fatal(err)
	}
	e := New(s, "")
	out, err := e.complete(context.Background(), seed, Execution{Workers: 2}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e, out, e.excess(out)
}

func TestExcess_IsOfRunsThatTheTheoremCovers(t *testing.T) {
	for _, c := range []struct {
		name  string
		set   []string
		first string // theorem that is named first
		why   string // why none applies; empty: they apply
	}{
		{"noise", nil, "PDML Theorem 1", ""},
		{"noise off", []string{"algorithm.noise=off"}, "PDML Theorem 2", ""},
		{"true labels", []string{"algorithm.labels=true"}, "PDML Theorem 1", ""},
		{"random start", []string{"algorithm.init={normal: 0.1}"}, "PDML Theorem 1", ""},
		{"asynchronous", []string{"rounds.mode=asynchronous"}, "PDML Theorem 1", "lockstep"},
		{"a class a node", []string{"problem.partition=label-skew"}, "PDML Theorem 1", "one distribution"},
		{"order of the file", []string{"problem.order=file"}, "PDML Theorem 1", "one distribution"},
		{"projected", []string{"algorithm.radius=2"}, "PDML Theorem 1", "projected"},
		{"another loss", []string{"algorithm.labels=true", "problem.loss=huber-hinge"}, "PDML Theorem 1", "logistic"},
		{"another weight", []string{"problem.C=2"}, "PDML Theorem 1", "weight"},
		{"long rows", []string{"problem.scale={rows: none, columns: none}"}, "PDML Theorem 1", "norm"},
		{"far off", []string{"algorithm.init={normal: 9}", "rounds.count=1", "algorithm.eta=1000",
			"algorithm.noise=off"}, "PDML Theorem 2", "ball"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, all := learnOfUsers(t, 1, c.set...)
			if len(all) != 2 || all[0].Theorem != c.first || all[0].Of != record.OfAverages ||
				all[1].Of != record.OfOptimum {
				t.Fatalf("%+v", all)
			}
			for k, x := range all {
				if c.why == "ball" && k == 1 {
					continue // the optimum is in it
				}
				bound, terms := float64(x.Bound), x.Terms
				switch {
				case c.why == "" && (x.Applies != "applies" || terms == nil || !(bound > 0)):
					t.Errorf("%s: %+v", x.Theorem, x)
				case c.why != "" && (!strings.Contains(x.Applies, c.why) || !math.IsNaN(bound) || terms != nil):
					t.Errorf("%s: %q, %v", x.Theorem, x.Applies, x.Bound)
				}
				if terms != nil {
					sum := terms.Rademacher + terms.Sampling + terms.Objective + terms.Drift + terms.Start + terms.Noise
					if !(math.Abs(float64(sum-x.Bound)) <= 1e-12*bound) {
						t.Errorf("the terms sum to %v, not to %v", sum, bound)
					}
				}
			}
		})
	}
}

// Bounds hold, and what is measured falls with rows, rounds and less noise, as they say.
func TestExcess_BoundsHold(t *testing.T) {
	mean := func(k int, sets ...string) float64 {
		const seeds = 6
		sum := 0.0
		for seed := range uint64(seeds) {
			_, _, all := learnOfUsers(t, seed+1, sets...)
			x := all[k]
			if !(float64(x.Measured) <= float64(x.Bound)) || !(x.Measured >= 0) {
				t.Errorf("%v, seed %d: %s bounds %v by %v", sets, seed, x.Theorem, x.Measured, x.Bound)
			}
			sum += float64(x.Measured) / seeds
		}
		return sum
	}
	for _, c := range []struct {
		what         string
		of           int
		better, less []string
	}{
		{"rows", 1, []string{"problem.train=800", "algorithm.noise=off"},
			[]string{"problem.train=40", "algorithm.noise=off"}},
		{"rounds", 0, []string{"rounds.count=60"}, []string{"rounds.count=3"}},
		{"noise in the objective", 1, []string{"algorithm.bound=0"}, []string{"algorithm.bound=8"}},
		{"noise of iterates", 0, []string{"algorithm.deviation=0.01"}, []string{"algorithm.deviation=1.5"}},
		{"flips", 1, []string{"algorithm.epsilon=5"}, []string{"algorithm.epsilon=0.2"}},
	} {
		if better, worse := mean(c.of, c.better...), mean(c.of, c.less...); !(better < worse) {
			t.Errorf("%s: %v is not below %v", c.what, better, worse)
		}
	}
}

// What is measured, computed another way: the best classifier of the test rows by gradient descent.
func TestExcess_MeasuredOtherwise(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes long under the race detector, and by one goroutine")
	}
	_, out, all := learnOfUsers(t, 2)
	p := out.Problem
	r, test := p.R[0], p.Test
	risk := func(w, slope []float64) float64 {
		sum := 0.0
		for k := range slope {
			slope[k] = r * w[k]
			sum += r / 2 * w[k] * w[k]
		}
		m := float64(test.U.Len())
		for j := range test.U.Len() {
			z := test.U.Dot(j, w)
			sum += math.Log1p(math.Exp(-z)) / m
			cols, vals := test.U.Row(j)
			for c, col := range cols {
				slope[col] -= vals[c] / (1 + math.Exp(z)) / m
			}
		}
		return sum
	}
	w, slope := make([]float64, p.D), make([]float64, p.D)
	for range 3000 {
		risk(w, slope)
		for k := range w {
			w[k] -= slope[k]
		}
	}
	least := risk(w, slope)
	opt := optimumByDescent(t, out)
	for k, of := range [][][]float64{out.held.Averages, {opt, opt, opt, opt}} {
		sum := 0.0
		for _, f := range of {
			sum += (risk(f, slope) - least) / float64(len(of))
		}
		if got := float64(all[k].Measured); !(math.Abs(got-sum) <= 1e-9) {
			t.Errorf("%s: %v, by gradient descent %v", all[k].Of, got, sum)
		}
	}
}

// optimumByDescent is the optimum of PDML's Problem 3 by gradient descent: of the labels that users reported in the
// run, and of the noise that servers drew.
func optimumByDescent(t *testing.T, out *outcome) []float64 {
	t.Helper()
	p, params := out.Problem, out.Params.(*algorithms.PDML)
	method, ok := out.Method.(algorithms.Registering)
	if !ok {
		t.Fatal("no method with users")
	}
	n, d := len(p.Shards), p.D
	noise, debias := make([][]float64, n), 1/math.Expm1(params.Epsilon.Value)
	w, slope := make([]float64, d), make([]float64, d)
	reports := make([][][]float64, n)
	for i := range noise {
		noise[i] = make([]float64, d)
		privacy.Ball(sim.NewStream(out.Seed, "objective noise", uint64(i), 0), params.Bound, noise[i])
		for k := range p.Shards[i].Y {
			reports[i] = append(reports[i], method.Report(out.Seed, i, k))
		}
	}
	for range 3000 {
		for k := range slope {
			slope[k] = 0
		}
		for i := range reports {
			for k := range slope {
				slope[k] += p.R[i]*w[k] + noise[i][k]/float64(n)
			}
			for _, r := range reports[i] {
				y, z := r[d], 0.0
				for k := range w {
					z += y * r[k] * w[k]
				}
				for k := range w {
					slope[k] -= y * r[k] * (1/(1+math.Exp(z)) + debias) / float64(len(reports[i]))
				}
			}
		}
		for k := range w {
			w[k] -= slope[k] / float64(n)
		}
	}
	return w
}

// The corollaries are about optima. A run of two rounds with a great penalty is far from where it would go, and no
// bound on that is a bound on where it is.
func TestExcess_CorollariesAreOfTheOptimum(t *testing.T) {
	_, out, all := learnOfUsers(t, 1, "problem.data={set: twonorm, rows: 60000, dimension: 2}", "problem.train=50000",
		"problem.scale={intercept: false}", "problem.rho=20", "network.topology={kind: path, nodes: 2}",
		"rounds.count=2", "algorithm={kind: pdml, noise: off, labels: \"true\", eta: 100, init: {normal: 1}}")
	x, best := all[1], 0.0
	if b, err := leastTestRisk(out.Problem); err != nil {
		t.Fatal(err)
	} else {
		best = b
	}
	there := testRisk(out.Problem, 0, out.held.Last[0]) - best
	if x.Theorem != "PDML Corollary 2" || x.Applies != "applies" || !(float64(x.Measured) <= float64(x.Bound)) ||
		!(x.Measured >= 0) || !(there > 10*float64(x.Bound)) {
		t.Errorf("%+v; where the run is, %v", x, there)
	}
	// Without flips and noise the optimum is that of the problem.
	if o := testRisk(out.Problem, 0, out.optimum.Point) - best; !(math.Abs(o-float64(x.Measured)) <= 1e-9) {
		t.Errorf("%v, at the run's reference %v", x.Measured, o)
	}
}

// What nodes hold is what metrics are of.
func TestExcess_HeldIsWhatIsMeasured(t *testing.T) {
	_, out, _ := learnOfUsers(t, 1)
	wrong := 0.0
	for _, w := range out.held.Averages {
		wrong += metrics.TestError(&out.Problem.Test, w) / float64(len(out.held.Averages))
	}
	if last := out.rows[len(out.rows)-1]; !(math.Abs(wrong-last.Averaged.Error) <= 1e-12) {
		t.Errorf("the averages are wrong in %v of the test rows, the last row says %v", wrong, last.Averaged.Error)
	}
}

func TestExcess_WithoutTestRowsNothingIsMeasured(t *testing.T) {
	_, _, all := learnOfUsers(t, 1, "problem.train=0")
	for _, x := range all {
		if x.Applies != "applies" || x.Measured == x.Measured {
			t.Errorf("%+v", x)
		}
	}
	if _, _, all := learnOfUsers(t, 1, "record.rates=off"); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// What takes a time that grows as the nodes to the third power is done of so many nodes as was said.
func TestExcess_OfManyNodesIsAskedFor(t *testing.T) {
	const many = "network.topology={kind: ring, nodes: 51}"
	for rates, want := range map[string]int{"auto": 0, "on": 2} {
		if _, _, all := learnOfUsers(t, 1, many, "rounds.count=2", "record.rates="+rates); len(all) != want {
			t.Errorf("%s: %+v", rates, all)
		}
	}
	for nodes, want := range map[string]bool{"400": true, "401": false} {
		_, out, _ := learnOfUsers(t, 1, "network.topology={kind: ring, nodes: "+nodes+"}", "problem.train=500",
			"rounds.count=1")
		if a := out.rows[1].Averaged; !math.IsNaN(a.Risk) != want || !math.IsNaN(a.Error) != want {
			t.Errorf("%s nodes: %+v", nodes, a)
		}
	}
}

// Of a run in which a node never begins nothing is measured of the averages, and no bound on them is stated. The
// optimum of what the servers would minimise, which corollaries are about, is there all the same.
func TestExcess_OfARunWithoutARound(t *testing.T) {
	_, out, all := learnOfUsers(t, 1, "network.faults=[{crash: 1, at: 0s}]")
	if out.early == nil || len(all) != 2 {
		t.Fatalf("%v, %+v", out.early, all)
	}
	if x := all[0]; x.Applies != "does not apply: no round was completed by all nodes" || x.Bound == x.Bound ||
		x.Measured == x.Measured {
		t.Errorf("%+v", x)
	}
	_, _, whole := learnOfUsers(t, 1)
	if x := all[1]; x.Applies != "applies" || x.Bound != whole[1].Bound || x.Measured != whole[1].Measured ||
		!(x.Measured <= x.Bound) {
		t.Errorf("%+v, of a run in which all begin %+v", x, whole[1])
	}
}

// limitless is a method whose optimum cannot be computed.
type limitless struct {
	algorithms.Method
	algorithms.Generalising
}

func (limitless) Limit(uint64) ([]float64, error) { return nil, errors.New("the solver ended early") }

// What is measured of the averages stays where the optimum is not found, and so do the bounds.
func TestExcess_WithoutTheOptimumTheAveragesAreMeasured(t *testing.T) {
	e, out, whole := learnOfUsers(t, 1)
	out.Method = limitless{out.Method, out.Method.(algorithms.Generalising)}
	all := e.excess(out)
	if len(all) != 2 || all[0].Measured != whole[0].Measured || !(all[0].Measured > 0) ||
		all[0].Bound != whole[0].Bound {
		t.Errorf("%+v, with the optimum %+v", all, whole)
	}
	if x := all[1]; x.Applies != "applies" || x.Bound != whole[1].Bound || x.Measured == x.Measured {
		t.Errorf("%+v", x)
	}
}

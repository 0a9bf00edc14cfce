// Runs with losses that are not convex: stationary points in place of an optimum.

package experiment

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/metrics"
	"overhear/record"
	"overhear/scenarios"
)

// lastRound keeps the coefficients of the last round over columns.
type lastRound struct{ x [][]float64 }

func (l *lastRound) Published(*algorithms.Publication)     {}
func (l *lastRound) Concluded(int, int, []float64)         {}
func (l *lastRound) Ended(r *algorithms.ColumnRound) error { l.x = r.X; return nil }

// levelling is a run of sharing over two parties on predicted rows.
func levelling(t *testing.T, sets ...string) *Experiment {
	t.Helper()
	return predictor(t, append([]string{"problem.C=1", "problem.columns=[1, 3]", "problem.partition=even",
		"problem.loss={kind: welsch, width: 0.7}", "problem.rho=0.02", "network.topology={kind: star, nodes: 3}",
		"algorithm={kind: admm-sharing}", "rounds.count=4000"}, sets...)...)
}

// Runs come to the stationary points of scipy (problem/nonconvex_test.go); metrics.csv has their stationarity and no
// distance, run.json claims no optimum, and says what is proved.
func TestNonConvex_RunsComeToTheStationaryPointOfScipy(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes long under the race detector, and by one goroutine")
	}
	for loss, want := range map[string][]float64{
		"{kind: welsch, width: 0.7}": {1.5169708454124988, -0.7315926586812225, 0.3592264078725364,
			0.010136709769594045, 0.10158626328623452},
		"{kind: geman-mcclure, width: 0.7}": {1.312959907489842, -0.6011040208830399, 0.3008679417507736,
			0.022012538982805262, 0.09309086873198094},
	} {
		for _, form := range []string{"jacobi", "averaged"} {
			e := levelling(t, "problem.loss="+loss, "algorithm.form="+form)
			a := assembled(t, e)
			var l lastRound
			if _, err := e.Execute(context.Background(), a, Execution{Observer: &l, Workers: 1}); err != nil {
				t.Fatal(err)
			}
			for k, x := range slices.Concat(l.x...) {
				if !(math.Abs(x-want[k]) <= 1e-8) {
					t.Errorf("%s, %s: coefficient %d is %v, scipy's %v", loss, form, k, x, want[k])
				}
			}
			out := finished(t, e)
			last := out.last
			if !(math.Abs(last.Objective-want[4]) <= 1e-12) || !(last.Stationarity <= 1e-8) ||
				!math.IsNaN(last.Distance) || !(last.Consensus <= 1e-8) {
				t.Errorf("%s, %s: the run ends with %+v, scipy's objective is %v", loss, form, last, want[4])
			}
			for _, r := range out.rows {
				if math.IsNaN(r.Stationarity) || !math.IsNaN(r.Distance) {
					t.Fatalf("%s, %s: round %d: %+v", loss, form, r.Round, r)
				}
			}
			if first := out.rows[0].Stationarity; !(first > 0.01 && first <= 1) {
				t.Errorf("%s, %s: at zero the stationarity is %v", loss, form, first)
			}
			info := e.infoOf(out)
			o := info.Reference
			if !math.IsNaN(float64(o.Objective)) || o.Point != nil || o.Fit != nil || info.Ridge != nil {
				t.Errorf("%s, %s: an optimum is claimed: %+v %+v", loss, form, o, info.Ridge)
			}
			if c := info.Convergence; c.State != record.Converged || c.Of != record.OfGradient {
				t.Errorf("%s, %s: %+v", loss, form, c)
			}
			if len(info.Rates) != 1 || !strings.HasPrefix(info.Rates[0].Applies, "applies: algorithm.eta") ||
				len(info.Warnings) > 0 {
				t.Errorf("%s, %s: %+v %q", loss, form, info.Rates, info.Warnings)
			}
		}
	}
	// What is planted: the loss of other rows, and a convex run, which has its distance still.
	other := finished(t, levelling(t, "problem.order=shuffled", "problem.train=60"))
	if !(math.Abs(other.last.Objective-0.10158626328623452) > 1e-6) {
		t.Error("the objective does not depend on the rows")
	}
	convex := finished(t, levelling(t, "problem.loss={kind: huber, width: 0.7}"))
	if !math.IsNaN(convex.last.Stationarity) || !(convex.last.Distance <= 1e-6) || convex.optimum.Point == nil ||
		convex.last.Final().Stationarity != nil {
		t.Errorf("with a convex loss: %+v", convex.last)
	}
}

// Where the theorem's conditions fail, run.json and a warning say so; below the penalty at which the hub's step has one
// minimiser there is no run.
func TestNonConvex_WhatIsProvedIsOfTheRun(t *testing.T) {
	// L = 1/75 and μ = 2e^−3/2/75: the theorem is from (μ + √(μ² + 8L²))/2 on.
	l, mu := 1.0/75, 2*math.Exp(-1.5)/75
	least := (mu + math.Sqrt(mu*mu+8*l*l)) / 2
	for name, c := range map[string]struct {
		sets  []string
		says  string
		warns bool
	}{
		"above": {[]string{fmt.Sprintf("algorithm.eta=%v", least*1.001)}, "applies: algorithm.eta", false},
		"below": {[]string{fmt.Sprintf("algorithm.eta=%v", least*0.999)},
			fmt.Sprintf("does not apply: algorithm.eta must be above %.4g", least), true},
		"noise": {[]string{"algorithm={kind: private-admm-sharing, sigma: 0.001}"},
			"does not apply: it is about the method without noise", false},
		"noise off": {[]string{"algorithm={kind: private-admm-sharing, noise: off}"}, "applies: ", false},
		"memory lost": {[]string{"network.faults=[{at: 10ms, crash: 1, until: 20ms, memory: lost}]",
			"network.latency=5ms", "rounds.retry=20ms"},
			"does not apply: in it nodes keep their iterates", false},
	} {
		info := func() *record.Info {
			e := levelling(t, append([]string{"rounds.count=30"}, c.sets...)...)
			return e.infoOf(finished(t, e))
		}()
		if len(info.Rates) != 1 || !strings.HasPrefix(info.Rates[0].Applies, c.says) {
			t.Errorf("%s: %+v, want %s", name, info.Rates, c.says)
		}
		all := strings.Join(info.Warnings, "\n")
		if strings.Contains(all, "nothing is proved of where") != c.warns {
			t.Errorf("%s: warnings %q", name, info.Warnings)
		}
	}
	e := levelling(t, fmt.Sprintf("algorithm.eta=%v", mu*0.999))
	_, err := e.Assemble(t.Context(), 1)
	if !strings.Contains(fmt.Sprint(err), fmt.Sprintf("algorithm.eta must be above %.4g", mu)) {
		t.Errorf("a penalty with which the hub's step has several minimisers: %v", err)
	}
}

// twoHeaps are twenty rows of a column of ones and one that balances, with targets 2 of twelve rows and −2 of eight: a
// narrow loss has a stationary point near each.
func twoHeaps(t *testing.T, sets ...string) *Experiment {
	t.Helper()
	file := filepath.Join(t.TempDir(), "heaps.csv")
	var b strings.Builder
	b.WriteString("one,sign,price\n")
	for n := range 20 {
		target := 2
		if n >= 12 {
			target = -2
		}
		fmt.Fprintf(&b, "1,%d,%d\n", 1-2*(n%2), target)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Parse("t.yaml", []byte(predicting), append([]string{
		fmt.Sprintf("problem.data={csv: %q, target: price}", file), "problem.C=1", "problem.columns=[1, 1]",
		"problem.partition=even", "problem.loss={kind: welsch, width: 0.5}", "problem.rho=0.001",
		"network.topology={kind: star, nodes: 3}", "algorithm={kind: admm-sharing, init: {normal: 2}}",
		"rounds.count=3000"}, sets...)...)
	if err != nil {
		t.Fatal(err)
	}
	return New(s, "")
}

// From several starts a run comes to different stationary points, each of which is one and is told to be no more than
// that.
func TestNonConvex_StartsLeadToDifferentStationaryPoints(t *testing.T) {
	// Where x is on the line of the first column, its slope is λx + (1/20) Σ L′(x − t).
	slope := func(x float64) float64 {
		pull := func(z float64) float64 { return z * math.Exp(-z*z/0.25) }
		return 0.001*x + 0.6*pull(x-2) + 0.4*pull(x+2)
	}
	zero := func(low, high float64) float64 {
		for range 200 {
			if mid := (low + high) / 2; slope(mid) > 0 {
				high = mid
			} else {
				low = mid
			}
		}
		return (low + high) / 2
	}
	points := []float64{zero(1.7, 2.3), zero(-2.3, -1.7)}
	seen := map[int]float64{}
	for seed := uint64(1); seed <= 12; seed++ {
		e := twoHeaps(t)
		a, err := e.Assemble(t.Context(), seed)
		if err != nil {
			t.Fatal(err)
		}
		var l lastRound
		if _, err := e.Execute(context.Background(), a, Execution{Observer: &l, Workers: 1}); err != nil {
			t.Fatal(err)
		}
		x := l.x[0][0]
		for k, p := range points {
			if !(math.Abs(x-p) <= 1e-8 && math.Abs(l.x[1][0]) <= 1e-8) {
				continue
			}
			info, table, err := twoHeaps(t).Measure(context.Background(), seed, 1)
			if err != nil {
				t.Fatal(err)
			}
			s, objective := table.Column("stationarity"), table.Column("objective")
			if last := len(s) - 1; !(s[last] <= 1e-8) || info.Convergence.State != record.Converged ||
				info.Convergence.Of != record.OfGradient {
				t.Errorf("seed %d: %v, %+v", seed, s[last], info.Convergence)
			} else {
				seen[k] = objective[last]
			}
		}
	}
	if len(seen) != 2 || !(seen[1]-seen[0] > 0.01) {
		t.Errorf("12 starts lead to %v, and there are stationary points at %v", seen, points)
	}
	// From zero the pulls of both heaps vanish, and the run stays near there.
	info, _, err := twoHeaps(t, "algorithm.init=zeros").Measure(context.Background(), 1, 1)
	if err != nil || !(float64(info.Final.Objective) > seen[1]) {
		t.Errorf("from zero: %+v, %v", info, err)
	}
}

// The table of metrics explains the column.
func TestNonConvex_MetricsExplainStationarity(t *testing.T) {
	text := metrics.Named("stationarity").Explain()
	if !strings.Contains(text, "‖G(x)‖ / (c max|L′|") || !strings.Contains(text, "the loss is convex") {
		t.Error(text)
	}
}

// Runs without a ridge.

package experiment

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"overhear/scenarios"
)

// The optimum that ADMM, edge states, recycling and sharing come to without a ridge is that of numpy
// (problem/single_test.go); theorems about strongly convex objectives say that they do not apply, others do.
func TestSingle_RunsWithoutARidgeComeToTheOptimumOfScipy(t *testing.T) {
	want := []float64{2.1929162952902947, 0.28673825102368306, 0.5334035074812961, 0.09660925922571}
	for _, algorithm := range []string{"{kind: m-admm, eta: 0.1, theta: 0.1}", "{kind: r-admm, eta: 0.1, gamma: 0.1}",
		"{kind: edge-admm, eta: 0.1}", "{kind: local}"} {
		e := predictor(t, "problem.rho=0", "algorithm="+algorithm, "rounds.count=600")
		out := finished(t, e)
		for k, f := range out.optimum.Point {
			if !(math.Abs(f-want[k]) <= 1e-8) {
				t.Errorf("%s: the optimum's coefficient %d is %v, numpy's %v", algorithm, k, f, want[k])
			}
		}
		if d := out.last.Distance; !(d <= 1e-8) != strings.Contains(algorithm, "local") {
			t.Errorf("%s: %v from the optimum", algorithm, d)
		}
		for _, r := range e.rates(out) {
			switch flat := strings.Contains(r.Applies, "strongly convex objectives"); {
			case r.Theorem == "ZKL18 Theorem 3.2" != flat:
				t.Errorf("%s: %s", r.Theorem, r.Applies)
			case flat && !math.IsNaN(float64(r.Proved)):
				t.Errorf("%s: a rate of %v", r.Theorem, r.Proved)
			}
		}
		if out.ridge != nil {
			t.Errorf("the price of no ridge is told: %+v", out.ridge)
		}
	}
	// Over split columns, the same rows and coefficients, of weights that are alike.
	split := finished(t, predictor(t, "problem.rho=0", "problem.C=1", "problem.columns=[1, 3]",
		"problem.partition=even", "network.topology={kind: star, nodes: 3}",
		"algorithm={kind: admm-sharing, form: averaged, eta: 0.02}", "rounds.count=3000"))
	if d := split.last.Distance; !(d <= 1e-6) {
		t.Errorf("sharing ends %v from the optimum", d)
	}
}

// Penalties that are computed have a value without a ridge, and noise its claim: what the proofs need of the
// regulariser the penalty gives, 2ηV in place of r + 2ηV.
func TestSingle_PrivateMethodsWithoutARidge(t *testing.T) {
	for _, algorithm := range []string{"{kind: dvp}", "{kind: pvp}", "{kind: proximal-admm}", "{kind: private-r-admm}",
		"{kind: private-dgd}", "{kind: dp-admm}"} {
		sets := []string{"problem.rho=0", "problem.loss={kind: huber, width: 0.5}", "problem.scale.rows=clip",
			"algorithm=" + algorithm, "rounds.count=5"}
		if strings.Contains(algorithm, "dp-admm") {
			sets = append(sets, "network.topology={kind: star, nodes: 4}")
		}
		a, err := predictor(t, sets...).Assemble(t.Context(), 1)
		if err != nil {
			t.Fatalf("%s: %v", algorithm, err)
		}
		for _, c := range a.Computed {
			if !(c.Value > 0 && c.Value < math.Inf(1)) {
				t.Errorf("%s: %s is computed to be %v", algorithm, c.Key, c.Value)
			}
		}
		if err := a.Account.Established; err != nil {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
}

// Where there is no single optimum the run does not begin, and says what is in the way.
func TestSingle_WithoutOneARunDoesNotBegin(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"problem.data=wdbc", "problem.rho: 0: a model tells the classes of all rows apart"},
		{"problem.data={set: census, rows: 2000}", "columns: workclass="},
		{"problem={data: {set: waveform, rows: 300, classes: all}, loss: softmax}", "added to the blocks"},
	} {
		s, err := scenarios.Parse("t.yaml", []byte(predicting), "problem={}", c.set, "problem.loss.kind="+
			map[bool]string{true: "softmax", false: "logistic"}[strings.Contains(c.set, "softmax")], "problem.rho=0")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(s, "").Assemble(t.Context(), 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.set, err, c.want)
		}
	}
	few := predictor(t, "problem.rho=0", "algorithm={kind: local}", "problem.partition.sizes=[70, 3, 2]")
	if _, err := few.Assemble(t.Context(), 1); err == nil ||
		!strings.Contains(err.Error(), "node 1 has no single optimum of its") {
		t.Errorf("a node with three rows of four columns: %v", err)
	}
	if _, err := scenarios.Parse("t.yaml", []byte(predicting), fmt.Sprintf("problem.data={csv: %q, target: price}",
		"f"), "problem.rho=-1"); err == nil || !strings.Contains(err.Error(), "or 0 where there is one optimum") {
		t.Errorf("a negative weight: %v", err)
	}
}

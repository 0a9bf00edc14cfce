// Runs on rows with targets: what they come to, and what methods claim of them.

package experiment

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"overhear/scenarios"
)

// predictedFile writes the 75 rows of problem/targets_test.go, with every number in full.
func predictedFile(t *testing.T) string {
	t.Helper()
	return rowsFile(t, "price", func(i int, x [4]float64) string {
		target := 2*x[0] - x[1] + 0.5*x[2] + float64((53*i)%89)/89 - 0.5
		if i%10 == 0 {
			target += 4
		}
		return fmt.Sprint(target)
	})
}

const predicting = `name: predicting
problem:
  order: file
  partition: {kind: sizes, sizes: [30, 25, 20]}
  scale: {columns: none, rows: none, intercept: false, target: none}
  loss: squared
  C: 1.5
  rho: 0.06
network: {topology: {kind: complete, nodes: 3}}
rounds: {count: 400}
algorithm: {kind: admm, eta: 0.1}
`

func predictor(t *testing.T, sets ...string) *Experiment {
	t.Helper()
	s, err := scenarios.Parse("t.yaml", []byte(predicting), append([]string{
		fmt.Sprintf("problem.data={csv: %q, target: price}", predictedFile(t))}, sets...)...)
	if err != nil {
		t.Fatal(err)
	}
	return New(s, "")
}

// Methods without noise come to the optimum that scipy 1.10 has of the pooled rows (problem/targets_test.go).
func TestTargets_MethodsComeToTheOptimumOfScipy(t *testing.T) {
	optima := map[string][]float64{
		"squared": {1.8956703716031154, 0.26735009066822224, 0.4652823762506589, 0.09308335008091882},
		"{kind: huber, width: 0.5}": {1.9301878182923935, -0.796353899064676, 0.5618036567714966,
			0.010767619391168305},
		"{kind: quantile, level: 0.8, width: 0.3}": {1.9403986939037867, -0.746484062089761, 0.5579454618232262,
			-0.0670760737591291},
	}
	for loss, want := range optima {
		for _, algorithm := range []string{"{kind: admm, eta: 0.1}", "{kind: r-admm, eta: 0.1, gamma: 0.1}",
			"{kind: edge-admm, eta: 0.1}", "{kind: centralised}"} {
			e := predictor(t, "problem.loss="+loss, "algorithm="+algorithm)
			out, err := e.complete(context.Background(), 1, Execution{Workers: 1}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			for k, f := range out.optimum.Point {
				if !(math.Abs(f-want[k]) <= 1e-8) {
					t.Errorf("%s: the optimum's coefficient %d is %v, scipy's %v", loss, k, f, want[k])
				}
			}
			if d := out.rows[len(out.rows)-1].Distance; !(d <= 1e-8) {
				t.Errorf("%s, %s: %v from the optimum", loss, algorithm, d)
			}
		}
	}
}

// The errors of the squared loss's optimum are numpy's, in units of the file whatever targets are divided by.
func TestTargets_ErrorsAreThoseOfNumpy(t *testing.T) {
	for _, target := range []string{"none", "max"} {
		e := predictor(t, "algorithm={kind: centralised}", "rounds.count=1", "problem.scale.target="+target)
		out, err := e.complete(context.Background(), 1, Execution{Workers: 1}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		last := out.rows[len(out.rows)-1]
		if !(math.Abs(last.Train.RMSE-1.3594980763222635) <= 1e-9) ||
			!(math.Abs(last.Train.R2-0.11424330775588232) <= 1e-9) {
			t.Errorf("targets divided by %s: RMSE %v, R² %v", target, last.Train.RMSE, last.Train.R2)
		}
		if !math.IsNaN(last.TestError) || !math.IsNaN(last.Test.RMSE) || !math.IsNaN(out.baseError()) {
			t.Errorf("without test rows and classes: %+v, base error %v", last, out.baseError())
		}
		if i := e.infoOf(out); i.Final.Fit == nil || float64(i.Final.RMSE) != last.Train.RMSE ||
			!(math.Abs(float64(i.Reference.RMSE)-last.Train.RMSE) <= 1e-12) {
			t.Errorf("run.json has %+v and %+v", i.Final.Fit, i.Reference.Fit)
		}
	}
}

// The scenario that is shipped: at the optimum test errors are the noise of the generator, ½.
func TestTargets_TestErrorIsTheGeneratorsNoise(t *testing.T) {
	s, err := scenarios.Load(filepath.Join("..", "scenarios", "regression.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	e := New(s, "")
	info, _, err := e.Measure(context.Background(), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if r := float64(info.Reference.TestRMSE); !(math.Abs(r-0.5) <= 0.02) {
		t.Errorf("test RMSE at the optimum is %v, the noise ½", r)
	}
	if r := float64(info.Final.TestRMSE); !(r >= float64(info.Reference.TestRMSE) && r <= 0.6) {
		t.Errorf("test RMSE is %v, at the optimum %v", r, float64(info.Reference.TestRMSE))
	}
	if c := info.Privacy.Condition; c != "holds" {
		t.Errorf("the claim: %s", c)
	}
}

// Which private methods claim what of which loss of rows with targets (docs/mathematics.md §1).
func TestTargets_Claims(t *testing.T) {
	for _, algorithm := range []string{"{kind: dvp, eta: 1}", "{kind: pvp, eta: 1}", "{kind: proximal-admm, eta: 1}",
		"{kind: penalty-perturbation, eta: 9, theta: 9}", "{kind: private-r-admm, eta: 9}",
		"{kind: private-mr-admm, eta: 9}", "{kind: private-dgd}", "{kind: dp-admm}"} {
		for loss, want := range map[string]string{
			"{kind: huber, width: 1}":                  "",
			"{kind: huber, width: 0.1}":                "",
			"{kind: quantile, level: 0.9, width: 0.5}": "",
			"{kind: huber, width: 1.5}":                "the slope of this one comes to 1.5; take a problem.loss.width",
			"squared":                                  "a row with a far target moves the model without limit",
		} {
			sets := []string{"problem.loss=" + loss, "algorithm=" + algorithm, "problem.scale.rows=clip"}
			if strings.Contains(algorithm, "dp-admm") {
				sets = append(sets, "network.topology={kind: star, nodes: 4}")
			}
			a, err := predictor(t, sets...).Assemble(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			switch err := a.Account.Established; {
			case want == "" && err != nil:
				t.Errorf("%s with %s: %v", algorithm, loss, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("%s with %s: %v, want %s", algorithm, loss, err, want)
			}
		}
	}
}

// A run that was stopped does not go on with other targets.
func TestTargets_AreAmongWhatARunComesFrom(t *testing.T) {
	for _, sets := range [][]string{nil, {"problem.columns=[1, 3]", "algorithm={kind: admm-sharing, eta: 0.1}",
		"network.topology={kind: star, nodes: 3}", "problem.partition=even", "problem.C=1"}} {
		e := predictor(t, sets...)
		a := assembled(t, e)
		before, err := e.origin(a)
		if err != nil {
			t.Fatal(err)
		}
		if a.Split != nil {
			a.Split.Targets[7]++
		} else {
			a.Problem.Shards[1].Targets[7]++
		}
		if after, err := e.origin(a); err != nil || after == before {
			t.Errorf("%v: another target is not noticed (%v)", sets, err)
		}
	}
}

func TestTargets_PDMLIsRefused(t *testing.T) {
	for _, labels := range []string{"randomised", "true"} {
		_, err := predictor(t, "algorithm={kind: pdml, labels: '"+labels+"'}").Assemble(t.Context(), 1)
		if err == nil || !strings.Contains(err.Error(), "a target cannot be flipped") {
			t.Errorf("labels: %s: %v", labels, err)
		}
	}
}

// Where a column is what is predicted and the loss is of classes, or the other way round, the scenario has a mistake.
func TestTargets_Mistakes(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"problem.loss=logistic", "problem.loss does not suit problem.data: logistic is a loss of the margin"},
		{"problem.data=wdbc", ""},
		{"problem.partition=label-skew", "problem.partition cannot be label-skew"},
		{"problem.data={csv: f, target: a, label: b}", "target is what is predicted, and so is label"},
		{"problem.data={csv: f, target: a, positive: b}", "positive is one of two classes, and target a number"},
		{"problem.data={libsvm: f, target: a}", "target must be first"},
		{"problem.data={set: wdbc, target: a}", "target is not read for this source"},
		{"problem.loss={kind: quantile, level: 1}", "level must be between 0 and 1"},
		{"problem.loss={kind: huber, width: 0}", "width must be positive"},
		{"problem.loss={kind: huber, level: 0.2}", "level is a parameter of kind quantile"},
		{"problem.loss={kind: squared, width: 1}", "width is a parameter of kind huber-hinge or huber or quantile"},
	} {
		_, err := scenarios.Parse("t.yaml", []byte(predicting), "problem.data={csv: f, target: price}", c.set)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.set, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", c.set, err, c.want)
		}
	}
}

// A run that ends worse than saying the mean target says so.
func TestTargets_WorseThanTheMean(t *testing.T) {
	e := predictor(t, "problem.train=0.6", "problem.partition=even", "problem.order=shuffled",
		"problem.loss={kind: huber, width: 1}", "algorithm={kind: pvp, eta: 0.1, alpha: 0.01}", "rounds.count=5",
		"problem.scale.rows=clip")
	out, err := e.complete(context.Background(), 1, Execution{Workers: 1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(e.infoOf(out).Warnings, "\n"); !strings.Contains(all, "saying the mean of their targets") {
		t.Errorf("warnings: %s", all)
	}
}

// Runs on rows with one of several classes: what they come to, and what methods claim of them.

package experiment

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/record"
	"overhear/scenarios"
)

// classesFile writes the 75 rows of problem/classes_test.go, with every number in full; names are those of the classes,
// and rest, if it is not "", stands for all but that one.
func classesFile(t *testing.T, only string) string {
	t.Helper()
	weights := [3][4]float64{{2, -1, 0.5, 0}, {-1, 1, 1, 0.5}, {0, 0.5, -2, 1}}
	return rowsFile(t, "kind", func(i int, x [4]float64) string {
		class, most := "", math.Inf(-1)
		for k, name := range []string{"first", "second", "third"} {
			score := float64((53*i+29*k*k+7*k*i)%89) / 89
			for j, v := range weights[k] {
				score += v * x[j]
			}
			if score > most {
				class, most = name, score
			}
		}
		if only != "" && class != only {
			class = "rest"
		}
		return class
	})
}

// rowsFile writes 75 rows of four columns, with every number in full, and one column more, which is of row and values.
func rowsFile(t *testing.T, name string, last func(i int, x [4]float64) string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("a,b,c,d," + name + "\n")
	for i := range 75 {
		var x [4]float64
		for k := range x {
			x[k] = float64((37*i+101*k*k+11*i*k)%97)/97 - 0.5
			fmt.Fprintf(&b, "%v,", x[k])
		}
		b.WriteString(last(i, x) + "\n")
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const classifying = `name: classifying
problem:
  order: file
  partition: {kind: sizes, sizes: [30, 25, 20]}
  scale: {columns: none, rows: none, intercept: false}
  C: 1.5
  rho: 0.06
network: {topology: {kind: complete, nodes: 3}}
rounds: {count: 400}
algorithm: {kind: admm, eta: 0.05}
`

func classifier(t *testing.T, data string, sets ...string) *Experiment {
	t.Helper()
	s, err := scenarios.Parse("t.yaml", []byte(classifying), append([]string{"problem.data=" + data}, sets...)...)
	if err != nil {
		t.Fatal(err)
	}
	return New(s, "")
}

func severalClasses(t *testing.T, sets ...string) *Experiment {
	t.Helper()
	return classifier(t, fmt.Sprintf("{csv: %q, classes: all}", classesFile(t, "")), sets...)
}

func finished(t *testing.T, e *Experiment) *outcome {
	t.Helper()
	out, err := e.complete(context.Background(), 1, Execution{Workers: 1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Methods without noise come to the optimum that scipy has of the pooled rows (problem/classes_test.go).
func TestClasses_MethodsComeToTheOptimumOfScipy(t *testing.T) {
	optima := map[string][]float64{
		"softmax": {2.44973096584967, -1.102135623211135, 1.3895659797485846, -0.03796210351036058,
			-1.581186694138076, 0.5560896902353509, 1.4253992854904882, 0.02010393868860905, -0.8685442717115943,
			0.5460459329757834, -2.8149652652390738, 0.017858164821750868},
		"one-vs-rest": {2.905225638660894, -1.4519110012580942, 1.7357674086699406, -0.041758886848960716,
			-1.8854217707171952, 0.5009928400731176, 1.623903615401615, 0.1773020792248566, -0.7835300352302526,
			0.40183313163183504, -3.267506091643879, 0.09165291812186724},
		"{kind: one-vs-rest, each: squared}": {1.8964781370999857, -0.997054672046412, 1.1265584435238905,
			-0.02311622085526206, -1.2729827958777045, 0.349554139253031, 1.0914642075516492, 0.16132986189010265,
			-0.5022194823227945, 0.30792252698918954, -2.1496172530127566, 0.0250999213812926},
	}
	for loss, want := range optima {
		for _, algorithm := range []string{"{kind: admm, eta: 0.05}", "{kind: m-admm, eta: 0.05, theta: 0.05}",
			"{kind: r-admm, eta: 0.05, gamma: 0.05}", "{kind: edge-admm, eta: 0.1}", "{kind: centralised}"} {
			out := finished(t, severalClasses(t, "problem.loss="+loss, "algorithm="+algorithm))
			for k, f := range out.optimum.Point {
				if !(math.Abs(f-want[k]) <= 1e-8) {
					t.Errorf("%s: the optimum's coefficient %d is %v, scipy's %v", loss, k, f, want[k])
				}
			}
			if d := out.rows[len(out.rows)-1].Distance; !(d <= 1e-8) {
				t.Errorf("%s, %s: %v from the optimum", loss, algorithm, d)
			}
		}
		if o := finished(t, severalClasses(t, "problem.loss="+loss, "algorithm={kind: dgd, step: 0.5}",
			"rounds.count=800")); !(o.last.Distance <= 0.5*o.rows[0].Distance) {
			t.Errorf("%s: gradient descent ends %v from the optimum", loss, o.last.Distance)
		}
	}
}

// f_2 − f_1 of softmax with two classes is the model of the logistic loss with half the ridge and half the penalty, in
// every round (docs/mathematics.md §1).
func TestClasses_SoftmaxOfTwoIsTheLogisticLoss(t *testing.T) {
	file := classesFile(t, "third") // rest < third
	soft := finished(t, classifier(t, fmt.Sprintf("{csv: %q, classes: all}", file), "problem.loss=softmax",
		"rounds.count=30", "algorithm.eta=0.1"))
	logistic := finished(t, classifier(t, fmt.Sprintf("{csv: %q}", file), "problem.rho=0.03", "rounds.count=30",
		"algorithm.eta=0.05"))
	for c := range 4 {
		if got, want := soft.optimum.Point[4+c]-soft.optimum.Point[c], logistic.optimum.Point[c]; !(math.Abs(
			got-want) <= 1e-9) {
			t.Errorf("column %d: the blocks of the optimum differ by %v, and the logistic loss's has %v", c, got, want)
		}
	}
	if got, want := float64(soft.optimum.Objective), float64(logistic.optimum.Objective); !(math.Abs(
		got-want) <= 1e-10) {
		t.Errorf("the objectives at the optimum are %v and %v", got, want)
	}
	for k := range soft.rows {
		a, b := soft.rows[k], logistic.rows[k]
		if !(math.Abs(a.Loss-b.Loss) <= 1e-9) || !(math.Abs(a.Distance-b.Distance) <= 1e-8) ||
			!(math.Abs(a.Consensus-b.Consensus/math.Sqrt2) <= 1e-9) {
			t.Errorf("round %d: loss %v and %v, distance %v and %v, disagreement %v and √2 times %v", k, a.Loss, b.Loss,
				a.Distance, b.Distance, a.Consensus, b.Consensus/2)
		}
	}
}

// One-vs-rest is K runs of one class against the rest, with the same penalties, and its loss their sum.
func TestClasses_OneVsRestIsARunForEachClass(t *testing.T) {
	whole := finished(t, severalClasses(t, "problem.loss=one-vs-rest", "rounds.count=25"))
	losses := make([]float64, len(whole.rows))
	for k, name := range []string{"first", "second", "third"} {
		one := finished(t, classifier(t, fmt.Sprintf("{csv: %q, positive: %s}", classesFile(t, name), name),
			"rounds.count=25"))
		for c, f := range one.optimum.Point {
			if !(math.Abs(f-whole.optimum.Point[4*k+c]) <= 1e-9) {
				t.Errorf("class %s, column %d: %v alone, %v in one run", name, c, f, whole.optimum.Point[4*k+c])
			}
		}
		for r := range losses {
			losses[r] += one.rows[r].Loss
		}
	}
	for r, sum := range losses {
		if !(math.Abs(sum-whole.rows[r].Loss) <= 1e-9) {
			t.Errorf("round %d: the runs' losses sum to %v, the one run has %v", r, sum, whole.rows[r].Loss)
		}
	}
}

// The shipped scenario: better than the larger class, converging, with all that run.json says of several classes.
func TestClasses_TheShippedScenario(t *testing.T) {
	s, err := scenarios.Load(filepath.Join("..", "scenarios", "softmax.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	info, _, err := New(s, "").Measure(context.Background(), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Classes) != 3 || info.Columns != 22 || info.Convergence.State != record.Converged {
		t.Errorf("classes %v, %d columns, %s", info.Classes, info.Columns, info.Convergence.State)
	}
	// Breiman et al. 1984: the Bayes rule errs in 14 %, and a linear one in not much more.
	if e := float64(info.Final.TestError); !(e >= 0.12 && e <= 0.18) {
		t.Errorf("the test error is %v", e)
	}
	if b := float64(info.BaseError); !(b >= 0.6 && b <= 2.0/3) {
		t.Errorf("always the largest class errs in %v", b)
	}
	if l := float64(info.Final.TestLoss); !(l >= 0.25 && l <= 0.5) {
		t.Errorf("the test log loss is %v", l)
	}
}

// The logistic loss has a log loss of test rows, and losses that are no models of probabilities have none.
func TestClasses_LogLossIsOfProbabilities(t *testing.T) {
	for loss, has := range map[string]bool{"logistic": true, "squared": false, "huber-hinge": false} {
		s, err := scenarios.Load(filepath.Join("..", "scenarios", "quickstart.yaml"), "problem.loss="+loss,
			"rounds.count=2")
		if err != nil {
			t.Fatal(err)
		}
		info, _, err := New(s, "").Measure(context.Background(), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if math.IsNaN(float64(info.Final.TestLoss)) == has || math.IsNaN(float64(info.Reference.TestLoss)) == has {
			t.Errorf("%s: the log loss is %v, at the optimum %v", loss, info.Final.TestLoss, info.Reference.TestLoss)
		}
	}
}

// No private method claims anything of rows with several classes, and each says why.
func TestClasses_NoClaimIsEstablished(t *testing.T) {
	for _, algorithm := range []string{"{kind: dvp, eta: 1}", "{kind: pvp, eta: 1}", "{kind: proximal-admm, eta: 1}",
		"{kind: penalty-perturbation, eta: 9, theta: 9}", "{kind: private-r-admm, eta: 9}",
		"{kind: private-mr-admm, eta: 9}", "{kind: private-dgd}", "{kind: dp-admm}"} {
		for loss, want := range map[string]string{
			"softmax":     "with softmax the gradient's norm comes to √2",
			"one-vs-rest": "one-vs-rest is 3 problems on the same rows, so that the gradient's norm comes to √3",
		} {
			sets := []string{"problem.loss=" + loss, "algorithm=" + algorithm, "problem.scale.rows=clip"}
			if strings.Contains(algorithm, "dp-admm") {
				sets = append(sets, "network.topology={kind: star, nodes: 4}")
			}
			a, err := severalClasses(t, sets...).Assemble(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Account.Established; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s with %s: %v, want %s", algorithm, loss, err, want)
			}
		}
	}
	if _, err := severalClasses(t, "problem.loss=softmax", "algorithm={kind: pdml, labels: 'true'}").Assemble(
		t.Context(),
		1); err == nil || !strings.Contains(err.Error(), "its users flip labels of two classes") {
		t.Errorf("pdml: %v", err)
	}
}

// A run that was stopped does not go on with other classes.
func TestClasses_AreAmongWhatARunComesFrom(t *testing.T) {
	e := severalClasses(t, "problem.loss=softmax")
	a := assembled(t, e)
	before, err := e.origin(a)
	if err != nil {
		t.Fatal(err)
	}
	a.Problem.Shards[1].Class[7] = (a.Problem.Shards[1].Class[7] + 1) % 3
	if after, err := e.origin(a); err != nil || after == before {
		t.Errorf("another class is not noticed (%v)", err)
	}
}

// Losses, data and methods that do not go together are mistakes of the scenario.
func TestClasses_Mistakes(t *testing.T) {
	for _, c := range []struct{ data, set, want string }{
		{"{csv: f, classes: all}", "problem.loss=logistic", "take softmax or one-vs-rest"},
		{"{csv: f}", "problem.loss=softmax", "say problem.data.classes: all"},
		{"{csv: f, target: a}", "problem.loss=softmax", "softmax is a loss of classes, and these data have targets"},
		{"{csv: f, classes: all, positive: a}", "problem.loss=softmax", "positive is one of two classes"},
		{"{csv: f, classes: all, target: a}", "problem.loss=squared", "classes is of labels"},
		{"{set: linear, classes: all}", "problem.loss=softmax", "classes is of labels"},
		{"{csv: f, classes: some}", "problem.loss=softmax", "must be one of two, all"},
		{"{csv: f, classes: all}", "problem={loss: softmax, columns: [2, 2]}", "split columns add up to one number"},
		{"{csv: f, classes: all}", "problem.loss={kind: softmax, each: squared}",
			"each is a parameter of kind one-vs-rest"},
	} {
		_, err := scenarios.Parse("t.yaml", []byte(classifying), c.set, "problem.data="+c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v, want %s", c.data, c.set, err, c.want)
		}
	}
}

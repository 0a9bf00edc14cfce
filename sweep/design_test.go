// A design: what it fits and recommends, from the runs in its directory.

package sweep

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"overhear/record"
	"overhear/theory"
)

const designScenario = `
name: small
problem: {data: wdbc, train: 100, rho: 0.2}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 12}
algorithm: {kind: dvp, eta: 0.1, alpha: 1}
`

func designOf(t *testing.T, change func(*Design)) *Design {
	t.Helper()
	u, err := theory.ParseUtility("zz16=0.02,6,9,1")
	if err != nil {
		t.Fatal(err)
	}
	d := &Design{Seeds: 4, Alpha: []float64{2, 0.1, 0.3, 1, 5}, Of: "loss", Utility: u}
	if change != nil {
		change(d)
	}
	return d
}

// made computes a design's runs and concludes.
func made(t *testing.T, d *Design, scenario string) (*Dir, *Designed) {
	t.Helper()
	return concluded(t, d, scenario, func(dir *Dir) {
		if _, err := Make(context.Background(), dir, Settings{Dispatcher: Local{Workers: 2}}); err != nil {
			t.Fatal(err)
		}
	})
}

// concluded is what a design comes to once its directory has been filled.
func concluded(t *testing.T, d *Design, scenario string, fill func(*Dir)) (*Dir, *Designed) {
	t.Helper()
	p, err := d.Plan(write(t, scenario))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := OpenDesign(t.TempDir(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	fill(dir)
	out, err := d.Conclude(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, out
}

// The means are those of the sweep's table, the curve is the fit to them, the choice is its maximum, and leaving out a
// seed is leaving out its rows of the table.
func TestDesign_IsOfTheSweepsTable(t *testing.T) {
	d := designOf(t, func(d *Design) { d.Utility = theory.Utility{Form: "linear", Weights: []float64{1}} })
	dir, out := made(t, d, designScenario)
	text, err := os.ReadFile(filepath.Join(dir.Path, csvFile))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int {
		for k, c := range rows[0] {
			if c == name {
				return k
			}
		}
		t.Fatalf("no column %s in %v", name, rows[0])
		return 0
	}
	number := func(row []string, name string) float64 {
		v, err := strconv.ParseFloat(row[column(name)], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	choose := func(without float64) (theory.Accuracy, theory.Choice) {
		var loss []float64
		for _, a := range d.Alpha {
			sum, n := 0.0, 0.0
			for _, r := range rows[1:] {
				if number(r, designKey) == a && number(r, "seed") != without {
					sum, n = sum+number(r, "loss"), n+1
				}
			}
			loss = append(loss, sum/n)
		}
		fit, err := theory.FitAccuracy(d.Alpha, loss)
		if err != nil {
			t.Fatal(err)
		}
		c, err := theory.Choose(fit, d.Utility, 0.1, 5)
		if err != nil {
			t.Fatal(err)
		}
		return fit, c
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
	fit, best := choose(-1)
	if !near(out.Curve.C4, fit.C4) || !near(out.Curve.C5, fit.C5) || !near(out.Curve.C6, fit.C6) ||
		!near(out.Alpha, best.Alpha) || !near(out.Net, best.Net) {
		t.Errorf("%+v; from the table %+v, %+v", out, fit, best)
	}
	low, high := best.Alpha, best.Alpha
	for seed := dir.Plan.Seeds.First; seed < dir.Plan.Seeds.First+4; seed++ {
		_, c := choose(float64(seed))
		low, high = min(low, c.Alpha), max(high, c.Alpha)
	}
	if !near(out.Spread[0], low) || !near(out.Spread[1], high) || !(low < high) {
		t.Errorf("%v; from the table %v to %v", out.Spread, low, high)
	}
	for _, tried := range out.Tried {
		if tried.Runs != 4 || !(tried.Least < tried.Mean && tried.Mean < tried.Greatest) {
			t.Errorf("%+v", tried)
		}
	}
	if !(float64(out.Curve.Explained) > explains) || len(out.Remarks) != 0 || out.By != ByCurve {
		t.Errorf("%v, %q", out.Curve.Explained, out.Remarks)
	}
	// With the paper's utility the curve would have an α below 1, and by the table 5 is worth more.
	d.Utility = designOf(t, nil).Utility
	_, best = choose(-1)
	again, err := d.Conclude(dir)
	if err != nil || !near(again.Curve.Alpha, best.Alpha) || !(best.Alpha < 1) || again.By != ByMeans ||
		again.Alpha != 5 {
		t.Errorf("%v: %+v", err, again)
	}
}

// Who values privacy more gets more of it, down to the least that may be chosen, and is told so.
func TestDesign_WeightsDecide(t *testing.T) {
	d := designOf(t, nil)
	var losses [][]float64
	for _, a := range d.Alpha {
		l := theory.Accuracy{C4: 20, C5: 5, C6: 0.3}.At(a)
		losses = append(losses, []float64{l, l})
	}
	dir, _ := planted(t, d, losses)
	last := math.Inf(1)
	for _, weight := range []string{"1e-6", "0.003", "0.03", "0.3", "1000"} {
		var err error
		if d.Utility, err = theory.ParseUtility("linear=" + weight); err != nil {
			t.Fatal(err)
		}
		out, err := d.Conclude(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !(out.Alpha < last) && weight != "1e-6" {
			t.Errorf("weight %s: α = %v is not below %v", weight, out.Alpha, last)
		}
		last = out.Alpha
		edge := strings.Join(out.Remarks, "\n")
		if weight == "1000" != strings.Contains(edge, "least α") || strings.Contains(edge, "greatest α") {
			t.Errorf("weight %s: α = %v, %q", weight, out.Alpha, edge)
		}
	}
	d.Utility.Weights[0], d.Least, d.Most = 1e-6, 0.1, 0.2
	if out, err := d.Conclude(dir); err != nil || out.Alpha != 0.2 ||
		!strings.Contains(strings.Join(out.Remarks, "\n"), "greatest α") {
		t.Errorf("%v: %+v", err, out)
	}
}

// planted concludes a design whose runs had these losses, by α and seed.
func planted(t *testing.T, d *Design, losses [][]float64) (*Dir, *Designed) {
	t.Helper()
	d.Seeds = len(losses[0])
	return concluded(t, d, designScenario, func(dir *Dir) {
		for k, of := range losses {
			for seed, v := range of {
				r := Result{Index: k*len(of) + seed, Facts: new(Facts), Columns: []string{d.Of}, Rows: [][]float64{{v}},
					Count: 1}
				if err := dir.Journal.Put(r.Index, r.Encode()); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// Losses that fall over two decades, to which least squares fit a curve that is flat from α = 0.5 on: it explains more
// than 99 % of the differences and would have the α of a loss twice as great. What is recommended is what is worth most
// of what was measured, and the note says so.
func TestDesign_GoesByMeansWhereTheCurveMisses(t *testing.T) {
	d := designOf(t, func(d *Design) {
		d.Alpha = []float64{0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 4}
		d.Utility = theory.Utility{Form: "linear", Weights: []float64{0.2}}
	})
	means := []float64{31.535, 5.1032, 1.8031, 1.1379, 0.77319, 0.61067, 0.56362, 0.54752}
	var one, three [][]float64
	for _, m := range means {
		one, three = append(one, []float64{m}), append(three, []float64{0.99 * m, m, 1.01 * m})
	}
	for _, losses := range [][][]float64{one, three} {
		_, out := planted(t, d, losses)
		said := strings.Join(out.Remarks, "\n")
		if out.By != ByMeans || out.Alpha != 1 || !(math.Abs(out.Net-(-0.2-0.61067)) <= 1e-12) ||
			!strings.Contains(said, "does not fit where it matters") || !(float64(out.Curve.Explained) > 0.99) {
			t.Errorf("%+v", out)
		}
		// The curve stays ZZ16's, and so does its choice; there, between 0.2 and 0.3, the loss is above 1.1379.
		fit, err := theory.FitAccuracy(d.Alpha, means)
		if err != nil {
			t.Fatal(err)
		}
		c, err := theory.Choose(fit, d.Utility, 0.05, 4)
		if err != nil || !(math.Abs(out.Curve.Alpha-c.Alpha) <= 1e-9) || !(math.Abs(out.Curve.Net-c.Net) <= 1e-9) ||
			!(c.Alpha > 0.2 && c.Alpha < 0.3) {
			t.Errorf("%v: %+v, by itself %+v", err, out.Curve, c)
		}
		share := math.Log(c.Alpha/0.2) / math.Log(0.3/0.2)
		miss := (1-share)*(1.8031-fit.At(0.2)) + share*(1.1379-fit.At(0.3))
		if !(math.Abs(out.Curve.Miss-miss) <= 1e-9) {
			t.Errorf("means are off by %v, not by %v", miss, out.Curve.Miss)
		}
		if there := fit.At(c.Alpha) + out.Curve.Miss; !(there > 1.1379 && there < 1.8031) {
			t.Errorf("at α = %v the loss is said to be %v", c.Alpha, there)
		}
		if len(losses[0]) == 1 {
			if out.Spread != nil || !strings.Contains(said, "of one run") {
				t.Errorf("%v, %q", out.Spread, said)
			}
		} else if !(out.Spread[0] == 1 && out.Spread[1] == 1) ||
			!strings.Contains(said, "standard error of its mean is 0.00353") {
			t.Errorf("%v, %q", out.Spread, said)
		}
		var text bytes.Buffer
		if err := out.Write(&text); err != nil || !strings.Contains(text.String(), "where U − mean is -0.8107") {
			t.Errorf("%v\n%s", err, text.String())
		}
	}
	// Only what may be chosen is recommended.
	d.Least, d.Most = 0.2, 0.6
	if _, out := planted(t, d, one); out.By != ByMeans || out.Alpha != 0.5 {
		t.Errorf("%+v", out)
	}
}

// Beside where the curve falls steeply it misses the means next to it by more than they differ; what the loss is there
// stays between them, and no loss of positive ones is negative.
func TestDesign_MissesByNoMoreThanItsNeighbours(t *testing.T) {
	d := designOf(t, func(d *Design) {
		d.Alpha = []float64{0.1, 0.2, 0.4, 0.8, 1.6, 3.2}
		d.Utility = theory.Utility{Form: "linear", Weights: []float64{0.02}}
	})
	for _, means := range [][]float64{
		{90, 9, 0.04, 0.03, 0.02, 0.01}, {5, 4, 0.05, 0.02, 0.02, 0.02}, {20, 3, 0.4, 0.02, 0.015, 0.012},
	} {
		tried := make([]Tried, len(means))
		for k, m := range means {
			tried[k] = Tried{Alpha: d.Alpha[k], Mean: m}
		}
		fit, err := theory.FitAccuracy(d.Alpha, means)
		if err != nil {
			t.Fatal(err)
		}
		for alpha := 0.1; alpha <= 3.2; alpha *= 1.01 {
			at := 0
			for at+2 < len(means) && d.Alpha[at+1] < alpha {
				at++
			}
			if there := fit.At(alpha) + missAt(fit, tried, alpha); !(there <= means[at]*(1+1e-9) &&
				there >= means[at+1]*(1-1e-9)) {
				t.Errorf("between means of %v and %v, at α = %v, the loss is said to be %v", means[at], means[at+1],
					alpha, there)
				break
			}
		}
	}
}

// Where the curve misses the means by no more than chance does, the choice is the curve's, and nothing is said.
func TestDesign_GoesByTheCurveWhereItFits(t *testing.T) {
	d := designOf(t, func(d *Design) {
		d.Alpha = []float64{0.1, 0.3, 0.5, 1, 2, 4}
		d.Utility = theory.Utility{Form: "linear", Weights: []float64{0.2}}
	})
	l := theory.Accuracy{C4: 2, C5: 3, C6: 0.4}
	var exact, noisy [][]float64
	for k, a := range d.Alpha {
		v, off := l.At(a), []float64{0, 0, 0, 0.03, -0.03, 0}[k] // of a standard error of 0.05
		exact = append(exact, []float64{v, v})
		noisy = append(noisy, []float64{v - 0.05 - off, v + 0.05 - off})
	}
	for _, losses := range [][][]float64{exact, noisy} {
		_, out := planted(t, d, losses)
		if out.By != ByCurve || out.Alpha != out.Curve.Alpha || len(out.Remarks) != 0 {
			t.Errorf("%+v", out)
		}
	}
}

// With one run an α, a mean that is low by chance is no reason to leave the curve.
func TestDesign_IsNotTippedByOneRunsNoise(t *testing.T) {
	d := designOf(t, func(d *Design) {
		d.Alpha = []float64{0.1, 0.2, 0.3, 0.5, 0.7, 1, 2, 4}
		d.Utility = theory.Utility{Form: "linear", Weights: []float64{0.2}}
	})
	l := theory.Accuracy{C4: 2, C5: 3, C6: 0.4}
	var losses [][]float64
	for k, a := range d.Alpha {
		losses = append(losses, []float64{l.At(a) + []float64{0.04, -0.05, 0.06, -0.03, -0.07, 0.05, 0.02, -0.04}[k]})
	}
	_, out := planted(t, d, losses)
	best := d.best(out.Tried)
	if best.Alpha != 0.7 || !(best.Net > out.Curve.Net-out.Curve.Miss) {
		t.Fatalf("no mean is better by chance: %+v, curve %+v", best, out.Curve)
	}
	if out.By != ByCurve || out.Alpha != out.Curve.Alpha {
		t.Errorf("%+v", out)
	}
}

func TestDesign_Remarks(t *testing.T) {
	// Losses that do not depend on α.
	d := designOf(t, func(d *Design) { d.Least, d.Most = 0.01, 0.05 })
	_, out := planted(t, d, [][]float64{{0.7, 0.7}, {0.7, 0.7}, {0.7, 0.7}, {0.7, 0.7}, {0.7, 0.7}})
	for _, says := range []string{"the curve is flat", "outside the α that were tried"} {
		if !strings.Contains(strings.Join(out.Remarks, "\n"), says) {
			t.Errorf("%q is not said: %q", says, out.Remarks)
		}
	}
	var text bytes.Buffer
	if err := out.Write(&text); err != nil || !strings.Contains(text.String(), "note: the loss does not fall") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// An α of runs whose method claims nothing, or what is not proved, is remarked on.
func TestDesign_RemarksThatNothingIsClaimed(t *testing.T) {
	for condition, said := range map[string]bool{record.ConditionHolds: false, "the loss is of several numbers": true,
		record.ClaimedNotProved + "of the paper alone": true} {
		d := designOf(t, func(d *Design) { d.Seeds = 1 })
		_, out := concluded(t, d, designScenario, func(dir *Dir) {
			for k := range d.Alpha {
				r := Result{Index: k, Facts: &Facts{Condition: condition}, Columns: []string{d.Of},
					Rows: [][]float64{{1 / float64(k+1)}}, Count: 1}
				if err := dir.Journal.Put(r.Index, r.Encode()); err != nil {
					t.Fatal(err)
				}
			}
		})
		if got := strings.Contains(strings.Join(out.Remarks, "\n"), "not established here: "+condition); got != said {
			t.Errorf("%s: %q", condition, out.Remarks)
		}
	}
}

// Runs that fail are left out and counted; if too few α are left there is no curve.
func TestDesign_LeavesOutFailures(t *testing.T) {
	d := designOf(t, func(d *Design) { d.Seeds = 2 })
	dir, _ := made(t, d, designScenario)
	fail := func(index int) {
		r := Result{Index: index, Seed: dir.Plan.Task(index).Seed, Error: "it failed"}
		if err := dir.Journal.Drop(index); err != nil {
			t.Fatal(err)
		}
		if err := dir.Journal.Put(index, r.Encode()); err != nil {
			t.Fatal(err)
		}
	}
	fail(3)
	out, err := d.Conclude(dir)
	if err != nil || out.Failed != 1 || out.Tried[1].Runs != 1 ||
		!strings.Contains(strings.Join(out.Remarks, "\n"), "left out, as they failed: 1 run") {
		t.Errorf("%v: %+v", err, out)
	}
	for _, index := range []int{2, 4, 5} {
		fail(index)
	}
	if _, err := d.Conclude(dir); err == nil || !strings.Contains(err.Error(), "at least 4 values of α, there are 3") {
		t.Error(err)
	}
}

func TestDesign_JSONHasNames(t *testing.T) {
	dir, out := made(t, designOf(t, func(d *Design) { d.Seeds = 1 }), designScenario)
	if err := out.Keep(dir.Path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir.Path, designFile))
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if back["alpha"] != out.Alpha || back["spread"] != nil || back["curve"].(map[string]any)["c5"] != out.Curve.C5 {
		t.Errorf("%v", back)
	}
}

func TestDesign_Refuses(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(*Design)
		scenario string
		says     string
	}{
		"twice":    {func(d *Design) { d.Alpha = []float64{1, 2, 3, 3} }, "", "twice"},
		"few":      {func(d *Design) { d.Alpha = []float64{1, 2, 3} }, "", "at least 4 values"},
		"zero":     {func(d *Design) { d.Alpha = []float64{1, 2, 3, 0} }, "", "positive"},
		"metric":   {func(d *Design) { d.Of = "accuracy" }, "", "is a metric"},
		"quality":  {func(d *Design) { d.Of = "test_r2" }, "", "the less the better the model is, and test_r2 is not"},
		"constant": {func(d *Design) { d.Of = "round" }, "", "take one of loss, objective, test_error,"},
		"range":    {func(d *Design) { d.Least, d.Most = 2, 1 }, "", "the less first"},
		"target":   {nil, designScenario + "privacy: {epsilon: 3}\n", "privacy.epsilon"},
		"no noise": {func(d *Design) { d.Sets = []string{"algorithm.noise=off"} }, "", "noise is off"},
		"other kinds": {func(d *Design) { d.Sets = []string{"algorithm={kind: admm}"} }, "",
			"has no alpha to choose; methods with one are dvp"},
	} {
		text := c.scenario
		if text == "" {
			text = designScenario
		}
		if _, err := designOf(t, c.change).Plan(write(t, text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Figures are well formed, their numbers are those of plain runs, and pages say
// what was measured.

package reproduce

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/scenarios"
)

func TestFigures_AreWellFormed(t *testing.T) {
	want := []string{
		"pdml-fig3", "pdml-fig4", "pdml-table1", "ra19-fig1", "ra19-fig2", "ra19-fig3", "ra19-fig4", "ra19-fig5",
		"sh19-fig1", "sh19-fig2", "sh19-fig3",
		"zkl18-fig1", "zkl18-fig2", "zkl18-fig3", "zkl18-fig4", "zz16-fig2", "zz16-fig3",
	}
	var names []string
	for _, f := range Figures() {
		names = append(names, f.Name)
		labels := map[string]bool{}
		for _, c := range f.Curves {
			if labels[c.Label] {
				t.Errorf("%s: two curves are called %q", f.Name, c.Label)
			}
			labels[c.Label] = true
			if _, err := scenarios.LoadShipped(f.Scenario, c.Set...); err != nil {
				t.Errorf("%s, %s: %v", f.Name, c.Label, err)
			}
		}
		base, err := scenarios.LoadShipped(f.Scenario)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		} else if !strings.Contains(base.About, f.Paper) {
			t.Errorf("%s does not name %s: %q", f.Scenario, f.Paper, base.About)
		}
		if f.Stated == "" || f.Chosen == "" || f.Claims == nil || f.Seeds < 1 {
			t.Errorf("%s says too little", f.Name)
		}
		for _, c := range f.Charts {
			drawn := 0
			for _, k := range f.Curves {
				if c.Curves == nil || c.Curves(k.Label) {
					drawn++
				}
			}
			if drawn == 0 {
				t.Errorf("%s: chart %s has no curves", f.Name, c.Name)
			}
		}
	}
	if got := strings.Join(names, " "); got != strings.Join(want, " ") {
		t.Errorf("figures %s", got)
	}
}

// small is a figure on little data.
func small() *Figure {
	return &Figure{
		Name: "small", Paper: "a test", Title: "ADMM by penalty", Scenario: "wdbc-ring.yaml", Seeds: 3, Stated: "nothing", Chosen: "everything",
		Curves: []Curve{
			{Label: "η = 0.03", Set: []string{"rounds.count=30", "algorithm.init={normal: 1}"}, Group: "ADMM,", X: 0.03},
			{Label: "η = 0.3", Set: []string{"rounds.count=30", "algorithm.eta=0.3", "algorithm.init={normal: 1}"}, Group: "ADMM,", X: 0.3},
		},
		Charts: []Chart{
			{Name: "distance", Title: "d", X: "round", Y: "distance", XLabel: "round", YLabel: "distance", LogY: true},
			{Name: "by-eta", Title: "d", Y: "distance", XLabel: "η", YLabel: "distance", Points: []int{10, 30}},
		},
		Claims: func(r *Results) []Claim {
			return []Claim{{"smaller η is faster", "yes", verdict(r.runs("η = 0.03").last("distance") < r.runs("η = 0.3").last("distance"))}}
		},
	}
}

func TestRun_NumbersAreThoseOfPlainRuns(t *testing.T) {
	f := small()
	r, err := Run(context.Background(), f, 0, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.LoadShipped(f.Scenario, f.Curves[1].Set...)
	if err != nil {
		t.Fatal(err)
	}
	sum, low, high := 0.0, math.Inf(1), 0.0
	for seed := uint64(1); seed <= 3; seed++ {
		_, table, err := experiment.New(s, "").Measure(context.Background(), seed, 2)
		if err != nil {
			t.Fatal(err)
		}
		v := table.Column("distance")[20]
		sum += v
		low, high = math.Min(low, v), math.Max(high, v)
	}
	mean, least, greatest := r.runs("η = 0.3").at("distance", 20)
	if mean != sum/3 || least != low || greatest != high || low == high {
		t.Errorf("mean %v of %v to %v, want %v of %v to %v", mean, least, greatest, sum/3, low, high)
	}

	dir := t.TempDir()
	out, err := r.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	page, _ := os.ReadFile(filepath.Join(out, "README.md"))
	for _, want := range []string{"**holds**", "distance.svg", "by-eta.svg", "algorithm.eta=0.3", "seeds 1 to 3", "simulate reproduce small"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	file, err := os.Open(filepath.Join(out, "data.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+2*31 {
		t.Errorf("%d rows", len(rows))
	}
	if v, _ := strconv.ParseFloat(rows[1+31+20][2], 64); math.Abs(v-mean) > 1e-7*mean {
		t.Errorf("data.csv has %v for %v", v, mean)
	}
	for _, name := range []string{"distance.svg", "distance.png", "by-eta.svg", "by-eta.png"} {
		if i, err := os.Stat(filepath.Join(out, name)); err != nil || i.Size() < 2000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWriteIndex_GathersClaims(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "ra19-fig2"), 0o755); err != nil {
		t.Fatal(err)
	}
	page := "# x\n\n| the paper states | measured | |\n|---|---|---|\n| a | b | **does not hold** |\n| c | d | **holds** |\n| e | f | **reference** |\n"
	if err := os.WriteFile(filepath.Join(dir, "ra19-fig2", "README.md"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteIndex(dir); err != nil {
		t.Fatal(err)
	}
	index, _ := os.ReadFile(filepath.Join(dir, "papers.md"))
	for _, want := range []string{"1 hold, 0 hold in part, 1 do not hold, 0 cannot be tested", "| a | b | **does not hold** |", "[RA19 Fig. 2"} {
		if !strings.Contains(string(index), want) {
			t.Errorf("the index lacks %q:\n%s", want, index)
		}
	}
}

func TestRun_DoesNotDependOnProcessors(t *testing.T) {
	page := func(procs int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		r, err := Run(context.Background(), small(), 2, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.Write(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(out, "data.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if page(1) != page(2) {
		t.Error("the numbers depend on the number of processors")
	}
}

func TestFitLoss_RecoversAnExactCurve(t *testing.T) {
	alpha := []float64{0.05, 0.1, 0.2, 0.3, 0.5, 1, 2}
	var loss []float64
	for _, a := range alpha {
		loss = append(loss, 0.2*math.Exp(-25*a)+0.35)
	}
	c4, c5, c6, worst := fitLoss(alpha, loss)
	if math.Abs(c4-0.2) > 1e-3 || math.Abs(c5-25) > 0.1 || math.Abs(c6-0.35) > 1e-4 || worst > 1e-4 {
		t.Errorf("fit %v %v %v, off by %v", c4, c5, c6, worst)
	}
}

// At an inner maximum of U − L_acc the derivative vanishes: ω₁(ω₃ + 2ω₄α)/(ω₃α +
// ω₄α²) = c₄c₅e^{−c₅α}.
func TestDesignStep_IsStationary(t *testing.T) {
	a := designStep(0.2, 25, 0, 0.05, 2)
	left, right := 0.02*(9+2*a)/(9*a+a*a), 0.2*25*math.Exp(-25*a)
	if a <= 0.05 || a >= 2 || math.Abs(left-right) > 1e-3*left {
		t.Errorf("at α = %v the slopes are %v and %v", a, left, right)
	}
}

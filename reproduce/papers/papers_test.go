// Figures are well formed, the index follows the committed pages, and ZZ16's fits are right.

package papers

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/record"
	"overhear/reproduce"
	"overhear/scenarios"
)

func TestFigures_AreWellFormed(t *testing.T) {
	want := []string{
		"pdml-fig3", "pdml-fig4", "pdml-table1", "ra19-fig1", "ra19-fig2", "ra19-fig3", "ra19-fig4", "ra19-fig5",
		"sh19-fig1", "sh19-fig2", "sh19-fig3",
		"zkl18-fig1", "zkl18-fig2", "zkl18-fig3", "zkl18-fig4", "zz16-fig2", "zz16-fig3",
	}
	var names []string
	for _, f := range reproduce.Figures() {
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
		if f.Stated == "" || f.Chosen == "" || f.Statements == nil || f.Seeds < 1 {
			t.Errorf("%s says too little", f.Name)
		}
		for _, c := range f.Charts {
			drawn := 0
			for _, k := range f.Curves {
				if c.Curves == nil || slices.Contains(c.Curves, k) {
					drawn++
				}
			}
			if drawn == 0 || c.Curves != nil && drawn < len(c.Curves) {
				t.Errorf("%s: chart %s has curves that the figure has not, or none", f.Name, c.Name)
			}
		}
	}
	if got := strings.Join(names, " "); got != strings.Join(want, " ") {
		t.Errorf("figures %s", got)
	}
}

// page is what decides a curve's run on the page.
func page(f *reproduce.Figure, c *reproduce.Curve) string {
	s, err := scenarios.LoadShipped(f.Scenario, c.Set...)
	if err != nil {
		return err.Error()
	}
	return s.Hash()
}

// Every point of a figure's open settings makes a scenario of every curve, another one where the page has another one,
// what the page takes is said, and what makes the runs affordable has a reason.
func TestGrids_MakeScenarios(t *testing.T) {
	for _, f := range reproduce.Figures() {
		g := f.Grid
		if g == nil {
			continue
		}
		if (g.Set == nil) != (g.Why == "") || len(g.Settings) == 0 {
			t.Errorf("%s: a grid of %d settings, changed by %q because %q", f.Name, len(g.Settings), g.Set, g.Why)
		}
		points := g.Draw(f.Name)
		for k := range g.Settings {
			s := &g.Settings[k]
			if s.Name == "" || len(s.Paths) == 0 || s.Taken == "" || (s.Values == nil) == (s.Low == s.High) ||
				s.Words != nil && len(s.Words) != len(s.Values) {
				t.Errorf("%s: setting %+v says too little or too much", f.Name, s)
			}
			if s.Values == nil {
				different := map[string]bool{}
				for _, point := range points {
					different[point[k]] = true
				}
				if len(different) != len(points) {
					t.Errorf("%s: setting %s, %s, has %d values at %d points", f.Name, s.Name, s.Range(),
						len(different), len(points))
				}
			}
			for _, c := range s.Curves {
				if !slices.Contains(f.Curves, c) {
					t.Errorf("%s: setting %s changes %q, which is not the figure's", f.Name, s.Name, c.Label)
				}
			}
		}
		made := map[string]*reproduce.Curve{} // by what decides its runs at all points
		for _, c := range f.Curves {
			runs := ""
			for _, point := range points {
				sets := slices.Concat(g.Set, c.Set)
				for k, s := range g.Settings {
					if s.Curves == nil || slices.Contains(s.Curves, c) {
						for _, path := range s.Paths {
							sets = append(sets, path+"="+point[k])
						}
					}
				}
				s, err := scenarios.LoadShipped(f.Scenario, sets...)
				if err != nil {
					t.Fatalf("%s, %s at %v: %v", f.Name, c.Label, point, err)
				}
				runs += s.Hash()
			}
			if first := made[runs]; first != nil && page(f, first) != page(f, c) {
				t.Errorf("%s: %q and %q are the same run at every point, which they are not on the page", f.Name,
					first.Label, c.Label)
			}
			made[runs] = c
		}
	}
}

// results/papers.md is what the committed pages make.
func TestWritePapersIndex_IsTheCommittedOne(t *testing.T) {
	const results = "../../results"
	dir := t.TempDir()
	for _, f := range reproduce.Figures() {
		page, err := os.ReadFile(filepath.Join(results, f.Name, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, f.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name, "README.md"), page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := reproduce.WritePapersIndex(dir); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(filepath.Join(dir, "papers.md"))
	want, err := os.ReadFile(filepath.Join(results, "papers.md"))
	if err != nil || string(got) != string(want) {
		t.Errorf("results/papers.md is not what results/*/README.md say (%v)", err)
	}
}

// A loss that has fallen and then wanders has converged, whether it ends above or below where it was; one that does not
// fall by more than its noise, and one that goes on falling, have not.
func TestSettled_IsNoCoinToss(t *testing.T) {
	curve := &reproduce.Curve{}
	runs := func(loss func(seed, t int) float64) *reproduce.Runs {
		r := &reproduce.Runs{Curve: curve}
		for seed := range 4 {
			table := &record.Table{Columns: []string{"loss"}}
			for t := range 101 {
				table.Rows = append(table.Rows, []float64{loss(seed, t)})
			}
			r.Tables = append(r.Tables, table)
		}
		return r
	}
	fallen := func(end float64) func(int, int) float64 {
		return func(seed, t int) float64 {
			v := 0.4 + 0.6*math.Exp(-float64(t)/10) + 0.01*float64(seed)
			if t > 80 {
				v += end
			}
			return v
		}
	}
	for _, c := range []struct {
		name string
		loss func(seed, t int) float64
		want bool
	}{
		{"a little lower in the end", fallen(-0.01), true},
		{"a little higher in the end", fallen(0.01), true},
		{"much higher in the end", fallen(0.2), false},
		{"flat", func(int, int) float64 { return 0.4 }, false},
		{"by noise", func(seed, t int) float64 {
			return 0.4 + 0.1*[]float64{1, -1, 0.9, -0.8}[seed]*float64(1-t/34%3)
		}, false},
		{"still falling", func(_, t int) float64 { return 1 - 0.009*float64(t) }, false},
	} {
		if s := settlingOf(runs(c.loss)); s.converges() != c.want {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

// zz16Losses are results of ZZ16 Fig. 3 whose losses are a function of η and α in every round.
func zz16Losses(loss func(eta, alpha float64) float64) *reproduce.Results {
	f := zz16Fig3()
	r := &reproduce.Results{Figure: f, Seeds: 1}
	for _, c := range f.Curves {
		var eta float64
		if _, err := fmt.Sscanf(c.Group, "η = %g", &eta); err != nil {
			panic(err)
		}
		t := &record.Table{Columns: []string{"loss", "test_error"}}
		for range 101 {
			t.Rows = append(t.Rows, []float64{loss(eta, c.X), loss(eta, c.X)})
		}
		r.Runs = append(r.Runs, reproduce.Runs{Curve: c, Tables: []*record.Table{t}})
	}
	return r
}

// The η whose fit is closest to ZZ16's constants is found, and its constants are those that the losses were made with.
func TestZZ16Fig3_FindsTheClosestPenalty(t *testing.T) {
	r := zz16Losses(func(eta, alpha float64) float64 { return 20/eta*math.Exp(-1250/eta*alpha) + 0.35 })
	s := r.Statements(r)[2] // (c₄, c₅) is (20/η, 1250/η): at η = 50 (0.4, 25), at 100 (0.2, 12.5)
	for _, want := range []string{"closest to (0.2, 25) in the last round is η = 50: c₄ = 0.4, c₅ = 25, c₆ = 0.35, " +
		"off by factors of at most 2.00, largest miss 0.000 (between these η, 70.7 would be off by " +
		"1.41)", "η = 100: (0.2, 12.5)", "(0.4, 25) in round 5"} {
		if !strings.Contains(s.Measured, want) {
			t.Errorf("%s\ndoes not say %s", s.Measured, want)
		}
	}
	exact := zz16Losses(func(eta, alpha float64) float64 {
		if eta == 5 {
			return 20*math.Exp(-20*alpha) + 0.35
		}
		return 20/eta*math.Exp(-2500/eta*alpha) + 0.35
	})
	if s := exact.Statements(exact)[2]; s.Assessment != reproduce.Holds || !strings.Contains(s.Measured,
		"closest to (0.2, 25) in the last round is η = 100: c₄ = 0.2, c₅ = 25") {
		t.Errorf("%+v", s)
	}
	if s := exact.Statements(exact)[3]; s.Assessment != reproduce.Holds || !strings.Contains(s.Measured,
		"closest to (20, 20) in the last round is η = 5 or less, as it is the least tried: c₄ = 20, c₅ = 20") {
		t.Errorf("%+v", s)
	}
	flat := zz16Losses(func(float64, float64) float64 { return 0.35 })
	if s := flat.Statements(flat)[2]; s.Assessment != reproduce.Fails {
		t.Errorf("losses that do not fall: %+v", s)
	}
}

// At an inner maximum of U − L_acc the derivative vanishes: ω₁(ω₃ + 2ω₄α)/(ω₃α +
// ω₄α²) = c₄c₅e^{−c₅α}.
func TestDesignStep_IsStationary(t *testing.T) {
	a := designStep(0.2, 25, 0, 0.05, 2)
	left, right := 0.02*(9+2*a)/(9*a+a*a), 0.2*25*math.Exp(-25*a)
	if !(a > 0.05) || !(a < 2) || !(math.Abs(left-right) <= 1e-3*left) {
		t.Errorf("at α = %v the slopes are %v and %v", a, left, right)
	}
}

// A method's entry names the theorems that the method has numbers for, and no method has numbers for others.

package algorithms

import (
	"math"
	"testing"

	"overhear/parameter"
	"overhear/theory"
)

func TestEntries_NameTheirTheorems(t *testing.T) {
	numbers := 0
	for _, e := range Entries() {
		named := map[string]bool{}
		for _, theorem := range e.Theorems {
			if named[theorem.Name] = true; theorem.States == "" {
				t.Errorf("%s: what %s states is not said", e.Name, theorem.Name)
			}
		}
		f := uneven()
		setting := Setting{Problem: f.problem(), Rounds: 2}
		if e.Over == Columns {
			setting = newBlocks(10, []int{2, 1}, "mean").setting(t, 2)
		} else {
			setting.Graph = f.graphOf(t, e)
		}
		m, err := e.New(filled(t, e), setting)
		if err != nil {
			t.Fatal(err)
		}
		var have []theory.Theorem
		if a, ok := m.(Analysed); ok {
			for _, theorem := range a.Theorems(1, 2) {
				have = append(have, theorem.Theorem)
			}
		}
		if g, ok := m.(Generalising); ok {
			for _, bound := range g.Generalises(2, make([]float64, len(f.rows)), 0.05) {
				have = append(have, bound.Theorem)
			}
		}
		for _, theorem := range have {
			if numbers++; !named[theorem.Name] {
				t.Errorf("%s has numbers for %s, and its entry does not name it", e.Name, theorem.Name)
			}
		}
		if (have == nil) != (e.Theorems == nil) {
			t.Errorf("%s names %d theorems and has numbers for %d", e.Name, len(e.Theorems), len(have))
		}
	}
	if numbers < 10 {
		t.Errorf("%d numbers", numbers)
	}
}

// The constants of PDML's bounds are those of the run: C where iterates drift, R and θ only with noise, ε only with
// flips.
func TestPDML_BoundsAreToldOfTheRun(t *testing.T) {
	f := newFixture(4, 9, 3, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}})
	f.r, f.c = 0.5, 1
	for i := range f.rows {
		for _, x := range f.rows[i] {
			for k := range x {
				x[k] /= 10
			}
		}
	}
	bounds := func(set func(*PDML)) []Generalisation {
		return makeMethod(t, f, "pdml", 7, set).Method.(Generalising).Generalises(7, make([]float64, 4), 0.05)
	}
	noisy := bounds(func(p *PDML) { p.Eta, p.Bound, p.Epsilon = 0.4, 0.6, parameter.One(2) })
	for _, b := range noisy {
		if b.Reason != "" {
			t.Fatal(b.Reason)
		}
	}
	if c := noisy[0].Given.Contraction; !(c > 0 && c < 1) || !math.IsNaN(noisy[1].Given.Contraction) {
		t.Errorf("C is %v and %v", c, noisy[1].Given.Contraction)
	}
	if g := noisy[0].Given; g.Penalty != 0.4 || g.Convexity != 2 {
		t.Errorf("%+v", g)
	}
	if r := noisy[0].Given.Radius - (theory.Spread(2)/2+0.6/4)/0.5; !(math.Abs(r) <= 1e-12) {
		t.Errorf("the radius is off by %v", r)
	}
	still := bounds(func(p *PDML) { p.Eta, p.Noise = 0.4, "off" })
	if b := still[0].Bound; b.Objective != 0 || b.Noise != 0 || b.Drift != 0 || !(b.Start > 0) {
		t.Errorf("without noise: %+v", b)
	}
	plain := bounds(func(p *PDML) { p.Eta, p.Labels, p.Bound = 0.4, "true", 0 })
	if r := plain[0].Given.Radius; !(math.Abs(r-1) <= 1e-12) { // ½/r
		t.Errorf("with true labels the radius is %v", r)
	}
	// PDML (32) is of ‖η_i‖₂: where R bounds each of d components instead, R² is d times as great.
	euclidean := bounds(func(p *PDML) { p.Eta, p.Bound = 0.4, 0.6 })[1].Bound.Objective
	most := bounds(func(p *PDML) { p.Eta, p.Bound, p.Norm = 0.4, 0.6, "max" })[1].Bound.Objective
	if want := 0.36 / (4 * 2); !(math.Abs(euclidean-want) <= 1e-12) || !(math.Abs(most-3*want) <= 1e-12) {
		t.Errorf("R²/(naκ) is %v and %v, by hand %v and %v", euclidean, most, want, 3*want)
	}
	alike := bounds(func(p *PDML) { p.Eta, p.Epsilon = 0.4, own(2) })
	same := bounds(func(p *PDML) { p.Eta, p.Epsilon = 0.4, parameter.One(2) })
	differ := bounds(func(p *PDML) { p.Eta, p.Epsilon = 0.4, own(2, 0.5) })
	if a, b := alike[0].Bound.Sum(), same[0].Bound.Sum(); !(math.Abs(a-b) <= 1e-9*b) ||
		!(differ[1].Bound.Sum() > same[1].Bound.Sum()) {
		t.Errorf("each user's ε is 2: %v, one for all: %v; with half of them at 0.5: %v, %v", a, b,
			differ[1].Bound.Sum(), same[1].Bound.Sum())
	}
	more := bounds(func(p *PDML) { p.Eta, p.Labels = 0.4, "true" })
	if !(more[0].Bound.Noise == plain[0].Bound.Noise) || !(more[0].Bound.Objective > 0) ||
		!(more[0].Bound.Drift > 0) {
		t.Errorf("%+v", more[0].Bound)
	}
}

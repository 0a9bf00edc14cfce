// All rows at once: found where they are determined, and where they are not it is said.

package adversary

import (
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// own is the truth of a node's rows.
func (f *fixture) own(node int) *Truth {
	all := f.samples(node)
	t := &Truth{}
	for n := range all.Y {
		t.Samples = append(t.Samples, all.At(n))
	}
	return t
}

// columns is what an observer knows of the fixture's columns.
func (f *fixture) columns(victim int) *Knowledge {
	k, _ := f.allBut(victim, 0)
	return &Knowledge{Victim: victim, Schema: k.Schema}
}

// unfading is a step that stays.
func unfading(step float64) func(*algorithms.DGD) {
	return func(p *algorithms.DGD) { p.Step, p.Decay = *constant(step), "none" }
}

func TestAllRows_FindsAllRows(t *testing.T) {
	for _, c := range []struct {
		rows int
		loss problem.Loss
	}{{1, problem.Logistic}, {2, problem.Logistic}, {4, problem.Logistic}, {1, problem.Squared},
		{2, problem.Squared}} {
		f := small(t, c.rows, 9, ring(5))
		f.problem.Loss = c.loss
		rec, pub := run(t, f, "dgd", 40, sim.Link{}, unfading(0.8))
		got := scored(t, "all-rows", Observe(rec, Vantage{}, pub, f.columns(1)), f.own(1))
		if got.Succeeded == record.Failed || len(got.Rows) != c.rows || got.Baselines[0].Error != 0 ||
			got.Baselines[0].Guess != 1 {
			t.Errorf("%d rows, %T: %s, %+v: %s", c.rows, c.loss, got.Succeeded, got.Baselines, got.Conclusion)
			continue
		}
		for _, r := range got.Rows {
			if r.Score.Label == nil || !*r.Score.Label ||
				!(float64(r.Score.Relative) <= max(1e-9, 2*float64(r.Residual))) {
				t.Errorf("%d rows, %T: %+v, error at most %v", c.rows, c.loss, r.Score, r.Residual)
			}
		}
	}
}

// As many gradients as two rows have dimensions and one more settle no rank: rows that are found all the same are told
// with that doubt, in words and to programs, unless it is known how many there are.
func TestAllRows_DoubtsWhetherTheseAreAll(t *testing.T) {
	f := small(t, 2, 9, ring(5))
	rec, pub := run(t, f, "dgd", 3, sim.Link{}, unfading(0.8))
	for _, size := range []int{0, 2} {
		knows := f.columns(1)
		knows.Size = size
		got := scored(t, "all-rows", Observe(rec, Vantage{}, pub, knows), f.own(1))
		if len(got.Rows) != 2 || got.Baselines[0].Error != 0 {
			t.Fatalf("%d rows known: %+v: %s", size, got.Baselines, got.Conclusion)
		}
		doubt, want := "that one vector adds none may be chance, and there may be more rows", record.Partial
		if size == 2 {
			doubt, want = "", record.Exact
		}
		if got.Doubt != doubt || got.Succeeded != want ||
			(doubt != "") != strings.Contains(got.Conclusion, "more rows") {
			t.Errorf("%d rows known: %s, %q: %s", size, got.Succeeded, got.Doubt, got.Conclusion)
		}
	}
}

// A value of another sender, or round, in the record is seen.
func TestAllRows_PlantedErrorsAreSeen(t *testing.T) {
	f := small(t, 3, 9, ring(5))
	rec, pub := run(t, f, "dgd", 40, sim.Link{}, unfading(0.8))
	for name, from := range map[string]*Recording{"another node": rec, "another round": rec} {
		planted := *from
		planted.Iterates = slices.Clone(rec.Iterates)
		at := func(node, round int) int {
			return slices.IndexFunc(rec.Iterates, func(i record.Iterate) bool {
				return int(i.Node) == node && int(i.Round) == round
			})
		}
		if name == "another node" {
			planted.Iterates[at(1, 7)].Values = rec.Iterates[at(3, 7)].Values
		} else {
			planted.Iterates[at(1, 7)].Values = rec.Iterates[at(1, 9)].Values
		}
		got := scored(t, "all-rows", Observe(&planted, Vantage{}, pub, f.columns(1)), f.own(1))
		if got.Succeeded != record.Failed {
			t.Errorf("%s: %s, %+v: %s", name, got.Succeeded, got.Baselines, got.Conclusion)
		}
	}
}

func TestAllRows_SaysWhatIsNotDetermined(t *testing.T) {
	f := small(t, 4, 9, ring(5))
	f.problem.Loss = problem.Squared
	rec, pub := run(t, f, "dgd", 40, sim.Link{}, unfading(0.5))
	got := carry(t, "all-rows", Observe(rec, Vantage{}, pub, f.columns(1)))
	if got.Succeeded != record.Failed || !strings.Contains(got.Conclusion, "3 angles that are free") ||
		len(got.Rows) > 0 {
		t.Errorf("squared loss: %s: %s", got.Succeeded, got.Conclusion)
	}
	f.problem.Loss = problem.Logistic
	rec, pub = run(t, f, "private-dgd", 40, sim.Link{}, func(p *algorithms.PrivateDGD) {
		p.Step, p.Decay, p.Alpha = *constant(0.5), "none", *constant(1)
	})
	got = scored(t, "all-rows", Observe(rec, Vantage{}, pub, f.columns(1)), f.own(1))
	if got.Succeeded != record.Failed || len(got.Rows) > 0 {
		t.Errorf("noise: %s: %s", got.Succeeded, got.Conclusion)
	}
	rec, pub = run(t, f, "dgd", 3, sim.Link{}, unfading(0.5))
	if got = carry(t, "all-rows", Observe(rec, Vantage{}, pub, f.columns(1))); got.Succeeded != record.Failed {
		t.Errorf("three rounds: %s: %s", got.Succeeded, got.Conclusion)
	}
	f.problem.Loss = problem.HuberHinge{Width: 0.1}
	rec, pub = run(t, f, "dgd", 9, sim.Link{}, unfading(0.5))
	if got = carry(t, "all-rows", Observe(rec, Vantage{}, pub, f.columns(1))); got.Succeeded != record.Blocked {
		t.Errorf("another loss: %s: %s", got.Succeeded, got.Conclusion)
	}
}

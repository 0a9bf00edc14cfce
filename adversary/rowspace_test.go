// Row space: rows told from strangers, one row found whole, and what stands in
// the way.

package adversary

import (
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// lineup is every node's rows, the victim's first.
func (f *fixture) lineup(victim int) *Samples {
	all := new(Samples)
	for i := range f.problem.Shards {
		node := (victim + i) % len(f.problem.Shards)
		for n := range f.samples(node).Y {
			all.Add(f.samples(node).At(n))
		}
	}
	return all
}

// membersAre checks that the first few candidates, and no others, are members, and
// that they are within so much of the span: a solver's 1e-10 over the smallest
// singular value of the rows, unless there is no solver.
func membersAre(t *testing.T, name string, f *record.Finding, rows int, within float64) {
	t.Helper()
	if len(f.Facts) != 1 || f.Facts[0].Values[0] != float64(rows) {
		t.Errorf("%s: rank %+v, want %d: %s", name, f.Facts, rows, f.Conclusion)
	}
	inside, outside := 0.0, math.Inf(1)
	for _, m := range f.Members {
		if member := m.Candidate < rows; m.Member != member {
			t.Errorf("%s: candidate %d: %+v", name, m.Candidate, m)
		} else if member {
			inside = max(inside, float64(m.Score))
		} else {
			outside = min(outside, float64(m.Score))
		}
	}
	if len(f.Members) <= rows || !(inside < within) || !(outside > 0.1) {
		t.Errorf("%s: %d judged; members up to %.3g, others from %.3g", name, len(f.Members), inside, outside)
	}
}

func TestRowSpace_TellsRowsFromStrangers(t *testing.T) {
	f := small(t, 4, 12, ring(5))
	type seen struct {
		rec *Recording
		pub *model.Public
	}
	get := func(r *Recording, p *model.Public) seen { return seen{r, p} }
	within := map[string]float64{"admm": 1e-9, "m-admm": 1e-6, "r-admm": 1e-9, "dgd": 1e-12, "edge-admm": 1e-9}
	for name, c := range map[string]seen{
		"admm": get(run(t, f, "admm", 12, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })),
		"m-admm": get(run(t, f, "m-admm", 12, sim.Link{}, func(p *algorithms.MADMM) {
			p.Eta, p.Theta = *growing(5),
				*constant(0.2)
		})),
		"r-admm": get(run(t, f, "r-admm", 24, sim.Link{}, func(p *algorithms.RADMM) { p.Eta, p.Gamma = 0.3, 0.2 })),
		"dgd": get(run(t, f, "dgd", 12, sim.Link{}, func(p *algorithms.DGD) {
			p.Step, p.Decay = *constant(0.8),
				"sqrt"
		})),
		"edge-admm": get(run(t, f, "edge-admm", 12, sim.Link{}, func(p *algorithms.EdgeADMM) {
			p.Eta,
				p.Relaxation = 0.3, 0.4
		})),
	} {
		got := carry(t, "row-space", Observe(c.rec, Vantage{}, c.pub, &Knowledge{Victim: 1, Candidates: f.lineup(1)}))
		membersAre(t, name, got, 4, within[name])
		if len(got.Unseen) > 0 {
			t.Errorf("%s: unseen %q", name, got.Unseen)
		}
		if !got.Checks[0].Holds {
			t.Errorf("%s: %+v", name, got.Checks[0])
		}
	}
	// Who joins late misses the dual, the same vector in all rounds.
	rec, pub := run(t, f, "admm", 16, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	got := carry(t, "row-space", Observe(rec, Vantage{From: 3}, pub, &Knowledge{Victim: 1, Candidates: f.lineup(1)}))
	membersAre(t, "late joiner", got, 4, 1e-6)
	if len(got.Unseen) == 0 {
		t.Error("a late joiner has seen everything")
	}
	// Lost rounds leave the rest.
	rec.Messages = slices.DeleteFunc(rec.Messages, func(m record.Message) bool { return m.Src == 1 && m.Round == 6 })
	got = carry(t, "row-space", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 1, Candidates: f.lineup(1)}))
	membersAre(t, "a round lost", got, 4, 1e-6)
	if !slices.ContainsFunc(got.Unseen, func(s string) bool {
		return strings.Contains(s,
			"value of node 1 in round 6")
	}) {
		t.Errorf("unseen %q", got.Unseen)
	}
}

func TestRowSpace_FailsAndSaysWhy(t *testing.T) {
	wide, narrow := small(t, 4, 12, ring(5)), small(t, 7, 4, ring(5))
	rec, pub := run(t, wide, "dvp", 30, sim.Link{}, func(p *algorithms.DVP) { p.Eta, p.Alpha = 0.3, *constant(3) })
	noise := carry(t, "row-space", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 1, Candidates: wide.lineup(1)}))
	rec, pub = run(t, narrow, "admm", 30, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	many := carry(t, "row-space", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 1, Candidates: narrow.lineup(1)}))
	rec, pub = run(t, wide, "admm", 3, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	short := carry(t, "row-space", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 1, Candidates: wide.lineup(1)}))
	for _, c := range []struct {
		f    *record.Finding
		says string
	}{{noise, "the noise fills them"}, {many, "at least as many rows as columns"},
		{short, "at least 3 rows"}} {
		if c.f.Succeeded != record.Failed || !strings.Contains(c.f.Conclusion, c.says) ||
			len(c.f.Members)+len(c.f.Facts) > 0 {
			t.Errorf("%+v, want %q", c.f, c.says)
		}
	}
	rec, pub = run(t, wide, "m-admm", 12, sim.Link{}, func(p *algorithms.MADMM) {
		p.Eta, p.Theta = *growing(5),
			*constant(0.2)
	})
	pub = pub.Without(model.Penalty)
	if b := carry(t, "row-space", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 1})); b.Succeeded != record.Blocked ||
		!strings.Contains(b.Conclusion, "penalties are hidden") {
		t.Errorf("%+v", b)
	}
}

// RA19's private penalties come out in even rounds, and the rows with them.
func TestRowSpace_RecyclingGivesHiddenPenaltiesAway(t *testing.T) {
	f := small(t, 4, 12, ring(5))
	rec, pub := run(t, f, "mr-admm", 24, sim.Link{}, func(p *algorithms.MRADMM) { p.Eta, p.Gamma = *growing(5), 0.5 })
	pub = pub.Without(model.Penalty)
	got := carry(t, "row-space", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 1, Candidates: f.lineup(1)}))
	membersAre(t, "mr-admm, private penalties", got, 4, 1e-6)
	if hidden, _ := pub.Hides(); !hidden {
		t.Error("what is public has changed")
	}
}

// Its only row is all that a node's gradients can point along.
func TestRowSpace_OneRowIsFoundWhole(t *testing.T) {
	f := small(t, 1, 6, ring(5))
	rec, pub := run(t, f, "admm", 12, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	for victim := range 5 {
		truth := f.samples(victim).At(0)
		knows := &Knowledge{Victim: victim, Schema: &Schema{Intercept: 5}}
		got := carry(t, "row-space", Observe(rec, Vantage{}, pub, knows))
		if len(got.Estimates) != 1 {
			t.Fatalf("%+v", got)
		}
		e := got.Estimates[0]
		if r := relative(e.X, truth.X); !(r < 1e-9) || e.Y != truth.Y || !(math.Abs(num.Norm(e.X)-1) <= 1e-12) {
			t.Errorf("node %d: error %.3g, label %v, want %v", victim, r, e.Y, truth.Y)
		}
		late := carry(t, "row-space", Observe(rec, Vantage{From: 2}, pub, knows))
		if e := late.Estimates[0]; !(relative(e.X, truth.X) < 1e-8) || e.Y != 0 {
			t.Errorf("node %d, late joiner: error %.3g, label %v, which differences leave open", victim,
				relative(e.X, truth.X), e.Y)
		}
		if none := carry(t, "row-space", Observe(rec, Vantage{}, pub, &Knowledge{Victim: victim,
			Schema: &Schema{Intercept: -1}})); len(none.Estimates) != 0 {
			t.Error("estimated without an intercept")
		}
	}
}

// Without a candidate outside the span, its rank may be that of the columns, as of one-hot columns beside an
// intercept: nothing says that the rows end there, and a right rank is no exact finding.
func TestRowSpace_RankOfColumnsIsNoNumberOfRows(t *testing.T) {
	f := small(t, 9, 5, ring(5))
	for i := range f.problem.Shards { // an intercept and two columns of one attribute add up
		u := f.problem.Shards[i].U
		for n := range u.Len() {
			_, x := u.Row(n)
			x[3] = x[4] - x[2]
		}
	}
	rec, pub := run(t, f, "admm", 30, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	knows := &Knowledge{Victim: 1}
	got := carry(t, "row-space", Observe(rec, Vantage{}, pub, knows))
	if len(got.Facts) != 1 || got.Facts[0].Values[0] != 4 {
		t.Fatalf("%+v", got)
	}
	for _, says := range []string{"the data of node 1 have rank 4",
		"at least so many rows, and more if columns depend"} {
		if !strings.Contains(got.Conclusion, says) {
			t.Errorf("%q does not say %q", got.Conclusion, says)
		}
	}
	truth := &Truth{Knows: knows, Fact: func(*record.Fact) ([]float64, bool) { return []float64{4}, true }}
	if Score(got, truth); got.Succeeded != record.Partial {
		t.Errorf("the outcome is %s: %s", got.Succeeded, got.Conclusion)
	}
	// One row of another span shows that the rows end it.
	wide := small(t, 4, 12, ring(5))
	rec, pub = run(t, wide, "admm", 12, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	knows = &Knowledge{Victim: 1, Candidates: wide.lineup(1)}
	got = carry(t, "row-space", Observe(rec, Vantage{}, pub, knows))
	truth.Knows = knows
	if Score(got, truth); got.Succeeded != record.Exact || strings.Contains(got.Conclusion, "at least") {
		t.Errorf("the outcome is %s: %s", got.Succeeded, got.Conclusion)
	}
}

// Of a loss with straight parts rows may add nothing, or the same in every round, and hide: how many there are at least
// is all that can be said.
func TestRowSpace_HiddenRows(t *testing.T) {
	for _, loss := range []problem.Loss{problem.HuberHinge{Width: 0.1}, problem.HuberHinge{Width: 0.5}} {
		f := small(t, 6, 14, ring(5))
		f.problem.Loss, f.problem.C = loss, 200
		for i := range f.problem.R {
			f.problem.R[i] = 1e-3 // models get large, and margins beyond 1 + h
		}
		rec, pub := run(t, f, "admm", 40, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
		knows := &Knowledge{Victim: 1, Candidates: f.lineup(1)}
		got := carry(t, "row-space", Observe(rec, Vantage{}, pub, knows))
		if len(got.Facts) != 1 {
			t.Fatalf("%+v", got)
		}
		fact := got.Facts[0]
		if fact.Kind != record.LeastRank || !(fact.Values[0] <= 6) ||
			!strings.Contains(got.Conclusion, "at least") {
			t.Errorf("%v: %+v: %s", loss, fact, got.Conclusion)
		}
		truth := &Truth{Knows: knows, Fact: func(*record.Fact) ([]float64, bool) { return []float64{6}, true }}
		if Score(got, truth); got.Succeeded == record.Exact {
			t.Errorf("%v: the outcome is %s: %s", loss, got.Succeeded, got.Conclusion)
		}
	}
}

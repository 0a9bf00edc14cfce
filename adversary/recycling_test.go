// The recycling check on true recordings, on one that was altered, and with
// private penalties.

package adversary

import (
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/parameter"
	"overhear/record"
	"overhear/sim"
)

// carry carries an attack out.
func carry(t testing.TB, name string, v *View) *record.Finding {
	t.Helper()
	a, ok := Lookup(name)
	if !ok {
		t.Fatalf("no attack is called %s", name)
	}
	f, err := a.Carry(v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// truth is what a node published in a round.
func (r *Recording) truth(t testing.TB, node, round int) []float64 {
	t.Helper()
	for _, i := range r.Iterates {
		if int(i.Node) == node && int(i.Round) == round {
			return i.Values
		}
	}
	t.Fatalf("node %d published nothing in round %d", node, round)
	return nil
}

// growing penalties differ by node.
func growing(n int) *parameter.Schedule {
	s := new(parameter.Schedule)
	for i := range n {
		s.Nodes = append(s.Nodes, parameter.Sequence{Initial: 0.3 + 0.1*float64(i), Ratio: 1.04})
	}
	return s
}

func TestRecycling_EvenRoundsFollowFromMessages(t *testing.T) {
	f := small(t, 6, 5, ring(5))
	get := func(r *Recording, p *model.Public) *View { return Observe(r, Vantage{}, p, &Knowledge{Victim: 2}) }
	for name, v := range map[string]*View{
		"r-admm": get(run(t, f, "r-admm", 12, sim.Link{}, func(p *algorithms.RADMM) { p.Eta, p.Gamma = 0.3, 0.2 })),
		"mr-admm": get(run(t, f, "mr-admm", 12, sim.Link{}, func(p *algorithms.MRADMM) {
			p.Eta, p.Gamma = *growing(5),
				0.2
		})),
		"private-r-admm": get(run(t, f, "private-r-admm", 12, sim.Link{}, func(p *algorithms.PrivateRADMM) {
			p.Eta, p.Gamma, p.Alpha = 0.3, 0.2, *constant(2)
		})),
		"private-mr-admm": get(run(t, f, "private-mr-admm", 12, sim.Link{Loss: 0.2}, func(p *algorithms.PrivateMRADMM) {
			p.Eta, p.Gamma, p.Alpha = *growing(5), 0, *constant(2)
		})),
	} {
		got := carry(t, "recycling", v)
		if len(got.Checks) != 5 || len(got.Facts) != 0 || len(got.Unseen) != 0 {
			t.Errorf("%s: %d checks, %d facts, unseen %q", name, len(got.Checks), len(got.Facts), got.Unseen)
		}
		for _, c := range got.Checks {
			if !c.Holds || !(c.Measured <= 1e-13) || !strings.HasPrefix(c.Detail, "6 of 6") {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}

func TestRecycling_NamesNodeAndRoundOfAChange(t *testing.T) {
	f := small(t, 6, 5, ring(5))
	rec, pub := run(t, f, "private-r-admm", 12, sim.Link{}, func(p *algorithms.PrivateRADMM) {
		p.Eta, p.Gamma, p.Alpha = 0.3, 0.2, *constant(2)
	})
	for k, i := range rec.Iterates {
		if i.Node == 3 && i.Round == 8 {
			rec.Iterates[k].Values = slices.Clone(i.Values)
			rec.Iterates[k].Values[1] += 1e-6 * num.Norm(i.Values)
		}
	}
	got := carry(t, "recycling", Observe(rec, Vantage{}, pub, nil))
	if !strings.Contains(got.Conclusion, "first at node 3 in round 8") {
		t.Errorf("%s", got.Conclusion)
	}
	if c := got.Checks[3]; c.Holds || !(c.Measured >= 1e-8) || !(c.Measured <= 1e-5) {
		t.Errorf("%+v", c)
	}
}

// An even round is one equation for each column in one unknown, η.
func TestRecycling_EvenRoundsGiveThePrivatePenalty(t *testing.T) {
	f := small(t, 6, 5, ring(5))
	penalties := growing(5)
	for _, gamma := range []float64{0.3, 0} {
		rec, pub := run(t, f, "private-mr-admm", 10, sim.Link{}, func(p *algorithms.PrivateMRADMM) {
			p.Eta, p.Gamma, p.Alpha = *penalties, gamma, *constant(2)
		})
		pub = pub.Without(model.Penalty)
		got := carry(t, "recycling", Observe(rec, Vantage{}, pub, nil))
		for _, c := range got.Checks {
			if !c.Holds {
				t.Errorf("γ = %v: %+v", gamma, c)
			}
		}
		if want := map[bool]int{true: 25, false: 0}[gamma > 0]; len(got.Facts) != want {
			t.Fatalf("γ = %v: %d penalties, want %d: %s", gamma, len(got.Facts), want, got.Conclusion)
		}
		for _, fact := range got.Facts {
			want := penalties.At(fact.Node, (fact.Round+1)/2)
			if e := math.Abs(fact.Values[0]/want - 1); !(e < 1e-10) || fact.Round%2 == 0 {
				t.Errorf("node %d, round %d: η = %v, want %v", fact.Node, fact.Round, fact.Values[0], want)
			}
		}
		if gamma == 0 && !strings.Contains(got.Conclusion, "γ = 0") {
			t.Errorf("%s", got.Conclusion)
		}
	}
}

func TestRecycling_SaysWhatWasNotSeen(t *testing.T) {
	f := small(t, 6, 5, ring(5))
	rec, pub := run(t, f, "r-admm", 12, sim.Link{}, func(p *algorithms.RADMM) { p.Eta, p.Gamma = 0.3, 0.2 })
	rec.Messages = slices.DeleteFunc(rec.Messages, func(m record.Message) bool { return m.Src == 1 && m.Round == 5 })
	got := carry(t, "recycling", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 1}))
	if len(got.Unseen) != 1 || !strings.Contains(got.Unseen[0], "round 6: the value of node 1 in round 5") {
		t.Errorf("unseen %q", got.Unseen)
	}
	for _, c := range got.Checks {
		if !c.Holds {
			t.Errorf("%+v", c)
		}
	}
	if !strings.HasPrefix(got.Checks[1].Detail, "5 of 6") {
		t.Errorf("%+v", got.Checks[1])
	}
	late := carry(t, "recycling", Observe(rec, Vantage{From: 7}, pub, &Knowledge{Victim: 1}))
	if len(late.Checks) != 5 || !strings.HasPrefix(late.Checks[0].Detail, "2 of 6") { // rounds 10 and 12
		t.Errorf("late joiner: %+v", late.Checks)
	}
	if b := carry(t, "recycling", Observe(rec, Vantage{Links: [][2]int{{0, 1}}}, pub,
		&Knowledge{Victim: 1})); b.Succeeded != record.Blocked {
		t.Errorf("one link: %+v", b)
	}
	rec, pub = run(t, f, "admm", 4, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	if b := carry(t, "recycling", Observe(rec, Vantage{}, pub, nil)); b.Succeeded != record.Blocked {
		t.Errorf("admm: %+v", b)
	}
}

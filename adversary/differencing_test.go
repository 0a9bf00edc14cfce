// Gradient differencing on PDML: noise that decays gives a user away, noise that
// does not does not.

package adversary

import (
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/parameter"

	"overhear/algorithms"
	"overhear/record"
	"overhear/sim"
)

// registered runs pdml, adds the users' reports to the record and returns the samples
// as reported, by server.
func registered(t testing.TB, f *fixture, rounds int, link sim.Link, set func(*algorithms.PDML)) (*Recording,
	*model.Public,
	[]*Samples) {
	t.Helper()
	entry, _ := algorithms.Lookup("pdml")
	params := defaults[algorithms.PDML](t, entry)
	set(params)
	rec, pub := run(t, f, "pdml", rounds, link, set)
	m, err := entry.New(params, algorithms.Setting{Problem: f.problem, Graph: f.graph, Rounds: rounds})
	if err != nil {
		t.Fatal(err)
	}
	user := f.graph.Order()
	var reported []*Samples
	for i := range f.problem.Shards {
		s := new(Samples)
		for k := range f.samples(i).Y {
			r := m.(algorithms.Registering).Report(rec.Seed, i, k)
			rec.Reports = append(rec.Reports, record.Iterate{Node: int32(user), Values: r})
			s.Add(Sample{X: r[:f.problem.D], Y: r[f.problem.D]})
			user++
		}
		reported = append(reported, s)
	}
	return rec, pub, reported
}

// butOne is what is known of a server whose last user is not.
func (f *fixture) butOne(victim int, reported []*Samples) (*Knowledge, Sample) {
	all, others := reported[victim], new(Samples)
	last := len(all.Y) - 1
	for n := range last {
		others.Add(all.At(n))
	}
	return &Knowledge{
		Victim: victim, Size: last + 1, Others: others,
		Schema: &Schema{Sign: append([]bool{true}, make([]bool, f.problem.D-1)...), Intercept: f.problem.D - 1},
	}, all.At(last)
}

func best(f *record.Finding) record.Estimate { return f.Estimates[len(f.Estimates)-1] }

func TestDifferencing_DecayingNoiseGivesAUserAway(t *testing.T) {
	f := small(t, 4, 4, ring(5))
	for _, c := range []struct {
		name             string
		deviation, decay float64
		within           float64
		link             sim.Link
	}{
		{"iterates without noise to rounding", 1e-13, 0.9, 1e-8, sim.Link{}},
		{"noise that decays", 0.01, 0.5, 1e-5, sim.Link{}},
		{"noise that decays, packets lost", 0.01, 0.5, 1e-5, sim.Link{Loss: 0.2}},
	} {
		rec, pub, reported := registered(t, f, 60, c.link, func(p *algorithms.PDML) {
			p.Eta, p.Deviation, p.Decay, p.Bound, p.Epsilon = 0.3, *constant(c.deviation), c.decay, 1, parameter.One(1)
		})
		for victim := range 5 {
			k, want := f.butOne(victim, reported)
			got := carry(t, "gradient-differencing", Observe(rec, Vantage{}, pub, k))
			e := best(got)
			// (C/B)(e^ε + 1)/(e^ε − 1) is 0.54, more than twice the ball's radius of 0.2:
			// whatever the objective's noise is, the label shows.
			if r := relative(e.X, want.X); !(r < c.within) || e.Y != want.Y || got.Succeeded == record.Failed {
				t.Errorf("%s, node %d: error %.3g, label %v of %v", c.name, victim, r, e.Y, want.Y)
			}
			if len(got.Facts) != 59 || len(got.Checks) != 59 || len(got.Unseen) != 0 {
				t.Errorf("%s: %d facts, %d checks, unseen %q", c.name, len(got.Facts), len(got.Checks), got.Unseen)
			}
			for _, fact := range got.Facts {
				v := Observe(rec, Vantage{}, pub, k)
				if want, ok := trueDifference(v, reported[victim].U, fact.Round); !ok {
					t.Errorf("round %d has no difference", fact.Round)
				} else if off := relative(fact.Values, want); c.deviation < 1e-10 && fact.Round < 10 && !(off < 1e-5) {
					t.Errorf("%s, node %d, round %d: difference off by %.3g", c.name, victim, fact.Round, off)
				}
			}
		}
	}
}

func TestDifferencing_NoiseThatStaysHides(t *testing.T) {
	f := small(t, 4, 4, ring(5))
	rec, pub, reported := registered(t, f, 60, sim.Link{}, func(p *algorithms.PDML) {
		p.Eta, p.Deviation, p.Decay, p.Bound, p.Epsilon = 0.3, *constant(1), 1, 1, parameter.One(1)
	})
	for victim := range 5 {
		k, want := f.butOne(victim, reported)
		got := carry(t, "gradient-differencing", Observe(rec, Vantage{}, pub, k))
		if r := relative(best(got).X, want.X); got.Succeeded != record.Failed ||
			!strings.Contains(got.Conclusion, "is hidden") || !(r > 0.1) {
			t.Errorf("node %d: error %.3g, %s", victim, r, got.Conclusion)
		}
		for _, c := range got.Checks { // √d √2 (r + 2ηV) v with v = 1
			v := float64(f.graph.Degree(victim))
			if want := math.Sqrt(2*4) * (0.02 + 2*0.3*v); !(math.Abs(float64(c.Measured)/want-1) <= 1e-12) {
				t.Errorf("node %d: %+v, want %v", victim, c, want)
			}
		}
	}
}

// A ball that has room for both needs tells nothing about the label, and neither
// does one whose offset is joined by an unknown dual.
func TestDifferencing_TheLabelNeedsTheBall(t *testing.T) {
	f := small(t, 4, 4, ring(5))
	wide := func(p *algorithms.PDML) {
		p.Eta, p.Deviation, p.Decay, p.Bound, p.Epsilon = 0.3, *constant(0.01), 0.5, 5, parameter.One(1)
	}
	narrow := func(p *algorithms.PDML) { wide(p); p.Bound = 1 }
	open, shut := 0, 0
	for _, c := range []struct {
		set func(*algorithms.PDML)
		w   Vantage
	}{{wide, Vantage{}}, {narrow, Vantage{From: 4}}} {
		rec, pub, reported := registered(t, f, 60, sim.Link{}, c.set)
		for victim := range 5 {
			k, want := f.butOne(victim, reported)
			got := carry(t, "gradient-differencing", Observe(rec, c.w, pub, k))
			e := best(got)
			if r := relative(e.X, want.X); !(r < 1e-2) {
				t.Errorf("bound %v, from %d, node %d: error %.3g, %s", pub.Method.(model.FixedNoise).FixedRadius(pub),
					c.w.From, victim, r, got.Conclusion)
			}
			switch e.Y {
			case 0:
				open++
			case want.Y:
				shut++
			default:
				t.Errorf("node %d: label %v, want %v", victim, e.Y, want.Y)
			}
			if late := c.w.From > 0; late != (len(got.Unseen) > 0) || late && e.Y != 0 {
				t.Errorf("from %d, label %v, unseen %q", c.w.From, e.Y, got.Unseen)
			}
		}
	}
	if open < 6 { // the five late ones, and of the others one at least
		t.Errorf("%d labels are open, %d are not", open, shut)
	}
}

func TestDifferencing_LostRoundsAndWhatIsNotKnown(t *testing.T) {
	f := small(t, 4, 4, ring(5))
	rec, pub, reported := registered(t, f, 60, sim.Link{}, func(p *algorithms.PDML) {
		p.Eta, p.Deviation, p.Decay, p.Bound, p.Labels = 0.3, *constant(0.01), 0.5, 1, "true"
	})
	k, want := f.butOne(1, reported)
	if want.Y != f.samples(1).At(3).Y {
		t.Fatal("labels: true has flipped one")
	}
	rec.Messages = slices.DeleteFunc(rec.Messages, func(m record.Message) bool { return m.Src == 2 && m.Round == 9 })
	got := carry(t, "gradient-differencing", Observe(rec, Vantage{}, pub, k))
	if r := relative(best(got).X, want.X); !(r < 1e-4) || !slices.ContainsFunc(got.Unseen,
		func(s string) bool { return strings.Contains(s, "value of node 2 in round 9") }) {
		t.Errorf("error %.3g, %s, unseen %q", r, got.Conclusion, got.Unseen)
	}
	alone := carry(t, "gradient-differencing", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 1}))
	if len(alone.Estimates) != 0 || len(alone.Facts) == 0 {
		t.Errorf("%+v", alone)
	}
	if b := carry(t, "gradient-differencing", Observe(rec, Vantage{Links: [][2]int{{3, 4}}}, pub,
		k)); b.Succeeded != record.Blocked {
		t.Errorf("%+v", b)
	}
	rec, pub = run(t, f, "admm", 4, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	if b := carry(t, "gradient-differencing", Observe(rec, Vantage{}, pub, k)); b.Succeeded != record.Blocked ||
		!strings.Contains(b.Conclusion, "method admm") {
		t.Errorf("%+v", b)
	}
}

// The linear term of users with ε of their own is the same in all rounds as well: x is found, but not the sign of y′x,
// whose need of noise depends on the user's ε.
func TestDifferencing_UsersWithBudgetsOfTheirOwn(t *testing.T) {
	f := small(t, 4, 4, ring(5))
	rec, pub, reported := registered(t, f, 60, sim.Link{}, func(p *algorithms.PDML) {
		p.Eta, p.Deviation, p.Decay, p.Bound = 0.3, *constant(1e-13), 0.9, 1
		p.Epsilon = parameter.Budgets{Budget: parameter.Budget{List: []float64{0.5, 1, 2}}}
	})
	for victim := range 5 {
		k, want := f.butOne(victim, reported)
		for n := range k.Others.Y {
			k.Others.Debias = append(k.Others.Debias, 1/math.Expm1([]float64{0.5, 1, 2}[n%3]))
		}
		got := carry(t, "gradient-differencing", Observe(rec, Vantage{}, pub, k))
		e := best(got)
		mirrored := make([]float64, len(e.X))
		for c := range mirrored {
			mirrored[c] = -e.X[c]
		}
		if r := math.Min(relative(e.X, want.X), relative(mirrored, want.X)); !(r < 1e-8) ||
			!strings.Contains(got.Conclusion, "but for the sign") {
			t.Errorf("node %d: error %.3g, %s", victim, r, got.Conclusion)
		}
	}
}

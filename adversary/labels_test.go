// Label inference: what reports tell, what a model adds, and what was not seen.

package adversary

import (
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/parameter"
	"overhear/record"
	"overhear/sim"
)

// separable gives every row the label of its second column, so that a model can
// learn it.
func separable(t *testing.T, rows int) *fixture {
	f := small(t, rows, 4, ring(5))
	for i := range f.problem.Shards {
		s := new(Samples)
		old := f.samples(i)
		for n := range old.Y {
			x := old.At(n).X
			s.Add(Sample{X: x, Y: math.Copysign(1, x[1])})
		}
		f.problem.Shards[i].U, f.problem.Shards[i].Y = s.U, s.Y
	}
	return f
}

// right is the share of right guesses among those of a server's users.
func right(t *testing.T, f *fixture, server int, got *record.Finding) float64 {
	t.Helper()
	first := f.graph.Order()
	for i := range server {
		first += len(f.samples(i).Y)
	}
	n := 0
	for _, l := range got.Labels {
		k := l.User - first
		if k < 0 || k >= len(f.samples(server).Y) {
			t.Fatalf("user %d is not of server %d", l.User, server)
		}
		if l.Guess == f.samples(server).Y[k] {
			n++
		}
		if !(l.Confidence >= 0.5) {
			t.Errorf("%+v", l)
		}
	}
	return float64(n) / float64(len(got.Labels))
}

func TestLabelInference_ReportsAndModel(t *testing.T) {
	f := separable(t, 400)
	const epsilon = 0.8
	rec, pub, reported := registered(t, f, 30, sim.Link{}, func(p *algorithms.PDML) {
		p.Eta, p.Epsilon, p.Bound, p.Deviation, p.Decay = 0.3, parameter.One(epsilon), 0.1, *constant(0.01), 0.8
	})
	bound := math.Exp(epsilon) / (1 + math.Exp(epsilon))
	spread := 4 * math.Sqrt(bound*(1-bound)/400) // four standard deviations
	for server := range 5 {
		k := &Knowledge{Victim: server, Size: 400}
		// What users send alone: links to their server, not those between servers.
		var links [][2]int
		for u := range 400 {
			links = append(links, [2]int{server, 5 + 400*server + u})
		}
		alone := carry(t, "label-inference", Observe(rec, Vantage{Links: links}, pub, k))
		for n, l := range alone.Labels {
			if l.Guess != reported[server].Y[n] || !(math.Abs(float64(l.Confidence)-bound) <= 1e-15) {
				t.Fatalf("server %d: %+v, reported %v", server, l, reported[server].Y[n])
			}
		}
		if a := right(t, f, server, alone); len(alone.Labels) != 400 || !(math.Abs(a-bound) <= spread) ||
			!(math.Abs(float64(alone.Checks[0].Measured)-bound) <= 1e-15) || len(alone.Checks) != 1 {
			t.Errorf("server %d: %d reports, %.3g of them right, want %.3g ± %.3g; %+v", server, len(alone.Labels), a,
				bound, spread, alone.Checks)
		}
		if !slices.Contains(alone.Unseen, "every server's iterates: there is no model") {
			t.Errorf("unseen %q", alone.Unseen)
		}
		both := carry(t, "label-inference", Observe(rec, Vantage{}, pub, k))
		a := right(t, f, server, both)
		if !(a > bound+spread) || len(both.Labels) != 400 || len(both.Unseen) != 0 {
			t.Errorf("server %d: with the model %.3g right, want more than %.3g; unseen %q", server, a, bound,
				both.Unseen)
		}
		if c := both.Checks[1]; c.Holds || !(float64(c.Measured) > bound) ||
			!strings.Contains(both.Conclusion, "inference and no leak") {
			t.Errorf("server %d: %+v, %s", server, c, both.Conclusion)
		}
	}
	// The posterior by Bayes' rule, in its plainest form.
	w := make([]float64, 4)
	for i := range 5 {
		num.Axpy(0.2, rec.truth(t, i, 30), w)
	}
	both := carry(t, "label-inference", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 2}))
	for n, l := range both.Labels {
		a := reported[2].At(n)
		z := num.Dot(w, a.X)
		plus, minus := 1/(1+math.Exp(-z)), 1/(1+math.Exp(z))
		if a.Y > 0 {
			plus, minus = plus*bound, minus*(1-bound)
		} else {
			plus, minus = plus*(1-bound), minus*bound
		}
		p := plus / (plus + minus)
		if want := math.Max(p, 1-p); !(math.Abs(float64(l.Confidence)-want) <= 1e-12) || (l.Guess > 0) != (p > 0.5) {
			t.Fatalf("user %d: %+v, want probability %v of +1", l.User, l, p)
		}
	}
}

// Labels that are noise teach no model, and the bound stands.
func TestLabelInference_NothingToLearn(t *testing.T) {
	f := small(t, 400, 4, ring(5)) // labels are drawn without regard to x
	rec, pub, _ := registered(t, f, 30, sim.Link{}, func(p *algorithms.PDML) {
		p.Eta, p.Epsilon, p.Bound, p.Deviation, p.Decay = 0.3, parameter.One(0.8), 0.1, *constant(0.01), 0.8
	})
	bound := math.Exp(0.8) / (1 + math.Exp(0.8))
	spread := 4 * math.Sqrt(bound*(1-bound)/400)
	for server := range 5 {
		got := carry(t, "label-inference", Observe(rec, Vantage{}, pub, &Knowledge{Victim: server}))
		if a := right(t, f, server, got); !(math.Abs(a-bound) <= spread) {
			t.Errorf("server %d: %.3g right, want %.3g ± %.3g", server, a, bound, spread)
		}
	}
	// True labels are reported as they are.
	rec, pub, _ = registered(t, f, 5, sim.Link{}, func(p *algorithms.PDML) {
		p.Eta, p.Labels, p.Deviation = 0.3, "true",
			*constant(0.01)
	})
	got := carry(t, "label-inference", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 1}))
	if a := right(t, f, 1, got); a != 1 || got.Labels[0].Confidence != 1 || got.Checks[1].Measured != 1 ||
		!got.Checks[1].Holds {
		t.Errorf("%.3g of the true labels are right; %+v, %+v", a, got.Labels[0], got.Checks)
	}
}

func TestLabelInference_ReportsThatWereNotSeen(t *testing.T) {
	f := separable(t, 100)
	rec, pub, _ := registered(t, f, 30, sim.Link{Loss: 0.2}, func(p *algorithms.PDML) {
		p.Eta, p.Epsilon, p.Bound, p.Deviation, p.Decay = 0.3, parameter.One(1), 0.1, *constant(0.01), 0.8
	})
	// Of server 1's users 105 to 204, those from 107 on but for 150; and a link
	// between servers.
	links := [][2]int{{1, 2}}
	for u := 107; u < 205; u++ {
		if u != 150 {
			links = append(links, [2]int{1, u})
		}
	}
	k := &Knowledge{Victim: 1, Size: 100, Candidates: f.samples(1)}
	got := carry(t, "label-inference", Observe(rec, Vantage{Links: links}, pub, k))
	if len(got.Labels) != 97 || !slices.Equal(got.Unseen, []string{"the reports of users 150",
		"the reports of 2 users of server 1"}) {
		t.Errorf("%d labels, unseen %q", len(got.Labels), got.Unseen)
	}
	right(t, f, 1, got)
	var guessed []int
	for _, m := range got.Members {
		guessed = append(guessed, m.Candidate)
		z := 0.0
		for _, server := range []int{1, 2} {
			z += num.Dot(rec.truth(t, server, 30), f.samples(1).At(m.Candidate).X) / 2
		}
		if m.Label != math.Copysign(1, z) || !(math.Abs(float64(m.Score)-1/(1+math.Exp(math.Abs(z)))) <= 1e-12) ||
			m.Member {
			t.Errorf("%+v, w·x = %v", m, z)
		}
	}
	if !slices.Equal(guessed, []int{0, 1, 45}) {
		t.Errorf("candidates %v have guesses", guessed)
	}
	// The sign of a candidate's label must not matter: it is what is wanted.
	mirrored := new(Samples)
	for n := range f.samples(1).Y {
		a := f.samples(1).At(n)
		mirrored.Add(Sample{X: a.X, Y: -a.Y})
	}
	k.Candidates = mirrored
	if again := carry(t, "label-inference", Observe(rec, Vantage{Links: links}, pub, k)); !slices.Equal(again.Members,
		got.Members) {
		t.Error("the candidates' own labels enter the guesses")
	}
	// Server 0's users begin at 5.
	first := carry(t, "label-inference", Observe(rec, Vantage{Links: [][2]int{{0, 7}}}, pub,
		&Knowledge{Victim: 0, Size: 4}))
	if !slices.Contains(first.Unseen, "the reports of users 5, 6, 8") {
		t.Errorf("unseen %q", first.Unseen)
	}
	if b := carry(t, "label-inference", Observe(rec, Vantage{Links: [][2]int{{0, 1}}}, pub,
		&Knowledge{Victim: 3})); b.Succeeded != record.Blocked {
		t.Errorf("%+v", b)
	}
	admm, public := run(t, f, "admm", 2, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	if b := carry(t, "label-inference", Observe(admm, Vantage{}, public, nil)); b.Succeeded != record.Blocked ||
		!strings.Contains(b.Conclusion, "method admm") {
		t.Errorf("%+v", b)
	}
}

// A user's report is worth what its own ε says, and the bound is the mean of what reports are worth.
func TestLabelInference_UsersWithBudgetsOfTheirOwn(t *testing.T) {
	f := small(t, 400, 4, ring(5))
	list := []float64{0.3, 2}
	rec, pub, reported := registered(t, f, 5, sim.Link{}, func(p *algorithms.PDML) {
		p.Eta, p.Bound, p.Deviation = 0.3, 0.1, *constant(0.01)
		p.Epsilon = parameter.Budgets{Budget: parameter.Budget{List: list}}
	})
	var links [][2]int
	for u := range 400 {
		links = append(links, [2]int{0, 5 + u})
	}
	got := carry(t, "label-inference", Observe(rec, Vantage{Links: links}, pub, &Knowledge{Victim: 0, Size: 400}))
	worth := func(e float64) float64 { return math.Exp(e) / (1 + math.Exp(e)) }
	for n, l := range got.Labels {
		if want := worth(list[n%2]); l.Guess != reported[0].Y[n] || !(math.Abs(float64(l.Confidence)-want) <= 1e-12) {
			t.Fatalf("user %d: %+v, its report is worth %v", n, l, want)
		}
	}
	want := (worth(0.3) + worth(2)) / 2
	spread := 4 * math.Sqrt(want*(1-want)/400)
	if c := got.Checks[0]; len(got.Labels) != 400 || !(math.Abs(float64(c.Bound)-want) <= 1e-12) ||
		!(math.Abs(right(t, f, 0, got)-want) <= spread) {
		t.Errorf("%d labels, bound %v, want %v, right %v", len(got.Labels), c.Bound, want, right(t, f, 0, got))
	}
}

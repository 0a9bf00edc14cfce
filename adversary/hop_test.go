// One hop further: values of nodes that nobody overheard.

package adversary

import (
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/record"
	"overhear/sim"
)

// data are all data of some nodes.
func (f *fixture) data(nodes ...int) map[int]*Samples {
	all := map[int]*Samples{}
	for _, n := range nodes {
		all[n] = f.samples(n)
	}
	return all
}

// factsAre checks every fact against the recording and returns how many of each
// kind there are, and the largest relative error.
func factsAre(t *testing.T, f *fixture, rec *Recording, got *record.Finding) (sums, values int, worst float64) {
	t.Helper()
	for _, fact := range got.Facts {
		want := make([]float64, f.problem.D)
		switch fact.Kind {
		case record.PublishedValue:
			values++
			want = rec.truth(t, fact.Node, fact.Round)
		case record.NeighbourSum:
			sums++
			for _, k := range f.graph.Neighbours(fact.Node) {
				num.Axpy(1, rec.truth(t, int(k), fact.Round), want)
			}
		default:
			t.Fatalf("fact %q", fact.Kind)
		}
		off := append([]float64(nil), fact.Values...)
		num.Axpy(-1, want, off)
		if num.Norm(want) == 0 { // the start
			if !(num.Norm(off) <= 1e-9) {
				t.Errorf("%s of node %d in round %d is %v, want 0", fact.Kind, fact.Node, fact.Round, fact.Values)
			}
			continue
		}
		worst = max(worst, num.Norm(off)/num.Norm(want))
	}
	return sums, values, worst
}

// bound is what the attack says of its own error, if it is small.
func bound(f *record.Finding) float64 {
	for _, c := range f.Checks {
		if c.Holds && c.Measured < 1e-7 && c.Kind == record.SumPrecision {
			return float64(c.Measured)
		}
	}
	return math.NaN()
}

// admmLoop is ADMM in a plain loop, solved as far as rounding allows.
func (f *fixture) admmLoop(t *testing.T, rounds int, eta float64) *Recording {
	t.Helper()
	n, d := f.graph.Order(), f.problem.D
	now, dual := make([][]float64, n), make([][]float64, n)
	for i := range now {
		now[i], dual[i] = make([]float64, d), make([]float64, d)
	}
	rec := &Recording{}
	for round := range rounds + 1 {
		sum := make([][]float64, n)
		for i := range now {
			sum[i] = make([]float64, d)
			rec.Iterates = append(rec.Iterates, record.Iterate{Node: int32(i), Round: int32(round), Values: now[i]})
			for _, j := range f.graph.Neighbours(i) {
				rec.Messages = append(rec.Messages, record.Message{ID: uint64(len(rec.Messages)), Src: int32(i), Dst: j,
					Round: int32(round), SentNS: int64(2 * round), ReceivedNS: int64(2*round + 1),
					Kind: record.MessageValue})
				num.Axpy(1, now[j], sum[i])
			}
		}
		next := make([][]float64, n)
		for i := range now {
			v := float64(f.graph.Degree(i))
			q := make([]float64, d)
			for k := range q {
				if round > 0 {
					dual[i][k] += eta / 2 * (v*now[i][k] - sum[i][k])
				}
				q[k] = 2*dual[i][k] - eta*(v*now[i][k]+sum[i][k])
			}
			next[i] = append([]float64(nil), now[i]...)
			stats, err := f.problem.NewSolver(i, 1e-15).Solve(f.problem.NewScratch(), next[i], q, 2*eta*v)
			if err != nil && !(stats.Residual <= 1e-14) {
				t.Fatal(err)
			}
		}
		now = next
	}
	return rec
}

// Where solves are exact to rounding, so is what follows, after many rounds too.
func TestOneHop_RoundingDoesNotGrow(t *testing.T) {
	f := small(t, 7, 4, ring(5))
	const rounds = 300
	rec := f.admmLoop(t, rounds, 0.7)
	public := f.public(rounds)
	public.Tolerance = 1e-14
	pub := known(t, "admm", algorithms.ADMM{Eta: 0.7}, public)
	got := carry(t, "one-hop", Observe(rec, Vantage{Links: [][2]int{{0, 1}, {0, 4}}}, pub,
		&Knowledge{Victim: 3, Data: f.data(0, 1, 4)}))
	sums, values, worst := factsAre(t, f, rec, got)
	if sums != 3*(rounds-1) || values != 2*(rounds-1) || !(worst < 1e-13) {
		t.Errorf("%d sums, %d values, error %.3g", sums, values, worst)
	}
	t.Logf("error %.3g", worst)
}

func TestOneHop_FindsValuesThatWereNotSeen(t *testing.T) {
	f := small(t, 7, 4, ring(5)) // links 0–1, 1–2, 2–3, 3–4, 0–4, 0–2
	const rounds = 40
	type seen struct {
		rec *Recording
		pub *model.Public
	}
	get := func(r *Recording, p *model.Public) seen { return seen{r, p} }
	for name, c := range map[string]seen{
		"admm": get(run(t, f, "admm", rounds, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 1 })),
		"dvp": get(run(t, f, "dvp", rounds, sim.Link{Loss: 0.2}, func(p *algorithms.DVP) {
			p.Eta, p.Noise = 1,
				"off"
		})),
		"proximal-admm": get(run(t, f, "proximal-admm", rounds, sim.Link{}, func(p *algorithms.ProximalADMM) {
			p.Eta, p.Tau, p.Gamma, p.Noise = 1, 3, 0.9, "off"
		})),
		"m-admm": get(run(t, f, "m-admm", rounds, sim.Link{}, func(p *algorithms.MADMM) {
			p.Eta, p.Theta = *growing(5),
				*constant(0.3)
		})),
		"r-admm": get(run(t, f, "r-admm", rounds, sim.Link{}, func(p *algorithms.RADMM) { p.Eta, p.Gamma = 1, 0.2 })),
		"mr-admm": get(run(t, f, "mr-admm", rounds, sim.Link{}, func(p *algorithms.MRADMM) {
			p.Eta,
				p.Gamma = *growing(5), 0
		})),
		"pdml": get(run(t, f, "pdml", rounds, sim.Link{}, func(p *algorithms.PDML) {
			p.Eta, p.Labels,
				p.Noise = 1, "true", "off"
		})),
	} {
		for _, w := range []struct {
			links        [][2]int
			known        []int
			sums, values int // by round
			says         string
		}{
			{[][2]int{{0, 1}}, []int{1}, 1, 1, "determined are nodes 2"},
			{[][2]int{{0, 1}, {0, 4}}, []int{0, 1, 4}, 3, 2, "determined are nodes 2, 3"},
			{[][2]int{{0, 4}}, []int{0}, 1, 0, "in sums only, nodes 1, 2"},
			{[][2]int{{0, 4}}, []int{0, 4}, 2, 1, "determined are nodes 3; in sums only, nodes 1, 2"},
		} {
			got := carry(t, "one-hop", Observe(c.rec, Vantage{Links: w.links}, c.pub,
				&Knowledge{Victim: 2, Data: f.data(w.known...)}))
			sums, values, worst := factsAre(t, f, c.rec, got)
			// The start is known to be zero, so that its sum is no news.
			if n := rounds - 1; sums != n*w.sums || values != n*w.values || !(worst <= bound(got)) ||
				!strings.Contains(got.Conclusion, w.says) || len(got.Unseen) > 0 {
				t.Errorf("%s, data of %v: %d sums, %d values, error %.3g, %q, unseen %q", name, w.known, sums, values,
					worst, got.Conclusion, got.Unseen)
			}
		}
		// What colluders received agrees with what they can work out.
		got := carry(t, "one-hop", Observe(c.rec, Vantage{Nodes: []int{1}}, c.pub,
			&Knowledge{Victim: 2, Data: f.data(1)}))
		if len(got.Facts) != 0 || len(got.Checks) != 1 || !got.Checks[0].Holds || !(got.Checks[0].Bound < 1e-7) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestOneHop_NoiseEntersTheSums(t *testing.T) {
	f := small(t, 7, 4, ring(5))
	see := func(alpha float64) (*record.Finding, float64) {
		rec, pub := run(t, f, "dvp", 20, sim.Link{}, func(p *algorithms.DVP) { p.Eta, p.Alpha = 0.5, *constant(alpha) })
		got := carry(t, "one-hop", Observe(rec, Vantage{Links: [][2]int{{0, 1}}}, pub,
			&Knowledge{Victim: 2, Data: f.data(1)}))
		_, _, worst := factsAre(t, f, rec, got)
		return got, worst
	}
	much, off := see(0.1)
	if much.Succeeded != record.Failed || !strings.Contains(much.Conclusion, "noise enters every sum") || !(off > 0.5) {
		t.Errorf("much noise: %s, %s; error %.3g", much.Succeeded, much.Conclusion, off)
	}
	little, off := see(1e5)
	if little.Succeeded != record.Unscored || !strings.Contains(little.Conclusion, "noise enters every sum") ||
		!(off < 0.05 && off > 1e-8) {
		t.Errorf("little noise: %s, %s; error %.3g", little.Succeeded, little.Conclusion, off)
	}
}

// A dual that was not followed from the start is forgotten: half of what is
// wrong of it goes in every round.
func TestOneHop_LostRoundsFade(t *testing.T) {
	f := small(t, 7, 4, ring(5))
	rec, pub := run(t, f, "admm", 90, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 1 })
	knows := &Knowledge{Victim: 2, Data: f.data(1)}
	links := [][2]int{{0, 1}}
	late := carry(t, "one-hop", Observe(rec, Vantage{Links: links, From: 10}, pub, knows))
	sums, _, worst := factsAre(t, f, rec, late)
	// Round 11 is the first with two values; 2⁻⁴⁴ is below 1e-13.
	if sums != 90-11-44+1 || !(worst <= bound(late)) || len(late.Unseen) == 0 {
		t.Errorf("late joiner: %d sums, error %.3g, unseen %q", sums, worst, late.Unseen)
	}
	rec.Messages = slices.DeleteFunc(rec.Messages, func(m record.Message) bool { return m.Src == 1 && m.Round == 20 })
	lost := carry(t, "one-hop", Observe(rec, Vantage{Links: links}, pub, knows))
	sums, values, worst := factsAre(t, f, rec, lost)
	if want := 18 + 90 - 22 - 44 + 1; sums != want || values != want || !(worst <= bound(lost)) ||
		!slices.ContainsFunc(lost.Unseen, func(s string) bool {
			return strings.Contains(s,
				"value of node 1 in round 20")
		}) {
		t.Errorf("a value lost: %d sums, want %d, %d values, error %.3g, unseen %q", sums, want, values, worst,
			lost.Unseen)
	}
}

func TestOneHop_Blocked(t *testing.T) {
	f := small(t, 7, 4, ring(5))
	rec, pub := run(t, f, "edge-admm", 5, sim.Link{}, func(p *algorithms.EdgeADMM) { p.Eta, p.Relaxation = 0.3, 0.4 })
	admm, public := run(t, f, "admm", 5, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 1 })
	hidden := public.Without(model.Penalty)
	for _, c := range []struct {
		v    *View
		says string
	}{
		{Observe(rec, Vantage{}, pub, &Knowledge{Data: f.data(1)}), "method edge-admm"},
		{Observe(admm, Vantage{}, public, nil), "does not know all data"},
		{Observe(admm, Vantage{}, hidden, &Knowledge{Data: f.data(1)}), "hidden penalty"},
		{Observe(admm, Vantage{Links: [][2]int{{3, 4}}}, public, &Knowledge{Data: f.data(1)}),
			"no node whose data are known"},
	} {
		if got := carry(t, "one-hop", c.v); got.Succeeded != record.Blocked ||
			!strings.Contains(got.Conclusion, c.says) {
			t.Errorf("%s: %s, want %q", got.Succeeded, got.Conclusion, c.says)
		}
	}
}

// Runs of the real methods on a small random problem, recorded as a run
// directory would have them.

package adversary

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"overhear/adversary/model"

	"overhear/algorithms"
	"overhear/parameter"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// fixture is a problem on a graph. Rows have norm at most 1, their last column is
// an intercept and the first is never negative.
type fixture struct {
	problem *problem.Problem
	graph   *sim.Graph
}

// small makes a fixture of so many rows a node in d columns.
func small(t testing.TB, rows, d int, edges [][2]int) *fixture {
	t.Helper()
	n := 0
	for _, e := range edges {
		n = max(n, e[0]+1, e[1]+1)
	}
	g, err := sim.NewGraph(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(rows), uint64(d)))
	p := &problem.Problem{D: d, Loss: problem.Logistic, C: 1}
	for range n {
		s := new(Samples)
		for range rows {
			a := Sample{X: make([]float64, d), Y: float64(2*r.IntN(2) - 1)}
			norm := 0.0
			for k := range a.X {
				switch a.X[k] = 2*r.Float64() - 1; k {
				case 0:
					a.X[k] = math.Abs(a.X[k])
				case d - 1:
					a.X[k] = 1
				}
				norm += a.X[k] * a.X[k]
			}
			for k := range a.X {
				a.X[k] /= max(1, math.Sqrt(norm))
			}
			s.Add(a)
		}
		p.Shards = append(p.Shards, problem.Shard{U: s.U, Y: s.Y})
		p.R = append(p.R, 0.02)
	}
	return &fixture{p, g}
}

// ring is a ring of n nodes with a chord.
func ring(n int) (edges [][2]int) {
	for i := range n {
		edges = append(edges, [2]int{min(i, (i+1)%n), max(i, (i+1)%n)})
	}
	return append(edges, [2]int{0, n / 2})
}

// samples are a node's own.
func (f *fixture) samples(node int) *Samples {
	return &Samples{U: f.problem.Shards[node].U, Y: f.problem.Shards[node].Y}
}

// allBut is what the informed adversary knows of a victim, and what it wants.
func (f *fixture) allBut(victim, row int) (*Knowledge, Sample) {
	all, others := f.samples(victim), new(Samples)
	for n := range all.Y {
		if n != row {
			others.Add(all.At(n))
		}
	}
	return &Knowledge{
		Victim: victim, Size: len(all.Y), Others: others,
		Schema: &Schema{Sign: append([]bool{true}, make([]bool, f.problem.D-1)...), Intercept: f.problem.D - 1},
	}, all.At(row)
}

// watcher records what nodes publish.
type watcher struct{ *Recording }

func (w watcher) Published(p *algorithms.Publication) {
	w.Iterates = append(w.Iterates, record.Iterate{Node: int32(p.Node), Round: int32(p.Round), TimeNS: int64(p.At),
		Values: p.Values})
}
func (w watcher) Concluded(int, int, []float64) {}

// run runs a method, with parameters that set may change, and returns its record
// and what is public of it.
func run[P any](t testing.TB, f *fixture, method string, rounds int, link sim.Link, set func(*P)) (*Recording,
	*model.Public) {
	t.Helper()
	entry, ok := algorithms.Lookup(method)
	if !ok {
		t.Fatalf("no method is called %s", method)
	}
	params := defaults[P](t, entry)
	if set != nil {
		set(params)
	}
	setting := algorithms.Setting{Problem: f.problem, Graph: f.graph, Rounds: rounds, Seed: 1}
	m, err := entry.New(params, setting)
	if err != nil {
		t.Fatal(err)
	}
	rec := &Recording{Seed: 1}
	// A hundred times as exact as what attacks count on, so that their bounds are not reached by chance.
	c := algorithms.Config{Setting: setting, Method: m, Observer: watcher{rec},
		Tolerance: problem.DefaultTolerance / 100}
	if link.Loss > 0 {
		c.Retry, c.Deadline = 10e6, 60e9
	}
	if link.Latency.Kind == "" {
		link.Latency = sim.Latency{Kind: "constant", Value: 1e6}
	}
	protocol, err := algorithms.NewProtocol(c)
	if err != nil {
		t.Fatal(err)
	}
	e, err := sim.New(sim.Config{Seed: 1, Graph: protocol.Graph(), Workers: 1, Link: link, Sent: func(p *sim.Packet) {
		rec.Messages = append(rec.Messages, record.Message{
			ID: p.ID, Src: p.From, Dst: p.To, Round: p.Round, SentNS: int64(p.Sent), ReceivedNS: int64(p.Received),
			Kind: algorithms.Kinds[p.Kind],
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	protocol.Attach(e)
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := protocol.Unfinished(); err != nil {
		t.Fatal(err)
	}
	public := f.public(rounds)
	if public.Hub = entry.Star; public.Hub {
		public.R = append([]float64{0}, public.R...)
	}
	return rec, known(t, method, params, public)
}

// public is what is public of a run in lockstep from zero.
func (f *fixture) public(rounds int) model.Run {
	p := f.problem
	return model.Run{
		Graph: f.graph, D: p.D, Rounds: rounds, Loss: p.Loss, C: p.C, R: p.R, NonSmooth: p.NonSmooth,
		Zero:   true,
		Timing: model.Timing{Lockstep: true},
	}
}

// known is what is public of a run of a method.
func known(t testing.TB, method string, params any, run model.Run) *model.Public {
	t.Helper()
	p, err := model.New(method, params, run)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// defaults are a method's parameters before a scenario changes them; schedules
// have none that the zero value could hold.
func defaults[P any](t testing.TB, e *algorithms.Entry) *P {
	t.Helper()
	p, ok := e.Params().(*P)
	if !ok {
		t.Fatalf("method %s has parameters of type %T", e.Name, e.Params())
	}
	return p
}

// constant is a schedule of one value.
func constant(v float64) *parameter.Schedule {
	s := parameter.Constant(v)
	return &s
}

// trueGradient is (C/B) Σ L′(u·f) u of a node, row by row.
func (f *fixture) trueGradient(node int, at []float64) []float64 {
	u := f.problem.Shards[node].U
	g := make([]float64, f.problem.D)
	for n := range u.Len() {
		slope := -1 / (1 + math.Exp(u.Dot(n, at)))
		cols, vals := u.Row(n)
		for k, c := range cols {
			g[c] += f.problem.C / float64(u.Len()) * slope * vals[k]
		}
	}
	return g
}

func relative(got, want []float64) float64 {
	d, n := 0.0, 0.0
	for k, w := range want {
		d += (got[k] - w) * (got[k] - w)
		n += w * w
	}
	return math.Sqrt(d / n)
}

// What the messages say of a gradient is the gradient, for every method, where
// there is no noise.
func TestGradients_AreThoseOfTheData(t *testing.T) {
	f := small(t, 7, 4, ring(5))
	const rounds = 12
	penalties := &parameter.Schedule{Sequence: parameter.Sequence{Initial: 0.4, Ratio: 1.05}}
	type both struct {
		rec *Recording
		pub *model.Public
	}
	star := small(t, 7, 4, [][2]int{{0, 1}, {0, 2}, {0, 3}})
	star.problem.Shards, star.problem.R = star.problem.Shards[1:], star.problem.R[1:]
	get := func(r *Recording, p *model.Public) both { return both{r, p} }
	for name, c := range map[string]both{
		"admm": get(run(t, f, "admm", rounds, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })),
		"m-admm": get(run(t, f, "m-admm", rounds, sim.Link{}, func(p *algorithms.MADMM) {
			p.Eta,
				p.Theta = *penalties, *constant(0.2)
		})),
		"r-admm": get(run(t, f, "r-admm", rounds, sim.Link{}, func(p *algorithms.RADMM) {
			p.Eta, p.Gamma = 0.3,
				0.2
		})),
		"mr-admm": get(run(t, f, "mr-admm", rounds, sim.Link{}, func(p *algorithms.MRADMM) {
			p.Eta,
				p.Gamma = *penalties, 0.2
		})),
		"dgd": get(run(t, f, "dgd", rounds, sim.Link{}, func(p *algorithms.DGD) {
			p.Step,
				p.Decay = *constant(0.8), "sqrt"
		})),
		"edge-admm": get(run(t, f, "edge-admm", rounds, sim.Link{}, func(p *algorithms.EdgeADMM) {
			p.Eta,
				p.Relaxation = 0.3, 0.4
		})),
		"dp-admm": get(run(t, star, "dp-admm", rounds, sim.Link{}, func(p *algorithms.DPADMM) {
			p.Eta, p.Step, p.Epsilon, p.Delta, p.Noise = 0.3, 1, 1, 1e-5, "off"
		})),
	} {
		v := Observe(c.rec, Vantage{}, c.pub, nil)
		used := map[int]bool{}
		all, unseen := v.Gradients(1, 0)
		for _, g := range all {
			used[g.Round] = true
			truth := f.trueGradient(1, g.At)
			if name == "dp-admm" {
				truth = star.trueGradient(0, g.At)
			}
			if e := relative(g.Value, truth); !(e < 1e-8) || g.Offset != 0 || g.Nuisance != nil {
				t.Errorf("%s, round %d: relative error %.3g, %+v", name, g.Round, e, g)
			}
		}
		if want := map[bool]int{true: rounds / 2, false: rounds}[strings.HasSuffix(name,
			"r-admm")]; len(used) != want || len(unseen) > 0 {
			t.Errorf("%s: %d rounds, want %d; unseen %q", name, len(used), want, unseen)
		}
	}
}

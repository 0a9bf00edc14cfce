// A small random problem on a given graph, in a form that an independent
// implementation can read, and a run of it.

package algorithms

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"overhear/problem"
	"overhear/sim"
)

type fixture struct {
	rows     [][][]float64 // node, row, column; norm at most 1
	labels   [][]float64
	edges    [][2]int
	adjacent [][]int
	c, r     float64
	squared  bool
}

func newFixture(nodes, rows, d int, edges [][2]int) *fixture {
	g := rand.New(rand.NewPCG(1, uint64(nodes*100+d)))
	f := &fixture{edges: edges, adjacent: make([][]int, nodes), c: 1, r: 0.02}
	for _, e := range edges {
		f.adjacent[e[0]] = append(f.adjacent[e[0]], e[1])
		f.adjacent[e[1]] = append(f.adjacent[e[1]], e[0])
	}
	for range nodes {
		var xs [][]float64
		var ys []float64
		for range rows {
			x := make([]float64, d)
			for k := range x {
				x[k] = (2*g.Float64() - 1) / math.Sqrt(float64(d))
			}
			xs, ys = append(xs, x), append(ys, float64(2*g.IntN(2)-1))
		}
		f.rows, f.labels = append(f.rows, xs), append(f.labels, ys)
	}
	return f
}

func (f *fixture) problem() *problem.Problem {
	p := &problem.Problem{D: len(f.rows[0][0]), Loss: problem.Logistic, C: f.c}
	if f.squared {
		p.Loss = problem.Squared
	}
	for i := range f.rows {
		u := &problem.Rows{D: p.D, Start: []int32{0}}
		for n, x := range f.rows[i] {
			for k := range x {
				u.Col = append(u.Col, int32(k))
				u.Val = append(u.Val, f.labels[i][n]*x[k])
			}
			u.Start = append(u.Start, int32(len(u.Col)))
		}
		p.Shards = append(p.Shards, problem.Shard{U: u, Y: f.labels[i]})
		p.R = append(p.R, f.r)
	}
	return p
}

// recording keeps everything a run says.
type recording struct {
	values   [][][]float64 // round, node
	dualSums [][]float64   // round
}

func (r *recording) Published(p *Publication) {
	r.values[p.Round][p.Node] = p.Values
}

func (r *recording) Concluded(_, round int, dual []float64) {
	if r.dualSums[round] == nil {
		r.dualSums[round] = make([]float64, len(dual))
	}
	for k, v := range dual {
		r.dualSums[round][k] += v
	}
}

// run runs a method over the fixture; change may alter the engine's setting.
func (f *fixture) run(t *testing.T, m Method, rounds int, change func(*sim.Config)) *recording {
	t.Helper()
	rec, err := f.tryRun(m, rounds, change, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func (f *fixture) tryRun(m Method, rounds int, change func(*sim.Config), tune func(*Config)) (*recording, error) {
	g, err := sim.NewGraph(len(f.rows), f.edges)
	if err != nil {
		return nil, err
	}
	cfg := sim.Config{Seed: 1, Graph: g, Workers: 2, Link: sim.Link{Latency: sim.Latency{Kind: "constant", Value: 1e6}}}
	if change != nil {
		change(&cfg)
	}
	rec := &recording{values: make([][][]float64, rounds+1), dualSums: make([][]float64, rounds+1)}
	for r := range rec.values {
		rec.values[r] = make([][]float64, len(f.rows))
	}
	s := Config{
		Setting:  Setting{Problem: f.problem(), Graph: g, Rounds: rounds, Seed: 1},
		Method:   m,
		Cost:     Cost{Row: 100, Jitter: 0.5},
		Observer: rec,
	}
	if cfg.Link.Loss > 0 {
		s.Retry, s.Deadline = 10e6, 60e9
	}
	if tune != nil {
		tune(&s)
	}
	protocol, err := NewProtocol(s)
	if err != nil {
		return nil, err
	}
	e, err := sim.New(cfg)
	if err != nil {
		return nil, err
	}
	protocol.Attach(e)
	if err := e.Run(context.Background()); err != nil {
		return nil, err
	}
	return rec, protocol.Unfinished()
}

func distance(x, y []float64) float64 {
	s := 0.0
	for k := range x {
		s += (x[k] - y[k]) * (x[k] - y[k])
	}
	return math.Sqrt(s)
}

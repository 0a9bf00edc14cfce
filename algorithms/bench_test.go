// The main workload: ADMM on Adult, 100 nodes × 100 rounds, exact solves.

package algorithms

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"overhear/problem"
	"overhear/sim"
)

// adult is the papers' problem; the census generator stands in where Adult is
// not at hand.
func adult(b testing.TB, nodes int) *problem.Problem {
	b.Helper()
	stream := sim.NewStream(1, "data")
	set, err := problem.Source{Set: "adult"}.Load(b.Context(), filepath.Join("..", "..", "shared", "data"), stream)
	if err != nil {
		b.Logf("census stands in: %v", err)
		if set, err = (problem.Source{Set: "census"}).Load(b.Context(), "", stream); err != nil {
			b.Fatal(err)
		}
	}
	set = problem.Scale{Columns: "max", Rows: "clip", Intercept: true}.Apply(set, nil)
	train, test, err := problem.TrainTest(set, 40000, "shuffled", sim.NewStream(1, "order"))
	if err != nil {
		b.Fatal(err)
	}
	shards, err := problem.Partition{}.Split(set, train, nodes, sim.NewStream(1, "partition"))
	if err != nil {
		b.Fatal(err)
	}
	p := &problem.Problem{D: set.X.D, Shards: shards, Test: problem.NewShard(set, test), Loss: problem.Logistic, C: 1,
		R: make([]float64, nodes)}
	for i := range p.R {
		p.R[i] = 0.22 / float64(nodes)
	}
	return p
}

// work counts what solves cost.
type work struct{ solves, passes, factorisations int }

func (w *work) Published(p *Publication) {
	if p.Round > 0 {
		w.solves++
	}
	w.passes += p.Stats.Evaluations
	w.factorisations += p.Stats.Factorisations
}
func (w *work) Concluded(int, int, []float64) {}

func BenchmarkAdult100Nodes100Rounds(b *testing.B) {
	const nodes, rounds = 100, 100
	p := adult(b, nodes)
	g, err := sim.Topology{Kind: "random-regular", Nodes: nodes, Degree: 4}.Build(sim.NewStream(1, "topology"))
	if err != nil {
		b.Fatal(err)
	}
	var w work
	var spent time.Duration
	for b.Loop() {
		start := time.Now()
		s := Config{
			Setting: Setting{Problem: p, Graph: g, Rounds: rounds, Seed: 1},
			Method:  ADMM{Eta: 0.5}, Cost: Cost{Row: 40, Jitter: 0.1}, Observer: &w,
		}
		protocol, err := NewProtocol(s)
		if err != nil {
			b.Fatal(err)
		}
		e, err := sim.New(sim.Config{Seed: 1, Graph: g, Workers: 2, Trace: sim.TraceFingerprints,
			Link: sim.Link{Latency: sim.Latency{Kind: "lognormal", Median: 20e6, Sigma: 0.5}}})
		if err != nil {
			b.Fatal(err)
		}
		protocol.Attach(e)
		if err := e.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
		if err := protocol.Unfinished(); err != nil {
			b.Fatal(err)
		}
		spent += time.Since(start)
	}
	n := float64(w.solves)
	b.ReportMetric(spent.Seconds()*1e3/(n/nodes), "ms/round")
	b.ReportMetric(n/spent.Seconds(), "solves/s")
	b.ReportMetric(float64(w.passes)/n, "passes/solve")
	b.ReportMetric(float64(w.factorisations)/n, "factorisations/solve")
}

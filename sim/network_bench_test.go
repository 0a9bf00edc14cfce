// Events a second by network: topology, latency, faults.

package sim

import (
	"context"
	"runtime"
	"testing"
	"time"

	"overhear/internal/cputime"
)

// BenchmarkNetworks: one operation is a run of 1,000 nodes, 100 rounds of
// broadcast behind a barrier, trace off. The last column is against the first
// network, a ring with constant latency, of the same run.
func BenchmarkNetworks(b *testing.B) {
	const nodes, rounds = 1000, 100
	constant := Link{Latency: Latency{Kind: "constant", Value: 20e6}}
	uniform := Link{Latency: broadcastLatency}
	lognormal := Link{Latency: Latency{Kind: "lognormal", Median: 20e6, Sigma: 0.5}}
	regular := Topology{Kind: "random-regular", Nodes: nodes, Degree: 4}
	factor := 2.0
	pair := [2]int{0, 1}
	first := 0.0
	for _, c := range []struct {
		name     string
		topology Topology
		link     Link
		faults   FaultPlan
	}{
		{"ring, constant", Topology{Kind: "ring", Nodes: nodes}, constant, nil},
		{"4-regular, constant", regular, constant, nil},
		{"4-regular, uniform", regular, uniform, nil},
		{"4-regular, lognormal", regular, lognormal, nil},
		{"4-regular, uniform, bandwidth", regular, Link{Latency: broadcastLatency, Bandwidth: 1e8}, nil},
		{"16-regular, uniform", Topology{Kind: "random-regular", Nodes: nodes, Degree: 16}, uniform, nil},
		{"Barabási–Albert, uniform", Topology{Kind: "barabasi-albert", Nodes: nodes, Attach: 2}, uniform, nil},
		{"ring, constant, a slow link", Topology{Kind: "ring", Nodes: nodes}, constant,
			FaultPlan{{Kind: BadLink{Link: pair, Factor: &factor}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			g, err := c.topology.Build(NewStream(1, "topology"))
			if err != nil {
				b.Fatal(err)
			}
			value := make([]float64, 8)
			var took time.Duration
			var events uint64
			for range b.N {
				e, err := New(Config{Graph: g, Link: c.link, Faults: c.faults, Trace: TraceOff})
				if err != nil {
					b.Fatal(err)
				}
				for i := range nodes {
					e.Attach(i, &flooder{rounds: rounds, degree: g.Degree(i), value: value})
				}
				start := time.Now()
				if err := e.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
				took += time.Since(start)
				events += e.Events()
			}
			rate := float64(events) / took.Seconds()
			if first == 0 {
				first = rate
			}
			b.ReportMetric(rate, "events/s")
			b.ReportMetric(rate/first, "x_ring")
		})
	}
}

// BenchmarkLatencies: one operation is, for every law, a run like those of BenchmarkNetworks on a 4-regular graph. The
// columns are the events of a CPU second against those with the uniform law.
func BenchmarkLatencies(b *testing.B) {
	const nodes, rounds = 1000, 50
	g, err := Topology{Kind: "random-regular", Nodes: nodes, Degree: 4}.Build(NewStream(1, "topology"))
	if err != nil {
		b.Fatal(err)
	}
	cases := []Latency{
		broadcastLatency,
		{Kind: "constant", Value: 20e6},
		{Kind: "exponential", Mean: 20e6},
		{Kind: "lognormal", Median: 20e6, Sigma: 0.5},
		{Kind: "pareto", Scale: 10e6, Shape: 3},
	}
	value := make([]float64, 8)
	took := make([]time.Duration, len(cases))
	for range b.N {
		for k, l := range cases {
			e, err := New(Config{Graph: g, Link: Link{Latency: l}, Trace: TraceOff})
			if err != nil {
				b.Fatal(err)
			}
			for i := range nodes {
				e.Attach(i, &flooder{rounds: rounds, degree: g.Degree(i), value: value})
			}
			start := cputime.Now()
			if err := e.Run(context.Background()); err != nil {
				b.Fatal(err)
			}
			took[k] += cputime.Now() - start
		}
	}
	for k, l := range cases[1:] {
		b.ReportMetric(took[0].Seconds()/took[k+1].Seconds(), "x_"+l.Kind)
	}
}

// BenchmarkSites: one operation is, for every law, two runs of 100,000 nodes on a random 4-regular graph, ten rounds of
// broadcast behind a barrier, trace off. The nodes are spread over 227 sites, whose times are drawn. The columns are
// the events of a CPU second with a matrix against those with the law alone that is its jitter.
func BenchmarkSites(b *testing.B) {
	const nodes, rounds, count = 100_000, 10, 227
	g, err := Topology{Kind: "random-regular", Nodes: nodes, Degree: 4}.Build(NewStream(1, "topology"))
	if err != nil {
		b.Fatal(err)
	}
	s := NewStream(1, "bench")
	sites := &Sites{Names: make([]string, count), delay: make([]Duration, count*count)}
	for k := range sites.delay {
		sites.delay[k] = Duration(s.Between(1e6, 200e6))
	}
	at := make([]uint16, nodes)
	for i := range at {
		at[i] = uint16(s.IntN(count))
	}
	placed := &Placed{sites, at}
	laws := []Latency{
		{Kind: "constant", Value: 100e6},
		{Kind: "lognormal", Median: 100e6, Sigma: 0.5},
		{Kind: "exponential", Mean: 100e6},
	}
	value := make([]float64, 8)
	run := func(l Latency) (float64, uint64) {
		e, err := New(Config{Graph: g, Link: Link{Latency: l}.On(placed), Trace: TraceOff})
		if err != nil {
			b.Fatal(err)
		}
		for i := range nodes {
			e.Attach(i, &flooder{rounds: rounds, degree: g.Degree(i), value: value})
		}
		runtime.GC()
		start := cputime.Now()
		if err := e.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
		return (cputime.Now() - start).Seconds(), e.Events()
	}
	alone, over := make([]float64, len(laws)), make([]float64, len(laws))
	var events uint64
	for range b.N {
		for k := range laws {
			took, n := run(laws[k])
			alone[k] += took
			events += n
			took, _ = run(Latency{Kind: matrix, Set: "aws", Jitter: &laws[k]})
			over[k] += took
		}
	}
	for k, l := range laws {
		b.ReportMetric(alone[k]/over[k], "x_"+l.Kind)
	}
	all := 0.0
	for _, t := range alone {
		all += t
	}
	b.ReportMetric(float64(events)/all, "events/s_law")
}

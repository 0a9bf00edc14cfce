// How long steps and packets take at least and at most, by scenarios.

package evaluation

import (
	"fmt"
	"math"
	"testing"

	"overhear/adversary/model"
	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// How long an update takes at most: with rows dealt evenly, 11 among 5 nodes are 3 of one
// of them; otherwise all may be one node's. The slowest node counts, but for a hub, which has none. And at least:
// evenly they are 2, otherwise none may be a node's.
func TestClocked_Updates(t *testing.T) {
	for _, c := range []struct {
		rows      int
		partition string
		hub       bool
		speeds    string
		ms        float64
		first     float64 // of node 0, at least
	}{
		{11, "{kind: even}", false, "1, 2, 0.5, 1, 1", 6, 2}, {10, "{kind: even}", false, "1, 2, 0.5, 1, 1", 4, 2},
		{11, "{kind: dirichlet, alpha: 1}", false, "1, 2, 0.5, 1, 1", 22, 0},
		{13, "{kind: even}", true, "1, 2, 0.5, 1, 1", 8, 0}, {13, "{kind: even}", true, "0.1, 2, 1, 1, 1", 4, 0},
		{3, "{kind: even}", false, "1, 2, 0.5, 1, 1", 2, 0},
	} {
		s, err := scenarios.Parse("slow.yaml", []byte(fmt.Sprintf(ring, "{kind: admm, eta: 0.5}")),
			"problem.partition="+c.partition, "compute={row: 1ms, jitter: 0, speeds: ["+c.speeds+"]}")
		if err != nil {
			t.Fatal(err)
		}
		among := func(nodes int) *model.Public {
			g, err := sim.NewGraph(nodes, nil)
			if err != nil {
				t.Fatal(err)
			}
			return &model.Public{Run: model.Run{Graph: g, Hub: c.hub}}
		}
		p := among(5)
		err = clocked(s, &record.Info{TrainRows: c.rows}, p)
		if err != nil || !(math.Abs(float64(p.Timing.Slowest)-c.ms*1e6) <= 1) ||
			!(math.Abs(float64(p.Timing.Fastest[0])-c.first*1e6) <= 1) {
			t.Errorf("%d rows, %s: %+v, %v; want %v ms, and at least %v", c.rows, c.partition, p.Timing, err, c.ms,
				c.first)
		}
		if err := clocked(s, &record.Info{TrainRows: c.rows}, among(4)); err == nil {
			t.Error("speeds of five nodes are taken for those of four")
		}
	}
}

// No packet and no update of a run is faster than it is said to be at least, and nobody asks earlier; where nothing is
// drawn, some are no slower.
func TestClocked_HoldsOfRuns(t *testing.T) {
	const text = `name: times
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 40, rho: 0.3}
network: {topology: {kind: ring, nodes: 5}, latency: 20ms}
compute: {row: 100us, jitter: 0}
rounds: {mode: asynchronous, count: 8, quorum: 0.5}
algorithm: {kind: admm, eta: 0.3}
`
	const matrix = "network.latency={kind: matrix, set: aws}"
	for _, c := range []struct {
		sets  []string
		tight bool // packets and updates are as fast as that
		asks  bool
		none  bool // nothing is said: faults make some faster
	}{
		{nil, true, false, false},
		{[]string{"compute={row: 100us, jitter: 0.7, speed-spread: 1}"}, false, false, false},
		{[]string{"compute={law: {kind: pareto, scale: 3ms, shape: 2}}"}, false, false, false},
		{[]string{"compute={row: 1ms, classes: {factors: {phone: 8, server: 1}}, jitter: 0}"}, true, false, false},
		{[]string{"algorithm={kind: r-admm, eta: 0.3}"}, true, false, false},
		{[]string{"algorithm={kind: dgd, step: 0.1, averaging: 2}"}, true, false, false},
		{[]string{"algorithm={kind: dp-admm, noise: off}", "network.topology={kind: star, nodes: 5}"}, true, false,
			false},
		{[]string{matrix}, true, false, false},
		{[]string{"network.latency={kind: matrix, set: aws, jitter: {kind: uniform, low: 1ms, high: 9ms}}",
			"network.links=[{between: [0, 1], latency: 3ms}]"}, false, false, false},
		{[]string{"network.latency={kind: uniform, low: 5ms, high: 30ms}",
			"changes=[{at: 40ms, set: {network.latency: 2ms}}]"}, true, false, false},
		{[]string{"network.loss=0.3", "rounds={mode: asynchronous, count: 8, quorum: 1, staleness: 1, timeout: 70ms}"},
			true, true, false},
		{[]string{"network.loss=0.4", "rounds={mode: asynchronous, count: 8, quorum: 1, timeout: 0s, retry: 60ms, " +
			"deadline: 200ms}"}, true, true, false},
		{[]string{"network.faults=[{slow: 1, factor: 3}, {link: [0, 1], factor: 2}, {at: 30ms, crash: 2, " +
			"until: 90ms}]"}, true, false, false},
		{[]string{"network.faults=[{slow: 1, factor: 0.5}]"}, false, false, true},
		{[]string{"network.faults=[{link: [0, 1], factor: 0.5}]"}, false, false, true},
	} {
		s, err := scenarios.Parse("times.yaml", []byte(text), c.sets...)
		if err != nil {
			t.Fatal(c.sets, err)
		}
		r, err := experiment.New(s, "").Run(t.Context(), 3, experiment.Options{Out: t.TempDir(), Workers: 1})
		if r == nil {
			t.Fatal(c.sets, err)
		}
		p, err := publicOf(s, 3, r.Info.Columns, 0, 0, s.Algorithm.Params)
		if err == nil {
			err = clocked(s, r.Info, p)
		}
		if err != nil {
			t.Fatal(c.sets, err)
		}
		timing := p.Timing
		if none := timing.Transit == nil && timing.Fastest == nil; none != c.none {
			t.Errorf("%q: %+v", c.sets, timing)
		}
		if c.none {
			continue
		}
		packets, updates, asked := false, false, false
		err = r.Messages(func(m record.Message) error {
			least := int64(timing.Transit[p.Graph.Link(int(m.Src), int(m.Dst))])
			took := m.ReceivedNS - m.SentNS
			asks := m.Kind == record.MessageRequest
			if m.ReceivedNS >= 0 && took < least || asks && m.SentNS < int64(timing.Unasked) {
				t.Errorf("%q: %+v took %d, at least %d, unasked until %d", c.sets, m, took, least, timing.Unasked)
			}
			packets, asked = packets || took == least, asked || asks
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = r.Steps(func(s record.Step) error {
			if s.Round == 0 {
				return nil
			}
			took, least := s.EndedNS-s.BeganNS, int64(timing.Fastest[s.Node])
			if idle := model.Idle(p, int(s.Node), int(s.Round)); !idle && took < least {
				t.Errorf("%q: %+v took %d, at least %d", c.sets, s, took, least)
			} else if least > 0 {
				updates = updates || !idle && took == least
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if c.tight && !(packets && updates) || asked != c.asks {
			t.Errorf("%q: as fast as they may be: packets %v, updates %v; asked %v", c.sets, packets, updates, asked)
		}
	}
}

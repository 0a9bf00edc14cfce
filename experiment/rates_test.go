// Which runs say what theorems prove of them.

package experiment

import (
	"testing"

	"overhear/algorithms"
	"overhear/problem"
	"overhear/scenarios"
	"overhear/sim"
)

// By itself a run has what theorems prove only if that takes about a second, which wide rows exceed at few nodes.
func TestProves_BoundsTheCost(t *testing.T) {
	for _, c := range []struct {
		nodes, rows, columns int
		auto, on             bool
	}{{5, 100, 31, true, true}, {5, 10_000, 105, true, true}, {50, 5000, 105, true, true}, {51, 10, 10, false, true},
		{5, 960, 5001, false, true}, {50, 1200, 1200, false, true}, {5, 2000, 5000, true, true}, // none is computed
		{401, 10, 10, false, false}} {
		g, err := sim.Topology{Kind: "ring", Nodes: c.nodes}.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		p := &problem.Problem{D: c.columns}
		for range c.nodes {
			p.Shards = append(p.Shards, problem.Shard{U: &problem.Rows{D: c.columns, Start: make([]int32, c.rows+1)}})
		}
		out := &outcome{Assembly: &Assembly{Setting: algorithms.Setting{Graph: g, Problem: p}}}
		for rates, want := range map[string]bool{"auto": c.auto, "on": c.on, "off": false} {
			e := &Experiment{Scenario: &scenarios.Scenario{Record: scenarios.Record{Rates: rates}}}
			if got := e.proves(out); got != want {
				t.Errorf("%s, %d nodes of %d rows of %d columns: %v", rates, c.nodes, c.rows, c.columns, got)
			}
		}
	}
}

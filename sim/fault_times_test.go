// Outages that are told from a plan alone are those of a run of it.

package sim

import (
	"strings"
	"testing"
)

func TestFaultPlan_OutagesAreThoseOfTheRun(t *testing.T) {
	g, err := NewGraph(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	plan := FaultPlan{
		{At: 20 * ms, Until: 50 * ms, Kind: Crash{Node: 0, Memory: memoryLost}},
		{At: 40 * ms, Until: 60 * ms, Kind: Crash{Node: 0}},
		{At: 30 * ms, Kind: Join{Node: 1}},
		{At: 70 * ms, Kind: Leave{Node: 1}},
		{Until: 200 * ms, Kind: RandomCrashes{CrashRate{Every: 20 * ms, For: 10 * ms, Nodes: []int{2}}}},
		{At: 5 * ms, Until: 9 * ms, Kind: Partition{Groups: [][]int{{0}, {1, 2}}}},
	}
	const end = 100e6
	outages, err := plan.Course().Outages(7, g, nil, end)
	if err != nil {
		t.Fatal(err)
	}
	if got := outages[0]; len(got) != 1 || got[0] != (Outage{From: 20e6, To: 60e6, Lost: true}) {
		t.Errorf("outages that overlap: %+v", got)
	}
	if got := outages[1]; len(got) != 2 || got[0] != (Outage{To: 30e6}) ||
		got[1] != (Outage{From: 70e6, To: end, Leaves: true}) {
		t.Errorf("a node that joins and leaves: %+v", got)
	}
	if !plan.Course().Joins(1) || plan.Course().Joins(0) {
		t.Error("node 1 joins, and no other")
	}
	e, err := New(Config{Graph: g, Seed: 7, Faults: plan})
	if err != nil {
		t.Fatal(err)
	}
	for node, all := range outages {
		sum := Duration(0)
		for _, o := range all {
			sum += Duration(o.To - o.From)
		}
		if down := e.Downtime(node, end); sum != down || sum == 0 {
			t.Errorf("node %d has outages of %v, and is down for %v", node, sum, down)
		}
	}
	if all, err := FaultPlan(nil).Course().Outages(7, g, nil, end); err != nil || len(all) != 3 || all[0] != nil {
		t.Errorf("without faults: %v, %v", all, err)
	}
	if _, err := (FaultPlan{{Kind: Crash{Node: 9}}}).Course().Outages(7, g, nil, end); err == nil ||
		!strings.Contains(err.Error(), "names node 9") {
		t.Errorf("a node that there is not: %v", err)
	}
}

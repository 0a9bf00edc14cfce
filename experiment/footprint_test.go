// What a node takes, and what is said of it before.

package experiment

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"overhear/internal/memory"
	"overhear/scenarios"
	"overhear/sim"
)

// atScale is the shipped scenario of many nodes, with so many of them.
func atScale(t *testing.T, nodes int, changes ...string) *Experiment {
	t.Helper()
	s, err := scenarios.LoadShipped("scale.yaml", append([]string{fmt.Sprintf("network.topology.nodes=%d", nodes),
		fmt.Sprintf("problem.data.rows=%d", 2*nodes)}, changes...)...)
	if err != nil {
		t.Fatal(err)
	}
	return New(s, "")
}

// held is what is not garbage.
func held() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// assembled is everything of seed 1.
func assembled(t *testing.T, e *Experiment) *Assembly {
	t.Helper()
	a, err := e.Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// mostHeld is the most memory that a run holds, beyond what was held before.
func mostHeld(t *testing.T, e *Experiment, before float64) float64 {
	t.Helper()
	most := 0.0
	const every = 20_000
	look := func(ev *sim.Event) {
		if ev.Number%every == every-1 {
			most = max(most, held()-before)
		}
	}
	if _, err := e.complete(context.Background(), 1, Execution{Events: look}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if most == 0 {
		t.Fatal("nobody looked")
	}
	return most
}

// A million nodes are to fit into 8 GB with room for garbage. One copy of the data more, with its columns, and a
// node takes more than it may. What 4,000 nodes more take is theirs, without the tables of each run.
func TestFootprint_ANodeTakesNoMoreThanItMust(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and other tests run the same code")
	}
	const nodes, bound = 4000, 6400
	more := func(copies bool) float64 {
		var most [2]float64
		for k := range most {
			e := atScale(t, (k+1)*nodes)
			before := held()
			var set any
			if copies {
				var err error
				if set, _, _, err = e.prepared(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
			}
			most[k] = mostHeld(t, e, before)
			runtime.KeepAlive(set)
		}
		return (most[1] - most[0]) / nodes
	}
	most := more(false)
	t.Logf("%.0f bytes a node", most)
	if !(most <= bound) {
		t.Errorf("a node takes %.0f bytes, more than %d", most, bound)
	}
	if most = more(true); !(most > bound) {
		t.Errorf("with another copy of the data a node takes %.0f bytes, which is no more than %d", most, bound)
	}
}

// What is said before a run is near what it takes.
func TestFootprint_IsForetold(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and other tests run the same code")
	}
	const nodes = 2000
	for name, changes := range map[string][]string{
		"edge states":               nil,
		"no timers":                 {"rounds.timeout=0s"},
		"more rows than are few":    {"problem.data.rows=40000"},
		"more columns":              {"problem.data.dimension=100"},
		"in lockstep":               {"rounds={mode: synchronous, count: 10}"},
		"a dual a node":             {"algorithm={kind: admm, eta: 0.3}"},
		"nobody is awaited":         {"network.latency=10s", "rounds={mode: asynchronous, count: 60, timeout: 1ms}"},
		"nobody for some rounds":    {"network.latency=40ms", "rounds={mode: asynchronous, count: 60, timeout: 2ms}"},
		"a dual a node in lockstep": {"algorithm={kind: admm, eta: 0.3}", "rounds={mode: synchronous, count: 10}"},
	} {
		t.Run(name, func(t *testing.T) {
			e := atScale(t, nodes, changes...)
			a := assembled(t, e)
			foretold := e.footprint(e.sizes(a))
			a = nil
			before := held()
			most := mostHeld(t, e, before)
			t.Logf("%.0f bytes a node, foretold %.0f", most/nodes, foretold/nodes)
			if !(foretold >= 0.8*most) || !(foretold <= 1.4*most) {
				t.Errorf("a node takes %.0f bytes, not %.0f as foretold", most/nodes, foretold/nodes)
			}
		})
	}
}

// Nodes that do not fit are refused before they are made, with the program's own memory and the collector's.
func TestFootprint_IsRefused(t *testing.T) {
	e := atScale(t, 2000)
	a := assembled(t, e)
	need, _ := e.need(a)
	before := memory.SetLimit(int64(memory.Resident(need)) - 1)
	defer memory.SetLimit(before)
	if _, err := e.Assemble(t.Context(), 1); err == nil ||
		!strings.Contains(err.Error(), "10 rounds (rounds.count) of 2000 nodes "+
			"(network.topology) with 4000 rows and vectors of 21 numbers (problem.data) would take about") {
		t.Errorf("nodes that take more than the limit: %v", err)
	}
	memory.SetLimit(int64(memory.Resident(need)) + 1)
	if _, err := e.Assemble(t.Context(), 1); err != nil {
		t.Error(err)
	}
}

// Small steps are computed where they are awaited, whatever there are of processors; others are handed over.
func TestExecute_HandsOverWhatTakesLong(t *testing.T) {
	for name, c := range map[string]struct {
		changes []string
		want    int
	}{
		"two rows":   {nil, 1},
		"fifty rows": {[]string{"problem.data.rows=10000"}, 2},
	} {
		a, err := atScale(t, 200, c.changes...).Assemble(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.workers(2); got != c.want {
			t.Errorf("%s a node: %d workers, want %d", name, got, c.want)
		}
	}
}

// What a run is said to take is all that lives at the same time: rows that are kept, nodes, records, rounds and an
// account.
func TestNeed_IsASum(t *testing.T) {
	need := func(sets ...string) float64 {
		t.Helper()
		s, err := scenarios.LoadShipped("quickstart.yaml", append([]string{"rounds.count=2000",
			"record={iterates: none, messages: none, trace: off}"}, sets...)...)
		if err != nil {
			t.Fatal(err)
		}
		e := New(s, "")
		a := assembled(t, e)
		bytes, _ := e.need(a)
		return bytes
	}
	plain := need()
	const rows = 569 * 31 * 8 // of wdbc
	for name, c := range map[string]struct {
		more float64
		sets []string
	}{
		"iterates":  {16384 * 31 * 8, []string{"record.iterates=all"}},
		"packets":   {1e6, []string{"record.messages=all"}},
		"the trace": {2000 * 40 * 4, []string{"record.trace=fingerprints"}},
		"knowledge": {rows, []string{"problem.scale.fit=training", "adversary={knows: {victim: 0, all-but: 0}}"}},
		"rounds":    {2000 * 1000, []string{"rounds.count=4000"}},
		"account":   {2000 * 10 * perMechanism, []string{"algorithm={kind: dvp, eta: 0.1}"}},
	} {
		if more := need(c.sets...) - plain; !(more >= c.more) {
			t.Errorf("%s: %.0f bytes more, want %.0f", name, more, c.more)
		}
	}
}

// Rows that do not fit as often as they are there are refused before they are prepared.
func TestFootprint_PreparingIsRefused(t *testing.T) {
	e := atScale(t, 20, "problem.data={set: twonorm, rows: 4000, dimension: 1000}")
	before := memory.SetLimit(int64(memory.Resident(60e6)))
	defer memory.SetLimit(before)
	const want = "preparing 4000 rows of 1000 columns (problem.data) would take about 156 MB"
	if _, err := e.Assemble(t.Context(), 1); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want: %s", err, want)
	}
}

// Parties whose rows are not parts of the set's have copies of them, which the optimum needs once more.
func TestFootprint_PartiesCopiesCount(t *testing.T) {
	need := map[string]float64{}
	for _, order := range []string{"file", "shuffled"} {
		s, err := scenarios.Parse("parties.yaml", []byte(`name: parties
problem: {data: {set: wide, rows: 40}, columns: [2000, 3000], scale: {intercept: false}, rho: 1}
network: {topology: {kind: star, nodes: 3}}
rounds: {count: 5}
algorithm: {kind: admm-sharing, eta: 0.1}
`), "problem.order="+order)
		if err != nil {
			t.Fatal(err)
		}
		e := New(s, "")
		a := assembled(t, e)
		need[order], _ = e.need(a)
	}
	const rows = 40 * 5000 * 8
	if more := need["shuffled"] - need["file"]; !(more >= 2*rows) || !(more < 2.2*rows) {
		t.Errorf("copies of %d bytes count for %v", rows, more)
	}
}

// Each seed that runs at the same time has room for as much garbage as it holds.
func TestAtOnce_LeavesRoomForGarbage(t *testing.T) {
	e := atScale(t, 2000)
	a := assembled(t, e)
	need, _ := e.need(a)
	const seeds = 8
	before := memory.SetLimit(int64((2*seeds + 1) * need))
	defer memory.SetLimit(before)
	if got := e.AtOnce(t.Context(), 1, 3*seeds); got != seeds {
		t.Errorf("%d seeds at once where each takes %.3g bytes of %d, want %d", got, need, memory.Limit(), seeds)
	}
}

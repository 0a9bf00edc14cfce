// What a run keeps of its state is all that there is of it.

package experiment

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"overhear/algorithms"
	"overhear/internal/state"
	"overhear/scenarios"
	"overhear/sim"
)

// Of what parts have, these need not be said: what is set up alike (the first), room for what is computed, and what is
// told to others.
var unsaid = map[string]string{
	"synchronous.rowRun": "", "asynchronous.rowRun": "", "aroundHub.rowRun": "", "overColumns.Config": "",
	"overColumns.method": "", "aroundHub.central": "", "asynchronous.central": "", "asynchronous.Trigger": "",
	"synchronous.engine": "", "asynchronous.engine": "", "star.engine": "", "star.work": "", "peer.run": "",
	"runner.run": "", "Node.Work": "room", "Node.solver": "said by itself", "peer.measure": "as solver",
	"runner.measure": "as solver", "asynchronous.spare": "room", "client.hub": "room", "starHub.star": "",
	"starClient.star": "", "synchronous.asking": "of the moment of a change", "asynchronous.asking": "the same",
	"star.asking":     "the same",
	"recorder.writer": "", "recorder.counts": "of tables", "recorder.effort": "elsewhere",
	"Collector.spare": "room", "Collector.ended": "", "Rolling.ended": "", "Split.ended": "", "Split.problem": "",
	"Split.optimum": "", "Split.margins": "room", "Split.track": "", "gauge.problem": "", "gauge.mean": "room",
	"gauge.diff": "room", "gauge.track": "", "gauge.optimum": "",
}

// differ says where two values of a type are not alike, but for what is unsaid.
func differ(at string, a, b reflect.Value, seen map[uintptr]bool) []string {
	if a.Kind() != b.Kind() || a.Type() != b.Type() {
		return []string{at + ": of other types"}
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return []string{at + ": one of them is nil"}
			}
			return nil
		}
		if a.Kind() == reflect.Pointer {
			if seen[a.Pointer()] {
				return nil
			}
			seen[a.Pointer()] = true
		}
		return differ(at, a.Elem(), b.Elem(), seen)
	case reflect.Struct:
		var all []string
		for k := range a.NumField() {
			name := a.Type().Name() + "." + a.Type().Field(k).Name
			if _, un := unsaid[name]; !un {
				all = append(all, differ(at+"."+a.Type().Field(k).Name, a.Field(k), b.Field(k), seen)...)
			}
		}
		return all
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() || a.Kind() == reflect.Slice && a.IsNil() != b.IsNil() {
			return []string{fmt.Sprintf("%s: %d and %d elements", at, a.Len(), b.Len())}
		}
		for k := range a.Len() {
			if d := differ(fmt.Sprintf("%s[%d]", at, k), a.Index(k), b.Index(k), seen); d != nil {
				return d
			}
		}
		return nil
	case reflect.Map:
		if a.Len() != b.Len() {
			return []string{fmt.Sprintf("%s: %d and %d elements", at, a.Len(), b.Len())}
		}
		for _, k := range a.MapKeys() {
			if !b.MapIndex(k).IsValid() {
				return []string{at + ": another key"}
			}
			if d := differ(fmt.Sprintf("%s[%v]", at, k), a.MapIndex(k), b.MapIndex(k), seen); d != nil {
				return d
			}
		}
		return nil
	case reflect.Func:
		if !a.IsNil() || !b.IsNil() {
			return []string{at + ": a function"}
		}
		return nil
	case reflect.Float64:
		if math.Float64bits(a.Float()) != math.Float64bits(b.Float()) {
			return []string{fmt.Sprintf("%s: %v and %v", at, a, b)}
		}
		return nil
	}
	if !a.Equal(b) {
		return []string{fmt.Sprintf("%s: %v and %v", at, a, b)}
	}
	return nil
}

const stateText = `name: states
problem: {data: {set: twonorm, rows: 200, dimension: 4}, train: 0.8, rho: 0.1}
network:
  topology: {kind: watts-strogatz, nodes: 8, nearest: 4, rewire: 0.2}
  latency: {kind: exponential, mean: 6ms}
compute: {row: 40us}
rounds: {count: 12}
algorithm: {kind: admm, eta: 0.05}
`

var stateSets = map[string][]string{
	"lockstep": nil,
	"lost memory": {"network.loss=0.1", "rounds.missing=last", "rounds.deadline=90ms", "rounds.retry=30ms",
		"network.faults=[{crashes: {every: 150ms, for: 30ms, memory: lost}}, {leave: 3, at: 300ms}]"},
	"a state for every edge": {"algorithm={kind: edge-admm, eta: 0.05}", "network.loss=0.2",
		"rounds={mode: asynchronous, count: 12, quorum: 0.5, timeout: 30ms, retry: 20ms, deadline: 4s}"},
	"asynchronous": {"algorithm={kind: dvp, eta: 0.05, alpha: 1}", "network.duplication=0.2",
		"rounds={mode: asynchronous, count: 12, quorum: 0.5, timeout: 30ms, retry: 20ms, deadline: 4s}",
		"network.faults=[{crashes: {every: 150ms, for: 30ms}}, {crash: 2, at: 80ms}]"},
	"silence": {"network.loss=0.3", "network.faults=[{crash: 2, at: 60ms}]",
		"rounds={mode: asynchronous, count: 12, quorum: 1, staleness: 2, timeout: 9ms, retry: 10ms, deadline: 200ms}"},
	"sheltered": {"algorithm={kind: pvp, eta: 0.05, alpha: 1}"},
	"users":     {"algorithm={kind: pdml, eta: 0.05}", "network.loss=0.1", "rounds.retry=20ms"},
	"a hub": {"algorithm={kind: dp-admm, eta: 0.5, step: 1}", "network.topology={kind: star, nodes: 6}",
		"network.loss=0.1"},
	"columns": {"problem.columns=[2, 3]", "algorithm={kind: private-admm-sharing, eta: 0.003}",
		"network.topology={kind: star, nodes: 3}", "network.loss=0.1"},
}

// every calls look with the parts of a run at its pauses, and with those of a twin that was put into the same state.
func every(t *testing.T, sets []string, workers int, look func(parts, twin []state.Part)) {
	t.Helper()
	s, err := scenarios.Parse("states.yaml", []byte(stateText), sets...)
	if err != nil {
		t.Fatal(err)
	}
	prepared := func() (*Assembly, *recorder, Execution) {
		e := New(s, "")
		a, err := e.Assemble(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.recorder(t.Context(), &outcome{Assembly: a}, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return a, r, Execution{Observer: r, Packets: r.sent, Gone: r.left, Workers: workers, every: 11,
			keep: &keeping{saving: new(saving)}}
	}
	e := New(s, "")
	a, r, x := prepared()
	var saver state.Saver
	var moments []*state.Moment
	x.pause = func(engine *sim.Engine, p algorithms.Protocol) {
		m, err := saver.Save(engine.Mark(), engine, p, r)
		if err != nil {
			return // what was under way; it is counted that there are moments
		}
		moments = append(moments, m)
		other, observer, with := prepared()
		twin, protocol, err := e.attached(other, with, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := state.Load(moments, twin, protocol, observer); err != nil {
			t.Fatal(err)
		}
		look([]state.Part{p, r}, []state.Part{protocol, observer})
	}
	if _, err := e.Execute(context.Background(), a, x); err != nil {
		t.Fatal(err)
	}
	if len(moments) < 8 {
		t.Errorf("%d moments", len(moments))
	}
}

func TestStates_HaveAllThatNodesAndMeasurementsHave(t *testing.T) {
	for name, sets := range stateSets {
		for workers := 1; workers <= 2; workers++ {
			if testing.Short() && (workers == 1 || name != "lockstep") { // it takes long, and races with nobody
				continue
			}
			t.Run(fmt.Sprintf("%s, %d", name, workers), func(t *testing.T) {
				var before []state.Part
				changed := map[int]int{}
				every(t, sets, workers, func(parts, twin []state.Part) {
					for k := range parts {
						if all := differ("", reflect.ValueOf(parts[k]), reflect.ValueOf(twin[k]),
							map[uintptr]bool{}); all != nil && !t.Failed() {
							t.Errorf("%T: %v", parts[k], all)
						}
						if before != nil && differ("", reflect.ValueOf(parts[k]), reflect.ValueOf(before[k]),
							map[uintptr]bool{}) != nil {
							changed[k]++
						}
					}
					before = twin
				})
				if changed[0] < 8 || changed[1] < 8 { // or the comparison is of nothing
					t.Errorf("in 11 events something has changed %v times", changed)
				}
			})
		}
	}
}

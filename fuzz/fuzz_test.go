// The search for trouble: nothing is found in right methods, planted flaws are,
// with few faults, and what a replay says is what was found.

package fuzz

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/scenarios"
	"overhear/sim"
)

const fuzzed = `name: fuzzed
problem: {data: {set: twonorm, rows: 60, dimension: 2}, rho: 0.3}
network: {topology: {kind: watts-strogatz, nodes: 6, nearest: 4, rewire: 0.2}, latency: 5ms}
compute: {row: 50us}
rounds: {mode: asynchronous, count: 250, staleness: 10, timeout: 50ms}
algorithm: {kind: edge-admm, eta: 0.1}
`

const firstSeed = 41 // of searches

// search searches with the registered method, or with an implementation in which flaw
// planted a mistake.
func search(t *testing.T, runs int, flaw func(algorithms.Method) algorithms.Method, sets ...string) []Trouble {
	t.Helper()
	s, err := scenarios.Parse("fuzzed.yaml", []byte(fuzzed), sets...)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Run(context.Background(), flawed(experiment.New(s, ""), flaw),
		Options{Runs: runs, First: firstSeed, Distance: DefaultDistance, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// forgotten is what a search finds of a method that breaks after a crash: searched for once, it takes a while.
func forgotten(t *testing.T) []Trouble {
	t.Helper()
	searched.Do(func() { searched.found = search(t, 40, forget) })
	if len(searched.found) == 0 {
		t.Fatal("a method that breaks after a crash was not found")
	}
	return searched.found
}

var searched struct {
	sync.Once
	found []Trouble
}

// flawed gives an experiment an implementation of its method with a flaw, if it is
// not nil.
func flawed(e *experiment.Experiment, flaw func(algorithms.Method) algorithms.Method) *experiment.Experiment {
	if flaw == nil {
		return e
	}
	entry, right := *e.Entry, e.Entry
	entry.New = func(params any, s algorithms.Setting) (algorithms.Method, error) {
		m, err := right.New(params, s)
		if err != nil {
			return nil, err
		}
		return flaw(m), nil
	}
	e.Entry = &entry
	return e
}

func TestFuzz_RightMethodsPass(t *testing.T) {
	for _, sets := range [][]string{
		nil,
		{"rounds.count=20"}, // too short to converge, which is no trouble
		{"rounds={count: 100}"},
		{"rounds={count: 60, missing: last, deadline: 300ms}", "algorithm={kind: admm, eta: 0.1}"},
		{"rounds={count: 60}", "algorithm={kind: admm, eta: 0.1}", "problem.l1=0.05"},
		{"rounds={count: 60}", "problem.set={kind: ball, radius: 0.7}"},
		{"rounds={count: 40}", "algorithm={kind: admm, eta: 0.1}", "problem.data={set: linear, rows: 60}",
			"problem.loss={kind: huber, width: 0.5}", "problem.l1=0.01"},
		{"rounds.count=60", "algorithm={kind: private-r-admm, eta: 0.1}"},
		{"rounds.count=60", "algorithm={kind: pdml, eta: 0.1}"},
		{"rounds.count=60", "algorithm={kind: dp-admm, eta: 0.1}", "network.topology={kind: star, nodes: 5}"},
		{"rounds={count: 40}", "algorithm={kind: dp-admm, eta: 0.1}", "network.topology={kind: star, nodes: 5}"},
		{"rounds={count: 40}", "algorithm={kind: admm-sharing, form: averaged}", "problem.columns=[1, 1]",
			"problem.scale.intercept=false", "network.topology={kind: star, nodes: 3}"},
	} {
		for _, trouble := range search(t, 25, nil, sets...) {
			t.Errorf("%v: %+v", sets, trouble)
		}
	}
}

// forgetful computes something else when it has been interrupted: it counts its
// calls in memory that a crash loses.
type forgetful struct{ algorithms.EdgeADMM }

func (m forgetful) Update(n *algorithms.Node, t int) error {
	lost := n.Memory == nil && t > 1
	if err := m.EdgeADMM.Update(n, t); err != nil || !lost {
		return err
	}
	num.Scale(1e6, n.Memory) // and for long
	for k := range n.Memory {
		n.Memory[k] += 1e9
	}
	return nil
}

func forget(m algorithms.Method) algorithms.Method { return forgetful{m.(algorithms.EdgeADMM)} }

// restless depends on what other runs did.
type restless struct {
	algorithms.EdgeADMM
	calls *int
}

func (m restless) Update(n *algorithms.Node, t int) error {
	if n.ID == 0 {
		*m.calls++
		n.F[0] += 1e-3 * float64(*m.calls)
	}
	return m.EdgeADMM.Update(n, t)
}

func TestFuzz_FindsFlaws(t *testing.T) {
	// What breaks where a node goes and loses its memory is found with one fault.
	found := forgotten(t)
	quiet, err := undisturbed(context.Background(), fuzzedExperiment(t), firstSeed)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		for _, fault := range f.Scenario.Network.Faults {
			if 4*max(fault.At, fault.Until) > sim.Duration(quiet.now) {
				t.Errorf("a fault goes on until %v; a run without any takes %v", fault.Until, quiet.now)
			}
		}
		last := f.Sets[len(f.Sets)-1]
		if f.Invariant == invariantDuals && (strings.Count(last, "memory: lost") != 1 ||
			strings.Contains(last, "partition")) ||
			f.Invariant != invariantDuals && f.Invariant != invariantConverge {
			t.Errorf("%+v", f)
		}
		if _, err := scenarios.Parse("fuzzed.yaml", []byte(fuzzed), f.Sets...); err != nil {
			t.Errorf("what was found cannot be run: %v", err)
		}
	}
	if !testing.Short() { // it takes a minute under the race detector
		again := search(t, 40, forget)
		if len(again) != len(found) || again[0].Seed != found[0].Seed ||
			strings.Join(again[0].Sets, "\n") != strings.Join(found[0].Sets, "\n") {
			t.Error("the search does not repeat")
		}
	}
	calls := new(int)
	unlike := search(t, 1, func(m algorithms.Method) algorithms.Method {
		return restless{m.(algorithms.EdgeADMM), calls}
	})
	if len(unlike) != 1 || unlike[0].Invariant != invariantReplay && unlike[0].Invariant != invariantConverge {
		t.Errorf("a method that does not repeat: %+v", unlike)
	}
}

// A search keeps what it finds, in order of seed, and has no place for each run; it stops when it is told to.
func TestEach_KeepsWhatItFinds(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := 0
	_, err := each(ctx, Options{Runs: 100_000_000_000, First: 1, Workers: 2, Progress: func(n int) {
		if done = n; n == 3 {
			stop()
		}
	}}, func(context.Context, uint64) (*Trouble, error) { return nil, nil })
	if !errors.Is(err, context.Canceled) || done < 3 {
		t.Errorf("stopped with %v after %d runs", err, done)
	}
	found, err := each(context.Background(), Options{Runs: 9, First: 5, Workers: 3},
		func(_ context.Context, seed uint64) (*Trouble, error) {
			if seed%2 == 0 {
				return nil, nil
			}
			time.Sleep(time.Duration(13-seed) * time.Millisecond)
			return &Trouble{Seed: seed}, nil
		})
	if err != nil || len(found) != 5 {
		t.Fatalf("%d found, %v", len(found), err)
	}
	for k, f := range found {
		if f.Seed != uint64(5+2*k) {
			t.Errorf("the trouble in place %d is of seed %d", k, f.Seed)
		}
	}
}

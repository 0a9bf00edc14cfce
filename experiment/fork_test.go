// A run that goes on from another is the run whose scenario said so from the start, and computes nothing again.

package experiment

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// forked is a finished run with what it computed kept, and the scenario that parts from it.
func forked(t testing.TB, text string, at sim.Duration, sets ...string) (*record.Run, *Parent, *scenarios.Scenario) {
	t.Helper()
	s, err := scenarios.Parse("fork.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(s, "").Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 2, Checkpoint: time.Hour,
		Keep: true, States: StatesKept{Count: 1 << 20, Events: 7}})
	if err != nil {
		t.Fatal(err)
	}
	parent, err := scenarios.Parse("run.json", []byte(r.Info.Scenario))
	if err != nil {
		t.Fatal(err)
	}
	other, err := scenarios.Fork("run.json", []byte(r.Info.Scenario), at, sets)
	if err != nil {
		t.Fatal(err)
	}
	return r, &Parent{Scenario: parent, Run: r, Kept: r.KeptPath(), States: r.StatesPath(), Trace: r.Trace}, other
}

const forkText = `name: forked
problem: {data: {set: twonorm, rows: 600, dimension: 6}, train: 0.8, rho: 0.1}
network:
  topology: {kind: watts-strogatz, nodes: 8, nearest: 4, rewire: 0.2}
  latency: {kind: uniform, low: 5ms, high: 9ms}
compute: {row: 40us}
rounds: {count: 60}
algorithm: {kind: admm, eta: 0.05}
`

func TestFork_IsTheRunThatChangesFromTheStart(t *testing.T) {
	const asynchronous = "rounds={mode: asynchronous, count: 60, quorum: 0.5, timeout: 50ms, retry: 40ms, deadline: 5s}"
	for name, c := range map[string]struct{ from, sets []string }{
		"loss":         {nil, []string{"network.loss=0.3"}},
		"loss is over": {[]string{"network.loss=0.3"}, []string{"network.loss=0"}},
		"loss is over, asynchronous": {[]string{asynchronous, "rounds.timeout=0s", "rounds.quorum=1",
			"network.loss=0.3"}, []string{"network.loss=0"}},
		"loss is over at a hub": {[]string{"algorithm={kind: dp-admm, eta: 0.5, step: 1}", "network.loss=0.3",
			"network.topology={kind: star, nodes: 6}"}, []string{"network.loss=0"}},
		"an instant of events": {[]string{"network.latency=5ms", "compute={row: 0s}"}, []string{"network.loss=0.3"}},
		"a step at an instant of events": {[]string{"network.latency=5ms", "compute={row: 0s}"},
			[]string{"algorithm.eta=0.2"}},
		"latency":      {nil, []string{"network.latency={kind: lognormal, median: 20ms, sigma: 1}"}},
		"a step":       {nil, []string{"algorithm.eta=0.2"}},
		"compute":      {nil, []string{"compute.row=400us"}},
		"asynchronous": {[]string{asynchronous}, []string{"network.loss=0.3", "rounds.quorum=1"}},
		"a partition":  {nil, []string{"network.faults=[{partition: [[0, 1, 2], [3, 4, 5, 6, 7]], until: 600ms}]"}},
		"no more crash": {[]string{"network.faults=[{crashes: {every: 100ms, for: 30ms}}]"},
			[]string{"network.faults=[]"}},
		"sessions go on": {[]string{"network.faults=[{sessions: {up: 100ms, down: 20ms}}]"},
			[]string{"network.loss=0.1"}},
		"sessions become others": {[]string{asynchronous, "network.latency={kind: exponential, mean: 20ms}",
			"network.duplication=0.3", "network.faults=[{sessions: {up: 300ms, down: 100ms}}]"},
			[]string{"network.faults=[{sessions: {up: 30ms, down: 50ms}}]"}},
		"crashes begin": {[]string{asynchronous, "network.latency={kind: exponential, mean: 20ms}",
			"network.duplication=0.3", "network.loss=0.1"},
			[]string{"network.faults=[{crashes: {every: 50ms, for: 50ms}}]"}},
		"noise": {[]string{"algorithm={kind: dvp, eta: 0.03, alpha: 1}"}, []string{"algorithm.alpha=0.1"}},
		"a hub": {[]string{"algorithm={kind: dp-admm, eta: 0.5, step: 1}", "network.topology={kind: star, nodes: 6}"},
			[]string{"network.bandwidth=1Mbps"}},
		"columns": {[]string{"problem.columns=[3, 4]", "algorithm={kind: admm-sharing, eta: 0.003}",
			"network.topology={kind: star, nodes: 3}"}, []string{"network.loss=0.2"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := scenarios.Parse("fork.yaml", []byte(forkText), c.from...)
			if err != nil {
				t.Fatal(err)
			}
			r, from, other := forked(t, s.Resolved(), 150e6, c.sets...)
			e := New(other, "")
			anew, err := e.Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			fork, err := e.Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 2, From: from,
				Say: func(text string) { said += text }})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d events known", from.Known, from.Same)
			if from.Same > 200 && from.Known == 0 { // a state that is of no use is no reason not to use an earlier one
				t.Error("it begins anew")
			}
			if fork.Info.Digest != anew.Info.Digest || fork.Info.Digest == r.Info.Digest {
				t.Errorf("the fork has the digest %.12s, the run anew %.12s, the parent %.12s", fork.Info.Digest,
					anew.Info.Digest, r.Info.Digest)
			}
			a, errA := os.ReadFile(fork.Dir + "/metrics.csv")
			b, errB := os.ReadFile(anew.Dir + "/metrics.csv")
			if errA != nil || errB != nil || string(a) != string(b) {
				t.Errorf("other metrics (%v, %v)", errA, errB)
			}
			if from.Taken == 0 || from.Same == 0 || said != "" {
				t.Errorf("%d results taken, %d events the same; said %q", from.Taken, from.Same, said)
			}
		})
	}
}

// A parent that did something else than its scenario says is found, and one without what it computed is computed anew.
func TestFork_TrustsNoParent(t *testing.T) {
	_, from, other := forked(t, forkText, 300e6, "network.loss=0.3")
	e := New(other, "")
	whole, states := from.Trace, from.States
	changes := func(change func(*sim.Trace)) {
		from.Trace = func() (*sim.Trace, error) {
			t, err := whole()
			if err == nil {
				change(t)
			}
			return t, err
		}
	}
	changes(func(t *sim.Trace) { t.Fingerprints[20]++ })
	from.States = ""
	var differs *sim.Divergence
	if _, err := e.Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 1, From: from}); !errors.As(err,
		&differs) {
		t.Errorf("an event is another: %v", err)
	}
	changes(func(t *sim.Trace) { t.Fingerprints[len(t.Fingerprints)-1]++ }) // after they part, it may be
	from.States = states
	if _, err := e.Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 1, From: from}); err != nil {
		t.Error(err)
	}
	from.Trace, from.Kept = whole, from.Kept+"-not"
	said := ""
	r, err := e.Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 1, From: from,
		Say: func(text string) { said += text }})
	if err != nil || from.Taken != 0 || said == "" {
		t.Errorf("%v: %d results taken, said %q", err, from.Taken, said)
	}
	anew, err := e.Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 1})
	if err != nil || anew.Info.Digest != r.Info.Digest {
		t.Errorf("%v: other bits", err)
	}
}

// Whatever becomes of what a run has kept of its states, and of its tables, its fork has the bits of a run that changes
// from the start.
func TestFork_TrustsNoStates(t *testing.T) {
	if testing.Short() {
		t.Skip("sixty forks, none of which does what the others of this file do not")
	}
	r, from, other := forked(t, forkText, 300e6, "network.loss=0.3")
	e := New(other, "")
	anew, err := e.Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	fork := func() (known uint64, said string) {
		t.Helper()
		from.Known, from.Same, from.Taken = 0, 0, 0
		run, err := e.Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 1, From: from,
			Say: func(text string) { said += text }})
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(run.Info.Files, anew.Info.Files) {
			t.Errorf("other files; it said %q", said)
		}
		return from.Known, said
	}
	if known, said := fork(); known == 0 || said != "" {
		t.Errorf("gone on from event %d; it said %q", known, said)
	}
	whole, err := os.ReadFile(from.States)
	if err != nil {
		t.Fatal(err)
	}
	damaged := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(from.States, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	used := 0
	for k := 0; k < len(whole); k += len(whole)/30 + 1 {
		b := bytes.Clone(whole)
		b[k] ^= 8
		damaged(b)
		known, said := fork()
		if used += min(1, int(known)); known == 0 && said == "" {
			t.Errorf("byte %d: nothing is said", k)
		}
		damaged(whole[:k])
		fork()
	}
	t.Logf("%d of 30 damaged files were of use up to the damage", used)
	if err := os.Remove(from.States); err != nil {
		t.Fatal(err)
	}
	if known, said := fork(); known > 0 || said != "" {
		t.Errorf("without states: event %d, said %q", known, said)
	}
	// The states of another run, which has the same key but for its seed.
	again, err := New(from.Scenario, "").Run(context.Background(), 2, Options{Out: t.TempDir(), Workers: 1,
		Checkpoint: time.Hour, Keep: true, States: StatesKept{Count: 1 << 20, Events: 7}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(again.StatesPath())
	if err != nil {
		t.Fatal(err)
	}
	damaged(b)
	if known, said := fork(); known > 0 || said == "" {
		t.Errorf("with another run's states: event %d, said %q", known, said)
	}
	kept := from.Kept
	from.Kept = again.KeptPath()
	if known, said := fork(); known > 0 || strings.Count(said, "computed again") != 1 {
		t.Errorf("with all of another run: event %d, said %q", known, said)
	}
	from.Kept = kept
	damaged(whole)
	if err := os.WriteFile(filepath.Join(r.Dir, "messages.parquet"), []byte("PAR1"), 0o644); err != nil {
		t.Fatal(err)
	}
	if from.Run, err = record.Open(r.Dir); err != nil {
		t.Fatal(err)
	}
	if known, said := fork(); known > 0 || said == "" {
		t.Errorf("with a table that is damaged: event %d, said %q", known, said)
	}
}

// Drawn scenarios with drawn changes: a fork is the run that changes from the start, and one in which nothing becomes
// different is its parent.

package fuzz

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// values are the scalars below a key of a scenario that is written out, by their keys.
func values(t *testing.T, text, key string) (keys, texts []string) {
	t.Helper()
	var all map[string]yaml.Node
	if err := yaml.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	n := all[key]
	for k := 0; k+1 < len(n.Content); k += 2 {
		if n.Content[k+1].Kind == yaml.ScalarNode {
			keys, texts = append(keys, key+"."+n.Content[k].Value), append(texts, n.Content[k+1].Value)
		}
	}
	return keys, texts
}

// different draws what is to change: a key and its value.
func different(t *testing.T, s *sim.Stream, of *scenarios.Scenario) string {
	t.Helper()
	switch s.IntN(10) {
	case 0:
		return fmt.Sprintf("network.loss=%.2f", s.Between(0, 0.4))
	case 1:
		return fmt.Sprintf("network.latency={kind: exponential, mean: %dms}", 1+s.IntN(20))
	case 2:
		return fmt.Sprintf("network.bandwidth=%dkbps", 100+s.IntN(2000))
	case 3:
		return fmt.Sprintf("network.duplication=%.2f", s.Between(0, 0.4))
	case 4:
		return fmt.Sprintf("compute.row=%dus", 1+s.IntN(200))
	case 5:
		return fmt.Sprintf("network.faults=[{crashes: {every: %dms, for: %dms}, until: 3s}]", 50+s.IntN(500),
			1+s.IntN(100))
	case 6:
		return fmt.Sprintf("network.faults=[{crash: %d, at: %dms, until: 2s, memory: %s}]", s.IntN(3), s.IntN(200),
			[]string{"kept", "lost"}[s.IntN(2)])
	case 7:
		return fmt.Sprintf("network.header=%d", s.IntN(100))
	case 8:
		if of.Rounds.Mode == "asynchronous" {
			return fmt.Sprintf("rounds.%s", []string{"quorum=0.3", "quorum=1", "staleness=1", "timeout=5ms",
				"retry=15ms"}[s.IntN(5)])
		}
		return fmt.Sprintf("rounds.retry=%dms", 5+s.IntN(300))
	}
	keys, texts := values(t, of.Resolved(), "algorithm")
	for range 10 {
		k := s.IntN(len(keys))
		var number float64
		if _, err := fmt.Sscan(texts[k], &number); err == nil && number != 0 {
			return fmt.Sprintf("%s=%g", keys[k], 1.25*number)
		}
	}
	return "network.loss=0.1"
}

// outcome is what became of a run: its directory, or why there is none.
func outcome(r *record.Run, err error) string {
	var setup experiment.SetupError
	switch {
	case errors.As(err, &setup):
		return "no run: " + err.Error()
	case r == nil:
		return "failed: " + err.Error()
	}
	return fmt.Sprintf("%s after %d events, ended: %q", r.Info.Digest, r.Info.Events, r.Info.Ended)
}

// forks are the facts of a scenario and a change; it says what was tried.
func forks(t *testing.T, s *scenarios.Scenario, own *sim.Stream) string {
	t.Helper()
	ctx := context.Background()
	run := func(s *scenarios.Scenario, o experiment.Options) (*record.Run, error) {
		o.Out = t.TempDir()
		return experiment.New(s, "").Run(ctx, s.Seeds.First, o)
	}
	parent, err := run(s, experiment.Options{Workers: 1 + own.IntN(2), Checkpoint: time.Hour, Keep: true,
		States: experiment.StatesKept{Count: 1 << 20, Events: 1 + own.Uint64()%100}})
	if parent == nil || err != nil {
		return "no parent"
	}
	table, err := parent.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	times := table.Column("time_s")
	at := sim.Duration(own.Between(0, 1e9*times[len(times)-1]))
	of, err := scenarios.Parse("run.json", []byte(parent.Info.Scenario))
	if err != nil {
		t.Fatal(err)
	}
	sets := []string{different(t, own, of)}
	if own.IntN(3) == 0 {
		if other := different(t, own, of); strings.Split(other, "=")[0] != strings.Split(sets[0], "=")[0] {
			sets = append(sets, other)
		}
	}
	changed, err := scenarios.Fork("run.json", []byte(parent.Info.Scenario), at, sets)
	if err != nil {
		if !strings.Contains(err.Error(), "cannot change while a run goes") && !strings.Contains(err.Error(), "must ") {
			t.Errorf("%s at %v, %v: %v", s.Name, at, sets, err)
		}
		return "refused"
	}
	trace, err := parent.Trace()
	if err != nil {
		t.Fatal(err)
	}
	from := func(s *scenarios.Scenario) *experiment.Parent {
		return &experiment.Parent{Scenario: of, Run: parent, Kept: parent.KeptPath(), States: parent.StatesPath(),
			Trace:  parent.Trace,
			Change: slices.IndexFunc(s.Changes, func(a scenarios.Alteration) bool { return a.At == at })}
	}
	anew, errAnew := run(changed, experiment.Options{Workers: 1})
	goes := from(changed)
	fork, errFork := run(changed, experiment.Options{Workers: 1 + own.IntN(2), From: goes})
	if a, b := outcome(anew, errAnew), outcome(fork, errFork); a != b {
		t.Errorf("%s at %v, %v: the fork is\n%s\nand the run that changes from the start\n%s", s.Name, at, sets, b, a)
		return "differs"
	}
	if fork == nil {
		return "no run"
	}
	if !maps.Equal(anew.Info.Files, fork.Info.Files) { // which has their hashes: tables, trace, metrics
		t.Errorf("%s at %v, %v: other files:\n%v\n%v", s.Name, at, sets, anew.Info.Files, fork.Info.Files)
	}
	now, err := fork.Trace()
	if err != nil {
		t.Fatal(err)
	}
	if n := goes.Same; n > uint64(len(trace.Fingerprints)) ||
		!slices.Equal(trace.Fingerprints[:n], now.Fingerprints[:n]) {
		t.Errorf("%s at %v, %v: of the %d events before, some are not the parent's", s.Name, at, sets, n)
	}
	// Keys that are given the values that they have.
	keys, texts := values(t, parent.Info.Scenario, "network")
	more, their := values(t, parent.Info.Scenario, "algorithm")
	keys, texts = append(keys, more...), append(texts, their...)
	var same []string
	for k, key := range keys {
		set := key + "=" + texts[k]
		if _, err := scenarios.Fork("run.json", []byte(parent.Info.Scenario), at, []string{set}); err == nil {
			same = append(same, set)
		}
	}
	if nothing, err := scenarios.Fork("run.json", []byte(parent.Info.Scenario), at, same); err != nil {
		t.Errorf("%s at %v, %v: %v", s.Name, at, same, err)
	} else if r, err := run(nothing, experiment.Options{Workers: 1, From: from(nothing)}); err != nil ||
		r.Info.Digest != parent.Info.Digest {
		t.Errorf("%s at %v: a run in which nothing becomes different (%v) is %s, its parent %s", s.Name, at, same,
			outcome(r, err), parent.Info.Digest)
	}
	switch {
	case fork.Info.Digest == parent.Info.Digest:
		return "same"
	case goes.Known > 0:
		return "gone on from a state"
	}
	return "forked"
}

func TestWild_ForksAreTheRunsThatChange(t *testing.T) {
	runs := uint64(150)
	if testing.Short() {
		runs = 30
	}
	became := map[string]int{}
	for seed := uint64(1); seed <= runs; seed++ {
		s, err := Wild(seed)
		if err != nil {
			t.Fatal(err)
		}
		own := sim.NewStream(seed, "wild forks")
		if own.IntN(3) == 0 { // a parent that changes itself
			text := s.Resolved() + "changes: [{at: 60ms, set: {network.loss: 0.1}}, {at: 400ms, " +
				"set: {network.loss: 0, compute.row: 30us}}]\n"
			if other, err := scenarios.Parse(s.Name, []byte(text)); err == nil {
				s = other
			}
		}
		became[forks(t, s, own)]++
	}
	t.Logf("%v", became)
	if most := int(runs); became["forked"]+became["gone on from a state"] < most/2 ||
		became["gone on from a state"] < most/3 || most > 100 && became["refused"] == 0 {
		t.Errorf("of %d runs %v", most, became)
	}
}

package scenarios

import (
	"slices"
	"testing"

	"overhear/sim"
)

// What is different from an instant on comes after what the text changes then, before what it changes later, and in the
// place of the same key.
func TestFork_AddsToWhatChanges(t *testing.T) {
	const text = `
name: forked
problem: {data: wdbc}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 5}
algorithm: {kind: admm, eta: 0.003}
changes:
  - {at: 10ms, set: {network.loss: 0.1, algorithm.eta: 0.004}}
  - {at: 30ms, set: {network.loss: 0}}
`
	const first, last = "from 10ms on network.loss=0.1, algorithm.eta=0.004", "from 30ms on network.loss=0"
	const added = "algorithm.eta=0.005, network.latency={kind: constant, value: 6ms}"
	for at, want := range map[sim.Duration][]string{
		5e6:  {"from 5ms on " + added, first, last},
		10e6: {"from 10ms on network.loss=0.1, " + added, last},
		20e6: {first, "from 20ms on " + added, last},
		40e6: {first, last, "from 40ms on " + added},
	} {
		s, err := Fork("forked.yaml", []byte(text), at, []string{"algorithm.eta=0.005", "network.latency=6ms"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range s.Changes {
			got = append(got, c.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("at %v: %q, want %q", at, got, want)
		}
	}
}

// Scenarios say the same at an instant if what holds then is equal, however it is written and whatever changes later.
func TestSameAt_IsOfWhatHolds(t *testing.T) {
	const text = `
name: forked
problem: {data: wdbc}
network: {topology: {kind: ring, nodes: 4}, latency: 6ms}
rounds: {count: 5}
algorithm: {kind: admm, eta: 0.003}
changes: [{at: 10ms, set: {network.loss: 0.1}}]
`
	s, err := Parse("forked.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   sim.Duration
		set  string
		same bool
	}{
		{5e6, "network.loss=0", true}, {5e6, "network.loss=0.1", false}, {10e6, "network.loss=0.1", true},
		{10e6, "network.loss=0", false}, {20e6, "network.loss=0.1", true}, {20e6, "network.latency=0.006s", true},
		{20e6, "algorithm.eta=0.003", true}, {20e6, "algorithm.eta=0.0031", false},
	} {
		fork, err := Fork("forked.yaml", []byte(text), c.at, []string{c.set})
		if err != nil {
			t.Fatal(err)
		}
		if same := SameAt(s, fork, c.at); same != c.same {
			t.Errorf("%s from %v on: the same %v", c.set, c.at, same)
		}
	}
}

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

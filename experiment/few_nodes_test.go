// Runs of a single node, and of nodes that are asked while they compute.

package experiment

import (
	"context"
	"testing"

	"overhear/scenarios"
)

// One node has nobody to wait for: it comes to the optimum of its own rows.
func TestExecute_OneNode(t *testing.T) {
	for _, set := range []string{"algorithm={kind: admm}", "algorithm={kind: edge-admm}", "algorithm={kind: local}",
		"algorithm={kind: centralised}"} {
		for _, mode := range []string{"synchronous", "asynchronous"} {
			s, err := scenarios.Parse("t.yaml", []byte(`name: t
problem: {data: wdbc, train: 0.8, rho: 0.02}
network: {topology: {kind: complete, nodes: 1}}
rounds: {count: 5}
`), set, "rounds.mode="+mode)
			if err != nil {
				t.Fatal(err)
			}
			info, _, err := New(s, "").Measure(context.Background(), 1, 1)
			if err != nil {
				t.Errorf("%s, %s: %v", set, mode, err)
				continue
			}
			if d := float64(info.Final.Distance); !(d <= 1e-6) {
				t.Errorf("%s, %s: the node ends %v from the optimum", set, mode, d)
			}
		}
	}
}

// A node that computes is asked for what it sent before. What it answers with is not what it computes: the race
// detector sees it if that is touched.
func TestExecute_NodesThatComputeAreAsked(t *testing.T) {
	s, err := scenarios.Parse("t.yaml", []byte(`name: t
problem: {data: wdbc, train: 0.5, rho: 0.2}
network:
  topology: {kind: watts-strogatz, nodes: 8, nearest: 4, rewire: 0.3}
  latency: {kind: lognormal, median: 20ms, sigma: 1}
  loss: 0.15
  duplication: 0.3
  faults:
    - {at: 400ms, crash: 3, until: 900ms, memory: lost}
    - {at: 1s, crash: 5, until: 1400ms, memory: kept}
    - {join: 4, at: 500ms}
    - {at: 600ms, partition: [[0, 1, 2, 3], [4, 5, 6, 7]], until: 1100ms}
compute: {row: 1ms, speed-spread: 0.6}
rounds: {mode: asynchronous, count: 40, staleness: 4, quorum: 0.5, timeout: 60ms}
algorithm: {kind: edge-admm, eta: 0.05}
`))
	if err != nil {
		t.Fatal(err)
	}
	for seed := uint64(1); seed <= 3; seed++ {
		digests := map[string]bool{}
		for _, workers := range []int{1, 3} {
			info, _, err := New(s, "").Measure(context.Background(), seed, workers)
			if err != nil {
				t.Fatal(err)
			}
			digests[info.Digest] = true
		}
		if len(digests) != 1 {
			t.Errorf("seed %d: the digest depends on the number of workers", seed)
		}
	}
}

// One hop further, where nodes solve coarsely.

package evaluation

import (
	"context"
	"testing"

	"overhear/experiment"
	"overhear/record"
)

// What one-hop says of its own error is of the run's tolerance: at every tolerance no fact is off by more, and a coarse
// run is not said to be as exact as a fine one.
func TestOneHop_ErrorIsOfTheRunsTolerance(t *testing.T) {
	last := 0.0
	for _, tolerance := range []string{"1e-10", "1e-7", "1e-4", "1e-2"} {
		e := small(t, "{kind: admm, eta: 0.5}", nil, "network.topology={kind: ring, nodes: 5}", "problem.data.rows=80",
			"problem.train=50", "solver.tolerance="+tolerance, "algorithm.init={normal: 0.5}",
			"adversary={view: {kind: links, links: [[0, 1]]}, knows: {victim: 2, data: [0]}, attacks: [one-hop]}")
		r, err := e.Run(context.Background(), 1, experiment.Options{Out: t.TempDir(), Extra: WriteKnowledge})
		if err != nil {
			t.Fatal(err)
		}
		a, err := Attack(context.Background(), r, AttackOptions{})
		if err != nil {
			t.Fatal(err)
		}
		f := a.Findings[0]
		bound := -1.0
		for _, c := range f.Checks {
			if c.Kind == record.SumPrecision {
				bound = float64(c.Measured)
			}
		}
		if len(f.Facts) == 0 || !(bound > 10*last) {
			t.Fatalf("tolerance %s: %d facts, an error of %v, and before %v: %s", tolerance, len(f.Facts), bound, last,
				f.Conclusion)
		}
		for _, fact := range f.Facts {
			if !(float64(fact.Relative) <= bound) {
				t.Errorf("tolerance %s: node %d, round %d is off by %v, and at most %v is said", tolerance, fact.Node,
					fact.Round, fact.Relative, bound)
			}
		}
		last = bound
	}
}

// Steps that rounding keeps from their tolerance.

package algorithms

import (
	"strings"
	"testing"

	"overhear/problem"
)

// A step that rounding keeps from its tolerance says which one would do, and with that it is done.
func TestMinimise_SaysWhichToleranceWouldDo(t *testing.T) {
	rows := problem.NewRows(2)
	for _, x := range [][]float64{{0.3, 0.7}, {0.9, -0.1}, {0.2, 0.5}} {
		rows.Append([]int32{0, 1}, x)
	}
	p := &problem.Problem{D: 2, C: 1, Loss: problem.Squared, R: []float64{0.1},
		Shards: []problem.Shard{{U: rows, Targets: []float64{1e5, 3e5, -2e5}}}}
	step := func(tolerance float64) error {
		n := &Node{F: make([]float64, 2), Work: &newWork(1, p)[0], solver: p.NewSolver(0, tolerance)}
		return n.Minimise(0.1)
	}
	err := step(1e-17)
	if err == nil || !strings.Contains(err.Error(), "solver.tolerance: 1e-11 would do") {
		t.Errorf("%v", err)
	}
	if err := step(1e-11); err != nil {
		t.Error(err)
	}
}

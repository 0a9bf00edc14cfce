// A runner that is stopped gives no result.

package sweep

import (
	"context"
	"errors"
	"testing"
)

// Whoever stops a run may say why; that is not the run's failure.
func TestRunner_AStoppedRunIsNoResult(t *testing.T) {
	p, err := PlanOf("x.yaml", "name: x\nproblem: {data: wdbc}\nnetwork: {topology: {kind: ring, nodes: 3}}\n"+
		"rounds: {count: 100000}\nalgorithm: {kind: admm, eta: 0.1}\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("the sweep has ended")
	for name, cause := range map[string]error{"with a cause": why, "without": nil} {
		ctx, stop := context.WithCancelCause(t.Context())
		stop(cause)
		if b, err := NewRunner(p, "").Run(ctx, 0, 1); b != nil || !errors.Is(err, context.Cause(ctx)) {
			t.Errorf("%s: result %q, error %v", name, b, err)
		}
	}
}

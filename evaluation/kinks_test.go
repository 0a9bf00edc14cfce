// Audits where iterates are at kinks of the regulariser.

package evaluation

import (
	"math"
	"strings"
	"testing"

	"overhear/record"
)

// Where noise is in the objective and iterates are at kinks there is no likelihood, and the claim is not established:
// the audit says so and why, in place of ending in an error.
func TestKinks_AnAuditOfObjectiveNoiseIsNotEstablished(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and other tests run the same code")
	}
	for _, algorithm := range []string{"{kind: dvp, eta: 1}",
		"{kind: penalty-perturbation, eta: 1, theta: 1}"} {
		for _, kink := range []string{"problem.l1=0.05", "problem.set={kind: box, lower: -0.01, upper: 0.01}"} {
			a := auditTargets(t, "problem.data=wdbc", "problem.scale={}", "problem.loss=logistic", "problem.train=0.8",
				"algorithm="+algorithm, kink, "adversary.audit.runs=10")
			if len(a.Verdicts) != 1 || len(a.ROC) > 0 || !math.IsNaN(float64(a.Power.AUC)) {
				t.Fatalf("%s, %s: %d verdicts", algorithm, kink, len(a.Verdicts))
			}
			v := a.Verdicts[0]
			if v.Verdict != record.NotEstablished || !math.IsNaN(float64(v.Measured)) ||
				!strings.Contains(v.Reason, "twice differentiable") ||
				!strings.Contains(v.Reason, "many values of the noise have in common") {
				t.Errorf("%s, %s: %+v", algorithm, kink, v)
			}
		}
	}
	// Noise on the minimiser has a likelihood there.
	a := auditTargets(t, "problem.data=wdbc", "problem.scale={}", "problem.loss=logistic", "problem.train=0.8",
		"algorithm={kind: pvp}", "problem.l1=0.05", "adversary.audit.runs=10")
	if v := a.Verdicts[0]; v.Verdict != record.Consistent {
		t.Errorf("pvp: %+v", v)
	}
}

// Audits of a row's label under methods that protect rows.

package evaluation

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"overhear/privacy"
	"overhear/record"
)

// A flipped label loses no more than is certified of it, and comes near it where the row has norm 1: logistic loss
// moves the noise's origin by a fixed shift then, or at most by one that a long run reaches.
func TestAudit_LabelsOfRows(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	sets := []string{"problem.scale.rows=unit", "problem.scale.columns=none", "problem.rho=0.5", "rounds.count=8",
		"adversary.audit={runs: 500, unit: label}"}
	for algorithm, least := range map[string]float64{
		"{kind: dvp, alpha: 0.6, eta: 0.5}":                  0.75, // at every margin the same
		"{kind: private-dgd, alpha: 0.4, law: gaussian}":     0.7,
		"{kind: pvp, alpha: 0.6, eta: 0.5}":                  0.2, // a minimiser moves by less than the bound
		"{kind: penalty-perturbation, alpha: 0.6, eta: 0.5}": 0.7,
	} {
		a, err := Audit(context.Background(), small(t, algorithm, nil, sets...), AuditOptions{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if a.Pair.Unit != privacy.Label || a.Certificate.Unit != privacy.Label || len(a.Pair.Search) > 0 {
			t.Errorf("%s: audited are %s, certified %s", algorithm, a.Pair.Unit, a.Certificate.Unit)
		}
		for i := range a.Pair.A {
			if a.Pair.A[i] != -a.Pair.B[i] {
				t.Fatalf("%s: %v and %v", algorithm, a.Pair.A, a.Pair.B)
			}
		}
		v := a.Certified
		if v == nil || v.Verdict != record.Consistent || !(v.Share >= record.Number(least) && v.Share <= 1) {
			t.Errorf("%s: %+v, %+v", algorithm, v, a.Checks)
		}
		if run := a.Verdicts[len(a.Verdicts)-1]; run.Scope != record.WholeRun || math.IsNaN(float64(run.Epsilon)) {
			t.Errorf("%s: no claim of a row stands for its label", algorithm)
		}
	}
	for want, set := range map[string]string{
		"of labels one differs": "adversary.audit.group=2",
		"of one of two classes": "problem={data: {set: linear, rows: 60}, rho: 0.5, loss: {kind: huber, width: 1}}",
		"leave one of them out": "adversary.audit.pair={a: [1, 0, 0], b: [0, 1, 0]}",
	} {
		_, err := Audit(context.Background(), small(t, auditedDVP, nil, append(sets, set)...),
			AuditOptions{Workers: 2})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", set, err)
		}
	}
}

// An audit names the node that loses most, where it is another than the audited one.
func TestAudit_NamesTheNodeThatLosesMost(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	const uneven = "problem.partition={kind: sizes, sizes: [16, 10, 4]}"
	for node, want := range []int{2, 2, -1} {
		a := smallAudit(t, auditedPP, uneven, fmt.Sprintf("adversary.audit.node=%d", node))
		got := -1
		if a.Elsewhere != nil {
			if got = a.Elsewhere.Node; !(a.Elsewhere.Epsilon > 1.01*a.Certificate.Epsilon) {
				t.Errorf("node %d: %+v beside %v", node, a.Elsewhere, a.Certificate.Epsilon)
			}
		}
		if got != want {
			t.Errorf("an audit of node %d names node %d, want %d: certified %v", node, got, want, a.Certificate.Epsilon)
		}
	}
}

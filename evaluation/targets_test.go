// Attacks and audits where rows have targets: those that are defined, and the reason of the others.

package evaluation

import (
	"context"
	"math"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
)

const predicted = `name: predicted
problem:
  data: {set: linear, rows: 60}
  train: 40
  scale: {columns: none, intercept: false, target: none}
  loss: squared
  rho: 0.05
network: {topology: {kind: ring, nodes: 8}}
rounds: {count: 40}
algorithm: {kind: admm, eta: 0.01}
adversary: {knows: {victim: 2, all-but: 1, candidates: 5}}
`

// Five rows of ten columns span five dimensions, whatever their targets; what is worked out from classes is not tried.
func TestTargets_AttacksThatAreDefined(t *testing.T) {
	_, a := attacked(t, predicted)
	tried := map[string]record.Finding{}
	for _, f := range a.Findings {
		tried[f.Attack] = f
	}
	if f := tried["row-space"]; f.Succeeded != record.Exact || !strings.Contains(f.Conclusion, "5 independent rows") {
		t.Errorf("row-space: %s: %s", f.Succeeded, f.Conclusion)
	}
	if f := tried["late-joiner"]; f.Succeeded != record.Partial || len(f.Estimates) > 0 || len(f.Facts) == 0 ||
		!strings.Contains(f.Doubt, "the sample is not") { // which an informed adversary wants
		t.Errorf("late-joiner: %s, %d estimates: %s", f.Succeeded, len(f.Estimates), f.Conclusion)
	}
	refused := 0
	for _, u := range a.Untried {
		if strings.Contains(u.Reason, "these have targets") {
			refused++
		}
	}
	if len(tried) != 3 || refused != 11 {
		t.Errorf("%d attacks were tried, %d refused for the targets: %+v", len(tried), refused, a.Untried)
	}
}

// Without what tells targets from classes, inversion takes the residual for a margin and is wrong: so it is refused.
func TestTargets_InversionIsRefusedByName(t *testing.T) {
	_, a := attacked(t, predicted, "adversary.attacks=[kkt-inversion, membership]")
	for _, f := range a.Findings {
		if f.Succeeded != record.Blocked || len(f.Estimates) > 0 || len(f.Members) > 0 {
			t.Errorf("%s: %s with %d estimates", f.Attack, f.Succeeded, len(f.Estimates))
		}
	}
}

func auditTargets(t *testing.T, sets ...string) *record.Audit {
	t.Helper()
	s, err := scenarios.Parse("audit.yaml", []byte(`name: audit
problem:
  data: {set: linear, rows: 1500, dimension: 2}
  train: 1200
  scale: {columns: none, intercept: false, target: none}
  loss: {kind: huber, width: 1}
  rho: 0.01
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 4}
algorithm: {kind: dvp, eta: 0.1, alpha: 0.5}
adversary: {audit: {runs: 100, pilots: 5}}
`), sets...)
	if err != nil {
		t.Fatal(err)
	}
	return checked(t, s)
}

// What is proved of margins holds of residuals whose slopes are bounded, and nearly all of it is used; the printed
// calibration, of twice the noise rate, is violated with targets as it is with classes.
func TestTargets_AuditOfBoundedSlopes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and other tests run the same code")
	}
	a := auditTargets(t)
	v := a.Verdicts[0]
	if !a.Stands() || v.Verdict != record.Consistent || !(float64(v.Measured) > 0.45 && float64(v.Measured) <= 0.5) {
		t.Errorf("proof: %+v", v)
	}
	if !strings.Contains(a.Pair.What, "target") {
		t.Errorf("the pair is %s", a.Pair.What)
	}
	a = auditTargets(t, "algorithm.calibration=listing")
	if v := a.Verdicts[0]; v.Verdict != record.Violated || !(float64(v.Measured) > 0.9) {
		t.Errorf("listing: %+v", v)
	}
	for _, algorithm := range []string{"{kind: pvp, alpha: 0.5}", "{kind: private-r-admm, eta: 0.5}",
		"{kind: penalty-perturbation, eta: 0.5, theta: 0.5}", "{kind: private-dgd, alpha: 0.5}"} {
		for _, loss := range []string{"{kind: huber, width: 0.5}", "{kind: quantile, level: 0.9, width: 0.5}"} {
			a := auditTargets(t, "algorithm="+algorithm, "problem.loss="+loss, "adversary.audit.runs=30")
			if !a.Stands() {
				t.Errorf("%s with %s: %s", algorithm, loss, failures(a))
			}
		}
	}
}

// With the squared loss nothing is claimed, and one far target shows why.
func TestTargets_AuditOfTheSquaredLoss(t *testing.T) {
	a := auditTargets(t, "problem.loss=squared", "algorithm={kind: pvp}", "adversary.audit.runs=20")
	v := a.Verdicts[0]
	if v.Verdict != record.NotEstablished || !math.IsNaN(float64(v.Epsilon)) || !(float64(v.Measured) > 100) ||
		!strings.Contains(v.Reason, "far target") {
		t.Errorf("%+v", v)
	}
}

// A pair that is given says y·x and no target.
func TestTargets_AuditRefusesAGivenPair(t *testing.T) {
	s, err := scenarios.Parse("audit.yaml", []byte(predicted), "algorithm={kind: dvp, eta: 0.1}",
		"problem.loss={kind: huber, width: 1}", "problem.data.dimension=2",
		"adversary={audit: {runs: 10, pair: {a: [1, 0], b: [0, 1]}}}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Audit(context.Background(), experiment.New(s, ""), AuditOptions{Workers: 2}); err == nil ||
		!strings.Contains(err.Error(), "adversary.audit.pair") {
		t.Errorf("%v", err)
	}
}

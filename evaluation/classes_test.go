// Attacks and audits where rows have one of several classes.

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

const classified = `name: classified
problem:
  data: {set: waveform, rows: 80, classes: all}
  train: 40
  scale: {intercept: false}
  loss: softmax
  rho: 0.05
network: {topology: {kind: ring, nodes: 8}}
rounds: {count: 40}
algorithm: {kind: admm, eta: 0.01}
adversary: {knows: {victim: 2, all-but: 1, candidates: 5}}
`

// Five rows of 21 columns span five dimensions in every class's block; what is worked out from two classes is not
// tried.
func TestClasses_AttacksThatAreDefined(t *testing.T) {
	for _, loss := range []string{"softmax", "one-vs-rest"} {
		_, a := attacked(t, classified, "problem.loss="+loss)
		tried := map[string]record.Finding{}
		for _, f := range a.Findings {
			tried[f.Attack] = f
		}
		if f := tried["row-space"]; f.Succeeded != record.Exact || !strings.Contains(f.Conclusion,
			"5 independent rows") {
			t.Errorf("%s, row-space: %s: %s", loss, f.Succeeded, f.Conclusion)
		}
		if f := tried["late-joiner"]; f.Succeeded != record.Partial || len(f.Estimates) > 0 || len(f.Facts) == 0 ||
			!strings.Contains(f.Doubt, "the sample is not") { // which an informed adversary wants
			t.Errorf("%s, late-joiner: %s, %d estimates: %s", loss, f.Succeeded, len(f.Estimates), f.Conclusion)
		}
		refused := 0
		for _, u := range a.Untried {
			if strings.Contains(u.Reason, "these have one of several") {
				refused++
			}
		}
		if len(tried) != 3 || refused == 0 {
			t.Errorf("%s: %d attacks were tried, %d refused for the classes: %+v", loss, len(tried), refused, a.Untried)
		}
	}
}

// Attacks of two classes are blocked by name, and colluders' sums of the next hop, and recycled rounds, are exact.
func TestClasses_AttacksByName(t *testing.T) {
	_, a := attacked(t, classified, "adversary.attacks=[kkt-inversion, kkt-rounds, membership]")
	for _, f := range a.Findings {
		if f.Succeeded != record.Blocked || len(f.Estimates) > 0 || len(f.Members) > 0 {
			t.Errorf("%s: %s with %d estimates", f.Attack, f.Succeeded, len(f.Estimates))
		}
	}
	_, a = attacked(t, classified, "adversary={view: {kind: nodes, nodes: [2]}, knows: {data: [2], victim: 2}, "+
		"attacks: [one-hop]}")
	for _, f := range a.Findings {
		if !strings.Contains(f.Conclusion, "the 40 sums worked out agree with them") || !holding(f.Checks) {
			t.Errorf("%s: %s with %d facts: %s", f.Attack, f.Succeeded, len(f.Facts), f.Conclusion)
		}
	}
	_, a = attacked(t, classified, "algorithm={kind: r-admm, eta: 0.05, gamma: 0.1}", "adversary.attacks=[recycling]")
	for _, f := range a.Findings {
		if !strings.Contains(f.Conclusion, "160 even rounds of 8 nodes follow from messages") || !holding(f.Checks) {
			t.Errorf("%s: %s: %s", f.Attack, f.Succeeded, f.Conclusion)
		}
	}
}

// holding says whether there are checks and all of them hold.
func holding(checks []record.Check) bool {
	for _, c := range checks {
		if !c.Holds {
			return false
		}
	}
	return len(checks) > 0
}

func auditClasses(t *testing.T, sets ...string) *record.Audit {
	t.Helper()
	s, err := scenarios.Parse("audit.yaml", []byte(`name: audit
problem:
  data: {set: waveform, rows: 1500, classes: all}
  train: 1200
  loss: softmax
  rho: 0.01
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 4}
algorithm: {kind: dvp, eta: 0.1, alpha: 0.5}
adversary: {audit: {runs: 60, pilots: 5}}
`), sets...)
	if err != nil {
		t.Fatal(err)
	}
	return checked(t, s)
}

// Nothing is claimed of several classes; the likelihoods are exact all the same (the checks say so: the noise is what
// the stream drew and ratios are calibrated).
func TestClasses_AuditsMeasureWhatIsNotClaimed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector")
	}
	for _, algorithm := range []string{"{kind: dvp, alpha: 0.5}", "{kind: pvp, alpha: 0.5}",
		"{kind: private-r-admm, eta: 0.5}", "{kind: private-dgd, alpha: 0.5}"} {
		for _, loss := range []string{"softmax", "one-vs-rest"} {
			a := auditClasses(t, "algorithm="+algorithm, "problem.loss="+loss, "adversary.audit.runs=30")
			v := a.Verdicts[0]
			if v.Verdict != record.NotEstablished || !math.IsNaN(float64(v.Epsilon)) || !(float64(v.Measured) > 0) ||
				!strings.Contains(v.Reason, "norm comes to √") {
				t.Errorf("%s, %s: %+v", algorithm, loss, v)
			}
			if !strings.Contains(a.Pair.What, "class") {
				t.Errorf("the pair is %s", a.Pair.What)
			}
		}
	}
}

// A pair that is given says y·x and no class.
func TestClasses_AuditRefusesAGivenPair(t *testing.T) {
	s, err := scenarios.Parse("audit.yaml", []byte(classified), "algorithm={kind: dvp, eta: 0.1}",
		"adversary={audit: {runs: 10, pair: {a: [1, 0], b: [0, 1]}}}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Audit(context.Background(), experiment.New(s, ""), AuditOptions{Workers: 2}); err == nil ||
		!strings.Contains(err.Error(), "adversary.audit.pair") {
		t.Errorf("%v", err)
	}
}

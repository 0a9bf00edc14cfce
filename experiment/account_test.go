// Noise chosen for a target, and what a run says of its privacy.

package experiment

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"overhear/privacy"
	"overhear/scenarios"
)

const private = `name: t
problem: {data: wdbc, rho: 0.02}
network: {topology: {kind: ring, nodes: 5}}
rounds: {count: 12}
`

func measure(t *testing.T, sets ...string) (*Experiment, *outcome) {
	t.Helper()
	s, err := scenarios.Parse("t.yaml", []byte(private), sets...)
	if err != nil {
		t.Fatal(err)
	}
	e := New(s, "")
	out, err := e.complete(context.Background(), 3, Execution{Workers: 1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e, out
}

func TestPrivacy_TargetIsMet(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes long under the race detector, and by one goroutine")
	}
	for _, algorithm := range []string{
		"{kind: dvp, eta: 0.1, alpha: {initial: 1, ratio: 1.1}}", "{kind: pvp, eta: 0.1, alpha: {values: [1, 2, 3]}}",
		"{kind: penalty-perturbation, eta: {initial: 0.5, ratio: 1.1}, theta: 0.5}", "{kind: private-mr-admm, " +
			"eta: 0.5}",
		"{kind: private-r-admm, eta: 0.5, alpha: 7}", "{kind: private-dgd, alpha: {nodes: [1, 2, 1, 1, 1]}}",
	} {
		for _, over := range []string{"run", "round"} {
			e, out := measure(t, "algorithm="+algorithm, "privacy={epsilon: 1.5, over: "+over+"}")
			last := out.rows[len(out.rows)-1].PrivacyLoss
			worst := out.Account.Ledger.WorstRound(privacy.Sample, 1e-5)
			got := map[string]float64{"run": last, "round": worst}[over]
			if !(math.Abs(got-1.5) <= 1e-9) || !(got <= 1.5) {
				t.Errorf("%s over the %s: spends %v", algorithm, over, got)
			}
			info := e.infoOf(out)
			if info.Privacy.Chosen == nil || !strings.Contains(info.Privacy.Chosen.Parameters, "alpha") {
				t.Errorf("%s: what was chosen is not said: %+v", algorithm, info.Privacy.Chosen)
			}
		}
	}
	for _, sets := range [][]string{
		{"algorithm={kind: dp-admm}", "network.topology={kind: star, nodes: 6}"},
		{"algorithm={kind: penalty-perturbation, law: gaussian, eta: {initial: 2, ratio: 1.1}, theta: 0.5}"},
		{"algorithm={kind: penalty-perturbation, law: gaussian}"},
	} {
		_, out := measure(t, append(sets, "privacy={epsilon: 1.5, delta: 1e-6}")...)
		if got := out.rows[len(out.rows)-1].PrivacyLoss; !(math.Abs(got-1.5) <= 1e-6) {
			t.Errorf("%v spends %v", sets, got)
		}
	}
}

// A penalty that is left to the program leaves room for noise below any target, which one of
// 1 spent whatever the noise was did not.
func TestPrivacy_ComputedPenaltyLeavesRoomForTheTarget(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes long under the race detector, and by one goroutine")
	}
	for _, kind := range []string{"penalty-perturbation", "private-r-admm", "private-mr-admm"} {
		for _, target := range []float64{1, 0.3, 0.01} {
			for _, over := range []string{"run", "round"} {
				_, out := measure(t, "algorithm={kind: "+kind+"}", "rounds.count=40",
					fmt.Sprintf("privacy={epsilon: %v, over: %s}", target, over))
				got := out.rows[len(out.rows)-1].PrivacyLoss
				if over == "round" {
					got = out.Account.Ledger.WorstRound(privacy.Sample, 1e-5)
				}
				if !(math.Abs(got-target) <= 1e-9*target) {
					t.Errorf("%s: %v over the %s, want %v", kind, got, over, target)
				}
			}
		}
	}
}

func TestPrivacy_LossIsCumulativeAndOnlyWhereEstablished(t *testing.T) {
	_, out := measure(t, "algorithm={kind: dvp, eta: 0.1, alpha: 0.25}")
	for k, r := range out.rows {
		if want := 0.25 * float64(k); !(math.Abs(r.PrivacyLoss-want) <= 1e-12) {
			t.Errorf("round %d: %v, want %v", k, r.PrivacyLoss, want)
		}
	}
	e, out := measure(t, "algorithm={kind: penalty-perturbation, eta: 0.0001, theta: 0.0001}")
	if !math.IsNaN(out.rows[3].PrivacyLoss) || len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], "2c₁ <") {
		t.Errorf("a bound whose condition fails: %v, %q", out.rows[3].PrivacyLoss, out.Warnings)
	}
	if c := e.infoOf(out).Privacy.Claims[0]; c.Established || !math.IsNaN(float64(c.Epsilon)) {
		t.Errorf("claim %+v", c)
	}
	e, out = measure(t, "algorithm={kind: pdml, noise: off}")
	for _, c := range e.infoOf(out).Privacy.Claims {
		if c.Unit == privacy.Label && (!c.Established || c.Epsilon != 1) {
			t.Errorf("flips need no condition: %+v", c)
		}
	}
}

func TestPrivacy_Refusals(t *testing.T) {
	for want, sets := range map[string][]string{
		"admm is none": {"algorithm={kind: admm}", "privacy={epsilon: 1}"},
		"is more than the target; this part falls as algorithm.eta grows": {
			"algorithm={kind: penalty-perturbation, eta: 0.5}", "privacy={epsilon: 0.001}"},
		"bound is not established": {"algorithm={kind: penalty-perturbation, eta: 0.0001, theta: 0.0001}",
			"privacy={epsilon: 1}"},
		"star with the hub": {"algorithm={kind: dp-admm}"},
		"debiased loss":     {"algorithm={kind: pdml}", "problem.loss=huber-hinge"},
	} {
		s, err := scenarios.Parse("t.yaml", []byte(private), sets...)
		if err != nil {
			t.Fatalf("%q: %v", sets, err)
		}
		if _, err := New(s, "").Assemble(t.Context(), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", sets, err, want)
		}
	}
	for want, set := range map[string]string{
		"for each of 5 nodes, has 3":           "algorithm={kind: m-admm, eta: {nodes: [1, 1, 1]}}",
		"eta must be positive":                 "algorithm={kind: m-admm, eta: -1}",
		"algorithm.eta.nodes must stand alone": "algorithm={kind: m-admm, eta: {initial: 1, nodes: [1]}}",
		"algorithm.eta must be a number":       "algorithm={kind: m-admm, eta: [1, 2]}",
		"algorithm.noise must be one of":       "algorithm={kind: dvp, noise: maybe}",
		"must be greater than 0, is -1":        "privacy.epsilon=-1",
		"must be greater than 0, is 0":         "privacy.epsilon=0",
	} {
		if _, err := scenarios.Parse("t.yaml", []byte(private+"algorithm: {kind: admm}\n"), set); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}

// What PDML guarantees is of the labels that are flipped and of the rows that noise covers, and of no others; a warning
// that speaks of rows says so.
func TestPrivacy_PDMLGuaranteesWhatItDoes(t *testing.T) {
	const (
		label, row = "ε-local differential privacy of a user's label", "of a row, what Gaussian noise"
		bare, off  = "none of a label", "none of a row"
	)
	for name, c := range map[string]struct {
		labels, noise string
		says, not     []string
		warns         string
	}{
		"both":  {"randomised", "on", []string{label, row}, []string{"none"}, ""},
		"flips": {"randomised", "off", []string{label, off}, []string{row}, "that of labels is: the noise is off"},
		"noise": {"true", "on", []string{row, bare}, []string{label, "randomised response"}, ""},
		"neither": {"true", "off", []string{"none: users report their labels as they are"}, []string{label, row},
			"the privacy bound is not established: the noise is off"},
	} {
		e, out := measure(t, "algorithm={kind: pdml, labels: "+c.labels+", noise: "+c.noise+"}", "rounds.count=2")
		p := e.infoOf(out).Privacy
		for _, s := range c.says {
			if !strings.Contains(p.Guarantee, s) {
				t.Errorf("%s: %q does not say %q", name, p.Guarantee, s)
			}
		}
		for _, s := range c.not {
			if strings.Contains(p.Guarantee, s) {
				t.Errorf("%s: %q says %q", name, p.Guarantee, s)
			}
		}
		all := strings.Join(out.Warnings, "\n")
		if !strings.Contains(all, c.warns) || (c.warns == "") == strings.Contains(all, "not established") ||
			c.labels == "randomised" && strings.Contains(all, "the privacy bound is not established") {
			t.Errorf("%s: warnings %q", name, all)
		}
	}
}

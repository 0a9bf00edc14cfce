// Certificates in what a run records.

package experiment

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/privacy"
	"overhear/privacy/loss"
	"overhear/record"
	"overhear/scenarios"
)

// certificatesOf are those of a small run, and its claims.
func certificatesOf(t *testing.T, algorithm string, sets ...string) *record.Privacy {
	t.Helper()
	topology := "{kind: ring, nodes: 3}"
	if strings.Contains(algorithm, "dp-admm") {
		topology = "{kind: star, nodes: 4}"
	}
	s, err := scenarios.Parse("certificate.yaml", fmt.Appendf(nil, `name: certificate
problem:
  data: {set: twonorm, rows: 60, dimension: 20}
  train: 30
  scale: {columns: max, rows: clip, intercept: false}
  rho: 0.3
network: {topology: %s}
rounds: {count: 20}
algorithm: %s
`, topology, algorithm), sets...)
	if err != nil {
		t.Fatal(err)
	}
	info, _, err := New(s, "").Measure(context.Background(), 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	return info.Privacy
}

// A certificate is below its claim, has its own δ, and falls with the rounds that use data.
func TestRecord_CertificatesAreBelowClaims(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes long under the race detector, and by one goroutine")
	}
	for _, algorithm := range []string{
		"{kind: dvp, alpha: 0.5, eta: 0.5}", "{kind: pvp, alpha: 0.5, eta: 0.5}",
		"{kind: pvp, alpha: 0.5, eta: 0.5, law: gaussian}", "{kind: proximal-admm, alpha: 0.5, eta: 0.5}",
		"{kind: private-dgd, alpha: 0.5}", "{kind: dp-admm, epsilon: 0.5, eta: 0.5}",
		"{kind: penalty-perturbation, alpha: 2, eta: 0.5, theta: 0.5}",
		"{kind: penalty-perturbation, alpha: 1, eta: 0.5, theta: 0.5, law: gaussian}",
		"{kind: private-r-admm, alpha: 3, eta: 0.5}", "{kind: private-mr-admm, alpha: 3, eta: 0.5}",
	} {
		p := certificatesOf(t, algorithm)
		if len(p.Certificates) != 2 || p.Certificates[0].Reason != "" || p.Certificates[0].Unit != privacy.Sample {
			t.Errorf("%s: %+v", algorithm, p.Certificates)
			continue
		}
		if flip := p.Certificates[1]; flip.Unit != privacy.Label ||
			!(flip.Epsilon > 0.25*p.Certificates[0].Epsilon && flip.Epsilon < 0.8*p.Certificates[0].Epsilon) {
			t.Errorf("%s: of a label %v is certified, of a row %v", algorithm, flip.Epsilon, p.Certificates[0].Epsilon)
		}
		c, claim := p.Certificates[0], p.Claims[0]
		if !(c.Epsilon > 0 && c.Epsilon <= 0.95*claim.Bound.Epsilon) || c.Delta != 1e-5 {
			t.Errorf("%s: certified %v at δ = %v, claimed %v at %v", algorithm, c.Epsilon, c.Delta, claim.Bound.Epsilon,
				claim.Bound.Delta)
		}
		if first, last := c.Curve[0], c.Curve[len(c.Curve)-1]; first.Epsilon != 0 || !(first.Delta > 1e-5) ||
			!(last.Epsilon > c.Epsilon) || !(last.Delta <= 1e-9) {
			t.Errorf("%s: a curve from %+v to %+v", algorithm, first, last)
		}
		for k, p := range c.TradeOff[1:] {
			if before := c.TradeOff[k]; !(p.Missed <= before.Missed && p.Missed+p.Alarms <= 1+1e-12 && p.Missed >= 0) {
				t.Errorf("%s: a trade-off of %+v after %+v", algorithm, p, before)
			}
		}
		half := certificatesOf(t, algorithm, "rounds.count=10").Certificates[0]
		if !(half.Epsilon < c.Epsilon) {
			t.Errorf("%s: 10 rounds lose %v, 20 lose %v", algorithm, half.Epsilon, c.Epsilon)
		}
	}
}

// Labels by randomised response are certified whatever else fails; what is not proved has a reason and no number.
func TestRecord_NotCertified(t *testing.T) {
	p := certificatesOf(t, "{kind: pdml, epsilon: 1.5, eta: 0.5}", "problem.scale.rows=none")
	if len(p.Certificates) != 2 || p.Certificates[0].Unit != privacy.Label || p.Certificates[0].Epsilon != 1.5 ||
		p.Certificates[0].Delta != 0 || !strings.Contains(p.Certificates[1].Reason, "norm at most 1") ||
		!math.IsNaN(float64(p.Certificates[1].Epsilon)) {
		t.Errorf("%+v", p.Certificates)
	}
	p = certificatesOf(t, "{kind: pdml, epsilon: 1.5, eta: 0.5, noise: off}")
	if len(p.Certificates) != 2 || !strings.Contains(p.Certificates[1].Reason, "noise is off") {
		t.Errorf("of rows without noise: %+v", p.Certificates)
	}
	p = certificatesOf(t, "{kind: dvp, alpha: 0.5, eta: 0.5}", "problem.l1=0.01")
	if len(p.Certificates) != 1 || !strings.Contains(p.Certificates[0].Reason, "twice differentiable") {
		t.Errorf("%+v", p.Certificates)
	}
}

// A claim that is its authors' word alone is no certificate: with the printed calibration a run loses more than the sum
// of its claims, and its curve says so.
func TestRecord_CertificateIsNoUnprovedClaim(t *testing.T) {
	p := certificatesOf(t, "{kind: dvp, alpha: 5, eta: 0.5, calibration: listing}", "rounds.count=1")
	c := p.Certificates[0]
	if !strings.HasPrefix(p.Condition, record.ClaimedNotProved) || !(c.Epsilon > 5) {
		t.Errorf("certificate %v where 5 is claimed: %s", c.Epsilon, p.Condition)
	}
	for _, point := range c.Curve {
		if point.Epsilon > c.Epsilon && point.Delta > c.Delta {
			t.Errorf("δ(%v) = %v where the certificate is %v at %v", point.Epsilon, point.Delta, c.Epsilon, c.Delta)
		}
	}
}

// Noise chosen by the certificate has a certificate that is the target, to a hundredth from below, in whatever method,
// and no more noise than for the same claim.
func TestPrivacy_TargetIsMetByTheCertificate(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector")
	}
	for algorithm, least := range map[string]float64{ // how much less noise, of 20 rounds in 21 columns
		"{kind: dvp, eta: 0.5}": 4, "{kind: pvp, eta: 0.5}": 4, "{kind: proximal-admm}": 4, "{kind: private-dgd}": 4,
		"{kind: dvp}": 4, "{kind: pvp, alpha: {values: [1, 2, 3]}}": 4, "{kind: penalty-perturbation}": 1.5,
		"{kind: penalty-perturbation, eta: {initial: 3, ratio: 1.02}, theta: 3}": 3,
		"{kind: private-r-admm, eta: 3, perturbation: output}":                   3,
		"{kind: private-r-admm}": 2, "{kind: private-mr-admm}": 2,
		"{kind: pvp, eta: 0.5, law: gaussian}": 1.02, "{kind: dp-admm}": 1.02,
	} {
		for _, target := range []float64{2, 0.3}[:1+len(algorithm)%2] { // some for both
			by := func(by string) (*record.Privacy, record.Certificate) {
				p := certificatesOf(t, algorithm, fmt.Sprintf("privacy={epsilon: %v, delta: 1e-6, by: %s}", target, by))
				return p, p.Certificates[0]
			}
			p, c := by("certificate")
			if !(c.Epsilon <= record.Number(target) && c.Epsilon >= 0.99*record.Number(target)) || c.Delta != 1e-6 ||
				p.Chosen.By != "certificate" || p.Chosen.Epsilon != target {
				t.Errorf("%s: certified %v at δ = %v for the target %v, chosen %+v", algorithm, c.Epsilon, c.Delta,
					target, p.Chosen)
			}
			claim, other := by("claim")
			if !(p.Chosen.Scale >= least*claim.Chosen.Scale) || !(other.Epsilon <= c.Epsilon) || claim.Chosen.By != "" {
				t.Errorf("%s: budgets × %v by the certificate, × %v by the claim, whose certificate is %v", algorithm,
					p.Chosen.Scale, claim.Chosen.Scale, other.Epsilon)
			}
		}
	}
}

// What a target comes to where there is a formula for it: one round of Laplace noise on one number, whose δ(ε) is
// 1 − e^((ε−ε₀)/2); rounds of Gaussian noise, with Balle & Wang's; and 50 rounds in 105 dimensions, which docs/
// mathematics.md §6.1 has from an own computation.
func TestPrivacy_ChosenByTheCertificateByHand(t *testing.T) {
	claimed := func(sets ...string) *record.Privacy {
		p := certificatesOf(t, "{kind: pvp, eta: 0.5}", append(sets, "privacy.by=certificate")...)
		if p.Chosen == nil {
			t.Fatalf("%v: no noise was chosen", sets)
		}
		return p
	}
	p := claimed("problem.data.dimension=1", "rounds.count=1", "privacy.epsilon=2", "privacy.delta=0.1")
	if want := 2 - 2*math.Log(1-0.1); !(math.Abs(float64(p.Claims[0].Epsilon)-want) <= 3e-3) {
		t.Errorf("one number: a claim of %v, by hand %v", p.Claims[0].Epsilon, want)
	}
	p = claimed("problem.data.dimension=105", "rounds.count=50", "privacy.epsilon=2.8605")
	if !(math.Abs(float64(p.Claims[0].Epsilon)-50) <= 0.1) {
		t.Errorf("105 dimensions: a claim of %v, and 50 by hand", p.Claims[0].Epsilon)
	}
	p = claimed("algorithm.law=gaussian", "privacy.epsilon=2")
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	low, high := 0.0, 2.0
	for range 60 {
		mu := (low + high) / 2
		if normal(mu/2-2/mu)-float64(math.Exp(2)*normal(-mu/2-2/mu)) <= 1e-5 {
			low = mu
		} else {
			high = mu
		}
	}
	rho := low * low / 2 // of zCDP, which the claim has
	if want := rho + 2*math.Sqrt(float64(rho*math.Log(1e5))); !(math.Abs(float64(p.Claims[0].ZCDP)/want-1) <= 2e-3) {
		t.Errorf("Gaussian noise: zCDP of %v, by hand %v", p.Claims[0].ZCDP, want)
	}
}

// Where no certificate can be the target, the error says why and what would be right.
func TestPrivacy_CertificateRefusals(t *testing.T) {
	for _, c := range []struct {
		sets []string
		want []string
	}{
		{[]string{"algorithm.kind=admm"}, []string{"admm is none"}},
		{[]string{"problem.loss=huber-hinge", "problem.scale.rows=none"},
			[]string{"not certified", "norm at most 1"}},
		{[]string{"problem.l1=0.01"}, []string{"not certified", "twice differentiable"}},
		{[]string{"privacy.over=round"},
			[]string{"privacy.by cannot be certificate with over: round", "take over: run"}},
		{[]string{"privacy={by: certificate}"}, []string{"privacy.by", "target epsilon", "add one"}},
		{[]string{"privacy.by=law"}, []string{"privacy.by", "claim"}},
	} {
		s, err := scenarios.Parse("t.yaml", []byte(private), append([]string{"algorithm={kind: dvp, eta: 0.1}",
			"privacy={epsilon: 2, by: certificate}"}, c.sets...)...)
		if err == nil {
			_, err = New(s, "").Assemble(t.Context(), 1)
		}
		if err == nil {
			t.Errorf("%v: no error", c.sets)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %q", c.sets, err, want)
			}
		}
	}
}

// A method of which nothing is proved can be had by its claim.
type uncertified struct{ algorithms.Private }

func TestPrivacy_NotCertifiedPointsToTheClaim(t *testing.T) {
	s, err := scenarios.Parse("t.yaml", []byte(private), "algorithm={kind: dvp, eta: 0.1}",
		"privacy={epsilon: 2, by: certificate}")
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(s, "").Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = certified(&s.Privacy, uncertified{a.Method.(algorithms.Private)}, a.Setting,
		s.Solver.Tolerance)
	if err == nil || !strings.Contains(err.Error(), "nothing is proved") ||
		!strings.Contains(err.Error(), "by: claim") {
		t.Errorf("%v", err)
	}
}

// The proof is of minimisers: where solves are too coarse for the claim, there is no certificate either.
func TestRecord_CoarseSolvesAreNotCertified(t *testing.T) {
	c := certificatesOf(t, "{kind: dvp, alpha: 0.5, eta: 0.5}", "solver.tolerance=0.01").Certificates[0]
	if !strings.Contains(c.Reason, "tolerance") || c.Curve != nil {
		t.Errorf("%+v", c)
	}
}

// Nor is noise chosen for a target that such a run does not meet, by whichever of the two.
func TestPrivacy_NoTargetIsMetByCoarseSolves(t *testing.T) {
	for _, by := range []string{"claim", "certificate"} {
		s, err := scenarios.Parse("t.yaml", []byte(private), "algorithm={kind: pvp, eta: 0.5}",
			"privacy={epsilon: 2, by: "+by+"}", "solver.tolerance=0.01")
		if err != nil {
			t.Fatal(err)
		}
		if _, err = New(s, "").Assemble(t.Context(), 1); err == nil ||
			!strings.Contains(err.Error(), "no target can be met") ||
			!strings.Contains(err.Error(), "take a solver.tolerance of at most") ||
			strings.Contains(err.Error(), "by: claim") {
			t.Errorf("by %s: %v", by, err)
		}
	}
}

// A curve ends where δ is no less than what rounding leaves: of a run of many rounds, too, δ falls from point to point.
func TestRecord_CurvesOfLongRunsFall(t *testing.T) {
	c := certificatesOf(t, "{kind: pvp, eta: 0.05, alpha: 0.1}", "rounds.count=1000").Certificates[0]
	for k := range c.Curve[1:] {
		if before, now := c.Curve[k].Delta, c.Curve[k+1].Delta; !(now < 0.999*before) {
			t.Errorf("point %d of %d: δ is %v after %v", k+1, len(c.Curve), now, before)
		}
	}
	if last := c.Curve[len(c.Curve)-1]; len(c.Curve) != 33 || !(last.Delta < 1e-8) || !(last.Epsilon < 50) {
		t.Errorf("%d points, the last %+v", len(c.Curve), last)
	}
}

// metrics.csv has claim and certificate, each with its δ: the claim in every row, the certificate, which is of the
// whole run, in the last.
func TestMetrics_HaveClaimAndCertificate(t *testing.T) {
	for algorithm, delta := range map[string]float64{
		"{kind: dvp, eta: 0.5, alpha: 0.2}":                                                   0,
		"{kind: pvp, eta: 0.05, alpha: 1, law: gaussian}":                                     1e-5,
		"{kind: penalty-perturbation, eta: {initial: 0.5, ratio: 1.1}, theta: 0.5, alpha: 1}": 0,
		"{kind: private-r-admm, eta: 0.5, gamma: 0.3, alpha: 1, perturbation: gaussian}":      1e-5,
		"{kind: dvp, eta: 0.5, alpha: 0.2, noise: off}":                                       math.NaN(),
		"{kind: admm, eta: 0.5}":                                                              math.NaN(),
	} {
		s, err := scenarios.Parse("x.yaml", []byte("name: x\nproblem: {data: {set: twonorm, rows: 60, dimension: 3}, "+
			"train: 30, rho: 0.3, scale: {intercept: false}}\nnetwork: {topology: {kind: ring, nodes: 3}}\n"+
			"rounds: {count: 4}\nalgorithm: "+algorithm+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		info, table, err := New(s, "").Measure(context.Background(), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		loss, at := table.Column("privacy_loss"), table.Column("privacy_delta")
		certified, certifiedAt := table.Column("certificate_epsilon"), table.Column("certificate_delta")
		for k := range loss {
			if math.IsNaN(loss[k]) != math.IsNaN(at[k]) || !math.IsNaN(at[k]) && at[k] != delta {
				t.Errorf("%s, round %d: %v at δ = %v, want δ = %v", algorithm, k, loss[k], at[k], delta)
			}
			if k < len(loss)-1 && !(math.IsNaN(certified[k]) && math.IsNaN(certifiedAt[k])) {
				t.Errorf("%s, round %d: a certificate of %v before the run's end", algorithm, k, certified[k])
			}
		}
		last := len(loss) - 1
		if info.Privacy == nil || info.Privacy.Certificates[0].Reason != "" {
			if !math.IsNaN(certified[last]) || !math.IsNaN(certifiedAt[last]) {
				t.Errorf("%s: certified %v, and run.json has no certificate", algorithm, certified[last])
			}
			continue
		}
		if c := info.Privacy.Certificates[0]; certified[last] != float64(c.Epsilon) ||
			certifiedAt[last] != float64(c.Delta) {
			t.Errorf("%s: certified %v at %v, in run.json %v at %v", algorithm, certified[last], certifiedAt[last],
				c.Epsilon, c.Delta)
		}
	}
}

// A trade-off curve keeps its kinks: that of a randomised response has one, where false and missed alarms are as many,
// which a chord over a grid cuts off.
func TestTradeOff_KeepsKinks(t *testing.T) {
	const points = 32
	for _, epsilon := range []float64{0.3, 1, 3} {
		uses := new(loss.Ledger)
		uses.Spend(0, 1, privacy.Label, loss.Response{Epsilon: epsilon})
		worst := uses.Worst(privacy.Label, 1, 1e-5)
		truth := func(alarms float64) float64 { // by f(a) = max(0, 1 − e^ε a, e^−ε(1 − a))
			return max(0, 1-math.Exp(epsilon)*alarms, math.Exp(-epsilon)*(1-alarms))
		}
		off := func(all []record.ErrorPoint) (most float64) {
			for k := range all[1:] {
				a, b := all[k], all[k+1]
				for i := range 101 {
					share := record.Number(i) / 100
					at, chord := a.Alarms+share*(b.Alarms-a.Alarms), a.Missed+share*(b.Missed-a.Missed)
					most = max(most, math.Abs(float64(chord)-truth(float64(at))))
				}
			}
			return most
		}
		all := tradeOff(worst.Missed, points)
		if got := off(all); !(got <= 1.01e-3) || len(all) > points+40 {
			t.Errorf("ε = %v: %d points are off by up to %v", epsilon, len(all), got)
		}
		var grid []record.ErrorPoint
		for k := range points + 1 {
			alarms := float64(k*k) / (points * points)
			grid = append(grid, record.ErrorPoint{Alarms: record.Number(alarms), Missed: record.Number(truth(alarms))})
		}
		if got := off(grid); !(got > 2e-3) {
			t.Errorf("ε = %v: a grid is off by %v only", epsilon, got)
		}
	}
}

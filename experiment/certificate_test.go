// Certificates in what a run records.

package experiment

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"overhear/privacy"
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
	for _, algorithm := range []string{
		"{kind: dvp, alpha: 0.5, eta: 0.5}", "{kind: pvp, alpha: 0.5, eta: 0.5}",
		"{kind: pvp, alpha: 0.5, eta: 0.5, law: gaussian}", "{kind: proximal-admm, alpha: 0.5, eta: 0.5}",
		"{kind: private-dgd, alpha: 0.5}", "{kind: dp-admm, epsilon: 0.5, eta: 0.5}",
		"{kind: penalty-perturbation, alpha: 2, eta: 0.5, theta: 0.5}",
		"{kind: penalty-perturbation, alpha: 1, eta: 0.5, theta: 0.5, law: gaussian}",
		"{kind: private-r-admm, alpha: 3, eta: 0.5}", "{kind: private-mr-admm, alpha: 3, eta: 0.5}",
	} {
		p := certificatesOf(t, algorithm)
		if len(p.Certificates) != 1 || p.Certificates[0].Reason != "" || p.Certificates[0].Unit != privacy.Sample {
			t.Errorf("%s: %+v", algorithm, p.Certificates)
			continue
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

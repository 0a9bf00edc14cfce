// Audits beside certificates: of a flipped label, whose loss is known exactly, and of other pairs.

package evaluation

import (
	"context"
	"math"
	"slices"
	"testing"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/privacy/loss"
)

// auditedRounds is the number of rounds of lossesOf.
const auditedRounds = 8

// lossesOf are the losses of two worlds, each as seen from itself, in which a row of node 1 is one or the other of a
// pair.
func lossesOf(t *testing.T, runs int, pair string) (*experiment.Assembly, []float64) {
	t.Helper()
	e := small(t, "{kind: dvp, alpha: 1.5, eta: 0.5}", nil, "problem.data.dimension=6", "rounds.count=8",
		"adversary.audit={runs: 10, node: 1, pair: "+pair+"}")
	a, err := e.Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	spec := auditSpec(e.Scenario)
	m, err := measure(e, a, &spec)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := repeat(context.Background(), &m.pairs[0], "audit run", 1, runs, 2, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	var losses []float64
	for w, sign := range []float64{1, -1} {
		for _, v := range sample[w] {
			losses = append(losses, sign*sum(v.ratios(auditedRounds)))
		}
	}
	return a, losses
}

// above are the standard errors by which the measured δ is above a curve, and below it, at most.
func above(losses []float64, c *loss.Total) (over, under float64) {
	n := float64(len(losses))
	over, under = math.Inf(-1), math.Inf(-1)
	for _, epsilon := range []float64{-1, -0.3, 0, 0.3, 0.7, 1.2, 2} {
		var mean, square float64
		for _, l := range losses {
			x := max(0, -math.Expm1(epsilon-l))
			mean += x / n
			square += x * x / n
		}
		off := (mean - c.Delta(epsilon)) / math.Sqrt((square-mean*mean)/n)
		over, under = max(over, off), max(under, -off)
	}
	return over, under
}

// The loss of a label that is flipped, under the logistic loss, is that of a fixed shift in every round
// (docs/mathematics.md §6.1): what an audit measures lies on that curve, and on no other.
func TestAudit_FlippedLabelLiesOnItsExactCurve(t *testing.T) {
	a, losses := lossesOf(t, 500, "{a: [0.6, 0, 0.8, 0, 0, 0], b: [-0.6, 0, -0.8, 0, 0, 0]}")
	size := float64(len(a.Problem.Shards[1].Y)) / a.Problem.C
	zeta := (1.5 - 2*num.Log1p(0.25/(size*(a.Problem.R[1]+2*0.5*2)))) / 2
	curve := func(rate float64) *loss.Total {
		shift := loss.Shift{Noise: loss.Noise{Kind: loss.Laplace, Dimension: 6, Size: rate}}
		return loss.Compose(slices.Repeat([]loss.Mechanism{shift}, auditedRounds))
	}
	if over, under := above(losses, curve(zeta)); !(max(over, under) <= 3.5) {
		t.Errorf("what was measured is %.2f standard errors above the exact curve and %.2f below", over, under)
	}
	for what, rate := range map[string]float64{"half the shift": zeta / 2, "a shift of 1.2": 1.2 * zeta} {
		if over, under := above(losses, curve(rate)); !(max(over, under) > 3.5) {
			t.Errorf("what was measured is on the curve of %s, too: %.2f, %.2f", what, over, under)
		}
	}
}

// What pairs of rows lose over the rounds is below the run's certificate.
func TestAudit_PairsAreBelowTheCertificate(t *testing.T) {
	for _, pair := range []string{
		"{a: [0.6, 0, 0.8, 0, 0, 0], b: [0.6, 0, -0.8, 0, 0, 0]}",
		"{a: [-0.5, -0.5, -0.5, -0.5, 0, 0], b: [-0.5, -0.5, 0, 0, -0.5, -0.5]}",
		"{a: [-1, 0, 0, 0, 0, 0], b: [0, 0, 0, 0, 0, 0]}",
	} {
		a, losses := lossesOf(t, 250, pair)
		uses, err := algorithms.Certify(a.Method.(algorithms.Private))
		if err != nil {
			t.Fatal(err)
		}
		if over, _ := above(losses, uses.Worst(privacy.Sample, auditedRounds, 1e-5).Total); !(over <= 3.5) {
			t.Errorf("%s: what was measured is %.2f standard errors above the certificate", pair, over)
		}
	}
}

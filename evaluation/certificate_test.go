// Audits of a flipped label, whose loss is known exactly.

package evaluation

import (
	"context"
	"math"
	"testing"

	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy/loss"
	"overhear/scenarios"
)

// The loss of a label that is flipped, under the logistic loss, is that of a fixed shift in every round
// (docs/mathematics.md §6.1): what an audit measures lies on that curve, and on no other.
func TestAudit_FlippedLabelLiesOnItsExactCurve(t *testing.T) {
	const rounds, runs, d, alpha = 8, 500, 6, 1.5
	s, err := scenarios.Parse("audit.yaml", []byte(`name: audit
problem:
  data: {set: twonorm, rows: 60, dimension: 6}
  train: 30
  scale: {columns: max, rows: clip, intercept: false}
  rho: 0.3
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 8}
algorithm: {kind: dvp, alpha: 1.5, eta: 0.5}
adversary: {audit: {runs: 10, node: 1, pair: {a: [0.6, 0, 0.8, 0, 0, 0], b: [-0.6, 0, -0.8, 0, 0, 0]}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	e := experiment.New(s, "")
	a, err := e.Assemble(1)
	if err != nil {
		t.Fatal(err)
	}
	spec := auditSpec(s)
	m, err := measure(e, a, &spec)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := repeat(context.Background(), &m.pairs[0], "audit run", 1, runs, 2, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	var losses []float64 // of both worlds, each as seen from itself: one law
	for w, sign := range []float64{1, -1} {
		for _, v := range sample[w] {
			losses = append(losses, sign*sum(v.ratios(rounds)))
		}
	}
	size := float64(len(a.Problem.Shards[1].Y)) / a.Problem.C
	zeta := (alpha - 2*num.Log1p(0.25/(size*(a.Problem.R[1]+2*0.5*2)))) / 2
	curve := func(rate float64) *loss.Total {
		var uses []loss.Mechanism
		for range rounds {
			uses = append(uses, loss.Shift{Noise: loss.Noise{Kind: loss.Laplace, Dimension: d, Size: rate}})
		}
		return loss.Compose(uses)
	}
	// Standard errors by which the measured δ is farthest from a curve.
	farthest := func(c *loss.Total) (far float64) {
		n := float64(len(losses))
		for _, epsilon := range []float64{-1, -0.3, 0, 0.3, 0.7, 1.2, 2} {
			var mean, square float64
			for _, l := range losses {
				x := max(0, -math.Expm1(epsilon-l))
				mean += x / n
				square += x * x / n
			}
			far = max(far, math.Abs(mean-c.Delta(epsilon))/math.Sqrt((square-mean*mean)/n))
		}
		return far
	}
	if far := farthest(curve(zeta)); !(far <= 3.5) {
		t.Errorf("what was measured is %.2f standard errors from the exact curve", far)
	}
	for what, rate := range map[string]float64{"half the shift": zeta / 2, "a shift of 1.2": 1.2 * zeta} {
		if far := farthest(curve(rate)); !(far > 3.5) {
			t.Errorf("what was measured is %.2f standard errors from the curve of %s", far, what)
		}
	}
}

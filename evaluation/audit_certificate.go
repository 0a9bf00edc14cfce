// Whether a certificate is of the noise that the public model of a method has.

package evaluation

import (
	"fmt"
	"math"

	"overhear/adversary/model"
	"overhear/privacy"
	"overhear/privacy/loss"
	"overhear/problem"
	"overhear/record"
)

// leastCertified is what any sound certificate of a node's row, or of its label, comes to at least, by the noise of the
// public model, which is written by itself: two rows that are opposed, both where the loss is steepest, move what noise
// is added to by as nearly 2sC/B as one likes, with s the steepest slope, and a flipped label moves it by C/B under
// logistic loss (docs/mathematics.md §6.1). false: the model does not say of rounds what their noise is.
func leastCertified(public *model.Public, p *problem.Problem, part, rounds int, unit privacy.Unit, delta float64,
) (epsilon float64, ok bool) {
	m, ok := public.Method.(model.NodeDual)
	if !ok || p.K > 0 || !problem.Bounded(p.Loss) {
		return 0, false
	}
	moved := 2 * p.Loss.Steepest()
	if unit == privacy.Label && p.Loss == problem.Logistic {
		moved = 1
	}
	rows := p.Shards[part].U.Len()
	weight := float64(moved*p.C) / float64(rows)
	uses := new(loss.Ledger)
	for t := 1; t <= rounds; t++ {
		step := m.Step(public, part, t, rows)
		if step.Idle || step.Noise.Kind == model.Silent {
			continue
		}
		n := loss.Noise{Kind: loss.Laplace, Dimension: p.D, Size: weight * step.Noise.Level}
		if step.Noise.Kind == model.Gaussian {
			n = loss.Noise{Kind: loss.Gaussian, Size: weight / step.Noise.Level}
		}
		uses.Spend(part, t, unit, loss.Shift{Noise: n})
	}
	worst := uses.Worst(unit, rounds, delta)
	return math.Min(worst.Epsilon, worst.Pure()), uses.Err() == nil
}

// ofNoise checks that a certificate is no less than that; nil: there is nothing to compare it with.
func (c *claim) ofNoise(public *model.Public, p *problem.Problem, part, rounds int, delta float64) *record.Check {
	if c.certificate == nil || c.certificate.Reason != "" {
		return nil
	}
	if c.certificate.Delta > 0 {
		delta = float64(c.certificate.Delta)
	}
	least, ok := leastCertified(public, p, part, rounds, c.unit, delta)
	if !ok {
		return nil
	}
	const rounding, nothing = 1e-3, 1e-9 // certificates are composed on grids
	share := least / math.Max(float64(c.certificate.Epsilon), nothing)
	k := &record.Check{Kind: record.CertificateOfNoise, Measured: record.Number(share),
		Bound: 1 + rounding, Finds: rounding}
	k.Holds = k.Measured <= k.Bound
	k.Detail = fmt.Sprintf("%.4g is certified, and what a %s moves loses %.4g at δ = %v by the public model",
		float64(c.certificate.Epsilon), unitWord(c.unit), least, delta)
	return k
}

// unitWord is a unit in words.
func unitWord(u privacy.Unit) string {
	if u == privacy.Sample {
		return "row"
	}
	return string(u)
}

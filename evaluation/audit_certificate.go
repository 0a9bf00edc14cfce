// Whether what is claimed and certified is of the noise that the public model of a method has.

package evaluation

import (
	"fmt"
	"math"

	"overhear/adversary/model"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/privacy/loss"
	"overhear/problem"
	"overhear/record"
)

// modelled are the uses of a node's row, or of its label, by the noise of the public model, which is written by itself,
// as fixed shifts: two rows that are opposed, both where the loss is steepest, move what noise is added to by as nearly
// 2sC/B as one likes, with s the steepest slope, and a flipped label moves it by C/B under logistic loss
// (docs/mathematics.md §6.1). Nothing that a proof gives for any rows is less. false: the model does not say of rounds
// what their noise is.
func (c *claim) modelled(public *model.Public, p *problem.Problem, part, rounds int) (*loss.Ledger, bool) {
	if p.K > 0 || !problem.Bounded(p.Loss) {
		return nil, false
	}
	moved := 2 * p.Loss.Steepest() * float64(max(1, c.group))
	if c.unit == privacy.Label && p.Loss == problem.Logistic {
		moved /= 2
	}
	rows, node := p.Shards[part].U.Len(), part
	if public.Hub { // node 0
		node++
	}
	weight := float64(moved*p.C) / float64(rows)
	uses := new(loss.Ledger)
	for t := 1; t <= rounds; t++ {
		law, ok := model.NoiseOf(public, node, t, rows)
		switch {
		case !ok:
			return nil, false
		case law.Kind == model.Silent:
			continue
		}
		n := loss.Noise{Kind: loss.Laplace, Dimension: p.D, Size: weight * law.Level}
		if law.Kind == model.Gaussian {
			n = loss.Noise{Kind: loss.Gaussian, Size: weight / law.Level}
		}
		uses.Spend(part, t, c.unit, loss.Shift{Noise: n})
	}
	return uses, uses.Err() == nil
}

// least is what uses come to at δ; 0: their sum.
func least(uses *loss.Ledger, unit privacy.Unit, rounds int, delta float64) float64 {
	worst := uses.Worst(unit, rounds, math.Max(delta, 1e-5))
	if delta > 0 {
		return math.Min(worst.Epsilon, worst.Pure())
	}
	return worst.Pure()
}

// belowNoise is how far an ε may be below what the model's noise comes to, relatively: both are composed on grids; and
// at which ε nothing is lost. Where one use loses so much that e^ε times what quadrature leaves of a curve is no longer
// small beside δ, both are bounds, which differ by up to 1.2 % (in 700 compositions).
const belowNoise, belowBounds, nothingLost, quadrature = 1e-3, 0.02, 1e-9, 1e-14

// belowOf is which of them counts for uses at δ.
func belowOf(uses *loss.Ledger, delta float64) float64 {
	most := 0.0
	uses.Each(func(_, _ int, _ privacy.Unit, m loss.Mechanism) {
		if epsilon := m.Pure(); !math.IsInf(epsilon, 1) {
			most = max(most, epsilon)
		}
	})
	if delta > 0 && num.Exp(most)*quadrature > 1e-3*delta {
		return belowBounds
	}
	return belowNoise
}

// ofNoise checks that the claim, where its proof would hold, and the certificate are not less than the public model's
// noise comes to: that is found where no worst trace is searched, too. A claim that is less is not proved; its check is
// apart, as what the run does may be what its method says.
func (c *claim) ofNoise(public *model.Public, p *problem.Problem, part, rounds int, delta float64) (
	claimed, certified []record.Check) {
	uses, ok := c.modelled(public, p, part, rounds)
	if !ok {
		return nil, nil
	}
	compare := func(kind record.CheckKind, what string, epsilon, delta float64) (k record.Check, noise float64) {
		noise = least(uses, c.unit, rounds, delta)
		below := record.Number(belowOf(uses, delta))
		k = record.Check{Kind: kind, Bound: 1 + below, Finds: below,
			Measured: record.Number(noise / math.Max(epsilon, nothingLost)),
			Detail: fmt.Sprintf("%.4g is %s, and what %s moves comes to %.4g by the public model", epsilon, what,
				several(c.group, c.unit), noise)}
		if delta > 0 {
			k.Detail += fmt.Sprintf(", at δ = %v", delta)
		}
		k.Holds = k.Measured <= k.Bound
		return k, noise
	}
	if c.established == nil && c.unproved == nil {
		total := c.total[len(c.total)-1]
		k, noise := compare(record.ClaimOfNoise, "claimed", total, c.delta)
		if claimed = append(claimed, k); !k.Holds {
			c.unproved = fmt.Errorf("no proof gives a loss of %.4g over the run: what %s moves comes to %.4g by the "+
				"noise of the public model", total, several(c.group, c.unit), noise)
		}
	}
	if x := c.certificate; x != nil && x.Reason == "" {
		if x.Delta > 0 {
			delta = float64(x.Delta)
		}
		k, _ := compare(record.CertificateOfNoise, "certified", float64(x.Epsilon), delta)
		certified = append(certified, k)
	}
	return claimed, certified
}

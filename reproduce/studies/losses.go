// What audits have measured, as a loss at some δ, so that it can stand beside claims and certificates.

package studies

import (
	"errors"
	"fmt"
	"math"

	"overhear/adversary/stats"
	"overhear/privacy"
	"overhear/privacy/loss"
	"overhear/record"
)

// currency is the δ at which losses are compared.
const currency = 1e-5

// lostAbout says how a measured loss is computed.
const lostAbout = "A measured ε is that of Gaussian noise whose exact log-likelihood ratios spread as much as those " +
	"of the audit's runs, at δ = 10⁻⁵: sums over many rounds have nearly that law."

// lost is what an audit has measured of the loss of a run.
type lost struct {
	epsilon   float64 // at δ, of the Gaussian law whose log-likelihood ratios spread as much
	low, high float64 // of it, two standard errors away
	shown     float64 // at δ, with 95 % confidence, whatever the law
}

func (l lost) String() string { return fmt.Sprintf("%.3g (%.3g–%.3g)", l.epsilon, l.low, l.high) }

// lossAt is the loss at δ that an audit has measured.
func lossAt(a *record.Audit, delta float64) (l lost, err error) {
	variance := 0.0
	for _, world := range a.Ratios {
		q := world.Quantiles
		if len(q) != 101 {
			return l, fmt.Errorf("the audit of %s has no log-likelihood ratios", a.Name)
		}
		mean, square := 0.0, 0.0
		for i := range a.Runs {
			v := (float64(q[below(i, a.Runs)]) + float64(q[above(i, a.Runs)])) / 2
			mean, square = mean+v/float64(a.Runs), square+v*v/float64(a.Runs)
		}
		variance += (square - mean*mean) / 2
	}
	if !(variance >= 0) || math.IsInf(variance, 1) {
		return l, errors.New("log-likelihood ratios without end have no spread")
	}
	spread := math.Sqrt(variance)
	off := 1 / math.Sqrt(float64(a.Runs)) // two standard errors of the spread of 2·Runs draws, relatively
	l.epsilon, l.low, l.high = loss.NormalEpsilon(spread, delta), loss.NormalEpsilon(spread*(1-off), delta),
		loss.NormalEpsilon(spread*(1+off), delta)
	var ratios [2][]float64
	for i := range a.Runs { // no more than they are
		ratios[0] = append(ratios[0], float64(a.Ratios[0].Quantiles[below(i, a.Runs)]))
		ratios[1] = append(ratios[1], float64(a.Ratios[1].Quantiles[above(i, a.Runs)]))
	}
	l.shown, err = stats.LowerEpsilon(ratios[0], ratios[1], delta, 0.95)
	return l, err
}

// below is the greatest of the 101 quantiles of n values that value i, from 0 in ascending order, is not below, and
// above the least that it is not above. Up to 100 values both are the value itself.
func below(i, n int) int { return (i + 1) * 100 / n }

func above(i, n int) int { return (i*100)/n + 1 }

// certificateOf is the certificate of rows of a run; NaN if there is none.
func certificateOf(p *record.Privacy) float64 {
	for _, c := range p.Certificates {
		if c.Unit == privacy.Sample {
			return float64(c.Epsilon)
		}
	}
	return math.NaN()
}

// claimAt is the greatest of the nodes' claims about rows at δ, by the composition that gives the least; NaN if one is
// not established.
func claimAt(p *record.Privacy) float64 {
	most := 0.0
	for _, c := range p.Claims {
		if c.Unit == privacy.Sample {
			most = math.Max(most, float64(c.Bound.Epsilon))
		}
	}
	return most
}

// meanOf are the mean of some numbers and its standard error.
func meanOf(all []float64) (mean, standardError float64) {
	n, squares := float64(len(all)), 0.0
	for _, v := range all {
		mean += v / n
	}
	for _, v := range all {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / (n - 1) / n)
}

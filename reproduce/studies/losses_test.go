// Measured losses against the laws that draws are from.

package studies

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"overhear/adversary/stats"
	"overhear/privacy/loss"
	"overhear/record"
)

// drawnAudit is the record of an audit of ratios with that mean loss and spread, and the ratios.
func drawnAudit(t *testing.T, runs int, spread float64) (*record.Audit, [2][]float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	a := &record.Audit{Runs: runs}
	var ratios [2][]float64
	for w := range ratios {
		for range runs {
			sign := 1 - 2*float64(w)
			ratios[w] = append(ratios[w], sign*spread*spread/2+spread*r.NormFloat64())
		}
		var err error
		if a.Ratios[w], err = stats.Describe(ratios[w]); err != nil {
			t.Fatal(err)
		}
	}
	return a, ratios
}

// The loss of Gaussian draws is that of their law, and what is shown is what the draws themselves show, or less where
// their quantiles leave some out.
func TestLossAt_IsThatOfTheLaw(t *testing.T) {
	const spread, delta = 0.6, 1e-5
	for _, runs := range []int{50, 100, 400, 5000} {
		a, ratios := drawnAudit(t, runs, spread)
		l, err := lossAt(a, delta)
		if err != nil {
			t.Fatal(err)
		}
		want := loss.NormalEpsilon(spread, delta)
		if !(l.low <= l.epsilon && l.epsilon <= l.high) || !(math.Abs(l.epsilon-want) <= 1.5*(l.high-l.low)) {
			t.Errorf("%d runs: %v, want %.4g", runs, l, want)
		}
		if runs == 5000 && !(math.Abs(l.epsilon/want-1) <= 0.05) {
			t.Errorf("%d runs: %v, want %.4g", runs, l, want)
		}
		shown, err := stats.LowerEpsilon(ratios[0], ratios[1], delta, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if !(l.shown <= shown && l.shown >= 0.6*shown && shown < want) {
			t.Errorf("%d runs: shown %.4g, by the draws %.4g, true %.4g", runs, l.shown, shown, want)
		}
		if runs <= 100 && l.shown != shown {
			t.Errorf("%d runs: shown %.4g, by the draws %.4g", runs, l.shown, shown)
		}
	}
}

// The sum of many rounds of noise of density ∝ exp(−ζ‖b‖) has nearly the Gaussian law: its exact ε is that of its
// spread.
func TestLostAbout_IsNearlyThatOfManyRounds(t *testing.T) {
	const d, rounds, size = 105, 50, 0.5
	shift := loss.Shift{Noise: loss.Noise{Kind: loss.Laplace, Dimension: d, Size: size}}
	exact := loss.Compose(slices.Repeat([]loss.Mechanism{shift}, rounds)).Epsilon(currency)
	// For ‖b‖ ≫ ‖v‖ the loss of a round is ζ times b's coordinate along v over ‖b‖, whose variance is size²/d.
	if got := loss.NormalEpsilon(size*math.Sqrt(rounds/float64(d)), currency); !(math.Abs(got/exact-1) <= 0.03) {
		t.Errorf("ε %.4g, exactly %.4g", got, exact)
	}
}

// An audit without ratios, or with ratios without end, has no spread.
func TestLossAt_RefusesWhatHasNone(t *testing.T) {
	if _, err := lossAt(&record.Audit{Runs: 100}, currency); err == nil {
		t.Error("no ratios")
	}
	a, _ := drawnAudit(t, 100, 0.5)
	a.Ratios[0].Quantiles[100] = record.Number(math.Inf(1))
	if _, err := lossAt(a, currency); err == nil {
		t.Error("a ratio without end")
	}
}

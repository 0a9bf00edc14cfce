package loss

import (
	"math"
	"testing"

	"overhear/privacy"
)

// atoms is a use with few losses, and one without end.
type atoms struct {
	loss, likely, infinite float64
}

func (m atoms) Pure() float64                      { return math.Inf(1) }
func (m atoms) spread() float64                    { return m.loss }
func (m atoms) coarser(float64) Mechanism          { return m }
func (m atoms) larger(Mechanism) (Mechanism, bool) { return nil, false }
func (m atoms) check() error                       { return nil }

// distribution has the loss with that probability and its opposite with the rest, both rounded up.
func (m atoms) distribution(step float64, _ *workshop) distribution {
	up, down := int(math.Ceil(m.loss/step)), int(math.Floor(m.loss/step))
	d := distribution{step: step, first: -down, mass: make([]float64, up+down+1), infinite: m.infinite}
	d.mass[up+down], d.mass[0] = m.likely, 1-m.likely-m.infinite
	return d
}

// Of n uses each loss without end counts: δ(ε) is the sum over how many of n have which loss.
func TestCompose_LossesWithoutEnd(t *testing.T) {
	m := atoms{loss: 0.5, likely: 0.6, infinite: 0.004}
	for _, n := range []int{1, 2, 7, 40} {
		total := Compose(repeat(m, n))
		for _, epsilon := range []float64{0, 0.7, 3, 12} {
			want := 1 - math.Pow(1-m.infinite, float64(n))
			for k := range n + 1 { // of the losses that end, so many are positive
				choose, _ := math.Lgamma(float64(n + 1))
				a, _ := math.Lgamma(float64(k + 1))
				b, _ := math.Lgamma(float64(n - k + 1))
				p := math.Exp(choose-a-b) * math.Pow(m.likely, float64(k)) *
					math.Pow(1-m.likely-m.infinite, float64(n-k))
				want += p * max(0, 1-math.Exp(epsilon-m.loss*float64(2*k-n)))
			}
			got := total.Delta(epsilon)
			if !(got >= want-1e-12 && got <= want+float64(n)*m.infinite*0.2+2e-3) {
				t.Errorf("%d uses, ε = %v: δ = %v, want %v", n, epsilon, got, want)
			}
		}
	}
}

// What a chain's ends differ by is what they differ by where both losses are greatest at the same quantiles of the
// middle, and infinite losses of either end join it.
func TestChain_IsTheSumAtEqualQuantiles(t *testing.T) {
	const step = 0.1
	x := distribution{step: step, first: -4, mass: make([]float64, 10), infinite: 0.02}
	y := distribution{step: step, first: -3, mass: make([]float64, 8), infinite: 0.05}
	x.mass[0], x.mass[4], x.mass[9] = 0.2, 0.3, 0.48
	y.mass[0], y.mass[5], y.mass[7] = 0.35, 0.4, 0.2
	// Under the middle law M the atoms of x have mass·e^−loss, and what is left has no mass under P. Of y, M is the
	// first law: its atoms have their masses, and e^−loss of these under R.
	under := func(d *distribution, k int) float64 { return float64(d.first+k) * step }
	const n = 200000 // quantiles of M, the greatest losses first
	got := chain(x, y)
	for _, epsilon := range []float64{-0.5, 0, 0.3, 0.9} {
		want := x.infinite
		for i := range n {
			q := (float64(i) + 0.5) / n
			lossX, lossY := math.Inf(-1), math.Inf(-1)
			left := q
			for k := len(x.mass) - 1; k >= 0; k-- {
				if left -= x.mass[k] * math.Exp(-under(&x, k)); left < 0 {
					lossX = under(&x, k)
					break
				}
			}
			if left = q - y.infinite; left < 0 {
				lossY = math.Inf(1)
			}
			for k := len(y.mass) - 1; k >= 0 && left >= 0; k-- {
				if left -= y.mass[k]; left < 0 {
					lossY = under(&y, k)
				}
			}
			p := math.Exp(lossX) / n // of P there
			want += p * max(0, 1-math.Exp(epsilon-lossX-lossY))
		}
		delta := got.infinite
		for k, p := range got.mass {
			delta += p * max(0, 1-math.Exp(epsilon-under(&got, k)))
		}
		if !(math.Abs(delta-want) <= 2e-4) {
			t.Errorf("ε = %v: δ = %v, by quantiles %v", epsilon, delta, want)
		}
	}
}

// Nodes whose noise hardly differs have totals of their own, and what the worst leaves out is the most that any does.
func TestWorst_OfNodesThatAreNearlyAlike(t *testing.T) {
	l := new(Ledger)
	sizes := []float64{0.5, 0.5002, 0.49995}
	for node, s := range sizes {
		for round := range 20 {
			l.Spend(node, round, privacy.Sample, Shift{laplace(3, s)})
		}
	}
	for round := range 400 {
		l.Spend(3, round, privacy.Sample, Shift{laplace(3, 0.01)})
	}
	worst := l.Worst(privacy.Sample, 400, 1e-5).Total
	for node, s := range sizes {
		own := Compose(repeat(Shift{laplace(3, s)}, 20))
		if got, want := worst.Epsilon(1e-5), own.Epsilon(1e-5); !(got >= want*(1-1e-9)) {
			t.Errorf("the worst loses %v, and node %d by itself %v", got, node, want)
		}
		if !(worst.Slack() >= own.Slack()) {
			t.Errorf("the worst leaves out %v, and node %d by itself %v", worst.Slack(), node, own.Slack())
		}
	}
	if own := Compose(repeat(Shift{laplace(3, 0.01)}, 400)); !(worst.Slack() >= own.Slack()) {
		t.Errorf("the worst leaves out %v, and a node of many rounds %v", worst.Slack(), own.Slack())
	}
}

// A use in fewer dimensions is not covered by one of its size in more.
func TestLarger_OfOtherDimensions(t *testing.T) {
	for _, m := range []Mechanism{Shift{laplace(2, 0.5)}, logisticRow(laplace(2, 0.5), 0.1)} {
		other := Mechanism(Shift{laplace(31, 0.5)})
		if _, row := m.(Objective); row {
			other = logisticRow(laplace(31, 0.5), 0.1)
		}
		if l, ok := m.larger(other); ok {
			t.Errorf("%v and %v: %v", m, other, l)
		}
	}
}

// One of two alike is that one.
func TestMixture_OfAlike(t *testing.T) {
	one := Compose([]Mechanism{Response{3}})
	if got, want := (Mixture{one, one}).Epsilon(1e-9), one.Epsilon(1e-9); !(want > 2.9 && got == want) {
		t.Errorf("%v, want %v", got, want)
	}
}

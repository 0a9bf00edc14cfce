// Sample complexity: numbers worked out by hand, units, limits, and samples that are drawn.

package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

var aim = Aim{Reference: 2, Excess: 0.3, Slack: 0.1, Failure: 0.05}

func TestSamples_NumbersWorkedOutByHand(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"RA19 Theorem 3", aim.RA19Theorem3(5), 1497.8661367769953},
		{"RA19 Theorem 4", aim.RA19Theorem4(5, 0.5, 3, 400, 6), 3617.5997678989706},
		{"ZZ16 Theorem 2", aim.ZZ16Theorem2(0.7, 1750), 642210106.1431367},
		{"ZZ16 Theorem 3, samples", aim.ZZ16Theorem3(0.7, 1750, 0.25, 0.2, 6), 642210106.1431367},
		{"ZZ16 Theorem 3, noise", aim.ZZ16Theorem3(0.7, 1750, 0.25, 2e-4, 6), 1759403215.4724016},
		{"ZZ16 Theorem 3, ridge", aim.ZZ16Theorem3(0.7, 1750, 250, 2e-4, 6), 30625e6},
		{"constant", ProvedConstant(0.1), 238.3587747344649},
		{"constant of DVP", ProvedDualConstant(0.1), 4 * 238.3587747344649},
		{"ridge", aim.Ridge(), 0.075},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-12*c.want) {
			t.Errorf("%s is %v, by hand %v", c.name, c.got, c.want)
		}
	}
}

// The number of samples does not depend on the unit in which the loss is counted. As ZZ16 prints Theorems 2 and 3, it
// does.
func TestSamples_UnitsOfTheLoss(t *testing.T) {
	const unit = 7.0
	scaled := aim
	scaled.Excess, scaled.Slack = unit*aim.Excess, unit*aim.Slack
	for name, need := range map[string]func(a Aim, c float64) float64{
		"Theorem 2":          func(a Aim, c float64) float64 { return a.ZZ16Theorem2(3, c) },
		"Theorem 3, noise":   func(a Aim, c float64) float64 { return a.ZZ16Theorem3(3, c, 0.25, 1e-5, 6) },
		"Theorem 3, ridge":   func(a Aim, c float64) float64 { return a.ZZ16Theorem3(3, c, 1e7, 1, 6) },
		"Theorem 3, samples": func(a Aim, c float64) float64 { return a.ZZ16Theorem3(3, c, 0.25, 1e9, 6) },
	} {
		if one, other := need(aim, 2), need(scaled, 2*unit); !(math.Abs(other/one-1) <= 1e-12) {
			t.Errorf("%s: %v in one unit, %v in another", name, one, other)
		}
	}
	printed := func(a Aim, c float64) float64 { // Theorem 2
		return 3 * c * a.Reference * a.Reference * math.Log(1/a.Failure) / (a.gap() * a.gap())
	}
	if one, other := printed(aim, 2), printed(scaled, 2*unit); !(math.Abs(other/one-1/unit) <= 1e-12) {
		t.Errorf("as printed: %v in one unit, %v in another", one, other)
	}
}

// Without noise Theorem 4 is Theorem 3 with twice the constant, as RA19 says; with so much noise that it alone exceeds
// the aim, no samples are enough.
func TestSamples_LimitsOfTheorem4(t *testing.T) {
	if four, three := aim.RA19Theorem4(5, 0.5, 3, 1e12, 6), aim.RA19Theorem3(10); !(math.Abs(four/three-1) <= 1e-9) {
		t.Errorf("%v, %v", four, three)
	}
	floor := math.Sqrt(2*1.5) * aim.Reference * 6 * math.Log(6/0.05) / (3 * 400) // of τ−Δ
	for _, c := range []struct {
		gap    float64
		enough bool
	}{{floor * 0.999, false}, {floor * 1.001, true}} {
		a := aim
		a.Excess = a.Slack + c.gap
		if got := a.RA19Theorem4(5, 0.5, 3, 400, 6); math.IsInf(got, 1) == c.enough {
			t.Errorf("with %v of the floor: %v", c.gap/floor, got)
		}
	}
	if got := (Aim{Reference: 1, Excess: 0.1, Slack: 0.2, Failure: 0.1}).RA19Theorem3(1); !math.IsInf(got, 1) {
		t.Errorf("with rounds that take all of the aim: %v", got)
	}
}

// Reached is the inverse of the theorem.
func TestSamples_Reached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		a := Aim{Reference: between(r, 0.1, 20), Slack: r.Float64(), Failure: between(r, 0.001, 0.5)}
		a.Excess = a.Slack + between(r, 1e-3, 10)
		alpha := between(r, 0.1, 1e4)
		for name, need := range map[string]func(Aim) float64{
			"3": func(a Aim) float64 { return a.RA19Theorem3(2) },
			"4": func(a Aim) float64 { return a.RA19Theorem4(2, 0, 1, alpha, 6) },
			"Z": func(a Aim) float64 { return a.ZZ16Theorem3(2, 1, 0.25, alpha, 6) },
		} {
			samples := need(a)
			if math.IsInf(samples, 1) {
				continue
			}
			if got := a.Reached(samples, need); !(math.Abs(got-a.Excess) <= 1e-6*a.Excess) {
				t.Fatalf("theorem %s: %v samples reach %v, made for %v", name, samples, got, a.Excess)
			}
		}
	})
}

// Samples are drawn, as many as Theorem 3 asks for: it holds with the proved constant with its probability; of
// single samples it does not, so that the test can tell.
func TestSamples_TheoremHoldsOfDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	const heads = 0.7 // x = 1, y = 1 with this probability
	loss := func(f float64) float64 { return heads*math.Log1p(math.Exp(-f)) + (1-heads)*math.Log1p(math.Exp(f)) }
	reference := math.Log(heads / (1 - heads)) // the best classifier
	a := Aim{Reference: reference, Excess: 0.1, Failure: 0.1}
	holds := func(w float64) float64 {
		samples, good := int(math.Ceil(a.RA19Theorem3(w))), 0
		const trials = 400
		for range trials {
			right := 0.0
			for range samples {
				if r.Float64() < heads {
					right += 1 / float64(samples)
				}
			}
			f := 0.0
			for range 100 { // Newton's method
				s := 1 / (1 + math.Exp(-f))
				f -= (s - right + a.Ridge()*f) / (s*(1-s) + a.Ridge())
			}
			if loss(f) <= loss(reference)+a.Excess {
				good++
			}
		}
		return float64(good) / trials
	}
	if share := holds(ProvedConstant(a.Failure)); !(share >= 1-a.Failure) {
		t.Errorf("it holds of %v of the draws", share)
	}
	if share := holds(1e-9); !(share < 1-a.Failure) {
		t.Errorf("with one sample it holds of %v of the draws", share)
	}
}

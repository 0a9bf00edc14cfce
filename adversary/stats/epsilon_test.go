// ε̂ for mechanisms whose ε is known: it must not exceed it more often than its
// confidence allows, and must come near.

package stats

import (
	"math"
	"testing"

	"overhear/sim"
)

// responses are statistics ±1 of randomised response: +1 with probability
// e^ε/(1 + e^ε) in world A, and with the rest of it in world B.
func responses(n int, epsilon float64, seed uint64) (a, b []float64) {
	p := math.Exp(epsilon) / (1 + math.Exp(epsilon))
	s := sim.NewStream(seed, "test of randomised response")
	draw := func(p float64) []float64 {
		x := make([]float64, n)
		for k := range x {
			x[k] = -1
			if s.Float64() < p {
				x[k] = 1
			}
		}
		return x
	}
	return draw(p), draw(1 - p)
}

// gaussianEpsilon is the ε at δ of the Gaussian mechanism with that ratio of
// sensitivity and σ (Balle & Wang 2018, Theorem 8), by bisection.
func gaussianEpsilon(ratio, delta float64) float64 {
	low, high := 0.0, 100.0
	for range 100 {
		if mid := (low + high) / 2; gaussianDelta(ratio, mid) > delta {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

func gaussianDelta(ratio, epsilon float64) float64 {
	return phi(ratio/2-epsilon/ratio) - math.Exp(epsilon)*phi(-ratio/2-epsilon/ratio)
}

// The probability that ε̂ exceeds ε, summed over all outcomes of randomised
// response with the threshold between its two answers. So many runs can show more
// than any ε here, so that it is not 0.
func TestLossBound_ExactCoverage(t *testing.T) {
	const n = 120
	for _, epsilon := range []float64{0.1, 0.5, 1, 2, 3} {
		p, wrong := math.Exp(epsilon)/(1+math.Exp(epsilon)), 0.0
		for tp := range n + 1 {
			for fp := range n + 1 {
				if LossBound(tp, n, fp, n, 0, Confidence) > epsilon {
					wrong += binomialTerm(tp, n, p) * binomialTerm(fp, n, 1-p)
				}
			}
		}
		t.Logf("ε = %v: wrong with probability %.4f", epsilon, wrong)
		if !(wrong <= 0.05) || wrong == 0 {
			t.Errorf("ε = %v: wrong with probability %v", epsilon, wrong)
		}
	}
}

// Where all runs are told apart the bounds have closed forms.
func TestLossBound_ClosedForm(t *testing.T) {
	for _, n := range []int{10, 300} {
		for _, delta := range []float64{0, 0.01, 0.3, 0.9} {
			right := math.Pow(0.025, 1/float64(n)) // TPR_lo, and 1 − FPR_hi
			want := math.Log((right - delta) / (1 - right))
			if delta >= right {
				want = math.Inf(-1)
			}
			if got := LossBound(n, n, 0, n, delta, Confidence); got != want && !(math.Abs(got-want) <= 1e-9) {
				t.Errorf("%d runs, δ = %v: %v, want %v", n, delta, got, want)
			}
		}
	}
	// Positives in all runs of A and 0 < FPR < 1 tell by negatives: TNR_lo/FNR_hi.
	const n, fp = 500, 250
	_, high := ClopperPearson(fp, n, 0.95)
	want := math.Log((1 - high - 0.1) / (1 - math.Pow(0.025, 1.0/n)))
	if got := LossBound(n, n, fp, n, 0.1, Confidence); !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("by negatives: %v, want %v", got, want)
	}
}

func TestEpsilonHat_Coverage(t *testing.T) {
	const audits = 400
	for _, epsilon := range []float64{0.2, 1, 3} {
		wrong := 0
		for seed := range uint64(audits) {
			a, b := responses(300, epsilon, seed)
			p, err := EpsilonHat(a, b, 0)
			if err != nil {
				t.Fatal(err)
			}
			if float64(p.Epsilon) > epsilon {
				wrong++
			}
		}
		t.Logf("randomised response, ε = %v: %d of %d above", epsilon, wrong, audits)
		if wrong > audits/20 {
			t.Errorf("ε = %v: %d of %d audits measured more", epsilon, wrong, audits)
		}
	}
	for _, ratio := range []float64{0.3, 1, 3} {
		wrong, mean, truth := 0, 0.0, gaussianEpsilon(ratio, 0.01)
		for seed := range uint64(audits) {
			p, err := EpsilonHat(normals(400, ratio, seed, "A"), normals(400, 0, seed, "B"), 0.01)
			if err != nil {
				t.Fatal(err)
			}
			mean += float64(p.Epsilon) / audits
			if float64(p.Epsilon) > truth {
				wrong++
			}
		}
		t.Logf("Gaussian, Δ/σ = %v, δ = 0.01, ε = %.3f: %d of %d above, mean %.3f", ratio, truth, wrong, audits, mean)
		if wrong > audits/20 {
			t.Errorf("Δ/σ = %v: %d of %d audits measured more than %v", ratio, wrong, audits, truth)
		}
	}
}

// No threshold shows more than ε; with many runs ε̂ comes near, for randomised
// response to ε itself.
func TestEpsilonHat_ComesNear(t *testing.T) {
	for _, epsilon := range []float64{0.5, 1, 2} {
		a, b := responses(100000, epsilon, 1)
		p, err := EpsilonHat(a, b, 0)
		if err != nil {
			t.Fatal(err)
		}
		if e := float64(p.Epsilon); !(e <= epsilon) || !(e >= epsilon-0.05) {
			t.Errorf("ε = %v: measured %v", epsilon, e)
		}
		if p.Threshold != 1 || p.Confidence != 0.95 || p.Delta != 0 || p.Counts[0]+p.Counts[3] != 50000 ||
			p.Counts[1]+p.Counts[2] != 50000 {
			t.Errorf("ε = %v: %+v", epsilon, p)
		}
	}
	// The best a threshold c can show of a Gaussian at δ.
	const ratio, delta = 1.0, 0.05
	best := 0.0
	for c := -6.0; c < 6; c += 0.001 {
		tpr, fpr := phi(ratio-c), phi(-c)
		best = max(best, math.Log(max(tpr-delta, 0)/fpr), math.Log(max(1-fpr-delta, 0)/(1-tpr)))
	}
	if exact := gaussianEpsilon(ratio, delta); !(math.Abs(best-exact) <= 1e-3) {
		t.Fatalf("the best threshold shows %v, the curve says %v", best, exact)
	}
	p, err := EpsilonHat(normals(50000, ratio, 3, "A"), normals(50000, 0, 3, "B"), delta)
	if err != nil {
		t.Fatal(err)
	}
	if e := float64(p.Epsilon); !(e <= best) || !(e >= 0.85*best) {
		t.Errorf("Gaussian: measured %v of %v", e, best)
	}
}

// The threshold is the best of all values, found without trying all.
func TestThreshold_IsBest(t *testing.T) {
	for seed := range uint64(20) {
		a, b := normals(60, 1, seed, "A"), normals(50, 0, seed, "B")
		if seed%2 == 0 { // with ties
			for k := range a {
				a[k] = math.Round(2 * a[k])
			}
			for k := range b {
				b[k] = math.Round(2 * b[k])
			}
		}
		at := func(c float64) float64 {
			tp, fp := 0, 0
			for _, v := range a {
				if v >= c {
					tp++
				}
			}
			for _, v := range b {
				if v >= c {
					fp++
				}
			}
			return LossBound(tp, len(a), fp, len(b), 0.01, Confidence)
		}
		best := math.Inf(-1)
		for _, v := range append(append([]float64{}, a...), b...) {
			best = max(best, at(v))
		}
		if c, err := Threshold(a, b, 0.01); err != nil || at(c) != best {
			t.Errorf("seed %d: threshold %v has %v, the best %v; %v", seed, c, at(c), best, err)
		}
	}
}

// The halves keep to their parts.
func TestEpsilonHat_Halves(t *testing.T) {
	inf := math.Inf(1)
	p, err := EpsilonHat([]float64{5, 5, 5, 4, 9, 5, 5, 4}, []float64{4, 4, 4, 4, 5, 4, 4, 4}, 0)
	if err != nil || p.Threshold != 5 || p.Counts != [4]int{3, 1, 3, 1} {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = EpsilonHat([]float64{inf, inf, inf, inf}, []float64{0, -inf, 0, 0}, 0)
	if err != nil || float64(p.Threshold) != inf || p.Counts != [4]int{2, 0, 2, 0} {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = EpsilonHat(make([]float64, 500), make([]float64, 500), 0)
	if err != nil || p.Epsilon != 0 {
		t.Errorf("equal worlds: %+v, %v", p, err)
	}
	// What the second halves hold does not move the threshold, whatever they say.
	for seed := range uint64(10) {
		a, b := normals(200, 1, seed, "A"), normals(200, 0, seed, "B")
		c, err := Threshold(a[:100], b[:100], 0)
		if err != nil {
			t.Fatal(err)
		}
		for k := 100; k < 200; k++ {
			a[k], b[k] = 50*a[k], 50*b[k]
		}
		if p, err := EpsilonHat(a, b, 0); err != nil || float64(p.Threshold) != c {
			t.Errorf("seed %d: threshold %v of the first halves became %+v, %v", seed, c, p, err)
		}
	}
	_, d, err := Distinguish([]float64{1, 1, 1}, []float64{0, 0, 0}, 0)
	if err != nil || d.AUC != 1 || d.Counts != [4]int{2, 0, 2, 0} {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestEpsilonHat_Refuses(t *testing.T) {
	two, bad := []float64{1, 2}, []float64{1, math.NaN()}
	for _, c := range []struct {
		a, b  []float64
		delta float64
	}{{two, two, -1}, {two, two, 1}, {two, two, math.NaN()}, {two[:1], two, 0}, {two, nil, 0}, {bad, two, 0},
		{two, bad, 0}} {
		if _, err := EpsilonHat(c.a, c.b, c.delta); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

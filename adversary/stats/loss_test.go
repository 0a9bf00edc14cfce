// Measured loss against mechanisms whose log-likelihood ratios and δ(ε) are known.

package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"overhear/sim"
)

// gaussianRatios are exact ratios of N(r, 1) against N(0, 1): L = r·x − r²/2.
func gaussianRatios(n int, ratio float64, seed uint64) (a, b []float64) {
	a, b = normals(n, ratio, seed, "A"), normals(n, 0, seed, "B")
	for _, l := range [][]float64{a, b} {
		for k, x := range l {
			l[k] = ratio*x - ratio*ratio/2
		}
	}
	return a, b
}

// responseRatios are those of randomised response, ±ε.
func responseRatios(n int, epsilon float64, seed uint64) (a, b []float64) {
	a, b = responses(n, epsilon, seed)
	for k := range a {
		a[k] *= epsilon
		b[k] *= epsilon
	}
	return a, b
}

func scaled(x []float64, by float64) []float64 {
	y := make([]float64, len(x))
	for k, v := range x {
		y[k] = by * v
	}
	return y
}

func TestLargestLoss(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		a, b []float64
		want float64
	}{{[]float64{1, -3}, []float64{2}, 3}, {nil, []float64{-4}, 4}, {[]float64{inf}, nil, inf}, {nil, nil, 0}} {
		if got, err := LargestLoss(c.a, c.b); err != nil || got != c.want {
			t.Errorf("%v, %v: %v, %v", c.a, c.b, got, err)
		}
	}
	if _, err := LargestLoss(nil, []float64{math.NaN()}); err == nil {
		t.Error("NaN is accepted")
	}
}

// The estimate is δ(ε) of the closed form, the bound is below and not far.
func TestDeltaAt_Gaussian(t *testing.T) {
	const n = 8000
	for _, ratio := range []float64{0.5, 1, 2} {
		a, b := gaussianRatios(n, ratio, 1)
		for _, epsilon := range []float64{0, 0.3, 1, 2} {
			want := gaussianDelta(ratio, epsilon)
			got, low, err := deltaAt(a, b, epsilon, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			// (1 − e^{ε−L})₊ is in [0, 1]: its variance is at most its mean.
			if sd := math.Sqrt(want / n); !(math.Abs(got-want) <= 5*sd) || !(low <= want) ||
				!(low >= want-6*sd-20.0/n) {
				t.Errorf("Δ/σ = %v, ε = %v: δ %v ≥ %v, want %v", ratio, epsilon, got, low, want)
			}
		}
	}
}

// The bound on a mean is wrong no more often than it says: draws 0 and 1, whose
// mean is hardest to bound, by exact sums. The bound of Clopper & Pearson, which
// knows that they are 0 and 1, is up to twice as near: where it is 1.96σ away, 13
// players must see √(2 ln(13/α)) σ = 3.5σ.
func TestLeastMean_ExactCoverage(t *testing.T) {
	const n, alpha = 200, 0.025
	draws := func(k int) []float64 {
		x := make([]float64, n)
		for i := range k {
			x[i] = 1
		}
		return x
	}
	bounds := make([]float64, n+1)
	for k := range bounds {
		bounds[k] = leastMean(draws(k), alpha)
		if best := leastShare(k, n, alpha); !(bounds[k] <= best) {
			t.Errorf("%d of %d: %v is above the exact bound %v", k, n, bounds[k], best)
		} else if share := float64(k) / n; !(share-bounds[k] <= 2*(share-best)) {
			t.Errorf("%d of %d: %v is far below the exact bound %v", k, n, bounds[k], best)
		}
		if k > 0 && !(bounds[k] >= bounds[k-1]) {
			t.Errorf("%d of %d: the bound falls", k, n)
		}
	}
	for _, p := range []float64{1e-4, 0.003, 0.02, 0.1, 0.3, 0.5, 0.8, 0.99} {
		wrong := 0.0
		for k := range bounds {
			if bounds[k] > p {
				wrong += binomialTerm(k, n, p)
			}
		}
		if !(wrong <= alpha) {
			t.Errorf("p = %v: wrong with probability %v", p, wrong)
		}
	}
}

// wealth of draws at their mean has expectation 1, exactly: over all outcomes of
// three draws from {0, 0.3, 1}.
func TestWealth_IsFair(t *testing.T) {
	values, p := []float64{0, 0.3, 1}, []float64{0.5, 0.3, 0.2}
	mean := 0.3*0.3 + 0.2
	expect := 0.0
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				expect += p[i] * p[j] * p[k] * math.Exp(wealth([]float64{values[i], values[j], values[k]}, mean))
			}
		}
	}
	if !(math.Abs(expect-1) <= 1e-12) {
		t.Errorf("expectation %v", expect)
	}
}

func TestLowerEpsilon_Coverage(t *testing.T) {
	const audits = 400
	for _, c := range []struct {
		name  string
		draw  func(seed uint64) (a, b []float64)
		delta float64
		truth float64
		near  float64 // mean measured is at least this share of it
	}{
		{"Gaussian 0.3", func(s uint64) (a, b []float64) { return gaussianRatios(500, 0.3, s) }, 0.02,
			gaussianEpsilon(0.3, 0.02), 0.5},
		{"Gaussian 1", func(s uint64) (a, b []float64) { return gaussianRatios(500, 1, s) }, 0.01,
			gaussianEpsilon(1, 0.01), 0.75},
		{"Gaussian 3", func(s uint64) (a, b []float64) { return gaussianRatios(500, 3, s) }, 0.001,
			gaussianEpsilon(3, 0.001), 0.8},
		{"response", func(s uint64) (a, b []float64) { return responseRatios(500, 1, s) }, 0.1,
			math.Log((math.E - 0.1*(1+math.E)) / 1), 0.85},
	} {
		wrong, mean := 0, 0.0
		for seed := range uint64(audits) {
			a, b := c.draw(seed)
			e, err := LowerEpsilon(a, b, c.delta, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			mean += e / audits
			if e > c.truth {
				wrong++
			}
		}
		t.Logf("%s, δ = %v, ε = %.3f: %d of %d above, mean %.3f", c.name, c.delta, c.truth, wrong, audits, mean)
		if wrong > audits/20 || !(mean >= c.near*c.truth) || !(mean <= c.truth) {
			t.Errorf("%s: %d of %d audits measured more than %v, mean %v", c.name, wrong, audits, c.truth, mean)
		}
	}
}

// LowerEpsilon is where Refutes ends.
func TestRefutes_EndsAtLowerEpsilon(t *testing.T) {
	for _, delta := range []float64{1e-5, 0.01, 0.1} {
		a, b := gaussianRatios(400, 1.5, 9)
		e, err := LowerEpsilon(a, b, delta, 0.95)
		if err != nil || !(e > 0) {
			t.Fatalf("δ = %v: %v, %v", delta, e, err)
		}
		for _, c := range []struct {
			at   float64
			want bool
		}{{0, true}, {0.9 * e, true}, {e - 1e-9, true}, {e + 1e-9, false}, {1.1 * e, false}, {math.Inf(1), false}} {
			if got, err := Refutes(a, b, c.at, delta, 0.95); err != nil || got != c.want {
				t.Errorf("δ = %v: the claim ε = %v of %v is refuted: %v, %v", delta, c.at, e, got, err)
			}
		}
	}
}

// A true claim is refuted no more often than the confidence allows, one that is
// too small always, given enough runs.
func TestRefutes_Claims(t *testing.T) {
	truth, right, wrong := gaussianEpsilon(1, 0.01), 0, 0
	for seed := range uint64(400) {
		a, b := gaussianRatios(1000, 1, seed)
		if no, err := Refutes(a, b, truth, 0.01, 0.95); err != nil || no {
			wrong++
		}
		if no, err := Refutes(a, b, truth/2, 0.01, 0.95); err == nil && no {
			right++
		}
	}
	t.Logf("of 400 audits refute the true claim %d, half of it %d", wrong, right)
	if wrong > 20 || right < 396 {
		t.Errorf("of 400 audits refute the true claim %d, half of it %d", wrong, right)
	}
}

func TestLowerEpsilon_Edges(t *testing.T) {
	inf := math.Inf(1)
	a, b := responseRatios(1000, 2, 1)
	if e, err := LowerEpsilon(a, b, 0, 0.95); err != nil || e != 2 {
		t.Errorf("δ = 0: %v, %v, want 2", e, err)
	}
	if e, err := LowerEpsilon(make([]float64, 1000), make([]float64, 1000), 0.01, 0.95); err != nil || e != 0 {
		t.Errorf("equal worlds: %v, %v", e, err)
	}
	// A tenth of the runs of one world are impossible in the other.
	for k := range a {
		a[k], b[k] = 0, 0
		if k%10 == 0 {
			b[k] = -inf
		}
	}
	if e, err := LowerEpsilon(a, b, 0.05, 0.95); err != nil || e != inf {
		t.Errorf("impossible runs: %v, %v, want no finite ε", e, err)
	}
	if no, err := Refutes(a, b, 5, 0.05, 0.95); err != nil || !no {
		t.Errorf("impossible runs of world B refute nothing: %v", err)
	}
	for k := range b {
		a[k], b[k] = -b[k], a[k] // now of world A
	}
	if no, err := Refutes(a, b, 5, 0.05, 0.95); err != nil || !no {
		t.Errorf("impossible runs of world A refute nothing: %v", err)
	}
	if e, err := LowerEpsilon(a, b, 0.11, 0.95); err != nil || e != 0 {
		t.Errorf("impossible runs that δ allows: %v, %v", e, err)
	}
	if e, err := LowerEpsilon([]float64{1, 2}, []float64{-inf}, 0, 0.95); err != nil || e != inf {
		t.Errorf("δ = 0, impossible run: %v, %v", e, err)
	}
	one := []float64{1}
	for _, c := range []struct {
		a, b                       []float64
		epsilon, delta, confidence float64
	}{
		{nil, one, 1, 0, 0.95}, {one, nil, 1, 0, 0.95}, {one, one, -1, 0, 0.95}, {one, one, math.NaN(), 0, 0.95},
		{one, one, 1, 1, 0.95},
		{one, one, 1, -0.1, 0.95}, {one, one, 1, 0, 1}, {one, one, 1, 0, 0}, {[]float64{math.NaN()}, one, 1, 0, 0.95},
	} {
		if _, err := Refutes(c.a, c.b, c.epsilon, c.delta, c.confidence); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

func TestDescribe(t *testing.T) {
	inf := math.Inf(1)
	var l []float64
	for k := range 201 {
		l = append(l, float64((k*77)%201)) // 0 … 200 in some order
	}
	s, err := Describe(l)
	if err != nil || len(s.Quantiles) != 101 || s.Mean != 100 {
		t.Fatalf("%+v, %v", s, err)
	}
	for k, q := range s.Quantiles {
		within := 0
		for _, v := range l {
			if v <= float64(q) {
				within++
			}
		}
		if 100*within < k*201 || (q > 0 && 100*(within-1) >= k*201) {
			t.Errorf("quantile %d is %v", k, q)
		}
	}
	s, err = Describe([]float64{inf, 1, 2, inf})
	if err != nil || float64(s.Quantiles[100]) != inf || s.Quantiles[0] != 1 || s.Quantiles[50] != 2 ||
		float64(s.Mean) != inf {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = Describe(nil); err != nil || len(s.Quantiles) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err = Describe([]float64{math.NaN()}); err == nil {
		t.Error("NaN is accepted")
	}
}

// Right ratios pass, for 200 seeds; those of a wrong σ do not.
func TestCalibrated(t *testing.T) {
	s := sim.NewStream(1, "test of wrong ratios")
	for _, ratio := range []float64{0.3, 1, 2, 3} {
		for seed := range uint64(200) {
			a, b := gaussianRatios(1000, ratio, seed)
			c, err := Calibrated(a, b)
			if err != nil || !c.Holds {
				t.Errorf("Δ/σ = %v, seed %d: %+v, %v", ratio, seed, c, err)
			}
		}
	}
	a, b := gaussianRatios(1000, 1, 1)
	for name, c := range map[string][2][]float64{
		"σ twice too large":    {scaled(a, 0.25), scaled(b, 0.25)},
		"σ half":               {scaled(a, 4), scaled(b, 4)},
		"ζ twice too large":    {scaled(a, 2), scaled(b, 2)},
		"of the other world":   {scaled(a, -1), scaled(b, -1)},
		"one world's only":     {a, scaled(b, 3)},
		"the worlds are equal": {a, a},
		"impossible":           {append([]float64{math.Inf(-1)}, a...), b},
	} {
		check, err := Calibrated(c[0], c[1])
		t.Logf("%s: %.1f, bound %.1f, %s", name, check.Measured, check.Bound, check.Detail)
		if err != nil || check.Holds {
			t.Errorf("%s passes: %+v, %v", name, check, err)
		}
	}
	// How often each factor is seen.
	for _, ratio := range []float64{0.3, 1, 3} {
		for _, factor := range []float64{0.25, 0.5, 2, 4} {
			seen := 0
			for range 20 {
				a, b := gaussianRatios(1000, ratio, s.Uint64())
				if c, _ := Calibrated(scaled(a, factor), scaled(b, factor)); !c.Holds {
					seen++
				}
			}
			t.Logf("Δ/σ = %v, ratios times %v: seen in %d of 20", ratio, factor, seen)
			if ratio >= 1 && (factor == 0.25 || factor == 4) && seen < 20 {
				t.Errorf("σ wrong by a factor of 2: seen in %d of 20", seen)
			}
		}
	}
	if _, err := Calibrated(nil, b); err == nil {
		t.Error("no runs are accepted")
	}
	if _, err := Calibrated(a, []float64{math.NaN()}); err == nil {
		t.Error("NaN is accepted")
	}
	// Infinities that are possible are no objection.
	inf := math.Inf(1)
	if c, err := Calibrated([]float64{inf, inf, inf}, []float64{-inf, -inf, -inf}); err != nil || !c.Holds {
		t.Errorf("worlds apart: %+v, %v", c, err)
	}
}

// deltaAt estimates the least δ for which two worlds are (ε, δ)-close, the
// larger of
//
//	δ_A(ε) = E_A[(1 − e^{ε−L})₊]  and  δ_B(ε) = E_B[(1 − e^{ε+L})₊]
//
// (the hockey-stick divergences; Balle, Barthe & Gaboardi 2018), by
// means over the runs, and bounds it from below with that confidence. The bound
// holds at an ε that was fixed before the runs, or at all ε at which it is
// compared with one δ (see LowerEpsilon).
func deltaAt(a, b []float64, epsilon, confidence float64) (estimate, low float64, err error) {
	if err := checkClaim(a, b, epsilon, 0, confidence); err != nil {
		return 0, 0, err
	}
	for _, x := range [2][]float64{excess(a, epsilon, 1), excess(b, epsilon, -1)} {
		sum := 0.0
		for _, v := range x {
			sum += v
		}
		estimate = max(estimate, sum/float64(len(x)))
		low = max(low, leastMean(x, (1-confidence)/2))
	}
	return estimate, low, nil
}

// leastMean is a lower bound on the mean of a law on [0, 1] of which x are
// independent draws, wrong with probability at most alpha: the largest m that
// wealth refutes, which is monotone.
func leastMean(x []float64, alpha float64) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if mid := (low + high) / 2; wealth(x, mid) >= -math.Log(alpha) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// Ratios that have to be multiplied by what Calibrated says it finds are found in at least 95 of 100 audits, and exact
// ones in none of 1,000.
func TestCalibrated_FindsWhatItSays(t *testing.T) {
	sample := func(seed uint64, factor float64) (a, b []float64) { // of normal laws at a distance of 2
		s := sim.NewStream(seed, "calibrated")
		for range 600 {
			a = append(a, factor*(2+float64(2*s.Normal())))
			b = append(b, factor*(float64(2*s.Normal())-2))
		}
		return a, b
	}
	finds := 0.0
	for seed := range uint64(1000) {
		c, err := Calibrated(sample(seed, 1))
		if err != nil || !c.Holds {
			t.Fatalf("seed %d: %+v, %v", seed, c, err)
		}
		finds = max(finds, float64(c.Finds))
	}
	found := 0
	for seed := range uint64(100) {
		if c, err := Calibrated(sample(seed, finds)); err != nil {
			t.Fatal(err)
		} else if !c.Holds {
			found++
		}
	}
	if !(finds > 1 && finds < 1000) || found < 95 {
		t.Errorf("a factor of %v is found in %d of 100", finds, found)
	}
}

// δ(ε) of ratios of two normal laws lies in its intervals, which shrink as runs grow; worlds that are the other way
// round have the same curve.
func TestDeltas_CoverTheTrueCurve(t *testing.T) {
	const mu, audits = 1.0, 60
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	exact := func(e float64) float64 { return phi(-e/mu+mu/2) - math.Exp(e)*phi(-e/mu-mu/2) }
	g := rand.New(rand.NewPCG(15, 4))
	missed, points := 0, 0
	width := map[int]float64{}
	for k := range audits {
		runs := []int{50, 200, 800}[k%3]
		var a, b []float64
		for range runs {
			a, b = append(a, mu*mu/2+mu*g.NormFloat64()), append(b, -mu*mu/2+mu*g.NormFloat64())
		}
		curve, err := Deltas(a, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range curve {
			points++
			if want := exact(float64(p.Epsilon)); !(float64(p.Low) <= want && want <= float64(p.High)) {
				missed++
			}
			if !(p.Low <= p.Delta && p.Delta <= p.High) {
				t.Errorf("%d runs: %+v", runs, p)
			}
		}
		width[runs] += float64(curve[8].High - curve[8].Low)
		var swapped [2][]float64
		for w, l := range [2][]float64{b, a} {
			for _, v := range l {
				swapped[w] = append(swapped[w], -v)
			}
		}
		if same, _ := Deltas(swapped[0], swapped[1]); !slices.Equal(same, curve) {
			t.Errorf("%d runs: the worlds the other way round have another curve", runs)
		}
	}
	if missed > points/20 {
		t.Errorf("%d of %d intervals of 95 %% miss the true δ", missed, points)
	}
	if !(width[800] < 0.6*width[200]) || !(width[200] < 0.65*width[50]) {
		t.Errorf("widths of intervals: %v", width)
	}
	// At the largest |L| no run loses more, and the interval ends where the players' mean wealth is 1/1.25 %.
	curve, err := Deltas([]float64{0.5, 1, 0.2}, []float64{-1, 0.3, -0.1})
	if err != nil {
		t.Fatal(err)
	}
	last, wealth := curve[len(curve)-1], 0.0
	for j := range 13 {
		share := 1 / (1 + math.Exp(float64(j-3)))
		wealth += math.Pow(1+share*(1/(1-float64(last.High))-1), 3) / 13
	}
	if last.Delta != 0 || last.Low != 0 || !(math.Abs(wealth*0.0125-1) <= 1e-5) {
		t.Errorf("of three runs that lose nothing: %+v, a wealth of %v", last, wealth)
	}
	apart, err := Deltas([]float64{math.Inf(1), math.Inf(1)}, []float64{math.Inf(-1), 0})
	if err != nil || apart[0].Delta != 1 || apart[32].Delta != 1 || apart[0].High != 1 || !(apart[0].Low > 0) {
		t.Errorf("worlds that one look tells apart: %+v, %v", apart, err)
	}
	if _, err := Deltas(nil, nil); err == nil {
		t.Error("no runs, and a curve")
	}
}

// Ratios of a tiny ε name no world, right or wrong.
func TestCalibrated_TooSmall(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		var l [2][]float64
		for range 300 {
			for w := range l {
				l[w] = append(l[w], 1e-6*(g.Float64()-0.5))
			}
		}
		c, err := Calibrated(l[0], l[1])
		if err != nil || !c.Holds || c.Detail != "the ratios are too small to be tested with so many runs" {
			t.Fatalf("%+v, %v", c, err)
		}
	}
}

// A verdict's ε at a δ is at least that at which the lower end of the curve comes to it: it spends the 5 % there.
func TestDeltas_AreNoStricterThanTheVerdict(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 1))
	shown := 0
	for range 40 {
		shift := 0.2 + 2*r.Float64()
		a, b := make([]float64, 300), make([]float64, 300)
		for k := range a { // of a Gaussian mechanism
			a[k] = shift*r.NormFloat64() + shift*shift/2
			b[k] = shift*r.NormFloat64() - shift*shift/2
		}
		curve, err := Deltas(a, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, delta := range []float64{1e-3, 1e-2, 0.1} {
			least, err := LowerEpsilon(a, b, delta, Confidence)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range curve {
				if float64(p.Low) > delta {
					if shown++; float64(p.Epsilon) > least {
						t.Errorf("shift %v: δ is at least %v at ε = %v; the ε at δ = %v is %v", shift, p.Low,
							p.Epsilon, delta, least)
					}
				}
			}
		}
	}
	if shown < 100 {
		t.Errorf("only %d points say anything", shown)
	}
}

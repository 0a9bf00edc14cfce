// Edges of claims, bounds and curves.

package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// At δ = 0 one run refutes whose |L| is beyond ε, by however little, and none that is
// within.
func TestRefutes_PureClaimsByOneRun(t *testing.T) {
	for _, l := range []float64{1, -1} {
		for epsilon, want := range map[float64]bool{1: false, math.Nextafter(1, 0): true, 2: false, 0: true} {
			for _, w := range [][2][]float64{{{0, l}, {0}}, {{0}, {l, 0}}} {
				if got, err := Refutes(w[0], w[1], epsilon, 0, 0.95); err != nil || got != want {
					t.Errorf("L = %v against %v: %v, %v", l, epsilon, got, err)
				}
			}
		}
	}
}

// What is refuted ends at LowerEpsilon, whichever world shows the loss.
func TestRefutes_EndsAtLowerEpsilonInEitherWorld(t *testing.T) {
	g := rand.New(rand.NewPCG(9, 10))
	var loud, silent []float64
	for range 300 {
		loud, silent = append(loud, 3*math.Abs(g.NormFloat64())), append(silent, 0)
	}
	var mirrored []float64
	for _, v := range loud {
		mirrored = append(mirrored, -v)
	}
	var shown [2]float64
	for k, w := range [][2][]float64{{loud, silent}, {silent, mirrored}} {
		e, err := LowerEpsilon(w[0], w[1], 0.05, 0.9)
		if err != nil || !(e > 1) {
			t.Fatal(e, err)
		}
		shown[k] = e
		for factor, want := range map[float64]bool{1 - 1e-9: true, 1 + 1e-9: false} {
			if got, err := Refutes(w[0], w[1], e*factor, 0.05, 0.9); err != nil || got != want {
				t.Errorf("case %d at %v of %v: %v, %v", k, factor, e, got, err)
			}
		}
	}
	if !(math.Abs(shown[0]-shown[1]) <= 1e-9) {
		t.Errorf("the worlds exchanged: %v", shown)
	}
}

// δ is the larger of both worlds', and each world's bound has half of what may be wrong.
func TestDeltaAt_InEitherWorld(t *testing.T) {
	loud, silent := []float64{math.Inf(1), 3, 0.5, math.Inf(1), -2, 4, math.Inf(1)}, make([]float64, 7)
	var mirrored []float64
	for _, v := range loud {
		mirrored = append(mirrored, -v)
	}
	want := (3 - math.Expm1(1-3) - math.Expm1(1-4)) / 7 // E[(1 − e^{1−L})₊]
	bound := leastMean(excess(loud, 1, 1), 0.2/2)
	for _, w := range [][2][]float64{{loud, silent}, {silent, mirrored}, {loud, mirrored}} {
		got, low, err := deltaAt(w[0], w[1], 1, 0.8)
		if err != nil || !(math.Abs(got-want) <= 1e-12) || low != bound || !(low > 0) {
			t.Errorf("δ(1) = %v from %v, %v; want %v from %v", got, low, err, want, bound)
		}
	}
}

// Of two like runs of each world, the wealth of those who bet ±c is 1 + c²Z² on average:
// for both bets, on Z = σ(−a) − σ(b) and on Z = σ(−a) sign a − σ(b) sign b.
func TestCalibrated_WealthOfTwoRuns(t *testing.T) {
	gain := func(a, b float64) float64 {
		c, err := Calibrated([]float64{a, a}, []float64{b, b})
		if err != nil || !c.Holds {
			t.Fatal(c, err)
		}
		return math.Expm1(float64(c.Measured))
	}
	s := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	one, two := gain(0, 2), gain(0.5, 1)
	z, y := 0.5-s(2), s(-0.5)-s(1)
	if want := (z*z + s(2)*s(2)) / (2 * y * y); !(math.Abs(one/two-want) <= 1e-9) {
		t.Errorf("gains of %v and %v, want a quotient of %v", one, two, want)
	}
	if other := gain(-2, 0); !(math.Abs(other-one) <= 1e-12) { // the worlds exchanged
		t.Errorf("gains of %v and %v", one, other)
	}
	// A run that cannot have happened in its own world needs no bets.
	for _, w := range [][2][]float64{{{1, math.Inf(-1)}, {-1, 0}}, {{1, 0}, {math.Inf(1), -1}}} {
		c, err := Calibrated(w[0], w[1])
		if err != nil || c.Holds || !math.IsInf(float64(c.Measured), 1) || !strings.Contains(c.Detail, "impossible") {
			t.Errorf("%v: %+v, %v", w, c, err)
		}
	}
}

// The scale that fits best has a closed form where all ratios are l: e^{kl} is the odds of
// the worlds. Where the sign of a ratio always names the world there is no best scale.
func TestCalibrated_SaysTheScale(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		a, b []float64
		says string
	}{
		{[]float64{0.5, 0.5, 0.5}, []float64{0.5}, "multiplied by 2.20"}, // ln 3/0.5
		{[]float64{-2, -2, -2}, []float64{-2}, "multiplied by -0.55"},
		{[]float64{0.5, inf, 0.5, 0.5}, []float64{0.5, -inf}, "multiplied by 2.20"},
		{[]float64{2, -2}, []float64{2, -2}, "0.00"},
		{[]float64{0.1, 0.2}, []float64{-0.1}, "without error"},
		{[]float64{3, 30}, []float64{-3, -300}, "without error"},
		{[]float64{-0.1, -0.2}, []float64{0.1}, "the wrong world"},
		{[]float64{-3, -30}, []float64{3, 300}, "the wrong world"},
		{[]float64{0, inf}, []float64{0, -inf}, "zero or infinite"},
	} {
		got, err := Calibrated(c.a, c.b)
		if err != nil || !strings.Contains(got.Detail, c.says) {
			t.Errorf("%v and %v: %q, %v; want %q", c.a, c.b, got.Detail, err, c.says)
		}
	}
}

// What is not a number is refused, and the run and world are named.
func TestNotANumberIsRefused(t *testing.T) {
	nan := math.NaN()
	for world, w := range map[string][2][]float64{"run 1 in world A": {{0, nan, 1}, {0, 1}},
		"run 2 in world B": {{0, 1}, {0, 1, nan}}, "run 0 in world B": {{0, 1}, {nan, 1, 0}}} {
		for name, err := range map[string]error{
			"LargestLoss":  second(LargestLoss(w[0], w[1])),
			"LowerEpsilon": second(LowerEpsilon(w[0], w[1], 0.1, 0.95)),
			"Refutes":      second(Refutes(w[0], w[1], 1, 0.1, 0.95)),
			"DeltaAt":      third(deltaAt(w[0], w[1], 1, 0.95)),
			"Curve":        third(Curve(w[0], w[1])),
			"EpsilonHat":   second(EpsilonHat(append(w[0], w[0]...), append(w[1], w[1]...), 0)),
			"Calibrated":   second(Calibrated(w[0], w[1])),
		} {
			if err == nil || name != "EpsilonHat" && !strings.Contains(err.Error(), world) {
				t.Errorf("%s, %s: %v", name, world, err)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

func third[T, U any](_ T, _ U, err error) error { return err }

// A confidence is inside (0, 1).
func TestClopperPearson_RefusesCertainty(t *testing.T) {
	for _, confidence := range []float64{0, 1, math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a confidence of %v is taken", confidence)
				}
			}()
			ClopperPearson(1, 2, confidence)
		}()
	}
}

// The mean of e^x where every x is the same infinity is that.
func TestLogMean_OfInfinities(t *testing.T) {
	for _, inf := range []float64{math.Inf(1), math.Inf(-1)} {
		if got := logMean([]float64{inf, inf}); got != inf {
			t.Errorf("%v: %v", inf, got)
		}
	}
	if got := logMean([]float64{0, math.Inf(-1)}); !(math.Abs(got+math.Ln2) <= 1e-15) {
		t.Errorf("half: %v", got)
	}
	if got := logMean([]float64{800, 800}); got != 800 {
		t.Errorf("beyond e^709: %v", got)
	}
}

func TestDescribe_Nothing(t *testing.T) {
	d, err := Describe(nil)
	if err != nil || !math.IsNaN(float64(d.Mean)) || d.Quantiles == nil || len(d.Quantiles) != 0 {
		t.Errorf("%+v, %v", d, err)
	}
}

// No corner of the staircase is left out where all fit: the area below the points is the
// AUC. Points on a line between others are left out.
func TestCurve_PointsAreTheCorners(t *testing.T) {
	for seed := range uint64(20) {
		g := rand.New(rand.NewPCG(seed, 10))
		var a, b []float64
		for range 60 {
			a, b = append(a, math.Round(4*(g.NormFloat64()+1))), append(b, math.Round(4*g.NormFloat64()))
		}
		curve, power, err := Curve(a, b)
		if err != nil {
			t.Fatal(err)
		}
		area := 0.0
		for k := 1; k < len(curve); k++ {
			area += (curve[k].FPR - curve[k-1].FPR) * (curve[k].TPR + curve[k-1].TPR) / 2
		}
		if last := curve[len(curve)-1]; !(math.Abs(area-float64(power.AUC)) <= 1e-12) || last.FPR != 1 ||
			last.TPR != 1 {
			t.Errorf("seed %d: area %v, AUC %v", seed, area, power.AUC)
		}
	}
	// Neither are those of a line that begins beside the origin.
	curve, _, err := Curve([]float64{5, 5, 4, 3, 2}, []float64{4, 3, 2})
	if err != nil || len(curve) != 3 || curve[1].TPR != 0.4 || curve[1].FPR != 0 {
		t.Errorf("%+v, %v", curve, err)
	}
	curve, _, err = Curve([]float64{5, 4, 3}, []float64{9, 9, 5, 4, 3})
	if err != nil || len(curve) != 3 || curve[1].TPR != 0 || curve[1].FPR != 0.4 {
		t.Errorf("%+v, %v", curve, err)
	}
	// A tie of everything, and two samples that take turns, are straight lines.
	for _, w := range [][2][]float64{{{1, 1, 1}, {1, 1}}, {{4, 3, 2, 1}, {4, 3, 2, 1}}} {
		curve, _, err := Curve(w[0], w[1])
		if err != nil || len(curve) > 3 { // the ends, and where the advantage is largest
			t.Errorf("%v: %+v, %v", w, curve, err)
		}
	}
}

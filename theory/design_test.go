// The fit of the loss and the choice of α, against constants that are known and maxima in closed form.

package theory

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var tried = []float64{0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 4}

func losses(l Accuracy, alpha []float64) (all []float64) {
	for _, a := range alpha {
		all = append(all, l.At(a))
	}
	return all
}

// What was made by the formula gives its constants back.
func TestFitAccuracy_FindsTheConstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		want := Accuracy{C4: between(r, 0.05, 20), C5: between(r, 0.3, 15), C6: between(r, 0.01, 3)}
		got, err := FitAccuracy(tried, losses(want, tried))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range [][2]float64{{got.C4, want.C4}, {got.C5, want.C5}, {got.C6, want.C6}} {
			if !(math.Abs(c[0]-c[1]) <= 1e-4*c[1]) {
				t.Fatalf("%+v, made with %+v", got, want)
			}
		}
		if !(got.Explained > 1-1e-9 && got.Miss < 1e-4*want.C4) {
			t.Fatalf("%+v", got)
		}
	})
}

// Amid noise no other constants fit better, and none is negative.
func TestFitAccuracy_IsLeastSquares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		loss := losses(Accuracy{C4: between(r, 0.1, 2), C5: between(r, 0.5, 10), C6: r.Float64() - 0.3}, tried)
		for k := range loss {
			loss[k] = math.Abs(loss[k] + 0.1*r.NormFloat64())
		}
		fit, err := FitAccuracy(tried, loss)
		if err != nil {
			t.Fatal(err)
		}
		if !(fit.C4 >= 0 && fit.C5 > 0 && fit.C6 >= 0) {
			t.Fatalf("%+v", fit)
		}
		squares := func(l Accuracy) (sum float64) {
			for k, a := range tried {
				d := l.At(a) - loss[k]
				sum += d * d
			}
			return sum
		}
		least := squares(fit)
		for range 300 {
			scale := between(r, 1e-4, 1)
			c5 := fit.C5 * math.Exp(scale*r.NormFloat64())
			if !(c5 > 0.01/4 && c5 < 40/0.05) {
				continue
			}
			other := Accuracy{C4: max(0, fit.C4+scale*r.NormFloat64()), C5: c5,
				C6: max(0, fit.C6+scale*r.NormFloat64())}
			if !(squares(other) >= least*(1-1e-6)-1e-12) {
				t.Fatalf("%+v misses by %v, %+v by %v", other, squares(other), fit, least)
			}
		}
	})
}

func TestFitAccuracy_Refuses(t *testing.T) {
	for name, c := range map[string]struct {
		alpha, loss []float64
		says        string
	}{
		"three α": {[]float64{1, 2, 2, 3}, []float64{3, 2, 2, 1}, "at least 4"},
		"zero":    {[]float64{0, 1, 2, 3}, []float64{3, 2, 2, 1}, "positive"},
		"NaN":     {[]float64{4, 1, 2, 3}, []float64{3, math.NaN(), 2, 1}, "finite"},
		"missing": {[]float64{4, 1, 2, 3}, []float64{3, 2, 1}, "3 losses for 4"},
	} {
		if _, err := FitAccuracy(c.alpha, c.loss); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	flat, err := FitAccuracy(tried, losses(Accuracy{C6: 0.7}, tried))
	if err != nil || !(math.Abs(flat.At(0.3)-0.7) <= 1e-12) || !(flat.C4 <= 1e-9) {
		t.Errorf("of equal losses: %+v, %v", flat, err)
	}
	rising, err := FitAccuracy(tried, tried)
	if err != nil || rising.C4 != 0 {
		t.Errorf("of losses that rise: %+v, %v", rising, err)
	}
}

// Maxima in closed form: c₄c₅e^(−c₅α) = a gives α = ln(c₄c₅/a)/c₅ for U = −aα. A weight that is twice as large, a
// factor left out, is a different α.
func TestChoose_ClosedForms(t *testing.T) {
	l := Accuracy{C4: 0.8, C5: 3, C6: 0.2}
	linear := func(a float64) float64 { return math.Log(0.8*3/a) / 3 }
	for _, c := range []struct {
		utility string
		want    float64
		edge    int
	}{
		{"linear=0.3", linear(0.3), 0},
		{"power=0.3,1", linear(0.3), 0},
		{"linear=5", 0.05, -1},
		{"linear=1e-9", 4, 1},
	} {
		u, err := ParseUtility(c.utility)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Choose(l, u, 0.05, 4)
		if err != nil || got.Edge != c.edge || !(math.Abs(got.Alpha-c.want) <= 1e-5*c.want) {
			t.Errorf("%s: %+v, %v; want %v", c.utility, got, err, c.want)
		}
		if net := u.At(got.Alpha) - l.At(got.Alpha); !(math.Abs(net-got.Net) <= 1e-12) {
			t.Errorf("%s: %v, not %v", c.utility, got.Net, net)
		}
		if c.edge == 0 && !(math.Abs(got.Alpha-linear(0.6)) > 0.1) {
			t.Errorf("%s: a factor of 2 makes no difference", c.utility)
		}
	}
}

// With ZZ16's constants, U′(α) = −ω₁(ω₃ + 2ω₄α)/(ω₃α + ω₄α²) is L′(α) = −c₄c₅e^(−c₅α) at the α that was worked out by
// bisection elsewhere; nearer to zero U grows beyond any bound, so that the range decides.
func TestChoose_PapersConstants(t *testing.T) {
	u, err := ParseUtility("zz16=0.02,6,9,1")
	if err != nil {
		t.Fatal(err)
	}
	l := Accuracy{C4: 0.2, C5: 25}
	slope := func(a float64) float64 { return -0.02*(9+2*a)/(9*a+a*a) + 0.2*25*math.Exp(-25*a) }
	low, high := 0.05, 2.0 // U − L rises at the one and falls at the other
	if !(slope(low) > 0 && slope(high) < 0) {
		t.Fatal(slope(low), slope(high))
	}
	for range 60 {
		if middle := (low + high) / 2; slope(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	if got, err := Choose(l, u, 0.05, 2); err != nil || got.Edge != 0 || !(math.Abs(got.Alpha-low) <= 1e-4*low) {
		t.Errorf("%+v, %v; by bisection %v", got, err, low)
	}
	if got, err := Choose(l, u, 1e-6, 2); err != nil || got.Edge != -1 {
		t.Errorf("%+v, %v", got, err)
	}
	if text := u.String(); text != "0.02 ln(6/(9α + 1α²))" {
		t.Error(text)
	}
}

func TestUtility_FallsAsPrivacyIsLost(t *testing.T) {
	for _, text := range []string{"zz16=0.02,6,9,1", "log=0.1", "linear=0.2", "power=0.1,0.5"} {
		u, err := ParseUtility(text)
		if err != nil {
			t.Fatal(err)
		}
		for k := 1; k < len(tried); k++ {
			if !(u.At(tried[k]) < u.At(tried[k-1])) {
				t.Errorf("%s rises at %v", text, tried[k])
			}
		}
	}
	for text, says := range map[string]string{
		"square=1": "no form", "linear": "such as linear=1", "power=": "such as power=1,1", "linear=x": "no number",
		"power=1":   "has 2 weights",
		"linear=-1": "positive", "zz16=1,1,0,0": "not both 0", "log=NaN": "no number",
	} {
		if _, err := ParseUtility(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Choose(Accuracy{}, Utility{}, 1, 2); err == nil {
		t.Error("no utility is one")
	}
	if _, err := Choose(Accuracy{}, Utility{Form: "log", Weights: []float64{1}}, 2, 1); err == nil {
		t.Error("a range the wrong way round is one")
	}
}

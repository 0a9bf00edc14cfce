// Statistics of a few draws whose values follow by hand.

package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/record"
)

// inOne are draws in one dimension: below are the shares of the declared law, ζ‖ε‖ ~
// Gamma(1, 1), under them; signs alternate.
func inOne(below ...float64) *Fit {
	f := new(Fit)
	for k, p := range below {
		noise := []float64{math.Pow(-1, float64(k)) * -math.Log1p(-p) / 0.5}
		f.Add(k, 0, 1, noise, model.Noise{Kind: model.Laplace, Level: 0.5})
	}
	return f
}

// check finds a check of a kind; nil: it was not made.
func check(all []record.Check, kind record.CheckKind) *record.Check {
	if k := slices.IndexFunc(all, func(c record.Check) bool { return c.Kind == kind }); k >= 0 {
		return &all[k]
	}
	return nil
}

// The law's check is the largest distance of the sample's distribution function, on
// either side of its steps, from the declared one.
func TestFit_LawIsTheKolmogorovDistance(t *testing.T) {
	for _, c := range []struct {
		below []float64
		want  float64
		says  string
	}{
		{[]float64{0.3}, 0.7, "where 30 % of the sizes should be below, 100 % are"},
		{[]float64{0.8}, 0.8, "where 80 % of the sizes should be below, 0 % are"},
		{[]float64{0.9, 0.1, 0.2}, 2.0/3 - 0.2, "where 20 % of the sizes should be below, 67 % are"},
		{[]float64{0.6, 0.55, 0.95, 0.9}, 0.55, "where 55 % of the sizes should be below, 0 % are"},
	} {
		law := check(inOne(c.below...).Checks(), record.NoiseLaw)
		if law == nil || !(math.Abs(float64(law.Measured)-c.want) <= 1e-9) || law.Detail != c.says {
			t.Errorf("%v: %+v, want %v", c.below, law, c.want)
		}
		want := math.Sqrt(math.Log(2e6) / (2 * float64(len(c.below))))
		if !(math.Abs(float64(law.Bound)-want) <= 1e-9) {
			t.Errorf("%v: bound %v, want %v", c.below, law.Bound, want)
		}
	}
}

// The spread is that of normal quantiles, with n − 1 degrees of freedom: 2Σ is χ², twice
// a Gamma variable of shape (n − 1)/2, whose cube root is nearly normal. One draw has
// none. A draw far beyond its law has a finite quantile.
func TestFit_SpreadOfSizes(t *testing.T) {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, scores := range [][]float64{{-1, 0, 1}, {0.4, 0.4}, {2, -1, 0.5, 3}} {
		var below []float64
		mean, squares := 0.0, 0.0
		n := float64(len(scores))
		for _, s := range scores {
			below = append(below, phi(s))
			mean += s / n
		}
		for _, s := range scores {
			squares += (s - mean) * (s - mean)
		}
		shape := (n - 1) / 2
		want := math.Abs(math.Cbrt(squares/2/shape)-(1-1/(9*shape))) * 3 * math.Sqrt(shape)
		got := check(inOne(below...).Checks(), record.NoiseSpread)
		if got == nil || !(math.Abs(float64(got.Measured)-want) <= 1e-6) ||
			!strings.Contains(got.Detail, fmt.Sprintf("varies %.2f times", math.Sqrt(squares/(n-1)))) {
			t.Errorf("%v: %+v, want %v", scores, got, want)
		}
	}
	if c := check(inOne(0.4).Checks(), record.NoiseSpread); c != nil {
		t.Errorf("of one draw: %+v", c)
	}
	f := inOne(0.2, 0.7)
	f.Add(9, 0, 1, []float64{150}, model.Noise{Kind: model.Laplace, Level: 0.5}) // e^−75 is above it
	if c := check(f.Checks(), record.NoiseSpread); !(c.Measured > 0) || math.IsInf(float64(c.Measured), 0) {
		t.Errorf("of a draw far beyond its law: %+v", c)
	}
	// Φ⁻¹(1 − e^−75) is 12.0: of three draws, with the quantiles −0.84, 0.52 and 12.0
	if c := check(f.Checks(), record.NoiseSpread); !strings.Contains(c.Detail, "varies 7.0") {
		t.Errorf("%+v", c)
	}
}

// Noise next to nothing is missing: below a millionth of its mean size, which is d.
func TestFit_NextToNothing(t *testing.T) {
	for ratio, missing := range map[float64]bool{0.4e-6: true, 2e-6: false} {
		f := new(Fit)
		f.Add(0, 0, 1, []float64{2 * ratio, 0}, model.Noise{Kind: model.Laplace, Level: 1})
		if c := check(f.Checks(), record.NoisePresent); c.Holds == missing {
			t.Errorf("%v of the mean size: %+v", ratio, c)
		}
	}
}

// Draws on either side of one that is zero, and has no direction, are not neighbours.
func TestFit_ZeroPartsItsNeighbours(t *testing.T) {
	law, u, zero := model.Noise{Kind: model.Gaussian, Level: 1}, []float64{1, 2}, []float64{0, 0}
	rounds, runs := new(Fit), new(Fit)
	for k, x := range [][]float64{u, zero, u} {
		rounds.Add(0, 0, k, x, law)
		runs.Add(k, 0, 0, x, law)
	}
	if c := check(rounds.Checks(), record.RoundsDrawnAnew); c != nil {
		t.Errorf("rounds: %+v", c)
	}
	if c := check(runs.Checks(), record.RunsDrawnAnew); c != nil {
		t.Errorf("runs: %+v", c)
	}
	rounds.Add(0, 0, 3, u, law)
	if c := check(rounds.Checks(), record.RoundsDrawnAnew); c == nil || c.Holds {
		t.Errorf("the same noise in successive rounds: %+v", c)
	}
}

// In one dimension draws are the same where their sizes are, relative to the larger.
func TestFit_SameSizesInOneDimension(t *testing.T) {
	for _, size := range []float64{0.01, 1, 25} {
		for off, same := range map[float64]bool{1e-8: true, 1e-5: false} {
			f := new(Fit)
			f.Add(0, 0, 1, []float64{size}, model.Noise{Kind: model.Laplace, Level: 1})
			f.Add(0, 0, 2, []float64{-size * (1 + off)}, model.Noise{Kind: model.Laplace, Level: 1})
			if c := check(f.Checks(), record.RoundsDrawnAnew); c == nil || (c.Measured == 1) != same {
				t.Errorf("sizes near %v, %v apart: %+v", size, off, c)
			}
		}
	}
}

// What is compared is the size relative to the level, and directions up to rounding.
func TestFit_SameDrawAtAnotherLevel(t *testing.T) {
	laplace := func(level float64) model.Noise { return model.Noise{Kind: model.Laplace, Level: level} }
	f := new(Fit)
	f.Add(0, 0, 1, []float64{2}, laplace(1))
	f.Add(0, 0, 2, []float64{1}, laplace(2))
	if c := check(f.Checks(), record.RoundsDrawnAnew); c == nil || c.Measured != 1 {
		t.Errorf("one dimension: %+v", c)
	}
	f = new(Fit)
	f.Add(0, 0, 1, []float64{3, 4}, laplace(1))
	f.Add(0, 0, 2, []float64{1.5, 2 + 1e-9}, laplace(2))
	if c := check(f.Checks(), record.RoundsDrawnAnew); c == nil || c.Measured != 1 {
		t.Errorf("two dimensions: %+v", c)
	}
	if c := check(f.Checks(), record.RoundsIndependent); c == nil || !strings.Contains(c.Detail, "+1.000") {
		t.Errorf("two dimensions: %+v", c)
	}
}

// In words: how large the noise is of what is declared, and where it tends to.
func TestFit_SaysHowLargeAndWhere(t *testing.T) {
	for kind, want := range map[model.Kind]string{model.Gaussian: "is 2.50 of", model.Laplace: "is 1.00 of"} {
		f := new(Fit) // ‖ε‖ = 5: σ√d = 2 and d/ζ = 5
		level := map[model.Kind]float64{model.Gaussian: 1, model.Laplace: 0.8}[kind]
		f.Add(0, 0, 1, []float64{0, 5, 0, 0}, model.Noise{Kind: kind, Level: level})
		if c := check(f.Checks(), record.NoiseSize); !strings.Contains(c.Detail, want) {
			t.Errorf("law %d: %q, want %q", kind, c.Detail, want)
		}
		if c := check(f.Checks(), record.NoiseDirection); !strings.Contains(c.Detail, "+1.000 in coordinate 1") {
			t.Errorf("law %d: %q", kind, c.Detail)
		}
	}
}

// Where no threshold shows a loss, at a δ that the runs cannot exceed, it is the one with
// the largest TPR − FPR.
func TestThreshold_LargestAdvantageWhereNothingIsLost(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 10))
	for range 20 {
		var a, b []float64
		for range 9 {
			a = append(a, 0.7+g.NormFloat64())
		}
		for range 14 {
			b = append(b, g.NormFloat64())
		}
		share := func(x []float64, c float64) float64 {
			n := 0
			for _, v := range x {
				if v >= c {
					n++
				}
			}
			return float64(n) / float64(len(x))
		}
		best := 0.0
		for _, c := range a {
			best = max(best, share(a, c)-share(b, c))
		}
		if c, err := Threshold(a, b, 0.99); err != nil || !(math.Abs(share(a, c)-share(b, c)-best) <= 1e-12) {
			t.Fatalf("threshold %v has the advantage %v, the best %v; %v", c, share(a, c)-share(b, c), best, err)
		}
	}
}

// Two runs of each world are the least that can be halved; all of Curve and of EpsilonHat
// is in Distinguish.
func TestDistinguish_IsBoth(t *testing.T) {
	for _, n := range [][2]int{{1, 2}, {2, 1}, {2, 2}} {
		_, err := EpsilonHat(make([]float64, n[0]), make([]float64, n[1]), 0)
		if (err == nil) != (n == [2]int{2, 2}) {
			t.Errorf("%v runs: %v", n, err)
		}
	}
	a, b := []float64{3, 1, 2, 5, 4}, []float64{0, 2, 1, 3, 0}
	curve, power, err := Distinguish(a, b, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	alone, shares, err := Curve(a, b)
	if err != nil || !slices.Equal(curve, alone) || len(curve) < 3 {
		t.Errorf("%v, want %v; %v", curve, alone, err)
	}
	hat, err := EpsilonHat(a, b, 0.1)
	if err != nil || power.AUC != shares.AUC || power.Advantage != shares.Advantage || power.TPR1 != shares.TPR1 ||
		power.TPR01 != shares.TPR01 || power.TPR0 != shares.TPR0 || power.Epsilon != hat.Epsilon ||
		power.Delta != 0.1 || power.Threshold != hat.Threshold || power.Counts != hat.Counts {
		t.Errorf("%+v, want %+v and %+v; %v", power, shares, hat, err)
	}
}

// Directions: their mean and their second moments, with the bounds of Hsu, Kakade & Zhang
// and of Bousquet. What is measured does not depend on which direction is the likely one.
func TestFit_DirectionsAndTheirBounds(t *testing.T) {
	x := math.Log(1e6)
	for k, u := range [][]float64{{1, 0}, {0, -3}, {2, 2}, {0, 0, 5}, {1, -2, 2}, {3, 4}, {2, -1, 2}} {
		draws := 40
		if k > 2 { // enough to tell
			draws = 400
		}
		n := float64(draws)
		f := new(Fit)
		d := float64(len(u))
		for k := range draws { // three of four this way, one the other
			v := slices.Clone(u)
			if k%4 == 0 {
				for c := range v {
					v[c] = -v[c]
				}
			}
			f.Add(k, 0, 1, v, model.Noise{Kind: model.Gaussian, Level: 1})
		}
		all := f.Checks()
		c := check(all, record.NoiseDirection)
		if want := math.Sqrt((1 + 2*math.Sqrt(x/d) + 2*x/d) / n); !(math.Abs(float64(c.Measured)-0.5) <= 1e-12) ||
			!(math.Abs(float64(c.Bound)-want) <= 1e-12) {
			t.Errorf("%v: %+v, want 0.5 and %v", u, c, want)
		}
		length, most := 0.0, 0.0
		for _, v := range u {
			length = math.Hypot(length, v)
			most = math.Max(most, math.Abs(v))
		}
		if !strings.Contains(c.Detail, "has length 0.500 (") ||
			!strings.Contains(c.Detail, fmt.Sprintf("%.3f in coordinate", most/length/2)) {
			t.Errorf("%v: %q", u, c.Detail)
		}
		// ‖uuᵀ − I/d‖ = √((1 − 1/d)² + (d − 1)/d²) = √(1 − 1/d) = b
		b := math.Sqrt(1 - 1/d)
		ez, w := b*math.Sqrt(n), b*b/(d*(d+1)/2-1)
		bound := (ez + math.Sqrt(2*x*(n*w+2*b*ez)) + b*x/3) / n
		c = check(all, record.NoiseCoordinates)
		if !(math.Abs(float64(c.Measured)-b) <= 1e-12) || !(math.Abs(float64(c.Bound)-bound) <= 1e-12) {
			t.Errorf("%v: %+v, want %v and %v", u, c, b, bound)
		}
		want := "no direction is more likely than another"
		if b > bound {
			want = fmt.Sprintf("100 %% of its squared length lies along one direction, where it would be %.0f %%",
				100/d)
		}
		if c.Holds != (b <= bound) || c.Detail != want {
			t.Errorf("%v: %+v, want %q", u, c, want)
		}
	}
	// Three quarters along one axis, the rest along the other.
	f := new(Fit)
	for k := range 400 {
		v := []float64{math.Pow(-1, float64(k/4)), 0}
		if k%4 == 0 {
			v[0], v[1] = v[1], v[0]
		}
		f.Add(k, 0, 1, v, model.Noise{Kind: model.Gaussian, Level: 1})
	}
	if c := check(f.Checks(), record.NoiseCoordinates); !strings.Contains(c.Detail, "75 % of its squared length") {
		t.Errorf("%+v", c)
	}
	f = inOne(0.3, 0.6, 0.2)
	if c := check(f.Checks(), record.NoiseCoordinates); c != nil {
		t.Errorf("one coordinate: %+v", c)
	}
}

// Neighbours: in d dimensions the mean cosine of n pairs is within √(2 ln(2/α)/(dn)), and
// so many may be multiples of each other that more have probability α = 10⁻⁶ at most:
// in one dimension a pair is alike with probability 10⁻⁷, in two with (2/π)·10⁻⁷.
func TestFit_HowManyMayBeAlike(t *testing.T) {
	for _, c := range []struct {
		d, pairs int
		allowed  float64
	}{{1, 9, 0}, {1, 12, 1}, {2, 14, 0}, {2, 18, 1}, {3, 200, 0}, {1, 12000, 1}, {1, 20000, 2}} {
		f := new(Fit)
		for k := range c.pairs + 1 {
			u := make([]float64, c.d)
			u[k%c.d] = 1 + float64(k)/1e3 // different sizes
			f.Add(0, 0, k, u, model.Noise{Kind: model.Laplace, Level: 1})
		}
		all := f.Checks()
		if anew := check(all, record.RoundsDrawnAnew); float64(anew.Bound) != c.allowed || !(anew.Measured <= 0) ||
			anew.Detail != "none is used twice" {
			t.Errorf("%d pairs in %d dimensions: %+v, want a bound of %v", c.pairs, c.d, anew, c.allowed)
		}
		want := math.Sqrt(2 * math.Log(2e6) / float64(c.d*c.pairs))
		if cos := check(all, record.RoundsIndependent); !(math.Abs(float64(cos.Bound)-want) <= 1e-12) {
			t.Errorf("%d pairs in %d dimensions: %+v, want a bound of %v", c.pairs, c.d, cos, want)
		}
	}
	f := new(Fit)
	for k := range 4 { // all the same
		f.Add(0, 0, k, []float64{1, 2, 2}, model.Noise{Kind: model.Laplace, Level: 1})
	}
	c := check(f.Checks(), record.RoundsDrawnAnew)
	if c.Measured != 3 || c.Holds || !strings.Contains(c.Detail, "in 100 % of") {
		t.Errorf("%+v", c)
	}
}

package loss

import (
	"math"
	"testing"
)

// The closed form against the integral of the density, and ε is where δ is reached.
func TestNormalEpsilon(t *testing.T) {
	for _, shift := range []float64{0.01, 0.2, 1, 3} {
		for _, epsilon := range []float64{0, 0.1, 1, 4} {
			const steps = 400000
			sum, width := 0.0, 40.0/steps
			for k := range steps {
				x := -20 + (float64(k)+0.5)*width
				density := math.Exp(-(x-shift)*(x-shift)/2) - math.Exp(epsilon-x*x/2)
				sum += max(0, density) * width / math.Sqrt(2*math.Pi)
			}
			if got := NormalDelta(shift, epsilon); !(math.Abs(got-sum) <= 1e-9) {
				t.Errorf("shift %v, ε = %v: δ = %v, the integral is %v", shift, epsilon, got, sum)
			}
		}
		for _, delta := range []float64{1e-9, 1e-5, 0.01} {
			e := NormalEpsilon(shift, delta)
			if e > 0 && !(math.Abs(NormalDelta(shift, e)/delta-1) <= 1e-6) || e == 0 && NormalDelta(shift, 0) > delta {
				t.Errorf("shift %v, δ = %v: ε = %v, of which δ is %v", shift, delta, e, NormalDelta(shift, e))
			}
		}
	}
	// Of a great shift μ the loss is N(μ²/2, μ²), and the second term next to nothing: ε = μ²/2 + μ Φ⁻¹(1 − δ) nearly.
	for _, shift := range []float64{60, 2066, 1e6} {
		e, want := NormalEpsilon(shift, 1e-5), shift*shift/2+4.264890793922825*shift
		if !(e < want && e > want-0.1*shift) {
			t.Errorf("shift %v: ε = %v, not a little below %v", shift, e, want)
		}
	}
	if a, b := mills(5-1e-9), mills(5+1e-9); !(math.Abs(a/b-1) <= 1e-8) {
		t.Errorf("Mills' ratio has a step at 5: %v and %v", a, b)
	}
	if e := NormalEpsilon(1, 0); !math.IsInf(e, 1) {
		t.Errorf("pure: %v", e)
	}
	if e := NormalEpsilon(math.NaN(), 1e-5); !math.IsNaN(e) {
		t.Errorf("a shift that is not known loses %v", e)
	}
	if e := NormalEpsilon(0, 0); e != 0 {
		t.Errorf("no shift: %v", e)
	}
}

// What ZKL18 proves of a round.

package theory

import (
	"math"
	"testing"
)

// ZKL18 Theorem 3.2: ‖Z(t) − Z*‖²_J falls by 1/(1+δ), and so the norm by its root.
func TestRate_FactorIsOfTheNorm(t *testing.T) {
	for delta, want := range map[float64]float64{0: 1, 3: 0.5, 1.25: 2.0 / 3, 0.21: 1 / 1.1} {
		if got := (Rate{Delta: delta}).Factor(); !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("δ = %v: a factor of %v, want %v", delta, got, want)
		}
	}
}

// Lines of δ between the points of a certificate.

package attack

import (
	"math"
	"testing"

	"overhear/report/plot"
)

// Of a randomised response δ(ε) is linear in e^ε: between two of its points the line has it.
func TestChords_OfARandomisedResponse(t *testing.T) {
	const own = 0.4
	exact := func(e float64) float64 { return (math.Exp(own) - math.Exp(e)) / (1 + math.Exp(own)) }
	l := chords(plot.Line{X: []float64{0, 0.1, 0.3, own}, Y: []float64{exact(0), exact(0.1), exact(0.3), 0}})
	if len(l.X) < 20 {
		t.Fatalf("%d points", len(l.X))
	}
	for k, at := range l.X {
		if want := exact(at); !(math.Abs(l.Y[k]-want) <= 1e-12) {
			t.Errorf("δ(%v) = %v, want %v", at, l.Y[k], want)
		}
		if k > 0 && !(at > l.X[k-1]) {
			t.Errorf("ε = %v after %v", at, l.X[k-1])
		}
	}
}

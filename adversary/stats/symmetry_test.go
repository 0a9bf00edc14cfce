// What is measured does not depend on which world is called A.

package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// With the worlds exchanged and the other side of the threshold held to be A's, true
// positives are true negatives: each quotient of ε̂ becomes the other, and the larger is
// the same.
func TestLossBound_IsTheSameWithTheWorldsExchanged(t *testing.T) {
	second := 0
	for _, na := range []int{20, 100} {
		for _, nb := range []int{20, 70} {
			for tp := 0; tp <= na; tp += na / 20 {
				for fp := 0; fp <= nb; fp += nb / 10 {
					for _, delta := range []float64{0, 0.02, 0.3} {
						one := LossBound(tp, na, fp, nb, delta, Confidence)
						other := LossBound(nb-fp, nb, na-tp, na, delta, Confidence)
						if one != other && !(math.Abs(one-other) < 1e-9) {
							t.Fatalf("%d of %d, %d of %d, δ = %v: %v and %v", tp, na, fp, nb, delta, one, other)
						}
						low, _ := ClopperPearson(tp, na, Confidence)
						_, high := ClopperPearson(fp, nb, Confidence)
						first, last := math.Log((low-delta)/high), math.Log((1-high-delta)/(1-low))
						if last > first || math.IsNaN(first) && !math.IsNaN(last) {
							second++
							if !(math.Abs(one-last) <= 1e-9) {
								t.Fatalf("%d of %d, %d of %d, δ = %v: %v, by negatives %v", tp, na, fp, nb, delta, one,
									last)
							}
						}
					}
				}
			}
		}
	}
	if second == 0 {
		t.Error("negatives tell most nowhere")
	}
}

// Where a mechanism keeps silent most of the time in world B, and always speaks in A, few
// positives tell less than negatives do: a statistic of 0 is then proof of B.
func TestEpsilonHat_ByNegatives(t *testing.T) {
	const runs = 4000
	g := rand.New(rand.NewPCG(5, 10))
	var a, b, minusA, minusB []float64
	for range runs {
		x := 1.0
		y := float64(g.IntN(2)) // silent in half of the runs of B
		a, b = append(a, x), append(b, y)
		minusA, minusB = append(minusA, -x), append(minusB, -y)
	}
	p, err := EpsilonHat(a, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	// TNR/FNR: about ½ over 1 − 0.025^{1/2000}
	low := math.Pow(0.025, 2.0/runs)
	_, high := ClopperPearson(p.Counts[1], runs/2, Confidence)
	if want := math.Log((1 - high) / (1 - low)); !(math.Abs(float64(p.Epsilon)-want) <= 1e-9) || !(want >= 5) {
		t.Errorf("%+v, want %v", p, want)
	}
	q, err := EpsilonHat(minusB, minusA, 0)
	if err != nil || !(math.Abs(float64(q.Epsilon-p.Epsilon)) <= 1e-9) {
		t.Errorf("with the worlds exchanged: %+v, %v", q, err)
	}
}

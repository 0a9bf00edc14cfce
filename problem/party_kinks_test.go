// A party's step where its objective has kinks.

package problem

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A step is the fixed point of the proximal step, its residual is computed from the block and says by
// how much a step that is off is wrong, and the solver is quick.
func TestPartySolver_KinksHaveTheSameCertificate(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 4))
	const n, d = 60, 9
	block := NewRows(d)
	for range n {
		cols, vals := make([]int32, d), make([]float64, d)
		for k := range d {
			cols[k], vals[k] = int32(k), g.Float64()-0.3
		}
		block.Append(cols, vals)
	}
	worst := 0
	for _, h := range []*NonSmooth{
		{L1: 0.3}, {Group: 0.5}, {L1: 0.2, Group: 0.3}, {Set: Region{Kind: "box", Lower: -0.1, Upper: 0.05}},
		{Set: Region{Kind: "ball", Radius: 0.2}}, {L1: 0.1, Group: 0.1, Set: Region{Kind: "ball", Radius: 0.2}},
	} {
		for _, ridge := range []float64{0, 0.02} {
			for _, size := range []float64{0.1, 3, 300} {
				p := NewPartySolver(block, ridge, 0.4).Bend(h)
				v, x := make([]float64, n), make([]float64, d)
				for k := range v {
					v[k] = size * (2*g.Float64() - 1)
				}
				for range 3 {
					for k := range v {
						v[k] += 0.1 * size * g.Float64()
					}
					p.Step(v, x)
					if r := p.Residual(v, x); !(r <= 2e-12) {
						t.Errorf("%+v, ridge %v, size %v: residual %.3g at %v", *h, ridge, size, r, x)
					}
					if k := p.kinks; k.evaluations > worst {
						worst = k.evaluations
					}
					gradient := make([]float64, d)
					p.kinks.gradientAt(x, gradient)
					u := slices.Clone(x)
					for k := range u {
						u[k] -= 0.1 * gradient[k]
					}
					h.Prox(0.1, u)
					for k := range u {
						if !(math.Abs(u[k]-x[k]) <= 1e-12*math.Max(1, size)*10) {
							t.Errorf("%+v: a proximal step moves component %d by %v", *h, k, u[k]-x[k])
						}
					}
				}
				off := slices.Clone(x)
				off[2] += 1e-6
				if r := p.Residual(v, off); !(r > 1e-9) {
					t.Errorf("%+v, ridge %v, size %v: residual %.3g at a point that is off by 1e-6", *h, ridge, size, r)
				}
			}
		}
	}
	t.Log("most evaluations of a step:", worst)
	if worst > 40 {
		t.Errorf("a step takes %d evaluations", worst)
	}
}

// Whether the search of round 1, where the trace is tied, misses a worse trace.

package adversary

import (
	"math"
	"math/rand/v2"
	"testing"

	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/parameter"
	"overhear/problem"
	"overhear/sim"
)

// In one round from zero with two columns the noise decides the point and the gradient together. Random starts that
// climb over the whole of it, the point, both rows and nothing else, by the papers' formula (5.12) and none of the
// search's own steps, find no pair and no trace that loses more than the search says, but for 0.3 %: of α = 0.2 the
// listing's claim is not refuted there as no such trace exceeds it, and that of α = 2 is.
func TestSearch_FirstRoundInAPlane(t *testing.T) {
	g, err := sim.NewGraph(3, [][2]int{{0, 1}, {1, 2}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, alpha := range []float64{0.2, 2} {
		run := model.Run{Graph: g, D: 2, Rounds: 1, Loss: problem.Logistic, C: 1, R: []float64{0.1, 0.1, 0.1},
			Zero: true, Timing: model.Timing{Lockstep: true}}
		public := known(t, "dvp", algorithms.DVP{ADMM: algorithms.ADMM{Eta: 0.5}, Alpha: parameter.Constant(alpha),
			Calibration: "listing", NoiseSwitch: algorithms.NoiseSwitch{Noise: "on"}}, run)
		r := rand.New(rand.NewPCG(3, 1))
		own := &Samples{U: problem.NewRows(2)}
		var rows [][]float64
		for range 10 {
			x := []float64{r.NormFloat64(), r.NormFloat64()}
			num.Scale(r.Float64()/norm(x), x)
			own.U.Append([]int32{0, 1}, x)
			own.Y = append(own.Y, 1)
			rows = append(rows, x)
		}
		w, err := Search(public, 0, own, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		const k, weight = 2.1, 0.1
		zeta := (alpha - 2*math.Log(1+0.25*weight/k)) / weight
		slope := func(z float64) float64 { return -1 / (1 + math.Exp(z)) }
		side := func(f, u []float64) (length, logDet float64) {
			grad, h := []float64{k * f[0], k * f[1]}, [3]float64{k, 0, k}
			for n, x := range rows {
				if n == 0 {
					x = u
				}
				z := x[0]*f[0] + x[1]*f[1]
				p := slope(z)
				for c := range grad {
					grad[c] += weight * p * x[c]
				}
				c := weight * -p * (1 + p)
				h[0] += c * x[0] * x[0]
				h[1] += c * x[0] * x[1]
				h[2] += c * x[1] * x[1]
			}
			return math.Hypot(grad[0], grad[1]), math.Log(h[0]*h[2] - h[1]*h[1])
		}
		loss := func(x []float64) float64 {
			a, da := side(x[:2], x[2:4])
			b, db := side(x[:2], x[4:6])
			return zeta*(b-a) + da - db
		}
		clip := func(x []float64) {
			for _, u := range [][]float64{x[2:4], x[4:6]} {
				if n := norm(u); n > 1 {
					num.Scale(1/n, u)
				}
			}
		}
		best := math.Inf(-1)
		var at []float64
		for range 12 {
			x := make([]float64, 6)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			num.Scale(math.Exp(3*r.NormFloat64()), x[:2])
			clip(x)
			v := loss(x)
			for step := 1.0; step > 1e-5; {
				y := append([]float64(nil), x...)
				for i := range y {
					size := step
					if i < 2 {
						size *= math.Max(1, norm(x[:2]))
					}
					y[i] += size * r.NormFloat64()
				}
				clip(y)
				if next := loss(y); next > v {
					x, v = y, next
					step *= 1.5
				} else {
					step *= 0.95
				}
			}
			if v > best {
				best, at = v, x
			}
		}
		t.Logf("α = %v: search %v of %v, brute force %v at %v", alpha, w.Rounds[0].Found, w.Rounds[0].Bound, best, at)
		if !(w.Rounds[0].Found >= best*(1-3e-3)) || best > w.Rounds[0].Bound {
			t.Errorf("α = %v: the search finds %v of %v, and climbing %v at %v", alpha, w.Rounds[0].Found,
				w.Rounds[0].Bound, best, at)
		}
	}
}

// What an inversion is at a point: the misfit of the rounds, as a likelihood.

package adversary

import (
	"math"

	"overhear/adversary/model"

	"overhear/internal/num"
)

// point is a u, with all that follows from it.
type point struct {
	u    []float64
	o    map[int][]float64 // by group
	cost float64

	s, bend []float64   // s and L″ by equation
	rest    [][]float64 // P(r − s u − o) by equation
	pull    []float64   // ρ′(x)/x by equation
	eta     []float64   // the likeliest hidden penalty by equation
	det     []float64   // (C/B)uᵀA⁻¹u by equation
	inverse [][]float64 // A⁻¹u
	fence   float64     // weight of the penalty outside the unit ball
}

// smoothing keeps ‖·‖ differentiable at 0: √(x² + δ²) − δ takes its place.
const smoothing = 1e-9

// at evaluates the likelihood.
func (s *inversion) at(u []float64, o map[int][]float64, fence float64) *point {
	n := len(s.equations)
	p := &point{
		u: u, o: o, fence: fence, s: make([]float64, n), bend: make([]float64, n), pull: make([]float64, n),
		eta: make([]float64, n),
		det: make([]float64, n), rest: make([][]float64, n), inverse: make([][]float64, n),
	}
	z := make([]float64, n)
	for t := range s.equations {
		z[t] = num.Dot(s.equations[t].at, u)
	}
	s.loss.Slopes(p.s, z)
	s.loss.Curvatures(p.bend, z)
	for t := range s.equations {
		e := &s.equations[t]
		p.s[t] = -p.s[t]
		rest := append([]float64(nil), e.target...)
		num.Axpy(-p.s[t], u, rest)
		if e.group >= 0 {
			num.Axpy(-1, o[e.group], rest)
		}
		e.project(rest)
		p.rest[t] = rest
		weight := e.weight
		if f := e.free; f != nil {
			eta, cost := f.best(weight, num.Dot(rest, rest), num.Dot(rest, f.q), num.Dot(f.q, f.q), s.d)
			num.Axpy(eta, f.q, rest)
			weight *= num.Pow(eta, -f.power)
			p.eta[t] = eta
			p.cost += cost
		}
		square := num.Dot(rest, rest)
		if s.kind == model.Laplace {
			smooth := math.Sqrt(square + float64(smoothing*smoothing))
			p.cost += float64(weight * (smooth - smoothing))
			p.pull[t] = weight / smooth
		} else {
			p.cost += float64(0.5 * e.weight * square)
			p.pull[t] = e.weight
		}
		if e.kernel != nil {
			p.inverse[t] = append([]float64(nil), u...)
			e.kernel.Solve(p.inverse[t])
			p.det[t] = s.share * num.Dot(u, p.inverse[t])
			p.cost -= num.Log1p(p.bend[t] * p.det[t])
		}
	}
	if out := num.Norm(u) - 1; out > 0 {
		p.cost += float64(0.5 * fence * out * out)
	}
	return p
}

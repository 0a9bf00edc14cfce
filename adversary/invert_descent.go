// How an inversion is solved: Levenberg and Marquardt's steps on what the rounds
// leave unexplained, with unknown vectors and numbers eliminated.

package adversary

import (
	"errors"
	"fmt"
	"math"

	"overhear/adversary/model"

	"overhear/internal/num"
	"overhear/record"
)

// tangent is a point's gradient and model.Gaussian–Newton matrix.
type tangent struct {
	slope  []float64 // of the cost, by u
	matrix []float64 // of u, packed; unknown vectors eliminated
	groups []*offsets
}

// offsets is an unknown vector's part of the tangent.
type offsets struct {
	group int
	slope []float64

	// Where nothing is hidden its matrix is mass·I and what couples it to u is
	// a I + p uᵀ.
	mass, a float64
	p       []float64

	factor *num.Cholesky // of its matrix where directions are hidden
	couple [][]float64   // rows by u, columns by o
}

// outer adds a·x xᵀ to a packed lower triangle.
func outer(a float64, x, packed []float64) {
	for i, v := range x {
		if v != 0 {
			num.Axpy(a*v, x[:i+1], packed[num.Packed(i):num.Packed(i)+i+1])
		}
	}
}

// pair adds x yᵀ + y xᵀ to a packed lower triangle.
func pair(x, y, packed []float64) {
	for i := range x {
		row := packed[num.Packed(i) : num.Packed(i)+i+1]
		num.Axpy(x[i], y[:i+1], row)
		num.Axpy(y[i], x[:i+1], row)
	}
}

// tangent linearises: the rest of an equation changes by −P J du − P do, with
// J = s I − L″ u fᵀ.
func (s *inversion) tangent(p *point) (*tangent, error) {
	d, u := s.d, p.u
	m := &tangent{slope: make([]float64, d), matrix: make([]float64, num.Packed(d))}
	mixed := make([]float64, d) // Σ ω s s′ f
	square := num.Dot(u, u)
	diagonal := 0.0
	byGroup := map[int]*offsets{}
	column := make([]float64, d)
	for t := range s.equations {
		e := &s.equations[t]
		w, sl, b := p.pull[t], p.s[t], -p.bend[t]
		num.Axpy(-w*sl, p.rest[t], m.slope)
		num.Axpy(-w*b*num.Dot(u, p.rest[t]), e.at, m.slope)
		diagonal += float64(w * sl * sl)
		num.Axpy(w*sl*b, e.at, mixed)
		outer(w*b*b*square, e.at, m.matrix)
		vectors, weights := p.removed(e, t)
		for i, h := range vectors {
			for k := range column {
				column[k] = sl * h[k]
			}
			num.Axpy(b*num.Dot(u, h), e.at, column)
			outer(-weights[i], column, m.matrix)
		}
		if e.kernel != nil {
			const h = 1e-5
			ends := [2]float64{num.Dot(e.at, u) - h, num.Dot(e.at, u) + h}
			s.loss.Curvatures(ends[:], ends[:])
			scale := 1 / (1 + float64(p.bend[t]*p.det[t]))
			num.Axpy(-scale*p.det[t]*(ends[1]-ends[0])/(2*h), e.at, m.slope)
			num.Axpy(-2*scale*s.share*p.bend[t], p.inverse[t], m.slope)
		}
		if e.group >= 0 {
			g := byGroup[e.group]
			if g == nil {
				g = &offsets{group: e.group, slope: make([]float64, d), p: make([]float64, d)}
				byGroup[e.group] = g
				m.groups = append(m.groups, g)
			}
			num.Axpy(-w, p.rest[t], g.slope)
			g.mass += w
			g.a += float64(w * sl)
			num.Axpy(w*b, e.at, g.p)
			if e.unknown() > 0 {
				g.couple = make([][]float64, d)
			}
		}
	}
	pair(u, mixed, m.matrix)
	if n := math.Sqrt(square); n > 1 {
		num.Axpy(p.fence*(n-1)/n, u, m.slope)
		outer(p.fence/square, u, m.matrix)
	}
	for _, g := range m.groups {
		if g.couple != nil {
			if err := s.eliminate(p, m, g); err != nil {
				return nil, err
			}
			continue
		}
		diagonal -= g.a * g.a / g.mass
		scaled := append([]float64(nil), g.p...)
		num.Scale(-g.a/g.mass, scaled)
		pair(u, scaled, m.matrix)
		outer(-square/g.mass, g.p, m.matrix)
	}
	for k := range d {
		m.matrix[num.Packed(k)+k] += diagonal
	}
	return m, nil
}

// eliminate takes an unknown vector out where directions are hidden.
func (s *inversion) eliminate(p *point, m *tangent, g *offsets) error {
	d := s.d
	own := make([]float64, num.Packed(d))
	for k := range d {
		own[num.Packed(k)+k] = g.mass * (1 + 1e-12) // two rounds may hide the same direction
		g.couple[k] = make([]float64, d)
		g.couple[k][k] = g.a
	}
	for t := range s.equations {
		e := &s.equations[t]
		if e.group != g.group {
			continue
		}
		left := append([]float64(nil), p.u...)
		num.Scale(p.pull[t], left)
		vectors, weights := p.removed(e, t)
		for i, h := range vectors {
			num.Axpy(-weights[i]*num.Dot(h, p.u), h, left)
			outer(-weights[i], h, own)
			for k, x := range h {
				num.Axpy(-weights[i]*p.s[t]*x, h, g.couple[k])
			}
		}
		for k, f := range e.at {
			num.Axpy(-p.bend[t]*f, left, g.couple[k])
		}
	}
	g.factor = new(num.Cholesky)
	if err := g.factor.Factor(own, d); err != nil {
		return fmt.Errorf("eliminating an unknown vector: %w", err)
	}
	solved := make([]float64, d)
	for i := range d {
		copy(solved, g.couple[i])
		g.factor.Solve(solved)
		row := m.matrix[num.Packed(i) : num.Packed(i)+i+1]
		for j := range row {
			row[j] -= num.Dot(g.couple[j], solved)
		}
	}
	return nil
}

// step solves for the damped model.Gaussian–Newton step.
func (m *tangent) step(u []float64, damping float64) (du []float64, do map[int][]float64, err error) {
	d := len(u)
	matrix := append([]float64(nil), m.matrix...)
	for k := range d {
		matrix[num.Packed(k)+k] += damping
	}
	var factor num.Cholesky
	if err := factor.Factor(matrix, d); err != nil {
		return nil, nil, err
	}
	du = make([]float64, d)
	num.Axpy(-1, m.slope, du)
	for _, g := range m.groups {
		if g.couple == nil {
			num.Axpy(g.a/g.mass, g.slope, du)
			num.Axpy(num.Dot(u, g.slope)/g.mass, g.p, du)
			continue
		}
		solved := append([]float64(nil), g.slope...)
		g.factor.Solve(solved)
		for k := range du {
			du[k] += num.Dot(g.couple[k], solved)
		}
	}
	factor.Solve(du)
	do = map[int][]float64{}
	for _, g := range m.groups {
		x := make([]float64, d)
		num.Axpy(-1, g.slope, x)
		if g.couple == nil {
			num.Axpy(-g.a, du, x)
			num.Axpy(-num.Dot(g.p, du), u, x)
			num.Scale(1/g.mass, x)
		} else {
			for k := range du {
				num.Axpy(-du[k], g.couple[k], x)
			}
			g.factor.Solve(x)
		}
		do[g.group] = x
	}
	return du, do, nil
}

// means are the unknown vectors that fit u in the mean, a start.
func (s *inversion) means(u []float64) map[int][]float64 {
	o := map[int][]float64{}
	count := map[int]float64{}
	for _, e := range s.equations {
		if e.group < 0 {
			continue
		}
		if o[e.group] == nil {
			o[e.group] = make([]float64, s.d)
		}
		slope := []float64{num.Dot(e.at, u)}
		s.loss.Slopes(slope, slope)
		num.Axpy(1, e.target, o[e.group])
		num.Axpy(slope[0], u, o[e.group])
		count[e.group]++
	}
	for g, x := range o {
		num.Scale(1/count[g], x)
	}
	return o
}

// enough is a gain of log-likelihood below which a search ends where there is
// noise.
const enough = 1e-7

// descend is Levenberg's and Marquardt's method from u, with the weights of
// iteratively reweighted least squares where ρ is a norm. u stays in the unit
// ball, where all rows are, by a penalty.
func (s *inversion) descend(u []float64, steps int) (*point, error) {
	u = append([]float64(nil), u...)
	o := s.means(u)
	p := s.at(u, o, 0)
	fence := 0.0
	for _, w := range p.pull {
		fence += float64(100 * w)
	}
	p = s.at(u, o, fence)
	scale, damping := 0.0, 0.0
	for range steps {
		m, err := s.tangent(p)
		if err != nil {
			return nil, err
		}
		if damping == 0 {
			for k := range s.d {
				scale = max(scale, m.matrix[num.Packed(k)+k])
			}
			if scale == 0 {
				scale = 1
			}
			damping = 1e-3 * scale
		}
		better := false
		var moved, gained float64
		for ; damping < 1e8*scale; damping *= 10 {
			du, do, err := m.step(p.u, damping)
			if err != nil {
				continue // not positive definite to rounding: damp more
			}
			next := append([]float64(nil), p.u...)
			num.Axpy(1, du, next)
			offsets := map[int][]float64{}
			for g, x := range do {
				num.Axpy(1, p.o[g], x)
				offsets[g] = x
			}
			if q := s.at(next, offsets, fence); q.cost < p.cost {
				moved, gained = num.Norm(du), p.cost-q.cost
				p, better = q, true
				break
			}
		}
		if !better || moved <= 1e-15*num.Norm(p.u) || s.kind != model.Silent && gained < enough {
			break
		}
		damping = max(damping/10, 1e-14*scale)
	}
	return p, nil
}

// residual is what an estimate leaves, relative to what there was to explain.
func (s *inversion) residual(p *point) float64 {
	left, all := 0.0, 0.0
	for t, e := range s.equations {
		left += num.Dot(p.rest[t], p.rest[t])
		given := e.target
		if e.free != nil {
			given = append([]float64(nil), given...)
			num.Axpy(p.eta[t], e.free.q, given)
		}
		all += num.Dot(given, given)
	}
	return math.Sqrt(left / all)
}

// rank is how many directions of u the equations determine at a point.
func (s *inversion) rank(p *point) (int, error) {
	m, err := s.tangent(p)
	if err != nil {
		return 0, err
	}
	full := make([]float64, s.d*s.d)
	for i := range s.d {
		copy(full[i*s.d:], m.matrix[num.Packed(i):num.Packed(i)+i+1])
	}
	var pivoted num.Pivoted
	err = pivoted.Factor(full, s.d, 1e-11)
	if err != nil && !errors.Is(err, num.ErrNotPositiveDefinite) { // what is left is rounding of what cancelled
		return 0, fmt.Errorf("finding what the equations determine: %w", err)
	}
	return pivoted.Rank, nil
}

// estimate is a point as a finding reports it.
func (s *inversion) estimate(k *Knowledge, p *point, signed bool) record.Estimate {
	u := append([]float64(nil), p.u...)
	intoBall(u)
	x, y := k.sample(u, signed)
	return record.Estimate{Rounds: len(s.equations), X: x, Y: y, Residual: record.Number(s.residual(p))}
}

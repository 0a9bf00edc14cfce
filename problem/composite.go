// Minimising a smooth convex function and one that has kinks.

package problem

import (
	"math"

	"overhear/internal/num"
)

// smooth is a convex function with a gradient and a Hessian.
type smooth interface {
	gradientAt(x, g []float64) // moves to x and writes the gradient there into g
	curve(d, out []float64)    // writes the Hessian at the last point, multiplied by d, into out
}

// composite minimises a smooth function and h over d-vectors, h taken over consecutive blocks.
//
// An iteration has two steps. The first is one of proximal gradients, which tells the face of h
// in which the minimiser may be: the components that are zero or at a bound, the blocks that are
// zero, the balls on whose boundary their blocks are. The second is Newton's on that face, by
// conjugate gradients (Bareilles, Iutzeler & Malick, Newton acceleration on manifolds identified
// by proximal gradient methods, Math. Prog. 2023). No step needs a value of the function, which
// could not tell points near the minimiser apart: a point z is below y where an element v of the
// subdifferential at z has v·(z − y) ≤ 0.
//
// The least element of the subdifferential is the certificate: where the function is
// m-strongly convex, the minimiser is within its norm over m, as a gradient's says where there is
// no h.
type composite struct {
	h      *NonSmooth
	widths []int // of the blocks

	x, y, z    []float64 // the points of an iteration
	gx, gy, gz []float64 // gradients there
	v, step    []float64 // least subgradients; a Newton step
	r, p, hp   []float64 // of conjugate gradients
	best       []float64
	free       []bool
	faces      []face
}

func newComposite(h *NonSmooth, widths ...int) *composite {
	c := &composite{h: h, widths: widths, faces: make([]face, len(widths))}
	d := 0
	for _, w := range widths {
		d += w
	}
	for _, v := range []*[]float64{&c.x, &c.y, &c.z, &c.gx, &c.gy, &c.gz, &c.v, &c.step, &c.r, &c.p, &c.hp, &c.best} {
		*v = make([]float64, d)
	}
	c.free = make([]bool, d)
	return c
}

// blocks calls do for every block's components.
func (c *composite) blocks(do func(m, from, to int)) {
	from := 0
	for m, w := range c.widths {
		do(m, from, from+w)
		from += w
	}
}

// least writes the least subgradient at x, where the gradient is g, into v and returns its norm.
func (c *composite) least(x, g, v []float64) float64 {
	copy(v, g)
	c.blocks(func(m, from, to int) {
		c.faces[m] = c.h.least(x[from:to], v[from:to], c.free[from:to])
	})
	return num.Norm(v)
}

// Bounds of the loops; an iteration passes over the data a few dozen times at most.
const (
	maxDoublings = 100
	maxTrials    = 30
	maxConjugate = 500
	maxIdle      = 12 // iterations without progress near the floor of rounding
)

// minimise replaces f by the minimiser, found when the least subgradient's norm is at most
// target. Else f is the best point that was found, and stats say how good.
func (c *composite) minimise(of smooth, f []float64, stats *Stats) bool {
	target := stats.Tolerance * stats.Scale
	copy(c.x, f)
	c.prox(0, c.x)
	at := func(x, g []float64) float64 {
		of.gradientAt(x, g)
		stats.Evaluations++
		norm := c.least(x, g, c.v)
		if norm < stats.Residual {
			stats.Residual = norm
			copy(c.best, x)
		}
		return norm
	}
	stats.Residual = math.Inf(1)
	norm := at(c.x, c.gx)
	curvature := c.along(of, c.v)
	idle, record := 0, norm
	for range maxSteps {
		if stats.Residual <= target {
			break
		}
		// The proximal step. The quadratic with that curvature is above the function where
		// (∇(y) − ∇(x))·(y − x) ≤ ½ curvature ‖y − x‖², which convexity gives.
		curvature /= 2
		for range maxDoublings {
			copy(c.y, c.x)
			num.Axpy(-1/curvature, c.gx, c.y)
			c.prox(1/curvature, c.y)
			norm = at(c.y, c.gy)
			rise, square := 0.0, 0.0
			for k, y := range c.y {
				d := y - c.x[k]
				rise += float64((c.gy[k] - c.gx[k]) * d)
				square += float64(d * d)
			}
			if rise <= 0.5*curvature*square || norm <= target {
				break
			}
			curvature *= 2
		}
		if stats.Residual <= target {
			break
		}
		if c.newton(of, at, norm, target, stats) {
			c.x, c.z = c.z, c.x
			c.gx, c.gz = c.gz, c.gx
		} else {
			copy(c.x, c.y)
			copy(c.gx, c.gy)
		}
		if idle++; stats.Residual < 0.9*record {
			idle, record = 0, stats.Residual
		}
		if idle > maxIdle && stats.Residual <= nearFloor*target {
			break // rounding
		}
	}
	copy(f, c.best)
	return stats.Residual <= target
}

// prox is the proximal step of h, over all blocks; of length zero it projects on the set.
func (c *composite) prox(s float64, x []float64) {
	c.blocks(func(_, from, to int) { c.h.Prox(s, x[from:to]) })
}

// along is the curvature of the smooth function along d at the last point.
func (c *composite) along(of smooth, d []float64) float64 {
	square := num.Dot(d, d)
	if !(square > 0) {
		return 1
	}
	of.curve(d, c.hp)
	if k := num.Dot(d, c.hp) / square; k > 0 {
		return k
	}
	return 1
}

// newton goes from y, at which the least subgradient is v, to z on the same face, and says
// whether z is better.
func (c *composite) newton(of smooth, at func(x, g []float64) float64, norm, target float64, stats *Stats) bool {
	before := stats.Residual
	faces := append([]face(nil), c.faces...)
	free := append([]bool(nil), c.free...)
	tangent := func(d []float64) {
		c.blocks(func(m, from, to int) { faces[m].tangent(c.y[from:to], d[from:to], free[from:to]) })
	}
	// Conjugate gradients for (the curvature on the face) step = −v, as exactly as the point
	// deserves.
	copy(c.r, c.v)
	num.Scale(-1, c.r)
	tangent(c.r)
	clear(c.step)
	copy(c.p, c.r)
	rr := num.Dot(c.r, c.r)
	enough := math.Max(0.1*target, norm*math.Min(0.1, math.Sqrt(norm/stats.Scale)))
	for k := 0; k < maxConjugate && math.Sqrt(rr) > enough; k++ {
		of.curve(c.p, c.hp)
		c.blocks(func(m, from, to int) { faces[m].curve(c.y[from:to], c.p[from:to], c.hp[from:to]) })
		tangent(c.hp)
		bend := num.Dot(c.p, c.hp)
		if !(bend > 0) {
			break
		}
		length := rr / bend
		num.Axpy(length, c.p, c.step)
		num.Axpy(-length, c.hp, c.r)
		now := num.Dot(c.r, c.r)
		num.Scale(now/rr, c.p)
		num.Axpy(1, c.r, c.p)
		rr = now
	}
	if !(num.Dot(c.step, c.step) > 0) {
		return false
	}
	slope := num.Dot(c.v, c.step)
	length := 1.0
	for range maxTrials {
		copy(c.z, c.y)
		num.Axpy(length, c.step, c.z)
		c.blocks(func(m, from, to int) { c.h.retract(&faces[m], c.y[from:to], c.z[from:to]) })
		now := at(c.z, c.gz)
		after := 0.0 // v·(z − y)
		for k, v := range c.v {
			after += float64(v * (c.z[k] - c.y[k]))
		}
		if after <= 0 || now <= 0.5*before {
			return true
		}
		after /= length
		length *= math.Max(0.1, math.Min(0.7, slope/(slope-after)))
	}
	return false
}

// A solver's smooth part: the data's, the ridge and a linear term.
type ridged struct {
	solver    *Solver
	scratch   *Scratch
	q         []float64
	ridge     float64
	bent      bool // curvature is of the last point
	curvature []float64
	rows      []float64
}

func (r *ridged) gradientAt(x, g []float64) {
	r.solver.evaluate(r.scratch, x)
	r.solver.total(g, r.q, r.ridge)
	r.bent = false
}

func (r *ridged) curve(d, out []float64) {
	o := &r.solver.objective
	if !r.bent {
		o.Loss.Curvatures(r.curvature, r.scratch.margin[:len(r.curvature)])
		r.bent = true
	}
	r.solver.rows.times(d, r.rows)
	o.bend(r.curvature, r.rows)
	r.solver.rows.transposedTimes(r.rows, out)
	num.Axpy(r.ridge, d, out)
}

// solveComposite is solve of an objective that has kinks.
func (s *Solver) solveComposite(w *Scratch, f, q []float64, kappa float64) (Stats, error) {
	stats, err := s.begin(q)
	if err != nil {
		return stats, err
	}
	n := s.objective.U.Len() * s.objective.models()
	if w.composite == nil {
		w.composite = newComposite(s.objective.NonSmooth, s.objective.blocks()...)
	}
	w.composite.h = s.objective.NonSmooth
	of := &ridged{solver: s, scratch: w, q: q, ridge: s.objective.Ridge + kappa,
		curvature: make([]float64, n), rows: make([]float64, n)}
	if !w.composite.minimise(of, f, &stats) {
		s.evaluate(w, f) // the best there is, from which callers may go on
		return stats, &ResidualError{stats}
	}
	s.uncover(f, q, s.objective.Ridge+kappa, &stats)
	return stats, nil
}

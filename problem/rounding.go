// What rounding hides of a gradient.

package problem

import (
	"math"

	"overhear/internal/num"
)

// precision is half the distance of 1 to the next number.
const precision = 0x1p-53

// last is by how much of itself a slope may be off for want of digits.
const last = 4 * precision

// Bound is a number that ‖∇‖ is not above, in exact arithmetic: Residual itself where rounding can hide no more than a
// tenth of the tolerance, else what the gradient is at most by twice the digits.
func (s Stats) Bound() float64 { return math.Max(s.Residual, s.Hidden) }

// extents are how large the rows are, weighted: Σ w‖u‖, Σ w‖u‖² and Σ w‖u‖|t|.
type extents struct{ rows, squares, targets float64 }

func (o *Objective) extents() (e extents) {
	for i := range o.U.Len() {
		_, vals := o.U.Row(i)
		norm := num.Norm(vals)
		w := o.weight(i)
		e.rows += float64(w * norm)
		e.squares += float64(w * norm * norm)
		if o.Targets != nil {
			e.targets += float64(w * norm * math.Abs(o.Targets[i]))
		}
	}
	return e
}

// suspect says whether rounding may hide more than a tenth of the tolerance from a gradient at f: about as much as the
// errors of sums grow, with the root of the number of terms.
func (s *Solver) suspect(f []float64, ridge float64, stats *Stats) bool {
	o := &s.objective
	if s.unheard || IsOwn(o.Loss) { // which is asked for no more than the solve needs
		return false
	}
	if s.sizes.rows == 0 {
		s.sizes = o.extents()
	}
	e, norm := s.sizes, num.Norm(f)
	spread := float64(o.Loss.Bound() * (float64(e.squares*norm) + e.targets))
	steep := math.Min(float64(o.Loss.Steepest()*e.rows), e.rows+spread)
	const errors = 4
	hidden := errors * precision * (float64(math.Sqrt(float64(o.U.D))*spread) +
		float64(math.Sqrt(float64(o.U.Len()))*steep) + float64(ridge*norm) + stats.Scale)
	return !(hidden <= 0.1*stats.Tolerance*stats.Scale)
}

// uncover says in stats how large the gradient at f is if rounding may have hidden a part of it. It leaves the solver
// as it is.
func (s *Solver) uncover(f, q []float64, ridge float64, stats *Stats) {
	if !s.suspect(f, ridge, stats) {
		return
	}
	o := &s.objective
	n, d := o.U.Len(), o.U.D
	slopes, wrong := o.fineSlopes(f)
	total := make([]fine, len(f))
	for k := range o.models() {
		part := total[k*d : (k+1)*d]
		for i := range n {
			cols, vals := o.U.Row(i)
			by := slopes[k*n+i]
			if o.Labels != nil {
				by.high, by.low = o.Labels[i]*by.high, o.Labels[i]*by.low
			}
			by = by.times(o.weight(i))
			for j, c := range cols {
				part[c] = part[c].plus(by.times(vals[j]))
			}
		}
	}
	gradient := make([]float64, len(f))
	for k, x := range f {
		t := total[k].plus(product(ridge, x)).plus(fine{q[k], 0})
		gradient[k] = t.high + t.low
	}
	norm := 0.0
	if h := o.NonSmooth; h != nil {
		c := newComposite(h, o.blocks()...)
		norm = c.least(f, gradient, make([]float64, len(f)))
	} else {
		norm = num.Norm(gradient)
	}
	const collapsed = 1 + 0x1p-40 // of sums and norms of what has all digits
	stats.Hidden = float64(norm*collapsed) + wrong
}

// fineSlopes are L′ of the rows at f with twice the digits, and how far they may move the gradient nevertheless.
func (o *Objective) fineSlopes(f []float64) (slopes []fine, wrong float64) {
	n, d, models := o.U.Len(), o.U.D, o.models()
	z, low := make([]float64, n*models), make([]float64, n*models)
	slopes = make([]fine, n*models)
	for k := range models {
		for i := range n {
			cols, vals := o.U.Row(i)
			var sum fine
			for j, c := range cols {
				sum = sum.plus(product(vals[j], f[k*d+int(c)]))
			}
			if o.Labels != nil {
				sum.high, sum.low = o.Labels[i]*sum.high, o.Labels[i]*sum.low
			}
			if o.Targets != nil {
				sum = sum.plus(fine{-o.Targets[i], 0})
			}
			slopes[k*n+i], z[k*n+i], low[k*n+i] = sum, sum.high, math.Abs(sum.low)
		}
	}
	switch o.Loss {
	case LeastSquares:
		return slopes, 0
	case Squared:
		for k, s := range slopes {
			slopes[k] = s.plus(fine{-1, 0})
		}
		return slopes, 0
	}
	slope, off := make([]float64, len(z)), make([]float64, len(z))
	o.Loss.Slopes(slope, z)
	bound := o.Loss.Bound()
	for at, s := range slope {
		slopes[at] = fine{s, 0}
		off[at] = float64(last*math.Abs(s)) + float64(bound*(low[at]+last)) // a hinge's bend is at 1
	}
	if models == 1 {
		o.flatter(slopes, off, z, low)
	}
	for i := range n {
		_, vals := o.U.Row(i)
		square := 0.0
		for k := range models {
			square += float64(off[k*n+i] * off[k*n+i])
		}
		wrong += float64(o.weight(i) * num.Norm(vals) * math.Sqrt(square))
	}
	return slopes, wrong
}

// flatter makes less of how far slopes may be off where the loss is nearly a straight line, as it is at large margins:
// that of the logistic loss is −1 less its slope at −z, and flat parts of the Huber losses are so to the last digit.
func (o *Objective) flatter(slopes []fine, off, z, low []float64) {
	side, of := make([]float64, len(z)), make([]float64, len(z))
	switch h := o.Loss.(type) {
	case logistic:
		for at := range z {
			side[at] = -z[at]
		}
		h.Slopes(of, side)
		for at, opposite := range of {
			small := math.Abs(slopes[at].high)
			if z[at] < 0 {
				slopes[at], small = added(-1, -opposite), math.Abs(opposite)
			}
			off[at] = float64(last*small) + float64(small*low[at]) // L″ is no more than either slope
		}
	case HuberHinge, Huber:
		bent := make([]bool, len(z))
		for _, way := range []float64{-1, 0, 1} { // a kink may lie between
			for at := range z {
				side[at] = z[at] + float64(way*(low[at]+float64(last*math.Abs(z[at]))))
			}
			h.Curvatures(of, side)
			for at, b := range of {
				bent[at] = bent[at] || b != 0
			}
		}
		for at := range z {
			if !bent[at] {
				off[at] = 0
			}
		}
	}
}

// fine is a number with twice the digits, high + low (Dekker 1971).
type fine struct{ high, low float64 }

// product is x y, exactly unless it overflows.
func product(x, y float64) fine {
	const split = 1<<27 + 1
	halves := func(x float64) (high, low float64) {
		c := float64(split * x)
		high = c - float64(c-x)
		return high, x - high
	}
	p := float64(x * y)
	a, b := halves(x)
	c, e := halves(y)
	return fine{p, float64(b*e) - (((p - float64(a*c)) - float64(b*c)) - float64(a*e))}
}

// times is the product with a number.
func (a fine) times(x float64) fine {
	p := product(a.high, x)
	return added(p.high, p.low+float64(a.low*x))
}

// plus is the sum.
func (a fine) plus(b fine) fine {
	s := added(a.high, b.high)
	t := added(a.low, b.low)
	s = added(s.high, s.low+t.high)
	return added(s.high, s.low+t.low)
}

// added is x + y, exactly.
func added(x, y float64) fine {
	s := x + y
	b := s - x
	return fine{s, (x - (s - b)) + (y - b)}
}

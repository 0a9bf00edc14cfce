// The one solver of the one subproblem (★) of docs/mathematics.md §2.

package problem

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"overhear/internal/num"
	"overhear/internal/prefetch"
)

// Objective is the data part and ridge of (★), Σ_n w_n L(u_n·f − t_n) + ½ r ‖f‖² + h(f).
type Objective struct {
	U       *Rows     // row n is u_n, or
	K       int       // classes, each with a model of its own, whose rows are all of U; 0: one model
	Labels  []float64 // ±1, by which it is to be multiplied; nil if all are 1
	Targets []float64 // t_n; nil if all are 0
	Weight  float64   // of every row, C/B
	Each    []float64 // of each row, instead; nil if alike
	Loss    Loss
	Ridge   float64 // r

	NonSmooth *NonSmooth // h, in each of the Blocks; nil: none
	Blocks    []int      // how many consecutive columns each has; nil: one of all columns
}

// models is how many models share the rows.
func (o *Objective) models() int { return max(1, o.K) }

func (o *Objective) blocks() []int {
	if o.Blocks == nil {
		return []int{o.U.D * o.models()}
	}
	return o.Blocks
}

// DefaultTolerance bounds ‖∇‖ / max(1, ‖q‖) at a minimiser.
const DefaultTolerance = 1e-10

// Solver solves (★) for one node, again and again with changing q and κ.
//
// It is Newton's method with a Hessian that may be old: the Cholesky factor is
// kept from solve to solve and renewed only when a step no longer reduces the
// gradient fivefold; within a solve the secant equations of its steps correct it
// (BFGS). Steps that get nowhere are damped (Levenberg and Marquardt). The
// gradient of the data part at the last point is kept as well, so that
// a solve that starts where the last one ended takes its first step without reading
// the data. Where that factor would be of an order above
// maxNewton it is L-BFGS.
type Solver struct {
	objective Objective // itself: where it is, is known without a look at the solver
	tolerance float64

	x        []float64 // the last point at which the data part was evaluated
	gradient []float64 // of the data part there
	rows     products  // the objective's rows
	hessian  hessian   // at an earlier point
	sizes    extents   // of the rows
	stale    bool      // renew it before the next step
	unheard  bool      // nobody is told of the gradient that is left
	margins  *Scratch  // which received the margins at x, if they are there still

	kept kept // if results are
}

// Prefetch prefetches what a solve begins with: at depth 0 the solver, and at each depth more what is found by way of
// what was asked for before. It says whether there is more.
func (s *Solver) Prefetch(depth int) (more bool) {
	if depth == 0 {
		prefetch.Of(s)
		return true
	}
	rows, full := s.rows.(*fullRows)
	if depth == 1 {
		prefetch.List(s.x)
		prefetch.List(s.gradient)
		prefetch.List(s.hessian.packed)
		if full {
			prefetch.Of(rows)
		}
	} else if full {
		prefetch.List(rows.Val)
	}
	return full && depth == 1
}

// maxNewton is the largest order for which a Cholesky factor pays.
const maxNewton = 512

// Stats tells how a solve went.
type Stats struct {
	Residual       float64 // ‖∇‖ at the returned point; with h, the norm of the least element of the subdifferential
	Hidden         float64 // ‖∇‖ there with twice the digits, where rounding may hide a part of it; else 0
	Scale          float64 // max(1, ‖q‖)
	Tolerance      float64 // what Residual/Scale had to reach
	Evaluations    int     // points at which there was a pass over the data, be it at hand from before or not
	Factorisations int
}

// ResidualError is a solve that did not reach its tolerance.
type ResidualError struct{ Stats }

func (e *ResidualError) Error() string {
	return fmt.Sprintf("the subproblem was solved to a gradient of %.3g, not to %.3g, after %s over the data",
		e.Residual, e.Tolerance*e.Scale, Counted(e.Evaluations, "pass"))
}

// Attained is a tolerance that would have done, as many times ten the one there was.
func (e *ResidualError) Attained() float64 {
	tolerance := e.Tolerance
	for tolerance < e.Residual/e.Scale {
		tolerance *= 10
	}
	return tolerance
}

// ofReference is an error of computing an optimum that runs are compared with, and what would mend it: its tolerance is
// not a scenario's.
func ofReference(name string, err error) error {
	if missed := new(ResidualError); errors.As(err, &missed) {
		return fmt.Errorf("computing %s: %w; to %.0e is enough, and rounding leaves less with smaller columns or "+
			"targets (problem.scale, problem.C) and a greater problem.rho", name, err, DefaultTolerance)
	}
	return fmt.Errorf("computing %s: %w", name, err)
}

// Scratch is working memory for solvers of problems up to some size; one
// goroutine at a time may use it.
type Scratch struct {
	margin, slope, weighted []float64  // rows
	total, step, trial, row []float64  // columns
	owner                   *Solver    // who wrote margin last
	memory                  pairs      // the steps of the solve
	before                  []float64  // columns: a gradient
	composite               *composite // of objectives with kinks
}

// NewScratch makes working memory for objectives of up to so many rows, times models, in d
// columns, of all models.
func NewScratch(d, rows int) *Scratch {
	return &Scratch{
		margin: make([]float64, rows), slope: make([]float64, rows), weighted: make([]float64, rows),
		total: make([]float64, d), step: make([]float64, d), trial: make([]float64, d), row: make([]float64, d),
		before: make([]float64, d),
	}
}

// NewSolver makes a solver that stops when ‖∇‖ ≤ tolerance·max(1, ‖q‖); zero is
// the default tolerance.
func NewSolver(o *Objective, tolerance float64) *Solver {
	if tolerance == 0 {
		tolerance = DefaultTolerance
	}
	return &Solver{objective: *o, tolerance: tolerance}
}

// Rows is the number of the objective's rows.
func (s *Solver) Rows() int { return s.objective.U.Len() }

// Tolerance is the relative tolerance of the solver's solves.
func (s *Solver) Tolerance() float64 { return s.tolerance }

// maxSteps bounds a solve; Newton needs a few, L-BFGS a few hundred.
const maxSteps = 2000

// patience is how many steps of Newton's in succession may leave the gradient no less than it was.
const patience = 50

// nearFloor is how many times the target a gradient may be that rounding may keep from falling.
const nearFloor = 1e3

// mostDamping is the damping, in gradients, from which on a Hessian that has no factor is not one of a convex function.
const mostDamping = 1e12

// Solve replaces f, a warm start, by the minimiser of
//
//	Σ_n w_n L(u_n·f − t_n) + ½(r+κ)‖f‖² + q·f + h(f)
//
// The error is a *ResidualError if the tolerance is not reached.
func (s *Solver) Solve(w *Scratch, f, q []float64, kappa float64) (Stats, error) {
	if s.kept.track == nil {
		s.catchUp(w)
		return s.solve(w, f, q, kappa)
	}
	return s.solveOnce(w, f, q, kappa)
}

// errTooLarge is of a linear term against whose norm any gradient would be small enough.
var errTooLarge = errors.New("the subproblem's linear term is too large: its norm is beyond the floating-point numbers")

// begin is what a solve with a linear term begins with.
func (s *Solver) begin(q []float64) (Stats, error) {
	stats := Stats{Scale: math.Max(1, num.Norm(q)), Tolerance: s.tolerance}
	if math.IsInf(stats.Scale, 1) {
		return stats, errTooLarge
	}
	return stats, nil
}

func (s *Solver) solve(w *Scratch, f, q []float64, kappa float64) (Stats, error) {
	if s.objective.NonSmooth != nil {
		return s.solveComposite(w, f, q, kappa)
	}
	ridge := s.objective.Ridge + kappa
	stats, err := s.begin(q)
	if err != nil {
		return stats, err
	}
	if !slices.Equal(s.x, f) {
		s.evaluate(w, f)
	}
	stats.Evaluations++
	target := stats.Tolerance * stats.Scale
	newton := s.objective.order() <= maxNewton
	w.memory = w.memory[:0]
	g := s.total(w.total, q, ridge)
	record, idle, damping := g, 0, 0.0
	var best []float64 // of L-BFGS near the floor of rounding, where its gradients rise and fall
	for range maxSteps {
		stats.Residual = g
		if g <= target {
			copy(f, s.x)
			s.uncover(f, q, ridge, &stats)
			return stats, nil
		}
		factorised, evaluations := stats.Factorisations, stats.Evaluations
		copy(w.step, w.total)
		if !newton {
			initial := w.memory.initial(ridge)
			w.memory.direction(w.step, func(x []float64) { num.Scale(initial, x) })
		} else {
			err := s.newton(w, ridge+damping, &stats)
			// Where a loss is flat along a direction there may be optima elsewhere, to which damped steps lead.
			for ridge == 0 && !strictly(s.objective.Loss) && errors.Is(err, num.ErrNotPositiveDefinite) &&
				damping <= mostDamping*g {
				damping, s.stale = math.Max(g, 4*damping), true
				err = s.newton(w, ridge+damping, &stats)
			}
			if err != nil {
				return stats, err
			}
		}
		next, ok := s.advance(w, q, g, ridge, damping > 0, &stats)
		if !ok && (newton && factorised < stats.Factorisations || !newton && idle >= maxIdle) {
			g = next
			break // even a fresh direction gains nothing: rounding
		}
		if !newton && next < record && next <= nearFloor*target {
			best = append(best[:0], s.x...)
		}
		s.stale = next > 0.2*g || damping > 0
		g = next
		if idle++; g < record {
			idle, record = 0, g
		}
		// Where curvatures change by orders of magnitude, steps may lead round in a circle. From then on they are
		// damped, by as much as their lengths ask for, and go down only, until the gradient is nearly small enough.
		switch whole := stats.Evaluations == evaluations+1; {
		case !newton || g <= nearFloor*target:
			damping = 0
		case damping > 0 && whole:
			damping /= 4
		case damping > 0:
			damping *= 4
		case idle >= patience:
			damping, s.stale = g, true // a step is of length 1 at most
		}
	}
	if best != nil && record < g {
		s.evaluate(w, best)
		g = record
	}
	stats.Residual = g
	if g <= target {
		copy(f, s.x)
		s.uncover(f, q, ridge, &stats)
		return stats, nil
	}
	return stats, &ResidualError{stats}
}

// evaluate moves to f: margins or residuals, slopes, and the gradient of the data part.
func (s *Solver) evaluate(w *Scratch, f []float64) {
	o := &s.objective
	if s.x == nil {
		s.reserve(len(f))
	}
	if s.rows == nil {
		s.rows = newProducts(o)
	}
	copy(s.x, f)
	w.owner, s.margins = s, w
	n := o.U.Len() * o.models()
	margin, slope := w.margin[:n], w.slope[:n]
	s.rows.times(f, margin)
	if o.Labels != nil {
		o.signed(margin, margin)
	}
	less(margin, o.Targets)
	o.Loss.Slopes(slope, margin)
	if o.Labels != nil || o.Each != nil {
		slope = w.weighted[:n]
		o.signed(slope, w.slope[:n])
	}
	for k := range o.models() {
		own := slope[k*o.U.Len():]
		for i, weight := range o.Each {
			own[i] *= weight
		}
	}
	s.rows.transposedTimes(slope, s.gradient)
	if o.Each == nil {
		num.Scale(o.Weight, s.gradient)
	}
}

// reserve makes the memory of a point and its gradient, and of a small factor, which then are in one place.
func (s *Solver) reserve(d int) {
	const small = 64 // numbers of a factor
	factored := s.objective.factored()
	if factored > small {
		factored = 0
	}
	all := make([]float64, 2*d+factored)
	s.x, s.gradient, s.hessian.packed = all[:d:d], all[d:2*d:2*d], all[2*d:2*d]
}

// signed sets dst to src, by rows, with the labels' signs.
func (o *Objective) signed(dst, src []float64) {
	if o.Labels == nil {
		copy(dst, src)
		return
	}
	for i, y := range o.Labels {
		dst[i] = y * src[i]
	}
}

// less takes the targets off z, by rows; nil are zeros.
func less(z, targets []float64) {
	for i, t := range targets {
		z[i] -= t
	}
}

// marginsIn tells whether w holds the margins at x: s wrote there last, and has
// not moved in another scratch since.
func (s *Solver) marginsIn(w *Scratch) bool { return w.owner == s && s.margins == w }

func (o *Objective) weight(i int) float64 {
	if o.Each != nil {
		return o.Each[i]
	}
	return o.Weight
}

// total writes the whole gradient at the last point into out and returns its
// norm.
func (s *Solver) total(out, q []float64, ridge float64) float64 {
	gradient, q, out := s.gradient[:len(s.x)], q[:len(s.x)], out[:len(s.x)]
	for k, x := range s.x {
		out[k] = gradient[k] + float64(ridge*x) + q[k]
	}
	return num.Norm(out)
}

// newton replaces the gradient in w.step by the Newton step, from the factor at
// hand or from a new one.
func (s *Solver) newton(w *Scratch, ridge float64, stats *Stats) error {
	if s.stale || len(s.hessian.packed) == 0 {
		if !s.marginsIn(w) {
			s.evaluate(w, append(w.trial[:0], s.x...))
		}
		if err := s.factorise(w, ridge); err != nil {
			s.stale = true // what it had is overwritten
			return fmt.Errorf("factoring the Hessian: %w as rounding and overflow leave it; columns that are smaller "+
				"and more alike (problem.scale.columns: max), or a greater problem.rho, mend that", err)
		}
		s.stale = false
		stats.Factorisations++
		w.memory = w.memory[:0]
	}
	w.memory.direction(w.step, func(x []float64) { s.hessian.solve(&s.objective, s.rows, w, x) })
	return nil
}

// factorise factors the Hessian at the last point, whose margins are in w.
func (s *Solver) factorise(w *Scratch, ridge float64) error {
	o := &s.objective
	if s.kept.track != nil || s.kept.noted {
		s.kept.factored, s.kept.ridge = append(s.kept.factored[:0], s.x...), ridge
	}
	curvature := w.slope[:o.U.Len()*o.models()]
	o.Loss.Curvatures(curvature, w.margin[:len(curvature)])
	return s.hessian.factorise(o, w, curvature, ridge)
}

// advance moves along w.step until the slope along it has fallen to half or has
// changed sign little: for a convex function that bounds overshooting. If it is to go down, the slope must not have
// changed sign: then the function has fallen. It
// takes the gradient's norm and returns the new one, or false if no step makes progress.
func (s *Solver) advance(w *Scratch, q []float64, before, ridge float64, down bool, stats *Stats) (float64, bool) {
	overshoot, shorter := 0.5, 0.9
	if down {
		overshoot, shorter = 0, 0.5
	}
	slope := num.Dot(w.total, w.step)
	if !(slope < 0) {
		return before, false
	}
	from := append(w.row[:0], s.x...)
	w.before, w.total = w.total, w.before
	length := 1.0
	for range 60 {
		step, trial := w.step[:len(from)], w.trial[:len(from)]
		for k, x := range from {
			trial[k] = x + float64(length*step[k])
		}
		s.evaluate(w, trial)
		stats.Evaluations++
		norm := s.total(w.total, q, ridge)
		if norm <= stats.Tolerance*stats.Scale {
			return norm, true
		}
		after := num.Dot(w.total, w.step)
		if after <= -overshoot*slope {
			w.memory.remember(length, w.step, w.before, w.total)
			// Near the floor of rounding the gradient no longer falls.
			return norm, norm < before || before > nearFloor*stats.Tolerance*stats.Scale
		}
		length *= math.Max(0.1, math.Min(shorter, slope/(slope-after)))
	}
	return num.Norm(w.total), false
}

// DataLossAt is (1/B) Σ_n L(u_n·f − t_n).
func (s *Solver) DataLossAt(w *Scratch, f []float64) float64 {
	if s.kept.track == nil {
		return s.dataLossAt(w, f)
	}
	return s.dataLossOnce(w, f)
}

func (s *Solver) dataLossAt(w *Scratch, f []float64) float64 {
	if !s.marginsIn(w) || !slices.Equal(s.x, f) {
		s.evaluate(w, f)
	}
	rows := s.objective.U.Len()
	n := rows * s.objective.models()
	return s.objective.Loss.Total(w.margin[:n], w.slope[:n]) / float64(rows)
}

// Gradient writes Σ_n w_n L′(u_n·f − t_n) u_n + r f, the gradient at f of the objective
// without h, into out.
func (s *Solver) Gradient(w *Scratch, f, out []float64) {
	if s.kept.track == nil {
		s.gradientAt(w, f, out)
		return
	}
	s.gradientOnce(w, f, out)
}

func (s *Solver) gradientAt(w *Scratch, f, out []float64) {
	if s.x == nil || !slices.Equal(s.x, f) {
		s.evaluate(w, f)
	}
	for k, x := range f {
		out[k] = s.gradient[k] + float64(s.objective.Ridge*x)
	}
}

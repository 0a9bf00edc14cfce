// A solver whose results are kept, so that a run that was stopped need not compute
// them again.

package problem

import (
	"errors"

	"overhear/internal/checkpoint"
	"overhear/internal/state"
)

// kept is what a solver does to keep its results and to go on after them. What it
// computes depends on its input, on its factor and on whether that is stale; a factor
// follows from the point at which it was made. So results that are taken from a journal
// say where that was, and the solver makes the factor when it has to compute again.
type kept struct {
	track    *checkpoint.Track
	factored []float64 // where the latest factor was made, if that is noted
	ridge    float64   // with which
	behind   bool      // the factor at hand is an earlier one, or none
	noted    bool      // where factors were made is noted without a track, too
}

// Keep has the solver take its results from a track, and hand to it those that it
// computes; before the first of them. A nil track keeps nothing.
func (s *Solver) Keep(t *checkpoint.Track) { s.kept.track = t }

// Note has the solver note what [Solver.State] says of its factor; before the first solve.
func (s *Solver) Note() { s.kept.noted = true }

// State is what the solver goes on from, of which all but the factor follows from what it is given next. The factor is
// made again where it is needed.
func (s *Solver) State(c *state.Coder) {
	k := &s.kept
	state.Plain(c, &s.stale)
	if !c.Present(len(s.hessian.packed) > 0 || k.behind) {
		return
	}
	if !c.Reading() && k.factored == nil {
		c.Fail(errors.New("it was not noted where a factor was made"))
	}
	state.Slice(c, &k.factored)
	state.Plain(c, &k.ridge)
	k.behind = k.behind || c.Reading()
}

// WorthKeeping says whether a solve takes longer than taking its result from a track.
func (s *Solver) WorthKeeping() bool {
	const few = 64 // numbers of data: to keep those of a million nodes of 40 each takes a quarter of the run
	return s.objective.U.Entries()*s.objective.models() > few || s.objective.NonSmooth != nil
}

// What is computed, as the first number of its input.
const (
	ofSolve float64 = iota + 1
	ofLoss
	ofGradient
)

// solveStats is how many numbers of a kept solve are before the minimiser.
const solveStats = 6

// solveOnce is solve, of which the result may be kept already: statistics, whether the
// factor is stale, the minimiser and, if the factor was renewed, where and with which
// ridge. A solve that fails ends the run and is not kept.
func (s *Solver) solveOnce(w *Scratch, f, q []float64, kappa float64) (Stats, error) {
	k, d := &s.kept, len(f)
	in := checkpoint.SumOf([]float64{ofSolve, kappa}, f, q)
	if r, ok := k.track.Next(in); ok {
		stats := Stats{Residual: r[0], Scale: r[1], Tolerance: s.tolerance, Evaluations: int(r[2]),
			Factorisations: int(r[3]), Hidden: r[5]}
		s.stale = r[4] != 0
		copy(f, r[solveStats:])
		if rest := r[solveStats+d:]; len(rest) > 0 {
			k.ridge, k.factored, k.behind = rest[0], append(k.factored[:0], rest[1:]...), true
		}
		return stats, nil
	}
	s.catchUp(w)
	stats, err := s.solve(w, f, q, kappa)
	if err != nil {
		return stats, err
	}
	stale := 0.0
	if s.stale {
		stale = 1
	}
	values := [][]float64{{stats.Residual, stats.Scale, float64(stats.Evaluations), float64(stats.Factorisations),
		stale, stats.Hidden}, f}
	if stats.Factorisations > 0 {
		values = append(values, []float64{k.ridge}, k.factored)
	}
	k.track.Keep(in, values...)
	return stats, nil
}

// dataLossOnce is dataLossAt.
func (s *Solver) dataLossOnce(w *Scratch, f []float64) float64 {
	in := checkpoint.SumOf([]float64{ofLoss}, f)
	if r, ok := s.kept.track.Next(in); ok {
		return r[0]
	}
	loss := s.dataLossAt(w, f)
	s.kept.track.Keep(in, []float64{loss})
	return loss
}

// gradientOnce is gradientAt.
func (s *Solver) gradientOnce(w *Scratch, f, out []float64) {
	in := checkpoint.SumOf([]float64{ofGradient}, f)
	if r, ok := s.kept.track.Next(in); ok {
		copy(out, r)
		return
	}
	s.gradientAt(w, f, out)
	s.kept.track.Keep(in, out)
}

// catchUp makes the factor that the latest of the results taken had.
func (s *Solver) catchUp(w *Scratch) {
	k := &s.kept
	if !k.behind {
		return
	}
	k.behind = false
	s.evaluate(w, append([]float64{}, k.factored...))
	if err := s.factorise(w, k.ridge); err != nil {
		// It had one before, and this is not it: the next solve makes its own, or says why not.
		s.hessian.packed = s.hessian.packed[:0]
	}
}

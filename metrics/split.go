// Measuring a run over split columns.

package metrics

import (
	"fmt"
	"math"
	"slices"

	"overhear/internal/checkpoint"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/sim"
)

// Split follows one run over split columns, round by round.
type Split struct {
	lockstepTraffic
	problem *problem.Vertical
	optimum [][]float64 // x* by party; nil if unknown
	scale   float64     // ‖x*‖, or 1 if x* is zero
	slope   float64     // what stationarity is relative to, where the loss is not convex; else 0
	rows    []Row
	margins []float64
	ended   func(Row)
	growing int // rounds in a row in which a large objective has grown
	above   int // and in which it was large
	track   *checkpoint.Track

	Cause string // a sentence on what makes a run of the method diverge, and what would be right; empty: none is known
}

// Keep is Collector.Keep.
func (s *Split) Keep(t *checkpoint.Track) { s.track = t }

// NewSplit measures a run of so many rounds; the optimum, by party, and ended may be nil. Of a loss that is not convex
// it measures the stationarity.
func NewSplit(p *problem.Vertical, optimum [][]float64, rounds int, ended func(Row)) *Split {
	s := &Split{
		lockstepTraffic: make(lockstepTraffic, rounds+1), problem: p, optimum: optimum, scale: 1,
		margins: make([]float64, p.N), ended: ended,
	}
	squares := 0.0
	for _, x := range optimum {
		squares += num.Dot(x, x)
	}
	if squares > 0 {
		s.scale = math.Sqrt(squares)
	}
	if !problem.Convex(p.Loss) {
		if s.slope = p.SteepestGradient(); s.slope == 0 { // there is nothing in the rows
			s.slope = 1
		}
	}
	return s
}

// A run diverges when its objective has grown for divergedRounds in a row while above divergedFactor times its start,
// or has been there for stuckRounds: with a loss whose slope is bounded, divergence ends in a cycle far from the
// optimum.
const (
	divergedFactor = 10
	divergedRounds = 5
	stuckRounds    = 50
)

// Ended takes a round: its coefficients by party, the gap ‖Σp − z‖/√N and the residual of the hub's problems. The
// error says what diverged.
func (s *Split) Ended(t int, at sim.Time, x [][]float64, gap, residual float64) error {
	row := newRow(t)
	row.Time, row.Consensus, row.Residual = at, gap, residual
	row.once(s.track, func() checkpoint.Sum { return checkpoint.SumOf(x...) }, func() { s.fill(&row, x) })
	s.rows = append(s.rows, row)
	if s.ended != nil {
		s.ended(row)
	}
	return s.diverged(t, x)
}

// fill computes what is measured of coefficients.
func (s *Split) fill(row *Row, x [][]float64) {
	p := s.problem
	p.Margins(x, s.margins)
	squares := 0.0
	for _, part := range x {
		squares += num.Dot(part, part)
	}
	row.Objective = p.ObjectiveAt(s.margins, squares)
	row.Loss = (row.Objective - float64(0.5*p.Ridge*squares)) / (p.Weight * float64(p.N))
	row.Objective += p.Kinks(x)
	row.TestLoss, row.TestError = p.TestLoss(x)
	row.Train, row.Test = FitsOfColumns(p, s.margins, x)
	if s.slope > 0 {
		row.Stationarity = p.Stationarity(x) / s.slope
	}
	if s.optimum != nil {
		sum := 0.0
		for m := range x {
			for k, v := range x[m] {
				d := v - s.optimum[m][k]
				sum += float64(d * d)
			}
		}
		row.Distance = math.Sqrt(sum) / s.scale
	}
}

// diverged is an error once the objective is far above its start and keeps growing.
func (s *Split) diverged(t int, x [][]float64) error {
	now := s.rows[t].Objective
	if t == 0 || !(now > divergedFactor*s.rows[0].Objective) {
		s.growing, s.above = 0, 0
		return nil
	}
	s.above++
	if s.growing++; !(now > s.rows[t-1].Objective) {
		s.growing = 0
	}
	if s.growing < divergedRounds && s.above < stuckRounds {
		return nil
	}
	how := fmt.Sprintf("has grown for %d rounds", s.growing)
	if s.growing < divergedRounds {
		how = fmt.Sprintf("has been far above it for %d rounds", s.above)
	}
	norms := make([]float64, len(x))
	for m := range x {
		norms[m] = num.Norm(x[m])
	}
	worst := slices.Index(norms, slices.Max(norms))
	err := fmt.Errorf("%w: in round %d the objective is %.4g, %.3g times its start, and %s; "+
		"the coefficients of party %d are the largest, of norm %.4g",
		problem.ErrDiverges, t, now, now/s.rows[0].Objective, how, worst+1, norms[worst])
	if s.Cause != "" {
		err = fmt.Errorf("%w. %s", err, s.Cause)
	}
	return err
}

// Rows returns the rows of the rounds that ended, with the traffic counted so far.
func (s *Split) Rows() []Row {
	s.enter(s.rows)
	return s.rows
}

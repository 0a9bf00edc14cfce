// How near predictions come to targets.

package metrics

import (
	"math"

	"overhear/problem"
	"overhear/record"
)

// Fit is how near predictions come to the targets of some rows; without targets, or rows, both are NaN.
type Fit struct {
	RMSE    float64 // √((1/n) Σ (t − p)²), in units of the file
	Covered float64 // share of rows with t ≤ p, which of a quantile is its level
	R2      float64 // 1 − Σ (t − p)² / Σ (t − t̄)²; NaN if all targets are the same
}

// noFit is that of rows without targets.
var noFit = Fit{RMSE: math.NaN(), R2: math.NaN(), Covered: math.NaN()}

// inFit is a number of a Fit that run.json keeps, NaN where it has none.
func inFit(of func(*record.Fit) record.Number) func(record.Final) float64 {
	return func(f record.Final) float64 {
		if f.Fit == nil {
			return math.NaN()
		}
		return float64(of(f.Fit))
	}
}

// deviations sums up those of predictions from targets, of rows of several parts.
type deviations struct {
	n, covered      int
	errors          float64 // Σ (t − p)²
	mean, variation float64 // of the targets so far: their mean, and Σ (t − t̄)² by Welford's formula
}

func (s *deviations) add(targets, predictions []float64) {
	for k, t := range targets {
		e := t - predictions[k]
		s.errors += float64(e * e)
		s.n++
		if t <= predictions[k] {
			s.covered++
		}
		from := t - s.mean
		s.mean += from / float64(s.n)
		s.variation += float64(from * (t - s.mean))
	}
}

// fit is that of the rows so far, whose targets were divided by a unit.
func (s *deviations) fit(unit float64) Fit {
	if s.n == 0 {
		return noFit
	}
	f := Fit{RMSE: unit * math.Sqrt(s.errors/float64(s.n)), R2: math.NaN(),
		Covered: float64(s.covered) / float64(s.n)}
	if s.variation > 0 {
		f.R2 = 1 - s.errors/s.variation
	}
	return f
}

// FitOf is that of the predictions f·x, f a d-vector, of rows with targets in some shards of a problem.
func FitOf(p *problem.Problem, f []float64, shards ...problem.Shard) Fit {
	if !p.HasTargets() {
		return noFit
	}
	var s deviations
	for i := range shards {
		u, t := shards[i].U, shards[i].Targets
		predictions := make([]float64, len(t))
		for n := range t {
			predictions[n] = u.Dot(n, f)
		}
		s.add(t, predictions)
	}
	return s.fit(p.Unit)
}

// FitsOfColumns are those of the training and the test rows where columns are split; margins are predictions of the
// former, and x coefficients by party.
func FitsOfColumns(v *problem.Vertical, margins []float64, x [][]float64) (train, test Fit) {
	if v.Targets == nil {
		return noFit, noFit
	}
	var of [2]deviations
	of[0].add(v.Targets, margins)
	of[1].add(v.TestTargets, v.TestMargins(x))
	return of[0].fit(v.Unit), of[1].fit(v.Unit)
}

// Fits are those of the training and the test rows, for run.json; nil if there are none, as rows have classes.
func Fits(train, test Fit) *record.Fit {
	if math.IsNaN(train.RMSE) && math.IsNaN(test.RMSE) {
		return nil
	}
	return &record.Fit{RMSE: record.Number(train.RMSE), R2: record.Number(train.R2),
		TestRMSE: record.Number(test.RMSE), TestR2: record.Number(test.R2),
		Covered: record.Number(train.Covered), TestCovered: record.Number(test.Covered)}
}

// Errors of predictions, by hand.

package metrics

import (
	"math"
	"testing"

	"overhear/problem"
)

func TestFitOf_ByHand(t *testing.T) {
	shard := func(x, targets []float64) problem.Shard {
		s := problem.Shard{U: problem.NewRows(1), Targets: targets}
		for _, v := range x {
			s.U.Append([]int32{0}, []float64{v})
			s.Y = append(s.Y, 1)
		}
		return s
	}
	p := &problem.Problem{D: 1, Unit: 10, Shards: []problem.Shard{
		shard([]float64{1, 2}, []float64{3, 3}), shard([]float64{3}, []float64{9})}, Test: shard(nil, []float64{})}
	// f = 2 predicts 2, 4, 6: errors 1, −1, 3, so 11 in squares; the targets' mean is 5, their variation 4 + 4 + 16.
	fit := FitOf(p, []float64{2}, p.Shards...)
	if !(math.Abs(fit.RMSE-10*math.Sqrt(11.0/3)) <= 1e-14) || !(math.Abs(fit.R2-(1-11.0/24)) <= 1e-15) {
		t.Errorf("%+v", fit)
	}
	// The targets are 3, 3, 9; f = 3 predicts 3, 6, 9, f = 1.5 half of that.
	for f, want := range map[float64]float64{3: 1, 2: 1.0 / 3, 1.5: 1.0 / 3, 1.4: 0} {
		if got := FitOf(p, []float64{f}, p.Shards...).Covered; got != want {
			t.Errorf("%v covers %v of the targets, by hand %v", f, got, want)
		}
	}
	if none := FitOf(p, []float64{2}, p.Test); !math.IsNaN(none.RMSE) || !math.IsNaN(none.R2) ||
		!math.IsNaN(none.Covered) ||
		Fits(none, none) != nil {
		t.Errorf("of no rows: %+v", none)
	}
	if alike := FitOf(p, []float64{2}, p.Shards[0]); !math.IsNaN(alike.R2) || !(alike.RMSE > 0) {
		t.Errorf("of targets that are all the same: %+v", alike)
	}
	if e := TestError(&p.Shards[0], []float64{2}); !math.IsNaN(e) {
		t.Errorf("a test error of targets: %v", e)
	}
	p.Test, p.Loss = p.Shards[0], problem.Logistic
	for name, of := range map[string]func() float64{
		"error":    func() float64 { return TestError(&p.Test, []float64{2}) },
		"log loss": func() float64 { return TestLoss(p, []float64{2}) },
	} {
		if e := of(); !math.IsNaN(e) {
			t.Errorf("a test %s of targets: %v", name, e)
		}
		if n := testing.AllocsPerRun(10, func() { of() }); n != 0 {
			t.Errorf("a test %s of targets takes %v pieces of memory, and nothing is to be computed", name, n)
		}
	}
	classes := &problem.Problem{D: 1, Shards: []problem.Shard{shard([]float64{1}, nil)}}
	if none := FitOf(classes, []float64{2}, classes.Shards...); !math.IsNaN(none.RMSE) {
		t.Errorf("of classes: %+v", none)
	}
}

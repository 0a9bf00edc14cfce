package theory

import (
	"math"
	"testing"
)

// An error that falls by half a round down to rounding has the factor ½, however long it then stays there.
func TestMeasure_LeavesOutTheFloor(t *testing.T) {
	const floor = 1e-7
	falling := func(rounds int) []float64 {
		var all []float64
		for k := range rounds + 1 {
			all = append(all, math.Max(math.Pow(0.5, float64(k)), 1e-10))
		}
		return all
	}
	for _, c := range []struct {
		rounds   int
		skip     float64
		from, to int
	}{{10, 0.5, 5, 10}, {11, 0.5, 5, 11}, {11, 0, 1, 11}, {600, 0.5, 11, 23}, {600, 0, 1, 23}, {2, 0.5, 1, 2}} {
		d, ok := Measure(falling(c.rounds), floor, c.skip)
		if !ok || d.From != c.from || d.To != c.to || !(math.Abs(d.Factor-0.5) <= 1e-12) {
			t.Errorf("%+v: %+v, %v", c, d, ok)
		}
	}
	for _, all := range [][]float64{nil, {1}, {1, 0.5}, {1, 0.5, 1e-9, 1e-9}, {1e-9, 1e-9, 1e-9}, {0, 0, 0, 0}} {
		if d, ok := Measure(all, floor, 0.5); ok || d != (Decrease{}) {
			t.Errorf("%v: %+v, %v", all, d, ok)
		}
	}
}

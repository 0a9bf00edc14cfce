package metrics

import (
	"math"
	"testing"

	"overhear/record"
)

// Series whose fate is known by construction, each beside one that is nearly the same
// and has another.
func TestConverge_KnownSeries(t *testing.T) {
	wobble := func(k int) float64 { return 1 + 0.2*math.Sin(float64(k*k)) }
	for _, c := range []struct {
		name  string
		noisy bool
		n     int
		d     func(k int) float64
		want  string
	}{
		{"geometric to the optimum", false, 150, func(k int) float64 { return math.Pow(0.93, float64(k)) },
			record.Converged},
		{"geometric and not there yet", false, 150, func(k int) float64 { return math.Pow(0.99, float64(k)) },
			record.Moving},
		{"slow", false, 150, func(k int) float64 { return math.Pow(0.9998, float64(k)) }, record.Moving},
		{"at another point", false, 150, func(k int) float64 { return 0.05 + math.Pow(0.8, float64(k)) },
			record.AtRest},
		{"in noise", true, 150, func(k int) float64 { return 30 * wobble(k) }, record.AtRest},
		{"noise that sums up", true, 150, func(k int) float64 { return 5 * math.Sqrt(float64(k)) * wobble(k) },
			record.AtRest},
		{"drift", false, 150, func(k int) float64 { return 0.01 * float64(k) }, record.MovingAway},
		{"exponential", false, 40, func(k int) float64 { return math.Pow(1.3, float64(k)) }, record.Diverging},
		{"exponential amid noise", true, 40, func(k int) float64 { return math.Pow(1.3, float64(k)) * wobble(k) },
			record.Diverging},
		{"far drift", false, 150, func(k int) float64 { return 1 + float64(k) }, record.Diverging},
		{"overflow", false, 40, func(k int) float64 { return math.Pow(1e20, float64(k)) }, record.Diverging},
		{"few rounds", false, 6, func(k int) float64 { return math.Pow(0.9, float64(k)) }, record.Unknown},
		{"few rounds and there", false, 2, func(k int) float64 { return float64(1-k) * 0.5 }, record.Converged},
		{"no optimum", false, 50, func(int) float64 { return math.NaN() }, record.Unknown},
	} {
		var rows []Row
		for k := range c.n {
			row := newRow(k)
			row.Distance = c.d(k)
			rows = append(rows, row)
		}
		if got := Converge(rows, c.noisy); got.State != c.want {
			t.Errorf("%s: %s at a factor of %v, want %s", c.name, got.State, got.Factor, c.want)
		}
	}
	var rows []Row
	for k := range 150 {
		row := newRow(k)
		row.Distance = math.Pow(0.99, float64(k))
		rows = append(rows, row)
	}
	got := Converge(rows, false)
	if !(math.Abs(float64(got.Factor)-0.99) <= 1e-9) || got.More != 539 { // 0.99^(149+539) is just below 1e-3
		t.Errorf("a factor of %v and %d rounds more", got.Factor, got.More)
	}
	if got := Converge(nil, false); got.State != record.Unknown {
		t.Errorf("no rows: %s", got.State)
	}
}

// The distance must have stayed near in the last twentieth of the rounds: if only the end
// is near, it is moving, with at least one round more.
func TestConverge_OnlyTheEndIsNear(t *testing.T) {
	rows := make([]Row, 101)
	for k := range rows {
		rows[k].Distance = math.Pow(0.93, float64(k))
	}
	if c := Converge(rows, false); !(rows[100].Distance < 1e-3) || c.State != record.Moving || c.More != 1 {
		t.Errorf("ends at %v: %+v", rows[100].Distance, c)
	}
}

// A run that stays where it started is not at rest, and one whose gradient was near 0 there and has not fallen, as on
// the flat part of a robust loss, has not converged.
func TestConverge_WhatHasNotMoved(t *testing.T) {
	of := func(gradient bool, d func(k int) float64) *record.Convergence {
		var rows []Row
		for k := range 101 {
			row := newRow(k)
			if row.Distance = d(k); gradient {
				row.Distance, row.Stationarity = math.NaN(), d(k)
			}
			rows = append(rows, row)
		}
		return Converge(rows, false)
	}
	for _, c := range []struct {
		gradient bool
		d        func(k int) float64
		want     string
		flat     bool
	}{
		{false, func(int) float64 { return 1 }, record.Unknown, false},
		{false, func(k int) float64 { return 1 - 1e-6*float64(min(k, 10)) }, record.Unknown, false},
		{false, func(k int) float64 { return 0.9 + 0.1*math.Pow(0.5, float64(k)) }, record.AtRest, false},
		{true, func(int) float64 { return 1e-6 }, record.Unknown, true},
		{true, func(int) float64 { return 0 }, record.Unknown, true},
		{true, func(k int) float64 { return 5e-4 * math.Pow(0.9, float64(k)) }, record.Converged, false},
		{true, func(k int) float64 { return 0.1 * math.Pow(0.9, float64(k)) }, record.Converged, false},
		// A wide loss, or a steep start, makes little of a gradient that has still far to fall.
		{true, func(k int) float64 { return 0.01 * math.Pow(0.97, float64(k)) }, record.Moving, false},
	} {
		if got := of(c.gradient, c.d); got.State != c.want || got.Flat != c.flat {
			t.Errorf("gradient %v, %v to %v: %+v", c.gradient, c.d(0), c.d(100), got)
		}
	}
}

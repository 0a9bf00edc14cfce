// A run without lockstep measured by hand.

package metrics

import (
	"math"
	"testing"

	"overhear/problem"
	"overhear/sim"
)

// Row t is measured when (t+1)·N iterates have been published, of the latest of each node.
func TestRolling_ByHand(t *testing.T) {
	var ended []Row
	r := NewRolling(two(t), []float64{0, 2}, func(row Row) { ended = append(ended, row) })
	if rows := r.Rows(); len(rows) != 0 {
		t.Fatalf("%d rows of nothing", len(rows))
	}
	publish := func(node, round int, at sim.Time, f []float64, loss, residual float64) {
		stats := problem.Stats{Residual: residual, Scale: 2, Tolerance: 1e-10}
		r.Published(node, round, at, f, nil, loss, stats)
	}
	r.Sent(0, 10)
	publish(0, 0, 0, []float64{0, 0}, 0, 8e-10)
	publish(1, 0, 1e9, []float64{0, 0}, 0, 2e-10)
	dual := []float64{3, 1}
	r.Concluded(0, 1, dual)
	dual[0] = 99 // a dual is valid during the call only
	publish(0, 1, 2e9, []float64{9, 9}, 7, 4e-10)
	r.Concluded(0, 2, []float64{1, 1})
	r.Concluded(1, 1, []float64{2, 3})
	r.Sent(1, 20)
	r.Sent(0, 30)
	publish(0, 2, 5e9, []float64{3, 0}, 0.25, 2e-10)
	if len(ended) != 2 || ended[1].Round != 1 {
		t.Fatalf("rows ended: %+v", ended)
	}
	first, row := ended[0], ended[1]
	for name, v := range map[string][2]float64{
		"first round":    {float64(first.Round), 0},
		"first time":     {first.Time.Seconds(), 1},
		"first messages": {float64(first.Messages), 1},
		"first residual": {first.Residual, 4e-10},
		"first dual sum": {first.DualSum, 0},
		"first distance": {first.Distance, 1},
		// f_0 = (3, 0) is of node 0's round 2, f_1 = (0, 0) of node 1's start; f̄ = (1.5, 0).
		"time":      {row.Time.Seconds(), 5},
		"least":     {float64(row.Least), 0},
		"most":      {float64(row.Most), 2},
		"loss":      {row.Loss, 0.125},
		"objective": {row.Objective, 2*0.25 + 0.25*9},
		"consensus": {row.Consensus, 1.5},
		"spread":    {row.Spread, 3},
		"distance":  {row.Distance, math.Sqrt(13) / 2},
		"residual":  {row.Residual, 2e-10}, // of the solves since the first row
		"dual sum":  {row.DualSum, 5},      // (1,1) + (2,3)
		"messages":  {float64(row.Messages), 3},
		"bytes":     {float64(row.Bytes), 60},
	} {
		if !(math.Abs(v[0]-v[1]) <= 1e-12*math.Max(1e-9, math.Abs(v[1]))) { // NaN is wrong
			t.Errorf("%s is %v, want %v", name, v[0], v[1])
		}
	}
	if !math.IsNaN(row.PrivacyLoss) || !math.IsNaN(row.TestLoss) || !math.IsNaN(row.Averaged.Risk) {
		t.Errorf("%+v", row)
	}
}

// The last row is of the end: what follows the last iterate counts, and iterates that fill no row make a last one.
func TestRolling_LastRowIsOfTheEnd(t *testing.T) {
	r := NewRolling(two(t), nil, nil)
	zero := []float64{0, 0}
	r.Published(0, 0, 0, zero, nil, 0, problem.Stats{})
	r.Published(1, 0, 1, zero, nil, 0, problem.Stats{})
	r.Concluded(1, 1, []float64{3, 4})
	r.Sent(0, 10)
	rows := r.Rows()
	if len(rows) != 1 || rows[0].DualSum != 5 || rows[0].Messages != 1 || rows[0].Bytes != 10 {
		t.Errorf("after the last iterate: %+v", rows)
	}
	r.Published(1, 1, 2, []float64{6, 8}, nil, 0, problem.Stats{})
	r.Sent(1, 5)
	for range 2 { // asking twice changes nothing
		rows = r.Rows()
		if len(rows) != 2 || rows[1].Consensus != 5 || rows[1].Round != 1 || rows[1].Least != 0 || rows[1].Most != 1 {
			t.Errorf("with one iterate more: %+v", rows)
		}
		if rows[0].Messages != 1 || rows[1].Messages != 2 || rows[1].Bytes != 15 {
			t.Errorf("traffic of %+v", rows)
		}
	}
}

// Before a node has joined, averages are over those that have, each with its own ridge, and it is in round 0.
func TestRolling_NodesThatHaveNotJoined(t *testing.T) {
	r := NewRolling(logistic(t), nil, nil) // r_i is ½ for node 0 and 1 for node 1
	w := []float64{3, 4}
	r.Published(1, 0, 0, []float64{1, 0}, w, 0.5, problem.Stats{})
	r.Published(1, 1, 0, []float64{1, 0}, w, 0.5, problem.Stats{})
	r.Published(1, 2, 0, []float64{2, 0}, w, 0.5, problem.Stats{})
	r.Published(1, 3, 0, []float64{2, 0}, w, 0.25, problem.Stats{})
	rows := r.Rows()
	row := rows[1]
	if row.Loss != 0.25 || row.Objective != 2*0.25+0.5*1*4 || row.Consensus != 0 || row.Spread != 0 ||
		row.Least != 0 || row.Most != 3 || row.TestError != 0.5 {
		t.Errorf("of node 1 alone: %+v", row)
	}
	if !math.IsNaN(row.Averaged.Risk) {
		t.Errorf("averages %+v before all have joined", row.Averaged)
	}
	r.Published(0, 0, 0, []float64{0, 0}, w, 0.75, problem.Stats{})
	r.Published(0, 1, 0, []float64{0, 0}, w, 0.75, problem.Stats{})
	row = r.Rows()[2]
	if row.Loss != 0.5 || row.Objective != 2*0.75+2*0.25+0.5*4 || row.Consensus != 1 ||
		row.Least != 1 || row.Most != 3 {
		t.Errorf("of both: %+v", row)
	}
	// Both have held w in every row, so that it is their average, however many rows went before.
	if want := logistic(t).Value(w); !(math.Abs(row.Averaged.Risk-want) <= 1e-12*want) {
		t.Errorf("averages %+v, want the risk %v of w", row.Averaged, want)
	}
}

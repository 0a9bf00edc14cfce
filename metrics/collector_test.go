// A round measured by hand.

package metrics

import (
	"math"
	"testing"

	"overhear/problem"
	"overhear/sim"
)

// two is a problem of two nodes in the plane; the test rows are (1,0)→+1 and
// (0,1)→−1, stored as y·x.
func two(t *testing.T) *problem.Problem {
	t.Helper()
	shard := func(y float64, x ...[]float64) problem.Shard {
		s := problem.Shard{U: problem.NewRows(2)}
		for _, row := range x {
			s.U.Append([]int32{0, 1}, []float64{y * row[0], y * row[1]})
			s.Y = append(s.Y, y)
			y = -y
		}
		return s
	}
	return &problem.Problem{
		D: 2, C: 2, R: []float64{0.5, 1},
		Shards: []problem.Shard{shard(1, []float64{1, 1}), shard(1, []float64{2, 0})},
		Test:   shard(1, []float64{1, 0}, []float64{0, 1}),
	}
}

func TestCollector_ByHand(t *testing.T) {
	var ended []int
	c := NewCollector(two(t), []float64{0, 2}, 1, func(r Row) { ended = append(ended, r.Round) })
	publish := func(node, round int, f []float64, loss, residual float64) {
		c.Published(node, round, 7e9, f, nil, loss, problem.Stats{Residual: residual, Scale: 2, Tolerance: 1e-10})
	}
	publish(0, 0, []float64{0, 0}, 0, 0)
	publish(0, 1, []float64{3, 0}, 0.25, 4e-10) // before the other's round 0
	publish(1, 0, []float64{0, 0}, 0, 0)
	c.Concluded(0, 1, []float64{3, 1})
	publish(1, 1, []float64{-1, 4}, 0.75, 1e-10)
	c.Concluded(1, 1, []float64{0, 3})
	c.Sent(0, 100)
	c.Sent(1, 30)
	c.Sent(1, 30)
	if len(ended) != 2 || ended[1] != 1 {
		t.Fatalf("rounds ended: %v", ended)
	}
	r := c.Rows()[1]
	// f̄ = (1, 2): row (1,0) is right, row (0,1) is wrong.
	for name, v := range map[string][2]float64{
		"loss":       {r.Loss, 0.5},
		"objective":  {r.Objective, 2*0.25 + 0.25*9 + 2*0.75 + 0.5*17},
		"test error": {r.TestError, 0.5},
		"consensus":  {r.Consensus, math.Sqrt(8)},     // both are (±2, ±2) away
		"distance":   {r.Distance, math.Sqrt(13) / 2}, // (3,−2) is farther than (−1,2)
		"dual sum":   {r.DualSum, 5},                  // (3,4)
		"spread":     {r.Spread, math.Sqrt(32)},
		"residual":   {r.Residual, 2e-10}, // relative to the scale
		"time":       {r.Time.Seconds(), 7},
		"messages":   {float64(r.Messages), 3}, // so far
		"bytes":      {float64(r.Bytes), 160},
	} {
		if !(math.Abs(v[0]-v[1]) <= 1e-12*math.Max(1, v[1])) { // NaN is wrong
			t.Errorf("%s is %v, want %v", name, v[0], v[1])
		}
	}
	if !math.IsNaN(r.PrivacyLoss) {
		t.Errorf("privacy loss is %v without a claim", r.PrivacyLoss)
	}
	if len(r.Values()) != len(Columns) {
		t.Errorf("%d values for %d columns", len(r.Values()), len(Columns))
	}
}

// A round counts as complete at any time of the clock.
func TestCollector_TimeOfARound(t *testing.T) {
	for _, at := range []sim.Time{0, 1, 2} {
		c := NewCollector(two(t), nil, 0, nil)
		c.Published(0, 0, 0, []float64{1, 0}, nil, 0, problem.Stats{})
		c.Published(1, 0, at, []float64{1, 0}, nil, 0, problem.Stats{})
		if rows := c.Rows(); len(rows) != 1 || rows[0].Time != at {
			t.Errorf("a round that ended at %d ns: %+v", at, rows)
		}
	}
}

// An incomplete round is no row, and without an optimum there is no distance.
func TestCollector_Incomplete(t *testing.T) {
	c := NewCollector(two(t), nil, 5, nil)
	c.Published(0, 0, 0, []float64{1, 0}, nil, 0, problem.Stats{})
	if n := len(c.Rows()); n != 0 {
		t.Errorf("%d rows of no complete round", n)
	}
	c.Published(1, 0, 0, []float64{1, 0}, nil, 0, problem.Stats{})
	rows := c.Rows()
	if len(rows) != 1 || !math.IsNaN(rows[0].Distance) || rows[0].Consensus != 0 {
		t.Errorf("rows %+v", rows)
	}
}

func TestTestError_Boundary(t *testing.T) {
	p := two(t)
	if e := TestError(&p.Test, []float64{0, 0}); e != 0.5 {
		t.Errorf("the zero classifier says +1 everywhere, so half is wrong; got %v", e)
	}
	if e := TestError(&problem.Shard{U: problem.NewRows(2)}, []float64{1, 1}); !math.IsNaN(e) {
		t.Errorf("error of no rows is %v", e)
	}
}

// From when a node is gone its last iterate stands, in rounds that are open and in those to
// come; a round that only it had kept open ends at that time.
func TestCollector_Gone(t *testing.T) {
	d := 2
	p := &problem.Problem{D: d, Loss: problem.Squared, C: 1, R: []float64{1, 1}}
	for range 2 {
		u := problem.NewRows(d)
		u.Append([]int32{0}, []float64{1})
		p.Shards = append(p.Shards, problem.Shard{U: u, Y: []float64{1}})
	}
	c := NewCollector(p, nil, 3, nil)
	tell := func(shard, round int, at sim.Time, x float64) {
		c.Published(shard, round, at, []float64{x, 0}, nil, x, problem.Stats{})
	}
	tell(0, 0, 0, 1)
	tell(1, 0, 0, 5)
	tell(0, 1, 10, 2)
	if n := len(c.Rows()); n != 1 {
		t.Fatalf("%d rows", n)
	}
	c.Gone(1, 12)
	tell(0, 2, 20, 3)
	rows := c.Rows()
	if len(rows) != 3 || rows[1].Time != 12 || rows[2].Time != 20 || rows[1].Loss != 3.5 || rows[2].Loss != 4 {
		t.Errorf("%+v", rows)
	}
	if !math.IsNaN(rows[1].DualSum) {
		t.Errorf("the sum of duals of a round that a node has not ended is %v", rows[1].DualSum)
	}
}

// A packet may carry any number as its round: it is counted all the same.
func TestTraffic_OfRoundsThatTheRunDoesNotHave(t *testing.T) {
	l, rows := make(lockstepTraffic, 3), make([]Row, 3)
	for _, round := range []int{-1 << 31, 1, 1000400} {
		l.Sent(round, 10)
	}
	l.enter(rows)
	if rows[0].Messages != 1 || rows[1].Messages != 2 || rows[2].Messages != 3 || rows[2].Bytes != 30 {
		t.Errorf("%+v", rows)
	}
}

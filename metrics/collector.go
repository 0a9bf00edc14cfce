// The collector turns what nodes publish into a row a round.

package metrics

import (
	"math"

	"overhear/internal/num"
	"overhear/problem"
	"overhear/sim"
)

// Row is what is measured of one round. A value that is not defined is NaN.
type Row struct {
	Round       int
	Time        sim.Time // when the last node published this round
	Loss        float64  // L(t) = (1/N) Σ_i (1/B_i) Σ_n L(y_n f_i·x_n)
	Objective   float64  // Σ_i O_i(f_i)
	TestError   float64  // of the averaged classifier f̄ = (1/N) Σ_i f_i, as a fraction
	Consensus   float64  // max_i ‖f_i − f̄‖
	Distance    float64  // max_i ‖f_i − f*‖ / ‖f*‖, f* the centralised optimum
	PrivacyLoss float64  // the method's claimed bound so far, max over nodes
	Messages    int64    // packets sent for rounds up to this one
	Bytes       int64    // of those packets, headers included
	DualSum     float64  // ‖Σ_i λ_i‖ after this round's dual step
	Residual    float64  // max_i ‖∇‖ / max(1, ‖q‖) of this round's solves
	Spread      float64  // max_{i,l} ‖w_i − w_l‖, w the iterates before output noise; only for few nodes
	TestLoss    float64  // mean log loss of the test rows, where columns are split
	Least       int      // round of the node that has published fewest iterates; without lockstep it is not Round
	Most        int      // and of the one that has published most
	Averaged    Averaged // of w̄_i(t) = (1/t) Σ_k w_i(k), for methods that shelter w
}

// Averaged is what PDML §VI measures.
type Averaged struct {
	Risk  float64 // (1/N) Σ_i Σ_l O_l(w̄_i), on the true labels
	Error float64 // test error of w̄_i, mean over nodes
}

// Collector follows one run. Its methods are called from the engine's
// goroutine; rows come out in order of round.
type Collector struct {
	problem  *problem.Problem
	optimum  []float64 // f*, a d-vector; nil if unknown
	scale    float64   // ‖f*‖, or 1 if f* is zero
	rows     []Row
	open     []*round // by number; nil before the first value and after the last
	spare    []*round
	duals    []dualSum // by round
	sent     []traffic // by round
	mean     []float64
	diff     []float64
	ended    func(Row)
	averages [][]float64 // Σ_k w_i(k) by node
}

// widest is the greatest number of nodes whose Spread is computed: it takes a
// distance for every pair.
const widest = 128

// dualSum is Σ_i λ_i of a round so far.
type dualSum struct {
	sum   []float64 // d-vector; nil before the first and after the last node
	heard int
}

// traffic is what has been sent for one round.
type traffic struct{ messages, bytes int64 }

// round holds what has been published of a round that is not complete.
type round struct {
	values    [][]float64 // by node
	inner     [][]float64 // by node; equal to values unless a method shelters iterates
	sheltered bool
	losses    []float64
	heard     int
	residual  float64
}

// NewCollector measures a run of so many rounds of a problem. The optimum f*, a
// d-vector, may be nil; ended, which may be nil, is told of each round as it
// completes, before its dual sum and its traffic are known.
func NewCollector(p *problem.Problem, optimum []float64, rounds int, ended func(Row)) *Collector {
	c := &Collector{
		problem: p, optimum: optimum, scale: 1,
		rows: make([]Row, rounds+1), open: make([]*round, rounds+1),
		duals: make([]dualSum, rounds+1), sent: make([]traffic, rounds+1),
		mean: make([]float64, p.D), diff: make([]float64, p.D),
		ended: ended,
	}
	if n := num.Norm(optimum); n > 0 {
		c.scale = n
	}
	for t := range c.rows {
		nan := math.NaN()
		c.rows[t] = Row{Round: t, Least: t, Most: t, Time: -1, PrivacyLoss: nan, DualSum: nan, Residual: nan, Spread: nan, TestLoss: nan, Averaged: Averaged{nan, nan}}
	}
	c.rows[0].DualSum = 0 // duals start at zero
	return c
}

// Published takes the iterate that the node with a shard has published in round
// t, and the one behind it if the method shelters that; else inner is nil.
func (c *Collector) Published(shard, t int, at sim.Time, values, inner []float64, loss float64, stats problem.Stats) {
	r := c.open[t]
	if r == nil {
		r = c.take()
		c.open[t] = r
	}
	r.values[shard], r.inner[shard] = values, values
	if inner != nil {
		r.inner[shard], r.sheltered = inner, true
	}
	r.losses[shard] = loss
	if stats.Tolerance > 0 {
		relative := stats.Residual / stats.Scale
		if math.IsNaN(r.residual) || relative > r.residual {
			r.residual = relative
		}
	}
	r.heard++
	if r.heard < len(r.values) {
		return
	}
	c.measure(&c.rows[t], r)
	c.rows[t].Time = at
	c.open[t] = nil
	c.spare = append(c.spare, r)
	if c.ended != nil {
		c.ended(c.rows[t])
	}
}

// Concluded adds a node's dual of a round, a d-vector, to the round's sum.
func (c *Collector) Concluded(_, t int, dual []float64) {
	s := &c.duals[t]
	if s.sum == nil {
		s.sum = make([]float64, len(dual))
	}
	num.Axpy(1, dual, s.sum)
	if s.heard++; s.heard == len(c.problem.Shards) {
		c.rows[t].DualSum = num.Norm(s.sum)
		s.sum = nil
	}
}

// Sent counts a packet of a round.
func (c *Collector) Sent(t int, bytes int64) {
	c.sent[t].messages++
	c.sent[t].bytes += bytes
}

// Rows returns the rows of the complete rounds, with the traffic counted so far.
func (c *Collector) Rows() []Row {
	var total traffic
	for t := range c.rows {
		if c.rows[t].Time < 0 {
			return c.rows[:t]
		}
		total.messages += c.sent[t].messages
		total.bytes += c.sent[t].bytes
		c.rows[t].Messages, c.rows[t].Bytes = total.messages, total.bytes
	}
	return c.rows
}

func (c *Collector) take() *round {
	n := len(c.problem.Shards)
	r := &round{values: make([][]float64, n), inner: make([][]float64, n), losses: make([]float64, n)}
	if k := len(c.spare); k > 0 {
		r, c.spare = c.spare[k-1], c.spare[:k-1]
		clear(r.values)
	}
	r.heard, r.residual, r.sheltered = 0, math.NaN(), false
	return r
}

// measure fills the row of a complete round, summing in order of node.
func (c *Collector) measure(row *Row, r *round) {
	p := c.problem
	n := float64(len(r.values))
	clear(c.mean)
	for i, f := range r.values {
		row.Loss += r.losses[i]
		norm := num.Norm(f)
		row.Objective += float64(p.C*r.losses[i]) + float64(0.5*p.R[i]*norm*norm)
		num.Axpy(1, f, c.mean)
	}
	row.Loss /= n
	num.Scale(1/n, c.mean)
	row.Consensus = c.farthest(r.values, c.mean)
	row.Distance = math.NaN()
	if c.optimum != nil {
		row.Distance = c.farthest(r.values, c.optimum) / c.scale
	}
	row.TestError = TestError(&p.Test, c.mean)
	row.Residual = r.residual
	if len(r.inner) <= widest {
		row.Spread = 0
		for i, f := range r.inner {
			row.Spread = max(row.Spread, c.farthest(r.inner[:i], f))
		}
	}
	if r.sheltered {
		c.average(row, r)
	}
}

// average adds the round's w_i to their sums and measures the averages w̄_i.
func (c *Collector) average(row *Row, r *round) {
	p := c.problem
	if c.averages == nil {
		c.averages = make([][]float64, len(r.inner))
		for i := range c.averages {
			c.averages[i] = make([]float64, p.D)
		}
	}
	if row.Round == 0 {
		return
	}
	n := float64(len(r.inner))
	row.Averaged = Averaged{}
	mean := make([]float64, p.D)
	for i, w := range r.inner {
		num.Axpy(1, w, c.averages[i])
		copy(mean, c.averages[i])
		num.Scale(1/float64(row.Round), mean)
		row.Averaged.Risk += p.Value(mean) / n
		row.Averaged.Error += TestError(&p.Test, mean) / n
	}
}

// farthest is max_i ‖f_i − centre‖.
func (c *Collector) farthest(values [][]float64, centre []float64) float64 {
	worst := 0.0
	for _, f := range values {
		for k := range c.diff {
			c.diff[k] = f[k] - centre[k]
		}
		worst = max(worst, num.Norm(c.diff))
	}
	return worst
}

// TestError is the fraction of a shard's rows that the classifier f, a
// d-vector, puts on the wrong side; a row on the boundary counts as +1. It is
// NaN for an empty shard.
func TestError(s *problem.Shard, f []float64) float64 {
	wrong := 0
	for i, y := range s.Y {
		if m := s.U.Dot(i, f); m < 0 || (m == 0 && y < 0) {
			wrong++
		}
	}
	return float64(wrong) / float64(len(s.Y))
}

// Columns are the columns of metrics.csv; those after bytes are extra.
var Columns = []string{
	"round", "time_s", "loss", "objective", "test_error", "consensus", "distance",
	"privacy_loss", "messages", "bytes", "dual_sum", "residual", "spread", "averaged_risk", "averaged_error", "test_loss",
	"least_round", "most_round",
}

// Values are the row's values in the order of Columns.
func (r *Row) Values() []float64 {
	return []float64{
		float64(r.Round), r.Time.Seconds(), r.Loss, r.Objective, r.TestError, r.Consensus, r.Distance,
		r.PrivacyLoss, float64(r.Messages), float64(r.Bytes), r.DualSum, r.Residual, r.Spread, r.Averaged.Risk, r.Averaged.Error, r.TestLoss,
		float64(r.Least), float64(r.Most),
	}
}

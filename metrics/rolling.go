// Measuring a run without lockstep: nodes are in rounds of their own, and what
// they hold is looked at whenever they have published as often as there are nodes.

package metrics

import (
	"math"

	"overhear/internal/num"
	"overhear/problem"
	"overhear/sim"
)

// Rolling follows one asynchronous run. Row t is measured when the nodes have
// published (t+1)·N iterates, starts included, so that they are in round t on
// average; it is of what each of them published last.
type Rolling struct {
	collector *Collector
	state     *round
	rounds    []int // by node; −1 before the first
	published int
	duals     [][]float64 // by node, after its latest dual step; nil: zero
	sent      traffic
	rows      []Row
	current   sim.Time // of the latest publication
}

// NewRolling is NewCollector for a run without lockstep.
func NewRolling(p *problem.Problem, optimum []float64, ended func(Row)) *Rolling {
	n := len(p.Shards)
	r := &Rolling{collector: NewCollector(p, optimum, 0, ended), rounds: make([]int, n), duals: make([][]float64, n)}
	r.state = r.collector.take()
	r.state.residual = math.NaN()
	for i := range r.rounds {
		r.rounds[i] = -1
	}
	return r
}

// Published takes an iterate, as Collector.Published does.
func (r *Rolling) Published(shard, t int, at sim.Time, values, inner []float64, loss float64, stats problem.Stats) {
	s := r.state
	s.values[shard], s.inner[shard], s.losses[shard] = values, values, loss
	if inner != nil {
		s.inner[shard], s.sheltered = inner, true
	}
	if stats.Tolerance > 0 {
		if relative := stats.Residual / stats.Scale; math.IsNaN(s.residual) || relative > s.residual {
			s.residual = relative
		}
	}
	r.rounds[shard], r.current = t, at
	if r.published++; r.published%len(r.rounds) == 0 {
		r.measure()
	}
}

// measure adds a row of the nodes' latest iterates.
func (r *Rolling) measure() {
	nan := math.NaN()
	row := Row{Round: len(r.rows), Time: r.current, PrivacyLoss: nan, DualSum: nan, Residual: nan, Spread: nan, TestLoss: nan, Averaged: Averaged{nan, nan}, Least: math.MaxInt}
	for _, t := range r.rounds {
		row.Least, row.Most = min(row.Least, t), max(row.Most, t)
	}
	heard := *r.state
	if row.Least < 0 { // nodes that have not joined
		row.Least = 0
		heard = round{residual: heard.residual} // averages are over all
		for i, t := range r.rounds {
			if t >= 0 {
				heard.values, heard.inner, heard.losses = append(heard.values, r.state.values[i]), append(heard.inner, r.state.inner[i]), append(heard.losses, r.state.losses[i])
			}
		}
	}
	r.collector.measure(&row, &heard)
	r.state.residual = nan
	sum := make([]float64, r.collector.problem.D)
	for _, d := range r.duals {
		if d != nil {
			num.Axpy(1, d, sum)
		}
	}
	row.DualSum = num.Norm(sum)
	row.Messages, row.Bytes = r.sent.messages, r.sent.bytes
	r.rows = append(r.rows, row)
	if r.collector.ended != nil {
		r.collector.ended(row)
	}
}

// Concluded takes a node's dual, a d-vector that is valid during the call.
func (r *Rolling) Concluded(shard, _ int, dual []float64) {
	r.duals[shard] = append(r.duals[shard][:0], dual...)
}

// Sent counts a packet.
func (r *Rolling) Sent(_ int, bytes int64) {
	r.sent.messages++
	r.sent.bytes += bytes
}

// Rows returns the rows, the last of which is of the end of the run.
func (r *Rolling) Rows() []Row {
	if r.published == 0 {
		return nil
	}
	if r.published%len(r.rounds) != 0 {
		r.measure()
		r.published += len(r.rounds) - r.published%len(r.rounds)
		return r.rows
	}
	last := &r.rows[len(r.rows)-1]
	last.Messages, last.Bytes = r.sent.messages, r.sent.bytes
	sum := make([]float64, r.collector.problem.D) // the last dual steps follow the last iterates
	for _, d := range r.duals {
		if d != nil {
			num.Axpy(1, d, sum)
		}
	}
	last.DualSum = num.Norm(sum)
	return r.rows
}

// Measuring a run without lockstep: nodes are in rounds of their own, and what they hold is looked at whenever they
// have published as often as there are nodes.

package metrics

import (
	"math"
	"overhear/internal/checkpoint"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/sim"
	"slices"
)

// Rolling follows one asynchronous run over split rows. Row t is measured when the nodes have published (t+1)·N
// iterates, starts included, so that they are in round t on average; it is of what each of them published last.
type Rolling struct {
	gauge   gauge
	held    *snapshot
	rounds  []int       // by node; 0 before the first
	pending int         // iterates published since the last row
	duals   [][]float64 // by node, after its latest dual step; nil: zero, be it of one node or of all
	sent    traffic
	rows    []Row
	latest  sim.Time // of a publication
	ended   func(Row)
}

// NewRolling is NewCollector for a run without lockstep. A row that is told to ended has the dual sum and the traffic
// of that moment.
func NewRolling(p *problem.Problem, optimum []float64, ended func(Row)) *Rolling {
	n := len(p.Shards)
	return &Rolling{
		gauge: newGauge(p, optimum), held: newSnapshot(n), rounds: make([]int, n), ended: ended,
	}
}

// Keep has the measurements taken from a track and handed to it; before the first of them.
func (r *Rolling) Keep(t *checkpoint.Track) { r.gauge.track = t }

// Published takes an iterate, as Collector.Published does.
func (r *Rolling) Published(
	shard, t int, at sim.Time, values, inner []float64, loss float64, stats problem.Stats,
) {
	r.held.take(shard, values, inner, loss, stats)
	r.rounds[shard], r.latest = t, at
	if r.pending++; r.pending == len(r.rounds) {
		r.measure()
	}
}

// measure adds a row of the nodes' latest iterates.
func (r *Rolling) measure() {
	row := newRow(len(r.rows))
	row.Time, row.Least, row.Most = r.latest, slices.Min(r.rounds), slices.Max(r.rounds)
	r.gauge.measure(&row, r.held)
	r.enter(&row)
	r.rows = append(r.rows, row)
	r.pending, r.held.residual = 0, math.NaN()
	if r.ended != nil {
		r.ended(row)
	}
}

// enter writes into a row what is known without an iterate.
func (r *Rolling) enter(row *Row) {
	r.sent.enter(row)
	sum := make([]float64, r.gauge.problem.D)
	for _, d := range r.duals {
		if d != nil {
			num.Axpy(1, d, sum)
		}
	}
	row.DualSum = num.Norm(sum)
}

// Concluded takes a node's dual, a d-vector that is valid during the call.
func (r *Rolling) Concluded(shard, _ int, dual []float64) {
	zero := !slices.ContainsFunc(dual, func(x float64) bool { return x != 0 })
	if zero && (r.duals == nil || r.duals[shard] == nil) {
		return // a method may have no duals of nodes
	}
	if r.duals == nil {
		r.duals = make([][]float64, len(r.rounds))
	}
	r.duals[shard] = append(r.duals[shard][:0], dual...)
}

// Sent counts a packet.
func (r *Rolling) Sent(_ int, bytes int64) { r.sent.add(bytes) }

// Held is what the nodes have come to.
func (r *Rolling) Held() Held {
	return Held{Last: slices.Clone(r.held.inner), Averages: r.gauge.averages()}
}

// Rows returns the rows, the last of which is of the end of the run: its duals and its traffic are those after the last
// iterate.
func (r *Rolling) Rows() []Row {
	if r.pending > 0 {
		r.measure()
	}
	if n := len(r.rows); n > 0 {
		r.enter(&r.rows[n-1])
	}
	return r.rows
}

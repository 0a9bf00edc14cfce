// Measuring a run in lockstep: a round is measured when all nodes have published it.

package metrics

import (
	"overhear/internal/checkpoint"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/sim"
)

// Collector follows one run in lockstep over split rows. Its methods are called from the engine's goroutine; rows come
// out in order of round.
type Collector struct {
	lockstepTraffic
	gauge gauge
	rows  []Row
	open  []*openRound // by number; nil before the first value and after the last
	spare []*openRound
	duals []dualSum // by round
	ended func(Row)

	latest []publication // by node
	gone   []int         // nodes that publish no more
}

// publication is what a node has published last; values is nil before the first.
type publication struct {
	round         int
	values, inner []float64
	loss          float64
}

// openRound is a round that some node has published.
type openRound struct {
	*snapshot
	heard int
}

// dualSum is Σ_i λ_i of a round so far.
type dualSum struct {
	sum   []float64 // d-vector; nil before the first and after the last node
	heard int
}

// unmeasured is the time of a row whose round is not complete.
const unmeasured sim.Time = -1

// NewCollector measures a run of so many rounds of a problem. The optimum f*, a d-vector, may be nil; ended, which may
// be nil, is told of each round as it completes, before its dual sum and its traffic are known.
func NewCollector(p *problem.Problem, optimum []float64, rounds int, ended func(Row)) *Collector {
	c := &Collector{
		lockstepTraffic: make(lockstepTraffic, rounds+1), gauge: newGauge(p, optimum),
		rows: make([]Row, rounds+1), open: make([]*openRound, rounds+1), duals: make([]dualSum, rounds+1),
		ended: ended, latest: make([]publication, len(p.Shards)),
	}
	for t := range c.rows {
		c.rows[t] = newRow(t)
		c.rows[t].Time = unmeasured
	}
	c.rows[0].DualSum = 0 // duals start at zero
	return c
}

// Keep has the measurements taken from a track and handed to it; before the first of them.
func (c *Collector) Keep(t *checkpoint.Track) { c.gauge.track = t }

// Published takes the iterate that the node with a shard has published in round t, and the one behind it if the method
// shelters that; else inner is nil.
func (c *Collector) Published(
	shard, t int, at sim.Time, values, inner []float64, loss float64, stats problem.Stats,
) {
	c.latest[shard] = publication{t, values, inner, loss}
	r := c.open[t]
	if r == nil {
		r = c.begin()
		c.open[t] = r
		for _, k := range c.gone {
			c.standIn(k, r)
		}
	}
	r.take(shard, values, inner, loss, stats)
	r.heard++
	c.conclude(t, at)
}

// Gone is told that a node with a shard publishes no more, from this time on: in rounds that it has not published, its
// last iterate stands. One that never published anything leaves every round incomplete.
func (c *Collector) Gone(shard int, at sim.Time) {
	last := c.latest[shard]
	if last.values == nil {
		return
	}
	c.gone = append(c.gone, shard)
	for t := last.round + 1; t < len(c.open); t++ {
		if c.open[t] != nil {
			c.standIn(shard, c.open[t])
			c.conclude(t, at)
		}
	}
}

// standIn takes a node's last iterate for one of a later round.
func (c *Collector) standIn(shard int, r *openRound) {
	last := c.latest[shard]
	r.take(shard, last.values, last.inner, last.loss, problem.Stats{})
	r.heard++
}

// conclude measures a round if it is complete.
func (c *Collector) conclude(t int, at sim.Time) {
	r := c.open[t]
	if r.heard < len(r.values) {
		return
	}
	c.gauge.measure(&c.rows[t], r.snapshot)
	c.rows[t].Time = at
	c.open[t] = nil
	c.spare = append(c.spare, r)
	if c.ended != nil {
		c.ended(c.rows[t])
	}
}

// begin makes an open round, with the memory of one that has ended if there is one.
func (c *Collector) begin() *openRound {
	k := len(c.spare)
	if k == 0 {
		return &openRound{snapshot: newSnapshot(len(c.gauge.problem.Shards))}
	}
	r := c.spare[k-1]
	c.spare = c.spare[:k-1]
	r.heard = 0
	r.reset()
	return r
}

// Concluded adds a node's dual of a round, a d-vector, to the round's sum.
func (c *Collector) Concluded(_, t int, dual []float64) {
	s := &c.duals[t]
	if s.sum == nil {
		s.sum = make([]float64, len(dual))
	}
	num.Axpy(1, dual, s.sum)
	if s.heard++; s.heard == len(c.gauge.problem.Shards) {
		c.rows[t].DualSum = num.Norm(s.sum)
		s.sum = nil
	}
}

// Held is what the nodes have come to.
func (c *Collector) Held() Held {
	h := Held{Averages: c.gauge.averages()}
	for _, p := range c.latest {
		if p.inner == nil {
			p.inner = p.values
		}
		h.Last = append(h.Last, p.inner)
	}
	return h
}

// Rows returns the rows of the complete rounds, with the traffic counted so far.
func (c *Collector) Rows() []Row {
	complete := 0
	for complete < len(c.rows) && c.rows[complete].Time != unmeasured {
		complete++
	}
	rows := c.rows[:complete]
	c.enter(rows)
	return rows
}

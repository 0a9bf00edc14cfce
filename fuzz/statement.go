// What a run says of itself: losses, rounds over columns, traffic, and how nodes spent their time.

package fuzz

import (
	"math"
	"slices"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/problem"
	"overhear/sim"
)

// statement is what a run must say in the end.
type statement struct {
	bytes int64
	lags  []int64
	stale int64
	nodes []spent
	split []map[int][]float64 // by party, its coefficients by round
	ended int                 // the last round over columns that was told of; −1: none
}

// spent is what is known of a node's time.
type spent struct {
	least, most float64  // in which it computed
	finished    sim.Time // 0: it did not
}

func newStatement(nodes int) *statement {
	s := &statement{nodes: make([]spent, nodes), split: make([]map[int][]float64, nodes), ended: -1}
	for i := range s.split {
		s.split[i] = map[int][]float64{}
	}
	return s
}

// lag enters by how many rounds a value is behind; what is behind by more than most counts as that.
func (s *statement) lag(behind int) {
	const most = 1000
	behind = min(max(behind, 0), most)
	for len(s.lags) <= behind {
		s.lags = append(s.lags, 0)
	}
	s.lags[behind]++
}

// began enters the step that a node begins.
func (s *statement) began(c *checker, n *follower) {
	least, most := c.cost(n, n.round == c.a.Rounds)
	own := &s.nodes[n.id]
	own.least += max(0, least)
	own.most += most
}

// lossOf is (1/B) Σ_n L(u_n·f − t_n) of a node's rows, t_n = 0 where they have classes.
func lossOf(p *problem.Problem, shard *problem.Shard, f []float64) float64 {
	rows := shard.U.Len()
	if shard.Class != nil {
		return lossOfClasses(p, shard, f)
	}
	margins, slopes := make([]float64, rows), make([]float64, rows)
	for k := range rows {
		if margins[k] = shard.U.Dot(k, f); shard.Targets != nil {
			margins[k] -= shard.Targets[k]
		}
	}
	p.Loss.Slopes(slopes, margins)
	return p.Loss.Total(margins, slopes) / float64(rows)
}

// lossOfClasses is lossOf of rows with one of K classes, each with a block of f.
func lossOfClasses(p *problem.Problem, shard *problem.Shard, f []float64) float64 {
	sum, z := 0.0, make([]float64, p.K)
	for n, class := range shard.Class {
		for k := range z {
			z[k] = shard.U.Dot(n, f[k*shard.U.D:(k+1)*shard.U.D])
		}
		switch l := p.Loss.(type) {
		case problem.Softmax:
			most, odds := slices.Max(z), 0.0
			for _, v := range z {
				odds += math.Exp(v - most)
			}
			sum += most + math.Log(odds) - z[class]
		case problem.OneVsRest:
			for k := range z {
				if k != int(class) {
					z[k] = -z[k]
				}
			}
			slopes := make([]float64, len(z))
			l.Each.Slopes(slopes, z)
			sum += l.Each.Total(z, slopes)
		}
	}
	return sum / float64(len(shard.Class))
}

// publication checks what is said beside an iterate: its loss, and what is behind it.
func (c *checker) publication(n *follower, p *algorithms.Publication) {
	if c.a.Problem == nil || p.Part < 0 {
		return
	}
	if p.Part != n.id-c.a.First() {
		c.fail(invariantSays, "node %d publishes as part %d", n.id, p.Part)
		return
	}
	want := lossOf(c.a.Problem, &c.a.Problem.Shards[p.Part], p.Values)
	if !(math.Abs(p.Loss-want) <= 1e-9*(1+math.Abs(want))) && !(math.IsNaN(want) || math.IsInf(want, 0)) {
		c.fail(invariantSays, "node %d says that the loss of its iterate of round %d is %v; it is %v", n.id, p.Round,
			p.Loss, want)
	}
	if _, ok := c.original.(algorithms.Sheltering); !ok {
		return
	}
	behind := p.Values
	if p.Round > 0 {
		behind = c.spy.inner[n.id]
	}
	if !same(p.Inner, behind) {
		c.fail(invariantSays, "node %d says that behind its iterate of round %d is %v; it is %v", n.id, p.Round,
			p.Inner, behind)
	}
}

// reported checks what a user sends: its report when it starts and whenever it is asked, always the same, as each
// further one would say more of its row.
func (c *checker) reported(ev *sim.Event, parcels []parcel) {
	want := 0
	if ev.Kind == "start" || ev.Kind == "message" && ev.Message.Kind == algorithms.KindRequest {
		want = 1
	}
	if len(parcels) != want {
		c.fail(invariantSends, "user %d sends %d packets at %v, and must send %d", ev.Node, len(parcels), ev.At, want)
		return
	}
	for k := range parcels {
		first, ok := c.reports[ev.Node]
		if !ok {
			c.reports[ev.Node] = slices.Clone(parcels[k].payload)
		} else if !same(first, parcels[k].payload) {
			c.fail(invariantSends, "user %d sends another report at %v than before", ev.Node, ev.At)
		}
	}
}

// roundEnded takes a round over columns.
func (s *statement) roundEnded(c *checker, r *algorithms.ColumnRound) {
	if r.Round != s.ended+1 {
		c.fail(invariantSays, "round %d over columns is told of after round %d", r.Round, s.ended)
	}
	s.ended = r.Round
	at := sim.Time(0)
	for k := range c.publications { // of the event that is under way
		at = max(at, c.publications[k].At)
	}
	if r.Round > 0 && at != r.At {
		c.fail(invariantSays, "round %d over columns has ended at %v, and is told to have at %v", r.Round, at, r.At)
	}
	if r.Round == 0 {
		return
	}
	for m, x := range r.X {
		want, ok := s.split[m+1][r.Round]
		for k := range c.spy.calls { // of the event that is under way
			if call := &c.spy.calls[k]; call.what == "Answer" && call.node == m+1 && call.round == r.Round {
				want, ok = call.after.f, true
			}
		}
		delete(s.split[m+1], r.Round)
		if ok && !same(x, want) {
			c.fail(invariantSays, "round %d over columns has for party %d other coefficients than the method left",
				r.Round, m)
		}
	}
}

// said holds what a run that went to its end says of it against what was seen.
func (c *checker) said(f *experiment.Finished, known bool) {
	s := c.statement
	if f.Messages != int64(c.net.next) || f.Bytes != s.bytes {
		c.fail(invariantSays, "the run says that %d packets with %d bytes were sent; they were %d with %d", f.Messages,
			f.Bytes, c.net.next, s.bytes)
	}
	for i := range c.nodes {
		n, a := &c.nodes[i], &f.Activity.Nodes[i]
		if n.unknown {
			continue
		}
		own := &s.nodes[i]
		if a.Rounds != max(n.round, 0) || a.Finished != own.finished {
			c.fail(invariantSays, "the run says that node %d finished %d rounds, the last at %v (0: not); it was %d, "+
				"%v", i, a.Rounds, a.Finished, n.round, own.finished)
		}
		if c.e.Compute.Spread == 0 && !(float64(a.Busy) >= own.least && float64(a.Busy) <= own.most) {
			c.fail(invariantSays, "the run says that node %d computed for %v; it was %v to %v", i, a.Busy,
				sim.Duration(own.least), sim.Duration(own.most))
		}
		until := a.Finished
		if until == 0 {
			until = f.Over
		}
		down := sim.Duration(0)
		for _, d := range c.net.down[i] {
			down += sim.Duration(max(0, min(d.to, until)-d.from))
		}
		if down != f.Down[i] {
			c.fail(invariantSays, "the run says that node %d was down for %v before %v; it was %v", i, f.Down[i], until,
				down)
		}
	}
	if known && (!slices.Equal(f.Activity.Lags, s.lags) || f.Activity.Stale != s.stale) {
		c.fail(invariantSays, "the run says that values were so many rounds behind so often: %v, and %d stood in; it "+
			"was %v, %d", f.Activity.Lags, f.Activity.Stale, s.lags, s.stale)
	}
}

// What links do to packets, held against what the scenario and the seed say of them, and by tests of all packets of a
// run, whether what the seed says is as random as it should be.

package fuzz

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"overhear/sim"
)

// chance is how often a right network fails a test of a run. A search makes some dozens of
// tests a run: of 1,000 runs one in 10¹⁰ searches gives a false alarm.
const chance = 1e-15

// fine is the spread of delays in nanoseconds below which their rounding shows in a test.
const fine = 1e4

// way is a link, by sender and receiver. everywhere stands for all.
type way struct{ from, to int }

var everywhere = way{-1, -1}

// sample is what is counted together: packets with the same probability p of something, or
// numbers that are uniform in [0, 1], with mean p.
type sample struct {
	what string
	way  way
	p    float64
	kind kind
	down bool // it is of outages, not packets
}

type kind uint8

const (
	share   kind = iota // as many as p says
	atLeast             // or more
	uniform
)

func (s sample) String() string {
	if s.way == everywhere {
		return s.what
	}
	return fmt.Sprintf("%s from node %d to %d", s.what, s.way.from, s.way.to)
}

// tally is how many there are of a sample and the sum of what is counted, each in [0, 1].
type tally struct {
	of  int
	sum float64
}

// count adds to the sample of a link and to that of all.
func (n *network) count(what string, w way, p float64, k kind, x float64) {
	n.add(sample{what: what, way: w, p: p, kind: k}, x)
	n.add(sample{what: what, way: everywhere, p: p, kind: k}, x)
}

func (n *network) add(s sample, x float64) {
	t := n.tallies[s]
	n.tallies[s] = tally{t.of + 1, t.sum + x}
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// surprise bounds the probability that a mean of so many is as far from p as this, either way,
// by 2·exp(−of·surprise) (Hoeffding 1963). It is the relative entropy of counts; what is uniform
// has the variance 1/12 and no heavier tails than a normal number.
func (t tally) surprise(s sample) float64 {
	term := func(q, p float64) float64 {
		if q <= 0 {
			return 0
		}
		return float64(q * math.Log(q/p)) // p = 0: infinite
	}
	q := min(t.sum/float64(t.of), 1)
	switch {
	case s.kind == atLeast && q >= s.p:
		return 0
	case s.kind == uniform:
		return float64(6 * (q - s.p) * (q - s.p))
	}
	return term(q, s.p) + term(1-q, 1-s.p)
}

// tests fails for the first sample that chance does not explain. How many packets a run sends depends on
// what became of those before; so each number of packets has a share of chance.
func (n *network) tests() {
	all := slices.SortedFunc(maps.Keys(n.tallies), func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(a.way.from, b.way.from),
			cmp.Compare(a.way.to, b.way.to), cmp.Compare(a.p, b.p), cmp.Compare(a.kind, b.kind))
	})
	for _, s := range all {
		t := n.tallies[s]
		k := float64(t.of)
		if limit := math.Log(2 * k * (k + 1) / chance); !(float64(k*t.surprise(s)) <= limit) {
			invariant, what := invariantPackets, "packets"
			if s.down {
				invariant, what = invariantDown, "outages"
			}
			n.fail(invariant, "of %d %s, %v: %.4g, where %.4g are expected", t.of, what, s, t.sum, float64(k*s.p))
			return
		}
	}
}

// linkOf is what the scenario says of the link of an edge.
func (n *network) linkOf(w way) sim.Link {
	l := n.s.On(n.sites)
	for _, o := range n.s.Links {
		if o.Between != [2]int{w.from, w.to} && o.Between != [2]int{w.to, w.from} {
			continue
		}
		l = n.s.On(n.sites)
		set(&l.Latency, o.Latency)
		set(&l.Bandwidth, o.Bandwidth)
		set(&l.Loss, o.Loss)
		set(&l.Duplication, o.Duplication)
	}
	return l
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// impaired is what bad links do to an edge at a time: the factor of its latency, and
// with what probability they lose packets.
func (n *network) impaired(w way, t sim.Time) (factor, loss float64) {
	factor = 1
	for k := range n.bad {
		l := n.bad[k].Kind.(sim.BadLink)
		if !holds(&n.bad[k]).has(t) || l.Link != [2]int{w.from, w.to} && l.Link != [2]int{w.to, w.from} {
			continue
		}
		loss = max(loss, l.Loss)
		if l.Factor != nil {
			factor *= *l.Factor
		}
	}
	return factor, loss
}

// leaves says when a packet has left its sender: once those before it on the link have, and
// its bits take their time.
func (n *network) leaves(w way, p *parcel, b sim.Bandwidth) sim.Time {
	if b == 0 {
		return p.sent
	}
	n.busy[w] = max(p.sent, n.busy[w]) + sim.Time(float64(p.bytes)*(8e9/float64(b)))
	return n.busy[w]
}

// bounds are those of a law's delays in nanoseconds.
func bounds(l *sim.Latency) (low, high float64) {
	switch l.Kind {
	case "uniform":
		return float64(l.Low), float64(l.High)
	case "exponential", "lognormal":
		return 0, math.Inf(1)
	case "pareto":
		return float64(l.Scale), math.Inf(1)
	}
	return float64(l.Value), float64(l.Value)
}

// rank is a law's distribution function at a delay; not where the delays are so near each other
// that their rounding counts.
func rank(l *sim.Latency, x, factor float64) (u float64, ok bool) {
	var spread float64
	switch l.Kind {
	case "uniform":
		spread = float64(l.High - l.Low)
		u = (x - float64(l.Low)) / spread
	case "exponential":
		spread = float64(l.Mean)
		u = -math.Expm1(-x / spread)
	case "lognormal":
		spread = float64(float64(l.Median) * l.Sigma)
		u = 0.5 * math.Erfc(-math.Log(x/float64(l.Median))/(l.Sigma*math.Sqrt2))
	case "pareto":
		spread = float64(l.Scale) / l.Shape
		u = -math.Expm1(float64(l.Shape * math.Log(float64(l.Scale)/x)))
	}
	return min(max(u, 0), 1), float64(spread*min(factor, 1)) >= fine
}

// carried checks what became of a packet that no partition stops.
func (n *network) carried(name func() string, p *parcel, w way, f fate, link *sim.Link, depart sim.Time) {
	factor, worse := n.impaired(w, p.sent)
	loss := max(link.Loss, worse)
	apart, law := link.Latency.Between(w.from, w.to)
	n.follows(name, p, f, link, depart, factor, loss)
	n.count("lost or due at a node that is down", w, loss, atLeast, number(len(p.received) == 0))
	if n.endangered(w.to) { // it may be down when a copy would arrive, which depends on the delay
		return
	}
	n.count("lost", w, loss, share, number(len(p.received) == 0))
	if len(p.received) == 0 {
		return
	}
	n.count("sent on twice", w, link.Duplication, share, number(len(p.received) == 2))
	last, known := 0.0, false
	for k, at := range p.received {
		u, ok := rank(&law, (float64(at-depart)+0.5)/factor-float64(apart), factor)
		if !ok {
			continue
		}
		n.count("sum of the ranks of delays", w, 0.5, uniform, u)
		n.count("sum of the distances of these ranks from the middle", w, 0.5, uniform, math.Abs(float64(2*u)-1))
		if k == 0 && n.latest >= 0 {
			n.add(sample{what: "sum of the differences of the ranks of packets in turn", way: everywhere, p: 0.5,
				kind: uniform}, around1(u-n.latest))
		}
		if known {
			n.count("sum of the differences of the ranks of two copies", w, 0.5, uniform, around1(u-last))
		}
		last, known, n.latest = u, true, u
	}
}

// follows holds a packet against its fate: all its copies arrive, each when it is due, but those that are due at a node
// that is down, which only the end of the run tells.
func (n *network) follows(name func() string, p *parcel, f fate, link *sim.Link, depart sim.Time, factor,
	loss float64) {
	var copies []dueCopy
	if !(f.loss < loss) {
		copies = append(copies, dueCopy{from: p.from, to: p.to, id: p.id, sent: p.sent})
		if f.duplication < link.Duplication {
			copies = append(copies, copies[0])
		}
	}
	apart, law := link.Latency.Between(p.from, p.to)
	for k := range copies {
		low, high := due(&law, apart, f.delays[k], factor)
		copies[k].earliest, copies[k].latest = float64(depart)+low, float64(depart)+high
	}
	for _, at := range p.received {
		k := slices.IndexFunc(copies, func(c dueCopy) bool {
			return c.earliest <= float64(at) && float64(at) <= c.latest
		})
		if k < 0 {
			n.fail(invariantPackets, "%s leaves it at %v and arrives at %v, where its link, with a latency of %s, %v "+
				"times as long by faults, loses %v and doubles %v of all packets: copies that are due: %v", name(),
				sim.Duration(depart), at, link.Latency.Words(), factor, loss, link.Duplication, copies)
			return
		}
		copies = slices.Delete(copies, k, k+1)
	}
	n.lost = append(n.lost, copies...)
}

// around1 is x modulo 1. Of the difference of two independent ranks it is uniform, too.
func around1(x float64) float64 { return x - math.Floor(x) }

// endangered says whether the plan may have a node down at some time.
func (n *network) endangered(node int) bool {
	if n.comings(node) != nil {
		return true
	}
	return slices.ContainsFunc(n.crash, func(f sim.Fault) bool { who, _, _ := outage(&f); return who == node })
}

// dueCopy is a copy of a packet, and between which times it is to arrive.
type dueCopy struct {
	id               uint64
	from, to         int
	sent             sim.Time
	earliest, latest float64
}

func (c dueCopy) String() string {
	return fmt.Sprintf("from %v to %v", sim.Duration(c.earliest), sim.Duration(c.latest))
}

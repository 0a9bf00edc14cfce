// What the network may do to packets and nodes, computed from the scenario and from
// what is seen of a run, and from nothing that the engine keeps of it.

package fuzz

import (
	"fmt"
	"math"
	"slices"

	"overhear/scenarios"
	"overhear/sim"
)

// interval is a time [from, to).
type interval struct{ from, to sim.Time }

const never = sim.Time(math.MaxInt64)

func (i interval) has(t sim.Time) bool { return i.from <= t && t < i.to }

// holds is when a fault does.
func holds(f *sim.Fault) interval {
	i := interval{sim.Time(f.At), never}
	if f.Until != 0 {
		i.to = sim.Time(f.Until)
	}
	return i
}

// copyOf names what has to arrive: a copy of a packet. Payloads are shared, so that the
// address says which it is.
type copyOf struct {
	from, to, round int32
	kind            uint8
	sent, received  sim.Time
	payload         *float64
}

// inFlight is how many such copies are under way, and what their numbers were when they
// were sent.
type inFlight struct {
	copies int
	sum    uint64
}

func address(payload []float64) *float64 {
	if len(payload) == 0 {
		return nil
	}
	return &payload[0]
}

// sumOf is FNV-1a over whole numbers instead of bytes.
func sumOf(payload []float64) uint64 {
	h := uint64(14695981039346656037)
	for _, v := range payload {
		h = (h ^ math.Float64bits(v)) * 1099511628211
	}
	return h
}

// parcel is a packet with all its copies.
type parcel struct {
	id       uint64
	from, to int
	kind     uint8
	round    int
	sent     sim.Time
	payload  []float64 // as it was sent
	at       *float64  // where it was
	bytes    int64
	received []sim.Time // none: it was lost
}

// network checks what becomes of packets, and when nodes are down.
type network struct {
	s            *scenarios.Network
	sites        *sim.Placed
	fail         func(invariant, format string, args ...any)
	flight       map[copyOf]*inFlight
	next         uint64 // number of the packet to come
	down         map[int][]interval
	active       sim.Time    // of the latest event that no fault caused
	crash        []sim.Fault // faults of each kind
	cuts         []sim.Fault
	bad          []sim.Fault
	recurring    []recurring
	fates        *fates
	lost         []dueCopy        // for which no reason was found when they were sent
	missed       map[way]sim.Time // when a copy of a packet on a link was lost last
	busy         map[way]sim.Time // until when packets leave, where bandwidth is limited
	tallies      map[sample]tally
	order        order
	latest       float64 // rank of the latest delay; −1: none
	latestOutage float64 // that of the latest outage
}

func newNetwork(s *scenarios.Network, sites *sim.Placed, shuffled bool, f *fates,
	fail func(invariant, format string, args ...any)) *network {
	n := &network{s: s, sites: sites, fates: f, fail: fail, flight: map[copyOf]*inFlight{}, down: map[int][]interval{},
		missed: map[way]sim.Time{}, busy: map[way]sim.Time{}, tallies: map[sample]tally{}, latest: -1, latestOutage: -1,
		order: order{shuffled: shuffled, at: -1}}
	number := map[string]int{}
	for _, f := range s.Faults {
		switch f.Kind.(type) {
		case sim.Crash, sim.Join, sim.Leave:
			n.crash = append(n.crash, f)
		case sim.Partition:
			n.cuts = append(n.cuts, f)
		case sim.BadLink:
			n.bad = append(n.bad, f)
		}
		if r, ok := recurs(&f, number); ok {
			n.recurring = append(n.recurring, r)
		}
	}
	return n
}

// outage is when a fault that names a node keeps it down, and whether its memory is lost.
func outage(f *sim.Fault) (node int, i interval, lost bool) {
	switch k := f.Kind.(type) {
	case sim.Crash:
		return k.Node, holds(f), k.Memory == "lost"
	case sim.Join:
		return k.Node, interval{0, sim.Time(f.At)}, false
	case sim.Leave:
		return k.Node, interval{sim.Time(f.At), never}, false
	}
	return -1, interval{}, false
}

// planned says whether the plan has a node down at a time.
func (n *network) planned(node int, t sim.Time) bool {
	for k := range n.crash {
		if who, i, _ := outage(&n.crash[k]); who == node && i.has(t) {
			return true
		}
	}
	return false
}

// gone says whether a node has left by a time, or is down and will not be up again. One that is
// down when it should leave is not told, and does not come back either.
func (n *network) gone(node int, t sim.Time) bool {
	down := n.down[node]
	drawn := len(down) > 0 && down[len(down)-1].to == never && n.comings(node) != nil // until when is not known
	end := t
	for longer := true; longer; {
		longer = false
		for k := range n.crash {
			who, i, _ := outage(&n.crash[k])
			if who == node && i.to > end && (i.from <= end || drawn && i.to == never) {
				end, longer = i.to, true
			}
		}
	}
	return end == never
}

// comings are the faults by which a node goes down again and again.
func (n *network) comings(node int) (all []*recurring) {
	for k := range n.recurring {
		if n.recurring[k].of(node) {
			all = append(all, &n.recurring[k])
		}
	}
	return all
}

// forgot says whether a node that was down in an interval has lost its memory; sure is
// false where outages that are drawn leave it open.
func (n *network) forgot(node int, down interval) (lost, sure bool) {
	named := false
	for k := range n.crash {
		if who, i, l := outage(&n.crash[k]); who == node && i.from <= down.to && i.to >= down.from {
			named, lost = true, lost || l
		}
	}
	if lost {
		return true, true
	}
	all, some := true, false
	for _, f := range n.comings(node) {
		all, some = all && f.lost, some || f.lost
	}
	switch {
	case !some:
		return false, true
	case all && !named:
		return true, true
	}
	return false, false
}

// separated says whether a partition holds between two nodes.
func (n *network) separated(from, to int, t sim.Time) bool {
	for k := range n.cuts {
		if !holds(&n.cuts[k]).has(t) {
			continue
		}
		a, b := -1, -1
		for g, group := range n.cuts[k].Kind.(sim.Partition).Groups {
			if slices.Contains(group, from) {
				a = g
			}
			if slices.Contains(group, to) {
				b = g
			}
		}
		if a >= 0 && b >= 0 && a != b {
			return true
		}
	}
	return false
}

// sent takes a packet with all its copies.
func (n *network) sent(p *parcel) {
	name := func() string {
		return fmt.Sprintf("packet %d of node %d to %d, sent at %v,", p.id, p.from, p.to, p.sent)
	}
	if p.id != n.next {
		n.fail(invariantPackets, "%s comes after packet %d", name(), n.next-1)
	}
	n.next = p.id + 1
	if size := 8*int64(len(p.payload)) + n.s.Header; p.bytes != size {
		n.fail(invariantPackets, "%s has %d bytes, not %d", name(), p.bytes, size)
	}
	w := way{p.from, p.to}
	if len(p.received) == 0 {
		n.missed[w] = p.sent
	}
	link, fate := n.linkOf(w), n.fates.next(w)
	depart := n.leaves(w, p, link.Bandwidth)
	if n.separated(p.from, p.to, p.sent) {
		if len(p.received) > 0 {
			n.fail(invariantPartition, "%s arrives at %v, though a partition is between them", name(), p.received[0])
		}
		return
	}
	n.carried(name, p, w, fate, &link, depart)
	for _, at := range p.received {
		key := copyOf{int32(p.from), int32(p.to), int32(p.round), p.kind, p.sent, at, p.at}
		f := n.flight[key]
		if f == nil {
			f = &inFlight{sum: sumOf(p.payload)}
			n.flight[key] = f
		}
		f.copies++
	}
}

// reaches says whether two nodes have been up since a time, and nothing between them was lost
// then or is under way.
func (n *network) reaches(a, b int, since sim.Time) bool {
	for _, node := range []int{a, b} {
		if slices.ContainsFunc(n.down[node], func(d interval) bool { return d.to >= since }) {
			return false
		}
	}
	for _, w := range []way{{a, b}, {b, a}} {
		if at, ok := n.missed[w]; ok && at >= since {
			return false
		}
		for key := range n.flight {
			if (way{int(key.from), int(key.to)}) == w {
				return false
			}
		}
	}
	return true
}

// arrived takes the arrival of a message.
func (n *network) arrived(ev *sim.Event) {
	m := ev.Message
	key := copyOf{m.From, int32(ev.Node), m.Round, m.Kind, m.Sent, ev.At, address(m.Payload)}
	f := n.flight[key]
	if f == nil {
		n.fail(invariantPackets, "node %d receives at %v a message of node %d, round %d, sent at %v, that was not to "+
			"arrive then", ev.Node, ev.At, m.From, m.Round, m.Sent)
		return
	}
	if f.sum != sumOf(m.Payload) {
		n.fail(invariantPackets, "a message of node %d to %d, sent at %v, has changed on its way", m.From, ev.Node,
			m.Sent)
	}
	if f.copies--; f.copies == 0 {
		delete(n.flight, key)
	}
}

// ended checks what only the end of a run shows: every copy has arrived, what was lost
// was lost for a reason, named outages have happened, and links lose and double as many
// packets as they should, and nodes crash as often.
func (n *network) ended(nodes int, end sim.Time) {
	for key := range n.flight {
		n.fail(invariantPackets, "a message of node %d to %d, sent at %v and due at %v, never arrives", key.from,
			key.to, key.sent, key.received)
		break
	}
	for k := range n.lost {
		p := &n.lost[k]
		reason := slices.ContainsFunc(n.down[p.to], func(i interval) bool {
			return float64(i.from) <= p.latest && float64(i.to) > p.earliest
		})
		if !reason {
			n.fail(invariantPackets, "packet %d of node %d to %d, sent at %v, is lost for no reason", p.id, p.from,
				p.to, p.sent)
			break
		}
	}
	for k := range n.crash {
		node, i, _ := outage(&n.crash[k])
		covered := slices.ContainsFunc(n.down[node], func(d interval) bool { return d.from <= i.from && d.to >= i.to })
		if !covered {
			n.fail(invariantDown, "%v: it is not down then, at the end of the run at %v", n.crash[k].String(), end)
		}
	}
	for node := range nodes {
		down := n.down[node]
		if k := len(down) - 1; k >= 0 && down[k].to == never && down[k].from <= n.active && !n.gone(node, end) {
			n.fail(invariantDown, "the run ends at %v and does not wait for node %d, down since %v, to be up again",
				end, node, down[k].from)
		}
	}
	n.outages(n.fates.graph.Order(), end)
	n.crashes(nodes, end)
	n.tests()
}

// A second account of a run, kept from the events, packets and publications that are
// seen from outside: what each node has heard, when it must step, what must enter its
// update and what it must send.

package fuzz

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/sim"
)

// style is how the nodes of a run take turns.
type style uint8

const (
	lockstep style = iota // rounds of neighbours
	free                  // without barriers
	around                // rounds around a hub
)

// value is what a node has heard of a neighbour, or what stands in for it.
type value struct {
	round   int // of it; −1: nothing
	payload []float64
}

// alarm is a timer that a node must have set.
type alarm struct {
	at      sim.Time
	round   int
	attempt int
}

// slotKey is a message of a node: to whom and of which round.
type slotKey struct{ to, round int }

// follower is what a node must be doing.
type follower struct {
	id         int
	neighbours []int32

	running   bool // it has started and not left
	down      bool
	since     sim.Time // when it went down
	restarted sim.Time // when it came up last; −1: it did not
	forgotten bool     // it has lost its memory before
	unknown   bool     // whether it has its memory cannot be told, so that it is no longer followed
	done      bool
	left      bool

	round    int      // of its last publication; −1: none
	waiting  sim.Time // since when for this round
	stepping bool
	began    sim.Time
	inputs   [][]float64 // of the step under way
	rounds   []int       // of these values; −1: none
	fresh    []bool

	heard   []map[int]value // by position and round for which they are, in lockstep and around a hub
	newest  []value         // by position, of the latest round; without barriers, and where stale values are used
	renewed []bool
	gone    []bool     // has said that it leaves
	silent  []bool     // is taken to have left, without barriers
	asked   []bool     // since it was last heard
	last    []sim.Time // when anything was heard of it last; −1: never
	overdue bool
	used    []value // what the last step used
	alarms  []alarm

	state       state
	sureF       bool // state.f is known
	sureDual    bool
	sureMemory  bool
	outbox      map[slotKey][]float64
	published   [][]float64 // by round
	entered     [][]int     // by round ≥ 1, the rounds of the values that entered
	edges       [][]float64 // z by position, of methods with a state for every edge
	wholeStates bool        // published and entered are of one life, from round 0
}

// checker follows a run. It is told of everything in the order of the trace, and uses an
// event to explain what was done before it is told of it.
type checker struct {
	e         *experiment.Experiment
	a         *experiment.Assembly
	original  algorithms.Method
	style     style
	central   bool // a hub merges iterates
	columns   bool
	lossy     bool
	fail      func(invariant, format string, args ...any)
	net       *network
	spy       *spy
	nodes     []follower
	d         int
	claims    *claims
	silences  []algorithms.Silence
	reports   map[int][]float64 // of users, by node
	statement *statement
	measured  []sim.Duration // times of updates; nil: they are not from a list
	factors   []float64      // of nodes, by their class; nil: all 1

	// What was done since the last event.
	publications []algorithms.Publication
	conclusions  []conclusion
	parcels      []parcel
	now          sim.Time
}

type conclusion struct {
	node, round int
	dual        []float64
}

func newChecker(e *experiment.Experiment, a *experiment.Assembly, fail func(string, string, ...any)) (*checker,
	error) {
	c := &checker{e: e, a: a, original: a.Method, fail: fail, lossy: e.Network.Lossy(),
		spy: &spy{first: a.First(), inner: map[int][]float64{}}, reports: map[int][]float64{},
		statement: newStatement(a.Graph.Order())}
	_, registers := a.Method.(algorithms.Registering)
	graph, err := linked(a, registers)
	if err != nil {
		return nil, err
	}
	if m := e.Compute.Measured; m != nil {
		if c.measured, err = m.Read(); err != nil {
			return nil, err
		}
	}
	if f := e.Compute.Classes; f != nil {
		if c.factors, err = f.Of(a.Seed, a.Graph.Order()); err != nil {
			return nil, err
		}
	}
	sites, err := a.Sites.Joined(graph)
	if err != nil {
		return nil, err
	}
	c.net = newNetwork(&e.Network, sites, e.Ties == "shuffled", newFates(a.Seed, graph), fail)
	_, c.central = a.Method.(algorithms.Central)
	_, c.columns = a.Method.(algorithms.ColumnMethod)
	_, isolated := a.Method.(algorithms.Isolated)
	switch {
	case e.Rounds.Mode == "asynchronous":
		c.style = free
	case c.central || c.columns:
		c.style = around
	}
	if a.Problem != nil {
		c.d = a.Problem.D
	}
	c.claims = newClaims(c)
	c.nodes = make([]follower, a.Graph.Order())
	for i := range c.nodes {
		n := &c.nodes[i]
		*n = follower{id: i, round: -1, restarted: -1, outbox: map[slotKey][]float64{}, wholeStates: true}
		if !isolated {
			n.neighbours = a.Graph.Neighbours(i)
		}
		v := len(n.neighbours)
		n.edges = make([][]float64, v)
		n.gone, n.silent, n.asked, n.last = make([]bool, v), make([]bool, v), make([]bool, v), make([]sim.Time, v)
		for k := range n.last {
			n.last[k] = -1
		}
		c.begin(n)
	}
	return c, nil
}

// begin is a node that has heard no values: at first, and when it has lost its memory. It
// knows who of its neighbours has left.
func (c *checker) begin(n *follower) {
	v := len(n.neighbours)
	n.heard, n.newest = make([]map[int]value, v), make([]value, v)
	n.renewed, n.used = make([]bool, v), make([]value, v)
	for k := range n.heard {
		n.heard[k], n.newest[k].round, n.used[k].round = map[int]value{}, -1, -1
		n.edges[k] = make([]float64, c.d)
	}
	n.overdue, n.stepping, n.alarms = false, false, nil
	n.state = state{}
	n.sureF, n.sureDual, n.sureMemory = true, true, true
	if _, ok := c.original.(algorithms.Registering); ok {
		n.sureMemory = false // it is made of reports
	}
	switch {
	case !c.columns:
		n.state.f = c.e.Algorithm.Init.Start(c.a.Seed, n.id, c.d)
	case n.id == 0: // what a hub starts with is the method's business
		n.sureF, n.sureDual, n.sureMemory = false, false, false
	default:
		n.state.f = c.e.Algorithm.Init.Start(c.a.Seed, n.id, c.a.Split.Blocks[n.id-1].D)
	}
}

// Published notes a publication.
func (c *checker) Published(p *algorithms.Publication) { c.publications = append(c.publications, *p) }

// Concluded notes a dual.
func (c *checker) Concluded(node, round int, dual []float64) {
	c.conclusions = append(c.conclusions, conclusion{node, round, slices.Clone(dual)})
}

// sent notes a copy of a packet.
func (c *checker) sent(p *sim.Packet) {
	if k := len(c.parcels); k == 0 || c.parcels[k-1].id != p.ID {
		c.parcels = append(c.parcels, parcel{id: p.ID, from: int(p.From), to: int(p.To), kind: p.Kind,
			round: int(p.Round), sent: p.Sent, payload: slices.Clone(p.Payload), at: address(p.Payload),
			bytes: p.Bytes})
		c.statement.bytes += p.Bytes
	}
	if last := &c.parcels[len(c.parcels)-1]; p.Received >= 0 {
		last.received = append(last.received, p.Received)
	}
}

// event explains what was done in an event.
func (c *checker) event(ev *sim.Event) {
	publications, conclusions, parcels, calls := c.publications, c.conclusions, c.parcels, c.spy.calls
	c.publications, c.conclusions, c.parcels, c.spy.calls, c.now = nil, nil, nil, nil, ev.At
	for k := range parcels {
		p := &parcels[k]
		if p.from != ev.Node || p.sent != ev.At {
			c.fail(invariantSends, "packet %d is of node %d at %v, in an event of node %d at %v", p.id, p.from, p.sent,
				ev.Node, ev.At)
		}
		c.net.sent(p)
	}
	if ev.Kind == "message" {
		c.net.arrived(ev)
		c.net.order.next(c.net, ev)
	}
	c.availability(ev)
	if ev.Node >= len(c.nodes) {
		c.reported(ev, parcels)
		return
	}
	n := &c.nodes[ev.Node]
	for _, p := range publications {
		if p.Node != ev.Node || p.At != ev.At {
			c.fail(invariantSteps, "node %d publishes round %d at %v, in an event of node %d at %v", p.Node, p.Round,
				p.At, ev.Node, ev.At)
			return
		}
	}
	if n.unknown {
		return
	}
	var expected []message
	if n.running && ev.Kind != "crash" && ev.Kind != "leave" {
		c.punctual(n, ev.At)
	}
	switch ev.Kind {
	case "start":
		n.running = true
		if c.columns && n.id > 0 {
			n.round = 0 // parties publish nothing in it
		}
	case "message":
		expected = c.hear(n, ev)
	case "timer":
		expected = c.tick(n, ev.At, parcels != nil)
	case "restart":
		expected = c.restart(n, ev.At)
		if n.unknown {
			return
		}
	case "leave":
		if c.style != around && !n.left {
			for _, j := range n.neighbours {
				expected = append(expected, message{int(j), algorithms.KindLeave, max(n.round, 0)})
			}
		}
		n.left, n.done = true, true
	case "computed":
		own := slices.DeleteFunc(slices.Clone(calls), func(k call) bool { return k.node != n.id })
		c.computed(n, ev.At, own, publications, conclusions)
	}
	for k := range publications {
		expected = append(expected, c.publish(n, &publications[k], ev.Kind)...)
	}
	if n.round >= 0 && !n.done && !n.stepping {
		c.advance(n, ev.At)
	}
	if len(publications) > 0 && !n.stepping && !n.done {
		c.await(n, ev.At)
	}
	c.compare(n, ev, expected, parcels)
}

// availability follows when nodes are down, and says what a node may not do meanwhile.
func (c *checker) availability(ev *sim.Event) {
	down := c.net.down[ev.Node]
	open := len(down) > 0 && down[len(down)-1].to == never
	switch ev.Kind {
	case "crash", "leave":
		if !open {
			c.net.down[ev.Node] = append(down, interval{ev.At, never})
		}
		if ev.Kind == "crash" && !c.net.planned(ev.Node, ev.At) && !c.net.mayCrash(ev.Node, ev.At) {
			c.fail(invariantDown, "node %d crashes at %v, which no fault says", ev.Node, ev.At)
		}
	case "restart", "start":
		if (ev.At > 0 || ev.Kind == "restart") && !c.net.returns(ev.Node, ev.At) {
			c.fail(invariantDown, "node %d is up again at %v, which no fault says", ev.Node, ev.At)
		}
		if open {
			down[len(down)-1].to = ev.At
			c.net.up(ev.Node, down[len(down)-1])
		}
		if c.net.planned(ev.Node, ev.At) {
			c.fail(invariantDown, "node %d is up at %v, when a fault has it down", ev.Node, ev.At)
		}
	default:
		c.net.active = ev.At
		if open || c.net.planned(ev.Node, ev.At) {
			c.fail(invariantDown, "a %s happens at node %d at %v, which is down", ev.Kind, ev.Node, ev.At)
		}
	}
	if ev.Node < len(c.nodes) {
		n := &c.nodes[ev.Node]
		switch ev.Kind {
		case "crash", "leave":
			n.down, n.since = true, ev.At
		case "restart", "start":
			n.down, n.restarted = false, ev.At
		}
	}
}

// message is one that a node must send.
type message struct {
	to    int
	kind  uint8
	round int
}

// compare holds what a node sent against what it must send, and every value against the
// one that the node has.
func (c *checker) compare(n *follower, ev *sim.Event, expected []message, parcels []parcel) {
	var sent []message
	for k := range parcels {
		p := &parcels[k]
		if p.from != n.id || p.to >= len(c.nodes) {
			continue // to a user
		}
		sent = append(sent, message{p.to, p.kind, p.round})
		if p.kind != algorithms.KindValue {
			continue
		}
		key := slotKey{p.to, p.round}
		if own, ok := n.outbox[key]; ok && !same(own, p.payload) {
			c.fail(invariantSends, "node %d sends node %d at %v another value of round %d than it has", n.id, p.to,
				ev.At, p.round)
		}
		n.outbox[key] = p.payload
		c.claims.sent(n, p)
	}
	order := func(all []message) {
		sort.Slice(all, func(i, j int) bool {
			a, b := all[i], all[j]
			return a.to < b.to || a.to == b.to && (a.kind < b.kind || a.kind == b.kind && a.round < b.round)
		})
	}
	order(sent)
	order(expected)
	if !slices.Equal(sent, expected) {
		c.fail(invariantSends, "node %d, in round %d, sends %s at %v, and must send %s", n.id, n.round, words(sent),
			ev.At, words(expected))
	}
}

func words(all []message) string {
	if len(all) == 0 {
		return "nothing"
	}
	text := ""
	for k, m := range all {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %d to node %d", algorithms.Kinds[m.kind], m.round, m.to)
	}
	return text
}

// same compares the bits of two vectors.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// equal is same, but that what is zero may be absent.
func equal(a, b []float64) bool {
	zero := func(v []float64) bool { return !slices.ContainsFunc(v, func(x float64) bool { return x != 0 }) }
	return same(a, b) || zero(a) && zero(b) && (len(a) == 0 || len(b) == 0)
}

// ended checks what only the end of a run shows.
func (c *checker) ended(f *experiment.Finished) {
	end, silences := f.End, f.Activity.Silences // what the protocol says of them
	c.net.ended(len(c.nodes), end)
	known := !slices.ContainsFunc(c.nodes, func(n follower) bool { return n.unknown })
	if known && !slices.Equal(silences, c.silences) {
		c.fail(invariantInputs, "nodes take neighbours to have left: %v; they must: %v", silences, c.silences)
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		if n.unknown || c.net.gone(i, end) {
			continue
		}
		if n.round != c.a.Rounds {
			c.fail(invariantSteps, "the run ends at %v with node %d in round %d of %d", end, i, n.round, c.a.Rounds)
		}
	}
	c.claims.ended()
	c.said(f, known)
}

// Faults: partitions, crashes, slow nodes and links, nodes that join and leave,
// as they are configured and as the engine carries them out.

package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Fault is one thing that goes wrong, an entry of `network.faults` in a
// scenario. Exactly one of Partition, Crash, Slow, Link, Join, Leave and Crashes
// is given. It holds in [At, Until): at At already, at Until no more.
//
// All faults are known in advance or drawn from streams of their own, so that
// whether a packet arrives is decided when it is sent: it is lost if its link is
// cut then, and if its receiver is down, absent or gone when it would arrive.
// Outages of a node that overlap or touch are one outage, with memory lost if it
// is in one of them.
//
// Every fault given by name happens, if need be after all else. Crashes by rate
// go on only as long as something else can: while an event is pending or a named
// fault is to come, and until those nodes are up again that were down when
// something was last pending or sent, or was lost because its receiver was down.
// So a run that is over ends, provided that a node with nothing left to do sends
// nothing and sets no timer in Restart.
type Fault struct {
	At        Duration `yaml:"at" doc:"when it begins; 0s if not given"`
	Until     Duration `yaml:"until" doc:"when it is over; never if not given"`
	Partition [][]int  `yaml:"partition" doc:"groups of nodes: what is sent from one group to another is lost; nodes in no group keep all their links"`
	Crash     *int     `yaml:"crash" doc:"node that is down: it does nothing and what would arrive is lost"`
	Memory    string   `yaml:"memory" enum:"kept,lost" doc:"kept (if not given): timers and computations that fall due during the crash happen at its end; lost: those from before the crash never happen"`
	Slow      *int     `yaml:"slow" doc:"node whose computations begun in that time take factor times as long"`
	Link      *[2]int  `yaml:"link" doc:"edge over which packets sent in that time take factor times as long, or are lost, in both directions"`
	Factor    *float64 `yaml:"factor" doc:"multiplies durations (slow) or latency (link, where it is 1 if not given)"`
	Loss      float64  `yaml:"loss" doc:"probability that a packet is lost (link), where it is greater than the link's own"`
	Join      *int     `yaml:"join" doc:"node that is absent before that time and starts then"`
	Leave     *int     `yaml:"leave" doc:"node that is told at that time, may send farewells, and is gone for ever"`
	Crashes   *Crashes `yaml:"crashes" doc:"crashes by rate"`
}

// Crashes are crashes at random times, independent for each node and of all else
// in a run: a node that is up crashes after an exponential time, and is up again
// after another. The engine draws them up to the latest arrival of a packet.
type Crashes struct {
	Every  Duration `yaml:"every" doc:"mean time a node is up before it crashes"`
	For    Duration `yaml:"for" doc:"mean time it is down"`
	Memory string   `yaml:"memory" enum:"kept,lost" doc:"what becomes of what the node was about to do: kept (if not given) or lost"`
	Nodes  []int    `yaml:"nodes" doc:"nodes that crash; all if not given"`
}

// Restarter is a Node that is told when it is up again after a crash, before
// anything else happens to it. If its memory is lost, the timers it had set and
// the computations it had begun never wake it, the latter have ended, and it
// must not Await one of them. A node that was down from the start, before it
// could begin, is started instead.
type Restarter interface {
	Restart(env *Env, lost bool)
}

// Leaver is a Node that is told when it leaves. It may send; nothing reaches it
// afterwards. A node that is down when it should leave is not told.
type Leaver interface {
	Leave(env *Env)
}

const (
	memoryKept = "kept"
	memoryLost = "lost"
)

// kinds names what the fault is; exactly one if all is well.
func (f Fault) kinds() []string {
	var all []string
	for _, k := range []struct {
		name  string
		given bool
	}{
		{"partition", f.Partition != nil}, {"crash", f.Crash != nil}, {"slow", f.Slow != nil}, {"link", f.Link != nil},
		{"join", f.Join != nil}, {"leave", f.Leave != nil}, {"crashes", f.Crashes != nil},
	} {
		if k.given {
			all = append(all, k.name)
		}
	}
	return all
}

// Check reports what is wrong with a fault in itself; whether its nodes and
// links exist is for New.
func (f Fault) Check(report func(field, problem string)) {
	kinds := f.kinds()
	if len(kinds) != 1 {
		problem := "must have exactly one of partition, crash, slow, link, join, leave and crashes, has "
		if kinds == nil {
			problem += "none"
		} else {
			problem += strings.Join(kinds, " and ")
		}
		report("", problem)
		return
	}
	kind := kinds[0]
	only := func(field string, given bool, of ...string) {
		if given && !slices.Contains(of, kind) {
			report(field, fmt.Sprintf("is for %s, not for %s", strings.Join(of, " and "), kind))
		}
	}
	only("memory", f.Memory != "", "crash")
	only("factor", f.Factor != nil, "slow", "link")
	only("loss", f.Loss != 0, "link")
	switch passes := kind == "join" || kind == "leave"; {
	case passes && f.At <= 0:
		report("at", fmt.Sprintf("must be a positive duration, the time at which the node is to %s, is %v", kind, f.At))
	case passes && f.Until != 0:
		report("until", fmt.Sprintf("has no meaning for %s, which happens once", kind))
	case f.At < 0:
		report("at", fmt.Sprintf("must not be negative, is %v", f.At))
	case f.Until != 0 && f.Until <= f.At:
		report("until", fmt.Sprintf("must be after at, which is %v, is %v", f.At, f.Until))
	}
	if x := f.Factor; x != nil && !(*x > 0 && *x <= math.MaxFloat64) {
		report("factor", fmt.Sprintf("must be positive, is %v", *x))
	}
	switch kind {
	case "partition":
		f.checkGroups(report)
	case "crash":
		checkNode(report, kind, *f.Crash)
		checkMemory(report, "memory", f.Memory)
	case "slow":
		checkNode(report, kind, *f.Slow)
		if f.Factor == nil {
			report("factor", "must be given: how many times as long the node's computations take")
		}
	case "link":
		if l := *f.Link; l[0] < 0 || l[1] < 0 || l[0] == l[1] {
			report(kind, fmt.Sprintf("must be the two nodes of an edge, is %v", l))
		}
		probability(report, "loss", f.Loss)
		if f.Factor == nil && f.Loss == 0 {
			report("", "must have a factor, a loss or both: this link is as ever")
		}
	case "join":
		checkNode(report, kind, *f.Join)
	case "leave":
		checkNode(report, kind, *f.Leave)
	case "crashes":
		f.Crashes.Check(func(field, problem string) { report("crashes."+field, problem) })
	}
}

func checkNode(report func(field, problem string), field string, node int) {
	if node < 0 {
		report(field, fmt.Sprintf("must be the number of a node, is %d", node))
	}
}

func checkMemory(report func(field, problem string), field, memory string) {
	if memory != "" && memory != memoryKept && memory != memoryLost {
		report(field, fmt.Sprintf("must be kept or lost, is %q", memory))
	}
}

func (f Fault) checkGroups(report func(field, problem string)) {
	if len(f.Partition) < 2 {
		report("partition", fmt.Sprintf("must have at least two groups of nodes, has %d", len(f.Partition)))
	}
	var all []int
	for _, group := range f.Partition {
		if len(group) == 0 {
			report("partition", "must not have an empty group")
		}
		all = append(all, group...)
	}
	checkNodes(report, "partition", all)
}

func checkNodes(report func(field, problem string), field string, nodes []int) {
	nodes = slices.Sorted(slices.Values(nodes))
	for k, i := range nodes {
		checkNode(report, field, i)
		if k > 0 && i == nodes[k-1] {
			report(field, fmt.Sprintf("must not name node %d twice", i))
		}
	}
}

// Check reports times that are not positive and nodes named twice.
func (c Crashes) Check(report func(field, problem string)) {
	if c.Every <= 0 {
		report("every", fmt.Sprintf("must be a positive duration, the mean time between crashes of a node, is %v", c.Every))
	}
	if c.For <= 0 {
		report("for", fmt.Sprintf("must be a positive duration, the mean time a node is down, is %v", c.For))
	}
	checkMemory(report, "memory", c.Memory)
	if c.Nodes != nil && len(c.Nodes) == 0 {
		report("nodes", "must not be empty; leave it out for all nodes")
	}
	checkNodes(report, "nodes", c.Nodes)
}

func (f Fault) String() string {
	if kinds := f.kinds(); len(kinds) != 1 {
		return "no single fault"
	}
	when := fmt.Sprintf("from %v on", f.At)
	if f.Until != 0 {
		when = fmt.Sprintf("from %v to %v", f.At, f.Until)
	}
	memory := func(m string) string {
		if m == "" {
			m = memoryKept
		}
		return "memory " + m
	}
	switch {
	case f.Partition != nil:
		var groups []string
		for _, g := range f.Partition {
			groups = append(groups, nodeNames(g))
		}
		return fmt.Sprintf("%s are cut off from each other %s", strings.Join(groups, " and "), when)
	case f.Crash != nil:
		return fmt.Sprintf("node %d is down %s, %s", *f.Crash, when, memory(f.Memory))
	case f.Slow != nil:
		return fmt.Sprintf("node %d takes %v times as long to compute %s", *f.Slow, f.factor(), when)
	case f.Link != nil:
		s := fmt.Sprintf("link %d-%d", f.Link[0], f.Link[1])
		if f.Factor != nil {
			s += fmt.Sprintf(" has %v times its latency", f.factor())
		}
		if f.Loss != 0 {
			if f.Factor != nil {
				s += " and"
			}
			s += fmt.Sprintf(" loses packets with probability %v", f.Loss)
		}
		return s + " " + when
	case f.Join != nil:
		return fmt.Sprintf("node %d joins at %v", *f.Join, f.At)
	case f.Leave != nil:
		return fmt.Sprintf("node %d leaves at %v", *f.Leave, f.At)
	}
	c := f.Crashes
	verb := "crash"
	who := "all nodes"
	if c.Nodes != nil {
		if who = nodeNames(c.Nodes); len(c.Nodes) == 1 {
			verb = "crashes"
		}
	}
	return fmt.Sprintf("%s %s after %v on average, for %v on average, %s, %s", who, verb, c.Every, c.For, memory(c.Memory), when)
}

// nodeNames is "node 3" or "nodes 1, 2".
func nodeNames(nodes []int) string {
	var names []string
	for _, i := range nodes {
		names = append(names, fmt.Sprint(i))
	}
	if len(nodes) == 1 {
		return "node " + names[0]
	}
	return "nodes " + strings.Join(names, ", ")
}

// factor is 1 where none is given.
func (f Fault) factor() float64 {
	if f.Factor == nil {
		return 1
	}
	return *f.Factor
}

// end is when the fault is over.
func (f Fault) end() Time {
	if f.Until == 0 {
		return forever
	}
	return Time(f.Until)
}

// Kinds of event that only faults cause; they follow those of queue.go. A node
// that joins has an ordinary start.
const (
	kindCrash kind = kindTimer + 1 + iota
	kindRestart
	kindLeave
)

// eventName is the name of any kind of event.
func eventName(k kind) string {
	switch k {
	case kindCrash:
		return "crash"
	case kindRestart:
		return "restart"
	case kindLeave:
		return "leave"
	}
	return k.String()
}

// forever is the end of what does not end.
const forever = Time(math.MaxInt64)

// outage is a time [from, to) in which a node is down, absent or gone.
type outage struct {
	from, to Time
	lost     bool // its memory is
	leaves   bool // it is told before
}

// rate draws one node's crashes by rate, in order.
type rate struct {
	stream      *Stream
	every, down Duration // means
	until       Time
	next        outage // the one drawn last
}

// draw draws the outage after one that ends at t. Up and down last at least a
// nanosecond, so that time goes on.
func (r *rate) draw(t Time) {
	span := func(mean Duration) Time {
		return max(1, Time(nanoseconds(float64(mean)*r.stream.Exponential())))
	}
	r.next.from = later(t, span(r.every))
	r.next.to = min(later(r.next.from, span(r.down)), r.until)
	if r.next.from >= r.until {
		r.next.from, r.next.to = forever, forever
	}
}

// later is t + d, or forever.
func later(t, d Time) Time {
	if t > forever-d {
		return forever
	}
	return t + d
}

// life is what faults do to a node, and where it is in that.
type life struct {
	outages []outage // ascending, apart from each other; final
	named   []outage // to be merged into them: those given by name, ascending
	rates   []*rate  // likewise: those drawn
	known   Time     // no outage that begins by then is missing

	current   int     // the outage it is in, or else the next
	down      bool    // it is in it
	started   bool    // Start has happened
	parked    []event // fell due while it was down
	forgotten uint64  // how many events it had caused when it last lost its memory
}

// know makes outages complete up to t, and to the end of the outage at t.
func (l *life) know(t Time) {
	for t > l.known {
		source := -1
		from := forever
		if len(l.named) > 0 {
			from = l.named[0].from
		}
		for k, r := range l.rates {
			if r.next.from < from {
				source, from = k, r.next.from
			}
		}
		last := outage{to: -1}
		if k := len(l.outages); k > 0 {
			last = l.outages[k-1]
		}
		if from == forever || last.to == forever {
			l.known = forever
			return
		}
		if from > t && from > last.to {
			l.known = from - 1
			return
		}
		var next outage
		if source < 0 {
			next, l.named = l.named[0], l.named[1:]
		} else {
			r := l.rates[source]
			next = r.next
			r.draw(next.to)
		}
		if k := len(l.outages); k > 0 && next.from <= last.to {
			o := &l.outages[k-1]
			o.to, o.lost = max(o.to, next.to), o.lost || next.lost
		} else {
			l.outages = append(l.outages, next)
		}
	}
}

// upcoming makes the current outage known, if there is one.
func (l *life) upcoming() *outage {
	for len(l.outages) <= l.current && l.known < forever {
		l.know(l.known + 1)
	}
	if l.current < len(l.outages) {
		return &l.outages[l.current]
	}
	return nil
}

// at returns the outage at a time that is not before now; nil: it is up.
func (l *life) at(t Time) *outage {
	l.know(t)
	low, high := l.current, len(l.outages)
	for low < high {
		if mid := (low + high) / 2; l.outages[mid].to <= t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(l.outages) && l.outages[low].from <= t {
		return &l.outages[low]
	}
	return nil
}

// faults carries them out.
type faults struct {
	lives  []life
	agenda heap4 // each node's next crash, restart, start or leave
	named  Time  // when the last of those given by name is over

	reviving int32 // node whose parked events are happening, or −1
	revived  int   // how many of them have

	active  Time   // when an event was last pending, a packet sent, or due at a node that is down
	packets uint64 // how many had been sent by then
	settled Time   // the latest of active and named that horizon is for
	reach   Time   // what it was

	change     Time // when what follows changes next
	boundaries []Time
	partitions []partition
	cuts       []*partition // those that hold
	slows      []Fault
	slow       []float64 // of each node, the factor; nil if slows is empty
	links      []Fault
	bends      []bend // of each link; nil if links is empty
	graph      *Graph
}

type partition struct {
	from, to Time
	group    []int32 // of each node; −1: none
}

// bend is what faults do to a link while they hold.
type bend struct{ factor, loss float64 }

// newFaults checks the faults of a run and prepares them; nil if there are none.
func newFaults(cfg *Config) (*faults, error) {
	if len(cfg.Faults) == 0 {
		return nil, nil
	}
	n := cfg.Graph.Order()
	f := &faults{lives: make([]life, n), reviving: -1, graph: cfg.Graph, settled: -1}
	var problems []error
	joins, leaves := make(map[int]Duration), make(map[int]Duration)
	rates := uint64(0)
	for k, fault := range cfg.Faults {
		bad := len(problems)
		report := func(field, problem string) {
			if field != "" {
				field = "." + field
			}
			problems = append(problems, fmt.Errorf("faults[%d]%s %s", k, field, problem))
		}
		exists := func(field string, node int) {
			if node >= n {
				report(field, fmt.Sprintf("names node %d; nodes go from 0 to %d", node, n-1))
			}
		}
		once := func(field string, node int, at map[int]Duration) {
			exists(field, node)
			if _, again := at[node]; again {
				report(field, fmt.Sprintf("names node %d, which has a time to %s already", node, field))
			}
			at[node] = fault.At
		}
		if fault.Check(report); len(problems) > bad {
			continue
		}
		down := func(node int, o outage) {
			if len(problems) > bad {
				return
			}
			f.lives[node].named = append(f.lives[node].named, o)
			f.named = max(f.named, o.from)
			if o.to < forever {
				f.named = max(f.named, o.to)
			}
		}
		from, to := Time(fault.At), fault.end()
		switch {
		case fault.Partition != nil:
			p := partition{from: from, to: to, group: slices.Repeat([]int32{-1}, n)}
			for g, nodes := range fault.Partition {
				for _, i := range nodes {
					if exists("partition", i); i < n {
						p.group[i] = int32(g)
					}
				}
			}
			f.partitions = append(f.partitions, p)
			f.boundaries = append(f.boundaries, from, to)
		case fault.Crash != nil:
			exists("crash", *fault.Crash)
			down(*fault.Crash, outage{from: from, to: to, lost: fault.Memory == memoryLost})
		case fault.Slow != nil:
			exists("slow", *fault.Slow)
			f.slows = append(f.slows, fault)
			f.boundaries = append(f.boundaries, from, to)
		case fault.Link != nil:
			a, b := fault.Link[0], fault.Link[1]
			if a >= n || b >= n || cfg.Graph.Link(a, b) < 0 {
				report("link", fmt.Sprintf("is %d-%d, which is no edge", a, b))
			}
			f.links = append(f.links, fault)
			f.boundaries = append(f.boundaries, from, to)
		case fault.Join != nil:
			once("join", *fault.Join, joins)
			down(*fault.Join, outage{from: 0, to: from})
		case fault.Leave != nil:
			once("leave", *fault.Leave, leaves)
			down(*fault.Leave, outage{from: from, to: forever, leaves: true})
		default:
			c := fault.Crashes
			nodes := c.Nodes
			if nodes == nil {
				nodes = make([]int, n)
				for i := range nodes {
					nodes[i] = i
				}
			}
			for _, i := range nodes {
				if exists("crashes.nodes", i); i >= n {
					continue
				}
				ids := []uint64{uint64(i)}
				if rates > 0 { // several such faults of a node are independent
					ids = append(ids, rates)
				}
				r := &rate{
					stream: NewStream(cfg.Seed, "crashes", ids...), every: c.Every, down: c.For, until: to,
					next: outage{lost: c.Memory == memoryLost},
				}
				r.draw(from)
				f.lives[i].rates = append(f.lives[i].rates, r)
			}
			rates++
		}
	}
	for k, fault := range cfg.Faults {
		if fault.Leave == nil {
			continue
		}
		if at, joins := joins[*fault.Leave]; joins && at >= fault.At {
			problems = append(problems, fmt.Errorf("faults[%d].leave is of node %d at %v, but it joins only at %v", k, *fault.Leave, fault.At, at))
		}
	}
	if problems != nil {
		return nil, errors.Join(problems...)
	}
	f.prepare()
	return f, nil
}

// prepare orders the boundaries and finds every node's first outage.
func (f *faults) prepare() {
	slices.Sort(f.boundaries)
	f.boundaries = slices.Compact(f.boundaries)
	if f.slows != nil {
		f.slow = slices.Repeat([]float64{1}, len(f.lives))
	}
	if f.links != nil {
		f.bends = slices.Repeat([]bend{{factor: 1}}, f.graph.Links())
	}
	for i := range f.lives {
		l := &f.lives[i]
		slices.SortStableFunc(l.named, func(a, b outage) int {
			switch {
			case a.from != b.from:
				return int(min(1, max(-1, a.from-b.from)))
			case a.leaves == b.leaves:
				return 0
			case b.leaves: // a node that is down by then is not told
				return -1
			}
			return 1
		})
		l.known = -1
		f.await(int32(i))
	}
}

// await puts the beginning of a node's current outage on the agenda.
func (f *faults) await(node int32) {
	if o := f.lives[node].upcoming(); o != nil {
		k := kindCrash
		if o.leaves {
			k = kindLeave
		}
		f.push(o.from, k, node)
	}
}

// push adds to the agenda. The key is that of an event the node's outage causes.
func (f *faults) push(at Time, k kind, node int32) {
	f.agenda.push(&event{at: at, key: faultKey(k, node, f.lives[node].current), node: node, kind: k})
}

func faultKey(k kind, node int32, outage int) uint64 {
	return uint64(k)<<60 | uint64(node)<<sequenceBits | uint64(outage)
}

// nextAmidFaults makes the next event current. What is on the agenda happens
// before all else of its instant; a node's parked events follow its restart.
func (e *Engine) nextAmidFaults() bool {
	f := e.faults
	for {
		if f.reviving >= 0 {
			l := &f.lives[f.reviving]
			if f.revived < len(l.parked) {
				e.current = l.parked[f.revived]
				e.current.at = e.now
				f.revived++
				return true
			}
			l.parked = l.parked[:0]
			f.reviving, f.revived = -1, 0
		}
		if f.packets != e.packets {
			f.packets, f.active = e.packets, max(f.active, e.now)
		}
		pending := e.queue.pop(&e.current)
		if a := f.agenda.events; len(a) > 0 && (pending && a[0].at <= e.current.at || !pending && a[0].at <= f.horizon()) {
			if pending {
				e.queue.push(&e.current)
			}
			f.agenda.pop(&e.current)
			f.turn(&e.current, e.sequence)
			return true
		}
		if !pending {
			return false
		}
		f.active = max(f.active, e.current.at)
		if e.admit(&e.current) {
			return true
		}
	}
}

// horizon is how far the agenda carries a run in which nothing else is pending:
// until the named faults are over, and the nodes are up that are down then or
// were when something was last pending. Later crashes are not waited for.
func (f *faults) horizon() Time {
	base := max(f.active, f.named)
	if f.settled != base {
		f.settled, f.reach = base, base
		for i := range f.lives {
			if o := f.lives[i].at(base); o != nil && o.to < forever {
				f.reach = max(f.reach, o.to)
			}
		}
	}
	return f.reach
}

// turn carries out an item of the agenda, but for telling the node; sequence
// counts the events that each node has caused.
func (f *faults) turn(ev *event, sequence []uint64) {
	l := &f.lives[ev.node]
	o := l.outages[l.current]
	if ev.kind != kindRestart {
		l.down = true
		if o.to < forever {
			f.push(o.to, kindRestart, ev.node)
		}
		return
	}
	if !l.started {
		l.started = true
		ev.kind = kindStart
		ev.key = faultKey(kindStart, ev.node, l.current)
	}
	if o.lost {
		ev.arg = 1
		l.forgotten = sequence[ev.node]
	}
	l.down = false
	l.current++
	f.await(ev.node)
	f.reviving = ev.node
}

// admit says whether an event from the queue happens now. It parks or drops it
// if not.
func (e *Engine) admit(ev *event) bool {
	l := &e.faults.lives[ev.node]
	switch ev.kind {
	case kindMessage:
		return true // or it would not have been on its way
	case kindStart:
		l.started = !l.down
		return l.started
	}
	if l.forgotten == 0 || e.causedAs(ev.key) >= l.forgotten {
		if !l.down {
			return true
		}
		if o := &l.outages[l.current]; !o.lost && o.to < forever {
			l.parked = append(l.parked, *ev)
			return false
		}
	}
	if ev.kind == kindComputed {
		if _, err := e.pool.wait(uint32(ev.arg)); err != nil {
			e.fail(fmt.Errorf("node %d, down at virtual time %v: %w", ev.node, ev.at, err))
		}
	}
	return false
}

// causedAs is how many events the node that caused the one with this key had
// caused before.
func (e *Engine) causedAs(key uint64) uint64 {
	if e.shuffle != 0 {
		key = unmix(key) ^ e.shuffle
	}
	return key & (1<<sequenceBits - 1)
}

// unmix is the inverse of mix.
func unmix(x uint64) uint64 {
	x = (x ^ x>>31 ^ x>>62) * 0x319642b2d24d8ec3
	x = (x ^ x>>27 ^ x>>54) * 0x96de1b173f119089
	return x ^ x>>30 ^ x>>60
}

// restart tells the current event's node that it is up again.
func (e *Engine) restart(n Node) error {
	lost := e.current.arg == 1
	if lost {
		if err := e.pool.settle(e.current.node); err != nil {
			return fmt.Errorf("node %d, down until virtual time %v: %w", e.current.node, e.now, err)
		}
	}
	if r, ok := n.(Restarter); ok {
		r.Restart(&e.env, lost)
	}
	return nil
}

// fate changes what the link has decided on its k-th packet, which is sent now
// and leaves the sender at depart. Of two copies one may be lost.
func (f *faults) fate(e *Engine, link int, k uint64, from, to int32, depart Time, lost bool, delay, second Duration) (bool, Duration, Duration) {
	f.refresh(e.now)
	if f.bends != nil {
		b := &f.bends[link]
		// The packet's own draw: what the link loses by itself is lost here too.
		if b.loss > 0 && unit(mix(fate(e.seed, uint64(link), k)+decidesLoss)) < b.loss {
			lost = true
		}
		delay = scaled(delay, b.factor)
		if second >= 0 {
			second = scaled(second, b.factor)
		}
	}
	for _, p := range f.cuts {
		if a, b := p.group[from], p.group[to]; a != b && a >= 0 && b >= 0 {
			lost = true
		}
	}
	if lost {
		return true, 0, -1
	}
	l := &f.lives[to]
	if second >= 0 && f.misses(l, depart+Time(second)) {
		second = -1
	}
	if f.misses(l, depart+Time(delay)) {
		return second < 0, second, -1
	}
	return false, delay, second
}

// misses says whether a node is down when a packet would arrive. Its restart
// matters then: without the crash, there would have been an event.
func (f *faults) misses(l *life, at Time) bool {
	if l.at(at) == nil {
		return false
	}
	f.active = max(f.active, at)
	return true
}

// slowed is how long a computation takes that a node begins now.
func (f *faults) slowed(node int32, now Time, d Duration) Duration {
	if f.slow == nil {
		return d
	}
	f.refresh(now)
	return scaled(d, f.slow[node])
}

func scaled(d Duration, factor float64) Duration {
	if factor == 1 {
		return d
	}
	return nanoseconds(float64(d) * factor)
}

// refresh finds the partitions and factors that hold now, if others did before.
func (f *faults) refresh(now Time) {
	if now < f.change {
		return
	}
	f.change = forever
	for _, t := range f.boundaries {
		if t > now {
			f.change = t
			break
		}
	}
	f.cuts = f.cuts[:0]
	for k := range f.partitions {
		if p := &f.partitions[k]; p.from <= now && now < p.to {
			f.cuts = append(f.cuts, p)
		}
	}
	holds := func(s *Fault) bool { return Time(s.At) <= now && now < s.end() }
	for k := range f.slows {
		f.slow[*f.slows[k].Slow] = 1
	}
	for k := range f.slows {
		if s := &f.slows[k]; holds(s) {
			f.slow[*s.Slow] *= s.factor()
		}
	}
	both := func(s *Fault, change func(*bend)) {
		a, b := s.Link[0], s.Link[1]
		change(&f.bends[f.graph.Link(a, b)])
		change(&f.bends[f.graph.Link(b, a)])
	}
	for k := range f.links {
		both(&f.links[k], func(b *bend) { *b = bend{factor: 1} })
	}
	for k := range f.links {
		if s := &f.links[k]; holds(s) {
			both(s, func(b *bend) { b.factor, b.loss = b.factor*s.factor(), max(b.loss, s.Loss) })
		}
	}
}

// Down says whether a node is down, absent or gone at the present virtual time.
func (e *Engine) Down(node int) bool {
	return e.faults != nil && e.faults.lives[node].at(e.now) != nil
}

// Downtime is for how long a node was down, absent or gone before a virtual
// time.
func (e *Engine) Downtime(node int, until Time) Duration {
	if e.faults == nil {
		return 0
	}
	l := &e.faults.lives[node]
	l.know(until)
	sum := Duration(0)
	for _, o := range l.outages {
		if o.from < until {
			sum += Duration(min(o.to, until) - o.from)
		}
	}
	return sum
}

// How the engine carries a fault plan out: it turns faults into outages and
// conditions, lets nodes go down and come up among the other events, and decides
// what becomes of packets and computations meanwhile.

package sim

import (
	"errors"
	"fmt"
	"slices"
)

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

// faults carries a fault plan out.
type faults struct {
	nodes  []availability
	agenda heap4    // each node's next crash, restart, start or leave
	named  Time     // when the last outage given by name begins or ends
	begins [][]Time // by plan and number in it, when a fault takes effect first; forever: never

	resuming int32 // node that is up again and whose parked events happen now, or −1
	resumed  int   // how many of them have happened

	active  Time   // when an event was last pending, a packet sent, or a packet due at a node that is down
	packets uint64 // how many packets had been sent by then
	settled Time   // the time for which reach was computed
	reach   Time   // the last horizon

	conditions conditions

	owed uint64 // 1: what the latest packet's sender has caused lacks a second copy, which a later plan loses

	course FaultCourse
	plan   int       // of the course, that holds now
	alone  []*faults // the course up to each plan but the last, as if none followed; nil: nothing goes wrong by it
}

// planner turns the faults of the plans of a course into outages and conditions, one by one.
type planner struct {
	seed     uint64
	graph    *Graph
	sites    *Placed // nil: nodes are on none
	course   FaultCourse
	phase    int // of the present plan
	plan     FaultPlan
	from, to Time // in which it holds
	k        int  // number of the present fault in the plan
	wrong    bool // something is wrong with the present fault
	problems []error
	entered  map[string]uint64 // number of faults so far, by kind
	faults   *faults
}

// newFaults checks the fault plans of a run and prepares them; nil if there are none.
func newFaults(seed uint64, g *Graph, sites *Placed, course FaultCourse) (*faults, error) {
	if course.Quiet() {
		return nil, nil
	}
	sites, err := sites.Joined(g)
	if err != nil {
		return nil, err
	}
	f := &faults{
		nodes: make([]availability, g.Order()), resuming: -1, settled: -1,
		conditions: conditions{graph: g}, course: course,
	}
	p := &planner{seed: seed, graph: g, sites: sites, course: course, faults: f}
	for phase := range course {
		p.enter(phase)
	}
	if p.problems != nil {
		return nil, errors.Join(p.problems...)
	}
	f.conditions.prepare()
	for i := range f.nodes {
		f.nodes[i].prepare()
		f.announce(int32(i))
	}
	return f, nil
}

// foreseen prepares the faults of a course, and of each of its beginnings; nil if there are none.
func foreseen(seed uint64, g *Graph, sites *Placed, course FaultCourse) (*faults, error) {
	f, err := newFaults(seed, g, sites, course)
	if f == nil || err != nil {
		return nil, err
	}
	for k := 1; k < len(course); k++ {
		alone, err := newFaults(seed, g, sites, course[:k])
		if err != nil {
			return nil, err
		}
		f.alone = append(f.alone, alone)
	}
	return f, nil
}

// enter takes in a plan of the course.
func (p *planner) enter(phase int) {
	p.phase, p.plan = phase, p.course[phase].Plan
	p.from, p.to = p.course[phase].From, p.course.until(phase)
	p.entered = map[string]uint64{}
	p.faults.begins = append(p.faults.begins, nil)
	for k, fault := range p.plan {
		p.k, p.wrong = k, false
		p.faults.begins[phase] = append(p.faults.begins[phase], forever)
		if fault.Check(p.report); !p.wrong {
			fault.Kind.enter(&fault, p)
			p.entered[fault.Kind.Key()]++
		}
	}
}

// report notes what is wrong with a field of the present fault; "" is the whole.
func (p *planner) report(field, problem string) {
	if field != "" {
		field = "." + field
	}
	of := ""
	if p.phase > 0 {
		of = fmt.Sprintf(" from %v on", Duration(p.from))
	}
	p.problems = append(p.problems, fmt.Errorf("faults[%d]%s%s %s", p.k, field, of, problem))
	p.wrong = true
}

// exists says whether there is such a node, and reports it if not.
func (p *planner) exists(field string, node int) bool {
	n := p.graph.Order()
	if node >= n {
		p.report(field, fmt.Sprintf("names node %d; nodes go from 0 to %d", node, n-1))
	}
	return node < n
}

// once says whether the node exists and no fault before in the plan is of the
// same kind and node, and reports it if not. The kind has no other parameters.
func (p *planner) once(f *Fault, node int) bool {
	key := f.Kind.Key()
	p.exists(key, node)
	if p.plan[:p.k].has(f.Kind) {
		p.report(key, fmt.Sprintf("names node %d, which has a time to %s already", node, key))
	}
	return !p.wrong
}

// has says whether a fault of the plan is of this kind, with these parameters.
func (p FaultPlan) has(kind FaultKind) bool {
	return slices.ContainsFunc(p, func(f Fault) bool { return f.Kind == kind })
}

// down enters an outage that is given by name, as far as the plan holds.
func (p *planner) down(node int, o outage) {
	f := p.faults
	if o.from, o.to = max(o.from, p.from), min(o.to, p.to); o.from >= o.to {
		return
	}
	f.nodes[node].named = append(f.nodes[node].named, o)
	p.begins(o.from)
	f.named = max(f.named, o.from)
	if o.to < forever {
		f.named = max(f.named, o.to)
	}
}

// downBy enters outages that a source tells, as far as the plan holds.
func (p *planner) downBy(node int, s source) {
	if p.from > 0 || p.to < forever {
		s = windowed(s, p.from, p.to)
	}
	p.begins(s.upcoming().from)
	p.faults.nodes[node].sources = append(p.faults.nodes[node].sources, s)
}

// stream is that of what a fault draws for a node; several faults of a kind have streams that are independent.
func (p *planner) stream(kind FaultKind, node int) *Stream {
	ids := []uint64{uint64(node)}
	if k := p.entered[kind.Key()]; k > 0 {
		ids = append(ids, k)
	}
	return NewStream(p.seed, kind.Key(), ids...)
}

// those are the nodes that a field names and that there are; nil: all.
func (p *planner) those(field string, nodes []int) (all []int) {
	for i := range p.graph.Order() {
		if nodes == nil {
			all = append(all, i)
		}
	}
	for _, i := range nodes {
		if p.exists(field, i) {
			all = append(all, i)
		}
	}
	return all
}

// during enters a condition, which is applied anew whenever conditions change
// while the fault and its plan hold.
func (p *planner) during(f *Fault, apply func(*conditions)) {
	from, to := max(Time(f.At), p.from), min(f.end(), p.to)
	if from >= to {
		return
	}
	p.begins(from)
	c := &p.faults.conditions
	c.all = append(c.all, condition{from: from, to: to, apply: apply})
}

// begins notes that the present fault takes effect at a time.
func (p *planner) begins(t Time) {
	at := &p.faults.begins[p.phase][p.k]
	*at = min(*at, t)
}

// before is the plan that the present one follows; nil: it is the first.
func (p *planner) before() FaultPlan {
	if p.phase == 0 {
		return nil
	}
	return p.course[p.phase-1].Plan
}

// after is the plan that follows the present one; false: none does.
func (p *planner) after() (FaultPlan, bool) {
	if p.phase+1 == len(p.course) {
		return nil, false
	}
	return p.course[p.phase+1].Plan, true
}

// announce puts the beginning of a node's current outage on the agenda, if there
// is one.
func (f *faults) announce(node int32) {
	if o := f.nodes[node].upcoming(); o != nil {
		k := kindCrash
		if o.leaves {
			k = kindLeave
		}
		f.push(o.from, k, node)
	}
}

// push adds to the agenda an event that a node's current outage causes.
func (f *faults) push(at Time, k kind, node int32) {
	f.agenda.push(&event{at: at, key: faultKey(k, node, f.nodes[node].current), node: node, kind: k})
}

func faultKey(k kind, node int32, outage int) uint64 {
	return uint64(k)<<60 | uint64(node)<<sequenceBits | uint64(outage)
}

// nextAmidFaults makes the next event current. Events on the agenda happen before
// all others of their instant. A node's parked events follow its restart at once.
func (e *Engine) nextAmidFaults() bool {
	f := e.faults
	e.current = &e.own
	for {
		if f.resuming >= 0 {
			l := &f.nodes[f.resuming]
			if f.resumed < len(l.parked) {
				e.own = l.parked[f.resumed]
				e.own.at = e.now
				f.resumed++
				return true
			}
			l.parked = l.parked[:0]
			f.resuming, f.resumed = -1, 0
		}
		if f.packets != e.packets {
			f.packets, f.active = e.packets, max(f.active, e.now)
		}
		pending := e.pop(&e.own)
		due := f.due(pending, e.own.at)
		if next := f.upcoming(due, e.own.at); (due || pending) && next >= e.change && len(e.later) > 0 {
			if pending {
				e.putBack(&e.own)
			}
			e.enter()
			continue
		}
		if due {
			if pending {
				e.putBack(&e.own)
			}
			f.agenda.pop(&e.own)
			f.carryOut(&e.own, e.sequence)
			return true
		}
		if !pending {
			return false
		}
		f.active = max(f.active, e.own.at)
		if e.admit(&e.own) {
			return true
		}
	}
}

// due says whether the agenda comes first: before the next pending event if
// there is one, and otherwise if the run waits for it.
func (f *faults) due(pending bool, next Time) bool {
	a := f.agenda.events
	if len(a) == 0 {
		return false
	}
	if pending {
		return a[0].at <= next
	}
	return a[0].at <= f.horizon()
}

// upcoming is when what comes next happens: the first of the agenda if that is due, else the next pending event.
func (f *faults) upcoming(due bool, next Time) Time {
	if due {
		return f.agenda.events[0].at
	}
	return next
}

// horizon is until when a run goes on in which only the agenda is pending: until
// the outages given by name are over and every node is up again that was down
// when something else was last pending. The run does not wait for later crashes.
func (f *faults) horizon() Time {
	base := max(f.active, f.named)
	if f.settled != base {
		f.settled, f.reach = base, base
		for i := range f.nodes {
			if o := f.nodes[i].at(base); o != nil && o.to < forever {
				f.reach = max(f.reach, o.to)
			}
		}
	}
	return f.reach
}

// carryOut makes an event of the agenda happen, except that it does not tell the
// node; sequence counts the events that each node has caused.
func (f *faults) carryOut(ev *event, sequence []uint64) {
	l := &f.nodes[ev.node]
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
	f.announce(ev.node)
	f.resuming = ev.node
}

// admit says whether an event from the queue happens now. If not, it parks the
// event, or drops it.
func (e *Engine) admit(ev *event) bool {
	l := &e.faults.nodes[ev.node]
	switch ev.kind {
	case kindMessage:
		return true // a packet that would find its receiver down is never sent on
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

// causedAs returns the number of events that a node had caused before it caused
// the event with this key.
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

// fate changes what the link has decided about its k-th packet, which is sent
// now and leaves the sender at depart. Either of two copies may be lost.
func (f *faults) fate(
	e *Engine, link int, k uint64, from, to int32, depart Time, lost bool, delay, second Duration,
) (bool, Duration, Duration) {
	c := &f.conditions
	c.refresh(e.now)
	f.owed = 0
	if c.links != nil {
		l := &c.links[link]
		// The packet's own draw: what the link loses by itself is lost here too.
		if l.loss > 0 && unit(mix(packetWord(e.seed, uint64(link), k)+decidesLoss)) < l.loss {
			lost = true
		}
		delay = scaled(delay, l.factor)
		if second >= 0 {
			second = scaled(second, l.factor)
		}
	}
	if lost || c.separated(from, to) {
		return true, 0, -1
	}
	first, ofLater := f.misses(e.now, to, depart+Time(delay))
	if ofLater {
		e.sequence[from]++
	}
	if second >= 0 {
		misses, ofLater := f.misses(e.now, to, depart+Time(second))
		switch {
		case ofLater && first:
			e.sequence[from]++
		case ofLater:
			f.owed = 1
		}
		if misses {
			second = -1
		}
	}
	if first {
		return second < 0, second, -1
	}
	return false, delay, second
}

// misses says whether a node is down when a packet that is sent now would arrive. The run then
// waits for the node's restart, as the packet would have been an event. What the plan of now has lost stays so, if
// another plan holds when it would arrive: a run that another goes on from has not sent it on. And what only a later
// plan loses counts as caused by its sender: that run has sent it on.
func (f *faults) misses(now Time, node int32, at Time) (misses, ofLater bool) {
	for f.plan < len(f.alone) && now >= f.course[f.plan+1].From {
		f.plan++
	}
	followed := f.plan < len(f.alone)
	alone := followed && f.alone[f.plan] != nil && f.alone[f.plan].nodes[node].at(at) != nil
	if !alone && f.nodes[node].at(at) == nil {
		return false, false
	}
	f.active = max(f.active, at)
	return true, followed && !alone
}

// slowed is how long a computation takes that a node begins now.
func (f *faults) slowed(node int32, now Time, d Duration) Duration {
	c := &f.conditions
	c.refresh(now)
	if c.slow == nil {
		return d
	}
	return scaled(d, c.slow[node])
}

func scaled(d Duration, factor float64) Duration {
	if factor == 1 {
		return d
	}
	return nanoseconds(float64(d) * factor)
}

// Faulty says whether anything is to go wrong in the run.
func (e *Engine) Faulty() bool { return e.faults != nil }

// Down says whether a node is down, absent or gone at the present virtual time.
func (e *Engine) Down(node int) bool {
	return e.faults != nil && e.faults.nodes[node].at(e.now) != nil
}

// Gone says whether a node is down, or has left, and will not be up again.
func (e *Engine) Gone(node int) bool {
	if e.faults == nil {
		return false
	}
	o := e.faults.nodes[node].at(e.now)
	return o != nil && o.to == forever
}

// FaultBegins is when a fault takes effect first, by the number of its plan in the course of plans, and by its own in
// that: when it begins, or when a node crashes first by rate. It says false if it never does.
func (e *Engine) FaultBegins(plan, number int) (Time, bool) {
	t := e.faults.begins[plan][number]
	return t, t < forever
}

// Course are the fault plans of the run.
func (e *Engine) Course() FaultCourse { return e.cfg.course() }

// Downtime is how long a node was down, absent or gone before a virtual time.
func (e *Engine) Downtime(node int, until Time) Duration {
	if e.faults == nil {
		return 0
	}
	l := &e.faults.nodes[node]
	l.know(until)
	sum := Duration(0)
	for _, o := range l.outages {
		if o.from < until {
			sum += Duration(min(o.to, until) - o.from)
		}
	}
	return sum
}

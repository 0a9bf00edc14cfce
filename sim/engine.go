// The engine: virtual clock, dispatch of events to nodes, messages in flight.

package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"overhear/internal/prefetch"
)

// Node is a state machine. The engine calls its methods from one goroutine. The
// node acts through env, which is valid during the call only.
type Node interface {
	Start(env *Env)               // once, at virtual time 0
	Receive(env *Env, m *Message) // a message has arrived; m is valid during the call
	Wake(env *Env, tag uint64)    // a timer or a computation with this tag is due
}

// Foreseer is a Node that is told of a message when it is sent, if it is sure to
// arrive. From then on the node may begin computations whose inputs are complete,
// with [Engine.Begin], so that processors have work while messages travel in
// virtual time; it must not act otherwise. Nothing is foreseen in a run with
// faults, with phases, or with one worker.
type Foreseer interface {
	Foresee(e *Engine, m *Message)
}

// Anticipator is a Node of a run of so many nodes that what they look at is in no cache. Shortly before a message
// arrives it may be asked for what it will look at, which it prefetches without waiting: at depth 0, as before a timer
// is due, what it knows the place of, and at each depth more what it finds through what it asked for before. It says
// whether there is more, and changes nothing: it may be asked for messages that never arrive, and not for others.
type Anticipator interface {
	Anticipate(depth int) (more bool)
}

// Message is what a node receives. Its payload is shared and does not change: never, or, of one that was composed, as
// long as somebody holds it.
type Message struct {
	From    int32
	Round   int32 // the sender's own numbering
	Sent    Time
	Payload []float64
	Kind    uint8 // the sender's own classification

	own  bool  // the payload is this place's own, and that of the next message that is composed in it
	refs int32 // copies under way and holders
}

// Packet is a message on one link, as an observer of the network sees it.
type Packet struct {
	ID       uint64 // from 0 in order of sending; both copies of a duplicate share it
	From, To int32
	Kind     uint8
	Round    int32
	Sent     Time
	Received Time // −1: lost
	Bytes    int64
	Payload  []float64
}

// Ties says in which order events of one instant happen.
type Ties uint8

// Orders of simultaneous events.
const (
	Ordered  Ties = iota // by kind of event, then by the node that caused it, then by when it did
	Shuffled             // by a hash of those with the seed; every node starts before anything else happens
)

// QueueKind chooses the queue of pending events; both give the same runs.
type QueueKind uint8

// Queues.
const (
	Radix QueueKind = iota // the fast one
	Heap                   // the reference
)

// Config is the setting of a run. The zero values of all but Graph are usable.
type Config struct {
	Seed      uint64
	Graph     *Graph     // who can send to whom
	Link      Link       // every link
	Overrides []Override // exceptions to it
	Faults    FaultPlan  // what goes wrong besides
	Header    int64      // bytes of a packet besides 8 for each number of payload
	Phases    []Phase    // what holds later in place of the four above, in order of time; none: they hold to the end
	Changed   func(int)  // told which of them begins, before nodes are; may be nil
	Workers   int        // goroutines that compute, the engine's included; 0 is 1
	Ties      Ties
	Queue     QueueKind
	Trace     TraceLevel
	Reference *Trace          // stop with a *Divergence where the run differs from it; State may write over it
	Sent      func(*Packet)   // told of every packet when it is sent; must not keep it
	Events    func(*Event)    // told of every event when its node has acted on it; must not keep it
	Gone      func(int, Time) // told of a node that is down, or has left, and will not be up again
	Pauses    Pausing         // between two events
}

// Engine runs nodes through virtual time.
type Engine struct {
	cfg     Config
	nodes   []Node
	wiring           // what holds now
	later   []wiring // what is to hold, one after the other
	change  Time     // when the next of that begins; forever: never
	links   []linkState
	seed    uint64 // of packets' fates
	shuffle uint64

	now      Time
	starts   heap4 // of nodes
	queue    queue
	near     *radix // the queue, if it is a radix heap: saves a dynamic call
	direct   bool   // of packets only delays are decided, by one law, and nobody is told of them
	sequence []uint64
	slots    slots
	pool     *pool
	trace    *tracer
	events   uint64
	packets  uint64
	bytes    int64
	foresee  []Foreseer // by node; nil where a node does not
	faults   *faults    // nil: none
	current  *event     // that is handled: where it is in the queue's run, or
	own      event      // here
	pending  event      // being scheduled
	packet   Packet
	env      Env
	failure  error

	foreseenUntil Time // when the last message arrives that was foreseen
	restored      bool // the run goes on from a state
}

type linkModel struct {
	Link
	law     law     // of the latency
	perByte float64 // ns
	sure    bool    // nothing about a packet is random
}

// linkState is what a link remembers.
type linkState struct {
	sent  uint64 // packets so far
	freed Time   // when the last of them has left the sender
}

// slots are of all messages in flight, in blocks that stay where they are: a slice that grows is there twice. The slot
// that was released last is taken first, as it is in a cache still.
type slots struct {
	blocks []slotBlock
	free   []uint32
	owners []uint32 // free, too, and with a payload of their own
}

// slotBlock is memory of messages, of which each has room for a payload of its own behind it: who looks at both finds
// them in one page.
type slotBlock struct {
	first   unsafe.Pointer // to the first message
	size    uintptr        // of a message with its room
	numbers int            // that the room is for; 0: none
}

const slotsOfBlock = 1 << 10

func newSlotBlock(numbers int) slotBlock {
	slot := reflect.StructOf([]reflect.StructField{
		{Name: "Message", Type: reflect.TypeFor[Message]()},
		{Name: "Room", Type: reflect.ArrayOf(numbers, reflect.TypeFor[float64]())},
	})
	block := reflect.New(reflect.ArrayOf(slotsOfBlock, slot))
	return slotBlock{block.UnsafePointer(), slot.Size(), numbers}
}

func (s *slots) at(id uint32) *Message {
	b := &s.blocks[id/slotsOfBlock]
	return (*Message)(unsafe.Add(b.first, uintptr(id%slotsOfBlock)*b.size))
}

// place is the room behind the message of a slot. To know it takes no look at the slot.
func (s *slots) place(id uint32) []float64 {
	room := unsafe.Add(unsafe.Pointer(s.at(id)), unsafe.Sizeof(Message{}))
	return unsafe.Slice((*float64)(room), s.blocks[id/slotsOfBlock].numbers)
}

// grow adds a block whose messages have so many numbers of their own, and puts its slots on a list, the first last.
func (s *slots) grow(list []uint32, numbers int) []uint32 {
	first := uint32(len(s.blocks)) * slotsOfBlock
	s.blocks = append(s.blocks, newSlotBlock(numbers))
	for k := range uint32(slotsOfBlock) {
		list = append(list, first+slotsOfBlock-1-k)
	}
	return list
}

// take returns the number of a free slot.
func (s *slots) take() uint32 {
	if len(s.free) == 0 {
		s.free = s.grow(s.free, 0)
	}
	k := len(s.free) - 1
	id := s.free[k]
	s.free = s.free[:k]
	return id
}

// compose returns the number of a free slot with a payload of its own, of d numbers.
func (s *slots) compose(d int) uint32 {
	if len(s.owners) == 0 {
		s.owners = s.grow(s.owners, d)
	}
	k := len(s.owners) - 1
	id := s.owners[k]
	s.owners = s.owners[:k]
	m := s.at(id)
	if m.Payload == nil {
		m.Payload, m.own = s.place(id), true
	}
	if cap(m.Payload) < d {
		m.Payload = make([]float64, d)
	}
	m.Payload = m.Payload[:d]
	return id
}

// release takes back a slot to which nobody refers.
func (s *slots) release(id uint32) {
	m := s.at(id)
	if m.own {
		s.owners = append(s.owners, id)
		return
	}
	m.Payload = nil
	s.free = append(s.free, id)
}

// New prepares a run.
func New(cfg Config) (*Engine, error) {
	if cfg.Graph == nil {
		return nil, errors.New("sim: a run needs a graph")
	}
	cfg.Workers = max(cfg.Workers, 1)
	var problems []error
	n := cfg.Graph.Order()
	if n > maxNodes {
		return nil, fmt.Errorf("sim: %d nodes are more than %d", n, maxNodes)
	}
	e := &Engine{
		cfg: cfg, nodes: make([]Node, n), sequence: make([]uint64, n),
		links: make([]linkState, cfg.Graph.Links()),
		seed:  NewStream(cfg.Seed, "packets").Uint64(),
	}
	if cfg.Ties == Shuffled {
		e.shuffle = NewStream(cfg.Seed, "ties").Uint64() | 1
	}
	e.lay(func(p error) { problems = append(problems, p) })
	var err error
	if e.faults, err = foreseen(cfg.Seed, cfg.Graph, cfg.Link.Latency.placed, cfg.course()); err != nil {
		problems = append(problems, err)
	}
	if problems != nil {
		return nil, errors.Join(problems...)
	}
	if cfg.Queue == Heap {
		e.queue = new(heap4)
	} else {
		e.near = new(radix)
		e.queue = e.near
	}
	e.trace = newTracer(cfg.Trace, cfg.Reference)
	e.env.e = e
	return e, nil
}

func newLinkModel(l Link) linkModel {
	_, l.Latency = l.Latency.split()
	m := linkModel{Link: l, law: l.Latency.law()}
	m.sure = m.law == constantLaw{} && l.Loss == 0 && l.Duplication == 0
	if l.Bandwidth > 0 {
		m.perByte = 8e9 / float64(l.Bandwidth)
	}
	return m
}

// Attach makes n node i.
func (e *Engine) Attach(i int, n Node) {
	e.nodes[i] = n
	// With faults, a message that is sent may still be lost; with phases, a step may begin in the next.
	if f, ok := n.(Foreseer); ok && e.cfg.Workers > 1 && e.faults == nil && e.cfg.Phases == nil {
		if e.foresee == nil {
			e.foresee = make([]Foreseer, len(e.nodes))
		}
		e.foresee[i] = f
	}
	if _, ok := n.(Anticipator); ok && e.near != nil {
		e.near.soon = e.anticipate
	}
}

// anticipate prefetches what events that will happen soon need. Nodes of a great run are in no cache, and one event
// after the other would wait for memory; this asks for what many events need at the same time.
func (e *Engine) anticipate(events []event) {
	type expected struct {
		Anticipator
		message Held // 0: it is no message
		node    int32
	}
	all, n := [blockEvents]expected{}, 0
	for i := range events {
		ev := &events[i]
		prefetch.Of(&e.nodes[ev.node])
		if ev.kind == kindMessage {
			e.Prefetch(Held(ev.arg+1), 0)
		}
	}
	for i := range events {
		ev := &events[i]
		if node, ok := e.nodes[ev.node].(Anticipator); ok {
			all[n] = expected{Anticipator: node, node: ev.node}
			if ev.kind == kindMessage {
				all[n].message = Held(ev.arg + 1)
			}
			n++
		}
	}
	for depth, left := 0, all[:n]; len(left) > 0; depth++ {
		n = 0
		for _, x := range left {
			if !x.Anticipate(depth) || x.message == 0 {
				continue
			}
			switch depth { // who asks for more may act
			case 2:
				e.Prefetch(x.message, 1)
				prefetch.Of(&e.sequence[x.node])
				prefetch.Of(&e.cfg.Graph.start[x.node])
			case 3:
				prefetch.List(e.cfg.Graph.Neighbours(int(x.node)))
				prefetch.Of(&e.links[e.cfg.Graph.start[x.node]])
			}
			left[n], n = x, n+1
		}
		left = left[:n]
	}
}

// Prefetch prefetches a message that is held at depth 0, and its payload at depth 1.
func (e *Engine) Prefetch(h Held, depth int) {
	if h == 0 {
		return
	}
	id := h.slot()
	if depth == 0 {
		prefetch.Of(e.slots.at(id))
		return
	}
	payload := e.slots.place(id)
	if len(payload) == 0 {
		payload = e.slots.at(id).Payload
	}
	prefetch.List(payload)
}

// Workers is the number of workers that run jobs.
func (e *Engine) Workers() int { return e.cfg.Workers }

// Now is the virtual time of the latest event.
func (e *Engine) Now() Time { return e.now }

// Events is the number of events so far.
func (e *Engine) Events() uint64 { return e.events }

// Messages is the number of packets sent so far, lost ones included.
func (e *Engine) Messages() uint64 { return e.packets }

// Bytes is the size of those packets, headers included.
func (e *Engine) Bytes() int64 { return e.bytes }

// Run starts every node and handles events until none is left. It ends early
// with the error of a node that fails, with a *Divergence, or when ctx is done.
func (e *Engine) Run(ctx context.Context) error {
	for i, n := range e.nodes {
		if n == nil {
			return fmt.Errorf("sim: no node %d was attached", i)
		}
	}
	restored := e.pool
	e.pool = newPool(e.cfg.Workers)
	defer e.pool.close()
	if restored != nil {
		e.pool.tasks, e.pool.free = restored.tasks, restored.free
	}
	e.direct = e.isDirect()
	for i := range e.nodes {
		if !e.restored {
			e.schedule(0, kindStart, int32(i), int32(i), 0)
		}
	}
	every := e.cfg.Pauses.Every
	if every == 0 {
		every = EpochEvents
	}
	about := e.events - e.events%every // when to look about
	for {
		if e.events >= about {
			about += every
			if ctx.Err() != nil {
				return fmt.Errorf("stopped at virtual time %v: %w", e.now, context.Cause(ctx))
			}
			if e.cfg.Pauses.Pause != nil && e.events > 0 {
				e.cfg.Pauses.Pause()
			}
		}
		if !e.next() {
			break
		}
		if err := e.dispatch(); err != nil {
			return err
		}
	}
	if e.faults != nil { // nodes that are not up again leave computations behind
		if err := e.pool.settle(anyone); err != nil {
			e.fail(err)
		}
	}
	return e.failure
}

// Unbind lets the run be another than its reference from now on.
func (e *Engine) Unbind() {
	e.cfg.Reference = nil
	if e.trace != nil {
		e.trace.reference = nil
	}
}

// ErrReference is wrapped by the error of a run that has ended and is not its
// reference, though no event was found to differ.
var ErrReference = errors.New("the run is not its reference")

// Trace returns the trace of the run so far; nil if it is off. It returns an error
// that wraps ErrReference if the run is over and its trace is not the reference.
func (e *Engine) Trace() (*Trace, error) {
	if e.trace == nil {
		return nil, nil
	}
	t := e.trace.finish()
	if r := e.cfg.Reference; r != nil && r.Digest != t.Digest {
		return t, fmt.Errorf("%w: it ends after %d events, the reference after %d", ErrReference, t.Events, r.Events)
	}
	return t, nil
}

func (e *Engine) next() bool {
	if e.faults != nil {
		return e.nextAmidFaults()
	}
	for {
		if e.near != nil && len(e.starts.events) == 0 {
			e.current = e.near.take(&e.own)
		} else if e.current = nil; e.pop(&e.own) {
			e.current = &e.own
		}
		if e.current == nil || e.current.at < e.change || len(e.later) == 0 {
			return e.current != nil
		}
		e.putBack(e.current)
		e.enter()
	}
}

// pop takes the first pending event. Starts come first however ties are broken: a
// node must not hear of others before it exists.
func (e *Engine) pop(ev *event) bool { return e.starts.pop(ev) || e.queue.pop(ev) }

// putBack undoes the latest pop.
func (e *Engine) putBack(ev *event) {
	if ev.kind == kindStart {
		e.starts.push(ev)
		return
	}
	e.queue.push(ev)
}

// dispatch handles the current event.
func (e *Engine) dispatch() error {
	ev := e.current
	e.now = ev.at
	e.events++
	e.env.node = ev.node
	node := e.nodes[ev.node]
	switch ev.kind {
	case kindMessage:
		s := e.slots.at(uint32(ev.arg))
		if e.trace != nil {
			e.trace.event(ev)
		}
		node.Receive(&e.env, s)
		if e.cfg.Events != nil {
			h := e.happened()
			e.cfg.Events(&h)
		}
		if s.refs--; s.refs <= 0 {
			e.slots.release(uint32(ev.arg))
		}
		return e.end()
	case kindTimer:
		if e.trace != nil {
			e.trace.event(ev)
			e.trace.tag(ev.arg)
		}
		node.Wake(&e.env, ev.arg)
	case kindComputed:
		tag, err := e.pool.wait(uint32(ev.arg))
		if err != nil {
			return fmt.Errorf("node %d at virtual time %v: %w", ev.node, e.now, err)
		}
		if e.trace != nil {
			e.trace.event(ev)
			e.trace.tag(tag)
		}
		node.Wake(&e.env, tag)
	case kindStart:
		if e.trace != nil {
			e.trace.event(ev)
		}
		node.Start(&e.env)
	default:
		if e.trace != nil {
			e.trace.event(ev)
		}
		switch ev.kind {
		case kindRestart:
			if err := e.restart(node); err != nil {
				return err
			}
		case kindLeave:
			if l, ok := node.(Leaver); ok {
				l.Leave(&e.env)
			}
		}
		if e.cfg.Gone != nil && ev.kind != kindRestart && e.Gone(int(ev.node)) {
			e.cfg.Gone(int(ev.node), e.now)
		}
	}
	if e.cfg.Events != nil {
		h := e.happened()
		e.cfg.Events(&h)
	}
	return e.end()
}

// end concludes the handling of the current event.
func (e *Engine) end() error {
	if e.trace != nil && !e.trace.end() {
		return e.divergence()
	}
	return e.failure
}

// happened describes the current event; valid until the next one.
func (e *Engine) happened() Event {
	h := Event{Number: e.events - 1, At: e.now, Node: int(e.current.node), Kind: eventName(e.current.kind)}
	if e.current.kind == kindMessage {
		h.Message = e.slots.at(uint32(e.current.arg))
	}
	return h
}

func (e *Engine) divergence() error {
	d := &Divergence{Event: e.happened()}
	d.Exact = uint64(len(e.cfg.Reference.Fingerprints)) > d.Number || d.Number >= e.cfg.Reference.Events
	return d
}

// maxNodes is how many nodes a tie key can tell apart.
const maxNodes = 1 << 24

// sequenceBits are the bits of a tie key that count the events a node has
// caused.
const sequenceBits = 36

// schedule adds an event that source has caused.
func (e *Engine) schedule(at Time, k kind, source, node int32, arg uint64) {
	if at < e.now {
		ahead := Duration(at - e.now)
		e.fail(fmt.Errorf("virtual time overflows: node %d schedules an event %v after %v", source, ahead, e.now))
		return
	}
	n := e.sequence[source]
	e.sequence[source]++
	key := uint64(k)<<60 | uint64(source)<<sequenceBits | n&(1<<sequenceBits-1)
	if e.shuffle != 0 {
		key = mix(key ^ e.shuffle)
	}
	if k == kindStart {
		e.starts.push(&event{at: at, key: key, arg: arg, node: node, kind: k})
		return
	}
	if e.near != nil {
		e.near.add(at, key, arg, node, k)
		return
	}
	e.pending = event{at: at, key: key, arg: arg, node: node, kind: k}
	e.queue.push(&e.pending)
}

func (e *Engine) fail(err error) {
	if e.failure == nil {
		e.failure = err
	}
}

// hold puts a message into a slot. The caller's reference to it keeps it until
// all copies are under way.
func (e *Engine) hold(kind uint8, round int32, payload []float64) uint32 {
	id := e.slots.take()
	s := e.slots.at(id)
	// Field by field: a literal is built elsewhere and copied.
	s.Payload, s.Sent, s.From, s.Round, s.Kind, s.refs = payload, e.now, e.env.node, round, kind, 1
	return id
}

func (e *Engine) release(id uint32) {
	s := e.slots.at(id)
	if s.refs--; s.refs <= 0 {
		e.slots.release(id)
	}
}

// Held is a message that somebody holds, so that its payload stays what it is; 0: none. Whoever has composed or kept
// one drops it in the end.
type Held uint32

func (h Held) slot() uint32 { return uint32(h) - 1 }

// Payload is that of a message that is held.
func (e *Engine) Payload(h Held) []float64 { return e.slots.at(h.slot()).Payload }

// Drop ends a hold; none is none to end.
func (e *Engine) Drop(h Held) {
	if h != 0 {
		e.release(h.slot())
	}
}

// transmit sends the message of a slot over consecutive links. Where a packet is nothing but a delay, it does at once
// for all what post does for each: a fifteenth less time an event of a broadcast.
func (e *Engine) transmit(id uint32, link int, to []int32) {
	s := e.slots.at(id)
	bytes := 8*int64(len(s.Payload)) + e.header
	within := uint64(bytes) < 1<<38 && e.bytes < 1<<62 && e.now <= forever-century // at most 2²⁴ links
	if !e.direct || !within {
		for k, to := range to {
			e.post(id, link+k, to)
		}
		return
	}
	m := &e.models[0]
	e.packets += uint64(len(to))
	e.bytes += int64(len(to)) * bytes
	s.refs += int32(len(to))
	for len(to) > 0 {
		var delays [blockEvents]Duration // drawn before any event is queued: the two wait for other things
		some := delays[:min(len(delays), len(to))]
		for k := range some {
			delay := m.Latency.Value
			if !m.sure {
				state := &e.links[link+k]
				delay = m.law.draw(&m.Latency, mix(packetWord(e.seed, uint64(link+k), state.sent)+decidesDelay))
				state.sent++
			}
			if e.apart != nil {
				delay += tick * Duration(e.apart[link+k])
			}
			some[k] = delay
		}
		e.arrivals(s.From, id, to[:len(some)], some)
		link, to = link+len(some), to[len(some):]
	}
}

// arrivals schedules copies of the message of a slot, which the node with it has sent, after delays.
func (e *Engine) arrivals(from int32, id uint32, to []int32, delays []Duration) {
	if e.near == nil || e.shuffle != 0 {
		for k, to := range to {
			e.schedule(e.now+Time(delays[k]), kindMessage, from, to, uint64(id))
		}
		return
	}
	n := e.sequence[from]
	key := uint64(kindMessage)<<60 | uint64(from)<<sequenceBits
	for k, to := range to {
		e.near.add(e.now+Time(delays[k]), key|n&(1<<sequenceBits-1), uint64(id), to, kindMessage)
		n++
	}
	e.sequence[from] = n
}

// post sends the message of a slot over a link.
func (e *Engine) post(id uint32, link int, to int32) {
	m := &e.models[0]
	if e.model != nil {
		m = &e.models[e.model[link]]
	}
	s := e.slots.at(id)
	bytes := 8*int64(len(s.Payload)) + e.header
	if bytes < 0 || bytes > math.MaxInt64-e.bytes {
		e.fail(fmt.Errorf("the number of bytes sent overflows: node %d sends a packet with a header of %d bytes after "+
			"%d bytes of others", s.From, e.header, e.bytes))
		return
	}
	state := &e.links[link]
	depart := e.now
	if m.perByte > 0 {
		depart = max(depart, state.freed) + Time(nanoseconds(float64(bytes)*m.perByte))
		state.freed = depart
	}
	if depart > forever-century { // it might arrive after the end of time
		e.fail(fmt.Errorf("virtual time overflows: a packet of %d bytes leaves node %d at %v", bytes, s.From, depart))
		return
	}
	lost, delay, second := e.draw(m, link, state.sent)
	if e.apart != nil {
		apart := tick * Duration(e.apart[link])
		delay += apart
		if second >= 0 {
			second += apart
		}
	}
	if e.faults != nil {
		lost, delay, second = e.faults.fate(e, link, state.sent, s.From, to, depart, lost, delay, second)
	}
	state.sent++
	if e.cfg.Sent != nil {
		e.packet = Packet{
			ID: e.packets, From: s.From, To: to, Kind: s.Kind, Round: s.Round,
			Sent: e.now, Received: -1, Bytes: bytes, Payload: s.Payload,
		}
	}
	e.packets++
	e.bytes += bytes
	if lost {
		if e.cfg.Sent != nil {
			e.cfg.Sent(&e.packet)
		}
		return
	}
	e.arrive(id, to, depart+Time(delay))
	if second >= 0 {
		e.arrive(id, to, depart+Time(second))
	}
	if e.faults != nil {
		e.sequence[s.From] += e.faults.owed
	}
}

// arrive lets a copy of the message of a slot arrive.
func (e *Engine) arrive(id uint32, to int32, at Time) {
	s := e.slots.at(id)
	s.refs++
	e.schedule(at, kindMessage, s.From, to, uint64(id))
	if e.foresee != nil && e.foresee[to] != nil {
		e.foreseenUntil = max(e.foreseenUntil, at)
		e.foresee[to].Foresee(e, s)
	}
	if e.cfg.Sent != nil {
		e.packet.Received = at
		e.cfg.Sent(&e.packet)
	}
}

// draw decides whether the k-th packet of a link is lost, and the delays of its
// copies; second < 0: it has one copy.
func (e *Engine) draw(m *linkModel, link int, k uint64) (lost bool, delay, second Duration) {
	if m.sure {
		return false, m.Latency.Value, -1
	}
	f := packetWord(e.seed, uint64(link), k)
	if m.Loss > 0 {
		lost = unit(mix(f+decidesLoss)) < m.Loss
	}
	delay, second = m.law.draw(&m.Latency, mix(f+decidesDelay)), -1
	if m.Duplication > 0 && unit(mix(f+decidesDuplication)) < m.Duplication {
		second = m.law.draw(&m.Latency, mix(f+decidesSecondDelay))
	}
	return
}

// Env is what a node acts through.
type Env struct {
	e    *Engine
	node int32
}

// Now is the virtual time.
func (v *Env) Now() Time { return v.e.now }

// Self is the node's number.
func (v *Env) Self() int { return int(v.node) }

// Neighbours are the nodes it can send to, ascending; not to be modified.
func (v *Env) Neighbours() []int32 { return v.e.cfg.Graph.Neighbours(int(v.node)) }

// Send sends a message to a neighbour; the payload must not change afterwards.
func (v *Env) Send(to int, kind uint8, round int, payload []float64) {
	id := v.e.hold(kind, int32(round), payload)
	link := v.e.cfg.Graph.Link(int(v.node), to)
	if link < 0 {
		panic(fmt.Sprintf("sim: node %d sends to %d, which is no neighbour", v.node, to))
	}
	v.send(link-int(v.e.cfg.Graph.start[v.node]), id)
	v.e.release(id)
}

// send sends the message of a slot to the k-th neighbour.
func (v *Env) send(k int, id uint32) {
	e := v.e
	to := v.Neighbours()[k : k+1]
	if e.trace != nil {
		s := e.slots.at(id)
		e.trace.sent(s.Kind, s.Round, to[0], s.Payload)
	}
	e.transmit(id, int(e.cfg.Graph.start[v.node])+k, to)
}

// Compose begins a message of d numbers, in memory of messages that nobody holds any longer: those of a run of many
// nodes come to more than the nodes have, and would be most of its garbage. The caller writes its payload before it is
// sent, once.
func (v *Env) Compose(d int) (Held, []float64) {
	id := v.e.slots.compose(d)
	s := v.e.slots.at(id)
	s.refs = 1
	return Held(id + 1), s.Payload
}

// SendHeld sends a composed message to the k-th of Neighbours: who composes one for each knows its place.
func (v *Env) SendHeld(k int, kind uint8, round int, h Held) {
	s := v.e.slots.at(h.slot())
	s.Sent, s.From, s.Round, s.Kind = v.e.now, v.node, int32(round), kind
	v.send(k, h.slot())
}

// Keep holds the message that is received.
func (v *Env) Keep() Held {
	id := uint32(v.e.current.arg)
	v.e.slots.at(id).refs++
	return Held(id + 1)
}

// Broadcast sends a message to every neighbour; they share the payload, which
// must not change afterwards.
func (v *Env) Broadcast(kind uint8, round int, payload []float64) {
	e := v.e
	if e.trace != nil {
		e.trace.sent(kind, int32(round), -1, payload)
	}
	id := e.hold(kind, int32(round), payload)
	e.transmit(id, int(e.cfg.Graph.start[v.node]), v.Neighbours())
	e.release(id)
}

// After wakes the node with this tag after a delay ≥ 0.
func (v *Env) After(d Duration, tag uint64) {
	v.e.schedule(v.e.now+Time(notNegative(d)), kindTimer, v.node, v.node, tag)
}

// Begun is a job under way.
type Begun struct{ id uint32 }

// Begin gives a job to the workers ahead of the Await that will collect it.
// From then on the job may read and write what it was given, and the node must
// not.
func (e *Engine) Begin(j Job) Begun { return Begun{e.pool.submit(j, anyone)} }

// Begin is Engine.Begin.
func (v *Env) Begin(j Job) Begun { return Begun{v.e.pool.submit(j, v.node)} }

// Await wakes the node with this tag after d ≥ 0 of virtual time, when the job
// is done, and returns how long that is: a node that is slow takes more than d. It is
// called once for every job begun.
func (v *Env) Await(b Begun, d Duration, tag uint64) Duration {
	t := v.e.pool.tasks[b.id]
	t.tag, t.awaited = tag, true
	d = notNegative(d)
	if v.e.faults != nil {
		d = v.e.faults.slowed(v.node, v.e.now, d)
	}
	v.e.schedule(v.e.now+Time(d), kindComputed, v.node, v.node, uint64(b.id))
	return d
}

// Compute begins a job and awaits it, and returns what Await does.
func (v *Env) Compute(d Duration, j Job, tag uint64) Duration { return v.Await(v.Begin(j), d, tag) }

func notNegative(d Duration) Duration {
	if d < 0 {
		panic(fmt.Sprintf("sim: a delay of %v", d))
	}
	return d
}

// Stream returns the node's random stream of that name.
func (v *Env) Stream(purpose string, ids ...uint64) *Stream {
	return NewStream(v.e.cfg.Seed, purpose, append([]uint64{uint64(v.node)}, ids...)...)
}

// Fail stops the run with an error.
func (v *Env) Fail(err error) { v.e.fail(err) }

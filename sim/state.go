// What an engine holds between two events, written and put back, so that another run goes on from there.

package sim

import (
	"encoding"
	"errors"
	"fmt"

	"overhear/internal/state"
)

// Pausing says how often an engine pauses between two events, so that who pays attention may write its state.
type Pausing struct {
	Every uint64 // events; 0: as often as the engine looks about
	Pause func()
}

// ErrAmid is why there is no state at a moment, and will be one soon.
var ErrAmid = errors.New("what happens at this moment is not over")

// ErrTold is wrapped by the error of an engine whose run cannot go on from a state, as it would be another already:
// what is under way then would not arrive.
var ErrTold = errors.New("what is under way would be lost")

// Mark says when the present moment is: a run of which something changes may go on from it if that is later than Until.
func (e *Engine) Mark() state.Mark {
	return state.Mark{Event: e.events, At: int64(e.now), Until: int64(max(e.now, e.foreseenUntil))}
}

// State is what the engine holds between two events; the nodes' own is theirs. It is read before the run begins, into
// an engine that is set up as the one was that it is of, but for what later phases say.
func (e *Engine) State(c *state.Coder) {
	if e.cfg.Reference == nil && c.Reading() && e.trace != nil {
		c.Fail(errors.New("the trace up to here is not known"))
		return
	}
	e.pendingState(c)
	if c.Failed() != nil {
		return
	}
	e.phasesState(c)
	state.Plain(c, &e.now)
	state.Slice(c, &e.sequence)
	state.Slice(c, &e.links)
	state.Plain(c, &e.events)
	state.Plain(c, &e.packets)
	state.Plain(c, &e.bytes)
	e.slots.state(c)
	e.tasksState(c)
	e.traceState(c)
	e.faultsState(c)
	e.restored = e.restored || c.Reading()
}

// pendingState is that of the events that are pending.
func (e *Engine) pendingState(c *state.Coder) {
	if len(e.starts.events) > 0 || e.faults != nil && e.faults.resuming >= 0 || e.failure != nil {
		c.Fail(ErrAmid)
		return
	}
	var all []event
	if !c.Reading() {
		e.eachPending(func(ev *event) { all = append(all, *ev) })
	}
	state.Slice(c, &all)
	if !c.Reading() || c.Failed() != nil {
		return
	}
	for k := range all {
		ev := &all[k]
		if f := e.faults; f != nil && ev.kind == kindMessage && f.nodes[ev.node].at(ev.at) != nil {
			c.Fail(fmt.Errorf("%w, as node %d is down at %v", ErrTold, ev.node, ev.at))
			return
		}
	}
	for k := range all {
		e.queue.push(&all[k])
	}
}

// phasesState is which phases have begun. Nodes, which have been told, are not told again.
func (e *Engine) phasesState(c *state.Coder) {
	entered := int64(e.Entered())
	state.Plain(c, &entered)
	for c.Reading() && c.Failed() == nil && int64(e.Entered()) < entered {
		if len(e.later) == 0 {
			c.Fail(errors.New("a change has happened that is not to"))
			return
		}
		e.begin()
	}
}

// eachPending goes through the pending events, in no order.
func (e *Engine) eachPending(do func(*event)) {
	if e.near == nil {
		h := e.queue.(*heap4)
		for k := range h.events {
			do(&h.events[k])
		}
		return
	}
	e.near.each(do)
}

// each goes through the events, in no order.
func (r *radix) each(do func(*event)) {
	for _, k := range r.order[r.next:r.count] {
		do(&r.run.events[k])
	}
	for k := range r.late.events {
		do(&r.late.events[k])
	}
	for level := range r.buckets {
		for value := range r.buckets[level] {
			u := &r.buckets[level][value]
			for k, n := u.head, u.n; k != nil; k, n = k.next, blockEvents {
				for i := range k.events[:n] {
					do(&k.events[i])
				}
			}
		}
	}
}

// state is that of the messages that are under way or held.
func (s *slots) state(c *state.Coder) {
	blocks := int64(len(s.blocks))
	state.Plain(c, &blocks)
	var used []uint32
	for id := range uint32(len(s.blocks)) * slotsOfBlock {
		if s.at(id).refs > 0 {
			used = append(used, id)
		}
	}
	state.Slice(c, &used)
	if c.Reading() && c.Failed() == nil {
		free := make([]bool, blocks*slotsOfBlock)
		for id := range free {
			free[id] = true
		}
		for _, id := range used {
			if int(id) >= len(free) {
				c.Fail(errors.New("a message has no place"))
				return
			}
			free[id] = false
		}
		*s = slots{}
		for range blocks {
			s.grow(nil, 0)
		}
		for id := len(free) - 1; id >= 0; id-- {
			if free[id] {
				s.free = append(s.free, uint32(id))
			}
		}
	}
	for _, id := range used {
		m := s.at(id)
		c.Vector(&m.Payload)
		state.Plain(c, &m.Sent)
		state.Plain(c, &m.From)
		state.Plain(c, &m.Round)
		state.Plain(c, &m.refs)
		state.Plain(c, &m.Kind)
		state.Plain(c, &m.own)
	}
}

// tasksState is that of the steps under way, all of which are computed to their ends first.
func (e *Engine) tasksState(c *state.Coder) {
	if !c.Reading() {
		e.pool.calm()
	} else {
		e.pool = new(pool)
	}
	p := e.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	state.Each(c, &p.tasks, func(t **task) {
		if *t == nil {
			*t = new(task)
		}
		k := *t
		if k.err != nil {
			c.Fail(ErrAmid) // it is going to fail
		}
		state.Plain(c, &k.tag)
		state.Plain(c, &k.owner)
		state.Plain(c, &k.awaited)
		state.Plain(c, &k.state)
	})
	state.Slice(c, &p.free)
}

// traceState is that of the trace. What it has kept so far is the reference's, whose run this one has been up to here.
func (e *Engine) traceState(c *state.Coder) {
	t := e.trace
	if !c.Present(t != nil) {
		if t != nil {
			c.Fail(errors.New("it is of a run without a trace"))
		}
		return
	}
	if t == nil {
		c.Fail(errors.New("it is of a run with a trace"))
		return
	}
	var hashed []byte
	if !c.Reading() {
		t.flush()
		t.begin = 0
		var err error
		if hashed, err = t.hash.(encoding.BinaryMarshaler).MarshalBinary(); err != nil {
			c.Fail(err)
		}
	}
	state.Slice(c, &hashed)
	state.Plain(c, &t.odd)
	if !c.Reading() || c.Failed() != nil {
		return
	}
	r := t.reference
	epochs, prints := e.events/EpochEvents, uint64(0)
	if t.level == TraceFingerprints {
		prints = min(e.events, MaxFingerprints)
	}
	if uint64(len(r.Checkpoints)) < epochs || uint64(len(r.Fingerprints)) < prints {
		c.Fail(errors.New("the trace that it is of is shorter"))
		return
	}
	if err := t.hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(hashed); err != nil {
		c.Fail(err)
		return
	}
	t.Events = e.events
	// What this run adds is written over what the reference has from here on, which is compared before.
	t.Checkpoints, t.Fingerprints = r.Checkpoints[:epochs], r.Fingerprints[:prints]
	if e.events%EpochEvents == 0 && epochs > 0 && t.sum() != t.Checkpoints[epochs-1] {
		c.Fail(errors.New("it is of another run than the trace"))
	}
}

// faultsState is that of what goes wrong. In a run in which nothing has, all nodes are up.
func (e *Engine) faultsState(c *state.Coder) {
	f := e.faults
	if !c.Present(f != nil) {
		if f != nil && c.Failed() == nil {
			for i := range f.nodes {
				f.nodes[i].started = true
			}
			f.active, f.packets = e.now, e.packets
		}
		return
	}
	if f == nil {
		c.Fail(errors.New("it is of a run in which something goes wrong"))
		return
	}
	state.Plain(c, &f.active)
	state.Plain(c, &f.packets)
	if c.Reading() {
		f.agenda.events = nil
	}
	for i := range f.nodes {
		f.nodes[i].state(c)
		if c.Reading() && c.Failed() == nil {
			f.resume(int32(i), c)
		}
	}
}

// state is that of a node's outages so far.
func (a *availability) state(c *state.Coder) {
	current := int64(a.current)
	state.Plain(c, &current)
	a.current = int(current)
	state.Plain(c, &a.down)
	state.Plain(c, &a.started)
	state.Slice(c, &a.parked)
	state.Plain(c, &a.forgotten)
}

// resume puts on the agenda what a node's current outage causes next.
func (f *faults) resume(node int32, c *state.Coder) {
	l := &f.nodes[node]
	if !l.down {
		f.announce(node)
		return
	}
	switch o := l.upcoming(); {
	case o == nil:
		c.Fail(errors.New("a node is down that is not to be"))
	case o.to < forever:
		f.push(o.to, kindRestart, node)
	}
}

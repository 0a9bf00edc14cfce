// What nodes hold between two events, written and put back, so that another run goes on from there. What a method has
// besides what is in its nodes follows from the setting.

package algorithms

import (
	"errors"
	"slices"

	"overhear/internal/state"
)

// stateless says why what the nodes hold cannot be written; nil: it can.
func (c *Config) stateless() error {
	if _, ok := c.Method.(Foreign); ok {
		return errors.New("what the method keeps is in another program")
	}
	if c.Liars != nil {
		return errors.New("what nodes that lie have heard is not written")
	}
	return nil
}

// begin fails where there is no state.
func (c *Config) begin(s *state.Coder) bool {
	if err := c.stateless(); err != nil {
		s.Fail(err)
	}
	return s.Failed() == nil
}

// failed fails where a step has, as the run is going to.
func failed(c *state.Coder, err error) {
	if err != nil {
		c.Fail(err)
	}
}

func (n *Node) state(c *state.Coder) {
	c.Vector(&n.F)
	c.Vector(&n.Dual)
	c.Vector(&n.Memory)
	state.Plain(c, &n.stats)
	if n.solver != nil {
		n.solver.State(c)
	}
}

// state is what a server has of its users; reading makes of it what the server made.
func (r *registration) state(c *state.Coder, s *rowRun, n *Node) {
	if s.registering == nil {
		return
	}
	c.Vectors(&r.reports)
	state.Plain(c, &r.missing)
	state.Plain(c, &r.asked)
	state.Plain(c, &r.waits)
	if c.Reading() && c.Failed() == nil && r.missing == 0 {
		r.make(s, n)
	}
}

// usersState is what users have reported.
func (r *rowRun) usersState(c *state.Coder) {
	for _, u := range r.users {
		c.Vector(&u.report)
	}
}

// State is what the nodes hold.
func (s *synchronous) State(c *state.Coder) {
	if !s.begin(c) {
		return
	}
	s.usersState(c)
	for i := range s.peers {
		s.peers[i].state(c)
	}
}

func (p *peer) state(c *state.Coder) {
	failed(c, p.err)
	p.registration.state(c, &p.run.rowRun, &p.Node)
	p.Node.state(c)
	state.Plain(c, &p.loss)
	c.Vector(&p.inner)
	state.Plain(c, &p.round)
	for slot := range p.values {
		c.Vectors(&p.values[slot])
		state.Slice(c, &p.arrived[slot])
		c.Vectors(&p.outbox[slot])
	}
	state.Plain(c, &p.known)
	state.Plain(c, &p.heard)
	state.Plain(c, &p.begun)
	state.Plain(c, &p.job)
	state.Plain(c, &p.effort)
	state.Plain(c, &p.stepping)
	state.Plain(c, &p.since)
	state.Plain(c, &p.began)
	state.Slice(c, &p.gone)
	state.Plain(c, &p.done)
	state.Match(c, "whether nodes go on without values that do not come", p.stale != nil)
	if p.stale != nil && c.Failed() == nil {
		p.stale.state(c)
	}
}

func (s *stale) state(c *state.Coder) {
	c.Vectors(&s.newest)
	state.Slice(c, &s.rounds)
	state.Slice(c, &s.entering[0])
	state.Slice(c, &s.entering[1])
	state.Slice(c, &s.entered)
	state.Slice(c, &s.fresh)
	state.Plain(c, &s.used)
}

// State is what the nodes hold.
func (s *asynchronous) State(c *state.Coder) {
	if !s.begin(c) {
		return
	}
	s.usersState(c)
	c.Vector(&s.zero)
	state.Slice(c, &s.silences)
	state.Slice(c, &s.lags)
	for i := range s.runners {
		s.runners[i].state(c)
	}
}

func (r *runner) state(c *state.Coder) {
	failed(c, r.err)
	r.registration.state(c, &r.run.rowRun, &r.Node)
	r.Node.state(c)
	state.Slice(c, &r.links)
	state.Plain(c, &r.round)
	state.Plain(c, &r.stepping)
	state.Plain(c, &r.overdue)
	state.Plain(c, &r.started)
	state.Plain(c, &r.spoken)
	state.Plain(c, &r.done)
	state.Plain(c, &r.loss)
	c.Vector(&r.inner)
	c.Vector(&r.outbox)
	state.Plain(c, &r.since)
	state.Plain(c, &r.began)
	state.Plain(c, &r.effort)
	if !c.Present(r.inputs != nil) {
		r.inputs = nil
		return
	}
	if r.inputs == nil {
		r.inputs = new(inputs)
	}
	c.Vectors(&r.inputs.values)
	state.Slice(c, &r.inputs.fresh)
	state.Slice(c, &r.inputs.held)
}

func (s *star) state(c *state.Coder) {
	h := &s.hub
	failed(c, h.err)
	state.Plain(c, &h.effort)
	state.Plain(c, &h.round)
	c.Vector(&h.message)
	c.Vectors(&h.heard)
	state.Plain(c, &h.missing)
	state.Plain(c, &h.busy)
	state.Plain(c, &h.since)
	state.Plain(c, &h.began)
	for i := range s.clients {
		k := &s.clients[i]
		failed(c, k.err)
		state.Plain(c, &k.effort)
		state.Plain(c, &k.round)
		c.Vector(&k.message)
		c.Vector(&k.hub)
		state.Plain(c, &k.began)
		state.Plain(c, &k.busy)
		state.Plain(c, &k.done)
	}
}

// State is what the hub and the clients hold.
func (s *aroundHub) State(c *state.Coder) {
	if !s.begin(c) {
		return
	}
	s.star.state(c)
	s.center.state(c)
	for i := range s.clients {
		s.clients[i].Node.state(c)
		state.Plain(c, &s.clients[i].loss)
	}
}

// State is what the hub and the parties hold.
func (s *overColumns) State(c *state.Coder) {
	failed(c, s.failure)
	if !s.begin(c) {
		return
	}
	s.star.state(c)
	for _, v := range []*[]float64{&s.hub.Z, &s.hub.Y, &s.hub.Sum, &s.hub.Memory, &s.message} {
		c.Vector(v)
	}
	state.Plain(c, &s.hub.Residual)
	for i := range s.parties {
		c.Vector(&s.parties[i].X)
		c.Vector(&s.parties[i].Memory)
		state.Plain(c, &s.parties[i].Residual)
	}
	c.Vectors(&s.sent)
	state.Plain(c, &s.reached)
	var open []int
	for t := range s.rounds {
		open = append(open, t)
	}
	slices.Sort(open)
	state.Slice(c, &open)
	for _, t := range open {
		if c.Reading() {
			s.rounds[t] = new(ColumnRound)
		}
		s.rounds[t].state(c)
		pending := s.pending[t]
		state.Plain(c, &pending)
		s.pending[t] = pending
	}
}

func (r *ColumnRound) state(c *state.Coder) {
	state.Plain(c, &r.Round)
	state.Plain(c, &r.At)
	c.Vectors(&r.X)
	state.Plain(c, &r.Gap)
	state.Plain(c, &r.Residual)
	state.Plain(c, &r.Reached)
}

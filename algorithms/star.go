// The round protocol of a star: a hub, node 0, and clients 1, 2, … around it.
// What hub and clients compute is not its business.

package algorithms

import (
	"fmt"
	"strings"

	"overhear/sim"
)

// starWork is what is computed in a star. Steps run on workers, one at a time for
// each node; the others are called from the engine's goroutine.
type starWork interface {
	hubStep(worker, round int, heard [][]float64) error // of round ≥ 1, from the clients' messages of that round
	// of round ≥ 1, from the hub's message of the round before; round T+1 only ends round T
	clientStep(worker, i, round int, hub []float64) error
	hubMessage(round int) []float64       // after the step; round 0: the start
	clientMessage(i, round int) []float64 // after the step
	// the hub has its round, of a step that began then; round 0: the start
	hubDone(began, at sim.Time, round int)
	clientDone(began, at sim.Time, i, round int)               // a client has its round; round 0: the start
	clientConcluded(i, round int)                              // a client has ended its round
	cost(env *sim.Env, node, round int) (virtual sim.Duration) // of a step
	// the hub has crashed and lost all but the message that it sent last, and its round
	hubForgets(round int, message []float64)
	clientForgets(i int) // a client has lost all but its last message and its round
}

// star runs rounds: the hub sends its message of round t, a client answers with
// its message of round t+1, the hub waits for all of them. Where messages are
// lost the hub sends again to those it has not heard.
//
// Hub and clients put a message into stable storage before they send it, so that
// what was published of a round is one vector, whatever crashes. A hub that has lost its
// memory takes its last message up again and asks all clients anew; a client goes on
// from its starting point.
type star struct {
	engine          *sim.Engine
	rounds          int
	retry, deadline sim.Duration
	asking          bool // a phase begins in which the hub, if it waits, asks sooner, or at all
	work            starWork
	hub             starHub
	clients         []starClient
}

// checkStar reports a graph that is no star around node 0.
func checkStar(g *sim.Graph) error {
	n := g.Order()
	if n < 2 || g.Degree(0) != n-1 || g.Size() != n-1 {
		return fmt.Errorf("this method needs a star with the hub as node 0: topology: {kind: star, nodes: %d}",
			max(n, 2))
	}
	return nil
}

// attach makes the nodes and gives them to the engine.
func (s *star) attach(e *sim.Engine, clients int) {
	s.engine = e
	s.hub = starHub{star: s, heard: make([][]float64, clients)}
	e.Attach(0, &s.hub)
	s.clients = make([]starClient, clients)
	for i := range s.clients {
		s.clients[i] = starClient{star: s, i: i}
		e.Attach(i+1, &s.clients[i])
	}
}

// change goes by what holds from a phase on.
func (s *star) change(retry, deadline sim.Duration) {
	s.asking = sooner(s.retry, retry, s.deadline, deadline)
	s.retry, s.deadline = retry, deadline
}

// unfinished is nil when the last round has ended.
func (s *star) unfinished() error {
	if s.hub.round == s.rounds {
		return nil
	}
	return fmt.Errorf("the run stopped in round %d of %d: %s", s.hub.round+1, s.rounds, s.hub.waiting())
}

type starHub struct {
	*star
	effort
	round   int // of the latest message
	message []float64
	heard   [][]float64 // the clients' messages of the next round
	missing int
	busy    bool
	since   sim.Time
	began   sim.Time // of the latest step
	err     error
}

// Start sends the message of round 0.
func (h *starHub) Start(env *sim.Env) {
	h.began = env.Now()
	h.send(env)
}

func (h *starHub) send(env *sim.Env) {
	h.work.hubDone(h.began, env.Now(), h.round)
	h.message = h.work.hubMessage(h.round)
	h.ask(env)
}

// ask sends the last message to all and begins to collect the answers.
func (h *starHub) ask(env *sim.Env) {
	h.missing = len(h.heard)
	clear(h.heard)
	h.since = env.Now()
	env.Broadcast(KindValue, h.round, h.message)
	if h.retry > 0 && h.round < h.rounds {
		env.After(patience(h.since, h.since, h.retry, h.deadline), tagRetry(h.round, 0))
	}
}

// Change has a hub that waits ask for the answers that it waits for, if that is to be sooner than it would.
func (h *starHub) Change(env *sim.Env) {
	if h.asking && h.message != nil && !h.busy && h.round < h.rounds {
		env.After(patience(env.Now(), h.since, h.retry, h.deadline), tagRetry(h.round, 0))
	}
}

// Restart goes on after a crash.
func (h *starHub) Restart(env *sim.Env, lost bool) {
	if !lost || h.round == h.rounds {
		return
	}
	h.effort.forget(env)
	h.busy, h.err = false, nil
	h.work.hubForgets(h.round, h.message)
	h.ask(env)
}

// Receive takes a client's message.
func (h *starHub) Receive(env *sim.Env, m *sim.Message) {
	if int(m.Round) != h.round+1 || h.heard[m.From-1] != nil {
		return // a second copy
	}
	h.heard[m.From-1] = m.Payload
	if h.missing--; h.missing == 0 {
		h.busy = true
		cost := h.work.cost(env, 0, h.round+1)
		h.began = env.Now()
		h.spend(env.Compute(cost, h, tagStep))
	}
}

// Run is the hub's step, on a worker.
func (h *starHub) Run(worker int) { h.err = h.work.hubStep(worker, h.round+1, h.heard) }

// Wake sends the finished message, or the last one again to those not heard.
func (h *starHub) Wake(env *sim.Env, tag uint64) {
	if tag == tagStep {
		if h.err != nil {
			env.Fail(fmt.Errorf("the hub, round %d: %w", h.round+1, h.err))
			return
		}
		h.busy = false
		h.round++
		h.steps = int32(h.round)
		h.send(env)
		return
	}
	round, attempt := int(tag>>16), int(tag>>1&0x7fff)
	if round != h.round || h.busy {
		return
	}
	if expired(env.Now(), h.since, h.deadline) {
		env.Fail(fmt.Errorf("no progress for %v of virtual time (the deadline): %s", h.deadline, h.waiting()))
		return
	}
	for i, f := range h.heard {
		if f == nil {
			env.Send(i+1, KindValue, h.round, h.message) // either of the two messages was lost
		}
	}
	again := patience(env.Now(), h.since, backoff(h.retry, attempt+1), h.deadline)
	env.After(again, tagRetry(round, attempt+1))
}

func (h *starHub) waiting() string {
	var missing []string
	for i, f := range h.heard {
		if f == nil {
			missing = append(missing, called(h.engine, int32(i+1)))
		}
	}
	return fmt.Sprintf("the hub waits for round %d of node %s", h.round+1, strings.Join(missing, ", "))
}

type starClient struct {
	*star
	i       int
	round   int // of the latest message
	message []float64
	hub     []float64 // the hub's message being answered
	began   sim.Time  // of the latest step
	err     error
	busy    bool
	done    bool
	effort
}

// Start has nothing to send.
func (c *starClient) Start(env *sim.Env) { c.work.clientDone(env.Now(), env.Now(), c.i, 0) }

// Receive takes the hub's message. One that the client has answered is a second
// copy, or asks for the answer again.
func (c *starClient) Receive(env *sim.Env, m *sim.Message) {
	switch t := int(m.Round); {
	case c.busy || c.done:
	case t == c.round-1:
		env.Send(0, KindValue, c.round, c.message)
	case t == c.round:
		c.busy, c.hub = true, m.Payload
		var cost sim.Duration
		if t < c.rounds {
			cost = c.work.cost(env, c.i+1, t+1)
		}
		c.began = env.Now()
		c.spend(env.Compute(cost, c, tagStep))
	}
}

// Restart goes on after a crash. The hub asks again.
func (c *starClient) Restart(env *sim.Env, lost bool) {
	if !lost || c.done {
		return
	}
	if c.busy || c.round > 0 {
		c.effort.forget(env)
	}
	c.busy, c.err = false, nil
	c.work.clientForgets(c.i)
}

// Run is the client's step, on a worker.
func (c *starClient) Run(worker int) { c.err = c.work.clientStep(worker, c.i, c.round+1, c.hub) }

// Wake sends the finished message to the hub.
func (c *starClient) Wake(env *sim.Env, _ uint64) {
	if c.err != nil {
		env.Fail(fmt.Errorf("node %d, round %d: %w", c.i+1, c.round+1, c.err))
		return
	}
	c.busy = false
	if c.round > 0 {
		c.work.clientConcluded(c.i, c.round)
	}
	if c.round == c.rounds {
		c.done = true
		c.finished = env.Now()
		return
	}
	c.round++
	c.steps = int32(c.round)
	c.work.clientDone(c.began, env.Now(), c.i, c.round)
	c.message = c.work.clientMessage(c.i, c.round)
	env.Send(0, KindValue, c.round, c.message)
}

var (
	_ sim.Restarter = (*starHub)(nil)
	_ sim.Restarter = (*starClient)(nil)
)

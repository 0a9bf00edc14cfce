// The round protocol of a star: clients with data around a hub without.

package algorithms

import (
	"fmt"
	"strings"

	"overhear/sim"
)

// Central is a Method for a star. Its Update and Dual are a client's, whose only
// neighbour is the hub: n.Heard[0] is what the hub last sent.
type Central interface {
	Method

	// Merge computes the hub's vector h.F of round t ≥ 1 from the clients'
	// iterates of round t, h.Heard, in order of client.
	Merge(h *Node, t int)
}

// Hub runs a Central method: node 0 is the hub, node i + 1 the client with shard
// i. The hub sends its vector of round t; a client answers with its iterate of
// round t+1; the hub waits for all of them.
type Hub struct {
	Synchronous // its settings; nodes and protocol are the star's own
	center      hub
	clients     []client
}

// hub is node 0.
type hub struct {
	Node
	run    *Hub
	round  int // of F
	heard  int
	merged *starJob
	busy   bool
	since  sim.Time
}

// client is node ID, with shard ID − 1.
type client struct {
	Node
	run   *Hub
	round int // of F
	loss  float64
	err   error
	vital [][]float64 // the hub's vector
	busy  bool
	done  bool
	since sim.Time
}

type starJob struct{ h *hub }

// Run merges, on a worker.
func (j *starJob) Run(int) {
	h := j.h
	h.F = append(make([]float64, 0, len(h.F)), h.F...)
	h.run.Method.(Central).Merge(&h.Node, h.round+1)
}

// CheckStar reports a graph that is no star around node 0.
func CheckStar(g *sim.Graph) error {
	n := g.Order()
	if n < 2 || g.Degree(0) != n-1 || g.Size() != n-1 {
		return fmt.Errorf("this method needs a star with the hub as node 0: topology: {kind: star, nodes: %d}", max(n, 2))
	}
	return nil
}

// Attach makes the hub and its clients and gives them to the engine.
func (s *Hub) Attach(e *sim.Engine) {
	p := s.Problem
	s.traits = traitsOf(s.Method)
	s.scratch = make([]scratch, e.Workers())
	for w := range s.scratch {
		s.scratch[w] = scratch{
			sum: make([]float64, p.D), q: make([]float64, p.D), room: make([]float64, p.D),
			solver: p.NewScratch(),
		}
	}
	h := &s.center
	*h = hub{run: s}
	h.seed, h.degree = s.Seed, len(p.Shards)
	h.F = s.Init.Start(s.Seed, 0, p.D)
	h.Heard = make([][]float64, h.degree)
	h.merged = &starJob{h}
	e.Attach(0, h)
	s.clients = make([]client, h.degree)
	for i := range s.clients {
		c := &s.clients[i]
		c.run, c.ID, c.seed, c.degree = s, i, s.Seed, 1
		c.F, c.Dual = s.Init.Start(s.Seed, i+1, p.D), make([]float64, p.D)
		c.solver = p.NewSolver(i, s.Tolerance)
		c.vital = make([][]float64, 1)
		e.Attach(i+1, c)
	}
}

// Network is the star.
func (s *Hub) Network() (*sim.Graph, error) { return s.Graph, CheckStar(s.Graph) }

// Start sends the hub's starting point.
func (h *hub) Start(env *sim.Env) { h.send(env) }

func (h *hub) send(env *sim.Env) {
	if o := h.run.Observer; o != nil {
		o.Published(&Publication{Node: 0, Shard: -1, Round: h.round, At: env.Now(), Values: h.F})
	}
	h.since = env.Now()
	env.Broadcast(KindValue, h.round, h.F)
	if h.run.Retry > 0 && h.round < h.run.Rounds {
		env.After(h.run.Retry, tagRetry(h.round, 0))
	}
}

// Receive takes a client's iterate.
func (h *hub) Receive(env *sim.Env, m *sim.Message) {
	if int(m.Round) == h.round+1 && h.Heard[m.From-1] == nil {
		h.Heard[m.From-1] = m.Payload
		if h.heard++; h.heard == h.degree {
			h.busy = true
			env.Compute(0, h.merged, tagStep)
		}
	}
}

// Wake sends the merged vector, or asks again for what is missing.
func (h *hub) Wake(env *sim.Env, tag uint64) {
	if tag == tagStep {
		h.busy = false
		h.round++
		h.heard = 0
		clear(h.Heard)
		h.send(env)
		return
	}
	round, attempt := int(tag>>16), int(tag>>1&0x7fff)
	if round != h.round || h.busy {
		return
	}
	if waited := env.Now() - h.since; h.run.Deadline > 0 && sim.Duration(waited) >= h.run.Deadline {
		env.Fail(fmt.Errorf("no progress for %v of virtual time (the deadline): %s", h.run.Deadline, h.waiting()))
		return
	}
	for i, f := range h.Heard {
		if f == nil {
			env.Send(i+1, KindValue, h.round, h.F) // either of the two messages was lost
		}
	}
	env.After(h.run.Retry<<min(attempt+1, maxBackoff), tagRetry(round, attempt+1))
}

func (h *hub) waiting() string {
	var missing []string
	for i, f := range h.Heard {
		if f == nil {
			missing = append(missing, fmt.Sprint(i+1))
		}
	}
	return fmt.Sprintf("the hub waits for round %d of node %s", h.round+1, strings.Join(missing, ", "))
}

// Start publishes the client's starting point; nothing is sent.
func (c *client) Start(env *sim.Env) {
	c.loss = c.solver.DataLossAt(c.run.scratch[0].solver, c.F)
	c.publish(env)
}

func (c *client) publish(env *sim.Env) {
	if o := c.run.Observer; o != nil {
		o.Published(&Publication{Node: c.ID + 1, Shard: c.ID, Round: c.round, At: env.Now(), Values: c.F, Loss: c.loss, Stats: c.stats})
	}
}

// Receive takes the hub's vector. One that the client has answered is a second
// copy, or asks for the answer again.
func (c *client) Receive(env *sim.Env, m *sim.Message) {
	switch t := int(m.Round); {
	case c.busy || c.done:
	case t == c.round-1:
		env.Send(0, KindValue, c.round, c.F)
	case t == c.round:
		c.busy = true
		c.vital[0] = m.Payload
		var cost sim.Duration
		if t < c.run.Rounds {
			cost = c.run.Cost.of(c.run.Problem.Shards[c.ID].U.Len(), env.Stream("compute", uint64(t+1)))
		}
		env.Compute(cost, c, tagStep)
	}
}

// Run is the client's step, on a worker.
func (c *client) Run(worker int) {
	s := &c.run.scratch[worker]
	c.Sum, c.Q, c.Room, c.scratch = s.sum, s.q, s.room, s.solver
	c.err = c.step(c.run.Method, c.round+1, c.run.Rounds, c.vital)
	if c.err == nil && c.round < c.run.Rounds {
		c.loss = c.solver.DataLossAt(c.scratch, c.F)
	}
	c.Sum, c.Q, c.Room, c.scratch, c.Heard = nil, nil, nil, nil, nil
}

// Wake sends the finished iterate to the hub.
func (c *client) Wake(env *sim.Env, _ uint64) {
	if c.err != nil {
		env.Fail(fmt.Errorf("node %d, round %d: %w", c.ID+1, c.round+1, c.err))
		return
	}
	c.busy = false
	if o := c.run.Observer; c.round > 0 && o != nil {
		o.Concluded(c.ID+1, c.round, c.Dual)
	}
	if c.round == c.run.Rounds {
		c.done = true
		return
	}
	c.round++
	c.publish(env)
	env.Send(0, KindValue, c.round, c.F)
}

// Unfinished is nil when the hub has merged the last round.
func (s *Hub) Unfinished() error {
	if s.center.round == s.Rounds {
		return nil
	}
	return fmt.Errorf("the run stopped in round %d of %d: %s", s.center.round+1, s.Rounds, s.center.waiting())
}

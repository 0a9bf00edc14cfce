// Consensus around a hub: clients with data, and a hub that merges their
// iterates.

package algorithms

import "overhear/sim"

// Central is a RowMethod for a star. Its Update and Dual are a client's, whose only
// neighbour is the hub: n.Heard[0] is what the hub last sent.
type Central interface {
	RowMethod

	// Merge computes the hub's vector h.F of round t ≥ 1 from the clients'
	// iterates of round t, h.Heard, in order of client.
	Merge(h *Node, t int)
}

// aroundHub runs a Central method: node 0 is the hub, node i + 1 the client with shard
// i.
type aroundHub struct {
	rowRun
	central Central
	star    star
	center  Node
	clients []client
}

// client is the state of a client; its Node's ID is that of its shard.
type client struct {
	Node
	loss float64
	hub  [1][]float64
}

// Attach makes the hub and its clients and gives them to the engine.
func (s *aroundHub) Attach(e *sim.Engine) {
	p := s.Problem
	s.work = newWork(e.Workers(), p)
	s.center = Node{seed: s.Seed, degree: len(p.Shards), F: s.Init.Start(s.Seed, 0, p.D)}
	s.clients = make([]client, len(p.Shards))
	for i := range s.clients {
		c := &s.clients[i]
		c.Node = Node{ID: i, seed: s.Seed, degree: 1, F: s.Init.Start(s.Seed, i+1, p.D), Dual: make([]float64, p.D),
			solver: s.newSolver(i)}
		c.loss = c.solver.DataLossAt(s.work[0].scratch, c.F)
	}
	s.star = star{rounds: s.Rounds, retry: s.Retry, deadline: s.Deadline, work: s}
	s.star.attach(e, len(s.clients))
}

// Change goes by what holds from a phase on.
func (s *aroundHub) Change(phase int) {
	s.change(phase)
	s.central = s.method.(Central)
	s.star.change(s.Retry, s.Deadline)
}

// Unfinished is nil when the hub has merged the last round.
func (s *aroundHub) Unfinished() error { return s.star.unfinished() }

func (s *aroundHub) hubStep(worker, round int, heard [][]float64) error {
	h := &s.center
	h.F = append(make([]float64, 0, len(h.F)), h.F...)
	h.Work = &s.work[worker]
	h.Heard = heard
	s.central.Merge(h, round)
	h.Work = nil
	return nil
}

func (s *aroundHub) hubMessage(int) []float64 { return s.center.F }

func (s *aroundHub) hubDone(began, at sim.Time, round int) {
	if s.Observer != nil {
		s.Observer.Published(&Publication{Node: 0, Part: -1, Round: round, Began: began, At: at, Values: s.center.F})
	}
}

func (s *aroundHub) clientStep(worker, i, round int, hub []float64) error {
	c := &s.clients[i]
	c.Work = &s.work[worker]
	c.hub[0] = hub
	err := c.step(s.method, round, s.Rounds, c.hub[:])
	if err == nil && round <= s.Rounds {
		c.loss = c.solver.DataLossAt(c.scratch, c.F)
	}
	c.Work = nil
	return err
}

func (s *aroundHub) clientMessage(i, _ int) []float64 { return s.clients[i].F }

func (s *aroundHub) clientDone(began, at sim.Time, i, round int) {
	c := &s.clients[i]
	if s.Observer != nil {
		s.Observer.Published(&Publication{Node: i + 1, Part: i, Round: round, Began: began, At: at, Values: c.F,
			Loss: c.loss, Stats: c.stats})
	}
}

func (s *aroundHub) clientConcluded(i, round int) {
	if s.Observer != nil {
		s.Observer.Concluded(i+1, round, s.clients[i].Dual)
	}
}

// hubForgets goes on from the last message, which is h.F; a Central method's Memory is
// made anew.
func (s *aroundHub) hubForgets(_ int, message []float64) { s.center.F, s.center.Memory = message, nil }

// clientForgets begins anew at the starting point, with no dual.
func (s *aroundHub) clientForgets(i int) {
	c := &s.clients[i]
	c.F, c.Memory = s.Init.Start(s.Seed, i+1, s.Problem.D), nil
	clear(c.Dual)
}

func (s *aroundHub) cost(env *sim.Env, node, round int) sim.Duration {
	if node == 0 || s.idle(round) {
		return 0
	}
	return s.Cost.Took(s.Seed, node, s.Problem.Shards[node-1].U.Len(), round)
}

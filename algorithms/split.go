// Learning over split columns: parties hold column blocks of the same rows, a hub
// holds the labels (SH19).

package algorithms

import (
	"fmt"
	"math"

	"overhear/internal/num"
	"overhear/problem"
	"overhear/sim"
)

// SplitSetting is what a method for split columns may know of the run.
type SplitSetting struct {
	Problem *problem.Vertical
	Graph   *sim.Graph
	Rounds  int
	Seed    uint64
}

// SplitMethod is a published algorithm for split columns. One SplitMethod serves
// all nodes of a run at once, from several goroutines: state is in what it is
// handed.
type SplitMethod interface {
	// Start is the hub's first message.
	Start(h *SplitHub) []float64

	// Answer updates a party's coefficients p.X in round t ≥ 1 from the hub's
	// last message, and returns what the party sends: a vector of numbers by
	// row, never a column or a coefficient.
	Answer(p *Party, t int, hub []float64) ([]float64, error)

	// Merge updates the hub from the parties' messages of round t ≥ 1, and
	// returns what it sends.
	Merge(h *SplitHub, t int, sent [][]float64) ([]float64, error)
}

// Party is what one party holds between rounds.
type Party struct {
	ID     int       // from 0; node ID + 1
	X      []float64 // its coefficients, a d_m-vector
	Memory []float64 // a method's own

	seed uint64
}

// Stream is the party's random stream for a purpose and round.
func (p *Party) Stream(purpose string, t int) *sim.Stream {
	return sim.NewStream(p.seed, purpose, uint64(p.ID), uint64(t))
}

// SplitHub is what the hub holds between rounds.
type SplitHub struct {
	Z, Y     []float64 // N-vectors: the margins' copies and their duals
	Sum      []float64 // Σ_m p_m of the last round, an N-vector
	Memory   []float64
	Residual float64 // of the round's N scalar problems
}

// SplitRound is what a round of a run over split columns has come to.
type SplitRound struct {
	Round    int
	At       sim.Time
	X        [][]float64 // by party; they never change afterwards
	Gap      float64     // ‖Σ_m p_m − z‖/√N; NaN where a method has no z
	Residual float64     // of the hub's scalar problems; NaN: it has none
}

// SplitObserver follows a run over split columns, from the engine's goroutine.
type SplitObserver interface {
	// Sent is called with what a node sends in a round; node 0 is the hub. The
	// values never change afterwards.
	Sent(node, round int, at sim.Time, values []float64)

	// Ended is called when all parties and the hub have ended a round, round 0
	// included, in order. An error ends the run.
	Ended(r *SplitRound) error
}

// Split runs a SplitMethod on a star.
type Split struct {
	SplitSetting
	Method          SplitMethod
	Cost            Cost
	Observer        SplitObserver
	Retry, Deadline sim.Duration

	star    star
	hub     SplitHub
	message []float64
	parties []Party
	sent    [][]float64
	rounds  map[int]*SplitRound
	pending map[int]int // parties still to come, by round
	failure error
	largest float64
}

// Largest is the greatest norm so far of any party's x_m and of the hub's y and z.
func (s *Split) Largest() float64 { return s.largest }

// Network is the star, one party a column block.
func (s *Split) Network() (*sim.Graph, error) {
	if err := CheckStar(s.Graph); err != nil {
		return nil, err
	}
	if n := len(s.Problem.Blocks); s.Graph.Order() != n+1 {
		return nil, fmt.Errorf("problem.columns has %d blocks, so the star needs %d nodes, the hub and a party for each; it has %d", n, n+1, s.Graph.Order())
	}
	return s.Graph, nil
}

// Attach makes the hub and the parties and gives them to the engine.
func (s *Split) Attach(e *sim.Engine) {
	n := s.Problem.N
	s.hub = SplitHub{Z: make([]float64, n), Y: make([]float64, n), Sum: make([]float64, n), Residual: math.NaN()}
	s.parties = make([]Party, len(s.Problem.Blocks))
	for m, block := range s.Problem.Blocks {
		s.parties[m] = Party{ID: m, X: make([]float64, block.D), seed: s.Seed}
	}
	s.sent = make([][]float64, len(s.parties))
	s.rounds, s.pending = map[int]*SplitRound{}, map[int]int{}
	s.star = star{rounds: s.Rounds, retry: s.Retry, deadline: s.Deadline, work: s}
	s.message = s.Method.Start(&s.hub)
	s.star.attach(e, len(s.parties))
}

// Unfinished is nil when the hub has merged the last round and its observer has
// found no fault with it.
func (s *Split) Unfinished() error {
	if s.failure != nil {
		return s.failure
	}
	return s.star.unfinished()
}

func (s *Split) hubStep(_, round int, heard [][]float64) error {
	if s.failure != nil {
		return s.failure // of the round before
	}
	message, err := s.Method.Merge(&s.hub, round, heard)
	if err != nil {
		return err
	}
	s.message = message
	return finite(message)
}

func (s *Split) hubMessage(int) []float64 { return s.message }

func (s *Split) clientStep(_, i, round int, hub []float64) error {
	if round > s.Rounds {
		return nil
	}
	p := &s.parties[i]
	p.X = append(make([]float64, 0, len(p.X)), p.X...) // the round's stays as it is
	sent, err := s.Method.Answer(p, round, hub)
	if err != nil {
		return err
	}
	s.sent[i] = sent
	return finite(sent)
}

// finite is an error for a message that is not.
func finite(values []float64) error {
	for k, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("number %d of the message is %v", k, v)
		}
	}
	return nil
}

func (s *Split) clientMessage(i, _ int) []float64 { return s.sent[i] }

// round is the record of a round whose parts are still coming in.
func (s *Split) round(t int) *SplitRound {
	r := s.rounds[t]
	if r == nil {
		r = &SplitRound{Round: t, X: make([][]float64, len(s.parties)), Gap: math.NaN(), Residual: math.NaN()}
		s.rounds[t], s.pending[t] = r, len(s.parties)+1
	}
	return r
}

func (s *Split) arrived(t int, at sim.Time) {
	r := s.rounds[t]
	r.At = max(r.At, at)
	if s.pending[t]--; s.pending[t] > 0 {
		return
	}
	delete(s.rounds, t)
	delete(s.pending, t)
	if s.Observer != nil && s.failure == nil {
		s.failure = s.Observer.Ended(r)
	}
}

func (s *Split) hubDone(_, at sim.Time, round int) {
	r := s.round(round)
	r.Residual = s.hub.Residual
	s.largest = max(s.largest, num.Norm(s.hub.Y), num.Norm(s.hub.Z))
	gap := 0.0
	for k, z := range s.hub.Z {
		d := s.hub.Sum[k] - z
		gap += float64(d * d)
	}
	if !math.IsNaN(s.hub.Residual) {
		r.Gap = math.Sqrt(gap / float64(len(s.hub.Z)))
	}
	if s.Observer != nil {
		s.Observer.Sent(0, round, at, s.message)
	}
	s.arrived(round, at)
}

func (s *Split) clientDone(_, at sim.Time, i, round int) {
	s.round(round).X[i] = s.parties[i].X
	s.largest = max(s.largest, num.Norm(s.parties[i].X))
	if s.Observer != nil && round > 0 {
		s.Observer.Sent(i+1, round, at, s.sent[i])
	}
	s.arrived(round, at)
}

func (s *Split) clientConcluded(int, int) {}

// cost counts rows: the hub has N scalar problems, a party N rows.
func (s *Split) cost(env *sim.Env, node, round int) sim.Duration {
	return s.Cost.of(node, s.Problem.N, env.Stream("compute", uint64(round)))
}

// add sums the parties' messages into h.Sum, in order of party.
func (h *SplitHub) add(sent [][]float64) {
	clear(h.Sum)
	for _, p := range sent {
		num.Axpy(1, p, h.Sum)
	}
}

// Learning over split columns: parties hold column blocks of the same rows, a hub
// holds the labels (SH19).

package algorithms

import (
	"errors"
	"fmt"
	"math"

	"overhear/internal/checkpoint"
	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/problem"
	"overhear/sim"
)

// ColumnMethod is a Method for split columns: parties hold columns of the same rows, and
// a hub the labels.
type ColumnMethod interface {
	// Start is the hub's first message.
	Start(h *Hub) []float64

	// Answer updates a party's coefficients p.X in round t ≥ 1 from the hub's
	// last message, and returns what the party sends: a vector of numbers by
	// row, never a column or a coefficient.
	Answer(p *Party, t int, hub []float64) ([]float64, error)

	// Merge updates the hub from the parties' messages of round t ≥ 1, and
	// returns what it sends.
	Merge(h *Hub, t int, sent [][]float64) ([]float64, error)
}

// StartsAnywhere is a ColumnMethod whose parties may start at random coefficients.
type StartsAnywhere interface {
	// StartsAnywhere says nothing; that it is there does.
	StartsAnywhere()
}

// Recovering is a ColumnMethod whose hub holds more than what one round's answers give.
type Recovering interface {
	// Recover makes h, which is as before the first round, of the message that the hub
	// sent last.
	Recover(h *Hub, message []float64)
}

// Party is what one party holds between rounds.
type Party struct {
	ID     int       // from 0; node ID + 1
	X      []float64 // its coefficients, a d_m-vector
	Memory []float64 // a method's own

	// Residual of the round's system, ‖∇‖/max(1, ‖q‖) as of a solve of (★); zero: none
	// was solved.
	Residual float64

	seed uint64
}

// Stream is the party's random stream for a purpose and round.
func (p *Party) Stream(purpose string, t int) *sim.Stream {
	return sim.NewStream(p.seed, purpose, uint64(p.ID), uint64(t))
}

// Hub is what the hub of a ColumnMethod holds between rounds.
type Hub struct {
	Z, Y     []float64 // N-vectors: the margins' copies and their duals
	Sum      []float64 // Σ_m p_m of the last round, an N-vector
	Memory   []float64
	Residual float64 // of the round's N scalar problems
}

// ColumnRound is what a round of a run over split columns has come to.
type ColumnRound struct {
	Round    int
	At       sim.Time
	X        [][]float64 // by party; they never change afterwards
	Gap      float64     // ‖Σ_m p_m − z‖/√N; NaN where a method has no z
	Residual float64     // of the hub's scalar problems; NaN: it has none
	Reached  Reached     // in this round or before
}

// Reached is where a run over split columns went, which conditions of private methods are about.
type Reached struct {
	Norm     float64 // the greatest of any party's x_m and of the hub's y and z
	Boundary bool    // some party's step ended on the boundary of its set (problem.set)
}

// Or is where one of two runs went.
func (r Reached) Or(s Reached) Reached { return Reached{max(r.Norm, s.Norm), r.Boundary || s.Boundary} }

// RoundObserver is an Observer that follows the rounds of a run over split columns, too.
type RoundObserver interface {
	// Ended is called when all parties and the hub have ended a round, round 0
	// included, in order. An error ends the run.
	Ended(r *ColumnRound) error
}

// overColumns runs a ColumnMethod on a star.
type overColumns struct {
	Config
	method ColumnMethod

	star    star
	hub     Hub
	message []float64
	parties []Party
	sent    [][]float64
	rounds  map[int]*ColumnRound
	pending map[int]int // parties still to come, by round
	failure error
	reached Reached
}

// newOverColumns runs a ColumnMethod on a star with one party a column block.
func newOverColumns(c Config, m ColumnMethod) (Protocol, error) {
	if err := errors.Join(checkStar(c.Graph), supported("over split columns", m, nil)); err != nil {
		return nil, err
	}
	switch n := len(c.Split.Blocks); {
	case c.Graph.Order() != n+1:
		return nil, fmt.Errorf("problem.columns has %s, so the star needs %d nodes, the hub and a party for each; "+
			"it has %d", plural.Of(n, "block"), n+1, c.Graph.Order())
	case c.Init.Normal > 0 && !startsAnywhere(m):
		return nil, errors.New("methods over split columns start at zero (algorithm.init), but for ADMM sharing and " +
			"gradient steps")
	case c.Trigger != nil:
		return nil, errors.New("methods over split columns run in synchronous rounds (rounds.mode)")
	case c.Missing == MissingLast:
		return nil, errNoStale
	}
	return &overColumns{Config: c, method: m}, nil
}

func startsAnywhere(m ColumnMethod) bool {
	_, ok := m.(StartsAnywhere)
	return ok
}

// Graph is the star.
func (s *overColumns) Graph() *sim.Graph { return s.Setting.Graph }

// Attach makes the hub and the parties and gives them to the engine.
func (s *overColumns) Attach(e *sim.Engine) {
	s.hub = s.newHub()
	s.parties = make([]Party, len(s.Split.Blocks))
	for m, block := range s.Split.Blocks {
		s.parties[m] = Party{ID: m, X: s.Init.Start(s.Seed, m+1, block.D), seed: s.Seed}
	}
	s.sent = make([][]float64, len(s.parties))
	s.rounds, s.pending = map[int]*ColumnRound{}, map[int]int{}
	s.star = star{rounds: s.Rounds, retry: s.Retry, deadline: s.Deadline, work: s}
	s.message = s.method.Start(&s.hub)
	s.star.attach(e, len(s.parties))
}

func (s *overColumns) newHub() Hub {
	n := s.Split.N
	return Hub{Z: make([]float64, n), Y: make([]float64, n), Sum: make([]float64, n), Residual: math.NaN()}
}

// Change goes by what holds from a phase on; the method is the one that holds what it factored.
func (s *overColumns) Change(phase int) {
	s.change(phase)
	s.star.change(s.Retry, s.Deadline)
}

// Unfinished is nil when the hub has merged the last round and its observer has
// found no fault with it.
func (s *overColumns) Unfinished() error {
	if s.failure != nil {
		return s.failure
	}
	return s.star.unfinished()
}

func (s *overColumns) hubStep(_, round int, heard [][]float64) error {
	if s.failure != nil {
		return s.failure // of the round before
	}
	h := &s.hub
	message, err := s.once(len(s.parties), round, heard, []*[]float64{&h.Z, &h.Y, &h.Sum, &h.Memory}, &h.Residual,
		func() ([]float64, error) { return s.method.Merge(h, round, heard) })
	if err != nil {
		return err
	}
	s.message = message
	return errors.Join(finite(message), s.solved(s.hub.Residual))
}

// solved is an error for a residual above the tolerance; NaN: nothing was solved.
func (s *overColumns) solved(residual float64) error {
	tolerance := s.Tolerance
	if tolerance == 0 {
		tolerance = problem.DefaultTolerance
	}
	if residual > tolerance {
		return fmt.Errorf("the solve ends with a relative residual of %.3g, above solver.tolerance, which is %.3g; "+
			"take a greater tolerance, or columns of like size (problem.scale)", residual, tolerance)
	}
	return nil
}

// once is the step of a node: its message, computed or as it was kept, and what the
// node holds after it, vectors and a number.
func (s *overColumns) once(node, round int, heard [][]float64, held []*[]float64, number *float64,
	step func() ([]float64, error)) ([]float64, error) {
	track := s.track(node, ownTrack)
	if track == nil {
		return step()
	}
	in := checkpoint.SumOf(append([][]float64{{float64(round)}}, heard...)...)
	if kept, ok := track.Next(in); ok {
		*number, kept = kept[0], kept[1:]
		vector := func() []float64 {
			n := int(kept[0])
			v := kept[1 : n+1 : n+1]
			kept = kept[n+1:]
			return v
		}
		for _, v := range held {
			if *v = vector(); len(*v) == 0 {
				*v = nil // as it was before a method had any
			}
		}
		return vector(), nil
	}
	message, err := step()
	if err != nil {
		return nil, err
	}
	values := [][]float64{{*number}}
	for _, v := range append(held, &message) {
		values = append(values, []float64{float64(len(*v))}, *v)
	}
	track.Keep(in, values...)
	return message, nil
}

func (s *overColumns) hubMessage(int) []float64 { return s.message }

func (s *overColumns) clientStep(_, i, round int, hub []float64) error {
	if round > s.Rounds {
		return nil
	}
	p := &s.parties[i]
	p.X = append(make([]float64, 0, len(p.X)), p.X...) // the round's stays as it is
	none := 0.0
	sent, err := s.once(i, round, [][]float64{hub}, []*[]float64{&p.X, &p.Memory}, &none,
		func() ([]float64, error) { return s.method.Answer(p, round, hub) })
	if err != nil {
		return err
	}
	s.sent[i] = sent
	return errors.Join(finite(sent), s.solved(p.Residual))
}

// finite is an error for a message that is not.
func finite(values []float64) error {
	for k, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%w: number %d of the message is %v", problem.ErrDiverges, k, v)
		}
	}
	return nil
}

func (s *overColumns) clientMessage(i, _ int) []float64 { return s.sent[i] }

// round is the record of a round whose parts are still coming in.
func (s *overColumns) round(t int) *ColumnRound {
	r := s.rounds[t]
	if r == nil {
		r = &ColumnRound{Round: t, X: make([][]float64, len(s.parties)), Gap: math.NaN(), Residual: math.NaN()}
		s.rounds[t], s.pending[t] = r, len(s.parties)+1
	}
	return r
}

func (s *overColumns) arrived(t int, at sim.Time) {
	r := s.rounds[t]
	r.At = max(r.At, at)
	if s.pending[t]--; s.pending[t] > 0 {
		return
	}
	delete(s.rounds, t)
	delete(s.pending, t)
	r.Reached = s.reached
	if o, ok := s.Observer.(RoundObserver); ok && s.failure == nil {
		s.failure = o.Ended(r)
	}
}

func (s *overColumns) hubDone(began, at sim.Time, round int) {
	r := s.round(round)
	r.Residual = s.hub.Residual
	s.reached.Norm = max(s.reached.Norm, num.Norm(s.hub.Y), num.Norm(s.hub.Z))
	gap := 0.0
	for k, z := range s.hub.Z {
		d := s.hub.Sum[k] - z
		gap += float64(d * d)
	}
	if !math.IsNaN(s.hub.Residual) {
		r.Gap = math.Sqrt(gap / float64(len(s.hub.Z)))
	}
	if s.Observer != nil {
		s.Observer.Published(&Publication{Node: 0, Part: -1, Round: round, Began: began, At: at, Values: s.message})
	}
	s.arrived(round, at)
}

func (s *overColumns) clientDone(began, at sim.Time, i, round int) {
	x := s.parties[i].X
	s.round(round).X[i] = x
	h := s.Split.NonSmooth
	s.reached = s.reached.Or(Reached{num.Norm(x), round > 0 && h != nil && h.Set.OnBoundary(x)})
	if s.Observer != nil && round > 0 {
		s.Observer.Published(&Publication{Node: i + 1, Part: i, Round: round, Began: began, At: at, Values: s.sent[i]})
	}
	s.arrived(round, at)
}

func (s *overColumns) clientConcluded(int, int) {}

func (s *overColumns) hubForgets(round int, message []float64) {
	s.hub, s.message = s.newHub(), message
	if m, ok := s.method.(Recovering); ok && round > 0 {
		m.Recover(&s.hub, message)
	}
}

// clientForgets begins anew where the party began.
func (s *overColumns) clientForgets(i int) {
	s.parties[i] = Party{ID: i, X: s.Init.Start(s.Seed, i+1, len(s.parties[i].X)), seed: s.Seed}
}

// cost counts rows: the hub has N scalar problems, a party N rows.
func (s *overColumns) cost(env *sim.Env, node, round int) sim.Duration {
	return s.Cost.Took(s.Seed, node, s.Split.N, round)
}

// add sums the parties' messages into h.Sum, in order of party.
func (h *Hub) add(sent [][]float64) {
	clear(h.Sum)
	for _, p := range sent {
		num.Axpy(1, p, h.Sum)
	}
}

// From a method and the options of a run to the protocol that its nodes follow.

package algorithms

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"overhear/adversary/acts"
	"overhear/internal/checkpoint"
	"overhear/internal/state"
	"overhear/parameter"
	"overhear/problem"
	"overhear/sim"
)

// Config is how a method is run.
type Config struct {
	Setting
	Method   Method
	Init     Init
	Cost     Cost
	Observer Observer      // nil: nobody watches
	Liars    *acts.Company // nil: all nodes are honest

	Tolerance float64      // of each solve, see problem.Solver; 0: the default
	Retry     sim.Duration // where messages are lost, how long a node waits before it asks again; 0: it does not
	Deadline  sim.Duration // how long it waits for a round; 0: for ever
	Missing   string       // what happens then: "" or MissingStop, or MissingLast

	Journal *checkpoint.Journal // of results that an earlier run has left, and that this one leaves; nil: none
	States  bool                // the protocol's state is going to be written

	Trigger *parameter.Trigger // when nodes without lockstep start their next update; nil: rounds are synchronous

	Later []Later // what holds in the phases of the engine's run after the first
}

// Later is what a method's nodes go by from a phase of a run on. A step that began before ends by what held then.
type Later struct {
	Method          Method // of the kind that the run has
	Cost            Cost
	Retry, Deadline sim.Duration
	Trigger         *parameter.Trigger // nil where rounds are synchronous
}

// What a node does when it has waited for a round for as long as Deadline.
const (
	MissingStop = "stop" // fail the run and say who waited for whom
	MissingLast = "last" // go on with stale values: the last that came, zero if none did
)

// patience is how long a node that waits since then lets pass before it asks again: d, or
// less where its deadline is sooner. Called when the deadline has not passed.
func patience(now, since sim.Time, d, deadline sim.Duration) sim.Duration {
	if deadline > 0 {
		d = min(d, deadline-sim.Duration(now-since))
	}
	return max(d, 0)
}

// backoff is how long a node waits before it asks for that many times more: twice as long
// each time.
func backoff(retry sim.Duration, attempt int) sim.Duration {
	k := min(attempt, maxBackoff)
	if retry > math.MaxInt64>>k {
		return math.MaxInt64
	}
	return retry << k
}

// expired says whether a wait since then has reached its deadline.
func expired(now, since sim.Time, deadline sim.Duration) bool {
	return deadline > 0 && sim.Duration(now-since) >= deadline
}

// Protocol is how a method's nodes take turns.
type Protocol interface {
	Graph() *sim.Graph    // what the engine runs
	Attach(e *sim.Engine) // makes the nodes
	Change(phase int)     // goes by Config.Later of that number from now on
	Unfinished() error    // nil when all have ended their last round; else who waits for whom
	Activity() *Activity  // what the nodes did

	// State is what the nodes hold between two events; read when they are attached.
	State(c *state.Coder)
}

// NewProtocol is the protocol that the method needs. The error says which trait of
// the method, or which option, the protocol does not support.
func NewProtocol(c Config) (Protocol, error) {
	switch m := c.Method.(type) {
	case ColumnMethod:
		if c.Liars != nil {
			return nil, errNothingToLie
		}
		if c.Split == nil {
			return nil, fmt.Errorf("%T is for split columns, and rows are split", m)
		}
		return newOverColumns(c, m)
	case RowMethod:
		if c.Problem == nil {
			return nil, fmt.Errorf("%T is for split rows, and columns are split", m)
		}
		return newOverRows(c, m)
	}
	return nil, fmt.Errorf("%T is neither a RowMethod nor a ColumnMethod", c.Method)
}

// change takes over what holds from a phase on.
func (c *Config) change(phase int) {
	l := &c.Later[phase]
	c.Method, c.Cost, c.Retry, c.Deadline = l.Method, l.Cost, l.Retry, l.Deadline
	c.Trigger = l.Trigger
}

// sooner says whether, as a phase begins, nodes that wait look about earlier than they would: every so often in place
// of so often before, 0 of never, and with these deadlines.
func sooner(before, every, deadlineBefore, deadline sim.Duration) bool {
	return every > 0 && (before == 0 || every < before || deadline < deadlineBefore)
}

// change takes over what holds from a phase on.
func (r *rowRun) change(phase int) {
	before, deadline := r.Retry, r.Deadline
	r.Config.change(phase)
	r.reminding = sooner(before, r.Retry, deadline, r.Deadline)
	r.method = r.Method.(RowMethod)
	r.traits = traitsOf(r.method)
}

// newOverRows is a protocol over split rows.
func newOverRows(c Config, m RowMethod) (Protocol, error) {
	r := rowRun{Config: c, method: m, traits: traitsOf(m)}
	var err error
	if r.graph, err = withUsers(&r); err != nil {
		return nil, err
	}
	central, _ := m.(Central)
	if err := r.lets(central); err != nil {
		return nil, err
	}
	switch {
	case central != nil:
		err = errors.Join(checkStar(c.Graph), supported("around a hub", m, []string{"Idler"}))
	case r.isolated && r.addressing != nil:
		err = fmt.Errorf("%T is Isolated, and so cannot be Addressing", m)
	}
	switch {
	case err != nil:
		return nil, err
	case c.Trigger != nil && c.Missing == MissingLast:
		return nil, errors.New("nodes without lockstep always go on with the last values, so that rounds.missing is " +
			"for " +
			"rounds.mode: synchronous")
	case c.Trigger != nil:
		a := &asynchronous{rowRun: r, Trigger: *c.Trigger, central: central}
		if central != nil {
			a.hub = 1
		}
		return a, nil
	case central != nil && c.Missing == MissingLast:
		return nil, errNoStale
	case central != nil:
		return &aroundHub{rowRun: r, central: central}, nil
	}
	return &synchronous{rowRun: r}, nil
}

// errNothingToLie is why a method has no place for adversary.acts.
var errNothingToLie = errors.New("adversary.acts changes values that nodes tell their neighbours, and this method's " +
	"nodes have a hub, or nobody, to tell anything")

// lets says why the method's nodes cannot lie as they are to; nil: they can, or nobody is to.
func (r *rowRun) lets(central Central) error {
	switch {
	case r.Liars == nil:
	case central != nil || r.isolated:
		return errNothingToLie
	case r.addressing != nil && r.Liars.Aims() != "":
		return fmt.Errorf("adversary.acts: %s goes by what the victim is at, and the messages of this method, one for "+
			"each neighbour, do not tell it", r.Liars.Aims())
	}
	return nil
}

// rowRun is what the protocols over split rows have in common.
type rowRun struct {
	Config
	method RowMethod
	graph  *sim.Graph // that the engine runs: of the nodes and of the users that register
	traits
	work      []Work  // by worker
	users     []*user // who register
	reminding bool    // a phase begins in which servers that wait for reports look about sooner, or at all

	publication Publication // room for the one of which the observer is told
}

// Graph is what the engine runs.
func (r *rowRun) Graph() *sim.Graph { return r.graph }

// firstTrack of a journal is a node's; those before are for others' use.
const firstTrack = 16

// tracks of a node.
const (
	ownTrack      = iota // of what its solver computes, or of its steps
	reportedTrack        // of what the solver computes on the data that were reported to it
	tracksOfNode
)

// track is one of those of the i-th of the nodes that compute.
func (c *Config) track(i, which int) *checkpoint.Track {
	return c.Journal.Track(uint32(firstTrack + tracksOfNode*i + which))
}

// newSolver makes the solver of a part of the problem.
func (r *rowRun) newSolver(part int) *problem.Solver {
	s := r.Problem.NewSolver(part, r.Tolerance)
	if r.States {
		s.Note()
	}
	r.keep(s, part, ownTrack)
	return s
}

// keep has a node's solver keep its results in one of the node's tracks, if that saves time.
func (r *rowRun) keep(s *problem.Solver, part, which int) {
	if s.WorthKeeping() {
		s.Keep(r.track(part, which))
	}
}

// traits are what else a method does, found once; nil: it does not.
type traits struct {
	idler       Idler
	isolated    bool
	addressing  Addressing
	sheltering  Sheltering
	registering Registering
	foreign     bool
}

func traitsOf(m Method) (t traits) {
	t.idler, _ = m.(Idler)
	_, t.isolated = m.(Isolated)
	t.addressing, _ = m.(Addressing)
	t.sheltering, _ = m.(Sheltering)
	t.registering, _ = m.(Registering)
	_, t.foreign = m.(Foreign)
	return t
}

// idle says whether the updates of a round touch no data.
func (t *traits) idle(round int) bool { return t.idler != nil && t.idler.Idle(round) }

// supported reports a trait of a method that a protocol has no use for; it uses those
// that are named.
func supported(protocol string, m Method, uses []string) error {
	t := traitsOf(m)
	for _, c := range []struct {
		name string
		has  bool
	}{
		{"Idler", t.idler != nil}, {"Isolated", t.isolated}, {"Addressing", t.addressing != nil},
		{"Sheltering", t.sheltering != nil}, {"Registering", t.registering != nil},
	} {
		if c.has && !slices.Contains(uses, c.name) {
			return fmt.Errorf("%T is %s, which methods %s cannot be", m, c.name, protocol)
		}
	}
	return nil
}

// errNoStale is why a star has no rounds.missing: last.
var errNoStale = errors.New("a hub waits for all others, so that rounds.missing: last is for methods without a hub")

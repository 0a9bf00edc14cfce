// The one way to run: an assembly through the engine, for runs, repeats, audits
// and searches alike.

package experiment

import (
	"context"
	"errors"
	"fmt"

	"overhear/algorithms"
	"overhear/internal/checkpoint"
	"overhear/internal/stage"
	"overhear/sim"
)

// Execution says how an assembly is run and who observes it, never what is run: it
// does not change the run.
type Execution struct {
	Observer  algorithms.Observer // nil: nobody
	Packets   func(*sim.Packet)   // told of every packet when it is sent; must not keep it; may be nil
	Events    func(*sim.Event)    // told of every event; must not keep it; may be nil
	Gone      func(int, sim.Time) // told of a node that is down, or has left, for good; may be nil
	Workers   int                 // goroutines that compute; 0 is 1
	Queue     sim.QueueKind
	Trace     sim.TraceLevel
	Reference *sim.Trace // the run stops where it differs from it; nil: none

	keep *keeping // of its checkpoint; nil: there is none

	every uint64                                       // events from one pause to the next; 0: the engine's own
	pause func(*sim.Engine, algorithms.Protocol)       // called then, between two events; nil: there is none
	begin func(*sim.Engine, algorithms.Protocol) error // called before the first event; may be nil
}

// Finished is what the engine and the protocol tell of a run that has ended.
type Finished struct {
	End      sim.Time   // of the last event
	Over     sim.Time   // when the last node ended its last round; End if the run ended early
	Trace    *sim.Trace // nil: none was kept
	Events   uint64
	Messages int64                // packets sent; a duplicate counts once
	Bytes    int64                // of those packets
	Activity *algorithms.Activity // how nodes spent their time
	Down     []sim.Duration       // by node of Activity, the time that it was down before it ended
	Unfelt   []Unfelt
	Entered  int // how many of the scenario's changes had begun
}

// until is when a node's time is over: when it has ended its last round, or else with the run.
func (f *Finished) until(node int) sim.Time {
	if t := f.Activity.Nodes[node].Finished; t > 0 {
		return t
	}
	return f.Over
}

// EarlyEnd is the end of a run before its last round: a node has failed, or nodes waited
// in vain.
type EarlyEnd struct{ Err error }

func (e *EarlyEnd) Error() string { return e.Err.Error() }

func (e *EarlyEnd) Unwrap() error { return e.Err }

// Calendar says when the nodes of an assembly's run, users too, are down or slow.
func (e *Experiment) Calendar(a *Assembly) (*sim.Calendar, error) {
	course := e.Faults()
	if course.Quiet() {
		return sim.NewCalendar(a.Seed, a.Graph, nil, course)
	}
	protocol, err := e.protocol(a, Execution{}, nil)
	if err != nil {
		return nil, err
	}
	return sim.NewCalendar(a.Seed, protocol.Graph(), a.Sites, course)
}

// attached are the engine of an assembly's run and the protocol whose nodes are attached to it, with everything that
// the scenario says of network, compute and rounds. j may be nil.
func (e *Experiment) attached(a *Assembly, x Execution, j *checkpoint.Journal) (*sim.Engine, algorithms.Protocol,
	error) {
	protocol, err := e.protocol(a, x, j)
	if err != nil {
		return nil, nil, err
	}
	var engine *sim.Engine
	reference, changed := x.Reference, protocol.Change
	if from := x.keep.parent(); from != nil {
		if reference, err = from.Trace(); err != nil {
			return nil, nil, err
		}
		changed = func(number int) {
			if number == from.Change {
				engine.Unbind()
				j.Part()
				from.Same, from.Taken = engine.Events(), j.Taken()
			}
			protocol.Change(number)
		}
	}
	config := sim.Config{
		Seed: a.Seed, Link: e.Network.On(a.Sites), Overrides: e.Network.Links, Faults: e.Network.Faults,
		Header: e.Network.Header, Phases: e.phases(a), Changed: changed,
		Graph:   protocol.Graph(),
		Workers: min(a.workers(x.Workers), protocol.Graph().Order()),
		Queue:   x.Queue, Trace: x.Trace, Reference: reference, Sent: x.Packets,
		Events: x.Events, Gone: x.Gone,
	}
	if x.pause != nil {
		config.Pauses = sim.Pausing{Every: x.every, Pause: func() { x.pause(engine, protocol) }}
	}
	if e.Ties == "shuffled" {
		config.Ties = sim.Shuffled
	}
	if engine, err = sim.New(config); err != nil {
		return nil, nil, SetupError{fmt.Errorf("building the network: %w", err)}
	}
	protocol.Attach(engine)
	return engine, protocol, nil
}

// Execute runs an assembly to its end, with everything that the scenario says of
// network, compute and rounds, and the assembly's seed. The error is a SetupError
// where the network cannot be built, wraps a *sim.Divergence or sim.ErrReference
// where the run is not its reference, and is an *EarlyEnd, beside what the run came to,
// where a node failed or nodes did not end: it says who waits for whom.
func (e *Experiment) Execute(ctx context.Context, a *Assembly, x Execution) (*Finished, error) {
	results := x.keep.results()
	if c, ok := a.Method.(algorithms.Foreign); ok { // no result has what it keeps
		results = nil
		defer c.Close()
	}
	engine, protocol, err := e.attached(a, x, results)
	if err != nil {
		return nil, err
	}
	if x.begin != nil {
		if err := x.begin(engine, protocol); err != nil {
			return nil, err
		}
	}
	var early *EarlyEnd
	var differs *sim.Divergence
	if err := stage.At(ctx, "", 0, 0); err != nil { // whoever asks is told of rounds
		return nil, err
	}
	err = engine.Run(ctx)
	switch {
	case err == nil:
		err = protocol.Unfinished()
	case errors.As(err, &differs) && x.keep.resumed():
		return nil, fmt.Errorf("%w: %w", errStates, err)
	case ctx.Err() != nil, errors.As(err, &differs):
		return nil, err
	}
	if err != nil {
		early = &EarlyEnd{err}
	}
	f := &Finished{End: engine.Now(), Events: engine.Events(), Messages: int64(engine.Messages()),
		Bytes: engine.Bytes(), Activity: protocol.Activity()}
	if f.Trace, err = engine.Trace(); err != nil {
		return nil, err
	}
	if f.Over = f.End; early == nil { // faults, and messages, may come after it
		f.Over = 0
		for _, n := range f.Activity.Nodes {
			f.Over = max(f.Over, n.Finished)
		}
	}
	for i := range f.Activity.Nodes {
		f.Down = append(f.Down, engine.Downtime(i, f.until(i)))
	}
	f.Unfelt, f.Entered = unfeltOf(engine, f.Over, early != nil), engine.Entered()
	if early != nil {
		return f, early
	}
	return f, nil
}

// workers is how many goroutines compute, of at most so many. To hand a step over takes 4 µs of processors, so that
// smaller ones are computed where they are awaited: with two rows of 21 columns a node, a step takes 3 µs.
func (a *Assembly) workers(most int) int {
	const few = 1000
	if a.Split != nil {
		return most
	}
	entries := 0
	for i := range a.Problem.Shards {
		entries += a.Problem.Shards[i].U.Entries()
	}
	if entries < few*len(a.Problem.Shards) {
		return 1
	}
	return most
}

// protocol is the protocol that the assembly's nodes follow in an execution; j may be nil.
func (e *Experiment) protocol(a *Assembly, x Execution, j *checkpoint.Journal) (algorithms.Protocol, error) {
	lossy := e.Lossy()
	first, err := e.manner(a, e.Scenario, lossy)
	if err != nil {
		return nil, err
	}
	c := algorithms.Config{
		Setting: a.Setting, Method: a.Method, Init: e.Algorithm.Init, Cost: first.Cost, Observer: x.Observer,
		Tolerance: e.Solver.Tolerance, Retry: first.Retry, Deadline: first.Deadline, Trigger: first.Trigger,
		Journal: j, States: x.keep.holds(), Liars: a.Liars,
	}
	if e.EverLossy() {
		c.Missing = e.Rounds.Missing
	}
	method := a.Method
	for k, p := range e.Phases()[1:] {
		lossy = lossy || p.Lossy()
		later, err := e.manner(a, p.Scenario, lossy)
		if err != nil {
			return nil, err
		}
		if m := a.Later[k].Method; m != nil {
			method = m
		}
		later.Method = method
		c.Later = append(c.Later, later)
	}
	p, err := algorithms.NewProtocol(c)
	if err != nil {
		return nil, fmt.Errorf("algorithm %s: %w", e.Entry.Name, err)
	}
	return p, nil
}

// The one way to run: an assembly through the engine, for runs, repeats, audits
// and searches alike.

package experiment

import (
	"context"
	"errors"
	"fmt"

	"overhear/algorithms"
	"overhear/sim"
)

// Execution says how an assembly is run and who observes it, never what is run: it
// does not change the run.
type Execution struct {
	Observer      algorithms.Observer      // of a run over split rows; nil: nobody
	SplitObserver algorithms.SplitObserver // of a run over split columns; nil: nobody
	Packets       func(*sim.Packet)        // told of every packet when it is sent; must not keep it; may be nil
	Workers       int                      // goroutines that compute; 0 is 1
	Queue         sim.QueueKind
	Trace         sim.TraceLevel
	Reference     *sim.Trace // the run stops where it differs from it; nil: none
}

// Finished is what the engine and the protocol tell of a run that has ended.
type Finished struct {
	End      sim.Time
	Trace    *sim.Trace // nil: none was kept
	Events   uint64
	Messages int64                // packets sent; a duplicate counts once
	Bytes    int64                // of those packets
	Activity *algorithms.Activity // how nodes spent their time; nil: the protocol does not say
	Down     []sim.Duration       // by node of Activity, the time that it was crashed
	// of a run over split columns, the greatest norm of a party's x and of the hub's y and z
	Largest float64
}

// Execute runs an assembly to its end, with everything that the scenario says of
// network, compute and rounds, and the assembly's seed. The error is a SetupError
// where the network cannot be built, wraps a *sim.Divergence or sim.ErrReference
// where the run is not its reference, and says who waits for whom where nodes did
// not end.
func (e *Experiment) Execute(ctx context.Context, a *Assembly, x Execution) (*Finished, error) {
	protocol, err := e.protocol(a, &x)
	if err != nil {
		return nil, err
	}
	config := sim.Config{
		Seed: a.Seed, Link: e.Network.Link, Overrides: e.Network.Links, Faults: e.Network.Faults,
		Header:  e.Network.Header,
		Workers: x.Workers, Queue: x.Queue, Trace: x.Trace, Reference: x.Reference, Sent: x.Packets,
	}
	if e.Ties == "shuffled" {
		config.Ties = sim.Shuffled
	}
	if config.Graph, err = protocol.Network(); err != nil {
		return nil, SetupError{fmt.Errorf("building the network: %w", err)}
	}
	engine, err := sim.New(config)
	if err != nil {
		return nil, SetupError{fmt.Errorf("building the network: %w", err)}
	}
	protocol.Attach(engine)
	if err := engine.Run(ctx); err != nil {
		return nil, err
	}
	if err := protocol.Unfinished(); err != nil {
		return nil, err
	}
	f := &Finished{End: engine.Now(), Events: engine.Events(), Messages: int64(engine.Messages()),
		Bytes: engine.Bytes()}
	if f.Trace, err = engine.Trace(); err != nil {
		return nil, err
	}
	if p, ok := protocol.(algorithms.Active); ok {
		f.Activity = p.Activity()
		for i := range f.Activity.Nodes {
			f.Down = append(f.Down, engine.Downtime(i, f.End))
		}
	}
	if s, ok := protocol.(*algorithms.Split); ok {
		f.Largest = s.Largest()
	}
	return f, nil
}

// protocol is the protocol that the assembly's nodes follow.
func (e *Experiment) protocol(a *Assembly, x *Execution) (algorithms.Protocol, error) {
	cost, err := e.Compute.Of(a.Seed, a.Graph.Order())
	if err != nil {
		return nil, err
	}
	r := &e.Rounds
	if a.Split != nil {
		if x.Observer != nil {
			return nil, errors.New("an observer of split rows cannot follow a run over split columns")
		}
		if r.Mode != "synchronous" {
			return nil, errors.New("rounds.mode: methods over split columns run in synchronous rounds")
		}
		s := &algorithms.Split{SplitSetting: e.splitSetting(a), Method: a.Parties, Cost: cost,
			Observer: x.SplitObserver}
		if e.Network.Lossy() {
			s.Retry, s.Deadline = r.Retry, r.Deadline
		}
		return s, nil
	}
	if x.SplitObserver != nil {
		return nil, errors.New("an observer of split columns cannot follow a run over split rows")
	}
	s := algorithms.Synchronous{
		Setting:   e.setting(a),
		Method:    a.Method,
		Seed:      a.Seed,
		Init:      e.Algorithm.Init,
		Cost:      cost,
		Observer:  x.Observer,
		Tolerance: e.Solver.Tolerance,
	}
	if e.Network.Lossy() {
		s.Retry, s.Deadline, s.Missing = r.Retry, r.Deadline, r.Missing
	}
	if r.Mode == "asynchronous" {
		s.Deadline = r.Deadline
		return &algorithms.Asynchronous{Synchronous: s, Pace: algorithms.Pace{Quorum: r.Quorum, Staleness: r.Staleness,
			Timeout: r.Timeout}}, nil
	}
	return algorithms.NewProtocol(&s), nil
}

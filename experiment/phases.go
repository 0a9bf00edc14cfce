// Runs in which something changes while they go (the scenario's changes): what each phase goes by.

package experiment

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"overhear/algorithms"
	"overhear/parameter"
	"overhear/scenarios"
	"overhear/sim"
)

// Later is a method from a change of the scenario on.
type Later struct {
	Params any
	Method algorithms.Method // nil: that of before
}

// equipLater makes the methods of the phases after the first, where their parameters change.
func (e *Experiment) equipLater(a *Assembly) error {
	a.Later = nil
	before := e.Algorithm.Params
	for k, p := range e.Phases()[1:] {
		l := Later{Params: a.Params}
		if k > 0 {
			l.Params = a.Later[k-1].Params
		}
		if given := p.Algorithm.Params; !reflect.DeepEqual(given, before) {
			var err error
			l.Params, _ = algorithms.Settle(given, a.Setting)
			if l.Method, err = e.Entry.New(l.Params, a.Setting); err != nil {
				return fmt.Errorf("making algorithm %s from changes[%d] on: %w", e.Entry.Name, k, err)
			}
			before = given
		}
		a.Later = append(a.Later, l)
	}
	return nil
}

// methods are those of all phases that have one of their own.
func (a *Assembly) methods() []algorithms.Method {
	all := []algorithms.Method{a.Method}
	for _, l := range a.Later {
		if l.Method != nil {
			all = append(all, l.Method)
		}
	}
	return all
}

// noisy says whether a method perturbs what it computes, in any phase.
func (a *Assembly) noisy() bool {
	return algorithms.Noisy(a.Params) ||
		slices.ContainsFunc(a.Later, func(l Later) bool { return algorithms.Noisy(l.Params) })
}

// errAltered is why neither claim nor certificate is established of a method whose parameters change.
var errAltered = errors.New("the method's parameters change while the run goes (changes), and what is claimed and " +
	"certified is of runs that keep them")

// altered is why nothing is established of the run's method; nil: its parameters do not change.
func (a *Assembly) altered() error {
	if len(a.methods()) > 1 {
		return errAltered
	}
	return nil
}

// manner is what the nodes go by in a phase, but for the method. They ask again once packets can have been lost: what
// was lost before a phase may still be missing in it.
func (e *Experiment) manner(a *Assembly, s *scenarios.Scenario, lossy bool) (l algorithms.Later, err error) {
	if l.Cost, err = s.Compute.Of(a.Seed, a.Graph.Order()); err != nil {
		return l, err
	}
	r := &s.Rounds
	if lossy {
		l.Retry, l.Deadline = r.Retry, r.Deadline
	}
	if r.Mode == "asynchronous" {
		l.Deadline = r.Deadline
		l.Trigger = &parameter.Trigger{Quorum: r.Quorum, Staleness: r.Staleness, Timeout: r.Timeout}
	}
	return l, nil
}

// phases are what the network is like after each change.
func (e *Experiment) phases(a *Assembly) (all []sim.Phase) {
	for _, p := range e.Phases()[1:] {
		n := &p.Network
		all = append(all, sim.Phase{From: p.From, Link: n.On(a.Sites), Overrides: n.Links, Header: n.Header,
			Faults: n.Faults})
	}
	return all
}

// Unfelt is a fault that began when the run was over, or never.
type Unfelt struct {
	Plan, Number int // of the course of fault plans, and of that
	Fault        sim.Fault
}

// unfeltOf are the faults that a run did not feel, which was over at that time, or ended early. One that a later plan
// has too is that plan's.
func unfeltOf(engine *sim.Engine, over sim.Time, early bool) (all []Unfelt) {
	course := engine.Course()
	for plan, p := range course {
		for k, f := range p.Plan {
			at, begins := engine.FaultBegins(plan, k)
			felt := begins && (at < over || at == over && early)
			again := slices.ContainsFunc(course[plan+1:], func(later sim.FaultPhase) bool {
				return slices.ContainsFunc(later.Plan, func(g sim.Fault) bool { return reflect.DeepEqual(f, g) })
			})
			if !felt && !again {
				all = append(all, Unfelt{plan, k, f})
			}
		}
	}
	return all
}

// passed says whether a fault's time was over before a plan that has it began.
func passed(f sim.Fault, from sim.Time) bool {
	_, joins := f.Kind.(sim.Join)
	return sim.Time(f.At) < from && (joins || f.Until > 0 && sim.Time(f.Until) <= from)
}

// unfelt say in words which faults and changes had no part in the run, and which faults began later than they say.
func (e *Experiment) unfelt(f *Finished) (all []string) {
	course := e.Faults()
	name := func(plan, number int) string {
		text := fmt.Sprintf("network.faults[%d]", number)
		if plan > 0 {
			text += fmt.Sprintf(" from %v on", sim.Duration(course[plan].From))
		}
		return text
	}
	for _, u := range f.Unfelt {
		text := name(u.Plan, u.Number)
		switch {
		case u.Plan+1 < len(course) && f.Over > course[u.Plan+1].From:
			all = append(all, fmt.Sprintf("%s had no part in the run, in which other faults took its place at %v "+
				"(changes): %v", text, sim.Duration(course[u.Plan+1].From), u.Fault))
		case u.Plan > 0 && f.Over > course[u.Plan].From && passed(u.Fault, course[u.Plan].From):
			all = append(all, fmt.Sprintf("%s had no part in the run, as its time had passed when it was added "+
				"(changes): %v", text, u.Fault))
		default:
			all = append(all, fmt.Sprintf("%s had no part in the run, which was over at %v: %v", text, f.Over, u.Fault))
		}
	}
	for plan, p := range course {
		if plan == 0 || p.From > f.Over {
			continue
		}
		for k, g := range p.Plan {
			held := slices.ContainsFunc(course[plan-1].Plan, func(h sim.Fault) bool { return reflect.DeepEqual(g, h) })
			if g.At > 0 && sim.Time(g.At) < p.From && !passed(g, p.From) && !held {
				all = append(all, fmt.Sprintf("%s began at %v, when it was added (changes), and not before: %v",
					name(plan, k), sim.Duration(p.From), g))
			}
		}
	}
	for k, c := range e.Changes {
		if k >= f.Entered || sim.Time(c.At) > f.Over {
			all = append(all, fmt.Sprintf("changes[%d], at %v, had no part in the run, which was over at %v", k, c.At,
				f.Over))
		}
	}
	return all
}

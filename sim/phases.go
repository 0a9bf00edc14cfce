// Networks that change while a run goes: what holds from when on.

package sim

import (
	"errors"
	"fmt"
	"math"
	"reflect"
)

// Phase is what holds in a run from a time on, until the next phase begins. What is sent before is as it was decided
// when it was sent, and what nodes have begun goes on as it began.
type Phase struct {
	From      Time
	Link      Link       // every link
	Overrides []Override // exceptions to it
	Header    int64      // bytes of a packet besides its payload
	Faults    FaultPlan  // the plan from then on; what the one before says of later times does not happen
}

// Changer is a Node that is told when a phase begins, before anything else happens then, be it up or not, or not
// started.
type Changer interface{ Change(env *Env) }

// FaultPhase is the fault plan that holds from a time on.
type FaultPhase struct {
	From Time
	Plan FaultPlan
}

// FaultCourse are the fault plans of a run, one after the other, the first from 0 on. An outage that one of them ends
// and the next begins with is one outage.
type FaultCourse []FaultPhase

// Course is that of a run with one plan.
func (p FaultPlan) Course() FaultCourse { return FaultCourse{{Plan: p}} }

// Then adds the plan that holds from a time on, if it is another one.
func (c FaultCourse) Then(from Time, plan FaultPlan) FaultCourse {
	if before := c[len(c)-1].Plan; len(before)+len(plan) == 0 || reflect.DeepEqual(before, plan) {
		return c
	}
	return append(c, FaultPhase{from, plan})
}

// Quiet says whether nothing goes wrong.
func (c FaultCourse) Quiet() bool {
	for _, p := range c {
		if len(p.Plan) > 0 {
			return false
		}
	}
	return true
}

// until is when a phase of the course is over.
func (c FaultCourse) until(k int) Time {
	if k+1 < len(c) {
		return c[k+1].From
	}
	return forever
}

// course is that of a run.
func (cfg *Config) course() FaultCourse {
	c := cfg.Faults.Course()
	for _, p := range cfg.Phases {
		c = c.Then(p.From, p.Faults)
	}
	return c
}

// wiring is how the links behave in a phase.
type wiring struct {
	from   Time
	models []linkModel // models[0] is of every link without an exception
	model  []uint16    // of each link; nil if all are 0
	apart  []uint32    // of each link, what the nodes' sites add to its delay, in ticks; nil if there are none
	header int64
}

// wire makes the links of a phase; problems are told to report.
func (cfg *Config) wire(p *Phase, report func(error)) (w wiring) {
	w.from, w.header = p.From, p.Header
	check := func(c interface{ Check(func(string, string)) }) {
		c.Check(func(field, problem string) { report(fmt.Errorf("link %s %s", field, problem)) })
	}
	check(p.Link)
	check(p.Link.Latency)
	if j := p.Link.Latency.Jitter; j != nil {
		check(*j)
	}
	var err error
	if w.apart, err = p.Link.Latency.apart(cfg.Graph); err != nil {
		report(err)
		return w
	}
	w.models = append(w.models, newLinkModel(p.Link))
	for _, o := range p.Overrides {
		a, b := o.Between[0], o.Between[1]
		if !cfg.Graph.edge(a, b) {
			report(fmt.Errorf("an override is for %d-%d, which is no edge", a, b))
			continue
		}
		check(o)
		l := o.apply(p.Link)
		if o.Latency != nil {
			check(*o.Latency)
			if w.apart != nil {
				w.apart[cfg.Graph.Link(a, b)], w.apart[cfg.Graph.Link(b, a)] = 0, 0
			}
		}
		if w.model == nil {
			w.model = make([]uint16, cfg.Graph.Links())
		}
		w.models = append(w.models, newLinkModel(l))
		k := uint16(len(w.models) - 1)
		w.model[cfg.Graph.Link(a, b)], w.model[cfg.Graph.Link(b, a)] = k, k
	}
	if n := len(p.Overrides); n > math.MaxUint16 {
		report(fmt.Errorf("%d overrides are more than %d", n, math.MaxUint16))
	}
	return w
}

// lay makes the links of all phases.
func (e *Engine) lay(report func(error)) {
	cfg := &e.cfg
	first := Phase{Link: cfg.Link, Overrides: cfg.Overrides, Header: cfg.Header}
	e.wiring = cfg.wire(&first, report)
	last := Time(-1)
	for k := range cfg.Phases {
		p := &cfg.Phases[k]
		if p.From <= last {
			report(errors.New("phases must be in order of time, each later than the one before"))
		}
		last = p.From
		e.later = append(e.later, cfg.wire(p, report))
	}
	e.plan()
}

// plan notes when the next phase begins.
func (e *Engine) plan() {
	e.change = forever
	if len(e.later) > 0 {
		e.change = e.later[0].from
	}
}

// enter begins the next phase. Steps under way are computed to their ends first, by what held when they began.
func (e *Engine) enter() {
	e.pool.calm()
	e.now = e.change
	e.begin()
	for i, n := range e.nodes {
		if c, ok := n.(Changer); ok {
			e.env.node = int32(i)
			c.Change(&e.env)
		}
	}
}

// begin has the next phase hold.
func (e *Engine) begin() {
	e.wiring, e.later = e.later[0], e.later[1:]
	e.plan()
	e.direct = e.isDirect()
	if e.cfg.Changed != nil {
		e.cfg.Changed(len(e.cfg.Phases) - len(e.later) - 1)
	}
}

// isDirect says whether of packets only delays are decided, by one law, and nobody is told of them.
func (e *Engine) isDirect() bool {
	m := &e.models[0]
	return e.model == nil && m.Loss == 0 && m.Duplication == 0 && m.perByte == 0 &&
		e.faults == nil && e.foresee == nil && e.cfg.Sent == nil
}

// Entered is how many phases have begun besides the first.
func (e *Engine) Entered() int { return len(e.cfg.Phases) - len(e.later) }

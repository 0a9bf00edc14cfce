// What has been measured so far, written and put back, so that the measuring of another run goes on from there.

package metrics

import (
	"errors"

	"overhear/internal/state"
)

func (s *snapshot) state(c *state.Coder) {
	c.Vectors(&s.values)
	state.Plain(c, &s.apart)
	if c.Reading() {
		s.inner = nil // it may be values
	}
	if s.apart {
		c.Vectors(&s.inner)
	} else {
		s.inner = s.values
	}
	state.Plain(c, &s.sheltered)
	state.Slice(c, &s.losses)
	state.Plain(c, &s.residual)
}

func (g *gauge) state(c *state.Coder) {
	c.Vectors(&g.sums)
	state.Plain(c, &g.summed)
}

// State is what was measured, and what is to be.
func (c *Collector) State(s *state.Coder) {
	grown(s, "rows", c.rows, func(t int) bool { return c.rows[t].Time != unmeasured || c.duals[t].heard > 0 })
	c.lockstepTraffic.state(s)
	heard := make([]int, len(c.duals))
	for t := range c.duals {
		heard[t] = c.duals[t].heard
	}
	grown(s, "duals", heard, func(t int) bool { return heard[t] > 0 })
	c.gauge.state(s)
	for t := range c.open { // of a few
		c.duals[t].heard = heard[t]
		c.roundState(s, t)
	}
	state.Each(s, &c.latest, func(p *publication) {
		state.Plain(s, &p.round)
		s.Vector(&p.values)
		s.Vector(&p.inner)
		state.Plain(s, &p.loss)
	})
	state.Slice(s, &c.gone)
}

func (l lockstepTraffic) state(s *state.Coder) {
	grown(s, "traffic", l, func(t int) bool { return l[t] != traffic{} })
}

// grown is the state of what there is of every round, up to the last that is no longer as it was at first.
func grown[T any](c *state.Coder, name string, all []T, touched func(t int) bool) {
	n := 0
	for t := range all {
		if !c.Reading() && touched(t) {
			n = t + 1
		}
	}
	some := all[:n]
	state.Grown(c, name, &some)
	if copy(all, some) < len(some) {
		c.Fail(errors.New("it is of a run of more rounds"))
	}
}

// roundState is that of a round that is not over.
func (c *Collector) roundState(s *state.Coder, t int) {
	d := &c.duals[t]
	if !s.Present(c.open[t] != nil || d.sum != nil) {
		return
	}
	s.Vector(&d.sum)
	if !s.Present(c.open[t] != nil) {
		return
	}
	if s.Reading() {
		c.open[t] = &openRound{snapshot: new(snapshot)}
	}
	state.Plain(s, &c.open[t].heard)
	c.open[t].snapshot.state(s)
}

// State is what was measured, and what is to be.
func (r *Rolling) State(s *state.Coder) {
	state.Grown(s, "rows", &r.rows)
	r.gauge.state(s)
	r.held.state(s)
	state.Slice(s, &r.rounds)
	state.Plain(s, &r.pending)
	s.Vectors(&r.duals)
	state.Plain(s, &r.sent)
	state.Plain(s, &r.latest)
}

// State is what was measured.
func (s *Split) State(c *state.Coder) {
	state.Grown(c, "rows", &s.rows)
	s.lockstepTraffic.state(c)
	state.Plain(c, &s.growing)
	state.Plain(c, &s.above)
}

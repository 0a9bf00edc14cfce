// When nodes of a run are down and how slow they are, for those who explain the run afterwards.

package sim

import "slices"

// Calendar says what fault plans do to the time of nodes. It draws what a run of the same seed and graph draws.
type Calendar struct {
	faults *faults
	gone   []bool // by node
}

// NewCalendar is that of a run with this seed, graph, sites (nil: none) and course of fault plans.
func NewCalendar(seed uint64, g *Graph, sites *Placed, course FaultCourse) (*Calendar, error) {
	f, err := newFaults(seed, g, sites, course)
	if err != nil {
		return nil, err
	}
	c := &Calendar{f, make([]bool, g.Order())}
	endless := func(o outage) bool { return o.to == forever }
	for i := range c.gone {
		c.gone[i] = f != nil && (slices.ContainsFunc(f.nodes[i].outages, endless) ||
			slices.ContainsFunc(f.nodes[i].named, endless) || f.nodes[i].endless)
	}
	return c, nil
}

// Gone says whether a node is gone for good in the end.
func (c *Calendar) Gone(node int) bool { return c.gone[node] }

// Due is when that happens to a node which falls due at a time: then, or, if the node is down, at the end of its
// outage, before anything else of that instant; held says that it is so. False: never.
func (c *Calendar) Due(node int, at Time) (when Time, held, happens bool) {
	if c.faults == nil {
		return at, false, true
	}
	if o := c.faults.nodes[node].at(at); o != nil {
		return o.to, true, o.to < forever
	}
	return at, false, true
}

// Slowed is how long a computation takes that a node begins at a time.
func (c *Calendar) Slowed(node int, began Time, d Duration) Duration {
	if c.faults == nil {
		return d
	}
	c.faults.conditions.change = 0 // questions come in no order
	return c.faults.slowed(int32(node), began, d)
}

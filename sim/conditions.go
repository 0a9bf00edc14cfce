// What the faults that hold at a time make of links and computations.

package sim

import "slices"

// conditions are the faults that hold for a time and what they come to now.
// Until the first of its sort, a slice is nil and everything is as ever.
type conditions struct {
	graph      *Graph
	all        []condition // in the order of the plan
	boundaries []Time      // when one begins or ends, ascending
	change     Time        // the next of them

	slow     []float64    // of each node: factor of its computations
	slowed   []int        // nodes whose factor is not 1
	links    []impairment // of each link
	impaired []int        // links that have one
	cuts     [][]int32    // partitions: of each node its group, or noGroup
}

// condition is one such fault.
type condition struct {
	from, to Time
	apply    func(*conditions)
}

// impairment is what faults do to a link.
type impairment struct {
	factor float64 // of the delay
	loss   float64 // probability; the link's own may be greater
}

// noGroup is the group of a node that a partition does not name.
const noGroup = -1

// prepare orders the boundaries.
func (c *conditions) prepare() {
	for _, one := range c.all {
		c.boundaries = append(c.boundaries, one.from, one.to)
	}
	slices.Sort(c.boundaries)
	c.boundaries = slices.Compact(c.boundaries)
}

// refresh finds what holds now, if something else did before.
func (c *conditions) refresh(now Time) {
	if now < c.change {
		return
	}
	c.change = forever
	for _, t := range c.boundaries {
		if t > now {
			c.change = t
			break
		}
	}
	for _, i := range c.slowed {
		c.slow[i] = 1
	}
	for _, l := range c.impaired {
		c.links[l] = impairment{factor: 1}
	}
	c.slowed, c.impaired, c.cuts = c.slowed[:0], c.impaired[:0], c.cuts[:0]
	for k := range c.all {
		if one := &c.all[k]; one.from <= now && now < one.to {
			one.apply(c)
		}
	}
}

// slowDown makes a node's computations longer by a factor.
func (c *conditions) slowDown(node int, factor float64) {
	if c.slow == nil {
		c.slow = slices.Repeat([]float64{1}, c.graph.Order())
	}
	c.slow[node] *= factor
	c.slowed = append(c.slowed, node)
}

// impair makes a link's delay longer by a factor and its loss at least so great.
func (c *conditions) impair(link int, factor, loss float64) {
	if c.links == nil {
		c.links = slices.Repeat([]impairment{{factor: 1}}, c.graph.Links())
	}
	l := &c.links[link]
	l.factor, l.loss = l.factor*factor, max(l.loss, loss)
	c.impaired = append(c.impaired, link)
}

// cut separates groups of nodes; group gives each node's.
func (c *conditions) cut(group []int32) { c.cuts = append(c.cuts, group) }

// separated says whether what one node sends to another is lost now.
func (c *conditions) separated(from, to int32) bool {
	for _, group := range c.cuts {
		if a, b := group[from], group[to]; a != b && a != noGroup && b != noGroup {
			return true
		}
	}
	return false
}

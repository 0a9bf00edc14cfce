// When nodes of a run are down, told from its fault plans alone: for whoever looks at a run that is over.

package sim

// Outage is a time in which a node is down, not there yet, or gone.
type Outage struct {
	From, To Time // To is the end of the span that was asked for where the outage lasts longer
	Lost     bool // the node has lost its memory
	Leaves   bool // it never comes back
}

// Outages are, by node of a graph whose nodes may be on sites (nil: on none), those that begin before a time, ascending
// and apart from each other. What is drawn is that of a run with this seed, as long as the run goes on.
func (c FaultCourse) Outages(seed uint64, g *Graph, sites *Placed, until Time) ([][]Outage, error) {
	all := make([][]Outage, g.Order())
	f, err := newFaults(seed, g, sites, c)
	if err != nil || f == nil {
		return all, err
	}
	for i := range all {
		node := &f.nodes[i]
		node.know(until)
		for _, o := range node.outages {
			if o.from < until {
				all[i] = append(all[i], Outage{From: o.from, To: min(o.to, until), Lost: o.lost, Leaves: o.leaves})
			}
		}
	}
	return all, nil
}

// Joins says whether a node is absent at first.
func (c FaultCourse) Joins(node int) bool { return c[0].Plan.has(Join{Node: node}) }

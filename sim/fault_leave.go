// A fault: a node that leaves for ever.

package sim

import (
	"fmt"
	"slices"
)

func init() { registerFault(6, Leave{}) }

// Leave is a node that is told at the fault's time, and is gone for ever. It is
// not drawn at random, as its effects have no end.
type Leave struct {
	Node int `yaml:"leave" doc:"node that is told at that time, may send a last time, and is gone for ever"`
}

// Leaver is a Node that is told when it leaves. It may send; nothing reaches it
// afterwards. A node that is down when it should leave is not told.
type Leaver interface {
	Leave(env *Env)
}

// Key is the kind's name in a scenario.
func (Leave) Key() string { return "leave" }

func (l Leave) names() []int { return []int{l.Node} }

func (l Leave) check(f *Fault, report func(field, problem string)) {
	f.checkInstant(report)
	checkNode(report, "leave", l.Node)
}

func (l Leave) enter(f *Fault, p *planner) {
	if !p.once(f, l.Node) {
		return
	}
	p.down(l.Node, outage{from: Time(f.At), to: forever, leaves: true})
	if next, follows := p.after(); follows && Time(f.At) < p.to && !next.leavesBefore(l.Node, p.to) {
		p.report("leave", fmt.Sprintf("is of node %d at %v, and whoever has left does not come back: the faults from "+
			"%v on must have it too", l.Node, f.At, Duration(p.to)))
	}
	for _, other := range p.plan {
		if j, ok := other.Kind.(Join); ok && j.Node == l.Node && other.At >= f.At {
			p.report("leave", fmt.Sprintf("is of node %d at %v, but it joins only at %v", l.Node, f.At, other.At))
		}
	}
}

func (l Leave) words(f *Fault) string { return fmt.Sprintf("node %d leaves at %v", l.Node, f.At) }

// leavesBefore says whether a node has left by a time.
func (p FaultPlan) leavesBefore(node int, t Time) bool {
	return slices.ContainsFunc(p, func(f Fault) bool { return f.Kind == Leave{Node: node} && Time(f.At) < t })
}

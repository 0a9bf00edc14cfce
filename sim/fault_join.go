// A fault: a node that is not there from the beginning.

package sim

import (
	"fmt"
	"slices"
)

func init() { registerFault(5, Join{}) }

// Join is a node that is absent before the fault's time and starts then.
type Join struct {
	Node int `yaml:"join" doc:"node that is absent before that time and starts then"`
}

// Key is the kind's name in a scenario.
func (Join) Key() string { return "join" }

func (j Join) names() []int { return []int{j.Node} }

func (j Join) check(f *Fault, report func(field, problem string)) {
	f.checkInstant(report)
	checkNode(report, "join", j.Node)
}

func (j Join) enter(f *Fault, p *planner) {
	if p.once(f, j.Node) {
		if p.from > 0 && Time(f.At) > p.from && !p.before().joinsAfter(j.Node, p.from) {
			p.report("join", fmt.Sprintf("is of node %d at %v, but it is there already", j.Node, f.At))
		}
		p.down(j.Node, outage{from: 0, to: Time(f.At)})
	}
}

func (j Join) words(f *Fault) string { return fmt.Sprintf("node %d joins at %v", j.Node, f.At) }

func (Join) random(s *Stream, f *Fault, g *Graph, _ Duration, plan FaultPlan) bool {
	j := Join{Node: s.IntN(g.Order())}
	f.At, f.Until, f.Kind = f.At+1, 0, j
	return !plan.has(j) // a node joins once
}

// joinsAfter says whether a node is still to join at a time.
func (p FaultPlan) joinsAfter(node int, t Time) bool {
	return slices.ContainsFunc(p, func(f Fault) bool { return f.Kind == Join{Node: node} && Time(f.At) > t })
}

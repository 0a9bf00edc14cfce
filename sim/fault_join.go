// A fault: a node that is not there from the beginning.

package sim

import "fmt"

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
		p.down(j.Node, outage{from: 0, to: Time(f.At)})
	}
}

func (j Join) words(f *Fault) string { return fmt.Sprintf("node %d joins at %v", j.Node, f.At) }

func (Join) random(s *Stream, f *Fault, g *Graph, _ Duration, plan FaultPlan) bool {
	j := Join{Node: s.IntN(g.Order())}
	f.At, f.Until, f.Kind = f.At+1, 0, j
	return !plan.has(j) // a node joins once
}

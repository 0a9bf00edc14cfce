// A fault: a node that computes slowly for a time.

package sim

import "fmt"

func init() { registerFault(3, SlowNode{}) }

// SlowNode is a node whose computations take longer. The factors of several such
// faults of a node multiply.
type SlowNode struct {
	Node   int      `yaml:"slow" doc:"node whose computations begun in that time take factor times as long"`
	Factor *float64 `yaml:"factor" doc:"multiplies durations (slow)"`
}

// Key is the kind's name in a scenario.
func (SlowNode) Key() string { return "slow" }

func (s SlowNode) names() []int { return []int{s.Node} }

func (n SlowNode) check(f *Fault, report func(field, problem string)) {
	f.checkSpan(report)
	checkFactor(report, n.Factor)
	checkNode(report, "slow", n.Node)
	if n.Factor == nil {
		report("factor", "must be given: how many times as long the node's computations take")
	}
}

func (n SlowNode) enter(f *Fault, p *planner) {
	p.exists("slow", n.Node)
	p.during(f, func(c *conditions) { c.slowDown(n.Node, factor(n.Factor)) })
}

func (n SlowNode) words(f *Fault) string {
	return fmt.Sprintf("node %d takes %v times as long to compute %s", n.Node, factor(n.Factor), f.when())
}

func (SlowNode) random(s *Stream, f *Fault, g *Graph, _ Duration, _ FaultPlan) bool {
	f.Kind = SlowNode{Node: s.IntN(g.Order()), Factor: new(s.Between(1, 30))}
	return true
}

// A fault: an edge that is slow or lossy for a time.

package sim

import (
	"fmt"

	"overhear/internal/plural"
)

func init() { registerFault(4, BadLink{}) }

// BadLink impairs both directions of an edge. The factors of several such faults
// of an edge multiply; of their losses and its own the greatest counts.
type BadLink struct {
	Link   [2]int   `yaml:"link" doc:"edge over which packets sent in that time take factor times as long, or are lost, in both directions"`
	Factor *float64 `yaml:"factor" doc:"multiplies latency (link, where it is 1 if not given)"`
	Loss   float64  `yaml:"loss" doc:"probability that a packet is lost (link), where it is greater than the link's own"`
}

// Key is the kind's name in a scenario.
func (BadLink) Key() string { return "link" }

func (l BadLink) names() []int { return l.Link[:] }

func (l BadLink) check(f *Fault, report func(field, problem string)) {
	f.checkSpan(report)
	checkFactor(report, l.Factor)
	if a, b := l.Link[0], l.Link[1]; a < 0 || b < 0 || a == b {
		report("link", fmt.Sprintf("must be the two nodes of an edge, is [%s]", plural.List(l.Link[:])))
	}
	probability(report, "loss", l.Loss)
	if l.Factor == nil && l.Loss == 0 {
		report("", "must have a factor, a loss or both: this link is as ever")
	}
}

func (l BadLink) enter(f *Fault, p *planner) {
	a, b := l.Link[0], l.Link[1]
	if !p.graph.edge(a, b) {
		p.report("link", fmt.Sprintf("is %d-%d, which is no edge", a, b))
	}
	p.during(f, func(c *conditions) {
		c.impair(c.graph.Link(a, b), factor(l.Factor), l.Loss)
		c.impair(c.graph.Link(b, a), factor(l.Factor), l.Loss)
	})
}

func (l BadLink) words(f *Fault) string {
	s := fmt.Sprintf("link %d-%d", l.Link[0], l.Link[1])
	if l.Factor != nil {
		s += fmt.Sprintf(" has %v times its latency", *l.Factor)
	}
	if l.Loss != 0 {
		if l.Factor != nil {
			s += " and"
		}
		s += fmt.Sprintf(" loses packets with probability %v", l.Loss)
	}
	return s + " " + f.when()
}

func (BadLink) random(s *Stream, f *Fault, g *Graph, _ Duration, _ FaultPlan) bool {
	pairs := g.Pairs()
	if len(pairs) == 0 {
		return false
	}
	f.Kind = BadLink{Link: pairs[s.IntN(len(pairs))], Factor: new(s.Between(1, 20)), Loss: s.Between(0, 1)}
	return true
}

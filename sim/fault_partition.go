// A fault: groups of nodes that cannot reach each other.

package sim

import (
	"fmt"
	"slices"
	"strings"

	"overhear/internal/plural"
)

func init() { registerFault(1, Partition{}) }

// Partition cuts the links between groups of nodes.
type Partition struct {
	Groups [][]int `yaml:"partition" doc:"groups of nodes: what is sent from one group to another is lost; nodes in no group keep all their links"`
}

// Key is the kind's name in a scenario.
func (Partition) Key() string { return "partition" }

func (p Partition) names() []int { return slices.Concat(p.Groups...) }

func (p Partition) check(f *Fault, report func(field, problem string)) {
	f.checkSpan(report)
	if len(p.Groups) < 2 {
		report("partition", fmt.Sprintf("must have at least two groups of nodes, has %d", len(p.Groups)))
	}
	for _, group := range p.Groups {
		if len(group) == 0 {
			report("partition", "must not have an empty group")
		}
	}
	checkNodes(report, "partition", slices.Concat(p.Groups...))
}

func (p Partition) enter(f *Fault, plan *planner) {
	group := slices.Repeat([]int32{noGroup}, plan.graph.Order())
	for g, nodes := range p.Groups {
		for _, i := range nodes {
			if plan.exists("partition", i) {
				group[i] = int32(g)
			}
		}
	}
	plan.during(f, func(c *conditions) { c.cut(group) })
}

func (p Partition) words(f *Fault) string {
	var groups []string
	for _, g := range p.Groups {
		groups = append(groups, plural.Named("node", g))
	}
	return fmt.Sprintf("%s are cut off from each other %s", strings.Join(groups, " and "), f.when())
}

func (Partition) random(s *Stream, f *Fault, g *Graph, _ Duration, _ FaultPlan) bool {
	groups := make([][]int, 2)
	for i := range g.Order() {
		k := s.IntN(2)
		groups[k] = append(groups[k], i)
	}
	f.Kind = Partition{Groups: groups}
	return groups[0] != nil && groups[1] != nil
}

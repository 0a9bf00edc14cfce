// Mistakes that are found after a scenario was read, when its graph or its data are at hand: where they are in it.

package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"overhear/algorithms"
	"overhear/problem"
	"overhear/sim"
)

// origin is what a scenario was read from.
type origin struct {
	file string
	sets []string
	root *yaml.Node
}

// reportAt reports what is wrong with a key, at its place or that of what it would be in.
func (d *decoder) reportAt(root *yaml.Node, key, problem string) {
	n := root
	for _, k := range strings.FieldsFunc(key, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		next := find(n, []string{k})
		if i, err := strconv.Atoi(k); err == nil && n.Kind == yaml.SequenceNode && i < len(n.Content) {
			next = n.Content[i]
		}
		if next == nil {
			break
		}
		n = next
	}
	d.report(n, "%s%s", key, problem)
}

// laid is up to how many nodes Foresee builds the graph: a complete one has nearly the square of that in edges.
const laid = 1000

// Foresee reports of a seed's run, before it is assembled, why there is no graph, or all that CheckGraph reports of it.
// The error is Mistakes where the scenario has a place of it.
func (s *Scenario) Foresee(seed uint64) error {
	if s.Network.Topology.Order() > laid {
		return s.CheckGraph(nil)
	}
	g, _, err := s.Network.Lay(seed)
	if err == nil {
		return s.CheckGraph(g)
	}
	text, _ := strings.CutPrefix(err.Error(), "building ")
	key := Mistake{Text: text}.Key()
	if s.origin == nil || key == "" {
		return err
	}
	d := s.origin.decoder()
	d.reportAt(s.origin.root, key, strings.TrimPrefix(text, key))
	d.checkOrder(s)
	return d.result()
}

// CheckGraph reports exceptions and faults of links that are none of the graph of a seed, if that is not nil, and more
// nodes than rows where the number of rows is known before they are there. The error is Mistakes.
func (s *Scenario) CheckGraph(g *sim.Graph) error {
	if s.origin == nil {
		return nil
	}
	d := s.origin.decoder()
	d.checkOrder(s)
	if g != nil {
		d.checkEdges(s, g)
	}
	return d.result()
}

// checkOrder reports more nodes than rows where the number of rows is known before they are there.
func (d *decoder) checkOrder(s *Scenario) {
	hub := 0
	if e, ok := algorithms.Lookup(s.Algorithm.Kind); ok && e.Star {
		hub = 1
	}
	if rows := s.Problem.Data.Count(); rows > 0 && s.Problem.Columns == nil {
		d.checkRows(s, s.Network.Topology.Order()-hub, problem.ForTraining(s.Problem.Train, rows))
	}
}

// CheckRows reports more nodes that hold rows than rows for them. The error is Mistakes.
func (s *Scenario) CheckRows(nodes, rows int) error {
	if s.origin == nil {
		return nil
	}
	d := s.origin.decoder()
	d.checkRows(s, nodes, rows)
	return d.result()
}

func (d *decoder) checkRows(s *Scenario, nodes, rows int) {
	if nodes <= rows {
		return
	}
	d.reportAt(s.origin.root, "network.topology.nodes", fmt.Sprintf(": %d nodes are more than the %d training rows "+
		"(problem.data, problem.train); every node needs a row", nodes, rows))
}

// checkEdges reports exceptions and faults of links that are none of a graph.
func (d *decoder) checkEdges(s *Scenario, g *sim.Graph) {
	for k, p := range s.Phases() {
		check := func(key string, entry int, of string, link [2]int) {
			root, at := s.origin.root, fmt.Sprintf("%s[%d]", key, entry)
			a, b := link[0], link[1]
			if max(a, b) >= g.Order() || g.HasEdgeBetween(int64(a), int64(b)) {
				return // a node that is not there is refused for that
			}
			problem := fmt.Sprintf(" is %d-%d, which is no edge; node %d is linked to %s", a, b, a,
				someOf(g.Neighbours(a)))
			if k == 0 {
				d.reportAt(root, at+"."+of, problem)
			} else if slices.ContainsFunc(s.Changes[k-1].Set, func(a Assignment) bool { return within(key, a.Key) }) {
				in := fmt.Sprintf("changes[%d].set", k-1)
				d.reportAt(root, in, fmt.Sprintf(": %s.%s%s", at, of, problem))
			}
		}
		for i, o := range p.Network.Links {
			check("network.links", i, "between", o.Between)
		}
		for i, f := range p.Network.Faults {
			if l, ok := f.Kind.(sim.BadLink); ok {
				check("network.faults", i, l.Key(), l.Link)
			}
		}
	}
}

func (o *origin) decoder() *decoder { return &decoder{file: o.file, sets: o.sets} }

// someOf are nodes in words, of many the first.
func someOf(nodes []int32) string {
	const most = 8
	var all []string
	for _, i := range nodes[:min(most, len(nodes))] {
		all = append(all, strconv.Itoa(int(i)))
	}
	text := strings.Join(all, ", ")
	if more := len(nodes) - len(all); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

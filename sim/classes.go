// Classes of nodes: those that a file speaks of, and which node is of which.

package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// aClass is what the names of a placement are where they are no sites.
const aClass = "class"

// inOrder sorts the names of classes, by number where all are numbers, so that the order of a file's lines decides
// nothing, and two files that have the same classes give a node the same.
func inOrder(names []string) []string {
	names = slices.Clone(names)
	number := map[string]int{}
	for _, name := range names {
		if k, err := strconv.Atoi(name); err == nil {
			number[name] = k
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if len(number) == len(names) {
			return cmp.Or(cmp.Compare(number[a], number[b]), cmp.Compare(a, b))
		}
		return cmp.Compare(a, b)
	})
	return names
}

// classify gives each of n nodes the number of a class, of names in order.
func (p *Placement) classify(names []string, n int, seed uint64) ([]uint16, error) {
	if len(names) > maxSites {
		return nil, fmt.Errorf("%d classes are more than %d", len(names), maxSites)
	}
	at, err := p.place(aClass, names, n, NewStream(seed, "classes"))
	if err != nil {
		return nil, fmt.Errorf("placement %w", err)
	}
	return at, nil
}

// classifyJoined is classify of the nodes of a graph. Those whose class no list names are of that of their first
// neighbour, whom they joined.
func (p *Placement) classifyJoined(names []string, g *Graph, seed uint64) ([]uint16, error) {
	n := g.Order() // that there are no fewer names than the network has nodes, checkOrder says
	if p != nil && p.Kind == "list" {
		n = min(n, len(p.Names))
	}
	at, err := p.classify(names, n, seed)
	if err != nil {
		return nil, err
	}
	for i := n; i < g.Order(); i++ {
		near := g.Neighbours(i)
		if len(near) == 0 || int(near[0]) >= i {
			return nil, fmt.Errorf("placement names a class for %d nodes; there are %d", n, g.Order())
		}
		at = append(at, at[near[0]])
	}
	return at, nil
}

// The network's graph: undirected, simple, in compressed rows.

package sim

import (
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
	"gonum.org/v1/gonum/graph/simple"

	"overhear/internal/plural"
)

// Graph is an undirected simple graph on nodes 0..n−1. Neighbours are in
// ascending order, everywhere, so that whatever iterates over a graph does so
// in one order. It implements gonum's graph.Undirected.
type Graph struct {
	start      []int32 // of a node's neighbours; one more than there are nodes
	neighbours []int32
	names      []string // of its nodes in the file that it was read from; nil: their numbers
}

// Names are what the file from which a graph was read calls its nodes; nil: they have their numbers alone.
func (g *Graph) Names() []string { return g.names }

// call gives nodes their names, unless these are their numbers.
func (g *Graph) call(names []string) {
	for i, name := range names {
		if name != strconv.Itoa(i) {
			g.names = names
			return
		}
	}
}

var _ graph.Undirected = (*Graph)(nil)

// NewGraph makes a graph from its edges, each given once in either direction.
func NewGraph(n int, edges [][2]int) (*Graph, error) {
	if n < 1 {
		return nil, fmt.Errorf("a graph needs at least one node, not %d", n)
	}
	start := make([]int32, n+1)
	for _, e := range edges {
		for _, v := range e {
			if v < 0 || v >= n {
				return nil, fmt.Errorf("edge %d-%d: nodes go from 0 to %d", e[0], e[1], n-1)
			}
			start[v+1]++
		}
		if e[0] == e[1] {
			return nil, fmt.Errorf("edge %d-%d joins a node to itself", e[0], e[1])
		}
	}
	for i := range n {
		start[i+1] += start[i]
	}
	next := slices.Clone(start[:n])
	neighbours := make([]int32, 2*len(edges))
	for _, e := range edges {
		a, b := e[0], e[1]
		neighbours[next[a]] = int32(b)
		next[a]++
		neighbours[next[b]] = int32(a)
		next[b]++
	}
	g := &Graph{start: start, neighbours: neighbours}
	for i := range n {
		row := g.Neighbours(i)
		slices.Sort(row)
		for k := 1; k < len(row); k++ {
			if row[k] == row[k-1] {
				return nil, fmt.Errorf("edge %d-%d is given twice", i, row[k])
			}
		}
	}
	return g, nil
}

// Order is the number of nodes.
func (g *Graph) Order() int { return len(g.start) - 1 }

// Size is the number of edges.
func (g *Graph) Size() int { return len(g.neighbours) / 2 }

// Links is the number of directed links, two an edge.
func (g *Graph) Links() int { return len(g.neighbours) }

// Neighbours are the neighbours of node i, ascending; not to be modified.
func (g *Graph) Neighbours(i int) []int32 { return g.neighbours[g.start[i]:g.start[i+1]] }

// Degree is the number of neighbours of node i.
func (g *Graph) Degree(i int) int { return int(g.start[i+1] - g.start[i]) }

// Link is the number of the directed link i→j, in 0..Links()−1, or −1 if there
// is none. The links of a node are consecutive, in order of neighbour.
func (g *Graph) Link(i, j int) int {
	k, ok := slices.BinarySearch(g.Neighbours(i), int32(j))
	if !ok {
		return -1
	}
	return int(g.start[i]) + k
}

// edge says whether two numbers, whatever they are, are the nodes of an edge.
func (g *Graph) edge(a, b int) bool {
	n := g.Order()
	return a >= 0 && b >= 0 && a < n && b < n && g.Link(a, b) >= 0
}

// Pairs lists the edges {i, j}, i < j, in ascending order.
func (g *Graph) Pairs() [][2]int {
	pairs := make([][2]int, 0, g.Size())
	for i := range g.Order() {
		for _, j := range g.Neighbours(i) {
			if int(j) > i {
				pairs = append(pairs, [2]int{i, int(j)})
			}
		}
	}
	return pairs
}

// Components are the connected components, each ascending, in order of their
// smallest node.
func (g *Graph) Components() [][]int {
	seen := make([]bool, g.Order())
	var all [][]int
	for root := range seen {
		if seen[root] {
			continue
		}
		seen[root] = true
		part := []int{root}
		for k := 0; k < len(part); k++ {
			for _, j := range g.Neighbours(part[k]) {
				if !seen[j] {
					seen[j] = true
					part = append(part, int(j))
				}
			}
		}
		slices.Sort(part)
		all = append(all, part)
	}
	return all
}

// connected returns an error that names the parts of a graph in pieces.
func (g *Graph) connected() error {
	parts := g.Components()
	if len(parts) == 1 {
		return nil
	}
	smallest := slices.MinFunc(parts, func(a, b []int) int { return len(a) - len(b) })
	shown := smallest[:min(len(smallest), 5)]
	return fmt.Errorf("the graph is in %d pieces and must be connected; the smallest has %d of %d nodes, among them %s",
		len(parts), len(smallest), g.Order(), plural.List(shown))
}

// Node, Nodes, From, HasEdgeBetween, Edge and EdgeBetween implement gonum's
// graph.Undirected, with ordered iterators.
func (g *Graph) Node(id int64) graph.Node {
	if id < 0 || id >= int64(g.Order()) {
		return nil
	}
	return simple.Node(id)
}

// Nodes iterates over all nodes in ascending order.
func (g *Graph) Nodes() graph.Nodes {
	nodes := make([]graph.Node, g.Order())
	for i := range nodes {
		nodes[i] = simple.Node(i)
	}
	return iterator.NewOrderedNodes(nodes)
}

// From iterates over the neighbours of a node in ascending order.
func (g *Graph) From(id int64) graph.Nodes {
	row := g.Neighbours(int(id))
	nodes := make([]graph.Node, len(row))
	for k, j := range row {
		nodes[k] = simple.Node(j)
	}
	return iterator.NewOrderedNodes(nodes)
}

// HasEdgeBetween says whether two nodes are neighbours.
func (g *Graph) HasEdgeBetween(x, y int64) bool { return g.edge(int(x), int(y)) }

// Edge returns the edge from u to v, or nil.
func (g *Graph) Edge(u, v int64) graph.Edge {
	if !g.HasEdgeBetween(u, v) {
		return nil
	}
	return simple.Edge{F: simple.Node(u), T: simple.Node(v)}
}

// EdgeBetween returns the edge between two nodes, or nil.
func (g *Graph) EdgeBetween(x, y int64) graph.Edge { return g.Edge(x, y) }

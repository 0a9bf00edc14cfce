// Which graph a scenario asks for, and the generators of random ones.

package sim

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"overhear/internal/memory"
	"overhear/internal/num"
)

// Topology is a scenario's `network.topology`: a kind with its parameters, a
// list of edges, or a file. The graph must come out connected.
type Topology struct {
	Kind        string   `yaml:"kind" enum:"ring,path,star,complete,grid,erdos-renyi,watts-strogatz,barabasi-albert,random-regular,k-nearest,geographic,two-level" doc:"family of graphs; the random ones are drawn from the seed, and k-nearest and geographic follow the sites of a latency of kind matrix"`
	Nodes       int      `yaml:"nodes" doc:"number of nodes"`
	Degree      int      `yaml:"degree" of:"random-regular" doc:"neighbours of every node (random-regular)"`
	Probability float64  `yaml:"probability" of:"erdos-renyi" doc:"of each edge (erdos-renyi)"`
	Nearest     int      `yaml:"nearest" of:"watts-strogatz,k-nearest" doc:"neighbours of every node on the ring before rewiring, even (watts-strogatz); how many others each node is joined with, by latency; pieces are then joined by the shortest edges (k-nearest)"`
	Rewire      float64  `yaml:"rewire" of:"watts-strogatz" doc:"probability that an edge is rewired (watts-strogatz)"`
	Attach      int      `yaml:"attach" of:"barabasi-albert" doc:"edges that each new node brings (barabasi-albert)"`
	Rows        int      `yaml:"rows" of:"grid" doc:"rows of a grid; columns is nodes divided by it"`
	Radius      float64  `yaml:"radius" of:"geographic" doc:"greatest distance of neighbours over the surface of the Earth, in km (geographic)"`
	Regions     int      `yaml:"regions" of:"two-level" doc:"number of regions, blocks of nodes; default: the sites of a latency of kind matrix (two-level)"`
	Gateways    int      `yaml:"gateways" of:"two-level" doc:"first nodes of each region, to which its others are linked, and which are linked with all other gateways; default 1 (two-level)"`
	Chords      [][2]int `yaml:"chords" doc:"edges added to those of the kind, each [node, node]"`
	Edges       [][2]int `yaml:"edges" doc:"the edges themselves, each [node, node], instead of a kind"`
	File        string   `yaml:"file" doc:"edge list or adjacency matrix (.csv, .tsv, .txt), what networkx writes (.edgelist, .adjlist), or GraphML (.graphml), instead of a kind"`
}

// Check reports parameters that make no graph.
func (t Topology) Check(report func(field, problem string)) {
	given := 0
	for _, g := range []bool{t.Kind != "", t.Edges != nil, t.File != ""} {
		if g {
			given++
		}
	}
	switch {
	case given == 0:
		report("", "is missing: it must have exactly one of kind, edges and file, such as {kind: ring, nodes: 5}")
		return
	case given != 1:
		report("", fmt.Sprintf("must have exactly one of kind, edges and file, has %d of them", given))
		return
	case t.File != "":
		if !slices.Contains(graphEndings, filepath.Ext(t.File)) {
			report("file", fmt.Sprintf("must end in %s, is %q", strings.Join(graphEndings, ", "), t.File))
		}
		return
	case t.Nodes < 1:
		report("nodes", fmt.Sprintf("must be at least 1, is %d", t.Nodes))
		return
	}
	n := t.Nodes
	between := func(field string, v, low, high int) {
		switch {
		case low > high:
			report("nodes", fmt.Sprintf("must be at least %d for kind %s, is %d", low+1, t.Kind, n))
		case low == high && v != low:
			report(field, fmt.Sprintf("must be %d for %d nodes, is %d", low, n, v))
		case v < low || v > high:
			report(field, fmt.Sprintf("must be between %d and %d for %d nodes, is %d", low, high, n, v))
		}
	}
	probability := func(field string, p float64) {
		if !(p >= 0 && p <= 1) {
			report(field, fmt.Sprintf("must be a probability between 0 and 1, is %v", p))
		}
	}
	switch t.Kind {
	case "ring":
		if n < 3 {
			report("nodes", fmt.Sprintf("must be at least 3 for kind ring, is %d", n))
		}
	case "grid":
		if t.Rows < 1 || n%t.Rows != 0 {
			report("rows", fmt.Sprintf("must divide the number of nodes, %d, is %d", n, t.Rows))
		}
	case "erdos-renyi":
		probability("probability", t.Probability)
	case "watts-strogatz":
		between("nearest", t.Nearest, 2, n-1)
		if t.Nearest%2 != 0 {
			report("nearest", fmt.Sprintf("must be even, is %d", t.Nearest))
		}
		probability("rewire", t.Rewire)
	case "barabasi-albert":
		between("attach", t.Attach, 1, n-1)
	case "k-nearest":
		between("nearest", t.Nearest, 1, n-1)
	case "geographic":
		if !(t.Radius > 0 && t.Radius <= math.MaxFloat64) {
			report("radius", fmt.Sprintf("must be a distance in km, is %v", t.Radius))
		}
	case "two-level":
		if t.Regions < 0 || t.Regions > n {
			report("regions", fmt.Sprintf("must be between 1 and %d for %d nodes, is %d", n, n, t.Regions))
		}
		if t.Gateways < 0 {
			report("gateways", fmt.Sprintf("must be at least 1, is %d", t.Gateways))
		}
	case "random-regular":
		between("degree", t.Degree, 1, n-1)
		if t.Degree > 0 && n*t.Degree%2 != 0 {
			const what = "nodes × degree must be even, is %d × %d; take degree %d or %d nodes"
			report("degree", fmt.Sprintf(what, n, t.Degree, t.Degree+1, n+1))
		}
	}
}

// Order is the number of nodes; 0: it is not known before a file is read.
func (t Topology) Order() int {
	if t.File != "" {
		return 0
	}
	return t.Nodes
}

// Sited says whether the graph follows the sites of its nodes.
func (t Topology) Sited() bool { return t.Kind == "k-nearest" || t.Kind == "geographic" }

// draws is how many random graphs are drawn before giving up on a connected one.
const draws = 100

// hopeless is how many nodes without an edge, on average, leave no hope of a draw without one: a chance of e⁻³⁰ each.
const hopeless = 30

// Build makes the graph; random kinds draw from the stream, again up to 100
// times until the graph is connected. Kinds that follow sites are built by
// BuildOn.
func (t Topology) Build(s *Stream) (*Graph, error) { return t.BuildOn(s, nil) }

// BuildOn makes the graph of nodes that are placed on sites; nil: they are not.
func (t Topology) BuildOn(s *Stream, on *Placed) (*Graph, error) {
	var problems []string
	t.Check(func(field, problem string) { problems = append(problems, strings.TrimSpace(field+" "+problem)) })
	if problems != nil {
		return nil, fmt.Errorf("%s", strings.Join(problems, "; "))
	}
	if t.File != "" {
		g, err := ReadGraph(t.File)
		if err != nil {
			return nil, err
		}
		return g, g.connected()
	}
	if err := t.suits(on); err != nil {
		return nil, err
	}
	if err := t.fits(on); err != nil {
		return nil, err
	}
	if lone := t.lone(); lone > hopeless {
		return nil, fmt.Errorf("no draw of an erdos-renyi graph of %d nodes with probability %v would be connected: "+
			"about %.0f nodes would have no edge; give a probability of %.2g or more", t.Nodes, t.Probability, lone,
			2*num.Log(float64(t.Nodes))/float64(t.Nodes))
	}
	random := t.Kind == "erdos-renyi" || t.Kind == "watts-strogatz" || t.Kind == "random-regular"
	var failure error
	for range draws {
		g, err := NewGraph(t.Nodes, append(t.edges(s, on), t.Chords...))
		if err != nil {
			return nil, err
		}
		if failure = g.connected(); failure == nil {
			return g, nil
		}
		if t.Kind == "geographic" {
			return nil, fmt.Errorf("%w; a radius of %.0f km connects the sites", failure, math.Ceil(on.connects()))
		}
		if !random {
			return nil, failure
		}
	}
	const what = "none of %d draws of a %s graph was connected; give it more edges (the last: %w)"
	return nil, fmt.Errorf(what, draws, t.Kind, failure)
}

// lone is how many nodes of a drawn graph have no edge on average, in an erdos-renyi graph without chords.
func (t Topology) lone() float64 {
	if t.Kind != "erdos-renyi" || len(t.Chords) > 0 {
		return 0
	}
	lone := float64(t.Nodes)
	for range t.Nodes - 1 {
		lone *= 1 - t.Probability
	}
	return lone
}

// suits is an error for a graph that needs sites where there are none, or not where they are.
func (t Topology) suits(on *Placed) error {
	switch {
	case t.Sited() && on == nil:
		return fmt.Errorf("kind %s follows the sites of the nodes, and they have none: give network.latency: {kind: "+
			"matrix, set: aws}, or a file of your own", t.Kind)
	case t.Kind == "geographic" && on.positions == nil:
		return errors.New("kind geographic needs positions of the sites: network.latency.coordinates")
	case t.Kind == "two-level" && t.Regions == 0 && on == nil:
		return errors.New("kind two-level needs regions: how many, or sites, network.latency: {kind: matrix, set: aws}")
	}
	return nil
}

// regions are the nodes of each.
func (t Topology) regions(on *Placed) [][]int {
	if t.Regions > 0 {
		return blocks(t.Nodes, t.Regions)
	}
	return slices.DeleteFunc(on.members(), func(of []int) bool { return of == nil })
}

// About is about how many edges a graph of the kind has, on such sites.
func (t Topology) About(on *Placed) (edges float64) {
	n := float64(t.Nodes)
	edges = n
	switch t.Kind {
	case "complete":
		edges = n * (n - 1) / 2
	case "grid":
		edges = 2 * n
	case "erdos-renyi":
		edges = t.Probability * n * (n - 1) / 2
	case "watts-strogatz":
		edges = n * float64(t.Nearest) / 2
	case "barabasi-albert":
		edges = n * float64(t.Attach)
	case "random-regular":
		edges = n * float64(t.Degree) / 2
	case "k-nearest":
		edges = n * float64(t.Nearest)
	case "geographic":
		edges = 0
		for _, pair := range on.near(t.Radius) {
			edges += float64(float64(len(pair[0])) * float64(len(pair[1])))
		}
	case "two-level":
		all := float64(len(t.regions(on)) * max(t.Gateways, 1))
		edges = float64(n*float64(max(t.Gateways, 1))) + float64(all*all/2)
	}
	return edges
}

// fits is an error for a graph that is too large to be made.
func (t Topology) fits(on *Placed) error {
	if t.Nodes > maxNodes {
		return fmt.Errorf("nodes must be at most %d, is %d", maxNodes, t.Nodes)
	}
	n, edges := float64(t.Nodes), t.About(on)
	// An edge is in a list that grows, in the rows of both nodes and in what the engine keeps
	// of its two links.
	const perNode, perEdge = 200, 80
	what := fmt.Sprintf("a graph of %d nodes and about %.3g edges", t.Nodes, edges)
	return memory.Check(what, float64(perNode*n)+float64(perEdge*edges))
}

// edges lists the edges of the kind.
func (t Topology) edges(s *Stream, on *Placed) [][2]int {
	n := t.Nodes
	switch t.Kind {
	case "ring":
		return append(path(n), [2]int{n - 1, 0})
	case "path":
		return path(n)
	case "star":
		var e [][2]int
		for i := 1; i < n; i++ {
			e = append(e, [2]int{0, i})
		}
		return e
	case "complete":
		var e [][2]int
		for i := range n {
			for j := range i {
				e = append(e, [2]int{j, i})
			}
		}
		return e
	case "grid":
		return grid(n, n/t.Rows)
	case "erdos-renyi":
		var e [][2]int
		for i := range n {
			for j := range i {
				if s.Float64() < t.Probability {
					e = append(e, [2]int{j, i})
				}
			}
		}
		return e
	case "watts-strogatz":
		return smallWorld(n, t.Nearest, t.Rewire, s)
	case "barabasi-albert":
		return preferential(n, t.Attach, s)
	case "random-regular":
		return regular(n, t.Degree, s)
	case "k-nearest":
		return on.nearest(t.Nearest, s)
	case "geographic":
		return on.within(t.Radius)
	case "two-level":
		return twoLevel(t.regions(on), max(t.Gateways, 1))
	}
	return append([][2]int(nil), t.Edges...)
}

func path(n int) [][2]int {
	var e [][2]int
	for i := 1; i < n; i++ {
		e = append(e, [2]int{i - 1, i})
	}
	return e
}

func grid(n, columns int) [][2]int {
	var e [][2]int
	for i := range n {
		if (i+1)%columns != 0 {
			e = append(e, [2]int{i, i + 1})
		}
		if i+columns < n {
			e = append(e, [2]int{i, i + columns})
		}
	}
	return e
}

// smallWorld is Watts & Strogatz 1998: a ring lattice in which the far end of
// each edge is moved with the given probability.
func smallWorld(n, nearest int, rewire float64, s *Stream) [][2]int {
	adjacent := newAdjacency(n)
	for hop := 1; hop <= nearest/2; hop++ {
		for i := range n {
			adjacent.add(i, (i+hop)%n)
		}
	}
	for hop := 1; hop <= nearest/2; hop++ {
		for i := range n {
			j := (i + hop) % n
			if s.Float64() >= rewire || len(adjacent[i]) >= n-1 {
				continue
			}
			k := s.IntN(n)
			for k == i || adjacent.has(i, k) {
				k = s.IntN(n)
			}
			adjacent.remove(i, j)
			adjacent.add(i, k)
		}
	}
	return adjacent.edges()
}

// preferential is Barabási & Albert 1999: from a star on attach+1 nodes, each
// new node joins `attach` others drawn in proportion to their degree.
func preferential(n, attach int, s *Stream) [][2]int {
	var e [][2]int
	var ends []int // every node as often as its degree
	for i := 1; i < n; i++ {
		var to []int
		if i <= attach {
			to = []int{0}
		}
		for len(to) < min(attach, i) && i > attach {
			j := ends[s.IntN(len(ends))]
			if !slices.Contains(to, j) {
				to = append(to, j)
			}
		}
		for _, j := range to {
			e = append(e, [2]int{j, i})
			ends = append(ends, i, j)
		}
	}
	return e
}

// regular pairs n·degree stubs at random (configuration model) and repairs the
// loops and double edges by swapping ends with random other edges.
func regular(n, degree int, s *Stream) [][2]int {
	if 2*degree > n-1 { // dense: the complement is easier
		return complement(n, regular(n, n-1-degree, s))
	}
	stubs := make([]int32, n*degree)
	for k := range stubs {
		stubs[k] = int32(k / max(degree, 1))
	}
	s.Shuffle(len(stubs), func(i, j int) { stubs[i], stubs[j] = stubs[j], stubs[i] })
	adjacent := newAdjacency(n)
	var bad []int // edges, by position of their first stub, that are not in adjacent
	good := make([]bool, len(stubs)/2)
	for k := range good {
		a, b := int(stubs[2*k]), int(stubs[2*k+1])
		if a == b || adjacent.has(a, b) {
			bad = append(bad, k)
			continue
		}
		adjacent.add(a, b)
		good[k] = true
	}
	for len(bad) > 0 {
		k := bad[len(bad)-1]
		o := s.IntN(len(good))
		a, b := int(stubs[2*k]), int(stubs[2*k+1])
		c, d := int(stubs[2*o]), int(stubs[2*o+1])
		if s.Uint64()&1 == 0 {
			c, d = d, c
		}
		// a-b and c-d become a-c and b-d.
		if !good[o] || a == c || b == d || adjacent.has(a, c) || adjacent.has(b, d) {
			continue
		}
		adjacent.remove(c, d)
		adjacent.add(a, c)
		adjacent.add(b, d)
		stubs[2*k], stubs[2*k+1] = int32(a), int32(c)
		stubs[2*o], stubs[2*o+1] = int32(b), int32(d)
		good[k] = true
		bad = bad[:len(bad)-1]
	}
	return adjacent.edges()
}

func complement(n int, edges [][2]int) [][2]int {
	missing := newAdjacency(n)
	for _, e := range edges {
		missing.add(e[0], e[1])
	}
	var out [][2]int
	for i := range n {
		for j := i + 1; j < n; j++ {
			if !missing.has(i, j) {
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}

// adjacency is a graph under construction: unordered neighbour lists.
type adjacency [][]int32

func newAdjacency(n int) adjacency { return make(adjacency, n) }

func (a adjacency) has(i, j int) bool { return slices.Contains(a[i], int32(j)) }

func (a adjacency) add(i, j int) {
	a[i] = append(a[i], int32(j))
	a[j] = append(a[j], int32(i))
}

func (a adjacency) remove(i, j int) {
	a.cut(i, j)
	a.cut(j, i)
}

func (a adjacency) cut(i, j int) {
	row := a[i]
	for k, v := range row {
		if v == int32(j) {
			row[k] = row[len(row)-1]
			a[i] = row[:len(row)-1]
			return
		}
	}
}

func (a adjacency) edges() [][2]int {
	var e [][2]int
	for i, row := range a {
		for _, j := range row {
			if i < int(j) {
				e = append(e, [2]int{i, int(j)})
			}
		}
	}
	return e
}

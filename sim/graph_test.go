// Facts about graphs: their edges, their files, and what gonum sees of them.

package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/topo"
)

// tree is 0-1, 0-2, 2-3, given out of order.
func tree(t *testing.T) *Graph {
	t.Helper()
	g, err := NewGraph(4, [][2]int{{3, 2}, {0, 2}, {1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGraph_PairsAndLinks(t *testing.T) {
	g := tree(t)
	if got, want := g.Pairs(), [][2]int{{0, 1}, {0, 2}, {2, 3}}; !slices.Equal(got, want) {
		t.Errorf("pairs %v, want %v", got, want)
	}
	seen := map[int]bool{}
	for _, p := range g.Pairs() {
		for _, k := range []int{g.Link(p[0], p[1]), g.Link(p[1], p[0])} {
			if k < 0 || k >= g.Links() || seen[k] {
				t.Errorf("link %d of edge %v", k, p)
			}
			seen[k] = true
		}
	}
	for _, p := range [][2]int{{-1, 0}, {0, -1}, {4, 2}, {2, 4}, {1 << 32, 0}, {0, 1<<32 + 1}, {1, 2}} {
		if g.HasEdgeBetween(int64(p[0]), int64(p[1])) {
			t.Errorf("%v is an edge", p)
		}
	}
	if g.Link(1, 2) != -1 || g.Link(0, 0) != -1 {
		t.Error("what is no edge has a link")
	}
}

func TestGraph_Mistakes(t *testing.T) {
	for _, c := range []struct {
		n     int
		edges [][2]int
		want  string
	}{
		{0, nil, "at least one node, not 0"},
		{3, [][2]int{{0, 3}}, "edge 0-3: nodes go from 0 to 2"},
		{3, [][2]int{{3, 0}}, "edge 3-0: nodes go from 0 to 2"},
		{3, [][2]int{{-1, 0}}, "edge -1-0: nodes go from 0 to 2"},
		{3, [][2]int{{2, 2}}, "edge 2-2 joins a node to itself"},
		{3, [][2]int{{0, 2}, {0, 1}, {2, 0}}, "edge 0-2 is given twice"},
	} {
		if _, err := NewGraph(c.n, c.edges); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.edges, err, c.want)
		}
	}
	if g, err := NewGraph(1, nil); err != nil || g.Order() != 1 || g.Size() != 0 {
		t.Errorf("a single node: %v", err)
	}
	for want, edges := range map[string][][2]int{
		"in 2 pieces and must be connected; the smallest has 1 of 4 nodes, among them 3": {{0, 1}, {1, 2}},
		"in 2 pieces and must be connected; the smallest has 1 of 4 nodes, among them 0": {{1, 2}, {2, 3}},
	} {
		_, err := Topology{Nodes: 4, Edges: edges}.Build(nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What gonum sees of a graph is the graph, in order.
func TestGraph_Gonum(t *testing.T) {
	g := tree(t)
	for id, exists := range map[int64]bool{-1: false, 0: true, 3: true, 4: false} {
		if node := g.Node(id); (node != nil) != exists || exists && node.ID() != id {
			t.Errorf("node %d: %v", id, node)
		}
	}
	for u := range int64(4) {
		for v := range int64(4) {
			want := g.Link(int(u), int(v)) >= 0
			edge, between := g.Edge(u, v), g.EdgeBetween(u, v)
			if g.HasEdgeBetween(u, v) != want || (edge != nil) != want || (between != nil) != want {
				t.Errorf("edge %d-%d: %v, want %v", u, v, edge, want)
			}
			if want && (edge.From().ID() != u || edge.To().ID() != v) {
				t.Errorf("edge %d-%d is %v", u, v, edge)
			}
		}
	}
	from := ""
	for all := g.From(0); all.Next(); {
		from += fmt.Sprint(all.Node().ID(), " ")
	}
	if from != "1 2 " || g.Nodes().Len() != 4 {
		t.Errorf("neighbours of 0: %s", from)
	}
	if parts := topo.ConnectedComponents(g); len(parts) != 1 {
		t.Errorf("gonum finds %d components", len(parts))
	}
}

func TestReadEdgeList(t *testing.T) {
	for text, pairs := range map[string][][2]int{
		"source,target,weight\n# comment\n0,1,3\n1, 2\n": {{0, 1}, {1, 2}},
		"a,b\n\n2,0\n1,0\n": {{0, 1}, {0, 2}},
		"0,1":               {{0, 1}},
	} {
		g, err := readEdgeList("x.csv", strings.NewReader(text))
		if err != nil || !slices.Equal(g.Pairs(), pairs) {
			t.Errorf("%q: %v %v", text, g, err)
		}
	}
	for text, want := range map[string]string{
		"0,1\n1;2\n":                `x.csv:2: an edge is two node numbers from 0 separated by a comma, not "1;2"`,
		"alone\n0,1\n":              "x.csv:1: an edge is",
		"a,b\nc,d\n":                "x.csv:2: an edge is",
		"0,1\nc,d\n":                "x.csv:2: an edge is",
		"0,1\n1,-1\n":               "x.csv:2: an edge is",
		"0,1\n1,x\n":                "x.csv:2: an edge is",
		"0,1\n16777216,1":           "x.csv:2: an edge is", // as many nodes as an engine takes would go up to one less
		"0,1\n1,0\n":                "x.csv: edge 0-1 is given twice",
		"0,1\n\n#\n2,99999999999\n": "x.csv:4: an edge is",
		"":                          "x.csv: a graph needs at least one node",
	} {
		_, err := readEdgeList("x.csv", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestReadGraphML(t *testing.T) {
	read := func(inner string) (*Graph, error) {
		text := `<graphml><graph edgedefault="undirected">` + inner + `</graph></graphml>`
		return readGraphML("x.graphml", strings.NewReader(text))
	}
	const nodes = `<node id="b"/><node id="a"/><node id="c"/>`
	g, err := read(nodes + `<edge source="a" target="b"/><edge source="c" target="b"/>`)
	if err != nil || !slices.Equal(g.Pairs(), [][2]int{{0, 1}, {0, 2}}) ||
		!slices.Equal(g.Names(), []string{"b", "a", "c"}) {
		t.Errorf("%v %v", g, err)
	}
	for inner, want := range map[string]string{
		nodes + `<node id="a"/>`:                         `x.graphml:1:98: node id "a" is empty or given twice`,
		nodes + `<node/>`:                                `node id "" is empty or given twice`,
		nodes + `<edge source="a" target="z"/>`:          `edge "a"-"z" names a node that is not declared before it`,
		nodes + `<edge source="z" target="a"/>`:          `edge "z"-"a" names a node that is not declared before it`,
		`<edge source="a" target="b"/>` + nodes:          `edge "a"-"b" names a node that is not declared before it`,
		nodes + `<edge source="a" target="a"/>`:          "x.graphml: edge 1-1 joins a node to itself",
		nodes + `</graph><graph edgedefault="directed">`: "the graph is directed",
		nodes + `<edge`:                                  "x.graphml:1:",
	} {
		if _, err := read(inner); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", inner, err, want)
		}
	}
}

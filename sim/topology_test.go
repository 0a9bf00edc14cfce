// Facts about topologies: which parameters make a graph, and which graph.

package sim

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"overhear/internal/memory"
)

func TestTopology_Parameters(t *testing.T) {
	for _, c := range []struct {
		t    Topology
		want string // "": it is a graph
	}{
		{Topology{}, " is missing: it must have exactly one of kind, edges and file, such as {kind: ring, nodes: 5}"},
		{Topology{Kind: "ring", File: "g.csv"}, " must have exactly one of kind, edges and file, has 2 of them"},
		{Topology{Kind: "ring", Nodes: 3, Edges: [][2]int{{0, 1}}},
			" must have exactly one of kind, edges and file, has 2 of them"},
		{Topology{File: "g.csv"}, ""},
		{Topology{File: "g.graphml"}, ""},
		{Topology{File: "g.json"}, `file must end in .csv, .tsv, .txt, .edgelist, .adjlist, .graphml, is "g.json"`},
		{Topology{Kind: "path", Nodes: 0}, "nodes must be at least 1, is 0"},
		{Topology{Kind: "path", Nodes: 1}, ""},
		{Topology{Nodes: 0, Edges: [][2]int{{0, 1}}}, "nodes must be at least 1, is 0"},
		{Topology{Kind: "ring", Nodes: 2}, "nodes must be at least 3 for kind ring, is 2"},
		{Topology{Kind: "ring", Nodes: 3}, ""},
		{Topology{Kind: "grid", Nodes: 12, Rows: 0}, "rows must divide the number of nodes, 12, is 0"},
		{Topology{Kind: "grid", Nodes: 12, Rows: 5}, "rows must divide the number of nodes, 12, is 5"},
		{Topology{Kind: "grid", Nodes: 12, Rows: 1}, ""},
		{Topology{Kind: "grid", Nodes: 12, Rows: 12}, ""},
		{Topology{Kind: "erdos-renyi", Nodes: 4, Probability: -0.1},
			"probability must be a probability between 0 and 1, is -0.1"},
		{Topology{Kind: "erdos-renyi", Nodes: 4, Probability: 1.1},
			"probability must be a probability between 0 and 1, is 1.1"},
		{Topology{Kind: "erdos-renyi", Nodes: 1, Probability: 0}, ""},
		{Topology{Kind: "erdos-renyi", Nodes: 4, Probability: 1}, ""},
		{Topology{Kind: "watts-strogatz", Nodes: 9, Nearest: 1},
			"nearest must be between 2 and 8 for 9 nodes, is 1\nnearest must be even, is 1"},
		{Topology{Kind: "watts-strogatz", Nodes: 9, Nearest: 3}, "nearest must be even, is 3"},
		{Topology{Kind: "watts-strogatz", Nodes: 9, Nearest: 10}, "nearest must be between 2 and 8 for 9 nodes, is 10"},
		{Topology{Kind: "watts-strogatz", Nodes: 9, Nearest: 8, Rewire: 1}, ""},
		{Topology{Kind: "watts-strogatz", Nodes: 9, Nearest: 2}, ""},
		{Topology{Kind: "watts-strogatz", Nodes: 9, Nearest: 2, Rewire: 2},
			"rewire must be a probability between 0 and 1, is 2"},
		{Topology{Kind: "barabasi-albert", Nodes: 5, Attach: 0}, "attach must be between 1 and 4 for 5 nodes, is 0"},
		{Topology{Kind: "barabasi-albert", Nodes: 5, Attach: 5}, "attach must be between 1 and 4 for 5 nodes, is 5"},
		{Topology{Kind: "barabasi-albert", Nodes: 5, Attach: 1}, ""},
		{Topology{Kind: "barabasi-albert", Nodes: 5, Attach: 4}, ""},
		{Topology{Kind: "random-regular", Nodes: 6, Degree: 0}, "degree must be between 1 and 5 for 6 nodes, is 0"},
		{Topology{Kind: "random-regular", Nodes: 6, Degree: 6}, "degree must be between 1 and 5 for 6 nodes, is 6"},
		{Topology{Kind: "random-regular", Nodes: 6, Degree: 5}, ""},
		{Topology{Kind: "random-regular", Nodes: 2, Degree: 1}, ""},
		{Topology{Kind: "random-regular", Nodes: 5, Degree: 3},
			"degree nodes × degree must be even, is 5 × 3; take degree 4 or 6 nodes"},
		{Topology{Kind: "random-regular", Nodes: 5, Degree: -1}, "degree must be between 1 and 4 for 5 nodes, is -1"},
	} {
		var got []string
		c.t.Check(func(field, problem string) { got = append(got, field+" "+problem) })
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%+v: %q, want %q", c.t, strings.Join(got, "\n"), c.want)
		}
		if c.want != "" || c.t.File != "" {
			continue
		}
		if g, err := c.t.Build(NewStream(1, "topology")); err != nil || g.Order() != c.t.Nodes {
			t.Errorf("%+v: %v", c.t, err)
		}
	}
}

func TestTopology_Edges(t *testing.T) {
	for _, c := range []struct {
		t    Topology
		want [][2]int
	}{
		{Topology{Kind: "ring", Nodes: 4}, [][2]int{{0, 1}, {0, 3}, {1, 2}, {2, 3}}},
		{Topology{Kind: "path", Nodes: 4}, [][2]int{{0, 1}, {1, 2}, {2, 3}}},
		{Topology{Kind: "star", Nodes: 4}, [][2]int{{0, 1}, {0, 2}, {0, 3}}},
		{Topology{Kind: "star", Nodes: 4, Chords: [][2]int{{3, 1}}}, [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 3}}},
		{Topology{Kind: "complete", Nodes: 3}, [][2]int{{0, 1}, {0, 2}, {1, 2}}},
		{Topology{Kind: "grid", Nodes: 6, Rows: 2},
			[][2]int{{0, 1}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {4, 5}}},
		{Topology{Kind: "erdos-renyi", Nodes: 3, Probability: 1}, [][2]int{{0, 1}, {0, 2}, {1, 2}}},
		{Topology{Kind: "watts-strogatz", Nodes: 5, Nearest: 2}, [][2]int{{0, 1}, {0, 4}, {1, 2}, {2, 3}, {3, 4}}},
		{Topology{Kind: "barabasi-albert", Nodes: 4, Attach: 3}, [][2]int{{0, 1}, {0, 2}, {0, 3}}},
		{Topology{Kind: "random-regular", Nodes: 4, Degree: 3},
			[][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}},
	} {
		g, err := c.t.Build(NewStream(1, "topology"))
		if err != nil || !slices.Equal(g.Pairs(), c.want) {
			t.Errorf("%+v: %v %v, want %v", c.t, g.Pairs(), err, c.want)
		}
	}
}

// A random graph that is in pieces is drawn again, and no other is.
func TestTopology_DrawsAgain(t *testing.T) {
	again := 0
	for seed := range uint64(20) {
		s := NewStream(seed, "topology")
		top := Topology{Kind: "watts-strogatz", Nodes: 12, Nearest: 2, Rewire: 0.8}
		g, err := top.Build(s)
		if err != nil || len(g.Components()) != 1 {
			t.Errorf("seed %d: %v", seed, err)
		}
		first, err := NewGraph(12, top.edges(NewStream(seed, "topology"), nil))
		if err != nil {
			t.Fatal(err)
		}
		if len(first.Components()) > 1 {
			again++
		}
	}
	if again == 0 {
		t.Errorf("none of 20 graphs is in pieces at first")
	}
	for want, top := range map[string]Topology{
		"the graph is in 2 pieces":                             {Nodes: 3, Edges: [][2]int{{0, 1}}},
		"none of 100 draws of a random-regular graph was conn": {Kind: "random-regular", Nodes: 4, Degree: 1},
		"none of 100 draws of a erdos-renyi graph was connect": {Kind: "erdos-renyi", Nodes: 2},
	} {
		if _, err := top.Build(NewStream(1, "topology")); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Random graphs are drawn in the same way on every machine.
func TestGoldenTopologies(t *testing.T) {
	for _, c := range []struct {
		t    Topology
		want string
	}{
		{Topology{Kind: "erdos-renyi", Nodes: 40, Probability: 0.2}, "017ca7eb679d1945"},
		{Topology{Kind: "watts-strogatz", Nodes: 40, Nearest: 6, Rewire: 0.4}, "4d1833e6d5f5174c"},
		{Topology{Kind: "watts-strogatz", Nodes: 6, Nearest: 4, Rewire: 1}, "d83d8de8675d625b"},
		{Topology{Kind: "barabasi-albert", Nodes: 40, Attach: 3}, "b7c750758fc480b1"},
		{Topology{Kind: "random-regular", Nodes: 40, Degree: 5}, "42caa9044ab8df17"},
		{Topology{Kind: "random-regular", Nodes: 9, Degree: 4}, "4f24e63a0cb620aa"},
		{Topology{Kind: "random-regular", Nodes: 40, Degree: 22}, "8514b2d08552617c"},
		{Topology{Kind: "random-regular", Nodes: 10, Degree: 5}, "3e061420892a7053"},
	} {
		h := sha256.New()
		for seed := range uint64(20) {
			g, err := c.t.Build(NewStream(seed, "topology"))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(h, g.Pairs())
		}
		if got := fmt.Sprintf("%.8x", h.Sum(nil)); got != c.want {
			t.Errorf("%+v: digest %s, golden %s", c.t, got, c.want)
		}
	}
}

// A graph that memory does not hold is refused before it is made, with the estimate.
func TestTopology_TooLargeIsRefused(t *testing.T) {
	defer memory.SetLimit(memory.SetLimit(8e9))
	for want, topology := range map[string]Topology{
		"about 5e+09 edges would take about 401 GB": {Kind: "complete", Nodes: 1e5},
		"nodes must be at most 16777216":            {Kind: "ring", Nodes: 1e9},
		"about 2.25e+10 edges":                      {Kind: "erdos-renyi", Nodes: 3e5, Probability: 0.5},
		"about 1e+09 edges":                         {Kind: "barabasi-albert", Nodes: 1e6, Attach: 1000},
	} {
		if _, err := topology.Build(NewStream(1, "t")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

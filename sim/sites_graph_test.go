// Graphs that follow sites, held against what defines them.

package sim

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// aws are n nodes in the regions of the set, in turn.
func aws(t *testing.T, n int) *Placed {
	t.Helper()
	l := Latency{Kind: matrix, Set: "aws"}
	p, err := l.Place(1, n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every node is joined with those that are nearest, and an edge that is of nobody's nearest joins two pieces: without
// it the graph is in pieces.
func TestNearest_JoinsTheNearest(t *testing.T) {
	for _, c := range []struct{ nodes, nearest int }{{33, 1}, {33, 3}, {100, 2}, {200, 5}, {7, 6}} {
		p := aws(t, c.nodes)
		g, err := Topology{Kind: "k-nearest", Nodes: c.nodes, Nearest: c.nearest}.BuildOn(NewStream(2, "topology"), p)
		if err != nil {
			t.Fatal(err)
		}
		far := func(i, j int) Duration { return p.apartBoth(p.Site(i), p.Site(j)) }
		limit := make([]Duration, c.nodes) // of each node, how far its nearest are
		for i := range limit {
			var all []Duration
			for j := range c.nodes {
				if j != i {
					all = append(all, far(i, j))
				}
			}
			slices.Sort(all)
			limit[i] = all[c.nearest-1]
			near := 0
			for _, j := range g.Neighbours(i) {
				if far(i, int(j)) <= limit[i] {
					near++
				}
			}
			if near < c.nearest {
				t.Errorf("%+v: node %d has %d of its nearest", c, i, near)
			}
		}
		pairs := g.Pairs()
		for k, e := range pairs {
			if far(e[0], e[1]) <= max(limit[e[0]], limit[e[1]]) {
				continue
			}
			without, _ := NewGraph(c.nodes, slices.Delete(slices.Clone(pairs), k, k+1))
			if without.connected() == nil {
				t.Errorf("%+v: edge %v is long, and joins nothing", c, e)
			}
		}
	}
}

// Distances between cities are what an atlas says, and neighbours are those within the radius.
func TestGeographic_JoinsWhatIsNear(t *testing.T) {
	p := aws(t, 66)
	number := func(name string) int { return slices.Index(p.Names, name) }
	for _, c := range []struct {
		a, b string
		km   float64
	}{{"eu-west-2", "eu-west-3", 344}, {"us-east-1", "us-west-1", 3900}, {"ap-southeast-2", "ap-southeast-4", 714},
		{"eu-central-1", "sa-east-1", 9800}} {
		got := kilometres(straight(p.positions[number(c.a)], p.positions[number(c.b)]))
		if !(math.Abs(got/c.km-1) < 0.02) {
			t.Errorf("%s to %s: %.0f km, want %v", c.a, c.b, got, c.km)
		}
	}
	const radius = 9000
	g, err := Topology{Kind: "geographic", Nodes: 66, Radius: radius}.BuildOn(nil, p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 66 {
		for j := range i {
			d := kilometres(straight(p.positions[p.Site(i)], p.positions[p.Site(j)]))
			if g.edge(i, j) != (d <= radius) {
				t.Errorf("%d and %d are %.0f km apart, and edge is %v", i, j, d, g.edge(i, j))
			}
		}
	}
	_, err = Topology{Kind: "geographic", Nodes: 66, Radius: 1000}.BuildOn(nil, p)
	var least int
	if _, after, ok := strings.Cut(fmt.Sprint(err), "a radius of "); !ok {
		t.Fatalf("a small radius: %v", err)
	} else if _, err := fmt.Sscan(after, &least); err != nil {
		t.Fatal(err)
	}
	for d, ok := range map[int]bool{least: true, least - 2: false} {
		if _, err := (Topology{Kind: "geographic", Nodes: 66, Radius: float64(d)}).BuildOn(nil, p); (err == nil) != ok {
			t.Errorf("a radius of %d, where %d connects: %v", d, least, err)
		}
	}
}

func TestTwoLevel_LinksGateways(t *testing.T) {
	g, err := Topology{Kind: "two-level", Nodes: 7, Regions: 2, Gateways: 2}.Build(nil)
	if want := "[[0 1] [0 2] [0 3] [0 4] [0 5] [1 2] [1 3] [1 4] [1 5] [4 5] [4 6] [5 6]]"; err != nil ||
		fmt.Sprint(g.Pairs()) != want {
		t.Errorf("%v, %v, want %s", g.Pairs(), err, want)
	}
	p := aws(t, 100)
	g, err = Topology{Kind: "two-level", Nodes: 100}.BuildOn(nil, p)
	if err != nil || g.Size() != 33*32/2+67 {
		t.Fatalf("%v edges, %v", g.Size(), err)
	}
	for _, e := range g.Pairs() {
		if p.Site(e[0]) != p.Site(e[1]) && e[1] >= 33 {
			t.Errorf("edge %v leaves its region, and not from the gateway", e)
		}
	}
}

func TestSitedGraphs_SayWhatIsMissing(t *testing.T) {
	nowhere := aws(t, 5)
	nowhere.Sites = &Sites{Names: nowhere.Names, delay: nowhere.delay}
	for _, c := range []struct {
		top  Topology
		on   *Placed
		want string
	}{
		{Topology{Kind: "k-nearest", Nodes: 5, Nearest: 2}, nil, "kind k-nearest follows the sites of the nodes"},
		{Topology{Kind: "geographic", Nodes: 5, Radius: 9}, nowhere, "needs positions of the sites"},
		{Topology{Kind: "two-level", Nodes: 5}, nil, "kind two-level needs regions"},
	} {
		if _, err := c.top.BuildOn(nil, c.on); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.top, err, c.want)
		}
	}
	s := &Sites{Names: []string{"a", "b"}}
	for text, want := range map[string]string{
		"a,1,2\n":                 `x.csv: the site "b" has no position`,
		"a,1,2\nb,91,2\n":         `x.csv:2:3: must be a latitude from -90 to 90 degrees, is "91"`,
		"a,1,2\nb,9,x\n":          `x.csv:2:5: must be a longitude from -180 to 180 degrees, is "x"`,
		"a,1,2\na,1,2\n":          `x.csv:2:1: the site "a" is given twice`,
		"a,1\n":                   "x.csv:1:1: must be a site, its latitude and its longitude; has 2 fields",
		"a,1,NaN\nb,1,2\n":        `must be a longitude`,
		"site,lat,lon\nb,1,2,x\n": `the site "a" has no position`,
	} {
		if err := s.locate("x.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A picture of leaks shows each node as what became of it.

package network

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"overhear/record"
	"overhear/report/plot"
)

func TestLeaks(t *testing.T) {
	n := &record.Placement{Nodes: 6, Edges: example("ring", 6), Watched: []int{2}}
	nodes := []Leak{
		{Error: 1e-9, Attack: "inversion", Victim: true},
		{Error: 0.3, Attack: "span", Victim: true},
		{Error: math.NaN()},
		{Error: math.NaN(), Victim: true, Blocked: true},
		{Error: math.NaN(), Victim: true},
		{Error: 2, Attack: "span", Victim: true},
	}
	p := Leaks("the network", "Attacked: 5 nodes.", n, nodes)
	svg := string(p.SVG())
	if !bytes.Equal(p.SVG(), []byte(svg)) {
		t.Error("the picture is another the second time")
	}
	for _, want := range []string{
		"node 0: error 10⁻⁹ by inversion<", "node 2, watched<", "node 3: attack blocked<", "node 4<",
		"Attacked: 5 nodes.",
		">exact (error &lt; 10⁻⁶)<", ">&lt; 0.5<", ">≥ 1, no better than zero<", ">attack blocked<", ">not attacked<",
		">attacked, error not known<", ">watched by the observer<",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	for _, never := range []string{">error &lt; 0.1<", ">victim<", "NaN"} {
		if strings.Contains(svg, never) {
			t.Errorf("the picture says %q", never)
		}
	}
	fills := func(c color.Color) int {
		r, g, b, _ := c.RGBA()
		return strings.Count(svg, fmt.Sprintf("fill:#%02X%02X%02X", r>>8, g>>8, b>>8))
	}
	for k, want := range []int{2, 0, 2, 0, 2} { // a node and its sample in the legend
		if got := fills(classes[k].fill); got != want {
			t.Errorf("%d shapes of class %q, not %d", got, classes[k].label, want)
		}
	}
	if Leaks("", "", &record.Placement{}, nil) != nil {
		t.Error("a picture of no nodes")
	}
}

// One victim has a ring, and a number beside it where nodes are too small for numbers.
func TestLeaks_Victim(t *testing.T) {
	n := &record.Placement{Nodes: 400, Edges: example("grid", 400)}
	nodes := make([]Leak, n.Nodes)
	for k := range nodes {
		nodes[k].Error = math.NaN()
	}
	nodes[399] = Leak{Error: 0.5, Attack: "inversion", Victim: true}
	svg := string(Leaks("t", "", n, nodes).SVG())
	r, g, b, _ := plot.Accent.RGBA()
	if got := strings.Count(svg, fmt.Sprintf("stroke:#%02X%02X%02X", r>>8, g>>8, b>>8)); got != 2 {
		t.Errorf("%d rings, with the legend's", got)
	}
	if !strings.Contains(svg, ">399<") || strings.Contains(svg, ">12<") {
		t.Error("the victim has no number, or others have one")
	}
}

func TestClassOf(t *testing.T) {
	for err, want := range map[float64]int{0: 0, 1e-6: 1, 0.09: 1, 0.1: 2, 0.5: 3, 1: 4, 7: 4} {
		if got := classOf(err); got != want {
			t.Errorf("an error of %v is of class %d, not %d", err, got, want)
		}
	}
}

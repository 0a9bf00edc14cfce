// Pictures of networks: what they say is what was measured or declared, the same bytes every time, as well-formed SVG.

package network

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/record"
	"overhear/report/browser"
	"overhear/sim"
)

const ms = sim.Duration(1e6)

// shapes counts the elements of an SVG.
func shapes(t *testing.T, svg []byte) map[string]int {
	t.Helper()
	count := map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			count[e.Name.Local]++
		}
	}
}

func square(t *testing.T) *sim.Graph {
	t.Helper()
	g, err := sim.NewGraph(4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestDeclared(t *testing.T) {
	slow, half := sim.Latency{Kind: "uniform", Low: 100 * ms, High: 300 * ms}, 0.5
	link := sim.Link{Latency: sim.Latency{Kind: "constant", Value: 20 * ms}}
	p, err := Declared("a & b", square(t), link, []sim.Override{{Between: [2]int{3, 0}, Latency: &slow, Loss: &half}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range p.Edges {
		latency, loss := 20.0, 0.0
		if e.Between == [2]int{0, 3} {
			latency, loss = 200, 0.5
		}
		if e.Latency != latency || e.Loss != loss {
			t.Errorf("edge %v has %v ms and loss %v, want %v and %v", e.Between, e.Latency, e.Loss, latency, loss)
		}
	}
	svg := p.Picture().SVG()
	if !bytes.Equal(svg, p.Picture().SVG()) {
		t.Error("the picture is another the second time")
	}
	if n := shapes(t, svg); n["circle"] != 4 || n["desc"] != 1 {
		t.Errorf("%v", n)
	}
	for _, want := range []string{"a &amp; b: its network", "0–3: 200 ms, 50 % lost, uniform from 100ms to 300ms",
		">200 ms<", ">50 % lost<", ">20.0 ms<", "loses packets", "on edge 0–3"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	if _, err := Declared("x", square(t), link, []sim.Override{{Between: [2]int{1, 3}}}); err == nil {
		t.Error("an exception for what is no edge is drawn")
	}
}

func TestMeasured(t *testing.T) {
	d, err := record.OpenDirectory(filepath.Join(t.TempDir(), "exp"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	w, err := record.Create(d, 1, record.Policy{Last: -1, Messages: true}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []record.Message{
		{Src: 0, Dst: 1, SentNS: 5, ReceivedNS: 5 + 10e6},
		{Src: 1, Dst: 0, SentNS: 0, ReceivedNS: 30e6},
		{Src: 1, Dst: 0, SentNS: 0, ReceivedNS: -1},
		{Src: 1, Dst: 2, SentNS: 0, ReceivedNS: -1},
		{Src: 7, Dst: 2, SentNS: 0, ReceivedNS: 1}, // a user
	} {
		w.Message(m)
	}
	dir, err := w.Finish(&record.Info{Name: "exp", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Measured(r, square(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range p.Edges {
		latency, loss := math.NaN(), math.NaN()
		switch e.Between {
		case [2]int{0, 1}:
			latency, loss = 20, 1.0/3
		case [2]int{1, 2}:
			loss = 1
		}
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !same(e.Latency, latency) || !same(e.Loss, loss) {
			t.Errorf("edge %v has %v ms and loss %v, want %v and %v", e.Between, e.Latency, e.Loss, latency, loss)
		}
	}
	svg := string(p.Picture().SVG())
	for _, want := range []string{"4 packets. The users who register and their 1 packet are left out",
		"no packet arrived", "1–2: no packet arrived, 100 % lost, 1 packet<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	shapes(t, []byte(svg))
}

// One node, two, a full graph and a large one; in a browser no text is cut off or
// written over another.
func TestLatencies_Sizes(t *testing.T) {
	full := func(n int) (edges [][2]int) {
		for i := range n {
			for j := range i {
				edges = append(edges, [2]int{j, i})
			}
		}
		return edges
	}
	long := [][2]int{}
	for k := 1; k < 150; k++ {
		long = append(long, [2]int{k / 2, k})
	}
	for name, test := range map[string]struct {
		nodes int
		edges [][2]int
	}{"one": {1, nil}, "two": {2, full(2)}, "full": {9, full(9)}, "tree": {150, long}} {
		p := &Latencies{Title: name, Text: strings.Repeat("what it shows ", 15), Nodes: test.nodes}
		for k, e := range test.edges {
			p.Edges = append(p.Edges, Edge{e, float64(1 + k*k), float64(k%3) / 10, "constant"})
		}
		svg := p.Picture().SVG()
		if n := shapes(t, svg); n["circle"] != test.nodes || n["path"] < len(test.edges) {
			t.Errorf("%s: %v", name, n)
		}
		if strings.Contains(string(svg), "NaN") || strings.Contains(string(svg), "Inf") {
			t.Errorf("%s: a place is no number", name)
		}
		t.Run(name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("browsers are slow")
			}
			chromium := browser.Find(t)
			file := filepath.Join(t.TempDir(), "page.html")
			if err := os.WriteFile(file, []byte("<!doctype html><meta charset=utf-8><body "+
				"style='margin:0'>"+string(svg)+browser.Gauge), 0o644); err != nil {
				t.Fatal(err)
			}
			page := chromium.Open(t, file, "--dump-dom", "--window-size=1400,1400")
			if !strings.Contains(page, `"faults":[]`) {
				_, measured, _ := strings.Cut(page, `id="measured"`)
				t.Errorf("%.600s", measured)
			}
		})
	}
}

// Nodes are drawn apart, at the same places every time.

package network

import (
	"math"
	"slices"
	"testing"
)

// example has the edges of a ring, a star, a ring with chords, a grid, or none.
func example(kind string, n int) (edges [][2]int) {
	side := int(math.Sqrt(float64(n)))
	for k := range n {
		switch kind {
		case "star":
			edges = append(edges, [2]int{0, k})
		case "ring":
			edges = append(edges, [2]int{k, (k + 1) % n})
		case "chords":
			edges = append(edges, [2]int{k, (k + 1) % n})
			if k%3 == 0 {
				edges = append(edges, [2]int{k, (7*k + 5) % n})
			}
		case "grid":
			if k%side < side-1 {
				edges = append(edges, [2]int{k, k + 1})
			}
			if k+side < n {
				edges = append(edges, [2]int{k, k + side})
			}
		}
	}
	return slices.DeleteFunc(edges, func(e [2]int) bool { return e[0] == e[1] })
}

// Layouts keep nodes apart and put a grid's neighbours nearer than others.
func TestLayout_NodesAreApart(t *testing.T) {
	for _, c := range []struct {
		kind string
		n    int
	}{{"ring", 40}, {"star", 60}, {"chords", 24}, {"chords", 200}, {"grid", 64}, {"grid", 9}, {"none", 20},
		{"ring", 2}} {
		edges := example(c.kind, c.n)
		at := layout(c.n, edges)
		closest, widest := math.Inf(1), 0.0
		for i := range at {
			if !finite(at[i].x) || !finite(at[i].y) {
				t.Fatalf("%+v: node %d is at %v", c, i, at[i])
			}
			for j := range i {
				d := math.Hypot(at[i].x-at[j].x, at[i].y-at[j].y)
				closest, widest = math.Min(closest, d), math.Max(widest, d)
			}
		}
		if !(closest >= 0.15*widest/math.Sqrt(float64(c.n))/2) {
			t.Errorf("%+v: the nearest nodes are %v apart, the farthest %v", c, closest, widest)
		}
		if !slices.Equal(at, layout(c.n, edges)) {
			t.Errorf("%+v: another layout the second time", c)
		}
	}
}

// Places are those of the picture, in a square.
func TestPlaces_AreInASquare(t *testing.T) {
	edges := [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}}
	all, again := Places(5, edges), Places(5, edges)
	low, high := 1.0, -1.0
	for k, p := range all {
		if p != again[k] {
			t.Errorf("node %d is at %v, and then at %v", k, p, again[k])
		}
		low, high = min(low, p[0], p[1]), max(high, p[0], p[1])
	}
	if len(all) != 5 || !(math.Abs(low+1) <= 1e-12) || !(math.Abs(high-1) <= 1e-12) {
		t.Errorf("%d places from %v to %v", len(all), low, high)
	}
	if Places(0, nil) != nil || len(Places(1, nil)) != 1 {
		t.Error("no node or one")
	}
}

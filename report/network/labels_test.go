// Labels of edges: clear of one another, and of other edges' lines where there is room.

package network

import "testing"

func TestBox_Crossed(t *testing.T) {
	b := box{10, 10, 20, 20}
	for _, c := range []struct {
		from, to point
		want     bool
	}{
		{point{0, 15}, point{30, 15}, true},
		{point{0, 0}, point{30, 30}, true},
		{point{0, 25}, point{30, 25}, false},
		{point{0, 15}, point{9, 15}, false},
		{point{12, 12}, point{12, 12}, false}, // no line
	} {
		if got := b.crossed(c.from, c.to); got != c.want {
			t.Errorf("from %v to %v: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

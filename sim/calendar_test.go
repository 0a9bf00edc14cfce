package sim

import "testing"

// What falls due while a node is down happens when it is up again; a node that has left does nothing more.
func TestCalendar_HoldsWhatFallsDueInAnOutage(t *testing.T) {
	g, err := NewGraph(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	five := 5.0
	c, err := NewCalendar(1, g, nil, FaultPlan{
		{At: 10, Until: 20, Kind: Crash{Node: 0}},
		{At: 20, Until: 30, Kind: Crash{Node: 0}}, // they touch, and are one
		{At: 15, Kind: Join{Node: 1}},
		{At: 40, Kind: Leave{Node: 2}},
		{At: 10, Until: 20, Kind: SlowNode{Node: 2, Factor: &five}},
	}.Course())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		node          int
		at, when      Time
		held, happens bool
	}{
		{0, 30, 30, false, true}, {0, 10, 30, true, true}, {0, 9, 9, false, true}, {0, 29, 30, true, true},
		{1, 0, 15, true, true}, {1, 15, 15, false, true}, {2, 39, 39, false, true}, {2, 40, forever, true, false},
	} {
		when, held, happens := c.Due(q.node, q.at)
		if when != q.when || held != q.held || happens != q.happens {
			t.Errorf("%+v: %v %v %v", q, when, held, happens)
		}
	}
	for _, q := range []struct{ began, took Time }{{20, 2}, {10, 10}, {9, 2}, {19, 10}} {
		if d := c.Slowed(2, q.began, 2); d != Duration(q.took) {
			t.Errorf("what takes 2 and begins at %v takes %v", q.began, d)
		}
	}
	if !c.Gone(2) || c.Gone(0) || c.Gone(1) {
		t.Error("node 2 is gone in the end, and no other")
	}
	none, err := NewCalendar(1, g, nil, nil)
	if when, held, happens := none.Due(1, 7); err != nil || when != 7 || held || !happens || none.Slowed(1, 7, 3) != 3 {
		t.Errorf("without faults: %v %v %v, %v", when, held, happens, err)
	}
}

// What stood in for a value that did not come in time, by cases.

package adversary

import (
	"testing"

	"overhear/adversary/model"
	"overhear/record"
	"overhear/sim"
)

// Node 0 collects the values of round 1 from time 20 on, when it has published that round, and publishes round 2 later.
func TestView_WhatStoodIn(t *testing.T) {
	g, err := sim.NewGraph(3, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	const untold = -2
	for name, c := range map[string]struct {
		deadline  sim.Duration
		published int64      // round 2 of node 0
		values    [][3]int64 // of node 1: round, sent, received
		some      bool       // packets may have escaped
		want      int
	}{
		"two rounds ahead it goes on at once": {100, 40, [][3]int64{{0, 1, 5}, {3, 21, 30}, {1, 8, 35}}, false, 3},
		"one round ahead it waits":            {100, 40, [][3]int64{{0, 1, 5}, {2, 15, 30}, {1, 8, 35}}, false, 1},
		"what came while it worked may have entered": {10, 45, [][3]int64{{0, 1, 5}, {2, 15, 28}, {1, 8, 40}}, false,
			untold},
		"one that is two rounds ahead had not been sent": {100, 30, [][3]int64{{1, 8, 25}, {2, 20, 40}, {3, 26, 45}},
			true, 1},
		"one that is two rounds ahead may have come": {100, 30, [][3]int64{{1, 8, 25}, {4, 30, 33}}, true, untold},
	} {
		rec := new(Recording)
		add := func(src, dst int32, round, sent, received int64) {
			rec.Messages = append(rec.Messages, record.Message{ID: uint64(len(rec.Messages)), Src: src, Dst: dst,
				Round: int32(round), SentNS: sent, ReceivedNS: received, Kind: record.MessageValue})
		}
		for round, at := range []int64{0, 20, c.published} {
			add(0, 1, int64(round), at, at+5)
		}
		for _, v := range c.values {
			add(1, 0, v[0], v[1], v[2])
		}
		w := Vantage{}
		if c.some {
			w.Links = [][2]int{{0, 1}}
		}
		public := &model.Public{Run: model.Run{Graph: g, D: 1, Rounds: 9, Timing: model.Timing{Barrier: true,
			Deadline: c.deadline, Slowest: 15}}}
		got := untold
		is, err := Observe(rec, w, public, nil).input(0, 1, 2)
		if err == nil {
			got = is
		}
		if got != c.want {
			t.Errorf("%s: the value of round %d, want %d (%v)", name, got, c.want, err)
		}
	}
}

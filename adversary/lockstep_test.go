// What stood in for a value that did not come in time, by cases.

package adversary

import (
	"slices"
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

// collecting is what a node has of one neighbour, as the protocol's text says it: room for the values of its round and
// the next, and the latest that came.
type collecting struct {
	begun         bool
	round, newest int
	entered       int // in the update after the round of interest; −2: nothing yet
	of            int
}

func (c *collecting) publish(round int) {
	c.begun, c.round = true, round
	if c.newest == round+1 && c.newest == c.of {
		c.enter(c.newest)
	}
	c.standIn()
}

func (c *collecting) come(round int) {
	c.newest = max(c.newest, round)
	if round == c.of && (c.round == round || c.round == round-1) {
		c.enter(round)
	}
	c.standIn()
}

func (c *collecting) standIn() {
	if c.begun && c.round == c.of && c.newest > c.of+1 {
		c.enter(c.newest)
	}
}

func (c *collecting) enter(round int) {
	if c.entered == -2 {
		c.entered = round
	}
}

// What is told of a value is so in whatever order the events of an instant happened that may have been its order; and
// where that is known, it is told.
func TestView_StoodInInEveryOrder(t *testing.T) {
	g, err := sim.NewGraph(2, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	published := []int64{10, 20, 30, 40}
	told, all := map[string]int{}, map[string]int{}
	for _, of := range []int{0, 1, 2} { // the round that is collected, until the next is published
		until := published[of+1]
		for _, c := range []struct {
			name     string
			shuffled bool
			late     int64 // node 0 is up at that time, and does before all else what it would have done
		}{{"ordered", false, -1}, {"shuffled", true, -1}, {"late", false, published[of]}, {"late before", false,
			published[max(of-1, 0)]}} {
			var faults *Interruptions
			if c.late >= 0 {
				faults = &Interruptions{Began: func(int, int) (int64, bool) { return until, true },
					In: func(_ int, from, to int64) bool { return from <= c.late && c.late <= to }}
			}
			public := &model.Public{Run: model.Run{Graph: g, D: 1, Rounds: 9, Timing: model.Timing{Barrier: true,
				Deadline: sim.Duration(until - published[of]), Shuffled: c.shuffled}}}
			eachArrivals(published[max(of-1, 0)], published[of], until, of, func(came [][2]int64) {
				rec := new(Recording)
				add := func(src, dst int32, round, sent, received int64) {
					rec.Messages = append(rec.Messages, record.Message{ID: uint64(len(rec.Messages)), Src: src,
						Dst: dst, Round: int32(round), SentNS: sent, ReceivedNS: received, Kind: record.MessageValue})
				}
				for round, at := range published {
					add(0, 1, int64(round), at, at+5)
				}
				for _, m := range came {
					add(1, 0, m[1], m[0]-5, m[0])
				}
				v := Observe(rec, Vantage{}, public, nil)
				v.faults = faults
				got, err := v.stoodIn(0, 1, of+1, until)
				possible := outcomes(published, of, came, c.shuffled, func(round int) bool {
					return round == 0 || published[round] == c.late
				})
				all[c.name]++
				if err == nil {
					told[c.name]++
					if len(possible) != 1 || !possible[got] {
						t.Errorf("%s, round %d collected, values came at, of round: %v: told that of round %d; "+
							"possible: %v", c.name, of, came, got, possible)
					}
				} else if len(possible) == 1 && c.name == "ordered" {
					t.Errorf("%s, round %d collected, values came at, of round: %v: %v; that of round %v entered",
						c.name, of, came, err, possible)
				}
			})
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	t.Logf("told %v of %v", told, all)
}

// eachArrivals calls do with up to three values that come around the instants.
func eachArrivals(early, since, until int64, of int, do func(came [][2]int64)) {
	var one [][2]int64
	for _, at := range []int64{early - 1, early, (early + since) / 2, since, (since + until) / 2, until, until + 1} {
		if of <= 1 && at < early {
			continue // it has not joined, and nothing comes
		}
		for round := max(of-1, 0); round <= of+3; round++ {
			if m := [2]int64{at, int64(round)}; len(one) == 0 || one[len(one)-1][0] <= at {
				one = append(one, m)
			}
		}
	}
	do(nil)
	for _, a := range one {
		do([][2]int64{a})
		for _, b := range one {
			if b[0] < a[0] {
				continue
			}
			do([][2]int64{a, b})
			for _, c := range one {
				if c[0] >= b[0] {
					do([][2]int64{a, b, c})
				}
			}
		}
	}
}

// outcomes are the rounds of the values that may have entered the update after the round of, by all orders in which the
// events of an instant may have happened: any, or values as they came and what the node does after them, or first.
func outcomes(published []int64, of int, came [][2]int64, shuffled bool, first func(round int) bool) map[int]bool {
	possible := map[int]bool{}
	type event = func(c *collecting)
	var instants [][][]event // by instant, the orders of its events
	for at := published[0] - 1; at <= published[of+1]; at++ {
		var events []event
		for _, m := range came {
			if m[0] == at {
				events = append(events, func(c *collecting) { c.come(int(m[1])) })
			}
		}
		orders := [][]event{events}
		if round := slices.Index(published, at); round >= 0 {
			publishes := event(func(c *collecting) { c.publish(round) })
			if round == of+1 {
				publishes = func(c *collecting) {
					c.enter(c.newest) // its patience has ended
					possible[c.entered] = true
				}
			}
			if orders = [][]event{append(slices.Clone(events), publishes)}; first(round) {
				orders = append(orders, append([]event{publishes}, events...))
			}
		}
		if shuffled {
			orders = permutations(orders[0])
		}
		instants = append(instants, orders)
	}
	var from func(c collecting, instants [][][]event)
	from = func(c collecting, instants [][][]event) {
		if len(instants) == 0 {
			return
		}
		for _, order := range instants[0] {
			d := c
			for _, happen := range order {
				happen(&d)
			}
			from(d, instants[1:])
		}
	}
	from(collecting{newest: model.Start, entered: -2, of: of}, instants)
	return possible
}

func permutations[T any](of []T) (all [][]T) {
	if len(of) == 0 {
		return [][]T{nil}
	}
	for k := range of {
		rest := slices.Delete(slices.Clone(of), k, k+1)
		for _, p := range permutations(rest) {
			all = append(all, append([]T{of[k]}, p...))
		}
	}
	return all
}

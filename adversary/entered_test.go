// What entered a first update for one who has some packets, and knows that others may have escaped, by cases.

package adversary

import (
	"math"
	"slices"
	"testing"

	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/parameter"
	"overhear/record"
	"overhear/sim"
)

// Node 0 has the neighbour 1, who has the neighbours 0, 2 and 3. A packet takes 10 at least and an update 4, so that no
// value of round 1 of node 1 reaches node 0 before 24. Node 0 publishes its value of round 1, and what entered that is
// told only where nothing but starts of zero can have, or where it was seen.
func TestView_WhatEnteredByAFewPackets(t *testing.T) {
	g, err := sim.NewGraph(4, [][2]int{{0, 1}, {1, 2}, {1, 3}})
	if err != nil {
		t.Fatal(err)
	}
	const untold = -2
	never := sim.Duration(math.MaxInt64)
	type packet struct{ src, dst, round, sent, came int64 }
	own := func(at int64) packet { return packet{0, 1, 1, at, at + 10} }
	for name, c := range map[string]struct {
		packets []packet
		change  func(p *model.Public, rec *Recording)
		want    int
	}{
		"its own value, before any other can have come":  {[]packet{own(27)}, nil, model.Start},
		"its own value, when another can have come":      {[]packet{own(28)}, nil, untold},
		"no value of its own":                            {[]packet{{1, 0, 1, 90, 99}}, nil, untold},
		"an answer with its value, sent again":           {[]packet{own(27), own(80)}, nil, model.Start},
		"its value, after a quorum of two":               {[]packet{own(27)}, quorum(0.6), model.Start},
		"its value, where one neighbour is soon":         {[]packet{own(25)}, soon(1), untold},
		"and two must be heard":                          {[]packet{own(25)}, both(soon(1), quorum(0.6)), model.Start},
		"its value, where nodes need hear nobody":        {[]packet{own(27)}, quorum(0), untold},
		"its value, where nodes wait for 9 only":         {[]packet{own(27)}, timeout(9), untold},
		"its value, where half of the deadline is 9":     {[]packet{own(27)}, deadline(18), untold},
		"its value, where rounds touch no data":          {[]packet{own(25)}, idle, untold},
		"its value, where nothing is known of the times": {[]packet{own(27)}, untimed, untold},
		"its value, where nodes may be down or slow":     {[]packet{own(27)}, faulty, model.Start},
		"its value, where starts are drawn":              {[]packet{own(27)}, drawn, untold},
		"its value, where the start was a lie":           {[]packet{own(27)}, lie(0, 3), untold},
		"its value, where the start was told as it was":  {[]packet{own(27)}, lie(0, 0), model.Start},
		"its value, where a later value was a lie":       {[]packet{own(27)}, lie(1, 3), model.Start},
		"the other's value, sent later":                  {[]packet{own(50), {1, 2, 1, 37, 60}}, nil, model.Start},
		"sent too early for that":                        {[]packet{own(50), {1, 2, 1, 36, 60}}, nil, untold},
		"the other's next value, sent later":             {[]packet{own(50), {1, 2, 2, 37, 60}}, nil, untold},
		"sent later, or again":                           {[]packet{own(50), {1, 2, 1, 37, 60}}, asked(30), untold},
		"sent later, twice at once, so that it is no answer": {[]packet{own(50), {1, 2, 1, 37, 60}, {1, 3, 1, 37, 70}},
			asked(30), model.Start},
		"sent later, and nobody can have asked by then": {[]packet{own(50), {1, 2, 1, 37, 60}}, asked(38), model.Start},
		"sent later, or again for a lost memory":        {[]packet{own(50), {1, 2, 1, 37, 60}}, restart, untold},
		"it came later, and the next was sent later": {[]packet{own(50), {1, 0, 1, 20, 47}, {1, 3, 2, 37, 60}}, nil,
			model.Start},
		"it came later, or again, and the next was sent later": {[]packet{own(50), {1, 0, 1, 20, 47}, {1, 3, 2, 37, 60},
			{1, 2, 2, 37, 60}}, asked(30), untold},
		"it came later, and others may not have": {[]packet{own(50), {1, 0, 1, 20, 47}}, nil, untold},
		"it came while node 0 may have worked": {[]packet{own(50), {1, 0, 1, 20, 46}, {1, 3, 2, 37, 60}}, nil,
			untold},
		"it came before, and the next was sent later": {[]packet{own(50), {1, 0, 1, 20, 43}, {1, 3, 2, 37, 60}}, nil,
			1},
		"it came when the update may have begun": {[]packet{own(50), {1, 0, 1, 20, 44}, {1, 3, 2, 37, 60}}, nil,
			untold},
		"sent later, in two copies, or again": {[]packet{own(50), {1, 2, 1, 37, 60}, {1, 2, 1, 37, 61}}, asked(30),
			untold},
		"it came later, when it can have been asked for again": {[]packet{own(50), {1, 0, 1, 49, 60}, {1, 2, 2, 60, 70},
			{1, 3, 2, 60, 70}}, asked(48), untold},
		"it came later, when nobody can have asked": {[]packet{own(50), {1, 0, 1, 49, 60}, {1, 2, 2, 60, 70},
			{1, 3, 2, 60, 70}}, asked(50), model.Start},
		"it came before, where nodes may be down": {[]packet{own(50), {1, 0, 1, 20, 44}, {1, 3, 2, 37, 60}}, faulty,
			untold},
	} {
		run := model.Run{Graph: g, D: 1, Rounds: 5, R: make([]float64, 4), Zero: true, Timing: model.Timing{
			Trigger: parameter.Trigger{Quorum: 0.3}, Slowest: 6, Fastest: []sim.Duration{4, 4, 4, 4},
			Transit: slices.Repeat([]sim.Duration{10}, g.Links()), Unasked: never}}
		rec := new(Recording)
		for k, p := range c.packets {
			rec.Messages = append(rec.Messages, record.Message{ID: uint64(k), Src: int32(p.src), Dst: int32(p.dst),
				Round: int32(p.round), SentNS: p.sent, ReceivedNS: p.came, Kind: record.MessageValue})
		}
		public := known(t, "admm", algorithms.ADMM{Eta: 1}, run)
		if c.change != nil {
			c.change(public, rec)
		}
		got := untold
		is, err := Observe(rec, Vantage{Partial: true}, public, nil).Inputs(0, 1)
		if err == nil {
			got = is[0]
		}
		if got != c.want {
			t.Errorf("%s: the value of round %d, want %d (%v)", name, got, c.want, err)
		}
	}
}

// resting touches no data.
type resting struct{ model.NodeDual }

func (resting) Step(*model.Public, int, int, int) model.Step { return model.Step{Idle: true} }

func quorum(share float64) func(*model.Public, *Recording) {
	return func(p *model.Public, _ *Recording) { p.Timing.Trigger.Quorum = share }
}

func timeout(d sim.Duration) func(*model.Public, *Recording) {
	return func(p *model.Public, _ *Recording) { p.Timing.Trigger.Timeout = d }
}

func deadline(d sim.Duration) func(*model.Public, *Recording) {
	return func(p *model.Public, _ *Recording) { p.Timing.Deadline = d }
}

// soon has packets to node 1 from node 2 take less.
func soon(d sim.Duration) func(*model.Public, *Recording) {
	return func(p *model.Public, _ *Recording) { p.Timing.Transit[p.Graph.Link(2, 1)] = d }
}

func asked(from sim.Duration) func(*model.Public, *Recording) {
	return func(p *model.Public, _ *Recording) { p.Timing.Unasked = from }
}

func lie(round int32, x float64) func(*model.Public, *Recording) {
	return func(_ *model.Public, rec *Recording) {
		rec.Lies = []record.Lie{{Node: 1, To: 0, Round: round, Values: []float64{x}}}
		rec.Messages = append(rec.Messages, record.Message{ID: 99, Src: 1, Dst: 0, Round: round, ReceivedNS: 200,
			Kind: record.MessageValue})
	}
}

func both(a, b func(*model.Public, *Recording)) func(*model.Public, *Recording) {
	return func(p *model.Public, rec *Recording) { a(p, rec); b(p, rec) }
}

func idle(p *model.Public, _ *Recording)    { p.Method = resting{p.Method.(model.NodeDual)} }
func untimed(p *model.Public, _ *Recording) { p.Timing.Transit, p.Timing.Fastest = nil, nil }
func faulty(p *model.Public, _ *Recording)  { p.Timing.Faulty = true }
func drawn(p *model.Public, _ *Recording)   { p.Zero = false }

func restart(p *model.Public, rec *Recording) {
	faulty(p, rec)
	rec.Restarts = []Restart{{Node: 2, Round: 0, At: 30, Resends: true}}
}

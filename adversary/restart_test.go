// What is known of a node that had lost its memory, by what an observer saw.

package adversary

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/parameter"
	"overhear/record"
	"overhear/sim"
)

// Of a path 0–1–2 node 1 loses its memory after round 1 and goes on at 20 ns. Node 0 had its value of round 1 before;
// node 2 had not, and gets the start in its place.
func TestView_FollowsARestart(t *testing.T) {
	g, err := sim.NewGraph(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	public := &model.Public{Run: model.Run{Graph: g, D: 1, Rounds: 3, Timing: model.Timing{Lockstep: true}}}
	packet := func(kind record.MessageKind, src, dst int32, sent, received int64) record.Message {
		return record.Message{Kind: kind, Src: src, Dst: dst, Round: 1, SentNS: sent, ReceivedNS: received}
	}
	value, request := record.MessageValue, record.MessageRequest
	usual := []record.Message{packet(value, 1, 0, 10, 15), packet(value, 0, 1, 10, 12), packet(request, 1, 0, 21, 24),
		packet(value, 1, 2, 25, 30)}
	before, late, atOnce := packet(value, 1, 2, 10, 28), packet(value, 1, 2, 10, 35), packet(value, 1, 2, 10, 30)
	restart := Restart{Node: 1, Round: 1, At: 20, Resends: true}
	lie := []record.Lie{{Node: 1, To: 2, Round: 1, TimeNS: 25, Values: []float64{7}}}
	const unknown = -2 // that it cannot be told
	for name, c := range map[string]struct {
		w        Vantage
		packets  []record.Message // beside the usual ones
		drop     int              // how many of the usual ones are missing, from the first on
		restarts []Restart        // nil: the one
		lies     []record.Lie
		zero     int // the round of node 1's value that entered node 0's round 2
		two      int // and node 2's
		anew     int // whether node 1 is known to have begun anew
	}{
		"all is seen":              {zero: 1, two: 0, anew: 1},
		"its value came first":     {packets: []record.Message{before}, zero: 1, two: 1, anew: 1},
		"its value came later":     {packets: []record.Message{late}, zero: 1, two: 0, anew: 1},
		"both came at once":        {packets: []record.Message{atOnce}, zero: 1, two: unknown, anew: 1},
		"the other link is tapped": {w: Vantage{Links: [][2]int{{0, 1}}}, zero: 1, two: unknown, anew: 1},
		"its link is tapped":       {w: Vantage{Links: [][2]int{{2, 1}}}, zero: unknown, two: 0, anew: 1},
		"the receiver colludes":    {w: Vantage{Nodes: []int{2}}, zero: unknown, two: 0, anew: 1},
		"the sender colludes":      {w: Vantage{Nodes: []int{1}}, zero: 1, two: 0, anew: 1},
		"more may have escaped":    {w: Vantage{Partial: true}, zero: unknown, two: unknown, anew: 1},
		"packets escape":           {w: Vantage{Miss: 1e-9}, zero: unknown, two: unknown, anew: 1},
		"it came later":            {w: Vantage{From: 2}, zero: unknown, two: unknown, anew: unknown},
		"it came with the round":   {w: Vantage{From: 1}, zero: 1, two: 0, anew: 1},
		"it asks for what had not come": {w: Vantage{Links: [][2]int{{0, 1}}}, drop: 2,
			zero: unknown, two: unknown, anew: unknown},
		"it asks for what had come late": {w: Vantage{Links: [][2]int{{0, 1}}}, drop: 2,
			packets: []record.Message{packet(value, 0, 1, 22, 23)}, zero: unknown, two: unknown, anew: unknown},
		"it lies":                         {lies: lie, zero: 1, two: unknown, anew: 1},
		"it lies, and is not seen to ask": {lies: lie, drop: 3, zero: unknown, two: unknown, anew: unknown},
		"so does the receiver lose its memory, before": {packets: []record.Message{before}, zero: 1, two: 1, anew: 1,
			restarts: []Restart{restart, {Node: 2, Round: 1, At: 26, Resends: true}}},
		"so does the receiver lose its memory, later": {packets: []record.Message{before}, zero: 1, two: 0, anew: 1,
			restarts: []Restart{restart, {Node: 2, Round: 1, At: 29, Resends: true}}},
		"so does the receiver, in the round before": {packets: []record.Message{before}, zero: 1, two: 0, anew: 1,
			restarts: []Restart{restart, {Node: 2, Round: 0, At: 29, Resends: true}}},
		"so does the receiver, twice": {packets: []record.Message{before}, zero: 1, two: 0, anew: 1,
			restarts: []Restart{restart, {Node: 2, Round: 1, At: 27, Resends: true},
				{Node: 2, Round: 1, At: 29, Resends: true}}},
		"so does the receiver, as it comes": {packets: []record.Message{before}, zero: 1, two: 1, anew: 1,
			restarts: []Restart{restart, {Node: 2, Round: 1, At: 28, Resends: true}}},
		"it asks for what came as it went on": {w: Vantage{Links: [][2]int{{0, 1}}}, drop: 2,
			packets: []record.Message{packet(value, 0, 1, 10, 20), packet(request, 1, 0, 21, 24)},
			zero:    unknown, two: unknown, anew: unknown},
		"around a hub": {zero: 1, two: 1, anew: 1, restarts: []Restart{{Node: 1, Round: 1, At: 20}}},
		"not at all":   {zero: 1, two: 1, anew: 0, restarts: []Restart{}},
	} {
		rec := &Recording{Restarts: c.restarts, Lies: c.lies,
			Messages: append(slices.Clone(usual[c.drop:]), c.packets...)}
		if c.restarts == nil {
			rec.Restarts = []Restart{restart}
		}
		for node := range 3 {
			for round := range 4 {
				rec.Iterates = append(rec.Iterates, record.Iterate{Node: int32(node), Round: int32(round),
					Values: []float64{float64(10*node + round)}})
			}
		}
		v := Observe(rec, c.w, public, nil)
		entered := func(node int) int {
			inputs, err := v.Inputs(node, 2)
			if err != nil {
				return unknown
			}
			return inputs[0]
		}
		anew := 0
		if is, err := v.Anew(1, 2); err != nil {
			anew = unknown
		} else if is {
			anew = 1
		}
		if entered(0) != c.zero || entered(2) != c.two || anew != c.anew {
			t.Errorf("%s: of round %d entered node 0, of round %d node 2; anew: %d", name, entered(0), entered(2), anew)
		}
		for _, s := range []struct{ node, round int }{{0, 2}, {2, 2}, {1, 1}, {1, 3}} {
			if is, err := v.Anew(s.node, s.round); (is || err != nil) && len(c.restarts) < 2 {
				t.Errorf("%s: node %d, round %d: %v, %v", name, s.node, s.round, is, err)
			}
		}
		if steady := v.Steady(); steady != map[bool]int{true: 3, false: 1}[len(rec.Restarts) == 0] {
			t.Errorf("%s: steady to round %d", name, steady)
		}
		if start, ok := v.Value(1, 0); two(entered(2), c.lies) && (!ok || start[0] != 10) {
			t.Errorf("%s: its start is %v", name, start)
		}
	}
}

// two says whether node 2 took a start that it can tell.
func two(entered int, lies []record.Lie) bool { return entered == 0 && lies == nil }

// Without lockstep: what a node that lost its memory had heard before does not enter its update, and the start that it
// sends again enters those of others.
func TestView_FollowsARestartWithoutLockstep(t *testing.T) {
	g, err := sim.NewGraph(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	public := &model.Public{Run: model.Run{Graph: g, D: 1, Rounds: 3, Timing: model.Timing{Faulty: true, Slowest: 1,
		Trigger: parameter.Trigger{Quorum: 0.5}}}}
	value := func(src, dst, round int32, sent, received int64) record.Message {
		return record.Message{Kind: record.MessageValue, Src: src, Dst: dst, Round: round, SentNS: sent,
			ReceivedNS: received}
	}
	rec := &Recording{Restarts: []Restart{{Node: 1, Round: 1, At: 8, Resends: true}}, Messages: []record.Message{
		value(0, 1, 0, 0, 5), value(2, 1, 0, 0, 9), value(1, 0, 0, 0, -1), value(1, 2, 0, 0, 3), value(2, 1, 1, 4, 45),
		value(1, 0, 1, 6, -1), value(1, 2, 1, 6, 20), value(1, 0, 1, 8, 11), value(1, 2, 1, 8, 30),
		value(1, 0, 2, 10, 40), value(0, 1, 1, 12, 41)}}
	again := &Recording{Restarts: rec.Restarts, Messages: rec.Messages[7:8]}
	if at, ok := Observe(again, Vantage{}, public, nil).published(1, 1); ok {
		t.Errorf("round 1 was published at %d, when its start was sent", at)
	}
	for name, c := range map[string]struct {
		lies []record.Lie
		want string // of rounds 1 and 2 of node 1, and round 1 of the others
	}{
		"nobody lies": {nil, "[0 -1] unknown [0] [0]"},
		"it lies": {[]record.Lie{{Node: 1, To: 0, Round: 1, TimeNS: 8, Values: []float64{7}}},
			"[0 -1] unknown unknown [0]"},
	} {
		rec.Lies = c.lies
		v := Observe(rec, Vantage{}, public, nil)
		told := func(node, round int) string {
			inputs, err := v.Inputs(node, round)
			if err != nil {
				return "unknown"
			}
			return fmt.Sprint(inputs)
		}
		if got := strings.Join([]string{told(1, 1), told(1, 2), told(0, 1), told(2, 1)}, " "); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

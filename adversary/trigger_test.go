// What enters updates at the end of an outage, by cases.

package adversary

import (
	"slices"
	"testing"

	"overhear/adversary/model"
	"overhear/parameter"
	"overhear/record"
	"overhear/sim"
)

// outage is the clock of nodes whose updates take 2 ns, and of which node 0 is down from 10 to 20.
type outage struct{}

func (outage) Took(int, int, int64) sim.Duration { return 2 }

func (outage) Due(node int, at int64) (when int64, held, happens bool) {
	if node == 0 && at >= 10 && at < 20 {
		return 20, true, true
	}
	return at, false, true
}

// What falls due while a node is down happens as it is up again, before values that arrive at that instant: neither the
// update that follows an update, nor one that follows a timeout, has those.
func TestRule_TheEndOfAnOutageGoesBeforeArrivals(t *testing.T) {
	g, err := sim.NewGraph(3, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		trigger   parameter.Trigger
		published []int64
		arrivals  [][3]int64 // neighbour, round, when
		want      []int      // of the last update
	}{
		"an update ends": {parameter.Trigger{Quorum: 0.5}, []int64{0, 20, 22},
			[][3]int64{{1, 0, 9}, {2, 0, 9}, {1, 1, 20}}, []int{0, 0}},
		"an update ended": {parameter.Trigger{Quorum: 0.5}, []int64{0, 9, 24},
			[][3]int64{{1, 0, 7}, {1, 1, 22}}, []int{1, model.Start}},
		"a timeout": {parameter.Trigger{Quorum: 1, Timeout: 12}, []int64{0, 22},
			[][3]int64{{1, 0, 20}}, []int{model.Start, model.Start}},
		"a timeout, earlier": {parameter.Trigger{Quorum: 1, Timeout: 8}, []int64{0, 20},
			[][3]int64{{1, 0, 8}}, []int{0, model.Start}},
	} {
		var all []record.Message
		add := func(src, dst int32, round, sent, received int64) {
			all = append(all, record.Message{ID: uint64(len(all)), Src: src, Dst: dst, Round: int32(round),
				SentNS: sent, ReceivedNS: received, Kind: record.MessageValue})
		}
		for round, at := range c.published {
			add(0, 1, int64(round), at, at+1)
		}
		for _, a := range c.arrivals {
			add(int32(a[0]), 0, a[1], a[2]-1, a[2])
		}
		public := &model.Public{Run: model.Run{Graph: g, D: 1, Rounds: 9, Timing: model.Timing{Faulty: true,
			Trigger: c.trigger}}}
		got, err := Attested(public, nil, all, outage{}, nil).Inputs(0, len(c.published)-1)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v (%v)", name, got, c.want, err)
		}
	}
}

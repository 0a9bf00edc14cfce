// Nodes without lockstep that wait for one that is gone.

package algorithms

import (
	"fmt"
	"strings"
	"testing"

	"overhear/parameter"
	"overhear/sim"
)

// Those who wait for a neighbour that itself waits for one that has left, of which the word
// is lost, go on too: nobody's deadline stops the run, wherever on the path they are, however
// lossy it is.
func TestAsynchronous_ALostLeaveStopsNobodyBehind(t *testing.T) {
	f := newFixture(6, 5, 2, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}})
	for _, trigger := range []parameter.Trigger{
		{Quorum: 1, Timeout: 5e6, Staleness: 1}, {Quorum: 1, Staleness: 2}, {Quorum: 1},
		{Quorum: 0.5, Timeout: 20e6, Staleness: 1},
	} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprintf("%+v, %d", trigger, seed), func(t *testing.T) {
				r := freely(t, f, "admm", 20, func(p *ADMM) { p.Eta = 0.3 })
				r.Trigger, r.Retry, r.Deadline = &trigger, 7e6, 200e6
				r.config.Seed, r.config.Link.Loss = seed, 0.35
				r.config.Faults = sim.FaultPlan{{At: 20e6, Kind: sim.BadLink{Link: [2]int{4, 5}, Loss: 1}},
					{At: 20.1e6, Kind: sim.Leave{Node: 5}}}
				if err := r.run(t); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// Where nodes ask seldom, they still ask and look before the deadline passes: a node goes on
// in time for those who wait for it.
func TestAsynchronous_LooksBeforeTheDeadline(t *testing.T) {
	f := newFixture(3, 5, 2, [][2]int{{0, 1}, {1, 2}})
	for trigger, from := range map[parameter.Trigger]sim.Time{
		{Quorum: 1}: 100e6,
		{Quorum: 1, Timeout: 150e6, Staleness: 1}: 250e6, // after one round without a quorum
	} {
		r := freely(t, f, "admm", 20, func(p *ADMM) { p.Eta = 0.3 })
		r.Trigger, r.Retry, r.Deadline = &trigger, 150e6, 200e6
		r.config.Faults = sim.FaultPlan{{At: 5.1e6, Kind: sim.Crash{Node: 2}}}
		if err := r.run(t); err != nil {
			t.Fatalf("%+v: %v", trigger, err)
		}
		silences := r.protocol.Activity().Silences
		if len(silences) != 1 || silences[0].Node != 1 || silences[0].Neighbour != 2 ||
			silences[0].At < from || silences[0].At > from+10e6 {
			t.Errorf("%+v: %v", trigger, silences)
		}
	}
}

// One that leaves before it is ever heard is noticed, too, by who has heard others. Where
// nobody was ever heard, it is the network, and the run fails.
func TestAsynchronous_ANodeLeavesBeforeItIsHeard(t *testing.T) {
	f := newFixture(3, 5, 2, [][2]int{{0, 1}, {1, 2}})
	one := 1.0
	for name, c := range map[string]struct {
		mute [][2]int
		says string
	}{
		"one is never heard":   {[][2]int{{1, 2}}, ""},
		"nobody is ever heard": {[][2]int{{0, 1}, {1, 2}}, "no progress for 100ms"},
	} {
		r := freely(t, f, "admm", 20, func(p *ADMM) { p.Eta = 0.3 })
		r.Trigger, r.Retry, r.Deadline = &parameter.Trigger{Quorum: 1}, 7e6, 100e6
		for _, link := range c.mute {
			r.config.Overrides = append(r.config.Overrides, sim.Override{Between: link, Loss: &one})
		}
		r.config.Faults = sim.FaultPlan{{At: 0.1e6, Kind: sim.Leave{Node: 2}}}
		err := r.run(t)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

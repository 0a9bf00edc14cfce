// What is kept of packets, and which misfit is the first.

package evaluation

import (
	"math"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/record"
	"overhear/sim"
)

// Copies of a packet are one, a payload that is sent again is kept once, and bits tell payloads apart.
func TestWire_KeepsDistinctPayloadsOnce(t *testing.T) {
	c := newWire()
	shared := []float64{1, 2}
	for k, p := range []sim.Packet{
		{ID: 0, To: 1, Kind: algorithms.KindValue, Received: 9, Payload: shared},
		{ID: 0, To: 1, Kind: algorithms.KindValue, Received: 5, Payload: shared},
		{ID: 1, To: 2, Kind: algorithms.KindValue, Received: -1, Payload: shared},
		{ID: 2, To: 2, Kind: algorithms.KindValue, Received: 7, Payload: []float64{0, 2}},
		{ID: 3, To: 2, Kind: algorithms.KindValue, Received: 7, Payload: []float64{math.Copysign(0, -1), 2}},
		{ID: 4, To: 2, Kind: algorithms.KindValue, Received: 7, Payload: []float64{1, 2}},
		{ID: 5, To: 2, Kind: algorithms.KindRequest, Received: 7},
	} {
		c.sent(&p)
		if k == 2 {
			shared[0] = 3 // a payload's memory may be used again
		}
	}
	var numbers []int
	for _, p := range c.packets {
		numbers = append(numbers, p.payload)
	}
	if len(c.packets) != 6 || c.packets[0].received != 5 || c.packets[1].received != -1 || len(c.payloads) != 4 {
		t.Errorf("%d packets, %d payloads: %+v", len(c.packets), len(c.payloads), c.packets)
	}
	for k, want := range []int{0, 0, 1, 2, 0, 3} {
		if numbers[k] != want {
			t.Errorf("the payloads are %v", numbers)
			break
		}
	}
}

// Of misfits the first by time and number is told, whatever the order in which they are found; one without a packet
// comes last.
func TestAccount_NamesTheFirstPacket(t *testing.T) {
	packets := []packet{{id: 7, kind: algorithms.KindValue, sent: 20, round: 2, from: 1},
		{id: 5, kind: algorithms.KindValue, sent: 10, round: 1, from: 2},
		{id: 4, kind: algorithms.KindValue, sent: 10, round: 1, from: 3}}
	a := account{}
	a.misfits(record.NoiseFromStream, nil, "it is missing")
	for i := range packets {
		a.hold(record.NoiseFromStream, 2, 1, 4, &packets[i], func() string { return "off" })
	}
	if !a.hold(record.NoiseFromStream, 0.5, 1, 4, &packets[0], nil) || a.explained() {
		t.Error("what is allowed does not fit, or what is not does")
	}
	if a.hold(record.IdleRounds, math.Inf(1), math.Inf(1), 4, &packets[0], func() string { return "∞" }) {
		t.Error("of numbers that overflow everything is explained")
	}
	if a.hold(record.IdleRounds, math.NaN(), 1, 4, &packets[0], func() string { return "NaN" }) {
		t.Error("NaN fits")
	}
	checks := accounted([2][]*evidence{{{account: account{}}, {account: a}}, {{account: account{}}}})
	if len(checks) != 2 || checks[0].Holds || checks[0].Measured != 4 || checks[0].Finds != 0.25 ||
		!strings.Contains(checks[0].Detail, "4 of 4 values are not; the first: run 1 of world A: value of round 1 "+
			"that node 3 sends node 0 at 10ns (packet 4): off") {
		t.Errorf("%+v", checks)
	}
}

// Where packets may be lost, a time that depends on data is found by a run of the other world with the same seed.
func TestFlaws_TimingWhereThePacketsAreLost(t *testing.T) {
	for _, f := range plantedFlaws() {
		if f.cause != "timing" {
			continue
		}
		right := planted{algorithm: f.algorithm}
		sets := []string{"network.loss=0.1", "network.latency=1us", "adversary.audit.pair={a: [0.5, 0.5, 0.5], " +
			"b: [-0.5, 0.5, 0.5]}"}
		if a := plantedAudit(t, &right, sets...); !a.Stands() {
			t.Errorf("right: %s", failures(a))
		}
		a := plantedAudit(t, &f, sets...)
		text := failures(a)
		if a.Stands() || !strings.Contains(text, "with the same seed it is not so in the other world") {
			t.Errorf("not found: %s", text)
		}
	}
}

// Facts about links: what loses, doubles and delays a packet, and for which links
// an exception holds.

package sim

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// packets runs a beacon on node 0 of a graph and returns its packets.
func packets(t *testing.T, cfg Config, at ...Duration) []Packet {
	t.Helper()
	var all []Packet
	cfg.Sent = func(p *Packet) { all = append(all, *p) }
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.Attach(0, beacon(at...))
	for i := 1; i < cfg.Graph.Order(); i++ {
		e.Attach(i, silent{})
	}
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return all
}

// A constant latency does not keep a link from losing and doubling.
func TestLink_ConstantLatencyLosesAndDoubles(t *testing.T) {
	at := make([]Duration, 400)
	for k := range at {
		at[k] = Duration(k) * ms
	}
	g := complete(t, 2)
	constant := Latency{Value: 5 * ms}
	lost := 0
	for _, p := range packets(t, Config{Graph: g, Link: Link{Latency: constant, Loss: 0.5}}, at...) {
		if p.Received < 0 {
			lost++
		} else if p.Received != p.Sent+5e6 {
			t.Fatalf("a packet sent at %v arrives at %v", p.Sent, p.Received)
		}
	}
	if lost < 160 || lost > 240 { // four standard deviations
		t.Errorf("%d packets of 400 are lost, want about half", lost)
	}
	for _, latency := range []Latency{constant, {}} {
		doubled := packets(t, Config{Graph: g, Link: Link{Latency: latency, Duplication: 1}}, at...)
		if len(doubled) != 800 {
			t.Errorf("latency %v: %d copies of 400 packets", latency.Value, len(doubled))
		}
		for _, p := range doubled {
			if p.Received != p.Sent+Time(latency.Value) {
				t.Fatalf("a copy sent at %v arrives at %v", p.Sent, p.Received)
			}
		}
	}
}

// A packet is lost if its uniform number is below the probability, and not if it
// is equal: probability p loses a share of exactly p of all numbers.
func TestLink_ProbabilitiesAreStrict(t *testing.T) {
	g := complete(t, 2)
	seed := NewStream(0, "packets").Uint64()
	u := func(what uint64) float64 { return unit(mix(packetWord(seed, 0, 0) + what)) }
	above := func(x float64) float64 { return math.Nextafter(x, 1) }
	bad := func(loss float64) FaultPlan { return FaultPlan{{Kind: BadLink{Link: [2]int{0, 1}, Loss: loss}}} }
	for name, c := range map[string]struct {
		cfg    Config
		copies int
	}{
		"loss of its number":         {Config{Link: Link{Loss: u(decidesLoss)}}, 1},
		"loss above it":              {Config{Link: Link{Loss: above(u(decidesLoss))}}, 0},
		"fault's loss of its number": {Config{Faults: bad(u(decidesLoss))}, 1},
		"fault's loss above it":      {Config{Faults: bad(above(u(decidesLoss)))}, 0},
		"duplication of its number":  {Config{Link: Link{Duplication: u(decidesDuplication)}}, 1},
		"duplication above it":       {Config{Link: Link{Duplication: above(u(decidesDuplication))}}, 2},
	} {
		c.cfg.Graph = g
		copies := 0
		for _, p := range packets(t, c.cfg, 0) {
			if p.Received >= 0 {
				copies++
			}
		}
		if copies != c.copies {
			t.Errorf("%s: %d copies arrive, want %d", name, copies, c.copies)
		}
	}
}

// An exception holds in both directions of its edge and nowhere else, changes
// only what it gives, and the last of several is in force.
func TestOverride(t *testing.T) {
	star, err := NewGraph(4, [][2]int{{0, 1}, {0, 2}, {0, 3}})
	if err != nil {
		t.Fatal(err)
	}
	latency := func(d Duration) *Latency { return &Latency{Value: d} }
	cfg := Config{
		Graph: star, Header: 100, Link: Link{Latency: Latency{Value: 10 * ms}, Bandwidth: 8e5},
		Overrides: []Override{
			{Between: [2]int{0, 2}, Latency: latency(90 * ms)},
			{Between: [2]int{2, 0}, Latency: latency(30 * ms)},
			{Between: [2]int{0, 3}, Bandwidth: new(Bandwidth(4e5))},
		},
	}
	nodes := make([]*scripted, 4)
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i := range nodes {
		nodes[i] = &scripted{}
		e.Attach(i, nodes[i])
	}
	nodes[0].start = func(env *Env) { env.Broadcast(0, 7, nil) }
	answer := func(env *Env, _ *Message) { env.Send(0, 0, 8, nil) }
	nodes[1].receive, nodes[2].receive, nodes[3].receive = answer, answer, answer
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	// 100 bytes take 1 ms at 800 kbps and 2 ms at 400 kbps.
	expect(t, "ordinary", nodes[1], "0s start", "11ms round 7 of 0")
	expect(t, "later", nodes[2], "0s start", "31ms round 7 of 0")
	expect(t, "narrow", nodes[3], "0s start", "12ms round 7 of 0")
	expect(t, "hub", nodes[0], "0s start", "22ms round 8 of 1", "24ms round 8 of 3", "62ms round 8 of 2")

	cfg.Overrides = []Override{
		{Between: [2]int{0, 1}, Loss: new(1.0)},
		{Between: [2]int{0, 2}, Duplication: new(1.0)},
	}
	got := map[int32][]Time{}
	for _, p := range packets(t, cfg, 0) {
		got[p.To] = append(got[p.To], p.Received)
	}
	for to, want := range map[int32][]Time{1: {-1}, 2: {11e6, 11e6}, 3: {11e6}} {
		if !slices.Equal(got[to], want) {
			t.Errorf("node %d receives at %v, want %v", to, got[to], want)
		}
	}
}

func TestOverride_Mistakes(t *testing.T) {
	path, err := NewGraph(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, between := range [][2]int{{0, 2}, {-1, 0}, {0, -1}, {3, 0}, {0, 3}, {-1, -1}, {3, 3}} {
		_, err := New(Config{Graph: path, Overrides: []Override{{Between: between}}})
		want := fmt.Sprintf("an override is for %d-%d, which is no edge", between[0], between[1])
		if err == nil || err.Error() != want {
			t.Errorf("New says %v, want %s", err, want)
		}
	}
	for want, o := range map[string]Override{
		"link loss must be a probability between 0 and 1, is 1.5":        {Loss: new(1.5)},
		"link duplication must be a probability between 0 and 1, is -1":  {Duplication: new(-1.0)},
		"link value must not be negative, is -1ns":                       {Latency: &Latency{Value: -1}},
		"link loss must be a probability between 0 and 1, is 1.0000001":  {Loss: new(1.0000001)},
		"link loss must be a probability between 0 and 1, is -1e-300":    {Loss: new(-1e-300)},
		"link duplication must be a probability between 0 and 1, is NaN": {Duplication: new(math.NaN())},
	} {
		o.Between = [2]int{0, 1}
		if _, err := New(Config{Graph: path, Overrides: []Override{o}}); err == nil || err.Error() != want {
			t.Errorf("New says %v, want %s", err, want)
		}
		own := ""
		o.Check(func(field, problem string) { own = "link " + field + " " + problem })
		if o.Latency == nil && own != want {
			t.Errorf("Check says %q, want %s", own, want)
		}
	}
	Override{Between: [2]int{0, 1}, Loss: new(0.0), Duplication: new(1.0)}.Check(func(field, problem string) {
		t.Errorf("a probability of 0 or 1: %s %s", field, problem)
	})
}

func TestOverride_AsManyAsLinksCanName(t *testing.T) {
	const most = 1<<16 - 1
	star, err := Topology{Kind: "star", Nodes: most + 2}.Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []Override
	for i := range most + 1 {
		all = append(all, Override{Between: [2]int{0, i + 1}, Loss: new(float64(i) / most / 2)})
	}
	e, err := New(Config{Graph: star, Overrides: all[:most]})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{1, 2, most} {
		if got := e.models[e.model[star.Link(0, i)]].Loss; got != *all[i-1].Loss {
			t.Errorf("the link to %d loses %v, want %v", i, got, *all[i-1].Loss)
		}
	}
	if got := e.models[e.model[star.Link(0, most+1)]].Loss; got != 0 {
		t.Errorf("a link without an exception loses %v", got)
	}
	_, err = New(Config{Graph: star, Overrides: all})
	if err == nil || !strings.Contains(err.Error(), "65536 overrides are more than 65535") {
		t.Errorf("New says %v", err)
	}
}

// Both directions of an edge are occupied each by its own packets.
func TestLink_CopiesOverASlowLink(t *testing.T) {
	cfg := Config{Graph: complete(t, 2), Link: Link{Latency: Latency{Value: 10 * ms}, Duplication: 1}}
	for factor, want := range map[float64]Time{3: 30e6, 0.5: 5e6} {
		cfg.Faults = FaultPlan{{Kind: BadLink{Link: [2]int{0, 1}, Factor: &factor}}}
		all := packets(t, cfg, 0)
		if len(all) != 2 || all[0].Received != want || all[1].Received != want {
			t.Errorf("factor %v: copies %+v, want two at %v", factor, all, want)
		}
	}
}

// Delays up to a century are as drawn; longer ones are a century.
func TestLatency_IsBounded(t *testing.T) {
	const year = Duration(365 * 24 * 3600 * 1e9)
	for want, x := range map[Duration]float64{99 * year: float64(99 * year), 100 * year: 1e300, 7: 7.9, 0: 0} {
		if got := nanoseconds(x); got != want {
			t.Errorf("%v ns is %v, want %v", x, got, want)
		}
	}
}

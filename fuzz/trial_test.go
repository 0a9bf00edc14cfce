// What is watched while a run goes, on runs made by hand: each invariant breaks just
// where it should, and the conditions that are drawn are over in time.

package fuzz

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/scenarios"
	"overhear/sim"
)

func watched(t *testing.T) *trial {
	t.Helper()
	w, err := newTrial(fuzzedExperiment(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func fuzzedExperiment(t *testing.T, sets ...string) *experiment.Experiment {
	t.Helper()
	s, err := scenarios.Parse("fuzzed.yaml", []byte(fuzzed), sets...)
	if err != nil {
		t.Fatal(err)
	}
	return experiment.New(s, "")
}

func TestTrial_Publications(t *testing.T) {
	type pub struct {
		node, round int
		at          sim.Time
	}
	for name, c := range map[string]struct {
		pubs    []pub
		broken  string
		account string
	}{
		"in order":       {[]pub{{0, 0, 0}, {1, 0, 0}, {1, 1, 5}, {0, 1, 5}, {1, 2, 6}}, "", ""},
		"back in time":   {[]pub{{0, 0, 5}, {1, 0, 4}}, invariantTime, "node 1 publishes round 0 at 4ns"},
		"a round twice":  {[]pub{{0, 0, 0}, {0, 1, 1}, {0, 1, 2}}, invariantOnce, "publishes round 1 after round 1"},
		"a round missed": {[]pub{{0, 0, 0}, {0, 2, 1}}, invariantOnce, "publishes round 2 after round 0"},
		"no start":       {[]pub{{0, 1, 0}}, invariantOnce, "publishes round 1 after round -1"},
		"the first counts": {[]pub{{0, 0, 5}, {0, 1, 4}, {0, 1, 6}}, invariantTime,
			"node 0 publishes round 1 at 4ns, after something that happened at 5ns"},
	} {
		w := watched(t)
		for _, p := range c.pubs {
			w.Published(&algorithms.Publication{Node: p.node, Round: p.round, At: p.at})
		}
		if w.broken != c.broken || !strings.Contains(w.account, c.account) {
			t.Errorf("%s breaks %q (%s), want %q", name, w.broken, w.account, c.broken)
		}
	}
}

func TestTrial_Packets(t *testing.T) {
	for name, c := range map[string]struct {
		packets []sim.Packet
		broken  string
	}{
		"at once":    {[]sim.Packet{{Sent: 5, Received: 5}}, ""},
		"lost":       {[]sim.Packet{{Sent: 5, Received: -1}}, ""},
		"from later": {[]sim.Packet{{Sent: 5, Received: 4}}, invariantTime},
		"at zero":    {[]sim.Packet{{Sent: 5, Received: 0}}, invariantTime},
	} {
		w := watched(t)
		for _, p := range c.packets {
			w.sent(&p)
		}
		if w.broken != c.broken {
			t.Errorf("%s breaks %q (%s), want %q", name, w.broken, w.account, c.broken)
		}
	}
}

// Messages are under way from when they are sent until they arrive; lost ones are not.
func TestTrial_MemoryIsOfMessagesUnderWay(t *testing.T) {
	w := watched(t)
	if want := 64 * (2*w.a.Graph.Size() + 60); w.most != want {
		t.Fatalf("%d messages are allowed, want %d: 64 for each of %d edges' two directions and 60 rows", w.most, want,
			w.a.Graph.Size())
	}
	w.most = 3
	// Arrivals in no order; at 10 the first two have arrived, at that very time too.
	for _, p := range []sim.Packet{{Sent: 1, Received: 12}, {Sent: 1, Received: 10}, {Sent: 2, Received: 4},
		{Sent: 3, Received: -1}, {Sent: 10, Received: 11}, {Sent: 10, Received: 30}, {Sent: 10, Received: -1}} {
		w.sent(&p)
		if w.broken != "" {
			t.Fatalf("%+v breaks %s: %s", p, w.broken, w.account)
		}
	}
	if w.sent(&sim.Packet{Sent: 10, Received: 20}); w.broken != invariantMemory ||
		!strings.Contains(w.account, "4 messages are under way at 10ns") {
		t.Errorf("a fourth message breaks %q: %s", w.broken, w.account)
	}
}

// The distance is the worst node's, relative to the optimum's norm.
func TestTrial_Distance(t *testing.T) {
	w := watched(t)
	o, err := w.a.Problem.Centralised()
	if err != nil {
		t.Fatal(err)
	}
	norm := math.Hypot(o.F[0], o.F[1])
	if len(o.F) == 3 {
		norm = math.Hypot(norm, o.F[2])
	}
	for i := range w.final {
		w.final[i] = slices.Clone(o.F)
	}
	w.final[2][0] += 0.3
	w.final[2][1] += 0.4
	w.final[4][0] -= 0.2
	w.now = 300
	for _, c := range []struct {
		faults []sim.Fault
		ok     bool
	}{
		{nil, true}, {[]sim.Fault{{At: 10, Until: 100}}, true}, {[]sim.Fault{{At: 10, Until: 101}}, false},
		{[]sim.Fault{{At: 101}}, false}, {[]sim.Fault{{At: 100}}, true},
	} {
		got, ok := w.distance(c.faults)
		if ok != c.ok || ok && !(math.Abs(got-0.5/norm) <= 1e-12) {
			t.Errorf("after %+v: %v, %v, want %v, %v", c.faults, got, ok, 0.5/norm, c.ok)
		}
	}
	w.a.Method = struct{ algorithms.Method }{w.a.Method}
	if _, ok := w.distance(nil); ok {
		t.Error("a method that need not converge is held to it")
	}
}

// What is drawn is over when the span is. A quarter of the seeds keep the latency, half
// of them the loss and half the duplication of the scenario.
func TestDraw_Conditions(t *testing.T) {
	e := fuzzedExperiment(t, "network.loss=0.45", "network.duplication=0.55")
	const span, seeds = sim.Duration(1e9), 2000
	latency, loss, duplication, faults := 0, 0, 0, map[int]int{}
	bandwidth, own, bad := 0, 0, 0
	for seed := range uint64(seeds) {
		graph, _, err := e.Network.Lay(seed)
		if err != nil {
			t.Fatal(err)
		}
		w := draw(e, seed, span, graph)
		if again := draw(e, seed, span, graph); !reflect.DeepEqual(w, again) {
			t.Fatalf("seed %d draws %+v, then %+v", seed, w, again)
		}
		if w.link.Bandwidth > 0 {
			bandwidth++
		}
		own += len(w.links)
		for _, o := range w.links {
			o.Check(func(field, problem string) { t.Errorf("seed %d: %+v: %s %s", seed, o, field, problem) })
		}
		for _, f := range w.faults {
			if l, ok := f.Kind.(sim.BadLink); ok && f.At == 0 && f.Until == span && l.Loss > 0 {
				bad++
			}
			f.Check(func(field, problem string) { t.Errorf("seed %d: %+v: %s %s", seed, f, field, problem) })
			if f.At < 0 || max(f.At, f.Until) > span {
				t.Errorf("seed %d: a fault of %v to %v", seed, f.At, f.Until)
			}
		}
		faults[len(w.faults)]++
		for _, of := range []struct {
			kept  *int
			same  bool
			right bool
		}{
			{&latency, reflect.DeepEqual(w.link.Latency, e.Network.Latency), true},
			{&loss, w.link.Loss == 0.45, w.link.Loss >= 0 && w.link.Loss < 0.4},
			{&duplication, w.link.Duplication == 0.55, w.link.Duplication >= 0 && w.link.Duplication < 0.5},
		} {
			if of.same {
				*of.kept++
			} else if !of.right {
				t.Errorf("seed %d: links %+v", seed, w.link)
			}
		}
	}
	// Five standard deviations are 97 and 112.
	if abs(latency-seeds/4) > 97 || abs(loss-seeds/2) > 112 || abs(duplication-seeds/2) > 112 {
		t.Errorf("of %d seeds, %d keep the latency, %d the loss, %d the duplication", seeds, latency, loss, duplication)
	}
	if len(faults) < 8 || faults[0] < 40 || bandwidth < seeds/4 || own < seeds/4 || bad < seeds/3 {
		t.Errorf("so many faults are drawn, so often: %v; bandwidth %d times, a link of its own %d times, one that is "+
			"bad all the time %d times", faults, bandwidth, own, bad)
	}
}

func abs(n int) int { return max(n, -n) }

// failing is a method that breaks off in a round.
type failing struct {
	algorithms.EdgeADMM
	round int
}

func (m failing) Update(n *algorithms.Node, t int) error {
	if t == m.round {
		return errors.New("the disk is full")
	}
	return m.EdgeADMM.Update(n, t)
}

// A run that fails breaks the first invariant, whatever the conditions: nothing but
// the seed is left of them.
func TestFuzz_ARunThatFails(t *testing.T) {
	calm := true
	flaw := func(m algorithms.Method) algorithms.Method {
		f := failing{m.(algorithms.EdgeADMM), 20}
		if calm { // the run without faults, which says how long the search's may take
			f.round, calm = -1, false
		}
		return f
	}
	found := search(t, 6, flaw)
	if len(found) != 6 {
		t.Fatalf("%d of 6 runs were found", len(found))
	}
	for k, f := range found {
		if f.Seed != uint64(firstSeed+k) || f.Invariant != invariantEnds ||
			!strings.Contains(f.Account, "the disk is full") {
			t.Errorf("%+v", f)
		}
		want := []string{"network.latency={kind: constant, value: 5ms}", "network.loss=0", "network.duplication=0"}
		if !slices.Equal(f.Sets, want) || f.Scenario.Network.Faults != nil || f.Scenario.Seeds.First != f.Seed ||
			f.Scenario.Seeds.Count != 1 {
			t.Errorf("%v are left of the conditions, want %v; scenario %+v", f.Sets, want, f.Scenario.Seeds)
		}
	}
}

func TestFuzz_SaysWhatItCannotSearch(t *testing.T) {
	stopped, stop := context.WithCancel(context.Background())
	stop()
	o := Options{Runs: 2, First: 1, Distance: DefaultDistance}
	for name, c := range map[string]struct {
		ctx  context.Context
		e    *experiment.Experiment
		says string
	}{
		"a graph that cannot be": {context.Background(),
			fuzzedExperiment(t, "network.topology={kind: ring, nodes: 90}"), "without faults"},
		"stopped": {stopped, fuzzedExperiment(t), "canceled"},
	} {
		if found, err := Run(c.ctx, c.e, o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v, want %q", name, found, err, c.says)
		}
		if trouble, err := Check(c.ctx, c.e, 1, 1); err == nil ||
			name != "a graph that cannot be" && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: checking: %v, %v, want %q", name, trouble, err, c.says)
		}
	}
}

// The search tells how far it is, once for every run.
func TestFuzz_Progress(t *testing.T) {
	var told []int
	found, err := Run(context.Background(), fuzzedExperiment(t, "rounds.count=20"), Options{Runs: 5, First: 3,
		Distance: math.Inf(1), Workers: 3, Progress: func(done int) { told = append(told, done) }})
	if err != nil || len(found) != 0 || !slices.Equal(told, []int{1, 2, 3, 4, 5}) {
		t.Errorf("found %v (%v), told %v", found, err, told)
	}
}

// A distance that is just allowed breaks nothing, and one that a run without faults does not
// come within, however long it is, breaks.
func TestCheck_DistanceIsABound(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and other tests run the same code")
	}
	e := fuzzedExperiment(t, "rounds.count=3000")
	w, err := newTrial(e, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.run(context.Background(), 1, sim.Radix); err != nil {
		t.Fatal(err)
	}
	distance, ok := w.distance(nil)
	if !ok || !(distance > 0) {
		t.Fatalf("distance %v, %v", distance, ok)
	}
	for allowed, breaks := range map[float64]bool{distance: false, math.Nextafter(distance, 0): true} {
		trouble, err := Check(context.Background(), e, 1, allowed)
		if err != nil || (trouble != nil) != breaks || breaks && trouble.Invariant != invariantConverge {
			t.Errorf("%v allowed of %v: %+v, %v", allowed, distance, trouble, err)
		}
	}
}

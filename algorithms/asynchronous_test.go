// The asynchronous protocol: equal to rounds in lockstep where nothing is late,
// bounded in what it uses where something is, and right at the end for the method
// that is made for it.

package algorithms

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overhear/parameter"
	"overhear/sim"
)

// free is an asynchronous run of a method, to be changed before it goes.
type free struct {
	assembled
	config sim.Config
	Config
	protocol *asynchronous
	journal  journal
	latest   *lastOf // instead of the journal, if not nil
	engine   *sim.Engine
}

// freely prepares an asynchronous run of a method with default parameters but for
// what set changes.
func freely[P any](t *testing.T, f *fixture, name string, rounds int, set func(*P)) *free {
	t.Helper()
	a := makeMethod(t, f, name, rounds, set)
	r := &free{assembled: a, config: sim.Config{Seed: 1, Workers: 2, Trace: sim.TraceDigest,
		Link: sim.Link{Latency: sim.Latency{Kind: "constant", Value: 1e6}}}}
	r.Config = Config{Setting: a.setting, Method: a.Method, Cost: Cost{Row: 100},
		Trigger: &parameter.Trigger{Quorum: 1}}
	return r
}

// run runs it and returns the error of the engine or the protocol.
func (r *free) run(t *testing.T) error {
	t.Helper()
	r.journal = make(journal, r.Rounds+1)
	for k := range r.journal {
		r.journal[k] = make([]*Publication, r.Graph.Order())
	}
	if r.Observer = r.journal; r.latest != nil {
		r.Observer = r.latest
	}
	protocol, err := NewProtocol(r.Config)
	if err != nil {
		t.Fatal(err)
	}
	r.protocol = protocol.(*asynchronous)
	r.config.Graph = protocol.Graph()
	if r.engine, err = sim.New(r.config); err != nil {
		t.Fatal(err)
	}
	protocol.Attach(r.engine)
	if err := r.engine.Run(context.Background()); err != nil {
		return err
	}
	return protocol.Unfinished()
}

func (r *free) digest(t *testing.T) string {
	t.Helper()
	trace, err := r.engine.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", trace.Digest)
}

// off is how far the nodes' last iterates are from the optimum, relative.
func (r *free) off(t *testing.T) float64 {
	t.Helper()
	o, err := r.Problem.Centralised()
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i := range r.Problem.Shards {
		worst = max(worst, distance(r.journal[r.Rounds][i].Values, o.F)/norm2(o.F))
	}
	return worst
}

// heavy is a network that delays, reorders, duplicates and loses.
func heavy(loss float64) sim.Link {
	return sim.Link{Latency: sim.Latency{Kind: "lognormal", Median: 2e6, Sigma: 1.2}, Loss: loss, Duplication: 0.2}
}

// With equal rows, a constant latency and a quorum of all, every node hears every
// round of every neighbour in time: the run is the synchronous one, bit for bit.
func TestAsynchronous_InTimeIsSynchronous(t *testing.T) {
	f := newFixture(6, 5, 3, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}, {1, 4}})
	const rounds = 15
	for _, e := range Entries() {
		if e.Over == Columns {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			a := makeMethod[struct{}](t, f, e.Name, rounds, nil)
			want := a.run(t, nil, func(s *Config) { s.Cost = Cost{Row: 100} })
			r := freely[struct{}](t, f, e.Name, rounds, nil)
			if err := r.run(t); err != nil {
				t.Fatal(err)
			}
			identical(t, r.journal, want)
			if len(r.protocol.lags) > 1 {
				t.Errorf("lags %v", r.protocol.lags)
			}
		})
	}
}

// Copies, and values that are overtaken, change nothing.
func TestAsynchronous_CopiesChangeNothing(t *testing.T) {
	f := newFixture(5, 5, 3, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}})
	run := func(duplication float64) *free {
		r := freely(t, f, "admm", 30, func(p *ADMM) { p.Eta = 0.3 })
		r.Trigger.Quorum, r.Cost.Jitter = 0.5, 0.9
		r.config.Link.Duplication = duplication
		if err := r.run(t); err != nil {
			t.Fatal(err)
		}
		return r
	}
	identical(t, run(0.9).journal, run(0).journal)
}

// No step uses a value that is more than the bound behind, and every node ends.
func TestAsynchronous_StalenessIsBounded(t *testing.T) {
	f := newFixture(7, 4, 2, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {0, 6}, {1, 5}})
	rapid.Check(t, func(rt *rapid.T) {
		bound := rapid.IntRange(1, 6).Draw(rt, "staleness")
		r := freely(t, f, "admm", 25, func(p *ADMM) { p.Eta = 0.3 })
		r.Trigger = &parameter.Trigger{Quorum: rapid.SampledFrom([]float64{0, 0.3, 0.7, 1}).Draw(rt, "quorum"),
			Staleness: bound, Timeout: 3e6}
		r.config.Seed = rapid.Uint64Range(1, 1000).Draw(rt, "seed")
		r.config.Link = heavy(rapid.SampledFrom([]float64{0, 0.3, 0.6}).Draw(rt, "loss"))
		r.Cost = Cost{Row: 100e3, Jitter: 1, speeds: []float64{1, 20, 0.2, 1, 1, 5, 1}}
		if err := r.run(t); err != nil {
			rt.Fatal(err)
		}
		if len(r.protocol.lags)-1 > bound {
			rt.Errorf("lags %v with a bound of %d", r.protocol.lags, bound)
		}
		for i, n := range r.protocol.Activity().Nodes {
			if n.Rounds != 25 || n.Finished == 0 {
				rt.Errorf("node %d: %+v", i, n)
			}
		}
	})
}

// The same run on other queues, workers and orders of ties.
func TestAsynchronous_Deterministic(t *testing.T) {
	f := newFixture(6, 5, 3, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}})
	run := func(change func(r *free)) *free {
		r := freely(t, f, "dvp", 20, func(p *DVP) { p.Eta = 0.3 })
		r.Trigger = &parameter.Trigger{Quorum: 0.5, Staleness: 3, Timeout: 5e6}
		r.config.Link = heavy(0.3)
		change(r)
		if err := r.run(t); err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := run(func(*free) {})
	for name, change := range map[string]func(r *free){
		"one worker":   func(r *free) { r.config.Workers = 1 },
		"four workers": func(r *free) { r.config.Workers = 4 },
		"a heap":       func(r *free) { r.config.Queue = sim.Heap },
	} {
		if got := run(change); got.digest(t) != want.digest(t) {
			t.Errorf("%s: another digest", name)
		}
	}
}

// lastOf refers to what each node published last, and has copies of all that any published.
type lastOf struct {
	t      *testing.T
	last   [][]float64 // by node
	copies [][][]float64
	places map[*float64]bool // where values were
}

func (l *lastOf) Forgets() bool { return true }

func (l *lastOf) Published(p *Publication) {
	if l.last[p.Node] = p.Values; p.Values != nil {
		l.places[&p.Values[0]] = true
	}
	l.copies[p.Node] = append(l.copies[p.Node], slices.Clone(p.Values))
	for node, values := range l.last {
		if all := l.copies[node]; all != nil && !slices.Equal(values, all[len(all)-1]) {
			l.t.Errorf("what node %d published as its %d. iterate has become %v, and was %v", node, len(all), values,
				all[len(all)-1])
		}
	}
}

func (l *lastOf) Concluded(int, int, []float64) {}

// Where nobody refers to iterates before the latest their memory is used again, and no value is another for it: neither
// of what is computed nor of what was published last, also where steps end in crashes without memory.
func TestAsynchronous_ReusesIterates(t *testing.T) {
	const rounds = 40
	f := newFixture(8, 6, 3, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {0, 7}, {0, 4}})
	for _, c := range []struct {
		workers int
		shared  bool // all neighbours are sent the iterate itself, which they may hold for long
	}{{1, false}, {3, false}, {1, true}, {3, true}} {
		run := func(l *lastOf) *free {
			r := freely(t, f, "edge-admm", rounds, func(p *EdgeADMM) { p.Eta, p.Relaxation = 0.2, 0.5 })
			if c.shared {
				r = freely(t, f, "admm", rounds, func(p *ADMM) { p.Eta = 0.2 })
			}
			r.Trigger = &parameter.Trigger{Quorum: 0.5, Timeout: 10e6}
			r.config.Link, r.config.Workers = heavy(0.3), c.workers
			r.Cost = Cost{Row: 400e3, Jitter: 0.5}
			for k := range 12 {
				at := sim.Duration(5e6 + 7e6*k)
				r.config.Faults = append(r.config.Faults, sim.Fault{At: at, Until: at + 4e6,
					Kind: sim.Crash{Node: k % 8, Memory: []string{"lost", "kept"}[k%3/2]}})
			}
			r.latest = l
			if err := r.run(t); err != nil {
				t.Fatal(err)
			}
			return r
		}
		l := &lastOf{t: t, last: make([][]float64, 8), copies: make([][][]float64, 8), places: map[*float64]bool{}}
		whole, reused := run(nil), run(l)
		if whole.digest(t) != reused.digest(t) {
			t.Errorf("%+v: another digest", c)
		}
		for round, all := range whole.journal {
			for node, p := range all {
				if !slices.ContainsFunc(l.copies[node], func(f []float64) bool { return slices.Equal(f, p.Values) }) {
					t.Errorf("%+v: node %d's iterate of round %d is another", c, node, round)
				}
			}
		}
		if most := 8 * rounds / 2; !c.shared && len(l.places) > most {
			t.Errorf("%+v: iterates were at %d places, at most %d are wanted", c, len(l.places), most)
		}
	}
}

// Edge ADMM reaches the optimum whatever is lost; ADMM with a dual a node does not,
// and its duals no longer sum to zero.
func TestAsynchronous_EdgeConvergesWhereNodeDualsDrift(t *testing.T) {
	f := newFixture(8, 6, 3, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {0, 7}, {0, 4}})
	for seed := range uint64(3) {
		edge := freely(t, f, "edge-admm", 600, func(p *EdgeADMM) { p.Eta, p.Relaxation = 0.2, 0.5 })
		node := freely(t, f, "admm", 600, func(p *ADMM) { p.Eta = 0.2 })
		for _, r := range []*free{edge, node} {
			r.Trigger = &parameter.Trigger{Quorum: 0.5, Timeout: 10e6}
			r.config.Seed, r.config.Link = seed, heavy(0.3)
			r.Cost = Cost{Row: 100e3, Jitter: 0.5, speeds: []float64{1, 2, 0.5, 1, 1, 3, 1, 1}}
			if err := r.run(t); err != nil {
				t.Fatal(err)
			}
		}
		if d := edge.off(t); !(d < 1e-8) {
			t.Errorf("seed %d: edge ADMM ends %.3g from the optimum", seed, d)
		}
		sum := make([]float64, 3)
		for i := range f.rows {
			for k, v := range node.protocol.runners[i].Dual {
				sum[k] += v
			}
		}
		if d := node.off(t); !(d > 1e-3) || !(norm2(sum) > 1e-3) {
			t.Errorf("seed %d: ADMM ends %.3g from the optimum, ‖Σλ‖ = %.3g", seed, d, norm2(sum))
		}
	}
}

// Whatever a node is at, what is asked for ahead comes to an end, and changes nothing: of one that one more message
// makes step, two depths of its own, one of what it has heard, then two of its solve; of others two or three.
func TestAsynchronous_AnticipationEnds(t *testing.T) {
	f := newFixture(4, 3, 8, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}) // few rows, which have an index
	r := freely(t, f, "edge-admm", 5, func(p *EdgeADMM) { p.Eta, p.Relaxation = 0.2, 0.5 })
	r.Trigger = &parameter.Trigger{Quorum: 1}
	if err := r.run(t); err != nil {
		t.Fatal(err)
	}
	n := &r.protocol.runners[0]
	depths := func() (depth int) {
		before := fmt.Sprintf("%+v", *n)
		for n.Anticipate(depth) && depth < 100 {
			depth++
		}
		if after := fmt.Sprintf("%+v", *n); after != before {
			t.Errorf("a node is another: %s, and before %s", after, before)
		}
		return depth
	}
	set := func(done, stepping bool, rounds int32, fresh ...bool) {
		n.done, n.stepping = done, stepping
		for k := range n.links {
			n.links[k].round, n.links[k].fresh = rounds, fresh[k]
		}
	}
	for _, c := range []struct {
		what           string
		done, stepping bool
		fresh          []bool
		round          int32 // 5: the neighbour has ended
		want           int
	}{
		{"has ended", true, false, []bool{true, true}, 3, 1},
		{"steps", false, true, []bool{true, true}, 3, 1},
		{"has heard nobody", false, false, []bool{false, false}, 3, 2},
		{"has heard one", false, false, []bool{false, true}, 3, 4},
		{"has heard all", false, false, []bool{true, true}, 3, 4},
		{"will hear nobody", false, false, []bool{false, false}, 5, 4},
	} {
		set(c.done, c.stepping, c.round, c.fresh...)
		if got := depths(); got != c.want {
			t.Errorf("of a node that %s the last depth is %d, not %d", c.what, got, c.want)
		}
	}
}

// A node that hears nobody steps on timeouts; without one the account says whom it
// waits for.
func TestAsynchronous_SilentNetwork(t *testing.T) {
	f := newFixture(3, 4, 2, [][2]int{{0, 1}, {1, 2}})
	r := freely(t, f, "admm", 4, func(p *ADMM) { p.Eta = 0.3 })
	r.config.Link.Loss = 1
	if err := r.run(t); err == nil || err.Error() != "the run stopped with 3 of 3 nodes unfinished: node 0, in round "+
		"0, has heard too few neighbours since; of node 1 nothing; node 1, in round 0, has heard too few neighbours "+
		"since; of node 0, 2 nothing; node 2, in round 0, has heard too few neighbours since; of node 1 nothing" {
		t.Errorf("without a timeout: %v", err)
	}
	r.Trigger.Timeout = 1e6
	if err := r.run(t); err != nil {
		t.Errorf("with a timeout: %v", err)
	}
	r.Trigger.Staleness, r.Deadline = 2, 50e6
	if err := r.run(t); err == nil {
		t.Error("with bounded staleness it ended without hearing anybody")
	}
}

// Synchronous rounds may go on with stale values where the deadline passes.
func TestSynchronous_UsesStaleValues(t *testing.T) {
	f := newFixture(4, 5, 2, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}})
	a := makeMethod(t, f, "admm", 10, func(p *ADMM) { p.Eta = 0.3 })
	lossy := func(c *sim.Config) {
		c.Link.Loss = 1
		c.Overrides = []sim.Override{{Between: [2]int{0, 1}, Loss: new(float64)},
			{Between: [2]int{1, 2}, Loss: new(float64)}, {Between: [2]int{0, 3}, Loss: new(float64)}}
	}
	j := a.run(t, lossy, func(s *Config) { s.Retry, s.Deadline, s.Missing = 1e6, 5e6, MissingLast })
	for i := range f.rows {
		if j[10][i] == nil {
			t.Errorf("node %d did not end", i)
		}
	}
	// Node 2 never hears 3, whose values count as zero for it: the first step shows it.
	q := make([]float64, 2)
	want := f.exact(2, 2*0.3*2, q)
	if d := distance(j[1][2].Values, want); !(d <= 1e-9) {
		t.Errorf("the first step of node 2 is %g away", d)
	}
}

// heardMethod notes what entered each update of ADMM, by node and round.
type heardMethod struct {
	ADMM
	heard [3][][][]float64
}

func (m *heardMethod) Update(n *Node, t int) error {
	values := make([][]float64, len(n.Heard))
	for k, v := range n.Heard {
		values[k] = slices.Clone(v)
	}
	m.heard[n.ID] = append(m.heard[n.ID], values)
	return m.ADMM.Update(n, t)
}

// A stale value is the last that came, not an earlier one and not zero: node 1 is cut off
// from node 0 from 5.5 ms on.
func TestSynchronous_AStaleValueIsTheLastThatCame(t *testing.T) {
	f := newFixture(3, 5, 2, [][2]int{{0, 1}, {1, 2}})
	m := &heardMethod{ADMM: ADMM{Eta: 0.3}}
	rec, err := f.tryRun(m, 12, func(c *sim.Config) {
		c.Faults = sim.FaultPlan{{At: 5.5e6, Until: 3600e9, Kind: sim.Partition{Groups: [][]int{{0}, {1, 2}}}}}
	}, func(c *Config) { c.Retry, c.Deadline, c.Missing = 1e6, 5e6, MissingLast })
	if err != nil {
		t.Fatal(err)
	}
	of := func(node int, value []float64) int { // the round in which it was published
		return slices.IndexFunc(rec.values, func(round [][]float64) bool { return slices.Equal(round[node], value) })
	}
	last := 0
	for k, values := range m.heard[1] { // of the update of round k+1
		from := of(0, values[0])
		if got := of(2, values[1]); got != k {
			t.Errorf("round %d: of node 2 the value of round %d", k+1, got)
		}
		switch {
		case from == k: // it came
			last = k
		case from != last:
			t.Errorf("round %d: of node 0 the value of round %d, the last that came is that of %d", k+1, from, last)
		}
	}
	if last < 3 || last > 9 {
		t.Errorf("the last that came is of round %d: nothing is shown", last)
	}
}

// Speeds stretch computations and nothing else.
func TestCost_Speeds(t *testing.T) {
	c, err := Cost{Row: 1000, Speeds: []float64{1, 4}}.Of(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := sim.NewStream(1, "compute")
	if a, b := c.of(0, 8, s), c.of(1, 8, s); a != 8000 || b != 2000 {
		t.Errorf("8 rows take %v and %v", a, b)
	}
	if _, err := c.Of(1, 3); err == nil {
		t.Error("two speeds for three nodes")
	}
	c, err = Cost{Row: 1000, Spread: 0.5}.Of(7, 4000)
	if err != nil {
		t.Fatal(err)
	}
	mean, square := 0.0, 0.0
	for _, v := range c.speeds {
		l := math.Log(v)
		mean, square = mean+l/4000, square+l*l/4000
	}
	if !(math.Abs(mean) <= 4*0.5/math.Sqrt(4000)) || !(math.Abs(square-0.25) <= 4*0.25*math.Sqrt(2.0/4000)) {
		t.Errorf("logarithms of speeds have mean %v and square %v", mean, square)
	}
	if d, err := (Cost{Row: 1000, Spread: 0.5}).Of(7, 4000); err != nil || !reflect.DeepEqual(d, c) {
		t.Error("other speeds for the same seed")
	}
}

// Times by a law have its median, whatever the rows; measured ones come as often as they are in the list; classes
// multiply, and what touches no rows takes no time.
func TestCost_Laws(t *testing.T) {
	const draws = 4000
	law := &sim.Latency{Kind: "lognormal", Median: 20e6, Sigma: 0.5}
	c, err := Cost{Row: 1, Law: law, Classes: &sim.Factors{Factors: map[string]float64{"a": 1, "b": 3}}}.Of(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	mean, below := 0.0, 0
	for round := range draws {
		took := c.Took(1, 0, 5, round)
		if mean += math.Log(float64(took)) / draws; took < 20e6 {
			below++
		}
		if again := c.of(0, 999, sim.NewStream(1, "compute", 0, uint64(round))); again != took {
			t.Fatalf("%v with 5 rows, %v with 999", took, again)
		}
		s, u := sim.NewStream(2, "x", uint64(round)), sim.NewStream(2, "x", uint64(round))
		if slow, quick := c.of(1, 5, s), c.of(0, 5, u); slow < 3*quick || slow > 3*quick+2 {
			t.Fatalf("%v in a class of factor 3, %v of factor 1", slow, quick)
		}
	}
	if !(math.Abs(mean-math.Log(20e6)) <= 4*0.5/math.Sqrt(draws)) || !(math.Abs(float64(below)/draws-0.5) <= 0.04) {
		t.Errorf("mean logarithm %v, %d of %d below the median", mean, below, draws)
	}
	if c.Took(1, 0, 0, 1) != 0 || c.Slowest(0, 0) != 0 || c.Slowest(0, 5) != math.MaxInt64 {
		t.Error("an update of no rows takes time, or one by a law without a bound has one")
	}
	c, err = Cost{Measured: &sim.Measured{Values: []sim.Duration{9e6, 1e6, 1e6, 4e6}}}.Of(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[sim.Duration]int{}
	for round := range draws {
		counts[c.Took(1, 0, 5, round)]++
	}
	for d, share := range map[sim.Duration]float64{1e6: 0.5, 4e6: 0.25, 9e6: 0.25} {
		if !(math.Abs(float64(counts[d])/draws-share) <= 4*0.5/math.Sqrt(draws)) {
			t.Errorf("%v comes %d of %d times", d, counts[d], draws)
		}
	}
	if len(counts) != 3 || c.Slowest(0, 5) != 9e6 || c.Usual(5) != 4e6 {
		t.Errorf("%v, at most %v, usually %v", counts, c.Slowest(0, 5), c.Usual(5))
	}
}

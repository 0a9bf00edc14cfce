// Facts about the engine: order, equality of queues, links against closed
// forms, streams against their distributions.

package sim

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Both queues pop the same events in the same, sorted, order.
func TestQueues_SameOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h heap4
		r := new(radix)
		key, now, pending := uint64(0), Time(0), 0
		var popped []event
		var taken *event // where the radix heap has the latest
		var room event
		pop := func() {
			if taken != nil && *taken != popped[len(popped)-1] {
				t.Fatalf("%+v has become %+v while others were pushed", popped[len(popped)-1], *taken)
			}
			var a event
			okA := h.pop(&a)
			taken = r.take(&room)
			if okA != (taken != nil) || okA && a != *taken {
				t.Fatalf("heap pops %+v %v, radix %+v", a, okA, taken)
			}
			if okA {
				pending--
				now = a.at
				popped = append(popped, a)
			}
		}
		for range rapid.IntRange(0, 400).Draw(t, "steps") {
			if rapid.IntRange(0, 9).Draw(t, "push") < 7 {
				span := rapid.SampledFrom([]int64{0, 1, 3, 1000, 1 << 40}).Draw(t, "span")
				key++
				e := event{at: now + Time(rapid.Int64Range(0, span).Draw(t, "delay")), key: mix(key)}
				h.push(&e)
				r.push(&e)
				pending++
			} else {
				pop()
			}
		}
		for pending > 0 {
			pop()
		}
		if !slices.IsSortedFunc(popped, func(a, b event) int {
			return int(a.at - b.at)
		}) {
			t.Fatal("events were popped out of order")
		}
	})
}

// chatter sends to everyone at every wake and computes in between.
type chatter struct {
	left int
	sum  float64 // of what it hears
	work float64 // the job's
}

func (c *chatter) Start(env *Env) { c.Wake(env, 0) }
func (c *chatter) Receive(_ *Env, m *Message) {
	c.sum += m.Payload[0]
}
func (c *chatter) Run(int) { c.work = math.Sqrt(c.work + 1) }
func (c *chatter) Wake(env *Env, _ uint64) {
	c.sum += c.work
	c.work = c.sum
	env.Broadcast(1, c.left, []float64{c.sum, float64(env.Self())})
	if c.left--; c.left > 0 {
		env.Compute(Duration(env.Stream("think", uint64(c.left)).IntN(1e7)), c, 0)
	}
}

func chat(t testing.TB, change func(*Config)) *Trace {
	t.Helper()
	g, err := Topology{Kind: "random-regular", Nodes: 20, Degree: 4}.Build(NewStream(3, "topology"))
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Seed: 5, Graph: g, Workers: 1, Header: 64, Trace: TraceFingerprints, Link: Link{
		Latency: Latency{Kind: "lognormal", Median: 5e6, Sigma: 1}, Bandwidth: 1e7, Loss: 0.1, Duplication: 0.1,
	}}
	if change != nil {
		change(&cfg)
	}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		e.Attach(i, &chatter{left: 30})
	}
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	tr, err := e.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestTrace_SameDigestHoweverItIsRun(t *testing.T) {
	want := chat(t, nil)
	for name, change := range map[string]func(*Config){
		"eight workers": func(c *Config) { c.Workers = 8 },
		"heap":          func(c *Config) { c.Queue = Heap },
		"observed":      func(c *Config) { c.Sent, c.Events = func(*Packet) {}, func(*Event) {} },
		"digest only":   func(c *Config) { c.Trace = TraceDigest },
	} {
		if got := chat(t, change); got.Digest != want.Digest || got.Events != want.Events {
			t.Errorf("%s: another digest", name)
		}
	}
	if got := chat(t, func(c *Config) { c.Seed++ }); got.Digest == want.Digest {
		t.Error("another seed has the same digest")
	}
	if got := chat(t, func(c *Config) { c.Ties = Shuffled }); got.Digest == want.Digest {
		t.Error("shuffled ties have the same digest")
	}
}

// A message without latency does not come before its receiver has started, whichever
// way ties are broken.
func TestStart_ComesBeforeMessages(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		for _, faults := range []FaultPlan{nil, {{Kind: Crash{Node: 3}, At: 0, Until: ms}}} {
			started := 0
			nodes := make([]*scripted, 5)
			for i := range nodes {
				nodes[i] = &scripted{start: func(env *Env) {
					started++
					for j := range nodes {
						if j != i {
							env.Send(j, 0, 0, nil)
						}
					}
				}}
				nodes[i].receive = func(*Env, *Message) {
					if started < 5-len(faults) {
						t.Fatalf("seed %d: a message came after %d starts of 5", seed, started)
					}
				}
			}
			link := Link{Latency: Latency{Kind: "constant"}}
			play(t, Config{Seed: seed, Ties: Shuffled, Faults: faults, Link: link}, nodes...)
		}
	}
}

func TestGoldenEngine(t *testing.T) {
	const want = "8da298afd730f21c401107ebe5200f2a822be0c58203246475ee4772b3173701"
	if got := hexDigest(chat(t, nil)); got != want {
		t.Errorf("digest %s, golden %s", got, want)
	}
}

// A run against another's trace stops at the first event that differs.
func TestTrace_DivergenceIsNamed(t *testing.T) {
	reference := chat(t, nil)
	broken := *reference
	broken.Fingerprints = slices.Clone(reference.Fingerprints)
	broken.Fingerprints[777] ^= 1
	g, _ := Topology{Kind: "random-regular", Nodes: 20, Degree: 4}.Build(NewStream(3, "topology"))
	e, err := New(Config{Seed: 5, Graph: g, Header: 64, Trace: TraceFingerprints, Reference: &broken, Link: Link{
		Latency: Latency{Kind: "lognormal", Median: 5e6, Sigma: 1}, Bandwidth: 1e7, Loss: 0.1, Duplication: 0.1,
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		e.Attach(i, &chatter{left: 30})
	}
	var d *Divergence
	if err := e.Run(context.Background()); !errors.As(err, &d) || d.Number != 777 || !d.Exact {
		t.Errorf("the run parted as %v, want at event 777", err)
	}
}

// An observer of events is told of each of them in order, of a message with what
// the node received.
func TestEvents_AsTheNodesSeeThem(t *testing.T) {
	g, _ := NewGraph(2, [][2]int{{0, 1}})
	var told []string
	var e *Engine
	e, err := New(Config{Graph: g, Link: Link{Latency: Latency{Kind: "constant", Value: 5e6}}, Events: func(h *Event) {
		text := h.String()
		if m := h.Message; m != nil {
			text += fmt.Sprint(", kind ", m.Kind, ", sent at ", m.Sent, ", ", m.Payload)
		}
		if h.Number != uint64(len(told)) || h.At != e.Now() {
			t.Errorf("%s is told at %v as number %d", text, e.Now(), len(told))
		}
		told = append(told, text)
	}})
	if err != nil {
		t.Fatal(err)
	}
	e.Attach(0, &chatter{left: 1})
	e.Attach(1, &once{})
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"event 0, at 0s: start at node 0",
		"event 1, at 0s: start at node 1",
		"event 2, at 5ms: message at node 1, from node 0, round 1, kind 1, sent at 0s, [0 0]",
	}
	if !slices.Equal(told, want) || e.Events() != uint64(len(want)) {
		t.Errorf("told of %d events of %d:\n%s", len(told), e.Events(), strings.Join(told, "\n"))
	}
}

// once sends one packet of 100 numbers to node 1, thrice at time 0.
type once struct{ arrivals []Time }

func (o *once) Start(env *Env) {
	if env.Self() == 0 {
		for range 3 {
			env.Send(1, 0, 0, make([]float64, 100))
		}
	}
}
func (o *once) Receive(env *Env, _ *Message) { o.arrivals = append(o.arrivals, env.Now()) }
func (o *once) Wake(*Env, uint64)            {}

// 8·100 + 200 bytes at 8 Mbps take 1 ms each, one after the other, then 5 ms.
func TestLink_BandwidthOccupiesTheLink(t *testing.T) {
	g, _ := NewGraph(2, [][2]int{{0, 1}})
	e, err := New(Config{Graph: g, Header: 200, Link: Link{Bandwidth: 8e6, Latency: Latency{Value: 5e6}}})
	if err != nil {
		t.Fatal(err)
	}
	a, b := new(once), new(once)
	e.Attach(0, a)
	e.Attach(1, b)
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if want := []Time{6e6, 7e6, 8e6}; !slices.Equal(b.arrivals, want) {
		t.Errorf("arrivals at %v, want %v", b.arrivals, want)
	}
	if e.Bytes() != 3000 || e.Messages() != 3 {
		t.Errorf("%d bytes in %d messages", e.Bytes(), e.Messages())
	}
}

// kolmogorov is the KS distance of a sample from a distribution function.
func kolmogorov(x []float64, cdf func(float64) float64) float64 {
	slices.Sort(x)
	worst := 0.0
	for i, v := range x {
		f := cdf(v)
		worst = max(worst, math.Abs(f-float64(i)/float64(len(x))), math.Abs(f-float64(i+1)/float64(len(x))))
	}
	return worst
}

func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

func TestDistributions(t *testing.T) {
	const n = 40000
	critical := 1.95 / math.Sqrt(n) // one in a thousand
	// A stream for each: the order in which a map is read must not matter.
	from := func(name string) *Stream { return NewStream(11, name) }
	packet := func(l Latency) func() float64 {
		k := uint64(0)
		return func() float64 { k++; return float64(l.law().draw(&l, mix(packetWord(9, 4, k)+decidesDelay))) }
	}
	gamma := func(shape float64) func() float64 {
		s := from(fmt.Sprint("gamma ", shape))
		return func() float64 { return s.Gamma(shape) }
	}
	for name, c := range map[string]struct {
		draw func() float64
		cdf  func(float64) float64
	}{
		"uniform":     {from("uniform").Float64, func(x float64) float64 { return x }},
		"normal":      {from("normal").Normal, normalCDF},
		"exponential": {from("exponential").Exponential, func(x float64) float64 { return 1 - math.Exp(-x) }},
		"gamma 1":     {gamma(1), func(x float64) float64 { return 1 - math.Exp(-x) }},
		"gamma 3":     {gamma(3), func(x float64) float64 { return 1 - math.Exp(-x)*(1+x+x*x/2) }},
		"gamma 1/2":   {gamma(0.5), func(x float64) float64 { return math.Erf(math.Sqrt(x)) }},

		"latency, uniform": {
			packet(Latency{Kind: "uniform", Low: 1e6, High: 3e6}), func(x float64) float64 { return (x - 1e6) / 2e6 },
		},
		"latency, exponential": {
			packet(Latency{Kind: "exponential", Mean: 2e9}), func(x float64) float64 { return 1 - math.Exp(-x/2e9) },
		},
		"latency, lognormal": {
			packet(Latency{Kind: "lognormal", Median: 2e9, Sigma: 0.5}),
			func(x float64) float64 { return normalCDF(math.Log(x/2e9) / 0.5) },
		},
		"latency, pareto": {
			packet(Latency{Kind: "pareto", Scale: 1e9, Shape: 2}),
			func(x float64) float64 { return 1 - math.Pow(1e9/x, 2) },
		},
	} {
		x := make([]float64, n)
		for i := range x {
			x[i] = c.draw()
		}
		if d := kolmogorov(x, c.cdf); !(d <= critical) {
			t.Errorf("%s: KS distance %.4f exceeds %.4f", name, d, critical)
		}
	}
}

// Of 2^64 words a count of 3·2^61 divides all but a quarter: without rejection
// numbers would be unequally likely, by their remainder.
func TestStream_IntNIsUnbiased(t *testing.T) {
	const draws, count = 30000, 3 << 61
	s := NewStream(7, "integers")
	var by [3]int
	for range draws {
		k := s.IntN(count)
		if k < 0 || k >= count {
			t.Fatalf("%d is not below %d", k, count)
		}
		by[k%3]++
	}
	for r, n := range by {
		if sd := math.Sqrt(draws * 2 / 9); !(math.Abs(float64(n)-draws/3) <= 4*sd) {
			t.Errorf("%d of %d numbers have remainder %d", n, draws, r)
		}
	}
	seen := map[int]bool{}
	for range 100 {
		seen[s.IntN(3)] = true
	}
	if len(seen) != 3 || !seen[0] || !seen[1] || !seen[2] {
		t.Errorf("of three numbers %v are drawn", seen)
	}
	for _, n := range []int{0, -1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a number below %d is drawn", n)
				}
			}()
			s.IntN(n)
		}()
	}
	if s.IntN(1) != 0 {
		t.Error("a number below 1 is not 0")
	}
}

// The share of lost and doubled packets, and that loss does not shift latency.
func TestLink_FatesAreIndependent(t *testing.T) {
	g, _ := NewGraph(2, [][2]int{{0, 1}})
	fates := func(loss float64) (lost, doubled int, delays []Duration) {
		e, err := New(Config{Seed: 2, Graph: g, Link: Link{
			Loss: loss, Duplication: 0.3, Latency: Latency{Kind: "exponential", Mean: 1e6},
		}})
		if err != nil {
			t.Fatal(err)
		}
		for k := range uint64(20000) {
			l, first, second := e.draw(&e.models[0], 0, k)
			if l {
				lost++
			}
			if second >= 0 {
				doubled++
			}
			delays = append(delays, first)
		}
		return
	}
	_, _, before := fates(0)
	lost, doubled, after := fates(0.2)
	far := func(n int, p float64) bool { return math.Abs(float64(n)-20000*p) > 4*math.Sqrt(20000*p*(1-p)) }
	if far(lost, 0.2) || far(doubled, 0.3) {
		t.Errorf("%d packets of 20000 lost, want about 4000; %d doubled, want about 6000", lost, doubled)
	}
	if !slices.Equal(before, after) {
		t.Error("loss changes latencies")
	}
}

func TestTopologies(t *testing.T) {
	for _, c := range []struct {
		t      Topology
		edges  int
		degree int // of every node; −1: varies
	}{
		{Topology{Kind: "ring", Nodes: 7}, 7, 2},
		{Topology{Kind: "ring", Nodes: 10, Chords: [][2]int{{0, 5}, {2, 7}, {3, 8}}}, 13, -1},
		{Topology{Kind: "path", Nodes: 7}, 6, -1},
		{Topology{Kind: "star", Nodes: 7}, 6, -1},
		{Topology{Kind: "complete", Nodes: 7}, 21, 6},
		{Topology{Kind: "grid", Nodes: 12, Rows: 3}, 17, -1},
		{Topology{Kind: "erdos-renyi", Nodes: 30, Probability: 0.3}, -1, -1},
		{Topology{Kind: "watts-strogatz", Nodes: 30, Nearest: 4, Rewire: 0.3}, 60, -1},
		{Topology{Kind: "barabasi-albert", Nodes: 30, Attach: 2}, 2 + 27*2, -1},
		{Topology{Kind: "random-regular", Nodes: 30, Degree: 3}, 45, 3},
		{Topology{Kind: "random-regular", Nodes: 9, Degree: 6}, 27, 6},
		{Topology{Kind: "random-regular", Nodes: 5, Degree: 4}, 10, 4},
		{Topology{Nodes: 3, Edges: [][2]int{{0, 1}, {2, 1}}}, 2, -1},
	} {
		g, err := c.t.Build(NewStream(1, "topology"))
		if err != nil {
			t.Errorf("%+v: %v", c.t, err)
			continue
		}
		if c.edges >= 0 && g.Size() != c.edges {
			t.Errorf("%+v has %d edges, want %d", c.t, g.Size(), c.edges)
		}
		for i := range g.Order() {
			if c.degree >= 0 && g.Degree(i) != c.degree {
				t.Errorf("%+v: node %d has degree %d", c.t, i, g.Degree(i))
			}
			if !slices.IsSorted(g.Neighbours(i)) {
				t.Errorf("%+v: neighbours of %d out of order", c.t, i)
			}
		}
		if len(g.Components()) != 1 {
			t.Errorf("%+v is not connected", c.t)
		}
	}
}

func TestTopologies_Errors(t *testing.T) {
	for want, topology := range map[string]Topology{
		"between 1 and 9": {Kind: "random-regular", Nodes: 10, Degree: -2},
		"nodes must be at least 3 for kind ring, is 2":            {Kind: "ring", Nodes: 2},
		"nodes must be at least 3 for kind watts-strogatz, is 2":  {Kind: "watts-strogatz", Nodes: 2, Nearest: 2},
		"nodes must be at least 2 for kind barabasi-albert, is 1": {Kind: "barabasi-albert", Nodes: 1, Attach: 2},
		"nodes must be at least 2 for kind random-regular, is 1":  {Kind: "random-regular", Nodes: 1, Degree: 1},
		"nearest must be 2 for 3 nodes, is 4":                     {Kind: "watts-strogatz", Nodes: 3, Nearest: 4},
		"must be even":                                            {Kind: "random-regular", Nodes: 5, Degree: 3},
		"in 2 pieces":                                             {Nodes: 4, Edges: [][2]int{{0, 1}, {2, 3}}},
		"to itself":                                               {Nodes: 4, Edges: [][2]int{{1, 1}}},
		"given twice":                                             {Nodes: 3, Edges: [][2]int{{0, 1}, {1, 0}, {1, 2}}},
		"nodes go from 0 to":                                      {Nodes: 3, Edges: [][2]int{{0, 7}}},
		"exactly one of":                                          {Nodes: 3},
		"no draw of an erdos-renyi graph of 50 nodes with proba":  {Kind: "erdos-renyi", Nodes: 50, Probability: 0.001},
		"about 50 nodes would have no edge; give a probability of 0.00099 or more": {
			Kind: "erdos-renyi", Nodes: 20000, Probability: 0.0003},
		"none of 100 draws": {Kind: "erdos-renyi", Nodes: 30, Probability: 0.01},
		"a probability":     {Kind: "erdos-renyi", Nodes: 50, Probability: 2},
		"no such file":      {File: "missing.csv"},
		"must end in .csv,": {File: "graph.json"},
	} {
		if _, err := topology.Build(NewStream(1, "topology")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", topology, err, want)
		}
	}
}

func TestReadGraph(t *testing.T) {
	g, err := readEdgeList("x.csv", strings.NewReader("source,target,weight\n# comment\n0,1,3\n1, 2\n"))
	if err != nil || g.Order() != 3 || g.Size() != 2 {
		t.Errorf("edge list: %v %v", g, err)
	}
	_, err = readEdgeList("x.csv", strings.NewReader("0,1\n1;2\n"))
	if err == nil || !strings.Contains(err.Error(), "x.csv:2:") {
		t.Errorf("a bad line: %v", err)
	}
	g, err = readGraphML("x.graphml", strings.NewReader(`<graphml><graph edgedefault="undirected">
		<node id="b"/><node id="a"/><node id="c"/><edge source="a" target="b"/><edge source="c" target="b"/>
	</graph></graphml>`))
	if err != nil || !slices.Equal(g.Neighbours(0), []int32{1, 2}) {
		t.Errorf("GraphML: %v %v", g, err)
	}
}

func FuzzReadGraph(f *testing.F) {
	f.Add("0,1\n1,2\n", true)
	f.Add("<graphml><graph><node id=\"a\"/></graph></graphml>", false)
	f.Fuzz(func(t *testing.T, text string, edgeList bool) {
		read := readGraphML
		if edgeList {
			read = readEdgeList
		}
		if len(text) > 1000 {
			return
		}
		if g, err := read("f", strings.NewReader(text)); err == nil && g.Order() < 1 {
			t.Error("an empty graph")
		}
	})
}

func FuzzUnmarshalText(f *testing.F) {
	f.Add("20ms")
	f.Add("100Mbps")
	f.Fuzz(func(t *testing.T, text string) {
		var b Bandwidth
		if b.UnmarshalText([]byte(text)) == nil {
			again, _ := b.MarshalText()
			var c Bandwidth
			if err := c.UnmarshalText(again); err != nil || !(math.Abs(float64(c-b)) <= 1e-9*math.Abs(float64(b))) {
				t.Errorf("%q reads as %v, is written %q and reads as %v (%v)", text, b, again, c, err)
			}
		}
		var d Duration
		_ = d.UnmarshalText([]byte(text)) // must not panic
	})
}

func hexDigest(t *Trace) string { return hex.EncodeToString(t.Digest[:]) }

// The near end of the radix heap stays small, however much is pending: a bucket
// that is not small is split, and what comes later than the horizon stays away.
func TestRadix_NearEndStaysSmall(t *testing.T) {
	const pending = 50_000
	r, s := new(radix), NewStream(1, "test")
	now, key, most := Time(0), uint64(0), 0
	push := func() {
		key++
		r.push(&event{at: now + Time(s.IntN(1e9)), key: key})
	}
	for range pending {
		push()
	}
	var e event
	for range 4 * pending {
		if !r.pop(&e) || e.at < now {
			t.Fatalf("%+v follows %v", e, now)
		}
		now = e.at
		most = max(most, r.count-r.next+len(r.late.events))
		push()
	}
	if most > 2*blockEvents {
		t.Errorf("%d events were at the near end, of %d", most, pending)
	}
}

// The radix heap gives what the reference gives, with delays of any size, many
// events of one instant, and events pushed before others that are due already.
func TestRadix_AgreesWithHeap(t *testing.T) {
	for _, pending := range []int{1, 2, blockEvents, blockEvents + 1, 500} {
		for _, widest := range []int{1, 4, digit, digit + 1, 25, 55} {
			r, h, s := new(radix), new(heap4), NewStream(uint64(pending), "test", uint64(widest))
			now, key := Time(0), uint64(0)
			push := func() {
				key++
				delay := Time(s.Uint64() >> (64 - s.IntN(widest))) // many are 0
				e := event{at: now + delay, key: mix(key), arg: key, node: int32(key), kind: kindTimer}
				r.push(&e)
				h.push(&e)
			}
			for range pending {
				push()
			}
			var e, want event
			for n := 0; h.pop(&want); n++ {
				if !r.pop(&e) || e != want {
					t.Fatalf("%d pending, %d bits: event %d is %+v, want %+v", pending, widest, n, e, want)
				}
				for now = e.at; n < 10*pending && len(h.events) < pending; {
					push()
				}
			}
			if r.pop(&e) {
				t.Errorf("%d pending, %d bits: %+v is left", pending, widest, e)
			}
		}
	}
}

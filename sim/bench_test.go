// Benchmarks of the engine, each against the textbook engine in the same run:
// container/heap of pointers to event structs in interfaces, one allocation an
// event and one a packet; with and without the same digest, computed as it goes.

package sim

import (
	"container/heap"
	"context"
	"fmt"
	"runtime"
	"testing"

	"overhear/internal/cputime"
)

// boxedEvent and boxedEngine are the baseline.
type boxedEvent struct {
	at   Time
	key  uint64
	node int32
	kind kind
	tag  uint64
	m    *Message
}

type boxedHeap []any

func (h boxedHeap) Len() int { return len(h) }
func (h boxedHeap) Less(i, j int) bool {
	a, b := h[i].(*boxedEvent), h[j].(*boxedEvent)
	return a.at < b.at || (a.at == b.at && a.key < b.key)
}
func (h boxedHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *boxedHeap) Push(x any)   { *h = append(*h, x) }
func (h *boxedHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

type boxedEngine struct {
	h     boxedHeap
	now   Time
	seq   uint64
	nodes []boxedNode
	graph *Graph
	sent  []uint64
	trace *tracer // nil: none
}

type boxedNode interface {
	receive(e *boxedEngine, self int32, m *Message)
	wake(e *boxedEngine, self int32, tag uint64)
}

func (e *boxedEngine) push(at Time, node int32, k kind, tag uint64, m *Message) {
	e.seq++
	heap.Push(&e.h, &boxedEvent{at: at, key: e.seq, node: node, kind: k, tag: tag, m: m})
}

func (e *boxedEngine) run(limit int) int {
	n := 0
	for ; len(e.h) > 0 && n < limit; n++ {
		ev := heap.Pop(&e.h).(*boxedEvent)
		e.now = ev.at
		if e.trace != nil {
			e.trace.event(&event{at: ev.at, key: ev.key})
		}
		if ev.kind == kindMessage {
			e.nodes[ev.node].receive(e, ev.node, ev.m)
		} else {
			e.nodes[ev.node].wake(e, ev.node, ev.tag)
		}
		if e.trace != nil {
			e.trace.end()
		}
	}
	return n
}

// holder is the hold model: every event schedules the next one after an
// exponential-like random delay.
type holder struct {
	random uint64
	left   *int
}

func (h *holder) delay() Duration {
	h.random = mix(h.random + 0x9e3779b97f4a7c15)
	return Duration(h.random>>44) + 1
}

func (h *holder) Start(env *Env)         { env.After(h.delay(), 0) }
func (h *holder) Receive(*Env, *Message) {}
func (h *holder) Wake(env *Env, tag uint64) {
	if *h.left--; *h.left > 0 {
		env.After(h.delay(), tag)
	}
}
func (h *holder) receive(*boxedEngine, int32, *Message) {}
func (h *holder) wake(e *boxedEngine, self int32, tag uint64) {
	if *h.left--; *h.left > 0 {
		e.push(e.now+Time(h.delay()), self, kindTimer, tag, nil)
	}
}

// edgeless is a graph on n nodes without links.
func edgeless(n int) *Graph { return &Graph{start: make([]int32, n+1)} }

// BenchmarkHold: one operation is one event, with the given number pending (one
// timer a node).
func BenchmarkHold(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			left := 0
			make := func() []*holder {
				hs := make([]*holder, n)
				for i := range hs {
					hs[i] = &holder{random: uint64(i), left: &left}
				}
				return hs
			}
			events := max(b.N, 2*n) // the first n fill the queue
			e, err := New(Config{Graph: edgeless(n)})
			if err != nil {
				b.Fatal(err)
			}
			left = events
			for i, h := range make() {
				e.Attach(i, h)
			}
			b.ReportAllocs()
			b.ResetTimer()
			runtime.GC()
			start := cputime.Now()
			if err := e.Run(context.Background()); err != nil {
				b.Fatal(err)
			}
			ours := float64(e.Events()) / (cputime.Now() - start).Seconds()
			b.StopTimer()

			left = events
			base := &boxedEngine{nodes: nil}
			for i, h := range make() {
				base.nodes = append(base.nodes, h)
				base.push(h.delay2(), int32(i), kindTimer, 0, nil)
			}
			runtime.GC()
			start = cputime.Now()
			k := base.run(events + n)
			theirs := float64(k) / (cputime.Now() - start).Seconds()
			b.ReportMetric(ours, "events/s")
			b.ReportMetric(ours/theirs, "x_boxed")
		})
	}
}

func (h *holder) delay2() Time { return Time(h.delay()) }

// flooder broadcasts round t+1 when it has heard round t from all neighbours.
type flooder struct {
	rounds, round int
	heard         [2]int
	value         []float64
	degree        int
}

func (f *flooder) Start(env *Env)    { env.Broadcast(0, 0, f.value) }
func (f *flooder) Wake(*Env, uint64) {}
func (f *flooder) Receive(env *Env, m *Message) {
	if f.hears(m) {
		env.Broadcast(0, f.round, f.value)
	}
}
func (f *flooder) hears(m *Message) bool {
	f.heard[m.Round&1]++
	if f.heard[f.round&1] < f.degree {
		return false
	}
	f.heard[f.round&1] = 0
	f.round++
	return f.round < f.rounds
}
func (f *flooder) wake(*boxedEngine, int32, uint64) {}
func (f *flooder) receive(e *boxedEngine, self int32, m *Message) {
	if f.hears(m) {
		e.broadcast(self, f.round, f.value)
	}
}

func (e *boxedEngine) broadcast(self int32, round int, value []float64) {
	if e.trace != nil {
		e.trace.sent(0, int32(round), -1, value)
	}
	for k, to := range e.graph.Neighbours(int(self)) {
		link := int(e.graph.start[self]) + k
		f := packetWord(1, uint64(link), e.sent[link])
		e.sent[link]++
		delay := broadcastLatency.law().draw(&broadcastLatency, mix(f+decidesDelay))
		m := &Message{From: self, Round: int32(round), Sent: e.now, Payload: value}
		e.push(e.now+Time(delay), to, kindMessage, 0, m)
	}
}

var broadcastLatency = Latency{Kind: "uniform", Low: 10e6, High: 30e6}

// BenchmarkBroadcast: one operation is a run of 200 nodes, 1,000 rounds, random
// 4-regular graph, uniform latency, with the digest on. The baseline runs twice:
// without a digest (x_boxed) and with (x_boxed_digest). Runs alternate, each
// after a collection of the garbage of others, and are measured in CPU seconds,
// so that hashing on another goroutine counts.
func BenchmarkBroadcast(b *testing.B) {
	const nodes, rounds = 200, 1000
	g, err := Topology{Kind: "random-regular", Nodes: nodes, Degree: 4}.Build(NewStream(1, "topology"))
	if err != nil {
		b.Fatal(err)
	}
	value := make([]float64, 8)
	fresh := func(i int) *flooder { return &flooder{rounds: rounds, degree: g.Degree(i), value: value} }
	var events uint64
	engine := func() {
		e, err := New(Config{Graph: g, Link: Link{Latency: broadcastLatency}, Trace: TraceDigest})
		if err != nil {
			b.Fatal(err)
		}
		for i := range nodes {
			e.Attach(i, fresh(i))
		}
		if err := e.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
		if _, err := e.Trace(); err != nil {
			b.Fatal(err)
		}
		events += e.Events()
	}
	baseline := func(t *tracer) {
		base := &boxedEngine{graph: g, sent: make([]uint64, g.Links()), trace: t}
		for i := range nodes {
			base.nodes = append(base.nodes, fresh(i))
		}
		for i := range nodes {
			base.broadcast(int32(i), 0, value)
		}
		if n := base.run(1 << 62); n != rounds*g.Links() {
			b.Fatalf("the baseline had %d events", n)
		}
		if t != nil {
			t.finish()
		}
	}
	seconds := func(run func()) float64 {
		runtime.GC()
		start := cputime.Now()
		run()
		return (cputime.Now() - start).Seconds()
	}
	var ours, plain, digested float64
	for range b.N {
		ours += seconds(engine)
		plain += seconds(func() { baseline(nil) })
		digested += seconds(func() { baseline(newTracer(TraceDigest, nil)) })
	}
	b.ReportMetric(float64(events)/ours, "events/s")
	b.ReportMetric(plain/ours, "x_boxed")
	b.ReportMetric(digested/ours, "x_boxed_digest")
}

// TestNoAllocationPerEvent: a long hold run allocates no more than a short one.
func TestNoAllocationPerEvent(t *testing.T) {
	run := func(events int) float64 {
		return testing.AllocsPerRun(3, func() {
			left := events
			e, err := New(Config{Graph: edgeless(100), Trace: TraceOff})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 100 {
				e.Attach(i, &holder{random: uint64(i), left: &left})
			}
			if err := e.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		})
	}
	if short, long := run(1_000), run(200_000); !(long <= short+100) {
		t.Errorf("%v allocations for 1,000 events but %v for 200,000", short, long)
	}
}

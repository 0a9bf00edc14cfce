// Facts about faults: what happens at the very instants they begin and end, that
// crashes by rate follow their law, and that runs with faults are as
// reproducible as those without.

package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const ms = Duration(1e6)

// scripted logs what happens to it and does as it is told.
type scripted struct {
	log     []string
	start   func(*Env)
	receive func(*Env, *Message)
	wake    func(*Env, uint64)
	restart func(*Env, bool)
	leave   func(*Env)
}

func (s *scripted) note(env *Env, format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf("%v ", env.Now())+fmt.Sprintf(format, args...))
}

func (s *scripted) Start(env *Env) {
	s.note(env, "start")
	if s.start != nil {
		s.start(env)
	}
}

func (s *scripted) Receive(env *Env, m *Message) {
	s.note(env, "round %d of %d", m.Round, m.From)
	if s.receive != nil {
		s.receive(env, m)
	}
}

func (s *scripted) Wake(env *Env, tag uint64) {
	s.note(env, "wake %d", tag)
	if s.wake != nil {
		s.wake(env, tag)
	}
}

func (s *scripted) Restart(env *Env, lost bool) {
	s.note(env, "restart, lost %v", lost)
	if s.restart != nil {
		s.restart(env, lost)
	}
}

func (s *scripted) Leave(env *Env) {
	s.note(env, "leave")
	if s.leave != nil {
		s.leave(env)
	}
}

// mute is a scripted that knows nothing of restarts and leaving.
type mute struct{ s scripted }

func (m *mute) Start(env *Env)               { m.s.Start(env) }
func (m *mute) Receive(env *Env, g *Message) { m.s.Receive(env, g) }
func (m *mute) Wake(env *Env, tag uint64)    { m.s.Wake(env, tag) }

// silent does nothing.
type silent struct{}

func (silent) Start(*Env)             {}
func (silent) Receive(*Env, *Message) {}
func (silent) Wake(*Env, uint64)      {}

// complete is the complete graph on n nodes.
func complete(t testing.TB, n int) *Graph {
	t.Helper()
	g, err := Topology{Kind: "complete", Nodes: n}.Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// crashes is a plan of nothing else.
func crashes(rate CrashRate) FaultPlan { return FaultPlan{{Kind: RandomCrashes{rate}}} }

// play runs nodes over links of 10 ms.
func play[N Node](t testing.TB, cfg Config, nodes ...N) *Engine {
	t.Helper()
	cfg.Graph = complete(t, len(nodes))
	if l := cfg.Link.Latency; l.Kind == "" && l.Value == 0 {
		cfg.Link.Latency.Value = 10 * ms
	}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range nodes {
		e.Attach(i, n)
	}
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return e
}

// beacon broadcasts at these times, numbered.
func beacon(at ...Duration) *scripted {
	return &scripted{
		start: func(env *Env) {
			for k, d := range at {
				env.After(d, uint64(k))
			}
		},
		wake: func(env *Env, tag uint64) { env.Broadcast(0, int(tag), nil) },
	}
}

func expect(t *testing.T, name string, n *scripted, want ...string) {
	t.Helper()
	if !slices.Equal(n.log, want) {
		t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(n.log, "; "), strings.Join(want, "; "))
	}
}

func TestFault_PartitionCutsWhatIsSentMeanwhile(t *testing.T) {
	a, b, c, d := beacon(199*ms+999999, 200*ms, 399*ms+999999, 400*ms), &scripted{}, &scripted{}, &scripted{}
	lost := 0
	play(t, Config{
		Faults: FaultPlan{{Kind: Partition{[][]int{{0, 1}, {2}}}, At: 200 * ms, Until: 400 * ms}},
		Sent: func(p *Packet) {
			if p.Received < 0 {
				lost++
			}
		},
	}, a, b, c, d)
	all := []string{
		"0s start", "209.999999ms round 0 of 0", "210ms round 1 of 0",
		"409.999999ms round 2 of 0", "410ms round 3 of 0",
	}
	expect(t, "same group", b, all...)
	expect(t, "no group", d, all...)
	expect(t, "other group", c, all[0], all[1], all[4])
	if lost != 2 {
		t.Errorf("%d packets are lost, want 2", lost)
	}
}

func TestFault_CrashLosesWhatArrivesMeanwhile(t *testing.T) {
	for _, memory := range []string{"", memoryKept, memoryLost} {
		a := beacon(89*ms+999999, 90*ms, 189*ms+999999, 190*ms)
		b := &scripted{}
		var received []Time
		e := play(t, Config{
			Faults: FaultPlan{{Kind: Crash{Node: 1, Memory: memory}, At: 100 * ms, Until: 200 * ms}},
			Sent:   func(p *Packet) { received = append(received, p.Received) },
		}, a, b)
		restart := fmt.Sprintf("200ms restart, lost %v", memory == memoryLost)
		expect(t, "crashed", b, "0s start", "99.999999ms round 0 of 0", restart, "200ms round 3 of 0")
		if want := []Time{99999999, -1, -1, 200e6}; !slices.Equal(received, want) {
			t.Errorf("received %v, want %v", received, want)
		}
		if got := e.Downtime(1, 150e6); got != 50*ms {
			t.Errorf("down for %v before 150ms", got)
		}
		if got := e.Downtime(1, 1e9); got != 100*ms || e.Downtime(0, 1e9) != 0 {
			t.Errorf("down for %v in all", got)
		}
	}
	if got := play(t, Config{}, silent{}).Downtime(0, 1e9); got != 0 {
		t.Errorf("without faults down for %v", got)
	}
}

// A packet's fate is decided right also where it arrives after outages to come.
func TestFault_CrashesFarAhead(t *testing.T) {
	n := &scripted{}
	var received []Time
	play(t, Config{
		Link: Link{Latency: Latency{Value: 49 * ms}},
		Faults: FaultPlan{
			{Kind: Crash{Node: 1}, At: 10 * ms, Until: 20 * ms},
			{Kind: Crash{Node: 1}, At: 50 * ms, Until: 60 * ms},
		},
		Sent: func(p *Packet) { received = append(received, p.Received) },
	}, beacon(0, 1*ms, 1*ms+1, 10*ms+999999, 11*ms), n)
	if want := []Time{49e6, -1, -1, -1, 60e6}; !slices.Equal(received, want) {
		t.Errorf("received %v, want %v", received, want)
	}
	expect(t, "crashed twice", n, "0s start", "20ms restart, lost false", "49ms round 0 of 0",
		"60ms restart, lost false", "60ms round 4 of 0")
}

// An outage may be as short as the clock, and the run still waits for its end.
func TestFault_CrashOfANanosecond(t *testing.T) {
	n := &scripted{}
	play(t, Config{Faults: FaultPlan{{Kind: Crash{Node: 0}, Until: 1}}}, n)
	expect(t, "brief", n, "1ns start")
}

// A packet without latency does not reach a node that is down.
func TestFault_CrashLosesAtOnce(t *testing.T) {
	n := &scripted{}
	e, err := New(Config{
		Graph: complete(t, 2), Link: Link{Duplication: 1},
		Faults: FaultPlan{{Kind: Crash{Node: 1}, At: 5 * ms, Until: 10 * ms}},
	})
	if err != nil {
		t.Fatal(err)
	}
	e.Attach(0, beacon(4*ms, 5*ms, 10*ms))
	e.Attach(1, n)
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	expect(t, "crashed", n, "0s start", "4ms round 0 of 0", "4ms round 0 of 0",
		"10ms restart, lost false", "10ms round 2 of 0", "10ms round 2 of 0")
}

// job runs a function.
type job func()

func (j job) Run(int) { j() }

func TestFault_CrashKeptPostpones(t *testing.T) {
	for _, ties := range []Ties{Ordered, Shuffled} {
		n := &scripted{}
		n.start = func(env *Env) {
			env.After(160*ms, 4)
			env.After(99*ms, 1)
			env.Compute(100*ms, job(func() {}), 2)
			env.After(150*ms, 3)
			env.Compute(170*ms, job(func() {}), 5)
			env.After(201*ms, 6)
		}
		n.restart = func(env *Env, _ bool) { env.After(0, 9) }
		e := play(t, Config{Ties: ties, Faults: FaultPlan{{Kind: Crash{Node: 0}, At: 100 * ms, Until: 200 * ms}}}, n)
		expect(t, "kept", n, "0s start", "99ms wake 1", "200ms restart, lost false",
			"200ms wake 2", "200ms wake 3", "200ms wake 4", "200ms wake 5", "200ms wake 9", "201ms wake 6")
		if e.Events() != 10 { // and the crash
			t.Errorf("%d events", e.Events())
		}
	}
}

func TestFault_CrashLostForgets(t *testing.T) {
	for _, ties := range []Ties{Ordered, Shuffled} {
		for workers := 1; workers <= 4; workers++ {
			n := &scripted{}
			values := make([]int, 4) // the node's memory, written by its jobs
			write := func(k, v int) Job {
				return job(func() {
					time.Sleep(2 * time.Millisecond)
					values[k] = v
				})
			}
			n.start = func(env *Env) {
				env.After(99*ms, 1)
				env.After(100*ms, 2)
				env.After(200*ms, 3)
				env.After(300*ms, 4)
				env.Compute(150*ms, write(0, 1), 5)
				env.Begin(write(1, 1)) // never awaited
				env.Compute(250*ms, write(2, 1), 6)
			}
			n.restart = func(env *Env, _ bool) {
				clear(values) // all old jobs have ended, or this is a race
				env.After(0, 7)
				env.Compute(50*ms, write(3, 1), 8)
			}
			n.wake = func(env *Env, tag uint64) {
				if want := []int{0, 0, 0, 1}; tag == 8 && !slices.Equal(values, want) {
					t.Errorf("the node's memory is %v, want %v", values, want)
				}
			}
			plan := FaultPlan{{Kind: Crash{Node: 0, Memory: memoryLost}, At: 100 * ms, Until: 200 * ms}}
			e := play(t, Config{Workers: workers, Ties: ties, Faults: plan}, n)
			expect(t, "lost", n, "0s start", "99ms wake 1", "200ms restart, lost true", "200ms wake 7", "250ms wake 8")
			for id, task := range e.pool.tasks {
				if task.state != taskFree {
					t.Errorf("task %d is never freed", id)
				}
			}
		}
	}
}

// What a node that is down for ever has begun is finished all the same, so that
// its memory after the run is the same for all numbers of workers.
func TestFault_LeftComputationsEnd(t *testing.T) {
	for workers := 1; workers <= 3; workers++ {
		done := make([]int, 3)
		n := &scripted{start: func(env *Env) {
			env.Compute(50*ms, job(func() { done[0]++ }), 0)
			env.Compute(250*ms, job(func() { done[1]++ }), 0)
			env.Begin(job(func() { done[2]++ }))
		}}
		play(t, Config{Workers: workers, Faults: FaultPlan{{Kind: Crash{Node: 0}, At: 10 * ms}}}, n)
		expect(t, "down for ever", n, "0s start")
		if !slices.Equal(done, []int{1, 1, 1}) {
			t.Errorf("jobs done: %v", done)
		}
	}
}

// A node that loses its memory ends its own computations and nobody else's.
func TestFault_CrashLostLeavesOthersAlone(t *testing.T) {
	for workers := 1; workers <= 3; workers++ {
		a := &scripted{}
		var mine Begun
		ran := 0
		a.start = func(env *Env) {
			mine = env.Begin(job(func() { ran++ }))
			env.After(30*ms, 0)
		}
		a.wake = func(env *Env, tag uint64) {
			if tag == 0 {
				env.Await(mine, 5*ms, 1)
			}
		}
		plan := FaultPlan{{Kind: Crash{Node: 1, Memory: memoryLost}, At: 10 * ms, Until: 20 * ms}}
		play(t, Config{Workers: workers, Faults: plan}, a, &scripted{})
		expect(t, "other", a, "0s start", "30ms wake 0", "35ms wake 1")
		if ran != 1 {
			t.Errorf("the other's computation ran %d times", ran)
		}
	}
}

// A panic of a job is a mistake even if nobody waits for the result.
func TestFault_LeftComputationsFail(t *testing.T) {
	for name, c := range map[string]struct {
		until  Duration
		due    Duration
		await  bool
		memory string
		want   string
	}{
		"due while down":      {200 * ms, 150 * ms, true, memoryLost, "node 0, down at virtual time 150ms: "},
		"due afterwards":      {200 * ms, 250 * ms, true, memoryLost, "node 0, down until virtual time 200ms: "},
		"never awaited":       {200 * ms, 0, false, memoryLost, "node 0, down until virtual time 200ms: "},
		"down for ever":       {0, 150 * ms, true, memoryLost, "node 0, down at virtual time 150ms: "},
		"with its memory":     {0, 150 * ms, true, memoryKept, "node 0, down at virtual time 150ms: "},
		"kept until it is up": {200 * ms, 150 * ms, true, memoryKept, "node 0 at virtual time 200ms: "},
		"and never awaited":   {0, 0, false, memoryLost, ""},
		"the last there is":   {200 * ms, 100 * ms, true, memoryLost, "node 0, down at virtual time 100ms: "},
		"of a node that left": {-1, 150 * ms, true, memoryLost, "node 0, down at virtual time 150ms: "},
	} {
		f := Fault{Kind: Crash{Node: 0, Memory: c.memory}, At: 100 * ms, Until: c.until}
		if c.until < 0 {
			f.Kind, f.Until = Leave{0}, 0
		}
		e, err := New(Config{Graph: edgeless(1), Faults: FaultPlan{f}})
		if err != nil {
			t.Fatal(err)
		}
		e.Attach(0, &scripted{start: func(env *Env) {
			if b := env.Begin(job(func() { panic("oh") })); c.await {
				env.Await(b, c.due, 0)
			}
		}})
		err = e.Run(context.Background())
		if err == nil || !strings.HasPrefix(err.Error(), c.want+"the program has a mistake: oh") {
			t.Errorf("%s: the run ends with %v", name, err)
		}
	}
}

func TestFault_CrashWithoutRestarter(t *testing.T) {
	n := new(mute)
	n.s.start = func(env *Env) { env.After(150*ms, 1) }
	e := play(t, Config{Faults: FaultPlan{{Kind: Crash{Node: 0}, At: 100 * ms, Until: 200 * ms}}}, n)
	expect(t, "mute", &n.s, "0s start", "200ms wake 1")
	if e.Events() != 4 || e.Now() != 200e6 {
		t.Errorf("%d events until %v", e.Events(), e.Now())
	}
}

// A node that is down at the start is started when it is up.
func TestFault_CrashAtTheStart(t *testing.T) {
	for _, memory := range []string{memoryKept, memoryLost} {
		n := &scripted{}
		play(t, Config{Faults: FaultPlan{{Kind: Crash{Node: 1, Memory: memory}, Until: 50 * ms}}}, beacon(0, 40*ms), n)
		expect(t, "late", n, "50ms start", "50ms round 1 of 0")
	}
}

func TestFault_JoinStartsLater(t *testing.T) {
	n := &scripted{start: func(env *Env) { env.Send(0, 0, 7, nil) }}
	a := beacon(0, 39*ms+999999, 40*ms, 60*ms)
	e := play(t, Config{Faults: FaultPlan{{Kind: Join{1}, At: 50 * ms}}}, a, n)
	expect(t, "joiner", n, "50ms start", "50ms round 2 of 0", "70ms round 3 of 0")
	expect(t, "other", a,
		"0s start", "0s wake 0", "39.999999ms wake 1", "40ms wake 2", "60ms round 7 of 1", "60ms wake 3")
	if got := e.Downtime(1, 1e9); got != 50*ms {
		t.Errorf("absent for %v", got)
	}
	// However late, when nothing else is left to happen.
	n = &scripted{}
	play(t, Config{Faults: FaultPlan{
		{Kind: Join{0}, At: 3600e9}, {Kind: Crash{Node: 0}, At: 3600e9 - 1, Until: 3600e9 + 5},
	}}, n)
	expect(t, "late", n, "1h0m0.000000005s start")
}

func TestFault_LeaveSendsALastTime(t *testing.T) {
	n := &scripted{
		start: func(env *Env) {
			env.After(50*ms, 1)
			env.After(70*ms, 2)
			env.Compute(80*ms, job(func() {}), 3)
		},
		leave: func(env *Env) {
			env.Broadcast(0, 99, nil)
			env.After(0, 4)
		},
	}
	a := beacon(0, 49*ms+999999, 50*ms, 100*ms)
	var down []bool
	wake := a.wake
	var e *Engine
	a.wake = func(env *Env, tag uint64) {
		wake(env, tag)
		down = append(down, env.e.Down(1))
	}
	e = play(t, Config{Faults: FaultPlan{{Kind: Leave{1}, At: 60 * ms}}}, a, n)
	expect(t, "leaver", n, "0s start", "10ms round 0 of 0", "50ms wake 1", "59.999999ms round 1 of 0", "60ms leave")
	expect(t, "other", a,
		"0s start", "0s wake 0", "49.999999ms wake 1", "50ms wake 2", "70ms round 99 of 1", "100ms wake 3")
	if !slices.Equal(down, []bool{false, false, false, true}) || !e.Down(1) || e.Down(0) {
		t.Errorf("down: %v", down)
	}
	if got := e.Downtime(1, 100e6); got != 40*ms {
		t.Errorf("gone for %v", got)
	}
}

// A node that is down when it should leave is not told.
func TestFault_LeaveWhileDown(t *testing.T) {
	for _, at := range []Duration{10 * ms, 60 * ms} {
		n := &scripted{}
		play(t, Config{Faults: FaultPlan{
			{Kind: Leave{0}, At: 60 * ms}, {Kind: Crash{Node: 0}, At: at, Until: 100 * ms},
		}}, n)
		expect(t, "leaver", n, "0s start")
	}
}

func TestFault_OutagesThatTouchAreOne(t *testing.T) {
	n := &scripted{start: func(env *Env) {
		env.After(15*ms, 1)
		env.After(45*ms, 2)
	}}
	e := play(t, Config{Faults: FaultPlan{
		{Kind: Crash{Node: 0, Memory: memoryLost}, At: 20 * ms, Until: 30 * ms},
		{Kind: Crash{Node: 0}, At: 40 * ms, Until: 50 * ms},
		{Kind: Crash{Node: 0}, At: 10 * ms, Until: 20 * ms},
		{Kind: Crash{Node: 0}, At: 41 * ms, Until: 42 * ms},
	}}, n)
	expect(t, "crashed", n, "0s start", "30ms restart, lost true", "50ms restart, lost false")
	if got := e.Downtime(0, 1e9); got != 30*ms {
		t.Errorf("down for %v", got)
	}
}

func TestFault_SlowStretchesComputations(t *testing.T) {
	n := &scripted{}
	begin := func(env *Env) { env.Compute(7*ms, job(func() {}), 100) }
	n.start = func(env *Env) {
		for _, d := range []Duration{99*ms + 999999, 100 * ms, 200 * ms, 300 * ms, 400 * ms} {
			env.After(d, 0)
		}
	}
	n.wake = func(env *Env, tag uint64) {
		if tag == 0 {
			begin(env)
		}
	}
	play(t, Config{Faults: FaultPlan{
		{Kind: SlowNode{Node: 0, Factor: new(2.0)}, At: 100 * ms, Until: 300 * ms},
		{Kind: SlowNode{Node: 0, Factor: new(5.0)}, At: 200 * ms, Until: 400 * ms},
	}}, n)
	expect(t, "slow", n, "0s start", "99.999999ms wake 0", "100ms wake 0", "106.999999ms wake 100", "114ms wake 100",
		"200ms wake 0", "270ms wake 100", "300ms wake 0", "335ms wake 100", "400ms wake 0", "407ms wake 100")
}

func TestFault_LinkFactors(t *testing.T) {
	a, b, c := beacon(0, 100*ms, 200*ms, 300*ms), &scripted{}, &scripted{}
	b.receive = func(env *Env, m *Message) { env.Send(0, 0, 50+int(m.Round), nil) }
	play(t, Config{Faults: FaultPlan{
		{Kind: BadLink{Link: [2]int{1, 0}, Factor: new(3.0)}, At: 100 * ms, Until: 250 * ms},
		{Kind: BadLink{Link: [2]int{0, 1}, Factor: new(0.5)}, At: 200 * ms, Until: 300 * ms},
		{Kind: BadLink{Link: [2]int{0, 2}, Loss: 1}, Until: 300 * ms},
	}}, a, b, c)
	expect(t, "receiver", b,
		"0s start", "10ms round 0 of 0", "130ms round 1 of 0", "215ms round 2 of 0", "310ms round 3 of 0")
	expect(t, "sender", a, "0s start", "0s wake 0", "20ms round 50 of 1", "100ms wake 1", "160ms round 51 of 1",
		"200ms wake 2", "230ms round 52 of 1", "300ms wake 3", "320ms round 53 of 1")
	expect(t, "lossy", c, "0s start", "310ms round 3 of 0")
}

// fates says when each packet of a run of chatters arrives, −1 if not.
func fates(t *testing.T, change func(*Config)) map[uint64][]Time {
	all := map[uint64][]Time{}
	chat(t, func(c *Config) {
		c.Link.Bandwidth = 0
		c.Sent = func(p *Packet) { all[p.ID] = append(all[p.ID], p.Received) }
		if change != nil {
			change(c)
		}
	})
	return all
}

// The greater loss counts, and loses what the smaller one does; what is not lost
// arrives as ever.
func TestFault_LinkLossAddsToTheLinks(t *testing.T) {
	links := func(loss float64) func(*Config) {
		return func(c *Config) {
			for _, p := range c.Graph.Pairs() {
				c.Faults = append(c.Faults, Fault{Kind: BadLink{Link: p, Loss: loss}})
			}
		}
	}
	plain, same, greater := fates(t, nil), fates(t, links(0.05)), fates(t, links(0.5))
	lost, less := 0, 0
	for id, at := range greater {
		if !slices.Equal(plain[id], same[id]) {
			t.Fatalf("a smaller loss changes packet %d: %v, %v", id, plain[id], same[id])
		}
		if at[0] < 0 {
			lost++
			if len(at) != 1 {
				t.Fatalf("packet %d is lost more than once: %v", id, at)
			}
		} else if !slices.Equal(at, plain[id]) {
			t.Fatalf("packet %d arrives at %v, without faults at %v", id, at, plain[id])
		}
		if plain[id][0] < 0 {
			less++
		}
	}
	n := float64(len(greater))
	if sd := math.Sqrt(n / 4); !(math.Abs(float64(lost)-n/2) <= 4*sd) {
		t.Errorf("%d of %v packets are lost, want half", lost, n)
	}
	if sd := math.Sqrt(n * 0.09); !(math.Abs(float64(less)-n/10) <= 4*sd) {
		t.Errorf("%d of %v packets are lost, want a tenth", less, n)
	}
}

// Of a packet that arrives twice, the copy that finds its receiver down is not
// told of; if both do, the packet is lost once.
func TestFault_CopiesOfADuplicate(t *testing.T) {
	const packets = 2000
	times := func(faults ...Fault) map[uint64][]Time {
		all := map[uint64][]Time{}
		at := make([]Duration, packets)
		for k := range at {
			at[k] = Duration(k) * ms
		}
		play(t, Config{
			Link:   Link{Duplication: 0.5, Latency: Latency{Kind: "uniform", High: 400 * ms}},
			Faults: faults,
			Sent:   func(p *Packet) { all[p.ID] = append(all[p.ID], p.Received) },
		}, beacon(at...), &scripted{})
		return all
	}
	from, to := Time(500*ms), Time(700*ms)
	plain, crash := times(), times(Fault{Kind: Crash{Node: 1}, At: Duration(from), Until: Duration(to)})
	one, both := 0, 0
	for id, all := range plain {
		var want []Time
		for _, at := range all {
			if at < from || at >= to {
				want = append(want, at)
			}
		}
		switch {
		case len(all) == 2 && len(want) == 1:
			one++
		case len(all) == 2 && want == nil:
			both++
		}
		if want == nil {
			want = []Time{-1}
		}
		if !slices.Equal(crash[id], want) {
			t.Errorf("packet %d would arrive at %v, with a crash arrives at %v", id, all, crash[id])
		}
	}
	if len(plain) != packets || one < 10 || both < 10 {
		t.Errorf("of %d packets %d lose one of two copies and %d both", len(plain), one, both)
	}
	// A copy that arrives at once, before the crash that the other one meets.
	early := 0
	for seed := range uint64(200) {
		at := map[uint64][]Time{}
		play(t, Config{
			Seed:   seed,
			Link:   Link{Duplication: 1, Latency: Latency{Kind: "uniform", High: 3}},
			Faults: FaultPlan{{Kind: Crash{Node: 1}, At: 1, Until: 100}},
			Sent:   func(p *Packet) { at[p.ID] = append(at[p.ID], p.Received) },
		}, beacon(0), &scripted{})
		first, second := Time(-1), Time(-1)
		for _, d := range []uint64{decidesDelay, decidesSecondDelay} {
			l := Latency{Kind: "uniform", High: 3}
			if l.law().draw(&l, mix(packetWord(NewStream(seed, "packets").Uint64(), 0, 0)+d)) == 0 {
				first, second = 0, first
			}
		}
		want := []Time{first, second}
		if second < 0 {
			want = want[:1]
		}
		if !slices.Equal(at[0], want) {
			t.Errorf("seed %d: copies arrive at %v, want %v", seed, at[0], want)
		}
		if first == 0 && second < 0 {
			early++
		}
	}
	if early < 20 {
		t.Errorf("one of two copies is early in %d cases only", early)
	}
}

// spans are how long each node is up and how long it is down, in seconds, in
// whole periods before a virtual time.
func spans(e *Engine, until Time) (up, down []float64) {
	for i := range e.faults.nodes {
		l := &e.faults.nodes[i]
		l.know(until)
		last := Time(0)
		for _, o := range l.outages {
			if o.to > until {
				break
			}
			up, down = append(up, (o.from-last).Seconds()), append(down, (o.to-o.from).Seconds())
			last = o.to
		}
	}
	return up, down
}

func TestFault_CrashesFollowTheirLaw(t *testing.T) {
	const nodes = 400
	e, err := New(Config{Seed: 3, Graph: edgeless(nodes), Faults: crashes(CrashRate{Every: 20e9, For: 2e9})})
	if err != nil {
		t.Fatal(err)
	}
	// So many periods that cutting off the last one biases nothing visibly.
	const until = Time(5000e9)
	up, down := spans(e, until)
	for name, c := range map[string]struct {
		sample []float64
		mean   float64
	}{"up": {up, 20}, "down": {down, 2}} {
		n := float64(len(c.sample))
		sum := 0.0
		for _, x := range c.sample {
			sum += x
		}
		if mean := sum / n; !(math.Abs(mean-c.mean) <= 4*c.mean/math.Sqrt(n)) {
			t.Errorf("%s for %v s on average, want %v", name, mean, c.mean)
		}
		cdf := func(x float64) float64 { return 1 - math.Exp(-x/c.mean) }
		if d := kolmogorov(c.sample, cdf); !(d <= 1.95/math.Sqrt(n)) {
			t.Errorf("%s: distance %v from the exponential law, of %v", name, d, n)
		}
	}
	share := 0.0
	for i := range nodes {
		share += e.Downtime(i, until).Seconds() / until.Seconds() / nodes
	}
	// Of an alternating process with exponential times the share's variance is
	// 2·every²·for²/(every+for)³/T.
	sd := math.Sqrt(2 * 400 * 4 / math.Pow(22, 3) / until.Seconds() / nodes)
	if !(math.Abs(share-1.0/11) <= 4*sd) {
		t.Errorf("down for %v of the time, want 1/11 ± %v", share, sd)
	}
}

// The k-th fault by rate of a plan draws a node's crashes from the stream that is
// named after the node and k; the first is named after the node alone.
func TestFault_CrashesHaveTheirStreams(t *testing.T) {
	for k, ids := range [][]uint64{{2}, {2, 1}, {2, 2}} {
		var plan FaultPlan
		for i := range k + 1 {
			rate := CrashRate{Every: 20e9, For: 2e9, Nodes: []int{0}}
			if i == k {
				rate.Nodes = []int{2}
			}
			plan = append(plan, crashes(rate)...)
		}
		e, err := New(Config{Seed: 3, Graph: edgeless(3), Faults: plan})
		if err != nil {
			t.Fatal(err)
		}
		s := NewStream(3, "crashes", ids...)
		from := Time(float64(20e9) * s.Exponential())
		to := from + Time(float64(2e9)*s.Exponential())
		if got := e.faults.nodes[2].outages[0]; got.from != from || got.to != to {
			t.Errorf("fault %d: the first outage is %+v, want from %v to %v", k, got, from, to)
		}
	}
}

// Crashes by rate end with their fault: none begins when it is over.
func TestFault_CrashesAtTheEnd(t *testing.T) {
	drawn := func(until Time) outage {
		r := &rate{stream: NewStream(1, "test"), every: 1e9, down: 1e9, until: until}
		r.draw(0)
		return r.next
	}
	all := drawn(forever)
	for until, want := range map[Time]outage{
		all.from - 1: {from: forever, to: forever},
		all.from:     {from: forever, to: forever},
		all.from + 1: {from: all.from, to: all.from + 1},
		all.to:       all,
		all.to + 1:   all,
	} {
		if got := drawn(until); got != want {
			t.Errorf("until %v: %+v, want %+v", until, got, want)
		}
	}
}

func TestFault_CrashesAreTheirOwn(t *testing.T) {
	outages := func(change func(*Config)) [][]outage {
		var all [][]outage
		c := Config{Seed: 9, Graph: complete(t, 5), Faults: crashes(CrashRate{Every: 3e9, For: 1e9})}
		c.Link.Latency.Value = ms
		change(&c)
		nodes := make([]*scripted, 5)
		for i := range nodes {
			nodes[i] = beacon(0, 1e9, 2e9, 30e9)
		}
		e, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range nodes {
			e.Attach(i, n)
		}
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i := range nodes {
			l := &e.faults.nodes[i]
			l.know(40e9)
			k := slices.IndexFunc(l.outages, func(o outage) bool { return o.from >= 40e9 })
			if k < 0 {
				k = len(l.outages)
			}
			all = append(all, l.outages[:k])
		}
		return all
	}
	same := func(a, b []outage) bool { return slices.Equal(a, b) }
	some := func(nodes ...int) Fault {
		return Fault{Kind: RandomCrashes{CrashRate{Every: 3e9, For: 1e9, Nodes: nodes}}}
	}
	want := outages(func(*Config) {})
	for name, change := range map[string]func(*Config){
		"latency":  func(c *Config) { c.Link.Latency = Latency{Kind: "exponential", Mean: 500 * ms} },
		"loss":     func(c *Config) { c.Link.Loss = 0.5 },
		"slowness": func(c *Config) { c.Faults = append(c.Faults, Fault{Kind: SlowNode{Node: 2, Factor: new(3.0)}}) },
		"nodes":    func(c *Config) { c.Faults = FaultPlan{some(4, 3, 2, 1, 0)} },
	} {
		if got := outages(change); !slices.EqualFunc(got, want, same) {
			t.Errorf("another %s changes the crashes", name)
		}
	}
	three := outages(func(c *Config) { c.Faults = FaultPlan{some(3)} })
	if !same(three[3], want[3]) || len(three[0]) != 0 {
		t.Error("crashes of one node depend on whether others crash")
	}
	twice := outages(func(c *Config) { c.Faults = append(c.Faults, c.Faults[0]) })
	for i := range want {
		if same(twice[i], want[i]) {
			t.Errorf("two rates crash node %d at the same times", i)
		}
	}
	cut := 0
	for seed := range uint64(10) {
		for _, l := range outages(func(c *Config) { c.Seed, c.Faults[0].At, c.Faults[0].Until = seed, 10e9, 20e9 }) {
			for _, o := range l {
				if o.from < 10e9 || o.to > 20e9 {
					t.Errorf("a crash from %v to %v", o.from, o.to)
				}
				if o.to == 20e9 {
					cut++
				}
			}
		}
	}
	// Of 50 nodes a quarter is down at a time; four standard deviations.
	if cut < 1 || cut > 25 {
		t.Errorf("%d nodes are down at the end, want about 12", cut)
	}
	if other := outages(func(c *Config) { c.Seed++ }); slices.EqualFunc(other, want, same) {
		t.Error("another seed has the same crashes")
	}
}

// A run ends although crashes could go on for ever, and not before nodes that
// are down have done what they had to do.
func TestFault_CrashesEndWithTheRun(t *testing.T) {
	for _, memory := range []string{memoryKept, memoryLost} {
		const nodes = 100
		all := make([]*scripted, nodes)
		for i := range all {
			left := 100
			next := func(env *Env) {
				if left > 0 {
					left--
					env.After(100*ms, 0)
				}
			}
			all[i] = &scripted{start: next, wake: func(env *Env, _ uint64) { next(env) }}
			all[i].restart = func(env *Env, lost bool) {
				if lost {
					next(env)
				}
			}
		}
		e := play(t, Config{Faults: crashes(CrashRate{Every: 2e9, For: 1e9, Memory: memory})}, all...)
		if e.Now() < 10e9 || e.Now() > 60e9 {
			t.Errorf("memory %s: the run ends at %v", memory, e.Now())
		}
		for i, n := range all {
			wakes := 0
			for _, line := range n.log {
				if strings.Contains(line, "wake") {
					wakes++
				}
			}
			if memory == memoryKept && wakes != 100 {
				t.Errorf("node %d was woken %d times, want 100", i, wakes)
			}
		}
	}
	// Nothing to do at all: no crash.
	if e := play(t, Config{Faults: crashes(CrashRate{Every: 1, For: 1})}, silent{}, silent{}); e.Now() > 1000 {
		t.Errorf("an idle run ends at %v", e.Now())
	}
}

// Only the restart of a node that is down can bring things back to availability, and it
// is waited for, also when another crashes meanwhile.
func TestFault_TheLastRestartIsWaitedFor(t *testing.T) {
	for seed := range uint64(50) {
		passToken(t, seed, 0)
		passToken(t, seed, 0.5)
	}
}

func passToken(t *testing.T, seed uint64, loss float64) {
	const nodes, hops = 6, 20
	passed, last := 0, Time(0)
	all := make([]*scripted, nodes)
	for i := range all {
		n := &scripted{}
		pass := func(env *Env) {
			if passed < hops {
				env.Send((i+1)%nodes, 0, passed, nil)
			}
		}
		n.receive = func(env *Env, m *Message) {
			if int(m.Round) == passed {
				passed++
				pass(env)
			}
		}
		if i == 0 {
			n.start = pass
		}
		// The token is lost if its receiver is down: whoever restarts passes it on.
		n.restart = func(env *Env, _ bool) { pass(env) }
		all[i] = n
	}
	e := play(t, Config{
		Seed:   seed,
		Link:   Link{Loss: loss, Latency: Latency{Value: 200 * ms}},
		Faults: FaultPlan{{Kind: RandomCrashes{CrashRate{Every: 2e9, For: 1e9, Memory: memoryLost}}}},
		Sent:   func(p *Packet) { last = p.Sent },
	}, all...)
	for i := range e.faults.nodes {
		for _, o := range e.faults.nodes[i].outages {
			if o.from <= last && last < o.to && e.Now() < o.to {
				t.Errorf("seed %d: the run ends at %v, but node %d is down from %v to %v and a packet was sent at %v",
					seed, e.Now(), i, o.from, o.to, last)
			}
		}
	}
	if loss == 0 && passed != hops { // a token that the link loses may be lost for good

		t.Errorf("seed %d: the token was passed on %d times by %v, want %d", seed, passed, e.Now(), hops)
	}
}

// survivor chats as chatter does and takes up again after a crash.
type survivor struct {
	chatter
	latest Time // when it was last invoked
	wrong  string
}

// look notes if it is invoked when it should not be.
func (s *survivor) look(env *Env) {
	if env.e.Down(env.Self()) {
		s.wrong = fmt.Sprintf("node %d is invoked at %v, while it is down", env.Self(), env.Now())
	}
	if env.Now() < s.latest {
		s.wrong = fmt.Sprintf("node %d is invoked at %v after %v", env.Self(), env.Now(), s.latest)
	}
	s.latest = env.Now()
}

func (s *survivor) Start(env *Env) {
	s.look(env)
	s.chatter.Start(env)
}

func (s *survivor) Receive(env *Env, m *Message) {
	s.look(env)
	if m.Sent > env.Now() {
		s.wrong = fmt.Sprintf("node %d receives at %v what is sent at %v", env.Self(), env.Now(), m.Sent)
	}
	s.chatter.Receive(env, m)
}

func (s *survivor) Wake(env *Env, tag uint64) {
	s.look(env)
	if s.left > 0 {
		s.chatter.Wake(env, tag)
	}
}

func (s *survivor) Restart(env *Env, lost bool) {
	s.look(env)
	if lost {
		s.sum, s.work = 0, 0
		if s.left > 0 {
			s.chatter.Wake(env, 0)
		}
	}
}

func (s *survivor) Leave(env *Env) {
	s.latest = env.Now()
	env.Broadcast(2, 0, []float64{s.sum})
}

// survive runs twenty survivors.
func survive(t rapid.TB, cfg Config, left int) *Trace {
	g, err := Topology{Kind: "random-regular", Nodes: 20, Degree: 4}.Build(NewStream(3, "topology"))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Seed, cfg.Graph, cfg.Header, cfg.Trace = 5, g, 64, TraceFingerprints
	cfg.Link = Link{
		Latency: Latency{Kind: "lognormal", Median: 5e6, Sigma: 1}, Bandwidth: 1e7, Loss: 0.1, Duplication: 0.1,
	}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	nodes := make([]survivor, 20)
	for i := range nodes {
		nodes[i].left = left
		e.Attach(i, &nodes[i])
	}
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i := range nodes {
		if nodes[i].wrong != "" {
			t.Error(nodes[i].wrong)
		}
	}
	tr, err := e.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// survivors is survive's graph.
func survivors() *Graph {
	return must(Topology{Kind: "random-regular", Nodes: 20, Degree: 4}.Build(NewStream(3, "topology")))
}

// everything is a bit of every fault on survive's graph.
func everything() FaultPlan {
	return FaultPlan{
		{Kind: Partition{[][]int{{0, 1, 2, 3, 4}, {5, 6, 7, 8}}}, At: 20 * ms, Until: 60 * ms},
		{Kind: Crash{Node: 7}, At: 30 * ms, Until: 50 * ms},
		{Kind: Crash{Node: 8, Memory: memoryLost}, At: 30 * ms, Until: 50 * ms},
		{Kind: Crash{Node: 9}, At: 80 * ms},
		{Kind: SlowNode{Node: 10, Factor: new(10.0)}, At: 10 * ms},
		{Kind: BadLink{Link: [2]int{0, int(survivors().Neighbours(0)[0])}, Factor: new(7.0), Loss: 0.3}},
		{Kind: Join{11}, At: 40 * ms},
		{Kind: Leave{12}, At: 70 * ms},
		{Kind: RandomCrashes{CrashRate{Every: 60 * ms, For: 10 * ms, Nodes: []int{1, 2, 3, 7, 13}}}},
		{
			Kind: RandomCrashes{CrashRate{
				Every: 60 * ms, For: 10 * ms, Memory: memoryLost, Nodes: []int{3, 4, 5, 14},
			}},
			Until: 100 * ms,
		},
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestFault_SameDigestHoweverItIsRun(t *testing.T) {
	for _, ties := range []Ties{Ordered, Shuffled} {
		run := func(change func(*Config)) *Trace {
			c := Config{Ties: ties, Faults: everything()}
			if change != nil {
				change(&c)
			}
			return survive(t, c, 30)
		}
		want := run(nil)
		for name, change := range map[string]func(*Config){
			"heap":        func(c *Config) { c.Queue = Heap },
			"two workers": func(c *Config) { c.Workers = 2 },
			"three, heap": func(c *Config) { c.Workers, c.Queue = 3, Heap },
			"four":        func(c *Config) { c.Workers = 4 },
			"observed":    func(c *Config) { c.Sent = func(*Packet) {} },
			"reference":   func(c *Config) { c.Reference = want },
		} {
			if got := run(change); got.Digest != want.Digest || got.Events != want.Events {
				t.Errorf("ties %d, %s: another digest", ties, name)
			}
		}
		if got := run(func(c *Config) { c.Faults = c.Faults[1:] }); got.Digest == want.Digest {
			t.Error("without the partition the digest is the same")
		}
		c := Config{Ties: ties}
		plain := survive(t, c, 30)
		c.Faults = FaultPlan{{Kind: Crash{Node: 3}, At: 1e15}, {Kind: SlowNode{Node: 4, Factor: new(2.0)}, At: 1e15}}
		late := survive(t, c, 30)
		if late.Events != plain.Events+1 || !slices.Equal(late.Fingerprints[:plain.Events], plain.Fingerprints) {
			t.Error("faults after the run change it")
		}
	}
}

func TestGoldenFaults(t *testing.T) {
	for ties, want := range map[Ties]string{
		Ordered:  "f3ac3f0ad85c70ab46e808e328c7384302eadd08d91f780148256765a8a02287",
		Shuffled: "34c6f17795cb33e8aafd8692db8bd821ea4877918575df93d4c9c3320d686432",
	} {
		if got := hexDigest(survive(t, Config{Ties: ties, Faults: everything()}, 30)); got != want {
			t.Errorf("ties %d: digest %s, golden %s", ties, got, want)
		}
	}
}

// The first event that differs is named, also if only a fault can cause it.
func TestFault_DivergenceIsNamed(t *testing.T) {
	run := func(at Duration, reference *Trace) (*Trace, error) {
		e, err := New(Config{
			Graph: edgeless(2), Trace: TraceFingerprints, Reference: reference,
			Faults: FaultPlan{{Kind: Crash{Node: 1}, At: at, Until: 90 * ms}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			e.Attach(i, &scripted{})
		}
		if err := e.Run(context.Background()); err != nil {
			return nil, err
		}
		return e.Trace()
	}
	reference, err := run(50*ms, nil)
	if err != nil {
		t.Fatal(err)
	}
	var d *Divergence
	_, err = run(60*ms, reference)
	if !errors.As(err, &d) || d.Number != 2 || d.Kind != "crash" || d.Node != 1 || !d.Exact {
		t.Errorf("another crash is told as %v", err)
	}
	for k, want := range map[kind]string{
		kindStart: "start", kindTimer: "timer", kindRestart: "restart", kindLeave: "leave",
	} {
		if eventName(k) != want {
			t.Errorf("kind %d is called %s, want %s", k, eventName(k), want)
		}
	}
}

// Whatever goes wrong, a node that is down is never invoked, nothing comes from
// the future, and a repeat is the same.
func TestFault_AnySchedule(t *testing.T) {
	pairs := survivors().Pairs()
	rapid.Check(t, func(t *rapid.T) {
		// Coarse times, so that many fall together.
		when := rapid.Custom(func(t *rapid.T) Duration {
			return Duration(rapid.IntRange(0, 12).Draw(t, "when")) * 5 * ms
		})
		node := rapid.IntRange(0, 19)
		every := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
		memory := rapid.SampledFrom([]string{"", memoryKept, memoryLost})
		factor := rapid.Float64Range(0.01, 20)
		var faults FaultPlan
		joins, leaves := map[int]bool{}, map[int]bool{}
		for range rapid.IntRange(1, 12).Draw(t, "faults") {
			f := Fault{At: when.Draw(t, "at")}
			if rapid.Bool().Draw(t, "ends") {
				f.Until = f.At + 5*ms + when.Draw(t, "for")
			}
			i := node.Draw(t, "node")
			switch rapid.IntRange(0, 6).Draw(t, "kind") {
			case 0:
				k := rapid.IntRange(1, 18).Draw(t, "size")
				all := rapid.Permutation(every).Draw(t, "order")
				f.Kind = Partition{[][]int{all[:k], all[k:19]}}
			case 1:
				f.Kind = Crash{Node: i, Memory: memory.Draw(t, "memory")}
			case 2:
				f.Kind = SlowNode{Node: i, Factor: new(factor.Draw(t, "factor"))}
			case 3:
				pair := pairs[rapid.IntRange(0, len(pairs)-1).Draw(t, "link")]
				loss := rapid.Float64Range(0, 1).Draw(t, "loss")
				f.Kind = BadLink{Link: pair, Factor: new(factor.Draw(t, "factor")), Loss: loss}
			case 4:
				if joins[i] || leaves[i] {
					continue
				}
				joins[i] = true
				f.Kind, f.At, f.Until = Join{i}, f.At+1, 0
			case 5:
				if joins[i] || leaves[i] {
					continue
				}
				leaves[i] = true
				f.Kind, f.At, f.Until = Leave{i}, f.At+1, 0
			default:
				f.Kind = RandomCrashes{CrashRate{
					Every: when.Draw(t, "every") + 5*ms, For: when.Draw(t, "down") + 1,
					Memory: memory.Draw(t, "memory"),
				}}
			}
			faults = append(faults, f)
		}
		if faults == nil {
			return
		}
		ties := rapid.SampledFrom([]Ties{Ordered, Shuffled}).Draw(t, "ties")
		want := survive(t, Config{Faults: faults, Ties: ties}, 6)
		got := survive(t, Config{Faults: faults, Ties: ties, Queue: Heap, Workers: 3, Reference: want}, 6)
		if want.Digest != got.Digest {
			t.Fatal("a repeat has another digest")
		}
	})
}

func TestFault_Check(t *testing.T) {
	positive, zero := new(2.0), new(0.0)
	for _, c := range []struct {
		want string
		f    Fault
	}{
		{"exactly one of partition, crash, slow, link, join, leave, crashes, availability, sessions and diurnal, has",
			Fault{At: 1}},
		{"at least two groups of nodes, has 1", Fault{Kind: Partition{[][]int{{1, 2}}}}},
		{"must not have an empty group", Fault{Kind: Partition{[][]int{{1, 2}, {}}}}},
		{"partition must not name node 2 twice", Fault{Kind: Partition{[][]int{{1, 2}, {0, 2}}}}},
		{"partition must be the number of a node", Fault{Kind: Partition{[][]int{{1, -2}, {0, 2}}}}},
		{"crash must be the number of a node, is", Fault{Kind: Crash{Node: -1}}},
		{"slow must be the number of a node, is", Fault{Kind: SlowNode{Node: -1, Factor: positive}}},
		{"join must be the number of a node, is", Fault{Kind: Join{-1}, At: 1}},
		{"leave must be the number of a node, is", Fault{Kind: Leave{-1}, At: 1}},
		{"at must not be negative, is -1ns", Fault{Kind: Crash{Node: 1}, At: -1}},
		{"until must be after at, which is 2s, is 2s", Fault{Kind: Crash{Node: 1}, At: 2e9, Until: 2e9}},
		{"until must be after at, which is 0s, is -5ns", Fault{Kind: Crash{Node: 1}, Until: -5}},
		{"at must be a positive duration, the time at which the node is to join", Fault{Kind: Join{1}}},
		{"at must be a positive duration, the time at which the node is to leave", Fault{Kind: Leave{1}}},
		{"until has no meaning for join", Fault{Kind: Join{1}, At: 1, Until: 2}},
		{"memory must be kept or lost, is \"gone\"", Fault{Kind: Crash{Node: 1, Memory: "gone"}}},
		{"factor must be given", Fault{Kind: SlowNode{Node: 1}}},
		{"link must be the two nodes of an edge", Fault{Kind: BadLink{Link: [2]int{-1, 1}, Loss: 1}}},
		{"link must be the two nodes of an edge", Fault{Kind: BadLink{Link: [2]int{1, -1}, Loss: 1}}},
		{"crashes.for must be a positive", Fault{Kind: RandomCrashes{CrashRate{Every: 1}}}},
		{"factor must be positive, is 0", Fault{Kind: SlowNode{Node: 1, Factor: zero}}},
		{"factor must be positive, is NaN", Fault{Kind: BadLink{Link: [2]int{0, 1}, Factor: new(math.NaN())}}},
		{"factor must be positive, is +Inf", Fault{Kind: SlowNode{Node: 1, Factor: new(math.Inf(1))}}},
		{"loss must be a probability", Fault{Kind: BadLink{Link: [2]int{0, 1}, Loss: 1.5}}},
		{"must have a factor, a loss or both", Fault{Kind: BadLink{Link: [2]int{0, 1}}}},
		{"link must be the two nodes of an edge", Fault{Kind: BadLink{Link: [2]int{1, 1}, Loss: 1}}},
		{"crashes.every must be a positive", Fault{Kind: RandomCrashes{CrashRate{For: 1}}}},
		{"crashes.for must be a positive", Fault{Kind: RandomCrashes{CrashRate{Every: 1, For: -1}}}},
		{
			"crashes.memory must be kept or lost",
			Fault{Kind: RandomCrashes{CrashRate{Every: 1, For: 1, Memory: "Kept"}}},
		},
		{"crashes.nodes must not be empty", Fault{Kind: RandomCrashes{CrashRate{Every: 1, For: 1, Nodes: []int{}}}}},
		{
			"crashes.nodes must not name node 3 twice",
			Fault{Kind: RandomCrashes{CrashRate{Every: 1, For: 1, Nodes: []int{3, 1, 3}}}},
		},
	} {
		var got []string
		c.f.Check(func(field, problem string) { got = append(got, strings.TrimSpace(field+" "+problem)) })
		if len(got) != 1 || !strings.Contains(got[0], c.want) {
			t.Errorf("%+v: %q, want %q", c.f, got, c.want)
		}
		_, err := New(Config{Graph: complete(t, 5), Faults: FaultPlan{c.f}})
		if err == nil || !strings.HasPrefix(err.Error(), "faults[0]") {
			t.Errorf("%+v: New says %v", c.f, err)
		}
	}
	greatest := Fault{Kind: SlowNode{Node: 1, Factor: new(math.MaxFloat64)}}
	for _, f := range append(everything(), greatest) {
		f.Check(func(field, problem string) { t.Errorf("%v: %s %s", f, field, problem) })
	}
}

func TestFault_WhatDoesNotExist(t *testing.T) {
	path, err := NewGraph(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		plan FaultPlan
	}{
		{"faults[0].partition names node 5; nodes go from 0 to 4", FaultPlan{{Kind: Partition{[][]int{{0}, {1, 5}}}}}},
		{
			"faults[1].crash names node 7; nodes go from 0 to 4",
			FaultPlan{{Kind: Crash{Node: 1}}, {Kind: Crash{Node: 7}}},
		},
		{"faults[0].slow names node 5;", FaultPlan{{Kind: SlowNode{Node: 5, Factor: new(2.0)}}}},
		{"faults[0].link is 0-2, which is no edge", FaultPlan{{Kind: BadLink{Link: [2]int{0, 2}, Loss: 1}}}},
		{"faults[0].link is 0-5, which is no edge", FaultPlan{{Kind: BadLink{Link: [2]int{0, 5}, Loss: 1}}}},
		{"faults[0].link is 5-0, which is no edge", FaultPlan{{Kind: BadLink{Link: [2]int{5, 0}, Loss: 1}}}},
		{"faults[0].link is 1-9, which is no edge", FaultPlan{{Kind: BadLink{Link: [2]int{1, 9}, Loss: 1}}}},
		{"faults[0].join names node 5;", FaultPlan{{Kind: Join{5}, At: 1}}},
		{"faults[0].leave names node 5;", FaultPlan{{Kind: Leave{5}, At: 1}}},
		{
			"faults[0].crashes.nodes names node 6;",
			FaultPlan{{Kind: RandomCrashes{CrashRate{Every: 1, For: 1, Nodes: []int{6}}}}},
		},
		{
			"faults[1].join names node 2, which has a time to join already",
			FaultPlan{{Kind: Join{2}, At: 1}, {Kind: Join{2}, At: 3}},
		},
		{
			"faults[1].leave names node 2, which has a time to leave already",
			FaultPlan{{Kind: Leave{2}, At: 1}, {Kind: Leave{2}, At: 3}},
		},
		{
			"faults[0].leave is of node 2 at 2s, but it joins only at 2s",
			FaultPlan{{Kind: Leave{2}, At: 2e9}, {Kind: Join{2}, At: 2e9}},
		},
	} {
		if _, err := New(Config{Graph: path, Faults: c.plan}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New says %v, want %q", err, c.want)
		}
	}
}

// A fault that is drawn can be added to the plan, and is over when the span is;
// every kind is drawn but leaving, which is never over, and those that are new: a seed draws what it drew before.
func TestRandomFault(t *testing.T) {
	span := 100 * ms
	drawn := map[string]int{}
	var begin, last, up, down Duration // the greatest there are
	for seed := range uint64(60) {
		s := NewStream(seed, "test")
		g := complete(t, 1+s.IntN(6))
		span := span
		if seed == 0 { // as short as can be
			span = 1
		}
		var plan FaultPlan
		for range 20 {
			f, ok := RandomFault(s, g, span, plan)
			if !ok {
				continue
			}
			plan = append(plan, f)
			drawn[f.Kind.Key()]++
			begin, last = max(begin, f.At), max(last, f.Until-f.At)
			if c, ok := f.Kind.(RandomCrashes); ok {
				up, down = max(up, c.Rate.Every), max(down, c.Rate.For)
			}
			if over := max(f.At, f.Until); over < 0 || over > span+1 {
				t.Errorf("%v: outside of the span, %v", f, span)
			}
		}
		if _, err := New(Config{Graph: g, Faults: plan}); err != nil {
			t.Errorf("%v: %v", plan, err)
		}
	}
	if begin < span/2 || last < span/10 || up < span/2 || down < span/20 {
		t.Errorf("no fault begins after %v or lasts longer than %v; nodes are up for %v and down for %v at most",
			begin, last, up, down)
	}
	for _, k := range FaultKinds() {
		_, can := k.(randomFault)
		if n := drawn[k.Key()]; n < 20 && can || n > 0 && !can {
			t.Errorf("%s is drawn %d times", k.Key(), n)
		}
	}
}

// What a kind checks and enters is its own: the key by which it is known is that
// of one of its fields, and no two kinds share it.
func TestFaultKinds_HaveKeysOfTheirOwn(t *testing.T) {
	known := map[string]bool{}
	for _, k := range FaultKinds() {
		own := reflect.TypeOf(k).Field(0).Tag.Get("yaml")
		if own != k.Key() || known[own] {
			t.Errorf("%T: key %s, first field %s", k, k.Key(), own)
		}
		known[own] = true
	}
	defer func() {
		if recover() == nil {
			t.Error("two kinds of fault have one rank")
		}
	}()
	registerFault(1, Join{})
}

func TestFault_InWords(t *testing.T) {
	for _, c := range []struct {
		want string
		f    Fault
	}{
		{
			"nodes 0, 1 and node 2 are cut off from each other from 2s to 5s",
			Fault{Kind: Partition{[][]int{{0, 1}, {2}}}, At: 2e9, Until: 5e9},
		},
		{"node 7 is down from 1s to 3s, memory lost", Fault{Kind: Crash{Node: 7, Memory: "lost"}, At: 1e9, Until: 3e9}},
		{"node 7 is down from 1s on, memory kept", Fault{Kind: Crash{Node: 7}, At: 1e9}},
		{"node 9 takes 10 times as long to compute from 0s on", Fault{Kind: SlowNode{Node: 9, Factor: new(10.0)}}},
		{
			"link 0-1 has 10 times its latency and loses packets with probability 0.5 from 0s on",
			Fault{Kind: BadLink{Link: [2]int{0, 1}, Factor: new(10.0), Loss: 0.5}},
		},
		{
			"link 0-1 loses packets with probability 0.5 from 0s to 1s",
			Fault{Kind: BadLink{Link: [2]int{0, 1}, Loss: 0.5}, Until: 1e9},
		},
		{"node 4 joins at 2s", Fault{Kind: Join{4}, At: 2e9}},
		{"node 5 leaves at 8s", Fault{Kind: Leave{5}, At: 8e9}},
		{
			"all nodes crash after 20s on average, for 2s on average, memory kept, from 0s on",
			Fault{Kind: RandomCrashes{CrashRate{Every: 20e9, For: 2e9}}},
		},
		{
			"node 3 crashes after 20s on average, for 2s on average, memory lost, from 0s to 9s",
			Fault{Kind: RandomCrashes{CrashRate{Every: 20e9, For: 2e9, Memory: "lost", Nodes: []int{3}}}, Until: 9e9},
		},
		{"no fault", Fault{}},
	} {
		if got := c.f.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestFault_NoGoroutineIsLeftOver(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		survive(t, Config{Faults: everything(), Workers: 4}, 5)
	}
	after := runtime.NumGoroutine()
	for range 100 { // one that is ending may still be counted
		if after <= before {
			break
		}
		time.Sleep(time.Millisecond)
		after = runtime.NumGoroutine()
	}
	if after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

// A long run under faults allocates no more than a short one, but for the
// outages it remembers.
func TestFault_NoAllocationPerEvent(t *testing.T) {
	run := func(events int) float64 {
		return testing.AllocsPerRun(3, func() {
			left := events
			plan := crashes(CrashRate{Every: 100 * ms, For: 10 * ms})
			plan = append(plan, Fault{Kind: SlowNode{Node: 1, Factor: new(2.0)}, At: 1})
			e, err := New(Config{Graph: edgeless(100), Faults: plan})
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
	if short, long := run(1_000), run(200_000); !(long <= short+2000) {
		t.Errorf("%v allocations for 1,000 events but %v for 200,000", short, long)
	}
}

// seer counts what it foresees.
type seer struct {
	scripted
	foreseen int
}

func (s *seer) Foresee(*Engine, *Message) { s.foreseen++ }

// What a node foresaw could come to nothing, so it foresees nothing.
func TestFault_NothingIsForeseen(t *testing.T) {
	for _, c := range []struct {
		plan    FaultPlan
		workers int
		want    int
	}{
		{FaultPlan{{Kind: Crash{Node: 1}, At: 1e9}}, 2, 0},
		{nil, 2, 1},
		{nil, 1, 0}, // no processor waits for work
	} {
		n := new(seer)
		sender := &seer{scripted: *beacon(10 * ms)}
		play(t, Config{Workers: c.workers, Faults: c.plan}, sender, n)
		if n.foreseen != c.want {
			t.Errorf("%d workers, %v: %d messages are foreseen, want %d", c.workers, c.plan, n.foreseen, c.want)
		}
	}
}

func TestFault_UnmixInvertsMix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Uint64().Draw(t, "x")
		if unmix(mix(x)) != x || mix(unmix(x)) != x {
			t.Fatalf("unmix(mix(%#x)) = %#x", x, unmix(mix(x)))
		}
	})
}

// Facts about the engine's own affairs: its limits, its end, and what it keeps.

package sim

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestNew_Limits(t *testing.T) {
	if _, err := New(Config{}); err == nil || err.Error() != "sim: a run needs a graph" {
		t.Errorf("without a graph: %v", err)
	}
	_, err := New(Config{Graph: edgeless(1<<24 + 1)})
	if err == nil || err.Error() != "sim: 16777217 nodes are more than 16777216" {
		t.Errorf("too many nodes: %v", err)
	}
	if _, err := New(Config{Graph: edgeless(1 << 24)}); err != nil {
		t.Errorf("as many nodes as there may be: %v", err)
	}
	_, err = New(Config{Graph: edgeless(1), Link: Link{Loss: 2, Latency: Latency{Value: -1}}})
	want := "link loss must be a probability between 0 and 1, is 2\nlink value must not be negative, is -1ns"
	if err == nil || err.Error() != want {
		t.Errorf("a bad link: %v, want %s", err, want)
	}
	for kind, radix := range map[QueueKind]bool{Radix: true, Heap: false} {
		e, err := New(Config{Graph: edgeless(1), Queue: kind})
		if err != nil || (e.near != nil) != radix {
			t.Errorf("queue %d: %T, %v", kind, e.queue, err)
		}
	}
	e, err := New(Config{Graph: edgeless(2)})
	if err != nil {
		t.Fatal(err)
	}
	e.Attach(0, silent{})
	if err := e.Run(context.Background()); err == nil || err.Error() != "sim: no node 1 was attached" {
		t.Errorf("with a node missing: %v", err)
	}
}

// A run that is cancelled stops within 4,096 events; one that is not goes on.
func TestRun_StopsWhenCancelled(t *testing.T) {
	cause := errors.New("enough")
	for _, cancelled := range []bool{true, false} {
		ctx, cancel := context.WithCancelCause(context.Background())
		left := 10_000
		n := &scripted{}
		n.start = func(env *Env) { env.After(1, 0) }
		n.wake = func(env *Env, _ uint64) {
			n.log = nil
			if left--; left == 9000 && cancelled {
				cancel(cause)
			}
			if left > 0 {
				env.After(1, 0)
			}
		}
		e, err := New(Config{Graph: edgeless(1)})
		if err != nil {
			t.Fatal(err)
		}
		e.Attach(0, n)
		err = e.Run(ctx)
		cancel(nil)
		switch {
		case !cancelled && (err != nil || e.Events() != 10_001):
			t.Errorf("not cancelled, the run ends with %v after %d events", err, e.Events())
		case cancelled && (!errors.Is(err, cause) || e.Events() != 4096):
			t.Errorf("cancelled, the run ends with %v after %d events", err, e.Events())
		case cancelled && !strings.HasPrefix(err.Error(), "stopped at virtual time 4.095µs: "):
			t.Errorf("cancelled: %v", err)
		}
	}
}

func TestRun_VirtualTimeOverflows(t *testing.T) {
	e, err := New(Config{Graph: edgeless(1)})
	if err != nil {
		t.Fatal(err)
	}
	n := &scripted{start: func(env *Env) { env.After(10, 0) }}
	n.wake = func(env *Env, _ uint64) { env.After(math.MaxInt64, 0) }
	e.Attach(0, n)
	// 10 + 2^63 − 1 is 9 − 2^63, which is 2^63 + 1 before 10.
	ahead := Duration(math.MaxInt64)
	want := "virtual time overflows: node 0 schedules an event " + ahead.String() + " after 10ns"
	if err := e.Run(context.Background()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestEnv_Refuses(t *testing.T) {
	for want, act := range map[string]func(*Env){
		"sim: node 0 sends to 2, which is no neighbour": func(env *Env) { env.Send(2, 0, 0, nil) },
		"sim: a delay of -1ns":                          func(env *Env) { env.After(-1, 0) },
	} {
		path, err := NewGraph(3, [][2]int{{0, 1}, {1, 2}})
		if err != nil {
			t.Fatal(err)
		}
		e, err := New(Config{Graph: path})
		if err != nil {
			t.Fatal(err)
		}
		e.Attach(0, &scripted{start: act})
		e.Attach(1, silent{})
		e.Attach(2, silent{})
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("%v, want %s", got, want)
				}
			}()
			_ = e.Run(context.Background())
		}()
	}
}

// A message's slot is free again when all its copies have come, so that memory
// is that of what is under way.
func TestRun_SlotsAreUsedAgain(t *testing.T) {
	for _, link := range []Link{
		{Latency: Latency{Value: 10 * ms}},
		{Latency: Latency{Value: 10 * ms}, Loss: 0.5},
		{Latency: Latency{Kind: "uniform", High: 100 * ms}, Duplication: 0.5},
	} {
		at := make([]Duration, 3*slotsOfBlock)
		for k := range at {
			at[k] = Duration(k) * 10 * ms
		}
		e := play(t, Config{Link: link}, beacon(at...), &scripted{}, &scripted{})
		if held := slotsOfBlock * len(e.slots.blocks); len(e.slots.free) != held || held > slotsOfBlock {
			t.Errorf("%+v: of %d slots %d are free", link, held, len(e.slots.free))
		}
		for id := range uint32(slotsOfBlock * len(e.slots.blocks)) {
			if s := e.slots.at(id); s.Payload != nil || s.refs != 0 {
				t.Errorf("%+v: slot %d still holds a payload", link, id)
			}
		}
	}
}

// crowd wakes many nodes at once, again and again, and lets each set a timer for
// the very instant.
type crowd struct{ log *[]int32 }

func (c crowd) Start(env *Env)       { env.After(Duration(1+env.node%3)*ms, 0) }
func (crowd) Receive(*Env, *Message) {}
func (c crowd) Wake(env *Env, tag uint64) {
	*c.log = append(*c.log, env.node, int32(tag))
	switch {
	case tag%2 == 0:
		env.After(0, tag+1)
	case tag < 10:
		env.After(1*ms, tag+1)
	}
}

// What is scheduled for the present instant happens in it, in order of the tie
// key, also where so many events are pending that the queue splits its buckets.
func TestQueues_PresentInstant(t *testing.T) {
	run := func(kind QueueKind) (log []int32) {
		const nodes = 300
		e, err := New(Config{Graph: edgeless(nodes), Queue: kind})
		if err != nil {
			t.Fatal(err)
		}
		for i := range nodes {
			e.Attach(i, crowd{&log})
		}
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return log
	}
	if !slices.Equal(run(Radix), run(Heap)) {
		t.Error("the queues differ")
	}
}

// shouter sends at the start, and wakes after a while.
type shouter struct {
	sends int
	after Duration
}

func (s shouter) Start(env *Env) {
	for range s.sends {
		env.Broadcast(1, 0, []float64{1})
	}
	if s.after > 0 {
		env.After(s.after, 0)
	}
}

func (shouter) Receive(*Env, *Message) {}

func (s shouter) Wake(env *Env, _ uint64) { env.After(s.after, 0) }

// What overflows is an error in words: virtual time, by timers or by a link that takes years
// for a packet, even one that is lost; and the number of bytes sent.
func TestEngine_OverflowsAreErrors(t *testing.T) {
	g, err := NewGraph(2, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		link   Link
		header int64
		node   shouter
		want   string
	}{
		"timers":      {Link{}, 0, shouter{after: math.MaxInt64 / 2}, "virtual time overflows"},
		"slow link":   {Link{Bandwidth: 1}, 1 << 50, shouter{sends: 4}, "virtual time overflows: a packet of"},
		"lost":        {Link{Bandwidth: 1, Loss: 1}, 1 << 50, shouter{sends: 4}, "virtual time overflows: a packet of"},
		"header":      {Link{}, math.MaxInt64 - 7, shouter{sends: 1}, "the number of bytes sent overflows"},
		"all headers": {Link{}, 1 << 61, shouter{sends: 4}, "the number of bytes sent overflows: node"},
	} {
		c.link.Latency = Latency{Kind: "constant", Value: 1}
		e, err := New(Config{Graph: g, Link: c.link, Header: c.header})
		if err != nil {
			t.Fatal(err)
		}
		e.Attach(0, c.node)
		e.Attach(1, c.node)
		if err := e.Run(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if e.Bytes() < 0 {
			t.Errorf("%s: %d bytes", name, e.Bytes())
		}
	}
}

// reader is a node that counts the messages that it heard, and those before which it was asked to read ahead.
type reader struct {
	asked *int // and has not heard a message for since
	heard *[2]int
}

func (r reader) Anticipate(depth int) bool {
	if depth == 1 { // of a message, and of no timer
		*r.asked++
	}
	return depth < 2
}

func (r reader) Receive(*Env, *Message) {
	if *r.asked > 0 {
		r.heard[1]++
		*r.asked--
	}
	r.heard[0]++
}

func (r reader) Start(env *Env) { r.Wake(env, 100) }

func (r reader) Wake(env *Env, tag uint64) {
	env.Broadcast(1, 0, []float64{1, 2})
	if tag > 0 {
		env.After(Duration(1+env.node%3)*ms, tag-1)
	}
}

// Most messages of a crowd are announced before they arrive, whose run is otherwise the same.
func TestAnticipate(t *testing.T) {
	var heard [2]int
	link := Link{Latency: Latency{Kind: "exponential", Mean: 5 * ms}}
	run := func(node func() Node) *Trace {
		e, err := New(Config{Seed: 3, Graph: complete(t, 30), Trace: TraceDigest, Link: link})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 30 {
			e.Attach(i, node())
		}
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		trace, err := e.Trace()
		if err != nil {
			t.Fatal(err)
		}
		return trace
	}
	type plain struct{ Node } // which does not anticipate
	with := run(func() Node { return reader{asked: new(int), heard: &heard} })
	all := heard
	without := run(func() Node { return plain{reader{asked: new(int), heard: &heard}} })
	if with.Digest != without.Digest {
		t.Error("a run of nodes that read ahead is another")
	}
	if all[0] != 30*29*101 || !(float64(all[1]) > 0.9*float64(all[0])) || heard[1] > all[1] {
		t.Errorf("of %d messages %d were announced, and %d where nobody asks for it", all[0], all[1], heard[1]-all[1])
	}
}

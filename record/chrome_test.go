// A run's timeline is valid JSON whose slices nest and whose arrows have two ends,
// each in a slice, whatever the run.

package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overhear/sim"
)

// traced is an event as a viewer reads it, times in nanoseconds.
type traced struct {
	Ph, Name, Cat, S, Bp string
	Pid, Tid             int
	ID                   int
	TS, Dur              float64
	Args                 map[string]any
	begin, end           int64
}

// trace is a run's timeline, read as a viewer would that cuts off what is less
// than a nanosecond.
func trace(t interface{ Fatal(...any) }, r *Run) []traced {
	var b bytes.Buffer
	if err := WriteChromeTrace(r, &b); err != nil {
		t.Fatal(err)
	}
	if problems := checkFormat(b.Bytes()); problems != nil {
		t.Fatal(problems)
	}
	var file struct {
		DisplayTimeUnit string
		OtherData       map[string]string
		TraceEvents     []traced
	}
	if err := json.Unmarshal(b.Bytes(), &file); err != nil {
		t.Fatal(err, b.String())
	}
	for k := range file.TraceEvents {
		e := &file.TraceEvents[k]
		e.begin = int64(e.TS * 1000)
		e.end = e.begin + int64(e.Dur*1000)
	}
	return file.TraceEvents
}

// checkTrace reports what a viewer would not show as it is.
func checkTrace(events []traced, steps, delivered, lost int) error {
	var problems []error
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	tracks := map[int]bool{}
	slicesOf := map[int][]traced{}
	starts := map[int]traced{}
	count := map[string]int{}
	for k, e := range events {
		if e.Ph == "M" {
			if e.Name == "thread_name" {
				tracks[e.Tid] = true
			}
			continue
		}
		if !tracks[e.Tid] || tracks[e.Pid] || e.Pid != events[0].Pid {
			wrong("event %d of track %d, process %d, which is not declared", k, e.Tid, e.Pid)
		}
		switch e.Ph {
		case "X":
			if e.Dur < 0 {
				wrong("event %d lasts %v", k, e.Dur)
			}
			slicesOf[e.Tid] = append(slicesOf[e.Tid], e)
			count[e.Cat]++
		case "i":
			if e.Name != "lost" || e.S != "t" {
				wrong("instant %+v", e)
			}
			count["lost"]++
		case "s":
			if _, twice := starts[e.ID]; twice {
				wrong("flow %d begins twice", e.ID)
			}
			starts[e.ID] = e
			count["flows"]++
		case "f":
			s, ok := starts[e.ID]
			if !ok || s.Name != e.Name || s.Cat != e.Cat || s.begin > e.begin || e.Bp != "e" {
				wrong("flow %d ends with %+v, begins with %+v", e.ID, e, s)
			}
			count["ends"]++
		default:
			wrong("event %d has phase %q", k, e.Ph)
		}
	}
	inside := func(e traced, verb string) {
		found := slices.ContainsFunc(slicesOf[e.Tid], func(s traced) bool {
			return s.Cat != "step" && strings.Contains(s.Name, verb) && s.begin == e.begin
		})
		if !found {
			wrong("flow %d of track %d at %d is in no slice to %s", e.ID, e.Tid, e.begin, verb)
		}
	}
	for _, e := range events {
		switch e.Ph {
		case "s":
			inside(e, "send")
		case "f":
			inside(e, "receive")
		}
	}
	for tid, all := range slicesOf {
		if !slices.IsSortedFunc(all, func(a, b traced) int { return cmp.Compare(a.begin, b.begin) }) {
			wrong("the slices of track %d are not in order", tid)
		}
		var open []traced
		for _, s := range all {
			for len(open) > 0 && open[len(open)-1].end <= s.begin {
				open = open[:len(open)-1]
			}
			if len(open) > 0 && s.end > open[len(open)-1].end {
				wrong("on track %d, %+v is not in %+v", tid, s, open[len(open)-1])
			}
			if open = append(open, s); len(open) > 2 {
				wrong("track %d is %d deep", tid, len(open))
			}
		}
	}
	if count["step"] != steps || count["flows"] != delivered || count["ends"] != delivered || count["lost"] != lost {
		wrong("%v, want %d steps, %d flows, %d lost", count, steps, delivered, lost)
	}
	return errors.Join(problems...)
}

// Any run: nodes that step one after the other, messages at any time, at the same
// time, at no delay, lost, and twice.
func TestChromeTrace(t *testing.T) {
	d := directory(t, t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		w, err := Create(d, 1, everything, true)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		nodes := rapid.IntRange(2, 4).Draw(t, "nodes")
		// Few instants, so that much coincides, or many, far from zero.
		base := rapid.SampledFrom([]int64{0, 1e9 + 7, 123456789012345}).Draw(t, "base")
		most := rapid.SampledFrom([]int64{5, 2000, 1e8}).Draw(t, "most")
		steps := 0
		for node := range nodes {
			at := base
			for round := range rapid.IntRange(0, 6).Draw(t, "rounds") {
				began := at + rapid.Int64Range(0, most).Draw(t, "wait")
				at = began
				if round > 0 {
					at += rapid.Int64Range(0, most).Draw(t, "cost")
				}
				w.Step(node, round, sim.Time(began), sim.Time(at))
				steps++
			}
		}
		delivered, lost := 0, 0
		for id := range rapid.IntRange(0, 30).Draw(t, "messages") {
			m := Message{ID: uint64(id), Src: int32(id % nodes), Dst: int32((id + 1) % nodes),
				Kind: rapid.SampledFrom([]MessageKind{MessageValue, MessageRequest, `odd "kind`}).Draw(t, "kind")}
			m.SentNS = base + rapid.Int64Range(0, most).Draw(t, "sent")
			for range rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "copies") {
				if m.ReceivedNS = m.SentNS + rapid.Int64Range(-1, most).Draw(t, "delay"); m.ReceivedNS < m.SentNS {
					m.ReceivedNS = -1
					lost++
					w.Message(m)
					break
				}
				delivered++
				w.Message(m)
			}
		}
		dir, err := w.Finish(&Info{Name: `a "name`, Nodes: nodes})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		// A copy that is lost after one has arrived is not told again.
		again := 0
		last := uint64(math.MaxUint64)
		if err := r.Messages(func(m Message) error {
			if m.ReceivedNS < 0 && m.ID == last {
				again++
			}
			last = m.ID
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := checkTrace(trace(t, r), steps, delivered, lost-again); err != nil {
			t.Error(err)
		}
	})
}

func TestChromeTrace_NeedsMessages(t *testing.T) {
	r := write(t, t.TempDir(), 1, Policy{Every: 1, Last: -1})
	if err := WriteChromeTrace(r, new(bytes.Buffer)); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("no messages: %v", err)
	}
}

func TestMicros(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64Range(0, 1<<50).Draw(t, "ns")
		var v float64
		if err := json.Unmarshal([]byte(micros(ns)), &v); err != nil || int64(v*1000) != ns ||
			math.Round(v*1000) != float64(ns) {
			t.Errorf("%d is written %s, %v", ns, micros(ns), err)
		}
	})
}

// BenchmarkChromeTrace: 45,000 messages.
func BenchmarkChromeTrace(b *testing.B) {
	w, err := Create(directory(b, b.TempDir()), 1, everything, false)
	if err != nil {
		b.Fatal(err)
	}
	for t := range 10000 {
		w.Step(t%100, t/100, sim.Time(1000*t), sim.Time(1000*t+5000))
	}
	for t := range 45000 {
		w.Message(Message{ID: uint64(t), Src: int32(t % 100), Dst: int32(t * 7 % 100), SentNS: int64(300 * t),
			ReceivedNS: int64(300*t + 20000), Kind: "value"})
	}
	dir, err := w.Finish(&Info{Nodes: 100})
	if err != nil {
		b.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := WriteChromeTrace(r, new(bytes.Buffer)); err != nil {
			b.Fatal(err)
		}
	}
}

// What goes on besides steps and messages begins and ends when it does, whatever its name and whatever goes on with it.
func TestWriteChromeTrace_HasHappenings(t *testing.T) {
	r := write(t, t.TempDir(), 1, everything)
	besides := []Happening{{From: 1_001, To: 9_999, Name: `"cut" off`}, {From: 5_000, To: 5_000, Name: "changed"},
		{From: 2_000, To: 9_999, Name: `"cut" off`}}
	var b bytes.Buffer
	if err := WriteChromeTrace(r, &b, besides...); err != nil {
		t.Fatal(err)
	}
	if problems := checkFormat(b.Bytes()); problems != nil {
		t.Fatal(problems)
	}
	var file struct{ TraceEvents []map[string]any }
	if err := json.Unmarshal(b.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	var got []Happening
	begun := map[any]Happening{}
	for _, e := range file.TraceEvents {
		if e["cat"] != "happening" {
			continue
		}
		at := int64(e["ts"].(float64) * 1000)
		switch h := (Happening{at, at, e["name"].(string)}); e["ph"] {
		case "b":
			begun[e["id"]] = h
		case "e":
			h.From = begun[e["id"]].From
			got = append(got, h)
		case "i":
			got = append(got, h)
		}
	}
	if !slices.Equal(got, besides) {
		t.Errorf("%+v, not %+v", got, besides)
	}
}

// Facts about traces: where a run is found to part from its reference, and how
// exactly that can be said.

package sim

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"
)

// counters are three nodes in a row that send numbers along, one a millisecond.
func counters(t *testing.T, n int, reference *Trace, level TraceLevel) (*Trace, error) {
	t.Helper()
	path, err := NewGraph(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(Config{Graph: path, Link: Link{Latency: Latency{Value: ms / 2}}, Trace: level, Reference: reference})
	if err != nil {
		t.Fatal(err)
	}
	nodes := []*scripted{{}, {}, {}}
	nodes[1].receive = func(env *Env, m *Message) { env.Send(2, 1, int(m.Round), m.Payload) }
	k := 0
	nodes[0].start = func(env *Env) { env.After(ms, 0) }
	nodes[0].wake = func(env *Env, _ uint64) {
		env.Send(1, 0, k, []float64{float64(k)})
		if k++; k < n {
			env.After(ms, 0)
		}
	}
	for i, n := range nodes {
		e.Attach(i, n)
	}
	if err := e.Run(context.Background()); err != nil {
		return nil, err
	}
	return e.Trace()
}

// alike compares all but what messages carry and when they were sent.
func (d *Divergence) alike(o *Divergence) bool {
	a, b := *d, *o
	if a.Message != nil && b.Message != nil && a.Message.From == b.Message.From && a.Message.Round == b.Message.Round {
		a.Message, b.Message = nil, nil
	}
	return a == b
}

func TestTrace_WhereRunsPart(t *testing.T) {
	const n = 3000 // 9,003 events: three starts, then a timer and two messages each
	full, err := counters(t, n, nil, TraceFingerprints)
	if err != nil || full.Events != 3*n+3 || len(full.Fingerprints) != 3*n+3 || len(full.Checkpoints) != 2 {
		t.Fatalf("%d events, %d fingerprints, %d checkpoints, %v",
			full.Events, len(full.Fingerprints), len(full.Checkpoints), err)
	}
	digest, err := counters(t, n, nil, TraceDigest)
	same := slices.Equal(digest.Checkpoints, full.Checkpoints)
	if err != nil || digest.Fingerprints != nil || digest.Digest != full.Digest || !same {
		t.Fatalf("the level changes the digest: %v", err)
	}
	of := func(from, round int32) *Message { return &Message{From: from, Round: round} }
	for name, c := range map[string]struct {
		change func(*Trace)
		level  TraceLevel
		want   Divergence
		text   string
	}{
		"a start": {
			func(r *Trace) { r.Fingerprints[2]++ }, TraceFingerprints,
			Divergence{Event{Number: 2, Node: 2, Kind: "start"}, true},
			"the runs first part at event 2, at 0s: start at node 2",
		},
		"a timer": {
			func(r *Trace) { r.Fingerprints[3]++ }, TraceFingerprints,
			Divergence{Event{Number: 3, At: 1e6, Node: 0, Kind: "timer"}, true},
			"the runs first part at event 3, at 1ms: timer at node 0",
		},
		"the first message": { // of node 0 and round 0
			func(r *Trace) { r.Fingerprints[4]++ }, TraceFingerprints,
			Divergence{Event{Number: 4, At: 1.5e6, Node: 1, Kind: "message", Message: of(0, 0)}, true},
			"the runs first part at event 4, at 1.5ms: message at node 1, from node 0, round 0",
		},
		"a message": {
			func(r *Trace) { r.Fingerprints[3+3*50+2]++ }, TraceFingerprints,
			Divergence{Event{Number: 155, At: 52e6, Node: 2, Kind: "message", Message: of(1, 50)}, true},
			"the runs first part at event 155, at 52ms: message at node 2, from node 1, round 50",
		},
		"an epoch": {
			func(r *Trace) { r.Checkpoints[0][0]++ }, TraceDigest,
			Divergence{Event{Number: 4095, At: 1365e6, Node: 0, Kind: "timer"}, false},
			"the runs part in the 4096 events up to event 4095, at 1.365s: timer at node 0",
		},
		"the next epoch": {
			func(r *Trace) { r.Checkpoints[1][0]++ }, TraceDigest,
			Divergence{Event{Number: 8191, At: 2730.5e6, Node: 1, Kind: "message", Message: of(0, 2729)}, false},
			"the runs part in the 4096 events up to event 8191, at 2.7305s: message at node 1, from node 0, round 2729",
		},
		"an epoch after the fingerprints": {
			func(r *Trace) { r.Checkpoints[0][0]++; r.Fingerprints = r.Fingerprints[:4095] }, TraceFingerprints,
			Divergence{Event{Number: 4095, At: 1365e6, Node: 0, Kind: "timer"}, false},
			"the runs part in the 4096 events up to event 4095, at 1.365s: timer at node 0",
		},
		"the end": {
			func(r *Trace) { r.Events, r.Fingerprints = 5, r.Fingerprints[:5] }, TraceFingerprints,
			Divergence{Event{Number: 5, At: 2e6, Node: 2, Kind: "message", Message: of(1, 0)}, true},
			"the runs first part at event 5, at 2ms: message at node 2, from node 1, round 0",
		},
	} {
		reference := *full
		reference.Fingerprints = slices.Clone(full.Fingerprints)
		reference.Checkpoints = slices.Clone(full.Checkpoints)
		if c.level == TraceDigest {
			reference.Fingerprints = nil
		}
		c.change(&reference)
		var d *Divergence
		_, err := counters(t, n, &reference, c.level)
		if !errors.As(err, &d) || !d.alike(&c.want) {
			t.Errorf("%s: %+v, want %+v", name, err, c.want)
		} else if d.Error() != c.text {
			t.Errorf("%s: %q, want %q", name, d, c.text)
		}
	}
	// The memory of a trace is bounded.
	tr := newTracer(TraceFingerprints, nil)
	for k := range uint64(3) {
		tr.Events = MaxFingerprints - 2 + k
		tr.event(&event{})
		tr.end()
	}
	if len(tr.Fingerprints) != 2 {
		t.Errorf("%d of three events around the bound have fingerprints, want 2", len(tr.Fingerprints))
	}
	// What is not said of the reference is not compared, and a run that is its
	// reference does not part from it.
	for name, change := range map[string]func(*Trace){
		"the same":           func(*Trace) {},
		"fewer fingerprints": func(r *Trace) { r.Fingerprints = r.Fingerprints[:10] },
		"fewer checkpoints":  func(r *Trace) { r.Checkpoints = r.Checkpoints[:1] },
	} {
		reference := *full
		change(&reference)
		if tr, err := counters(t, n, &reference, TraceFingerprints); err != nil || tr.Digest != full.Digest {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = counters(t, n-1, full, TraceFingerprints)
	want := "the run is not its reference: it ends after 9000 events, the reference after 9003"
	if !errors.Is(err, ErrReference) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	longer := *full
	longer.Events, longer.Digest[0] = full.Events+1, full.Digest[0]+1
	_, err = counters(t, n, &longer, TraceFingerprints)
	want = "the run is not its reference: it ends after 9003 events, the reference after 9004"
	if !errors.Is(err, ErrReference) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if tr, err := counters(t, 1, nil, TraceOff); tr != nil || err != nil {
		t.Errorf("without a trace: %v, %v", tr, err)
	}
}

// The digest is SHA-256 of all records in order, wherever blocks and epochs end, and so is each checkpoint.
func TestTracer_HashesAllRecords(t *testing.T) {
	s := NewStream(1, "records")
	for _, level := range []TraceLevel{TraceDigest, TraceFingerprints} {
		tr, all := newTracer(level, nil), sha256.New()
		var prints []uint32
		var sums [][32]byte
		for n := range 3*EpochEvents + 100 {
			begin := tr.Events
			e := event{at: Time(n), key: s.Uint64()}
			want := binary.LittleEndian.AppendUint64(nil, uint64(e.at))
			want = binary.LittleEndian.AppendUint64(want, e.key)
			tr.event(&e)
			if s.IntN(3) == 0 {
				tr.tag(7)
				want = binary.LittleEndian.AppendUint64(want, 7)
			}
			for range s.IntN(3) {
				payload := make([]float64, s.IntN(1+s.IntN(700)))
				tr.sent(3, int32(n), -1, payload)
				want = binary.LittleEndian.AppendUint64(want, uint64(uint32(n))|3<<32)
				want = binary.LittleEndian.AppendUint64(want, 1<<32-1|uint64(len(payload))<<32)
				want = append(want, make([]byte, 8*len(payload))...)
			}
			if !tr.end() || tr.Events != begin+1 {
				t.Fatal("an event is not concluded")
			}
			all.Write(want)
			prints = append(prints, crc32.Update(0, castagnoli, want))
			if n%EpochEvents == EpochEvents-1 {
				sums = append(sums, [32]byte(all.Sum(nil)))
			}
		}
		got := tr.finish()
		if [32]byte(all.Sum(nil)) != got.Digest || !slices.Equal(got.Checkpoints, sums) {
			t.Errorf("level %d: another digest, or other checkpoints", level)
		}
		if level == TraceFingerprints && !slices.Equal(got.Fingerprints, prints) {
			t.Error("other fingerprints")
		}
	}
}

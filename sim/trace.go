// What identifies a run: a digest of its events, and enough of each event to
// say where another run parts from it.

package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"math"
)

// TraceLevel says what is kept of the trace.
type TraceLevel uint8

// Levels of trace.
const (
	TraceOff          TraceLevel = iota // nothing
	TraceDigest                         // the digest and its checkpoints
	TraceFingerprints                   // and four bytes an event, up to MaxFingerprints
)

// EpochEvents is the number of events between two checkpoints of the digest.
const EpochEvents = 4096

// MaxFingerprints bounds the memory of a trace; later events are covered by
// checkpoints.
const MaxFingerprints = 1 << 24

// Trace is the record of a run. Its digest is SHA-256 over every event in
// order: time, tie key, the tag of a wake, and what the node sent in response,
// payload bits included.
type Trace struct {
	Digest       [32]byte
	Events       uint64
	Checkpoints  [][32]byte // the running digest after each EpochEvents events
	Fingerprints []uint32   // CRC-32C of each event's part of that record
}

// tracer writes the record. A nil *tracer keeps nothing.
type tracer struct {
	Trace
	level     TraceLevel
	hash      hash.Hash
	buffer    []byte
	hashed    int // bytes of the buffer
	odd       int // bytes that were hashed after the last whole block
	begin     int // of the current event in it
	reference *Trace
}

// traceBuffer is how much of the record is in memory at most: it is in the processor's nearest cache still.
const traceBuffer = 1 << 12

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func newTracer(level TraceLevel, reference *Trace) *tracer {
	if level == TraceOff {
		return nil
	}
	return &tracer{level: level, hash: sha256.New(), reference: reference}
}

// event begins the record of an event. The tie key names who caused it and how
// many events that node had caused before, so that a message's content, recorded
// when it was sent, need not be repeated.
func (t *tracer) event(e *event) {
	b := binary.LittleEndian.AppendUint64(t.buffer, uint64(e.at))
	t.buffer = binary.LittleEndian.AppendUint64(b, e.key)
}

// tag adds the tag of a wake to its event's record.
func (t *tracer) tag(tag uint64) {
	t.buffer = binary.LittleEndian.AppendUint64(t.buffer, tag)
}

// sent records a message the current event gave rise to.
func (t *tracer) sent(kind uint8, round int32, to int32, payload []float64) {
	b := t.buffer
	b = binary.LittleEndian.AppendUint64(b, uint64(uint32(round))|uint64(kind)<<32)
	b = binary.LittleEndian.AppendUint64(b, uint64(uint32(to))|uint64(len(payload))<<32)
	for _, v := range payload {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	t.buffer = b
}

// end concludes the record of an event; false if the reference differs there.
func (t *tracer) end() bool {
	same := true
	n := t.Events
	t.Events++
	if t.level == TraceFingerprints && n < MaxFingerprints {
		f := crc32.Update(0, castagnoli, t.buffer[t.begin:])
		if r := t.reference; r != nil { // before anything is written, perhaps over it
			same = n < r.Events && (n >= uint64(len(r.Fingerprints)) || r.Fingerprints[n] == f)
		}
		t.Fingerprints = append(t.Fingerprints, f)
	}
	if t.Events%EpochEvents == 0 {
		t.flush()
		sum, k := t.sum(), len(t.Checkpoints)
		if r := t.reference; r != nil && same {
			same = k >= len(r.Checkpoints) || r.Checkpoints[k] == sum
		}
		t.Checkpoints = append(t.Checkpoints, sum)
	} else if len(t.buffer) >= traceBuffer {
		t.flush()
	} else if next := t.hashed + sha256.BlockSize - t.odd; next <= len(t.buffer) {
		// One block at a time: a processor hashes it while it goes on with the next event, which does not wait for it.
		t.hash.Write(t.buffer[t.hashed:next])
		t.hashed, t.odd = next, 0
	}
	t.begin = len(t.buffer)
	return same
}

// flush hashes what is in the buffer.
func (t *tracer) flush() {
	t.hash.Write(t.buffer[t.hashed:])
	t.odd = (t.odd + len(t.buffer) - t.hashed) % sha256.BlockSize
	t.buffer, t.hashed = t.buffer[:0], 0
}

// sum is the digest of what was hashed so far.
func (t *tracer) sum() (digest [32]byte) {
	t.hash.Sum(digest[:0])
	return digest
}

// finish returns the trace of the events so far.
func (t *tracer) finish() *Trace {
	t.flush()
	t.begin = 0
	t.Digest = t.sum()
	return &t.Trace
}

// Event is what happened to a node, in the order of the trace.
type Event struct {
	Number  uint64 // from 0
	At      Time
	Node    int
	Kind    string
	Message *Message // that arrived; nil: another kind of event
}

func (e *Event) String() string {
	text := fmt.Sprintf("event %d, at %v: %s at node %d", e.Number, e.At, e.Kind, e.Node)
	if m := e.Message; m != nil {
		text += fmt.Sprintf(", from node %d, round %d", m.From, m.Round)
	}
	return text
}

// Divergence says where a run parts from its reference.
type Divergence struct {
	Event
	Exact bool // false: the event is the last of the epoch that differs
}

func (d *Divergence) Error() string {
	if !d.Exact {
		return fmt.Sprintf("the runs part in the %d events up to %v", EpochEvents, &d.Event)
	}
	return fmt.Sprintf("the runs first part at %v", &d.Event)
}

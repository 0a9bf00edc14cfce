// trace.bin: what is needed to say where a repeat parts from a run.
//
// Little-endian: 8 bytes "OVHTRC01", events uint64, digest 32 bytes, events an
// epoch uint64, number of checkpoints uint64, number of fingerprints uint64,
// checkpoints of 32 bytes, fingerprints of 4.

package record

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"unsafe"

	"overhear/sim"
)

const (
	traceMagic  = "OVHTRC01"
	traceHeader = 8 + 8 + 32 + 8 + 8 + 8
)

// traceTo writes a trace, of which there may be many megabytes.
func traceTo(t *sim.Trace) func(io.Writer) error {
	return func(to io.Writer) error {
		w := bufio.NewWriterSize(to, 1<<16)
		b := append(w.AvailableBuffer(), traceMagic...)
		b = binary.LittleEndian.AppendUint64(b, t.Events)
		b = append(b, t.Digest[:]...)
		b = binary.LittleEndian.AppendUint64(b, sim.EpochEvents)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(t.Checkpoints)))
		w.Write(binary.LittleEndian.AppendUint64(b, uint64(len(t.Fingerprints)))) // Flush returns the first error
		for k := range t.Checkpoints {
			w.Write(t.Checkpoints[k][:])
		}
		for some := range slices.Chunk(t.Fingerprints, 1<<10) {
			b := w.AvailableBuffer()
			for _, f := range some {
				b = binary.LittleEndian.AppendUint32(b, f)
			}
			w.Write(b)
		}
		return w.Flush()
	}
}

var errTrace = errors.New("is not a trace of this version, or is damaged")

// decodeTrace reads a trace, whose fingerprints are where the bytes were, with what room is behind them.
func decodeTrace(b []byte) (*sim.Trace, error) {
	if len(b) < traceHeader || string(b[:8]) != traceMagic {
		return nil, errTrace
	}
	t := &sim.Trace{Events: binary.LittleEndian.Uint64(b[8:])}
	copy(t.Digest[:], b[16:])
	checkpoints, fingerprints := binary.LittleEndian.Uint64(b[56:]), binary.LittleEndian.Uint64(b[64:])
	rest := b[traceHeader:]
	if binary.LittleEndian.Uint64(b[48:]) != sim.EpochEvents || checkpoints > uint64(len(rest)) ||
		fingerprints > uint64(len(rest)) ||
		uint64(len(rest)) != 32*checkpoints+4*fingerprints {
		return nil, errTrace
	}
	t.Checkpoints = make([][32]byte, checkpoints)
	for k := range t.Checkpoints {
		t.Checkpoints[k] = [32]byte(rest[:32])
		rest = rest[32:]
	}
	if fingerprints > 0 { // their place is a multiple of 4
		all := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(rest))), cap(rest)/4)
		t.Fingerprints = all[:fingerprints]
		for k := range t.Fingerprints {
			t.Fingerprints[k] = binary.LittleEndian.Uint32(rest[4*k:])
		}
	}
	return t, nil
}

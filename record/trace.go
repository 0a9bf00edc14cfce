// trace.bin: what is needed to say where a repeat parts from a run.
//
// Little-endian: 8 bytes "OVHTRC01", events uint64, digest 32 bytes, events an
// epoch uint64, number of checkpoints uint64, number of fingerprints uint64,
// checkpoints of 32 bytes, fingerprints of 4.

package record

import (
	"encoding/binary"
	"errors"

	"overhear/sim"
)

const (
	traceMagic  = "OVHTRC01"
	traceHeader = 8 + 8 + 32 + 8 + 8 + 8
)

func encodeTrace(t *sim.Trace) []byte {
	b := make([]byte, 0, traceHeader+32*len(t.Checkpoints)+4*len(t.Fingerprints))
	b = append(b, traceMagic...)
	b = binary.LittleEndian.AppendUint64(b, t.Events)
	b = append(b, t.Digest[:]...)
	b = binary.LittleEndian.AppendUint64(b, sim.EpochEvents)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(t.Checkpoints)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(t.Fingerprints)))
	for _, c := range t.Checkpoints {
		b = append(b, c[:]...)
	}
	for _, f := range t.Fingerprints {
		b = binary.LittleEndian.AppendUint32(b, f)
	}
	return b
}

var errTrace = errors.New("is not a trace of this version, or is damaged")

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
	for range checkpoints {
		t.Checkpoints = append(t.Checkpoints, [32]byte(rest[:32]))
		rest = rest[32:]
	}
	for range fingerprints {
		t.Fingerprints = append(t.Fingerprints, binary.LittleEndian.Uint32(rest))
		rest = rest[4:]
	}
	return t, nil
}

// Numbers in frames: 8 bytes each, little-endian.

package python

import (
	"encoding/binary"
	"fmt"
	"math"
)

// refused is an answer that is none: a class cannot make it, only a driver that is not ours.
type refused struct{ error }

// Refusef is the error of an answer that is none.
func Refusef(format string, args ...any) error { return &refused{fmt.Errorf(format, args...)} }

// Put appends vectors.
func Put(b []byte, vectors ...[]float64) []byte {
	for _, v := range vectors {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

// Take reads vectors of what is in a frame, which has to be as long as these.
func Take(body []byte, vectors ...[]float64) error {
	want := 0
	for _, v := range vectors {
		want += 8 * len(v)
	}
	if len(body) != want {
		return Refusef("it wrote %d bytes where %d are an answer", len(body), want)
	}
	for _, v := range vectors {
		body = body[Read(body, v):]
	}
	return nil
}

// Read reads a vector from the beginning of what has it, and returns how many bytes it took.
func Read(body []byte, v []float64) int {
	for k := range v {
		v[k] = math.Float64frombits(binary.LittleEndian.Uint64(body[8*k:]))
	}
	return 8 * len(v)
}

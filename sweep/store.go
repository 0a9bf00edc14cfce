// Where results are kept, as dispatchers see it.

package sweep

import (
	"bytes"
	"fmt"
)

// State is how far a run is.
type State uint8

// States of a run.
const (
	Open     State = iota // not stored
	Finished              // stored
	Broken                // stored as failed
)

// Store keeps encoded results by number. It is safe for concurrent use.
type Store interface {
	// State says whether a run's result is stored.
	State(index int) State

	// Begin notes that a run begins, for those who ask later why a sweep died.
	// A note is no lock: whoever begins a run twice computes it twice.
	Begin(index int) error

	// Put stores a result. It survives the end of this process, however that
	// comes, once Put has returned. Putting the same result again does nothing;
	// a failure gives way to what is put after it, and never replaces a result
	// that is none; another result than the stored one is a *Conflict.
	Put(index int, result []byte) error

	// Drop takes a stored result back, because it was found to be false; the
	// run is open again.
	Drop(index int) error

	// All calls f with every stored result, in order of number. f must not keep
	// the slice.
	All(f func(index int, result []byte) error) error
}

// Conflict is two results of one run: something in the run is not determined by
// the plan.
type Conflict struct {
	Index  int
	Stored []byte
	Other  []byte
}

func (c *Conflict) Error() string {
	text := fmt.Sprintf("run %d has two results that differ, although the plan is the same", c.Index)
	a, errA := Decode(c.Stored)
	b, errB := Decode(c.Other)
	switch {
	case errA != nil || errB != nil:
	case a.Digest != b.Digest:
		text += fmt.Sprintf(": the traces have digests %.16s and %.16s", a.Digest, b.Digest)
	default:
		text += fmt.Sprintf(": the traces have the same digest %.16s, so what is measured of them differs", a.Digest)
	}
	return text + "; the run is not deterministic, or its data set differs between two machines"
}

// put says what Put does with a result, given what is stored.
func put(index int, stored, result []byte) (store bool, err error) {
	switch {
	case stored == nil:
		return true, nil
	case bytes.Equal(stored, result):
		return false, nil
	case Failed(stored):
		return true, nil
	case Failed(result):
		return false, nil
	}
	return false, &Conflict{Index: index, Stored: bytes.Clone(stored), Other: bytes.Clone(result)}
}

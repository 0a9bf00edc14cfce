// Checkpoints: what a run has computed so far, kept beside its directory, so that the
// run can go on after it was stopped.
//
// The engine runs again from the start, as the order of events is cheap, and takes
// from the checkpoint what is not: solves, steps over split columns, measurements and
// the centralised optimum. A run that goes on from a finished one begins where that has
// kept its state, if it has (states.go).

package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"os"
	"slices"
	"sync"
	"time"

	"overhear/internal/checkpoint"
	"overhear/internal/files"
	"overhear/internal/stage"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// CheckpointLimit is how many bytes the checkpoint of a run may have. What a run
// computes after it has so many is not kept.
const CheckpointLimit = 4 << 30

// Tracks of a run's checkpoint that are not a node's.
const (
	optimumTrack = iota
	metricsTrack
)

// keeping is how the checkpoint of one run is kept.
type keeping struct {
	path  string
	every time.Duration // 0: it is not
	kept  string        // where it is left when the run is finished; "": nowhere
	from  *Parent       // the run that this one goes on from; nil: none
	say   func(string)

	states     StatesKept // how many, and how often the run looks whether one is due
	statesPath string     // where they are kept while the run goes on
	statesKept string     // where they are left when it is finished, as kept

	journal *checkpoint.Journal // nil until it is opened, or if none is kept
	saving  *saving             // nil: no states are kept
	key     *[32]byte           // what the parent came from; nil: it has kept nothing
}

// open opens the checkpoint of an assembly; the context ends where it turns out to be
// of another run.
func (k *keeping) open(ctx context.Context, e *Experiment, a *Assembly) (context.Context, error) {
	if k == nil || k.every <= 0 && k.from == nil {
		return ctx, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	o := checkpoint.Options{Every: k.every, Limit: CheckpointLimit, Misfit: cancel,
		Key: sync.OnceValues(func() ([32]byte, error) { return e.origin(a) })}
	if k.from != nil { // which has the same rows and the same graph
		key, err := New(k.from.Scenario, "").origin(a)
		if err != nil {
			return nil, err
		}
		k.key = &key
		o.From = &checkpoint.Source{Path: k.from.Kept, Key: key}
	}
	j, discarded, err := checkpoint.Open(k.path, o)
	if err != nil {
		return nil, err
	}
	k.journal = j
	if e.saves(a, k) {
		k.saving = k.states.saving(k.statesPath, e.Rounds.Count, o.Key)
	}
	if why := j.Unused(); why != nil {
		if errors.Is(why, os.ErrNotExist) {
			why = errors.New("it kept nothing; simulate run --keep does")
		}
		k.say(fmt.Sprintf("seed %d: what the run that it forks computed cannot be used, and is computed again: %v",
			a.Seed, why))
	}
	switch {
	case discarded != nil:
		k.say(fmt.Sprintf("the checkpoint of seed %d is not used and was removed: %v", a.Seed, discarded))
	case j.Old() > 0:
		k.say(fmt.Sprintf("seed %d goes on from its checkpoint, of %d results", a.Seed, j.Old()))
	}
	return ctx, nil
}

// results are those of the checkpoint; nil: none are kept.
func (k *keeping) results() *checkpoint.Journal {
	if k == nil {
		return nil
	}
	return k.journal
}

// end closes the checkpoint of a run that ended so: it is kept if the run was stopped,
// or its results could not be written, and removed if the run is finished or would fail
// again.
func (k *keeping) end(computed bool, err error) error {
	place := ""
	if err == nil {
		place = k.statesKept
	}
	if err := k.saving.end(place); err != nil {
		k.say(err.Error()) // a fork does without
	}
	stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if err != nil && (stopped || computed) && !errors.Is(err, checkpoint.ErrMisfit) {
		if k.journal.Left() > 0 {
			k.say("the run was stopped before it had come to the end of its checkpoint; as it begins at its start " +
				"each time, give it more")
		}
		return k.journal.Close()
	}
	if err == nil && k.kept != "" && k.journal != nil {
		if err := k.journal.Close(); err != nil {
			return err
		}
		return files.Place(k.path, k.kept)
	}
	if k.journal == nil && err == nil { // one that was left, if checkpoints are off now
		if err := removed(k.path); err != nil {
			return err
		}
	}
	return k.journal.Remove()
}

// removed removes a checkpoint that may not be there.
func removed(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing a checkpoint: %w", err)
	}
	return nil
}

// Parent is a finished run that another goes on from, which is like it but for a change of its scenario.
type Parent struct {
	Scenario *scenarios.Scenario
	Run      *record.Run
	Kept     string // the file that has what it computed
	States   string // the file that has what it held at some moments; "": none
	Change   int    // number of the other's change with which it parts from this one

	// Trace reads the trace that the other's must be up to the change, nil if it kept none. The other may change it.
	Trace func() (*sim.Trace, error)

	// Of the run that goes on, once it has come to the change:
	Same  uint64 // its events so far
	Known uint64 // how many of them it did not do again
	Taken int    // results that it was given
}

// holds says whether what the nodes hold is going to be written.
func (k *keeping) holds() bool { return k != nil && k.saving != nil }

// parent is the run that this one goes on from; nil: none.
func (k *keeping) parent() *Parent {
	if k == nil {
		return nil
	}
	return k.from
}

// origin stands for everything that a run comes from: the program, the scenario, the
// seed, and the data and the graph as they were read or drawn.
func (e *Experiment) origin(a *Assembly) (sum [32]byte, err error) {
	h := sha256.New()
	fmt.Fprintln(h, Program(), e.Hash(), a.Seed, a.Graph.Order())
	for i := range a.Graph.Order() {
		enter(h, a.Graph.Neighbours(i))
	}
	if a.Split != nil {
		for _, b := range slices.Concat(a.Split.Blocks, a.Split.TestBlocks) {
			enterRows(h, b)
		}
		enter(h, a.Split.Y)
		enter(h, a.Split.TestY)
		enter(h, a.Split.Targets)
		enter(h, a.Split.TestTargets)
	} else {
		for _, s := range slices.Concat(a.Problem.Shards, []problem.Shard{a.Problem.Test}) {
			enterRows(h, s.U)
			enter(h, s.Y)
			enter(h, s.Targets)
			enter(h, s.Class)
		}
		enter(h, a.Problem.R)
	}
	return [32]byte(h.Sum(nil)), nil
}

// enter adds a list of numbers and its length to a sum.
func enter[T int32 | float64](h hash.Hash, values []T) {
	const piece = 1 << 16
	fmt.Fprintln(h, len(values))
	for len(values) > 0 {
		n := min(len(values), piece)
		_ = binary.Write(h, binary.LittleEndian, values[:n]) // a hash takes everything
		values = values[n:]
	}
}

func enterRows(h hash.Hash, r *problem.Rows) {
	fmt.Fprintln(h, r.D, r.Len())
	enter(h, r.Start)
	if r.Start != nil {
		enter(h, r.Col)
		enter(h, r.Val)
		return
	}
	for i := range r.Len() {
		_, vals := r.Row(i)
		enter(h, vals)
	}
}

// optimum is the centralised optimum that compute finds, or the one that was kept: its
// value and its point.
func optimum(ctx context.Context, j *checkpoint.Journal, doing string, compute func() (float64, []float64, error)) (
	float64, []float64, error) {
	track := j.Track(optimumTrack)
	if kept, ok := track.Next(0); ok {
		return kept[0], kept[1:], nil
	}
	if err := stage.At(ctx, doing, 0, 0); err != nil {
		return 0, nil, err
	}
	found, err := stage.Do(ctx, func() ([]float64, error) {
		value, point, err := compute()
		return slices.Concat([]float64{value}, point), err
	})
	if err != nil {
		return 0, nil, err
	}
	track.Keep(0, found)
	return found[0], found[1:], nil
}

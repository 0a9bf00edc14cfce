// Checkpoints: what a run has computed so far, kept beside its directory, so that the
// run can go on after it was stopped.
//
// The engine runs again from the start, as the order of events is cheap, and takes
// from the checkpoint what is not: solves, steps over split columns, measurements and
// the centralised optimum.

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
	"overhear/problem"
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
	say   func(string)

	journal *checkpoint.Journal // nil until it is opened, or if none is kept
}

// open opens the checkpoint of an assembly; the context ends where it turns out to be
// of another run.
func (k *keeping) open(ctx context.Context, e *Experiment, a *Assembly) (context.Context, error) {
	if k == nil || k.every <= 0 {
		return ctx, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	key := sync.OnceValues(func() ([32]byte, error) { return e.origin(a) })
	j, discarded, err := checkpoint.Open(k.path, checkpoint.Options{Key: key, Every: k.every, Limit: CheckpointLimit,
		Misfit: cancel})
	if err != nil {
		return nil, err
	}
	k.journal = j
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
	stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if err != nil && (stopped || computed) && !errors.Is(err, checkpoint.ErrMisfit) {
		return k.journal.Close()
	}
	if k.journal == nil && err == nil { // one that was left, if checkpoints are off now
		if err := os.Remove(k.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("removing a checkpoint: %w", err)
		}
	}
	return k.journal.Remove()
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
func optimum(j *checkpoint.Journal, compute func() (float64, []float64, error)) (float64, []float64, error) {
	track := j.Track(optimumTrack)
	if kept, ok := track.Next(0); ok {
		return kept[0], kept[1:], nil
	}
	value, point, err := compute()
	if err == nil {
		track.Keep(0, []float64{value}, point)
	}
	return value, point, err
}

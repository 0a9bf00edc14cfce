// Making a sweep: what is left to do, a dispatcher to do it, and the tables.

package sweep

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"overhear/internal/files"
)

// Settings say how to make a sweep; they do not change results.
type Settings struct {
	Dispatcher  Dispatcher
	Shard       Shard
	Only        []int // the numbers of the runs to make, ascending; nil: all
	RetryFailed bool
	Replay      []string // flags to add to the commands that repeat failed runs

	// Progress is told of every run as it is stored, one at a time; may be nil.
	Progress func(Progress)
}

// Progress is how far a sweep, or its shard, is.
type Progress struct {
	Total  int // runs of the shard
	Before int // that were stored when this process began, and are kept
	Done   int // that this process has stored, failed ones included
	Failed int // of Total, so far
}

// Make computes the runs of a directory's plan that are not stored yet and
// writes the tables. On an error, what is stored stays, and the next call goes
// on from there.
func Make(ctx context.Context, d *Dir, s Settings) (Progress, error) {
	p, err := makeRuns(ctx, d, s)
	if err == nil {
		err = WriteTables(d.Path, d.Plan, d.Journal, s.Replay...)
	}
	return p, files.Full(err, fmt.Sprintf("%d of %d runs are finished and kept: make room, and the same command goes "+
		"on from there", p.Before+p.Done, p.Total))
}

// makeRuns computes the runs.
func makeRuns(ctx context.Context, d *Dir, s Settings) (Progress, error) {
	var p Progress
	var todo []int
	for index := range d.Plan.Len() {
		if _, chosen := slices.BinarySearch(s.Only, index); !s.Shard.Has(index) || s.Only != nil && !chosen {
			continue
		}
		p.Total++
		switch state := d.Journal.State(index); {
		case state == Open, state == Broken && s.RetryFailed:
			todo = append(todo, index)
		case state == Broken:
			p.Failed++
			p.Before++
		default:
			p.Before++
		}
	}
	var mu sync.Mutex
	if s.Progress == nil {
		s.Progress = func(Progress) {}
	}
	s.Progress(p)
	stored := func(_ int, failed bool) {
		mu.Lock()
		defer mu.Unlock()
		p.Done++
		if failed {
			p.Failed++
		}
		s.Progress(p)
	}
	dropped := func(index int, failed bool) {
		mu.Lock()
		defer mu.Unlock()
		if _, here := slices.BinarySearch(todo, index); here {
			p.Done--
		} else {
			p.Before--
		}
		if failed {
			p.Failed--
		}
		s.Progress(p)
	}
	if len(todo) > 0 {
		w := Work{Plan: d.Plan, Todo: todo, Store: d.Journal, Stored: stored, Dropped: dropped}
		if err := s.Dispatcher.Run(ctx, w); err != nil {
			mu.Lock()
			defer mu.Unlock()
			return p, err
		}
	}
	return p, nil
}

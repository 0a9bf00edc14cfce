// Dispatchers: who computes the runs.

package sweep

import (
	"context"
	"overhear/internal/guard"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Work is what a dispatcher is to do.
type Work struct {
	Plan  *Plan
	Todo  []int // numbers of runs to compute, rising
	Store Store // for their results

	// Stored is to be called after each result is stored, by any goroutine.
	Stored func(index int, failed bool)

	// Dropped is to be called after a stored result was dropped, by any
	// goroutine; the run is then computed again, also if it is not in Todo.
	Dropped func(index int, failed bool)
}

// Dispatcher computes runs, in any order and any place. What it stores of a run is
// what Runner.Run returns.
type Dispatcher interface {
	// Run returns when every run of w is stored, failed runs included. An error
	// means that it had to stop before: ctx was done, or the store refused.
	Run(ctx context.Context, w Work) error
}

// Local computes in this process.
type Local struct {
	Workers int    // runs at a time; 0 means 1
	Data    string // data directory, "" means the usual ones
}

var _ Dispatcher = Local{}

// Run computes runs in order, several at a time.
func (l Local) Run(ctx context.Context, w Work) error {
	runner := NewRunner(w.Plan, l.Data)
	workers := min(max(1, l.Workers), max(1, len(w.Todo)))
	inside := max(1, l.Workers/workers) // goroutines of one run
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range workers {
		group.Go(guard.Func(func() error {
			for {
				k := int(next.Add(1)) - 1
				if k >= len(w.Todo) {
					return nil
				}
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				index := w.Todo[k]
				if err := w.Store.Begin(index); err != nil {
					return err
				}
				result, err := runner.Run(ctx, index, inside)
				if err != nil {
					return err
				}
				if err := w.Store.Put(index, result); err != nil {
					return err
				}
				w.Stored(index, Failed(result))
			}
		}))
	}
	return group.Wait()
}

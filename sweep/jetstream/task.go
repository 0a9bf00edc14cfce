// What a worker does with a task: computes its runs, stores them while it goes
// on, acknowledges when all are stored. A task that takes long is handed back
// in parts.

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"overhear/sweep"
)

// deliveries is how often a run is given to workers that are lost with it,
// before it counts as failed.
const deliveries = 5

// long is for how much time a worker takes work.
const long = time.Second

// do computes a task. It returns when the worker may take another.
func (w *worker) do(m jetstream.Msg) {
	t, err := w.names.parseTask(m.Subject())
	ticket := m.Headers().Get(ticketHeader)
	if err != nil || t.last >= w.plan.Len() || !certified(w.key, w.plan.Hash, m.Subject(), ticket, nil) {
		if w.refused.Add(1) == 1 {
			w.log(fmt.Sprintf("warning: %.100q was in the queue, which is no task of this sweep's coordinator; it is "+
				"dropped, and so are others", m.Subject()))
		}
		_ = m.Term() // it comes again if this fails
		return
	}
	meta, err := m.Metadata()
	if err != nil {
		w.stop(err)
		return
	}
	times := meta.NumDelivered
	j := &job{worker: w, assignment: assignment{t, ticket}, again: times > 1}
	quiet := w.keepAlive(m)
	switch {
	case times > deliveries && t.count() == 1:
		j.save(t.first, w.failure(t.first, fmt.Sprintf("%d workers had the run and were lost before they finished "+
			"it; it may need more memory than they have", deliveries)))
	case times > 2 && t.count() > 1:
		// One of these runs may be what ends workers: which, is seen when
		// each comes alone.
		j.handBack(t.first, t.last)
	default:
		j.compute()
	}
	w.saving.Go(func() {
		defer quiet()
		j.saving.Wait()
		if !j.dropped {
			w.acknowledge(m)
		}
	})
}

// keepAlive keeps a task from going to others until the function it returns is
// called.
func (w *worker) keepAlive(m jetstream.Msg) (quiet func()) {
	end := make(chan struct{})
	go func() {
		t := time.NewTicker(w.lost / 3)
		defer t.Stop()
		for {
			select {
			case <-end:
				return
			case <-t.C:
				_ = m.InProgress() // the next one may arrive
			}
		}
	}()
	return func() { close(end) }
}

// acknowledge takes a task from the queue. If that fails for good, the task
// comes again, and is found to be stored.
func (w *worker) acknowledge(m jetstream.Msg) {
	ctx, cancel := w.inTime()
	defer cancel()
	err := w.try(ctx, "acknowledging "+m.Subject(), func(ctx context.Context) error {
		err := m.DoubleAck(ctx)
		if errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return nil
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		w.stop(err)
	}
}

// job is a task at hand.
type job struct {
	*worker
	assignment
	again   bool // it was delivered before
	saving  sync.WaitGroup
	mu      sync.Mutex
	dropped bool // something is neither stored nor handed back
}

// leave notes that the task is not all done, and stops the worker.
func (j *job) leave(err error) {
	j.mu.Lock()
	j.dropped = true
	j.mu.Unlock()
	j.stop(err)
}

// compute computes the runs of a task that are not stored, in order.
func (j *job) compute() {
	begin, last := time.Now(), j.last
	for index := j.first; index <= last; index++ {
		if j.soft.Err() != nil {
			j.handBack(index, last)
			return
		}
		if j.again {
			stored, err := j.isStored(index)
			if err != nil {
				j.leave(err)
				return
			}
			if stored {
				continue
			}
		}
		if rest := index + 1; rest <= last && time.Since(begin)+time.Duration(j.pace.Load()) > long {
			before := last
			last = index
			j.handBack(rest, before)
		}
		started := time.Now()
		result, err := j.runner.Run(j.hard, index, 1)
		if err != nil {
			j.leave(err)
			return
		}
		j.pace.Store((j.pace.Load() + int64(time.Since(started))) / 2)
		j.save(index, result)
	}
}

// save stores a result while others are computed.
func (j *job) save(index int, result []byte) {
	j.room <- struct{}{}
	j.saving.Go(func() {
		defer func() { <-j.room }()
		ctx, cancel := j.inTime()
		defer cancel()
		if err := j.storeOnce(ctx, j.assignment, index, result); err != nil {
			j.leave(err)
			return
		}
		if j.o.Stored != nil {
			j.o.Stored(index, sweep.Failed(result))
		}
	})
}

// isStored says whether a run is stored.
func (j *job) isStored(index int) (bool, error) {
	ctx, cancel := j.inTime()
	defer cancel()
	m, err := j.lastOn(ctx, j.results, j.names.result(index))
	return m != nil && !isNone(m.Data), err
}

// handBack has the coordinator hand out runs of the task anew, one by one.
func (j *job) handBack(first, last int) {
	ctx, cancel := j.inTime()
	defer cancel()
	m := j.state(j.own, j.plan.Hash, j.names.back(task{first, last, j.round}), nil)
	if err := j.replace(ctx, j.names.taskStream(), m); err != nil {
		j.leave(err)
	}
}

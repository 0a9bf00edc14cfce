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
	if err == nil && t.last >= w.plan.Len() {
		err = fmt.Errorf("task %s is beyond the plan's %d runs", m.Subject(), w.plan.Len())
	}
	var times uint64
	if err == nil {
		var meta *jetstream.MsgMetadata
		if meta, err = m.Metadata(); err == nil {
			times = meta.NumDelivered
		}
	}
	if err != nil {
		w.stop(err)
		return
	}
	j := &job{worker: w, task: t, again: times > 1}
	quiet := w.keepAlive(m)
	switch {
	case times > deliveries && t.count() == 1:
		j.save(t.first, w.failure(t.first, fmt.Sprintf("%d workers had the run and were lost before they finished "+
			"it; it may need more memory than they have", deliveries)))
	case times > 2 && t.count() > 1:
		// One of these runs may be what ends workers: which, is seen when
		// each comes alone.
		j.singly(t.first)
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
	task
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
	begin := time.Now()
	for index := j.first; index <= j.last; index++ {
		if j.soft.Err() != nil {
			back := task{index, j.last, 0}
			if index == j.first {
				back.round = j.round + 1
			}
			j.handBack(back)
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
		if rest := index + 1; rest <= j.last && time.Since(begin)+time.Duration(j.pace.Load()) > long {
			j.singly(rest)
			j.last = index
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
		if err := j.storeOnce(ctx, index, result); err != nil {
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
	return m != nil, err
}

// singly hands back runs from first on, each as a task of its own.
func (j *job) singly(first int) {
	for index := first; index <= j.last; index++ {
		j.handBack(task{index, index, 0})
	}
}

// handBack puts a task in the queue; one that is there is the same.
func (j *job) handBack(t task) {
	ctx, cancel := j.inTime()
	defer cancel()
	if _, err := j.publish(ctx, j.names.taskStream(), j.names.task(t), 0, nil); err != nil {
		j.leave(err)
	}
}

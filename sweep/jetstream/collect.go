// The coordinator's side of results: from the stream into the sweep's store.

package jetstream

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"overhear/sweep"
)

const (
	ahead      = 500       // results asked for at a time
	aheadBytes = 256 << 20 // of them
)

// collect stores results until all are. It begins with what is there already.
func (c *Coordinator) collect(ctx context.Context, b *board) error {
	var past uint64
	err := c.link.try(ctx, "reading the results", func(ctx context.Context) error {
		info, err := c.results.Info(ctx)
		if err == nil {
			past = info.State.LastSeq
			if info.State.Msgs == 0 {
				past = 0
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if past == 0 {
		b.begin()
	}
	next := uint64(1)
	for failed := 0; ; failed++ {
		err := c.receive(ctx, next, func(m jetstream.Msg, at uint64) (done bool, err error) {
			if at < next {
				return false, nil
			}
			if err := c.take(ctx, b, m, at <= past); err != nil {
				return false, stopError{err}
			}
			next, failed = at+1, 0
			if at >= past {
				b.begin()
			}
			return b.finished(), nil
		})
		if stop, ok := err.(stopError); ok {
			return stop.error
		}
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		select {
		case <-ctx.Done():
		case <-time.After(backOff(failed)):
		}
	}
}

// stopError is an error that reading again does not mend.
type stopError struct{ error }

// receive calls f with each message of the results from a sequence number on,
// until f says that it was the last.
func (c *Coordinator) receive(ctx context.Context, from uint64, f func(m jetstream.Msg, at uint64) (bool,
	error)) error {
	once, cancel := c.link.once(ctx, attempt)
	defer cancel()
	consumer, err := c.link.js.OrderedConsumer(once, c.names.resultStream(),
		jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: from})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(ahead, aheadBytes))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if done, err := f(m, meta.Sequence.Stream); done || err != nil {
			return err
		}
	}
}

// take stores a result; past says that it was there when this process began.
func (c *Coordinator) take(ctx context.Context, b *board, m jetstream.Msg, past bool) error {
	index, conflict, err := c.names.parseResult(m.Subject())
	if err != nil {
		return err
	}
	if index >= c.plan.Len() {
		return fmt.Errorf("a worker stored run %d of a plan with %d", index, c.plan.Len())
	}
	if conflict {
		stored, err := c.link.lastOn(ctx, c.results, c.names.result(index))
		if err != nil {
			return err
		}
		found := &sweep.Conflict{Index: index, Other: m.Data()}
		if stored != nil {
			found.Stored = stored.Data
		}
		return found
	}
	r, err := sweep.Decode(m.Data())
	if err == nil && (r.Index != index || r.Seed != c.plan.Task(index).Seed) {
		err = fmt.Errorf("it says that it is run %d with seed %d", r.Index, r.Seed)
	}
	if err != nil {
		return fmt.Errorf("a worker stored as run %d what is no result of it: %w", index, err)
	}
	failed := r.Error != ""
	if past && failed && b.again(index) {
		// It failed in an earlier sweep, and is to be computed again.
		return c.purge(ctx, c.results, m.Subject())
	}
	return b.put(index, m.Data(), failed)
}

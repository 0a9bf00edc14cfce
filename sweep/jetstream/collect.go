// The coordinator's side of results: from the stream into the sweep's store.

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"overhear/sweep"
)

const (
	ahead      = 500       // results asked for at a time
	aheadBytes = 256 << 20 // of them
)

// collect stores results until ctx is done. It begins with what is there already.
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
		err := c.receive(ctx, next, func(m jetstream.Msg, at uint64) error {
			if at < next {
				return nil
			}
			if err := c.take(ctx, b, m, at, at <= past); err != nil {
				return stopError{err}
			}
			next, failed = at+1, 0
			if at >= past {
				b.begin()
			}
			return nil
		})
		if stop, ok := err.(stopError); ok {
			return stop.error
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

// receive calls f with each message of the results from a sequence number on.
func (c *Coordinator) receive(ctx context.Context, from uint64, f func(m jetstream.Msg, at uint64) error) error {
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
	defer context.AfterFunc(ctx, messages.Stop)() // it may try for ever, whatever Next's context
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if err := f(m, meta.Sequence.Stream); err != nil {
			return err
		}
	}
}

// take stores a result; past says that it was there when this process began.
// What is no result of a task that was handed out is dropped and counted,
// whoever wrote it.
func (c *Coordinator) take(ctx context.Context, b *board, m jetstream.Msg, at uint64, past bool) error {
	index, _, ok := c.names.parseResult(m.Subject())
	if !ok || index >= c.plan.Len() {
		return c.reject(ctx, at, "messages on subjects of no run of the plan")
	}
	s, err := c.read(m.Subject(), m.Headers(), m.Data())
	if err != nil {
		return c.reject(ctx, at, err.Error())
	}
	if index < s.first || index > s.last {
		return c.reject(ctx, at, "results of runs that are not of their task")
	}
	r, err := sweep.Decode(m.Data())
	if err == nil && (r.Index != index || r.Seed != c.plan.Task(index).Seed) {
		err = errors.New("it is of another run")
	}
	if err != nil {
		return c.reject(ctx, at, fmt.Sprintf("messages of worker %s that are no results", short(s.worker)))
	}
	failed := r.Error != ""
	if past && failed && b.again(index) {
		// It failed in an earlier sweep, and is to be computed again.
		return c.purge(ctx, c.results, m.Subject())
	}
	return c.court.hear(ctx, s.worker, index, at, m.Data(), failed)
}

// reject takes a message out of the results, and counts it by what it is.
func (c *Coordinator) reject(ctx context.Context, at uint64, what string) error {
	c.rejected(what)
	return c.remove(ctx, at)
}

// remove takes a message out of the results, unless it is gone already.
func (c *Coordinator) remove(ctx context.Context, at uint64) error {
	return c.link.try(ctx, "dropping a message", func(ctx context.Context) error {
		err := c.results.DeleteMsg(ctx, at)
		if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) || errors.As(err, new(*jetstream.APIError)) {
			return nil
		}
		return err
	})
}

// rejected counts a message that is dropped, and tells of the first, the tenth,
// the hundredth…
func (c *Coordinator) rejected(what string) {
	c.dropped.Lock()
	defer c.dropped.Unlock()
	if c.dropped.of == nil {
		c.dropped.of = map[string]int{}
	}
	c.dropped.of[what]++
	if n := c.dropped.of[what]; powerOfTen(n) {
		c.o.Log(fmt.Sprintf("warning: %d so far were dropped: %s", n, what))
	}
}

func powerOfTen(n int) bool {
	for ; n > 1 && n%10 == 0; n /= 10 {
	}
	return n == 1
}

// The coordinator's side of tasks: it keeps the queue filled, and looks after
// one in which nothing moves.

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
)

const (
	still  = 5 * time.Second // without a result, before the queue is looked at
	atOnce = 32              // tasks published at a time
)

// handOut publishes tasks until ctx is done.
func (c *Coordinator) handOut(ctx context.Context, b *board) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-b.begun:
	}
	if err := c.align(ctx, b); err != nil {
		return err
	}
	t := time.NewTicker(c.still)
	defer t.Stop()
	before := 0
	for {
		if err := c.fill(ctx, b); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-b.moved:
		case <-t.C:
			now := b.progress()
			if now == before {
				if err := c.revive(ctx, b); err != nil {
					return err
				}
			}
			before = now
		}
	}
}

// align learns what is queued.
func (c *Coordinator) align(ctx context.Context, b *board) error {
	var tasks []task
	err := c.link.try(ctx, "reading the queue", func(ctx context.Context) error {
		info, err := c.tasks.Info(ctx, jetstream.WithSubjectFilter(c.names.prefix()+"task.>"))
		if err != nil {
			return err
		}
		tasks = nil
		for subject := range info.State.Subjects {
			if t, err := c.names.parseTask(subject); err == nil { // workers drop what is none
				tasks = append(tasks, t)
			}
		}
		return nil
	})
	if err == nil {
		b.align(tasks)
	}
	return err
}

// fill publishes what waits, as far as the window reaches. A task that is in
// the queue already is refused by the server, and that is right.
func (c *Coordinator) fill(ctx context.Context, b *board) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, t := range b.next() {
		group.Go(func() error {
			m := &nats.Msg{Subject: c.names.task(t), Header: nats.Header{}}
			m.Header.Set(ticketHeader, c.ticket(t))
			_, err := c.link.publish(inner, c.names.taskStream(), m, 0)
			return err
		})
	}
	return group.Wait()
}

// revive puts back what has gone from the queue without a result, and makes the
// consumer anew if it has lost sight of what is queued; both would be the doing
// of someone else, or damage to the server's files.
func (c *Coordinator) revive(ctx context.Context, b *board) error {
	if err := c.align(ctx, b); err != nil {
		return err
	}
	blind := false
	err := c.link.try(ctx, "looking after the queue", func(ctx context.Context) error {
		stream, err := c.tasks.Info(ctx, jetstream.WithSubjectFilter(c.names.prefix()+"task.>"))
		if err != nil {
			return err
		}
		consumer, err := c.tasks.Consumer(ctx, workers)
		if err != nil {
			return err
		}
		info := consumer.CachedInfo()
		blind = len(stream.State.Subjects) > 0 && info.NumPending == 0 && info.NumAckPending == 0
		if blind {
			return c.tasks.DeleteConsumer(ctx, workers)
		}
		return nil
	})
	if err != nil || !blind {
		return err
	}
	c.o.Log(fmt.Sprintf("%s: tasks were queued that no worker was given; they are handed out anew",
		c.names.taskStream()))
	return c.consumer(ctx)
}

// takeBack hands out anew what workers hand back, until ctx is done.
func (c *Coordinator) takeBack(ctx context.Context, b *board) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-b.begun:
	}
	for failed := 0; ; failed++ {
		err := c.receiveBack(ctx, func(m jetstream.Msg) {
			failed = 0
			t, ok := c.names.parseBack(m.Subject())
			s, err := c.read(m.Subject(), m.Headers(), m.Data())
			switch {
			case !ok:
				c.rejected("messages on a subject that is none of this sweep's")
			case err != nil:
				c.rejected(err.Error())
			case t.first < s.first || t.last > s.last:
				c.rejected("messages that hand back what is not of their task")
			default:
				b.giveBack(t)
			}
			_ = m.Ack() // one that is not acknowledged comes again, and does no harm
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_ = err // the consumer is opened again, and streams that are lost are found by keep
		select {
		case <-ctx.Done():
		case <-time.After(backOff(failed)):
		}
	}
}

// receiveBack calls f with every message that hands back, until the stream or ctx
// fails.
func (c *Coordinator) receiveBack(ctx context.Context, f func(m jetstream.Msg)) error {
	once, cancel := c.link.once(ctx, attempt)
	defer cancel()
	consumer, err := c.tasks.Consumer(once, returns)
	if err != nil {
		return err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		f(m)
	}
}

// keep looks after the streams until ctx is done: one that is gone takes with it
// what nobody would notice otherwise.
func (c *Coordinator) keep(ctx context.Context) error {
	t := time.NewTicker(c.still)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-t.C:
		}
		for _, s := range []jetstream.Stream{c.planned, c.tasks, c.results} {
			once, cancel := c.link.once(ctx, attempt)
			_, err := s.Info(once)
			cancel()
			if errors.Is(err, jetstream.ErrStreamNotFound) {
				return fmt.Errorf("looking after the stream %s: %w", s.CachedInfo().Config.Name, err)
			}
		}
	}
}

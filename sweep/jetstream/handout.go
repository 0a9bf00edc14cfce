// The coordinator's side of tasks: it keeps the queue filled, and looks after
// one in which nothing moves.

package jetstream

import (
	"context"
	"fmt"
	"time"

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
		info, err := c.tasks.Info(ctx, jetstream.WithSubjectFilter(">"))
		if err != nil {
			return err
		}
		tasks = nil
		for subject := range info.State.Subjects {
			t, err := c.names.parseTask(subject)
			if err != nil {
				return err
			}
			tasks = append(tasks, t)
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
			_, err := c.link.publish(inner, c.names.taskStream(), c.names.task(t), 0, nil)
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
		stream, err := c.tasks.Info(ctx)
		if err != nil {
			return err
		}
		consumer, err := c.tasks.Consumer(ctx, workers)
		if err != nil {
			return err
		}
		info := consumer.CachedInfo()
		blind = stream.State.Msgs > 0 && info.NumPending == 0 && info.NumAckPending == 0
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

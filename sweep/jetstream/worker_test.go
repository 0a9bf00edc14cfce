// Workers that are lost, are asked to stop, or take runs with them.

package jetstream

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"overhear/sweep"
)

// start makes a sweep in the background.
func start(t *testing.T, c *Coordinator, dir string) <-chan error {
	if err := c.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	made := make(chan error, 1)
	go func() {
		_, err := makeWith(t, c, dir, sweep.Settings{})
		made <- err
	}()
	return made
}

// Tasks of a worker that is gone go to others.
func TestLostWorker(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 60})
	o := options(t)
	o.batch = 7
	c := coordinator(t, p, o)
	dir := t.TempDir()
	made := start(t, c, dir)
	gone := hand(t, c)
	for taken := 0; taken < 3; {
		if m, err := gone.fetch(); err != nil {
			t.Fatal(err)
		} else if m != nil {
			taken++
		}
	}
	if err := Work(t.Context(), WorkerOptions{Server: c.address(), Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	if messages, writes := written(t, c); messages != 60 || writes != 60 {
		t.Errorf("%d results in %d writes", messages, writes)
	}
	sameTables(t, alone(t, p), dir)
}

// A run that ends its worker each time is a failure in the end; those that were
// handed out with it are computed.
func TestRunThatEndsWorkers(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 20})
	o := options(t)
	o.batch = 20
	c := coordinator(t, p, o)
	d := open(t, t.TempDir(), p)
	if err := c.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	made := make(chan error, 1)
	go func() {
		_, err := sweep.Make(t.Context(), d, sweep.Settings{Dispatcher: c})
		made <- err
	}()
	const guilty = 13
	doomed := hand(t, c)
	doomed.o.Workers, doomed.runner, doomed.room = 1, sweep.NewRunner(p, ""), make(chan struct{}, rooms)
	doomed.hard = t.Context()
	for lost := 0; lost < deliveries+2; {
		m, err := doomed.fetch()
		if err != nil {
			t.Fatal(err)
		}
		if m == nil {
			continue
		}
		parsed, err := c.names.parseTask(m.Subject())
		if err != nil {
			t.Fatal(err)
		}
		meta, err := m.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		if parsed.first <= guilty && guilty <= parsed.last && (parsed.count() == 1 || meta.NumDelivered < 3) {
			lost++
			if err := m.Nak(); err != nil { // as after being lost, but at once
				t.Fatal(err)
			}
			continue
		}
		doomed.do(m)
	}
	doomed.saving.Wait()
	if err := Work(t.Context(), WorkerOptions{Server: c.address()}); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	for index := range p.Len() {
		if broken := d.Journal.State(index) == sweep.Broken; broken != (index == guilty) {
			t.Errorf("run %d: state %d", index, d.Journal.State(index))
		}
	}
	var text bytes.Buffer
	if err := sweep.ListFailures(&text, p, d.Journal); err != nil || !strings.Contains(text.String(),
		"run 13 failed: 5 workers had the run and were lost") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// Asked to stop, a worker stores what it has begun and hands back the rest at
// once: nothing is computed twice, and nobody waits.
func TestAskedToStop(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 100})
	o := options(t)
	o.batch, o.LostAfter = 50, time.Minute
	c := coordinator(t, p, o)
	c.still = still // a queue that is looked after while results are on their way hands out some of them anew
	dir := t.TempDir()
	made := start(t, c, dir)
	var first, second atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	err := Work(ctx, WorkerOptions{Server: c.address(), Workers: 2, Stored: func(int, bool) {
		if first.Add(1) == 5 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := Work(t.Context(), WorkerOptions{Server: c.address(), Workers: 2,
		Stored: func(int, bool) { second.Add(1) }}); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	if a, b := first.Load(), second.Load(); a < 5 || b == 0 || a+b != 100 {
		t.Errorf("%d and %d runs", a, b)
	}
	sameTables(t, alone(t, p), dir)
}

// A task of long runs is handed back for others, one by one.
func TestSharesLongTasks(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 10})
	o := options(t)
	o.batch = 10
	c := coordinator(t, p, o)
	dir := t.TempDir()
	made := start(t, c, dir)
	w := hand(t, c)
	w.runner, w.room, w.hard = sweep.NewRunner(p, ""), make(chan struct{}, rooms), t.Context()
	w.pace.Store(int64(time.Hour))
	for {
		m, err := w.fetch()
		if err != nil {
			t.Fatal(err)
		}
		if m != nil {
			w.do(m)
			break
		}
	}
	w.saving.Wait()
	within(t, "the nine others, one by one", func() bool {
		info, err := c.tasks.Info(t.Context(), jetstream.WithSubjectFilter(c.names.prefix()+"task.>"))
		return err == nil && len(info.State.Subjects) == 9
	})
	if err := Work(t.Context(), WorkerOptions{Server: c.address()}); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	sameTables(t, alone(t, p), dir)
}

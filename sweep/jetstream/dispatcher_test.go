// The dispatcher against the one in this process: same tables, whatever happens on
// the way.

package jetstream

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"overhear/sweep"
)

func TestSameBytes(t *testing.T) {
	for name, o := range map[string]sweep.Options{
		"last":    {Grid: []string{"algorithm.eta=0.1,0.3,1", "problem.rho=0.02,0.2"}, Seeds: 20},
		"rounds":  {Grid: []string{"algorithm.eta=0.1,0.3,1"}, Seeds: 5, Keep: sweep.KeepRounds},
		"failing": {Grid: []string{"network.topology.nodes=4,200,5", "rounds.count=2,3"}, Seeds: 3},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan(t, o)
			want := alone(t, p)
			for _, batch := range []int{0, 1, 1000} {
				o := options(t)
				o.Workers, o.batch = 2, batch
				c := coordinator(t, p, o)
				dir := t.TempDir()
				if _, err := makeWith(t, c, dir, sweep.Settings{}); err != nil {
					t.Fatal(err)
				}
				if messages, writes := written(t, c); messages != uint64(p.Len()) || writes != messages {
					t.Errorf("%d results in %d writes, of %d runs", messages, writes, p.Len())
				}
				sameTables(t, want, dir)
				if err := c.Finish(t.Context()); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(o.Dir); !errors.Is(err, os.ErrNotExist) {
					t.Error("the streams are still there")
				}
			}
		})
	}
}

// Workers of other processes, on a server of someone else.
func TestJoin(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 200})
	url := broker(t, nil)
	o := options(t)
	o.Server = url
	c := coordinator(t, p, o)
	ended := make(chan error, 3)
	for range 3 {
		go func() {
			ended <- Work(t.Context(), WorkerOptions{Server: url, Workers: 2, Sweep: p.Hash[:7], Log: logTo(t)})
		}()
	}
	dir := t.TempDir()
	if _, err := makeWith(t, c, dir, sweep.Settings{}); err != nil {
		t.Fatal(err)
	}
	if messages, writes := written(t, c); messages != 200 || writes != 200 {
		t.Errorf("%d results in %d writes", messages, writes)
	}
	if err := c.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	sameTables(t, alone(t, p), dir)
	// One that comes late leaves at once.
	if err := Work(t.Context(), WorkerOptions{Server: url, Log: logTo(t)}); err != nil {
		t.Error(err)
	}
	// What is left is a word.
	again := opened(t, p, o)
	if messages, _ := written(t, again); messages != 0 {
		t.Errorf("%d results are left", messages)
	}
}

func TestChoosesASweep(t *testing.T) {
	o := options(t)
	o.Server = broker(t, nil)
	a, b := plan(t, sweep.Options{Seeds: 3}), plan(t, sweep.Options{Seeds: 4})
	opened(t, a, o)
	opened(t, b, o)
	err := Work(t.Context(), WorkerOptions{Server: o.Server})
	if err == nil || !strings.Contains(err.Error(), "choose one with --sweep: ") ||
		!strings.Contains(err.Error(), a.Hash[:16]) {
		t.Errorf("two sweeps: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = Work(ctx, WorkerOptions{Server: o.Server, Sweep: b.Hash, Joined: func(p *sweep.Plan) {
		if p.Hash != b.Hash {
			t.Error("another sweep was joined")
		}
		cancel()
	}})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAnotherProgram(t *testing.T) {
	o := options(t)
	o.Server = broker(t, nil)
	p := plan(t, sweep.Options{Seeds: 3})
	edited := *p
	edited.Version = "0.0.0"
	opened(t, &edited, o)
	if err := Work(t.Context(), WorkerOptions{Server: o.Server}); err == nil ||
		!strings.Contains(err.Error(), "the plan is of version 0.0.0") {
		t.Errorf("another version: %v", err)
	}
	edited = *p
	edited.Sets = []string{"rounds.count=6"}
	edited.Hash = strings.Repeat("f", 64)
	o.Server = broker(t, nil)
	opened(t, &edited, o)
	if err := Work(t.Context(), WorkerOptions{Server: o.Server}); err == nil ||
		!strings.Contains(err.Error(), "it was edited") {
		t.Errorf("another hash: %v", err)
	}
}

// Stopped and begun again, in a directory and with streams that another process
// left.
func TestGoesOn(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 100})
	o := options(t)
	o.Workers = 2
	dir := t.TempDir()
	computed := 0
	for attempt := 0; ; attempt++ {
		c := coordinator(t, p, o)
		d := open(t, dir, p)
		ctx, cancel := context.WithCancel(t.Context())
		progress, err := sweep.Make(ctx, d, sweep.Settings{Dispatcher: c, Progress: func(p sweep.Progress) {
			if p.Done == 30 {
				cancel()
			}
		}})
		cancel()
		computed += progress.Done
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if err == nil {
			if messages, writes := written(t, c); messages != 100 || writes != 100 {
				t.Errorf("%d results in %d writes", messages, writes)
			}
			break
		}
		c.Close()
		if !errors.Is(err, context.Canceled) || attempt > 5 {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
	}
	if computed != p.Len() {
		t.Errorf("%d results were stored, of %d", computed, p.Len())
	}
	sameTables(t, alone(t, p), dir)
}

// A directory that is lost is filled from the streams.
func TestStreamsAreEnough(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 20})
	o := options(t)
	o.Workers, o.Server = 1, broker(t, nil)
	if _, err := makeWith(t, coordinator(t, p, o), t.TempDir(), sweep.Settings{}); err != nil {
		t.Fatal(err)
	}
	o.Workers = 0
	dir := t.TempDir()
	if _, err := makeWith(t, coordinator(t, p, o), dir, sweep.Settings{}); err != nil {
		t.Fatal(err)
	}
	sameTables(t, alone(t, p), dir)
}

func TestRetryFailed(t *testing.T) {
	p := plan(t, sweep.Options{Grid: []string{"network.topology.nodes=4,200"}, Seeds: 3})
	o := options(t)
	o.Workers, o.Server = 1, broker(t, nil)
	dir := t.TempDir()
	for k, want := range []sweep.Progress{{Total: 6, Done: 6, Failed: 3}, {Total: 6, Before: 6, Failed: 3},
		{Total: 6, Before: 3, Done: 3, Failed: 3}} {
		c := coordinator(t, p, o)
		got, err := makeWith(t, c, dir, sweep.Settings{RetryFailed: k == 2})
		if err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
		if k == 2 {
			if messages, writes := written(t, c); messages != 6 || writes != 9 {
				t.Errorf("%d results in %d writes", messages, writes)
			}
		}
	}
}

// Tasks that vanish are published again, a consumer that vanishes is made anew.
func TestRevives(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 10})
	c := coordinator(t, p, options(t))
	if err := c.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	made := make(chan error, 1)
	dir := t.TempDir()
	go func() {
		_, err := makeWith(t, c, dir, sweep.Settings{})
		made <- err
	}()
	queued := func(want uint64) {
		t.Helper()
		for range 500 {
			if info, err := c.tasks.Info(t.Context()); err == nil && info.State.Msgs == want {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatal("the tasks do not come")
	}
	queued(10)
	if err := c.tasks.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	queued(10)
	// A consumer that believes to have delivered everything.
	if err := c.tasks.DeleteConsumer(t.Context(), workers); err != nil {
		t.Fatal(err)
	}
	_, err := c.tasks.CreateConsumer(t.Context(), jetstream.ConsumerConfig{Durable: workers,
		AckPolicy: jetstream.AckExplicitPolicy, FilterSubject: c.names.task(task{99, 99, 0})})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = Work(t.Context(), WorkerOptions{Server: c.address()}) }()
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	sameTables(t, alone(t, p), dir)
}

func TestLongResults(t *testing.T) {
	o := options(t)
	o.Server = broker(t, func(o *server.Options) { o.MaxPayload = 4096 })
	o.Workers = 1
	p := plan(t, sweep.Options{Grid: []string{"rounds.count=2,200"}, Keep: sweep.KeepRounds})
	d := open(t, t.TempDir(), p)
	progress, err := sweep.Make(t.Context(), d, sweep.Settings{Dispatcher: coordinator(t, p, o)})
	if err != nil || progress.Failed != 1 {
		t.Errorf("%+v, %v", progress, err)
	}
	var text bytes.Buffer
	if err := sweep.ListFailures(&text, p, d.Journal); err != nil || !strings.Contains(text.String(),
		"the server takes messages of at most 4096; raise its max_payload, or keep fewer rows (--rows last)") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

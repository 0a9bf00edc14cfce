// Workers: they find a sweep on a server, compute runs of it until it ends, and
// outlast the server's absence.

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"overhear/sweep"
)

// WorkerOptions say how to work.
type WorkerOptions struct {
	Access
	Server  string // its address, nats://HOST:PORT; several with commas
	Sweep   string // beginning of the plan's hash, if the server has several sweeps
	Workers int    // runs at a time; 0 means 1
	Data    string // data directory, "" means the usual ones

	// Log is told, in a line, what a user may want to know. May be nil.
	Log func(string)

	// Joined is told of the sweep once it is found. May be nil.
	Joined func(p *sweep.Plan)

	// Stored is called after each result is stored, by any goroutine. May be nil.
	Stored func(index int, failed bool)
}

const (
	beat  = time.Second      // between signs of life
	poll  = 2 * time.Second  // for a task, before asking again
	grace = 15 * time.Second // to store what is computed, after being asked to stop
	rooms = 64               // results of a process on their way
)

// errEnded is why a worker stops in the end.
var errEnded = errors.New("the sweep has ended")

// Work computes runs until the sweep ends. When ctx is done, it finishes and
// stores the runs at hand, hands back the others, and returns ctx's error.
func Work(ctx context.Context, o WorkerOptions) error {
	if err := CheckURL(o.Server); err != nil {
		return err
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	l, err := connect(ctx, o.Server, o.Access, nil, o.Log)
	if err != nil {
		return err
	}
	defer l.close()
	p, err := l.find(ctx, o.Sweep)
	if p == nil || err != nil {
		return err
	}
	if o.Joined != nil {
		o.Joined(p)
	}
	return l.work(ctx, context.Background(), p, o)
}

// find reads the plan to work on; nil if all sweeps there have ended.
func (l *link) find(ctx context.Context, wanted string) (*sweep.Plan, error) {
	for {
		var streams []string
		err := l.try(ctx, "looking for a sweep", func(ctx context.Context) error {
			list := l.js.StreamNames(ctx, jetstream.WithStreamListSubject(plans))
			streams = nil
			for name := range list.Name() {
				streams = append(streams, name)
			}
			return list.Err()
		})
		if err != nil {
			return nil, err
		}
		ended, why := 0, ""
		var open [][]byte
		var list []string
		for _, name := range streams {
			n, ok := ofStream(name)
			if !ok || wanted != "" && !strings.HasPrefix(wanted, string(n)) && !strings.HasPrefix(string(n), wanted) {
				continue
			}
			text, end, err := l.read(ctx, n)
			switch {
			case err != nil:
				return nil, err
			case end != nil:
				ended++
				why = string(end.Data)
			case text != nil:
				open = append(open, text)
				list = append(list, string(n))
			}
		}
		switch {
		case len(open) > 1:
			return nil, fmt.Errorf("the server has %d sweeps; choose one with --sweep: %s", len(open),
				strings.Join(list, ", "))
		case len(open) == 1:
			p, err := sweep.ReadPlan(open[0])
			if err != nil {
				return nil, fmt.Errorf("this worker cannot join: %w", err)
			}
			return p, nil
		case ended > 0 && why != "":
			return nil, errors.New(why)
		case ended > 0:
			l.log("the sweep has ended already")
			return nil, nil
		}
		select { // the coordinator is about to begin, or comes later
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-l.done.Done():
			return nil, context.Cause(l.done)
		case <-time.After(beat):
		}
	}
}

// read reads a plan's JSON, and the end of its sweep, nil before that.
func (l *link) read(ctx context.Context, n names) (text []byte, end *jetstream.RawStreamMsg, err error) {
	s, err := l.stream(ctx, n.planStream())
	if err != nil {
		return nil, nil, err
	}
	end, err = l.lastOn(ctx, s, n.end())
	if err != nil || end != nil {
		return nil, end, err
	}
	m, err := l.lastOn(ctx, s, n.plan())
	if err != nil || m == nil {
		return nil, nil, err
	}
	return m.Data, nil, nil
}

func (l *link) stream(ctx context.Context, name string) (s jetstream.Stream, err error) {
	err = l.try(ctx, "opening "+name, func(ctx context.Context) error {
		s, err = l.js.Stream(ctx, name)
		return err
	})
	return s, err
}

// worker works on a sweep.
type worker struct {
	*link
	names   names
	plan    *sweep.Plan
	runner  *sweep.Runner
	o       WorkerOptions
	id      string
	planned jetstream.Stream
	results jetstream.Stream
	tasks   jetstream.Consumer
	lost    time.Duration // after which a worker without signs of life is lost

	soft   context.Context // done: begin nothing more
	hard   context.Context // done: drop what is at hand
	stop   context.CancelCauseFunc
	drop   context.CancelCauseFunc // hard
	saving sync.WaitGroup
	room   chan struct{}
	pace   atomic.Int64 // nanoseconds a run, lately
}

// work computes runs of a plan until ctx is done, the sweep ends or something
// fails; what is at hand then is finished unless hard is done too.
func (l *link) work(ctx, hard context.Context, p *sweep.Plan, o WorkerOptions) error {
	w := &worker{link: l, names: namesOf(p.Hash), plan: p, runner: sweep.NewRunner(p, o.Data), o: o,
		id: nats.NewInbox(), room: make(chan struct{}, rooms)}
	var err error
	if w.planned, err = l.stream(ctx, w.names.planStream()); err != nil {
		return err
	}
	if w.results, err = l.stream(ctx, w.names.resultStream()); err != nil {
		return err
	}
	err = l.try(ctx, "opening the tasks", func(ctx context.Context) error {
		w.tasks, err = l.js.Consumer(ctx, w.names.taskStream(), workers)
		return err
	})
	if err != nil {
		return err
	}
	w.lost = w.tasks.CachedInfo().Config.AckWait
	w.soft, w.stop = context.WithCancelCause(ctx)
	defer w.stop(nil)
	w.hard, w.drop = context.WithCancelCause(hard)
	defer w.drop(nil)
	defer context.AfterFunc(l.done, func() { w.end(context.Cause(l.done)) })()

	var slots sync.WaitGroup
	for range max(1, o.Workers) {
		slots.Go(w.slot)
	}
	watching, halt := context.WithCancel(w.hard)
	var watch sync.WaitGroup
	watch.Go(func() { w.watch(watching) })
	slots.Wait()
	w.saving.Wait()
	halt()
	watch.Wait()
	w.leave()
	if err := context.Cause(w.soft); !errors.Is(err, errEnded) {
		return err
	}
	return nil
}

// end begins nothing more and drops what is at hand.
func (w *worker) end(cause error) {
	w.stop(cause)
	w.drop(cause)
}

// slot computes one task after another.
func (w *worker) slot() {
	for failed := 0; w.soft.Err() == nil; {
		m, err := w.fetch()
		switch {
		case m != nil:
			failed = 0
			w.do(m)
		case err != nil:
			failed++
			select {
			case <-w.soft.Done():
			case <-time.After(backOff(failed)):
			}
		}
	}
}

// fetch asks for a task; nil if none came for a while.
func (w *worker) fetch() (jetstream.Msg, error) {
	ctx, cancel := w.once(w.soft, poll)
	defer cancel()
	batch, err := w.tasks.Fetch(1, jetstream.FetchContext(ctx))
	if err != nil {
		return nil, err
	}
	for m := range batch.Messages() {
		return m, nil
	}
	if err := batch.Error(); !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	return nil, nil
}

// watch gives signs of life and looks for the end.
func (w *worker) watch(ctx context.Context) {
	t := time.NewTicker(beat)
	defer t.Stop()
	for {
		_ = w.nc.Publish(w.names.present(), []byte(w.id)) // the next one may arrive
		once, cancel := w.once(ctx, attempt)
		m, err := w.planned.GetLastMsgForSubject(once, w.names.end())
		cancel()
		switch {
		case err != nil: // none yet, or not to be had now
		case len(m.Data) > 0:
			w.end(errors.New(string(m.Data)))
		default:
			w.end(errEnded)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// leave says that this worker waits for nothing more.
func (w *worker) leave() {
	if w.nc.IsConnected() && w.nc.Publish(w.names.present(), []byte("-"+w.id)) == nil {
		_ = w.nc.FlushTimeout(beat) // the coordinator would only wait longer
	}
}

// inTime is hard's context, but ends some time after the worker was asked to
// stop: a server that is away then may never come back.
func (w *worker) inTime() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(w.hard)
	halt := context.AfterFunc(w.soft, func() {
		select {
		case <-ctx.Done():
		case <-time.After(grace):
			cancel(fmt.Errorf("asked to stop, the worker could not reach the server for %v; what it had at hand will "+
				"be computed again", grace))
		}
	})
	return ctx, func() {
		halt()
		cancel(nil)
	}
}

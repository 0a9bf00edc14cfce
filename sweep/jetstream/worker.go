// Workers: they find a sweep on a server, compute runs of it until it ends, and
// outlast the server's absence.

package jetstream

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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

	key ed25519.PrivateKey // nil: a new one
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
		o.Joined(p.Plan)
	}
	return l.work(ctx, context.Background(), p, o)
}

// found is a plan on a server, and the key of its coordinator. Whatever comes
// later has to be of this key.
type found struct {
	*sweep.Plan
	key ed25519.PublicKey
}

// find reads the plan to work on; nil if all sweeps there have ended.
func (l *link) find(ctx context.Context, wanted string) (*found, error) {
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
		var open []*jetstream.RawStreamMsg
		var list []string
		for _, name := range streams {
			n, ok := ofStream(name)
			if !ok || wanted != "" && !strings.HasPrefix(wanted, string(n)) && !strings.HasPrefix(string(n), wanted) {
				continue
			}
			m, end, err := l.read(ctx, n)
			switch {
			case err != nil:
				return nil, err
			case end != nil:
				ended++
				why = string(end.Data)
			case m != nil:
				open = append(open, m)
				list = append(list, string(n))
			}
		}
		switch {
		case len(open) > 1:
			return nil, fmt.Errorf("the server has %d sweeps; choose one with --sweep: %s", len(open),
				strings.Join(list, ", "))
		case len(open) == 1:
			p, err := sweep.ReadPlan(open[0].Data)
			if err != nil {
				return nil, fmt.Errorf("this worker cannot join: %w", err)
			}
			k, ok := keyOf(open[0].Header.Get(keyHeader))
			if !ok || string(namesOf(p.Hash)) != list[0] {
				return nil, errors.New("this worker cannot join: the plan on the server is without a coordinator's " +
					"key, or on another's place; it is of another version of the program, or somebody wrote it who " +
					"should not")
			}
			return &found{p, k}, nil
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

// read reads a plan's message, and the end of its sweep, nil before that.
func (l *link) read(ctx context.Context, n names) (m, end *jetstream.RawStreamMsg, err error) {
	s, err := l.stream(ctx, n.planStream())
	if err != nil {
		return nil, nil, err
	}
	if end, err = l.lastOn(ctx, s, n.end()); err != nil {
		return nil, nil, err
	}
	if m, err = l.lastOn(ctx, s, n.plan()); err != nil || m == nil {
		return nil, end, err // the plan goes when all has ended
	}
	if k, ok := keyOf(m.Header.Get(keyHeader)); end != nil && ok {
		if p := new(struct{ Hash string }); json.Unmarshal(m.Data, p) == nil && ends(k, p.Hash, n, end) {
			return nil, end, nil
		}
	}
	return m, nil, nil
}

// ends says whether the message of a sweep's end is its coordinator's.
func ends(k ed25519.PublicKey, plan string, n names, m *jetstream.RawStreamMsg) bool {
	return certified(k, plan, n.end(), m.Header.Get(signatureHeader), m.Data)
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
	key     ed25519.PublicKey // of the coordinator
	own     ed25519.PrivateKey
	host    string
	runner  *sweep.Runner
	o       WorkerOptions
	planned jetstream.Stream
	results jetstream.Stream
	tasks   jetstream.Consumer
	lost    time.Duration // after which a worker without signs of life is lost

	soft    context.Context // done: begin nothing more
	hard    context.Context // done: drop what is at hand
	stop    context.CancelCauseFunc
	drop    context.CancelCauseFunc // hard
	saving  sync.WaitGroup
	room    chan struct{}
	pace    atomic.Int64 // nanoseconds a run, lately
	refused atomic.Int64 // tasks that were none of the coordinator's
}

// work computes runs of a plan until ctx is done, the sweep ends or something
// fails; what is at hand then is finished unless hard is done too.
func (l *link) work(ctx, hard context.Context, p *found, o WorkerOptions) error {
	if o.key == nil {
		o.key = newKey()
	}
	w := &worker{link: l, names: namesOf(p.Hash), plan: p.Plan, key: p.key, own: o.key,
		runner: sweep.NewRunner(p.Plan, o.Data), o: o, room: make(chan struct{}, rooms)}
	var err error
	if w.host, err = os.Hostname(); err != nil {
		w.host = ""
	}
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
	answers := w.nc.NewRespInbox()
	sub, err := w.nc.Subscribe(answers, w.told)
	if err == nil {
		defer func() { _ = sub.Unsubscribe() }() // the connection ends soon
	}
	t := time.NewTicker(beat)
	defer t.Stop()
	gone := false
	for {
		m := presence(w.own, w.names, w.plan.Hash, w.host, false)
		m.Reply = answers
		_ = w.nc.PublishMsg(m) // the next one may arrive
		once, cancel := w.once(ctx, attempt)
		end, err := w.planned.GetLastMsgForSubject(once, w.names.end())
		cancel()
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			if !gone {
				w.log("the sweep's streams are gone from the server; this worker waits until the coordinator makes " +
					"them anew, or until it is interrupted")
			}
			gone = true
		case err != nil, !ends(w.key, w.plan.Hash, w.names, end):
			// None yet, or not to be had now, or not the coordinator's.
		case len(end.Data) > 0:
			w.end(errors.New(string(end.Data)))
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

// told is what the coordinator answers a sign of life: that this worker is to
// leave.
func (w *worker) told(m *nats.Msg) {
	name := nameOf(w.own.Public().(ed25519.PublicKey))
	if certified(w.key, w.plan.Hash, name, m.Header.Get(signatureHeader), m.Data) {
		w.end(fmt.Errorf("the coordinator does not take results of this worker (%s) any more: %s", short(name), m.Data))
	}
}

// leave says that this worker waits for nothing more.
func (w *worker) leave() {
	if w.nc.IsConnected() && w.nc.PublishMsg(presence(w.own, w.names, w.plan.Hash, w.host, true)) == nil {
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

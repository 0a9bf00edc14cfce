// The coordinator: a dispatcher whose runs are computed by workers elsewhere.

package jetstream

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"overhear/sweep"
)

// Options say how to coordinate.
type Options struct {
	Access
	Listen    string        // address of the own server, HOST:PORT
	Server    string        // use this server instead, nats://HOST:PORT; several with commas
	Dir       string        // where the own server keeps its streams
	Replicas  int           // of streams on a cluster; 0 means 1
	LostAfter time.Duration // without signs of life, a worker's runs go to others; 0 means 30 s
	Workers   int           // runs at a time in this process, besides those of others
	Data      string        // data directory of these, "" means the usual ones
	Keep      bool          // do not remove the streams in the end
	Check     float64       // share of the results that are computed again here, and the first of each worker; 0: none

	// Log is told, in a line, what a user may want to know. May be nil.
	Log func(string)

	noSync bool // the own server leaves writing to the disk to the system
	batch  int  // runs of a task at most; 0 means as many as suit
}

// Coordinator is a dispatcher. Its zero value is of no use: see New.
type Coordinator struct {
	o       Options
	plan    *sweep.Plan
	names   names
	key     ed25519.PrivateKey
	secret  string         // of the own server
	own     *server.Server // nil if it is someone else's
	link    *link
	planned jetstream.Stream
	tasks   jetstream.Stream
	results jetstream.Stream
	crew    *crew
	court   *court
	dropped struct {
		sync.Mutex
		of map[string]int // by what they are
	}
	opened  time.Time
	resumed bool          // another process may have left workers behind
	still   time.Duration // without a result, before the queue is looked at
}

var _ sweep.Dispatcher = (*Coordinator)(nil)

// New prepares to coordinate a plan. It refuses to let strangers in: see
// ErrOpen.
func New(p *sweep.Plan, o Options) (*Coordinator, error) {
	if o.Server != "" {
		if err := CheckURL(o.Server); err != nil {
			return nil, err
		}
		if err := o.check(); err != nil {
			return nil, err
		}
	} else if err := o.listen(o.Listen); err != nil {
		return nil, err
	}
	if o.Replicas < 0 || o.Replicas > 5 || o.Replicas > 1 && o.Server == "" {
		return nil, fmt.Errorf("--replicas is from 1 to 5, and above 1 only on a cluster (--nats), not %d", o.Replicas)
	}
	if o.LostAfter < 0 || o.LostAfter > 0 && o.LostAfter < time.Second {
		return nil, fmt.Errorf("--lost-after must be at least 1s, is %v", o.LostAfter)
	}
	if !(o.Check >= 0 && o.Check <= 1) {
		return nil, fmt.Errorf("--check is a share, from 0 (no result) to 1 (all), not %v", o.Check)
	}
	if o.LostAfter == 0 {
		o.LostAfter = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return &Coordinator{o: o, plan: p, names: namesOf(p.Hash), still: still}, nil
}

// Run computes the runs of w, which is of the plan that New was given.
func (c *Coordinator) Run(ctx context.Context, w sweep.Work) error {
	if err := c.open(ctx); err != nil {
		return err
	}
	// A worker that sees an end would leave.
	if err := c.purge(ctx, c.planned, c.names.end()); err != nil {
		return err
	}
	group, inner := errgroup.WithContext(ctx)
	inner, enough := context.WithCancelCause(inner)
	defer enough(nil)
	b := newBoard(w, c.o.batch)
	b.check(0) // there may be nothing to do
	c.court = newCourt(c, b)
	group.Go(func() error {
		select {
		case <-inner.Done():
		case <-b.over:
			enough(errEnded)
		}
		return nil
	})
	for _, part := range []func(context.Context, *board) error{c.collect, c.handOut, c.takeBack} {
		group.Go(func() error { return unlessEnded(part(inner, b)) })
	}
	group.Go(func() error { return unlessEnded(c.court.sit(inner)) })
	group.Go(func() error { return unlessEnded(c.keep(inner)) })
	if c.o.Workers > 0 {
		group.Go(func() error {
			l, err := connect(inner, c.address(), c.access(), c.own, c.o.Log)
			if err != nil {
				return err
			}
			defer l.close()
			return unlessEnded(l.work(inner, inner, &found{c.plan, c.public()}, WorkerOptions{Workers: c.o.Workers,
				Data: c.o.Data, Log: c.o.Log, key: c.key}))
		})
	}
	group.Go(func() error {
		select {
		case <-inner.Done():
			return nil
		case <-c.link.done.Done():
			return context.Cause(c.link.done)
		}
	})
	err := group.Wait()
	c.court.report()
	if err == nil {
		return c.end(ctx, "")
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("a stream of the sweep is gone from the server: somebody deleted it, or the server lost its "+
			"files (%w); results that were collected are kept, and the same command makes the streams anew and has "+
			"the others computed", err)
	}
	if errors.As(err, new(*sweep.Conflict)) {
		short, cancel := context.WithTimeout(ctx, attempt)
		defer cancel()
		return errors.Join(err, c.end(short, "the coordinator stopped: "+err.Error()))
	}
	return err
}

func unlessEnded(err error) error {
	if errors.Is(err, errEnded) {
		return nil
	}
	return err
}

// access is what lets this process in.
func (c *Coordinator) access() Access {
	a := c.o.Access
	if c.own != nil {
		a.Token = c.secret
	}
	return a
}

// address is how this process reaches the server.
func (c *Coordinator) address() string {
	if c.own != nil {
		return c.own.ClientURL()
	}
	return c.o.Server
}

// open starts or reaches the server, and makes the streams.
func (c *Coordinator) open(ctx context.Context) error {
	if c.link != nil {
		return nil
	}
	c.resumed = c.o.Server == "" && c.left()
	var err error
	if c.o.Server == "" {
		if c.own, c.secret, err = serve(c.o.Dir, c.names, c.o); err != nil {
			return err
		}
		if c.o.plain(c.o.Listen) {
			c.o.Log("note: without --tls-cert and --tls-key the token and all results cross the network unencrypted")
		}
		c.o.Log("listening; each worker is: simulate sweep join " + c.invitation())
	}
	if c.key, err = openKey(c.o.Dir); err != nil {
		return err
	}
	if c.link, err = connect(ctx, c.address(), c.access(), c.own, c.o.Log); err != nil {
		return err
	}
	c.opened = time.Now()
	if c.crew, err = meet(c); err != nil {
		return fmt.Errorf("listening for workers: %w", err)
	}
	return c.streams(ctx)
}

// invitation is what a worker joins with.
func (c *Coordinator) invitation() string {
	url := c.own.ClientURL()
	if name, err := os.Hostname(); err == nil {
		for _, every := range []string{"//0.0.0.0:", "//[::]:"} {
			url = strings.Replace(url, every, "//"+name+":", 1)
		}
	}
	if c.o.Token != "" {
		url += " --token-file FILE"
	}
	if c.o.Cert != "" {
		url += " --tls-ca FILE"
	}
	if c.o.CA != "" {
		url += " --tls-cert FILE --tls-key FILE"
	}
	return url
}

// left says whether an earlier process may have left streams, and workers.
func (c *Coordinator) left() bool {
	if c.o.Server != "" {
		return true
	}
	_, err := os.Stat(c.o.Dir)
	return !errors.Is(err, fs.ErrNotExist)
}

// streams makes the streams that are not there, and publishes the plan.
func (c *Coordinator) streams(ctx context.Context) error {
	err := c.link.try(ctx, "reaching the server", func(ctx context.Context) error {
		_, err := c.link.js.AccountInfo(ctx)
		return err
	})
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return fmt.Errorf("the server at %s has no JetStream, or not for this account; nats-server -js has",
			c.address())
	}
	if err != nil {
		return err
	}
	if c.own == nil {
		err := c.link.try(ctx, "looking for the sweep", func(ctx context.Context) error {
			_, err := c.link.js.Stream(ctx, c.names.planStream())
			c.resumed = err == nil
			if errors.Is(err, jetstream.ErrStreamNotFound) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, s := range []struct {
		at       *jetstream.Stream
		name     string
		policy   jetstream.RetentionPolicy
		subjects []string
	}{
		{&c.tasks, c.names.taskStream(), jetstream.WorkQueuePolicy, []string{c.names.prefix() + "task.>",
			c.names.prefix() + "back.>"}},
		{&c.results, c.names.resultStream(), jetstream.LimitsPolicy, []string{c.names.prefix() + "result.*",
			c.names.prefix() + "conflict.*.*"}},
		// The last, because workers look for it.
		{&c.planned, c.names.planStream(), jetstream.LimitsPolicy, []string{c.names.plan(), c.names.end()}},
	} {
		err := c.link.try(ctx, "making the stream "+s.name, func(ctx context.Context) error {
			stream, err := c.link.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
				Name: s.name, Subjects: s.subjects, Description: "overhear sweep " + c.plan.Name, Retention: s.policy,
				Storage: jetstream.FileStorage, Replicas: max(1, c.o.Replicas), MaxMsgsPerSubject: 1,
			})
			*s.at = stream
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := c.consumer(ctx); err != nil {
		return err
	}
	return c.publishPlan(ctx)
}

// publishPlan publishes the plan with the key, if it is not there with this key.
func (c *Coordinator) publishPlan(ctx context.Context) error {
	there, err := c.link.lastOn(ctx, c.planned, c.names.plan())
	if err != nil {
		return err
	}
	if there != nil && bytes.Equal(there.Data, c.plan.JSON()) && there.Header.Get(keyHeader) == nameOf(c.public()) {
		return nil
	}
	if there != nil {
		c.o.Log("the plan on the server is not with this coordinator's key; it is published anew, what was queued is " +
			"handed out anew, and workers that joined before are to be started again")
		if err := c.purge(ctx, c.tasks, c.names.prefix()+">"); err != nil {
			return err
		}
	}
	m := &nats.Msg{Subject: c.names.plan(), Data: c.plan.JSON(), Header: nats.Header{}}
	m.Header.Set(keyHeader, nameOf(c.public()))
	return c.link.replace(ctx, c.names.planStream(), m)
}

// consumer makes what workers take tasks from. How often a task is delivered is
// not limited there, but by workers: one that the server gave up would be
// neither computed nor reported.
func (c *Coordinator) consumer(ctx context.Context) error {
	return c.link.try(ctx, "opening the tasks", func(ctx context.Context) error {
		_, err := c.tasks.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.o.LostAfter,
			MaxDeliver: -1, MaxAckPending: -1, MaxWaiting: 1 << 16, FilterSubject: c.names.prefix() + "task.>",
		})
		if err == nil {
			_, err = c.tasks.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
				Durable: returns, AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.o.LostAfter,
				FilterSubject: c.names.prefix() + "back.>",
			})
		}
		return err
	})
}

func (c *Coordinator) purge(ctx context.Context, s jetstream.Stream, subject string) error {
	return c.link.try(ctx, "clearing "+subject, func(ctx context.Context) error {
		return s.Purge(ctx, jetstream.WithPurgeSubject(subject))
	})
}

// end tells workers that there is nothing more to do: why, unless all is done.
func (c *Coordinator) end(ctx context.Context, why string) error {
	m := &nats.Msg{Subject: c.names.end(), Data: []byte(why), Header: nats.Header{}}
	m.Header.Set(signatureHeader, certify(c.key, c.plan.Hash, m.Subject, m.Data))
	return c.link.replace(ctx, c.names.planStream(), m)
}

// Finish is to be called when the sweep's results are safe elsewhere: it says
// once more that the sweep has ended, waits a moment for workers to notice,
// removes the streams, and closes. It does nothing if nothing was begun and no
// earlier process left anything.
func (c *Coordinator) Finish(ctx context.Context) error {
	defer c.Close()
	if c.link == nil && !c.left() {
		return nil
	}
	if err := c.open(ctx); err != nil {
		return err
	}
	if err := c.end(ctx, ""); err != nil {
		return err
	}
	c.crew.dismiss(ctx, c.resumed, c.opened)
	if c.o.Keep {
		return nil
	}
	if c.own != nil {
		c.Close()
		if err := os.RemoveAll(c.o.Dir); err != nil {
			return fmt.Errorf("removing the streams: %w", err)
		}
		return nil
	}
	// The end stays, for workers that come late.
	for _, name := range []string{c.names.taskStream(), c.names.resultStream()} {
		err := c.link.try(ctx, "removing "+name, func(ctx context.Context) error {
			err := c.link.js.DeleteStream(ctx, name)
			if errors.Is(err, jetstream.ErrStreamNotFound) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := c.purge(ctx, c.planned, c.names.plan()); err != nil || c.o.Dir == "" {
		return err
	}
	if err := os.RemoveAll(c.o.Dir); err != nil {
		return fmt.Errorf("removing the coordinator's key: %w", err)
	}
	return nil
}

// Close leaves the server, and stops it if it is the own one. Workers wait for
// the next.
func (c *Coordinator) Close() {
	if c.link != nil {
		c.link.close()
	}
	if c.own != nil {
		c.own.Shutdown()
		c.own.WaitForShutdown()
	}
}

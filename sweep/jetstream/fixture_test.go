// What the tests of this package share: small sweeps, coordinators and workers
// of this process, and looks into streams.

package jetstream

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"overhear/sweep"
)

const smallScenario = `
name: small
problem: {data: {set: twonorm, rows: 40}, train: 30, rho: 0.2}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 5}
algorithm: {kind: dvp, eta: 0.1, alpha: 1}
`

func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func plan(t testing.TB, o sweep.Options) *sweep.Plan {
	t.Helper()
	p, err := sweep.NewPlan(write(t, smallScenario), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func open(t testing.TB, path string, p *sweep.Plan) *sweep.Dir {
	t.Helper()
	d, err := sweep.OpenDir(path, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// tables are the bytes of a directory's tables.
func tables(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{"results.csv", "results.parquet", "failures.csv"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(b)
	}
	return all
}

func sameTables(t testing.TB, want map[string]string, dir string) {
	t.Helper()
	for name, b := range tables(t, dir) {
		if b != want[name] {
			t.Errorf("%s in %s differs", name, dir)
		}
	}
}

// alone makes a sweep in this process, without a server.
func alone(t testing.TB, p *sweep.Plan) map[string]string {
	t.Helper()
	d := open(t, t.TempDir(), p)
	if _, err := sweep.Make(t.Context(), d, sweep.Settings{Dispatcher: sweep.Local{Workers: 2}}); err != nil {
		t.Fatal(err)
	}
	return tables(t, d.Path)
}

// options are those of a coordinator with a server of its own.
func options(t testing.TB) Options {
	return Options{Listen: "127.0.0.1:0", Dir: filepath.Join(t.TempDir(), "jetstream"), LostAfter: time.Second,
		Log: logTo(t)}
}

// logTo writes to a test's log, until the test is over.
func logTo(t testing.TB) func(string) {
	var mu sync.Mutex
	over := false
	t.Cleanup(func() {
		mu.Lock()
		over = true
		mu.Unlock()
	})
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			t.Log(text)
		}
	}
}

func coordinator(t testing.TB, p *sweep.Plan, o Options) *Coordinator {
	t.Helper()
	c, err := New(p, o)
	if err != nil {
		t.Fatal(err)
	}
	c.still = 200 * time.Millisecond
	t.Cleanup(c.Close)
	return c
}

// opened is a coordinator with streams, but no tasks in them.
func opened(t testing.TB, p *sweep.Plan, o Options) *Coordinator {
	t.Helper()
	c := coordinator(t, p, o)
	if err := c.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// broker is a server of someone else.
func broker(t testing.TB, change func(*server.Options)) string {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(),
		NoSigs: true, NoLog: true}
	if change != nil {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s.ClientURL()
}

// hand is a worker of a coordinator's sweep that does nothing by itself.
func hand(t testing.TB, c *Coordinator) *worker {
	t.Helper()
	ctx := t.Context()
	l, err := connect(ctx, c.address(), c.o.Access, nil, logTo(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	w := &worker{link: l, names: c.names, plan: c.plan, key: c.public(), own: newKey(), lost: time.Second}
	w.soft, w.stop = context.WithCancelCause(ctx)
	if w.results, err = l.stream(ctx, c.names.resultStream()); err != nil {
		t.Fatal(err)
	}
	err = l.try(ctx, "opening the tasks", func(ctx context.Context) error {
		w.tasks, err = l.js.Consumer(ctx, c.names.taskStream(), workers)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// written is how many results a stream has, and how many writes there were.
func written(t testing.TB, c *Coordinator) (messages, writes uint64) {
	t.Helper()
	info, err := c.results.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Msgs, info.State.LastSeq
}

// makeWith makes a sweep in a directory.
func makeWith(t testing.TB, c *Coordinator, dir string, s sweep.Settings) (sweep.Progress, error) {
	t.Helper()
	d := open(t, dir, c.plan)
	defer d.Close()
	s.Dispatcher = c
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return sweep.Make(ctx, d, s)
}

// ticketed is a task of a coordinator with its ticket.
func ticketed(c *Coordinator, t task) assignment { return assignment{t, c.ticket(t)} }

// whole is a task of all runs.
func whole(c *Coordinator) assignment { return ticketed(c, task{0, c.plan.Len() - 1, 0}) }

// contextOf is a test's context that can be cancelled.
func contextOf(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

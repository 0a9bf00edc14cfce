// simulate sweep serve, and join: a sweep on several machines.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"overhear/internal/plural"
	"overhear/sweep"
	"overhear/sweep/jetstream"
)

// tokenVariable has the token for those who give no file.
const tokenVariable = "OVERHEAR_TOKEN"

// accessFlags are what lets workers in.
type accessFlags struct {
	jetstream.Access
	tokenFile string
}

func (f *accessFlags) add(c *cobra.Command, ca string) {
	flags := c.Flags()
	flags.StringVar(&f.tokenFile, "token-file", "", "`file` with the secret that coordinator and workers share "+
		"(default $"+tokenVariable+")")
	flags.StringVar(&f.Cert, "tls-cert", "", "own certificate, a PEM `file`")
	flags.StringVar(&f.Key, "tls-key", "", "its key, a PEM `file`")
	flags.StringVar(&f.CA, "tls-ca", "", ca)
}

// read takes the token from where it is. It is no flag: other users of a
// machine see those.
func (f *accessFlags) read() error {
	f.Token = os.Getenv(tokenVariable)
	from := "$" + tokenVariable
	if f.tokenFile != "" {
		text, err := os.ReadFile(f.tokenFile)
		if err != nil {
			return usage("reading the token: %w", err)
		}
		f.Token, from = strings.TrimSpace(string(text)), f.tokenFile
		if f.Token == "" {
			return usage("%s has no token; `openssl rand -hex 32 > %s` makes one", f.tokenFile, f.tokenFile)
		}
	}
	if strings.ContainsAny(f.Token, " \t\r\n") {
		return usage("the token in %s has blanks or several lines; it is one word", from)
	}
	return nil
}

// serveFlags are the flags of simulate sweep serve.
type serveFlags struct {
	sweepFlags
	accessFlags
	listen   string
	nats     string
	replicas int
	lost     time.Duration
	keep     bool
	check    float64
}

func newSweepServe() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve FILE",
		Short: "Make a sweep with workers on any machines; killed at any point, the same command goes on",
		Long: `Make a sweep, as simulate sweep does, with workers on any number of machines.

  simulate sweep serve FILE --grid algorithm.eta=0.1,0.3,1 --seeds 1000
  simulate sweep join nats://127.0.0.1:4222          (each worker; any number, at any time)

Between them is NATS JetStream: a server inside this process, or, with --nats, one that is there. The tables
are the same, byte for byte, as without workers. Workers and this process may be killed and started again at
any point. On addresses other than this machine's own, a token or certificates are needed. What workers may do,
and what is believed of them, is in docs/security.md.`,
		Args: exactly(1),
		RunE: func(c *cobra.Command, args []string) error { return serveSweep(c, args[0], &f) },
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.Grid, "grid", nil, "an axis of the grid, `path=value,value…`; may be repeated; replaces "+
		"the file's grid")
	flags.IntVar(&f.Seeds, "seeds", 0, "seeds for each combination, from the scenario's first")
	flags.StringVar(&f.Options.Keep, "rows", "", "what the table has a row for: last (every run) or rounds (every "+
		"round of every run)")
	flags.StringArrayVar(&f.Sets, "set", nil, "override a value of the scenario in all runs, `path=value`; may be "+
		"repeated")
	flags.BoolVar(&f.account, "account", false, "say what all runs together lose, as simulate sweep does")
	flags.StringVar(&f.choice.Metric, "select", "", "refused: a selection is made by simulate sweep, in one process")
	flags.BoolVar(&f.retry, "retry-failed", false, "compute runs again that failed")
	flags.IntVar(&f.workers, "workers", 0, "runs at a time in this process, besides those of workers that join")
	flags.StringVar(&f.out, "out", filepath.Join("results", "runs"), "results `directory`")
	flags.StringVar(&f.data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:4222", "`address` for workers; port 0 takes a free one")
	flags.StringVar(&f.nats, "nats", "", "use the NATS server at this `URL` instead of one's own")
	flags.IntVar(&f.replicas, "replicas", 1, "copies of the streams in a cluster, with --nats")
	flags.DurationVar(&f.lost, "lost-after", 30*time.Second,
		"give a worker's runs to others when it was not heard of for so long")
	flags.BoolVar(&f.keep, "keep-streams", false, "do not remove the streams in the end")
	flags.Float64Var(&f.check, "check", 0.01, "`share` of the workers' results, and the first of each worker, to "+
		"compute again here and compare bit by bit; 0 checks none")
	f.add(c, "authority of the workers' certificates, a PEM `file`: only those who have one may join")
	return c
}

func serveSweep(c *cobra.Command, file string, f *serveFlags) error {
	switch {
	case f.workers < 0:
		return usage("--workers must be at least 0, is %d", f.workers)
	case c.Flags().Changed("seeds") && f.Seeds < 1:
		return usage("--seeds must be at least 1, is %d", f.Seeds)
	case f.Options.Keep != "" && f.Options.Keep != sweep.KeepLast && f.Options.Keep != sweep.KeepRounds:
		return usage("--rows must be last or rounds, is %q", f.Options.Keep)
	case f.nats != "" && c.Flags().Changed("listen"):
		return usage("--nats uses a server that is there, so there is nothing to --listen on; give one of the two")
	}
	if c.Flags().Changed("select") {
		return usage("sweep serve makes all runs of a grid, and a private selection draws its own: make it without " +
			"serve, by simulate sweep FILE --select METRIC")
	}
	if err := f.read(); err != nil {
		return err
	}
	f.Apart = f.account
	plan, err := sweep.NewPlan(file, f.Options)
	if err != nil {
		return usageError{err}
	}
	path := filepath.Join(f.out, plan.Name, sweep.Shard{}.Directory())
	if err := plan.As(path); err != nil {
		return usageError{err}
	}
	var mu sync.Mutex // bar is used by several goroutines
	bar := newSweepBar(plan.Name)
	clear := func() {
		mu.Lock()
		defer mu.Unlock()
		bar.clear()
	}
	coordinator, err := jetstream.New(plan, jetstream.Options{
		Access: f.Access, Listen: f.listen, Server: f.nats, Dir: filepath.Join(path, "jetstream"), Replicas: f.replicas,
		LostAfter: f.lost,
		Workers:   f.workers, Data: f.data, Keep: f.keep, Check: f.check, Log: lines(clear),
	})
	if err != nil {
		return usageError{err}
	}
	defer coordinator.Close()
	dir, err := sweep.OpenDir(path, plan)
	if err != nil {
		return usageError{err}
	}
	defer dir.Close()
	settings := sweep.Settings{Dispatcher: coordinator, RetryFailed: f.retry, Progress: func(p sweep.Progress) {
		mu.Lock()
		defer mu.Unlock()
		bar.at(p)
	}}
	if f.data != "" {
		settings.Replay = []string{"--data", f.data}
	}
	p, err := sweep.Make(c.Context(), dir, settings)
	clear()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped; %d of %d runs are finished and kept, and the same command goes on from there; "+
			"workers wait for it", p.Before+p.Done, p.Total)
	}
	if err != nil {
		return err
	}
	if err := printMade(c.OutOrStdout(), dir, p, settings); err != nil {
		return err
	}
	if f.account {
		if err := account(c, dir, f.data); err != nil {
			return err
		}
	}
	// Only now are the results safe without the streams.
	if err := dir.Close(); err != nil {
		return err
	}
	if err := coordinator.Finish(c.Context()); err != nil {
		return err
	}
	if p.Failed > 0 {
		return fmt.Errorf("%d of %d runs failed; --retry-failed computes them again", p.Failed, p.Total)
	}
	return nil
}

// lines writes to standard error, a line at a time, after clear, which takes
// away a bar.
func lines(clear func()) func(string) {
	var mu sync.Mutex
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		clear()
		fmt.Fprintln(os.Stderr, text)
	}
}

func newSweepJoin() *cobra.Command {
	var f accessFlags
	var o jetstream.WorkerOptions
	c := &cobra.Command{
		Use:   "join URL",
		Short: "Compute runs of a sweep that simulate sweep serve hands out",
		Long: `Compute runs of a sweep that simulate sweep serve hands out, until it ends. The plan comes from there;
data
files must be here too. Ctrl-C finishes the runs at hand, hands back the others and leaves.`,
		Args: exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			if o.Workers < 1 {
				return usage("--workers must be at least 1, is %d", o.Workers)
			}
			if err := f.read(); err != nil {
				return err
			}
			if err := jetstream.CheckURL(args[0]); err != nil {
				return usageError{err}
			}
			o.Server, o.Access = args[0], f.Access
			return join(c, o)
		},
	}
	flags := c.Flags()
	flags.IntVar(&o.Workers, "workers", runtime.GOMAXPROCS(0), "runs at a time")
	flags.StringVar(&o.Data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	flags.StringVar(&o.Sweep, "sweep", "", "beginning of the `hash` of the sweep to join, if the server has several")
	f.add(c, "authority of the server's certificate, a PEM `file`")
	return c
}

func join(c *cobra.Command, o jetstream.WorkerOptions) error {
	var done, failed atomic.Int64
	var bar joinBar
	o.Log = lines(bar.clear)
	o.Joined = func(p *sweep.Plan) {
		o.Log(fmt.Sprintf("joined %s, %s, %s", p.Name, plural.Of(p.Len(), "run"), plural.Of(o.Workers, "worker")))
		bar.start(p.Name)
	}
	o.Stored = func(_ int, broken bool) {
		if broken {
			failed.Add(1)
		}
		bar.at(int(done.Add(1)))
	}
	defer context.AfterFunc(c.Context(), func() {
		o.Log("stopping after the runs at hand; a second interrupt stops at once")
		signal.Reset(stopping()...)
	})()
	err := jetstream.Work(c.Context(), o)
	bar.clear()
	fmt.Fprintf(c.OutOrStdout(), "%s computed here, %d failed\n", plural.Of(int(done.Load()), "run"), failed.Load())
	if err != nil && c.Context().Err() != nil && errors.Is(err, context.Canceled) {
		return nil // asked to leave, it left
	}
	return err
}

// joinBar counts on standard error, if that is a terminal. How many runs there
// will be is not known: others compute them too.
type joinBar struct {
	mu  sync.Mutex
	bar *progressbar.ProgressBar
}

func (b *joinBar) start(name string) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(newRedrawn()),
		progressbar.OptionUseANSICodes(true), progressbar.OptionSetDescription(name),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(), progressbar.OptionSetItsString("runs"),
		progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionSetSpinnerChangeInterval(0)) // or it draws by itself, at the same time
}

func (b *joinBar) at(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		_ = b.bar.Set(n) // a bar that cannot be drawn is no reason to stop
	}
}

func (b *joinBar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		_ = b.bar.Clear()
	}
}

// simulate run, and verify: scenarios into run directories, and back.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"overhear/evaluation"
	"overhear/experiment"
	"overhear/internal/guard"
	"overhear/internal/memory"
	"overhear/internal/plural"
	"overhear/internal/stage"
	"overhear/record"
	"overhear/report"
	"overhear/report/plot"
	"overhear/scenarios"
	"overhear/sweep"
)

// runFlags are the flags of simulate run.
type runFlags struct {
	seed    int64
	seeds   int
	sets    []string
	workers int
	out     string
	data    string
	json    bool
	again   bool
	replace bool
	noPlots bool
	figures figureFlags
	bounds  bool

	checkpoint time.Duration
	keep       bool               // it, of finished runs
	from       *experiment.Parent // what the runs go on from; nil: nothing
	outGiven   bool               // by --out
}

// defaultCheckpoint is how much of a run's work a stop, whatever it is, takes at most.
const defaultCheckpoint = 10 * time.Second

func newRun() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run FILE…",
		Short: "Run scenarios; finished seeds are kept and not run again",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("run needs a scenario file, such as scenarios/quickstart.yaml; `simulate new` writes one")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return run(c, args, &f) },
	}
	flags := c.Flags()
	flags.Int64Var(&f.seed, "seed", -1, "run this seed only")
	flags.IntVar(&f.seeds, "seeds", 0, "run this many seeds from the scenario's first")
	flags.StringArrayVar(&f.sets, "set", nil, "override a value of the scenario, `path=value`; may be repeated")
	flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "goroutines that compute; results do not depend on it")
	flags.StringVar(&f.out, "out", filepath.Join("results", "runs"), "results `directory`")
	flags.StringVar(&f.data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	flags.BoolVar(&f.json, "json", false, "print run.json of every run as a JSON array")
	flags.BoolVar(&f.again, "again", false, "run seeds again that are finished")
	flags.DurationVar(&f.checkpoint, "checkpoint", defaultCheckpoint, "how often to keep what a run has computed, so "+
		"that the same command goes on\nfrom there if it is stopped or killed; 0: never")
	flags.BoolVar(&f.keep, "keep", false, "keep what finished runs have computed, too, from which simulate fork "+
		"goes on")
	flags.BoolVar(&f.noPlots, "no-plots", false, "draw no figures")
	f.figures.add(c, "title of the figures, in place of the scenario's name")
	flags.BoolVar(&f.bounds, "bounds", false, "show all bounds on the privacy loss, by each way to compose rounds")
	return c
}

// check checks the flags of run and attack, and keeps which were given.
func (f *runFlags) check(c *cobra.Command) error {
	f.outGiven = c.Flags().Changed("out")
	style, unknown := f.figures.Named(plot.RunWords())
	f.figures.Style = style
	switch {
	case f.figures.check() != nil:
		return f.figures.check()
	case unknown != nil:
		return usage("--label: %w", unknown)
	case f.workers < 1:
		return usage("--workers must be at least 1, is %d", f.workers)
	case c.Flags().Changed("seeds") && f.seeds < 1:
		return usage("--seeds must be at least 1, is %d", f.seeds)
	case c.Flags().Changed("seed") && c.Flags().Changed("seeds"):
		return usage("--seed %d is one seed, and --seeds %d are that many from the scenario's first: give one of them",
			f.seed, f.seeds)
	case c.Flags().Changed("seed") && f.seed < 0:
		return usage("--seed must be at least 0, is %d", f.seed)
	}
	return nil
}

// apart is an error if two scenarios write to one directory: one would take the place of the other.
func apart(files []string, all []*scenarios.Scenario) error {
	byName := map[string]int{}
	for k, s := range all {
		first, ok := byName[s.Name]
		switch {
		case !ok:
			byName[s.Name] = k
		case files[first] == files[k]:
			return usage("%s is given twice", files[k])
		default:
			return usage("%s and %s are both called %s, and would write to one directory; give one another name",
				files[first], files[k], s.Name)
		}
	}
	return nil
}

func run(c *cobra.Command, files []string, f *runFlags) error {
	if err := f.check(c); err != nil {
		return err
	}
	if f.checkpoint < 0 {
		return usage("--checkpoint must be a duration such as 10s, or 0 for none, is %v", f.checkpoint)
	}
	if f.keep && f.checkpoint == 0 {
		return usage("--keep keeps the checkpoint of a finished run, and --checkpoint 0 makes none")
	}
	var all []*scenarios.Scenario
	var mistakes error
	for _, file := range files {
		s, err := scenarios.Load(file, f.sets...)
		if err != nil {
			mistakes = errors.Join(mistakes, err)
			continue
		}
		if f.seeds > 0 {
			s.Seeds.Count = f.seeds
		}
		if f.seed >= 0 {
			s.Seeds = scenarios.Seeds{First: uint64(f.seed), Count: 1}
		}
		all = append(all, s)
	}
	if mistakes != nil {
		return usageError{mistakes}
	}
	if err := apart(files, all); err != nil {
		return err
	}
	infos := []*record.Info{}
	var failures error
	for k, s := range all {
		runs, err := runSeeds(c.Context(), s, files[k], f, c.OutOrStdout())
		for _, r := range runs {
			infos = append(infos, r.Info)
			tell(event{Written: r.Dir})
		}
		failures = errors.Join(failures, err)
		if c.Context().Err() != nil {
			break
		}
	}
	if f.json {
		if err := printJSON(c, infos); err != nil {
			return err
		}
	}
	return failures
}

// runSeeds runs the seeds of a scenario's file and prints their results. It
// returns the finished ones even if one fails.
func runSeeds(ctx context.Context, s *scenarios.Scenario, file string, f *runFlags, w io.Writer) ([]*record.Run,
	error) {
	if err := seedsFit(s); err != nil {
		return nil, err
	}
	bar := newProgress(s.Name, s.Seeds.Count*s.Rounds.Count)
	bar.unit = "rounds"
	defer bar.clear()
	ctx = bar.watch(ctx)
	e := experiment.New(s, f.data)
	if err := e.Look(ctx); err != nil && ctx.Err() == nil { // what stops it is told where seeds are looked at
		return nil, err
	}
	note := func(format string, args ...any) {
		to := w
		if f.json {
			to = os.Stderr
		}
		bar.clear()
		fmt.Fprintf(to, format+"\n", args...)
	}
	d, err := placed(s, file, f.sets, f.outGiven, note, func(name string) (*record.Directory, error) {
		return e.OpenDirectory(filepath.Join(f.out, name))
	})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all := make([]*record.Run, s.Seeds.Count)
	var ahead []int       // seeds to run, from the first
	var attacked []uint64 // those of them of which there is a run with findings
	for k := range all {
		seed := s.Seeds.First + uint64(k)
		if ctx.Err() != nil {
			return finished(all), fmt.Errorf("stopped before seed %d was looked at: nothing was computed, and what "+
				"was finished before is kept", seed)
		}
		if !f.again { // else the files of what is there need not be read
			r, why, err := e.Finished(d, seed)
			if err != nil {
				return finished(all), err
			}
			if r != nil && f.keep && r.Info.Ended == "" {
				if _, err := os.Stat(r.KeptPath()); err != nil {
					why, r = []string{"what it computed was not kept (--keep)"}, nil
				}
			}
			if r != nil {
				if !f.noPlots && !f.figures.IsZero() {
					if err := e.Draw(r, f.figures.Style); err != nil {
						return finished(all), err
					}
				}
				all[k] = r
				continue
			}
			if why != nil {
				note("seed %d is computed again: %s", seed, strings.Join(why, "; "))
			}
		}
		ahead = append(ahead, k)
		if _, err := os.Stat(filepath.Join(d.Seed(seed), record.AttacksFile)); err == nil {
			attacked = append(attacked, seed)
		}
	}
	kept := len(all) - len(ahead)
	ended, early, err := runAhead(ctx, e, d, f, bar, ahead, all)
	runs := finished(all)
	bar.clear()
	for _, seed := range attacked {
		if _, lost := os.Stat(filepath.Join(d.Seed(seed), record.AttacksFile)); lost != nil {
			note("what attacks found on the earlier run of seed %d is no longer of the run in %s and is kept there as "+
				"%s", seed, d.Seed(seed), record.OldAttacksFile)
		}
	}
	if err != nil {
		return runs, errors.Join(early, err)
	}
	if len(runs) == 0 {
		if len(ended) == 1 && !f.json {
			early = errors.Join(early, report.Table(w, ended[0]))
		}
		return runs, errors.Join(early, allBounds(w, ended, f))
	}
	summed, others, err := e.Summarise(d, !f.noPlots, f.figures.Style)
	if err != nil {
		return runs, errors.Join(early, err)
	}
	failed := errors.Join(early, divergence(runs))
	if kept > 0 && !f.json {
		note("%d of %d seeds were finished already; --again runs them again", kept, s.Seeds.Count)
	}
	if summed > len(runs) && !f.json {
		note("summary.csv is of all %d seeds that are finished in %s", summed, d.Path)
	}
	if ended != nil && !f.json {
		note("%d of %d seeds ended early and have no part in what follows", len(ended), s.Seeds.Count)
	}
	if others > 0 {
		note("summary.csv leaves out %d more in %s, which came from other files or another build of the program, "+
			"ended early, or are damaged", others, d.Path)
	}
	if f.json {
		return runs, failed
	}
	if len(runs) > 1 {
		err = report.SeedTable(w, runs, d.Path)
	} else {
		err = report.Table(w, runs[0])
	}
	return runs, errors.Join(err, allBounds(w, runs, f), allBounds(w, ended, f), failed)
}

// allBounds writes all bounds of runs if that was asked for.
func allBounds(w io.Writer, runs []*record.Run, f *runFlags) (err error) {
	if !f.bounds || f.json {
		return nil
	}
	for _, r := range runs {
		err = errors.Join(err, report.Bounds(w, r.Info))
	}
	return err
}

// seedsFit is an error for seeds whose results memory does not hold: they are summarised together.
func seedsFit(s *scenarios.Scenario) error {
	const perSeed = 8e3
	err := memory.Check(fmt.Sprintf("what is kept of %d seeds (seeds.count)", s.Seeds.Count),
		perSeed*float64(s.Seeds.Count))
	if err != nil {
		return usage("%s: %w; a sweep of the seeds keeps its runs in a file", s.Name, err)
	}
	return nil
}

// runAhead runs seeds of a scenario, as many at once as there are workers and memory holds, into their places among
// all runs. It returns those that ended early, with their errors, which is no reason not to run others. After a seed
// fails otherwise no other begins, and the first of those that fail is reported.
func runAhead(ctx context.Context, e *experiment.Experiment, d *record.Directory, f *runFlags, bar *progress,
	ahead []int, runs []*record.Run) (ended []*record.Run, early, _ error) {
	if len(ahead) == 0 {
		return nil, nil, nil
	}
	first := e.Seeds.First
	atOnce := e.AtOnce(ctx, first+uint64(ahead[0]), min(f.workers, len(ahead)))
	var mu sync.Mutex
	rounds := make([]int, len(runs))
	done := (len(runs) - len(ahead)) * e.Rounds.Count
	o := experiment.Options{Directory: d, Workers: max(1, f.workers/atOnce), Replace: true, Plots: !f.noPlots,
		Style: f.figures.Style, Extra: evaluation.WriteKnowledge, Checkpoint: f.checkpoint,
		Keep: f.keep, From: f.from,
		Say: func(text string) {
			mu.Lock()
			defer mu.Unlock()
			bar.clear()
			fmt.Fprintln(os.Stderr, text)
		},
		Progress: func(seed uint64, round int) {
			mu.Lock()
			defer mu.Unlock()
			k := seed - first
			done += round - rounds[k]
			rounds[k] = round
			bar.at(done)
		}}
	short := make([]*record.Run, len(runs)) // that ended early, beside their errors
	failures := make([]error, len(runs))
	var failed atomic.Bool
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, k := range ahead {
		group.Go(guard.Func(func() error {
			if failed.Load() || ctx.Err() != nil {
				return nil
			}
			r, err := e.Run(ctx, first+uint64(k), o)
			if err == nil {
				runs[k] = r
				return nil
			}
			short[k], failures[k] = r, err
			if r == nil {
				failed.Store(true)
			}
			return nil
		}))
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	var stopped []uint64
	var left []uint64 // that were not run
	var failure error
	for _, k := range ahead {
		seed := first + uint64(k)
		switch err := failures[k]; {
		case errors.Is(err, context.Canceled):
			stopped = append(stopped, seed)
		case short[k] != nil:
			ended, early = append(ended, short[k]), errors.Join(early, err)
		case err != nil && failure == nil:
			failure = err
		case err == nil && runs[k] == nil:
			left = append(left, seed)
		}
	}
	if failure != nil {
		if left != nil && ctx.Err() == nil {
			failure = fmt.Errorf("%w; seeds after %d, up to %d, were not run", failure, left[0]-1, left[len(left)-1])
		}
		return ended, early, failure
	}
	if ctx.Err() == nil {
		return ended, early, nil
	}
	return ended, early, errors.New(stopText(len(finished(runs)), len(runs), stopped, func(seed uint64) int64 {
		info, err := os.Stat(d.CheckpointPath(seed))
		if f.checkpoint <= 0 || err != nil {
			return 0
		}
		return info.Size()
	}))
}

// stopText says what a stop has left of a scenario's seeds: those that are finished, and of those that were under way
// what checkpoints hold, by their bytes. A run that was stopped before it had computed anything has none, and one of
// small nodes keeps little.
func stopText(finished, of int, under []uint64, checkpoint func(uint64) int64) string {
	const little = 10_000
	text := fmt.Sprintf("stopped; %d of %d seeds are finished and kept", finished, of)
	var kept, few, lost []string
	for _, seed := range under {
		switch bytes, name := checkpoint(seed), fmt.Sprint(seed); {
		case bytes >= little:
			kept = append(kept, name)
		case bytes > 0:
			few = append(few, name)
		default:
			lost = append(lost, name)
		}
	}
	seeds := func(all []string) (what, have string) {
		if len(all) == 1 {
			return "seed " + all[0], "has"
		}
		return "seeds " + strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1], "have"
	}
	if kept != nil {
		what, have := seeds(kept)
		text += fmt.Sprintf("; what %s %s computed is kept", what, have)
	}
	if few != nil {
		what, _ := seeds(few)
		text += fmt.Sprintf("; of %s little is kept, as most is as soon computed again", what)
	}
	if lost != nil {
		what, _ := seeds(lost)
		text += "; nothing is kept of " + what
	}
	if finished == 0 && kept == nil {
		return text + "; the same command begins anew"
	}
	return text + "; the same command goes on from there"
}

// finished are the runs that there are.
func finished(runs []*record.Run) []*record.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool { return r == nil })
}

// divergence is an error that names the runs that diverge; their files are kept.
func divergence(runs []*record.Run) error {
	var all error
	for _, r := range runs {
		c := r.Info.Convergence
		if c == nil || c.State != record.Diverging {
			continue
		}
		why := c.Stopped
		if why == "" {
			why = "the run diverges: " + r.Info.Away()
			if c.Of == "" {
				why += " times the optimum's norm"
			}
			why += " and grows"
		}
		if c.Advice != "" {
			why += "; what would change it: " + c.Advice
		}
		all = errors.Join(all, fmt.Errorf("%s, seed %d: %s; what was computed is in %s", r.Info.Name, r.Info.Seed, why,
			r.Dir))
	}
	return all
}

// placed opens the directory in which the results of a scenario belong. It has the
// scenario's name, and where --set changed what the file says, that too, unless it names the scenario anew. Where it
// holds results of another scenario, as of the file before it was edited, and the user did not say --out, its name gets
// in what they differ, and a note says so: results of different scenarios never share a directory.
func placed[T any](s *scenarios.Scenario, file string, sets []string, outGiven bool, note func(string, ...any),
	open func(name string) (T, error)) (T, error) {
	name := s.Name
	named := slices.ContainsFunc(sets, func(set string) bool { return strings.HasPrefix(set, "name=") })
	if !outGiven && len(sets) > 0 && !named {
		if plain, err := scenarios.Load(file); err != nil || plain.Hash() != s.Hash() {
			name += scenarios.Suffix(sets)
		}
	}
	var first *experiment.OtherScenario
	for {
		d, err := open(name)
		var other *experiment.OtherScenario
		if !errors.As(err, &other) {
			if first != nil {
				note("%s holds results of another scenario (%s) and stays as it is: what follows goes to %s beside it",
					first.Dir, first.Differences(), name)
			}
			return d, err
		}
		first = cmp.Or(first, other)
		var changes []string
		for _, c := range other.Changes {
			changes = append(changes, c.Path+"="+c.Is)
		}
		if outGiven || changes == nil || len(name) > 3*scenarios.LongestSuffix {
			return d, usageError{err}
		}
		name += scenarios.Suffix(changes)
	}
}

// progress is a bar on standard error, if that is a terminal, from the moment
// the work has taken a second. It may be told from several goroutines.
type progress struct {
	name string
	unit string // of what is counted; may be ""
	off  bool   // there is no bar

	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	pulse pulse // where there is none
	total int
	done  int
	doing string // besides what is counted; "": nothing
	share string // of that, which is done
	shown string // on the bar
	start time.Time
	told  time.Time   // when it was last told as an event
	later *time.Timer // until what is being done is told, or drawn; nil: it is not
}

// tellEvery is how often progress is told as an event, at most.
const tellEvery = 100 * time.Millisecond

// drawAfter is how long work may take without a bar.
const drawAfter = time.Second

func newProgress(name string, total int) *progress {
	return &progress{name: name, total: total, start: time.Now(), off: noBar()}
}

func (p *progress) at(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = n
	p.tell(n == p.total)
	p.draw()
	if p.off && !events && p.doing == "" { // what is being done has a line of its own
		p.pulse.at(words, p.name, n, p.total, p.unit)
	}
}

// outOf is at where it turns out by and by how much there is to do.
func (p *progress) outOf(n, total int) {
	p.mu.Lock()
	p.total = total
	p.mu.Unlock()
	p.at(n)
}

// of tells how far the work is, as at does, and on the bar what is being done.
func (p *progress) of(doing string, n int) {
	p.mu.Lock()
	p.doing = doing
	p.mu.Unlock()
	p.at(n)
}

// tell writes an event, not too often unless it must.
func (p *progress) tell(must bool) {
	if now := time.Now(); events && (must || now.Sub(p.told) >= tellEvery) {
		p.told = now
		tell(event{Progress: &progressEvent{p.name, p.done, p.total, p.doing}})
	}
}

// draw draws the bar, if there is one.
func (p *progress) draw() {
	if p.off || time.Since(p.start) < drawAfter {
		return
	}
	what := p.name
	if p.doing != "" {
		what += ": " + p.doing + p.share
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions(p.total, progressbar.OptionSetWriter(newRedrawn()),
			progressbar.OptionUseANSICodes(true),
			progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond))
	}
	if p.bar.GetMax() != p.total {
		p.bar.ChangeMax(p.total)
	}
	if what != p.shown {
		p.shown = what
		p.bar.Describe(what)
	}
	_ = p.bar.Set(p.done) // a bar that cannot be drawn is no reason to stop
}

// tellAfter is how long work may take before it is told in words where there is no terminal.
var tellAfter = 5 * time.Second

// words is where stages are told in words.
var words io.Writer = os.Stderr

// watch has work under the context tell what it does: on the bar, in events or, if it takes long and there are neither,
// in a line.
func (p *progress) watch(ctx context.Context) context.Context { return stage.With(ctx, p.stage) }

func (p *progress) stage(doing string, done, of int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	other := doing != p.doing
	p.doing, p.share = doing, ""
	if of > 0 {
		p.share = fmt.Sprintf(", %d %%", 100*done/of)
	}
	if other {
		p.stop()
		switch {
		case doing == "":
		case p.off:
			p.later = time.AfterFunc(tellAfter, func() { p.inWords(words, p.name+": "+doing) })
		default: // it may tell nothing more
			p.later = time.AfterFunc(drawAfter-time.Since(p.start), p.redraw)
		}
	}
	p.tell(other)
	p.draw()
}

func (p *progress) redraw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw()
}

// foretold tells once how long work that is done again and again may take, when it has gone on for a while.
type foretold struct {
	began time.Time
	told  bool
}

const (
	long  = 5 * time.Minute  // how much time work may take without being foretold
	while = 10 * time.Second // most work is over within that, and by then it shows how long once takes
)

// after is told each time that the work is done again, after how often it was, and how often it may be. What it is, and
// what bounds that, is said in words.
func (f *foretold) after(w io.Writer, done, most int, what, bound string) {
	if done == 0 {
		f.began, f.told = clock(), false
		return
	}
	taken := clock().Sub(f.began)
	once := taken / time.Duration(done)
	if f.told || taken < while || once < long/time.Duration(most) || events {
		return
	}
	f.told = true
	fmt.Fprintf(w, "%s once takes %v; %d times, %s, about %v\n", what, brief(once), most, bound,
		brief(once*time.Duration(most)))
}

// brief is a time to seconds, or to two digits.
func brief(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for unit < time.Second && d >= 100*unit {
		unit *= 10
	}
	return d.Round(unit)
}

// orTell has a line written once if the work takes long and there is no bar, nor events.
func (p *progress) orTell(w io.Writer, text string) *progress {
	p.later = time.AfterFunc(tellAfter, func() { p.inWords(w, text) })
	return p
}

// inWords writes a line if there is no bar, nor events.
func (p *progress) inWords(w io.Writer, text string) {
	if p.off && !events {
		fmt.Fprintln(w, text)
	}
}

// stop has nothing told or drawn later.
func (p *progress) stop() {
	if p.later != nil {
		p.later.Stop()
		p.later = nil
	}
}

func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

func newVerify() *cobra.Command {
	var data string
	var workers int
	c := &cobra.Command{
		Use:   "verify DIR…",
		Short: "Repeat runs, attacks, audits and a sample of sweeps and compare all that their directories say",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("verify needs the directory of a run, of an audit, of a sweep or of several seeds, " +
					"such as " +
					"results/runs/quickstart/1")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if workers < 1 {
				return usage("--workers must be at least 1, is %d", workers)
			}
			var differ []error
			for _, dir := range args {
				dir = runDirectory(dir)
				if err := isDirectory(dir); err != nil {
					return err
				}
				bar := newProgress("verify", -1)
				if sweep.Is(dir) {
					v, err := sweep.Verify(c.Context(), dir, data, workers, bar.at)
					bar.clear()
					if err != nil && !errors.Is(err, experiment.ErrMismatch) {
						return err
					}
					if differ = append(differ, err); err == nil {
						fmt.Fprintf(c.OutOrStdout(), "%s: same tables of %s, %d of %s repeated with the same "+
							"results\n", dir, plural.Of(v.Rows, "row"), v.Repeated, plural.Of(v.Stored, "run"))
						if v.Tuning {
							fmt.Fprintln(c.OutOrStdout(), "  privacy of tuning: the same")
						}
						if v.Origin != "" {
							fmt.Fprintf(c.OutOrStdout(), "  not of this program: %s\n", v.Origin)
						}
					}
					continue
				}
				same, err := evaluation.Verify(bar.watch(c.Context()), dir, evaluation.VerifyOptions{DataDir: data,
					Workers: workers, Progress: bar.at})
				bar.clear()
				for _, v := range same {
					fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", v.Dir, v.What)
					for _, d := range v.Origins {
						fmt.Fprintf(c.OutOrStdout(), "  not of this program: %v\n", d)
					}
				}
				if errors.Is(err, fs.ErrNotExist) {
					return usageError{err}
				}
				if err != nil && !errors.Is(err, experiment.ErrMismatch) {
					return err
				}
				differ = append(differ, err)
			}
			return errors.Join(differ...)
		},
	}
	c.Flags().StringVar(&data, "data", "", "data `directory`")
	c.Flags().IntVar(&workers, "workers", runtime.GOMAXPROCS(0), "goroutines that compute")
	return c
}

// simulate run, and verify: scenarios into run directories, and back.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"overhear/evaluation"
	"overhear/experiment"
	"overhear/record"
	"overhear/report"
	"overhear/scenarios"
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
	outGiven   bool // by --out
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
	flags.BoolVar(&f.noPlots, "no-plots", false, "draw no figures")
	f.figures.add(c, "title of the figures, in place of the scenario's name")
	flags.BoolVar(&f.bounds, "bounds", false, "show all bounds on the privacy loss, by each way to compose rounds")
	return c
}

// check checks the flags of run and attack, and keeps which were given.
func (f *runFlags) check(c *cobra.Command) error {
	f.outGiven = c.Flags().Changed("out")
	switch {
	case f.figures.check() != nil:
		return f.figures.check()
	case f.workers < 1:
		return usage("--workers must be at least 1, is %d", f.workers)
	case c.Flags().Changed("seeds") && f.seeds < 1:
		return usage("--seeds must be at least 1, is %d", f.seeds)
	case c.Flags().Changed("seed") && f.seed < 0:
		return usage("--seed must be at least 0, is %d", f.seed)
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
	infos := []*record.Info{}
	var failures error
	for k, s := range all {
		runs, err := runSeeds(c.Context(), s, files[k], f, c.OutOrStdout())
		for _, r := range runs {
			infos = append(infos, r.Info)
		}
		failures = errors.Join(failures, err)
		if c.Context().Err() != nil {
			break
		}
	}
	if f.json {
		e := json.NewEncoder(c.OutOrStdout())
		e.SetIndent("", "  ")
		if err := e.Encode(infos); err != nil {
			return err
		}
	}
	return failures
}

// runSeeds runs the seeds of a scenario's file and prints their results. It
// returns the finished ones even if one fails.
func runSeeds(ctx context.Context, s *scenarios.Scenario, file string, f *runFlags, w io.Writer) ([]*record.Run,
	error) {
	e := experiment.New(s, f.data)
	d, err := placed(s, file, f.sets, f.outGiven, func(name string) (*record.Directory, error) {
		return e.OpenDirectory(filepath.Join(f.out, name))
	})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	note := func(format string, args ...any) {
		to := w
		if f.json {
			to = os.Stderr
		}
		fmt.Fprintf(to, format+"\n", args...)
	}
	bar := newProgress(s.Name, s.Seeds.Count*(s.Rounds.Count+1))
	defer bar.clear()
	o := experiment.Options{Directory: d, Workers: f.workers, Replace: true, Plots: !f.noPlots,
		Style: f.figures.Style,
		Extra: evaluation.WriteKnowledge, Checkpoint: f.checkpoint,
		Say:      func(text string) { bar.clear(); fmt.Fprintln(os.Stderr, text) },
		Progress: func(seed uint64, round int) { bar.at(int(seed-s.Seeds.First)*(s.Rounds.Count+1) + round + 1) }}
	var runs, ended []*record.Run
	var early error
	kept := 0
	for k := range s.Seeds.Count {
		seed := s.Seeds.First + uint64(k)
		r, why, err := e.Finished(d, seed)
		if err != nil {
			return runs, err
		}
		if r != nil && !f.again {
			if !f.noPlots && !f.figures.IsZero() {
				if err := e.Draw(r, f.figures.Style); err != nil {
					return runs, err
				}
			}
			runs = append(runs, r)
			kept++
			continue
		}
		if why != nil && !f.again {
			bar.clear()
			note("seed %d is computed again: %s", seed, strings.Join(why, "; "))
		}
		_, none := os.Stat(filepath.Join(d.Seed(seed), record.AttacksFile))
		r, err = e.Run(ctx, seed, o)
		if _, lost := os.Stat(filepath.Join(d.Seed(seed), record.AttacksFile)); none == nil && lost != nil {
			bar.clear()
			note("what attacks found on the earlier run of seed %d is no longer of the run in %s and is kept there as "+
				"%s", seed, d.Seed(seed), record.OldAttacksFile)
		}
		if errors.Is(err, context.Canceled) {
			kept := "and what seed %d has computed is"
			if f.checkpoint == 0 {
				kept = "what seed %d has computed is not"
			}
			return runs, errors.Join(early, fmt.Errorf("stopped; %d of %d seeds are finished and kept, "+kept+
				"; the same command goes on from there", len(runs), s.Seeds.Count, seed))
		}
		if err != nil && r != nil { // it ended early, which others need not
			early = errors.Join(early, err)
			ended = append(ended, r)
			continue
		}
		if err != nil {
			if last := s.Seeds.First + uint64(s.Seeds.Count) - 1; seed < last {
				err = fmt.Errorf("%w; seeds after %d, up to %d, were not run", err, seed, last)
			}
			return runs, errors.Join(early, err)
		}
		runs = append(runs, r)
	}
	bar.clear()
	if len(runs) == 0 {
		if len(ended) == 1 && !f.json {
			early = errors.Join(early, report.Table(w, ended[0]))
		}
		return runs, early
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
	for _, r := range runs {
		if f.bounds {
			err = errors.Join(err, report.Bounds(w, r.Info))
		}
	}
	return runs, errors.Join(err, failed)
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
			why = "the run diverges: its distance to the optimum is " + fmt.Sprintf("%.3g", float64(
				r.Info.Final.Distance)) + " times the optimum's norm and grows"
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
// scenario's name, and where --set changed what the file says, that too. Where it
// holds results of another scenario and the user did not say --out, its name gets
// in what they differ: results of different scenarios never share a directory.
func placed[T any](s *scenarios.Scenario, file string, sets []string, outGiven bool,
	open func(name string) (T, error)) (T, error) {
	name := s.Name
	if !outGiven && len(sets) > 0 {
		if plain, err := scenarios.Load(file); err != nil || plain.Hash() != s.Hash() {
			name += scenarios.Suffix(sets)
		}
	}
	for {
		d, err := open(name)
		var other *experiment.OtherScenario
		if !errors.As(err, &other) {
			return d, err
		}
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
// the work has taken a second.
type progress struct {
	bar   *progressbar.ProgressBar
	name  string
	total int
	start time.Time
	off   bool
}

func newProgress(name string, total int) *progress {
	return &progress{name: name, total: total, start: time.Now(), off: !term.IsTerminal(int(os.Stderr.Fd()))}
}

func (p *progress) at(n int) {
	if p.off || time.Since(p.start) < time.Second {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions(p.total, progressbar.OptionSetWriter(newRedrawn()),
			progressbar.OptionUseANSICodes(true),
			progressbar.OptionSetDescription(p.name),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond))
	}
	_ = p.bar.Set(n) // a bar that cannot be drawn is no reason to stop
}

func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

func newVerify() *cobra.Command {
	var data string
	var workers int
	c := &cobra.Command{
		Use:   "verify DIR…",
		Short: "Repeat runs, attacks and audits and compare all that their directories say",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("verify needs the directory of a run, of an audit or of several seeds, such as " +
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
				same, err := evaluation.Verify(c.Context(), dir, evaluation.VerifyOptions{DataDir: data,
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

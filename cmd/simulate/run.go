// simulate run, and verify: scenarios into run directories, and back.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	"overhear/metrics"
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
	noPlots bool

	outGiven bool // by --out
}

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
	flags.BoolVar(&f.noPlots, "no-plots", false, "draw no figures")
	return c
}

// check checks the flags of run and attack, and keeps which were given.
func (f *runFlags) check(c *cobra.Command) error {
	f.outGiven = c.Flags().Changed("out")
	switch {
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
		Extra:    evaluation.WriteKnowledge,
		Progress: func(seed uint64, round int) { bar.at(int(seed-s.Seeds.First)*(s.Rounds.Count+1) + round + 1) }}
	var runs []*record.Run
	kept := 0
	for k := range s.Seeds.Count {
		seed := s.Seeds.First + uint64(k)
		r, why, err := e.Finished(d, seed)
		if err != nil {
			return runs, err
		}
		if r != nil && !f.again {
			runs = append(runs, r)
			kept++
			continue
		}
		if why != nil && !f.again {
			bar.clear()
			note("seed %d is computed again: %s", seed, strings.Join(why, "; "))
		}
		r, err = e.Run(ctx, seed, o)
		if errors.Is(err, context.Canceled) {
			return runs, fmt.Errorf("stopped; %d of %d seeds are finished and kept, and the same command goes on "+
				"from there", len(runs), s.Seeds.Count)
		}
		if err != nil {
			return runs, err
		}
		runs = append(runs, r)
	}
	bar.clear()
	summed, others, err := e.Summarise(d, !f.noPlots)
	if err != nil {
		return runs, err
	}
	if kept > 0 && !f.json {
		note("%d of %d seeds were finished already; --again runs them again", kept, s.Seeds.Count)
	}
	if summed > len(runs) && !f.json {
		note("summary.csv is of all %d seeds that are finished in %s", summed, d.Path)
	}
	if others > 0 {
		note("summary.csv leaves out %d more in %s, which came from other files or another build of the program, or "+
			"are damaged", others, d.Path)
	}
	if f.json {
		return runs, nil
	}
	if len(runs) > 1 {
		return runs, report.SeedTable(w, runs, d.Path)
	}
	return runs, report.Table(w, runs[0])
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
		p.bar = progressbar.NewOptions(p.total, progressbar.OptionSetWriter(os.Stderr),
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
		Use:   "verify RUNDIR",
		Short: "Repeat a run and say whether, and where first, it differs",
		Args:  exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := record.Open(args[0])
			if err != nil {
				return usageError{err}
			}
			bar := newProgress("verify", r.Info.Rounds+1)
			err = experiment.Verify(c.Context(), r, data, workers, func(row metrics.Row) { bar.at(row.Round + 1) })
			bar.clear()
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: same digest, %s, over %d events\n", r.Dir, r.Info.Digest, r.Info.Events)
			return nil
		},
	}
	c.Flags().StringVar(&data, "data", "", "data `directory`")
	c.Flags().IntVar(&workers, "workers", runtime.GOMAXPROCS(0), "goroutines that compute")
	return c
}

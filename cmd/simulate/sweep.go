// simulate sweep: many runs over a grid of values, and what is made of them.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"overhear/experiment"
	"overhear/internal/plural"
	"overhear/record"
	"overhear/sweep"
)

// sweepFlags are the flags of simulate sweep.
type sweepFlags struct {
	sweep.Options
	shard   string
	account bool
	choice  sweep.Choice
	retry   bool
	workers int
	out     string
	data    string
}

func newSweep() *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "sweep FILE",
		Short: "Run a scenario over a grid of values and seeds; killed at any point, the same command goes on",
		Long: `Run a scenario with every combination of a grid of values and every seed.

  simulate sweep FILE --grid algorithm.eta=0.1,0.3,1 --grid problem.rho=0.02,0.2 --seeds 10

A value may be any YAML: --grid 'algorithm={kind: admm, eta: 0.1},{kind: dgd, step: 0.1}'. Paths that change
together are joined: --grid 'algorithm.eta+algorithm.theta=0.1|0.2,0.3|0.3'. The grid may also be in the file,
as its section sweep. Results are in OUT/NAME/sweep: results.csv and results.parquet, a row a run, or a
row a round with --rows rounds. What is finished is never computed again.

Tuning costs privacy. --account gives each run of a new sweep a seed of its own, as runs of one seed have the same
noise, and composes the claims and the certificates of all runs; --select METRIC makes a random number of runs of
points of the grid that are drawn, and tells the best, which loses less than all of them.`,
		Args: exactly(1),
		RunE: func(c *cobra.Command, args []string) error { return makeSweep(c, args[0], &f) },
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.Grid, "grid", nil, "an axis of the grid, `path=value,value…`; may be repeated; replaces "+
		"the file's grid")
	flags.IntVar(&f.Seeds, "seeds", 0, "seeds for each combination, from the scenario's first")
	flags.StringVar(&f.Keep, "rows", "", "what the table has a row for: last (every run) or rounds (every round of "+
		"every run)")
	flags.StringArrayVar(&f.Sets, "set", nil, "override a value of the scenario in all runs, `path=value`; may be "+
		"repeated")
	flags.StringVar(&f.shard, "shard", "", "compute only part `i/n` of the runs, i from 0, into a directory of its "+
		"own; see sweep merge")
	flags.BoolVar(&f.account, "account", false, "say what all runs together lose, by claims and by certificates; in "+
		"a new sweep each run has a seed of its own then, so that points are not compared seed by seed")
	flags.StringVar(&f.choice.Metric, "select", "", "private selection: runs of drawn points, a geometric number of "+
		"them, and the best by this `metric` of the test rows")
	flags.Float64Var(&f.choice.Mean, "mean-runs", 0, "mean number of runs of --select (default as many as points)")
	flags.BoolVar(&f.retry, "retry-failed", false, "compute runs again that failed")
	flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "runs at a time; results do not depend on it")
	flags.StringVar(&f.out, "out", filepath.Join("results", "runs"), "results `directory`")
	flags.StringVar(&f.data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	c.AddCommand(newSweepStatus(), newSweepMerge(), newSweepPlot(), newSweepServe(), newSweepJoin())
	return c
}

func makeSweep(c *cobra.Command, file string, f *sweepFlags) error {
	switch {
	case f.workers < 1:
		return usage("--workers must be at least 1, is %d", f.workers)
	case c.Flags().Changed("seeds") && f.Seeds < 1:
		return usage("--seeds must be at least 1, is %d", f.Seeds)
	case f.Keep != "" && f.Keep != sweep.KeepLast && f.Keep != sweep.KeepRounds:
		return usage("--rows must be last or rounds, is %q", f.Keep)
	}
	settings := sweep.Settings{Dispatcher: sweep.Local{Workers: f.workers, Data: f.data}, RetryFailed: f.retry}
	if f.data != "" {
		settings.Replay = []string{"--data", f.data}
	}
	if f.shard != "" {
		var err error
		if settings.Shard, err = sweep.ParseShard(f.shard); err != nil {
			return usage("--shard: %w", err)
		}
	}
	plan, choice, err := f.plan(c, file, &settings)
	if err != nil {
		return usageError{err}
	}
	name := settings.Shard.Directory()
	if choice != nil {
		name = "selection"
	}
	path := filepath.Join(f.out, plan.Name, name)
	if err := plan.As(path); err != nil {
		return usageError{err}
	}
	var lost *record.Tuning
	if choice != nil { // before its runs, as none may be published if nothing bounds what it loses
		if lost, err = sweep.Account(c.Context(), plan, settings.Only, choice, f.data); err != nil {
			return usageError{err}
		}
	}
	dir, err := sweep.OpenDir(path, plan)
	if err != nil {
		return usageError{err}
	}
	defer dir.Close()
	bar := newSweepBar(plan.Name)
	settings.Progress = bar.at
	tell(event{Written: dir.Path})
	p, err := sweep.Make(c.Context(), dir, settings)
	bar.clear()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped; %d of %d runs are finished and kept, and the same command goes on from there",
			p.Before+p.Done, p.Total)
	}
	if err != nil {
		return err
	}
	if err := printMade(c.OutOrStdout(), dir, p, settings); err != nil {
		return err
	}
	if f.account {
		err = account(c, dir, f.data)
	} else if lost != nil {
		err = dir.WriteTuning(c.OutOrStdout(), lost)
	}
	if err != nil {
		return err
	}
	if p.Failed > 0 {
		return fmt.Errorf("%d of %d runs failed; --retry-failed computes them again", p.Failed, p.Total)
	}
	return dir.Close()
}

// account says what all runs lose.
func account(c *cobra.Command, d *sweep.Dir, data string) error {
	t, err := sweep.Account(c.Context(), d.Plan, nil, nil, data)
	if err != nil {
		return err
	}
	return d.WriteTuning(c.OutOrStdout(), t)
}

// plan plans the runs, and those of a selection if one is asked for.
func (f *sweepFlags) plan(c *cobra.Command, file string, s *sweep.Settings) (*sweep.Plan, *sweep.Choice, error) {
	if f.choice.Metric == "" {
		if c.Flags().Changed("mean-runs") {
			return nil, nil, errors.New("--mean-runs is of --select, which says by which metric")
		}
		f.Apart = f.account
		p, err := sweep.NewPlan(file, f.Options)
		return p, nil, err
	}
	for _, other := range []string{"seeds", "rows", "shard", "account"} {
		if c.Flags().Changed(other) {
			return nil, nil, fmt.Errorf("--%s does not go with --select, which draws its runs", other)
		}
	}
	if c.Flags().Changed("mean-runs") && f.choice.Mean == 0 {
		return nil, nil, errors.New("--mean-runs must be at least 1, is 0; without it there are as many as points")
	}
	p, only, err := sweep.Select(file, f.Options, &f.choice)
	s.Only = only
	return p, &f.choice, err
}

// printMade says what a sweep came to.
func printMade(w io.Writer, d *sweep.Dir, p sweep.Progress, s sweep.Settings) error {
	if p.Before > 0 {
		fmt.Fprintf(w, "%d of %d runs were finished already\n", p.Before, p.Total)
	}
	of := plural.Of(d.Plan.Points(), "point") + " by " + plural.Of(d.Plan.Seeds.Count, "seed")
	if d.Plan.Select != nil {
		of = "drawn from " + plural.Of(d.Plan.Points(), "point")
	}
	fmt.Fprintf(w, "%s: %s, %s, %d computed now, %d failed\nfiles  %s\n", d.Plan.Name, plural.Of(p.Total, "run"), of,
		p.Done, p.Failed, d.Path)
	if err := sweep.Summarise(w, d.Plan, d.Journal); err != nil || p.Failed == 0 {
		return err
	}
	return sweep.ListFailures(w, d.Plan, d.Journal, s.Replay...)
}

// sweepBar is a bar on standard error, if that is a terminal, with the rate and
// the time left of what this process computes.
type sweepBar struct {
	bar   *progressbar.ProgressBar
	pulse pulse // where there is none
	name  string
	off   bool
}

func newSweepBar(name string) *sweepBar {
	return &sweepBar{name: name, off: noBar()}
}

func (b *sweepBar) at(p sweep.Progress) {
	tell(event{Progress: &progressEvent{b.name, p.Before + p.Done, p.Total, ""}})
	if b.off {
		if !events {
			b.pulse.at(words, b.name, p.Before+p.Done, p.Total, "runs")
		}
		return
	}
	if b.bar == nil {
		name := b.name
		if p.Before > 0 {
			name = fmt.Sprintf("%s, %d kept", name, p.Before)
		}
		b.bar = progressbar.NewOptions(p.Total-p.Before, progressbar.OptionSetWriter(newRedrawn()),
			progressbar.OptionUseANSICodes(true),
			progressbar.OptionSetDescription(name),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("runs"),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(200*time.Millisecond))
	}
	_ = b.bar.Set(p.Done) // a bar that cannot be drawn is no reason to stop
}

func (b *sweepBar) clear() {
	if b.bar != nil {
		_ = b.bar.Clear()
	}
}

func newSweepStatus() *cobra.Command {
	return &cobra.Command{
		Use:   "status DIR…",
		Short: "Say how far sweeps are, also while they run",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("sweep status needs a sweep's directory, such as results/runs/NAME/sweep")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			for _, path := range args {
				d, err := sweep.ReadDir(path)
				if err != nil {
					return usageError{err}
				}
				err = d.Status(c.OutOrStdout())
				if err := errors.Join(err, d.Close()); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func newSweepMerge() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "merge DIR… --out DIR",
		Short: "Join the directories of a sweep's shards",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || out == "" {
				return usage("sweep merge needs directories and --out, such as: sweep merge " +
					"results/runs/NAME/sweep-*-of-8 --out results/runs/NAME/sweep")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			m, err := sweep.Merge(out, args)
			if err != nil {
				return err
			}
			return printMerged(c.OutOrStdout(), out, m)
		},
	}
	c.Flags().StringVar(&out, "out", "", "`directory` to join them in; what it holds already is kept")
	return c
}

func printMerged(w io.Writer, out string, m *sweep.Merged) error {
	fmt.Fprintf(w, "%d of %d runs, %d failed\nfiles  %s\n", m.Stored, m.Total, m.Failed, out)
	d, err := sweep.ReadDir(out)
	if err != nil {
		return err
	}
	if err := errors.Join(sweep.Summarise(w, d.Plan, d.Journal), d.SayTuning(w), d.Close()); err != nil {
		return err
	}
	if len(m.Missing) > 0 {
		fmt.Fprintf(w, "%s missing: %s\n", plural.Of(m.Total-m.Stored, "run"), m.MissingText())
		return fmt.Errorf("%d of %d runs are missing; the tables have the others", m.Total-m.Stored, m.Total)
	}
	if m.Failed > 0 {
		return fmt.Errorf("%d of %d runs failed; %s says which", m.Failed, m.Total, filepath.Join(out, "failures.csv"))
	}
	return nil
}

func newSweepPlot() *cobra.Command {
	var p sweep.Plot
	var f figureFlags
	var out string
	c := &cobra.Command{
		Use:   "plot DIR --x COLUMN --y COLUMN",
		Short: "Draw a column of a sweep's table against another, mean and range over the runs",
		Args:  exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			if p.X == "" || p.Y == "" {
				return usage("sweep plot needs --x and --y, columns of %s", filepath.Join(args[0], "results.csv"))
			}
			if err := f.check(); err != nil {
				return err
			}
			p.Style = f.Style
			if out == "" {
				out = filepath.Join(args[0], "plots")
			}
			files, err := p.Draw(args[0], out)
			if errors.Is(err, experiment.ErrMismatch) {
				return err
			}
			if err != nil {
				return usageError{err}
			}
			for _, f := range files {
				fmt.Fprintln(c.OutOrStdout(), f)
			}
			return nil
		},
	}
	flags := c.Flags()
	flags.StringVar(&p.X, "x", "", "`column` along the horizontal axis")
	flags.StringVar(&p.Y, "y", "", "`column` along the vertical axis: mean, least and greatest of the runs with "+
		"equal x")
	flags.StringVar(&p.Colour, "colour", "", "`column` with a line for each of its values")
	flags.StringVar(&p.Facet, "facet", "", "`column` with a figure for each of its values")
	flags.StringArrayVar(&p.Where, "where", nil, "draw only rows with `column=value`; may be repeated")
	flags.BoolVar(&p.LogX, "log-x", false, "logarithmic horizontal axis")
	flags.BoolVar(&p.LogY, "log-y", false, "logarithmic vertical axis")
	f.add(c, "title (default from the column of --y)")
	flags.StringVar(&p.LabelX, "label-x", "", "what stands at the horizontal axis (default the column in words)")
	flags.StringVar(&p.LabelY, "label-y", "", "what stands at the vertical axis (default the column in words)")
	flags.StringVar(&out, "out", "", "`directory` of the figures (default DIR/plots)")
	return c
}

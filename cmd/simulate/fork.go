// simulate fork: a finished run gone on from an instant with something changed.

package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"overhear/experiment"
	"overhear/internal/plural"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

func newFork() *cobra.Command {
	f := runFlags{checkpoint: defaultCheckpoint}
	var at string
	c := &cobra.Command{
		Use:   "fork RUNDIR",
		Short: "Go on from an instant of a finished run with something changed",
		Long: `Go on from an instant of a finished run with something changed.

  simulate run scenarios/hospital-faults.yaml --keep
  simulate fork results/runs/hospital-faults/1 --at 1.2s --set network.loss=0.3

Up to that instant the events are those of the run; from then on they are those of a run whose scenario says so from the
start (changes). The fork goes on from what the run held shortly before, which simulate run --keep left; where it left
nothing of use, what was before is computed anew. What may change: of network all but topology, compute, of rounds
retry, deadline, quorum, staleness and timeout, and the method's parameters.

A fork costs what is left of the run, 0.15 to 0.5 s of CPU for starting, reading data and writing results, and copying
what else the run has recorded. Near the end that is less than a tenth of a new run that takes some 4 s or more and
records metrics and trace alone, and more of others (docs/guide.md); a run of less than a second is as soon run anew.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("fork needs the directory of one run, such as results/runs/quickstart/1")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c); err != nil {
				return err
			}
			return fork(c, args[0], at, &f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&at, "at", "", "the `instant` of virtual time from which on it is different, such as 1.2s")
	flags.StringArrayVar(&f.sets, "set", nil, "what is different from then on, `path=value`; may be repeated")
	flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "goroutines that compute; results do not depend on it")
	flags.StringVar(&f.out, "out", "", "results `directory` (default that of the run that it goes on from)")
	flags.StringVar(&f.data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	flags.BoolVar(&f.json, "json", false, "print run.json as a JSON array")
	flags.BoolVar(&f.again, "again", false, "fork anew what is forked already")
	flags.BoolVar(&f.keep, "keep", false, "keep what the fork has computed, too, so that others go on from it in turn")
	flags.BoolVar(&f.noPlots, "no-plots", false, "draw no figures")
	f.figures.add(c, "title of the figures, in place of the scenario's name")
	return c
}

// longestFork is how long the name of a fork's directory may be, besides the scenario's, with all that is otherwise in
// the run that it goes on from; where it is longer a hash stands for that. What has changed when is in run.json.
const longestFork = 60

// sameDirectory says whether paths are of one directory.
func sameDirectory(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func fork(c *cobra.Command, dir, instant string, f *runFlags) error {
	var at sim.Duration
	switch {
	case instant == "":
		return usage("--at must say the instant of virtual time at which something changes, such as --at 1.2s")
	case len(f.sets) == 0:
		return usage("--set must say what is different from %s on, such as --set network.loss=0.3", instant)
	}
	if err := at.UnmarshalText([]byte(instant)); err != nil {
		return usage("--at: %w", err)
	}
	if at < 0 {
		return usage("--at is an instant of virtual time, which begins at 0, not %v", at)
	}
	dir = runDirectory(dir)
	if err := isDirectory(dir); err != nil {
		return err
	}
	r, err := record.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return usage("%s is not the directory of a run, such as %s", dir, filepath.Join(dir, "1"))
	} else if err != nil {
		return err
	}
	file := filepath.Join(dir, runFile)
	parent, err := scenarios.Parse(file, []byte(r.Info.Scenario))
	if err != nil {
		return usageError{err}
	}
	s, err := scenarios.Fork(file, []byte(r.Info.Scenario), at, f.sets)
	if err != nil {
		return usageError{err}
	}
	if over := r.Info.Final.VirtualSeconds; at.Seconds() > over {
		return usage("--at %v is after the run in %s was over, at %gs: nothing would be different", at, dir, over)
	}
	if scenarios.SameAt(parent, s, at) {
		return usage("--set %s is what holds at %v in %s: nothing would be different", strings.Join(f.sets, " --set "),
			at, dir)
	}
	if changed := experiment.New(parent, f.data).Changed(r.Info.Inputs); changed != nil {
		return usage("%s cannot be gone on from: %s", dir, strings.Join(changed, "; "))
	}
	s.Seeds = scenarios.Seeds{First: r.Info.Seed, Count: 1}
	f.from = &experiment.Parent{Scenario: parent, Run: r, Kept: r.KeptPath(), States: r.StatesPath(), Trace: r.Trace,
		Change: slices.IndexFunc(s.Changes, func(a scenarios.Alteration) bool { return a.At == at })}
	traced := r.Info.Digest != ""
	whole, err := filepath.Abs(dir) // of "1" the names above it are not said
	if err != nil {
		return err
	}
	of := filepath.Base(filepath.Dir(whole))
	beside := filepath.Join(dir, "..", "..")
	if !f.outGiven {
		f.out = beside
	}
	if sameDirectory(f.out, beside) {
		f.outGiven = false // its name is taken by the run that it goes on from
	}
	f.sets = append([]string{"at=" + at.String()}, f.sets...)
	if before, is := strings.CutPrefix(of, s.Name+","); is { // a fork or a variant itself
		f.sets = append([]string{before}, f.sets...)
		if len(scenarios.Suffix(f.sets)) > longestFork {
			sum := sha256.Sum256([]byte(before))
			f.sets[0] = fmt.Sprintf("of-%x", sum[:4])
		}
	}
	for _, a := range s.Changes {
		if a.At > at {
			fmt.Fprintf(c.ErrOrStderr(), "what %s changes later, at %v, it changes in the fork, too\n", dir, a.At)
		}
	}
	runs, err := runSeeds(c.Context(), s, file, f, c.OutOrStdout())
	infos := []*record.Info{}
	for _, fork := range runs {
		infos = append(infos, fork.Info)
		tell(event{Written: fork.Dir})
	}
	if f.json {
		err = errors.Join(err, printJSON(c, infos))
	}
	differs := (*sim.Divergence)(nil)
	if errors.As(err, &differs) {
		return fmt.Errorf("%s is not what this program computes, before anything is changed (simulate verify says "+
			"more): %w", dir, err)
	}
	if f.from.Same > 0 && !f.json {
		known := ""
		if f.from.Known > 0 {
			known = fmt.Sprintf("; gone on from what it held after %d of them", f.from.Known)
		}
		what := "as many as"
		if traced {
			what = "the same as"
		}
		fmt.Fprintf(c.OutOrStdout(), "%-16s %s before %v, %s in %s; %s taken from it%s\n", "fork",
			plural.Of(int(f.from.Same), "event"), at, what, dir, plural.Of(f.from.Taken, "result"), known)
	}
	return err
}

// simulate fuzz: a scenario under random faults.

package main

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"overhear/experiment"
	"overhear/fuzz"
	"overhear/internal/plural"
	"overhear/scenarios"
)

func newFuzz() *cobra.Command {
	var runs, workers int
	var limit time.Duration
	var first int64
	var distance float64
	var data, corpus string
	var asIs bool
	var sets []string
	c := &cobra.Command{
		Use:   "fuzz [FILE]",
		Short: "Search for trouble: run a scenario under random faults and networks and check what must always hold",
		Long: `Search for trouble: run a scenario under random faults and networks, one for each seed, and
check what must always hold. Without a FILE each seed draws the whole scenario: method, graph,
rounds.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if runs < 1 || workers < 1 {
				return usage("--runs and --workers must be at least 1")
			}
			if limit < 0 {
				return usage("--limit must not be negative")
			}
			if c.Flags().Changed("seed") && first < 0 {
				return usage("--seed must be at least 0, is %d", first)
			}
			name, file := "drawn scenarios", ""
			o := fuzz.Options{Runs: runs, First: 1, Distance: distance, Workers: workers, Limit: limit}
			var s *scenarios.Scenario
			if len(args) == 0 {
				if asIs || sets != nil {
					return usage("--as-is and --set are for the scenario of a FILE")
				}
			} else {
				var err error
				if s, err = scenarios.Load(args[0], sets...); err != nil {
					return usageError{err}
				}
				name, file, o.First = s.Name, args[0], s.Seeds.First
			}
			if first >= 0 {
				o.First = uint64(first)
			}
			w := c.OutOrStdout()
			if asIs {
				if c.Flags().Changed("runs") {
					return usage("--as-is checks one run; --runs is for the search")
				}
				t, err := fuzz.Check(c.Context(), experiment.New(s, data), o.First, distance)
				if err != nil {
					return err
				}
				if t != nil {
					fmt.Fprintf(w, "seed %d breaks: %s\n  %s\n", t.Seed, t.Invariant, t.Account)
					return fmt.Errorf("%w: the run broke an invariant", errVerdict)
				}
				fmt.Fprintf(w, "%s: seed %d broke no invariant\n", s.Name, o.First)
				return nil
			}
			bar := newProgress("fuzz", runs)
			say := newTeller(c.ErrOrStderr(), bar.off, runs)
			o.Progress = func(done int) { bar.at(done); say.at(done) }
			var found []fuzz.Trouble
			var err error
			if s == nil {
				found, err = fuzz.RunWild(c.Context(), o)
			} else {
				found, err = fuzz.Run(c.Context(), experiment.New(s, data), o)
			}
			bar.clear()
			if err != nil {
				return err
			}
			for _, t := range found {
				fmt.Fprintf(w, "seed %d breaks: %s\n  %s\n  faults drawn: %d; these are enough:\n", t.Seed,
					t.Invariant, t.Account, t.Drawn)
				for _, set := range t.Sets {
					fmt.Fprintln(w, "   ", set)
				}
				words := []string{"simulate", "fuzz"}
				if s != nil {
					words = append(words, file)
				}
				words = append(words, "--runs", "1", "--seed", fmt.Sprint(t.Seed))
				fmt.Fprintf(w, "  found again by: %s\n", quoted(withSets(words, sets)...))
				if s != nil {
					words = []string{"simulate", "run", file, "--seed", fmt.Sprint(t.Seed)}
					fmt.Fprintf(w, "  run alone by:   %s\n",
						quoted(withSets(words, append(append([]string(nil), sets...), t.Sets...))...))
				}
				if corpus != "" {
					path, err := t.Write(corpus)
					if err != nil {
						return err
					}
					fmt.Fprintf(w, "  checked by:     %s\n", quoted("simulate", "fuzz", path, "--as-is", "--distance",
						fmt.Sprint(distance)))
				}
			}
			fmt.Fprintf(w, "%s: %s, seeds %d to %d: %d broke an invariant\n", name, plural.Of(runs, "run"), o.First,
				o.First+uint64(runs)-1, len(found))
			if len(found) > 0 {
				if corpus != "" {
					fmt.Fprintf(w, "The directory %s has a scenario for each.\n", corpus)
				}
				return fmt.Errorf("%w: %d of %d runs broke an invariant", errVerdict, len(found), runs)
			}
			return nil
		},
	}
	flags := c.Flags()
	flags.IntVar(&runs, "runs", 100, "how many runs, each with a seed of its own")
	flags.Int64Var(&first, "seed", -1, "seed of the first run (default the scenario's first, or 1)")
	flags.Float64Var(&distance, "distance", fuzz.DefaultDistance,
		"greatest relative distance from the optimum that a loss-tolerant method may end with")
	flags.IntVar(&workers, "workers", runtime.GOMAXPROCS(0), "runs at a time; results do not depend on it")
	flags.DurationVar(&limit, "limit", time.Minute, "real time that a run may take before it is in trouble; 0: any")
	flags.StringVar(&corpus, "corpus", "fuzz-corpus",
		"`directory` for a scenario of each trouble; \"\": none is written")
	flags.BoolVar(&asIs, "as-is", false,
		"check one run of the scenario with its own network and faults, such as one of a corpus; draw nothing")
	flags.StringVar(&data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	flags.StringArrayVar(&sets, "set", nil, "override a value of the scenario, `path=value`; may be repeated")
	return c
}

// teller says in lines how far a search is, where no bar can be drawn.
type teller struct {
	w            io.Writer
	off          bool
	total        int
	start, spoke time.Time
}

// between is the time between two lines.
const between = 5 * time.Second

func newTeller(w io.Writer, piped bool, total int) *teller {
	now := time.Now()
	return &teller{w: w, off: !piped, total: total, start: now, spoke: now}
}

// at says that so many runs are done, if it has not spoken for a while.
func (t *teller) at(done int) {
	now := time.Now()
	if t.off || now.Sub(t.spoke) < between {
		return
	}
	t.spoke = now
	passed := now.Sub(t.start)
	left := time.Duration(float64(passed) / float64(done) * float64(t.total-done))
	fmt.Fprintf(t.w, "fuzz: %d of %d runs after %v, about %v to go\n", done, t.total, passed.Round(time.Second),
		left.Round(time.Second))
}

// simulate fuzz: a scenario under random faults.

package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"overhear/experiment"
	"overhear/fuzz"
	"overhear/scenarios"
)

func newFuzz() *cobra.Command {
	var runs, workers int
	var first int64
	var distance float64
	var data, corpus string
	var asIs bool
	var sets []string
	c := &cobra.Command{
		Use:   "fuzz FILE",
		Short: "Search for trouble: run a scenario under random faults and networks and check what must always hold",
		Args:  exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			if runs < 1 || workers < 1 {
				return usage("--runs and --workers must be at least 1")
			}
			if c.Flags().Changed("seed") && first < 0 {
				return usage("--seed must be at least 0, is %d", first)
			}
			s, err := scenarios.Load(args[0], sets...)
			if err != nil {
				return usageError{err}
			}
			o := fuzz.Options{Runs: runs, First: s.Seeds.First, Distance: distance, Workers: workers}
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
			o.Progress = bar.at
			found, err := fuzz.Run(c.Context(), experiment.New(s, data), o)
			bar.clear()
			if err != nil {
				return err
			}
			for _, t := range found {
				fmt.Fprintf(w, "seed %d breaks: %s\n  %s\n  %d faults were drawn; these are enough:\n", t.Seed,
					t.Invariant, t.Account, t.Drawn)
				for _, set := range t.Sets {
					fmt.Fprintln(w, "   ", set)
				}
				words := []string{"simulate", "fuzz", args[0], "--runs", "1", "--seed", fmt.Sprint(t.Seed)}
				fmt.Fprintf(w, "  found again by: %s\n", quoted(withSets(words, sets)...))
				words = []string{"simulate", "run", args[0], "--seed", fmt.Sprint(t.Seed)}
				fmt.Fprintf(w, "  run alone by:   %s\n",
					quoted(withSets(words, append(append([]string(nil), sets...), t.Sets...))...))
				if corpus != "" {
					path, err := t.Write(corpus)
					if err != nil {
						return err
					}
					fmt.Fprintf(w, "  checked by:     %s\n", quoted("simulate", "fuzz", path, "--as-is", "--distance",
						fmt.Sprint(distance)))
				}
			}
			fmt.Fprintf(w, "%s: %d runs, seeds %d to %d: %d broke an invariant\n", s.Name, runs, o.First,
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
	flags.Int64Var(&first, "seed", -1, "seed of the first run (default the scenario's first)")
	flags.Float64Var(&distance, "distance", fuzz.DefaultDistance,
		"greatest relative distance from the optimum that a loss-tolerant method may end with")
	flags.IntVar(&workers, "workers", runtime.GOMAXPROCS(0), "runs at a time; results do not depend on it")
	flags.StringVar(&corpus, "corpus", "fuzz-corpus",
		"`directory` for a scenario of each trouble; \"\": none is written")
	flags.BoolVar(&asIs, "as-is", false,
		"check one run of the scenario with its own network and faults, such as one of a corpus; draw nothing")
	flags.StringVar(&data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	flags.StringArrayVar(&sets, "set", nil, "override a value of the scenario, `path=value`; may be repeated")
	return c
}

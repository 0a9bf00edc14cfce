// simulate why: what a run's outcome came from.

package main

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"overhear/evaluation"
	"overhear/internal/plural"
	"overhear/record"
	"overhear/report"
)

func newWhy() *cobra.Command {
	var victim, tries, workers int
	var data string
	var sets []string
	var astray, asJSON bool
	c := &cobra.Command{
		Use:   "why RUNDIR --victim NODE | --wrong-point",
		Short: "Tell why a run went as it did: packets that gave a node away, faults that kept it from the optimum",
		Args:  exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			ofVictim := c.Flags().Changed("victim")
			switch {
			case ofVictim && astray:
				return usage("--victim and --wrong-point are two questions: ask one at a time")
			case !ofVictim && !astray:
				return usage("say what is to be explained: --victim NODE or --wrong-point")
			case astray && (sets != nil || c.Flags().Changed("tries")):
				return usage("--set and --tries are of --victim")
			case tries < 1:
				return usage("--tries must be at least 1, is %d", tries)
			case workers < 1:
				return usage("--workers must be at least 1, is %d", workers)
			}
			if err := ofAdversary(sets); err != nil {
				return err
			}
			r, err := openRun(args[0])
			if err != nil {
				return err
			}
			y := &record.Why{Name: r.Info.Name, Seed: r.Info.Seed, Algorithm: r.Info.Algorithm, Digest: r.Info.Digest}
			if astray {
				y.Warnings = r.Info.Warnings
				bar := newProgress("runs", -1).orTell(c.ErrOrStderr(), "making the run again without some of its "+
					"faults, some 200 times at most")
				var once foretold
				y.Astray, err = evaluation.WhyAstray(c.Context(), r, evaluation.AstrayOptions{DataDir: data,
					Workers: workers, Progress: func(runs int) {
						once.after(c.ErrOrStderr(), runs, 200, "to make the run without faults", "about the most")
						bar.at(runs)
					}})
				bar.clear()
			} else {
				bar := newProgress("attacks", tries).orTell(c.ErrOrStderr(), fmt.Sprintf("carrying out each attack "+
					"up to %s (--tries)", plural.Of(tries, "time")))
				var once foretold
				y.Attacks, err = evaluation.WhyLearnt(c.Context(), r, victim, evaluation.WhyOptions{DataDir: data,
					Sets: sets, Most: tries, Progress: func(attack string, tried int) {
						once.after(c.ErrOrStderr(), tried, tries, "to carry out "+attack, "the most (--tries)")
						bar.of(attack, tried)
					}})
				bar.clear()
			}
			if errors.Is(err, record.ErrNotRecorded) {
				return usageError{err}
			}
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(c, y)
			}
			return report.WhyTable(c.OutOrStdout(), y)
		},
	}
	flags := c.Flags()
	flags.IntVar(&victim, "victim", 0, "which packets are enough for each attack that succeeded on this `node`")
	flags.BoolVar(&astray, "wrong-point", false, "without which of its faults the run reaches the optimum")
	flags.IntVar(&tries, "tries", 5000, "carry each attack out about so many times at most")
	flags.IntVar(&workers, "workers", runtime.GOMAXPROCS(0), "goroutines that compute; results do not depend on it")
	flags.StringArrayVar(&sets, "set", nil, "override a value of the run's adversary, `path=value`; may be repeated")
	flags.StringVar(&data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	flags.BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

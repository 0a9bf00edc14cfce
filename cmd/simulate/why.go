// simulate why: what a run's outcome came from.

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"overhear/evaluation"
	"overhear/record"
	"overhear/report"
)

func newWhy() *cobra.Command {
	var victim, tries int
	var data string
	var sets []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "why RUNDIR --victim NODE",
		Short: "Tell why a run went as it did: the packets that gave a node's data away",
		Args:  exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			if !c.Flags().Changed("victim") {
				return usage("say of whom: --victim NODE")
			}
			if tries < 1 {
				return usage("--tries must be at least 1, is %d", tries)
			}
			if err := ofAdversary(sets); err != nil {
				return err
			}
			r, err := openRun(args[0])
			if err != nil {
				return err
			}
			y := &record.Why{Name: r.Info.Name, Seed: r.Info.Seed, Algorithm: r.Info.Algorithm, Digest: r.Info.Digest}
			bar := newProgress("attacks", tries)
			y.Attacks, err = evaluation.WhyLearnt(c.Context(), r, victim, evaluation.WhyOptions{DataDir: data,
				Sets: sets, Most: tries, Progress: bar.at})
			bar.clear()
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
	flags.IntVar(&tries, "tries", 2000, "carry each attack out about so many times at most")
	flags.StringArrayVar(&sets, "set", nil, "override a value of the run's adversary, `path=value`; may be repeated")
	flags.StringVar(&data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	flags.BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

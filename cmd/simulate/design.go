// simulate design: the privacy parameter at which privacy and accuracy together are worth most.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"overhear/sweep"
	"overhear/theory"
)

// designFlags are the flags of simulate design.
type designFlags struct {
	sweep.Design
	utility string
	alpha   numbers
	between numbers
	workers int
	out     string
	data    string
	json    bool
	noPlots bool
	replace bool
	figures figureFlags
}

// numbers are numbers with commas between them.
type numbers []float64

// String is what they are set to.
func (n *numbers) String() string {
	var all []string
	for _, v := range *n {
		all = append(all, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(all, ",")
}

// Type is what help calls the value.
func (*numbers) Type() string { return "numbers" }

// Set reads them.
func (n *numbers) Set(text string) error {
	*n = nil
	for _, word := range strings.Split(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return fmt.Errorf("%q is no number; it takes numbers with commas between them, such as 0.1,0.3,1", word)
		}
		*n = append(*n, v)
	}
	return nil
}

func newDesign() *cobra.Command {
	var f designFlags
	var forms []string
	for _, form := range theory.UtilityForms {
		forms = append(forms, form.Name+": "+form.Formula)
	}
	c := &cobra.Command{
		Use:   "design FILE…",
		Short: "Choose the privacy parameter α of a scenario: fit the loss against α, weigh it against a utility",
		Long: `Choose algorithm.alpha of a scenario, as ZZ16 §5 designs it.

  simulate design my.yaml --utility linear=0.2 --seeds 5

The scenario is run at several α. The curve L_acc(α) = c₄e^(−c₅α) + c₆ is fitted to its mean losses in the last
round, and the α is recommended at which U(α) − L_acc(α) is largest. U(α) is what privacy is worth to you, in
units of the loss; it falls as α grows. Its forms, with weights a, b, …:

  ` + strings.Join(forms, "\n  ") + `

Results are in OUT/NAME/design-HASH, a sweep's directory; what is finished is never computed again. A design
from another metric, utility or range in that place is replaced with --replace only.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("design needs a scenario file with a method that has %s, such as dvp; `simulate new` "+
					"writes one", "algorithm.alpha")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return design(c, args, &f) },
	}
	flags := c.Flags()
	f.alpha = numbers{0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 4}
	flags.Var(&f.alpha, "alpha", "values of α to try")
	flags.StringVar(&f.utility, "utility", "zz16=0.02,6,9,1", "what privacy is worth, `form=a,b…`; the default is the "+
		"paper's")
	flags.Var(&f.between, "between", "`least,greatest` α that may be chosen (default those of --alpha)")
	flags.StringVar(&f.Of, "of", "loss", "`metric` of the last round that measures accuracy, the less the better")
	flags.IntVar(&f.Seeds, "seeds", 0, "seeds for each α, from the scenario's first")
	flags.StringArrayVar(&f.Sets, "set", nil, "override a value of the scenario, `path=value`; may be repeated")
	flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "runs at a time; results do not depend on it")
	flags.StringVar(&f.out, "out", filepath.Join("results", "runs"), "results `directory`")
	flags.StringVar(&f.data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	flags.BoolVar(&f.json, "json", false, "print the designs as a JSON array")
	flags.BoolVar(&f.noPlots, "no-plots", false, "draw no figures")
	flags.BoolVar(&f.replace, "replace", false, "replace a design from another metric, utility or range; the runs stay")
	f.figures.add(c, "title of the figures, in place of the scenario's name")
	return c
}

func design(c *cobra.Command, files []string, f *designFlags) error {
	var err error
	switch {
	case f.figures.check() != nil:
		return f.figures.check()
	case f.workers < 1:
		return usage("--workers must be at least 1, is %d", f.workers)
	case c.Flags().Changed("seeds") && f.Seeds < 1:
		return usage("--seeds must be at least 1, is %d", f.Seeds)
	case f.between != nil && len(f.between) != 2:
		return usage("--between takes two numbers, the least and the greatest α, not %d", len(f.between))
	}
	if f.Utility, err = theory.ParseUtility(f.utility); err != nil {
		return usage("--utility: %w", err)
	}
	if f.between != nil {
		f.Least, f.Most = f.between[0], f.between[1]
	}
	f.Title, f.Alpha = f.figures.Title, f.alpha
	var plans []*sweep.Plan
	var mistakes error
	for _, file := range files {
		p, err := f.Plan(file)
		plans, mistakes = append(plans, p), errors.Join(mistakes, err)
	}
	if mistakes != nil {
		return usageError{mistakes}
	}
	all := []*sweep.Designed{}
	var failures error
	for _, p := range plans {
		d, err := designOne(c, p, f)
		if err == nil {
			all = append(all, d)
			if !f.json {
				err = d.Write(c.OutOrStdout())
			}
		}
		failures = errors.Join(failures, err)
		if c.Context().Err() != nil {
			break
		}
	}
	if f.json {
		e := json.NewEncoder(c.OutOrStdout())
		e.SetIndent("", "  ")
		if err := e.Encode(all); err != nil {
			return err
		}
	}
	return failures
}

// designOne runs what is not finished of a design's sweep and chooses α.
func designOne(c *cobra.Command, plan *sweep.Plan, f *designFlags) (*sweep.Designed, error) {
	dir, err := sweep.OpenDesign(f.out, plan)
	if err != nil {
		return nil, usageError{err}
	}
	defer dir.Close()
	if err := f.Same(dir.Path); err != nil && !f.replace {
		return nil, usage("%w; --replace replaces it and keeps it as design.json.old, and --out DIR takes another "+
			"directory", err)
	}
	bar := newSweepBar(plan.Name)
	p, err := sweep.Make(c.Context(), dir, sweep.Settings{Dispatcher: sweep.Local{Workers: f.workers, Data: f.data},
		Progress: bar.at})
	bar.clear()
	if errors.Is(err, context.Canceled) {
		return nil, fmt.Errorf("stopped; %d of %d runs are finished and kept, and the same command goes on from there",
			p.Before+p.Done, p.Total)
	}
	if err != nil {
		return nil, err
	}
	d, err := f.Conclude(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; its runs are in %s", plan.Name, err, dir.Path)
	}
	if err := d.Keep(dir.Path); err != nil {
		return nil, err
	}
	if !f.noPlots {
		if err := d.Draw(dir.Path, f.figures.Style); err != nil {
			return nil, usageError{err}
		}
	}
	return d, nil
}

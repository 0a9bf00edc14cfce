// simulate site: the project as a web site, and the figures that its readers recompute, computed here.

package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"overhear/problem"
	"overhear/site"
	"overhear/site/engine"
)

// siteFlags are the flags of simulate site.
type siteFlags struct {
	figure string
	sets   []string
	brief  bool
	out    string
}

func newSite() *cobra.Command {
	var f siteFlags
	c := &cobra.Command{
		Use:   "site",
		Short: "Write documents, findings and figures as a web site whose readers compute; or compute such a figure",
		Long: `Write the documents, findings and figures as a web site whose readers compute; or compute such a figure.
Without --out and --figure, list the figures.

  simulate site --out DIR
  simulate site --figure zz16-fig3 --set algorithm.init.normal=0.5

The site is made of a clone of the repository, in which the command has to be run, and by Go, which builds the engine
for browsers, of modules that it fetches if it has not yet. The pages need a server that hands out files, and load
nothing from elsewhere.

The figures are those of the papers and studies, on data and at sizes that take a browser seconds. The digests are those
that the page shows for the same parameters: of every run, and one of all runs and verdicts.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("out") {
				if f.figure != "" || f.sets != nil || f.brief {
					return usage("--out writes the whole site; --figure, --set and --brief compute one figure")
				}
				return writeSite(c, f.out)
			}
			if f.figure == "" {
				if f.sets != nil {
					return usage("--set changes a figure: say which one by --figure")
				}
				return listSite(c.OutOrStdout())
			}
			return siteFigure(c, &f)
		},
	}
	c.Flags().StringVar(&f.out, "out", "", "write the site into this `directory`: new, empty, or of a former site")
	c.Flags().StringVar(&f.figure, "figure", "", "compute this `figure`")
	c.Flags().StringArrayVar(&f.sets, "set", nil, "change one of the figure's parameters, `key=value`; may be repeated")
	c.Flags().BoolVar(&f.brief, "brief", false, "print the digest of all only")
	_ = c.RegisterFlagCompletionFunc("figure", func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return engine.Names(), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

// writeSite writes the site of the clone that the working directory is in.
func writeSite(c *cobra.Command, out string) error {
	if out == "" {
		return usage("--out names no directory")
	}
	root, err := site.Root(".")
	if err != nil {
		return usageError{err}
	}
	bar := newProgress("site", 100)
	stages := &stages{to: c.ErrOrStderr(), bar: bar}
	cache, _ := problem.CacheDir() // without one the site takes longer
	err = site.Write(c.Context(), out, site.Options{Root: root, Version: build(), Progress: stages.told, Cache: cache})
	bar.clear()
	if errors.Is(err, site.ErrOccupied) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "%s\n"+
		"any server that hands out files shows it: python3 -m http.server --directory %s\n",
		filepath.Join(out, "index.html"), out)
	return nil
}

// stages tell which stages of a work go on: by a bar, or where there is none by a line each, and one for each tenth of
// the whole, as a stage may take minutes.
type stages struct {
	to     io.Writer
	bar    *progress
	seen   []string
	tenths int // that have been told
}

func (s *stages) told(share float64, doing []string) {
	s.bar.of(strings.Join(doing, ", "), int(100*share))
	for _, stage := range doing {
		if !slices.Contains(s.seen, stage) {
			s.seen = append(s.seen, stage)
			s.bar.inWords(s.to, stage)
		}
	}
	if tenths := int(10 * share); tenths > s.tenths && len(doing) > 0 {
		s.tenths = tenths
		s.bar.inWords(s.to, fmt.Sprintf("%d %%: %s", 10*tenths, strings.Join(doing, ", ")))
	}
}

// listSite lists the figures with their parameters.
func listSite(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, d := range engine.Descriptions() {
		var keys []string
		for _, p := range d.Parameters {
			keys = append(keys, p.Key)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t--set %s\n", d.Name, d.Paper, d.Title, strings.Join(keys, ", "))
	}
	return w.Flush()
}

// siteFigure computes a figure and prints what the page shows of it, but its charts.
func siteFigure(c *cobra.Command, f *siteFlags) error {
	changes := map[string]string{}
	for _, set := range f.sets {
		key, value, ok := strings.Cut(set, "=")
		if !ok {
			return usage("--set must be key=value, such as network.loss=0.2, is %q", set)
		}
		if _, twice := changes[key]; twice {
			return usage("--set changes %s twice", key)
		}
		changes[key] = value
	}
	if err := engine.Check(f.figure, changes); err != nil {
		return usageError{err}
	}
	bar := newProgress(f.figure, 100)
	a, err := engine.Compute(c.Context(), f.figure, changes, func(share float64, _ string) { bar.at(int(100 * share)) })
	bar.clear()
	if err != nil {
		return err
	}
	w := c.OutOrStdout()
	if f.brief {
		fmt.Fprintln(w, a.Digest)
		return nil
	}
	for _, s := range a.Statements {
		fmt.Fprintf(w, "%-16s %s\n%16s %s\n", s.Verdict, s.Claim, "measured:", s.Found)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range a.Runs {
		fmt.Fprintf(t, "%s\t%s\n", r.Digest, r.Label)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s  of all runs and verdicts, %.1f s\n%s\n", a.Digest, a.Seconds, a.Command)
	return nil
}

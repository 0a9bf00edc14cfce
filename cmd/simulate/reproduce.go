// simulate reproduce: the papers' figures and tables, and the studies.

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"overhear/internal/files"
	"overhear/internal/plural"
	"overhear/report/plot"
	"overhear/reproduce"
	_ "overhear/reproduce/papers"  // registers the figures
	_ "overhear/reproduce/studies" // registers the studies
)

func newReproduce() *cobra.Command {
	var out, data string
	var seeds int
	var figures figureFlags
	c := &cobra.Command{
		Use:   "reproduce [NAME…]",
		Short: "Compute the papers' figures and tables, and the studies of attacks, anew; without a name, list them",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listFigures(c)
			}
			if c.Flags().Changed("seeds") && seeds < 1 {
				return usage("--seeds must be at least 1, is %d", seeds)
			}
			if err := figures.check(); err != nil {
				return err
			}
			var chosen []*reproduce.Figure
			var studies []*reproduce.Study
			for _, name := range args {
				if name == "all" || name == "figures" {
					chosen = append(chosen, reproduce.Figures()...)
				}
				if name == "all" || name == "attacks" {
					studies = append(studies, reproduce.Studies()...)
				}
				if name == "all" || name == "figures" || name == "attacks" {
					continue
				}
				if s, ok := reproduce.FindStudy(name); ok {
					studies = append(studies, s)
					continue
				}
				f, ok := reproduce.FindFigure(name)
				if !ok {
					return usage("no figure and no study is called %q; `simulate reproduce` lists them", name)
				}
				chosen = append(chosen, f)
			}
			var words []plot.Words
			for _, s := range studies {
				w, err := reproduceStudy(c, s, figures.Style, data, out)
				if err != nil {
					return err
				}
				words = append(words, w...)
			}
			if studies != nil {
				if err := reproduce.WriteStudiesIndex(out); err != nil {
					return err
				}
			}
			for _, f := range chosen {
				w, err := reproduceFigure(c, f, figures.Style, seeds, data, out)
				if err != nil {
					return err
				}
				words = append(words, w...)
			}
			if chosen != nil {
				if err := reproduce.WritePapersIndex(out); err != nil {
					return err
				}
			}
			// What stands in a figure is known when it is drawn.
			if _, unknown := figures.Named(words); unknown != nil {
				return usage("all is written; but --label: %w", unknown)
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			names := []string{"all", "figures", "attacks"}
			for _, f := range reproduce.Figures() {
				names = append(names, f.Name)
			}
			for _, s := range reproduce.Studies() {
				names = append(names, s.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().StringVar(&out, "out", "results", "results `directory`; each figure gets a directory in it")
	c.Flags().StringVar(&data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's "+
		"cache)")
	c.Flags().IntVar(&seeds, "seeds", 0, "run this many seeds a curve (default as the papers do)")
	figures.add(c, "")
	return c
}

func listFigures(c *cobra.Command) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, f := range reproduce.Figures() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.Name, f.Paper, f.Title, plural.Of(f.Tasks(0), "run"))
	}
	fmt.Fprintln(w, "figures\t\tall of these\t")
	for _, s := range reproduce.Studies() {
		fmt.Fprintf(w, "%s\t\t%s\t\n", s.Name, s.Title)
	}
	fmt.Fprintln(w, "attacks\t\tall of these\t")
	fmt.Fprintln(w, "all\t\teverything\t")
	return w.Flush()
}

// reproduceStudy computes a study, writes its page, prints its statements and returns the words of its figures.
func reproduceStudy(c *cobra.Command, s *reproduce.Study, style plot.Style, data, out string) ([]plot.Words, error) {
	start := time.Now()
	unlock, err := files.Lock(filepath.Join(out, s.Name), 0)
	if err != nil {
		return nil, err
	}
	defer unlock()
	bar := newProgress(s.Name, -1)
	b, err := s.Run(c.Context(), data, bar.at)
	bar.clear()
	if err != nil {
		return nil, err
	}
	b.Style = style
	dir, err := b.Write(out)
	if err != nil {
		return nil, err
	}
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s: %s, %.1f s\n", s.Name, s.Title, time.Since(start).Seconds())
	for _, s := range b.Statements() {
		fmt.Fprintf(w, "  %-15s  %s\n%17smeasured: %s\n", s.Assessment, s.Text, "", s.Measured)
	}
	fmt.Fprintf(w, "  %s\n", dir)
	return b.Words(), nil
}

// reproduceFigure computes a figure, writes its page, prints its statements and returns the words of its figures.
func reproduceFigure(c *cobra.Command, f *reproduce.Figure, style plot.Style, seeds int,
	data, out string) ([]plot.Words, error) {
	start := time.Now()
	unlock, err := files.Lock(filepath.Join(out, f.Name), 0)
	if err != nil {
		return nil, err
	}
	defer unlock()
	bar := newProgress(f.Name, f.Tasks(seeds))
	r, err := f.Run(c.Context(), seeds, data, bar.at)
	bar.clear()
	if err != nil {
		return nil, err
	}
	r.Style = style
	dir, err := r.Write(out)
	if err != nil {
		return nil, err
	}
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s: %s (%s), %.1f s\n", f.Name, f.Title, f.Paper, time.Since(start).Seconds())
	for _, s := range r.Statements(r) {
		fmt.Fprintf(w, "  %-16s %s\n%18s %s\n", s.Assessment, plain(s.Text), "measured:", plain(s.Measured))
	}
	fmt.Fprintf(w, "  %s\n", dir)
	return r.Words(), nil
}

// plain is Markdown without its marks.
func plain(s string) string { return strings.NewReplacer("`", "", "**", "").Replace(s) }

// simulate reproduce: the papers' figures and tables.

package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"overhear/reproduce"
)

func newReproduce() *cobra.Command {
	var out, data string
	var seeds int
	c := &cobra.Command{
		Use:   "reproduce [NAME…]",
		Short: "Compute the papers' figures and tables anew; without a name, list them",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listFigures(c)
			}
			var chosen []*reproduce.Figure
			for _, name := range args {
				if name == "all" {
					chosen = append(chosen, reproduce.Figures()...)
					continue
				}
				f, ok := reproduce.Find(name)
				if !ok {
					return usage("no figure is called %q; `simulate reproduce` lists them", name)
				}
				chosen = append(chosen, f)
			}
			for _, f := range chosen {
				if err := reproduceFigure(c, f, seeds, data, out); err != nil {
					return err
				}
			}
			return reproduce.WriteIndex(out)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			names := []string{"all"}
			for _, f := range reproduce.Figures() {
				names = append(names, f.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().StringVar(&out, "out", "results", "results `directory`; each figure gets a directory in it")
	c.Flags().StringVar(&data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	c.Flags().IntVar(&seeds, "seeds", 0, "run this many seeds a curve (default as the papers do)")
	return c
}

func listFigures(c *cobra.Command) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, f := range reproduce.Figures() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d runs\n", f.Name, f.Paper, f.Title, f.Tasks(0))
	}
	fmt.Fprintln(w, "all\t\tall of them\t")
	return w.Flush()
}

func reproduceFigure(c *cobra.Command, f *reproduce.Figure, seeds int, data, out string) error {
	start := time.Now()
	bar := newProgress(f.Name, f.Tasks(seeds))
	r, err := reproduce.Run(c.Context(), f, seeds, data, bar.at)
	bar.clear()
	if err != nil {
		return err
	}
	dir, err := r.Write(out)
	if err != nil {
		return err
	}
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s: %s (%s), %.1f s\n", f.Name, f.Title, f.Paper, time.Since(start).Seconds())
	for _, claim := range r.Claims(r) {
		fmt.Fprintf(w, "  %-16s %s\n%18s %s\n", claim.Holds, plain(claim.States), "measured:", plain(claim.Measured))
	}
	fmt.Fprintf(w, "  %s\n", dir)
	return nil
}

// plain is Markdown without its marks.
func plain(s string) string { return strings.NewReplacer("`", "", "**", "").Replace(s) }

// simulate reproduce: the papers' figures and tables, and the studies.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"overhear/internal/files"
	"overhear/internal/guard"
	"overhear/internal/plural"
	"overhear/report/plot"
	"overhear/reproduce"
	_ "overhear/reproduce/networks" // registers the studies of networks
	_ "overhear/reproduce/papers"   // registers the figures
	_ "overhear/reproduce/studies"  // registers the studies
	"overhear/scenarios"
)

// reproducible are the names that reproduce takes.
func reproducible() []string {
	names := []string{"all", "figures", "attacks"}
	for _, f := range reproduce.Figures() {
		names = append(names, f.Name)
	}
	for _, s := range reproduce.Studies() {
		names = append(names, s.Name)
	}
	return names
}

func newReproduce() *cobra.Command {
	var out, data string
	var seeds int
	var settings, rejudge bool
	var figures figureFlags
	c := &cobra.Command{
		Use:   "reproduce [NAME…]",
		Short: "Compute the papers' figures and tables, and the studies of attacks, anew; without a name, list them",
		Long: `Compute the papers' figures and tables, and the studies of attacks, anew; without a name, list them.

  simulate reproduce ra19-fig5
  simulate reproduce --settings ra19-fig5

Papers leave settings open: a graph, a weight, penalties. With --settings, a figure's claims are judged at the
points of a Latin hypercube over them, too, by the same words, and its page says in which share of the points
each claim holds, where it does not, and which setting decides. "all" and "figures" take the figures that declare
open settings.

Stopped or killed at any point, the same command goes on with what is missing of a figure. Its runs are kept in
OUT/runs/pages until its page is written; those of the open settings stay in OUT/runs/settings. A verdict
there is bound to the rules that it was judged by: where they have changed, --rejudge with the same --out judges the
kept runs anew.`,
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
			if settings && rejudge {
				return usage("--settings judges what it runs, and --rejudge what is kept: take one of them")
			}
			if settings || rejudge {
				var err error
				if args, err = withSettings(args); err != nil {
					return err
				}
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
					return usage("no figure and no study is called %q%s (`simulate reproduce` lists them)", name,
						scenarios.Suggest(name, reproducible()))
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
				switch {
				case settings:
					if err := judgeFigure(c, f, data, out); err != nil {
						return err
					}
				case rejudge:
					j, err := f.Rejudge(filepath.Join(out, "runs", "settings", f.Name))
					if err != nil {
						return err
					}
					if err := j.Write(filepath.Join(out, f.Name)); err != nil {
						return err
					}
				}
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
			if err := reproduce.WriteItemsIndex(out); err != nil {
				return err
			}
			// What stands in a figure is known when it is drawn.
			if _, unknown := figures.Named(words); unknown != nil {
				return usage("all is written; but --label: %w", unknown)
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return reproducible(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().StringVar(&out, "out", "results", "results `directory`; each figure gets a directory in it")
	c.Flags().StringVar(&data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's "+
		"cache)")
	c.Flags().IntVar(&seeds, "seeds", 0, "run this many seeds a curve of a page (default as the papers do)")
	c.Flags().BoolVar(&settings, "settings", false, "judge the figures' claims over the settings that their papers "+
		"leave open, too; goes on where it was stopped")
	c.Flags().BoolVar(&rejudge, "rejudge", false, "judge the figures' claims over the open settings again, by the "+
		"runs that --settings kept, whatever build made them")
	figures.add(c, "")
	return c
}

// withSettings are the names of figures that declare open settings, all of them for "all" and "figures".
func withSettings(names []string) (all []string, err error) {
	for _, name := range names {
		f, ok := reproduce.FindFigure(name)
		_, study := reproduce.FindStudy(name)
		switch {
		case name == "all" || name == "figures":
			for _, f := range reproduce.Figures() {
				if f.Grid != nil {
					all = append(all, f.Name)
				}
			}
		case ok && f.Grid == nil:
			return nil, usage("%s declares no open settings; without --settings and --rejudge it is computed", name)
		case study || name == "attacks":
			return nil, usage("--settings and --rejudge are for figures, whose papers leave settings open; %s is none",
				name)
		default:
			all = append(all, name)
		}
	}
	return all, nil
}

// judgeFigure judges a figure's claims over its open settings; what it finds is read when the page is written.
func judgeFigure(c *cobra.Command, f *reproduce.Figure, data, out string) error {
	start := time.Now()
	bar := newProgress(f.Name+" settings", f.GridTasks())
	var finished atomic.Int64
	var j *reproduce.Judged
	err := promptly(c.Context(), func() (err error) {
		j, err = f.Judge(c.Context(), filepath.Join(out, "runs", "settings", f.Name), data, func(n int) {
			finished.Store(int64(n))
			bar.at(n)
		})
		return err
	})
	bar.clear()
	if errors.Is(err, errLeft) {
		return f.StoppedAt(int(finished.Load()), f.GridTasks())
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "%s: %s of the open settings, %s, %.1f s\n", f.Name, plural.Of(len(j.Points), "point"),
		plural.Of(f.GridTasks(), "run"), time.Since(start).Seconds())
	return j.Write(filepath.Join(out, f.Name))
}

// grace is how long what is computed may take to end once the command is stopped. A run may be in the middle of a
// solve, or of reading data, that takes longer.
const grace = time.Second

// errLeft says that what is computed had not ended within grace.
var errLeft = errors.New("stopped")

// promptly computes something and returns its error. When the command is stopped it waits for that no longer than grace
// and leaves it, to end with the process: what is stored is stored whole, as if the process were killed.
func promptly(ctx context.Context, compute func() error) error {
	done := make(chan error, 1)
	go func() { done <- guard.Func(compute)() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return errLeft
	}
}

func listFigures(c *cobra.Command) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, f := range reproduce.Figures() {
		open := ""
		if f.Grid != nil {
			open = fmt.Sprintf("; --settings: %d more", f.GridTasks())
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s%s\n", f.Name, f.Paper, f.Title, plural.Of(f.Tasks(0), "run"), open)
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
	var b *reproduce.Workbench
	err = promptly(c.Context(), func() (err error) {
		b, err = s.Run(c.Context(), data, bar.at)
		return err
	})
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
	tell(event{Written: dir})
	fmt.Fprintf(w, "%s: %s, %.1f s\n", s.Name, s.Title, time.Since(start).Seconds())
	for _, s := range b.Statements() {
		verdict := reproduce.Claim{Statement: s}.Verdict()
		fmt.Fprintf(w, "  %-15s  %s\n%17smeasured: %s\n", verdict, s.Text, "", s.Measured)
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
	runs := filepath.Join(out, "runs", "pages", f.Name)
	var finished atomic.Int64
	var r *reproduce.Results
	err = promptly(c.Context(), func() (err error) {
		r, err = f.Run(c.Context(), seeds, runs, data, func(n int) {
			finished.Store(int64(n))
			bar.at(n)
		})
		return err
	})
	bar.clear()
	if errors.Is(err, errLeft) {
		return nil, f.StoppedAt(int(finished.Load()), f.Tasks(seeds))
	}
	if err != nil {
		return nil, err
	}
	r.Style = style
	dir, err := r.Write(out)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(runs); err != nil {
		return nil, fmt.Errorf("removing the runs of a finished page: %w", err)
	}
	for _, above := range []string{filepath.Dir(runs), filepath.Dir(filepath.Dir(runs))} {
		_ = os.Remove(above) // unless something else is in it
	}
	w := c.OutOrStdout()
	tell(event{Written: dir})
	fmt.Fprintf(w, "%s: %s (%s), %.1f s\n", f.Name, f.Title, f.Paper, time.Since(start).Seconds())
	for _, c := range r.Claims {
		fmt.Fprintf(w, "  %-16s %s\n%18s %s\n", c.Verdict(), plain(c.Text), "measured:", plain(c.Measured))
		if why := c.Why(); why != "" {
			fmt.Fprintf(w, "%18s %s\n", "verdict:", why)
		}
	}
	fmt.Fprintf(w, "  %s\n", dir)
	return r.Words(), nil
}

// plain is Markdown without its marks.
func plain(s string) string { return strings.NewReplacer("`", "", "**", "").Replace(s) }

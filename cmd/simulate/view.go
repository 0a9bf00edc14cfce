// simulate view: a page to look into runs.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"overhear/internal/files"
	"overhear/internal/guard"
	"overhear/record"
	"overhear/view"
)

func newView() *cobra.Command {
	var out, data string
	var points int
	var sets []string
	c := &cobra.Command{
		Use:   "view RUNDIR [RUNDIR2]",
		Short: "Look into a run, or two side by side, on a page: its network, packets, and what attacks had by when",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 2 {
				return usage("%s takes one run's directory or two: %s", c.CommandPath(), c.UseLine())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if points < 2 && c.Flags().Changed("points") {
				return usage("--points must be at least 2, is %d", points)
			}
			if c.Flags().Changed("out") && filepath.Ext(out) != ".html" { // which no file of a run is
				return usage("--out must be a file that ends in .html, is %q", out)
			}
			if c.Flags().Changed("out") {
				// Attacks may take their time: that there is no place for the page is told before.
				if in, err := os.Stat(filepath.Dir(out)); err != nil || !in.IsDir() {
					return usage("--out %s: there is no directory %s", out, filepath.Dir(out))
				}
			}
			if err := ofAdversary(sets); err != nil {
				return err
			}
			var runs []*record.Run
			for _, arg := range args {
				r, err := openRun(arg)
				if err != nil {
					return err
				}
				runs = append(runs, r)
			}
			d, err := view.Build(c.Context(), runs, view.Options{DataDir: data, Sets: sets, Points: points})
			if errors.Is(err, record.ErrNotRecorded) {
				return usageError{err}
			}
			if err != nil {
				return err
			}
			for k, r := range d.Runs {
				for _, note := range r.Notes {
					of := args[k]
					switch both := len(d.Runs) == 2 && slices.Contains(d.Runs[1-k].Notes, note); {
					case both && k == 1:
						continue
					case both:
						of += " and " + args[1]
					}
					fmt.Fprintf(c.ErrOrStderr(), "%s: %s\n", of, note)
				}
			}
			weigh := func(bytes int) {
				if text := d.Weight(bytes); text != "" {
					fmt.Fprintln(c.ErrOrStderr(), text)
				}
			}
			if c.Flags().Changed("out") {
				if err := carried(c.Context(), c.ErrOrStderr(), d.Carry); err != nil {
					return err
				}
				var page bytes.Buffer
				if err := d.Write(&page); err != nil {
					return err
				}
				weigh(page.Len())
				if err := files.WriteBytes(out, page.Bytes()); err != nil {
					return err
				}
				fmt.Fprintln(c.OutOrStdout(), out)
				return nil
			}
			s, err := view.NewServer(d)
			if err != nil {
				return err
			}
			weigh(s.Size())
			fmt.Fprintf(c.OutOrStdout(), "%s\nis on this machine alone; Ctrl-C ends it\n", s.Address())
			both, ctx := errgroup.WithContext(c.Context())
			both.Go(func() error { return s.Serve(ctx) })
			both.Go(guard.Func(func() error {
				err := carried(ctx, c.ErrOrStderr(), s.Carry)
				if c.Context().Err() != nil { // the page was looked at long enough
					return nil
				}
				return err
			}))
			return both.Wait()
		},
	}
	flags := c.Flags()
	flags.StringVar(&out, "out", "", "write the page to this `file`, which loads nothing, instead of offering it")
	flags.IntVar(&points, "points", 0, "carry the attacks out so many `times` at most (default 64, fewer of more than "+
		"20,000 packets)")
	flags.StringArrayVar(&sets, "set", nil, "override a value of the run's adversary, `path=value`; may be repeated")
	flags.StringVar(&data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	return c
}

// carried carries a page's attacks out and shows how far they are.
func carried(ctx context.Context, w io.Writer, carry func(context.Context, func(done, most int)) error) error {
	bar := newProgress("attacks", 1).orTell(w, "carrying out the attacks; with fewer --points it is sooner done")
	defer bar.clear()
	var once foretold
	return carry(ctx, func(done, most int) {
		once.after(w, done, most, "to carry the attacks out", "the most (--points)")
		bar.outOf(done, most)
	})
}

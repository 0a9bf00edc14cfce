// The commands that tell: export, draw, data, list, schema, explain, new.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"overhear/adversary"
	"overhear/adversary/acts"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/metrics"
	"overhear/problem"
	"overhear/record"
	"overhear/report"
	"overhear/report/network"
	"overhear/report/plot"
	"overhear/reproduce"
	"overhear/scenarios"
	"overhear/sim"
	"overhear/sweep"
	"overhear/view"
)

func newExport() *cobra.Command {
	var table, format string
	c := &cobra.Command{
		Use:   "export RUNDIR",
		Short: "Print a table of a run, or its timeline for a trace viewer",
		Args:  exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := openRun(args[0])
			if err != nil {
				return err
			}
			switch {
			case format == record.ChromeTrace && c.Flags().Changed("table"):
				return usage("--format %s is of the whole run and takes no --table", format)
			case format == record.ChromeTrace:
				var besides []record.Happening
				if besides, err = view.Happenings(r); err == nil {
					err = record.WriteChromeTrace(r, c.OutOrStdout(), besides...)
				}
			case !contains(record.Tables, table) || !contains(record.Formats, format):
				return usage("--table is one of %s and --format one of %s, or %s", strings.Join(record.Tables, ", "),
					strings.Join(record.Formats, ", "), record.ChromeTrace)
			default:
				err = record.Export(r, table, format, c.OutOrStdout())
			}
			if errors.Is(err, record.ErrNotRecorded) {
				return usageError{err}
			}
			return err
		},
	}
	c.Flags().StringVar(&table, "table", "metrics", "iterates, messages, steps, lies or metrics")
	c.Flags().StringVar(&format, "format", "csv", "csv, json or npy, which numpy reads; or chrome-trace, the whole "+
		"run as a timeline that Perfetto and chrome://tracing open")
	return c
}

func newDraw() *cobra.Command {
	var out string
	var seed int64
	var force bool
	var formats []string
	var title string
	c := &cobra.Command{
		Use:   "draw RUNDIR|FILE",
		Short: "Draw the network: of a run with its measured latencies, of a scenario with those it gives",
		Args:  exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("seed") && seed < 0 {
				return usage("--seed must be at least 0, is %d", seed)
			}
			ending := strings.TrimPrefix(filepath.Ext(out), ".")
			if !slices.Contains(plot.Formats, ending) {
				return usage("--out is a file that ends in .%s, not %q", strings.Join(plot.Formats, ", ."), out)
			}
			if formats == nil {
				formats = []string{ending}
			}
			if err := (&figureFlags{plot.Style{Formats: formats}}).check(); err != nil {
				return err
			}
			p, err := picture(args[0], seed)
			if err != nil {
				return err
			}
			if p.Nodes > network.MostNodes && !force {
				return usage("%d nodes are too many to read in one picture, which shows up to %d; --force draws them "+
					"all the same", p.Nodes, network.MostNodes)
			}
			drawing := p.Picture()
			if title != "" {
				drawing.Title = title
			}
			name := strings.TrimSuffix(filepath.Base(out), filepath.Ext(out))
			paths, err := drawing.Write(filepath.Dir(out), name, formats)
			if err != nil {
				return err
			}
			for _, path := range paths {
				fmt.Fprintln(c.OutOrStdout(), path)
			}
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "network.svg", "`file` to write; its ending is the format, "+
		strings.Join(plot.Formats, ", "))
	c.Flags().StringSliceVar(&formats, "format", nil, "files to write (default that of --out)")
	c.Flags().StringVar(&title, "title", "", "title of the picture")
	c.Flags().Int64Var(&seed, "seed", -1, "the seed that draws a scenario's graph (default the scenario's first)")
	c.Flags().BoolVar(&force, "force", false, "draw a network that is too large to read")
	return c
}

// picture is that of a run's network or a scenario's.
func picture(path string, seed int64) (*network.Latencies, error) {
	if info, err := os.Stat(runDirectory(path)); err == nil && info.IsDir() {
		if seed >= 0 {
			return nil, usage("a run has its own seed; --seed is for a scenario's file")
		}
		r, err := openRun(path)
		if err != nil {
			return nil, err
		}
		s, err := scenarios.Parse(filepath.Join(r.Dir, runFile), []byte(r.Info.Scenario))
		if err != nil {
			return nil, err
		}
		if changed := experiment.New(s, "").ChangedBut("problem.", r.Info.Inputs); changed != nil {
			return nil, usage("%s cannot be drawn: %s", path, strings.Join(changed, "; "))
		}
		g, _, err := s.Network.Lay(r.Info.Seed)
		if err != nil {
			return nil, usageError{err}
		}
		p, err := network.Measured(r, g)
		if errors.Is(err, record.ErrNotRecorded) {
			return nil, usage("%w; the scenario's file can be drawn, with the latencies that it gives", err)
		}
		return p, err
	}
	s, err := scenarios.Load(path)
	if err != nil {
		return nil, usageError{err}
	}
	if seed < 0 {
		seed = int64(s.Seeds.First)
	}
	g, sites, err := s.Network.Lay(uint64(seed))
	if err != nil {
		return nil, usageError{err}
	}
	p, err := network.Declared(s.Name, g, s.Network.On(sites), s.Network.Links)
	if err != nil {
		return nil, usageError{err}
	}
	return p, nil
}

func contains(words []string, w string) bool {
	for _, v := range words {
		if v == w {
			return true
		}
	}
	return false
}

func newData() *cobra.Command {
	var dir string
	c := &cobra.Command{Use: "data", Short: "List, describe and fetch data sets",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("there is no command data %q; there are list, info and fetch", args[0])
			}
			return c.Help()
		}}
	c.PersistentFlags().StringVar(&dir, "data", "", "data `directory`")
	find := func(name string) (*problem.BuiltIn, error) {
		b, ok := problem.FindSet(name)
		if !ok {
			return nil, usage("there is no data set %q; there are %s", name, strings.Join(problem.SetNames(), ", "))
		}
		return b, nil
	}
	c.AddCommand(&cobra.Command{
		Use: "list", Short: "List the built-in data sets", Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error {
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(t, "set\trows\tcolumns\there\twhat")
			for _, name := range problem.SetNames() {
				b, _ := problem.FindSet(name)
				here := "yes"
				if _, err := b.Find(dir); err != nil {
					here = "no"
				}
				fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\n", b.Name, b.Rows, b.Columns, here, b.Title)
			}
			return t.Flush()
		},
	}, &cobra.Command{
		Use: "fetch SET", Short: "Download a data set from its original source", Args: exactly(1),
		ValidArgs: problem.SetNames(),
		RunE: func(c *cobra.Command, args []string) error {
			b, err := find(args[0])
			if err != nil {
				return err
			}
			return b.Fetch(c.Context(), c.OutOrStdout(), dir)
		},
	}, newDataInfo(&dir))
	return c
}

// newDataInfo is simulate data info.
func newDataInfo(dir *string) *cobra.Command {
	var sets []string
	var all bool
	c := &cobra.Command{
		Use:   "info SET|DATAFILE|SCENARIO",
		Short: "Tell what a data set, a file of data or a scenario's data are, and how they are prepared",
		Example: "  simulate data info wdbc\n  simulate data info my.csv --set problem.data.label=ill\n" +
			"  simulate data info my.yaml",
		Args: exactly(1), ValidArgs: problem.SetNames(),
		RunE: func(c *cobra.Command, args []string) error {
			if b, ok := problem.FindSet(args[0]); ok && len(sets) == 0 {
				return b.Describe(c.OutOrStdout(), *dir)
			}
			s, err := ofData(args[0], sets)
			if err != nil {
				return usageError{err}
			}
			bar := newProgress(s.Name, -1)
			defer bar.clear()
			return experiment.New(s, *dir).Inspect(bar.watch(c.Context()), c.OutOrStdout(), all)
		},
	}
	c.Flags().StringArrayVar(&sets, "set", nil, "a key of the scenario, `path=value`; may be repeated")
	c.Flags().BoolVar(&all, "all", false, "show every column of a file, however many there are")
	return c
}

// ofData is a scenario on the data that a name means: a scenario's file, or a file of data by its ending.
func ofData(name string, sets []string) (*scenarios.Scenario, error) {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")) {
	case ".yaml", ".yml":
		return scenarios.Load(name, sets...)
	case ".parquet", ".pq":
		return experiment.OfFile("parquet", name, sets...)
	case ".arrow", ".feather", ".ipc", ".arrows":
		return experiment.OfFile("arrow", name, sets...)
	case ".libsvm", ".svm", ".svmlight":
		return experiment.OfFile("libsvm", name, sets...)
	case "":
		if _, err := os.Stat(name); err != nil {
			return nil, fmt.Errorf("there is no data set or file %q; the sets are %s", name,
				strings.Join(problem.SetNames(), ", "))
		}
	}
	return experiment.OfFile("csv", name, sets...)
}

func newList() *cobra.Command {
	c := &cobra.Command{
		Use: "list WHAT",
		Short: "List algorithms, attacks, strategies of nodes that lie, data, measured networks, metrics or " +
			"scenarios",
		Args:       exactly(1),
		ValidArgs:  []string{"algorithms", "attacks", "data", "metrics", "networks", "scenarios", "strategies"},
		ArgAliases: []string{"methods"},
		RunE: func(c *cobra.Command, args []string) error {
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			switch args[0] {
			case "algorithms", "methods":
				for _, e := range algorithms.Entries() {
					fmt.Fprintf(t, "%s\t%s\n", e.Name, e.Title)
				}
			case "attacks":
				for _, a := range adversary.Attacks() {
					fmt.Fprintf(t, "%s\t%s\n", a.Name, a.Title)
				}
			case "strategies":
				for _, e := range acts.Entries() {
					fmt.Fprintf(t, "%s\t%s\n", e.Name, e.Title)
				}
			case "data":
				for _, name := range problem.SetNames() {
					b, _ := problem.FindSet(name)
					fmt.Fprintf(t, "%s\t%s\n", b.Name, b.Title)
				}
			case "networks":
				for _, s := range sim.SiteSets {
					fmt.Fprintf(t, "%s\t%s\n", s.Name, s.Title)
				}
				for _, s := range sim.SessionSets {
					fmt.Fprintf(t, "%s\t%s\n", s.Name, s.Title)
				}
			case "metrics":
				for _, m := range metrics.All() {
					fmt.Fprintf(t, "%s\t%s\n", m.Name, m.Rows.Definition)
				}
			case "scenarios":
				shipped, err := scenarios.Shipped()
				if err != nil {
					return err
				}
				for _, s := range shipped {
					fmt.Fprintf(t, "%s\t%s\n", s.Name, s.About)
				}
			default:
				return usage("list takes algorithms, attacks, data, metrics, networks, scenarios or strategies, not %q",
					args[0])
			}
			return t.Flush()
		},
	}
	return c
}

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of scenarios", Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), string(scenarios.Schema()))
			return err
		},
	}
}

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use: "explain NAME",
		Short: "Explain an algorithm, an attack, a data set, a key of the language, a metric, a word of the " +
			"output or a theorem of the papers",
		Args: exactly(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return slices.Concat(scenarios.Names(), report.Words(), sweep.Words(), reproduce.ItemNames()),
				cobra.ShellCompDirectiveNoFileComp
		},
		Example: "  simulate explain admm\n  simulate explain network.latency\n  simulate explain distance\n" +
			"  simulate explain progress",
		RunE: func(c *cobra.Command, args []string) error {
			text, err := scenarios.Explain(args[0])
			if err != nil {
				text = cmp.Or(report.Explain(args[0]), sweep.Explain(args[0]), reproduce.Explain(args[0]))
				if text == "" {
					return usageError{err}
				}
			}
			if _, err = fmt.Fprint(c.OutOrStdout(), text); err != nil {
				return err
			}
			e, ok := algorithms.Lookup(args[0])
			if !ok {
				return nil
			}
			if p, words := experiment.ExampleOf(e); p != nil {
				return report.Example(c.OutOrStdout(), p, words)
			}
			return nil
		},
	}
}

func newNew() *cobra.Command {
	return &cobra.Command{
		Use: "new [FILE]", Short: "Write a commented scenario to begin with",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("new takes at most one file")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprint(c.OutOrStdout(), scenarios.Template())
				return err
			}
			f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if errors.Is(err, fs.ErrExist) {
				return usage("%s exists already", args[0])
			}
			if err != nil {
				return err
			}
			if _, err := f.WriteString(scenarios.Template()); err != nil {
				return errors.Join(err, f.Close())
			}
			return f.Close()
		},
	}
}

// simulate attack, audit and report: what an adversary finds out.

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"overhear/evaluation"
	"overhear/experiment"
	"overhear/internal/files"
	"overhear/internal/plural"
	"overhear/record"
	"overhear/report"
	"overhear/report/attack"
	"overhear/report/network"
	"overhear/report/plot"
	"overhear/scenarios"
)

// runFile is in every run's directory.
const runFile = "run.json"

// errVerdict is wrapped by errors that exit with exitVerdict.
var errVerdict = errors.New("not all stands")

// quoted is a command line that can be typed again.
func quoted(words ...string) string {
	var all []string
	for _, w := range words {
		if w == "" || strings.ContainsFunc(w, special) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		all = append(all, w)
	}
	return strings.Join(all, " ")
}

// special says whether a shell may read more in a sign than the sign.
func special(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_@%+=:,./-", r)
}

// operand is a path as an argument of a command line, where one that begins with a dash would be a flag.
func operand(path string) string {
	if strings.HasPrefix(path, "-") {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// runDirectory is the directory that a path means: itself, or that of a run's or an audit's file.
func runDirectory(path string) string {
	path = filepath.Clean(path)
	if slices.Contains([]string{runFile, record.AttacksFile, record.AuditFile}, filepath.Base(path)) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return filepath.Dir(path)
		}
	}
	return path
}

func withSets(words []string, sets []string) []string {
	for _, s := range sets {
		words = append(words, "--set", s)
	}
	return words
}

func newAttack() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "attack RUNDIR|FILE…",
		Short: "Carry out a scenario's attacks on recorded runs; a FILE is run first",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("attack needs a run's directory, or a scenario file with an adversary, " +
					"such as scenarios/kkt-inversion.yaml")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c); err != nil {
				return err
			}
			all := []*record.Attacks{}
			for _, arg := range args {
				found, err := attackOn(c, arg, &f)
				if err != nil {
					return err
				}
				all = append(all, found...)
			}
			if f.json {
				return printJSON(c, all)
			}
			return nil
		},
	}
	flags := c.Flags()
	flags.Int64Var(&f.seed, "seed", -1, "of a FILE: run and attack this seed only")
	flags.IntVar(&f.seeds, "seeds", 0, "of a FILE: run and attack this many seeds from the scenario's first")
	flags.StringArrayVar(&f.sets, "set", nil, "override a value of the scenario, `path=value`; "+
		"of a RUNDIR, of its adversary; may be repeated")
	flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "goroutines that compute; results do not depend on it")
	flags.StringVar(&f.out, "out", filepath.Join("results", "runs"), "results `directory`")
	flags.StringVar(&f.data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	flags.BoolVar(&f.json, "json", false, "print what was found as a JSON array")
	flags.BoolVar(&f.again, "again", false, "run seeds again that are finished")
	flags.BoolVar(&f.replace, "replace", false, "replace what attacks of other settings, on an earlier "+
		"run, or with other data, found; it is kept as "+record.OldAttacksFile)
	f.noPlots, f.checkpoint = true, defaultCheckpoint
	return c
}

// attackOn attacks one run directory, or the runs of a scenario file.
func attackOn(c *cobra.Command, arg string, f *runFlags) ([]*record.Attacks, error) {
	var runs []*record.Run
	command := "attack"
	o := evaluation.AttackOptions{DataDir: f.data, Workers: f.workers}
	if info, err := os.Stat(runDirectory(arg)); err == nil && info.IsDir() {
		arg = runDirectory(arg)
		r, err := openRun(arg)
		if err != nil {
			return nil, err
		}
		if err := ofAdversary(f.sets); err != nil {
			return nil, err
		}
		runs, o.Sets = []*record.Run{r}, f.sets
	} else {
		s, err := scenarios.Load(arg, f.sets...)
		if err != nil {
			return nil, usageError{err}
		}
		if s.Adversary == nil {
			return nil, usage("%s has no adversary; give it one with --set adversary.knows.victim=0, or see simulate "+
				"explain adversary", arg)
		}
		if f.seeds > 0 {
			s.Seeds.Count = f.seeds
		}
		if f.seed >= 0 {
			s.Seeds = scenarios.Seeds{First: uint64(f.seed), Count: 1}
		}
		quiet := *f
		quiet.json = true // the attack's table takes the run's place
		if runs, err = runSeeds(c.Context(), s, arg, &quiet, c.OutOrStdout()); err != nil {
			return nil, err
		}
	}
	var all []*record.Attacks
	for _, r := range runs {
		words := []string{"simulate", command, operand(arg)}
		if len(runs) > 1 || f.seed >= 0 {
			words = append(words, "--seed", fmt.Sprint(r.Info.Seed))
		}
		o.Command = quoted(withSets(words, f.sets)...)
		if err := keeps(r, o.Sets, nil)(record.ReadAttacks(r.Dir)); err != nil && !f.replace {
			return all, err
		}
		bar := newProgress("attacks", 1)
		o.Progress = bar.outOf
		a, err := evaluation.Attack(bar.watch(c.Context()), r, o)
		bar.clear()
		if err != nil {
			return all, err
		}
		if err := record.WriteAttacks(r.Dir, a, keeps(r, o.Sets, a), f.replace); err != nil {
			return all, err
		}
		all = append(all, a)
		tell(event{Written: r.Dir})
		if !f.json {
			if err := report.AttackTable(c.OutOrStdout(), a, r.Dir); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// ofAdversary refuses changes of a recorded run that are not of its adversary.
func ofAdversary(sets []string) error {
	for _, s := range sets {
		if strings.HasPrefix(s, "adversary=") {
			return usage("--set %s: of a run's directory, the adversary's keys are set one by one, such as "+
				"--set adversary.knows.victim=0", s)
		}
		if !strings.HasPrefix(s, "adversary.") {
			return usage("--set %s: the run is over; of a run's directory, only adversary.… can be set", s)
		}
	}
	return nil
}

// keeps refuses to replace what was found on a run by attacks of other settings, or by what they find now, if that is
// known, where it says less.
func keeps(r *record.Run, sets []string, now *record.Attacks) func(*record.Attacks, error) error {
	return func(there *record.Attacks, err error) error {
		if there == nil && err == nil {
			return nil
		}
		if err == nil {
			err = evaluation.SameAttacks(there, r, sets)
		}
		if err == nil && now != nil {
			err = evaluation.LosesScores(r, there, now)
		}
		if err == nil {
			return nil
		}
		return usage("%w; --replace replaces it and keeps it as %s", err, record.OldAttacksFile)
	}
}

func printJSON(c *cobra.Command, v any) error {
	e := json.NewEncoder(c.OutOrStdout())
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func newAudit() *cobra.Command {
	var runs, workers, search int
	var out, data string
	var sets, over []string
	var asJSON, blackBox, mapped bool
	c := &cobra.Command{
		Use:   "audit FILE…",
		Short: "Measure what a method's messages say about one sample, and compare it with the claim",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("audit needs a scenario file, such as scenarios/audit-dvp-listing.yaml")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if workers < 1 {
				return usage("--workers must be at least 1, is %d", workers)
			}
			if c.Flags().Changed("runs") && runs < 10 {
				return usage("--runs must be at least 10, is %d", runs)
			}
			searching := c.Flags().Changed("search")
			switch {
			case searching && search < 1:
				return usage("--search must be at least 1, a number of candidates to try, is %d", search)
			case searching && (mapped || blackBox):
				return usage("--search is of the exact audit; it stands without --map and --black-box")
			case !searching && over != nil:
				return usage("--over says what --search changes; add --search with a number of candidates to try")
			}
			var loaded []*scenarios.Scenario
			for _, file := range args {
				s, err := scenarios.Load(file, sets...)
				if err != nil {
					return usageError{err}
				}
				loaded = append(loaded, s)
			}
			if err := apart(args, loaded); err != nil {
				return err
			}
			all := []*record.Audit{}
			standing := true
			for k, file := range args {
				s := loaded[k]
				e := experiment.New(s, data)
				if mapped {
					if blackBox || runs > 0 || asJSON {
						return usage("--map is exact and makes no runs; it stands without --black-box, --runs and " +
							"--json")
					}
					if err := auditMap(c, e, file, sets, out); err != nil {
						return fmt.Errorf("%s: %w", file, err)
					}
					continue
				}
				if err := evaluation.AuditFits(e, runs); err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				if searching {
					a, err := auditWorst(c, e, file, sets, runs, workers, evaluation.SearchOptions{Evaluations: search,
						Over: over}, out, asJSON)
					if err != nil {
						return fmt.Errorf("%s: %w", file, err)
					}
					all, standing = append(all, a), standing && a.Stands()
					continue
				}
				dir, there, unlock, err := auditDirectory(c, e, file, sets, runs, out, blackBox)
				if err != nil {
					return err
				}
				defer unlock()
				if there != nil {
					now, err := e.Inputs()
					if err != nil {
						return err
					}
					for _, why := range there.Inputs.Differences(now, e.FilesByKey()) {
						fmt.Fprintf(c.ErrOrStderr(), "the audit in %s is made again: %s\n", dir, why)
					}
				}
				words := []string{"simulate", "audit", operand(file)}
				if runs > 0 {
					words = append(words, "--runs", fmt.Sprint(runs))
				}
				audit := evaluation.Audit
				if blackBox {
					words, audit = append(words, "--black-box"), evaluation.BlackBox
				}
				bar := newProgress("audit "+s.Name, 1)
				a, err := audit(bar.watch(c.Context()), e, evaluation.AuditOptions{
					Runs: runs, Workers: workers, Command: quoted(withSets(words, sets)...), Changes: sets,
					Progress: bar.outOf,
				})
				bar.clear()
				if err != nil && c.Context().Err() != nil {
					return fmt.Errorf("%s: %w; nothing of its audit is kept", file, err)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				if err := record.WriteAudit(dir, a); err != nil {
					return err
				}
				all = append(all, a)
				tell(event{Written: dir})
				standing = standing && a.Stands()
				if !asJSON {
					if err := report.AuditTable(c.OutOrStdout(), a, dir); err != nil {
						return err
					}
				}
			}
			if asJSON {
				if err := printJSON(c, all); err != nil {
					return err
				}
			}
			if !standing {
				return fmt.Errorf("%w: a claim is violated or exceeded, or a check of the method fails", errVerdict)
			}
			return nil
		},
	}
	flags := c.Flags()
	flags.IntVar(&runs, "runs", 0, "runs in each world (default as the scenario says)")
	flags.IntVar(&workers, "workers", runtime.GOMAXPROCS(0), "runs at a time; results do not depend on it")
	flags.StringVar(&out, "out", filepath.Join("results", "runs"), "results `directory`")
	flags.StringVar(&data, "data", "", "data `directory` (default $OVERHEAR_DATA, ../shared/data, the user's cache)")
	flags.StringArrayVar(&sets, "set", nil, "override a value of the scenario, `path=value`; may be repeated")
	flags.BoolVar(&asJSON, "json", false, "print the audits as a JSON array")
	flags.BoolVar(&blackBox, "black-box", false, "know no model of the method: learn from all packets of half of "+
		"the runs what tells the worlds apart, and judge it on the other half")
	flags.BoolVar(&mapped, "map", false, "what every node learns about a label of every other, exactly, where values "+
		"are normally distributed")
	flags.IntVar(&search, "search", 0, "search the pair and data of which most is measured, trying so many "+
		"`candidates`, and audit what is found")
	flags.StringSliceVar(&over, "over", nil, "what --search changes, of "+strings.Join(evaluation.Searchable(), ", ")+
		" (default all that the scenario has)")
	flags.Bool("fail-on-violation", true, "")
	if err := flags.MarkDeprecated("fail-on-violation", "audit exits with 3 without it"); err != nil {
		panic(err) // of no such flag
	}
	return c
}

// noteOf writes what is to be noted beside a command's output.
func noteOf(c *cobra.Command) func(format string, args ...any) {
	return func(format string, args ...any) { fmt.Fprintf(c.ErrOrStderr(), format+"\n", args...) }
}

// auditMap writes the map of a scenario and its pictures.
func auditMap(c *cobra.Command, e *experiment.Experiment, file string, sets []string, out string) error {
	dir, err := placed(e.Scenario, file, sets, c.Flags().Changed("out"), noteOf(c), func(name string) (string, error) {
		dir := filepath.Join(out, name, "map")
		there, err := record.ReadMap(dir)
		if there != nil && there.Scenario != e.Resolved() {
			return dir, usage("%s holds a map of another scenario; choose another --out", dir)
		}
		return dir, err
	})
	if err != nil {
		return err
	}
	unlock, err := files.Lock(dir, 0)
	if err != nil {
		return err
	}
	defer unlock()
	bar := newProgress("map "+e.Name, 1)
	m, pairs, err := evaluation.Map(bar.watch(c.Context()), e, evaluation.AuditOptions{
		Command: quoted(withSets([]string{"simulate", "audit", operand(file), "--map"}, sets)...), Changes: sets,
		Progress: bar.outOf,
	})
	bar.clear()
	if err != nil {
		return err
	}
	if err := record.WriteMap(dir, m, pairs); err != nil {
		return err
	}
	for name, p := range map[string]*plot.Picture{"learnt": network.Learnt(m, pairs),
		"matrix": network.Matrix(m, pairs), "distance": network.ByDistance(m)} {
		if p == nil {
			continue
		}
		if err := p.Save(dir, name); err != nil {
			return err
		}
	}
	return report.MapTable(c.OutOrStdout(), m, dir)
}

// auditWorst searches a scenario's worst pair and data, writes what it finds as a scenario, and audits that.
func auditWorst(c *cobra.Command, e *experiment.Experiment, file string, sets []string, runs, workers int,
	o evaluation.SearchOptions, out string, asJSON bool) (*record.Audit, error) {
	dir, err := placed(e.Scenario, file, sets, c.Flags().Changed("out"), noteOf(c), func(name string) (string, error) {
		dir := filepath.Join(out, name, "worst")
		there, err := record.ReadWorst(dir)
		if there != nil && there.Scenario != e.Resolved() {
			return dir, usage("%s holds a search of another scenario; choose another --out", dir)
		}
		return dir, err
	})
	if err != nil {
		return nil, err
	}
	unlock, err := files.Lock(dir, 0)
	if err != nil {
		return nil, err
	}
	defer unlock()
	words := []string{"simulate", "audit", operand(file), "--search", fmt.Sprint(o.Evaluations)}
	if o.Over != nil {
		words = append(words, "--over", strings.Join(o.Over, ","))
	}
	if runs > 0 {
		words = append(words, "--runs", fmt.Sprint(runs))
	}
	o.Workers, o.Command, o.Changes = workers, quoted(withSets(words, sets)...), sets
	bar := newProgress("search "+e.Name, o.Evaluations)
	o.Progress = func(done, _ int) { bar.at(done) }
	found, err := evaluation.SearchWorst(bar.watch(c.Context()), e, o)
	bar.clear()
	if err != nil {
		return nil, err
	}
	worst, err := found.Write(dir)
	if err != nil {
		return nil, err
	}
	again := []string{"simulate", "audit", operand(filepath.Join(dir, record.FoundFile))}
	if runs > 0 {
		again = append(again, "--runs", fmt.Sprint(runs))
	}
	bar = newProgress("audit "+worst.Name, 1)
	a, err := found.Judge(bar.watch(c.Context()), worst, evaluation.AuditOptions{Runs: runs, Workers: workers,
		Command: quoted(again...), Progress: bar.outOf})
	bar.clear()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(record.WriteWorst(dir, found.Worst), record.WriteAudit(dir, a)); err != nil || asJSON {
		return a, err
	}
	if err := report.WorstTable(c.OutOrStdout(), found.Worst, a); err != nil {
		return nil, err
	}
	return a, report.AuditTable(c.OutOrStdout(), a, dir)
}

// auditDirectory locks the directory of a scenario's audit; there is the same audit, if it was made before.
func auditDirectory(c *cobra.Command, e *experiment.Experiment, file string, sets []string, runs int,
	out string, blackBox bool) (dir string, there *record.Audit, unlock func(), err error) {
	dir, err = placed(e.Scenario, file, sets, c.Flags().Changed("out"), noteOf(c), func(name string) (string, error) {
		dir := filepath.Join(out, name, "audit")
		if blackBox {
			dir = filepath.Join(out, name, "black-box")
		}
		var err error
		if there, err = record.ReadAudit(dir); there == nil || err != nil {
			return dir, err
		}
		return dir, evaluation.SameAudit(e, dir, there, runs)
	})
	if err == nil {
		unlock, err = files.Lock(dir, 0)
	}
	return dir, there, unlock, err
}

func newReport() *cobra.Command {
	var out, title, data string
	c := &cobra.Command{
		Use:   "report DIR…",
		Short: "Write the attack-evaluation report of runs, audits and maps: HTML, Markdown and JSON",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("report needs directories of runs or audits, such as results/runs/kkt-inversion/1")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				out = filepath.Join(runDirectory(args[0]), "report.html")
			}
			if filepath.Ext(out) != ".html" {
				return usage("--out must be a file that ends in .html, is %q", out)
			}
			words := []string{"simulate", "report"}
			e := &attack.Evaluation{Title: title}
			g := &gathering{Evaluation: e, data: data}
			for _, path := range args {
				words = append(words, operand(path))
				path = runDirectory(path)
				dirs, err := below(path)
				if err != nil {
					return err
				}
				for _, dir := range dirs {
					// A run that was named and has no adversary is left out only beside others.
					if err := g.add(c.Context(), dir, len(args) > 1 || dir != path); err != nil {
						return err
					}
				}
			}
			e.Command = quoted(words...)
			if len(g.skipped) > 0 {
				fmt.Fprintf(c.ErrOrStderr(), "%s without an adversary skipped: %s\n", plural.Of(len(g.skipped), "run"),
					some(g.skipped))
			}
			e.Warnings = evaluation.Disagreements(g.origins)
			for _, w := range e.Warnings {
				fmt.Fprintln(c.ErrOrStderr(), "warning:", w)
			}
			if e.Empty() {
				return usage("nothing to report: no run in %s has an adversary, and there is no audit; give a run one "+
					"with --set adversary.knows.victim=0", strings.Join(args, ", "))
			}
			if e.Title == "" {
				e.Title = "What the messages give away"
			}
			files, err := e.Write(out)
			if err != nil {
				return err
			}
			for _, f := range files {
				fmt.Fprintln(c.OutOrStdout(), f)
			}
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "", "`file` to write, .html; .md and .json are written beside it "+
		"(default report.html in the first directory)")
	c.Flags().StringVar(&title, "title", "", "title of the report")
	c.Flags().StringVar(&data, "data", "", "data `directory`, to score attacks with")
	return c
}

// below are the directories of runs and audits in a directory: itself, or those of any
// depth below it.
func below(path string) ([]string, error) {
	if err := isDirectory(path); err != nil {
		return nil, err
	}
	var dirs []string
	// The separator has the walk go through a path that is itself a link.
	err := filepath.WalkDir(path+string(filepath.Separator), func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		for _, name := range []string{runFile, record.AttacksFile, record.AuditFile, record.MapFile,
			record.TuningFile} {
			if _, err := os.Stat(filepath.Join(at, name)); err == nil {
				dirs = append(dirs, filepath.Clean(at))
				return fs.SkipDir
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for runs: %w", err)
	}
	if len(dirs) == 0 {
		return nil, usage("%s holds no run, no audit and no map, nor does any directory below it", path)
	}
	slices.SortFunc(dirs, naturally)
	return dirs, nil
}

// naturally orders seed 2 before seed 10.
func naturally(a, b string) int {
	if x, y := filepath.Dir(a), filepath.Dir(b); x != y {
		return strings.Compare(x, y)
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// isDirectory returns an error that says what a path is that should be a run's directory.
func isDirectory(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usage("there is no directory %s", path)
	case err != nil:
		return usageError{err}
	case !info.IsDir() && slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path)):
		return usage("%s is a scenario, not the directory of a run, such as results/runs/NAME/1; simulate run %s "+
			"makes one", path, path)
	case !info.IsDir():
		return usage("%s is a file, not the directory of a run, such as results/runs/NAME/1", path)
	}
	return nil
}

// without is an error that is there for errors.Is and adds no words.
type without struct{ error }

func (without) Error() string { return "" }

func (w without) Unwrap() error { return w.error }

// openRun opens a run's directory.
func openRun(path string) (*record.Run, error) {
	path = runDirectory(path)
	if err := isDirectory(path); err != nil {
		return nil, err
	}
	r, err := record.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("%s holds no run: it has no %s; a run's directory is such as results/runs/NAME/1%w", path,
			runFile, without{err})
	}
	if err != nil {
		return nil, usageError{err}
	}
	return r, nil
}

// gathering is a report's content as it is collected.
type gathering struct {
	*attack.Evaluation
	data    string
	skipped []string // runs without an adversary
	origins []evaluation.Origin
}

// add adds what a directory holds to a report. Attacks that were not carried
// out yet are. A plain run, which has no adversary, is an error, or skipped.
func (g *gathering) add(ctx context.Context, dir string, skip bool) error {
	attacks, err := record.ReadAttacks(dir)
	if err != nil {
		return err
	}
	audit, err := record.ReadAudit(dir)
	if err != nil {
		return err
	}
	if t, err := record.ReadTuning(dir); err != nil {
		return err
	} else if t != nil { // a sweep's directory holds no run
		g.Tunings = append(g.Tunings, attack.Tuning{Name: filepath.Base(filepath.Dir(filepath.Clean(dir))), Tuning: t})
		return nil
	}
	if m, err := record.ReadMap(dir); err != nil {
		return err
	} else if m != nil {
		pairs, err := record.ReadPairs(dir, m.Nodes)
		g.Maps = append(g.Maps, attack.Mapped{Map: m, Pairs: pairs})
		g.origins = append(g.origins, evaluation.Origin{What: filepath.Join(dir, record.MapFile), Scenario: m.Scenario,
			Inputs: m.Inputs})
		return err
	}
	r, err := openRun(dir)
	switch {
	case err == nil:
		if err := r.CheckFiles(); err != nil {
			return err
		}
		if attacks != nil && (attacks.Digest != r.Info.Digest || attacks.Seed != r.Info.Seed) {
			return fmt.Errorf("%s is of another run than the one beside it; simulate attack %s --replace makes it anew",
				filepath.Join(dir, record.AttacksFile), quoted(operand(dir)))
		}
	case !errors.Is(err, fs.ErrNotExist), attacks == nil && audit == nil:
		return err
	}
	if attacks == nil && audit == nil {
		s, err := scenarios.Parse(filepath.Join(dir, runFile), []byte(r.Info.Scenario))
		if err != nil {
			return err
		}
		idle := s.Adversary == nil || s.Adversary.Attacks != nil && len(s.Adversary.Attacks) == 0
		switch {
		case idle && r.Info.Privacy != nil: // what it claims can be told without attacks
		case idle && skip:
			g.skipped = append(g.skipped, dir)
			return nil
		default:
			if attacks, err = g.carryOut(ctx, dir, r); err != nil {
				return err
			}
		}
	}
	if r != nil {
		if r.Info.Privacy != nil {
			g.Accounts = append(g.Accounts, attack.Account{Name: r.Info.Name, Seed: r.Info.Seed,
				Privacy: r.Info.Privacy})
		}
		g.origins = append(g.origins, evaluation.Origin{What: "the run in " + dir, Scenario: r.Info.Scenario,
			Inputs: r.Info.Inputs})
	}
	if attacks != nil {
		g.Attacks = append(g.Attacks, attacks)
		g.origins = append(g.origins, evaluation.Origin{What: filepath.Join(dir, record.AttacksFile),
			Scenario: attacks.Scenario, Inputs: attacks.Inputs})
		for i := range attacks.Findings {
			if a := attacks.Findings[i].Audit; a != nil {
				g.Audits = append(g.Audits, a)
			}
		}
	}
	if audit != nil {
		g.Audits = append(g.Audits, audit)
		g.origins = append(g.origins, evaluation.Origin{What: filepath.Join(dir, record.AuditFile),
			Scenario: audit.Scenario, Inputs: audit.Inputs})
	}
	return nil
}

// carryOut attacks a run as its scenario says.
func (g *gathering) carryOut(ctx context.Context, dir string, r *record.Run) (*record.Attacks, error) {
	attacks, err := evaluation.Attack(ctx, r, evaluation.AttackOptions{DataDir: g.data,
		Command: quoted("simulate", "attack", operand(dir))})
	if err != nil {
		return nil, err
	}
	return attacks, record.WriteAttacks(dir, attacks, keeps(r, nil, attacks), false)
}

// some are the first of many names.
func some(names []string) string {
	const shown = 4
	if more := len(names) - shown; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), more)
	}
	return strings.Join(names, ", ")
}

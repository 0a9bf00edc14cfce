// Running a figure's grid of open settings, and judging the claims at its points.

package reproduce

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"overhear/experiment"
	"overhear/internal/files"
	"overhear/metrics"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
	"overhear/sweep"
)

// judgedFile has what the claims of a figure came to over its settings, in the figure's directory.
const judgedFile = "settings.json"

// Judged is what the claims of a figure came to at the points of its grid.
type Judged struct {
	Figure   string          `json:"figure"`
	Of       string          `json:"of"` // SHA-256 of what decides the runs: scenarios, curves, values of settings
	By       string          `json:"by"` // SHA-256 of the source text by which claims are judged; see [Figure.Rules]
	Seeds    int             `json:"seeds"`
	Set      []string        `json:"set,omitempty"` // in all runs
	Settings []JudgedSetting `json:"settings"`
	Claims   []string        `json:"claims"`
	Points   []JudgedPoint   `json:"points"`
	Sum      string          `json:"sum"` // SHA-256 of all the other keys, so that a changed file is known
}

// JudgedSetting is a setting as it was varied.
type JudgedSetting struct {
	Name  string   `json:"name"`
	Paths []string `json:"paths"`
	Range string   `json:"range"`
	Taken string   `json:"taken"` // on the page
}

// JudgedPoint is a point and what the claims came to there.
type JudgedPoint struct {
	Values      []string     `json:"values"`                // by setting
	Failed      string       `json:"failed,omitempty"`      // runs that failed, so that claims on them are [Void]
	Assessments []Assessment `json:"assessments,omitempty"` // by claim
	Measured    []string     `json:"measured,omitempty"`    // by claim
}

// ErrStopped says that a grid was stopped; what was computed is kept.
var ErrStopped = errors.New("stopped")

// Judge computes a figure's grid and judges its claims at every point. Runs are kept in dir, a sweep for all curves
// that have the same, named after what decides them: if they are stopped, or killed, the next call goes on from there,
// and does those anew that a change of the figure has made others. progress, which may be nil, is told how many of
// [Figure.GridTasks] runs are finished.
func (f *Figure) Judge(ctx context.Context, dir, dataDir string, progress func(n int)) (*Judged, error) {
	if f.Grid == nil {
		return nil, fmt.Errorf("%s declares no open settings", f.Name)
	}
	if err := f.hasData(f.Grid.Set, dataDir); err != nil {
		return nil, err
	}
	finished := 0
	j, err := f.judge(func(c curveRuns, key string) (runs []Runs, why []string, err error) {
		before := finished
		return f.sweep(ctx, c, filepath.Join(dir, key[:16]), dataDir, func(p sweep.Progress) {
			finished = before + p.Before + p.Done
			if progress != nil {
				progress(finished)
			}
		})
	})
	if errors.Is(err, context.Canceled) {
		return nil, f.StoppedAt(finished, f.GridTasks())
	}
	if err != nil {
		return nil, fmt.Errorf("%w (the sweeps of all its curves are in %s)", err, dir)
	}
	return j, nil
}

// Rejudge judges a figure's claims by the runs that [Figure.Judge] kept in dir, which may be those of another build of
// the program: what has changed since is how claims are judged, and nothing that the runs come from. It makes none.
func (f *Figure) Rejudge(dir string) (*Judged, error) {
	if f.Grid == nil {
		return nil, fmt.Errorf("%s declares no open settings", f.Name)
	}
	return f.judge(func(c curveRuns, key string) (runs []Runs, why []string, err error) {
		runs, why, err = f.kept(c, filepath.Join(dir, key[:16]))
		if err != nil {
			err = fmt.Errorf("%w; `simulate reproduce --settings %s` makes the runs", err, f.Name)
		}
		return runs, why, err
	})
}

// judge judges the claims at every point, by the runs of every curve there, or why there are none; key is that of the
// curve.
func (f *Figure) judge(runsOf func(c curveRuns, key string) ([]Runs, []string, error)) (*Judged, error) {
	points := f.Grid.Draw(f.Name)
	at := make([]*Results, len(points))
	failed := make([]failures, len(points))
	for k := range at {
		at[k] = &Results{Figure: f, Seeds: gridSeeds}
	}
	keys := f.gridKeys(points)
	for k, c := range f.Curves {
		if first := slices.Index(keys, keys[k]); first < k {
			for i := range points {
				same := at[i].Runs[first]
				same.Curve = c
				at[i].Runs = append(at[i].Runs, same)
				if failed[i].curves[first] {
					failed[i].add(k, "")
				}
			}
			continue
		}
		runs, why, err := runsOf(curveRuns{c, f.Grid, points, gridSeeds, runtime.GOMAXPROCS(0)}, keys[k])
		if err != nil {
			return nil, fmt.Errorf("%s, curve %q: %w", f.Name, c.Label, err)
		}
		for i := range points {
			at[i].Runs = append(at[i].Runs, runs[i])
			if why[i] != "" {
				failed[i].add(k, why[i])
			}
		}
	}
	j, err := f.declared()
	if err != nil {
		return nil, err
	}
	j.Points = nil
	for i, values := range points {
		p := JudgedPoint{Values: values, Failed: strings.Join(failed[i].why, "; ")}
		all, err := f.statementsAt(at[i], failed[i])
		if err != nil {
			return nil, err
		}
		var texts []string
		for _, s := range all {
			texts, p.Measured = append(texts, s.Text), append(p.Measured, s.Measured)
			p.Assessments = append(p.Assessments, s.Assessment)
		}
		if j.Claims == nil {
			j.Claims = texts
		} else if !slices.Equal(j.Claims, texts) {
			return nil, fmt.Errorf("%s: a claim's text depends on what was measured: %q and %q", f.Name, j.Claims,
				texts)
		}
		j.Points = append(j.Points, p)
	}
	return j, nil
}

// failures are the curves of which a run failed at a point, by number, and why.
type failures struct {
	curves map[int]bool
	why    []string
}

func (f *failures) add(curve int, why string) {
	if f.curves == nil {
		f.curves = map[int]bool{}
	}
	if f.curves[curve] = true; why != "" {
		f.why = append(f.why, why)
	}
}

// standIns is how many results stand for those of curves that failed, to find the claims in which these have a part.
const standIns = 8

// statementsAt are the claims judged at a point. Where curves failed, other numbers stand for theirs: claims that are
// the same, words and numbers, whatever stands there are judged, and the others are void.
func (f *Figure) statementsAt(r *Results, failed failures) (all []Statement, err error) {
	if failed.curves == nil {
		return claims(f.Statements(r)), nil
	}
	for k := range uint64(standIns) {
		with := *r
		with.Runs = slices.Clone(r.Runs)
		for c := range with.Runs {
			if failed.curves[c] {
				if with.Runs[c], err = f.standIn(f.Curves[c], r.Seeds, k); err != nil {
					return nil, err
				}
			}
		}
		now := claims(f.Statements(&with))
		if k == 0 {
			all = now
			continue
		}
		for i := range all {
			if all[i].Assessment != Void && (i >= len(now) || all[i].Measured != now[i].Measured ||
				all[i].Assessment != now[i].Assessment) {
				all[i].Assessment, all[i].Measured = Void, ""
			}
		}
	}
	return all, nil
}

// standIn are runs of a curve that nobody made: every column falls or rises by another law in each.
func (f *Figure) standIn(c *Curve, seeds int, number uint64) (Runs, error) {
	s, err := scenarios.LoadShipped(f.Scenario, slices.Concat(f.Grid.Set, c.Set)...)
	if err != nil {
		return Runs{}, fmt.Errorf("%s, curve %q: %w", f.Name, c.Label, err)
	}
	stream := sim.NewStream(number, "stand-in for "+f.Name+", "+c.Label)
	runs := Runs{Curve: c}
	for range seeds {
		t := &record.Table{Columns: metrics.Columns}
		level, slope := make([]float64, len(t.Columns)), make([]float64, len(t.Columns))
		for k := range t.Columns {
			level[k], slope[k] = math.Exp(stream.Between(-8, 8)), stream.Between(-1, 1)
		}
		for round := range s.Rounds.Count + 1 {
			row := make([]float64, len(t.Columns))
			for k, name := range t.Columns {
				row[k] = level[k] * (1 + float64(slope[k]*float64(round)/float64(s.Rounds.Count+1)))
				if name == "round" {
					row[k] = float64(round)
				}
			}
			t.Rows = append(t.Rows, row)
		}
		some := func() record.Number { return record.Number(math.Exp(stream.Between(-8, 8))) }
		runs.Tables = append(runs.Tables, t)
		runs.Infos = append(runs.Infos, &record.Info{
			Activity: &record.Activity{BusySeconds: float64(some()), Effort: record.Effort{
				Solves: int64(1e6 * some()), Passes: int64(1e6 * some()), Factorisations: int64(1e6 * some())}},
			BaseError: some(), Reference: record.Reference{Objective: some(), TestError: some()},
		})
	}
	return runs, nil
}

// StoppedAt is the error of a figure, or its grid, that was stopped when so many of its runs were finished.
func (f *Figure) StoppedAt(finished, of int) error {
	return fmt.Errorf("%w; %d of %d runs of %s are finished and kept, and the same command goes on from there",
		ErrStopped, finished, of, f.Name)
}

// hasData says why the data of a figure's curves, with more changes before their own, cannot be read: where they are
// absent every run would fail, and failures are kept as results.
func (f *Figure) hasData(before []string, dataDir string) error {
	var last *experiment.Experiment
	for _, c := range f.Curves {
		s, err := scenarios.LoadShipped(f.Scenario, slices.Concat(before, c.Set)...)
		if err != nil {
			return fmt.Errorf("%s, curve %q: %w", f.Name, c.Label, err)
		}
		if s.Problem.Data.Generated() || last != nil && last.SameData(s) {
			continue
		}
		last = experiment.New(s, dataDir)
		if err := last.HasData(context.Background(), s.Seeds.First); err != nil {
			return experiment.SetupError{Err: fmt.Errorf("%s, curve %q: loading problem.data: %w", f.Name, c.Label,
				err)}
		}
	}
	return nil
}

// claims are the statements that claim something.
func claims(all []Statement) []Statement {
	return slices.DeleteFunc(slices.Clone(all), func(s Statement) bool { return s.Assessment == ForComparison })
}

// declared is what a grid says before it is computed.
func (f *Figure) declared() (j *Judged, err error) {
	j = &Judged{Figure: f.Name, Seeds: gridSeeds, Set: f.Grid.Set}
	if j.By, err = f.Rules(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	for k := range f.Grid.Settings {
		s := &f.Grid.Settings[k]
		j.Settings = append(j.Settings, JudgedSetting{s.Name, s.Paths, s.Range(), s.Taken})
	}
	points := f.Grid.Draw(f.Name)
	j.Of = f.decides(points)
	for _, values := range points {
		j.Points = append(j.Points, JudgedPoint{Values: values})
	}
	return j, nil
}

// decides is a digest of what decides the runs: the scenario and all changes to it, as they are written. What a
// scenario leaves out is no part: a key that the language has got since does not make old results those of another
// grid.
func (f *Figure) decides(points [][]string) string {
	text, err := scenarios.ShippedText(f.Scenario)
	if err != nil {
		return err.Error()
	}
	var said map[string]any // without comments
	if err := yaml.Unmarshal([]byte(text), &said); err != nil {
		return err.Error()
	}
	for _, key := range []string{"name", "about", "seeds", "sweep"} {
		delete(said, key)
	}
	var curves []any
	for _, c := range f.Curves {
		paths, _ := f.Grid.changesOf(c, points[0])
		curves = append(curves, []any{c.Label, c.Set, paths, distinct(f.Grid, c, points)})
	}
	return digest(said, f.Grid.Set, gridSeeds, curves)
}

// curveRuns are the runs of a curve at points of a grid.
type curveRuns struct {
	*Curve
	grid    *Grid
	points  [][]string
	seeds   int
	workers int
}

// plan is the sweep of a curve's runs.
func (f *Figure) plan(c curveRuns) (*sweep.Plan, error) {
	text, err := scenarios.ShippedText(f.Scenario)
	if err != nil {
		return nil, err
	}
	options := sweep.Options{Sets: slices.Concat(metricsOnly, c.grid.Set, c.Set), Seeds: c.seeds,
		Keep: sweep.KeepRounds, Diverge: true}
	if paths, _ := c.grid.changesOf(c.Curve, c.points[0]); paths != nil {
		var list []string
		for _, v := range distinct(c.grid, c.Curve, c.points) {
			list = append(list, strings.Join(v, "|"))
		}
		options.Grid = []string{strings.Join(paths, "+") + "=" + strings.Join(list, ",")}
	}
	return sweep.PlanOf(f.Scenario, text, options)
}

// sweep does the runs of a curve that are not in dir yet, and returns those at each point, or why there are none.
func (f *Figure) sweep(ctx context.Context, c curveRuns, dir, dataDir string, progress func(sweep.Progress)) (
	runs []Runs, failed []string, err error) {
	plan, err := f.plan(c)
	if err != nil {
		return nil, nil, err
	}
	d, err := sweep.OpenDir(dir, plan)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	local := sweep.Local{Workers: c.workers, Data: dataDir}
	if _, err := sweep.Make(ctx, d, sweep.Settings{Dispatcher: local, Progress: progress}); err != nil {
		return nil, nil, err
	}
	return c.read(d)
}

// kept are the runs of a curve that are in dir, all of them, whatever build of the program made them.
func (f *Figure) kept(c curveRuns, dir string) (runs []Runs, failed []string, err error) {
	plan, err := f.plan(c)
	if err != nil {
		return nil, nil, err
	}
	d, err := sweep.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if different, err := plan.DifferencesButBuild(d.Plan); err != nil {
		return nil, nil, err
	} else if different != "" {
		return nil, nil, fmt.Errorf("%s holds other runs (%s)", dir, different)
	}
	return c.read(d)
}

// read are the runs at every point, or why there are none, of a sweep that is finished.
func (c curveRuns) read(d *sweep.Dir) (runs []Runs, failed []string, err error) {
	results := make([]*sweep.Result, d.Plan.Len())
	left := len(results)
	err = d.Journal.All(func(index int, b []byte) error {
		r, err := sweep.Decode(b)
		if results[index] == nil {
			left--
		}
		results[index] = r
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if left > 0 {
		return nil, nil, fmt.Errorf("%s lacks %d of %d runs", d.Path, left, len(results))
	}
	values := distinct(c.grid, c.Curve, c.points)
	for _, point := range c.points {
		_, mine := c.grid.changesOf(c.Curve, point)
		k := slices.IndexFunc(values, func(v []string) bool { return slices.Equal(v, mine) })
		one, why := Runs{Curve: c.Curve}, ""
		for _, r := range results[k*c.seeds : (k+1)*c.seeds] {
			if r.Error != "" {
				why = fmt.Sprintf("%s, seed %d: %s", c.Label, r.Seed, r.Error)
				break
			}
			one.Tables, one.Infos = append(one.Tables, tableOf(r)), append(one.Infos, infoOf(r))
		}
		runs, failed = append(runs, one), append(failed, why)
	}
	return runs, failed, nil
}

// tableOf is metrics.csv of a result; a column that a result leaves out has no value in any round.
func tableOf(r *sweep.Result) *record.Table {
	t := &record.Table{Columns: metrics.Columns}
	for _, values := range r.Rows {
		row := slices.Repeat([]float64{math.NaN()}, len(t.Columns))
		for k, name := range r.Columns {
			row[slices.Index(t.Columns, name)] = values[k]
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// infoOf is what a result keeps of run.json.
func infoOf(r *sweep.Result) *record.Info {
	return &record.Info{
		Seed: r.Seed, Algorithm: r.Method, Nodes: r.Nodes, Edges: r.Edges, TrainRows: r.TrainRows, TestRows: r.TestRows,
		BaseError: r.BaseError, Warnings: r.Warnings, Convergence: r.Convergence, Ridge: r.Ridge, Computed: r.Computed,
		Activity:  &record.Activity{Effort: r.Effort, BusySeconds: r.BusySeconds},
		Reference: record.Reference{Objective: r.OptimumObjective, TestError: r.OptimumTestError, Fit: r.OptimumFit},
	}
}

// Write writes settings.json into the figure's directory.
func (j *Judged) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", judgedFile, err)
	}
	whole := *j
	whole.Sum = j.sum()
	text, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", judgedFile, err)
	}
	return files.WriteBytes(filepath.Join(dir, judgedFile), append(text, '\n'))
}

// sum is the digest of what is judged.
func (j *Judged) sum() string {
	rest := *j
	rest.Sum = ""
	return digest(rest)
}

// readJudged reads what the claims of a figure came to; nil, and why, if that is not to be had. A file that no build
// wrote like that is an error.
func (f *Figure) readJudged(dir string, claimed []Statement) (j *Judged, why string, err error) {
	if f.Grid == nil {
		return nil, "", nil
	}
	again := fmt.Sprintf("`simulate reproduce --settings %s` computes them", f.Name)
	kept := fmt.Sprintf("`simulate reproduce --rejudge %s` judges the runs anew where they are kept, and %s", f.Name,
		again)
	path := filepath.Join(dir, judgedFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "The claims have not been judged over the settings that the paper leaves open; " + again + ".", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", judgedFile, err)
	}
	refused := func(err error) error { return fmt.Errorf("reading %s: %w; delete it: %s", path, err, kept) }
	j = new(Judged)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(j); err != nil {
		return nil, "", refused(err)
	}
	if d.More() {
		return nil, "", refused(errors.New("it goes on after the end of its object"))
	}
	now, err := f.declared()
	if err != nil {
		return nil, "", err
	}
	if j.By == now.By { // the build that wrote it had this form
		if err := f.check(j, now); err != nil {
			return nil, "", refused(err)
		}
	}
	for _, s := range claimed {
		now.Claims = append(now.Claims, s.Text)
	}
	was := *j
	was.By, was.Sum, was.Points = now.By, "", nil
	for _, p := range j.Points {
		was.Points = append(was.Points, JudgedPoint{Values: p.Values})
	}
	if !reflect.DeepEqual(&was, now) {
		return nil, judgedFile + " is of other claims, curves or settings than this page and is left out; " + again +
			".", nil
	}
	if j.By != now.By {
		return nil, fmt.Sprintf("%s was judged by other rules than the claims of this page and is left out; %s.",
			judgedFile, kept), nil
	}
	return j, "", nil
}

// check says which key of what is judged cannot be what [Judged.Write] wrote.
func (f *Figure) check(j, now *Judged) error {
	if len(j.Points) != len(now.Points) {
		return fmt.Errorf("points has %d entries, must have %d", len(j.Points), len(now.Points))
	}
	if len(j.Claims) == 0 {
		return errors.New("claims is empty")
	}
	for i, p := range j.Points {
		if len(p.Values) != len(j.Settings) {
			return fmt.Errorf("points[%d].values has %d entries, and settings has %d", i, len(p.Values),
				len(j.Settings))
		}
		if j.Of == now.Of && !slices.Equal(p.Values, now.Points[i].Values) {
			return fmt.Errorf("points[%d].values is %q, must be %q", i, p.Values, now.Points[i].Values)
		}
		if len(p.Assessments) != len(j.Claims) || len(p.Measured) != len(j.Claims) {
			return fmt.Errorf("points[%d] has %d assessments and %d measured, and claims has %d", i,
				len(p.Assessments), len(p.Measured), len(j.Claims))
		}
		if p.Failed != "" && j.Of == now.Of && !slices.ContainsFunc(f.Curves, func(c *Curve) bool {
			return strings.HasPrefix(p.Failed, c.Label+", seed ")
		}) {
			return fmt.Errorf("points[%d].failed names no curve of %s: %q", i, f.Name, p.Failed)
		}
		for k, a := range p.Assessments {
			if !slices.Contains([]Assessment{Holds, HoldsInPart, Fails, NotTested, Void}, a) {
				return fmt.Errorf("points[%d].assessments[%d] is %q, which no claim comes to", i, k, a)
			}
			if a == Void && (p.Failed == "" || p.Measured[k] != "") {
				return fmt.Errorf("points[%d].assessments[%d] is %q, and failed is %q and measured %q", i, k, a,
					p.Failed, p.Measured[k])
			}
		}
	}
	if j.Sum != j.sum() {
		return errors.New("sum is not that of the other keys: something in it was changed by hand")
	}
	return nil
}

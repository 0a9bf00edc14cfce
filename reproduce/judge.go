// Running a figure's grid of open settings, and judging the claims at its points.

package reproduce

import (
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
	"overhear/sweep"
)

// judgedFile has what the claims of a figure came to over its settings, in the figure's directory.
const judgedFile = "settings.json"

// Judged is what the claims of a figure came to at the points of its grid.
type Judged struct {
	Figure   string          `json:"figure"`
	Of       string          `json:"of"` // SHA-256 of what decides the runs: scenarios, curves, values of settings
	Seeds    int             `json:"seeds"`
	Set      []string        `json:"set,omitempty"` // in all runs
	Settings []JudgedSetting `json:"settings"`
	Claims   []string        `json:"claims"`
	Points   []JudgedPoint   `json:"points"`
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
	Failed      string       `json:"failed,omitempty"`      // why nothing can be judged here
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
	points := f.Grid.Draw(f.Name)
	at := make([]*Results, len(points))
	failed := make([]string, len(points))
	for k := range at {
		at[k] = &Results{Figure: f, Seeds: gridSeeds}
	}
	if err := f.hasData(f.Grid.Set, dataDir); err != nil {
		return nil, err
	}
	finished := 0
	keys := f.gridKeys(points)
	for k, c := range f.Curves {
		if first := slices.Index(keys, keys[k]); first < k {
			for i := range points {
				same := at[i].Runs[first]
				same.Curve = c
				at[i].Runs = append(at[i].Runs, same)
			}
			continue
		}
		path := filepath.Join(dir, keys[k][:16])
		before := finished
		one := curveRuns{c, f.Grid, points, gridSeeds, runtime.GOMAXPROCS(0)}
		runs, why, err := f.sweep(ctx, one, path, dataDir, func(p sweep.Progress) {
			finished = before + p.Before + p.Done
			if progress != nil {
				progress(finished)
			}
		})
		if errors.Is(err, context.Canceled) {
			return nil, f.StoppedAt(finished, f.GridTasks())
		}
		if err != nil {
			return nil, fmt.Errorf("%s, curve %q: %w (the sweeps of all its curves are in %s)", f.Name, c.Label, err,
				dir)
		}
		for i := range points {
			at[i].Runs = append(at[i].Runs, runs[i])
			if failed[i] == "" {
				failed[i] = why[i]
			}
		}
	}
	j := f.declared()
	j.Points = nil
	for i, values := range points {
		p := JudgedPoint{Values: values, Failed: failed[i]}
		if p.Failed == "" {
			var texts []string
			for _, s := range claims(f.Statements(at[i])) {
				texts, p.Measured = append(texts, s.Text), append(p.Measured, s.Measured)
				p.Assessments = append(p.Assessments, s.Assessment)
			}
			if j.Claims == nil {
				j.Claims = texts
			} else if !slices.Equal(j.Claims, texts) {
				return nil, fmt.Errorf("%s: a claim's text depends on what was measured: %q and %q", f.Name, j.Claims,
					texts)
			}
		}
		j.Points = append(j.Points, p)
	}
	return j, nil
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
		if err := last.HasData(s.Seeds.First); err != nil {
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
func (f *Figure) declared() *Judged {
	j := &Judged{Figure: f.Name, Seeds: gridSeeds, Set: f.Grid.Set}
	for k := range f.Grid.Settings {
		s := &f.Grid.Settings[k]
		j.Settings = append(j.Settings, JudgedSetting{s.Name, s.Paths, s.Range(), s.Taken})
	}
	points := f.Grid.Draw(f.Name)
	j.Of = f.decides(points)
	for _, values := range points {
		j.Points = append(j.Points, JudgedPoint{Values: values})
	}
	return j
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

// sweep does the runs of a curve that are not in dir yet, and returns those at each point, or why there are none.
func (f *Figure) sweep(ctx context.Context, c curveRuns, dir, dataDir string, progress func(sweep.Progress)) (
	runs []Runs, failed []string, err error) {
	g, points := c.grid, c.points
	text, err := scenarios.ShippedText(f.Scenario)
	if err != nil {
		return nil, nil, err
	}
	options := sweep.Options{Sets: slices.Concat(metricsOnly, g.Set, c.Set), Seeds: c.seeds, Keep: sweep.KeepRounds,
		Diverge: true}
	values := distinct(g, c.Curve, points)
	if paths, _ := g.changesOf(c.Curve, points[0]); paths != nil {
		var list []string
		for _, v := range values {
			list = append(list, strings.Join(v, "|"))
		}
		options.Grid = []string{strings.Join(paths, "+") + "=" + strings.Join(list, ",")}
	}
	plan, err := sweep.PlanOf(f.Scenario, text, options)
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
	results := make([]*sweep.Result, plan.Len())
	err = d.Journal.All(func(index int, b []byte) error {
		r, err := sweep.Decode(b)
		results[index] = r
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, point := range points {
		_, mine := g.changesOf(c.Curve, point)
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
	text, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", judgedFile, err)
	}
	return files.WriteBytes(filepath.Join(dir, judgedFile), append(text, '\n'))
}

// readJudged reads what the claims of a figure came to; nil, and why, if that is not to be had.
func (f *Figure) readJudged(dir string, claimed []Statement) (j *Judged, why string, err error) {
	if f.Grid == nil {
		return nil, "", nil
	}
	again := fmt.Sprintf("`simulate reproduce --settings %s` computes them", f.Name)
	path := filepath.Join(dir, judgedFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "The claims have not been judged over the settings that the paper leaves open; " + again + ".", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", judgedFile, err)
	}
	j = new(Judged)
	if err := json.Unmarshal(text, j); err != nil {
		return nil, "", fmt.Errorf("reading %s: %w; delete it, and %s", path, err, again)
	}
	now := f.declared()
	for _, s := range claimed {
		now.Claims = append(now.Claims, s.Text)
	}
	was := *j
	was.Points = nil
	for _, p := range j.Points {
		was.Points = append(was.Points, JudgedPoint{Values: p.Values})
	}
	if !reflect.DeepEqual(&was, now) {
		return nil, judgedFile + " is of other claims, curves or settings than this page and is left out; " + again +
			".", nil
	}
	return j, "", nil
}

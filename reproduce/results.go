// Running a figure's curves, and reading what came out.

package reproduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"overhear/experiment"
	"overhear/internal/guard"
	"overhear/record"
	"overhear/report/plot"
	"overhear/sweep"
)

// Results are the runs of all curves of a figure.
type Results struct {
	*Figure
	Runs   []Runs // by curve
	Seeds  int
	Style  plot.Style // of the charts; the page needs them as SVG
	Claims []Claim    // by statement, once the page is written
}

// Runs are the runs of one curve, which differ in the seed.
type Runs struct {
	Curve  *Curve
	Tables []*record.Table // metrics.csv, by seed
	Infos  []*record.Info  // run.json, by seed
}

// metricsOnly keeps a run from recording what no figure reads.
var metricsOnly = []string{"record.iterates=none", "record.messages=none", "record.trace=off"}

// Run computes all curves of a figure for so many seeds; zero is the figure's own number. Curves whose scenarios are
// the same have the same runs, which are done once. The results do not depend on the number of processors. Runs are
// kept in dir, as those of [Figure.Judge] are, for the next call if they are stopped; "" keeps none. progress, which
// may be nil, is told how many of [Figure.Tasks] runs have ended.
func (f *Figure) Run(ctx context.Context, seeds int, dir, dataDir string, progress func(n int)) (r *Results,
	err error) {
	if seeds == 0 {
		seeds = f.Seeds
	}
	if err := f.hasData(nil, dataDir); err != nil {
		return nil, err
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "overhear-"); err != nil {
			return nil, fmt.Errorf("making room for runs: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	r = &Results{Figure: f, Seeds: seeds, Runs: make([]Runs, len(f.Curves))}
	keys := f.keys()
	g, inside := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	ended := make([]int, len(f.Curves))
	finished := func() (n int) {
		for _, k := range ended {
			n += k
		}
		return n
	}
	for k, c := range f.Curves {
		if slices.Index(keys, keys[k]) < k {
			continue
		}
		g.Go(guard.Func(func() error {
			one := curveRuns{c, new(Grid), [][]string{nil}, seeds, 1}
			path := filepath.Join(dir, digest(keys[k], seeds, experiment.Program())[:16])
			runs, why, err := f.sweep(inside, one, path, dataDir, func(p sweep.Progress) {
				mu.Lock()
				defer mu.Unlock()
				if ended[k] = p.Before + p.Done; progress != nil {
					progress(finished())
				}
			})
			if err != nil {
				return fmt.Errorf("%s, curve %q: %w", f.Name, c.Label, err)
			}
			if why[0] != "" {
				return fmt.Errorf("%s, curve %s", f.Name, why[0])
			}
			r.Runs[k] = runs[0]
			return nil
		}))
	}
	if err := g.Wait(); ctx.Err() != nil {
		return nil, f.StoppedAt(finished(), f.Tasks(seeds))
	} else if err != nil {
		return nil, err
	}
	for k, c := range f.Curves {
		same := r.Runs[slices.Index(keys, keys[k])]
		r.Runs[k] = Runs{Curve: c, Tables: same.Tables, Infos: same.Infos}
	}
	return r, nil
}

// Tasks is the number of runs of a figure for so many seeds; zero is the figure's own number.
func (f *Figure) Tasks(seeds int) int {
	if seeds == 0 {
		seeds = f.Seeds
	}
	return seeds * len(slices.Compact(slices.Sorted(slices.Values(f.keys()))))
}

// keys are digests of what decides the runs of every curve.
func (f *Figure) keys() (keys []string) {
	for _, c := range f.Curves {
		keys = append(keys, f.key(c, nil))
	}
	return keys
}

// Of returns the runs of a curve. It panics if the curve is not the figure's.
func (r *Results) Of(c *Curve) *Runs {
	k := slices.IndexFunc(r.Runs, func(runs Runs) bool { return runs.Curve == c })
	if k < 0 {
		panic(fmt.Sprintf("reproduce: figure %s has no curve %q", r.Name, c.Label))
	}
	return &r.Runs[k]
}

// Range is mean, least and greatest over the seeds of a column at a round; t < 0 counts from the end.
func (r *Runs) Range(column string, t int) (mean, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	sum := 0.0
	for _, table := range r.Tables {
		k := t
		if k < 0 {
			k += len(table.Rows)
		}
		v := table.Rows[k][slices.Index(table.Columns, column)]
		sum += v
		low, high = math.Min(low, v), math.Max(high, v)
	}
	return sum / float64(len(r.Tables)), low, high
}

// At is the mean over the seeds of a column at a round; t < 0 counts from the end.
func (r *Runs) At(column string, t int) float64 {
	mean, _, _ := r.Range(column, t)
	return mean
}

// Last is the mean over the seeds of a column in the last round.
func (r *Runs) Last(column string) float64 { return r.At(column, -1) }

// Rounds is the number of rows of metrics.csv: the start and every round.
func (r *Runs) Rounds() int { return len(r.Tables[0].Rows) }

// Mean is the mean of a column over the seeds and rounds from…to.
func (r *Runs) Mean(column string, from, to int) float64 {
	sum := 0.0
	for t := from; t <= to; t++ {
		sum += r.At(column, t)
	}
	return sum / float64(to-from+1)
}

// Width is greatest minus least over the seeds of a column, averaged over rounds from…to.
func (r *Runs) Width(column string, from, to int) float64 {
	sum := 0.0
	for t := from; t <= to; t++ {
		_, low, high := r.Range(column, t)
		sum += high - low
	}
	return sum / float64(to-from+1)
}

// Reaches is the first round in which the mean over the seeds of a column is at most a value, −1 if there is none.
func (r *Runs) Reaches(column string, value float64) int {
	for t := range r.Rounds() {
		if r.At(column, t) <= value {
			return t
		}
	}
	return -1
}

// Activity is the mean over the seeds of how the nodes spent the run.
func (r *Runs) Activity(of func(*record.Activity) float64) float64 {
	sum := 0.0
	for _, i := range r.Infos {
		sum += of(i.Activity)
	}
	return sum / float64(len(r.Infos))
}

// Base is the mean over the seeds of the test error of saying the more frequent class always.
func (r *Runs) Base() float64 {
	sum := 0.0
	for _, i := range r.Infos {
		sum += float64(i.BaseError)
	}
	return sum / float64(len(r.Infos))
}

// Reference is the mean over the seeds of a property of the centralised optimum.
func (r *Runs) Reference(of func(*record.Reference) record.Number) float64 {
	sum := 0.0
	for _, i := range r.Infos {
		sum += float64(of(&i.Reference))
	}
	return sum / float64(len(r.Infos))
}

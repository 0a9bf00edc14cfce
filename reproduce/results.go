// Running a figure's curves, and reading what came out.

package reproduce

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
)

// Results are the runs of all curves of a figure.
type Results struct {
	*Figure
	Runs  []Runs // by curve
	Seeds int
}

// Runs are the seeds of one curve.
type Runs struct {
	Curve  Curve
	Tables []*record.Table // by seed
	Infos  []*record.Info
}

// Run computes all curves for so many seeds; zero is the figure's own number. The
// results do not depend on the number of processors. done, which may be nil, is
// told how many runs have ended.
func Run(ctx context.Context, f *Figure, seeds int, dataDir string, done func(n int)) (*Results, error) {
	if seeds == 0 {
		seeds = f.Seeds
	}
	r := &Results{Figure: f, Seeds: seeds, Runs: make([]Runs, len(f.Curves))}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	ended := 0
	for k, c := range f.Curves {
		s, err := scenarios.LoadShipped(f.Scenario, append([]string{"record.iterates=none", "record.messages=none", "record.trace=off"}, c.Set...)...)
		if err != nil {
			return nil, fmt.Errorf("%s, curve %q: %w", f.Name, c.Label, err)
		}
		r.Runs[k] = Runs{Curve: c, Tables: make([]*record.Table, seeds), Infos: make([]*record.Info, seeds)}
		e := experiment.New(s, dataDir)
		for i := range seeds {
			g.Go(func() error {
				info, table, err := e.Measure(ctx, uint64(i+1), 1)
				if err != nil {
					return fmt.Errorf("%s, curve %q: %w", f.Name, c.Label, err)
				}
				r.Runs[k].Infos[i], r.Runs[k].Tables[i] = info, table
				mu.Lock()
				defer mu.Unlock()
				if ended++; done != nil {
					done(ended)
				}
				return nil
			})
		}
	}
	return r, g.Wait()
}

// Tasks is the number of runs of a figure.
func (f *Figure) Tasks(seeds int) int {
	if seeds == 0 {
		seeds = f.Seeds
	}
	return seeds * len(f.Curves)
}

// runs are those of the curve of that label.
func (r *Results) runs(label string) *Runs {
	for k := range r.Runs {
		if r.Runs[k].Curve.Label == label {
			return &r.Runs[k]
		}
	}
	panic(fmt.Sprintf("reproduce: figure %s has no curve %q", r.Name, label))
}

// at is mean, least and greatest of a column at a round over the seeds; t < 0
// counts from the end.
func (r *Runs) at(column string, t int) (mean, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	sum := 0.0
	for _, table := range r.Tables {
		values := table.Column(column)
		k := t
		if k < 0 {
			k += len(values)
		}
		sum += values[k]
		low, high = math.Min(low, values[k]), math.Max(high, values[k])
	}
	return sum / float64(len(r.Tables)), low, high
}

// last is the mean of a column in the last round.
func (r *Runs) last(column string) float64 {
	mean, _, _ := r.at(column, -1)
	return mean
}

// rounds is the number of rows.
func (r *Runs) rounds() int { return len(r.Tables[0].Rows) }

// over is the mean over the seeds of the mean of a column over rounds from…to.
func (r *Runs) over(column string, from, to int) float64 {
	sum := 0.0
	for t := from; t <= to; t++ {
		mean, _, _ := r.at(column, t)
		sum += mean
	}
	return sum / float64(to-from+1)
}

// spread is the range of a column over the seeds, averaged over rounds from…to.
func (r *Runs) spread(column string, from, to int) float64 {
	sum := 0.0
	for t := from; t <= to; t++ {
		_, low, high := r.at(column, t)
		sum += high - low
	}
	return sum / float64(to-from+1)
}

// reaches is the first round at which the mean of a column is at most a value,
// −1 if none is.
func (r *Runs) reaches(column string, value float64) int {
	for t := range r.rounds() {
		if mean, _, _ := r.at(column, t); mean <= value {
			return t
		}
	}
	return -1
}

// optimum is the mean of a property of the centralised optimum over the seeds.
func (r *Runs) optimum(of func(*record.Reference) record.Number) float64 {
	sum := 0.0
	for _, i := range r.Infos {
		sum += float64(of(&i.Reference))
	}
	return sum / float64(len(r.Infos))
}

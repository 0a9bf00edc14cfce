// The runner: computes one run of a plan, in any process.

package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"overhear/experiment"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
)

// Runner computes runs of a plan. It is safe for concurrent use. Runs of one
// point of the grid share the scenario, points with the same data section share
// the data.
type Runner struct {
	plan *Plan
	data string

	mu     sync.Mutex
	points []*point                 // the latest used first
	sets   []*experiment.Experiment // one for each data section, the latest used first
}

// point is a point of the grid, ready to run.
type point struct {
	number int
	once   sync.Once
	*experiment.Experiment
	hash string
	err  error
}

// So much is kept: points in flight are few, because numbers rise, and a data
// set may be large.
const (
	keptPoints = 16
	keptSets   = 3
)

// NewRunner prepares to compute runs; data directories are searched as for a
// single run, starting with data unless it is empty.
func NewRunner(p *Plan, data string) *Runner { return &Runner{plan: p, data: data} }

// Run computes the run of a number on so many goroutines and returns its
// encoded result, also if the run failed. The error is ctx's, if that was done
// before the run was.
func (r *Runner) Run(ctx context.Context, index, workers int) ([]byte, error) {
	task := r.plan.Task(index)
	p := r.point(task.Point)
	out := &Result{Index: index, Seed: task.Seed, Scenario: p.hash}
	err := p.err
	if err == nil {
		err = p.measure(ctx, out, r.plan, workers)
	}
	// A run that was stopped says ctx's cause, which need not be ctx's error.
	if ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))) {
		return nil, err
	}
	if err != nil {
		out = &Result{Index: index, Seed: task.Seed, Scenario: p.hash, Error: err.Error(),
			Diverged: errors.Is(err, problem.ErrDiverges)}
	}
	return out.Encode(), nil
}

// HasData says why the data of a run are not to be had in this process, nil if
// they are.
func (r *Runner) HasData(ctx context.Context, index int) error {
	task := r.plan.Task(index)
	p := r.point(task.Point)
	if p.err != nil {
		return p.err
	}
	return p.Experiment.HasData(ctx, task.Seed)
}

// measure runs a seed. A panic of the method under study is that run's failure.
func (p *point) measure(ctx context.Context, out *Result, plan *Plan, workers int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the run panicked: %v", r)
		}
	}()
	info, table, err := p.Measure(ctx, out.Seed, workers)
	if info == nil {
		return err
	}
	if c := info.Convergence; c.State == record.Diverging && (err != nil || !plan.Diverge) {
		if err == nil {
			err = fmt.Errorf("%w: %s and grows", problem.ErrDiverges, info.Away())
		}
		if c.Advice != "" {
			err = fmt.Errorf("%w; what would change it: %s", err, c.Advice)
		}
	}
	if err != nil {
		return err
	}
	out.Facts = factsOf(info)
	out.keep(table, plan.Keep)
	return nil
}

// point returns a point of the grid, ready to run.
func (r *Runner) point(number int) *point {
	r.mu.Lock()
	k := slices.IndexFunc(r.points, func(p *point) bool { return p.number == number })
	var p *point
	if k >= 0 {
		p = r.points[k]
		r.points = slices.Delete(r.points, k, k+1)
	} else {
		p = &point{number: number}
	}
	r.points = slices.Insert(r.points, 0, p)
	if len(r.points) > keptPoints {
		r.points = slices.Delete(r.points, keptPoints, len(r.points))
	}
	r.mu.Unlock()
	p.once.Do(func() { r.prepare(p) })
	return p
}

func (r *Runner) prepare(p *point) {
	s, hash, err := r.plan.Scenario(p.number)
	if p.hash, p.err = hash, err; err != nil {
		return
	}
	// Nothing is recorded but the digest, which is the same at every level, and
	// no result has the rates.
	if s.Record.Trace == "fingerprints" {
		s.Record.Trace = "digest"
	}
	s.Record.Rates = "off"
	p.Experiment = r.onSharedData(s)
}

// onSharedData is the experiment of a scenario, on data at hand if they are.
func (r *Runner) onSharedData(s *scenarios.Scenario) *experiment.Experiment {
	if s.Problem.Data.Generated() {
		return experiment.New(s, r.data)
	}
	r.mu.Lock()
	k := slices.IndexFunc(r.sets, func(e *experiment.Experiment) bool { return e.SameData(s) })
	var e *experiment.Experiment
	if k >= 0 {
		e = r.sets[k]
		r.sets = slices.Delete(r.sets, k, k+1)
	} else {
		e = experiment.New(s, r.data)
	}
	r.sets = slices.Insert(r.sets, 0, e)
	if len(r.sets) > keptSets {
		r.sets = slices.Delete(r.sets, keptSets, len(r.sets))
	}
	r.mu.Unlock()
	return e.On(s)
}

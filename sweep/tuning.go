// What tuning loses: whoever chooses among the runs of a sweep by their results has seen them all.

package sweep

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/files"
	"overhear/metrics"
	"overhear/privacy"
	"overhear/privacy/loss"
	"overhear/record"
	"overhear/sim"
)

// tuningFile is what tuning loses, in a sweep's directory.
const tuningFile = "tuning.json"

// Tuning is what the runs of a sweep lose of one unit of protection.
type Tuning struct {
	Runs      int          `json:"runs"`      // of one data set
	Unit      privacy.Unit `json:"unit"`      // what is protected
	One       Lost         `json:"one"`       // by the run that loses most
	All       Lost         `json:"all"`       // by all runs together
	Selection *Selection   `json:"selection"` // null: none was asked for
}

// Lost is what is lost at most.
type Lost struct {
	Claim       Figure `json:"claim"`       // what the method claims, composed
	Certificate Figure `json:"certificate"` // what the law of the noise proves, composed
}

// Figure is an ε and its δ, or why there is none.
type Figure struct {
	Epsilon record.Number `json:"epsilon"` // null: there is none
	Delta   record.Number `json:"delta"`
	Reason  string        `json:"reason"` // why; empty: there is one
}

func (f Figure) String() string {
	switch {
	case f.Reason != "":
		return "none: " + f.Reason
	case f.Delta > 0:
		return fmt.Sprintf("%.6g at δ = %v", float64(f.Epsilon), float64(f.Delta))
	}
	return fmt.Sprintf("%.6g", float64(f.Epsilon))
}

// Selection is a choice by random stopping: of a geometric number of runs, each of a point of the grid that is drawn
// anew, the one whose metric is least is published, and nothing else.
type Selection struct {
	Metric string        `json:"metric"`
	Mean   float64       `json:"mean"`  // of the number of runs
	Runs   int           `json:"runs"`  // that were drawn
	Run    int           `json:"run"`   // the best; −1: none has finished
	Value  record.Number `json:"value"` // of the metric
	Lost   Lost          `json:"lost"`  // by publishing the best
}

// Choice is how a selection is to be made.
type Choice struct {
	Metric string  `json:"metric"`
	Mean   float64 `json:"mean"` // of the number of runs; 0: one for each point of the grid
}

// mostRepeats bounds a selection: a mean that makes more runs is a slip.
const mostRepeats = 1_000_000

// String says which it is, of none too.
func (c *Choice) String() string {
	if c == nil {
		return "none"
	}
	return fmt.Sprintf("the best by %s of %.6g runs in the mean", c.Metric, c.Mean)
}

// Select plans a private selection among the points of a sweep's grid: a plan with as many seeds as runs are drawn,
// and the numbers of these runs, each of another seed. The scenario's first seed says how many, and which points.
func Select(file string, o Options, c *Choice) (*Plan, []int, error) {
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	p, err := NewPlan(file, o)
	if err != nil {
		return nil, nil, err
	}
	if c.Mean == 0 {
		c.Mean = float64(p.Points())
	}
	if err := p.selectable(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	repeats := loss.Stopping{Mean: c.Mean}.Repeats(p.draws().Float64())
	if repeats > mostRepeats {
		return nil, nil, fmt.Errorf("--mean-runs %v makes %d runs here, and at most %d can be; take a smaller mean",
			c.Mean, repeats, mostRepeats)
	}
	o.Seeds, o.Keep, o.Apart, o.choice = repeats, KeepLast, false, c
	if p, err = NewPlan(file, o); err != nil {
		return nil, nil, err
	}
	return p, p.selected(), nil
}

// draws are those of a selection: the number of runs, and then the point of each.
func (p *Plan) draws() *sim.Stream { return sim.NewStream(p.Seeds.First, "selection") }

// selected are the runs of a selection, in order; nil: the plan is of none, and all runs are made.
func (p *Plan) selected() []int {
	if p.Select == nil {
		return nil
	}
	s := p.draws()
	s.Float64() // the number of runs
	var only []int
	for k := range p.Seeds.Count {
		only = append(only, s.IntN(p.Points())*p.Seeds.Count+k)
	}
	slices.Sort(only)
	return only
}

func (c *Choice) check() error {
	if m, ok := metrics.Lookup(c.Metric); !ok || !m.Error || !strings.HasPrefix(m.Name, "test_") {
		var able []string
		for _, m := range metrics.All() {
			if m.Error && strings.HasPrefix(m.Name, "test_") {
				able = append(able, m.Name)
			}
		}
		return fmt.Errorf("--select takes an error on test rows, as one on training rows would be a release of its "+
			"own: one of %s, not %q", strings.Join(able, ", "), c.Metric)
	}
	if !(c.Mean == 0 || c.Mean >= 1 && c.Mean <= mostRepeats) {
		return fmt.Errorf("--mean-runs is a mean number of runs, at least 1 and at most %d, not %v", mostRepeats,
			c.Mean)
	}
	return nil
}

// selectable says why the best of some runs is no private selection: they must be of the same rows, tested on others
// that are the same too.
func (p *Plan) selectable() error {
	for _, path := range p.Paths() {
		for _, key := range []string{"problem.data", "problem.train", "problem.order", "problem.repeated"} {
			if path == "problem" || path == key || strings.HasPrefix(path, key+".") {
				return fmt.Errorf("--select compares runs on the same rows, and the grid varies %s", path)
			}
		}
	}
	s, _, err := p.Scenario(0)
	switch {
	case err != nil:
		return err
	case s.Problem.Data.Generated():
		return errors.New("--select compares runs on the same rows, and these are drawn anew for each seed")
	case s.Problem.Order != "file":
		return errors.New("--select compares runs on the same test rows, which no run learns from; with " +
			"problem.order: shuffled each seed has others; take problem.order: file")
	case s.Problem.Train == 0:
		return errors.New("--select compares errors on test rows, and there are none; set problem.train")
	}
	return nil
}

// tuned gathers what runs lose.
type tuned struct {
	unit  privacy.Unit
	delta float64
	runs  map[int]int // by data set

	uses  loss.Ledger          // of all runs, a node for each data set
	each  loss.Ledger          // a node for each run
	point map[int]*loss.Ledger // of a point's runs, a node each

	sum   map[int][2]float64 // of claims' ε and δ, by data set
	most  Figure
	pure  loss.Ledger // pure claims as uses, a node for each data set
	mixed map[int]*loss.Ledger

	claimless, uncertified string // why not all runs have one

	seeds  map[uint64]int // the first run of each
	shared string         // why runs do not compose
}

// Account computes what the runs of a plan lose, only some if that is not nil, from the noise of each: none is made.
// Data directories are searched as for a run.
func Account(ctx context.Context, p *Plan, only []int, c *Choice, data string) (*Tuning, error) {
	t := &tuned{seeds: map[uint64]int{}, sum: map[int][2]float64{}, point: map[int]*loss.Ledger{},
		mixed: map[int]*loss.Ledger{}, runs: map[int]int{}}
	all := only
	if c != nil { // what is selected may be of any point
		all = nil
		for point := range p.Points() {
			all = append(all, point*p.Seeds.Count)
		}
		all = slices.Compact(slices.Sorted(slices.Values(append(all, only...))))
	} else if all == nil {
		for index := range p.Len() {
			all = append(all, index)
		}
	}
	r := NewRunner(p, data)
	for _, index := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		point := r.point(p.Task(index).Point)
		if point.err != nil {
			return nil, point.err
		}
		a, err := point.Assemble(p.Task(index).Seed)
		if err != nil {
			return nil, fmt.Errorf("accounting for run %d: %w", index, err)
		}
		group := 0
		if point.Problem.Data.Generated() {
			group = int(p.Task(index).Seed - p.Seeds.First)
		}
		if c == nil {
			t.apart(index, p.Task(index).Seed)
		}
		t.take(p, index, group, a, point.Privacy.Delta)
	}
	if t.unit == "" {
		return nil, fmt.Errorf("no run of %s claims privacy: there is nothing to account for", p.Name)
	}
	out := &Tuning{Unit: t.unit, One: t.one()}
	for _, n := range t.runs {
		out.Runs = max(out.Runs, n)
	}
	if c != nil {
		out.All = t.all(true)
		out.Selection = &Selection{Metric: c.Metric, Mean: c.Mean, Runs: len(only), Run: -1,
			Value: record.Number(math.NaN()), Lost: t.selected(loss.Stopping{Mean: c.Mean})}
		return out, nil
	}
	out.All = t.all(false)
	return out, nil
}

// apart notes whether a run has noise of its own. Noise, and the coins of labels, are drawn by seed, purpose, node and
// round: two runs of one seed have the same, times what their budgets make of it, and a difference of their messages
// may have none.
func (t *tuned) apart(index int, seed uint64) {
	first, taken := t.seeds[seed]
	switch {
	case !taken:
		t.seeds[seed] = index
	case t.shared == "":
		t.shared = fmt.Sprintf("runs %d and %d have seed %d and so the same noise: what one adds the other takes "+
			"away; a sweep that is made with --account from the start gives every run noise of its own, and so does "+
			"--select", first, index, seed)
	}
}

// take enters a run.
func (t *tuned) take(p *Plan, index, group int, a *experiment.Assembly, delta float64) {
	t.runs[group]++
	point := p.Task(index).Point
	name := fmt.Sprintf("run %d (%s)", index, p.name(point))
	if a.Account == nil || len(a.Account.Ledger.Units()) == 0 {
		t.claimless = cmp.Or(t.claimless, name+" claims nothing")
		t.uncertified = cmp.Or(t.uncertified, name+" claims nothing")
		return
	}
	unit := a.Account.Ledger.Units()[0]
	for _, u := range []privacy.Unit{privacy.Sample, privacy.Label} {
		if slices.Contains(a.Account.Ledger.Units(), u) {
			unit = u
			break
		}
	}
	if t.unit == "" {
		t.unit, t.delta = unit, delta
	}
	if unit != t.unit {
		why := fmt.Sprintf("%s protects a %s, and others a %s", name, unit, t.unit)
		t.claimless, t.uncertified = cmp.Or(t.claimless, why), cmp.Or(t.uncertified, why)
		return
	}
	t.claim(name, group, point, a)
	uses, err := algorithms.Certify(a.Method.(algorithms.Private))
	if err == nil {
		err = a.Account.Inexact.Err
	}
	if err != nil && unit != privacy.Label {
		t.uncertified = cmp.Or(t.uncertified, name+": "+err.Error())
		return
	}
	cover, ok := uses.Cover(unit)
	if !ok {
		t.uncertified = cmp.Or(t.uncertified, name+" has nodes whose noise is of different kinds")
		return
	}
	if t.point[point] == nil {
		t.point[point] = new(loss.Ledger)
	}
	for _, m := range cover {
		t.uses.Spend(group, 1, unit, m)
		t.each.Spend(index, 1, unit, m)
		t.point[point].Spend(index, 1, unit, m)
	}
}

// claim enters what a run claims.
func (t *tuned) claim(name string, group, point int, a *experiment.Assembly) {
	if err := a.Account.Established; err != nil && t.unit != privacy.Label {
		t.claimless = cmp.Or(t.claimless, fmt.Sprintf("the claim of %s is not established: %v", name, err))
		return
	}
	if err := a.Account.Unproved; err != nil {
		t.claimless = cmp.Or(t.claimless, fmt.Sprintf("the claim of %s is not proved: %v", name, err))
		return
	}
	f := Figure{Epsilon: record.Number(a.Account.Ledger.Worst(a.Rounds, t.unit))}
	if math.IsInf(float64(f.Epsilon), 1) {
		bound := a.Account.Ledger.Bound(t.unit, a.Rounds, t.delta)
		f = Figure{Epsilon: record.Number(bound[a.Rounds]), Delta: record.Number(t.delta)}
	} else {
		t.pure.Spend(group, 1, t.unit, loss.Response{Epsilon: float64(f.Epsilon)})
		if t.mixed[point] == nil {
			t.mixed[point] = new(loss.Ledger)
		}
		t.mixed[point].Spend(t.runs[group], 1, t.unit, loss.Response{Epsilon: float64(f.Epsilon)})
	}
	if f.Epsilon > t.most.Epsilon {
		t.most.Epsilon = f.Epsilon
	}
	t.most.Delta = max(t.most.Delta, f.Delta)
	s := t.sum[group]
	t.sum[group] = [2]float64{s[0] + float64(f.Epsilon), s[1] + float64(f.Delta)}
}

// missing is a figure that there is none of.
func missing(why string) Figure {
	return Figure{Epsilon: record.Number(math.NaN()), Delta: record.Number(math.NaN()), Reason: why}
}

// at is the figure of a profile at δ.
func (t *tuned) at(epsilon float64) Figure {
	if math.IsInf(epsilon, 1) {
		return missing(fmt.Sprintf("there is no ε at δ = %v", t.delta))
	}
	return Figure{Epsilon: record.Number(epsilon), Delta: record.Number(t.delta)}
}

// one is of the run that loses most.
func (t *tuned) one() Lost {
	l := Lost{Claim: t.most, Certificate: missing(t.uncertified)}
	if t.claimless != "" {
		l.Claim = missing(t.claimless)
	}
	if t.uncertified == "" {
		l.Certificate = t.at(t.each.Worst(t.unit, 1, t.delta).Epsilon)
	}
	return l
}

// all is of all runs together, of the data set that loses most. Pure claims are composed by the distribution of
// randomised response, which loses no less than any pure mechanism; others are summed.
func (t *tuned) all(skip bool) Lost {
	l := Lost{Claim: missing(t.claimless), Certificate: missing(t.uncertified)}
	if skip {
		why := "only the best of the runs is published"
		return Lost{Claim: missing(why), Certificate: missing(why)}
	}
	if t.shared != "" {
		return Lost{Claim: missing(cmp.Or(t.claimless, t.shared)),
			Certificate: missing(cmp.Or(t.uncertified, t.shared))}
	}
	if t.claimless == "" {
		l.Claim = Figure{}
		for _, s := range t.sum {
			l.Claim.Epsilon = max(l.Claim.Epsilon, record.Number(s[0]))
			l.Claim.Delta = max(l.Claim.Delta, record.Number(s[1]))
		}
		if l.Claim.Delta == 0 {
			if e := record.Number(t.pure.Worst(t.unit, 1, t.delta).Epsilon); e < 0.99*l.Claim.Epsilon {
				l.Claim = Figure{Epsilon: e, Delta: record.Number(t.delta)}
			}
		}
	}
	if t.uncertified == "" {
		l.Certificate = t.at(t.uses.Worst(t.unit, 1, t.delta).Epsilon)
	}
	return l
}

// selected is of the best of a random number of runs.
func (t *tuned) selected(s loss.Stopping) Lost {
	of := func(points map[int]*loss.Ledger) Figure {
		var m loss.Mixture
		for _, point := range slices.Sorted(maps.Keys(points)) {
			m = append(m, points[point].Worst(t.unit, 1, t.delta).Total)
		}
		return t.at(s.Epsilon(m, t.delta))
	}
	l := Lost{Claim: missing(t.claimless), Certificate: missing(t.uncertified)}
	switch {
	case t.claimless != "":
	case t.most.Delta > 0:
		l.Claim = missing("a claim that is not pure has no whole curve δ(ε), which a selection needs; a certificate " +
			"has")
	default:
		l.Claim = of(t.mixed)
	}
	if t.uncertified == "" {
		l.Certificate = of(t.point)
	}
	return l
}

// choose finds the best of the stored runs.
func (s *Selection) choose(store Store) error {
	best := math.Inf(1)
	return store.All(func(index int, b []byte) error {
		r, err := Decode(b)
		if err != nil {
			return fmt.Errorf("run %d: %w", index, err)
		}
		column := slices.Index(r.Columns, s.Metric)
		if r.Error != "" || column < 0 || len(r.Rows) == 0 {
			return nil
		}
		if v := r.Rows[len(r.Rows)-1][column]; v < best {
			best = v
			s.Run, s.Value = index, record.Number(v)
		}
		return nil
	})
}

// WriteTuning chooses the best run, if there is a selection, writes tuning.json into a sweep's directory, and says what
// is lost.
func (d *Dir) WriteTuning(w io.Writer, t *Tuning) error {
	if s := t.Selection; s != nil {
		if err := s.choose(d.Journal); err != nil {
			return err
		}
	}
	err := files.Write(filepath.Join(d.Path, tuningFile), func(out io.Writer) error {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(t)
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", tuningFile, err)
	}
	unit := string(t.Unit)
	if t.Unit == privacy.Sample {
		unit = "row"
	}
	line := func(what string, l Lost) {
		fmt.Fprintf(w, "  %s: claim %v; certificate %v\n", what, l.Claim, l.Certificate)
	}
	fmt.Fprintf(w, "privacy of tuning, of a %s that is in all runs:\n", unit)
	line("one run, the one that loses most", t.One)
	s := t.Selection
	if s == nil {
		line(fmt.Sprintf("all %s, whoever sees them or chooses by them", plural(t.Runs, "run")), t.All)
		return nil
	}
	line(fmt.Sprintf("the best of a geometric number of runs of mean %.4g", s.Mean), s.Lost)
	if s.Run < 0 {
		fmt.Fprintf(w, "  none of %s has %s\n", plural(s.Runs, "run"), s.Metric)
		return nil
	}
	task := d.Plan.Task(s.Run)
	fmt.Fprintf(w, "  run %d is the best, by %s %.6g: %s, seed %d. Publish it alone, and neither the other runs nor "+
		"how many there were\n", s.Run, s.Metric, float64(s.Value), d.Plan.name(task.Point), task.Seed)
	return nil
}

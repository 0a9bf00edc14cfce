// What tuning loses: whoever chooses among the runs of a sweep by their results has seen them all.

package sweep

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/files"
	"overhear/internal/plural"
	"overhear/metrics"
	"overhear/privacy"
	"overhear/privacy/loss"
	"overhear/record"
	"overhear/sim"
)

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
	// A run that goes away from the optimum takes part: the optimum is of the rows without noise, and to leave out runs
	// by it would be a choice that (6.9) does not count.
	o.Seeds, o.Keep, o.Apart, o.Diverge, o.choice = repeats, KeepLast, false, true, c
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

// tuned gathers what runs lose of a unit.
type tuned struct {
	unit   privacy.Unit
	covers string
	given  []record.Taken

	delta float64
	runs  map[int]int // by data set

	uses  loss.Ledger          // of all runs, a node for each data set
	each  loss.Ledger          // a node for each run
	point map[int]*loss.Ledger // of a point's runs, a node each

	sum   map[int][2]float64 // of claims' ε and δ, by data set
	most  record.Figure
	pure  loss.Ledger // pure claims as uses, a node for each data set
	mixed map[int]*loss.Ledger

	claimless, uncertified string // why not all runs have one
}

// tuning gathers what runs lose of each unit.
type tuning struct {
	units  map[privacy.Unit]*tuned
	first  string         // the name of the first run
	runs   map[int]int    // so far, by group
	seeds  map[uint64]int // the first run of each
	shared string         // why runs do not compose
	failed error          // why the first of them that cannot be made cannot
}

// Account computes what the runs of a plan lose, only some if that is not nil, from the noise of each: none is made.
// Data directories are searched as for a run.
func Account(ctx context.Context, p *Plan, only []int, c *Choice, data string) (*record.Tuning, error) {
	t := &tuning{units: map[privacy.Unit]*tuned{}, seeds: map[uint64]int{}, runs: map[int]int{}}
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
	out := &record.Tuning{}
	for _, index := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		point, a, err := r.assembled(p.Task(index))
		switch {
		case err != nil && c != nil:
			return nil, fmt.Errorf("accounting for run %d: %w", index, err)
		case err != nil: // it fails before it sends anything
			t.failed = cmp.Or(t.failed, fmt.Errorf("run %d: %w", index, err))
			out.Failed++
			continue
		case c != nil && a.Problem != nil && a.Problem.Test.U.Len() == 0:
			return nil, fmt.Errorf("--select compares errors on test rows, and run %d has none; take a smaller "+
				"problem.train", index)
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
	if len(t.units) == 0 {
		return nil, cmp.Or(t.failed,
			fmt.Errorf("no run of %s claims privacy: nothing is to be accounted for", p.Name))
	}
	if c != nil {
		out.Selection = &record.Selection{Metric: c.Metric, Mean: c.Mean, Runs: len(only), Run: -1,
			Value: record.Number(math.NaN())}
	}
	for _, unit := range slices.Backward(slices.Sorted(maps.Keys(t.units))) { // samples first
		u := t.units[unit]
		lost := record.Protected{Unit: unit, One: u.one(), All: u.all(t.shared), Covers: u.covers, Given: u.given}
		if c != nil {
			why := missing("only the best of the runs is published")
			best := u.selected(loss.Stopping{Mean: c.Mean})
			lost.All, lost.Best = record.Lost{Claim: why, Certificate: why}, &best
		}
		out.Units = append(out.Units, lost)
		for _, n := range u.runs {
			out.Runs = max(out.Runs, n)
		}
	}
	return out, publishable(out)
}

// assembled is a run before it is made, and its point.
func (r *Runner) assembled(task Task) (*point, *experiment.Assembly, error) {
	point := r.point(task.Point)
	if point.err != nil {
		return nil, nil, point.err
	}
	a, err := point.Assemble(context.Background(), task.Seed)
	return point, a, err
}

// publishable says why no run that a selection finds may be published: nothing bounds what it loses of any unit.
func publishable(t *record.Tuning) error {
	if t.Selection == nil {
		return nil
	}
	for _, u := range t.Units {
		if u.Best.Claim.Reason == "" || u.Best.Certificate.Reason == "" {
			return nil
		}
	}
	best := t.Units[0].Best
	return fmt.Errorf("--select finds a run to publish, and nothing bounds what the best one loses: no claim: %s; "+
		"no certificate: %s; leave such points out of the grid, or compare all runs without --select",
		best.Claim.Reason, best.Certificate.Reason)
}

// apart notes whether a run has noise of its own. Noise, and the coins of labels, are drawn by seed, purpose, node and
// round: two runs of one seed have the same, times what their budgets make of it, and a difference of their messages
// may have none.
func (t *tuning) apart(index int, seed uint64) {
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

// take enters a run. A unit that not all runs protect has no figure of all.
func (t *tuning) take(p *Plan, index, group int, a *experiment.Assembly, delta float64) {
	name := fmt.Sprintf("run %d (%s)", index, p.name(p.Task(index).Point))
	t.first = cmp.Or(t.first, name)
	var units []privacy.Unit
	if a.Account != nil {
		units = a.Account.Ledger.Units()
	}
	for _, unit := range units {
		if t.units[unit] == nil {
			u := &tuned{unit: unit, delta: delta, sum: map[int][2]float64{}, point: map[int]*loss.Ledger{},
				mixed: map[int]*loss.Ledger{}, runs: maps.Clone(t.runs)}
			if t.first != name {
				u.lack(t.first)
			}
			t.units[unit] = u
		}
	}
	t.runs[group]++
	for unit, u := range t.units {
		u.runs[group]++
		if slices.Contains(units, unit) {
			u.take(name, p.Task(index), group, a)
		} else {
			u.lack(name)
		}
	}
}

// lack notes that a run does not protect the unit.
func (t *tuned) lack(name string) {
	why := fmt.Sprintf("%s claims nothing of a %s", name, unitName(t.unit))
	t.claimless, t.uncertified = cmp.Or(t.claimless, why), cmp.Or(t.uncertified, why)
}

// unitName is a unit in words.
func unitName(u privacy.Unit) string {
	if u == privacy.Sample {
		return "row"
	}
	return string(u)
}

// take enters a run that protects the unit.
func (t *tuned) take(name string, task Task, group int, a *experiment.Assembly) {
	index, point, unit := task.Index, task.Point, t.unit
	if partial, ok := a.Method.(algorithms.Partial); ok && unit == privacy.Sample {
		t.covers = partial.Covers()
	}
	for _, g := range a.Account.Given(unit) {
		if !slices.Contains(t.given, g) {
			t.given = append(t.given, g)
		}
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
	f := record.Figure{Epsilon: record.Number(a.Account.Ledger.Worst(a.Rounds, t.unit))}
	if math.IsInf(float64(f.Epsilon), 1) {
		bound := a.Account.Ledger.Bound(t.unit, a.Rounds, t.delta)
		f = record.Figure{Epsilon: record.Number(bound[a.Rounds]), Delta: record.Number(t.delta)}
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
func missing(why string) record.Figure {
	return record.Figure{Epsilon: record.Number(math.NaN()), Delta: record.Number(math.NaN()), Reason: why}
}

// at is the figure of a profile at δ.
func (t *tuned) at(epsilon float64) record.Figure {
	if math.IsInf(epsilon, 1) {
		return missing(fmt.Sprintf("there is no ε at δ = %v", t.delta))
	}
	return record.Figure{Epsilon: record.Number(epsilon), Delta: record.Number(t.delta)}
}

// one is of the run that loses most.
func (t *tuned) one() record.Lost {
	l := record.Lost{Claim: t.most, Certificate: missing(t.uncertified)}
	if t.claimless != "" {
		l.Claim = missing(t.claimless)
	}
	if t.uncertified == "" {
		l.Certificate = t.at(t.each.Worst(t.unit, 1, t.delta).Epsilon)
	}
	return l
}

// all is of all runs together, of the data set that loses most. Pure claims are composed by the distribution of
// randomised response, which loses no less than any pure mechanism; others are summed. shared is why runs do not
// compose.
func (t *tuned) all(shared string) record.Lost {
	l := record.Lost{Claim: missing(t.claimless), Certificate: missing(t.uncertified)}
	if shared != "" {
		return record.Lost{Claim: missing(cmp.Or(t.claimless, shared)),
			Certificate: missing(cmp.Or(t.uncertified, shared))}
	}
	if t.claimless == "" {
		l.Claim = record.Figure{}
		for _, s := range t.sum {
			l.Claim.Epsilon = max(l.Claim.Epsilon, record.Number(s[0]))
			l.Claim.Delta = max(l.Claim.Delta, record.Number(s[1]))
		}
		if l.Claim.Delta == 0 {
			if e := record.Number(t.pure.Worst(t.unit, 1, t.delta).Epsilon); e < 0.99*l.Claim.Epsilon {
				l.Claim = record.Figure{Epsilon: e, Delta: record.Number(t.delta)}
			}
		}
	}
	if t.uncertified == "" {
		l.Certificate = t.at(t.uses.Worst(t.unit, 1, t.delta).Epsilon)
	}
	return l
}

// selected is of the best of a random number of runs.
func (t *tuned) selected(s loss.Stopping) record.Lost {
	of := func(points map[int]*loss.Ledger) record.Figure {
		var m loss.Mixture
		for _, point := range slices.Sorted(maps.Keys(points)) {
			m = append(m, points[point].Worst(t.unit, 1, t.delta).Total)
		}
		return t.at(s.Epsilon(m, t.delta))
	}
	l := record.Lost{Claim: missing(t.claimless), Certificate: missing(t.uncertified)}
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

// choose finds the best of the stored runs, if there is a selection.
func choose(t *record.Tuning, store Store) error {
	s := t.Selection
	if s == nil {
		return nil
	}
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
func (d *Dir) WriteTuning(w io.Writer, t *record.Tuning) error {
	if err := choose(t, d.Journal); err != nil {
		return err
	}
	if err := d.writeTuning(t); err != nil {
		return err
	}
	d.sayTuning(w, t)
	if s := t.Selection; s != nil && s.Run < 0 {
		return fmt.Errorf("none of %s has %s: there is no best one", plural.Of(s.Runs, "run"), s.Metric)
	}
	return nil
}

func (d *Dir) writeTuning(t *record.Tuning) error {
	if err := files.WriteBytes(filepath.Join(d.Path, record.TuningFile), tuningJSON(t)); err != nil {
		return fmt.Errorf("writing %s: %w", record.TuningFile, err)
	}
	return nil
}

// SayTuning says what is lost, if that was asked for.
func (d *Dir) SayTuning(w io.Writer) error {
	t, err := record.ReadTuning(d.Path)
	if err == nil && t != nil {
		d.sayTuning(w, t)
	}
	return err
}

// sayTuning says what is lost.
func (d *Dir) sayTuning(w io.Writer, t *record.Tuning) {
	line := func(what string, l record.Lost) {
		fmt.Fprintf(w, "  %s: claim %v; certificate %v\n", what, l.Claim, l.Certificate)
	}
	for _, u := range t.Units {
		in := "is in all runs"
		if t.Runs+t.Failed < d.Plan.Len() && t.Selection == nil {
			in = fmt.Sprintf("is in %d of the %d runs, as rows are drawn anew for each seed", t.Runs, d.Plan.Len())
		}
		fmt.Fprintf(w, "privacy of tuning, of a %s that %s:\n", unitName(u.Unit), in)
		line("one run, the one that loses most", u.One)
		if s := t.Selection; s != nil {
			line(fmt.Sprintf("the best of a geometric number of runs of mean %.4g", s.Mean), *u.Best)
		} else {
			line(fmt.Sprintf("all %s, whoever sees what they send or chooses by it", plural.Of(t.Runs, "run")), u.All)
		}
		if u.Covers != "" {
			fmt.Fprintf(w, "  certificates: %s\n", u.Covers)
		}
		for _, g := range u.Given {
			fmt.Fprintf(w, "  taken as given, %s: %s; so figures cover %s\n", g.Key, g.What, g.Covers)
		}
	}
	if t.Failed > 0 {
		fmt.Fprintf(w, "  not counted: %s that cannot be made, and so sends nothing\n", plural.Of(t.Failed, "run"))
	}
	d.advise(w, t.Selection)
}

// tuningJSON is tuning.json.
func tuningJSON(t *record.Tuning) []byte {
	text, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("sweep: writing what tuning loses: %v", err))
	}
	return append(text, '\n')
}

// checkTuning is an error that wraps experiment.ErrMismatch if tuning.json is not what the plan's runs lose; false:
// nobody asked for that, or not yet.
func (d *Dir) checkTuning(ctx context.Context, data string) (bool, error) {
	path := filepath.Join(d.Path, record.TuningFile)
	only := d.Plan.selected()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		open := func(index int) bool { return d.Journal.State(index) == Open }
		if only == nil || slices.ContainsFunc(only, open) {
			return false, nil
		}
		return false, fmt.Errorf("%w: %s is not there; the command of the sweep writes it anew",
			experiment.ErrMismatch, path)
	}
	t, err := Account(ctx, d.Plan, only, d.Plan.Select, data)
	if err != nil {
		return false, err
	}
	if err := choose(t, d.Journal); err != nil {
		return false, err
	}
	stated, err := os.ReadFile(path)
	if err != nil {
		return false, fmt.Errorf("reading what tuning loses: %w", err)
	}
	was, now := strings.Split(string(stated), "\n"), strings.Split(string(tuningJSON(t)), "\n")
	for k, line := range now {
		if k >= len(was) || was[k] != line {
			there := "nothing"
			if k < len(was) {
				there = strings.TrimSpace(was[k])
			}
			return false, fmt.Errorf("%w: %s is not what the runs lose: line %d: stated %s, recomputed %s; "+
				"the command of the sweep writes it anew", experiment.ErrMismatch, path, k+1, there,
				strings.TrimSpace(line))
		}
	}
	if len(was) != len(now) {
		return false, fmt.Errorf("%w: %s goes on after what the runs lose", experiment.ErrMismatch, path)
	}
	return true, nil
}

// advise says what the figures stand for.
func (d *Dir) advise(w io.Writer, s *record.Selection) {
	switch {
	case s == nil:
		fmt.Fprintf(w, "  not counted: a choice by what is computed from training rows without noise, as objective "+
			"and distance are\n")
	case s.Run < 0: // which is an error
	default:
		task := d.Plan.Task(s.Run)
		fmt.Fprintf(w, "  run %d is the best, by %s %.6g: %s, seed %d\n", s.Run, s.Metric, float64(s.Value),
			d.Plan.name(task.Point), task.Seed)
		fmt.Fprintf(w, "  Publish it alone: its settings, what it sends, its models and its errors on "+
			"test rows; neither its number nor its seed, which is that of its noise and says how many there were at "+
			"least, nor its numbers on training rows, nor the other runs, nor how many there were\n")
	}
	what := "this sweep"
	if s != nil {
		what = "this selection"
	}
	fmt.Fprintf(w, "  counted is %s alone: of several on the same rows ε and δ add up, if their seeds differ "+
		"(--set seeds.first=%d is next); with a seed in common there is no bound\n", what,
		d.Plan.Task(d.Plan.Len()-1).Seed+1)
}

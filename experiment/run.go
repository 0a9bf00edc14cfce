// Running seeds into run directories, and repeating them.

package experiment

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"overhear/algorithms"
	"overhear/internal/checkpoint"
	"overhear/internal/files"
	"overhear/internal/guard"
	"overhear/internal/memory"
	"overhear/internal/stage"
	"overhear/metrics"
	"overhear/problem"
	"overhear/record"
	"overhear/report/plot"
	"overhear/scenarios"
	"overhear/sim"
	"overhear/theory"
)

// Version of the program, as recorded; a release is built with its own.
var Version = "0.1"

// Options say how to run, never what: they do not change results.
type Options struct {
	Out      string // results directory, in which the scenario's runs have the directory of its name
	Workers  int    // goroutines that compute
	Replace  bool   // run seeds again that are finished
	Plots    bool
	Style    plot.Style                   // of the plots
	Progress func(seed uint64, round int) // may be nil

	// Checkpoint is how often what was computed is kept, beside the run's directory, so
	// that a run that is stopped goes on from there when it is run again; 0: never.
	Checkpoint time.Duration
	Keep       bool              // that of a finished run stays, so that others go on from it
	States     StatesKept        // then, what it holds at some moments, too
	From       *Parent           // the run that these go on from; nil: none
	Say        func(text string) // told what became of a checkpoint; may be nil
	// Directory, if it is not nil, takes the place of Out: it is open for the scenario's runs.
	Directory *record.Directory

	// Extra adds files to the directory of a run that has ended, such as what the
	// adversary knew of it; may be nil.
	Extra func(e *Experiment, a *Assembly, w *record.Writer) error
}

// outcome is what a run leaves behind.
type outcome struct {
	*Assembly
	*Finished
	optimum record.Reference
	ridge   *record.Ridge
	rows    []metrics.Row
	held    metrics.Held // at the end
	x       [][]float64  // parties' coefficients at the end, where the objective has kinks
	start   time.Time
	last    metrics.Row // of rows; where there is none, one in which nothing is measured
	early   *EarlyEnd   // nil: the run went to its end
	effort  record.Effort
	acts    *record.Acts // nil: all nodes were honest
}

// stopped says why a run that diverges was ended before its last round; nil: it was not.
func (o *outcome) stopped() error {
	if o.early != nil && errors.Is(o.early, problem.ErrDiverges) {
		return o.early.Err
	}
	return nil
}

// Run runs one seed and returns its finished run directory. If ctx is done, or results
// could not be written, nothing of the seed remains but its checkpoint; if it ends early,
// be it before a round is measured, the directory says why, and is returned beside the
// error.
func (e *Experiment) Run(ctx context.Context, seed uint64, o Options) (*record.Run, error) {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if o.Directory == nil {
		d, err := e.OpenDirectory(filepath.Join(o.Out, e.Name))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		o.Directory = d
	}
	r, err := e.run(ctx, seed, o)
	if errors.Is(err, checkpoint.ErrMisfit) || errors.Is(err, errStates) {
		if o.From != nil { // which may be what does not fit
			from := *o.From
			from.States, from.Known = "", 0
			defer func(all *Parent) { all.Same, all.Known, all.Taken = from.Same, 0, from.Taken }(o.From)
			o.From = &from
		}
		o.Say(fmt.Sprintf("seed %d is computed anew: %v", seed, err))
		r, err = e.run(ctx, seed, o)
	}
	return r, err
}

func (e *Experiment) run(ctx context.Context, seed uint64, o Options) (_ *record.Run, err error) {
	start := time.Now().Add(-time.Duration(e.spent.Swap(0)))
	if _, err := e.fileSums(); err != nil {
		return nil, err
	}
	go Program() // while the run goes on: of a build without a revision it hashes the executable
	w, err := record.Create(o.Directory, seed, e.policy(), o.Replace)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	var progress func(metrics.Row)
	if o.Progress != nil {
		progress = func(r metrics.Row) { o.Progress(seed, r.Round) }
	}
	k := &keeping{path: o.Directory.CheckpointPath(seed), every: o.Checkpoint, from: o.From, say: o.Say,
		states: o.States, statesPath: o.Directory.PartialStatesPath(seed)}
	if o.Keep {
		k.kept, k.statesKept = o.Directory.KeptPath(seed), o.Directory.StatesPath(seed)
	} else if err := removed(o.Directory.KeptPath(seed)); err != nil { // of the run whose place this one takes
		return nil, err
	}
	others := []string{o.Directory.StatesPath(seed), k.statesPath} // and of one that was killed
	if o.Checkpoint <= 0 {                                         // which is not gone on from
		others = append(others, k.path)
	}
	for _, path := range others {
		if err := removed(path); err != nil {
			return nil, err
		}
	}
	computed := false
	defer func() {
		failed, full := k.end(computed, err), errors.Is(err, syscall.ENOSPC)
		if failed != nil && !(full && errors.Is(failed, syscall.ENOSPC)) {
			o.Say(failed.Error())
		}
		if full {
			err = e.diskFull(seed, err, k.path)
		}
	}()
	out, err := e.complete(ctx, seed, Execution{Workers: o.Workers, keep: k}, w, progress)
	computed = err == nil && out.early == nil
	if err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", e.Name, seed, err)
	}
	table, err := out.table(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.Metrics(table.Columns, table.Rows); err != nil {
		return nil, err
	}
	if out.Trace != nil {
		if err := w.Trace(out.Trace); err != nil {
			return nil, fmt.Errorf("writing the trace: %w", err)
		}
	}
	if err := w.Nodes(nodeColumns, out.nodes()); err != nil {
		return nil, err
	}
	if o.Extra != nil {
		if err := o.Extra(e, out.Assembly, w); err != nil {
			return nil, err
		}
	}
	if o.Plots {
		if err := plot.DraftRuns(e.Name, []*record.Table{table}, w.Path("plots"), o.Style); err != nil {
			return nil, err
		}
	}
	info, err := e.info(ctx, out)
	if err != nil {
		return nil, err
	}
	if info.Inputs, err = e.Inputs(); err != nil {
		return nil, err
	}
	info.Wall = time.Since(start).Seconds()
	dir, err := w.Finish(info)
	if err != nil {
		return nil, err
	}
	run, err := record.Open(dir)
	if err == nil && out.early != nil && out.stopped() == nil {
		when := fmt.Sprintf("after round %d of %d", run.Info.Rounds, e.Rounds.Count)
		if run.Info.Rounds < 0 {
			when = "before every node had begun"
		}
		err = fmt.Errorf("%s, seed %d ended early, %s: %w; what was computed is in %s", e.Name, seed, when, out.early,
			dir)
	}
	return run, err
}

// diskFull says once that a disk is full, and what is to be done.
func (e *Experiment) diskFull(seed uint64, err error, checkpoint string) error {
	next := "make room and run it again"
	if kept, missing := os.Stat(checkpoint); missing == nil && kept.Size() > 0 {
		next = fmt.Sprintf("make room, and the same command goes on where it stopped; if no more can be made, "+
			"--checkpoint 0 begins anew without its checkpoint, which takes %s there",
			memory.Text(float64(kept.Size())))
	}
	return fmt.Errorf("%s, seed %d: %w", e.Name, seed, files.Full(err, next))
}

func (e *Experiment) policy() record.Policy {
	r := e.Record
	p := record.Policy{Every: r.Iterates.Every, Last: -1, Messages: r.Messages == "all"}
	switch {
	case p.Every > 0:
	case r.Iterates.Keep == "all":
		p.Every = 1
	case r.Iterates.Keep == "last":
		p.Last = e.Rounds.Count
	}
	return p
}

// complete makes, executes and measures a seed, recording to w if it is not nil. To
// the execution it adds the observers that measure and record, and the trace.
func (e *Experiment) complete(ctx context.Context, seed uint64, x Execution, w *record.Writer,
	progress func(metrics.Row)) (_ *outcome, err error) {
	defer guard.Recover(&err) // what a loss of one's own raises
	start := time.Now()
	a := e.ready.Load()
	if a == nil || a.Seed != seed || !e.ready.CompareAndSwap(a, nil) {
		if a, err = e.Assemble(ctx, seed); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if w != nil {
		e.sayRecorded(a, files.Room(w.Path("")), x.keep.say)
	}
	if ctx, err = x.keep.open(ctx, e, a); err != nil {
		return nil, err
	}
	out := &outcome{Assembly: a, start: start}
	r, err := e.recorder(ctx, out, w, x.keep.results(), x.keep.told(progress))
	if err != nil {
		return nil, err
	}
	x.Observer, x.Packets, x.Gone, x.Trace = r, r.sent, r.left, e.traceLevel()
	x.keep.attend(e, &x, r)
	out.Finished, err = e.Execute(ctx, a, x)
	if err != nil && !errors.As(err, &out.early) {
		return nil, err
	}
	if err := x.keep.results().Misfit(); err != nil {
		return nil, err
	}
	out.rows = r.measured().Rows()
	if out.x = r.x; r.rows != nil {
		out.held = r.rows.Held()
	}
	rows := out.rows
	if len(rows) == 0 {
		rows = []metrics.Row{metrics.Unmeasured(out.End)}
		if out.early == nil {
			out.early = &EarlyEnd{r.absent()}
		}
	}
	last := &rows[len(rows)-1]
	elsewhere := append(out.forgotten(last), out.departures(r)...)
	a.Warnings = append(a.Warnings, elsewhere...)
	a.Elsewhere = a.Elsewhere || elsewhere != nil
	a.Warnings = append(a.Warnings, e.unfelt(out.Finished)...)
	a.conclude(r.reached)
	stood := a.Account == nil || a.Account.Established != nil
	e.Amid(a, r.witness.Lied)
	if !stood && a.Account.Established != nil {
		a.Warnings = append(a.Warnings, a.Account.warnings()...)
	}
	out.acts = e.acted(out, r)
	a.Warnings = append(a.Warnings, lied(out.acts)...)
	a.Elsewhere = a.Elsewhere || out.acts != nil
	if out.early != nil {
		last.Most = max(last.Most, out.furthest())
	}
	if a.Account != nil {
		if out.early != nil {
			a.Account.end(a.Method, last.Most)
		}
		a.Account.fill(rows)
	}
	out.last = *last
	return out, nil
}

// traceLevel is how much of its trace the scenario has a run keep.
func (e *Experiment) traceLevel() sim.TraceLevel {
	switch e.Record.Trace {
	case "fingerprints":
		return sim.TraceFingerprints
	case "digest":
		return sim.TraceDigest
	}
	return sim.TraceOff
}

// info is run.json of an outcome, but for how long it took.
func (e *Experiment) info(ctx context.Context, out *outcome) (*record.Info, error) {
	if err := stage.At(ctx, "computing what theorems prove of the run (record.rates)", 0, 0); err != nil {
		return nil, err
	}
	return stage.Do(ctx, func() (*record.Info, error) { return e.infoOf(out), nil })
}

// infoOf is info, however long that takes.
func (e *Experiment) infoOf(out *outcome) *record.Info {
	residual := math.NaN()
	for _, r := range out.rows {
		if !(r.Residual <= residual) && !math.IsNaN(r.Residual) {
			residual = r.Residual
		}
	}
	final := out.last.Final()
	final.Messages, final.Bytes = out.Messages, out.Bytes // those of no round too
	warnings := slices.Concat([]string{}, out.Warnings, out.uninformative(&e.Problem),
		out.uncovered(&e.Problem), out.worse(),
		out.belowOptimum(e))
	info := &record.Info{
		Name: e.Name, Seed: out.Seed, Algorithm: e.Algorithm.Kind,
		Versions:     map[string]string{"overhear": Version, "go": runtime.Version()},
		Events:       out.Events,
		Nodes:        out.Graph.Order(),
		Edges:        out.Graph.Size(),
		Sites:        out.Sites.NodeSites(),
		Data:         out.Set.Reading,
		Columns:      out.Columns(),
		Classes:      out.Set.Classes,
		Parties:      out.parties(),
		TrainRows:    out.TrainRows(),
		TestRows:     out.testRows(),
		Rounds:       out.last.Round,
		Final:        final,
		Reference:    out.optimum,
		Ridge:        out.ridge,
		BaseError:    record.Number(out.baseError()),
		Convergence:  out.convergence(len(warnings) > 0),
		Residual:     record.Residual{Max: record.Number(residual), Tolerance: e.Solver.Tolerance},
		Rates:        e.rates(out),
		Excess:       e.excess(out),
		Activity:     out.summary(),
		Acts:         out.acts,
		Parameters:   scenarios.FormatParameters(out.Params),
		Warnings:     slices.Concat(warnings, unsolved(residual, e.Solver.Tolerance)),
		ScenarioHash: e.Hash(), Scenario: e.Resolved(),
	}
	if q, ok := out.loss().(problem.Quantile); ok {
		info.Level = q.Level
	}
	if e.Problem.L1 > 0 || e.Problem.Group > 0 {
		info.Zeros = out.zeros()
	}
	for _, c := range e.Changes {
		info.Changes = append(info.Changes, c.String())
	}
	if out.early != nil && out.stopped() == nil {
		info.Ended = out.early.Error()
	}
	for _, c := range out.Computed {
		info.Computed = append(info.Computed, record.Computed{Key: c.Key, Value: c.Value, Why: c.Why})
	}
	if out.Account != nil {
		info.Privacy = out.Account.record(out.Graph.Order() - out.parts())
	}
	if out.Trace != nil {
		info.Digest = hex.EncodeToString(out.Trace.Digest[:])
	}
	return info
}

// unsolved warns of solves whose gradients rounding keeps from being as small as they were computed to be.
func unsolved(residual, tolerance float64) []string {
	if !(residual > tolerance) {
		return nil
	}
	missed := problem.ResidualError{Stats: problem.Stats{Residual: residual, Scale: 1, Tolerance: tolerance}}
	return []string{fmt.Sprintf("solves have met solver.tolerance, %.0e, by gradients as they are rounded; by twice "+
		"the digits the largest is up to %.3g: columns or targets are so large that rounding hides it; smaller ones "+
		"(problem.scale) mend that, and solver.tolerance: %.0e says what is so", tolerance, residual,
		missed.Attained())}
}

// departures say in words which nodes did not stay to the end, and who went on without
// whom.
func (o *outcome) departures(r *recorder) []string {
	var all []string
	for _, d := range r.gone {
		if d.node >= len(o.Activity.Nodes) || o.Activity.Nodes[d.node].Finished > 0 {
			continue
		}
		if part := d.node - r.first; part >= 0 && r.latest != nil {
			if r.latest[part] == nil {
				all = append(all, fmt.Sprintf("node %d is gone for good from %v on, before it published anything; the "+
					"limit is not the optimum", d.node, d.at))
				continue
			}
			r.latest[part] = nil
		}
		all = append(all, fmt.Sprintf("node %d is gone for good from %v on, after its round %d; from then on the "+
			"metrics are of its last iterate, and the limit is not the optimum", d.node, d.at,
			o.Activity.Nodes[d.node].Rounds))
	}
	worst := metrics.Farthest(r.latest, o.optimum.Point)
	if all != nil && worst >= 0 {
		all = append(all, fmt.Sprintf("without the nodes that are gone for good, the distance of the worst node from "+
			"the centralised optimum, which is of all nodes' data, is %.6g at the end", worst))
	}
	for _, s := range o.Activity.Silences {
		all = append(all, fmt.Sprintf("node %d heard nothing more of node %d, took it to have left, and went on "+
			"without it from %v on", s.Node, s.Neighbour, s.At))
	}
	return all
}

// furthest is the round of the node with data that has published most.
func (o *outcome) furthest() int {
	most := 0
	for _, n := range o.Activity.Nodes[o.First():] {
		most = max(most, n.Rounds)
	}
	return most
}

// nodeColumns are the columns of nodes.csv.
var nodeColumns = []string{"node", "rounds", "busy_s", "down_s", "idle_s", "finished_s"}

// nodes are the rows of nodes.csv. A node that has ended is not idle.
func (o *outcome) nodes() [][]float64 {
	rows := make([][]float64, len(o.Activity.Nodes))
	for i, n := range o.Activity.Nodes {
		finished := math.NaN()
		if n.Finished > 0 {
			finished = n.Finished.Seconds()
		}
		down := o.Down[i]
		idle := max(0, sim.Duration(o.until(i))-n.Busy-down)
		rows[i] = []float64{float64(i), float64(n.Rounds), n.Busy.Seconds(), down.Seconds(), idle.Seconds(), finished}
	}
	return rows
}

// summary is what run.json says of the nodes' time.
func (o *outcome) summary() *record.Activity {
	a := &record.Activity{LeastRounds: math.MaxInt, Lags: o.Activity.Lags, Stale: o.Activity.Stale, Effort: o.effort}
	rows := o.nodes()
	share := 1 / float64(len(rows))
	for _, row := range rows {
		a.LeastRounds, a.MostRounds = min(a.LeastRounds, int(row[1])), max(a.MostRounds, int(row[1]))
		a.BusySeconds += float64(share * row[2])
		a.DownSeconds += float64(share * row[3])
		a.IdleSeconds += float64(share * row[4])
	}
	return a
}

// proves says whether what theorems prove of a run is to be found: it takes decompositions of matrices of as many rows
// as nodes, and so a time that grows as their number to the third power, and of what is less of each node's rows and
// columns.
func (e *Experiment) proves(out *outcome) bool {
	const second = 5e9 // multiplications take about that
	switch e.Record.Rates {
	case "on":
		return out.Graph.Order() <= 400
	case "auto":
		return out.Graph.Order() <= 50 && (out.Problem == nil || theory.Cost(out.Problem) <= second)
	}
	return false
}

// rates are the rates of convergence that theorems prove, beside the measured.
func (e *Experiment) rates(out *outcome) []record.Rate {
	rates := []record.Rate{}
	m, ok := out.Method.(algorithms.Analysed)
	if !ok || !e.proves(out) {
		return rates
	}
	errors := make([]float64, len(out.rows))
	for t := range out.rows {
		if errors[t] = out.rows[t].Distance; !math.IsNaN(out.rows[t].Stationarity) {
			errors[t] = out.rows[t].Stationarity
		}
	}
	measured, ok := theory.Measure(errors, theory.Floor(e.Solver.Tolerance), 0.5)
	// A method that bounds excess risks knows where it tends to; distances are from the problem's optimum.
	_, limited := out.Method.(algorithms.Generalising)
	d, elsewhere := out.Method.(algorithms.Displaced)
	if !ok || limited && elsewhere && d.Displaced() {
		measured = theory.Decrease{Factor: math.NaN()}
	}
	from, to := measured.From, measured.To // what is proved is of the same rounds
	if to == 0 {
		to = max(1, len(errors)-1)
		from = to - 1
	}
	circumstances := e.circumstances(out)
	for _, t := range m.Theorems(from, to) {
		r := record.Rate{Theorem: t.Name, Applies: t.Reason, Proved: record.Number(t.Factor),
			Measured: record.Number(measured.Factor), From: measured.From, To: measured.To}
		if err := t.Covers(circumstances); err != nil {
			r.Applies, r.Proved = "does not apply: "+err.Error(), record.Number(math.NaN())
		}
		rates = append(rates, r)
	}
	return rates
}

// circumstances are what happened in a run.
func (e *Experiment) circumstances(out *outcome) theory.Circumstances {
	return theory.Circumstances{
		Noise:      out.noisy(),
		Asynchrony: e.Rounds.Mode == "asynchronous",
		Staleness:  out.Activity.Stale > 0,
		Amnesia:    out.Activity.Forgets(),
		Departure: slices.ContainsFunc(e.Faults(), func(p sim.FaultPhase) bool {
			return p.Plan.Leaves()
		}),
		Alteration: out.altered() != nil,
		Unlike: e.Problem.Order != "shuffled" ||
			e.Problem.Partition.Kind != "even" && e.Problem.Partition.Kind != "sizes",
		Kinks:     e.Problem.NonSmooth(1) != nil,
		Flat:      e.Problem.Rho == 0,
		NonConvex: !e.Problem.Loss.Convex(),
	}
}

// Summarise writes summary.csv and, with more than one run, figures if asked, of
// the runs in a directory that came from the same as those of this experiment.
// These are count of them; others says how many did not, or are not as they were
// written.
func (e *Experiment) Summarise(d *record.Directory, plots bool, style plot.Style) (count, others int, err error) {
	all, err := d.Runs()
	if err != nil {
		return 0, 0, err
	}
	runs := all[:0:0] // that count
	for _, r := range all {
		why, err := e.Stale(r)
		if err != nil {
			return 0, 0, err
		}
		if why == nil {
			runs = append(runs, r)
		}
	}
	path := filepath.Join(d.Path, record.SummaryFile)
	if len(runs) == 1 {
		text, err := runs[0].ReadFile("metrics.csv")
		if err != nil {
			return 0, len(all), nil // it does not count, either
		}
		return 1, len(all) - 1, record.WriteSummaryOfOne(path, text)
	}
	tables := make([]*record.Table, len(runs)) // nil: that one does not count, either
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for k, r := range runs {
		group.Go(guard.Func(func() error {
			tables[k], _ = r.Metrics() // nil with an error
			return nil
		}))
	}
	if err := group.Wait(); err != nil {
		return 0, 0, err
	}
	tables = slices.DeleteFunc(tables, func(t *record.Table) bool { return t == nil })
	others = len(all) - len(tables)
	if err := record.WriteSummary(path, tables); err != nil {
		return 0, 0, err
	}
	if plots && len(tables) > 1 {
		err = plot.Runs(e.Name, tables, filepath.Join(d.Path, "plots"), style)
	}
	return len(tables), others, err
}

// Draw draws the figures of a finished run anew, in a style.
func (e *Experiment) Draw(r *record.Run, style plot.Style) error {
	t, err := r.Metrics()
	if err != nil {
		return err
	}
	return plot.Runs(e.Name, []*record.Table{t}, filepath.Join(r.Dir, "plots"), style)
}

// ErrMismatch is wrapped by the errors of verifying that say a run is not what its
// directory says.
var ErrMismatch = errors.New("the run does not repeat")

// Mismatch is an error that wraps ErrMismatch and says all that differs.
type Mismatch struct {
	Dir         string
	Changed     []string // files that the run came from and that are not what they were, in words
	Brief       bool     // to say only how much differs, where something else says what
	Event       error    // the first event in which the runs part; nil: none is known
	Differences []record.Difference
}

func (m *Mismatch) Unwrap() error { return ErrMismatch }

// listed is how many differences Error tells.
const listed = 10

func (m *Mismatch) Error() string {
	var b strings.Builder
	for _, what := range m.Changed {
		b.WriteString(what + "\n")
	}
	fmt.Fprintf(&b, "%v: %s", ErrMismatch, m.Dir)
	count := map[string]int{}
	for _, d := range m.Differences {
		count[d.File]++
	}
	if m.Brief {
		fmt.Fprintf(&b, ": %d statements differ, of %s", len(m.Differences),
			strings.Join(slices.Sorted(maps.Keys(count)), ", "))
		return b.String()
	}
	if m.Event != nil {
		fmt.Fprintf(&b, "\n  %v", m.Event)
	}
	told := 0
	for _, d := range m.Differences { // what says most comes first
		if telling(d) {
			fmt.Fprintf(&b, "\n  %v", d)
			count[d.File]--
			told++
		}
	}
	for _, share := range shares(count, listed-told) { // of every file something
		for _, d := range m.Differences {
			if d.File == share.file && share.told > 0 && !telling(d) {
				fmt.Fprintf(&b, "\n  %v", d)
				share.told--
				told++
			}
		}
	}
	if more := len(m.Differences) - told; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

// telling says whether a difference tells by itself why others are there: another program, another scenario, or the
// digest of all events.
func telling(d record.Difference) bool {
	return d.File == "run.json" && (d.Place == "digest" || d.Place == "scenario_hash" ||
		strings.HasPrefix(d.Place, "versions."))
}

// share is how many differences of a file are told.
type share struct {
	file string
	told int
}

// shares deals so many of the differences among files, one by one.
func shares(count map[string]int, left int) []*share {
	var all []*share
	for _, file := range slices.Sorted(maps.Keys(count)) {
		all = append(all, &share{file: file})
	}
	for dealt := true; left > 0 && dealt; {
		dealt = false
		for _, s := range all {
			if left > 0 && s.told < count[s.file] {
				s.told++
				left--
				dealt = true
			}
		}
	}
	return all
}

// Mismatched is the error that says what of a directory differs, nil if that is nothing
// but where it came from.
func Mismatched(dir string, all []record.Difference) error {
	if !slices.ContainsFunc(all, func(d record.Difference) bool { return !d.Origin }) {
		return nil
	}
	return &Mismatch{Dir: dir, Differences: all}
}

// Verify runs a recorded run again and compares everything that its directory says. An
// error that wraps ErrMismatch is a *Mismatch. What is returned without an error are
// statements of where the run came from, and not of the run, that are not of this
// program. The repeat is written to a temporary directory, with the Extra of o.
func Verify(ctx context.Context, r *record.Run, dataDir string, o Options) ([]record.Difference, error) {
	s, err := scenarios.Parse(filepath.Join(r.Dir, "run.json"), []byte(r.Info.Scenario))
	if err != nil {
		return nil, fmt.Errorf("%w: its scenario: %w", ErrMismatch, err)
	}
	if o.Out, err = os.MkdirTemp("", "overhear-verify-"); err != nil {
		return nil, fmt.Errorf("making room for a repeat: %w", err)
	}
	defer os.RemoveAll(o.Out)
	if _, err := os.Stat(filepath.Join(r.Dir, "plots")); err == nil {
		o.Plots = true
	}
	if text, err := os.ReadFile(filepath.Join(r.Dir, "plots", record.StyleFile)); err == nil {
		if err := json.Unmarshal(text, &o.Style); err != nil {
			return nil, fmt.Errorf("%w: the style of its figures: %w", ErrMismatch, err)
		}
	}
	e := New(s, dataDir)
	again, err := e.Run(ctx, r.Info.Seed, o)
	if again == nil {
		return nil, err
	} // a run that ends early has a directory, which says so
	all, err := record.Compare(r.Dir, again.Dir)
	if err != nil {
		return nil, err
	}
	err = Mismatched(r.Dir, all)
	m := (*Mismatch)(nil)
	if errors.As(err, &m) {
		m.Changed = e.Changed(r.Info.Inputs)
	}
	if m != nil && r.Info.Digest+again.Info.Digest != "" {
		m.Event = parting(ctx, r, s, dataDir, o)
	}
	return all, err
}

// parting runs a scenario up to the first event that is not in the recorded trace.
func parting(ctx context.Context, r *record.Run, s *scenarios.Scenario, dataDir string, o Options) error {
	reference, err := r.Trace()
	if err != nil || reference == nil {
		return err
	}
	_, err = New(s, dataDir).complete(ctx, r.Info.Seed, Execution{Workers: o.Workers, Reference: reference}, nil, nil)
	return err
}

// table is metrics.csv, with the certificate, which the outcome has from then on.
func (out *outcome) table(ctx context.Context) (*record.Table, error) {
	if out.Account != nil {
		if err := stage.At(ctx, "computing the certificate of privacy", 0, 0); err != nil {
			return nil, err
		}
		issued, err := stage.Do(ctx, func() ([]record.Certificate, error) { return out.Account.issue(), nil })
		if err != nil {
			return nil, err
		}
		out.Account.enter(issued, out.rows)
	}
	t := &record.Table{Columns: metrics.Columns}
	for i := range out.rows {
		t.Rows = append(t.Rows, out.rows[i].Values())
	}
	return t, nil
}

// Measuring says how a run is made of which nothing is kept in files.
type Measuring struct {
	Workers     int             // goroutines that compute
	Told        func(round int) // told of every round that is measured; may be nil
	Uncertified bool            // certificates of privacy are not computed, which takes longer than a short run
}

// Measure runs one seed and keeps nothing of it but what run.json and metrics.csv
// would say. Of a run that ends early it returns that beside the error.
func (e *Experiment) Measure(ctx context.Context, seed uint64, workers int) (*record.Info, *record.Table, error) {
	return e.MeasureAs(ctx, seed, Measuring{Workers: workers})
}

// MeasureAs is [Experiment.Measure] in a way of the caller's.
func (e *Experiment) MeasureAs(ctx context.Context, seed uint64, m Measuring) (*record.Info, *record.Table, error) {
	var progress func(metrics.Row)
	if m.Told != nil {
		progress = func(r metrics.Row) { m.Told(r.Round) }
	}
	out, err := e.complete(ctx, seed, Execution{Workers: m.Workers}, nil, progress)
	if err != nil {
		return nil, nil, fmt.Errorf("%s, seed %d: %w", e.Name, seed, err)
	}
	if m.Uncertified && out.Account != nil {
		out.Account.spare()
	}
	t, err := out.table(ctx)
	if err != nil {
		return nil, nil, err
	}
	info, err := e.info(ctx, out)
	if err != nil {
		return nil, nil, err
	}
	info.Wall = time.Since(out.start).Seconds()
	if out.early != nil {
		err = fmt.Errorf("%s, seed %d: %w", e.Name, seed, out.early)
	}
	return info, t, err
}

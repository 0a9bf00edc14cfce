// Running seeds into run directories, and repeating them.

package experiment

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"overhear/algorithms"
	"overhear/metrics"
	"overhear/record"
	"overhear/report/plot"
	"overhear/scenarios"
	"overhear/sim"
)

// Version of the program, as recorded; a release is built with its own.
var Version = "0.1"

// Options say how to run, never what: they do not change results.
type Options struct {
	Out      string // results directory, in which the scenario's runs have the directory of its name
	Workers  int    // goroutines that compute
	Replace  bool   // run seeds again that are finished
	Plots    bool
	Progress func(seed uint64, round int) // may be nil

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
	rows    []metrics.Row
	wall    time.Duration
}

// Run runs one seed and returns its finished run directory. If ctx is done, or
// the run fails, nothing of the seed remains.
func (e *Experiment) Run(ctx context.Context, seed uint64, o Options) (*record.Run, error) {
	d := o.Directory
	if d == nil {
		var err error
		if d, err = e.OpenDirectory(filepath.Join(o.Out, e.Name)); err != nil {
			return nil, err
		}
		defer d.Close()
	}
	inputs, err := e.Inputs()
	if err != nil {
		return nil, err
	}
	w, err := record.Create(d, seed, e.policy(), o.Replace)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	var progress func(metrics.Row)
	if o.Progress != nil {
		progress = func(r metrics.Row) { o.Progress(seed, r.Round) }
	}
	out, err := e.complete(ctx, seed, Execution{Workers: o.Workers}, w, progress)
	if err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", e.Name, seed, err)
	}
	var table [][]float64
	for i := range out.rows {
		table = append(table, out.rows[i].Values())
	}
	if err := w.Metrics(metrics.Columns, table); err != nil {
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
		t := &record.Table{Columns: metrics.Columns, Rows: table}
		if err := plot.Runs(e.Name, []*record.Table{t}, w.Path("plots")); err != nil {
			return nil, err
		}
	}
	info := e.info(out)
	info.Inputs = inputs
	dir, err := w.Finish(info)
	if err != nil {
		return nil, err
	}
	return record.Open(dir)
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
	progress func(metrics.Row)) (*outcome, error) {
	start := time.Now()
	a, err := e.Assemble(seed)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out := &outcome{Assembly: a}
	r, err := e.recorder(out, w, progress)
	if err != nil {
		return nil, err
	}
	x.Observer, x.Packets, x.Trace = r, r.sent, e.traceLevel()
	if out.Finished, err = e.Execute(ctx, a, x); err != nil {
		return nil, err
	}
	out.rows = r.measured().Rows()
	a.conclude(r.largest)
	if a.Account != nil {
		a.Account.fill(out.rows)
	}
	out.wall = time.Since(start)
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

// info is run.json of an outcome.
func (e *Experiment) info(out *outcome) *record.Info {
	last := out.rows[len(out.rows)-1]
	residual := math.NaN()
	for _, r := range out.rows {
		if !(r.Residual <= residual) && !math.IsNaN(r.Residual) {
			residual = r.Residual
		}
	}
	final := last.Final()
	final.Messages, final.Bytes = out.Messages, out.Bytes // those of no round too
	info := &record.Info{
		Name: e.Name, Seed: out.Seed, Algorithm: e.Algorithm.Kind,
		Versions:     map[string]string{"overhear": Version, "go": runtime.Version()},
		Events:       out.Events,
		Nodes:        out.Graph.Order(),
		Edges:        out.Graph.Size(),
		Columns:      out.Columns(),
		Parties:      out.parties(),
		TrainRows:    out.TrainRows(),
		TestRows:     out.testRows(),
		Rounds:       last.Round,
		Final:        final,
		Reference:    out.optimum,
		Residual:     record.Residual{Max: record.Number(residual), Tolerance: e.Solver.Tolerance},
		Rates:        e.rates(out),
		Activity:     out.summary(),
		Warnings:     append([]string{}, out.Warnings...),
		ScenarioHash: e.Hash(), Scenario: e.Resolved(),
		Wall: out.wall.Seconds(),
	}
	if out.Account != nil {
		info.Privacy = out.Account.record(out.Graph.Order() - out.parts())
	}
	if out.Trace != nil {
		info.Digest = hex.EncodeToString(out.Trace.Digest[:])
	}
	return info
}

// nodeColumns are the columns of nodes.csv.
var nodeColumns = []string{"node", "rounds", "busy_s", "down_s", "idle_s", "finished_s"}

// nodes are the rows of nodes.csv. A node that has ended is not idle.
func (o *outcome) nodes() [][]float64 {
	rows := make([][]float64, len(o.Activity.Nodes))
	for i, n := range o.Activity.Nodes {
		until, finished := o.End, math.NaN()
		if n.Finished > 0 {
			until, finished = n.Finished, n.Finished.Seconds()
		}
		down := o.Down[i]
		idle := max(0, sim.Duration(until)-n.Busy-down)
		rows[i] = []float64{float64(i), float64(n.Rounds), n.Busy.Seconds(), down.Seconds(), idle.Seconds(), finished}
	}
	return rows
}

// summary is what run.json says of the nodes' time.
func (o *outcome) summary() *record.Activity {
	a := &record.Activity{LeastRounds: math.MaxInt, Lags: o.Activity.Lags}
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

// rates are the rates of convergence that theorems prove, beside the measured.
func (e *Experiment) rates(out *outcome) []record.Rate {
	rates := []record.Rate{}
	m, ok := out.Method.(algorithms.Analysed)
	most := map[string]int{"auto": 50, "on": 400}[e.Record.Rates]
	if !ok || out.Graph.Order() > most {
		return rates
	}
	measured := math.NaN()
	if last := len(out.rows) - 1; last >= 2 {
		half := last / 2
		measured = math.Pow(out.rows[last].Distance/out.rows[half].Distance, 1/float64(last-half))
	}
	for _, t := range m.Theorems() {
		rates = append(rates, record.Rate{Theorem: t.Name, Applies: t.Reason, Proved: record.Number(t.Factor),
			Measured: record.Number(measured)})
	}
	return rates
}

// Summarise writes summary.csv and, with more than one run, figures if asked, of
// the runs in a directory that came from the same as those of this experiment.
// These are count of them; others says how many did not, or are not as they were
// written.
func (e *Experiment) Summarise(d *record.Directory, plots bool) (count, others int, err error) {
	all, err := d.Runs()
	if err != nil {
		return 0, 0, err
	}
	var tables []*record.Table
	for _, r := range all {
		why, err := e.Stale(r)
		if err != nil {
			return 0, 0, err
		}
		t, err := r.Metrics()
		if why != nil || err != nil {
			others++
			continue
		}
		tables = append(tables, t)
	}
	if err := record.WriteSummary(filepath.Join(d.Path, "summary.csv"), tables); err != nil {
		return 0, 0, err
	}
	if plots && len(tables) > 1 {
		err = plot.Runs(e.Name, tables, filepath.Join(d.Path, "plots"))
	}
	return len(tables), others, err
}

// ErrMismatch is wrapped by the errors of Verify that say a run is not what its
// directory says.
var ErrMismatch = errors.New("the run does not repeat")

// Verify checks the files of a run directory and repeats its run. An error that
// wraps ErrMismatch says what differs, and the first event that does.
func Verify(ctx context.Context, r *record.Run, dataDir string, workers int, progress func(metrics.Row)) error {
	if err := r.CheckFiles(); err != nil {
		return fmt.Errorf("%w: %w", ErrMismatch, err)
	}
	s, err := scenarios.Parse(filepath.Join(r.Dir, "run.json"), []byte(r.Info.Scenario))
	if err != nil {
		return err
	}
	reference, err := r.Trace()
	if err != nil {
		return err
	}
	if reference == nil {
		return fmt.Errorf("%s kept no trace to compare with (record.trace: off)", r.Dir)
	}
	_, err = New(s, dataDir).complete(ctx, r.Info.Seed, Execution{Workers: workers, Reference: reference}, nil,
		progress)
	var d *sim.Divergence
	switch {
	case errors.As(err, &d):
		return fmt.Errorf("%w: %w%s", ErrMismatch, err, versions(r))
	case errors.Is(err, sim.ErrReference):
		return fmt.Errorf("%w: %w%s", ErrMismatch, err, versions(r))
	case err != nil:
		return err
	}
	if digest := hex.EncodeToString(reference.Digest[:]); digest != r.Info.Digest {
		return fmt.Errorf("%w: the trace has digest %s, run.json says %s", ErrMismatch, digest, r.Info.Digest)
	}
	return nil
}

// versions says if a run is by another version.
func versions(r *record.Run) string {
	var differ []string
	for _, v := range [][2]string{{"overhear", Version}, {"go", runtime.Version()}} {
		if was := r.Info.Versions[v[0]]; was != v[1] {
			differ = append(differ, fmt.Sprintf("%s was %s, is %s", v[0], was, v[1]))
		}
	}
	if differ == nil {
		return ""
	}
	return " (" + strings.Join(differ, "; ") + ")"
}

// Measure runs one seed and keeps nothing of it but what run.json and metrics.csv
// would say.
func (e *Experiment) Measure(ctx context.Context, seed uint64, workers int) (*record.Info, *record.Table, error) {
	out, err := e.complete(ctx, seed, Execution{Workers: workers}, nil, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("%s, seed %d: %w", e.Name, seed, err)
	}
	t := &record.Table{Columns: metrics.Columns}
	for i := range out.rows {
		t.Rows = append(t.Rows, out.rows[i].Values())
	}
	return e.info(out), t, nil
}

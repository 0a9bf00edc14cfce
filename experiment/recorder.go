// The observer of a run that is measured and recorded.

package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/algorithms"
	"overhear/internal/checkpoint"
	"overhear/internal/memory"
	"overhear/internal/state"
	"overhear/metrics"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// recorder hands what a run says to its metrics and to its run directory.
type recorder struct {
	rows    rowMetrics         // nil where columns are split
	columns *metrics.Split     // nil where rows are
	first   int                // node of part 0 of the problem
	writer  *record.Writer     // nil: no run directory
	packet  uint64             // number of the latest packet, plus one
	reached algorithms.Reached // of a run over split columns
	kinks   bool               // whether its coefficients are kept
	x       [][]float64        // then those of the latest round, by party
	gone    []departure
	latest  [][]float64 // by part of the problem, its latest iterate; nil where columns are split
	effort  *record.Effort
	witness testimony
	counts  record.Counts // rows of the run directory, as of the latest state
}

// departure is when a node was last up.
type departure struct {
	node int
	at   sim.Time
}

// rowMetrics measure what nodes publish where rows are split.
type rowMetrics interface {
	Published(shard, t int, at sim.Time, values, inner []float64, loss float64, stats problem.Stats)
	Concluded(node, t int, dual []float64)
	Keep(t *checkpoint.Track)
	Held() metrics.Held
	measurement
}

// measurement is what all metrics of a run have.
type measurement interface {
	Rows() []metrics.Row
	Sent(round int, bytes int64)
	State(c *state.Coder)
}

// recorder makes the observer of a run and, for its metrics, computes the centralised
// optimum; both may be in the journal.
func (e *Experiment) recorder(ctx context.Context, out *outcome, w *record.Writer, j *checkpoint.Journal,
	progress func(metrics.Row)) (*recorder, error) {
	r := &recorder{first: out.First(), writer: w, effort: &out.effort, kinks: e.Problem.NonSmooth(1) != nil}
	r.witness = testimony{liars: out.Liars, lies: map[int]int64{}}
	cause := ""
	if m, ok := out.Method.(algorithms.Diverging); ok {
		cause = m.Diverges()
	}
	if out.Split != nil && !problem.Convex(out.Split.Loss) { // whose minimisers no solver can tell from other points
		unknown := record.Number(math.NaN())
		out.optimum = record.Reference{Objective: unknown, TestError: unknown, TestLoss: unknown}
		r.columns = metrics.NewSplit(out.Split, nil, e.Rounds.Count, progress)
		r.columns.Cause = cause
		r.columns.Keep(j.Track(metricsTrack))
		return r, nil
	}
	if out.Split == nil {
		memory.Room(out.Problem.PooledFootprint())
	}
	value, point, err := optimum(ctx, j, "computing the optimum", func() (float64, []float64, error) {
		if out.Split == nil {
			o, err := out.Problem.Centralised()
			if err != nil {
				return 0, nil, err
			}
			return o.Value, o.F, nil
		}
		o, err := out.Split.Centralised()
		if err != nil {
			return 0, nil, err
		}
		return o.Value, slices.Concat(o.X...), nil
	})
	if err != nil {
		return nil, err
	}
	out.optimum = record.Reference{Objective: record.Number(value), Point: point}
	track := j.Track(metricsTrack)
	if out.Split != nil {
		x := make([][]float64, len(out.Split.Blocks))
		for m, b := range out.Split.Blocks {
			x[m], point = point[:b.D:b.D], point[b.D:]
		}
		logLoss, wrong := out.Split.TestLoss(x)
		out.optimum.TestError, out.optimum.TestLoss = record.Number(wrong), record.Number(logLoss)
		margins := make([]float64, out.Split.N)
		out.Split.Margins(x, margins)
		out.optimum.Fit = metrics.Fits(metrics.FitsOfColumns(out.Split, margins, x))
		out.ridge = ridgeOfColumns(ctx, out.Split, &problem.VerticalOptimum{X: x, Value: value}, e.Problem.Rho)
		r.columns = metrics.NewSplit(out.Split, x, e.Rounds.Count, progress)
		r.columns.Cause = cause
		r.columns.Keep(track)
		return r, nil
	}
	r.latest = make([][]float64, out.parts())
	out.optimum.TestError = record.Number(metrics.TestError(&out.Problem.Test, point))
	out.optimum.TestLoss = record.Number(metrics.TestLoss(out.Problem, point))
	out.optimum.Fit = metrics.Fits(metrics.FitOf(out.Problem, point, out.Problem.Shards...),
		metrics.FitOf(out.Problem, point, out.Problem.Test))
	out.ridge = ridgeOfRows(ctx, j, out.Problem, point, e.Problem.Rho)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if e.Rounds.Mode == "asynchronous" {
		r.rows = metrics.NewRolling(out.Problem, point, progress)
	} else {
		r.rows = metrics.NewCollector(out.Problem, point, e.Rounds.Count, progress)
	}
	r.rows.Keep(track)
	return r, nil
}

// measured are the metrics.
func (r *recorder) measured() measurement {
	if r.columns != nil {
		return r.columns
	}
	return r.rows
}

// left notes that a node is down for good.
func (r *recorder) left(node int, at sim.Time) {
	r.gone = append(r.gone, departure{node, at})
	if c, ok := r.rows.(*metrics.Collector); ok && node >= r.first {
		c.Gone(node-r.first, at)
	}
}

// absent says why no round is measured of a run that all nodes ended that were not gone for good.
func (r *recorder) absent() error {
	var nodes []string
	for part, values := range r.latest {
		if values == nil {
			nodes = append(nodes, fmt.Sprint(part+r.first))
		}
	}
	return fmt.Errorf("no round can be measured, as node %s was gone for good before it published anything",
		strings.Join(nodes, ", "))
}

// Published records an iterate or a message, and measures iterates.
func (r *recorder) Published(p *algorithms.Publication) {
	if r.writer != nil {
		r.writer.Iterate(p.Node, p.Round, p.At, p.Values)
	}
	if r.rows == nil {
		return
	}
	if r.writer != nil {
		r.writer.Step(p.Node, p.Round, p.Began, p.At)
	}
	if p.Part >= 0 {
		r.latest[p.Part] = p.Values
		r.witness.solved(p.Part, p.Stats)
		r.effort.Passes += int64(p.Stats.Evaluations)
		r.effort.Factorisations += int64(p.Stats.Factorisations)
		if p.Stats.Tolerance > 0 {
			r.effort.Solves++
		}
		r.rows.Published(p.Part, p.Round, p.At, p.Values, p.Inner, p.Loss, p.Stats)
	}
}

// Forgets says that all that is measured is of the latest values of nodes, and no others are recorded.
func (r *recorder) Forgets() bool {
	_, latest := r.rows.(*metrics.Rolling)
	return latest && (r.writer == nil || !r.writer.HasIterates())
}

// Concluded measures the dual.
func (r *recorder) Concluded(node, round int, dual []float64) {
	r.rows.Concluded(node-r.first, round, dual)
}

// Ended measures a round over split columns.
func (r *recorder) Ended(c *algorithms.ColumnRound) error {
	r.reached = c.Reached
	if r.kinks {
		r.x = r.x[:0]
		for _, x := range c.X {
			r.x = append(r.x, slices.Clone(x))
		}
	}
	return r.columns.Ended(c.Round, c.At, c.X, c.Gap, c.Residual)
}

// Reported records what a user reported.
func (r *recorder) Reported(user int, at sim.Time, report []float64) {
	if r.writer != nil {
		r.writer.Report(user, at, report)
	}
}

// Stated records what a node sent a neighbour in place of its value.
func (r *recorder) Stated(s *algorithms.Statement) {
	if !s.False {
		return
	}
	r.witness.lies[s.Node]++
	if r.writer != nil {
		r.writer.Lie(s.Node, s.To, s.Round, s.At, s.Values)
	}
}

// sent takes a packet; a duplicate's second copy is recorded but was not sent.
func (r *recorder) sent(p *sim.Packet) {
	if p.ID == r.packet {
		r.packet++
		r.measured().Sent(int(p.Round), p.Bytes)
	}
	r.witness.told(p)
	if r.writer != nil && r.writer.HasMessages() {
		r.writer.Message(record.Message{
			ID: p.ID, Src: p.From, Dst: p.To, Round: p.Round, SentNS: int64(p.Sent), ReceivedNS: int64(p.Received),
			Bytes: p.Bytes, Kind: algorithms.Kinds[p.Kind],
		})
	}
}

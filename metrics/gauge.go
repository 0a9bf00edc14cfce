// What is measured of the iterates that the nodes of a run over split rows hold, with and without lockstep.

package metrics

import (
	"math"
	"slices"

	"overhear/internal/checkpoint"
	"overhear/internal/num"
	"overhear/problem"
)

// widest is the greatest number of nodes whose Spread is computed: it takes a distance for every pair.
const widest = 128

// mostAveraged is the greatest number of nodes whose Averaged is measured: of each of them on the rows of all.
const mostAveraged = 400

// snapshot is what nodes hold that are measured together.
type snapshot struct {
	values    [][]float64 // by node; nil: nothing yet
	inner     [][]float64 // by node; values itself until a method shelters iterates
	apart     bool        // it is a list of its own
	sheltered bool
	losses    []float64 // by node
	residual  float64   // largest of the solves since the last row, NaN if there was none
}

func newSnapshot(nodes int) *snapshot {
	values := make([][]float64, nodes)
	return &snapshot{values: values, inner: values, losses: make([]float64, nodes), residual: math.NaN()}
}

// reset empties a snapshot for another round.
func (s *snapshot) reset() {
	clear(s.values)
	clear(s.inner)
	s.sheltered, s.residual = false, math.NaN()
}

// take enters what a node has published, and the iterate behind it if the method shelters that; else inner is nil.
func (s *snapshot) take(shard int, values, inner []float64, loss float64, stats problem.Stats) {
	if inner != nil {
		s.sheltered = true
		if !s.apart {
			s.inner, s.apart = slices.Clone(s.values), true
		}
	}
	s.values[shard], s.losses[shard] = values, loss
	if s.apart {
		s.inner[shard] = values
		if inner != nil {
			s.inner[shard] = inner
		}
	}
	if stats.Tolerance > 0 {
		if relative := stats.Bound() / stats.Scale; math.IsNaN(s.residual) || relative > s.residual {
			s.residual = relative
		}
	}
}

// present counts the nodes that have published.
func (s *snapshot) present() int {
	n := 0
	for _, f := range s.values {
		if f != nil {
			n++
		}
	}
	return n
}

// gauge measures snapshots of one run.
type gauge struct {
	problem *problem.Problem
	optimum []float64   // f*, a d-vector; nil if unknown
	scale   float64     // ‖f*‖, or 1 if f* is zero
	mean    []float64   // scratch
	diff    []float64   // scratch
	sums    [][]float64 // Σ_k w_i(k) by node, k ≥ 1
	summed  int         // rows that the sums are of; without lockstep the first rows are not among them
	track   *checkpoint.Track
}

func newGauge(p *problem.Problem, optimum []float64) gauge {
	return gauge{problem: p, optimum: optimum, scale: scaleOf(optimum), mean: make([]float64, p.D),
		diff: make([]float64, p.D)}
}

func scaleOf(optimum []float64) float64 {
	if n := num.Norm(optimum); n > 0 {
		return n
	}
	return 1
}

// measure fills a row, summing in order of node over those that have published. Averages over rounds are of all nodes,
// so they begin when all have.
func (g *gauge) measure(row *Row, s *snapshot) {
	present := s.present()
	averages := s.sheltered && row.Round > 0 && present == len(s.values)
	if averages {
		g.add(s.inner)
	}
	row.once(g.track, func() checkpoint.Sum {
		sum := []float64{float64(row.Round), s.residual}
		for i := range s.values {
			sum = append(sum, float64(checkpoint.SumOf(s.values[i], s.inner[i])))
		}
		return checkpoint.SumOf(sum, s.losses)
	}, func() { g.fill(row, s, present, averages) })
}

// fill computes what measure fills in.
func (g *gauge) fill(row *Row, s *snapshot, present int, averages bool) {
	p := g.problem
	n := float64(present)
	clear(g.mean)
	for i, f := range s.values {
		if f == nil {
			continue
		}
		row.Loss += s.losses[i]
		norm := num.Norm(f)
		row.Objective += float64(p.C*s.losses[i]) + float64(0.5*p.R[i]*norm*norm) + p.NonSmooth.Value(f)
		num.Axpy(1, f, g.mean)
	}
	row.Loss /= n
	num.Scale(1/n, g.mean)
	row.Consensus = g.farthest(s.values, g.mean)
	if g.optimum != nil {
		row.Distance = g.farthest(s.values, g.optimum) / g.scale
	}
	z := numbers(&p.Test, g.mean)
	row.TestError, row.TestLoss = p.Test.Wrong(z), p.Test.LogLoss(p.Loss, z)
	row.Train, row.Test = FitOf(p, g.mean, p.Shards...), FitOf(p, g.mean, p.Test)
	row.Residual = s.residual
	if present <= widest {
		row.Spread = 0
		for i, f := range s.inner {
			if f != nil {
				row.Spread = max(row.Spread, g.farthest(s.inner[:i], f))
			}
		}
	}
	if averages && present <= mostAveraged {
		row.Averaged = g.average()
	}
}

// add adds the w_i(t) to their sums.
func (g *gauge) add(inner [][]float64) {
	if g.sums == nil {
		g.sums = make([][]float64, len(inner))
		for i := range g.sums {
			g.sums[i] = make([]float64, g.problem.D)
		}
	}
	g.summed++
	for i, w := range inner {
		num.Axpy(1, w, g.sums[i])
	}
}

// Held is what the nodes of a run over split rows have come to.
type Held struct {
	Last     [][]float64 // by node, what it has before it adds noise to its output; nil: nothing
	Averages [][]float64 // by node, w̄_i(t) = (1/t) Σ_k w_i(k), as averaged_risk has it; nil where that is absent
}

// averages are the w̄_i(t).
func (g *gauge) averages() [][]float64 {
	var all [][]float64
	for _, sum := range g.sums {
		mean := slices.Clone(sum)
		num.Scale(1/float64(g.summed), mean)
		all = append(all, mean)
	}
	return all
}

// average measures them.
func (g *gauge) average() Averaged {
	p := g.problem
	n := float64(len(g.sums))
	var a Averaged
	for _, mean := range g.averages() {
		a.Risk += p.Value(mean) / n
		a.Error += TestError(&p.Test, mean) / n
	}
	return a
}

// farthest is max_i ‖f_i − centre‖ over the nodes that have published.
func (g *gauge) farthest(values [][]float64, centre []float64) float64 {
	worst := 0.0
	for _, f := range values {
		if f == nil {
			continue
		}
		for k := range g.diff {
			g.diff[k] = f[k] - centre[k]
		}
		worst = max(worst, num.Norm(g.diff))
	}
	return worst
}

// Farthest is the metric distance of these nodes only, nil for each that does not count; −1 if none does.
func Farthest(values [][]float64, optimum []float64) float64 {
	if !slices.ContainsFunc(values, func(f []float64) bool { return f != nil }) {
		return -1
	}
	g := gauge{scale: scaleOf(optimum), diff: make([]float64, len(optimum))}
	return g.farthest(values, optimum) / g.scale
}

// TestError is the fraction of a shard's rows that a model puts into a wrong class; NaN for an empty shard, and for one
// whose rows have targets.
func TestError(s *problem.Shard, f []float64) float64 {
	return s.Wrong(numbers(s, f))
}

// TestLoss is the mean log loss of the test rows of a problem; NaN where TestError is, and of a loss that is no model
// of probabilities.
func TestLoss(p *problem.Problem, f []float64) float64 {
	return p.Test.LogLoss(p.Loss, numbers(&p.Test, f))
}

// numbers are the Arguments of a shard's rows; nil where there are none, or these have targets and no classes to tell.
func numbers(s *problem.Shard, f []float64) []float64 {
	n := len(s.Y)
	if n == 0 || s.Targets != nil {
		return nil
	}
	z := make([]float64, n*(len(f)/s.U.D))
	s.Arguments(f, z)
	return z
}

// What theorems prove of the excess risk, beside what is measured on the test rows.

package experiment

import (
	"fmt"
	"math"
	"slices"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
)

// failure is the probability with which a bound on the excess risk may fail.
const failure = 0.05

// excess are the bounds on the excess risk that theorems prove, beside the measured one.
func (e *Experiment) excess(out *outcome) []record.Excess {
	all := []record.Excess{}
	m, ok := out.Method.(algorithms.Generalising)
	if !ok || !e.proves(out) {
		return all
	}
	n := len(out.Problem.Shards)
	start := make([]float64, n)
	for i := range start {
		start[i] = num.Norm(e.Algorithm.Init.Start(out.Seed, i+out.First(), out.Problem.D))
	}
	best, err := leastTestRisk(out.Problem)
	averages := out.held.Averages
	if slices.ContainsFunc(averages, func(w []float64) bool { return w == nil }) {
		averages = nil // a node has not begun
	}
	var limits [][]float64 // the optimum, of which all nodes have the same; nil if it is not found
	if err == nil {
		if limit, missed := m.Limit(out.Seed); missed == nil {
			limits = slices.Repeat([][]float64{limit}, n)
		}
	}
	circumstances := e.circumstances(out)
	for _, t := range m.Generalises(max(out.last.Round, 1), start, failure) {
		x := record.Excess{Theorem: t.Name, Of: record.OfOptimum, Applies: "applies", Failure: failure,
			Bound: record.Number(math.NaN()), Measured: record.Number(math.NaN())}
		of := limits
		if t.Averages {
			x.Of, of = record.OfAverages, averages
		}
		if err == nil && len(of) == n {
			sum := 0.0
			for i, w := range of {
				sum += (testRisk(out.Problem, i, w) - best) / float64(n)
			}
			x.Measured = record.Number(sum)
		}
		switch why := t.Covers(circumstances); {
		case why != nil:
			x.Applies = "does not apply: " + why.Error()
		case t.Reason != "":
			x.Applies = "does not apply: " + t.Reason
		case t.Averages && len(of) != n:
			x.Applies = "does not apply: no round was completed by all nodes"
		case t.Averages && largestNorm(of) > t.Given.Radius:
			x.Applies = fmt.Sprintf("does not apply: in it classifiers are in the ball of radius %.4g, and in this "+
				"run one is of norm %.4g", t.Given.Radius, largestNorm(of))
		default:
			b, g := t.Bound, t.Given
			x.Given = &record.Given{Contraction: record.Number(g.Contraction), Penalty: g.Penalty,
				Convexity: g.Convexity, Radius: g.Radius, LargestLoss: g.LargestLoss}
			x.Bound = record.Number(b.Sum())
			x.Terms = &record.Terms{Rademacher: record.Number(b.Rademacher), Sampling: record.Number(b.Sampling),
				Objective: record.Number(b.Objective), Drift: record.Number(b.Drift), Start: record.Number(b.Start),
				Noise: record.Number(b.Noise)}
		}
		all = append(all, x)
	}
	return all
}

// testRisk is the mean loss of the test rows and node i's ridge.
func testRisk(p *problem.Problem, i int, w []float64) float64 {
	test := *p
	test.Shards, test.R, test.C = []problem.Shard{p.Test}, []float64{p.R[i]}, 1
	return test.Value(w)
}

// leastTestRisk is that of the classifier which is best for the test rows themselves. Its mean over test sets is no
// more than the least risk of any classifier, so that the excess above it is measured too large and not too small.
func leastTestRisk(p *problem.Problem) (float64, error) {
	if p.Test.U.Len() == 0 {
		return 0, fmt.Errorf("there are no test rows")
	}
	test := *p
	test.Shards, test.R, test.C = []problem.Shard{p.Test}, p.R[:1], 1
	o, err := test.Centralised()
	if err != nil {
		return 0, err
	}
	return o.Value, nil
}

func largestNorm(all [][]float64) float64 {
	most := 0.0
	for _, w := range all {
		most = max(most, num.Norm(w))
	}
	return most
}

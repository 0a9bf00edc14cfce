// What is measured of iterates, against sums by hand and inequalities.

package metrics

import (
	"math"
	"testing"

	"overhear/problem"
)

// logistic is two's problem with a loss, so that risks can be measured.
func logistic(t *testing.T) *problem.Problem {
	p := two(t)
	p.Loss = problem.Logistic
	return p
}

// risk is Σ_l O_l(w), by definition.
func risk(p *problem.Problem, w []float64) float64 {
	sum := 0.0
	for l, s := range p.Shards {
		for n := range s.Y {
			margin := 0.0
			cols, vals := s.U.Row(n)
			for k, c := range cols {
				margin += vals[k] * w[c]
			}
			sum += p.C / float64(len(s.Y)) * math.Log(1+math.Exp(-margin))
		}
		sum += p.R[l] / 2 * (w[0]*w[0] + w[1]*w[1])
	}
	return sum
}

// PDML §VI measures w̄_i(t) = (1/t) Σ_{k=1}^t w_i(k), of what the nodes compute and not of what they publish: its risk,
// averaged over nodes, on all rows, and its test error.
func TestAveraged_IsOfTheMeanOfTheShelteredIterates(t *testing.T) {
	p := logistic(t)
	// Node 0's means are (1,0), (0,1) and (0,1); node 1's (−2,0), (0,0) and (1,1).
	w := [][2][]float64{
		{{9, 9}, {-9, 9}}, // round 0 is in no average
		{{1, 0}, {-2, 0}}, {{-1, 2}, {2, 0}}, {{0, 1}, {3, 3}},
	}
	means := [][2][]float64{1: {{1, 0}, {-2, 0}}, 2: {{0, 1}, {0, 0}}, 3: {{0, 1}, {1, 1}}}
	// Of the test rows (1,0)→+1 and (0,1)→−1; a margin of 0 says +1.
	errors := []float64{1: (0.5 + 1) / 2, 2: (0.5 + 0.5) / 2, 3: (0.5 + 0.5) / 2}
	c := NewCollector(p, nil, 3, nil)
	r := NewRolling(p, nil, nil)
	for k := range w {
		for node, inner := range w[k] {
			noisy := []float64{inner[0] + 100, inner[1] - 50}
			c.Published(node, k, 0, noisy, inner, 0, problem.Stats{})
			r.Published(node, k, 0, noisy, inner, 0, problem.Stats{})
		}
	}
	for name, rows := range map[string][]Row{"in lockstep": c.Rows(), "without": r.Rows()} {
		if a := rows[0].Averaged; !math.IsNaN(a.Risk) || !math.IsNaN(a.Error) {
			t.Errorf("%s: %+v of no rounds", name, a)
		}
		best := 0.0 // Σ_{k≤t} of the nodes' mean risk
		for k := 1; k <= 3; k++ {
			got := rows[k].Averaged
			want := (risk(p, means[k][0]) + risk(p, means[k][1])) / 2
			if !(math.Abs(got.Risk-want) <= 1e-13*want && math.Abs(got.Error-errors[k]) <= 1e-15) {
				t.Errorf("%s, round %d: %+v, want risk %v and error %v", name, k, got, want, errors[k])
			}
			// The risk is convex: that of a mean is at most the mean of the risks.
			best += (risk(p, w[k][0]) + risk(p, w[k][1])) / 2
			if !(got.Risk <= best/float64(k)) {
				t.Errorf("%s, round %d: the risk of the averages is %v, above the average risk %v",
					name, k, got.Risk, best/float64(k))
			}
			// The spread is of the w_i too.
			gap := math.Hypot(w[k][0][0]-w[k][1][0], w[k][0][1]-w[k][1][1])
			if !(math.Abs(rows[k].Spread-gap) <= 1e-13) {
				t.Errorf("%s, round %d: the spread is %v, want %v", name, k, rows[k].Spread, gap)
			}
		}
	}
}

func TestAveraged_AbsentWhereNothingIsSheltered(t *testing.T) {
	c := NewCollector(logistic(t), nil, 1, nil)
	for round := range 2 {
		for node := range 2 {
			c.Published(node, round, 0, []float64{1, 2}, nil, 0, problem.Stats{})
		}
	}
	if a := c.Rows()[1].Averaged; !math.IsNaN(a.Risk) || !math.IsNaN(a.Error) {
		t.Errorf("%+v of iterates that are published as they are", a)
	}
}

// crowd is a problem of that many nodes on a line.
func crowd(nodes int) *problem.Problem {
	p := &problem.Problem{D: 1, C: 1, R: make([]float64, nodes), Test: problem.Shard{U: problem.NewRows(1)}}
	p.Shards = make([]problem.Shard, nodes)
	return p
}

// With nodes at 0, 1, …, N−1 the spread is N−1, and consensus is half of it. Above 128 nodes there is no spread.
func TestSpread_UpTo128Nodes(t *testing.T) {
	for _, c := range []struct {
		nodes int
		want  float64
	}{{2, 1}, {127, 126}, {128, 127}, {129, math.NaN()}} {
		m := NewCollector(crowd(c.nodes), nil, 0, nil)
		for i := range c.nodes {
			m.Published(i, 0, 0, []float64{float64(i)}, nil, 0, problem.Stats{})
		}
		row := m.Rows()[0]
		if row.Spread != c.want && !(math.IsNaN(row.Spread) && math.IsNaN(c.want)) {
			t.Errorf("%d nodes: the spread is %v, want %v", c.nodes, row.Spread, c.want)
		}
		if want := float64(c.nodes-1) / 2; !(math.Abs(row.Consensus-want) <= 1e-12) {
			t.Errorf("%d nodes: consensus is %v, want %v", c.nodes, row.Consensus, want)
		}
		if !math.IsNaN(row.TestError) || !math.IsNaN(row.Distance) {
			t.Errorf("%d nodes: %+v without test rows and optimum", c.nodes, row)
		}
	}
}

// Distance is relative to ‖f*‖, and absolute where that is zero.
func TestDistance_Scale(t *testing.T) {
	for _, c := range []struct{ optimum, want float64 }{{0, 3}, {4, 0.25}, {0.5, 5}, {-3, 2}} {
		m := NewCollector(crowd(1), []float64{c.optimum}, 0, nil)
		m.Published(0, 0, 0, []float64{3}, nil, 0, problem.Stats{})
		if got := m.Rows()[0].Distance; !(math.Abs(got-c.want) <= 1e-15) {
			t.Errorf("from 3 to %v it is %v, want %v", c.optimum, got, c.want)
		}
	}
}

// Residual is the largest of a round's solves, relative to their scales, and of solves only.
func TestResidual_IsTheLargestOfTheSolves(t *testing.T) {
	solve := func(residual float64) problem.Stats {
		return problem.Stats{Residual: residual, Scale: 4, Tolerance: 1e-10}
	}
	for name, c := range map[string]struct {
		stats [3]problem.Stats
		want  float64
	}{
		"the first":  {[3]problem.Stats{solve(12), solve(4), solve(8)}, 3},
		"the last":   {[3]problem.Stats{solve(4), solve(8), solve(12)}, 3},
		"hidden":     {[3]problem.Stats{solve(4), {Residual: 4, Hidden: 20, Scale: 4, Tolerance: 1e-10}, {}}, 5},
		"of one":     {[3]problem.Stats{{Residual: 99, Scale: 1}, solve(4), {}}, 1},
		"exact ones": {[3]problem.Stats{solve(0), solve(0), solve(0)}, 0},
		"none":       {[3]problem.Stats{}, math.NaN()},
	} {
		m := NewCollector(crowd(3), nil, 1, nil)
		for round := range 2 { // the second round begins with the memory of the first
			for i, s := range c.stats {
				m.Published(i, round, 0, []float64{0}, nil, 0, s)
			}
		}
		for _, row := range m.Rows() {
			if row.Residual != c.want && !(math.IsNaN(row.Residual) && math.IsNaN(c.want)) {
				t.Errorf("%s: round %d has residual %v, want %v", name, row.Round, row.Residual, c.want)
			}
		}
	}
}

// A round in which nothing is sheltered is measured by what is published, whatever was sheltered before.
func TestCollector_RoundsDoNotMix(t *testing.T) {
	m := NewCollector(logistic(t), nil, 2, nil)
	publish := func(round int, inner []float64) {
		m.Published(0, round, 0, []float64{0, 0}, inner, 0, problem.Stats{})
		m.Published(1, round, 0, []float64{3, 4}, inner, 0, problem.Stats{})
	}
	publish(0, nil)
	publish(1, []float64{7, 7})
	publish(2, nil)
	rows := m.Rows()
	if rows[1].Spread != 0 || math.IsNaN(rows[1].Averaged.Risk) {
		t.Errorf("round 1 shelters equal iterates: %+v", rows[1])
	}
	if rows[2].Spread != 5 || !math.IsNaN(rows[2].Averaged.Risk) {
		t.Errorf("round 2 shelters nothing: %+v", rows[2])
	}
}

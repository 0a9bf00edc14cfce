// A round over split columns measured by hand, and the rule that ends a run which
// diverges.

package metrics

import (
	"math"
	"strings"
	"testing"

	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// halves is a problem of two rows and two parties of one column each, and two test
// rows.
func halves(weight float64) *problem.Vertical {
	column := func(values ...float64) *problem.Rows {
		r := problem.NewRows(1)
		for _, v := range values {
			r.Append([]int32{0}, []float64{v})
		}
		return r
	}
	return &problem.Vertical{
		N: 2, D: 2, Y: []float64{1, -1}, Ridge: 0.2, Weight: weight, Loss: problem.Logistic,
		Blocks:     []*problem.Rows{column(1, 2), column(-1, 0.5)},
		TestBlocks: []*problem.Rows{column(2, 1), column(1, 0)}, TestY: []float64{1, -1},
	}
}

func TestSplit_ByHand(t *testing.T) {
	for _, weight := range []float64{0.5, 1} {
		var ended []Row
		s := NewSplit(halves(weight), [][]float64{{1}, {-1}}, 2, func(r Row) { ended = append(ended, r) })
		s.Sent(0, 100)
		s.Sent(1, 30)
		s.Sent(0, 100)
		s.Sent(2, 7)
		for t, x := range [][][]float64{{{0}, {0}}, {{0.5}, {-1}}, {{1}, {-1}}} {
			if err := s.Ended(t, sim.Time(10*t), x, 0.25*float64(t), 1e-13*float64(t)); err != nil {
				panic(err)
			}
		}
		if len(ended) != 3 || ended[1].Round != 1 {
			t.Fatalf("rounds ended: %v", ended)
		}
		rows := s.Rows()
		// Margins 1.5 and 0.5 for labels +1 and −1; of the test rows 0 and 0.5,
		// of which the first is on the boundary and counts as +1.
		sum := math.Log(1+math.Exp(-1.5)) + math.Log(1+math.Exp(0.5))
		r := rows[1]
		for name, v := range map[string][2]float64{
			"round":          {float64(r.Round), 1},
			"time":           {float64(r.Time), 10},
			"loss":           {r.Loss, sum / 2},
			"objective":      {r.Objective, weight*sum + 0.1*(0.25+1)},
			"test loss":      {r.TestLoss, (math.Log(2) + math.Log(1+math.Exp(0.5))) / 2},
			"test error":     {r.TestError, 0.5},
			"distance":       {r.Distance, 0.5 / math.Sqrt2},
			"consensus":      {r.Consensus, 0.25},
			"residual":       {r.Residual, 1e-13},
			"messages":       {float64(r.Messages), 3},
			"bytes":          {float64(r.Bytes), 230},
			"messages at 0":  {float64(rows[0].Messages), 2},
			"bytes at 0":     {float64(rows[0].Bytes), 200},
			"messages at 2":  {float64(rows[2].Messages), 4},
			"bytes at 2":     {float64(rows[2].Bytes), 237},
			"loss at 0":      {rows[0].Loss, math.Log(2)},
			"objective at 0": {rows[0].Objective, 2 * weight * math.Log(2)},
			"distance at 0":  {rows[0].Distance, 1},
			"distance at 2":  {rows[2].Distance, 0},
			"ended":          {ended[1].Loss, r.Loss},
		} {
			if !(math.Abs(v[0]-v[1]) <= 1e-14*max(1, math.Abs(v[1]))) { // NaN is wrong
				t.Errorf("weight %v: %s is %v, want %v", weight, name, v[0], v[1])
			}
		}
		for name, v := range map[string]float64{
			"privacy loss": r.PrivacyLoss, "dual sum": r.DualSum, "spread": r.Spread,
			"risk": r.Averaged.Risk, "error": r.Averaged.Error,
		} {
			if !math.IsNaN(v) {
				t.Errorf("%s is %v where there is none", name, v)
			}
		}
		if again := s.Rows()[2]; again.Messages != 4 || again.Bytes != 237 {
			t.Errorf("asked twice, the traffic is %d messages, %d bytes", again.Messages, again.Bytes)
		}
	}
}

func TestSplit_WithoutTestRowsOrOptimum(t *testing.T) {
	p := halves(1)
	p.TestBlocks, p.TestY = []*problem.Rows{problem.NewRows(1), problem.NewRows(1)}, nil
	s := NewSplit(p, nil, 1, nil)
	if err := s.Ended(0, 0, [][]float64{{1}, {2}}, math.NaN(), math.NaN()); err != nil {
		t.Fatal(err)
	}
	r := s.Rows()[0]
	for _, v := range []float64{r.TestLoss, r.TestError, r.Distance, r.Consensus, r.Residual} {
		if !math.IsNaN(v) {
			t.Errorf("%+v", r)
		}
	}
	// An optimum at zero: the distance is absolute.
	s = NewSplit(halves(1), [][]float64{{0}, {0}}, 1, nil)
	if err := s.Ended(0, 0, [][]float64{{3}, {4}}, 0, 0); err != nil || s.Rows()[0].Distance != 5 {
		t.Errorf("distance %v, %v", s.Rows()[0].Distance, err)
	}
}

func TestSplit_DivergesAfterFiveRoundsOfGrowthAboveTenTimesTheStart(t *testing.T) {
	// With λ = 0.2 and x = (s, 0) the objective is about 0.1 s²: 10 times the start
	// at s ≈ 8.
	run := func(sizes ...float64) (round int, err error) {
		s := NewSplit(halves(0.5), nil, len(sizes)+1, nil)
		if err := s.Ended(0, 0, [][]float64{{0}, {0}}, 0, 0); err != nil {
			t.Fatal(err)
		}
		for k, v := range sizes {
			if err := s.Ended(k+1, 0, [][]float64{{v}, {v / 2}}, 0, 0); err != nil {
				return k + 1, err
			}
		}
		return 0, nil
	}
	for name, c := range map[string]struct {
		sizes []float64
		round int
	}{
		"five rounds of growth":         {[]float64{20, 21, 22, 23, 24, 25}, 5},
		"four rounds of growth":         {[]float64{20, 21, 22, 23}, 0},
		"a dip begins again":            {[]float64{20, 21, 22, 23, 22, 23, 24, 25, 26, 27}, 10},
		"a standstill begins again":     {[]float64{20, 21, 22, 23, 23, 24, 25, 26, 27}, 0},
		"growth below ten times":        {[]float64{1, 1.5, 2, 2.5, 3, 3.5, 4}, 0},
		"growth counts above ten times": {[]float64{1, 2, 3, 20, 21, 22, 23, 24}, 8},
	} {
		if round, err := run(c.sizes...); round != c.round {
			t.Errorf("%s: ends in round %d, want %d: %v", name, round, c.round, err)
		}
	}
	_, err := run(20, 21, 22, 23, 24)
	for _, want := range []string{"diverges", "in round 5", "grown for 5 rounds", "party 1", "norm 24"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// steep is a problem of one row whose objective at x is ½(1−x)² + 3x²: ½ at 0, and ten times that at −1 exactly.
func steep() *problem.Vertical {
	rows := problem.NewRows(1)
	rows.Append([]int32{0}, []float64{1})
	return &problem.Vertical{
		N: 1, D: 1, Y: []float64{1}, Ridge: 6, Weight: 1, Loss: problem.Squared,
		Blocks: []*problem.Rows{rows}, TestBlocks: []*problem.Rows{problem.NewRows(1)},
	}
}

// diverges says in which round a run through those coefficients ends as divergent, 0 if in none.
func diverges(t *testing.T, x ...float64) (round int, err error) {
	t.Helper()
	s := NewSplit(steep(), nil, len(x), nil)
	for round, v := range x {
		if err := s.Ended(round, 0, [][]float64{{v}}, 0, 0); err != nil {
			return round, err
		}
	}
	return 0, nil
}

func TestSplit_TenTimesTheStartIsNotAbove(t *testing.T) {
	if round, err := diverges(t, 0, -1, -1.1, -1.2, -1.3, -1.4, -1.5); round != 6 {
		t.Errorf("from ten times the start in round 1 it grows five times above, and ends in round %d: %v", round, err)
	}
}

// A run that stays above ten times its start for 50 rounds has diverged, growing or not; a visit below begins again.
func TestSplit_DivergesAfterFiftyRoundsFarAboveTheStart(t *testing.T) {
	cycle := func(rounds int) []float64 { // between 5.8 and 7.4, never growing twice in a row
		x := make([]float64, rounds)
		for k := range x {
			x[k] = -1.1 - 0.1*float64(k%2)
		}
		return x
	}
	far := append([]float64{0}, cycle(49)...)
	if round, err := diverges(t, far...); round != 0 {
		t.Errorf("49 rounds far above the start end in round %d: %v", round, err)
	}
	round, err := diverges(t, append(far, cycle(9)...)...)
	if round != 50 || err == nil || !strings.Contains(err.Error(), "has been far above it for 50 rounds") {
		t.Errorf("50 rounds far above the start end in round %d: %v", round, err)
	}
	if want := "the objective is 5.835, 11.7 times its start"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("at x = −1.1 the objective is ½·2.1² + 3·1.1²: %v", err)
	}
	again := append(append(append([]float64{}, far...), 0), cycle(60)...)
	if round, err := diverges(t, again...); round != 100 {
		t.Errorf("after a visit below in round 50 it ends in round %d: %v", round, err)
	}
}

// Where the loss is not convex a row has the gradient's norm, over c max|L′| times the sum of the rows' lengths, and no
// distance; progress is told from it.
func TestSplit_StationarityByHand(t *testing.T) {
	for _, weight := range []float64{0.5, 1} {
		p := halves(weight)
		p.Loss = problem.Sigmoid
		s := NewSplit(p, nil, 1, nil)
		if err := s.Ended(0, 0, [][]float64{{0.5}, {-1}}, 0, 0); err != nil {
			t.Fatal(err)
		}
		r := s.Rows()[0]
		// Margins 1.5 and 0.5 of z, −0.5 of the label −1; L′(w) = −σ(w)σ(−w).
		slope := func(w float64) float64 { return -1 / (1 + math.Exp(w)) / (1 + math.Exp(-w)) }
		first, second := slope(1.5), -slope(-0.5)
		g := math.Hypot(weight*(first+2*second)+0.2*0.5, weight*(-first+0.5*second)-0.2)
		want := g / (weight * 0.25 * (math.Sqrt2 + math.Sqrt(4.25)))
		if !(math.Abs(r.Stationarity-want) <= 1e-14) || !math.IsNaN(r.Distance) {
			t.Errorf("weight %v: stationarity %v, by hand %v; distance %v", weight, r.Stationarity, want, r.Distance)
		}
		sum := 1/(1+math.Exp(1.5)) + 1/(1+math.Exp(-0.5))
		if !(math.Abs(r.Loss-sum/2) <= 1e-14) {
			t.Errorf("the loss is %v, by hand %v", r.Loss, sum/2)
		}
	}
	rows := make([]Row, 60)
	for k := range rows {
		rows[k] = newRow(k)
		rows[k].Stationarity = math.Pow(0.8, float64(k))
	}
	if c := Converge(rows, false); c.State != record.Converged || c.Of != record.OfGradient ||
		!(math.Abs(float64(c.Factor)-0.8) <= 1e-9) {
		t.Errorf("%+v", c)
	}
	for k := range rows {
		rows[k].Distance = 1 + 1/float64(k+1) // a run that has both is measured by its distance
	}
	if c := Converge(rows, false); c.State == record.Converged || c.Of != "" {
		t.Errorf("%+v", c)
	}
}

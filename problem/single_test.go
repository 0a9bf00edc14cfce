// Objectives without a ridge: optima against references of scipy, and what has none.

package problem

import (
	"math"
	"strings"
	"testing"

	"overhear/sim"
)

// without is the problem of the 75 rows of targets_test.go or classes_test.go over three nodes, with no ridge.
func without(loss Loss) *Problem {
	set, d, k := predicted(), 4, 0
	if _, ok := loss.(Joint); ok {
		set, d, k = classified(), 12, 3
	}
	p := &Problem{D: d, K: k, Loss: loss, C: 1.5, R: make([]float64, 3)}
	from := 0
	for _, n := range []int{30, 25, 20} {
		p.Shards = append(p.Shards, NewShard(set, rowsFrom(from, n)))
		from += n
	}
	return p
}

// The optima are numpy 1.24's: the normal equations, and Newton's method until the gradient is below 1e-16, with which
// scipy 1.10's trust-exact and hybr agree to 1e-7.
func TestSingle_TheOptimumWithoutARidgeIsScipys(t *testing.T) {
	for _, c := range []struct {
		loss Loss
		f    []float64
	}{
		{LeastSquares, []float64{2.1929162952902947, 0.28673825102368306, 0.5334035074812961, 0.09660925922571}},
		{Huber{0.5}, []float64{2.3012778164460763, -0.9818648009106152, 0.662544932874675, 0.016895766940603383}},
		{OneVsRest{Each: Logistic, K: 3}, []float64{11.479264081033318, -7.848368395101862, 6.581300138121723,
			-1.4382322343996412, -4.248051098664494, 1.257904748395793, 3.618345771877269, 0.6274144672996457,
			-2.1216546893353057, 1.2263953913221486, -8.735393500280287, 0.04371973312850214}},
	} {
		p := without(c.loss)
		if err := p.Single(nil); err != nil {
			t.Fatalf("%T: %v", c.loss, err)
		}
		o, err := p.Centralised()
		if err != nil {
			t.Fatal(err)
		}
		for k, f := range o.F {
			if !(math.Abs(f-c.f[k]) <= 1e-8) {
				t.Errorf("%T: coefficient %d is %v, scipy's %v", c.loss, k, f, c.f[k])
			}
		}
	}
}

// rowsOf is a problem of one node, with classes ±1 of given rows.
func rowsOf(loss Loss, rows [][]float64, y []float64) *Problem {
	set := &Set{X: NewRows(len(rows[0])), Y: y}
	cols := []int32{0, 1, 2}[:len(rows[0])]
	for _, x := range rows {
		set.X.Append(cols, x)
	}
	return &Problem{D: len(cols), Loss: loss, C: 2, R: []float64{0}, Shards: []Shard{NewShard(set, rowsFrom(0,
		len(rows)))}}
}

// A model that tells all rows apart, or all but those on its boundary, has no largest copy of itself; one row more that
// it does not tell apart makes an optimum. The nearly separable rows have margins from 10 to −10⁻³.
func TestSingle_SeparableRowsHaveNoOptimum(t *testing.T) {
	s := sim.NewStream(5, "rows")
	var rows [][]float64
	var y []float64
	for i := range 60 {
		side := float64(1 - 2*(i%2))
		rows, y = append(rows, []float64{side * s.Between(0.1, 1), s.Between(-1, 1), 1}), append(y, side)
	}
	apart := rowsOf(Logistic, rows, y)
	if err := apart.Single(nil); err == nil || !strings.Contains(err.Error(), "tells the classes of all rows apart") {
		t.Errorf("separable: %v", err)
	}
	// On the boundary, in both classes: the other columns are then determined, the first falls without end.
	half, halfY := append([][]float64(nil), rows...), append([]float64(nil), y...)
	for i := range 20 {
		half, halfY = append(half, []float64{0, s.Between(-1, 1), 1}), append(halfY, float64(1-2*(i%2)))
	}
	if err := rowsOf(Logistic, half, halfY).Single(nil); err == nil ||
		!strings.Contains(err.Error(), "or of all but those on its boundary") {
		t.Errorf("separable but for the boundary: %v", err)
	}
	mixed, mixedY := append(half, []float64{-1e-3, 0.1, 1}), append(halfY, 1)
	p := rowsOf(Logistic, mixed, mixedY)
	if err := p.Single(nil); err != nil {
		t.Fatalf("one row on the wrong side: %v", err)
	}
	o, err := p.Centralised()
	if err != nil || !(gradientNorm(p, o.F) <= 1e-9) {
		t.Errorf("its optimum: %v, gradient %v", err, gradientNorm(p, o.F))
	}
	// The squared loss has an optimum for all of them, and a ball makes one of the logistic loss's.
	for _, c := range []*Problem{rowsOf(Squared, rows, y), apart} {
		if c.Loss == Logistic {
			c.NonSmooth = NewNonSmooth(0, 0, Region{Kind: "ball", Radius: 3})
		}
		if err := c.Single(nil); err != nil {
			t.Errorf("%T: %v", c.Loss, err)
		}
	}
	apart.R[0] = 1e-9
	if apart.NonSmooth = nil; apart.Single(nil) != nil {
		t.Error("with a ridge there is one")
	}
}

// Columns that depend on others are named; softmax has no single optimum, nor has a loss whose rows are all beyond its
// bends.
func TestSingle_SaysWhatIsInTheWay(t *testing.T) {
	s := sim.NewStream(5, "rows")
	var rows [][]float64
	var y []float64
	for i := range 40 {
		a := s.Between(-1, 1)
		rows, y = append(rows, []float64{a, 1 - a, 1}), append(y, float64(1-2*(i%2)))
	}
	err := rowsOf(Logistic, rows, y).Single([]string{"young", "old", "intercept"})
	if err == nil || !strings.Contains(err.Error(), "have rank 2 in 3 columns") ||
		!strings.Contains(err.Error(), "drop these columns") || strings.Contains(err.Error(), "number") {
		t.Errorf("dependent columns: %v", err)
	}
	if err := without(Softmax{}).Single(nil); err == nil || !strings.Contains(err.Error(), "added to the blocks") {
		t.Errorf("softmax: %v", err)
	}
	// Two targets as far apart as the check loss's width allows nothing between: every model between them is optimal.
	p := rowsOf(Quantile{0.5, 0.1}, [][]float64{{1}, {1}}, []float64{1, 1})
	p.Shards[0].Targets = []float64{-1, 1}
	if err := p.Single(nil); err == nil || !strings.Contains(err.Error(), "the loss is flat") {
		t.Errorf("a flat loss: %v", err)
	}
	if err := without(LeastSquares).SingleAt(1); err != nil {
		t.Errorf("a node of 25 rows: %v", err)
	}
	if err := rowsOf(Logistic, rows[:2], y[:2]).SingleAt(0); err == nil || !strings.Contains(err.Error(), "rank 2") {
		t.Errorf("two rows of three columns: %v", err)
	}
}

// A planted error: without the look at Newton's step a solver's stop far out passes for an optimum.
func TestSingle_ASmallGradientIsNoOptimum(t *testing.T) {
	p := rowsOf(Logistic, [][]float64{{1, 0.2}, {-1, 0.3}, {0.8, -1}, {-0.7, 0.4}}, []float64{1, -1, 1, -1})
	o := p.pooled()
	x := make([]float64, 2)
	stats, err := NewSolver(o, 1e-9).Solve(NewScratch(2, 4), x, make([]float64, 2), 0)
	if err != nil || !(stats.Residual <= 1e-9) {
		t.Fatalf("the solver sees it itself: %v", err)
	}
	if p.Single(nil) == nil {
		t.Errorf("the gradient is %v at %v, and that is taken for an optimum", stats.Residual, x)
	}
}

// A loss that bends in few rows has one optimum where these determine the model, though Newton's method starts where no
// row bends: the limit of those with a ridge that vanishes.
func TestSingle_LossesThatBendInFewRowsHaveAnOptimum(t *testing.T) {
	s := sim.NewStream(7, "rows")
	var rows [][]float64
	var y, ones, targets []float64
	for range 300 {
		a, b := s.Between(-1, 1), s.Between(-1, 1)
		label := 1.0
		if a+0.5*b+s.Between(-0.8, 0.8) < 0 {
			label = -1
		}
		rows, y, ones = append(rows, []float64{a, b, 1}), append(y, label), append(ones, 1)
		targets = append(targets, 0.3*a-0.2*b+0.1+0.1*s.Between(-1, 1)*s.Between(-1, 1))
	}
	for _, loss := range []Loss{HuberHinge{0.5}, HuberHinge{0.1}, Quantile{0.5, 0.05}, Quantile{0.9, 0.01},
		Quantile{0.8, 0.005}, Huber{0.02}, Huber{0.002}} {
		p := rowsOf(loss, rows, y)
		if _, ok := loss.(HuberHinge); !ok {
			p = rowsOf(loss, rows, ones)
			p.Shards[0].Targets = targets
		}
		if err := p.Single(nil); err != nil {
			t.Errorf("%#v: %v", loss, err)
			continue
		}
		o, err := p.Centralised()
		if err != nil {
			t.Errorf("%#v: %v", loss, err)
			continue
		}
		p.R[0] = 1e-9
		ridged, err := p.Centralised()
		if err != nil {
			t.Fatal(err)
		}
		for k, f := range o.F {
			if !(math.Abs(f-ridged.F[k]) <= 1e-6) {
				t.Errorf("%#v: coefficient %d is %v, with a ridge of 1e-9 %v", loss, k, f, ridged.F[k])
			}
		}
	}
}

// An interval of optima is refused also where the solver comes to its end, at which the rows still bend.
func TestSingle_AtTheEndOfAnIntervalOfOptima(t *testing.T) {
	for _, c := range []struct {
		targets []float64
		one     bool
	}{{[]float64{0.05, 6}, false}, {[]float64{4, 6}, false}, {[]float64{-4, -6}, false},
		{[]float64{4, 4.15}, true}, {[]float64{4, 5, 6}, true}} {
		var rows [][]float64
		var y []float64
		for range c.targets {
			rows, y = append(rows, []float64{1}), append(y, 1)
		}
		p := rowsOf(Quantile{0.5, 0.1}, rows, y)
		p.Shards[0].Targets = c.targets
		err := p.Single(nil)
		if c.one && err != nil || !c.one && (err == nil || !strings.Contains(err.Error(), "the loss is flat")) {
			t.Errorf("%v: %v", c.targets, err)
		}
	}
}

// Rows with targets: losses, optima against references of scipy, readers, preparation.

package problem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/internal/num"
	"overhear/sim"
)

// predicted are 75 rows of four columns with targets, of which every tenth is far off, that are written down as easily
// in another language.
func predicted() *Set {
	set := &Set{Name: "predicted", X: NewRows(4), Columns: []string{"a", "b", "c", "d"}, Unit: 1}
	for i := range 75 {
		var x [4]float64
		for k := range x {
			x[k] = float64((37*i+101*k*k+11*i*k)%97)/97 - 0.5
		}
		t := 2*x[0] - x[1] + 0.5*x[2] + float64((53*i)%89)/89 - 0.5
		if i%10 == 0 {
			t += 4
		}
		set.X.Append([]int32{0, 1, 2, 3}, x[:])
		set.Y, set.Targets = append(set.Y, 1), append(set.Targets, t)
	}
	return set
}

// references are minimisers of Σ_i (C/B_i) Σ_n L(f·x_n − t_n) + ½ r_i ‖f‖² on these rows, over three nodes of 30, 25
// and 20 rows, C = 1.5 and r = 0.01, 0.02, 0.03, and its least values. They are of numpy 1.24 and scipy 1.10: the
// normal equations; hybr on the gradient of scipy.special.huber, and of the check loss averaged by quadrature.
var references = []struct {
	loss  Loss
	f     []float64
	value float64
}{
	{LeastSquares, []float64{1.8956703716031154, 0.26735009066822224, 0.4652823762506589, 0.09308335008091882},
		4.279361760812046},
	{Huber{0.5}, []float64{1.9301878182923935, -0.796353899064676, 0.5618036567714966, 0.010767619391168305},
		1.2649280952445996},
	{Quantile{0.8, 0.3}, []float64{1.9403986939037867, -0.746484062089761, 0.5579454618232262, -0.0670760737591291},
		2.2885586950416186},
}

// rowsFrom are the numbers from a on, so many.
func rowsFrom(a, n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = a + k
	}
	return all
}

func predictedProblem(loss Loss) *Problem {
	set := predicted()
	return &Problem{D: 4, Loss: loss, C: 1.5, R: []float64{0.01, 0.02, 0.03}, Unit: 1, Test: NewShard(set, nil),
		Shards: newShards(set, [][]int{rowsFrom(0, 30), rowsFrom(30, 25), rowsFrom(55, 20)})}
}

func TestTargets_OptimumIsThatOfScipy(t *testing.T) {
	for _, want := range references {
		p := predictedProblem(want.loss)
		got, err := p.Centralised()
		if err != nil {
			t.Fatal(err)
		}
		for k := range got.F {
			if !(math.Abs(got.F[k]-want.f[k]) <= 1e-10) {
				t.Errorf("%T: coefficient %d is %v, scipy's %v", want.loss, k, got.F[k], want.f[k])
			}
		}
		if !(math.Abs(got.Value-want.value) <= 1e-10) {
			t.Errorf("%T: the objective is %v, scipy's %v", want.loss, got.Value, want.value)
		}
		// What is planted: the targets left out, and one of them changed.
		for i := range p.Shards {
			p.Shards[i].Targets = nil
		}
		if without, err := p.Centralised(); err != nil || !(math.Abs(without.F[0]-want.f[0]) > 1e-3) {
			t.Errorf("%T: the optimum does not depend on the targets (%v)", want.loss, err)
		}
	}
}

// The same of a mean over rows whose columns are split over two parties, with λ = 0.05.
func TestTargets_OptimumOverSplitColumnsIsThatOfScipy(t *testing.T) {
	for _, want := range []struct {
		loss  Loss
		f     []float64
		value float64
	}{
		{LeastSquares, []float64{1.2873534410617973, 0.20801351300159604, 0.16745507366429316, 0.06419615516693111},
			0.990634177582875},
		{Huber{0.5}, []float64{1.1787482143422259, -0.4266197551835623, 0.25214077530501483, 0.028473085257022815},
			0.33082142972651096},
	} {
		v, err := SplitColumns(predicted(), []int{1, 3}, rowsFrom(0, 75), nil, want.loss, "mean", 0.05)
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Centralised()
		if err != nil {
			t.Fatal(err)
		}
		for k, f := range append(got.X[0], got.X[1]...) {
			if !(math.Abs(f-want.f[k]) <= 1e-10) {
				t.Errorf("%T: coefficient %d is %v, scipy's %v", want.loss, k, f, want.f[k])
			}
		}
		if !(math.Abs(got.Value-want.value) <= 1e-10) {
			t.Errorf("%T: the objective is %v, scipy's %v", want.loss, got.Value, want.value)
		}
	}
}

// The check loss, averaged over a step that is uniform in [−0.3, 0.3] by scipy.integrate.quad.
func TestQuantile_IsTheSmoothedCheckLoss(t *testing.T) {
	q := Quantile{Level: 0.8, Width: 0.3}
	for z, want := range map[float64]float64{-2: 1.6, -0.3: 0.24, -0.1: 0.11333333333333336, 0: 0.075,
		0.2: 0.048333333333333325, 0.3: 0.06, 1.7: 0.34} {
		if got := q.Total([]float64{z}, nil); !(math.Abs(got-want) <= 1e-14) {
			t.Errorf("at %v: %v, want %v", z, got, want)
		}
	}
}

// Slopes are differences of totals, curvatures of slopes; neither is above its bound, and the bound on slopes is the
// least one.
func TestLosses_DerivativesAndBounds(t *testing.T) {
	for _, l := range []Loss{Logistic, Squared, HuberHinge{0.5}, LeastSquares, Huber{0.5}, Huber{2}, Quantile{0.8, 0.3},
		Quantile{0.1, 1}} {
		const h = 1e-6
		steepest := 0.0
		for k := range 400 {
			z := float64(k-200)*0.0317 + 0.0042 // off the corners
			three := []float64{z - h, z, z + h}
			slopes, bends := make([]float64, 3), make([]float64, 3)
			l.Slopes(slopes, three)
			l.Curvatures(bends, three)
			total := func(z float64) float64 {
				s := make([]float64, 1)
				l.Slopes(s, []float64{z})
				return l.Total([]float64{z}, s)
			}
			if d := (total(z+h) - total(z-h)) / (2 * h); !(math.Abs(d-slopes[1]) <= 1e-7) {
				t.Errorf("%T at %v: the slope is %v, the difference %v", l, z, slopes[1], d)
			}
			if d := (slopes[2] - slopes[0]) / (2 * h); !(math.Abs(d-bends[1]) <= 1e-7) {
				t.Errorf("%T at %v: the curvature is %v, the difference %v", l, z, bends[1], d)
			}
			if !(bends[1] >= 0 && bends[1] <= l.Bound()) {
				t.Errorf("%T at %v: the curvature %v is not between 0 and %v", l, z, bends[1], l.Bound())
			}
			steepest = math.Max(steepest, math.Abs(slopes[1]))
		}
		if bounded := Bounded(l); bounded && !(steepest <= l.Steepest() && steepest >= 0.99*l.Steepest()) ||
			!bounded && !(steepest > 5) {
			t.Errorf("%T: the steepest slope found is %v, said to be %v", l, steepest, l.Steepest())
		}
	}
}

// Newton with a factor of the columns' order, of the rows' order, and L-BFGS, end where a gradient that is computed in
// another way is zero.
func TestTargets_EverySolverEndsAtTheMinimiser(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 8))
	for _, size := range []struct{ rows, d int }{{60, 7}, {20, 80}, {maxNewton + 30, maxNewton + 10}} {
		for _, loss := range []Loss{LeastSquares, Huber{0.5}, Quantile{0.3, 0.2}} {
			o := randomObjective(g, size.rows, size.d, loss, 0.1, false)
			o.Targets = make([]float64, size.rows)
			for n := range o.Targets {
				o.Targets[n] = 3 * g.NormFloat64()
			}
			f, q := make([]float64, size.d), normals(g, size.d)
			if _, err := NewSolver(o, 0).Solve(NewScratch(size.d, size.rows), f, q, 0.2); err != nil {
				t.Fatal(err)
			}
			if r := num.Norm(gradient(o, f, q, 0.2)); !(r <= 1.1e-10*math.Max(1, num.Norm(q))) {
				t.Errorf("%T, %d × %d: the gradient is %v", loss, size.rows, size.d, r)
			}
		}
	}
}

// The hub's scalar problems with targets.
func TestTargets_HubStep(t *testing.T) {
	g := rand.New(rand.NewPCG(4, 4))
	const n, c, rho = 200, 0.7, 0.3
	ones := make([]float64, n)
	for k := range ones {
		ones[k] = 1
	}
	for loss, slope := range map[Loss]func(float64) float64{
		LeastSquares:       func(z float64) float64 { return z },
		Huber{0.5}:         func(z float64) float64 { return math.Max(-0.5, math.Min(0.5, z)) },
		Quantile{0.9, 0.1}: func(z float64) float64 { return 0.5*math.Max(-1, math.Min(1, z/0.1)) - 0.4 },
	} {
		z, y, p, targets := normals(g, n), normals(g, n), normals(g, n), normals(g, n)
		if r := HubStep(z, y, p, ones, targets, rho, c, loss, NewHubScratch(n)); !(r <= 1e-12) {
			t.Errorf("%T: residual %v", loss, r)
		}
		for k := range z {
			want := bisect(func(z float64) float64 { return c*slope(z-targets[k]) - y[k] - rho*(p[k]-z) })
			if !(math.Abs(z[k]-want) <= 1e-11) {
				t.Fatalf("%T: z is %v, want %v", loss, z[k], want)
			}
		}
	}
}

// A column of numbers is kept as it is, by every reader.
func TestReaders_KeepTargets(t *testing.T) {
	want := []float64{10.5, -3, 0}
	for name, read := range map[string]func() (*Set, *Reading, error){
		"csv": func() (*Set, *Reading, error) {
			return Source{CSV: "f", Target: "price"}.readCSV(t.Context(), "f",
				[]byte("a,price,b\n1,10.5,x\n2,-3,y\n3,0,x\n"))
		},
		"csv by number": func() (*Set, *Reading, error) {
			return Source{CSV: "f", Target: "1", Decimal: ","}.readCSV(t.Context(), "f",
				[]byte("a;price;b\n1;10,5;x\n2;-3;y\n3;0;x\n"))
		},
		"libsvm": func() (*Set, *Reading, error) {
			return Source{LIBSVM: "f", Target: "first"}.readLIBSVM(t.Context(), "f",
				[]byte("10.5 1:1\n-3 1:2 2:1\n+0 1:3\n"))
		},
		"raetsch": func() (*Set, *Reading, error) {
			return Source{Raetsch: "f", Target: "first"}.readRaetsch(t.Context(), "f",
				[]byte("10.5 1 2\n-3 2 2\n0 3 2\n"))
		},
	} {
		set, reading, err := read()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if fmt.Sprint(set.Targets) != fmt.Sprint(want) || fmt.Sprint(set.Y) != "[1 1 1]" {
			t.Errorf("%s: targets %v, classes %v", name, set.Targets, set.Y)
		}
		if r := reading.Target; r == nil || r.Least != -3 || r.Greatest != 10.5 || len(reading.Classes) > 0 {
			t.Errorf("%s: the reading says %+v", name, reading)
		}
	}
}

// What is not a number, or the same in all rows, is no target.
func TestReaders_RefuseTargets(t *testing.T) {
	for text, want := range map[string]string{
		"a,t\n1,2.5\n2,high\n3,4\n4,5\n": `f:3:3: "high" is not a number, and column t is the target`,
		"a,t\n1,7\n2,7\n":                "the target is 7 in all of 2 rows",
		"a,t\n1,1e999\n2,7\n":            `"1e999"`,
		"a,b\n1,7\n2,7\n":                `target: there is no column "t"`,
		"a,t\n1,\n2,\n":                  "column t, the target, has no value in any row",
	} {
		_, _, err := Source{CSV: "f", Target: "t"}.readCSV(t.Context(), "f", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, _, err := (Source{LIBSVM: "f", Target: "first"}).readLIBSVM(
		t.Context(), "f", []byte("x 1:1\n")); err == nil ||
		!strings.Contains(err.Error(), "f:1:1:") || !strings.Contains(err.Error(), "the target") {
		t.Errorf("libsvm: %v", err)
	}
}

// A row whose target is missing is dropped.
func TestReaders_DropRowsWithoutTarget(t *testing.T) {
	set, reading, err := Source{CSV: "f", Target: "t"}.readCSV(t.Context(), "f", []byte("a,t\n1,2.5\n2,NA\n3,4\n"))
	if err != nil || fmt.Sprint(set.Targets) != "[2.5 4]" || set.X.Len() != 2 || reading.RowsDropped != 1 {
		t.Errorf("%v, %+v, %v", set, reading, err)
	}
}

func TestScale_OfTargets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte("a,t\n1,20\n-2,-40\n4,100\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	source := Source{CSV: path, Target: "t"}
	raw, _, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := Scale{Columns: "max", Rows: "max", Target: "max", Intercept: true}
	if !s.OfTraining(source) || !(Scale{Columns: "none", Rows: "none", Target: "max"}).OfTraining(source) ||
		(Scale{Columns: "none", Rows: "none", Target: "none"}).OfTraining(source) {
		t.Error("whether scaling depends on the training rows")
	}
	set := s.Apply(raw, []int{0, 1})
	if fmt.Sprint(set.Targets, set.Unit) != "[0.5 -1 2.5] 40" || fmt.Sprint(raw.Targets) != "[20 -40 100]" {
		t.Errorf("targets %v in units of %v; of the file %v", set.Targets, set.Unit, raw.Targets)
	}
	// The longest training row is (−1, 1), and all are divided by √2, the test row (2, 1), too.
	for i, want := range [][]float64{{0.5, 1}, {-1, 1}, {2, 1}} {
		_, row := set.X.Row(i)
		for k := range row {
			if !(math.Abs(row[k]-want[k]/math.Sqrt2) <= 1e-15) {
				t.Errorf("row %d is %v", i, row)
			}
		}
	}
	r := set.Reading
	const want = "columns divided by their largest values in the 2 training rows, none of the 1 test row; all rows " +
		"divided by the largest length in these rows; targets divided by 40, their largest absolute value in these rows"
	if r.Scaling != want || r.Target.Unit != 40 || !r.FromRows() || !strings.Contains(r.Uncovered(), "targets'") {
		t.Errorf("said: %s\n%+v; %s", r.Scaling, r.Target, r.Uncovered())
	}
	if _, said := (Scale{Columns: "none", Rows: "clip", Target: "none"}).Says(set, nil); !strings.Contains(said,
		"linear in the columns is not so") || !strings.Contains(said, "targets as they are") {
		t.Error(said)
	}
}

// The generator's noise is what it says: the errors of the least squares fit have its variance.
func TestLinear_HasItsNoise(t *testing.T) {
	const n = 20000
	set, err := Source{Set: "linear", Rows: n, Dimension: 6}.Load(t.Context(), "", sim.NewStream(9, "data"))
	if err != nil {
		t.Fatal(err)
	}
	p := &Problem{D: 6, Loss: LeastSquares, C: 1, R: []float64{1e-12}, Shards: newShards(set, [][]int{rowsFrom(0, n)})}
	o, err := p.Centralised()
	if err != nil {
		t.Fatal(err)
	}
	rms := math.Sqrt(2 * p.Value(o.F))
	if !(math.Abs(rms-linearNoise) <= 5*linearNoise/math.Sqrt(2*n)) {
		t.Errorf("the residuals' root mean square is %v, the noise's %v", rms, linearNoise)
	}
	for i := range set.X.Len() {
		if _, row := set.X.Row(i); !(num.Norm(row) <= 1) {
			t.Fatalf("row %d has norm %v", i, num.Norm(row))
		}
	}
}

func TestLossSpec_Suits(t *testing.T) {
	for kind, with := range map[string][2]bool{"logistic": {true, false}, "huber-hinge": {true, false},
		"squared": {true, true}, "huber": {false, true}, "quantile": {false, true}} {
		for k, targets := range []bool{false, true} {
			source := Source{Target: map[bool]string{true: "t"}[targets]}
			if err := (LossSpec{Kind: kind}).Suits(source); (err == nil) != with[k] {
				t.Errorf("%s with targets %v: %v", kind, targets, err)
			}
		}
	}
}

// Without a width each loss has its own.
func TestLossSpec_WidthsOfTheirOwn(t *testing.T) {
	for kind, want := range map[string]Loss{"quantile": Quantile{0.9, 0.05}, "huber": Huber{0.1}, "welsch": Welsch{0.5},
		"geman-mcclure": GemanMcClure{0.5}, "huber-hinge": HuberHinge{0.5}} {
		l := LossSpec{Kind: kind, Level: 0.9, Width: math.Inf(1)}
		if got := l.Loss(true, 0); got != want {
			t.Errorf("%s: %+v, want %+v", kind, got, want)
		}
		l.Check(func(field, problem string) { t.Errorf("%s: %s %s", kind, field, problem) })
	}
	if got := (LossSpec{Kind: "huber", Width: 0.7}).Loss(true, 0); got != (Huber{0.7}) {
		t.Errorf("%+v", got)
	}
}

// A number whose name has a sign of equality is no indicator, and a category's name may have one.
func TestSet_Indicator(t *testing.T) {
	s := &Set{Columns: []string{"a=1", "bmi>=30=no", "bmi>=30=x=y", "age"},
		Reading: &Reading{Expanded: map[string]int{"bmi>=30": 2}}}
	for c, want := range [][2]string{{}, {"bmi>=30", "no"}, {"bmi>=30", "x=y"}, {}} {
		if of, value, ok := s.Indicator(c); of != want[0] || value != want[1] || ok != (want[0] != "") {
			t.Errorf("%s is of %q, %q, %v", s.Columns[c], of, value, ok)
		}
	}
}

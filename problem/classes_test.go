// Rows with one of several classes: losses, optima against references of numpy, facts, readers, partitions.

package problem

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/internal/num"
	"overhear/sim"
)

// classified are 75 rows of four columns with one of three classes, that are written down as easily in another
// language: the class of the greatest of three linear functions with a disturbance.
func classified() *Set {
	set := &Set{Name: "classified", X: NewRows(4), Columns: []string{"a", "b", "c", "d"},
		Classes: []string{"first", "second", "third"}}
	weights := [3][4]float64{{2, -1, 0.5, 0}, {-1, 1, 1, 0.5}, {0, 0.5, -2, 1}}
	for i := range 75 {
		var x [4]float64
		for k := range x {
			x[k] = float64((37*i+101*k*k+11*i*k)%97)/97 - 0.5
		}
		best, most := 0, math.Inf(-1)
		for k := range weights {
			score := float64((53*i+29*k*k+7*k*i)%89) / 89
			for j, v := range weights[k] {
				score += v * x[j]
			}
			if score > most {
				best, most = k, score
			}
		}
		set.X.Append([]int32{0, 1, 2, 3}, x[:])
		set.Y, set.Class = append(set.Y, 1), append(set.Class, int32(best))
	}
	return set
}

// classReferences are minimisers on these rows over three nodes of 30, 25 and 20 rows, C = 1.5 and ρ = 0.06: Newton's
// method in numpy 1.24, whose gradients end below 1e-16, and with which scipy 1.10's trust-exact agrees to 1e-8; the
// number of wrong rows, and log loss, are numpy's.
var classReferences = []struct {
	loss           Loss
	f              []float64
	value          float64 // 0: not known
	wrong, logLoss float64
}{
	{Softmax{}, []float64{2.44973096584967, -1.102135623211135, 1.3895659797485846, -0.03796210351036058,
		-1.581186694138076, 0.5560896902353509, 1.4253992854904882, 0.02010393868860905, -0.8685442717115943,
		0.5460459329757834, -2.8149652652390738, 0.017858164821750868}, 3.167570486390024, 15, 0.5623733344118041},
	{OneVsRest{Each: Logistic, K: 3}, []float64{2.905225638660894, -1.4519110012580942, 1.7357674086699406,
		-0.041758886848960716, -1.8854217707171952, 0.5009928400731176, 1.623903615401615, 0.1773020792248566,
		-0.7835300352302526, 0.40183313163183504, -3.267506091643879, 0.09165291812186724}, 0, 15, 0.7533795126816416},
	{OneVsRest{Each: Squared, K: 3}, []float64{1.8964781370999857, -0.997054672046412, 1.1265584435238905,
		-0.02311622085526206, -1.2729827958777045, 0.349554139253031, 1.0914642075516492, 0.16132986189010265,
		-0.5022194823227945, 0.30792252698918954, -2.1496172530127566, 0.0250999213812926}, 0, math.NaN(), math.NaN()},
}

// ofClasses is a problem of these rows over three nodes.
func ofClasses(loss Loss) *Problem {
	set := classified()
	p := &Problem{D: 12, K: 3, Loss: loss, C: 1.5, R: []float64{0.01, 0.02, 0.03}}
	from := 0
	for _, n := range []int{30, 25, 20} {
		p.Shards = append(p.Shards, NewShard(set, rowsFrom(from, n)))
		from += n
	}
	p.Test = NewShard(set, rowsFrom(0, 75))
	return p
}

func TestClasses_TheOptimumIsNumpys(t *testing.T) {
	for _, r := range classReferences {
		p := ofClasses(r.loss)
		o, err := p.Centralised()
		if err != nil {
			t.Fatal(err)
		}
		for k, f := range o.F {
			if !(math.Abs(f-r.f[k]) <= 1e-10) {
				t.Errorf("%T: coefficient %d is %v, numpy's %v", r.loss, k, f, r.f[k])
			}
		}
		if r.value != 0 && !(math.Abs(o.Value-r.value) <= 1e-12) {
			t.Errorf("%T: the value is %v, numpy's %v", r.loss, o.Value, r.value)
		}
		z := make([]float64, 3*75)
		p.Test.Arguments(o.F, z)
		if got := p.Test.Wrong(z); !math.IsNaN(r.wrong) && !(math.Abs(got-r.wrong/75) <= 1e-15) {
			t.Errorf("%T: a share of %v is wrong, and numpy's %v/75", r.loss, got, r.wrong)
		}
		if got := p.Test.LogLoss(p.Loss, z); math.IsNaN(got) != math.IsNaN(r.logLoss) ||
			!math.IsNaN(got) && !(math.Abs(got-r.logLoss) <= 1e-12) {
			t.Errorf("%T: the log loss is %v, numpy's %v", r.loss, got, r.logLoss)
		}
	}
}

// The solver of objectives with kinks, where these are far away, comes to the optimum of Newton's method, and L-BFGS,
// of more numbers than Newton's method is for, to a point without a gradient.
func TestClasses_EverySolverComesToTheSameOptimum(t *testing.T) {
	for _, r := range classReferences {
		p := ofClasses(r.loss)
		p.NonSmooth = NewNonSmooth(0, 0, Region{Kind: "ball", Radius: 1e3})
		o, err := p.Centralised()
		if err != nil {
			t.Fatal(err)
		}
		for k, f := range o.F {
			if !(math.Abs(f-r.f[k]) <= 1e-9) {
				t.Errorf("%T in a ball: coefficient %d is %v, numpy's %v", r.loss, k, f, r.f[k])
			}
		}
	}
	// More numbers than a factor pays for: 171 classes of three columns.
	set := &Set{X: NewRows(3)}
	const k = 171
	s := sim.NewStream(1, "classes")
	for i := range 400 {
		set.X.Append([]int32{0, 1, 2}, []float64{s.Normal() / 3, s.Normal() / 3, 1})
		set.Y, set.Class = append(set.Y, 1), append(set.Class, int32(i%k))
	}
	p := &Problem{D: 3 * k, K: k, Loss: Softmax{}, C: 1, R: []float64{0.01}, Shards: []Shard{NewShard(set, rowsFrom(0,
		400))}}
	if order := p.Objective(0).order(); order <= maxNewton {
		t.Fatalf("a factor of order %d pays", order)
	}
	o, err := p.Centralised()
	if err != nil {
		t.Fatal(err)
	}
	if g := gradientNorm(p, o.F); !(g <= 1e-9) {
		t.Errorf("the gradient at the optimum of L-BFGS is %v", g)
	}
}

// gradientNorm is that of the first node's objective, of softmax or the logistic loss, computed row by row.
func gradientNorm(p *Problem, f []float64) float64 {
	shard, g := &p.Shards[0], make([]float64, len(f))
	for j, v := range f {
		g[j] = p.R[0] * v
	}
	for i := range shard.U.Len() {
		cols, vals := shard.U.Row(i)
		z, d := make([]float64, p.Models()), shard.U.D
		for k := range z {
			for j, c := range cols {
				z[k] += vals[j] * f[k*d+int(c)]
			}
		}
		slope := []float64{-1 / (1 + math.Exp(z[0]))}
		if p.K > 0 {
			sum := 0.0
			for _, v := range z {
				sum += math.Exp(v)
			}
			slope = make([]float64, p.K)
			for k, v := range z {
				slope[k] = math.Exp(v) / sum
			}
			slope[shard.Class[i]]--
		}
		for k, s := range slope {
			for j, c := range cols {
				g[k*d+int(c)] += p.C / float64(shard.U.Len()) * s * vals[j]
			}
		}
	}
	return num.Norm(g)
}

// The gradient is the value's derivative and the Hessian the gradient's: central differences say so, also at points
// where rows have numbers of 5 and more.
func TestClasses_DerivativesAreThoseOfTheValue(t *testing.T) {
	for _, loss := range []Loss{Softmax{}, OneVsRest{Each: Logistic, K: 3}, OneVsRest{Each: Squared, K: 3}} {
		p := ofClasses(loss)
		p.Shards, p.R = p.Shards[:1], p.R[:1]
		for _, size := range []float64{0, 1, 5} {
			f := make([]float64, 12)
			s := sim.NewStream(3, "point")
			for k := range f {
				f[k] = size * s.Normal()
			}
			g, h := make([]float64, 12), make([]float64, num.Packed(12))
			solver := p.NewSolver(0, 0)
			solver.Gradient(p.NewScratch(), f, g)
			p.Objective(0).AddHessian(h, f)
			const step = 1e-5
			for k := range f {
				up, down := slices.Clone(f), slices.Clone(f)
				up[k], down[k] = f[k]+step, f[k]-step
				if d := (p.Value(up) - p.Value(down)) / (2 * step); !(math.Abs(d-g[k]) <= 1e-8*(1+math.Abs(d))) {
					t.Errorf("%T, size %v: slope %d is %v, the difference %v", loss, size, k, g[k], d)
				}
				gu, gd := make([]float64, 12), make([]float64, 12)
				solver.Gradient(p.NewScratch(), up, gu)
				solver.Gradient(p.NewScratch(), down, gd)
				for l := range k + 1 {
					d := (gu[l] - gd[l]) / (2 * step)
					got := h[num.Packed(k)+l]
					if k == l {
						got += p.R[0]
					}
					if !(math.Abs(d-got) <= 1e-8*(1+math.Abs(d))) {
						t.Errorf("%T, size %v: curvature %d, %d is %v, the difference %v", loss, size, k, l, got, d)
					}
				}
			}
		}
	}
}

// Nothing overflows or is lost where a row is far on one side: the loss of a row whose own number is ahead by 50 is
// e^−50 for each other class, to the last digits, and of one that is behind by 50 or 10,000 it is that.
func TestSoftmax_HasDigitsFarOut(t *testing.T) {
	for _, c := range []struct {
		z          []float64
		loss, own  float64
		class      int32
		difference float64
	}{
		{[]float64{50, 0, 0}, 2 * math.Exp(-50), -2 * math.Exp(-50), 0, 1e-15},
		{[]float64{0, 50, 0}, 50, -1, 0, 1e-15},
		{[]float64{0, 0, 1e4}, 1e4, -1, 1, 1e-15},
		{[]float64{-1e4, -1e4, -1e4}, math.Log(3), -2.0 / 3, 2, 1e-15},
	} {
		l, slopes := Softmax{[]int32{c.class}}, make([]float64, 3)
		l.Slopes(slopes, c.z)
		if got := l.Total(c.z, slopes); !(math.Abs(got-c.loss) <= c.difference*c.loss) {
			t.Errorf("%v: the loss is %v, not %v", c.z, got, c.loss)
		}
		if got := slopes[c.class]; !(math.Abs(got-c.own) <= c.difference*math.Abs(c.own)) {
			t.Errorf("%v: the own slope is %v, not %v", c.z, got, c.own)
		}
	}
}

// The gradient of the loss has blocks that sum to zero, so that the blocks of the optimum do, and permuting the classes
// permutes them.
func TestSoftmax_BlocksSumToZeroAndFollowTheClasses(t *testing.T) {
	p := ofClasses(Softmax{})
	o, err := p.Centralised()
	if err != nil {
		t.Fatal(err)
	}
	for c := range 4 {
		if sum := o.F[c] + o.F[4+c] + o.F[8+c]; !(math.Abs(sum) <= 1e-12) {
			t.Errorf("column %d of the optimum's blocks sums to %v", c, sum)
		}
	}
	for _, loss := range []Loss{Softmax{}, OneVsRest{Each: Logistic, K: 3}} {
		p, q := ofClasses(loss), ofClasses(loss)
		to := []int32{2, 0, 1}
		for i := range q.Shards {
			for n, y := range q.Shards[i].Class {
				q.Shards[i].Class[n] = to[y]
			}
		}
		a, err := p.Centralised()
		if err != nil {
			t.Fatal(err)
		}
		b, err := q.Centralised()
		if err != nil {
			t.Fatal(err)
		}
		for k, place := range to {
			for c := range 4 {
				if got, want := b.F[int(place)*4+c], a.F[k*4+c]; !(math.Abs(got-want) <= 1e-10) {
					t.Errorf("%T: block %d column %d is %v after the permutation, %v before", loss, k, c, got, want)
				}
			}
		}
	}
}

// The probabilities of one-vs-rest, divided by their sum, are equal where its numbers are, however far below zero: of
// σ(−800) there is nothing left in a number.
func TestLogLoss_OfOneVsRestHasDigitsFarOut(t *testing.T) {
	for _, c := range []struct {
		z    []float64
		want float64
	}{
		{[]float64{-40, -40, -40}, math.Log(3)},
		{[]float64{-800, -800, -800}, math.Log(3)},
		{[]float64{800, 800, 800}, math.Log(3)},
		{[]float64{800, -800, -800}, 0},
		{[]float64{-800, 800, 800}, 800 + math.Log(2)},
		{[]float64{-40, -39, -41}, math.Log(1 + math.E + 1/math.E)},
		{[]float64{0, 1, -2}, -math.Log(0.5 / (0.5 + 1/(1+math.Exp(-1)) + 1/(1+math.Exp(2))))},
	} {
		shard := Shard{Y: []float64{1}, Class: []int32{0}}
		if got := shard.LogLoss(OneVsRest{Each: Logistic, K: 3}, c.z); !(math.Abs(got-c.want) <= 1e-14*(1+c.want)) {
			t.Errorf("%v: the log loss is %v, not %v", c.z, got, c.want)
		}
	}
}

// The total of one-vs-rest over more numbers than it takes at a time is that of the two-class losses of their margins.
func TestOneVsRest_TotalsArePiecewiseThoseOfMargins(t *testing.T) {
	const n, k = 171, 7
	s := sim.NewStream(4, "numbers")
	z, margins, class := make([]float64, k*n), make([]float64, k*n), make([]int32, n)
	for i := range class {
		class[i] = int32(s.Between(0, k))
	}
	for at := range z {
		if z[at] = 3 * s.Normal(); int(class[at%n]) == at/n {
			margins[at] = z[at]
		} else {
			margins[at] = -z[at]
		}
	}
	for _, each := range []Loss{Logistic, Squared, HuberHinge{0.5}} {
		l, slopes, own := of(OneVsRest{Each: each, K: k}, class), make([]float64, k*n), make([]float64, k*n)
		l.Slopes(slopes, z)
		each.Slopes(own, margins)
		for at, v := range own {
			if math.Abs(v) != math.Abs(slopes[at]) {
				t.Fatalf("%T: slope %d is %v, of the margin %v", each, at, slopes[at], v)
			}
		}
		got, want := l.Total(z, slopes), each.Total(margins, own)
		if !(math.Abs(got-want) <= 1e-13*want) || each == Logistic && got != want {
			t.Errorf("%T: the total is %v, of the margins %v", each, got, want)
		}
	}
}

// The Hessian has one form as a product with a vector and one as a matrix: the products with unit vectors are the
// matrix's columns, with weights that are alike or not, for one model and for several.
func TestObjective_BendHasTheColumnsOfAddHessian(t *testing.T) {
	for _, loss := range []Loss{Softmax{}, OneVsRest{Each: Logistic, K: 3}, Logistic} {
		set, k := classified(), 3
		if loss == Logistic {
			k = 1
		}
		shard := NewShard(set, rowsFrom(0, 75))
		for _, each := range []bool{false, true} {
			o := &Objective{U: shard.U, Loss: of(loss, shard.Class), Weight: 0.3}
			if k > 1 {
				o.K = k
			}
			if each {
				for i := range 75 {
					o.Each = append(o.Each, 0.1+float64(i%7))
				}
			}
			s := sim.NewStream(6, "point")
			f, z, curvature := make([]float64, 4*k), make([]float64, 75*k), make([]float64, 75*k)
			for j := range f {
				f[j] = 3 * s.Normal()
			}
			packed := make([]float64, num.Packed(4*k))
			o.AddHessian(packed, f)
			shard.Arguments(f, z)
			o.Loss.Curvatures(curvature, z)
			rows, column := newProducts(o), make([]float64, 4*k)
			for j := range f {
				unit := make([]float64, 4*k)
				unit[j] = 1
				rows.times(unit, z)
				o.bend(curvature, z)
				rows.transposedTimes(z, column)
				for l, got := range column {
					want := packed[num.Packed(max(j, l))+min(j, l)]
					if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
						t.Errorf("%T: entry %d of column %d is %v, of the matrix %v", loss, l, j, got, want)
					}
				}
			}
		}
	}
}

// The norm of a row's gradient comes near √2 of softmax and √K of one-vs-rest, that of the difference of two rows near
// twice as much, and neither exceeds it: docs/mathematics.md §1. The rows are nearly opposed, of one class and on one
// side of a far f. The curvature of softmax comes to ½.
func TestClasses_BoundsAreReachedAndHold(t *testing.T) {
	const angle = 1e-3
	x := [2][2]float64{{math.Cos(angle), math.Sin(angle)}, {-math.Cos(angle), math.Sin(angle)}}
	for _, c := range []struct {
		loss Joint
		z    []float64 // of both rows at the far f
		most float64
	}{
		{Softmax{}, []float64{-40, 40, -40}, math.Sqrt(2)},
		{OneVsRest{Each: Logistic, K: 3}, []float64{-40, 40, 40}, math.Sqrt(3)},
	} {
		gradients := func(f []float64) (g [2][]float64) {
			for i := range g {
				u := NewRows(2)
				u.Append([]int32{0, 1}, x[i][:])
				o := &Objective{U: u, K: 3, Weight: 1, Loss: of(c.loss, []int32{0})}
				g[i] = make([]float64, 6)
				NewSolver(o, 0).Gradient(NewScratch(6, 3), f, g[i])
			}
			return g
		}
		norms := func(g [2][]float64) (one, difference float64) {
			between := slices.Clone(g[0])
			num.Axpy(-1, g[1], between)
			return num.Norm(g[0]), num.Norm(between)
		}
		if got := c.loss.Steepest(); !(math.Abs(got-c.most) <= 1e-15) {
			t.Errorf("%T: the bound is %v, not %v", c.loss, got, c.most)
		}
		far := make([]float64, 6)
		for k, z := range c.z {
			far[2*k+1] = z / math.Sin(angle)
		}
		one, two := norms(gradients(far))
		if !(one >= c.most*(1-1e-12)) || !(two >= 2*c.most*(1-1e-6)) {
			t.Errorf("%T: the norm of a gradient is %v, of the difference of two %v; the bounds are %v and %v",
				c.loss, one, two, c.most, 2*c.most)
		}
		s := sim.NewStream(8, "points")
		for range 300 {
			f, size := make([]float64, 6), math.Exp(s.Between(-2, 10))
			for k := range f {
				f[k] = size * s.Normal()
			}
			if one, two := norms(gradients(f)); !(one <= c.most*(1+1e-15)) || !(two <= 2*c.most*(1+1e-15)) {
				t.Errorf("%T: at %v the norms are %v and %v", c.loss, f, one, two)
			}
		}
	}
	p := make([]float64, 2)
	Softmax{[]int32{0}}.Curvatures(p, []float64{3, 3})
	if bend := p[0] - float64(p[0]*p[0]) + float64(p[0]*p[1]); !(math.Abs(bend-Softmax{}.Bound()) <= 1e-15) {
		t.Errorf("the curvature along (1, −1) is %v, c₁ %v", bend, Softmax{}.Bound())
	}
}

// classesFile writes the rows into a CSV file, with names for the classes.
func classesFile(t *testing.T) string {
	t.Helper()
	set := classified()
	var b strings.Builder
	b.WriteString("a,b,c,d,kind\n")
	for i := range set.X.Len() {
		_, x := set.X.Row(i)
		for _, v := range x {
			fmt.Fprintf(&b, "%v,", v)
		}
		b.WriteString(set.Classes[set.Class[i]] + "\n")
	}
	path := filepath.Join(t.TempDir(), "classes.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestClasses_AreReadByName(t *testing.T) {
	set, reading, err := Source{CSV: classesFile(t), Classes: "all"}.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := classified()
	if !slices.Equal(set.Class, want.Class) || !slices.Equal(set.Classes, want.Classes) || set.Y[0] != 1 {
		t.Errorf("classes are %v %v", set.Classes, set.Class)
	}
	if rows, labels := reading.Summary(); labels != "first 24, second 22, third 29" {
		t.Errorf("said are %s, %s", rows, labels)
	}
	if _, _, err := (Source{CSV: classesFile(t)}).Read(t.Context()); err == nil || !strings.Contains(err.Error(),
		"make each a class of its own with classes: all") {
		t.Errorf("as two classes: %v", err)
	}
}

func TestClasses_Mistakes(t *testing.T) {
	for text, want := range map[string]string{
		"a,k\n1,x\n2,x\n":               "here it takes one",
		"a,k\n1,x\n2,X\n3,y\n":          "are the same but for how they are written",
		"a,k\n1,0.5\n2,0.25\n3,0.125\n": "which are no whole numbers",
	} {
		path := filepath.Join(t.TempDir(), "f.csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := (Source{CSV: path, Classes: "all"}).Read(t.Context()); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	var b strings.Builder
	b.WriteString("a,k\n")
	for i := range 2 * mostCategories {
		fmt.Fprintf(&b, "%d,k%d\n", i%7, i)
	}
	path := filepath.Join(t.TempDir(), "many.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := (Source{CSV: path, Classes: "all"}).Read(t.Context()); err == nil || !strings.Contains(err.Error(),
		"more than 100 classes are not learned") {
		t.Errorf("200 classes: %v", err)
	}
}

// Built-in sets have the classes that they have, waveform three, and two where two are asked for.
func TestClasses_OfBuiltInSets(t *testing.T) {
	load := func(s Source) *Set {
		set, err := s.Load(t.Context(), "", sim.NewStream(1, "data"))
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	two, all := load(Source{Set: "waveform", Rows: 300}), load(Source{Set: "waveform", Rows: 300, Classes: "all"})
	if two.Class != nil || two.Classes != nil || len(all.Classes) != 3 {
		t.Fatalf("waveform has the classes %v, and %v", two.Classes, all.Classes)
	}
	for i, y := range two.Y {
		if (y > 0) != (all.Class[i] == 1) || all.Y[i] != 1 {
			t.Fatalf("row %d is of class %d, and %v of two", i, all.Class[i], y)
		}
	}
	wdbc := load(Source{Set: "wdbc", Classes: "all"})
	if count := [2]int{}; len(wdbc.Classes) != 2 {
		t.Errorf("wdbc has the classes %v", wdbc.Classes)
	} else {
		for _, k := range wdbc.Class {
			count[k]++
		}
		if count != [2]int{212, 357} {
			t.Errorf("wdbc has %v rows of its classes", count)
		}
	}
}

// Partitions by class know all classes: with a skew of 1 a node has rows of two at most.
func TestClasses_LabelSkewGivesANodeItsOwn(t *testing.T) {
	set := classified()
	shards, err := Partition{Kind: "label-skew", Skew: 1}.Split(set, rowsFrom(0, 75), 6, sim.NewStream(1, "partition"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for i := range shards {
		has := map[int32]bool{}
		for n, k := range shards[i].Class {
			has[k] = true
			if set.Class[shards[i].Index[n]] != k {
				t.Errorf("node %d: row %d has another class than in the set", i, n)
			}
		}
		if rows += len(shards[i].Class); len(has) > 2 {
			t.Errorf("node %d has rows of %d classes", i, len(has))
		}
	}
	if rows != 75 {
		t.Errorf("%d rows are dealt", rows)
	}
}

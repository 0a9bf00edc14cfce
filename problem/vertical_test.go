// Split columns, the party's step and the hub's step against facts computed in
// another way: gonum, gradients row by row, bisection.

package problem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overhear/internal/num"
	"overhear/sim"
)

// randomRows is an n×d matrix with a share of entries that are not zero.
func randomRows(g *rand.Rand, n, d int, share float64) *Rows {
	r := NewRows(d)
	for range n {
		var cols []int32
		var vals []float64
		for k := range d {
			if g.Float64() < share {
				cols, vals = append(cols, int32(k)), append(vals, g.NormFloat64())
			}
		}
		r.Append(cols, vals)
	}
	return r
}

// oneHot is an n×d matrix of two categorical columns, one indicator per value,
// whose columns therefore have rank d−1, and of a column that is always zero.
func oneHot(g *rand.Rand, n, first, second int) *Rows {
	r := NewRows(first + second + 1)
	for range n {
		r.Append([]int32{int32(g.IntN(first)), int32(first + g.IntN(second))}, []float64{1, 1})
	}
	return r
}

// asDense has every zero stored.
func asDense(r *Rows) *Rows {
	out := NewRows(r.D)
	all := make([]int32, r.D)
	for k := range all {
		all[k] = int32(k)
	}
	for i := range r.Len() {
		vals := make([]float64, r.D)
		cols, v := r.Row(i)
		for k, c := range cols {
			vals[c] = v[k]
		}
		out.Append(all, vals)
	}
	return out
}

func matrix(r *Rows) *mat.Dense { return mat.NewDense(r.Len(), r.D, asDense(r).Val) }

func normals(g *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for k := range v {
		v[k] = g.NormFloat64()
	}
	return v
}

func columnSet(g *rand.Rand, n, d int) *Set {
	set := &Set{Name: "made", X: randomRows(g, n, d, 0.6)}
	for range n {
		set.Y = append(set.Y, float64(2*g.IntN(2)-1))
	}
	return set
}

func TestSplitColumns(t *testing.T) {
	g := rand.New(rand.NewPCG(21, 1))
	set := columnSet(g, 12, 7)
	train, test := []int{5, 0, 11, 3, 5}, []int{1, 2}
	v, err := SplitColumns(set, []int{3, 1, 3}, train, test, Logistic, "mean", 0.5)
	if err != nil {
		t.Fatal(err)
	}
	if v.N != 5 || v.D != 7 || v.Weight != 1.0/5 || len(v.Blocks) != 3 || len(v.TestBlocks) != 3 {
		t.Fatalf("split into %+v", v)
	}
	x := matrix(set.X)
	for _, part := range []struct {
		rows   []int
		blocks []*Rows
		y      []float64
	}{{train, v.Blocks, v.Y}, {test, v.TestBlocks, v.TestY}} {
		for n, i := range part.rows {
			if part.y[n] != set.Y[i] {
				t.Errorf("row %d has another label", n)
			}
			column := 0
			for m, b := range part.blocks {
				block := matrix(b)
				for k := range b.D {
					if block.At(n, k) != x.At(i, column) {
						t.Errorf("row %d, party %d, column %d is %v, want %v", n, m, k, block.At(n, k), x.At(i, column))
					}
					column++
				}
			}
		}
	}
	if v, err := SplitColumns(set, []int{7}, train, nil, Logistic, "sum", 0); err != nil || v.Weight != 1 {
		t.Errorf("a sum: %v", err)
	} else if a, b := v.TestLoss([][]float64{make([]float64, 7)}); a == a || b == b {
		t.Errorf("no test rows have loss %v and error %v", a, b)
	}
	for _, c := range []struct {
		widths []int
		train  []int
		weight string
		ridge  float64
		want   string
	}{
		{[]int{3, 3}, train, "mean", 1, "add up to 6, but made has 7 columns"},
		{[]int{8}, train, "mean", 1, "add up to 8, but made has 7 columns"},
		{nil, train, "mean", 1, "add up to 0"},
		{[]int{7, 0}, train, "mean", 1, "party 1 is 0"},
		{[]int{7}, nil, "mean", 1, "no training rows"},
		{[]int{7}, []int{12}, "mean", 1, "row 12"},
		{[]int{7}, train, "median", 1, `"median"`},
		{[]int{7}, train, "mean", -1, "-1"},
		{[]int{7}, train, "mean", math.NaN(), "NaN"},
	} {
		if _, err := SplitColumns(set, c.widths, c.train, nil, Logistic, c.weight, c.ridge); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v, %v, %v gave %v, want %q", c.widths, c.train, c.weight, c.ridge, err, c.want)
		}
	}
}

// At the optimum the gradient, from dense matrices, is zero; the objective is
// what the definition says; nothing near is lower.
func TestVertical_Optimum(t *testing.T) {
	g := rand.New(rand.NewPCG(21, 2))
	set := columnSet(g, 80, 9)
	var train, test []int
	for i := range 80 {
		if i < 60 {
			train = append(train, i)
		} else {
			test = append(test, i)
		}
	}
	widths := []int{4, 2, 3}
	for _, weight := range []string{"mean", "sum"} {
		v, err := SplitColumns(set, widths, train, test, Logistic, weight, 0.03)
		if err != nil {
			t.Fatal(err)
		}
		c := map[string]float64{"mean": 1.0 / 60, "sum": 1}[weight]
		for parties, solve := range map[int]func() (*VerticalOptimum, error){3: v.Centralised, 1: v.LocalOnly} {
			o, err := solve()
			if err != nil {
				t.Fatal(err)
			}
			z := mat.NewVecDense(60, nil)
			value := 0.0
			for m, b := range v.Blocks {
				var part mat.VecDense
				xm := mat.NewVecDense(b.D, o.X[m])
				part.MulVec(matrix(b), xm)
				z.AddVec(z, &part)
				value += 0.5 * 0.03 * mat.Dot(xm, xm)
			}
			l := mat.NewVecDense(60, nil)
			for n, y := range v.Y {
				value += c * math.Log1p(math.Exp(-y*z.AtVec(n)))
				l.SetVec(n, -c*y/(1+math.Exp(y*z.AtVec(n))))
			}
			if !(math.Abs(o.Value-value) <= 1e-12*value) {
				t.Errorf("%s, %d parties: value %v, want %v", weight, parties, o.Value, value)
			}
			for m, b := range v.Blocks {
				var gradient mat.VecDense
				xm := mat.NewVecDense(b.D, o.X[m])
				gradient.MulVec(matrix(b).T(), l)
				gradient.AddScaledVec(&gradient, 0.03, xm)
				if m < parties {
					if e := mat.Norm(&gradient, 2); !(e <= 1e-11*60*c) {
						t.Errorf("%s, %d parties: gradient of party %d is %v", weight, parties, m, e)
					}
				} else if mat.Norm(xm, 2) != 0 {
					t.Errorf("%s: party %d is not zero", weight, m)
				}
			}
			// The test rows.
			x := matrix(set.X)
			f := append(append(append([]float64(nil), o.X[0]...), o.X[1]...), o.X[2]...)
			loss, wrong := 0.0, 0.0
			for _, i := range test {
				s := 0.0
				for k := range f {
					s += f[k] * x.At(i, k)
				}
				loss += math.Log1p(math.Exp(-set.Y[i]*s)) / 20
				if s*set.Y[i] < 0 {
					wrong += 1.0 / 20
				}
			}
			if a, b := v.TestLoss(o.X); !(math.Abs(a-loss) <= 1e-12) || !(math.Abs(b-wrong) <= 1e-12) {
				t.Errorf("test loss %v and error %v, want %v and %v", a, b, loss, wrong)
			}
		}
	}
}

// The step satisfies the normal equations, from sparse rows and from dense
// ones, whether the block is deficient or not.
func TestParty_Step(t *testing.T) {
	g := rand.New(rand.NewPCG(21, 3))
	for name, c := range map[string]struct {
		block     *Rows
		deficient int
	}{
		"sparse":     {randomRows(g, 400, 30, 0.15), 0},
		"half full":  {randomRows(g, 400, 31, 0.5), 0},
		"full":       {randomRows(g, 300, 77, 1), 0},
		"wide":       {randomRows(g, 20, 50, 0.2), 30},
		"one-hot":    {oneHot(g, 500, 8, 5), 2},
		"one column": {randomRows(g, 9, 1, 1), 0},
	} {
		for _, ridge := range []float64{0, 1e-30, 1e-3, 2} {
			for _, rho := range []float64{1e-2, 1, 50} {
				t.Run(fmt.Sprint(name, ridge, rho), func(t *testing.T) {
					n, d := c.block.Len(), c.block.D
					full := matrix(c.block)
					v := normals(g, n)
					var fits [2]mat.VecDense
					var steps [2][]float64
					for k, block := range []*Rows{c.block, asDense(c.block)} {
						p := NewPartySolver(block, ridge, rho)
						if p.Deficient() != c.deficient {
							t.Fatalf("%d columns are deficient, want %d", p.Deficient(), c.deficient)
						}
						x := normals(g, d)
						p.Step(v, x)
						steps[k] = x
						var left, right mat.VecDense
						fits[k].MulVec(full, mat.NewVecDense(d, x))
						left.MulVec(full.T(), &fits[k])
						left.ScaleVec(rho, &left)
						left.AddScaledVec(&left, ridge, mat.NewVecDense(d, x))
						right.MulVec(full.T(), mat.NewVecDense(n, v))
						left.AddVec(&left, &right)
						if e := mat.Norm(&left, 2); !(e <= 1e-10*mat.Norm(&right, 2)) {
							t.Errorf("the normal equations are off by %v of %v", e, mat.Norm(&right, 2))
						}
						if e := p.Residual(v, x); !(e <= 1e-10) || !(math.Abs(e-mat.Norm(&left, 2)/math.Max(1,
							mat.Norm(&right, 2))) <= 1e-11) {
							t.Errorf("residual %v", e)
						}
						out, back := make([]float64, n), make([]float64, d)
						p.Times(x, out)
						p.Transposed(v, back)
						for i := range out {
							if !(math.Abs(out[i]-fits[k].AtVec(i)) <= 1e-12*(1+math.Abs(out[i]))) {
								t.Fatalf("row %d of D x is %v, want %v", i, out[i], fits[k].AtVec(i))
							}
						}
						for i := range back {
							if !(math.Abs(back[i]-right.AtVec(i)) <= 1e-11) {
								t.Fatalf("row %d of Dᵀ v is %v, want %v", i, back[i], right.AtVec(i))
							}
						}
					}
					fits[0].SubVec(&fits[0], &fits[1])
					if e := mat.Norm(&fits[0], 2); !(e <= 1e-10/rho) {
						t.Errorf("sparse and dense differ by %v in D x", e)
					}
					for k := range steps[0] {
						// In the wide case without a ridge rounding may choose other pivots.
						if (c.deficient == 0 || ridge >= 1e-3) &&
							!(math.Abs(steps[0][k]-steps[1][k]) <= 1e-10*(1+math.Abs(steps[0][k]))) {
							t.Errorf("sparse and dense differ in x_%d: %v and %v", k, steps[0][k], steps[1][k])
						}
					}
				})
			}
		}
	}
}

// D ξ has the projector as covariance: exactly, from the map applied to unit
// vectors, and by its length and its mean square over draws.
func TestParty_Range(t *testing.T) {
	g := rand.New(rand.NewPCG(21, 4))
	for name, block := range map[string]*Rows{
		"full rank": randomRows(g, 60, 12, 0.4),
		"one-hot":   oneHot(g, 60, 6, 4),
		"wide":      randomRows(g, 8, 15, 0.7),
	} {
		for _, ridge := range []float64{0, 0.1} {
			p := NewPartySolver(block, ridge, 1)
			full := matrix(block)
			n, d := full.Dims()
			var svd mat.SVD
			svd.Factorize(full, mat.SVDThin)
			rank := svd.Rank(1e-10)
			var u, projector, covariance mat.Dense
			svd.UTo(&u)
			projector.Mul(u.Slice(0, n, 0, rank), u.Slice(0, n, 0, rank).T())
			f := mat.NewDense(n, rank, nil)
			x, z := make([]float64, d), make([]float64, rank)
			for k := range rank {
				clear(z)
				z[k] = 1
				p.factored().SolveT(x, z)
				var column mat.VecDense
				column.MulVec(full, mat.NewVecDense(d, x))
				f.SetCol(k, column.RawVector().Data)
			}
			covariance.Mul(f, f.T())
			covariance.Sub(&covariance, &projector)
			if e := mat.Norm(&covariance, 2); !(e <= 1e-10) {
				t.Errorf("%s: the covariance is %v away from the projector", name, e)
			}
			// Range draws z in order: ‖D ξ‖ = σ‖z‖.
			a, b := sim.NewStream(3, "range"), sim.NewStream(3, "range")
			out := make([]float64, n)
			for range 3 {
				p.Range(a, 2.5, x)
				squares := 0.0
				for range rank {
					z := b.Normal()
					squares += z * z
				}
				p.Times(x, out)
				length := mat.Norm(mat.NewVecDense(n, out), 2)
				if want := 2.5 * math.Sqrt(squares); !(math.Abs(length-want) <= 1e-9*want) {
					t.Errorf("%s: ‖D ξ‖ is %v, want %v", name, length, want)
				}
			}
			if a.Uint64() != b.Uint64() {
				t.Errorf("%s: took another number of draws than the rank", name)
			}
		}
	}
}

func TestNewParty_Panics(t *testing.T) {
	block := NewRows(1)
	block.Append([]int32{0}, []float64{math.Inf(1)})
	for name, f := range map[string]func(){
		"rho":    func() { NewPartySolver(NewRows(1), 1, 0) },
		"ridge":  func() { NewPartySolver(NewRows(1), -1, 1) },
		"matrix": func() { NewPartySolver(block, 0, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// bisect finds the zero of the increasing h to the last place.
func bisect(h func(float64) float64) float64 {
	low, high := -1.0, 1.0
	for h(low) > 0 {
		low *= 2
	}
	for h(high) < 0 {
		high *= 2
	}
	for {
		middle := low/2 + high/2
		if !(middle > low && middle < high) {
			return middle
		}
		if h(middle) > 0 {
			high = middle
		} else {
			low = middle
		}
	}
}

func TestHubStep(t *testing.T) {
	g := rand.New(rand.NewPCG(21, 5))
	slopes := map[Loss]func(float64) float64{
		Logistic: func(t float64) float64 { return -1 / (1 + math.Exp(t)) },
		HuberHinge{0.5}: func(t float64) float64 {
			return -math.Max(0, math.Min(1, (1.5-t)))
		},
		HuberHinge{1e-3}: func(t float64) float64 {
			return -math.Max(0, math.Min(1, (1.001-t)/0.002))
		},
		Squared: func(t float64) float64 { return t - 1 },
	}
	const n = 300
	scratch := NewHubScratch(n)
	for loss, slope := range slopes {
		for _, c := range []float64{0, 1e-6, 1.0 / 300, 1, 20} {
			for _, rho := range []float64{1e-3, 0.1, 1, 1e3} {
				for _, size := range []float64{1e-3, 1, 1e3} {
					z, y, p, labels := normals(g, n), normals(g, n), normals(g, n), make([]float64, n)
					for k := range n {
						labels[k] = float64(2*g.IntN(2) - 1)
						p[k] *= size
						y[k] *= []float64{0, c, 1, size}[k%4]
						z[k] *= []float64{0, 1, size, 1e6}[k/4%4] // the warm start may be bad
					}
					residual := HubStep(z, y, p, labels, nil, rho, c, loss, scratch)
					// Rounding t = 1 ± h of a sharp corner is seen in h.
					bound := math.Max(1e-12, c*loss.Bound()*0x1p-52)
					if !(residual <= bound) {
						t.Errorf("%v, c %v, ρ %v, size %v: residual %v", loss, c, rho, size, residual)
					}
					worst := 0.0
					for k, label := range labels {
						scale := math.Max(1, math.Abs(y[k])+rho*math.Abs(p[k]))
						equation := func(z float64) float64 {
							return c*label*slope(label*z) - y[k] - rho*(p[k]-z)
						}
						worst = math.Max(worst, math.Abs(equation(z[k]))/scale)
						// h′ ≥ ρ turns the residual into a distance.
						if want := bisect(equation); !(math.Abs(z[k]-want) <= 2e-12*scale/rho) {
							t.Fatalf("%v, c %v, ρ %v, p %v, y %v: z %v, want %v", loss, c, rho, p[k], y[k], z[k], want)
						}
					}
					if !(worst <= bound) {
						t.Errorf("%v, c %v, ρ %v, size %v: the residual says %v, is %v", loss, c, rho, size, residual,
							worst)
					}
				}
			}
		}
	}
	z := []float64{0}
	if r := HubStep(z, []float64{0}, []float64{math.NaN()}, []float64{1}, nil, 1, 1, Logistic, scratch); r == r {
		t.Errorf("a NaN has residual %v", r)
	}
}

// The averaged form of sharing, put together from the two steps, ends at the
// centralised optimum.
func TestVertical_SharingConverges(t *testing.T) {
	set := columnSet(rand.New(rand.NewPCG(21, 8)), 60, 9)
	train := make([]int, 60)
	for i := range train {
		train[i] = i
	}
	v, err := SplitColumns(set, []int{4, 2, 3}, train, nil, Logistic, "sum", 0.5)
	if err != nil {
		t.Fatal(err)
	}
	best, err := v.Centralised()
	if err != nil {
		t.Fatal(err)
	}
	const rho = 1.0
	n, parties := v.N, len(v.Blocks)
	m := float64(parties)
	z, y, sum, target := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	x, p, party := make([][]float64, parties), make([][]float64, parties), make([]*PartySolver, parties)
	for k, b := range v.Blocks {
		x[k], p[k], party[k] = make([]float64, b.D), make([]float64, n), NewPartySolver(b, v.Ridge, rho)
	}
	scratch := NewHubScratch(n)
	for range 400 {
		u := make([]float64, n)
		for i := range u {
			u[i] = (sum[i] - z[i]) / m
		}
		clear(sum)
		for k := range party {
			for i := range target {
				target[i] = y[i] + rho*(u[i]-p[k][i])
			}
			party[k].Step(target, x[k])
			party[k].Times(x[k], p[k])
			for i, q := range p[k] {
				sum[i] += q
			}
		}
		HubStep(z, y, sum, v.Y, v.Targets, rho/m, v.Weight, v.Loss, scratch)
		for i := range y {
			y[i] += rho / m * (sum[i] - z[i])
		}
	}
	if got := v.Objective(x); !(math.Abs(got-best.Value) <= 1e-9*best.Value) {
		t.Errorf("sharing ends at %v, the optimum is %v", got, best.Value)
	}
	for k := range x {
		for j := range x[k] {
			if !(math.Abs(x[k][j]-best.X[k][j]) <= 1e-6) {
				t.Errorf("x_%d of party %d is %v, want %v", j, k, x[k][j], best.X[k][j])
			}
		}
	}
}

func BenchmarkParty6000x2000(b *testing.B) {
	g := rand.New(rand.NewPCG(21, 6))
	for _, share := range []float64{0.13, 1} {
		block := randomRows(g, 6000, 2000, share)
		v, x := normals(g, 6000), make([]float64, 2000)
		p := NewPartySolver(block, 1e-3, 1)
		b.Run(fmt.Sprintf("share %v/gram", share), func(b *testing.B) {
			for b.Loop() {
				gram(block)
			}
		})
		b.Run(fmt.Sprintf("share %v/new", share), func(b *testing.B) {
			for b.Loop() {
				NewPartySolver(block, 1e-3, 1)
			}
		})
		b.Run(fmt.Sprintf("share %v/step", share), func(b *testing.B) {
			for b.Loop() {
				p.Step(v, x)
			}
		})
		s := sim.NewStream(1, "range")
		p.Range(s, 1, x)
		b.Run(fmt.Sprintf("share %v/range", share), func(b *testing.B) {
			for b.Loop() {
				p.Range(s, 1, x)
			}
		})
	}
}

func BenchmarkHubStep32561(b *testing.B) {
	const n = 32561
	g := rand.New(rand.NewPCG(21, 7))
	z, y, p, labels := make([]float64, n), normals(g, n), normals(g, n), make([]float64, n)
	for k := range n {
		labels[k] = float64(2*g.IntN(2) - 1)
		y[k] *= 0.1
	}
	s := NewHubScratch(n)
	for b.Loop() {
		clear(z)
		HubStep(z, y, p, labels, nil, 1, 1, Logistic, s)
	}
}

// a9a's one-hot groups depend on each other: ten columns of the first party and
// four of the second, as the singular values say. A rounding error taken for a
// column of its own would make noise of covariance (DᵀD)⁻¹ enormous along it.
func TestParty_RankOfA9aIsThatOfItsSingularValues(t *testing.T) {
	set := Scale{Columns: "max", Rows: "clip"}.Apply(load(t, "a9a"), nil)
	train, test, err := TrainTest(set, 32561, "file", sim.NewStream(1, "order"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := SplitColumns(set, []int{66, 57}, train, test, Logistic, "sum", 1)
	if err != nil {
		t.Fatal(err)
	}
	for m, b := range v.Blocks {
		dense := mat.NewDense(b.Len(), b.D, nil)
		for i := range b.Len() {
			cols, vals := b.Row(i)
			for k, c := range cols {
				dense.Set(i, int(c), vals[k])
			}
		}
		var s mat.SVD
		s.Factorize(dense, mat.SVDNone)
		values := s.Values(nil)
		dependent := 0
		for _, x := range values {
			if x < 1e-9*values[0] {
				dependent++
			}
		}
		p := NewPartySolver(b, 1, 0.3)
		if want := []int{10, 4}[m]; p.Deficient() != dependent || dependent != want {
			t.Errorf("party %d: %d dependent columns, by singular values %d, want %d", m+1, p.Deficient(), dependent,
				want)
		}
		// ξ is of the size σ/s, s the singular values that are not zero.
		xi := make([]float64, b.D)
		p.Range(sim.NewStream(1, "noise"), 1, xi)
		if size := num.Norm(xi); !(size <= 1000) {
			t.Errorf("party %d: noise of norm %.3g", m+1, size)
		}
	}
}

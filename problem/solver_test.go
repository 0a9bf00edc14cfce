// The solver against facts: closed forms, stationarity, independence of the
// start.

package problem

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overhear/internal/num"
	"overhear/sim"
)

func randomObjective(g *rand.Rand, rows, d int, loss Loss, ridge float64, oneClass bool) *Objective {
	u := NewRows(d)
	for range rows {
		var cols []int32
		var vals []float64
		y := 1.0
		if !oneClass && g.IntN(2) == 0 {
			y = -1
		}
		for k := range d {
			if g.IntN(3) > 0 {
				cols = append(cols, int32(k))
				vals = append(vals, y*(2*g.Float64()-0.8)/math.Sqrt(float64(d)))
			}
		}
		u.Append(cols, vals)
	}
	return &Objective{U: u, Weight: 1 / float64(rows), Loss: loss, Ridge: ridge}
}

// gradient of the whole of (★), computed afresh row by row.
func gradient(o *Objective, f, q []float64, kappa float64) []float64 {
	g := make([]float64, len(f))
	z, s := make([]float64, 1), make([]float64, 1)
	for i := range o.U.Len() {
		cols, vals := o.U.Row(i)
		z[0] = 0
		for k, c := range cols {
			z[0] += vals[k] * f[c]
		}
		if o.Targets != nil {
			z[0] -= o.Targets[i]
		}
		o.Loss.Slopes(s, z)
		for k, c := range cols {
			g[c] += o.weight(i) * s[0] * vals[k]
		}
	}
	for k := range g {
		g[k] += (o.Ridge+kappa)*f[k] + q[k]
	}
	return g
}

// Every solve ends where the gradient, computed in another way, is as small as
// the statistics say.
func TestSolver_Stationarity(t *testing.T) {
	losses := []Loss{Logistic, Squared, HuberHinge{0.5}, HuberHinge{0.01}}
	rapid.Check(t, func(t *rapid.T) {
		g := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		rows, d := rapid.IntRange(1, 60).Draw(t, "rows"), rapid.IntRange(1, 40).Draw(t, "d")
		loss := losses[rapid.IntRange(0, len(losses)-1).Draw(t, "loss")]
		o := randomObjective(g, rows, d, loss, rapid.SampledFrom([]float64{2e-3, 0.1, 5}).Draw(t, "ridge"),
			rapid.Bool().Draw(t, "one class"))
		s := NewSolver(o, 0)
		w := NewScratch(d, rows)
		f := make([]float64, d)
		for range 3 { // warm starts with changing q and κ
			q := make([]float64, d)
			for k := range q {
				q[k] = rapid.SampledFrom([]float64{0, 0.01, 1, 30}).Draw(t, "scale") * (2*g.Float64() - 1)
			}
			kappa := rapid.SampledFrom([]float64{0, 0.2, 4, 1e4}).Draw(t, "kappa")
			stats, err := s.Solve(w, f, q, kappa)
			if err != nil {
				t.Fatal(err)
			}
			r := num.Norm(gradient(o, f, q, kappa))
			if !(r <= 1.01e-10*math.Max(1, num.Norm(q))+1e-14) {
				t.Fatalf("‖∇‖ is %v at the returned point, reported %v", r, stats.Residual)
			}
			cold := make([]float64, d)
			if _, err := NewSolver(o, 0).Solve(NewScratch(d, rows), cold, q, kappa); err != nil {
				t.Fatal(err)
			}
			for k := range cold {
				// strong convexity: the distance is at most the gradients' sum over the ridge
				if !(math.Abs(cold[k]-f[k]) <= 2.1e-10*math.Max(1, num.Norm(q))/(o.Ridge+kappa)+1e-12) {
					t.Fatalf("component %d is %v from a warm start and %v from a cold one", k, f[k], cold[k])
				}
			}
		}
	})
}

// Squared loss, one row u: f = (w + u·(−q)…) by Sherman-Morrison.
func TestSolver_SquaredClosedForm(t *testing.T) {
	u := NewRows(2)
	u.Append([]int32{0, 1}, []float64{0.6, -0.8})
	o := &Objective{U: u, Weight: 2, Loss: Squared, Ridge: 0.5}
	f := make([]float64, 2)
	q := []float64{0.3, 0.7}
	if _, err := NewSolver(o, 0).Solve(NewScratch(2, 1), f, q, 1.5); err != nil {
		t.Fatal(err)
	}
	// (2 I + 2 u uᵀ) f = 2u − q, |u| = 1: f = b/2 − (u·b/4) u.
	b := []float64{2*0.6 - 0.3, -2*0.8 - 0.7}
	ub := 0.6*b[0] - 0.8*b[1]
	want := []float64{b[0]/2 - ub/4*0.6, b[1]/2 + ub/4*0.8}
	for k := range f {
		if !(math.Abs(f[k]-want[k]) <= 1e-10) {
			t.Errorf("component %d: %v, closed form %v", k, f[k], want[k])
		}
	}
}

// L-BFGS solves a wide problem, and of few rows Newton with a factor of their order does.
func TestSolver_WideProblem(t *testing.T) {
	for rows, factored := range map[int]bool{maxNewton + 40: false, 30: true} {
		wideProblem(t, rows, factored)
	}
}

func wideProblem(t *testing.T, rows int, factored bool) {
	t.Helper()
	g := rand.New(rand.NewPCG(9, 9))
	const d = maxNewton + 40
	o := randomObjective(g, rows, d, Logistic, 0.05, false)
	f, q := make([]float64, d), make([]float64, d)
	for k := range q {
		q[k] = 0.1 * (2*g.Float64() - 1)
	}
	stats, err := NewSolver(o, 0).Solve(NewScratch(d, rows), f, q, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	if (stats.Factorisations != 0) != factored {
		t.Errorf("%d rows: %d factorisations", rows, stats.Factorisations)
	}
	if r := num.Norm(gradient(o, f, q, 0.1)); !(r <= 1.1e-10*math.Max(1, num.Norm(q))) {
		t.Errorf("‖∇‖ = %v", r)
	}
}

func TestSolver_MissedToleranceIsAnError(t *testing.T) {
	g := rand.New(rand.NewPCG(2, 2))
	o := randomObjective(g, 200, 30, Logistic, 0.1, false)
	_, err := NewSolver(o, -1).Solve(NewScratch(30, 200), make([]float64, 30), make([]float64, 30), 0)
	var missed *ResidualError
	if !errors.As(err, &missed) || !(missed.Residual <= 1e-9) {
		t.Fatalf("an impossible tolerance gave %v", err)
	}
	refused := 0
	for _, times := range []float64{1.5, 2, 5, 9} { // just below what can be reached
		tolerance := missed.Residual / times
		stats, err := NewSolver(o, tolerance).Solve(NewScratch(30, 200), make([]float64, 30), make([]float64, 30), 0)
		if err != nil {
			refused++
		} else if !(stats.Residual <= tolerance) {
			t.Errorf("a residual of %v passed for a tolerance of %v", stats.Residual, tolerance)
		}
	}
	if refused == 0 {
		t.Errorf("tolerances below %v were reached", missed.Residual)
	}
}

func TestCentralised_IsStationaryOverAllNodes(t *testing.T) {
	g := rand.New(rand.NewPCG(4, 4))
	p := &Problem{D: 6, Loss: Logistic, C: 1.5}
	for _, rows := range []int{3, 17, 40} {
		o := randomObjective(g, rows, 6, Logistic, 0, false)
		p.Shards = append(p.Shards, Shard{U: o.U})
		p.R = append(p.R, 0.01*float64(rows))
	}
	opt, err := p.Centralised()
	if err != nil {
		t.Fatal(err)
	}
	sum := make([]float64, 6)
	for i := range p.Shards {
		for k, v := range gradient(p.Objective(i), opt.F, make([]float64, 6), 0) {
			sum[k] += v
		}
	}
	if r := num.Norm(sum); !(r <= 1e-11) {
		t.Errorf("‖Σ ∇O_i(f*)‖ = %v", r)
	}
}

// What a solver returns does not depend on whose memory it works in: workers
// come and go between its solves.
func TestSolver_AnyScratchGivesTheSameBits(t *testing.T) {
	const d, rows, nodes, solves = 6, 40, 3, 12
	for seed := range uint64(50) {
		run := func(scratches int) (points []float64) {
			g := rand.New(rand.NewPCG(seed, 2))
			who := rand.New(rand.NewPCG(seed, 3))
			solvers, at := make([]*Solver, nodes), make([][]float64, nodes)
			for i := range solvers {
				solvers[i] = NewSolver(randomObjective(g, rows, d, Logistic, 0.01, false), 0)
				at[i] = make([]float64, d)
			}
			room := make([]*Scratch, scratches)
			for i := range room {
				room[i] = NewScratch(d, rows)
			}
			for range solves * nodes {
				i, w := g.IntN(nodes), room[who.IntN(scratches)]
				q := make([]float64, d)
				for k := range q {
					q[k] = 3 * g.NormFloat64()
				}
				if _, err := solvers[i].Solve(w, at[i], q, g.Float64()); err != nil {
					t.Fatal(err)
				}
				points = append(points, at[i]...)
				points = append(points, solvers[i].DataLossAt(room[who.IntN(scratches)], at[i]))
			}
			return points
		}
		alone := run(nodes * solves * nodes) // hardly ever the same memory twice
		for _, scratches := range []int{1, 2, 3} {
			if shared := run(scratches); !slices.Equal(shared, alone) {
				t.Fatalf("seed %d: %d scratches give other points", seed, scratches)
			}
		}
	}
}

// A node with fewer rows than columns needs no matrix of the order of its columns, and has the same minimiser.
func TestSolver_FewRows(t *testing.T) {
	g := rand.New(rand.NewPCG(21, 22))
	for _, full := range []bool{true, false} {
		for _, ridge := range []float64{1e-8, 1e-4, 0.2, 30} {
			for _, rows := range []int{1, 2, 3, 10} {
				const d = 21
				o := randomObjective(g, rows, d, Logistic, ridge, false)
				if full {
					o.U = normalRows(g, rows, d)
				}
				s, w := NewSolver(o, 0), NewScratch(d, rows)
				// The same with rows of zeros, which are too many for the identity.
				more := *o
				more.U = NewRows(d)
				for i := range rows {
					more.U.Append(o.U.Row(i))
					more.Each = append(more.Each, o.Weight)
				}
				for range d {
					more.U.Append(nil, nil)
					more.Each = append(more.Each, 0)
				}
				plain, other := NewSolver(&more, 0), NewScratch(d, rows+d)
				f, want, q := make([]float64, d), make([]float64, d), make([]float64, d)
				for round := range 5 {
					for k := range q {
						q[k] = 0.3 * ridge * g.NormFloat64()
					}
					kappa := float64(round%2) * ridge
					a, err := s.Solve(w, f, q, kappa)
					if err != nil {
						t.Fatalf("ridge %v, %d rows: %v", ridge, rows, err)
					}
					b, err := plain.Solve(other, want, q, kappa)
					if err != nil {
						t.Fatal(err)
					}
					if r := num.Norm(gradient(o, f, q, kappa)); !(r <= 1.1e-10*a.Scale) {
						t.Errorf("ridge %v, %d rows: gradient %v", ridge, rows, r)
					}
					if a.Evaluations > b.Evaluations+2 {
						t.Errorf("ridge %v, %d rows: %d passes, %d with the matrix of all columns", ridge, rows,
							a.Evaluations, b.Evaluations)
					}
				}
				if len(s.hessian.packed) != num.Packed(rows)+rows || len(plain.hessian.packed) != num.Packed(d) {
					t.Errorf("%d rows: the factors have %d and %d numbers", rows, len(s.hessian.packed),
						len(plain.hessian.packed))
				}
			}
		}
	}
}

// A ridge that is lost in rounding against the curvature is said to be: not of few rows either does a solve go on.
func TestSolver_FewRowsOfALostRidge(t *testing.T) {
	const d = 21
	for _, c := range []struct {
		norm, ridge float64
		lost        bool
	}{{1, 1e-7, false}, {1e4, 1, false}, {1e6, 1, false}, {1, 1e-20, true}, {1e10, 1, true}, {1e150, 1, true}} {
		for seed := range uint64(20) {
			g := rand.New(rand.NewPCG(seed, 1))
			row, q, cols := make([]float64, d), make([]float64, d), make([]int32, d)
			for k := range cols {
				cols[k], row[k], q[k] = int32(k), g.NormFloat64(), 0.3*g.NormFloat64()
			}
			num.Scale(c.norm/num.Norm(row), row)
			u := NewRows(d)
			u.Append(cols, row)
			o := &Objective{U: u, Weight: 1, Loss: Logistic, Ridge: c.ridge}
			solver := NewSolver(o, 0)
			_, err := solver.Solve(NewScratch(d, 1), make([]float64, d), q, 0)
			if _, again := solver.Solve(NewScratch(d, 1), make([]float64, d), q, 0); c.lost &&
				!errors.Is(again, num.ErrNotPositiveDefinite) {
				t.Errorf("a row of norm %v, ridge %v: another solve ends with %v", c.norm, c.ridge, again)
			}
			if c.lost != errors.Is(err, num.ErrNotPositiveDefinite) || !c.lost && err != nil {
				t.Errorf("a row of norm %v, ridge %v: %v", c.norm, c.ridge, err)
			}
		}
	}
}

// Gradients of L-BFGS rise and fall: near the target one that rises is not yet rounding. And where it is, the best
// point is what is left.
func TestSolver_WideRowsReachWhatRoundingAllows(t *testing.T) {
	const rows, d = maxNewton + 18, maxNewton + 188
	for seed := range uint64(4) {
		for _, size := range []float64{1, 1e5} {
			g := rand.New(rand.NewPCG(seed, 7))
			o := &Objective{U: newRows(d, rows, rows*20), Weight: 1.0 / rows, Loss: Squared, Ridge: 1e-4}
			for range rows {
				var cols []int32
				var vals []float64
				for k := range int32(d) {
					if g.Float64() < 0.05 {
						cols, vals = append(cols, k), append(vals, g.Float64())
					}
				}
				num.Scale(1/num.Norm(vals), vals)
				o.U.Append(cols, vals)
				o.Targets = append(o.Targets, size*(2*g.Float64()-1))
			}
			s, f := NewSolver(o, 1e-13), make([]float64, d)
			stats, err := s.Solve(NewScratch(d, rows), f, make([]float64, d), 0)
			if size == 1 && err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			if !(stats.Residual <= 5e-13*math.Sqrt(size)/50+1e-13) || stats.Evaluations > 500 {
				t.Errorf("seed %d, targets to %g: %+v", seed, size, stats)
			}
			if there := s.total(make([]float64, d), make([]float64, d), o.Ridge); there != stats.Residual {
				t.Errorf("seed %d: the point left has a gradient of %v, and %v is said", seed, there, stats.Residual)
			}
		}
	}
}

// Where rounding leaves more of a gradient than a reference needs, the error says what would leave less.
func TestCentralised_SaysWhatWouldMendIt(t *testing.T) {
	g := rand.New(rand.NewPCG(2, 2))
	o := randomObjective(g, 20, 5, Squared, 0.1, false)
	o.Targets = make([]float64, 20)
	for k := range o.Targets {
		o.Targets[k] = 1e10 * g.Float64()
	}
	p := &Problem{D: 5, C: 1, Loss: Squared, R: []float64{0.1}, Shards: []Shard{{U: o.U, Targets: o.Targets}}}
	_, err := p.Centralised()
	if err == nil || !strings.Contains(err.Error(), "problem.scale") || !strings.Contains(err.Error(), "problem.rho") {
		t.Errorf("%v", err)
	}
}

// Columns whose squares are beyond numbers are an error that says what would mend it, and no result.
func TestCentralised_RefusesColumnsBeyondNumbers(t *testing.T) {
	for _, size := range []float64{1e155, 1e300} {
		for _, loss := range []Loss{Squared, Logistic} {
			u := NewRows(2)
			u.Append([]int32{0, 1}, []float64{size, 0.5})
			u.Append([]int32{0, 1}, []float64{-0.3 * size, 1})
			p := &Problem{D: 2, C: 1, Loss: loss, R: []float64{0.1}, Shards: []Shard{{U: u}}}
			if loss == Squared {
				p.Shards[0].Targets = []float64{1, -1}
			}
			o, err := p.Centralised()
			if err == nil || !strings.Contains(err.Error(), "problem.scale") {
				t.Errorf("columns of %g, %v: %v, %v", size, loss, o, err)
			}
		}
	}
}

func TestResidualError(t *testing.T) {
	for passes, want := range map[int]string{1: "after 1 pass over", 2: "after 2 passes over"} {
		if text := (&ResidualError{Stats{Evaluations: passes}}).Error(); !strings.Contains(text, want) {
			t.Errorf("%q, want %q", text, want)
		}
	}
}

// Objectives of a random search over dense rows with weights of up to 1,000 and more, nearly no ridge and losses that
// level off, on which Newton's steps with their bound on overshooting went round in a circle or stood still far from
// the optimum, or would with a factor of an earlier damping (5425 and 8246). The gradient at what is found is added up
// row by row.
func TestSolver_LeavesCircles(t *testing.T) {
	for _, seed := range []uint64{167, 3036, 5245, 5425, 6221, 6447, 8246, 24523, 34472, 44584} {
		s := sim.NewStream(seed, "search")
		d := 1 + int(s.Between(0, 12))
		n := d/2 + 1 + int(s.Between(0, 30))
		o, cols := &Objective{U: NewRows(d)}, make([]int32, d)
		for k := range cols {
			cols[k] = int32(k)
		}
		size := math.Exp(s.Between(-1, 3))
		for range n {
			x := make([]float64, d)
			for k := range x {
				x[k] = size * s.Normal()
			}
			o.U.Append(cols, x)
		}
		o.Ridge = math.Exp(s.Between(-10, 2))
		most := math.Exp(s.Between(0, 8))
		for range n {
			o.Each = append(o.Each, s.Between(0, 1)*most)
		}
		width := func() float64 { return math.Exp(s.Between(-4, 1)) }
		losses := []Loss{Logistic, HuberHinge{width()}, Huber{width()}, Quantile{0.3, width()}}
		o.Loss = losses[int(s.Between(0, 4))]
		if s.Float64() < 0.5 {
			for range n {
				o.Targets = append(o.Targets, 5*s.Normal())
			}
		}
		f, q := make([]float64, d), make([]float64, d)
		for k := range f {
			f[k], q[k] = s.Between(0, 3)*s.Normal(), s.Between(0, 10)*s.Normal()
		}
		stats, err := NewSolver(o, 1e-9).Solve(NewScratch(d, n), f, q, 0)
		if err != nil {
			t.Errorf("seed %d, %T, %d rows of %d columns: %v", seed, o.Loss, n, d, err)
			continue
		}
		g := make([]float64, d)
		for k := range g {
			g[k] = o.Ridge*f[k] + q[k]
		}
		for i := range n {
			z := []float64{o.U.Dot(i, f)}
			if o.Targets != nil {
				z[0] -= o.Targets[i]
			}
			o.Loss.Slopes(z, z)
			_, x := o.U.Row(i)
			for k := range g {
				g[k] += o.Each[i] * z[0] * x[k]
			}
		}
		if norm := num.Norm(g); !(norm <= 1e-6*stats.Scale) {
			t.Errorf("seed %d, %T: the gradient is %v after %d passes", seed, o.Loss, norm, stats.Evaluations)
		}
	}
}

// Rows without zeros are taken four at a time, or column by column if there are few, with the bits of one at a time.
func TestSquares_OfFullRowsHaveTheSameBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 13).Draw(t, "rows"), rapid.IntRange(1, 19).Draw(t, "columns")
		number := rapid.Float64Range(-4, 4)
		u := NewRows(d)
		full := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "full")
		for i := range n {
			for k := range d {
				if full[i] || k%3 == i%3 {
					u.Col, u.Val = append(u.Col, int32(k)), append(u.Val, number.Draw(t, "value"))
				}
			}
			u.Start = append(u.Start, int32(len(u.Col)))
		}
		if !slices.Contains(full, false) { // without an index
			u.n, u.stride, u.Start, u.Col = n, d, nil, u.Col[:d]
		}
		curvature := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.25, 0.1, 1e-9}), n, n).Draw(t, "curvature")
		got, want := make([]float64, num.Packed(d)), make([]float64, num.Packed(d))
		o := &Objective{U: u, Weight: 0.3}
		if rapid.Bool().Draw(t, "weights") {
			o.Each = rapid.SliceOfN(rapid.Float64Range(0, 2), n, n).Draw(t, "each")
		}
		o.addSquares(got, slices.Clone(curvature))
		for i, c := range curvature {
			cols, vals := u.Row(i)
			for a := range cols {
				for b := range a + 1 {
					v := float64(float64(c*o.weight(i)) * vals[a])
					want[num.Packed(int(cols[a]))+int(cols[b])] += float64(v * vals[b])
				}
			}
		}
		for k := range want {
			if got[k] != want[k] {
				t.Fatalf("number %d is %v, want %v", k, got[k], want[k])
			}
		}
	})
}

// Columns that several parties share a matrix of are apart in memory by its rows' length, not by their own.
func TestSquares_OfColumnsOfAWiderMatrix(t *testing.T) {
	all := NewRows(7)
	for i := range 4 {
		f := float64(i + 1)
		all.Append([]int32{0, 1, 2, 3, 4, 5, 6}, []float64{f, f * f, 3 - f, 5, -f, 1 / f, 7})
	}
	for d := 1; d < 7; d++ {
		own := NewRows(d)
		for i := 1; i < 4; i++ {
			_, vals := all.Row(i)
			own.Append(all.Col[:d], vals[1:1+d])
		}
		got, want := make([]float64, num.Packed(d)), make([]float64, num.Packed(d))
		(&Objective{U: all.part(1, 4, 1, d), Weight: 2}).addSquares(got, []float64{1, 2, 3})
		(&Objective{U: own, Weight: 2}).addSquares(want, []float64{1, 2, 3})
		if !slices.Equal(got, want) {
			t.Errorf("%d columns: %v, want %v", d, got, want)
		}
	}
}

// Of few rows with weights of their own, too, what is factored is r I + Σ_i w_i c_i u_i u_iᵀ.
func TestHessian_OfFewRowsWithWeights(t *testing.T) {
	const d, ridge = 6, 0.5
	u := NewRows(d)
	u.Append([]int32{0, 1, 2, 3, 4, 5}, []float64{1, -2, 3, 0.5, 1, 1})
	u.Append([]int32{0, 1, 2, 3, 4, 5}, []float64{2, 1, 0.25, -1, 3, 1})
	o := &Objective{U: u, Each: []float64{0.3, 2}, Loss: Logistic}
	curvature := []float64{0.25, 0.1}
	var h hessian
	w := NewScratch(d, 2)
	if err := h.factorise(o, w, slices.Clone(curvature), ridge); err != nil || !o.fewRows() {
		t.Fatal(err, o.fewRows())
	}
	want := []float64{1, 2, 3, 4, 5, 6}
	x := slices.Clone(want)
	h.solve(o, newProducts(o), w, x)
	got := slices.Clone(x)
	num.Scale(ridge, got)
	for i, c := range curvature {
		_, vals := u.Row(i)
		num.Axpy(o.Each[i]*c*num.Dot(vals, x), vals, got)
	}
	for k := range want {
		if !(math.Abs(got[k]-want[k]) <= 1e-12) {
			t.Errorf("H H⁻¹ x = %v, want %v", got, want)
		}
	}
}

// A row that is appended to a part of a matrix is not written over the matrix's next one.
func TestRows_PartsAreAppendedToApart(t *testing.T) {
	all := NewRows(2)
	for i := range 3 {
		all.Append([]int32{0, 1}, []float64{float64(i), 1})
	}
	p := all.part(0, 2, 0, 2)
	p.Append([]int32{0, 1}, []float64{99, 99})
	if _, vals := all.Row(2); !slices.Equal(vals, []float64{2, 1}) {
		t.Errorf("the third row is %v", vals)
	}
}

// What is returned has the tolerance, be it ever so near to where the solve began.
func TestSolver_StopsAtTheToleranceAndNotBefore(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 3))
	o := randomObjective(g, 20, 5, Logistic, 0.1, false)
	q := []float64{0.1, 0.2, -0.1, 0, 0.3}
	start := num.Norm(gradient(o, make([]float64, 5), q, 0))
	for _, share := range []float64{0.999, 0.99, 0.96} {
		s := NewSolver(o, share*start)
		stats, err := s.Solve(NewScratch(5, 20), make([]float64, 5), q, 0)
		if err != nil || !(stats.Residual <= s.Tolerance()*stats.Scale) {
			t.Errorf("%+v, %v", stats, err)
		}
	}
}

// A linear term whose norm is infinite is an error: against it every gradient would be small enough.
func TestSolver_RefusesALinearTermBeyondNumbers(t *testing.T) {
	u := NewRows(3)
	u.Append([]int32{0, 1, 2}, []float64{1, 0.5, 0.25})
	for _, kinks := range []*NonSmooth{nil, {L1: 0.1}} {
		for _, q := range []float64{1e155, 1e300, math.Inf(1)} {
			o := &Objective{U: u, Weight: 1, Loss: Logistic, Ridge: 1, NonSmooth: kinks}
			f := make([]float64, 3)
			_, err := NewSolver(o, 0).Solve(NewScratch(3, 1), f, []float64{q, 0, 0}, 0)
			if !errors.Is(err, errTooLarge) {
				t.Errorf("%v, kinks %v: %v, %v", q, kinks != nil, f, err)
			}
		}
	}
}

// Far from the floor of rounding a step may raise the gradient, where it lowers the function: at ten thousand times the
// target that is no rounding. Near the floor it is.
func TestAdvance_TakesARisingGradientForRoundingOnlyNearTheFloor(t *testing.T) {
	u := NewRows(2)
	u.Append([]int32{0}, []float64{1})
	u.Append([]int32{1}, []float64{10})
	for above, want := range map[float64]bool{1e5: true, 1e4: true, 100: false} {
		o := &Objective{U: u, Weight: 1, Loss: Squared}
		s, w := NewSolver(o, 1e-10), NewScratch(2, 2)
		stats, err := s.begin([]float64{0, 0})
		if err != nil {
			t.Fatal(err)
		}
		before := above * stats.Tolerance * stats.Scale
		zero := []float64{0, 0}
		gradient := func(x, q []float64) []float64 {
			s.evaluate(w, x)
			s.total(w.total, q, 0)
			return slices.Clone(w.total)
		}
		at := gradient(zero, zero)
		first, second := gradient([]float64{1, 0}, zero)[0]-at[0], gradient([]float64{0, 1}, zero)[1]-at[1]
		q := []float64{before - at[0], -at[1]} // at zero the gradient is before in the first direction
		gradient(zero, q)
		w.step = append(w.step[:0], -0.5*before/first, 5*before/second)
		if norm, ok := s.advance(w, q, before, 0, false, &stats); !(norm > before) || ok != want {
			t.Errorf("%v times the target: a step to %v times is progress: %v, want %v", above, norm/before*above, ok,
				want)
		}
	}
}

// The matrix of the solver's products against plain sums.

package problem

import (
	"math"
	"math/rand/v2"
	"testing"

	"overhear/internal/num"
)

// shapes are matrices of n rows, each with what a design has to arrange.
var shapes = map[string]func(g *rand.Rand, n int) *Rows{
	"dense": func(g *rand.Rand, n int) *Rows {
		return sprinkled(g, n, 7, func(int, int) float64 { return g.NormFloat64() })
	},
	"categories": func(g *rand.Rand, n int) *Rows { // two numbers, an intercept, eleven attributes of three categories
		return sprinkled(g, n, 36, func(i, c int) float64 {
			scale := 1 / math.Sqrt(float64(i+3))
			switch {
			case c < 2:
				return scale * g.Float64()
			case c == 35 || (i*7+c)%3 == 0:
				return scale
			}
			return 0
		})
	},
	"sparse": func(g *rand.Rand, n int) *Rows {
		return sprinkled(g, n, 40, func(int, int) float64 {
			if g.IntN(9) > 0 {
				return 0
			}
			return g.NormFloat64()
		})
	},
	"binary, more columns than codes": func(g *rand.Rand, n int) *Rows {
		return sprinkled(g, n, 700, func(int, int) float64 {
			if g.IntN(20) > 0 {
				return 0
			}
			return 0.5
		})
	},
	"a category that is a number once": func(g *rand.Rand, n int) *Rows {
		return sprinkled(g, n, 9, func(i, c int) float64 {
			if i == n-1 && c == 4 {
				return 0.125
			}
			if (i+c)%2 == 0 {
				return -1
			}
			return 0
		})
	},
	"nothing": func(_ *rand.Rand, n int) *Rows {
		return sprinkled(nil, n, 3, func(int, int) float64 { return 0 })
	},
}

func sprinkled(_ *rand.Rand, n, d int, value func(i, c int) float64) *Rows {
	r := NewRows(d)
	for i := range n {
		var cols []int32
		var vals []float64
		for c := range d {
			if v := value(i, c); v != 0 {
				cols, vals = append(cols, int32(c)), append(vals, v)
			}
		}
		r.Append(cols, vals)
	}
	return r
}

func TestDesign_ProductsAreThoseOfTheRows(t *testing.T) {
	g := rand.New(rand.NewPCG(5, 6))
	used := map[string]bool{}
	for name, shape := range shapes {
		for _, n := range []int{0, 1, 2, 3, 9, 64, 101} {
			u := shape(g, n)
			m := newDesign(u)
			used["full"] = used["full"] || len(m.full) > 3
			used["codes"] = used["codes"] || len(m.coded) > 3 && m.width > 8
			used["entries"] = used["entries"] || len(m.entry) > 3
			f, s := make([]float64, u.D), make([]float64, n)
			for k := range f {
				f[k] = g.NormFloat64()
			}
			for k := range s {
				s[k] = g.NormFloat64()
			}
			out, back := make([]float64, n), make([]float64, u.D)
			for k := range out {
				out[k] = math.NaN() // what stood there is not read
			}
			m.times(f, out)
			m.transposedTimes(s, back)
			want := make([]float64, u.D)
			for i := range n {
				cols, vals := u.Row(i)
				sum := 0.0
				for k, c := range cols {
					sum += vals[k] * f[c]
					want[c] += vals[k] * s[i]
				}
				if !(math.Abs(out[i]-sum) <= 1e-12*(1+math.Abs(sum))) {
					t.Errorf("%s, %d rows: row %d is %v, want %v", name, n, i, out[i], sum)
				}
			}
			for c := range want {
				if !(math.Abs(back[c]-want[c]) <= 1e-12*(1+math.Abs(want[c]))) {
					t.Errorf("%s, %d rows: column %d is %v, want %v", name, n, c, back[c], want[c])
				}
			}
		}
	}
	if len(used) != 3 || !used["full"] || !used["codes"] || !used["entries"] {
		t.Errorf("of the three ways %v were used", used)
	}
}

// As many columns as there are bytes for codes, one less and one more: the code that fills rows up is no column's.
func TestDesign_HasACodeForEachColumn(t *testing.T) {
	for _, d := range []int{noCode - 2, noCode - 1, noCode, noCode + 1, noCode + 2} {
		u := NewRows(d)
		f := make([]float64, d)
		for k := range d {
			f[k] = 1 + float64(k)
			next := (k + 1) % d
			u.Append([]int32{int32(min(k, next)), int32(max(k, next))}, []float64{0.5, 0.5})
		}
		m, out := newDesign(u), make([]float64, u.Len())
		if (len(m.coded) == d) != (d < noCode) {
			t.Fatalf("%d columns have %d codes", d, len(m.coded))
		}
		m.times(f, out)
		for i, got := range out {
			want := 0.0
			cols, vals := u.Row(i)
			for k, c := range cols {
				want += vals[k] * f[c]
			}
			if got != want {
				t.Errorf("%d columns: row %d is %v, want %v", d, i, got, want)
			}
		}
	}
}

// A step over which the gradient does not grow has no secant pair: the metric would not be positive definite.
func TestPairs_RememberOnlyGrowth(t *testing.T) {
	var m pairs
	m.remember(1, []float64{1, 0}, []float64{0, 0}, []float64{2, 0})
	for _, after := range []float64{-0.5, 0, math.NaN()} {
		if m.remember(1, []float64{1, 0}, []float64{0, 0}, []float64{after, 3}); len(m) != 1 {
			t.Errorf("kept a pair of s·y = %v", after)
		}
	}
}

// The secant equations of a solve's steps correct an old factor: fewer passes over the data, the same minimum.
func TestSolver_SecantsSavePasses(t *testing.T) {
	g := rand.New(rand.NewPCG(7, 8))
	u := shapes["dense"](g, 300)
	o := &Objective{U: u, Weight: 1.0 / 300, Loss: Logistic, Ridge: 1e-3}
	s, w := NewSolver(o, 1e-12), NewScratch(u.D, 300)
	f, q := make([]float64, u.D), make([]float64, u.D)
	with, without := 0, 0
	for round := range 60 {
		for k := range q {
			q[k] = 0.3 * math.Sin(float64(k+1)) * math.Exp(-float64(round)/15)
		}
		// The same steps with the old factor alone, from the same point.
		if len(s.hessian.packed) > 0 && !s.stale {
			x := append([]float64{}, f...)
			other := NewSolver(o, 1e-12)
			other.hessian = s.hessian
			bare := NewScratch(u.D, 300)
			for range 50 {
				other.evaluate(bare, x)
				without++
				if other.total(bare.total, q, o.Ridge+0.1) <= 1e-12*math.Max(1, num.Norm(q)) {
					break
				}
				other.hessian.factor.Solve(bare.total)
				num.Axpy(-1, bare.total, x)
			}
			with++ // the solve has the gradient at its start already
		}
		before := len(s.hessian.packed) > 0 && !s.stale
		stats, err := s.Solve(w, f, q, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		if before {
			with += stats.Evaluations
		}
		gradient := make([]float64, u.D)
		NewSolver(o, 0).Gradient(w, f, gradient)
		for k := range gradient {
			gradient[k] += 0.1*f[k] + q[k]
		}
		if n := num.Norm(gradient); !(n <= 2e-12) {
			t.Fatalf("round %d: gradient %.3g", round, n)
		}
	}
	if with >= without {
		t.Errorf("%d passes with secant equations, %d without", with, without)
	}
	t.Logf("%d passes with secant equations, %d without", with, without)
}

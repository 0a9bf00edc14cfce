// Matrices with and without an index.

package problem

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"overhear/internal/num"
)

func normalRows(g *rand.Rand, n, d int) *Rows {
	r, cols, row := NewRows(d), make([]int32, d), make([]float64, d)
	for range n {
		for k := range row {
			cols[k], row[k] = int32(k), g.NormFloat64()
		}
		r.Append(cols, row)
	}
	return r
}

// equalRows compares matrices row by row.
func equalRows(a, b *Rows) bool {
	if a.D != b.D || a.Len() != b.Len() || a.Entries() != b.Entries() {
		return false
	}
	for i := range a.Len() {
		ac, av := a.Row(i)
		bc, bv := b.Row(i)
		if !slices.Equal(ac, bc) || !slices.Equal(av, bv) {
			return false
		}
	}
	return true
}

func TestRows_HaveNoIndexWhileAllAreFull(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	r := normalRows(g, 5, 3)
	if !r.full() || len(r.Col) != 3 || r.Start != nil {
		t.Fatalf("full rows have an index: %+v", r)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var read Rows
	if err := json.Unmarshal(text, &read); err != nil || read.full() || !equalRows(r, &read) {
		t.Fatalf("%v: %+v was written as %s", err, r, text)
	}
	for _, short := range []struct {
		d    int
		cols []int32
		vals []float64
	}{{3, []int32{0, 2}, []float64{4, 5}}, {3, nil, nil}, {4, []int32{0, 1, 2, 3}, []float64{1, 2, 3, 4}}} {
		r, want := normalRows(g, 5, 3), &Rows{D: short.d, Start: []int32{0}}
		for i := range r.Len() {
			cols, vals := r.Row(i)
			want.Col, want.Val = append(want.Col, cols...), append(want.Val, vals...)
			want.Start = append(want.Start, int32(len(want.Val)))
		}
		want.Col, want.Val = append(want.Col, short.cols...), append(want.Val, short.vals...)
		want.Start = append(want.Start, int32(len(want.Val)))
		r.D = short.d // as readers do that learn of columns by and by
		r.Append(short.cols, short.vals)
		if r.full() || !equalRows(r, want) {
			t.Errorf("after a row of %v: %+v, want %+v", short.cols, r, want)
		}
	}
}

func TestColumnBlocks_ShareConsecutiveRowsAndCopyOthers(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 4))
	sparse := normalRows(g, 9, 10)
	sparse.index()
	full := normalRows(g, 9, 10)
	full.Val = sparse.Val
	widths := []int{4, 5, 1}
	for _, rows := range [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {2, 3, 4}, {8}, {3, 1, 2}, {}} {
		y := []float64{1, -1, 1, 1, -1, 1, -1, -1, 1}
		a, ya, copied := columnBlocks(&Set{X: full, Y: y}, widths, rows)
		b, yb, _ := columnBlocks(&Set{X: sparse, Y: y}, widths, rows)
		if !slices.Equal(ya, yb) {
			t.Fatalf("labels %v and %v", ya, yb)
		}
		for m := range a {
			if !equalRows(a[m], b[m]) {
				t.Errorf("rows %v: block %d is %+v, want %+v", rows, m, a[m], b[m])
			}
		}
		shared := len(rows) > 1 && rows[0] < rows[1]
		if shared != (len(rows) > 1 && &a[0].Val[0] == &full.Val[rows[0]*10]) {
			t.Errorf("rows %v: sharing is %v, want it %v", rows, !shared, shared)
		}
		consecutive := len(rows) == 1 || shared && len(rows) > 0
		if numbers := float64(8 * 10 * len(rows)); !consecutive && copied < numbers || consecutive && copied != 0 {
			t.Errorf("rows %v: %v bytes are said to be copied", rows, copied)
		}
		for parties := 1; parties <= 3; parties++ {
			u, want := join(a[:parties]), NewRows(sum(widths[:parties]))
			for _, i := range rows {
				cols, vals := sparse.Row(i)
				want.Append(cols[:want.D], vals[:want.D])
			}
			if !equalRows(u, want) {
				t.Errorf("rows %v: %d parties together have %+v, want %+v", rows, parties, u, want)
			}
			if shared && &u.Val[0] != &a[0].Val[0] {
				t.Errorf("rows %v: %d parties were copied", rows, parties)
			}
		}
		if len(rows) == 9 { // blocks out of order are no neighbours
			if u := join([]*Rows{a[1], a[0]}); !slices.Equal(u.fullRow(2)[5:], a[0].fullRow(2)) {
				t.Errorf("blocks in another order: %v", u.fullRow(2))
			}
		}
	}
}

// A set that is prepared in place is the prepared one, and Apply leaves its set as it is.
func TestScale_InPlace(t *testing.T) {
	for _, full := range []bool{true, false} {
		for _, intercept := range []bool{true, false} {
			x := normalRows(rand.New(rand.NewPCG(7, 8)), 6, 4)
			if !full {
				x.Append([]int32{1, 3}, []float64{4, -5})
			}
			original, scale := x.scaled([]int{0, 1, 2}, []float64{1, 1, 1}), Scale{Columns: "max", Rows: "clip",
				Intercept: intercept}
			want := scale.Apply(&Set{X: x}, nil)
			if again := x.scaled([]int{0, 1, 2}, []float64{1, 1, 1}); !equalRows(original, again) {
				t.Fatal("Apply has changed its set")
			}
			got := scale.InPlace(&Set{X: x}, nil)
			if !equalRows(got.X, want.X) {
				t.Errorf("in place: %+v, want %+v", got.X, want.X)
			}
			if (&got.X.Val[0] == &x.Val[0]) == intercept {
				t.Errorf("with an intercept %v, the memory is the same: %v", intercept, !intercept)
			}
		}
	}
}

func sum(widths []int) (total int) {
	for _, w := range widths {
		total += w
	}
	return total
}

// A matrix of long rows without an index has the products that its copy by columns has.
func TestProducts_KeepLongRows(t *testing.T) {
	g := rand.New(rand.NewPCG(5, 6))
	const n, d = 13, maxNewton + 5
	u := normalRows(g, n, d)
	byRows := newProducts(&Objective{U: u})
	if _, ok := byRows.(*fullRows); !ok {
		t.Fatal("the rows were copied")
	}
	byColumns := newProducts(&Objective{U: u.indexed()})
	for _, c := range []struct {
		in, out  int
		multiply func(m products, in, out []float64)
	}{{d, n, products.times}, {n, d, products.transposedTimes}} {
		in, got, want := make([]float64, c.in), make([]float64, c.out), make([]float64, c.out)
		for k := range in {
			in[k] = g.NormFloat64()
		}
		c.multiply(byRows, in, got)
		c.multiply(byColumns, in, want)
		num.Axpy(-1, want, got)
		if e := num.Norm(got) / num.Norm(want); !(e < 1e-14) {
			t.Errorf("a product of %d numbers is off by %v", c.in, e)
		}
	}
}

// Rows are scaled by their length whatever the size of their numbers, whose squares may be none.
func TestScale_OfHugeAndTinyRows(t *testing.T) {
	for _, c := range []struct {
		rows       string
		given, got [2]float64
	}{
		{"unit", [2]float64{1.5, 1e160}, [2]float64{1.5e-160, 1}},
		{"unit", [2]float64{1.7e308, -1.7e308}, [2]float64{math.Sqrt2 / 2, -math.Sqrt2 / 2}},
		{"clip", [2]float64{3e200, 4e200}, [2]float64{0.6, 0.8}},
		{"clip", [2]float64{3e-200, 4e-200}, [2]float64{3e-200, 4e-200}},
		{"unit", [2]float64{3e-200, 4e-200}, [2]float64{0.6, 0.8}},
		{"unit", [2]float64{5e-324, 5e-324}, [2]float64{math.Sqrt2 / 2, math.Sqrt2 / 2}},
		{"unit", [2]float64{0, 0}, [2]float64{0, 0}},
		{"max", [2]float64{3e200, 4e200}, [2]float64{0.6, 0.8}},
		{"max", [2]float64{1.7e308, 1.7e308}, [2]float64{math.Sqrt2 / 2, math.Sqrt2 / 2}},
		{"unit-per-party", [2]float64{3e200, 4e200}, [2]float64{0.6, 0.8}},
	} {
		x := NewRows(2)
		x.Append([]int32{0, 1}, c.given[:])
		x.Append([]int32{0, 1}, []float64{1, 1})
		set := &Set{X: x, Columns: []string{"a", "b"}}
		s := Scale{Columns: "none", Rows: c.rows}
		out := s.Apply(set, nil)
		s.Parties(out, []int{2})
		_, got := out.X.Row(0)
		for k := range got {
			if !(math.Abs(got[k]-c.got[k]) <= 1e-15*math.Abs(c.got[k])) {
				t.Errorf("%s: %v becomes %v, and should %v", c.rows, c.given, got, c.got)
			}
		}
	}
}

// Products of rows that were added to are of all of them, and of rows that were not are arranged once.
func TestProducts_FollowAddedRows(t *testing.T) {
	g := rand.New(rand.NewPCG(7, 8))
	u := normalRows(g, 9, 4)
	o := &Objective{U: u}
	first := newProducts(o)
	if newProducts(o) != first {
		t.Error("the same rows are arranged twice")
	}
	cols, vals := u.Row(3)
	u.Append(slices.Clone(cols), slices.Clone(vals))
	f, out := []float64{1, 2, 3, 4}, make([]float64, 10)
	newProducts(o).times(f, out)
	if out[9] != out[3] || out[3] == 0 {
		t.Errorf("the row that was added gives %v, want %v", out[9], out[3])
	}
}

// What is asked for ahead of a solve is the solver, then what it points to, then rows that are where they are; before
// the first solve it is not known which these are.
func TestSolver_PrefetchEnds(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ rows, last int }{{2, 2}, {40, 1}} { // few, which are read in place, and many
		o := &Objective{U: normalRows(g, c.rows, 8), Weight: 1, Loss: Logistic, Ridge: 0.1}
		s := NewSolver(o, 0)
		depth := func() (depth int) {
			for s.Prefetch(depth) && depth < 100 {
				depth++
			}
			return depth
		}
		if got := depth(); got != 1 {
			t.Errorf("%d rows, before the first solve: the last depth is %d", c.rows, got)
		}
		if _, err := s.Solve(NewScratch(8, c.rows), make([]float64, 8), make([]float64, 8), 0.3); err != nil {
			t.Fatal(err)
		}
		if got := depth(); got != c.last {
			t.Errorf("%d rows: the last depth is %d, not %d", c.rows, got, c.last)
		}
	}
}

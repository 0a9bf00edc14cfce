// A map against filters, and filters against one covariance.

package marginal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"
)

// random is a run of affine rounds on a ring with a chord.
func random(n, d, parts, rounds int) (*Rounds, [][]Node) {
	r := rand.New(rand.NewSource(int64(n + 10*d)))
	out := &Rounds{D: d, Parts: parts, Count: rounds, Neighbours: make([][]int32, n)}
	link := func(i, j int) {
		out.Neighbours[i] = append(out.Neighbours[i], int32(j))
		out.Neighbours[j] = append(out.Neighbours[j], int32(i))
	}
	for i := range n {
		link(i, (i+1)%n)
	}
	link(0, n/2)
	block := func(scale float64) []float64 {
		b := make([]float64, d*d)
		for k := range b {
			b[k] = scale * r.NormFloat64()
		}
		return b
	}
	all := make([][]Node, rounds)
	for t := range all {
		all[t] = make([]Node, n)
		for i := range all[t] {
			v := &all[t][i]
			for o := range parts {
				for in := range parts {
					v.Own[o][in] = block(0.4)
				}
				for range out.Neighbours[i] {
					v.Heard[o] = append(v.Heard[o], block(0.3))
				}
				v.Shift[o] = block(0.2)[:d]
			}
			v.Noise[0] = block(1)
			if parts > 1 && i%2 == 0 {
				v.Noise[1] = block(0.3)
			}
		}
	}
	out.Round = func(t int) ([]Node, error) { return all[t-1], nil }
	return out, all
}

// filtered is what an observer learns about a victim by a filter over the same rounds.
func filtered(r *Rounds, all [][]Node, observer, victim int) float64 {
	f := NewFilter(r.D, 1)
	n := len(r.Neighbours)
	held := make([][3]int, n)
	for i := range held {
		held[i] = [3]int{Known, Known, Known}
		if start := make([]float64, r.D*r.D); r.Start > 0 && i != observer {
			for k := range r.D {
				start[k*r.D+k] = r.Start
			}
			held[i][0] = f.Make(Value{Noise: start})[0]
			if observer < 0 || slices.Contains(r.Neighbours[observer], int32(i)) {
				f.Observe(held[i][0])
			}
		}
	}
	for _, nodes := range all {
		next := make([][3]int, n)
		for i := range nodes {
			var values []Value
			for o := range r.Parts {
				var v Value
				for in := range r.Parts {
					v.Terms = append(v.Terms, Term{held[i][in], nodes[i].Own[o][in]})
				}
				for k, j := range r.Neighbours[i] {
					v.Terms = append(v.Terms, Term{held[j][0], nodes[i].Heard[o][k]})
				}
				if i != observer {
					v.Noise = nodes[i].Noise[o]
				}
				if i == victim {
					v.Shift = nodes[i].Shift[o]
				}
				values = append(values, v)
			}
			next[i] = [3]int{Known, Known, Known}
			copy(next[i][:], f.Make(values...))
		}
		for i := range held {
			for _, slot := range held[i] {
				f.Free(slot)
			}
		}
		held = next
		for _, j := range r.Neighbours[max(observer, 0)] {
			if observer >= 0 {
				f.Observe(held[j][0])
			}
		}
		if observer < 0 {
			for i := range held {
				f.Observe(held[i][0])
			}
		}
	}
	return math.Sqrt(squares(f)[0])
}

// A map is what filters find, one observer after the other, and so is what one who sees all learns.
func TestMap_IsWhatFiltersFind(t *testing.T) {
	for _, c := range [][4]int{{6, 1, 1, 4}, {7, 2, 1, 5}, {6, 2, 2, 4}, {5, 1, 3, 4}} {
		r, all := random(c[0], c[1], c[2], c[3])
		if c[1] == 2 {
			r.Start = 0.8
		}
		pairs, err := Map(context.Background(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c[0] {
			for j := range c[0] {
				if i == j {
					continue
				}
				want := filtered(r, all, j, i)
				if got := pairs.Mu[j][i]; !(math.Abs(got-want) <= 1e-9*(1+want)) {
					t.Errorf("%v: node %d learns %v of node %d, by a filter %v", c, j, got, i, want)
				}
				if got := pairs.Mu[j][i]; got > pairs.All[i]*(1+1e-9) && c[2] == 1 {
					t.Errorf("%v: node %d learns %v of node %d, and one who sees all %v", c, j, got, i, pairs.All[i])
				}
			}
			if want := filtered(r, all, -1, i); c[2] == 1 && !(math.Abs(pairs.All[i]-want) <= 1e-9*(1+want)) {
				t.Errorf("%v: one who sees all learns %v of node %d, by a filter %v", c, pairs.All[i], i, want)
			}
		}
	}
}

// exact is a number of 1,000 bits.
func exact(x float64) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(x) }

// add adds c·x to to.
func add(c *big.Float, x, to []*big.Float) {
	if c.Sign() == 0 {
		return
	}
	for k, v := range x {
		if v.Sign() != 0 {
			to[k].Add(to[k], exact(0).Mul(c, v))
		}
	}
}

func dot(x, y []*big.Float) *big.Float {
	sum := exact(0)
	for k := range x {
		if x[k].Sign() != 0 && y[k].Sign() != 0 {
			sum.Add(sum, exact(0).Mul(x[k], y[k]))
		}
	}
	return sum
}

// whole is μ² by numbers of 1,000 bits, from what every value that is seen has of every draw (and, last, of what the
// worlds differ by): of each what is orthogonal to those before.
func whole(r *Rounds, all [][]Node, observer, victim int) float64 {
	n, d := len(r.Neighbours), r.D
	draws := n * (len(all) + 1) * d // the last are the starts
	zeros := func() [][3][][]*big.Float {
		state := make([][3][][]*big.Float, n)
		for i := range state {
			for p := range 3 {
				for range d {
					row := make([]*big.Float, draws+1)
					for k := range row {
						row[k] = exact(0)
					}
					state[i][p] = append(state[i][p], row)
				}
			}
		}
		return state
	}
	state := zeros()
	var basis [][]*big.Float
	square := exact(0)
	hear := func() {
		for _, j := range r.Neighbours[observer] {
			for _, seen := range state[j][0] {
				seen = slices.Clone(seen)
				for k := range seen {
					seen[k] = exact(0).Set(seen[k])
				}
				before := dot(seen[:draws], seen[:draws])
				for _, b := range basis {
					c := dot(seen[:draws], b[:draws])
					add(c.Neg(c.Quo(c, dot(b[:draws], b[:draws]))), b, seen)
				}
				left := dot(seen[:draws], seen[:draws])
				if left.Cmp(before.Mul(before, exact(1e-200))) > 0 {
					basis = append(basis, seen)
					square.Add(square, left.Quo(exact(0).Mul(seen[draws], seen[draws]), left))
				}
			}
		}
	}
	for i := range n {
		for c := 0; c < d && i != observer; c++ {
			state[i][0][c][(n*len(all)+i)*d+c] = exact(r.Start)
		}
	}
	hear()
	for t, nodes := range all {
		next := zeros()
		for i, v := range nodes {
			for o := range r.Parts {
				for c, x := range next[i][o] {
					from := func(block []float64, values [][]*big.Float) {
						for k := 0; k < d && block != nil; k++ {
							add(exact(block[c*d+k]), values[k], x)
						}
					}
					for in := range r.Parts {
						from(v.Own[o][in], state[i][in])
					}
					for k, j := range r.Neighbours[i] {
						from(v.Heard[o][k], state[j][0])
					}
					for k := 0; k < d && i != observer && v.Noise[o] != nil; k++ {
						at := x[(t*n+i)*d+k]
						at.Add(at, exact(v.Noise[o][c*d+k]))
					}
					if i == victim && v.Shift[o] != nil {
						x[draws].Add(x[draws], exact(v.Shift[o][c]))
					}
				}
			}
		}
		state = next
		hear()
	}
	out, _ := square.Float64()
	return out
}

func TestFilter_IsTheCovarianceOfAllThatIsSeen(t *testing.T) {
	for _, c := range [][4]int{{5, 1, 1, 4}, {6, 2, 1, 3}, {5, 2, 2, 3}, {5, 1, 3, 4}} {
		r, all := random(c[0], c[1], c[2], c[3])
		if c[1] == 2 {
			r.Start = 0.8
		}
		for victim := 1; victim < c[0]; victim++ {
			want := math.Sqrt(whole(r, all, 0, victim))
			if got := filtered(r, all, 0, victim); !(math.Abs(got-want) <= 1e-8*want) {
				t.Errorf("%v: of node %d %v, by one covariance %v", c, victim, got, want)
			}
		}
	}
}

// What no noise hides tells worlds apart; what is seen twice says nothing the second time; what is the same in both
// worlds says nothing.
// squares are those of a filter in which rounding decides nothing.
func squares(f *Filter) []float64 {
	all, err := f.Squares()
	if err != nil {
		panic(err)
	}
	return all
}

func TestFilter_OfTheKnown(t *testing.T) {
	one := []float64{1}
	f := NewFilter(1, 1)
	x := f.Make(Value{Noise: one, Shift: one})[0]
	y := f.Make(Value{Terms: []Term{{x, one}}})[0]
	f.Observe(x)
	if f.Observe(y); squares(f)[0] != 1 {
		t.Errorf("μ² of one look at N(1, 1) is %v", squares(f)[0])
	}
	z := f.Make(Value{Terms: []Term{{x, one}}, Shift: one})[0]
	if f.Observe(z); !math.IsInf(squares(f)[0], 1) {
		t.Errorf("what differs and has no noise says %v", squares(f)[0])
	}
	f = NewFilter(1, 1)
	a, b := f.Make(Value{Noise: one})[0], f.Make(Value{Noise: one, Shift: one})[0]
	sum := f.Make(Value{Terms: []Term{{a, one}, {b, one}}})[0]
	less := f.Make(Value{Terms: []Term{{a, one}, {b, []float64{-1}}}})[0]
	f.Observe(sum)
	if got := squares(f)[0]; !(math.Abs(got-0.5) <= 1e-15) {
		t.Errorf("the sum says %v", got)
	}
	f.Observe(less)
	if got := squares(f)[0]; !(math.Abs(got-1) <= 1e-12) {
		t.Errorf("sum and difference say %v, and b alone 1", got)
	}
	if f.Observe(a); !(math.Abs(squares(f)[0]-1) <= 1e-12) {
		t.Errorf("a, which follows, makes it %v", squares(f)[0])
	}
	if slots := f.Make(Value{Terms: []Term{{Known, one}, {a, nil}}}); slots[0] != Known {
		t.Error("what is made of nothing unknown is not known")
	}
}

// path is a run on a path whose nodes draw noise once, and average from then on.
func path(n, rounds int) (*Rounds, [][]Node) {
	r := &Rounds{D: 1, Parts: 1, Count: rounds, Neighbours: make([][]int32, n)}
	all := make([][]Node, rounds)
	for i := range n - 1 {
		r.Neighbours[i] = append(r.Neighbours[i], int32(i+1))
		r.Neighbours[i+1] = append(r.Neighbours[i+1], int32(i))
	}
	for t := range all {
		all[t] = make([]Node, n)
		for i := range n {
			v, heard := &all[t][i], len(r.Neighbours[i])
			v.Own[0][0] = []float64{1 - float64(heard)/3}
			v.Heard[0] = slices.Repeat([][]float64{{1.0 / 3}}, heard)
			if t == 0 {
				v.Noise[0], v.Shift[0] = []float64{1 + float64(i)/10}, []float64{1}
			}
		}
	}
	r.Round = func(t int) ([]Node, error) { return all[t-1], nil }
	return r, all
}

// Noise that shrinks from round to round, or that is drawn once and averaged, leaves of what is heard a part in 10¹⁰
// and less that does not follow from what was heard before: a map has that part, too.
func TestMap_HasWhatIsLeftAfterCancelling(t *testing.T) {
	hold := func(name string, r *Rounds, all [][]Node) {
		t.Helper()
		pairs, err := Map(context.Background(), r, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		last := len(r.Neighbours) - 1
		for _, pair := range [][2]int{{0, 1}, {0, last}, {last / 2, last}, {1, 0}} {
			want := math.Sqrt(whole(r, all, pair[0], pair[1]))
			if got := pairs.Mu[pair[0]][pair[1]]; !(math.Abs(got-want) <= 1e-6*(1e-6+want)) {
				t.Errorf("%s: node %d learns %v of node %d, by 1,000 bits %v", name, pair[0], got, pair[1], want)
			}
		}
	}
	for _, shrinks := range []float64{1, 0.5, 0.1, 0.03} {
		r, all := random(6, 1, 1, 8)
		scale := 1.0
		for _, nodes := range all {
			for i := range nodes {
				nodes[i].Noise[0] = []float64{scale}
			}
			scale *= shrinks
		}
		hold(fmt.Sprintf("noise that shrinks by %v", shrinks), r, all)
	}
	for _, n := range []int{6, 20} {
		for _, rounds := range []int{6, 21, 60} {
			r, all := path(n, rounds)
			r.Start = map[int]float64{6: 1}[rounds]
			hold(fmt.Sprintf("%d rounds of averaging by %d nodes", rounds, n), r, all)
		}
	}
}

// Noise that shrinks too far leaves nothing that rounding has not made, and what would take too long is not begun:
// neither is stated.
func TestMap_SaysWhereRoundingDecides(t *testing.T) {
	r, all := random(6, 1, 1, 12)
	scale := 1.0
	for _, nodes := range all {
		for i := range nodes {
			nodes[i].Noise[0] = []float64{scale}
		}
		scale /= 1000
	}
	if pairs, err := Map(context.Background(), r, nil); !errors.Is(err, ErrRounding) && (err != nil ||
		Within(pairs.Mu[0][1], pairs.All[1])) {
		t.Errorf("noise that shrinks by 1000: %v, %v", pairs, err)
	}
	r, _ = path(600, 40)
	if _, err := Map(context.Background(), r, nil); !errors.Is(err, ErrRounding) {
		t.Errorf("600 nodes that average: %v", err)
	}
}

// Values that follow from others but for a part that differs between the worlds are seen to the last digits of what is
// left; one of which nothing is left tells the worlds apart if they differ by more than rounding.
func TestFilter_SaysWhereRoundingDecides(t *testing.T) {
	one := []float64{1}
	for _, c := range []struct {
		noise, shift, want float64
		wrong              bool
	}{{1e-3, 0.1, 100, false}, {1e-9, 0.1, 1e8, false}, {1e-9, 1e-9, 1, false}, {1e-14, 0.1, 0, true},

		{0, 0.1, math.Inf(1), false}, {0, 1e-9, 0, true}, {0, 1e-14, 0, false}} {
		f := NewFilter(1, 1)
		other := f.Make(Value{Noise: []float64{1e9}, Shift: one})[0]
		x := f.Make(Value{Noise: one})[0]
		y := f.Make(Value{Terms: []Term{{x, one}}, Noise: []float64{c.noise}, Shift: []float64{c.shift}})[0]
		f.Observe(x)
		f.Observe(y)
		f.Free(other)
		all, err := f.Squares()
		right := errors.Is(err, ErrRounding) == c.wrong
		if err == nil {
			mu := math.Sqrt(all[0])
			right = right && (mu == c.want || math.Abs(mu-c.want) <= 1e-3*c.want && !math.IsInf(c.want, 1))
		}
		if !right {
			t.Errorf("noise %v, shift %v: μ² = %v, %v", c.noise, c.shift, all, err)
		}
	}
}

// Loadings are as many as numbers that are held, whatever was drawn.
func TestFilter_Condenses(t *testing.T) {
	f := NewFilter(2, 1)
	one := []float64{1, 0, 0, 1}
	x := f.Make(Value{Noise: one})[0]
	for range 200 {
		y := f.Make(Value{Terms: []Term{{x, []float64{0.5, 0.1, -0.1, 0.5}}}, Noise: one, Shift: []float64{1, 2}})[0]
		f.Free(x)
		x = y
	}
	if f.width > 14 {
		t.Errorf("%d columns for %d numbers", f.width, len(f.loads))
	}
	// Σ = M Σ Mᵀ + I with M = 0.5 + 0.1 of a rotation is I/(1 − 0.26); the means are (I − M)⁻¹ (1, 2).
	f.Observe(x)
	m := [2]float64{(0.5*1 + 0.1*2) / 0.26, (-0.1*1 + 0.5*2) / 0.26}
	want := (m[0]*m[0] + m[1]*m[1]) * 0.74
	if got := squares(f)[0]; !(math.Abs(got-want) <= 1e-12*want) {
		t.Errorf("μ² = %v, by hand %v", got, want)
	}
}

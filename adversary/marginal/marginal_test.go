// A map against filters, and filters against one covariance.

package marginal

import (
	"context"
	"errors"
	"math"
	"math/rand"
	"testing"

	"overhear/internal/num"
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

// whole is μ² by the covariance of all that is seen, which follows from what every value has of every draw.
func whole(r *Rounds, all [][]Node, observer, victim int) float64 {
	n, d, T := len(r.Neighbours), r.D, len(all)
	draws := n * T * d
	type row struct {
		of    []float64
		shift float64
	}
	state := make([][3][]row, n)
	for i := range state {
		for p := range 3 {
			for range d {
				state[i][p] = append(state[i][p], row{of: make([]float64, draws)})
			}
		}
	}
	var seen []row
	for t, nodes := range all {
		next := make([][3][]row, n)
		for i := range nodes {
			for o := range r.Parts {
				for c := range d {
					x := row{of: make([]float64, draws)}
					add := func(block []float64, from []row) {
						for k := range from {
							if block != nil {
								num.Axpy(block[c*d+k], from[k].of, x.of)
								x.shift += block[c*d+k] * from[k].shift
							}
						}
					}
					for in := range r.Parts {
						add(nodes[i].Own[o][in], state[i][in])
					}
					for k, j := range r.Neighbours[i] {
						add(nodes[i].Heard[o][k], state[j][0])
					}
					if i != observer && nodes[i].Noise[o] != nil {
						num.Axpy(1, nodes[i].Noise[o][c*d:(c+1)*d], x.of[(t*n+i)*d:(t*n+i+1)*d])
					}
					if i == victim {
						x.shift += nodes[i].Shift[o][c]
					}
					next[i][o] = append(next[i][o], x)
				}
			}
		}
		state = next
		for _, j := range r.Neighbours[observer] {
			seen = append(seen, state[j][0]...)
		}
	}
	packed := make([]float64, num.Packed(len(seen)))
	shift := make([]float64, len(seen))
	for a := range seen {
		shift[a] = seen[a].shift
		for b := range a + 1 {
			packed[num.Packed(a)+b] = num.Dot(seen[a].of, seen[b].of)
		}
	}
	var f num.Cholesky
	if err := f.Factor(packed, len(seen)); err != nil {
		return math.NaN()
	}
	x := append([]float64(nil), shift...)
	f.Solve(x)
	return num.Dot(x, shift)
}

func TestFilter_IsTheCovarianceOfAllThatIsSeen(t *testing.T) {
	for _, c := range [][4]int{{5, 1, 1, 4}, {6, 2, 1, 3}, {5, 2, 2, 3}, {5, 1, 3, 4}} {
		r, all := random(c[0], c[1], c[2], c[3])
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

// Noise that shrinks by powers of ten from round to round leaves of a state's variance what rounding hides; so does
// averaging without new noise, on a path. Neither is stated then.
func TestMap_SaysWhereRoundingDecides(t *testing.T) {
	for _, c := range []struct {
		rounds  int
		shrinks float64
		wrong   bool
	}{{8, 1, false}, {8, 0.5, false}, {8, 0.1, true}, {8, 0.01, true}} {
		r, all := random(6, 1, 1, c.rounds)
		scale := 1.0
		for _, nodes := range all {
			for i := range nodes {
				nodes[i].Noise[0] = []float64{scale}
			}
			scale *= c.shrinks
		}
		if _, err := Map(context.Background(), r, nil); errors.Is(err, ErrRounding) != c.wrong {
			t.Errorf("noise that shrinks by %v: %v", c.shrinks, err)
		}
	}
}

// Values that follow from others but for a part in 10¹², which differs between the worlds, are not taken for known, nor
// for worlds that nothing hides.
func TestFilter_SaysWhereRoundingDecides(t *testing.T) {
	for _, c := range []struct {
		noise float64
		wrong bool
	}{{1e-3, false}, {1e-6, true}, {0, false}} {
		f := NewFilter(1, 1)
		x := f.Make(Value{Noise: []float64{1}})[0]
		y := f.Make(Value{Terms: []Term{{x, []float64{1}}}, Noise: []float64{c.noise}, Shift: []float64{0.1}})[0]
		f.Observe(x)
		f.Observe(y)
		if _, err := f.Squares(); errors.Is(err, ErrRounding) != c.wrong {
			t.Errorf("noise %v: %v", c.noise, err)
		}
	}
}

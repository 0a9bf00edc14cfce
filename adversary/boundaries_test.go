// Small facts that reports of attacks rest on: labels from columns, counts in
// conclusions, bounds on errors.

package adversary

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/parameter"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// The label of u = y x is the sign of the columns that are never negative. The intercept
// is one of them, counted once; without such columns there is none.
func TestKnowledge_LabelIsTheSignOfColumns(t *testing.T) {
	u := []float64{0.5, -0.2, -0.4}
	for name, c := range map[string]struct {
		schema *Schema
		label  float64
	}{
		"nothing is known of columns":         {nil, 0},
		"no column has a sign":                {&Schema{Sign: []bool{false, false, false}, Intercept: -1}, 0},
		"one that is positive":                {&Schema{Sign: []bool{true, false, false}, Intercept: -1}, 1},
		"one that is negative":                {&Schema{Sign: []bool{false, true, false}, Intercept: -1}, -1},
		"the intercept alone":                 {&Schema{Sign: []bool{false, false, false}, Intercept: 2}, -1},
		"the first column is the intercept":   {&Schema{Sign: []bool{false, false, false}, Intercept: 0}, 1},
		"the intercept, its sign known too":   {&Schema{Sign: []bool{true, false, true}, Intercept: 2}, 1},
		"the intercept beside another column": {&Schema{Sign: []bool{true, false}, Intercept: 2}, 1},
	} {
		k := &Knowledge{Schema: c.schema}
		sign := c.label
		if sign == 0 {
			sign = 1
		}
		for _, signed := range []bool{true, false} {
			x, y := k.sample(u, signed)
			if want := c.label; signed && y != want || !signed && y != 0 {
				t.Errorf("%s: label %v, want %v", name, y, want)
			}
			for i := range u {
				if len(x) != 3 || x[i] != sign*u[i] {
					t.Fatalf("%s: %v is %v", name, u, x)
				}
			}
		}
	}
	k := new(Knowledge)
	for want, said := range map[string]string{"because −u fits as well": k.labelled(0, false),
		"known up to its sign": k.labelled(0, true), "give the label -1": k.labelled(-1, true)} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
}

// Differences of gradients are called clear where the expected noise is less than half of
// their length.
func TestDifferencing_CountsWhatNoiseLeavesClear(t *testing.T) {
	f := small(t, 4, 4, ring(5))
	rec, pub, reported := registered(t, f, 40, sim.Link{}, func(p *algorithms.PDML) {
		p.Eta, p.Deviation, p.Decay, p.Bound, p.Epsilon = 0.3, *constant(0.05), 0.5, 1, parameter.One(1)
	})
	k, _ := f.butOne(1, reported)
	got := carry(t, "gradient-differencing", Observe(rec, Vantage{}, pub, k))
	clear, held := 0, 0
	for _, c := range got.Checks {
		if c.Measured < c.Bound/2 {
			clear++
		}
		if c.Measured <= c.Bound {
			held++
		}
		if c.Holds != (c.Measured <= c.Bound) {
			t.Errorf("%+v", c)
		}
	}
	if clear == 0 || clear == held || held == len(got.Checks) {
		t.Fatalf("%d clear, %d held, of %d: the counts cannot be told apart", clear, held, len(got.Checks))
	}
	want := fmt.Sprintf("less than half of the difference in %d of them", clear)
	if !strings.Contains(got.Conclusion, want) {
		t.Errorf("%q, want %q", got.Conclusion, want)
	}
}

// One hop further, by hand: node 1 of a path of three, its neighbours unseen. What entered
// its update is (2λ(t−2) + (θ − η)V f(t−1) + ∇O + 2ηV f(t))/(η + θ), and the solver's
// tolerance ε, relative to max(1, ‖∇O‖ + 2ηV‖f‖), leaves ε/(η + θ) of it in round 1.
func TestInsider_BoundsOfErrors(t *testing.T) {
	const eta, tolerance, size = 3.0, 1e-6, 1
	graph, err := sim.NewGraph(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	u := problem.NewRows(1)
	u.Append([]int32{0}, []float64{0.8})
	pub := known(t, "admm", algorithms.ADMM{Eta: eta}, model.Run{Graph: graph, D: 1, Rounds: 3, Loss: problem.Squared,
		C: 1, R: []float64{0.2, 0.3, 0.4}, Tolerance: tolerance, Timing: model.Timing{Lockstep: true}})
	published := []float64{0.5, 2, -1, 3}
	var all []record.Iterate
	for round, v := range published {
		all = append(all, record.Iterate{Node: 1, Round: int32(round), Values: []float64{v}})
	}
	slope := func(f float64) float64 { return 0.8*(0.8*f-1) + 0.3*f } // ∇O: squared loss, ridge
	scale := func(f float64) float64 { return math.Max(1, math.Abs(slope(f))+2*eta*2*math.Abs(f)) }
	i := &insider{v: Overheard(pub, nil, all), method: pub.Method.(model.NodeDual), node: 1,
		data: &Samples{U: u, Y: []float64{1}}, fade: 1}
	dual, wrong := 0.0, 0.0
	for round := 1; round <= 3; round++ {
		theta := 0.0
		if round > 1 {
			theta = eta
		}
		e, err := i.round(round)
		if err != nil {
			t.Fatal(err)
		}
		before, now := published[round-1], published[round]
		sum := (2*dual + (theta-eta)*2*before + slope(now) + 2*eta*2*now) / (eta + theta)
		left := tolerance * scale(now)
		if !(math.Abs(e.sum[0]-sum) <= 1e-12) || !(math.Abs(e.error-(2*wrong+left)/(eta+theta)) <= 1e-15) ||
			e.noise != 0 ||
			e.fade != 0 {
			t.Errorf("round %d: %+v, want %v within %v", round, e, sum, (2*wrong+left)/(eta+theta))
		}
		// λ ← λ + (θ/2)(V f − s): s is off by (2·wrong + left)/(η + θ)
		dual += theta / 2 * (2*before - sum)
		wrong = eta/(eta+theta)*wrong + theta/2*left/(eta+theta)
	}

	// A round of which a value is missing is named, and what follows starts anew: the dual is
	// then taken from 2λ + ∇O = 0, what is wrong of it halving in every round.
	v := Overheard(pub, nil, slices.Concat(all[:1], all[2:]))
	i = &insider{v: v, method: i.method, node: 1, data: i.data, fade: 1}
	for round, missing := range map[int]int{1: 1, 2: 1} {
		want := fmt.Sprintf("the value of node 1 in round %d", missing)
		if _, err := i.round(round); err == nil || err.Error() != want {
			t.Errorf("round %d: %v", round, err)
		}
	}
	e, err := i.round(3)
	if err != nil {
		t.Fatal(err)
	}
	if want := (-slope(3) + slope(3) + 2*eta*2*3) / (2 * eta); !(math.Abs(e.sum[0]-want) <= 1e-12) || e.fade != 1 ||
		!(math.Abs(i.fade-0.5) <= 1e-15) {
		t.Errorf("a late start: %+v and %v, want %v", e, i.fade, want)
	}
}

// In an even round of a recycling method the sum is half of the odd one's and what the
// messages say: its errors are half as large.
func TestInsider_EvenRoundsHalveTheErrors(t *testing.T) {
	graph, err := sim.NewGraph(2, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	u := problem.NewRows(1)
	u.Append([]int32{0}, []float64{0.8})
	params := algorithms.PrivateRADMM{Alpha: parameter.Constant(2)}
	params.Eta, params.Gamma = 0.7, 0.4
	pub := known(t, "private-r-admm", params, model.Run{Graph: graph, D: 1, Rounds: 4, Loss: problem.Squared, C: 1,
		R: []float64{0.2, 0.3}, Tolerance: 1e-6, Timing: model.Timing{Lockstep: true}})
	var all []record.Iterate
	for round, v := range []float64{0.5, 0.9, 0.7, 0.4, 0.6} {
		all = append(all, record.Iterate{Node: 1, Round: int32(round), Values: []float64{v}})
	}
	i := &insider{v: Overheard(pub, nil, all), method: pub.Method.(model.NodeDual), node: 1,
		data: &Samples{U: u, Y: []float64{1}}, fade: 1}
	for round := 1; round < 4; round += 2 {
		odd, err := i.round(round)
		if err != nil {
			t.Fatal(err)
		}
		even, err := i.round(round + 1)
		if err != nil {
			t.Fatal(err)
		}
		if !(odd.error > 0) || !(odd.noise > 0) || !(math.Abs(even.error-odd.error/2) <= 1e-18) ||
			!(math.Abs(even.noise-odd.noise/2) <= 1e-15) {
			t.Errorf("rounds %d and %d: %+v and %+v", round, round+1, odd, even)
		}
	}
}

// Where rounds determine every direction of a sample, nothing is said of directions that
// they do not; and no other vector that fits as well is reported.
func TestKKTRounds_SaysWhatIsDetermined(t *testing.T) {
	f := small(t, 7, 3, ring(5))
	rec, pub := run(t, f, "admm", 12, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	k, want := f.allBut(1, 0)
	got := carry(t, "kkt-rounds", Observe(rec, Vantage{}, pub, k))
	e := best(got)
	if off := relative(e.X, want.X); !(off < 1e-8) || strings.Contains(got.Conclusion, "directions") ||
		strings.Contains(got.Conclusion, "fit as well") {
		t.Errorf("off by %.3g: %s", off, got.Conclusion)
	}
	if n := num.Norm(e.X); !strings.Contains(got.Conclusion, fmt.Sprintf("u of length %.4g", n)) {
		t.Errorf("length %v: %s", n, got.Conclusion)
	}
}

// A sample far on the right side of the margin leaves what another one would leave, too: a
// later round, which one round's inversion looks at, decides. The messages are made for
// the sample: node 0's values are given, and node 1's are those that fit.
func TestKKTInversion_ALaterRoundDecides(t *testing.T) {
	const eta, r = 0.5, 0.2
	graph, err := sim.NewGraph(2, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	u := []float64{0.8, 0.5}
	v := [][]float64{{0, 0}, {2, 1.5}, {0.5, -0.7}}
	// 2λ(t−1) − η(v(t−1) + s(t−1)) + (r + 2η)v(t) + ∇ = 0, λ(0) = 0, λ(1) = (η/2)(v(1) − s(1))
	slope := func(t, k int) float64 { return -u[k] / (1 + math.Exp(num.Dot(v[t], u))) }
	s := [][]float64{make([]float64, 2), make([]float64, 2), make([]float64, 2)}
	for k := range u {
		s[0][k] = (slope(1, k)+(r+2*eta)*v[1][k])/eta - v[0][k]
		s[1][k] = (slope(2, k) + (r+2*eta)*v[2][k]) / (2 * eta)
	}
	var all []record.Iterate
	for round := range v {
		all = append(all, record.Iterate{Node: 0, Round: int32(round), Values: v[round]},
			record.Iterate{Node: 1, Round: int32(round), Values: s[round]})
	}
	pub := known(t, "admm", algorithms.ADMM{Eta: eta}, model.Run{Graph: graph, D: 2, Rounds: 2, Loss: problem.Logistic,
		C: 1, R: []float64{r, r}, Timing: model.Timing{Lockstep: true}})
	k := &Knowledge{Size: 1, Others: new(Samples), Schema: &Schema{Sign: []bool{true, false}, Intercept: -1}}
	got := carry(t, "kkt-inversion", Overheard(pub, k, all))
	if e := got.Estimates; len(e) != 2 || !(relative(e[0].X, u) >= 0.1) || !(relative(e[1].X, u) <= 1e-9) ||
		!strings.Contains(got.Conclusion, "of 2 roots the one that fits round 2") {
		t.Errorf("%s: %+v", got.Conclusion, e)
	}
}

// Where u and −u fit alike, as for one who comes late, −u is no other vector.
func TestKKTRounds_TheMirroredSampleIsNoRival(t *testing.T) {
	for _, rows := range []int{4, 7} {
		f := small(t, rows, 3, ring(5))
		rec, pub := run(t, f, "admm", 12, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
		k, want := f.allBut(1, 0)
		got := carry(t, "kkt-rounds", Observe(rec, Vantage{From: 6}, pub, k))
		x := slices.Clone(best(got).X)
		if num.Dot(x, want.X) < 0 {
			num.Scale(-1, x)
		}
		if off := relative(x, want.X); !(off < 1e-5) || best(got).Y != 0 ||
			!strings.Contains(got.Conclusion, "−u fits as well") || strings.Contains(got.Conclusion, "other vectors") {
			t.Errorf("%d rows: off by %.3g, label %v: %s", rows, off, best(got).Y, got.Conclusion)
		}
	}
}

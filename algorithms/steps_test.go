// What is computed for penalties and steps that a scenario leaves to the program.

package algorithms

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/privacy"
	"overhear/problem"
	"overhear/sim"
)

// left is an option struct in which everything that can be is left to the program, and
// the rest has its default.
func left(t *testing.T, e *Entry) any {
	t.Helper()
	p := filled(t, e)
	leaveOpen(reflect.ValueOf(p).Elem())
	return p
}

// The connectivity of graphs whose Laplacian has eigenvalues in closed form.
func TestConnectivity_OfKnownGraphs(t *testing.T) {
	build := func(n int, linked func(i, j int) bool) *sim.Graph {
		var edges [][2]int
		for i := range n {
			for j := range i {
				if linked(j, i) {
					edges = append(edges, [2]int{j, i})
				}
			}
		}
		g, err := sim.NewGraph(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	ring := func(i, j int) bool { return j == i+1 || i == 0 && j == 9 }
	path := func(i, j int) bool { return j == i+1 }
	for name, c := range map[string]struct {
		g    *sim.Graph
		want float64
	}{
		"complete":        {build(12, func(int, int) bool { return true }), 12},
		"two nodes":       {build(2, path), 2},
		"one node":        {build(1, path), 1},
		"star":            {build(9, func(i, _ int) bool { return i == 0 }), 1},
		"ring of 10":      {build(10, ring), 2 - 2*math.Cos(math.Pi/5)},
		"path of 8":       {build(8, path), 2 - 2*math.Cos(math.Pi/8)},
		"path of 60":      {build(60, path), 2 - 2*math.Cos(math.Pi/60)},
		"two cliques":     {build(20, func(i, j int) bool { return i/10 == j/10 || i == 0 && j == 10 }), 0.1690},
		"complete thirds": {build(9, func(i, j int) bool { return i%3 != j%3 }), 6},
	} {
		if got := connectivity(c.g); !(math.Abs(got/c.want-1) <= 0.01) {
			t.Errorf("%s: ℓ₂ is %v, want %v", name, got, c.want)
		}
	}
	if got, want := connectivity(build(300, path)), 2-2*math.Cos(math.Pi/300); !(got >= want) || !(got <= 40*want) {
		t.Errorf("a path of 300: ℓ₂ is %v, want above %v and not far", got, want)
	}
}

// What is given stays, what is not is the same for every method that is made, and the
// caller's own options are left alone.
func TestSettle_FillsOnlyWhatIsLeftToIt(t *testing.T) {
	f := uneven()
	settled := 0
	for _, e := range Entries() {
		if e.Over != Rows {
			continue
		}
		s := Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 20}
		given := filled(t, e)
		if got, computed := Settle(given, s); computed != nil || !reflect.DeepEqual(got, filled(t, e)) {
			t.Errorf("%s: of what is given, %v was computed", e.Name, computed)
		}
		open := left(t, e)
		before := reflect.ValueOf(open).Elem().Interface()
		got, computed := Settle(open, s)
		if !reflect.DeepEqual(reflect.ValueOf(open).Elem().Interface(), before) {
			t.Errorf("%s: the caller's options were changed", e.Name)
		}
		for _, c := range computed {
			settled++
			if !(c.Value > 0) || math.IsInf(c.Value, 1) || c.Why == "" {
				t.Errorf("%s: %s became %v (%s)", e.Name, c.Key, c.Value, c.Why)
			}
		}
		if again, more := Settle(got, s); more != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s: settling again gives %v more", e.Name, more)
		}
		a, err := e.New(open, s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.New(got, s)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: New does not settle as Settle does", e.Name)
		}
	}
	if settled < 17 {
		t.Errorf("only %d parameters were computed", settled)
	}
}

// The first value of a schedule is computed and its growth kept, node by node.
func TestSettle_KeepsTheRestOfASchedule(t *testing.T) {
	f := uneven()
	g, err := sim.NewGraph(len(f.rows), f.edges)
	if err != nil {
		t.Fatal(err)
	}
	s := Setting{Problem: f.problem(), Graph: g, Rounds: 10}
	p := &MADMM{Eta: parameter.Schedule{Sequence: parameter.Sequence{Initial: parameter.Auto, Ratio: 1.1, Max: 9}},
		Theta: parameter.Constant(parameter.Auto)}
	got, _ := Settle(p, s)
	eta := got.(*MADMM).Eta
	if want, _ := penalty(s); !(math.Abs(eta.At(0, 1)/want-1) <= 0.05) || eta.Ratio != 1.1 || eta.Max != 9 {
		t.Errorf("the schedule is %+v", eta)
	}
	if theta := got.(*MADMM).Theta.At(3, 5); theta != eta.At(0, 1) {
		t.Errorf("theta is %v, the least eta %v", theta, eta.At(0, 1))
	}
	p.Theta = parameter.Constant(0.125)
	if got, _ = Settle(p, s); got.(*MADMM).Eta.At(0, 1) != 0.12 { // two digits of it
		t.Errorf("eta is %v with theta 0.125", got.(*MADMM).Eta)
	}
}

// What is computed for a private method says nothing about its data: other rows of norm
// at most 1, and other labels, give the same. Rows of a greater norm, for which nothing
// is claimed, do not.
func TestSettle_SaysNothingOfTheData(t *testing.T) {
	for _, e := range Entries() {
		if e.Over == Columns {
			continue
		}
		f := uneven()
		computed := func(scale float64) []Computed {
			for i := range f.rows {
				for n := range f.rows[i] {
					norm := 0.0
					for k := range f.rows[i][n] {
						f.rows[i][n][k] = math.Sin(float64(7*i+3*n+k) * scale)
						norm += f.rows[i][n][k] * f.rows[i][n][k]
					}
					for k := range f.rows[i][n] {
						f.rows[i][n][k] *= scale / math.Sqrt(norm)
					}
					f.labels[i][n] = math.Copysign(1, math.Sin(float64(i+5*n)*scale))
				}
			}
			_, c := Settle(left(t, e), Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 20})
			return c
		}
		a, b, large := computed(0.3), computed(1), computed(40)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %v of one data set, %v of another", e.Name, a, b)
		}
		if e.Name == "admm" && reflect.DeepEqual(a, large) {
			t.Errorf("%s: rows of norm 40 change nothing", e.Name)
		}
	}
}

// A claim with a computed penalty is that of the same penalty stated, and no claim is
// lost to it: the conditions of the proofs hold, and the part of a claim that no noise
// lowers stays within 1.
func TestSettle_ClaimsStandWithComputedPenalties(t *testing.T) {
	f := uneven()
	for _, e := range Entries() {
		s := Setting{Graph: f.graphOf(t, e), Problem: f.problem(), Rounds: 40}
		if e.Over != Rows {
			continue
		}
		open := left(t, e)
		m, err := e.New(open, s)
		if err != nil {
			t.Fatal(err)
		}
		claims, ok := m.(Private)
		if !ok {
			continue
		}
		stated, _ := Settle(open, s)
		other, err := e.New(stated, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := claims.Established(); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		var a, b, loud privacy.Ledger
		claims.Account(&a)
		other.(Private).Account(&b)
		if got, want := a.Bound(privacy.Sample, 40, 1e-5), b.Bound(privacy.Sample, 40, 1e-5); !reflect.DeepEqual(got,
			want) || !(got[40] > 0) {
			t.Errorf("%s: claims %v, stated %v", e.Name, got[40], want[40])
		}
		if e.Name != "penalty-perturbation" && e.Name != "private-r-admm" && e.Name != "private-mr-admm" {
			continue
		}
		quiet, err := e.New(stated.(Tunable).Loosen(1e-9), s)
		if err != nil {
			t.Fatal(err)
		}
		quiet.(Private).Account(&loud)
		if got := loud.Bound(privacy.Sample, 40, 1e-5)[40]; !(got > 0.5 && got < 2.2) {
			t.Errorf("%s: %v of the claim is beyond the noise", e.Name, got)
		}
	}
}

// κ of balance is where the sum that it states is least, and a nearer optimum makes it greater.
func TestBalance_IsTheLeastOfItsSum(t *testing.T) {
	p := uneven().problem()
	p.C = 1
	s := Setting{Problem: p}
	for _, c := range []struct{ ridge, steps, drift, distance float64 }{
		{0.02, 20, 3, far}, {1e-6, 1, 1e4, far}, {0.02, 1000, 1e-3, far},
		{2, 20, 3, 0.25}, // |L′(0)|/r
	} {
		for i := range p.R {
			p.R[i] = c.ridge
		}
		mean := 0.25/float64(p.D) + c.ridge
		cost := func(kappa float64) float64 {
			return c.distance*c.distance*kappa/(2*c.steps) + mean*c.drift/(2*kappa*kappa)
		}
		kappa := balance(s, c.steps, c.drift)
		for _, factor := range []float64{0.5, 0.99, 1.01, 2} {
			if !(cost(kappa) < cost(factor*kappa)) {
				t.Errorf("%+v: %v costs %v, %v times as much %v", c, kappa, cost(kappa), factor, cost(factor*kappa))
			}
		}
	}
	if got := balance(s, 20, 0); got != 0 {
		t.Errorf("without noise κ is %v", got)
	}
	if got := balance(s, 20, math.Inf(1)); got != mostStep {
		t.Errorf("with noise beyond all bounds κ is %v", got)
	}
}

// What wander and quiet say of noise is what a run of the average has: the mean square of a
// walk of N nodes, by simulation, with noise of either law.
func TestWander_IsThatOfAWalk(t *testing.T) {
	f := uneven()
	s := Setting{Problem: f.problem(), Rounds: 30}
	n, d := len(f.rows), s.Problem.D
	square := make([]float64, n)
	const walks, uses, kappa = 2000, 30, 7.0
	noise, average, last := make([]float64, d), make([]float64, d), make([]float64, d)
	for _, gaussian := range []bool{false, true} {
		total := 0.0
		stream := sim.NewStream(1, "walk")
		for range walks {
			clear(average)
			for k := range uses {
				for i := range n {
					rate := 1 + float64(i)
					square[i] = 1 / (rate * rate)
					if gaussian {
						privacy.Gaussian(stream, 1/rate, noise)
					} else {
						privacy.Laplace(stream, rate, noise)
					}
					for j, v := range noise {
						average[j] += 2 * v / kappa / float64(n)
						if k == uses-1 {
							last[j] = 2 * v / kappa
						}
					}
					if k == uses-1 {
						for _, v := range last {
							total += v * v / float64(n)
						}
					}
				}
			}
			for _, v := range average {
				total += v * v
			}
		}
		got, want := wander(s, uses, 2, square, gaussian)/(kappa*kappa), total/walks
		if !(math.Abs(got/want-1) <= 0.05) {
			t.Errorf("Gaussian %v: mean square %v, of walks %v", gaussian, got, want)
		}
	}
}

// Noise on the minimiser, of either law, with the penalty that (3.36) and (3.37) give for it, computed again: Gaussian
// noise has d components of variance 1/ζ² and not a length of mean square d(d+1)/ζ², a target is met in ρ-zCDP then,
// and nothing of a claim is spent on curvature.
func TestSettle_OfNoiseOnMinimisers(t *testing.T) {
	f := uneven()
	for _, c := range []struct {
		name     string
		set      func(p any, alpha parameter.Schedule)
		gaussian bool
		w        float64 // 2: RA19's methods, of which every second round has noise
	}{
		{"pvp", func(p any, a parameter.Schedule) { p.(*PVP).Law, p.(*PVP).Alpha = "laplace", a }, false, 1},
		{"pvp", func(p any, a parameter.Schedule) { p.(*PVP).Law, p.(*PVP).Alpha = "gaussian", a }, true, 1},
		{"proximal-admm", func(p any, a parameter.Schedule) {
			p.(*ProximalADMM).Law, p.(*ProximalADMM).Alpha, p.(*ProximalADMM).Tau = "gaussian", a, 0
		}, true, 1},
		{"private-r-admm", func(p any, a parameter.Schedule) {
			p.(*PrivateRADMM).Perturbation, p.(*PrivateRADMM).Alpha = "output", a
		}, false, 2},
		{"private-r-admm", func(p any, a parameter.Schedule) {
			p.(*PrivateRADMM).Perturbation, p.(*PrivateRADMM).Alpha = "gaussian", a
		}, true, 2},
		{"private-mr-admm", func(p any, a parameter.Schedule) {
			p.(*PrivateMRADMM).Perturbation, p.(*PrivateMRADMM).Alpha = "gaussian", a
		}, true, 2},
	} {
		e, ok := Lookup(c.name)
		if !ok {
			t.Fatal(c.name)
		}
		for _, target := range []Target{{}, {Epsilon: 3, Delta: 1e-6}, {Epsilon: 0.5, Delta: 1e-6, EachRound: true}} {
			const rounds = 60
			s := Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: rounds, Target: target}
			alpha := parameter.Schedule{Sequence: parameter.Sequence{Initial: 0.01, Ratio: 1.01, Max: 1}}
			uses := int(rounds / c.w)
			// The budgets of uses, scaled to the target.
			budgets, sum, squares, last := make([]float64, uses), 0.0, 0.0, 0.0
			for k := range budgets {
				last = 0.01 * math.Pow(1.01, float64(k))
				budgets[k] = last
				sum += last
				squares += last * last
			}
			scale := 1.0
			switch root := math.Sqrt(math.Log(1e6)+target.Epsilon) - math.Sqrt(math.Log(1e6)); {
			case target.Epsilon == 0:
			case c.gaussian && target.EachRound:
				scale = root * math.Sqrt2 / last
			case c.gaussian:
				scale = root * math.Sqrt2 / math.Sqrt(squares)
			case target.EachRound:
				scale = target.Epsilon / last
			default:
				scale = target.Epsilon / sum
			}
			inverse := 0.0
			for _, b := range budgets {
				inverse += 1 / (b * scale * b * scale) / float64(uses)
			}
			d, n, links := float64(len(f.rows[0][0])), float64(len(f.rows)), 0.0
			mean := 0.0 // of 1/ζ²
			for i := range f.rows {
				links += f.degree(i) / n
				unit := 2 * f.c / f.size(i)
				if c.w == 2 && target.Epsilon == 0 {
					unit = 1 // α is ζ
				}
				mean += inverse * unit * unit / n
			}
			length := d * (d + 1)
			if c.gaussian {
				length = d
			}
			walk := c.w * c.w * length * (float64(uses)/n + 1) * mean
			h, distance := 0.25*f.c/d+f.r, math.Min(7, f.c*0.5/f.r)
			want := round(math.Cbrt(2*h*c.w*float64(uses)*walk/(distance*distance)) / (2 * links))
			least, _ := penalty(s)
			if !(want > least) {
				t.Fatalf("%s: with this noise η is not decided by it: %v and %v", c.name, want, least)
			}
			p := left(t, e)
			c.set(p, alpha)
			settled, computed := Settle(p, s)
			if computed[0].Key != "eta" || !(math.Abs(computed[0].Value/want-1) <= 1e-9) {
				t.Errorf("%s, Gaussian %v, target %+v: %v, want %v", c.name, c.gaussian, target, computed, want)
			}
			if target.Epsilon == 0 || c.w == 2 {
				continue // with RA19's α a use spends by its node's rows
			}
			m, err := e.New(settled.(Tunable).Loosen(scale), s)
			if err != nil {
				t.Fatal(err)
			}
			var l privacy.Ledger
			m.(Private).Account(&l)
			spent := l.WorstRound(privacy.Sample, target.Delta)
			if !target.EachRound {
				spent = l.Bound(privacy.Sample, rounds, target.Delta)[rounds]
			}
			if !(spent <= target.Epsilon*(1+1e-9)) || !(spent >= 0.75*target.Epsilon) {
				t.Errorf("%s, Gaussian %v, target %+v: the budgets that η is for spend %v", c.name, c.gaussian, target,
					spent)
			}
		}
	}
}

// What is expected of the noise that stays in PDML's objectives is the mean square of draws: in the ball and in the
// cube, of users with one ε and with several.
func TestPDML_AstrayIsTheMeanSquareOfDraws(t *testing.T) {
	f := uneven()
	for i := range f.rows { // of norm 1, with which the variance of a flip is δ(1 + δ) and no less
		for _, x := range f.rows[i] {
			scale := 1 / num.Norm(x)
			num.Scale(scale, x)
		}
	}
	s := Setting{Problem: f.problem(), Rounds: 1}
	n, d := float64(len(f.rows)), s.Problem.D
	several := parameter.Budgets{Budget: parameter.Budget{List: []float64{0.5, 1, 3}}}
	for name, p := range map[string]PDML{
		"ball":         {Labels: "true", Bound: 3, Norm: "euclidean"},
		"cube":         {Labels: "true", Bound: 3, Norm: "max"},
		"flips":        {Labels: "randomised", Norm: "euclidean", Epsilon: parameter.One(0.7)},
		"flips, users": {Labels: "randomised", Norm: "euclidean", Epsilon: several},
		"all":          {Labels: "randomised", Bound: 1, Norm: "max", Epsilon: several},
	} {
		stream, total := sim.NewStream(1, name), 0.0
		const draws = 6000
		error, noise := make([]float64, d), make([]float64, d)
		for range draws {
			clear(error)
			for i := range f.rows {
				if p.Norm == "max" {
					privacy.Cube(stream, p.Bound, noise)
				} else {
					privacy.Ball(stream, p.Bound, noise)
				}
				num.Axpy(1/(n*n), noise, error)
				for k, x := range f.rows[i] {
					if p.Labels == "true" {
						break
					}
					// At f = 0 the loss of a report y′ has the slope −(½ + δ)y′, whose mean is −½y.
					epsilon, y := p.Epsilon.At(0, i, k), f.labels[i][k]
					reported := y
					if stream.Float64() < 1/(1+math.Exp(epsilon)) {
						reported = -y
					}
					slope := -(0.5 + 1/math.Expm1(epsilon)) * reported
					num.Axpy(f.c/f.size(i)/n*(slope+0.5*y), x, error)
				}
			}
			total += num.Dot(error, error) / draws
		}
		if got := p.astray(s); !(math.Abs(got/total-1) <= 0.05) {
			t.Errorf("%s: the mean square is %v, of draws %v", name, got, total)
		}
	}
}

// More noise makes a computed penalty greater: fewer rows, a smaller budget or target, more
// rounds. Without noise it is that of ADMM. A budget beyond what can be computed with leaves
// a penalty that can be, about which the run then says what is wrong.
func TestSettle_PenaltiesGrowWithNoise(t *testing.T) {
	f := uneven()
	eta := func(e *Entry, rounds int, target float64, change func(p any)) float64 {
		p := left(t, e)
		if change != nil {
			change(p)
		}
		_, computed := Settle(p, Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: rounds,
			Target: Target{Epsilon: target}})
		return computed[0].Value
	}
	for _, name := range []string{"dvp", "pvp", "proximal-admm", "penalty-perturbation", "private-r-admm",
		"private-mr-admm"} {
		e, ok := Lookup(name)
		if !ok {
			t.Fatal(name)
		}
		last := 0.0
		for _, target := range []float64{100, 10, 1, 0.1} {
			v := eta(e, 20, target, nil)
			if !(v > last) {
				t.Errorf("%s: η is %v for ε = %v, and %v for more", name, v, target, last)
			}
			last = v
		}
		if a, b := eta(e, 20, 1, nil), eta(e, 80, 1, nil); !(b > a) {
			t.Errorf("%s: η is %v for 20 rounds, %v for 80", name, a, b)
		}
		loosened := func(c float64) func(p any) {
			return func(p any) {
				reflect.ValueOf(p).Elem().Set(reflect.ValueOf(p.(Tunable).Loosen(c)).Elem())
			}
		}
		if a, b := eta(e, 20, 1, nil), eta(e, 20, 1, loosened(1000)); a != b {
			t.Errorf("%s: with a target η depends on the scale of what it scales: %v and %v", name, a, b)
		}
		if got := eta(e, 20, 0, loosened(1e-300)); !inRange(got) {
			t.Errorf("%s: with a vanishing budget η is %v", name, got)
		}
		if a, b := eta(e, 20, 0, loosened(1e9)), eta(e, 20, 1e-9, nil); !inRange(a) || !inRange(b) || !(b > a) {
			t.Errorf("%s: η is %v with next to no noise, %v with very much", name, a, b)
		}
	}
}

// Over split columns: both forms, both weights.
func TestSettle_OverColumns(t *testing.T) {
	v := &problem.Vertical{N: 100, D: 4, Ridge: 0.04, Weight: 0.01, Loss: problem.Logistic}
	for range 2 {
		block := problem.NewRows(2)
		for n := range 100 {
			block.Append([]int32{0, 1}, []float64{math.Cos(float64(n)), math.Sin(float64(n))})
		}
		v.Blocks = append(v.Blocks, block)
	}
	s := Setting{Split: v, Rounds: 64}
	for _, c := range []struct {
		p    any
		want float64
	}{
		{&Sharing{Eta: parameter.Auto, Form: "averaged"}, 0.002}, // 2√(0.0025·0.04/100)
		{&Sharing{Eta: parameter.Auto, Form: "jacobi"}, 0.01},    // 4·0.0025
		{&PrivateSharing{Sharing: Sharing{Eta: parameter.Auto, Form: "jacobi"}, Bound: 1}, 0.52},
		{&PrivateSharing{Sharing: Sharing{Eta: parameter.Auto, Form: "jacobi"}, Bound: 1, Sigma: 3}, 0.01},
		{&FDML{Step: parameter.Auto, Decay: "sqrt"}, 14}, // 8/(2·0.29)
		{&FDML{Step: parameter.Auto, Decay: "none"}, 3.4},
	} {
		_, computed := Settle(c.p, s)
		if len(computed) != 1 || computed[0].Value != c.want {
			t.Errorf("%+v: %v, want %v", c.p, computed, c.want)
		}
	}
}

// Without a ridge the least curvature is that of the rows: with blocks that are equal, DᵀD has the eigenvalue 100 twice
// but for rounding, and 0.
func TestSettle_OverColumnsWithoutARidge(t *testing.T) {
	v := &problem.Vertical{N: 100, D: 4, Weight: 0.01, Loss: problem.Logistic}
	for range 2 {
		block := problem.NewRows(2)
		for n := range 100 {
			block.Append([]int32{0, 1}, []float64{math.Cos(float64(n)), math.Sin(float64(n))})
		}
		v.Blocks = append(v.Blocks, block)
	}
	_, computed := Settle(&Sharing{Eta: parameter.Auto, Form: "averaged"}, Setting{Split: v, Rounds: 64})
	if len(computed) != 1 || computed[0].Value != 0.005 || // 2√(0.0025·0.0025·100/100)
		!strings.Contains(computed[0].Why, "without a ridge the least curvature of all rows' 0.2") {
		t.Errorf("%+v", computed)
	}
}

// What is computed for noise is the same for all rows of norm 1, also without a ridge, where sharing without noise
// looks at what its rows are.
func TestSettle_PrivateSharingLooksAtNoRow(t *testing.T) {
	eta := func(cover string, angle float64) float64 {
		block := problem.NewRows(2)
		for n := range 20 {
			block.Append([]int32{0, 1}, []float64{math.Cos(angle * float64(n)), math.Sin(angle * float64(n))})
		}
		v := &problem.Vertical{N: 20, D: 2, Weight: 0.05, Loss: problem.Logistic, Blocks: []*problem.Rows{block}}
		p := &PrivateSharing{Sharing: Sharing{Eta: parameter.Auto, Form: "averaged"}, Cover: cover, Bound: 10,
			Sigma: 1}
		_, computed := Settle(p, Setting{Split: v, Rounds: 3})
		return computed[0].Value
	}
	for _, cover := range []string{"ambient", "range", "off"} {
		if a, b := eta(cover, 1), eta(cover, 0.05); (a == b) != (cover != "off") {
			t.Errorf("%s: %v and %v", cover, a, b)
		}
	}
}

// Gaussian noise of a target has 2/π(d+1) of the mean square of noise of density ∝ exp(−α‖ε‖), of which κ is the third
// root, so that a smaller penalty does; and the part of the claim that no noise lowers stays below the target: where
// half the target decides, η is the same.
func TestSettle_GaussianNoiseNeedsLess(t *testing.T) {
	f := uneven()
	e, _ := Lookup("penalty-perturbation")
	eta := func(law string, target float64) (Setting, *PenaltyPerturbation) {
		p := left(t, e).(*PenaltyPerturbation)
		p.Law = law
		s := Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 20, Target: Target{Epsilon: target}}
		settled, _ := Settle(p, s)
		return s, settled.(*PenaltyPerturbation)
	}
	last := 0.0
	for _, target := range []float64{10, 1, 0.1} {
		_, pure := eta("gamma", target)
		s, normal := eta("gaussian", target)
		a, b := pure.Eta.At(0, 1), normal.Eta.At(0, 1)
		budget := target / 20
		lost, mean, links, n := 0.0, 0.0, 0.0, float64(len(f.rows))
		for i := range f.rows {
			lost = max(lost, 1.4*0.25*f.c/(f.degree(i)*f.size(i)*budget))
			zeta := f.size(i) * budget / (2 * f.c)
			mean += 1 / (zeta * zeta) / n
			links += f.degree(i) / n
		}
		const d = 4
		walk, h, distance := d*(d+1)*(20/n+1)*mean, 0.25*f.c/d+f.r, math.Min(7, f.c*0.5/f.r)
		kappa := math.Cbrt(2 * h * 20 * walk / (distance * distance))
		half := 2 * lost // with it 1.4c₁C/(ηVB) of 20 rounds is half the target
		wantPure := round(max(half, lost+kappa/(2*links)))
		want := round(max(half, lost+kappa*math.Cbrt(2/(math.Pi*(d+1)))/(2*links)))
		if a != wantPure || b != want {
			t.Errorf("ε = %v: η is %v with Gaussian noise, want %v; %v without, want %v", target, b, want, a, wantPure)
		}
		if target != 0.1 && !(b < a) || !(b > last) {
			t.Errorf("ε = %v: η is %v with Gaussian noise and %v without, %v for more", target, b, a, last)
		}
		last = b
		m, err := e.New(normal.Loosen(1e-9), s)
		if err != nil {
			t.Fatal(err)
		}
		var l privacy.Ledger
		m.(Private).Account(&l)
		if spent := l.Bound(privacy.Sample, 20, 1e-5)[20]; !(spent < target) {
			t.Errorf("ε = %v: %v is spent whatever the noise is", target, spent)
		}
	}
}

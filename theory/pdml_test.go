// What PDML's bounds must meet: numbers worked out by hand, quantities that are computed exactly and nearly reach the
// bound, so that half of it fails, and the errors of the paper, shown.

package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// path3 is a run of three servers in a row, whose numbers below were worked out by hand: e^ε = 3, so (e^ε+1)/(e^ε−1) =
// 2.
func path3(t *testing.T) *Learning {
	deviation := []float64{0.2, 0.3, 0.4}
	return &Learning{
		Graph: network(t, 3, [][2]int{{0, 1}, {1, 2}}), Rows: []int{100, 400, 100}, Squares: []float64{64, 225, 100},
		Smooth: repeat(0.7, 3), Ridge: 0.5, Epsilon: math.Log(3), Bound: 0.6, Penalty: 0.7,
		Start: []float64{0.1, 0, 0.3}, Columns: 4, Rounds: 5, Failure: 0.05,
		Variance: func(i, k int) float64 { return deviation[i] * deviation[i] * math.Pow(0.8, float64(k-1)) },
	}
}

func TestPDML_NumbersWorkedOutByHand(t *testing.T) {
	l := path3(t)
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	one, err := l.Theorem1()
	if err != nil {
		t.Fatal(err)
	}
	lemma, err := l.Lemma5()
	if err != nil {
		t.Fatal(err)
	}
	shake := func(k int) float64 { return 4 * (0.04 + 2*0.09 + 0.16) * math.Pow(0.8, float64(k-1)) }
	squares := 0.0
	for k := range 5 {
		v := math.Pow(lemma.C, float64(k)) * 60.397755102040826
		for s := 1; s <= k; s++ {
			v += math.Pow(lemma.C, float64(k-s)) * shake(s)
		}
		squares += lemma.Scale * v / 5
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"radius", l.Radius(), 2.4},
		{"c₁", l.LargestLoss(), 2.4868361521539497},
		{"Rademacher", one.Rademacher, 1.392},
		{"sampling", one.Sampling, 9.816087322820636},
		{"R²/κ", one.Objective, 0.08},
		{"start", one.Start, 1.1671333333333331},
		{"noise", one.Noise, 0.20939519999999995},
		{"V(0)", lemma.First, 60.397755102040826},
		{"drift", one.Drift, 0.6 / math.Sqrt(3) * math.Sqrt(squares) / 3},
		{"Corollary 2", l.Corollary2().Sum(), 1.392 + 9.816087322820636},
		{"Corollary 1", l.Corollary1().Sum(), 1.392 + 9.816087322820636 + 0.08},
		{"Theorem 2", l.Theorem2().Sum(), 1.392 + 9.816087322820636 + 1.1671333333333331},
		{"Theorem 1", one.Sum(), 1.392 + 9.816087322820636 + 0.08 + 1.1671333333333331 + 0.20939519999999995 +
			one.Drift},
		{"true labels", Spread(math.Inf(1)), 1},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-12*c.want) {
			t.Errorf("%s is %v, by hand %v", c.name, c.got, c.want)
		}
	}
}

func TestPDML_Refuses(t *testing.T) {
	for name, spoil := range map[string]func(*Learning){
		"no rows":    func(l *Learning) { l.Rows[1] = 0 },
		"no ridge":   func(l *Learning) { l.Ridge = 0 },
		"no penalty": func(l *Learning) { l.Penalty = 0 },
		"pieces":     func(l *Learning) { l.Graph = network(t, 3, [][2]int{{0, 1}}) },
	} {
		l := path3(t)
		if spoil(l); l.Check() == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

// The complexity of a ball, by drawing signs: the bound holds, and half of it does not.
func TestPDML_ComplexityOfABall(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	const rows, columns, draws = 60, 5, 4000
	x := make([][columns]float64, rows)
	squares := 0.0
	for j := range x {
		for k := range x[j] {
			x[j][k] = r.NormFloat64() / 4
			squares += x[j][k] * x[j][k]
		}
	}
	l := &Learning{Rows: []int{rows}, Squares: []float64{squares}, Ridge: 0.1, Epsilon: 1}
	mean := 0.0
	for range draws {
		var sum [columns]float64
		for j := range x {
			sign := float64(2*r.IntN(2) - 1)
			for k := range sum {
				sum[k] += sign * x[j][k]
			}
		}
		norm := 0.0
		for _, v := range sum {
			norm += v * v
		}
		mean += l.Radius() * math.Sqrt(norm) / rows / draws // the supremum over the ball
	}
	if bound := l.Complexity(0); !(mean <= bound && mean > 0.9*bound) {
		t.Errorf("E sup is %v, the bound %v", mean, bound)
	}
}

// responses are the states k rounds after a move of server i by e in coordinate c, of a run whose optimum is zero: with
// them the second moments of a noisy run on quadratics are exact.
func (m *model) responses(i, c int, beta float64, rounds int, visit func(k int, at *model)) {
	at := &model{g: m.g, h: m.h, centre: make([]vec, len(m.f)), f: make([]vec, len(m.f)), dual: make([]vec, len(m.f))}
	at.f[i][c] = 1
	at.dual[i][c] = beta / 2 * float64(m.g.Degree(i))
	for _, j := range m.g.Neighbours(i) {
		at.dual[j][c] = -beta / 2
	}
	visit(0, at)
	for k := 1; k <= rounds; k++ {
		at.madmm(repeat(beta, len(m.f)), beta)
		visit(k, at)
	}
}

// moments are E V(k) after the noise of round k, and E‖w(k)−w*‖² before it, of σ²(k) by component.
func (m *model) moments(beta float64, rounds int, sigma2 func(k int) float64) (v, w []float64) {
	n := len(m.f)
	potential := func(at *model) float64 { return at.distance(repeat(beta, n), beta) / (2 * beta) }
	squares := func(at *model) (sum float64) {
		for _, f := range at.f {
			e := f.plus(-1, at.optimum)
			sum += e[0]*e[0] + e[1]*e[1]
		}
		return sum
	}
	v, w = make([]float64, rounds+1), make([]float64, rounds+1)
	for i := range n {
		for c := range 2 {
			m.responses(i, c, beta, rounds, func(k int, at *model) {
				p, s := potential(at), squares(at)
				for since := 1; since+k <= rounds; since++ {
					v[since+k] += sigma2(since) * p
					if k > 0 {
						w[since+k] += sigma2(since) * s
					}
				}
			})
		}
	}
	for k := range rounds + 1 {
		v[k] += potential(m)
		w[k] += squares(m)
		m.madmm(repeat(beta, n), beta)
	}
	return v, w
}

// Lemma 5 as it is proved, on quadratics, whose moments are computed and not drawn.
func TestPDML_Lemma5Holds(t *testing.T) {
	nearest := 0.0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := 2 + r.IntN(4)
		low := between(r, 1e-3, 1)
		m := newModel(r, network(t, n, randomEdges(r, n)), low, low*between(r, 1, 30))
		beta, level, decay := between(r, 0.05, 5), between(r, 0.01, 3), between(r, 0.3, 1)
		sigma2 := func(k int) float64 { return level * math.Pow(decay, float64(k-1)) }
		c, err := contraction(m.g, m.strong, m.smooth, beta)
		if err != nil {
			t.Fatal(err)
		}
		const rounds = 8
		v, w := m.moments(beta, rounds, sigma2)
		for k := range rounds {
			shake := 2 * 2 * float64(m.g.Size()) * sigma2(k+1) // Σ_i N_i d σ²
			if !(v[k+1] <= (c.C*v[k]+shake)*(1+1e-9)) {
				t.Fatalf("round %d: E V goes from %v to %v; C = %v, noise %v", k, v[k], v[k+1], c.C, shake)
			}
			if !(w[k+1] <= c.Scale*v[k]*(1+1e-9)) {
				t.Fatalf("round %d: E‖w−w*‖² is %v after E V = %v; Scale = %v", k, w[k+1], v[k], c.Scale)
			}
			nearest = max(nearest, w[k+1]/(c.Scale*v[k]))
		}
	})
	if !(nearest > 0.5) {
		t.Errorf("no run comes nearer to the bound than %v of it", nearest)
	}
}

// A run from its optimum: the first noise adds Σ_i N_i d σ² to V, neither more nor less.
func TestPDML_NoiseIsCountedOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	m := newModel(r, network(t, 4, ring(4)), 0.2, 3)
	for i := range m.f {
		m.f[i] = m.optimum
		m.dual[i] = vec{}.plus(-0.5, m.gradient(i, m.optimum))
	}
	const beta, sigma2 = 0.7, 0.09
	v, _ := m.moments(beta, 1, func(int) float64 { return sigma2 })
	l := &Learning{Graph: m.g, Rows: []int{1, 1, 1, 1}, Columns: 2, Variance: func(int, int) float64 { return sigma2 }}
	if want := l.shake(1); !(math.Abs(v[1]-want) <= 1e-9) {
		t.Errorf("E V(1) is %v, the noise %v", v[1], want)
	}
}

// What the noise adds to the objective's sum, (31), on quadratics, and that the paper's factor is no smaller.
func TestPDML_NoiseOfTheIterates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := 2 + r.IntN(6)
		g := network(t, n, randomEdges(r, n))
		minus, plus := laplacians(g)
		most := 0
		for i := range n {
			most = max(most, g.Degree(i))
		}
		if printed := math.Pow(largest(plus), 2)/(2*largest(minus)) + largest(minus); !(printed >= float64(most)) {
			t.Fatalf("the paper's factor is %v, a degree %d", printed, most)
		}
	})
}

// Theorem 2's term in β is reached by servers with the objective c|w|, rounded at zero, which is as far from zero as
// the class allows: then every round gains what the proof says.
func TestPDML_StartIsReached(t *testing.T) {
	l := &Learning{Graph: network(t, 3, complete(3)), Rows: []int{1, 1, 1}, Squares: []float64{1, 1, 1}, Ridge: 0.5,
		Epsilon: math.Inf(1), Penalty: 0.3, Start: make([]float64, 3), Failure: 0.5, Rounds: 400}
	const c, width = 1e-2, 1e-3
	optimum := l.Radius()
	sum, w := 0.0, 0.0
	for range l.Rounds {
		// argmin of the objective + 2βN‖w − w(t)‖²/2, duals being zero: all servers do the same,
		// and the mean over servers is of one of them.
		pull := 2 * l.Penalty * 2
		if far := w - optimum + c/pull; far <= -width {
			w = optimum + far
		} else {
			w = (pull*w + c/width*optimum) / (pull + c/width)
		}
		if gap := optimum - w; gap > width {
			sum += c * (gap - width/2)
		} else {
			sum += c * gap * gap / (2 * width)
		}
	}
	start := l.Theorem2().Start * float64(l.Rounds)
	if !(sum <= start && sum > 0.9*start) {
		t.Errorf("the objectives sum to %v above the optimum, the bound is %v", sum, start)
	}
}

// R²/κ: where rows say nothing the noise moves the optimum to −Σ η_i/(na), which costs half of the bound if all η_i are
// alike. With the constant of Lemma 1, by which the sum of n objectives is aκ-strongly convex in n classifiers, the
// proof would give R²/(n²κ), which four servers break.
func TestPDML_ObjectiveNoiseIsNearlyReached(t *testing.T) {
	const n, r, bound = 4.0, 0.05, 0.6
	a := n * r
	l := &Learning{Rows: make([]int, n), Ridge: r, Bound: bound}
	cost := r / 2 * math.Pow(bound/a, 2) // (r/2)‖w̃_opt‖², a server
	if got := l.displaced(); !(math.Abs(cost-got/2) <= 1e-12) {
		t.Errorf("it costs %v, the bound is %v", cost, got)
	}
	if printed := bound * bound / (n * n * a); !(cost > printed) {
		t.Errorf("Lemma 1 as printed would do: %v, %v", cost, printed)
	}
}

// (25), which the paper's Lemma 5 and Theorem 1 ask for, holds for no graph of three servers or more, if φ is a rate
// at which ADMM contracts.
func TestPDML_PrintedConditionHoldsNowhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := 3 + r.IntN(10)
		edges := randomEdges(r, n)
		if r.IntN(3) == 0 {
			edges = complete(n)
		}
		g := network(t, n, edges)
		curvature, beta := between(r, 1e-3, 10), between(r, 1e-3, 10)
		penalties := repeat(beta, n)
		rate := MADMM(g, repeat(curvature, n), repeat(curvature, n), beta, penalties, penalties)
		left, right := PrintedLemma5(g, 1/(1+rate.Delta))
		if !rate.Applies || !(left <= right) {
			t.Fatalf("%v: (1+φ)σ²_min %v, σ²_max %v", rate, left, right)
		}
	})
}

// Where users have ε of their own, bounds are those of one ε if it is the same, and by hand otherwise: with half of the
// users of each server at ε and half at ε′, Σ S² and Σ S²‖x‖² stand where m S² and S² Σ‖x‖² stood. The mean of ε in
// place of all, which is the error that forgets who has which, gives less.
func TestPDML_UsersWithBudgetsOfTheirOwn(t *testing.T) {
	one := path3(t)
	same := *one
	mixed := *one
	const low, high = 0.5, 3.0
	for i, m := range one.Rows {
		var s, u Spreads
		for k := range m {
			s.Add(one.Epsilon, one.Squares[i]/float64(m))
			u.Add([]float64{low, high}[k%2], one.Squares[i]/float64(m))
		}
		same.Spreads, mixed.Spreads = append(same.Spreads, s), append(mixed.Spreads, u)
	}
	a, err := one.Theorem1()
	if err != nil {
		t.Fatal(err)
	}
	b, err := same.Theorem1()
	if err != nil || !within(a.Sum(), b.Sum(), 1e-12) || !within(one.Radius(), same.Radius(), 1e-12) {
		t.Errorf("the same ε for each user: %v, for all: %v, %v", b, a, err)
	}
	s := func(e float64) float64 { return (math.Exp(e) + 1) / (math.Exp(e) - 1) }
	n := float64(len(one.Rows))
	mean, sampling, rademacher := 0.0, 0.0, 0.0
	for _, m := range one.Rows {
		lows, highs := float64((m+1)/2), float64(m/2)
		mean += (lows*s(low) + highs*s(high)) / float64(m) / n
	}
	radius := (mean/2 + mixed.Bound/n) / mixed.Ridge
	loss := math.Log(1 + math.Exp(radius))
	for i, m := range one.Rows {
		lows, highs := float64((m+1)/2), float64(m/2)
		squares := lows*s(low)*s(low) + highs*s(high)*s(high)
		rademacher += 4 / n * radius * math.Sqrt(squares*one.Squares[i]/float64(m)) / float64(m)
		sampling += 8 / n * loss * math.Sqrt(2*math.Log(4/one.Failure)*squares) / float64(m)
	}
	got := mixed.Corollary2()
	if !within(got.Rademacher, rademacher, 1e-9) || !within(got.Sampling, sampling, 1e-9) ||
		!within(mixed.Radius(), radius, 1e-12) {
		t.Errorf("%+v, radius %v; by hand %v, %v, %v", got, mixed.Radius(), rademacher, sampling, radius)
	}
	forgets := *one
	forgets.Epsilon = (low + high) / 2
	if wrong := forgets.Corollary2(); !(wrong.Sampling < got.Sampling) {
		t.Errorf("with the mean of ε for all %v, with each one's own %v", wrong.Sampling, got.Sampling)
	}
}

// within says whether two numbers differ by so much at most, relative.
func within(a, b, e float64) bool { return math.Abs(a-b) <= e*math.Abs(b) }

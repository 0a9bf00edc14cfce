// The samplers against closed-form distributions at fixed seeds, and the ledger
// against sums by hand, direct divergences and the exact Gaussian ε.

package privacy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/sim"

	"pgregory.net/rapid"
)

const draws = 20000

// norm2 is the Euclidean norm.
func norm2(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// kolmogorov fails if the sample is not from that distribution: at probability
// 0.1 % if it is.
func kolmogorov(t *testing.T, sample []float64, cdf func(float64) float64) {
	t.Helper()
	slices.Sort(sample)
	n, d := float64(len(sample)), 0.0
	for i, x := range sample {
		f := cdf(x)
		d = max(d, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
	}
	if !(math.Sqrt(n)*d <= 1.95) {
		t.Errorf("√n times the Kolmogorov distance is %.3f", math.Sqrt(n)*d)
	}
}

// near fails if got is not within tolerance of want.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) && got != want {
		t.Errorf("%s is %v, want %v ± %v", what, got, want, tolerance)
	}
}

// gammaCDF is the distribution function of Gamma of integer shape and rate 1.
func gammaCDF(shape int, x float64) float64 {
	term, sum := 1.0, 0.0
	for k := range shape {
		sum += term
		term *= x / float64(k+1)
	}
	return 1 - math.Exp(-x)*sum
}

func TestNormsAndDirections(t *testing.T) {
	const rate, radius = 0.7, 2.5
	for _, c := range []struct {
		name string
		d    int
	}{{"laplace", 1}, {"laplace", 3}, {"laplace", 10}, {"ball", 1}, {"ball", 2}, {"ball", 3}, {"ball", 10}} {
		draw := func(s *sim.Stream, out []float64) { Laplace(s, rate, out) }
		cdf := func(r float64) float64 { return gammaCDF(c.d, rate*r) }
		if c.name == "ball" {
			draw = func(s *sim.Stream, out []float64) { Ball(s, radius, out) }
			cdf = func(r float64) float64 { return math.Pow(r/radius, float64(c.d)) }
		}
		name := fmt.Sprintf("%s in %d dimensions", c.name, c.d)
		t.Run(name, func(t *testing.T) {
			s := sim.NewStream(1, name)
			x := make([]float64, c.d)
			norms := make([]float64, draws)
			var first []float64
			mean, square := make([]float64, c.d), make([]float64, c.d)
			for i := range norms {
				draw(s, x)
				norms[i] = norm2(x)
				if c.name == "ball" && !(norms[i] <= radius*(1+1e-14)) {
					t.Fatalf("a norm of %v in a ball of radius %v", norms[i], radius)
				}
				for k, v := range x {
					u := v / norms[i]
					mean[k] += u / draws
					square[k] += u * u / draws
				}
				first = append(first, x[0]/norms[i])
			}
			kolmogorov(t, norms, cdf)
			for k := range mean {
				near(t, "mean of a direction", mean[k], 0, 4/math.Sqrt(draws*float64(c.d)))
				near(t, "mean square of a direction", square[k], 1/float64(c.d),
					4/math.Sqrt(draws)/float64(c.d)*math.Sqrt2)
			}
			if c.d == 3 { // Archimedes: uniform on [−1, 1]
				kolmogorov(t, first, func(u float64) float64 { return (1 + u) / 2 })
			}
		})
	}
}

func TestGaussian(t *testing.T) {
	const sigma = 1.7
	x := make([]float64, draws)
	Gaussian(sim.NewStream(1, "gaussian"), sigma, x)
	var moment [5]float64
	for _, v := range x {
		for k := range moment {
			moment[k] += math.Pow(v/sigma, float64(k)) / draws
		}
	}
	for k, c := range []struct{ mean, variance float64 }{{1, 0}, {0, 1}, {1, 2}, {0, 15}, {3, 96}} {
		near(t, fmt.Sprint("moment ", k), moment[k], c.mean, 1e-9+4*math.Sqrt(c.variance/draws))
	}
	kolmogorov(t, x, func(v float64) float64 { return math.Erfc(-v/sigma/math.Sqrt2) / 2 })
}

func TestStreamsOfNodesAndRoundsAreUncorrelated(t *testing.T) {
	const d = 10000
	draw := func(ids ...uint64) []float64 {
		s, x := sim.NewStream(1, "uncorrelated", ids...), make([]float64, d)
		for k := range x {
			Laplace(s, 1, x[k:k+1])
		}
		return x
	}
	correlation := func(x, y []float64) float64 {
		dot := 0.0
		for k := range x {
			dot += x[k] * y[k]
		}
		return dot / norm2(x) / norm2(y)
	}
	x := draw(3, 7)
	near(t, "correlation of a stream with itself", correlation(x, draw(3, 7)), 1, 1e-12)
	for _, c := range []struct {
		name string
		y    []float64
	}{{"another node", draw(4, 7)}, {"another round", draw(3, 8)}, {"node and round exchanged", draw(7, 3)}} {
		near(t, "correlation with "+c.name, correlation(x, c.y), 0, 4/math.Sqrt(d))
	}
}

func TestNoNoiseDrawsNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		d    int
		draw func(s *sim.Stream, out []float64)
	}{
		{"Laplace of infinite rate", 3, func(s *sim.Stream, out []float64) { Laplace(s, math.Inf(1), out) }},
		{"Gaussian of sigma 0", 3, func(s *sim.Stream, out []float64) { Gaussian(s, 0, out) }},
		{"ball of radius 0", 3, func(s *sim.Stream, out []float64) { Ball(s, 0, out) }},
		{"Laplace in no dimensions", 0, func(s *sim.Stream, out []float64) { Laplace(s, 1, out) }},
		{"Gaussian in no dimensions", 0, func(s *sim.Stream, out []float64) { Gaussian(s, 1, out) }},
		{"ball in no dimensions", 0, func(s *sim.Stream, out []float64) { Ball(s, 1, out) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, untouched := sim.NewStream(1, c.name), sim.NewStream(1, c.name)
			out := []float64{1, 2, 3}[:c.d]
			c.draw(s, out)
			for _, v := range out {
				if v != 0 {
					t.Fatalf("noise %v", out)
				}
			}
			if s.Uint64() != untouched.Uint64() {
				t.Error("it drew from the stream")
			}
		})
	}
}

func TestScalesThatAreNoScalesPanic(t *testing.T) {
	s, out := sim.NewStream(1, "panic"), make([]float64, 2)
	for name, f := range map[string]func(){
		"rate 0":          func() { Laplace(s, 0, out) },
		"rate NaN":        func() { Laplace(s, math.NaN(), out) },
		"negative sigma":  func() { Gaussian(s, -1, out) },
		"infinite sigma":  func() { Gaussian(s, math.Inf(1), out) },
		"negative radius": func() { Ball(s, -1, out) },
		"NaN radius":      func() { Ball(s, math.NaN(), out) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// TestSamplerBits pins the samplers' bits, which every architecture must
// reproduce.
func TestSamplerBits(t *testing.T) {
	var bits uint64
	x := make([]float64, 7)
	for i := range uint64(1000) {
		s := sim.NewStream(1, "bits", i)
		for _, draw := range []func(){
			func() { Laplace(s, 0.3, x) }, func() { Gaussian(s, 1.1, x) }, func() { Ball(s, 3, x) },
		} {
			draw()
			for _, v := range x {
				bits = bits*0x9e3779b97f4a7c15 + math.Float64bits(v)
			}
		}
	}
	const want = 0x20bc8b87fc303460
	if bits != want {
		t.Errorf("the samplers' bits hash to %#x, want %#x", bits, uint64(want))
	}
}

func TestFlipProbability(t *testing.T) {
	for _, c := range []struct{ epsilon, want float64 }{
		{0, 0.5}, {math.Log(3), 0.25}, {-math.Log(3), 0.75}, {1, 1 / (1 + math.E)},
		{700, math.Exp(-700)}, {740, math.Exp(-740)}, {math.Inf(1), 0}, {math.Inf(-1), 1},
	} {
		if got := FlipProbability(c.epsilon); !(math.Abs(got-c.want) <= 1e-14*c.want) {
			t.Errorf("at ε = %v the probability is %v, want %v", c.epsilon, got, c.want)
		}
	}
}

// response is the Rényi divergence of randomised response, by definition.
func response(epsilon, order float64) float64 {
	p := 1 / (1 + math.Exp(epsilon))
	q := 1 - p
	return math.Log(math.Pow(p, order)*math.Pow(q, 1-order)+math.Pow(q, order)*math.Pow(p, 1-order)) / (order - 1)
}

func TestPureDP(t *testing.T) {
	for _, epsilon := range []float64{0.01, 0.1, 0.5, 1, 1.9, 2, 2.1, 5, 10} {
		m := PureDP{epsilon}
		for _, order := range []float64{1.001, 1.5, 2, 3, 7.5, 29, 30, 31, 60} {
			what := fmt.Sprintf("ε %v, order %v: divergence", epsilon, order)
			want := response(epsilon, order)
			near(t, what, m.Renyi(order), want, 1e-10*want+1e-15/(order-1))
			if bound := order * m.Concentrated(); !(m.Renyi(order) <= bound*(1+1e-12)) {
				t.Errorf("%s %v is above ρa = %v", what, m.Renyi(order), bound)
			}
		}
		near(t, "divergence of infinite order", m.Renyi(math.Inf(1)), epsilon, 0)
		near(t, "limit of the divergence at order 1", m.Renyi(1+1e-9), m.Concentrated(), 1e-7*epsilon)
		if !(m.Concentrated() <= epsilon*epsilon/2) {
			t.Errorf("ρ = %v is above ε²/2", m.Concentrated())
		}
		near(t, "ρ", m.Concentrated(), epsilon*math.Tanh(epsilon/2), 1e-14*epsilon)
	}
	// Any other ε-DP mechanism diverges less: scalar Laplace noise on a value that
	// changes by 1, integrated numerically.
	for _, order := range []float64{1.5, 2, 10} {
		const epsilon, step = 1.3, 1e-4
		sum := 0.0
		for x := -40.0; x < 41; x += step {
			sum += step * epsilon / 2 * math.Exp(-order*epsilon*math.Abs(x)-(1-order)*epsilon*math.Abs(x-1))
		}
		if laplace, bound := math.Log(sum)/(order-1), (PureDP{epsilon}).Renyi(order); !(laplace <= bound) {
			t.Errorf("order %v: Laplace noise diverges by %v, above the bound %v", order, laplace, bound)
		}
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		m                        Mechanism
		pure, renyi2, concentred float64
	}{
		{PureDP{0}, 0, 0, 0}, {PureDP{inf}, inf, inf, inf}, {PureDP{-1}, inf, inf, inf},
		{PureDP{math.NaN()}, inf, inf, inf},
		{PureDP{1e-9}, 1e-9, 1e-18, 5e-19}, {PureDP{1000}, 1000, 1000, 1000},
		{GaussianDP{2, 4}, inf, 0.25, 0.125}, {GaussianDP{1, 0}, inf, inf, inf},
		{GaussianDP{0, 0}, 0, 0, 0}, {GaussianDP{0, 1}, 0, 0, 0},
		{GaussianDP{math.NaN(), 1}, inf, inf, inf}, {GaussianDP{1, math.NaN()}, inf, inf, inf},
		{GaussianDP{inf, inf}, inf, inf, inf},
	} {
		what := fmt.Sprintf("%T%v: ", c.m, c.m)
		near(t, what+"ε", c.m.Pure(), c.pure, 0)
		near(t, what+"ε of order 2", c.m.Renyi(2), c.renyi2, 1e-12*c.renyi2)
		near(t, what+"ρ", c.m.Concentrated(), c.concentred, 1e-12*c.concentred)
	}
}

func TestLedgerSums(t *testing.T) {
	var l Ledger
	for _, e := range []struct {
		node, round int
		unit        Unit
		epsilon     float64
	}{
		{5, 0, "label", 1}, {2, 1, "sample", 0.5}, {5, 1, "sample", 0.25}, {2, 2, "sample", 0.5}, {5, 4, "sample", 2},
		{5, 2, "sample", 0.125}, {5, 2, "sample", 0.0625}, {2, 7, "label", 3},
	} {
		l.Spend(e.node, e.round, e.unit, PureDP{e.epsilon})
	}
	for _, c := range []struct {
		node, round int
		unit        Unit
		want        float64
	}{
		{2, 0, "sample", 0}, {2, 1, "sample", 0.5}, {2, 2, "sample", 1}, {2, 100, "sample", 1},
		{2, 6, "label", 0}, {2, 7, "label", 3},
		{5, 0, "sample", 0}, {5, 1, "sample", 0.25}, {5, 2, "sample", 0.4375}, {5, 3, "sample", 0.4375},
		{5, 4, "sample", 2.4375},
		{5, 0, "label", 1}, {5, -1, "label", 0}, {9, 9, "sample", 0}, {5, 9, "feature", 0},
	} {
		what := fmt.Sprintf("spending of node %d by round %d on %s", c.node, c.round, c.unit)
		near(t, what, l.Pure(c.node, c.round, c.unit), c.want, 0)
	}
	for unit, want := range map[Unit][]float64{
		"sample": {0, 0.5, 1, 1, 2.4375, 2.4375}, "label": {1, 1, 1, 1, 1, 1}, "feature": {0, 0, 0, 0, 0, 0},
	} {
		if got := l.Series(unit, 5); !slices.Equal(got, want) {
			t.Errorf("series of %s %v, want %v", unit, got, want)
		}
	}
	if got := l.Units(); !slices.Equal(got, []Unit{"label", "sample"}) {
		t.Errorf("units %v", got)
	}
	if got := l.Nodes(); !slices.Equal(got, []int{2, 5}) {
		t.Errorf("nodes %v", got)
	}
	if got := new(Ledger); len(got.Units()) != 0 || len(got.Nodes()) != 0 ||
		got.Worst(3, "sample") != 0 || got.RDP(0, "sample", 0.1) != 0 {
		t.Error("an empty ledger is not empty")
	}
	l.Spend(5, 3, "sample", GaussianDP{1, 1})
	if got := l.Worst(2, "sample"); got != 1 {
		t.Errorf("the worst by round 2 is %v", got)
	}
	if got := l.Worst(3, "sample"); !math.IsInf(got, 1) {
		t.Errorf("Gaussian noise has pure ε %v", got)
	}
}

// exactGaussian is the least ε for which a Gaussian mechanism with that ratio
// of sensitivity to σ is (ε, δ)-DP (Balle & Wang 2018, Theorem 8).
func exactGaussian(ratio, delta float64) float64 {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	lo, hi := 0.0, 500.0
	for range 200 {
		e := (lo + hi) / 2
		if phi(ratio/2-e/ratio)-math.Exp(e)*phi(-ratio/2-e/ratio) > delta {
			lo = e
		} else {
			hi = e
		}
	}
	return hi
}

func TestGaussianComposition(t *testing.T) {
	for _, rounds := range []int{1, 3, 10, 100, 1000} {
		for _, sigma := range []float64{2, 10, 300} {
			for _, delta := range []float64{1e-2, 1e-5, 1e-9} {
				var l Ledger
				rho, ratio := 0.0, 0.0
				for r := range rounds {
					s := sigma * math.Pow(1.001, -float64(r))
					l.Spend(1, r, "sample", GaussianDP{0.5, s})
					rho += 0.25 / (2 * s * s)
					ratio = math.Sqrt(2 * rho)
				}
				what := fmt.Sprintf("%d rounds, σ %v, δ %v: ", rounds, sigma, delta)
				zcdp, rdp, exact := l.ZCDP(1, "sample", delta), l.RDP(1, "sample", delta), exactGaussian(ratio, delta)
				near(t, what+"zCDP", zcdp, rho+2*math.Sqrt(rho*math.Log(1/delta)), 1e-12*zcdp)
				if !(rdp <= zcdp) || !(rdp >= exact*(1-1e-9)-1e-12) {
					t.Errorf("%sRDP gives %v, not from the exact %v to zCDP's %v", what, rdp, exact, zcdp)
				}
				if exact > 0.5 && !(rdp <= 1.2*exact+0.1) {
					t.Errorf("%sRDP gives %v, far above the exact %v", what, rdp, exact)
				}
			}
		}
	}
	var l Ledger
	l.Spend(0, 0, "sample", GaussianDP{1, 1})
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"zCDP at δ = 0", l.ZCDP(0, "sample", 0), math.Inf(1)}, {"zCDP at δ = 1", l.ZCDP(0, "sample", 1), 0},
		{"RDP at δ = 0", l.RDP(0, "sample", 0), math.Inf(1)}, {"RDP at δ = 1", l.RDP(0, "sample", 1), 0},
		{"advanced composition", l.Advanced(0, "sample", 0.1), math.Inf(1)},
		{"zCDP of nothing", l.ZCDP(1, "sample", 0), 0},
	} {
		near(t, c.name, c.got, c.want, 0)
	}
	l.Spend(0, 1, "sample", GaussianDP{1, 0})
	near(t, "RDP without noise", l.RDP(0, "sample", 0.1), math.Inf(1), 0)
}

// TestRDPOrders compares the search for the best order with a fine grid.
func TestRDPOrders(t *testing.T) {
	for _, m := range []Mechanism{
		PureDP{0.01}, PureDP{0.3}, PureDP{4}, GaussianDP{1, 0.1}, GaussianDP{1, 5}, GaussianDP{1, 1000},
	} {
		for _, delta := range []float64{0.3, 1e-6} {
			var l Ledger
			for r := range 20 {
				l.Spend(0, r, "sample", m)
			}
			want := l.Pure(0, 20, "sample")
			for u := -12.0; u < 16; u += 1e-3 {
				a := 1 + math.Exp(u)
				want = min(want, max(0, 20*m.Renyi(a)+math.Log((a-1)/a)-(math.Log(delta)+math.Log(a))/(a-1)))
			}
			if got := l.RDP(0, "sample", delta); !(got <= want*(1+1e-6)+1e-9) || !(got >= want*(1-1e-5)-1e-9) {
				t.Errorf("%T%v, δ %v: %v, want %v", m, m, delta, got, want)
			}
		}
	}
}

func TestAdvanced(t *testing.T) {
	for _, c := range []struct {
		rounds  int
		epsilon float64
		growth  float64
		delta   float64
	}{{1, 1, 1, 1e-5}, {100, 0.1, 1, 1e-5}, {1000, 0.02, 1.002, 1e-6}, {1000, 3, 1, 1e-3}, {50, 0.01, 1.05, 0.5}} {
		var l Ledger
		basic, mean, squares := 0.0, 0.0, 0.0
		for r := range c.rounds {
			e := c.epsilon * math.Pow(c.growth, float64(r))
			l.Spend(0, r, "sample", PureDP{e})
			basic += e
			mean += e * (math.Exp(e) - 1) / (math.Exp(e) + 1)
			squares += e * e
		}
		want := min(basic, mean+math.Sqrt(2*math.Log(1/c.delta)*squares))
		got := l.Advanced(0, "sample", c.delta)
		near(t, fmt.Sprintf("%+v: advanced composition", c), got, want, 1e-10*want)
		pure := l.Pure(0, c.rounds, "sample")
		if !(got <= pure) {
			t.Errorf("%+v: advanced composition gives %v, more than basic %v", c, got, pure)
		}
		if rdp, zcdp := l.RDP(0, "sample", c.delta), l.ZCDP(0, "sample", c.delta); !(rdp <= zcdp) || !(rdp <= pure) {
			t.Errorf("%+v: RDP gives %v, zCDP %v, basic composition %v", c, rdp, zcdp, pure)
		}
		near(t, "advanced composition at δ = 0", l.Advanced(0, "sample", 0), pure, 0)
		near(t, "advanced composition at δ = 1", l.Advanced(0, "sample", 1), 0, 0)
	}
}

// TestResponses compares the three conversions with the exact ε of repeated
// randomised response: its loss is ε times a binomial.
func TestResponses(t *testing.T) {
	const rounds, epsilon, delta = 60, 0.2, 1e-4
	var l Ledger
	for r := range rounds {
		l.Spend(0, r, "label", PureDP{epsilon})
	}
	hockey := func(total float64) float64 { // δ at that ε
		sum, p := 0.0, FlipProbability(epsilon)
		for k := range rounds + 1 { // k flips
			lg := func(n int) float64 { v, _ := math.Lgamma(float64(n + 1)); return v }
			choose := math.Exp(lg(rounds) - lg(k) - lg(rounds-k))
			loss := epsilon * float64(rounds-2*k)
			sum += choose * math.Pow(p, float64(k)) * math.Pow(1-p, float64(rounds-k)) * max(0, 1-math.Exp(total-loss))
		}
		return sum
	}
	for name, got := range map[string]float64{
		"zCDP": l.ZCDP(0, "label", delta), "RDP": l.RDP(0, "label", delta),
		"advanced composition": l.Advanced(0, "label", delta),
	} {
		if d := hockey(got); !(d <= delta) {
			t.Errorf("%s says ε = %v, but δ is %v there", name, got, d)
		}
	}
}

func TestSeriesIsWorst(t *testing.T) {
	const nodes, rounds = 200, 1000
	var l Ledger
	s := sim.NewStream(1, "series")
	for r := range rounds {
		for node := range nodes {
			l.Spend(node, r, "sample", PureDP{s.Float64()})
		}
	}
	for r, got := range l.Series("sample", rounds+3) {
		if want := l.Worst(r, "sample"); got != want {
			t.Fatalf("round %d: %v in the series, the worst is %v", r, got, want)
		}
	}
	if got := l.Series("sample", -1); len(got) != 0 {
		t.Errorf("a series of no rounds has %d values", len(got))
	}
}

func TestSolve(t *testing.T) {
	for _, c := range []struct {
		name   string
		target float64
		spent  func(float64) float64
		want   float64
		fails  string
	}{
		{"linear", 7, func(s float64) float64 { return s }, 7, ""},
		{"one", 1, func(s float64) float64 { return s }, 1, ""},
		{"a small scale", 3e-9, func(s float64) float64 { return s }, 3e-9, ""},
		{"a large scale", 1e20, func(s float64) float64 { return s }, 1e20, ""},
		{"with a floor", 3, func(s float64) float64 { return 2 + s*s }, 1, ""},
		{"a step", 1, func(s float64) float64 { return math.Floor(s / 3) }, 6, ""},
		{"infinite beyond a point", 1e9, func(s float64) float64 { return 1 / max(0, 5-s) }, 5 - 1e-9, ""},
		{"no number beyond a point", 10, func(s float64) float64 { return math.Sqrt(0.25 - s) }, 0.25, ""},
		{"floor above the target", 1.5, func(s float64) float64 { return 2 + s }, 0,
			"even a scale of 9e-13 spends 2.0000000000009095, " +
				"which is 0.5000000000009095 more than the target 1.5"},
		{"bounded below the target", 3, func(s float64) float64 { return 1 - 1/(1+s) }, 0,
			"the loss never exceeds the target 3: even at a scale of 1e+30 it is 1"},
		{"never a number", 3, func(float64) float64 { return math.NaN() }, 0, "more than the target 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := 0
			got, err := Solve(c.target, 0, func(s float64) float64 { calls++; return c.spent(s) })
			if calls > 200 {
				t.Errorf("%d evaluations", calls)
			}
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("error %v, want %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			near(t, "scale", got, c.want, 2e-12*c.want)
			if spent := c.spent(got); !(spent <= c.target) {
				t.Errorf("the scale %v spends %v, above the target %v", got, spent, c.target)
			}
		})
	}
}

// With a slack, Solve ends with the first scale whose loss is that close below the target.
func TestSolve_Slack(t *testing.T) {
	for _, target := range []float64{1, 2, 3, 0.9995, 1.0005, 700, 1e-5} {
		for name, spent := range map[string]func(float64) float64{
			"linear": func(s float64) float64 { return s }, "square": func(s float64) float64 { return s * s },
			"root": math.Sqrt,
		} {
			var scales []float64
			got, err := Solve(target, 1e-3, func(s float64) float64 { scales = append(scales, s); return spent(s) })
			if err != nil {
				t.Fatal(err)
			}
			if v := spent(got); !(v <= target && v >= 0.999*target) {
				t.Errorf("%s, target %v: spends %v", name, target, v)
			}
			if scales[len(scales)-1] != got {
				t.Errorf("%s, target %v: went on after %v: %v", name, target, got, scales)
			}
		}
	}
	jump := func(s float64) float64 { // over the last thousandth below the target
		if s > 3 {
			return 2
		}
		return s / 3
	}
	if got, err := Solve(1.5, 1e-3, jump); err != nil || !(got <= 3 && got >= 3-1e-11) {
		t.Errorf("a jump: %v, %v", got, err)
	}
}

func TestSolveForALedger(t *testing.T) {
	const target, rounds, delta = 2.0, 200, 1e-5
	scale, err := Solve(target, 0, func(scale float64) float64 {
		var l Ledger
		for r := range rounds {
			l.Spend(0, r, "sample", GaussianDP{1, 1 / scale})
		}
		return l.ZCDP(0, "sample", delta)
	})
	if err != nil {
		t.Fatal(err)
	}
	root := math.Sqrt(math.Log(1/delta)+target) - math.Sqrt(math.Log(1/delta)) // √ρ
	near(t, "scale", scale, root*math.Sqrt(2.0/rounds), 1e-11)
}

func TestOrderWithinARound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type spending struct {
			node, round int
			unit        Unit
			m           Mechanism
		}
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) spending {
			var m Mechanism = PureDP{rapid.Float64Range(0, 3).Draw(t, "epsilon")}
			if rapid.IntRange(0, 9).Draw(t, "gaussian") == 0 {
				m = GaussianDP{1, rapid.Float64Range(0.5, 20).Draw(t, "sigma")}
			}
			return spending{
				rapid.IntRange(0, 2).Draw(t, "node"), rapid.IntRange(0, 6).Draw(t, "round"),
				rapid.SampledFrom([]Unit{"label", "sample"}).Draw(t, "unit"), m,
			}
		}), 0, 30).Draw(t, "spendings")
		var one, other Ledger
		for _, e := range all {
			one.Spend(e.node, e.round, e.unit, e.m)
		}
		for _, e := range rapid.Permutation(all).Draw(t, "permuted") {
			other.Spend(e.node, e.round, e.unit, e.m)
		}
		same := func(what string, a, b float64) {
			if a != b && !(math.Abs(a-b) <= 1e-12*max(1, a)) {
				t.Fatalf("%s is %v in one order and %v in another", what, a, b)
			}
		}
		for _, unit := range []Unit{"label", "sample"} {
			series := one.Series(unit, 7)
			for node := range 3 {
				last := 0.0
				for r := range 8 {
					v := one.Pure(node, r, unit)
					same("the sum", v, other.Pure(node, r, unit))
					if !(v >= last) {
						t.Fatalf("node %d: spending falls from %v to %v in round %d", node, last, v, r)
					}
					if !(series[r] >= v) || series[r] != one.Worst(r, unit) {
						t.Fatalf("round %d: the worst is %v, node %d spent %v", r, series[r], node, v)
					}
					last = v
				}
				same("zCDP", one.ZCDP(node, unit, 1e-5), other.ZCDP(node, unit, 1e-5))
				same("RDP", one.RDP(node, unit, 1e-5), other.RDP(node, unit, 1e-5))
				same("advanced composition", one.Advanced(node, unit, 1e-5), other.Advanced(node, unit, 1e-5))
			}
		}
	})
}

func BenchmarkLedger(b *testing.B) {
	for b.Loop() {
		var l Ledger
		for r := range 1000 {
			for node := range 200 {
				l.Spend(node, r, "sample", PureDP{0.01 + 1e-6*float64(r)})
			}
		}
		l.Series("sample", 1000)
	}
}

func BenchmarkRDP(b *testing.B) {
	var l Ledger
	for r := range 1000 {
		l.Spend(0, r, "sample", PureDP{0.01 + 1e-6*float64(r)})
	}
	for b.Loop() {
		l.RDP(0, "sample", 1e-5)
	}
}

// Round by round the bound is that of a ledger that ends there, for the node that
// has spent most.
func TestBound_IsThatOfTheWorstNodeSoFar(t *testing.T) {
	const rounds, delta = 12, 1e-5
	full := new(Ledger)
	part := make([]*Ledger, rounds+1)
	for r := range part {
		part[r] = new(Ledger)
	}
	for node := range 3 {
		for r := 1; r <= rounds; r++ {
			m := GaussianDP{Sensitivity: 0.1 * float64(node+1), Sigma: 1 + float64((node*r)%5)}
			full.Spend(node, r, "sample", m)
			for k := r; k <= rounds; k++ {
				part[k].Spend(node, r, "sample", m)
			}
		}
	}
	for r, got := range full.Bound("sample", rounds, delta) {
		want := 0.0
		for _, node := range part[r].Nodes() {
			want = math.Max(want, part[r].RDP(node, "sample", delta))
		}
		if !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("round %d: %v, want %v", r, got, want)
		}
	}
	pure := new(Ledger)
	pure.Spend(0, 1, "sample", PureDP{0.5})
	pure.Spend(1, 2, "sample", PureDP{0.7})
	if got := pure.Bound("sample", 2, delta); got[0] != 0 || got[1] != 0.5 || got[2] != 0.7 {
		t.Errorf("pure: %v", got)
	}
	pure.Spend(0, 2, "sample", PureDP{0.3})
	pure.Spend(0, 2, "sample", PureDP{0.3})
	if got := pure.WorstRound("sample", delta); !(math.Abs(got-0.7) <= 1e-15) {
		t.Errorf("worst round %v: node 1 spent 0.7 in round 2, node 0 spent 0.6", got)
	}
}

// A node's part of a ledger loses what the node lost in those rounds.
func TestLedger_Part(t *testing.T) {
	l := new(Ledger)
	for node := range 3 {
		for round := range 5 {
			l.Spend(node, round, "sample", PureDP{float64(1 + node + 10*round)})
		}
	}
	part := l.Part(1, 2, 3)
	if got := part.Pure(1, 9, "sample"); got != 22+32 {
		t.Errorf("rounds 2 and 3 of node 1 cost %v, want 54", got)
	}
	if nodes := part.Nodes(); len(nodes) != 1 || nodes[0] != 1 {
		t.Errorf("its nodes are %v", nodes)
	}
}

// At an order that tends to 1 the Rényi divergence is the Kullback–Leibler divergence, ε tanh(ε/2), which for a large ε
// is ε to the last digit: also one rounding above 1.
func TestPureDP_RenyiOfALargeLossNearOrderOne(t *testing.T) {
	for _, epsilon := range []float64{61, 64, 100} {
		near(t, fmt.Sprintf("ε %v: divergence near order 1", epsilon),
			PureDP{epsilon}.Renyi(1+0x1p-52), epsilon*math.Tanh(epsilon/2), 1e-13*epsilon)
	}
}

// gaussianRDP is the ε at δ of one Gaussian mechanism of that ρ, on a grid of orders: ρa + ln((a−1)/a) − (ln δ +
// ln a)/(a−1).
func gaussianRDP(rho, delta float64) float64 {
	best := math.Inf(1)
	for u := -12.0; u < 16; u += 1e-3 {
		a := 1 + math.Exp(u)
		best = min(best, max(0, rho*a+math.Log((a-1)/a)-(math.Log(delta)+math.Log(a))/(a-1)))
	}
	return best
}

// What a node lost by round 0 is stated in a run of no more rounds, too.
func TestBound_OfRoundZero(t *testing.T) {
	const delta = 1e-5
	l := new(Ledger)
	l.Spend(0, 0, "sample", GaussianDP{1, 2})
	got := l.Bound("sample", 0, delta)
	if want := gaussianRDP(0.125, delta); len(got) != 1 || !(math.Abs(got[0]-want) <= 1e-5*want) {
		t.Errorf("bounds %v, want %v", got, want)
	}
	if got := l.Bound("sample", -1, delta); len(got) != 0 {
		t.Errorf("%v of no rounds", got)
	}
}

// The worst node is the one whose ε at δ is largest, whatever it used. Node 0 has the smallest ρ of the Gaussian
// mechanisms, and the largest loss by its pure ones.
func TestBound_WorstNodeAmongPureAndGaussian(t *testing.T) {
	const delta = 1e-5
	l := new(Ledger)
	l.Spend(0, 1, "sample", GaussianDP{1, 10})
	l.Spend(0, 1, "sample", PureDP{4})
	l.Spend(1, 1, "sample", GaussianDP{1, 2})
	l.Spend(2, 1, "sample", GaussianDP{1, 4})
	l.Spend(3, 1, "sample", GaussianDP{1, 5})
	l.Spend(3, 1, "sample", PureDP{0.01})
	got, pure := l.Bound("sample", 1, delta)[1], l.RDP(0, "sample", delta)
	if gauss := l.RDP(1, "sample", delta); !(pure > gauss) || got != pure {
		t.Errorf("the bound is %v; node 0 lost %v, node 1 %v", got, pure, gauss)
	}
	if round := l.WorstRound("sample", delta); round != pure {
		t.Errorf("the worst round is %v; node 0 lost %v in its only one", round, pure)
	}
	// With little pure loss, node 1 is the worst.
	l = new(Ledger)
	l.Spend(0, 1, "sample", GaussianDP{1, 10})
	l.Spend(0, 1, "sample", PureDP{0.01})
	l.Spend(1, 1, "sample", GaussianDP{1, 2})
	if got, want := l.Bound("sample", 1, delta)[1], gaussianRDP(0.125, delta); !(math.Abs(got-want) <= 1e-5*want) {
		t.Errorf("the bound is %v, node 1 lost %v", got, want)
	}
}

// Of a node's rounds the worst is the one whose ε at δ is largest, not the one with most Gaussian noise.
func TestWorstRound_OfMixtures(t *testing.T) {
	const delta = 1e-5
	l, one := new(Ledger), new(Ledger)
	for _, m := range []Mechanism{GaussianDP{1, 10}, PureDP{4}} {
		l.Spend(0, 1, "sample", m)
		one.Spend(0, 1, "sample", m)
	}
	l.Spend(0, 2, "sample", GaussianDP{1, 5})
	l.Spend(0, 2, "sample", PureDP{0.01})
	want := one.RDP(0, "sample", delta)
	if got := l.WorstRoundOf(0, "sample", delta); got != want || !(got >= 3) {
		t.Errorf("the worst round is %v, the first costs %v", got, want)
	}
}

// A round of Gaussian noise costs the ε at δ of the sum of its ρ; the worst is that of the largest sum, in whatever
// order rounds come.
func TestWorstRound_OfGaussianNoise(t *testing.T) {
	const delta = 1e-5
	for name, sigmas := range map[string][][]float64{ // by round
		"falling": {{1}, {2}, {4}}, "rising": {{4}, {2}, {1}}, "of parts": {{1.5}, {math.Sqrt2, math.Sqrt2}, {1.2}},
	} {
		l := new(Ledger)
		for round, all := range sigmas {
			for _, sigma := range all {
				l.Spend(0, round+1, "sample", GaussianDP{1, sigma})
			}
		}
		want := gaussianRDP(0.5, delta) // ρ = 1/(2·1²), or twice 1/(2·2)
		if got := l.WorstRound("sample", delta); !(math.Abs(got-want) <= 1e-5*want) {
			t.Errorf("%s: the worst round is %v, want %v", name, got, want)
		}
		if got := l.WorstRoundOf(0, "sample", delta); !(math.Abs(got-want) <= 1e-5*want) {
			t.Errorf("%s: the node's worst round is %v, want %v", name, got, want)
		}
	}
}

// Every mechanism is (0, 1)-differentially private, one that hides nothing too.
func TestRDP_AtDeltaOneNothingIsLost(t *testing.T) {
	var l Ledger
	l.Spend(0, 0, "sample", GaussianDP{1, 0})
	near(t, "RDP at δ = 1", l.RDP(0, "sample", 1), 0, 0)
	near(t, "RDP at δ = 2", l.RDP(0, "sample", 2), 0, 0)
}

// Halving an interval whose ends are in the ratio 2 takes 40 steps to a precision of 10^−12, since 2^40 > 10^12.
func TestSolve_Evaluations(t *testing.T) {
	for _, c := range []struct {
		target   float64
		brackets int
	}{{1.5, 2}, {3, 3}, {6, 4}, {0.75, 2}} {
		calls := 0
		if _, err := Solve(c.target, 0, func(s float64) float64 { calls++; return s }); err != nil {
			t.Fatal(err)
		}
		if calls > c.brackets+40 {
			t.Errorf("%d evaluations for a target of %v, where %d find the interval", calls, c.target, c.brackets)
		}
	}
}

// RDP is never above zCDP, which is the same bound at one order and with less care: also where that order, 1 +
// √(ln(1/δ)/ρ), is beyond the grid.
func TestRDP_IsAtMostZCDPFarFromTheGrid(t *testing.T) {
	for _, c := range []struct{ rho, delta float64 }{{1e-13, 1e-300}, {1e-9, 1e-300}, {1, 1e-5}, {1e13, 0.5}} {
		var l Ledger
		l.Spend(0, 0, "sample", GaussianDP{math.Sqrt(2 * c.rho), 1})
		rdp, zcdp := l.RDP(0, "sample", c.delta), l.ZCDP(0, "sample", c.delta)
		if want := c.rho + 2*math.Sqrt(c.rho*math.Log(1/c.delta)); !(rdp <= want) || !(rdp <= zcdp) {
			t.Errorf("ρ %v, δ %v: RDP gives %v, zCDP %v, by hand %v", c.rho, c.delta, rdp, zcdp, want)
		}
	}
}

// What spends nothing loses nothing, at any δ and by any composition.
func TestComposition_OfNothing(t *testing.T) {
	var l Ledger
	l.Spend(0, 0, "label", PureDP{0})
	l.Spend(0, 1, "label", PureDP{0})
	for _, delta := range []float64{-1, 0, 1e-300, 0.5, 1} {
		near(t, "advanced composition", l.Advanced(0, "label", delta), 0, 0)
		near(t, "RDP", l.RDP(0, "label", delta), 0, 0)
		near(t, "zCDP", l.ZCDP(0, "label", delta), 0, 0)
	}
}

// exactPerturbation is the Rényi divergence of order a, by quadrature, of the minimisers of two objectives in one
// dimension with b·f added, b ~ N(0, σ²): f has the density φ(G(f)/σ)G′(f)/σ, G the gradient. slope and bend are L′ and
// L″ of a margin; the worlds have the row u or v with weight w beside a ridge.
func exactPerturbation(a, u, v, w, ridge, sigma float64, slope, bend func(z float64) float64) float64 {
	log := func(x, f float64) float64 {
		g, h := w*slope(x*f)*x+ridge*f, w*bend(x*f)*x*x+ridge
		return -g*g/(2*sigma*sigma) + math.Log(h/(sigma*math.Sqrt(2*math.Pi)))
	}
	const steps = 10000
	most, top := (12*sigma+(2*a+2)*w)/ridge, math.Inf(-1)
	all := make([]float64, steps)
	for k := range all {
		f := most * (2*(float64(k)+0.5)/steps - 1)
		all[k] = a*log(u, f) + (1-a)*log(v, f)
		top = max(top, all[k])
	}
	sum := 0.0
	for _, x := range all {
		sum += math.Exp(x-top) * 2 * most / steps
	}
	return (top + math.Log(sum)) / (a - 1)
}

// The bound is above the exact divergence for every pair, order and scale, and it is the Jacobian's part, and that of a
// change that moves with the noise, that make it so: neither the Gaussian mechanism's aμ²/2 with the greatest change
// that these pairs have nor the bound without J is one.
func TestPerturbedObjective_BoundsTheExactDivergence(t *testing.T) {
	logistic := func(z float64) float64 { return -1 / (1 + math.Exp(z)) }
	bend := func(z float64) float64 { return 1 / (2 + math.Exp(z) + math.Exp(-z)) }
	below, tightest := map[string]float64{}, math.Inf(1)
	for _, sigma := range []float64{0.3, 1, 4} {
		for _, ridge := range []float64{0.03, 0.3, 3} {
			m := PerturbedObjective{Sensitivity: 2, Sigma: sigma, Jacobian: math.Log(1 + 0.25/ridge)}
			for _, pair := range [][2]float64{{1, -1}, {1, 0}, {0, 1}, {1, 0.4}, {0.4, 1}, {-0.5, 1}} {
				for _, a := range []float64{1.05, 1.5, 3, 10, 40} {
					exact := exactPerturbation(a, pair[0], pair[1], 1, ridge, sigma, logistic, bend)
					bound := m.Renyi(a)
					if !(exact <= bound) || !(exact >= -1e-9) {
						t.Errorf("σ %v, ridge %v, rows %v, order %v: %v is not below %v", sigma, ridge, pair, a, exact,
							bound)
					}
					tightest = min(tightest, bound/exact)
					below["a Gaussian mechanism"] = max(below["a Gaussian mechanism"],
						exact/GaussianDP{1, sigma}.Renyi(a))
					m := m
					m.Jacobian = 0
					below["no Jacobian"] = max(below["no Jacobian"], exact/m.Renyi(a))
				}
			}
		}
	}
	for what, ratio := range below {
		if !(ratio > 1.1) {
			t.Errorf("with %s the exact divergence is at most %v of it: the mistake would not be seen", what, ratio)
		}
	}
	if !(tightest < 4.2) { // the flipped row's is aw²/2σ², a quarter of aμ²/2, at high orders
		t.Errorf("the bound is never within %v times the exact divergence", tightest)
	}
}

// Renyi's parts by numbers computed elsewhere, and what Concentrated is of it.
func TestPerturbedObjective_Parts(t *testing.T) {
	m := PerturbedObjective{Sensitivity: 0.5, Sigma: 2, Jacobian: 0.125} // μ = 0.25
	near(t, "order 3", m.Renyi(3), 0.125+0.09375+0.19947114020071635, 1e-15)
	near(t, "order 9", m.Renyi(9), 0.125+0.28125+0.08664339756999316, 1e-15)
	near(t, "ρ", m.Concentrated(), 0.125+0.03125+0.19947114020071635, 1e-15)
	near(t, "ε", m.Pure(), math.Inf(1), 0)
	for u := -20.0; u < 20; u += 0.1 {
		a := 1 + math.Exp(u)
		// E e^{v|g|} = 2Φ(v)e^{v²/2} with v = (a−1)μ is what the bound must cover.
		v := (a - 1) * 0.25
		length := math.Log1p(math.Erf(v/math.Sqrt2)) / (a - 1)
		least, most := 0.125+a*0.03125+length, a*m.Concentrated()
		if r := m.Renyi(a); !(r >= least-1e-12) || !(r <= most*(1+1e-15)) {
			t.Errorf("order %v: %v, of the law of |g| %v, of ρ %v", a, r, least, most)
		}
	}
	for _, c := range []struct{ sensitivity, sigma, jacobian, want float64 }{
		{0, 0, 0.5, 0.5}, {0, 1, 0, 0}, {1, 0, 0, math.Inf(1)}, {math.NaN(), 1, 0, math.Inf(1)},
		{1, 1, math.NaN(), math.Inf(1)}, {1, -1, 0, math.Inf(1)}, {-1, 1, 0, math.Inf(1)},
	} {
		m := PerturbedObjective{c.sensitivity, c.sigma, c.jacobian}
		for _, got := range []float64{m.Renyi(2), m.Concentrated()} {
			near(t, fmt.Sprintf("%+v", m), got, c.want, 0)
		}
	}
}

// Runs of equal mechanisms are one term of the Rényi divergence, whatever mechanism they are of, and others are their
// own; the bound is that of the terms one by one.
func TestLedger_RunsOfEqualsAreOneTerm(t *testing.T) {
	l := new(Ledger)
	one, two := PerturbedObjective{Sensitivity: 0.01, Sigma: 2, Jacobian: 1e-4}, PureDP{Epsilon: 0.002}
	var spent []Mechanism
	for round := range 900 {
		m := []Mechanism{one, two, one}[round/300]
		spent = append(spent, m)
		l.Spend(0, round, Sample, m)
	}
	c := l.book(0, Sample).curve()
	if len(c.terms) != 3 || c.terms[0] != (term{300, one}) || c.terms[1] != (term{300, two}) {
		t.Fatalf("%d terms: %v", len(c.terms), c.terms)
	}
	for _, order := range []float64{1.01, 2, 30, 1e4} {
		sum := 0.0
		for _, m := range spent {
			sum += m.Renyi(order)
		}
		near(t, fmt.Sprint("order ", order), c.renyi(order), sum, 1e-13*sum)
	}
}

// A group's loss is that of as many units: k times a pure ε and a sensitivity, and more than one unit's.
func TestLedger_Group(t *testing.T) {
	for _, m := range []Mechanism{PureDP{0.3}, GaussianDP{0.5, 2}, PerturbedObjective{0.5, 2, 0.1},
		PerturbedObjective{0, 2, 0.1}} { // of which the Jacobian alone is lost
		var l Ledger
		l.Spend(4, 1, Sample, m)
		l.Spend(4, 2, Sample, m)
		for k := 1; k < 5; k++ {
			g, n := l.Group(k), float64(k)
			got, want := g.Pure(4, 2, Sample), n*l.Pure(4, 2, Sample)
			if !(math.Abs(got-want) <= 1e-12) && got != want {
				t.Errorf("%#v, group of %d: ε = %v, not %v", m, k, got, want)
			}
			one, all := l.ZCDP(4, Sample, 1e-6), g.ZCDP(4, Sample, 1e-6)
			if k == 1 && one != all || k > 1 && !(all > one) {
				t.Errorf("%#v, group of %d: zCDP gives %v, of one %v", m, k, all, one)
			}
		}
	}
	if got, want := (GaussianDP{0.5, 2}).Group(3), (GaussianDP{1.5, 2}); got != want {
		t.Errorf("%v", got)
	}
}

// With a slack, losses of many shapes are met within it, from below, in few calls: each may be a composition.
func TestSolve_ASlackTakesFewCalls(t *testing.T) {
	const slack = 1e-3
	for what, spent := range map[string]func(x float64) float64{
		"linear":     func(x float64) float64 { return 0.02 * x },
		"tiny":       func(x float64) float64 { return 1e-7 * x },
		"quadratic":  func(x float64) float64 { return x*x + 3*x },
		"a part":     func(x float64) float64 { return 0.9 + 0.3*x },
		"root":       math.Sqrt,
		"steep":      func(x float64) float64 { return math.Expm1(x) },
		"from zero":  func(x float64) float64 { return math.Max(0, 0.3*x-2) },
		"to the sum": func(x float64) float64 { return math.Min(5*x, x*x) },
		"not a number beyond 7": func(x float64) float64 {
			if x > 7 {
				return math.NaN()
			}
			return x
		},
	} {
		for _, target := range []float64{1, 2, 5} {
			calls := 0
			scale, err := Solve(target, slack, func(x float64) float64 { calls++; return spent(x) })
			if v := spent(scale); err != nil || !(v <= target && v >= (1-slack)*target) {
				t.Errorf("%s, target %v: scale %v spends %v, %v", what, target, scale, v, err)
			}
			if calls > 15 {
				t.Errorf("%s, target %v: %d calls", what, target, calls)
			}
		}
	}
	// A jump over the target leaves the scale just below it.
	jump := func(x float64) float64 { return math.Floor(x) }
	if scale, err := Solve(2.5, slack, jump); err != nil || !(scale < 3 && scale > 3*(1-1e-11)) {
		t.Errorf("a jump: %v, %v", scale, err)
	}
	for _, never := range []func(float64) float64{
		func(float64) float64 { return 3 }, func(float64) float64 { return math.Inf(1) },
		func(float64) float64 { return 1 }, func(float64) float64 { return math.NaN() },
	} {
		calls := 0
		if scale, err := Solve(2, slack, func(x float64) float64 { calls++; return never(x) }); err == nil ||
			calls > 200 {
			t.Errorf("%v after %d calls", scale, calls)
		}
	}
}

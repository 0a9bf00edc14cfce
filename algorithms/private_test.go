// What the methods that perturb ADMM's primal step must meet, with the means to
// run any registered method that the other tests of methods share.

package algorithms

import (
	"context"
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overhear/parameter"
	"overhear/privacy"
	"overhear/problem"
	"overhear/sim"
)

// irregular is a connected graph of 6 nodes with degrees 1 to 4.
var irregular = [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 1}, {1, 3}, {4, 5}, {0, 2}}

// uneven is a fixture whose nodes differ in their number of rows, with a weight
// of the data that is not 1, so that no B, C or V can be mistaken for another.
func uneven() *fixture {
	f := newFixture(6, 14, 4, irregular)
	f.c, f.r = 1.3, 0.05
	for i := range f.rows {
		f.rows[i], f.labels[i] = f.rows[i][:14-2*(i%4)], f.labels[i][:14-2*(i%4)]
	}
	return f
}

// size is B_i, degree V_i.
func (f *fixture) size(i int) float64   { return float64(len(f.rows[i])) }
func (f *fixture) degree(i int) float64 { return float64(len(f.adjacent[i])) }

// journal keeps every publication of a run by round and node.
type journal [][]*Publication

func (j journal) Published(p *Publication)      { j[p.Round][p.Node] = new(*p) }
func (j journal) Concluded(int, int, []float64) {}

// filled is an option struct of the method with the defaults that its tags give, and with
// penalties of 0.5 and steps of 1 where those are left to the program.
func filled(t *testing.T, e *Entry) any {
	t.Helper()
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		for k := range v.NumField() {
			field, tag := v.Field(k), v.Type().Field(k).Tag.Get("default")
			if tag == "auto" {
				if tag = "0.5"; v.Type().Field(k).Tag.Get("yaml") == "step" {
					tag = "1"
				}
			}
			text, reads := field.Addr().Interface().(encoding.TextUnmarshaler)
			switch {
			case tag == "" && field.Kind() == reflect.Struct:
				fill(field)
			case tag == "":
			case reads:
				if err := text.UnmarshalText([]byte(tag)); err != nil {
					t.Fatal(err)
				}
			case field.Kind() == reflect.String:
				field.SetString(tag)
			case field.Kind() == reflect.Int:
				n, err := strconv.ParseInt(tag, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				field.SetInt(n)
			case field.Kind() == reflect.Float64:
				x, err := strconv.ParseFloat(tag, 64)
				if err != nil {
					t.Fatal(err)
				}
				field.SetFloat(x)
			default:
				t.Fatalf("%s: a parameter of kind %v", e.Name, field.Kind())
			}
		}
	}
	p := e.Params()
	fill(reflect.ValueOf(p).Elem())
	return p
}

// graphOf is the network of a method: the fixture's, or a star with its nodes as
// clients.
func (f *fixture) graphOf(t *testing.T, e *Entry) *sim.Graph {
	t.Helper()
	n, edges := len(f.rows), f.edges
	if e.Star {
		n, edges = n+1, nil
		for i := 1; i < n; i++ {
			edges = append(edges, [2]int{0, i})
		}
	}
	g, err := sim.NewGraph(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// assembled is a method made for a run of a fixture.
type assembled struct {
	Method  RowMethod
	f       *fixture
	setting Setting
}

// makeMethod makes a method with default parameters; set, of a function of its
// option struct's pointer, changes them, nil nothing.
func makeMethod[P any](t *testing.T, f *fixture, name string, rounds int, set func(*P)) assembled {
	t.Helper()
	e, ok := Lookup(name)
	if !ok {
		t.Fatalf("there is no method %s", name)
	}
	p := filled(t, e)
	if set != nil {
		set(p.(*P))
	}
	s := Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: rounds, Seed: 1}
	m, err := e.New(p, s)
	if err != nil {
		t.Fatal(err)
	}
	return assembled{m.(RowMethod), f, s}
}

// run runs it; config and tune may alter the engine's and the protocol's setting.
func (a assembled) run(t *testing.T, config func(*sim.Config), tune func(*Config)) journal {
	t.Helper()
	j := make(journal, a.setting.Rounds+1)
	for r := range j {
		j[r] = make([]*Publication, a.setting.Graph.Order())
	}
	cfg := sim.Config{Seed: 1, Workers: 2, Link: sim.Link{Latency: sim.Latency{Kind: "constant", Value: 1e6}}}
	if config != nil {
		config(&cfg)
	}
	s := Config{Setting: a.setting, Method: a.Method, Cost: Cost{Row: 100, Jitter: 0.5}, Observer: j}
	if cfg.Link.Loss > 0 {
		s.Retry, s.Deadline = 10e6, 600e9
	}
	if tune != nil {
		tune(&s)
	}
	protocol, err := NewProtocol(s)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Graph = protocol.Graph()
	e, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	protocol.Attach(e)
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := protocol.Unfinished(); err != nil {
		t.Fatal(err)
	}
	return j
}

// startAt makes a run start at normal points; starts are the same points.
const spread = 0.3

func startAt(s *Config) { s.Init = Init{Normal: spread} }

func starts(nodes, d int) [][]float64 {
	all := make([][]float64, nodes)
	for i := range all {
		s := sim.NewStream(1, "init", uint64(i))
		all[i] = make([]float64, d)
		for k := range all[i] {
			all[i][k] = spread * s.Normal()
		}
	}
	return all
}

// agree compares a run with what it should be, from round 0 on; first is the
// node of want's first vector.
func agree(t *testing.T, got journal, want [][][]float64, first int, tolerance float64) {
	t.Helper()
	for r := range want {
		for i, w := range want[r] {
			p := got[r][first+i]
			if p == nil {
				t.Fatalf("round %d, node %d: nothing was published", r, i)
			}
			if e := distance(p.Values, w); !(e <= tolerance*(1+norm2(w))) {
				t.Fatalf("round %d, node %d: the iterate is %v, %g away from the independent %v", r, i, p.Values, e, w)
			}
		}
	}
}

// identical compares two runs bit for bit.
func identical(t *testing.T, got, want journal) {
	t.Helper()
	same := func(x, y []float64) bool {
		return slices.EqualFunc(x, y, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
	}
	for r := range want {
		for i := range want[r] {
			if !same(got[r][i].Values, want[r][i].Values) || !same(got[r][i].Inner, want[r][i].Inner) {
				t.Fatalf("round %d, node %d: %v, want %v", r, i, got[r][i].Values, want[r][i].Values)
			}
		}
	}
}

func norm2(x []float64) float64 { return distance(x, make([]float64, len(x))) }

// laplace is the noise of a node and round at that rate.
func laplace(d, node, t int, rate float64) []float64 {
	x := make([]float64, d)
	privacy.Laplace(sim.NewStream(1, "noise", uint64(node), uint64(t)), rate, x)
	return x
}

// plus is x + a·y.
func plus(x []float64, a float64, y []float64) []float64 {
	z := slices.Clone(x)
	for k := range z {
		z[k] += a * y[k]
	}
	return z
}

// gather is the sum of the neighbours' vectors.
func (f *fixture) gather(x [][]float64, i int) []float64 {
	s := make([]float64, len(x[i]))
	for _, j := range f.adjacent[i] {
		s = plus(s, 1, x[j])
	}
	return s
}

// pull is 2λ − η(V f + s).
func (f *fixture) pull(i int, eta float64, own, sum, dual []float64) []float64 {
	q := make([]float64, len(own))
	for k := range q {
		q[k] = 2*dual[k] - eta*(f.degree(i)*own[k]+sum[k])
	}
	return q
}

// consensus is the exchange that node-dual methods have in common, on dense
// vectors: primal gives a node's next published vector from its own, the sum of
// its neighbours' and its dual; then λ ← λ + (θ/2)(V f − s).
func (f *fixture) consensus(rounds int, primal func(i, t int, own, sum, dual []float64) []float64,
	theta func(i, t int) float64) [][][]float64 {
	n, d := len(f.rows), len(f.rows[0][0])
	cur, dual := starts(n, d), make([][]float64, n)
	for i := range dual {
		dual[i] = make([]float64, d)
	}
	history := [][][]float64{cur}
	for t := 1; t <= rounds; t++ {
		next := make([][]float64, n)
		for i := range next {
			next[i] = primal(i, t, cur[i], f.gather(cur, i), dual[i])
		}
		for i := range next {
			s := f.gather(next, i)
			for k := range s {
				dual[i][k] += theta(i, t) / 2 * (f.degree(i)*next[i][k] - s[k])
			}
		}
		cur = next
		history = append(history, cur)
	}
	return history
}

// exact is the minimiser of node i's (★).
func (f *fixture) exact(i int, kappa float64, q []float64) []float64 {
	return naiveMinimum(f.rows[i], f.labels[i], f.c, f.r+kappa, q)
}

// slope is ∇O_i at x, from dense rows.
func (f *fixture) slope(i int, x []float64) []float64 {
	g := make([]float64, len(x))
	for k := range g {
		g[k] = f.r * x[k]
	}
	for n, row := range f.rows[i] {
		m := 0.0
		for k := range x {
			m += f.labels[i][n] * row[k] * x[k]
		}
		g = plus(g, -f.c/f.size(i)*f.labels[i][n]/(1+math.Exp(m)), row)
	}
	return g
}

// optimum is the package's centralised optimum, after a look at whether
// Σ_i ∇O_i vanishes there.
func (f *fixture) optimum(t *testing.T) []float64 {
	t.Helper()
	o, err := f.problem().Centralised()
	if err != nil {
		t.Fatal(err)
	}
	g := make([]float64, len(o.F))
	for i := range f.rows {
		g = plus(g, 1, f.slope(i, o.F))
	}
	if !(norm2(g) <= 1e-9) {
		t.Fatalf("Σ ∇O_i is %v at the centralised optimum", g)
	}
	return o.F
}

// laws are per-node constants.
func laws(values ...float64) parameter.Schedule {
	var s parameter.Schedule
	for _, v := range values {
		s.Nodes = append(s.Nodes, parameter.Sequence{Initial: v, Ratio: 1})
	}
	return s
}

// budgets are small enough for Φ > 0 at some nodes of uneven at η = 0.05, and
// grow from round to round.
var budgets = parameter.Schedule{Nodes: []parameter.Sequence{
	{Initial: 0.1, Ratio: 1.05}, {Initial: 1, Ratio: 1}, {Initial: 0.06, Ratio: 1.1}, {Initial: 2, Ratio: 0.95},
	{Initial: 0.08, Ratio: 1}, {Initial: 0.7, Ratio: 1},
}}

// budget is their value, by the standard library's power.
func budget(i, t int) float64 {
	return budgets.Nodes[i].Initial * math.Pow(budgets.Nodes[i].Ratio, float64(t-1))
}

// rateByHand is ZZ16's Φ and ζ, from docs/mathematics.md §3.2.
func (f *fixture) rateByHand(i int, eta, alpha float64, listing bool) (phi, zeta float64) {
	ridge := f.r + 2*eta*f.degree(i)
	hat := alpha - 2*math.Log(1+0.25/(f.size(i)/f.c*ridge))
	if hat <= 0 {
		phi = 0.25/(f.size(i)/f.c*(math.Exp(alpha/4)-1)) - ridge
		hat = alpha / 2
	}
	if listing {
		return phi, hat
	}
	return phi, hat / 2
}

func TestZZ16_Algorithm2_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds, eta = 25, 0.05
	for _, calibration := range []string{"proof", "listing"} {
		t.Run(calibration, func(t *testing.T) {
			ridged, plain := 0, 0
			want := f.consensus(rounds, func(i, t int, own, sum, dual []float64) []float64 {
				phi, zeta := f.rateByHand(i, eta, budget(i, t), calibration == "listing")
				if phi > 0 {
					ridged++
				} else {
					plain++
				}
				// The dual that the primal step sees is μ = λ + (C/2B)ε.
				mu := plus(dual, f.c/(2*f.size(i)), laplace(len(own), i, t, zeta))
				return f.exact(i, 2*eta*f.degree(i)+phi, f.pull(i, eta, own, sum, mu))
			}, func(int, int) float64 { return eta })
			if ridged == 0 || plain == 0 {
				t.Fatalf("Φ > 0 in %d steps and Φ = 0 in %d: the fixture should have both", ridged, plain)
			}
			m := makeMethod(t, f, "dvp", rounds, func(p *DVP) {
				p.Eta, p.Alpha, p.Calibration = eta, budgets,
					calibration
			})
			agree(t, m.run(t, nil, startAt), want, 0, 1e-8)
		})
	}
}

func TestPVP_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds, eta = 25, 0.4
	want := f.consensus(rounds, func(i, t int, own, sum, dual []float64) []float64 {
		kappa := 2 * eta * f.degree(i)
		zeta := budget(i, t) * f.size(i) / (2 * f.c) * (f.r + kappa)
		return plus(f.exact(i, kappa, f.pull(i, eta, own, sum, dual)), 1, laplace(len(own), i, t, zeta))
	}, func(int, int) float64 { return eta })
	m := makeMethod(t, f, "pvp", rounds, func(p *PVP) { p.Eta, p.Alpha = eta, budgets })
	agree(t, m.run(t, nil, startAt), want, 0, 1e-8)
}

// penalties grow geometrically, at a rate of each node's own, one of them up to a
// cap; dual steps differ between nodes and one changes from round to round.
var (
	penalties = parameter.Schedule{Nodes: []parameter.Sequence{
		{Initial: 0.5, Ratio: 1.02}, {Initial: 0.6, Ratio: 1}, {Initial: 0.55, Ratio: 1.1, Max: 0.9},
		{Initial: 0.7, Ratio: 1.01}, {Values: []float64{0.5, 0.6, 0.8}}, {Initial: 0.5, Ratio: 1.03},
	}}
	dualSteps = parameter.Schedule{Nodes: []parameter.Sequence{
		{Initial: 0.5, Ratio: 1}, {Initial: 0.4, Ratio: 1}, {Initial: 0.3, Ratio: 1.01}, {Initial: 0.5, Ratio: 1},
		{Initial: 0.2, Ratio: 1}, {Initial: 0.5, Ratio: 1},
	}}
)

func penaltyByHand(i, t int) float64 {
	switch i {
	case 2:
		return math.Min(0.55*math.Pow(1.1, float64(t-1)), 0.9)
	case 4:
		return map[int]float64{1: 0.5, 2: 0.6}[t] + map[bool]float64{true: 0.8}[t > 2]
	}
	return []float64{0.5, 0.6, 0, 0.7, 0, 0.5}[i] * math.Pow([]float64{1.02, 1, 0, 1.01, 0, 1.03}[i], float64(t-1))
}

func dualStepByHand(i, t int) float64 {
	if i == 2 {
		return 0.3 * math.Pow(1.01, float64(t-1))
	}
	return []float64{0.5, 0.4, 0, 0.5, 0.2, 0.5}[i]
}

func TestZKL18_Eq10And11_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds = 30
	want := f.consensus(rounds, func(i, t int, own, sum, dual []float64) []float64 {
		eta := penaltyByHand(i, t)
		return f.exact(i, 2*eta*f.degree(i), f.pull(i, eta, own, sum, dual))
	}, dualStepByHand)
	m := makeMethod(t, f, "m-admm", rounds, func(p *MADMM) { p.Eta, p.Theta = penalties, dualSteps })
	agree(t, m.run(t, nil, startAt), want, 0, 1e-8)
}

func TestZKL18_Algorithm1_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds = 25
	want := f.consensus(rounds, func(i, t int, own, sum, dual []float64) []float64 {
		eta := penaltyByHand(i, t)
		q := f.pull(i, eta, own, sum, dual)
		q = plus(q, 2*eta*f.degree(i), laplace(len(own), i, t, 5*budget(i, t)))
		return f.exact(i, 2*eta*f.degree(i), q)
	}, dualStepByHand)
	m := makeMethod(t, f, "penalty-perturbation", rounds, func(p *PenaltyPerturbation) {
		p.Eta, p.Theta, p.Alpha = penalties, dualSteps, budgets.Times(5)
	})
	agree(t, m.run(t, nil, startAt), want, 0, 1e-8)
}

// normals are N(0, σ² I) of a node and round.
func normals(d, node, t int, sigma float64) []float64 {
	s, x := sim.NewStream(1, "noise", uint64(node), uint64(t)), make([]float64, d)
	for k := range x {
		x[k] = sigma * s.Normal()
	}
	return x
}

// gaussianPP is penalty perturbation with the noise of ZKL18 §6.3.
func gaussianPP(t *testing.T, f *fixture, rounds int, alpha parameter.Schedule) assembled {
	return makeMethod(t, f, "penalty-perturbation", rounds, func(p *PenaltyPerturbation) {
		p.Eta, p.Theta, p.Alpha, p.Law = penalties, dualSteps, alpha, "gaussian"
	})
}

// Gaussian noise in the penalty terms, neighbour by neighbour as ZKL18 (24) has it, and moved to the dual, as below
// (25): both are what the method computes.
func TestZKL18_Section63_BothFormulations(t *testing.T) {
	f := uneven()
	const rounds = 25
	noise := func(d, i, t int) []float64 { return normals(d, i, t, 1/(5*budget(i, t))) }
	for name, linear := range map[string]func(i, t int, own, sum, dual []float64) []float64{
		"in the dual": func(i, t int, own, sum, dual []float64) []float64 {
			eta := penaltyByHand(i, t)
			return f.pull(i, eta, own, sum, plus(dual, eta*f.degree(i), noise(len(own), i, t)))
		},
		"in the penalty": func(i, t int, own, sum, dual []float64) []float64 {
			eta := penaltyByHand(i, t)
			q := plus(dual, 1, dual)
			// η Σ_j ‖f − (½(f_i + f_j) − ε)‖²: of each neighbour −2η times the middle less ε.
			for range f.adjacent[i] {
				q = plus(q, -eta, own)
				q = plus(q, 2*eta, noise(len(own), i, t))
			}
			return plus(q, -eta, sum)
		},
	} {
		want := f.consensus(rounds, func(i, t int, own, sum, dual []float64) []float64 {
			return f.exact(i, 2*penaltyByHand(i, t)*f.degree(i), linear(i, t, own, sum, dual))
		}, dualStepByHand)
		t.Run(name, func(t *testing.T) {
			agree(t, gaussianPP(t, f, rounds, budgets.Times(5)).run(t, nil, startAt), want, 0, 1e-8)
		})
	}
}

// The noise is computed back from what was published: every component of αε must be standard normal, whatever the
// node's rate is, and no two components go together. A variance for a standard deviation is seen.
func TestZKL18_Section63_NoiseLawFromPublishedIterates(t *testing.T) {
	f := newFixture(6, 9, 3, irregular)
	f.c = 1.3
	const rounds = 250
	alphas := []float64{0.5, 1, 0.3, 2, 0.7, 5}
	got := gaussianPP(t, f, rounds, laws(alphas...)).run(t, nil, startAt)
	dual, scaled := make([][]float64, len(f.rows)), []float64(nil)
	for i := range dual {
		dual[i] = make([]float64, 3)
	}
	var cross, squares [3]float64
	byNode := make([]float64, len(f.rows)) // mean of (αε_k)²
	for r := 1; r <= rounds; r++ {
		old, now := make([][]float64, len(f.rows)), make([][]float64, len(f.rows))
		for i := range f.rows {
			old[i], now[i] = got[r-1][i].Values, got[r][i].Values
		}
		for i := range f.rows {
			eta := penaltyByHand(i, r)
			kappa := 2 * eta * f.degree(i)
			e := plus(f.slope(i, now[i]), kappa, now[i])
			e = plus(e, 1, f.pull(i, eta, old[i], f.gather(old, i), dual[i])) // −2ηVε
			e = plus(make([]float64, 3), -alphas[i]/kappa, e)
			scaled = append(scaled, e...)
			for k := range e {
				byNode[i] += e[k] * e[k] / (3 * rounds)
				squares[k] += e[k] * e[k]
				cross[k] += e[k] * e[(k+1)%3]
			}
		}
		for i := range dual {
			dual[i] = plus(dual[i], dualStepByHand(i, r)/2*f.degree(i), now[i])
			dual[i] = plus(dual[i], -dualStepByHand(i, r)/2, f.gather(now, i))
		}
	}
	distanceOf := func(scale float64) float64 {
		sorted := slices.Sorted(slices.Values(scaled))
		n, worst := float64(len(sorted)), 0.0
		for k, x := range sorted {
			p := math.Erfc(-x*scale/math.Sqrt2) / 2
			worst = max(worst, math.Abs(p-float64(k)/n), math.Abs(p-float64(k+1)/n))
		}
		return math.Sqrt(n) * worst
	}
	if d := distanceOf(1); !(d <= 1.95) { // 0.1 % for Kolmogorov's distribution
		t.Errorf("√n times the Kolmogorov distance of αε from N(0, 1) is %.3f", d)
	}
	if d := distanceOf(1.1); !(d > 1.95) { // what would be seen of noise a tenth too small
		t.Errorf("noise a tenth too small has a distance of only %.3f", d)
	}
	for i, v := range byNode {
		if !(math.Abs(v-1) <= 4*math.Sqrt(2.0/(3*rounds))) {
			t.Errorf("node %d of rate %v: the mean of (αε)² is %v", i, alphas[i], v)
		}
	}
	for k := range cross {
		if c := cross[k] / squares[k]; !(math.Abs(c) <= 4/math.Sqrt(float64(6*rounds))) {
			t.Errorf("components %d and %d have the correlation %v", k, (k+1)%3, c)
		}
	}
}

// Without noise a private method is, bit for bit, what it perturbs.
func TestPrivateMethods_WithoutNoiseAreThePlainOnes(t *testing.T) {
	f := uneven()
	const rounds = 20
	for _, c := range []struct {
		name         string
		quiet, noisy assembled
		plain        assembled
	}{
		{
			name:  "dvp",
			quiet: makeMethod(t, f, "dvp", rounds, func(p *DVP) { p.Eta, p.Noise, p.Alpha = 0.05, "off", budgets }),
			noisy: makeMethod(t, f, "dvp", rounds, func(p *DVP) { p.Eta, p.Alpha = 0.05, budgets }),
			plain: makeMethod(t, f, "admm", rounds, func(p *ADMM) { p.Eta = 0.05 }),
		}, {
			name:  "pvp",
			quiet: makeMethod(t, f, "pvp", rounds, func(p *PVP) { p.Eta, p.Noise = 0.3, "off" }),
			noisy: makeMethod(t, f, "pvp", rounds, func(p *PVP) { p.Eta = 0.3 }),
			plain: makeMethod(t, f, "admm", rounds, func(p *ADMM) { p.Eta = 0.3 }),
		}, {
			name: "penalty-perturbation",
			quiet: makeMethod(t, f, "penalty-perturbation", rounds, func(p *PenaltyPerturbation) {
				p.Eta, p.Theta, p.Noise = penalties, dualSteps, "off"
			}),
			noisy: makeMethod(t, f, "penalty-perturbation", rounds, func(p *PenaltyPerturbation) {
				p.Eta,
					p.Theta = penalties, dualSteps
			}),
			plain: makeMethod(t, f, "m-admm", rounds, func(p *MADMM) { p.Eta, p.Theta = penalties, dualSteps }),
		}, {
			name: "private-r-admm",
			quiet: makeMethod(t, f, "private-r-admm", rounds, func(p *PrivateRADMM) {
				p.Eta, p.Gamma, p.Noise = 0.3,
					0.2, "off"
			}),
			noisy: makeMethod(t, f, "private-r-admm", rounds, func(p *PrivateRADMM) { p.Eta, p.Gamma = 0.3, 0.2 }),
			plain: makeMethod(t, f, "r-admm", rounds, func(p *RADMM) { p.Eta, p.Gamma = 0.3, 0.2 }),
		}, {
			name: "private-mr-admm",
			quiet: makeMethod(t, f, "private-mr-admm", rounds, func(p *PrivateMRADMM) {
				p.Eta, p.Gamma, p.Noise = penalties, 0.2, "off"
			}),
			noisy: makeMethod(t, f, "private-mr-admm", rounds, func(p *PrivateMRADMM) {
				p.Eta, p.Gamma = penalties,
					0.2
			}),
			plain: makeMethod(t, f, "mr-admm", rounds, func(p *MRADMM) { p.Eta, p.Gamma = penalties, 0.2 }),
		}, {
			name:  "private-dgd",
			quiet: makeMethod(t, f, "private-dgd", rounds, func(p *PrivateDGD) { p.Noise = "off" }),
			noisy: makeMethod[PrivateDGD](t, f, "private-dgd", rounds, nil),
			plain: makeMethod[DGD](t, f, "dgd", rounds, nil),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain := c.plain.run(t, nil, startAt)
			identical(t, c.quiet.run(t, nil, startAt), plain)
			noisy := c.noisy.run(t, nil, startAt)
			if !(distance(noisy[1][0].Values, plain[1][0].Values) >= 1e-6) {
				t.Error("with noise it does not differ from the plain method")
			}
		})
	}
}

// With η = θ constant, 2ηV ε of rate α is (C/B)ε of rate ζ if α = 2ηV ζB/C: the
// same direction and gamma draw, in another scale (ZKL18 §4).
func TestZKL18_PenaltyPerturbationIsDVPInAnotherScale(t *testing.T) {
	f := uneven()
	const rounds, eta, alpha = 25, 0.5, 1.0
	for _, calibration := range []string{"proof", "listing"} {
		rates := make([]float64, len(f.rows))
		for i := range rates {
			phi, zeta := f.rateByHand(i, eta, alpha, calibration == "listing")
			if phi != 0 {
				t.Fatalf("node %d has Φ = %v", i, phi)
			}
			rates[i] = 2 * eta * f.degree(i) * zeta * f.size(i) / f.c
		}
		dual := makeMethod(t, f, "dvp", rounds, func(p *DVP) {
			p.Eta, p.Alpha, p.Calibration = eta,
				parameter.Constant(alpha), calibration
		})
		penalty := makeMethod(t, f, "penalty-perturbation", rounds, func(p *PenaltyPerturbation) {
			p.Eta, p.Theta, p.Alpha = parameter.Constant(eta), parameter.Constant(eta), laws(rates...)
		})
		want := dual.run(t, nil, startAt)
		for r, pubs := range penalty.run(t, nil, startAt) {
			for i, p := range pubs {
				if e := distance(p.Values, want[r][i].Values); !(e <= 1e-9) {
					t.Fatalf("%s, round %d, node %d: they differ by %g", calibration, r, i, e)
				}
			}
		}
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

// The noise is computed back from what was published, by the optimality
// condition of ZZ16, (20), on dense rows: whatever the code drew, ζ‖ε‖ must be
// Gamma of shape d, and the direction uniform.
func TestZZ16_NoiseLawFromPublishedIterates(t *testing.T) {
	f := newFixture(6, 9, 3, irregular)
	f.c = 1.3
	const rounds, eta = 250, 0.05
	for _, calibration := range []string{"proof", "listing"} {
		t.Run(calibration, func(t *testing.T) {
			m := makeMethod(t, f, "dvp", rounds, func(p *DVP) {
				p.Eta, p.Calibration, p.Alpha = eta, calibration, laws(0.1, 1, 0.05, 2, 0.07, 0.7)
			})
			alphas := []float64{0.1, 1, 0.05, 2, 0.07, 0.7}
			got := m.run(t, nil, startAt)
			values := func(r int) [][]float64 {
				all := make([][]float64, len(f.rows))
				for i := range all {
					all[i] = got[r][i].Values
				}
				return all
			}
			dual := make([][]float64, len(f.rows))
			for i := range dual {
				dual[i] = make([]float64, 3)
			}
			var scaled []float64
			mean := make([]float64, 3)
			for r := 1; r <= rounds; r++ {
				old, now := values(r-1), values(r)
				for i := range f.rows {
					phi, zeta := f.rateByHand(i, eta, alphas[i], calibration == "listing")
					e := plus(f.slope(i, now[i]), 2*eta*f.degree(i)+phi, now[i])
					e = plus(e, 1, f.pull(i, eta, old[i], f.gather(old, i), dual[i]))
					length := norm2(e)
					scaled = append(scaled, zeta*length*f.size(i)/f.c)
					mean = plus(mean, -1/length, e)
				}
				for i := range dual {
					dual[i] = plus(dual[i], eta/2*f.degree(i), now[i])
					dual[i] = plus(dual[i], -eta/2, f.gather(now, i))
				}
			}
			slices.Sort(scaled)
			n, worst := float64(len(scaled)), 0.0
			for k, x := range scaled {
				p := gammaCDF(3, x)
				worst = max(worst, math.Abs(p-float64(k)/n), math.Abs(p-float64(k+1)/n))
			}
			if !(math.Sqrt(n)*worst <= 1.95) { // 0.1 % for Kolmogorov's distribution
				t.Errorf("√n times the Kolmogorov distance of ζ‖ε‖ from Gamma(3, 1) is %.3f", math.Sqrt(n)*worst)
			}
			for k, v := range mean {
				if !(math.Abs(v/n) <= 4/math.Sqrt(3*n)) {
					t.Errorf("the directions' mean component %d is %v", k, v/n)
				}
			}
		})
	}
}

// account is the ledger of a private method.
func account(m assembled) *privacy.Ledger {
	l := new(privacy.Ledger)
	m.Method.(Private).Account(l)
	return l
}

// spends compares the ledger of every node and round with a running sum by hand.
func spends(t *testing.T, m assembled, spent func(i, t int) float64) {
	t.Helper()
	l, worst := account(m), 0.0
	for i := range m.f.rows {
		sum := 0.0
		for r := 1; r <= m.setting.Rounds; r++ {
			sum += spent(i, r)
			if got := l.Pure(i, r, privacy.Sample); !(math.Abs(got-sum) <= 1e-12*sum) {
				t.Fatalf("node %d has spent %v after round %d, by hand %v", i, got, r, sum)
			}
		}
		worst = max(worst, sum)
	}
	if got := l.Worst(m.setting.Rounds, privacy.Sample); !(math.Abs(got-worst) <= 1e-12*worst) {
		t.Errorf("the network has spent %v, by hand %v", got, worst)
	}
	if units := l.Units(); !slices.Equal(units, []privacy.Unit{privacy.Sample}) {
		t.Errorf("units %v", units)
	}
}

func TestZKL18_Theorem41_BoundByHand(t *testing.T) {
	f := uneven()
	m := makeMethod(t, f, "penalty-perturbation", 20, func(p *PenaltyPerturbation) {
		p.Eta, p.Alpha = penalties,
			budgets
	})
	spends(t, m, func(i, t int) float64 {
		return f.c * (1.4*0.25 + budget(i, t)) / (penaltyByHand(i, t) * f.degree(i) * f.size(i))
	})
	// One number without a loop: two nodes of five rows, C = 1, η = 0.5, α = 3, ten
	// rounds: 10·(0.35 + 3)/(0.5·1·5) = 13.4.
	two := newFixture(2, 5, 2, [][2]int{{0, 1}})
	m = makeMethod(t, two, "penalty-perturbation", 10, func(p *PenaltyPerturbation) {
		p.Eta,
			p.Alpha = parameter.Constant(0.5), parameter.Constant(3)
	})
	if got := account(m).Worst(10, privacy.Sample); !(math.Abs(got-13.4) <= 1e-12) {
		t.Errorf("ten rounds spend %v, by hand 13.4", got)
	}
}

// A round with Gaussian noise costs J + aμ²/2 + min(μ√(2/π), ln 2/(a−1)) at order a, and rounds add up; one number
// without a loop is computed outside this program.
func TestZKL18_Section63_AccountByHand(t *testing.T) {
	f := uneven()
	const rounds, delta = 20, 1e-5
	l := account(gaussianPP(t, f, rounds, budgets))
	for i := range f.rows {
		least := math.Inf(1)
		for u := -8.0; u < 12; u += 1e-3 {
			a, sum := 1+math.Exp(u), 0.0
			for r := 1; r <= rounds; r++ {
				kappa := 2 * penaltyByHand(i, r) * f.degree(i)
				mu := 2 * f.c / f.size(i) / (kappa / budget(i, r))
				jacobian := math.Log(1 + 0.25*f.c/f.size(i)/(f.r+kappa))
				sum += jacobian + a*mu*mu/2 + math.Min(mu*math.Sqrt(2/math.Pi), math.Ln2/(a-1))
			}
			least = math.Min(least, sum+math.Log((a-1)/a)-(math.Log(delta)+math.Log(a))/(a-1))
		}
		if got := l.RDP(i, privacy.Sample, delta); !(math.Abs(got-least) <= 1e-4*least) {
			t.Errorf("node %d: ε is %v at δ = %v, by hand %v", i, got, delta, least)
		}
		if p := l.Pure(i, rounds, privacy.Sample); !math.IsInf(p, 1) {
			t.Errorf("node %d: a pure claim of %v", i, p)
		}
	}
	// Two nodes of five rows, C = 1, η = 0.5, V = 1, α = 3, r = 0.1: a round has μ = 1.2 and J = ln(1 + 0.05/1.1).
	two := newFixture(2, 5, 2, [][2]int{{0, 1}})
	two.r = 0.1
	m := makeMethod(t, two, "penalty-perturbation", 1, func(p *PenaltyPerturbation) {
		p.Eta, p.Alpha, p.Law = parameter.Constant(0.5), parameter.Constant(3), "gaussian"
	})
	want := math.Log(1+0.05/1.1) + 0.72 + 1.2*math.Sqrt(2/math.Pi)
	l = account(m)
	if got := l.Part(0, 1, 1).ZCDP(0, privacy.Sample, math.Exp(-1)); !(math.Abs(got-want-2*math.Sqrt(want)) <= 1e-12) {
		t.Errorf("zCDP gives %v, by hand %v", got, want+2*math.Sqrt(want))
	}
	if err := m.Method.(Private).Established(); err != nil {
		t.Error(err)
	}
	// It needs neither 2c₁ < (B/C)(r + 2θV) nor one θ, which the pure claim does.
	for law, stands := range map[string]bool{"gamma": false, "gaussian": true} {
		m := makeMethod(t, two, "penalty-perturbation", 1, func(p *PenaltyPerturbation) {
			p.Eta, p.Theta, p.Law = parameter.Constant(1e-4), laws(1e-4, 2e-4), law
		})
		if err := m.Method.(Private).Established(); (err == nil) != stands {
			t.Errorf("%s: %v", law, err)
		}
	}
}

func TestZZ16_BudgetsAddUp(t *testing.T) {
	f := uneven()
	spends(t, makeMethod(t, f, "dvp", 20, func(p *DVP) { p.Alpha = budgets }), budget)
	spends(t, makeMethod(t, f, "pvp", 20, func(p *PVP) { p.Alpha = budgets }), budget)
	spends(t, makeMethod(t, f, "proximal-admm", 20, func(p *ProximalADMM) { p.Alpha = budgets }), budget)
	spends(t, makeMethod(t, f, "private-dgd", 20, func(p *PrivateDGD) { p.Alpha = budgets }), budget)
}

// Loosen is for the search for a noise level: c times the budget.
func TestLoosen_ScalesBudgetsAndLeavesTheOriginal(t *testing.T) {
	for _, e := range Entries() {
		p := filled(t, e)
		l, ok := p.(Tunable)
		if !ok {
			continue
		}
		before := fmt.Sprint(reflect.ValueOf(p).Elem().Interface())
		looser := l.Loosen(3)
		if reflect.TypeOf(looser) != reflect.TypeOf(p) {
			t.Errorf("%s: Loosen returns %T", e.Name, looser)
			continue
		}
		if after := fmt.Sprint(reflect.ValueOf(p).Elem().Interface()); after != before {
			t.Errorf("%s: Loosen changed the original: %s, it was %s", e.Name, after, before)
		}
		budget := func(x any) float64 {
			v := reflect.ValueOf(x).Elem()
			if a := v.FieldByName("Alpha"); a.IsValid() {
				s := a.Interface().(parameter.Schedule)
				return s.At(0, 1)
			}
			if eps := v.FieldByName("Epsilon"); eps.IsValid() {
				return eps.Float()
			}
			return math.NaN()
		}
		if got, want := budget(looser), 3*budget(p); got != want {
			t.Errorf("%s: the budget is %v, want %v", e.Name, got, want)
		}
	}
}

func TestEstablished_SaysWhatFails(t *testing.T) {
	var names []string // of the methods that claim something of rows
	for _, e := range Entries() {
		if e.Over == Columns {
			continue
		}
		f := uneven()
		m, err := e.New(filled(t, e), Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 2})
		if err != nil {
			t.Fatal(err)
		}
		l := new(privacy.Ledger)
		if p, ok := m.(Private); ok {
			if p.Account(l); slices.Equal(l.Units(), []privacy.Unit{privacy.Sample}) {
				names = append(names, e.Name)
			}
		}
	}
	if len(names) < 8 {
		t.Fatalf("only %q", names)
	}
	change := func(t *testing.T, f *fixture, name string, set func(v reflect.Value)) Private {
		e, _ := Lookup(name)
		p := filled(t, e)
		if set != nil {
			set(reflect.ValueOf(p).Elem())
		}
		m, err := e.New(p, Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 10})
		if err != nil {
			t.Fatal(err)
		}
		return m.(Private)
	}
	expect := func(t *testing.T, name string, m Private, words ...string) {
		t.Helper()
		err := m.Established()
		if len(words) == 0 {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return
		}
		if err == nil {
			t.Errorf("%s: established; the words %q are missing", name, words)
			return
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v; the words %q are missing", name, err, w)
			}
		}
	}
	for _, name := range names {
		expect(t, name, change(t, uneven(), name, nil))
		if m := change(t, uneven(), name, nil); len(m.Guarantee()) < 20 {
			t.Errorf("%s guarantees %q", name, m.Guarantee())
		}

		f := uneven()
		f.squared = true
		expect(t, name, change(t, f, name, nil), "squared loss", "|L′| ≤ 1")

		f = uneven()
		long := f.rows[3][2]
		for k, size := 0, norm2(long); k < len(long); k++ {
			long[k] *= 1.5 / size
		}
		expect(t, name, change(t, f, name, nil), "node 3", "norm 1.5")

		expect(t, name, change(t, uneven(), name, func(v reflect.Value) { v.FieldByName("Noise").SetString("off") }),
			"noise is off")
	}

	// 2c₁ < (B/C)(r + 2θV): one row a node, C = 1, r = 0.02, V = 1, is 0.5 < 0.02 + 2θ,
	// so θ = 0.24 is the boundary. A row of more is enough.
	two := newFixture(2, 1, 2, [][2]int{{0, 1}})
	pp := func(theta parameter.Schedule) Private {
		return makeMethod(t, two, "penalty-perturbation", 5, func(p *PenaltyPerturbation) {
			p.Eta,
				p.Theta = parameter.Constant(1), theta
		}).Method.(Private)
	}
	expect(t, "θ above the boundary", pp(parameter.Constant(0.2401)))
	expect(t, "θ below the boundary", pp(parameter.Constant(0.2399)), "2c₁", "node 0")
	two = newFixture(2, 2, 2, [][2]int{{0, 1}})
	expect(t, "with a row more", pp(parameter.Constant(0.2399)))

	two = newFixture(2, 1, 2, [][2]int{{0, 1}})
	mr := func(eta parameter.Schedule) Private {
		return makeMethod(t, two, "private-mr-admm", 5, func(p *PrivateMRADMM) { p.Eta = eta }).Method.(Private)
	}
	expect(t, "η(1) above the boundary", mr(parameter.Schedule{Sequence: parameter.Sequence{Initial: 0.2401,
		Ratio: 1.1}}))
	expect(t, "η(1) below the boundary", mr(parameter.Schedule{Sequence: parameter.Sequence{Initial: 0.2399,
		Ratio: 1.1}}), "2c₁", "node 0")
	expect(t, "η(1) of node 1 below the boundary", mr(laws(0.3, 0.1)), "2c₁", "node 1")

	// ZKL18's theorems have one θ.
	two = newFixture(2, 9, 2, [][2]int{{0, 1}})
	expect(t, "θ that grows", pp(parameter.Schedule{Sequence: parameter.Sequence{Initial: 0.5, Ratio: 1.1}}),
		"one dual step θ")
	expect(t, "θ by node", pp(laws(0.5, 0.6)), "one dual step θ")
	expect(t, "θ as a list", pp(parameter.Schedule{Sequence: parameter.Sequence{Values: []float64{0.5, 0.6}}}),
		"one dual step θ")
}

// What a method draws depends on seed, node and round only: the network changes
// nothing of any synchronous method, bit for bit.
func TestEveryMethod_IteratesDoNotDependOnTheNetwork(t *testing.T) {
	f := newFixture(6, 5, 3, irregular)
	const rounds = 12
	networks := []struct {
		name   string
		change func(*sim.Config)
	}{
		{"random latency", func(c *sim.Config) { c.Link.Latency = sim.Latency{Kind: "exponential", Mean: 20e6} }},
		{"heavy tails and duplicates", func(c *sim.Config) {
			c.Link.Latency = sim.Latency{Kind: "pareto", Scale: 1e6, Shape: 1.1}
			c.Link.Duplication = 0.3
		}},
		{"no latency, shuffled ties", func(c *sim.Config) { c.Link.Latency.Value, c.Ties = 0, sim.Shuffled }},
		{"one worker", func(c *sim.Config) { c.Workers = 1 }},
		{"eight workers, shuffled ties", func(c *sim.Config) { c.Workers, c.Ties = 8, sim.Shuffled }},
		{"30 % loss", func(c *sim.Config) { c.Link.Loss = 0.3 }},
		{"30 % loss, random latency, another network seed", func(c *sim.Config) {
			c.Seed, c.Link.Loss = 7, 0.3
			c.Link.Latency = sim.Latency{Kind: "exponential", Mean: 20e6}
		}},
	}
	for _, e := range Entries() {
		if e.Over == Columns {
			continue // for split columns
		}
		t.Run(e.Name, func(t *testing.T) {
			s := Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: rounds, Seed: 1}
			m, err := e.New(filled(t, e), s)
			if err != nil {
				t.Fatal(err)
			}
			a := assembled{m.(RowMethod), f, s}
			want := a.run(t, nil, startAt)
			if _, private := m.(Private); private {
				again := a.run(t, nil, func(s *Config) { startAt(s); s.Seed = 2 })
				if k := len(want[1]) - 1; distance(again[1][k].Values, want[1][k].Values) == 0 {
					t.Error("another seed draws the same noise")
				}
			}
			for _, n := range networks {
				t.Run(n.name, func(t *testing.T) { identical(t, a.run(t, n.change, startAt), want) })
			}
		})
	}
}

// counting is a loss that counts how often it is asked for anything.
type counting struct {
	problem.Loss
	calls *int
}

func (c counting) Total(z, slopes []float64) float64 { *c.calls++; return c.Loss.Total(z, slopes) }
func (c counting) Slopes(dst, z []float64)           { *c.calls++; c.Loss.Slopes(dst, z) }
func (c counting) Curvatures(dst, z []float64)       { *c.calls++; c.Loss.Curvatures(dst, z) }

// lone is a node without a protocol.
func (a assembled) lone(i int) *Node {
	p := a.setting.Problem
	room := func() []float64 { return make([]float64, p.D) }
	return &Node{
		ID: i, F: room(), Dual: room(), Work: &newWork(1, p)[0],
		seed: 1, degree: a.setting.Graph.Degree(i), solver: p.NewSolver(i, 0),
	}
}

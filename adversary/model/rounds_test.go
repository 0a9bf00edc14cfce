// What each model says of a round, against runs of a few nodes that are computed here
// from the papers' formulas. Nodes have one column and a quadratic loss of slope
// ∇(f) = a f − b, so that every minimiser is one division.

package model_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/parameter"
	"overhear/problem"
	"overhear/sim"
)

// world is a graph whose node i has the slope a[i] f − b[i] and the ridge r[i].
type world struct {
	graph   *sim.Graph
	a, b, r []float64
	c, size float64 // C and B
}

// two linked nodes, and a path of three whose node 1 has two neighbours.
func worlds(t *testing.T) map[string]*world {
	t.Helper()
	graph := func(n int, edges ...[2]int) *sim.Graph {
		g, err := sim.NewGraph(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	return map[string]*world{
		"two nodes": {graph(2, [2]int{0, 1}), []float64{0.7, 0.4}, []float64{0.9, -0.3}, []float64{0.2, 0.3}, 3, 5},
		"path of three": {graph(3, [2]int{0, 1}, [2]int{1, 2}), []float64{0.7, 0.4, 0.5}, []float64{0.9, -0.3, 0.6},
			[]float64{0.2, 0.3, 0.1}, 3, 5},
	}
}

func (w *world) slope(i int, f float64) float64 { return w.a[i]*f - w.b[i] }

func (w *world) degree(i int) float64 { return float64(w.graph.Degree(i)) }

// public is what is public of a method's run in lockstep, with parameters by key.
func (w *world) public(t *testing.T, method string, rounds int, values map[string]any) *model.Public {
	t.Helper()
	e, ok := algorithms.Lookup(method)
	if !ok {
		t.Fatalf("no method is called %s", method)
	}
	params := e.Params()
	set(t, params, values)
	p, err := model.New(method, params, model.Run{
		Graph: w.graph, D: 1, Rounds: rounds, Loss: problem.Logistic, C: w.c, R: w.r,
		Timing: model.Timing{Lockstep: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// set gives parameters values by key; a number sets a schedule to a constant.
func set(t *testing.T, params any, values map[string]any) {
	t.Helper()
	done := 0
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		for k := range v.NumField() {
			f := v.Field(k)
			x, ok := values[v.Type().Field(k).Tag.Get("yaml")]
			switch {
			case !ok && v.Type().Field(k).Anonymous:
				fill(f)
				continue
			case !ok:
				continue
			}
			done++
			if s, isSchedule := f.Addr().Interface().(*parameter.Schedule); isSchedule {
				switch x := x.(type) {
				case float64:
					*s = parameter.Constant(x)
				case []float64:
					*s = parameter.List(x)
				case [][]float64:
					*s = parameter.Schedule{}
					for _, values := range x {
						s.Nodes = append(s.Nodes, parameter.Sequence{Values: values})
					}
				}
				continue
			}
			f.Set(reflect.ValueOf(x))
		}
	}
	fill(reflect.ValueOf(params).Elem())
	if done != len(values) {
		t.Fatalf("%d of the parameters %v are set", done, values)
	}
}

// script is what nodes published in each round, from 0, by node. It is an Observed
// that misses what it is told to.
type script struct {
	published [][]float64 // by round and node
	missing   map[[2]int]bool
	inputs    func(node, round int) ([]int, error) // nil: lockstep
	degrees   func(node int) int
	anew      func(node, round int) (bool, error) // nil: never
	from      int
}

func (s *script) Value(node, round int) ([]float64, bool) {
	if round >= len(s.published) || s.missing[[2]int{node, round}] {
		return nil, false
	}
	return []float64{s.published[round][node]}, true
}

func (s *script) Inputs(node, round int) ([]int, error) {
	if s.inputs != nil {
		return s.inputs(node, round)
	}
	all := make([]int, s.degrees(node))
	for k := range all {
		all[k] = round - 1
	}
	return all, nil
}

func (s *script) Told(node, _, round int) ([]float64, bool) { return s.Value(node, round) }

func (s *script) Anew(node, round int) (bool, error) {
	if s.anew == nil {
		return false, nil
	}
	return s.anew(node, round)
}

func (s *script) From() int { return s.from }

// told is what a round says: v where it is said of, value with its noise, and the law
// of that noise.
type told struct {
	value, at, ridge float64
	law              model.Noise
	place            model.Place
}

// step is one round of ADMM with one dual a node, as the papers have it: a node
// minimises O(f) + ηV f² + ½Φf² + ½τ(f − v)² + (2λ − η(V v + s) + ν)f, v its value of the
// round before, publishes f + o, and sets λ ← λ + (θ/2)(V(f + o) − s).
type step struct {
	eta, theta, phi  float64
	tau              float64
	objective        float64 // ν
	output           float64 // o
	idle             bool
	gamma            float64 // of an idle round
	law              model.Noise
	place            model.Place
	oncePerNode      float64 // a linear term of every round, as PDML has
	projectionRadius float64
}

// play runs rounds of ADMM. It returns what was published, and what every round of
// every node says: Value is ∇ at the published point plus the noise in Value's unit.
func (w *world) play(rounds int, of func(i, t int) step) (*script, [][]told) {
	n := w.graph.Order()
	s := &script{degrees: w.graph.Degree, published: [][]float64{make([]float64, n)}}
	say := [][]told{make([]told, n)}
	dual, noisy := make([]float64, n), make([]float64, n) // λ, and ∇O + ν of the last round that touched data
	sum := func(i, t int) (total float64) {
		for _, j := range w.graph.Neighbours(i) {
			total += s.published[t][j]
		}
		return total
	}
	for i := range n {
		s.published[0][i] = 0.1 * float64(i+1)
	}
	for t := 1; t <= rounds; t++ {
		v, said := make([]float64, n), make([]told, n)
		for i := range n {
			p, degree, before := of(i, t), w.degree(i), s.published[t-1][i]
			if p.idle {
				v[i] = before - (noisy[i]+2*dual[i]+p.eta*(degree*before-sum(i, t-1)))/(2*p.eta*degree+p.gamma)
				continue
			}
			q := 2*dual[i] - p.eta*(degree*before+sum(i, t-1)) - p.tau*before + p.objective + p.oncePerNode
			kappa := 2*p.eta*degree + p.phi + p.tau
			f := (w.b[i] - q) / (w.a[i] + w.r[i] + kappa)
			v[i] = f + p.output
			if p.projectionRadius > 0 {
				v[i] = max(-p.projectionRadius, min(p.projectionRadius, v[i]))
			}
			noisy[i] = w.slope(i, f) + w.r[i]*f + p.objective
			said[i] = told{
				value: w.slope(i, v[i]) + p.objective + p.oncePerNode - (w.a[i]+w.r[i]+kappa)*p.output,
				at:    v[i], ridge: w.r[i] + kappa, law: p.law, place: p.place,
			}
		}
		s.published, say = append(s.published, v), append(say, said)
		for i := range n {
			if p := of(i, t); !p.idle {
				dual[i] += p.theta / 2 * (w.degree(i)*v[i] - sum(i, t))
			}
		}
	}
	return s, say
}

// near says whether two numbers agree to rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-10*(1+math.Abs(b)) }

// compare checks all that a model says of a node's rounds. Nil in place of what a
// round says: nothing is to be learnt from it.
func compare(t *testing.T, p *model.Public, s *script, node, size int, want map[int]told) {
	t.Helper()
	all, unseen := model.Gradients(p, s, node, size)
	if len(all) != len(want) || unseen != nil {
		t.Fatalf("node %d: %d rounds speak, want %d; unseen %q", node, len(all), len(want), unseen)
	}
	for _, g := range all {
		w, ok := want[g.Round]
		if !ok {
			t.Fatalf("node %d: round %d touches no data and speaks", node, g.Round)
		}
		if !near(g.Value[0], w.value) || g.At[0] != w.at || !near(g.Ridge, w.ridge) || g.Nuisance != nil ||
			g.Offset != 0 || g.Unknown != nil {
			t.Errorf("node %d, round %d: %+v, want %+v", node, g.Round, g, w)
		}
		if g.Noise.Kind != w.law.Kind || !near(g.Noise.Level, w.law.Level) || g.Noise.Power != 0 || g.Place != w.place {
			t.Errorf("node %d, round %d: noise %+v at %d, want %+v at %d", node, g.Round, g.Noise, g.Place, w.law,
				w.place)
		}
	}
}

// draws are numbers that stand for noise: known, different at every node and round.
func draws(i, t int) float64 { return 0.3 * math.Sin(float64(7*i+3*t)) }

// Every method of the family with one dual a node.
func TestNodeDual_RoundsFollowThePapers(t *testing.T) {
	const rounds = 7
	const c, size = 3.0, 5 // C and B of the worlds
	etas := [][]float64{{0.5, 0.6, 0.8, 0.9, 1, 1.3, 1.4}, {0.3, 0.4, 0.45, 0.5, 0.55, 0.7, 0.9},
		{0.2, 0.25, 0.3, 0.4, 0.45, 0.5, 0.6}}
	thetas := [][]float64{{0.2, 0.3, 0.25, 0.4, 0.1, 0.15, 0.3}, {0.3, 0.2, 0.1, 0.15, 0.35, 0.2, 0.1},
		{0.1, 0.2, 0.3, 0.2, 0.1, 0.2, 0.3}}
	alphas := [][]float64{{1, 1.5, 2, 2.5, 3, 3.5, 4}, {2, 1, 3, 1.5, 2.5, 1, 2}, {3, 1, 2, 1.5, 1, 2, 3}}
	laplace := func(level float64) model.Noise { return model.Noise{Kind: model.Laplace, Level: level} }
	const eta, gamma = 0.6, 0.35
	// use is the number of the use of a parameter that RA19's methods take anew in every
	// odd round.
	use := func(t int) int { return (t - 1) / 2 }

	for name, w := range worlds(t) {
		nodes := w.graph.Order()
		etas, thetas, alphas := etas[:nodes], thetas[:nodes], alphas[:nodes]
		// ZZ16 Algorithm 2: α̂ = α − 2 ln(1 + c₁/((B/C)(r + 2ηV))), c₁ = ¼; where it is not
		// positive, Φ = c₁/((B/C)(e^{α/4} − 1)) − r − 2ηV and α̂ = α/2.
		dvp := func(i int, eta, alpha float64) (phi, hat float64) {
			curvature := w.r[i] + 2*eta*w.degree(i)
			hat = alpha - 2*math.Log(1+0.25/(size/c*curvature))
			if hat > 0 {
				return 0, hat
			}
			return 0.25/(size/c*(math.Exp(alpha/4)-1)) - curvature, alpha / 2
		}
		const small = 0.02 // a budget that needs Φ
		smallEta := 0.05
		for _, c := range []struct {
			method string
			values map[string]any
			of     func(i, t int) step
			label  string
		}{
			{"admm", map[string]any{"eta": eta}, func(i, t int) step { return step{eta: eta, theta: eta} }, ""},
			{"m-admm", map[string]any{"eta": etas, "theta": thetas}, func(i, t int) step {
				return step{eta: etas[i][t-1], theta: thetas[i][t-1]}
			}, ""},
			{"r-admm", map[string]any{"eta": eta, "gamma": gamma}, func(i, t int) step {
				return step{eta: eta, theta: eta, gamma: gamma, idle: t%2 == 0}
			}, ""},
			{"mr-admm", map[string]any{"eta": etas, "gamma": gamma}, func(i, t int) step {
				eta := etas[i][use(t)]
				return step{eta: eta, theta: eta, gamma: gamma, idle: t%2 == 0}
			}, ""},
			{"dvp", map[string]any{"eta": eta, "alpha": alphas, "calibration": "proof", "noise": "on"},
				func(i, t int) step { // ν = (C/B)ε and ε has the rate α̂/2
					_, hat := dvp(i, eta, alphas[i][t-1])
					return step{eta: eta, theta: eta, objective: draws(i, t), law: laplace(hat / 2 * size / w.c)}
				}, "half of α̂"},
			{"dvp", map[string]any{"eta": eta, "alpha": alphas, "calibration": "listing", "noise": "on"},
				func(i, t int) step {
					_, hat := dvp(i, eta, alphas[i][t-1])
					return step{eta: eta, theta: eta, objective: draws(i, t), law: laplace(hat * size / w.c)}
				}, "as printed"},
			{"dvp", map[string]any{"eta": smallEta, "alpha": small, "calibration": "proof", "noise": "on"},
				func(i, t int) step {
					phi, hat := dvp(i, smallEta, small)
					if phi <= 0 {
						panic("the budget is not small")
					}
					return step{eta: smallEta, theta: smallEta, phi: phi, objective: draws(i, t),
						law: laplace(hat / 2 * size / w.c)}
				}, "with Φ"},
			{"pvp", map[string]any{"eta": eta, "alpha": alphas, "noise": "on"}, func(i, t int) step {
				// ε has the rate ζ = α(B/2C)(r + 2ηV); in Value it is multiplied by r + 2ηV, and
				// by the curvature of the loss, which is left out of the law
				zeta := alphas[i][t-1] * size / (2 * w.c) * (w.r[i] + 2*eta*w.degree(i))
				return step{eta: eta, theta: eta, output: draws(i, t), place: model.OnOutput,
					law: laplace(zeta / (w.r[i] + 2*eta*w.degree(i)))}
			}, ""},
			{"proximal-admm", map[string]any{"eta": eta, "tau": 0.9, "gamma": 0.7, "alpha": alphas, "noise": "on"},
				func(i, t int) step { // as pvp, with τ in what is strongly convex
					strength := w.r[i] + 2*eta*w.degree(i) + 0.9
					zeta := alphas[i][t-1] * size / (2 * w.c) * strength
					return step{eta: eta, tau: 0.9, theta: 0.7 * eta, output: draws(i, t), place: model.OnOutput,
						law: laplace(zeta / strength)}
				}, ""},
			{"penalty-perturbation", map[string]any{"eta": etas, "theta": thetas, "alpha": alphas, "law": "gamma",
				"noise": "on"}, func(i, t int) step { // ν = 2ηVε, ε of rate α
				eta := etas[i][t-1]
				scale := 2 * eta * w.degree(i)
				return step{eta: eta, theta: thetas[i][t-1], objective: draws(i, t),
					law: laplace(alphas[i][t-1] / scale)}
			}, ""},
			{"penalty-perturbation", map[string]any{"eta": etas, "theta": thetas, "alpha": alphas, "law": "gaussian",
				"noise": "on"}, func(i, t int) step { // ν = 2ηVε, ε ~ N(0, 1/α²)
				eta := etas[i][t-1]
				return step{eta: eta, theta: thetas[i][t-1], objective: draws(i, t),
					law: model.Noise{Kind: model.Gaussian, Level: 2 * eta * w.degree(i) / alphas[i][t-1]}}
			}, "Gaussian"},
			{"private-r-admm", map[string]any{"eta": eta, "gamma": gamma, "alpha": alphas, "noise": "on"},
				func(i, t int) step {
					return step{eta: eta, theta: eta, gamma: gamma, idle: t%2 == 0, objective: draws(i, t),
						law: laplace(alphas[i][use(t)])}
				}, ""},
			{"private-mr-admm", map[string]any{"eta": etas, "gamma": gamma, "alpha": alphas, "noise": "on"},
				func(i, t int) step {
					eta := etas[i][use(t)]
					return step{eta: eta, theta: eta, gamma: gamma, idle: t%2 == 0, objective: draws(i, t),
						law: laplace(alphas[i][use(t)])}
				}, ""},
			{"pdml", map[string]any{"eta": eta, "bound": 0.0, "deviation": alphas, "decay": 0.8, "noise": "on",
				"epsilon": parameter.One(1), "labels": "true"}, func(i, t int) step {
				// θ(t) ~ N(0, decay^{t−1} v²): its variance decays
				sigma := math.Sqrt(math.Pow(0.8, float64(t-1)) * alphas[i][t-1] * alphas[i][t-1])
				return step{eta: eta, theta: eta, output: draws(i, t), place: model.InStep,
					law: model.Noise{Kind: model.Gaussian, Level: sigma * (w.r[i] + 2*eta*w.degree(i))}}
			}, ""},
		} {
			t.Run(strings.TrimSpace(fmt.Sprintf("%s of %s %s", name, c.method, c.label)), func(t *testing.T) {
				_, private := c.values["noise"]
				s, said := w.play(rounds, c.of)
				for node := range nodes {
					want := map[int]told{}
					for k := 1; k <= rounds; k++ {
						if !c.of(node, k).idle {
							want[k] = said[k][node]
						}
					}
					compare(t, w.public(t, c.method, rounds, c.values), s, node, size, want)
					if !private {
						continue
					}
					if c.label == "with Φ" { // without noise there is no Φ either
						continue
					}
					// Of a node whose number of samples is not known the noise has no law, but its place; where it
					// is switched off it has neither.
					for k, x := range want {
						x.law = model.Noise{}
						want[k] = x
					}
					compare(t, w.public(t, c.method, rounds, c.values), s, node, 0, want)
					for k, x := range want {
						x.place = model.InObjective
						want[k] = x
					}
					off := map[string]any{}
					for key, x := range c.values {
						off[key] = x
					}
					off["noise"] = "off"
					p := w.public(t, c.method, rounds, off)
					if p.Method.Noisy() {
						t.Error("the noise is off, and the method noisy")
					}
					compare(t, p, s, node, size, want)
				}
			})
		}
	}
}

// What is hidden is left as directions with unknown multipliers: with the true ones, a
// round says what it says with everything public.
func TestNodeDual_HiddenParametersAreDirections(t *testing.T) {
	const rounds, size = 5, 5
	etas := []float64{0.5, 0.7, 0.8, 1.1, 1.2}
	thetas := []float64{0.2, 0.3, 0.25, 0.4, 0.1}
	for name, w := range worlds(t) {
		t.Run(name, func(t *testing.T) {
			s, said := w.play(rounds, func(i, t int) step { return step{eta: etas[t-1], theta: thetas[t-1]} })
			p := w.public(t, "m-admm", rounds, map[string]any{"eta": etas, "theta": thetas})
			node := 1
			for _, c := range []struct {
				secrets    []model.Secret
				eta, theta bool
			}{
				{[]model.Secret{model.Penalty}, true, false},
				{[]model.Secret{model.DualStep}, false, true},
				{[]model.Secret{model.Penalty, model.DualStep}, true, true},
			} {
				all, unseen := model.Gradients(p.Without(c.secrets...), s, node, size)
				if len(all) != rounds || unseen != nil {
					t.Fatalf("%v: %d rounds, %q", c.secrets, len(all), unseen)
				}
				for _, g := range all {
					directions := g.Nuisance
					value := g.Value[0]
					if c.eta {
						eta := etas[g.Round-1]
						if g.Unknown == nil || g.Unknown.Nuisance != 0 || g.Unknown.Explicit || !math.IsNaN(g.Ridge) ||
							!near(w.r[node]+eta*g.Unknown.Growth, said[g.Round][node].ridge) {
							t.Fatalf("%v, round %d: %+v, hidden %+v", c.secrets, g.Round, g, g.Unknown)
						}
						value -= eta * directions[0][0]
						directions = directions[1:]
					} else if g.Unknown != nil {
						t.Errorf("%v, round %d: a hidden penalty", c.secrets, g.Round)
					}
					if past := map[bool]int{true: g.Round - 1}[c.theta]; len(directions) != past {
						t.Fatalf("%v, round %d: %d directions, want %d", c.secrets, g.Round, len(directions), past)
					}
					for k, d := range directions {
						value -= thetas[k] * d[0]
					}
					if !near(value, said[g.Round][node].value) || g.Offset != 0 {
						t.Errorf("%v, round %d: %v, want %v", c.secrets, g.Round, value, said[g.Round][node].value)
					}
				}
			}
		})
	}
}

// proximal is a method whose nodes stay near their value of the round before.
type proximal struct{ eta, tau float64 }

func (proximal) Noisy() bool { return false }

func (m proximal) Step(*model.Public, int, int, int) model.Step {
	return model.Step{Eta: m.eta, Theta: m.eta, Anchor: m.tau}
}

// The weight of staying is a part of the ridge, and pulls towards the round before.
func TestNodeDual_Anchor(t *testing.T) {
	const rounds, eta, tau = 4, 0.6, 0.8
	for _, w := range worlds(t) {
		s, said := w.play(rounds, func(i, t int) step { return step{eta: eta, theta: eta, tau: tau} })
		p := w.public(t, "admm", rounds, map[string]any{"eta": eta})
		p.Method = proximal{eta, tau}
		for node := range w.graph.Order() {
			want := map[int]told{}
			for k := 1; k <= rounds; k++ {
				want[k] = said[k][node]
			}
			compare(t, p, s, node, 0, want)
		}
	}
}

// At α̂ = 0, noise of rate α̂/2 would be without bounds: ZZ16 has Φ there.
func TestDVP_NoBudgetLeftNeedsTheRidge(t *testing.T) {
	const size, eta = 5, 0.05
	w := worlds(t)["two nodes"]
	alpha := 2 * math.Log1p(0.25/(size/w.c*(w.r[0]+2*eta))) // α̂ = 0
	p := w.public(t, "dvp", 1, map[string]any{"eta": eta, "alpha": alpha, "calibration": "proof", "noise": "on"})
	s := p.Method.(model.NodeDual).Step(p, 0, 1, size)
	if phi := 0.25/(size/w.c*math.Expm1(alpha/4)) - w.r[0] - 2*eta; !near(s.Ridge, phi) || !near(s.Noise.Level,
		alpha/4*size/w.c) {
		t.Errorf("%+v, want Φ = %v", s, phi)
	}
}

// Where Φ depends on a hidden penalty, it is a multiplier of the published point.
func TestDVP_HiddenPenaltyHidesTheRidge(t *testing.T) {
	const rounds, size, eta, alpha = 4, 5, 0.05, 0.02
	w := worlds(t)["path of three"]
	c := float64(size) / w.c
	phi := func(i int) float64 { return 0.25/(c*(math.Exp(alpha/4)-1)) - w.r[i] - 2*eta*w.degree(i) }
	s, said := w.play(rounds, func(i, t int) step {
		return step{eta: eta, theta: eta, phi: phi(i), objective: draws(i, t)}
	})
	p := w.public(t, "dvp", rounds, map[string]any{"eta": eta, "alpha": alpha, "calibration": "proof", "noise": "on"})
	all, _ := model.Gradients(p.Without(model.Penalty), s, 1, size)
	if len(all) != rounds {
		t.Fatalf("%d rounds", len(all))
	}
	for _, g := range all {
		if len(g.Nuisance) != 1+g.Round || g.Unknown.Nuisance != 1 || !near(g.Unknown.Growth, 2*w.degree(1)) {
			t.Fatalf("round %d: %+v, hidden %+v", g.Round, g, g.Unknown)
		}
		value := g.Value[0] - phi(1)*g.Nuisance[0][0] - eta*g.Nuisance[1][0]
		for _, d := range g.Nuisance[2:] {
			value -= eta * d[0]
		}
		if !near(value, said[g.Round][1].value) {
			t.Errorf("round %d: %v, want %v", g.Round, value, said[g.Round][1].value)
		}
		if want := alpha / 2 * float64(size) / w.c; !near(g.Noise.Level, want) {
			t.Errorf("round %d: rate %v, want %v", g.Round, g.Noise.Level, want)
		}
	}
}

// A dual step that was not seen leaves an unknown vector, which stays the same until
// the next; what is said is right up to it.
func TestNodeDual_MissedRoundsLeaveOneUnknownVector(t *testing.T) {
	const rounds, eta = 10, 0.4
	for name, w := range worlds(t) {
		s, said := w.play(rounds, func(i, t int) step { return step{eta: eta, theta: eta} })
		p := w.public(t, "admm", rounds, map[string]any{"eta": eta})
		gradients := func() ([]model.Gradient, []*model.Missing) { return model.Gradients(p, s, 1, 0) }
		offsets := func(all []model.Gradient) string {
			var text []string
			vector := map[int]float64{0: 0}
			for _, g := range all {
				text = append(text, fmt.Sprintf("%d:%d", g.Round, g.Offset))
				off := g.Value[0] - said[g.Round][1].value
				if known, ok := vector[g.Offset]; ok && !near(off, known) {
					t.Errorf("%s, round %d: off by %v, where offset %d is %v", name, g.Round, off, g.Offset, known)
				}
				vector[g.Offset] = off
			}
			return strings.Join(text, " ")
		}

		// The node's value of round 3 enters rounds 3 and 4, and the dual from round 3 on.
		s.missing = map[[2]int]bool{{1, 3}: true}
		all, unseen := gradients()
		if got, want := offsets(all), "1:0 2:0 5:1 6:1 7:1 8:1 9:1 10:1"; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if got, want := texts(unseen), "round 3: the value of node 1 in round 3; "+
			"round 4: the value of node 1 in round 3"; got != want {
			t.Errorf("%s: unseen %q, want %q", name, got, want)
		}

		// Two gaps leave two unknown vectors.
		s.missing = map[[2]int]bool{{1, 3}: true, {0, 6}: true}
		if all, _ := gradients(); offsets(all) != "1:0 2:0 5:1 6:1 8:2 9:2 10:2" {
			t.Errorf("%s, two gaps: %s", name, offsets(all))
		}

		// Nothing is lost on one who is there from round 1 on and knows where nodes start.
		s.missing, s.from = nil, 1
		if all, _ := gradients(); offsets(all) != "1:0 2:0 3:0 4:0 5:0 6:0 7:0 8:0 9:0 10:0" {
			t.Errorf("%s, from round 1 on: %s", name, offsets(all))
		}

		// Of an observer that comes late the whole past is one unknown vector.
		s.from = 4
		s.missing = map[[2]int]bool{{0, 3}: true, {1, 3}: true, {1, 2}: true, {0, 2}: true}
		all, unseen = gradients()
		if got, want := offsets(all), "5:1 6:1 7:1 8:1 9:1 10:1"; got != want || len(unseen) != 1 {
			t.Errorf("%s, late: %s, want %s; unseen %q", name, got, want, unseen)
		}
	}
}

// Dual steps that are both hidden and missed are in the unknown vector: their
// directions end with it.
func TestNodeDual_GapsEndTheDirectionsOfHiddenSteps(t *testing.T) {
	const rounds = 7
	w := worlds(t)["two nodes"]
	theta := []float64{0.2, 0.3, 0.25, 0.4, 0.1, 0.2, 0.3}
	s, said := w.play(rounds, func(i, t int) step { return step{eta: 0.5, theta: theta[t-1]} })
	s.missing = map[[2]int]bool{{0, 3}: true}
	p := w.public(t, "m-admm", rounds, map[string]any{"eta": 0.5, "theta": theta}).Without(model.DualStep)
	all, _ := model.Gradients(p, s, 1, 0)
	var unknown []float64
	for _, g := range all {
		steps := theta[:g.Round-1]
		if g.Round > 3 {
			steps = theta[3 : g.Round-1]
		}
		if len(g.Nuisance) != len(steps) {
			t.Fatalf("round %d: %d directions, want %d", g.Round, len(g.Nuisance), len(steps))
		}
		value := g.Value[0] - said[g.Round][1].value
		for k, d := range g.Nuisance {
			value -= steps[k] * d[0]
		}
		if g.Offset == 0 && !near(value, 0) {
			t.Errorf("round %d: off by %v", g.Round, value)
		}
		if g.Offset > 0 {
			unknown = append(unknown, value)
		}
	}
	if len(unknown) != 3 || !near(unknown[0], unknown[1]) || !near(unknown[1], unknown[2]) {
		t.Errorf("the unknown vector is %v", unknown)
	}
}

// PDML's objective noise, drawn once, is the unknown vector of every round; in a ball
// of radius R/N. Without noise there is none.
func TestPDML_ObjectiveNoiseIsOneUnknownVector(t *testing.T) {
	const rounds, size, eta, drawn = 5, 5, 0.5, 0.2
	w := worlds(t)["path of three"]
	values := map[string]any{"eta": eta, "bound": 1.2, "deviation": 0.3, "decay": 0.8, "epsilon": parameter.One(1),
		"labels": "randomised", "noise": "on"}
	s, said := w.play(rounds, func(i, t int) step {
		return step{eta: eta, theta: eta, oncePerNode: drawn}
	})
	p := w.public(t, "pdml", rounds, values)
	all, unseen := model.Gradients(p, s, 1, size)
	if len(all) != rounds || unseen != nil {
		t.Fatalf("%d rounds, unseen %q", len(all), unseen)
	}
	for _, g := range all {
		if g.Offset != 1 || !near(g.Value[0], said[g.Round][1].value) {
			t.Errorf("round %d: %+v, want %v and offset 1", g.Round, g, said[g.Round][1].value)
		}
	}
	if r := p.Method.(model.FixedNoise).FixedRadius(p); !near(r, 0.4) {
		t.Errorf("the ball of three nodes has radius %v, want 1.2/3", r)
	}
	values["norm"] = "max" // every component within R: R√d/N, and d is 1 here
	if r := w.public(t, "pdml", rounds, values).Method.(model.FixedNoise).FixedRadius(p); !near(r, 0.4) {
		t.Errorf("by components: radius %v", r)
	}
	wide := *p
	wide.D = 9
	if r := w.public(t, "pdml", rounds, values).Method.(model.FixedNoise).FixedRadius(&wide); !near(r, 1.2) {
		t.Errorf("by nine components: radius %v", r)
	}
	delete(values, "norm")
	values["noise"] = "off"
	p = w.public(t, "pdml", rounds, values)
	all, _ = model.Gradients(p, s, 1, size)
	if r := p.Method.(model.FixedNoise).FixedRadius(p); r != 0 || all[0].Offset != 0 {
		t.Errorf("without noise: radius %v, offset %d", r, all[0].Offset)
	}

	// A gap after that leaves another unknown vector.
	values["noise"] = "on"
	s.missing = map[[2]int]bool{{0, 2}: true}
	all, _ = model.Gradients(w.public(t, "pdml", rounds, values), s, 1, size)
	if len(all) != 4 || all[0].Offset != 1 || all[1].Offset != 1 || all[2].Offset != 2 || all[3].Offset != 2 {
		t.Errorf("after a gap: %+v", all)
	}
}

// A point on the sphere may have been anywhere beyond it, and tells no gradient.
func TestPDML_ProjectedPointsAreNotUsed(t *testing.T) {
	const rounds, eta, radius = 4, 0.5, 0.25
	w := worlds(t)["two nodes"]
	projected := 0
	s, said := w.play(rounds, func(i, t int) step { return step{eta: eta, theta: eta, projectionRadius: radius} })
	p := w.public(t, "pdml", rounds, map[string]any{"eta": eta, "radius": radius, "noise": "off", "labels": "true",
		"deviation": 0.3})
	for node := range 2 {
		all, unseen := model.Gradients(p, s, node, 0)
		spoke := map[int]bool{}
		for _, g := range all {
			spoke[g.Round] = true
			if !near(g.Value[0], said[g.Round][node].value) {
				t.Errorf("node %d, round %d: %v, want %v", node, g.Round, g.Value[0], said[g.Round][node].value)
			}
		}
		for k := 1; k <= rounds; k++ {
			outside := math.Abs(s.published[k][node]) == radius
			if outside {
				projected++
			}
			if spoke[k] == outside {
				t.Errorf("node %d, round %d at %v: speaks is %v; %q", node, k, s.published[k][node], spoke[k], unseen)
			}
		}
	}
	if projected == 0 || projected == 2*rounds {
		t.Fatalf("%d of %d points are projected", projected, 2*rounds)
	}
}

// Without lockstep an update uses the values that had come, none of which counts as
// zero, and the dual step follows with those that the next update uses.
func TestNodeDual_InputsOfOtherRounds(t *testing.T) {
	const eta, rounds = 0.4, 3
	w := worlds(t)["two nodes"]
	other := []float64{0.5, 0.8, -0.3, 0.9} // what node 1 published in rounds 0 to 3
	inputs := []int{0, model.Start, 0, 2, 3}
	s := &script{published: [][]float64{{0.1, other[0]}}, degrees: w.graph.Degree}
	s.inputs = func(node, round int) ([]int, error) { return []int{inputs[round]}, nil }
	used := func(t int) float64 {
		if inputs[t] == model.Start {
			return 0
		}
		return other[inputs[t]]
	}
	dual := 0.0
	want := map[int]told{}
	for k := 1; k <= rounds; k++ {
		q := 2*dual - eta*(s.published[k-1][0]+used(k))
		v := (w.b[0] - q) / (w.a[0] + w.r[0] + 2*eta)
		s.published = append(s.published, []float64{v, other[k]})
		dual += eta / 2 * (v - used(k+1))
		want[k] = told{value: w.slope(0, v), at: v, ridge: w.r[0] + 2*eta}
	}
	p := w.public(t, "admm", rounds, map[string]any{"eta": eta})
	compare(t, p, s, 0, 0, want)

	// An input that cannot be told is as a value that was not seen; any other error ends
	// the following.
	s.inputs = func(node, round int) ([]int, error) {
		if round == 2 {
			return nil, model.NotSeen("the order of arrivals")
		}
		return []int{inputs[round]}, nil
	}
	all, unseen := model.Gradients(p, s, 0, 0)
	if len(all) != 2 || all[0].Offset != 0 || all[1].Round != 3 || all[1].Offset != 1 || len(unseen) != 1 ||
		unseen[0].Error() != "round 2: the order of arrivals" {
		t.Errorf("%+v, unseen %q", all, unseen)
	}
	s.inputs = func(node, round int) ([]int, error) {
		if round == 2 {
			return nil, errors.New("the record is damaged")
		}
		return []int{inputs[round]}, nil
	}
	if all, unseen := model.Gradients(p, s, 0, 0); len(all) != 1 || len(unseen) != 1 ||
		unseen[0].Error() != "the record is damaged" {
		t.Errorf("%+v, unseen %q", all, unseen)
	}
}

// texts are what was not seen, in words.
func texts(unseen []*model.Missing) string {
	var all []string
	for _, m := range unseen {
		all = append(all, m.Error())
	}
	return strings.Join(all, "; ")
}

// offsetsOf are the rounds and their offsets.
func offsetsOf(all []model.Gradient) string {
	var text []string
	for _, g := range all {
		text = append(text, fmt.Sprintf("%d:%d", g.Round, g.Offset))
	}
	return strings.Join(text, " ")
}

// A node that lost its memory begins its next update at its start, and its dual step is the first again.
func TestNodeDual_AnewFromItsStart(t *testing.T) {
	const eta, rounds, lost = 0.4, 5, 3 // its update of round 3 is anew
	w := worlds(t)["two nodes"]
	other := []float64{0.5, 0.8, -0.3, 0.9, 0.2, -0.6} // what node 1 published
	s := &script{published: [][]float64{{0.1, other[0]}}, degrees: w.graph.Degree}
	dual := 0.0
	want := map[int]told{}
	for k := 1; k <= rounds; k++ {
		before := s.published[k-1][0]
		if k == lost {
			before, dual = 0.1, 0
		}
		if k > 1 {
			dual += eta / 2 * (before - other[k-1])
		}
		v := (w.b[0] - (2*dual - eta*(before+other[k-1]))) / (w.a[0] + w.r[0] + 2*eta)
		s.published = append(s.published, []float64{v, other[k]})
		want[k] = told{value: w.slope(0, v), at: v, ridge: w.r[0] + 2*eta}
	}
	p := w.public(t, "admm", rounds, map[string]any{"eta": eta})
	s.anew = func(_, round int) (bool, error) { return round == lost, nil }
	compare(t, p, s, 0, 0, want)

	// Who had missed what came before knows the dual from then on, and who cannot tell does not.
	s.missing = map[[2]int]bool{{0, 1}: true}
	if all, _ := model.Gradients(p, s, 0, 0); offsetsOf(all) != "3:0 4:0 5:0" {
		t.Error(offsetsOf(all))
	}
	s.missing = nil
	s.anew = func(_, round int) (bool, error) {
		if round == lost {
			return false, model.NotSeen("how it went on")
		}
		return false, nil
	}
	all, unseen := model.Gradients(p, s, 0, 0)
	if offsetsOf(all) != "1:0 2:0 4:1 5:1" || texts(unseen) != "round 3: how it went on" {
		t.Errorf("%s, %q", offsetsOf(all), texts(unseen))
	}
}

// The likelihood of a trace against one computed from the definitions: the noise
// as a function of what was published, its Jacobian by differences, densities
// written out.

package adversary

import (
	"math"
	"slices"
	"testing"

	"overhear/adversary/model"

	"gonum.org/v1/gonum/mat"

	"overhear/algorithms"
	"overhear/parameter"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// world of a fixture with another sample in a node's row 0.
func (f *fixture) with(node int, a Sample) *fixture {
	g := *f
	p := *f.problem
	p.Shards = slices.Clone(p.Shards)
	s := new(Samples)
	own := f.samples(node)
	for n := range own.Y {
		if n == 0 {
			s.Add(a)
		} else {
			s.Add(own.At(n))
		}
	}
	p.Shards[node] = problem.Shard{U: s.U, Y: s.Y}
	g.problem = &p
	return &g
}

func norm(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return math.Sqrt(s)
}

// logDetByDifferences is ln |det ∂e/∂f| of a map.
func logDetByDifferences(e func(f []float64) []float64, at []float64) float64 {
	const h = 1e-5
	d := len(at)
	j := mat.NewDense(d, d, nil)
	for k := range d {
		up, down := slices.Clone(at), slices.Clone(at)
		up[k] += h
		down[k] -= h
		a, b := e(up), e(down)
		for i := range d {
			j.Set(i, k, (a[i]-b[i])/(2*h))
		}
	}
	l, _ := mat.LogDet(j)
	return l
}

// definition is a method's run, and the log-density of its rounds from the papers' formulas.
type definition struct {
	name    string
	w       *fixture
	run     func(w *fixture) (*Recording, *model.Public)
	density func(w *fixture, v func(i, t int) []float64, t int) float64 // v is what nodes published
	rounds  []int                                                       // that touch data
}

// definedNode is the node whose densities definitions have.
const definedNode = 1

// values are iterates by node and round.
func values(iterates []record.Iterate) func(i, t int) []float64 {
	v := map[[2]int][]float64{}
	for _, i := range iterates {
		v[[2]int{int(i.Node), int(i.Round)}] = i.Values
	}
	return func(i, t int) []float64 { return v[[2]int{i, t}] }
}

func definitions(t *testing.T) []definition {
	t.Helper()
	const rounds, node = 5, definedNode
	f := small(t, 6, 3, ring(4))
	star := small(t, 6, 3, [][2]int{{0, 1}, {0, 2}, {0, 3}})
	star.problem.Shards, star.problem.R = star.problem.Shards[1:], star.problem.R[1:]
	const size, degree = 6.0, 2.0 // node 1 has two neighbours
	r := f.problem.R[node]
	neighbours := func(v func(i, t int) []float64, t int) []float64 {
		s := make([]float64, 3)
		for _, j := range f.graph.Neighbours(node) {
			for k, x := range v(int(j), t) {
				s[k] += x
			}
		}
		return s
	}
	// linear is q of round t of ADMM with penalty eta(t) and dual step theta(t).
	linear := func(v func(i, t int) []float64, t int, eta, theta func(t int) float64) []float64 {
		dual, q := make([]float64, 3), make([]float64, 3)
		for s := 1; s < t; s++ {
			sum := neighbours(v, s)
			for k := range dual {
				dual[k] += theta(s) / 2 * (degree*v(node, s)[k] - sum[k])
			}
		}
		sum := neighbours(v, t-1)
		for k := range q {
			q[k] = 2*dual[k] - eta(t)*(degree*v(node, t-1)[k]+sum[k])
		}
		return q
	}
	flat := func(x float64) func(int) float64 { return func(int) float64 { return x } }
	grows := func(t int) float64 { return 0.5 * math.Pow(1.1, float64(t-1)) }
	twice := func(t int) float64 { return 0.5 * math.Pow(1.1, float64((t+1)/2-1)) }
	odd := func(t int) float64 {
		if t%2 == 0 {
			return 0
		}
		return twice(t)
	}
	geometric := &parameter.Schedule{Sequence: parameter.Sequence{Initial: 0.5, Ratio: 1.1}}

	// inObjective is a round's log-density where ε, of that log-density, is in the objective with
	// weight scale.
	inObjective := func(w *fixture, v func(i, t int) []float64, t int, eta, theta func(int) float64, scale, phi float64,
		log func(e []float64) float64) float64 {
		q := linear(v, t, eta, theta)
		e := func(at []float64) []float64 {
			g := w.trueGradient(node, at)
			out := make([]float64, 3)
			for k := range out {
				out[k] = -(g[k] + (r+2*eta(t)*degree+phi)*at[k] + q[k]) / scale
			}
			return out
		}
		at := v(node, t)
		return log(e(at)) + logDetByDifferences(e, at)
	}
	// objective is that of ε of density ∝ exp(−rate‖ε‖).
	objective := func(w *fixture, v func(i, t int) []float64, t int, eta, theta func(int) float64, scale, rate,
		phi float64) float64 {
		return inObjective(w, v, t, eta, theta, scale, phi, func(e []float64) float64 { return -rate * norm(e) })
	}
	// onOutput is that where ε of rate (B/2C)·2·ridge, a budget of 2, is added to the
	// minimiser of a round with linear term q.
	onOutput := func(w *fixture, v func(i, t int) []float64, t int, q []float64, ridge float64) float64 {
		x, e := make([]float64, 3), make([]float64, 3)
		for range 4000 { // gradient descent
			for k, g := range w.trueGradient(node, x) {
				x[k] -= 0.5 / max(1, ridge) * (g + ridge*x[k] + q[k])
			}
		}
		for k := range e {
			e[k] = v(node, t)[k] - x[k]
		}
		return -2 * size / 2 * ridge * norm(e)
	}
	alphaHat := 2 - 2*math.Log(1+0.25/(size*(r+2*0.3*degree)))
	return []definition{
		{"dvp", f, func(w *fixture) (*Recording, *model.Public) {
			return run(t, w, "dvp", rounds, sim.Link{}, func(p *algorithms.DVP) {
				p.Eta, p.Alpha, p.Calibration = 0.3,
					*constant(2), "proof"
			})
		}, func(w *fixture, v func(i, t int) []float64, t int) float64 {
			return objective(w, v, t, flat(0.3), flat(0.3), 1/size, alphaHat/2, 0)
		}, []int{1, 2, 3, 4, 5}},
		{"dvp with a ridge Φ", f, func(w *fixture) (*Recording, *model.Public) {
			return run(t, w, "dvp", rounds, sim.Link{}, func(p *algorithms.DVP) {
				p.Eta, p.Alpha, p.Calibration = 0.01,
					*constant(0.5), "listing"
			})
		}, func(w *fixture, v func(i, t int) []float64, t int) float64 {
			phi := 0.25/(size*(math.Exp(0.125)-1)) - r - 2*0.01*degree
			return objective(w, v, t, flat(0.01), flat(0.01), 1/size, 0.25, phi)
		}, []int{1, 2, 3, 4, 5}},
		{"penalty-perturbation", f, func(w *fixture) (*Recording, *model.Public) {
			return run(t, w, "penalty-perturbation", rounds, sim.Link{}, func(p *algorithms.PenaltyPerturbation) {
				p.Eta, p.Theta, p.Alpha = *geometric, *constant(0.4), *constant(3)
			})
		}, func(w *fixture, v func(i, t int) []float64, t int) float64 {
			return objective(w, v, t, grows, flat(0.4), 2*grows(t)*degree, 3, 0)
		}, []int{1, 2, 3, 4, 5}},
		{"penalty-perturbation with Gaussian noise", f, func(w *fixture) (*Recording, *model.Public) {
			return run(t, w, "penalty-perturbation", rounds, sim.Link{}, func(p *algorithms.PenaltyPerturbation) {
				p.Eta, p.Theta, p.Alpha, p.Law = *geometric, *constant(0.4), *constant(3), "gaussian"
			})
		}, func(w *fixture, v func(i, t int) []float64, t int) float64 {
			return inObjective(w, v, t, grows, flat(0.4), 2*grows(t)*degree, 0, func(e []float64) float64 {
				return -9 * norm(e) * norm(e) / 2
			})
		}, []int{1, 2, 3, 4, 5}},
		{"private-mr-admm", f, func(w *fixture) (*Recording, *model.Public) {
			return run(t, w, "private-mr-admm", rounds, sim.Link{}, func(p *algorithms.PrivateMRADMM) {
				p.Eta, p.Gamma, p.Alpha = *geometric, 0.3, *constant(2)
			})
		}, func(w *fixture, v func(i, t int) []float64, t int) float64 {
			return objective(w, v, t, twice, odd, 1, 2, 0)
		}, []int{1, 3, 5}},
		{"proximal-admm", f, func(w *fixture) (*Recording, *model.Public) {
			return run(t, w, "proximal-admm", rounds, sim.Link{}, func(p *algorithms.ProximalADMM) {
				p.Eta, p.Tau, p.Gamma, p.Alpha = 0.3, 0.8, 0.7, *constant(2)
			})
		}, func(w *fixture, v func(i, t int) []float64, t int) float64 {
			q := linear(v, t, flat(0.3), flat(0.7*0.3))
			for k, x := range v(node, t-1) {
				q[k] -= 0.8 * x
			}
			return onOutput(w, v, t, q, r+2*0.3*degree+0.8)
		}, []int{1, 2, 3, 4, 5}},
		{"pvp", f, func(w *fixture) (*Recording, *model.Public) {
			return run(t, w, "pvp", rounds, sim.Link{}, func(p *algorithms.PVP) { p.Eta, p.Alpha = 0.3, *constant(2) })
		}, func(w *fixture, v func(i, t int) []float64, t int) float64 {
			return onOutput(w, v, t, linear(v, t, flat(0.3), flat(0.3)), r+2*0.3*degree)
		}, []int{1, 2, 3, 4, 5}},
		{"private-dgd", f, func(w *fixture) (*Recording, *model.Public) {
			return run(t, w, "private-dgd", rounds, sim.Link{}, func(p *algorithms.PrivateDGD) {
				p.Step, p.Decay,
					p.Alpha = *constant(0.7), "sqrt", *constant(2)
			})
		}, func(w *fixture, v func(i, t int) []float64, t int) float64 {
			step := 0.7 / math.Sqrt(float64(t))
			g := w.trueGradient(node, v(node, t-1))
			e, own := make([]float64, 3), 1.0
			for _, j := range f.graph.Neighbours(node) {
				weight := 1 / (1 + float64(max(f.graph.Degree(node), f.graph.Degree(int(j)))))
				own -= weight
				for k, x := range v(int(j), t-1) {
					e[k] -= weight * x
				}
			}
			for k := range e {
				e[k] += v(node, t)[k] - own*v(node, t-1)[k] + step*(g[k]+r*v(node, t-1)[k])
			}
			return -2 * size / (2 * step) * norm(e)
		}, []int{1, 2, 3, 4, 5}},
		{"dp-admm", star, func(w *fixture) (*Recording, *model.Public) {
			return run(t, w, "dp-admm", rounds, sim.Link{}, func(p *algorithms.DPADMM) {
				p.Eta, p.Step, p.Epsilon,
					p.Delta = 0.3, 1, 2, 1e-4
			})
		}, func(w *fixture, v func(i, t int) []float64, t int) float64 {
			gamma := make([]float64, 3)
			for s := 1; s < t; s++ {
				for k := range gamma {
					gamma[k] -= 0.3 * (v(node+1, s)[k] - v(0, s)[k])
				}
			}
			stay := math.Sqrt(float64(t))
			ridge := r + 0.3 + stay
			sigma := 2 / (size * ridge) * math.Sqrt(2*math.Log(1.25/1e-4)) / 2
			before := v(node+1, t-1)
			g := w.trueGradient(node, before)
			squares := 0.0
			for k := range g {
				e := v(node+1, t)[k] - (0.3*v(0, t-1)[k]+stay*before[k]+gamma[k]-g[k])/ridge
				squares += e * e
			}
			return -squares / (2 * sigma * sigma)
		}, []int{1, 2, 3, 4, 5}},
	}
}

func TestLikelihood_AgainstDefinitions(t *testing.T) {
	const node = definedNode
	a, b := Sample{[]float64{0.6, 0, 0.8}, 1}, Sample{[]float64{0, -0.6, 0.8}, -1}
	for _, c := range definitions(t) {
		in := [2]*fixture{c.w.with(node, a), c.w.with(node, b)}
		rec, public := c.run(in[0])
		at := node
		if public.Hub {
			at++
		}
		l, err := NewLikelihood(public, at, in[0].samples(node), in[1].samples(node))
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.Weigh(Observe(rec, Vantage{}, public, nil))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		v := values(rec.Iterates)
		var used []int
		for _, e := range got {
			used = append(used, e.Round)
			want := c.density(in[0], v, e.Round) - c.density(in[1], v, e.Round)
			if !(math.Abs(e.Ratio()-want) <= 2e-6*max(1, math.Abs(want))) {
				t.Errorf("%s, round %d: log-likelihood ratio %v, want %v", c.name, e.Round, e.Ratio(), want)
			}
		}
		if !slices.Equal(used, c.rounds) {
			t.Errorf("%s: rounds %v, want %v", c.name, used, c.rounds)
		}
	}
}

package model

import (
	"errors"
	"math"

	"overhear/internal/num"
)

// dpADMM is DP-ADMM (Huang et al. 2018): clients around a hub, an approximate step in
// closed form, Gaussian noise on each iterate.
type dpADMM struct {
	Eta     float64 `yaml:"eta" secret:"penalty"`
	First   float64 `yaml:"step" secret:"penalty"`
	Epsilon float64 `yaml:"epsilon"`
	Delta   float64 `yaml:"delta"`
	Switch
}

// Follow follows a client's dual γ(k) = γ(k−1) − η(w̃(k) − w(k)).
func (m *dpADMM) Follow(p *Public, o Observed, node, size int) func(int) (*Gradient, error) {
	c := &clientDual{dpADMM: m, public: p, seen: o, node: node, size: size, gamma: make([]float64, p.D)}
	return c.round
}

type clientDual struct {
	*dpADMM
	public     *Public
	seen       Observed
	node, size int
	gamma      []float64 // the known part of γ(t−1), after round(t)
	offset     int       // as of Gradient: counts the rounds of which part of γ is not known
	last       int
}

// round solves the closed form of w(t) for ∇ℓ(w̃(t−1)): with 1/s the weight of staying,
// ∇ = η w(t−1) + w̃(t−1)/s + γ(t−1) − (r + η + 1/s) w̃(t).
func (c *clientDual) round(t int) (*Gradient, error) {
	p := c.public
	if math.IsNaN(c.Eta) {
		return nil, errors.New("penalties and steps are hidden, and multiply every term of a client's step")
	}
	for k := c.last + 1; k < t; k++ {
		c.last = k
		own, ok := c.seen.Value(c.node, k)
		hub, unseen := c.hub(k + 1)
		anew, err := c.seen.Anew(c.node, k+1)
		if !ok || unseen != nil || err != nil || anew || k < c.seen.From() {
			c.offset++
			continue
		}
		for i := range c.gamma {
			c.gamma[i] -= float64(c.Eta * (own[i] - hub[i]))
		}
	}
	before, now, err := pair(c.seen, c.node, t)
	if err != nil {
		return nil, err
	}
	hub, err := c.hub(t)
	if err != nil {
		return nil, err
	}
	stay := math.Sqrt(float64(t)) / c.First
	ridge := p.R[c.node] + c.Eta + stay
	g := &Gradient{Round: t, At: before, Value: make([]float64, p.D), Place: InStep, Explicit: true, Offset: c.offset}
	g.Size = float64(c.Eta*num.Norm(hub)) + float64(stay*num.Norm(before)) + num.Norm(c.gamma) +
		float64(ridge*num.Norm(now))
	for i := range g.Value {
		g.Value[i] = float64(c.Eta*hub[i]) + float64(stay*before[i]) + c.gamma[i] - float64(ridge*now[i])
	}
	g.Noise = c.StepNoise(p, c.node, t, c.size)
	return g, nil
}

// hub is the hub's value that entered the client's round t and the dual step before it: in lockstep that of round t−1,
// else what the client had heard last.
func (c *clientDual) hub(t int) ([]float64, error) {
	if c.public.Timing.Lockstep {
		w, ok := c.seen.Value(0, t-1)
		if !ok {
			return nil, NotSeen("the hub's message of round %d", t-1)
		}
		return w, nil
	}
	inputs, err := c.seen.Inputs(c.node, t)
	if err != nil {
		return nil, err
	}
	return entered(c.public, c.seen, c.node, 0, inputs[0])
}

// StepNoise has σ = Δ√(2 ln(1.25/δ))/ε with Δ = 2C/(B·ridge), times ridge.
func (m *dpADMM) StepNoise(p *Public, _, _, size int) Noise {
	if !m.Noisy() || size == 0 {
		return Noise{}
	}
	return Noise{Kind: Gaussian, Level: 2 * p.C / float64(size) * math.Sqrt(2*num.Log(1.25/m.Delta)) / m.Epsilon}
}

// Merge is the hub's w̄ = mean_i(w̃_i − γ_i/η), with the clients' duals, which follow from the messages.
func (m *dpADMM) Merge(p *Public, o Observed) func(t int) ([]float64, float64, error) {
	n := p.Graph.Order() - 1
	gamma := make([][]float64, n)
	for i := range gamma {
		gamma[i] = make([]float64, p.D)
	}
	return func(t int) ([]float64, float64, error) {
		merged, size := make([]float64, p.D), 0.0
		sent := make([][]float64, n)
		for i := range sent {
			var err error
			if sent[i], err = valueOf(o, i+1, t); err != nil {
				return nil, 0, err
			}
			num.Axpy(1/float64(n), sent[i], merged)
			num.Axpy(-1/(float64(n)*m.Eta), gamma[i], merged)
			size = max(size, num.Norm(sent[i])+num.Norm(gamma[i])/m.Eta)
		}
		hub, err := valueOf(o, 0, t)
		if err != nil {
			return nil, 0, err
		}
		for i, own := range sent { // clients step along what the hub sent, whatever it is
			for k := range gamma[i] {
				gamma[i][k] -= float64(m.Eta * (own[k] - hub[k]))
			}
		}
		return merged, size, nil
	}
}

func init() { register(&Entry{Name: "dp-admm", Model: func() Method { return new(dpADMM) }}) }

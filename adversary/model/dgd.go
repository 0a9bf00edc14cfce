package model

import (
	"math"

	"overhear/internal/num"
	"overhear/parameter"
)

// dgd is decentralised gradient descent with Metropolis weights W.
type dgd struct {
	Step  parameter.Schedule `yaml:"step" secret:"penalty"`
	Decay string             `yaml:"decay"`

	Averaging int `yaml:"averaging"`
}

// Idle says whether a round is one of averaging alone.
func (m *dgd) Idle(t int) bool { return (t-1)%(m.Averaging+1) != 0 }

// stepSize is a_t; 0 in a round of averaging.
func (m *dgd) stepSize(node, t int) float64 {
	if m.Idle(t) {
		return 0
	}
	step := m.Step.At(node, t)
	if m.Decay != "none" {
		step /= math.Sqrt(float64(t))
	}
	return step
}

// Gossiping is a Method whose nodes average with their neighbours and take a step:
// f_i(t) = Σ_j W_ij f_j(t−1) − a_t ∇O_i(f_i(t−1)), W_ij = 1/Share and W_ii what is left of 1.
type Gossiping interface {
	Method
	Share(p *Public, i, j int) int
	StepSize(node, t int) float64

	// Idle says whether a round is one of averaging alone, whose StepSize is 0.
	Idle(t int) bool
}

// Share is that of Metropolis weights.
func (m *dgd) Share(p *Public, i, j int) int { return 1 + max(p.Graph.Degree(i), p.Graph.Degree(j)) }

// StepSize is a_t; NaN if it is hidden.
func (m *dgd) StepSize(node, t int) float64 { return m.stepSize(node, t) }

// round solves f(t) = Σ W f(t−1) − a ∇O(f(t−1)) + ε for the gradient at f(t−1).
func (m *dgd) round(p *Public, o Observed, node, t int) (*Gradient, error) {
	if m.Idle(t) {
		return nil, ErrIdle
	}
	before, now, err := pair(o, node, t)
	if err != nil {
		return nil, err
	}
	inputs, err := o.Inputs(node, t)
	if err != nil {
		return nil, err
	}
	moved := make([]float64, p.D) // Σ_j W_ij f_j(t−1) − f_i(t)
	own := 1.0
	for k, j := range p.Graph.Neighbours(node) {
		f, err := entered(p, o, node, j, inputs[k])
		if err != nil {
			return nil, err
		}
		w := 1 / float64(1+max(p.Graph.Degree(node), p.Graph.Degree(int(j)))) // Metropolis
		own -= w
		num.Axpy(w, f, moved)
	}
	num.Axpy(own, before, moved)
	num.Axpy(-1, now, moved)
	g := &Gradient{Round: t, At: before, Value: make([]float64, p.D), Place: InStep, Explicit: true}
	num.Axpy(-p.R[node], before, g.Value)
	step := m.stepSize(node, t)
	g.Size = float64(p.R[node]*num.Norm(before)) + (2*num.Norm(now)+float64(2*num.Norm(before)))/step
	if math.IsNaN(step) { // moved is multiplied by 1/a
		num.Scale(-1, moved)
		g.Nuisance, g.Unknown = [][]float64{moved}, &Unknown{Growth: 1, Explicit: true}
	} else {
		num.Axpy(1/step, moved, g.Value)
	}
	return g, nil
}

// exactDGD adds no noise.
type exactDGD struct {
	dgd
	Exact
}

func (m *exactDGD) Follow(p *Public, o Observed, node, _ int) func(int) (*Gradient, error) {
	return func(t int) (*Gradient, error) { return m.round(p, o, node, t) }
}

func init() { register(&Entry{Name: "dgd", Model: func() Method { return new(exactDGD) }}) }

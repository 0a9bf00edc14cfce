// A node's steps computed again, so that not a bit of a message is left unexplained.

package model

import (
	"errors"
	"math"

	"overhear/internal/num"
)

// Hands are what a node computes with: its data, and its stream.
type Hands interface {
	// Gradient writes ∇O_i(f), the ridge's part included, into out.
	Gradient(f, out []float64)

	// Minimise replaces f, its warm start, by the minimiser of O_i + ½κ‖·‖² + q·.
	Minimise(f, q []float64, kappa float64) error

	// Draw is the noise of a law that the node's stream holds for a round.
	Draw(t int, law Noise) []float64

	// Linear are terms of every step's q, in the order in which they are added.
	Linear() [][]float64
}

// Repeating is a Method, no NodeDual, whose steps are computed again by what Repeat returns, for rounds 1, 2, … in
// order: with the method's own operations in its own order.
type Repeating interface {
	Repeat(p *Public, o Observed, node, size int, by Hands) func(t int) ([]float64, error)
}

// Again computes what a node sends in rounds 1, 2, … again from what it and its neighbours sent before, to the last
// bit. The error is ErrIdle of a round that touches no data.
func Again(p *Public, o Observed, node, size int, by Hands) (func(t int) ([]float64, error), error) {
	switch m := p.Method.(type) {
	case NodeDual:
		h := &history{public: p, method: m, seen: o, node: node, size: size, dual: make([]float64, p.D)}
		return func(t int) ([]float64, error) { return h.again(t, by) }, nil
	case Repeating:
		return m.Repeat(p, o, node, size, by), nil
	}
	return nil, errors.New("the steps of method " + p.Name + " cannot be computed again to the last bit")
}

// again is round t: q = 2λ − η(V v + s) − τv and κ = 2ηV + τ + Φ, and noise where the step has it.
func (h *history) again(t int, by Hands) ([]float64, error) {
	p, step := h.public, h.step(t)
	if step.Idle {
		return nil, ErrIdle
	}
	h.advance(t)
	before, err := valueOf(h.seen, h.node, t-1)
	if err != nil {
		return nil, err
	}
	s, err := Sum(p, h.seen, h.node, t)
	if err != nil {
		return nil, err
	}
	degree := p.degree(h.node)
	q := make([]float64, len(before))
	for k := range q {
		pull := float64(degree*before[k]) + s[k]
		q[k] = float64(2*h.dual[k]) - float64(step.Eta*pull)
	}
	if step.Anchor != 0 {
		num.Axpy(-step.Anchor, before, q)
	}
	for _, term := range by.Linear() {
		num.Axpy(1, term, q)
	}
	noisy, inside := step.Drawn.Kind != Silent, step.Place == InObjective && step.Drawn.Level > 0
	if noisy && inside {
		num.Axpy(step.Times, by.Draw(t, step.Drawn), q)
	}
	f := append([]float64(nil), before...)
	if err := by.Minimise(f, q, float64(2*step.Eta*degree)+step.Anchor+step.Ridge); err != nil {
		return nil, err
	}
	if noisy && !inside {
		num.Axpy(1, by.Draw(t, step.Drawn), f)
	}
	if norm := num.Norm(f); step.Radius > 0 && norm > step.Radius {
		num.Scale(step.Radius/norm, f)
	}
	return f, nil
}

// Repeat is f = W_ii v + Σ_j W_ij v_j − a∇O(v) + ε.
func (m *dgd) Repeat(p *Public, o Observed, node, _ int, by Hands) func(int) ([]float64, error) {
	return func(t int) ([]float64, error) { return m.again(p, o, node, t, by) }
}

func (m *dgd) again(p *Public, o Observed, node, t int, by Hands) ([]float64, error) {
	before, err := valueOf(o, node, t-1)
	if err != nil {
		return nil, err
	}
	inputs, err := o.Inputs(node, t)
	if err != nil {
		return nil, err
	}
	neighbours := p.Graph.Neighbours(node)
	weights, own := make([]float64, len(neighbours)), 1.0
	for k, j := range neighbours {
		weights[k] = 1 / float64(1+max(p.Graph.Degree(node), p.Graph.Degree(int(j))))
		own -= weights[k]
	}
	gradient, f := make([]float64, p.D), append([]float64(nil), before...)
	if !m.Idle(t) {
		by.Gradient(before, gradient)
	}
	num.Scale(own, f)
	for k, j := range neighbours {
		v, err := entered(p, o, node, j, inputs[k])
		if err != nil {
			return nil, err
		}
		num.Axpy(weights[k], v, f)
	}
	if !m.Idle(t) {
		num.Axpy(-m.stepSize(node, t), gradient, f)
	}
	return f, nil
}

// Repeat adds ε of rate αB/(2Ca).
func (m *privateDGD) Repeat(p *Public, o Observed, node, size int, by Hands) func(int) ([]float64, error) {
	return func(t int) ([]float64, error) {
		f, err := m.again(p, o, node, t, by)
		if err != nil || !m.Noisy() || m.Idle(t) {
			return f, err
		}
		rate := m.Alpha.At(node, t) * float64(size) / (2 * p.C * m.stepSize(node, t))
		num.Axpy(1, by.Draw(t, noiseOf(m.Law, rate)), f)
		return f, nil
	}
}

// Repeat is w = (ηw̄ + w̃/s + γ − ∇ℓ(w̃))/(r + η + 1/s) and noise of σ = Δ√(2 ln(1.25/δ))/ε.
func (m *dpADMM) Repeat(p *Public, o Observed, node, size int, by Hands) func(int) ([]float64, error) {
	gamma := make([]float64, p.D)
	return func(t int) ([]float64, error) {
		before, err := valueOf(o, node, t-1)
		if err != nil {
			return nil, err
		}
		hub, err := valueOf(o, 0, t-1)
		if err != nil {
			return nil, err
		}
		for k, f := range before {
			if t > 1 {
				gamma[k] -= float64(m.Eta * (f - hub[k]))
			}
		}
		r, stay := p.R[node], math.Sqrt(float64(t))/m.First
		ridge := r + m.Eta + stay
		gradient, w, scale := make([]float64, p.D), make([]float64, p.D), 1/ridge
		by.Gradient(before, gradient)
		for k, f := range before {
			data := gradient[k] - float64(r*f)
			w[k] = scale * (float64(m.Eta*hub[k]) + float64(stay*f) + gamma[k] - data)
		}
		if m.Noisy() {
			sigma := 2 * p.C / (float64(size) * ridge) * math.Sqrt(2*num.Log(1.25/m.Delta)) / m.Epsilon
			num.Axpy(1, by.Draw(t, Noise{Kind: Gaussian, Level: sigma}), w)
		}
		return w, nil
	}
}

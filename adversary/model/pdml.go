package model

import (
	"math"

	"overhear/internal/num"
	"overhear/parameter"
)

// pdml is PDML: labels randomised by users, objective noise drawn once, and Gaussian
// noise on each iterate, whose variance decays.
type pdml struct {
	admm
	Epsilon   float64            `yaml:"epsilon"`
	Bound     float64            `yaml:"bound"`
	Deviation parameter.Schedule `yaml:"deviation"`
	Decay     float64            `yaml:"decay"`
	Radius    float64            `yaml:"radius"`
	Labels    string             `yaml:"labels"`
	Switch
}

// Step has w̃ = w + θ(t), θ(t) ~ N(0, decay^{t−1} v² I): to first order ν = (∇² + (r+κ)I)θ,
// with ∇² taken as 0.
func (m *pdml) Step(p *Public, node, t, size int) Step {
	s := m.step()
	s.Radius = m.Radius
	if m.Noisy() {
		s.Place = InStep
		if size > 0 {
			ridge := p.R[node] + float64(2*m.Eta*p.degree(node))
			sigma := m.Deviation.At(node, t) * math.Sqrt(num.Power(m.Decay, t-1))
			s.Noise = Noise{Kind: Gaussian, Level: sigma * ridge}
		}
	}
	return s
}

// FixedRadius is R/N: the objective noise is uniform in the ball of that radius.
func (m *pdml) FixedRadius(p *Public) float64 {
	if !m.Noisy() {
		return 0
	}
	return m.Bound / float64(p.Graph.Order())
}

// LabelEpsilon is ε of phase 1.
func (m *pdml) LabelEpsilon() float64 {
	if m.Labels == "true" {
		return math.Inf(1)
	}
	return m.Epsilon
}

// Debias is 1/(e^ε − 1), PDML (19).
func (m *pdml) Debias() float64 { return 1 / num.Expm1(m.LabelEpsilon()) }

func init() { register(&Entry{Name: "pdml", Model: func() Method { return new(pdml) }}) }

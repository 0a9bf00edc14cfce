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
	Epsilon   parameter.Budgets  `yaml:"epsilon"`
	Bound     float64            `yaml:"bound"`
	Norm      string             `yaml:"norm"`
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
	s.Drawn = Noise{Kind: Gaussian} // without noise of standard deviation 0, which may change the sign of a zero
	if m.Noisy() {
		s.Place = InStep
		if size > 0 {
			ridge := p.R[node] + float64(2*m.Eta*p.degree(node))
			sigma := m.Deviation.At(node, t) * math.Sqrt(num.Power(m.Decay, t-1))
			s.Noise = Noise{Kind: Gaussian, Level: sigma * ridge}
			s.Drawn.Level = sigma
		}
	}
	return s
}

// FixedRadius is R/N, or R√d/N where R bounds components: the objective noise is uniform in the ball of that radius, or
// in a cube inside it.
func (m *pdml) FixedRadius(p *Public) float64 {
	if !m.Noisy() {
		return 0
	}
	length := m.Bound
	if m.Norm == "max" {
		length *= math.Sqrt(float64(p.D))
	}
	return length / float64(p.Graph.Order())
}

// FixedLaw is uniform in the ball of radius R, or in the cube.
func (m *pdml) FixedLaw() (radius float64, cube bool) {
	if !m.Noisy() {
		return 0, false
	}
	return m.Bound, m.Norm == "max"
}

// LabelEpsilon is ε of phase 1, which a report has at its end where users have their own.
func (m *pdml) LabelEpsilon(report []float64) float64 {
	if m.Labels == "true" {
		return math.Inf(1)
	}
	if epsilon, alike := m.Epsilon.Alike(); alike {
		return epsilon
	}
	if report == nil {
		return math.NaN()
	}
	return report[len(report)-1]
}

// Budget is the user's.
func (m *pdml) Budget(seed uint64, i, k int) float64 {
	if m.Labels == "true" {
		return math.Inf(1)
	}
	return m.Epsilon.At(seed, i, k)
}

// Debias is 1/(e^ε − 1), PDML (19).
func (m *pdml) Debias(report []float64) float64 { return 1 / num.Expm1(m.LabelEpsilon(report)) }

func init() { register(&Entry{Name: "pdml", Model: func() Method { return new(pdml) }}) }

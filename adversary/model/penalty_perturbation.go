package model

import (
	"math"

	"overhear/parameter"
)

// penaltyPerturbation is private M-ADMM, ZKL18 Algorithm 1: ν = 2ηVε, ε of rate α, or N(0, I/α²) as in §6.3.
type penaltyPerturbation struct {
	madmm
	Alpha parameter.Schedule `yaml:"alpha"`
	Law   string             `yaml:"law"`
	Switch
}

func (m *penaltyPerturbation) Step(p *Public, node, t, size int) Step {
	s := m.step(node, t)
	if !m.Noisy() || size == 0 {
		return s
	}
	eta, power := s.Eta, 0.0
	if math.IsNaN(eta) {
		eta, power = 1, 1
	}
	s.Noise = Noise{Kind: Laplace, Level: m.Alpha.At(node, t) / (2 * eta * p.degree(node)), Power: power}
	s.Drawn, s.Times = noiseOf(m.Law, m.Alpha.At(node, t)), float64(2*s.Eta*p.degree(node))
	if m.Law == "gaussian" { // a standard deviation is an inverse rate
		s.Noise = Noise{Kind: Gaussian, Level: 1 / s.Noise.Level, Power: -power}
	}
	return s
}

func init() {
	register(&Entry{Name: "penalty-perturbation", Model: func() Method { return new(penaltyPerturbation) },
		Keeps: []Secret{Penalty}})
}

package model

import (
	"math"

	"overhear/parameter"
)

// penaltyPerturbation is private M-ADMM, ZKL18 Algorithm 1: ν = 2ηVε, ε of rate α.
type penaltyPerturbation struct {
	madmm
	Alpha parameter.Schedule `yaml:"alpha"`
	Switch
}

func (m *penaltyPerturbation) Step(p *Public, node, t, size int) Step {
	s := m.step(node, t)
	if !m.Noisy() || size == 0 {
		return s
	}
	s.Noise = Noise{Kind: Laplace, Level: m.Alpha.At(node, t) / (2 * s.Eta * p.degree(node))}
	if math.IsNaN(s.Eta) {
		s.Noise = Noise{Kind: Laplace, Level: m.Alpha.At(node, t) / (2 * p.degree(node)), Power: 1}
	}
	return s
}

func init() {
	register(&Entry{Name: "penalty-perturbation", Model: func() Method { return new(penaltyPerturbation) },
		Keeps: []Secret{Penalty}})
}

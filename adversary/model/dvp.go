package model

import (
	"math"

	"overhear/internal/num"
	"overhear/parameter"
)

// dvp is dual variable perturbation, ZZ16 Algorithm 2: ν = (C/B)ε, and a ridge Φ where
// the budget α is small.
type dvp struct {
	admm
	Alpha       parameter.Schedule `yaml:"alpha"`
	Calibration string             `yaml:"calibration"`
	Switch
}

func (m *dvp) Step(p *Public, node, t, size int) Step {
	s := m.step()
	if !m.Noisy() || size == 0 {
		return s
	}
	weight := float64(size) / p.C
	alpha, c1 := m.Alpha.At(node, t), p.Loss.Bound()
	ridge := p.R[node] + float64(2*m.Eta*p.degree(node))
	left := alpha - float64(2*num.Log(1+c1/float64(weight*ridge))) // by the method's operations, as rate has it
	switch {
	case math.IsNaN(m.Eta): // α̂ is taken as α, from which it differs by a logarithm that depends on η
		s.Ridge, left = math.NaN(), alpha
	case !(left > 0):
		s.Ridge = c1/(weight*num.Expm1(alpha/4)) - ridge
		left = alpha / 2
	}
	if m.Calibration != "listing" { // the proof needs half of what the listing has
		left /= 2
	}
	s.Noise, s.Place = Noise{Kind: Laplace, Level: left * weight}, InObjective
	s.Drawn, s.Times = Noise{Kind: Laplace, Level: m.rate(p, node, t, weight)}, p.C/float64(size)
	return s
}

// rate is that of ε, by the method's operations.
func (m *dvp) rate(p *Public, node, t int, weight float64) float64 {
	alpha, ridge := m.Alpha.At(node, t), p.R[node]+float64(2*m.Eta*p.degree(node))
	left := alpha - float64(2*num.Log(1+p.Loss.Bound()/float64(weight*ridge)))
	if left <= 0 {
		left = alpha / 2
	}
	if m.Calibration == "listing" {
		return left
	}
	return left / 2
}

func init() { register(&Entry{Name: "dvp", Model: func() Method { return new(dvp) }}) }

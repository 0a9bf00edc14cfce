package model

import "overhear/parameter"

// pvp is primal variable perturbation (Zhang & Zhu 2017): what is sent is the exact
// minimiser plus ε. To first order ν = (∇² + (r+κ)I)ε, with ∇² taken as 0.
type pvp struct {
	admm
	Alpha parameter.Schedule `yaml:"alpha"`
	Switch
}

func (m *pvp) Step(p *Public, node, t, size int) Step {
	s := m.step()
	if m.Noisy() {
		s.Place = OnOutput
		if size > 0 {
			s.Noise = Noise{Kind: Laplace, Level: m.Alpha.At(node, t) * float64(size) / p.C / 2}
		}
	}
	return s
}

func init() { register(&Entry{Name: "pvp", Model: func() Method { return new(pvp) }}) }

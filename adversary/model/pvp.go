package model

import "overhear/parameter"

// pvp is primal variable perturbation (Zhang & Zhu 2017): what is sent is the exact
// minimiser plus ε. To first order ν = (∇² + (r+κ)I)ε, with ∇² taken as 0.
type pvp struct {
	admm
	Alpha parameter.Schedule `yaml:"alpha"`
	Law   string             `yaml:"law"`
	Switch
}

func (m *pvp) Step(p *Public, node, t, size int) Step {
	s := m.step()
	if m.Noisy() {
		s.Place = OnOutput
		if size > 0 {
			s.Noise = noiseOf(m.Law, m.Alpha.At(node, t)*float64(size)/p.C/2)
			s.Drawn = s.onMinimiser(p, node, size, m.Law, m.Alpha.At(node, t))
		}
	}
	return s
}

// onMinimiser is noise of rate α(B/2C)(r + κ), by the method's operations.
func (s *Step) onMinimiser(p *Public, node, size int, law string, alpha float64) Noise {
	kappa := float64(2*s.Eta*p.degree(node)) + s.Anchor
	return noiseOf(law, float64(alpha*float64(size)/(2*p.C))*(p.R[node]+kappa))
}

// noiseOf is noise of a law and rate; of Gaussian noise the rate is the inverse of the standard deviation.
func noiseOf(law string, rate float64) Noise {
	if law == "gaussian" {
		return Noise{Kind: Gaussian, Level: 1 / rate}
	}
	return Noise{Kind: Laplace, Level: rate}
}

func init() { register(&Entry{Name: "pvp", Model: func() Method { return new(pvp) }}) }

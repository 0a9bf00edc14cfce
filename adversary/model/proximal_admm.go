package model

import "overhear/parameter"

// proximalADMM is proximal Jacobian ADMM (Deng et al. 2017) with noise on the minimiser:
// a term (τ/2)‖f − v(t−1)‖², and a dual step of γη. To first order ν = (∇² + (r+κ)I)ε,
// with ∇² taken as 0; ε has rate α(B/2C)(r+κ), so ν has α B/2C, whatever τ is.
type proximalADMM struct {
	Eta   float64            `yaml:"eta" secret:"penalty"`
	Tau   float64            `yaml:"tau"`
	Gamma float64            `yaml:"gamma"`
	Alpha parameter.Schedule `yaml:"alpha"`
	Law   string             `yaml:"law"`
	Switch
}

func (m *proximalADMM) Step(p *Public, node, t, size int) Step {
	s := Step{Eta: m.Eta, Theta: m.Gamma * m.Eta, Anchor: m.Tau}
	if m.Noisy() {
		s.Place = OnOutput
		if size > 0 {
			s.Noise = noiseOf(m.Law, m.Alpha.At(node, t)*float64(size)/(2*p.C))
			s.Drawn = s.onMinimiser(p, node, size, m.Law, m.Alpha.At(node, t))
		}
	}
	return s
}

func init() {
	register(&Entry{Name: "proximal-admm", Model: func() Method { return new(proximalADMM) }})
}

package model

import "overhear/parameter"

// recycled is what RA19's methods share: round 2k−1 touches data with the k-th
// penalty, round 2k does not.
type recycled struct {
	Gamma float64 `yaml:"gamma"`
}

// Weight is γ.
func (m *recycled) Weight() float64 { return m.Gamma }

// use is k of rounds 2k−1 and 2k.
func use(t int) int { return (t + 1) / 2 }

// recycledStep is a round with penalty η: the dual moves by it in odd rounds.
func recycledStep(eta float64, t int) Step {
	if t%2 == 0 {
		return Step{Eta: eta, Idle: true}
	}
	return Step{Eta: eta, Theta: eta}
}

// perturbed is where RA19's private methods have their noise.
type perturbed struct {
	Alpha        parameter.Schedule `yaml:"alpha"`
	Perturbation string             `yaml:"perturbation"`
}

// perturb adds ν = ε of rate α to a step that touches data, RA19 Algorithm 3; on the
// minimiser ν is (r+κ) times the noise, with ∇² taken as 0 (RA19 §VII-B).
func (m *perturbed) perturb(p *Public, s Step, node, t, size int) Step {
	if s.Idle {
		return s
	}
	law := "laplace"
	switch m.Perturbation {
	case "output":
		s.Place = OnOutput
	case "gaussian":
		law, s.Place = "gaussian", OnOutput
	}
	if size > 0 {
		rate := m.Alpha.At(node, use(t))
		s.Noise = noiseOf(law, rate)
		if s.Drawn, s.Times = s.Noise, 1; s.Place == OnOutput {
			s.Drawn = noiseOf(law, rate*(p.R[node]+float64(2*s.Eta*p.degree(node))))
		}
	}
	return s
}

// radmm is R-ADMM, RA19 Algorithm 1.
type radmm struct {
	admm
	recycled
}

// exactRADMM adds no noise.
type exactRADMM struct {
	radmm
	Exact
}

func (m *exactRADMM) Step(_ *Public, _, t, _ int) Step { return recycledStep(m.Eta, t) }

// Revealed has the first of the penalties: they are all the same.
func (m *exactRADMM) Revealed(penalties []float64) Method {
	known := *m
	known.Eta = penalties[0]
	return &known
}

func init() { register(&Entry{Name: "r-admm", Model: func() Method { return new(exactRADMM) }}) }

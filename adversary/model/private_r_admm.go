package model

// privateRADMM is private R-ADMM, RA19 Algorithm 3.
type privateRADMM struct {
	radmm
	perturbed
	Switch
}

func (m *privateRADMM) Step(p *Public, node, t, size int) Step {
	s := recycledStep(m.Eta, t)
	if m.Noisy() {
		s = m.perturb(p, s, node, t, size)
	}
	return s
}

// Revealed has the first of the penalties: they are all the same.
func (m *privateRADMM) Revealed(penalties []float64) Method {
	known := *m
	known.Eta = penalties[0]
	return &known
}

func init() {
	register(&Entry{Name: "private-r-admm", Model: func() Method { return new(privateRADMM) }})
}

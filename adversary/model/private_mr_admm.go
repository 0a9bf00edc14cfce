package model

import "overhear/parameter"

// privateMRADMM is private MR-ADMM, RA19 Algorithm 3.
type privateMRADMM struct {
	mradmm
	perturbed
	Switch
}

func (m *privateMRADMM) Step(p *Public, node, t, size int) Step {
	s := recycledStep(m.Eta.At(node, use(t)), t)
	if m.Noisy() {
		s = m.perturb(p, s, node, t, size)
	}
	return s
}

// Revealed has the node's penalties.
func (m *privateMRADMM) Revealed(penalties []float64) Method {
	known := *m
	known.Eta = parameter.List(penalties)
	return &known
}

func init() {
	register(&Entry{Name: "private-mr-admm", Model: func() Method { return new(privateMRADMM) },
		Keeps: []Secret{Penalty}})
}

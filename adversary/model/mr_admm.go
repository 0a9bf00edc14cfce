package model

import "overhear/parameter"

// mradmm is MR-ADMM, RA19 Algorithm 2: R-ADMM with penalties of each node's own.
type mradmm struct {
	Eta parameter.Schedule `yaml:"eta" secret:"penalty"`
	recycled
}

// exactMRADMM adds no noise.
type exactMRADMM struct {
	mradmm
	Exact
}

func (m *exactMRADMM) Step(_ *Public, node, t, _ int) Step {
	return recycledStep(m.Eta.At(node, use(t)), t)
}

// Revealed has the node's penalties.
func (m *exactMRADMM) Revealed(penalties []float64) Method {
	known := *m
	known.Eta = parameter.List(penalties)
	return &known
}

func init() {
	register(&Entry{Name: "mr-admm", Model: func() Method { return new(exactMRADMM) }, Keeps: []Secret{Penalty}})
}

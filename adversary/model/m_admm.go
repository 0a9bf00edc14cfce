package model

import "overhear/parameter"

// madmm is M-ADMM, ZKL18 (10)-(11): penalties of each node's own, and a dual step θ.
type madmm struct {
	Eta   parameter.Schedule `yaml:"eta" secret:"penalty"`
	Theta parameter.Schedule `yaml:"theta" secret:"dual-step"`
}

func (m *madmm) step(node, t int) Step {
	return Step{Eta: m.Eta.At(node, t), Theta: m.Theta.At(node, t)}
}

// exactMADMM adds no noise.
type exactMADMM struct {
	madmm
	Exact
}

func (m *exactMADMM) Step(_ *Public, node, t, _ int) Step { return m.step(node, t) }

func init() {
	register(&Entry{Name: "m-admm", Model: func() Method { return new(exactMADMM) }, Keeps: []Secret{Penalty}})
}

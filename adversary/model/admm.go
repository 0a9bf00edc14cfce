package model

// admm is conventional ADMM, ZZ16 Algorithm 1: the dual step is the penalty.
type admm struct {
	Eta float64 `yaml:"eta" secret:"penalty"`
}

func (m *admm) step() Step { return Step{Eta: m.Eta, Theta: m.Eta} }

// exactADMM adds no noise.
type exactADMM struct {
	admm
	Exact
}

func (m *exactADMM) Step(*Public, int, int, int) Step { return m.step() }

func init() { register(&Entry{Name: "admm", Model: func() Method { return new(exactADMM) }}) }

// ADMM with noise on what nodes publish.

package algorithms

import (
	"overhear/parameter"
)

// PVP is primal variable perturbation: what a node publishes is its exact
// iterate plus noise.
type PVP struct {
	ADMM
	Alpha parameter.Schedule `yaml:"alpha" default:"1" doc:"privacy budget α > 0 of each node and round"`
	Law   string             `yaml:"law" default:"laplace" enum:"laplace,gaussian" doc:"of the noise: laplace, density ∝ exp(−ζ‖ε‖), spends α a round; gaussian, of standard deviation 1/ζ, is α²/2-zCDP a round"`
	NoiseSwitch
}

// Check reports parameters out of range.
func (p PVP) Check(report func(field, problem string)) {
	p.ADMM.Check(report)
	checkSchedule(report, "alpha", p.Alpha)
}

// Loosen scales α.
func (p PVP) Loosen(c float64) any { p.Alpha = p.Alpha.Times(c); return &p }

func init() {
	register(&Entry{
		Name:  "pvp",
		Title: "primal variable perturbation",
		Paper: "Zhang & Zhu, Dynamic Differential Privacy for ADMM-Based Distributed Classification Learning, IEEE " +
			"TIFS 2017, as cited by Zhang, Khalili & Liu (2018, 2019)",
		About: `Conventional ADMM on what nodes publish, v = f + ε:
  f(t+1) = argmin (C/B) Σ L(y f·x) + ½(r + 2ηV)‖f‖² + (2λ(t) − η(V v(t) + Σ v_j(t)))·f
  v(t+1) = f(t+1) + ε(t+1), ε of density ∝ exp(−ζ‖ε‖), ζ = α (B/2C)(r + 2ηV); send v(t+1)
  λ(t+1) = λ(t) + (η/2)(V v(t+1) − Σ v_j(t+1))
Claims α per node and round (one row's change); over rounds the sum of α. With law: gaussian, ε is N(0, I/ζ²)
and claims α²/2-zCDP.
Condition: |L′| ≤ 1 and rows of norm at most 1.`,
		Active: standsOnOutput,
		Params: func() any { return new(PVP) },
		New: func(params any, s Setting) (Method, error) {
			p := *params.(*PVP)
			m := ProximalADMM{Eta: p.Eta, Gamma: 1, Alpha: p.Alpha, Law: p.Law, NoiseSwitch: p.NoiseSwitch}
			return newProximal(m, s),
				fits(s.Graph.Order(), map[string]*parameter.Schedule{"alpha": &p.Alpha})
		},
	})
}

// ADMM with a proximal term and a damped dual step, and noise on what nodes publish.

package algorithms

import (
	"fmt"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/privacy"
)

// ProximalADMM is proximal Jacobian ADMM (Deng, Lai, Peng & Yin 2017) in consensus form,
// docs/mathematics.md §3.13, with noise on what a node publishes.
type ProximalADMM struct {
	Eta   float64            `yaml:"eta" default:"auto" doc:"penalty η > 0; the same for every node and round; auto: computed from the problem"`
	Tau   float64            `yaml:"tau" default:"auto" doc:"weight τ ≥ 0 of staying at what was published; auto: as eta"`
	Gamma float64            `yaml:"gamma" default:"1" doc:"damping γ of the dual step γη, 0 < γ < 2"`
	Alpha parameter.Schedule `yaml:"alpha" default:"1" doc:"privacy budget α > 0 of each node and round"`
	Law   string             `yaml:"law" default:"laplace" enum:"laplace,gaussian" doc:"of the noise: laplace, density ∝ exp(−ζ‖ε‖), spends α a round; gaussian, of standard deviation 1/ζ, is α²/2-zCDP a round"`
	NoiseSwitch
}

// Check reports parameters out of range.
func (p ProximalADMM) Check(report func(field, problem string)) {
	ADMM{Eta: p.Eta}.Check(report)
	if !(p.Tau >= 0) {
		report("tau", fmt.Sprintf("must be 0 or positive, is %v", p.Tau))
	}
	if !(p.Gamma > 0 && p.Gamma < 2) {
		report("gamma", fmt.Sprintf("must be above 0 and below 2, is %v; up to 1 the method converges for every tau",
			p.Gamma))
	}
	checkSchedule(report, "alpha", p.Alpha)
}

// Loosen scales α.
func (p ProximalADMM) Loosen(c float64) any { p.Alpha = p.Alpha.Times(c); return &p }

// proximal is ProximalADMM in a run.
type proximal struct {
	ProximalADMM
	Setting
	roundBudget
}

// newProximal is the method with those parameters; with τ = 0 and γ = 1 it is PVP.
func newProximal(p ProximalADMM, s Setting) Method {
	return proximal{p, s, roundBudget{s, p.Alpha, p.off(), 0}}
}

// Update minimises (★) with κ = 2ηV + τ and q = 2λ − η(V v + s) − τ v, and adds noise.
// One row moves the minimiser of an (r + κ)-strongly convex objective by at most
// 2C/(B(r + κ)), whence the rate.
func (m proximal) Update(n *Node, t int) error {
	kappa := float64(2*m.Eta*float64(n.Degree())) + m.Tau
	n.Pull(m.Eta)
	num.Axpy(-m.Tau, n.F, n.Q)
	if err := n.Minimise(kappa); err != nil || m.off() {
		return err
	}
	p := m.Problem
	rate := float64(m.Alpha.At(n.ID, t)*samples(p, n.ID)/(2*p.C)) * (p.R[n.ID] + kappa)
	noise := n.perturb
	if m.Law == gaussianLaw {
		noise, rate = n.perturbNormally, 1/rate
	}
	num.Axpy(1, noise(t, rate), n.F)
	return nil
}

// Account enters the mechanism of every node and round.
func (m proximal) Account(l *privacy.Ledger) { m.account(l, m.Law == gaussianLaw) }

// Dual is λ ← λ + (γη/2)(V v − s).
func (m proximal) Dual(n *Node, _ int) { n.Ascend(m.Gamma * m.Eta) }

// NodeDual says that λ_i is one a node.
func (m proximal) NodeDual() {}

// Warnings say where the parameters leave what is proved, docs/mathematics.md §3.13, (3.32):
// at every node 2ηV + τ > 2ηV/(2 − γ). With γ ≤ 1 there is nothing more to ask.
func (m proximal) Warnings() []string {
	if m.Gamma <= 1 {
		return nil
	}
	most := 0
	for i := range m.Graph.Order() {
		most = max(most, m.Graph.Degree(i))
	}
	need := 2 * m.Eta * float64(most) * (m.Gamma - 1) / (2 - m.Gamma)
	if m.Tau > need {
		return nil
	}
	return []string{fmt.Sprintf("the proof of Deng et al. 2017 does not cover this run: with gamma = %v it needs "+
		"tau > 2ηV(γ − 1)/(2 − γ), which is %.4g at a node of %d neighbours, and tau is %v",
		m.Gamma, need, most, m.Tau)}
}

func (m proximal) Guarantee() string {
	if m.Law == gaussianLaw {
		return "α²/2 zero-concentrated differential privacy of a row in each round (sensitivity of the minimiser), " +
			"composed over rounds"
	}
	return "α-differential privacy of a row in each round (sensitivity of the minimiser), summed over rounds"
}

func init() {
	register(&Entry{
		Name:  "proximal-admm",
		Title: "proximal Jacobian ADMM with noise on the iterate",
		Paper: "Deng, Lai, Peng & Yin, Parallel Multi-Block ADMM with o(1/k) Convergence, J. Sci. Comput. 2017, " +
			"in consensus form, with noise calibrated to the minimiser's sensitivity",
		About: `Conventional ADMM with a proximal term and a damped dual step, on what nodes publish, v = f + ε:
  f(t+1) = argmin O_i(f) + 2λ(t)·f + η Σ_j ‖f − ½(v(t) + v_j(t))‖² + (τ/2)‖f − v(t)‖²
  v(t+1) = f(t+1) + ε(t+1), ε of density ∝ exp(−ζ‖ε‖), ζ = α (B/2C)(r + 2ηV + τ); send v(t+1)
  λ(t+1) = λ(t) + (γη/2)(V v(t+1) − Σ v_j(t+1))
Without noise it converges to the centralised optimum for γ ≤ 1, and for γ < 2 if τ > 2ηV(γ − 1)/(2 − γ)
at every node; elsewhere it runs, with a warning. τ = 0, γ = 1 is pvp, and without noise admm.
Claims α per node and round (one row's change); over rounds the sum of α. With law: gaussian, ε is N(0, I/ζ²)
and claims α²/2-zCDP.
Condition: |L′| ≤ 1 and rows of norm at most 1.`,
		Active: standsOnOutput,
		Params: func() any { return new(ProximalADMM) },
		New: func(params any, s Setting) (Method, error) {
			p := *params.(*ProximalADMM)
			return newProximal(p, s), fits(s.Graph.Order(), map[string]*parameter.Schedule{"alpha": &p.Alpha})
		},
	})
}

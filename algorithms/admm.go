// Conventional ADMM: the method that the private ones perturb.

package algorithms

import (
	"fmt"

	"overhear/parameter"
)

// ADMM is decentralised consensus ADMM with one dual vector a node: ZZ16
// Algorithm 1, ZKL18 (8)-(9). It converges to the centralised optimum for every
// η > 0 and keeps Σ_i λ_i = 0.
type ADMM struct {
	Eta float64 `yaml:"eta" default:"auto" doc:"penalty η > 0, also the dual step; the same for every node and round; auto: computed from the problem"`
}

// Check reports a penalty that is not positive.
func (p ADMM) Check(report func(field, problem string)) {
	if p.Eta > 0 && p.Eta != parameter.Auto && !inRange(p.Eta) {
		report("eta", rangeOf(p.Eta))
	}
	if !(p.Eta > 0) {
		report("eta", fmt.Sprintf("must be positive, is %v; auto has it computed", p.Eta))
	}
}

// Penalties and steps beyond these limits have products that vanish or overflow.
const leastStep, mostStep = 1e-100, 1e100

func inRange(step float64) bool { return step >= leastStep && step <= mostStep }

func rangeOf(step float64) string {
	return fmt.Sprintf("must be between %v and %v, where its products neither vanish nor overflow, is %v", leastStep,
		mostStep, step)
}

// Update is the primal step, ZKL18 (8): (★) with κ = 2ηV and
// q = 2λ(t) − η(V f(t) + s(t)).
func (p ADMM) Update(n *Node, _ int) error {
	n.Pull(p.Eta)
	return n.Minimise(2 * p.Eta * float64(n.Degree()))
}

// Dual is the dual step, ZKL18 (9): λ ← λ + (η/2)(V f − s).
func (p ADMM) Dual(n *Node, _ int) { n.Ascend(p.Eta) }

// NodeDual says that λ_i is one a node.
func (p ADMM) NodeDual() {}

// admm is ADMM in a run.
type admm struct {
	ADMM
	Setting
}

// Theorems are ZKL18 Theorems 3.1 and 3.2 with constant equal penalties η = θ.
func (m admm) Theorems(from, to int) []Theorem {
	return madmm{&MADMM{parameter.Constant(m.Eta), parameter.Constant(m.Eta)}, m.Setting}.Theorems(from, to)
}

func init() {
	register(&Entry{
		Name:  "admm",
		Title: "conventional ADMM, no privacy",
		Paper: "Zhang & Zhu, A Dual Perturbation Approach for Differential Private ADMM-Based Distributed Empirical " +
			"Risk Minimization, AISec 2016, Algorithm 1; Zhang, Khalili & Liu, ICML 2018, (8)-(9)",
		About: `Each node i with V neighbours, from round t to t+1:
  f(t+1) = argmin (C/B) Σ L(y f·x) + ½(r + 2ηV)‖f‖² + (2λ(t) − η(V f(t) + s(t)))·f
  send f(t+1) to every neighbour
  λ(t+1) = λ(t) + (η/2)(V f(t+1) − s(t+1)),   s = Σ of the neighbours' f
Converges to the centralised optimum for every η > 0 on a connected graph; the
duals sum to zero over the nodes at every round.
Claims no privacy: whoever overhears the messages can compute a node's gradient.`,
		Theorems: ofMADMM,
		Params:   func() any { return new(ADMM) },
		New: func(params any, s Setting) (Method, error) {
			p := *params.(*ADMM)
			return admm{p, s}, nil
		},
	})
}

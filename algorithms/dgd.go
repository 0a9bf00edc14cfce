// Decentralised gradient descent, with and without noise.

package algorithms

import (
	"fmt"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/privacy"
	"overhear/sim"
)

// DGD is decentralised gradient descent with Metropolis weights (Nedić &
// Ozdaglar 2009).
type DGD struct {
	Step  parameter.Schedule `yaml:"step" default:"auto" doc:"step size a > 0 of each node and round, before decay; auto: computed from the problem"`
	Decay string             `yaml:"decay" default:"sqrt" enum:"sqrt,none" doc:"what the step of round t is divided by: sqrt: √t; none: 1"`

	Averaging int `yaml:"averaging" default:"0" doc:"after each step, so many rounds in which nodes average and touch no data (Muffliato-GD)"`
}

// Check reports a step that is none.
func (p DGD) Check(report func(field, problem string)) {
	checkSteps(report, "step", p.Step)
	if p.Averaging < 0 {
		report("averaging", fmt.Sprintf("must not be negative, is %d", p.Averaging))
	}
}

// Idle says whether a round is one of averaging alone.
func (p *DGD) Idle(t int) bool { return (t-1)%(p.Averaging+1) > 0 }

// step is a_t of a node.
func (p *DGD) step(node, t int) float64 {
	a := p.Step.At(node, t)
	if p.Decay == "none" {
		return a
	}
	return a / sqrtK(t)
}

// PrivateDGD is DGD whose nodes publish, and use, noisy iterates.
type PrivateDGD struct {
	DGD
	Alpha parameter.Schedule `yaml:"alpha" default:"1" doc:"privacy budget α > 0 of each node and round"`
	Law   string             `yaml:"law" default:"laplace" enum:"laplace,gaussian" doc:"of the noise: laplace, density ∝ exp(−ζ‖ε‖), spends α a round; gaussian, of standard deviation 1/ζ, is α²/2-zCDP a round"`
	NoiseSwitch
}

// Check reports parameters out of range.
func (p PrivateDGD) Check(report func(field, problem string)) {
	p.DGD.Check(report)
	checkSchedule(report, "alpha", p.Alpha)
}

// Loosen scales α.
func (p PrivateDGD) Loosen(c float64) any { p.Alpha = p.Alpha.Times(c); return &p }

type dgd struct {
	DGD
	weights [][]float64 // of node i: its neighbours' by position, then its own
}

// metropolis are the weights W_ij = 1/(1 + max(V_i, V_j)), W_ii = 1 − Σ_j W_ij:
// symmetric, and each node's sum to one.
func metropolis(g *sim.Graph) [][]float64 {
	w := make([][]float64, g.Order())
	for i := range w {
		own := 1.0
		for _, j := range g.Neighbours(i) {
			v := 1 / float64(1+max(g.Degree(i), g.Degree(int(j))))
			w[i] = append(w[i], v)
			own -= v
		}
		w[i] = append(w[i], own)
	}
	return w
}

// Displaced is that of a step that stays: at the optimum the gradients of the nodes are not
// zero each, so that there a step leads away from it, and the farther the longer it is.
func (m *dgd) Displaced() bool { return m.Decay == "none" }

// Warnings say that the step stays.
func (m *dgd) Warnings() []string {
	if !m.Displaced() {
		return nil
	}
	return []string{"the step stays the same (algorithm.decay: none): the limit is not the optimum, and the farther " +
		"from it the longer the step; a step that falls has not this (algorithm.decay: sqrt)"}
}

// Update is f_i(t+1) = Σ_j W_ij f_j(t) − a_t ∇O_i(f_i(t)), without its second term in a round of averaging.
func (m *dgd) Update(n *Node, t int) error {
	w := m.weights[n.ID]
	idle := m.Idle(t)
	if !idle {
		n.Gradient(n.F, n.Q)
	}
	num.Scale(w[len(w)-1], n.F)
	for k, f := range n.Heard {
		num.Axpy(w[k], f, n.F)
	}
	if !idle {
		num.Axpy(-m.step(n.ID, t), n.Q, n.F)
	}
	return nil
}

// Dual has nothing to do.
func (m *dgd) Dual(*Node, int) {}

type privateDGD struct {
	dgd
	Setting
	roundBudget
	normal bool // the noise is Gaussian
}

// Update is DGD's plus ε of density ∝ exp(−ζ‖ε‖), or of N(0, I/ζ²), ζ = αB/(2C a_t): given
// what was published before, one row moves the iterate by at most 2C a_t/B.
func (m *privateDGD) Update(n *Node, t int) error {
	if err := m.dgd.Update(n, t); err != nil || m.silent || m.Idle(t) {
		return err
	}
	rate := m.alpha.At(n.ID, t) * samples(m.Problem, n.ID) / (2 * m.Problem.C * m.step(n.ID, t))
	noise := n.perturb
	if m.normal {
		noise, rate = n.perturbNormally, 1/rate
	}
	num.Axpy(1, noise(t, rate), n.F)
	return nil
}

// Account enters the mechanism of every node and round.
func (m *privateDGD) Account(l *privacy.Ledger) { m.account(l, m.normal) }

// Explicit says that a step is a sum.
func (m *privateDGD) Explicit() {}

// Moves is 2C a_t/B, 0 in a round of averaging.
func (m *privateDGD) Moves(i, t int) float64 {
	if m.Idle(t) {
		return 0
	}
	return 2 * m.Problem.C * m.step(i, t) / samples(m.Problem, i)
}

func (m *privateDGD) Guarantee() string {
	if m.normal {
		return "α²/2 zero-concentrated differential privacy of a row in each round (sensitivity of a gradient step), " +
			"composed over rounds"
	}
	return "α-differential privacy of a row in each round (sensitivity of a gradient step), summed over rounds"
}

// stepsAlong is why a method needs gradients.
const stepsAlong = "its steps follow gradients"

func init() {
	const about = `Metropolis weights W_ij = 1/(1 + max(V_i, V_j)), W_ii = 1 − Σ_j W_ij; step a_t = a₀/√t or a₀:
  f_i(t+1) = Σ_j W_ij f_j(t) − a_t ∇O_i(f_i(t))%s
With averaging: K each such round is followed by K rounds f_i(t+1) = Σ_j W_ij f_j(t).
`
	register(&Entry{
		Name: "dgd", Title: "decentralised gradient descent", Smooth: stepsAlong,
		Paper: "Nedić & Ozdaglar, Distributed Subgradient Methods for Multi-Agent Optimization, IEEE TAC 2009",
		About: fmt.Sprintf(about, "; send it") +
			`With decay: sqrt it approaches the centralised optimum; with none, a neighbourhood of it. The step must be
below 2/(largest eigenvalue of ∇²O_i). Claims no privacy.`,
		Params: func() any { return new(DGD) },
		New: func(params any, s Setting) (Method, error) {
			p := *params.(*DGD)
			return &dgd{p, metropolis(s.Graph)}, fits(s.Graph.Order(), map[string]*parameter.Schedule{"step": &p.Step})
		},
	})
	register(&Entry{
		Name: "private-dgd", Title: "decentralised gradient descent with noise", Smooth: stepsAlong,
		Paper: "Nedić & Ozdaglar 2009, with noise calibrated to a step's sensitivity",
		About: fmt.Sprintf(about, " + ε; send it") +
			`ε has density ∝ exp(−ζ‖ε‖), ζ = αB/(2C a_t). The node goes on from what it sent.
Claims α per node and step (one row's change); over rounds the sum of α. With law: gaussian, ε is N(0, I/ζ²)
and claims α²/2-zCDP. With averaging, and law: gaussian, it is Muffliato-GD (Cyffers, Even, Bellet & Massoulié,
NeurIPS 2022), whose rounds of averaging lose nothing more to who sees all, and spread what is lost to who does not.
Condition: |L′| ≤ 1 and rows of norm at most 1.`,
		Active: standsInStep,
		Params: func() any { return new(PrivateDGD) },
		New: func(params any, s Setting) (Method, error) {
			p := params.(*PrivateDGD)
			m := &privateDGD{dgd{p.DGD, metropolis(s.Graph)}, s, roundBudget{s, p.Alpha, p.off(), p.Averaging},
				p.Law == gaussianLaw}
			return m,
				fits(s.Graph.Order(), map[string]*parameter.Schedule{"alpha": &p.Alpha, "step": &p.Step})
		},
	})
}

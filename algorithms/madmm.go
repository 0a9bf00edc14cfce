// ADMM with varying private penalties, and the noise that rides on them.

package algorithms

import (
	"fmt"
	"math"
	"slices"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/privacy"
	"overhear/theory"
)

// MADMM is M-ADMM, ZKL18 (10)-(11).
type MADMM struct {
	Eta   parameter.Schedule `yaml:"eta" default:"auto" doc:"penalty η_i(t) > 0 of each node and round, known to the node only; auto: computed from the problem"`
	Theta parameter.Schedule `yaml:"theta" default:"auto" doc:"dual step θ > 0; the theorems have one for all nodes and rounds; auto: the least eta"`
}

// Check reports parameters out of range.
func (p MADMM) Check(report func(field, problem string)) {
	checkSteps(report, "eta", p.Eta)
	checkSteps(report, "theta", p.Theta)
}

// Update is the primal step, ZKL18 (10).
func (p *MADMM) Update(n *Node, t int) error {
	eta := p.Eta.At(n.ID, t)
	n.Pull(eta)
	return n.Minimise(2 * eta * float64(n.Degree()))
}

// Dual is the dual step, ZKL18 (11).
func (p *MADMM) Dual(n *Node, t int) { n.Ascend(p.Theta.At(n.ID, t)) }

// NodeDual says that λ_i is one a node.
func (p *MADMM) NodeDual() {}

// variesTheta says whether the dual step is not one number.
func (p *MADMM) variesTheta() bool {
	return p.Theta.Nodes != nil || p.Theta.Values != nil || p.Theta.Ratio != 1
}

type madmm struct {
	*MADMM
	Setting
}

// Warnings say where the parameters leave ZKL18 Theorem 3.1.
func (m madmm) Warnings() []string {
	if err := m.covered(); err != nil {
		return []string{theory.ZKL18Theorem31.Name + " does not cover this run: " + err.Error()}
	}
	return nil
}

// covered says why ZKL18 Theorem 3.1 does not cover the run; nil: it does.
func (m madmm) covered() error {
	if m.variesTheta() {
		return errVaryingTheta
	}
	if m.Eta.Unbounded() {
		return errUnbounded
	}
	return theory.Theorem31(m.Eta.At, m.Graph.Order(), m.Rounds, m.Theta.At(0, 1))
}

// Theorems are ZKL18 Theorem 3.1, which gives no rate, and Theorem 3.2.
func (m madmm) Theorems(from, to int) []Theorem {
	converges := Theorem{Theorem: theory.ZKL18Theorem31, Holds: true, Factor: math.NaN(),
		Reason: "applies: convergence is proved, without a rate: in no round a penalty falls or is below the dual " +
			"step θ, and the penalties stay below a bound"}
	if err := m.covered(); err != nil {
		converges.Holds, converges.Reason = false, "does not apply: convergence is not proved: "+err.Error()
	}
	return []Theorem{converges, m.linear(from, to)}
}

// linear is ZKL18 Theorem 3.2 for the rounds after one to another. It has a factor where the penalties are the same in
// all of them: otherwise each round has a norm of its own, in which no other round's error is known.
func (m madmm) linear(from, to int) Theorem {
	t := Theorem{Theorem: theory.ZKL18Theorem32, Factor: math.NaN(),
		Reason: "does not apply: " + errVaryingTheta.Error()}
	if m.variesTheta() {
		return t
	}
	before, after := m.etas(to-1), m.etas(to)
	for _, eta := range append(append([]float64{m.Theta.At(0, 1)}, before...), after...) {
		if !inRange(eta) {
			t.Reason = fmt.Sprintf("does not apply: with a penalty of %v its matrices are beyond what can be "+
				"computed", eta)
			return t
		}
	}
	strong, smooth := theory.Constants(m.Problem)
	r := theory.MADMM(m.Graph, strong, smooth, m.Theta.At(0, 1), before, after)
	t.Holds, t.Reason = r.Applies, r.Reason
	if !r.Applies {
		return t
	}
	for round := from; round < to; round++ {
		if !slices.Equal(m.etas(round), after) {
			t.Reason += fmt.Sprintf(" to each round, without a rate over several: penalties change in rounds %d to "+
				"%d, with them the norm J(t), and factors in different norms do not multiply; the factor of round %d "+
				"alone is %.6f, in its norm", from, to, to, r.Factor())
			return t
		}
	}
	t.Factor = r.Factor()
	return t
}

// ofMADMM are the theorems on it.
var ofMADMM = []theory.Theorem{theory.ZKL18Theorem31, theory.ZKL18Theorem32}

// etas are the penalties of a round, by node.
func (m madmm) etas(t int) []float64 {
	eta := make([]float64, m.Graph.Order())
	for i := range eta {
		eta[i] = m.Eta.At(i, max(t, 1))
	}
	return eta
}

// PenaltyPerturbation is private M-ADMM, ZKL18 Algorithm 1.
type PenaltyPerturbation struct {
	MADMM
	Alpha parameter.Schedule `yaml:"alpha" default:"1" doc:"noise rate α_i(t) > 0 of each node and round: less is more noise"`
	Law   string             `yaml:"law" default:"gamma" enum:"gamma,gaussian" doc:"of the noise: gamma has density ∝ exp(−α‖ε‖), and its claim is pure; gaussian is N(0, I/α²), and its claim has a δ (ZKL18 §6.3)"`
	NoiseSwitch
}

// Check reports parameters out of range.
func (p PenaltyPerturbation) Check(report func(field, problem string)) {
	p.MADMM.Check(report)
	checkSchedule(report, "alpha", p.Alpha)
}

// Loosen scales α.
func (p PenaltyPerturbation) Loosen(c float64) any { p.Alpha = p.Alpha.Times(c); return &p }

type penaltyPerturbation struct {
	madmm
	alpha    parameter.Schedule
	gaussian bool
	NoiseSwitch
}

// Update is (10) with 2η_i V_i ε·f added, ε of density ∝ exp(−α_i‖ε‖) or N(0, I/α_i²).
func (m penaltyPerturbation) Update(n *Node, t int) error {
	eta := m.Eta.At(n.ID, t)
	n.Pull(eta)
	kappa := 2 * eta * float64(n.Degree())
	switch alpha := m.alpha.At(n.ID, t); {
	case m.off():
	case m.gaussian:
		num.Axpy(kappa, n.perturbNormally(t, 1/alpha), n.Q)
	default:
		num.Axpy(kappa, n.perturb(t, alpha), n.Q)
	}
	return n.Minimise(kappa)
}

func (m penaltyPerturbation) Guarantee() string {
	if m.gaussian {
		return "(ε, δ)-differential privacy of a row over the whole run: Gaussian noise in the objective (ZKL18 " +
			"§6.3), Rényi divergences of rounds added up"
	}
	return "β-differential privacy of a row over the whole run, β_i = Σ_t C(1.4c₁ + α_i(t))/(η_i(t) V_i B_i) (ZKL18 " +
		"Theorem 4.1, (26))"
}

func (m penaltyPerturbation) Established() error {
	if m.off() {
		return errNoNoise
	}
	if err := differentiable(m.Problem, "ZKL18 Assumption 5"); err != nil {
		return err
	}
	if err := Shielded(m.Problem); err != nil {
		return err
	}
	if m.gaussian { // what it spends on the determinants is bounded for every η > 0 and whatever θ is
		return nil
	}
	if m.variesTheta() {
		return errVaryingTheta
	}
	// The theorem presupposes η_i(t) ≥ θ; where that is broken, η takes θ's place.
	return dominated(m.Problem, func(i int) float64 {
		return m.Problem.R[i] + float64(2*min(m.Theta.At(i, 1), m.Eta.Least(i, m.Rounds))*float64(m.Graph.Degree(i)))
	}, "ρ/N + 2θV")
}

func (m penaltyPerturbation) Account(l *privacy.Ledger) {
	p := m.Problem
	for i := range p.Shards {
		for t := 1; t <= m.Rounds; t++ {
			if m.gaussian {
				l.Spend(i, t, privacy.Sample, m.mechanism(i, t))
				continue
			}
			spent := p.C * (curvature(p) + m.alpha.At(i, t)) / (m.Eta.At(i, t) * float64(m.Graph.Degree(i)) * samples(p,
				i))
			l.Spend(i, t, privacy.Sample, privacy.PureDP{Epsilon: spent})
		}
	}
}

// mechanism is a round with Gaussian noise: one row moves the gradient by at most 2C/B, the noise in it has the
// standard deviation 2ηV/α, and the row's part of the Hessian is at most c₁C/B of what is at least r + 2ηV.
func (m penaltyPerturbation) mechanism(i, t int) privacy.PerturbedObjective {
	p := m.Problem
	weight := p.C / samples(p, i)
	kappa := float64(2 * m.Eta.At(i, t) * float64(m.Graph.Degree(i)))
	return privacy.PerturbedObjective{
		Sensitivity: 2 * weight,
		Sigma:       kappa / m.alpha.At(i, t),
		Jacobian:    num.Log1p(p.Loss.Bound() * weight / (p.R[i] + kappa)),
	}
}

func init() {
	register(&Entry{
		Name:  "m-admm",
		Title: "ADMM with varying private penalties",
		Paper: "Zhang, Khalili & Liu, Improving the Privacy and Accuracy of ADMM-Based Distributed Algorithms, ICML " +
			"2018, (10)-(11)",
		About: `Each node i has penalties η_i(t) of its own:
  f(t+1) = argmin (C/B) Σ L(y f·x) + ½(r + 2η_i(t+1)V)‖f‖² + (2λ(t) − η_i(t+1)(V f(t) + s(t)))·f
  send f(t+1)
  λ(t+1) = λ(t) + (θ/2)(V f(t+1) − s(t+1))
Converges to the centralised optimum if every η_i is non-decreasing, bounded and at least θ (Theorem 3.1);
a schedule that breaks this runs, with a warning. Claims no privacy.`,
		Theorems: ofMADMM,
		Params:   func() any { return new(MADMM) },
		New: func(params any, s Setting) (Method, error) {
			p := params.(*MADMM)
			return madmm{p, s}, fits(s.Graph.Order(), map[string]*parameter.Schedule{"eta": &p.Eta, "theta": &p.Theta})
		},
	})
	register(&Entry{
		Name:  "penalty-perturbation",
		Title: "penalty perturbation: private M-ADMM",
		Paper: "Zhang, Khalili & Liu, ICML 2018, Algorithm 1, Theorem 4.1, §6.3",
		About: `M-ADMM whose penalty term is perturbed:
  f(t+1) = argmin (C/B) Σ L(y f·x) + ½(r + 2ηV)‖f‖² + (2λ(t) − η(V f(t) + s(t)) + 2ηVε)·f,  η = η_i(t+1)
  ε has density ∝ exp(−α_i(t+1)‖ε‖); send f(t+1)
  λ(t+1) = λ(t) + (θ/2)(V f(t+1) − s(t+1))
Claims β = max_i Σ_t C(1.4c₁ + α_i(t))/(η_i(t) V_i B_i) over the run (26).
Condition: 2c₁ < (B_i/C)(ρ/N + 2θV_i) at every node, |L′| ≤ 1, rows of norm at most 1, one θ.
Where it fails the run goes on and its bound is not established.
law: gaussian has ε ~ N(0, I/α²) instead (§6.3). The paper leaves its account to others; here a round's Rényi
divergence of order a is at most
  J + aμ²/2 + min(μ√(2/π), ln 2/(a−1)),  μ = Cα/(ηVB),  J = ln(1 + c₁C/(B(r + 2ηV))),
and the sum over rounds gives the run's (ε, δ). Condition: |L′| ≤ 1 and rows of norm at most 1; θ may vary.`,
		Theorems: ofMADMM,
		Active:   standsInObjective,
		Params:   func() any { return new(PenaltyPerturbation) },
		New: func(params any, s Setting) (Method, error) {
			p := params.(*PenaltyPerturbation)
			return penaltyPerturbation{madmm{&p.MADMM, s}, p.Alpha, p.Law == gaussianLaw, p.NoiseSwitch},
				fits(s.Graph.Order(), map[string]*parameter.Schedule{"eta": &p.Eta, "theta": &p.Theta,
					"alpha": &p.Alpha})
		},
	})
}

// Gradient-style ADMM around a hub with Gaussian noise.

package algorithms

import (
	"fmt"
	"math"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/privacy"
)

// DPADMM is DP-ADMM (Huang, Hu, Guo, Chan-Tin & Gong 2018) with the closed-form
// step of a first-order approximation.
type DPADMM struct {
	Eta     float64 `yaml:"eta" default:"auto" doc:"penalty of the distance to the hub's average, ρ in the paper; auto: computed from the problem"`
	Step    float64 `yaml:"step" default:"auto" doc:"s₀ of the step sizes s_k = s₀/√k; auto: computed from the problem"`
	Epsilon float64 `yaml:"epsilon" default:"1" doc:"ε of each round's Gaussian mechanism"`
	Delta   float64 `yaml:"delta" default:"1e-5" doc:"δ of each round's Gaussian mechanism"`
	NoiseSwitch
}

// Check reports parameters out of range.
func (p DPADMM) Check(report func(field, problem string)) {
	ADMM{p.Eta}.Check(report)
	if p.Step > 0 && p.Step != parameter.Auto && !inRange(p.Step) {
		report("step", rangeOf(p.Step))
	}
	if !(p.Step > 0) {
		report("step", fmt.Sprintf("must be positive, is %v", p.Step))
	}
	if !(p.Epsilon > 0) {
		report("epsilon", fmt.Sprintf("must be positive, is %v", p.Epsilon))
	}
	if !(p.Delta > 0 && p.Delta < 1) {
		report("delta", fmt.Sprintf("must be between 0 and 1, is %v", p.Delta))
	}
}

// Loosen scales ε.
func (p DPADMM) Loosen(c float64) any { p.Epsilon *= c; return &p }

type dpADMM struct {
	DPADMM
	Setting
}

// ridge is r + η + 1/s_k, the curvature of round k's approximate objective.
func (m *dpADMM) ridge(i, k int) float64 {
	return m.Problem.R[i] + m.Eta + sqrtK(k)/m.Step
}

// sensitivity is Δ_k = 2C/(B_i(r + η + 1/s_k)), how far one row moves an iterate.
func (m *dpADMM) sensitivity(i, k int) float64 {
	return 2 * m.Problem.C / (samples(m.Problem, i) * m.ridge(i, k))
}

// sigma is the Gaussian mechanism's σ_k = Δ_k √(2 ln(1.25/δ))/ε.
func (m *dpADMM) sigma(i, k int) float64 {
	return m.sensitivity(i, k) * math.Sqrt(2*num.Log(1.25/m.Delta)) / m.Epsilon
}

// Update is w = argmin ⟨∇ℓ(w̃), w⟩ + (r/2)‖w‖² − ⟨γ, w − w̄⟩ + (η/2)‖w − w̄‖² +
// ‖w − w̃‖²/(2s_k), in closed form, plus N(0, σ_k² I); w̄ is the hub's.
func (m *dpADMM) Update(n *Node, k int) error {
	n.Gradient(n.F, n.Q) // with the ridge's r w̃, which is taken off again
	r, pull, stay := m.Problem.R[n.ID], m.Eta, sqrtK(k)/m.Step
	hub := n.Heard[0]
	scale := 1 / m.ridge(n.ID, k)
	for j, f := range n.F {
		data := n.Q[j] - float64(r*f)
		n.F[j] = scale * (float64(pull*hub[j]) + float64(stay*f) + n.Dual[j] - data)
	}
	if !m.off() {
		num.Axpy(1, n.perturbNormally(k, m.sigma(n.ID, k)), n.F)
	}
	return nil
}

// NodeDual says that γ_i is one a node.
func (m *dpADMM) NodeDual() {}

// Dual is γ ← γ − η(w̃ − w̄).
func (m *dpADMM) Dual(n *Node, _ int) { m.dual(n.Dual, n.F, n.Heard[0]) }

func (m *dpADMM) dual(gamma, client, hub []float64) {
	for j, f := range client {
		gamma[j] -= float64(m.Eta * (f - hub[j]))
	}
}

// Merge is w̄ = mean_i(w̃_i − γ_i/η). The hub follows the clients' duals, which
// start at zero and depend on what it has seen, so they are not sent. Without
// lockstep it moves the duals of the clients that it has heard anew, which is not
// quite what those did.
func (m *dpADMM) Merge(h *Node, _ int) {
	d, n := len(h.F), float64(len(h.Heard))
	if h.Memory == nil {
		h.Memory = make([]float64, len(h.Heard)*d)
	}
	clear(h.F)
	for i, f := range h.Heard {
		num.Axpy(1/n, f, h.F)
		num.Axpy(-1/(n*m.Eta), h.Memory[i*d:(i+1)*d], h.F)
	}
	for i, f := range h.Heard {
		if h.Fresh != nil && !h.Fresh[i] {
			continue
		}
		m.dual(h.Memory[i*d:(i+1)*d], f, h.F)
	}
}

// Explicit says that a step is a closed form.
func (m *dpADMM) Explicit() {}

func (m *dpADMM) Guarantee() string {
	return "(ε, δ)-differential privacy of a row over the whole run, Gaussian mechanisms composed by Rényi " +
		"accounting (Huang et al. 2018 with the moments accountant)"
}

func (m *dpADMM) Established() error {
	if m.off() {
		return errNoNoise
	}
	return Shielded(m.Problem)
}

func (m *dpADMM) Account(l *privacy.Ledger) {
	for i := range m.Problem.Shards {
		for k := 1; k <= m.Rounds; k++ {
			l.Spend(i, k, privacy.Sample, privacy.GaussianDP{Sensitivity: m.sensitivity(i, k), Sigma: m.sigma(i, k)})
		}
	}
}

func init() {
	register(&Entry{
		Name:   "dp-admm",
		Smooth: stepsAlong,
		Title:  "first-order ADMM around a hub, with Gaussian noise",
		Paper: "Huang, Hu, Guo, Chan-Tin & Gong, DP-ADMM: ADMM-Based Distributed Learning with Differential Privacy, " +
			"IEEE TIFS 2019",
		About: `A star: node 0 is the hub and has no data. Client i in round k, with s_k = s₀/√k:
  w = argmin ⟨∇ℓ(w̃), w⟩ + (r/2)‖w‖² − ⟨γ, w − w̄⟩ + (η/2)‖w − w̄‖² + ‖w − w̃‖²/(2s_k)
  w̃ ← w + N(0, σ_k² I), σ_k = Δ_k √(2 ln(1.25/δ))/ε, Δ_k = 2C/(B(r + η + 1/s_k));  send w̃
  hub: w̄ ← mean(w̃ − γ/η);  client: γ ← γ − η(w̃ − w̄)
ε and δ are of one round; the run's (ε, δ) is composed by Rényi divergence and by zCDP.
Condition: |L′| ≤ 1 and rows of norm at most 1.`,
		Star:   true,
		Active: standsInStep,
		Params: func() any { return new(DPADMM) },
		New: func(params any, s Setting) (Method, error) {
			return &dpADMM{*params.(*DPADMM), s}, nil
		},
	})
}

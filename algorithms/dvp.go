// ADMM with a perturbed dual variable.

package algorithms

import (
	"fmt"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/privacy"
	"overhear/problem"
)

// DVP is dual variable perturbation, ZZ16 Algorithm 2.
type DVP struct {
	ADMM
	Alpha       parameter.Schedule `yaml:"alpha" default:"1" doc:"privacy budget α > 0 of each node and round"`
	Calibration string             `yaml:"calibration" default:"proof" enum:"proof,listing" doc:"noise rate ζ: proof has α̂/2, as the proof of ZZ16 Theorem 1 needs; listing has α̂, as its Algorithm 2 is printed"`
	NoiseSwitch
}

// Check reports parameters out of range.
func (p DVP) Check(report func(field, problem string)) {
	p.ADMM.Check(report)
	checkSchedule(report, "alpha", p.Alpha)
}

// Loosen scales α.
func (p DVP) Loosen(c float64) any { p.Alpha = p.Alpha.Times(c); return &p }

type dvp struct {
	DVP
	Setting
}

// calibrate returns the ridge Φ and the noise rate ζ of a node and round.
func (m dvp) calibrate(i, t int) (phi, zeta float64) {
	p := m.Problem
	alpha := m.Alpha.At(i, t)
	c1 := p.Loss.Bound()
	size := samples(p, i) / p.C
	ridge := p.R[i] + float64(2*m.Eta*float64(m.Graph.Degree(i)))
	left := alpha - float64(2*num.Log(1+c1/float64(size*ridge)))
	if left <= 0 {
		phi = c1/float64(size*(num.Exp(alpha/4)-1)) - ridge
		left = alpha / 2
	}
	if m.Calibration == "listing" {
		return phi, left
	}
	return phi, left / 2
}

// Update is ADMM's primal step with μ = λ + (C/2B)ε for λ, and the ridge Φ.
func (m dvp) Update(n *Node, t int) error {
	n.Pull(m.Eta)
	kappa := float64(2 * m.Eta * float64(n.Degree()))
	if !m.off() {
		phi, zeta := m.calibrate(n.ID, t)
		num.Axpy(m.Problem.C/samples(m.Problem, n.ID), n.perturb(t, zeta), n.Q)
		kappa += phi
	}
	return n.Minimise(kappa)
}

func (m dvp) Guarantee() string {
	return "α-differential privacy of a row in each round (ZZ16 Theorem 1), summed over rounds"
}

func (m dvp) Established() error {
	if m.off() {
		return errNoNoise
	}
	return shielded(m.Problem)
}

func (m dvp) Account(l *privacy.Ledger) { accountSchedule(l, &m.Alpha, m.Setting) }

// accountSchedule enters a budget that is spent by every node in every round.
func accountSchedule(l *privacy.Ledger, alpha *parameter.Schedule, s Setting) {
	for i := range s.Problem.Shards {
		for t := 1; t <= s.Rounds; t++ {
			l.Spend(i, t, privacy.Sample, privacy.PureDP{Epsilon: alpha.At(i, t)})
		}
	}
}

// PVP is primal variable perturbation: what a node publishes is its exact
// iterate plus noise.
type PVP struct {
	ADMM
	Alpha parameter.Schedule `yaml:"alpha" default:"1" doc:"privacy budget α > 0 of each node and round"`
	NoiseSwitch
}

// Check reports parameters out of range.
func (p PVP) Check(report func(field, problem string)) {
	p.ADMM.Check(report)
	checkSchedule(report, "alpha", p.Alpha)
}

// Loosen scales α.
func (p PVP) Loosen(c float64) any { p.Alpha = p.Alpha.Times(c); return &p }

type pvp struct {
	PVP
	Setting
}

// Update is ADMM's primal step, then noise on the iterate. One row moves the
// minimiser of an (r + 2ηV)-strongly convex objective by at most
// 2C/(B(r + 2ηV)), whence the rate.
func (m pvp) Update(n *Node, t int) error {
	kappa := float64(2 * m.Eta * float64(n.Degree()))
	n.Pull(m.Eta)
	if err := n.Minimise(kappa); err != nil || m.off() {
		return err
	}
	p := m.Problem
	rate := float64(m.Alpha.At(n.ID, t)*samples(p, n.ID)/(2*p.C)) * (p.R[n.ID] + kappa)
	num.Axpy(1, n.perturb(t, rate), n.F)
	return nil
}

func (m pvp) Guarantee() string {
	return "α-differential privacy of a row in each round (sensitivity of the minimiser), summed over rounds"
}

func (m pvp) Established() error {
	if m.off() {
		return errNoNoise
	}
	return shielded(m.Problem)
}

func (m pvp) Account(l *privacy.Ledger) { accountSchedule(l, &m.Alpha, m.Setting) }

func init() {
	register(&Entry{
		Name:  "dvp",
		Title: "dual variable perturbation",
		Paper: "Zhang & Zhu, Dynamic Differential Privacy for ADMM-Based Distributed Classification Learning, 2016, " +
			"Algorithm 2",
		About: `Conventional ADMM whose primal step sees a noisy dual, μ = λ + (C/2B)ε:
  f(t+1) = argmin (C/B) Σ L(y f·x) + ½(r + Φ + 2ηV)‖f‖² + (2λ(t) + (C/B)ε − η(V f(t) + s(t)))·f
  ε has density ∝ exp(−ζ‖ε‖); send f(t+1)
  λ(t+1) = λ(t) + (η/2)(V f(t+1) − s(t+1))
For budget α: α̂ = α − 2 ln(1 + c₁/((B/C)(r + 2ηV))) and Φ = 0 if that is positive, else
Φ = c₁/((B/C)(e^{α/4} − 1)) − r − 2ηV and α̂ = α/2. ζ = α̂/2 (calibration: proof).
The printed algorithm has ζ = α̂ (calibration: listing), which the proof does not support.
Claims α per node and round (one row's change); over rounds the sum of α.
Condition: |L′| ≤ 1 and rows of norm at most 1. Solves are exact to solver.tolerance.`,
		Params: func() any { return new(DVP) },
		New: func(params any, s Setting) (Method, error) {
			p := *params.(*DVP)
			return dvp{p, s}, fits(s.Graph.Order(), map[string]*parameter.Schedule{"alpha": &p.Alpha})
		},
	})
	register(&Entry{
		Name:  "pvp",
		Title: "primal variable perturbation",
		Paper: "Zhang & Zhu, IEEE TIFS 2017, as cited by Zhang, Khalili & Liu (2018, 2019)",
		About: `Conventional ADMM on what nodes publish, v = f + ε:
  f(t+1) = argmin (C/B) Σ L(y f·x) + ½(r + 2ηV)‖f‖² + (2λ(t) − η(V v(t) + Σ v_j(t)))·f
  v(t+1) = f(t+1) + ε(t+1), ε of density ∝ exp(−ζ‖ε‖), ζ = α (B/2C)(r + 2ηV); send v(t+1)
  λ(t+1) = λ(t) + (η/2)(V v(t+1) − Σ v_j(t+1))
Claims α per node and round (one row's change); over rounds the sum of α.
Condition: |L′| ≤ 1 and rows of norm at most 1.`,
		Params: func() any { return new(PVP) },
		New: func(params any, s Setting) (Method, error) {
			p := *params.(*PVP)
			return pvp{p, s}, fits(s.Graph.Order(), map[string]*parameter.Schedule{"alpha": &p.Alpha})
		},
	})
}

var _ = []Private{dvp{}, pvp{}}

// curvature is 1.4 c₁, the share of a bound that noise does not change
// (ZKL18 Theorem 4.1, RA19 Theorem 2).
func curvature(p *problem.Problem) float64 { return float64(1.4 * p.Loss.Bound()) }

// dominated checks 2c₁ < (B/C)·ridge(i) at every node: ZKL18 Theorem 4.1,
// RA19 Theorem 2.
func dominated(p *problem.Problem, ridge func(i int) float64, symbols string) error {
	for i := range p.Shards {
		have := samples(p, i) / p.C * ridge(i)
		if need := 2 * p.Loss.Bound(); !(need < have) {
			return fmt.Errorf("the proof needs 2c₁ < (B/C)(%s) at every node; at node %d 2c₁ is %.4g and the right "+
				"side %.4g: more rows a node or a greater penalty would do",
				symbols, i, need, have)
		}
	}
	return nil
}

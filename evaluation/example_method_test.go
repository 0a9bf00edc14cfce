// A new private method in its two parts, and the audit of its claim: ADMM whose nodes
// publish their iterate with Gaussian noise.

package evaluation_test

import (
	"context"
	"errors"
	"fmt"

	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/evaluation"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/problem"
	"overhear/scenarios"
)

// Part one, the behaviour, would be algorithms/gaussian_admm.go.

// GaussianADMM are the parameters: those of ADMM and one more.
type GaussianADMM struct {
	algorithms.ADMM
	Sigma float64 `yaml:"sigma" default:"1" doc:"standard deviation σ > 0 of the noise on each number"`
}

// Check reports parameters out of range.
func (p GaussianADMM) Check(report func(field, problem string)) {
	p.ADMM.Check(report)
	if !(p.Sigma > 0) {
		report("sigma", fmt.Sprintf("must be positive, is %v", p.Sigma))
	}
}

// gaussianADMM is the method in a run.
type gaussianADMM struct {
	GaussianADMM
	algorithms.Setting
}

// Update is ADMM's primal step plus N(0, σ²I). What it leaves in n.F is published.
func (m *gaussianADMM) Update(n *algorithms.Node, t int) error {
	if err := m.ADMM.Update(n, t); err != nil {
		return err
	}
	privacy.Gaussian(n.Stream("noise", t), m.Sigma, n.Room)
	num.Axpy(1, n.Room, n.F)
	return nil
}

func (m *gaussianADMM) Guarantee() string {
	return "(ε, δ)-differential privacy of a row over the run: Gaussian mechanisms on exact minimisers, composed"
}

// Established checks what the sensitivity rests on; problem.scale.rows: clip, the
// default, sees to the rows.
func (m *gaussianADMM) Established() error {
	if m.Problem.Loss == problem.Squared {
		return errors.New("the claim needs a loss with |L′| ≤ 1")
	}
	return nil
}

// Account enters a Gaussian mechanism for every node and round. One row moves the
// minimiser of an (r + 2ηV)-strongly convex objective by at most 2C/(B(r + 2ηV)).
func (m *gaussianADMM) Account(l *privacy.Ledger) {
	p := m.Problem
	for i := range p.Shards {
		strength := p.R[i] + 2*m.Eta*float64(m.Graph.Degree(i))
		moves := 2 * p.C / (float64(len(p.Shards[i].Y)) * strength)
		for t := 1; t <= m.Rounds; t++ {
			l.Spend(i, t, privacy.Sample, privacy.GaussianDP{Sensitivity: moves, Sigma: m.Sigma})
		}
	}
}

func init() {
	algorithms.Register(&algorithms.Entry{
		Name: "gaussian-admm", Title: "ADMM with Gaussian noise on the iterate", Paper: "this example",
		About:  "Conventional ADMM whose nodes publish, and use, f + N(0, σ²I).",
		Params: func() any { return new(GaussianADMM) },
		New: func(params any, s algorithms.Setting) (algorithms.Method, error) {
			return &gaussianADMM{*params.(*GaussianADMM), s}, nil
		},
	})
}

// Part two, the model, would be adversary/model/gaussian_admm.go. It says the same again
// from the formulas, and imports no method, so that an error in one part is not in both.

// gaussianModel has the parameters, under the same keys.
type gaussianModel struct {
	Eta   float64 `yaml:"eta" secret:"penalty"`
	Sigma float64 `yaml:"sigma"`
}

// Noisy says that the method perturbs what it publishes.
func (m *gaussianModel) Noisy() bool { return true }

// Step is ADMM's step with noise on its minimiser. Noise is given as the linear term ν
// of the objective that has the same effect to first order: ν = (r + 2ηV)ε. What is Drawn is ε itself, to the last bit,
// by which the audit computes every message again.
func (m *gaussianModel) Step(p *model.Public, node, _, _ int) model.Step {
	strength := p.R[node] + 2*m.Eta*float64(p.Graph.Degree(node))
	return model.Step{
		Eta: m.Eta, Theta: m.Eta,
		Noise: model.Noise{Kind: model.Gaussian, Level: m.Sigma * strength}, Place: model.OnOutput,
		Drawn: model.Noise{Kind: model.Gaussian, Level: m.Sigma},
	}
}

func init() {
	model.Register(&model.Entry{Name: "gaussian-admm", Model: func() model.Method { return new(gaussianModel) }})
}

// halved adds noise half as large as the method's model and claim say.
type halved struct{ *gaussianADMM }

func (m halved) Update(n *algorithms.Node, t int) error {
	half := *m.gaussianADMM
	half.Sigma /= 2
	return half.Update(n, t)
}

// boasting claims what noise four times as large would give.
type boasting struct{ *gaussianADMM }

func (m boasting) Account(l *privacy.Ledger) {
	more := *m.gaussianADMM
	more.Sigma *= 4
	more.Account(l)
}

// The audit judges the claim of the new method. It finds out an implementation whose
// noise is too small, and refutes a claim that is too strong.
func Example_newMethod() {
	s, err := scenarios.Parse("example.yaml", []byte(`name: example
problem: {data: {set: wdbc}, train: 45, rho: 0.1}
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 3}
algorithm: {kind: gaussian-admm, eta: 0.1, sigma: 0.2}
adversary: {audit: {runs: 150, pilots: 3}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range []struct {
		name string
		made func(m *gaussianADMM) algorithms.Method
	}{
		{"as above", func(m *gaussianADMM) algorithms.Method { return m }},
		{"half the noise", func(m *gaussianADMM) algorithms.Method { return halved{m} }},
		{"a claim too strong", func(m *gaussianADMM) algorithms.Method { return boasting{m} }},
	} {
		e := experiment.New(s, "")
		entry := *e.Entry
		entry.New = func(params any, s algorithms.Setting) (algorithms.Method, error) {
			return c.made(&gaussianADMM{*params.(*GaussianADMM), s}), nil
		}
		e.Entry = &entry
		a, err := evaluation.Audit(context.Background(), e, evaluation.AuditOptions{Workers: 2})
		if err != nil {
			fmt.Println(err)
			return
		}
		run := a.Verdicts[1] // over the whole run
		fmt.Printf("%s: %s: claimed ε %.1f, measured %.1f\n", c.name, run.Verdict, float64(run.Epsilon),
			float64(run.Measured))
		for _, check := range a.Checks {
			if !check.Holds {
				fmt.Println(" check fails:", check.Kind)
			}
		}
	}
	// Output:
	// as above: CONSISTENT: claimed ε 15.3, measured 5.4
	// half the noise: NOT ESTABLISHED: claimed ε 15.3, measured 2.0
	//  check fails: noise-from-stream
	//  check fails: steps-repeat
	//  check fails: noise-size
	//  check fails: noise-spread
	//  check fails: noise-law
	//  check fails: sizes-independent
	//  check fails: ratios-calibrated
	// a claim too strong: VIOLATED: claimed ε 3.0, measured 5.4
	//  check fails: claim-of-noise
}

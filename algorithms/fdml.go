// Stochastic gradient descent over split columns.

package algorithms

import (
	"fmt"
	"math"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/privacy"
	"overhear/sim"
)

// FDML is the mini-batch method of Hu, Niu, Yang & Zhou 2019, the baseline of
// SH19.
type FDML struct {
	Step  float64 `yaml:"step" default:"auto" doc:"first step size a₀ > 0; auto: computed from the problem"`
	Decay string  `yaml:"decay" default:"sqrt" enum:"sqrt,none" doc:"step of round t: sqrt: a₀/√t; none: a₀"`
	Batch int     `yaml:"batch" default:"100" doc:"rows of a mini-batch; a round is one of them"`
	Sigma float64 `yaml:"sigma" default:"0" doc:"standard deviation of noise on the margins that parties send; 0: none"`
	Loss  string  `yaml:"loss" default:"mean" enum:"mean,sum" doc:"weight of a row's loss: 1/N or 1"`
}

// Check reports parameters out of range.
func (p FDML) Check(report func(field, problem string)) {
	if p.Step > 0 && p.Step != parameter.Auto && !inRange(p.Step) {
		report("step", rangeOf(p.Step))
	}
	if !(p.Step > 0) {
		report("step", fmt.Sprintf("must be positive, is %v", p.Step))
	}
	if p.Batch < 1 {
		report("batch", fmt.Sprintf("must be at least 1, is %d", p.Batch))
	}
	if !(p.Sigma >= 0) {
		report("sigma", fmt.Sprintf("must not be negative, is %v", p.Sigma))
	}
}

func (p FDML) off() bool { return p.Sigma == 0 }

// WeightOfRow is c, the key "loss".
func (p FDML) WeightOfRow() string { return p.Loss }

type fdml struct {
	FDML
	Setting
}

// batch is the mini-batch of a round, rows in ascending order; hub and parties
// draw it from the same public stream.
func (m *fdml) batch(t int) []int {
	s := sim.NewStream(m.Seed, "batch", uint64(t))
	n, want := m.Split.N, min(m.Batch, m.Split.N)
	rows := make([]int, 0, want)
	for k := range n { // each row with the chance that keeps the count exact
		if s.IntN(n-k) < want-len(rows) {
			rows = append(rows, k)
		}
	}
	return rows
}

// Displaced is that of a step that stays, with gradients of some rows only.
func (m *fdml) Displaced() bool { return m.Decay != "sqrt" && m.Batch < m.Split.N }

// Warnings say that the step stays.
func (m *fdml) Warnings() []string {
	if !m.Displaced() {
		return nil
	}
	return []string{fmt.Sprintf("the step stays the same (algorithm.decay: none) and each gradient is of %d of %d "+
		"rows: the run wanders about the optimum and does not come to it; with a step that falls it does "+
		"(algorithm.decay: sqrt)", m.Batch, m.Split.N)}
}

// StartsAnywhere is so: steps along gradients keep nothing that goes with a start at zero.
func (m *fdml) StartsAnywhere() {}

// Start is empty: there is no gradient yet.
func (m *fdml) Start(*Hub) []float64 { return []float64{} }

// Answer takes a step along the last mini-batch's gradient, x ← x − a((1/N_b)
// D_Bᵀg + λx), and sends the margins D_B x of the next one.
func (m *fdml) Answer(p *Party, t int, hub []float64) ([]float64, error) {
	block := m.Split.Blocks[p.ID]
	if t > 1 {
		a := m.Step
		if m.Decay == "sqrt" {
			a /= sqrtK(t - 1)
		}
		scale := a * m.Split.Weight * float64(m.Split.N) / float64(len(hub))
		num.Scale(1-float64(a*m.Split.Ridge), p.X)
		for k, row := range m.batch(t - 1) {
			cols, vals := block.Row(row)
			g := scale * hub[k]
			for c, col := range cols {
				p.X[col] -= float64(g * vals[c])
			}
		}
	}
	rows := m.batch(t)
	margins := make([]float64, len(rows))
	for k, row := range rows {
		margins[k] = block.Dot(row, p.X)
	}
	if m.Sigma > 0 {
		noise := make([]float64, len(rows))
		privacy.Gaussian(p.Stream("noise", t), m.Sigma, noise)
		num.Axpy(1, noise, margins)
	}
	return margins, nil
}

// Merge sends g_n = Y_n L′(Y_n Σ_m p_mn − t_n), −Y σ(−Yp) for the logistic loss.
func (m *fdml) Merge(h *Hub, t int, sent [][]float64) ([]float64, error) {
	rows := m.batch(t)
	g := make([]float64, len(rows))
	z := make([]float64, len(rows))
	for _, p := range sent {
		num.Axpy(1, p, z)
	}
	for k, row := range rows {
		z[k] = float64(z[k] * m.Split.Y[row])
		if m.Split.Targets != nil {
			z[k] -= m.Split.Targets[row]
		}
	}
	m.Split.Loss.Slopes(g, z)
	for k, row := range rows {
		g[k] *= m.Split.Y[row]
	}
	h.Residual = math.NaN()
	return g, nil
}

// given has coefficients that do not depend on any message.
type given struct{ x [][]float64 }

// Start is empty.
func (m *given) Start(*Hub) []float64 { return []float64{} }

// Answer goes to the coefficients; it sends nothing.
func (m *given) Answer(p *Party, _ int, _ []float64) ([]float64, error) {
	copy(p.X, m.x[p.ID])
	return []float64{}, nil
}

// Merge sends nothing.
func (m *given) Merge(h *Hub, _ int, _ [][]float64) ([]float64, error) {
	h.Residual = math.NaN()
	return []float64{}, nil
}

func init() {
	register(&Entry{
		Name: "fdml-sgd", Title: "mini-batch gradient descent over split columns", Star: true, Over: Columns,
		Smooth: stepsAlong,
		Paper: "Hu, Niu, Yang & Zhou, FDML: A Collaborative Machine Learning Framework for Distributed Features, KDD " +
			"2019",
		About: `Split columns (problem.columns) on a star, node 0 the hub with the labels.
In a round, for a public random mini-batch of N_b rows:
  each party sends its margins p_m = D_m x_m of those rows (plus N(0, σ²) if sigma is given)
  the hub returns the N_b numbers g_n = −Y_n σ(−Y_n Σ_m p_mn)
  each party steps: x_m ← x_m − a_t((1/N_b) D_mᵀg + λ x_m)
An epoch is N/N_b rounds. Claims no privacy.`,
		Params: func() any { return new(FDML) },
		New: func(params any, s Setting) (Method, error) {
			return &fdml{*params.(*FDML), s}, nil
		},
	})
	const about = `Split columns (problem.columns) on a star, node 0 the hub with the labels; u = Σ_k p_k − z.
In a round:
  the hub sends u and y
  party m: (λI + ρD_mᵀD_m) x_m = −D_mᵀ(y + ρ(u/K − p_m)), factored once;  sends p_m = D_m x_m%s
  the hub: z_n = argmin l_n(z) − y_n z + (ρ/2K)(Σ p − z)²;  y ← y + (ρ/K)(Σ p − z)
K = 1 in the paper's form (jacobi), which diverges for three or more correlated parties and small ρ; K = M
in Boyd et al. 2011 §7.3's (averaged), which converges. A run that diverges is stopped.
The loss need not be convex (problem.loss: sigmoid, savage, welsch, geman-mcclure): then a run comes to a
stationary point, which need not be the optimum and depends on the start (init), and eta must be above
K c max(−L″), where the hub's step has one minimiser; above the bound of the descent it is proved.
`
	register(&Entry{
		Name: "admm-sharing", Title: "ADMM over split columns", Star: true, Over: Columns,
		Paper: "Hu, Liu, Kong & Niu, Learning Privately over Distributed Features: An ADMM Sharing Approach, 2019, " +
			"(5)-(8)",
		NonConvex: true, Theorems: ofSharing,
		About:  fmt.Sprintf(about, "") + "Claims no privacy.",
		Params: func() any { return new(Sharing) },
		New: func(params any, s Setting) (Method, error) {
			return newSharing(*params.(*Sharing), s)
		},
	})
	register(&Entry{
		Name: "private-admm-sharing", Title: "ADMM over split columns with noise", Star: true, Over: Columns,
		Paper:     "Hu, Liu, Kong & Niu 2019, Algorithm 1, (10), Theorem 1, Corollary 1",
		NonConvex: true, Theorems: ofSharing,
		About: fmt.Sprintf(about, " of the noisy x_m, or plus noise") +
			`noise: range is the paper's: x̃ = x + ξ, ξ ~ N(0, σ²(DᵀD)⁻¹), so that the noise lies inside
the column space of D; noise: ambient adds N(0, σ²I) to p.
σ = √(2 ln(1.25/δ)) 𝒞/ε, 𝒞 = (3/(d_m ρ))(λ + (1 + Mρ) b₁).
Claims (ε, δ) a round for ε ≤ 1 and norms at most b₁, and over T rounds ε′ = √(2T ln(1/δ′)) ε + Tε(e^ε − 1) with
Tδ + δ′ (Corollary 1). What lies inside a column space cannot hide which column space it is.`,
		Active: &Active{false, "Lemma 1 of SH19 bounds the z and y that the hub sends by b₁ (Assumption 1.1), and a " +
			"hub that lies need not keep to that"},
		Params: func() any { return new(PrivateSharing) },
		New: func(params any, s Setting) (Method, error) {
			p := params.(*PrivateSharing)
			exact, err := newSharing(p.Sharing, s)
			if err != nil {
				return nil, err
			}
			return &privateSharing{exact, *p}, nil
		},
	})
}

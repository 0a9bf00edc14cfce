// ADMM sharing, with and without noise.

package algorithms

import (
	"errors"
	"fmt"
	"math"

	"overhear/internal/num"
	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
	"overhear/theory"
)

// Sharing is ADMM sharing, SH19 (5)-(8), in the paper's form or with Boyd et al.
// 2011 §7.3's averaging.
type Sharing struct {
	Eta  float64 `yaml:"eta" default:"auto" doc:"penalty, ρ in the paper, > 0; auto: computed from the problem"`
	Form string  `yaml:"form" default:"jacobi" enum:"jacobi,averaged" doc:"jacobi: the paper's, whose parties step at once and may diverge; averaged: Boyd et al. 2011 §7.3, which converges"`
	Loss string  `yaml:"loss" default:"mean" enum:"mean,sum" doc:"weight of a row's loss: 1/N or 1"`
}

// Check reports a penalty that is not positive.
func (p Sharing) Check(report func(field, problem string)) {
	ADMM{p.Eta}.Check(report)
}

// WeightOfRow is c, the key "loss".
func (p Sharing) WeightOfRow() string { return p.Loss }

type sharing struct {
	Sharing
	Setting
	parties []*problem.PartySolver // factored once
	scratch *problem.HubScratch
}

func newSharing(p Sharing, s Setting) (*sharing, error) {
	m := &sharing{Sharing: p, Setting: s, scratch: problem.NewHubScratch(s.Split.N)}
	if least := m.share() * s.Split.Weight * problem.Concavity(s.Split.Loss); !(p.Eta > least) {
		return nil, fmt.Errorf("algorithm.eta must be above %.4g with this loss, which is not convex (problem.loss), "+
			"and is %v: up to there the hub's step may have several minimisers; above %.4g the method is proved to "+
			"come to a stationary point (eta: auto)", least, p.Eta, m.share()*m.conditions().Least())
	}
	for _, block := range s.Split.Blocks {
		m.parties = append(m.parties, problem.NewPartySolver(block, s.Split.Ridge, p.Eta).Bend(s.Split.NonSmooth))
	}
	return m, nil
}

// conditions are what its convergence depends on.
func (m *sharing) conditions() theory.Sharing { return theory.NewSharing(m.Split, m.Eta, m.share()) }

// Theorems is the descent of the augmented Lagrangian.
func (m *sharing) Theorems(int, int) []Theorem {
	d := m.conditions().Descent()
	return []Theorem{{Theorem: theory.SharingDescent, Holds: d.Applies, Reason: d.Reason, Factor: math.NaN()}}
}

// ofSharing are the theorems on it.
var ofSharing = []theory.Theorem{theory.SharingDescent}

// share is what M parties divide by: M in the averaged form.
func (m *sharing) share() float64 {
	if m.Form == "averaged" {
		return float64(len(m.Split.Blocks))
	}
	return 1
}

// Warnings name blocks whose columns depend on each other, and say where nothing is proved of a loss that is not
// convex.
func (m *sharing) Warnings() []string {
	var all []string
	if !problem.Convex(m.Split.Loss) {
		if d := m.conditions().Descent(); !d.Applies {
			all = append(all, "the loss is not convex, and nothing is proved of where the run ends: the "+
				theory.SharingDescent.Name+" "+d.Reason)
		}
	}
	for k, p := range m.parties {
		if d := p.Deficient(); d > 0 {
			all = append(all, fmt.Sprintf("party %d: %d of its %d columns depend on the others, so that DᵀD is "+
				"singular; without a ridge the step is a basic solution, and noise of covariance (DᵀD)⁻¹ uses the "+
				"pseudo-inverse", k+1, d, m.Split.Blocks[k].D))
		}
	}
	return all
}

// Diverges names the parties' steps at once, which the averaged form damps.
func (m *sharing) Diverges() string {
	if m.Form == "averaged" {
		return "Take a greater eta"
	}
	return "Parties that step at once overshoot when their columns are correlated and the penalty is small: take " +
		"form: averaged, or a greater eta"
}

// StartsAnywhere says that parties may start at random coefficients: with z = Σ_m D_m x_m at the start u is zero there.
func (m *sharing) StartsAnywhere() {}

// Start is (u, y) = 0.
func (m *sharing) Start(*Hub) []float64 { return make([]float64, 2*m.Split.N) }

// Answer is the party's step: (λI + ρDᵀD) x = −Dᵀ(y + ρ(u/M − p)), with M = 1 in
// the paper's form, SH19 (6), or the minimiser in X_m and with h; it sends p = D x.
func (m *sharing) Answer(p *Party, _ int, hub []float64) ([]float64, error) {
	n := m.Split.N
	if p.Memory == nil {
		p.Memory = make([]float64, n)
		m.parties[p.ID].Times(p.X, p.Memory)
	}
	u, y := hub[:n], hub[n:]
	v := make([]float64, n)
	over := 1 / m.share()
	for k := range v {
		v[k] = y[k] + float64(m.Eta*(float64(over*u[k])-p.Memory[k]))
	}
	m.parties[p.ID].Step(v, p.X)
	p.Residual = m.parties[p.ID].Residual(v, p.X)
	m.parties[p.ID].Times(p.X, v)
	p.Memory = append(p.Memory[:0], v...)
	return v, nil
}

// Merge is the hub's step: z_n = argmin l_n(z) − y_n z + (ρ/2M)(Σp − z)², y ← y +
// (ρ/M)(Σp − z), SH19 (7), (8); it sends (Σp − z, y).
func (m *sharing) Merge(h *Hub, _ int, sent [][]float64) ([]float64, error) {
	n := m.Split.N
	h.add(sent)
	rho := m.Eta / m.share()
	h.Residual = problem.HubStep(h.Z, h.Y, h.Sum, m.Split.Y, m.Split.Targets, rho, m.Split.Weight, m.Split.Loss,
		m.scratch)
	message := make([]float64, 2*n)
	for k, p := range h.Sum {
		gap := p - h.Z[k]
		h.Y[k] += float64(rho * gap)
		message[k], message[n+k] = gap, h.Y[k]
	}
	return message, nil
}

// Recover takes up the dual, which is half of the message; z is computed anew from the
// answers to come.
func (m *sharing) Recover(h *Hub, message []float64) { copy(h.Y, message[m.Split.N:]) }

// PrivateSharing is SH19 Algorithm 1 with its noise (10), or with noise that
// covers the whole space.
type PrivateSharing struct {
	Sharing
	Epsilon float64 `yaml:"epsilon" default:"1" doc:"ε of each round, at most 1 for the paper's theorem"`
	Delta   float64 `yaml:"delta" default:"1e-5" doc:"δ of each round"`
	Slack   float64 `yaml:"slack" default:"1e-5" doc:"δ′ of the composition over rounds"`
	Bound   float64 `yaml:"bound" default:"1" doc:"b₁: bound on a party's coefficients ‖x_m‖ and on the other quantities the theorem bounds"`
	Sigma   float64 `yaml:"sigma" doc:"standard deviation of the noise, instead of the one for ε and δ"`
	Cover   string  `yaml:"noise" default:"range" enum:"range,ambient,off" doc:"range: the paper's, D ξ with ξ ~ N(0, σ²(DᵀD)⁻¹), inside the column space of D; ambient: N(0, σ²I) on D x; off: none"`
}

func (p PrivateSharing) off() bool { return p.Cover == "off" }

// Check reports parameters out of range.
func (p PrivateSharing) Check(report func(field, problem string)) {
	p.Sharing.Check(report)
	for _, c := range []struct {
		key string
		v   float64
		ok  bool
	}{{"epsilon", p.Epsilon, p.Epsilon > 0}, {"delta", p.Delta, p.Delta > 0 && p.Delta < 1},
		{"slack", p.Slack, p.Slack > 0 && p.Slack < 1}, {"bound", p.Bound, p.Bound > 0},
		{"sigma", p.Sigma, p.Sigma >= 0}} {
		if !c.ok {
			report(c.key, fmt.Sprintf("is out of range: %v", c.v))
		}
	}
}

type privateSharing struct {
	*sharing
	PrivateSharing
}

// sensitivity is 𝒞 = (3/(d_m ρ))(λ c₁ + (1 + Mρ) b₁), SH19 Lemma 1, c₁ = 1 for the
// quadratic regulariser.
func (m *privateSharing) sensitivity(party int) float64 {
	p := m.sharing.Split
	d := float64(p.Blocks[party].D)
	parties := float64(len(p.Blocks))
	eta := m.sharing.Eta
	return 3 / (d * eta) * (p.Ridge + float64((1+float64(parties*eta))*m.Bound))
}

// sigma is √(2 ln(1.25/δ)) 𝒞/ε, SH19 Theorem 1.
func (m *privateSharing) sigma(party int) float64 {
	if m.Sigma > 0 {
		return m.Sigma
	}
	return math.Sqrt(2*num.Log(1.25/m.Delta)) * m.sensitivity(party) / m.Epsilon
}

// Answer adds noise to the party's step, SH19 (10); what is sent is what the party
// goes on with.
func (m *privateSharing) Answer(p *Party, t int, hub []float64) ([]float64, error) {
	v, err := m.sharing.Answer(p, t, hub)
	if err != nil || m.Cover == "off" {
		return v, err
	}
	step, s := m.parties[p.ID], p.Stream("noise", t)
	if m.Cover == "ambient" {
		noise := make([]float64, len(v))
		privacy.Gaussian(s, m.sigma(p.ID), noise)
		num.Axpy(1, noise, v)
	} else {
		xi := make([]float64, len(p.X))
		step.Range(s, m.sigma(p.ID), xi)
		num.Axpy(1, xi, p.X)
		step.Times(p.X, v)
	}
	p.Memory = append(p.Memory[:0], v...)
	return v, nil
}

func (m *privateSharing) Guarantee() string {
	if m.Cover == "ambient" {
		return "(ε, δ′)-differential privacy of one column of a party, changed by at most 1, by SH19 Lemma 1 and " +
			"zCDP; not of rows or labels"
	}
	return "(ε′, Tδ + δ′)-differential privacy of one column of a party, changed by at most 1 (SH19 Theorem 1, " +
		"Corollary 1); not of rows or labels"
}

// Established checks SH19 Assumption 1, but for norms that only a run shows, and ε ≤ 1.
func (m *privateSharing) Established() error {
	if m.Cover == "off" {
		return errNoNoise
	}
	if h := m.sharing.Split.NonSmooth; h != nil && (h.L1 > 0 || h.Group > 0) {
		regulariser := problem.NonSmooth{L1: h.L1, Group: h.Group} // a set is allowed
		return fmt.Errorf("by Assumption 1 the regulariser is twice differentiable, and with %s it has kinks",
			regulariser.Keys())
	}
	if e := m.perRound(); m.Cover == "range" && e > 1+1e-9 {
		return fmt.Errorf("the noise gives ε = %.4g a round, and Theorem 1 is for ε ≤ 1", e)
	}
	if _, delta := m.Composed(m.sharing.Rounds); delta >= 1 {
		return fmt.Errorf("the composed δ is %.4g, and one of 1 or more says nothing; take a smaller delta", delta)
	}
	for k, block := range m.sharing.Split.Blocks {
		for i := range block.Len() {
			if _, row := block.Row(i); math.Abs(num.Norm(row)-1) > 1e-9 {
				return fmt.Errorf("by Assumption 1 every row of every party's block has norm 1; row %d of party %d "+
					"has norm %.4g",
					i, k+1, num.Norm(row))
			}
		}
	}
	return nil
}

// lemma1 is what SH19 Lemma 1 assumes without a proof.
const lemma1 = "the sensitivity of Lemma 1 takes ‖(DᵀD)⁻¹‖ = 1/d, which rows of norm 1 do not imply"

// Unproved is of SH19 Lemma 1, on which every claim rests, however rounds are composed.
func (m *privateSharing) Unproved() error {
	switch m.Cover {
	case "off":
		return nil
	case "range":
		return errors.New(lemma1 + ", and Theorem 1 takes the noise to cover all directions (algorithm.noise)")
	}
	return errors.New(lemma1)
}

// Composition is zCDP where noise covers the whole space, which no theorem of the paper is about.
func (m *privateSharing) Composition() string {
	if m.Cover == "ambient" {
		return record.ByZCDP
	}
	return record.ByPaper
}

// Within checks the rest of SH19 Assumption 1.
func (m *privateSharing) Within(r Reached) error {
	switch {
	case !(r.Norm <= m.Bound):
		return fmt.Errorf("by Assumption 1 ‖x_m‖, ‖y‖ and ‖z‖ stay within b₁ = %v; one reached %.4g", m.Bound, r.Norm)
	case r.Boundary:
		return errors.New("the proof of Lemma 1 takes the gradient of a party's step to be zero, which it is inside " +
			"its set only; a step ended on the boundary (problem.set)")
	}
	return nil
}

// Diverges names the noise, too, where there is some.
func (m *privateSharing) Diverges() string {
	less := "a greater epsilon or delta, or a smaller bound"
	if m.Sigma > 0 {
		less = "a smaller sigma"
	}
	switch {
	case m.PrivateSharing.off():
		return m.sharing.Diverges()
	case m.sharing.Form == "averaged" && problem.Convex(m.sharing.Split.Loss):
		return "The noise does it, as without noise form: averaged converges: take less of it, " + less
	}
	return m.sharing.Diverges() + "; or the noise does it: take less of it, " + less
}

// Account enters Gaussian mechanisms of sensitivity 𝒞, SH19 Lemma 1.
func (m *privateSharing) Account(l *privacy.Ledger) {
	for k := range m.sharing.Split.Blocks {
		for t := 1; t <= m.sharing.Rounds && m.Cover != "off"; t++ {
			l.Spend(k, t, privacy.Column, privacy.GaussianDP{Sensitivity: m.sensitivity(k), Sigma: m.sigma(k)})
		}
	}
}

// perRound is the ε of a round of the party whose noise protects least, SH19
// Theorem 1.
func (m *privateSharing) perRound() float64 {
	worst := 0.0
	for k := range m.sharing.Split.Blocks {
		worst = max(worst, math.Sqrt(2*num.Log(1.25/m.Delta))*m.sensitivity(k)/m.sigma(k))
	}
	return worst
}

// Stated is what SH19 Theorem 1 says of one round.
func (m *privateSharing) Stated() (epsilon, delta float64) {
	if m.Sigma > 0 {
		return 0, m.Delta
	}
	return m.Epsilon, m.Delta
}

// Composed is SH19 (11): ε′ = √(2T ln(1/δ′)) ε + Tε(e^ε − 1), Tδ + δ′. Where sigma
// is given, ε is what that noise amounts to by Theorem 1. Noise that covers the
// whole space is Gaussian in every direction and composed by zCDP, at δ′:
// ρ + 2√(ρ ln(1/δ′)) with ρ = T𝒞²/2σ².
func (m *privateSharing) Composed(rounds int) (epsilon, delta float64) {
	worst, t := m.perRound(), float64(rounds)
	if m.Cover == "ambient" {
		for k := range m.sharing.Split.Blocks {
			c, s := m.sensitivity(k), m.sigma(k)
			rho := t * c * c / (2 * s * s)
			epsilon = max(epsilon, rho+float64(2*math.Sqrt(-rho*num.Log(m.Slack))))
		}
		return epsilon, m.Slack
	}
	advanced := float64(math.Sqrt(-2*t*num.Log(m.Slack)) * worst)
	return advanced + float64(t*worst*(num.Exp(worst)-1)), float64(t*m.Delta) + m.Slack
}

// Warnings add what is known to be wrong with the theorem.
func (m *privateSharing) Warnings() []string {
	all := m.sharing.Warnings()
	if m.Cover == "range" {
		all = append(all, "noise: range lies inside the column space of a party's block, so its messages give that "+
			"space away at any σ; Theorem 1 takes the noise to cover all directions (noise: ambient)")
	}
	if h := m.sharing.Split.NonSmooth; m.Cover != "off" && h != nil && !h.Set.All() {
		all = append(all, "Theorem 1 is stated for a party's step on a closed convex set, and the proof of Lemma 1 "+
			"takes the gradient there to be zero, which it is inside the set only (problem.set): where a party's step "+
			"ends on the boundary, nothing is proved")
	}
	if m.Cover != "off" {
		all = append(all, lemma1+"; take ε as the paper's claim, not as a bound")
	}
	return all
}

// ADMM that computes on data every other round only.

package algorithms

import (
	"errors"
	"fmt"
	"math"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/privacy"
	"overhear/theory"
)

// errVaryingTheta is why ZKL18's theorems do not apply.
var errVaryingTheta = errors.New("the theorems need one dual step θ for all nodes and rounds")

// errUnbounded is why theorems on convergence do not apply: their proofs need one bound for all rounds.
var errUnbounded = errors.New("the penalties grow without a bound (ratio above 1 and no max), and its proof needs " +
	"one bound for all rounds: eta: {…, max: …} gives one")

// Recycling is what the four methods of RA19 share.
type Recycling struct {
	Gamma float64 `yaml:"gamma" default:"0" doc:"weight γ ≥ 0 of staying at f in even rounds"`
}

// RADMM is R-ADMM, RA19 Algorithm 1.
type RADMM struct {
	ADMM
	Recycling
}

// MRADMM is MR-ADMM, RA19 Algorithm 2.
type MRADMM struct {
	Eta parameter.Schedule `yaml:"eta" default:"auto" doc:"penalty η_i(2k−1) > 0 of each node, the k-th for rounds 2k−1 and 2k, also the dual step; auto: computed from the problem"`
	Recycling
}

// Check reports parameters out of range.
func (p MRADMM) Check(report func(field, problem string)) {
	checkSteps(report, "eta", p.Eta)
	p.Recycling.Check(report)
}

// Check reports parameters out of range.
func (p RADMM) Check(report func(field, problem string)) {
	p.ADMM.Check(report)
	p.Recycling.Check(report)
}

// Check reports a negative weight.
func (p Recycling) Check(report func(field, problem string)) {
	if !(p.Gamma >= 0) {
		report("gamma", fmt.Sprintf("must not be negative, is %v", p.Gamma))
	}
}

// PrivateRADMM is private R-ADMM, RA19 Algorithm 3.
type PrivateRADMM struct {
	RADMM
	Alpha parameter.Schedule `yaml:"alpha" default:"1" doc:"noise rate α_i(k) > 0 of each node and odd round: less is more noise"`
	Perturbed
	NoiseSwitch
}

// Perturbed says where RA19's private methods have their noise, and of which law.
type Perturbed struct {
	Perturbation string `yaml:"perturbation" default:"objective" enum:"objective,output,gaussian" doc:"objective: a linear term of the objective, as in Algorithm 3; output: on the minimiser; gaussian: on the minimiser, Gaussian, composed by zCDP"`
}

// onOutput says that the noise is on the minimiser.
func (p Perturbed) onOutput() bool {
	return p.Perturbation == "output" || p.Perturbation == gaussianLaw
}

// Check reports parameters out of range.
func (p PrivateRADMM) Check(report func(field, problem string)) {
	p.RADMM.Check(report)
	checkSchedule(report, "alpha", p.Alpha)
}

// Loosen scales α.
func (p PrivateRADMM) Loosen(c float64) any { p.Alpha = p.Alpha.Times(c); return &p }

// PrivateMRADMM is private MR-ADMM, RA19 Algorithm 3.
type PrivateMRADMM struct {
	MRADMM
	Alpha parameter.Schedule `yaml:"alpha" default:"1" doc:"noise rate α_i(k) > 0 of each node and odd round: less is more noise"`
	Perturbed
	NoiseSwitch
}

// Check reports parameters out of range.
func (p PrivateMRADMM) Check(report func(field, problem string)) {
	p.MRADMM.Check(report)
	checkSchedule(report, "alpha", p.Alpha)
}

// Loosen scales α.
func (p PrivateMRADMM) Loosen(c float64) any { p.Alpha = p.Alpha.Times(c); return &p }

// recycled runs all four: round 2k−1 is the k-th that touches data.
type recycled struct {
	Setting
	eta   parameter.Schedule
	gamma float64
}

// use is k of round 2k−1 or 2k.
func use(t int) int { return (t + 1) / 2 }

// Idle says that even rounds touch no data.
func (m *recycled) Idle(t int) bool { return t%2 == 0 }

// Update is ADMM's primal step in odd rounds, RA19 (12) and (14), and a linear
// step along what was learned there in even ones, (10) and (16).
func (m *recycled) Update(n *Node, t int) error { return m.update(n, t, nil, nil) }

// update adds noise to the odd rounds' q, or to their minimiser. What an even round
// needs of the data, g = ∇O(f(2k−1)), is what the odd round's optimality condition
// leaves of what is published, noise included:
// −(2λ(2k−2) − η(V f(2k−2) + s(2k−2))) − 2ηV f(2k−1).
func (m *recycled) update(n *Node, t int, noise []float64, output func() []float64) error {
	eta := m.eta.At(n.ID, use(t))
	v := float64(n.Degree())
	kappa := float64(2 * eta * v)
	if t%2 == 0 {
		n.Disagreement(n.Q)
		for k, g := range n.Memory {
			step := g + float64(2*n.Dual[k]) + float64(eta*n.Q[k])
			n.F[k] -= step / (kappa + m.gamma)
		}
		return nil
	}
	n.Pull(eta)
	n.Memory = append(n.Memory[:0], n.Q...)
	if noise != nil {
		num.Axpy(1, noise, n.Q)
	}
	if err := n.Minimise(kappa); err != nil {
		return err
	}
	if output != nil {
		num.Axpy(1, output(), n.F)
	}
	for k, f := range n.F {
		n.Memory[k] = -n.Memory[k] - float64(kappa*f)
	}
	return nil
}

// Dual is ADMM's dual step in odd rounds, RA19 (13) and (15), and nothing in
// even ones.
func (m *recycled) Dual(n *Node, t int) {
	if t%2 == 1 {
		n.Ascend(m.eta.At(n.ID, use(t)))
	}
}

// NodeDual says that λ_i is one a node.
func (m *recycled) NodeDual() {}

// Theorems are the conditions of RA19 Theorem 1 for the last two odd rounds, after rounds in which no penalty falls and
// all nodes have one: each dual step keeps Σλ_i = 0 only then, and what it loses stays lost. It gives no rate.
func (m *recycled) Theorems(int, int) []Theorem {
	if m.eta.Unbounded() {
		return []Theorem{{Theorem: theory.RA19Theorem1, Factor: math.NaN(),
			Reason: "does not apply: " + errUnbounded.Error()}}
	}
	_, smooth := theory.Constants(m.Problem)
	last := use(m.Rounds)
	before := m.etas(1)
	for k := 1; k <= last; k++ {
		eta := m.etas(k)
		for i, v := range eta {
			reason := ""
			switch {
			case !(v >= before[i]):
				reason = fmt.Sprintf("the penalty of node %d falls, from %v to %v in use %d", i, before[i], v, k)
			case v != eta[0]:
				reason = fmt.Sprintf("in use %d node 0 has the penalty %v and node %d has %v, so that the duals do "+
					"not sum to zero from then on", k, eta[0], i, v)
			default:
				continue
			}
			return []Theorem{{Theorem: theory.RA19Theorem1, Factor: math.NaN(), Reason: "does not apply: " + reason}}
		}
		before = eta
	}
	for _, eta := range append(m.etas(max(last-1, 1)), m.etas(last)...) {
		if !inRange(eta) {
			return []Theorem{{Theorem: theory.RA19Theorem1, Factor: math.NaN(), Reason: fmt.Sprintf("does not apply: "+
				"with a penalty of %v its matrices are beyond what can be computed", eta)}}
		}
	}
	r := theory.RADMM(m.Graph, smooth, m.gamma, m.etas(max(last-1, 1)), m.etas(last))
	return []Theorem{{Theorem: theory.RA19Theorem1, Holds: r.Applies, Reason: r.Reason, Factor: math.NaN()}}
}

// etas are the k-th penalties, by node.
func (m *recycled) etas(k int) []float64 {
	eta := make([]float64, m.Graph.Order())
	for i := range eta {
		eta[i] = m.eta.At(i, k)
	}
	return eta
}

// Warnings name penalties that differ between nodes: the duals then do not sum
// to zero, and the nodes agree on another point than the optimum.
func (m *recycled) Warnings() []string {
	for k := 1; k <= use(m.Rounds); k++ {
		eta := m.etas(k)
		for i, v := range eta {
			if v != eta[0] {
				return []string{fmt.Sprintf("penalties differ between nodes (%v at node 0, %v at node %d, in use %d "+
					"of the penalty): the nodes will agree on a point that is not the centralised optimum", eta[0], v,
					i, k)}
			}
		}
	}
	return nil
}

// Displaced is that of penalties that differ.
func (m *recycled) Displaced() bool { return m.Warnings() != nil }

type privateRecycled struct {
	recycled
	alpha parameter.Schedule
	Perturbed
	NoiseSwitch
}

// Update adds ε, of density ∝ exp(−α_i(k)‖ε‖), to the odd rounds' objective; or adds to
// the minimiser what the ridge ρ/N + 2ηV makes of such an ε, or of one of N(0, 1/α² I).
func (m *privateRecycled) Update(n *Node, t int) error {
	if m.off() || t%2 == 0 {
		return m.update(n, t, nil, nil)
	}
	rate := m.alpha.At(n.ID, use(t))
	if !m.onOutput() {
		return m.update(n, t, n.perturb(t, rate), nil)
	}
	rate *= m.ridge(n.ID, use(t))
	return m.update(n, t, nil, func() []float64 {
		if m.Perturbation == gaussianLaw {
			return n.perturbNormally(t, 1/rate)
		}
		return n.perturb(t, rate)
	})
}

func (m *privateRecycled) Guarantee() string {
	switch m.Perturbation {
	case "output":
		return "β-differential privacy of a row over the whole run, β_i = Σ_k (2C/B_i)α_i(k): sensitivity of the odd " +
			"rounds' minimisers (RA19 §VII-B); even rounds cost nothing"
	case gaussianLaw:
		return "zero-concentrated differential privacy of a row over the whole run, ρ_i = Σ_k 2(Cα_i(k)/B_i)²: " +
			"Gaussian noise on the odd rounds' minimisers (RA19 §VII-B); even rounds cost nothing"
	}
	return "β-differential privacy of a row over the whole run, β_i = Σ_k (2C/B_i)(1.4c₁/(ρ/N + 2η_i(2k−1)V_i) + " +
		"α_i(k)) (RA19 Theorem 2, (32)); even rounds cost nothing"
}

// ridge is ρ/N + 2η_i(2k−1)V_i.
func (m *privateRecycled) ridge(i, k int) float64 {
	return m.Problem.R[i] + float64(2*m.eta.At(i, k)*float64(m.Graph.Degree(i)))
}

func (m *privateRecycled) Established() error {
	if m.off() {
		return errNoNoise
	}
	if err := Shielded(m.Problem); err != nil {
		return err
	}
	if m.onOutput() {
		return nil // that a minimiser moves little needs strong convexity only
	}
	// The theorem presupposes penalties that do not fall; where they do, the least
	// takes the first's place.
	return dominated(m.Problem, func(i int) float64 {
		return m.Problem.R[i] + float64(2*m.eta.Least(i, use(m.Rounds))*float64(m.Graph.Degree(i)))
	}, "ρ/N + 2η(1)V")
}

func (m *privateRecycled) Account(l *privacy.Ledger) {
	p := m.Problem
	for i := range p.Shards {
		for t := 1; t <= m.Rounds; t += 2 {
			alpha, ridge := m.alpha.At(i, use(t)), m.ridge(i, use(t))
			row := 2 * p.C / samples(p, i) // how far one row moves the gradient
			var spent privacy.Mechanism = privacy.PureDP{Epsilon: row * (curvature(p)/ridge + alpha)}
			switch m.Perturbation {
			case "output":
				spent = privacy.PureDP{Epsilon: row * alpha}
			case gaussianLaw:
				spent = privacy.GaussianDP{Sensitivity: row / ridge, Sigma: 1 / (alpha * ridge)}
			}
			l.Spend(i, t, privacy.Sample, spent)
		}
	}
}

// recyclesGradients is why RA19's methods need gradients.
const recyclesGradients = "even rounds follow the gradient of O_i (RA19 Assumption 1)"

const recyclingAbout = `Odd rounds 2k−1 are ADMM's, with penalty %[1]s:
  f(2k−1) = argmin (C/B) Σ L(y f·x) + ½(r + 2ηV)‖f‖² + (2λ(2k−2)%[2]s − η(V f(2k−2) + s(2k−2)))·f
  λ(2k−1) = λ(2k−2) + (η/2)(V f(2k−1) − s(2k−1))
Even rounds touch no data:
  f(2k) = f(2k−1) − (g + 2λ(2k−1) + η(V f(2k−1) − s(2k−1)))/(2ηV + γ),   λ(2k) = λ(2k−1)
  g, the gradient at f(2k−1)%[3]s, follows from the odd round's optimality condition.
`

var standsRecycled = &Active{true, "odd rounds are bounded given all messages before, whatever these are, with noise " +
	"in the objective as with noise on the minimiser; even rounds follow from messages, whoever sent " +
	"them, without data"}

const recyclingClaim = `ε has density ∝ exp(−α_i(k)‖ε‖). Claims over the run (32)
  β = max_i Σ_k (2C/B_i)(1.4c₁/(ρ/N + 2η_i(2k−1)V_i) + α_i(k))
Even rounds are free. Condition: 2c₁ < min_i (B_i/C)(ρ/N + 2η_i(1)V_i), |L′| ≤ 1, rows of norm at most 1.
With perturbation: output (RA19 §VII-B) the noise is on the minimiser, v(2k−1) = f(2k−1) + ε/(ρ/N + 2ηV), which
is sent and stands for f(2k−1) in what follows, and β = max_i Σ_k (2C/B_i) α_i(k), without the first condition.
With perturbation: gaussian ε is N(0, 1/α_i(k)² I) there; the run is (Σ_k 2(C α_i(k)/B_i)²)-zCDP.`

func init() {
	const paper = "Zhang, Khalili & Liu, Recycled ADMM: Improving the Privacy and Accuracy of Distributed " +
		"Algorithms, IEEE TIFS 2019, "
	register(&Entry{
		Name: "r-admm", Smooth: recyclesGradients, Title: "recycled ADMM",
		Paper: paper + "Algorithm 1",
		About: fmt.Sprintf(recyclingAbout, "η", "", "") + "Converges to the centralised optimum under Theorem 1's " +
			"conditions. Claims no privacy.",
		Theorems: []theory.Theorem{theory.RA19Theorem1},
		Params:   func() any { return new(RADMM) },
		New: func(params any, s Setting) (Method, error) {
			p := params.(*RADMM)
			return &recycled{s, parameter.Constant(p.Eta), p.Gamma}, nil
		},
	})
	register(&Entry{
		Name: "mr-admm", Smooth: recyclesGradients, Title: "recycled ADMM with varying private penalties",
		Paper: paper + "Algorithm 2, (14)-(17)",
		About: fmt.Sprintf(recyclingAbout, "η = η_i(2k−1)", "", "") +
			`With penalties that are equal over the nodes at each k it converges to the centralised optimum. With
penalties that differ, the duals do not sum to zero and the nodes agree on another point. Claims no privacy.`,
		Theorems: []theory.Theorem{theory.RA19Theorem1},
		Params:   func() any { return new(MRADMM) },
		New: func(params any, s Setting) (Method, error) {
			p := params.(*MRADMM)
			return &recycled{s, p.Eta, p.Gamma}, fits(s.Graph.Order(), map[string]*parameter.Schedule{"eta": &p.Eta})
		},
	})
	register(&Entry{
		Name: "private-r-admm", Smooth: recyclesGradients, Title: "recycled ADMM with noise",
		Paper:    paper + "Algorithm 3, Theorem 2",
		About:    fmt.Sprintf(recyclingAbout, "η", " + ε", " plus ε") + recyclingClaim,
		Theorems: []theory.Theorem{theory.RA19Theorem1},
		Active:   standsRecycled,
		Params:   func() any { return new(PrivateRADMM) },
		New: func(params any, s Setting) (Method, error) {
			p := params.(*PrivateRADMM)
			m := recycled{s, parameter.Constant(p.Eta), p.Gamma}
			return &privateRecycled{m, p.Alpha, p.Perturbed, p.NoiseSwitch},
				fits(s.Graph.Order(), map[string]*parameter.Schedule{"alpha": &p.Alpha})
		},
	})
	register(&Entry{
		Name: "private-mr-admm", Smooth: recyclesGradients,
		Title:    "recycled ADMM with varying private penalties and noise",
		Paper:    paper + "Algorithm 3, Theorem 2",
		About:    fmt.Sprintf(recyclingAbout, "η = η_i(2k−1)", " + ε", " plus ε") + recyclingClaim,
		Theorems: []theory.Theorem{theory.RA19Theorem1},
		Active:   standsRecycled,
		Params:   func() any { return new(PrivateMRADMM) },
		New: func(params any, s Setting) (Method, error) {
			p := params.(*PrivateMRADMM)
			return &privateRecycled{recycled{s, p.Eta, p.Gamma}, p.Alpha, p.Perturbed, p.NoiseSwitch},
				fits(s.Graph.Order(), map[string]*parameter.Schedule{"eta": &p.Eta, "alpha": &p.Alpha})
		},
	})
}

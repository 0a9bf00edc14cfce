// Learning from users who randomise their labels, by servers that perturb their
// objective and their iterates.

package algorithms

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/privacy"
	"overhear/problem"
	"overhear/sim"
	"overhear/theory"
)

// PDML is privacy-preserving distributed machine learning with heterogeneous
// privacy (PDML, both phases).
type PDML struct {
	ADMM
	Epsilon   parameter.Budgets  `yaml:"epsilon" default:"1" doc:"ε > 0 of the users' label flips, of all users or of each; a label is flipped with probability 1/(1+e^ε)"`
	Bound     float64            `yaml:"bound" default:"1" doc:"R ≥ 0: the objective noise is uniform in the ball of this radius, drawn once"`
	Norm      string             `yaml:"norm" default:"euclidean" enum:"euclidean,max" doc:"of the ball of the objective noise; max: every component is uniform between −R and R, so that its length may be R√d"`
	Deviation parameter.Schedule `yaml:"deviation" default:"1" doc:"v_i: standard deviation of the iterate's noise before decay"`
	Decay     float64            `yaml:"decay" default:"0.8" doc:"factor of that noise's variance from a round to the next, 0 < decay ≤ 1"`
	Radius    float64            `yaml:"radius" default:"0" doc:"published iterates are projected on the ball of this radius; 0: not"`
	Labels    string             `yaml:"labels" default:"randomised" enum:"randomised,true" doc:"true: users report their labels as they are, and the plain loss is used"`
	NoiseSwitch
}

// Check reports parameters out of range.
func (p PDML) Check(report func(field, problem string)) {
	p.ADMM.Check(report)
	checkSchedule(report, "deviation", p.Deviation)
	p.Epsilon.Check(func(field, problem string) {
		if field != "value" {
			problem = field + " " + problem
		}
		report("epsilon", problem)
	})
	for _, c := range []struct {
		key  string
		v    float64
		ok   bool
		want string
	}{
		{"bound", p.Bound, p.Bound >= 0, "at least 0"},
		{"decay", p.Decay, p.Decay > 0 && p.Decay <= 1, "above 0 and at most 1"},
		{"radius", p.Radius, p.Radius >= 0, "at least 0"},
	} {
		if !c.ok {
			report(c.key, fmt.Sprintf("must be %s, is %v", c.want, c.v))
		}
	}
}

type pdml struct {
	PDML
	Setting
}

// Report is (x, y′): the user's features and its randomised label, PDML (12); where users have ε of their own, (x, y′,
// ε), as the server's loss (19) depends on it.
func (m *pdml) Report(seed uint64, i, k int) []float64 {
	shard := &m.Problem.Shards[i]
	y := shard.Y[k]
	report := make([]float64, m.Problem.D+1, m.Problem.D+2)
	cols, vals := shard.U.Row(k)
	for c, col := range cols {
		report[col] = y * vals[c]
	}
	if m.Labels == "true" {
		report[m.Problem.D] = y
		return report
	}
	epsilon := m.Epsilon.At(m.Seed, i, k) // users are the same in all runs of an audit
	if sim.NewStream(seed, "label", uint64(i), uint64(k)).Float64() < privacy.FlipProbability(epsilon) {
		y = -y
	}
	report[m.Problem.D] = y
	if _, alike := m.Epsilon.Alike(); !alike {
		report = append(report, epsilon)
	}
	return report
}

// Budget is ε of the label of row k of server i; +Inf where users report labels as they are.
func (m *pdml) Budget(i, k int) float64 {
	if m.Labels == "true" {
		return math.Inf(1)
	}
	return m.Epsilon.At(m.Seed, i, k)
}

// debias is 1/(e^ε − 1), the weight of the loss (19)'s linear term.
func debias(epsilon float64) float64 { return 1 / num.Expm1(epsilon) }

// Collect makes the server's objective of the reports. The debiased loss (19) is
// ℓ̂(y′, z) = L(y′z) − y′z/(e^ε − 1): the loss of the reported labels and a linear
// term. Memory holds that term, then the objective noise, then w_i.
func (m *pdml) Collect(n *Node, reports [][]float64) {
	p := m.Problem
	d := p.D
	n.Memory = make([]float64, 3*d)
	u := m.objective(n, reports)
	n.solver = problem.NewSolver(&problem.Objective{U: u, Weight: p.C / float64(len(reports)), Loss: p.Loss,
		Ridge: p.R[n.ID], NonSmooth: p.NonSmooth}, n.solver.Tolerance())
}

// objective is what a server makes of the reports: the rows y′x, and the linear terms, in the node's Memory.
func (m *pdml) objective(n *Node, reports [][]float64) *problem.Rows {
	p := m.Problem
	d := p.D
	u := problem.NewRows(d)
	epsilon, alike := m.Epsilon.Alike()
	if m.Labels == "true" {
		epsilon, alike = math.Inf(1), true
	}
	var cols []int32
	var vals []float64
	for _, r := range reports {
		cols, vals = cols[:0], vals[:0]
		for k, x := range r[:d] {
			if x != 0 {
				cols, vals = append(cols, int32(k)), append(vals, r[d]*x)
			}
		}
		u.Append(cols, vals)
		pull := r[d]
		if !alike {
			pull *= debias(r[d+1])
		}
		num.Axpy(pull, r[:d], n.Memory[:d])
	}
	weight := p.C / float64(len(reports))
	linear := weight
	if alike {
		linear *= debias(epsilon)
	}
	num.Scale(-linear, n.Memory[:d])
	if !m.off() {
		draw := privacy.Ball
		if m.Norm == "max" {
			draw = privacy.Cube
		}
		draw(n.Stream("objective noise", 0), m.Bound, n.Memory[d:2*d])
		num.Scale(1/float64(m.Graph.Order()), n.Memory[d:2*d])
	}
	return u
}

// Limit is the optimum of Problem 3, (15), which has the reported labels and the noise η_i; without noise that of
// Problem 2.
func (m *pdml) Limit(seed uint64) ([]float64, error) {
	p, d := *m.Problem, m.Problem.D
	p.Shards = make([]problem.Shard, len(m.Problem.Shards))
	q := make([]float64, d)
	for i := range p.Shards {
		var reports [][]float64
		for k := range m.Problem.Shards[i].Y {
			reports = append(reports, m.Report(seed, i, k))
		}
		n := &Node{ID: i, Memory: make([]float64, 2*d), seed: seed}
		p.Shards[i] = problem.Shard{U: m.objective(n, reports)}
		for _, term := range [][]float64{n.Memory[:d], n.Memory[d:]} {
			num.Axpy(1/float64(len(p.Shards)), term, q)
		}
	}
	o, err := p.Tilted(q)
	if err != nil {
		return nil, fmt.Errorf("what the servers minimise: %w", err)
	}
	return o.F, nil
}

// Displaced is that of reports that are randomised, and of noise that is drawn once.
func (m *pdml) Displaced() bool { return m.Labels != "true" || !m.off() && m.Bound > 0 }

// bounded says why there may be no minimum of what the servers minimise: its linear terms outgrow a loss whose slope is
// bounded, unless a ridge or a set holds the model.
func (m *pdml) bounded() error {
	p := m.Problem
	held := slices.Max(p.R) > 0 || p.NonSmooth != nil && p.NonSmooth.Set.Bounded()
	if held || !problem.Bounded(p.Loss) || !m.Displaced() {
		return nil
	}
	return errors.New("randomised labels (algorithm.labels) and noise in the objective (algorithm.bound) add linear " +
		"terms to it, so that without a ridge it may fall without end as the model grows: give problem.rho a value " +
		"above 0, or take labels: true with bound: 0 or noise: off")
}

// Warnings say what the servers minimise instead of the objective.
func (m *pdml) Warnings() []string {
	var of []string
	if m.Labels != "true" {
		of = append(of, "of labels that users have randomised (algorithm.labels)")
	}
	if !m.off() && m.Bound > 0 {
		of = append(of, "with noise that is drawn once (algorithm.bound)")
	}
	if of == nil {
		return nil
	}
	return []string{"the servers minimise an objective " + strings.Join(of, " and ") + ": the limit is not the " +
		"optimum of the true labels, from which distances are measured"}
}

// sigma is the standard deviation of θ_i(t).
func (m *pdml) sigma(i, t int) float64 {
	if m.off() {
		return 0
	}
	return m.Deviation.At(i, t) * math.Sqrt(num.Power(m.Decay, t-1))
}

// Update is ADMM's primal step on J̃_i, (15)-(16), then w̃ = w + θ(t),
// θ(t) ~ N(0, decay^{t−1} v_i² I); only w̃ is sent and used.
func (m *pdml) Update(n *Node, t int) error {
	d := len(n.F)
	n.Pull(m.Eta)
	num.Axpy(1, n.Memory[:d], n.Q)
	num.Axpy(1, n.Memory[d:2*d], n.Q)
	if err := n.Minimise(2 * m.Eta * float64(n.Degree())); err != nil {
		return err
	}
	copy(n.Memory[2*d:], n.F)
	num.Axpy(1, n.perturbNormally(t, m.sigma(n.ID, t)), n.F)
	if norm := num.Norm(n.F); m.Radius > 0 && norm > m.Radius {
		num.Scale(m.Radius/norm, n.F)
	}
	return nil
}

// Inner is w_i(t), which stays with the server.
func (m *pdml) Inner(n *Node) []float64 {
	d := len(n.F)
	return append([]float64(nil), n.Memory[2*d:]...)
}

// Generalises is PDML Theorem 1 and Corollary 1, or Theorem 2 and Corollary 2 without the noise of Phase 2.
func (m *pdml) Generalises(rounds int, start []float64, delta float64) []Generalisation {
	l, err := m.learning(rounds, start, delta)
	averages, limit := theory.PDMLTheorem1, theory.PDMLCorollary1
	if m.off() {
		averages, limit = theory.PDMLTheorem2, theory.PDMLCorollary2
	}
	all := []Generalisation{{Theorem: averages, Averages: true}, {Theorem: limit}}
	if err == nil {
		all[0].Bound, err = l.Theorem1()
		all[1].Bound = l.Corollary1()
	}
	for k := range all {
		all[k].Given = l.Given(all[k].Bound.Drift > 0)
		if err != nil {
			all[k].Reason, all[k].Bound = err.Error(), theory.Excess{}
		}
	}
	return all
}

// Theorems are PDML Lemma 5, whose factor is that of the distance, the root of C.
func (m *pdml) Theorems(int, int) []Theorem {
	t := Theorem{Theorem: theory.PDMLLemma5, Factor: math.NaN()}
	l, err := m.learning(1, make([]float64, m.Graph.Order()), math.NaN())
	var c theory.Contraction
	if err == nil {
		c, err = l.Lemma5()
	}
	if err != nil {
		t.Reason = "does not apply: " + err.Error()
		return []Theorem{t}
	}
	t.Holds, t.Reason, t.Factor = true, "applies", math.Sqrt(c.C)
	return []Theorem{t}
}

// length is the greatest Euclidean norm of a server's objective noise, of d components.
func (p *PDML) length(d int) float64 {
	if p.Norm == "max" {
		return p.Bound * math.Sqrt(float64(d))
	}
	return p.Bound
}

// learning is what the theorems are told of the run; where it is without noise, so are R and θ.
func (m *pdml) learning(rounds int, start []float64, delta float64) (*theory.Learning, error) {
	p := m.Problem
	l := &theory.Learning{Graph: m.Graph, Ridge: p.R[0], Penalty: m.Eta, Start: start,
		Columns: p.D, Rounds: rounds, Failure: delta}
	if l.Epsilon = math.Inf(1); m.Labels != "true" {
		l.Epsilon, _ = m.Epsilon.Alike()
	}
	if !m.off() {
		l.Bound = m.length(p.D)
		l.Variance = func(i, t int) float64 { return m.sigma(i, t) * m.sigma(i, t) }
	}
	_, alike := m.Epsilon.Alike()
	for i := range p.Shards {
		u, squares := p.Shards[i].U, 0.0
		var own theory.Spreads
		for k := range u.Len() {
			_, row := u.Row(k)
			norm := num.Dot(row, row)
			squares += norm
			own.Add(m.Budget(i, k), norm)
		}
		l.Rows, l.Squares = append(l.Rows, u.Len()), append(l.Squares, squares)
		if !alike && m.Labels != "true" {
			l.Spreads = append(l.Spreads, own)
		}
	}
	_, l.Smooth = theory.Constants(p)
	if err := Shielded(p); err != nil {
		return l, err
	}
	switch {
	case p.Loss != problem.Logistic:
		return l, errors.New("it is computed for the logistic loss (problem.loss)")
	case p.C != 1:
		return l, fmt.Errorf("in it the loss has the weight 1 (problem.c), and here it has %v", p.C)
	case m.Radius > 0:
		return l, errors.New("in it iterates are not projected (algorithm.radius: 0)")
	}
	return l, l.Check()
}

// Guarantee is of what the flips and the noise of servers protect, each by itself.
func (m *pdml) Guarantee() string {
	const (
		label = "ε-local differential privacy of a user's label (randomised response, PDML Proposition 1)"
		row   = "of a row, what Gaussian noise on the minimiser of a strongly convex objective gives, by Rényi " +
			"accounting (the paper has no theorem for it)"
		clear = "users report their labels as they are (algorithm.labels)"
	)
	switch told := m.Labels == "true"; {
	case told && m.off():
		return "none: " + clear + ", and the noise is off"
	case told:
		return row + "; none of a label against its server: " + clear
	case m.off():
		return label + ", which needs no noise of servers; none of a row: the noise is off"
	}
	return label + "; " + row
}

func (m *pdml) Established() error {
	if m.off() {
		return errNoNoise
	}
	return Shielded(m.Problem)
}

// Account enters the flips, once for each label, of a server's user whose ε is greatest, and the iterates' noise: one
// row moves the minimiser of an (r + 2ηV)-strongly convex objective by at most 2C|ℓ̂′|/(B(r + 2ηV)), |ℓ̂′| ≤
// e^ε/(e^ε − 1), which is greatest of the user whose ε is least.
func (m *pdml) Account(l *privacy.Ledger) {
	p := m.Problem
	for i := range p.Shards {
		least, greatest := math.Inf(1), 0.0
		for k := range p.Shards[i].Y {
			epsilon := m.Budget(i, k)
			least, greatest = min(least, epsilon), max(greatest, epsilon)
		}
		if m.Labels != "true" {
			l.Spend(i, 0, privacy.Label, privacy.PureDP{Epsilon: greatest})
		}
		ridge := p.R[i] + float64(2*m.Eta*float64(m.Graph.Degree(i)))
		moves := 2 * p.C * (1 + debias(least)) / (samples(p, i) * ridge)
		for t := 1; t <= m.Rounds && !m.off(); t++ {
			l.Spend(i, t, privacy.Sample, privacy.GaussianDP{Sensitivity: moves, Sigma: m.sigma(i, t)})
		}
	}
}

func init() {
	register(&Entry{
		Name:  "pdml",
		Fixed: "users have reported by them, and servers have drawn the objective noise, once",
		Title: "label flips by users, bounded objective noise and decaying Gaussian noise by servers",
		Paper: "Wang, Ishii, Du, Cheng & Chen, Privacy-Preserving Distributed Machine Learning via Local " +
			"Randomization and ADMM Perturbation, IEEE TSP 2020, (12)-(17), (19)-(23)",
		About: `Nodes are servers; every row belongs to a user, a node linked to its server only.
Phase 1: each user flips its label with probability 1/(1 + e^ε) and sends (x, y′) once.
The server's loss is debiased, ℓ̂(y′, z) = L(y′z) − y′z/(e^ε − 1), so that its mean over the flips is L(yz).
Users may have ε of their own, all of a server's the same, dealt out, or drawn; then they send (x, y′, ε).
Phase 2: ADMM on (C/B) Σ ℓ̂ + (r/2)‖w‖² + (1/N) η_i·w, η_i uniform in the ball of radius R, drawn once:
  w(t+1) = argmin …;  w̃(t+1) = w(t+1) + θ(t+1), θ(t) ~ N(0, decay^{t−1} v² I);  send w̃
  λ(t+1) = λ(t) + (η/2)(V w̃(t+1) − Σ w̃_j(t+1))
Claims ε-local privacy of each randomised label. For rows the paper has no theorem; privacy_loss of samples grows
without bound as the noise decays.
Loss and errors are of the true labels; averaged_* are of w̄(t) = (1/t) Σ w(k).
Rows with targets are refused: a target cannot be flipped.`,
		Theorems: []theory.Theorem{theory.PDMLTheorem1, theory.PDMLCorollary1, theory.PDMLTheorem2,
			theory.PDMLCorollary2, theory.PDMLLemma5},
		Active: &Active{true, "a user flips its label before anybody is heard; of rows, how far one moves the " +
			"minimiser follows from strong convexity alone"},
		Params: func() any { return new(PDML) },
		New: func(params any, s Setting) (Method, error) {
			p := params.(*PDML)
			if s.Problem.HasTargets() {
				return nil, fmt.Errorf("its users flip labels of two classes, and these rows have targets: a " +
					"target cannot be flipped, and the paper has no other report; take another method")
			}
			if s.Problem.K > 0 {
				return nil, fmt.Errorf("its users flip labels of two classes, and these rows have one of %d "+
					"(problem.data.classes: all): take two classes, or another method", s.Problem.K)
			}
			if s.Problem.Loss != problem.Logistic && p.Labels != "true" {
				return nil, fmt.Errorf("the debiased loss of randomised labels is the logistic loss's, because L(z) " +
					"− L(−z) = −z there; take problem.loss: logistic, or labels: true")
			}
			if err := p.Epsilon.Fits("epsilon", s.Graph.Order()); err != nil {
				return nil, err
			}
			m := &pdml{*p, s}
			if err := m.bounded(); err != nil {
				return nil, err
			}
			return m, fits(s.Graph.Order(), map[string]*parameter.Schedule{"deviation": &p.Deviation})
		},
	})
}

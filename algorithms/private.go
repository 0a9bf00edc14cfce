// What a method that claims privacy says about itself.

package algorithms

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/privacy"
	"overhear/problem"
)

// Private is a Method that claims to bound what its messages say about what one unit of
// protection holds.
type Private interface {
	// Guarantee says in a sentence what is claimed, with the equation.
	Guarantee() string

	// Established is nil if the condition under which the claim is proved holds for
	// this run, and otherwise says what fails. Claims about labels have none.
	Established() error

	// Account enters what every node spends in every round; nodes are numbered as the
	// parts of the problem are.
	Account(l *privacy.Ledger)
}

// Composing is a Private method whose paper composes the losses of rounds itself.
type Composing interface {
	Private

	// Within is nil if the condition holds for a run that went no further.
	Within(r Reached) error

	// Stated is the (ε, δ) of one round that the noise was made for; ε is 0 where a
	// noise level was given instead.
	Stated() (epsilon, delta float64)

	// Composed is the claimed (ε′, δ) after so many rounds.
	Composed(rounds int) (epsilon, delta float64)

	// Composition says how Composed composes: record.ByPaper, or record.ByZCDP where the paper has no composition.
	Composition() string
}

// Conjectured is a Private method whose claim may be its authors' word alone: Unproved says why no proof supports it in
// this run, whether or not its condition holds; nil: one does.
type Conjectured interface{ Unproved() error }

// Explicit is a Private method whose steps are closed forms: no solver leaves an error in them.
type Explicit interface{ Explicit() }

// mostLeft is which share of what one row moves a gradient by, 2C/B, solves may leave of it.
const mostLeft = 1e-3

// Precise decides whether solves to a tolerance are as good as the exact ones that proofs assume: a step's gradient,
// of which a solve leaves a norm of tolerance·max(1, ‖q‖), moves by up to 2C/B when one row changes, and what is left
// must be next to nothing beside that. The share is that of the worst node, most what it may be.
func Precise(m Method, p *problem.Problem, tolerance float64) (share, most float64, err error) {
	if _, ok := m.(Explicit); ok || p == nil {
		return 0, mostLeft, nil
	}
	return Solved(p, tolerance)
}

// Solved is Precise of a method whose steps are solved for.
func Solved(p *problem.Problem, tolerance float64) (share, most float64, err error) {
	worst := 0
	for i := range p.Shards {
		if left := tolerance * samples(p, i) / (2 * p.C); left > share {
			share, worst = left, i
		}
	}
	if share <= mostLeft {
		return share, mostLeft, nil
	}
	return share, mostLeft, fmt.Errorf("the proof takes steps to be exact minimisers, and solver.tolerance = %.3g "+
		"leaves of a gradient up to %.3g of the 2C/B that one row of node %d moves it by, where at most %.3g is next "+
		"to nothing; take a solver.tolerance of at most %.2g", tolerance, share, worst, mostLeft,
		tolerance*mostLeft/share)
}

// Tunable is an option struct whose noise can be chosen for a privacy target.
type Tunable interface {
	// Loosen returns a pointer to a copy with every privacy budget c times as
	// great, which means about c times less noise.
	Loosen(c float64) any
}

// NoiseSwitch is an option that every private method has: without noise it is what
// it perturbs, and claims nothing.
type NoiseSwitch struct {
	Noise string `yaml:"noise" default:"on" enum:"on,off" doc:"off: compute without noise and claim nothing"`
}

func (n NoiseSwitch) off() bool { return n.Noise == "off" }

// errNoNoise is why nothing is established while the noise is off.
var errNoNoise = fmt.Errorf("the noise is off")

// Shielded checks what every proof assumes: |L′| ≤ 1 and rows of norm at most 1. The papers write L of the margin
// y f·x; what their proofs use of it is that a row's gradient is L′u with ‖u‖ ≤ 1, and L″ ≤ c₁, which holds of the
// residual f·x − t for every target t, too (docs/mathematics.md §1).
func Shielded(p *problem.Problem) error {
	switch steepest, targets := p.Loss.Steepest(), p.HasTargets(); {
	case p.K > 0:
		return severalClasses(p)
	case problem.IsOwn(p.Loss):
		return fmt.Errorf("the proof needs a convex loss with |L′| ≤ 1 and L″ ≤ c₁, and this one is a class in " +
			"Python (problem.loss), of which that is its author's word")
	case !problem.Bounded(p.Loss) && targets:
		return fmt.Errorf("the proof needs a loss with |L′| ≤ 1, and the squared loss has no such bound: a row with " +
			"a far target moves the model without limit; take huber, of a width of at most 1, or quantile")
	case !problem.Bounded(p.Loss):
		return fmt.Errorf("the proof needs a loss with |L′| ≤ 1, and the squared loss has no such bound; take " +
			"logistic or huber-hinge")
	case steepest > 1:
		return fmt.Errorf("the proof needs a loss with |L′| ≤ 1, and the slope of this one comes to %v; take a "+
			"problem.loss.width of at most 1", steepest)
	}
	const rounding = 1e-9
	for i := range p.Shards {
		u := p.Shards[i].U
		for k := range u.Len() {
			if _, row := u.Row(k); num.Norm(row) > 1+rounding {
				return fmt.Errorf("the proof needs rows of norm at most 1; node %d has one of norm %.4g; take "+
					"problem.scale.rows: clip", i, num.Norm(row))
			}
		}
	}
	return nil
}

// severalClasses is why nothing is established of rows with one of K classes: a row is in the gradient of every block.
func severalClasses(p *problem.Problem) error {
	if _, ok := p.Loss.(problem.Softmax); ok {
		return fmt.Errorf("the proof needs a row's gradient to have a norm of at most 1 and its Hessian one " +
			"eigenvalue that is not 0; with softmax the gradient's norm comes to √2, that of the difference of two " +
			"rows to 2√2, where the noise is made for 2, and the Hessian has K − 1 (docs/mathematics.md §1); take " +
			"two classes")
	}
	return fmt.Errorf("the proof needs a row's gradient to have a norm of at most 1 and its Hessian one eigenvalue "+
		"that is not 0; one-vs-rest is %d problems on the same rows, so that the gradient's norm comes to √%[1]d and "+
		"the Hessian has %[1]d (docs/mathematics.md §1); take two classes", p.K)
}

// roundBudget is what a method says of itself that spends the budget α_i(t) on a row in
// every round, for any loss and rows that shielded allows.
type roundBudget struct {
	setting Setting
	alpha   parameter.Schedule
	silent  bool // the noise is off
	between int  // so many rounds after each that spends touch no data
}

// free says whether a round touches no data.
func (b *roundBudget) free(t int) bool { return (t-1)%(b.between+1) > 0 }

// Established checks that there is noise, and what its proof assumes.
func (b roundBudget) Established() error {
	if b.silent {
		return errNoNoise
	}
	return Shielded(b.setting.Problem)
}

// Account enters α_i(t) for every node and round.
func (b roundBudget) Account(l *privacy.Ledger) { b.account(l, false) }

// account enters the mechanism of every node and round: of Gaussian noise, the ratio of sensitivity and standard
// deviation is α.
func (b roundBudget) account(l *privacy.Ledger, gaussian bool) {
	for i := range b.setting.Problem.Shards {
		for t := 1; t <= b.setting.Rounds; t++ {
			if b.free(t) {
				continue
			}
			var spent privacy.Mechanism = privacy.PureDP{Epsilon: b.alpha.At(i, t)}
			if gaussian {
				spent = privacy.GaussianDP{Sensitivity: b.alpha.At(i, t), Sigma: 1}
			}
			l.Spend(i, t, privacy.Sample, spent)
		}
	}
}

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

// differentiable checks what objective perturbation is proved with: the noise is a function of the
// minimiser, whose Jacobian the proof bounds, only where the regulariser is twice differentiable.
func differentiable(p *problem.Problem, assumption string) error {
	if p.NonSmooth == nil {
		return nil
	}
	return fmt.Errorf("the proof needs a regulariser that is twice differentiable (%s), and with %s "+
		"it has kinks, at which many values of the noise have one minimiser; noise on the minimiser (pvp, "+
		"proximal-admm) needs strong convexity only", assumption, p.NonSmooth.Keys())
}

// samples is B_i, the number of rows of a node.
func samples(p *problem.Problem, i int) float64 { return float64(p.Shards[i].U.Len()) }

// perturb draws the noise of density ∝ exp(−rate‖ε‖) of a node and round into
// n.Room.
func (n *Node) perturb(t int, rate float64) []float64 {
	if n.probed(false, rate) {
		return n.Room
	}
	if !(rate > 0) { // it vanished in a product
		n.fault = fmt.Errorf("the noise rate is %v, and no noise is that great; take a greater budget", rate)
		clear(n.Room)
		return n.Room
	}
	privacy.Laplace(n.Stream("noise", t), rate, n.Room)
	n.bounded("rate", rate, n.Room)
	return n.Room
}

// gaussianLaw is normal noise, as of ZKL18 §6.3 and RA19 §VII-B.
const gaussianLaw = "gaussian"

// perturbNormally draws the noise N(0, σ² I) of a node and round into n.Room.
func (n *Node) perturbNormally(t int, sigma float64) []float64 {
	if n.probed(true, sigma) {
		return n.Room
	}
	if !(sigma <= mostNorm) {
		n.fault = fmt.Errorf("the noise overflows: its standard deviation is %v, and numbers up to %.0e can be "+
			"computed with; take a greater budget, which is less noise", sigma, mostNorm)
		clear(n.Room)
		return n.Room
	}
	privacy.Gaussian(n.Stream("noise", t), sigma, n.Room)
	n.bounded("standard deviation", sigma, n.Room)
	return n.Room
}

// bounded makes the step fail if noise of that level has a norm that cannot be computed
// with.
func (n *Node) bounded(level string, value float64, noise []float64) {
	if norm := num.Norm(noise); !(norm <= mostNorm) {
		n.fault = fmt.Errorf("the noise overflows: at a %s of %v its norm is %.3g, and numbers up to %.0e can be "+
			"computed with; take a greater budget, which is less noise", level, value, norm, mostNorm)
	}
}

// mostNorm is the greatest norm of noise and of a linear term: its square, and sums of
// squares, are still numbers.
const mostNorm = 1e150

// checkSchedule reports what is wrong with a schedule under its key.
func checkSchedule(report func(field, problem string), key string, s parameter.Schedule) {
	if s.Auto() {
		report(key, "must be given; auto is for penalties and steps")
		return
	}
	s.Check(func(field, problem string) {
		if field == "initial" {
			problem = problem + " (" + key + ".initial)"
		}
		report(key, problem)
	})
}

// checkSteps is checkSchedule of penalties or steps, which may be left to the program.
func checkSteps(report func(field, problem string), key string, s parameter.Schedule) {
	for _, l := range append(s.Nodes, s.Sequence) {
		for _, v := range append([]float64{l.Initial}, l.Values...) {
			if v > 0 && v != parameter.Auto && !inRange(v) {
				report(key, rangeOf(v))
				return
			}
		}
	}
	if s.Auto() {
		s = s.Starting(1)
	}
	checkSchedule(report, key, s)
}

// fits joins the complaints of schedules that are not for n nodes.
func fits(n int, schedules map[string]*parameter.Schedule) error {
	for _, key := range slices.Sorted(maps.Keys(schedules)) {
		if err := schedules[key].Fits(key, n); err != nil {
			return err
		}
	}
	return nil
}

// sqrtK is √k of a round or use.
func sqrtK(k int) float64 { return math.Sqrt(float64(k)) }

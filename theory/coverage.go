// Which runs a theorem is about.

package theory

import (
	"errors"
	"strings"
)

// Circumstances are what may happen in a run and is not allowed by every proof.
type Circumstances struct {
	Noise      bool // the method perturbs what it computes
	Asynchrony bool // nodes step with values of different rounds
	Staleness  bool // in lockstep, a value of an earlier round stood in for one that was late
	Amnesia    bool // a crash lost a node's memory
	Departure  bool // a node left the run for good
	Unlike     bool // nodes' rows need not be of one distribution
	Flat       bool // nothing makes the nodes' objectives strongly convex: there is no ridge
	Kinks      bool // the objective has no gradient everywhere: an ℓ1 norm or a set
	NonConvex  bool // the loss is not convex
	Alteration bool // the method's parameters change while the run goes
}

// reasons say of each circumstance why a proof that does not allow it says nothing.
var reasons = []struct {
	of   func(Circumstances) bool
	text string
}{
	{func(c Circumstances) bool { return c.Noise }, "it is about the method without noise (noise: off)"},
	{func(c Circumstances) bool { return c.Asynchrony },
		"it is about rounds in lockstep (rounds.mode: synchronous)"},
	{func(c Circumstances) bool { return c.Staleness },
		"in it a node waits for the values of every neighbour, and in this run values of earlier rounds stood in " +
			"(rounds.missing: last)"},
	{func(c Circumstances) bool { return c.Amnesia },
		"in it nodes keep their iterates and duals, and in this run a crash loses them (memory: lost)"},
	{func(c Circumstances) bool { return c.Departure }, "in it the nodes stay the same, and in this run one leaves"},
	{func(c Circumstances) bool { return c.Unlike }, "in it the rows of all nodes are drawn from one distribution " +
		"(problem.order: shuffled, and problem.partition: even or sizes)"},
	{func(c Circumstances) bool { return c.Flat },
		"it is about strongly convex objectives, which a ridge makes them (problem.rho above 0)"},
	{func(c Circumstances) bool { return c.Kinks },
		"it is about objectives that are differentiable, and this one has kinks (problem.l1, problem.set)"},
	{func(c Circumstances) bool { return c.NonConvex }, "the loss is not convex (problem.loss)"},
	{func(c Circumstances) bool { return c.Alteration },
		"in it the method keeps its parameters, and in this run they change (changes)"},
}

// Theorem is a theorem on convergence or on excess risk, and the circumstances under which it still holds. What
// else it asks, of penalties, the graph and the loss, its function computes.
type Theorem struct {
	Name   string // paper and number
	States string // what it proves
	Allows Circumstances
}

// The theorems. None of them needs a reliable or fast network: in lockstep, messages that are late
// or sent again change when a step is made and not what it computes.
var (
	ZKL18Theorem31 = Theorem{Name: "ZKL18 Theorem 3.1",
		States: "M-ADMM converges to the optimum where no penalty η_i falls or is below the dual step θ, " +
			"and all stay below a bound",
		Allows: Circumstances{Unlike: true, Flat: true}}
	ZKL18Theorem32 = Theorem{Name: "ZKL18 Theorem 3.2",
		States: "M-ADMM converges linearly: in the norm J(t) the error falls by √(1+δ(t)) a round",
		Allows: Circumstances{Unlike: true}}
	RA19Theorem1 = Theorem{Name: "RA19 Theorem 1",
		States: "R-ADMM and MR-ADMM converge to the optimum under its conditions (i) and (ii)",
		Allows: Circumstances{Unlike: true, Flat: true}}
	SharingDescent = Theorem{Name: "descent of ADMM sharing",
		States: "with a penalty above a multiple of the steepest slope of L′ the augmented Lagrangian falls in every " +
			"round, and the gap Σp − z and the gradient of the whole objective tend to zero, whether the loss is " +
			"convex or not: every limit point is stationary (Hong, Luo & Razaviyayn 2016 for parties one after the " +
			"other; proof for parties at once in docs/mathematics.md §4)",
		Allows: Circumstances{Unlike: true, Flat: true, Kinks: true, NonConvex: true}}
	PDMLLemma5 = Theorem{Name: "PDML Lemma 5",
		States: "without the noise of Phase 2 the squared distance to the optimum falls by a factor C a round, in a " +
			"norm of its own (as it can be proved: no graph of three servers or more meets the printed condition)",
		Allows: Circumstances{Unlike: true}}
	PDMLTheorem1 = Theorem{Name: "PDML Theorem 1",
		States: "the averages w̄_i(t) have an excess risk that falls as 1/t to what flipped labels, few rows and the " +
			"noise in the objective leave of it",
		Allows: Circumstances{Noise: true}}
	PDMLTheorem2 = Theorem{Name: "PDML Theorem 2",
		States: "without the noise of Phase 2 the averages w̄_i(t) have an excess risk that falls as 1/t to what " +
			"flipped labels and few rows leave of it"}
	PDMLCorollary1 = Theorem{Name: "PDML Corollary 1",
		States: "the optimum of Problem 3, which w_i(t) tends to, has an excess risk of at most a term in R²/κ and " +
			"what flipped labels and few rows leave of it",
		Allows: Circumstances{Noise: true}}
	PDMLCorollary2 = Theorem{Name: "PDML Corollary 2",
		States: "the optimum of Problem 2, which w_i(t) tends to without the noise of Phase 2, has an excess risk of " +
			"at most what flipped labels and few rows leave of it"}
)

// Covers is nil where the theorem is about runs with such circumstances. Its error says all
// that keeps it from being so.
func (t Theorem) Covers(c Circumstances) error {
	var why []string
	for _, r := range reasons {
		if r.of(c) && !r.of(t.Allows) {
			why = append(why, r.text)
		}
	}
	if why == nil {
		return nil
	}
	return errors.New(strings.Join(why, "; "))
}

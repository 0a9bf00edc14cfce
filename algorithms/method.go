// What a method is, and what it is told about the run it belongs to.

package algorithms

import (
	"math"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/sim"
	"overhear/theory"
)

// Method is a published algorithm in a run, as [Entry].New makes it: a [RowMethod], a
// [Central] or a [ColumnMethod]. What else it does it says by the traits [Idler],
// [Isolated], [Addressing], [Sheltering] and [Registering]; [NewProtocol] refuses what
// it cannot run. One Method serves all nodes of a run at once, from several goroutines,
// so it holds parameters only; all state is in what it is handed.
type Method any

// RowMethod is a Method for split rows: nodes hold samples of their own, and exchange
// iterates with their neighbours.
type RowMethod interface {
	// Update computes the node's iterate of round t ≥ 1, in place, from its
	// iterate of round t−1 (n.F), its dual (n.Dual) and the sum of its
	// neighbours' iterates of round t−1 (n.Sum). What it leaves in n.F is
	// published, so a method that perturbs its iterate perturbs n.F.
	Update(n *Node, t int) error

	// Dual updates n.Dual once n.F and n.Sum are both of round t ≥ 1.
	Dual(n *Node, t int)
}

// Setting is what a method may know of the run when it is made.
type Setting struct {
	Problem *problem.Problem  // where rows are split; else nil
	Split   *problem.Vertical // where columns are split; else nil
	Graph   *sim.Graph
	Rounds  int    // the number of updates T; the last one is round T
	Seed    uint64 // of all that nodes draw
	Target  Target
}

// Target is the privacy loss that noise is chosen for; the zero Target: it is given.
type Target struct {
	Epsilon   float64
	Delta     float64 // of noise that has no bound without one
	EachRound bool    // of every round, not of the run
	Certified float64 // the target, where noise is chosen by the certificate and Epsilon is the claim of it; or 0
}

// concentrated is ρ of which ρ-zCDP is (ε, δ): ρ + 2√(ρ ln(1/δ)) = ε.
func (t Target) concentrated() float64 {
	l := -num.Log(t.Delta)
	root := t.Epsilon / (math.Sqrt(l+t.Epsilon) + math.Sqrt(l))
	return root * root
}

// ofUse is the target of one of so many uses; 0: there is none.
func (t Target) ofUse(uses int) float64 {
	if t.EachRound {
		return t.Epsilon
	}
	return t.Epsilon / float64(uses)
}

// room is how much a method of so many uses may spend on them whatever its noise is: half
// the target, 1 if there is none. It is at most 1 a use, so that the conditions of
// ZKL18 Theorem 4.1 and RA19 Theorem 2 hold.
func (t Target) room(uses int) float64 {
	if t.Certified > 0 {
		t.Epsilon = t.Certified
	}
	if t.Epsilon == 0 {
		return 1
	}
	return float64(uses) * min(1, t.ofUse(uses)/2)
}

// Cautious is a Method that may be used outside the conditions of its theorems.
type Cautious interface{ Warnings() []string }

// Diverging is a Method over split columns that may diverge: a sentence says why it does where it does, and with what
// it would not.
type Diverging interface{ Diverges() string }

// Displaced is a [Cautious] method that may come to another point than the optimum, whatever
// the network does, and whose warnings then say why.
type Displaced interface{ Displaced() bool }

// Analysed is a Method whose papers prove how it converges.
type Analysed interface {
	// Theorems are what is proved of the run. A factor is of each of the rounds
	// after one to another. It takes seconds for a few hundred nodes.
	Theorems(from, to int) []Theorem
}

// Theorem is a proved property of runs that it covers.
type Theorem struct {
	theory.Theorem
	Holds  bool    // whether its conditions on the method's parameters, the graph and the loss do
	Reason string  // in words
	Factor float64 // by which the error shrinks in a round, at least; NaN: it gives none
}

// Generalising is a Method whose papers bound how much worse what it learns is on new rows than
// the best classifier.
type Generalising interface {
	// Generalises are those bounds after so many rounds from starting points of these norms, by node;
	// each holds with probability 1−delta.
	Generalises(rounds int, start []float64, delta float64) []Generalisation

	// Limit is the optimum of what the nodes minimise together in a run of this seed, a d-vector. It is not the
	// problem's where users randomise what they report, or nodes add noise to their objectives.
	Limit(seed uint64) ([]float64, error)
}

// Generalisation is a bound on the excess risk, in runs that its theorem covers.
type Generalisation struct {
	theory.Theorem
	Reason   string // why its conditions on parameters, graph and loss fail; empty: they hold
	Averages bool   // it is of the averages over rounds of what nodes hold, and not of the Limit
	Given    theory.Given
	Bound    theory.Excess // in units of the loss, the mean over nodes
}

// Idler is a Method some of whose rounds touch no data and so cost no time.
type Idler interface{ Idle(t int) bool }

// Isolated is a Method whose nodes send nothing and wait for nobody.
type Isolated interface{ Isolated() }

// LossTolerant is a Method whose limit does not depend on which messages were lost or
// late: they delay it.
type LossTolerant interface{ LossTolerant() }

// NodeDual is a Method whose nodes keep one dual each, which sum to zero only while every
// dual step is made with the same values at both ends of a link. Where a node forgets
// its dual, or steps with values of other rounds, they do not, and the method's limit is
// another point than the optimum.
type NodeDual interface{ NodeDual() }

// Addressing is a Method that sends each neighbour a message of its own, instead
// of n.F to all. Message writes that for the neighbour in position k into m, a
// d-vector. Such a Method keeps a state for each neighbour, into which it takes a message
// once, when it is fresh: in a run without lockstep n.Heard has nil for those that are not.
// It has neither n.Sum nor a dual of the node: n.Dual is zero and not to be written.
type Addressing interface {
	Message(n *Node, k int, m []float64)
}

// Sheltering is a Method whose nodes keep to themselves an iterate that differs
// from the one they publish. Inner returns it, a d-vector that never changes
// afterwards.
type Sheltering interface{ Inner(n *Node) []float64 }

// Foreign is a Method whose steps another program computes, which may keep what no result tells. Those that begin
// before one of them is due are computed together, in that order: Gather is called for each, with what Dual of round
// t−1 and Update of round t find in a node, then Join; Dual and Update have what it came to. Close ends it.
type Foreign interface {
	Gather(n *Node, t int)
	Join()
	Close() error
}

// Publication is what a node has published: its iterate or, where columns are split,
// its message.
type Publication struct {
	Node, Round int // round 0 is the start
	// of the problem, a shard or a block of columns, that is the node's; −1: none, it is a hub
	Part      int
	Began, At sim.Time      // when its step was awaited, and when it ended; the same in round 0
	Values    []float64     // they never change afterwards, but for a Forgetter
	Inner     []float64     // of a Sheltering method; else nil
	Loss      float64       // the node's (1/B) Σ L at Values; 0 of a hub and where columns are split
	Stats     problem.Stats // of the round's solve; where it had none, the gradients only
}

// Forgetter is an Observer that may refer to no more of a node's values than the latest.
type Forgetter interface {
	// Forgets says that it does: when Published has returned, it refers to nothing that the node had published before,
	// whose memory may be used again. Else the iterates are most of the garbage of a run of many nodes.
	Forgets() bool
}

// forgets says whether nobody refers to values before the latest.
func forgets(o Observer) bool {
	f, can := o.(Forgetter)
	return o == nil || can && f.Forgets()
}

// Statement is what a node that lies tells a neighbour as its value of a round.
type Statement struct {
	Node, To, Round int
	At              sim.Time
	Values          []float64 // nil: it sends none
	False           bool      // this is not what it published
	Heard           []int     // rounds of the last values that it had heard, by neighbour; acts.NotHeard: none
}

// StatementObserver is an Observer that follows what nodes that lie tell others.
type StatementObserver interface {
	// Stated is called before anything is sent; the slices must not be changed.
	Stated(s *Statement)
}

// Observer follows a run. Its calls come from the engine's goroutine, in the
// order of events. It may be a [RegistrationObserver] and a [RoundObserver], too.
type Observer interface {
	// Published is called when a node publishes its iterate of a round. Where columns
	// are split, parties publish nothing in round 0. What it points to is valid during
	// the call only, but values do not change.
	Published(p *Publication)

	// Concluded is called when a node has heard every neighbour's iterate of a
	// round t ≥ 1 and has updated its dual, a d-vector that is valid during the
	// call only. Where columns are split, it is not called.
	Concluded(node, round int, dual []float64)
}

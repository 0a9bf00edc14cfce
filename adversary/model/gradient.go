// What messages say about the gradient of a node's data.

package model

import (
	"errors"
	"fmt"

	"overhear/internal/num"
)

// Observed is what an observer has seen of a run.
type Observed interface {
	// Value is what a node published in a round, a d-vector; false: it was not seen.
	Value(node, round int) ([]float64, bool)

	// Told is what a node told a neighbour as its value of a round: that value, if it did not lie; false: it was not
	// seen.
	Told(node, neighbour, round int) ([]float64, bool)

	// Inputs are the rounds of the neighbours' values that entered a node's update of a
	// round, by position of the neighbour; Start: none had come. The error is a *Missing
	// where that cannot be told.
	Inputs(node, round int) ([]int, error)

	// Anew says whether a node's update of a round was the first after it had lost its memory: it then began at the
	// node's start, its value of round 0, without a dual. The error is a *Missing where that cannot be told.
	Anew(node, round int) (bool, error)

	// From is the first round of which anything can have been seen.
	From() int
}

// Start is the round that Inputs gives for a neighbour of whom nothing had come: its
// value counts as zero.
const Start = -1

// Missing is what was not seen of an update.
type Missing struct {
	Round int // 0: of all rounds, or it is said elsewhere
	What  string
	Kink  bool // everything was seen, and a minimiser is at a kink, where the subgradient is not known
}

func (m *Missing) Error() string {
	if m.Round == 0 {
		return m.What
	}
	return fmt.Sprintf("round %d: %s", m.Round, m.What)
}

// NotSeen is a *Missing with that text.
func NotSeen(format string, args ...any) error { return &Missing{What: fmt.Sprintf(format, args...)} }

// Gradient is what one round says about a node's data, whose gradient
//
//	∇(f) = (C/B) Σ_n L′(u_n·f) u_n
//
// at the point At is Value + Σ_k a_k Nuisance[k] + the unknown vector Offset,
// minus the noise, with unknown numbers a_k. Of a method that debiases reported
// labels it is the gradient of the debiased loss on the reports.
type Gradient struct {
	Round    int
	At       []float64   // a d-vector
	Value    []float64   // a d-vector
	Nuisance [][]float64 // directions that hidden parameters multiply
	Offset   int         // > 0: an unknown vector, the same wherever this number is, is missing; 0: none
	Noise    Noise       // of Value, in its unit
	Place    Place       // of the noise
	Ridge    float64     // r + κ; NaN if the penalty is hidden
	Explicit bool        // the step is a closed form: no solver leaves an error in it
	Size     float64     // of the terms of Value: what rounding leaves of it is relative to that

	// Projected says that At is what a projection on a ball of this radius left of what the step came to: Value and
	// the noise are of another point, but the step's linear term, −Value − Ridge At, is right. 0: it is not.
	Projected float64

	// Kinked says that the objective has kinks and noise hides where the minimiser was: Value holds
	// an element of their subdifferential, which is not known. The step's linear term,
	// −Value − Ridge At, is.
	Kinked bool

	// Unknown says how a hidden penalty enters; nil: every number is known. Its
	// direction is among the Nuisance.
	Unknown *Unknown
}

// Unknown is how an unknown number x > 0, the penalty or a function of it, enters a
// Gradient.
type Unknown struct {
	Nuisance int     // which direction, with the multiplier −x
	Growth   float64 // d(Ridge)/dx
	Explicit bool    // the Jacobian of the noise is x itself, with nothing of the objective's curvature
}

// Implicit says whether the published point is where the noisy objective is least,
// so that the noise is a function of At with Jacobian ∇²(At) + Ridge·I.
func (g *Gradient) Implicit() bool { return g.Place == InObjective }

// Follower is a Method whose messages tell gradients of rows.
type Follower interface {
	// Follow begins to follow a node of size samples, 0 if that is not known: the
	// function it returns is called for rounds 1, 2, … in order and says what each tells.
	// An error that is a *Missing concerns that round only.
	Follow(p *Public, o Observed, node, size int) func(t int) (*Gradient, error)
}

// ErrIdle is of a round that touches no data, or of which nothing can have been seen.
var ErrIdle = errors.New("the round says nothing about data")

// Stepping is a Method, no NodeDual, that adds noise to an explicit step along the gradient.
type Stepping interface {
	Method

	// StepNoise is what the noise of a node's round t ≥ 1 is worth as noise on the gradient of size samples; Silent:
	// there is none, or the round touches no data.
	StepNoise(p *Public, node, t, size int) Noise
}

// NoiseOf is the noise that a round adds to the gradient of a node's size samples, or what it is worth there; Silent:
// there is none, or the round touches no data. false: the model does not say it without the messages.
func NoiseOf(p *Public, node, t, size int) (Noise, bool) {
	switch m := p.Method.(type) {
	case NodeDual:
		step := m.Step(p, node, t, size)
		if step.Idle {
			return Noise{}, true
		}
		return step.Noise, true
	case Stepping:
		return m.StepNoise(p, node, t, size), true
	}
	return Noise{}, false
}

// Idle says whether a round touches no data, so that its update takes no time, or may not.
func Idle(p *Public, node, t int) bool {
	switch m := p.Method.(type) {
	case NodeDual:
		return m.Step(p, node, t, 0).Idle
	case Gossiping:
		return m.Idle(t)
	case Follower:
		return false
	}
	return true
}

// Steps says what rounds 1, 2, …, for which the function it returns is called in order, tell of a node's steps, each
// as it was made: with kinks of the objective, and before a projection. The error is ErrIdle of a round that touches no
// data, and a *Missing where something was not seen.
func Steps(p *Public, o Observed, node, size int) (func(t int) (*Gradient, error), error) {
	switch m := p.Method.(type) {
	case NodeDual:
		return (&history{public: p, method: m, seen: o, node: node, size: size}).begin(), nil
	case Follower:
		return m.Follow(p, o, node, size), nil
	}
	return nil, fmt.Errorf("the messages of method %s do not tell gradients of rows", p.Name)
}

// Gradients are what an observer learns about a node's data, a Gradient for every
// round of which enough was seen, and what was not seen of the others. Size is the
// number of the node's samples, which the noise of some methods depends on; 0 where
// it is not known: the noise is then Silent.
func Gradients(p *Public, o Observed, node, size int) (all []Gradient, unseen []*Missing) {
	round, err := Steps(p, o, node, size)
	if err != nil {
		return nil, []*Missing{{What: err.Error()}}
	}
	for t := 1; t <= p.Rounds; t++ {
		g, err := round(t)
		if err == nil && g.Projected > 0 {
			err = NotSeen("what node %d would have published in round %d before it was projected on a ball", node, t)
		}
		if err == nil && p.NonSmooth != nil {
			err = g.straighten(p, node)
		}
		switch m := (*Missing)(nil); {
		case err == nil:
			all = append(all, *g)
		case errors.As(err, &m):
			unseen = append(unseen, &Missing{Round: t, What: m.What, Kink: m.Kink})
		case !errors.Is(err, ErrIdle):
			return all, append(unseen, &Missing{What: err.Error()})
		}
	}
	return all, unseen
}

// straighten takes the gradient of what has kinks out of a round whose minimiser was published. At
// a kink it is one of many subgradients, and nothing says which: the data's gradient is then not
// determined.
func (g *Gradient) straighten(p *Public, node int) error {
	switch {
	case g.Explicit:
		return nil
	case g.Place == OnOutput: // there is noise, even where its law is not known for want of the size
		g.Kinked = true
		return nil
	}
	own := make([]float64, len(g.At))
	if !p.NonSmooth.Smooth(g.At, own) {
		return &Missing{Kink: true, What: fmt.Sprintf("which subgradient of the regulariser balances the data's "+
			"gradient: the value of node %d is at a kink of it (problem.l1, problem.set)", node)}
	}
	num.Axpy(-1, own, g.Value)
	return nil
}

// valueOf is a node's value of a round, or the error that says it was not seen.
func valueOf(o Observed, node, round int) ([]float64, error) {
	f, ok := o.Value(node, round)
	if !ok {
		return nil, NotSeen("the value of node %d in round %d", node, round)
	}
	return f, nil
}

// begin is the value with which a node began its update of round t ≥ 1.
func begin(o Observed, node, t int) ([]float64, error) {
	switch anew, err := o.Anew(node, t); {
	case err != nil:
		return nil, err
	case anew:
		return valueOf(o, node, 0)
	}
	return valueOf(o, node, t-1)
}

// pair is the value with which a node began its update of round t, and that of the round.
func pair(o Observed, node, t int) (before, now []float64, err error) {
	if before, err = begin(o, node, t); err != nil {
		return nil, nil, err
	}
	now, err = valueOf(o, node, t)
	return before, now, err
}

// entered is what a neighbour told a node as its value of an input's round, a d-vector.
func entered(p *Public, o Observed, node int, neighbour int32, round int) ([]float64, error) {
	if round == Start {
		return make([]float64, p.D), nil
	}
	f, ok := o.Told(int(neighbour), node, round)
	if !ok {
		return nil, NotSeen("the value of node %d in round %d", neighbour, round)
	}
	return f, nil
}

// Sum is s, the sum of the neighbours' values that entered a node's update of a
// round, a d-vector.
func Sum(p *Public, o Observed, node, round int) ([]float64, error) {
	inputs, err := o.Inputs(node, round)
	if err != nil {
		return nil, err
	}
	s := make([]float64, p.D)
	for k, j := range p.Graph.Neighbours(node) {
		f, err := entered(p, o, node, j, inputs[k])
		if err != nil {
			return nil, err
		}
		num.Axpy(1, f, s)
	}
	return s, nil
}

// ADMM with one dual a node: from a node's messages to the gradient of its data.

package model

import (
	"math"

	"overhear/internal/num"
)

// NodeDual is a Method of ADMM's family with one dual a node. With v what nodes
// publish, s(t) the sum of the neighbours' v(t), and Step what is said of round t, a
// node minimises
//
//	O(f) + ½(2ηV + Φ + τ)‖f‖² + (2λ(t−1) − η(V v(t−1) + s(t−1)) − τ v(t−1) + ν)·f
//
// and then sets λ(t) = λ(t−1) + (θ/2)(V v(t) − s(t)).
type NodeDual interface {
	Method

	// Step is a node's step of round t ≥ 1. Size is B, the number of its samples; 0 if
	// that is not known: the noise, which may depend on it, is then Silent.
	Step(p *Public, node, t, size int) Step
}

// Step is one round of a NodeDual method; a number that is hidden is NaN.
type Step struct {
	Eta    float64 // penalty η
	Theta  float64 // dual step θ
	Ridge  float64 // Φ, which some noise needs
	Anchor float64 // τ, the weight of staying at v(t−1)
	Noise  Noise   // of ν, the linear term that noise adds to the objective
	Place  Place   // of the noise
	Drawn  Noise   // what the node's stream draws, to the last bit; added to the step where Place is not InObjective
	Times  float64 // ν is so many times what is drawn
	Idle   bool    // the round touches no data and its dual stays
	Radius float64 // v is projected on the ball of this radius; 0: not
}

// FixedNoise is a NodeDual method that adds a vector, drawn once, to the objective of
// every round.
type FixedNoise interface {
	NodeDual

	// FixedRadius bounds that vector's norm; 0: there is none.
	FixedRadius(p *Public) float64

	// FixedLaw is the law of that vector times n, the number of nodes: uniform in the ball of that radius or, cube, in
	// the cube of that half width.
	FixedLaw() (radius float64, cube bool)
}

// Recycling is a NodeDual method whose even rounds touch no data: with γ the Weight,
//
//	v(2k) = v(2k−1) − (∇O + 2λ(2k−1) + η(V v(2k−1) − s(2k−1)))/(2ηV + γ)
type Recycling interface {
	NodeDual

	// Weight is γ.
	Weight() float64

	// Revealed is the method with a node's penalties known, those of its uses 1, 2, …
	Revealed(penalties []float64) Method
}

// Hides says whether the penalty η, and whether the dual step θ, is hidden.
func (p *Public) Hides() (eta, theta bool) {
	m, ok := p.Method.(NodeDual)
	if !ok {
		return false, false
	}
	s := m.Step(p, 0, 1, 0) // what is hidden is hidden at every node and in every round
	return math.IsNaN(s.Eta), math.IsNaN(s.Theta)
}

// history follows a node's dual through the rounds: λ(t) = λ(t−1) + (θ/2)c(t),
// c(t) = V v(t) − s(t), with what the update after it began with as v(t).
type history struct {
	public *Public
	method NodeDual
	seen   Observed
	node   int
	size   int

	dual   []float64   // known part of λ(t−1)
	steps  [][]float64 // c of past rounds whose θ is hidden
	offset int         // as of Gradient
	ends   int         // offsets so far
	last   int         // latest round whose dual step is in
	gone   string      // rounds are missing since the offset changed
}

// begin returns what says what a round tells.
func (h *history) begin() func(t int) (*Gradient, error) {
	h.dual = make([]float64, h.public.D)
	h.reset()
	return h.round
}

// fixed says whether every round has the same unknown vector in it.
func (h *history) fixed() bool {
	m, ok := h.method.(FixedNoise)
	return ok && m.FixedRadius(h.public) > 0
}

func (h *history) step(t int) Step { return h.method.Step(h.public, h.node, t, h.size) }

// lost starts a new offset: part of the dual is not known from now on.
func (h *history) lost(why string) {
	if h.gone != why {
		h.ends++
		h.offset, h.gone = h.ends, why
	}
	h.steps = nil
}

// reset has the dual be zero again. What is drawn once is drawn again, and is another offset here.
func (h *history) reset() {
	clear(h.dual)
	h.steps, h.gone = nil, ""
	if h.offset = 0; h.fixed() {
		h.ends++
		h.offset = h.ends
	}
}

// advance brings the dual to λ(t−1).
func (h *history) advance(t int) {
	for k := h.last + 1; k < t; k++ {
		step := h.step(k)
		h.last = k
		if anew, err := h.seen.Anew(h.node, k+1); err != nil {
			h.lost(err.Error())
			continue
		} else if anew {
			h.reset()
		}
		if step.Idle {
			continue
		}
		c, err := h.disagreement(k)
		switch {
		case err != nil:
			h.lost(err.Error())
		case math.IsNaN(step.Theta):
			h.steps = append(h.steps, c)
		default:
			num.Axpy(step.Theta/2, c, h.dual)
		}
	}
}

// disagreement is c(k) = V v(k) − s, s what entered the update after round k.
func (h *history) disagreement(k int) ([]float64, error) {
	if from := h.seen.From(); k < from {
		return nil, NotSeen("rounds before %d", from)
	}
	f, err := begin(h.seen, h.node, k+1)
	if err != nil {
		return nil, err
	}
	s, err := Sum(h.public, h.seen, h.node, k+1)
	if err != nil {
		return nil, err
	}
	c := make([]float64, len(f))
	degree := h.public.degree(h.node)
	for i := range c {
		c[i] = float64(degree*f[i]) - s[i]
	}
	return c, nil
}

// round is what round t says: −(q + (r+κ)f(t)), q the linear term of its step.
func (h *history) round(t int) (*Gradient, error) {
	p := h.public
	step := h.step(t)
	if step.Idle || t < h.seen.From() {
		return nil, ErrIdle
	}
	h.advance(t)
	f, err := valueOf(h.seen, h.node, t)
	if err != nil {
		return nil, err
	}
	before, err := begin(h.seen, h.node, t)
	if err != nil {
		return nil, err
	}
	s, err := Sum(p, h.seen, h.node, t)
	if err != nil {
		return nil, err
	}
	degree := p.degree(h.node)
	g := &Gradient{
		Round: t, At: f, Value: make([]float64, len(f)), Offset: h.offset, Noise: step.Noise, Place: step.Place,
		Ridge: p.R[h.node] + float64(2*step.Eta*degree) + step.Ridge + step.Anchor,
	}
	const onSphere = 1 - 1e-9
	if step.Radius > 0 && num.Norm(f) >= onSphere*step.Radius {
		g.Projected = step.Radius
	}
	g.Size = float64(2*num.Norm(h.dual)) + float64(g.Ridge*num.Norm(f)) +
		float64((float64(step.Eta*degree)+step.Anchor)*num.Norm(before)) + float64(step.Eta*num.Norm(s))
	pull := make([]float64, len(f)) // 2V f(t) − V f(t−1) − s
	for k := range f {
		pull[k] = float64(2*degree*f[k]) - float64(degree*before[k]) - s[k]
		g.Value[k] = float64(-2*h.dual[k]) - float64(p.R[h.node]*f[k]) - float64(step.Anchor*(f[k]-before[k]))
	}
	switch {
	case math.IsNaN(step.Ridge): // Φ depends on η and is hidden with it
		g.Nuisance = append(g.Nuisance, f)
	default:
		num.Axpy(-step.Ridge, f, g.Value)
	}
	if math.IsNaN(step.Eta) {
		g.Unknown = &Unknown{Nuisance: len(g.Nuisance), Growth: 2 * degree}
		g.Nuisance = append(g.Nuisance, pull)
	} else {
		num.Axpy(-step.Eta, pull, g.Value)
	}
	g.Nuisance = append(g.Nuisance, h.steps...)
	return g, nil
}

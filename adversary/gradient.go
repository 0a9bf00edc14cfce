// What messages say about the gradient of a node's data: the primal step's
// optimality condition, solved for it (MATH.md §5 (◆)).

package adversary

import (
	"errors"
	"fmt"
	"math"

	"overhear/internal/num"
)

// Gradient is what one round says about a node's data, whose gradient
//
//	∇(f) = (C/B) Σ_n L′(u_n·f) u_n
//
// at the point At is Value + Σ_k a_k Nuisance[k] + the unknown vector Offset,
// minus the noise, with unknown numbers a_k. For pdml it is the gradient of the
// debiased loss on reported labels.
type Gradient struct {
	Round    int
	At       []float64   // a d-vector
	Value    []float64   // a d-vector
	Nuisance [][]float64 // directions that hidden parameters multiply
	Offset   int         // > 0: an unknown vector, the same wherever this number is, is missing; 0: none
	Noise    Noise       // of Value, in its unit

	// Implicit says that At is where the objective, noise included, is least, so
	// that the noise is a function of At with Jacobian ∇²(At) + Ridge·I.
	Implicit bool
	Ridge    float64 // r + κ; NaN if η is hidden
}

// Noise is the law of a random d-vector. A Level that depends on a hidden
// parameter is NaN.
type Noise struct {
	Kind  NoiseKind
	Level float64 // of Norm: the rate ζ of its density ∝ exp(−ζ‖ε‖); of Gauss: σ of each coordinate
}

// NoiseKind names a law.
type NoiseKind uint8

// Laws of noise.
const (
	Silent NoiseKind = iota // there is none
	Norm
	Gauss
)

// errIdle is why a round says nothing about data.
var errIdle = errors.New("the round touches no data")

// Gradients are what the view says about a node's data, a Gradient for every
// round of which enough was seen, and what was not seen of the others. B is the
// number of the node's samples, which the noise of some methods depends on; 0
// where it is not known: their noise is then Silent.
func (v *View) Gradients(node, b int) (all []Gradient, unseen []string) {
	if !nodeDual(v.Public.Method) {
		return v.otherGradients(node, b)
	}
	h := &history{view: v, node: node}
	if v.Public.Method == "pdml" && !v.Public.silent() && v.Public.Numbers["bound"] > 0 {
		h.offset, h.ends = 1, 1 // the objective noise, drawn once
	}
	for t := 1; t <= v.Public.Rounds; t++ {
		if t < v.Watch.From {
			h.lost(fmt.Sprintf("rounds before %d", v.Watch.From))
			continue
		}
		g, err := h.round(t, b)
		switch m := (*Missing)(nil); {
		case err == nil:
			all = append(all, *g)
		case errors.As(err, &m):
			unseen = append(unseen, fmt.Sprintf("round %d: %s", t, m.What))
		case !errors.Is(err, errIdle):
			return all, append(unseen, err.Error())
		}
	}
	return all, unseen
}

// nodeDual says whether a method is of the family of ADMM with one dual a node.
func nodeDual(method string) bool {
	switch method {
	case "admm", "dvp", "pvp", "m-admm", "penalty-perturbation", "r-admm", "mr-admm", "private-r-admm", "private-mr-admm", "pdml":
		return true
	}
	return false
}

// recycles says whether even rounds touch no data.
func recycles(method string) bool {
	switch method {
	case "r-admm", "mr-admm", "private-r-admm", "private-mr-admm":
		return true
	}
	return false
}

// history follows a node's dual through the rounds: λ(t) = λ(t−1) + (θ/2)c(t),
// c(t) = V f(t) − s(t).
type history struct {
	view   *View
	node   int
	dual   []float64   // known part of λ(t−1)
	steps  [][]float64 // c of past rounds whose θ is hidden
	offset int         // as of Gradient
	ends   int         // offsets so far
	last   int         // latest round whose dual step is in
	gone   string      // rounds are missing since the offset changed
}

// lost starts a new offset: part of the dual is not known from now on.
func (h *history) lost(why string) {
	if h.gone != why {
		h.ends++
		h.offset, h.gone = h.ends, why
	}
	h.steps = nil
}

// use is which use of its penalty a node makes in a round.
func (p *Public) use(t int) int {
	if recycles(p.Method) {
		return (t + 1) / 2
	}
	return t
}

// penalty is η of a node and round, θ its dual step, and which of them is hidden.
func (p *Public) penalty(node, t int) (eta, theta float64, err error) {
	if eta, err = p.at("eta", node, p.use(t)); err != nil {
		return 0, 0, err
	}
	theta = eta
	switch {
	case recycles(p.Method) && t%2 == 0:
		theta = 0
	case p.Method == "m-admm", p.Method == "penalty-perturbation":
		theta, err = p.at("theta", node, t)
	}
	return eta, theta, err
}

// hides says whether η, and whether the dual step, are hidden. Where the dual step
// is η itself, it is hidden with it.
func (p *Public) hides() (eta, theta bool) {
	eta, theta = p.Hidden["eta"], p.Hidden["theta"]
	if p.Method != "m-admm" && p.Method != "penalty-perturbation" {
		theta = eta
	}
	return eta, theta
}

// advance brings the dual to λ(t−1).
func (h *history) advance(t int) error {
	p := h.view.Public
	if h.dual == nil {
		h.dual = make([]float64, p.D)
	}
	_, hidden := p.hides()
	for k := h.last + 1; k < t; k++ {
		_, theta, err := p.penalty(h.node, k)
		if err != nil {
			return err
		}
		h.last = k
		if recycles(p.Method) && k%2 == 0 {
			continue
		}
		c, err := h.disagreement(k)
		if err != nil {
			h.lost(err.Error())
			continue
		}
		if hidden {
			h.steps = append(h.steps, c)
		} else {
			num.Axpy(theta/2, c, h.dual)
		}
	}
	return nil
}

// disagreement is c(k) = V f(k) − s, s what entered the update after round k.
func (h *history) disagreement(k int) ([]float64, error) {
	v := h.view
	if k < v.Watch.From {
		return nil, missing("rounds before %d", v.Watch.From)
	}
	f, ok := v.Value(h.node, k)
	if !ok {
		return nil, missing("the value of node %d in round %d", h.node, k)
	}
	s, err := v.sum(h.node, k+1)
	if err != nil {
		return nil, err
	}
	c := make([]float64, len(f))
	degree := float64(v.Public.Graph.Degree(h.node))
	for i := range c {
		c[i] = degree*f[i] - s[i]
	}
	return c, nil
}

// round is what round t says: −(q + (r+κ)f(t)), q = 2λ(t−1) − η(V f(t−1) + s).
func (h *history) round(t, b int) (*Gradient, error) {
	v, p := h.view, h.view.Public
	if recycles(p.Method) && t%2 == 0 {
		return nil, errIdle
	}
	if err := h.advance(t); err != nil {
		return nil, err
	}
	f, ok := v.Value(h.node, t)
	if !ok {
		return nil, missing("the value of node %d in round %d", h.node, t)
	}
	before, ok := v.Value(h.node, t-1)
	if !ok {
		return nil, missing("the value of node %d in round %d", h.node, t-1)
	}
	s, err := v.sum(h.node, t)
	if err != nil {
		return nil, err
	}
	eta, _, err := p.penalty(h.node, t)
	if err != nil {
		return nil, err
	}
	degree := float64(p.Graph.Degree(h.node))
	phi, noise, implicit, err := p.noise(h.node, t, b)
	if err != nil {
		return nil, err
	}
	g := &Gradient{
		Round: t, At: f, Value: make([]float64, len(f)), Offset: h.offset, Noise: noise, Implicit: implicit,
		Ridge: p.R[h.node] + 2*eta*degree + phi,
	}
	pull := make([]float64, len(f)) // 2V f(t) − V f(t−1) − s
	for k := range f {
		pull[k] = 2*degree*f[k] - degree*before[k] - s[k]
		g.Value[k] = -2*h.dual[k] - p.R[h.node]*f[k]
	}
	hiddenEta, hiddenTheta := p.hides()
	switch {
	case phi != 0 && hiddenEta: // Φ, which depends on η, is hidden with it
		g.Nuisance = append(g.Nuisance, f)
	case phi != 0:
		num.Axpy(-phi, f, g.Value)
	}
	if hiddenEta {
		g.Nuisance = append(g.Nuisance, pull)
	} else {
		num.Axpy(-eta, pull, g.Value)
	}
	if hiddenTheta {
		g.Nuisance = append(g.Nuisance, h.steps...)
	}
	return g, nil
}

// noise is the ridge Φ that a method adds in a round, the law of the noise in a
// Gradient's Value, and whether the minimiser is of the noisy objective. With
// ν the linear term that noise adds to the objective, ∇ = Value − ν.
func (p *Public) noise(node, t, b int) (phi float64, n Noise, implicit bool, err error) {
	if p.silent() || b == 0 {
		return 0, Noise{}, true, nil
	}
	get := func(key string, k int) float64 {
		v, e := p.at(key, node, k)
		err = errors.Join(err, e)
		return v
	}
	size := float64(b) / p.C
	degree := float64(p.Graph.Degree(node))
	switch p.Method {
	case "dvp": // ν = (C/B)ε, ZZ16 Algorithm 2
		alpha, c1 := get("alpha", t), p.Loss.Bound()
		ridge := p.R[node] + 2*get("eta", t)*degree
		left := alpha - 2*math.Log1p(c1/(size*ridge))
		if !(left > 0) { // NaN, if η is hidden: then there may be a Φ
			phi = c1/(size*math.Expm1(alpha/4)) - ridge
			left = alpha / 2
		}
		if p.Words["calibration"] != "listing" {
			left /= 2
		}
		return phi, Noise{Norm, left * size}, true, err
	case "penalty-perturbation": // ν = 2ηVε, ZKL18 Algorithm 1
		return 0, Noise{Norm, get("alpha", t) / (2 * get("eta", t) * degree)}, true, err
	case "private-r-admm", "private-mr-admm": // ν = ε, RA19 Algorithm 3
		return 0, Noise{Norm, get("alpha", p.use(t))}, true, err
	case "pvp": // what is sent is the minimiser plus ε; to first order ν = (∇² + (r+κ)I)ε, ∇² taken as 0
		return 0, Noise{Norm, get("alpha", t) * size / 2}, false, err
	case "pdml":
		ridge := p.R[node] + 2*get("eta", t)*degree
		sigma := get("deviation", t) * math.Pow(get("decay", 1), float64(t-1)/2)
		return 0, Noise{Gauss, sigma * ridge}, false, err
	}
	return 0, Noise{}, true, nil
}

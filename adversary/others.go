// What messages say about the gradient of a node's data where the method is not
// of ADMM's node-dual family.

package adversary

import (
	"errors"
	"fmt"
	"math"

	"overhear/internal/num"
)

// otherGradients is Gradients for gradient descent, DP-ADMM and edge ADMM.
func (v *View) otherGradients(node, b int) (all []Gradient, unseen []string) {
	var round func(node, t, b int) (*Gradient, error)
	switch v.Public.Method {
	case "dgd", "private-dgd":
		round = v.descent
	case "dp-admm":
		round = (&clientDual{View: v}).round
	case "edge-admm":
		round = (&edgeStates{View: v}).round
	default:
		return nil, []string{fmt.Sprintf("the messages of method %s are not about gradients of rows", v.Public.Method)}
	}
	for t := 1; t <= v.Public.Rounds; t++ {
		g, err := round(node, t, b)
		if m := (*Missing)(nil); errors.As(err, &m) {
			unseen = append(unseen, fmt.Sprintf("round %d: %s", t, m.What))
			continue
		} else if err != nil {
			return all, append(unseen, err.Error())
		}
		all = append(all, *g)
	}
	return all, unseen
}

// pair is a node's values of rounds t−1 and t.
func (v *View) pair(node, t int) (before, now []float64, err error) {
	before, ok := v.Value(node, t-1)
	if !ok {
		return nil, nil, missing("the value of node %d in round %d", node, t-1)
	}
	now, ok = v.Value(node, t)
	if !ok {
		return nil, nil, missing("the value of node %d in round %d", node, t)
	}
	return before, now, nil
}

// descent solves f(t) = Σ W f(t−1) − a ∇O(f(t−1)) + ε for the gradient at f(t−1).
func (v *View) descent(node, t, b int) (*Gradient, error) {
	p := v.Public
	before, now, err := v.pair(node, t)
	if err != nil {
		return nil, err
	}
	step, err := p.at("step", node, t)
	if err != nil {
		return nil, err
	}
	if p.Words["decay"] != "none" {
		step /= math.Sqrt(float64(t))
	}
	inputs, err := v.Inputs(node, t)
	if err != nil {
		return nil, err
	}
	moved := make([]float64, p.D) // Σ_j W_ij f_j(t−1) − f_i(t)
	own := 1.0
	for k, j := range p.Graph.Neighbours(node) {
		f, ok := make([]float64, p.D), true
		if inputs[k] != Start {
			f, ok = v.Value(int(j), inputs[k])
		}
		if !ok {
			return nil, missing("the value of node %d in round %d", j, inputs[k])
		}
		w := 1 / float64(1+max(p.Graph.Degree(node), p.Graph.Degree(int(j)))) // Metropolis
		own -= w
		num.Axpy(w, f, moved)
	}
	num.Axpy(own, before, moved)
	num.Axpy(-1, now, moved)
	g := &Gradient{Round: t, At: before, Value: make([]float64, p.D)}
	num.Axpy(-p.R[node], before, g.Value)
	if p.Hidden["step"] {
		g.Nuisance = [][]float64{moved}
	} else {
		num.Axpy(1/step, moved, g.Value)
	}
	if p.Method == "private-dgd" && !p.silent() && b > 0 { // ζ = αB/(2C a) of f, so αB/2C of the gradient
		alpha, err := p.at("alpha", node, t)
		if err != nil {
			return nil, err
		}
		g.Noise = Noise{Norm, alpha * float64(b) / (2 * p.C)}
	}
	return g, nil
}

// clientDual follows γ of DP-ADMM's clients: γ(k) = γ(k−1) − η(w̃(k) − w̄(k)).
type clientDual struct {
	*View
	gamma []float64 // γ(t−1), after round(t)
	gone  bool      // part of γ is not known
	last  int
}

// round solves w̃(t) = (η w̄(t−1) + w̃(t−1)/s + γ(t−1) − ∇)/(r + η + 1/s) + ε for
// the gradient at w̃(t−1).
func (c *clientDual) round(node, t, b int) (*Gradient, error) {
	p := c.Public
	eta, err := p.at("eta", node, t)
	if err != nil {
		return nil, err
	}
	initial, err := p.at("step", node, t)
	if err != nil {
		return nil, err
	}
	if c.gamma == nil {
		c.gamma = make([]float64, p.D)
	}
	for k := c.last + 1; k < t; k++ {
		c.last = k
		own, ok := c.Value(node, k)
		hub, seen := c.Value(0, k)
		if !ok || !seen || k < c.Watch.From {
			c.gone = true
			continue
		}
		for i := range c.gamma {
			c.gamma[i] -= eta * (own[i] - hub[i])
		}
	}
	before, now, err := c.pair(node, t)
	if err != nil {
		return nil, err
	}
	hub, ok := c.Value(0, t-1)
	if !ok {
		return nil, missing("the hub's message of round %d", t-1)
	}
	stay := math.Sqrt(float64(t)) / initial
	ridge := p.R[node] + eta + stay
	g := &Gradient{Round: t, At: before, Value: make([]float64, p.D)}
	if c.gone {
		g.Offset = 1
	}
	for i := range g.Value {
		g.Value[i] = eta*hub[i] + stay*before[i] + c.gamma[i] - ridge*now[i]
	}
	if !p.silent() && b > 0 {
		epsilon, delta := p.Numbers["epsilon"], p.Numbers["delta"]
		// σ = Δ√(2 ln(1.25/δ))/ε with Δ = 2C/(B·ridge), times ridge.
		g.Noise = Noise{Gauss, 2 * p.C / float64(b) * math.Sqrt(2*math.Log(1.25/delta)) / epsilon}
	}
	return g, nil
}

// edgeStates follows z of edge ADMM on every edge of a node, both ways:
// z_ij ← (1−a)z_ij + a m_ji, m_ji = −z_ji + 2η f_j.
type edgeStates struct {
	*View
	z    map[[2]int][]float64
	last int
	gone error
}

// round solves ∇O(f) − Σ_j z_ij + ηV f = 0 for the gradient of the data.
func (e *edgeStates) round(node, t, _ int) (*Gradient, error) {
	p := e.Public
	if !p.Lockstep {
		return nil, errors.New("the states of edge ADMM's links are followed in lockstep only")
	}
	eta, err := p.at("eta", node, t)
	if err != nil {
		return nil, err
	}
	share := p.Numbers["relaxation"]
	neighbours := p.Graph.Neighbours(node)
	if e.z == nil {
		e.z = map[[2]int][]float64{}
		for _, j := range neighbours {
			e.z[[2]int{node, int(j)}] = make([]float64, p.D)
			e.z[[2]int{int(j), node}] = make([]float64, p.D)
		}
	}
	for k := e.last + 1; k < t; k++ { // the messages of round k enter the states of round k+1
		e.last = k
		for _, n := range neighbours {
			i, j := node, int(n)
			fi, a := e.Value(i, k)
			fj, b := e.Value(j, k)
			if !a || !b || k < e.Watch.From {
				e.gone = missing("the link %d–%d in round %d, on which its state depends ever after", i, j, k)
				continue
			}
			zi, zj := e.z[[2]int{i, j}], e.z[[2]int{j, i}]
			for c := range zi {
				mi, mj := -zi[c]+2*eta*fi[c], -zj[c]+2*eta*fj[c]
				zi[c] += share * (mj - zi[c])
				zj[c] += share * (mi - zj[c])
			}
		}
	}
	if e.gone != nil {
		return nil, e.gone
	}
	f, ok := e.Value(node, t)
	if !ok {
		return nil, missing("the value of node %d in round %d", node, t)
	}
	ridge := p.R[node] + eta*float64(len(neighbours))
	g := &Gradient{Round: t, At: f, Value: make([]float64, p.D), Implicit: true, Ridge: ridge}
	for _, j := range neighbours {
		num.Axpy(1, e.z[[2]int{node, int(j)}], g.Value)
	}
	num.Axpy(-ridge, f, g.Value)
	return g, nil
}

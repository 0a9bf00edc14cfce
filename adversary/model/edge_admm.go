package model

import (
	"errors"
	"math"

	"overhear/internal/num"
)

// edgeADMM is relaxed ADMM with a state on every link (Bastianello et al. 2021).
type edgeADMM struct {
	Eta        float64 `yaml:"eta" secret:"penalty"`
	Relaxation float64 `yaml:"relaxation"`
	Exact
}

// Follow follows z on every link of a node, both ways: z_ij ← (1−a)z_ij + a m_ji,
// m_ji = −z_ji + 2η f_j.
func (m *edgeADMM) Follow(p *Public, o Observed, node, _ int) func(int) (*Gradient, error) {
	e := &linkStates{edgeADMM: m, public: p, seen: o, node: node, z: map[[2]int][]float64{}}
	for _, j := range p.Graph.Neighbours(node) {
		e.z[[2]int{node, int(j)}] = make([]float64, p.D)
		e.z[[2]int{int(j), node}] = make([]float64, p.D)
	}
	return e.round
}

// EdgeDual is a Method whose nodes keep a vector z for every neighbour, zero until their update of round 2: they
// send 2ηf − z, and a message m that has come goes in by z ← (1−a)z + a m, from round 1 on.
type EdgeDual interface {
	Method
	Edge() (eta, a float64)
}

// Edge is η and a.
func (m *edgeADMM) Edge() (eta, a float64) { return m.Eta, m.Relaxation }

type linkStates struct {
	*edgeADMM
	public *Public
	seen   Observed
	node   int
	z      map[[2]int][]float64
	last   int
	gone   error
}

// round solves ∇O(f) − Σ_j z_ij + ηV f = 0 for the gradient of the data. In round 1 all z are zero, whatever has come.
func (e *linkStates) round(t int) (*Gradient, error) {
	p, node := e.public, e.node
	switch {
	case !p.Timing.Lockstep && t > 1:
		return nil, errors.New("from round 2 on, the states of edge ADMM's links are followed in lockstep only")
	case math.IsNaN(e.Eta):
		return nil, errors.New("penalties are hidden, and multiply every message of edge ADMM")
	}
	neighbours := p.Graph.Neighbours(node)
	for k := e.last + 1; k < t; k++ { // the messages of round k enter the states of round k+1
		e.last = k
		for _, n := range neighbours {
			i, j := node, int(n)
			fi, a := e.seen.Value(i, k)
			fj, b := e.seen.Value(j, k)
			if !a || !b || k < e.seen.From() {
				e.gone = NotSeen("the link %d–%d in round %d, on which its state depends ever after", i, j, k)
				continue
			}
			zi, zj := e.z[[2]int{i, j}], e.z[[2]int{j, i}]
			for c := range zi {
				mi, mj := -zi[c]+float64(2*e.Eta*fi[c]), -zj[c]+float64(2*e.Eta*fj[c])
				zi[c] += float64(e.Relaxation * (mj - zi[c]))
				zj[c] += float64(e.Relaxation * (mi - zj[c]))
			}
		}
	}
	if e.gone != nil {
		return nil, e.gone
	}
	f, err := valueOf(e.seen, node, t)
	if err != nil {
		return nil, err
	}
	ridge := p.R[node] + float64(e.Eta*float64(len(neighbours)))
	g := &Gradient{Round: t, At: f, Value: make([]float64, p.D), Ridge: ridge}
	for _, j := range neighbours {
		num.Axpy(1, e.z[[2]int{node, int(j)}], g.Value)
	}
	num.Axpy(-ridge, f, g.Value)
	return g, nil
}

func init() { register(&Entry{Name: "edge-admm", Model: func() Method { return new(edgeADMM) }}) }

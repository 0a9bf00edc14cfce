// ADMM with a state for every edge, which survives lost and late messages.

package algorithms

import (
	"fmt"

	"overhear/internal/num"
)

// EdgeADMM is relaxed ADMM with one vector z_ij for each neighbour (Bastianello,
// Carli, Schenato & Todescato 2021).
type EdgeADMM struct {
	Eta        float64 `yaml:"eta" default:"auto" doc:"penalty η > 0; auto: computed from the problem"`
	Relaxation float64 `yaml:"relaxation" default:"0.5" doc:"share a of a message that enters the edge's state, 0 < a < 1"`
}

// Check reports parameters out of range.
func (p EdgeADMM) Check(report func(field, problem string)) {
	ADMM{p.Eta}.Check(report)
	if !(p.Relaxation > 0 && p.Relaxation < 1) {
		report("relaxation", fmt.Sprintf("must be between 0 and 1, is %v", p.Relaxation))
	}
}

// state is z_ij for the neighbour in position k.
func (p EdgeADMM) state(n *Node, k int) []float64 {
	d := len(n.F)
	return n.Memory[k*d : (k+1)*d]
}

// Update takes the neighbours' messages m_ji into the states,
// z_ij ← (1−a)z_ij + a m_ji, each once, and minimises O_i(f) − (Σ_j z_ij)·f + (ηV/2)‖f‖².
// The messages of round 0 are no more than starting points.
func (p EdgeADMM) Update(n *Node, t int) error {
	if n.Memory == nil {
		n.Memory = make([]float64, n.Degree()*len(n.F))
	}
	clear(n.Q)
	for k, m := range n.Heard {
		z := p.state(n, k)
		if t > 1 && (n.Fresh == nil || n.Fresh[k]) {
			num.Scale(1-p.Relaxation, z)
			num.Axpy(p.Relaxation, m, z)
		}
		num.Axpy(-1, z, n.Q)
	}
	return n.Minimise(p.Eta * float64(n.Degree()))
}

// Message is m_ij = −z_ij + 2η f_i.
func (p EdgeADMM) Message(n *Node, k int, m []float64) {
	clear(m)
	if n.Memory != nil {
		num.Axpy(-1, p.state(n, k), m)
	}
	num.Axpy(2*p.Eta, n.F, m)
}

// LossTolerant says that a lost message only delays one z_ij.
func (p EdgeADMM) LossTolerant() {}

// Dual has nothing to do: the states are the duals.
func (p EdgeADMM) Dual(*Node, int) {}

func init() {
	register(&Entry{
		Name:  "edge-admm",
		Title: "relaxed ADMM with a state for every edge",
		Paper: "Bastianello, Carli, Schenato & Todescato, Asynchronous Distributed Optimization over Lossy Networks " +
			"via Relaxed ADMM, IEEE TAC 2021",
		About: `Node i keeps a vector z_ij for each of its V neighbours j, zero at first:
  f_i(t+1) = argmin O_i(f) − (Σ_j z_ij)·f + (ηV/2)‖f‖²
  send m_ij = −z_ij + 2η f_i(t+1) to j
  z_ij ← (1−a) z_ij + a m_ji when m_ji arrives
Converges to the centralised optimum for η > 0, 0 < a < 1; a lost message only delays one z_ij.
Claims no privacy.`,
		Params: func() any { return new(EdgeADMM) },
		New:    func(params any, _ Setting) (Method, error) { return *params.(*EdgeADMM), nil },
	})
}

// Rounds that are affine in what a node holds, hears and draws.

package algorithms

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"overhear/internal/num"
	"overhear/problem"
	"overhear/sim"
)

// Affine is a round of a node whose new iterate, dual and memory are affine in what it held, heard and drew. Blocks are
// d × d, by rows; nil: zero. Of round t the dual held is λ(t−2), the new one λ(t−1), which the iterate of round t uses.
type Affine struct {
	Own      [3][3][]float64 // of the new iterate, dual and memory: from the old ones
	Heard    [3][][]float64  // from each neighbour's value, by position
	Noise    [3][]float64    // from what is drawn, N(0, Sigma² I)
	Sigma    float64         // 0: nothing is drawn
	Constant [3][]float64    // the rest, which the node's data decide
}

// Prober finds out the affine rounds of a node from its method's own code: it steps from the origin and from unit
// vectors. It serves one goroutine at a time.
type Prober struct {
	method RowMethod
	node   Node
	rounds int
	width  int // numbers that enter: iterate, dual, memory, neighbours' values, noise
	known  *Affine
	trial  []float64    // an input
	came   [3][]float64 // what it made of it
	sigma  float64
}

// probe is what a step that is tried out draws.
type probe struct {
	noise  []float64
	sigma  float64
	exotic bool // noise that is not Gaussian
}

// probed puts what a probe holds into n.Room in place of noise of a law; false: the step is a run's.
func (n *Node) probed(normal bool, level float64) bool {
	if n.probe == nil {
		return false
	}
	n.probe.sigma, n.probe.exotic = level, n.probe.exotic || !normal
	copy(n.Room, n.probe.noise)
	return true
}

// NewProber probes the node of a shard, whose data are given: the problem's, or others. The error says why a method's
// rounds are not affine, or noise is not Gaussian.
func NewProber(method Method, s Setting, shard int, data *problem.Objective) (*Prober, error) {
	m, ok := method.(RowMethod)
	t := traitsOf(method)
	_, central := method.(Central)
	_, foreign := method.(Foreign)
	switch {
	case foreign:
		return nil, errors.New("its steps are another program's, of which nothing is known")
	case !ok || central || t.addressing != nil || t.sheltering != nil || t.registering != nil:
		return nil, errors.New("what its nodes send is not one iterate for all neighbours that follows from theirs")
	case s.Problem.Loss != problem.Squared && s.Problem.Loss != problem.LeastSquares || s.Problem.K > 0:
		return nil, errors.New("its steps are not affine: the loss is not squared (problem.loss)")
	case s.Problem.NonSmooth != nil:
		return nil, errors.New("its steps are not affine: the regulariser has kinks, or there is a set")
	}
	d := s.Problem.D
	const tolerance = 1e-13
	p := &Prober{method: m, rounds: s.Rounds, width: (4 + s.Graph.Degree(shard)) * d,
		node: Node{ID: shard, seed: s.Seed, degree: s.Graph.Degree(shard), Work: &newWork(1, s.Problem)[0],
			solver: problem.NewSolver(data, tolerance)}}
	draws := sim.NewStream(s.Seed, "probe", uint64(shard))
	p.trial = make([]float64, p.width)
	for k := range p.trial {
		p.trial[k] = draws.Float64() - 0.5
	}
	return p, nil
}

// apply is the new iterate, dual and memory of round t. In is what enters: the old ones, neighbours' values, noise.
func (p *Prober) apply(t int, in []float64) (out [3][]float64, err error) {
	n := &p.node
	d := len(n.Work.Q)
	n.F, n.Dual, n.Memory = slices.Clone(in[:d]), slices.Clone(in[d:2*d]), slices.Clone(in[2*d:3*d])
	heard := make([][]float64, n.degree)
	for k := range heard {
		heard[k] = in[(3+k)*d : (4+k)*d]
	}
	n.probe = &probe{noise: in[len(in)-d:]}
	if err := n.step(p.method, t, p.rounds, heard); err != nil {
		return out, err
	}
	if len(n.Memory) != d {
		return out, errors.New("its nodes remember more than three vectors")
	}
	if n.probe.exotic {
		return out, errors.New("its noise is not Gaussian")
	}
	p.sigma = n.probe.sigma
	return [3][]float64{n.F, n.Dual, n.Memory}, nil
}

// Round is round t ≥ 1. Rounds that are alike are found out once.
func (p *Prober) Round(t int) (*Affine, error) {
	came, err := p.apply(t, p.trial)
	if err != nil {
		return nil, fmt.Errorf("round %d of node %d: %w", t, p.node.ID, err)
	}
	if p.known != nil && p.known.Sigma == p.sigma && coincide(came, p.came) {
		return p.known, nil
	}
	origin, err := p.apply(t, make([]float64, p.width))
	if err != nil {
		return nil, err
	}
	d := len(origin[0])
	a := &Affine{Sigma: p.sigma, Constant: origin}
	in := make([]float64, p.width)
	total := [3][]float64{slices.Clone(origin[0]), slices.Clone(origin[1]), slices.Clone(origin[2])}
	for block := range p.width / d {
		var m [3][]float64
		for k := range d {
			clear(in)
			in[block*d+k] = 1
			out, err := p.apply(t, in)
			if err != nil {
				return nil, err
			}
			for o := range out {
				for r, v := range out[o] {
					v -= origin[o][r]
					if m[o] == nil && v != 0 {
						m[o] = make([]float64, d*d)
					}
					if v != 0 {
						m[o][r*d+k] = v
					}
					total[o][r] += float64(v * p.trial[block*d+k])
				}
			}
		}
		for o := range m {
			switch {
			case block < len(a.Own):
				a.Own[o][block] = m[o]
			case block < p.width/d-1:
				a.Heard[o] = append(a.Heard[o], m[o])
			default:
				a.Noise[o] = m[o]
			}
		}
	}
	if !coincide(total, came) {
		return nil, fmt.Errorf("round %d of node %d is not affine", t, p.node.ID)
	}
	p.known, p.came = a, came
	return a, nil
}

// coincide says whether vectors agree to what solves leave.
func coincide(a, b [3][]float64) bool {
	const tolerance = 1e-8
	for o := range a {
		scale := 1 + num.Norm(a[o])
		for k, v := range a[o] {
			if !(math.Abs(v-b[o][k]) <= tolerance*scale) {
				return false
			}
		}
	}
	return true
}

// Constant is what round t makes of nothing: the part that the node's data decide.
func (p *Prober) Constant(t int) ([3][]float64, error) { return p.apply(t, make([]float64, p.width)) }

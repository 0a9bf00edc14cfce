// What everybody knows of a run: the method, its parameters, the graph.

package adversary

import (
	"fmt"
	"math"

	"overhear/problem"
	"overhear/sim"
)

// Schedule is a parameter that varies by node and use; the first use is 1.
type Schedule interface{ At(node, k int) float64 }

// Public is what an observer knows of a run without overhearing anything.
type Public struct {
	Method   string
	Graph    *sim.Graph // of the nodes; a survey's users are not in it
	D        int        // columns
	Rounds   int
	Loss     problem.Loss
	C        float64
	R        []float64    // r_i by node; of a star's hub it means nothing
	Star     bool         // node 0 is a hub without data
	Start    bool         // every node starts at zero
	Lockstep bool         // an update of round t uses the neighbours' values of round t−1
	Barrier  bool         // or, where they come too late, what the update before used; else it uses the latest that came
	Slowest  sim.Duration // an update takes no longer; where rounds are not in lockstep
	Faulty   bool         // nodes may be down, or slower than Slowest says
	Pace     Pace         // when a node goes on; where there is neither lockstep nor barrier

	Schedules map[string]Schedule // parameters by key, such as eta, theta, alpha
	Numbers   map[string]float64  // such as gamma, relaxation
	Words     map[string]string   // such as calibration, noise

	// Hidden are the keys of parameters that each node keeps to itself.
	Hidden map[string]bool

	// Of a run over split columns.
	Rows   int   // N
	Widths []int // columns of each party
	Weight float64
	Ridge  float64
}

// Hide takes parameters away: each node keeps them to itself.
func (p *Public) Hide(keys ...string) {
	for _, key := range keys {
		delete(p.Schedules, key)
		delete(p.Numbers, key)
		p.Hidden[key] = true
	}
}

// at is a parameter of a node's k-th use. Of a star's client, schedules and
// noise are numbered by shard. A hidden one is NaN.
func (p *Public) at(key string, node, k int) (float64, error) {
	if p.Hidden[key] {
		return math.NaN(), nil
	}
	if p.Star {
		node--
	}
	if s, ok := p.Schedules[key]; ok {
		return s.At(node, k), nil
	}
	if v, ok := p.Numbers[key]; ok {
		return v, nil
	}
	return 0, fmt.Errorf("method %s has no public parameter %q", p.Method, key)
}

// silent says that the run's noise is off, or that the method has none.
func (p *Public) silent() bool { return p.Words["noise"] == "off" }

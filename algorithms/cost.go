// How long updates take in virtual time.

package algorithms

import (
	"fmt"
	"math"

	"overhear/internal/num"
	"overhear/sim"
)

// Cost models the time an update takes: rows × Row × (1 + Jitter·u) / speed, u
// uniform in [−1, 1) and drawn per node and round.
type Cost struct {
	Row    sim.Duration `yaml:"row" default:"40ns" doc:"virtual time an update takes for each row of the node's data"`
	Jitter float64      `yaml:"jitter" default:"0.1" doc:"relative spread of that time, uniform in [1−jitter, 1+jitter]"`
	Speeds []float64    `yaml:"speeds" doc:"how fast each node computes, 1 is normal; default all 1"`
	Spread float64      `yaml:"speed-spread" doc:"instead: nodes' speeds are lognormal around 1 with this standard deviation of their logarithm, drawn by the seed"`

	speeds []float64 // of the run's nodes; nil: all 1
}

// Check reports a negative cost or a jitter that would make time run backwards.
func (c Cost) Check(report func(field, problem string)) {
	if c.Row < 0 {
		report("row", fmt.Sprintf("must be a duration ≥ 0, is %v", c.Row))
	}
	if !(c.Jitter >= 0 && c.Jitter <= 1) {
		report("jitter", fmt.Sprintf("must be between 0 and 1, is %v", c.Jitter))
	}
	for _, v := range c.Speeds {
		if !(v > 0) {
			report("speeds", fmt.Sprintf("must be positive, one is %v", v))
			break
		}
	}
	if !(c.Spread >= 0 && c.Spread <= 10) {
		report("speed-spread", fmt.Sprintf("must be between 0 and 10, is %v", c.Spread))
	}
	if c.Spread > 0 && c.Speeds != nil {
		report("speed-spread", "must stand without speeds")
	}
}

// Of is the cost with the speeds of a run's n nodes; an error if speeds are given
// for another number.
func (c Cost) Of(seed uint64, n int) (Cost, error) {
	if c.Speeds != nil && len(c.Speeds) != n {
		return c, fmt.Errorf("compute.speeds is given for %d nodes; there are %d", len(c.Speeds), n)
	}
	c.speeds = c.Speeds
	if c.Spread > 0 {
		c.speeds = make([]float64, n)
		for i := range c.speeds {
			c.speeds[i] = num.Exp(float64(c.Spread * sim.NewStream(seed, "speed", uint64(i)).Normal()))
		}
	}
	return c, nil
}

func (c Cost) of(node, rows int, s *sim.Stream) sim.Duration {
	spread := 1 + float64(c.Jitter*(float64(2*s.Float64())-1))
	cost := float64(rows) * float64(c.Row) * spread
	if c.speeds != nil {
		cost /= c.speeds[node]
	}
	return whole(math.Floor(cost))
}

// Took is how long a node's update of a round takes, by the run's seed: what the protocols draw.
func (c Cost) Took(seed uint64, node, rows, round int) sim.Duration {
	return c.of(node, rows, sim.NewStream(seed, "compute", uint64(node), uint64(round)))
}

// whole is a time in nanoseconds; what is too long for virtual time is its greatest, at
// which the engine says that it overflows.
func whole(ns float64) sim.Duration {
	if !(ns < math.MaxInt64) {
		return math.MaxInt64
	}
	return sim.Duration(ns)
}

// Slowest is the longest that an update of so many rows may take a node.
func (c Cost) Slowest(node, rows int) sim.Duration {
	cost := float64(rows) * float64(c.Row) * (1 + c.Jitter)
	if c.speeds != nil {
		cost /= c.speeds[node]
	}
	return whole(math.Ceil(cost))
}

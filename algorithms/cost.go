// How long updates take in virtual time.

package algorithms

import (
	"fmt"
	"math"

	"overhear/internal/num"
	"overhear/sim"
)

// Cost models the time an update takes: rows × Row × (1 + Jitter·u), u uniform in [−1, 1), or a time of Law or
// Measured whatever the rows, drawn per node and round; divided by the node's speed and times its class's factor. What
// touches no rows takes no time.
type Cost struct {
	Row      sim.Duration  `yaml:"row" default:"40ns" doc:"virtual time an update takes for each row of the node's data"`
	Jitter   float64       `yaml:"jitter" default:"0.1" doc:"relative spread of that time, uniform in [1−jitter, 1+jitter]"`
	Law      *sim.Latency  `yaml:"law" doc:"instead of row and jitter: law of how long an update takes, whatever its rows, such as {kind: lognormal, median: 20ms, sigma: 0.5}"`
	Measured *sim.Measured `yaml:"measured" doc:"instead of row and jitter: times of updates that were measured, of which each update takes one"`
	Speeds   []float64     `yaml:"speeds" doc:"how fast each node computes, 1 is normal; default all 1"`
	Spread   float64       `yaml:"speed-spread" doc:"instead: nodes' speeds are lognormal around 1 with this standard deviation of their logarithm, drawn by the seed"`
	Classes  *sim.Factors  `yaml:"classes" doc:"how many times as long updates take nodes of a class, besides"`

	speeds  []float64      // of the run's nodes; nil: all 1
	factors []float64      // of their classes; nil: all 1
	times   []sim.Duration // those of Measured, ascending
}

// Check reports a negative cost or a jitter that would make time run backwards.
func (c Cost) Check(report func(field, problem string)) {
	if c.Row < 0 {
		report("row", fmt.Sprintf("must be a duration ≥ 0, is %v", c.Row))
	}
	if !(c.Jitter >= 0 && c.Jitter <= 1) {
		report("jitter", fmt.Sprintf("must be between 0 and 1, is %v", c.Jitter))
	}
	within := func(key string) func(field, problem string) {
		return func(field, problem string) { report(key+"."+field, problem) }
	}
	switch {
	case c.Law != nil && c.Measured != nil:
		report("law", "must stand without measured")
	case c.Law != nil && !c.Law.Law():
		report("law", "must be a law by itself, is a matrix")
	case c.Law != nil:
		c.Law.Check(within("law"))
	case c.Measured != nil:
		c.Measured.Check(within("measured"))
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
	if c.Classes != nil {
		c.Classes.Check(within("classes"))
	}
}

// Of is the cost with the speeds of a run's n nodes; an error if speeds are given for another number, or if a file is
// not as it should be.
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
	if c.Classes != nil {
		factors, err := c.Classes.Of(seed, n)
		if err != nil {
			return c, fmt.Errorf("compute.classes: %w", err)
		}
		c.factors = factors
	}
	if c.Measured != nil {
		var err error
		if c.times, err = c.Measured.Read(); err != nil {
			return c, fmt.Errorf("compute.measured: %w", err)
		}
	}
	return c, nil
}

// of is the cost of an update, from the stream that is its own.
func (c *Cost) of(node, rows int, s *sim.Stream) sim.Duration {
	cost := float64(rows) * float64(c.Row)
	switch {
	case rows == 0:
		return 0
	case c.Law != nil:
		cost = float64(c.Law.Draw(s))
	case c.times != nil:
		cost = float64(c.times[s.IntN(len(c.times))])
	case c.Jitter > 0:
		cost *= 1 + float64(c.Jitter*(float64(2*s.Float64())-1))
	}
	return whole(math.Floor(c.by(node, cost)))
}

// by is what a time comes to at a node's speed and in its class.
func (c *Cost) by(node int, cost float64) float64 {
	if c.speeds != nil {
		cost /= c.speeds[node]
	}
	if c.factors != nil {
		cost = float64(cost * c.factors[node])
	}
	return cost
}

// Took is how long a node's update of a round takes, by the run's seed: what the protocols draw.
func (c *Cost) Took(seed uint64, node, rows, round int) sim.Duration {
	var s *sim.Stream
	if rows > 0 && (c.Law != nil || c.times != nil || c.Jitter > 0) { // making one takes longer than all else here
		s = sim.NewStream(seed, "compute", uint64(node), uint64(round))
	}
	return c.of(node, rows, s)
}

// whole is a time in nanoseconds; what is too long for virtual time is its greatest, at
// which the engine says that it overflows.
func whole(ns float64) sim.Duration {
	if !(ns < math.MaxInt64) {
		return math.MaxInt64
	}
	return sim.Duration(ns)
}

// Slowest is the longest that an update of so many rows may take a node; the greatest time there is where its law has
// no bound.
func (c *Cost) Slowest(node, rows int) sim.Duration {
	if rows == 0 {
		return 0
	}
	_, most := c.bounds(rows)
	return whole(math.Ceil(c.by(node, most)))
}

// Fastest is the shortest that an update of so many rows may take a node.
func (c *Cost) Fastest(node, rows int) sim.Duration {
	if rows == 0 {
		return 0
	}
	least, _ := c.bounds(rows)
	return whole(math.Floor(c.by(node, least)))
}

// bounds are the least and the longest time of an update of rows at speed 1, in nanoseconds.
func (c *Cost) bounds(rows int) (least, most float64) {
	switch {
	case c.Law != nil:
		return c.Law.Bounds()
	case c.times != nil:
		return float64(c.times[0]), float64(c.times[len(c.times)-1])
	}
	whole := float64(rows) * float64(c.Row)
	return whole * (1 - c.Jitter), whole * (1 + c.Jitter)
}

// Usual is about how long an update of so many rows takes, in nanoseconds, at speed 1.
func (c *Cost) Usual(rows float64) float64 {
	switch {
	case c.Law != nil:
		return 1e9 * c.Law.MedianSeconds()
	case c.Measured != nil:
		times, err := c.Measured.Read()
		if err != nil || len(times) == 0 {
			return 0 // of which the run tells
		}
		return float64(times[len(times)/2])
	}
	return float64(rows * float64(c.Row))
}

// Whether times of a scenario are so short, against the time of a round, that a run is of
// little else than crashes or requests and does not end while anybody waits for it.

package experiment

import (
	"fmt"
	"math"

	"overhear/scenarios"
	"overhear/sim"
)

// What a run may be made of: above both in one round and in all, a run is refused. In one
// round a thousand are of no use; together they take minutes. If nothing gets through, nodes
// wait for the deadline, and a wait as long as that is bounded, too.
const (
	mostInRound = 1e3
	mostInRun   = 1e7
	mostInWait  = 1e8
)

// pace is an error for crashes, retries and timeouts that are too frequent by far.
func (e *Experiment) pace(a *Assembly) error {
	for _, p := range e.Phases() {
		if err := paceOf(a, p.Scenario); err != nil {
			return err
		}
	}
	return nil
}

// paceOf is pace in a phase.
func paceOf(a *Assembly, e *scenarios.Scenario) error {
	rows, nodes := 0.0, a.Graph.Order()
	if a.Split != nil {
		rows = float64(a.Split.N)
	} else if n := len(a.Problem.Shards); n > 0 {
		rows = float64(a.TrainRows()) / float64(n)
	}
	r := &e.Rounds
	latency := e.Network.On(a.Sites).Latency
	round := float64(1e9*latency.MedianSeconds()) + e.Compute.Usual(rows) // in nanoseconds
	count := float64(r.Count)
	for k, f := range e.Network.Faults {
		c, ok := f.Kind.(sim.Recurring)
		if !ok {
			continue
		}
		each, some := c.Changes()
		who := float64(nodes)
		if some != nil {
			who = float64(len(some))
		}
		lasts := math.Inf(1)
		if f.Until != 0 {
			lasts = float64(f.Until - f.At)
		}
		key := fmt.Sprintf("network.faults[%d].%s: %v", k, f.Kind.Key(), f)
		if err := tooMany(key, "outages", each*who, min(round, lasts), min(count*round, lasts),
			min(float64(r.Deadline), lasts), who, "make them fewer, or longer"); err != nil {
			return err
		}
	}
	key, every, backoff := "retry", r.Retry, 8.0 // the interval grows to eight times the first
	waits := e.EverLossy()
	if r.Mode == "asynchronous" {
		backoff = 1
		if r.Timeout > 0 {
			key, every = "timeout", r.Timeout
			waits = r.Staleness > 0
		}
	}
	if !waits {
		return nil
	}
	links := float64(a.Graph.Links())
	return tooMany(fmt.Sprintf("rounds.%s: %v", key, every), "requests", links/(backoff*float64(every)), round,
		count*round, float64(r.Deadline), links, fmt.Sprintf("make rounds.%s longer", key))
}

// tooMany says that there are too many events of a kind, given how many there are in a nanosecond,
// and how long a round, the run and its longest wait are; so many sources share them.
func tooMany(key, what string, rate, round, run, wait, sources float64, advice string) error {
	if rate*round <= float64(mostInRound*sources) || rate*run <= mostInRun && rate*wait <= mostInWait {
		return nil
	}
	return fmt.Errorf("%s: about %.0e %s in each round, which takes %v or longer, and %.0e in the run, or %.0e while "+
		"nodes wait for the deadline: it would not end; %s", key, rate*round, what, duration(round), rate*run,
		rate*wait, advice)
}

// duration is a number of nanoseconds as one.
func duration(ns float64) sim.Duration { return sim.Duration(min(ns, math.MaxInt64/2)) }

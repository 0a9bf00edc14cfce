// Which of a neighbour's values entered an update without lockstep, as far as the times of packets tell it to one who
// may not have seen all of them.

package adversary

import (
	"math"
	"slices"

	"overhear/adversary/model"
	"overhear/sim"
)

// input is the round of a neighbour's value that entered a node's update.
func (v *View) input(node, neighbour, round int) (int, error) {
	if round > v.Public.Rounds { // only the dual follows, when all that is to come may have come
		return 0, model.NotSeen("what entered the last dual step of node %d", node)
	}
	latest, err := v.timed(node, neighbour, round)
	if err != nil && v.nought(node, neighbour) && v.startAtMost(node, neighbour, round) {
		return model.Start, nil
	}
	return latest, err
}

// timed is that round where arrivals can be put before or after the beginning of the update.
func (v *View) timed(node, neighbour, round int) (int, error) {
	published, ok := v.published(node, round)
	if !ok {
		return 0, model.NotSeen("when node %d published round %d", node, round)
	}
	if v.Public.Timing.Faulty && v.clock == nil {
		return 0, model.NotSeen("how long node %d, which may have been down or slow, worked on round %d", node, round)
	}
	if v.Public.Timing.Barrier {
		return v.stoodIn(node, neighbour, round, published)
	}
	by := published - int64(v.fastest(node, round))
	latest := model.Start
	for _, a := range v.arrived[[2]int{node, neighbour}] {
		switch {
		case a.at < published-int64(v.Public.Timing.Slowest): // one at that instant may have come after what began it
			latest = max(latest, a.round)
		case a.at <= by && a.round > latest && (a.round > 0 || !v.nought(node, neighbour)):
			return 0, model.NotSeen("whether the value of node %d that arrived while node %d worked on round %d "+
				"entered it", neighbour, node, round)
		}
	}
	if v.whole(node) {
		return latest, nil
	}
	known := latest
	if latest == model.Start && v.nought(node, neighbour) {
		known = 0
	}
	if err := v.overtaken(node, neighbour, known, by); err != nil {
		return 0, err
	}
	if known == model.Start {
		return 0, model.NotSeen("any value of node %d that reached node %d before its round %d", neighbour, node, round)
	}
	return latest, nil
}

// overtaken reports a later value of a neighbour that may have reached a node by
// some time without being seen to.
func (v *View) overtaken(node, neighbour, latest int, by int64) error {
	for round := latest + 1; round <= v.Public.Rounds; round++ {
		if v.later(node, neighbour, round, by) {
			return nil // and so did those of later rounds
		}
		seen := v.unasked(by) && slices.ContainsFunc(v.sent[[2]int{neighbour, round}], func(s sending) bool {
			return s.to == node && v.unasked(s.at)
		})
		if !seen { // those that were arrived later, or latest would be theirs; an answer may be another's second
			return model.NotSeen("whether the value of node %d of round %d reached node %d", neighbour, round, node)
		}
	}
	return nil
}

// startAtMost says whether no value that a neighbour had computed can have entered a node's update, whatever faults
// befell the node: each is known to have come when a packet with that update's value had been sent, or the update had
// begun for that.
func (v *View) startAtMost(node, neighbour, round int) bool {
	sent := v.sent[[2]int{node, round}]
	if len(sent) == 0 {
		return false
	}
	first := int64(math.MaxInt64)
	for _, s := range sent { // an answer was sent later than the value was published
		first = min(first, s.at)
	}
	by := first - int64(v.fastest(node, round))
	computed := slices.ContainsFunc(v.arrived[[2]int{node, neighbour}], func(a arrival) bool {
		return a.round > 0 && a.at <= by
	})
	return !computed && (v.whole(node) || v.overtaken(node, neighbour, 0, by) == nil)
}

// later says whether a neighbour's value of a round from 1 on is known to have come to a node after some time only.
func (v *View) later(node, neighbour, round int, by int64) bool {
	sent := int64(0)
	for r := max(0, round-1); r <= round; r++ {
		if at, ok := v.published(neighbour, r); ok {
			sent = max(sent, at)
		}
	}
	if round > 0 {
		sent = max(sent, int64(v.soonest(neighbour)))
	}
	return sent+int64(v.transit(neighbour, node)) > by
}

// soonest is a time before which a node has not published its value of round 1: it goes on when it has heard as many
// neighbours as it must, or when it has waited for as long as it does.
func (v *View) soonest(node int) sim.Duration {
	timing, neighbours := v.Public.Timing, v.Public.Graph.Neighbours(node)
	transit := make([]sim.Duration, len(neighbours))
	for k, j := range neighbours {
		transit[k] = v.transit(int(j), node)
	}
	slices.Sort(transit)
	began, quorum := sim.Duration(0), len(neighbours)
	if !timing.Barrier {
		quorum = timing.Trigger.Heard(len(neighbours))
	}
	if quorum > 0 {
		began = transit[quorum-1]
	}
	if timing.Deadline > 0 { // with half of which it takes neighbours to have left
		began = min(began, timing.Deadline/2)
	}
	if timing.Trigger.Timeout > 0 {
		began = min(began, timing.Trigger.Timeout)
	}
	return began + v.fastest(node, 1)
}

// nought says whether it makes no difference to a node if a neighbour's start had come: it is zero, as what has not
// come counts.
func (v *View) nought(node, neighbour int) bool {
	if v.liars[neighbour] && v.restarts[neighbour] != nil { // it may tell another
		return false
	}
	start, ok := v.Told(neighbour, node, 0)
	return ok && !slices.ContainsFunc(start, func(x float64) bool { return x != 0 })
}

// fastest is what a node's update of a round takes at least.
func (v *View) fastest(node, round int) sim.Duration {
	if v.Public.Timing.Fastest == nil || model.Idle(v.Public, node, round) {
		return 0
	}
	return v.Public.Timing.Fastest[node]
}

// transit is what a packet takes at least.
func (v *View) transit(from, to int) sim.Duration {
	if v.Public.Timing.Transit == nil {
		return 0
	}
	return v.Public.Timing.Transit[v.Public.Graph.Link(from, to)]
}

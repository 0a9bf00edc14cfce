// Which values entered updates in lockstep where a value that is late has another stand in
// for it (rounds.missing: last).

package adversary

import (
	"cmp"
	"math"
	"slices"

	"overhear/adversary/model"
)

// stoodIn is the round of a neighbour's value that entered a node's update, which was
// published then. A node collects the values of a round from when it has published that
// round itself, and keeps those of the next round that come meanwhile. In place of a value
// that has not come it takes that of the latest round that has: at once if this is two or
// more rounds ahead, as its sender does not keep the other any more, and else when its
// patience ends, which is when the update begins.
func (v *View) stoodIn(node, neighbour, round int, published int64) (int, error) {
	collected := round - 1
	since, ok := v.published(node, collected)
	if !ok {
		return 0, model.NotSeen("when node %d published round %d", node, collected)
	}
	early := int64(math.MinInt64) // from when on there is room for the value
	if collected > 0 {
		if early, ok = v.published(node, collected-1); !ok {
			return 0, model.NotSeen("when node %d published round %d", node, collected-1)
		}
	}
	// As long as it waits for this value, the update begins at the deadline.
	began := max(published-int64(v.Public.Timing.Slowest), since+int64(v.Public.Timing.Deadline)-1) // or later
	began = min(began, published)
	if v.clock != nil {
		began = published - int64(v.clock.Took(node, round, published))
	}
	if v.faults != nil && v.faults.In(node, since, published) {
		if began, ok = v.faults.Began(node, round); !ok || began < since || began > published {
			return 0, model.NotSeen("when node %d, which was down or slow, began its update of round %d", node, round)
		}
	}
	arrivals := v.arrived[[2]int{node, neighbour}]
	newest := model.Start
	entered := func(got, instead int, by int64) (int, error) { // unless another round's value had come by then
		if !v.whole(node) && !v.notAhead(neighbour, instead, by) {
			return 0, model.NotSeen("whether another value of node %d stood in for that of round %d in round %d of "+
				"node %d", neighbour, collected, round, node)
		}
		return got, nil
	}
	k, _ := slices.BinarySearchFunc(arrivals, early, func(a arrival, at int64) int { return cmp.Compare(a.at, at) })
	if k > 0 {
		newest = arrivals[k-1].newest
	}
	before := newest
	for i := k; i < len(arrivals) && arrivals[i].at <= max(since, began); i++ {
		// It may come before what the node does then, or after, and so may another.
		a := arrivals[i]
		counts := a.round == collected || a.round > before
		if a.tied && counts && (a.at == early || a.at == since && a.round > collected || a.at == began ||
			i > 0 && arrivals[i-1].at == a.at && arrivals[i-1].round != a.round) {
			return 0, model.NotSeen("whether the value of node %d that came as node %d went on to round %d was there",
				neighbour, node, round)
		}
		before = a.newest
	}
	if newest == collected {
		return entered(collected, collected+1, early)
	}
	for ; k < len(arrivals) && arrivals[k].at < since; k++ {
		if arrivals[k].round == collected {
			return entered(collected, collected+2, arrivals[k].at)
		}
		newest = arrivals[k].newest
	}
	for ; newest < collected+2 && k < len(arrivals) && arrivals[k].at <= began; k++ {
		if arrivals[k].round == collected {
			return entered(collected, collected+2, arrivals[k].at)
		}
		newest = arrivals[k].newest
	}
	if newest < collected+2 && v.clock == nil {
		for ; k < len(arrivals) && arrivals[k].at <= published; k++ {
			if r := arrivals[k].round; r == collected || r > newest {
				return 0, model.NotSeen("whether the value of node %d that arrived while node %d worked on round %d "+
					"entered it", neighbour, node, round)
			}
		}
	}
	if !v.whole(node) {
		return 0, model.NotSeen("whether the value of node %d reached node %d before its round %d", neighbour, node,
			round)
	}
	return newest, nil
}

// notAhead says whether a node is known not to have sent the value of a round before some time.
func (v *View) notAhead(node, round int, before int64) bool {
	if round > v.Public.Rounds {
		return true
	}
	for r := round - 1; r <= round; r++ {
		if sent, ok := v.published(node, r); ok && sent >= before {
			return true
		}
	}
	return false
}

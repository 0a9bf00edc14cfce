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
	early := int64(math.MinInt64) + 1 // from when on there is room for the value; at first that is for rounds 0 and 1
	if collected > 1 {
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
	unclear := model.NotSeen("whether the value of node %d that came as node %d went on to round %d was there",
		neighbour, node, round)
	k := by(arrivals, early-1)
	newest := latestOf(arrivals[:k])
	counted := false // one of that instant before
	for i := k; i < len(arrivals) && arrivals[i].at <= max(since, began); i++ {
		a := arrivals[i]
		alone := i == k || arrivals[i-1].at < a.at
		counts := a.round == collected || a.round > newest
		counted = counted && !alone || counts
		// It may come before what the node does then, or after; and before another, or after it.
		does := a.at == early || a.at == since && (a.round > collected || newest >= collected+2) || a.at == began
		if a.tied && (counts && does || counted && !alone && arrivals[i-1].round != a.round) {
			return 0, unclear
		}
		newest = a.newest
	}
	got := collect(arrivals, collected, early, since, began)
	if v.mayPublishFirst(node, collected-1, early) &&
		collect(arrivals, collected, early-1, since, began).round != got.round ||
		v.mayPublishFirst(node, collected, since) &&
			collect(arrivals, collected, early, since-1, began).round != got.round {
		return 0, unclear
	}
	if got.round == collected { // unless another round's value had come by then
		if !v.whole(node) && !v.notAhead(neighbour, got.instead, got.at) {
			return 0, model.NotSeen("whether another value of node %d stood in for that of round %d in round %d of "+
				"node %d", neighbour, collected, round, node)
		}
		return collected, nil
	}
	if got.round < collected+2 && v.clock == nil {
		for _, a := range arrivals[by(arrivals, began):by(arrivals, published)] {
			if a.round == collected || a.round > got.round {
				return 0, model.NotSeen("whether the value of node %d that arrived while node %d worked on round %d "+
					"entered it", neighbour, node, round)
			}
		}
	}
	if !v.whole(node) {
		return 0, model.NotSeen("whether the value of node %d reached node %d before its round %d", neighbour, node,
			round)
	}
	return got.round, nil
}

// taken is which of a neighbour's values a node has taken for that of a round: of which round, and of it itself, since
// when, and which round's would have been taken instead if that had come before.
type taken struct {
	round, instead int
	at             int64
}

// collect finds which of the arrivals of a neighbour's values a node takes for that of a round: of those that have come
// by early, for which there was no room yet, the latest round's; of the others the first of that round; or in its place
// that of the latest round, if it is two rounds ahead by since, when the node collects, or later, or when it goes on.
func collect(arrivals []arrival, collected int, early, since, began int64) taken {
	k := by(arrivals, early)
	newest := latestOf(arrivals[:k])
	if newest == collected {
		return taken{collected, collected + 1, early}
	}
	for ; k < len(arrivals); k++ {
		a := arrivals[k]
		if a.at > since && (a.at > began || newest >= collected+2) {
			break
		}
		if a.round == collected {
			return taken{collected, collected + 2, a.at}
		}
		newest = a.newest
	}
	return taken{round: newest}
}

// by is how many of the arrivals have come by a time.
func by(arrivals []arrival, at int64) int {
	n, _ := slices.BinarySearchFunc(arrivals, at+1, func(a arrival, at int64) int { return cmp.Compare(a.at, at) })
	return n
}

// latestOf is the latest round of arrivals, in order of time.
func latestOf(arrivals []arrival) int {
	if len(arrivals) == 0 {
		return model.Start
	}
	return arrivals[len(arrivals)-1].newest
}

// mayPublishFirst says whether a node may have published a round before what came at that instant: its start, or what
// was late as it was down. A step ends after what comes then.
func (v *View) mayPublishFirst(node, round int, at int64) bool {
	return round == 0 || round > 0 && v.faults != nil && v.faults.In(node, at, at)
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

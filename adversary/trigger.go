// When updates began, and with what, in a run without lockstep: an observer whom
// nothing escapes replays the rule by which nodes decide to go on.

package adversary

import (
	"cmp"
	"math"
	"slices"

	"overhear/adversary/model"

	"overhear/record"
)

// replay works out the inputs of every update of every node, where it can.
func (v *View) replay() {
	v.replayed = map[[2]int][]int{}
	arrivals := map[int][]*record.Message{} // by receiver
	for i := range v.packets {
		if m := &v.packets[i]; m.Kind == record.MessageValue {
			arrivals[int(m.Dst)] = append(arrivals[int(m.Dst)], m)
		}
	}
	for node := range v.Public.Graph.Order() {
		all := arrivals[node]
		slices.SortStableFunc(all, func(a, b *record.Message) int {
			return cmp.Or(cmp.Compare(a.ReceivedNS, b.ReceivedNS), cmp.Compare(a.Src, b.Src), cmp.Compare(a.ID, b.ID))
		})
		r := &rule{view: v, node: node, arrivals: all, neighbours: v.Public.Graph.Neighbours(node)}
		r.latest, r.fresh = make([]int, len(r.neighbours)), make([]bool, len(r.neighbours))
		for k := range r.latest {
			r.latest[k] = model.Start
		}
		for t := 1; t <= v.Public.Rounds && r.update(t); t++ {
			v.replayed[[2]int{node, t}] = slices.Clone(r.used)
		}
	}
}

// rule is a node's decision to go on, replayed.
type rule struct {
	view       *View
	node       int
	neighbours []int32
	arrivals   []*record.Message // of values, in order
	next       int               // the first that has not been taken
	latest     []int
	fresh      []bool
	used       []int
}

// take lets the next value arrive.
func (r *rule) take() {
	m := r.arrivals[r.next]
	r.next++
	if k, ok := slices.BinarySearch(r.neighbours, m.Src); ok && int(m.Round) > r.latest[k] {
		r.latest[k], r.fresh[k] = int(m.Round), true
	}
}

// ready says whether the node, in a round, may go on.
func (r *rule) ready(round int, overdue bool) bool {
	p := r.view.Public
	heard := 0
	for k, latest := range r.latest {
		ended := latest >= p.Rounds
		if p.Timing.Trigger.Staleness > 0 && round-latest > p.Timing.Trigger.Staleness && !ended {
			return false
		}
		if r.fresh[k] || ended {
			heard++
		}
	}
	return overdue || heard >= int(math.Ceil(p.Timing.Trigger.Quorum*float64(len(r.latest))))
}

// update replays what led to a round's update. It is false where the record does
// not fit: the node was down, or slower than it should be, or what it sent in
// the round before was not seen.
func (r *rule) update(t int) bool {
	v := r.view
	from, ok := v.published(r.node, t-1)
	until, known := v.published(r.node, t)
	if !ok || !known {
		return false
	}
	for r.next < len(r.arrivals) && r.arrivals[r.next].ReceivedNS <= from {
		r.take()
	}
	if v.faults != nil && v.faults.In(r.node, from, until) {
		return r.interrupted(t, from, until)
	}
	now, overdue := from, false
	alarm := int64(math.MaxInt64)
	if wait := int64(v.Public.Timing.Trigger.Timeout); wait > 0 {
		alarm = from + wait
	}
	for !r.ready(t-1, overdue) {
		switch {
		case r.next < len(r.arrivals) && r.arrivals[r.next].ReceivedNS <= alarm:
			now = r.arrivals[r.next].ReceivedNS
			r.take()
		case alarm < math.MaxInt64:
			now, overdue = alarm, true
			alarm += int64(v.Public.Timing.Trigger.Timeout)
		default:
			return false
		}
		if now > until {
			return false
		}
	}
	r.used = append(r.used[:0], r.latest...)
	clear(r.fresh)
	if v.took != nil {
		return until-now == int64(v.took(r.node, t))
	}
	return until-now <= int64(v.Public.Timing.Slowest)
}

// interrupted takes what had come before a node that was down or slow says that it went on, and of what came at that
// instant as much as it needed.
func (r *rule) interrupted(t int, from, until int64) bool {
	began, ok := r.view.faults.Began(r.node, t)
	if !ok || began < from || began > until {
		return false
	}
	for r.next < len(r.arrivals) && r.arrivals[r.next].ReceivedNS < began {
		r.take()
	}
	for r.next < len(r.arrivals) && r.arrivals[r.next].ReceivedNS == began && !r.ready(t-1, false) {
		r.take()
	}
	r.used = append(r.used[:0], r.latest...)
	clear(r.fresh)
	return true
}

// published is when a node sent its value of a round to its neighbours, if that is known: where
// those packets were lost, what was seen of the round answers requests, and came later.
func (v *View) published(node, round int) (int64, bool) {
	sent := v.sent[[2]int{node, round}]
	if len(sent) == 0 {
		return 0, false
	}
	first := slices.MinFunc(sent, func(a, b sending) int { return cmp.Compare(a.at, b.at) }).at
	// Where a request may have escaped, so that an answer looks like the first packet, two are needed.
	needed := 1
	if v.took != nil {
		return first, true // no packet is missing
	}
	if w := v.Vantage; w.Miss > 0 || w.From > 0 && v.Public.Timing.Barrier {
		needed = 2
	}
	for _, s := range sent {
		asked, answer := v.asked[[3]int64{int64(node), int64(s.to), s.at}]
		if s.at == first && !(answer && asked <= round) {
			needed--
		}
	}
	return first, needed <= 0
}

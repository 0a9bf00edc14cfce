// When updates began, and with what, in a run without lockstep: an observer whom
// nothing of a node escapes replays the rule by which it decides to go on.

package adversary

import (
	"cmp"
	"math"
	"slices"

	"overhear/adversary/model"

	"overhear/record"
)

// replay works out the inputs of every update, where it can.
func (v *View) replay() {
	v.replayed, v.owed = map[[2]int][]int{}, map[int]int64{}
	arrivals := map[int][]*record.Message{} // by receiver
	for i := range v.packets {
		if m := &v.packets[i]; m.Kind == record.MessageValue || m.Kind == record.MessageLeave {
			arrivals[int(m.Dst)] = append(arrivals[int(m.Dst)], m)
		}
	}
	for node := range v.Public.Graph.Order() {
		if !v.whole(node) {
			continue
		}
		all := arrivals[node]
		tied := v.mayHold() || slices.ContainsFunc(all, v.tied)
		slices.SortStableFunc(all, func(a, b *record.Message) int {
			return cmp.Or(cmp.Compare(a.ReceivedNS, b.ReceivedNS), cmp.Compare(a.Src, b.Src), cmp.Compare(a.ID, b.ID))
		})
		base := &rule{view: v, node: node, arrivals: all, tied: tied, neighbours: v.Public.Graph.Neighbours(node)}
		n := len(base.neighbours)
		base.latest, base.fresh = slices.Repeat([]int{model.Start}, n), make([]bool, n)
		base.gone, base.restated, base.heard = make([]bool, n), make([]bool, n), make([]int64, n)
		states := []*rule{base.copy()} // that the node may have been in
		_, states[0].held = base.due(0)
		for t := 1; t <= v.Public.Rounds; t++ {
			if len(states) == 0 {
				states = base.resume(t)
			}
			if slices.ContainsFunc(states, func(r *rule) bool { return r.doubts(t) }) {
				states = nil
			}
			states = slices.DeleteFunc(states, func(r *rule) bool { return !r.update(t) })
			if slices.ContainsFunc(states, func(r *rule) bool { return r.open }) {
				states = nil
			}
			if len(states) > 0 && !slices.ContainsFunc(states, func(r *rule) bool {
				return !slices.Equal(r.used, states[0].used)
			}) {
				v.replayed[[2]int{node, t}] = slices.Clone(states[0].used)
			}
		}
	}
}

// rule is a node's decision to go on, replayed.
type rule struct {
	view       *View
	node       int
	neighbours []int32
	arrivals   []*record.Message // of values, and of the word that a node leaves, in order
	next       int               // the first that has not been taken
	latest     []int
	fresh      []bool
	gone       []bool  // have said that they leave
	restated   []bool  // the latest is the start, sent again as the value of its round
	heard      []int64 // when the last came
	used       []int
	held       bool // the last value was published at the end of an outage, before anything else of that instant
	tied       bool // of some arrival it may not be known when within its instant it happened
	open       bool // so that several inputs of the last update are possible
}

// tied says whether it is not known when within its instant a packet arrived: any event of that may have been the
// first, or the packet was sent then, after something of that instant.
func (v *View) tied(m *record.Message) bool {
	return v.Public.Timing.Shuffled || m.ReceivedNS == m.SentNS
}

// copy is the same, to go on from.
func (r *rule) copy() *rule {
	c := *r
	c.latest, c.fresh, c.gone = slices.Clone(r.latest), slices.Clone(r.fresh), slices.Clone(r.gone)
	c.restated, c.heard, c.used = slices.Clone(r.restated), slices.Clone(r.heard), nil
	return &c
}

// resume takes the rule up again before a round's update, after some that could not be replayed: what has arrived is
// known, and which of it is fresh, as it came after the update before had begun, but for what came while that may have
// begun. It has all states that this leaves; none where it is not known for how long the node worked. The rule itself
// has taken what had come by then.
func (r *rule) resume(t int) (states []*rule) {
	v := r.view
	from, ok := v.published(r.node, t-1)
	if !ok || v.clock != nil || v.Public.Timing.Faulty || r.mixed(from-int64(v.Public.Timing.Slowest), from) {
		return nil
	}
	for r.came(from-int64(v.Public.Timing.Slowest), true) {
		r.take()
	}
	for {
		begun := r.copy()
		clear(begun.fresh)
		for begun.came(from, false) {
			begun.take()
		}
		states = append(states, begun)
		if !r.came(from, false) {
			return states
		}
		r.take()
	}
}

// mixed says whether the order of some arrivals of a span is not known, or that of an arrival and the span's end.
func (r *rule) mixed(from, until int64) bool {
	if !r.tied {
		return false
	}
	all := r.arrivals
	first, _ := slices.BinarySearchFunc(all, from, func(m *record.Message, at int64) int {
		return cmp.Compare(m.ReceivedNS, at)
	})
	for k := first; k < len(all) && all[k].ReceivedNS <= until; k++ {
		at := all[k].ReceivedNS
		alone := (k == 0 || all[k-1].ReceivedNS < at) && (k+1 == len(all) || all[k+1].ReceivedNS > at)
		if r.view.tied(all[k]) && (at == until || !alone) {
			return true
		}
	}
	return false
}

// undecided says whether it is not known with what of an instant's arrivals an update of a round began then: without
// one of them it would have begun as well, and that one may have been the last. The rule is as before the update, the
// alarm had gone off by then or not, and of some instants no order is known. The more has arrived, the sooner a node
// goes on, so that no other order begins the update at another instant.
func (r *rule) undecided(round int, at int64, overdue, tied bool) bool {
	for r.came(at, true) {
		r.take()
	}
	all := r.copy()
	for all.came(at, false) {
		tied = tied || r.view.tied(all.arrivals[all.next])
		all.take()
	}
	if !tied {
		return false
	}
	for _, last := range r.arrivals[r.next:all.next] {
		less := r.copy()
		for less.next < all.next {
			if m := less.arrivals[less.next]; m.Src == last.Src && m.Round >= last.Round { // copies with it
				less.next++
				continue
			}
			less.take()
		}
		if less.ready(round-1, overdue) && !slices.Equal(less.latest, all.latest) {
			return true
		}
	}
	return false
}

// mayHold says whether a node may have published a value as it came up, or joined, before what arrived at that instant.
func (v *View) mayHold() bool { return v.clock == nil && v.Public.Timing.Faulty }

// take lets the next value arrive.
func (r *rule) take() {
	m := r.arrivals[r.next]
	r.next++
	k, ok := slices.BinarySearch(r.neighbours, m.Src)
	if !ok {
		return
	}
	switch r.heard[k] = m.ReceivedNS; {
	case m.Kind == record.MessageLeave:
		r.gone[k] = true
	case int(m.Round) > r.latest[k]:
		r.latest[k], r.fresh[k], r.restated[k] = int(m.Round), true, r.view.Restates(m)
	}
}

// came says whether the next value arrives by some time: before it, if what happens then goes before arrivals.
func (r *rule) came(by int64, held bool) bool {
	if r.next == len(r.arrivals) {
		return false
	}
	at := r.arrivals[r.next].ReceivedNS
	return at < by || at == by && !held
}

// due is when something that falls due at a time happens, and whether that is at the end of an outage.
func (r *rule) due(at int64) (when int64, held bool) {
	if r.view.clock == nil {
		return at, false
	}
	when, held, happens := r.view.clock.Due(r.node, at)
	if !happens {
		return math.MaxInt64, held
	}
	return when, held
}

// ended says whether nothing more is to be expected of a neighbour.
func (r *rule) ended(k int) bool { return r.latest[k] >= r.view.Public.Rounds || r.gone[k] }

// doubts says whether the node, before a round was published, may have taken a neighbour to have left, as it had not
// heard of it for half of the deadline: by the rule it would have waited for it.
func (r *rule) doubts(t int) bool {
	v := r.view
	until, ok := v.published(r.node, t)
	patience := int64(v.Public.Timing.Deadline / 2)
	if !ok || v.clock != nil || patience == 0 {
		return false
	}
	for k, at := range r.heard {
		if until-at >= patience && !r.ended(k) {
			return true
		}
	}
	return false
}

// ready says whether the node, in a round, may go on.
func (r *rule) ready(round int, overdue bool) bool {
	p := r.view.Public
	heard := 0
	for k, latest := range r.latest {
		ended := r.ended(k)
		if p.Timing.Trigger.Staleness > 0 && round-latest > p.Timing.Trigger.Staleness && !ended {
			return false
		}
		if r.fresh[k] || ended {
			heard++
		}
	}
	return overdue || heard >= p.Timing.Trigger.Heard(len(r.latest))
}

// update replays what led to a round's update. It is false where the record does
// not fit: what the node sent in the round before was not seen, or, without a clock,
// the node was down, or slower than it should be, or had lost what it had received.
func (r *rule) update(t int) bool {
	v := r.view
	if slices.ContainsFunc(v.restarts[r.node], func(s Restart) bool { return s.Round < t }) {
		return false
	}
	from, ok := v.published(r.node, t-1)
	until, known := v.published(r.node, t)
	if !known && v.clock != nil { // it may have been gone by then
		until = math.MaxInt64 - 1
	}
	if !ok || !known && v.clock == nil {
		return false
	}
	var before *rule
	if r.tied {
		before = r.copy()
	}
	for r.came(from, r.held) {
		r.take()
	}
	now, overdue := from, false
	alarm, held := int64(math.MaxInt64), false
	if wait := int64(v.Public.Timing.Trigger.Timeout); wait > 0 {
		alarm, held = r.due(from + wait)
	}
	alarmed := alarm
	for !r.ready(t-1, overdue) {
		switch {
		case r.came(alarm, held):
			now = r.arrivals[r.next].ReceivedNS
			r.take()
		case alarm < math.MaxInt64:
			now, overdue = alarm, true
			alarm, held = math.MaxInt64, false // from now on it waits for others alone
		default:
			return false
		}
		if now > until {
			return false
		}
	}
	if before != nil && before.undecided(t, now, alarmed <= now, now == from && v.mayHold()) {
		r.open = true
		return true
	}
	r.used = append(r.used[:0], r.latest...)
	for k, start := range r.restated {
		switch {
		case start && v.liars[int(r.neighbours[k])]:
			return false
		case start:
			r.used[k] = 0
		}
	}
	clear(r.fresh)
	if v.clock != nil {
		var end int64
		end, r.held = r.due(now + int64(v.clock.Took(r.node, t, now)))
		if !known && end < math.MaxInt64 {
			v.owed[r.node] = end
		}
		return known && until == end
	}
	return until-now <= int64(v.Public.Timing.Slowest)
}

// unasked says whether by some time no value can have been asked for again: none that was sent is an answer.
func (v *View) unasked(by int64) bool {
	return by < int64(v.Public.Timing.Unasked) && len(v.restarts) == 0
}

// published is when a node sent its value of a round to its neighbours, if that is known: where
// those packets were lost, what was seen of the round answers requests, and came later. A hub's client without lockstep
// sends its start to nobody but who asks, and has it as soon as it is there.
func (v *View) published(node, round int) (int64, bool) {
	timing := v.Public.Timing
	if round == 0 && node > 0 && v.Public.Hub && !timing.Barrier {
		if v.clock == nil {
			return 0, !timing.Faulty // or it may have joined later
		}
		at, _, happens := v.clock.Due(node, 0)
		return at, happens
	}
	sent := v.sent[[2]int{node, round}]
	if len(sent) == 0 {
		return 0, false
	}
	first := slices.MinFunc(sent, func(a, b sending) int { return cmp.Compare(a.at, b.at) }).at
	if v.clock != nil {
		return first, true // no packet is missing
	}
	// Where a request may have escaped, so that an answer looks like the first packet, two are needed.
	needed := 1
	if w := v.Vantage; !v.unasked(first) && (w.Miss > 0 || w.Partial || w.From > 0 && timing.Barrier) {
		needed = 2
	}
	for _, s := range sent {
		asked, answer := v.asked[[3]int64{int64(node), int64(s.to), s.at}]
		if timing.Barrier { // else who asks may be ahead, and gets the last value whatever it is
			answer = answer && asked <= round
		}
		if s.at == first && !answer {
			needed--
		}
	}
	return first, needed <= 0
}

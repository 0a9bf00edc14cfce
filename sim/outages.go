// When nodes are down: outages given by name and drawn by rate, merged in order
// of time as far as a run needs to know them.

package sim

import (
	"cmp"
	"math"
	"slices"
)

// forever is the end of what does not end.
const forever = Time(math.MaxInt64)

// outage is a time [from, to) in which a node is down, absent or gone.
type outage struct {
	from, to Time
	lost     bool // its memory is
	leaves   bool // it is told before
}

// rate draws one node's crashes by rate, in order.
type rate struct {
	stream      *Stream
	every, down Duration // means
	until       Time
	next        outage // the one drawn last
}

// draw draws the outage after one that ends at t. Up and down last at least a
// nanosecond, so that time goes on.
func (r *rate) draw(t Time) {
	span := func(mean Duration) Time {
		return max(1, Time(nanoseconds(float64(mean)*r.stream.Exponential())))
	}
	r.next.from = later(t, span(r.every))
	r.next.to = min(later(r.next.from, span(r.down)), r.until)
	if r.next.from >= r.until {
		r.next.from, r.next.to = forever, forever
	}
}

// later is t + d, or forever.
func later(t, d Time) Time {
	if t > forever-d {
		return forever
	}
	return t + d
}

// life is what faults do to a node, and where it is in that.
type life struct {
	outages []outage // ascending, apart from each other; final
	named   []outage // to be merged into them: those given by name, ascending
	rates   []*rate  // likewise: those drawn
	known   Time     // no outage that begins by then is missing

	current   int     // the outage it is in, or else the next
	down      bool    // it is in it
	started   bool    // Start has happened
	parked    []event // fell due while it was down
	forgotten uint64  // how many events it had caused when it last lost its memory
}

// prepare orders what was given by name.
func (l *life) prepare() {
	slices.SortStableFunc(l.named, func(a, b outage) int {
		switch {
		case a.from != b.from:
			return cmp.Compare(a.from, b.from)
		case a.leaves == b.leaves:
			return 0
		case b.leaves: // a node that is down by then is not told
			return -1
		}
		return 1
	})
	l.known = -1
}

// know makes outages complete up to t, and to the end of the outage at t.
func (l *life) know(t Time) {
	for t > l.known {
		source := -1
		from := forever
		if len(l.named) > 0 {
			from = l.named[0].from
		}
		for k, r := range l.rates {
			if r.next.from < from {
				source, from = k, r.next.from
			}
		}
		last := outage{to: -1}
		if k := len(l.outages); k > 0 {
			last = l.outages[k-1]
		}
		if from == forever || last.to == forever {
			l.known = forever
			return
		}
		if from > t && from > last.to {
			l.known = from - 1
			return
		}
		var next outage
		if source < 0 {
			next, l.named = l.named[0], l.named[1:]
		} else {
			r := l.rates[source]
			next = r.next
			r.draw(next.to)
		}
		if k := len(l.outages); k > 0 && next.from <= last.to {
			o := &l.outages[k-1]
			o.to, o.lost = max(o.to, next.to), o.lost || next.lost
		} else {
			l.outages = append(l.outages, next)
		}
	}
}

// upcoming makes the current outage known, if there is one.
func (l *life) upcoming() *outage {
	for len(l.outages) <= l.current && l.known < forever {
		l.know(l.known + 1)
	}
	if l.current < len(l.outages) {
		return &l.outages[l.current]
	}
	return nil
}

// at returns the outage at a time that is not before now; nil: it is up.
func (l *life) at(t Time) *outage {
	l.know(t)
	low, high := l.current, len(l.outages)
	for low < high {
		if mid := (low + high) / 2; l.outages[mid].to <= t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(l.outages) && l.outages[low].from <= t {
		return &l.outages[low]
	}
	return nil
}

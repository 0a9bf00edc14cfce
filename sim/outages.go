// When nodes are down: outages given by name and those that sources tell, merged
// in order of time as far as a run needs to know them.

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
	lost     bool // the node loses its memory
	leaves   bool // the node is told before, and never comes back
}

// source tells a node's outages in order, one after the other, without end if need be. They may touch, but do not
// overlap.
type source interface {
	upcoming() *outage // that which follows; from forever: none
	pass()             // goes on to the one after it
}

// window tells those outages of a source that are within a time, as far as they are.
type window struct {
	source   source
	from, to Time
	next     outage
}

func windowed(s source, from, to Time) *window {
	w := &window{source: s, from: from, to: to}
	w.clip()
	return w
}

func (w *window) upcoming() *outage { return &w.next }

func (w *window) pass() {
	w.source.pass()
	w.clip()
}

// clip passes outages that are over when the window begins.
func (w *window) clip() {
	for w.source.upcoming().to <= w.from && w.source.upcoming().from < forever {
		w.source.pass()
	}
	w.next = *w.source.upcoming()
	w.next.from, w.next.to = max(w.next.from, w.from), min(w.next.to, w.to)
	if w.next.from >= w.to {
		w.next.from, w.next.to = forever, forever
	}
}

// rate draws one node's crashes by rate, in order.
type rate struct {
	stream      *Stream
	every, down Duration // means
	until       Time
	next        outage // the one drawn last
}

func (r *rate) upcoming() *outage { return &r.next }
func (r *rate) pass()             { r.draw(r.next.to) }

// draw draws the outage that follows one that ends at t. The times between and
// of outages are at least a nanosecond, so that time advances.
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

// availability says when a node is down, and what of that has happened so far.
type availability struct {
	outages []outage // ascending, apart from each other; final
	named   []outage // to be merged into them: those given by name, ascending
	sources []source // likewise: those that are told
	endless bool     // one of these has an outage for ever
	known   Time     // no outage that begins by then is missing

	current   int     // number of the outage that the node is in, or else of the next
	down      bool    // the node is in the current outage
	started   bool    // the node's Start has happened
	parked    []event // events that fell due while the node was down
	forgotten uint64  // how many events the node had caused when it last lost its memory
}

// prepare orders what was given by name.
func (a *availability) prepare() {
	slices.SortStableFunc(a.named, func(o, p outage) int {
		switch {
		case o.from != p.from:
			return cmp.Compare(o.from, p.from)
		case o.leaves == p.leaves:
			return 0
		case p.leaves: // a node that is down by then is not told
			return -1
		}
		return 1
	})
	a.known = -1
}

// know makes outages complete up to t, and to the end of the outage at t.
func (a *availability) know(t Time) {
	for t > a.known {
		first := -1
		from := forever
		if len(a.named) > 0 {
			from = a.named[0].from
		}
		for k, s := range a.sources {
			if t := s.upcoming().from; t < from {
				first, from = k, t
			}
		}
		last := outage{to: -1}
		if k := len(a.outages); k > 0 {
			last = a.outages[k-1]
		}
		if from == forever || last.to == forever {
			a.known = forever
			return
		}
		if from > t && from > last.to {
			a.known = from - 1
			return
		}
		var next outage
		if first < 0 {
			next, a.named = a.named[0], a.named[1:]
		} else {
			s := a.sources[first]
			next = *s.upcoming()
			s.pass()
		}
		if k := len(a.outages); k > 0 && next.from <= last.to {
			o := &a.outages[k-1]
			o.to, o.lost = max(o.to, next.to), o.lost || next.lost
		} else {
			a.outages = append(a.outages, next)
		}
	}
}

// upcoming returns the current outage, which is or becomes known; nil: there are
// no more.
func (a *availability) upcoming() *outage {
	for len(a.outages) <= a.current && a.known < forever {
		a.know(a.known + 1)
	}
	if a.current < len(a.outages) {
		return &a.outages[a.current]
	}
	return nil
}

// at returns the outage at a time that is not before now; nil: the node is up
// then.
func (a *availability) at(t Time) *outage {
	a.know(t)
	low, high := a.current, len(a.outages)
	for low < high {
		if mid := (low + high) / 2; a.outages[mid].to <= t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(a.outages) && a.outages[low].from <= t {
		return &a.outages[low]
	}
	return nil
}

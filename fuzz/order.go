// In which order messages of one instant arrive.

package fuzz

import "overhear/sim"

// order watches messages that arrive at one instant and were sent before it, so that all of
// them were to come when the first of them did.
type order struct {
	shuffled bool
	at       sim.Time
	messages int   // of the instant so far
	from     int32 // sender of the latest
}

// next takes an event. With ordered ties, a message of a node does not come after one of a node
// with a higher number; with shuffled ones, which of the first two is first is a coin toss.
func (o *order) next(n *network, ev *sim.Event) {
	if ev.Kind != "message" || ev.Message.Sent == ev.At {
		return
	}
	from := ev.Message.From
	if o.at != ev.At {
		o.at, o.messages = ev.At, 0
	}
	o.messages++
	switch {
	case o.messages == 1 || from == o.from:
	case !o.shuffled && from < o.from:
		n.fail(invariantPackets, "of the messages that arrive at %v, that of node %d comes after that of node %d",
			ev.At, from, o.from)
	case o.shuffled && o.messages == 2: // of each instant, as these are independent
		n.add(sample{what: "of two senders the first by number comes first", way: everywhere, p: 0.5},
			number(o.from < from))
	}
	o.from = from
}

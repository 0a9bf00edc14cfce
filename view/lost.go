// Why packets were lost, as far as the record tells.

package view

import (
	"fmt"
	"slices"
	"strings"

	"overhear/sim"
)

// lostBy tells of each packet that was lost why. The record has that it was, and not when or where: what may have been
// the reason follows from the scenario and the time at which it was sent.
func (b *builder) lostBy() {
	p := &b.Packets
	longest := int64(0) // that a packet is on its way
	for _, took := range p.Took {
		longest = max(longest, took)
	}
	at, known := int64(0), map[string]int{}
	for k, took := range p.Took {
		if at += p.Sent[k]; took >= 0 {
			continue
		}
		why := b.whyLost(int(p.Src[k]), int(p.Dst[k]), at, longest)
		of, ok := known[why]
		if !ok {
			of = len(p.Reasons)
			known[why], p.Reasons = of, append(p.Reasons, why)
		}
		p.Lost = append(p.Lost, of)
	}
}

// whyLost is why a packet was lost that was sent at a time, and which no packet on record would have been under way
// longer than longest.
func (b *builder) whyLost(src, dst int, at, longest int64) string {
	if slices.ContainsFunc(b.Cuts, func(c Cut) bool { return c.From <= at && at < c.To && c.separates(src, dst) }) {
		return "a partition cuts the two off from each other"
	}
	var all []string
	if share := b.lossAt(src, dst, at); share > 0 {
		all = append(all, fmt.Sprintf("by its link, which loses %.3g %% of packets", 100*share))
	}
	for _, bad := range b.impaired(src, dst, at) {
		if bad.Factor != nil {
			longest = max(longest, int64(float64(longest)**bad.Factor))
		}
	}
	if o := b.awayWithin(dst, at, at+longest, len(all) == 0); o != nil {
		why := "because the receiver " + o.words(b.last)
		if !slices.Contains(b.Outages, *o) { // by the plan that held when the packet was sent
			why = fmt.Sprintf("as the receiver was to be away %s, which another plan took back while the packet was "+
				"under way", o.span(b.last))
		}
		all = append(all, why)
	}
	switch {
	case len(all) == 0 && b.graph == nil:
		return "not known: the network of the run is not known, nor when nodes were down"
	case len(all) == 0:
		return "not known: neither its link loses packets, nor was the receiver down"
	case len(all) > 1:
		return strings.Join(all, ", or ") + "; the record does not say which"
	}
	return all[0]
}

// separates says whether two nodes are in different groups.
func (c *Cut) separates(i, j int) bool {
	of := func(node int) int {
		return slices.IndexFunc(c.Groups, func(g []int) bool { return slices.Contains(g, node) })
	}
	return of(i) >= 0 && of(j) >= 0 && of(i) != of(j)
}

// same says whether a link is that between two nodes.
func same(link [2]int, src, dst int) bool {
	return link == [2]int{src, dst} || link == [2]int{dst, src}
}

// impaired are what ails a link at a time.
func (b *builder) impaired(src, dst int, at int64) (all []sim.BadLink) {
	for k := range b.Faults {
		f := &b.Faults[k]
		if bad, ok := f.of.Kind.(sim.BadLink); ok && same(bad.Link, src, dst) && f.From <= at && at < f.To {
			all = append(all, bad)
		}
	}
	return all
}

// lossAt is the share of packets that a link loses.
func (b *builder) lossAt(src, dst int, at int64) (share float64) {
	for _, p := range b.scenario.Phases() {
		if int64(p.From) > at {
			break
		}
		share = p.Network.Loss
		for _, l := range p.Network.Links {
			if l.Loss != nil && same(l.Between, src, dst) {
				share = *l.Loss
			}
		}
	}
	for _, bad := range b.impaired(src, dst, at) {
		share = max(share, bad.Loss)
	}
	return share
}

// awayWithin is an outage of a node in a span of time, or else, where nothing else explains a loss, the first after it.
// What is lost by the plan of its time stays lost where another plan takes the outage back.
func (b *builder) awayWithin(node int, from, until int64, later bool) (found *Outage) {
	all := [][]Outage{b.Outages}
	for k, p := range b.scenario.Faults() {
		if k < len(b.planned) && int64(p.From) <= from {
			all = append(all[:1], b.planned[k])
		}
	}
	for _, outages := range all {
		for k := range outages {
			if o := &outages[k]; o.Node == node && o.To > from && (o.From <= until || later) &&
				(found == nil || o.From < found.From) {
				found = o
			}
		}
	}
	return found
}

// words say what a node is not there for, and when, of a run whose last event is at a time.
func (o *Outage) words(last int64) string {
	switch {
	case o.Why == hasLeft:
		return fmt.Sprintf("left at %v", sim.Duration(o.From))
	case o.Why == notJoined && o.To > last:
		return "had not joined"
	case o.Why == notJoined:
		return fmt.Sprintf("had not joined before %v", sim.Duration(o.To))
	}
	return "was down " + o.span(last)
}

// span is when an outage was; it may go on after the last event.
func (o *Outage) span(last int64) string {
	if o.To > last {
		return fmt.Sprintf("from %v until the run was over", sim.Duration(o.From))
	}
	return fmt.Sprintf("from %v to %v", sim.Duration(o.From), sim.Duration(o.To))
}

// Why a node is not there that is not down either.
const hasLeft, notJoined = "has left", "has not joined"

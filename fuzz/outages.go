// Whether the outages that are drawn by rate are as often and as long as the scenario says.

package fuzz

import (
	"math"

	"overhear/sim"
)

// rateOf is the only fault that may have a node down, if it is one of crashes by rate.
func (n *network) rateOf(node int) (f *sim.Fault, r sim.CrashRate) {
	for k := range n.crash {
		if who, _, _ := outage(&n.crash[k]); who == node {
			return nil, r
		}
	}
	all := n.ratesOf(node)
	if len(all) != 1 {
		return nil, r
	}
	return all[0], all[0].Kind.(sim.RandomCrashes).Rate
}

// mayCrash says whether crashes by rate may begin at a node now.
func (n *network) mayCrash(node int, now sim.Time) bool {
	for _, f := range n.ratesOf(node) {
		if holds(f).has(now) {
			return true
		}
	}
	return false
}

// returns says whether a node may come up just now: as a fault that names it ends, or as it has
// crashed by rate.
func (n *network) returns(node int, now sim.Time) bool {
	for k := range n.crash {
		if who, i, _ := outage(&n.crash[k]); who == node && i.to == now {
			return true
		}
	}
	return n.ratesOf(node) != nil
}

// up takes the end of an outage that a rate alone may have caused.
func (n *network) up(node int, d interval) {
	f, r := n.rateOf(node)
	if f == nil {
		return
	}
	limit := holds(f).to
	if d.to > limit {
		n.fail(invariantDown, "node %d is down until %v, though %v", node, d.to, f)
	}
	const certain = 50 // e^−50 of the outages are longer than so many means
	if whole := float64(r.For) * certain; float64(r.For) >= fine && float64(limit-d.from) > whole {
		u := -math.Expm1(-float64(d.to-d.from) / float64(r.For))
		n.add(sample{"sum of the ranks of their lengths", everywhere, 0.5, uniform, true}, u)
		if n.latestOutage >= 0 {
			n.add(sample{"sum of the differences of these ranks in turn", everywhere, 0.5, uniform, true},
				around1(u-n.latestOutage))
		}
		n.latestOutage = u
	}
}

// crashes tests how many crashes there were in the times that nodes were up. For a rate that is
// right, exp(λ·crashes − (e^λ − 1)·expected) has a mean of at most 1 whenever the run ends.
func (n *network) crashes(nodes int, end sim.Time) {
	count, expected := 0.0, 0.0
	for node := range nodes {
		f, r := n.rateOf(node)
		if f == nil || float64(r.Every) < fine {
			continue
		}
		span := holds(f)
		up := float64(max(min(end, span.to)-span.from, 0))
		for _, d := range n.down[node] {
			count++
			up -= float64(max(min(d.to, end, span.to)-d.from, 0))
		}
		expected += up / float64(r.Every)
	}
	factors := []float64{0.25, 0.5, 0.75, 1.5, 2, 4}
	for _, f := range factors {
		if !(float64(count*math.Log(f))-float64((f-1)*expected) <= math.Log(float64(len(factors))/chance)) {
			n.fail(invariantDown, "nodes crash %.0f times by rate, where %.4g are expected", count, expected)
			return
		}
	}
}

// Whether nodes are down when the scenario and the seed say, and the outages that are drawn by rate are as often and as
// long as the rate says.

package fuzz

import (
	"cmp"
	"math"
	"slices"

	"overhear/sim"
)

// rateOf is the only fault that may have a node down, if it is one of crashes by rate.
func (n *network) rateOf(node int) (f *sim.Fault, r sim.CrashRate) {
	for k := range n.crash {
		if who, _, _ := outage(&n.crash[k]); who == node {
			return nil, r
		}
	}
	all := n.comings(node)
	if len(all) != 1 {
		return nil, r
	}
	k, ok := all[0].Kind.(sim.RandomCrashes)
	if !ok {
		return nil, r
	}
	return all[0].Fault, k.Rate
}

// mayCrash says whether an outage that no fault names may begin at a node now.
func (n *network) mayCrash(node int, now sim.Time) bool {
	for _, f := range n.comings(node) {
		if holds(f.Fault).has(now) {
			return true
		}
	}
	return false
}

// returns says whether a node may come up just now: as a fault that names it ends, or as it comes
// and goes.
func (n *network) returns(node int, now sim.Time) bool {
	for k := range n.crash {
		if who, i, _ := outage(&n.crash[k]); who == node && i.to == now {
			return true
		}
	}
	return n.comings(node) != nil
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

// stretch is a time with the error that rounding may have.
type stretch struct{ from, to, off float64 }

// planOf are a node's outages that begin before a time, as the plan and the seed say: those that overlap or touch are
// one. It says false where only rounding decides whether they do.
func (n *network) planOf(node int, until sim.Time) ([]stretch, bool) {
	var all []stretch
	for k := range n.crash {
		if who, i, _ := outage(&n.crash[k]); who == node {
			all = append(all, stretch{float64(i.from), float64(i.to), 0})
		}
	}
	for _, r := range n.comings(node) {
		all = append(all, r.drawn(n, node, until)...)
	}
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	var merged []stretch
	for _, o := range all {
		last := len(merged) - 1
		switch {
		case o.from > float64(until):
		case last < 0 || o.from > merged[last].to+merged[last].off+o.off:
			merged = append(merged, o)
		case o.off+merged[last].off > 0 && o.from > merged[last].to-merged[last].off-o.off:
			return nil, false
		default:
			merged[last].to, merged[last].off = max(merged[last].to, o.to), max(merged[last].off, o.off)
		}
	}
	return merged, true
}

// outages holds when each node was down against the plan. What was to begin after the latest event that no fault caused
// need not have happened.
func (n *network) outages(nodes int, end sim.Time) {
	for node := range nodes {
		plan, sure := n.planOf(node, end)
		if !sure {
			continue
		}
		seen := n.down[node]
		for k, o := range plan {
			near := func(a float64, t sim.Time) bool { return a == float64(t) || math.Abs(a-float64(t)) <= o.off }
			switch {
			case k >= len(seen) && o.from+o.off < float64(n.active):
				n.fail(invariantDown, "node %d is not down from %v on, as its faults and the seed say", node,
					sim.Duration(o.from))
			case k >= len(seen):
			case !near(o.from, seen[k].from) || seen[k].to != never && !near(o.to, seen[k].to):
				n.fail(invariantDown, "node %d is down from %v to %v; its faults and the seed say %v to %v", node,
					seen[k].from, seen[k].to, sim.Duration(o.from), sim.Duration(o.to))
				return
			}
		}
		if len(seen) > len(plan) {
			n.fail(invariantDown, "node %d is down from %v on, which neither faults nor the seed say", node,
				seen[len(plan)].from)
		}
	}
}

// The ledger of invocations and the ways to read a total from it.

package privacy

import (
	"cmp"
	"math"
	"slices"

	"overhear/internal/num"
)

// Ledger records who invoked which mechanism in which round, and what the
// mechanism protects; it knows nothing of the methods that do so. The zero value
// is empty. It is not safe for concurrent use.
//
// All sums run by round and, within a round, in the order of Spend.
type Ledger struct{ units []*unitBook } // by name

// unitBook has the entries that protect one unit.
type unitBook struct {
	name  Unit
	nodes []*nodeBook // by node
}

// nodeBook has the entries of one node for one unit.
type nodeBook struct {
	node    int
	entries []entry // by round, then as they came
}

// entry is one invocation.
type entry struct {
	round int
	m     Mechanism
	total float64 // Σ Pure of this and all earlier entries
}

// Spend records that the node invoked m in that round, on data of which the unit is
// protected.
func (l *Ledger) Spend(node, round int, unit Unit, m Mechanism) {
	i, ok := slices.BinarySearchFunc(l.units, unit, func(u *unitBook, name Unit) int {
		return cmp.Compare(u.name, name)
	})
	if !ok {
		l.units = slices.Insert(l.units, i, &unitBook{name: unit})
	}
	u := l.units[i]
	j, ok := u.find(node)
	if !ok {
		u.nodes = slices.Insert(u.nodes, j, &nodeBook{node: node})
	}
	b := u.nodes[j]
	at := b.until(round)
	b.entries = slices.Insert(b.entries, at, entry{round: round, m: m})
	for k := at; k < len(b.entries); k++ { // one step, if rounds come in order
		b.entries[k].total = b.before(k) + orInf(b.entries[k].m.Pure())
	}
}

// Units are the names of the protected units, sorted.
func (l *Ledger) Units() []Unit {
	names := make([]Unit, len(l.units))
	for i, u := range l.units {
		names[i] = u.name
	}
	return names
}

// Nodes are the nodes that spent anything, sorted.
func (l *Ledger) Nodes() []int {
	var nodes []int
	for _, u := range l.units {
		for _, b := range u.nodes {
			nodes = append(nodes, b.node)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// Each calls do for every invocation, by unit, node and round.
func (l *Ledger) Each(do func(node, round int, unit Unit, m Mechanism)) {
	for _, u := range l.units {
		for _, b := range u.nodes {
			for _, e := range b.entries {
				do(b.node, e.round, u.name, e.m)
			}
		}
	}
}

// Part is what one node spent in the rounds from first to last.
func (l *Ledger) Part(node, first, last int) *Ledger {
	part := new(Ledger)
	for _, u := range l.units {
		for _, e := range l.book(node, u.name).entries {
			if e.round >= first && e.round <= last {
				part.Spend(node, e.round, u.name, e.m)
			}
		}
	}
	return part
}

// Group is what k units of a node that change together lose: every invocation loses what its mechanism loses of k.
func (l *Ledger) Group(k int) *Ledger {
	all := new(Ledger)
	l.Each(func(node, round int, unit Unit, m Mechanism) { all.Spend(node, round, unit, m.Group(k)) })
	return all
}

// Until is what all nodes spent in the rounds up to and including that one. Units and
// nodes that spent later only are in it, with nothing.
func (l *Ledger) Until(round int) *Ledger {
	out := new(Ledger)
	for _, u := range l.units {
		cut := &unitBook{name: u.name}
		for _, b := range u.nodes {
			cut.nodes = append(cut.nodes, &nodeBook{node: b.node, entries: slices.Clone(b.entries[:b.until(round)])})
		}
		out.units = append(out.units, cut)
	}
	return out
}

// Pure is the ε that the node spent on that unit in all rounds up to and
// including that one, by basic composition: the sum of the invocations' ε.
func (l *Ledger) Pure(node, round int, unit Unit) float64 {
	b := l.book(node, unit)
	return b.before(b.until(round))
}

// Worst is the largest Pure of all nodes, 0 if none spent anything.
func (l *Ledger) Worst(round int, unit Unit) float64 {
	worst := 0.0
	for _, b := range l.unit(unit).nodes {
		worst = max(worst, b.before(b.until(round)))
	}
	return worst
}

// Series is Worst after each of the rounds 0, 1, …, rounds: rounds+1 values.
func (l *Ledger) Series(unit Unit, rounds int) []float64 {
	worst := make([]float64, max(0, rounds+1))
	for _, b := range l.unit(unit).nodes {
		k := 0
		for r := range worst {
			for k < len(b.entries) && b.entries[k].round <= r {
				k++
			}
			worst[r] = max(worst[r], b.before(k))
		}
	}
	return worst
}

// ZCDP is the ε for which all that the node spent on that unit is (ε, δ)-DP, by
// zero-concentrated differential privacy: ρ + 2√(ρ ln(1/δ)) with ρ the sum of
// the invocations' ρ (Bun & Steinke 2016, Proposition 1.3 and Lemma 1.7). It is
// 0 for δ ≥ 1 and +Inf for δ ≤ 0, unless ρ = 0.
func (l *Ledger) ZCDP(node int, unit Unit, delta float64) float64 {
	return concentrated(l.book(node, unit).rho(), delta)
}

// RDP is the ε for which all that the node spent on that unit is (ε, δ)-DP, by
// Rényi differential privacy: with R(a) the sum of the invocations' Renyi(a),
// the least over the orders a of
//
//	R(a) + ln((a−1)/a) − (ln δ + ln a)/(a−1)
//
// (Balle et al. 2020, Theorem 21; Canonne, Kamath & Steinke 2020, Proposition
// 12), never below 0 nor above Pure or ZCDP. The orders are a grid from 1+10^−6
// to 10^7, the one that zCDP uses, and a search around the best of the grid.
// For δ ≤ 0 it is Pure.
func (l *Ledger) RDP(node int, unit Unit, delta float64) float64 {
	return l.book(node, unit).rdp(delta)
}

// rdp is the ε of all entries at δ.
func (b *nodeBook) rdp(delta float64) float64 {
	best := b.before(len(b.entries))
	if !(delta > 0) || best == 0 {
		return best
	}
	if delta >= 1 {
		return 0
	}
	logDelta := num.Log(delta)
	c := b.curve()
	// at is the conversion at order 1 + e^u.
	at := func(u float64) float64 {
		a1 := num.Exp(u)
		logOrder := num.Log1p(a1)
		return orInf(max(0, c.renyi(1+a1)+(u-logOrder)-(logDelta+logOrder)/a1))
	}
	const step, from, to = math.Ln2 / 2, -40, 48 // in units of step: e^u is 2^−20 … 2^24
	lowest, centre := math.Inf(1), 0.0
	for k := from; k <= to; k++ {
		u := float64(k) * step
		if v := at(u); v < lowest {
			lowest, centre = v, u
		}
	}
	best = min(best, lowest)
	if rho := b.rho(); rho > 0 && !math.IsInf(rho, 1) {
		best = min(best, at(num.Log(-logDelta/rho)/2))
	}
	if math.IsInf(lowest, 1) {
		return best
	}
	const golden = 0.6180339887498949 // every point visited is a valid bound
	lo, hi := centre-step, centre+step
	for range 40 {
		width := float64(golden * (hi - lo))
		u, v := hi-width, lo+width
		fu, fv := at(u), at(v)
		best = min(best, fu, fv)
		if fu < fv {
			hi = v
		} else {
			lo = u
		}
	}
	return best
}

// Advanced is the ε for which all that the node spent on that unit is (ε, δ)-DP,
// by advanced composition of pure invocations of unequal ε:
//
//	Σ ε tanh(ε/2) + √(2 ln(1/δ) Σ ε²)
//
// (Kairouz, Oh & Viswanath 2015, Theorem 3.5; the mean of Dwork, Rothblum &
// Vadhan 2010 made exact), or Pure if that is less. It is +Inf if an invocation
// has no pure guarantee, and 0 for δ ≥ 1.
func (l *Ledger) Advanced(node int, unit Unit, delta float64) float64 {
	b := l.book(node, unit)
	basic := b.before(len(b.entries))
	switch {
	case math.IsInf(basic, 1) || !(delta > 0):
		return basic
	case delta >= 1:
		return 0
	}
	mean, squares := 0.0, 0.0
	for _, e := range b.entries {
		p := PureDP{e.m.Pure()}
		mean += p.Concentrated() // ε tanh(ε/2) is the largest mean loss, too
		squares += float64(p.Epsilon * p.Epsilon)
	}
	return min(basic, mean+math.Sqrt(-2*num.Log(delta)*squares))
}

// unit returns the book of a unit, an empty one if there is none.
func (l *Ledger) unit(name Unit) *unitBook {
	for _, u := range l.units {
		if u.name == name {
			return u
		}
	}
	return new(unitBook)
}

// book returns the book of a node and unit, an empty one if there is none.
func (l *Ledger) book(node int, unit Unit) *nodeBook {
	u := l.unit(unit)
	if i, ok := u.find(node); ok {
		return u.nodes[i]
	}
	return new(nodeBook)
}

// find is where the node's book is or belongs.
func (u *unitBook) find(node int) (int, bool) {
	return slices.BinarySearchFunc(u.nodes, node, func(b *nodeBook, node int) int { return cmp.Compare(b.node, node) })
}

// until counts the entries up to and including a round.
func (b *nodeBook) until(round int) int {
	if n := len(b.entries); n == 0 || b.entries[n-1].round <= round {
		return n
	}
	n, _ := slices.BinarySearchFunc(b.entries, round, func(e entry, round int) int {
		if e.round <= round {
			return -1
		}
		return 1
	})
	return n
}

// before is the sum of ε of the first n entries.
func (b *nodeBook) before(n int) float64 {
	if n == 0 {
		return 0
	}
	return b.entries[n-1].total
}

// rho is the sum of ρ.
func (b *nodeBook) rho() float64 {
	sum := 0.0
	for _, e := range b.entries {
		sum += orInf(e.m.Concentrated())
	}
	return sum
}

// curve is the sum of the Rényi divergences as a function of the order: the
// Gaussian part, which is linear, and other terms, runs of equals as one.
type curve struct {
	slope float64
	terms []term
}

type term struct {
	times float64
	m     Mechanism
}

func (b *nodeBook) curve() curve {
	var c curve
	for _, e := range b.entries {
		if m, ok := e.m.(GaussianDP); ok {
			c.slope += m.Concentrated()
		} else if n := len(c.terms); n > 0 && c.terms[n-1].m == e.m {
			c.terms[n-1].times++
		} else {
			c.terms = append(c.terms, term{1, e.m})
		}
	}
	return c
}

func (c curve) renyi(order float64) float64 {
	sum := float64(order * c.slope)
	for _, t := range c.terms {
		sum += float64(t.times * orInf(t.m.Renyi(order)))
	}
	return sum
}

// concentrated is the ε of ρ-zCDP at δ.
func concentrated(rho, delta float64) float64 {
	switch {
	case rho == 0 || delta >= 1:
		return 0
	case !(delta > 0):
		return math.Inf(1)
	}
	return rho + float64(2*math.Sqrt(-rho*num.Log(delta)))
}

// orInf reads a loss that is not a number ≥ 0 as no guarantee.
func orInf(loss float64) float64 {
	if !(loss >= 0) {
		return math.Inf(1)
	}
	return loss
}

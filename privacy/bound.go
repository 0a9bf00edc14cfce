// What a ledger amounts to, round by round.

package privacy

import "math"

// Bound is the privacy loss, after each of the rounds 0, 1, …, rounds, of the
// node that has lost most of that unit: the sum of ε while all invocations are
// pure, and otherwise the ε of (ε, δ)-DP by Rényi divergences.
func (l *Ledger) Bound(unit Unit, rounds int, delta float64) []float64 {
	bound := l.Series(unit, rounds)
	if rounds < 0 || !math.IsInf(bound[rounds], 1) {
		return bound
	}
	for r := range bound {
		if math.IsInf(bound[r], 1) {
			bound[r] = l.worstRDP(unit, r, delta)
		}
	}
	return bound
}

// worstRDP is the largest ε at δ of all nodes up to and including a round. Among
// nodes that invoked Gaussian mechanisms only, it is that of the largest ρ.
func (l *Ledger) worstRDP(unit Unit, round int, delta float64) float64 {
	worst, rho := 0.0, 0.0
	var most *nodeBook
	for _, b := range l.unit(unit).nodes {
		part := &nodeBook{node: b.node, entries: b.entries[:b.until(round)]}
		if c := part.curve(); len(c.terms) > 0 {
			worst = max(worst, part.rdp(delta))
		} else if c.slope > rho {
			rho, most = c.slope, part
		}
	}
	if most != nil {
		worst = max(worst, most.rdp(delta))
	}
	return worst
}

// WorstRound is the largest loss of a unit that any node has in any single
// round: the sum of the round's ε, or their ε at delta if not all are pure.
func (l *Ledger) WorstRound(unit Unit, delta float64) float64 {
	worst := 0.0
	for _, b := range l.unit(unit).nodes {
		worst = max(worst, b.worstRound(delta))
	}
	return worst
}

// WorstRoundOf is WorstRound of one node.
func (l *Ledger) WorstRoundOf(node int, unit Unit, delta float64) float64 {
	return l.book(node, unit).worstRound(delta)
}

func (b *nodeBook) worstRound(delta float64) float64 {
	worst, rho := 0.0, 0.0
	var most *nodeBook
	for from := 0; from < len(b.entries); {
		to := b.until(b.entries[from].round)
		one := new(nodeBook)
		for _, e := range b.entries[from:to] {
			total := one.before(len(one.entries)) + orInf(e.m.Pure())
			one.entries = append(one.entries, entry{round: e.round, m: e.m, total: total})
		}
		from = to
		if loss := one.before(len(one.entries)); !math.IsInf(loss, 1) {
			worst = max(worst, loss)
		} else if c := one.curve(); len(c.terms) > 0 {
			worst = max(worst, one.rdp(delta))
		} else if c.slope > rho {
			rho, most = c.slope, one
		}
	}
	if most != nil {
		worst = max(worst, most.rdp(delta))
	}
	return worst
}

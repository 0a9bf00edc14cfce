// The worst that any trace and any pair of rows lose, beside what the sampled runs did (docs/mathematics.md §5.10).

package evaluation

import (
	"slices"
	"strings"

	"overhear/adversary"
	"overhear/privacy/loss"
	"overhear/record"
)

// exactly says whether a measurement is by exact ratios of the runs, beside which a supremum has its place.
func exactly(v *record.Verdict) bool {
	if len(v.Tests) == 0 {
		return false
	}
	by := v.Tests[0].Method
	return strings.HasPrefix(by, byLargest) || strings.HasPrefix(by, byCurve)
}

// inEpsilon is a worst case as it is or, of normal noise, as the ε that its shifts have at the claim's δ.
func (c *claim) inEpsilon(w *adversary.Worst) *adversary.Worst {
	if !w.Normal {
		return w
	}
	own := *w
	own.Bound, own.Found = loss.NormalEpsilon(w.Bound, c.delta), loss.NormalEpsilon(w.Found, c.delta)
	own.Rounds = slices.Clone(w.Rounds)
	for k := range own.Rounds {
		p := &own.Rounds[k]
		p.Bound, p.Found = loss.NormalEpsilon(p.Bound, c.roundDelta), loss.NormalEpsilon(p.Found, c.roundDelta)
	}
	return &own
}

// certain is the worst case of a loss that has two values, ±ε.
func certain(epsilon float64) *adversary.Worst {
	return &adversary.Worst{Rounds: []adversary.Peak{{Round: 0, Bound: epsilon, Found: epsilon}}, Bound: epsilon,
		Found: epsilon}
}

// beside sets the worst case beside what was measured, and refutes a claim that it exceeds.
func (m *measured) beside(out *record.Audit) {
	out.Search = new(record.Search)
	if m.search == nil {
		unsearched(out, "columns are split, and the loss of a message has no closed form to maximise")
		return
	}
	worst, err := m.search()
	if err != nil {
		unsearched(out, err.Error())
		return
	}
	if failing(out.Checks) != "" {
		unsearched(out, "the run does not do what its method says, and its worst trace is of another method")
		return
	}
	worst = m.claim.inEpsilon(worst)
	out.Search.Found, out.Search.Bound = record.Number(worst.Found), record.Number(worst.Bound)
	if r := worst.Run.Pair; r[0].U != nil {
		out.Search.A, out.Search.B = r[0].U, r[1].U
		out.Search.Targets = [2]float64{r[0].T, r[1].T}
	}
	stands := standing{established: m.claim.established, unproved: m.claim.unproved, what: "claim",
		flawed: failing(out.Checks)}
	peaks := map[int]adversary.Peak{}
	for _, p := range worst.Rounds {
		peaks[p.Round] = p
	}
	most, excess := -1, 0.0 // the round whose claim a trace exceeds by most
	for k := range out.ByRound {
		l := &out.ByRound[k]
		p, ok := peaks[l.Round]
		if !ok {
			continue
		}
		l.Searched, l.Bound = record.Number(p.Found), record.Number(p.Bound)
		if !worst.Normal && stands.flawed == "" { // runs are traces, too
			l.Searched = atLeastOf(l.Searched, l.Largest)
		}
		if over := p.Found - float64(l.Claimed*(1+record.SearchError)); over > excess {
			most, excess = k, over
		}
	}
	for k := range out.Verdicts {
		v := &out.Verdicts[k]
		if !exactly(v) {
			continue
		}
		switch v.Scope {
		case record.WholeRun:
			v.Searched, v.Bound = out.Search.Found, out.Search.Bound
		case record.WorstRound:
			if most >= 0 && v.Verdict != record.Violated {
				l := out.ByRound[most]
				v.Round, v.Epsilon = l.Round, l.Claimed
				v.Tests[0].Epsilon, v.Tests[0].Measured = l.Claimed, l.Largest
			}
			v.Searched, v.Bound = record.Number(peaks[v.Round].Found), record.Number(peaks[v.Round].Bound)
		}
		if v.Searched > 0 {
			v.Searched = atLeastOf(v.Searched, v.Tests[0].Measured)
		}
		if v.Searched > v.Bound && v.Searched <= v.Bound*(1+record.SearchError) {
			v.Bound = v.Searched // they differ by rounding
		}
		decide(v, stands)
	}
}

// unsearched says why no worst trace was searched, and of each verdict on exact ratios that it was not.
func unsearched(out *record.Audit, why string) {
	out.Search.Why = why
	for k := range out.Verdicts {
		if v := &out.Verdicts[k]; exactly(v) {
			v.Reason = strings.TrimPrefix(v.Reason+"; the worst trace was not searched", "; ")
		}
	}
}

// atLeastOf is what was found, or what runs did where that is more.
func atLeastOf(found, measured record.Number) record.Number {
	if measured > found {
		return measured
	}
	return found
}

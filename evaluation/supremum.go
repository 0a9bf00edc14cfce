// The worst that any trace and any pair of rows lose, beside what the sampled runs did (docs/mathematics.md §5.10).

package evaluation

import (
	"fmt"
	"math"
	"strings"

	"overhear/adversary"
	"overhear/record"
)

// methodOfExact begins the method of a measurement that is the largest exact ratio of the runs, beside which a supremum
// has its place.
const methodOfExact = "largest exact"

// searchError is how far a witness may be from its bound by rounding.
const searchError = 1e-6

// certain is the worst case of a loss that has two values, ±ε.
func certain(epsilon float64) *adversary.Worst {
	return &adversary.Worst{Rounds: []adversary.Peak{{Round: 0, Bound: epsilon, Found: epsilon}}, Bound: epsilon,
		Found: epsilon}
}

// beside sets the worst case beside what was measured, and refutes a claim that it exceeds.
func (m *measured) beside(out *record.Audit) {
	out.Search = new(record.Search)
	if m.search == nil {
		out.Search.Why = "columns are split, and the loss of a message has no closed form to maximise"
		return
	}
	worst, err := m.search()
	if err != nil {
		out.Search.Why = err.Error()
		return
	}
	out.Search.Found, out.Search.Bound = record.Number(worst.Found), record.Number(worst.Bound)
	if r := worst.Run.Pair; r[0].U != nil {
		out.Search.A, out.Search.B = r[0].U, r[1].U
		out.Search.Targets = [2]float64{r[0].T, r[1].T}
	}
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
		if over := p.Found - float64(l.Claimed*(1+searchError)); over > excess {
			most, excess = k, over
		}
	}
	for k := range out.Verdicts {
		v := &out.Verdicts[k]
		if !strings.HasPrefix(v.Method, methodOfExact) {
			continue
		}
		switch v.Scope {
		case record.WholeRun:
			v.Searched, v.Bound = out.Search.Found, out.Search.Bound
		case record.WorstRound:
			if most >= 0 && v.Verdict != record.Violated {
				l := out.ByRound[most]
				v.Round, v.Epsilon, v.Measured = l.Round, l.Claimed, l.Largest
			}
			v.Searched, v.Bound = record.Number(peaks[v.Round].Found), record.Number(peaks[v.Round].Bound)
		}
		m.weigh(v, out.Checks)
	}
}

// weigh holds a claim against the worst case.
func (m *measured) weigh(v *record.Verdict, checks []record.Check) {
	for i := range checks {
		if !checks[i].Holds { // the run is not that of the method of which this is the worst case
			return
		}
	}
	found, bound, claimed := float64(v.Searched), float64(v.Bound), float64(v.Epsilon)
	switch {
	case m.claim.established != nil || math.IsNaN(claimed):
	case found > claimed*(1+searchError):
		if v.Verdict == record.Violated {
			v.Reason += fmt.Sprintf("; a trace and a pair that were searched for lose %.4g", found)
			break
		}
		v.Verdict = record.Violated
		v.Reason = fmt.Sprintf("no run did, but a trace of positive density and a pair that were searched for lose "+
			"%.4g, which exceeds the claim by %.3g", found, found-claimed)
	case bound <= claimed*(1+searchError) && v.Verdict == record.Holds:
		v.Reason = fmt.Sprintf("no trace and no pair loses more than %.4g, %.3g %% of the claim", bound,
			100*bound/claimed)
	case bound > claimed*(1+searchError) && v.Verdict != record.Violated:
		v.Reason += fmt.Sprintf("; a trace and a pair were found that lose %.4g, none loses more than %.4g, and "+
			"between the two nothing is known", found, bound)
	}
}

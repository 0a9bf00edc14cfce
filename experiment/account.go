// The privacy account of a run, and noise chosen for a target.

package experiment

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"overhear/algorithms"
	"overhear/metrics"
	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
)

// Account is what a private method spends.
type Account struct {
	Guarantee   string
	Established error // nil: the bound holds
	Unproved    error // why it is its authors' word alone, though its condition holds; nil: it is proved
	Inexact     Inexact
	Ledger      *privacy.Ledger
	Bound       []float64 // by round: of a row, of the worst node; nil if rows are not protected
	Delta       float64
	Chosen      *record.Chosen
	Labels      []record.LabelBudget // by server, where users have ε of their own

	composedDelta float64 // δ of the last Bound, where a paper composes (ε, δ) itself; else 0
	method        algorithms.Private
}

// Inexact is what the solver's tolerance leaves of a gradient, as a share of what one row moves it by, and how much it
// may.
type Inexact struct {
	Share, Most float64
	Err         error // nil: steps are as good as exact minimisers
}

func newAccount(p *scenarios.Privacy, m algorithms.Private, s algorithms.Setting, tolerance float64) *Account {
	rounds := s.Rounds
	a := &Account{Guarantee: m.Guarantee(), Established: m.Established(), Ledger: new(privacy.Ledger), Delta: p.Delta,
		method: m}
	a.Inexact.Share, a.Inexact.Most, a.Inexact.Err = algorithms.Precise(m, s.Problem, tolerance)
	if a.Established == nil {
		a.Established = a.Inexact.Err
	}
	if c, ok := m.(algorithms.Conjectured); ok {
		a.Unproved = c.Unproved()
	}
	m.Account(a.Ledger)
	c, ok := m.(algorithms.Composing)
	if !ok {
		a.Bound = a.Ledger.Bound(privacy.Sample, rounds, p.Delta)
		return a
	}
	a.Bound = make([]float64, rounds+1)
	for t := range a.Bound[1:] {
		a.Bound[t+1], a.composedDelta = c.Composed(t + 1)
	}
	return a
}

// labelBudgets are ε of the labels of each server's users; nil if all have the same.
func labelBudgets(m algorithms.Registering, shards []problem.Shard) (all []record.LabelBudget) {
	const distinct = 8
	differ := false
	for i := range shards {
		b := record.LabelBudget{Node: i, Users: len(shards[i].Y), Least: math.Inf(1)}
		users := map[float64]int{}
		for k := range b.Users {
			epsilon := m.Budget(i, k)
			b.Least, b.Greatest = min(b.Least, epsilon), max(b.Greatest, epsilon)
			b.Mean += epsilon / float64(b.Users)
			users[epsilon]++
		}
		if len(users) <= distinct {
			for _, epsilon := range slices.Sorted(maps.Keys(users)) {
				b.Values = append(b.Values, record.LabelShare{Epsilon: epsilon, Users: users[epsilon]})
			}
		}
		all = append(all, b)
		differ = differ || b.Least != all[0].Greatest || b.Greatest != all[0].Least
	}
	if !differ {
		return nil
	}
	return all
}

// conclude checks what a method's condition says of what only the run shows.
func (a *Assembly) conclude(r algorithms.Reached) {
	c, ok := a.Method.(algorithms.Composing)
	if !ok || a.Account.Established != nil {
		return
	}
	a.Account.Established = c.Within(r)
	a.Warnings = append(a.Warnings, a.Account.warnings()...)
}

// warnings say in words that the bound is not established.
func (a *Account) warnings() []string {
	if a.Established == nil {
		return nil
	}
	return []string{"the privacy bound is not established: " + a.Established.Error()}
}

// end has the account be of a run that ended early, in which the node that has published most
// has published so many rounds: who listens has these, whichever round is the last that all
// nodes have completed.
func (a *Account) end(m algorithms.Method, rounds int) {
	if rounds >= len(a.Bound)-1 {
		return
	}
	a.Ledger, a.Bound = a.Ledger.Until(rounds), a.Bound[:rounds+1]
	if c, ok := m.(algorithms.Composing); ok {
		a.composedDelta = 0
		if rounds > 0 {
			_, a.composedDelta = c.Composed(rounds)
		}
	}
}

// fill enters the loss so far into the rows.
func (a *Account) fill(rows []metrics.Row) {
	if a.Established != nil {
		return
	}
	for k := range rows {
		rows[k].PrivacyLoss = a.Bound[rows[k].Most]
	}
}

// record is what run.json says; first is the node of shard 0.
func (a *Account) record(first int) *record.Privacy {
	p := &record.Privacy{Guarantee: a.Guarantee, Condition: record.ConditionHolds, Chosen: a.Chosen,
		Claims: []record.Claim{}, Labels: a.Labels}
	switch {
	case a.Established != nil:
		p.Condition = a.Established.Error()
	case a.Unproved != nil:
		p.Condition = record.ClaimedNotProved + a.Unproved.Error()
	}
	if a.composedDelta > 0 && len(a.Ledger.Units()) > 0 {
		p.Stated = &record.Bound{Epsilon: record.Number(a.Bound[len(a.Bound)-1]), Delta: record.Number(a.composedDelta),
			By: record.ByPaper}
	}
	nan := record.Number(math.NaN())
	for _, unit := range a.Ledger.Units() {
		for _, node := range a.Ledger.Nodes() {
			c := record.Claim{Node: node + first, Unit: unit, Epsilon: nan, PerRound: nan,
				AtDelta: record.Number(a.Delta)}
			c.Established = a.Established == nil || unit == privacy.Label // a flipped label needs no condition
			c.ZCDP = record.Number(a.Ledger.ZCDP(node, unit, a.Delta))
			pure := a.Ledger.Pure(node, len(a.Bound)-1, unit)
			c.RDP = record.Number(a.Ledger.RDP(node, unit, a.Delta))
			if c.Advanced = nan; !math.IsInf(pure, 1) {
				c.Advanced = record.Number(a.Ledger.Advanced(node, unit, a.Delta))
			}
			c.Bound = record.Bound{Epsilon: nan, Delta: nan}
			if c.Established {
				if c.Epsilon = record.Number(pure); math.IsInf(pure, 1) {
					c.Epsilon, c.Delta = c.RDP, c.AtDelta
				}
				if a.composedDelta > 0 {
					c.Epsilon, c.Delta = record.Number(a.Bound[len(a.Bound)-1]), record.Number(a.composedDelta)
				}
				c.PerRound = record.Number(a.Ledger.WorstRoundOf(node, unit, a.Delta))
				c.Bound = a.least(&c, pure)
			}
			p.Claims = append(p.Claims, c)
		}
	}
	p.Certificates = a.certificates(p.Claims, first)
	return p
}

// certificates are what the run loses at most, by the law of its noise, of each unit.
func (a *Account) certificates(claims []record.Claim, first int) (all []record.Certificate) {
	uses, uncertified := algorithms.Certify(a.method)
	for _, unit := range a.Ledger.Units() {
		c := record.Certificate{Unit: unit, Epsilon: record.Number(math.NaN()), Delta: record.Number(a.Delta)}
		if uncertified != nil && unit != privacy.Label {
			c.Reason = uncertified.Error()
			all = append(all, c)
			continue
		}
		worst := uses.Worst(unit, len(a.Bound)-1, a.Delta)
		c.Node, c.Epsilon = worst.Node+first, record.Number(worst.Epsilon)
		if sum := worst.Pure(); !(worst.Epsilon < 0.99*sum) && !math.IsInf(sum, 1) { // as in least
			c.Epsilon, c.Delta = record.Number(sum), 0
		}
		if claimed, ok := greatest(claims, unit); ok && a.Unproved == nil && claimed.Epsilon < c.Epsilon {
			c.Epsilon, c.Delta = claimed.Epsilon, claimed.Delta
		}
		const points, least = 32, 1e-9
		end := worst.Total.Epsilon(least)
		for k := range points + 1 {
			e := float64(k) / points * end
			if math.IsInf(end, 1) {
				break
			}
			c.Curve = append(c.Curve, record.LossPoint{Epsilon: record.Number(e),
				Delta: record.Number(worst.Total.Delta(e))})
		}
		for k := range points + 1 { // closer where there are few
			alarms := float64(k*k) / (points * points)
			c.TradeOff = append(c.TradeOff, record.ErrorPoint{Alarms: record.Number(alarms),
				Missed: record.Number(worst.Missed(alarms))})
		}
		all = append(all, c)
	}
	return all
}

// greatest is the bound of the node that claims the greatest; false: not all are established.
func greatest(claims []record.Claim, unit privacy.Unit) (most record.Bound, ok bool) {
	for _, c := range claims {
		if c.Unit != unit {
			continue
		}
		if !c.Established {
			return most, false
		}
		if !ok || c.Bound.Epsilon > most.Epsilon {
			most, ok = c.Bound, true
		}
	}
	return most, ok
}

// least is the best of the compositions. The sum, which needs no δ, stays unless another
// is less by a hundredth; what a paper composes itself stands alone, as the ledger does not know its terms.
func (a *Account) least(c *record.Claim, pure float64) record.Bound {
	if a.composedDelta > 0 {
		return record.Bound{Epsilon: c.Epsilon, Delta: c.Delta, By: record.ByPaper}
	}
	best := record.Bound{Epsilon: record.Number(pure), By: record.BySum}
	for _, other := range []record.Bound{
		{Epsilon: c.Advanced, By: record.ByAdvanced}, {Epsilon: c.ZCDP, By: record.ByZCDP},
		{Epsilon: c.RDP, By: record.ByRenyi},
	} {
		if other.Epsilon < best.Epsilon && other.Epsilon < 0.99*record.Number(pure) {
			other.Delta = c.AtDelta
			best = other
		}
	}
	return best
}

// vanishing is a scale of budgets at which they are as good as nothing.
const vanishing = 1e-12

// choose scales a method's noise so that its claimed loss is the target, and
// returns the new parameters.
func choose(p *scenarios.Privacy, entry *algorithms.Entry, params any, s algorithms.Setting,
) (any, *record.Chosen, error) {
	tunable, ok := params.(algorithms.Tunable)
	if !ok {
		return nil, nil, fmt.Errorf("epsilon is a target for methods whose noise it can choose; %s is none", entry.Name)
	}
	var failure error
	spent := func(scale float64) float64 {
		m, err := entry.New(tunable.Loosen(scale), s)
		if err != nil {
			failure = err
			return math.NaN()
		}
		private := m.(algorithms.Private)
		if err := private.Established(); err != nil {
			failure = fmt.Errorf("no target can be met, because the bound is not established: %w", err)
		}
		l := new(privacy.Ledger)
		private.Account(l)
		if p.Over == "round" {
			return l.WorstRound(privacy.Sample, p.Delta)
		}
		return l.Bound(privacy.Sample, s.Rounds, p.Delta)[s.Rounds]
	}
	if spent(1); failure != nil {
		return nil, nil, failure
	}
	target := *p.Epsilon
	scale, err := privacy.Solve(target, spent)
	if least := spent(vanishing); err != nil && least > target/2 {
		return nil, nil, fmt.Errorf("choosing the noise for epsilon %v over the %s: whatever the noise is, the method "+
			"spends %.6g, which leaves no room below the target or is more than the target; this part falls as "+
			"algorithm.eta grows: leave eta out, or set it to %.3g times what it is, at which this part is half the "+
			"target", target, p.Over, least, 2*least/target)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("choosing the noise for epsilon %v over the %s: %w", target, p.Over, err)
	}
	chosen := tunable.Loosen(scale)
	return chosen, &record.Chosen{Epsilon: target, Over: p.Over, Delta: p.Delta, Scale: scale,
		Parameters: scenarios.FormatParameters(chosen)}, nil
}

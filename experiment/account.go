// The privacy account of a run, and noise chosen for a target.

package experiment

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"overhear/algorithms"
	"overhear/metrics"
	"overhear/privacy"
	"overhear/privacy/loss"
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

	boundDelta     float64   // δ of Bound: 0 where it is a sum of pure losses
	composedDeltas []float64 // δ of Bound by round, where a paper composes (ε, δ) itself; else nil

	composedDelta float64 // δ of the last Bound, where a paper composes (ε, δ) itself; else 0
	composition   string  // how, in words
	method        algorithms.Private
	lied          error                // why lies break what claim and certificates are proved with; nil: they do not
	given         []taken              // of certificates
	issued        []record.Certificate // with the first node as node 0; nil: not yet
	spared        bool                 // certificates are not wanted
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
		for _, node := range a.Ledger.Nodes() {
			if math.IsInf(a.Ledger.Pure(node, rounds, privacy.Sample), 1) {
				a.boundDelta = p.Delta
			}
		}
		return a
	}
	a.composition = c.Composition()
	a.Bound, a.composedDeltas = make([]float64, rounds+1), make([]float64, rounds+1)
	for t := range a.Bound[1:] {
		a.Bound[t+1], a.composedDelta = c.Composed(t + 1)
		a.composedDeltas[t+1] = a.composedDelta
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

// Reported says whether users report labels that they randomise: what is claimed and certified of these needs no
// condition.
func (a *Account) Reported() bool { return slices.Contains(a.Ledger.Units(), privacy.Label) }

// warnings say in words that the bound is not established; that of flipped labels is.
func (a *Account) warnings() []string {
	if a.Established == nil {
		return nil
	}
	if a.Reported() {
		return []string{"the privacy bound of rows is not established, that of labels is: " + a.Established.Error()}
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

// issue makes the certificates of a run that is over. A composition takes longer than a short run, so that audits,
// which have many, are spared.
func (a *Account) issue() []record.Certificate {
	if a.spared {
		return nil
	}
	return a.certificates(0)
}

// enter takes the certificates that were issued, and enters that of rows into the last round.
func (a *Account) enter(issued []record.Certificate, rows []metrics.Row) {
	a.issued = issued
	for _, c := range a.issued {
		if last := len(rows) - 1; last >= 0 && c.Unit == privacy.Sample && c.Reason == "" {
			rows[last].CertificateEpsilon, rows[last].CertificateDelta = float64(c.Epsilon), float64(c.Delta)
		}
	}
}

// spare has no certificates computed.
func (a *Account) spare() { a.spared = true }

// fill enters the claimed loss so far into the rows.
func (a *Account) fill(rows []metrics.Row) {
	if a.Established != nil {
		return
	}
	for k := range rows {
		rows[k].PrivacyLoss, rows[k].PrivacyDelta = a.Bound[rows[k].Most], a.boundDelta
		if a.composedDeltas != nil {
			rows[k].PrivacyDelta = a.composedDeltas[rows[k].Most]
		}
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
			By: a.composition}
	}
	p.Claims = append(p.Claims, a.claims(first)...)
	if a.issued == nil {
		a.enter(a.issue(), nil)
	}
	for _, c := range a.issued {
		c.Node += first
		p.Certificates = append(p.Certificates, c)
	}
	return p
}

// claims are what each node loses at most, by the method's own account, of each unit.
func (a *Account) claims(first int) (all []record.Claim) {
	nan := record.Number(math.NaN())
	for _, unit := range a.Ledger.Units() {
		for _, node := range a.Ledger.Nodes() {
			c := record.Claim{Node: node + first, Unit: unit, Epsilon: nan, PerRound: nan,
				AtDelta: record.Number(a.Delta)}
			met := a.Established == nil || unit == privacy.Label && a.Reported()
			c.Established = met && a.Unproved == nil
			c.ZCDP = record.Number(a.Ledger.ZCDP(node, unit, a.Delta))
			pure := a.Ledger.Pure(node, len(a.Bound)-1, unit)
			c.RDP = record.Number(a.Ledger.RDP(node, unit, a.Delta))
			if c.Advanced = nan; !math.IsInf(pure, 1) {
				c.Advanced = record.Number(a.Ledger.Advanced(node, unit, a.Delta))
			}
			c.Bound = record.Bound{Epsilon: nan, Delta: nan}
			if met { // a claim that is not proved is shown as claimed
				if c.Epsilon = record.Number(pure); math.IsInf(pure, 1) {
					c.Epsilon, c.Delta = c.RDP, c.AtDelta
				}
				if a.composedDelta > 0 {
					c.Epsilon, c.Delta = record.Number(a.Bound[len(a.Bound)-1]), record.Number(a.composedDelta)
				}
				c.PerRound = record.Number(a.Ledger.WorstRoundOf(node, unit, a.Delta))
				c.Bound = a.least(&c, pure)
			}
			all = append(all, c)
		}
	}
	return all
}

// certificates are what the run loses at most, by the law of its noise, of each unit.
func (a *Account) certificates(first int) (all []record.Certificate) {
	uses, uncertified := a.certify()
	units := a.Ledger.Units()
	if uncertified == nil { // of labels, too, where the claim is of rows with theirs
		units = append(units, uses.Units()...)
	} else if _, rows := a.method.(algorithms.Certified); rows { // that it is not certified is said of rows, too
		units = append(units, privacy.Sample)
	}
	for k, unit := range units {
		if slices.Contains(units[:k], unit) {
			continue
		}
		all = append(all, a.certificate(uses, uncertified, unit, first))
	}
	return all
}

// Certificate is what the node of a shard loses of a unit at most, by the law of its noise; first is the node of shard
// 0.
func (a *Account) Certificate(shard, first int, unit privacy.Unit) *record.Certificate {
	uses, uncertified := a.certify()
	return a.ofNode(uses.Of(shard), uncertified, unit, shard, first)
}

// Worst is the certificate of the node that loses most of a unit.
func (a *Account) Worst(first int, unit privacy.Unit) *record.Certificate {
	uses, uncertified := a.certify()
	c := a.certificate(uses, uncertified, unit, first)
	return &c
}

// Given is what certificates of a unit take as given.
func (a *Account) Given(unit privacy.Unit) []record.Taken { return givenOf(a.given, unit) }

// Flipped is Certificate of a label whose user flips it by an ε of its own, which may be less than that of others.
func (a *Account) Flipped(shard, first int, epsilon float64) *record.Certificate {
	uses := new(loss.Ledger)
	uses.Spend(shard, 0, privacy.Label, loss.Response{Epsilon: epsilon})
	return a.ofNode(uses, nil, privacy.Label, shard, first)
}

// ofNode is the certificate of the uses of a shard's node.
func (a *Account) ofNode(uses *loss.Ledger, uncertified error, unit privacy.Unit, shard, first int,
) *record.Certificate {
	c := a.certificate(uses, uncertified, unit, first)
	c.Node = shard + first
	return &c
}

// certify is the ledger of the method's noise, and why there is no certificate of rows.
func (a *Account) certify() (*loss.Ledger, error) {
	uses, uncertified := algorithms.Certify(a.method)
	if uncertified == nil {
		uncertified = cmp.Or(a.Inexact.Err, a.lied) // the proof is of minimisers
	}
	return uses, uncertified
}

// certificate is that of the uses of a unit.
func (a *Account) certificate(uses *loss.Ledger, uncertified error, unit privacy.Unit, first int) record.Certificate {
	c := record.Certificate{Unit: unit, Epsilon: record.Number(math.NaN()), Delta: record.Number(a.Delta),
		Given: givenOf(a.given, unit)}
	if uncertified != nil && !(unit == privacy.Label && a.Reported()) {
		c.Reason = uncertified.Error()
		return c
	}
	if p, ok := a.method.(algorithms.Partial); ok && unit == privacy.Sample {
		c.Covers = p.Covers()
	}
	worst := uses.Worst(unit, len(a.Bound)-1, a.Delta)
	proved := a.proved(worst)
	c.Node, c.Epsilon, c.Delta, c.By = worst.Node+first, proved.Epsilon, proved.Delta, proved.By
	const points, least = 32, 1e-9
	end := worst.Total.Epsilon(max(least, 2*worst.Slack())) // no δ is below the slack
	for k := range points + 1 {
		e := float64(k) / points * end
		if math.IsInf(end, 1) {
			break
		}
		c.Curve = append(c.Curve, record.LossPoint{Epsilon: record.Number(e),
			Delta: record.Number(worst.Total.Delta(e))})
	}
	c.TradeOff = tradeOff(worst.Missed, points)
	return c
}

// tradeOff are points of a convex curve of missed against false alarms, closer where there are few of these, and where
// it has kinks, as that of a randomised response: no chord is above it by more than cut, and by half in its middle.
func tradeOff(missed func(alarms float64) float64, points int) (all []record.ErrorPoint) {
	const cut, depth = 1e-3, 20
	at := func(alarms float64) record.ErrorPoint {
		return record.ErrorPoint{Alarms: record.Number(alarms), Missed: record.Number(missed(alarms))}
	}
	var between func(a, b record.ErrorPoint, depth int)
	between = func(a, b record.ErrorPoint, depth int) {
		middle := at(float64(a.Alarms+b.Alarms) / 2)
		if depth == 0 || !(float64((a.Missed+b.Missed)/2)-float64(middle.Missed) > cut/2) {
			return
		}
		between(a, middle, depth-1)
		all = append(all, middle)
		between(middle, b, depth-1)
	}
	all = append(all, at(0))
	for k := range points {
		last := all[len(all)-1]
		next := at(float64((k+1)*(k+1)) / float64(points*points))
		between(last, next, depth)
		all = append(all, next)
	}
	return all
}

// proved is the lesser of what the law of the noise says and the sum over its uses. What the method's own account says
// has no part in it: an audit judges that by it.
func (a *Account) proved(worst loss.Certificate) record.Bound {
	sum := worst.Pure()
	if worst.Epsilon < 0.99*sum || math.IsInf(sum, 1) { // as in least
		return record.Bound{Epsilon: record.Number(worst.Epsilon), Delta: record.Number(a.Delta), By: record.ByLaw}
	}
	by := fmt.Sprintf("%s, which no composition at δ = %v is below by a hundredth", record.BySum, a.Delta)
	if rest := worst.Slack(); !(a.Delta > rest) {
		by = fmt.Sprintf("%s: δ = %v is below the %.1g that its composition leaves to rounding", record.BySum, a.Delta,
			rest)
	}
	return record.Bound{Epsilon: record.Number(sum), By: by}
}

// least is the best of the compositions. The sum, which needs no δ, stays unless another
// is less by a hundredth; what a paper composes itself stands alone, as the ledger does not know its terms.
func (a *Account) least(c *record.Claim, pure float64) record.Bound {
	if a.composedDelta > 0 {
		return record.Bound{Epsilon: c.Epsilon, Delta: c.Delta, By: a.composition}
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

// certifiedSlack is how far below the target a certificate may stay, relatively: a composition takes much longer than a
// sum.
const certifiedSlack = 1e-3

// claimed is what a method's own account says that rows lose over a run, or a round, and why that is not established.
func claimed(p *scenarios.Privacy, m algorithms.Private, s algorithms.Setting, tolerance float64,
) (epsilon float64, failure error) {
	err := m.Established()
	if err == nil {
		_, _, err = algorithms.Precise(m, s.Problem, tolerance)
	}
	if err != nil {
		failure = fmt.Errorf("no target can be met, because the bound is not established: %w", err)
	}
	l := new(privacy.Ledger)
	m.Account(l)
	if p.Over == "round" {
		return l.WorstRound(privacy.Sample, p.Delta), failure
	}
	return l.Bound(privacy.Sample, s.Rounds, p.Delta)[s.Rounds], failure
}

// certified is the certificate of rows that the run will record, or why it will have none.
func certified(p *scenarios.Privacy, m algorithms.Private, s algorithms.Setting, tolerance float64,
) (epsilon float64, failure error) {
	uses, err := algorithms.Certify(m)
	a := newAccount(p, m, s, tolerance)
	if err == nil {
		err = a.Inexact.Err
	}
	if err != nil {
		failure = fmt.Errorf("no target can be met by a certificate, because the run is not certified: %w", err)
		if a.Established == nil {
			failure = fmt.Errorf("%w; by: claim, which is the default, goes by what the method claims", failure)
		}
		return math.NaN(), failure
	}
	worst := uses.Worst(privacy.Sample, s.Rounds, p.Delta)
	return float64(a.proved(worst).Epsilon), nil
}

// choose scales a method's noise so that its loss, claimed or certified, is the target, and
// returns the new parameters.
func choose(p *scenarios.Privacy, entry *algorithms.Entry, params any, s algorithms.Setting, tolerance float64,
) (any, *record.Chosen, error) {
	tunable, ok := params.(algorithms.Tunable)
	if !ok {
		return nil, nil, fmt.Errorf("epsilon is a target for methods whose noise it can choose; %s is none", entry.Name)
	}
	by, slack, part := claimed, 0.0, p.Over
	if p.ByCertificate() {
		by, slack, part = certified, certifiedSlack, p.Over+" by certificate"
	}
	var failure error
	spent := func(scale float64) float64 {
		m, err := entry.New(tunable.Loosen(scale), s)
		if err != nil {
			failure = err
			return math.NaN()
		}
		epsilon, err := by(p, m.(algorithms.Private), s, tolerance)
		if err != nil {
			failure = err
		}
		return epsilon
	}
	if spent(1); failure != nil {
		return nil, nil, failure
	}
	target := *p.Epsilon
	scale, err := privacy.Solve(target, slack, spent)
	if err != nil {
		if least := spent(vanishing); least > target/2 {
			return nil, nil, fmt.Errorf("choosing the noise for epsilon %v over the %s: whatever the noise is, the "+
				"method spends %.6g, which leaves no room below the target or is more than the target; this part "+
				"falls as algorithm.eta grows: leave eta out, or set it to %.3g times what it is, at which this part "+
				"is half the target", target, part, least, 2*least/target)
		}
		return nil, nil, fmt.Errorf("choosing the noise for epsilon %v over the %s: %w", target, part, err)
	}
	chosen := &record.Chosen{Epsilon: target, Over: p.Over, Delta: p.Delta, Scale: scale,
		Parameters: scenarios.FormatParameters(tunable.Loosen(scale))}
	if p.ByCertificate() {
		chosen.By = p.By
	}
	return tunable.Loosen(scale), chosen, nil
}

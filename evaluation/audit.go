// The audit of a privacy claim: two worlds that differ in one sample, many runs
// in each, and the likelihood of every trace in both (docs/mathematics.md §5.8).

package evaluation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/adversary/stats"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/guard"
	"overhear/internal/memory"
	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// AuditOptions say how an audit is carried out; only Runs changes its result.
type AuditOptions struct {
	Runs     int // in each world; 0: as the scenario says
	Workers  int
	Command  string   // that repeats the audit, for the record
	Changes  []string // to the scenario's file, for the record
	Progress func(done, of int)
}

// auditSpec is what a scenario says of its audit, or the defaults.
func auditSpec(s *scenarios.Scenario) scenarios.AuditSpec {
	if s.Adversary != nil {
		return s.Adversary.Audit
	}
	return scenarios.AuditSpec{Runs: 1000, Unit: "auto", Pilots: 40}
}

// evidence is what one run of one world came to.
type evidence struct {
	rounds  []adversary.Evidence
	account account            // what became of its packets
	others  []recovered        // noise of other nodes than the audited one
	reached algorithms.Reached // of a run over split columns
	label   float64            // the label that the user reported
	flips   flips              // of all users
}

// run is which run of which world.
type run struct {
	world, number int
	seed          uint64
}

// subject is what is audited: it runs one world and weighs the trace.
type subject interface {
	// run runs a world, 0 or 1, with a seed.
	run(ctx context.Context, r run) (*evidence, error)
}

// Audit tells apart two worlds that differ in one sample of one node and
// compares what was measured with what the method claims. The error is a
// SetupError where the method has nothing to audit.
func Audit(ctx context.Context, e *experiment.Experiment, o AuditOptions) (*record.Audit, error) {
	started := time.Now()
	spec := auditSpec(e.Scenario)
	if o.Runs > 0 {
		spec.Runs = o.Runs
	}
	if err := AuditFits(e, spec.Runs); err != nil {
		return nil, err
	}
	seed := e.Seeds.First
	a, err := e.Assemble(seed)
	if err != nil {
		return nil, err
	}
	if info, _, err := e.Measure(ctx, seed, o.Workers); err != nil {
		return nil, err
	} else if c := info.Convergence; c.State == record.Diverging {
		return nil, fmt.Errorf("%w with seed %d: %s and grows; an audit would measure a method that does not learn; "+
			"what would change it: %s", problem.ErrDiverges, seed, info.Away(), c.Advice)
	}
	m, err := measure(e, a, &spec)
	if err != nil {
		return nil, experiment.SetupError{Err: err}
	}
	inputs, err := e.Inputs()
	if err != nil {
		return nil, err
	}
	out := &record.Audit{
		Name: e.Name, About: e.About, Seed: seed, Runs: spec.Runs, Rounds: e.Rounds.Count, Algorithm: e.Algorithm.Kind,
		Command: o.Command, Changes: o.Changes, Scenario: e.Resolved(), Statistic: m.statistic,
		Inputs: inputs,
		Threat: record.Threat{
			Sees: "everything that every node publishes, in every round",
			Knows: "the method and every parameter, the graph, all data of all nodes but one " + string(m.unit) +
				", and the two values that it may have",
			Wants: "to know which of the two it is",
		},
	}
	pilots := 2 * spec.Pilots * len(m.pairs)
	if len(m.pairs) == 1 {
		pilots = 0
	}
	total := pilots + 2*spec.Runs
	before := 0
	progress := func(done int) {
		if o.Progress != nil {
			o.Progress(before+done, total)
		}
	}
	kink := func(err error) bool { return m.claim != nil && errors.Is(err, adversary.ErrKink) }
	chosen := 0
	for k := range m.pairs {
		if len(m.pairs) == 1 {
			break
		}
		p := &m.pairs[k]
		sample, err := repeat(ctx, p, "audit pilot", seed, spec.Pilots, o.Workers, progress)
		if kink(err) {
			return m.unmeasured(out, time.Since(started)), nil
		}
		if err != nil {
			return nil, err
		}
		before += 2 * spec.Pilots
		loss := 0.0
		for world := range sample {
			for i := range sample[world] {
				loss += math.Abs(sum(sample[world][i].ratios(e.Rounds.Count))) / float64(2*spec.Pilots)
			}
		}
		p.proposed.Loss = record.Number(loss)
		out.Pair.Search = append(out.Pair.Search, p.proposed)
		if loss > float64(m.pairs[chosen].proposed.Loss) {
			chosen = k
		}
	}
	pair := &m.pairs[chosen]
	sample, err := repeat(ctx, pair, "audit run", seed, spec.Runs, o.Workers, progress)
	if kink(err) {
		return m.unmeasured(out, time.Since(started)), nil
	}
	if err != nil {
		return nil, err
	}
	search := out.Pair.Search
	out.Pair = pair.pair
	out.Pair.Search = search
	if err := m.conclude(out, sample); err != nil {
		return nil, err
	}
	m.beside(out)
	out.Wall = time.Since(started).Seconds()
	return out, nil
}

// unmeasured concludes an audit whose traces have no likelihood, by [adversary.ErrKink]: nothing is measured, and the
// claim is not established, by the condition that fails if one does, and by that alone which nothing could show
// otherwise.
func (m *measured) unmeasured(out *record.Audit, took time.Duration) *record.Audit {
	nan, why := record.Number(math.NaN()), adversary.ErrKink
	out.Pair = m.pairs[0].pair
	out.Statistic = "none: " + why.Error()
	out.Claim, out.Condition = m.claim.guarantee, m.claim.condition()
	reason := "nothing is measured: " + why.Error()
	if e := m.claim.established; e != nil {
		reason = e.Error() + "; " + reason
	}
	out.Verdicts = []record.Verdict{{
		Claim: fmt.Sprintf("one %s of node %d", m.unit, m.pairs[0].pair.Node), Scope: record.WholeRun,
		Node: m.pairs[0].pair.Node, Epsilon: nan, Delta: record.Number(m.claim.delta), Measured: nan, Method: "nothing",
		Verdict: record.NotEstablished, Reason: reason,
	}}
	out.Power = record.Power{AUC: nan, Advantage: nan, TPR1: nan, TPR01: nan, TPR0: nan, Epsilon: nan, Delta: nan,
		Threshold: nan}
	out.Wall = took.Seconds()
	return out
}

// AuditFits is a SetupError for an audit with so many runs in each world, whose evidence memory does not hold; 0: as
// the scenario says.
func AuditFits(e *experiment.Experiment, runs int) error {
	if runs == 0 {
		runs = auditSpec(e.Scenario).Runs
	}
	const perRun, perRound = 1500, 100 // what became of its packets, and its ratios
	what := fmt.Sprintf("an audit of %d runs of %d rounds (rounds.count) in each of two worlds", runs, e.Rounds.Count)
	err := memory.Check(what, 2*float64(runs)*(perRun+float64(perRound*float64(e.Rounds.Count+1))))
	if err != nil {
		return experiment.SetupError{Err: fmt.Errorf("%w; fewer runs (--runs, adversary.audit.runs) say less", err)}
	}
	return nil
}

// repeat runs both worlds of a pair so often, each run with a seed of its own.
func repeat(ctx context.Context, p *auditPair, purpose string, seed uint64, runs, workers int,
	progress func(int)) ([2][]*evidence, error) {
	var all [2][]*evidence
	for w := range all {
		all[w] = make([]*evidence, runs)
	}
	g, ctx := errgroup.WithContext(ctx)
	workers = max(workers, 1)
	done := make(chan struct{}, workers)
	finished := make(chan struct{})
	go func() {
		n := 0
		for range done {
			n++
			progress(n)
		}
		close(finished)
	}()
	for w := range workers {
		g.Go(guard.Func(func() error {
			s, err := p.subject()
			if err != nil {
				return err
			}
			for k := w; k < 2*runs; k += workers {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				world, i := k%2, k/2
				own := sim.NewStream(seed, purpose, uint64(world), uint64(i)).Uint64()
				ev, err := s.run(ctx, run{world, i, own})
				if err != nil {
					return fmt.Errorf("run %d of world %d (seed %d): %w", i, world, own, err)
				}
				all[world][i] = ev
				done <- struct{}{}
			}
			return nil
		}))
	}
	err := g.Wait()
	close(done)
	<-finished
	return all, err
}

// ratios are the log-likelihood ratios by round, from 1; index 0 is of what came
// before round 1.
func (v *evidence) ratios(rounds int) []float64 {
	all := make([]float64, rounds+1)
	for i := range v.rounds {
		all[v.rounds[i].Round] = v.rounds[i].Ratio()
	}
	return all
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

// auditPair is two worlds to tell apart.
type auditPair struct {
	pair     record.Pair
	proposed record.Proposed
	subject  func() (subject, error) // one for each goroutine
}

// measured is an audit before its runs.
type measured struct {
	unit      privacy.Unit // what differs
	statistic string
	pairs     []auditPair
	claim     *claim // of methods over split rows whose noise has a likelihood
	conclude  func(out *record.Audit, sample [2][]*evidence) error
	search    func() (*adversary.Worst, error) // of the worst trace; nil: there is no closed form to maximise
}

// measure finds out what is to be audited.
func measure(e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec) (*measured, error) {
	if !lockstep(e.Scenario) {
		return nil, errors.New("an audit needs synchronous rounds (rounds.mode), in which everything but the noise " +
			"is known")
	}
	if slices.ContainsFunc(e.Network.Faults, forgets) {
		return nil, errors.New("an audit needs nodes that keep their memory (network.faults): what one that has lost " +
			"it goes on with is in no packet, so that it could not be explained")
	}
	if a.Split != nil {
		return auditSplit(e, a, spec)
	}
	if a.Account == nil {
		return nil, fmt.Errorf("algorithm %s claims no privacy, so that there is nothing to audit", e.Algorithm.Kind)
	}
	shard, err := auditedShard(e, a, spec)
	if err != nil {
		return nil, err
	}
	entry, ok := model.Lookup(e.Algorithm.Kind)
	if !ok {
		return nil, fmt.Errorf("no model says what the messages of algorithm %s tell (adversary/model)",
			e.Algorithm.Kind)
	}
	if _, ok := entry.Model().(model.Registering); ok {
		if spec.Unit == string(privacy.Sample) {
			return nil, fmt.Errorf("adversary.audit.unit: of %s labels can be audited; the objective noise, "+
				"drawn once, leaves no likelihood of rows in closed form", e.Algorithm.Kind)
		}
		return auditLabels(e, a, spec, shard)
	}
	if spec.Unit == string(privacy.Label) {
		return nil, fmt.Errorf("adversary.audit.unit: %s protects samples; labels are protected where users report "+
			"them",
			e.Algorithm.Kind)
	}
	return auditSamples(e, a, spec, shard)
}

// forgets says whether a fault costs a node its memory.
func forgets(f sim.Fault) bool {
	switch k := f.Kind.(type) {
	case sim.Crash:
		return k.Memory == "lost"
	case sim.RandomCrashes:
		return k.Rate.Memory == "lost"
	}
	return false
}

// auditedShard is the shard of the audited node.
func auditedShard(e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec) (int, error) {
	shard := spec.Node
	if e.Entry.Star {
		if shard == 0 {
			shard = 1
		}
		shard--
	}
	if shard < 0 || shard >= len(a.Problem.Shards) {
		return 0, fmt.Errorf("adversary.audit.node: node %d has no data; nodes %d to %d have", spec.Node, a.First(),
			a.Graph.Order()-1)
	}
	if rows := len(a.Problem.Shards[shard].Y); spec.Row >= rows {
		return 0, fmt.Errorf("adversary.audit.row: node %d has samples 0 to %d, not %d", shard+a.First(), rows-1,
			spec.Row)
	}
	return shard, nil
}

// claim is what a node claims to lose, by round and up to it.
type claim struct {
	unit        privacy.Unit
	established error
	unproved    error // its authors' word alone, though the condition holds
	guarantee   string
	delta       float64   // 0: pure
	round       []float64 // by round, from 0
	total       []float64
	roundDelta  float64 // of round
}

// claims reads a node's claims from a ledger.
func claims(account *experiment.Account, node int, unit privacy.Unit, rounds int) *claim {
	c := &claim{
		unit: unit, established: account.Established, unproved: account.Unproved, guarantee: account.Guarantee,
		round: make([]float64, rounds+1), total: make([]float64, rounds+1),
	}
	whole := account.Ledger.Part(node, 0, rounds)
	if math.IsInf(whole.Pure(node, rounds, unit), 1) {
		c.delta, c.roundDelta = account.Delta, account.Delta
	}
	c.total = whole.Bound(unit, rounds, c.delta)
	for t := range c.round {
		part := account.Ledger.Part(node, t, t)
		c.round[t] = part.Bound(unit, t, c.delta)[t]
	}
	if unit == privacy.Label {
		c.established = nil // a flipped label needs no condition
	}
	return c
}

// condition is of the claim, in words.
func (c *claim) condition() string {
	switch {
	case c.established != nil:
		return c.established.Error()
	case c.unproved != nil:
		return record.ClaimedNotProved + c.unproved.Error()
	}
	return record.ConditionHolds
}

// failing says which check fails first, and how; empty: none does. The likelihood of a trace is then not known, so that
// nothing is measured by it.
func failing(checks []record.Check) string {
	for i := range checks {
		k := &checks[i]
		if k.Holds {
			continue
		}
		return fmt.Sprintf("the run does not do what its method says; the check %s fails: %s", k.Kind, k.Detail)
	}
	return ""
}

// judge compares a claim with a sample of evidence.
func (c *claim) judge(out *record.Audit, node int, sample [2][]*evidence) error {
	rounds := out.Rounds
	out.Claim, out.Condition = c.guarantee, c.condition()
	flawed := failing(out.Checks)
	if flawed != "" {
		out.Statistic = "a score and no likelihood, as what was sent is not what the method's model says"
	}
	var byRound [2][][]float64 // world, round, run
	var total [2][]float64     // world, run
	digest := sha256.New()
	for w := range sample {
		byRound[w] = make([][]float64, rounds+1)
		for _, v := range sample[w] {
			r := v.ratios(rounds)
			for t, x := range r {
				byRound[w][t] = append(byRound[w][t], x)
				binary.Write(digest, binary.LittleEndian, math.Float64bits(x))
			}
			total[w] = append(total[w], sum(r))
		}
	}
	out.Digest = hex.EncodeToString(digest.Sum(nil))
	so := [2][]float64{make([]float64, len(total[0])), make([]float64, len(total[1]))}
	for t := range rounds + 1 {
		l := record.PrivacyLoss{Round: t, Claimed: record.Number(math.NaN()), ClaimedTotal: record.Number(math.NaN())}
		var mean, meanTotal, largest, largestTotal float64
		for w := range byRound {
			for i, x := range byRound[w][t] {
				so[w][i] += x
				mean, largest = mean+math.Abs(x), max(largest, math.Abs(x))
				meanTotal, largestTotal = meanTotal+math.Abs(so[w][i]), max(largestTotal, math.Abs(so[w][i]))
			}
		}
		n := float64(len(total[0]) + len(total[1]))
		l.Largest, l.Mean = record.Number(largest), record.Number(mean/n)
		l.LargestTotal, l.MeanTotal = record.Number(largestTotal), record.Number(meanTotal/n)
		if flawed != "" {
			nan := record.Number(math.NaN())
			l.Largest, l.Mean, l.LargestTotal, l.MeanTotal = nan, nan, nan, nan
		}
		if c.established == nil {
			l.Claimed, l.ClaimedTotal = record.Number(c.round[t]), record.Number(c.total[t])
		}
		if t > 0 || largest > 0 || c.round[0] > 0 {
			out.ByRound = append(out.ByRound, l)
		}
	}
	var err error
	if out.ROC, out.Power, err = stats.Distinguish(total[0], total[1], c.delta); err != nil {
		return err
	}
	for w := range total {
		if out.Ratios[w], err = stats.Describe(total[w]); err != nil {
			return err
		}
	}
	return c.verdicts(out, node, flawed, byRound, total)
}

// byThreshold is the measurement that takes ratios for a score, whatever law they are of.
const byThreshold = "threshold test, 95 % confidence"

// verdicts are the claims of a round and of the run against what was measured.
func (c *claim) verdicts(out *record.Audit, node int, flawed string, byRound [2][][]float64,
	total [2][]float64) error {
	add := func(scope record.Scope, round int, epsilon, delta, measured float64, method string, refuted bool) {
		score := method == byThreshold // valid whatever the ratios are
		v := record.Verdict{
			Claim: fmt.Sprintf("one %s of node %d", c.unit, node), Scope: scope, Round: round, Node: node,
			Epsilon: record.Number(epsilon), Delta: record.Number(delta),
			Measured: record.Number(measured), Method: method, Verdict: record.Holds,
			Reason: "the measured loss is within the claim",
		}
		if math.IsInf(measured, 1) {
			v.Reason = "the measured loss is unbounded: one look tells the worlds apart"
		}
		if flawed != "" && !score { // by a law that is not that of the run
			v.Measured, refuted = record.Number(math.NaN()), false
		}
		switch {
		case c.established != nil:
			v.Epsilon = record.Number(math.NaN())
			v.Verdict, v.Reason = record.NotEstablished, c.established.Error()
		case refuted:
			v.Verdict = record.Violated
			if !math.IsInf(measured, 1) {
				v.Reason = fmt.Sprintf("the measured loss exceeds the claim by %.3g", measured-epsilon)
			}
			if flawed != "" {
				v.Reason += "; " + flawed
			}
		case flawed != "":
			v.Verdict, v.Reason = record.NotEstablished, flawed
		case c.unproved != nil:
			v.Verdict = record.NotEstablished
			v.Reason = record.ClaimedNotProved + c.unproved.Error() + "; " + v.Reason
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	if c.delta == 0 { // exact ratios bound a pure claim directly
		worst, excess := -1, math.Inf(-1)
		largest := func(t int) float64 {
			m := 0.0
			for w := range byRound {
				for _, x := range byRound[w][t] {
					m = max(m, math.Abs(x))
				}
			}
			return m
		}
		for t := range byRound[0] {
			if over := largest(t) - c.round[t]; c.round[t] > 0 && over > excess || largest(t) > 0 && c.round[t] == 0 {
				worst, excess = t, over
			}
		}
		const rounding = 1e-9
		if worst >= 0 {
			m := largest(worst)
			add(record.WorstRound, worst, c.round[worst], 0, m,
				"largest exact |log-likelihood ratio| of the round", m > float64(c.round[worst]*(1+rounding))+rounding)
		}
		m := 0.0
		for w := range total {
			for _, x := range total[w] {
				m = max(m, math.Abs(x))
			}
		}
		claimed := c.total[len(c.total)-1]
		add(record.WholeRun, 0, claimed, 0, m, "largest exact |log-likelihood ratio| of a run",
			m > float64(claimed*(1+rounding))+rounding)
		add(record.WholeRun, 0, claimed, 0, float64(out.Power.Epsilon), byThreshold,
			float64(out.Power.Epsilon) > claimed)
		return nil
	}
	test := func(a, b []float64, epsilon, delta, confidence float64) (measured float64, refuted bool, err error) {
		if refuted, err = stats.Refutes(a, b, epsilon, delta, confidence); err != nil {
			return 0, false, err
		}
		measured, err = stats.LowerEpsilon(a, b, delta, confidence)
		return measured, refuted, err
	}
	// The worst of the rounds is looked for, so that each has its share of the 5 %.
	spending := 0
	for _, e := range c.round {
		if e > 0 {
			spending++
		}
	}
	worst, loss, refuted := -1, 0.0, false
	for t, e := range c.round {
		if e == 0 {
			continue
		}
		m, r, err := test(byRound[0][t], byRound[1][t], e, c.roundDelta, 1-(1-stats.Confidence)/float64(spending))
		if err != nil {
			return err
		}
		if worst < 0 || r && !refuted || r == refuted && m-e > loss-c.round[worst] {
			worst, loss, refuted = t, m, r
		}
	}
	if worst >= 0 {
		add(record.WorstRound, worst, c.round[worst], c.roundDelta, loss,
			"exact ratios: δ(ε), 95 % confidence over all rounds", refuted)
	}
	claimed := c.total[len(c.total)-1]
	m, r, err := test(total[0], total[1], claimed, c.delta, stats.Confidence)
	if err != nil {
		return err
	}
	add(record.WholeRun, 0, claimed, c.delta, m, "exact ratios: δ(ε), 95 % confidence", r)
	add(record.WholeRun, 0, claimed, c.delta, float64(out.Power.Epsilon), byThreshold,
		float64(out.Power.Epsilon) > claimed)
	return nil
}

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
	"overhear/internal/plural"
	"overhear/internal/stage"
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
	return scenarios.AuditSpec{Runs: 1000, Group: 1, Unit: "auto", Pilots: 40}
}

// evidence is what one run of one world came to.
type evidence struct {
	rounds  []adversary.Evidence
	account account            // what became of its packets
	lied    algorithms.Lied    // what lies made honest nodes compute with
	others  []recovered        // noise of other nodes than the audited one
	reached algorithms.Reached // of a run over split columns
	label   float64            // the label that the user reported
	flips   flips              // of all users

	greatest float64 // Σ, over rounds, of the square of the greatest loss that noise could make of what came before
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
	if err := unaltered(e, "an audit"); err != nil {
		return nil, err
	}
	seed := e.Seeds.First
	a, err := e.Assemble(ctx, seed)
	if err != nil {
		return nil, err
	}
	if _, less := narrow(e.Scenario); less {
		return auditView(ctx, e, a, o)
	}
	quiet := stage.With(ctx, nil) // its runs tell nothing of themselves
	if err := stage.At(ctx, "making one run, to see whether the method learns", 0, 0); err != nil {
		return nil, err
	}
	if info, _, err := e.Measure(quiet, seed, o.Workers); err != nil {
		return nil, err
	} else if c := info.Convergence; c.State == record.Diverging {
		return nil, fmt.Errorf("%w with seed %d: %s and grows; an audit would measure a method that does not learn; "+
			"what would change it: %s", problem.ErrDiverges, seed, info.Away(), c.Advice)
	}
	if err := stage.At(ctx, "looking for pairs of samples to tell apart", 0, 0); err != nil {
		return nil, err
	}
	m, err := measure(e, a, &spec)
	if err == nil {
		err = noiseFits(a, max(spec.Runs, spec.Pilots))
	}
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
			Knows: "the method and every parameter, the graph, all data of all nodes but " +
				several(spec.Group, m.unit) + ", and the two values that " + pronoun(spec.Group) + " may have",
			Wants: "to know which of the two it is", Acts: e.Lying(),
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
		doing := fmt.Sprintf("pilot runs of pair %d of %d, to audit the worst (adversary.audit.pilots)", k+1,
			len(m.pairs))
		if err := stage.At(ctx, doing, 0, 0); err != nil {
			return nil, err
		}
		p := &m.pairs[k]
		sample, err := repeat(quiet, p, "audit pilot", seed, spec.Pilots, o.Workers, progress)
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
	if err := stage.At(ctx, "runs of the two worlds (adversary.audit.runs)", 0, 0); err != nil {
		return nil, err
	}
	sample, err := repeat(quiet, pair, auditRun, seed, spec.Runs, o.Workers, progress)
	if kink(err) {
		return m.unmeasured(out, time.Since(started)), nil
	}
	if err != nil {
		return nil, err
	}
	search := out.Pair.Search
	out.Pair = pair.pair
	out.Pair.Search = search
	if err := stage.At(ctx, "judging what was measured", 0, 0); err != nil {
		return nil, err
	}
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
	v := record.Verdict{
		Claim: fmt.Sprintf("%s of node %d", several(m.claim.group, m.unit), m.pairs[0].pair.Node),
		Scope: record.WholeRun, Node: m.pairs[0].pair.Node, Epsilon: nan, Delta: record.Number(m.claim.delta),
		Tests: []record.Test{},
	}
	decide(&v, standing{established: m.claim.established, what: "claim", flawed: "nothing is measured: " + why.Error()})
	out.Verdicts = []record.Verdict{v}
	out.Certificate = m.claim.certificate
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
		return experiment.SetupError{Err: fewer(err)}
	}
	return nil
}

// fewer says of a memory that does not hold an audit what would be smaller.
func fewer(err error) error {
	return fmt.Errorf("%w; fewer runs (--runs, adversary.audit.runs) say less", err)
}

// noiseFits is an error for an audit whose noise memory does not hold: that of the audited node in every run, and that
// of the others in the runs that are looked at.
func noiseFits(a *experiment.Assembly, runs int) error {
	numbers := 0
	if a.Split != nil {
		numbers = a.Split.N
	} else {
		numbers = a.Problem.D
	}
	rounds, nodes := float64(a.Rounds), float64(a.Graph.Order())
	vectors := rounds * (float64(runs) + float64((nodes-1)*float64(min(runs, looked(a)))))
	what := fmt.Sprintf("the noise of %d runs of %d rounds (rounds.count) in each of two worlds, vectors of %d "+
		"numbers (problem.data),", runs, a.Rounds, numbers)
	if err := memory.Check(what, 2*8*vectors*float64(numbers)); err != nil {
		return fewer(err)
	}
	return nil
}

// auditRun is what the runs are for by which an audit judges.
const auditRun = "audit run"

// seedOf is the seed of a run of a world.
func seedOf(seed uint64, purpose string, world, number int) uint64 {
	return sim.NewStream(seed, purpose, uint64(world), uint64(number)).Uint64()
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
				own := seedOf(seed, purpose, world, i)
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
	if err := followed(e); err != nil {
		return nil, err
	}
	if a.Split != nil {
		return auditSplit(e, a, spec)
	}
	if a.Account == nil {
		return nil, fmt.Errorf("algorithm %s claims no privacy, so that there is no claim to audit; "+
			"--black-box measures what is lost", e.Algorithm.Kind)
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
			return auditReported(e, a, spec, shard)
		}
		return auditLabels(e, a, spec, shard)
	}
	return auditSamples(e, a, spec, shard)
}

// followed is an error if it cannot be told what enters the updates of a run.
func followed(e *experiment.Experiment) error {
	switch {
	case lockstep(e.Scenario):
	case e.Entry.Star:
		return errors.New("an audit of a method around a hub needs rounds in which everybody waits for " +
			"everybody (rounds.mode: synchronous, rounds.missing: stop): no model says what its hub makes of values " +
			"of different rounds")
	case e.Ties == "shuffled":
		return errors.New("an audit of asynchronous rounds, or of rounds.missing: last, needs ties: ordered: " +
			"else it cannot be told what entered an update that began when a value came")
	case e.Rounds.Mode == "synchronous" && e.Network.Faults.Leaves():
		return errors.New("an audit of rounds.missing: last needs nodes that stay (network.faults): of one that " +
			"leaves it cannot be told which packets there should be; asynchronous rounds may have it")
	}
	if slices.ContainsFunc(e.Network.Faults, forgets) {
		return errors.New("an audit needs nodes that keep their memory (network.faults): what one that has lost " +
			"it goes on with is in no packet, so that it could not be explained")
	}
	return nil
}

// protects says that an audit is of another unit than a method protects.
func protects(e *experiment.Experiment, unit privacy.Unit) error {
	if unit == privacy.Label {
		return fmt.Errorf("adversary.audit.unit: of %s here only labels are protected", e.Algorithm.Kind)
	}
	return fmt.Errorf("adversary.audit.unit: %s protects samples; labels are protected where users report them",
		e.Algorithm.Kind)
}

// forgets says whether a fault costs a node its memory.
func forgets(f sim.Fault) bool {
	k, may := f.Kind.(sim.Forgetting)
	return may && k.Forgets()
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
	if a.Liars.Lies(shard + a.First()) {
		return 0, fmt.Errorf("adversary.audit.node: node %d lies (adversary.acts), so that nothing protects it; audit "+
			"one that is honest", shard+a.First())
	}
	rows := len(a.Problem.Shards[shard].Y)
	if spec.Row < rows && spec.Row+spec.Group > rows {
		return 0, fmt.Errorf("adversary.audit.group: node %d has samples 0 to %d, which are not %d from "+
			"adversary.audit.row, %d, on", shard+a.First(), rows-1, spec.Group, spec.Row)
	}
	if spec.Row >= rows {
		return 0, fmt.Errorf("adversary.audit.row: node %d has samples 0 to %d, not %d", shard+a.First(), rows-1,
			spec.Row)
	}
	if g, columns := spec.Pair, a.Problem.Shards[shard].U.D; g != nil && (len(g.A) != columns || len(g.B) != columns) {
		return 0, fmt.Errorf("adversary.audit.pair: a row has %d columns, and a and b have %d and %d numbers", columns,
			len(g.A), len(g.B))
	}
	return shard, nil
}

// claim is what a node claims to lose, by round and up to it.
type claim struct {
	unit        privacy.Unit
	group       int // so many units together
	established error
	unproved    error // its authors' word alone, though the condition holds
	guarantee   string
	delta       float64   // 0: pure
	round       []float64 // by round, from 0
	total       []float64
	roundDelta  float64 // of round

	certificate *record.Certificate // of the node; nil: none was asked for
}

// several is so many units, in words.
func several(n int, unit privacy.Unit) string {
	if n <= 1 {
		return "one " + string(unit)
	}
	return plural.Of(n, string(unit))
}

// together is a group as a pair has it: 0 of one sample.
func together(group int) int {
	if group == 1 {
		return 0
	}
	return group
}

// pronoun stands for so many units.
func pronoun(n int) string {
	if n <= 1 {
		return "it"
	}
	return "each"
}

// claims reads from a ledger what the node of a shard claims that so many units together lose; first is the node of
// shard 0.
func claims(account *experiment.Account, node, first, group int, unit privacy.Unit, rounds int) *claim {
	c := &claim{
		unit: unit, group: group, established: account.Established, unproved: account.Unproved,
		guarantee: account.Guarantee, round: make([]float64, rounds+1), total: make([]float64, rounds+1),
	}
	if c.certificate = account.Certificate(node, first, unit); group > 1 {
		c.certificate = &record.Certificate{Unit: unit, Node: node + first, Epsilon: record.Number(math.NaN()),
			Delta: record.Number(account.Delta), Reason: "a certificate is of one sample, and a group of them differs"}
	}
	if unit == privacy.Label && !account.Reported() { // a row is protected with its label
		unit = privacy.Sample
	}
	whole := account.Ledger.Part(node, 0, rounds).Group(group)
	if math.IsInf(whole.Pure(node, rounds, unit), 1) {
		c.delta, c.roundDelta = account.Delta, account.Delta
	}
	c.total = whole.Bound(unit, rounds, c.delta)
	for t := range c.round {
		part := whole.Part(node, t, t)
		c.round[t] = part.Bound(unit, t, c.delta)[t]
	}
	if unit == privacy.Label {
		c.established = nil // a label that its user flips needs no condition
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

// Measurements. Exact ones are by the likelihood of the method's model; the threshold test takes ratios for a score,
// whatever law they are of.
const (
	byLargest   = "largest exact |log-likelihood ratio|"
	byCurve     = "exact ratios: δ(ε), 95 % confidence"
	byThreshold = "threshold test, 95 % confidence"
)

// verdicts are the claims of a round and of the run, and the certificate, against what was measured.
func (c *claim) verdicts(out *record.Audit, node int, flawed string, byRound [2][][]float64,
	total [2][]float64) error {
	stands := standing{established: c.established, unproved: c.unproved, what: "claim", flawed: flawed}
	of := fmt.Sprintf("%s of node %d", several(c.group, c.unit), node)
	// exact is a measurement by the model's law, which a flawed run does not have.
	exact := func(method string, epsilon, measured float64, refutes bool) record.Test {
		if flawed != "" {
			measured, refutes = math.NaN(), false
		}
		return record.Test{Method: method, Epsilon: record.Number(epsilon), Measured: record.Number(measured),
			Refutes: refutes}
	}
	add := func(scope record.Scope, round int, epsilon, delta float64, tests ...record.Test) {
		v := record.Verdict{Claim: of, Scope: scope, Round: round, Node: node, Epsilon: record.Number(epsilon),
			Delta: record.Number(delta), Tests: tests}
		decide(&v, stands)
		out.Verdicts = append(out.Verdicts, v)
	}
	claimed := c.total[len(c.total)-1]
	threshold := record.Test{Method: byThreshold, Epsilon: record.Number(claimed), Measured: out.Power.Epsilon,
		Refutes: float64(out.Power.Epsilon) > claimed}
	if c.delta == 0 { // exact ratios bound a pure claim directly
		worst, excess := -1, math.Inf(-1)
		for t := range byRound[0] {
			most := largest(byRound[0][t], byRound[1][t])
			if over := most - c.round[t]; c.round[t] > 0 && over > excess || most > 0 && c.round[t] == 0 {
				worst, excess = t, over
			}
		}
		if worst >= 0 {
			m := largest(byRound[0][worst], byRound[1][worst])
			add(record.WorstRound, worst, c.round[worst], 0,
				exact(byLargest+" of the round", c.round[worst], m, beyond(m, c.round[worst])))
		}
		m := largest(total[0], total[1])
		add(record.WholeRun, 0, claimed, 0, exact(byLargest+" of a run", claimed, m, beyond(m, claimed)), threshold)
		return c.certified(out, node, stands, total)
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
		m, r, err := lost(byRound[0][t], byRound[1][t], e, c.roundDelta, 1-(1-stats.Confidence)/float64(spending))
		if err != nil {
			return err
		}
		if worst < 0 || r && !refuted || r == refuted && m-e > loss-c.round[worst] {
			worst, loss, refuted = t, m, r
		}
	}
	if worst >= 0 {
		add(record.WorstRound, worst, c.round[worst], c.roundDelta,
			exact(byCurve+" over all rounds", c.round[worst], loss, refuted))
	}
	m, r, err := lost(total[0], total[1], claimed, c.delta, stats.Confidence)
	if err != nil {
		return err
	}
	tests := []record.Test{exact(byCurve, claimed, m, r)}
	if flawed != "" { // else there would be two tests of one claim that may err, each with 5 %
		tests = append(tests, threshold)
	}
	add(record.WholeRun, 0, claimed, c.delta, tests...)
	return c.certified(out, node, stands, total)
}

// largest is the greatest |log-likelihood ratio| of both worlds.
func largest(a, b []float64) (most float64) {
	for _, ratios := range [2][]float64{a, b} {
		for _, x := range ratios {
			most = max(most, math.Abs(x))
		}
	}
	return most
}

// beyond says whether an exact ratio exceeds a pure claim, by more than rounding.
func beyond(ratio, claimed float64) bool {
	const rounding = 1e-9
	return ratio > float64(claimed*(1+rounding))+rounding
}

// lost is the ε that exact ratios show to be lost at δ, and whether they refute a claim.
func lost(a, b []float64, epsilon, delta, confidence float64) (measured float64, refuted bool, err error) {
	if refuted, err = stats.Refutes(a, b, epsilon, delta, confidence); err != nil {
		return 0, false, err
	}
	measured, err = stats.LowerEpsilon(a, b, delta, confidence)
	return measured, refuted, err
}

// certified sets the certificate beside what was measured at its δ, and the measured δ(ε) beside its curve. What it is
// proved with is not what the claim is proved with.
func (c *claim) certified(out *record.Audit, node int, stands standing, total [2][]float64) error {
	out.Certificate = c.certificate
	if stands.flawed == "" {
		var err error
		if out.Curve, err = stats.Deltas(total[0], total[1]); err != nil {
			return err
		}
	}
	if c.certificate == nil || c.certificate.Reason != "" {
		return nil
	}
	epsilon, delta := float64(c.certificate.Epsilon), float64(c.certificate.Delta)
	t := record.Test{Method: byLargest + " of a run", Epsilon: record.Number(epsilon)}
	if m := largest(total[0], total[1]); delta == 0 {
		t.Measured, t.Refutes = record.Number(m), beyond(m, epsilon)
	} else {
		m, r, err := lost(total[0], total[1], epsilon, delta, stats.Confidence)
		if err != nil {
			return err
		}
		t.Method, t.Measured, t.Refutes = byCurve, record.Number(m), r
	}
	if stands.flawed != "" {
		t.Measured, t.Refutes = record.Number(math.NaN()), false
	}
	out.Certified = &record.Verdict{Claim: fmt.Sprintf("certificate of one %s of node %d", c.unit, node),
		Scope: record.WholeRun, Node: node, Epsilon: record.Number(epsilon), Delta: record.Number(delta),
		Tests: []record.Test{t}}
	decide(out.Certified, standing{what: "certificate", flawed: stands.flawed})
	return nil
}

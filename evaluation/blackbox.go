// The audit that knows no method: two worlds, every packet, and statistics that are learnt on one part of the runs and
// judged on another (docs/mathematics.md §5.11).

package evaluation

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"overhear/adversary"
	"overhear/adversary/stats"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/guard"
	"overhear/internal/memory"
	"overhear/privacy"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// cell names one number that packets carry, alike in all runs: of the k-th packet of a kind between two nodes in a
// round, a number of its payload, or one of the negative ones; or the sum of such numbers from the first round to that
// one, which is what a dual variable remembers of them.
type cell struct {
	round, from, to int32
	kind            uint8
	k, number       int32
	summed          bool
}

// Numbers of a packet besides its payload.
const (
	sentAt int32 = -1 - iota
	takenFor
	sizeOf
	outside // the round, where the run does not have it
)

// sighting is what the packets of one run carry. Cells are in order, and those of runs that are alike are in memory
// once.
type sighting struct {
	cells  []cell
	values []float64
}

// value is what a run has of a cell.
func (s *sighting) value(c cell) (v float64, ok bool) {
	k, ok := slices.BinarySearchFunc(s.cells, c, compareCells)
	if !ok {
		return math.NaN(), false
	}
	return s.values[k], true
}

// blackBox runs both worlds of a pair and sees the packets that a node sends or receives: what others send to one
// another follows, but for noise that is not its own, from those. What users report is seen where it is what is
// audited: a claim on rows is against those who see what nodes send, and a report has the row in it.
type blackBox struct {
	e       *experiment.Experiment
	worlds  [2]*experiment.Assembly
	node    int32
	reports bool
	seen    []bool             // by round: a window is over it
	begins  []bool             // by round: one begins with it, which has the sums of all rounds up to it, too
	watch   *adversary.Vantage // what is seen instead of the node's packets; nil: those

	mu      sync.Mutex
	cells   []cell             // of the last run
	reached algorithms.Reached // of all runs, over split columns
	lied    algorithms.Lied    // what lies made honest nodes compute with in all runs
}

// blindPair is two worlds, and what changes an assembly into either.
type blindPair struct {
	pair   record.Pair
	change func(world int, own *experiment.Assembly)
}

// box makes two worlds without any model of the method.
func box(e *experiment.Experiment, a *experiment.Assembly, p *blindPair) (*blackBox, error) {
	b := &blackBox{e: e, node: int32(p.pair.Node), reports: p.pair.Unit == privacy.Label && registers(a)}
	b.seen, b.begins = seenRounds(e.Rounds.Count)
	if watch, less := narrow(e.Scenario); less {
		b.watch = &watch
	}
	for k := range b.worlds {
		own := *a
		p.change(k, &own)
		if err := e.Equip(&own); err != nil {
			return nil, err
		}
		b.worlds[k] = &own
	}
	return b, nil
}

// columnPair is a pair of matrices of a party.
func columnPair(spec *scenarios.AuditSpec, p *columnProposal) blindPair {
	return blindPair{
		record.Pair{Node: spec.Node + 1, Row: spec.Row, Unit: privacy.Column, What: p.what,
			A: column(p.block[0], spec.Row), B: column(p.block[1], spec.Row)},
		func(world int, own *experiment.Assembly) { withBlock(own, spec.Node, p.block[world]) },
	}
}

// look runs a world.
func (b *blackBox) look(ctx context.Context, world int, seed uint64) (sighting, error) {
	type number struct {
		cell
		value float64
	}
	var all []number
	own := *b.worlds[world]
	own.Seed = seed
	met := meetings{map[cell]int32{}, map[cell][]float64{}}
	users := int32(own.Graph.Order()) // who come after the nodes
	told := newWire()
	var lied algorithms.Lied
	_, err := b.e.Execute(ctx, &own, experiment.Execution{Observer: told, Packets: func(p *sim.Packet) {
		if own.Liars != nil {
			lied.Hear(own.Liars, int(p.From), int(p.To), p.Kind, p.Payload)
		}
		if b.sees(p, users, seed) {
			b.numbers(p, met, func(c cell, v float64) { all = append(all, number{c, v}) })
		}
	}})
	slices.SortFunc(all, func(x, y number) int { return compareCells(x.cell, y.cell) })
	s := sighting{make([]cell, len(all)), make([]float64, len(all))}
	for k, n := range all {
		s.cells[k], s.values[k] = n.cell, n.value
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for node, scale := range told.scales {
		if own.Liars != nil {
			lied.Solved(own.Liars, node, scale)
		}
	}
	b.reached = b.reached.Or(told.reached)
	b.lied.Add(lied)
	if slices.Equal(s.cells, b.cells) {
		s.cells = b.cells
	}
	b.cells = s.cells
	return s, err
}

// sees says whether a packet is seen: by who watches the node or, of a view, by whose view it is.
func (b *blackBox) sees(p *sim.Packet, users int32, seed uint64) bool {
	reported := p.From >= users || p.To >= users
	switch {
	case reported && !b.reports:
		return false
	case b.watch == nil:
		return p.From == b.node || p.To == b.node || reported
	}
	return b.watch.Sees(&record.Message{ID: p.ID, Src: p.From, Dst: p.To, Round: p.Round,
		ReceivedNS: int64(p.Received)}, seed)
}

// meetings are what a run has shown so far: of a kind of packets between two nodes how many there were in a round, and
// the sums of what they carried, over the rounds.
type meetings struct {
	counts map[cell]int32
	sums   map[cell][]float64
}

// numbers tells what a packet that is seen carries. Of one whose round the run does not have, the round is a number in
// itself, in the last round.
func (b *blackBox) numbers(p *sim.Packet, met meetings, tell func(cell, float64)) {
	c := cell{round: p.Round, from: p.From, to: p.To, kind: p.Kind}
	last := int32(len(b.seen) - 1)
	exists := p.Round >= 0 && p.Round <= last
	if !exists {
		c.round, c.number = last, outside
	}
	met.counts[c]++
	c.k = met.counts[c]
	if !exists { // it is compared with others of such rounds alone
		c.k = -c.k
		tell(c, float64(p.Round))
	} else {
		always := c
		always.round = 0
		sums := met.sums[always]
		for n, v := range p.Payload {
			if n == len(sums) {
				sums = append(sums, 0)
			}
			sums[n] += v
			if b.begins[p.Round] {
				c.number, c.summed = int32(n), true
				tell(c, sums[n])
			}
		}
		if met.sums[always] = sums; !b.seen[p.Round] {
			return
		}
		c.summed = false
	}
	for n, v := range p.Payload {
		c.number = int32(n)
		tell(c, v)
	}
	for k, v := range []float64{float64(p.Sent), float64(p.Received - p.Sent), float64(p.Bytes)} {
		c.number = []int32{sentAt, takenFor, sizeOf}[k]
		tell(c, v)
	}
}

// sample runs both worlds so often, each run with a seed of its own.
func (b *blackBox) sample(ctx context.Context, purpose string, seed uint64, runs, workers int,
	progress func()) (all [2][]sighting, err error) {
	g, ctx := errgroup.WithContext(ctx)
	workers = max(workers, 1)
	for w := range all {
		all[w] = make([]sighting, runs)
	}
	done := make(chan struct{}, workers)
	finished := make(chan struct{})
	go func() {
		for range done {
			progress()
		}
		close(finished)
	}()
	for w := range workers {
		g.Go(guard.Func(func() error {
			for k := w; k < 2*runs; k += workers {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				own := sim.NewStream(seed, purpose, uint64(k%2), uint64(k/2)).Uint64()
				s, err := b.look(ctx, k%2, own)
				if err != nil {
					return fmt.Errorf("run %d of world %d (seed %d): %w", k/2, k%2, own, err)
				}
				all[k%2][k/2] = s
				done <- struct{}{}
			}
			return nil
		}))
	}
	err = g.Wait()
	close(done)
	<-finished
	return all, err
}

// windows are the rounds up to which the packets are looked at; each look is at three rounds, and its claim is that of
// all rounds up to then. Of a short run they leave out no round.
func windows(rounds int) (all []int) {
	for t := 0; t <= rounds; {
		all = append(all, t)
		next := max(t+1, t*5/4)
		if rounds <= gapless {
			next = min(next, t+width)
		}
		t = next
	}
	if all[len(all)-1] != rounds {
		all = append(all, rounds)
	}
	return all
}

// width is how many rounds a window is over.
const width = 3

// gapless is how many rounds a run has at most of which every round is looked at.
const gapless = 60

// seenRounds says of every round if a window is over it, and if one begins with it after round 0.
func seenRounds(rounds int) (seen, begins []bool) {
	seen, begins = make([]bool, rounds+1), make([]bool, rounds+1)
	for _, t := range windows(rounds) {
		first := t - width + 1
		for k := max(0, first); k <= t; k++ {
			seen[k] = true
		}
		if first > 0 {
			begins[first] = true
		}
	}
	return seen, begins
}

// blindFits is an error for a black-box audit whose packets memory does not hold.
func blindFits(e *experiment.Experiment, a *experiment.Assembly, p *record.Pair, runs int) error {
	numbers, length, packets := 0.0, a.Numbers(), 2*a.Graph.Degree(p.Node)
	if _, less := narrow(e.Scenario); less { // at most those of all nodes
		packets = a.Graph.Links()
	}
	if a.Split != nil {
		length = 3 * a.Split.N / 2 // the hub sends two numbers for each of a party's
	}
	seen, begins := seenRounds(e.Rounds.Count)
	for t := range seen {
		if seen[t] {
			numbers += float64(packets * (length + 3))
		}
		if begins[t] {
			numbers += float64(packets * length)
		}
	}
	if p.Unit == privacy.Label && registers(a) {
		numbers += float64(a.Problem.Rows() * (a.Problem.D + 5))
	}
	what := fmt.Sprintf("a black-box audit of %d runs of %d rounds (rounds.count) in each of two worlds", runs,
		e.Rounds.Count)
	if err := memory.Check(what, 2*float64(runs)*(8*numbers)); err != nil {
		return fewer(err)
	}
	return nil
}

// BlackBox audits a claim on rows, labels or columns by the packets alone: it knows no model, no noise and no code of
// the method. Where nothing is claimed it measures what is lost. The error is a SetupError where the runs cannot tell.
func BlackBox(ctx context.Context, e *experiment.Experiment, o AuditOptions) (*record.Audit, error) {
	started := time.Now()
	spec := auditSpec(e.Scenario)
	if o.Runs > 0 {
		spec.Runs = o.Runs
	}
	seed := e.Seeds.First
	a, err := e.Assemble(ctx, seed)
	if err != nil {
		return nil, err
	}
	refused := func(err error) (*record.Audit, error) { return nil, experiment.SetupError{Err: err} }
	if spec.Runs < 40 {
		return refused(fmt.Errorf("a black-box audit learns and judges, and needs at least 40 runs in each world, "+
			"not %d", spec.Runs))
	}
	pairs, claimed, err := blindPairs(e, a, &spec)
	if err != nil {
		return refused(err)
	}
	unit := pairs[0].pair.Unit
	if err := blindFits(e, a, &pairs[0].pair, max(spec.Runs, spec.Pilots)); err != nil {
		return refused(err)
	}
	inputs, err := e.Inputs()
	if err != nil {
		return nil, err
	}
	sees := "every packet that the node sends or receives"
	if unit == privacy.Label && registers(a) {
		sees += ", and every report of a user"
	}
	if watch, less := narrow(e.Scenario); less {
		sees = watch.String()
	}
	sees += ": payload, sender, receiver, kind, time and size"
	done, total := 0, 2*spec.Runs+2*spec.Pilots*len(pairs)
	if len(pairs) == 1 {
		total = 2 * spec.Runs
	}
	progress := func() {
		if done++; o.Progress != nil {
			o.Progress(done, total)
		}
	}
	out := &record.Audit{
		Name: e.Name, About: e.About, Seed: seed, Runs: spec.Runs, Rounds: e.Rounds.Count, Algorithm: e.Algorithm.Kind,
		Command: o.Command, Changes: o.Changes, Scenario: e.Resolved(), Inputs: inputs,
		Threat: record.Threat{
			Sees: sees,
			Knows: "nothing of the method; runs of both worlds to learn from, with all data but " +
				several(spec.Group, unit) + ", and the two values that " + pronoun(spec.Group) + " may have",
			Wants: "to know which of the two it is", Acts: e.Lying(),
		},
		Search: &record.Search{Why: "a black-box audit knows no formula of the loss"},
	}
	best, most := 0, math.Inf(-1)
	var search []record.Proposed
	for k := range pairs {
		if len(pairs) == 1 {
			break
		}
		b, err := box(e, a, &pairs[k])
		if err != nil {
			return nil, err
		}
		sample, err := b.sample(ctx, "black-box pilot", seed, spec.Pilots, o.Workers, progress)
		if err != nil {
			return nil, err
		}
		apart := apartness(sample)
		search = append(search, record.Proposed{What: pairs[k].pair.What, Loss: record.Number(apart)})
		if apart > most {
			best, most = k, apart
		}
	}
	out.Pair = pairs[best].pair
	out.Pair.Search = search
	b, err := box(e, a, &pairs[best])
	if err != nil {
		return nil, err
	}
	sample, err := b.sample(ctx, "black-box run", seed, spec.Runs, o.Workers, progress)
	if err != nil {
		return nil, err
	}
	c := claimed(b.reached)
	if unit != privacy.Label || !registers(a) { // labels are protected before anything is computed
		c.amid(e, a, b.lied)
	}
	if !lockstep(e.Scenario) { // a neighbour's packet of a round may tell of later rounds of the node
		for t := 1; t < len(c.total); t++ {
			c.total[t] = c.total[len(c.total)-1]
		}
	}
	out.Claim, out.Condition = c.guarantee, c.condition()
	c.judgeBlindly(out, sample)
	out.Wall = time.Since(started).Seconds()
	return out, nil
}

// blindPairs are worlds to tell apart, and the claim on them, given where the runs went.
func blindPairs(e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec) (all []blindPair,
	claimed func(algorithms.Reached) *claim, err error) {
	if a.Split != nil {
		if err := fitsColumns(a, spec); err != nil {
			return nil, nil, err
		}
		for _, p := range columnProposals(a.Split.Blocks[spec.Node], a.Split.Y, spec.Row, a.Seed) {
			all = append(all, columnPair(spec, &p))
		}
		m, ok := a.Method.(algorithms.Composing)
		if !ok || !private(a) {
			return all, func(algorithms.Reached) *claim { return nothing(e, spec, privacy.Column) }, nil
		}
		return all, func(r algorithms.Reached) *claim { return composed(a, m, spec.Node, r) }, nil
	}
	shard, err := auditedShard(e, a, spec)
	if err != nil {
		return nil, nil, err
	}
	unit, err := blindUnit(e, a, spec)
	if err != nil {
		return nil, nil, err
	}
	var pairs []proposal
	switch {
	case unit == privacy.Label && spec.Group > 1:
		return nil, nil, errGroupOfLabels
	case unit == privacy.Label:
		pairs = []proposal{labelPair(a, shard, spec.Row)}
	default:
		pairs = rowProposals(a, shard, spec, make([]float64, a.Problem.D))
	}
	var c *claim
	switch {
	case !private(a):
		c = nothing(e, spec, unit)
	case unit == privacy.Label && registers(a):
		c = labelClaims(e, a, shard, spec.Row)
	default:
		c = claims(a.Account, shard, a.First(), spec.Group, unit, e.Rounds.Count)
	}
	for _, p := range pairs {
		all = append(all, blindPair{rowPair(a, shard, spec, unit, &p), func(world int, own *experiment.Assembly) {
			withRows(own, shard, spec.Row, spec.Group, p.u[world], p.y[world])
		}})
	}
	return all, func(algorithms.Reached) *claim { return c }, nil
}

// registers says whether users report labels to servers.
func registers(a *experiment.Assembly) bool {
	_, ok := a.Method.(algorithms.Registering)
	return ok
}

// private says whether anything is claimed of a run.
func private(a *experiment.Assembly) bool {
	return a.Account != nil && len(a.Account.Ledger.Nodes()) > 0
}

// nothing is what a method claims that claims no privacy: what is measured stands by itself.
func nothing(e *experiment.Experiment, spec *scenarios.AuditSpec, unit privacy.Unit) *claim {
	return &claim{unit: unit, group: spec.Group, guarantee: "none",
		established: fmt.Errorf("algorithm %s claims no privacy, so that what is measured stands by itself",
			e.Algorithm.Kind), total: make([]float64, e.Rounds.Count+1)}
}

// blindUnit is what a black-box audit is of: labels where users report them, unless rows are asked for.
func blindUnit(e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec) (privacy.Unit, error) {
	if !private(a) {
		if spec.Unit == string(privacy.Label) {
			return privacy.Label, labelsDiffer(a.Problem)
		}
		return privacy.Sample, nil
	}
	claimed := a.Account.Ledger.Units()
	unit := privacy.Unit(spec.Unit)
	if unit == "auto" {
		if unit = privacy.Sample; slices.Contains(claimed, privacy.Label) {
			unit = privacy.Label
		}
	}
	if unit == privacy.Label && !registers(a) { // a row is protected with its label
		return unit, labelsDiffer(a.Problem)
	}
	if !slices.Contains(claimed, unit) {
		return "", protects(e, claimed[0])
	}
	return unit, nil
}

// judgeBlindly learns each family's statistic on half of the runs and judges it on the other half.
func (c *claim) judgeBlindly(out *record.Audit, sample [2][]sighting) {
	half := len(sample[0]) / 2
	fitted := half * 2 / 3
	looks := map[int][]cell{}
	for _, t := range windows(out.Rounds) {
		looks[t] = inWindow(sample, fitted, t, int32(out.Pair.Node))
	}
	// Of round 0, up to which hardly anything is claimed, a bound exceeds the claim by more than one of later rounds
	// that falls short of theirs, whatever they show. It has a test of its own.
	chosen := [][]int{windows(out.Rounds)}
	if all := chosen[0]; len(all) > 1 && len(looks[0]) > 0 {
		chosen = [][]int{all[:1], all[1:]}
	}
	confidence := 1 - (1-stats.Confidence)/float64(len(families)*len(chosen))
	judged := len(sample[0]) - half
	able := stats.LossBound(judged, judged, 0, judged, c.delta, confidence)
	out.BlackBox = &record.BlackBox{Learnt: half, Judged: judged, Able: record.Number(able)}
	var names []string
	v := record.Verdict{
		Claim: fmt.Sprintf("%s of node %d", several(c.group, c.unit), out.Pair.Node),
		Scope: record.UpTo, Round: out.Rounds, Node: out.Pair.Node, Epsilon: record.Number(c.total[out.Rounds]),
		Delta: record.Number(c.delta),
	}
	for _, f := range families {
		names = append(names, f.name)
		for _, times := range chosen {
			v.Tests = append(v.Tests, c.judgeFamily(&f, sample, times, looks, confidence, able))
		}
	}
	stands := standing{established: c.established, unproved: c.unproved, what: "claim"}
	decide(&v, stands)
	if v.Verdict != record.Violated {
		// What a part of the rounds loses the run loses, too: the tests are of its claim as well.
		v.Scope, v.Round = record.WholeRun, 0
		for k := range v.Tests {
			v.Tests[k].Epsilon = record.Number(c.total[out.Rounds])
		}
		decide(&v, stands)
	}
	out.Verdicts = []record.Verdict{v}
	nan := record.Number(math.NaN())
	out.Power = record.Power{AUC: nan, Advantage: nan, TPR1: nan, TPR01: nan, TPR0: nan, Epsilon: nan, Delta: nan,
		Threshold: nan}
	out.Statistic = fmt.Sprintf("of each family (%s) the one that told worlds apart best on %d runs of each world, "+
		"judged on %d others at %.2f %% each, so that all hold with 95 %%", strings.Join(names, ", "), half, judged,
		100*confidence)
}

// unrefuted is more than any bound that runs can show.
const unrefuted = 1e6

// judgeFamily learns a family's statistic of one of some rounds and judges it.
func (c *claim) judgeFamily(f *family, sample [2][]sighting, times []int, looks map[int][]cell,
	confidence, able float64) record.Test {
	half := len(sample[0]) / 2
	fitted, judged := half*2/3, len(sample[0])-half
	var best struct {
		t         int
		rule      rule
		cells     []cell
		threshold float64
		excess    float64
	}
	best.excess = math.Inf(-1)
	for _, t := range times {
		cells := looks[t]
		if len(cells) == 0 {
			continue
		}
		var m [2][][]float64 // of the runs that are learnt from
		for w := range m {
			m[w] = table(sample[w][:half], cells)
		}
		for _, r := range f.learn([2][][]float64{m[0][:fitted], m[1][:fitted]}) {
			score := [2][]float64{r.scores(m[0][fitted:]), r.scores(m[1][fitted:])}
			at, err := stats.Threshold(score[0], score[1], c.delta)
			if err != nil {
				continue
			}
			tp, fp := atLeast(score[0], at), atLeast(score[1], at)
			got := stats.LossBound(tp, len(score[0]), fp, len(score[1]), c.delta, stats.Confidence)
			// What would refute the claim up to there comes first; else, or where no claim stands, what shows most.
			excess := got - c.total[t]
			if !(excess > 0) || c.established != nil {
				if excess = got - unrefuted; math.IsInf(c.total[t], 1) && !(got > 0) {
					continue // nothing exceeds a claim without end
				}
			}
			if excess > best.excess {
				best.t, best.rule, best.cells, best.threshold, best.excess = t, r, cells, at, excess
			}
		}
	}
	t := record.Test{Method: f.name + ", learnt and judged on different runs", Round: best.t,
		Epsilon: record.Number(c.total[best.t])}
	if best.rule == nil {
		t.Measured, t.Detail = record.Number(math.NaN()), "no packet varies"
		if slices.ContainsFunc(times, func(t int) bool { return len(looks[t]) > 0 }) {
			t.Detail = "nothing that tells the worlds apart was learnt"
		}
		return t
	}
	tp := atLeast(best.rule.scores(table(sample[0][half:], best.cells)), best.threshold)
	fp := atLeast(best.rule.scores(table(sample[1][half:], best.cells)), best.threshold)
	lost := max(0, stats.LossBound(tp, judged, fp, judged, c.delta, confidence))
	t.Measured, t.Refutes = record.Number(lost), lost > c.total[best.t]
	t.Detail = fmt.Sprintf("the test says world A in %d of %d runs of A and in %d of %d runs of B (as often in both "+
		"where nothing tells them apart); so many runs can show a loss of up to %.3g", tp, judged, fp, judged, able)
	switch last := len(c.total) - 1; {
	case best.t < last && c.established != nil: // no claim stands
		t.Detail += fmt.Sprintf("; of the %d rounds those up to round %d were judged, where what was learnt told most",
			last, best.t)
	case best.t < last:
		t.Detail += fmt.Sprintf("; of the %d rounds those up to round %d were judged, where what was learnt told most "+
			"beyond what is claimed up to there, %.4g", last, best.t, c.total[best.t])
	}
	return t
}

// atLeast counts the scores of at least a threshold.
func atLeast(scores []float64, threshold float64) (n int) {
	for _, s := range scores {
		if s >= threshold {
			n++
		}
	}
	return n
}

// table has the numbers of cells by run; what a run does not have is NaN, which no statistic sees but as a value.
func table(runs []sighting, cells []cell) [][]float64 {
	all := make([][]float64, len(runs))
	for i := range runs {
		all[i] = make([]float64, len(cells))
		for k, c := range cells {
			all[i][k], _ = runs[i].value(c)
		}
	}
	return all
}

// mostCells is how many numbers a look has at most.
const mostCells = 60

// inWindow are the cells of the rounds t−2, t−1 and t that vary, and of the sums up to t−2, each once, the latest
// first, and of a round what the node sends. Only runs that are learnt from are looked at.
func inWindow(sample [2][]sighting, fitted, t int, node int32) []cell {
	present := map[cell]bool{}
	var last []cell
	for w := range sample {
		for _, s := range sample[w][:fitted] {
			if len(last) == len(s.cells) && (len(last) == 0 || &last[0] == &s.cells[0]) {
				continue // as of the run before
			}
			last = s.cells
			for _, c := range s.cells {
				if first := t - width + 1; int(c.round) <= t && int(c.round) >= first &&
					(!c.summed || int(c.round) == first) {
					present[c] = true
				}
			}
		}
	}
	var all []cell
	for c := range present {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b cell) int {
		return cmp.Or(-cmp.Compare(a.round, b.round), cmp.Compare(order(a.summed), order(b.summed)),
			cmp.Compare(order(a.from != node), order(b.from != node)), compareCells(a, b))
	})
	var kept []cell
	seen := map[string]bool{} // columns by their bits
	for _, c := range all {
		var key strings.Builder
		varies, first := false, math.NaN()
		for w := range sample {
			for i := range sample[w][:fitted] {
				v, _ := sample[w][i].value(c)
				if w == 0 && i == 0 {
					first = v
				}
				varies = varies || math.Float64bits(v) != math.Float64bits(first)
				bits := binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
				key.Write(bits)
			}
		}
		if varies && !seen[key.String()] {
			seen[key.String()] = true
			kept = append(kept, c)
		}
		if len(kept) == mostCells {
			break
		}
	}
	return kept
}

// apartness is how far the worlds' means are from each other, in standard deviations of the number that shows most.
func apartness(sample [2][]sighting) float64 {
	most := 0.0
	sums := map[cell]*[2][2]float64{} // world; sum and squares
	for w := range sample {
		for _, s := range sample[w] {
			for k, c := range s.cells {
				v := s.values[k]
				if sums[c] == nil {
					sums[c] = new([2][2]float64)
				}
				sums[c][w][0] += v
				sums[c][w][1] += float64(v * v)
			}
		}
	}
	n := float64(len(sample[0]))
	for _, s := range sums {
		mean, variance := [2]float64{s[0][0] / n, s[1][0] / n}, 0.0
		for w := range s {
			variance += float64(max(0, s[w][1]/n-float64(mean[w]*mean[w])) / 2)
		}
		if gap := math.Abs(mean[0] - mean[1]); gap > 0 {
			most = max(most, min(1e9, gap/math.Sqrt(variance)))
		}
	}
	return most
}

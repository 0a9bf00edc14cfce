// The audit that knows no method: two worlds, every packet, and statistics that are learnt on one part of the runs and
// judged on another (docs/mathematics.md §5.11).

package evaluation

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"overhear/adversary/stats"
	"overhear/experiment"
	"overhear/internal/guard"
	"overhear/privacy"
	"overhear/record"
	"overhear/sim"
)

// cell names one number that packets carry, alike in all runs: of the k-th packet of a kind between two nodes in a
// round, a number of its payload, or one of the negative ones.
type cell struct {
	round, from, to int32
	kind            uint8
	k, number       int32
}

// Numbers of a packet besides its payload.
const (
	sentAt int32 = -1 - iota
	takenFor
	sizeOf
)

// sighting is all that the packets of one run carry.
type sighting map[cell]float64

// blackBox runs both worlds of a pair and sees the packets that a node sends or receives: what others send to one
// another follows, but for noise that is not its own, from those.
type blackBox struct {
	e      *experiment.Experiment
	worlds [2]*experiment.Assembly
	node   int32
}

// box makes two worlds without any model of the method.
func box(e *experiment.Experiment, a *experiment.Assembly, shard, row int, p proposal) (*blackBox, error) {
	b := &blackBox{e: e, node: int32(shard + a.First())}
	for k := range b.worlds {
		own := *a
		own.Problem = replace(a.Problem, shard, row, p.u[k], p.y[k])
		if err := e.Equip(&own); err != nil {
			return nil, err
		}
		b.worlds[k] = &own
	}
	return b, nil
}

// look runs a world.
func (b *blackBox) look(ctx context.Context, world int, seed uint64) (sighting, error) {
	s := sighting{}
	own := *b.worlds[world]
	own.Seed = seed
	counts := map[cell]int32{}
	users := int32(own.Graph.Order()) // who come after the nodes
	_, err := b.e.Execute(ctx, &own, experiment.Execution{Packets: func(p *sim.Packet) {
		if p.From != b.node && p.To != b.node && p.From < users && p.To < users {
			return
		}
		c := cell{round: p.Round, from: p.From, to: p.To, kind: p.Kind}
		counts[c]++
		c.k = counts[c]
		for n, v := range p.Payload {
			c.number = int32(n)
			s[c] = v
		}
		for number, v := range map[int32]float64{sentAt: float64(p.Sent), takenFor: float64(p.Received - p.Sent),
			sizeOf: float64(p.Bytes)} {
			c.number = number
			s[c] = v
		}
	}})
	return s, err
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
// all rounds up to then.
func windows(rounds int) (all []int) {
	for t := 0; t <= rounds; t = max(t+1, t*5/4) {
		all = append(all, t)
	}
	if all[len(all)-1] != rounds {
		all = append(all, rounds)
	}
	return all
}

// BlackBox audits a claim on rows, or on labels, by the packets alone: it knows no model, no noise and no code of the
// method. The error is a SetupError where there is no claim to audit.
func BlackBox(ctx context.Context, e *experiment.Experiment, o AuditOptions) (*record.Audit, error) {
	started := time.Now()
	spec := auditSpec(e.Scenario)
	if o.Runs > 0 {
		spec.Runs = o.Runs
	}
	seed := e.Seeds.First
	a, err := e.Assemble(seed)
	if err != nil {
		return nil, err
	}
	refused := func(err error) (*record.Audit, error) { return nil, experiment.SetupError{Err: err} }
	switch {
	case a.Split != nil:
		return refused(errors.New("a black-box audit is of rows, and here columns are split"))
	case a.Account == nil || len(a.Account.Ledger.Nodes()) == 0:
		return refused(fmt.Errorf("algorithm %s claims no privacy, so that there is nothing to audit",
			e.Algorithm.Kind))
	case spec.Runs < 40:
		return refused(fmt.Errorf("a black-box audit learns and judges, and needs at least 40 runs in each world, "+
			"not %d", spec.Runs))
	}
	shard, err := auditedShard(e, a, &spec)
	if err != nil {
		return refused(err)
	}
	unit := privacy.Sample
	if units := a.Account.Ledger.Units(); !slices.Contains(units, unit) {
		unit = units[0]
	}
	var pairs []proposal
	zero := make([]float64, a.Problem.D)
	switch {
	case unit == privacy.Label:
		pairs = proposals(a.Problem, shard, &spec, zero)[:1]
	case a.Problem.HasTargets():
		pairs = targetProposals(a.Problem, shard, &spec, zero)
	case a.Problem.K > 0:
		pairs = classProposals(a, shard, &spec, zero)
	default:
		pairs = proposals(a.Problem, shard, &spec, zero)
	}
	c := claims(a.Account, shard, unit, e.Rounds.Count)
	if unit == privacy.Label { // the pair has opposed labels, and u = y·x
		for k := range 2 {
			pairs[0].y[k] = float64(1-2*k) * a.Problem.Shards[shard].Y[spec.Row]
		}
	}
	inputs, err := e.Inputs()
	if err != nil {
		return nil, err
	}
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
			Sees: "every packet that the node sends or receives: payload, sender, receiver, kind, time and size",
			Knows: "nothing of the method; runs of both worlds to learn from, with all data but one " + string(unit) +
				", and the two values that it may have",
			Wants: "to know which of the two it is",
		},
		Claim: c.guarantee, Condition: c.condition(),
		Search: &record.Search{Why: "a black-box audit knows no formula of the loss"},
	}
	best, most := 0, math.Inf(-1)
	var search []record.Proposed
	for k, p := range pairs {
		if len(pairs) == 1 {
			break
		}
		b, err := box(e, a, shard, spec.Row, p)
		if err != nil {
			return nil, err
		}
		sample, err := b.sample(ctx, "black-box pilot", seed, spec.Pilots, o.Workers, progress)
		if err != nil {
			return nil, err
		}
		apart := apartness(sample)
		search = append(search, record.Proposed{What: p.what, Loss: record.Number(apart)})
		if apart > most {
			best, most = k, apart
		}
	}
	p := pairs[best]
	out.Pair = record.Pair{Node: shard + a.First(), Row: spec.Row, Unit: unit, What: p.what, A: p.u[0], B: p.u[1],
		Search: search}
	b, err := box(e, a, shard, spec.Row, p)
	if err != nil {
		return nil, err
	}
	sample, err := b.sample(ctx, "black-box run", seed, spec.Runs, o.Workers, progress)
	if err != nil {
		return nil, err
	}
	c.judgeBlindly(out, sample)
	out.Wall = time.Since(started).Seconds()
	return out, nil
}

// judgeBlindly learns each family's statistic on half of the runs and judges it on the other half.
func (c *claim) judgeBlindly(out *record.Audit, sample [2][]sighting) {
	half := len(sample[0]) / 2
	fitted := half * 2 / 3
	confidence := 1 - (1-stats.Confidence)/float64(len(families))
	judged := len(sample[0]) - half
	able := stats.LossBound(judged, judged, 0, judged, c.delta, confidence)
	out.BlackBox = &record.BlackBox{Learnt: half, Judged: judged, Able: record.Number(able)}
	looks := map[int][]cell{}
	for _, t := range windows(out.Rounds) {
		looks[t] = inWindow(sample, fitted, t)
	}
	var names []string
	for _, f := range families {
		names = append(names, f.name)
		var best struct {
			t         int
			rule      rule
			cells     []cell
			threshold float64
			excess    float64
		}
		best.excess = math.Inf(-1)
		for _, t := range windows(out.Rounds) {
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
				if excess := got - c.total[t]; excess > best.excess {
					best.t, best.rule, best.cells, best.threshold, best.excess = t, r, cells, at, excess
				}
			}
		}
		v := record.Verdict{
			Claim: fmt.Sprintf("one %s of node %d", c.unit, out.Pair.Node), Scope: record.UpTo, Round: best.t,
			Node: out.Pair.Node, Epsilon: record.Number(c.total[best.t]), Delta: record.Number(c.delta),
			Method: f.name + ", learnt and judged on different runs", Verdict: record.NothingFound,
		}
		if best.rule == nil {
			v.Reason = "no packet varies"
			out.Verdicts = append(out.Verdicts, v)
			continue
		}
		tp := atLeast(best.rule.scores(table(sample[0][half:], best.cells)), best.threshold)
		fp := atLeast(best.rule.scores(table(sample[1][half:], best.cells)), best.threshold)
		lost := max(0, stats.LossBound(tp, judged, fp, judged, c.delta, confidence))
		v.Measured = record.Number(lost)
		v.Reason = fmt.Sprintf("world A is named in %d of %d runs of A and in %d of %d of B; what was tried can show "+
			"a loss of up to %.3g", tp, judged, fp, judged, able)
		switch {
		case c.established != nil:
			v.Epsilon, v.Verdict = record.Number(math.NaN()), record.NotEstablished
			v.Reason = c.established.Error() + "; " + v.Reason
		case lost > c.total[best.t]:
			v.Verdict = record.Violated
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	nan := record.Number(math.NaN())
	out.Power = record.Power{AUC: nan, Advantage: nan, TPR1: nan, TPR01: nan, TPR0: nan, Epsilon: nan, Delta: nan,
		Threshold: nan}
	out.Statistic = fmt.Sprintf("of each family (%s) the one that told worlds apart best on %d runs of each world, "+
		"judged on %d others at %.2f %% each, so that all hold with 95 %%", strings.Join(names, ", "), half, judged,
		100*confidence)
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
	for i, s := range runs {
		all[i] = make([]float64, len(cells))
		for k, c := range cells {
			v, ok := s[c]
			if !ok {
				v = math.NaN()
			}
			all[i][k] = v
		}
	}
	return all
}

// mostCells is how many numbers a look has at most.
const mostCells = 60

// inWindow are the cells of the rounds t−2, t−1 and t that vary, each once, the latest first. Only runs that are learnt
// from are looked at.
func inWindow(sample [2][]sighting, fitted, t int) []cell {
	present := map[cell]bool{}
	for w := range sample {
		for _, s := range sample[w][:fitted] {
			for c := range s {
				if int(c.round) <= t && int(c.round) > t-3 {
					present[c] = true
				}
			}
		}
	}
	var all []cell
	for c := range present {
		all = append(all, c)
	}
	slices.SortFunc(all, compareCells)
	var kept []cell
	seen := map[string]bool{} // columns by their bits
	for _, c := range all {
		var key strings.Builder
		varies, first := false, math.NaN()
		for w := range sample {
			for i, s := range sample[w][:fitted] {
				v, ok := s[c]
				if !ok {
					v = math.NaN()
				}
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
			for c, v := range s {
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

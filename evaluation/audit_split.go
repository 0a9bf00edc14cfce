// The audit of private ADMM sharing: two matrices of one party that differ in one
// column.

package evaluation

import (
	"context"
	"errors"
	"fmt"
	"math"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// splitWorlds are a run over split columns with one party's matrix replaced by
// either of two.
type splitWorlds struct {
	e        *experiment.Experiment
	party    int
	public   *model.Public
	sharing  model.Sharing
	assembly [2]*experiment.Assembly
}

// splitRecorder keeps what hub and parties send.
type splitRecorder struct{ iterates []record.Iterate }

func (c *splitRecorder) Sent(node, round int, at sim.Time, values []float64) {
	c.iterates = append(c.iterates, record.Iterate{Node: int32(node), Round: int32(round), TimeNS: int64(at),
		Values: values})
}

func (c *splitRecorder) Ended(*algorithms.SplitRound) error { return nil }

// splitWeigher runs worlds and weighs the party's messages.
type splitWeigher struct {
	splitWorlds
	likelihood *adversary.SplitLikelihood
	parties    [2]*problem.Party
}

func (w *splitWeigher) run(ctx context.Context, world int, seed uint64) (*evidence, error) {
	c := new(splitRecorder)
	own := *w.assembly[world]
	own.Seed = seed
	finished, err := w.e.Execute(ctx, &own, experiment.Execution{SplitObserver: c})
	if err != nil {
		return nil, err
	}
	v := &evidence{extra: finished.Largest}
	if v.rounds, err = w.likelihood.Weigh(adversary.Overheard(w.public, nil, c.iterates)); err != nil {
		return nil, err
	}
	for i := range v.rounds {
		r := &v.rounds[i]
		v.redraw = max(v.redraw, offBy(r.Noise[world], w.drawAgain(seed, world, r), r.Scale))
		if w.sharing.Cover() == model.Range { // Gaussian in a part of the space only
			r.Noise = nil
			continue
		}
		r.Noise = [][]float64{r.Noise[world]}
	}
	return v, nil
}

// drawAgain draws the noise that the party's stream holds for a round.
func (w *splitWeigher) drawAgain(seed uint64, world int, r *adversary.Evidence) []float64 {
	if w.sharing.Cover() == model.Ambient {
		return drawAgain(seed, w.party, r.Round, r.Law, w.public.Rows)
	}
	p := w.parties[world]
	xi, drawn := make([]float64, p.Block.D), make([]float64, w.public.Rows)
	p.Range(sim.NewStream(seed, "noise", uint64(w.party), uint64(r.Round)), r.Law.Level, xi)
	p.Times(xi, drawn)
	return drawn
}

// auditSplit audits the claim that a column of a party is protected.
func auditSplit(e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec) (*measured, error) {
	p, ok := a.Parties.(algorithms.SplitPrivate)
	if !ok {
		return nil, fmt.Errorf("algorithm %s claims no privacy, so that there is nothing to audit", e.Algorithm.Kind)
	}
	public, err := publicOf(e.Scenario, a.Seed, a.Split.D, a.Split.N, e.Algorithm.Params)
	if err != nil {
		return nil, err
	}
	sharing, ok := public.Method.(model.Sharing)
	if !ok {
		return nil, fmt.Errorf("the model of algorithm %s does not say what a party's messages tell", e.Algorithm.Kind)
	}
	if spec.Node >= len(a.Split.Blocks) {
		return nil, fmt.Errorf("adversary.audit.node: there are parties 0 to %d, not %d", len(a.Split.Blocks)-1,
			spec.Node)
	}
	block := a.Split.Blocks[spec.Node]
	if spec.Row >= block.D {
		return nil, fmt.Errorf("adversary.audit.row: party %d has columns 0 to %d, not %d", spec.Node, block.D-1,
			spec.Row)
	}
	if spec.Pair != nil {
		return nil, errors.New("adversary.audit.pair: gives samples; where columns are split, pairs are proposed by " +
			"the tool")
	}
	m := &measured{unit: algorithms.UnitColumn,
		statistic: "exact log-likelihood ratio of the party's messages, given the two matrices; infinite where a " +
			"message is possible in one world only"}
	for _, pr := range columnProposals(block, a.Split.Y, spec.Row, a.Seed) {
		m.pairs = append(m.pairs, auditPair{
			pair: record.Pair{Node: spec.Node + 1, Row: spec.Row, Unit: algorithms.UnitColumn, What: pr.what,
				A: column(pr.block[0], spec.Row), B: column(pr.block[1], spec.Row)},
			proposed: record.Proposed{What: pr.what},
			subject: func() (subject, error) {
				l, err := adversary.NewSplitLikelihood(public, spec.Node, pr.block[0], pr.block[1])
				if err != nil {
					return nil, err
				}
				s := &splitWeigher{splitWorlds: splitWorlds{e: e, party: spec.Node, public: public, sharing: sharing}, likelihood: l}
				for k, block := range pr.block {
					s.parties[k] = problem.NewParty(block, a.Split.Ridge, sharing.Penalty())
					v := *a.Split
					v.Blocks = append([]*problem.Rows(nil), a.Split.Blocks...)
					v.Blocks[spec.Node] = block
					own := *a
					own.Split = &v
					if err := e.Equip(&own); err != nil {
						return nil, err
					}
					s.assembly[k] = &own
				}
				return s, nil
			},
		})
	}
	m.conclude = func(out *record.Audit, sample [2][]*evidence) error {
		largest := 0.0
		for w := range sample {
			for _, v := range sample[w] {
				largest = max(largest, v.extra)
			}
		}
		c := splitClaim(e, p, spec.Node, largest)
		out.Checks = []record.Check{redrawn(sample)}
		if sharing.Cover() == model.Ambient {
			var err error
			if out.Checks, err = faithful(sample); err != nil {
				return err
			}
		}
		return c.judge(out, spec.Node+1, sample)
	}
	return m, nil
}

// splitClaim is what SH19 claims for a party: (ε, δ) a round and its composition.
func splitClaim(e *experiment.Experiment, p algorithms.SplitPrivate, party int, largest float64) *claim {
	rounds := e.Rounds.Count
	ledger := new(privacy.Ledger)
	p.Account(ledger)
	stated, delta := p.Stated()
	c := &claim{
		unit: algorithms.UnitColumn, established: p.Established(largest), guarantee: p.Guarantee(),
		round: make([]float64, rounds+1), total: make([]float64, rounds+1), roundDelta: delta,
	}
	for t := 1; t <= rounds; t++ {
		c.round[t] = ledger.Part(party, t, t).Bound(algorithms.UnitColumn, t, delta)[t]
		if stated > 0 {
			c.round[t] = stated // Theorem 1, for the ε and δ that the noise was made for
		}
		c.total[t], c.delta = p.Composed(t)
	}
	return c
}

// columnProposal is a pair of matrices.
type columnProposal struct {
	what  string
	block [2]*problem.Rows
}

// columnProposals change one column by 1 in norm, in directions among which is,
// nearly, the one that a method hides worst.
func columnProposals(block *problem.Rows, labels []float64, col int, seed uint64) []columnProposal {
	own := column(block, col)
	norm := num.Norm(own)
	along := func(direction []float64) *problem.Rows {
		v := append([]float64(nil), own...)
		num.Axpy(1/num.Norm(direction), direction, v)
		return withColumn(block, col, v)
	}
	random := make([]float64, block.Len())
	s := sim.NewStream(seed, "column", uint64(col))
	for k := range random {
		random[k] = s.Normal()
	}
	all := []columnProposal{
		{fmt.Sprintf("column %d, and moved by 1 in a random direction", col), [2]*problem.Rows{block, along(random)}},
		{fmt.Sprintf("column %d, and moved by 1 along the labels", col), [2]*problem.Rows{block, along(labels)}},
	}
	if norm > 0 {
		shorter := append([]float64(nil), own...)
		num.Scale(1-math.Min(1, 1/norm), shorter)
		all = append(all,
			columnProposal{fmt.Sprintf("column %d, and longer by 1", col), [2]*problem.Rows{block, along(own)}},
			columnProposal{fmt.Sprintf("column %d, and shorter by 1", col), [2]*problem.Rows{block,
				withColumn(block, col, shorter)}})
	}
	if block.D > 1 {
		if next := column(block, (col+1)%block.D); num.Norm(next) > 0 {
			all = append(all, columnProposal{fmt.Sprintf("column %d, and moved by 1 along column %d", col,
				(col+1)%block.D), [2]*problem.Rows{block, along(next)}})
		}
	}
	return all
}

// column is a column, dense.
func column(block *problem.Rows, col int) []float64 {
	v := make([]float64, block.Len())
	for n := range v {
		cols, vals := block.Row(n)
		for k, c := range cols {
			if int(c) == col {
				v[n] = vals[k]
			}
		}
	}
	return v
}

// withColumn is a block with another column.
func withColumn(block *problem.Rows, col int, values []float64) *problem.Rows {
	out := problem.NewRows(block.D)
	for n := range block.Len() {
		var c []int32
		var v []float64
		placed := values[n] == 0
		cols, vals := block.Row(n)
		for k := 0; k <= len(cols); k++ {
			if !placed && (k == len(cols) || int(cols[k]) >= col) {
				c, v, placed = append(c, int32(col)), append(v, values[n]), true
			}
			if k < len(cols) && int(cols[k]) != col {
				c, v = append(c, cols[k]), append(v, vals[k])
			}
		}
		out.Append(c, v)
	}
	return out
}

// The audit of private ADMM sharing: two matrices of one party that differ in one
// column.

package evaluation

import (
	"errors"
	"fmt"
	"math"
	"slices"

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

// auditSplit audits the claim that a column of a party is protected.
func auditSplit(e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec) (*measured, error) {
	p, ok := a.Method.(algorithms.Composing)
	if !ok {
		return nil, fmt.Errorf("algorithm %s claims no privacy, so that there is no claim to audit; "+
			"--black-box measures what is lost", e.Algorithm.Kind)
	}
	public, err := publicOfRun(e.Scenario, a)
	if err != nil {
		return nil, err
	}
	sharing, ok := public.Method.(model.Sharing)
	if !ok {
		return nil, fmt.Errorf("the model of algorithm %s does not say what a party's messages tell", e.Algorithm.Kind)
	}
	if err := fitsColumns(a, spec); err != nil {
		return nil, err
	}
	block := a.Split.Blocks[spec.Node]
	m := &measured{unit: privacy.Column,
		statistic: "exact log-likelihood ratio of the party's messages, given the two matrices; infinite where a " +
			"message is possible in one world only"}
	for _, pr := range columnProposals(block, a.Split.Y, spec.Row, a.Seed) {
		m.pairs = append(m.pairs, auditPair{
			pair: record.Pair{Node: spec.Node + 1, Row: spec.Row, Unit: privacy.Column, What: pr.what,
				A: column(pr.block[0], spec.Row), B: column(pr.block[1], spec.Row)},
			proposed: record.Proposed{What: pr.what},
			subject:  func() (subject, error) { return columnWeigher(e, a, sharing, spec.Node, pr.block) },
		})
	}
	m.conclude = func(out *record.Audit, sample [2][]*evidence) error {
		var reached algorithms.Reached
		for w := range sample {
			for _, v := range sample[w] {
				reached = reached.Or(v.reached)
			}
		}
		c := composed(a, p, spec.Node, reached)
		var err error
		if out.Checks, err = faithful(sample, spec.Node+1, nil); err != nil {
			return err
		}
		return c.judge(out, spec.Node+1, sample)
	}
	return m, nil
}

// fitsColumns reports an audit of a party or column that does not exist, or of what is not a column.
func fitsColumns(a *experiment.Assembly, spec *scenarios.AuditSpec) error {
	switch {
	case spec.Node >= len(a.Split.Blocks):
		return fmt.Errorf("adversary.audit.node: there are parties 0 to %d, not %d", len(a.Split.Blocks)-1, spec.Node)
	case spec.Row >= a.Split.Blocks[spec.Node].D:
		return fmt.Errorf("adversary.audit.row: party %d has columns 0 to %d, not %d", spec.Node,
			a.Split.Blocks[spec.Node].D-1, spec.Row)
	case spec.Pair != nil:
		return errors.New("adversary.audit.pair: gives samples; where columns are split, pairs are proposed by " +
			"the tool")
	case spec.Unit != "auto":
		return fmt.Errorf("adversary.audit.unit: %s: where columns are split, a column is what differs; leave it out",
			spec.Unit)
	case spec.Group > 1:
		return errors.New("adversary.audit.group: of samples; where columns are split, one column differs")
	}
	return nil
}

// withBlock gives an assembly another block of a party.
func withBlock(own *experiment.Assembly, party int, block *problem.Rows) {
	v := *own.Split
	v.Blocks = slices.Clone(own.Split.Blocks)
	v.Blocks[party] = block
	own.Split = &v
}

// columnWeigher weighs the messages of a party whose block is either of two.
func columnWeigher(e *experiment.Experiment, a *experiment.Assembly, sharing model.Sharing, party int,
	block [2]*problem.Rows) (*weigher, error) {
	w, err := worlds(e, a, party, func(world int, own *experiment.Assembly) {
		withBlock(own, party, block[world])
	})
	if err != nil {
		return nil, err
	}
	l, err := adversary.NewSplitLikelihood(w.public, party, block[0], block[1])
	if err != nil {
		return nil, err
	}
	x, err := newExplainer(w)
	return &weigher{explainer: x, likelihood: l, degenerate: sharing.Cover() == model.Range}, err
}

// composed is what a method that composes the losses of rounds itself claims for a
// party, of runs that went so far.
func composed(a *experiment.Assembly, p algorithms.Composing, party int, reached algorithms.Reached) *claim {
	stated, delta := p.Stated()
	c := &claim{
		unit: privacy.Column, group: 1, established: a.Account.Established, unproved: a.Account.Unproved,
		guarantee: a.Account.Guarantee,
		round:     make([]float64, a.Rounds+1), total: make([]float64, a.Rounds+1), roundDelta: delta,
		certificate: a.Account.Certificate(party, a.First(), privacy.Column),
	}
	if c.established == nil {
		c.established = p.Within(reached)
	}
	for t := 1; t <= a.Rounds; t++ {
		c.round[t] = a.Account.Ledger.Part(party, t, t).Bound(privacy.Column, t, delta)[t]
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

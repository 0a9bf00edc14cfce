// The audit of labels that users randomise.

package evaluation

import (
	"context"
	"fmt"
	"math"

	"overhear/adversary"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/record"
	"overhear/scenarios"
)

// reporter runs worlds that differ in a user's label and looks at what the user
// reported. All that follows depends on the report only.
type reporter struct {
	*twoWorlds
	user    int
	epsilon float64
	truth   []float64 // x
}

func (r *reporter) run(ctx context.Context, world int, seed uint64) (*evidence, error) {
	c, err := r.play(ctx, world, seed)
	if err != nil {
		return nil, err
	}
	report, ok := c.reports[r.user]
	if !ok {
		return nil, fmt.Errorf("user %d reported nothing", r.user)
	}
	d := len(r.truth)
	v := &evidence{label: report[d]}
	for k, x := range r.truth {
		v.moved = max(v.moved, math.Abs(report[k]-x))
	}
	// P(y′ = y) = e^ε/(1+e^ε): a reported label is worth ±ε.
	density := []float64{0, 0}
	for w := range density {
		if report[d] != r.assembly[w].Problem.Shards[r.part].Y[r.user-r.firstUser()] {
			density[w] = -r.epsilon
		}
	}
	v.rounds = []adversary.Evidence{{Round: 0, Density: density}}
	return v, nil
}

// firstUser is the node of the user of the shard's row 0.
func (w *twoWorlds) firstUser() int {
	a := w.assembly[0]
	id := a.Graph.Order()
	for i := range w.part {
		id += len(a.Problem.Shards[i].Y)
	}
	return id
}

// auditLabels audits PDML's claim that a user's label is protected.
func auditLabels(e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec,
	shard int) (*measured, error) {
	epsilon := a.Method.(algorithms.Registering).Budget(shard, spec.Row)
	if math.IsInf(epsilon, 1) {
		return nil, fmt.Errorf("algorithm.labels: true reports labels as they are; there is no claim to audit")
	}
	s := &a.Problem.Shards[shard]
	x := adversary.Samples{U: s.U, Y: s.Y}
	own := x.At(spec.Row)
	plus, minus := own.X, make([]float64, len(own.X))
	for k, v := range plus {
		minus[k] = -v
	}
	w, err := rowWorlds(e, a, shard, spec.Row, [2][]float64{plus, minus}, [2]float64{1, -1})
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("sample %d with label +1, and with −1", spec.Row)
	m := &measured{
		unit:      privacy.Label,
		statistic: "exact log-likelihood ratio of the user's report, on which all that follows depends",
		pairs: []auditPair{{
			pair: record.Pair{Node: shard, Row: spec.Row, Unit: privacy.Label, What: what, A: plus, B: minus},
			subject: func() (subject, error) {
				return &reporter{w, w.firstUser() + spec.Row, epsilon, own.X}, nil
			},
		}},
	}
	c := claims(a.Account, shard, privacy.Label, e.Rounds.Count)
	for t := range c.total { // the user's own, which the node's account bounds
		c.total[t] = min(c.total[t], epsilon)
		c.round[t] = min(c.round[t], epsilon)
	}
	m.conclude = func(out *record.Audit, sample [2][]*evidence) error {
		out.Checks = reported(sample, epsilon)
		return c.judge(out, shard, sample)
	}
	return m, nil
}

// reported checks that reports are flipped as often as the method says.
func reported(sample [2][]*evidence, epsilon float64) []record.Check {
	wrong, n, moved := 0, 0, 0.0
	for w := range sample {
		label := []float64{1, -1}[w]
		for _, v := range sample[w] {
			if n++; v.label != label {
				wrong++
			}
			moved = max(moved, v.moved)
		}
	}
	p := 1 / (1 + num.Exp(epsilon))
	rate := float64(wrong) / float64(n)
	off := math.Abs(rate-p) / math.Sqrt(p*(1-p)/float64(n))
	const sigmas = 5
	return []record.Check{
		{
			Kind: record.LabelsFlipped, Measured: record.Number(off), Bound: sigmas,
			Holds: off <= sigmas,
			Detail: fmt.Sprintf("%d of %d flipped, %.4g; expected %.4g; the difference in standard deviations", wrong,
				n, rate, p),
		},
		{
			Kind: record.ReportsKeepColumns, Measured: record.Number(moved), Bound: 0,
			Holds:  moved == 0,
			Detail: "largest difference of a column",
		},
	}
}

// The audit of labels that users randomise.

package evaluation

import (
	"context"
	"fmt"
	"math"

	"overhear/adversary"
	"overhear/adversary/stats"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/record"
	"overhear/scenarios"
)

// reporter runs worlds that differ in a user's label and looks at what the user
// reported. That all that follows depends on the reports only is what the explanation of the servers' packets shows.
type reporter struct {
	*explainer
	user    int
	epsilon float64
}

func (r *reporter) run(ctx context.Context, n run) (*evidence, error) {
	c, err := r.play(ctx, n.world, n.seed)
	if err != nil {
		return nil, err
	}
	v := &evidence{flips: flips{last: math.NaN()}}
	if v.account, err = r.explain(c, n.world, n.seed, n.number < r.looked); err != nil {
		return nil, err
	}
	if err := r.twin(ctx, n, c, v.account); err != nil {
		return nil, err
	}
	v.others = r.noise
	r.count(&v.flips)
	p := r.first[[2]int{r.user, -1}]
	if p == nil {
		return v, nil // of which is told
	}
	// P(y′ = y) = e^ε/(1+e^ε): a reported label is worth ±ε.
	v.label = r.payloads[p.payload][r.public.D]
	density := []float64{0, 0}
	for w := range density {
		if v.label != r.assembly[w].Problem.Shards[r.part].Y[r.user-r.firstUser()] {
			density[w] = -r.epsilon
		}
	}
	v.rounds = []adversary.Evidence{{Round: 0, Density: density}}
	return v, nil
}

// flips are the labels of all users of a run, each flipped or not, less the probability of a flip, in standard
// deviations: s.
type flips struct {
	n, flipped   int
	expected     float64
	sum, squares float64 // Σ s, of n, and Σ s² of all but the last
	products     float64 // Σ s s′ of successive users
	last, most   float64 // s of the last user; the largest |s s′| that there can be
}

// count counts the labels that users reported.
func (x *explainer) count(f *flips) {
	user := x.graph.Order()
	shards := x.assembly[x.world].Problem.Shards
	for shard := range shards {
		for row, y := range shards[shard].Y {
			p := x.first[[2]int{user, -1}]
			_, _, chance := x.reportOf(shard, row)
			user++
			if p == nil || chance == 0 {
				continue
			}
			s := -chance
			if x.payloads[p.payload][x.public.D] != y {
				f.flipped++
				s = 1 - chance
			}
			f.expected += chance
			deviation := math.Sqrt(chance * (1 - chance))
			s /= deviation
			if f.n > 0 {
				f.products += float64(s * f.last)
				f.squares += float64(f.last * f.last)
			}
			f.n++
			f.sum += s
			f.last = s
			f.most = max(f.most, (1-chance)/chance)
		}
	}
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
				x, err := newExplainer(w)
				return &reporter{x, w.firstUser() + spec.Row, epsilon}, err
			},
		}},
	}
	c := claims(a.Account, shard, privacy.Label, e.Rounds.Count)
	for t := range c.total { // the user's own, which the node's account bounds
		c.total[t] = min(c.total[t], epsilon)
		c.round[t] = min(c.round[t], epsilon)
	}
	m.claim, m.search = c, func() (*adversary.Worst, error) { return certain(epsilon), nil }
	m.conclude = func(out *record.Audit, sample [2][]*evidence) error {
		checks, err := faithful(sample, -1, nil)
		if err != nil {
			return err
		}
		out.Checks = append(checks, reported(sample, epsilon)...)
		return c.judge(out, shard, sample)
	}
	return m, nil
}

// sigmas is the bound of counts of flips, in standard deviations.
const sigmas = 5.5

// reported checks that the user's label, and all users', are flipped as often as the method says, and each by itself.
func reported(sample [2][]*evidence, epsilon float64) []record.Check {
	wrong, n := 0, 0
	var all flips
	for w := range sample {
		label := []float64{1, -1}[w]
		for _, v := range sample[w] {
			if n++; v.label != label {
				wrong++
			}
			f := &v.flips
			all.n, all.flipped, all.expected = all.n+f.n, all.flipped+f.flipped, all.expected+f.expected
			all.sum, all.squares = all.sum+f.sum, all.squares+f.squares
			all.products, all.most = all.products+f.products, max(all.most, f.most)
		}
	}
	p := 1 / (1 + num.Exp(epsilon))
	rate := float64(wrong) / float64(n)
	deviation := math.Sqrt(p * (1 - p) / float64(n))
	off := math.Abs(rate-p) / deviation
	late := num.NormalQuantile(stats.Power)
	checks := []record.Check{{
		Kind: record.LabelsFlipped, Measured: record.Number(off), Bound: sigmas, Holds: off <= sigmas,
		Finds: record.Number((sigmas + late) * deviation),
		Detail: fmt.Sprintf("the user's: %d of %d flipped, %.4g; expected %.4g; the difference in standard deviations",
			wrong, n, rate, p),
	}}
	if all.n == 0 {
		return checks
	}
	users := float64(all.n)
	mean := all.expected / users
	off = math.Abs(all.sum) / math.Sqrt(users)
	checks = append(checks, record.Check{
		Kind: record.LabelsFlipped, Measured: record.Number(off), Bound: sigmas, Holds: off <= sigmas,
		Finds: record.Number((sigmas + late) * math.Sqrt(mean*(1-mean)/users)),
		Detail: fmt.Sprintf("all users': %d of %d flipped, %.4g; expected %.4g; the difference in standard deviations",
			all.flipped, all.n, float64(all.flipped)/users, mean),
	})
	if !(all.squares > 0) {
		return checks
	}
	// Given what was before, s s′ has the variance s′² and is at most most: Freedman's inequality.
	x := num.Log(2e6)
	bound := math.Sqrt(2*x*all.squares) + all.most*x/3
	return append(checks, record.Check{
		Kind: record.LabelsIndependent, Measured: record.Number(math.Abs(all.products) / users),
		Bound: record.Number(bound / users), Holds: math.Abs(all.products) <= bound,
		Finds:  record.Number((bound + float64(late*math.Sqrt(all.squares))) / users),
		Detail: fmt.Sprintf("the correlation of successive users' is %+.3f", all.products/users),
	})
}

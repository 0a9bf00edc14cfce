// Audits of an observer who does not see everything: exact where what it sees is normally distributed, elsewhere a
// lower bound by what its packets teach, beside the certificate against one who sees all.

package evaluation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"overhear/adversary"
	"overhear/adversary/marginal"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/privacy/loss"
	"overhear/record"
	"overhear/scenarios"
)

// narrow is what an audit's observer sees, and whether that is less than all.
func narrow(s *scenarios.Scenario) (watch adversary.Vantage, less bool) {
	if s.Adversary == nil {
		return watch, false
	}
	watch = vantage(s.Adversary.View)
	return watch, watch.Links != nil || watch.Nodes != nil || watch.From > 0 || watch.Miss > 0
}

// auditView audits what a view tells of a row's label, exactly if all that it shows is normally distributed, and by
// packets alone if not.
func auditView(ctx context.Context, e *experiment.Experiment, a *experiment.Assembly, o AuditOptions) (*record.Audit,
	error) {
	started := time.Now()
	spec := auditSpec(e.Scenario)
	watch, _ := narrow(e.Scenario)
	if o.Runs > 0 {
		spec.Runs = o.Runs
	}
	out, c, why, err := normally(ctx, e, a, &spec, watch, o)
	if err != nil {
		return nil, err
	}
	if why != nil {
		out, err := BlackBox(ctx, e, o)
		if err != nil {
			return nil, err
		}
		out.BlackBox.Why = fmt.Sprintf("what is seen has no exact law here: %v", why)
		if a.Split == nil && private(a) { // who sees all bounds whoever sees less
			out.Certificate = a.Account.Certificate(out.Pair.Node-a.First(), a.First(), out.Pair.Unit)
		}
		return out, nil
	}
	inputs, err := e.Inputs()
	if err != nil {
		return nil, err
	}
	out.Name, out.About, out.Seed, out.Rounds, out.Algorithm = e.Name, e.About, a.Seed, e.Rounds.Count, e.Algorithm.Kind
	out.Command, out.Changes, out.Scenario, out.Inputs = o.Command, o.Changes, e.Resolved(), inputs
	out.Claim, out.Condition = c.guarantee, c.condition()
	out.Search = &record.Search{Why: "a label's two values are the pair, and the law of what is seen is the same " +
		"whatever the trace is"}
	out.Wall = time.Since(started).Seconds()
	return out, nil
}

// errNodesLie is why there is no exact law.
var errNodesLie = errors.New("nodes lie (adversary.acts), and what they make of what they hear need not be affine")

// mirrored is a row's label, as it is and the other: of a target, its sign.
func mirrored(a *experiment.Assembly, shard, row int) (u [2][]float64, y [2]float64, what string) {
	s := &a.Problem.Shards[shard]
	own := dense(a.Problem, shard, row)
	u, y = [2][]float64{own, own}, [2]float64{1, 1}
	if s.Targets != nil {
		y = [2]float64{s.Targets[row], -s.Targets[row]}
		return u, y, fmt.Sprintf("sample %d with its target, %.4g as scaled, and with the opposite", row,
			s.Targets[row])
	}
	other := slices.Clone(own)
	num.Scale(-1, other)
	u[1] = other
	return u, y, fmt.Sprintf("sample %d as it is, and with the other label", row)
}

// normally is an audit of a view under which all that is seen is normal; why says that it is not.
func normally(ctx context.Context, e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec,
	watch adversary.Vantage, o AuditOptions) (out *record.Audit, c *claim, why, err error) {
	switch {
	case a.Split != nil:
		return nil, nil, errors.New("columns are split"), nil
	case a.Liars != nil:
		return nil, nil, errNodesLie, nil
	}
	if err := followed(e); err != nil {
		return nil, nil, err, nil
	}
	shard, err := auditedShard(e, a, spec)
	if err != nil {
		return nil, nil, nil, experiment.SetupError{Err: err}
	}
	u, y, what := mirrored(a, shard, spec.Row)
	unit, pair, lacks := privacy.Label, "a flipped label", "all data but a label, and the two values that it may have"
	one := several(spec.Group, unit)
	if a.Problem.HasTargets() {
		pair, one = "a target with its sign turned", "one target's sign"
		lacks = "all data but a target, and the two values that it may have"
	}
	if spec.Pair != nil {
		u, y, what = [2][]float64{spec.Pair.A, spec.Pair.B}, [2]float64{1, 1}, "the given samples"
		unit, pair, lacks = privacy.Sample, "the given pair", "all data but a sample, and the two that it may be"
		one = several(spec.Group, unit)
	}
	if spec.Unit == string(privacy.Sample) && spec.Pair == nil {
		return nil, nil, errors.New("a sample, and not its label only, is asked for (adversary.audit.unit)"), nil
	}
	w, err := rowWorlds(e, a, shard, spec.Row, spec.Group, u, y)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := fitsGraph(watch, w.public, a.Problem.Rows()); err != nil {
		return nil, nil, nil, experiment.SetupError{Err: err}
	}
	if slices.Contains(watch.Nodes, spec.Node) {
		return nil, nil, nil, experiment.SetupError{Err: fmt.Errorf("adversary.view.nodes: node %d is the audited one "+
			"(adversary.audit.node), and knows its data", spec.Node)}
	}
	course, sample, why, err := courseOf(ctx, w)
	if why != nil || err != nil {
		return nil, nil, why, err
	}
	checks, err := explainAll(ctx, w, sample, spec.Runs, o)
	if err != nil {
		return nil, nil, nil, err
	}
	square, whole := math.NaN(), math.NaN()
	if failing(checks) == "" {
		seen, why := course.squares(course.seen(watch, a.Seed), watch.Nodes)
		if why != nil {
			return nil, nil, why, nil
		}
		all, why := course.squares(func(int, int) bool { return true }, nil)
		if why != nil {
			return nil, nil, why, nil
		}
		if square, whole = seen[0], all[0]; !marginal.Within(math.Sqrt(square), math.Sqrt(whole)) {
			return nil, nil, marginal.ErrRounding, nil
		}
	}
	node := shard + a.First()
	c = nothing(e, spec, unit)
	if private(a) {
		c = claims(a.Account, shard, a.First(), spec.Group, unit, e.Rounds.Count)
	}
	delta := c.delta
	if !(delta > 0) {
		delta = e.Privacy.Delta
	}
	mu, most := math.Sqrt(square), math.Sqrt(whole)
	out = &record.Audit{
		Pair: record.Pair{Node: node, Row: spec.Row, Unit: unit, What: what, A: u[0], B: u[1]},
		View: &record.Sighting{Mu: record.Number(mu), All: record.Number(most)},
		Threat: record.Threat{Sees: watch.String(),
			Knows: "the method and every parameter, the graph, " + lacks,
			Wants: "to know which of the two it is"},
		Statistic: "the exact law: what this observer sees is normal in both worlds, with one covariance, so that no " +
			"test on it is better than that of N(0, 1) against N(μ, 1) (docs/mathematics.md §5.12)",
		Checks: checks, Runs: spec.Runs,
	}
	v := record.Verdict{Claim: one + fmt.Sprintf(" of node %d", node),
		Scope: record.WholeRun, Node: node, Epsilon: record.Number(c.total[e.Rounds.Count]),
		Delta: record.Number(delta)}
	epsilon := loss.NormalEpsilon(mu, delta)
	v.Tests = []record.Test{{Method: "exact law of what is seen", Epsilon: v.Epsilon, Measured: record.Number(epsilon),
		Refutes: c.established == nil && epsilon > float64(v.Epsilon),
		Detail: fmt.Sprintf("μ = %.4g of "+pair+"; one who sees all has μ = %.4g, ε = %.4g", mu, most,
			loss.NormalEpsilon(most, delta))}}
	decide(&v, standing{established: c.established, unproved: c.unproved, what: "claim", flawed: failing(checks)})
	out.Verdicts = []record.Verdict{v}
	out.Certificate = c.certificate
	out.Power = normalPower(mu, epsilon, delta)
	out.Curve, out.ROC = normalCurves(mu)
	return out, c, nil, nil
}

// normalCurves are δ(ε) and the ROC of N(0, 1) against N(μ, 1), which are known and have no intervals; none where μ is
// 0, infinite or unknown.
func normalCurves(mu float64) (curve []record.MeasuredDelta, roc []record.ROC) {
	const points, least = 64, 1e-9
	if !(mu > 0) || math.IsInf(mu, 1) {
		return nil, nil
	}
	end := loss.NormalEpsilon(mu, least)
	for k := range points + 1 {
		epsilon := float64(k) / points * end
		delta := record.Number(loss.NormalDelta(mu, epsilon))
		curve = append(curve, record.MeasuredDelta{Epsilon: record.Number(epsilon), Delta: delta, Low: delta,
			High: delta})
	}
	add := func(fpr float64) {
		tpr := num.NormalTail(-num.NormalQuantile(fpr) - mu) // of a small rate, 1 − rate would be 1
		roc = append(roc, record.ROC{FPR: fpr, TPR: tpr, Low: tpr, High: tpr})
	}
	roc = append(roc, record.ROC{})
	for k := 6 * 8; k > 8; k-- { // eight a decade up to 0.1, then even steps
		add(num.Exp(-float64(k) / 8 * math.Ln10))
	}
	for k := range points {
		add(0.1 + float64(0.9*float64(k)/points))
	}
	return curve, append(roc, record.ROC{FPR: 1, TPR: 1, Low: 1, High: 1})
}

// normalPower is what the best test of N(0, 1) against N(μ, 1) does.
func normalPower(mu, epsilon, delta float64) record.Power {
	at := func(fpr float64) record.Number { return record.Number(num.NormalTail(num.NormalQuantile(1-fpr) - mu)) }
	return record.Power{AUC: record.Number(num.NormalTail(-mu / math.Sqrt2)), TPR1: at(0.01), TPR01: at(0.001),
		Advantage: record.Number(1 - 2*num.NormalTail(mu/2)), Epsilon: record.Number(epsilon),
		Delta: record.Number(delta), Threshold: record.Number(math.NaN())}
}

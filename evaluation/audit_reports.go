// The audit of a row whose user reports it to a server: of what servers publish, by who knows the users' coins and what
// each server draws once.

package evaluation

import (
	"context"
	"errors"
	"fmt"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/record"
	"overhear/scenarios"
)

// served weighs what servers publish in worlds that differ in rows of users. The account counts nothing on the coins of
// labels and on noise that is drawn once, and so who knows them is whom it is about; given these, a round's noise is
// Gaussian around the exact minimiser.
type served struct{ *explainer }

func (s *served) run(ctx context.Context, r run) (*evidence, error) {
	c, err := s.play(ctx, r.world, r.seed)
	if err != nil {
		return nil, err
	}
	v := new(evidence)
	if v.account, err = s.explain(ctx, c, r); err != nil {
		return nil, err
	}
	node := s.part + s.assembly[r.world].First()
	v.others, v.lied = s.noise, s.lied()
	if v.rounds, err = s.weigh(node); err != nil {
		if !v.account.explained() { // of what is not explained there is no likelihood, and need be none
			return v, nil
		}
		return nil, err
	}
	return v, nil
}

// weigh is the evidence of the audited server's rounds.
func (s *served) weigh(node int) ([]adversary.Evidence, error) {
	actual := s.world
	defer func() { s.world = actual }()
	var data [2]*nodesData
	for s.world = range data {
		var reports [][]float64
		for row := range s.assembly[s.world].Problem.Shards[s.part].Y {
			report, _, _ := s.reportOf(s.part, row)
			reports = append(reports, report)
		}
		data[s.world] = s.dataOf(s.part, reports)
	}
	round, err := model.Steps(s.public, s.view, node, s.assembly[actual].Problem.Shards[s.part].U.Len())
	if err != nil {
		return nil, err
	}
	var all []adversary.Evidence
	for t := 1; t <= s.rounds; t++ {
		g, err := round(t)
		if err != nil {
			return nil, err
		}
		e := adversary.Evidence{Round: t, Law: g.Noise.Over(g.Ridge)}
		for world, d := range data {
			q := make([]float64, len(g.At))
			for k := range q {
				q[k] = d.linear[k] - g.Value[k] - float64(g.Ridge*g.At[k])
			}
			e.Scale = max(e.Scale, 1, num.Norm(q))
			noise, err := s.minimiser(d, s.part, q, g.Ridge, make([]float64, len(q)))
			if err != nil {
				return nil, err
			}
			for k := range noise {
				noise[k] = g.At[k] - noise[k]
			}
			e.Density = append(e.Density, e.Law.LogDensity(noise))
			if world == actual {
				e.Noise = [][]float64{noise}
			}
		}
		all = append(all, e)
	}
	s.exactly(all)
	return all, nil
}

// auditReported audits the claim that what servers publish protects a user's row.
func auditReported(e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec,
	shard int) (*measured, error) {
	node := shard + a.First()
	public, err := publicOfRun(e.Scenario, a)
	if err != nil {
		return nil, err
	}
	m, ok := public.Method.(model.NodeDual)
	if !ok {
		return nil, fmt.Errorf("the model of algorithm %s does not say what its servers' noise hides", public.Name)
	}
	switch step := m.Step(public, node, 1, len(a.Problem.Shards[shard].Y)); {
	case step.Noise.Kind == model.Silent:
		return nil, errors.New("the noise is off, so that one look at what servers publish tells two rows apart; " +
			"there is no claim of rows to audit")
	case step.Radius > 0:
		return nil, errors.New("adversary.audit.unit: rows can be audited where iterates are not projected " +
			"(algorithm.radius: 0); what a projection leaves has no likelihood in closed form")
	}
	middle, err := middle(e, a, spec, shard)
	if err != nil {
		return nil, err
	}
	out := &measured{unit: privacy.Sample, statistic: "exact log-likelihood ratio of all that servers published, " +
		"given the two samples, the coins of all users' labels and what servers draw once; no test on the same trace " +
		"is better (Neyman & Pearson)"}
	for _, p := range proposals(a.Problem, shard, spec, middle) {
		w, err := rowWorlds(e, a, shard, spec.Row, spec.Group, p.u, p.y)
		if err != nil {
			return nil, err
		}
		out.pairs = append(out.pairs, auditPair{
			pair:     rowPair(a, shard, spec, privacy.Sample, &p),
			proposed: record.Proposed{What: p.what},
			subject: func() (subject, error) {
				x, err := newExplainer(w)
				if err != nil {
					return nil, err
				}
				x.weighed = true
				return &served{x}, nil
			},
		})
	}
	c := claims(a.Account, shard, a.First(), spec.Group, privacy.Sample, e.Rounds.Count)
	if c.established == nil { // whatever the method says of itself
		c.established = algorithms.Shielded(a.Problem)
	}
	out.claim = c
	out.search = func() (*adversary.Worst, error) {
		return nil, errors.New("the noise is Gaussian, and a trace loses the more the less likely it is: the " +
			"certificate says what is lost at each δ")
	}
	out.conclude = func(rec *record.Audit, sample [2][]*evidence) error {
		rec.Threat.Sees = "everything that every server publishes, in every round, and no user's report, which holds " +
			"its row"
		rec.Threat.Knows += ", the coins of all labels, and what each server draws once"
		c.amid(e, a, suffered(sample))
		var err error
		if rec.Checks, err = faithful(sample, node, &a.Account.Inexact); err != nil {
			return err
		}
		public, err := publicOfRun(e.Scenario, a)
		if err != nil {
			return err
		}
		claimed, certified := c.ofNoise(public, a.Problem, shard, e.Rounds.Count, e.Privacy.Delta)
		rec.Checks = append(rec.Checks, certified...)
		err = c.judge(rec, node, sample)
		rec.Checks = append(rec.Checks, claimed...)
		return err
	}
	return out, nil
}

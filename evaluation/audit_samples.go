// The audit of methods over split rows whose noise has a likelihood.

package evaluation

import (
	"context"
	"errors"
	"fmt"
	"math"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/adversary/stats"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// replace is a problem with another sample, y·x and its class or target, in the place of a shard's row. Of rows with
// one of several classes y is the number of the class, and the sample x.
func replace(p *problem.Problem, shard, row int, u []float64, y float64) *problem.Problem {
	q := *p
	q.Shards = append([]problem.Shard(nil), p.Shards...)
	old := &p.Shards[shard]
	s := problem.Shard{U: problem.NewRows(old.U.D), Y: append([]float64(nil), old.Y...), Index: old.Index}
	for n := range old.Y {
		if n != row {
			s.U.Append(old.U.Row(n))
			continue
		}
		var cols []int32
		var vals []float64
		for k, v := range u {
			if v != 0 {
				cols, vals = append(cols, int32(k)), append(vals, v)
			}
		}
		s.U.Append(cols, vals)
		switch {
		case old.Class != nil:
			s.Class = append([]int32(nil), old.Class...)
			s.Class[n] = int32(y)
			continue
		case !p.HasTargets():
			s.Y[n] = y
			continue
		}
		s.Targets = append([]float64(nil), old.Targets...)
		s.Targets[n] = y
	}
	q.Shards[shard] = s
	return &q
}

// samplesOf are those of a part of a world.
func (w *twoWorlds) samplesOf(world int) *adversary.Samples {
	s := &w.assembly[world].Problem.Shards[w.part]
	return &adversary.Samples{U: s.U, Y: s.Y, Targets: s.Targets, Class: s.Class}
}

// rowWorlds makes the two worlds of a pair of samples, of which a group of rows has as many of either.
func rowWorlds(e *experiment.Experiment, a *experiment.Assembly, shard, row, group int, u [2][]float64,
	y [2]float64) (*twoWorlds, error) {
	return worlds(e, a, shard, func(world int, own *experiment.Assembly) {
		withRows(own, shard, row, group, u[world], y[world])
		own.Liars = own.Liars.Aimed(shard+a.First(), row, u) // who tells the worlds apart does not know which it is in
	})
}

// withRows gives an assembly a sample in the place of each of a group of rows.
func withRows(own *experiment.Assembly, shard, row, group int, u []float64, y float64) {
	for k := range group {
		own.Problem = replace(own.Problem, shard, row+k, u, y)
	}
}

// rowPair is a proposal of samples of a shard's rows, as an audit records it.
func rowPair(a *experiment.Assembly, shard int, spec *scenarios.AuditSpec, unit privacy.Unit,
	p *proposal) record.Pair {
	return record.Pair{Node: shard + a.First(), Row: spec.Row, Unit: unit, Group: together(spec.Group),
		What: p.all(spec.Row, spec.Group), A: p.u[0], B: p.u[1]}
}

// rowProposals are pairs to choose from, of rows of whatever kind; middle is where iterates are about.
func rowProposals(a *experiment.Assembly, shard int, spec *scenarios.AuditSpec, middle []float64) []proposal {
	switch {
	case a.Problem.HasTargets():
		return targetProposals(a.Problem, shard, spec, middle)
	case a.Problem.K > 0:
		return classProposals(a, shard, spec, middle)
	}
	return proposals(a.Problem, shard, spec, middle)
}

// all says that a group of rows has a pair's samples, in words.
func (p *proposal) all(row, group int) string {
	if group == 1 {
		return p.what
	}
	return fmt.Sprintf("samples %d to %d, all alike: %s", row, row+group-1, p.what)
}

// auditSamples audits the claim that a row of a node is protected.
func auditSamples(e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec,
	shard int) (*measured, error) {
	if a.Account == nil || len(a.Account.Ledger.Nodes()) == 0 {
		return nil, errors.New("the noise is off, so that one look at the messages tells the worlds apart; " +
			"there is no claim to audit, and --black-box measures what is lost")
	}
	node := shard + a.First()
	unit := privacy.Sample
	if spec.Unit == string(privacy.Label) {
		unit = privacy.Label
	}
	switch none := labelsDiffer(a.Problem); {
	case unit == privacy.Sample:
	case none != nil:
		return nil, none
	case spec.Pair != nil:
		return nil, errors.New("adversary.audit.pair: a pair is of samples, and adversary.audit.unit asks for a " +
			"sample's two labels; leave one of them out")
	case spec.Group > 1:
		return nil, errGroupOfLabels
	}
	m := &measured{unit: unit,
		statistic: "exact log-likelihood ratio of all that was published, given the two samples; no test on the same " +
			"trace is better (Neyman & Pearson)"}
	if spec.Pair != nil && a.Problem.HasTargets() {
		return nil, errors.New("adversary.audit.pair: a pair is of samples y·x of a class y, and these rows have " +
			"targets; leave it out, and pairs are tried")
	}
	if spec.Pair != nil && a.Problem.K > 0 {
		return nil, errors.New("adversary.audit.pair: a pair is of samples y·x of a class y = ±1, and these rows " +
			"have one of several classes; leave it out, and pairs are tried")
	}
	pairs := []proposal{labelPair(a, shard, spec.Row)}
	if unit == privacy.Sample {
		middle, err := middle(e, a, spec, shard)
		if err != nil {
			return nil, err
		}
		pairs = rowProposals(a, shard, spec, middle)
	}
	for _, p := range pairs {
		w, err := rowWorlds(e, a, shard, spec.Row, spec.Group, p.u, p.y)
		if err != nil {
			return nil, err
		}
		m.pairs = append(m.pairs, auditPair{
			pair:     rowPair(a, shard, spec, unit, &p),
			proposed: record.Proposed{What: p.what},
			subject: func() (subject, error) {
				x, err := newExplainer(w)
				if err != nil {
					return nil, err
				}
				l, err := adversary.NewLikelihood(w.public, node, w.samplesOf(0), w.samplesOf(1))
				return &weigher{explainer: x, likelihood: l}, err
			},
		})
	}
	c := claims(a.Account, shard, a.First(), spec.Group, unit, e.Rounds.Count)
	m.claim = c
	if c.established == nil { // whatever the method says of itself
		c.established = algorithms.Shielded(a.Problem)
	}
	m.search = func() (*adversary.Worst, error) {
		if a.Liars != nil {
			return nil, errors.New("the worst trace is searched of runs in which all nodes are honest")
		}
		if unit == privacy.Label {
			return nil, errors.New("the worst trace is searched of any two rows, and the pair is one row's two labels")
		}
		if spec.Group > 1 {
			return nil, errors.New("the worst trace is searched of one sample, and a group of samples differs")
		}
		s := &a.Problem.Shards[shard]
		public, err := publicOfRun(e.Scenario, a)
		if err != nil {
			return nil, err
		}
		own := &adversary.Samples{U: s.U, Y: s.Y, Targets: s.Targets, Class: s.Class}
		return adversary.Search(public, node, own, spec.Row, a.Seed)
	}
	m.conclude = func(out *record.Audit, sample [2][]*evidence) error {
		public, err := publicOfRun(e.Scenario, a)
		if err != nil {
			return err
		}
		c.amid(e, a, suffered(sample))
		if out.Checks, err = faithful(sample, node, inexact(public, a, e.Solver.Tolerance)); err != nil {
			return err
		}
		claimed, certified := c.ofNoise(public, a.Problem, shard, e.Rounds.Count, e.Privacy.Delta)
		out.Checks = append(out.Checks, certified...)
		out.Elsewhere = elsewhere(c.certificate, a.Account.Worst(a.First(), unit))
		err = c.judge(out, node, sample)
		out.Checks = append(out.Checks, claimed...)
		return err
	}
	return m, nil
}

// elsewhere is what another node loses by its certificate, if that is more than the audited one does by its own.
func elsewhere(own, worst *record.Certificate) *record.Elsewhere {
	if own.Reason != "" || worst.Reason != "" || worst.Node == own.Node || !(worst.Epsilon > 1.01*own.Epsilon) {
		return nil
	}
	return &record.Elsewhere{Node: worst.Node, Epsilon: worst.Epsilon, Delta: worst.Delta}
}

// faithful checks that all packets are explained, that the noise in them is what the method's law says, at the audited
// node in every run, at the others in the first, and that ratios are calibrated.
func faithful(sample [2][]*evidence, node int, inexact *experiment.Inexact) ([]record.Check, error) {
	fit := new(stats.Fit)
	run := 0
	var ratios [2][]float64
	for w := range sample {
		for _, v := range sample[w] {
			total := 0.0
			for i := range v.rounds {
				if r := &v.rounds[i]; r.Noise != nil {
					fit.Add(run, node, r.Round, r.Noise[0], r.Law)
				}
				total += v.rounds[i].Ratio()
			}
			for _, o := range v.others {
				fit.Add(run, o.node, o.round, o.noise, o.law)
			}
			ratios[w] = append(ratios[w], total)
			run++
		}
	}
	checks := append(append(accounted(sample), solved(inexact)...), fit.Checks()...)
	calibrated, err := stats.Calibrated(ratios[0], ratios[1])
	return append(checks, calibrated), err
}

// inexact is what the solver's tolerance leaves of steps that are solved for, as the public model says and not the
// method.
func inexact(public *model.Public, a *experiment.Assembly, tolerance float64) *experiment.Inexact {
	if _, ok := public.Method.(model.NodeDual); !ok {
		return &a.Account.Inexact
	}
	i := new(experiment.Inexact)
	i.Share, i.Most, i.Err = algorithms.Solved(a.Problem, tolerance)
	return i
}

// solved is the check of the solver's tolerance, by which a run's condition is decided, too.
func solved(inexact *experiment.Inexact) []record.Check {
	if inexact == nil || inexact.Share == 0 {
		return nil
	}
	c := record.Check{Kind: record.SolvesExact, Measured: record.Number(inexact.Share),
		Bound: record.Number(inexact.Most), Holds: inexact.Err == nil, Finds: record.Number(inexact.Most)}
	if c.Detail = fmt.Sprintf("what solver.tolerance leaves of a step's gradient is at most %.2g of what one row "+
		"moves it by", inexact.Share); inexact.Err != nil {
		c.Detail = inexact.Err.Error()
	}
	return []record.Check{c}
}

// proposal is a pair of samples to try.
type proposal struct {
	what string
	u    [2][]float64 // y·x
	y    [2]float64   // 1 of two classes, as u says all; of targets t; of several classes the number of the sample's
}

// labelled is 1 for both samples of a pair.
var labelled = [2]float64{1, 1}

// middle is where the node's iterates of a few runs are on average.
func middle(e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec, shard int) ([]float64, error) {
	mean := make([]float64, a.Problem.D)
	if spec.Pair != nil {
		return mean, nil
	}
	own := dense(a.Problem, shard, spec.Row)
	y := a.Problem.Shards[shard].Y[spec.Row]
	if t := a.Problem.Shards[shard].Targets; t != nil {
		y = t[spec.Row]
	}
	if c := a.Problem.Shards[shard].Class; c != nil {
		y = float64(c[spec.Row])
	}
	w, err := rowWorlds(e, a, shard, spec.Row, 1, [2][]float64{own, own}, [2]float64{y, y})
	if err != nil {
		return nil, err
	}
	for k := range spec.Pilots {
		c, err := w.play(context.Background(), 0, sim.NewStream(a.Seed, "audit middle", uint64(k)).Uint64())
		if err != nil {
			return nil, err
		}
		last := -1
		for i := range c.packets {
			if p := &c.packets[i]; p.from == shard+a.First() && p.kind == algorithms.KindValue &&
				p.round > last && len(c.payloads[p.payload]) == len(mean) {
				last = p.round
				num.Axpy(1, c.payloads[p.payload], mean)
			}
		}
	}
	return mean, nil
}

// dense is y·x of a shard's row.
func dense(p *problem.Problem, shard, row int) []float64 {
	u := make([]float64, p.Shards[shard].U.D)
	cols, vals := p.Shards[shard].U.Row(row)
	for k, c := range cols {
		u[c] = vals[k]
	}
	return u
}

// proposals are pairs among which is, nearly, the one that a method hides worst:
// which it is depends on where the iterates go, on average in the direction of
// middle. Rows have norm 1 at most.
func proposals(p *problem.Problem, shard int, spec *scenarios.AuditSpec, middle []float64) []proposal {
	if g := spec.Pair; g != nil {
		return []proposal{{"as given in the scenario", [2][]float64{g.A, g.B}, labelled}}
	}
	d := p.D
	own := dense(p, shard, spec.Row)
	unit := func(k int) []float64 { e := make([]float64, d); e[k] = 1; return e }
	mix := func(a float64, x []float64, b float64, y []float64) []float64 {
		z := make([]float64, d)
		num.Axpy(a, x, z)
		num.Axpy(b, y, z)
		return z
	}
	scaled := func(x []float64) []float64 { return mix(1/num.Norm(x), x, 0, x) }
	all := []proposal{{fmt.Sprintf("sample %d as it is, and with the other label", spec.Row),
		[2][]float64{own, mix(-1, own, 0, own)}, labelled}}
	if n := num.Norm(own); n > 0 && n < 1-1e-9 {
		all = append(all, proposal{fmt.Sprintf("sample %d at norm 1, with either label", spec.Row),
			[2][]float64{scaled(own), mix(-1, scaled(own), 0, own)}, labelled})
	}
	// Two samples at an angle of 2ψ around a direction against which iterates go:
	// the wider, the more their gradients differ; the narrower, the more both are on
	// the wrong side at once, where gradients are largest.
	around := func(axis, other []float64, name string) {
		for _, psi := range []struct{ degrees, cos, sin float64 }{
			{45, math.Sqrt(0.5), math.Sqrt(0.5)},
			{60, 0.5, math.Sqrt(0.75)},
			{75, (math.Sqrt(6) - math.Sqrt2) / 4, (math.Sqrt(6) + math.Sqrt2) / 4},
		} {
			all = append(all, proposal{
				fmt.Sprintf("unit samples at ±%.0f° of %s", psi.degrees, name),
				[2][]float64{mix(psi.cos, axis, psi.sin, other), mix(psi.cos, axis, -psi.sin, other)}, labelled,
			})
		}
	}
	for k := range min(d, 2) {
		all = append(all, proposal{fmt.Sprintf("unit samples along column %d, opposed", k),
			[2][]float64{unit(k), mix(-1, unit(k), 0, own)}, labelled})
		if d > 1 {
			around(mix(-1, unit(k), 0, own), unit((k+1)%d), fmt.Sprintf("column %d, reversed", k))
		}
	}
	if d > 1 && num.Norm(middle) > 0 {
		axis := mix(-1, scaled(middle), 0, own)
		for k := range d { // a direction square to it
			other := mix(1, unit(k), -axis[k], axis)
			if num.Norm(other) > 0.5 {
				around(axis, scaled(other), "the direction opposite to where the iterates go")
				break
			}
		}
	}
	return all
}

// targetProposals are pairs of samples with targets. A target that is far from every prediction has the loss's
// steepest slope, so that one far above and one far below differ in a gradient by all that the loss allows; one that is
// near has its curvature, which the noise's Jacobian shows.
func targetProposals(p *problem.Problem, shard int, spec *scenarios.AuditSpec, middle []float64) []proposal {
	own, t := dense(p, shard, spec.Row), p.Shards[shard].Targets[spec.Row]
	largest := 0.0
	for i := range p.Shards {
		for _, t := range p.Shards[i].Targets {
			largest = max(largest, math.Abs(t))
		}
	}
	far := 1e3 * max(1, largest)
	all := []proposal{{fmt.Sprintf("sample %d as it is, and with the target %.4g in place of %.4g", spec.Row, -t, t),
		[2][]float64{own, own}, [2]float64{t, -t}}}
	along := func(x []float64, name string) {
		n := num.Norm(x)
		if !(n > 0) {
			return
		}
		x = append([]float64(nil), x...)
		num.Scale(1/n, x)
		all = append(all,
			proposal{fmt.Sprintf("a unit sample along %s, with the target %.4g or %.4g", name, far, -far),
				[2][]float64{x, x}, [2]float64{far, -far}},
			proposal{fmt.Sprintf("a unit sample along %s, with the target %.4g or 0", name, far),
				[2][]float64{x, x}, [2]float64{far, 0}})
	}
	along(own, fmt.Sprintf("sample %d", spec.Row))
	along(middle, "the direction in which the iterates go")
	first := make([]float64, p.D)
	first[0] = 1
	along(first, "column 0")
	return all
}

// classProposals are pairs of samples with one of several classes: the row with each other class, and unit samples,
// equal but for their class or opposed. The gradients of opposed samples of one class differ by most, up to √6 of rows
// of norm 1, where both are on the wrong side, those of equal samples by √2 (docs/mathematics.md §1).
func classProposals(a *experiment.Assembly, shard int, spec *scenarios.AuditSpec, middle []float64) []proposal {
	p := a.Problem
	own, class := dense(p, shard, spec.Row), int(p.Shards[shard].Class[spec.Row])
	var all []proposal
	for k, name := range a.Set.Classes {
		if k != class {
			all = append(all, proposal{fmt.Sprintf("sample %d as it is, of class %s, and of class %s", spec.Row,
				a.Set.Classes[class], name), [2][]float64{own, own}, [2]float64{float64(class), float64(k)}})
		}
	}
	along := func(x []float64, name string) {
		n := num.Norm(x)
		if !(n > 0) {
			return
		}
		x, against := append([]float64(nil), x...), make([]float64, len(x))
		num.Scale(1/n, x)
		num.Axpy(-1, x, against)
		for k, label := range a.Set.Classes {
			next := (k + 1) % len(a.Set.Classes)
			all = append(all,
				proposal{fmt.Sprintf("unit samples along %s, opposed, both of class %s", name, label),
					[2][]float64{x, against}, [2]float64{float64(k), float64(k)}},
				proposal{fmt.Sprintf("a unit sample along %s, of class %s or %s", name, label, a.Set.Classes[next]),
					[2][]float64{x, x}, [2]float64{float64(k), float64(next)}})
		}
	}
	along(own, fmt.Sprintf("sample %d", spec.Row))
	d := len(own)
	for k, label := range a.Set.Classes {
		along(middle[k*d:(k+1)*d], fmt.Sprintf("the direction in which the iterates of class %s go", label))
	}
	return all
}

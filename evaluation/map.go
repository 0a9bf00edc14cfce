// What every node learns about a label of every other, where all that is published is normally distributed.

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
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/memory"
	"overhear/internal/num"
	"overhear/privacy/loss"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// Map is what each node, as an observer that hears its neighbours, learns about a flipped label of every other node, or
// a target with its sign turned:
// exactly, by the method's own rounds (docs/mathematics.md §5.12), and without lockstep along what entered which update
// in the run of the first seed. The error is a SetupError where rounds are not affine, or noise is not Gaussian.
func Map(ctx context.Context, e *experiment.Experiment, o AuditOptions) (*record.Map, *record.Pairs, error) {
	started := time.Now()
	if err := unaltered(e, "a map"); err != nil {
		return nil, nil, err
	}
	spec := auditSpec(e.Scenario)
	a, err := e.Assemble(ctx, e.Seeds.First)
	if err != nil {
		return nil, nil, err
	}
	refused := func(err error) (*record.Map, *record.Pairs, error) { return nil, nil, noMap(err) }
	for i := range a.Problem.Shards {
		if rows := a.Problem.Shards[i].U.Len(); spec.Row >= rows {
			return nil, nil, experiment.SetupError{Err: fmt.Errorf("adversary.audit.row: node %d has rows 0 to %d, "+
				"not %d", i, rows-1, spec.Row)}
		}
	}
	if _, less := narrow(e.Scenario); less {
		return nil, nil, experiment.SetupError{Err: errors.New("adversary.view: in a map every node is an observer; " +
			"leave it out")}
	}
	n := a.Graph.Order()
	pairs, checks, why, err := pairsOf(ctx, e, a, &spec, nil, o.Progress)
	if err != nil {
		return nil, nil, err
	}
	if why != nil {
		return refused(why)
	}
	inputs, err := e.Inputs()
	if err != nil {
		return nil, nil, err
	}
	out := &record.Map{Format: record.Format, Name: e.Name, About: e.About, Seed: a.Seed, Rounds: e.Rounds.Count,
		Algorithm: e.Algorithm.Kind, Command: o.Command, Changes: o.Changes, Scenario: e.Resolved(), Inputs: inputs,
		Nodes: n, Edges: a.Graph.Pairs(), Row: spec.Row, Victim: spec.Node, Targets: a.Problem.HasTargets(),
		Delta: record.Number(e.Privacy.Delta), Checks: checks}
	all := &record.Pairs{Distance: make([][]int, n), Mu: pairs.Mu, Messages: pairs.Messages}
	for i := range n {
		all.Distance[i] = distances(a.Graph, i)
		out.All = append(out.All, record.Number(pairs.All[i]))
	}
	out.ByDistance = byDistance(all, pairs.All, e.Privacy.Delta)
	out.Wall = time.Since(started).Seconds()
	return out, all, nil
}

// noMap says why there is none.
func noMap(err error) error {
	return experiment.SetupError{Err: fmt.Errorf("a map needs rounds whose values are normally "+
		"distributed (squared loss, Gaussian noise, one dual a node): %w", err)}
}

// Coalitions is what nodes that pool what they hear and draw learn about a label of every node, as Map says of single
// ones, by coalition and victim; all is what one who sees everything learns. The run must be in lockstep. What a
// coalition is said to learn about its own nodes means nothing.
func Coalitions(ctx context.Context, e *experiment.Experiment, of [][]int) (mu [][]float64, all []float64, err error) {
	spec := auditSpec(e.Scenario)
	a, err := e.Assemble(ctx, e.Seeds.First)
	if err != nil {
		return nil, nil, err
	}
	for _, nodes := range of {
		for _, i := range nodes {
			if i < 0 || i >= a.Graph.Order() {
				return nil, nil, fmt.Errorf("there is no node %d to collude; there are %d", i, a.Graph.Order())
			}
		}
	}
	if !lockstep(e.Scenario) {
		return nil, nil, noMap(errors.New("what coalitions learn is computed of synchronous rounds"))
	}
	pairs, _, why, err := pairsOf(ctx, e, a, &spec, of, nil)
	if err != nil {
		return nil, nil, err
	}
	if why != nil {
		return nil, nil, noMap(why)
	}
	return pairs.Mu, pairs.All, nil
}

// pairsOf is what observers learn, each of some nodes; nil: every node by itself, and only so without lockstep; and the
// checks that runs do what the method says. Why says for what reason it is not known.
func pairsOf(ctx context.Context, e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec,
	observers [][]int, progress func(done, of int)) (pairs *marginal.Pairs, checks []record.Check, why, err error) {
	switch {
	case a.Split != nil:
		return nil, nil, errors.New("columns are split"), nil
	case a.Liars != nil:
		return nil, nil, errNodesLie, nil
	case !lockstep(e.Scenario):
		return mapAlong(ctx, e, a, spec, progress)
	}
	r, why := roundsOf(e, a, spec.Row)
	if why != nil {
		return nil, nil, why, nil
	}
	r.Observers = observers
	if err := memory.Check(fmt.Sprintf("a map of %d nodes", a.Graph.Order()), r.Bytes()); err != nil {
		return nil, nil, nil, err
	}
	w, err := flipped(e, a, 0, spec.Row)
	if err != nil {
		return nil, nil, nil, err
	}
	sample, _, err := explainOnce(ctx, w, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	if why := unexplained(sample); why != nil {
		return nil, nil, why, nil
	}
	pairs, err = marginal.Map(ctx, r, progress)
	if errors.Is(err, marginal.ErrRounding) {
		return nil, nil, err, nil
	}
	for j := 0; err == nil && j < len(pairs.Mu); j++ {
		for i, mu := range pairs.Mu[j] {
			if !marginal.Within(mu, pairs.All[i]) {
				return nil, nil, marginal.ErrRounding, nil
			}
		}
	}
	return pairs, accounted(sample), nil, err
}

// flipped are worlds that differ in the label of a row of a node, by its position among those with rows.
func flipped(e *experiment.Experiment, a *experiment.Assembly, shard, row int) (*twoWorlds, error) {
	u, y, _ := mirrored(a, shard, row)
	return rowWorlds(e, a, shard, row, 1, u, y)
}

// unexplained is an error where runs do not do what their method says.
func unexplained(sample [2][]*evidence) error {
	if flawed := failing(accounted(sample)); flawed != "" {
		return fmt.Errorf("not established: %s", flawed)
	}
	return nil
}

// roundsOf are a run's rounds, in which a row of each node has either label.
func roundsOf(e *experiment.Experiment, a *experiment.Assembly, row int) (*marginal.Rounds, error) {
	n := len(a.Problem.Shards)
	r := &marginal.Rounds{D: a.Problem.D, Count: a.Rounds, Neighbours: make([][]int32, n), Parts: 1,
		Start: e.Algorithm.Init.Normal}
	probers := make([][2]*algorithms.Prober, n)
	for i := range probers {
		s := &a.Problem.Shards[i]
		if row >= s.U.Len() {
			return nil, fmt.Errorf("adversary.audit.row: node %d has rows 0 to %d, not %d", i, s.U.Len()-1, row)
		}
		r.Neighbours[i] = a.Graph.Neighbours(i)
		u, y, _ := mirrored(a, i, row)
		for world := range u {
			own := a.Problem
			if world > 0 || s.Targets != nil {
				own = replace(own, i, row, u[world], y[world])
			}
			var err error
			if probers[i][world], err = algorithms.NewProber(a.Method, a.Setting, i, own.Objective(i)); err != nil {
				return nil, err
			}
		}
	}
	r.Round = func(t int) ([]marginal.Node, error) {
		nodes := make([]marginal.Node, n)
		for i := range nodes {
			m, err := probers[i][0].Round(t)
			if err != nil {
				return nil, err
			}
			other, err := probers[i][1].Constant(t)
			if err != nil {
				return nil, err
			}
			v := &nodes[i]
			v.Own, v.Heard = m.Own, m.Heard
			for o := range v.Noise {
				if m.Noise[o] != nil {
					v.Noise[o] = times(m.Sigma, m.Noise[o])
				}
				v.Shift[o] = slices.Clone(m.Constant[o])
				for k, x := range other[o] {
					v.Shift[o][k] -= x
				}
			}
			if !(m.Sigma > 0) && m.Constant[0] != nil && slices.ContainsFunc(v.Shift[0], func(x float64) bool {
				return math.Abs(x) > 1e-9
			}) {
				return nil, errors.New("a round that uses the rows has no noise (algorithm.noise)")
			}
		}
		return nodes, nil
	}
	if _, err := r.Round(1); err != nil { // of a method whose even rounds draw nothing
		return nil, err
	}
	first, err := r.Round(min(2, a.Rounds))
	if err != nil {
		return nil, err
	}
	for i := range first {
		for o := range first[i].Own {
			for in := 1; in < len(first[i].Own); in++ {
				if o < in && first[i].Own[o][in] != nil {
					r.Parts = max(r.Parts, in+1)
				}
			}
		}
	}
	return r, nil
}

// mapAlong is a map of a run without lockstep, along what entered which update in the run of the first seed: a filter
// for each observer, of the worlds of all victims. Why says for what reason there is none.
func mapAlong(ctx context.Context, e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec,
	progress func(done, of int)) (out *marginal.Pairs, checks []record.Check, why, err error) {
	if why := followed(e); why != nil {
		return nil, nil, why, nil
	}
	n := a.Graph.Order()
	tell := func(done int) {
		if progress != nil {
			progress(done, 2*n)
		}
	}
	var along *course
	var explained [2][]*evidence
	for i := range n {
		w, err := flipped(e, a, i, spec.Row)
		if err != nil {
			return nil, nil, nil, err
		}
		c, sample, why, err := courseOf(ctx, w)
		if why == nil && err == nil {
			why = unexplained(sample)
		}
		if why != nil || err != nil {
			return nil, nil, why, err
		}
		for world := range sample {
			explained[world] = append(explained[world], sample[world]...)
		}
		if along == nil {
			along = c
		} else if along.pairs = append(along.pairs, c.pairs...); !slices.EqualFunc(along.order, c.order, sameStep) {
			return nil, nil, errOrder, nil
		}
		tell(i + 1)
	}
	out = &marginal.Pairs{}
	alone := map[[2]int][]float64{} // by node and round, of each victim
	nothing := func(int, int) bool { return false }
	if _, why = along.filter(nothing, nil, func(f *marginal.Filter, node, round, slot int) {
		alone[[2]int{node, round}] = f.Alone(slot)
	}); why != nil {
		return nil, nil, why, nil
	}
	if out.All, why = along.squares(func(int, int) bool { return true }, nil); why != nil {
		return nil, nil, why, nil
	}
	roots(out.All)
	for j := range n {
		if ctx.Err() != nil {
			return nil, nil, nil, context.Cause(ctx)
		}
		sees := along.seen(adversary.Vantage{Nodes: []int{j}}, a.Seed)
		learnt, why := along.squares(sees, []int{j})
		if why != nil {
			return nil, nil, why, nil
		}
		said := make([]float64, n)
		for _, s := range along.order {
			if s.round > 0 && s.node != j && sees(s.node, s.round) {
				num.Axpy(1, alone[[2]int{s.node, s.round}], said)
			}
		}
		learnt[j], said[j] = 0, 0
		roots(learnt)
		roots(said)
		for i, mu := range learnt {
			if !marginal.Within(mu, out.All[i]) {
				return nil, nil, marginal.ErrRounding, nil
			}
		}
		out.Mu, out.Messages = append(out.Mu, learnt), append(out.Messages, said)
		tell(n + j + 1)
	}
	return out, accounted(explained), nil, nil
}

// roots takes the square root of each.
func roots(v []float64) {
	for k, x := range v {
		v[k] = math.Sqrt(x)
	}
}

// distances are those of all nodes from one; −1: there is no way.
func distances(g *sim.Graph, from int) []int {
	all := slices.Repeat([]int{-1}, g.Order())
	all[from] = 0
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, j := range g.Neighbours(queue[0]) {
			if all[j] < 0 {
				all[j] = all[queue[0]] + 1
				queue = append(queue, int(j))
			}
		}
	}
	return all
}

// byDistance sums up pairs by how far apart they are.
func byDistance(p *record.Pairs, all []float64, delta float64) (rows []record.AtDistance) {
	most := 0
	for _, d := range p.Distance {
		most = max(most, slices.Max(d))
	}
	for d := 1; d <= most; d++ {
		row := record.AtDistance{Distance: d, Least: record.Number(math.Inf(1))}
		for j := range p.Mu {
			for i, mu := range p.Mu[j] {
				if p.Distance[j][i] != d {
					continue
				}
				row.Pairs++
				row.Mean += record.Number(mu)
				row.Least, row.Most = min(row.Least, record.Number(mu)), max(row.Most, record.Number(mu))
				row.Share += record.Number(mu / all[i])
				row.Messages += record.Number(p.Messages[j][i])
				if p.Messages[j][i] < mu {
					row.Above++
				}
			}
		}
		if row.Pairs == 0 {
			continue
		}
		n := record.Number(row.Pairs)
		row.Mean, row.Share, row.Messages = row.Mean/n, row.Share/n, row.Messages/n
		row.Epsilon = record.Number(loss.NormalEpsilon(float64(row.Most), delta))
		rows = append(rows, row)
	}
	return rows
}

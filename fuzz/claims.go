// What the mathematics of a method says of its states: computed by the formulas of
// adversary/model, which are derived apart from those of the methods.

package fuzz

import (
	"math"
	"slices"

	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/problem"
)

// claims checks duals, the states of edges, and at the end of a run whether each iterate
// of a method without noise is where its objective is least, given the values that
// entered. Of a method without a model it checks nothing.
type claims struct {
	c      *checker
	public *model.Public
	dual   model.NodeDual // nil: none
	edge   model.EdgeDual // nil: none
}

func newClaims(c *checker) *claims {
	m := &claims{c: c}
	a, s := c.a, c.e.Scenario
	if a.Problem == nil || a.Params == nil {
		return m
	}
	run := model.Run{
		Graph: a.Graph, D: a.Problem.D, Rounds: a.Rounds, Loss: a.Problem.Loss, Targets: a.Problem.HasTargets(),
		Classes: a.Problem.K, C: a.Problem.C,
		R: slices.Concat(make([]float64, a.First()), a.Problem.R), Tolerance: s.Solver.Tolerance, Hub: c.central,
		NonSmooth: a.Problem.NonSmooth, Zero: s.Algorithm.Init.Normal == 0,
		Timing: model.Timing{Lockstep: c.style != free && !c.stale()},
	}
	public, err := model.New(s.Algorithm.Kind, a.Params, run)
	if err != nil {
		return m // a method that is defined elsewhere
	}
	m.public = public
	m.dual, _ = public.Method.(model.NodeDual)
	m.edge, _ = public.Method.(model.EdgeDual)
	return m
}

// near says whether two vectors are the same but for rounding of numbers of that size.
func near(a, b []float64, size float64) bool {
	for k := range a {
		if !(math.Abs(a[k]-b[k]) <= 1e-9*(size+math.Abs(a[k])+math.Abs(b[k]))) {
			return false
		}
	}
	return true
}

// call checks what a call has left: the dual, λ(t) = λ(t−1) + (θ/2)(V v(t) − s(t)), and
// takes what has entered into the states of edges.
func (m *claims) call(n *follower, k *call) {
	switch {
	case m.dual != nil && k.what == "Dual" && k.before.dual != nil:
		step := m.dual.Step(m.public, n.id, k.round, 0)
		want, size := slices.Clone(k.before.dual), 0.0
		if !step.Idle {
			v := float64(len(k.heard))
			for _, f := range k.heard {
				num.Axpy(-step.Theta/2, f, want)
				size = max(size, step.Theta*num.Norm(f))
			}
			num.Axpy(step.Theta/2*v, k.before.f, want)
			size = max(size, step.Theta*v*num.Norm(k.before.f))
		}
		if !near(k.after.dual, want, size) {
			m.c.fail(invariantDuals, "the dual of node %d after round %d is %v; of the values that entered it is %v",
				n.id, k.round, k.after.dual, want)
		}
	case m.edge != nil && k.what == "Update" && k.round > 1:
		_, share := m.edge.Edge()
		for p := range n.edges {
			if n.fresh[p] {
				num.Scale(1-share, n.edges[p])
				num.Axpy(share, n.inputs[p], n.edges[p])
			}
		}
	}
}

// sent checks a value of a method with a state z for every edge: it is 2ηf − z.
func (m *claims) sent(n *follower, p *parcel) {
	if m.edge == nil || p.round != n.round || n.state.f == nil {
		return
	}
	k, _ := slices.BinarySearch(n.neighbours, int32(p.to))
	eta, _ := m.edge.Edge()
	want := make([]float64, len(p.payload))
	num.Axpy(2*eta, n.state.f, want)
	size := num.Norm(want) + num.Norm(n.edges[k])
	num.Axpy(-1, n.edges[k], want)
	if !near(p.payload, want, size) {
		m.c.fail(invariantDuals, "what node %d sends node %d in round %d is %v; with the state that follows from "+
			"the values that entered it is %v", n.id, p.to, n.round, p.payload, want)
	}
}

// Value is what a node published in a round.
func (m *claims) Value(node, round int) ([]float64, bool) {
	all := m.c.nodes[node].published
	if round < 0 || round >= len(all) {
		return nil, false
	}
	return all[round], true
}

// Inputs are the rounds of the values that entered an update.
func (m *claims) Inputs(node, round int) ([]int, error) {
	all := m.c.nodes[node].entered
	if round < 1 || round > len(all) || all[round-1] == nil {
		return nil, model.NotSeen("the update of node %d in round %d", node, round)
	}
	return all[round-1], nil
}

// Told is what a node published: none lies.
func (m *claims) Told(node, _, round int) ([]float64, bool) { return m.Value(node, round) }

// Anew is false: nodes that have lost their memory are left out.
func (m *claims) Anew(int, int) (bool, error) { return false, nil }

// From is the first round.
func (m *claims) From() int { return 0 }

// ended checks every iterate of a method without noise. Nodes that have lost their memory
// are left out, and their neighbours, to whom they sent what they never published.
func (m *claims) ended() {
	c := m.c
	if m.public == nil || m.public.Method.Noisy() {
		return
	}
	_, follows := m.public.Method.(model.Follower)
	if _, ok := c.original.(algorithms.Registering); ok || follows && !m.public.Timing.Lockstep {
		return // its objective is of reports; or the model follows rounds in lockstep only
	}
	for i := c.a.First(); i < len(c.nodes); i++ {
		n := &c.nodes[i]
		whole := n.wholeStates && !n.unknown
		for _, j := range c.a.Graph.Neighbours(i) {
			whole = whole && c.nodes[j].wholeStates && !c.nodes[j].unknown
		}
		if !whole {
			continue
		}
		shard := &c.a.Problem.Shards[i-c.a.First()]
		gradients, _ := model.Gradients(m.public, m, i, shard.U.Len())
		for k := range gradients {
			g := &gradients[k]
			if g.Offset != 0 || g.Nuisance != nil || math.IsNaN(g.Ridge) {
				continue
			}
			own := gradientOf(c.a.Problem, shard, g.At)
			size := num.Norm(g.Value) + num.Norm(own) + float64(math.Abs(g.Ridge)*num.Norm(g.At)) + 1
			num.Axpy(-1, g.Value, own)
			if off := num.Norm(own); !(off <= (1e-7+float64(10*c.e.Solver.Tolerance))*size) {
				c.fail(invariantOptimal, "round %d of node %d is not where its objective is least, "+
					"with the values that entered: the gradient is off by %.3g", g.Round, i, off)
				return
			}
		}
	}
}

// gradientOf is (C/B) Σ_n L′(u_n·f − t_n) u_n.
func gradientOf(p *problem.Problem, shard *problem.Shard, f []float64) []float64 {
	rows := shard.U.Len()
	if shard.Class != nil {
		return gradientOfClasses(p, shard, f)
	}
	margins, slopes := make([]float64, rows), make([]float64, rows)
	shard.Arguments(f, margins)
	p.Loss.Slopes(slopes, margins)
	out := make([]float64, len(f))
	for k := range rows {
		cols, vals := shard.U.Row(k)
		for c, col := range cols {
			out[col] += float64(p.C / float64(rows) * slopes[k] * vals[c])
		}
	}
	return out
}

// gradientOfClasses is gradientOf of rows with one of K classes: (C/B) Σ_n s_nk x_n in block k, s_n the gradient of the
// loss in the row's K numbers.
func gradientOfClasses(p *problem.Problem, shard *problem.Shard, f []float64) []float64 {
	d, out, z := shard.U.D, make([]float64, len(f)), make([]float64, p.K)
	for n, class := range shard.Class {
		for k := range z {
			z[k] = shard.U.Dot(n, f[k*d:(k+1)*d])
		}
		switch l := p.Loss.(type) {
		case problem.Softmax:
			most, odds := slices.Max(z), 0.0
			for k, v := range z {
				z[k] = math.Exp(v - most)
				odds += z[k]
			}
			num.Scale(1/odds, z)
			z[class]--
		case problem.OneVsRest:
			sign := make([]float64, p.K)
			for k := range z {
				sign[k] = -1
				if k == int(class) {
					sign[k] = 1
				}
				z[k] *= sign[k]
			}
			l.Each.Slopes(z, z)
			for k := range z {
				z[k] *= sign[k]
			}
		}
		cols, vals := shard.U.Row(n)
		for k, slope := range z {
			for j, c := range cols {
				out[k*d+int(c)] += float64(p.C / float64(len(shard.Class)) * slope * vals[j])
			}
		}
	}
	return out
}

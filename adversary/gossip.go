// Beyond the neighbours: what averaging carries from nodes that are not heard.

package adversary

import (
	"fmt"
	"math"
	"slices"

	"overhear/adversary/model"
	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/record"
)

func init() {
	register(&Attack{
		Name:  "beyond-neighbours",
		Title: "what averaging carries from afar",
		Equation: "f_T(t) = W_TT f_T(t−1) + W_TA f_A(t−1) − a_t(g + r f_T(t−1)): f_T(t) = K(t) g + b(t), " +
			"g_i = Σ_k c_k (f_k − b_k) with cᵀK = e_iᵀ",
		About: `In gossip gradient descent a node's value is an average of its neighbours' values, these are averages of
others', and so on: what colluders A hear is linear in the gradients g of all other nodes T, if these do not change
(Mrini, Cyffers & Bellet, ICML 2024). A node's gradient is determined if its unit vector is in the span of the rows of K
that were heard. That is decided without rounding, modulo the prime 2⁶¹ − 1, in which the Metropolis weights and every
step size are exact: what is in the span there and not in truth has a chance of about 10⁻¹⁶. The singular vectors of K,
as many as that rank, give c. Of as many rounds as leave the least error, because gradients change with the point: by at
most what the slope's slope and the steps so far allow. Where the step is small after the first round, this is averaging
of fixed private vectors. Fact "gradient at the start" of the victim: ∇ of its data at zero. For the informed adversary
that is a sample, as L′(0) is the same for all.`,
		Needs: "gossip gradient descent from zero in lockstep, public steps; nodes that collude, from round 0 on",
		Run:   beyondNeighbours,
	})
}

// prime is 2⁶¹ − 1, modulo which spans are decided.
const prime = 1<<61 - 1

// gossip is what an observer of averaging knows of it.
type gossip struct {
	v      *View
	method model.Gossiping
	nodes  []int       // whose gradients are not known
	at     map[int]int // where among them
}

// heard is what values up to a round say: rows·g = values.
type heard struct {
	rows   [][]float64
	values [][]float64
	rounds []int
}

// newGossip says why the equations do not hold, if they do not.
func newGossip(v *View) (*gossip, error) {
	p := v.Public
	m, ok := p.Method.(model.Gossiping)
	switch {
	case !ok:
		return nil, blocked("nodes of method %s do not take averages of their neighbours' values by public weights",
			p.Name)
	case p.NonSmooth != nil:
		return nil, blocked("the regulariser has kinks (problem.l1, problem.set), and steps are not linear")
	case !p.Timing.Lockstep:
		return nil, blocked("which values entered which average is not the same for all: rounds are not in lockstep")
	case v.lies != nil:
		return nil, blocked("nodes lie (adversary.acts): a node's value is not the same to all")
	case !p.Zero:
		return nil, blocked("nodes start anywhere (algorithm.init): a node's start is one more unknown vector that " +
			"averaging carries")
	case math.IsNaN(m.StepSize(0, 1)):
		return nil, blocked("step sizes are hidden, and multiply every gradient")
	case v.Vantage.From > 0:
		return nil, blocked("the rounds before round %d were not seen, and averages carry what entered them",
			v.Vantage.From)
	}
	g := &gossip{v: v, method: m, at: map[int]int{}}
	for i := range p.Graph.Order() {
		if !slices.Contains(v.Vantage.Nodes, i) {
			g.at[i] = len(g.nodes)
			g.nodes = append(g.nodes, i)
		}
	}
	return g, nil
}

// average calls do with W_ij, as 1/share, of every neighbour and returns the weight that is left.
func (g *gossip) average(i int, do func(j, share int)) {
	for _, j := range g.v.Public.Graph.Neighbours(i) {
		do(int(j), g.method.Share(g.v.Public, i, int(j)))
	}
}

// next is K(t) of K(t−1), and b(t) of b(t−1).
func (g *gossip) next(t int, k, b [][]float64) (nextK, nextB [][]float64, err error) {
	p := g.v.Public
	for n, i := range g.nodes {
		row, rest, own := make([]float64, len(g.nodes)), make([]float64, p.D), 1.0
		step := g.method.StepSize(i, t)
		g.average(i, func(j, share int) {
			w := 1 / float64(share)
			own -= w
			if m, ok := g.at[j]; ok {
				num.Axpy(w, k[m], row)
				num.Axpy(w, b[m], rest)
			} else if f, ok := g.v.Value(j, t-1); ok {
				num.Axpy(w, f, rest)
			} else {
				err = blocked("the colluder %d's own value of round %d is not known", j, t-1)
			}
		})
		own -= float64(step * p.R[i])
		num.Axpy(own, k[n], row)
		num.Axpy(own, b[n], rest)
		row[n] -= step
		nextK, nextB = append(nextK, row), append(nextB, rest)
	}
	return nextK, nextB, err
}

// nextExactly is K(t) of K(t−1) modulo the prime.
func (g *gossip) nextExactly(t int, k [][]uint64) (next [][]uint64) {
	p := g.v.Public
	for n, i := range g.nodes {
		row, own := make([]uint64, len(g.nodes)), uint64(1)
		add := func(w uint64, x []uint64) {
			for c, v := range x {
				row[c] = plus(row[c], times(w, v))
			}
		}
		g.average(i, func(j, share int) {
			w := inverse(uint64(share))
			own = plus(own, prime-w)
			if m, ok := g.at[j]; ok {
				add(w, k[m])
			}
		})
		step := residue(g.method.StepSize(i, t))
		own = plus(own, minus(times(step, residue(p.R[i]))))
		add(own, k[n])
		row[n] = plus(row[n], minus(step))
		next = append(next, row)
	}
	return next
}

// seen are the nodes of which the value of a round was heard.
func (g *gossip) seen(t int) (all []int) {
	for n, i := range g.nodes {
		if _, ok := g.v.Value(i, t); ok {
			all = append(all, n)
		}
	}
	return all
}

// carried is the gradient at zero of a node, worked out, and what error is expected of it.
type carried struct {
	gradient                []float64
	rounds                  int
	drift, noise, rounding  float64
	rank, determined, first int // of the equations of these rounds; first: after which the node is determined
}

// error is all that is expected.
func (c *carried) error() float64 { return c.drift + c.noise + c.rounding }

// patience is of how many rounds more than are needed it is tried whether they leave less error.
const patience = 6

// reconstruct works out the gradient of a node; its gradient is nil if it is not determined.
func (g *gossip) reconstruct(victim int) (*carried, error) {
	p, n := g.v.Public, len(g.nodes)
	zeros := func(d int) [][]float64 {
		all := make([][]float64, n)
		for i := range all {
			all[i] = make([]float64, d)
		}
		return all
	}
	k, b := zeros(n), zeros(p.D)
	exact := make([][]uint64, n)
	for i := range exact {
		exact[i] = make([]uint64, n)
	}
	var span echelon
	var all heard
	best := &carried{}
	for t := 1; t <= g.v.Steady() && (best.first == 0 || t <= best.first+patience); t++ {
		exact = g.nextExactly(t, exact)
		var err error
		if k, b, err = g.next(t, k, b); err != nil && best.first > 0 {
			break // more rounds might have left less error
		} else if err != nil {
			return nil, err
		}
		for _, i := range g.seen(t) {
			span.add(exact[i])
			f, _ := g.v.Value(g.nodes[i], t)
			value := slices.Clone(f)
			num.Axpy(-1, b[i], value)
			all.rows, all.values, all.rounds = append(all.rows, k[i]), append(all.values, value), append(all.rounds, t)
		}
		if best.gradient == nil {
			best.rank, best.rounds = len(span.rows), t
		}
		if !span.has(g.at[victim], n) {
			continue
		}
		if best.first == 0 {
			best.first = t
		}
		c, err := g.solve(&all, len(span.rows), g.at[victim])
		if err != nil {
			return nil, err
		}
		if best.gradient == nil || c.error() < best.error() {
			c.rounds, c.rank, c.first = t, len(span.rows), best.first
			best = c
		}
	}
	for i := range n {
		if span.has(i, n) {
			best.determined++
		}
	}
	return best, nil
}

// solve is c of cᵀK = e_i by the singular vectors that count, and the gradient that it gives.
func (g *gossip) solve(h *heard, rank, i int) (*carried, error) {
	p := g.v.Public
	basis := independent(h.rows, rank)
	var rows [][]float64
	for _, row := range h.rows {
		rows = append(rows, inFrame(basis, row))
	}
	svd, err := num.Decompose(rows)
	if err != nil {
		return nil, err
	}
	unit := make([]float64, len(basis)) // e_i
	for k, q := range basis {
		unit[k] = q[i]
	}
	weights := make([]float64, len(h.rows))
	for k, value := range svd.Values {
		if value == 0 {
			break
		}
		num.Axpy(num.Dot(svd.Left[k], unit)/value, svd.Right[k], weights)
	}
	out := &carried{gradient: make([]float64, p.D)}
	level := g.noise()
	for k, w := range weights {
		num.Axpy(w, h.values[k], out.gradient)
		drift, steps, squares := 0.0, 0.0, 0.0
		for s := 1; s <= h.rounds[k]; s++ {
			a := g.longest(s)
			drift += float64(a * steps)
			steps += a
			squares += float64(a * a)
		}
		steepest := p.Loss.Steepest()
		if math.IsInf(steepest, 1) {
			steepest = 1 // at zero
		}
		out.drift += float64(math.Abs(w) * drift * p.C * p.Loss.Bound() * p.C * steepest)
		out.noise += float64(math.Abs(w) * math.Sqrt(squares) * level)
		out.rounding += float64(math.Abs(w) * 0x1p-50 * max(num.Norm(h.values[k]), steps*p.C))
	}
	return out, nil
}

// independent are orthonormal vectors that span rows of a rank: always along the row of which most is left.
func independent(rows [][]float64, rank int) (basis [][]float64) {
	left := make([][]float64, len(rows))
	for k, row := range rows {
		left[k] = slices.Clone(row)
	}
	largest := 0.0
	for len(basis) < rank {
		best := 0
		for k := range left {
			if num.Norm(left[k]) > num.Norm(left[best]) {
				best = k
			}
		}
		q := slices.Clone(left[best])
		if largest = max(largest, num.Norm(q)); !(num.Norm(q) > 1e-14*largest) {
			return basis // the rest is rounding, which lies along the others
		}
		for range 2 { // once more, against rounding
			num.Scale(1/num.Norm(q), q)
			for _, b := range basis {
				num.Axpy(-num.Dot(b, q), b, q)
			}
		}
		num.Scale(1/num.Norm(q), q)
		basis = append(basis, q)
		for k := range left {
			num.Axpy(-num.Dot(q, left[k]), q, left[k])
		}
	}
	return basis
}

// longest is the largest step of a round.
func (g *gossip) longest(t int) float64 {
	a := 0.0
	for _, i := range g.nodes {
		a = max(a, g.method.StepSize(i, t))
	}
	return a
}

// noise is the expected size of what is added to a gradient, as far as it is known.
func (g *gossip) noise() float64 {
	size := 0.0
	for _, i := range g.nodes {
		if all, _ := g.v.Gradients(i, g.v.Knows.Size); len(all) > 0 {
			size = max(size, all[0].Noise.Size(g.v.Public.D))
		}
	}
	return size
}

func beyondNeighbours(v *View, f *record.Finding) error {
	p, victim := v.Public, v.Knows.Victim
	g, err := newGossip(v)
	if err != nil {
		return err
	}
	c, err := g.reconstruct(victim)
	if err != nil {
		return err
	}
	f.Unseen = append(f.Unseen, v.unsteady()...)
	equations := fmt.Sprintf("the values heard have rank %d in the gradients of %s", c.rank,
		plural.Of(len(g.nodes), "other node"))
	if c.gradient == nil {
		f.Succeeded = record.Failed
		f.Conclusion = fmt.Sprintf("%s: %s, and determine %d of them, but not that of node %d",
			plural.Of(v.Steady(), "round"), equations, c.determined, victim)
		return nil
	}
	hidden := fmt.Sprintf("%.2g from noise", c.noise)
	if p.Method.Noisy() && c.noise == 0 {
		hidden = "what is not known from noise"
	}
	f.Conclusion = fmt.Sprintf("round %d determines the gradient of node %d; of %s, %s; the expected error of "+
		"the gradient, whose norm is at most %.3g, is at most %.2g from changing gradients, %s and %.2g from "+
		"rounding; all rounds used determine %s", c.first, victim, plural.Of(c.rounds, "round"), equations,
		p.C, c.drift, hidden, c.rounding, plural.Of(c.determined, "node"))
	switch {
	case p.Method.Noisy() && c.noise == 0:
		f.Unseen = append(f.Unseen, "how much noise there is: it goes by the number of the victim's samples")
	case c.noise >= p.C:
		f.Succeeded = record.Failed
		f.Conclusion += fmt.Sprintf(": no gradient at the start is larger than %.3g, and noise hides it", p.C)
		return nil
	}
	f.Facts = append(f.Facts, record.Fact{Kind: record.StartGradient, Node: victim, Round: 1, Values: c.gradient,
		Relative: notKnown})
	k := v.Knows
	if k.Others == nil || k.Size != len(k.Others.Y)+1 || p.Targets || p.Classes > 0 {
		return nil
	}
	slope := []float64{0}
	p.Loss.Slopes(slope, slope)
	u := slices.Clone(c.gradient)
	times := float64(k.Size) / (p.C * slope[0])
	num.Scale(times, u)
	f.Conclusion += fmt.Sprintf("; a sample is %.3g times the gradient, less the known ones: so is its error",
		math.Abs(times))
	for n := range k.Others.Y {
		cols, values := k.Others.U.Row(n)
		for at, col := range cols {
			u[col] -= values[at]
		}
	}
	x, y := k.sample(u, true)
	f.Estimates = append(f.Estimates, record.Estimate{Rounds: c.rounds, X: x, Y: y})
	return nil
}

// NeighbourStart is the mean gradient at zero of the nodes, but one, whose first round was heard: what is said of that
// one without the averages that carry it; false: there is none.
func (v *View) NeighbourStart(but int) (mean []float64, ok bool) {
	m, is := v.Public.Method.(model.Gossiping)
	if !is {
		return nil, false
	}
	var all [][]float64
	for i := range v.Public.Graph.Order() {
		if f, ok := v.Value(i, 1); ok && i != but {
			g := slices.Clone(f)
			num.Scale(-1/m.StepSize(i, 1), g)
			all = append(all, g)
		}
	}
	if all == nil {
		return nil, false
	}
	return meanOf(all), true
}

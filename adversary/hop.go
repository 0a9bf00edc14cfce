// One hop further: a node's data and what it published tell what its neighbours
// sent it, though that was not seen.

package adversary

import (
	"errors"
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
		Name:     "one-hop",
		Title:    "one hop further",
		Everyone: true,
		Equation: "s(t) = [2λ(t−2) + (θ − η)V f(t−1) + ∇O(f(t)) + 2ηV f(t)]/(η + θ), λ(t−1) = λ(t−2) + (θ/2)(V " +
			"f(t−1) − s(t))",
		About: `The step of round t is exact, 2λ(t−1) − η(V f(t−1) + s) + ∇O(f(t)) + 2ηV f(t) = 0, and the same sum
s of the neighbours' values is in λ(t−1). Where a node's data are known, s follows from its own iterates: sums
of values that were never seen. Even rounds of recycled ADMM give s = ½[V f(t−2) + s(t−1) − (f(t−1) − f(t))(2ηV
+ γ)/η]. What was seen is subtracted; several such nodes make a linear system for the nodes that were not, of
which each one is determined whose unit vector is orthogonal to the null space. An error of the dual shrinks by
η/(η + θ) in every round, so that rounding does not grow and a dual that is not known is forgotten.
Fact "sum of neighbours' values" of node j and round t: Σ f_k(t) over the neighbours k of j.`,
		Needs:   "all data of one node or more and what they published; public penalties; no noise",
		Classes: true,
		Run:     oneHop,
	})
}

// forgotten is how far an unknown dual must have shrunk before sums are reported.
const forgotten = 1e-13

// insider follows a node whose data are known.
type insider struct {
	v      *View
	method model.NodeDual
	node   int
	data   *Samples

	dual  []float64 // λ(t−1) before round t's sum is in it: λ(t−2); nil: not known
	error float64   // bound on the dual's error, from the solver
	noise float64   // expected size of its error from noise
	fade  float64   // what is left of the error that a dual which was not known began with

	// Of the odd round before, where rounds recycle.
	sum      []float64
	sumError [2]float64 // from solver and noise
}

// entered is the sum of the neighbours' values that entered an update, worked out.
type entered struct {
	sum   []float64
	error float64 // bound on its error, from the solver
	noise float64 // expected size of its error from noise
	terms float64 // size of what it is the sum of
	fade  float64
}

// round works out the sum that entered the update of round t ≥ 1, and brings the
// dual forward.
func (i *insider) round(t int) (*entered, error) {
	e, err := i.sums(t)
	if err != nil {
		i.dual, i.sum, i.fade = nil, nil, 1
	}
	return e, err
}

func (i *insider) sums(t int) (*entered, error) {
	v, p := i.v, i.v.Public
	now, ok := v.Value(i.node, t)
	if !ok || t < v.Vantage.From {
		return nil, model.NotSeen("the value of node %d in round %d", i.node, t)
	}
	before, ok := v.Value(i.node, t-1)
	if !ok {
		return nil, model.NotSeen("the value of node %d in round %d", i.node, t-1)
	}
	b := i.data.U.Len()
	step := i.method.Step(p, i.node, t, b)
	eta := step.Eta
	theta := 0.0 // of the round before; round 0 has no dual step
	if t > 1 {
		theta = i.method.Step(p, i.node, t-1, b).Theta
	}
	degree := float64(p.Graph.Degree(i.node))
	e := &entered{sum: make([]float64, p.D)}
	recycling, recycles := i.method.(model.Recycling)
	if step.Idle {
		if !recycles {
			return nil, model.NotSeen("how the round %d of node %d, which touches no data, follows", t, i.node)
		}
		earlier, ok := v.Value(i.node, t-2)
		if !ok || i.sum == nil {
			return nil, model.NotSeen("the value of node %d in round %d, or the sum that entered round %d", i.node, t-2,
				t-1)
		}
		back := (float64(2*eta*degree) + recycling.Weight()) / eta
		for k := range e.sum {
			e.sum[k] = 0.5 * (float64(degree*earlier[k]) + i.sum[k] - float64(back*(before[k]-now[k])))
		}
		e.error, e.noise, e.fade = i.sumError[0]/2, i.sumError[1]/2, i.fade
		e.terms = 0.5 * (float64(degree*num.Norm(earlier)) + num.Norm(i.sum) +
			float64(back*(num.Norm(before)+num.Norm(now))))
		// λ is wrong by e and s by (2e + ν)/2η, ν the odd round's error.
		i.ascend(theta, degree, before, e.sum)
		i.error, i.noise, i.fade = theta*i.sumError[0]/4, theta*i.sumError[1]/4, i.fade/2
		return e, nil
	}
	gradient := gradientOver(p, i.data, b, now)
	if h := p.NonSmooth; h != nil {
		own := make([]float64, p.D)
		if step.Place == model.OnOutput && step.Noise.Kind != model.Silent || !h.Smooth(now, own) {
			return nil, model.NotSeen("which subgradient of the regulariser balances the sum in round %d: the "+
				"minimiser of node %d may be at a kink of it (problem.l1, problem.set)", t, i.node)
		}
		num.Axpy(1, own, gradient)
	}
	num.Axpy(p.R[i.node]+step.Ridge+step.Anchor, now, gradient)
	num.Axpy(-step.Anchor, before, gradient)
	if i.dual == nil {
		i.dual = make([]float64, p.D)
		i.error, i.noise = 0, 0
		if t > 1 {
			num.Axpy(-0.5, gradient, i.dual) // at the optimum 2λ + ∇O = 0
		} else {
			i.fade = 0
		}
	}
	e.terms = (float64(2*num.Norm(i.dual)) + float64(math.Abs(theta-eta)*degree*num.Norm(before)) + num.Norm(gradient) +
		float64(2*eta*degree*num.Norm(now))) / (eta + theta)
	for k := range e.sum {
		e.sum[k] = (float64(2*i.dual[k]) + float64((theta-eta)*degree*before[k]) + gradient[k] +
			float64(2*eta*degree*now[k])) / (eta + theta)
	}
	solver := solverError(p, num.Norm(gradient)+float64(step.Anchor*num.Norm(before)), 2*eta*degree, num.Norm(now))
	noise := step.Noise.Size(p.D)
	if m, ok := i.method.(model.FixedNoise); ok {
		noise = num.Hypot(noise, m.FixedRadius(p))
	}
	e.error, e.noise, e.fade = (float64(2*i.error)+solver)/(eta+theta), (float64(2*i.noise)+noise)/(eta+theta), i.fade
	if recycles {
		i.sum, i.sumError = e.sum, [2]float64{e.error, e.noise}
		return e, nil // the dual stays as it is
	}
	i.ascend(theta, degree, before, e.sum)
	shrink := eta / (eta + theta)
	i.error = float64(shrink*i.error) + float64(theta/2*solver)/(eta+theta)
	i.noise = float64(shrink*i.noise) + float64(theta/2*noise)/(eta+theta)
	i.fade *= shrink
	return e, nil
}

// ascend is λ ← λ + (θ/2)(V f − s).
func (i *insider) ascend(theta, degree float64, f, s []float64) {
	for k := range i.dual {
		i.dual[k] += float64(theta / 2 * (float64(degree*f[k]) - s[k]))
	}
}

// projects says whether a method projects what it publishes on a ball.
func projects(p *model.Public) bool {
	m, ok := p.Method.(model.NodeDual)
	return ok && m.Step(p, 0, 1, 0).Radius > 0
}

func oneHop(v *View, f *record.Finding) error {
	p := v.Public
	method, dual := p.Method.(model.NodeDual)
	hiddenEta, hiddenTheta := p.Hides()
	switch {
	case !dual:
		return blocked("the sum of the neighbours' values is worked out for ADMM with one dual a node; method %s has "+
			"none", p.Name)
	case len(v.Knows.Data) == 0:
		return blocked("the observer does not know all data of any node (adversary.knows.data)")
	case hiddenEta || hiddenTheta:
		return blocked("a hidden penalty multiplies the sum: it is known up to a number only")
	case projects(p):
		return blocked("iterates are projected on a ball, where the optimality condition does not hold")
	}
	var insiders []*insider
	for j := range p.Graph.Order() {
		if data := v.Knows.Data[j]; data != nil {
			insiders = append(insiders, &insider{v: v, method: method, node: j, data: data, fade: 1})
		}
	}
	h := &hopping{View: v, f: f, noise: math.Inf(1)}
	f.Unseen = append(f.Unseen, v.unsteady()...)
	for t := 1; t <= v.Steady(); t++ {
		var rows []partSum
		for _, i := range insiders {
			e, err := i.round(t)
			if m := (*model.Missing)(nil); errors.As(err, &m) {
				f.Unseen = append(f.Unseen, fmt.Sprintf("round %d: %s", t, m.What))
				continue
			} else if err != nil {
				return err
			}
			if e.fade > forgotten {
				h.waiting = append(h.waiting, fmt.Sprintf("the dual of node %d in round %d", i.node, t))
				continue
			}
			if row := h.take(i.node, t, e); row != nil {
				rows = append(rows, *row)
			}
		}
		if err := h.solve(t-1, rows); err != nil {
			return err
		}
	}
	return h.conclude()
}

// hopping is what one-hop has found so far.
type hopping struct {
	*View
	f            *record.Finding
	waiting      []string
	sums, values int
	open         []int   // nodes not seen that some round did not determine
	solved       []int   // nodes that some round did
	error        float64 // greatest bound on a relative error that the solver makes
	zeros        int     // sums and values of which that is relative to their terms
	noise        float64 // least relative error that noise makes
	checked      int     // sums that were seen too
	worst        float64 // greatest relative difference from these
	allowed      float64 // greatest bound on that
}

// partSum is Σ of unseen neighbours' values = sum.
type partSum struct {
	unseen []int
	sum    []float64
	error  float64 // bound on the sum's
	terms  float64 // size of what the sum is the sum of
}

// take enters a sum: as a check if it was seen, else as a fact; it returns what is
// left of it for the nodes that were not seen.
func (h *hopping) take(node, t int, e *entered) *partSum {
	p := h.Public
	if seen, err := model.Sum(p, h.View, node, t); err == nil {
		h.checked++
		off := append([]float64(nil), e.sum...)
		num.Axpy(-1, seen, off)
		if n := num.Norm(seen); n > 0 {
			n = scale(n, e.error, e.terms)
			h.worst = math.Max(h.worst, num.Norm(off)/n)
			h.allowed = math.Max(h.allowed, e.error/n)
		}
		return nil
	}
	if size := h.bounded(e.sum, e.error, e.terms); size > 0 {
		h.noise = math.Min(h.noise, e.noise/size)
	}
	h.sums++
	h.f.Facts = append(h.f.Facts, record.Fact{Kind: record.NeighbourSum, Node: node, Round: t - 1, Values: e.sum,
		Relative: notKnown, Terms: e.terms})
	if !p.Timing.Lockstep || h.lies != nil {
		return nil // which rounds' values they are is not known, or they are not the same to all
	}
	row := &partSum{sum: append([]float64(nil), e.sum...), error: e.error, terms: e.terms}
	for _, n := range p.Graph.Neighbours(node) {
		if f, ok := h.Value(int(n), t-1); ok {
			num.Axpy(-1, f, row.sum)
			row.terms += num.Norm(f)
		} else {
			row.unseen = append(row.unseen, int(n))
		}
	}
	return row
}

// bounded enters the bound on the error of a sum or value and returns the size that it is relative to.
func (h *hopping) bounded(x []float64, error, terms float64) (size float64) {
	size = num.Norm(x)
	if size > 0 && size <= error {
		h.zeros++
	}
	if size = scale(size, error, terms); size > 0 {
		h.error = math.Max(h.error, error/size)
	}
	return size
}

// solve is least squares for the values of a round that were not seen.
func (h *hopping) solve(round int, rows []partSum) error {
	var nodes []int
	for _, r := range rows {
		for _, n := range r.unseen {
			if !slices.Contains(nodes, n) {
				nodes = append(nodes, n)
			}
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	slices.Sort(nodes)
	columns := make([][]float64, len(nodes))
	for k := range columns {
		columns[k] = make([]float64, len(rows))
	}
	for r, row := range rows {
		for _, n := range row.unseen {
			k, _ := slices.BinarySearch(nodes, n)
			columns[k][r] = 1
		}
	}
	svd, err := num.Decompose(columns)
	if err != nil {
		return err
	}
	const zero = 1e-9 // of a matrix of zeros and ones
	for k, n := range nodes {
		inside := 0.0                         // squared length of the unit vector's part outside the null space
		weights := make([]float64, len(rows)) // row k of the pseudo-inverse
		for c, s := range svd.Values {
			if s <= zero*svd.Values[0] {
				continue
			}
			x := svd.Right[c][k]
			inside += float64(x * x)
			for r := range weights {
				weights[r] += float64(x / s * svd.Left[c][r])
			}
		}
		if math.Abs(1-inside) > zero {
			if !slices.Contains(h.open, n) {
				h.open = append(h.open, n)
			}
			continue
		}
		x, bound, terms := make([]float64, h.Public.D), 0.0, 0.0
		for r, w := range weights {
			num.Axpy(w, rows[r].sum, x)
			bound += float64(math.Abs(w) * rows[r].error)
			terms += float64(math.Abs(w) * rows[r].terms)
		}
		h.bounded(x, bound, terms)
		if !slices.Contains(h.solved, n) {
			h.solved = append(h.solved, n)
		}
		h.values++
		h.f.Facts = append(h.f.Facts, record.Fact{Kind: record.PublishedValue, Node: n, Round: round, Values: x,
			Relative: notKnown, Terms: terms})
	}
	return nil
}

// conclude says what was found.
func (h *hopping) conclude() error {
	f, p := h.f, h.Public
	if n := len(h.waiting); n > 0 {
		f.Unseen = append(f.Unseen, fmt.Sprintf("%s, and %s more: part of its past was not seen, and what is "+
			"left of that has not faded yet", h.waiting[0], plural.Of(n-1, "time")))
	}
	if h.checked > 0 && !p.Method.Noisy() {
		f.Checks = append(f.Checks, record.Check{
			Kind:     record.SumsAgree,
			Measured: record.Number(h.worst), Bound: record.Number(h.allowed), Holds: h.worst <= h.allowed,
			Detail: fmt.Sprintf("%d sums", h.checked),
		})
	}
	if h.sums > 0 {
		const precise = 1e-6
		f.Checks = append(f.Checks, record.Check{
			Kind:     record.SumPrecision,
			Measured: record.Number(h.error), Bound: precise, Holds: h.error <= precise,
		})
	}
	if h.sums == 0 && h.checked == 0 {
		return blocked("of no node whose data are known two values in a row were seen")
	}
	if h.sums == 0 {
		f.Conclusion = fmt.Sprintf("all messages to nodes whose data are known were seen; the %s with them to %.2g "+
			"and nothing is added", plural.With(h.checked, "sum", "worked out agrees", "worked out agree"), h.worst)
		return nil
	}
	f.Conclusion = fmt.Sprintf("%s and %s follow that no packet seen carried",
		plural.Of(h.sums, "sum")+" of neighbours' values", plural.Of(h.values, "value")+" of nodes")
	slices.Sort(h.solved)
	slices.Sort(h.open)
	h.open = slices.DeleteFunc(h.open, func(n int) bool { return slices.Contains(h.solved, n) })
	if len(h.solved) > 0 {
		f.Conclusion += fmt.Sprintf("; determined are nodes %s", plural.List(h.solved))
	}
	if len(h.open) > 0 {
		f.Conclusion += fmt.Sprintf("; in sums only, nodes %s", plural.List(h.open))
	}
	if !p.Method.Noisy() {
		each := "each"
		if h.zeros > 0 {
			each += ", or of the terms of one that is zero to that"
		}
		f.Conclusion += fmt.Sprintf("; the error is at most %.2g of %s, since errors of the dual shrink every round",
			h.error, each)
		return nil
	}
	f.Conclusion += fmt.Sprintf("; noise enters every sum, by about %.2g of it and more", h.noise)
	if h.noise > 0.5 {
		f.Succeeded = record.Failed
		f.Conclusion += ": they say next to nothing"
	}
	return nil
}

// What a view tells of a label where all that is seen is normally distributed (docs/mathematics.md §5.12).

package evaluation

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"overhear/adversary"
	"overhear/adversary/marginal"
	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/record"
	"overhear/sim"
)

// course is which values entered which updates of a run, and what each round makes of what enters it. It is the same
// whatever is drawn and whatever the rows are.
type course struct {
	d       int
	start   float64 // standard deviation of what nodes start with; 0: they start at zero
	order   []step  // as they were published
	graph   *sim.Graph
	probers []*algorithms.Prober // in the first world
	pairs   []asked
	public  *model.Public
	*wire   // of the first world
}

// asked is a pair of worlds, by the node in whose data they differ.
type asked struct {
	node   int
	worlds [2]*algorithms.Prober
}

// step is an update: the rounds of the neighbours' values that entered it, by position.
type step struct {
	node, round int
	inputs      []int
}

func sameStep(x, y step) bool {
	return x.node == y.node && x.round == y.round && slices.Equal(x.inputs, y.inputs)
}

var errOrder = errors.New("what enters the updates depends on the data")

// courseOf runs both worlds once, explains their packets and follows what entered what. Why says for what reason the
// values are not affine in what is drawn, or their course is not known.
func courseOf(ctx context.Context, w *twoWorlds) (out *course, sample [2][]*evidence, why, err error) {
	a := w.assembly[0]
	out = &course{d: a.Problem.D, start: w.e.Algorithm.Init.Normal, graph: a.Graph}
	for i := range a.Problem.Shards {
		p, err := algorithms.NewProber(a.Method, a.Setting, i, a.Problem.Objective(i))
		if err != nil {
			return nil, sample, err, nil
		}
		out.probers = append(out.probers, p)
	}
	b := w.assembly[1]
	other, why := algorithms.NewProber(b.Method, b.Setting, w.part, b.Problem.Objective(w.part))
	if why != nil {
		return nil, sample, why, nil
	}
	out.pairs = []asked{{w.part, [2]*algorithms.Prober{out.probers[w.part], other}}}
	var orders [2][]step
	sample, why, err = explainOnce(ctx, w, func(world int, c *wire, v *adversary.View) (why error) {
		if world == 0 {
			out.wire, out.public = c, w.public
		}
		orders[world], why = orderOf(c, v)
		return why
	})
	if why != nil || err != nil {
		return nil, sample, why, err
	}
	out.order = orders[0]
	if failing(accounted(sample)) == "" && !slices.EqualFunc(orders[0], orders[1], sameStep) {
		return nil, sample, errOrder, nil
	}
	return out, sample, nil, nil
}

// explainOnce runs both worlds once, with the scenario's own seed, and explains their packets. What is explained whole
// is for each, whose error is why.
func explainOnce(ctx context.Context, w *twoWorlds, each func(world int, c *wire, v *adversary.View) error) (
	sample [2][]*evidence, why, err error) {
	x, err := newExplainer(w)
	if err != nil {
		return sample, nil, err
	}
	for world := range sample {
		seed := w.assembly[world].Seed
		c, err := w.play(ctx, world, seed)
		if err != nil {
			return sample, nil, err
		}
		account, err := x.explain(ctx, c, run{world: world, seed: seed})
		if err != nil {
			return sample, nil, err
		}
		if sample[world] = []*evidence{{account: account}}; !account.explained() || each == nil {
			continue
		}
		if why := each(world, c, x.view); why != nil {
			return sample, why, nil
		}
	}
	return sample, nil, nil
}

// teller runs worlds and explains their packets, and weighs nothing.
type teller struct{ *explainer }

func (t teller) run(ctx context.Context, r run) (*evidence, error) {
	c, err := t.play(ctx, r.world, r.seed)
	if err != nil {
		return nil, err
	}
	account, err := t.explain(ctx, c, r)
	return &evidence{account: account}, err
}

// explainAll explains the packets of so many more runs of both worlds, beside those of a sample.
func explainAll(ctx context.Context, w *twoWorlds, sample [2][]*evidence, runs int, o AuditOptions) ([]record.Check,
	error) {
	p := &auditPair{subject: func() (subject, error) {
		x, err := newExplainer(w)
		return teller{x}, err
	}}
	more, err := repeat(ctx, p, auditRun, w.assembly[0].Seed, runs-1, o.Workers, func(done int) {
		if o.Progress != nil {
			o.Progress(done, 2*(runs-1))
		}
	})
	if err != nil {
		return nil, err
	}
	for world := range sample {
		sample[world] = append(sample[world], more[world]...)
	}
	return accounted(sample), nil
}

// orderOf is what was published when, and what had entered it.
func orderOf(c *wire, v *adversary.View) (order []step, err error) {
	published := slices.Clone(c.published)
	slices.SortStableFunc(published, func(x, y record.Iterate) int {
		return cmp.Or(cmp.Compare(x.TimeNS, y.TimeNS), cmp.Compare(x.Round, y.Round), cmp.Compare(x.Node, y.Node))
	})
	for i := range published {
		s := step{node: int(published[i].Node), round: int(published[i].Round)}
		if s.round > 0 {
			if s.inputs, err = v.Inputs(s.node, s.round); err != nil {
				return nil, err
			}
		}
		order = append(order, s)
	}
	return order, nil
}

// seen says which values an observer sees.
func (c *course) seen(watch adversary.Vantage, seed uint64) func(node, round int) bool {
	v := adversary.Observe(&adversary.Recording{Seed: seed, Iterates: c.published, Messages: c.messages()}, watch,
		c.public, nil)
	return func(node, round int) bool {
		_, ok := v.Value(node, round)
		return ok
	}
}

// squares are μ² of what is seen, by pair of worlds: sees says of which values. Nodes of the observer's own have no
// secrets.
func (c *course) squares(sees func(node, round int) bool, own []int) ([]float64, error) {
	return c.filter(sees, own, nil)
}

// filter is squares, and tells made of every value when it is made.
func (c *course) filter(sees func(node, round int) bool, own []int,
	made func(f *marginal.Filter, node, round, slot int)) ([]float64, error) {
	f := marginal.NewFilter(c.d, len(c.pairs))
	uses := map[[2]int]int{} // of each value yet to come
	for _, s := range c.order {
		if s.round > 0 {
			uses[[2]int{s.node, s.round - 1}]++
			for k, r := range s.inputs {
				uses[[2]int{int(c.graph.Neighbours(s.node)[k]), r}]++
			}
		}
	}
	slots := map[[2]int]int{}
	kept := make([][2]int, len(c.probers)) // dual and memory
	for i := range kept {
		kept[i] = [2]int{marginal.Known, marginal.Known}
	}
	value := func(node, round int) int {
		if slot, ok := slots[[2]int{node, round}]; ok {
			return slot
		}
		return marginal.Known // zero, or a start of the observer's own
	}
	used := func(node, round int) {
		key := [2]int{node, round}
		if uses[key]--; uses[key] == 0 {
			f.Free(value(node, round))
			delete(slots, key)
		}
	}
	for i := 0; i < len(c.probers) && c.start > 0; i++ {
		if slices.Contains(own, i) {
			continue
		}
		key := [2]int{i, 0}
		slot := f.Make(marginal.Value{Noise: unit(c.start, c.d)})[0]
		if sees(i, 0) {
			f.Observe(slot)
		}
		if slots[key] = slot; uses[key] == 0 {
			f.Free(slot)
			delete(slots, key)
		}
	}
	for _, s := range c.order {
		if s.round == 0 {
			continue
		}
		a, err := c.probers[s.node].Round(s.round)
		if err != nil {
			return nil, err
		}
		var values [3]marginal.Value
		for o := range values {
			values[o].Terms = append(values[o].Terms, marginal.Term{Slot: value(s.node, s.round-1), Block: a.Own[o][0]},
				marginal.Term{Slot: kept[s.node][0], Block: a.Own[o][1]},
				marginal.Term{Slot: kept[s.node][1], Block: a.Own[o][2]})
			for k, r := range s.inputs {
				values[o].Terms = append(values[o].Terms,
					marginal.Term{Slot: value(int(c.graph.Neighbours(s.node)[k]), r), Block: a.Heard[o][k]})
			}
			if a.Sigma > 0 && a.Noise[o] != nil && !slices.Contains(own, s.node) {
				values[o].Noise = times(a.Sigma, a.Noise[o])
			}
		}
		if p := slices.IndexFunc(c.pairs, func(of asked) bool { return of.node == s.node }); p >= 0 {
			more, err := c.pairs[p].shift(s.round)
			if err != nil {
				return nil, err
			}
			for o := range values {
				if slices.ContainsFunc(more[o], func(x float64) bool { return x != 0 }) {
					values[o].Shift, values[o].Pair = more[o], p
				}
			}
		}
		slot := f.Make(values[:]...)
		f.Free(kept[s.node][0])
		f.Free(kept[s.node][1])
		kept[s.node] = [2]int{slot[1], slot[2]}
		slots[[2]int{s.node, s.round}] = slot[0]
		used(s.node, s.round-1)
		for k, r := range s.inputs {
			used(int(c.graph.Neighbours(s.node)[k]), r)
		}
		if made != nil {
			made(f, s.node, s.round, slot[0])
		}
		if sees(s.node, s.round) {
			f.Observe(slot[0])
		}
		if uses[[2]int{s.node, s.round}] == 0 {
			f.Free(slot[0])
			delete(slots, [2]int{s.node, s.round})
		}
	}
	return f.Squares()
}

// unit is a multiple of the unit matrix, d × d by rows.
func unit(by float64, d int) []float64 {
	m := make([]float64, d*d)
	for k := range d {
		m[k*d+k] = by
	}
	return m
}

// times is a multiple of a vector.
func times(by float64, v []float64) []float64 {
	out := make([]float64, len(v))
	for k, x := range v {
		out[k] = by * x
	}
	return out
}

// shift is the difference of the constants of the node's round between the worlds, which must curve alike.
func (p *asked) shift(t int) (out [3][]float64, err error) {
	x, err := p.worlds[0].Round(t)
	if err != nil {
		return out, err
	}
	y, err := p.worlds[1].Round(t)
	if err != nil {
		return out, err
	}
	for o := range out {
		out[o] = make([]float64, len(x.Constant[o]))
		for k, v := range x.Constant[o] {
			out[o][k] = v - y.Constant[o][k]
		}
		for in, block := range x.Own[o] {
			for k, v := range block {
				if w := y.Own[o][in][k]; !(math.Abs(v-w) <= 1e-8*(1+math.Abs(v))) {
					return out, errors.New("the two rows curve the objective differently, so that the worlds differ " +
						"in more than the mean")
				}
			}
		}
	}
	return out, nil
}

// Two worlds that differ in what a claim protects: they are run, what is published in
// them is recorded, and the traces are weighed.

package evaluation

import (
	"context"
	"math"
	"slices"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/sim"
)

// twoWorlds are a run whose problem has in one part, a shard or a block of columns,
// either of two contents.
type twoWorlds struct {
	e        *experiment.Experiment
	part     int
	public   *model.Public
	assembly [2]*experiment.Assembly
}

// worlds makes two worlds of an assembly; change gives a copy of it the problem of a
// world.
func worlds(e *experiment.Experiment, a *experiment.Assembly, part int,
	change func(world int, own *experiment.Assembly)) (*twoWorlds, error) {
	w := &twoWorlds{e: e, part: part}
	for k := range w.assembly {
		own := *a
		change(k, &own)
		err := e.Equip(&own)
		if err != nil {
			return nil, err
		}
		if w.public, err = publicOfRun(e.Scenario, &own); err != nil {
			return nil, err
		}
		w.assembly[k] = &own
	}
	return w, nil
}

// play runs one world with the seed of its noise.
func (w *twoWorlds) play(ctx context.Context, world int, seed uint64) (*wire, error) {
	return w.playOf(ctx, w.assembly[world], seed)
}

// playOf runs an assembly.
func (w *twoWorlds) playOf(ctx context.Context, a *experiment.Assembly, seed uint64) (*wire, error) {
	c := newWire()
	own := *a
	own.Seed = seed
	_, err := w.e.Execute(ctx, &own, experiment.Execution{Observer: c, Packets: c.sent})
	return c, err
}

// weigher runs worlds, explains their packets and weighs their traces.
type weigher struct {
	*explainer
	likelihood interface {
		Weigh(v *adversary.View) ([]adversary.Evidence, error)
	}

	degenerate bool // the noise lies in a part of the space only, so that its law is not tested
}

func (w *weigher) run(ctx context.Context, r run) (*evidence, error) {
	c, err := w.play(ctx, r.world, r.seed)
	if err != nil {
		return nil, err
	}
	v := &evidence{reached: c.reached}
	if v.account, err = w.explain(ctx, c, r); err != nil {
		return nil, err
	}
	v.others, v.lied = w.explainer.noise, w.explainer.lied()
	if v.rounds, err = w.likelihood.Weigh(w.view); err != nil {
		if !v.account.explained() { // of what is not explained there is no likelihood, and need be none
			return v, nil
		}
		return nil, err
	}
	v.greatest = greatestOf(v.rounds)
	for i := range v.rounds {
		e := &v.rounds[i]
		if w.degenerate {
			e.Noise = nil
			continue
		}
		e.Noise = [][]float64{e.Noise[r.world]} // the other is of no use any more
	}
	w.exactly(v.rounds)
	return v, nil
}

// greatestOf is the sum of the squares of the greatest losses of rounds.
func greatestOf(rounds []adversary.Evidence) (squares float64) {
	for i := range rounds {
		g := greatest(&rounds[i])
		squares += float64(g * g)
	}
	return squares
}

// greatest is the greatest loss that a round's noise could make of what came before: of the Laplace law it is reached
// where the noise of one world is zero; of the Gaussian one it is by how many deviations the means differ.
func greatest(e *adversary.Evidence) float64 {
	if len(e.Noise) != 2 || e.Noise[0] == nil || e.Noise[1] == nil {
		return 0
	}
	apart := slices.Clone(e.Noise[0])
	num.Axpy(-1, e.Noise[1], apart)
	size := float64(num.Norm(apart) * e.Law.Level)
	if e.Law.Kind == model.Gaussian {
		size = num.Norm(apart) / e.Law.Level
	}
	volume := e.Ratio() - (e.Law.LogDensity(e.Noise[0]) - e.Law.LogDensity(e.Noise[1])) // of the Jacobians
	if math.IsNaN(volume) {
		return size
	}
	return size + math.Abs(volume)
}

// exactly puts noise of which every digit is known in the place of what is left of messages.
func (x *explainer) exactly(rounds []adversary.Evidence) {
	for i := range rounds {
		e := &rounds[i]
		if own, ok := x.own[e.Round]; ok && e.Noise != nil {
			e.Noise, e.Law = [][]float64{own.noise}, own.law
		}
	}
}

// drawAgain draws the noise that a node's stream holds for a round.
func (x *explainer) drawAgain(node, round int, law model.Noise, d int) []float64 {
	return drawFrom(x.stream(x.seed, "noise", uint64(node), uint64(round)), law, d)
}

// drawFrom is the first noise of a stream.
func drawFrom(s *sim.Stream, law model.Noise, d int) []float64 {
	drawn := make([]float64, d)
	if law.Kind == model.Gaussian {
		privacy.Gaussian(s, law.Level, drawn)
	} else {
		privacy.Laplace(s, law.Level, drawn)
	}
	return drawn
}

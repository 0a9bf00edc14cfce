// Two worlds that differ in what a claim protects: they are run, what is published in
// them is recorded, and the traces are weighed.

package evaluation

import (
	"context"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/record"
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
func (w *twoWorlds) play(ctx context.Context, world int, seed uint64) (*recorder, error) {
	c := &recorder{reports: map[int][]float64{}}
	own := *w.assembly[world]
	own.Seed = seed
	_, err := w.e.Execute(ctx, &own, experiment.Execution{Observer: c})
	return c, err
}

// recorder keeps what nodes publish.
type recorder struct {
	iterates []record.Iterate
	reports  map[int][]float64
	reached  algorithms.Reached // of a run over split columns
}

// Published keeps an iterate or a message.
func (c *recorder) Published(p *algorithms.Publication) {
	c.iterates = append(c.iterates, record.Iterate{Node: int32(p.Node), Round: int32(p.Round), TimeNS: int64(p.At),
		Values: p.Values})
}

// Concluded has nothing to keep: duals are not published.
func (c *recorder) Concluded(int, int, []float64) {}

// Reported keeps what a user reported.
func (c *recorder) Reported(user int, _ sim.Time, report []float64) { c.reports[user] = report }

// Ended keeps where the run went.
func (c *recorder) Ended(r *algorithms.ColumnRound) error {
	c.reached = r.Reached
	return nil
}

// weigher runs worlds and weighs their traces.
type weigher struct {
	*twoWorlds
	likelihood interface {
		Weigh(v *adversary.View) ([]adversary.Evidence, error)
	}

	// drawn is the noise that the node's stream holds for the round of the evidence.
	drawn func(seed uint64, world int, r *adversary.Evidence) []float64

	degenerate bool // the noise lies in a part of the space only, so that its law is not tested
}

func (w *weigher) run(ctx context.Context, world int, seed uint64) (*evidence, error) {
	c, err := w.play(ctx, world, seed)
	if err != nil {
		return nil, err
	}
	v := &evidence{reached: c.reached}
	if v.rounds, err = w.likelihood.Weigh(adversary.Overheard(w.public, nil, c.iterates)); err != nil {
		return nil, err
	}
	for i := range v.rounds {
		r := &v.rounds[i]
		v.redraw = max(v.redraw, offBy(r.Noise[world], w.drawn(seed, world, r), r.Scale))
		if w.degenerate {
			r.Noise = nil
			continue
		}
		r.Noise = [][]float64{r.Noise[world]} // the other is of no use any more
	}
	return v, nil
}

// drawAgain draws the noise that a node's stream holds for a round.
func drawAgain(seed uint64, node, round int, law model.Noise, d int) []float64 {
	drawn := make([]float64, d)
	s := sim.NewStream(seed, "noise", uint64(node), uint64(round))
	if law.Kind == model.Gaussian {
		privacy.Gaussian(s, law.Level, drawn)
	} else {
		privacy.Laplace(s, law.Level, drawn)
	}
	return drawn
}

// offBy is how far noise is from what was drawn: relative, but for a distance
// that solves to a tolerance, in a subproblem of that scale, leave of any noise.
func offBy(noise, drawn []float64, scale float64) float64 {
	difference := append([]float64(nil), noise...)
	num.Axpy(-1, drawn, difference)
	const floor = 1e-4
	return num.Norm(difference) / (num.Norm(drawn) + float64(floor*scale))
}

// What a whole run takes, where a part of it is refused.

package experiment

import (
	"context"
	"errors"
	"fmt"

	"overhear/algorithms"
	"overhear/internal/memory"
	"overhear/problem"
)

// withWhole adds to the refusal of a part what the whole run takes, so that who allows as much is not refused again by
// a later part. What cannot be foretold is not said.
func (e *Experiment) withWhole(ctx context.Context, seed uint64, err error) error {
	refused, known := new(memory.Refused), new(wholeRefused)
	if !errors.As(err, &refused) || errors.As(err, &known) {
		return err
	}
	whole, unknown := e.foretold(ctx, seed)
	if unknown != nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%w; the whole run would take about %s", err, memory.Enough(max(whole, refused.Bytes)))
}

// wholeRefused is the refusal of a whole run.
type wholeRefused struct{ error }

func (r *wholeRefused) Unwrap() error { return r.error }

// foretold is about how much memory the program takes for a run, without making it: never less than what any part of
// it is checked for.
func (e *Experiment) foretold(ctx context.Context, seed uint64) (float64, error) {
	x, err := e.Problem.Data.Extent(ctx, e.dataDir)
	if err != nil {
		return 0, err
	}
	z, err := e.network(seed)
	if err != nil {
		return 0, err
	}
	z.account = e.Entry != nil && e.Entry.Active != nil
	spec := &e.Problem
	prepared := x.Prepared(spec.Scale)
	const perRow = 2 // its class or target, and which it is
	read, made := x.Bytes(perRow), prepared.Bytes(perRow)
	ofTraining := spec.Scale.OfTraining(spec.Data)
	most := max(x.Reading, e.preparing(max(read, made)), perRound*z.rounds)

	z.rows = float64(problem.ForTraining(spec.Train, x.Rows))
	if !spec.Data.Generated() { // for other seeds
		if z.kept = made; ofTraining {
			z.kept = read
		}
	}
	if (e.Adversary != nil || spec.Columns != nil) && (ofTraining || spec.Data.Generated()) {
		z.kept += made
	}
	train, test := prepared.Share(z.rows), prepared.Share(float64(x.Rows)-z.rows)
	z.numbers = prepared.Columns * x.Models()
	if spec.Columns != nil {
		z.split = true
		copied := prepared.Bytes(0)
		if spec.Order == "file" && prepared.Full {
			copied = 0
		}
		z.columns = columnsTake(copied, spec.Columns)
	} else {
		z.data, z.pooled = made, train.PooledFootprint()
		each := train.Share(z.rows / z.parts)
		sparse := min(z.parts, prepared.Zeros()) // parts that have a zero; the others are full
		z.solvers = float64(sparse*each.Footprint()) + test.Bytes(perRow)
		if sparse < z.parts {
			each.Full = true
			z.solvers += float64((z.parts - sparse) * each.Share(z.rows/z.parts).Footprint())
		}
	}
	return max(most, memory.Resident(e.needs(z))), nil
}

// network has the sizes of the network, which is not made if it would not fit.
func (e *Experiment) network(seed uint64) (z sizes, err error) {
	z.rounds = float64(e.Rounds.Count)
	_, z.addressing = e.Algorithm.Params.(algorithms.Addressing)
	g, sites, err := e.Network.Lay(seed)
	refused := new(memory.Refused)
	switch {
	case err == nil:
		z.order, z.links, z.sites = float64(g.Order()), float64(g.Links()), sites
	case errors.As(err, &refused) && e.Network.Topology.Order() > 0:
		nodes := e.Network.Topology.Order()
		if z.sites, err = e.Network.Latency.Place(seed, nodes); err != nil {
			return z, err
		}
		z.order, z.links = float64(nodes), 2*e.Network.Topology.About(z.sites)
	default:
		return z, err
	}
	z.parts = z.order
	if e.Entry != nil && e.Entry.Star {
		z.parts--
	}
	return z, nil
}

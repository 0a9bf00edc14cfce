// Whole scenarios drawn from a seed: the method, the graph, the rounds, and what they need.

package fuzz

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/scenarios"
	"overhear/sim"
)

// Wild draws a scenario: any method, small generated data, any graph of a few nodes, rounds
// with and without barriers. It has neither faults nor losses yet, which [RunWild] draws.
func Wild(seed uint64) (*scenarios.Scenario, error) {
	s := sim.NewStream(seed, "wild")
	pick := func(all ...string) string { return all[s.IntN(len(all))] }
	entries := slices.DeleteFunc(algorithms.Entries(), elsewhere)
	entry := entries[s.IntN(len(entries))]
	nodes, dimension := 3+s.IntN(5), 2+s.IntN(2)
	rows := 8*nodes + s.IntN(20)
	columns := entry.Over == algorithms.Columns || entry.Over == algorithms.Either && s.IntN(2) == 0
	split := ""
	topology := pick("ring", "path", "complete", "star", "watts-strogatz", "erdos-renyi")
	switch {
	case columns:
		nodes = dimension + 1
		split = ", columns: [" + strings.TrimSuffix(strings.Repeat("1, ", dimension), ", ") + "], scale: {intercept: " +
			"false}"
		topology = "star"
	case entry.Star:
		topology = "star"
	}
	graph := fmt.Sprintf("kind: %s, nodes: %d", topology, nodes)
	switch topology {
	case "watts-strogatz":
		graph += fmt.Sprintf(", nearest: 2, rewire: %.2f", s.Between(0, 0.5))
	case "erdos-renyi":
		graph += ", probability: 0.8"
	}
	count := 3 + s.IntN(40)
	if s.IntN(10) == 0 {
		count = 300 // who converges does so by then
	}
	rounds := fmt.Sprintf("mode: synchronous, count: %d, retry: %dms", count, 20+s.IntN(200))
	switch {
	case !columns && s.IntN(2) == 0:
		rounds = fmt.Sprintf("mode: asynchronous, count: %d, quorum: %.2f, staleness: %d, timeout: %dms, retry: %dms",
			count, s.Between(0.1, 1), s.IntN(6), 10+s.IntN(200), 20+s.IntN(200))
	case !columns && !entry.Star && s.IntN(3) == 0:
		rounds += fmt.Sprintf(", missing: last, deadline: %dms", 100+s.IntN(1000))
	}
	method, network := "kind: "+entry.Name, "latency: 5ms"
	if s.IntN(4) == 0 && !columns {
		method += ", init: {normal: 0.1}"
	}
	if s.IntN(4) == 0 {
		network += ", bandwidth: 1Mbps"
	}
	loss := ""
	if own := sim.NewStream(seed, "wild loss"); entry.NonConvex && own.IntN(2) == 0 {
		loss = ", loss: " + []string{"sigmoid", "savage"}[own.IntN(2)]
		if own.IntN(2) == 0 {
			method += ", init: {normal: 3}"
		}
	}
	compute := fmt.Sprintf("row: %dus, jitter: %.2f", 1+s.IntN(100), s.Between(0, 1))
	ties := pick("ordered", "ordered", "ordered", "shuffled")
	own := sim.NewStream(seed, "wild compute")
	switch own.IntN(8) {
	case 0:
		compute += fmt.Sprintf(", law: {kind: lognormal, median: %dus, sigma: %.2f}", 1+own.IntN(5000),
			own.Between(0, 1))
	case 1:
		low := own.IntN(1000)
		compute += fmt.Sprintf(", law: {kind: uniform, low: %dus, high: %dus}", low, low+own.IntN(1000))
	case 2:
		compute += fmt.Sprintf(", measured: {values: [%dus, %dus, %dus]}", own.IntN(5000), own.IntN(5000),
			own.IntN(5000))
	}
	if own.IntN(4) == 0 {
		compute += fmt.Sprintf(", classes: {factors: {a: %.2f, b: 1}, placement: random}", own.Between(0.1, 10))
	}
	text := fmt.Sprintf(`name: wild-%s-%d
problem: {data: {set: twonorm, rows: %d, dimension: %d}, rho: 0.3%s%s}
network: {topology: {%s}, %s}
compute: {%s}
rounds: {%s}
algorithm: {%s}
seeds: {first: %d}
ties: %s
`, entry.Name, seed, rows, dimension, split, loss, graph, network, compute, rounds, method, seed, ties)
	silent := s.IntN(2) == 0
	if silent { // most methods with noise can do without
		if quiet, err := scenarios.Parse("wild", []byte(text), "algorithm.noise=off"); err == nil {
			return quiet, nil
		}
	}
	return scenarios.Parse("wild", []byte(text))
}

// elsewhere reports whether a method's steps are in a file of the user's, which no draw makes.
func elsewhere(e *algorithms.Entry) bool {
	_, ok := e.Params().(interface{ SourceFile() *string })
	return ok
}

// RunWild runs one seed each of scenarios that the seeds draw, otherwise as [Run] does. A
// drawn scenario that describes no run, such as a graph in pieces, counts as a run without
// trouble.
func RunWild(ctx context.Context, o Options) ([]Trouble, error) {
	return each(ctx, o, func(ctx context.Context, seed uint64) (*Trouble, error) {
		s, err := Wild(seed)
		if err != nil {
			return nil, fmt.Errorf("drawing the scenario of seed %d: %w", seed, err)
		}
		e := experiment.New(s, "")
		quiet, err := undisturbed(ctx, e, seed)
		var setup experiment.SetupError
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.As(err, &setup):
			return nil, nil
		case err != nil:
			return unfaulty(e, o, seed, err), nil
		}
		own := o
		own.unsettled = !quiet.settled(ctx, o.Distance)
		return try(ctx, e, own, seed, quiet.span())
	})
}

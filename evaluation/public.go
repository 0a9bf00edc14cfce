// What an adversary knows of a run without overhearing anything, from its
// scenario alone.

package evaluation

import (
	"fmt"

	"overhear/adversary"
	"overhear/algorithms"
	"overhear/parameter"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// publicOf is what may be known of a seed's run in so many columns and, where
// columns are split, rows: every parameter.
func publicOf(s *scenarios.Scenario, seed uint64, columns, rows int, params any) (*adversary.Public, error) {
	entry, ok := algorithms.Lookup(s.Algorithm.Kind)
	if !ok {
		return nil, fmt.Errorf("no algorithm is called %q", s.Algorithm.Kind)
	}
	graph, err := s.Network.Topology.Build(sim.NewStream(seed, "topology"))
	if err != nil {
		return nil, fmt.Errorf("building network.topology: %w", err)
	}
	p := &adversary.Public{
		Method: entry.Name, Graph: graph, D: columns, Rounds: s.Rounds.Count,
		Loss: s.Problem.Loss.Loss(), C: s.Problem.C, R: make([]float64, graph.Order()),
		Star: entry.Star, Start: s.Algorithm.Init.Normal == 0, Lockstep: lockstep(s),
		Barrier: s.Rounds.Mode == "synchronous", Faulty: s.Network.Faults != nil,
		Pace:      adversary.Pace{Quorum: s.Rounds.Quorum, Staleness: s.Rounds.Staleness, Timeout: s.Rounds.Timeout},
		Schedules: map[string]adversary.Schedule{}, Numbers: map[string]float64{}, Words: map[string]string{},
		Hidden: map[string]bool{},
	}
	withData := graph.Order()
	if entry.Star {
		withData--
	}
	for i := range p.R {
		p.R[i] = s.Problem.Rho
		if s.Problem.Share == "per-network" {
			p.R[i] /= float64(withData)
		}
	}
	parameters(params, p)
	if s.Problem.Columns != nil {
		p.Rows, p.Widths, p.Ridge = rows, s.Problem.Columns, s.Problem.Rho
		p.Weight = 1
		if p.Words["loss"] == "mean" {
			p.Weight = 1 / float64(rows)
		}
	}
	return p, nil
}

// lockstep says whether an update uses its neighbours' values of the round before,
// whatever happens on the network.
func lockstep(s *scenarios.Scenario) bool {
	return s.Rounds.Mode == "synchronous" && (s.Rounds.Missing == algorithms.MissingStop || !s.Network.Lossy())
}

// parameters enters a method's parameters by key.
func parameters(params any, p *adversary.Public) {
	for key, value := range scenarios.Parameters(params) {
		switch x := value.(type) {
		case parameter.Schedule:
			p.Schedules[key] = &x
		case float64:
			p.Numbers[key] = x
		case int:
			p.Numbers[key] = float64(x)
		case string:
			p.Words[key] = x
		}
	}
}

// hide marks what each node keeps to itself. In M-ADMM, MR-ADMM and their private
// forms the penalty is the node's own (ZKL18 §3, RA19 §V).
func hide(k *scenarios.Knows, p *adversary.Public) {
	private := k.Penalties == "private"
	if k.Penalties == "method" {
		switch p.Method {
		case "m-admm", "penalty-perturbation", "mr-admm", "private-mr-admm":
			private = true
		}
	}
	if private {
		p.Hide("eta", "step")
	}
	if k.DualSteps == "private" {
		p.Hide("theta")
	}
}

// played are the parameters that a recorded run's method had.
func played(s *scenarios.Scenario, info *record.Info) (any, error) {
	if info.Privacy == nil || info.Privacy.Chosen == nil {
		return s.Algorithm.Params, nil
	}
	entry, ok := algorithms.Lookup(s.Algorithm.Kind)
	if !ok {
		return nil, fmt.Errorf("no algorithm is called %q", s.Algorithm.Kind)
	}
	params := entry.Params()
	return params, scenarios.ParseParameters("run.json", info.Privacy.Chosen.Parameters, params)
}

// watched is what the observer sees of a run.
func watched(w scenarios.Watching) adversary.Watch {
	return adversary.Watch{Links: w.Links, Nodes: w.Nodes, From: w.From, Miss: w.Miss}
}

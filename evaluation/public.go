// What an adversary knows of a run without overhearing anything, from its
// scenario alone.

package evaluation

import (
	"fmt"
	"math"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/parameter"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// publicOf is what may be known of a seed's run in so many columns, with as many models as it has several classes
// and, where columns are split, of so many rows: every parameter.
func publicOf(s *scenarios.Scenario, seed uint64, columns, classes, rows int, params any) (*model.Public, error) {
	entry, ok := algorithms.Lookup(s.Algorithm.Kind)
	if !ok {
		return nil, fmt.Errorf("no algorithm is called %q", s.Algorithm.Kind)
	}
	for _, key := range []string{"algorithm", "rounds", "compute"} {
		if s.Alters(key) {
			return nil, experiment.SetupError{Err: fmt.Errorf("%s changes while the run goes (changes): what is known "+
				"of a method and its rounds is known of a run that keeps them", key)}
		}
	}
	graph, _, err := s.Network.Lay(seed)
	if err != nil {
		return nil, err
	}
	targets := s.Problem.Data.HasTargets()
	run := model.Run{
		Graph: graph, D: columns * max(1, classes), Rounds: s.Rounds.Count,
		Loss: s.Problem.Loss.Loss(targets, classes), Targets: targets, Classes: classes, C: s.Problem.C,
		R: make([]float64, graph.Order()), Tolerance: s.Solver.Tolerance, Hub: entry.Star,
		Zero: s.Algorithm.Init.Normal == 0,
		Timing: model.Timing{
			Lockstep: lockstep(s), Barrier: s.Rounds.Mode == "synchronous", Faulty: !s.Faults().Quiet(),
			Shuffled: s.Ties == "shuffled",
			Deadline: s.Rounds.Deadline, Unasked: unasked(s),
			Trigger: parameter.Trigger{Quorum: s.Rounds.Quorum, Staleness: s.Rounds.Staleness,
				Timeout: s.Rounds.Timeout},
		},
	}
	withData := graph.Order()
	if entry.Star {
		withData--
	}
	for i := range run.R {
		run.R[i] = s.Problem.Ridge(withData)
	}
	run.NonSmooth = s.Problem.NonSmooth(withData)
	if s.Problem.Columns != nil {
		run.Rows, run.Widths, run.Ridge = rows, s.Problem.Columns, s.Problem.Rho
	}
	return model.New(entry.Name, params, run)
}

// publicOfRun is what may be known of an assembled run.
func publicOfRun(s *scenarios.Scenario, a *experiment.Assembly) (*model.Public, error) {
	rows, classes := 0, 0
	if a.Split != nil {
		rows = a.Split.N
	} else {
		classes = a.Problem.K
	}
	return publicOf(s, a.Seed, a.Columns(), classes, rows, a.Params)
}

// lockstep says whether an update uses its neighbours' values of the round before,
// whatever happens on the network.
func lockstep(s *scenarios.Scenario) bool {
	return s.Rounds.Mode == "synchronous" && (s.Rounds.Missing == algorithms.MissingStop || !s.EverLossy())
}

// unasked is how long no node asks again for a value that does not come, unless it has lost its memory.
func unasked(s *scenarios.Scenario) sim.Duration {
	r := &s.Rounds
	wait, never := r.Retry, !s.EverLossy()
	if r.Mode == "asynchronous" && r.Timeout > 0 {
		wait, never = r.Timeout, r.Staleness == 0
	}
	if never {
		return math.MaxInt64
	}
	return min(wait, r.Deadline/4)
}

// secrets are what each node keeps to itself: as the scenario has it, or the method's
// paper.
func secrets(k *scenarios.Knows, method string) (all []model.Secret) {
	switch entry, _ := model.Lookup(method); k.Penalties {
	case "private":
		all = append(all, model.Penalty)
	case "method":
		if entry != nil {
			all = append(all, entry.Keeps...)
		}
	}
	if k.DualSteps == "private" {
		all = append(all, model.DualStep)
	}
	return all
}

// played are the parameters that a recorded run's method had.
func played(s *scenarios.Scenario, info *record.Info) (any, error) {
	if info.Parameters == "" { // recorded before they were kept
		return s.Algorithm.Params, nil
	}
	entry, ok := algorithms.Lookup(s.Algorithm.Kind)
	if !ok {
		return nil, fmt.Errorf("no algorithm is called %q", s.Algorithm.Kind)
	}
	params := entry.Params()
	return params, scenarios.ParseParameters("run.json", info.Parameters, params)
}

// unaltered is an error for runs in which something changes while they go, by what is to be done with them.
func unaltered(e *experiment.Experiment, what string) error {
	if e.Changes == nil {
		return nil
	}
	return experiment.SetupError{Err: fmt.Errorf("%s is of runs in which nothing changes while they go, and this "+
		"scenario says what does (changes)", what)}
}

// vantage is where the observer is placed.
func vantage(w scenarios.Watching) adversary.Vantage {
	return adversary.Vantage{Links: w.Links, Nodes: w.Nodes, From: w.From, Miss: w.Miss}
}

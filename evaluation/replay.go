// What a recorded run did, worked out again from its record, for whoever looks at it: which values entered which
// updates, and the loss of every value on the rows of its node.

package evaluation

import (
	"errors"
	"fmt"
	"path/filepath"

	"overhear/adversary"
	"overhear/experiment"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// Inputs tells which rounds of the neighbours' values entered a node's update of a round, by position of the
// neighbour; −1 is the neighbour's start, which is public. The error says why it cannot be told.
type Inputs func(node, round int) ([]int, error)

// InputsOf reads which values entered the updates of a recorded run: by the rule by which its nodes went on, which is
// carried out again on the record of its packets and steps.
func InputsOf(r *record.Run) (Inputs, error) {
	s, err := scenarioOf(r)
	if err != nil {
		return nil, err
	}
	if s.Problem.Columns != nil {
		return nil, errors.New("columns are split: every round, the hub takes what all parties have sent, and they " +
			"take what it sends")
	}
	params, err := played(s, r.Info)
	if err != nil {
		return nil, err
	}
	public, err := publicOf(s, r.Info.Seed, r.Info.Columns, len(r.Info.Classes), 0, params)
	if err != nil {
		return nil, err
	}
	if public.Timing.Lockstep {
		return adversary.Overheard(public, nil, nil).Inputs, nil
	}
	messages, err := readMessages(r)
	if err != nil {
		return nil, err
	}
	took := map[[2]int]sim.Duration{}
	err = r.Steps(func(s record.Step) error {
		took[[2]int{int(s.Node), int(s.Round)}] = sim.Duration(s.EndedNS - s.BeganNS)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(took) == 0 {
		return nil, fmt.Errorf("%s has no steps, which tell when updates began", r.Dir)
	}
	return adversary.Attested(public, nil, messages, func(node, round int) sim.Duration {
		return took[[2]int{node, round}]
	}).Inputs, nil
}

// readMessages reads all packets of a run.
func readMessages(r *record.Run) (all []record.Message, err error) {
	err = r.Messages(func(m record.Message) error { all = append(all, m); return nil })
	return all, err
}

// scenarioOf is the scenario of a recorded run, with changes to it.
func scenarioOf(r *record.Run, sets ...string) (*scenarios.Scenario, error) {
	return scenarios.Parse(filepath.Join(r.Dir, "run.json"), []byte(r.Info.Scenario), sets...)
}

// Losses tells the mean loss of a model on the training rows of a node; false of a node without rows.
type Losses func(node int, f []float64) (float64, bool)

// LossesOf makes the losses of a run's nodes from its data. The error says why they are not at hand, or not those of
// the run.
func LossesOf(r *record.Run, dataDir string) (Losses, error) {
	s, err := scenarioOf(r)
	if err != nil {
		return nil, err
	}
	if s.Problem.Columns != nil {
		return nil, errors.New("columns are split: no node has a model of its own")
	}
	e := experiment.New(s, dataDir)
	a, err := e.Assemble(r.Info.Seed)
	if err == nil {
		err = unlike(e, r)
	}
	if err != nil {
		return nil, err
	}
	solvers, scratch := make([]*problem.Solver, len(a.Problem.Shards)), a.Problem.NewScratch()
	return func(node int, f []float64) (float64, bool) {
		k := node - a.First()
		if k < 0 || k >= len(solvers) || len(f) != a.Problem.D {
			return 0, false
		}
		if solvers[k] == nil {
			o := a.Problem.Objective(k)
			o.Ridge, o.NonSmooth = 0, nil
			solvers[k] = problem.NewSolver(o, 0)
		}
		return solvers[k].DataLossAt(scratch, f) / a.Problem.C, true
	}, nil
}

// From a scenario and a seed to a run that is ready to go: data, graph,
// problem, method.

package scenarios

import (
	"fmt"
	"sync"

	"overhear/algorithms"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// Experiment is a scenario whose data are at hand. Seeds share what does not
// depend on them.
type Experiment struct {
	*Scenario
	dataDir string

	once sync.Once
	set  *problem.Set // prepared, if the same for every seed
	err  error
}

// NewExperiment prepares to run a scenario; data directories are searched as
// problem.Source says, starting with dataDir unless it is empty.
func NewExperiment(s *Scenario, dataDir string) *Experiment {
	return &Experiment{Scenario: s, dataDir: dataDir}
}

// Assembly is everything of one seed's run, before it starts.
type Assembly struct {
	Seed     uint64
	Graph    *sim.Graph
	Set      *problem.Set      // prepared
	Problem  *problem.Problem  // nil where columns are split
	Split    *problem.Vertical // nil where they are not
	Method   algorithms.Method
	Parties  algorithms.SplitMethod // where columns are split
	Account  *Account               // nil: the method claims no privacy
	Warnings []string
}

// SetupError is a scenario that is well formed and yet describes no run: its
// graph is in pieces, its data are damaged, there are more nodes than rows.
type SetupError struct{ error }

// Unwrap returns the cause.
func (e SetupError) Unwrap() error { return e.error }

// data returns the prepared set: read once from files, drawn anew for each seed
// by generators.
func (e *Experiment) data(seed uint64) (*problem.Set, error) {
	load := func() (*problem.Set, error) {
		set, err := e.Problem.Data.Load(e.dataDir, sim.NewStream(seed, "data"))
		if err != nil {
			return nil, err
		}
		return e.Problem.Scale.Apply(set), nil
	}
	if e.Problem.Data.Generated() {
		return load()
	}
	e.once.Do(func() { e.set, e.err = load() })
	return e.set, e.err
}

// Assemble builds the run of one seed; the error is a SetupError. What is random draws from streams of the
// seed, one a purpose, so that changing one part leaves the others alone.
func (e *Experiment) Assemble(seed uint64) (*Assembly, error) {
	a, err := e.assemble(seed)
	if err != nil {
		return nil, SetupError{err}
	}
	return a, nil
}

func (e *Experiment) assemble(seed uint64) (*Assembly, error) {
	a := &Assembly{Seed: seed}
	var err error
	if a.Graph, err = e.Network.Topology.Build(sim.NewStream(seed, "topology")); err != nil {
		return nil, fmt.Errorf("building network.topology: %w", err)
	}
	if a.Set, err = e.data(seed); err != nil {
		return nil, fmt.Errorf("loading problem.data: %w", err)
	}
	entry, ok := algorithms.Lookup(e.Algorithm.Kind)
	if !ok {
		return nil, fmt.Errorf("no algorithm is called %q", e.Algorithm.Kind)
	}
	if e.Problem.Columns != nil {
		return a, e.assembleSplit(a, entry)
	}
	if entry.New == nil {
		return nil, fmt.Errorf("algorithm %s is for split columns: problem.columns says how many each party holds", entry.Name)
	}
	withData := a.Graph.Order()
	if entry.Star {
		if err := algorithms.CheckStar(a.Graph); err != nil {
			return nil, fmt.Errorf("algorithm %s: %w", entry.Name, err)
		}
		withData--
	}
	if a.Problem, err = e.split(a.Set, withData, seed); err != nil {
		return nil, fmt.Errorf("building the problem: %w", err)
	}
	params := e.Algorithm.Params
	var chosen *record.Chosen
	if e.Privacy.Epsilon > 0 {
		if params, chosen, err = e.Privacy.choose(entry, params, e.setting(a)); err != nil {
			return nil, fmt.Errorf("privacy: %w", err)
		}
	}
	if a.Method, err = entry.New(params, e.setting(a)); err != nil {
		return nil, fmt.Errorf("making algorithm %s: %w", entry.Name, err)
	}
	if c, ok := a.Method.(algorithms.Cautious); ok {
		a.Warnings = append(a.Warnings, c.Warnings()...)
	}
	if p, ok := a.Method.(algorithms.Private); ok {
		a.Account = e.Privacy.account(p, e.Rounds.Count)
		a.Account.Chosen = chosen
		a.Warnings = append(a.Warnings, a.Account.warnings()...)
	}
	return a, nil
}

func (e *Experiment) setting(a *Assembly) algorithms.Setting {
	return algorithms.Setting{Problem: a.Problem, Graph: a.Graph, Rounds: e.Rounds.Count}
}

// problem splits a prepared set over the nodes.
func (e *Experiment) split(set *problem.Set, nodes int, seed uint64) (*problem.Problem, error) {
	spec := &e.Problem
	train, test, err := problem.TrainTest(set, spec.Train, spec.Order, sim.NewStream(seed, "order"))
	if err != nil {
		return nil, err
	}
	shards, err := spec.Partition.Split(set, train, nodes, sim.NewStream(seed, "partition"))
	if err != nil {
		return nil, err
	}
	r := spec.Rho
	if spec.Share == "per-network" {
		r /= float64(nodes)
	}
	p := &problem.Problem{
		D: set.X.D, Loss: spec.Loss.Loss(), C: spec.C,
		Shards: shards, R: make([]float64, nodes), Test: problem.NewShard(set, test),
	}
	for i := range p.R {
		p.R[i] = r
	}
	return p, nil
}

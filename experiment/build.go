// From a scenario and a seed to a run that is ready to go: data, graph,
// problem, method.

package experiment

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"overhear/adversary/acts"
	"overhear/algorithms"
	"overhear/internal/memory"
	"overhear/internal/stage"
	"overhear/metrics"
	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// Experiment is a scenario whose data are at hand. Seeds share what does not
// depend on them.
type Experiment struct {
	*scenarios.Scenario

	// Entry makes the method. New takes the registered one of the
	// scenario's algorithm.kind; who tries another implementation of that method
	// sets it before the first run.
	Entry *algorithms.Entry

	dataDir string

	shares *Experiment // whose data this one's are; nil: they are its own
	mu     sync.Mutex
	loaded bool
	set    *problem.Set // if the same for every seed; prepared, if that is the same too
	err    error

	spent atomic.Int64             // nanoseconds on what runs share, which no run counts as its own yet
	ready atomic.Pointer[Assembly] // of the first seed, if it was made before its run

	recordsOnce sync.Once // to say how much room they take

	sumsOnce sync.Once
	sums     map[string]string // of files, as record.Inputs has them
	sumsErr  error
}

// New prepares to run a scenario; data directories are searched as
// problem.Source says, starting with dataDir unless it is empty.
func New(s *scenarios.Scenario, dataDir string) *Experiment {
	entry, _ := algorithms.Lookup(s.Algorithm.Kind)
	return &Experiment{Scenario: s, Entry: entry, dataDir: dataDir}
}

// Assembly is everything of one seed's run, before it starts.
type Assembly struct {
	algorithms.Setting              // graph, problem, rounds and the seed of all that nodes and network draw
	Sites              *sim.Placed  // where nodes are; nil: their latency is not one between sites
	Set                *problem.Set // prepared; without its rows if nodes have them and no adversary wants more
	Params             any          // of the method, with the noise that was chosen for a target
	Method             algorithms.Method
	Later              []Later               // what takes their place, a change of the scenario each
	Computed           []algorithms.Computed // parameters of it that the scenario left to the program
	Account            *Account              // nil: the method claims no privacy
	Warnings           []string
	Elsewhere          bool          // the limit is not the optimum
	Liars              *acts.Company // nil: all nodes are honest
}

// SetupError is a scenario that is well formed and yet describes no run: its
// graph is in pieces, its data are damaged, there are more nodes than rows.
type SetupError struct{ Err error }

func (e SetupError) Error() string { return e.Err.Error() }

func (e SetupError) Unwrap() error { return e.Err }

// data returns the set: read once from files, drawn anew for each seed by generators. It is prepared unless that
// depends on which rows are for training.
func (e *Experiment) data(ctx context.Context, seed uint64) (*problem.Set, error) {
	if e.shares != nil {
		return e.shares.data(ctx, seed)
	}
	load := func() (*problem.Set, error) {
		set, err := e.Problem.Data.Load(ctx, e.dataDir, sim.NewStream(seed, "data"))
		if err != nil {
			return nil, err
		}
		if err := e.unchanged("problem."); err != nil {
			return nil, err
		}
		if e.Problem.Repeated == "drop" {
			set = set.Distinct()
		}
		if e.Problem.Scale.OfTraining(e.Problem.Data) {
			return set, nil
		}
		if err := stage.At(ctx, scaling, 0, 0); err != nil {
			return nil, err
		}
		if err := e.preparedFits(set); err != nil {
			return nil, err
		}
		set = e.Problem.Scale.InPlace(set, nil)
		e.Problem.Scale.Parties(set, e.Problem.Columns)
		return set, nil
	}
	if e.Problem.Data.Generated() {
		return load()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.loaded {
		set, err := load()
		if err != nil && ctx.Err() != nil {
			return nil, err // of who was interrupted, and of nobody else
		}
		e.set, e.err, e.loaded = set, err, true
	}
	return e.set, e.err
}

// scaling is what is being done when rows are prepared.
const scaling = "scaling the rows"

// HasData says why the data of a seed's run cannot be read, nil if they can.
func (e *Experiment) HasData(ctx context.Context, seed uint64) error {
	_, err := e.data(ctx, seed)
	return err
}

// prepared returns the prepared set and its rows for training and for the test.
func (e *Experiment) prepared(ctx context.Context, seed uint64) (set *problem.Set, train, test []int, err error) {
	if set, err = e.data(ctx, seed); err != nil {
		return nil, nil, nil, fmt.Errorf("loading problem.data: %w", err)
	}
	spec := &e.Problem
	train, test, err = problem.TrainTest(set, spec.Train, spec.Order, sim.NewStream(seed, "order"))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("building the problem: %w", err)
	}
	if spec.Scale.OfTraining(spec.Data) {
		if err := stage.At(ctx, scaling, 0, 0); err != nil {
			return nil, nil, nil, err
		}
		if err := e.preparedFits(set); err != nil {
			return nil, nil, nil, err
		}
		set = spec.Scale.Apply(set, train)
		spec.Scale.Parties(set, spec.Columns)
	}
	return set, train, test, nil
}

// Divisors are what the columns of a seed's data are divided by when they are prepared, without the intercept.
func (e *Experiment) Divisors(ctx context.Context, seed uint64) ([]float64, error) {
	set, err := e.Problem.Data.Load(ctx, e.dataDir, sim.NewStream(seed, "data"))
	if err != nil {
		return nil, fmt.Errorf("loading problem.data: %w", err)
	}
	if e.Problem.Repeated == "drop" {
		set = set.Distinct()
	}
	if !e.Problem.Scale.OfTraining(e.Problem.Data) {
		return e.Problem.Scale.Divisors(set, nil), nil
	}
	train, _, err := problem.TrainTest(set, e.Problem.Train, e.Problem.Order, sim.NewStream(seed, "order"))
	if err != nil {
		return nil, fmt.Errorf("building the problem: %w", err)
	}
	return e.Problem.Scale.Divisors(set, train), nil
}

// Assemble builds the run of one seed; the error is a SetupError. What is random draws from streams of the
// seed, one a purpose, so that changing one part leaves the others alone. If ctx is done the error is its cause.
func (e *Experiment) Assemble(ctx context.Context, seed uint64) (*Assembly, error) {
	a, err := stage.Do(ctx, func() (*Assembly, error) {
		a, err := e.assemble(ctx, seed)
		if err != nil {
			return nil, SetupError{e.withWhole(ctx, seed, err)}
		}
		return a, nil
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return a, err
}

func (e *Experiment) assemble(ctx context.Context, seed uint64) (*Assembly, error) {
	a := &Assembly{Setting: algorithms.Setting{Rounds: e.Rounds.Count, Seed: seed}}
	var err error
	// Before anything is made.
	if err := memory.Check(fmt.Sprintf("measuring %d rounds (rounds.count)", e.Rounds.Count),
		perRound*float64(e.Rounds.Count)); err != nil {
		return nil, err
	}
	if _, err = e.fileSums(); err != nil { // before the files are read
		return nil, err
	}
	if a.Graph, a.Sites, err = e.Network.Lay(seed); err != nil {
		return nil, err
	}
	if err := e.unchanged("network."); err != nil {
		return nil, fmt.Errorf("building network: %w", err)
	}
	if err := e.CheckGraph(a.Graph); err != nil {
		return nil, err
	}
	memory.Expect(perNode * float64(a.Graph.Order())) // before the rows, which are no less
	var train, test []int
	if a.Set, train, test, err = e.prepared(ctx, seed); err != nil {
		return nil, err
	}
	if e.Entry == nil {
		return nil, fmt.Errorf("no algorithm is called %q", e.Algorithm.Kind)
	}
	if err := e.Entry.Suits(e.Problem.Columns != nil); err != nil {
		return nil, err
	}
	if err := e.Entry.Allows(e.Problem.NonSmooth(1)); err != nil {
		return nil, err
	}
	if err := stage.At(ctx, "giving the nodes their data", 0, 0); err != nil {
		return nil, err
	}
	memory.Room(a.Set.Bytes())
	if e.Problem.Columns != nil {
		err = e.splitColumns(a, train, test)
	} else {
		err = e.splitRows(a, train, test)
	}
	if err != nil {
		return nil, err
	}
	if e.Problem.Rho == 0 {
		if err := a.single(); err != nil {
			return nil, fmt.Errorf("problem.rho: 0: %w", err)
		}
	}
	if a.Split == nil && e.Adversary == nil { // the nodes' copy is enough
		described := *a.Set
		described.X, described.Y, described.Targets, described.Class = problem.NewRows(described.X.D), nil, nil, nil
		a.Set = &described
	}
	if a.Problem != nil {
		if a.Liars, err = acts.New(e.Acts(), a.Graph, a.Problem); err != nil {
			return nil, err
		}
	}
	if err := e.accountFits(a); err != nil {
		return nil, err
	}
	if err := e.pace(a); err != nil {
		return nil, err
	}
	if err := stage.At(ctx, "making the method", 0, 0); err != nil {
		return nil, err
	}
	if err := e.Equip(a); err != nil {
		return nil, err
	}
	if err := e.fits(a); err != nil {
		return nil, err
	}
	_, err = e.protocol(a, Execution{}, nil) // says what the method and the rounds do not go with
	return a, err
}

// Equip makes the method of an assembly and its account, for the seed and the
// problem that the assembly has: to run a copy whose Problem or Split is another,
// equip the copy. A method over split columns keeps room for one run at a time, so
// that runs at the same time need copies, each of them equipped.
func (e *Experiment) Equip(a *Assembly) error {
	a.Account, a.Warnings, a.Elsewhere = nil, nil, false
	a.Target = algorithms.Target{}
	if e.Privacy.Epsilon != nil {
		a.Target = algorithms.Target{Epsilon: *e.Privacy.Epsilon, Delta: e.Privacy.Delta,
			EachRound: e.Privacy.Over == "round"}
	}
	a.Params, a.Computed = algorithms.Settle(e.Algorithm.Params, a.Setting)
	var chosen *record.Chosen
	var err error
	if e.Privacy.Epsilon != nil {
		if a.Params, chosen, err = choose(&e.Privacy, e.Entry, a.Params, a.Setting, e.Solver.Tolerance); err != nil {
			return fmt.Errorf("privacy: %w", err)
		}
		if e.Privacy.ByCertificate() && a.Computed != nil {
			if a.Params, chosen, err = e.afresh(a); err != nil {
				return fmt.Errorf("privacy: %w", err)
			}
		}
	}
	if a.Method, err = e.Entry.New(a.Params, a.Setting); err != nil {
		return fmt.Errorf("making algorithm %s: %w", e.Entry.Name, err)
	}
	if err := e.equipLater(a); err != nil {
		return err
	}
	for _, m := range a.methods() {
		if c, ok := m.(algorithms.Cautious); ok {
			for _, text := range c.Warnings() {
				if !slices.Contains(a.Warnings, text) {
					a.Warnings = append(a.Warnings, text)
				}
			}
		}
		if d, ok := m.(algorithms.Displaced); ok {
			a.Elsewhere = a.Elsewhere || d.Displaced()
		}
	}
	if _, ok := a.Method.(algorithms.NodeDual); ok {
		others := e.otherLimits()
		a.Elsewhere = a.Elsewhere || others != nil
		a.Warnings = append(a.Warnings, others...)
	}
	if p, ok := a.Method.(algorithms.Private); ok {
		a.Account = newAccount(&e.Privacy, p, a.Setting, e.Solver.Tolerance)
		a.Account.distrust(e.trusting(a))
		a.Account.distrust(a.altered())
		var reading *problem.Reading
		if a.Set != nil {
			reading = a.Set.Reading
		}
		a.Account.Chosen, a.Account.given = chosen, append(e.given(), ofFile(&e.Problem.Data, reading)...)
		if r, ok := a.Method.(algorithms.Registering); ok {
			a.Account.Labels = labelBudgets(r, a.Problem.Shards)
		}
		a.Warnings = append(a.Warnings, a.Account.warnings()...)
	}
	return nil
}

// afresh computes the parameters that were left to the program again, for the noise that a certificate allows: what an
// account claims of that noise is more than the certificate, and formulas for parameters are in terms of claims.
func (e *Experiment) afresh(a *Assembly) (any, *record.Chosen, error) {
	m, err := e.Entry.New(a.Params, a.Setting)
	if err != nil {
		return nil, nil, err
	}
	l := new(privacy.Ledger)
	m.(algorithms.Private).Account(l)
	if claim := l.Bound(privacy.Sample, a.Rounds, a.Target.Delta)[a.Rounds]; claim > a.Target.Epsilon {
		a.Target.Certified, a.Target.Epsilon = a.Target.Epsilon, claim
	}
	a.Params, a.Computed = algorithms.Settle(e.Algorithm.Params, a.Setting)
	return choose(&e.Privacy, e.Entry, a.Params, a.Setting, e.Solver.Tolerance)
}

// otherwise is what comes of duals that are not what they should be.
const otherwise = "the duals of the nodes then do not sum to zero, and the limit is not the optimum; edge states do " +
	"not have this (algorithm.kind: edge-admm), nor have gradient steps"

// forgotten says that a crash has cost a dual, if it has: one that has not begun to move is zero, and again so after.
func (o *outcome) forgotten(last *metrics.Row) []string {
	const nothing = 1e-9
	_, duals := o.Method.(algorithms.NodeDual)
	if !duals || !o.Activity.Forgets() || last.DualSum <= nothing {
		return nil
	}
	return []string{"a node that crashes loses its dual (memory: lost): " + otherwise}
}

// otherLimits say where the scenario keeps one dual a node from summing to zero, so that
// the nodes end elsewhere than at the optimum.
func (e *Experiment) otherLimits() (all []string) {
	if e.Rounds.Mode == "asynchronous" {
		all = append(all, "nodes step with values of different rounds (rounds.mode: asynchronous): "+otherwise)
	}
	if e.Rounds.Mode == "synchronous" && e.Rounds.Missing == algorithms.MissingLast && e.EverLossy() {
		all = append(all, "nodes may go on with values of earlier rounds (rounds.missing: last): "+otherwise)
	}
	return all
}

// splitRows gives each node that holds data its rows.
func (e *Experiment) splitRows(a *Assembly, train, test []int) error {
	withData := a.Graph.Order()
	if e.Entry.Star {
		withData--
	}
	if err := e.CheckRows(withData, len(train)); err != nil {
		return err
	}
	var err error
	if a.Problem, err = e.split(a.Set, train, test, withData, a.Seed); err != nil {
		return fmt.Errorf("building the problem: %w", err)
	}
	return nil
}

// split gives the nodes the training rows of a prepared set.
func (e *Experiment) split(set *problem.Set, train, test []int, nodes int, seed uint64) (*problem.Problem, error) {
	spec := &e.Problem
	shards, err := spec.Partition.Split(set, train, nodes, sim.NewStream(seed, "partition"))
	if err != nil {
		return nil, err
	}
	k := len(set.Classes)
	loss := spec.Loss.Loss(spec.Data.HasTargets(), k)
	if err := problem.Examine(loss); err != nil {
		return nil, err
	}
	p := &problem.Problem{
		D: set.X.D * max(1, k), K: k, Loss: loss,
		C: spec.C, NonSmooth: spec.NonSmooth(nodes),
		Shards: shards, R: make([]float64, nodes), Test: problem.NewShard(set, test), Unit: set.Unit,
	}
	for i := range p.R {
		p.R[i] = spec.Ridge(nodes)
	}
	return p, nil
}

// SameData says whether another scenario loads the same data set, prepared in the same way, whatever the seed.
func (e *Experiment) SameData(s *scenarios.Scenario) bool {
	return !s.Problem.Data.Generated() && reflect.DeepEqual(s.Problem.Data, e.Problem.Data) &&
		s.Problem.Scale == e.Problem.Scale && s.Problem.Repeated == e.Problem.Repeated &&
		(s.Problem.Scale.Rows != "unit-per-party" || slices.Equal(s.Problem.Columns, e.Problem.Columns))
}

// On prepares to run another scenario, on this experiment's data if they are the
// same, with its implementation of the method if the method is the same.
func (e *Experiment) On(s *scenarios.Scenario) *Experiment {
	n := New(s, e.dataDir)
	if s.Algorithm.Kind == e.Algorithm.Kind {
		n.Entry = e.Entry
	}
	if e.SameData(s) {
		n.shares = e
	}
	return n
}

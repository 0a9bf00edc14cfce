// The worst pair and the worst data: a search for the rows, labels, graph and lies of which an audit measures most
// (docs/mathematics.md §5.15).

package evaluation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"overhear/adversary"
	"overhear/adversary/acts"
	"overhear/adversary/model"
	"overhear/experiment"
	"overhear/internal/guard"
	"overhear/internal/memory"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// What a search may change.
const (
	overPair     = "pair"
	overLabels   = "labels"
	overRows     = "rows"
	overGraph    = "graph"
	overMessages = "messages"
)

// Searchable is what a search may change.
func Searchable() []string { return []string{overPair, overLabels, overRows, overGraph, overMessages} }

// SearchOptions say how the worst pair and data are searched for.
type SearchOptions struct {
	Evaluations int      // how many candidates are tried
	Over        []string // of Searchable; none: all that there is in the scenario
	Workers     int      // results do not depend on it
	Command     string
	Changes     []string
	Progress    func(done, of int)
}

const (
	brood  = 4 // candidates of a generation, whatever the number of workers
	probes = 2 // runs of each world by which a candidate is scored
)

// candidate is a pair and data to audit.
type candidate struct {
	u     [][][]float64 // y·x, by shard and row
	y     [][]float64
	pair  [2][]float64 // y·x of the audited sample; nil: its two labels
	edges [][2]int     // nil: the scenario's graph
	acts  []acts.Act   // as the scenario's, with other parameters

	number  int    // of the evaluation
	changed string // from the one before
	step    float64
	move    func(c *candidate, step float64) // how; nil: in a way that has no size
	score   float64
}

// setting is an experiment on one graph with one set of lies.
type setting struct {
	e     *experiment.Experiment
	a     *experiment.Assembly
	bound float64 // its certificate; NaN: there is none
}

// search is a search under way.
type search struct {
	e     *experiment.Experiment
	a     *experiment.Assembly
	spec  scenarios.AuditSpec
	shard int
	unit  privacy.Unit
	o     SearchOptions
	steps map[string]float64          // how far each kind of move goes
	probe func(k int) uint64          // the seed of a run by which candidates are scored
	into  func(u []float64) []float64 // the unit ball

	mu       sync.Mutex
	settings map[string]*setting
	used     map[uint64]bool // seeds of runs
	runs     int             // of a world
	tried    int
	failed   int
	err      error // why a candidate failed
}

// Found is what a search came to.
type Found struct {
	Worst    *record.WorstData
	Scenario string // of the data that were found, which are in a file beside it
	Rows     []byte // that file

	used map[uint64]bool
}

// SearchWorst changes a scenario's pair and data so that as much as possible is lost: a seeded evolution strategy that
// knows no gradient. What it finds is for an audit to judge ([Found.Judge]), by runs that it did not choose by. The
// error is a SetupError where there is nothing to search.
func SearchWorst(ctx context.Context, e *experiment.Experiment, o SearchOptions) (*Found, error) {
	started := time.Now()
	if err := unaltered(e, "a search for the worst data"); err != nil {
		return nil, err
	}
	s, err := newSearch(ctx, e, o)
	if err != nil {
		return nil, experiment.SetupError{Err: err}
	}
	kept, err := s.climb(ctx)
	if err != nil {
		return nil, err
	}
	inputs, err := e.Inputs()
	if err != nil {
		return nil, err
	}
	for k := len(kept) - 1; ; k-- { // the last that an audit would take
		c := kept[k]
		st, err := s.setting(c)
		if err != nil {
			return nil, err
		}
		found := &Found{used: s.used}
		if found.Scenario, found.Rows, err = s.found(c); err != nil {
			return nil, err
		}
		if err := s.learns(ctx, found); err != nil && k > 0 && ctx.Err() == nil {
			continue
		} else if err != nil {
			return nil, err
		}
		found.Worst = &record.WorstData{
			Format: record.Format, Name: e.Name, About: e.About, Seed: s.a.Seed, Rounds: e.Rounds.Count,
			Algorithm: e.Algorithm.Kind, Command: o.Command, Changes: o.Changes, Scenario: e.Resolved(), Inputs: inputs,
			Unit: s.unit, Node: s.shard + s.a.First(), Row: s.spec.Row, Over: s.o.Over, Budget: o.Evaluations,
			Evaluations: s.tried, Failed: s.failed, Runs: s.runs, Certificate: record.Number(st.bound),
			Delta: record.Number(e.Privacy.Delta), Start: record.Number(kept[0].score), Found: record.Number(c.score),
		}
		for _, c := range kept[:k+1] {
			found.Worst.Steps = append(found.Worst.Steps, record.SearchStep{Evaluation: c.number, Changed: c.changed,
				Score: record.Number(c.score)})
		}
		found.Worst.Wall = time.Since(started).Seconds()
		return found, nil
	}
}

// newSearch finds out what is to be searched.
func newSearch(ctx context.Context, e *experiment.Experiment, o SearchOptions) (*search, error) {
	s := &search{e: e, spec: auditSpec(e.Scenario), o: o, settings: map[string]*setting{}, used: map[uint64]bool{},
		steps: map[string]float64{}, into: intoBall}
	if o.Evaluations < 1 {
		return nil, fmt.Errorf("a search needs a number of candidates to try, at least 1, not %d", o.Evaluations)
	}
	var err error
	if s.a, err = e.Assemble(ctx, e.Seeds.First); err != nil {
		return nil, err
	}
	if _, less := narrow(e.Scenario); less {
		return nil, errors.New("the worst data are searched for one who sees all: leave adversary.view out")
	}
	if _, err := measure(e, s.a, &s.spec); err != nil { // nothing is to be audited
		return nil, err
	}
	p := s.a.Problem
	entry, _ := model.Lookup(e.Algorithm.Kind)
	_, reports := entry.Model().(model.Registering)
	switch {
	case p == nil:
		return nil, errors.New("the worst data are searched of split rows, and columns are split (problem.columns)")
	case p.HasTargets() || p.K > 0:
		return nil, errors.New("the worst data are searched of rows with one of two classes, as " +
			"adversary.audit.pair is")
	case reports:
		return nil, fmt.Errorf("with algorithm %s users report labels that are flipped at random: what one loses does "+
			"not depend on any data, and simulate audit without a search measures it", e.Algorithm.Kind)
	case s.spec.Group > 1:
		return nil, errors.New("adversary.audit.group: a certificate is of one sample, and so is what is searched")
	case e.Problem.NonSmooth(1) != nil:
		return nil, errors.New("the worst data are searched of smooth objectives: leave problem.l1 and problem.set out")
	}
	if s.shard, err = auditedShard(e, s.a, &s.spec); err != nil {
		return nil, err
	}
	if s.unit = privacy.Sample; s.spec.Unit == string(privacy.Label) {
		s.unit = privacy.Label
	}
	need := float64(8*p.Rows()) * float64(p.D*2*(brood+1))
	if err := memory.Check("a search for the worst rows", need); err != nil {
		return nil, err
	}
	s.probe = func(k int) uint64 { return sim.NewStream(s.a.Seed, "search run", uint64(k)).Uint64() }
	return s, s.choose()
}

// choose decides what is searched.
func (s *search) choose() error {
	cannot := map[string]string{}
	if s.unit == privacy.Label {
		cannot[overPair] = "the pair is one row's two labels (adversary.audit.unit)"
	}
	if s.e.Entry.Star {
		cannot[overGraph] = fmt.Sprintf("algorithm %s has a hub in the middle", s.e.Algorithm.Kind)
	} else if s.a.Graph.Order() < 3 {
		cannot[overGraph] = "two nodes have one graph"
	}
	if len(s.e.Acts()) == 0 {
		cannot[overMessages] = "nobody lies (adversary.acts)"
	}
	var all []string
	for _, kind := range Searchable() {
		asked := slices.Contains(s.o.Over, kind)
		if why := cannot[kind]; asked && why != "" {
			return fmt.Errorf("there is no %s to search: %s", kind, why)
		} else if why == "" && (asked || len(s.o.Over) == 0) {
			all = append(all, kind)
		}
	}
	for _, kind := range s.o.Over {
		if !slices.Contains(Searchable(), kind) {
			return fmt.Errorf("%q cannot be searched; there are %s", kind, strings.Join(Searchable(), ", "))
		}
	}
	s.o.Over = all
	for _, kind := range all {
		s.steps[kind] = 1
	}
	return nil
}

// start is what the scenario has, with a pair.
func (s *search) start(p *proposal) *candidate {
	c := &candidate{acts: s.e.Acts()}
	for i := range s.a.Problem.Shards {
		var rows [][]float64
		for n := range s.a.Problem.Shards[i].Y {
			rows = append(rows, s.into(dense(s.a.Problem, i, n)))
		}
		c.u, c.y = append(c.u, rows), append(c.y, slices.Clone(s.a.Problem.Shards[i].Y))
	}
	c.changed = "the scenario's data"
	if p != nil {
		c.pair = [2][]float64{s.into(slices.Clone(p.u[0])), s.into(slices.Clone(p.u[1]))}
		c.changed += ", " + p.what
	}
	return c
}

// climb is a (1+λ) evolution strategy: of a few changes of the best candidate the best takes its place, if it is not
// worse, and what made it better is then tried once more, farther. It returns the candidates that were kept, each
// better than the one before.
func (s *search) climb(ctx context.Context) ([]*candidate, error) {
	first := []*candidate{s.start(nil)}
	if s.unit == privacy.Sample {
		first = nil
		mean, err := middle(s.e, s.a, &s.spec, s.shard)
		if err != nil {
			return nil, err
		}
		for _, p := range proposals(s.a.Problem, s.shard, &s.spec, mean) {
			first = append(first, s.start(&p))
		}
	}
	var kept []*candidate
	r := sim.NewStream(s.a.Seed, "search")
	for generation := first; s.tried < s.o.Evaluations; {
		better := false
		generation = generation[:min(len(generation), s.o.Evaluations-s.tried)]
		if err := s.score(ctx, generation); err != nil {
			return nil, err
		}
		best := -1
		for k, c := range generation {
			if !math.IsNaN(c.score) && (best < 0 || c.score > generation[best].score) {
				best = k
			}
		}
		switch {
		case kept == nil && best < 0:
			return nil, fmt.Errorf("no run of the scenario can be weighed: %w", s.err)
		case kept == nil || best >= 0 && generation[best].score > kept[len(kept)-1].score:
			better = kept != nil
			kept = append(kept, generation[best])
			s.adapt(generation, best)
		case best >= 0 && generation[best].score == kept[len(kept)-1].score:
			// What makes no difference may make one later.
			kept[len(kept)-1] = generation[best]
			s.adapt(generation, best)
		default:
			s.adapt(generation, -1)
		}
		from := kept[len(kept)-1]
		generation = nil
		if better && from.move != nil {
			generation = append(generation, from.again())
		}
		for len(generation) < brood {
			generation = append(generation, s.mutate(from, r))
		}
	}
	return kept, nil
}

// adapt lengthens the steps of the kind that came farther, and shortens those of the others that were tried.
func (s *search) adapt(generation []*candidate, best int) {
	const longer, shorter, most, least = 1.5, 0.92, 3, 0.01
	for k, c := range generation {
		if step, ok := s.steps[c.changed]; ok && k == best {
			s.steps[c.changed] = min(most, step*longer)
		} else if ok {
			s.steps[c.changed] = max(least, step*shorter)
		}
	}
}

// score tries candidates, each on the same runs.
func (s *search) score(ctx context.Context, all []*candidate) error {
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(max(1, s.o.Workers))
	for k, c := range all {
		c.number = s.tried + k + 1
		g.Go(guard.Func(func() error {
			err := s.weigh(inner, c)
			if inner.Err() != nil {
				return context.Cause(inner)
			}
			if err != nil {
				s.mu.Lock()
				defer s.mu.Unlock()
				c.score, s.err = math.NaN(), err
				s.failed++
			}
			return nil
		}))
	}
	err := g.Wait()
	s.tried += len(all)
	if s.o.Progress != nil {
		s.o.Progress(s.tried, s.o.Evaluations)
	}
	return err
}

// weigh scores a candidate. In every round of a few runs it takes the greatest loss that the round's noise could make
// of what came before, and the score is the root of the sum of their squares, of which what is lost is a function if
// there are many. The runs' own noise hardly enters it, unlike a loss that is measured.
func (s *search) weigh(ctx context.Context, c *candidate) error {
	st, err := s.setting(c)
	if err != nil {
		return err
	}
	own := *st.a
	own.Problem = s.problem(c)
	if own.Liars, err = acts.New(c.acts, own.Graph, own.Problem); err != nil {
		return err
	}
	w, err := s.worldsOf(st, &own, c)
	if err != nil {
		return err
	}
	x, err := newExplainer(w)
	if err != nil {
		return err
	}
	l, err := adversary.NewLikelihood(w.public, s.shard+own.First(), w.samplesOf(0), w.samplesOf(1))
	if err != nil {
		return err
	}
	v := &weigher{explainer: x, likelihood: l}
	squares := 0.0
	for k := range probes {
		for world := range 2 {
			seed := s.probe(k)
			s.mu.Lock()
			s.used[seed] = true
			s.runs++
			s.mu.Unlock()
			g, err := v.glance(ctx, run{world, math.MaxInt, seed})
			if err != nil {
				return err
			}
			squares += float64(g / (2 * probes))
		}
	}
	c.score = math.Sqrt(squares)
	return nil
}

// glance runs a world and says what the noise of its rounds could make of them. Where all is said by what nodes
// publish, packets are not explained, as an audit does with what is found.
func (w *weigher) glance(ctx context.Context, r run) (float64, error) {
	if !w.public.Timing.Lockstep || w.assembly[r.world].Liars != nil {
		ev, err := w.run(ctx, r)
		if err == nil && ev.rounds == nil {
			err = errors.New("a run is not explained by the method's model")
		}
		if err != nil {
			return 0, err
		}
		return ev.greatest, nil
	}
	c, err := w.play(ctx, r.world, r.seed)
	if err != nil {
		return 0, err
	}
	if err := w.begin(c, r); err != nil {
		return 0, err
	}
	w.protocol()
	if err := w.starts(); err != nil {
		return 0, err
	}
	rounds, err := w.likelihood.Weigh(w.view)
	return greatestOf(rounds), err
}

// worldsOf are the two worlds of a candidate.
func (s *search) worldsOf(st *setting, own *experiment.Assembly, c *candidate) (*twoWorlds, error) {
	p := labelPair(own, s.shard, s.spec.Row)
	if c.pair[0] != nil {
		p.u, p.y = c.pair, labelled
	}
	return rowWorlds(st.e, own, s.shard, s.spec.Row, 1, p.u, p.y)
}

// problem is the problem with a candidate's rows.
func (s *search) problem(c *candidate) *problem.Problem {
	p := *s.a.Problem
	p.Shards = slices.Clone(p.Shards)
	for i := range c.u {
		shard := problem.Shard{U: problem.NewRows(p.D), Y: c.y[i], Index: p.Shards[i].Index}
		columns := make([]int32, p.D)
		for k := range columns {
			columns[k] = int32(k)
		}
		for _, u := range c.u[i] {
			shard.U.Append(columns, u)
		}
		p.Shards[i] = shard
	}
	return &p
}

// setting is the experiment on a candidate's graph, with its lies.
func (s *search) setting(c *candidate) (*setting, error) {
	key := scenarios.Assign("", c.edges) + scenarios.Assign("", c.acts)
	s.mu.Lock()
	defer s.mu.Unlock()
	if st, ok := s.settings[key]; ok {
		return st, nil
	}
	changed := *s.e.Scenario
	if c.edges != nil {
		changed.Network.Topology = sim.Topology{Nodes: s.a.Graph.Order(), Edges: c.edges}
	}
	if c.acts != nil {
		adversary := *changed.Adversary
		adversary.Acts = c.acts
		changed.Adversary = &adversary
	}
	st := &setting{e: s.e.On(&changed), bound: math.NaN()}
	var err error
	if st.a, err = st.e.Assemble(context.Background(), s.a.Seed); err != nil {
		return nil, err
	}
	if x := st.a.Account.Certificate(s.shard, st.a.First(), s.unit); x.Reason == "" {
		st.bound = float64(x.Epsilon)
	}
	s.settings[key] = st
	return st, nil
}

// intoBall is a vector of norm at most 1: itself, or in its direction. A little is left for rounding.
func intoBall(u []float64) []float64 {
	const most = 1 - 1e-12
	if n := num.Norm(u); n > most {
		num.Scale(most/n, u)
	}
	return u
}

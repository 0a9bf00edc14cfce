// Deterministic search for trouble: a scenario under random faults and networks,
// each drawn from a seed, with invariants that no run may break.

package fuzz

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/guard"
	"overhear/internal/minimal"
	"overhear/scenarios"
	"overhear/sim"
)

// Options say how to search.
type Options struct {
	Runs     int
	First    uint64  // seed of the first run; they are consecutive
	Distance float64 // greatest relative distance from the optimum that a loss-tolerant method may end with
	Workers  int
	Progress func(done int)
	Limit    time.Duration // of real time that a run may take; 0: none

	unsettled bool // without faults the run is too short for Distance to be a fair demand
}

// Trouble is a run that broke an invariant, with the fewest faults that still do.
type Trouble struct {
	Seed      uint64   // of the run
	Invariant string   // which, in a few words
	Account   string   // how
	Distance  float64  // that was allowed: Options.Distance
	Drawn     int      // faults before they were made fewer
	Sets      []string // path=value, that make the scenario fail so

	// Scenario fails so as it stands, with its first and only seed.
	Scenario *scenarios.Scenario
}

// Names of the invariants.
const (
	invariantEnds     = "the run ends"
	invariantTime     = "no message comes from the future"
	invariantOnce     = "no round is computed twice"
	invariantMemory   = "memory is bounded"
	invariantConverge = "a loss-tolerant method converges after the faults"
	invariantReplay   = "a repeat is the same"

	invariantPackets   = "packets arrive as the links say"
	invariantPartition = "nothing passes a partition"
	invariantDown      = "nodes are down when the faults say, and do nothing then"
	invariantSteps     = "a node steps when the protocol says, once a round"
	invariantInputs    = "an update uses the values that the protocol says"
	invariantState     = "a node goes on from what it has, and anew when it has lost its memory"
	invariantSends     = "nodes send what the protocol says"
	invariantTimers    = "timers fire when they are to, once"
	invariantDuals     = "duals follow from the values that entered"
	invariantSays      = "a run says of itself what it was"
	invariantOptimal   = "an iterate is optimal for the values that entered"
)

// perLink bounds the messages under way, for each link on average: values of two
// rounds, requests and answers with back-off, copies of each.
const perLink = 64

// Run runs a scenario with random latencies, losses, duplication and faults, all
// from seeds, and returns the runs that broke an invariant, made small, in order of
// seed. The faults are over before the virtual time that the scenario takes without any, and
// before a quarter of it if the method is to converge. The error is of the search itself.
func Run(ctx context.Context, e *experiment.Experiment, o Options) ([]Trouble, error) {
	if err := unaltered(e); err != nil {
		return nil, err
	}
	calm := *e.Scenario
	calm.Network.Faults = nil
	quiet, err := undisturbed(ctx, e.On(&calm), o.First)
	var setup experiment.SetupError
	switch {
	case err != nil && (ctx.Err() != nil || errors.As(err, &setup)):
		return nil, fmt.Errorf("without faults: %w", err)
	case err != nil:
		return []Trouble{*unfaulty(e, o, o.First, err)}, nil
	}
	span := quiet.span()
	o.unsettled = !quiet.settled(ctx, o.Distance)
	return each(ctx, o, func(ctx context.Context, seed uint64) (*Trouble, error) { return try(ctx, e, o, seed, span) })
}

// unaltered is an error for runs in which something changes while they go: what they are held to is of one scenario.
func unaltered(e *experiment.Experiment) error {
	if e.Changes == nil {
		return nil
	}
	return experiment.SetupError{Err: errors.New("invariants are of runs in which nothing but faults changes while " +
		"they go; leave changes out")}
}

// unfaulty is the trouble of a run that fails without any fault.
func unfaulty(e *experiment.Experiment, o Options, seed uint64, err error) *Trouble {
	return conditions{link: e.Network.Link, links: e.Network.Links}.trouble(e, o, seed, invariantEnds,
		"without faults: "+err.Error())
}

// each tries consecutive seeds, and returns what they find in order of seed.
func each(ctx context.Context, o Options, try func(ctx context.Context, seed uint64) (*Trouble, error)) ([]Trouble,
	error) {
	var found []Trouble // not a place for each run: there may be any number
	stopped := ctx
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(o.Workers, 1))
	var mu sync.Mutex
	done := 0
	for k := range o.Runs {
		if ctx.Err() != nil {
			break
		}
		g.Go(guard.Func(func() error {
			t, err := try(ctx, o.First+uint64(k))
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			if t != nil {
				found = append(found, *t)
			}
			if done++; o.Progress != nil {
				o.Progress(done)
			}
			return nil
		}))
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := stopped.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b Trouble) int { return cmp.Compare(a.Seed, b.Seed) })
	return found, nil
}

// undisturbed is a run that has ended.
func undisturbed(ctx context.Context, e *experiment.Experiment, seed uint64) (*trial, error) {
	w, err := newTrial(e, seed)
	if err != nil {
		return nil, err
	}
	_, err = w.run(ctx, 1, sim.Radix)
	return w, err
}

// span is the time in which faults begin and end, given a run without any: a quarter of what it
// takes if the method is to converge afterwards, and else all of it.
func (t *trial) span() sim.Duration {
	share := sim.Duration(1)
	if _, ok := t.a.Method.(algorithms.LossTolerant); ok {
		share = 4
	}
	return max(sim.Duration(t.now)/share, sim.Duration(1e6))
}

// settled says whether a run without faults has the rounds that it needs: half of them bring
// it within the distance of the optimum; or there are many, the other half brings it no nearer,
// and twice as many would not either.
func (t *trial) settled(ctx context.Context, distance float64) bool {
	end, ok := t.distance(nil)
	if !ok {
		return true // nothing is demanded
	}
	half := *t
	half.final = nil
	for i := range t.check.nodes {
		all := t.check.nodes[i].published
		half.final = append(half.final, all[len(all)/2])
	}
	middle, _ := half.distance(nil)
	const many, noNearer, exact = 100, 0.9, 100
	switch {
	case middle <= distance, t.a.Rounds >= many && end < exact*t.e.Solver.Tolerance:
		return true
	case t.a.Rounds < many || end <= noNearer*middle:
		return false
	}
	longer := *t.e.Scenario // the distance may have been the same by chance
	longer.Rounds.Count *= 2
	w, err := undisturbed(ctx, t.e.On(&longer), t.a.Seed)
	if err != nil {
		return false
	}
	later, _ := w.distance(nil)
	return later > noNearer*end
}

// conditions are what a run of the search changes in its scenario: links and the
// fault plan.
type conditions struct {
	link   sim.Link
	links  []sim.Override
	faults sim.FaultPlan
}

// draw draws the conditions of a seed: faults begin and end within the span.
func draw(e *experiment.Experiment, seed uint64, span sim.Duration, graph *sim.Graph) conditions {
	s := sim.NewStream(seed, "fuzz")
	w := conditions{link: e.Network.Link, links: e.Network.Links}
	if s.IntN(4) > 0 { // or else the scenario's own
		w.link.Latency = sim.RandomLatency(s)
	}
	if s.IntN(2) == 0 {
		w.link.Loss = s.Between(0, 0.4)
	}
	if s.IntN(2) == 0 {
		w.link.Duplication = s.Between(0, 0.5)
	}
	for range s.IntN(7) {
		if f, ok := sim.RandomFault(s, graph, span, w.faults); ok {
			w.faults = append(w.faults, f)
		}
	}
	if n := len(w.faults); n > 0 && s.IntN(6) == 0 { // the last of them gives way to a node that leaves
		if f, ok := leaving(s, graph, span, w.faults[:n-1]); ok {
			w.faults[n-1] = f
		}
	}
	w.drawLinks(sim.NewStream(seed, "fuzz links"), span, graph)
	w.drawComings(sim.NewStream(seed, "fuzz comings"), span, graph)
	return w
}

// drawLinks draws what shows that the network does what it says: bandwidth at which packets wait
// for each other, links of their own, and faults for as long as they may last, as a short time has too
// few packets and crashes to tell.
func (w *conditions) drawLinks(s *sim.Stream, span sim.Duration, graph *sim.Graph) {
	bandwidth := func() sim.Bandwidth { // a packet of 100 bytes takes 0.08 ms to 2.7 ms
		return sim.Bandwidth(math.Round(3e5 * math.Exp(s.Between(0, math.Log(30)))))
	}
	if s.IntN(3) == 0 {
		w.link.Bandwidth = bandwidth()
	}
	pairs := graph.Pairs()
	if len(pairs) == 0 {
		return
	}
	if w.links == nil && s.IntN(3) == 0 {
		latency, narrow := sim.RandomLatency(s), bandwidth()
		w.links = []sim.Override{{Between: pairs[s.IntN(len(pairs))], Latency: &latency, Bandwidth: &narrow,
			Loss: new(s.Between(0, 0.4)), Duplication: new(s.Between(0, 0.5))}}
	}
	long := func(k sim.FaultKind) { w.faults = append(w.faults, sim.Fault{Until: span, Kind: k}) }
	if s.IntN(2) == 0 {
		bad := sim.BadLink{Link: pairs[s.IntN(len(pairs))], Factor: new(s.Between(1, 20))}
		if bad.Loss = s.Between(0.2, 1); s.IntN(3) == 0 {
			bad.Loss = 1
		}
		long(bad)
		if s.IntN(2) == 0 { // factors multiply, and the greatest loss counts
			long(sim.BadLink{Link: bad.Link, Factor: new(s.Between(1, 5)), Loss: s.Between(0, 0.2)})
		}
	}
	if s.IntN(4) == 0 { // again, factors multiply
		node := s.IntN(graph.Order())
		long(sim.SlowNode{Node: node, Factor: new(s.Between(2, 10))})
		long(sim.SlowNode{Node: node, Factor: new(s.Between(2, 5))})
	}
	share := func(low, high float64) sim.Duration { return 1 + sim.Duration(s.Between(low, high)*float64(span)) }
	if s.IntN(4) == 0 {
		long(sim.RandomCrashes{Rate: sim.CrashRate{Every: share(0.02, 0.1), For: share(0.002, 0.02),
			Memory: []string{"kept", "lost"}[s.IntN(2)]}})
	}
	if len(w.faults) > 0 && s.IntN(3) == 0 { // of partitions that overlap each holds as long as it says
		first := sim.Fault{At: share(0, 0.5), Kind: halves(s, graph)}
		first.Until = first.At + share(0.1, 0.2)
		second := sim.Fault{At: first.At + (first.Until-first.At)/2, Until: first.Until + share(0.1, 0.2),
			Kind: halves(s, graph)}
		w.faults = append(w.faults, first, second)
	}
}

// halves parts all nodes, of which there are two at least.
func halves(s *sim.Stream, graph *sim.Graph) sim.Partition {
	nodes := s.Perm(graph.Order())
	k := 1 + s.IntN(len(nodes)-1)
	return sim.Partition{Groups: [][]int{nodes[:k], nodes[k:]}}
}

// leaving is a node that leaves, and that does not join before.
func leaving(s *sim.Stream, graph *sim.Graph, span sim.Duration, plan sim.FaultPlan) (sim.Fault, bool) {
	node := s.IntN(graph.Order())
	at := 1 + sim.Duration(s.Between(0, 1)*float64(span))
	joins := slices.ContainsFunc(plan, func(f sim.Fault) bool { return f.Kind == sim.Join{Node: node} })
	return sim.Fault{At: min(at, span), Kind: sim.Leave{Node: node}}, !joins
}

// apply is the scenario in these conditions.
func (w conditions) apply(s *scenarios.Scenario) *scenarios.Scenario {
	changed := *s
	changed.Network.Link, changed.Network.Links, changed.Network.Faults = w.link, w.links, w.faults
	return &changed
}

// try runs one seed and makes what it finds small.
func try(ctx context.Context, e *experiment.Experiment, o Options, seed uint64, span sim.Duration) (*Trouble, error) {
	graph, _, err := e.Network.Lay(seed)
	if err != nil {
		return nil, experiment.SetupError{Err: err}
	}
	w := draw(e, seed, span, graph)
	broken, account, err := examine(ctx, e, o, seed, w)
	if err != nil || broken == "" {
		return nil, err
	}
	drawn := len(w.faults)
	// Take away what is not needed for the same invariant to break: faults, until none can go, then the network's own
	// vices.
	still := func(v conditions) bool {
		b, a, err := examine(ctx, e, o, seed, v)
		if err != nil || b != broken {
			return false
		}
		account = a
		return true
	}
	with := func(kept []int) conditions {
		v := w
		v.faults = nil
		for _, k := range kept {
			v.faults = append(v.faults, w.faults[k])
		}
		return v
	}
	needed, err := minimal.Subset(drawn, func(kept []int) (bool, error) { return still(with(kept)), ctx.Err() })
	if err != nil {
		return nil, err
	}
	w = with(needed)
	for _, calm := range []func(*conditions){
		func(v *conditions) { v.links = e.Network.Links },
		func(v *conditions) { v.link.Bandwidth = e.Network.Bandwidth },
		func(v *conditions) { v.link.Loss = e.Network.Loss },
		func(v *conditions) { v.link.Duplication = e.Network.Duplication },
		func(v *conditions) { v.link.Latency = e.Network.Latency },
	} {
		v := w
		if calm(&v); !reflect.DeepEqual(v, w) && still(v) {
			w = v
		}
	}
	t := w.trouble(e, o, seed, broken, account)
	t.Drawn = drawn
	return t, ctx.Err()
}

// trouble is what a seed breaks in these conditions.
func (w conditions) trouble(e *experiment.Experiment, o Options, seed uint64, broken, account string) *Trouble {
	s := w.apply(e.Scenario)
	s.Seeds = scenarios.Seeds{First: seed, Count: 1}
	return &Trouble{Seed: seed, Invariant: broken, Account: account, Distance: o.Distance, Drawn: len(w.faults),
		Sets: w.sets(), Scenario: s}
}

// sets are the conditions as path=value.
func (w conditions) sets() []string {
	all := []string{
		scenarios.Assign("network.latency", w.link.Latency),
		scenarios.Assign("network.loss", w.link.Loss),
		scenarios.Assign("network.duplication", w.link.Duplication),
	}
	if w.link.Bandwidth != 0 {
		all = append(all, scenarios.Assign("network.bandwidth", w.link.Bandwidth))
	}
	if w.links != nil {
		all = append(all, scenarios.Assign("network.links", w.links))
	}
	if w.faults != nil {
		all = append(all, scenarios.Assign("network.faults", w.faults))
	}
	return all
}

// examine runs a seed in these conditions, and again in another way, and names the
// invariant that broke; "" if none did.
func examine(ctx context.Context, e *experiment.Experiment, o Options, seed uint64, c conditions,
) (broken, account string, err error) {
	changed := e.On(c.apply(e.Scenario))
	first, err := newTrial(changed, seed)
	if err != nil {
		return "", "", err
	}
	first.limit = o.Limit
	digest, failure := first.run(ctx, 1, sim.Radix)
	if ctx.Err() != nil {
		return "", "", context.Cause(ctx)
	}
	switch {
	case first.broken != "":
		return first.broken, first.account, nil
	case failure != nil && first.check.excused(first.check.now):
		return "", "", nil
	case failure != nil:
		return invariantEnds, failure.Error(), nil
	}
	if distance, ok := first.distance(c.faults); ok && !o.unsettled && !(distance <= o.Distance) {
		return invariantConverge, fmt.Sprintf("at the end the worst node is %.3g from the optimum, relative; "+
			"%.3g is allowed", distance, o.Distance), nil
	}
	second, err := newTrial(changed, seed)
	if err != nil {
		return "", "", err
	}
	second.limit = o.Limit
	again, failure := second.run(ctx, 3, sim.Heap)
	if ctx.Err() != nil {
		return "", "", context.Cause(ctx)
	}
	if failure != nil {
		return invariantReplay, "the repeat fails: " + failure.Error(), nil
	}
	if again != digest {
		return invariantReplay, fmt.Sprintf("with three workers and another queue the digest is %.16s, not %.16s",
			again, digest), nil
	}
	return "", "", nil
}

// trial is one run that is watched.
type trial struct {
	e        *experiment.Experiment
	a        *experiment.Assembly
	broken   string
	account  string
	rounds   []int // by node; −1 before the first
	final    [][]float64
	now      sim.Time
	inflight arrivals
	check    *checker // nil: the run is not followed
	limit    time.Duration
	most     int // messages that may be under way
}

func newTrial(e *experiment.Experiment, seed uint64) (*trial, error) {
	a, err := e.Assemble(context.Background(), seed)
	if err != nil {
		return nil, err
	}
	n := a.Graph.Order()
	t := &trial{e: e, a: a, rounds: make([]int, n), final: make([][]float64, n), most: perLink * (a.Graph.Links() +
		a.TrainRows())}
	for i := range t.rounds {
		if a.Split == nil || i == 0 { // parties publish nothing in round 0
			t.rounds[i] = -1
		}
	}
	return t, nil
}

// run returns the trace's digest. What panics fails.
func (t *trial) run(ctx context.Context, workers int, queue sim.QueueKind) (digest string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panics: %v\n%s", r, debug.Stack())
		}
	}()
	if t.limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, t.limit, fmt.Errorf("it has not ended after %v of real time",
			t.limit))
		defer stop()
	}
	x := experiment.Execution{Observer: t, Packets: t.sent, Workers: workers, Queue: queue, Trace: sim.TraceDigest}
	a := *t.a
	if workers == 1 { // more may compute ahead of virtual time
		if t.check, err = newChecker(t.e, t.a, t.fail); err != nil {
			return "", err
		}
		x.Events = t.check.event
		if a.Method, err = t.check.spy.on(a.Method); err != nil {
			return "", err
		}
	}
	f, err := t.e.Execute(ctx, &a, x)
	if err != nil {
		return "", err
	}
	t.now = f.End
	if t.check != nil {
		t.check.ended(f)
	}
	return fmt.Sprintf("%x", f.Trace.Digest), nil
}

func (t *trial) fail(invariant, format string, args ...any) {
	if t.broken == "" {
		t.broken, t.account = invariant, fmt.Sprintf(format, args...)
	}
}

// Published watches rounds and time.
func (t *trial) Published(p *algorithms.Publication) {
	if p.At < t.now {
		t.fail(invariantTime, "node %d publishes round %d at %v, after something that happened at %v", p.Node, p.Round,
			p.At, t.now)
	}
	t.now = p.At
	if want := t.rounds[p.Node] + 1; p.Round != want {
		t.fail(invariantOnce, "node %d publishes round %d after round %d", p.Node, p.Round, want-1)
	}
	t.rounds[p.Node], t.final[p.Node] = p.Round, p.Values
	if t.check != nil {
		t.check.Published(p)
	}
}

// Concluded watches duals.
func (t *trial) Concluded(node, round int, dual []float64) {
	if t.check != nil {
		t.check.Concluded(node, round, dual)
	}
}

// Ended watches rounds over columns.
func (t *trial) Ended(r *algorithms.ColumnRound) error {
	if t.check != nil {
		t.check.statement.roundEnded(t.check, r)
	}
	return nil
}

// sent watches packets.
func (t *trial) sent(p *sim.Packet) {
	if p.Received >= 0 && p.Received < p.Sent {
		t.fail(invariantTime, "a message of node %d to %d arrives at %v and was sent at %v", p.From, p.To, p.Received,
			p.Sent)
	}
	for len(t.inflight) > 0 && t.inflight[0] <= p.Sent {
		heap.Pop(&t.inflight)
	}
	if p.Received >= 0 {
		heap.Push(&t.inflight, p.Received)
	}
	if len(t.inflight) > t.most {
		t.fail(invariantMemory, "%d messages are under way at %v", len(t.inflight), p.Sent)
	}
	if t.check != nil {
		t.check.sent(p)
	}
}

// distance is the worst node's from the optimum; not for methods that need not
// reach it, nor where the run ended before three times as long as its faults.
func (t *trial) distance(faults sim.FaultPlan) (float64, bool) {
	if _, ok := t.a.Method.(algorithms.LossTolerant); !ok {
		return 0, false
	}
	for _, f := range faults {
		if _, leaves := f.Kind.(sim.Leave); leaves {
			return 0, false // the optimum is of all nodes
		}
		if sim.Time(3*max(f.At, f.Until)) > t.now {
			return 0, false
		}
	}
	o, err := t.a.Problem.Centralised()
	if err != nil {
		return math.NaN(), true
	}
	worst, scale := 0.0, 0.0
	for _, x := range o.F {
		scale += float64(x * x)
	}
	for _, f := range t.final {
		d := 0.0
		for k, x := range o.F {
			d += float64((f[k] - x) * (f[k] - x))
		}
		worst = max(worst, math.Sqrt(d/scale))
	}
	return worst, true
}

// arrivals is a heap of the times at which messages under way arrive.
type arrivals []sim.Time

func (a arrivals) Len() int           { return len(a) }
func (a arrivals) Less(i, j int) bool { return a[i] < a[j] }
func (a arrivals) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }

// Push adds a time.
func (a *arrivals) Push(x any) { *a = append(*a, x.(sim.Time)) }

// Pop removes the least.
func (a *arrivals) Pop() any {
	last := len(*a) - 1
	x := (*a)[last]
	*a = (*a)[:last]
	return x
}

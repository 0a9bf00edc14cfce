// The asynchronous protocol: a node steps with the last values it has heard, when
// enough of them are new or it has waited long enough.

package algorithms

import (
	"fmt"
	"slices"
	"strings"

	"overhear/internal/plural"
	"overhear/internal/prefetch"
	"overhear/parameter"
	"overhear/problem"
	"overhear/sim"
)

// asynchronous runs a method without barriers. Each step uses the last value
// received of every neighbour, zero where there is none yet. Values carry the
// sender's round, so that one that was overtaken, or comes twice, is ignored. A
// neighbour that has ended, or has left, counts as heard and never as
// behind. Nothing is sent again for being lost: but a node that has waited for a
// timeout while a neighbour is too far behind asks that neighbour for its last
// value, and so does one that has forgotten all it had heard. Where packets may be
// lost and there is no timeout, a node asks whom it waits for after Retry.
//
// A neighbour that a node waits for, has asked, and has heard nothing of for half of
// the deadline is taken to have left: the word that it leaves may be lost. It counts
// again when it is heard again. Half, as those who wait for this node have a deadline
// too; it asks after a quarter at the latest. A node that has never heard anybody takes
// nobody to have left. Who has waited for the whole deadline fails the run.
//
// A Central method runs on the same nodes: the hub merges the last values of its
// clients.
type asynchronous struct {
	rowRun
	parameter.Trigger

	hub      int     // 1 where node 0 is a hub without data, else 0
	central  Central // nil: there is no hub
	runners  []runner
	zero     []float64
	spare    []*inputs // of steps that have ended
	engine   *sim.Engine
	silences []Silence
	lags     []int64     // how often a step used a value of a neighbour so many rounds behind
	repeats  bool        // what was sent last is kept, as a neighbour may ask for it
	reuses   bool        // nothing refers to an iterate once its node has published the next
	rooms    [][]float64 // of such iterates
	asking   bool        // a phase begins in which nodes that wait look about sooner, or at all
}

// runner is a node of the protocol. There may be millions, most of them in no cache when a message arrives: what that
// needs stands first and together.
type runner struct {
	run      *asynchronous
	links    []link // by position of the neighbour
	round    int    // of the latest iterate
	stepping bool
	overdue  bool // a timeout has passed since the last step
	started  bool // has joined
	spoken   bool // has sent its starting point
	done     bool
	near     [few]link // room for links, of a node with few neighbours

	Node
	inputs  *inputs         // of the step under way
	self    int             // its number in the network; Node.ID is that of its shard
	measure *problem.Solver // of the data as they are, for the loss
	loss    float64
	inner   []float64 // what a Sheltering method keeps to itself; else nil
	err     error
	outbox  []float64 // what it sent in the latest round, if it was one message for all
	since   sim.Time  // of the last step
	began   sim.Time  // when the latest step was awaited
	registration
	effort
	lies *lying // nil: it is honest
}

// few is how many neighbours are kept in a node itself, so that a message finds both in one place of memory.
const few = 4

// link is what a node knows of a neighbour.
type link struct {
	node   int32    // the neighbour
	round  int32    // of its last value; −1 before the first
	latest sim.Held // its last value; none before the first, and once an Addressing method has had it
	sent   sim.Held // what an Addressing method sent it last, if it may ask for that
	last   sim.Time // when it was last heard; never: −1
	fresh  bool     // heard since the last step
	gone   bool     // has said that it leaves
	silent bool     // is taken to have left
	asked  bool     // since it was last heard
}

// inputs are the values that enter a step, by position of the neighbour, which of them are fresh, and what is held for
// them.
type inputs struct {
	values [][]float64
	fresh  []bool
	held   []sim.Held
	before []float64 // the iterate with which the step begins, if its memory may be used again
	room   []float64 // for the one with which it ends; nil: it has to be made
}

// borrow returns room for the inputs of a step of a node with so many neighbours.
func (s *asynchronous) borrow(degree int) (in *inputs) {
	if n := len(s.spare); n > 0 {
		in, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		in = new(inputs)
	}
	in.values = slices.Grow(in.values[:0], degree)[:degree]
	in.fresh = slices.Grow(in.fresh[:0], degree)[:degree]
	in.held = slices.Grow(in.held[:0], degree)[:degree]
	in.before, in.room = nil, nil
	return in
}

// giveBack takes the room of a step that has ended, if there was one.
func (s *asynchronous) giveBack(in *inputs) {
	if in == nil {
		return
	}
	for _, h := range in.held {
		s.engine.Drop(h)
	}
	clear(in.values) // they need not be kept any longer
	s.spare = append(s.spare, in)
}

// Attach makes the nodes and gives them to the engine.
func (s *asynchronous) Attach(e *sim.Engine) {
	p := s.Problem
	s.engine = e
	s.work = newWork(e.Workers(), p)
	s.zero = make([]float64, p.D)
	s.repeats = s.asks() || s.States // in a run that goes on from here a node may ask
	s.reuses = s.addressing != nil && s.sheltering == nil && s.Liars == nil && !s.States && forgets(s.Observer)
	s.runners = make([]runner, s.Setting.Graph.Order())
	for i := range s.runners {
		n := &s.runners[i]
		n.run, n.self = s, i
		n.ID = i - s.hub
		n.seed = s.Seed
		if !s.isolated {
			n.degree = s.Setting.Graph.Degree(i)
		}
		if n.links = n.near[:min(n.degree, few)]; n.degree > few {
			n.links = make([]link, n.degree)
		}
		n.F = s.Init.Start(s.Seed, i, p.D)
		if n.Dual = s.zero; s.addressing == nil {
			n.Dual = make([]float64, p.D)
		}
		if n.ID >= 0 {
			n.measure = s.newSolver(n.ID)
			n.solver = n.measure
		}
		for k, j := range s.Setting.Graph.Neighbours(i)[:n.degree] {
			n.links[k].node, n.links[k].last = j, -1
		}
		n.lies = s.lyingOf(i)
		n.forget()
		e.Attach(i, n)
	}
	if s.registering != nil {
		s.attachUsers(e, func(i int) *registration { return &s.runners[i].registration })
	}
}

// Change goes by what holds from a phase on.
func (s *asynchronous) Change(phase int) {
	before, deadline := s.pulse(), s.Deadline
	s.change(phase)
	s.Trigger = *s.Config.Trigger
	s.central, _ = s.method.(Central)
	s.asking = sooner(before, s.pulse(), deadline, s.Deadline)
}

// Change has a node that waits look whether it may go on, and go on looking.
func (r *runner) Change(env *sim.Env) {
	if !r.started || r.done || r.stepping {
		return
	}
	if r.run.registering != nil && r.missing > 0 {
		r.hasten(env, &r.run.rowRun)
		return
	}
	if r.advance(env); r.run.asking && r.spoken && !r.stepping {
		r.wait(env)
	}
}

// forget drops what was heard, but not who its neighbours are.
func (r *runner) forget() {
	for k := range r.links {
		l := &r.links[k]
		r.run.engine.Drop(l.latest)
		l.latest, l.round, l.fresh = 0, -1, false
	}
	r.run.giveBack(r.inputs)
	r.inputs = nil
	if r.lies != nil {
		r.lies.Forget()
	}
}

// isHub says whether the node has no data.
func (r *runner) isHub() bool { return r.ID < 0 }

// Start publishes the starting point as round 0, once the node has its data.
func (r *runner) Start(env *sim.Env) {
	r.started = true
	r.since = env.Now()
	if r.run.registering != nil && r.missing > 0 {
		r.expect(env, &r.run.rowRun)
		return
	}
	r.open(env)
}

func (r *runner) open(env *sim.Env) {
	if !r.isHub() {
		r.loss = r.measure.DataLossAt(r.run.work[0].scratch, r.F)
	}
	if r.run.sheltering != nil {
		r.inner = r.F
	}
	r.publish(env, 0)
}

// Anticipate prefetches what of the node a message needs, then what it knows of its neighbours, and, if one more
// message may make it step, the rest of it, what it has heard of them and what its step begins with.
func (r *runner) Anticipate(depth int) (more bool) {
	const most = 8 // neighbours: more is asked for of no hub
	switch links := r.links; depth {
	case 0:
		prefetch.Of(&r.run)
		prefetch.Of(&r.near) // and what is between them
		return true
	case 1:
		if len(links) > few {
			prefetch.List(links)
		}
		return !r.stepping && !r.done
	case 2:
		if len(links) > most || r.heardOf()+1 < r.quorum() {
			return false
		}
		prefetch.Of(r)
		for k := range links {
			r.run.engine.Prefetch(links[k].latest, 0)
		}
		return true
	case 3:
		for k := range links {
			r.run.engine.Prefetch(links[k].latest, 1)
		}
		prefetch.List(r.F)
		prefetch.List(r.Dual)
		prefetch.List(r.Memory)
	}
	return r.ID >= 0 && r.solver.Prefetch(depth-3)
}

// Receive takes a neighbour's value, or answers a request for the last one.
func (r *runner) Receive(env *sim.Env, m *sim.Message) {
	k := r.position(m.From)
	var l *link
	if k >= 0 {
		l = &r.links[k]
		l.last, l.silent, l.asked = env.Now(), false, false
	}
	switch m.Kind {
	case KindRequest:
		if r.spoken {
			r.repeat(env, int(m.From), k)
		}
	case KindReport:
		if r.collect(&r.run.rowRun, &r.Node, m) {
			r.open(env)
		}
	case KindLeave:
		l.gone = true
		r.advance(env)
	case KindValue:
		if r.lies != nil {
			r.lies.Hear(k, int(m.Round), m.Payload)
		}
		if r.done {
			return // and need not be kept
		}
		if m.Round <= l.round {
			return // overtaken, or a second copy
		}
		r.run.engine.Drop(l.latest)
		l.latest, l.round, l.fresh = env.Keep(), m.Round, true
		r.advance(env)
	}
}

// position is that of a neighbour, −1 of another node.
func (r *runner) position(node int32) int {
	low, high := 0, len(r.links)
	for low < high {
		if mid := int(uint(low+high) >> 1); r.links[mid].node < node {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(r.links) && r.links[low].node == node {
		return low
	}
	return -1
}

// ended says whether nothing more is to be expected of a neighbour.
func (r *runner) ended(l *link) bool { return l.gone || l.silent || int(l.round) >= r.run.Rounds }

// lacking says whether the node waits for a neighbour.
func (r *runner) lacking(l *link) bool {
	return r.behind(l) || r.run.Timeout == 0 && !l.fresh && !r.ended(l)
}

// behind says whether a neighbour is too many rounds behind.
func (r *runner) behind(l *link) bool {
	s := r.run.Staleness
	return s > 0 && r.round-int(l.round) > s && !r.ended(l)
}

// ready says whether the node may step.
func (r *runner) ready() bool {
	for k := range r.links {
		if r.behind(&r.links[k]) {
			return false
		}
	}
	return r.overdue || r.heardOf() >= r.quorum()
}

// heardOf is of how many neighbours the node has heard since its last step, or will hear no more.
func (r *runner) heardOf() (n int) {
	for k := range r.links {
		if l := &r.links[k]; l.fresh || r.ended(l) {
			n++
		}
	}
	return n
}

// quorum is of how many it must have heard.
func (r *runner) quorum() int { return r.run.Trigger.Heard(len(r.links)) }

// advance takes the next step if the node may.
func (r *runner) advance(env *sim.Env) {
	if r.stepping || !r.spoken || r.done || !r.ready() {
		return
	}
	r.stepping, r.overdue = true, false
	r.inputs = r.run.borrow(len(r.links))
	for k := range r.links {
		l := &r.links[k]
		r.inputs.values[k], r.inputs.fresh[k], r.inputs.held[k] = nil, l.fresh, 0
		if l.latest != 0 {
			r.inputs.values[k] = r.run.engine.Payload(l.latest)
		}
		switch {
		case r.run.addressing != nil:
			r.inputs.held[k], l.latest = l.latest, 0
		case l.latest == 0:
			r.inputs.values[k] = r.run.zero
		}
		l.fresh = false
		if !r.ended(l) {
			r.run.count(r.round - int(l.round))
		}
	}
	if r.run.reuses && r.round < r.run.Rounds {
		r.inputs.before = r.F
		if n := len(r.run.rooms); n > 0 {
			r.inputs.room, r.run.rooms = r.run.rooms[n-1], r.run.rooms[:n-1]
		}
	}
	var cost sim.Duration
	if r.round < r.run.Rounds && !r.isHub() && !r.run.idle(r.round+1) {
		cost = r.run.Cost.Took(r.seed, r.self, r.measure.Rows(), r.round+1)
	}
	r.began = env.Now()
	r.spend(env.Compute(cost, r, tagStep))
}

// count enters a lag into the histogram; a value of the same round or a later one
// has none.
func (s *asynchronous) count(lag int) {
	const most = 1000
	lag = min(max(lag, 0), most)
	for len(s.lags) <= lag {
		s.lags = append(s.lags, 0)
	}
	s.lags[lag]++
}

// Joins says whether steps have a part that is computed for several at once.
func (r *runner) Joins() bool { return r.run.foreign && !r.isHub() }

// Join is that part.
func (r *runner) Join(all []sim.Job) {
	steps := make([]next, len(all))
	for k, j := range all {
		own := j.(*runner)
		steps[k] = next{&own.Node, own.round + 1, own.inputs.values}
	}
	r.run.join(steps)
}

// Run is the step, on a worker.
func (r *runner) Run(worker int) {
	r.Work = &r.run.work[worker]
	r.Fresh = r.inputs.fresh
	next := r.round + 1
	switch {
	case !r.isHub():
		r.spare = r.inputs.room
		r.err = r.step(r.run.method, next, r.run.Rounds, r.inputs.values)
	case next <= r.run.Rounds:
		r.F = append(make([]float64, 0, len(r.F)), r.F...)
		r.Heard = r.inputs.values
		r.run.central.Merge(&r.Node, next)
	}
	if r.err == nil && next <= r.run.Rounds && !r.isHub() {
		r.loss = r.measure.DataLossAt(r.scratch, r.F)
		if r.run.sheltering != nil {
			r.inner = r.run.sheltering.Inner(&r.Node)
		}
	}
	r.Work = nil
}

// Wake takes the finished step, or notes that a timeout has passed.
func (r *runner) Wake(env *sim.Env, tag uint64) {
	switch {
	case tag == tagRegistration:
		r.remind(env, &r.run.rowRun)
		return
	case tag != tagStep:
		r.timeout(env, int(tag>>16))
		return
	case r.err != nil:
		env.Fail(fmt.Errorf("node %d, round %d: %w", r.self, r.round+1, r.err))
		return
	}
	r.stepping = false
	before := r.inputs.before
	r.run.giveBack(r.inputs)
	r.inputs = nil
	if r.round > 0 && r.run.Observer != nil && !r.isHub() {
		r.run.Observer.Concluded(r.self, r.round, r.Dual)
	}
	if r.round == r.run.Rounds {
		r.done = true
		r.finished = env.Now()
		return
	}
	r.publish(env, r.round+1)
	if before != nil {
		r.run.rooms = append(r.run.rooms, before)
	}
}

// tagTimeout is of a wait that began in a round.
func tagTimeout(round int) uint64 { return 1 | uint64(round)<<16 }

// pulse is how often a waiting node looks whether it may go on, and asks.
func (s *asynchronous) pulse() sim.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return s.Retry
}

// wait sets the next look at whether the node may go on: not after its timeout, and a
// quarter of the deadline from now at the latest.
func (r *runner) wait(env *sim.Env) {
	d := r.run.pulse()
	if d == 0 {
		return
	}
	if r.run.Deadline > 0 {
		d = min(d, max(r.run.Deadline/4, 1))
	}
	if left := r.run.Timeout - sim.Duration(env.Now()-r.since); left > 0 {
		d = min(d, left)
	}
	env.After(patience(env.Now(), r.since, d, r.run.Deadline), tagTimeout(r.round))
}

// timeout lets the node step without a quorum, once the timeout has passed. Neighbours
// that it waits for are asked for what was perhaps lost.
func (r *runner) timeout(env *sim.Env, round int) {
	if round != r.round || r.stepping || r.done {
		return
	}
	r.overdue = r.overdue || r.run.Timeout > 0 && sim.Duration(env.Now()-r.since) >= r.run.Timeout
	r.takeLeave(env)
	if r.advance(env); r.stepping {
		return
	}
	if expired(env.Now(), r.since, r.run.Deadline) {
		env.Fail(fmt.Errorf("no progress for %v of virtual time (the deadline): %s", r.run.Deadline, r.waiting()))
		return
	}
	for k := range r.links {
		if l := &r.links[k]; r.lacking(l) {
			l.asked = true
			env.Send(int(l.node), KindRequest, r.round, nil)
		}
	}
	r.wait(env)
}

// takeLeave takes those to have left that the node has waited for, and asked, in vain.
func (r *runner) takeLeave(env *sim.Env) {
	if r.run.Deadline == 0 || !r.heard() {
		return
	}
	for k := range r.links {
		l := &r.links[k]
		quiet := sim.Duration(env.Now() - max(l.last, r.since))
		if r.lacking(l) && l.asked && quiet >= r.run.Deadline/2 {
			l.silent = true
			r.run.silences = append(r.run.silences, Silence{r.self, int(l.node), env.Now()})
		}
	}
}

// heard says whether the node has ever heard anybody.
func (r *runner) heard() bool {
	return slices.ContainsFunc(r.links, func(l link) bool { return l.last >= 0 })
}

// publish sends the iterate of a round to every neighbour.
func (r *runner) publish(env *sim.Env, round int) {
	r.round, r.since = round, env.Now()
	r.steps = int32(round)
	if round == 0 {
		r.began = env.Now()
	}
	if r.run.Observer != nil {
		pub := &r.run.publication
		*pub = Publication{Node: r.self, Part: r.ID, Round: round, Began: r.began, At: env.Now(), Values: r.F,
			Loss: r.loss, Stats: r.stats}
		if r.run.sheltering != nil {
			pub.Inner = r.inner
		}
		r.run.Observer.Published(pub)
	}
	r.send(env)
	r.advance(env)
	if !r.stepping && !r.done {
		r.wait(env)
	}
}

// send sends the current iterate.
func (r *runner) send(env *sim.Env) {
	r.spoken = true
	switch {
	case r.lies != nil:
		r.lies.tell(env, &r.run.rowRun, &r.Node, r.self, r.round)
	case r.run.isolated:
	case r.run.addressing != nil:
		for k := range r.links {
			l := &r.links[k]
			r.run.engine.Drop(l.sent)
			var m []float64
			l.sent, m = env.Compose(len(r.F))
			r.run.addressing.Message(&r.Node, k, m)
			env.SendHeld(k, KindValue, r.round, l.sent)
			if !r.run.repeats {
				r.run.engine.Drop(l.sent)
				l.sent = 0
			}
		}
	case r.run.central != nil && r.round == 0 && !r.isHub(): // the hub speaks first
		r.outbox = r.F
	case r.run.registering != nil: // users are neighbours too
		r.outbox = r.F
		for k := range r.links {
			env.Send(int(r.links[k].node), KindValue, r.round, r.F)
		}
	default:
		r.outbox = r.F
		env.Broadcast(KindValue, r.round, r.F)
	}
}

// asks says whether a node may ask, in any phase, for a value that it was sent before.
func (s *asynchronous) asks() bool {
	return s.Retry > 0 || s.Staleness > 0 || s.engine.Faulty() ||
		slices.ContainsFunc(s.Later, func(l Later) bool { return l.Retry > 0 || l.Trigger.Staleness > 0 })
}

// repeat sends to the neighbour in position k, or a user, what it was sent last.
func (r *runner) repeat(env *sim.Env, to, k int) {
	if r.lies != nil {
		r.lies.repeat(env, to, k, r.round)
		return
	}
	if r.run.addressing == nil {
		env.Send(to, KindValue, r.round, r.outbox)
		return
	}
	last := r.run.engine.Payload(r.links[k].sent)
	h, m := env.Compose(len(last))
	copy(m, last)
	env.SendHeld(k, KindValue, r.round, h)
	r.run.engine.Drop(h)
}

// Restart goes on after a crash. A node that has lost its memory begins anew at
// its starting point, with no dual; it still knows how many rounds it has
// published, so that its messages are not taken for old ones, and asks its
// neighbours for their values.
func (r *runner) Restart(env *sim.Env, lost bool) {
	if !lost || !r.started || r.done {
		return
	}
	r.Memory = nil
	r.forget()
	r.recover(env, &r.run.rowRun, &r.Node)
	if !r.spoken {
		return
	}
	r.effort.forget(env)
	r.F = r.run.Init.Start(r.run.Seed, r.self, r.run.Problem.D)
	if r.run.addressing == nil {
		clear(r.Dual)
	}
	r.stepping, r.overdue = false, false
	r.since = env.Now()
	r.send(env)
	for k := range r.links {
		env.Send(int(r.links[k].node), KindRequest, r.round, nil)
	}
	if r.advance(env); !r.stepping { // a node may have nobody to wait for
		r.wait(env)
	}
}

// Leave tells the neighbours that nothing more will come.
func (r *runner) Leave(env *sim.Env) {
	for k := range r.links {
		env.Send(int(r.links[k].node), KindLeave, r.round, nil)
	}
	r.done = true
}

// waiting says whom a node waits for.
func (r *runner) waiting() string {
	if !r.started {
		return fmt.Sprintf("node %d has not joined", r.self)
	}
	if r.missing > 0 {
		return r.registration.waiting(r.self)
	}
	var late, silent []string
	for k := range r.links {
		switch l := &r.links[k]; {
		case r.behind(l):
			late = append(late, fmt.Sprintf("%s (last heard of round %d)", called(r.run.engine, l.node), l.round))
		case !l.fresh && !r.ended(l):
			silent = append(silent, called(r.run.engine, l.node))
		}
	}
	if late != nil {
		return fmt.Sprintf("node %d, in round %d, waits for node %s, more than %s behind", r.self, r.round,
			strings.Join(late, ", "), plural.Of(r.run.Staleness, "round"))
	}
	return fmt.Sprintf("node %d, in round %d, has heard too few neighbours since; of node %s nothing", r.self, r.round,
		strings.Join(silent, ", "))
}

// Unfinished is nil when every node has ended its last round or is gone for good;
// otherwise it says who waits for whom.
func (s *asynchronous) Unfinished() error {
	return stuck(len(s.runners), s.engine, func(i int) (bool, string) {
		if s.runners[i].done {
			return true, ""
		}
		return false, s.runners[i].waiting()
	})
}

var (
	_ sim.Restarter   = (*runner)(nil)
	_ sim.Leaver      = (*runner)(nil)
	_ sim.Anticipator = (*runner)(nil)
	_ sim.Restarter   = (*peer)(nil)
	_ sim.Leaver      = (*peer)(nil)
)

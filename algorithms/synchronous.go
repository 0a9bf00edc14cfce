// The synchronous round protocol: a barrier between neighbours, over a network
// that may delay, reorder, duplicate and lose messages.

package algorithms

import (
	"fmt"
	"slices"
	"strings"

	"overhear/problem"
	"overhear/sim"
)

// synchronous runs a method in synchronous rounds: a node computes its iterate
// of round t+1 once it holds the iterates of round t of all its neighbours, so
// neighbours are never more than one round apart.
//
// Where the network loses messages, a node that waits for a round asks the
// neighbours it has not heard for theirs, after Retry and then after twice as
// long each time, up to eight times. After Deadline the run fails, or the node goes
// on, as Missing says: for each neighbour not heard, the value of the latest round
// that came stands in, early or late. Where nodes go on so, neighbours may be any
// number of rounds apart, and a node keeps its own last two messages only: the value of
// a neighbour two or more rounds ahead stands in at once, who asks for a round that is
// no longer kept is sent the latest, and a neighbour that has left is not waited for.
// So who is behind, after a crash or a partition, catches up.
type synchronous struct {
	rowRun
	engine *sim.Engine
	peers  []peer
	asking bool // a phase begins in which nodes that wait ask sooner, or at all
}

// peer is a node of the protocol. A step of its method runs on a worker; what
// arrives meanwhile belongs to a later round and so to other memory.
type peer struct {
	Node
	run        *synchronous
	measure    *problem.Solver // of the data as they are, for the loss
	neighbours []int32
	loss       float64   // of the latest iterate
	inner      []float64 // behind the latest iterate
	err        error     // of the latest step

	round int // the round being collected: that of the latest published iterate
	// its values, by parity of round and position of the neighbour, from when they are on their way
	values  [2][][]float64
	known   [2]int    // how many of them there are
	arrived [2][]bool // which of them have arrived
	heard   [2]int    // how many have
	begun   bool      // the step has been given to the workers, perhaps ahead of time
	job     sim.Begun
	outbox  [2][][]float64 // own messages of the last two rounds, by parity: one for all, or one a neighbour
	registration
	effort
	stepping bool     // a step is under way
	since    sim.Time // when it began to wait for this round
	began    sim.Time // when the latest step was awaited
	stale    *stale   // nil: the node never goes on without a value
	gone     []bool   // which neighbours have said that they leave
	done     bool
	lies     *lying // nil: it is honest
}

// stale is what a node keeps that may go on with stale values, by position of the neighbour.
type stale struct {
	newest   [][]float64 // the value of the latest round that came
	rounds   []int32     // of it; −1: none came
	entering [2][]int32  // rounds of the values by parity of the round in which they enter
	entered  []int32     // rounds of those that entered the latest step
	fresh    []bool      // which of these had not entered before
	used     int64       // how many values of other rounds have entered steps
}

func newStale(degree int) *stale {
	s := &stale{newest: make([][]float64, degree), rounds: make([]int32, degree), entered: make([]int32, degree),
		entering: [2][]int32{make([]int32, degree), make([]int32, degree)}, fresh: make([]bool, degree)}
	s.forget()
	return s
}

// forget drops what came.
func (s *stale) forget() {
	for k := range s.newest {
		s.newest[k], s.rounds[k], s.entered[k] = nil, -1, -1
	}
}

// enter notes that the values collected for a round enter a step.
func (s *stale) enter(round int) {
	for k, t := range s.entering[round&1] {
		s.fresh[k], s.entered[k] = t > s.entered[k], t
		if int(t) != round {
			s.used++
		}
	}
}

// Attach makes a peer of every node of the graph and gives them to the engine.
func (s *synchronous) Attach(e *sim.Engine) {
	p := s.Problem
	s.engine = e
	s.work = newWork(e.Workers(), p)
	s.peers = make([]peer, s.Setting.Graph.Order())
	for i := range s.peers {
		n := &s.peers[i]
		n.run = s
		n.ID = i
		n.seed = s.Seed
		if !s.isolated {
			n.neighbours = s.Setting.Graph.Neighbours(i)
		}
		n.degree = len(n.neighbours)
		n.F = s.Init.Start(s.Seed, i, p.D)
		n.Dual = make([]float64, p.D)
		n.measure = s.newSolver(i)
		n.solver = n.measure
		n.values = [2][][]float64{make([][]float64, n.degree), make([][]float64, n.degree)}
		if s.Missing == MissingLast {
			n.stale = newStale(n.degree)
		}
		n.gone = make([]bool, n.degree)
		n.arrived = [2][]bool{make([]bool, n.degree), make([]bool, n.degree)}
		n.lies = s.lyingOf(i)
		e.Attach(i, n)
	}
	if s.registering != nil {
		s.attachUsers(e, func(i int) *registration { return &s.peers[i].registration })
	}
}

// Change goes by what holds from a phase on.
func (s *synchronous) Change(phase int) {
	before, deadline := s.Retry, s.Deadline
	s.change(phase)
	s.asking = sooner(before, s.Retry, deadline, s.Deadline)
}

// Change has a node that waits ask for what it waits for, if that is to be sooner than it would.
func (p *peer) Change(env *sim.Env) {
	switch {
	case !p.run.asking || p.done:
	case p.run.registering != nil && p.missing > 0:
		p.hasten(env, &p.run.rowRun)
	case p.outbox[p.round&1] != nil && !p.stepping:
		env.After(patience(env.Now(), p.since, p.run.Retry, p.run.Deadline), tagRetry(p.round, 0))
	}
}

// Start publishes the starting point as round 0, once the node has its data.
func (p *peer) Start(env *sim.Env) {
	if p.run.registering != nil && p.missing > 0 {
		p.expect(env, &p.run.rowRun)
		return
	}
	p.open(env)
}

func (p *peer) open(env *sim.Env) {
	p.loss = p.measure.DataLossAt(p.run.work[0].scratch, p.F)
	p.inner = p.F
	p.publish(env, 0)
}

// Receive takes a neighbour's value, or answers its request.
func (p *peer) Receive(env *sim.Env, m *sim.Message) {
	t := int(m.Round)
	switch m.Kind {
	case KindRequest:
		// A round not reached yet will be broadcast when it is.
		if p.stale != nil {
			t = p.kept(t)
		}
		if p.outbox[t&1] != nil && (t == p.round || t == p.round-1) {
			k, _ := slices.BinarySearch(p.neighbours, m.From)
			if p.lies != nil {
				p.lies.repeat(env, int(m.From), k, t)
				return
			}
			env.Send(int(m.From), KindValue, t, p.message(t, k))
		}
	case KindReport:
		if p.collect(&p.run.rowRun, &p.Node, m) {
			p.open(env)
		}
	case KindLeave:
		k, _ := slices.BinarySearch(p.neighbours, m.From)
		p.gone[k] = true
		p.makeDo(env)
	case KindValue:
		k := p.note(m)
		if p.lies != nil {
			p.lies.Hear(k, t, m.Payload)
		}
		switch {
		case p.collects(t):
			if p.arrive(t, k) && t == p.round {
				p.advance(env)
			}
		case t > p.round:
			p.makeDo(env)
		}
	}
}

// kept is the round of the message with which a request for that of a round is answered:
// the latest if that is no longer kept.
func (p *peer) kept(round int) int {
	if round < p.round-1 {
		return p.round
	}
	return round
}

// arrive notes that the value of a round is here, and says whether it was not before.
func (p *peer) arrive(round, k int) bool {
	slot := round & 1
	if p.arrived[slot][k] {
		return false // a duplicate, or another stands in
	}
	p.arrived[slot][k] = true
	p.heard[slot]++
	if p.stale != nil {
		p.stale.entering[slot][k] = int32(round)
	}
	return true
}

// makeDo goes on without those values of the round that will not come.
func (p *peer) makeDo(env *sim.Env) {
	if p.stale != nil && p.outbox[p.round&1] != nil {
		p.standIn(false)
		p.advance(env)
	}
}

// collects says whether there is room for the values of a round: this one and the next.
// Only where nodes use stale values can a neighbour be further ahead.
func (p *peer) collects(round int) bool { return round == p.round || round == p.round+1 }

// note keeps the value of a message, which may be a duplicate, and returns its
// sender's position.
func (p *peer) note(m *sim.Message) int {
	k, _ := slices.BinarySearch(p.neighbours, m.From)
	if s := p.stale; s != nil && m.Round > s.rounds[k] {
		s.newest[k], s.rounds[k] = m.Payload, m.Round
	}
	if p.collects(int(m.Round)) {
		p.put(int(m.Round)&1, k, m.Payload)
	}
	return k
}

// put keeps a value in an empty place.
func (p *peer) put(slot, k int, value []float64) {
	if p.values[slot][k] == nil {
		p.values[slot][k] = value
		p.known[slot]++
	}
}

// Foresee begins the step when the last value of the round has been sent: when
// it will arrive does not change what the step computes.
func (p *peer) Foresee(e *sim.Engine, m *sim.Message) {
	if m.Kind == KindValue && p.run.Missing != MissingLast { // it may go on without
		p.note(m)
		p.begin(e)
	}
}

// begin gives the step to the workers once its inputs are known.
func (p *peer) begin(w interface{ Begin(sim.Job) sim.Begun }) {
	if !p.begun && !p.done && p.outbox[p.round&1] != nil && p.known[p.round&1] == p.degree {
		p.begun = true
		if p.stale != nil {
			p.stale.enter(p.round)
		}
		p.job = w.Begin(p)
	}
}

// advance takes the next step once every value of the current round is here.
func (p *peer) advance(env *sim.Env) {
	p.begin(env)
	if !p.begun || p.heard[p.round&1] < p.degree || p.stepping || p.done {
		return
	}
	p.stepping = true
	var cost sim.Duration
	if p.round < p.run.Rounds && !p.run.idle(p.round+1) {
		cost = p.run.Cost.Took(p.seed, p.ID, p.run.Problem.Shards[p.ID].U.Len(), p.round+1)
	}
	p.began = env.Now()
	p.spend(env.Await(p.job, cost, tagStep))
}

// Joins says whether steps have a part that is computed for several at once.
func (p *peer) Joins() bool { return p.run.foreign }

// Join is that part.
func (p *peer) Join(all []sim.Job) {
	steps := make([]next, len(all))
	for k, j := range all {
		own := j.(*peer)
		steps[k] = next{&own.Node, own.round + 1, own.values[own.round&1]}
	}
	p.run.join(steps)
}

// Run is the step, on a worker.
func (p *peer) Run(worker int) {
	p.Work = &p.run.work[worker]
	if p.stale != nil {
		p.Fresh = p.stale.fresh
	}
	p.err = p.step(p.run.method, p.round+1, p.run.Rounds, p.values[p.round&1])
	if p.err == nil && p.round < p.run.Rounds {
		p.loss = p.measure.DataLossAt(p.scratch, p.F)
		if p.run.sheltering != nil {
			p.inner = p.run.sheltering.Inner(&p.Node)
		}
	}
	p.Work = nil
}

// A wake's tag says what for: a finished step, reports that may be missing, or a
// wait for a round that began so many requests ago.
const (
	tagStep         uint64 = 0
	tagRegistration uint64 = 2
)

func tagRetry(round, attempt int) uint64 { return 1 | uint64(attempt)<<1 | uint64(round)<<16 }

// maxBackoff bounds the delay between requests to 2^maxBackoff times the first.
const maxBackoff = 3

// Wake takes the finished step, or asks again for what is missing.
func (p *peer) Wake(env *sim.Env, tag uint64) {
	if tag == tagRegistration {
		p.remind(env, &p.run.rowRun)
		return
	}
	if tag != tagStep {
		p.retry(env, int(tag>>16), int(tag>>1&0x7fff))
		return
	}
	if p.err != nil {
		env.Fail(fmt.Errorf("node %d, round %d: %w", p.ID, p.round+1, p.err))
		return
	}
	p.stepping, p.begun = false, false
	slot := p.round & 1
	clear(p.values[slot])
	clear(p.arrived[slot])
	p.known[slot], p.heard[slot] = 0, 0
	if p.round > 0 && p.run.Observer != nil {
		p.run.Observer.Concluded(p.ID, p.round, p.Dual)
	}
	if p.round == p.run.Rounds {
		p.done = true
		p.finished = env.Now()
		return
	}
	p.publish(env, p.round+1)
}

// publish sends the iterate of a round to every neighbour and begins to collect
// theirs.
func (p *peer) publish(env *sim.Env, round int) {
	p.round, p.steps = round, int32(round)
	p.since = env.Now()
	if round == 0 {
		p.began = env.Now()
	}
	if p.run.Observer != nil {
		pub := &p.run.publication
		*pub = Publication{Node: p.ID, Part: p.ID, Round: round, Began: p.began, At: env.Now(), Values: p.F,
			Loss: p.loss, Stats: p.stats}
		if p.run.sheltering != nil {
			pub.Inner = p.inner
		}
		p.run.Observer.Published(pub)
	}
	// Kept apart before the step of the next round changes p.F.
	out := &p.outbox[round&1]
	*out = slices.Grow((*out)[:0], 1) // not nil any longer, if there is nobody to send to, too
	switch {
	case p.lies != nil:
		p.lies.tell(env, &p.run.rowRun, &p.Node, p.ID, round)
	case p.run.isolated:
		*out = append(*out, nil)
	case p.run.addressing != nil:
		for k, j := range p.neighbours {
			*out = append(*out, p.addressed(k))
			env.Send(int(j), KindValue, round, (*out)[k])
		}
	case p.run.registering != nil: // users are neighbours too
		*out = append(*out, p.F)
		for _, j := range p.neighbours {
			env.Send(int(j), KindValue, round, p.F)
		}
	default:
		*out = append(*out, p.F)
		env.Broadcast(KindValue, round, p.F)
	}
	if p.stale != nil {
		p.takeEarly()
		p.standIn(false)
	}
	p.advance(env)
	if p.run.Retry > 0 && !p.stepping {
		env.After(patience(p.since, p.since, p.run.Retry, p.run.Deadline), tagRetry(round, 0))
	}
}

// addressed is the message of an Addressing method for the neighbour in position k.
func (p *peer) addressed(k int) []float64 {
	m := make([]float64, len(p.F))
	p.run.addressing.Message(&p.Node, k, m)
	return m
}

// message is what the neighbour in position k is sent in a round.
func (p *peer) message(round, k int) []float64 {
	out := p.outbox[round&1]
	if len(out) == 1 {
		return out[0]
	}
	return out[k]
}

// retry asks the neighbours whose value of the round is missing for it.
func (p *peer) retry(env *sim.Env, round, attempt int) {
	if round != p.round || p.stepping || p.done {
		return // no longer waiting for it
	}
	if expired(env.Now(), p.since, p.run.Deadline) {
		if p.stale != nil {
			p.standIn(true)
			p.advance(env)
			return
		}
		env.Fail(fmt.Errorf("no progress for %v of virtual time (the deadline): %s", p.run.Deadline, p.waiting()))
		return
	}
	for k, j := range p.neighbours {
		if !p.arrived[round&1][k] && !p.gone[k] {
			env.Send(int(j), KindRequest, round, nil)
		}
	}
	attempt++
	again := patience(env.Now(), p.since, backoff(p.run.Retry, attempt), p.run.Deadline)
	env.After(again, tagRetry(round, attempt))
}

// takeEarly takes the values of the next round that came when there was no room for them.
func (p *peer) takeEarly() {
	for k, t := range p.stale.rounds {
		if int(t) == p.round+1 {
			p.put(int(t)&1, k, p.stale.newest[k])
			p.arrive(int(t), k)
		}
	}
}

// standIn lets the value of the latest round that came stand for that of this round, for
// neighbours of which it has not come: for all, or for those of which it will not come, as
// they have left or are two rounds ahead and do not keep it.
func (p *peer) standIn(all bool) {
	s, slot := p.stale, p.round&1
	for k := range p.neighbours {
		if p.arrived[slot][k] || !all && !p.gone[k] && int(s.rounds[k]) <= p.round+1 {
			continue
		}
		value := s.newest[k]
		if value == nil {
			value = make([]float64, p.run.Problem.D)
		}
		p.put(slot, k, value)
		p.arrive(p.round, k)
		s.entering[slot][k] = s.rounds[k]
	}
}

// Leave tells the neighbours that nothing more will come.
func (p *peer) Leave(env *sim.Env) {
	for _, j := range p.neighbours {
		env.Send(int(j), KindLeave, p.round, nil)
	}
}

// Restart goes on after a crash. A node that has lost its memory begins anew at
// its starting point, with no dual; it still knows in which round it was, and asks
// its neighbours for their values of it.
func (p *peer) Restart(env *sim.Env, lost bool) {
	if !lost || p.done {
		return
	}
	p.Memory = nil
	for slot := range p.values {
		clear(p.values[slot])
		clear(p.arrived[slot])
		p.known[slot], p.heard[slot] = 0, 0
	}
	if p.stale != nil {
		p.stale.forget()
	}
	if p.lies != nil {
		p.lies.Forget()
	}
	p.recover(env, &p.run.rowRun, &p.Node)
	if p.outbox[p.round&1] == nil {
		return // it has not begun
	}
	p.effort.forget(env)
	p.F = p.run.Init.Start(p.run.Seed, p.ID, p.run.Problem.D)
	clear(p.Dual)
	p.stepping, p.begun = false, false
	p.since = env.Now()
	out := &p.outbox[p.round&1]
	for k := range *out {
		if (*out)[k] = p.F; p.run.addressing != nil {
			(*out)[k] = p.addressed(k)
		}
	}
	if p.lies != nil {
		p.lies.prepare(env, &p.run.rowRun, &p.Node, p.ID, p.round)
	}
	if p.stale != nil {
		p.standIn(false)
	}
	p.advance(env) // a node may have nobody to wait for
	if p.run.Retry > 0 {
		p.retry(env, p.round, 0)
	}
}

// waiting says whose values a node is waiting for.
func (p *peer) waiting() string {
	var missing []string
	if p.missing > 0 {
		return p.registration.waiting(p.ID)
	}
	for k, j := range p.neighbours {
		if !p.arrived[p.round&1][k] {
			missing = append(missing, called(p.run.engine, j))
		}
	}
	return fmt.Sprintf("node %d waits for round %d of node %s", p.ID, p.round, strings.Join(missing, ", "))
}

// Unfinished is nil when every node that is not gone for good has concluded the last
// round; otherwise it says who waits for whom, for the first few nodes. It is for
// after the engine has run out of events.
func (s *synchronous) Unfinished() error {
	return stuck(len(s.peers), s.engine, func(i int) (bool, string) {
		if s.peers[i].done {
			return true, ""
		}
		return false, s.peers[i].waiting()
	})
}

// When a node must step, with which values, and what it must send, as the protocols'
// documents say.

package fuzz

import (
	"fmt"
	"math"
	"slices"

	"overhear/algorithms"
	"overhear/sim"
)

// slowest is the exponent of the longest time between requests: eight times the first.
const slowest = 3

// retry is how long a node waits before it asks again; 0: it does not.
func (c *checker) retry() sim.Duration {
	if !c.lossy {
		return 0
	}
	return c.e.Rounds.Retry
}

// deadline is how long a node waits; 0: for ever.
func (c *checker) deadline() sim.Duration {
	if !c.lossy && c.style != free {
		return 0
	}
	return c.e.Rounds.Deadline
}

// set sets a timer for so much later, or for the deadline where that is sooner.
func (c *checker) set(n *follower, now sim.Time, d sim.Duration, attempt int) {
	at := now + sim.Time(d)
	if limit := c.deadline(); limit > 0 {
		at = min(at, n.waiting+sim.Time(limit))
	}
	n.alarms = append(n.alarms, alarm{at, n.round, attempt})
}

// pulse is how often a node without barriers looks whether it may go on; 0: never.
func (c *checker) pulse() sim.Duration {
	if t := c.e.Rounds.Timeout; t > 0 {
		return t
	}
	return c.retry()
}

// look is in how long a node without barriers looks next: in a quarter of the deadline at the
// latest, and just when the timeout has passed.
func (c *checker) look(n *follower, now sim.Time) sim.Duration {
	d := c.pulse()
	if limit := c.deadline(); limit > 0 && limit/4 < d {
		d = max(limit/4, 1)
	}
	if end := n.waiting + sim.Time(c.e.Rounds.Timeout); end > now && end < now+sim.Time(d) {
		d = sim.Duration(end - now)
	}
	return d
}

// stale says whether nodes in lockstep go on without what is missing.
func (c *checker) stale() bool {
	return c.style == lockstep && c.lossy && c.e.Rounds.Missing == algorithms.MissingLast
}

// over says whether nothing more is to be expected of a neighbour, without barriers.
func (c *checker) over(n *follower, k int) bool {
	return n.gone[k] || n.silent[k] || n.newest[k].round >= c.a.Rounds
}

// behind says whether a neighbour is too far behind, without barriers.
func (c *checker) behind(n *follower, k int) bool {
	s := c.e.Rounds.Staleness
	return s > 0 && n.round-n.newest[k].round > s && !c.over(n, k)
}

// lacks says whether a node waits for a neighbour, which it asks.
func (c *checker) lacks(n *follower, k int) bool {
	switch c.style {
	case free:
		return c.behind(n, k) || c.e.Rounds.Timeout == 0 && !n.renewed[k] && !c.over(n, k)
	case around:
		want := n.round // of the hub
		if n.id == 0 {
			want++
		}
		_, ok := n.heard[k][want]
		return !ok
	}
	_, ok := n.heard[k][n.round]
	return !ok
}

// advance begins the node's step if it must step now.
func (c *checker) advance(n *follower, now sim.Time) {
	v := len(n.neighbours)
	inputs, rounds, fresh := make([][]float64, v), make([]int, v), make([]bool, v)
	switch c.style {
	case lockstep:
		for k := range n.heard {
			f, ok := n.heard[k][n.round]
			if !ok {
				return
			}
			inputs[k], rounds[k], fresh[k] = f.payload, f.round, f.round > n.used[k].round
		}
	case around:
		if n.id == 0 && n.round == c.a.Rounds {
			n.done = true
			return
		}
		want := n.round // of the hub
		if n.id == 0 {
			want++
		}
		for k := range n.heard {
			f, ok := n.heard[k][want]
			if !ok {
				return
			}
			inputs[k], rounds[k], fresh[k] = f.payload, want, true
		}
	case free:
		heard := 0
		for k := range n.newest {
			if c.behind(n, k) {
				return
			}
			if n.renewed[k] || c.over(n, k) {
				heard++
			}
		}
		if need := int(math.Ceil(c.e.Rounds.Quorum * float64(v))); heard < need && !n.overdue {
			return
		}
		for k := range n.newest {
			inputs[k], rounds[k], fresh[k] = n.newest[k].payload, n.newest[k].round, n.renewed[k]
			if n.newest[k].round < 0 {
				inputs[k] = make([]float64, c.d)
			}
		}
		clear(n.renewed)
	}
	c.step(n, now, inputs, rounds, fresh)
}

func (c *checker) step(n *follower, now sim.Time, inputs [][]float64, rounds []int, fresh []bool) {
	for k := range rounds {
		switch {
		case c.style == free && !c.over(n, k):
			c.statement.lag(n.round - rounds[k])
		case c.style == lockstep && rounds[k] != n.round:
			c.statement.stale++
		}
	}
	n.stepping, n.began, n.overdue = true, now, false
	n.inputs, n.rounds, n.fresh = inputs, rounds, fresh
	c.statement.began(c, n)
	for k := range n.used {
		n.used[k] = value{rounds[k], inputs[k]}
	}
}

// standIn lets the value of the latest round that has come stand in for who is missing: for
// all, or for whose value of this round cannot come any more, as it has said that it leaves or
// was heard two rounds ahead. What comes of the round later does not count in it.
func (c *checker) standIn(n *follower, all bool) {
	for k := range n.heard {
		f := n.newest[k]
		if _, ok := n.heard[k][n.round]; ok || !all && !n.gone[k] && f.round < n.round+2 {
			continue
		}
		if f.round < 0 {
			f.payload = make([]float64, c.d)
		}
		n.heard[k][n.round] = f
	}
}

// vanished says whether a node must take a neighbour to have left: it waits for it, has asked
// and has not heard it for half of the deadline of this wait, and it has heard somebody before.
func (c *checker) vanished(n *follower, k int, now sim.Time) bool {
	return c.deadline() > 0 && slices.Max(n.last) >= 0 && c.lacks(n, k) && n.asked[k] &&
		sim.Duration(now-max(n.last[k], n.waiting)) >= c.deadline()/2
}

// takeLeave takes those to have left that must be.
func (c *checker) takeLeave(n *follower, now sim.Time) {
	for k, j := range n.neighbours {
		if !c.vanished(n, k, now) {
			continue
		}
		n.silent[k] = true
		c.silences = append(c.silences, algorithms.Silence{Node: n.id, Neighbour: int(j), At: now})
		if c.net.reaches(n.id, int(j), n.last[k]) {
			c.fail(invariantSends, "node %d has asked node %d, which is up, and has no answer by %v though nothing "+
				"between them was lost", n.id, j, now)
		}
	}
}

// hear takes a message and returns what the node must send for it.
func (c *checker) hear(n *follower, ev *sim.Event) []message {
	m := ev.Message
	k, found := slices.BinarySearch(n.neighbours, m.From)
	if !found {
		return nil // a user's report
	}
	n.last[k], n.silent[k], n.asked[k] = ev.At, false, false
	round := int(m.Round)
	switch m.Kind {
	case algorithms.KindLeave:
		n.gone[k] = true
		if c.stale() && n.round >= 0 {
			c.standIn(n, false)
		}
	case algorithms.KindRequest:
		switch {
		case n.round < 0 || n.left:
		case c.style == free:
			return []message{{int(m.From), algorithms.KindValue, n.round}}
		case round == n.round || round == n.round-1:
			return []message{{int(m.From), algorithms.KindValue, round}}
		case c.stale() && round < n.round-1: // which it has no more
			return []message{{int(m.From), algorithms.KindValue, n.round}}
		}
	case algorithms.KindValue:
		if c.stale() && round > n.newest[k].round {
			n.newest[k] = value{round, slices.Clone(m.Payload)}
		}
		switch {
		case c.style == free:
			if round > n.newest[k].round {
				n.newest[k], n.renewed[k] = value{round, slices.Clone(m.Payload)}, true
			}
		case c.style == around && n.id > 0 && (n.stepping || n.done):
		case c.style == around && n.id > 0 && round == n.round-1:
			return []message{{0, algorithms.KindValue, n.round}}
		case c.style == around && n.id > 0 && round != n.round:
		case c.style == lockstep && round > max(n.round, 0)+1:
			if n.round >= 0 {
				c.standIn(n, false)
			}
		default:
			if _, ok := n.heard[k][round]; !ok {
				n.heard[k][round] = value{round, slices.Clone(m.Payload)}
			}
		}
	}
	return nil
}

// await sets the timers of a wait that begins.
func (c *checker) await(n *follower, now sim.Time) {
	switch {
	case c.style == free:
		if d := c.look(n, now); d > 0 {
			c.set(n, now, d, 0)
		}
	case c.style == around && (n.id > 0 || n.round == c.a.Rounds):
	case c.retry() > 0:
		c.set(n, now, c.retry(), 0)
	}
}

// punctual says whether a timer is past that has not fired, before something happens at a
// node that is up.
func (c *checker) punctual(n *follower, now sim.Time) {
	for _, a := range n.alarms {
		if due := c.due(n, a); due < now {
			c.fail(invariantTimers, "node %d should have been woken at %v, to ask for what it misses of round %d, and "+
				"was not by %v", n.id, due, a.round, now)
			n.alarms = nil
			return
		}
	}
}

// due is when a timer fires: later if the node was down then.
func (c *checker) due(n *follower, a alarm) sim.Time {
	for _, d := range c.net.down[n.id] {
		if d.has(a.at) {
			return d.to
		}
	}
	return a.at
}

// tick takes a timer and returns what the node must send for it. Of several that are due at
// once, the one of the round under way is taken to be the one for which the node sends.
func (c *checker) tick(n *follower, now sim.Time, sends bool) []message {
	k := -1
	for j, a := range n.alarms {
		if c.due(n, a) == now && (k < 0 || (a.round == n.round) == sends) {
			k = j
		}
	}
	if k < 0 {
		if _, ok := c.original.(algorithms.Registering); !ok { // a server waits for its users, too
			c.fail(invariantTimers, "node %d, in round %d, is woken at %v, for which it has set no timer", n.id,
				n.round, now)
		}
		return nil
	}
	a := n.alarms[k]
	waited := sim.Duration(now - n.waiting)
	late := c.deadline() > 0 && waited >= c.deadline()
	if _, ok := c.original.(algorithms.Registering); ok && !sends && !late && a.round == n.round && !n.stepping &&
		!n.done && c.asks(n, now) {
		return nil // another timer of the same instant: it was for users; this one is still to come
	}
	n.alarms = slices.Delete(n.alarms, k, k+1)
	if a.round != n.round || n.stepping || n.done {
		return nil
	}
	if c.style == free {
		n.overdue = n.overdue || c.e.Rounds.Timeout > 0 && waited >= c.e.Rounds.Timeout
		c.takeLeave(n, now)
		if c.advance(n, now); n.stepping {
			return nil
		}
	}
	if late {
		if c.stale() {
			c.standIn(n, true)
		}
		return nil // it goes on, or else the run stops
	}
	return c.ask(n, now, a)
}

// requests says whether a node that waits in vain sends the neighbour in position k a request.
func (c *checker) requests(n *follower, k int) bool {
	return c.lacks(n, k) && (c.style != lockstep || !n.gone[k])
}

// asks says whether a node that waits in vain sends any, those aside that it takes to have left.
func (c *checker) asks(n *follower, now sim.Time) bool {
	for k := range n.neighbours {
		if c.requests(n, k) && !(c.style == free && c.vanished(n, k, now)) {
			return true
		}
	}
	return false
}

// ask is what a node sends that has waited in vain, and sets its next timer.
func (c *checker) ask(n *follower, now sim.Time, a alarm) (all []message) {
	kind := algorithms.KindRequest
	if c.style == around { // the hub says it again
		kind = algorithms.KindValue
	}
	for k, j := range n.neighbours {
		if c.requests(n, k) {
			n.asked[k] = true
			all = append(all, message{int(j), kind, n.round})
		}
	}
	next := c.look(n, now)
	if c.style != free {
		next = c.retry() << min(a.attempt+1, slowest)
	}
	c.set(n, now, next, a.attempt+1)
	return all
}

// restart takes a restart and returns what the node must send.
func (c *checker) restart(n *follower, now sim.Time) (all []message) {
	down := c.net.down[n.id]
	lost, sure := false, true
	if len(down) > 0 {
		lost, sure = c.net.forgot(n.id, down[len(down)-1])
	}
	if !sure {
		n.unknown = true
		return nil
	}
	if lost {
		n.alarms = nil
	}
	if !lost || n.done {
		return nil
	}
	n.forgotten, n.wholeStates = true, false
	if c.style == around {
		return c.restartAround(n, now)
	}
	c.begin(n)
	if n.round < 0 {
		return nil
	}
	n.waiting = now
	for _, j := range n.neighbours {
		delete(n.outbox, slotKey{int(j), n.round})
		if _, ok := c.original.(algorithms.Addressing); !ok {
			n.outbox[slotKey{int(j), n.round}] = n.state.f
		}
	}
	if c.style == free {
		for _, j := range n.neighbours {
			if !(c.central && n.round == 0 && n.id > 0) {
				all = append(all, message{int(j), algorithms.KindValue, n.round})
			}
			all = append(all, message{int(j), algorithms.KindRequest, n.round})
		}
		if c.advance(n, now); !n.stepping {
			c.await(n, now)
		}
		return all
	}
	if c.stale() {
		c.standIn(n, false)
	}
	if c.advance(n, now); c.retry() > 0 && !n.stepping {
		return c.ask(n, now, alarm{round: n.round})
	}
	return nil
}

// restartAround is restart around a hub. Messages are kept in store: a client waits to be
// asked, and the hub says its last message again, goes on from it and knows no more.
func (c *checker) restartAround(n *follower, now sim.Time) (all []message) {
	before, sure := n.state, n.sureDual
	c.begin(n)
	if n.id > 0 || n.round < 0 {
		return nil
	}
	if c.central {
		n.state.f = before.f
	} else { // z is anew, and y if the message does not say it
		n.sureF, n.sureMemory, n.sureDual = true, true, true
		if _, ok := c.original.(algorithms.Recovering); ok && n.round > 0 {
			n.state.dual, n.sureDual = before.dual, sure
		}
	}
	n.waiting = now
	for _, j := range n.neighbours {
		all = append(all, message{int(j), algorithms.KindValue, n.round})
	}
	c.await(n, now)
	return all
}

// publish takes a publication and returns what the node must send.
func (c *checker) publish(n *follower, p *algorithms.Publication, kind string) (all []message) {
	switch {
	case p.Round == 0 && kind == "computed", p.Round > 0 && kind != "computed":
		c.fail(invariantSteps, "node %d publishes round %d at %v in a %s", n.id, p.Round, p.At, kind)
	case p.Round != n.round+1:
		c.fail(invariantOnce, "node %d publishes round %d after round %d", n.id, p.Round, n.round)
	}
	if p.Round == 0 && !c.columns && !same(p.Values, n.state.f) {
		c.fail(invariantState, "node %d does not start at its starting point", n.id)
	}
	c.publication(n, p)
	n.round, n.waiting = p.Round, p.At
	n.published = append(n.published, p.Values)
	for k := range n.heard { // what is old
		delete(n.heard[k], n.round-2)
	}
	if c.stale() {
		for k, f := range n.newest { // of the next round, and had come too early
			if f.round == n.round+1 {
				n.heard[k][f.round] = f
			}
		}
		c.standIn(n, false)
	}
	if (c.style == around || c.central) && n.id > 0 && p.Round == 0 {
		return nil // the hub speaks first
	}
	for _, j := range n.neighbours {
		delete(n.outbox, slotKey{int(j), n.round - 2})
		if _, ok := c.original.(algorithms.Addressing); !ok {
			n.outbox[slotKey{int(j), n.round}] = p.Values
		}
		all = append(all, message{int(j), algorithms.KindValue, n.round})
	}
	return all
}

// computed takes the end of a step: what entered it, what it left, how long it took.
func (c *checker) computed(n *follower, now sim.Time, calls []call, publications []algorithms.Publication,
	conclusions []conclusion) {
	if !n.stepping {
		c.fail(invariantSteps, "node %d, in round %d, ends a step at %v that it was not to begin", n.id, n.round, now)
		return
	}
	n.stepping = false
	if slices.ContainsFunc(calls, func(k call) bool { return k.failed }) {
		return // the run ends
	}
	next := n.round + 1
	last := next > c.a.Rounds
	c.duration(n, now, last)
	for _, p := range publications {
		if p.Began != n.began {
			c.fail(invariantSteps, "node %d begins round %d at %v, and must at %v", n.id, p.Round, p.Began, n.began)
		}
	}
	if got := len(publications); got != 1 && !last || got != 0 && last {
		c.fail(invariantSteps, "node %d publishes %d times at the end of its step of round %d at %v", n.id, got, next,
			now)
	}
	if last {
		n.done = true
		c.statement.nodes[n.id].finished = now
	}
	hub := n.id == 0 && (c.central || c.columns)
	var want []string
	if c.columns {
		switch {
		case hub:
			want = []string{"Merge"}
		case !last:
			want = []string{"Answer"}
		}
	} else if hub {
		if !last {
			want = []string{"Merge"}
		}
	} else {
		if next > 1 {
			want = append(want, "Dual")
			if len(conclusions) != 1 || conclusions[0].round != n.round {
				c.fail(invariantSteps, "node %d concludes %d rounds at %v, and must conclude round %d", n.id,
					len(conclusions), now, n.round)
			}
		}
		if !last {
			want = append(want, "Update")
		}
	}
	var got []string
	for _, k := range calls {
		got = append(got, k.what)
	}
	if !slices.Equal(got, want) {
		c.fail(invariantSteps, "node %d calls %v at %v, at the end of its step of round %d, and must call %v", n.id,
			got, now, next, want)
		return
	}
	for k := range calls {
		c.call(n, &calls[k], next)
	}
	if len(conclusions) == 1 && len(calls) > 0 && !same(conclusions[0].dual, calls[len(calls)-1].after.dual) {
		c.fail(invariantDuals, "node %d concludes round %d at %v with another dual than the method left", n.id,
			n.round, now)
	}
	if !last && !c.columns && len(publications) == 1 && !same(publications[0].Values, n.state.f) {
		c.fail(invariantState, "node %d publishes in round %d at %v not what the method left", n.id, next, now)
	}
	if !last {
		for len(n.entered) < next {
			n.entered = append(n.entered, nil)
		}
		n.entered[next-1] = n.rounds
	}
}

// call checks one call of a method.
func (c *checker) call(n *follower, k *call, next int) {
	round := next
	if k.what == "Dual" {
		round--
	}
	name := fmt.Sprintf("%s of round %d at node %d", k.what, round, n.id)
	if k.round != round {
		c.fail(invariantSteps, "%s is asked for as of round %d", name, k.round)
	}
	if len(k.heard) != len(n.inputs) {
		c.fail(invariantInputs, "%s has %d values of %d neighbours", name, len(k.heard), len(n.inputs))
		return
	}
	_, once := c.original.(algorithms.Addressing)
	for p, f := range k.heard {
		want := n.inputs[p]
		if once && c.style == free && !n.fresh[p] {
			want = nil // it has had that message
		}
		if !same(f, want) {
			c.fail(invariantInputs, "%s has for neighbour %d not its value of round %d (−1: none, zeros), which it "+
				"must", name, n.neighbours[p], n.rounds[p])
			return
		}
		if !c.columns && (k.fresh == nil && !n.fresh[p] && c.style != around || k.fresh != nil &&
			k.fresh[p] != n.fresh[p]) {
			c.fail(invariantInputs, "%s is told that neighbour %d is new: %v; it is: %v", name, n.neighbours[p],
				k.fresh == nil || k.fresh[p], n.fresh[p])
			return
		}
	}
	switch {
	case n.sureF && !equal(k.before.f, n.state.f):
		c.fail(invariantState, "%s goes on from another iterate than the node has%s", name, n.anew())
	case n.sureDual && !equal(k.before.dual, n.state.dual):
		c.fail(invariantState, "%s goes on from another dual than the node has%s", name, n.anew())
	case n.sureMemory && !equal(k.before.memory, n.state.memory):
		c.fail(invariantState, "%s goes on from another memory than the node has%s", name, n.anew())
	}
	if k.what == "Answer" {
		c.statement.split[n.id][k.round] = k.after.f
	}
	c.claims.call(n, k)
	n.state, n.sureF, n.sureDual, n.sureMemory = k.after, true, true, true
}

func (n *follower) anew() string {
	if n.forgotten {
		return " (it has lost its memory before)"
	}
	return ""
}

// duration checks how long a step took: as long as the rows, the speed and slow nodes say,
// or until the node was up again.
func (c *checker) duration(n *follower, now sim.Time, last bool) {
	if c.e.Compute.Spread > 0 {
		return
	}
	least, most := c.cost(n, last)
	took := float64(now - n.began)
	if took >= least && took <= most {
		return
	}
	if took > most && slices.ContainsFunc(c.net.down[n.id], func(d interval) bool { return d.to == now }) {
		return
	}
	c.fail(invariantSteps, "node %d takes %v from %v for its step to round %d, and must take %v to %v", n.id,
		sim.Duration(took), n.began, n.round+1, sim.Duration(max(least, 0)), sim.Duration(most))
}

// cost is how long the step under way takes at least and at most, with what rounding may make of it.
func (c *checker) cost(n *follower, last bool) (least, most float64) {
	cost := &c.e.Compute
	rows := 0
	idler, idles := c.original.(algorithms.Idler)
	switch {
	case c.columns:
		rows = c.a.Split.N
		last = last && n.id > 0
	case n.id >= c.a.First() && !(idles && idler.Idle(n.round+1)):
		rows = c.a.Problem.Shards[n.id-c.a.First()].U.Len()
	}
	if last {
		rows = 0
	}
	switch {
	case rows == 0:
	case cost.Law != nil:
		least, most = cost.Law.Bounds()
	case cost.Measured != nil:
		least, most = float64(slices.Min(c.measured)), float64(slices.Max(c.measured))
	default:
		whole := float64(rows) * float64(cost.Row)
		least, most = float64(whole*(1-cost.Jitter)), float64(whole*(1+cost.Jitter))
	}
	times := 1.0
	if cost.Speeds != nil {
		times /= cost.Speeds[n.id]
	}
	if c.factors != nil {
		times *= c.factors[n.id]
	}
	for k := range c.e.Network.Faults {
		f := &c.e.Network.Faults[k]
		if s, ok := f.Kind.(sim.SlowNode); ok && s.Node == n.id && holds(f).has(n.began) && s.Factor != nil {
			times *= *s.Factor
		}
	}
	least, most = float64(least*times), float64(most*times)
	slack := 1 + float64(most*1e-9)
	if math.IsInf(most, 1) {
		slack = 1 + float64(least*1e-9)
	}
	for k := range c.e.Network.Faults {
		if s, ok := c.e.Network.Faults[k].Kind.(sim.SlowNode); ok && s.Factor != nil {
			slack += *s.Factor // a nanosecond before it is slowed
		}
	}
	return least - slack, most + slack
}

// excused says whether a run may stop at a time: because a node that has not ended waits for
// one that has left, where it has no way to go on without (without barriers, as it has never
// heard anybody), because a server has waited for its
// users for as long as the deadline says, or because nobody is left.
func (c *checker) excused(now sim.Time) bool {
	_, registers := c.original.(algorithms.Registering)
	some, all := false, true
	for i := range c.nodes {
		gone := c.net.gone(i, now)
		some, all = some || gone, all && gone
	}
	if all {
		return true
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		switch {
		case some && n.unknown: // it may be that one that waits
			return true
		case registers && n.round < 0 && now >= sim.Time(c.e.Rounds.Deadline):
			return true
		case c.style == around && i == 0 && n.round < c.a.Rounds && c.net.gone(i, now):
			return true
		case n.done || n.stepping || c.stale() || c.net.gone(i, now):
			continue
		}
		for k, j := range n.neighbours {
			if c.net.gone(int(j), now) && c.lacks(n, k) && (c.style != free || slices.Max(n.last) < 0) {
				return true
			}
		}
	}
	return false
}

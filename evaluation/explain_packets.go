// Which packets the protocol has, of which size, and when each is sent.

package evaluation

import (
	"context"
	"fmt"
	"slices"

	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// protocol checks that there are the packets that the protocol has and no others, that a node sends one value of a
// round, and when it does so. What is explained after it is the first packet of each value.
func (x *explainer) protocol() {
	n := x.graph.Order()
	a := x.assembly[x.world]
	server := map[int]int{} // of users
	if x.labels != nil {
		user := n
		for shard := range a.Problem.Shards {
			for range a.Problem.Shards[shard].Y {
				server[user] = shard
				user++
			}
		}
	}
	lossy := x.e.Lossy()
	ask := asking{explainer: x, lossy: lossy, server: server, latest: make([]int, n), asked: map[[2]int][]*packet{},
		answered: map[[2]int]int{}}
	values := x.rounds + 1
	count := make([]int, 2*x.graph.Size()*values)
	arrived := make([]sim.Time, len(count)) // of the first copy of a value
	for at := range arrived {
		arrived[at] = -1
	}
	reported := make([]int, len(server))
	complete := make([]sim.Time, n) // when a server has all reports
	for i := range x.packets {
		p := &x.packets[i]
		payload := x.payloads[p.payload]
		wrong := ""
		switch _, user := server[p.from]; {
		case p.kind == algorithms.KindReport:
			switch {
			case !user || server[p.from] != p.to || p.round != 0:
				wrong = "the method has no such report"
			case len(payload) < x.public.D+1:
				wrong = fmt.Sprintf("it carries %d numbers, and a report has %d at least", len(payload), x.public.D+1)
			default:
				x.value(p, -1)
				reported[p.from-n]++
				start, _, _ := x.outages.Due(p.from, 0)
				switch first := reported[p.from-n] == 1; {
				case first && p.sent != start:
					wrong = fmt.Sprintf("the user, who reports at once, is there at %v", start)
				case !first && !ask.again(p):
					wrong = "it was sent before, and nobody has asked for it again"
				}
				complete[p.to] = max(complete[p.to], p.received)
			}
		case p.kind == algorithms.KindValue && !user:
			link := x.graph.Link(p.from, p.to)
			switch first := x.firstRound(p.from); {
			case link < 0:
				wrong = "there is no such link"
			case p.round < first || p.round > x.rounds:
				wrong = fmt.Sprintf("a node publishes rounds %d to %d", first, x.rounds)
			case len(payload) != x.length(p.from):
				wrong = fmt.Sprintf("it carries %d numbers, and a value has %d", len(payload), x.length(p.from))
			default:
				at := link*values + p.round
				if count[at]++; count[at] > 1 && !ask.again(p) {
					wrong = "it was sent before, and nobody has asked for it again"
				}
				ask.latest[p.from] = max(ask.latest[p.from], p.round)
				if x.public.Hub {
					ask.asked[[2]int{p.from, p.to}] = append(ask.asked[[2]int{p.from, p.to}], p)
				}
				if p.received >= 0 && (arrived[at] < 0 || p.received < arrived[at]) {
					arrived[at] = p.received
				}
				x.value(p, p.round)
			}
		default:
			if wrong = ask.wrong(p); wrong == "" && len(payload) > 0 {
				wrong = fmt.Sprintf("it carries %d numbers, and should carry none", len(payload))
			}
		}
		if size := 8*int64(len(payload)) + x.e.Network.Header; wrong == "" && p.bytes != size {
			wrong = fmt.Sprintf("it has %d bytes, not %d", p.bytes, size)
		}
		x.account.same(record.PacketsExpected, wrong == "", p, func() string { return wrong })
	}
	for node := range n {
		for t, last := x.firstRound(node), x.last(node); t <= last; t++ {
			for _, j := range x.graph.Neighbours(node) {
				if count[x.graph.Link(node, int(j))*values+t] == 0 && !x.silent(node, int(j), t) {
					x.account.misfits(record.PacketsExpected, nil,
						fmt.Sprintf("the value of round %d that node %d sends node %d is missing", t, node, j))
				}
			}
		}
	}
	for user, k := range reported {
		if k == 0 {
			x.account.misfits(record.PacketsExpected, nil, fmt.Sprintf("the report of user %d is missing", n+user))
		}
	}
	if !lossy && x.public.Timing.Barrier {
		x.schedule(arrived, complete)
	}
}

// asking follows who has asked whom for what.
type asking struct {
	*explainer
	lossy    bool
	server   map[int]int // of users
	latest   []int       // round that a node has sent a value of
	asked    map[[2]int][]*packet
	answered map[[2]int]int
}

// wrong says what is wrong with a packet that is not a value or a report; empty: nothing.
func (a *asking) wrong(p *packet) string {
	n := len(a.latest)
	toUser := p.to >= n
	switch {
	case a.public.Hub || !a.lossy && a.public.Timing.Barrier || p.from >= n ||
		p.kind != algorithms.KindRequest && p.kind != algorithms.KindLeave:
		return "the protocol has no such packet here"
	case p.kind == algorithms.KindLeave && !a.e.Network.Faults.Leaves():
		return "nobody leaves (network.faults)"
	case toUser && (p.kind != algorithms.KindRequest || a.server[p.to] != p.from):
		return "the protocol has no such packet here"
	case !toUser && a.graph.Link(p.from, p.to) < 0:
		return "there is no such link"
	case toUser && p.round != 0:
		return fmt.Sprintf("its round is %d, and one that asks for a report has 0", p.round)
	case !toUser && p.round != a.roundOf(p.from, p.sent):
		return fmt.Sprintf("its round is %d, and the node is in round %d", p.round, a.roundOf(p.from, p.sent))
	}
	if p.kind == algorithms.KindRequest {
		a.asked[[2]int{p.from, p.to}] = append(a.asked[[2]int{p.from, p.to}], p)
	}
	return ""
}

// roundOf is that of which a node has last sent a value, or if it lies could have.
func (a *asking) roundOf(node int, at sim.Time) int {
	if a.liars().Lies(node) {
		return a.reachedBy(node, at)
	}
	return a.latest[node]
}

// again says whether a node may send what it sent before: once for each copy of a request that came. Of a hub and its
// clients, values themselves ask: the hub sends its value again where packets are lost, and a client answers each copy
// that comes after the first of a round.
func (a *asking) again(p *packet) bool {
	if a.public.Hub && p.from == 0 {
		return a.lossy
	}
	came, rounds := 0, map[int]bool{}
	for _, q := range a.asked[[2]int{p.to, p.from}] {
		if q.received >= 0 && q.received <= p.sent {
			came += q.copies
			rounds[q.round] = true
		}
	}
	if a.public.Hub {
		came -= len(rounds)
	}
	link := [2]int{p.from, p.to}
	a.answered[link]++
	return a.answered[link] <= came
}

// value notes the packet of a value, or compares it with one that carried the same value before.
func (x *explainer) value(p *packet, round int) {
	key := [2]int{p.from, round}
	first := x.first[key]
	if first == nil {
		x.first[key] = p
	}
	if x.liars().Lies(p.from) {
		x.carries(p)
		return
	}
	if first == nil {
		return
	}
	x.account.same(record.OneValueForAll, p.payload == first.payload, p, func() string {
		return "it carries another vector than " + first.String()
	})
}

// firstRound is the first that a node publishes: a hub's clients answer its start.
func (x *explainer) firstRound(node int) int {
	if x.public.Hub && node > 0 {
		return 1
	}
	return 0
}

// length is how many numbers a node's value has.
func (x *explainer) length(node int) int {
	switch {
	case x.sharing == nil:
		return x.public.D
	case node == 0:
		return 2 * x.public.Rows
	}
	return x.public.Rows
}

// schedule checks when values are sent: a node starts at once, a server when all reports are there, and goes on when
// its neighbours' values of the round have come and its update has taken the time that the scenario's model of
// computing gives it, whatever its data are.
func (x *explainer) schedule(arrived, complete []sim.Time) {
	values := x.rounds + 1
	for node := range x.graph.Order() {
		for t := x.firstRound(node); t <= x.rounds; t++ {
			p := x.first[[2]int{node, t}]
			if p == nil {
				continue
			}
			ready := sim.Time(0)
			switch {
			case t == 0:
				ready = complete[node]
			default:
				before := t - 1
				if x.public.Hub && node == 0 {
					before = t // of its clients' answers
				}
				for _, j := range x.graph.Neighbours(node) {
					ready = max(ready, arrived[x.graph.Link(int(j), node)*values+before])
				}
				if own := x.first[[2]int{node, t - 1}]; own != nil {
					ready = max(ready, own.sent)
				}
				ready += sim.Time(x.took(node, t))
			}
			x.account.same(record.PacketsInTime, p.sent == ready, p, func() string {
				return fmt.Sprintf("what it needs is there at %v", ready)
			})
		}
	}
}

// goOn checks, of asynchronous rounds, that a node went on when enough had come, or it had waited long enough. One that
// has waited for half of the deadline may have taken a neighbour to have left, which no packet tells.
func (x *explainer) goOn() {
	if x.public.Timing.Barrier {
		return
	}
	patience := sim.Time(x.e.Rounds.Deadline / 2)
	for node := range x.graph.Order() {
		if at, ok := x.view.Owes(node); ok {
			t := x.last(node) + 1
			x.account.misfits(record.PacketsInTime, nil, fmt.Sprintf("by the rule by which nodes go on, node %d "+
				"publishes round %d at %v, and it does not", node, t, sim.Time(at)))
		}
		if p := x.first[[2]int{node, 0}]; p != nil && x.labels == nil {
			start, _, _ := x.outages.Due(node, 0)
			x.account.same(record.PacketsInTime, p.sent == start, p, func() string {
				return fmt.Sprintf("the node is there at %v", start)
			})
		}
		for t := 1; t <= x.rounds; t++ {
			p, before := x.first[[2]int{node, t}], x.first[[2]int{node, t - 1}]
			if p == nil || before == nil || x.e.Lossy() && patience > 0 && p.sent-before.sent >= patience {
				continue // of which is told
			}
			_, err := x.view.Inputs(node, t)
			x.account.same(record.PacketsInTime, err == nil, p, func() string {
				return "it is not seen " + err.Error()
			})
		}
	}
}

// instant says which value arrived at the instant when it was sent, if there is one: whether it entered an update that
// began then cannot be told.
func (x *explainer) instant() error {
	for i := range x.packets {
		if p := &x.packets[i]; p.kind == algorithms.KindValue && p.received == p.sent {
			return fmt.Errorf("%s arrives when it is sent: an audit of asynchronous rounds, or of rounds.missing: "+
				"last, needs a network.latency above 0, by which it can be told what entered which update", p)
		}
	}
	return nil
}

// twins is how many runs are made with the same seed and other data where packets may be lost, or nodes do not wait for
// everybody, so that the times of requests are not computed.
const twins = 20

// twin checks that a run has the packets at the times that the same seed has in the other world, and with rows that
// have nothing to do with the run's at every node: when a node asks depends on what the network does, and must not
// depend on data.
func (x *explainer) twin(ctx context.Context, r run, c *wire, a account) error {
	if r.world > 0 || r.number >= twins || !x.e.Lossy() && x.public.Timing.Barrier {
		return nil
	}
	a.of(record.PacketsExpected).twinned = true
	other, err := x.play(ctx, 1, r.seed)
	if err != nil {
		return err
	}
	if !asAlways(c, other, a, "in the other world") || x.sharing != nil {
		return nil
	}
	own := *x.assembly[0]
	own.Problem = strange(own.Problem, r.seed)
	if err := x.e.Equip(&own); err != nil {
		return err
	}
	if other, err = x.playOf(ctx, &own, r.seed); err != nil {
		return err
	}
	asAlways(c, other, a, "with other rows at every node")
	return nil
}

// asAlways says whether a run has the packets of another, whatever they carry, at the same times; those after the first
// that differs follow from it.
func asAlways(c, other *wire, a account, where string) bool {
	for i := range max(len(c.packets), len(other.packets)) {
		if i >= len(c.packets) {
			a.misfits(record.PacketsInTime, &other.packets[i], "it was sent "+where+" alone")
			return false
		}
		p := c.packets[i]
		fits := i < len(other.packets)
		if fits {
			q := other.packets[i]
			q.payload = p.payload
			fits = p == q
		}
		if !a.same(record.PacketsInTime, fits, &p, func() string {
			return "with the same seed it is not so " + where
		}) {
			return false
		}
	}
	return true
}

// strange is a problem with a row of any node, of either sign, in the place of every row.
func strange(p *problem.Problem, seed uint64) *problem.Problem {
	q := *p
	q.Shards = slices.Clone(p.Shards)
	s := sim.NewStream(seed, "strange rows")
	for i := range q.Shards {
		old := &p.Shards[i]
		own := problem.Shard{U: problem.NewRows(old.U.D), Index: old.Index}
		for range old.Y {
			from := &p.Shards[s.IntN(len(p.Shards))]
			n := s.IntN(len(from.Y))
			sign := 1.0
			if s.Float64() < 0.5 {
				sign = -1
			}
			cols, vals := from.U.Row(n)
			vals = slices.Clone(vals)
			num.Scale(sign, vals)
			own.U.Append(cols, vals)
			switch {
			case old.Class != nil:
				own.Y, own.Class = append(own.Y, from.Y[n]), append(own.Class, from.Class[n])
			case old.Targets != nil:
				own.Y, own.Targets = append(own.Y, from.Y[n]), append(own.Targets, sign*from.Targets[n])
			default:
				own.Y = append(own.Y, sign*from.Y[n])
			}
		}
		q.Shards[i] = own
	}
	return &q
}

// clock is that of a run's nodes: what the scenario's model of computing says, and its faults.
type clock struct{ *explainer }

func (c clock) Took(node, round int, began int64) sim.Duration {
	return c.outages.Slowed(node, sim.Time(began), c.took(node, round))
}

func (c clock) Due(node int, at int64) (int64, bool, bool) {
	when, held, happens := c.outages.Due(node, sim.Time(at))
	return int64(when), held, happens
}

// last is the last round that a node, by its own time, comes to publish: all, if it is not gone for good before.
func (x *explainer) last(node int) int {
	if !x.outages.Gone(node) {
		return x.rounds
	}
	for t := x.firstRound(node); t <= x.rounds; t++ {
		if x.first[[2]int{node, t}] == nil {
			return t - 1
		}
	}
	return x.rounds
}

// took is how long a node's update of a round takes, if it is not slowed.
func (x *explainer) took(node, round int) sim.Duration {
	a := x.assembly[x.world]
	if x.sharing != nil {
		return x.cost.Took(x.seed, node, x.public.Rows, round)
	}
	if x.public.Hub && node == 0 {
		return 0
	}
	if m, ok := x.public.Method.(model.NodeDual); ok && m.Step(x.public, node, round, 0).Idle {
		return 0
	}
	if m, ok := x.public.Method.(model.Gossiping); ok && m.Idle(round) {
		return 0
	}
	return x.cost.Took(x.seed, node, a.Problem.Shards[node-a.First()].U.Len(), round)
}

// What nodes that lie send: a function of their strategy, of what they publish and of what had reached them.

package evaluation

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"overhear/adversary/acts"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/record"
	"overhear/sim"
)

// liars are those of the run at hand; nil: all are honest.
func (x *explainer) liars() *acts.Company { return x.assembly[x.world].Liars }

// testimony is what the liars of a run told, and were at.
type testimony struct {
	held    map[[2]int][]float64               // by node and round, what they published
	told    map[[3]int][]*algorithms.Statement // by sender, receiver and round, in order of time
	entered map[int][]*algorithms.Statement    // by sender, the first of each round
}

// testify gathers it.
func (x *explainer) testify() {
	x.testimony = testimony{map[[2]int][]float64{}, map[[3]int][]*algorithms.Statement{},
		map[int][]*algorithms.Statement{}}
	if x.liars() == nil {
		return
	}
	for i := range x.published {
		if r := &x.published[i]; x.liars().Lies(int(r.Node)) {
			x.held[[2]int{int(r.Node), int(r.Round)}] = r.Values
		}
	}
	for _, s := range x.stated {
		key := [3]int{s.Node, s.To, s.Round}
		x.told[key] = append(x.told[key], s)
		if all := x.entered[s.Node]; len(all) == 0 || all[len(all)-1].Round < s.Round {
			x.entered[s.Node] = append(all, s)
		}
	}
}

// reachedBy is the latest round that a liar had told anybody of, or kept silent about, by then.
func (t *testimony) reachedBy(node int, at sim.Time) int {
	all := t.entered[node]
	k, _ := slices.BinarySearchFunc(all, at, func(s *algorithms.Statement, at sim.Time) int {
		if s.At <= at {
			return -1
		}
		return 1
	})
	if k == 0 {
		return 0
	}
	return all[k-1].Round
}

// stating is the latest statement by then that a packet of a liar carries; nil: there is none.
func (t *testimony) stating(p *packet) *algorithms.Statement {
	all := t.told[[3]int{p.from, p.to, p.round}]
	for k := len(all) - 1; k >= 0; k-- {
		if all[k].At <= p.sent {
			return all[k]
		}
	}
	return nil
}

// silent says whether a liar says that it told a neighbour nothing of a round.
func (t *testimony) silent(node, to, round int) bool {
	all := t.told[[3]int{node, to, round}]
	return len(all) > 0 && all[len(all)-1].Values == nil
}

// carries checks that a packet of a liar carries what the liar says that it sent.
func (x *explainer) carries(p *packet) {
	s := x.stating(p)
	x.account.same(record.LiesFollow, s != nil && s.Values != nil && sameBits(x.payloads[p.payload], s.Values), p,
		func() string { return "the node, which lies, says that it told something else, or nothing" })
}

// statements checks what liars told: their strategy, with what they publish and the values that had come by then, says
// it again to the last bit. A liar may leave out of account what came last; it may not foresee.
func (x *explainer) statements() {
	if x.liars() == nil {
		return
	}
	type link struct{ from, to int }
	came := map[link][]*packet{}
	for i := range x.packets {
		if p := &x.packets[i]; p.kind == algorithms.KindValue && p.received >= 0 && x.liars().Lies(p.to) {
			l := link{p.from, p.to}
			came[l] = append(came[l], p)
		}
	}
	for _, all := range came {
		slices.SortStableFunc(all, func(a, b *packet) int { return cmp.Compare(a.received, b.received) })
	}
	again := map[int]*acts.Liar{}
	for _, s := range x.stated {
		l := again[s.Node]
		if l == nil {
			l = x.assembly[0].Liars.Liar(x.seed, s.Node) // who lies does not know which world it is in
			again[s.Node] = l
		}
		neighbours := x.graph.Neighbours(s.Node)
		foreseen := ""
		for k, round := range s.Heard {
			j := int(neighbours[k])
			heard := came[link{j, s.Node}]
			for l.Rounds()[k] < round && len(heard) > 0 && heard[0].received <= s.At {
				l.Hear(k, heard[0].round, x.payloads[heard[0].payload])
				heard = heard[1:]
			}
			came[link{j, s.Node}] = heard
			if l.Rounds()[k] != round {
				foreseen = fmt.Sprintf("it goes by the value of round %d of node %d, which had not come", round, j)
			}
		}
		p := x.first[[2]int{s.Node, s.Round}]
		own, ok := x.held[[2]int{s.Node, s.Round}]
		position, linked := slices.BinarySearch(neighbours, int32(s.To))
		if !ok || !linked {
			x.account.misfits(record.LiesFollow, p, fmt.Sprintf("node %d, which lies, published no such value", s.Node))
			continue
		}
		want, _ := l.Say(acts.Recipient{Node: s.To, Position: position, Round: s.Round, At: s.At}, own)
		fits := foreseen == "" && (want == nil) == (s.Values == nil) && sameBits(want, s.Values)
		x.account.same(record.LiesFollow, fits, p, func() string {
			if foreseen != "" {
				return foreseen
			}
			return fmt.Sprintf("what node %d tells node %d is not what its strategy makes of what it had heard", s.Node,
				s.To)
		})
	}
}

// lies are what liars told, as their packets have it, whether true or not.
func (x *explainer) lies() (all []record.Lie) {
	if x.liars() == nil {
		return nil
	}
	for i := range x.packets {
		if p := &x.packets[i]; p.kind == algorithms.KindValue && x.liars().Lies(p.from) {
			all = append(all, record.Lie{Node: int32(p.from), To: int32(p.to), Round: int32(p.round),
				TimeNS: int64(p.sent), Values: x.payloads[p.payload]})
		}
	}
	return all
}

// withSilence adds to packets, in order of sending, values that liars kept to themselves: none arrives, and when one
// would have been sent is when its node was that far.
func (x *explainer) withSilence(all []record.Message) []record.Message {
	n := len(all)
	for _, s := range x.stated {
		if s.Values == nil {
			all = append(all, record.Message{Src: int32(s.Node), Dst: int32(s.To), Round: int32(s.Round),
				Kind: record.MessageValue, SentNS: int64(s.At), ReceivedNS: -1})
		}
	}
	if len(all) > n {
		slices.SortStableFunc(all, func(a, b record.Message) int { return cmp.Compare(a.SentNS, b.SentNS) })
	}
	return all
}

// valueOf is a node's value of a round, and the packet that carries it: of a liar what it reports, as its packets
// need not; nil: there is none, of which is told.
func (x *explainer) valueOf(node, round int) ([]float64, *packet) {
	p := x.first[[2]int{node, round}]
	if x.liars().Lies(node) {
		return x.held[[2]int{node, round}], p
	}
	if p == nil {
		return nil, nil
	}
	return x.payloads[p.payload], p
}

// suffered is what lies made honest nodes compute with in all runs.
func suffered(sample [2][]*evidence) (l algorithms.Lied) {
	for w := range sample {
		for _, v := range sample[w] {
			l.Add(v.lied)
		}
	}
	return l
}

// amid has a claim not established, nor its certificate, if what liars sent breaks what it is proved with.
func (c *claim) amid(e *experiment.Experiment, a *experiment.Assembly, l algorithms.Lied) {
	if a.Liars == nil {
		return
	}
	err := algorithms.Amid(a.Method, a.Setting, e.Solver.Tolerance, l)
	if err == nil {
		return
	}
	c.established = cmp.Or(c.established, err)
	if c.certificate != nil && c.certificate.Reason == "" {
		own := *c.certificate
		own.Epsilon, own.Reason = record.Number(math.NaN()), err.Error()
		c.certificate = &own
	}
}

// lied is what lies made honest nodes compute with.
func (x *explainer) lied() (l algorithms.Lied) {
	if x.liars() == nil {
		return l
	}
	for node, scale := range x.scales {
		l.Solved(x.liars(), node, scale)
	}
	for i := range x.packets {
		p := &x.packets[i]
		l.Hear(x.liars(), p.from, p.to, p.kind, x.payloads[p.payload])
	}
	return l
}

// Nodes that had lost their memory, and went on from their start.

package adversary

import (
	"fmt"
	"math"
	"slices"

	"overhear/adversary/model"
	"overhear/record"
)

// Restart is of a node that had lost its memory, and went on: its next update begins at its start, without a dual.
type Restart struct {
	Node, Round int   // the last round that it had published; −1: none
	At          int64 // ns of virtual time
	Resends     bool  // from then on it sends its start to whoever is to have that round's value
}

// Restates says whether a packet carries its sender's start in place of what that had published in the round.
func (v *View) Restates(m *record.Message) bool {
	return m.Kind == record.MessageValue && m.Round > 0 && slices.ContainsFunc(v.restarts[int(m.Src)],
		func(s Restart) bool { return s.Resends && s.Round == int(m.Round) && s.At <= m.SentNS })
}

// asksAgain says whether a node that went on asks for a value that it had received before it lost its memory.
func (v *View) asksAgain(m *record.Message) bool {
	at := v.restarted(int(m.Src), int(m.Round))
	return at >= 0 && at <= m.SentNS && slices.ContainsFunc(v.arrived[[2]int{int(m.Src), int(m.Dst)}],
		func(a arrival) bool { return a.round == int(m.Round) && a.at < at })
}

// Anew says whether a node's update of a round was the first after it had lost its memory. Who sees it send its start
// again, or ask again for what it had received, knows.
func (v *View) Anew(node, round int) (bool, error) {
	switch at := v.restarted(node, round-1); {
	case at < 0:
		return false, nil
	case round > 1 && !v.reveals[[2]int{node, round - 1}]:
		return false, model.NotSeen("that node %d, which had lost its memory, began round %d at its start", node, round)
	}
	return true, nil
}

// restarted is when a node went on, last, that had published a round before it lost its memory; −1: never.
func (v *View) restarted(node, round int) int64 {
	at := int64(-1)
	for _, s := range v.restarts[node] {
		if s.Round == round {
			at = max(at, s.At)
		}
	}
	return at
}

// remembers is since when a node knows what it has received as its update after a round begins.
func (v *View) remembers(node, round int) int64 {
	since := int64(0)
	for _, s := range v.restarts[node] {
		if s.Round <= round { // what had come of the round by then, early, is lost, too
			since = max(since, s.At)
		}
	}
	return since
}

// Steady is the last round to which every node's values follow from its start and the rounds since.
func (v *View) Steady() int {
	last := v.Public.Rounds
	for _, all := range v.restarts {
		for _, s := range all {
			if s.Round > 0 { // what begins anew before it has computed anything computes the same
				last = min(last, s.Round)
			}
		}
	}
	return last
}

// unsteady says what attacks leave aside that follow all nodes at once.
func (v *View) unsteady() []string {
	last := v.Steady()
	if last == v.Public.Rounds {
		return nil
	}
	return []string{fmt.Sprintf("rounds after %d, before which a node had lost its memory and went on from its start",
		last)}
}

// first is the round of the value that a node, in lockstep, took as that of a neighbour's round: the first copy to
// come since the node lost its memory, and 0 if that carried the neighbour's start.
func (v *View) first(node, neighbour, round int) (int, error) {
	if round == 0 || v.restarted(neighbour, round) < 0 {
		return round, nil
	}
	since, came := v.remembers(node, round), int64(math.MaxInt64)
	copies, starts := 0, 0 // that came first, and how many of them carry the start
	for i := range v.packets {
		m := &v.packets[i]
		if m.Kind != record.MessageValue || int(m.Src) != neighbour || int(m.Dst) != node || int(m.Round) != round ||
			m.ReceivedNS < since || m.ReceivedNS > came {
			continue
		}
		if m.ReceivedNS < came {
			came, copies, starts = m.ReceivedNS, 0, 0
		}
		copies++
		if v.Restates(m) {
			starts++
		}
	}
	escaped := v.Vantage.Miss > 0 || v.Vantage.Partial || copies == 0
	switch {
	case escaped || starts > 0 && (starts < copies || v.liars[neighbour]):
		return 0, model.NotSeen("whether node %d took what node %d had published in round %d, or the start from which "+
			"that went on", node, neighbour, round)
	case starts > 0:
		return 0, nil
	}
	return round, nil
}

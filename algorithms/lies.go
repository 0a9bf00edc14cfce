// What nodes that lie send, and hear: adversary.acts.

package algorithms

import (
	"overhear/adversary/acts"
	"overhear/sim"
)

// lying is the part of a node that lies.
type lying struct {
	*acts.Liar
	said [2][][]float64 // by parity of the round, what it told each neighbour; nil: nothing
}

// lyingOf is that of a node; nil: it is honest.
func (s *rowRun) lyingOf(node int) *lying {
	if l := s.Liars.Liar(s.Seed, node); l != nil {
		return &lying{Liar: l}
	}
	return nil
}

// prepare makes what the liar tells every neighbour of a round, of what it should.
func (l *lying) prepare(env *sim.Env, s *rowRun, n *Node, self, round int) (lied bool) {
	neighbours := s.Setting.Graph.Neighbours(self)
	said := make([][]float64, len(neighbours))
	for k, j := range neighbours {
		honest := n.F
		if s.addressing != nil {
			honest = make([]float64, len(n.F))
			s.addressing.Message(n, k, honest)
		}
		lie := false
		said[k], lie = l.Say(acts.Recipient{Node: int(j), Position: k, Round: round, At: env.Now()}, honest)
		if o, ok := s.Observer.(StatementObserver); ok {
			o.Stated(&Statement{Node: self, To: int(j), Round: round, At: env.Now(), Values: said[k], False: lie,
				Heard: l.Rounds()})
		}
		lied = lied || lie
	}
	l.said[round&1] = said
	return lied
}

// tell sends every neighbour that, as an honest node does if none of it is a lie.
func (l *lying) tell(env *sim.Env, s *rowRun, n *Node, self, round int) {
	if !l.prepare(env, s, n, self, round) && s.addressing == nil && s.registering == nil {
		env.Broadcast(KindValue, round, n.F)
		return
	}
	for k, j := range s.Setting.Graph.Neighbours(self) {
		if m := l.said[round&1][k]; m != nil {
			env.Send(int(j), KindValue, round, m)
		}
	}
}

// repeat sends the neighbour in a position again what it was told in a round.
func (l *lying) repeat(env *sim.Env, to, k, round int) {
	said := l.said[round&1]
	if said == nil || said[k] == nil || l.Mute(acts.Recipient{Node: to, Position: k, Round: round, At: env.Now()}) {
		return
	}
	env.Send(to, KindValue, round, said[k])
}

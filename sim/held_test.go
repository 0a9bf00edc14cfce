// Messages that are composed in memory of their own.

package sim

import (
	"context"
	"slices"
	"testing"
)

// composer sends its neighbours messages of two lengths and keeps the last that it was sent, for as long as it has not
// answered.
type composer struct {
	t      *testing.T
	engine *Engine
	left   int // to send
	kept   Held
	copied []float64 // of what is kept
	rooms  map[*float64]bool
	heard  int
}

func (c *composer) Start(env *Env) { env.After(1, 0) }

func (c *composer) Wake(env *Env, _ uint64) {
	if c.left--; c.left < 0 {
		return
	}
	if c.kept != 0 && !slices.Equal(c.engine.Payload(c.kept), c.copied) {
		c.t.Errorf("node %d keeps %v, which has become %v", env.Self(), c.copied, c.engine.Payload(c.kept))
	}
	for to := range env.Neighbours() {
		h, m := env.Compose(2 + c.left%2)
		for k := range m {
			m[k] = float64(1000*env.Self() + c.left)
		}
		c.rooms[&m[0]] = true
		env.SendHeld(to, 1, c.left, h)
		c.engine.Drop(h)
	}
	env.Broadcast(2, c.left, nil)
	env.After(Duration(1+c.left%3), 0)
}

func (c *composer) Receive(env *Env, m *Message) {
	if m.Kind == 2 {
		if m.Payload != nil {
			c.t.Errorf("a message without numbers has %v", m.Payload)
		}
		return
	}
	c.heard++
	for _, v := range m.Payload {
		if v != float64(1000*int(m.From)+int(m.Round)) || len(m.Payload) != 2+int(m.Round)%2 {
			c.t.Errorf("node %d sent %v in round %d", m.From, m.Payload, m.Round)
		}
	}
	if m.Round%4 == 0 {
		c.engine.Drop(c.kept)
		c.kept, c.copied = env.Keep(), slices.Clone(m.Payload)
	}
}

// A composed message arrives as it was sent, also twice, and stays what it is while it is kept; when nobody holds it,
// be it lost or received, its memory is used again.
func TestCompose(t *testing.T) {
	const rounds = 2000
	g, err := Topology{Kind: "complete", Nodes: 4}.Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]Link{
		"sure":  {Latency: Latency{Kind: "constant", Value: 5}},
		"lossy": {Latency: Latency{Kind: "uniform", Low: 1, High: 20}, Loss: 0.2, Duplication: 0.3},
	} {
		e, err := New(Config{Seed: 1, Graph: g, Link: link})
		if err != nil {
			t.Fatal(err)
		}
		rooms := map[*float64]bool{}
		nodes := make([]composer, g.Order())
		for i := range nodes {
			nodes[i] = composer{t: t, engine: e, left: rounds, rooms: rooms}
			e.Attach(i, &nodes[i])
		}
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if nodes[0].heard < rounds || nodes[0].kept == 0 {
			t.Errorf("%s: node 0 has heard %d messages", name, nodes[0].heard)
		}
		// Of two lengths, in turn: what is too short for the longer is given up once.
		if most := 4 * 3 * 3 * 20; len(rooms) > most {
			t.Errorf("%s: %d messages were composed in %d places, more than %d", name, 4*3*rounds, len(rooms), most)
		}
		for i := range nodes {
			e.Drop(nodes[i].kept)
		}
		free := len(e.slots.free) + len(e.slots.owners)
		if all := len(e.slots.blocks) * slotsOfBlock; free != all {
			t.Errorf("%s: %d of %d places are free in the end", name, free, all)
		}
	}
}

// The payload of a composed message is where it is said to be without a look at the message, unless it is longer than
// those of its block; messages that are not composed take no room for one.
func TestSlots_PlaceOfAPayload(t *testing.T) {
	var s slots
	const d = 3
	held := map[*float64]uint32{}
	for k := range 2*slotsOfBlock + 1 {
		id := s.compose(d)
		m, place := s.at(id), s.place(id)
		if len(m.Payload) != d || cap(m.Payload) != d || len(place) != d || &m.Payload[0] != &place[0] {
			t.Fatalf("slot %d has %d numbers, its place %d", id, len(m.Payload), len(place))
		}
		if other, ok := held[&place[0]]; ok {
			t.Fatalf("slots %d and %d have one place", id, other)
		}
		held[&place[0]] = id
		if plain := s.take(); k == 0 && len(s.place(plain)) != 0 {
			t.Errorf("a message that is not composed has a place for %d numbers", len(s.place(plain)))
		}
	}
	for _, id := range held {
		s.release(id)
	}
	for _, n := range []int{d - 1, d, d + 1, d} {
		id := s.compose(n)
		if m := s.at(id); len(m.Payload) != n || !m.own {
			t.Errorf("%d numbers were asked for, there are %d", n, len(m.Payload))
		}
		s.release(id)
	}
	if blocks := len(s.blocks); blocks != 3+3 {
		t.Errorf("%d blocks", blocks)
	}
}

// What a method is really handed: a layer between protocol and method that writes
// every call down.

package fuzz

import (
	"fmt"
	"slices"

	"overhear/algorithms"
)

// call is one call of a method: what it was handed, and what it left.
type call struct {
	what   string // Update, Dual, Merge, Answer
	node   int    // of the network
	round  int
	heard  [][]float64
	fresh  []bool // nil: all
	before state
	after  state
	failed bool
}

// state is what a node holds between calls. Vectors are copies.
type state struct{ f, dual, memory []float64 }

func stateOf(n *algorithms.Node) state {
	return state{slices.Clone(n.F), slices.Clone(n.Dual), slices.Clone(n.Memory)}
}

// spy writes down the calls of a run with one worker, so that they come in the order of
// virtual time.
type spy struct {
	first int // node of shard 0
	calls []call
	inner map[int][]float64 // by node, what a Sheltering method has last said is behind its iterate
}

// node is the number in the network of what a method sees; a hub's Node has no shard.
func (s *spy) node(n *algorithms.Node) int { return s.first + n.ID }

func (s *spy) watch(what string, node int, n *algorithms.Node, round int, do func() error) error {
	c := call{what: what, node: node, round: round, fresh: slices.Clone(n.Fresh), before: stateOf(n)}
	for _, f := range n.Heard { // which are there during a step only
		c.heard = append(c.heard, slices.Clone(f))
	}
	err := do()
	c.after, c.failed = stateOf(n), err != nil
	s.calls = append(s.calls, c)
	return err
}

// rowSpy stands before a RowMethod.
type rowSpy struct {
	*spy
	algorithms.RowMethod
}

// Update writes down the method's.
func (s rowSpy) Update(n *algorithms.Node, t int) error {
	return s.watch("Update", s.node(n), n, t, func() error { return s.RowMethod.Update(n, t) })
}

// Dual writes down the method's.
func (s rowSpy) Dual(n *algorithms.Node, t int) {
	_ = s.watch("Dual", s.node(n), n, t, func() error { s.RowMethod.Dual(n, t); return nil })
}

// isolatedSpy stands before a method that is Isolated.
type isolatedSpy struct{ rowSpy }

// Isolated says that nodes send nothing.
func (isolatedSpy) Isolated() {}

// hubSpy stands before a Central method.
type hubSpy struct {
	rowSpy
	central algorithms.Central
}

// Merge writes down the method's.
func (s hubSpy) Merge(h *algorithms.Node, t int) {
	_ = s.watch("Merge", 0, h, t, func() error { s.central.Merge(h, t); return nil })
}

// shelterSpy stands before what a Sheltering method has besides.
type shelterSpy struct {
	of *spy
	algorithms.Sheltering
}

// Inner writes down the method's.
func (s shelterSpy) Inner(n *algorithms.Node) []float64 {
	inner := s.Sheltering.Inner(n)
	s.of.inner[s.of.node(n)] = slices.Clone(inner)
	return inner
}

// columnSpy stands before a ColumnMethod. The hub is node 0, party m node m + 1.
type columnSpy struct {
	*spy
	algorithms.ColumnMethod
}

// startingSpy stands before a method that StartsAnywhere.
type startingSpy struct{ columnSpy }

// StartsAnywhere says that parties may start at random coefficients.
func (startingSpy) StartsAnywhere() {}

// Answer writes down the method's.
func (s columnSpy) Answer(p *algorithms.Party, t int, hub []float64) ([]float64, error) {
	c := call{what: "Answer", node: p.ID + 1, round: t, heard: [][]float64{hub},
		before: state{f: slices.Clone(p.X), memory: slices.Clone(p.Memory)}}
	sent, err := s.ColumnMethod.Answer(p, t, hub)
	c.after = state{f: slices.Clone(p.X), memory: slices.Clone(p.Memory)}
	c.failed = err != nil
	s.calls = append(s.calls, c)
	return sent, err
}

// Merge writes down the method's.
func (s columnSpy) Merge(h *algorithms.Hub, t int, sent [][]float64) ([]float64, error) {
	of := func() state { return state{slices.Clone(h.Z), slices.Clone(h.Y), slices.Clone(h.Memory)} }
	c := call{what: "Merge", node: 0, round: t, heard: slices.Clone(sent), before: of()}
	message, err := s.ColumnMethod.Merge(h, t, sent)
	c.after, c.failed = of(), err != nil
	s.calls = append(s.calls, c)
	return message, err
}

// on is the method with a spy before it. A protocol finds out what else a method does by
// its traits, so that what stands before it must have just those.
func (s *spy) on(m algorithms.Method) (algorithms.Method, error) {
	if c, ok := m.(algorithms.ColumnMethod); ok {
		recovering, recovers := m.(algorithms.Recovering)
		_, starts := m.(algorithms.StartsAnywhere)
		switch {
		case recovers && starts:
			return struct {
				startingSpy
				algorithms.Recovering
			}{startingSpy{columnSpy{s, c}}, recovering}, nil
		case recovers:
			return struct {
				columnSpy
				algorithms.Recovering
			}{columnSpy{s, c}, recovering}, nil
		case starts:
			return startingSpy{columnSpy{s, c}}, nil
		}
		return columnSpy{s, c}, nil
	}
	rows, ok := m.(algorithms.RowMethod)
	if !ok {
		return nil, fmt.Errorf("fuzz cannot watch a %T, which is neither a RowMethod nor a ColumnMethod", m)
	}
	row := rowSpy{s, rows}
	idler, idles := m.(algorithms.Idler)
	_, isolates := m.(algorithms.Isolated)
	addressing, addresses := m.(algorithms.Addressing)
	sheltering, shelters := m.(algorithms.Sheltering)
	registering, registers := m.(algorithms.Registering)
	central, isCentral := m.(algorithms.Central)
	type traits struct{ idles, isolates, addresses, shelters, registers, central bool }
	switch (traits{idles, isolates, addresses, shelters, registers, isCentral}) {
	case traits{}:
		return row, nil
	case traits{idles: true}:
		return struct {
			rowSpy
			algorithms.Idler
		}{row, idler}, nil
	case traits{isolates: true}:
		return isolatedSpy{row}, nil
	case traits{idles: true, isolates: true}:
		return struct {
			isolatedSpy
			algorithms.Idler
		}{isolatedSpy{row}, idler}, nil
	case traits{addresses: true}:
		return struct {
			rowSpy
			algorithms.Addressing
		}{row, addressing}, nil
	case traits{idles: true, addresses: true}:
		return struct {
			rowSpy
			algorithms.Idler
			algorithms.Addressing
		}{row, idler, addressing}, nil
	case traits{shelters: true}:
		return struct {
			rowSpy
			shelterSpy
		}{row, shelterSpy{s, sheltering}}, nil
	case traits{registers: true}:
		return struct {
			rowSpy
			algorithms.Registering
		}{row, registering}, nil
	case traits{shelters: true, registers: true}:
		return struct {
			rowSpy
			shelterSpy
			algorithms.Registering
		}{row, shelterSpy{s, sheltering}, registering}, nil
	case traits{central: true}:
		return hubSpy{row, central}, nil
	}
	return nil, fmt.Errorf("fuzz cannot watch a %T: no spy has just its traits", m)
}

// Package external runs methods and attacks that are written in Python: classes whose update and dual are a node's
// step, or that say what was overheard, computed in interpreters of their own with the engine's noise and solver.
// Everything else is the engine's, so that a run has one trace, whatever computes its steps.
package external

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"overhear/algorithms"
	"overhear/internal/python"
	"overhear/privacy"
	"overhear/sim"
)

// Method are the parameters of a method in Python.
type Method struct {
	python.Class
	Claim float64 `yaml:"claim" doc:"privacy loss ε of a row a round that it is said to have; 0: no claim"`
}

// Check reports a file that is not named.
func (p Method) Check(report func(field, problem string)) {
	p.Named(report)
	if !(p.Claim >= 0) {
		report("claim", fmt.Sprintf("must not be negative, is %v", p.Claim))
	}
}

// method is a method in a run. Steps that begin together are computed in one call of the driver, in the order in which
// they begin, so that a run has the same bits whatever the class keeps. What they leave to be minimised is the
// workers'.
type method struct {
	Method
	algorithms.Setting

	object *python.Object // nil: the run has not begun
	unmade error          // why there are no objects of the class: what each node is told, whichever asks first
	steps  []step         // by node, the one under way
	batch  []*step        // those that are gathered
	what   []byte         // of each its node, round and what is to be computed
	given  []byte         // of each f, dual and sum
	room   []float64      // of minimisers that the class asks for

	foretold byte   // what noise the class asks for, which it is then told of with each step; 0: none so far
	draws    []byte // of each step, of noise that is foretold
}

// step is a node's step.
type step struct {
	node   *algorithms.Node
	t      int
	met    bool // the class has stepped the node before
	err    error
	open   bool        // f is where the minimiser is to be searched for
	kappa  float64     // of the subproblem
	values []float64   // f, dual and q, d numbers each
	stream *sim.Stream // of the noise of the update; nil: none is drawn yet
	told   bool        // the first of it was foretold
}

// claiming is a method that is said to protect rows.
type claiming struct{ *method }

// Guarantee is the claim, whose proof nobody has seen.
func (m claiming) Guarantee() string {
	return "ε-differential privacy of a row in each round, as algorithm.claim says, summed over rounds"
}

// Established asks for what every proof of the kind takes of rows and loss.
func (m claiming) Established() error { return algorithms.Shielded(m.Problem) }

// Unproved says whose word the claim is.
func (m claiming) Unproved() error {
	return errors.New("algorithm.claim is its author's word: the steps are a program's, of which nothing is proved")
}

// Account enters the claim of every node and round.
func (m claiming) Account(l *privacy.Ledger) {
	for i := range m.Problem.Shards {
		for t := 1; t <= m.Rounds; t++ {
			l.Spend(i, t, privacy.Sample, privacy.PureDP{Epsilon: m.Claim})
		}
	}
}

// setting is what the class's nodes are told at the start.
type setting struct {
	D      int      `json:"d"`
	C      float64  `json:"C"`
	Bound  float64  `json:"bound"`
	Rounds int      `json:"rounds"`
	Nodes  []ofNode `json:"nodes"`
}

type ofNode struct {
	Degree int     `json:"degree"`
	Rows   int     `json:"rows"`
	Ridge  float64 `json:"ridge"`
}

// open makes the nodes' objects.
func (m *method) open() error {
	if m.object != nil || m.unmade != nil {
		return m.unmade
	}
	s := setting{D: m.Problem.D, C: m.Problem.C, Bound: m.Problem.Loss.Bound(), Rounds: m.Rounds}
	for i := range m.Problem.Shards {
		s.Nodes = append(s.Nodes, ofNode{m.Graph.Degree(i), m.Problem.Shards[i].U.Len(), m.Problem.R[i]})
	}
	m.object, _, m.unmade = python.Make(&m.Class, "algorithm", "method", s)
	return m.unmade
}

// Close gives the interpreter back.
func (m *method) Close() error {
	if m.object != nil {
		m.object.Release()
		m.object = nil
	}
	return nil
}

// What a class is to compute of a node.
const (
	update = 1 << iota
	dual   // before that, of the round before it
	anew   // with an object that remembers nothing: a crash has cost the node its memory
)

// Gather takes a step of those that are computed together.
func (m *method) Gather(n *algorithms.Node, t int) {
	s := &m.steps[n.ID]
	s.node, s.t, s.err, s.open, s.stream, s.told = n, t, nil, false, nil, false
	what := 0
	if t <= m.Rounds {
		what |= update
	}
	if t > 1 {
		what |= dual
	}
	if n.Memory == nil && s.met {
		what |= anew
	}
	n.Memory, s.met = []float64{}, true // not nil
	m.batch = append(m.batch, s)
	for _, number := range []int{n.ID, t, what} {
		m.what = binary.LittleEndian.AppendUint32(m.what, uint32(number))
	}
	m.given = python.Put(m.given, n.F, n.Dual, n.Sum)
	m.foretell(s, what&update != 0)
}

// foretell draws the noise that the class is going to ask for in an update, so that it need not ask.
func (m *method) foretell(s *step, updates bool) {
	if m.foretold == 0 {
		return
	}
	scale := make([]float64, 0, 2)
	if clear(m.room); updates {
		s.stream, s.told = s.node.Stream("noise", s.t), true
	}
	switch {
	case m.foretold == noise && updates:
		norm, length := privacy.Unscaled(s.stream, m.room)
		scale = append(scale, norm, length)
	case m.foretold == noise:
		scale = append(scale, 1, 0)
	case updates:
		privacy.Gaussian(s.stream, 1, m.room)
	}
	m.draws = python.Put(m.draws, m.room, scale)
}

// Join computes the steps that are gathered.
func (m *method) Join() {
	if err := m.compute(); err != nil {
		for _, s := range m.batch {
			if s.err == nil {
				s.err = err
			}
		}
	}
	m.batch, m.what, m.given, m.draws = m.batch[:0], m.what[:0], m.given[:0], m.draws[:0]
}

func (m *method) compute() error {
	if err := m.open(); err != nil {
		return err
	}
	count := binary.LittleEndian.AppendUint32(nil, uint32(len(m.batch)))
	body, err := m.object.Call(m.serve, count, m.what, m.given, m.draws)
	if err != nil {
		return err
	}
	n, d := len(m.batch), m.Problem.D
	all := 9*n + 16*n*d
	for k := range min(n, len(body)) {
		if body[k] == toMinimise {
			all += 8 * d
		}
	}
	if len(body) < all {
		return fmt.Errorf("the driver wrote %d bytes where %d are an answer", len(body), all)
	}
	var failures []string
	if len(body) > all {
		if err := json.Unmarshal(body[all:], &failures); err != nil {
			return fmt.Errorf("what the class raised: %w", err)
		}
	}
	status, kappa, values, linear := body[:n], body[n:9*n], body[9*n:], body[9*n+16*n*d:all]
	for k, s := range m.batch {
		if s.values == nil {
			s.values = make([]float64, 3*d)
		}
		python.Read(values[16*k*d:], s.values[:2*d])
		switch status[k] {
		case toMinimise:
			one := make([]float64, 1)
			python.Read(kappa[8*k:], one)
			s.open, s.kappa = true, one[0]
			linear = linear[python.Read(linear, s.values[2*d:]):]
		case failed:
			if len(failures) > 0 {
				s.err, failures = &python.Failure{Traceback: failures[0]}, failures[1:]
			}
		}
	}
	return nil
}

// How a step may have ended.
const (
	toMinimise = 1 + iota
	failed
)

// What a class may ask for.
const (
	noise byte = python.Asks + iota
	gaussian
	minimise
	gradient
	data
)

// serve computes what the engine has for a node.
func (m *method) serve(kind byte, body []byte) ([]byte, error) {
	if len(body) < 4 || int(binary.LittleEndian.Uint32(body)) >= len(m.batch) {
		return nil, python.Refusef("it asks for no node of the call")
	}
	s := m.batch[binary.LittleEndian.Uint32(body)]
	n, body := s.node, body[4:]
	one := make([]float64, 1)
	switch kind {
	case noise, gaussian:
		if len(body) == 0 {
			return nil, python.Refusef("it does not say if it has had noise")
		}
		used := body[0] != 0
		if err := python.Take(body[1:], one); err != nil {
			return nil, err
		}
		if s.stream == nil || s.told && !used { // it goes on where more is drawn, which is new
			s.stream = n.Stream("noise", s.t)
		}
		if s.told = false; !used {
			m.foretold = kind
		}
		if kind == noise {
			privacy.Laplace(s.stream, one[0], n.Room)
		} else {
			privacy.Gaussian(s.stream, one[0], n.Room)
		}
		return python.Put(nil, n.Room), nil
	case minimise:
		published := n.F
		defer func() { n.F = published }()
		n.F = m.room
		if err := python.Take(body, one, n.F, n.Q); err != nil {
			return nil, err
		}
		if s.err = n.Minimise(one[0]); s.err != nil {
			return nil, fmt.Errorf("node %d, whose step is computed with this one, round %d: %w", n.ID, s.t, s.err)
		}
		return python.Put(nil, n.F), nil
	case gradient:
		if err := python.Take(body, n.Q); err != nil {
			return nil, err
		}
		n.Gradient(n.Q, n.Room)
		return python.Put(nil, n.Room), nil
	case data:
		var rows []byte
		u := m.Problem.Shards[n.ID].U
		for k := range u.Len() {
			row := make([]float64, m.Problem.D)
			columns, values := u.Row(k)
			for at, c := range columns {
				row[c] = values[at]
			}
			rows = python.Put(rows, row)
		}
		return rows, nil
	}
	return nil, python.Refusef("it asks for %d, which nobody knows", kind)
}

// Dual is what the class has left of the dual.
func (m *method) Dual(n *algorithms.Node, _ int) {
	s, d := &m.steps[n.ID], len(n.F)
	if s.err != nil {
		n.Fail(s.err)
		return
	}
	copy(n.Dual, s.values[d:2*d])
}

// Update is what the class has left of the iterate, or the minimiser that it has asked for last.
func (m *method) Update(n *algorithms.Node, t int) error {
	m.Dual(n, t)
	s, d := &m.steps[n.ID], len(n.F)
	if s.err != nil {
		return s.err
	}
	copy(n.F, s.values[:d])
	if !s.open {
		return nil
	}
	copy(n.Q, s.values[2*d:])
	return n.Minimise(s.kappa)
}

func init() {
	algorithms.Register(&algorithms.Entry{
		Name:  "python",
		Fixed: "the class got them at the start, and what it made of them is its own",
		Title: "a method of one's own, a class in Python",
		Paper: "none: the reader's own",
		About: `A class with update(node, t) and dual(node, t) computes each node's step in an interpreter of its own:
  node.f, node.dual, node.sum   the iterate and the dual of round t−1, and the sum of the neighbours' iterates
  update leaves node.f of round t, which is published; dual, once the neighbours' are there, node.dual
  node.noise, node.gaussian, node.minimise, node.gradient   are the engine's
Each node has an object of its own. The network, the rounds and the trace are the engine's.
Claims what algorithm.claim says, by its author's word; simulate audit --black-box measures what it gives away.`,
		Params: func() any { return new(Method) },
		New: func(params any, s algorithms.Setting) (algorithms.Method, error) {
			m := &method{Method: *params.(*Method), Setting: s, steps: make([]step, s.Graph.Order()),
				room: make([]float64, s.Problem.D)}
			if m.Claim > 0 {
				return claiming{m}, nil
			}
			return m, nil
		},
	})
}

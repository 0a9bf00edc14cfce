// Package external runs methods that are written in Python: classes whose update and dual are a node's step, computed
// in an interpreter of its own, over pipes, with the engine's noise and solver. Everything else is the engine's, so
// that a run has one trace, whatever computes its steps.
package external

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/sim"
)

// Method are the parameters of a method in Python.
type Method struct {
	File        string    `yaml:"file" doc:"file of the class"`
	Class       string    `yaml:"class" doc:"name of the class; none: the only one in the file that has update"`
	Parameters  Arguments `yaml:"parameters" doc:"what the class is made with, such as eta=0.1, alpha=1"`
	Claim       float64   `yaml:"claim" doc:"privacy loss ε of a row in each round that the method is said to have; 0: it claims nothing"`
	Interpreter string    `yaml:"interpreter" default:"python3" doc:"the Python that computes; it needs numpy"`
}

// Arguments are numbers by name.
type Arguments map[string]float64

// UnmarshalText reads name=value, name=value.
func (a *Arguments) UnmarshalText(text []byte) error {
	*a = Arguments{}
	for one := range strings.SplitSeq(string(text), ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		name, value, ok := strings.Cut(one, "=")
		v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if name = strings.TrimSpace(name); !ok || err != nil || name == "" {
			return fmt.Errorf("must be name=number, name=number, is %q", one)
		}
		if _, twice := (*a)[name]; twice {
			return fmt.Errorf("has %s twice", name)
		}
		(*a)[name] = v
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (a Arguments) MarshalText() ([]byte, error) {
	var all []string
	for _, name := range sorted(a) {
		all = append(all, name+"="+strconv.FormatFloat(a[name], 'g', -1, 64))
	}
	return []byte(strings.Join(all, ", ")), nil
}

// Check reports a file that is not there.
func (p Method) Check(report func(field, problem string)) {
	if p.File == "" {
		report("file", "must name the file of the method's class")
	}
	if !(p.Claim >= 0) {
		report("claim", fmt.Sprintf("must not be negative, is %v", p.Claim))
	}
}

// SourceFile is where the path of the class's file is.
func (p *Method) SourceFile() *string { return &p.File }

// method is a method in a run.
type method struct {
	Method
	algorithms.Setting

	mu      sync.Mutex // a node's call at a time
	dual    []bool     // by node: its dual is to be computed with its next update, which follows at once
	process *process   // nil: the run has not begun
	session uint32
	unmade  error       // why there are no objects of the class: what each node is told, whichever asks first
	stream  *sim.Stream // of the noise of the update under way; nil: none is drawn yet
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
	File       string             `json:"file"`
	Class      string             `json:"class"`
	Parameters map[string]float64 `json:"parameters"`
	D          int                `json:"d"`
	C          float64            `json:"C"`
	Bound      float64            `json:"bound"`
	Rounds     int                `json:"rounds"`
	Nodes      []ofNode           `json:"nodes"`
}

type ofNode struct {
	Degree int     `json:"degree"`
	Rows   int     `json:"rows"`
	Ridge  float64 `json:"ridge"`
}

// open begins a session.
func (m *method) open() error {
	if m.process != nil || m.unmade != nil {
		return m.unmade
	}
	if _, err := os.Stat(m.File); err != nil {
		return fmt.Errorf("algorithm.file: %w", err)
	}
	s := setting{File: m.File, Class: m.Class, Parameters: m.Parameters, D: m.Problem.D, C: m.Problem.C,
		Bound: m.Problem.Loss.Bound(), Rounds: m.Rounds}
	for i := range m.Problem.Shards {
		s.Nodes = append(s.Nodes, ofNode{m.Graph.Degree(i), m.Problem.Shards[i].U.Len(), m.Problem.R[i]})
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	p, err := start(m.Interpreter)
	if err != nil {
		return err
	}
	clear(m.dual)
	p.sessions++
	m.process, m.session = p, p.sessions
	if err := p.send(header(begin, m.session, 0, 0, 0), text); err != nil {
		return m.lost(err)
	}
	_, m.unmade = m.answer(nil, 0)
	return m.unmade
}

// lost is the error of a process that does not answer any more.
func (m *method) lost(why error) error {
	p := m.process
	m.process = nil
	return p.kill(why)
}

// Close ends the session of a run that is over.
func (m *method) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process == nil {
		return nil
	}
	if err := m.process.send(header(end, m.session, 0, 0, 0)); err != nil {
		return m.lost(err)
	}
	m.process.release()
	m.process = nil
	return nil
}

// answer serves what the class asks for, until it has computed.
func (m *method) answer(n *algorithms.Node, t int) ([]byte, error) {
	for {
		kind, body, err := m.process.receive()
		if err != nil {
			return nil, m.lost(err)
		}
		switch {
		case kind == result:
			return body, nil
		case kind == failure:
			return nil, &Failure{string(body)}
		case n == nil:
			return nil, m.lost(errors.New("it asks for what no class may ask for while it is made"))
		}
		out, err := m.serve(n, t, kind, body)
		if err != nil {
			lost := m.lost(err) // it waits for what will not come
			if errors.As(err, new(*refused)) {
				err = lost
			}
			return nil, err
		}
		if err := m.process.send(out); err != nil {
			return nil, m.lost(err)
		}
	}
}

// refused is an answer that is none.
type refused struct{ error }

// serve computes what the engine has for a node.
func (m *method) serve(n *algorithms.Node, t int, kind byte, body []byte) ([]byte, error) {
	one := make([]float64, 1)
	of := func(vectors ...[]float64) error {
		if err := take(body, vectors...); err != nil {
			return &refused{err}
		}
		return nil
	}
	switch kind {
	case noise, gaussian:
		if err := of(one); err != nil {
			return nil, err
		}
		if level := one[0]; !(level > 0 && level <= 1e150) {
			return nil, fmt.Errorf("the method asks for noise of level %v, which is not positive or overflows", level)
		}
		if m.stream == nil { // it goes on where more is drawn, which is new
			m.stream = n.Stream("noise", t)
		}
		if kind == noise {
			privacy.Laplace(m.stream, one[0], n.Room)
		} else {
			privacy.Gaussian(m.stream, one[0], n.Room)
		}
		return put(nil, n.Room), nil
	case minimise:
		if err := of(one, n.F, n.Q); err != nil {
			return nil, err
		}
		if err := n.Minimise(one[0]); err != nil {
			return nil, err
		}
		return put(nil, n.F), nil
	case gradient:
		if err := of(n.Q); err != nil {
			return nil, err
		}
		n.Gradient(n.Q, n.Room)
		return put(nil, n.Room), nil
	case data:
		var rows []byte
		u := m.Problem.Shards[n.ID].U
		for k := range u.Len() {
			row := make([]float64, m.Problem.D)
			columns, values := u.Row(k)
			for at, c := range columns {
				row[c] = values[at]
			}
			rows = put(rows, row)
		}
		return rows, nil
	case logarithm, exponential:
		if err := of(one); err != nil {
			return nil, err
		}
		if kind == logarithm {
			return put(nil, []float64{num.Log(one[0])}), nil
		}
		return put(nil, []float64{num.Expm1(one[0])}), nil
	}
	return nil, &refused{fmt.Errorf("it asks for %d, which nobody knows", kind)}
}

// What a class is to compute.
const (
	update = 1 << iota
	dual   // before that, of the round before it
)

// call has the class compute a node's update of a round, or its dual, or both.
func (m *method) call(n *algorithms.Node, t int, what byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.open(); err != nil {
		return err
	}
	if m.dual[n.ID] {
		m.dual[n.ID] = false
		what |= dual
	}
	m.stream = nil
	vectors := put(make([]byte, 0, 24*len(n.F)), n.F, n.Dual, n.Sum)
	if err := m.process.send(header(step, m.session, n.ID, t, what), vectors); err != nil {
		return m.lost(err)
	}
	body, err := m.answer(n, t)
	if err != nil {
		return err
	}
	f := n.F
	if what == dual {
		f = n.Room // what was published stays
	}
	if err := take(body, f, n.Dual); err != nil {
		return m.lost(err)
	}
	return nil
}

// Update is the class's update.
func (m *method) Update(n *algorithms.Node, t int) error { return m.call(n, t, update) }

// Dual is the class's dual. But for that of the last round it is computed with the update that follows: half as many
// frames.
func (m *method) Dual(n *algorithms.Node, t int) {
	if t < m.Rounds {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.dual[n.ID] = true
	} else if err := m.call(n, t+1, dual); err != nil {
		n.Fail(err)
	}
}

func sorted(a Arguments) []string {
	return slices.Sorted(maps.Keys(a))
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
			m := &method{Method: *params.(*Method), Setting: s, dual: make([]bool, s.Graph.Order())}
			if m.Claim > 0 {
				return claiming{m}, nil
			}
			return m, nil
		},
	})
}

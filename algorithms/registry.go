// Which methods there are.

package algorithms

import (
	"fmt"
	"slices"

	"overhear/problem"
	"overhear/theory"
)

// Entry describes one method: what `simulate explain` prints, which parameters
// a scenario may give it, and how to make it.
type Entry struct {
	Name      string // as in a scenario's `algorithm.kind`
	Title     string // one line
	Paper     string // citation with algorithm and equation numbers
	About     string // the update in text, the parameters' meaning, the validity condition
	Star      bool   // the network is a star whose hub, node 0, has no data
	Silent    bool   // its nodes send nothing
	Over      Over   // what may be split over its nodes
	Smooth    string // why the objective must have gradients, no kinks; "": it need not
	NonConvex bool   // the loss need not be convex
	Fixed     string // why its parameters cannot change while a run goes; "": they can

	// Active is whether what a private method claims is proved against neighbours that lie; nil: it claims nothing.
	Active *Active

	// Theorems are what its papers prove of convergence and of excess risk and run.json has numbers for.
	Theorems []theory.Theorem

	// Params returns a pointer to a fresh option struct; its fields carry
	// yaml, doc and default tags.
	Params func() any

	// New makes the method of a run from the decoded Params.
	New func(params any, s Setting) (Method, error)
}

// Active says whether a claim stands where neighbours send what they please, chosen by all messages before.
type Active struct {
	Stands bool
	Why    string // how the proof takes neighbours' values, or what it presupposes of them
}

// String says it in words.
func (a *Active) String() string {
	if a.Stands {
		return "the claim stands where neighbours lie: " + a.Why
	}
	return "the claim presupposes honest neighbours: " + a.Why
}

// Over is what may be split over the nodes of a method.
type Over uint8

// What may be split.
const (
	Rows    Over = iota // each node has samples of its own
	Columns             // each party has columns of its own, of the same samples
	Either              // whichever the problem says
)

// Suits reports that the method is not for a problem whose columns are split, or not for
// one whose rows are.
func (e *Entry) Suits(columns bool) error {
	switch {
	case columns && e.Over == Rows:
		return fmt.Errorf("algorithm %s is for split rows, and problem.columns splits columns", e.Name)
	case !columns && e.Over == Columns:
		return fmt.Errorf("algorithm %s is for split columns: problem.columns says how many each party holds", e.Name)
	}
	return nil
}

// Allows reports that the method is not for an objective with such kinks.
func (e *Entry) Allows(h *problem.NonSmooth) error {
	if h == nil || e.Smooth == "" {
		return nil
	}
	return fmt.Errorf("algorithm %s needs an objective that has gradients, and with %s it has kinks; take another "+
		"method, or leave this out of the problem: %s", e.Name, h.Keys(), e.Smooth)
}

// Takes reports that the method is not for a loss that is not convex.
func (e *Entry) Takes(convex bool) error {
	if convex || e.NonConvex {
		return nil
	}
	return fmt.Errorf("is not convex, and algorithm %s is for convex losses: take logistic, huber-hinge, squared, "+
		"huber or quantile, or ADMM sharing over split columns (problem.columns, and algorithm.kind: admm-sharing or "+
		"private-admm-sharing)", e.Name)
}

var registry []*Entry

// register adds a method; each method's file calls it once from init. Whoever makes the
// method gets it with its steps settled.
func register(e *Entry) {
	if e.Smooth != "" {
		e.About += "\nNot with problem.l1, problem.group or problem.set: " + e.Smooth + "."
	}
	build := e.New
	e.New = func(params any, s Setting) (Method, error) {
		settled, _ := Settle(params, s)
		return build(settled, s)
	}
	registry = append(registry, e)
}

// Register adds a method that is defined elsewhere, as in a test. It panics if there is
// one of that name.
func Register(e *Entry) {
	if _, ok := Lookup(e.Name); ok {
		panic("algorithms: there is a method " + e.Name)
	}
	register(e)
}

// Entries returns every method, sorted by name.
func Entries() []*Entry {
	es := slices.Clone(registry)
	slices.SortFunc(es, func(a, b *Entry) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return es
}

// Lookup returns the method of that name.
func Lookup(name string) (*Entry, bool) {
	for _, e := range registry {
		if e.Name == name {
			return e, true
		}
	}
	return nil, false
}

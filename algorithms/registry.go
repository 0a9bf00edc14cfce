package algorithms

import "slices"

// Entry describes one method: what `simulate explain` prints, which parameters
// a scenario may give it, and how to make it.
type Entry struct {
	Name  string // as in a scenario's `algorithm.kind`
	Title string // one line
	Paper string // citation with algorithm and equation numbers
	About string // the update in text, the parameters' meaning, the validity condition
	Star  bool   // the network is a star whose hub, node 0, has no data

	// Params returns a pointer to a fresh option struct; its fields carry
	// yaml, doc and default tags.
	Params func() any

	// New makes the method from the decoded Params; nil: it is for split columns
	// only.
	New func(params any, s Setting) (Method, error)

	// NewSplit makes the method for split columns; nil: it is not for them.
	NewSplit func(params any, s SplitSetting) (SplitMethod, error)
}

var registry []*Entry

// register adds a method; each method's file calls it once from init.
func register(e *Entry) { registry = append(registry, e) }

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

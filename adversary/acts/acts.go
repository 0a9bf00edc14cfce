// What a strategy is, which there are, and who lies by which.

package acts

import (
	"fmt"
	"slices"
	"strings"

	"overhear/sim"
)

// Strategy is how a node lies: a struct whose tags give its keys in a scenario.
type Strategy interface {
	// Say changes in place the message that a liar should send; false: it sends none.
	Say(l *Liar, to Recipient, message []float64) bool
}

// Recipient is to whom a message goes, and when.
type Recipient struct {
	Node     int
	Position int // among the liar's neighbours
	Round    int // of the message
	At       sim.Time
}

// Remembering is a Strategy that needs what was sent or heard so many rounds before.
type Remembering interface{ Remember() int }

// Silencing is a Strategy that leaves messages out.
type Silencing interface{ Silent(at sim.Time) bool }

// Aiming is a Strategy that is after a sample of a node.
type Aiming interface{ Aim() (victim, row int) }

// Entry registers a strategy.
type Entry struct {
	Name     string // as in a scenario
	Title    string // one line
	About    string
	Strategy func() Strategy // returns a pointer to fresh parameters
}

var registry []*Entry

// register adds a strategy; each one's file calls it once from init.
func register(e *Entry) { registry = append(registry, e) }

// Entries are all strategies, by name.
func Entries() []*Entry {
	all := slices.Clone(registry)
	slices.SortFunc(all, func(a, b *Entry) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Names are the names of all strategies, sorted.
func Names() (names []string) {
	for _, e := range Entries() {
		names = append(names, e.Name)
	}
	return names
}

// Lookup finds a strategy by name.
func Lookup(name string) (*Entry, bool) {
	k := slices.IndexFunc(registry, func(e *Entry) bool { return e.Name == name })
	if k < 0 {
		return nil, false
	}
	return registry[k], true
}

// Act says which nodes lie, in which rounds, and how: an entry of a scenario's `adversary.acts`.
type Act struct {
	Kind  string `yaml:"kind" doc:"the strategy; see simulate list strategies"`
	Nodes []int  `yaml:"nodes" doc:"the nodes that lie so; each stands in one entry"`
	From  int    `yaml:"from-round" default:"1" doc:"the first round whose messages they change; 0 is the start"`
	Until int    `yaml:"until-round" doc:"from this round on they are honest again; 0: never"`
	Every int    `yaml:"every" default:"1" doc:"of the rounds from from-round on they change every so manieth"`

	Strategy Strategy `yaml:"-"` // what Entry.Strategy returned, decoded
}

// Check reports what is wrong with an act in itself.
func (a Act) Check(report func(field, problem string)) {
	if len(a.Nodes) == 0 {
		report("nodes", "must name the nodes that lie: [3]")
	}
	for k, n := range a.Nodes {
		switch {
		case n < 0:
			report("nodes", fmt.Sprintf("must be nodes, from 0; one is %d", n))
		case slices.Contains(a.Nodes[:k], n):
			report("nodes", fmt.Sprintf("names node %d twice", n))
		}
	}
	if a.From < 0 {
		report("from-round", fmt.Sprintf("must not be negative, is %d", a.From))
	}
	if a.Until != 0 && a.Until <= a.From {
		report("until-round", fmt.Sprintf("must be after from-round, %d, or 0, is %d", a.From, a.Until))
	}
	if a.Every < 1 {
		report("every", fmt.Sprintf("must be at least 1, is %d", a.Every))
	}
}

// in says whether messages of a round are changed.
func (a *Act) in(round int) bool {
	return round >= a.From && (a.Until == 0 || round < a.Until) && (round-a.From)%a.Every == 0
}

// String says who lies and when, in words.
func (a *Act) String() string {
	who := "node"
	for k, n := range a.Nodes {
		if k > 0 {
			who += ","
		}
		who += fmt.Sprintf(" %d", n)
	}
	if len(a.Nodes) > 1 {
		who = strings.Replace(who, "node", "nodes", 1)
	}
	when := fmt.Sprintf("from round %d on", a.From)
	if a.Until > 0 {
		when = fmt.Sprintf("in rounds %d to %d", a.From, a.Until-1)
	}
	if a.Every > 1 {
		when += fmt.Sprintf(", every %d", a.Every)
	}
	return fmt.Sprintf("%s: %s, %s", a.Kind, who, when)
}

// Liars are the nodes that acts name, ascending.
func Liars(acts []Act) (all []int) {
	for i := range acts {
		all = append(all, acts[i].Nodes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Silent says whether an act leaves messages out, so that others may wait in vain.
func Silent(acts []Act) bool {
	return slices.ContainsFunc(acts, func(a Act) bool {
		_, ok := a.Strategy.(Silencing)
		return ok
	})
}

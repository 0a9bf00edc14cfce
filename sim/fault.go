// The fault plan of a run: what goes wrong and when, as a list of faults, each
// of one of the registered kinds. A kind is a file of its own, fault_*.go.

package sim

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"overhear/internal/plural"
)

// FaultPlan is everything that goes wrong in a run besides what links do by
// themselves, `network.faults` in a scenario.
//
// Every fault is known in advance or drawn from a stream of its own. So whether
// a packet arrives is decided when it is sent: it is lost if its link is cut at
// that time, or if its receiver is down, absent or gone when it would arrive.
// Outages of a node that overlap or touch are one outage. Its memory is lost if
// one of them loses it.
//
// Every fault given by name happens, if need be after all else. Random crashes,
// and what comes and goes by a trace or a law, go on only as long as something else
// can happen: while an event is pending or a named fault is to come. The run then
// waits for the nodes that were down when the last event was pending, when the last
// packet was sent, or when a packet was lost because they were down. So a run that is
// over ends, provided that a
// node with nothing left to do sends nothing and sets no timer in Restart.
type FaultPlan []Fault

// Fault is one entry of a fault plan. It holds in [At, Until): at At already, at
// Until no more.
type Fault struct {
	At    Duration `yaml:"at" doc:"when it begins; 0s if not given"`
	Until Duration `yaml:"until" doc:"when it is over; never if not given"`
	Kind  FaultKind
}

// FaultKind is what goes wrong, with its parameters: a struct whose tags give
// its keys in a scenario. A kind becomes part of the language, of the fuzzer and
// of the documents by registering its zero value with [registerFault] in its own
// file.
type FaultKind interface {
	Key() string // its own key in a scenario: the key that says which kind a fault is

	names() []int // the nodes that it names

	// check reports what is wrong with a fault of this kind in itself.
	check(f *Fault, report func(field, problem string))
	// enter puts the fault, which check has found right, into a run.
	enter(f *Fault, p *planner)
	// words is the fault as a sentence.
	words(f *Fault) string
}

// Recurring is a FaultKind by which nodes go down again and again.
type Recurring interface {
	FaultKind
	// Changes is how often a node goes down in a nanosecond, on average, and which nodes do; nil: all.
	Changes() (float64, []int)
}

// Forgetting is a FaultKind by which nodes may lose their memory.
type Forgetting interface {
	FaultKind
	Forgets() bool
}

// Listing is a FaultKind that may list something for every node of a network.
type Listing interface {
	FaultKind
	CheckOrder(nodes int) error // whether it is for so many
}

// Sited is a FaultKind that may need nodes on sites.
type Sited interface {
	FaultKind
	NeedsSites() bool
}

// Reading is a FaultKind whose times may be in a file.
type Reading interface {
	FaultKind
	SourceFile() *string // where its path is; empty: there is none
}

// randomFault is a FaultKind that can be drawn. A kind whose effects never end
// is none: a search for broken invariants needs a network that recovers.
type randomFault interface {
	FaultKind
	// random gives a kind with random parameters to a fault whose times are drawn.
	// It returns false if the graph and the plan so far leave room for none.
	random(s *Stream, f *Fault, g *Graph, span Duration, plan FaultPlan) bool
}

// faultKinds are the registered kinds by their ranks.
var faultKinds = map[int]FaultKind{}

// registerFault makes a kind known by its zero value. Texts name the kinds in
// ascending order of rank; no two kinds have the same.
func registerFault(rank int, zero FaultKind) {
	if other := faultKinds[rank]; other != nil {
		panic(fmt.Sprintf("sim: the faults %s and %s have the same rank, %d", other.Key(), zero.Key(), rank))
	}
	faultKinds[rank] = zero
}

// FaultKinds returns the zero value of every kind of fault, in the order in
// which texts name them.
func FaultKinds() []FaultKind {
	var all []FaultKind
	for _, rank := range slices.Sorted(maps.Keys(faultKinds)) {
		all = append(all, faultKinds[rank])
	}
	return all
}

// NotOneKind says what is wrong with an entry of a fault plan that has the own
// keys of none or of several kinds.
func NotOneKind(keys []string) string {
	var all []string
	for _, k := range FaultKinds() {
		all = append(all, k.Key())
	}
	last := len(all) - 1
	has := "none"
	if keys != nil {
		has = strings.Join(keys, " and ")
	}
	return fmt.Sprintf("must have exactly one of %s and %s, has %s", strings.Join(all[:last], ", "), all[last], has)
}

// Check reports what is wrong with a fault in itself; whether its nodes and
// links exist is for [New].
func (f Fault) Check(report func(field, problem string)) {
	if f.Kind == nil {
		report("", NotOneKind(nil))
		return
	}
	f.Kind.check(&f, report)
}

// Absent is a node that the fault names and that a network of so many does not have; false if
// there is none.
func (f Fault) Absent(nodes int) (int, bool) {
	names := f.Kind.names()
	if k := slices.IndexFunc(names, func(i int) bool { return i >= nodes }); k >= 0 {
		return names[k], true
	}
	return 0, false
}

func (f Fault) String() string {
	if f.Kind == nil {
		return "no fault"
	}
	return f.Kind.words(&f)
}

// RandomFault draws a fault that may be added to a plan for a graph and that is
// over when the span is. It returns false if the kind drawn has none such.
func RandomFault(s *Stream, g *Graph, span Duration, plan FaultPlan) (Fault, bool) {
	var kinds []randomFault
	for _, k := range FaultKinds() {
		if k, ok := k.(randomFault); ok {
			kinds = append(kinds, k)
		}
	}
	f := Fault{At: Duration(s.Between(0, 0.8) * float64(span))}
	f.Until = f.At + 1 + Duration(s.Between(0.01, 0.2)*float64(span))
	ok := kinds[s.IntN(len(kinds))].random(s, &f, g, span, plan)
	return f, ok
}

// end is when the fault is over.
func (f *Fault) end() Time {
	if f.Until == 0 {
		return forever
	}
	return Time(f.Until)
}

// when is the fault's span in words.
func (f *Fault) when() string {
	if f.Until != 0 {
		return fmt.Sprintf("from %v to %v", f.At, f.Until)
	}
	return fmt.Sprintf("from %v on", f.At)
}

// checkSpan is for faults that hold for a time.
func (f *Fault) checkSpan(report func(field, problem string)) {
	if f.At < 0 {
		report("at", fmt.Sprintf("must not be negative, is %v", f.At))
	} else if f.Until != 0 && f.Until <= f.At {
		report("until", fmt.Sprintf("must be after at, which is %v, is %v", f.At, f.Until))
	}
}

// checkInstant is for faults that happen once.
func (f *Fault) checkInstant(report func(field, problem string)) {
	if key := f.Kind.Key(); f.At <= 0 {
		report("at", fmt.Sprintf("must be a positive duration, the time at which the node is to %s, is %v", key, f.At))
	} else if f.Until != 0 {
		report("until", fmt.Sprintf("has no meaning for %s, which happens once", key))
	}
}

func checkNode(report func(field, problem string), field string, node int) {
	if node < 0 {
		report(field, fmt.Sprintf("must be the number of a node, is %d", node))
	}
}

func checkNodes(report func(field, problem string), field string, nodes []int) {
	nodes = slices.Sorted(slices.Values(nodes))
	for k, i := range nodes {
		checkNode(report, field, i)
		if k > 0 && i == nodes[k-1] {
			report(field, fmt.Sprintf("must not name node %d twice", i))
		}
	}
}

// checkThose is for a list of nodes that may be left out for all.
func checkThose(report func(field, problem string), nodes []int) {
	if nodes != nil && len(nodes) == 0 {
		report("nodes", "must not be empty; leave it out for all nodes")
	}
	checkNodes(report, "nodes", nodes)
}

func checkFactor(report func(field, problem string), factor *float64) {
	if factor != nil && !(*factor > 0 && *factor <= math.MaxFloat64) {
		report("factor", fmt.Sprintf("must be positive, is %v", *factor))
	}
}

// factor is 1 where none is given.
func factor(f *float64) float64 {
	if f == nil {
		return 1
	}
	return *f
}

// Hastens says whether a fault makes computations or packets faster than they are without.
func (c FaultCourse) Hastens() bool {
	return slices.ContainsFunc(c, func(p FaultPhase) bool {
		return slices.ContainsFunc(p.Plan, func(f Fault) bool {
			switch k := f.Kind.(type) {
			case SlowNode:
				return factor(k.Factor) < 1
			case BadLink:
				return factor(k.Factor) < 1
			}
			return false
		})
	})
}

// thoseNames is "all nodes" of a list that is left out.
func thoseNames(nodes []int) string {
	if nodes == nil {
		return "all nodes"
	}
	return plural.Named("node", nodes)
}

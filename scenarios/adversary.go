// What a scenario says of the adversary: what it sees, what it knows, what it
// tries.

package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"overhear/adversary"
	"overhear/adversary/acts"
	"overhear/internal/num"
	"overhear/internal/python"
)

// Adversary is an observer of the run, some of whose nodes may lie.
type Adversary struct {
	View    Watching     `yaml:"view" doc:"what it sees"`
	Knows   Knows        `yaml:"knows" doc:"what it knows besides the method, its public parameters and the graph"`
	Attacks []AttackSpec `yaml:"attacks" doc:"which attacks; none: all that suit the method and what it knows"`
	Audit   AuditSpec    `yaml:"audit" doc:"how simulate audit tells two worlds apart"`
	Acts    []acts.Act   `yaml:"acts" doc:"which nodes lie, and how: they change what they send, and else go on as honest nodes"`
}

// Watching is what an observer sees; links or nodes narrow it.
type Watching struct {
	Kind  string   `yaml:"kind" default:"eavesdropper" enum:"eavesdropper,links,nodes" doc:"eavesdropper: every packet that arrives; links: taps; nodes: colluders, what they receive and send"`
	Links [][2]int `yaml:"links" doc:"tapped edges, [[0,1],[2,3]]; both ways"`
	Nodes []int    `yaml:"nodes" doc:"colluding nodes"`
	From  int      `yaml:"from-round" doc:"it comes late: nothing of the rounds before this"`
	Miss  float64  `yaml:"miss" doc:"share of packets that escape it, 0 ≤ miss < 1"`
}

// Check reports a view that contradicts itself.
func (w Watching) Check(report func(field, problem string)) {
	if w.Links != nil && w.Nodes != nil {
		report("nodes", "must stand without links: an observer taps links or is nodes")
	}
	if w.Kind == "links" && w.Links == nil {
		report("kind", "links needs links: [[0,1], …]")
	}
	if w.Kind == "nodes" && w.Nodes == nil {
		report("kind", "nodes needs nodes: [3, …]")
	}
	for k, l := range w.Links {
		same := func(m [2]int) bool { return m == l || m == [2]int{l[1], l[0]} }
		if i := slices.IndexFunc(w.Links[:k], same); i >= 0 {
			report("links", fmt.Sprintf("has the edge %d to %d twice, at %d and %d; taps hear both ways", l[0], l[1],
				i, k))
		}
	}
	for k, n := range w.Nodes {
		if i := slices.Index(w.Nodes[:k], n); i >= 0 {
			report("nodes", fmt.Sprintf("has node %d twice, at %d and %d", n, i, k))
		}
	}
	if w.Links != nil && len(w.Links) == 0 {
		report("links", "names no edge; leave it out, or name those that are tapped: [[0,1], …]")
	}
	if w.Nodes != nil && len(w.Nodes) == 0 {
		report("nodes", "names no node; leave it out, or name those that collude: [3, …]")
	}
	if w.From < 0 {
		report("from-round", fmt.Sprintf("must not be negative, is %d", w.From))
	}
	if !(w.Miss >= 0 && w.Miss < 1) {
		report("miss", fmt.Sprintf("must be at least 0 and below 1, is %v", w.Miss))
	}
}

// Knows is side knowledge.
type Knows struct {
	Victim     Victim `yaml:"victim" default:"0" doc:"the node whose data it wants, or all: one after the other; where columns are split, the party's node"`
	AllBut     *int   `yaml:"all-but" doc:"the informed adversary: it knows every sample of the victim but this one"`
	Attribute  string `yaml:"attribute" doc:"with all-but, it knows that sample, too, but for this attribute: a categorical column, or label"`
	Size       bool   `yaml:"size" doc:"it knows how many samples the victim has; with all-but it does"`
	Candidates int    `yaml:"candidates" doc:"so many samples, or matrices where columns are split, that are not the victim's; the true one is among them, it does not know where"`
	Data       []int  `yaml:"data" doc:"nodes whose whole data it knows, colluders for instance"`
	Penalties  string `yaml:"penalties" default:"method" enum:"method,public,private" doc:"whether it knows each node's penalty η (step size, for gradient descent); method: as the method's paper has it"`
	DualSteps  string `yaml:"dual-steps" default:"public" enum:"public,private" doc:"whether it knows θ, where that is not the penalty itself"`
	Columns    string `yaml:"columns" default:"described" enum:"described,unknown" doc:"described: it knows the columns' names, which of them are never negative, which belong to one attribute"`
}

// Check reports knowledge of what does not exist.
func (k Knows) Check(report func(field, problem string)) {
	if k.AllBut != nil && *k.AllBut < 0 {
		report("all-but", fmt.Sprintf("must be a row of the victim, from 0, is %d", *k.AllBut))
	}
	if k.Attribute != "" && k.AllBut == nil {
		report("attribute", "needs all-but: the sample of which the rest is known")
	}
	if k.Candidates < 0 {
		report("candidates", fmt.Sprintf("must not be negative, is %d", k.Candidates))
	}
}

// Victim is a node, or all of them.
type Victim struct {
	Node int
	All  bool
}

// UnmarshalText reads a node or all.
func (v *Victim) UnmarshalText(text []byte) error {
	if *v = (Victim{}); string(text) == "all" {
		v.All = true
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 {
		return fmt.Errorf("must be a node, from 0, or all, is %q", text)
	}
	v.Node = n
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (v Victim) MarshalText() ([]byte, error) {
	if v.All {
		return []byte("all"), nil
	}
	return []byte(strconv.Itoa(v.Node)), nil
}

// AttackSpec names an attack.
type AttackSpec struct {
	Kind string `yaml:"kind" doc:"the attack; see simulate list attacks; python: a class of one's own"`
	Runs int    `yaml:"runs" doc:"membership: audit the victim's sample against a candidate over so many runs, too"`

	python.Class `of:"python"`
}

// OwnAttack is the kind of attacks that are classes in Python.
const OwnAttack = "python"

// UnmarshalText reads a name.
func (a *AttackSpec) UnmarshalText(text []byte) error {
	a.Kind = string(text)
	if problem := a.unknown(); problem != "" {
		return errors.New(problem)
	}
	return nil
}

// unknown says that there is no attack of the kind; "" if there is one.
func (a *AttackSpec) unknown() string {
	if slices.Contains(AttackNames(), a.Kind) {
		return ""
	}
	return fmt.Sprintf("names no attack: %q%s; there are: %s", a.Kind, Suggest(a.Kind, AttackNames()),
		strings.Join(AttackNames(), ", "))
}

// Check reports an attack that does not exist.
func (a AttackSpec) Check(report func(field, problem string)) {
	if problem := a.unknown(); problem != "" {
		report("kind", problem)
	}
	if a.Runs < 0 || a.Runs > 0 && a.Kind != "membership" {
		report("runs", fmt.Sprintf("is a number of runs for membership, is %d for %q", a.Runs, a.Kind))
	}
	if a.Kind == OwnAttack {
		a.Named(report)
	}
}

// AttackNames are the names of all attacks, sorted.
func AttackNames() []string {
	var names []string
	for _, a := range adversary.Attacks() {
		names = append(names, a.Name)
	}
	return names
}

// AuditSpec says which two worlds an audit tells apart.
type AuditSpec struct {
	Runs   int        `yaml:"runs" default:"1000" doc:"runs in each world"`
	Node   int        `yaml:"node" doc:"the node of which one sample differs; where columns are split, the party from 0"`
	Row    int        `yaml:"row" doc:"which sample; where columns are split, which column"`
	Group  int        `yaml:"group" default:"1" doc:"so many samples differ together, from row on; the claim is of as many"`
	Unit   string     `yaml:"unit" default:"auto" enum:"auto,sample,label" doc:"what differs: a sample, or its label only (of two classes); auto: what the method's paper protects"`
	Pilots int        `yaml:"pilots" default:"40" doc:"runs in each world by which a pair is chosen among those proposed"`
	Pair   *GivenPair `yaml:"pair" doc:"the two values of the sample, instead of proposed ones"`
}

// GivenPair is a pair of samples that a scenario gives.
type GivenPair struct {
	A []float64 `yaml:"a" doc:"y·x in the first world: as many numbers as there are columns, of norm at most 1"`
	B []float64 `yaml:"b" doc:"y·x in the second, another sample, of norm at most 1"`
}

// Check reports samples of which no claim is made, and a pair that nothing tells apart.
func (p GivenPair) Check(report func(field, problem string)) {
	if len(p.A) != len(p.B) {
		return // of which the audit tells
	}
	const rounding = 1e-9 // of who scales a row to norm 1
	for _, s := range []struct {
		field string
		u     []float64
	}{{"a", p.A}, {"b", p.B}} {
		if norm := num.Norm(s.u); !(norm <= 1+rounding) {
			report(s.field, fmt.Sprintf("must have norm at most 1, has norm %.6g: claims are of rows of norm at most 1",
				norm))
		}
	}
	if len(p.A) > 0 && slices.Equal(p.A, p.B) {
		report("b", "must differ from a: nothing tells two equal samples apart")
	}
}

// Check reports an audit that measures nothing.
func (a AuditSpec) Check(report func(field, problem string)) {
	if a.Runs < 10 {
		report("runs", fmt.Sprintf("must be at least 10, is %d", a.Runs))
	}
	if a.Pilots < 1 {
		report("pilots", fmt.Sprintf("must be at least 1, is %d", a.Pilots))
	}
	if a.Node < 0 {
		report("node", fmt.Sprintf("must be a node, from 0, is %d", a.Node))
	}
	if a.Row < 0 {
		report("row", fmt.Sprintf("must be a row, from 0, is %d", a.Row))
	}
	if a.Group < 1 {
		report("group", fmt.Sprintf("must be a number of samples, at least 1, is %d", a.Group))
	}
	if p := a.Pair; p != nil && (len(p.A) == 0 || len(p.A) != len(p.B)) {
		report("pair", fmt.Sprintf("must have a and b of the same length, has %d and %d", len(p.A), len(p.B)))
	}
}

// Runs in which something changes while they go: what may, and what a scenario says from when on.

package scenarios

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"overhear/algorithms"
	"overhear/sim"
)

// Alteration is what is different in a run from an instant on.
type Alteration struct {
	At  sim.Duration `yaml:"at" doc:"the instant from which on it holds, before anything else happens then"`
	Set Assignments  `yaml:"set" doc:"keys and their values from then on, such as {network.loss: 0.3}: of network all but topology, of compute, of rounds retry, deadline, quorum, staleness and timeout, and the method's parameters"`
}

// String says when what is different.
func (a Alteration) String() string {
	var sets []string
	for _, one := range a.Set {
		sets = append(sets, one.String())
	}
	return fmt.Sprintf("from %v on %s", a.At, strings.Join(sets, ", "))
}

// Assignments are keys of a scenario and what they are given.
type Assignments []Assignment

// Assignment is a key, such as network.loss, and its value.
type Assignment struct {
	Key   string
	value *yaml.Node
}

func (a Assignment) String() string { return a.Key + "=" + oneLine(plain(a.value)) }

// Phase is what a scenario says from a time of its runs on.
type Phase struct {
	From sim.Time
	*Scenario
}

// Phases are what the scenario says, from when on: itself from 0 on, and then what its changes make of it, each of
// those before it included.
func (s *Scenario) Phases() []Phase {
	all := []Phase{{0, s}}
	for k, later := range s.later {
		all = append(all, Phase{sim.Time(s.Changes[k].At), later})
	}
	return all
}

// at is the phase that holds at an instant of a run.
func (s *Scenario) at(t sim.Duration) *Scenario {
	now := s
	for _, p := range s.Phases() {
		if p.From <= sim.Time(t) {
			now = p.Scenario
		}
	}
	return now
}

// SameAt says whether two scenarios say the same at an instant of a run, whatever they change when.
func SameAt(a, b *Scenario, t sim.Duration) bool {
	return !slices.ContainsFunc(Changes(a.at(t), b.at(t)), func(c Change) bool { return c.Path != "changes" })
}

// EverLossy says whether a packet may be lost, or not be sent, at some time.
func (s *Scenario) EverLossy() bool {
	return slices.ContainsFunc(s.Phases(), func(p Phase) bool { return p.Lossy() })
}

// Faults are the fault plans, from when on.
func (s *Scenario) Faults() sim.FaultCourse {
	c := s.Network.Faults.Course()
	for _, p := range s.Phases()[1:] {
		c = c.Then(p.From, p.Network.Faults)
	}
	return c
}

// Alters says whether a change is of a key, or of one below it.
func (s *Scenario) Alters(key string) bool {
	return slices.ContainsFunc(s.Changes, func(a Alteration) bool {
		return slices.ContainsFunc(a.Set, func(b Assignment) bool { return within(b.Key, key) })
	})
}

// alterable are the keys that may change while a run goes, with those below them.
var alterable = []string{"network.latency", "network.bandwidth", "network.loss", "network.duplication",
	"network.header", "network.links", "network.faults", "compute", "rounds.quorum", "rounds.staleness",
	"rounds.timeout", "rounds.retry", "rounds.deadline"}

// unalterable are the others, and why; a key of algorithm that is not among them is a method's parameter.
var unalterable = []struct{ key, why string }{
	{"problem", "nodes hold their rows, and what they have made of them, from the start; a run of other data is " +
		"another run: simulate run --set"},
	{"network.topology", "who is linked to whom stays; network.faults can cut links and nodes off (partition, link, " +
		"crash, leave)"},
	{"network", "is a whole; give the keys in it, such as network.loss"},
	{"rounds.mode", "nodes keep what their protocol needs, and not what another would"},
	{"rounds.missing", "nodes keep what their protocol needs, and not what another would"},
	{"rounds.count", "how many rounds there are is known to nodes and metrics from the start; a run of another " +
		"number is another run: simulate run --set"},
	{"rounds", "is a whole; give the keys in it, such as rounds.deadline"},
	{"algorithm.kind", "nodes hold what this method has come to, which means nothing to another"},
	{"algorithm.init", "nodes have begun"},
	{"algorithm", "is a whole; give the keys in it, such as algorithm.eta"},
	{"privacy", "noise is chosen, and what it costs is stated, of whole runs; the noise itself can change, by its " +
		"key in algorithm"},
	{"solver", "all solves of a run are held to one tolerance"},
	{"record", "what a run keeps it keeps from the start"},
	{"adversary", "it is of whole runs; entries of adversary.acts say themselves from which round on nodes lie " +
		"(from-round)"},
	{"changes", "there is one list of them"},
	{"name", "it is of whole runs, and a fork has its run's; simulate fork --out puts it elsewhere"},
	{"about", "it is of whole runs"}, {"seeds", "it is of whole runs"},
	{"sweep", "it is of whole runs"}, {"ties", "it is of whole runs"},
}

// within says whether a key is another or below it.
func within(key, other string) bool { return key == other || strings.HasPrefix(key, other+".") }

// fixed is why a key cannot change while a run goes; "": it can, or there is none such.
func fixed(key string) string {
	for _, k := range alterable {
		if within(key, k) {
			return ""
		}
	}
	for _, u := range unalterable {
		if key == u.key || within(key, u.key) && !slices.Contains([]string{"network", "rounds", "algorithm"}, u.key) {
			return u.why
		}
	}
	return ""
}

// assignments decodes a mapping of keys to values of any kind.
func (d *decoder) assignments(n *yaml.Node, a *Assignments, path string) {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		d.report(n, "%s must be a mapping of keys to values, such as {network.loss: 0.3}", path)
		return
	}
	for k := 0; k+1 < len(n.Content); k += 2 {
		key := n.Content[k]
		if why := fixed(key.Value); why != "" {
			d.report(key, "%s: %s cannot change while a run goes: %s", path, key.Value, why)
			continue
		}
		if slices.ContainsFunc(*a, func(b Assignment) bool {
			return within(key.Value, b.Key) || within(b.Key, key.Value)
		}) {
			d.report(key, "%s: %s is given twice, itself or as a part", path, key.Value)
			continue
		}
		*a = append(*a, Assignment{key.Value, n.Content[k+1]})
	}
}

// alter works out what the scenario says after each of its changes.
func (d *decoder) alter(root *yaml.Node, s *Scenario) {
	list := find(root, []string{"changes"})
	if list == nil || len(list.Content) != len(s.Changes) {
		return
	}
	now := without(root, "changes")
	last, before := sim.Duration(-1), s
	for k, a := range s.Changes {
		path := fmt.Sprintf("changes[%d]", k)
		at := list.Content[k]
		switch {
		case a.At < 0:
			d.report(at, "%s.at must not be negative, is %v", path, a.At)
		case a.At <= last:
			d.report(at, "%s.at must be later than that of the change before, %v, is %v", path, last, a.At)
		case a.At > math.MaxInt64/2:
			d.report(at, "%s.at must be before the end of time, is %v", path, a.At)
		}
		if a.Set == nil {
			d.report(at, "%s must have set, what is different from then on", path)
		}
		last = a.At
		whole := encode(reflect.ValueOf(before).Elem())
		for i := range a.Set {
			unfold(now, whole, a.Set[i])
			d.assign(now, a.Set[i].value, a.Set[i].Key, copied(a.Set[i].value))
		}
		if d.mistakes != nil {
			return
		}
		later := d.decode(now)
		if d.mistakes != nil {
			return
		}
		for i := range a.Set {
			d.suits(a.Set[i], before, later)
			a.Set[i].value = later.resolved(a.Set[i])
		}
		s.later, before = append(s.later, later), later
	}
}

// unfold writes out what a key is part of where that is one value or not given, such as network.latency for
// network.latency.kind, from the whole scenario: what a change leaves as it is stays, and a resolved scenario, in which
// all is written out, means the same.
func unfold(n, whole *yaml.Node, a Assignment) {
	keys := strings.Split(a.Key, ".")
	for _, key := range keys[:len(keys)-1] {
		if whole = part(whole, key); whole == nil || whole.Kind == yaml.ScalarNode {
			return
		}
		made := copied(whole)
		locate(made, a.value)
		switch child := part(n, key); {
		case child == nil && n.Kind == yaml.MappingNode:
			n.Content = append(n.Content, scalarNode(key), made)
			return
		case child == nil:
			return
		case child.Kind == yaml.ScalarNode:
			*child = *made
			return
		default:
			n = child
		}
	}
}

// locate puts what is made at the place of what it is made for, which mistakes name.
func locate(made, origin *yaml.Node) {
	made.Line, made.Column = origin.Line, origin.Column
	for _, c := range made.Content {
		locate(c, origin)
	}
}

// part is what a mapping has by a name, or a list by a number; nil: nothing.
func part(n *yaml.Node, key string) *yaml.Node {
	if n.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i]
		}
		return nil
	}
	return find(n, []string{key})
}

// suits reports a change that a run of this kind cannot make.
func (d *decoder) suits(a Assignment, before, after *Scenario) {
	switch entry, _ := algorithms.Lookup(after.Algorithm.Kind); {
	case within(a.Key, "network.latency") && (before.Network.Latency.Placeable() || after.Network.Latency.Placeable()):
		d.report(a.value, "%s cannot change while a run goes from or to latencies between sites (kind matrix): nodes "+
			"are placed on them at the start; network.links can be given other latencies", a.Key)
	case !within(a.Key, "algorithm") || entry == nil:
	case after.Problem.Columns != nil:
		d.report(a.value, "%s cannot change while a run goes: over split columns (problem.columns) methods factor "+
			"their systems once, at the start", a.Key)
	case entry.Fixed != "":
		d.report(a.value, "%s cannot change while a run goes: %s", a.Key, entry.Fixed)
	case after.Privacy.Epsilon != nil:
		d.report(a.value, "%s cannot change while a run goes whose noise is chosen for a target (privacy.epsilon): "+
			"the target is of the run as a whole; give the noise in algorithm and no target", a.Key)
	}
}

// resolved is the value of a key as a resolved scenario has it; where it is none, or part of a list, as it was given.
func (s *Scenario) resolved(a Assignment) *yaml.Node {
	if n := find(encode(reflect.ValueOf(s).Elem()), strings.Split(a.Key, ".")); n != nil {
		return n
	}
	return plain(a.value)
}

// encodeAssignments is the YAML of what keys are given.
func encodeAssignments(all Assignments) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, a := range all {
		n.Content = append(n.Content, scalarNode(a.Key), copied(a.value))
	}
	flow(n)
	return n
}

// without is a mapping without a key, copied.
func without(n *yaml.Node, key string) *yaml.Node {
	c := copied(n)
	for k := 0; k+1 < len(c.Content); k += 2 {
		if c.Content[k].Value == key {
			c.Content = slices.Delete(c.Content, k, k+2)
			break
		}
	}
	return c
}

// copied is a node and all below it, to be changed.
func copied(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = nil
	for _, below := range n.Content {
		c.Content = append(c.Content, copied(below))
	}
	return &c
}

// plain is a node without its place in a file, and what is there beside it.
func plain(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value,
		Style: n.Style & (yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle)}
	for _, below := range n.Content {
		c.Content = append(c.Content, plain(below))
	}
	return c
}

// Fork is the scenario of a text in which, from an instant on, something is different: each of sets is path=value. What
// the text itself changes then or later stays, but for the same keys at that instant. The error is Mistakes.
func Fork(name string, text []byte, at sim.Duration, sets []string) (*Scenario, error) {
	return parse(name, text, sets, &at)
}

// fork adds to a scenario that something is different from an instant on.
func (d *decoder) fork(root *yaml.Node, at sim.Duration, sets []string) {
	set := &yaml.Node{Kind: yaml.MappingNode, Line: -1}
	for k, text := range sets {
		key, value, ok := d.setting(text, -1-k)
		if !ok {
			return
		}
		set.Content = append(set.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key, Line: -1 - k}, value)
	}
	list := find(root, []string{"changes"})
	if list == nil {
		list = &yaml.Node{Kind: yaml.SequenceNode, Line: -1}
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "changes", Line: -1}, list)
	}
	one := &yaml.Node{Kind: yaml.MappingNode, Line: -1, Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Value: "at", Line: -1}, {Kind: yaml.ScalarNode, Value: at.String(), Line: -1},
		{Kind: yaml.ScalarNode, Value: "set", Line: -1}, set}}
	for k, other := range list.Content {
		var t sim.Duration
		if n := find(other, []string{"at"}); n == nil || t.UnmarshalText([]byte(n.Value)) != nil || t < at {
			continue
		} else if before := find(other, []string{"set"}); t == at && before != nil {
			var stays []*yaml.Node
			for i := 0; i+1 < len(before.Content); i += 2 {
				if key := before.Content[i].Value; find(set, []string{key}) == nil {
					stays = append(stays, before.Content[i], before.Content[i+1])
				}
			}
			set.Content = append(stays, set.Content...)
			list.Content[k] = one
			return
		}
		list.Content = slices.Insert(list.Content, k, one)
		return
	}
	list.Content = append(list.Content, one)
}

// The entries of adversary.acts in the language: a strategy's parameters stand beside the keys of all.

package scenarios

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"overhear/adversary/acts"
	"overhear/algorithms"
)

var actType = reflect.TypeFor[acts.Act]()

// actKeys is a struct with the keys of every strategy. A key that several have stands once, with the words of all.
var actKeys = func() reflect.Type {
	var all []reflect.StructField
	add := func(t reflect.Type, of string) {
		for i := range t.NumField() {
			f := t.Field(i)
			key := f.Tag.Get("yaml")
			if key == "-" {
				continue
			}
			doc := f.Tag.Get("doc")
			if of != "" {
				f.Tag = reflect.StructTag(strings.Replace(string(f.Tag), doc, of+": "+doc, 1))
			}
			k := slices.IndexFunc(all, func(g reflect.StructField) bool { return g.Tag.Get("yaml") == key })
			if k < 0 {
				all = append(all, f)
				continue
			}
			also := all[k].Tag.Get("doc")
			all[k].Tag = reflect.StructTag(strings.Replace(string(all[k].Tag), also, also+"; "+of+": "+doc, 1))
		}
	}
	add(actType, "")
	for _, e := range acts.Entries() {
		add(reflect.TypeOf(e.Strategy()).Elem(), e.Name)
	}
	for k := range all {
		all[k].Name, all[k].Offset, all[k].Index = fmt.Sprintf("Key%d", k), 0, nil
	}
	return reflect.StructOf(all)
}()

// act decodes an entry of adversary.acts: its kind says which other keys there are.
func (d *decoder) act(n *yaml.Node, a *acts.Act, path string) {
	for k := 0; k+1 < len(n.Content); k += 2 {
		if n.Content[k].Value != "kind" {
			continue
		}
		e, ok := acts.Lookup(n.Content[k+1].Value)
		if !ok {
			d.report(n.Content[k+1], "%s.kind: there is no strategy %q%s; there are: %s", path, n.Content[k+1].Value,
				Suggest(n.Content[k+1].Value, acts.Names()), strings.Join(acts.Names(), ", "))
			return
		}
		a.Strategy = e.Strategy()
	}
	if a.Strategy == nil {
		d.report(n, "%s must have a kind, one of %s", path, strings.Join(acts.Names(), ", "))
		return
	}
	before := len(d.mistakes)
	given := d.both(n, reflect.ValueOf(a).Elem(), reflect.ValueOf(a.Strategy).Elem(), path)
	if len(d.mistakes) == before {
		d.check(n, reflect.ValueOf(a).Elem(), path, given)
	}
}

// checkActs reports nodes that cannot lie as they are to.
func (d *decoder) checkActs(root *yaml.Node, s *Scenario) {
	list := find(root, []string{"adversary", "acts"})
	if list == nil || s.Adversary == nil || len(list.Content) != len(s.Adversary.Acts) || len(list.Content) == 0 {
		return
	}
	nodes, taken := s.Network.Topology.Order(), map[int]int{}
	if e, ok := algorithms.Lookup(s.Algorithm.Kind); ok && (e.Star || s.Problem.Columns != nil || e.Silent) {
		d.report(list, "adversary.acts changes values that nodes tell their neighbours, and with algorithm %s %s",
			s.Algorithm.Kind, untold(e, s))
	}
	if s.Rounds.Mode == "synchronous" && s.Rounds.Missing == algorithms.MissingStop && acts.Silent(s.Adversary.Acts) {
		d.report(list, "adversary.acts: a node that is silent stops all who wait for it; take rounds.missing: last, "+
			"or rounds.mode: asynchronous")
	}
	for k := range s.Adversary.Acts {
		a := &s.Adversary.Acts[k]
		at := func(key string) *yaml.Node { return cmp.Or(find(list.Content[k], []string{key}), list.Content[k]) }
		for _, n := range a.Nodes {
			if nodes > 0 && n >= nodes {
				d.report(at("nodes"), "adversary.acts[%d].nodes names node %d; nodes go from 0 to %d", k, n, nodes-1)
			}
			if other, twice := taken[n]; twice {
				d.report(at("nodes"), "adversary.acts[%d].nodes names node %d, which lies by entry %d already",
					k, n, other)
			}
			taken[n] = k
		}
	}
	if nodes > 0 && len(acts.Liars(s.Adversary.Acts)) >= nodes {
		d.report(list, "adversary.acts names every node; one must be honest")
	}
	for k := range s.Adversary.Acts {
		aiming, ok := s.Adversary.Acts[k].Strategy.(acts.Aiming)
		if !ok {
			continue
		}
		victim, _ := aiming.Aim()
		at := cmp.Or(find(list.Content[k], []string{"victim"}), list.Content[k])
		if _, lies := taken[victim]; lies {
			d.report(at, "adversary.acts[%d].victim is node %d, which lies itself", k, victim)
		}
		if nodes > 0 && victim >= nodes {
			d.report(at, "adversary.acts[%d].victim names node %d; nodes go from 0 to %d", k, victim, nodes-1)
		}
	}
}

// untold is why the nodes of a method tell their neighbours nothing.
func untold(e *algorithms.Entry, s *Scenario) string {
	switch {
	case s.Problem.Columns != nil:
		return "parties tell a hub what their columns come to (problem.columns)"
	case e.Star:
		return "clients tell a hub"
	}
	return "they tell nothing"
}

// actSchema has one case a strategy, of which the kind selects one.
func actSchema() object {
	var cases []object
	for _, e := range acts.Entries() {
		cases = append(cases, kindSchema(e.Name, e.Title, actType, reflect.TypeOf(e.Strategy())))
	}
	return object{"type": "object", "properties": object{"kind": object{"enum": acts.Names()}},
		"required": []string{"kind", "nodes"}, "allOf": cases}
}

// strategyFields are the keys of an entry of a strategy, but kind.
func strategyFields(e *acts.Entry) []field {
	return append(fields(reflect.TypeOf(e.Strategy()).Elem()), fields(actType)[1:]...)
}

// Acts are the entries of adversary.acts; none: all nodes are honest.
func (s *Scenario) Acts() []acts.Act {
	if s.Adversary == nil {
		return nil
	}
	return s.Adversary.Acts
}

// Lying says in words which nodes lie; "": none.
func (s *Scenario) Lying() string {
	var all []string
	for i := range s.Acts() {
		all = append(all, s.Acts()[i].String())
	}
	return strings.Join(all, "; ")
}

// Lossy says whether a packet may be lost, or not be sent, so that nodes ask again for what does not come.
func (s *Scenario) Lossy() bool { return s.Network.Lossy() || acts.Silent(s.Acts()) }

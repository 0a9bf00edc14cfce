// The entries of a fault plan in the language: which keys they have is gathered
// from the registered kinds of fault.

package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"overhear/sim"
)

var faultType = reflect.TypeFor[sim.Fault]()

// faultKeys is a struct with the keys of every kind of fault. A key that several
// kinds have stands where the last of them has it, with the words of all.
var faultKeys = func() reflect.Type {
	var all []reflect.StructField
	add := func(t reflect.Type) {
		for i := range t.NumField() {
			f := t.Field(i)
			key := f.Tag.Get("yaml")
			if key == "" {
				continue
			}
			same := func(g reflect.StructField) bool { return g.Tag.Get("yaml") == key }
			if k := slices.IndexFunc(all, same); k >= 0 {
				doc, also := all[k].Tag.Get("doc"), f.Tag.Get("doc")
				f.Tag = reflect.StructTag(strings.Replace(string(f.Tag), also, doc+"; "+also, 1))
				all = slices.Delete(all, k, k+1)
			}
			all = append(all, f)
		}
	}
	add(faultType)
	for _, kind := range sim.FaultKinds() {
		add(reflect.TypeOf(kind))
	}
	for k := range all {
		all[k].Name, all[k].Offset, all[k].Index = fmt.Sprintf("Key%d", k), 0, nil
	}
	return reflect.StructOf(all)
}()

// written is the struct whose keys a type is written with.
func written(t reflect.Type) reflect.Type {
	switch t {
	case faultType:
		return faultKeys
	case actType:
		return actKeys
	}
	return t
}

// fault decodes an entry of a fault plan: one of its keys says which kind it is,
// and so which others there may be.
func (d *decoder) fault(n *yaml.Node, f *sim.Fault, path string) {
	before := len(d.mistakes)
	all := fields(faultKeys)
	values := reflect.New(faultKeys).Elem()
	preset(values)
	given := d.keys(n, all, values, path)
	if len(d.mistakes) > before {
		return
	}
	var keys []string
	of := map[string][]string{} // the kinds that have a key, by their own keys
	for _, kind := range sim.FaultKinds() {
		if given[kind.Key()] != nil {
			keys = append(keys, kind.Key())
			f.Kind = kind
		}
		for _, g := range fields(reflect.TypeOf(kind)) {
			of[g.key] = append(of[g.key], kind.Key())
		}
	}
	if len(keys) != 1 {
		d.report(n, "%s %s", path, sim.NotOneKind(keys))
		return
	}
	for _, g := range all {
		kinds := of[g.key]
		if kinds == nil || slices.Contains(kinds, keys[0]) || values.FieldByIndex(g.index).IsZero() {
			continue
		}
		d.report(given[g.key], "%s is for %s, not for %s", join(path, g.key), strings.Join(kinds, " and "), keys[0])
	}
	kind := reflect.New(reflect.TypeOf(f.Kind)).Elem()
	for _, into := range []reflect.Value{reflect.ValueOf(f).Elem(), kind} {
		for _, own := range fields(into.Type()) {
			k := slices.IndexFunc(all, func(g field) bool { return g.key == own.key })
			into.FieldByIndex(own.index).Set(values.FieldByIndex(all[k].index))
		}
	}
	f.Kind = kind.Interface().(sim.FaultKind)
	d.check(n, reflect.ValueOf(f).Elem(), path, given)
}

// encodeFault is the YAML of an entry; its kind's own key is never left out.
func encodeFault(f sim.Fault) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, v := range []reflect.Value{reflect.ValueOf(f), reflect.ValueOf(f.Kind)} {
		if !v.IsValid() {
			continue
		}
		for _, g := range fields(v.Type()) {
			if x := v.FieldByIndex(g.index); !x.IsZero() || f.Kind != nil && g.key == f.Kind.Key() {
				n.Content = append(n.Content, scalarNode(g.key), encode(x))
			}
		}
	}
	return n
}

// The language as its option structs' tags describe it.

package scenarios

import (
	"cmp"
	"encoding"
	"reflect"
	"slices"
	"strings"
)

// field is a key of a mapping.
type field struct {
	key, doc, preset string
	enum             []string
	of               string // the kinds whose parameter it is, with commas between; "": of all
	auto             bool   // a number that may be "auto": parameter.Auto
	index            []int
	kind             reflect.Type
}

// fields lists the keys of an option struct in order; embedded structs' keys
// are its own, of the kinds that the embedding is tagged with.
func fields(t reflect.Type) []field {
	var all []field
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for _, g := range fields(f.Type) {
				g.index = append([]int{i}, g.index...)
				g.of = cmp.Or(g.of, f.Tag.Get("of"))
				all = append(all, g)
			}
			continue
		}
		key := f.Tag.Get("yaml")
		if key == "" || key == "-" {
			continue
		}
		g := field{key: key, doc: f.Tag.Get("doc"), preset: f.Tag.Get("default"), of: f.Tag.Get("of"), index: []int{i},
			kind: f.Type}
		g.auto = f.Type.Kind() == reflect.Float64 && (g.preset == "auto" || f.Tag.Get("auto") != "")
		if e := f.Tag.Get("enum"); e != "" {
			g.enum = strings.Split(e, ",")
		}
		all = append(all, g)
	}
	return all
}

// is says whether the key is one of an option struct of that kind.
func (f field) is(kind string) bool {
	return f.of == "" || slices.Contains(f.kinds(), kind)
}

// kinds are those whose parameter the key is; none: it is one of all.
func (f field) kinds() []string {
	if f.of == "" {
		return nil
	}
	return strings.Split(f.of, ",")
}

// kindOf is the key of an option struct that says which of its others there are,
// "kind" or "mode", and its value; "" if it has neither.
func kindOf(v reflect.Value) (key, kind string) {
	for _, name := range []string{"Kind", "Mode"} {
		if f := v.FieldByName(name); f.IsValid() {
			return strings.ToLower(name), f.String()
		}
	}
	return "", ""
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// fromText says whether values of the type can be written as one scalar.
func fromText(t reflect.Type) bool { return reflect.PointerTo(t).Implements(textUnmarshaler) }

// typeName says in words what a value of the key looks like.
func (f field) typeName() string {
	if f.auto {
		return "number, or auto"
	}
	return typeName(f.kind)
}

// typeName says in words what a value of the type looks like.
func typeName(t reflect.Type) string {
	switch t.Name() {
	case "Duration":
		return "duration, such as 20ms"
	case "Bandwidth":
		return "bandwidth, such as 100Mbps"
	case "Schedule", "Sequence":
		return "number, or {initial, ratio, max}, {values: [...]} or {nodes: [...]}"
	case "Budgets", "Budget":
		return "number, or {list: [...]}, {uniform: [a, b]}, {values: [...], shares: [...]} or {servers: [...]}"
	}
	if t == reflect.TypeFor[Assignments]() {
		return "mapping of keys to values"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Slice, reflect.Array:
		return "list of " + typeName(t.Elem())
	case reflect.Map:
		return "mapping of names, a " + typeName(t.Elem()) + " each"
	case reflect.Struct:
		if fromText(t) {
			return "name or mapping"
		}
		return "mapping"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "number"
	case reflect.String:
		return "text"
	}
	return "whole number"
}

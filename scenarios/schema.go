// The JSON Schema of scenarios, made from the language's descriptions and checks. A mistake
// in a scenario is one error of the schema: alternatives are told apart by if and then,
// and not by trying all of them.

package scenarios

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"overhear/algorithms"
	"overhear/problem"
	"overhear/sim"
)

// Schema is the JSON Schema of scenarios.
func Schema() []byte {
	root := schemaOf(reflect.TypeFor[Scenario]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Overhear scenario"
	root["required"] = []string{"name", "problem", "network", "algorithm"}
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("scenarios: %v", err))
	}
	return text
}

type object = map[string]any

// schemaOf describes the YAML of a type.
func schemaOf(t reflect.Type) object {
	switch {
	case t.Kind() == reflect.Pointer:
		return schemaOf(t.Elem())
	case t == reflect.TypeFor[Algorithm]():
		return algorithmSchema()
	case t == actType:
		return actSchema()
	case t == reflect.TypeFor[Assignments]():
		return object{"type": "object", "minProperties": 1}
	case t.Kind() == reflect.Struct:
		properties := object{}
		for _, f := range fields(written(t)) {
			properties[f.key] = fieldSchema(f, written(t))
		}
		mapping := object{"type": "object", "properties": properties, "additionalProperties": false}
		if fromText(t) {
			word := object{"type": []string{"string", "number"}}
			if names := choices(place{field: field{kind: t}}); names != nil {
				word = object{"enum": names}
			}
			return object{"if": object{"type": "object"}, "then": mapping, "else": word}
		}
		return mapping
	case fromText(t):
		return object{"type": "string", "description": typeName(t)}
	}
	switch t.Kind() {
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Array:
		return object{"type": "array", "items": schemaOf(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.String:
		return object{"type": []string{"string", "number"}}
	case reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	}
	return object{"type": "integer"}
}

func fieldSchema(f field, owner reflect.Type) object {
	if f.kind == reflect.PointerTo(owner) { // the law on top of a latency, which is one itself
		return object{"$ref": "#/properties/network/properties/latency", "description": f.doc}
	}
	s := schemaOf(f.kind)
	switch {
	case f.enum != nil:
		s = object{"enum": f.enum}
	case owner == reflect.TypeFor[problem.Source]() && f.key == "set":
		s = object{"enum": problem.SetNames()}
	case owner == reflect.TypeFor[AttackSpec]() && f.key == "kind":
		s = object{"enum": AttackNames()}
	case owner == reflect.TypeFor[sim.Latency]() && f.key == "set":
		s = object{"enum": sim.SiteSetNames()}
	case owner == reflect.TypeFor[sim.Sessions]() && f.key == "set":
		s = object{"enum": sim.SessionSetNames()}
	default:
		bound(s, f, owner)
	}
	if f.auto {
		s = object{"if": object{"type": "string"}, "then": object{"const": "auto"}, "else": s}
	}
	s["description"] = f.doc
	if f.preset != "" {
		s["default"] = presetValue(f)
	}
	return s
}

// bound gives a number the least value that its owner's check takes, which is tried: that
// of whole numbers up to 16, and of others 0, with or without itself.
func bound(s object, f field, owner reflect.Type) {
	number := f.kind
	if number.Kind() == reflect.Pointer { // to tell what is left out from 0
		number = number.Elem()
	}
	v := reflect.New(owner).Elem()
	preset(v)
	kind, kinds := v.FieldByName("Kind"), []string{""}
	if f.of != "" {
		kinds = f.kinds()
	}
	for _, other := range fields(owner) {
		if other.key == "kind" && f.of == "" && other.enum != nil {
			kinds = other.enum // a key of all of them
		}
	}
	check, checked := v.Addr().Interface().(interface {
		Check(report func(field, problem string))
	})
	if !checked {
		return
	}
	takenBy := func(of string, x float64) (ok bool) {
		if of != "" && kind.IsValid() {
			kind.SetString(of)
		}
		defer func() {
			if recover() != nil {
				ok = false // of a mapping of which only this key is given
			}
		}()
		to := v.FieldByIndex(f.index)
		if to.Kind() == reflect.Pointer {
			to.Set(reflect.New(number))
			to = to.Elem()
		}
		if number.Kind() == reflect.Float64 {
			to.SetFloat(x)
		} else {
			to.SetInt(int64(x))
		}
		ok = true
		check.Check(func(key, _ string) { ok = ok && key != f.key })
		return ok
	}
	taken := func(x float64) bool {
		return slices.ContainsFunc(kinds, func(of string) bool { return takenBy(of, x) })
	}
	switch number.Kind() {
	case reflect.Float64:
		switch {
		case taken(-1):
		case taken(0):
			s["minimum"] = 0
		case taken(1e-6) || taken(0.5):
			s["exclusiveMinimum"] = 0
		}
	case reflect.Int, reflect.Int64:
		if fromText(f.kind) || taken(-1) {
			return
		}
		for least := range 17 {
			if taken(float64(least)) {
				s["minimum"] = least
				return
			}
		}
	}
}

// presetValue is a default as JSON has it.
func presetValue(f field) any {
	switch f.kind.Kind() {
	case reflect.Bool:
		return f.preset == "true"
	case reflect.Float64, reflect.Int, reflect.Int64, reflect.Uint64:
		if x, err := strconv.ParseFloat(f.preset, 64); err == nil {
			return x
		}
	}
	return f.preset
}

// algorithmSchema has one case a method, of which the kind selects one.
func algorithmSchema() object {
	var cases []object
	for _, e := range algorithms.Entries() {
		cases = append(cases, kindSchema(e.Name, e.Title, reflect.TypeFor[Algorithm](), reflect.TypeOf(e.Params())))
	}
	return object{"type": "object", "properties": object{"kind": object{"enum": algorithmNames()}},
		"required": []string{"kind"}, "allOf": cases}
}

// kindSchema is the case of a kind, whose parameters stand beside the keys of owner, of which the first is kind.
func kindSchema(name, title string, owner, params reflect.Type) object {
	kind := object{"const": name, "description": title}
	properties := object{"kind": kind}
	for _, f := range fields(params.Elem()) {
		properties[f.key] = fieldSchema(f, params.Elem())
	}
	for _, f := range fields(owner)[1:] {
		properties[f.key] = fieldSchema(f, owner)
	}
	return object{
		"if":   object{"properties": object{"kind": kind}, "required": []string{"kind"}},
		"then": object{"properties": properties, "additionalProperties": false},
	}
}

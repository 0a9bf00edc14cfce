// From option structs back to YAML.

package scenarios

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"

	"go.yaml.in/yaml/v4"
)

// encode is the YAML of a value; keys without a default are left out while they
// are zero, and those of another kind always.
func encode(v reflect.Value) *yaml.Node {
	if v.Kind() == reflect.Pointer {
		return encode(v.Elem())
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		if err != nil {
			panic(fmt.Sprintf("scenarios: writing %v: %v", v, err))
		}
		return scalarNode(string(text))
	}
	switch v.Kind() {
	case reflect.Struct:
		n := &yaml.Node{Kind: yaml.MappingNode}
		add := func(f field, v reflect.Value) {
			if !v.IsZero() || f.preset != "" {
				n.Content = append(n.Content, scalarNode(f.key), encode(v))
			}
		}
		_, kind := kindOf(v)
		for _, f := range fields(v.Type()) {
			if f.of != "" && f.of != kind {
				continue
			}
			add(f, v.FieldByIndex(f.index))
		}
		if a, ok := v.Interface().(Algorithm); ok && a.Params != nil {
			p := reflect.ValueOf(a.Params).Elem()
			for _, f := range fields(p.Type()) {
				add(f, p.FieldByIndex(f.index))
			}
		}
		return n
	case reflect.Slice, reflect.Array:
		n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for i := range v.Len() {
			n.Content = append(n.Content, encode(v.Index(i)))
		}
		return n
	case reflect.String:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v.String()}
	case reflect.Float64:
		return scalarNode(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	}
	return scalarNode(fmt.Sprint(v.Interface()))
}

func scalarNode(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

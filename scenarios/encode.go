// From option structs back to YAML, whole or in part.

package scenarios

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"overhear/adversary/acts"
	"overhear/parameter"
	"overhear/sim"
)

// encode is the YAML of a value; keys without a default, and with none in them, are left
// out while they are zero, and those of another kind always.
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
	if f, ok := v.Interface().(sim.Fault); ok {
		return encodeFault(f)
	}
	if a, ok := v.Interface().(Assignments); ok {
		return encodeAssignments(a)
	}
	switch v.Kind() {
	case reflect.Struct:
		n := &yaml.Node{Kind: yaml.MappingNode}
		add := func(f field, v reflect.Value) {
			if !v.IsZero() || f.preset != "" || presets(v) {
				n.Content = append(n.Content, scalarNode(f.key), encode(v))
			}
		}
		_, kind := kindOf(v)
		for _, f := range fields(v.Type()) {
			if !f.is(kind) {
				continue
			}
			add(f, v.FieldByIndex(f.index))
		}
		for _, p := range paramsOf(v.Interface()) {
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
	case reflect.Map:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int {
			return strings.Compare(a.String(), b.String())
		}) {
			n.Content = append(n.Content, encode(key), encode(v.MapIndex(key)))
		}
		return n
	case reflect.String:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v.String()}
	case reflect.Float64:
		if v.Float() == parameter.Auto {
			return scalarNode("auto")
		}
		return scalarNode(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	}
	return scalarNode(fmt.Sprint(v.Interface()))
}

// presets says whether an option struct that is left out is not zero.
func presets(v reflect.Value) bool {
	if v.Kind() != reflect.Struct {
		return false
	}
	usual := reflect.New(v.Type()).Elem()
	preset(usual)
	return !usual.IsZero()
}

// paramsOf are the parameters of its kind beside an option struct's own keys, if it has them.
func paramsOf(v any) []reflect.Value {
	switch o := v.(type) {
	case Algorithm:
		if o.Params != nil {
			return []reflect.Value{reflect.ValueOf(o.Params).Elem()}
		}
	case acts.Act:
		if o.Strategy != nil {
			return []reflect.Value{reflect.ValueOf(o.Strategy).Elem()}
		}
	}
	return nil
}

func scalarNode(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

// Assign is the text path=value that, given to Load, gives a key the value: an
// option struct, a list of them or a scalar, on one line.
func Assign(path string, value any) string {
	return path + "=" + oneLine(encode(reflect.ValueOf(value)))
}

// oneLine is a node as YAML on one line.
func oneLine(n *yaml.Node) string {
	flow(n)
	text, err := yaml.Marshal(n)
	if err != nil {
		panic(fmt.Sprintf("scenarios: writing YAML: %v", err))
	}
	return strings.TrimSpace(strings.ReplaceAll(string(text), "\n", " "))
}

// flow writes a node on one line.
func flow(n *yaml.Node) {
	if n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode {
		n.Style = yaml.FlowStyle
	}
	for _, c := range n.Content {
		flow(c)
	}
}

// FormatParameters is a method's parameters as YAML; params is what
// algorithms.Entry.Params returned.
func FormatParameters(params any) string {
	text, err := yaml.Marshal(encode(reflect.ValueOf(params)))
	if err != nil {
		panic(fmt.Sprintf("scenarios: writing a method's parameters: %v", err))
	}
	return string(text)
}

// ParseParameters reads what FormatParameters wrote into what
// algorithms.Entry.Params returned; name stands for the file in messages. The error
// is Mistakes if the text is YAML.
func ParseParameters(name, text string, params any) error {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return fmt.Errorf("%s: a method's parameters are damaged: %w", name, err)
	}
	if len(document.Content) != 1 {
		return fmt.Errorf("%s: a method's parameters are damaged: they are empty", name)
	}
	v := reflect.ValueOf(params).Elem()
	preset(v)
	d := &decoder{file: name}
	d.keys(document.Content[0], fields(v.Type()), v, "algorithm")
	return d.result()
}

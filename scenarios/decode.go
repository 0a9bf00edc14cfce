// From YAML nodes to option structs, strictly, with every mistake in its place.

package scenarios

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"overhear/adversary/acts"
	"overhear/algorithms"
	"overhear/parameter"
	"overhear/sim"
)

// Mistake is one thing wrong with a scenario.
type Mistake struct {
	Place        string // file:line:column, or --set path=value
	Text         string
	line, column int
}

// Mistakes are all things wrong with a scenario, in order of place.
type Mistakes []Mistake

func (m Mistakes) Error() string {
	var lines []string
	for _, e := range m {
		lines = append(lines, e.Place+": "+e.Text)
	}
	return strings.Join(lines, "\n")
}

// decoder collects mistakes while it fills a scenario.
type decoder struct {
	file     string
	sets     []string // the nodes that --set made have line −1−index
	mistakes Mistakes
}

func (d *decoder) report(n *yaml.Node, format string, args ...any) {
	m := Mistake{Text: fmt.Sprintf(format, args...), line: n.Line, column: n.Column}
	if n.Line < 0 {
		m.Place = "--set " + d.sets[-1-n.Line]
	} else {
		m.Place = fmt.Sprintf("%s:%d:%d", d.file, n.Line, n.Column)
	}
	d.mistakes = append(d.mistakes, m)
}

// result sorts the mistakes, if any, into an error.
func (d *decoder) result() error {
	if d.mistakes == nil {
		return nil
	}
	slices.SortStableFunc(d.mistakes, func(a, b Mistake) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.column - b.column
	})
	return d.mistakes
}

// preset fills in the defaults of an option struct.
func preset(v reflect.Value) {
	for _, f := range fields(v.Type()) {
		to := v.FieldByIndex(f.index)
		if f.kind.Kind() == reflect.Struct {
			preset(to)
		}
		if f.preset != "" {
			n := &yaml.Node{Kind: yaml.ScalarNode, Value: f.preset}
			d := new(decoder)
			d.field(n, to, f, f.key)
			if d.mistakes != nil {
				panic(fmt.Sprintf("scenarios: the default of %s: %v", f.key, d.mistakes))
			}
		}
	}
}

// field decodes the value of a key into v.
func (d *decoder) field(n *yaml.Node, v reflect.Value, f field, path string) {
	if f.auto && n.Kind == yaml.ScalarNode && n.Value == "auto" {
		v.SetFloat(parameter.Auto)
		return
	}
	d.value(n, v, path)
}

// value decodes a node into v; path names it in messages.
func (d *decoder) value(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind == yaml.AliasNode {
		d.report(n, "aliases are not part of the language; write the value out")
		return
	}
	if a, ok := v.Addr().Interface().(*Assignments); ok {
		d.assignments(n, a, path)
		return
	}
	switch {
	case v.Kind() == reflect.Struct && n.Tag == "!!null":
		d.check(n, v, path, nil) // its own keys are all left out, and defaults may not be enough
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if v.Elem().Kind() == reflect.Struct {
			preset(v.Elem())
		}
		d.value(n, v.Elem(), path)
	case n.Kind == yaml.ScalarNode && (fromText(v.Type()) || v.Kind() != reflect.Struct && v.Kind() != reflect.Slice &&
		v.Kind() != reflect.Array && v.Kind() != reflect.Map):
		before := len(d.mistakes)
		if d.scalar(n, v, path); v.Kind() == reflect.Struct && len(d.mistakes) == before {
			d.check(n, v, path, nil) // one word may not be enough
		}
	case v.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		if fromText(v.Type()) { // a mapping replaces a default that is one value
			v.SetZero()
			preset(v)
		}
		d.mapping(n, v, path)
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && n.Kind == yaml.SequenceNode:
		d.sequence(n, v, path)
	case v.Kind() == reflect.Map && n.Kind == yaml.MappingNode:
		d.anyKeys(n, v, path)
	default:
		d.report(n, "%s must be a %s, is a %s", path, typeName(v.Type()), nodeName(n))
	}
}

func nodeName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "mapping"
	case yaml.SequenceNode:
		return "list"
	}
	return fmt.Sprintf("single value, %q", n.Value)
}

func (d *decoder) sequence(n *yaml.Node, v reflect.Value, path string) {
	if v.Kind() == reflect.Array {
		if len(n.Content) != v.Len() {
			d.report(n, "%s must have %d entries, has %d", path, v.Len(), len(n.Content))
			return
		}
	} else {
		v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	}
	for i, c := range n.Content {
		if c.Tag == "!!null" {
			d.report(c, "%s[%d] has no value; it must be a %s", path, i, typeName(v.Type().Elem()))
			continue
		}
		if v.Index(i).Kind() == reflect.Struct {
			preset(v.Index(i))
		}
		d.value(c, v.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
}

// anyKeys decodes a mapping whose keys are the user's.
func (d *decoder) anyKeys(n *yaml.Node, v reflect.Value, path string) {
	v.Set(reflect.MakeMap(v.Type()))
	for k := 0; k+1 < len(n.Content); k += 2 {
		key, to := reflect.ValueOf(n.Content[k].Value), reflect.New(v.Type().Elem()).Elem()
		if v.MapIndex(key).IsValid() {
			d.report(n.Content[k], "%s is given twice", join(path, key.String()))
			continue
		}
		d.value(n.Content[k+1], to, join(path, key.String()))
		v.SetMapIndex(key, to)
	}
}

// scalar decodes a single value.
func (d *decoder) scalar(n *yaml.Node, v reflect.Value, path string) {
	if n.Tag == "!!null" || (n.Value == "" && n.Style == 0) {
		d.report(n, "%s has no value; it must be a %s", path, typeName(v.Type()))
		return
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := u.UnmarshalText([]byte(n.Value)); err != nil {
			d.report(n, "%s %v", path, err)
		}
		return
	}
	bad := func() { d.report(n, "%s must be a %s, is %q", path, typeName(v.Type()), n.Value) }
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Value)
	case reflect.Bool:
		if n.Value != "true" && n.Value != "false" {
			bad()
			return
		}
		v.SetBool(n.Value == "true")
	case reflect.Float64:
		x, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			bad()
			return
		}
		v.SetFloat(x)
	case reflect.Uint64:
		x, err := strconv.ParseUint(n.Value, 10, 64)
		if err != nil {
			bad()
			return
		}
		v.SetUint(x)
	default:
		x, err := strconv.ParseInt(n.Value, 10, 64)
		if err != nil || v.OverflowInt(x) {
			bad()
			return
		}
		v.SetInt(x)
	}
}

// mapping decodes the keys of an option struct and checks the whole.
func (d *decoder) mapping(n *yaml.Node, v reflect.Value, path string) {
	before := len(d.mistakes)
	if v.Type() == reflect.TypeFor[Algorithm]() {
		d.algorithm(n, v.Addr().Interface().(*Algorithm), path)
		return
	}
	if v.Type() == faultType {
		d.fault(n, v.Addr().Interface().(*sim.Fault), path)
		return
	}
	if v.Type() == actType {
		d.act(n, v.Addr().Interface().(*acts.Act), path)
		return
	}
	given := d.keys(n, fields(v.Type()), v, path)
	if len(d.mistakes) == before {
		d.check(n, v, path, given)
	}
}

// keys decodes the keys of a mapping and returns the nodes of their values.
func (d *decoder) keys(n *yaml.Node, all []field, v reflect.Value, path string) map[string]*yaml.Node {
	given := map[string]*yaml.Node{}
	for k := 0; k+1 < len(n.Content); k += 2 {
		key, value := n.Content[k], n.Content[k+1]
		full := join(path, key.Value)
		i := slices.IndexFunc(all, func(f field) bool { return f.key == key.Value })
		switch {
		case given[key.Value] != nil:
			d.report(key, "%s is given twice", full)
		case i >= 0:
			given[key.Value] = value
			before := len(d.mistakes)
			to := v.FieldByIndex(all[i].index)
			d.field(value, to, all[i], full)
			if enum := all[i].enum; enum != nil && len(d.mistakes) == before && !slices.Contains(enum, to.String()) {
				d.report(value, "%s must be one of %s, is %q%s", full, strings.Join(enum, ", "), to.String(),
					Suggest(to.String(), enum))
			}
		case later[full] != "":
			d.report(key, "%s: %s", full, later[full])
		default:
			var names []string
			for _, f := range all {
				names = append(names, f.key)
			}
			where := "at the top"
			if path != "" {
				where = "in " + path
			}
			hint := Suggest(key.Value, names)
			if hint == "" {
				hint = "; known keys: " + strings.Join(names, ", ")
			}
			d.report(key, "unknown key %q %s%s", key.Value, where, hint)
		}
	}
	for _, f := range all {
		if name, kind := kindOf(v); given[f.key] != nil && !f.is(kind) {
			is := "no " + name + " is given"
			if kind != "" {
				is = name + " is " + kind
			}
			d.report(given[f.key], "%s is a parameter of %s %s; here %s", join(path, f.key), name,
				strings.Join(f.kinds(), " or "), is)
		}
	}
	return given
}

// check asks an option struct what is wrong with it.
func (d *decoder) check(n *yaml.Node, v reflect.Value, path string, given map[string]*yaml.Node) {
	c, ok := v.Addr().Interface().(interface {
		Check(report func(field, problem string))
	})
	if !ok {
		return
	}
	c.Check(func(key, problem string) {
		at := n
		if given[key] != nil {
			at = given[key]
		}
		if given == nil && (key == "initial" || key == "value" || key == "kind") { // what the one word stands for
			d.report(at, "%s %s", path, problem)
			return
		}
		d.report(at, "%s %s", join(path, key), problem)
	})
}

// algorithm decodes a method: its kind says which other keys there are.
func (d *decoder) algorithm(n *yaml.Node, a *Algorithm, path string) {
	for k := 0; k+1 < len(n.Content); k += 2 {
		if n.Content[k].Value == "kind" {
			a.Kind = n.Content[k+1].Value
			entry, ok := algorithms.Lookup(a.Kind)
			if !ok {
				names := algorithmNames()
				d.report(n.Content[k+1], "algorithm.kind: there is no algorithm %q%s; there are: %s", a.Kind,
					Suggest(a.Kind, names), strings.Join(names, ", "))
				return
			}
			a.Params = entry.Params()
		}
	}
	if a.Params == nil {
		d.report(n, "algorithm must have a kind, one of %s", strings.Join(algorithmNames(), ", "))
		return
	}
	d.both(n, reflect.ValueOf(a).Elem(), reflect.ValueOf(a.Params).Elem(), path)
}

// both decodes a mapping whose keys are those of an option struct and of the parameters of its kind, and checks these.
// It returns the nodes of the struct's own values.
func (d *decoder) both(n *yaml.Node, v, params reflect.Value, path string) map[string]*yaml.Node {
	preset(params)
	own, theirs := &yaml.Node{Kind: yaml.MappingNode}, &yaml.Node{Kind: yaml.MappingNode}
	top := fields(v.Type())
	for k := 0; k+1 < len(n.Content); k += 2 {
		part := theirs
		if slices.ContainsFunc(top, func(f field) bool { return f.key == n.Content[k].Value }) {
			part = own
		}
		part.Content = append(part.Content, n.Content[k], n.Content[k+1])
	}
	before := len(d.mistakes)
	given := d.keys(own, top, v, path)
	others := d.keys(theirs, fields(params.Type()), params, path)
	if len(d.mistakes) == before {
		d.check(n, params, path, others)
	}
	return given
}

func algorithmNames() []string {
	var names []string
	for _, e := range algorithms.Entries() {
		names = append(names, e.Name)
	}
	return names
}

func join(path, key string) string {
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}

// Suggest returns "; did you mean …?" if one of the words is close.
func Suggest(word string, words []string) string {
	best, least := "", 3
	if len(word) < 4 {
		least = 2
	}
	for _, w := range words {
		if n := editDistance(strings.ToLower(word), strings.ToLower(w)); n < least {
			best, least = w, n
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// editDistance counts insertions, deletions, substitutions and swaps of
// neighbours (optimal string alignment).
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

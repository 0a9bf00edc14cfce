// What the language's descriptions are turned into: a JSON Schema, texts that
// explain, and a commented scenario.

package scenarios

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"overhear/adversary"
	"overhear/adversary/acts"
	"overhear/algorithms"
	"overhear/metrics"
	"overhear/problem"
	"overhear/sim"
)

//go:embed *.yaml
var files embed.FS

// Shipped are the scenarios that come with the program.
func Shipped() ([]*Scenario, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, err
	}
	var all []*Scenario
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := Parse(name, text)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// methodFields are the keys of `algorithm` for a method, but kind.
func methodFields(e *algorithms.Entry) []field {
	return append(fields(reflect.TypeOf(e.Params()).Elem()), fields(reflect.TypeFor[Algorithm]())[1:]...)
}

// MethodsWith are the names of the methods that have a parameter of their own.
func MethodsWith(parameter string) (names []string) {
	for _, e := range algorithms.Entries() {
		if slices.ContainsFunc(methodFields(e), func(f field) bool { return f.key == parameter }) {
			names = append(names, e.Name)
		}
	}
	return names
}

// proved stands above a method's theorems.
const proved = "proved; run.json says of a run whether a theorem covers it and, of one with a rate or a bound, its " +
	"number beside the measured one"

// Explain says what a name means: a method, an attack, a data set, a measured network, a key of the language
// by its path or its last part, a metric by its column or its title.
func Explain(name string) (string, error) {
	var b strings.Builder
	if e, ok := algorithms.Lookup(name); ok {
		fmt.Fprintf(&b, "%s: %s\n\n%s\n\nparameters\n%s\n", e.Name, e.Title, e.About, keyTable(methodFields(e)))
		if e.Theorems != nil {
			fmt.Fprintf(&b, "%s\n", proved)
			for _, t := range e.Theorems {
				fmt.Fprintf(&b, "  %s: %s\n", t.Name, t.States)
			}
			b.WriteString("\n")
		}
		if e.Active != nil {
			fmt.Fprintf(&b, "nodes that lie: %v\n\n", e.Active)
		}
		fmt.Fprintf(&b, "paper: %s\n", e.Paper)
		return b.String(), nil
	}
	if a, ok := adversary.Lookup(name); ok {
		fmt.Fprintf(&b, "%s: %s\n(an attack)\n\n%s\n\nsolves: %s\nneeds: %s\nrows: %s\n", a.Name, a.Title, a.About,
			a.Equation, a.Needs, rowsOf(a))
		return b.String(), nil
	}
	if e, ok := acts.Lookup(name); ok {
		fmt.Fprintf(&b, "%s: %s\n(a strategy of nodes that lie, adversary.acts)\n\n%s\n\nparameters\n%s", e.Name,
			e.Title, e.About, keyTable(strategyFields(e)))
		return b.String(), nil
	}
	if s, ok := problem.FindSet(name); ok {
		err := s.Describe(&b, "")
		return b.String(), err
	}
	if s, ok := sim.FindSiteSet(name); ok {
		return s.Describe(), nil
	}
	if s, ok := sim.FindSessionSet(name); ok {
		return s.Describe(), nil
	}
	if m, ok := metrics.Lookup(name); ok {
		return m.Explain(), nil
	}
	if text := cmp.Or(explainTheorem(name), explainLoss(name)); text != "" {
		return text, nil
	}
	t := reflect.TypeFor[Scenario]()
	keys := strings.Split(name, ".")
	for k, key := range keys {
		var found *field
		var names []string
		for _, f := range fields(t) {
			names = append(names, f.key)
			if f.key == key {
				found = &f
			}
		}
		if found == nil {
			if text := explainShort(name); text != "" {
				return text, nil
			}
			if k > 0 {
				return "", fmt.Errorf("%s has no key %q%s; it has: %s", strings.Join(keys[:k], "."), key,
					Suggest(key, names), strings.Join(names, ", "))
			}
			return "", fmt.Errorf("nothing is called %q; did you mean %q? simulate list names what there is, and "+
				"the scenario's keys are: %s", name, nearest(name, Names()), strings.Join(names, ", "))
		}
		if t = found.kind; t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		t = written(t)
		if k < len(keys)-1 && t.Kind() != reflect.Struct {
			return "", fmt.Errorf("%s has no keys", strings.Join(keys[:k+1], "."))
		}
		if k == len(keys)-1 {
			fmt.Fprintf(&b, "%s: %s\n", name, found.doc)
			fmt.Fprintf(&b, "type: %s\n", found.typeName())
			if found.enum != nil {
				fmt.Fprintf(&b, "one of: %s\n", strings.Join(found.enum, ", "))
			}
			if found.preset != "" {
				fmt.Fprintf(&b, "default: %s\n", found.preset)
			}
			if t.Kind() == reflect.Struct {
				fmt.Fprintf(&b, "\nkeys\n%s", keyTable(fields(t)))
			}
		}
	}
	return b.String(), nil
}

// explainTheorem says what a theorem of the methods proves, and of which; "" if there is none of that name.
func explainTheorem(name string) string {
	states, of := "", []string{}
	for _, e := range algorithms.Entries() {
		for _, t := range e.Theorems {
			if strings.EqualFold(t.Name, name) {
				states, of = t.Name+": "+t.States, append(of, e.Name)
			}
		}
	}
	if states == "" {
		return ""
	}
	return fmt.Sprintf("%s\nmethods: %s\nwhether it covers a run is in run.json (record.rates)\n", states,
		strings.Join(of, ", "))
}

// explainLoss says of a loss what problem.loss says of all; "" if there is none of that name.
func explainLoss(name string) string {
	var b strings.Builder
	for _, f := range fields(reflect.TypeFor[problem.LossSpec]()) {
		switch {
		case f.key == "kind" && !slices.Contains(f.enum, name):
			return ""
		case f.key == "kind":
			fmt.Fprintf(&b, "%s: a loss (problem.loss: %s)\n%s\n", name, name, f.doc)
		case f.is(name):
			fmt.Fprintf(&b, "%s: %s\n", f.key, f.doc)
		}
	}
	return b.String()
}

func keyTable(all []field) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range all {
		note := f.typeName()
		if f.preset != "" {
			note += ", default " + f.preset
		}
		doc := f.doc
		if f.enum != nil {
			doc += " (" + strings.Join(f.enum, ", ") + ")"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", f.key, note, doc)
	}
	w.Flush()
	return b.String()
}

// Template is a scenario to begin with, with every key and what it means; those
// that are commented out show their defaults.
func Template() string {
	var b strings.Builder
	b.WriteString("# A scenario for `simulate run`. Lines that are commented out show defaults;\n# `simulate explain " +
		"KEY`, as in `simulate explain network.latency`, says more.\n\n")
	chosen := map[string]string{
		"name":              "my-experiment",
		"problem.data":      "wdbc",
		"problem.train":     "0.8",
		"network.topology":  "{kind: watts-strogatz, nodes: 10, nearest: 4, rewire: 0.2}",
		"network.latency":   "{kind: lognormal, median: 20ms, sigma: 0.5}",
		"algorithm":         "{kind: admm}",
		"problem.partition": "even",
		"problem.loss":      "logistic",
		"record.iterates":   "all",
		"rounds.count":      "100",
	}
	template(&b, reflect.TypeFor[Scenario](), "", "", chosen)
	return b.String()
}

// rowsOf says of which rows an attack is defined.
func rowsOf(a *adversary.Attack) string {
	switch {
	case a.Targets && a.Classes:
		return "with classes or targets"
	case a.Classes:
		return "with classes, not targets"
	}
	return "with one of two classes, not of several, not targets"
}

func template(b *strings.Builder, t reflect.Type, path, indent string, chosen map[string]string) {
	usual := reflect.New(t).Elem()
	preset(usual)
	choice, kind := kindOf(usual)
	for _, f := range fields(t) {
		full := join(path, f.key)
		line := func(mark, value string) {
			text := fmt.Sprintf("%s%s%s: %s", indent, mark, f.key, value)
			doc := f.doc
			if f.enum != nil {
				doc += ": " + strings.Join(f.enum, " | ")
			}
			fmt.Fprintf(b, "%s# %s\n%s\n", indent, doc, text)
		}
		switch value, ok := chosen[full]; {
		case !f.is(kind) && f.preset != "": // a line of it would be a mistake here
			fmt.Fprintf(b, "%s# with %s %s also %s, default %s: %s\n", indent, choice, strings.Join(f.kinds(), " or "),
				f.key, f.preset, f.doc)
		case ok:
			line("", value)
		case f.kind.Kind() == reflect.Struct && full != "algorithm":
			fmt.Fprintf(b, "%s# %s\n%s%s:\n", indent, f.doc, indent, f.key)
			template(b, f.kind, full, indent+"  ", chosen)
		case f.preset != "":
			line("# ", f.preset)
		}
		if path == "" {
			b.WriteString("\n")
		}
	}
}

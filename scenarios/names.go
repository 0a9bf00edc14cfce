// Every name that can be explained or set: for completion in a shell, and to find what a
// mistyped or a short name may mean.

package scenarios

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"overhear/adversary/acts"
	"overhear/algorithms"
	"overhear/metrics"
	"overhear/problem"
	"overhear/sim"
)

// place is where a key of the language is.
type place struct {
	path   string // such as network.latency.median
	method string // whose parameter it is; "": of the language
	field  field
}

// places are all keys, with those of every method's parameters.
func places() []place {
	var all []place
	var walk func(t reflect.Type, path string, above []reflect.Type)
	walk = func(t reflect.Type, path string, above []reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t = written(t); t.Kind() != reflect.Struct || slices.Contains(above, t) {
			return
		}
		for _, f := range fields(t) {
			all = append(all, place{path: join(path, f.key), field: f})
			walk(f.kind, join(path, f.key), append(slices.Clone(above), t))
		}
	}
	walk(reflect.TypeFor[Scenario](), "", nil)
	for _, e := range algorithms.Entries() {
		for _, f := range fields(reflect.TypeOf(e.Params()).Elem()) {
			all = append(all, place{join("algorithm", f.key), e.Name, f})
		}
	}
	return all
}

// Names are all names that Explain explains.
func Names() []string {
	names := slices.Concat(algorithmNames(), AttackNames(), acts.Names(), problem.SetNames(), sim.SiteSetNames(),
		sim.SessionSetNames(), metrics.Columns)
	for _, p := range places() {
		if p.method == "" {
			names = append(names, p.path)
		}
	}
	return names
}

// Settings are all changes to a scenario that can be told beforehand: path=value for
// every value of a key that has a few, path= for the others.
func Settings() []string {
	var all []string
	for _, p := range places() {
		values := choices(p)
		if values == nil {
			values = []string{""}
		}
		for _, v := range values {
			all = append(all, p.path+"="+v)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// choices are the values of a key that has a few; of a mapping that may be written as one
// word, the kinds.
func choices(p place) []string {
	t := p.field.kind
	switch {
	case p.path == "algorithm.kind":
		return algorithmNames()
	case p.path == "adversary.acts.kind":
		return acts.Names()
	case p.path == "adversary.attacks.kind", t == reflect.TypeFor[AttackSpec]():
		return AttackNames()
	case p.path == "network.latency.set":
		return sim.SiteSetNames()
	case p.path == "network.faults.sessions.set":
		return sim.SessionSetNames()
	case t == reflect.TypeFor[problem.Source]():
		return problem.SetNames()
	case t.Kind() != reflect.Struct || !fromText(t):
		return p.field.enum
	}
	var kinds []string
	for _, f := range fields(t) {
		if f.key != "kind" {
			continue
		}
		for _, kind := range f.enum { // of a latency the one word is a time
			v := reflect.New(t)
			if err := v.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(kind)); err == nil &&
				v.Elem().FieldByIndex(f.index).String() == kind {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// explainShort explains a metric by its title, and a key by its last part: each key of
// that name, with whose it is; "" if there is none.
func explainShort(name string) string {
	for _, m := range metrics.All() {
		if m.Title == name {
			return m.Explain()
		}
	}
	var b strings.Builder
	for _, p := range places() {
		if p.path != name && !strings.HasSuffix(p.path, "."+name) {
			continue
		}
		of := ""
		if p.method != "" {
			of = " of " + p.method
		}
		fmt.Fprintf(&b, "  %s%s: %s\n", p.path, of, p.field.doc)
	}
	if b.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("%s is the name of these keys:\n%s", name, b.String())
}

// Words are what a key of a scenario is in a few words, "" where no few of its description say that; method is
// algorithm.kind, or empty.
func Words(path, method string) string {
	const most = 40
	words := ""
	for _, p := range places() {
		if p.path != path || p.method != "" && method != "" && p.method != method {
			continue
		}
		text := p.field.doc
		if k := strings.IndexAny(text, ",;:("); k >= 0 {
			text = text[:k]
		}
		if text = strings.TrimSpace(text); utf8.RuneCountInString(text) > most || words != "" && words != text {
			return ""
		}
		words = text
	}
	return strings.TrimPrefix(words, "the ")
}

// nearest is the name with the least edit distance from a word, of a name's whole and of
// its last part.
func nearest(word string, names []string) string {
	best, least := "", -1
	for _, name := range names {
		last := name[strings.LastIndex(name, ".")+1:]
		for _, part := range []string{name, last} {
			if n := editDistance(strings.ToLower(word), strings.ToLower(part)); least < 0 || n < least {
				best, least = name, n
			}
		}
	}
	return best
}

// The reference pages of methods and attacks, docs/methods.md and docs/attacks.md,
// written from the registries.

package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"overhear/adversary"
	"overhear/adversary/acts"
	"overhear/algorithms"
)

// References are the pages that Reference writes.
var References = []string{"methods", "attacks"}

// Reference is a page of Markdown about all methods or all attacks, one of
// References.
func Reference(page string) (string, error) {
	switch page {
	case "methods":
		return methodsPage(), nil
	case "attacks":
		return attacksPage(), nil
	}
	return "", fmt.Errorf("there is no reference page %q; there are %s", page, strings.Join(References, " and "))
}

const writtenBy = "<!-- Written by `simulate docs %s`; `go test ./docs -update` writes it anew. -->\n\n"

const methodsIntroduction = "A scenario names a method as `algorithm.kind` and gives its parameters beside it.\n" +
	"`simulate explain METHOD` prints the same text. The symbols are those of [mathematics.md](mathematics.md).\n\n" +
	"A target: whether `privacy: {epsilon: …}` can choose the method's noise.\n\n"

const attacksIntroduction = "`adversary.attacks` in a scenario names attacks. Without it `simulate attack` does\n" +
	"all that suit the method and what the adversary knows. An attack gets a view of the recorded messages,\n" +
	"the adversary's side knowledge and the public parameters, nothing else. `simulate explain ATTACK` prints\n" +
	"the same text. [mathematics.md §5](mathematics.md#5-what-an-observer-knows-and-attacks) derives the equations.\n\n"

const actsIntroduction = "An entry of `adversary.acts` names nodes that lie, and a strategy as `kind`. They compute\n" +
	"as honest nodes do, and change what they send. `simulate explain STRATEGY` prints the same text.\n\n"

// methodsPage has a table of all methods, then a section for each.
func methodsPage() string {
	var b strings.Builder
	b.WriteString("# Methods\n\n")
	fmt.Fprintf(&b, writtenBy, "methods")
	b.WriteString(methodsIntroduction)
	b.WriteString("| method | what it is | data are split by | network | target |\n|---|---|---|---|---|\n")
	all := algorithms.Entries()
	for _, e := range all {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s | %s |\n",
			e.Name, e.Name, e.Title, splitBy[e.Over], networkOf(e), target(e))
	}
	common := commonKeys(all)
	b.WriteString("\nEvery method has these parameters, too:\n\n")
	parameterTable(&b, common)
	for _, e := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n```text\n%s\n```\n\n%s\n",
			e.Name, upperFirst(e.Title), strings.TrimSpace(e.About), wrap("Paper: "+e.Paper+"."))
		if e.Active != nil {
			fmt.Fprintf(&b, "\n%s\n", wrap("Nodes that lie: "+e.Active.String()+"."))
		}
		if e.Theorems != nil {
			fmt.Fprintf(&b, "\n%s:\n\n", wrap(upperFirst(strings.ReplaceAll(proved, "run.json", "`run.json`"))))
			for _, t := range e.Theorems {
				fmt.Fprintf(&b, "%s\n", wrap("- "+t.Name+": "+t.States+"."))
			}
		}
		own := slices.DeleteFunc(methodFields(e), func(f field) bool {
			return slices.ContainsFunc(common, func(c field) bool { return c.key == f.key })
		})
		if len(own) > 0 {
			b.WriteString("\n")
			parameterTable(&b, own)
		}
	}
	return b.String()
}

// splitBy says what a method's data are divided by.
var splitBy = map[algorithms.Over]string{
	algorithms.Rows: "rows", algorithms.Columns: "columns", algorithms.Either: "rows or columns",
}

func networkOf(e *algorithms.Entry) string {
	if e.Star {
		return "star, node 0 the hub"
	}
	return "any"
}

func target(e *algorithms.Entry) string {
	if _, ok := e.Params().(algorithms.Tunable); ok {
		return "yes"
	}
	return ""
}

// commonKeys are the parameters that every method has.
func commonKeys(all []*algorithms.Entry) []field {
	common := methodFields(all[0])
	for _, e := range all[1:] {
		common = slices.DeleteFunc(common, func(c field) bool {
			return !slices.ContainsFunc(methodFields(e), func(f field) bool { return f.key == c.key && f.doc == c.doc })
		})
	}
	return common
}

// attacksPage has a table of all attacks, then a section for each.
func attacksPage() string {
	var b strings.Builder
	b.WriteString("# Attacks\n\n")
	fmt.Fprintf(&b, writtenBy, "attacks")
	b.WriteString(attacksIntroduction)
	b.WriteString("| attack | what it is | needs |\n|---|---|---|\n")
	for _, a := range adversary.Attacks() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", a.Name, a.Name, a.Title, a.Needs)
	}
	for _, a := range adversary.Attacks() {
		fmt.Fprintf(&b, "\n## %s\n\n%s. It solves\n\n```text\n%s\n```\n\n%s\n\n%s\n",
			a.Name, upperFirst(a.Title), a.Equation, wrap("It needs "+a.Needs+". Rows are "+rowsOf(a)+"."),
			wrap(a.About))
	}
	b.WriteString("\n## What the adversary sees and knows\n\nKeys of `adversary.view`:\n\n")
	parameterTable(&b, fields(reflect.TypeFor[Watching]()))
	b.WriteString("\nKeys of `adversary.knows`:\n\n")
	parameterTable(&b, fields(reflect.TypeFor[Knows]()))
	b.WriteString("\n## Nodes that lie\n\n" + actsIntroduction + "| strategy | what is sent |\n|---|---|\n")
	for _, e := range acts.Entries() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", e.Name, e.Name, e.Title)
	}
	b.WriteString("\nEvery entry has these keys:\n\n")
	parameterTable(&b, fields(actType))
	for _, e := range acts.Entries() {
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n%s\n\n", e.Name, upperFirst(e.Title), wrap(e.About))
		parameterTable(&b, fields(reflect.TypeOf(e.Strategy()).Elem()))
	}
	return b.String()
}

// parameterTable writes keys with their types, defaults and meanings.
func parameterTable(b *strings.Builder, all []field) {
	cell := func(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
	b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
	for _, f := range all {
		kind, preset := f.typeName(), ""
		if f.enum != nil {
			kind = "`" + strings.Join(f.enum, "`, `") + "`"
		}
		if f.preset != "" {
			preset = "`" + f.preset + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.key, cell(kind), cell(preset), cell(f.doc))
	}
}

var signs = strings.NewReplacer("*", `\*`, "<", `\<`, "_", `\_`)

// wrap makes a paragraph of text: lines of at most 120 characters, in which
// what Markdown would take for its own signs is kept as it is.
func wrap(text string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		word = signs.Replace(word)
		n := utf8.RuneCountInString(word)
		switch {
		case width == 0:
		case width+1+n > 120:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += n
	}
	return b.String()
}

// upperFirst begins a sentence.
func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

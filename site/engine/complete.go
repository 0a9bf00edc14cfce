// What may stand at a place in a scenario: keys and values of the language's JSON Schema.

package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"overhear/scenarios"
)

type completion struct {
	From        int          `json:"from"` // the column from which a suggestion takes the place of what is there
	Suggestions []suggestion `json:"suggestions"`
}

type suggestion struct {
	Text  string `json:"text"`
	About string `json:"about"`
}

// complete suggests what may stand before a column of a line, both from 1, in place of the word that has begun there.
func complete(text string, line, column int) completion {
	at := locate(text, line, column)
	answer := completion{From: column - len([]rune(at.word)), Suggestions: []suggestion{}}
	n := schema().reach(at.path)
	if n == nil {
		return answer
	}
	if at.value || at.item {
		answer.Suggestions = n.values(answer.Suggestions)
	}
	if !at.value {
		answer.Suggestions = n.keys(answer.Suggestions, at)
	}
	answer.Suggestions = slices.DeleteFunc(answer.Suggestions, func(s suggestion) bool {
		return !strings.HasPrefix(s.Text, at.word)
	})
	return answer
}

// node is a part of the schema.
type node struct {
	Ref         string           `json:"$ref"`
	Description string           `json:"description"`
	Properties  map[string]*node `json:"properties"`
	Items       *node            `json:"items"`
	Enum        []any            `json:"enum"`
	Const       any              `json:"const"`
	Type        any              `json:"type"`
	Default     any              `json:"default"`
	If          *node            `json:"if"`
	Then        *node            `json:"then"`
	Else        *node            `json:"else"`
	AllOf       []*node          `json:"allOf"`
}

var schema = sync.OnceValue(func() *node {
	root := new(node)
	if err := json.Unmarshal(scenarios.Schema(), root); err != nil {
		panic(fmt.Sprintf("engine: the schema: %v", err))
	}
	return root
})

// target is the node that a reference in the schema stands for.
func (n *node) target() *node {
	if n == nil || n.Ref == "" {
		return n
	}
	at := schema()
	for key := range strings.SplitSeq(strings.TrimPrefix(n.Ref, "#/"), "/") {
		if key != "properties" {
			at = at.Properties[key]
		}
	}
	return at
}

// reach is the node at a path, nil if there is none.
func (n *node) reach(path []string) *node {
	for _, key := range path {
		if n = n.target(); n == nil {
			return nil
		}
		if key == item {
			n = n.Items
			continue
		}
		var next *node
		for _, branch := range n.branches("") {
			if next = branch.Properties[key]; next != nil {
				break
			}
		}
		n = next
	}
	return n.target()
}

// branches are a node's alternatives with itself; of those of a kind only that one, "" for all.
func (n *node) branches(kind string) []*node {
	all := []*node{n}
	for _, more := range []*node{n.Then, n.Else} {
		if more != nil {
			all = append(all, more.target().branches(kind)...)
		}
	}
	for _, c := range n.AllOf {
		if kind == "" || c.If.Properties["kind"].Const == kind {
			all = append(all, c.Then)
		}
	}
	return all
}

// keys are those of a mapping that it does not have yet.
func (n *node) keys(all []suggestion, at *spot) []suggestion {
	kind := at.has["kind"]
	if kind == "" {
		kind = "?" // keys of a kind are offered once it is known
	}
	found := map[string]string{}
	for _, branch := range n.branches(kind) {
		for key, child := range branch.Properties {
			if _, known := at.has[key]; !known && found[key] == "" {
				found[key] = child.target().Description
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		all = append(all, suggestion{key, found[key]})
	}
	return all
}

// values are those of a key that has a few.
func (n *node) values(all []suggestion) []suggestion {
	add := func(value any, about string) {
		text := fmt.Sprint(value)
		if value == nil || slices.ContainsFunc(all, func(s suggestion) bool { return s.Text == text }) {
			return
		}
		if n.Default != nil && fmt.Sprint(n.Default) == text {
			about = strings.TrimSuffix("default; "+about, "; ")
		}
		all = append(all, suggestion{text, about})
	}
	for _, branch := range n.branches("?") {
		for _, value := range branch.Enum {
			add(value, about(value))
		}
		add(branch.Const, branch.Description)
		if branch.Type == "boolean" {
			add(true, "")
			add(false, "")
		}
	}
	add(n.Default, "")
	return all
}

// about is the first line of what the language explains of a value, without the value.
func about(value any) string {
	text, err := scenarios.Explain(fmt.Sprint(value))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(line, fmt.Sprint(value)+": ")
}

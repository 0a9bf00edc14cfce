// Completion suggests what the language has at a place.

package engine

import (
	"slices"
	"strings"
	"testing"

	"overhear/scenarios"
)

// A bar stands where the reader is.
func TestComplete(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		want    []string // among others
		never   []string
		from    string // what stands before the word
		exactly bool
	}{
		"at the top":      {"na|", []string{"name"}, []string{"network"}, "", true},
		"nothing yet":     {"|", []string{"name", "problem", "network", "algorithm"}, nil, "", false},
		"keys of a block": {"name: x\nnetwork:\n  to|", []string{"topology"}, []string{"latency"}, "  ", true},
		"keys but those here": {"network:\n  |\n  loss: 0.1\n",
			[]string{"latency", "topology"}, []string{"loss"}, "  ", false},
		"after a block": {"network:\n  loss: 0.1\n|",
			[]string{"problem"}, []string{"network", "loss"}, "", false},
		"values": {"rounds: {mode: |",
			[]string{"synchronous", "asynchronous"}, []string{"mode"}, "rounds: {mode: ", false},
		"a value in a block": {"rounds:\n  mode: asy|", []string{"asynchronous"}, nil, "  mode: ", true},
		"data sets":          {"problem:\n  data: wd|", []string{"wdbc"}, nil, "  data: ", true},
		"data sets inside":   {"problem:\n  data: {set: two|", []string{"twonorm"}, nil, "  data: {set: ", true},
		"methods": {"algorithm: {kind: d|, eta: 1}",
			[]string{"dvp", "dgd"}, []string{"admm"}, "algorithm: {kind: ", false},
		"keys of a method": {"algorithm: {kind: dvp, |",
			[]string{"alpha", "eta"}, []string{"kind", "step"}, "algorithm: {kind: dvp, ", false},
		"of a kind after it": {"algorithm: {al|, kind: dvp}", []string{"alpha"}, nil, "algorithm: {", true},
		"of a kind in lines": {"algorithm:\n  st|\n  kind: dgd\n", []string{"step"}, nil, "  ", true},
		"no kind yet":        {"algorithm: {|", []string{"kind"}, []string{"alpha"}, "algorithm: {", false},
		"in a list":          {"network:\n  faults:\n    - {cra|", []string{"crash", "crashes"}, nil, "    - {", true},
		"in a list of lines": {"network:\n  faults:\n    - at: 1s\n      cra|",
			[]string{"crash", "crashes"}, nil, "      ", true},
		"a law on top": {"network: {latency: {kind: matrix, jitter: {sig|",
			[]string{"sigma"}, nil, "network: {latency: {kind: matrix, jitter: {", true},
		"flows of many lines": {"network: {loss: 0.1,\n  topology: {kind: ri|",
			[]string{"ring"}, nil, "  topology: {kind: ", true},
		"attacks in a list": {"adversary: {attacks: [kkt-i|",
			[]string{"kkt-inversion"}, nil, "adversary: {attacks: [", true},
		"attacks in lines": {"adversary:\n  attacks:\n    - one|", []string{"one-hop"}, nil, "    - ", true},
		"an attack's kind": {"adversary: {attacks: [{kind: mem|",
			[]string{"membership"}, nil, "adversary: {attacks: [{kind: ", true},
		"a second attack": {"adversary: {attacks: [one-hop, row|",
			[]string{"row-space"}, nil, "adversary: {attacks: [one-hop, ", true},
		"in a schedule": {"algorithm: {kind: dvp, alpha: {ini|",
			[]string{"initial"}, nil, "algorithm: {kind: dvp, alpha: {", true},
		"nothing of the kind": {"network: {nonsense: {|", nil, []string{"kind"}, "network: {nonsense: {", true},
	} {
		before, after, _ := strings.Cut(c.text, "|")
		line := strings.Count(before, "\n") + 1
		column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
		got := complete(before+after, line, column)
		var texts []string
		for _, s := range got.Suggestions {
			texts = append(texts, s.Text)
		}
		for _, w := range c.want {
			if !slices.Contains(texts, w) {
				t.Errorf("%s: %q is not among %q", name, w, texts)
			}
		}
		for _, w := range c.never {
			if slices.Contains(texts, w) {
				t.Errorf("%s: %q is among %q", name, w, texts)
			}
		}
		if c.exactly && len(texts) != len(c.want) {
			t.Errorf("%s: %q, want %q", name, texts, c.want)
		}
		if want := len([]rune(c.from)) + 1; got.From != want {
			t.Errorf("%s: from column %d, want %d", name, got.From, want)
		}
	}
}

// At every key of a shipped scenario, the key is among what is suggested for its first letter, whatever else is wrong.
func TestComplete_KnowsWhatShippedScenariosHave(t *testing.T) {
	keys := 0
	for _, name := range []string{"quickstart.yaml", "hospital-faults.yaml", "edge-under-loss.yaml", "audit-dvp.yaml",
		"liars.yaml", "regions.yaml"} {
		text, err := scenarios.ShippedText(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(text, "\n")
		for k, line := range lines {
			trimmed := strings.TrimLeft(line, " ")
			key, _, ok := strings.Cut(trimmed, ":")
			if !ok || strings.ContainsAny(key, " #-{") {
				continue
			}
			keys++
			indent := len(line) - len(trimmed)
			torn := slices.Clone(lines)
			torn[k] = line[:indent+1]
			got := complete(strings.Join(torn, "\n"), k+1, indent+2)
			known := func(s suggestion) bool { return s.Text == key && s.About != "" }
			if !slices.ContainsFunc(got.Suggestions, known) {
				t.Errorf("%s:%d: %q is not among %v", name, k+1, key, got.Suggestions)
			}
		}
	}
	if keys < 40 {
		t.Errorf("%d keys were tried", keys)
	}
}

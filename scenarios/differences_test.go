// Scenarios differ in what is said, and directories of changes have names that tell them apart.

package scenarios

import (
	"fmt"
	"strings"
	"testing"
)

func TestChanges(t *testing.T) {
	load := func(sets ...string) *Scenario {
		s, err := LoadShipped("quickstart.yaml", sets...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		sets []string
		want string
	}{
		{[]string{"name=x", "about=y", "seeds.count=7"}, "[]"},
		{[]string{"algorithm.eta=0.01"}, "[algorithm.eta was 0.003, is 0.01]"},
		{[]string{"network.topology={kind: ring, nodes: 10}"}, "[network.topology.kind was watts-strogatz, is ring " +
			"network.topology.nearest was 4, is absent network.topology.rewire was 0.2, is absent]"},
	} {
		if got := fmt.Sprint(Changes(load(), load(c.sets...))); got != c.want {
			t.Errorf("%v: %s, want %s", c.sets, got, c.want)
		}
	}
	// Whatever the hash tells apart is said.
	for _, set := range []string{"problem.rho=0.3", "network.loss=0.1", "record.messages=none", "rounds.count=3",
		"adversary.knows.victim=2", "problem.data=adult", "network.faults=[{at: 1s, crash: 2}]"} {
		a, b := load(), load(set)
		if a.Hash() == b.Hash() || len(Changes(a, b)) == 0 || len(Changes(b, a)) == 0 {
			t.Errorf("%s: the hashes are %.8s and %.8s, the changes %v", set, a.Hash(), b.Hash(), Changes(a, b))
		}
	}
}

func TestSuffix(t *testing.T) {
	if got := Suffix([]string{"algorithm.eta=0.01", "rounds.count=3"}); got != ",algorithm.eta=0.01,rounds.count=3" {
		t.Error(got)
	}
	const adversary = "adversary={knows: {victim: 0, all-but: 0}}"
	if got := Suffix([]string{adversary}); got != ",adversary=knows-victim-0,all-but-0-0d7c36b5" {
		t.Error(got)
	}
	seen := map[string]bool{}
	for _, changes := range [][]string{
		nil, {"problem.data.csv=../a b.csv"}, {"problem.data.csv=../a/b.csv"}, {"a=" + strings.Repeat("1", 200)},
		{"a=" + strings.Repeat("1", 201)}, {"a=é"}, {"a=è"}, {"a=["}, {"a=.."},
		{"a=1"}, {"a=-1"}, {"a=[-1]"}, {"a=[1]"},
	} {
		name := Suffix(changes)
		if seen[name] || len(name) > 100 || strings.ContainsAny(name, "/\\ :*?\"<>|") {
			t.Errorf("%.60q is named %q", changes, name)
		}
		seen[name] = true
	}
}

// Keys that are given as one word are checked, and what is missing is called so.

package scenarios

import (
	"strings"
	"testing"
)

func TestExplain_TheoremsAndLosses(t *testing.T) {
	for name, want := range map[string]string{
		"zkl18 theorem 3.1": "methods: admm, ", "softmax": "softmax: a loss", "huber": "width: half-width h",
	} {
		if got, err := Explain(name); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	if got, _ := Explain("softmax"); strings.Contains(got, "width: half-width") {
		t.Errorf("softmax has no width: %q", got)
	}
}

func TestParse_OneWordMayNotBeEnough(t *testing.T) {
	for set, want := range map[string]string{
		"problem.set=box": "problem.set.lower or upper must be given: a box without bounds is no constraint",
		"algorithm={kind: pdml, epsilon: {list: [1], uniform: [1, 2]}}": "algorithm.epsilon.list must stand alone, " +
			"without uniform",
		"network.topology=null": "network.topology is missing",
		"problem.data=null":     "problem.data must have exactly one of",
		"network={}": "network.topology is missing: it must have exactly one of kind, edges and file, such as " +
			"{kind: ring, nodes: 5}",
	} {
		if _, err := Parse("t.yaml", []byte(minimal), set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}

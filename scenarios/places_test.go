// Mistakes that only a graph shows, at their places in what was read.

package scenarios

import (
	"strings"
	"testing"

	"overhear/sim"
)

func TestForesee_HasPlaces(t *testing.T) {
	const faulty = `name: t
problem: {data: wdbc}
network:
  topology: {kind: ring, nodes: 12}
  links: [{between: [0, 1], loss: 0.1}, {between: [1, 3], loss: 0.1}]
  faults:
    - {slow: 1, factor: 2}
    - {link: [0, 11], factor: 2}
    - {link: [0, 5], factor: 2}
algorithm: {kind: admm}
changes:
  - {at: 1s, set: {network.loss: 0.1}}
  - {at: 2s, set: {network.faults: [{link: [2, 4], loss: 1}], network.loss: 0}}
`
	s, err := Parse("t.yaml", []byte(faulty))
	if err != nil {
		t.Fatal(err)
	}
	ring, err := s.Network.Topology.Build(sim.NewStream(1, "topology"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"t.yaml:5:51: network.links[1].between is 1-3, which is no edge; node 1 is linked to 0, 2",
		"t.yaml:9:14: network.faults[2].link is 0-5, which is no edge; node 0 is linked to 1, 11",
		"t.yaml:13:19: changes[1].set: network.faults[0].link is 2-4, which is no edge; node 2 is linked to 1, 3",
	}
	for _, err := range []error{s.CheckGraph(ring), s.Foresee(1)} {
		if err == nil || err.Error() != strings.Join(want, "\n") {
			t.Errorf("%v\nnot\n%s", err, strings.Join(want, "\n"))
		}
	}
	set, err := Parse("t.yaml", []byte(minimal), "network.faults=[{link: [0, 2], factor: 2}]")
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Foresee(1); err == nil || !strings.HasPrefix(err.Error(),
		"--set network.faults=[{link: [0, 2], factor: 2}]: network.faults[0].link is 0-2") {
		t.Errorf("of --set: %v", err)
	}
	whole, err := Parse("t.yaml", []byte(strings.Replace(minimal, "kind: ring, nodes: 5", "nodes: 4, edges: [[0, 1], "+
		"[2, 3]]", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.Foresee(1); err == nil ||
		!strings.HasPrefix(err.Error(), "t.yaml:3:21: network.topology: the graph is in 2 pieces") {
		t.Errorf("of a graph in pieces: %v", err)
	}
	for text, want := range map[string]string{
		strings.Replace(minimal, "nodes: 5", "nodes: 570", 1): "570 nodes are more than the 569 training rows " +
			"(problem.data, problem.train); every node needs a row",
		strings.Replace(minimal, "wdbc", "{set: twonorm, rows: 4}", 1): "5 nodes are more than the 4 training rows",
		strings.Replace(minimal, "wdbc", "wdbc, train: 0.007", 1):      "5 nodes are more than the 4 training rows",
		strings.NewReplacer("ring, nodes: 5", "star, nodes: 6", "wdbc", "wdbc, train: 5", "admm",
			"dp-admm").Replace(minimal): "", // the hub has no rows
	} {
		s, err := Parse("t.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if want != "" {
			want = "t.yaml:3:41: network.topology.nodes: " + want
		}
		if err := s.Foresee(1); (err != nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := s.CheckRows(12, 11); err == nil ||
		!strings.HasPrefix(err.Error(), "t.yaml:4:33: network.topology.nodes: 12 nodes") {
		t.Errorf("of more nodes than rows: %v", err)
	}
	if err := s.CheckRows(12, 12); err != nil {
		t.Error(err)
	}
}

// A node's speed is its own, around a hub and over split columns too.

package experiment

import (
	"context"
	"testing"

	"overhear/scenarios"
)

func TestSpeeds_AroundAHub(t *testing.T) {
	const star = `name: star
problem: {data: wdbc, train: 0.8, rho: 0.1}
network: {topology: {kind: star, nodes: 4}}
compute: {row: 1us, jitter: 0, speeds: [0.5, 1, 1, 0.01]}
rounds: {count: 4}
`
	for name, set := range map[string]string{
		"rows":    "algorithm={kind: dp-admm}",
		"columns": "algorithm={kind: admm-sharing, eta: 0.1}",
	} {
		sets := []string{set}
		if name == "columns" {
			sets = append(sets, "problem.columns=[11, 10, 10]")
		}
		s, err := scenarios.Parse("star.yaml", []byte(star), sets...)
		if err != nil {
			t.Fatal(err)
		}
		e := New(s, "")
		a := assembled(t, e)
		f, err := e.Execute(context.Background(), a, Execution{})
		if err != nil {
			t.Fatal(err)
		}
		nodes := f.Activity.Nodes
		usual, slow := float64(nodes[2].Busy), float64(nodes[3].Busy)
		if !(usual > 0) || !(slow >= 90*usual) || !(slow <= 110*usual) {
			t.Errorf("%s: a node at a hundredth of the speed was busy for %v, another for %v", name, nodes[3].Busy,
				nodes[2].Busy)
		}
		if hub := float64(nodes[0].Busy); name == "columns" && (!(hub >= 1.8*usual) || !(hub <= 2.2*usual)) {
			t.Errorf("columns: a hub at half the speed was busy for %v, a party for %v", nodes[0].Busy, nodes[2].Busy)
		}
	}
}

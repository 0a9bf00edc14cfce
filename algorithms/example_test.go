// How a method is run without a scenario. A whole new method, with its model and the audit
// of its claim, is in evaluation/example_method_test.go.

package algorithms_test

import (
	"context"
	"fmt"

	"overhear/algorithms"
	"overhear/problem"
	"overhear/sim"
)

// noisy is ADMM whose nodes publish their iterate plus normal noise, and use
// what they have published themselves.
type noisy struct {
	algorithms.ADMM
	Sigma float64 `yaml:"sigma" doc:"standard deviation of the noise on every component"`
}

// Update is ADMM's primal step; what it leaves in n.F is sent. Dual is embedded.
func (m noisy) Update(n *algorithms.Node, t int) error {
	if err := m.ADMM.Update(n, t); err != nil {
		return err
	}
	noise := n.Stream("noise", t)
	for k := range n.F {
		n.F[k] += m.Sigma * noise.Normal()
	}
	return nil
}

// Two nodes with one row each: the nodes end at the same place, up to the noise.
func Example() {
	row := func(x float64) problem.Shard {
		u := problem.NewRows(1)
		u.Append([]int32{0}, []float64{x})
		return problem.Shard{U: u, Y: []float64{1}}
	}
	graph, _ := sim.NewGraph(2, [][2]int{{0, 1}})
	p := &problem.Problem{
		D: 1, Loss: problem.Squared, C: 1, R: []float64{0.1, 0.1}, Shards: []problem.Shard{row(1), row(0.5)},
	}
	last := last{}
	run, err := algorithms.NewProtocol(algorithms.Config{
		Setting:  algorithms.Setting{Problem: p, Graph: graph, Rounds: 50, Seed: 1},
		Method:   noisy{ADMM: algorithms.ADMM{Eta: 0.5}, Sigma: 1e-4},
		Observer: last,
	})
	if err != nil {
		fmt.Println(err)
	}
	engine, _ := sim.New(sim.Config{Seed: 1, Graph: graph})
	run.Attach(engine)
	if err := engine.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// The centralised optimum is (1 + 0.5)/(1 + 0.25 + 0.2).
	fmt.Printf("%.2f %.2f\n", last[0], last[1])
	// Output: 1.03 1.03
}

type last map[int]float64

func (l last) Published(p *algorithms.Publication) { l[p.Node] = p.Values[0] }
func (l last) Concluded(int, int, []float64)       {}

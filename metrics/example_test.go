// A collector without a network: two nodes walk to the optimum of their problem.

package metrics_test

import (
	"fmt"

	"overhear/metrics"
	"overhear/problem"
)

func ExampleCollector() {
	row := func(x, y float64) problem.Shard { // one row with label +1
		s := problem.Shard{U: problem.NewRows(2), Y: []float64{1}}
		s.U.Append([]int32{0, 1}, []float64{x, y})
		return s
	}
	p := &problem.Problem{
		D: 2, C: 1, R: []float64{0.1, 0.1}, Loss: problem.Logistic,
		Shards: []problem.Shard{row(1, 0), row(0, 1)}, Test: row(1, 1),
	}
	optimum, err := p.Centralised()
	if err != nil {
		fmt.Println(err)
		return
	}
	collector := metrics.NewCollector(p, optimum.F, 3, nil)
	for round := range 4 {
		for node := range 2 {
			f := make([]float64, p.D) // half as far from the optimum as in the round before
			for k := range f {
				f[k] = optimum.F[k] * (1 - 1/float64(int(1)<<round))
			}
			collector.Published(node, round, 0, f, nil, 0, problem.Stats{})
			collector.Sent(round, 64)
		}
	}
	for _, row := range collector.Rows() {
		fmt.Print("round ", row.Round)
		for _, name := range []string{"distance", "messages", "privacy_loss"} {
			m := metrics.Named(name)
			fmt.Print(", ", name, " ", m.Text(m.Of(&row)))
		}
		fmt.Println()
	}
	// Output:
	// round 0, distance 1, messages 2, privacy_loss -
	// round 1, distance 0.5, messages 4, privacy_loss -
	// round 2, distance 0.25, messages 6, privacy_loss -
	// round 3, distance 0.125, messages 8, privacy_loss -
}

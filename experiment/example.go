// What a private method claims, and what is certified of it, in an example.

package experiment

import (
	"context"
	"fmt"
	"math"

	"overhear/algorithms"
	"overhear/record"
	"overhear/scenarios"
)

// ExampleOf is the account of a method with its own defaults in an example, which is also told in words; nil: the
// method claims nothing, or has no defaults that make a run.
func ExampleOf(e *algorithms.Entry) (p *record.Privacy, words string) {
	topology, columns := "{kind: ring, nodes: 5}", ""
	switch {
	case e.Over == algorithms.Columns:
		topology, columns = "{kind: star, nodes: 4}",
			"\n  columns: [10, 10, 10]\n  scale: {rows: unit, intercept: false}"
	case e.Star:
		topology = "{kind: star, nodes: 6}"
	}
	const rounds, rho = 50, 0.1
	s, err := scenarios.Parse("example.yaml", fmt.Appendf(nil, `name: example
problem:
  data: wdbc
  rho: %v%s
network: {topology: %s}
rounds: {count: %d}
algorithm: {kind: %s}
`, rho, columns, topology, rounds, e.Name))
	if err != nil {
		return nil, ""
	}
	a, err := New(s, "").Assemble(context.Background(), s.Seeds.First)
	if err != nil || a.Account == nil || math.IsNaN(a.Account.Delta) {
		return nil, ""
	}
	return a.Account.record(a.First()), fmt.Sprintf("wdbc, %s, rho %v, %d rounds, parameters as they are by default",
		topology, rho, rounds)
}

// A figure and a study on little generated data.

package reproduce_test

import (
	"context"
	"fmt"

	"overhear/reproduce"
)

// little is a scenario's change to sixty generated rows and twenty rounds.
var little = []string{"problem.data={set: twonorm, rows: 60, dimension: 3}", "rounds.count=20"}

// A figure with two curves and one statement.
func Example() {
	admm := &reproduce.Curve{Label: "ADMM", Set: little}
	gradient := &reproduce.Curve{Label: "gradient descent", Set: append(little[:2:2],
		"algorithm={kind: dgd, step: 0.5}")}
	figure := &reproduce.Figure{
		Name: "first", Paper: "an example", Title: "ADMM and gradient descent", Scenario: "wdbc-ring.yaml", Seeds: 2,
		Stated: "two methods on the same data.",
		Chosen: "twonorm, 60 rows, 20 rounds.",
		Curves: []*reproduce.Curve{admm, gradient},
		Charts: []reproduce.Chart{{
			Name: "distance", Title: "Distance to the optimum", X: "round", Y: "distance",
			XLabel: "round", YLabel: "relative distance", LogY: true,
		}},
		Statements: func(r *reproduce.Results) []reproduce.Statement {
			a, g := r.Of(admm), r.Of(gradient)
			return []reproduce.Statement{
				reproduce.State("ADMM is nearer to the optimum in the end",
					reproduce.Assess(a.Last("distance") < g.Last("distance")), "distance %.2f and %.2f",
					a.Last("distance"), g.Last("distance")),
				reproduce.State("both methods halve the distance",
					reproduce.AssessParts(
						a.Last("distance") < 0.5*a.At("distance", 0) && g.Last("distance") < 0.5*g.At("distance", 0),
						a.Last("distance") < 0.5*a.At("distance", 0)),
					"in rounds %d and %d", a.Reaches("distance", 0.5), g.Reaches("distance", 0.5)),
			}
		},
	}
	results, err := figure.Run(context.Background(), 0, "", "", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range results.Statements(results) {
		fmt.Printf("%s: %s (%s)\n", s.Text, s.Assessment, s.Measured)
	}
	// Output:
	// ADMM is nearer to the optimum in the end: holds (distance 0.01 and 0.78)
	// both methods halve the distance: holds in part (in rounds 4 and -1)
}

// A study that measures two runs.
func ExampleStudy() {
	study := &reproduce.Study{
		Name: "networks/first", Title: "Do lost packets change synchronous rounds?",
		About: "A node that misses a value asks for it again.",
		Compute: func(b *reproduce.Workbench) error {
			_, whole, err := b.Measure("wdbc-ring.yaml", little...)
			if err != nil {
				return err
			}
			_, lossy, err := b.Measure("wdbc-ring.yaml", append(little[:2:2], "network.loss=0.3")...)
			if err != nil {
				return err
			}
			a, c := whole.Column("distance")[20], lossy.Column("distance")[20]
			b.State("loss changes no iterate", reproduce.Assess(a == c), "distance %.3g and %.3g", a, c)
			return nil
		},
	}
	bench, err := study.Run(context.Background(), "", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range bench.Statements() {
		fmt.Printf("%s: %s (%s)\n", s.Text, s.Assessment, s.Measured)
	}
	// Output:
	// loss changes no iterate: holds (distance 0.00543 and 0.00543)
}

// A table of two runs.

package report_test

import (
	"math"
	"os"

	"overhear/record"
	"overhear/report"
)

func ExampleSeedTable() {
	var runs []*record.Run
	for _, loss := range []record.Number{0.25, 0.75} {
		info := &record.Info{Name: "hospitals"}
		info.Final.Loss, info.Final.TestError = loss, record.Number(math.NaN())
		runs = append(runs, &record.Run{Info: info})
	}
	report.SeedTable(os.Stdout, runs, "results/runs/hospitals")
	// Output:
	// hospitals: 2 seeds  mean  least  greatest
	// training loss       0.5   0.25   0.75
	// objective           0     0      0
	// disagreement        0     0      0
	// distance            0     0      0
	// virtual seconds     0     0      0
	// files               results/runs/hospitals
}

// Tables say what is in the runs.

package report

import (
	"math"
	"strings"
	"testing"

	"overhear/record"
)

func TestSeedTable_MeanLeastGreatest(t *testing.T) {
	var runs []*record.Run
	for _, loss := range []float64{0.25, 0.5, 0.75} {
		i := &record.Info{Name: "three"}
		i.Final.Loss = record.Number(loss)
		i.Final.TestError = record.Number(math.NaN())
		runs = append(runs, &record.Run{Info: i})
	}
	var b strings.Builder
	if err := SeedTable(&b, runs, "somewhere"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if got := strings.Fields(lines[1]); strings.Join(got, " ") != "training loss 0.5 0.25 0.75" {
		t.Errorf("%q", got)
	}
	if strings.Contains(b.String(), "test error") {
		t.Errorf("a line for what was not measured:\n%s", b.String())
	}
}

// What one run's table warns of is not lost where there are several: each state and each
// warning is said once, with how many seeds it is of.
func TestSeedTable_WarnsAsOneRunDoes(t *testing.T) {
	var runs []*record.Run
	for seed, state := range []string{record.Converged, record.Moving, record.Moving} {
		i := &record.Info{Name: "three", Seed: uint64(seed), BaseError: 0.4,
			Reference:   record.Reference{TestError: 0.1},
			Convergence: &record.Convergence{State: state, Factor: 0.9, Advice: "rounds"},
			Computed:    []record.Computed{{Key: "eta", Value: 0.25, Why: "from curvature"}},
			Ridge:       &record.Ridge{Smaller: 0.01}, Warnings: []string{"of all"}}
		if seed == 2 {
			i.Warnings = append(i.Warnings, "of one")
		}
		runs = append(runs, &record.Run{Info: i})
	}
	var b strings.Builder
	if err := SeedTable(&b, runs, "somewhere"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"progress: 1 of 3 seeds converged; seed 0: the distance to the optimum is below 0.1 %\n",
		"progress: 2 of 3 seeds moving; seed 1: the distance to the optimum falls by 10 % a round; try rounds\n",
		"eta: 0.25 in seed 0, computed: from curvature\n", "always the larger class: 40.00 %\n", "rho of seed 0: ",
		"\nwarning: of all\n", "\nwarning: 1 of 3 seeds: of one\n",
	} {
		if strings.Count(b.String(), want) != 1 {
			t.Errorf("no line, or several, %q in\n%s", want, b.String())
		}
	}
}

// What is below the optimum is said.

package experiment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/record"
	"overhear/scenarios"
)

const settledRows = `name: settled
problem: {data: wdbc, train: 0.5, rho: 0.1}
network: {topology: {kind: complete, nodes: 3}}
rounds: {count: 120}
algorithm: {kind: admm, eta: 0.05}
`

const settledColumns = `name: settled
problem: {data: wdbc, columns: [10, 10, 10], rho: 1, scale: {intercept: false}}
network: {topology: {kind: star, nodes: 4}}
rounds: {count: 600}
algorithm: {kind: admm-sharing, form: averaged, eta: 0.3}
`

// An optimum that is planted too high by a millionth is seen, over rows and over columns; the one that is computed is
// below what the nodes come to, also where each of them, by itself, has less.
func TestRun_WarnsOfAnObjectiveBelowTheOptimum(t *testing.T) {
	for name, text := range map[string]string{"rows": settledRows, "columns": settledColumns} {
		s, err := scenarios.Parse("settled.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		e := New(s, "")
		out, err := e.complete(context.Background(), 1, Execution{Workers: 2}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		warned := func() string {
			for _, w := range e.infoOf(out).Warnings {
				if strings.Contains(w, "below the centralised optimum's") {
					return w
				}
			}
			return ""
		}
		if w := warned(); w != "" {
			t.Errorf("%s: %s", name, w)
		}
		right := out.optimum.Objective
		out.optimum.Objective = right * (1 + 1e-6)
		w := warned()
		for _, want := range []string{fmt.Sprintf("optimum's %.10g:", float64(out.optimum.Objective)),
			fmt.Sprintf(" is %.10g", float64(right))[:9], "solver.tolerance below 1e-10", "a defect of the program"} {
			if !strings.Contains(w, want) {
				t.Errorf("%s: a planted optimum that is too high is said as %q, which lacks %q", name, w, want)
			}
		}
		out.optimum.Objective = record.Number(float64(right) * (1 + 1e-12)) // within what the solver leaves
		if w := warned(); w != "" {
			t.Errorf("%s: %s", name, w)
		}
	}
	for _, rounds := range []string{"1", "2", "5"} { // nodes that disagree
		s, err := scenarios.Parse("settled.yaml", []byte(settledRows), "rounds.count="+rounds,
			"algorithm.eta=0.0001")
		if err != nil {
			t.Fatal(err)
		}
		info, _, err := New(s, "").Measure(context.Background(), 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		if !(info.Final.Objective < info.Reference.Objective) && rounds == "1" {
			t.Errorf("after %s rounds the nodes' own objectives sum to %v, not less than %v", rounds,
				info.Final.Objective, info.Reference.Objective)
		}
		if strings.Contains(strings.Join(info.Warnings, ""), "below the centralised optimum") {
			t.Errorf("after %s rounds: %q", rounds, info.Warnings)
		}
	}
}

// A fit that is exact has an objective of rounding, which another rounding is below.
func TestRun_DoesNotWarnOfRounding(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("a,b,y\n")
	for k := range 60 {
		a, b := (7*k)%13-6, (5*k)%11-5
		fmt.Fprintf(&csv, "%d,%d,%d\n", a, b, 3*a-2*b+1)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "exact.csv"), []byte(csv.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "name: exact\nproblem: {data: {csv: " + filepath.Join(dir, "exact.csv") + ", target: y}, loss: squared, " +
		"rho: 0, order: file, scale: {columns: none, rows: none}}\n" +
		"network: {topology: {kind: complete, nodes: 3}}\nrounds: {count: 3}\nalgorithm: {kind: centralised}\n"
	s, err := scenarios.Parse(filepath.Join(dir, "exact.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	e := New(s, "")
	out, err := e.complete(context.Background(), 1, Execution{Workers: 1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !(out.optimum.Objective <= 1e-20) {
		t.Fatalf("the fit is not exact: %v", out.optimum.Objective)
	}
	for _, best := range []record.Number{out.optimum.Objective, 1e-25} {
		out.optimum.Objective = best
		if w := out.belowOptimum(e); w != nil {
			t.Errorf("an optimum of %v: %q", best, w)
		}
	}
	out.optimum.Objective = 1e-6
	if w := out.belowOptimum(e); w == nil {
		t.Error("a planted optimum that is too high is not said", out.optimum.Objective)
	}
}

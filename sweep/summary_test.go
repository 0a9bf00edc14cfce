// What is said at the end of a sweep: which points have not come to the optimum, and why.

package sweep

import (
	"context"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"overhear/record"
)

const penaltiesScenario = `
name: slow
problem: {data: wdbc, train: 100, rho: 0.2}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 40}
algorithm: {kind: m-admm, eta: 0.02, theta: auto}
`

// A sweep's end names the points that still move or diverge, with what to change, and the
// table has a column for each of these.
func TestSummary_NamesPointsThatHaveNotConverged(t *testing.T) {
	p := plan(t, penaltiesScenario, Options{Grid: []string{
		"algorithm.eta+algorithm.theta=0.05|0.05,0.5|0.5,0.001|0.05"}, Seeds: 2})
	d := open(t, filepath.Join(t.TempDir(), "sweep"), p)
	if _, err := Make(context.Background(), d, Settings{Dispatcher: Local{Workers: 2}}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Summarise(&b, p, d.Journal); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"progress: 2 of 6 runs converged, at 1 of 3 points\nprogress: 2 of 6 runs moving, at 1 of 3 points\n" +
			"  algorithm.eta=0.5 algorithm.theta=0.5 (2 of 2 seeds); run 2: the distance to the optimum falls by ",
		"eta: auto, which is ", "(it is 0.5)",
		"progress: 2 of 6 runs diverging, at 1 of 3 points\n" +
			"  algorithm.eta=0.001 algorithm.theta=0.05 (2 of 2 seeds)\n",
		"; of always the larger class: 3", "rho, where it costs most (run ", "; with rho 0.002: loss ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	all := tables(t, d.Path)
	rows, err := csv.NewReader(strings.NewReader(all[csvFile])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for k, name := range rows[0] {
		at[name] = k
	}
	for k, state := range []string{record.Converged, record.Converged, record.Moving, record.Moving} {
		row := rows[1+k]
		if row[at["progress"]] != state || !strings.HasPrefix(row[at["base_error"]], "0.3") ||
			(row[at["progress_advice"]] == "") != (state == record.Converged) || row[at["smaller_rho"]] != "0.002" {
			t.Errorf("run %d: %q", k, row)
		}
	}
	if !strings.Contains(all[failuresFile], "what would change it: eta: auto, which is ") {
		t.Errorf("no advice for runs that diverge in\n%s", all[failuresFile])
	}
}

// One warning of many runs is one line, though its numbers differ; so is one of few, with
// how many runs it is of. A state is counted in runs: one of many seeds that fails, or still
// moves, does not stand for its point.
func TestSummary_GathersWarningsAndSeeds(t *testing.T) {
	p := plan(t, smallScenario, Options{Grid: []string{"algorithm.eta=0.1,0.2"}, Seeds: 3})
	d := open(t, filepath.Join(t.TempDir(), "sweep"), p)
	for index := range p.Len() {
		r := &Result{Index: index, Seed: p.Task(index).Seed, Facts: &Facts{
			Warnings:    []string{fmt.Sprintf("node %d is slow", index)},
			Convergence: &record.Convergence{State: record.Converged}}}
		switch index {
		case 1:
			r.Warnings = append(r.Warnings, "of one")
		case 4:
			r.Convergence = &record.Convergence{State: record.MovingAway, Factor: 1.01}
		case 5:
			r.Facts, r.Error = nil, "no route"
		}
		if err := d.Journal.Put(index, r.Encode()); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	if err := Summarise(&b, p, d.Journal); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"warning: node 0 is slow\n", "warning: 1 of 5 runs, the first being 1: of one\n",
		"progress: 4 of 6 runs converged, at 2 of 2 points\n",
		"progress: 1 of 6 runs moving away, at 1 of 2 points\n  algorithm.eta=0.2 (1 of 3 seeds); run 4: ",
		"progress: 1 of 6 runs failed, at 1 of 2 points\n  algorithm.eta=0.2 (1 of 3 seeds)\n"} {
		if strings.Count(b.String(), want) != 1 {
			t.Errorf("no line, or several, %q in\n%s", want, b.String())
		}
	}
}

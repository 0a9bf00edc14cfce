// Runs whose nodes use the memory of iterates again.

package experiment

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"overhear/algorithms"
	"overhear/record"
	"overhear/scenarios"
)

// published has all iterates of a run.
type published map[[2]int][]float64

func (all published) Published(p *algorithms.Publication) { all[[2]int{p.Node, p.Round}] = p.Values }
func (published) Concluded(int, int, []float64)           {}

// What a run records of iterates, and what it measures without recording them, is of the iterates that nodes came to,
// though their memory may be used again.
func TestRun_RecordsAndMeasuresWhatNodesCameTo(t *testing.T) {
	const text = `name: reuse
problem: {data: {set: twonorm, rows: 200, dimension: 4}, rho: 0.1}
network: {topology: {kind: ring, nodes: 8}, latency: {kind: exponential, mean: 6ms}}
rounds: {mode: asynchronous, count: 30}
algorithm: {kind: edge-admm, eta: 0.05}
`
	run := func(iterates string) (e *Experiment, dir string) {
		s, err := scenarios.Parse("reuse.yaml", []byte(text), "record.iterates="+iterates)
		if err != nil {
			t.Fatal(err)
		}
		e = New(s, "")
		r, err := e.Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		return e, r.Dir
	}
	e, all := run("all")
	_, none := run("none")
	a := assembled(t, e)
	want := published{}
	if _, err := e.Execute(context.Background(), a, Execution{Observer: want, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	recorded, err := record.Open(all)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	if err := recorded.Iterates(func(i record.Iterate) error {
		rows++
		if !slices.Equal(i.Values, want[[2]int{int(i.Node), int(i.Round)}]) {
			t.Errorf("of node %d in round %d another iterate is recorded", i.Node, i.Round)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if rows != 8*31 || len(want) != rows {
		t.Errorf("%d iterates of %d", rows, len(want))
	}
	var tables [2][]byte
	for k, dir := range []string{all, none} {
		if tables[k], err = os.ReadFile(filepath.Join(dir, "metrics.csv")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(tables[0], tables[1]) {
		t.Error("a run that records no iterates measures something else")
	}
}

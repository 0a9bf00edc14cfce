// The same sweep in other ways gives the same bytes: other numbers of workers,
// shards, interruptions, a dispatcher that goes backwards and repeats itself.

package sweep

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/scenarios"
)

// grids are sweeps that differ in what may go wrong: kept rounds, failing runs,
// generated data, values that are mappings.
var grids = map[string]Options{
	"last":    {Grid: []string{"algorithm.eta=0.1,0.3,1", "problem.rho=0.02,0.2"}, Seeds: 3},
	"rounds":  {Grid: []string{"algorithm.eta=0.1,0.3,1"}, Seeds: 3, Keep: KeepRounds},
	"failing": {Grid: []string{"network.topology.nodes=4,200,5", "rounds.count=2,3"}, Seeds: 3},
	"data": {Grid: []string{"problem.data=wdbc,{set: twonorm, rows: 120}", "problem.scale.rows=clip,unit"},
		Seeds: 2},
	"mappings": {Grid: []string{"algorithm={kind: dvp, eta: 0.1, alpha: 1},{kind: admm, eta: 0.1}"}, Seeds: 2},
	"no grid":  {Seeds: 4},
}

// backwards computes runs from the last to the first, and each twice, as an
// dispatcher that delivers at least once may.
type backwards struct{}

func (backwards) Run(ctx context.Context, w Work) error {
	// Another process has only the plan's JSON.
	p, err := ReadPlan(w.Plan.JSON())
	if err != nil {
		return err
	}
	for _, index := range slices.Backward(w.Todo) {
		for range 2 {
			b, err := NewRunner(p, "").Run(ctx, index, 1)
			if err != nil {
				return err
			}
			if err := w.Store.Put(index, b); err != nil {
				return err
			}
		}
		w.Stored(index, w.Store.State(index) == Broken)
	}
	return nil
}

func TestSameBytes(t *testing.T) {
	for name, o := range grids {
		t.Run(name, func(t *testing.T) {
			p := plan(t, smallScenario, o)
			want := makeAll(t, p, Settings{Dispatcher: Local{Workers: 1}})
			for _, workers := range []int{2, 4} {
				t.Run(fmt.Sprintf("%d workers", workers), func(t *testing.T) {
					d := open(t, t.TempDir(), p)
					if _, err := Make(context.Background(), d,
						Settings{Dispatcher: Local{Workers: workers}}); err != nil {
						t.Fatal(err)
					}
					sameTables(t, want, d.Path)
				})
			}
			t.Run("backwards and twice", func(t *testing.T) {
				d := open(t, t.TempDir(), p)
				if _, err := Make(context.Background(), d, Settings{Dispatcher: backwards{}}); err != nil {
					t.Fatal(err)
				}
				sameTables(t, want, d.Path)
			})
			for _, count := range []int{2, 3} {
				t.Run(fmt.Sprintf("%d shards", count), func(t *testing.T) {
					root := t.TempDir()
					var dirs []string
					for i := count - 1; i >= 0; i-- {
						s := Shard{i, count}
						d := open(t, filepath.Join(root, s.Directory()), p)
						if _, err := Make(context.Background(), d, Settings{Dispatcher: Local{Workers: 2},
							Shard: s}); err != nil {
							t.Fatal(err)
						}
						dirs = append(dirs, d.Path)
					}
					out := filepath.Join(root, "sweep")
					m, err := Merge(out, dirs)
					if err != nil || m.Missing != nil || m.Stored != p.Len() {
						t.Fatalf("%+v, %v", m, err)
					}
					sameTables(t, want, out)
				})
			}
			t.Run("interrupted", func(t *testing.T) {
				dir := t.TempDir()
				computed := 0
				for attempt := 0; ; attempt++ {
					d, err := OpenDir(dir, p)
					if err != nil {
						t.Fatal(err)
					}
					ctx, cancel := context.WithCancel(context.Background())
					progress, err := Make(ctx, d, Settings{Dispatcher: Local{Workers: 2}, Progress: func(p Progress) {
						if p.Done == 2 {
							cancel()
						}
					}})
					cancel()
					computed += progress.Done
					if err := d.Close(); err != nil {
						t.Fatal(err)
					}
					if err == nil {
						break
					}
					if !errors.Is(err, context.Canceled) || attempt > p.Len() {
						t.Fatalf("attempt %d: %v", attempt, err)
					}
				}
				if computed != p.Len() {
					t.Errorf("%d runs were computed, of %d", computed, p.Len())
				}
				sameTables(t, want, dir)
			})
		})
	}
}

// Results of a sweep are those of single runs.
func TestRunsAreThoseOfSimulateRun(t *testing.T) {
	file := write(t, smallScenario)
	p, err := NewPlan(file, Options{Grid: []string{"algorithm.eta=0.1,0.3",
		"algorithm.alpha=1,{initial: 1, ratio: 1.1}"}, Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(makeAll(t, p,
		Settings{Dispatcher: Local{Workers: 2}})[csvFile])).ReadAll()
	if err != nil || len(rows) != 1+p.Len() {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	for index := range p.Len() {
		task := p.Task(index)
		v := p.Values(task.Point)
		s, err := scenarios.Load(file, "algorithm.eta="+v[0], "algorithm.alpha="+v[1])
		if err != nil {
			t.Fatal(err)
		}
		info, table, err := experiment.New(s, "").Measure(context.Background(), task.Seed, 2)
		if err != nil {
			t.Fatal(err)
		}
		row := rows[1+index]
		loss, _ := strconv.ParseFloat(row[column("loss")], 64)
		if row[column("digest")] != info.Digest || loss != table.Rows[5][slices.Index(table.Columns, "loss")] ||
			row[column("seed")] != strconv.FormatUint(task.Seed, 10) ||
			row[column("algorithm.eta")] != v[0] || row[column("algorithm.alpha")] != v[1] {
			t.Errorf("run %d is %v; alone its digest is %s", index, row, info.Digest)
		}
		c := info.Privacy.Certificates[0]
		if e, _ := strconv.ParseFloat(row[column("certificate_epsilon")], 64); e != float64(c.Epsilon) ||
			row[column("certificate_delta")] == "" || row[column("not_certified")] != "" {
			t.Errorf("%s: certified %v, run.json has %v", row[0], e, c.Epsilon)
		}
		if e, _ := strconv.ParseFloat(row[column("claim_epsilon")], 64); e != float64(info.Privacy.Claims[0].Epsilon) ||
			!(e >= 5) {
			t.Errorf("run %d: claim %v, alone %v", index, e, info.Privacy.Claims[0].Epsilon)
		}
	}
}

func TestFailuresAreResults(t *testing.T) {
	p := plan(t, smallScenario, grids["failing"])
	d := open(t, t.TempDir(), p)
	progress, err := Make(context.Background(), d, Settings{Dispatcher: Local{Workers: 2}})
	if err != nil || progress.Failed != 6 || progress.Done != 18 {
		t.Fatalf("%+v, %v", progress, err)
	}
	failures := tables(t, d.Path)[failuresFile]
	if strings.Count(failures, "simulate run ") != 6 ||
		!strings.Contains(failures, "--set network.topology.nodes=200 --set rounds.count=2") {
		t.Errorf("failures are\n%s", failures)
	}
	// Without asking, nothing is computed again; asked, only they.
	if progress, err = Make(context.Background(), d, Settings{Dispatcher: Local{}}); err != nil || progress.Done != 0 ||
		progress.Failed != 6 || progress.Before != 18 {
		t.Errorf("again: %+v, %v", progress, err)
	}
	if progress, err = Make(context.Background(), d, Settings{Dispatcher: Local{}, RetryFailed: true}); err != nil ||
		progress.Done != 6 || progress.Failed != 6 {
		t.Errorf("retried: %+v, %v", progress, err)
	}
}

func TestMergeTellsWhatIsWrong(t *testing.T) {
	p := plan(t, smallScenario, Options{Seeds: 6})
	root := t.TempDir()
	put := func(name string, p *Plan, results ...[]byte) string {
		d := open(t, filepath.Join(root, name), p)
		for _, b := range results {
			r, err := Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Journal.Put(r.Index, b); err != nil {
				t.Fatal(err)
			}
		}
		return d.Path
	}
	a := put("a", p, result(0, "x"), result(1, "x"), failure(2, "no"))
	b := put("b", p, result(2, "x"), failure(1, "no"), failure(5, "no"))
	m, err := Merge(filepath.Join(root, "ab"), []string{a, b})
	if err != nil || m.Stored != 4 || m.Failed != 1 || m.MissingText() != "3 to 4" {
		t.Errorf("%+v, %v", m, err)
	}
	c := put("c", p, result(1, "z"))
	var conflict *Conflict
	if _, err := Merge(filepath.Join(root, "ac"), []string{a, c}); !errors.As(err, &conflict) ||
		!strings.Contains(err.Error(), "joining "+c+": run 1 has two results") ||
		!strings.Contains(err.Error(), "--seed 2") {
		t.Errorf("two results: %v", err)
	}
	other := put("d", plan(t, smallScenario, Options{Seeds: 7}), result(1, "x"))
	if _, err := Merge(filepath.Join(root, "ad"), []string{a, other}); err == nil ||
		!strings.Contains(err.Error(), "not of one sweep (seeds: 6 from 1 there") {
		t.Errorf("another sweep: %v", err)
	}
	if _, err := Merge(root, []string{root}); err == nil {
		t.Error("a directory that is none is joined")
	}
}

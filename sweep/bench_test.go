// What a sweep costs a run, beside the run itself.

//go:build unix

package sweep

import (
	"context"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"overhear/experiment"
	"overhear/internal/files"
	"overhear/record"
	"overhear/scenarios"
)

// block is how many runs are made in one way before the other way's turn, so
// that both meet the same machine.
const block = 20

// BenchmarkSweep compares, for a small scenario, ways to make a sweep with a
// bare loop over the same seeds and settings. Overhead is in processor time,
// preparing the plan and writing the tables included.
func BenchmarkSweep(b *testing.B) {
	file, err := filepath.Abs(filepath.Join("..", "scenarios", "quickstart.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	bare := func(b *testing.B, sets ...string) {
		s, err := scenarios.Load(file, sets...)
		if err != nil {
			b.Fatal(err)
		}
		e := experiment.New(s, "")
		for k := range block {
			if _, _, err := e.Measure(ctx, uint64(k+1), 1); err != nil {
				b.Fatal(err)
			}
		}
	}
	lean := []string{"record.trace=digest", "record.rates=off"}
	local := func(o Options, workers int) func(b *testing.B) {
		return func(b *testing.B) {
			p, err := NewPlan(file, o)
			if err != nil {
				b.Fatal(err)
			}
			d := open(b, b.TempDir(), p)
			if _, err := Make(ctx, d, Settings{Dispatcher: Local{Workers: workers}}); err != nil {
				b.Fatal(err)
			}
			d.Close()
		}
	}
	for _, mode := range []struct {
		name string
		run  func(b *testing.B)
	}{
		{"bare with rates and fingerprints", func(b *testing.B) { bare(b) }},
		{"1 worker", local(Options{Seeds: block}, 1)},
		{"1 worker, rounds kept", local(Options{Seeds: block, Keep: KeepRounds}, 1)},
		{"1 worker, a point a run", local(Options{Seeds: 1, Grid: []string{"solver.tolerance=" + tolerances(block)}},
			1)},
		{"all cores", local(Options{Seeds: block}, runtime.GOMAXPROCS(0))},
	} {
		b.Run(mode.name, func(b *testing.B) {
			var cpuBare, cpu, wall time.Duration
			for range b.N {
				begin := processorTime()
				bare(b, lean...)
				middle, started := processorTime(), time.Now()
				mode.run(b)
				wall += time.Since(started)
				cpuBare, cpu = cpuBare+middle-begin, cpu+processorTime()-middle
			}
			runs := float64(b.N * block)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(cpuBare.Microseconds())/runs, "bare-µs/run")
			b.ReportMetric(float64((cpu-cpuBare).Microseconds())/runs, "overhead-µs/run")
			b.ReportMetric(runs/wall.Seconds(), "runs/s")
		})
	}
}

// processorTime is what this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// tolerances are n values that hardly change a run.
func tolerances(n int) string {
	var all []string
	for k := range n {
		all = append(all, strconv.FormatFloat(1e-10+float64(k)*1e-18, 'g', -1, 64))
	}
	return strings.Join(all, ",")
}

// BenchmarkStore is what storing, tables and merging cost a result.
func BenchmarkStore(b *testing.B) {
	p := plan(b, smallScenario, Options{Seeds: 1 << 20})
	facts := &Facts{Digest: strings.Repeat("a", 64), Method: "admm", Claim: &record.Claim{Unit: "sample", Epsilon: 1}}
	result := func(index int) []byte {
		return (&Result{Index: index, Seed: uint64(index + 1), Facts: facts, Columns: []string{"round", "loss",
			"distance"}, Count: 1, Rows: [][]float64{{150, 0.25, 1e-5}}}).Encode()
	}
	fill := func(b *testing.B) *Dir {
		d := open(b, b.TempDir(), p)
		for index := range min(b.N, p.Len()) {
			if err := d.Journal.Begin(index); err != nil {
				b.Fatal(err)
			}
			if err := d.Journal.Put(index, result(index)); err != nil {
				b.Fatal(err)
			}
		}
		return d
	}
	b.Run("put", func(b *testing.B) { fill(b) })
	b.Run("tables", func(b *testing.B) {
		d := fill(b)
		b.ResetTimer()
		if err := WriteTables(d.Path, p, d.Journal); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("merge", func(b *testing.B) {
		d := fill(b)
		b.ResetTimer()
		if _, err := Merge(b.TempDir(), []string{d.Path}); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("reopen", func(b *testing.B) {
		d := fill(b)
		d.Close()
		b.ResetTimer()
		open(b, d.Path, p)
	})
}

// BenchmarkSharedData is a grid over a file's data: points share the prepared
// set, or read it each.
func BenchmarkSharedData(b *testing.B) {
	file, err := filepath.Abs(filepath.Join("..", "scenarios", "adult.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	p, err := NewPlan(file, Options{Sets: []string{"rounds.count=1", "network.topology.nodes=10",
		"solver.tolerance=0.01"}, Grid: []string{"algorithm.eta=" + numbers(1000)}, Seeds: 1})
	if err != nil {
		b.Fatal(err)
	}
	data := filepath.Join("..", "..", "shared", "data")
	if _, err := files.Hash(filepath.Join(data, "README.md")); err != nil {
		b.Skip("Adult is not here: see the README on data sets")
	}
	prepare := func(b *testing.B, fresh bool) {
		r := NewRunner(p, data)
		for k := range b.N {
			if fresh {
				r = NewRunner(p, data)
			}
			e := r.point(k % p.Points())
			if e.err != nil {
				b.Fatal(e.err)
			}
			if _, err := e.Assemble(b.Context(), 1); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("shared", func(b *testing.B) { prepare(b, false) })
	b.Run("each", func(b *testing.B) { prepare(b, true) })
}

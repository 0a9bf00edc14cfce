// What a run costs in each way to make a sweep, against the bare computation,
// on the same runs.

package jetstream

import (
	"path/filepath"
	"testing"
	"time"

	"overhear/sweep"
)

// block is how many runs are made in one way before the others' turn, so that
// all meet the same machine.
const block = 1000

// BenchmarkRun makes the same small runs in four ways, one at a time: nothing
// but computed, by the dispatcher of this process, and through a server that is in
// this process too, with and without writing each message to the disk before it
// is confirmed. Preparing, tables and the server's start are included in all
// but the first.
func BenchmarkRun(b *testing.B) {
	p := plan(b, sweep.Options{Seeds: block})
	through := func(noSync bool) func(b *testing.B) {
		return func(b *testing.B) {
			o := Options{Listen: "127.0.0.1:0", Dir: filepath.Join(b.TempDir(), "jetstream"), Workers: 1,
				noSync: noSync}
			c, err := New(p, o)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := makeWith(b, c, b.TempDir(), sweep.Settings{}); err != nil {
				b.Fatal(err)
			}
			if err := c.Finish(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	ways := []struct {
		name string
		make func(b *testing.B)
	}{
		{"bare", func(b *testing.B) {
			r := sweep.NewRunner(p, "")
			for index := range block {
				if _, err := r.Run(b.Context(), index, 1); err != nil {
					b.Fatal(err)
				}
			}
		}},
		{"in-process", func(b *testing.B) {
			d := open(b, b.TempDir(), p)
			if _, err := sweep.Make(b.Context(), d, sweep.Settings{Dispatcher: sweep.Local{Workers: 1}}); err != nil {
				b.Fatal(err)
			}
		}},
		{"jetstream", through(false)},
		{"jetstream-unsynced", through(true)},
	}
	spent := make([]time.Duration, len(ways))
	for _, way := range ways {
		way.make(b) // once before, for what is slow the first time
	}
	for b.Loop() {
		for k, way := range ways {
			begin := time.Now()
			way.make(b)
			spent[k] += time.Since(begin)
		}
	}
	b.ReportMetric(0, "ns/op")
	runs := float64(b.N * block)
	for k, way := range ways {
		b.ReportMetric(runs/spent[k].Seconds(), way.name+"-runs/s")
		if k > 0 {
			b.ReportMetric(float64((spent[k]-spent[0]).Microseconds())/runs, way.name+"-overhead-µs/run")
			b.ReportMetric(float64(spent[k])/float64(spent[0]), way.name+"-×bare")
		}
	}
}

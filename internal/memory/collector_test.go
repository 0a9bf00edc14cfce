// What the garbage collector is told.

package memory

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestGarbage(t *testing.T) {
	for _, c := range []struct {
		held, expected float64
		want           int
	}{
		{1e9, 6e9, 100}, // the run has not grown yet
		{6e9, 6e9, 18},
		{4e9, 6e9, 77},
		{9e9, 6e9, 10}, // more than was expected
		{1, 6e9, 1600}, // of 4 MB, which is what the runtime takes for the least
		{2e6, 0, 1600},
		{16e6, 6e9, 400},
		{64e6, 6e9, 100},
		{7e8, 7e8, 100}, // little enough
		{15e8, 7e8, 33},
	} {
		if got := garbage(c.held, c.expected); got < c.want-1 || got > c.want {
			t.Errorf("%.0f of %.0f bytes: %d %%, want %d", c.held, c.expected, got, c.want)
		}
	}
}

// What is resident has room for garbage, and for the program.
func TestResident(t *testing.T) {
	if got := Resident(1e9) - own; !(got >= 1.15e9) || !(got <= 1.18e9) {
		t.Errorf("who holds 1 GB takes %v bytes besides the program's", got)
	}
}

// The collector has what was said that the run takes, and never so little that it has to collect all the time.
func TestCollectorLimit(t *testing.T) {
	limited(t, 20e9)
	for _, c := range []struct{ held, expected, want float64 }{
		{1e8, 6e9, 7.16e9},
		{6e9, 6e9, 7.16e9},
		{7e9, 6e9, 8.34e9 - own/2}, // more than was expected
		{1e8, 1e6, 2e9},            // little enough
		{3e9, 0, 3.62e9 - own/2},
		{1e8, 19e9, 20e9 - own/2}, // of the machine
	} {
		if got := float64(collectorLimit(c.held, c.expected)); !(math.Abs(got-c.want) < 1) {
			t.Errorf("%.0f of %.0f bytes: %.0f, want %.0f", c.held, c.expected, got, c.want)
		}
	}
	limited(t, 1e9)
	for _, held := range []float64{9e8, 1e9, 3e9} {
		if got := float64(collectorLimit(held, 1e9)); !(got >= 1.1*held) {
			t.Errorf("of a limit of 1 GB the collector has %v bytes where %v are held", got, held)
		}
	}
	SetLimit(math.MaxInt64)
	if got := collectorLimit(1e8, 1e19); got < 1e18 {
		t.Errorf("without a limit the collector has %d bytes", got)
	}
}

// Of a great run garbage is collected at the limit alone; a small one has more than usual.
func TestExpect(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer func() {
		expected.Store(0)
		debug.SetGCPercent(before)
		debug.SetMemoryLimit(limit)
	}()
	limited(t, 8e9)
	percent := func() int { // read, not set: what follows a collection sets it at the same time
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return int(sample[0].Value.Uint64())
	}
	Expect(1e6)
	for start := time.Now(); percent() <= 200 || percent() > 1600; time.Sleep(time.Millisecond) {
		runtime.GC()
		if time.Since(start) > time.Minute {
			t.Fatalf("a small run has %d %% of garbage", percent())
		}
	}
	if got := debug.SetMemoryLimit(-1); got < 1.9e9 || got > 2e9 {
		t.Errorf("the collector's limit is %d bytes", got)
	}
	held := make([]byte, 2e9) // never touched, so that it takes no memory of the machine
	Expect(2e9)
	for start := time.Now(); percent() != untilLimit; time.Sleep(time.Millisecond) {
		runtime.GC()
		if time.Since(start) > time.Minute {
			t.Fatalf("a great run has %d %% of garbage", percent())
		}
	}
	SetLimit(1e9) // less than is held
	for start := time.Now(); debug.SetMemoryLimit(-1) < 21e8 || debug.SetMemoryLimit(-1) > 3e9; {
		time.Sleep(time.Millisecond)
		runtime.GC()
		if time.Since(start) > time.Minute {
			t.Fatalf("where 2 GB are held the collector's limit is %d bytes", debug.SetMemoryLimit(-1))
		}
	}
	runtime.KeepAlive(held)
}

// A great run's garbage is left to the limit only where the limit is this program's: one that the environment has set
// may be far greater than what the run is to take, or there is none.
func TestCollectAt_LeavesNothingToTheEnvironmentsLimit(t *testing.T) {
	limited(t, 20e9)
	t.Setenv("GOMEMLIMIT", "")
	if got := collectAt(3e9); got != untilLimit {
		t.Errorf("a great run has %d %% of garbage, not what the limit leaves", got)
	}
	t.Setenv("GOMEMLIMIT", "off")
	if got := collectAt(3e9); got != garbage(3e9, 0) {
		t.Errorf("without a limit a great run has %d %% of garbage, want %d", got, garbage(3e9, 0))
	}
}

// Garbage is collected before what would not fit beside it, and not before what does.
func TestRoom(t *testing.T) {
	collections := func(bytes float64) int64 {
		samples := []metrics.Sample{{Name: "/gc/cycles/forced:gc-cycles"}}
		metrics.Read(samples)
		before := samples[0].Value.Uint64()
		Room(bytes)
		metrics.Read(samples)
		return int64(samples[0].Value.Uint64() - before)
	}
	limited(t, 4e9)
	Prepare(3.5e9) // takes nothing
	if n := collections(1e9); n != 0 {
		t.Errorf("%d collections before a quarter of the limit", n)
	}
	if n := collections(4e9); n != 1 {
		t.Errorf("%d collections before all of it", n)
	}
}

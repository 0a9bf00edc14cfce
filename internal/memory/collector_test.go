// What the garbage collector is told.

package memory

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestGarbage(t *testing.T) {
	for _, c := range []struct {
		held, expected float64
		want           int
	}{
		{1e9, 6e9, 100}, // the run has not grown yet
		{6e9, 6e9, 12},
		{4e9, 6e9, 68},
		{9e9, 6e9, 10}, // more than was expected
		{1, 6e9, 100},
	} {
		if got := garbage(c.held, c.expected); got < c.want-1 || got > c.want {
			t.Errorf("%.0f of %.0f bytes: %d %%, want %d", c.held, c.expected, got, c.want)
		}
	}
}

// A great run has less garbage, once it holds what was expected; a small one has the usual.
func TestExpect(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer func() {
		expected.Store(0)
		debug.SetGCPercent(before)
		debug.SetMemoryLimit(limit)
	}()
	limited(t, 4e9)
	percent := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	Expect(1e6)
	if runtime.GC(); percent() != 100 {
		t.Errorf("a small run has %d %% of garbage", percent())
	}
	if got := debug.SetMemoryLimit(-1); got != 4e9 {
		t.Errorf("the collector's limit is %d bytes", got)
	}
	held := make([]byte, 600e6) // never touched, so that it takes no memory of the machine
	Expect(600e6)
	for start := time.Now(); percent() > 20; time.Sleep(time.Millisecond) {
		runtime.GC()
		if time.Since(start) > 10*time.Second {
			t.Fatalf("a great run has %d %% of garbage", percent())
		}
	}
	runtime.KeepAlive(held)
}

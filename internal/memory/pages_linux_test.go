// What is asked of the system for runs.

package memory

import (
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// advised is how many bytes of the program are to be in large pages.
func advised(t *testing.T) (bytes int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	size := int64(0)
	for _, m := range regexp.MustCompile(`(?m)^(Size|VmFlags):\s+(.*)$`).FindAllStringSubmatch(string(text), -1) {
		switch {
		case m[1] == "Size":
			size, err = strconv.ParseInt(m[2][:len(m[2])-len(" kB")], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
		case regexp.MustCompile(`\bhg\b`).MatchString(m[2]):
			bytes += 1024 * size
		}
	}
	return bytes
}

// alone runs a test in a program of its own, and says whether this is that.
func alone(t *testing.T) bool {
	t.Helper()
	const name = "OVERHEAR_TEST_ALONE"
	if os.Getenv(name) != "" {
		return true
	}
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), name+"=1", "GOGC=off", "GOMEMLIMIT=off")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// Where a process may have so many addresses only, none are spent on large pages, and half of them are the limit.
func TestExpect_LeavesAddressesThatAreFew(t *testing.T) {
	if !alone(t) {
		return
	}
	var most unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &most); err != nil {
		t.Fatal(err)
	}
	most.Cur = min(1<<33, most.Max)
	if err := unix.Setrlimit(unix.RLIMIT_AS, &most); err != nil {
		t.Fatal(err)
	}
	if bytes, few, err := machine(); err != nil || bytes > 1<<32 || bytes == 0 || !few {
		t.Errorf("of 8 GiB of addresses the limit is %d bytes, for want of them: %v; %v", bytes, few, err)
	}
	first := advised(t)
	Expect(6e8)
	if now := advised(t) - first; now > 4e6 {
		t.Errorf("%d bytes are advised of", now)
	}
}

// What the environment says of the collector stays.
func TestExpect_LeavesWhatTheEnvironmentSays(t *testing.T) {
	if !alone(t) {
		return
	}
	for range 3 {
		Expect(3e9)
		runtime.GC()
		time.Sleep(10 * time.Millisecond) // for what follows a collection
	}
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(-1)
	if percent != -1 || limit != math.MaxInt64 {
		t.Errorf("GOGC=%s and GOMEMLIMIT=%s became %d and %d", os.Getenv("GOGC"), os.Getenv("GOMEMLIMIT"), percent,
			limit)
	}
}

// A run is advised for, and one after it by as much as it is greater, if that is much. In its own program: what was
// advised of stays. Without collections: at the end of one of a great heap the runtime has 32 MiB of its own
// tables in large pages.
func TestExpect_AsksForLargePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the system has no large pages")
	}
	if !alone(t) {
		return
	}
	first := advised(t)
	for _, c := range []struct{ expects, advised float64 }{{1e6, 2e8}, {1e8, 2e8}, {3e8, 2e8}, {6e8, 6e8},
		{6e8, 6e8}, {6.5e8, 6e8}} {
		Expect(c.expects)
		if now := float64(advised(t) - first); !(now >= c.advised-2e7) || !(now <= c.advised+4e6) {
			t.Errorf("%.3g bytes expected: %.3g are advised of, want %.3g", c.expects, now, c.advised)
		}
	}
	Expect(1.6e9) // a part of it may be where the last one was
	if now := float64(advised(t) - first); !(now >= 1e9-2e7) {
		t.Errorf("%.3g bytes are advised of", now)
	}
	limited(t, 2e9) // more is not even asked for: it would end the program
	Prepare(1e18)
	if now := float64(advised(t) - first); !(now <= 2e9+4e6) {
		t.Errorf("of a limit of 2 GB %.3g bytes are advised of", now)
	}
}

// What the program has already given back to the system leaves room.
func TestRoom_LeavesOutWhatIsGivenBack(t *testing.T) {
	if !alone(t) {
		return
	}
	garbage := make([]byte, 1e9)
	for k := range len(garbage) / 4096 {
		garbage[4096*k] = 1
	}
	runtime.KeepAlive(garbage)
	garbage = nil
	debug.FreeOSMemory()
	collections := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/cycles/forced:gc-cycles"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	limited(t, 1.2e9)
	before := collections()
	if Room(4e8); collections() != before {
		t.Error("a gigabyte that was given back counts as if it were held")
	}
	if Room(1.2e9); collections() != before+1 {
		t.Error("garbage is not collected before as much as the limit")
	}
}

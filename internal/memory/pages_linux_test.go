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

// Where memory that is promised is counted, none is spent on large pages: the runtime would end the program.
func TestExpect_LeavesDataThatAreCounted(t *testing.T) {
	if !alone(t) {
		return
	}
	most := unix.Rlimit{Cur: 5e9, Max: 5e9}
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &most); err != nil {
		t.Fatal(err)
	}
	first := advised(t)
	Expect(6e9)
	if now := advised(t) - first; now > 4e6 {
		t.Errorf("%d bytes are advised of", now)
	}
}

// More than the machine has is not asked for at once: the runtime, which did not get it, would end the program.
func TestExpect_AsksForNoMoreThanThereIs(t *testing.T) {
	if !alone(t) {
		return
	}
	Expect(1e18)
	limited(t, 1e15)
	Expect(1e15)
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

// A run is advised for, and one after it that is greater; nothing of it is touched, nor later found in use. In its own
// program: what was advised of stays. A collection may have 32 MiB of the runtime's own tables in large pages.
func TestExpect_AsksForLargePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the system has no large pages")
	}
	if !alone(t) {
		return
	}
	before := advised(t)
	for _, c := range []struct {
		expects float64
		more    bool
	}{{1e6, true}, {1e8, false}, {6e8, true}, {6e8, false}, {6.5e8, false}, {1.6e9, true}} {
		Expect(c.expects)
		now := advised(t)
		if want := int64(max(c.expects, usual)); now < want*6/7 || now > 2*want+64<<20 || now > before != c.more {
			t.Errorf("%.3g bytes expected: %d are advised of, and %d were", c.expects, now, before)
		}
		before = now
	}
	if held := live(); held > 1e8 {
		t.Errorf("%.3g bytes are in use", held)
	}
	status, err := os.ReadFile("/proc/self/status")
	if peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status); err != nil || len(peak[1]) > len("99999") {
		t.Errorf("it took %s kB: %v", peak[1], err)
	}
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	some := make([]byte, 1e8) // in what was advised of
	faults := r.Minflt
	for k := range some {
		some[k] = 1
	}
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil || r.Minflt-faults > 1e4 {
		t.Errorf("to use 100 MB the system was asked for %d pages: %v", r.Minflt-faults, err)
	}
	limited(t, 2e9) // more is not even asked for
	if Prepare(1e18); advised(t) > before+2e9+64<<20 {
		t.Errorf("of a limit of 2 GB %d bytes are advised of", advised(t))
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

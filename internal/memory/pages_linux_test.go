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
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// advised is how many bytes of the program are to be in large pages.
func advised(t *testing.T) (bytes int64) {
	t.Helper()
	for _, r := range advisedRanges(t) {
		bytes += int64(r[1] - r[0])
	}
	return bytes
}

// advisedRanges are where they are.
func advisedRanges(t *testing.T) (all [][2]uint64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	var now [2]uint64
	for _, m := range regexp.MustCompile(`(?m)^(?:([0-9a-f]+)-([0-9a-f]+) |VmFlags:(.*)$)`).FindAllSubmatch(text, -1) {
		if m[1] == nil {
			switch last := len(all) - 1; {
			case !slices.Contains(strings.Fields(string(m[3])), "hg"):
			case last >= 0 && all[last][1] == now[0]:
				all[last][1] = now[1]
			default:
				all = append(all, now)
			}
			continue
		}
		for k := range now {
			if now[k], err = strconv.ParseUint(string(m[1+k]), 16, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
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
	restricted(t, unix.RLIMIT_AS, 1<<33)
	if bytes, few, err := machine(); err != nil || bytes > 1<<32 || bytes == 0 || !few {
		t.Errorf("of 8 GiB of addresses the limit is %d bytes, for want of them: %v; %v", bytes, few, err)
	}
	adviseNothing(t, 6e8)
}

// restricted has the process have no more of something.
func restricted(t *testing.T, limit int, bytes uint64) {
	t.Helper()
	var most unix.Rlimit
	err := unix.Getrlimit(limit, &most)
	if err == nil {
		most.Cur = min(bytes, most.Max)
		err = unix.Setrlimit(limit, &most)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// adviseNothing checks that to expect so many bytes advises of none.
func adviseNothing(t *testing.T, bytes float64) {
	t.Helper()
	first := advised(t)
	Expect(bytes)
	if now := advised(t) - first; now > 4e6 {
		t.Errorf("%d bytes are advised of", now)
	}
}

// Where memory that is promised is counted, none is spent on large pages: the runtime would end the program.
func TestExpect_LeavesDataThatAreCounted(t *testing.T) {
	if !alone(t) {
		return
	}
	restricted(t, unix.RLIMIT_DATA, 5e9)
	adviseNothing(t, 6e9)
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
// program: what was advised of stays. A collection may have 32 MiB or so of the runtime's own tables in large pages.
func TestExpect_AsksForLargePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil || !free(4e9) {
		t.Skip("the system has no large pages, or counts what is asked for")
	}
	if !alone(t) {
		return
	}
	const tables = 64 << 20
	before := advised(t)
	for _, c := range []struct {
		expects float64
		more    bool
	}{{1e6, true}, {1e8, false}, {6e8, true}, {6e8, false}, {6.5e8, false}, {1.6e9, true}} {
		Expect(c.expects)
		now := advised(t)
		want := int64(max(c.expects, usual))
		if now < want*6/7 || now > 2*want+tables || now > before+tables != c.more {
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
	some := make([]byte, 1e8)
	at := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(some))))
	first, last := at+4<<20, at+1e8 // small pages may be before the first large one
	if !slices.ContainsFunc(advisedRanges(t), func(r [2]uint64) bool { return r[0] <= first && last <= r[1] }) {
		t.Error("what is allocated next is not where large pages are")
	}
	runtime.KeepAlive(some)
	limited(t, 2e9) // more is not even asked for
	if Prepare(1e18); advised(t) > before+2e9+tables {
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

// Pages of two megabytes instead of four kilobytes, and how many addresses there are.

package memory

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// largePages asks that the part of the heap that grows next, by so many bytes, be of large pages: a run that goes
// through gigabytes in the order of its messages misses the tables of small ones at each. The bytes are allocated and
// never touched, so that they take no memory, and left to the collector, which gives their addresses to the run; what
// was advised of addresses stays. A system that has no large pages refuses or ignores it. Where the process may have so
// many addresses only (ulimit -v), there are none to be spent on this.
func largePages(size int) {
	const page = 2 << 20
	if addresses() != math.MaxUint64 {
		return
	}
	all := make([]byte, size+2*page)
	first := -uintptr(unsafe.Pointer(unsafe.SliceData(all))) % page
	_ = unix.Madvise(all[first:][:size/page*page], unix.MADV_HUGEPAGE)
}

// addresses are how many bytes of addresses the process may take besides those that it has; math.MaxUint64: no matter
// how many.
func addresses() uint64 {
	var most unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &most) != nil || most.Cur == unix.RLIM_INFINITY {
		return math.MaxUint64
	}
	taken := uint64(0)
	if text, err := os.ReadFile("/proc/self/statm"); err == nil { // the first number is of pages
		first, _, _ := bytes.Cut(text, []byte(" "))
		pages, _ := strconv.ParseUint(string(first), 10, 64)
		taken = pages * uint64(os.Getpagesize())
	}
	return most.Cur - min(most.Cur, taken)
}

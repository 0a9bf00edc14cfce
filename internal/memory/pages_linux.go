// Pages of two megabytes instead of four kilobytes.

package memory

import (
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// largePages asks that so much of the heap be of large pages: the system gives a page when it is first used, which
// takes about as long for a large one as for a few small ones, and a run that goes through gigabytes in the order of
// its messages misses the tables of small ones at each. The bytes are allocated and never touched, not even to zero
// them, so that they take no memory, and collected at once, which gives their addresses to the run: a collection that
// is under way would keep them. What was advised of addresses stays. A system that has no large pages refuses or
// ignores it. Where addresses are counted, none are spent on this.
func largePages(size int) {
	const page = 2 << 20
	if !free(size + 2*page) {
		return
	}
	var b strings.Builder // which does not zero
	b.Grow(size + 2*page)
	b.WriteByte(0)
	all := unsafe.Slice(unsafe.StringData(b.String()), b.Cap())
	first := -uintptr(unsafe.Pointer(unsafe.SliceData(all))) % page
	_ = unix.Madvise(all[first:][:size/page*page], unix.MADV_HUGEPAGE)
	runtime.GC()
}

// free says whether so many bytes of addresses cost nothing until they are used: no limit counts them (ulimit -v,
// ulimit -d, a system that promises no more than it has), and the system gives so many at once. The runtime, to which
// it did not, would end the program.
func free(size int) bool {
	for _, limit := range []int{unix.RLIMIT_AS, unix.RLIMIT_DATA} {
		var most unix.Rlimit
		if unix.Getrlimit(limit, &most) != nil || most.Cur != unix.RLIM_INFINITY {
			return false
		}
	}
	mode, err := os.ReadFile("/proc/sys/vm/overcommit_memory")
	if err != nil || strings.TrimSpace(string(mode)) == "2" {
		return false
	}
	const arena = 64 << 20 // of which the heap is
	trial, err := unix.Mmap(-1, 0, size+2*arena, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return false
	}
	return unix.Munmap(trial) == nil
}

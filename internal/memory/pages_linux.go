// Pages of two megabytes instead of four kilobytes.

package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// largePages asks that the part of the heap that grows next, by so many bytes, be of large pages: a run that goes
// through gigabytes in the order of its messages misses the tables of small ones at each. The bytes are allocated and
// never touched, so that they take no memory, and left to the collector, which gives their addresses to the run; what
// was advised of addresses stays. A system that has no large pages refuses or ignores it.
func largePages(bytes int) {
	const page = 2 << 20
	all := make([]byte, bytes+2*page)
	first := -uintptr(unsafe.Pointer(unsafe.SliceData(all))) % page
	_ = unix.Madvise(all[first:][:bytes/page*page], unix.MADV_HUGEPAGE)
}

// Pages of two megabytes instead of four kilobytes.

package memory

import (
	"math"
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
// ignores it. Where the process may have so many addresses only (ulimit -v), there are none to be spent on this.
func largePages(size int) {
	const page = 2 << 20
	if most, _ := addresses(); most != math.MaxUint64 {
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

// How memory is given to great runs.

package memory

import "sync/atomic"

// great are bytes that caches of addresses do not reach over, if pages are small.
const great = 2e8

// prepared is of how many bytes of heap the system was told.
var prepared atomic.Int64

// Prepare tells the system that the heap will hold about so many bytes, and no more than the limit: where they are many
// it is asked for large pages. It changes nothing of what is computed, or may be taken.
func Prepare(bytes float64) {
	bytes = min(bytes, float64(Limit()))
	for {
		before := prepared.Load()
		more := int64(bytes) - before
		if more < great {
			return
		}
		if prepared.CompareAndSwap(before, int64(bytes)) {
			largePages(int(more))
			return
		}
	}
}

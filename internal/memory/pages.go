// How memory is given to runs.

package memory

import "sync/atomic"

// usual is of how many bytes of heap the system is told at least. They are addresses, which cost nothing until they
// are used. Of a small run, up to a fifth of the time is the system giving it pages of four kilobytes one by one; of a
// great one caches of addresses do not reach over so many.
const usual = 2e8

// prepared is of how many bytes of heap the system was told.
var prepared atomic.Int64

// Prepare tells the system that the heap will hold about so many bytes, and no more than the limit: it is asked for
// large pages. It changes nothing of what is computed, or may be taken. A little more than before is not asked for.
func Prepare(bytes float64) {
	size := int64(min(max(bytes, usual), float64(Limit())))
	for before := prepared.Load(); size > before+before/4; before = prepared.Load() {
		if prepared.CompareAndSwap(before, size) {
			largePages(int(size))
		}
	}
}

// How memory is given to runs.

package memory

import (
	"runtime/metrics"
	"sync/atomic"
)

// great is of how many bytes of heap the system is told at least, and told anew. They are addresses, which cost
// nothing until they are used. Of a small run, up to a fifth of the time is the system giving it pages of four
// kilobytes one by one; of a great one caches of addresses do not reach over so many.
const great = 2e8

// prepared is of how many bytes of heap the system was told.
var prepared atomic.Int64

// heap is how many bytes it has where they are many: what it has is not asked for again, and would be zeroed, which
// takes the memory that it has given back.
func heap() (all int64) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		all += int64(s.Value.Uint64())
	}
	if all < great {
		return 0
	}
	return all
}

// Prepare tells the system that the heap will hold about so many bytes, and no more than the limit: it is asked for
// large pages. It changes nothing of what is computed, or may be taken.
func Prepare(bytes float64) {
	bytes = min(max(bytes, great), float64(Limit()))
	for {
		before := prepared.Load()
		more := int64(bytes) - max(before, heap())
		if more <= 0 || before > 0 && more <= great {
			return
		}
		if prepared.CompareAndSwap(before, int64(bytes)) {
			largePages(int(more))
			return
		}
	}
}

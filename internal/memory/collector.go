// How much garbage there may be.

package memory

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// expected is how many bytes the greatest run held that was told of.
var expected atomic.Int64

var watch = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		eachCollection(func() { debug.SetGCPercent(garbage(live(), float64(expected.Load()))) })
	}
})

// Expect tunes the garbage collector for a run that will hold about so many bytes, as it was checked. By itself it
// lets garbage grow until it takes as much as what is held, so that a run needs twice what it holds. That is fast and
// does no harm to small runs; great ones have less when they have grown to their size, and none has more than the limit
// as long as that can be. Where the environment tunes the collector, with GOGC or GOMEMLIMIT, that stays.
func Expect(bytes float64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		const own = 64e6 // what the program takes whatever it runs
		debug.SetMemoryLimit(max(Limit(), own))
	}
	const great = 512e6
	if bytes < great {
		return
	}
	for {
		before := expected.Load()
		if int64(bytes) <= before || expected.CompareAndSwap(before, int64(bytes)) {
			break
		}
	}
	watch()
}

// garbage is how much of it there may be until the next collection, in per cent of what is held now. The two come to
// an eighth more than the run will hold; but a collection looks at all that is held, so there is some in any case.
func garbage(held, expected float64) int {
	const room, least, most = 1.12, 10, 100
	return int(math.Max(least, math.Min(most, 100*(room*expected/held-1))))
}

// live is what the latest collection has left.
func live() float64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return float64(max(1, sample[0].Value.Uint64()))
}

// eachCollection calls f after every garbage collection: then what nobody holds is finalised.
func eachCollection(f func()) {
	runtime.SetFinalizer(new(struct{ _ *byte }), func(any) {
		f()
		eachCollection(f)
	})
}

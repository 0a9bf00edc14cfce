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

// What a program takes besides what a run holds.
const (
	own   = 80e6 // its code and what it holds whatever it runs
	room  = 1.18 // with garbage, against what is held
	small = 2e9  // bytes that any run may take
	least = 64e6 // of garbage, that are nothing to any machine
)

// untilLimit leaves it to the limit alone when garbage is collected. Else that is done every two minutes, too, and to
// look at all that a great run holds takes seconds.
const untilLimit = -1

// Resident is about how much memory the program takes for a run that holds so many bytes, if it has as little garbage
// as can be without collecting all the time.
func Resident(held float64) float64 { return own + float64(room*held) }

// expected is how many bytes the greatest run held that was told of.
var expected atomic.Int64

// watch adapts the collector after each collection, where the environment does not tune it.
var watch = sync.OnceFunc(func() {
	percent, most := 0, int64(math.MaxInt64)
	eachCollection(func() {
		held := live()
		if os.Getenv("GOGC") == "" {
			if p := collectAt(held); p != percent {
				percent = p
				debug.SetGCPercent(p)
			}
		}
		if os.Getenv("GOMEMLIMIT") == "" {
			if l := collectorLimit(held, float64(expected.Load())); l != most {
				most = l
				debug.SetMemoryLimit(l)
			}
		}
	})
})

// Expect tunes the garbage collector for a run that will hold about so many bytes, as it was checked. By itself it
// lets garbage grow until it takes as much as what is held, so that a run needs twice what it holds. That is fast and
// does no harm to small runs; of great ones it is collected at the limit alone, which leaves room for less, and none
// has more than the limit as long as that can be. Where the environment tunes the collector, with GOGC or GOMEMLIMIT,
// that stays.
func Expect(bytes float64) {
	for {
		before := expected.Load()
		if int64(bytes) <= before || expected.CompareAndSwap(before, int64(bytes)) {
			break
		}
	}
	Prepare(bytes)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(collectorLimit(live(), float64(expected.Load())))
	}
	watch()
}

// Room collects garbage before so many bytes are made, if they would not fit beside it: else it is collected while they
// are, and the program has both. What the heap has free, or has given back, is room.
func Room(bytes float64) {
	all := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(all)
	used := float64(all[0].Value.Uint64()) - float64(all[1].Value.Uint64()) - float64(all[2].Value.Uint64())
	if used+bytes > float64(Limit())-own/2 {
		runtime.GC()
	}
}

// collectAt is at how much garbage it is collected, in per cent of what is held.
func collectAt(held float64) int {
	if held >= small && os.Getenv("GOMEMLIMIT") == "" {
		return untilLimit
	}
	return garbage(held, float64(expected.Load()))
}

// collectorLimit is what the collector may take, with all that the runtime needs itself: as much as was said that the
// run would take, and no more than the limit. It leaves room for garbage even where a run holds more than was expected:
// else a collection would follow at once on the other. Of the program's own, half is its code, which is not the
// collector's.
func collectorLimit(held, expected float64) int64 {
	said := math.Min(float64(Limit())-own/2, math.Max(small, Resident(expected)))
	return int64(math.Min(math.MaxInt64/2, math.Max(said, Resident(held)-own/2)))
}

// garbage is how much of it there may be until the next collection, in per cent of what is held now: as much as is
// held and no less than least, as long as both come to no more than small, and else to a sixth more than the run will
// hold. But a collection looks at all that is held, so there is some in any case.
func garbage(held, expected float64) int {
	const some, minimum = 10, 4e6 // the runtime takes what is held for no less
	most := math.Max(100, 100*least/math.Max(minimum, held))
	return int(math.Max(some, math.Min(most, 100*(math.Max(small, room*expected)/held-1))))
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

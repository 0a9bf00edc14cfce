// Work on several processors.

package num

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls do with 0 to n−1, on as many goroutines as there are processors. What one call computes must not
// depend on another: then the bits do not depend on the number of goroutines.
func parallel(n int, do func(k int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for k := range n {
			do(k)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				do(k)
			}
		})
	}
	group.Wait()
}

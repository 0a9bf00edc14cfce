package prefetch

import (
	"testing"
	"unsafe"
)

// What is asked for stays what it is, wherever it begins and ends, and nothing at all can be asked for.
func TestPrefetch(t *testing.T) {
	type large struct{ numbers [1000]float64 }
	all := make([]float64, 5000)
	for k := range all {
		all[k] = float64(k)
	}
	for from := range 20 {
		for n := range 300 {
			List(all[from : from+n])
		}
	}
	List(all)
	Of(&all[4999])
	Of(new(struct{}))
	Of((*large)(unsafe.Pointer(&all[0])))
	Of((*large)(nil))
	List[float64](nil)
	List([]struct{}{{}, {}})
	for k, v := range all {
		if v != float64(k) {
			t.Fatalf("number %d is %v", k, v)
		}
	}
	if n := testing.AllocsPerRun(10, func() { Of(&all[0]); List(all) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// What it takes to record.

package record

import (
	"path/filepath"
	"runtime"
	"testing"
)

// What is foretold of recording is what a row group takes until it is written, and not much more.
func TestPolicy_FootprintIsForetold(t *testing.T) {
	const rows, numbers = 16_000, 300
	most := heldAtMost(t, rows, numbers)
	for name, c := range map[string]struct {
		policy Policy
		least  float64
		limit  float64
	}{
		"iterates": {Policy{Every: 1, Last: -1}, most, 2 * most},
		"the last": {Policy{Last: rows}, most, 2 * most},
		"packets":  {Policy{Last: -1, Messages: true}, 1e6, 1e7},
		"nothing":  {Policy{Last: -1}, 0, 0},
	} {
		if got := c.policy.Footprint(rows, numbers); !(got >= c.least) || !(got <= c.limit) {
			t.Errorf("%s: %.0f bytes are foretold; %.0f were held", name, got, most)
		}
	}
	wide := heldAtMost(t, 50, 200_000)
	if got := (&Policy{Every: 1, Last: -1}).Footprint(50, 200_000); !(got >= wide) || !(got <= 1.3*wide) {
		t.Errorf("of 50 wide rows %.0f bytes are foretold; %.0f were held", got, wide)
	}
	if few := (&Policy{Every: 1, Last: -1}).Footprint(100, numbers); !(few <= most/4) {
		t.Errorf("of 100 rows %.0f bytes are foretold", few)
	}
}

// heldAtMost is about how many bytes it takes, at most, to record so many iterates of so many numbers: what is held
// while it is done is looked at all the time.
func heldAtMost(t *testing.T, rows, numbers int) float64 {
	t.Helper()
	var m runtime.MemStats
	held := func() uint64 {
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for range 3 { // what the library keeps for later is let go of
		held()
	}
	before, most := held(), uint64(0)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			default:
				most = max(most, held())
			}
		}
	}()
	l, err := newLog[Iterate](filepath.Join(t.TempDir(), iteratesFile))
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		values := make([]float64, numbers)
		for k := range values {
			values[k] = float64(i) + 1/float64(k+1)
		}
		l.add(Iterate{Round: int32(i), Values: values})
	}
	err = l.close()
	close(done)
	if <-ended; err != nil {
		t.Fatal(err)
	}
	return float64(most - before)
}

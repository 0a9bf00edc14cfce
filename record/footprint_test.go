// What it takes to record.

package record

import (
	"path/filepath"
	"runtime"
	"testing"
)

// What is foretold of recording is what a row group takes until it is written, and not much more.
func TestPolicy_FootprintIsForetold(t *testing.T) {
	held := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	const rows, numbers = 16_000, 300
	before, most := held(), 0.0
	l, err := newLog[Iterate](filepath.Join(t.TempDir(), iteratesFile))
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		values := make([]float64, numbers)
		for k := range values {
			values[k] = float64(i) + 1/float64(k+1)
		}
		if l.add(Iterate{Round: int32(i), Values: values}); i%2000 == 1999 {
			most = max(most, held()-before)
		}
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
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
	if few := (&Policy{Every: 1, Last: -1}).Footprint(100, numbers); !(few <= most/4) {
		t.Errorf("of 100 rows %.0f bytes are foretold", few)
	}
}

// How many addresses are enough.

package memory

import (
	"math"
	"strings"
	"testing"
)

func TestSuffices(t *testing.T) {
	for _, c := range []struct {
		most, spent uint64
		enough      bool
	}{{math.MaxUint64, 1 << 40, true}, {2e9, 1.84e9, true}, {2e9, 1.85e9, false}, {1e9, 2e9, false}} {
		if err := suffices(c.most, c.spent); (err == nil) != c.enough {
			t.Errorf("of %d addresses %d are spent: %v", c.most, c.spent, err)
		}
	}
	// What the runtime leaves out where there are few addresses is said, too.
	err := suffices(1e9, 9e8)
	if want := "the process may have 1 GB of addresses (ulimit -v 976562), too few for its "; err == nil ||
		!strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "-v 1040000 ") {
		t.Error(err)
	}
}

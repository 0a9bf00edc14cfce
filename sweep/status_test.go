// What is said of runs that failed.

package sweep

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// Twenty-four runs fail of one cause, though their errors differ in numbers, and one of
// another: two causes are listed.
func TestFailuresAreGroupedByCause(t *testing.T) {
	p := plan(t, smallScenario, Options{Grid: []string{"algorithm.eta=" + numbers(26)}})
	d := open(t, filepath.Join(t.TempDir(), "sweep"), p)
	for k := range 25 {
		text := "node " + strings.Repeat("1", k%9+1) + " waits for round 3e-2"
		if k == 7 {
			text = "the disk is full"
		}
		if err := d.Journal.Put(k, (&Result{Error: text}).Encode()); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := ListFailures(&b, p, d.Journal); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{"run 0 failed: node 1 waits", "run 7 failed: the disk is full",
		"24 runs failed of this, the others being 1, 2, 3", "and 4 more, of which failures.csv has all"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "failed: "); n != 2 {
		t.Errorf("%d causes in\n%s", n, got)
	}
}

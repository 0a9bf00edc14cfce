// When a sweep is over.

package jetstream

import (
	"crypto/ed25519"
	"testing"

	"overhear/sweep"
)

// A sweep is not over while its last result is to be checked: its end would stop the check.
func TestHear_TheLastResultIsCheckedBeforeTheEnd(t *testing.T) {
	p := plan(t, sweep.Options{})
	o := options(t)
	o.Check = 1
	c := opened(t, p, o)
	b := newBoard(sweep.Work{Plan: p, Todo: []int{0}, Store: open(t, t.TempDir(), p).Journal,
		Stored: func(int, bool) {}, Dropped: func(int, bool) {}}, 0)
	j := newCourt(c, b)
	one, _, _ := results(t, p, 0)
	if err := j.hear(t.Context(), nameOf(newKey().Public().(ed25519.PublicKey)), 0, 1, one, false); err != nil {
		t.Fatal(err)
	}
	if len(j.open) != 1 {
		t.Fatalf("%d results to check, want 1", len(j.open))
	}
	select {
	case <-b.over:
		t.Error("the sweep is over before its last result is checked")
	default:
	}
	if err := j.decide(t.Context(), j.open[0]); err != nil {
		t.Fatal(err)
	}
	b.check(-1)
	select {
	case <-b.over:
	default:
		t.Error("the sweep is not over when all is checked")
	}
}

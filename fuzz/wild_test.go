// Drawn scenarios: every method comes, and none is in trouble.

package fuzz

import (
	"context"
	"testing"

	"overhear/algorithms"
)

// A run of some seeds over all methods, protocols and faults. CI's nightly mode runs 10,000:
// simulate fuzz --runs 10000.
func TestWild_RightMethodsPass(t *testing.T) {
	runs := 300
	if testing.Short() {
		runs = 60
	}
	found, err := RunWild(context.Background(), Options{Runs: runs, First: 1, Distance: DefaultDistance, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Errorf("seed %d of %s breaks: %s: %s\n%v", f.Seed, f.Scenario.Name, f.Invariant, f.Account, f.Sets)
	}
}

func TestWild_DrawsEveryMethod(t *testing.T) {
	kinds, modes, stale := map[string]int{}, map[string]int{}, 0
	for seed := range uint64(600) {
		s, err := Wild(seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		kinds[s.Algorithm.Kind]++
		modes[s.Rounds.Mode]++
		if s.Rounds.Missing == algorithms.MissingLast {
			stale++
		}
	}
	for _, e := range algorithms.Entries() {
		if kinds[e.Name] == 0 {
			t.Errorf("%s is never drawn", e.Name)
		}
	}
	if len(modes) != 2 || modes["asynchronous"] < 150 || stale < 20 {
		t.Errorf("modes %v, %d with stale values", modes, stale)
	}
}

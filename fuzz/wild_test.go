// Drawn scenarios: every method comes, and none is in trouble.

package fuzz

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"overhear/algorithms"
	_ "overhear/external" // whose method is not drawn
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

// Sharing is drawn with losses that are not convex, from zero and from random starts, and these runs pass.
func TestWild_DrawsLossesThatAreNotConvex(t *testing.T) {
	drawn := map[string]int{}
	for seed := uint64(1); len(drawn) < 4 || drawn["logistic false"] == 0; seed++ {
		if seed > 400 {
			t.Fatalf("in 400 seeds there are %v", drawn)
		}
		s, err := Wild(seed)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(s.Algorithm.Kind, "admm-sharing") {
			if !s.Problem.Loss.Convex() {
				t.Fatalf("%s has the loss %s", s.Algorithm.Kind, s.Problem.Loss.Kind)
			}
			continue
		}
		what := fmt.Sprint(s.Problem.Loss.Kind, " ", s.Algorithm.Init.Normal > 0)
		if drawn[what]++; s.Problem.Loss.Convex() || drawn[what] > 2 {
			continue
		}
		o := Options{Runs: 1, First: seed, Distance: DefaultDistance, Workers: 1}
		found, err := RunWild(context.Background(), o)
		if err != nil || len(found) > 0 {
			t.Errorf("seed %d, %s: %v %+v", seed, what, err, found)
		}
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
		if foreign := e.Name == "python"; foreign != (kinds[e.Name] == 0) {
			t.Errorf("%s is drawn %d times", e.Name, kinds[e.Name])
		}
	}
	if len(modes) != 2 || modes["asynchronous"] < 150 || stale < 20 {
		t.Errorf("modes %v, %d with stale values", modes, stale)
	}
}

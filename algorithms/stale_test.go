// What stands in for a value that is missing, where rounds go on without it.

package algorithms

import (
	"slices"
	"testing"

	"overhear/sim"
)

// enteredAtNode1 runs ADMM on the path 0-1-2 with rounds.missing: last, and says of which round of
// node 0 (−1: none) the value was that entered each update of node 1.
func enteredAtNode1(t *testing.T, rounds int, change func(*sim.Config)) (of []int) {
	t.Helper()
	f := newFixture(3, 5, 2, [][2]int{{0, 1}, {1, 2}})
	m := &heardMethod{ADMM: ADMM{Eta: 0.3}}
	rec, err := f.tryRun(m, rounds, change,
		func(c *Config) { c.Retry, c.Deadline, c.Missing = 1e6, 5e6, MissingLast })
	if err != nil {
		t.Fatal(err)
	}
	for k, values := range m.heard[1] {
		is := func(round [][]float64) bool { return slices.Equal(round[0], values[0]) }
		if is(rec.values[k]) { // iterates that move no more are alike
			of = append(of, k)
			continue
		}
		of = append(of, slices.IndexFunc(rec.values, is))
	}
	return of
}

// A node that was down while the others went on catches up with them: it goes on with their
// values of later rounds, once for each, and then is in step again.
func TestSynchronous_WhoIsBehindCatchesUp(t *testing.T) {
	const rounds = 150
	for _, memory := range []string{"kept", "lost"} {
		of := enteredAtNode1(t, rounds, func(c *sim.Config) {
			c.Faults = sim.FaultPlan{{At: 10.5e6, Until: 300e6, Kind: sim.Crash{Node: 1, Memory: memory}}}
		})
		first := slices.IndexFunc(of, func(r int) bool { return r < 0 })
		ahead := 0
		for k, r := range of { // of the update of round k+1
			if r > k+1 {
				ahead++
			}
		}
		if first >= 0 && memory == "kept" || ahead < 10 {
			t.Errorf("memory %s: the values that entered are of rounds %v", memory, of)
		}
		for k := rounds - 50; k < rounds; k++ {
			if of[k] != k {
				t.Errorf("memory %s: the value of round %d entered the update of round %d: it is not in step again",
					memory, of[k], k+1)
				break
			}
		}
	}
}

// The value that stands in is of the latest round that came, also if it came when its round
// was over: those of a slow link always do.
func TestSynchronous_ALateValueStandsInLater(t *testing.T) {
	factor := 12.0
	of := enteredAtNode1(t, 60, func(c *sim.Config) {
		c.Faults = sim.FaultPlan{{Kind: sim.BadLink{Link: [2]int{0, 1}, Factor: &factor}}}
	})
	for k, r := range of {
		if k > 10 && (r < k-5 || r > k+5) {
			t.Fatalf("the value of round %d entered the update of round %d: %v", r, k+1, of)
		}
	}
}

// A value enters an update as new once only, whichever rounds it stands for.
func TestStale_AValueIsNewOnce(t *testing.T) {
	s := newStale(1)
	for _, c := range []struct {
		round int32 // of the value
		fresh bool
	}{{-1, false}, {0, true}, {0, false}, {7, true}, {7, false}, {7, false}, {8, true}} {
		s.entering[0][0] = c.round
		if s.enter(0); s.fresh[0] != c.fresh {
			t.Errorf("a value of round %d is new: %v", c.round, s.fresh[0])
		}
	}
	s.forget()
	if s.enter(0); !s.fresh[0] {
		t.Error("after memory was lost, what comes is not new")
	}
}

// Who asks for a round of which the value is no longer kept is sent the latest; who asks for
// one that is, is sent that.
func TestSynchronous_KeepsTheLastTwoMessages(t *testing.T) {
	p := peer{round: 7}
	for round, want := range map[int]int{0: 7, 5: 7, 6: 6, 7: 7, 8: 8} {
		if got := p.kept(round); got != want {
			t.Errorf("a request for round %d is answered with round %d, want %d", round, got, want)
		}
	}
}

// What the hub of dp-admm makes of its clients' values, by hand.

package algorithms

import (
	"slices"
	"testing"

	"overhear/internal/num"
)

// The hub's value is the mean of w̃_i − γ_i/η, and the duals that it follows are those of the clients that it has heard
// anew, each its own.
func TestDPADMM_MergeFollowsTheDualsOfThoseHeard(t *testing.T) {
	const eta = 0.5
	m := &dpADMM{DPADMM: DPADMM{Eta: eta}}
	hub := &Node{F: make([]float64, 2), Work: &Work{Heard: [][]float64{{1, 2}, {5, -3}, {0, 7}}}}
	gamma := [3][2]float64{}
	for round, fresh := range [][]bool{nil, {true, false, true}, {false, true, false}, {true, true, true}} {
		hub.Fresh = fresh
		hub.Heard[round%3] = []float64{float64(round), 4}
		var want [2]float64
		for k := range want {
			for i, f := range hub.Heard {
				want[k] += (f[k] - gamma[i][k]/eta) / 3
			}
		}
		m.Merge(hub, round+1)
		if d := []float64{hub.F[0] - want[0], hub.F[1] - want[1]}; !(num.Norm(d) <= 1e-12) {
			t.Fatalf("round %d: %v, want %v", round+1, hub.F, want)
		}
		for i, f := range hub.Heard {
			for k := range f {
				if fresh == nil || fresh[i] {
					gamma[i][k] -= eta * (f[k] - want[k])
				}
			}
			own := slices.Clone(hub.Memory[2*i : 2*i+2])
			num.Axpy(-1, gamma[i][:], own)
			if !(num.Norm(own) <= 1e-12) {
				t.Errorf("round %d: client %d has the dual %v, want %v", round+1, i+1, hub.Memory[2*i:2*i+2], gamma[i])
			}
		}
	}
}

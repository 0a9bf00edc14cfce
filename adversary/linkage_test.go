// Linkage: messages that move little are linked, those that noise moves are not; what is equal tells nothing.

package adversary

import (
	"math"
	"slices"
	"testing"

	"overhear/algorithms"
	"overhear/record"
	"overhear/sim"
)

// cheapest is the least cost of all assignments, tried one by one.
func cheapest(costs [][]float64, taken map[int]bool) float64 {
	if len(costs) == 0 {
		return 0
	}
	least := math.Inf(1)
	for k, c := range costs[0] {
		if !taken[k] {
			taken[k] = true
			least = min(least, c+cheapest(costs[1:], taken))
			delete(taken, k)
		}
	}
	return least
}

func TestAssign_IsTheCheapest(t *testing.T) {
	r := sim.NewStream(1, "assign")
	for range 300 {
		n, m := 1+r.IntN(5), 1+r.IntN(6)
		costs := make([][]float64, n)
		turned := make([][]float64, m)
		for i := range costs {
			for k := range m {
				c := float64(r.IntN(7)) - 2
				costs[i], turned[k] = append(costs[i], c), append(turned[k], c)
			}
		}
		want := 0.0
		if n <= m {
			want = cheapest(costs, map[int]bool{})
		} else {
			want = cheapest(turned, map[int]bool{})
		}
		got, used := 0.0, map[int]bool{}
		for i, k := range assign(costs) {
			if k >= 0 {
				got += costs[i][k]
				if used[k] {
					t.Fatalf("%v: two have column %d", costs, k)
				}
				used[k] = true
			}
		}
		if got != want || len(used) != min(n, m) {
			t.Fatalf("%v: cost %v of %d, want %v", costs, got, len(used), want)
		}
	}
	if to := assign([][]float64{{math.NaN(), math.NaN()}, {math.Inf(1), math.NaN()}}); len(to) != 2 {
		t.Errorf("no numbers: %v", to)
	}
}

// scored is an attack's finding on a victim, scored.
func scored(t *testing.T, name string, v *View, truth *Truth) *record.Finding {
	t.Helper()
	f := carry(t, name, v)
	truth.Knows = v.Knows
	Score(f, truth)
	return f
}

func TestLinkage_FollowsWhatMovesLittle(t *testing.T) {
	f := small(t, 7, 4, ring(6))
	const rounds = 30
	rec, pub := run(t, f, "admm", rounds, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	for victim := range 6 {
		got := scored(t, "linkage", Observe(rec, Vantage{}, pub, &Knowledge{Victim: victim}), &Truth{})
		if got.Succeeded == record.Failed || len(got.Links) != rounds-1 || !(got.Baselines[0].Error < 0.5) ||
			!(math.Abs(float64(got.Baselines[0].Guess)-5.0/6) <= 1e-12) {
			t.Errorf("node %d: %s, %+v", victim, got.Succeeded, got.Baselines)
		}
	}
	// Values that are swapped between two nodes from a round on are links that are wrong there.
	planted := *rec
	planted.Iterates = slices.Clone(rec.Iterates)
	before := scored(t, "linkage", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 2}), &Truth{})
	for k := range planted.Iterates {
		if i := &planted.Iterates[k]; i.Round%2 == 1 && (i.Node == 2 || i.Node == 5) {
			i.Node = 7 - i.Node
		}
	}
	after := scored(t, "linkage", Observe(&planted, Vantage{}, pub, &Knowledge{Victim: 2}), &Truth{})
	if after.Succeeded != record.Failed || !(after.Baselines[0].Error > 0.8) || !(before.Baselines[0].Error < 0.5) {
		t.Errorf("with another sender in every other round: %s, %+v; right: %+v", after.Succeeded, after.Baselines,
			before.Baselines)
	}
}

// With noise far beyond what values differ by, links are right as often as guesses: over the links of
// all nodes the share of 1/6 is within four standard deviations.
func TestLinkage_NoiseLeavesGuessing(t *testing.T) {
	f := small(t, 7, 4, ring(6))
	right, all, wins := 0, 0, 0
	rec, pub := run(t, f, "dvp", 200, sim.Link{}, func(p *algorithms.DVP) { p.Eta, p.Alpha = 0.3, *constant(1e-6) })
	for victim := range 6 {
		got := scored(t, "linkage", Observe(rec, Vantage{}, pub, &Knowledge{Victim: victim}), &Truth{})
		for _, l := range got.Links {
			all++
			right += bit(l.Sender == victim)
		}
		wins += bit(got.Succeeded != record.Failed)
	}
	mean, sd := float64(all)/6, math.Sqrt(float64(all)*5/36)
	if !(math.Abs(float64(right)-mean) <= 4*sd) || wins > 1 {
		t.Errorf("%d of %d links are right, %.0f ± %.0f by guessing; %d of 6 nodes are linked", right, all, mean, sd,
			wins)
	}
}

// Nothing tells equal messages apart, and no order may.
func TestLinkage_EqualMessagesTellNothing(t *testing.T) {
	f := small(t, 7, 4, ring(6))
	rec, pub := run(t, f, "admm", 60, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	for k := range rec.Iterates {
		rec.Iterates[k].Values = []float64{1, 2, 3, 4}
	}
	right, all := 0, 0
	for victim := range 6 {
		got := carry(t, "linkage", Observe(rec, Vantage{}, pub, &Knowledge{Victim: victim}))
		for _, l := range got.Links {
			all++
			right += bit(l.Sender == victim)
		}
	}
	if mean, sd := float64(all)/6, math.Sqrt(float64(all)*5/36); !(math.Abs(float64(right)-mean) <= 4*sd) {
		t.Errorf("%d of %d links are right, %.0f ± %.0f by lot", right, all, mean, sd)
	}
	edge, other := run(t, f, "edge-admm", 5, sim.Link{}, func(p *algorithms.EdgeADMM) {
		p.Eta, p.Relaxation = 0.3, 0.5
	})
	if got := carry(t, "linkage", Observe(edge, Vantage{}, other, &Knowledge{Victim: 1})); got.Succeeded !=
		record.Blocked {
		t.Errorf("edge-admm: %s: %s", got.Succeeded, got.Conclusion)
	}
}

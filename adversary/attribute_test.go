// An attribute: found without noise, left at its prior by strong noise, and calibrated between.

package adversary

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/record"
	"overhear/sim"
)

// coded is a fixture with columns 0 to 2 of which one is ½, the values of an attribute; of n nodes.
func coded(t testing.TB, rows, nodes int, seed uint64) *fixture {
	f := small(t, rows, 6, ring(nodes))
	r := rand.New(rand.NewPCG(seed, 6))
	for s := range f.problem.Shards {
		all := new(Samples)
		for n := range rows {
			a := f.samples(s).At(n)
			for k := range 3 {
				a.X[k] = 0
			}
			value := 0 // half of them, and a sixth and a third the others
			switch x := r.IntN(6); {
			case x == 0:
				value = 1
			case x < 3:
				value = 2
			}
			for k := 3; k < 6; k++ {
				a.X[k] = r.Float64() / 2
			}
			a.X[value] = 0.5
			a.Y = float64(2*r.IntN(2) - 1)
			all.Add(a)
		}
		f.problem.Shards[s].U, f.problem.Shards[s].Y = all.U, all.Y
	}
	return f
}

// attributed is what the observer knows of a sample but for an attribute, and the truth.
func (f *fixture) attributed(victim, row int, label bool) (*Knowledge, *Truth) {
	k, own := f.allBut(victim, row)
	k.Attribute = &Attribute{Name: "colour", Values: []string{"red", "green", "blue"}, Columns: []int{0, 1, 2},
		Samples: new(Samples)}
	if label {
		k.Attribute = &Attribute{Name: "label", Values: []string{"-1", "1"}, Samples: new(Samples)}
	}
	for n := range k.Attribute.Values {
		a := Sample{X: slices.Clone(own.X), Y: own.Y}
		if label {
			a.Y = float64(2*n - 1)
		} else {
			for c := range 3 {
				a.X[c] = 0.5 * float64(bit(c == n))
			}
		}
		k.Attribute.Samples.Add(a)
	}
	return k, &Truth{Samples: []Sample{own}, Knows: k, Value: k.Attribute.value}
}

func TestAttribute_IsFoundWithoutNoise(t *testing.T) {
	f := coded(t, 8, 5, 1)
	rec, pub := run(t, f, "admm", 6, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	for _, label := range []bool{false, true} {
		for row := range 8 {
			k, truth := f.attributed(2, row, label)
			got := scored(t, "attribute", Observe(rec, Vantage{}, pub, k), truth)
			if got.Succeeded != record.Exact || len(got.Odds) != len(k.Attribute.Values) || !got.Baselines[0].Better() {
				t.Errorf("row %d, label %v: %s, %+v: %s", row, label, got.Succeeded, got.Odds, got.Conclusion)
			}
		}
	}
	k, truth := f.attributed(2, 3, false)
	planted := *rec
	planted.Iterates = slices.Clone(rec.Iterates)
	for i := range planted.Iterates {
		if p := &planted.Iterates[i]; p.Node == 2 && p.Round > 0 {
			for _, other := range rec.Iterates {
				if other.Node == 4 && other.Round == p.Round {
					p.Values = other.Values
				}
			}
		}
	}
	if got := scored(t, "attribute", Observe(&planted, Vantage{}, pub, k), truth); got.Succeeded != record.Failed {
		t.Errorf("another sender: %s: %s", got.Succeeded, got.Conclusion)
	}
}

// The prior is known, so that without a message the best guess is right as often as its value is; strong noise leaves
// it, and weaker noise gives a posterior that is right as often as it says: over 300 samples, within four standard
// deviations.
func TestAttribute_PosteriorIsCalibrated(t *testing.T) {
	for _, alpha := range []float64{1e-4, 6} {
		f := coded(t, 8, 40, 3)
		rec, pub := run(t, f, "private-dgd", 3, sim.Link{}, func(p *algorithms.PrivateDGD) {
			p.Step, p.Decay, p.Alpha = *constant(0.5), "none", *constant(alpha)
		})
		expected, variance, right, gain, wins := 0.0, 0.0, 0.0, 0.0, 0
		for victim := range 40 {
			for row := range 8 {
				k, truth := f.attributed(victim, row, false)
				got := scored(t, "attribute", Observe(rec, Vantage{}, pub, k), truth)
				for _, o := range got.Odds {
					p := float64(o.Posterior)
					if alpha < 1 && !(math.Abs(p-float64(o.Prior)) <= 0.01) {
						t.Fatalf("noise hides nothing: %+v", got.Odds)
					}
					if p > 0.5 { // it says so
						expected += p
						variance += p * (1 - p)
						right += float64(bit(*o.Truth))
					}
				}
				gain += float64(got.Baselines[0].Guess - got.Baselines[0].Error)
				wins += bit(got.Succeeded != record.Failed)
			}
		}
		if alpha < 1 {
			if wins > 0 || !(math.Abs(gain) <= 1) {
				t.Errorf("strong noise: %d successes, the score gains %.3g", wins, gain)
			}
			continue
		}
		if !(math.Abs(right-expected) < 4*math.Sqrt(variance)+5) || !(gain > 10) {
			t.Errorf("α = %v: %v right, %.1f ± %.1f expected; the score gains %.3g", alpha, right, expected,
				math.Sqrt(variance), gain)
		}
	}
}

func TestAttribute_SaysWhatIsMissing(t *testing.T) {
	f := coded(t, 8, 5, 1)
	rec, pub := run(t, f, "admm", 6, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	got := carry(t, "attribute", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 2}))
	if got.Succeeded != record.Blocked || !strings.Contains(got.Conclusion, "knows.attribute") {
		t.Errorf("%s: %s", got.Succeeded, got.Conclusion)
	}
	k, _ := f.attributed(2, 3, false)
	got = carry(t, "attribute", Observe(rec, Vantage{}, pub.Without(model.Penalty), k))
	if got.Succeeded != record.Blocked {
		t.Errorf("hidden penalties: %s: %s", got.Succeeded, got.Conclusion)
	}
}

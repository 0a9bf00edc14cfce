// The share of class +1: exact where rows of a class add the same, honest where they do not, and nothing under noise.

package adversary

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/record"
	"overhear/sim"
)

// shared is a fixture of nodes with so many rows of each class as their number says: row n of class y is an intercept
// of ½ and numbers that are drawn, or none.
func shared(t testing.TB, rows, nodes int, stray float64) *fixture {
	f := small(t, rows, 4, ring(nodes))
	r := rand.New(rand.NewPCG(9, uint64(nodes)))
	for s := range f.problem.Shards {
		all := new(Samples)
		p := 0.2 + 0.6*r.Float64()
		for range rows {
			a := Sample{X: []float64{0, 0, 0, 0.5}, Y: -1}
			for k := range 3 {
				a.X[k] = stray * r.NormFloat64()
			}
			if r.Float64() < p {
				a.Y = 1
				a.X[0] += 0.1
			}
			all.Add(a)
		}
		f.problem.Shards[s].U, f.problem.Shards[s].Y = all.U, all.Y
	}
	return f
}

// propertied is what an observer knows who has the data of the other nodes up to a number.
func (f *fixture) propertied(victim, nodes int) (*Knowledge, *Truth) {
	k := &Knowledge{Victim: victim, Size: len(f.problem.Shards[victim].Y), Data: map[int]*Samples{}}
	for i := range nodes {
		if i != victim {
			k.Data[i] = f.samples(i)
		}
	}
	positive := 0.0
	for _, y := range f.problem.Shards[victim].Y {
		positive += float64(bit(y > 0))
	}
	t := &Truth{Fact: func(*record.Fact) ([]float64, bool) { return []float64{positive / float64(k.Size)}, true }}
	t.Guess = func(*record.Fact) ([]float64, string, bool) {
		share, ok := k.PositiveShare()
		return []float64{share}, "the known rows", ok
	}
	return k, t
}

func TestProperty_IsExactWhereClassesAddTheSame(t *testing.T) {
	f := shared(t, 20, 8, 0)
	rec, pub := run(t, f, "dgd", 5, sim.Link{}, func(p *algorithms.DGD) { p.Step, p.Decay = *constant(0.5), "none" })
	for victim := range 8 {
		k, truth := f.propertied(victim, 8)
		got := scored(t, "property", Observe(rec, Vantage{}, pub, k), truth)
		if len(got.Facts) != 1 || !(got.Facts[0].Relative < 1e-9) || got.Succeeded != record.Exact {
			t.Errorf("node %d: %s, %+v: %s", victim, got.Succeeded, got.Facts, got.Conclusion)
		}
	}
	k, truth := f.propertied(3, 8)
	planted := *rec
	planted.Iterates = slices.Clone(rec.Iterates)
	for i := range planted.Iterates {
		if p := &planted.Iterates[i]; p.Node == 3 && p.Round > 0 {
			p.Values = rec.Iterates[slices.IndexFunc(rec.Iterates, func(o record.Iterate) bool {
				return o.Node == 5 && o.Round == p.Round
			})].Values
		}
	}
	if got := scored(t, "property", Observe(&planted, Vantage{}, pub, k), truth); got.Succeeded == record.Exact {
		t.Errorf("another sender: %s: %s", got.Succeeded, got.Conclusion)
	}
}

// Estimates are as far off as they say, and nearer than the prior, over 60 nodes; under strong noise there is none.
func TestProperty_IsAsUncertainAsItSays(t *testing.T) {
	f := shared(t, 30, 60, 0.15)
	for _, alpha := range []float64{0, 1e-3} {
		rec, pub := run(t, f, "private-dgd", 4, sim.Link{}, func(p *algorithms.PrivateDGD) {
			p.Step, p.Decay, p.Alpha, p.Law = *constant(0.5), "none", *constant(max(alpha, 20)), "gaussian"
			if alpha > 0 {
				p.Alpha = *constant(alpha)
			}
		})
		squares, wins, found, better := 0.0, 0, 0, 0.0
		for victim := range 60 {
			k, truth := f.propertied(victim, 20)
			got := scored(t, "property", Observe(rec, Vantage{}, pub, k), truth)
			wins += bit(got.Succeeded == record.Partial || got.Succeeded == record.Exact)
			if len(got.Facts) == 0 {
				continue
			}
			found++
			want, _ := truth.Fact(nil)
			guess, _ := k.PositiveShare()
			better += math.Abs(guess-want[0]) - math.Abs(got.Facts[0].Values[0]-want[0])
			squares += math.Pow(got.Facts[0].Values[0]-want[0], 2)
		}
		if alpha > 0 {
			if found+wins > 0 {
				t.Errorf("strong noise: %d estimates, %d successes", found, wins)
			}
			continue
		}
		if found < 50 || wins < 45 || !(better/60 > 0.08) || !(math.Sqrt(squares/float64(found)) < 0.06) {
			t.Errorf("%d estimates, %d successes, nearer than the prior by %.3g, off by %.3g", found, wins, better/60,
				math.Sqrt(squares/float64(found)))
		}
	}
}

// Of rows that are off their classes by a few numbers in all rounds, twenty judges and ten of the victim's, an estimate
// is beyond twice its stated deviation as seldom as a normal one would be, however many rounds there are.
func TestCombine_IsAsUncertainAsItSays(t *testing.T) {
	const size, judges, repeats, common = 10, 20, 400, 3
	for _, rounds := range []int{1, 2, 5, 20, 60} {
		s := sim.NewStream(1, "rounds of a share", uint64(rounds))
		beyond, better := 0, 0.0
		for range repeats {
			loads := make([][common]float64, rounds)
			for i := range loads {
				for l := range common {
					loads[i][l] = s.Normal() / float64(l+1)
				}
			}
			row := func() []float64 {
				var of [common]float64
				for l := range of {
					of[l] = s.Normal()
				}
				x := make([]float64, rounds)
				for i := range x {
					x[i] = 0.1 * s.Normal()
					for l := range of {
						x[i] += of[l] * loads[i][l]
					}
				}
				return x
			}
			all := make([]*shown, rounds)
			for i := range all {
				all[i] = &shown{estimate: 0.5}
			}
			for range size {
				for i, x := range row() {
					all[i].estimate += x / size
				}
			}
			for range 2 { // classes, of which half of the victim's rows are each
				var rows [judges / 2][]float64
				mean := make([]float64, rounds)
				for k := range rows {
					rows[k] = row()
					num.Axpy(2./judges, rows[k], mean)
				}
				for i := range all {
					all[i].estimate -= mean[i] / 2
					for k := range rows {
						all[i].stray = append(all[i].stray, rows[k][i]-mean[i])
					}
				}
			}
			estimate, variance, err := combine(all, size)
			if err != nil {
				t.Fatal(err)
			}
			beyond += bit(math.Abs(estimate-0.5) > 2*math.Sqrt(variance))
			better += math.Abs(all[0].estimate-0.5) - math.Abs(estimate-0.5)
		}
		if share := float64(beyond) / repeats; !(share <= 0.09) {
			t.Errorf("%d rounds: %.3g of estimates are beyond 2 ±", rounds, share)
		}
		if rounds > 5 && !(better/repeats > 0.1) {
			t.Errorf("%d rounds say no more than one: nearer by %.3g", rounds, better/repeats)
		}
	}
}

func TestProperty_SaysWhatIsMissing(t *testing.T) {
	f := shared(t, 20, 8, 0.1)
	rec, pub := run(t, f, "private-dgd", 4, sim.Link{}, func(p *algorithms.PrivateDGD) {
		p.Step, p.Decay, p.Alpha = *constant(0.5), "none", *constant(1)
	})
	for says, change := range map[string]func(k *Knowledge){
		"knows.data": func(k *Knowledge) { k.Data = nil }, "knows.size": func(k *Knowledge) { k.Size = 0 }} {
		k, _ := f.propertied(3, 8)
		change(k)
		got := carry(t, "property", Observe(rec, Vantage{}, pub, k))
		if got.Succeeded != record.Blocked || !strings.Contains(got.Conclusion, says) {
			t.Errorf("%s: %s: %s", says, got.Succeeded, got.Conclusion)
		}
	}
}

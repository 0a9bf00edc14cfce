// Right noise passes every check for many seeds; noise with a flaw fails one that
// says which.

package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"

	"gonum.org/v1/gonum/mathext"

	"overhear/internal/num"
	"overhear/privacy"
	"overhear/record"
	"overhear/sim"
)

// drawNoise is a draw from a law.
func drawNoise(s *sim.Stream, law model.Noise, d int) []float64 {
	x := make([]float64, d)
	if law.Kind == model.Laplace {
		privacy.Laplace(s, law.Level, x)
	} else {
		privacy.Gaussian(s, law.Level, x)
	}
	return x
}

// fitOf is a Fit of that many runs and rounds. Each run's noise comes from make,
// which also says what is declared of each round.
func fitOf(seed uint64, runs, rounds int, noise func(s *sim.Stream, run int) ([][]float64, []model.Noise)) *Fit {
	f := new(Fit)
	for run := range runs {
		all, laws := noise(sim.NewStream(seed, "test of noise", uint64(run)), run)
		for t := range rounds {
			f.Add(run, 0, t+1, all[t], laws[t])
		}
	}
	return f
}

// asDeclared draws what it declares; levels rise with the rounds.
func asDeclared(kind model.Kind, d, rounds int) func(s *sim.Stream, run int) ([][]float64, []model.Noise) {
	return flawed(kind, d, rounds, nil)
}

// flawed is asDeclared with one thing changed after the noise of a run was drawn.
func flawed(kind model.Kind, d, rounds int, change func(s *sim.Stream, all [][]float64,
	laws []model.Noise)) func(s *sim.Stream, run int) ([][]float64, []model.Noise) {
	return func(s *sim.Stream, _ int) ([][]float64, []model.Noise) {
		var all [][]float64
		var laws []model.Noise
		for t := range rounds {
			law := model.Noise{Kind: kind, Level: 0.5 * math.Pow(1.1, float64(t))}
			all, laws = append(all, drawNoise(s, law, d)), append(laws, law)
		}
		if change != nil {
			change(s, all, laws)
		}
		return all, laws
	}
}

func failures(checks []record.Check) (failed []string) {
	for _, c := range checks {
		if !c.Holds {
			failed = append(failed, fmt.Sprintf("%s: %.3g > %.3g: %s", c.Text(), c.Measured, c.Bound, c.Detail))
		}
	}
	return failed
}

func TestFit_RightNoisePasses(t *testing.T) {
	nearest := map[string]float64{}
	for _, kind := range []model.Kind{model.Laplace, model.Gaussian} {
		for _, d := range []int{1, 2, 5, 20} {
			for seed := range uint64(200) {
				runs, rounds := 40, 5
				if seed < 3 {
					runs, rounds = 1000, 10
				}
				checks := fitOf(seed, runs, rounds, asDeclared(kind, d, rounds)).Checks()
				if want := map[bool]int{true: 11, false: 15}[d == 1]; len(checks) != want {
					t.Fatalf("%d checks, want %d", len(checks), want)
				}
				for _, bad := range failures(checks) {
					t.Errorf("law %d, d = %d, seed %d: %s", kind, d, seed, bad)
				}
				for _, c := range checks {
					if c.Bound > 0 {
						nearest[c.Text()] = max(nearest[c.Text()], float64(c.Measured/c.Bound))
					}
				}
			}
		}
	}
	for _, c := range fitOf(1, 3, 3, asDeclared(model.Laplace, 3, 3)).Checks() {
		t.Logf("%s: at most %.2f of the bound", c.Text(), nearest[c.Text()])
	}
}

// Each flaw is found, with the larger and with the smaller number of runs, by a
// check that names it.
func TestFit_Flaws(t *testing.T) {
	every := func(change func(x []float64, law model.Noise)) func(*sim.Stream, [][]float64, []model.Noise) {
		return func(_ *sim.Stream, all [][]float64, laws []model.Noise) {
			for t, x := range all {
				change(x, laws[t])
			}
		}
	}
	times := func(by float64) func(*sim.Stream, [][]float64, []model.Noise) {
		return every(func(x []float64, _ model.Noise) {
			for k := range x {
				x[k] *= by
			}
		})
	}
	is := func(ratio float64) func(int) float64 { return func(int) float64 { return ratio } }
	// typical is the root mean square of a draw's norm.
	typical := func(law model.Noise, d int) float64 {
		if law.Kind == model.Laplace {
			return math.Sqrt(float64(d*(d+1))) / law.Level
		}
		return law.Level * math.Sqrt(float64(d))
	}
	for _, c := range []struct {
		name   string
		kind   model.Kind
		least  int // dimensions
		change func(*sim.Stream, [][]float64, []model.Noise)
		what   string // the check that must fail
		says   string // in its detail
		size   func(rounds int) float64
	}{
		{"rate twice too large", model.Laplace, 1, times(0.5), "size of the noise", "", is(0.5)},
		{"rate half", model.Laplace, 1, times(2), "size of the noise", "", is(2)},
		{"variance as standard deviation", model.Gaussian, 1, every(func(x []float64, law model.Noise) {
			for k := range x {
				x[k] *= law.Level
			}
		}), "size of the noise", "", func(rounds int) float64 { // the root mean square of all σ
			sum := 0.0
			for t := range rounds {
				sum += 0.25 * math.Pow(1.21, float64(t))
			}
			return math.Sqrt(sum / float64(rounds))
		}},
		{"zero", model.Laplace, 1, times(0), "size of the noise", "", is(0)},
		{"zero", model.Gaussian, 1, times(0), "size of the noise", "", is(0)},
		{"missing in one round", model.Laplace, 1, func(s *sim.Stream, all [][]float64, _ []model.Noise) {
			for k := range all[2] {
				all[2][k] = 1e-14 * s.Normal()
			}
		}, "no noise is missing", "next to nothing", nil},
		{"zero but for rounding", model.Gaussian, 1, times(1e-14), "size of the noise", "", is(0)},
		{"the wrong law of the same mean size", model.Laplace, 2, every(func(x []float64, law model.Noise) {
			norm := 0.0
			for _, v := range x {
				norm += v * v
			}
			by := float64(len(x)) / law.Level / math.Sqrt(norm) // always the mean
			for k := range x {
				x[k] *= by
			}
		}), "spread of its size", "0.0", nil},
		{"the same in every round", model.Laplace, 1, func(_ *sim.Stream, all [][]float64, laws []model.Noise) {
			for t := range all {
				copy(all[t], all[0])
				for k := range all[t] {
					all[t][k] *= laws[0].Level / laws[t].Level // with the right scale
				}
			}
		}, "noise of successive rounds of a run is drawn anew", "100 %", nil},
		{"the same in two rounds of each run", model.Gaussian, 1, func(_ *sim.Stream, all [][]float64,
			laws []model.Noise) {
			for k := range all[1] {
				all[1][k] = -all[0][k] * laws[1].Level / laws[0].Level
			}
		}, "noise of successive rounds of a run is drawn anew", "or a multiple", nil},
		{"drags on from round to round", model.Gaussian, 1, func(_ *sim.Stream, all [][]float64, laws []model.Noise) {
			for t := 1; t < len(all); t++ {
				for k := range all[t] {
					all[t][k] = 0.8*all[t][k] + 0.6*all[t-1][k]*laws[t].Level/laws[t-1].Level
				}
			}
		}, "noise of successive rounds of a run is independent", "+0.", nil},
		{"along one direction", model.Laplace, 2, every(func(x []float64, _ model.Noise) {
			norm := 0.0
			for _, v := range x {
				norm += v * v
			}
			for k := range x {
				x[k] = math.Copysign(math.Sqrt(norm/float64(len(x))), x[0])
			}
		}), "its coordinates are alike and independent", "100 % of its squared length", nil},
		{"one coordinate four times as large", model.Gaussian, 2, every(func(x []float64,
			_ model.Noise) {
			x[len(x)-1] *= 4
		}), "its coordinates are alike and independent", "along one " +
			"direction", nil},
		{"biased by a fifth", model.Laplace, 3, every(func(x []float64, law model.Noise) {
			for k := range x {
				x[k] += 0.2 * typical(law, len(x)) / math.Sqrt(float64(len(x)))
			}
		}), "mean of its directions", "near 0", nil},
		{"biased by a fifth", model.Gaussian, 3, every(func(x []float64,
			law model.Noise) {
			x[1] += 0.2 * typical(law, len(x))
		}), "mean of its directions", "in coordinate 1", nil},
	} {
		for _, d := range []int{1, 2, 3, 5, 20} {
			if d < c.least {
				continue
			}
			for _, n := range [][2]int{{1000, 10}, {200, 5}} {
				for seed := range uint64(5) {
					checks := fitOf(seed, n[0], n[1], flawed(c.kind, d, n[1], c.change)).Checks()
					failed := failures(checks)
					found := false
					for _, check := range checks {
						if check.Text() != c.what || check.Holds {
							continue
						}
						if found = strings.Contains(check.Detail, c.says); c.size != nil {
							// Up to what chance does to 1000 draws in one dimension.
							want := c.size(n[1])
							found = math.Abs(sizeIn(t, check.Detail)-want) <= 0.17*want+0.005
						}
					}
					if !found {
						t.Errorf("%s, d = %d, %d runs × %d rounds, seed %d: failed %q", c.name, d, n[0], n[1], seed,
							failed)
					} else if d == 5 && seed == 0 && n[0] == 200 {
						t.Logf("%s, law %d: %s", c.name, c.kind, strings.Join(failed, "; "))
					}
				}
			}
		}
	}
}

// Weak flaws show in many dimensions and draws: bounds shrink with both.
func TestFit_WeakFlaws(t *testing.T) {
	const d, runs, rounds = 20, 1000, 10
	for what, change := range map[string]func(*sim.Stream, [][]float64, []model.Noise){
		"noise of successive rounds of a run is independent": func(_ *sim.Stream, all [][]float64, laws []model.Noise) {
			for t := 1; t < len(all); t++ {
				for k := range all[t] {
					all[t][k] = math.Sqrt(1-0.05*0.05)*all[t][k] + 0.05*all[t-1][k]*laws[t].Level/laws[t-1].Level
				}
			}
		},
		"its coordinates are alike and independent": func(_ *sim.Stream, all [][]float64, _ []model.Noise) {
			for t := range all {
				all[t][7] *= 1.5
			}
		},
		"mean of its directions": func(_ *sim.Stream, all [][]float64, laws []model.Noise) {
			for t := range all {
				all[t][7] += 0.05 * laws[t].Level * math.Sqrt(d)
			}
		},
	} {
		for seed := range uint64(3) {
			if all := strings.Join(failures(fitOf(seed, runs, rounds, flawed(model.Gaussian, d, rounds,
				change)).Checks()), "; "); !strings.Contains(all, what) {
				t.Errorf("seed %d: %s does not fail, %q does", seed, what, all)
			}
		}
	}
}

// sizeIn is the ratio of sizes that a detail gives.
func sizeIn(t *testing.T, detail string) (ratio float64) {
	if _, err := fmt.Sscanf(detail, "the noise is %g of the declared size", &ratio); err != nil {
		t.Fatalf("%q: %v", detail, err)
	}
	return ratio
}

// Two runs with the same noise are no two runs.
func TestFit_RunsAlike(t *testing.T) {
	noise := asDeclared(model.Laplace, 4, 5)
	failed := failures(fitOf(1, 200, 5, func(s *sim.Stream, run int) ([][]float64, []model.Noise) {
		return noise(sim.NewStream(1, "test of noise", uint64(run/2)), run)
	}).Checks())
	if all := strings.Join(failed, "; "); !strings.Contains(all,
		"the same round of successive runs is drawn anew: 500 > 0") {
		t.Errorf("failed %q", failed)
	}
}

// What cannot be tested is left out, what is broken is said.
func TestFit_Edges(t *testing.T) {
	f := new(Fit)
	f.Add(0, 0, 1, []float64{1, 2}, model.Noise{})
	if c := f.Checks(); len(c) != 0 {
		t.Errorf("of silent noise: %v", c)
	}
	f.Add(0, 0, 2, []float64{0.5, 1}, model.Noise{Kind: model.Laplace, Level: 1})
	f.Add(0, 0, 1, []float64{1, 0.5}, model.Noise{Kind: model.Laplace, Level: 1}) // not after it
	f.Add(0, 0, 3, []float64{math.NaN(), 1}, model.Noise{Kind: model.Laplace, Level: 1})
	f.Add(0, 0, 4, []float64{0, 0}, model.Noise{Kind: model.Laplace, Level: 1})
	if f.rounds.pairs != 0 || f.runs.pairs != 0 || len(f.sizes) != 3 || f.directions != 2 {
		t.Errorf("%+v", f)
	}
	all := strings.Join(failures(f.Checks()), "; ")
	if !strings.Contains(all, "the noise is finite: 1 > 0") || !strings.Contains(all,
		"no noise is missing: 1 > 0: 1 of 3") {
		t.Errorf("failed %q", all)
	}
	for name, add := range map[string]func(){
		"another length": func() { f.Add(1, 0, 1, []float64{1}, model.Noise{Kind: model.Laplace, Level: 1}) },
		"another law":    func() { f.Add(1, 0, 1, []float64{1, 1}, model.Noise{Kind: model.Gaussian, Level: 1}) },
		"level zero":     func() { f.Add(1, 0, 1, []float64{1, 1}, model.Noise{Kind: model.Laplace, Level: 0}) },
		"infinite level": func() {
			f.Add(1, 0, 1, []float64{1, 1}, model.Noise{Kind: model.Laplace, Level: math.Inf(1)})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", name)
				}
			}()
			add()
		}()
	}
}

// The bound of 5.5 on a gammaScore has the chance that it is said to have: by the
// incomplete gamma function, for sums of one draw and of many.
func TestGammaScore_Tails(t *testing.T) {
	for _, shape := range []float64{0.5, 1, 1.5, 3, 10, 100, 1000, 50000} {
		// The x at which the score is ±5.5.
		at := func(score float64) float64 {
			return shape * math.Pow(max(0, 1-1/(9*shape)+score/3/math.Sqrt(shape)), 3)
		}
		if !(math.Abs(gammaScore(at(5.5), shape)-5.5) <= 1e-6) {
			t.Fatalf("shape %v: score %v", shape, gammaScore(at(5.5), shape))
		}
		if p := gammaTails(shape, at(-5.5), at(5.5)); !(p <= 3.8e-8*(1+1e-3)) ||
			shape >= 1000 && !(math.Abs(p/3.8e-8-1) <= 0.2) {
			t.Errorf("shape %v: probability %v", shape, p)
		}
	}
}

// gammaTails is the probability of a Gamma law outside an interval.
func gammaTails(shape, low, high float64) float64 {
	return mathext.GammaIncReg(shape, low) + mathext.GammaIncRegComp(shape, high)
}

// earlier are the draws that a Fit compares one with; nil: there is none.
type earlier struct{ round, run, node []float64 }

// planted is a Fit of 300 draws in 20 runs of 3 nodes and 5 rounds, each changed.
func planted(seed uint64, law model.Noise, d int, change func(s *sim.Stream, x []float64, before earlier)) *Fit {
	f := new(Fit)
	type use struct{ node, round int }
	ofRun := map[use][]float64{}
	for run := range 20 {
		ofNode := map[int][]float64{}
		for node := range 3 {
			s := sim.NewStream(seed, "power", uint64(run), uint64(node))
			var last []float64
			for round := range 5 {
				x := drawNoise(s, law, d)
				if change != nil {
					change(s, x, earlier{last, ofRun[use{node, round}], ofNode[round]})
				}
				last, ofRun[use{node, round}], ofNode[round] = x, x, x
				f.Add(run, node, round, x, law)
			}
		}
	}
	return f
}

// No check fails in 1,000 right fits of each law.
func TestFit_NoFalseAlarm(t *testing.T) {
	for _, law := range []model.Noise{{Kind: model.Laplace, Level: 2}, {Kind: model.Gaussian, Level: 0.3}} {
		for seed := range uint64(1000) {
			if failed := failures(planted(seed, law, 3, nil).Checks()); failed != nil {
				t.Errorf("%v, seed %d: %v", law.Kind, seed, failed)
			}
		}
	}
}

// What a check says that it would have found with a probability of 99 %, it finds, nearly always; a third of that it
// finds less often, of rare events with 1 − 0.01^(1/3), 78 %.
func TestFit_FindsWhatItSays(t *testing.T) {
	const seeds, d = 100, 3
	law := model.Noise{Kind: model.Laplace, Level: 2}
	toNorm := func(x []float64, norm float64) { num.Scale(norm/num.Norm(x), x) }
	ofShare := func(share float64) float64 { // the norm below which noise has that share
		return mathext.GammaIncRegInv(d, share) / law.Level
	}
	scoreOf := func(x []float64) float64 {
		below, _ := num.GammaShares(d, num.Norm(x)*law.Level)
		return num.NormalQuantile(below)
	}
	share := func(score float64) float64 { return math.Erfc(-score/math.Sqrt2) / 2 }
	along := func(x, other []float64) { // its length in the other's direction
		norm := num.Norm(x)
		copy(x, other)
		toNorm(x, norm)
	}
	axis := []float64{1, 0, 0}
	type plant = func(by float64) func(s *sim.Stream, x []float64, before earlier)
	// often has a change made that often, of draws that have one before them.
	often := func(of func(b earlier) []float64, change func(s *sim.Stream, x, before []float64)) plant {
		return func(by float64) func(*sim.Stream, []float64, earlier) {
			return func(s *sim.Stream, x []float64, b earlier) {
				if before := of(b); before != nil && s.Float64() < by {
					change(s, x, before)
				}
			}
		}
	}
	each := func(earlier) []float64 { return axis }
	round := func(b earlier) []float64 { return b.round }
	run := func(b earlier) []float64 { return b.run }
	node := func(b earlier) []float64 { return b.node }
	turned := func(_ *sim.Stream, x, before []float64) { along(x, before) }
	used := func(_ *sim.Stream, x, before []float64) { copy(x, before) }
	right := planted(1, law, d, nil).Checks()
	for _, c := range []struct {
		kind  record.CheckKind
		plant plant
	}{
		{record.NoiseSize, func(by float64) func(*sim.Stream, []float64, earlier) {
			return func(_ *sim.Stream, x []float64, _ earlier) { num.Scale(1+by, x) }
		}},
		{record.NoisePresent, often(each, func(_ *sim.Stream, x, _ []float64) { num.Scale(1e-12, x) })},
		{record.NoiseSpread, func(by float64) func(*sim.Stream, []float64, earlier) {
			return func(_ *sim.Stream, x []float64, _ earlier) { toNorm(x, ofShare(share((1+by)*scoreOf(x)))) }
		}},
		{record.NoiseLaw, often(each, func(s *sim.Stream, x, _ []float64) { toNorm(x, ofShare(1e-3*s.Float64())) })},
		{record.NoiseDirection, often(each, turned)},
		{record.NoiseCoordinates, func(by float64) func(*sim.Stream, []float64, earlier) {
			return often(each, func(s *sim.Stream, x, axis []float64) {
				along(x, axis)
				if s.Float64() < 0.5 {
					num.Scale(-1, x)
				}
			})(by / math.Sqrt(1-1.0/d))
		}},
		{record.NoiseRank, func(by float64) func(*sim.Stream, []float64, earlier) {
			return func(_ *sim.Stream, x []float64, _ earlier) { // of the directions, whatever their lengths
				length, along := num.Norm(x), num.Dot(x, axis)
				squeeze(x, axis, 0)
				kept := math.Sqrt(1-by) * along
				num.Scale(math.Sqrt(length*length-kept*kept)/num.Norm(x), x)
				num.Axpy(kept, axis, x)
			}
		}},
		{record.NoiseSigns, often(each, func(_ *sim.Stream, x, _ []float64) { // octants with an odd number of signs
			if x[0]*x[1]*x[2] < 0 {
				x[2] *= -1
			}
		})},
		{record.NoiseShares, often(each, turned)},
		{record.NoiseWhole, often(each, func(s *sim.Stream, x, _ []float64) { x[s.IntN(len(x))] = 0 })},
		{record.RoundsIndependent, often(round, turned)},
		{record.RunsIndependent, often(run, turned)},
		{record.NodesIndependent, often(node, turned)},
		{record.RoundsDrawnAnew, often(round, used)},
		{record.RunsDrawnAnew, often(run, used)},
		{record.NodesDrawnAnew, often(node, used)},
		{record.SizesIndependent, func(by float64) func(*sim.Stream, []float64, earlier) {
			return func(_ *sim.Stream, x []float64, b earlier) {
				if b.round != nil {
					score := float64(by*scoreOf(b.round)) + float64(math.Sqrt(1-float64(by*by))*scoreOf(x))
					toNorm(x, ofShare(share(score)))
				}
			}
		}},
	} {
		want := check(right, c.kind)
		if want == nil || !(want.Finds > 0 && want.Finds < 1) {
			t.Fatalf("%s: %+v", c.kind, want)
		}
		found := map[float64]int{}
		for _, part := range []float64{1, 1.0 / 3} {
			for seed := range uint64(seeds) {
				all := planted(seed, law, d, c.plant(part*float64(want.Finds))).Checks()
				if k := check(all, c.kind); !k.Holds {
					found[part]++
				}
			}
		}
		t.Logf("%s: %.3g: %d of %d, of a third %d", c.kind, float64(want.Finds), found[1], seeds, found[1.0/3])
		if found[1] < 95 || found[1.0/3] > 90 {
			t.Errorf("%s says it finds %.3g with 99 %%: %d of %d are found, and %d of a third of it", c.kind,
				float64(want.Finds), found[1], seeds, found[1.0/3])
		}
	}
}

// Noise of one of 256 seeds is that of another run sooner or later, with many other runs between, and is found whatever
// sign and level it has then; noise that is drawn anew is not.
func TestFit_NoiseOfFewSeeds(t *testing.T) {
	for _, kind := range []model.Kind{model.Laplace, model.Gaussian} {
		for _, d := range []int{1, 2, 3, 4, 30} {
			for _, seeds := range []uint64{0, 256} {
				found := 0
				const audits = 20
				for audit := range uint64(audits) {
					f := new(Fit)
					for run := range 240 {
						seed := uint64(run)
						if seeds > 0 {
							seed = sim.NewStream(audit, "seed", seed).Uint64() % seeds
						}
						for round := range 3 {
							law := model.Noise{Kind: kind, Level: 1 + float64(round)}
							x := drawNoise(sim.NewStream(seed, "noise", audit, uint64(round)), law, d)
							if run%2 == 0 {
								num.Scale(-1, x)
							}
							for k := range x { // a solver's last digits
								x[k] *= 1 + 1e-10*float64(k+run%7)
							}
							f.Add(run, 0, round, x, law)
						}
					}
					if !check(f.Checks(), record.RunsDrawnAnew).Holds {
						found++
					}
				}
				if want := map[bool]int{false: 0, true: audits}[seeds > 0]; found != want {
					t.Errorf("law %d, %d numbers, %d seeds: %d of %d", kind, d, seeds, found, audits)
				}
			}
		}
	}
}

// squeeze leaves a part of what is along an axis.
func squeeze(x, axis []float64, part float64) { num.Axpy((part-1)*num.Dot(x, axis), axis, x) }

// Noise that has none of a direction which is no axis is found as soon as there are more vectors than coordinates, and
// noise that has it never fails, however few there are.
func TestFit_NoiseWithoutADirection(t *testing.T) {
	for _, c := range []struct{ d, n int }{{2, 4}, {3, 40}, {40, 39}, {40, 44}, {40, 300}, {40, 5000}, {105, 130}} {
		for seed := range uint64(12) {
			stream := sim.NewStream(seed, "rank", uint64(c.d), uint64(c.n))
			axis := make([]float64, c.d)
			for k := range axis {
				axis[k] = stream.Float64() - 0.5
			}
			num.Scale(1/num.Norm(axis), axis)
			law := model.Noise{Kind: model.Laplace, Level: 2}
			for _, part := range []float64{1, 0} {
				f := new(Fit)
				for k := range c.n {
					x := drawNoise(stream, law, c.d)
					squeeze(x, axis, part)
					f.Add(k, 0, 1, x, law)
				}
				k := check(f.Checks(), record.NoiseRank)
				if want := part == 1 || c.n <= c.d+2; k.Holds != want && (part == 1 || c.n > c.d+3) {
					t.Errorf("%d vectors of %d numbers, %v of a direction: %+v", c.n, c.d, part, k)
				}
				if c.n < c.d && !math.IsNaN(float64(k.Finds)) {
					t.Errorf("%d vectors of %d numbers are said to show %v", c.n, c.d, k.Finds)
				}
				if part == 1 && c.n == 5000 && !(k.Measured < 0.3 && k.Bound < 0.8) {
					t.Errorf("many vectors: %+v", k)
				}
			}
		}
	}
}

// Noise that nodes share, or of which only lengths are alike, is found at nodes that are added one after the other.
func TestFit_Nodes(t *testing.T) {
	const d = 3
	law := model.Noise{Kind: model.Laplace, Level: 1}
	collect := func(noise func(run, node, round int) []float64) []record.Check {
		f := new(Fit)
		for run := range 30 {
			for node := range 4 {
				for round := range 5 {
					f.Add(run, node, round, noise(run, node, round), law)
				}
			}
		}
		return f.Checks()
	}
	draw := func(ids ...int) []float64 {
		var words []uint64
		for _, id := range ids {
			words = append(words, uint64(id))
		}
		return drawNoise(sim.NewStream(5, "nodes", words...), law, d)
	}
	for _, c := range []struct {
		name  string
		noise func(run, node, round int) []float64
		fails []record.CheckKind
	}{
		{"each its own", func(run, node, round int) []float64 { return draw(run, node, round) }, nil},
		{"one for all nodes", func(run, _, round int) []float64 { return draw(run, round) },
			[]record.CheckKind{record.NodesIndependent, record.NodesDrawnAnew, record.SizesIndependent}},
		{"one length for all nodes", func(run, node, round int) []float64 {
			x, shared := draw(run, node, round), draw(run, round)
			for k, scale := 0, num.Norm(shared)/num.Norm(x); k < d; k++ {
				x[k] *= scale
			}
			return x
		}, []record.CheckKind{record.SizesIndependent}},
	} {
		var failed []record.CheckKind
		for _, k := range collect(c.noise) {
			if !k.Holds {
				failed = append(failed, k.Kind)
			}
		}
		if !slices.Equal(failed, c.fails) {
			t.Errorf("%s: %v fail, want %v", c.name, failed, c.fails)
		}
	}
}

// Noise of the round before the last, and of the next node's round before, is found, and fresh noise is not.
func TestFit_ReuseOfEarlierRounds(t *testing.T) {
	for name, ids := range map[string]func(node, round int) (uint64, uint64){
		"":         func(node, round int) (uint64, uint64) { return uint64(node), uint64(round) },
		"lag":      func(node, round int) (uint64, uint64) { return uint64(node), uint64(round % 2) },
		"diagonal": func(node, round int) (uint64, uint64) { return 0, uint64(node + round) },
	} {
		for _, d := range []int{1, 3} {
			var f Fit
			for run := range 20 {
				for node := range 3 {
					for round := 1; round <= 6; round++ {
						a, b := ids(node, round)
						noise := make([]float64, d)
						level := 2 * math.Pow(1.1, float64(round)) // the same numbers at another level
						privacy.Laplace(sim.NewStream(uint64(run), "noise", a, b), level, noise)
						f.Add(run, node, round, noise, model.Noise{Kind: model.Laplace, Level: level})
					}
				}
			}
			for _, c := range f.Checks() {
				if c.Kind == record.RoundsDrawnAnew && c.Holds != (name == "") {
					t.Errorf("%q, %d columns: %+v", name, d, c)
				}
			}
		}
	}
}

// The informed adversary's attacks on runs without noise, with noise, with hidden
// penalties and with lost messages.

package adversary

import (
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"

	"gonum.org/v1/gonum/mat"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/parameter"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// inverted carries an attack out and scores it against the one sample.
func inverted(t testing.TB, name string, v *View, want Sample) *record.Finding {
	t.Helper()
	a, ok := Lookup(name)
	if !ok {
		t.Fatalf("no attack is called %s", name)
	}
	f, err := a.Carry(v)
	if err != nil {
		t.Fatal(err)
	}
	Score(f, &Truth{Samples: []Sample{want}, Knows: v.Knows})
	return f
}

// last is the relative error of the best informed estimate; +Inf if there is none.
func last(f *record.Finding) float64 {
	if len(f.Estimates) == 0 {
		return math.Inf(1)
	}
	return float64(f.Estimates[len(f.Estimates)-1].Score.Relative)
}

// silentRun is a run without noise.
type silentRun struct {
	name   string
	f      *fixture
	rec    *Recording
	pub    *model.Public
	shard  int // of node 1
	hidden []model.Secret
}

// silentRuns are runs of every method on whose messages inversion works.
func silentRuns(t testing.TB, d, rounds int) []silentRun {
	t.Helper()
	f := small(t, 8, d, ring(5))
	rising := &parameter.Schedule{Sequence: parameter.Sequence{Initial: 0.4, Ratio: 1.05}}
	star := small(t, 8, d, [][2]int{{0, 1}, {0, 2}, {0, 3}})
	star.problem.Shards, star.problem.R = star.problem.Shards[1:], star.problem.R[1:]
	var all []silentRun
	add := func(name string, rec *Recording, pub *model.Public, hidden ...model.Secret) {
		r := silentRun{name, f, rec, pub, 1, hidden}
		if name == "dp-admm" {
			r.f, r.shard = star, 0
		}
		all = append(all, r)
	}
	rec, pub := run(t, f, "admm", rounds, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	add("admm", rec, pub, model.Penalty)
	rec, pub = run(t, f, "m-admm", rounds, sim.Link{}, func(p *algorithms.MADMM) {
		p.Eta, p.Theta = *rising,
			*constant(0.2)
	})
	add("m-admm", rec, pub, model.Penalty)
	add("m-admm, hidden θ", rec, pub, model.DualStep)
	add("m-admm, hidden η and θ", rec, pub, model.Penalty, model.DualStep)
	rec, pub = run(t, f, "penalty-perturbation", rounds, sim.Link{}, func(p *algorithms.PenaltyPerturbation) {
		p.Eta, p.Theta, p.Noise = *rising, *constant(0.2), "off"
	})
	add("penalty-perturbation without noise", rec, pub, model.Penalty)
	rec, pub = run(t, f, "proximal-admm", rounds, sim.Link{}, func(p *algorithms.ProximalADMM) {
		p.Eta, p.Tau, p.Gamma, p.Noise = 0.3, 0.5, 0.8, "off"
	})
	add("proximal-admm without noise", rec, pub, model.Penalty)
	rec, pub = run(t, f, "r-admm", rounds, sim.Link{}, func(p *algorithms.RADMM) { p.Eta, p.Gamma = 0.3, 0.2 })
	add("r-admm", rec, pub, model.Penalty)
	rec, pub = run(t, f, "mr-admm", rounds, sim.Link{}, func(p *algorithms.MRADMM) { p.Eta, p.Gamma = *rising, 0.2 })
	add("mr-admm", rec, pub, model.Penalty)
	rec, pub = run(t, f, "dgd", rounds, sim.Link{}, func(p *algorithms.DGD) {
		p.Step, p.Decay = *constant(0.8),
			"sqrt"
	})
	add("dgd", rec, pub, model.Penalty)
	rec, pub = run(t, f, "edge-admm", rounds, sim.Link{}, func(p *algorithms.EdgeADMM) {
		p.Eta, p.Relaxation = 0.3,
			0.4
	})
	add("edge-admm", rec, pub)
	rec, pub = run(t, star, "dp-admm", rounds, sim.Link{}, func(p *algorithms.DPADMM) {
		p.Eta, p.Step, p.Epsilon, p.Delta, p.Noise = 0.3, 1, 1, 1e-5, "off"
	})
	add("dp-admm", rec, pub)
	return all
}

// knowledge is what the informed adversary knows of node 1, and lacks.
func (r *silentRun) knowledge(row int) (*Knowledge, Sample) {
	k, want := r.f.allBut(r.shard, row)
	k.Victim = 1
	return k, want
}

// exactADMM is conventional ADMM (ZZ16 Algorithm 1) written out here, with
// subproblems solved to rounding, and its record.
func exactADMM(t testing.TB, f *fixture, rounds int, eta float64) (*Recording, *model.Public) {
	t.Helper()
	p := f.problem
	n := f.graph.Order()
	now, dual := make([][]float64, n), make([][]float64, n)
	for i := range now {
		now[i], dual[i] = make([]float64, p.D), make([]float64, p.D)
	}
	rec := &Recording{Seed: 1}
	sums := func() [][]float64 {
		s := make([][]float64, n)
		for i := range s {
			s[i] = make([]float64, p.D)
			for _, j := range f.graph.Neighbours(i) {
				num.Axpy(1, now[j], s[i])
			}
		}
		return s
	}
	s := sums()
	for round := 1; round <= rounds; round++ {
		next := make([][]float64, n)
		for i := range next {
			v := float64(f.graph.Degree(i))
			q := make([]float64, p.D)
			for k := range q {
				q[k] = 2*dual[i][k] - eta*(v*now[i][k]+s[i][k])
			}
			next[i] = minimise(t, p, i, q, p.R[i]+2*eta*v)
			rec.Iterates = append(rec.Iterates, record.Iterate{Node: int32(i), Round: int32(round), Values: next[i]})
			for _, j := range f.graph.Neighbours(i) {
				rec.Messages = append(rec.Messages, record.Message{
					ID: uint64(len(rec.Messages)), Src: int32(i), Dst: j, Round: int32(round), SentNS: int64(round),
					ReceivedNS: int64(round) + 1, Kind: record.MessageValue,
				})
			}
		}
		now = next
		s = sums()
		for i := range dual {
			for k := range dual[i] {
				dual[i][k] += eta / 2 * (float64(f.graph.Degree(i))*now[i][k] - s[i][k])
			}
		}
	}
	return rec, known(t, "admm", algorithms.ADMM{Eta: eta}, f.public(rounds))
}

// minimise is Newton's method for the logistic loss until rounding stops it.
func minimise(t testing.TB, p *problem.Problem, node int, q []float64, ridge float64) []float64 {
	t.Helper()
	u := p.Shards[node].U
	share := p.C / float64(u.Len())
	x := make([]float64, p.D)
	for range 20 {
		g, h := append([]float64(nil), q...), make([]float64, num.Packed(p.D))
		num.Axpy(ridge, x, g)
		for k := range x {
			h[num.Packed(k)+k] = ridge
		}
		for n := range u.Len() {
			sigma := 1 / (1 + math.Exp(u.Dot(n, x)))
			row := make([]float64, p.D)
			cols, vals := u.Row(n)
			for k, c := range cols {
				row[c] = vals[k]
			}
			num.Axpy(-share*sigma, row, g)
			outer(share*sigma*(1-sigma), row, h)
		}
		var factor num.Cholesky
		if err := factor.Factor(h, p.D); err != nil {
			t.Fatal(err)
		}
		factor.Solve(g)
		num.Axpy(-1, g, x)
	}
	return x
}

// With exact minimisers the inversions are more exact than docs/mathematics.md §5 says, which
// has 1e-10 for one round and 1e-8 for hidden η.
func TestMATH5_InversionIsExact(t *testing.T) {
	for _, d := range []int{4, 9, 30} {
		f := small(t, 8, d, ring(5))
		rec, pub := exactADMM(t, f, 12, 0.3)
		for row := range 8 {
			k, want := f.allBut(1, row)
			for _, c := range []struct {
				attack string
				hidden model.Secret
				from   int
				bound  float64
			}{
				{"kkt-inversion", "", 0, 1e-12},
				{"kkt-rounds", "", 0, 1e-12},
				{"kkt-projection", "", 0, 1e-12},
				{"kkt-projection", model.Penalty, 0, 1e-10},
				{"late-joiner", "", 4, 1e-11},
			} {
				found := inverted(t, c.attack, Observe(rec, Vantage{From: c.from}, pub.Without(c.hidden), k), want)
				if e := last(found); !(e < c.bound) {
					t.Errorf("d = %d, row %d, %s, hidden %q: relative error %.3g, %s", d, row, c.attack, c.hidden, e,
						found.Conclusion)
				}
			}
		}
	}
}

// Without noise the sample is found from every method's messages, to what the
// solver's tolerance of 1e-10 leaves; with its label, but for the late joiner, to
// whom ±u are the same.
func TestInversion_OfEveryMethod(t *testing.T) {
	const rounds = 12
	for _, r := range silentRuns(t, 9, rounds) {
		for row := 0; row < 8; row += 3 {
			k, want := r.knowledge(row)
			for _, attack := range []string{"kkt-inversion", "kkt-rounds", "kkt-projection", "late-joiner"} {
				p, w := r.pub, Vantage{}
				switch attack {
				case "kkt-projection":
					p = p.Without(r.hidden...)
				case "late-joiner":
					w.From = 3
				}
				f := inverted(t, attack, Observe(r.rec, w, p, k), want)
				if r.name == "edge-admm" && attack == "late-joiner" {
					if f.Succeeded != record.Blocked {
						t.Errorf("edge ADMM's link states are not one offset, but the late joiner is %s", f.Succeeded)
					}
					continue
				}
				bound := 1e-8
				if attack == "late-joiner" {
					bound = exactly
				}
				if e := last(f); !(e < bound) || f.Succeeded != record.Exact {
					t.Errorf("%s, row %d, %s: %s, relative error %.3g; %s", r.name, row, attack, f.Succeeded, e,
						f.Conclusion)
					continue
				}
				label := f.Estimates[len(f.Estimates)-1].Score.Label
				if blind := attack == "late-joiner" && r.name != "dgd"; blind != (label == nil) || label != nil &&
					!*label {
					t.Errorf("%s, row %d, %s: label %v; %s", r.name, row, attack, label, f.Conclusion)
				}
				used := f.Estimates[len(f.Estimates)-1].Rounds
				if strings.HasSuffix(p.Name, "r-admm") && attack == "kkt-rounds" && used != rounds/2 {
					t.Errorf("%s used %d rounds; only %d of them touch data", r.name, used, rounds/2)
				}
			}
		}
	}
}

// The root k of k s(kτ) = 1 for an r that a margin z leaves, τ = z s(z), is 1/s(z);
// of the logistic loss there is another exactly for 0 < τ < W(1/e) and none beyond.
func TestRoots(t *testing.T) {
	slope := func(l problem.Loss, z float64) float64 {
		s := []float64{z}
		l.Slopes(s, s)
		return -s[0]
	}
	for _, l := range []problem.Loss{problem.Logistic, problem.Squared, problem.HuberHinge{Width: 0.5}} {
		for z := -4.03; z < 4; z += 0.1 {
			s := slope(l, z)
			if s == 0 {
				continue
			}
			all, _ := roots(l, z*s, 1e3)
			if !slices.ContainsFunc(all, func(k float64) bool { return math.Abs(k*s-1) < 1e-9 }) {
				t.Errorf("%T, margin %.3g: roots %v, without %.12g", l, z, all, 1/s)
			}
			for _, k := range all {
				if miss := k*slope(l, k*z*s) - 1; !(math.Abs(miss) < 1e-9) {
					t.Errorf("%T, margin %.3g: root %v misses by %.3g", l, z, k, miss)
				}
			}
		}
	}
	const w = 0.2784645427610738 // W(1/e)
	for tau, want := range map[float64]int{-3: 1, -0.1: 1, 0: 1, 0.1: 2, 0.2: 2, w - 1e-6: 2, w + 1e-6: 0, 1: 0} {
		if all, near := roots(problem.Logistic, tau, 1e6); len(all) != want || near == 0 {
			t.Errorf("τ = %v: roots %v, want %d", tau, all, want)
		}
	}
	// τk² − k + 1 = 0 has its two real roots up to τ = ¼.
	for tau, want := range map[float64]int{-1: 2, 0.2: 2, 0.26: 0} {
		if all, _ := roots(problem.Squared, tau, 1e6); len(all) != want {
			t.Errorf("squared loss, τ = %v: roots %v, want %d", tau, all, want)
		}
	}
}

// A sample far on the right side of the margin leaves the same r as another one;
// a second round tells.
func TestKKTInversion_SecondRoundChoosesTheRoot(t *testing.T) {
	u := []float64{0.8, 0.5}
	s := &inversion{d: 2, share: 0.1, loss: problem.Logistic}
	for round, f := range [][]float64{{2, 1.5}, {0.5, -0.7}} {
		e := condition{round: round + 1, at: f, group: -1, weight: 1, target: append([]float64(nil), u...)}
		num.Scale(1/(1+math.Exp(num.Dot(f, u))), e.target)
		s.equations = append(s.equations, e)
	}
	candidates, exact := s.invert(&s.equations[0])
	if len(candidates) != 2 || !exact {
		t.Fatalf("%d roots, want 2", len(candidates))
	}
	v := &View{Public: &model.Public{Run: model.Run{D: 2}}, Knows: &Knowledge{Schema: &Schema{Sign: []bool{true, false},
		Intercept: -1}}}
	found := new(record.Finding)
	second := s.only(func(e *condition) bool { return e.round == 2 })
	s.conclude(v, found, &s.equations[0], second, candidates, exact, "")
	Score(found, &Truth{Samples: []Sample{{X: u, Y: 1}}})
	if n := len(found.Estimates); n != 2 || !(found.Estimates[1].Score.Relative <= 1e-12) ||
		!(found.Estimates[0].Score.Relative >= 0.1) {
		t.Errorf("want a wrong estimate of one round and a right one of two: %+v", found)
	}
}

// With the squared loss and the smoothed hinge it is the same attack.
func TestInversion_OfOtherLosses(t *testing.T) {
	for _, loss := range []problem.Loss{problem.Squared, problem.HuberHinge{Width: 0.5}} {
		f := small(t, 8, 6, ring(5))
		f.problem.Loss = loss
		rec, pub := run(t, f, "admm", 10, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
		for row := range 8 {
			k, want := f.allBut(1, row)
			for _, attack := range []string{"kkt-inversion", "kkt-rounds"} {
				if found := inverted(t, attack, Observe(rec, Vantage{}, pub, k), want); !(last(found) < 1e-7) {
					t.Errorf("%T, row %d, %s: relative error %.3g; %s", loss, row, attack, last(found),
						found.Conclusion)
				}
			}
		}
	}
}

// noisy is a run of penalty perturbation whose noise leaves an unbiased estimator
// of u no smaller error than about the one given, in the root of the mean square:
// noise of density ∝ exp(−w‖ε‖) has Fisher information w²/d in each of d
// directions, the rounds' equations have the slope s ≈ ½, so that the
// Cramér-Rao bound of ‖û − u‖² is d·4d/(w²T), and w = αC/(2ηVB).
func noisy(t testing.TB, f *fixture, rounds int, bound float64) (*Recording, *model.Public) {
	const eta, degree = 0.5, 2 // of node 1
	d, b := float64(f.problem.D), float64(f.problem.Shards[1].U.Len())
	w := 2 * d / (bound * math.Sqrt(float64(rounds)))
	alpha := constant(w * 2 * eta * degree * b / f.problem.C)
	return run(t, f, "penalty-perturbation", rounds, sim.Link{}, func(p *algorithms.PenaltyPerturbation) {
		p.Eta, p.Theta, p.Alpha = *constant(eta), *constant(eta), *alpha
	})
}

// Where the Cramér-Rao bound is small it is nearly reached, with η public as well
// as hidden; where it is not, the sample stays hidden. One round is far worse than
// many.
func TestZKL18_LikelihoodReachesTheCramerRaoBound(t *testing.T) {
	const rounds = 60
	f := small(t, 40, 12, ring(5))
	for _, bound := range []float64{0.02, 0.1, 20} {
		rec, pub := noisy(t, f, rounds, bound)
		for _, attack := range []string{"kkt-rounds", "kkt-projection", "kkt-inversion"} {
			p := pub
			if attack == "kkt-projection" {
				p = p.Without(model.Penalty)
			}
			square, length := 0.0, 0.0
			for row := range 8 {
				k, want := f.allBut(1, row)
				found := inverted(t, attack, Observe(rec, Vantage{}, p, k), want)
				norm := num.Norm(want.X)
				square += math.Pow(last(found)*norm, 2) / 8
				length += norm * norm / 8
				if attack != "kkt-inversion" && (bound > 1) != (found.Succeeded == record.Failed) {
					t.Errorf("bound %v, row %d, %s: %s with relative error %.3g", bound, row, attack, found.Succeeded,
						last(found))
				}
			}
			e := math.Sqrt(square)
			switch {
			case bound > 1:
				if !(e >= 0.9*math.Sqrt(length)) {
					t.Errorf("bound %v: %s has error %.3g, where the zero vector has %.3g", bound, attack, e,
						math.Sqrt(length))
				}
			case attack == "kkt-inversion":
				if !(e >= 3*bound) {
					t.Errorf("bound %v: one round has error %.3g", bound, e)
				}
			case e < bound/2 || e > 2*bound:
				t.Errorf("bound %v: %s has error %.3g", bound, attack, e)
			}
		}
	}
}

// The hidden penalty's terms in the likelihood matter: with η projected out instead,
// rounds whose direction b is mostly noise mislead.
func TestKKTProjection_NoiseMovesWhatIsProjectedOut(t *testing.T) {
	f := small(t, 40, 12, ring(5))
	rec, pub := noisy(t, f, 60, 0.1)
	pub = pub.Without(model.Penalty)
	k, want := f.allBut(1, 0)
	v := Observe(rec, Vantage{}, pub, k)
	s, _, err := informed(v)
	if err != nil {
		t.Fatal(err)
	}
	good := inverted(t, "kkt-projection", v, want)
	for i := range s.equations {
		e := &s.equations[i]
		e.hidden, e.free = orthonormal([][]float64{e.free.q}), nil
		e.project(e.target)
	}
	naive := new(record.Finding)
	if err := s.report(v, naive); err != nil {
		t.Fatal(err)
	}
	Score(naive, &Truth{Samples: []Sample{want}})
	if !(last(good) < 0.3 && last(naive) > 2*last(good)) {
		t.Errorf("relative error %.3g, and %.3g with projection", last(good), last(naive))
	}
}

// More budget means less error, by orders of magnitude, for dual variable
// perturbation, private recycled ADMM and Gaussian noise.
func TestKKTRounds_ErrorFollowsTheBudget(t *testing.T) {
	f := small(t, 40, 8, ring(5))
	star := small(t, 40, 8, [][2]int{{0, 1}, {0, 2}, {0, 3}})
	star.problem.Shards, star.problem.R = star.problem.Shards[1:], star.problem.R[1:]
	errors := map[string][]float64{}
	for _, budget := range []float64{1e7, 1e4, 1} {
		add := func(name string, f *fixture, shard int, rec *Recording, pub *model.Public) {
			k, want := f.allBut(shard, 2)
			k.Victim = 1
			errors[name] = append(errors[name], last(inverted(t, "kkt-rounds", Observe(rec, Vantage{}, pub, k), want)))
		}
		alpha := constant(budget)
		rec, pub := run(t, f, "dvp", 30, sim.Link{}, func(p *algorithms.DVP) { p.Eta, p.Alpha = 0.3, *alpha })
		add("dvp", f, 1, rec, pub)
		rec, pub = run(t, f, "private-r-admm", 30, sim.Link{}, func(p *algorithms.PrivateRADMM) {
			p.Eta, p.Gamma,
				p.Alpha = 0.3, 0.2, *alpha
		})
		add("private-r-admm", f, 1, rec, pub)
		rec, pub = run(t, f, "private-dgd", 30, sim.Link{}, func(p *algorithms.PrivateDGD) {
			p.Step, p.Decay,
				p.Alpha = *constant(0.8), "none", *alpha
		})
		add("private-dgd", f, 1, rec, pub)
		rec, pub = run(t, star, "dp-admm", 30, sim.Link{}, func(p *algorithms.DPADMM) {
			p.Eta, p.Step, p.Epsilon,
				p.Delta = 0.3, 1, budget, 1e-5
		})
		add("dp-admm", star, 0, rec, pub)
	}
	for name, e := range errors {
		if !(e[0] < 1e-3 && e[0] < e[1]/100 && e[1] < e[2] && e[2] > 0.5) {
			t.Errorf("%s: relative errors %.3g for budgets of 1e7, 1e4 and 1", name, e)
		}
	}
}

// What is missing is said.
func TestInversion_SaysWhatIsLacking(t *testing.T) {
	f := small(t, 8, 6, ring(5))
	rec, pub := exactADMM(t, f, 8, 0.3)
	full, want := f.allBut(1, 0)
	short := *pub
	short.Rounds = 1
	hidden := func(p *model.Public) *model.Public { return p.Without(model.Penalty) }
	reported := known(t, "pdml", algorithms.PDML{ADMM: algorithms.ADMM{Eta: 0.3}, Epsilon: parameter.One(1)}, pub.Run)
	fewer, _ := f.allBut(1, 0)
	fewer.Size = 12
	for name, c := range map[string]struct {
		attack string
		watch  Vantage
		pub    *model.Public
		knows  *Knowledge
		why    string
	}{
		"nothing known":         {"kkt-inversion", Vantage{}, pub, &Knowledge{Victim: 1}, "no samples"},
		"too little known":      {"kkt-rounds", Vantage{}, pub, fewer, "all but one"},
		"hidden, one round":     {"kkt-inversion", Vantage{}, hidden(pub), full, "hidden"},
		"hidden, rounds":        {"kkt-rounds", Vantage{}, hidden(pub), full, "kkt-projection"},
		"hidden, only round":    {"kkt-projection", Vantage{}, hidden(&short), full, "fewer equations"},
		"hidden, late":          {"late-joiner", Vantage{From: 3}, hidden(pub), full, "hidden"},
		"late, one round":       {"kkt-inversion", Vantage{From: 3}, pub, full, "earlier rounds"},
		"another link":          {"kkt-rounds", Vantage{Links: [][2]int{{3, 4}}}, pub, full, "seen whole"},
		"late, another link":    {"late-joiner", Vantage{Links: [][2]int{{3, 4}}}, pub, full, "no two rounds"},
		"labels are randomised": {"kkt-inversion", Vantage{}, reported, full, "reported"},
	} {
		found := inverted(t, c.attack, Observe(rec, c.watch, c.pub, c.knows), want)
		if found.Succeeded != record.Blocked || !strings.Contains(found.Conclusion, c.why) {
			t.Errorf("%s: %s, %q, want it blocked for %q", name, found.Succeeded, found.Conclusion, c.why)
		}
	}
	// With a wrong sample among the known ones nothing fits.
	wrong, _ := f.allBut(1, 0)
	wrong.Others.Y = slices.Clone(wrong.Others.Y)
	other := f.samples(2).At(0)
	rest := new(Samples)
	for n := range wrong.Others.Y {
		if n == 0 {
			rest.Add(other)
		} else {
			rest.Add(wrong.Others.At(n))
		}
	}
	wrong.Others = rest
	found := inverted(t, "kkt-rounds", Observe(rec, Vantage{}, pub, wrong), want)
	if found.Succeeded == record.Exact || !(found.Estimates[len(found.Estimates)-1].Residual >= 1e-4) {
		t.Errorf("a wrong known sample goes unnoticed: %s", found.Conclusion)
	}
}

// Packets that were missed are said, and the rest is used.
func TestInversion_WithMissedPackets(t *testing.T) {
	f := small(t, 8, 9, ring(5))
	rec, pub := exactADMM(t, f, 30, 0.3)
	for _, attack := range []string{"kkt-rounds", "kkt-projection", "late-joiner"} {
		k, want := f.allBut(1, 3)
		found := inverted(t, attack, Observe(rec, Vantage{Miss: 0.25}, pub, k), want)
		if e := last(found); !(e < 1e-8) || len(found.Unseen) == 0 {
			t.Errorf("%s: relative error %.3g, unseen %q; %s", attack, e, found.Unseen, found.Conclusion)
		}
	}
	// An early round lost leaves an unknown vector and hidden penalties at once.
	rising := &parameter.Schedule{Sequence: parameter.Sequence{Initial: 0.4, Ratio: 1.05}}
	rec, pub = run(t, f, "m-admm", 30, sim.Link{}, func(p *algorithms.MADMM) {
		p.Eta, p.Theta = *rising,
			*constant(0.2)
	})
	pub = pub.Without(model.Penalty)
	k, want := f.allBut(1, 3)
	rec.Messages = slices.DeleteFunc(rec.Messages, func(m record.Message) bool { return m.Round == 2 })
	found := inverted(t, "kkt-projection", Observe(rec, Vantage{}, pub, k), want)
	if e := last(found); !(e < 1e-6) || len(found.Unseen) == 0 || !strings.Contains(strings.Join(found.Unseen, " "),
		"round 2") {
		t.Errorf("round 2 lost: relative error %.3g, unseen %q; %s", e, found.Unseen, found.Conclusion)
	}
}

// At the size of Adult: 105 columns, 100 rounds, 400 samples of 14 values or so.
func BenchmarkKKTRounds(b *testing.B) {
	f := small(b, 400, 105, ring(5))
	rec, pub := noisy(b, f, 100, 0.1)
	k, want := f.allBut(1, 0)
	v := Observe(rec, Vantage{}, pub, k)
	for b.Loop() {
		inverted(b, "kkt-rounds", v, want)
	}
}

// mixed has conditions of all kinds: with hidden directions and without, with
// unknown vectors that several share, with determinants and hidden penalties of
// either power.
func mixed(kind model.Kind, penalties bool) (s *inversion, others *problem.Rows, u []float64) {
	const d = 5
	r := sim.NewStream(1, "test of an inversion")
	vector := func(scale float64) []float64 {
		x := make([]float64, d)
		for k := range x {
			x[k] = scale * r.Normal()
		}
		return x
	}
	known := new(Samples)
	for range 3 {
		known.Add(Sample{X: vector(0.4), Y: 1})
	}
	s = &inversion{d: d, share: 0.7, loss: problem.Logistic, kind: kind}
	for k := range 12 {
		e := condition{round: k + 1, at: vector(1), target: vector(0.5), group: k/3 - 1, weight: 1 + 0.3*float64(k)}
		switch {
		case e.group == 1: // nothing is hidden there
		case k%3 == 1:
			e.hidden = orthonormal([][]float64{vector(1), vector(1)})
		case k%3 == 2 && penalties:
			e.free = &free{q: vector(0.5), power: float64(k / 3 % 2), start: 0.3, growth: 1.5}
			e.project(e.free.q)
		}
		if e.group < 0 && e.unknown() == 0 && kind != model.Silent {
			e.ridge = 0.4
		}
		e.project(e.target)
		s.equations = append(s.equations, e)
	}
	return s, known.U, vector(0.3)
}

// The slope is the derivative of the cost.
func TestInversion_SlopeIsTheDerivative(t *testing.T) {
	for _, kind := range []model.Kind{model.Silent, model.Laplace, model.Gaussian} {
		s, others, u := mixed(kind, kind == model.Laplace)
		if err := s.addKernels(others); err != nil {
			t.Fatal(err)
		}
		for _, length := range []float64{0.6, 1.3} { // inside the ball and outside
			num.Scale(length/num.Norm(u), u)
			o := s.means(u)
			p := s.at(u, o, 3)
			m, err := s.tangent(p)
			if err != nil {
				t.Fatal(err)
			}
			const h = 1e-6
			moved := func(x []float64, k int, by float64) float64 {
				x[k] += by
				defer func() { x[k] -= by }()
				return s.at(u, o, 3).cost
			}
			for k := range u {
				want := (moved(u, k, h) - moved(u, k, -h)) / (2 * h)
				if !(math.Abs(m.slope[k]-want) <= 1e-6*(1+math.Abs(want))) {
					t.Errorf("kind %d, length %v: slope %d is %v, the derivative %v", kind, length, k, m.slope[k], want)
				}
				for _, g := range m.groups {
					want := (moved(o[g.group], k, h) - moved(o[g.group], k, -h)) / (2 * h)
					if !(math.Abs(g.slope[k]-want) <= 1e-6*(1+math.Abs(want))) {
						t.Errorf("kind %d, offset %d: slope %d is %v, the derivative %v", kind, g.group, k, g.slope[k],
							want)
					}
				}
			}
		}
	}
}

// The cost is minus the logarithm of the likelihood, with determinants of whole
// Hessians, but for what does not depend on u.
func TestInversion_CostIsTheLikelihood(t *testing.T) {
	s, others, u := mixed(model.Laplace, false)
	s = s.only(func(e *condition) bool { return e.ridge > 0 })
	if err := s.addKernels(others); err != nil {
		t.Fatal(err)
	}
	direct := func(u []float64) float64 {
		sum := 0.0
		for _, e := range s.equations {
			bend := func(z float64) float64 { return 1 / (2 + math.Exp(z) + math.Exp(-z)) }
			h := mat.NewSymDense(s.d, nil)
			for k := range s.d {
				h.SetSym(k, k, e.ridge)
			}
			row := make([]float64, s.d)
			for n := range others.Len() {
				clear(row)
				cols, vals := others.Row(n)
				for k, c := range cols {
					row[c] = vals[k]
				}
				h.SymRankOne(h, s.share*bend(num.Dot(row, e.at)), mat.NewVecDense(s.d, row))
			}
			z := num.Dot(u, e.at)
			h.SymRankOne(h, s.share*bend(z), mat.NewVecDense(s.d, append([]float64(nil), u...)))
			rest := append([]float64(nil), e.target...)
			num.Axpy(-1/(1+math.Exp(z)), u, rest)
			det, _ := mat.LogDet(h)
			sum += e.weight*num.Norm(rest) - det
		}
		return sum
	}
	zero := make([]float64, s.d)
	got, want := s.at(u, nil, 0).cost-s.at(zero, nil, 0).cost, direct(u)-direct(zero)
	if !(math.Abs(got-want) <= 1e-8) {
		t.Errorf("the cost differs by %v, minus the log-likelihood by %v", got, want)
	}
}

// Eliminating the unknown vectors is the Schur complement of the whole
// least-squares problem.
func TestInversion_EliminationIsTheSchurComplement(t *testing.T) {
	s, _, u := mixed(model.Gaussian, false)
	p := s.at(u, s.means(u), 0)
	m, err := s.tangent(p)
	if err != nil {
		t.Fatal(err)
	}
	d, groups := s.d, len(m.groups)
	rows := mat.NewDense(d*len(s.equations), d*(1+groups), nil)
	for k, e := range s.equations {
		z := num.Dot(e.at, u)
		slope := 1 / (1 + math.Exp(z))
		for c := range d {
			j, own := make([]float64, d), make([]float64, d) // a column of J, and of I
			copy(j, u)
			num.Scale(-slope*(1-slope)*e.at[c], j)
			j[c] += slope
			own[c] = 1
			e.project(j)
			e.project(own)
			for i := range d {
				rows.Set(k*d+i, c, math.Sqrt(e.weight)*j[i])
				if e.group >= 0 {
					rows.Set(k*d+i, d*(1+e.group)+c, math.Sqrt(e.weight)*own[i])
				}
			}
		}
	}
	var whole, inverse mat.Dense
	whole.Mul(rows.T(), rows)
	n := d * (1 + groups)
	if err := inverse.Inverse(whole.Slice(d, n, d, n)); err != nil {
		t.Fatal(err)
	}
	var schur mat.Dense
	schur.Product(whole.Slice(0, d, d, n), &inverse, whole.Slice(d, n, 0, d))
	schur.Sub(whole.Slice(0, d, 0, d), &schur)
	for i := range d {
		for j := range i + 1 {
			if got := m.matrix[num.Packed(i)+j]; !(math.Abs(got-schur.At(i, j)) <= 1e-8) {
				t.Errorf("element %d, %d is %v, want %v", i, j, got, schur.At(i, j))
			}
		}
	}
}

// A round whose unknown vector no other shares is not counted, and what noise
// drives out of the unit ball comes back.
func TestInversion_CountsAndBounds(t *testing.T) {
	s, _, _ := mixed(model.Laplace, false)
	if n := len(s.first(4).equations); n != 3 {
		t.Errorf("%d equations are used; the fourth is alone in its group and says nothing", n)
	}
	if got := s.first(6).surplus(); got != 6*5-2-2-5-5 {
		t.Errorf("%d equations too many, want 16: 30, less 4 hidden numbers, an unknown vector and u", got)
	}
	for k := range s.equations {
		num.Scale(20, s.equations[k].target)
	}
	found, err := s.solve(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := num.Norm(found.u); !(n <= 1.2) {
		t.Errorf("the likeliest u has length %v", n)
	}
}

// The likelihood's term of a hidden step, d log(1/a), and the weights of rounds
// with decaying Gaussian noise are needed to come near the Cramér-Rao bound.
func TestInversion_HiddenStepAndDecayingNoise(t *testing.T) {
	f := small(t, 40, 12, ring(5))
	const d, rounds, bound = 12, 60, 0.1
	alpha := constant(2 * 2 * d / (bound * math.Sqrt(rounds))) // w = α/2
	rec, pub := run(t, f, "private-dgd", rounds, sim.Link{}, func(p *algorithms.PrivateDGD) {
		p.Step, p.Decay, p.Alpha = *constant(0.8), "none", *alpha
	})
	pub = pub.Without(model.Penalty)
	check := func(name string, rec *Recording, pub *model.Public, attack string, low, high float64) {
		square := 0.0
		for row := range 8 {
			k, want := f.allBut(1, row)
			square += math.Pow(last(inverted(t, attack, Observe(rec, Vantage{}, pub, k), want))*num.Norm(want.X), 2) / 8
		}
		if e := math.Sqrt(square); !(e >= low) || !(e <= high) {
			t.Errorf("%s: error %.3g, want %.3g to %.3g", name, e, low, high)
		}
	}
	check("hidden step", rec, pub, "kkt-projection", bound/2, 2*bound)

	// σ of the gradient in units of C/B is v·decay^((t−1)/2)·(r + 2ηV)·B/C; slope ½.
	const eta, decay, deviation, many = 0.3, 0.5, 0.05, 20
	information := 0.0
	for k := range many {
		sigma := deviation * math.Pow(decay, float64(k)/2) * (0.02 + 2*eta*2) * 40
		information += 0.25 / (sigma * sigma)
	}
	want := math.Sqrt(d / information)
	rec, pub = run(t, f, "pdml", many, sim.Link{}, func(p *algorithms.PDML) {
		p.Labels, p.Eta, p.Bound, p.Decay, p.Deviation, p.Radius = "true", eta, 0, decay, *constant(deviation), 0
	})
	check("decaying noise", rec, pub, "kkt-rounds", want/2, 2*want)
}

// The even rounds of recycled ADMM add no information, and with η hidden, and the
// dual step with it, its noisy odd rounds tell about as much as with η public.
func TestRA19_HiddenPenaltyOfRecycledRounds(t *testing.T) {
	f := small(t, 40, 30, ring(5))
	alpha := constant(4e4)
	rec, pub := run(t, f, "private-r-admm", 20, sim.Link{}, func(p *algorithms.PrivateRADMM) {
		p.Eta, p.Gamma,
			p.Alpha = 0.3, 0.2, *alpha
	})
	hidden := pub.Without(model.Penalty)
	for row := range 4 {
		k, want := f.allBut(1, row)
		open := inverted(t, "kkt-rounds", Observe(rec, Vantage{}, pub, k), want)
		shut := inverted(t, "kkt-projection", Observe(rec, Vantage{}, hidden, k), want)
		if n := shut.Estimates[len(shut.Estimates)-1].Rounds; n != 10 {
			t.Errorf("%d rounds used, of 10 that touch data", n)
		}
		if !(last(open) < 0.3 && last(shut) < 3*last(open)) {
			t.Errorf("row %d: relative error %.3g with η public, %.3g with η hidden", row, last(open), last(shut))
		}
	}
}

// The conditions' constants are those of penalty perturbation: w = αC/(2ηVB) and
// r + 2ηV; with η hidden α/(2V) and what multiplies η.
func TestZKL18_ConstantsOfTheLikelihood(t *testing.T) {
	f := small(t, 10, 5, ring(5))
	eta, alpha := constant(0.7), constant(3)
	rec, pub := run(t, f, "penalty-perturbation", 4, sim.Link{}, func(p *algorithms.PenaltyPerturbation) {
		p.Eta, p.Theta, p.Alpha = *eta, *constant(0.2), *alpha
	})
	k, _ := f.allBut(1, 0)
	v := Observe(rec, Vantage{}, pub, k)
	s, _, err := informed(v)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("w", s.equations[1].weight, 3/(2*0.7*2)/10)
	near("r + 2ηV", s.equations[1].ridge, 0.02+2*0.7*2)

	v = Observe(rec, Vantage{}, pub.Without(model.Penalty), k)
	if s, _, err = informed(v); err != nil {
		t.Fatal(err)
	}
	e := s.equations[1]
	trace := 0.0
	for n := range k.Others.U.Len() {
		z := k.Others.U.Dot(n, e.at)
		_, vals := k.Others.U.Row(n)
		trace += num.Dot(vals, vals) / (2 + math.Exp(z) + math.Exp(-z)) / 10
	}
	near("w with η hidden", e.weight, 3.0/(2*2)/10)
	near("r + mean eigenvalue", e.free.start, 0.02+trace/5)
	near("2V", e.free.growth, 4)
	near("ridge with η hidden", e.ridge, 0)
}

// An attack on a hidden penalty does not look at it: what is public of a run with
// another one gives the same.
func TestKKTProjection_DoesNotReadWhatIsHidden(t *testing.T) {
	f := small(t, 40, 12, ring(5))
	alpha, theta := constant(2e4), constant(0.5)
	find := func(rec *Recording, pub *model.Public) []float64 {
		k, want := f.allBut(1, 0)
		found := inverted(t, "kkt-projection", Observe(rec, Vantage{}, pub.Without(model.Penalty), k), want)
		if len(found.Estimates) == 0 {
			t.Fatalf("%s: %s", pub.Name, found.Conclusion)
		}
		return found.Estimates[len(found.Estimates)-1].X
	}
	check := func(rec *Recording, pub *model.Public, others any) {
		t.Helper()
		other := known(t, pub.Name, others, pub.Run)
		if a, b := find(rec, pub), find(rec, other); !slices.Equal(a, b) {
			t.Errorf("%s: the estimate depends on what is hidden", pub.Name)
		}
	}
	rec, pub := run(t, f, "penalty-perturbation", 20, sim.Link{}, func(p *algorithms.PenaltyPerturbation) {
		p.Eta, p.Theta, p.Alpha = *constant(0.5), *theta, *alpha
	})
	check(rec, pub, algorithms.PenaltyPerturbation{MADMM: algorithms.MADMM{Eta: *constant(7), Theta: *theta},
		Alpha: *alpha})
	rec, pub = run(t, f, "private-dgd", 20, sim.Link{}, func(p *algorithms.PrivateDGD) {
		p.Step, p.Decay, p.Alpha = *constant(0.8), "none", *alpha
	})
	check(rec, pub, algorithms.PrivateDGD{DGD: algorithms.DGD{Step: *constant(7), Decay: "none"}, Alpha: *alpha})
	rec, pub = run(t, f, "dvp", 20, sim.Link{}, func(p *algorithms.DVP) { p.Eta, p.Alpha = 0.3, *alpha })
	check(rec, pub, algorithms.DVP{ADMM: algorithms.ADMM{Eta: 7}, Alpha: *alpha})
	rec, pub = run(t, f, "private-r-admm", 20, sim.Link{}, func(p *algorithms.PrivateRADMM) {
		p.Eta, p.Gamma, p.Alpha = 0.3, 0.2, *alpha
	})
	check(rec, pub, algorithms.PrivateRADMM{
		RADMM: algorithms.RADMM{ADMM: algorithms.ADMM{Eta: 7}, Recycling: algorithms.Recycling{Gamma: 0.2}},
		Alpha: *alpha,
	})
}

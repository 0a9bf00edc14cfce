// What the recycling methods must meet: even rounds that touch no data and still
// help, the accounts that follow, and where the optimum is lost.

package algorithms

import (
	"math"
	"strings"
	"testing"

	"overhear/parameter"
	"overhear/privacy"
	"overhear/problem"
	"overhear/sim"
)

// recycledByHand is RA19's exchange written down again: odd rounds are ADMM's
// with penalty eta(i, k), plus noise(i, t) in q; even rounds go along the true
// gradient at f(2k−1), computed from the data here, plus the same noise.
func (f *fixture) recycledByHand(rounds int, gamma float64, eta func(i, k int) float64,
	noise func(i, t int) []float64) [][][]float64 {
	n, d := len(f.rows), len(f.rows[0][0])
	cur, dual := starts(n, d), make([][]float64, n)
	for i := range dual {
		dual[i] = make([]float64, d)
	}
	history := [][][]float64{cur}
	for t := 1; t <= rounds; t++ {
		k := (t + 1) / 2
		next := make([][]float64, n)
		for i := range next {
			v, e, s := f.degree(i), eta(i, k), f.gather(cur, i)
			if t%2 == 1 {
				next[i] = f.exact(i, 2*e*v, plus(f.pull(i, e, cur[i], s, dual[i]), 1, noise(i, t)))
				continue
			}
			g := plus(f.slope(i, cur[i]), 1, noise(i, t-1))
			next[i] = make([]float64, d)
			for c := range g {
				next[i][c] = cur[i][c] - (g[c]+2*dual[i][c]+e*(v*cur[i][c]-s[c]))/(2*e*v+gamma)
			}
		}
		if t%2 == 1 {
			for i := range dual {
				e := eta(i, k)
				dual[i] = plus(plus(dual[i], e/2*f.degree(i), next[i]), -e/2, f.gather(next, i))
			}
		}
		cur = next
		history = append(history, cur)
	}
	return history
}

func silence(d int) func(i, t int) []float64 {
	return func(int, int) []float64 { return make([]float64, d) }
}

func TestRA19_Algorithm1_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds, eta = 30, 0.4
	for _, gamma := range []float64{0, 0.7} {
		want := f.recycledByHand(rounds, gamma, func(int, int) float64 { return eta }, silence(4))
		m := makeMethod(t, f, "r-admm", rounds, func(p *RADMM) { p.Eta, p.Gamma = eta, gamma })
		agree(t, m.run(t, nil, startAt), want, 0, 1e-8)
	}
}

func TestRA19_Algorithm2_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds = 29 // an odd last round
	for _, gamma := range []float64{0, 0.7} {
		want := f.recycledByHand(rounds, gamma, penaltyByHand, silence(4))
		m := makeMethod(t, f, "mr-admm", rounds, func(p *MRADMM) { p.Eta, p.Gamma = penalties, gamma })
		agree(t, m.run(t, nil, startAt), want, 0, 1e-8)
	}
}

func TestRA19_Algorithm3_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds, eta, gamma = 24, 0.4, 0.3
	// The k-th noise is that of round 2k−1, at the k-th rate.
	noise := func(i, t int) []float64 { return laplace(4, i, t, 20*budget(i, (t+1)/2)) }
	want := f.recycledByHand(rounds, gamma, func(int, int) float64 { return eta }, noise)
	m := makeMethod(t, f, "private-r-admm", rounds, func(p *PrivateRADMM) {
		p.Eta, p.Gamma, p.Alpha = eta, gamma,
			budgets.Times(20)
	})
	agree(t, m.run(t, nil, startAt), want, 0, 1e-8)

	want = f.recycledByHand(rounds, gamma, penaltyByHand, noise)
	mr := makeMethod(t, f, "private-mr-admm", rounds, func(p *PrivateMRADMM) {
		p.Eta, p.Gamma, p.Alpha = penalties,
			gamma, budgets.Times(20)
	})
	agree(t, mr.run(t, nil, startAt), want, 0, 1e-8)
}

// Output perturbation, RA19 §VII-B, written down again: what is sent is the minimiser plus noise, and the even round
// follows what the optimality condition leaves of that, the true gradient less 2ηV times the noise.
func TestRA19_OutputPerturbation_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds, eta, gamma = 24, 0.4, 0.3
	for _, law := range []string{"output", "gaussian"} {
		m := makeMethod(t, f, "private-r-admm", rounds, func(p *PrivateRADMM) {
			p.Eta, p.Gamma, p.Alpha, p.Perturbation = eta, gamma, budgets.Times(20), law
		})
		ridge := func(i int) float64 { return f.r + 2*eta*f.degree(i) }
		noise := func(i, t int) []float64 {
			rate := 20 * budget(i, (t+1)/2) * ridge(i)
			if law == "output" {
				return laplace(4, i, t, rate)
			}
			out := make([]float64, 4)
			privacy.Gaussian(sim.NewStream(1, "noise", uint64(i), uint64(t)), 1/rate, out)
			return out
		}
		n, d := len(f.rows), len(f.rows[0][0])
		cur, dual := starts(n, d), make([][]float64, n)
		recycled := make([][]float64, n)
		for i := range dual {
			dual[i] = make([]float64, d)
		}
		want := [][][]float64{cur}
		for round := 1; round <= rounds; round++ {
			next := make([][]float64, n)
			for i := range next {
				v, s := f.degree(i), f.gather(cur, i)
				if round%2 == 1 {
					exact := f.exact(i, 2*eta*v, f.pull(i, eta, cur[i], s, dual[i]))
					next[i] = plus(exact, 1, noise(i, round))
					recycled[i] = plus(f.slope(i, exact), -2*eta*v, noise(i, round))
					continue
				}
				next[i] = make([]float64, d)
				for c, g := range recycled[i] {
					next[i][c] = cur[i][c] - (g+2*dual[i][c]+eta*(v*cur[i][c]-s[c]))/(2*eta*v+gamma)
				}
			}
			if round%2 == 1 {
				for i := range dual {
					dual[i] = plus(plus(dual[i], eta/2*f.degree(i), next[i]), -eta/2, f.gather(next, i))
				}
			}
			cur = next
			want = append(want, cur)
		}
		agree(t, m.run(t, nil, startAt), want, 0, 1e-8)

		// One row moves the gradient by 2C/B, the minimiser by that over the ridge, whose noise has the rate α·ridge.
		l, p := account(m), m.setting.Problem
		for i := range p.Shards {
			pure, rho := 0.0, 0.0
			for round := 1; round <= rounds; round += 2 {
				loss := 2 * p.C / float64(p.Shards[i].U.Len()) * 20 * budget(i, (round+1)/2)
				pure, rho = pure+loss, rho+loss*loss/2
			}
			if got := l.Pure(i, rounds, privacy.Sample); law == "output" && !(math.Abs(got-pure) <= 1e-12*pure) {
				t.Errorf("node %d loses %v, want %v", i, got, pure)
			}
			want := rho + 2*math.Sqrt(rho*math.Log(1e5))
			if got := l.ZCDP(i, privacy.Sample, 1e-5); law == "gaussian" && !(math.Abs(got-want) <= 1e-9*want) {
				t.Errorf("node %d has ε = %v by zCDP, want %v", i, got, want)
			}
		}
	}
}

func TestRA19_MRADMMWithOnePenaltyIsRADMM(t *testing.T) {
	f := uneven()
	const rounds = 20
	one := makeMethod(t, f, "r-admm", rounds, func(p *RADMM) { p.Eta, p.Gamma = 0.37, 0.1 })
	varying := makeMethod(t, f, "mr-admm", rounds, func(p *MRADMM) { p.Eta, p.Gamma = parameter.Constant(0.37), 0.1 })
	identical(t, varying.run(t, nil, startAt), one.run(t, nil, startAt))

	noisy := makeMethod(t, f, "private-r-admm", rounds, func(p *PrivateRADMM) { p.Eta, p.Gamma = 0.37, 0.1 })
	both := makeMethod(t, f, "private-mr-admm", rounds, func(p *PrivateMRADMM) {
		p.Eta,
			p.Gamma = parameter.Constant(0.37), 0.1
	})
	identical(t, both.run(t, nil, startAt), noisy.run(t, nil, startAt))
}

// Privacy of the even rounds for nothing rests on this.
func TestRA19_EvenRoundsTouchNoData(t *testing.T) {
	for _, name := range []string{"r-admm", "mr-admm", "private-r-admm", "private-mr-admm"} {
		t.Run(name, func(t *testing.T) {
			f := uneven()
			calls := 0
			e, _ := Lookup(name)
			p := f.problem()
			p.Loss = counting{problem.Logistic, &calls}
			s := Setting{Problem: p, Graph: f.graphOf(t, e), Rounds: 12}
			made, err := e.New(filled(t, e), s)
			if err != nil {
				t.Fatal(err)
			}
			m := made.(RowMethod)
			n := assembled{m, f, s}.lone(1)
			for round := 1; round <= s.Rounds; round++ {
				for k := range n.Sum { // neighbours that go their own way
					n.Sum[k] = math.Sin(float64(7*round + k))
				}
				if round > 1 {
					m.Dual(n, round-1)
				}
				calls = 0
				before := norm2(n.F)
				if err := m.Update(n, round); err != nil {
					t.Fatal(err)
				}
				switch {
				case norm2(n.F) == before:
					t.Errorf("round %d does not move the iterate", round)
				case round%2 == 0 && calls != 0:
					t.Errorf("round %d asks the loss %d times", round, calls)
				case round%2 == 1 && calls == 0:
					t.Errorf("round %d does not ask the loss", round)
				}
			}
			if idler := m.(Idler); idler.Idle(1) || !idler.Idle(2) || idler.Idle(3) {
				t.Error("even rounds should be those that cost no time")
			}
		})
	}
}

func TestRA19_EvenRoundsHaveNoSolve(t *testing.T) {
	m := makeMethod[PrivateMRADMM](t, uneven(), "private-mr-admm", 20, nil)
	solved := 0
	for r, pubs := range m.run(t, nil, nil) {
		for i, p := range pubs {
			if (p.Stats.Tolerance != 0) != (r%2 == 1) {
				t.Errorf("round %d, node %d: a solve to tolerance %g", r, i, p.Stats.Tolerance)
			}
			if p.Stats.Tolerance != 0 {
				solved++
			}
		}
	}
	if solved != 6*10 {
		t.Errorf("%d solves in 20 rounds of 6 nodes", solved)
	}
}

// gaps are the greatest distance between two nodes' last iterates and from the
// first node's to a point.
func gaps(got journal, point []float64) (consensus, away float64) {
	last := got[len(got)-1]
	for _, p := range last {
		consensus = max(consensus, distance(p.Values, last[0].Values))
		away = max(away, distance(p.Values, point))
	}
	return consensus, away
}

func TestRA19_RADMMReachesTheCentralisedOptimum(t *testing.T) {
	f := uneven()
	want := f.optimum(t)
	for _, gamma := range []float64{0.2, 1} {
		m := makeMethod(t, f, "r-admm", 1200, func(p *RADMM) { p.Eta, p.Gamma = 0.15, gamma })
		if _, away := gaps(m.run(t, nil, startAt), want); !(away <= 1e-6) {
			t.Errorf("γ = %v: %g from the centralised optimum", gamma, away)
		}
	}
}

// The measured fact of docs/mathematics.md §3.6: penalties that differ make the nodes agree on
// another point.
func TestRA19_MRADMMWithUnequalPenaltiesAgreesElsewhere(t *testing.T) {
	f := uneven()
	want := f.optimum(t)
	run := func(eta parameter.Schedule) (consensus, away float64, warnings []string) {
		m := makeMethod(t, f, "mr-admm", 1600, func(p *MRADMM) { p.Eta, p.Gamma = eta, 0.2 })
		consensus, away = gaps(m.run(t, nil, nil), want)
		return consensus, away, m.Method.(Cautious).Warnings()
	}
	consensus, away, warnings := run(laws(0.1, 0.3, 0.15, 0.25, 0.2, 0.12))
	if !(consensus <= 1e-6) || !(away >= 1e-3) {
		t.Errorf("unequal: the nodes differ by %g and are %g from the optimum", consensus, away)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "not the centralised optimum") {
		t.Errorf("unequal: warnings %q", warnings)
	}
	consensus, away, warnings = run(laws(0.15, 0.15, 0.15, 0.15, 0.15, 0.15))
	if !(consensus <= 1e-6) || !(away <= 1e-6) {
		t.Errorf("equal: the nodes differ by %g and are %g from the optimum", consensus, away)
	}
	if len(warnings) != 0 {
		t.Errorf("equal: warnings %q", warnings)
	}
}

func TestRA19_Theorem2_BoundByHand(t *testing.T) {
	f := uneven()
	m := makeMethod(t, f, "private-mr-admm", 21, func(p *PrivateMRADMM) { p.Eta, p.Alpha = penalties, budgets })
	spends(t, m, func(i, t int) float64 {
		if t%2 == 0 {
			return 0
		}
		k := (t + 1) / 2
		return 2 * f.c / f.size(i) * (1.4*0.25/(f.r+2*penaltyByHand(i, k)*f.degree(i)) + budget(i, k))
	})
	// One number without a loop: two nodes of five rows, C = 1, r = 0.02, η = 0.5,
	// α = 3, ten rounds: 5·(2/5)(0.35/1.02 + 3).
	two := newFixture(2, 5, 2, [][2]int{{0, 1}})
	r := makeMethod(t, two, "private-r-admm", 10, func(p *PrivateRADMM) { p.Eta, p.Alpha = 0.5, parameter.Constant(3) })
	if got, want := account(r).Worst(10, privacy.Sample), 2*(0.35/1.02+3); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("ten rounds spend %v, by hand %v", got, want)
	}
}

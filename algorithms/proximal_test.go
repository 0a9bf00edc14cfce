// Proximal ADMM against facts that do not come from its code: ADMM, the optimum, a second
// implementation, and the law of its noise.

package algorithms

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// proximalByHand is docs/mathematics.md §3.13, on dense rows: (3.30) and (3.31).
func (f *fixture) proximalByHand(rounds int, eta, tau, gamma float64) [][][]float64 {
	return f.consensus(rounds, func(i, t int, own, sum, dual []float64) []float64 {
		kappa := 2*eta*f.degree(i) + tau
		zeta := budget(i, t) * f.size(i) / (2 * f.c) * (f.r + kappa)
		q := plus(f.pull(i, eta, own, sum, dual), -tau, own)
		return plus(f.exact(i, kappa, q), 1, laplace(len(own), i, t, zeta))
	}, func(int, int) float64 { return gamma * eta })
}

func TestProximal_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds, eta, tau, gamma = 25, 0.4, 0.7, 0.8
	m := makeMethod(t, f, "proximal-admm", rounds, func(p *ProximalADMM) {
		p.Eta, p.Tau, p.Gamma, p.Alpha = eta, tau, gamma, budgets
	})
	agree(t, m.run(t, nil, startAt), f.proximalByHand(rounds, eta, tau, gamma), 0, 1e-8)
}

// With τ = 0 and γ = 1 nothing is left but ADMM, and PVP with the same noise.
func TestProximal_WithoutTermAndDampingIsADMM(t *testing.T) {
	f := uneven()
	const rounds, eta = 20, 0.3
	bare := func(noise string) journal {
		return makeMethod(t, f, "proximal-admm", rounds, func(p *ProximalADMM) {
			p.Eta, p.Tau, p.Gamma, p.Noise = eta, 0, 1, noise
		}).run(t, nil, startAt)
	}
	identical(t, bare("off"), makeMethod(t, f, "admm", rounds, func(p *ADMM) { p.Eta = eta }).run(t, nil, startAt))
	identical(t, bare("on"), makeMethod(t, f, "pvp", rounds, func(p *PVP) { p.Eta = eta }).run(t, nil, startAt))
}

// (3.32) is strict: with η = 1/8, four neighbours and γ = 3/2 it needs τ > 1.
func TestProximal_ConditionIsStrict(t *testing.T) {
	for tau, warns := range map[float64]bool{1: true, 1.001: false} {
		a := makeMethod(t, uneven(), "proximal-admm", 2, func(p *ProximalADMM) {
			p.Eta, p.Tau, p.Gamma, p.Noise = 0.125, tau, 1.5, "off"
		})
		if w := a.Method.(Cautious).Warnings(); len(w) > 0 != warns {
			t.Errorf("τ = %v: warns %q", tau, w)
		}
	}
}

// Whatever τ ≥ 0 is, if γ ≤ 1, and where (3.32) holds; a run outside says so.
func TestProximal_ReachesTheCentralisedOptimum(t *testing.T) {
	f := uneven()
	want := f.optimum(t)
	for _, c := range []struct {
		tau, gamma float64
		warns      bool
	}{
		{0, 1, false}, {0.05, 1, false}, {0.5, 1, false}, {0, 0.5, false}, {0.5, 0.5, false},
		// Four neighbours at most, η = 0.1: (3.32) needs τ > 0.8(γ − 1)/(2 − γ), at γ = 1.5 0.8.
		{0.81, 1.5, false}, {0.79, 1.5, true}, {0, 1.1, true},
	} {
		a := makeMethod(t, f, "proximal-admm", 900, func(p *ProximalADMM) {
			p.Eta, p.Tau, p.Gamma, p.Noise = 0.1, c.tau, c.gamma, "off"
		})
		if w := a.Method.(Cautious).Warnings(); len(w) > 0 != c.warns {
			t.Errorf("τ = %v, γ = %v: warns %q", c.tau, c.gamma, w)
		}
		if c.warns {
			continue
		}
		if _, away := gaps(a.run(t, nil, startAt), want); !(away <= 1e-6) {
			t.Errorf("τ = %v, γ = %v ends %g from the centralised optimum", c.tau, c.gamma, away)
		}
	}
}

func TestProximal_DualsSumToZero(t *testing.T) {
	f := newFixture(7, 12, 5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {0, 4}})
	m := makeMethod(t, f, "proximal-admm", 60, func(p *ProximalADMM) { p.Eta, p.Tau, p.Gamma = 0.7, 0.4, 0.8 })
	got := f.run(t, m.Method, 60, nil)
	for r, sum := range got.dualSums {
		for k := range sum {
			if !(math.Abs(sum[k]) <= 1e-8) {
				t.Fatalf("round %d: (Σ_i λ_i)[%d] = %g", r, k, sum[k])
			}
		}
	}
}

// The noise is what was published less the minimiser, by the naive solver: ζ‖ε‖ must be
// Gamma of shape d, and the mean of directions zero.
func TestProximal_NoiseLawFromPublishedIterates(t *testing.T) {
	f := newFixture(6, 9, 3, irregular)
	f.c = 1.3
	const rounds, eta, tau, gamma, alpha = 120, 0.3, 0.9, 0.7, 1.0
	got := makeMethod(t, f, "proximal-admm", rounds, func(p *ProximalADMM) {
		p.Eta, p.Tau, p.Gamma = eta, tau, gamma
	}).run(t, nil, startAt)
	values := func(r int) (all [][]float64) {
		for i := range f.rows {
			all = append(all, got[r][i].Values)
		}
		return all
	}
	dual, mean := make([][]float64, len(f.rows)), make([]float64, 3)
	for i := range dual {
		dual[i] = make([]float64, 3)
	}
	var scaled []float64
	for r := 1; r <= rounds; r++ {
		old, now := values(r-1), values(r)
		for i := range f.rows {
			kappa := 2*eta*f.degree(i) + tau
			q := plus(f.pull(i, eta, old[i], f.gather(old, i), dual[i]), -tau, old[i])
			e := plus(now[i], -1, f.exact(i, kappa, q))
			scaled = append(scaled, alpha*f.size(i)/(2*f.c)*(f.r+kappa)*norm2(e))
			mean = plus(mean, 1/norm2(e), e)
		}
		for i := range dual {
			dual[i] = plus(plus(dual[i], gamma*eta/2*f.degree(i), now[i]), -gamma*eta/2, f.gather(now, i))
		}
	}
	slices.Sort(scaled)
	n, worst := float64(len(scaled)), 0.0
	for k, x := range scaled {
		p := gammaCDF(3, x)
		worst = max(worst, math.Abs(p-float64(k)/n), math.Abs(p-float64(k+1)/n))
	}
	if !(math.Sqrt(n)*worst <= 1.95) { // 0.1 % for Kolmogorov's distribution
		t.Errorf("√n times the Kolmogorov distance of ζ‖ε‖ from Gamma(3, 1) is %.3f", math.Sqrt(n)*worst)
	}
	for k, v := range mean {
		if !(math.Abs(v/n) <= 4/math.Sqrt(3*n)) {
			t.Errorf("the directions' mean component %d is %v", k, v/n)
		}
	}
}

func TestProximal_ChecksItsParameters(t *testing.T) {
	for _, c := range []struct {
		p    ProximalADMM
		want string
	}{
		{ProximalADMM{Eta: 0, Gamma: 1}, "eta"}, {ProximalADMM{Eta: 1, Tau: -1, Gamma: 1}, "tau"},
		{ProximalADMM{Eta: 1, Gamma: 0}, "gamma"}, {ProximalADMM{Eta: 1, Gamma: 2}, "gamma"},
		{ProximalADMM{Eta: 1, Tau: math.NaN(), Gamma: 1}, "tau"}, {ProximalADMM{Eta: 1, Gamma: 1}, ""},
	} {
		c.p.Alpha.Initial, c.p.Alpha.Ratio = 1, 1
		var keys []string
		c.p.Check(func(field, _ string) { keys = append(keys, field) })
		if got := strings.Join(keys, " "); got != c.want {
			t.Errorf("%+v: reports %q, want %q", c.p, got, c.want)
		}
	}
}

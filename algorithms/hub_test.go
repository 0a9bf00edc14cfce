// DP-ADMM around a hub: its closed form, its fixed point and its sensitivity.

package algorithms

import (
	"math"
	"strings"
	"testing"

	"overhear/privacy"
	"overhear/sim"
)

// hubByHand is DP-ADMM of docs/mathematics.md §3.9 on dense vectors. Vector 0 of each round is
// the hub's; noise may be nil.
func (f *fixture) hubByHand(rounds int, rho, step float64, noise func(i, k int) []float64) [][][]float64 {
	n, d := len(f.rows), len(f.rows[0][0])
	cur, gamma := starts(n+1, d), make([][]float64, n)
	for i := range gamma {
		gamma[i] = make([]float64, d)
	}
	history := [][][]float64{cur}
	for k := 1; k <= rounds; k++ {
		s := step / math.Sqrt(float64(k))
		next := make([][]float64, n+1)
		next[0] = make([]float64, d)
		for i := range gamma {
			hub, own := cur[0], cur[i+1]
			data := plus(f.slope(i, own), -f.r, own)
			// 0 = ∇ℓ(w̃) + r w − γ + ρ(w − w̄) + (w − w̃)/s
			w := make([]float64, d)
			for j := range w {
				w[j] = (gamma[i][j] + rho*hub[j] + own[j]/s - data[j]) / (f.r + rho + 1/s)
			}
			if noise != nil {
				w = plus(w, 1, noise(i, k))
			}
			next[i+1] = w
			next[0] = plus(plus(next[0], 1/float64(n), w), -1/(float64(n)*rho), gamma[i])
		}
		for i := range gamma {
			gamma[i] = plus(plus(gamma[i], -rho, next[i+1]), rho, next[0])
		}
		cur = next
		history = append(history, cur)
	}
	return history
}

func TestDPADMM_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds, rho, step, epsilon, delta = 25, 0.6, 1.5, 2.0, 1e-4
	quiet := makeMethod(t, f, "dp-admm", rounds, func(p *DPADMM) { p.Eta, p.Step, p.Noise = rho, step, "off" })
	agree(t, quiet.run(t, nil, startAt), f.hubByHand(rounds, rho, step, nil), 0, 1e-8)

	noise := func(i, k int) []float64 {
		moves := 2 * f.c / (f.size(i) * (f.r + rho + math.Sqrt(float64(k))/step))
		x := make([]float64, 4)
		privacy.Gaussian(sim.NewStream(1, "noise", uint64(i), uint64(k)),
			moves*math.Sqrt(2*math.Log(1.25/delta))/epsilon, x)
		return x
	}
	noisy := makeMethod(t, f, "dp-admm", rounds, func(p *DPADMM) {
		p.Eta, p.Step, p.Epsilon, p.Delta = rho, step,
			epsilon, delta
	})
	agree(t, noisy.run(t, nil, startAt), f.hubByHand(rounds, rho, step, noise), 0, 1e-8)
}

func TestDPADMM_FixedPointIsTheCentralisedOptimum(t *testing.T) {
	f := uneven()
	want := f.optimum(t)
	m := makeMethod(t, f, "dp-admm", 4000, func(p *DPADMM) { p.Eta, p.Step, p.Noise = 0.2, 8, "off" })

	// At f* with γ_i = ∇O_i(f*) nothing moves, in any round.
	hub := m.lone(0)
	var clients [][]float64
	for i := range f.rows {
		n := m.lone(i)
		copy(n.F, want)
		copy(n.Dual, f.slope(i, want))
		n.Heard = [][]float64{want}
		if err := m.Method.Update(n, 9); err != nil {
			t.Fatal(err)
		}
		if e := distance(n.F, want); !(e <= 1e-12) {
			t.Errorf("client %d leaves the optimum by %g", i, e)
		}
		m.Method.Dual(n, 9)
		if e := distance(n.Dual, f.slope(i, want)); !(e <= 1e-12) {
			t.Errorf("the dual of client %d changes by %g", i, e)
		}
		clients = append(clients, n.F)
		hub.Memory = append(hub.Memory, n.Dual...)
	}
	hub.Heard = clients
	m.Method.(Central).Merge(hub, 9)
	if e := distance(hub.F, want); !(e <= 1e-9) {
		t.Errorf("the hub leaves the optimum by %g", e)
	}

	if _, away := gaps(m.run(t, nil, startAt), want); !(away <= 1e-6) {
		t.Errorf("after 4000 rounds %g from the centralised optimum", away)
	}
}

// Two problems that differ in one row, which pulls as hard as a row can one way
// and then the other: the step moves by at most Δ, and by nearly that.
func TestDPADMM_ARowMovesTheStepByTheSensitivity(t *testing.T) {
	const rho, step, k = 0.6, 1.5, 4
	f := newFixture(2, 5, 3, [][2]int{{0, 1}})
	f.c = 1.3
	client := func(y float64) []float64 {
		f.rows[1][2], f.labels[1][2] = []float64{0, 1, 0}, y
		m := makeMethod(t, f, "dp-admm", 5, func(p *DPADMM) { p.Eta, p.Step, p.Noise = rho, step, "off" })
		n := m.lone(1)
		n.Heard = [][]float64{{1, 2, 3}}
		if err := m.Method.Update(n, k); err != nil {
			t.Fatal(err)
		}
		return n.F
	}
	// At w̃ = 0 a row pulls with slope ½, so a change of label moves by half of Δ.
	moved, delta := distance(client(1), client(-1)), 2*f.c/(5*(f.r+rho+math.Sqrt(k)/step))
	if !(math.Abs(moved-delta/2) <= 1e-12) {
		t.Errorf("a label moves the step by %g, half of Δ is %g", moved, delta/2)
	}
}

func TestDPADMM_AccountByHand(t *testing.T) {
	f := uneven()
	const rounds, rho, step, epsilon, delta = 30, 0.6, 1.5, 0.7, 1e-4
	m := makeMethod(t, f, "dp-admm", rounds, func(p *DPADMM) {
		p.Eta, p.Step, p.Epsilon, p.Delta = rho, step, epsilon,
			delta
	})
	l := account(m)
	// Δ/σ is the same in every round and node: ε/√(2 ln(1.25/δ)).
	zcdp := rounds * epsilon * epsilon / (4 * math.Log(1.25/delta))
	want := zcdp + 2*math.Sqrt(zcdp*math.Log(1/delta))
	for i := range f.rows {
		if got := l.ZCDP(i, privacy.Sample, delta); !(math.Abs(got-want) <= 1e-10*want) {
			t.Errorf("node %d has lost %v by zCDP, by hand %v", i, got, want)
		}
	}
	if nodes := l.Nodes(); len(nodes) != len(f.rows) {
		t.Errorf("the nodes that spend are %v: the hub has no data", nodes)
	}
	// σ itself, by the spread of a client's noise.
	const draws = 3000
	n := m.lone(2)
	sum := 0.0
	sigma := 2 * f.c / (f.size(2) * (f.r + rho + math.Sqrt(3)/step)) * math.Sqrt(2*math.Log(1.25/delta)) / epsilon
	quiet := makeMethod(t, f, "dp-admm", rounds, func(p *DPADMM) { p.Eta, p.Step, p.Noise = rho, step, "off" })
	n.Heard = [][]float64{{1, 2, 3, 4}}
	exact := quiet.lone(2)
	exact.Heard = n.Heard
	if err := quiet.Method.Update(exact, 3); err != nil {
		t.Fatal(err)
	}
	for s := range draws {
		n.seed = uint64(s)
		clear(n.F)
		if err := m.Method.Update(n, 3); err != nil {
			t.Fatal(err)
		}
		e := distance(n.F, exact.F)
		sum += e * e
	}
	// The mean of 4·draws squares of N(0, σ²) is σ²(1 ± √(2/(4·draws))).
	if ratio := sum / (4 * draws * sigma * sigma); !(math.Abs(ratio-1) <= 4*math.Sqrt(2/(4.0*draws))) {
		t.Errorf("the variance of the noise is %.4f of what it should be", ratio)
	}
}

// A client that takes longer than the hub's patience is asked again while it
// computes, and must not compute twice.
func TestHub_ImpatienceChangesNothing(t *testing.T) {
	m := makeMethod[DPADMM](t, uneven(), "dp-admm", 8, nil)
	want := m.run(t, nil, startAt)
	for _, loss := range []float64{0, 0.3} {
		asked := 0
		got := m.run(t, func(c *sim.Config) {
			c.Link.Loss = loss
			c.Sent = func(p *sim.Packet) {
				if p.From == 0 {
					asked++
				}
			}
		}, func(s *Config) {
			startAt(s)
			s.Cost.Row, s.Retry, s.Deadline = 5e6, 10e6, 600e9 // 40 ms and more a step
		})
		identical(t, got, want)
		if asked < 2*9*6 {
			t.Errorf("loss %v: the hub sent %d messages, no more than it had to", loss, asked)
		}
	}
}

func TestDPADMM_NeedsAStar(t *testing.T) {
	e, _ := Lookup("dp-admm")
	f := uneven()
	for name, edges := range map[string][][2]int{
		"a path":                      {{0, 1}, {1, 2}, {2, 3}},
		"a star around another node":  {{1, 0}, {1, 2}, {1, 3}},
		"a star and an edge too many": {{0, 1}, {0, 2}, {0, 3}, {1, 2}},
	} {
		g, err := sim.NewGraph(4, edges)
		if err != nil {
			t.Fatal(err)
		}
		s := Setting{Problem: f.problem(), Graph: g, Rounds: 1}
		m, err := e.New(filled(t, e), s)
		if err != nil {
			t.Fatal(err)
		}
		_, err = NewProtocol(Config{Setting: s, Method: m})
		if err == nil || !strings.Contains(err.Error(), "star with the hub as node 0") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

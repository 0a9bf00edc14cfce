// The methods without a node dual, the two ends of the scale, and what the
// methods without noise converge to.

package algorithms

import (
	"math"
	"testing"

	"overhear/parameter"
	"overhear/privacy"
	"overhear/sim"
)

// metropolisByHand is the dense matrix W.
func (f *fixture) metropolisByHand() [][]float64 {
	w := make([][]float64, len(f.rows))
	for i := range w {
		w[i] = make([]float64, len(f.rows))
		w[i][i] = 1
		for _, j := range f.adjacent[i] {
			w[i][j] = 1 / (1 + math.Max(f.degree(i), f.degree(j)))
			w[i][i] -= w[i][j]
		}
	}
	return w
}

// dgdByHand is f ← W f − a_t ∇O + noise, noise being nil or of a node and round.
func (f *fixture) dgdByHand(rounds int, step func(t int) float64, noise func(i, t int) []float64) [][][]float64 {
	w := f.metropolisByHand()
	cur := starts(len(f.rows), len(f.rows[0][0]))
	history := [][][]float64{cur}
	for t := 1; t <= rounds; t++ {
		next := make([][]float64, len(cur))
		for i := range next {
			next[i] = make([]float64, len(cur[i]))
			for j := range cur {
				next[i] = plus(next[i], w[i][j], cur[j])
			}
			next[i] = plus(next[i], -step(t), f.slope(i, cur[i]))
			if noise != nil {
				next[i] = plus(next[i], 1, noise(i, t))
			}
		}
		cur = next
		history = append(history, cur)
	}
	return history
}

// Rounds of averaging touch no data and keep the mean over nodes; steps are those of a run without them.
func TestDGD_Averaging(t *testing.T) {
	f := uneven()
	const rounds, first, averaging = 12, 0.9, 3
	m := makeMethod(t, f, "dgd", rounds, func(p *DGD) {
		p.Step, p.Decay, p.Averaging = parameter.Constant(first), "none", averaging
	})
	agree(t, m.run(t, nil, startAt), f.dgdByHand(rounds, func(t int) float64 {
		if (t-1)%(averaging+1) == 0 {
			return first
		}
		return 0
	}, nil), 0, 1e-10)
	p := makeMethod(t, f, "private-dgd", rounds, func(p *PrivateDGD) {
		p.Step, p.Alpha, p.Averaging = parameter.Constant(first), parameter.Constant(0.5), averaging
	})
	l := new(privacy.Ledger)
	p.Method.(Private).Account(l)
	if got := l.Pure(0, rounds, privacy.Sample); !(math.Abs(got-1.5) < 1e-12) {
		t.Errorf("three steps of 0.5 come to %v", got)
	}
}

func TestDGD_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds, first = 30, 0.9
	for decay, step := range map[string]func(int) float64{
		"sqrt": func(t int) float64 { return first / math.Sqrt(float64(t)) },
		"none": func(int) float64 { return first },
	} {
		t.Run(decay, func(t *testing.T) {
			m := makeMethod(t, f, "dgd", rounds, func(p *DGD) { p.Step, p.Decay = parameter.Constant(first), decay })
			agree(t, m.run(t, nil, startAt), f.dgdByHand(rounds, step, nil), 0, 1e-10)

			private := makeMethod(t, f, "private-dgd", rounds, func(p *PrivateDGD) {
				p.Step, p.Decay,
					p.Alpha = parameter.Constant(first), decay, budgets
			})
			agree(t, private.run(t, nil, startAt), f.dgdByHand(rounds, step, func(i, t int) []float64 {
				return laplace(4, i, t, budget(i, t)*f.size(i)/(2*f.c*step(t)))
			}), 0, 1e-10)
		})
	}
}

// f*'s distance is a bias of order a_t once the start is forgotten, so four times
// as many rounds halve it; with a constant step it stays.
func TestDGD_ErrorFollowsTheStep(t *testing.T) {
	f := uneven()
	f.r = 0.3
	want := f.optimum(t)
	away := func(decay string, rounds int) float64 {
		m := makeMethod(t, f, "dgd", rounds, func(p *DGD) { p.Step, p.Decay = parameter.Constant(1.5), decay })
		_, away := gaps(m.run(t, nil, startAt), want)
		return away
	}
	if ratio := away("sqrt", 1600) / away("sqrt", 6400); !(ratio >= 1.9) || !(ratio <= 2.1) {
		t.Errorf("from round 1600 to 6400 the error shrinks by %.3f, expected 2", ratio)
	}
	if ratio := away("none", 400) / away("none", 1600); !(math.Abs(ratio-1) <= 1e-6) {
		t.Errorf("with a constant step the error shrinks by %.9f", ratio)
	}
}

func TestEdgeADMM_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds, eta, a = 30, 0.7, 0.6
	n, d := len(f.rows), 4
	z, m := make([][][]float64, n), make([][][]float64, n) // z_ij and m_ij
	for i := range z {
		z[i], m[i] = make([][]float64, n), make([][]float64, n)
		for _, j := range f.adjacent[i] {
			z[i][j] = make([]float64, d)
		}
	}
	want := [][][]float64{starts(n, d)}
	for range rounds {
		cur := make([][]float64, n)
		for i := range cur {
			q := make([]float64, d)
			for _, j := range f.adjacent[i] {
				q = plus(q, -1, z[i][j])
			}
			cur[i] = f.exact(i, eta*f.degree(i), q)
			for _, j := range f.adjacent[i] {
				m[i][j] = plus(plus(make([]float64, d), -1, z[i][j]), 2*eta, cur[i])
			}
		}
		for i := range cur {
			for _, j := range f.adjacent[i] {
				z[i][j] = plus(plus(z[i][j], -a, z[i][j]), a, m[j][i])
			}
		}
		want = append(want, cur)
	}
	method := makeMethod(t, f, "edge-admm", rounds, func(p *EdgeADMM) { p.Eta, p.Relaxation = eta, a })
	agree(t, method.run(t, nil, startAt), want, 0, 1e-8)
}

func TestEveryExactMethodReachesTheCentralisedOptimum(t *testing.T) {
	f := uneven()
	want := f.optimum(t)
	const theta = 0.1
	growing := parameter.Schedule{Nodes: []parameter.Sequence{ // non-decreasing, at least θ: ZKL18 Theorem 3.1
		{Initial: 0.1, Ratio: 1.01, Max: 0.3}, {Initial: 0.15, Ratio: 1}, {Values: []float64{0.1, 0.12, 0.2}},
		{Initial: 0.2, Ratio: 1.001, Max: 0.25}, {Initial: 0.1, Ratio: 1}, {Initial: 0.1, Ratio: 1.02, Max: 0.2},
	}}
	m := makeMethod(t, f, "m-admm", 1500, func(p *MADMM) { p.Eta, p.Theta = growing, parameter.Constant(theta) })
	if w := m.Method.(Cautious).Warnings(); len(w) != 0 {
		t.Errorf("m-admm within Theorem 3.1 warns: %q", w)
	}
	for name, a := range map[string]assembled{
		"m-admm":         m,
		"edge-admm":      makeMethod(t, f, "edge-admm", 800, func(p *EdgeADMM) { p.Eta, p.Relaxation = 0.3, 0.7 }),
		"edge-admm, 0.3": makeMethod(t, f, "edge-admm", 1600, func(p *EdgeADMM) { p.Eta, p.Relaxation = 0.3, 0.3 }),
	} {
		if _, away := gaps(a.run(t, nil, startAt), want); !(away <= 1e-6) {
			t.Errorf("%s ends %g from the centralised optimum", name, away)
		}
	}
	for name, set := range map[string]func(*MADMM){
		"η below θ": func(p *MADMM) { p.Eta, p.Theta = parameter.Constant(0.1), parameter.Constant(0.2) },
		"η shrinks": func(p *MADMM) {
			p.Eta, p.Theta = parameter.Schedule{Sequence: parameter.Sequence{Initial: 1, Ratio: 0.99}},
				parameter.Constant(0.2)
		},
		"θ by node": func(p *MADMM) { p.Eta, p.Theta = parameter.Constant(1), laws(0.5, 0.5, 0.5, 0.5, 0.5, 0.4) },
		"θ by round": func(p *MADMM) {
			p.Eta, p.Theta = parameter.Constant(1), parameter.Schedule{Sequence: parameter.Sequence{Initial: 0.5,
				Ratio: 0.9}}
		},
	} {
		if w := makeMethod(t, f, "m-admm", 10, set).Method.(Cautious).Warnings(); len(w) == 0 {
			t.Errorf("%s is outside Theorem 3.1 and nothing is said", name)
		}
	}
}

func TestBaselines_AreTheTwoEndsAndSendNothing(t *testing.T) {
	f := uneven()
	optimum := f.optimum(t)
	const rounds = 4
	for _, c := range []struct {
		name string
		want func(i int) []float64
	}{
		{"centralised", func(int) []float64 { return optimum }},
		{"local", func(i int) []float64 { return f.exact(i, 0, make([]float64, 4)) }},
	} {
		m := makeMethod[none](t, f, c.name, rounds, nil)
		got := m.run(t, func(cfg *sim.Config) {
			cfg.Sent = func(p *sim.Packet) { t.Errorf("%s: node %d sends a packet", c.name, p.From) }
		}, startAt)
		for r := 1; r <= rounds; r++ {
			for i, p := range got[r] {
				if e := distance(p.Values, c.want(i)); !(e <= 1e-7) {
					t.Errorf("%s, round %d: node %d is %g away", c.name, r, i, e)
				}
			}
		}
		if c.name == "local" && !(distance(got[1][0].Values, got[1][1].Values) >= 1e-3) {
			t.Error("local: two nodes with different data agree")
		}
	}
}

// The sensitivities on which output perturbation rests, against two problems that
// differ in one row.
func TestOutputPerturbation_ARowMovesTheIterateWithinTheBound(t *testing.T) {
	const eta, step = 0.4, 0.9
	f := newFixture(2, 5, 3, [][2]int{{0, 1}})
	f.c = 1.3
	e1 := []float64{1, 0, 0}
	change := func(row []float64, y float64) { f.rows[0][1], f.labels[0][1] = row, y }
	pvp := func(row []float64, y, at float64) []float64 {
		change(row, y)
		n := makeMethod(t, f, "pvp", 5, func(p *PVP) { p.Eta, p.Noise = eta, "off" })
		node := n.lone(0)
		node.F[0], node.Sum[0] = at, at
		if err := n.Method.Update(node, 1); err != nil {
			t.Fatal(err)
		}
		return node.F
	}
	dgd := func(row []float64, y, at float64) []float64 {
		change(row, y)
		n := makeMethod(t, f, "private-dgd", 5, func(p *PrivateDGD) {
			p.Step, p.Decay,
				p.Noise = parameter.Constant(step), "none", "off"
		})
		node := n.lone(0)
		node.F[0], node.Heard = at, [][]float64{{at, 0, 0}}
		if err := n.Method.Update(node, 1); err != nil {
			t.Fatal(err)
		}
		return node.F
	}
	const tau = 0.6
	proximal := func(row []float64, y, at float64) []float64 {
		change(row, y)
		n := makeMethod(t, f, "proximal-admm", 5, func(p *ProximalADMM) { p.Eta, p.Tau, p.Noise = eta, tau, "off" })
		node := n.lone(0)
		node.F[0], node.Sum[0] = at, at
		if err := n.Method.Update(node, 1); err != nil {
			t.Fatal(err)
		}
		return node.F
	}
	for name, c := range map[string]struct {
		step  func(row []float64, y, at float64) []float64
		bound float64
	}{
		"proximal-admm": {proximal, 2 * f.c / (5 * (f.r + 2*eta + tau))},
		"pvp":           {pvp, 2 * f.c / (5 * (f.r + 2*eta))},
		"private-dgd":   {dgd, 2 * f.c * step / 5},
	} {
		// A change of label moves by L′(z) + L′(−z) = −1, half of the bound of 2.
		for _, at := range []float64{-30, -1, 0, 2, 30} {
			if moved := distance(c.step(e1, 1, at), c.step(e1, -1, at)); !(moved <= c.bound) ||
				!(moved >= 0.3*c.bound) {
				t.Errorf("%s at %v: a label moves the iterate by %g, the bound is %g", name, at, moved, c.bound)
			}
		}
		// Far out along e₁ the row e₁ of label −1 pulls with slope 1, a row e₂ with ½.
		a, b := c.step(e1, -1, 40), c.step([]float64{0, 1, 0}, 1, 40)
		if moved := distance(a, b); !(moved <= c.bound) || !(moved >= 0.5*c.bound) {
			t.Errorf("%s: two rows move the iterate by %g, the bound is %g", name, moved, c.bound)
		}
	}
}

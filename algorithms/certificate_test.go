// What certificates are made of, against the noise laws that an observer knows, and what has none.

package algorithms

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/parameter"
	"overhear/privacy"
	"overhear/privacy/loss"
	"overhear/problem"
)

// The noise and the Jacobian of every node and round are those of the public model, which is written by itself.
func TestCertify_NoiseIsThatOfThePublicModel(t *testing.T) {
	const rounds = 5
	f := uneven()
	falling := parameter.Schedule{Sequence: parameter.Sequence{Initial: 1, Ratio: 0.8}} // in every use
	for _, c := range []struct {
		name   string
		change func(p any)
	}{
		{"dvp", nil},
		{"dvp", func(p any) { p.(*DVP).Calibration = "listing" }},
		{"dvp", func(p any) { p.(*DVP).Alpha = parameter.Constant(1e-4) }}, // with a ridge Φ
		{"penalty-perturbation", nil},
		{"penalty-perturbation", func(p any) { p.(*PenaltyPerturbation).Law = gaussianLaw }},
		{"private-r-admm", nil},
		{"private-r-admm", func(p any) { p.(*PrivateRADMM).Perturbation = "output" }},
		{"private-r-admm", func(p any) { p.(*PrivateRADMM).Perturbation = "gaussian" }},
		{"private-r-admm", func(p any) { p.(*PrivateRADMM).Alpha = falling }},
		{"private-r-admm", func(p any) { p.(*PrivateRADMM).Perturbation, p.(*PrivateRADMM).Alpha = "output", falling }},
		{"private-mr-admm", nil},
		{"private-mr-admm", func(p any) { p.(*PrivateMRADMM).Alpha = falling }},
		{"penalty-perturbation", func(p any) { p.(*PenaltyPerturbation).Alpha = falling }},
		{"pvp", nil},
		{"pvp", func(p any) { p.(*PVP).Alpha = falling }},
		{"pvp", func(p any) { p.(*PVP).Law = gaussianLaw }},
		{"proximal-admm", nil},
	} {
		e, _ := Lookup(c.name)
		params := filled(t, e)
		if c.change != nil {
			c.change(params)
		}
		p, graph := f.problem(), f.graphOf(t, e)
		public, err := model.New(c.name, params, model.Run{Graph: graph, D: p.D, Rounds: rounds, Loss: p.Loss, C: p.C,
			R: p.R})
		if err != nil {
			t.Fatal(err)
		}
		m, err := e.New(params, Setting{Problem: p, Graph: graph, Rounds: rounds, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		type place struct {
			node, round int
			unit        privacy.Unit
		}
		want := map[place]loss.Mechanism{}
		for i := range p.Shards {
			for k := 1; k <= rounds; k++ {
				s := public.Method.(model.NodeDual).Step(public, i, k, p.Shards[i].U.Len())
				if s.Idle {
					continue
				}
				weight := p.C / f.size(i)
				n := loss.Noise{Kind: loss.Laplace, Dimension: p.D, Size: weight * s.Noise.Level}
				if s.Noise.Kind == model.Gaussian {
					n = loss.Noise{Kind: loss.Gaussian, Size: weight / s.Noise.Level}
				}
				var use loss.Mechanism
				flip := loss.Shift{Noise: n} // logistic: by yx, half of what two rows move at most
				if s.Place == model.InObjective {
					ridge := p.R[i] + 2*s.Eta*f.degree(i) + s.Ridge + s.Anchor
					use = loss.Objective{Noise: n, Down: 1, Hessian: 0.25 * weight / ridge, Logistic: true}
				} else {
					n.Size *= 2
					use = loss.Shift{Noise: n}
				}
				want[place{i, k, privacy.Sample}], want[place{i, k, privacy.Label}] = use, flip
			}
		}
		got, err := Certify(m.(Private))
		if err != nil || len(want) == 0 {
			t.Errorf("%s: %d uses, %v", c.name, len(want), err)
		}
		uses := 0
		got.Each(func(node, round int, unit privacy.Unit, m loss.Mechanism) {
			uses++
			if w := want[place{node, round, unit}]; !alike(m, w) {
				t.Errorf("%s, node %d, round %d, %s: %+v, by the model %+v", c.name, node, round, unit, m, w)
			}
		})
		if uses != len(want) {
			t.Errorf("%s: %d uses, by the model %d", c.name, uses, len(want))
		}
	}
}

// A round of DP-ADMM is the Gaussian mechanism of ε and δ, whatever its step, its node and its number of rows:
// Δ_k/σ_k is ε/√(2 ln(1.25/δ)) (3.21).
func TestCertify_DPADMMIsTheGaussianMechanism(t *testing.T) {
	e, _ := Lookup("dp-admm")
	f := uneven()
	params := filled(t, e).(*DPADMM)
	m, err := e.New(params, Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Certify(m.(Private))
	if err != nil {
		t.Fatal(err)
	}
	uses := 0
	mu := params.Epsilon / math.Sqrt(2*math.Log(1.25/params.Delta))
	want := map[privacy.Unit]loss.Mechanism{
		privacy.Sample: loss.Shift{Noise: loss.Noise{Kind: loss.Gaussian, Size: mu}},
		privacy.Label:  loss.Shift{Noise: loss.Noise{Kind: loss.Gaussian, Size: mu / 2}},
	}
	got.Each(func(node, round int, unit privacy.Unit, m loss.Mechanism) {
		uses++
		if !alike(m, want[unit]) {
			t.Errorf("node %d, round %d: %+v, want %+v", node, round, m, want[unit])
		}
	})
	if uses != 2*4*len(f.problem().Shards) {
		t.Errorf("%d uses", uses)
	}
}

// alike says whether two uses are the same up to rounding.
func alike(a, b loss.Mechanism) bool {
	near := func(x, y *float64) bool {
		ok := math.Abs(*x-*y) <= 1e-12**y
		*x = *y
		return ok
	}
	switch m := a.(type) {
	case loss.Shift:
		o, ok := b.(loss.Shift)
		return ok && near(&m.Size, &o.Size) && m == o
	case loss.Objective:
		o, ok := b.(loss.Objective)
		return ok && near(&m.Size, &o.Size) && near(&m.Hessian, &o.Hessian) && m == o
	}
	return false
}

// Every private method has a certificate, but the one whose sensitivity is not proved.
func TestCertify_EveryPrivateMethod(t *testing.T) {
	var without []string
	for _, e := range Entries() {
		if e.Over == Columns {
			continue
		}
		f := uneven()
		m, err := e.New(filled(t, e), Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 3, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := m.(Private); ok {
			if _, err := Certify(p); err != nil {
				without = append(without, fmt.Sprintf("%s: %v", e.Name, err))
			}
		}
	}
	if len(without) > 0 {
		t.Errorf("without a certificate: %v", without)
	}
}

// What the proof does not cover is not certified, and the reason is told.
func TestCertify_SaysWhatIsNotProved(t *testing.T) {
	for want, change := range map[string]func(s *Setting, p *DVP){
		"the noise is off":    func(_ *Setting, p *DVP) { p.Noise = "off" },
		"|L′| ≤ 1":            func(s *Setting, _ *DVP) { s.Problem.Loss = problem.Squared },
		"norm at most 1":      func(s *Setting, _ *DVP) { s.Problem.Shards[0].U.Val[0] = 3 },
		"twice differentiabl": func(s *Setting, _ *DVP) { s.Problem.NonSmooth = &problem.NonSmooth{L1: 0.1} },
		"take two classes":    func(s *Setting, _ *DVP) { s.Problem.K = 3 },
	} {
		f := uneven()
		e, _ := Lookup("dvp")
		s := Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 3, Seed: 1}
		p := filled(t, e).(*DVP)
		change(&s, p)
		m, err := e.New(p, s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Certify(m.(Private)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Slopes of a loss's two signs and its curvature enter; penalty perturbation needs no condition on its penalties.
func TestCertify_LossesAndConditions(t *testing.T) {
	f := uneven()
	m := makeMethod(t, f, "penalty-perturbation", 2, func(p *PenaltyPerturbation) {
		p.Theta = parameter.Constant(1e-9)
		p.Eta = parameter.Constant(1e-9)
	})
	if err := m.Method.(Private).Established(); err == nil {
		t.Error("the claim of a penalty of 1e-9 is established")
	}
	if _, err := Certify(m.Method.(Private)); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		loss     problem.Loss
		down, up float64
		output   float64 // of a row in place of another
		logistic bool
	}{
		{problem.Logistic, 1, 0, 2, true}, {problem.HuberHinge{Width: 0.5}, 1, 0, 2, false},
		{problem.Huber{Width: 0.7}, 0.7, 0.7, 1.4, false}, {problem.Huber{Width: 0.1}, 0.1, 0.1, 0.2, false},
		{problem.Quantile{Level: 0.9, Width: 0.2}, 0.9, 0.1, 1.8, false},
		{problem.Quantile{Level: 0.5, Width: 0.2}, 0.5, 0.5, 1, false},
	} {
		p := f.problem()
		p.Loss = c.loss
		l := new(loss.Ledger)
		uses{l, p}.inObjective(0, 1, 2, laplaceOf(p, 1))
		uses{l, p}.onOutput(0, 2, gaussianOf(2))
		rows := entered(l, privacy.Sample)
		o := rows[1].(loss.Objective)
		if size := rows[2].(loss.Shift).Size; !(math.Abs(size-c.output) <= 1e-12) {
			t.Errorf("%T: noise on the output is for %v, want %v", c.loss, size, c.output)
		}
		got := []float64{o.Down, o.Up, o.Hessian}
		want := []float64{c.down, c.up, c.loss.Bound() * p.C / (f.size(0) * 2)}
		if o.Logistic != c.logistic || !slices.EqualFunc(got, want, func(a, b float64) bool {
			return math.Abs(a-b) <= 1e-12
		}) {
			t.Errorf("%T: %+v, want %v", c.loss, o, want)
		}
	}
}

// entered are the uses of a unit by round.
func entered(l *loss.Ledger, unit privacy.Unit) map[int]loss.Mechanism {
	by := map[int]loss.Mechanism{}
	l.Each(func(_, round int, u privacy.Unit, m loss.Mechanism) {
		if u == unit {
			by[round] = m
		}
	})
	return by
}

// A flipped label moves a gradient by L′(z) + L′(−z), by the uses that are entered at most; where that is a fixed shift
// it has that size at every margin, and the Jacobian is the same in both worlds. Of rows with targets there are no
// labels.
func TestCertify_FlippedLabels(t *testing.T) {
	for _, l := range []problem.Loss{problem.Logistic, problem.HuberHinge{Width: 0.5}, problem.HuberHinge{Width: 3}} {
		p := uneven().problem()
		p.Loss = l
		ledger := new(loss.Ledger)
		uses{ledger, p}.inObjective(0, 1, 2, laplaceOf(p, 1))
		uses{ledger, p}.onOutput(0, 2, gaussianOf(2))
		flips := entered(ledger, privacy.Label)
		most := flips[2].(loss.Shift).Size
		fixed := math.NaN()
		switch m := flips[1].(type) {
		case loss.Shift:
			fixed = m.Size
		case loss.Objective: // its rows go and come with slopes of 1
			if m.Logistic || m.Down != 1 {
				t.Errorf("%T: %+v", l, m)
			}
		}
		z := make([]float64, 2)
		slopes, curvatures := make([]float64, 2), make([]float64, 2)
		reached := 0.0
		for k := range 2001 {
			z[0] = float64(k-1000) / 50
			z[1] = -z[0]
			l.Slopes(slopes, z)
			l.Curvatures(curvatures, z)
			moved := math.Abs(slopes[0] + slopes[1])
			reached = max(reached, moved)
			even := math.Abs(curvatures[0]-curvatures[1]) <= 1e-12
			if !math.IsNaN(fixed) && !(math.Abs(moved-fixed) <= 1e-12 && even) {
				t.Errorf("%T at the margin %v: moved by %v, where a fixed shift has %v, with L″ of %v and %v", l, z[0],
					moved, fixed, curvatures[0], curvatures[1])
			}
		}
		if !(reached <= most+1e-12) || !(reached >= most/2) {
			t.Errorf("%T: a flipped label moves by up to %v, entered as %v", l, reached, most)
		}
	}
	p := uneven().problem()
	p.Loss = problem.Huber{Width: 0.5}
	for i := range p.Shards {
		p.Shards[i].Targets = make([]float64, p.Shards[i].U.Len())
	}
	ledger := new(loss.Ledger)
	uses{ledger, p}.onOutput(0, 1, gaussianOf(2))
	if units := ledger.Units(); !slices.Equal(units, []privacy.Unit{privacy.Sample}) {
		t.Errorf("rows with targets have certificates of %v", units)
	}
}

// The slopes of a loss are its limits: a wide loss is not level yet at any number that seems great.
func TestSteepest_IsTheLimit(t *testing.T) {
	for _, c := range []struct {
		loss     problem.Loss
		down, up float64
	}{
		{problem.Logistic, 1, 0}, {problem.HuberHinge{Width: 0.5}, 1, 0}, {problem.HuberHinge{Width: 1e12}, 1, 0},
		{problem.Huber{Width: 1}, 1, 1}, {problem.Quantile{Level: 0.5, Width: 1e12}, 0.5, 0.5},
		{problem.Quantile{Level: 0.9, Width: 0.1}, 0.9, 0.1},
	} {
		down, up := steepest(c.loss)
		if !(math.Abs(down-c.down) <= 1e-15 && math.Abs(up-c.up) <= 1e-15) {
			t.Errorf("%+v: %v and %v", c.loss, down, up)
		}
	}
}

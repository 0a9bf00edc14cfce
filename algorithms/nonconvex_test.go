// ADMM sharing with losses that are not convex: where it ends, and what is proved of the way there.

package algorithms

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/problem"
	"overhear/theory"
)

// dented are blocks with a loss that is not convex; of residuals, with targets of which some are far off.
func dented(rows int, widths []int, loss string, of problem.Loss) *blocks {
	b := newBlocks(rows, widths, loss)
	b.rows = of
	switch of.(type) {
	case problem.Welsch, problem.GemanMcClure:
		b.targets = make([]float64, rows)
		for n := range b.targets {
			b.targets[n] = float64(n%5) - 1.5
			if n%4 == 0 {
				b.targets[n] += 6
			}
			b.y[n] = 1
		}
	}
	return b
}

var dents = []problem.Loss{problem.Sigmoid, problem.Savage, problem.Welsch{Width: 1.2},
	problem.GemanMcClure{Width: 0.8}}

// Two parties with one row of one column each, 1 and 1, and a target t = 3/2: with λ = 1 and the width 1 of Geman and
// McClure, x = ¼ at both, since then z = ½, L′(z − t) = −1/(1 + 1)² and λx = ¼.
func TestSharing_NonConvexClosedForm(t *testing.T) {
	for _, form := range []string{"jacobi", "averaged"} {
		b := &blocks{d: [][][]float64{{{1}}, {{1}}}, y: []float64{1}, ridge: 1, weight: 1, loss: "sum",
			rows: problem.GemanMcClure{Width: 1}, targets: []float64{1.5}}
		r := b.run(t, "admm-sharing", &Sharing{Eta: 5, Form: form, Loss: "sum"}, 400, nil)
		for m, x := range r.rounds[400].X {
			if !(math.Abs(x[0]-0.25) <= 1e-12) {
				t.Errorf("%s: x of party %d is %v, by hand ¼", form, m, x[0])
			}
		}
		hub := r.sent[400][0]
		if !(math.Abs(hub[0]) <= 1e-12) || !(math.Abs(hub[1]+0.25) <= 1e-12) {
			t.Errorf("%s: the gap is %v and the dual %v, by hand 0 and −¼", form, hub[0], hub[1])
		}
	}
}

// fallen is, by round from the second on, by how much the augmented Lagrangian fell less than is proved, and what it
// fell in all.
func fallen(b *blocks, r *splitRun, s theory.Sharing) (short []float64, all float64) {
	v, d := b.vertical(), s.Descent()
	hub := s.Penalty / s.Share
	n := v.N
	var before, zs, first float64
	var z []float64
	for k := 1; k < len(r.rounds); k++ {
		x, u, y := r.rounds[k].X, r.sent[k][0][:n], r.sent[k][0][n:]
		margins := make([]float64, n)
		v.Margins(x, margins)
		next := make([]float64, n)
		squares := 0.0
		for _, part := range x {
			squares += num.Dot(part, part)
		}
		for i := range next {
			next[i] = margins[i] - u[i]
		}
		lagrangian := v.ObjectiveAt(next, 0) + 0.5*v.Ridge*squares + v.Kinks(x) + inner(y, u) + hub/2*inner(u, u)
		if k > 1 {
			zs = 0
			moved := 0.0
			for i := range next {
				zs += (next[i] - z[i]) * (next[i] - z[i])
			}
			for m := range x {
				for c := range x[m] {
					e := x[m][c] - r.rounds[k-1].X[m][c]
					moved += e * e
				}
			}
			short = append(short, d.Parties/2*moved+d.Hub/2*zs-(before-lagrangian))
		} else {
			first = lagrangian
		}
		before, z = lagrangian, next
	}
	return short, first - before
}

// Above the theorem's penalty the augmented Lagrangian falls in every round by what is proved, and the gradient of the
// whole objective tends to zero; in the paper's form with two parties, and averaged with three.
func TestSharing_TheAugmentedLagrangianFallsAsProved(t *testing.T) {
	for _, c := range []struct {
		form   string
		widths []int
		kinks  *problem.NonSmooth
	}{
		{"jacobi", []int{3}, nil}, {"jacobi", []int{3, 2}, nil}, {"averaged", []int{2, 4, 3}, nil},
		{"averaged", []int{2, 3}, problem.NewNonSmooth(0.02, 0.01, problem.Region{Kind: "ball", Radius: 0.6})},
	} {
		for _, of := range append([]problem.Loss{problem.Logistic}, dents...) {
			name := fmt.Sprintf("%s, %v, %T", c.form, c.widths, of)
			b := dented(24, c.widths, "mean", of)
			b.kinks = c.kinks
			share := 1.0
			if c.form == "averaged" {
				share = float64(len(c.widths))
			}
			s := theory.NewSharing(b.vertical(), 0, share)
			s.Penalty = 1.02 * share * s.Least()
			if d := s.Descent(); !d.Applies || !(d.Parties >= b.ridge && d.Hub > 0) {
				t.Fatalf("%s: %+v", name, d)
			}
			const rounds = 2000
			r := b.run(t, "admm-sharing", &Sharing{Eta: s.Penalty, Form: c.form}, rounds, nil)
			short, all := fallen(b, r, s)
			for k, miss := range short {
				if !(miss <= 1e-14) {
					t.Fatalf("%s: from round %d to %d it falls by %v less than is proved", name, k+1, k+2, miss)
				}
			}
			if !(all > 1e-4) {
				t.Errorf("%s: it falls by %v in all", name, all)
			}
			v, start := b.vertical(), 0.0
			for k, at := range []int{1, 30, 300, rounds} {
				now := v.Stationarity(r.rounds[at].X)
				if k > 0 && !(now <= 0.6*start || now <= 1e-10) {
					t.Errorf("%s: the gradient is %v after %d rounds and was %v", name, now, at, start)
				}
				start = now
			}
			if !(start <= 1e-8) || !(r.rounds[rounds].Gap <= 1e-8) {
				t.Errorf("%s: the run ends with the gradient %v and the gap %v", name, start, r.rounds[rounds].Gap)
			}
		}
	}
}

// overshooting steps twice as far along the dual as it says to.
type overshooting struct{ *sharing }

func (m overshooting) Merge(h *Hub, t int, sent [][]float64) ([]float64, error) {
	message, err := m.sharing.Merge(h, t, sent)
	for k := range h.Y {
		h.Y[k] += m.Eta / m.share() * message[k]
		message[len(h.Y)+k] = h.Y[k]
	}
	return message, err
}

// Two errors that the proved descent shows: a dual step twice as long, and parties in the paper's form whose columns
// are the same, of which the condition says that they overshoot.
func TestSharing_TheDescentShowsPlantedErrors(t *testing.T) {
	b := dented(24, []int{3, 2}, "mean", problem.Sigmoid)
	s := theory.NewSharing(b.vertical(), 0, 1)
	s.Penalty = 1.02 * s.Least()
	Register(&Entry{Name: "overshooting", Star: true, Over: Columns, Params: func() any { return new(Sharing) },
		New: func(params any, s Setting) (Method, error) {
			m, err := newSharing(*params.(*Sharing), s)
			return overshooting{m}, err
		}})
	defer func() { registry = registry[:len(registry)-1] }()
	short, _ := fallen(b, b.run(t, "overshooting", &Sharing{Eta: s.Penalty, Form: "jacobi"}, 50, nil), s)
	if !(largestOf(short) > 1e-6) {
		t.Errorf("a dual step twice as long is not seen: %v", largestOf(short))
	}
	same := dented(24, []int{3, 3, 3, 3}, "mean", problem.Sigmoid)
	for m := range same.d {
		same.d[m] = same.d[0]
	}
	same.ridge = 0.01
	s = theory.NewSharing(same.vertical(), 0, 1)
	s.Penalty = 3 * s.Least()
	d := s.Descent()
	if d.Applies || !strings.Contains(d.Reason, "form: averaged") || !(d.Parties < 0) {
		t.Errorf("four parties with the same columns: %+v", d)
	}
	short, _ = fallen(same, same.run(t, "admm-sharing", &Sharing{Eta: s.Penalty, Form: "jacobi"}, 50, nil),
		theory.Sharing{Slope: s.Slope, Concavity: s.Concavity, Penalty: s.Penalty, Share: 1, Ridge: s.Ridge,
			Blocks: s.Blocks[:2]}) // what would be proved of two of them
	if !(largestOf(short) > 1e-6) {
		t.Errorf("four parties that overshoot are not seen: %v", largestOf(short))
	}
}

func largestOf(all []float64) float64 {
	most := math.Inf(-1)
	for _, v := range all {
		most = math.Max(most, v)
	}
	return most
}

// Below the theorem's penalty a run says that it does not apply, and by how much; below that at which the hub's step
// has one minimiser there is no run. Left to the program the penalty is above both.
func TestSharing_PenaltiesOfLossesThatAreNotConvex(t *testing.T) {
	for _, of := range dents {
		for _, form := range []string{"jacobi", "averaged"} {
			b := dented(12, []int{2, 1, 2}, "sum", of)
			b.ridge = 50 // so that three parties at once do not overshoot
			e, _ := Lookup("admm-sharing")
			make := func(eta float64) (*sharing, error) {
				m, err := e.New(&Sharing{Eta: eta, Form: form, Loss: "sum"}, b.setting(t, 3))
				if err != nil {
					return nil, err
				}
				return m.(*sharing), nil
			}
			share := map[string]float64{"jacobi": 1, "averaged": 3}[form]
			unique, least := share*problem.Concavity(of), share*theory.NewSharing(b.vertical(), 1, share).Least()
			_, err := make(unique * 0.999)
			says := fmt.Sprint(err)
			if !strings.Contains(says, fmt.Sprintf("algorithm.eta must be above %.4g", unique)) ||
				!strings.Contains(says, fmt.Sprintf("above %.4g the", least)) {
				t.Errorf("%T, %s: a penalty with which the hub's step has several minimisers: %v", of, form, err)
			}
			for _, c := range []struct {
				eta     float64
				applies bool
			}{{unique * 1.001, false}, {least * 0.999, false}, {least * 1.001, true}} {
				m, err := make(c.eta)
				if err != nil {
					t.Fatal(err)
				}
				th := m.Theorems(4, 5)[0]
				says := strings.HasPrefix(th.Reason, "does not apply: algorithm.eta must be above "+
					fmt.Sprintf("%.4g", least))
				if th.Holds != c.applies || says == c.applies || strings.HasPrefix(th.Reason, "applies") != c.applies {
					t.Errorf("%T, %s, eta = %v: %v %s", of, form, c.eta, th.Holds, th.Reason)
				}
				all := strings.Join(m.Warnings(), "\n")
				if strings.Contains(all, "nothing is proved") == c.applies {
					t.Errorf("%T, %s, eta = %v: warnings %q", of, form, c.eta, m.Warnings())
				}
			}
			p := &Sharing{Eta: parameter.Auto, Form: form, Loss: "sum"}
			settled, computed := Settle(p, b.setting(t, 3))
			if eta := settled.(*Sharing).Eta; !(eta > 1.1*least) || len(computed) != 1 {
				t.Errorf("%T, %s: the penalty is computed to be %v, and the theorem needs %v", of, form, eta, least)
			}
		}
	}
	// A convex loss has the same theorem, and no warning where it does not apply.
	b := newBlocks(12, []int{2, 1}, "sum")
	e, _ := Lookup("admm-sharing")
	m, err := e.New(&Sharing{Eta: 1e-3, Form: "jacobi", Loss: "sum"}, b.setting(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	if s := m.(*sharing); s.Theorems(4, 5)[0].Holds || s.Warnings() != nil {
		t.Errorf("%+v %q", s.Theorems(4, 5), s.Warnings())
	}
}

// The claim of private sharing does not depend on the loss: it is about what a party sends, given what the hub sent.
func TestPrivateSharing_ClaimsTheSameOfLossesThatAreNotConvex(t *testing.T) {
	for _, unit := range []bool{true, false} {
		var errs []string
		for _, of := range append([]problem.Loss{problem.Logistic}, dents...) {
			b := dented(9, []int{2, 3}, "mean", of)
			if unit {
				b.unit()
			}
			m := sharingOf(t, b, 4, "range", func(p *PrivateSharing) { p.Eta = 3 })
			err := m.Established()
			if (err == nil) != unit {
				t.Errorf("%T: %v", of, err)
			}
			text := fmt.Sprint(err)
			eps, delta := m.Composed(4)
			errs = append(errs, fmt.Sprint(text, eps, delta))
			if errs[len(errs)-1] != errs[0] {
				t.Errorf("%T: %s, and with the logistic loss %s", of, errs[len(errs)-1], errs[0])
			}
		}
	}
}

// Random starts: what parties know of each other and what the hub knows stay as they are, since u is zero at the start;
// the first step is from the coefficients drawn.
func TestSharing_RandomStart(t *testing.T) {
	b := dented(10, []int{2, 3}, "mean", problem.Sigmoid)
	s := b.setting(t, 1)
	m, err := newSharing(Sharing{Eta: 1, Form: "jacobi"}, s)
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0.7, -2}
	p := &Party{X: []float64{0.7, -2}}
	if _, err := m.Answer(p, 1, make([]float64, 20)); err != nil {
		t.Fatal(err)
	}
	v := times(b.d[0], x) // y = 0, u = 0: min ½λ‖x‖² + ½ρ‖Dx − Dx⁰‖²
	for n := range v {
		v[n] = -v[n]
	}
	near(t, "the first step", p.X, ridgeSolve(b.d[0], b.ridge, 1, v), 1e-10)
	if _, err := NewProtocol(Config{Setting: s, Method: m, Init: Init{Normal: 1}}); err != nil {
		t.Errorf("a random start: %v", err)
	}
}

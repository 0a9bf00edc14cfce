// What the search for the worst trace finds: the loss of its witnesses is computed again from the papers' formulas, no
// trace of any run loses more than its bounds, and the bounds are the closed forms.

package adversary

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/problem"
)

// The loss of a witness is what the densities of the definitions say, and comes to the bound in every round that a
// neighbour's noise can steer.
func TestSearch_WitnessesLoseWhatIsSaid(t *testing.T) {
	const node, size = definedNode, 6.0
	for _, c := range definitions(t) {
		_, public := c.run(c.w)
		if public.Hub || strings.Contains(c.name, "Gaussian") {
			if w, err := Search(public, node, c.w.samples(node), 0, 1); err == nil {
				t.Errorf("%s: searched: %+v", c.name, w.Rounds)
			}
			continue
		}
		w, err := Search(public, node, c.w.samples(node), 0, 1)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		lost := func(at Witness, rounds []int) (sum float64) {
			v := values(at.Trace)
			var in [2]*fixture
			for k, row := range at.Pair {
				if n := norm(row.U); !(n <= 1+1e-12) {
					t.Errorf("%s: a row of norm %v", c.name, n)
				}
				in[k] = c.w.with(node, Sample{row.U, 1})
			}
			for _, round := range rounds {
				sum += c.density(in[0], v, round) - c.density(in[1], v, round)
			}
			return sum
		}
		if got := lost(w.Run, c.rounds); !(math.Abs(got-w.Found) <= 1e-4*w.Found) {
			t.Errorf("%s: the witness of the run loses %v, said to be %v", c.name, got, w.Found)
		}
		if got := lost(*w.First, c.rounds[:1]); !(math.Abs(got-w.Rounds[0].Found) <= 1e-4*got) {
			t.Errorf("%s: the witness of round 1 loses %v, said to be %v", c.name, got, w.Rounds[0].Found)
		}
		for k, p := range w.Rounds {
			if p.Round != c.rounds[k] || !(p.Found <= p.Bound*(1+1e-6)) || !(p.Found > 0) {
				t.Errorf("%s: %+v", c.name, p)
			}
			if k > 0 && !(p.Found >= p.Bound*(1-1e-4)) {
				t.Errorf("%s, round %d: found %v, the bound is %v", c.name, p.Round, p.Found, p.Bound)
			}
		}
		t.Logf("%-25s run %.6g of %.6g, round 1 %.5g, round 3 %.9g of %.9g", c.name, w.Found, w.Bound,
			w.Rounds[0].Found, w.Rounds[1].Found, w.Rounds[1].Bound)
	}
}

// No pair and no trace of a run loses more than the bound of its round.
func TestSearch_NoRunLosesMoreThanItsBound(t *testing.T) {
	g := rand.New(rand.NewPCG(14, 4))
	row := func() Sample {
		x := make([]float64, 3)
		for k := range x {
			x[k] = g.NormFloat64()
		}
		n := norm(x)
		for k := range x {
			x[k] /= n
		}
		return Sample{x, float64(2*g.IntN(2) - 1)}
	}
	for _, c := range definitions(t) {
		rec, public := c.run(c.w)
		w, err := Search(public, definedNode, c.w.samples(definedNode), 0, 1)
		if err != nil {
			continue
		}
		for range 40 {
			in := [2]*fixture{c.w.with(definedNode, row()), c.w.with(definedNode, row())}
			l, err := NewLikelihood(public, definedNode, in[0].samples(definedNode), in[1].samples(definedNode))
			if err != nil {
				t.Fatal(err)
			}
			rounds, err := l.Weigh(Observe(rec, Vantage{}, public, nil))
			if err != nil {
				t.Fatal(err)
			}
			for k, e := range rounds {
				if got := math.Abs(e.Ratio()); !(got <= w.Rounds[k].Bound) {
					t.Errorf("%s, round %d: a run loses %v, no trace should lose more than %v", c.name, e.Round, got,
						w.Rounds[k].Bound)
				}
			}
		}
	}
}

// The greatest slope and curvature together: the closed form is that of a fine grid.
func TestLogisticPeak_IsTheLargest(t *testing.T) {
	for _, a := range []float64{1e-3, 0.1, 1, 7} {
		for _, b := range []float64{1e-3, 0.1, 1, 20, 1e4} {
			value := func(p float64) float64 { return a*p + math.Log1p(b*p*(1-p)) }
			p, most := logisticPeak(a, b), math.Inf(-1)
			for k := range 100001 {
				most = max(most, value(float64(k)/1e5))
			}
			if !(value(p) >= most-1e-12) || !(p > 0 && p <= 1) {
				t.Errorf("a = %v, b = %v: %v at %v, a grid has %v", a, b, value(p), p, most)
			}
		}
	}
}

// What cannot be searched says why.
func TestSearch_SaysWhyNot(t *testing.T) {
	f := small(t, 6, 3, ring(4))
	own := f.samples(1)
	for want, change := range map[string]func(p *model.Public){
		"no bound": func(p *model.Public) { p.Loss = problem.Squared },
		"longer":   func(p *model.Public) { p.Rounds = searchRounds + 1 },
		"classes":  func(p *model.Public) { p.Classes = 3 },
	} {
		_, p := definitions(t)[0].run(f)
		public := *p
		change(&public)
		if _, err := Search(&public, 1, own, 0, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

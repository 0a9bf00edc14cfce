// The conditions of ADMM sharing's descent.

package theory

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"overhear/problem"
)

// The least penalty of the hub by hand: √2 L of a convex loss, 2L where −L″ comes to as much as L″.
func TestSharing_LeastPenalty(t *testing.T) {
	for concavity, want := range map[float64]float64{0: math.Sqrt2, 1: 2, 0.5: (0.5 + math.Sqrt(8.25)) / 2} {
		s := Sharing{Slope: 0.3, Concavity: 0.3 * concavity}
		if got := s.Least(); !(math.Abs(got-0.3*want) <= 1e-15) {
			t.Errorf("μ = %v L: %v, by hand %v L", concavity, got, want)
		}
		h := s.Least() * (1 + 1e-9)
		if fall := h - s.Concavity - 2*s.Slope*s.Slope/h; !(fall > 0 && fall < 1e-8) {
			t.Errorf("μ = %v L: the hub's step and the dual's lower it by %v there", concavity, fall)
		}
	}
}

// γ of four parties that step at once, against the change of the quadratic part along random directions, which never
// falls less; with the same columns everywhere it is λ − 2ρ times the greatest eigenvalue of DᵀD.
func TestSharing_PartiesAtOnce(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 9))
	blocks := func(same bool) (all []*problem.Rows) {
		for m := range 4 {
			b := problem.NewRows(2)
			for n := range 6 {
				row := []float64{g.NormFloat64(), g.NormFloat64()}
				if same && m > 0 {
					_, first := all[0].Row(n)
					row = first
				}
				b.Append([]int32{0, 1}, row)
			}
			all = append(all, b)
		}
		return all
	}
	s := Sharing{Slope: 0.1, Penalty: 0.5, Share: 1, Ridge: 12, Blocks: blocks(false)}
	d := s.Descent()
	if !d.Applies || !strings.HasPrefix(d.Reason, "applies: algorithm.eta, 0.5, is above 0.1414") {
		t.Fatalf("%+v", d)
	}
	least := math.Inf(1)
	for range 20000 {
		square, all, own := 0.0, make([]float64, 6), 0.0
		for _, b := range s.Blocks {
			x := []float64{g.NormFloat64(), g.NormFloat64()}
			square += x[0]*x[0] + x[1]*x[1]
			for n := range 6 {
				_, row := b.Row(n)
				p := row[0]*x[0] + row[1]*x[1]
				own += p * p
				all[n] += p
			}
		}
		sum := 0.0
		for _, p := range all {
			sum += p * p
		}
		least = math.Min(least, (s.Ridge*square+2*s.Penalty*own-s.Penalty*sum)/square)
	}
	if !(d.Parties <= least+1e-9 && least <= d.Parties+2) {
		t.Errorf("γ is %v, and the least of 20,000 directions is %v", d.Parties, least)
	}
	s.Blocks, s.Ridge = blocks(true), 1
	want := 1 - 2*0.5*stretch(s.Blocks[0])
	d = s.Descent()
	if d.Applies || !(math.Abs(d.Parties-want) <= 1e-9) || !strings.Contains(d.Reason, "form: averaged") {
		t.Errorf("the same columns four times: %+v, by hand %v", d, want)
	}
	s.Share, s.Penalty = 4, 2 // averaged: the hub's penalty is the same
	if d := s.Descent(); !d.Applies || d.Parties != 1 {
		t.Errorf("averaged: %+v", d)
	}
	s.Ridge = 0
	if d := s.Descent(); !d.Applies || d.Parties != 0 {
		t.Errorf("averaged, without a ridge: %+v", d)
	}
	s.Share, s.Penalty = 1, 0.5
	if d := s.Descent(); d.Applies || !strings.Contains(d.Reason, "without a ridge") {
		t.Errorf("at once, without a ridge: %+v", d)
	}
	s.Ridge, s.Penalty = 1, 0.1414
	if d := s.Descent(); d.Applies || !strings.Contains(d.Reason, "algorithm.eta must be above 0.1414") ||
		!(d.Hub < 0) {
		t.Errorf("a small penalty: %+v", d)
	}
	wide := problem.NewRows(largestGram)
	wide.Append([]int32{0}, []float64{1})
	s = Sharing{Slope: 0.1, Penalty: 0.5, Share: 1, Ridge: 1, Blocks: []*problem.Rows{wide, wide, wide}}
	if d := s.Descent(); d.Applies || !strings.Contains(d.Reason, "is not computed") || !math.IsNaN(d.Parties) {
		t.Errorf("many columns: %+v", d)
	}
}

// A loss that is not convex is said of every theorem that needs one.
func TestTheorem_CoversLossesThatAreNotConvex(t *testing.T) {
	for _, th := range []Theorem{ZKL18Theorem31, ZKL18Theorem32, RA19Theorem1, PDMLTheorem1, PDMLTheorem2,
		PDMLCorollary1, PDMLCorollary2} {
		if err := th.Covers(Circumstances{NonConvex: true}); !strings.Contains(fmt.Sprint(err), "not convex") {
			t.Errorf("%s: %v", th.Name, err)
		}
	}
	if err := SharingDescent.Covers(Circumstances{NonConvex: true, Kinks: true, Flat: true, Unlike: true}); err != nil {
		t.Error(err)
	}
	for _, c := range []Circumstances{{Noise: true}, {Amnesia: true}, {Departure: true}, {Staleness: true}} {
		if SharingDescent.Covers(c) == nil {
			t.Errorf("%s covers %+v", SharingDescent.Name, c)
		}
	}
}

// What known rows contribute to a gradient, by hand.

package adversary

import (
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/internal/num"
	"overhear/problem"
)

// Of rows with one of three classes: the probabilities' excess over the row's class, in each class's block.
func TestGradientOver_OfSeveralClasses(t *testing.T) {
	u := problem.NewRows(2)
	rows := [][]float64{{0.5, -1}, {0.25, 0.75}}
	for _, x := range rows {
		u.Append([]int32{0, 1}, x)
	}
	s := &Samples{U: u, Y: []float64{1, 1}, Class: []int32{2, 0}}
	p := new(model.Public)
	p.D, p.C, p.Classes = 6, 1.5, 3
	f := []float64{0.3, -0.2, 1, 0.5, -0.7, 0.1}
	for _, loss := range []problem.Loss{problem.Softmax{}, problem.OneVsRest{Each: problem.Logistic, K: 3}} {
		p.Loss = loss
		want := make([]float64, 6)
		for i, x := range rows {
			z, sum := make([]float64, 3), 0.0
			for k := range z {
				z[k] = f[2*k]*x[0] + f[2*k+1]*x[1]
				sum += math.Exp(z[k])
			}
			for k := range z {
				slope := math.Exp(z[k]) / sum
				if _, ok := loss.(problem.OneVsRest); ok {
					slope = 1 / (1 + math.Exp(-z[k]))
				}
				if int(s.Class[i]) == k {
					slope--
				}
				for j, v := range x {
					want[2*k+j] += 1.5 / 5 * slope * v
				}
			}
		}
		for k, got := range gradientOver(p, s, 5, f) {
			if !(math.Abs(got-want[k]) <= 1e-15) {
				t.Errorf("%T: component %d is %v, want %v", loss, k, got, want[k])
			}
		}
	}
}

// Vectors along one another, of which rounding is left that no rotation sorts, have the span that they have.
func TestDecompose_VectorsAlongOneAnother(t *testing.T) {
	x := make([]float64, 105)
	for k := 0; k < len(x); k += 5 {
		x[k] = 1 / math.Sqrt(21)
	}
	var vectors [][]float64
	for k := range 60 {
		v := make([]float64, len(x))
		for c := range x {
			v[c] = float64(k%7+1) / 3 * x[c]
		}
		vectors = append(vectors, v)
	}
	s, err := decompose(vectors)
	if err != nil {
		t.Fatal(err)
	}
	if rank, _ := s.rank(1e-9); rank != 1 || !(math.Abs(math.Abs(num.Dot(s.left[0], x))-1) < 1e-12) ||
		!(math.Abs(num.Norm(s.left[0])-1) < 1e-12) {
		t.Errorf("rank %d, cosine %v, length %v", rank, num.Dot(s.left[0], x), num.Norm(s.left[0]))
	}
	basis := independent(vectors, 60)
	for i := range basis {
		for j := range i {
			if !(math.Abs(num.Dot(basis[i], basis[j])) < 1e-12) {
				t.Fatalf("vectors %d and %d are not at right angles", i, j)
			}
		}
	}
}

// A gradient at a point that was there before tells nothing new, and one at another point of the same norm does.
func TestDistinct_PointsCountOnce(t *testing.T) {
	at := func(x, y float64) model.Gradient { return model.Gradient{At: []float64{x, y}} }
	all := []model.Gradient{at(3, 4), at(0, 0), at(4, 3), at(3, 4), at(3+1e-9, 4), at(3+1e-6, 4), at(0, 0), at(-3, -4),
		at(4, 3+1e-9)}
	for k := range all {
		all[k].Round = k + 1
	}
	var rounds []int
	for _, g := range distinct(all) {
		rounds = append(rounds, g.Round)
	}
	if !slices.Equal(rounds, []int{1, 2, 3, 6, 8}) {
		t.Error(rounds)
	}
}

// One vector that adds none leaves a doubt, but where the rank is the number of rows that is known; so does what is no
// larger than what solves leave.
func TestSpectrum_Doubt(t *testing.T) {
	s := &spectrum{values: []float64{3, 2, 1e-3, 1e-9}}
	for _, c := range []struct {
		vectors, rank, size  int
		gap, floor           float64
		chance, below, steep bool
	}{{5, 3, 0, 1e6, 1e-6, false, false, false}, {4, 3, 0, 1e6, 1e-6, true, false, false},
		{4, 3, 3, 1e6, 1e-6, false, false, false}, {4, 3, 4, 1e6, 1e-6, true, false, false},
		{5, 3, 3, 1e6, 1e-2, false, true, false}, {4, 3, 0, 1e6, 1e-2, true, true, false},
		{5, 3, 0, 9999, 1e-6, false, false, true}, {5, 3, 0, 10000, 1e-6, false, false, false},
		{5, 3, 3, 200, 1e-6, false, false, false}} {
		got := s.doubt(c.vectors, c.rank, c.size, c.gap, c.floor)
		if strings.Contains(got, "chance") != c.chance || strings.Contains(got, "but for 2") != c.below ||
			strings.Contains(got, "own values") != c.steep {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// Comparisons of two curves, on tables written out here.

package reproduce

import (
	"math"
	"strings"
	"testing"

	"overhear/record"
)

// tabled are runs of a column "x", by seed and round, the start first.
func tabled(seeds ...[]float64) *Runs {
	r := &Runs{Curve: &Curve{}}
	for _, values := range seeds {
		t := &record.Table{Columns: []string{"x"}}
		for _, v := range values {
			t.Rows = append(t.Rows, []float64{v})
		}
		r.Tables = append(r.Tables, t)
	}
	return r
}

func TestAgainst_CountsRoundsSeedsAndCrossings(t *testing.T) {
	a := tabled([]float64{9, 1, 1, 5, 5, 1}, []float64{9, 1, 1, 5, 5, 5})
	b := tabled([]float64{0, 2, 2, 4, 4, 4}, []float64{0, 2, 2, 4, 4, 4})
	c := a.Against(b, "x", nil)
	want := "lower in 3 of 5 rounds and over them with 1 of 2 seeds, crossing in round 3, 5"
	if c.String() != want || c.Most() {
		t.Errorf("%s, want %s; most: %v", c, want, c.Most())
	}
	if got := b.Against(a, "x", nil); got.Lower != 2 || len(got.Crossings) != 2 || got.LowerSeeds != 1 {
		t.Errorf("the other way round: %+v", got)
	}
	odd := a.Against(b, "x", func(t int) bool { return t%2 == 1 })
	if odd.Rounds != 3 || odd.Lower != 2 || len(odd.Crossings) != 2 {
		t.Errorf("odd rounds: %+v", odd)
	}
	if c := a.Against(a, "x", nil); c.Lower != 0 || c.LowerSeeds != 0 || c.Crossings != nil {
		t.Errorf("against itself: %+v", c)
	}
	nan := tabled([]float64{0, math.NaN(), 0, 0, 0, 0}, []float64{0, 0, 0, 0, 0, 0})
	if c := nan.Against(b, "x", nil); c.Lower != 4 || c.LowerSeeds != 1 {
		t.Errorf("with a value that is no number: %+v", c)
	}
	var up, down []float64
	for k := range 12 {
		up, down = append(up, float64(k%2)), append(down, float64((k+1)%2))
	}
	if got := tabled(up).Against(tabled(down), "x", nil).String(); !strings.Contains(got,
		"10 crossings, the last in round 11") {
		t.Error(got)
	}
	// A difference at one round only decides nothing: it takes most of the rounds.
	spike := tabled([]float64{0, -100, 5, 5, 5, 5})
	if spike.Against(tabled([]float64{0, 4, 4, 4, 4, 4}), "x", nil).Most() {
		t.Error("one round decides")
	}
}

func TestEnd_IsTheLastFifth(t *testing.T) {
	var one, two []float64
	for k := range 101 {
		one, two = append(one, float64(k)), append(two, float64(k)+2)
	}
	r := tabled(one, two)
	if got := r.End("x"); got != 91.5 { // rounds 81 to 100, and one more in the mean of the seeds
		t.Errorf("the end is %v", got)
	}
	if got := r.EndWidth("x"); got != 2 {
		t.Errorf("the width is %v", got)
	}
	if got := r.LowerAtEnd(tabled(two, two), "x"); got != 1 {
		t.Errorf("lower with %d seeds", got)
	}
	if got := tabled([]float64{3}).End("x"); got != 3 {
		t.Errorf("of the start alone: %v", got)
	}
	if got := tabled([]float64{3, 1}).End("x"); got != 1 {
		t.Errorf("of one round: %v", got)
	}
}

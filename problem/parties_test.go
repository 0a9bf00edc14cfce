// Rows of norm 1 in every party's block, and rows that are repeated.

package problem

import (
	"math"
	"slices"
	"testing"

	"overhear/internal/num"
)

func TestScale_UnitPerParty(t *testing.T) {
	x := NewRows(5)
	x.Append([]int32{0, 1, 3}, []float64{3, 4, -2})
	x.Append([]int32{2, 3, 4}, []float64{1, 2, 2})
	x.Append([]int32{1}, []float64{-7})
	set := &Set{Name: "three", X: x, Y: []float64{1, -1, 1}}
	widths := []int{2, 3}
	s := Scale{Columns: "none", Rows: "unit-per-party"}
	scaled := s.Apply(set, nil)
	s.Parties(scaled, widths)
	want := [][]float64{{0.6, 0.8, 0, -1, 0}, {0, 0, 1.0 / 3, 2.0 / 3, 2.0 / 3}, {0, -1, 0, 0, 0}}
	for i := range want {
		row := make([]float64, 5)
		cols, vals := scaled.X.Row(i)
		for k, c := range cols {
			row[c] = vals[k]
		}
		for k := range row {
			if !(math.Abs(row[k]-want[i][k]) <= 1e-15) {
				t.Errorf("row %d is %v, want %v", i, row, want[i])
			}
		}
	}
	v, err := SplitColumns(scaled, widths, []int{0, 1}, nil, Logistic, "sum", 1)
	if err != nil {
		t.Fatal(err)
	}
	for m, block := range v.Blocks {
		for i := range block.Len() {
			_, row := block.Row(i)
			if norm := num.Norm(row); len(row) > 0 && !(math.Abs(norm-1) <= 1e-15) {
				t.Errorf("row %d of party %d has norm %v", i, m+1, norm)
			}
		}
	}
	// unit alone, the error that the key is for, leaves blocks shorter.
	unit := Scale{Columns: "none", Rows: "unit"}.Apply(set, nil)
	if _, row := unit.X.Row(0); !(num.Norm(row[:2]) < 0.95) {
		t.Errorf("rows of norm 1 have a block of norm %v", num.Norm(row[:2]))
	}
}

func TestSet_Distinct(t *testing.T) {
	x := NewRows(2)
	for _, row := range [][]float64{{1, 2}, {1, 3}, {1, 2}, {1, 2}, {0, 3}} {
		x.Append([]int32{0, 1}, row)
	}
	x.Append([]int32{1}, []float64{3}) // a zero that is left out
	set := &Set{X: x, Y: []float64{1, 1, -1, 1, 1, 1}}
	got := set.Distinct()
	if got.X.Len() != 4 || !slices.Equal(got.Y, []float64{1, 1, -1, 1}) || set.X.Len() != 6 {
		t.Errorf("%d rows of classes %v are left", got.X.Len(), got.Y)
	}
	set = &Set{X: x, Y: []float64{1, 1, 1, 1, 1, 1}, Class: []int32{0, 0, 2, 0, 0, 0}}
	if got := set.Distinct(); got.X.Len() != 4 || !slices.Equal(got.Class, []int32{0, 0, 2, 0}) {
		t.Errorf("%d rows of classes %v are left", got.X.Len(), got.Class)
	}
	set = &Set{X: x, Y: []float64{1, 1, 1, 1, 1, 1}, Targets: []float64{0, 0, 5, 0, 0, 1}}
	if got := set.Distinct(); got.X.Len() != 5 || !slices.Equal(got.Targets, []float64{0, 0, 5, 0, 1}) {
		t.Errorf("%d rows of targets %v are left", got.X.Len(), got.Targets)
	}
}

// Messages name the keys that are in use, and what columns there are.

package problem

import (
	"strings"
	"testing"
)

func TestNonSmooth_KeysAreThoseInUse(t *testing.T) {
	for want, h := range map[string]*NonSmooth{
		"problem.l1":                 {L1: 1},
		"problem.group":              {Group: 1},
		"problem.set":                {Set: Region{Kind: "ball", Radius: 1}},
		"problem.l1 and problem.set": {L1: 1, Set: Region{Kind: "ball", Radius: 1}},
		"problem.l1 and problem.group and problem.set": {L1: 1, Group: 1, Set: Region{Kind: "ball", Radius: 1}},
	} {
		if got := h.Keys(); got != want {
			t.Errorf("%+v: %q, want %q", h, got, want)
		}
	}
}

// The intercept is a column that a party must hold, too.
func TestSplitColumns_CountsTheIntercept(t *testing.T) {
	set := &Set{Name: "bin.csv", X: NewRows(3), Y: []float64{1}, Columns: []string{"a", "b", interceptName}}
	set.X.Append([]int32{0, 2}, []float64{1, 1})
	_, err := SplitColumns(set, []int{1, 1}, []int{0}, nil, Logistic, "mean", 1)
	const want = "widths add up to 2, but bin.csv has 2 columns and the intercept, 3 in all (problem.scale.intercept)"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

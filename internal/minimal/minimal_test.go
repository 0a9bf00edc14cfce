// What is enough is made small, and of what is left none can go.

package minimal

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSubset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		// One of several sets is enough, so that it is not the only one that is found.
		var sets [][]int
		for range rapid.IntRange(1, 3).Draw(t, "sets") {
			sets = append(sets, rapid.SliceOfN(rapid.IntRange(0, max(0, n-1)), 0, min(n, 6)).Draw(t, "set"))
		}
		enough := func(kept []int) bool {
			return slices.ContainsFunc(sets, func(s []int) bool {
				return !slices.ContainsFunc(s, func(k int) bool { return !slices.Contains(kept, k) })
			})
		}
		kept, err := Subset(n, func(kept []int) (bool, error) { return enough(kept), nil })
		if err != nil || !slices.IsSorted(kept) || !enough(kept) {
			t.Fatalf("%v, %v of %v is not enough", kept, err, sets)
		}
		for k := range kept {
			if enough(slices.Delete(slices.Clone(kept), k, k+1)) {
				t.Fatalf("%v of %v can do without %d", kept, sets, kept[k])
			}
		}
	})
}

// What could not be done without before may be done without later, so that the last pass is over what is left.
func TestSubset_GoesOnUntilNoneIsTaken(t *testing.T) {
	enough := func(kept []int) (bool, error) { // 2 is needed while 1 is there
		return slices.Contains(kept, 2) || !slices.Contains(kept, 1), nil
	}
	needed := func(kept []int) (bool, error) {
		ok, _ := enough(kept)
		return ok && slices.Contains(kept, 0) && len(kept) != 1 || slices.Equal(kept, []int{0}), nil
	}
	if kept, err := Subset(3, needed); err != nil || !slices.Equal(kept, []int{0}) {
		t.Errorf("%v, %v", kept, err)
	}
}

func TestSubset_OfManyAsksLittle(t *testing.T) {
	asked := 0
	kept, err := Subset(100_000, func(kept []int) (bool, error) {
		asked++
		_, a := slices.BinarySearch(kept, 17)
		_, b := slices.BinarySearch(kept, 40_000)
		return a && b, nil
	})
	if err != nil || !slices.Equal(kept, []int{17, 40_000}) || asked > 100 {
		t.Errorf("%v, %v after %d times", kept, err, asked)
	}
}

func TestSubset_EndsWithWhatIsLeft(t *testing.T) {
	stop := errors.New("enough is enough")
	asked := 0
	kept, err := Subset(16, func(kept []int) (bool, error) {
		if asked++; asked > 3 {
			return false, stop
		}
		return slices.Contains(kept, 2), nil
	})
	if !errors.Is(err, stop) || !slices.Contains(kept, 2) || len(kept) == 16 {
		t.Errorf("%v, %v", kept, err)
	}
}

// What a pass over single ones has kept may go when others have gone, so that there are passes until one takes none
// away.
func TestSubset_TriesSinglesUntilAllAreNeeded(t *testing.T) {
	sets := [][]int{{0, 1, 2, 3}, {0, 1, 3}, {1, 3}, {1}} // without 3 that is enough only where 0 and 2 have gone
	kept, err := Subset(4, func(kept []int) (bool, error) {
		return slices.ContainsFunc(sets, func(s []int) bool { return slices.Equal(s, kept) }), nil
	})
	if err != nil || !slices.Equal(kept, []int{1}) {
		t.Errorf("%v, %v", kept, err)
	}
}

// What is found is smallest, by all sets that are enough, which are known here.
func TestSmaller(t *testing.T) {
	for name, c := range map[string]struct {
		n, size, most int
		sets          [][]int
		want          []int
		whole         bool
	}{
		"none":            {5, 3, 100, nil, nil, true},
		"a single one":    {5, 3, 100, [][]int{{0, 1, 2}, {3}}, []int{3}, true},
		"two of five":     {5, 3, 100, [][]int{{1, 4}}, []int{1, 4}, true},
		"of their size":   {5, 2, 100, [][]int{{1, 4}}, nil, true},
		"too many trials": {9, 4, 20, [][]int{{7, 8}}, nil, false},
		"the last of all": {4, 4, 100, [][]int{{1, 2, 3}}, []int{1, 2, 3}, true},
	} {
		tried := map[string]bool{}
		got, whole, err := Smaller(c.n, c.size, c.most, func(kept []int) (bool, error) {
			if tried[fmt.Sprint(kept)] {
				t.Errorf("%s: %v is tried twice", name, kept)
			}
			tried[fmt.Sprint(kept)] = true
			return slices.ContainsFunc(c.sets, func(s []int) bool {
				return !slices.ContainsFunc(s, func(k int) bool { return !slices.Contains(kept, k) })
			}), nil
		})
		if err != nil || !slices.Equal(got, c.want) || whole != c.whole || len(tried) > c.most {
			t.Errorf("%s: %v, %v after %d trials (%v), want %v, %v", name, got, whole, len(tried), err, c.want, c.whole)
		}
	}
	broken := errors.New("broken")
	if _, _, err := Smaller(3, 2, 9, func([]int) (bool, error) { return false, broken }); !errors.Is(err, broken) {
		t.Errorf("an error becomes %v", err)
	}
}

// The first k are enough and the first k−1 are not, whatever more do; and where more are never too much, fewer are not.
func TestBeginning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "n")
		is := rapid.SliceOfN(rapid.Bool(), n+1, n+1).Draw(t, "enough")
		if from := rapid.IntRange(0, n).Draw(t, "from"); from > 0 {
			for k := range is {
				is[k] = k >= from
			}
		}
		is[0], is[n] = false, true
		tried := 0
		k, err := Beginning(n, func(first int) (bool, error) { tried++; return is[first], nil })
		if err != nil || !is[k] || is[k-1] {
			t.Fatalf("%d, %v of %v", k, err, is)
		}
		if most := 2 * bits.Len(uint(n)); tried > most {
			t.Fatalf("%d trials of %d", tried, n)
		}
	})
	failed := errors.New("failed")
	if _, err := Beginning(9, func(int) (bool, error) { return false, failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
}

// Package minimal makes what is enough for something small: faults that break an invariant, packets that an attack
// needs.
package minimal

import "slices"

// Subset takes away from 0 … n−1 what is not needed, and returns what is left, ascending: a set that is enough and of
// which none can be taken away alone. All of them are taken to be enough. It tries to do without all, then without
// halves, quarters and so on, the last of each first, until single ones are left and a whole pass over these takes none
// away; so the last pass has shown of each that it is needed. Where what is enough depends on the set alone, so does
// the result. An error of enough ends the search, and what is left by then comes with it.
func Subset(n int, enough func(kept []int) (bool, error)) ([]int, error) {
	kept := make([]int, n)
	for k := range kept {
		kept[k] = k
	}
	for size := max(n, 1); ; size = max(1, (size+1)/2) {
		taken := false
		for to := len(kept); to > 0; {
			from := max(0, to-size)
			without := slices.Concat(kept[:from], kept[to:])
			ok, err := enough(without)
			if err != nil {
				return kept, err
			}
			if ok {
				kept, taken = without, true
			}
			to = from
		}
		if size == 1 && !taken {
			return kept, nil
		}
	}
}

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

// Beginning is a k of which the first k of n are enough and the first k−1 are not. All of them are taken to be enough,
// and none not to be. It tries more and more of them, and then halves what lies between too few and enough. Where more
// can be too much, it may be that fewer than k are enough, too.
func Beginning(n int, enough func(first int) (bool, error)) (int, error) {
	few, many := 0, n
	for step := 1; many-few > 1; step *= 2 {
		at := few + step
		if at >= many {
			at = few + (many-few)/2
		}
		ok, err := enough(at)
		if err != nil {
			return many, err
		}
		if ok {
			many = at
		} else {
			few = at
		}
	}
	return many, nil
}

// Smaller is a set of less than size of 0 … n−1 that is enough; nil if there is none, or most trials are over. It tries
// all sets of one, then all of two and so on, in order, so that no smaller one than that it finds is enough. whole says
// whether that is so of all sets smaller than what is returned, or than size: none was left untried.
func Smaller(n, size, most int, enough func(kept []int) (bool, error)) (found []int, whole bool, err error) {
	for k := 1; k < size; k++ {
		set := make([]int, k)
		for i := range set {
			set[i] = i
		}
		for more := true; more; more = following(set, n) {
			if most--; most < 0 {
				return nil, false, nil
			}
			ok, err := enough(slices.Clone(set))
			if err != nil {
				return nil, false, err
			}
			if ok {
				return set, true, nil
			}
		}
	}
	return nil, true, nil
}

// following makes a set the next of its size out of 0 … n−1; false: it is the last.
func following(set []int, n int) bool {
	for i := len(set) - 1; i >= 0; i-- {
		if set[i] < n-len(set)+i {
			set[i]++
			for j := i + 1; j < len(set); j++ {
				set[j] = set[j-1] + 1
			}
			return true
		}
	}
	return false
}

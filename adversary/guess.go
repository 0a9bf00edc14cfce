// What somebody with an observer's knowledge would say without any message: what attacks have to be better than.

package adversary

import (
	"fmt"
	"maps"
	"slices"

	"overhear/internal/num"
	"overhear/internal/plural"
)

// guess is a sample, or a vector, that is said without a message.
type guess struct {
	by string
	x  []float64
}

// guesses are those of a sample of d numbers: zero, the mean of the rows that are known, that with the commonest value
// of every coded column, the mean of the candidates, and the sample of which all but an attribute is known with the
// attribute's likeliest value.
func (k *Knowledge) guesses(d int) []guess {
	all := []guess{{"zero", make([]float64, d)}}
	if k == nil {
		return all
	}
	var known [][]float64
	add := func(s *Samples) {
		if s == nil {
			return
		}
		for n := range s.Y {
			if x := s.At(n).X; len(x) == d {
				known = append(known, x)
			}
		}
	}
	add(k.Others)
	for _, node := range slices.Sorted(maps.Keys(k.Data)) {
		add(k.Data[node])
	}
	if len(known) > 0 {
		mean := meanOf(known)
		by := "the known row"
		if len(known) > 1 {
			by = fmt.Sprintf("the mean of the %s that are known", plural.Of(len(known), "row"))
		}
		all = append(all, guess{by, mean})
		if k.Schema != nil && len(k.Schema.Groups) > 0 {
			all = append(all, guess{by + ", each coded column at its commonest value", commonest(known, mean,
				k.Schema.Groups)})
		}
	}
	known = nil
	if add(k.Candidates); len(known) > 1 {
		all = append(all, guess{"the mean of the candidates", meanOf(known)})
	}
	if a := k.Attribute; a != nil {
		prior := a.prior(k)
		if x := a.Samples.At(slices.Index(prior, slices.Max(prior))).X; len(x) == d {
			all = append(all, guess{"the sample with the likeliest value of its " + a.Name, x})
		}
	}
	return all
}

// meanOf is that of vectors of a length.
func meanOf(all [][]float64) []float64 {
	mean := make([]float64, len(all[0]))
	for _, x := range all {
		num.Axpy(1/float64(len(all)), x, mean)
	}
	return mean
}

// commonest is the mean of rows with, of the columns of a group, only the one that is most often not zero, at the mean
// of its values there.
func commonest(rows [][]float64, mean []float64, groups [][]int) []float64 {
	x := append([]float64(nil), mean...)
	for _, group := range groups {
		counts := map[int]int{}
		best := -1
		for _, row := range rows {
			if c := active(row, group); c >= 0 {
				if counts[c]++; best < 0 || counts[c] > counts[best] || counts[c] == counts[best] && c < best {
					best = c
				}
			}
		}
		for _, c := range group {
			x[c] = 0
		}
		if best < 0 {
			continue
		}
		for _, row := range rows {
			if active(row, group) == best {
				x[best] += row[best] / float64(counts[best])
			}
		}
	}
	return x
}

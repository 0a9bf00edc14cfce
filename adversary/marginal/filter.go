// A filter over the values of a run, in the order in which they come to be.

package marginal

import (
	"errors"
	"math"

	"overhear/internal/num"
)

// Filter holds jointly normal values of d numbers each: how uncertain they are to an observer, given what it has seen,
// and by how much their means differ between the two worlds of each of several pairs. Values are made of others and
// observed; the slots of those that nothing will be made of any more are used again. All pairs have one covariance, so
// that many take little longer than one.
type Filter struct {
	d      int
	free   []int
	cov    [][]float64 // by number: slot·d + component
	mean   [][]float64 // by pair: difference of the means, world A less world B
	first  []float64   // variance of each number when it was made
	apart  []float64   // by pair: the greatest difference of means
	square []float64   // by pair: μ² so far

	rounded bool // rounding decided what a value told
}

// ErrRounding is why what an observer learns is not known.
var ErrRounding = errors.New("rounding decides what is learnt: of a value that was seen, all but a part in 10¹⁰ of " +
	"its variance followed from what was seen before, and that part tells the worlds apart")

// NewFilter is a filter of values of d numbers, in so many pairs of worlds.
func NewFilter(d, pairs int) *Filter {
	return &Filter{d: d, mean: make([][]float64, pairs), apart: make([]float64, pairs), square: make([]float64, pairs)}
}

// Known is the slot of a value that is known from the start, and the same in both worlds.
const Known = -1

// Term is a block, d × d by rows, times the value of a slot. A nil block is zero.
type Term struct {
	Slot  int
	Block []float64
}

// Value is what a new value is made of: terms, a block times noise N(0, I) that all values of a call share, and what
// it has more in world A than in world B of a pair; nil: nothing.
type Value struct {
	Terms []Term
	Noise []float64
	Shift []float64
	Pair  int // whose Shift it is
}

// Make makes values at once. A value that is the same in all runs and both worlds has the slot Known.
func (f *Filter) Make(values ...Value) []int {
	d := f.d
	slots := make([]int, len(values))
	rows := make([][][]float64, len(values)) // covariances with all values that are there
	for k, v := range values {
		var terms []Term
		for _, t := range v.Terms {
			if t.Slot != Known && t.Block != nil {
				terms = append(terms, t)
			}
		}
		values[k].Terms = terms
		if slots[k] = Known; len(terms) == 0 && v.Noise == nil && v.Shift == nil {
			continue
		}
		rows[k] = make([][]float64, d)
		for i := range rows[k] {
			rows[k][i] = make([]float64, len(f.cov))
			for _, t := range terms {
				for j := range d {
					if b := t.Block[i*d+j]; b != 0 {
						num.Axpy(b, f.cov[t.Slot*d+j], rows[k][i])
					}
				}
			}
		}
	}
	among := make([][][]float64, len(values)) // covariances of the new values with each other
	for k, v := range values {
		among[k] = make([][]float64, len(values))
		for l := range values[:k+1] {
			if rows[k] == nil || rows[l] == nil {
				continue
			}
			c := make([]float64, d*d)
			for i := range d {
				for j := range d {
					sum := 0.0
					for _, t := range values[l].Terms {
						sum += num.Dot(t.Block[j*d:(j+1)*d], rows[k][i][t.Slot*d:(t.Slot+1)*d])
					}
					if v.Noise != nil && values[l].Noise != nil {
						sum += num.Dot(v.Noise[i*d:(i+1)*d], values[l].Noise[j*d:(j+1)*d])
					}
					c[i*d+j] = sum
				}
			}
			among[k][l] = c
		}
	}
	means := make([][]float64, len(values)) // pair·d + component
	for k, v := range values {
		if rows[k] == nil {
			continue
		}
		means[k] = make([]float64, len(f.mean)*d)
		if v.Shift != nil {
			copy(means[k][v.Pair*d:(v.Pair+1)*d], v.Shift)
		}
		for p, mean := range f.mean {
			for _, t := range v.Terms {
				for i := range d {
					means[k][p*d+i] += num.Dot(t.Block[i*d:(i+1)*d], mean[t.Slot*d:(t.Slot+1)*d])
				}
			}
		}
	}
	for k := range values {
		if rows[k] != nil {
			slots[k] = f.take()
		}
	}
	for k := range values {
		if rows[k] == nil {
			continue
		}
		for p := range f.mean {
			shift := means[k][p*d : (p+1)*d]
			copy(f.mean[p][slots[k]*d:], shift)
			for _, m := range shift {
				f.apart[p] = max(f.apart[p], math.Abs(m))
			}
		}
		for i := range d {
			at := slots[k]*d + i
			for j, c := range rows[k][i] {
				f.cov[at][j], f.cov[j][at] = c, c
			}
		}
		for l := range values[:k+1] {
			if c := among[k][l]; c != nil {
				for i := range d {
					for j := range d {
						f.cov[slots[k]*d+i][slots[l]*d+j] = c[i*d+j]
						f.cov[slots[l]*d+j][slots[k]*d+i] = c[i*d+j]
					}
				}
			}
		}
	}
	for _, slot := range slots {
		for at := slot * d; slot != Known && at < (slot+1)*d; at++ {
			f.first[at] = f.cov[at][at]
		}
	}
	return slots
}

// take is a slot that is free.
func (f *Filter) take() int {
	if n := len(f.free); n > 0 {
		slot := f.free[n-1]
		f.free = f.free[:n-1]
		return slot
	}
	n := len(f.cov)
	for k := range f.cov {
		f.cov[k] = append(f.cov[k], make([]float64, f.d)...)
	}
	for range f.d {
		f.cov = append(f.cov, make([]float64, n+f.d))
	}
	for p := range f.mean {
		f.mean[p] = append(f.mean[p], make([]float64, f.d)...)
	}
	f.first = append(f.first, make([]float64, f.d)...)
	return n / f.d
}

// Free gives a slot back.
func (f *Filter) Free(slot int) {
	if slot == Known {
		return
	}
	for i := slot * f.d; i < (slot+1)*f.d; i++ {
		clear(f.cov[i])
		for k := range f.cov {
			f.cov[k][i] = 0
		}
		for _, mean := range f.mean {
			mean[i] = 0
		}
	}
	f.free = append(f.free, slot)
}

// settled is the share of a number's first variance, and of the greatest difference of means, that rounding may leave
// of one that follows from what was seen; nothing is that of the variance which it leaves of one that surely does.
const (
	settled = 1e-10
	nothing = 1e-13
)

// Observe tells the observer the value of a slot, one number after the other.
func (f *Filter) Observe(slot int) {
	if slot == Known {
		return
	}
	for at := slot * f.d; at < (slot+1)*f.d; at++ {
		row := f.cov[at]
		variance := row[at]
		if variance > settled*f.first[at] {
			for p, mean := range f.mean {
				f.square[p] += float64(mean[at] * mean[at] / variance)
			}
			for k, c := range row {
				if c != 0 && k != at {
					num.Axpy(-c/variance, row, f.cov[k])
					for _, mean := range f.mean {
						mean[k] -= float64(c / variance * mean[at])
					}
				}
			}
		} else {
			for p, mean := range f.mean {
				if math.Abs(mean[at]) > settled*f.apart[p] { // and no noise hides it
					f.square[p] = math.Inf(1)
					f.rounded = f.rounded || variance > nothing*f.first[at]
				}
			}
		}
		for k := range f.cov {
			f.cov[k][at] = 0
		}
		clear(row)
		for _, mean := range f.mean {
			mean[at] = 0
		}
	}
}

// Alone is μ² of the value of a slot by itself, given what was observed, by pair.
func (f *Filter) Alone(slot int) []float64 {
	g := NewFilter(f.d, len(f.mean))
	if slot == Known {
		return g.square
	}
	g.take()
	for i := range f.d {
		at := slot*f.d + i
		copy(g.cov[i], f.cov[at][slot*f.d:(slot+1)*f.d])
		g.first[i] = f.first[at]
		for p, mean := range f.mean {
			g.mean[p][i] = mean[at]
		}
	}
	copy(g.apart, f.apart)
	g.Observe(0)
	return g.square
}

// Squares are μ² of all that was observed, by pair; the error is ErrRounding.
func (f *Filter) Squares() ([]float64, error) {
	if f.rounded {
		return nil, ErrRounding
	}
	return f.square, nil
}

// Within says whether what an observer learns is no more than what one learns who sees all, as it must be.
func Within(mu, all float64) bool { return mu <= all*(1+1e-6) }

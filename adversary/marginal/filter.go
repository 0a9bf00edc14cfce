// A filter over the values of a run, in the order in which they come to be.

package marginal

import (
	"errors"
	"math"
	"slices"

	"overhear/internal/num"
)

// Filter holds jointly normal values of d numbers each: how uncertain they are to an observer, given what it has seen,
// and by how much their means differ between the two worlds of each of several pairs. Values are made of others and
// observed; the slots of those that nothing will be made of any more are used again. All pairs have one covariance, so
// that many take little longer than one.
//
// A number is held by its loadings: what it has of each of as many independent N(0, 1) as matter. What is seen rotates
// them so that it has something of one only, which is then known, and dropped. A covariance, the product of two
// loadings, would keep half the digits.
type Filter struct {
	d     int
	width int // of the loadings
	free  []int
	loads [][]float64 // by number: slot·d + component
	scale []float64   // by number: the size² of what rounding has an ulp of in its loadings
	mean  [][]float64 // by pair: difference of the means, world A less world B
	apart []float64   // by pair: the greatest difference of means

	square []float64 // by pair: μ² so far
	doubt  []float64 // by pair: how much of it rounding may have made, or have hidden
}

// ErrRounding is why what an observer learns is not known.
var ErrRounding = errors.New("rounding decides what is learnt: a value that was seen followed, but for a part in " +
	"10¹³ of its noise, from what was seen before, and that part tells the worlds apart")

// NewFilter is a filter of values of d numbers, in so many pairs of worlds.
func NewFilter(d, pairs int) *Filter {
	return &Filter{d: d, mean: make([][]float64, pairs), apart: make([]float64, pairs), square: make([]float64, pairs),
		doubt: make([]float64, pairs)}
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
	if slices.ContainsFunc(values, func(v Value) bool { return v.Noise != nil }) {
		f.widen()
	}
	drawn := f.width - d
	made := make([]Filter, len(values)) // of one slot each, which no other value is made of
	for k, v := range values {
		var terms []Term
		for _, t := range v.Terms {
			if t.Slot != Known && t.Block != nil {
				terms = append(terms, t)
			}
		}
		if slots[k] = Known; len(terms) == 0 && v.Noise == nil && v.Shift == nil {
			continue
		}
		slots[k] = 0
		to := &made[k]
		to.loads, to.scale, to.mean = make([][]float64, d), make([]float64, d), make([][]float64, len(f.mean))
		for i := range d {
			row := make([]float64, f.width)
			for _, t := range terms {
				for j, b := range t.Block[i*d : (i+1)*d] {
					if at := t.Slot*d + j; b != 0 {
						num.Axpy(b, f.loads[at], row)
						to.scale[i] += float64(b * b * f.scale[at])
					}
				}
			}
			if v.Noise != nil {
				num.Axpy(1, v.Noise[i*d:(i+1)*d], row[drawn:])
			}
			to.loads[i], to.scale[i] = row, max(to.scale[i], num.Dot(row, row))
		}
		for p, mean := range f.mean {
			to.mean[p] = make([]float64, d)
			if v.Shift != nil && v.Pair == p {
				copy(to.mean[p], v.Shift)
			}
			for _, t := range terms {
				for i := range d {
					to.mean[p][i] += num.Dot(t.Block[i*d:(i+1)*d], mean[t.Slot*d:(t.Slot+1)*d])
				}
			}
		}
	}
	for k := range values {
		if slots[k] == Known {
			continue
		}
		slots[k] = f.take()
		copy(f.loads[slots[k]*d:], made[k].loads)
		copy(f.scale[slots[k]*d:], made[k].scale)
		for p, mean := range made[k].mean {
			copy(f.mean[p][slots[k]*d:], mean)
			for _, m := range mean {
				f.apart[p] = max(f.apart[p], math.Abs(m))
			}
		}
	}
	return slots
}

// widen adds d independent numbers that loadings may have something of, where there are enough already after it has
// made do with fewer: as many as there are loadings.
func (f *Filter) widen() {
	if f.width > 2*len(f.loads)+f.d {
		f.condense()
	}
	for k, row := range f.loads {
		f.loads[k] = append(row, make([]float64, f.d)...)
	}
	f.width += f.d
}

// condense rotates the loadings so that the k-th has something of the first k+1 numbers only.
func (f *Filter) condense() {
	n := len(f.loads)
	for k := range n {
		reflect(f.loads[k:], 0, k, f.width)
	}
	for k := range f.loads {
		f.loads[k] = f.loads[k][:n:n]
	}
	f.width = n
}

// reflect reflects rows in a plane so that of columns from to to−1 the row at has something of one only, from, and
// returns what.
func reflect(rows [][]float64, at, from, to int) float64 {
	x := rows[at][from:to]
	size := num.Norm(x)
	if size == 0 {
		return 0
	}
	if x[0] > 0 {
		size = -size
	}
	v := slices.Clone(x) // x − size·e, which is normal to the plane
	v[0] -= size
	half := -float64(size * v[0]) // ½|v|²
	for k, row := range rows {
		if y := row[from:to]; k != at {
			if of := num.Dot(v, y); of != 0 {
				num.Axpy(-of/half, v, y)
			}
		}
	}
	clear(x)
	x[0] = size
	return size
}

// take is a slot that is free.
func (f *Filter) take() int {
	if n := len(f.free); n > 0 {
		slot := f.free[n-1]
		f.free = f.free[:n-1]
		return slot
	}
	n := len(f.loads)
	for range f.d {
		f.loads = append(f.loads, make([]float64, f.width))
	}
	for p := range f.mean {
		f.mean[p] = append(f.mean[p], make([]float64, f.d)...)
	}
	f.scale = append(f.scale, make([]float64, f.d)...)
	return n / f.d
}

// Free gives a slot back.
func (f *Filter) Free(slot int) {
	if slot == Known {
		return
	}
	for at := slot * f.d; at < (slot+1)*f.d; at++ {
		f.forget(at)
	}
	f.free = append(f.free, slot)
}

// forget makes a number one that is known, and the same in both worlds.
func (f *Filter) forget(at int) {
	clear(f.loads[at])
	f.scale[at] = 0
	for _, mean := range f.mean {
		mean[at] = 0
	}
}

const (
	ulp     = 1.0 / (1 << 52)
	settled = 1e-13 // of the size of a number's loadings: what is left is rounding, of the number or of messages
	surely  = 1e-6  // of the greatest difference of means: it is no rounding, and no noise hides it
	same    = 1e-11 // of it: it is rounding
)

// Observe tells the observer the value of a slot, one number after the other.
func (f *Filter) Observe(slot int) {
	if slot == Known {
		return
	}
	for at := slot * f.d; at < (slot+1)*f.d; at++ {
		size, whole := num.Norm(f.loads[at]), math.Sqrt(f.scale[at])
		if size > settled*whole {
			size = reflect(f.loads, at, 0, f.width)
			for p, mean := range f.mean {
				z := mean[at] / size
				f.square[p] += float64(z * z)
				err := ulp * (float64(math.Abs(z)*whole) + f.apart[p]) / math.Abs(size)
				f.doubt[p] += float64(err * (2*math.Abs(z) + err))
				for k, row := range f.loads {
					if c := row[0]; c != 0 {
						mean[k] -= float64(c * z)
					}
				}
			}
			f.width--
			for k, row := range f.loads {
				row[0] = row[f.width]
				f.loads[k] = row[:f.width]
			}
		} else {
			for p, mean := range f.mean {
				m := math.Abs(mean[at])
				if m > surely*f.apart[p] {
					f.square[p] = math.Inf(1)
				}
				if m > same*f.apart[p] && (m <= surely*f.apart[p] || size > 16*ulp*whole) {
					f.doubt[p] = math.Inf(1)
				}
			}
		}
		f.forget(at)
	}
}

// Alone is μ² of the value of a slot by itself, given what was observed, by pair.
func (f *Filter) Alone(slot int) []float64 {
	g := NewFilter(f.d, len(f.mean))
	if slot == Known {
		return g.square
	}
	g.width = f.width
	g.take()
	for i := range f.d {
		at := slot*f.d + i
		copy(g.loads[i], f.loads[at])
		g.scale[i] = f.scale[at]
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
	const part, little = 0.01, 1e-12
	for p, doubt := range f.doubt {
		if !(doubt <= max(little, part*min(f.square[p], math.MaxFloat64))) {
			return nil, ErrRounding
		}
	}
	return f.square, nil
}

// Within says whether what an observer learns is no more than what one learns who sees all, as it must be.
func Within(mu, all float64) bool { return mu <= all*(1+1e-6) }

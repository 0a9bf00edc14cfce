// Rows of a matrix.

package problem

import (
	"encoding/json"
	"slices"
	"sync/atomic"

	"overhear/internal/num"
)

// Rows is an n×D matrix in compressed rows: row i has the values
// Val[Start[i]:Start[i+1]] in the columns Col[Start[i]:Start[i+1]], ascending.
//
// As long as every row that is appended has all columns, there is no index: Start is empty and Col has the columns
// once. Use Row, which serves both.
type Rows struct {
	D     int
	Start []int32
	Col   []int32
	Val   []float64

	n, stride int // of a matrix without an index: its rows, and how far apart they begin in Val; else 0
	outlined  int // of an outline, which has no rows: the entries that they would have; else 0

	arranged atomic.Pointer[design] // for products; nil: not yet
}

// NewRows returns a matrix without rows.
func NewRows(d int) *Rows { return &Rows{D: d, Start: []int32{0}} }

// newRows is NewRows with room for so many rows and entries.
func newRows(d, rows, entries int) *Rows {
	r := NewRows(d)
	r.Val = make([]float64, 0, entries)
	if entries < rows*d {
		r.Start, r.Col = append(make([]int32, 0, rows+1), 0), make([]int32, 0, entries)
	}
	return r
}

// full says whether the matrix has no index, as every row has all columns.
func (r *Rows) full() bool { return r.stride > 0 }

// Len is the number of rows.
func (r *Rows) Len() int {
	if r.full() || r.outlined > 0 {
		return r.n
	}
	return len(r.Start) - 1
}

// Entries is how many entries all rows have.
func (r *Rows) Entries() int {
	switch {
	case r.outlined > 0:
		return r.outlined
	case r.full():
		return r.n * r.D
	}
	return len(r.Val)
}

// Bytes is how much memory the matrix takes, but for what products are arranged in.
func (r *Rows) Bytes() float64 {
	switch {
	case r.outlined > 0 && r.full():
		return float64(8*r.outlined + 4*r.D)
	case r.outlined > 0:
		return float64(12*r.outlined + 4*(r.n+1))
	}
	return float64(8*len(r.Val)) + float64(4*(len(r.Col)+len(r.Start)))
}

// Row returns the columns and values of row i; not to be modified.
func (r *Rows) Row(i int) ([]int32, []float64) {
	if r.full() {
		return r.Col, r.fullRow(i)
	}
	a, b := r.Start[i], r.Start[i+1]
	return r.Col[a:b], r.Val[a:b]
}

// fullRow is row i of a matrix without an index.
func (r *Rows) fullRow(i int) []float64 {
	at := i * r.stride
	return r.Val[at : at+r.D : at+r.D]
}

// Append adds a row.
func (r *Rows) Append(cols []int32, vals []float64) {
	switch all := len(vals) == r.D && r.D > 0; {
	case all && !r.full() && len(r.Start) == 1: // the first
		r.stride, r.Start, r.Col = r.D, nil, slices.Clone(cols)
	case r.full() && (!all || r.stride != r.D):
		r.index()
	}
	r.Val = append(r.Val, vals...)
	if r.full() {
		r.n++
		return
	}
	r.Col = append(r.Col, cols...)
	r.Start = append(r.Start, int32(len(r.Col)))
}

// index gives a matrix without an index one.
func (r *Rows) index() {
	width, col := len(r.Col), r.Col
	val := make([]float64, 0, r.n*width)
	r.Start, r.Col = make([]int32, 1, r.n+1), make([]int32, 0, r.n*width)
	for i := range r.n {
		val = append(val, r.Val[i*r.stride:i*r.stride+width]...)
		r.Col = append(r.Col, col...)
		r.Start = append(r.Start, int32(len(r.Col)))
	}
	r.Val, r.n, r.stride = val, 0, 0
}

// part shares the columns first…first+d−1 of the rows from…to−1 > from of a matrix without an index.
func (r *Rows) part(from, to, first, d int) *Rows {
	p := &Rows{D: d, n: to - from, stride: r.stride, Col: r.Col[:d]}
	p.Val = r.Val[from*r.stride+first : (to-1)*r.stride+first+d]
	if d == r.stride {
		p.Val = slices.Clip(p.Val) // a row that is appended must not be written over the next one
	}
	return p
}

// MarshalJSON writes compressed rows.
func (r *Rows) MarshalJSON() ([]byte, error) {
	type plain Rows
	return json.Marshal((*plain)(r.indexed()))
}

// indexed is the same matrix, with an index.
func (r *Rows) indexed() *Rows {
	if !r.full() {
		return r
	}
	c := &Rows{D: r.D, Col: r.Col, Val: r.Val, n: r.n, stride: r.stride}
	c.index()
	return c
}

// Dot is the inner product of row i with f, a D-vector.
func (r *Rows) Dot(i int, f []float64) float64 {
	cols, vals := r.Row(i)
	return sparseDot(cols, vals, f)
}

func sparseDot(cols []int32, vals, f []float64) float64 {
	vals = vals[:len(cols)]
	var s, t, u, v float64
	k := 0
	for ; k+4 <= len(cols); k += 4 {
		c, w := cols[k:k+4:k+4], vals[k:k+4:k+4]
		s += float64(w[0] * f[c[0]])
		t += float64(w[1] * f[c[1]])
		u += float64(w[2] * f[c[2]])
		v += float64(w[3] * f[c[3]])
	}
	for ; k < len(cols); k++ {
		s += float64(vals[k] * f[cols[k]])
	}
	return (s + t) + (u + v)
}

// times sets out_i to the inner product of row i with f.
func (r *Rows) times(f, out []float64) {
	for i := range out {
		cols, vals := r.Row(i)
		out[i] = sparseDot(cols, vals, f)
	}
}

// fullTimes is times of a matrix without an index, in another order of additions.
func (r *Rows) fullTimes(f, out []float64) {
	i := 0
	var four [4]float64
	for ; i+4 <= len(out); i += 4 {
		num.Dots(&four, r.fullRow(i), r.fullRow(i+1), r.fullRow(i+2), r.fullRow(i+3), f)
		copy(out[i:], four[:])
	}
	for ; i < len(out); i++ {
		out[i] = num.Dot(r.fullRow(i), f)
	}
}

// fullTransposedTimes sets out_c to the inner product of column c of a matrix without an index with v.
func (r *Rows) fullTransposedTimes(v, out []float64) {
	clear(out)
	i := 0
	for ; i+4 <= len(v); i += 4 {
		num.Axpys((*[4]float64)(v[i:]), r.fullRow(i), r.fullRow(i+1), r.fullRow(i+2), r.fullRow(i+3), out)
	}
	for ; i < len(v); i++ {
		num.Axpy(v[i], r.fullRow(i), out)
	}
}

// scaled returns the rows of the index, each multiplied by its factor.
func (r *Rows) scaled(index []int, factor []float64) *Rows {
	entries := 0
	for _, i := range index {
		cols, _ := r.Row(i)
		entries += len(cols)
	}
	out := newRows(r.D, len(index), entries)
	for _, i := range index {
		begin := len(out.Val)
		out.Append(r.Row(i))
		num.Scale(factor[i], out.Val[begin:])
	}
	return out
}

// Shard is what one node holds, or a test set.
type Shard struct {
	U       *Rows     // row n is y_n x_n
	Y       []float64 // classes, ±1; 1 of rows with targets
	Targets []float64 // t_n; nil of rows with classes
	Class   []int32   // of rows with one of K classes, 0 to K−1; nil of all others
	Index   []int     // the rows of the set they came from
}

// bytes is how much memory the rows take, with what is known of them.
func (s *Shard) bytes() float64 {
	if s.U == nil {
		return 0
	}
	return s.U.Bytes() + float64(8*(len(s.Y)+len(s.Targets)+len(s.Index))) + float64(4*len(s.Class))
}

// Arguments writes u_n·f − t_n of each row, of which the loss is a function, into z: margins or residuals. Of a model
// with a block for each class it writes those of one block after the other.
func (s *Shard) Arguments(f, z []float64) {
	d, n := s.U.D, s.U.Len()
	for k := 0; k*d < len(f); k++ {
		s.U.times(f[k*d:(k+1)*d], z[k*n:(k+1)*n])
	}
	less(z, s.Targets)
}

// NewShard copies the rows of the index out of a set.
func NewShard(s *Set, index []int) Shard {
	return Shard{U: s.X.scaled(index, s.Y), Y: picked(s.Y, index), Targets: picked(s.Targets, index),
		Class: picked(s.Class, index), Index: slices.Clone(index)}
}

// picked are the elements at an index; nil if there are none at all.
func picked[T any](all []T, index []int) []T {
	if all == nil {
		return nil
	}
	some := make([]T, len(index))
	for k, i := range index {
		some[k] = all[i]
	}
	return some
}

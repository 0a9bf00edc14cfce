// Sparse rows.

package problem

import "slices"

// Rows is an n×D matrix in compressed rows: row i has the values
// Val[Start[i]:Start[i+1]] in the columns Col[Start[i]:Start[i+1]], ascending.
type Rows struct {
	D     int
	Start []int32
	Col   []int32
	Val   []float64
}

// NewRows returns a matrix without rows.
func NewRows(d int) *Rows { return &Rows{D: d, Start: []int32{0}} }

// Len is the number of rows.
func (r *Rows) Len() int { return len(r.Start) - 1 }

// Row returns the columns and values of row i; not to be modified.
func (r *Rows) Row(i int) ([]int32, []float64) {
	a, b := r.Start[i], r.Start[i+1]
	return r.Col[a:b], r.Val[a:b]
}

// Append adds a row.
func (r *Rows) Append(cols []int32, vals []float64) {
	r.Col = append(r.Col, cols...)
	r.Val = append(r.Val, vals...)
	r.Start = append(r.Start, int32(len(r.Col)))
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
	start, col, val := r.Start, r.Col, r.Val
	for i := range out {
		a, b := start[i], start[i+1]
		out[i] = sparseDot(col[a:b], val[a:b], f)
	}
}

// scaled returns the rows of the index, each multiplied by its factor.
func (r *Rows) scaled(index []int, factor []float64) *Rows {
	n := 0
	for _, i := range index {
		n += int(r.Start[i+1] - r.Start[i])
	}
	out := &Rows{D: r.D, Start: make([]int32, 1, len(index)+1), Col: make([]int32, 0, n), Val: make([]float64, 0, n)}
	for _, i := range index {
		cols, vals := r.Row(i)
		out.Col = append(out.Col, cols...)
		for _, v := range vals {
			out.Val = append(out.Val, factor[i]*v)
		}
		out.Start = append(out.Start, int32(len(out.Col)))
	}
	return out
}

// Shard is what one node holds, or a test set.
type Shard struct {
	U     *Rows     // row n is y_n x_n
	Y     []float64 // labels, ±1
	Index []int     // the rows of the set they came from
}

// NewShard copies the rows of the index out of a set.
func NewShard(s *Set, index []int) Shard {
	y := make([]float64, len(index))
	for k, i := range index {
		y[k] = s.Y[i]
	}
	return Shard{U: s.X.scaled(index, s.Y), Y: y, Index: slices.Clone(index)}
}

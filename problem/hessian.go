// The factored Hessian of (★).

package problem

import (
	"math"

	"overhear/internal/num"
)

// hessian is H = r I + Uᵀ C U at some point, factored. C has a block for each row, the Hessian of its weighted loss in
// the numbers that the models give it, which is positive semidefinite: of one model a number, of softmax not diagonal.
// Of few rows and one model it is not H that is factored but the matrix of Woodbury's identity, of the rows' order,
//
//	H⁻¹ = (I − Uᵀ S (r I + S U Uᵀ S)⁻¹ S U) / r,    S² = C
type hessian struct {
	packed []float64 // memory of the factor, then S if the rows are few; empty until the first factorisation
	factor num.Cholesky
	ridge  float64 // r
}

// fewRows says whether Woodbury's identity pays: it passes over the rows twice.
func (o *Objective) fewRows() bool { return o.models() == 1 && 2*o.U.Len() <= o.U.D }

// order is that of the matrix to be factored.
func (o *Objective) order() int {
	if o.fewRows() {
		return o.U.Len()
	}
	return o.U.D * o.models()
}

// factored is how many numbers a factor takes, 0 if none is made.
func (o *Objective) factored() int {
	switch order := o.order(); {
	case order > maxNewton:
		return 0
	case o.fewRows():
		return num.Packed(order) + order // with S
	default:
		return num.Packed(order)
	}
}

// factorise makes H of the rows' curvatures, which it overwrites.
func (h *hessian) factorise(o *Objective, w *Scratch, curvature []float64, ridge float64) error {
	order := o.order()
	if n := o.factored(); len(h.packed) == 0 {
		if cap(h.packed) < n {
			h.packed = make([]float64, n)
		}
		h.packed = h.packed[:n]
	}
	h.ridge = ridge
	a := h.packed[:num.Packed(order)]
	clear(a)
	for k := range order {
		a[num.Packed(k)+k] = ridge
	}
	if !o.fewRows() {
		o.addHessian(a, curvature)
		return h.factor.Factor(a, order)
	}
	for i := range curvature {
		curvature[i] *= o.weight(i)
	}
	h.inner(o.U, a, w.trial, curvature)
	for k := range order {
		const precision = 0x1p-53
		if !(ridge > precision*a[num.Packed(k)+k]) {
			return num.ErrNotPositiveDefinite // H itself is not, once it is rounded
		}
	}
	return h.factor.Factor(a, order)
}

// inner adds S U Uᵀ S, and keeps S; row is working memory.
func (h *hessian) inner(u *Rows, a, row, curvature []float64) {
	s := h.packed[len(a):]
	for i, c := range curvature {
		s[i] = math.Sqrt(c)
		clear(row)
		cols, vals := u.Row(i)
		for k, c := range cols {
			row[c] = vals[k]
		}
		for j := range i + 1 {
			cols, vals := u.Row(j)
			a[num.Packed(i)+j] += float64(s[i] * s[j] * sparseDot(cols, vals, row))
		}
	}
}

// addSquares adds Uᵀ C U of one model, and may overwrite the curvatures. Four rows at a time without a zero are added
// by vectors, in the same order.
func (o *Objective) addSquares(packed, curvature []float64) {
	const few = 6 // columns, with which a row by itself is as quick
	if o.U.D < few && o.U.full() {
		o.addNarrow(packed, curvature)
		return
	}
	for i := 0; i < len(curvature); i++ {
		if o.U.D >= few && i+4 <= len(curvature) && o.addFour(packed, curvature[i:i+4], i) {
			i += 3
			continue
		}
		c := curvature[i] * o.weight(i)
		if c == 0 {
			continue
		}
		cols, vals := o.U.Row(i)
		for k, ca := range cols {
			row := packed[num.Packed(int(ca)):]
			v := c * vals[k]
			for b, cb := range cols[:k+1] {
				row[cb] += float64(v * vals[b])
			}
		}
	}
}

// addNarrow is addSquares of few columns and no index: it keeps two sums at a time in registers while all rows pass.
func (o *Objective) addNarrow(packed, curvature []float64) {
	for i := range curvature {
		curvature[i] *= o.weight(i)
	}
	d, stride := o.U.D, o.U.stride
	for a := range d {
		to := packed[num.Packed(a):][:a+1]
		for b := 0; b <= a; b += 2 {
			c := min(b+1, a) // b again, if there is no other
			s, t := to[b], to[c]
			for i, k := range curvature {
				row := o.U.Val[i*stride:][:d]
				v := k * row[a]
				s += float64(v * row[b])
				t += float64(v * row[c])
			}
			to[b], to[c] = s, t
		}
	}
}

// addFour adds what four rows from the given one contribute, if none of them has a zero.
func (o *Objective) addFour(packed, curvature []float64, first int) bool {
	var rows [4][]float64
	for k := range rows {
		if _, rows[k] = o.U.Row(first + k); len(rows[k]) != o.U.D {
			return false
		}
	}
	var weights, by [4]float64
	for k, c := range curvature {
		weights[k] = c * o.weight(first+k)
	}
	for a := range o.U.D {
		for k, w := range weights {
			by[k] = w * rows[k][a]
		}
		row := packed[num.Packed(a):][:a+1]
		num.Axpys(&by, rows[0][:a+1], rows[1][:a+1], rows[2][:a+1], rows[3][:a+1], row)
	}
	return true
}

// solve replaces x by H⁻¹ x.
func (h *hessian) solve(o *Objective, rows products, w *Scratch, x []float64) {
	if !o.fewRows() {
		h.factor.Solve(x)
		return
	}
	n := o.U.Len()
	s, v := h.packed[num.Packed(n):], w.weighted[:n]
	rows.times(x, v)
	for i := range v {
		v[i] *= s[i]
	}
	h.factor.Solve(v)
	for i := range v {
		v[i] *= s[i]
	}
	rows.transposedTimes(v, w.trial)
	x = x[:len(w.trial)]
	for k, y := range w.trial {
		x[k] = (x[k] - y) / h.ridge
	}
}

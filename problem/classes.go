// Losses of rows with one of K classes, as functions of the K numbers z_k = f_k·x of a row.

package problem

import (
	"math"

	"overhear/internal/num"
)

// Joint is a Loss of K numbers for each row, one for each class. Of n rows, z has K·n of them: those of class k are
// z[k·n] to z[k·n + n − 1]. Only what Of returns knows rows; of itself a Joint has the bounds alone.
type Joint interface {
	Loss
	Of(class []int32) Loss // of rows of those classes, 0 to K−1
	coupled() bool         // the Hessian in a row's numbers is diag(c) − c cᵀ, c its Curvatures; else it is diag(c)
}

// Softmax is log Σ_k e^{z_k} − z_y of a row of class y: multinomial logistic regression. Its gradient p − e_y, p the
// probabilities, has a norm below √2; its Hessian diag(p) − ppᵀ has eigenvalues of at most ½ (docs/mathematics.md §1).
type Softmax struct{ Class []int32 }

// OneVsRest is Σ_k L(s_k z_k), s_k = 1 for the row's class and −1 for all others: K problems of two classes.
type OneVsRest struct {
	Each  Loss // L, of a margin
	K     int
	Class []int32
}

// of is a problem's loss for rows of those classes.
func of(l Loss, class []int32) Loss {
	if j, ok := l.(Joint); ok {
		return j.Of(class)
	}
	return l
}

// coupled says whether a loss couples the numbers of a row.
func coupled(l Loss) bool {
	j, ok := l.(Joint)
	return ok && j.coupled()
}

// Of is the loss of rows of those classes.
func (Softmax) Of(class []int32) Loss { return Softmax{class} }

// coupled is true: the probabilities add up to 1.
func (Softmax) coupled() bool { return true }

// probabilities writes p_k of every row.
func (s Softmax) probabilities(dst, z []float64) {
	n := len(s.Class)
	for i := range n {
		most := math.Inf(-1)
		for at := i; at < len(z); at += n {
			most = math.Max(most, z[at])
		}
		sum := 0.0
		for at := i; at < len(z); at += n {
			dst[at] = num.Exp(z[at] - most)
			sum += dst[at]
		}
		for at := i; at < len(z); at += n {
			dst[at] /= sum
		}
	}
}

// Slopes is p − e_y. The slope of the row's own class is minus the sum of the others', which 1 − p_y loses near 1.
func (s Softmax) Slopes(dst, z []float64) {
	s.probabilities(dst, z)
	n := len(s.Class)
	for i, y := range s.Class {
		others := 0.0
		for k := 0; k*n < len(z); k++ {
			if k != int(y) {
				others += dst[k*n+i]
			}
		}
		dst[int(y)*n+i] = -others
	}
}

// Total is Σ_n (log Σ_k e^{z_nk} − z_ny).
func (s Softmax) Total(z, _ []float64) float64 {
	n, total := len(s.Class), 0.0
	for i, y := range s.Class {
		top := i
		for at := i; at < len(z); at += n {
			if z[at] > z[top] {
				top = at
			}
		}
		rest := 0.0
		for at := i; at < len(z); at += n {
			if at != top {
				rest += num.Exp(z[at] - z[top])
			}
		}
		total += (z[top] - z[int(y)*n+i]) + num.Log1p(rest)
	}
	return total
}

// Curvatures is p.
func (s Softmax) Curvatures(dst, z []float64) { s.probabilities(dst, z) }

// Bound is ½.
func (Softmax) Bound() float64 { return 0.5 }

// Steepest is √2.
func (Softmax) Steepest() float64 { return math.Sqrt2 }

// Of is the loss of rows of those classes.
func (o OneVsRest) Of(class []int32) Loss { return OneVsRest{o.Each, o.K, class} }

// coupled is false: the problems share their rows and nothing else.
func (OneVsRest) coupled() bool { return false }

// sign multiplies numbers by s_k, of which the first is number from of all rows' and models'.
func (o OneVsRest) sign(dst, src []float64, from int) {
	k, i := 0, from
	for at, v := range src {
		for ; i >= len(o.Class); i -= len(o.Class) {
			k++
		}
		if dst[at] = v; int(o.Class[i]) != k {
			dst[at] = -v
		}
		i++
	}
}

// Slopes is s_k L′(s_k z_k).
func (o OneVsRest) Slopes(dst, z []float64) {
	o.sign(dst, z, 0)
	o.Each.Slopes(dst, dst)
	o.sign(dst, dst, 0)
}

// Total is Σ_n Σ_k L(s_k z_nk).
func (o OneVsRest) Total(z, slopes []float64) float64 {
	const block = 512 // as of LogisticTotal, which then adds the same products up
	total := 0.0
	margins, own := make([]float64, min(block, len(z))), make([]float64, min(block, len(z)))
	for from := 0; from < len(z); from += block {
		to := min(from+block, len(z))
		o.sign(margins, z[from:to], from)
		o.sign(own, slopes[from:to], from)
		total += o.Each.Total(margins[:to-from], own[:to-from])
	}
	return total
}

// Curvatures is L″(s_k z_k).
func (o OneVsRest) Curvatures(dst, z []float64) {
	o.sign(dst, z, 0)
	o.Each.Curvatures(dst, dst)
}

// Bound is that of L.
func (o OneVsRest) Bound() float64 { return o.Each.Bound() }

// Steepest is √K times that of L, as all K problems see the row.
func (o OneVsRest) Steepest() float64 { return math.Sqrt(float64(o.K)) * o.Each.Steepest() }

// models are the products of K models with the same rows: f has K blocks of as many numbers as a row has columns.
type models struct {
	products
	k, columns, rows int
}

func (m models) times(f, out []float64) {
	for k := range m.k {
		m.products.times(f[k*m.columns:(k+1)*m.columns], out[k*m.rows:(k+1)*m.rows])
	}
}

func (m models) transposedTimes(s, out []float64) {
	for k := range m.k {
		m.products.transposedTimes(s[k*m.rows:(k+1)*m.rows], out[k*m.columns:(k+1)*m.columns])
	}
}

// bend multiplies v, a number for each row and model, by the Hessian of the weighted losses, given their Curvatures.
func (o *Objective) bend(curvature, v []float64) {
	n, joint := o.U.Len(), coupled(o.Loss)
	for i := range n {
		mean := 0.0
		if joint {
			for at := i; at < len(v); at += n {
				mean += float64(curvature[at] * v[at])
			}
		}
		w := o.weight(i)
		for at := i; at < len(v); at += n {
			v[at] = w * curvature[at] * (v[at] - mean)
		}
	}
}

// addHessian adds that of the data part to a packed matrix, given the Curvatures of all models' numbers, which it may
// overwrite.
func (o *Objective) addHessian(packed, curvature []float64) {
	if o.models() == 1 {
		o.addSquares(packed, curvature) // the same sum, in a third less time
		return
	}
	n, d, joint := o.U.Len(), o.U.D, coupled(o.Loss)
	for i := range n {
		w := o.weight(i)
		cols, vals := o.U.Row(i)
		for k := range o.models() {
			for l := range k + 1 {
				c := 0.0
				if k == l {
					c = curvature[k*n+i]
				}
				if joint {
					c -= float64(curvature[k*n+i] * curvature[l*n+i])
				}
				if c *= w; c == 0 {
					continue
				}
				for a, ca := range cols {
					row := packed[num.Packed(k*d+int(ca))+l*d:]
					v, to := c*vals[a], cols
					if k == l {
						to = cols[:a+1]
					}
					for b, cb := range to {
						row[cb] += float64(v * vals[b])
					}
				}
			}
		}
	}
}

// AddHessian adds the Hessian of the data part at f to a packed matrix of as many rows.
func (o *Objective) AddHessian(packed, f []float64) {
	z := o.arguments(f)
	o.Loss.Curvatures(z, append([]float64(nil), z...))
	o.addHessian(packed, z)
}

// arguments are the margins or residuals at f.
func (o *Objective) arguments(f []float64) []float64 {
	z := make([]float64, o.U.Len()*o.models())
	(&Shard{U: o.U}).Arguments(f, z)
	o.signed(z, z)
	less(z, o.Targets)
	return z
}

// largest is the class of row i with the greatest number, the first of several.
func largest(z []float64, i, rows int) int32 {
	best := int32(0)
	for k := 1; k*rows+i < len(z); k++ {
		if z[k*rows+i] > z[int(best)*rows+i] {
			best = int32(k)
		}
	}
	return best
}

// Wrong is the share of the rows that f puts into a wrong class, z its Arguments; NaN where there are no rows or these
// have targets. Of two classes a row on the boundary counts as +1; of more, one with several greatest numbers counts as
// the first of their classes.
func (s *Shard) Wrong(z []float64) float64 {
	n, wrong := len(s.Y), 0
	if n == 0 || s.Targets != nil {
		return math.NaN()
	}
	for i := range n {
		switch {
		case s.Class != nil:
			if largest(z, i, n) != s.Class[i] {
				wrong++
			}
		case z[i] < 0 || z[i] == 0 && s.Y[i] < 0:
			wrong++
		}
	}
	return float64(wrong) / float64(n)
}

// LogLoss is the mean of −log of the probability that the loss's model gives the classes of rows, z the Arguments of
// f; NaN of a loss that is no model of probabilities, of rows with targets, and without rows. One-vs-rest divides the
// probabilities of its K models by their sum.
func (s *Shard) LogLoss(l Loss, z []float64) float64 {
	n := len(s.Y)
	if n == 0 || s.Targets != nil {
		return math.NaN()
	}
	slopes := make([]float64, len(z))
	switch l := of(l, s.Class).(type) {
	case logistic:
		l.Slopes(slopes, z)
		return l.Total(z, slopes) / float64(n)
	case Softmax:
		return l.Total(z, nil) / float64(n)
	case OneVsRest:
		if l.Each != Logistic {
			break
		}
		// log σ(z) of each, of which the exponentials add up: far below zero σ(z) itself has no digits.
		logs := slopes
		num.LogisticSlopes(slopes, z)
		for at := range logs {
			logs[at] = -num.LogisticTotal(z[at:at+1], slopes[at:at+1])
		}
		total := 0.0
		for i, y := range s.Class {
			most, sum := math.Inf(-1), 0.0
			for at := i; at < len(z); at += n {
				most = max(most, logs[at])
			}
			for at := i; at < len(z); at += n {
				sum += num.Exp(logs[at] - most)
			}
			total += (most - logs[int(y)*n+i]) + num.Log(sum)
		}
		return total / float64(n)
	}
	return math.NaN()
}

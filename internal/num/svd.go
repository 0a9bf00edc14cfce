// Singular value decomposition, the same bits on every machine.

package num

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// ErrNotDecomposed is returned for a matrix whose singular values are not found: one
// with NaN or an infinity in it.
var ErrNotDecomposed = errors.New("a singular value decomposition has not converged")

// SVD is the singular value decomposition A = Σ values_k left_k right_kᵀ of a matrix.
type SVD struct {
	Values      []float64   // descending, as many as A has rows or columns, whichever are fewer
	Left, Right [][]float64 // of unit length; zero where the value is
}

// Decompose returns the decomposition of the matrix with these columns, which have one
// length and are left as they are. Pairs of columns are turned until all are orthogonal
// (Hestenes 1958); their lengths are then the singular values, each to rounding of its
// own column's size and not of the largest's.
func Decompose(columns [][]float64) (*SVD, error) {
	if len(columns) == 0 {
		return new(SVD), nil
	}
	if m := len(columns[0]); m < len(columns) {
		rows := make([][]float64, m)
		for i := range rows {
			rows[i] = make([]float64, len(columns))
			for j, c := range columns {
				rows[i][j] = c[i]
			}
		}
		s, err := Decompose(rows)
		if err != nil {
			return nil, err
		}
		s.Left, s.Right = s.Right, s.Left
		return s, nil
	}
	n := len(columns)
	u, v := make([][]float64, n), make([][]float64, n)
	for k, c := range columns {
		u[k], v[k] = slices.Clone(c), make([]float64, n)
		v[k][k] = 1
	}
	if !orthogonalise(u, v) {
		return nil, ErrNotDecomposed
	}
	order, lengths := make([]int, n), make([]float64, n)
	for k := range u {
		order[k], lengths[k] = k, Norm(u[k])
		if lengths[k] > 0 {
			for i := range u[k] {
				u[k][i] /= lengths[k]
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lengths[b], lengths[a]) })
	s := new(SVD)
	for _, k := range order {
		s.Values, s.Left, s.Right = append(s.Values, lengths[k]), append(s.Left, u[k]), append(s.Right, v[k])
	}
	return s, nil
}

// orthogonalise turns pairs of u until the cosine of each is rounding, and v with them.
func orthogonalise(u, v [][]float64) bool {
	rounding := 0x1p-52 * math.Sqrt(float64(len(u[0])))
	const sweeps = 60 // about ten suffice
	for range sweeps {
		turned := false
		for i := range u {
			for j := i + 1; j < len(u); j++ {
				a, b, c := Dot(u[i], u[i]), Dot(u[j], u[j]), Dot(u[i], u[j])
				if !(math.Abs(a+b) <= math.MaxFloat64) {
					return false
				}
				if math.Abs(c) <= rounding*math.Sqrt(a)*math.Sqrt(b) {
					continue
				}
				turned = true
				z := (b - a) / (2 * c)
				t := math.Copysign(1/(math.Abs(z)+Hypot(1, z)), z)
				cos := 1 / Hypot(1, t)
				turn(u[i], u[j], cos, cos*t)
				turn(v[i], v[j], cos, cos*t)
			}
		}
		if !turned {
			return true
		}
	}
	return false
}

func turn(x, y []float64, cos, sin float64) {
	for k, a := range x {
		b := y[k]
		x[k] = float64(cos*a) - float64(sin*b)
		y[k] = float64(sin*a) + float64(cos*b)
	}
}

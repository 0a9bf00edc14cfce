// How far a point is from a stationary one, where no minimiser can be told.

package problem

import (
	"math"

	"overhear/internal/num"
)

// Stationarity is the norm of the gradient mapping of a Vertical's objective at a d_m-vector x_m of each party,
//
//	‖G(x)‖,    G(x) = (x − prox_{sh}(x − s g))/s,    g_m = c D_mᵀ∇L + λx_m
//
// which is the gradient g where there is no h. It is zero at stationary points and nowhere else. s is the inverse of
// a Lipschitz constant of g, c max|L″| ‖D‖² + λ, with the root of the sum of squares of all entries of D for ‖D‖.
func (v *Vertical) Stationarity(x [][]float64) float64 {
	z := make([]float64, v.N)
	v.Margins(x, z)
	t, slopes := signed(v.Y, z), make([]float64, v.N)
	less(t, v.Targets)
	v.Loss.Slopes(slopes, t)
	for n, y := range v.Y {
		slopes[n] *= float64(v.Weight * y)
	}
	step := 0.0 // without h, where none is needed
	if v.NonSmooth != nil {
		squares := 0.0
		for _, b := range v.Blocks {
			for i := range b.Len() {
				_, row := b.Row(i)
				squares += num.Dot(row, row)
			}
		}
		step = 1 / (float64(v.Weight*SlopeBound(v.Loss)*squares) + v.Ridge)
	}
	sum := 0.0
	for m, b := range v.Blocks {
		g := make([]float64, b.D)
		b.transposedTimes(slopes, g)
		num.Axpy(v.Ridge, x[m], g)
		if v.NonSmooth != nil {
			v.NonSmooth.mapping(step, x[m], g)
		}
		sum += num.Dot(g, g)
	}
	return math.Sqrt(sum)
}

// SteepestGradient is c max|L′| Σ_n ‖d_n‖, d_n the rows: no gradient of the rows' losses is longer.
func (v *Vertical) SteepestGradient() float64 {
	sum := 0.0
	for n := range v.N {
		squares := 0.0
		for _, b := range v.Blocks {
			_, row := b.Row(n)
			squares += num.Dot(row, row)
		}
		sum += math.Sqrt(squares)
	}
	return v.Weight * v.Loss.Steepest() * sum
}

// mapping replaces a gradient g at a block x by the gradient mapping (x − prox_{sh}(x − s g))/s.
func (h *NonSmooth) mapping(s float64, x, g []float64) {
	for k, v := range x {
		g[k] = v - float64(s*g[k])
	}
	h.Prox(s, g)
	for k, v := range x {
		g[k] = (v - g[k]) / s
	}
}
